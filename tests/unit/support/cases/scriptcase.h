#pragma once

#include "core/language/script.h"

#include <map>
#include <string>
#include <string_view>

namespace fabricscope::test {

/// Compiles a text with small limits, so that what runs away stops soon.
Result<Script> compileText(std::string_view text, const std::map<std::string, double>& parameters = {});

/// The error of a text, "" where it compiles: "LINE: MESSAGE (expected ...)".
std::string scriptError(std::string_view text);

/// The notes of a rule, one a line: "LINE: MESSAGE".
std::string scriptNotes(const Script& script, std::string_view rule);

/// "send 0>1 in[0+1] ..." of every operation in order of ranks: all that a script decides but lanes and steps.
std::string operationText(const Program& program);

/// Is what the program leaves right, as an executor of the tests sees it, for several orders and with one slot? The reason why not, or "".
std::string wrongResult(const Program& program);

/// Where the scripts that come with the program are, and the text of NAME.lua there.
std::string exampleFolder();
std::string exampleScript(const std::string& name);

} // namespace fabricscope::test
