#include "core/base/decimal.h"
#include "core/design/file/programsection.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/formats/astra/systemfile.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxChunks = 1 << 20;
constexpr KeyTable<bool, 2> kOptimizations{{{"baseline", false}, {"localBWAware", true}}};

/// What names programs and algorithms is read together, with the first of its rows; `of`: as it is written.
template <class Config>
SectionFields<Config> programRows(void (*take)(Config&, ProgramFields), ProgramFields (*of)(const Config&))
{
    SectionFields<Config> rows;
    for (const SectionField<ProgramFields>& field : programFields()) {
        rows.push_back({field.key, field.text, [](const MapReader&, Config&) {},
                        [of, write = field.write](MapBuilder& map, const Config& config, const Writing& how) { write(map, of(config), how); }, [](const Config&, const auto&) {}, {}});
    }
    rows.front().read = [take](const MapReader& map, Config& config) { take(config, readProgramFields(map)); };
    return rows;
}

/// The same field, in the form that designs are compared in also where it has its usual value.
template <class Config>
SectionField<Config> saidWhenCompared(SectionField<Config> field, void (*inCanonical)(MapBuilder&, const Config&))
{
    field.write = [write = std::move(field.write), inCanonical](MapBuilder& map, const Config& config, const Writing& how) {
        if (how.form == DesignForm::Canonical)
            inCanonical(map, config);
        else
            write(map, config, how);
    };
    return field;
}

SectionField<CollectiveSetting> defaultChunks()
{
    SectionField<CollectiveSetting> field = saidWhole("chunks", &CollectiveSetting::chunks, 1, kMaxChunks, "parts of a collective that follow each other (of a program usually 1)");
    field.read = [](const MapReader& map, CollectiveSetting& config) {
        config.chunks = map.integer32("chunks", 1, kMaxChunks).value_or(config.program.program.empty() ? config.chunks : 1);
    };
    return field;
}

/// A number or a list of them.
SectionField<CollectiveRule> nodesField()
{
    SectionField<CollectiveRule> field = wholesField("node", &CollectiveRule::nodes, 0, INT64_MAX, "only these collective nodes of a trace");
    field.read = [](const MapReader& map, CollectiveRule& rule) {
        const YamlNode* const numbers = map.node("node");
        if (!numbers)
            return;
        if (!numbers->isSequence()) {
            if (const auto number = map.integer("node", 0, INT64_MAX))
                rule.nodes.push_back(*number);
            return;
        }
        for (const auto& [item, place] : map.list("node")) {
            if (const auto number = readInteger(map.context(), *item, place, 0, INT64_MAX))
                rule.nodes.push_back(*number);
        }
        if (numbers->items.empty())
            map.error("node", "the list is empty", "numbers of collective nodes");
    };
    return field;
}

/// What is read into the terms of a rule, by the row of a field of theirs.
SectionField<CollectiveRule> termField(const char* key, std::optional<Quantity> CollectiveTerms::* member, Measure measure, const char* text)
{
    return {key, text,
            [key, member, measure](const MapReader& map, CollectiveRule& rule) { rule.terms.*member = map.quantity(key, measure); },
            [key, member](MapBuilder& map, const CollectiveRule& rule, const Writing&) { map.add(key, rule.terms.*member); },
            [](const CollectiveRule&, const auto&) {}, {}};
}

SectionField<CollectiveRule> protocolField()
{
    return {"protocol", "of all its messages, as an entry of network.protocols without sizes",
            [](const MapReader& map, CollectiveRule& rule) {
                const YamlNode* const node = map.node("protocol");
                if (!node)
                    return;
                for (const char* key : {"min_size", "max_size", "dimension"}) {
                    if (node->find(key))
                        return map.context().error(*node, map.field("protocol"), "the rule says which collectives this is of", "no " + std::string(key));
                }
                rule.terms.protocol = readProtocol(map.context(), *node, map.field("protocol"));
            },
            [](MapBuilder& map, const CollectiveRule& rule, const Writing& how) {
                if (rule.terms.protocol)
                    map.add("protocol", fieldsTree(protocolFields(), *rule.terms.protocol, how));
            },
            [](const CollectiveRule&, const auto&) {}, {}};
}

