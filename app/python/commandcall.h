#pragma once

#include <pybind11/pybind11.h>

namespace fabricscope::python {

/// `command`: a command of fabricscope-cli in this process.
void bindCommands(pybind11::module_& module);

} // namespace fabricscope::python
