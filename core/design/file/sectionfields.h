#pragma once

#include "core/base/decimal.h"
#include "core/base/keytable.h"
#include "core/base/stop.h"
#include "core/design/file/sectiontree.h"
#include "core/yaml/fieldreader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricscope {

/// How a section is written.
struct Writing {
    DesignForm form = DesignForm::File;
    std::stop_token stop{}; ///< Looked at for every entry of a list; throws StopRequested (stop.h).
};

/// A field of a section that is read into `Config`, described once: reading, writing and checking follow from its row. A new key of such a section
/// is a member of the Config, a row, and a line in resources/examples/reference.yaml, which says the same words (tst_section_fields).
/// `Written`: what it is written from and checked in, where that is not what reading fills.
template <class Config, class Written = Config>
struct SectionField {
    /// Says what is wrong with a value: the path of its field below the section, the message, what was expected.
    using Tell = std::function<void(const std::string& key, std::string message, std::string expected)>;

    std::string key;
    std::string text; ///< What it means, as the reference says it.
    std::function<void(const MapReader& map, Config& config)> read;
    std::function<void(MapBuilder& map, const Written& config, const Writing& how)> write; ///< Nothing where the value is the usual one.
    std::function<void(const Written& config, const Tell& tell)> check;
    std::vector<SectionField> inner; ///< Of a mapping.
};

template <class Config, class Written = Config>
using SectionFields = std::vector<SectionField<Config, Written>>;

inline constexpr auto kDesignCollectiveKeys = [] {
    KeyTable<CollectiveOp, kDesignCollectives.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = {collectiveKey(kDesignCollectives[i]), kDesignCollectives[i]};
    return words;
}();
inline constexpr KeyTable<Step::Kind, 7> kStepKinds{{{"compute", Step::Kind::Compute}, {"collective", Step::Kind::Collective}, {"send", Step::Kind::Send}, {"receive", Step::Kind::Receive},
                                                     {"load", Step::Kind::Load}, {"store", Step::Kind::Store}, {"repeat", Step::Kind::Repeat}}};

constexpr double kLeastShare = 1e-6; ///< What integers of a millionth can hold.

/// A share; 0 is one.
std::optional<double> readShare(const MapReader& map, std::string_view key);

/// A fraction from 1/1000000 to 1, like 120/128.
std::optional<std::pair<std::int64_t, std::int64_t>> readFraction(const MapReader& map, std::string_view key);

template <class Whole>
YamlNode wholesTree(const std::vector<Whole>& values)
{
    YamlNode list = YamlNode::sequence();
    for (const Whole value : values)
        list.items.push_back(YamlNode::scalar(std::to_string(value)));
    return list;
}

/// One of the words of a list. `usual`: what it is where nothing is said; absent: as in a Config that nothing was read into.
template <class Config, class Value, std::size_t count>
SectionField<Config> wordField(const char* key, Value Config::* member, const KeyTable<Value, count>& words, const char* text,
                               Value (*usual)(const Config&) = [](const Config&) { return Value{}; })
{
    return {key, text,
            [key, member, &words, usual](const MapReader& map, Config& config) {
                const std::vector<std::pair<std::string_view, Value>> choices(words.begin(), words.end());
                config.*member = map.choice<Value>(key, choices).value_or(usual(config));
            },
            [key, member, &words, usual](MapBuilder& map, const Config& config, const Writing&) {
                for (const auto& [word, value] : words) {
                    if (value == config.*member && value != usual(config))
                        map.add(key, std::string(word));
                }
            },
            [](const Config&, const auto&) {}, {}};
}

/// A whole number; a Config that nothing was read into may say one out of the range, which then means that nothing is said.
template <class Config, class Whole>
SectionField<Config> wholeField(const char* key, Whole Config::* member, std::int64_t least, std::int64_t most, const char* text)
{
    return {key, text,
            [key, member, least, most](const MapReader& map, Config& config) {
                if (const auto value = map.integer(key, least, most))
                    config.*member = static_cast<Whole>(*value);
            },
            [key, member, usual = Config{}.*member](MapBuilder& map, const Config& config, const Writing&) {
                if (config.*member != usual)
                    map.add(key, std::int64_t{config.*member});
            },
            [key, member, least, most, usual = Config{}.*member](const Config& config, const auto& tell) {
                const std::int64_t value = config.*member;
                if (value != usual && (value < least || value > most))
                    tell(key, std::to_string(value) + " is not possible here", std::to_string(least) + " to " + std::to_string(most));
            },
            {}};
}

