#include "core/programio/programtext.h"

#include "core/base/textfile.h"
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

Result<ProgramPtr> parseJsonProgram(std::string text, const std::string& file, Diagnostics* notes)
{
    // The key of ours may stand behind long lists, as keys are sorted: its words are looked for everywhere.
    const bool ours = text.find("\"fabricscope_program\"") != std::string::npos;
    const bool plan = !ours && text.find("\"gpus\"") != std::string::npos && text.find("\"threadblocks\"") != std::string::npos;
    return plan ? parseMscclppPlan(std::move(text), file, notes) : parseProgramJson(std::move(text), file);
}

} // namespace fabricscope
