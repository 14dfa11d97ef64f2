// platform.fabric: generated fabrics, described level by level.
#include "core/design/file/fabricsection.h"

#include "core/base/nearestword.h"
#include "core/base/showntext.h"
#include "core/design/file/sectionfields.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/fabric/family.h"
#include "core/platform/fabric/linetokens.h"
#include "core/platform/valueranges.h"

#include <algorithm>
#include <cstdlib>

namespace fabricscope {

namespace {

constexpr std::size_t kMostLevels = 32;
constexpr std::size_t kMostNumbers = 64;

/// Numbers with a key: those of levels above others, then all of families.
struct NumberKey {
    std::string key;
    std::string text;
    bool list = false;
};

const std::vector<NumberKey>& numberKeys()
{
    static const std::vector<NumberKey> keys = [] {
        std::vector<NumberKey> out{{"up", "cables up from each switch below, in place of an oversubscription"},
                                   {"switches", "how many; usual: as many as the cables up need"},
                                   {"separate", "1: every rail has spines of its own; above rails"}};
        for (const FabricFamily* const family : fabricFamilies()) {
            for (const FamilyKey& key : family->keys) {
                const auto known = std::find_if(out.begin(), out.end(), [&](const NumberKey& one) { return one.key == key.name; });
                if (known == out.end())
                    out.push_back({std::string(key.name), {}, key.list});
                else
                    known->list = known->list || key.list;
            }
        }
        return out;
    }();
    return keys;
}

void readNumbers(const MapReader& map, const NumberKey& key, FabricJoin& join)
{
    if (!map.has(key.key))
        return;
    const YamlNode* const node = map.node(key.key);
    std::vector<std::int64_t> numbers;
    if (node && key.list && node->isSequence()) {
        if (node->items.empty() || node->items.size() > kMostNumbers)
            return map.error(key.key, std::to_string(node->items.size()) + " numbers", "1 to 64 numbers such as [4, 4]");
        for (const auto& [item, field] : map.list(key.key))
            numbers.push_back(readInteger(map.context(), *item, field, 0, INT64_MAX).value_or(0));
    } else if (const auto number = map.integer(key.key, 0, INT64_MAX)) {
        numbers.push_back(*number);
    }
    if (!numbers.empty())
        join.keyed.emplace_back(key.key, std::move(numbers));
}

void writeNumbers(MapBuilder& map, const NumberKey& key, const FabricJoin& join)
{
    for (const auto& [word, numbers] : join.keyed) {
        if (word != key.key)
            continue;
        if (numbers.size() == 1) {
            map.add(key.key, numbers.front());
            continue;
        }
        YamlNode list = YamlNode::sequence();
        for (const std::int64_t number : numbers)
            list.items.push_back(YamlNode::scalar(std::to_string(number)));
        map.add(key.key, std::move(list));
    }
}

/// A text that stands as it is; `accepts` says what is wrong with one.
SectionField<FabricJoin> wordsField(const char* key, std::string FabricJoin::* member, const char* text, const char* (*wrong)(const std::string&), const char* expected)
{
    return {key, text,
            [key, member, wrong, expected](const MapReader& map, FabricJoin& join) {
                join.*member = map.text(key).value_or("");
                if (const char* const why = map.has(key) ? wrong(join.*member) : nullptr)
                    map.error(key, quotedText(join.*member) + why, expected);
            },
            [key, member](MapBuilder& map, const FabricJoin& join, const Writing&) {
                if (!(join.*member).empty())
                    map.add(key, join.*member);
            },
            [](const FabricJoin&, const auto&) {}, {}};
}

/// "5 m": what people order.
const char* wrongLength(const std::string& text)
{
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const auto number = digits == std::string::npos || digits == 0 || digits > 9 ? 0.0 : std::strtod(text.substr(0, digits).c_str(), nullptr);
    return number > 0 && text.substr(digits) == " m" ? nullptr : " is not a length";
}

/// Names of switches are parts of the names of nodes.
const char* wrongName(const std::string& text)
{
    const bool usable = !text.empty() && text.size() <= 64 && text.find_first_of(".>#<* \t\n") == std::string::npos;
    return usable ? nullptr : " is not the name of a level";
}

const char* anyWord(const std::string&) { return nullptr; }

SectionField<FabricJoin> countField(const char* key, std::int64_t FabricJoin::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, FabricJoin& join) { join.*member = map.integer(key, 1, kMaxNpus).value_or(0); },
            [key, member](MapBuilder& map, const FabricJoin& join, const Writing&) {
                if (join.*member > 0)
                    map.add(key, join.*member);
            },
            [](const FabricJoin&, const auto&) {}, {}};
}

