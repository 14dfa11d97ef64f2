// search: what `plan search` tries.
#include "core/design/file/searchwords.h"

#include "core/design/file/sectionfields.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostDegree = std::int64_t{1} << 20;

/// Words of a list, each once.
template <class Value, std::size_t count>
std::vector<Value> wordsOf(const MapReader& map, std::string_view key, const KeyTable<Value, count>& table)
{
    std::vector<Value> values;
    for (const auto& [item, field] : map.list(key)) {
        const auto text = readText(map.context(), *item, field);
        if (!text)
            continue;
        const std::optional<Value> value = valueOf(table, *text);
        std::vector<std::string_view> words;
        for (const auto& [word, one] : table)
            words.push_back(word);
        if (!value)
            map.context().error(*item, field, "unknown value \"" + *text + "\"", "one of " + nearestOf(*text, words));
        else if (std::find(values.begin(), values.end(), *value) != values.end())
            map.context().error(*item, field, "\"" + *text + "\" stands here twice", "each once");
        else
            values.push_back(*value);
    }
    return values;
}

template <class Value, std::size_t count>
std::optional<Value> wordOf(const MapReader& map, std::string_view key, const KeyTable<Value, count>& table)
{
    return map.choice<Value>(key, {table.begin(), table.end()});
}

void readFixed(const MapReader& search, FixedPlan& fixed)
{
    const YamlNode* node = search.node("fixed");
    if (!node)
        return;
    std::vector<std::string_view> keys;
    for (const auto& [word, variable] : kPlanVariables)
        keys.push_back(word);
    const MapReader map(search.context(), *node, search.field("fixed"), keys);
    fixed.tensor = map.integer("tensor", 1, kMostDegree);
    fixed.pipeline = map.integer("pipeline", 1, kMostDegree);
    fixed.data = map.integer("data", 1, kMostDegree);
    fixed.expert = map.integer("expert", 1, kMostDegree);
    fixed.context = map.integer("context", 1, kMostDegree);
    fixed.microBatch = map.integer("micro_batch", 1, kMostDegree);
    fixed.zero = map.integer32("zero", 0, 3);
    fixed.recompute = wordOf(map, "recompute", kRecomputes);
    fixed.schedule = wordOf(map, "schedule", kPipelineSchedules);
    for (const auto& [item, field] : map.list("mesh_order"))
        fixed.meshOrder.push_back(readText(map.context(), *item, field).value_or(""));
}

PlanSearchSpec readSearch(FieldContext& context, const YamlNode& node)
{
    const MapReader map(context, node, "search", {"vary", "fixed", "objective", "top"});
    PlanSearchSpec spec;
    spec.vary = wordsOf(map, "vary", kPlanVariables);
    if (map.has("vary") && spec.vary.empty() && !context.hasErrors())
        map.error("vary", "nothing is varied", "a list of what to try, or no `vary` to try everything");
    readFixed(map, spec.fixed);
    if (map.has("objective"))
        spec.objectives = wordsOf(map, "objective", kPlanObjectives);
    if (spec.objectives.empty())
        spec.objectives = {PlanObjective::StepTime};
    if (const auto top = map.integer("top", 1, kMostTopPlans))
        spec.top = *top;
    return spec;
}

} // namespace

bool PlanSearchSpec::varies(PlanVariable variable) const
{
    return vary.empty() || std::find(vary.begin(), vary.end(), variable) != vary.end();
}

void readSearchSection(DesignReading& reading, const YamlNode& node)
{
    readSearch(reading.fields, node);
}

Result<PlanSearchSpec> readPlanSearch(const YamlDocument& document)
{
    const YamlNode* node = document.find("search");
    if (!node)
        return PlanSearchSpec{};
    FieldContext context(document);
    PlanSearchSpec spec = readSearch(context, *node);
    if (context.firstError())
        return *context.firstError();
    return spec;
}

} // namespace fabricscope
