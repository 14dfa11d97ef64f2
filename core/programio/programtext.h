#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace fabricscope {

/// Is it JSON: does an object begin behind spaces and a byte order mark?
bool isJsonText(std::string_view text);
/// The same of a file; false where it cannot be read.
bool isJsonFile(const std::string& path);

/// Has it the keys of a program of either kind, ours or a plan of MSCCL++?
bool isProgramJson(std::string_view text);

/// A program in JSON of either kind: ours (programjson.h) or an execution plan of MSCCL++ (mscclpp.h), told apart by their keys. `file`: for
/// messages. `notes`, where given: what the reader of plans assumed. Errors: those of the readers. Told to stop: Cancelled.
Result<ProgramPtr> parseJsonProgram(std::string text, const std::string& file, Diagnostics* notes = nullptr, const std::stop_token& stop = {});

} // namespace fabricscope