void takeRule(CollectiveRule& rule, ProgramFields fields)
{
    if (fields.given)
        rule.algorithms = std::move(fields.algorithms);
    rule.program = std::move(fields.choice);
}

ProgramFields ofRule(const CollectiveRule& rule)
{
    if (rule.algorithms)
        return {true, *rule.algorithms, rule.program};
    ProgramFields slotsAlone;
    slotsAlone.choice.receiveSlots = rule.program.receiveSlots;
    return slotsAlone;
}

void takeSetting(CollectiveSetting& setting, ProgramFields fields)
{
    setting.algorithms = std::move(fields.algorithms);
    setting.program = std::move(fields.choice);
}

ProgramFields ofSetting(const CollectiveSetting& setting)
{
    return {true, setting.algorithms, setting.program};
}

void readSystem(const MapReader& map, DesignReading& reading)
{
    if (!map.has("system"))
        return;
    for (const char* key : {"default", "rules", "active_chunks", "optimization"}) {
        if (map.has(key))
            map.error(key, "the ASTRA-sim system file decides this", "collectives.system without \"" + std::string(key) + "\"");
    }
    const auto path = reading.openable(map, "system");
    if (!path)
        return;
    auto read = loadAstraSystem(*path, reading.fields.diagnostics);
    if (!read)
        return reading.report(*map.node("system"), "collectives.system", read.error());
    AstraSystem system = std::move(read).value();
    system.queuesPerDimension = reading.design.collectives.queuesPerDimension;
    reading.design.astra = std::make_shared<const AstraSystem>(std::move(system));
}

void readScale(const MapReader& map, DesignReading& reading)
{
    if (!map.has("system") && map.has("injection_scale"))
        map.error("injection_scale", "this scales the endpoint delay of an ASTRA-sim system file, and there is none");
    if (!reading.design.astra)
        return;
    constexpr double kMostScale = 1e9; // As the command `astra`.
    AstraSystem system = *reading.design.astra;
    system.injectionScale = map.number("injection_scale", 0).value_or(1);
    if (system.injectionScale > kMostScale)
        map.error("injection_scale", "the factor is out of range", "at most 1e9");
    reading.design.astra = std::make_shared<const AstraSystem>(std::move(system));
}

/// Everything of a system file that decides a result, as text for comparing.
YamlNode astraSystemTree(const AstraSystem& system)
{
    MapBuilder map;
    for (const auto& implementation : system.implementations) {
        YamlNode list = YamlNode::sequence();
        for (const AstraAlgorithm& entry : implementation)
            list.items.push_back(YamlNode::scalar(std::string(entry.one ? "one " : "") + std::string(algorithmKey(entry.algorithm)) + " " + std::to_string(entry.window)));
        map.add("implementation", std::move(list));
    }
    map.add("numbers", wholesTree(std::vector<std::int64_t>{system.splits, system.activeChunks, system.queuesPerDimension, system.endpointDelayNs}));
    map.add("scale", decimal(system.injectionScale)).add("local", decimal(system.localMemoryGBps)).add("peak", decimal(system.peakTflops));
    std::string flags;
    for (const bool flag : {system.localBandwidthAware, system.endpointDelayGiven, system.roofline, system.replayOnly, system.trackLocalMemory, system.rendezvous})
        flags += flag ? '1' : '0';
    return map.add("flags", flags).take();
}

} // namespace

const SectionFields<DesignReading, Design>& systemFields()
{
    static const SectionFields<DesignReading, Design> fields{
        {"system", "", readSystem,
         [](MapBuilder& map, const Design& design, const Writing&) {
             map.add("system", pathInDesign(design, design.astra->file));
             if (design.astra->queuesPerDimension != 1)
                 map.add("queues", design.astra->queuesPerDimension);
         },
         [](const Design&, const auto&) {}, {}},
        {"injection_scale", "factor on its endpoint-delay", readScale,
         [](MapBuilder& map, const Design& design, const Writing&) {
             if (design.astra->injectionScale != 1)
                 map.add("injection_scale", decimal(design.astra->injectionScale));
         },
         [](const Design&, const auto&) {}, {}},
    };
    return fields;
}

