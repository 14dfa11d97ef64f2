#include "core/design/edits/fabricedits.h"

#include "core/design/edits/textsplices.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/sectionfields.h"
#include "core/platform/fabric/parseline.h"
#include "core/platform/fabric/platformof.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

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

std::vector<std::string> wordsIn(const std::string& text)
{
    constexpr const char* blanks = " \t\r\n";
    std::vector<std::string> words;
    for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(blanks, end);
    }
    return words;
}

std::string join(const std::vector<std::string>& parts, std::string_view by)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : std::string(by)) + part;
    return text;
}

/// A line at those slashes that the parser cuts it at, not those of rates.
std::vector<std::string> partsOfLine(const std::string& line)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t slash = line.find('/'); slash != std::string::npos; slash = line.find('/', slash + 1)) {
        const std::size_t before = slash > 0 ? slash - 1 : 0;
        if (!isFabricLine(line.substr(before, std::min(slash + 3, line.find('/', slash + 1)) - before)))
            continue;
        parts.push_back(join(wordsIn(line.substr(begin, slash - begin)), " "));
        begin = slash + 1;
    }
    parts.push_back(join(wordsIn(line.substr(begin)), " "));
    return parts;
}

bool isDigits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

bool isTimes(const std::string& token) { return token.size() > 1 && token.front() == 'x' && isDigits(std::string_view(token).substr(1)); }

bool isRatio(const std::string& token)
{
    const std::size_t colon = token.find(':');
    return colon != std::string::npos && isDigits(std::string_view(token).substr(0, colon)) && isDigits(std::string_view(token).substr(colon + 1));
}

/// The words of a part of a line, one of which is exchanged, or comes last; behind how many of it there are nothing may stand.
std::string exchanged(const std::string& part, bool (*is)(const std::string&), const std::string& by)
{
    std::vector<std::string> words = wordsIn(part);
    const auto found = std::ranges::find_if(words, is);
    if (found != words.end())
        *found = by;
    else
        words.insert(words.end() - (isTimes(words.back()) ? 1 : 0), by);
    return join(words, " ");
}

/// The machine that a blueprint describes, which stands in a text as a platform does; null: none has this name.
std::shared_ptr<const PlatformSpec> blueprintOf(const YamlDocument& yaml, const std::string& name)
{
    for (YamlNode item : itemsAt(yaml, {"platform", "blueprints"})) {
        if (textOf(item, "name") != name)
            continue;
        std::erase_if(item.entries, [](const YamlEntry& entry) { return entry.key == "name"; });
        const Result<YamlDocument> alone = YamlDocument::parse("platform: " + renderYaml(item, true));
        const auto read = alone ? inspectDesign(alone.value()).design.platform : nullptr;
        if (!read)
            return nullptr;
        auto spec = std::make_shared<PlatformSpec>(*read);
        spec->name.clear();
        spec->source.clear();
        spec->generated = {};
        return spec;
    }
    return nullptr;
}

/// What a text says as a form, without its cables and the rest of the design.
Result<FabricForm> formOf(const YamlDocument& yaml)
{
    if (const YamlNode* line = lineNode(yaml))
        return parseFabricForm(line->text);
    if (!listedLevels(yaml))
        return notLevels(yaml);
    FieldContext context(yaml);
    FabricForm form;
    readFields(context, *yaml.find("platform.fabric"), "platform.fabric", fabricFormFields(), form);
    if (context.hasErrors())
        return *context.firstError();
    // A level says how many it joins; the form, how many of each the next one joins.
    form.times = form.joins.front().times;
    for (std::size_t i = 0; i < form.joins.size(); ++i)
        form.joins[i].times = i + 1 < form.joins.size() ? form.joins[i + 1].times : 0;
    form.blueprint = blueprintOf(yaml, form.part);
    return form;
}

/// The fabric a text says; errors as its own.
Result<Fabric> fabricOf(const YamlDocument& yaml)
{
    const YamlNode* line = lineNode(yaml);
    const Result<FabricForm> form = formOf(yaml);
    if (!form)
        return form.error();
    Result<Fabric> fabric = line ? fabricOfLine(line->text) : fabricOfForm(form.value());
    if (fabric && fabric.value().cableCount() > kMaxPlatformCables)
        return invalidInput("a fabric of " + std::to_string(fabric.value().cableCount()) + " cables", yaml.place(yaml.root(), "platform"), "at most " + std::to_string(kMaxPlatformCables));
    if (fabric || line)
        return fabric;
    Error error = std::move(fabric).error();
    const bool inFabric = error.place.field == "of" || error.place.field.starts_with("levels[");
    const std::string field = "platform.fabric" + (inFabric ? '.' + error.place.field : std::string());
    const YamlNode* node = yaml.find(field);
    error.place = yaml.place(node ? *node : *yaml.find("platform.fabric"), field);
    return error;
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
    std::vector<std::string> parts = partsOfLine(line);
    if (parts.size() < 2 || std::ranges::find(parts, std::string()) != parts.end() || !change(parts))
        return notLevels(yaml);
    YamlDocument edited = yaml;
    // As it was written, with blanks or without.
    if (Status status = edited.set("platform.topology", join(parts, line.find(" /") == std::string::npos ? "/" : " / ")); !status)
        return status;
    return taken(yaml, std::move(edited));
}

