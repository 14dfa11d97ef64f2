#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace fabricscope::cli {

class RequestProcess;

/// Lines that `serve` answers with (manual: serve 3); `id`: as JSON.
std::string messageLine(const std::string& id, std::string_view message);
/// `object`: "progress" or "partial" as a command tells them, {"progress": {...}}.
std::string toldLine(const std::string& id, std::string_view object);
std::string errorLine(const std::string& id, const Error& error);
/// Of cancel: whether there was such a request.
std::string cancelLine(const std::string& id, bool found);
/// The last line of a request that has ended.
std::string lastLine(const RequestProcess& request);

/// A JSON document of this program in one line: no string of it holds an end of a line.
std::string inOneLine(std::string_view json);

} // namespace fabricscope::cli
