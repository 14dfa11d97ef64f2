#include "core/design/file/poolsection.h"

#include "core/design/file/sectiontree.h"

namespace fabricscope {

namespace {

constexpr std::int32_t kMostDevices = 1 << 20;
constexpr double kLargestRate = 9e18;
constexpr double kLongestLatency = 86400; ///< Seconds.

MemoryPool::Stage readStage(const MapReader& map, std::string_view key)
{
    MemoryPool::Stage stage;
    const YamlNode* node = map.required(key);
    if (!node)
        return stage;
    MapReader reader(map.context(), *node, map.field(key), {"count", "bandwidth", "latency"});
    stage.count = reader.integer32("count", 1, kMostDevices).value_or(1);
    reader.required("bandwidth");
    stage.bandwidth = reader.quantity("bandwidth", Measure::Bandwidth).value_or(Quantity{0, "GB/s", Measure::Bandwidth});
    if (auto latency = reader.quantity("latency", Measure::Time))
        stage.latency = std::move(*latency);
    return stage;
}

YamlNode stageTree(const MemoryPool::Stage& stage)
{
    return MapBuilder().add("count", std::int64_t{stage.count}).add("bandwidth", stage.bandwidth).add("latency", stage.latency).take();
}

Status checkStage(const MemoryPool::Stage& stage, const std::string& key)
{
    const auto at = [&](const char* field) {
        Place place;
        place.field = "platform.remote_memory." + key + field;
        return place;
    };
    if (stage.count < 1 || stage.count > kMostDevices)
        return invalidInput(std::to_string(stage.count) + " is not possible here", at(".count"), "1 to " + std::to_string(kMostDevices));
    if (stage.bandwidth.measure != Measure::Bandwidth || !(stage.bandwidth.value > 0))
        return invalidInput("no bandwidth", at(".bandwidth"), "a bandwidth above 0");
    if (static_cast<double>(stage.count) * stage.bandwidth.base() > kLargestRate)
        return invalidInput("all of them together are too fast", at(".bandwidth"), "at most 9 EB/s");
    if (stage.latency.measure != Measure::Time || !(stage.latency.value >= 0) || stage.latency.base() > kLongestLatency)
        return invalidInput("not a latency", at(".latency"), "a time of at most a day");
    return {};
}

} // namespace

MemoryPool readMemoryPool(const MapReader& map)
{
    MemoryPool pool;
    map.required("npus_per_node");
    pool.inNode = readStage(map, "in_node");
    pool.outNode = readStage(map, "out_node");
    pool.groups = readStage(map, "groups");
    pool.spread = map.choice<MemoryPool::Spread>("spread", {{"striped", MemoryPool::Spread::Striped}, {"home", MemoryPool::Spread::Home}})
                      .value_or(MemoryPool::Spread::Striped);
    pool.piece = map.quantity("piece", Measure::Size);
    return pool;
}

void addMemoryPool(const MemoryPool& pool, YamlNode& map)
{
    MapBuilder more;
    more.add("in_node", stageTree(pool.inNode)).add("out_node", stageTree(pool.outNode)).add("groups", stageTree(pool.groups));
    more.add("spread", pool.spread == MemoryPool::Spread::Striped ? "striped" : "home").add("piece", pool.piece);
    YamlNode tree = more.take();
    for (YamlEntry& entry : tree.entries)
        map.entries.push_back(std::move(entry));
}

Status checkMemoryPool(const RemoteMemory& memory)
{
    Place place;
    place.field = "platform.remote_memory";
    if (!memory.pool)
        return invalidInput("a hierarchical pool needs its switches and groups", place, "in_node, out_node and groups");
    if (memory.npusPerNode < 1) {
        place.field += ".npus_per_node";
        return invalidInput("a hierarchical pool needs the number of NPUs per node", place, "at least 1");
    }
    const std::pair<const char*, const MemoryPool::Stage*> stages[] = {{"in_node", &memory.pool->inNode}, {"out_node", &memory.pool->outNode}, {"groups", &memory.pool->groups}};
    for (const auto& [key, stage] : stages) {
        if (Status status = checkStage(*stage, key); !status)
            return status;
    }
    if (memory.pool->piece && (memory.pool->piece->measure != Measure::Size || !(memory.pool->piece->base() >= 1) || memory.pool->piece->base() > 1e15)) {
        place.field += ".piece";
        return invalidInput("not a size of pieces", place, "1 B to 1 PB");
    }
    return {};
}

} // namespace fabricscope