/// A rate or a latency of the kind of cables `figures` finds.
SectionField<FabricJoin> figureField(const char* key, Measure measure, Meaning meaning, const char* text, std::function<std::optional<Quantity>*(FabricJoin&, bool make)> figures)
{
    return {key, text,
            [key, measure, meaning, figures](const MapReader& map, FabricJoin& join) {
                std::optional<Quantity> given = map.quantity(key, measure);
                if (!given)
                    return;
                if (const Status status = checkValue(*given, meaning, map.field(key)); !status)
                    return map.error(key, status.error().message, status.error().expected);
                *figures(join, true) = std::move(given);
            },
            [key, figures](MapBuilder& map, const FabricJoin& join, const Writing&) {
                FabricJoin copy = join;
                if (const std::optional<Quantity>* const given = figures(copy, false))
                    map.add(key, *given);
            },
            [](const FabricJoin&, const auto&) {}, {}};
}

SectionFields<FabricJoin> cableFields(std::optional<CableFigures> FabricJoin::* member)
{
    const auto of = [member](std::optional<Quantity> CableFigures::* figure) {
        return [member, figure](FabricJoin& join, bool make) -> std::optional<Quantity>* {
            std::optional<CableFigures>& cables = join.*member;
            if (make && !cables)
                cables.emplace();
            return cables ? &((*cables).*figure) : nullptr;
        };
    };
    return {figureField("bandwidth", Measure::Bandwidth, Meaning::Rate, "", of(&CableFigures::bandwidth)), figureField("latency", Measure::Time, Meaning::Latency, "", of(&CableFigures::latency))};
}

SectionField<FabricJoin> ratioField()
{
    return {"oversubscription", "cables down to cables up of each switch below, \"2:1\"",
            [](const MapReader& map, FabricJoin& join) {
                const auto text = map.text("oversubscription");
                if (!text)
                    return;
                join.ratio = parseRatio(*text);
                if (!join.ratio)
                    map.error("oversubscription", quotedText(*text) + " is no oversubscription", "\"a:b\", cables down to cables up, such as \"2:1\"; 1 to 1024 each");
            },
            [](MapBuilder& map, const FabricJoin& join, const Writing&) {
                if (join.ratio)
                    map.add("oversubscription", std::to_string(join.ratio->down) + ':' + std::to_string(join.ratio->up));
            },
            [](const FabricJoin&, const auto&) {}, {}};
}

/// Where an error of the generator belongs in the file.
void reportFabric(DesignReading& reading, const YamlNode& fabric, const FabricForm& form, const Error& error)
{
    if (error.code == ErrorCode::Cancelled)
        return reading.report(fabric, "platform.fabric", error);
    const std::string path = "platform.fabric";
    const std::string& field = error.place.field;
    const YamlEntry* const levels = fabric.find("levels");
    std::size_t level = 0;
    std::string key;
    if (field == "of") {
        const YamlEntry* const of = fabric.find("of");
        return reading.fields.error(of ? of->value : fabric, path + ".of", error.message, error.expected);
    }
    std::string message = error.message;
    if (field.starts_with("levels[")) {
        level = static_cast<std::size_t>(std::strtoull(field.c_str() + 7, nullptr, 10));
        key = field.substr(std::min(field.find("].") + 2, field.size()));
    } else if (const std::size_t dot = field.find('.'); dot != std::string::npos) {
        // A key of a family; of one that levels made, no key of the file.
        const bool own = form.joins.size() == 1 && form.joins.front().word == field.substr(0, dot);
        key = own ? field.substr(dot + 1) : std::string();
        message = own ? message : field + ": " + message;
    }
    const std::string place = path + ".levels[" + std::to_string(level) + ']';
    if (!levels || level >= levels->value.items.size())
        return reading.fields.error(fabric, path, message, error.expected);
    const YamlNode& node = levels->value.items[level];
    const YamlEntry* const entry = node.isMap() && !key.empty() ? node.find(key) : nullptr;
    const std::string expected = key == "count" && !entry ? "count: how many of them" : error.expected; // Lines say "xN".
    reading.fields.error(entry ? entry->value : node, place + (key.empty() ? std::string() : '.' + key), std::move(message), expected);
}

/// From below; every level as it says of itself.
void readLevelList(const MapReader& map, FabricForm& form)
{
    FieldContext& context = map.context();
    const auto list = map.list("levels");
    if (map.has("levels") && (list.empty() || list.size() > kMostLevels))
        map.error("levels", std::to_string(list.size()) + " levels", "1 to " + std::to_string(kMostLevels) + " levels, from below");
    if (context.hasErrors())
        return;
    for (const auto& [item, field] : list) {
        const MapReader level(context, *item, field, keysOf(fabricLevelFields()));
        level.required("join");
        if (!context.hasErrors())
            readFields(level, fabricLevelFields(), form.joins.emplace_back());
    }
}

} // namespace

