#include "app/cli/clients/answerlines.h"

#include "app/cli/output/errorjson.h"
#include "app/cli/clients/requestprocess.h"
#include "core/report/jsonwriter.h"

#include <csignal>

namespace fabricscope::cli {

namespace {

std::string beginning(const std::string& id)
{
    return R"({"schema": 1, "id": )" + id;
}

std::string withCode(const std::string& id, int code, std::string_view key, std::string_view value)
{
    return beginning(id) + ", \"code\": " + std::to_string(code) + ", \"" + std::string(key) + "\": " + std::string(value);
}

/// What a command that said nothing in JSON died of.
Error silentEnd(const RequestProcess& request)
{
    if (request.exitCode() == exitCode(ErrorCode::Cancelled))
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    if (request.exitCode() == exitCode(ErrorCode::MemoryLimit) || request.endSignal() == SIGKILL)
        return Error{ErrorCode::MemoryLimit, "there is not enough memory for this", {}, {}};
    return Error{ErrorCode::Internal, request.endSignal() != 0 ? "the command was ended by signal " + std::to_string(request.endSignal()) : "the command ended with " + std::to_string(request.exitCode()) + " and no answer", {}, {}};
}

} // namespace

std::string inOneLine(std::string_view json)
{
    std::string line;
    line.reserve(json.size());
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = std::min(json.find('\n', at), json.size());
        line += json.substr(at, end - at);
        at = std::min(json.find_first_not_of("\n ", end), json.size());
    }
    return line;
}

std::string messageLine(const std::string& id, std::string_view message)
{
    return beginning(id) + ", \"message\": " + jsonString(message) + "}\n";
}

std::string toldLine(const std::string& id, std::string_view object)
{
    return beginning(id) + ", " + std::string(object.substr(1)) + '\n';
}

std::string errorLine(const std::string& id, const Error& error)
{
    return withCode(id, exitCode(error.code), "error", errorObject(error)) + "}\n";
}

std::string cancelLine(const std::string& id, bool found)
{
    return withCode(id, 0, "answer", found ? "{\"cancelled\": true}" : "{\"cancelled\": false}") + "}\n";
}

std::string lastLine(const RequestProcess& request)
{
    if (request.isTooLong())
        return errorLine(request.id(), Error{ErrorCode::MemoryLimit, "the answer has more than 256 MiB", {}, "--ranks classes, or a file for what is long"});
    const std::string_view output = request.output();
    // As errorJson() writes it.
    constexpr std::string_view kError = R"({"schema":1,"error":)";
    std::string line;
    if (output.starts_with(kError))
        line = withCode(request.id(), request.exitCode(), "error", output.substr(kError.size(), output.rfind('}') - kError.size()));
    else if (output.starts_with('{') && request.exitCode() >= 0)
        line = withCode(request.id(), request.exitCode(), "answer", inOneLine(output));
    else
        return errorLine(request.id(), silentEnd(request));
    if (const std::string files = request.folder() ? request.folder()->writtenJson() : std::string(); !files.empty())
        line += ", \"files\": " + inOneLine(files);
    return line + "}\n";
}

} // namespace fabricscope::cli
