#pragma once

#include "core/base/result.h"

#include <pybind11/pybind11.h>

#include <string>

namespace fabricscope::python {

/// A failure on its way to Python, where it is an exception of fabricscope/errors.py.
struct RaisedError {
    Error error;
    Diagnostics findings{}; ///< All that were found, where there are several.
};

/// The value, or a throw of RaisedError.
template <typename T>
T valueOf(Result<T> result)
{
    if (!result)
        throw RaisedError{std::move(result).error()};
    return std::move(result).value();
}

inline void demand(Status status)
{
    if (!status)
        throw RaisedError{std::move(status).error()};
}

/// A finding as a dict: severity, rule, message, file, line, column, field, expected.
pybind11::dict findingOf(const Diagnostic& diagnostic);

/// Makes RaisedError an exception of Python wherever it leaves the module.
void translateFailures();

} // namespace fabricscope::python