const SectionFields<CollectiveSetting>& settingFields()
{
    using Config = CollectiveSetting;
    static const SectionFields<Config> fields = [] {
        SectionFields<Config> rows = programRows<Config>(takeSetting, ofSetting);
        rows.push_back(defaultChunks());
        rows.push_back(saidWhenCompared<Config>(wholeField("window", &Config::window, 0, kMaxChunks, "parts in one phase at a time; 0: all"),
                                           [](MapBuilder& map, const Config& config) { map.add("window", std::int64_t{config.window}); }));
        return rows;
    }();
    return fields;
}

const SectionFields<CollectiveRule>& ruleFields()
{
    using Config = CollectiveRule;
    static const SectionFields<Config> fields = [] {
        SectionFields<Config> rows{
            givenWord("op", &Config::op, kDesignCollectiveKeys, ""),
            saidText("group", &Config::group, ""),
            givenQuantity("min_size", &Config::minSize, Measure::Size, ""),
            givenQuantity("max_size", &Config::maxSize, Measure::Size, ""),
            nodesField(),
            givenWhole("min_ranks", &Config::minRanks, 1, static_cast<std::int32_t>(kMaxNpus), "of the group"),
            givenWhole("max_ranks", &Config::maxRanks, 1, static_cast<std::int32_t>(kMaxNpus), ""),
        };
        for (SectionField<Config>& row : programRows<Config>(takeRule, ofRule))
            rows.push_back(std::move(row));
        rows.push_back(givenWhole("chunks", &Config::chunks, 1, kMaxChunks, ""));
        rows.push_back(givenWhole("window", &Config::window, 0, kMaxChunks, ""));
        rows.push_back(termField("launch", &CollectiveTerms::launch, Measure::Time, "from the issue to the begin, instead of network.launch"));
        rows.push_back(termField("ramp", &CollectiveTerms::ramp, Measure::Time, "as much of it as size / (size + ramp_size) is added to that"));
        rows.push_back(termField("ramp_size", &CollectiveTerms::rampSize, Measure::Size, ""));
        rows.push_back(protocolField());
        return rows;
    }();
    return fields;
}

const SectionFields<CollectiveConfig>& collectivesFields()
{
    using Config = CollectiveConfig;
    static const SectionFields<Config> fields{
        written(partField("default", &Config::defaults, settingFields, ""),
                [](MapBuilder& map, const Config& config, const Writing& how) {
                    if (how.form == DesignForm::Canonical || !(config.defaults == CollectiveSetting{}))
                        map.add("default", fieldsTree(settingFields(), config.defaults, how));
                }),
        listField("rules", &Config::rules, ruleFields, "the first that fits; what it leaves out comes from the default"),
        saidWhenCompared<Config>(wholeField("active_chunks", &Config::activeChunks, 1, INT32_MAX, "chunks at once in a dimension"),
                            [](MapBuilder& map, const Config& config) { map.add("active_chunks", config.activeChunks); }),
        saidWhenCompared<Config>(wholeField("queues", &Config::queuesPerDimension, 1, INT32_MAX, "queues per dimension"),
                            [](MapBuilder& map, const Config& config) { map.add("queues", config.queuesPerDimension); }),
        saidWhenCompared<Config>(wordField("optimization", &Config::localBandwidthAware, kOptimizations, ""),
                            [](MapBuilder& map, const Config& config) { map.add("optimization", std::string(keyOf(kOptimizations, config.localBandwidthAware))); }),
    };
    return fields;
}

void readCollectivesSection(DesignReading& reading, const YamlNode& node)
{
    std::vector<std::string_view> keys = keysOf(collectivesFields());
    std::ranges::copy(keysOf(systemFields()), std::back_inserter(keys));
    const MapReader map(reading.fields, node, "collectives", keys);
    readFields(map, collectivesFields(), reading.design.collectives);
    readFields(map, systemFields(), reading);
}

YamlNode collectivesTree(const Design& design, DesignForm form)
{
    if (!design.astra)
        return fieldsTree(collectivesFields(), design.collectives, {form});
    return form == DesignForm::Canonical ? astraSystemTree(*design.astra) : fieldsTree(systemFields(), design, {form});
}

} // namespace fabricscope