/// A whole number that is always written.
template <class Config, class Whole>
SectionField<Config> saidWhole(const char* key, Whole Config::* member, std::int64_t least, std::int64_t most, const char* text)
{
    SectionField<Config> field = wholeField(key, member, least, most, text);
    field.write = [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, std::int64_t{config.*member}); };
    return field;
}

/// The first number of a random sequence; always written.
template <class Config>
SectionField<Config> seedField(const char* key, std::uint64_t Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) {
                if (const auto value = map.integer(key, 0, INT64_MAX))
                    config.*member = static_cast<std::uint64_t>(*value);
            },
            [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, std::to_string(config.*member)); }, [](const Config&, const auto&) {}, {}};
}

/// A collective that a design may name; always written.
template <class Config>
SectionField<Config> collectiveField(const char* key, CollectiveOp Config::* member, const char* text)
{
    SectionField<Config> field = wordField(key, member, kDesignCollectiveKeys, text);
    field.write = [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, std::string(collectiveKey(config.*member))); };
    return field;
}

/// Ranks; written where there are some.
template <class Config>
SectionField<Config> ranksField(const char* key, RankSet Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) {
                const auto given = map.text(key);
                if (!given)
                    return;
                auto ranks = RankSet::parse(*given);
                if (ranks)
                    config.*member = std::move(ranks).value();
                else
                    map.error(key, ranks.error().message, ranks.error().expected);
            },
            [key, member](MapBuilder& map, const Config& config, const Writing&) {
                if (!(config.*member).empty())
                    map.add(key, (config.*member).text());
            },
            [](const Config&, const auto&) {}, {}};
}

/// A share that leaves something: 0 or more, below 1. Always written.
template <class Config>
SectionField<Config> lossField(const char* key, double Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) { config.*member = readShare(map, key).value_or(config.*member); },
            [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, decimal(config.*member)); },
            [key, member](const Config& config, const auto& tell) {
                if (!(config.*member >= 0) || config.*member > 1 - kLeastShare)
                    tell(key, "not a share that leaves something", "0 or more and below 1");
            },
            {}};
}

/// One of the words of a list that is always written.
template <class Config, class Value, std::size_t count>
SectionField<Config> saidWord(const char* key, Value Config::* member, const KeyTable<Value, count>& words, const char* text)
{
    SectionField<Config> field = wordField(key, member, words, text);
    field.write = [key, member, &words](MapBuilder& map, const Config& config, const Writing&) {
        if (const std::string_view word = keyOf(words, config.*member); !word.empty())
            map.add(key, std::string(word));
    };
    return field;
}

/// A text that is always written.
template <class Config>
SectionField<Config> saidText(const char* key, std::string Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) { config.*member = map.text(key).value_or(config.*member); },
            [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, config.*member); },
            [](const Config&, const auto&) {}, {}};
}

/// A text that is written where there is one.
template <class Config>
SectionField<Config> textField(const char* key, std::string Config::* member, const char* text)
{
    SectionField<Config> field = saidText(key, member, text);
    field.write = [key, member](MapBuilder& map, const Config& config, const Writing&) {
        if (!(config.*member).empty())
            map.add(key, config.*member);
    };
    return field;
}

/// A quantity that is always written.
template <class Config>
SectionField<Config> quantityField(const char* key, Quantity Config::* member, Measure measure, const char* text)
{
    return {key, text,
            [key, member, measure](const MapReader& map, Config& config) { config.*member = map.quantity(key, measure).value_or(config.*member); },
            [key, member](MapBuilder& map, const Config& config, const Writing&) { map.add(key, config.*member); },
            [](const Config&, const auto&) {}, {}};
}

/// A list of whole numbers; written where one is in it.
template <class Config, class Whole>
SectionField<Config> wholesField(const char* key, std::vector<Whole> Config::* member, std::int64_t least, std::int64_t most, const char* text)
{
    return {key, text,
            [key, member, least, most](const MapReader& map, Config& config) {
                for (const auto& [item, field] : map.list(key))
                    (config.*member).push_back(static_cast<Whole>(readInteger(map.context(), *item, field, least, most).value_or(0)));
            },
            [key, member](MapBuilder& map, const Config& config, const Writing&) { map.addFilled(key, wholesTree(config.*member)); },
            [](const Config&, const auto&) {}, {}};
}

