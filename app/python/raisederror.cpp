#include "app/python/raisederror.h"

#include "core/base/stop.h"

namespace py = pybind11;

namespace fabricscope::python {

namespace {

py::object textOrNone(const std::string& text)
{
    return text.empty() ? py::object(py::none()) : py::object(py::str(text));
}

py::object countOrNone(std::int64_t value, bool known)
{
    return known ? py::object(py::int_(value)) : py::object(py::none());
}

py::dict placeOf(const Place& place)
{
    py::dict out;
    out["file"] = textOrNone(place.file);
    out["line"] = countOrNone(place.line, place.line > 0);
    out["column"] = countOrNone(place.column, place.column > 0);
    out["field"] = textOrNone(place.field);
    return out;
}

void raise(const RaisedError& failure)
{
    py::dict facts = placeOf(failure.error.place);
    facts["code"] = exitCode(failure.error.code);
    facts["message"] = failure.error.message;
    facts["expected"] = textOrNone(failure.error.expected);
    facts["offset"] = countOrNone(failure.error.place.offset, failure.error.place.offset >= 0);
    facts["rank"] = countOrNone(failure.error.place.rank, failure.error.place.rank >= 0);
    facts["text"] = failure.error.text();
    py::list findings;
    for (const Diagnostic& diagnostic : failure.findings)
        findings.append(findingOf(diagnostic));
    facts["findings"] = findings;
    const py::object made = py::module_::import("fabricscope.errors").attr("_made")(facts);
    PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
}

} // namespace

py::dict findingOf(const Diagnostic& diagnostic)
{
    constexpr const char* kSeverities[] = {"note", "warning", "error"};
    py::dict out = placeOf(diagnostic.place);
    out["severity"] = kSeverities[static_cast<std::size_t>(diagnostic.severity)];
    out["rule"] = diagnostic.rule;
    out["message"] = diagnostic.message;
    out["expected"] = textOrNone(diagnostic.expected);
    return out;
}

void translateFailures()
{
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown)
                std::rethrow_exception(thrown);
        } catch (const RaisedError& failure) {
            raise(failure);
        } catch (const StopRequested&) {
            raise({stoppedError()});
        }
    });
}

} // namespace fabricscope::python
