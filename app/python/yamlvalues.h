#pragma once

#include "core/yaml/tree.h"

#include <pybind11/pybind11.h>

namespace fabricscope::python {

/// A value of a design for Python: None, bool, int, float or str, list, dict. What is in quotes is a str.
pybind11::object pythonValue(const YamlNode& node);

/// A value of Python for a design; a text that begins with [ or { is read as YAML, as `--set` does. Throws TypeError of what no design can hold, RaisedError of
/// a text that is no YAML.
YamlNode yamlValue(const pybind11::handle& value);

} // namespace fabricscope::python