/// True or false; written where it is true.
template <class Config>
SectionField<Config> flagField(const char* key, bool Config::* member, const char* text)
{
    return {key, text,
            [key, member](const MapReader& map, Config& config) { config.*member = map.boolean(key).value_or(false); },
            [key, member](MapBuilder& map, const Config& config, const Writing&) {
                if (config.*member)
                    map.add(key, "true");
            },
            [](const Config&, const auto&) {}, {}};
}

/// What may be absent, and is written where it is there. `read`: the value of a key, if it is one; `write`: its text.
template <class Config, class Value, class Read, class Write>
SectionField<Config> givenField(const char* key, std::optional<Value> Config::* member, const char* text, Read read, Write write)
{
    return {key, text,
            [key, member, read](const MapReader& map, Config& config) {
                if (std::optional<Value> value = read(map, key))
                    config.*member = std::move(value);
            },
            [key, member, write](MapBuilder& map, const Config& config, const Writing&) {
                if (config.*member)
                    map.add(key, std::string(write(*(config.*member))));
            },
            [](const Config&, const auto&) {}, {}};
}

template <class Config>
SectionField<Config> givenQuantity(const char* key, std::optional<Quantity> Config::* member, Measure measure, const char* text)
{
    return givenField(key, member, text, [measure](const MapReader& map, const char* of) { return map.quantity(of, measure); }, [](const Quantity& value) { return value.text(); });
}

template <class Config>
SectionField<Config> givenWhole(const char* key, std::optional<std::int32_t> Config::* member, std::int32_t least, std::int32_t most, const char* text)
{
    return givenField(key, member, text, [least, most](const MapReader& map, const char* of) { return map.integer32(of, least, most); },
                      [](std::int32_t value) { return std::to_string(value); });
}

template <class Config, class Value, std::size_t count>
SectionField<Config> givenWord(const char* key, std::optional<Value> Config::* member, const KeyTable<Value, count>& words, const char* text)
{
    return givenField(key, member, text, [&words](const MapReader& map, const char* of) { return map.choice<Value>(of, {words.begin(), words.end()}); },
                      [&words](Value value) { return keyOf(words, value); });
}

template <class Config>
SectionField<Config> givenFlag(const char* key, std::optional<bool> Config::* member, const char* text)
{
    return givenField(key, member, text, [](const MapReader& map, const char* of) { return map.boolean(of); }, [](bool value) { return value ? "true" : "false"; });
}

/// A fraction of at most 1, like 120/128.
template <class Config>
SectionField<Config> givenFraction(const char* key, std::optional<std::pair<std::int64_t, std::int64_t>> Config::* member, const char* text)
{
    return givenField(key, member, text, readFraction, [](const auto& value) { return std::to_string(value.first) + '/' + std::to_string(value.second); });
}

/// A key that is read with another of its section, which writes it, too.
template <class Config, class Written = Config>
SectionField<Config, Written> besideField(const char* key, const char* text)
{
    return {key, text, [](const MapReader&, Config&) {}, [](MapBuilder&, const Written&, const Writing&) {}, [](const Written&, const auto&) {}, {}};
}

template <class Config, class Written>
std::vector<std::string_view> keysOf(const SectionFields<Config, Written>& fields)
{
    std::vector<std::string_view> keys;
    for (const SectionField<Config, Written>& field : fields)
        keys.push_back(field.key);
    return keys;
}

template <class Config, class Written>
void readFields(FieldContext& context, const YamlNode& node, const std::string& path, const SectionFields<Config, Written>& fields, Config& config);

/// Of a mapping of which somebody else reads keys, too.
template <class Config, class Written>
void readFields(const MapReader& map, const SectionFields<Config, Written>& fields, Config& config)
{
    for (const SectionField<Config, Written>& field : fields) {
        if (map.context().watch)
            map.context().watch->meaning(map.field(field.key), field.text);
        if (field.inner.empty())
            field.read(map, config);
        else if (const YamlNode* inside = map.node(field.key))
            readFields(map.context(), *inside, map.field(field.key), field.inner, config);
    }
}

/// Reads what is there; every other key is reported. `path`: of the section, "scheduling".
template <class Config, class Written>
void readFields(FieldContext& context, const YamlNode& node, const std::string& path, const SectionFields<Config, Written>& fields, Config& config)
{
    readFields(MapReader(context, node, path, keysOf(fields)), fields, config);
}