const SectionFields<FabricForm>& fabricFormFields()
{
    static const SectionFields<FabricForm> fields{
        required(saidText("of", &FabricForm::part, "npu, a preset, a topology in one line, or the name of a blueprint")),
        required(SectionField<FabricForm>{"levels", "", readLevelList,
                                          [](MapBuilder& map, const FabricForm& form, const Writing&) { map.add("levels", listTree(fabricLevelFields(), form.joins)); },
                                          [](const FabricForm&, const auto&) {}, {}}),
    };
    return fields;
}

const SectionFields<FabricJoin>& fabricLevelFields()
{
    static const SectionFields<FabricJoin> fields = [] {
        const auto own = [](std::optional<Quantity> FabricJoin::* member) { return [member](FabricJoin& join, bool) { return &(join.*member); }; };
        SectionFields<FabricJoin> out{
            wordsField("name", &FabricJoin::name, "of its switches: leaf0, leaf1, ...", wrongName, "a word of at most 64 letters without . > < # *"),
            wordsField("join", &FabricJoin::word, "how it joins what is below: rails, rails_only, switch, clos, or a family with its numbers", anyWord, ""),
            countField("count", &FabricJoin::times, "how many of what is below"),
            countField("radix", &FabricJoin::radix, "ports of a switch"),
            figureField("crossbar", Measure::Bandwidth, Meaning::Rate, "what a switch passes on per second over all its ports; usual: as below, else any number", own(&FabricJoin::crossbar)),
            figureField("bandwidth", Measure::Bandwidth, Meaning::Rate, "of a cable, each way; usual: as below", own(&FabricJoin::bandwidth)),
            figureField("latency", Measure::Time, Meaning::Latency, "of a cable; usual: as below", own(&FabricJoin::latency)),
            wordsField("cable", &FabricJoin::cable, "length, for people: latency says how long it takes", wrongLength, "metres, such as 5 m"),
            ratioField()};
        for (const NumberKey& key : numberKeys()) {
            out.push_back({key.key, key.text, [&key](const MapReader& map, FabricJoin& join) { readNumbers(map, key, join); },
                           [&key](MapBuilder& map, const FabricJoin& join, const Writing&) { writeNumbers(map, key, join); }, [](const FabricJoin&, const auto&) {}, {}});
        }
        out.push_back({"local", "cables inside of groups", {}, {}, {}, cableFields(&FabricJoin::local)});
        out.push_back({"global", "cables between groups", {}, {}, {}, cableFields(&FabricJoin::global)});
        return out;
    }();
    return fields;
}

void readGeneratedFabric(DesignReading& reading, const MapReader& map, const Blueprints& blueprints, PlatformSpec& spec)
{
    const YamlNode* const node = map.node("fabric");
    if (!node)
        return;
    FieldContext& context = reading.fields;
    const MapReader reader(context, *node, "platform.fabric", keysOf(fabricFormFields()));
    if (!node->isMap())
        return;
    FabricForm form;
    readFields(reader, fabricFormFields(), form);
    if (context.hasErrors())
        return;
    // A level says how many it joins; the form, how many of each the next one joins.
    form.times = form.joins.front().times;
    for (std::size_t i = 0; i < form.joins.size(); ++i)
        form.joins[i].times = i + 1 < form.joins.size() ? form.joins[i + 1].times : 0;
    if (const auto found = blueprints.find(form.part); found != blueprints.end())
        form.blueprint = found->second;
    Result<PlatformSpec> written = platformOfForm(form, reading.stop);
    if (!written) {
        Error error = written.error();
        if (error.place.field == "of" && !form.blueprint && !blueprints.empty()) {
            std::vector<std::string_view> names;
            for (const auto& [name, blueprint] : blueprints)
                names.push_back(name);
            if (const std::string near = didYouMean(form.part, names); !near.empty() && error.message.find(", did you mean") == std::string::npos)
                error.message += near;
            error.expected += ", or a blueprint of the platform such as " + quotedText(names.front());
        }
        return reportFabric(reading, *node, form, error);
    }
    spec = std::move(written).value();
}

YamlNode generatedFabricTree(const FabricForm& form)
{
    FabricForm said = form;
    for (std::size_t i = said.joins.size() - 1; i > 0; --i)
        said.joins[i].times = said.joins[i - 1].times;
    said.joins.front().times = said.times;
    return fieldsTree(fabricFormFields(), said);
}

} // namespace fabricscope
