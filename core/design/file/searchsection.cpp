// search: what `plan search` tries.
#include "core/design/file/searchsection.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostDegree = std::int64_t{1} << 20;

/// Words of a list, each once. Absent: as the member is already.
template <class Config, class Value, std::size_t count>
SectionField<Config> wordListField(const char* key, std::vector<Value> Config::* member, const KeyTable<Value, count>& table, const char* text)
{
    return {key, text,
            [key, member, &table](const MapReader& map, Config& config) {
                if (!map.has(key))
                    return;
                std::vector<std::string_view> words;
                for (const auto& [word, value] : table)
                    words.push_back(word);
                std::vector<Value>& values = config.*member;
                values.clear();
                const auto items = map.list(key);
                for (const auto& [item, field] : items) {
                    if (map.context().watch)
                        map.context().watch->words(*item, field, words);
                    const auto given = readText(map.context(), *item, field);
                    const std::optional<Value> value = given ? valueOf(table, *given) : std::nullopt;
                    if (given && !value)
                        map.context().error(*item, field, "unknown value \"" + *given + "\"", "one of " + nearestOf(*given, words));
                    else if (value && std::find(values.begin(), values.end(), *value) != values.end())
                        map.context().error(*item, field, "\"" + *given + "\" stands here twice", "each once");
                    else if (value)
                        values.push_back(*value);
                }
                if (items.empty() && map.map().find(key)->value.isSequence())
                    map.error(key, "the list is empty", "words, or no such list");
            },
            [key, member, &table](MapBuilder& map, const Config& config, const Writing&) {
                YamlNode list = YamlNode::sequence();
                for (const Value value : config.*member)
                    list.items.push_back(YamlNode::scalar(std::string(keyOf(table, value))));
                map.addFilled(key, std::move(list));
            },
            [](const Config&, const auto&) {}, {}};
}

SectionField<FixedPlan> degreeField(const char* key, std::optional<std::int64_t> FixedPlan::* member, const char* text)
{
    return givenField(key, member, text, [](const MapReader& map, const char* of) { return map.integer(of, 1, kMostDegree); }, [](std::int64_t value) { return std::to_string(value); });
}

SectionField<FixedPlan> axesField(const char* key, std::vector<std::string> FixedPlan::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, FixedPlan& plan) {
                for (const auto& [item, field] : map.list(key))
                    (plan.*member).push_back(readText(map.context(), *item, field).value_or(""));
            },
            [key, member](MapBuilder& map, const FixedPlan& plan, const Writing&) {
                YamlNode list = YamlNode::sequence();
                for (const std::string& axis : plan.*member)
                    list.items.push_back(YamlNode::scalar(axis));
                map.addFilled(key, std::move(list));
            },
            [](const FixedPlan&, const auto&) {}, {}};
}

} // namespace

const SectionFields<FixedPlan>& fixedPlanFields()
{
    using Config = FixedPlan;
    static const SectionFields<Config> fields{
        degreeField("tensor", &Config::tensor, "ranks that share the matrices of a layer"),
        degreeField("pipeline", &Config::pipeline, "ranks that share the layers"),
        degreeField("data", &Config::data, "ranks that share the batch"),
        degreeField("expert", &Config::expert, "of these, ranks that share the experts"),
        degreeField("context", &Config::context, "ranks that share a sequence"),
        degreeField("micro_batch", &Config::microBatch, "sequences that go through at once"),
        degreeField("npus", &Config::npus, "of the machine, the first so many"),
        givenWhole("zero", &Config::zero, 0, 3, "ZeRO stage"),
        givenWord("recompute", &Config::recompute, kRecomputes, "as in the plan"),
        givenWord("schedule", &Config::schedule, kPipelineSchedules, "of the pipeline"),
        axesField("mesh_order", &Config::meshOrder, "axes, the slowest first"),
    };
    return fields;
}

const SectionFields<PlanSearchSpec>& planSearchFields()
{
    using Config = PlanSearchSpec;
    static const SectionFields<Config> fields{
        wordListField("vary", &Config::vary, kPlanVariables, "may differ from the plan; absent: all of these; also npus: parts of the machine"),
        partField("fixed", &Config::fixed, fixedPlanFields, "given instead of tried"),
        wordListField("objective", &Config::objectives, kPlanObjectives, "also tokens_per_npu, memory, npus, cost, energy; the first ranks"),
        wholeField("top", &Config::top, 1, kMostTopPlans, "plans that are listed and simulated"),
    };
    return fields;
}

bool PlanSearchSpec::varies(PlanVariable variable) const
{
    return (vary.empty() && variable != PlanVariable::Npus) || std::find(vary.begin(), vary.end(), variable) != vary.end();
}

void readSearchSection(DesignReading& reading, const YamlNode& node)
{
    PlanSearchSpec checked;
    readFields(reading.fields, node, "search", planSearchFields(), checked);
}

Result<PlanSearchSpec> readPlanSearch(const YamlDocument& document)
{
    PlanSearchSpec spec;
    const YamlNode* node = document.find("search");
    if (!node)
        return spec;
    FieldContext context(document);
    readFields(context, *node, "search", planSearchFields(), spec);
    if (context.firstError())
        return *context.firstError();
    return spec;
}

} // namespace fabricscope
