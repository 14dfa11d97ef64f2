#include "core/design/edits/fabricedits.h"

#include "core/base/index.h"
#include "core/design/file/readdesign.h"
#include "core/platform/fabric/parseline.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

constexpr std::string_view kBetween = " / ";

const YamlNode* lineNode(const YamlDocument& yaml)
{
    const YamlNode* node = yaml.find("platform.topology");
    return node && node->isScalar() ? node : nullptr;
}

const YamlNode* listedLevels(const YamlDocument& yaml)
{
    const YamlNode* node = yaml.find("platform.fabric.levels");
    return node && node->isSequence() && !node->items.empty() ? node : nullptr;
}

Error notLevels(const YamlDocument& yaml)
{
    return {ErrorCode::Unsupported, "this fabric is not written as levels; change it as text", yaml.place(yaml.root(), "platform"), {}};
}

std::vector<std::string> split(const std::string& text, std::string_view by)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = text.find(by); end != std::string::npos; end = text.find(by, begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + by.size();
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view by)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : std::string(by)) + part;
    return text;
}

bool isDigits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

bool isTimes(const std::string& token) { return token.size() > 1 && token.front() == 'x' && isDigits(std::string_view(token).substr(1)); }

bool isRatio(const std::string& token)
{
    const std::size_t colon = token.find(':');
    return colon != std::string::npos && isDigits(std::string_view(token).substr(0, colon)) && isDigits(std::string_view(token).substr(colon + 1));
}

/// The words of a part of a line, one of which is exchanged, or comes last.
std::string exchanged(const std::string& part, bool (*is)(const std::string&), const std::string& by)
{
    std::vector<std::string> tokens = split(part, " ");
    const auto found = std::ranges::find_if(tokens, is);
    if (found != tokens.end())
        *found = by;
    else
        tokens.push_back(by);
    return join(tokens, " ");
}

/// The fabric a text says; errors as its own.
Result<Fabric> fabricOf(const YamlDocument& yaml)
{
    if (const YamlNode* line = lineNode(yaml))
        return fabricOfLine(line->text);
    const LoadedDesign read = inspectDesign(yaml);
    if (!read.design.platform || !read.design.platform->generated.form) {
        for (const Diagnostic& found : read.diagnostics) {
            if (found.severity == Severity::Error)
                return toError(found);
        }
        return notLevels(yaml);
    }
    return fabricOfForm(*read.design.platform->generated.form);
}

/// Takes the change where what it makes is a fabric.
Status taken(YamlDocument& yaml, YamlDocument edited)
{
    if (const Result<Fabric> fabric = fabricOf(edited); !fabric)
        return fabric.error();
    yaml = std::move(edited);
    return {};
}

/// Changes the parts of a line: the part, then the levels from below.
Status changeLine(YamlDocument& yaml, const std::string& line, const std::function<bool(std::vector<std::string>&)>& change)
{
    std::vector<std::string> parts = split(line, kBetween);
    if (parts.size() < 2 || !change(parts))
        return notLevels(yaml);
    YamlDocument edited = yaml;
    if (Status status = edited.set("platform.topology", join(parts, kBetween)); !status)
        return status;
    return taken(yaml, std::move(edited));
}

std::string levelPath(std::size_t level, const char* key)
{
    return "platform.fabric.levels[" + std::to_string(level) + "]." + key;
}

} // namespace

std::optional<FabricLevels> fabricLevels(const FabricForm& form, const Fabric& fabric)
{
    FabricLevels out;
    out.part = form.part;
    out.npus = fabric.npus();
    const std::int64_t each = fabric.spec().host ? fabric.spec().host->npus : 1;
    out.parts = out.npus / each;
    const bool hostTier = fabric.spec().host && fabric.spec().host->switches > 0;
    const auto tiers = fabric.tiers().subspan(hostTier ? 1 : 0);
    if (tiers.size() != form.joins.size())
        return std::nullopt;
    for (std::size_t i = 0; i < tiers.size(); ++i) {
        if (!form.joins[i].numbers.empty())
            return std::nullopt; // A family, whose numbers are its own.
        FabricLevels::Level level{tiers[i].name, tiers[i].count, tiers[i].ports - tiers[i].up, tiers[i].up, fabric.radix(tiers[i])};
        level.count = i == 0 ? form.times : form.joins[i - 1].times;
        out.levels.push_back(std::move(level));
    }
    if (out.levels.empty())
        return std::nullopt;
    std::int64_t above = 1;
    for (std::size_t i = 1; i < out.levels.size(); ++i) {
        out.levels[i].count = std::max<std::int64_t>(out.levels[i].count, 1);
        above *= out.levels[i].count;
    }
    if (out.levels.front().count == 0)
        out.levels.front().count = std::max<std::int64_t>(out.parts / above, 1);
    return out;
}

