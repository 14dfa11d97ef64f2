#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A text that stands in a request instead of in a file.
struct RequestFile {
    std::string name; ///< Relative, without "..", "." and empty parts.
    std::string text;
};

/// What a client of `serve` asks for (manual: serve 2).
struct ClientRequest {
    std::string method;                 ///< A command, "model show", or "cancel".
    std::vector<std::string> arguments; ///< Of the command line behind the command: those of "arguments", then the options by name.
    std::vector<RequestFile> files;
    std::string cancels;                ///< Of "cancel": the id of the other request, as JSON.
};

/// A line of a client, understood or refused.
struct RequestLine {
    std::string id = "null"; ///< As JSON: 7, "seven"; null: not known.
    Result<ClientRequest> request;
};

/// Understands a line: `{"id": 7, "method": "simulate", "params": {"arguments": ["A.yaml"], "model": "flow", "files": {"A.yaml": "..."}}}`.
/// Which methods and options there are is not looked at. Errors: InvalidInput, with the field.
RequestLine parseRequestLine(std::string_view line);

constexpr std::size_t kMostRequestArguments = 4096;
constexpr std::size_t kMostRequestFiles = 1024;

} // namespace fabricscope
