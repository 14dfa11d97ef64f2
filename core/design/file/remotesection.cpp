#include "core/design/file/remotesection.h"

#include "core/base/showntext.h"
#include "core/design/file/sectionfields.h"
#include "core/formats/astra/memoryfile.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostDevices = 1 << 20;
constexpr double kLargestRate = 9e18;
constexpr double kLongestLatency = 86400; ///< Seconds.

using Kind = RemoteMemory::Kind;
constexpr KeyTable<Kind, 5> kKinds{{{"none", Kind::None}, {"per_npu", Kind::PerNpu}, {"per_node", Kind::PerNode}, {"pool", Kind::Pool}, {"hierarchical", Kind::Hierarchical}}};
constexpr KeyTable<MemoryPool::Spread, 2> kSpreads{{{"striped", MemoryPool::Spread::Striped}, {"home", MemoryPool::Spread::Home}}};

/// A figure that ASTRA-sim has as a whole number: of `step` base units (ps, B/s), of which one is called `unit`. Always written.
SectionField<RemoteMemory> wholeFigure(const char* key, std::int64_t RemoteMemory::* member, Measure measure, const char* unit, double step, const char* text, const char* expected)
{
    return {key, text,
            [=](const MapReader& map, RemoteMemory& memory) {
                const auto given = map.quantity(key, measure);
                if (!given)
                    return;
                const double scaled = static_cast<double>(measure == Measure::Time ? toSimTime(*given).ps : toBandwidth(*given).bytesPerSecond) / step;
                if (scaled != std::floor(scaled) || scaled > 9e15 || (scaled == 0 && given->value > 0))
                    map.error(key, quotedText(given->text()) + " is not possible here", expected);
                memory.*member = static_cast<std::int64_t>(std::min(scaled, 9e15));
            },
            [=](MapBuilder& map, const RemoteMemory& memory, const Writing&) { map.add(key, std::to_string(memory.*member) + ' ' + unit); },
            [](const RemoteMemory&, const auto&) {}, {}};
}

SectionField<RemoteMemory> kindField()
{
    return required(saidWord("kind", &RemoteMemory::kind, kKinds, "none, per_npu, per_node (one transfer at a time per node), pool (one at a time)"));
}

/// Of the pool that a memory may have.
SectionField<RemoteMemory> ofPool(SectionField<MemoryPool> field)
{
    return {field.key, field.text,
            [read = std::move(field.read)](const MapReader& map, RemoteMemory& memory) { read(map, memory.pool ? *memory.pool : memory.pool.emplace()); },
            [write = std::move(field.write)](MapBuilder& map, const RemoteMemory& memory, const Writing& how) {
                if (memory.pool)
                    write(map, *memory.pool, how);
            },
            [check = std::move(field.check)](const RemoteMemory& memory, const auto& tell) {
                if (memory.pool)
                    check(*memory.pool, tell);
            },
            {}};
}

const SectionFields<RemoteMemory>& fieldsOf(bool hierarchical)
{
    return hierarchical ? memoryPoolFields() : remoteMemoryFields();
}

void readMemoryFile(const MapReader& map, DesignReading& reading)
{
    if (map.map().entries.size() > 1)
        map.context().error(map.map(), map.path(), "a file and own figures are given", "only one of them");
    const auto path = reading.openable(map, "file");
    if (!path)
        return;
    auto read = loadAstraMemory(*path, reading.fields.diagnostics);
    if (!read)
        return reading.report(*map.node("file"), map.field("file"), read.error());
    reading.design.remoteMemory = read.value();
}

} // namespace

const SectionFields<DesignReading, RemoteMemory>& memoryFileFields()
{
    static const SectionFields<DesignReading, RemoteMemory> fields{{"file", "", readMemoryFile, [](MapBuilder&, const RemoteMemory&, const Writing&) {}, [](const RemoteMemory&, const auto&) {}, {}}};
    return fields;
}

