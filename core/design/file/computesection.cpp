#include "core/design/computeconfig.h"
#include "core/base/decimal.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/sectionchecks.h"

namespace fabricscope {

namespace {

constexpr std::size_t kMostPoints = 4096;

void readEfficiency(FieldContext& context, const YamlNode& node, ComputeConfig& config)
{
    MapReader map(context, node, "compute.efficiency", {"interpolation", "operations", "bytes", "kinds"});
    config.linear = map.choice<bool>("interpolation", {{"steps", false}, {"linear", true}}).value_or(false);
    config.efficiency = {readList(map, "operations", pointFields(Measure::Operations)), readList(map, "bytes", pointFields(Measure::Size))};
    config.kinds = readList(map, "kinds", kindFields());
}

YamlNode efficiencyTree(const ComputeConfig& config, bool all)
{
    MapBuilder map;
    if (!config.hasEfficiency())
        return map.take();
    if (all || config.linear)
        map.add("interpolation", config.linear ? "linear" : "steps");
    map.addFilled("operations", listTree(pointFields(Measure::Operations), config.efficiency.operations));
    map.addFilled("bytes", listTree(pointFields(Measure::Size), config.efficiency.bytes));
    return map.addFilled("kinds", listTree(kindFields(), config.kinds)).take();
}

/// Collects what is wrong.
class Checker {
public:
    explicit Checker(const Design& design) : m_design(design) {}

    Diagnostics run()
    {
        const ComputeConfig& config = *m_design.compute;
        checkTable(config.efficiency, "compute.efficiency");
        for (std::size_t i = 0; i < config.kinds.size(); ++i) {
            const std::string field = "compute.efficiency.kinds[" + std::to_string(i) + "]";
            if (config.kinds[i].name.empty())
                add(field + ".name", "no name", "a pattern such as \"*gemm*\"");
            if (config.kinds[i].table == EfficiencyTable{})
                add(field, "nothing says how efficient these tasks are", "operations, bytes");
            checkTable(config.kinds[i].table, field);
        }
        if (config.memory)
            checkFields<MemoryConfig>(memoryFields(), *config.memory, teller("compute.memory."));
        if (config.slowdown)
            checkFields<SlowdownConfig>(slowdownFields(), *config.slowdown, teller("compute.slowdown."));
        if (m_found.empty())
            findUnused(config);
        return std::move(m_found);
    }

private:
    void add(const std::string& field, std::string message, std::string expected)
    {
        m_found.push_back(finding("compute", invalidInput(std::move(message), m_design.place(field), std::move(expected))));
    }
    /// Adds what fields say of themselves, below `path`.
    std::function<void(const std::string&, std::string, std::string)> teller(std::string path)
    {
        return [this, path = std::move(path)](const std::string& key, std::string message, std::string expected) {
            add(path + key, std::move(message), std::move(expected));
        };
    }
    void unused(const std::string& field, std::string message) { m_found.push_back(warning("unused-setting", std::move(message), m_design.place(field))); }

    void checkTable(const EfficiencyTable& table, const std::string& field)
    {
        checkPoints(table.operations, Measure::Operations, field + ".operations");
        checkPoints(table.bytes, Measure::Size, field + ".bytes");
    }

    void checkPoints(const std::vector<EfficiencyPoint>& points, Measure measure, const std::string& field)
    {
        if (points.size() > kMostPoints)
            add(field, std::to_string(points.size()) + " entries", "at most " + std::to_string(kMostPoints));
        std::int64_t before = -1;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const EfficiencyPoint& point = points[i];
            const std::string entry = field + "[" + std::to_string(i) + "]";
            checkFields<EfficiencyPoint>(pointFields(measure), point, teller(entry + '.'));
            if (!point.upTo) {
                if (i + 1 < points.size())
                    add(entry, "only the last entry may leave out up_to", "up_to");
                else if (m_design.compute->linear && points.size() > 1)
                    add(entry, "straight lines need an end", "up_to; larger ones take the share of the last entry");
                continue;
            }
            if (point.upTo->measure != measure || !(point.upTo->value >= 0)) {
                add(entry + ".up_to", "not possible here", measure == Measure::Size ? "a size such as 1 MiB" : "operations such as 1 GFLOP");
                continue;
            }
            if (point.upTo->value == 0 && i + 1 < points.size())
                add(entry + ".up_to", "nothing is that small", "more than 0, or no such entry");
            const std::int64_t amount = measure == Measure::Size ? toBytes(*point.upTo).value : toOperations(*point.upTo);
            if (amount <= before)
                add(entry + ".up_to", "not larger than the entry before", "ascending entries");
            before = amount;
        }
    }

