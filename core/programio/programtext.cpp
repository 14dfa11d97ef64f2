#include "core/programio/programtext.h"

#include "core/base/files/textfile.h"
#include "core/programio/mscclpp.h"
#include "core/programio/programjson.h"

namespace fabricscope {

bool isJsonText(std::string_view text)
{
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

bool isJsonFile(const std::string& path)
{
    const auto begin = readFileHead(path, 4096);
    return begin && isJsonText(begin.value());
}

namespace {

// The keys may stand behind long lists, as keys are sorted: their words are looked for everywhere.
bool isOurs(std::string_view text)
{
    return text.find("\"fabricscope_program\"") != std::string_view::npos;
}

bool isPlan(std::string_view text)
{
    return text.find("\"gpus\"") != std::string_view::npos && text.find("\"threadblocks\"") != std::string_view::npos;
}

} // namespace

bool isProgramJson(std::string_view text)
{
    return isJsonText(text) && (isOurs(text) || isPlan(text));
}

Result<ProgramPtr> parseJsonProgram(std::string text, const std::string& file, Diagnostics* notes, const std::stop_token& stop)
{
    const bool plan = !isOurs(text) && isPlan(text);
    return plan ? parseMscclppPlan(std::move(text), file, notes, stop) : parseProgramJson(std::move(text), file, stop);
}

} // namespace fabricscope