std::string numbersText(const std::vector<std::int64_t>& numbers)
{
    std::string text;
    for (const std::int64_t number : numbers)
        text += (text.empty() ? " " : ",") + std::to_string(number);
    return text;
}

/// The word of a level in a line: its name where that is one, as "leaf" and "core" are.
std::string wordOf(const FabricJoin& join, std::size_t level)
{
    if (join.word == "switch")
        return join.name.empty() || join.name == "switch" ? "leaf" : join.name;
    if (join.word == "clos" && level > 0)
        return join.name.empty() ? level == 1 ? "spine" : "core" : join.name;
    return join.word;
}

std::string lineOf(const FabricForm& form)
{
    std::string line = form.part + (form.times > 0 ? " x" + std::to_string(form.times) : std::string());
    for (std::size_t i = 0; i < form.joins.size(); ++i) {
        const FabricJoin& join = form.joins[i];
        line += " / " + wordOf(join, i);
        for (const std::vector<std::int64_t>& numbers : join.numbers)
            line += numbersText(numbers);
        for (const auto& [key, numbers] : join.keyed)
            line += ' ' + key + numbersText(numbers);
        line += join.radix > 0 ? ' ' + std::to_string(join.radix) + 'p' : std::string();
        for (const std::optional<Quantity>& figure : {join.bandwidth, join.latency})
            line += figure ? ' ' + figure->text() : std::string();
        line += join.crossbar ? " crossbar " + join.crossbar->text() : std::string();
        line += join.ratio ? ' ' + std::to_string(join.ratio->down) + ':' + std::to_string(join.ratio->up) : std::string();
        line += join.times > 0 ? " x" + std::to_string(join.times) : std::string();
    }
    return line;
}

/// What decides about a fabric: without names of switches and lengths of cables.
FabricForm bareForm(FabricForm form)
{
    form = normalForm(std::move(form));
    for (FabricJoin& join : form.joins) {
        join.name.clear();
        join.cable.clear();
    }
    return form;
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
    const Result<FabricForm> form = formOf(yaml);
    const Result<Fabric> fabric = form ? fabricOfForm(form.value()) : form.error();
    return fabric ? fabricLevels(form.value(), fabric.value()) : std::nullopt;
}

std::optional<std::string> fabricLine(const YamlDocument& yaml)
{
    if (const YamlNode* line = lineNode(yaml))
        return line->text;
    const Result<FabricForm> form = formOf(yaml);
    const Result<Fabric> fabric = form ? fabricOfForm(form.value()) : form.error();
    if (!fabric)
        return std::nullopt;
    std::string line = lineOf(form.value());
    const Result<FabricForm> back = parseFabricForm(line);
    const Result<Fabric> same = back ? fabricOfForm(back.value()) : back.error();
    if (!same || !(bareForm(back.value()) == bareForm(form.value())) || !std::ranges::equal(fabric.value().tiers(), same.value().tiers(), {}, &FabricTier::name, &FabricTier::name))
        return std::nullopt;
    return line;
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
            std::vector<std::string> tokens = wordsIn(parts[level + 2]);
            for (const char* said : {"up", "switches"}) { // What a ratio takes the place of.
                const auto found = std::ranges::find(tokens, said);
                if (found != tokens.end())
                    tokens.erase(found, found + std::min<std::ptrdiff_t>(2, tokens.end() - found));
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

Status setLevelPart(YamlDocument& yaml, const std::string& part)
{
    if (const YamlNode* line = lineNode(yaml)) {
        return changeLine(yaml, line->text, [&](std::vector<std::string>& parts) {
            const std::vector<std::string> words = wordsIn(parts.front());
            parts.front() = words.size() > 1 && isTimes(words.back()) ? part + ' ' + words.back() : part;
            return true;
        });
    }
    if (!listedLevels(yaml))
        return notLevels(yaml);
    YamlDocument edited = yaml;
    if (Status status = edited.set("platform.fabric.of", part); !status)
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
    item.add("join", YamlNode::scalar("clos"));
    item.add("count", YamlNode::scalar("2"));
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
            std::vector<std::string> tokens = wordsIn(parts.back());
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