    void findUnused(const ComputeConfig& config)
    {
        if (!traitsOf(m_design.model.model).npuDetails) {
            if (config.hasEfficiency())
                unused("compute.efficiency", "astra-* models have no efficiency tables: these are not used");
            if (config.slowdown)
                unused("compute.slowdown", "under astra-* models collectives do not slow down computation: this is not used");
            return;
        }
        const bool roofline = m_design.astra ? m_design.astra->roofline && !m_design.astra->replayOnly : m_design.model.roofline;
        if (config.hasEfficiency() && !roofline)
            unused("compute.efficiency", "without roofline no time follows from operations and bytes: the tables are not used");
        if (config.slowdown && config.slowdown->smShare == 0 && config.slowdown->bandwidthShare == 0 && config.slowdown->reducerLoss == 0)
            unused("compute.slowdown", "no share is taken: the slow-down is not used");
        if (config.memory && !config.memory->follow && !config.memory->resident.empty())
            unused("compute.memory.resident", "live bytes are not followed: resident memory is not used");
    }

    const Design& m_design;
    Diagnostics m_found;
};

} // namespace

const SectionFields<SlowdownConfig>& slowdownFields()
{
    using Config = SlowdownConfig;
    static const SectionFields<Config> fields{
        lossField("sm_share", &Config::smShare, "of the peak"),
        lossField("bandwidth_share", &Config::bandwidthShare, "of the memory bandwidth"),
        lossField("most_share", &Config::mostShare, "all collectives together take no more"),
        lossField("reducer_loss", &Config::reducerLoss, "share of its rate that a reducer loses while its NPU computes"),
    };
    return fields;
}

const SectionFields<EfficiencyPoint>& pointFields(Measure measure)
{
    using Config = EfficiencyPoint;
    const auto made = [](Measure of) {
        return SectionFields<Config>{
            givenQuantity("up_to", &Config::upTo, of, ""),
            {"share", of == Measure::Operations ? "of the peak" : "of the memory bandwidth",
             [](const MapReader& map, Config& config) {
                 map.required("share");
                 config.share = readShare(map, "share").value_or(1);
             },
             [](MapBuilder& map, const Config& config) { map.add("share", decimal(config.share)); },
             [](const Config& config, const auto& tell) {
                 if (!(config.share >= kLeastShare) || config.share > 1)
                     tell("share", "not a share", "above 0, at most 1");
             },
             {}},
        };
    };
    static const SectionFields<Config> operations = made(Measure::Operations);
    static const SectionFields<Config> bytes = made(Measure::Size);
    return measure == Measure::Operations ? operations : bytes;
}

const SectionFields<EfficiencyKind>& kindFields()
{
    using Config = EfficiencyKind;
    const auto points = [](const char* key, std::vector<EfficiencyPoint> EfficiencyTable::* member, Measure measure) {
        return SectionField<Config>{key, "",
                                    [key, member, measure](const MapReader& map, Config& config) { config.table.*member = readList(map, key, pointFields(measure)); },
                                    [key, member, measure](MapBuilder& map, const Config& config) { map.addFilled(key, listTree(pointFields(measure), config.table.*member)); },
                                    [](const Config&, const auto&) {}, {}};
    };
    static const SectionFields<Config> fields{
        {"name", "",
         [](const MapReader& map, Config& config) {
             map.required("name");
             config.name = map.text("name").value_or("");
         },
         [](MapBuilder& map, const Config& config) { map.add("name", config.name); },
         [](const Config&, const auto&) {}, {}},
        points("operations", &EfficiencyTable::operations, Measure::Operations),
        points("bytes", &EfficiencyTable::bytes, Measure::Size),
    };
    return fields;
}

