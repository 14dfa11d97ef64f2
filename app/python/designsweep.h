#pragma once

#include <pybind11/pybind11.h>

namespace fabricscope::python {

/// `sweep` and the class Table: many designs, on all cores, and the figures of each.
void bindSweeps(pybind11::module_& module);

} // namespace fabricscope::python
