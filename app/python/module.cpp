// The compiled part of the package fabricscope; what users see of it is in fabricscope/*.py.
#include "app/python/commandcall.h"
#include "app/python/designsweep.h"
#include "app/python/editeddesign.h"
#include "app/python/raisederror.h"
#include "app/python/runhandle.h"
#include "app/version.h"

PYBIND11_MODULE(_core, module)
{
    module.doc() = "Simulations of Fabricscope. Use the package fabricscope, which is documented.";
    module.attr("version") = fabricscope::kVersion;
    module.attr("commit") = fabricscope::kCommit;
    fabricscope::python::translateFailures();
    fabricscope::python::bindDesign(module);
    fabricscope::python::bindRuns(module);
    fabricscope::python::bindSweeps(module);
    fabricscope::python::bindCommands(module);
}