const SectionFields<MemoryConfig>& memoryFields()
{
    using Config = MemoryConfig;
    static const SectionFields<Config> fields{
        {"follow", "",
         [](const MapReader& map, Config& config) { config.follow = map.boolean("follow").value_or(true); },
         [](MapBuilder& map, const Config& config) { map.add("follow", config.follow ? "true" : "false"); },
         [](const Config&, const auto&) {}, {}},
        {"resident", "there all the time; or one size",
         [](const MapReader& map, Config& config) {
             const YamlNode* node = map.node("resident");
             if (!node || !node->isScalar())
                 config.resident = readList(map, "resident", residentFields());
             else if (auto bytes = map.quantity("resident", Measure::Size))
                 config.resident.push_back({"resident", std::move(*bytes), {}});
         },
         [](MapBuilder& map, const Config& config) { map.addFilled("resident", listTree(residentFields(), config.resident)); },
         [](const Config& config, const auto& tell) { checkList("resident", residentFields(), config.resident, tell); }, {}},
    };
    return fields;
}

const SectionFields<ResidentMemory>& residentFields()
{
    using Config = ResidentMemory;
    static const SectionFields<Config> fields{
        {"name", "",
         [](const MapReader& map, Config& config) { config.name = map.text("name").value_or("resident"); },
         [](MapBuilder& map, const Config& config) { map.add("name", config.name); },
         [](const Config&, const auto&) {}, {}},
        {"bytes", "",
         [](const MapReader& map, Config& config) {
             map.required("bytes");
             config.bytes = map.quantity("bytes", Measure::Size).value_or(config.bytes);
         },
         [](MapBuilder& map, const Config& config) { map.add("bytes", config.bytes); },
         [](const Config& config, const auto& tell) {
             if (config.bytes.measure != Measure::Size || !(config.bytes.value >= 0) || config.bytes.base() > 7e16)
                 tell("bytes", "not a size", "a size of at most 64 PiB");
         },
         {}},
        {"ranks", "",
         [](const MapReader& map, Config& config) {
             const auto ranks = map.text("ranks");
             if (!ranks)
                 return;
             auto set = RankSet::parse(*ranks);
             if (set)
                 config.ranks = std::move(set).value();
             else
                 map.error("ranks", set.error().message, set.error().expected);
         },
         [](MapBuilder& map, const Config& config) {
             if (!config.ranks.empty())
                 map.add("ranks", config.ranks.text());
         },
         [](const Config&, const auto&) {}, {}},
    };
    return fields;
}

void readComputeSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "compute", {"efficiency", "memory", "slowdown"});
    ComputeConfig config;
    if (const YamlNode* efficiency = map.node("efficiency"))
        readEfficiency(reading.fields, *efficiency, config);
    if (const YamlNode* memory = map.node("memory"))
        readFields(reading.fields, *memory, "compute.memory", memoryFields(), config.memory.emplace());
    if (const YamlNode* slowdown = map.node("slowdown"))
        readFields(reading.fields, *slowdown, "compute.slowdown", slowdownFields(), config.slowdown.emplace());
    if (!(config == ComputeConfig{}))
        reading.design.compute = std::make_shared<const ComputeConfig>(std::move(config));
}

YamlNode computeTree(const Design& design, DesignForm form)
{
    MapBuilder map;
    if (!design.compute)
        return map.take();
    const bool all = form == DesignForm::Canonical;
    map.addFilled("efficiency", efficiencyTree(*design.compute, all));
    if (design.compute->memory)
        map.add("memory", fieldsTree(memoryFields(), *design.compute->memory));
    if (design.compute->slowdown)
        map.add("slowdown", fieldsTree(slowdownFields(), *design.compute->slowdown));
    return map.take();
}

Diagnostics validateCompute(const Design& design, const std::stop_token&)
{
    return design.compute ? Checker(design).run() : Diagnostics{};
}

} // namespace fabricscope