template <class Config, class Written>
YamlNode fieldsTree(const SectionFields<Config, Written>& fields, const Written& config, const Writing& how = {})
{
    MapBuilder map;
    for (const SectionField<Config, Written>& field : fields) {
        if (field.inner.empty())
            field.write(map, config, how);
        else
            map.addFilled(field.key, fieldsTree(field.inner, config, how));
    }
    return map.take();
}

/// In the order of the rows.
template <class Config>
void checkFields(const SectionFields<Config>& fields, const Config& config, const typename SectionField<Config>::Tell& tell)
{
    for (const SectionField<Config>& field : fields) {
        if (field.inner.empty()) {
            field.check(config, tell);
            continue;
        }
        checkFields<Config>(field.inner, config, [&tell, &field](const std::string& key, std::string message, std::string expected) {
            tell(field.key + '.' + key, std::move(message), std::move(expected));
        });
    }
}

/// A field of a part, as one of the whole.
template <class Whole, class Part>
SectionField<Whole> ofPart(Part Whole::* member, SectionField<Part> field)
{
    return {field.key, field.text, [member, read = std::move(field.read)](const MapReader& map, Whole& whole) { read(map, whole.*member); },
            [member, write = std::move(field.write)](MapBuilder& map, const Whole& whole, const Writing& how) { write(map, whole.*member, how); },
            [member, check = std::move(field.check)](const Whole& whole, const auto& tell) { check(whole.*member, tell); }, {}};
}

/// The entries of a list, each described by `fields`.
template <class Entry>
std::vector<Entry> readList(const MapReader& map, std::string_view key, const SectionFields<Entry>& fields)
{
    std::vector<Entry> entries;
    for (const auto& [item, field] : map.list(key))
        readFields(map.context(), *item, field, fields, entries.emplace_back());
    return entries;
}

template <class Entry>
YamlNode listTree(const SectionFields<Entry>& fields, const std::vector<Entry>& entries, const Writing& how = {})
{
    YamlNode list = YamlNode::sequence();
    for (const Entry& entry : entries) {
        checkStop(how.stop);
        list.items.push_back(fieldsTree(fields, entry, how));
    }
    return list;
}

/// `key`: of the list.
template <class Entry>
void checkList(const std::string& key, const SectionFields<Entry>& fields, const std::vector<Entry>& entries, const typename SectionField<Entry>::Tell& tell)
{
    for (std::size_t i = 0; i < entries.size(); ++i) {
        checkFields<Entry>(fields, entries[i], [&](const std::string& of, std::string message, std::string expected) {
            tell(key + '[' + std::to_string(i) + "]." + of, std::move(message), std::move(expected));
        });
    }
}

/// The same field; that it is absent is reported.
template <class Config, class Written>
SectionField<Config, Written> required(SectionField<Config, Written> field)
{
    field.read = [key = field.key, read = std::move(field.read)](const MapReader& map, Config& config) {
        map.required(key);
        read(map, config);
    };
    return field;
}

/// The same field with a check of its own.
template <class Config, class Check>
SectionField<Config> checked(SectionField<Config> field, Check check)
{
    field.check = check;
    return field;
}

/// The same field, written in another way.
template <class Config, class Write>
SectionField<Config> written(SectionField<Config> field, Write write)
{
    field.write = write;
    return field;
}

/// A list of mappings; written where something is in it. `look`: at an entry that has been read.
template <class Config, class Entry>
SectionField<Config> listField(const char* key, std::vector<Entry> Config::* member, const SectionFields<Entry>& (*fields)(), const char* text,
                               std::type_identity_t<void (*)(FieldContext& context, const YamlNode& node, const std::string& path, const Entry& entry)> look = nullptr)
{
    return {key, text,
            [key, member, fields, look](const MapReader& map, Config& config) {
                for (const auto& [item, field] : map.list(key)) {
                    Entry& entry = (config.*member).emplace_back();
                    readFields(map.context(), *item, field, fields(), entry);
                    if (look && item->isMap())
                        look(map.context(), *item, field, entry);
                }
            },
            [key, member, fields](MapBuilder& map, const Config& config, const Writing& how) { map.addFilled(key, listTree(fields(), config.*member, how)); },
            [key, member, fields](const Config& config, const auto& tell) { checkList(key, fields(), config.*member, tell); },
            {}};
}

