#pragma once

#include <pybind11/pybind11.h>

namespace fabricscope::python {

/// `simulate` and the class Run: one run with its arrays.
void bindRuns(pybind11::module_& module);

} // namespace fabricscope::python
