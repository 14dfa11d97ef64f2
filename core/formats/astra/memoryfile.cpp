#include "core/formats/astra/memoryfile.h"

#include "core/base/files/textfile.h"
#include "core/formats/jsonfields.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

// In the order of RemoteMemory::Kind.
constexpr std::array<std::string_view, 4> kTypes{"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"};
constexpr std::array<std::string_view, 5> kKeys{"memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node"};
constexpr std::int64_t kMaxLatencyNs = 100'000'000'000; // 100 s
constexpr std::int64_t kMaxBytesPerNs = 1'000'000'000;  // 10^18 B/s

} // namespace

Result<RemoteMemory> readAstraMemory(const std::string& text, const std::string& file, Diagnostics& diagnostics)
{
    auto document = parseJson(text, file);
    if (!document)
        return std::move(document).error();
    JsonFields fields(document.value(), diagnostics);
    RemoteMemory memory;
    const std::string type = fields.word("memory-type", kTypes);
    if (!fields.has("memory-type"))
        fields.refuse("memory-type", "the key is missing", "one of NO_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION, MEMORY_POOL");
    if (const auto found = std::find(kTypes.begin(), kTypes.end(), type); found != kTypes.end())
        memory.kind = static_cast<RemoteMemory::Kind>(found - kTypes.begin());
    memory.latencyNs = fields.integer("remote-mem-latency", 0, 0, kMaxLatencyNs);
    memory.bytesPerNs = fields.integer("remote-mem-bw", 0, 0, kMaxBytesPerNs);
    memory.nodes = static_cast<std::int32_t>(fields.integer("num-nodes", 0, 0));
    memory.npusPerNode = static_cast<std::int32_t>(fields.integer("num-npus-per-node", 0, 0));
    if (memory.kind != RemoteMemory::Kind::None && memory.bytesPerNs == 0)
        fields.refuse("remote-mem-bw", "no bandwidth for " + type, "whole bytes per ns (10^9 B/s), 1 or more");
    if (memory.kind == RemoteMemory::Kind::PerNode && memory.nodes == 0)
        fields.refuse("num-nodes", "no nodes for " + type, "1 or more");
    if (memory.kind == RemoteMemory::Kind::PerNode && memory.npusPerNode == 0)
        fields.refuse("num-npus-per-node", "no NPUs per node for " + type, "1 or more");
    if (auto status = fields.status(); !status)
        return std::move(status).error();
    fields.warnUnknown(kKeys);
    return memory;
}

Result<RemoteMemory> loadAstraMemory(const std::string& path, Diagnostics& diagnostics)
{
    auto text = readTextFile(path);
    if (!text)
        return std::move(text).error();
    return readAstraMemory(text.value(), path, diagnostics);
}

} // namespace fabricscope