/// A mapping with rows of its own; written where something is in it.
template <class Config, class Part>
SectionField<Config> partField(const char* key, Part Config::* member, const SectionFields<Part>& (*fields)(), const char* text)
{
    return {key, text,
            [key, member, fields](const MapReader& map, Config& config) {
                if (const YamlNode* node = map.node(key))
                    readFields(map.context(), *node, map.field(key), fields(), config.*member);
            },
            [key, member, fields](MapBuilder& map, const Config& config, const Writing& how) { map.addFilled(key, fieldsTree(fields(), config.*member, how)); },
            [key, member, fields](const Config& config, const auto& tell) {
                checkFields<Part>(fields(), config.*member, [key, &tell](const std::string& of, std::string message, std::string expected) {
                    tell(key + ('.' + of), std::move(message), std::move(expected));
                });
            },
            {}};
}

/// The same of a mapping that may be absent.
template <class Config, class Part>
SectionField<Config> givenPart(const char* key, std::optional<Part> Config::* member, const SectionFields<Part>& (*fields)(), const char* text)
{
    return {key, text,
            [key, member, fields](const MapReader& map, Config& config) {
                if (const YamlNode* node = map.node(key))
                    readFields(map.context(), *node, map.field(key), fields(), (config.*member).emplace());
            },
            [key, member, fields](MapBuilder& map, const Config& config, const Writing& how) {
                if (config.*member)
                    map.add(key, fieldsTree(fields(), *(config.*member), how));
            },
            [key, member, fields](const Config& config, const auto& tell) {
                if (!(config.*member))
                    return;
                checkFields<Part>(fields(), *(config.*member), [key, &tell](const std::string& of, std::string message, std::string expected) {
                    tell(key + ('.' + of), std::move(message), std::move(expected));
                });
            },
            {}};
}

std::vector<Step> readSteps(const MapReader& map, std::string_view key);
YamlNode stepsTree(const std::vector<Step>& steps, const Writing& how);

/// What to do, one after another; always written.
template <class Config>
SectionField<Config> stepsField(const char* key, std::vector<Step> Config::* member)
{
    return {key, "", [key, member](const MapReader& map, Config& config) { config.*member = readSteps(map, key); },
            [key, member](MapBuilder& map, const Config& config, const Writing& how) { map.add(key, stepsTree(config.*member, how)); },
            [](const Config&, const auto&) {}, {}};
}

struct DesignReading;
struct PlatformReading;
struct PlatformWriting;
struct AccuracyConfig;
struct SchedulingConfig;
struct ComputeConfig;
struct NetworkConfig;
struct RoutingConfig;
struct EfficiencyPoint;
struct EfficiencyKind;
struct KernelConfig;
struct MemoryConfig;
struct ResidentMemory;
struct SlowdownConfig;
struct ProtocolConfig;
struct FaultConfig;
struct FabricForm;
struct FabricJoin;
struct PlanSpec;
struct PlanMesh;
struct DataPlan;
struct TensorPlan;
struct PipelinePlan;
struct StageTimes;
struct ExpertPlan;
struct ContextPlan;
struct ListedLink;
struct NamedLinkChange;
struct LinkCompletion;
struct ProgramFields;

