#include "core/formats/programform.h"

#include "core/base/files/openfile.h"
#include "core/formats/xmlroot.h"
#include "core/programio/programtext.h"

#include <algorithm>
#include <cctype>

namespace fabricscope {

namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

bool endsAs(std::string_view name, std::string_view ending)
{
    const auto same = [](char wanted, char found) { return wanted == std::tolower(static_cast<unsigned char>(found)); };
    return name.size() >= ending.size() && std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()), same);
}

} // namespace

ProgramForm programFormOfText(std::string_view text)
{
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '<')
        return ProgramForm::Xml;
    return isJsonText(text) ? ProgramForm::Json : ProgramForm::Script;
}

std::optional<ProgramForm> programFormOf(std::string_view name, std::string_view head)
{
    if (endsAs(name, programFormRow(ProgramForm::Script).ending))
        return ProgramForm::Script;
    if (xmlRootName(head) == "algo")
        return ProgramForm::Xml;
    if (isProgramJson(head))
        return ProgramForm::Json;
    return std::nullopt;
}

std::optional<ProgramForm> programFormOfFile(const std::string& path, std::size_t limit)
{
    if (!isInputFile(path))
        return areGraphs(path) ? std::optional(ProgramForm::Graphs) : std::nullopt;
    const auto head = readFileHead(path, kHeadBytes);
    if (!head)
        return std::nullopt;
    const auto form = programFormOf(path, head.value());
    if (form || head.value().size() < kHeadBytes || !isJsonText(head.value()))
        return form;
    const auto text = readTextFile(path, limit);
    return text && isProgramJson(text.value()) ? std::optional(ProgramForm::Json) : std::nullopt;
}

bool areGraphs(const std::string& prefix)
{
    return isInputFile(prefix + ".0.et") || isInputFile(prefix + ".0.et.gz") || isInputFile(prefix + ".0.json");
}

} // namespace fabricscope