const SectionFields<MemoryPool::Stage>& poolStageFields()
{
    using Config = MemoryPool::Stage;
    static const SectionFields<Config> fields{
        saidWhole("count", &Config::count, 1, kMostDevices, ""),
        checked(required(quantityField("bandwidth", &Config::bandwidth, Measure::Bandwidth, "")),
                [](const Config& stage, const auto& tell) {
                    if (stage.bandwidth.measure != Measure::Bandwidth || !(stage.bandwidth.value > 0))
                        tell("bandwidth", "no bandwidth", "a bandwidth above 0");
                    else if (static_cast<double>(stage.count) * stage.bandwidth.base() > kLargestRate)
                        tell("bandwidth", "all of them together are too fast", "at most 9 EB/s");
                }),
        checked(quantityField("latency", &Config::latency, Measure::Time, ""),
                [](const Config& stage, const auto& tell) {
                    if (stage.latency.measure != Measure::Time || !(stage.latency.value >= 0) || stage.latency.base() > kLongestLatency)
                        tell("latency", "not a latency", "a time of at most a day");
                }),
    };
    return fields;
}

const SectionFields<RemoteMemory>& remoteMemoryFields()
{
    using Config = RemoteMemory;
    static const SectionFields<Config> fields{
        kindField(),
        wholeFigure("latency", &Config::latencyNs, Measure::Time, "ns", 1e3, "whole ns", "a whole number of nanoseconds"),
        wholeFigure("bandwidth", &Config::bytesPerNs, Measure::Bandwidth, "GB/s", 1e9, "whole GB/s", "a whole number of GB/s"),
        wholeField("nodes", &Config::nodes, 1, INT32_MAX, "per_node only"),
        wholeField("npus_per_node", &Config::npusPerNode, 1, INT32_MAX, ""),
    };
    return fields;
}

const SectionFields<RemoteMemory>& memoryPoolFields()
{
    using Config = RemoteMemory;
    static const SectionFields<Config> fields{
        kindField(),
        checked(required(saidWhole("npus_per_node", &Config::npusPerNode, 1, INT32_MAX, "")),
                [](const Config& memory, const auto& tell) {
                    if (memory.npusPerNode < 1)
                        tell("npus_per_node", "a hierarchical pool needs the number of NPUs per node", "at least 1");
                }),
        ofPool(required(partField("in_node", &MemoryPool::inNode, poolStageFields, "switches of a node; port of each to one NPU"))),
        ofPool(required(partField("out_node", &MemoryPool::outNode, poolStageFields, "switches of the machine; port of each to one node"))),
        ofPool(required(partField("groups", &MemoryPool::groups, poolStageFields, "memories; loads and stores together"))),
        ofPool(saidWord("spread", &MemoryPool::spread, kSpreads, "every access from all groups; home: from group (NPU mod groups)")),
        ofPool(checked(givenQuantity("piece", &MemoryPool::piece, Measure::Size, "of accesses; left out: as messages"),
                       [](const MemoryPool& pool, const auto& tell) {
                           if (pool.piece && (pool.piece->measure != Measure::Size || !(pool.piece->base() >= 1) || pool.piece->base() > 1e15))
                               tell("piece", "not a size of pieces", "1 B to 1 PB");
                       })),
    };
    return fields;
}

void readRemoteMemory(DesignReading& reading, const YamlNode& node)
{
    const YamlEntry* kind = node.isMap() ? node.find("kind") : nullptr;
    const bool hierarchical = kind && kind->value.isScalar() && kind->value.text == keyOf(kKinds, Kind::Hierarchical);
    std::vector<std::string_view> keys = keysOf(fieldsOf(hierarchical));
    if (!hierarchical)
        std::ranges::copy(keysOf(memoryFileFields()), std::back_inserter(keys));
    const MapReader map(reading.fields, node, "platform.remote_memory", keys);
    if (map.has("file"))
        readFields(map, memoryFileFields(), reading);
    else
        readFields(map, fieldsOf(hierarchical), reading.design.remoteMemory);
}

YamlNode remoteMemoryTree(const RemoteMemory& memory)
{
    return memory == RemoteMemory{} ? YamlNode::map() : fieldsTree(fieldsOf(memory.pool.has_value()), memory);
}

Status checkMemoryPool(const RemoteMemory& memory)
{
    Place place;
    place.field = "platform.remote_memory";
    const std::string section = place.field + '.';
    if (!memory.pool)
        return invalidInput("a hierarchical pool needs its switches and groups", place, "in_node, out_node and groups");
    Status first;
    checkFields<RemoteMemory>(memoryPoolFields(), memory, [&](const std::string& key, std::string message, std::string expected) {
        if (!first)
            return;
        place.field = section + key;
        first = invalidInput(std::move(message), place, std::move(expected));
    });
    return first;
}

} // namespace fabricscope
