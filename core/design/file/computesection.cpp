#include "core/design/computeconfig.h"
#include "core/base/decimal.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/sectionchecks.h"

namespace fabricscope {

namespace {

constexpr std::size_t kMostPoints = 4096;

std::vector<EfficiencyPoint> readPoints(const MapReader& map, std::string_view key, Measure measure)
{
    std::vector<EfficiencyPoint> points;
    for (const auto& [item, field] : map.list(key)) {
        MapReader reader(map.context(), *item, field, {"up_to", "share"});
        EfficiencyPoint point;
        point.upTo = reader.quantity("up_to", measure);
        reader.required("share");
        point.share = readShare(reader, "share").value_or(1);
        points.push_back(std::move(point));
    }
    return points;
}

EfficiencyTable readTable(const MapReader& map)
{
    return {readPoints(map, "operations", Measure::Operations), readPoints(map, "bytes", Measure::Size)};
}

void readEfficiency(FieldContext& context, const YamlNode& node, ComputeConfig& config)
{
    MapReader map(context, node, "compute.efficiency", {"interpolation", "operations", "bytes", "kinds"});
    config.linear = map.choice<bool>("interpolation", {{"steps", false}, {"linear", true}}).value_or(false);
    config.efficiency = readTable(map);
    for (const auto& [item, field] : map.list("kinds")) {
        MapReader reader(context, *item, field, {"name", "operations", "bytes"});
        reader.required("name");
        config.kinds.push_back({reader.text("name").value_or(""), readTable(reader)});
    }
}

MemoryConfig readMemory(FieldContext& context, const YamlNode& node)
{
    MemoryConfig memory;
    MapReader map(context, node, "compute.memory", {"follow", "resident"});
    memory.follow = map.boolean("follow").value_or(true);
    const YamlNode* resident = map.node("resident");
    if (resident && resident->isScalar()) {
        if (auto bytes = map.quantity("resident", Measure::Size))
            memory.resident.push_back({"resident", std::move(*bytes), {}});
        return memory;
    }
    for (const auto& [item, field] : map.list("resident")) {
        MapReader reader(context, *item, field, {"name", "bytes", "ranks"});
        ResidentMemory entry;
        entry.name = reader.text("name").value_or("resident");
        reader.required("bytes");
        entry.bytes = reader.quantity("bytes", Measure::Size).value_or(Quantity{0, "B", Measure::Size});
        if (const auto ranks = reader.text("ranks")) {
            auto set = RankSet::parse(*ranks);
            if (set)
                entry.ranks = std::move(set).value();
            else
                reader.error("ranks", set.error().message, set.error().expected);
        }
        memory.resident.push_back(std::move(entry));
    }
    return memory;
}

YamlNode pointsTree(const std::vector<EfficiencyPoint>& points)
{
    YamlNode list = YamlNode::sequence();
    for (const EfficiencyPoint& point : points)
        list.items.push_back(MapBuilder().add("up_to", point.upTo).add("share", decimal(point.share)).take());
    return list;
}

YamlNode efficiencyTree(const ComputeConfig& config, bool all)
{
    MapBuilder map;
    if (!config.hasEfficiency())
        return map.take();
    if (all || config.linear)
        map.add("interpolation", config.linear ? "linear" : "steps");
    map.addFilled("operations", pointsTree(config.efficiency.operations)).addFilled("bytes", pointsTree(config.efficiency.bytes));
    YamlNode kinds = YamlNode::sequence();
    for (const EfficiencyKind& kind : config.kinds)
        kinds.items.push_back(MapBuilder().add("name", kind.name).addFilled("operations", pointsTree(kind.table.operations)).addFilled("bytes", pointsTree(kind.table.bytes)).take());
    return map.addFilled("kinds", std::move(kinds)).take();
}

YamlNode memoryTree(const MemoryConfig& memory)
{
    MapBuilder map;
    map.add("follow", memory.follow ? "true" : "false");
    YamlNode resident = YamlNode::sequence();
    for (const ResidentMemory& entry : memory.resident) {
        MapBuilder item;
        item.add("name", entry.name).add("bytes", entry.bytes);
        if (!entry.ranks.empty())
            item.add("ranks", entry.ranks.text());
        resident.items.push_back(item.take());
    }
    return map.addFilled("resident", std::move(resident)).take();
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
        if (config.memory) {
            for (std::size_t i = 0; i < config.memory->resident.size(); ++i) {
                const Quantity& bytes = config.memory->resident[i].bytes;
                if (bytes.measure != Measure::Size || !(bytes.value >= 0) || bytes.base() > 7e16)
                    add("compute.memory.resident[" + std::to_string(i) + "].bytes", "not a size", "a size of at most 64 PiB");
            }
        }
        if (config.slowdown) {
            checkFields<SlowdownConfig>(slowdownFields(), *config.slowdown, [this](const std::string& key, std::string message, std::string expected) {
                add("compute.slowdown." + key, std::move(message), std::move(expected));
            });
        }
        if (m_found.empty())
            findUnused(config);
        return std::move(m_found);
    }

private:
    void add(const std::string& field, std::string message, std::string expected)
    {
        m_found.push_back(finding("compute", invalidInput(std::move(message), m_design.place(field), std::move(expected))));
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
            if (!(point.share >= kLeastShare) || point.share > 1)
                add(entry + ".share", "not a share", "above 0, at most 1");
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

void readComputeSection(DesignReading& reading, const YamlNode& node)
{
    MapReader map(reading.fields, node, "compute", {"efficiency", "memory", "slowdown"});
    ComputeConfig config;
    if (const YamlNode* efficiency = map.node("efficiency"))
        readEfficiency(reading.fields, *efficiency, config);
    if (const YamlNode* memory = map.node("memory"))
        config.memory = readMemory(reading.fields, *memory);
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
        map.add("memory", memoryTree(*design.compute->memory));
    if (design.compute->slowdown)
        map.add("slowdown", fieldsTree(slowdownFields(), *design.compute->slowdown));
    return map.take();
}

Diagnostics validateCompute(const Design& design, const std::stop_token&)
{
    return design.compute ? Checker(design).run() : Diagnostics{};
}

} // namespace fabricscope