// The sections that are described so; the order of rows is that in which they are written, which the hash of a design rests on. Each is in the file of its
// section: all sections in reader.cpp, the platform in platformsection.cpp, then collectivesection.cpp, modelsection.cpp, networksection.cpp, computesection.cpp,
// schedulingsection.cpp, accuracysection.cpp; of the platform dimensions, nodes, NPUs and placement in platformfields.cpp, links in graphsection.cpp and fabricfiles.cpp,
// overrides in overridesection.cpp, remote memory in remotesection.cpp, generated fabrics in fabricsection.cpp; of the workload steps in stepfields.cpp, a plan in plansection.cpp,
// all else in workloadfields.cpp; the sources of programs in programsection.cpp.
const SectionFields<DesignReading, Design>& designFields(); ///< The sections themselves.
const SectionFields<PlatformReading, PlatformWriting>& platformFields();
const SectionFields<SchedulingConfig>& schedulingFields();
const SectionFields<Dimension>& dimensionFields(bool sized); ///< Of platform.dimensions; `sized`: its size may be left out, as with groups of unequal size.
const SectionFields<SwitchOffload>& offloadFields();         ///< Of in_network.
const SectionFields<ExplicitNode>& nodeFields();             ///< Of platform.nodes.
const SectionFields<ListedLink>& linkFields();               ///< Of platform.links.
const SectionFields<LinkCompletion>& linkFigureFields();     ///< Of an entry of platform.link_figures.
const SectionFields<NpuSpec>& npuFields();                   ///< Of platform.npu.
const SectionFields<NpuSpec>& budgetFields();                ///< Of platform.budgets.
const SectionFields<NpuOverride>& npuOverrideFields();       ///< Of platform.overrides.npus.
const SectionFields<NamedLinkChange>& linkOverrideFields();  ///< Of platform.overrides.links.
const SectionFields<RemoteMemory>& remoteMemoryFields();     ///< Of platform.remote_memory,
const SectionFields<RemoteMemory>& memoryPoolFields();       ///< the same of kind hierarchical,
const SectionFields<MemoryPool::Stage>& poolStageFields();   ///< and of its in_node, out_node and groups;
const SectionFields<DesignReading, RemoteMemory>& memoryFileFields(); ///< or from a file of ASTRA-sim, whose figures are written.
const SectionFields<Placement::Job>& placedJobFields();      ///< Where a job runs: of platform.placement.jobs and, besides what it runs, of workload.jobs.
const SectionFields<Design>& placementFields();              ///< Of platform.placement.
const SectionFields<TraceWorkload>& traceFields();           ///< Of a workload, or one of several jobs: from traces,
const SectionFields<StepsWorkload>& stepsFields();           ///< by steps,
const SectionFields<SingleCollective>& collectiveFields();   ///< of one collective.
const SectionFields<PlanSpec>& planFields();                 ///< Of workload.plan (plansection.cpp),
const SectionFields<PlanMesh>& planMeshFields();             ///< and its mesh,
const SectionFields<DataPlan>& dataPlanFields();             ///< data,
const SectionFields<TensorPlan>& tensorPlanFields();         ///< tensor,
const SectionFields<PipelinePlan>& pipelinePlanFields();     ///< pipeline,
const SectionFields<StageTimes>& stageTimesFields();         ///< an entry of its times,
const SectionFields<ExpertPlan>& expertPlanFields();         ///< expert
const SectionFields<ContextPlan>& contextPlanFields();       ///< and context.
const SectionFields<GroupSpec>& groupFields();               ///< Of workload.groups.
const SectionFields<Step>& stepFields(Step::Kind kind);      ///< Of workload.steps.
const SectionFields<CollectiveConfig>& collectivesFields();  ///< Of collectives,
const SectionFields<DesignReading, Design>& systemFields();  ///< or from an ASTRA-sim system file, which decides all but the queues.
const SectionFields<CollectiveSetting>& settingFields();     ///< Of collectives.default.
const SectionFields<CollectiveRule>& ruleFields();           ///< Of an entry of collectives.rules.
const SectionFields<ProgramFields>& programFields();         ///< Of collectives.default and of a rule, besides their own: what runs,
const SectionFields<std::vector<ProgramSource>, ProgramSource>& candidateFields(); ///< what may run where that is to be chosen,
const SectionFields<ProgramSource>& synthesisFields();       ///< and a synthesis in place of an algorithm or a program.
const SectionFields<Design>& modelFields();
const SectionFields<NetworkConfig>& networkFields();
const SectionFields<NetworkConfig>& jitterFields();    ///< Of network.jitter.
const SectionFields<RoutingConfig>& routingFields();   ///< Of network.routing.
const SectionFields<ComputeConfig>& computeFields();
const SectionFields<SlowdownConfig>& slowdownFields();
const SectionFields<AccuracyConfig>& accuracyFields();
const SectionFields<EfficiencyPoint>& pointFields(Measure measure); ///< Of an entry of compute.efficiency.operations or .bytes.
const SectionFields<EfficiencyKind>& kindFields();                  ///< Of an entry of compute.efficiency.kinds.
const SectionFields<KernelConfig>& kernelFields();
const SectionFields<MemoryConfig>& memoryFields();
const SectionFields<ResidentMemory>& residentFields();              ///< Of an entry of compute.memory.resident.
const SectionFields<ProtocolConfig>& protocolFields(); ///< Of an entry of network.protocols.
/// The word of a preset, or a mapping with these. In networksection.cpp.
ProtocolConfig readProtocol(FieldContext& context, const YamlNode& node, const std::string& field);
const SectionFields<FaultConfig>& faultFields();       ///< Of an entry of network.faults.
const SectionFields<FabricForm>& fabricFormFields();   ///< Of platform.fabric.
const SectionFields<FabricJoin>& fabricLevelFields();  ///< Of an entry of platform.fabric.levels; `count` as FabricJoin::times of the level itself.

} // namespace fabricscope