std::optional<FabricLevels> fabricLevels(const YamlDocument& yaml)
{
    const YamlNode* line = lineNode(yaml);
    if (!line && !listedLevels(yaml))
        return std::nullopt;
    if (line) {
        const Result<FabricForm> form = parseFabricForm(line->text);
        const Result<Fabric> fabric = form ? fabricOfForm(form.value()) : form.error();
        return fabric ? fabricLevels(form.value(), fabric.value()) : std::nullopt;
    }
    const LoadedDesign read = inspectDesign(yaml);
    if (!read.design.platform || !read.design.platform->generated.form)
        return std::nullopt;
    const FabricForm& form = *read.design.platform->generated.form;
    const Result<Fabric> fabric = fabricOfForm(form);
    return fabric ? fabricLevels(form, fabric.value()) : std::nullopt;
}

namespace edits {

Status setLevelCount(YamlDocument& yaml, std::size_t level, std::int64_t count)
{
    if (const YamlNode* line = lineNode(yaml)) {
        return changeLine(yaml, line->text, [&](std::vector<std::string>& parts) {
            if (level + 1 >= parts.size())
                return false;
            parts[level] = exchanged(parts[level], isTimes, "x" + std::to_string(count));
            return true;
        });
    }
    const YamlNode* levels = listedLevels(yaml);
    if (!levels || level >= levels->items.size())
        return notLevels(yaml);
    YamlDocument edited = yaml;
    if (Status status = edited.set(levelPath(level, "count"), std::to_string(count)); !status)
        return status;
    return taken(yaml, std::move(edited));
}

Status setOversubscription(YamlDocument& yaml, std::size_t level, Ratio ratio)
{
    const std::string text = std::to_string(ratio.down) + ':' + std::to_string(ratio.up);
    if (const YamlNode* line = lineNode(yaml)) {
        return changeLine(yaml, line->text, [&](std::vector<std::string>& parts) {
            if (level + 2 >= parts.size())
                return false;
            std::vector<std::string> tokens = split(parts[level + 2], " ");
            for (const char* said : {"up", "switches"}) { // What a ratio takes the place of.
                const auto found = std::ranges::find(tokens, said);
                if (found != tokens.end())
                    tokens.erase(found, std::min(tokens.end(), found + 2));
            }
            parts[level + 2] = exchanged(join(tokens, " "), isRatio, text);
            return true;
        });
    }
    const YamlNode* levels = listedLevels(yaml);
    if (!levels || level + 1 >= levels->items.size())
        return notLevels(yaml);
    YamlDocument edited = yaml;
    for (const char* said : {"up", "switches"}) {
        const std::string path = levelPath(level + 1, said);
        if (!edited.find(path))
            continue;
        if (Status status = edited.remove(path); !status)
            return status;
    }
    YamlNode value = YamlNode::scalar(text);
    value.quoted = true;
    if (Status status = edited.set(levelPath(level + 1, "oversubscription"), value); !status)
        return status;
    return taken(yaml, std::move(edited));
}

Status addLevel(YamlDocument& yaml)
{
    if (const YamlNode* line = lineNode(yaml)) {
        return changeLine(yaml, line->text, [&](std::vector<std::string>& parts) {
            parts.back() = exchanged(parts.back(), isTimes, "x2");
            parts.emplace_back(parts.size() == 2 ? "spine" : "core");
            return true;
        });
    }
    const YamlNode* levels = listedLevels(yaml);
    if (!levels)
        return notLevels(yaml);
    YamlNode item = YamlNode::map();
    item.flow = true;
    for (const auto& [key, value] : {std::pair{"join", "clos"}, {"count", "2"}}) {
        YamlEntry entry;
        entry.key = key;
        entry.value = YamlNode::scalar(value);
        item.entries.push_back(std::move(entry));
    }
    YamlDocument edited = yaml;
    if (Status status = edited.insert("platform.fabric.levels[" + std::to_string(levels->items.size()) + "]", item); !status)
        return status;
    return taken(yaml, std::move(edited));
}

Status removeLevel(YamlDocument& yaml)
{
    if (const YamlNode* line = lineNode(yaml)) {
        return changeLine(yaml, line->text, [&](std::vector<std::string>& parts) {
            if (parts.size() < 3)
                return false;
            parts.pop_back();
            std::vector<std::string> tokens = split(parts.back(), " ");
            std::erase_if(tokens, isTimes); // Nothing joins them any more.
            parts.back() = join(tokens, " ");
            return true;
        });
    }
    const YamlNode* levels = listedLevels(yaml);
    if (!levels || levels->items.size() < 2)
        return notLevels(yaml);
    YamlDocument edited = yaml;
    if (Status status = edited.remove("platform.fabric.levels[" + std::to_string(levels->items.size() - 1) + "]"); !status)
        return status;
    return taken(yaml, std::move(edited));
}

} // namespace edits

} // namespace fabricscope
