#include "core/platform/valueranges.h"

#include "core/base/decimal.h"
#include "core/base/stop.h"

#include <array>
#include <cassert>
#include <optional>
#include <vector>

namespace fabricscope {

const ValueRange& valueRange(Meaning meaning)
{
    constexpr double kPicosecond = 1e-12;
    static constexpr std::array<ValueRange, 8> kRanges{{
        {Meaning::Rate, Measure::Bandwidth, false, 1e3, 1e18, "1 kB/s to 1 EB/s"},                                // A modem; a wafer's memory a thousand times over.
        {Meaning::Latency, Measure::Time, true, kPicosecond, 100, "0 s, or 1 ps to 100 s"},
        {Meaning::Memory, Measure::Size, false, 1e3, 1e18, "1 kB to 1 EB"},
        {Meaning::ComputeRate, Measure::ComputeRate, false, 1e6, 1e21, "1 MFLOP/s to 1000 EFLOP/s"},
        {Meaning::Buffer, Measure::Size, false, static_cast<double>(kMinOffloadBuffer), 1e18, "4 KiB to 1 EB"},
        {Meaning::Data, Measure::Size, true, 1, 1e18, "0 B, or 1 B to 1 EB"},
        {Meaning::Duration, Measure::Time, true, kPicosecond, 1e6, "0 s, or 1 ps to 1000000 s"},                 // Simulated time ends at 106 days.
        {Meaning::Operations, Measure::Operations, true, 1, 9.3e18, "0 FLOP, or 1 FLOP to 9.2 EFLOP"},           // 63 bits.
    }};
    for (const ValueRange& range : kRanges) {
        if (range.meaning == meaning)
            return range;
    }
    assert(false);
    return kRanges[0];
}

namespace {

Status refuse(const std::string& value, const std::string& field, std::string expected)
{
    Place place;
    place.field = field;
    return invalidInput(value + " cannot be meant", std::move(place), std::move(expected));
}

} // namespace

Status checkValue(const Quantity& value, Meaning meaning, const std::string& field)
{
    const ValueRange& range = valueRange(meaning);
    const double base = value.base();
    // 1 ps is not exactly 1e-12 s.
    const bool inside = (range.zero && value.value == 0) || (base >= range.least * (1 - 1e-9) && base <= range.most);
    return inside ? Status{} : refuse(value.text(), field, range.text);
}

Status checkFactor(double value, const std::string& field)
{
    return value >= kLeastFactor && value <= kMostFactor ? Status{} : refuse(decimal(value), field, "a factor of 0.000001 to 1000000");
}

Status checkShare(double value, const std::string& field)
{
    return value == 0 || value >= kLeastMeantShare ? Status{} : refuse(decimal(value), field, "0, or at least 0.000001");
}

namespace {

/// Goes through the figures; keeps the first that is out of its range. Names of fields are made for that one only: there may be millions of links.
class Figures {
public:
    void add(const std::optional<Quantity>& value, Meaning meaning, const char* list, std::size_t index, const char* key)
    {
        if (!value || !m_status)
            return;
        if (const Status found = checkValue(*value, meaning, {}); !found)
            m_status = checkValue(*value, meaning, std::string(list) + '[' + std::to_string(index) + "]." + key);
    }
    void add(const std::optional<Quantity>& value, Meaning meaning, const char* field)
    {
        if (value && m_status)
            m_status = checkValue(*value, meaning, field);
    }
    void addFactor(const std::optional<double>& value, const char* list, std::size_t index, const char* key)
    {
        if (value && m_status)
            m_status = checkFactor(*value, std::string(list) + '[' + std::to_string(index) + "]." + key);
    }
    void add(const std::optional<SwitchOffload>& offload, const char* list, std::size_t index)
    {
        if (!offload)
            return;
        add(offload->reduction, Meaning::Rate, list, index, "in_network.reduction");
        add(offload->multicast, Meaning::Rate, list, index, "in_network.multicast");
        add(offload->buffer, Meaning::Buffer, list, index, "in_network.buffer");
        add(offload->latency, Meaning::Latency, list, index, "in_network.latency");
    }
    Status take() { return std::move(m_status); }

private:
    Status m_status;
};

} // namespace

Status checkValues(const PlatformSpec& spec, const std::stop_token& stop)
{
    Figures figures;
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        const Dimension& dimension = spec.dimensions[i];
        if (dimension.size < 2)
            continue; // Without links.
        constexpr const char* kList = "platform.dimensions";
        figures.add(dimension.bandwidth, Meaning::Rate, kList, i, dimension.bandwidthIsPerNpu ? "npu_bandwidth" : "bandwidth");
        figures.add(dimension.latency, Meaning::Latency, kList, i, "latency");
        figures.add(dimension.offload, kList, i);
        figures.add(dimension.crossbar, Meaning::Rate, kList, i, "crossbar");
    }
    for (const auto& [node, offload] : spec.nodes.offloads())
        figures.add(offload, "platform.nodes", node);
    for (const auto& [node, rate] : spec.nodes.crossbars())
        figures.add(rate, Meaning::Rate, "platform.nodes", node, "crossbar");
    std::vector<bool> seen(spec.links.figures().size(), false); // What is wrong is found at the first link that has it.
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        checkStop(stop);
        const std::uint32_t kind = spec.links.figuresOf(i);
        if (seen[kind])
            continue;
        seen[kind] = true;
        figures.add(spec.links.figures()[kind].bandwidth, Meaning::Rate, "platform.links", i, "bandwidth");
        figures.add(spec.links.figures()[kind].latency, Meaning::Latency, "platform.links", i, "latency");
    }
    figures.add(spec.npu.peak, Meaning::ComputeRate, "platform.npu.peak");
    figures.add(spec.npu.memoryBandwidth, Meaning::Rate, "platform.npu.memory_bandwidth");
    figures.add(spec.npu.memory, Meaning::Memory, "platform.npu.memory");
    figures.add(spec.npu.injection, Meaning::Rate, "platform.budgets.injection");
    figures.add(spec.npu.ejection, Meaning::Rate, "platform.budgets.ejection");
    for (std::size_t i = 0; i < spec.linkOverrides.size(); ++i) {
        figures.add(spec.linkOverrides[i].bandwidth, Meaning::Rate, "platform.overrides.links", i, "bandwidth");
        figures.add(spec.linkOverrides[i].latency, Meaning::Latency, "platform.overrides.links", i, "latency");
    }
    for (std::size_t i = 0; i < spec.npuOverrides.size(); ++i) {
        constexpr const char* kList = "platform.overrides.npus";
        figures.addFactor(spec.npuOverrides[i].speed, kList, i, "speed");
        figures.add(spec.npuOverrides[i].peak, Meaning::ComputeRate, kList, i, "peak");
        figures.add(spec.npuOverrides[i].memoryBandwidth, Meaning::Rate, kList, i, "memory_bandwidth");
        figures.add(spec.npuOverrides[i].memory, Meaning::Memory, kList, i, "memory");
    }
    return figures.take();
}

Status checkValues(const RemoteMemory& memory)
{
    using Kind = RemoteMemory::Kind;
    Figures figures;
    if (memory.kind == Kind::Hierarchical && memory.pool) {
        const auto stage = [&](const MemoryPool::Stage& entry, const char* bandwidth, const char* latency) {
            figures.add(entry.bandwidth, Meaning::Rate, bandwidth);
            figures.add(entry.latency, Meaning::Latency, latency);
        };
        stage(memory.pool->inNode, "platform.remote_memory.in_node.bandwidth", "platform.remote_memory.in_node.latency");
        stage(memory.pool->outNode, "platform.remote_memory.out_node.bandwidth", "platform.remote_memory.out_node.latency");
        stage(memory.pool->groups, "platform.remote_memory.groups.bandwidth", "platform.remote_memory.groups.latency");
    } else if (memory.kind != Kind::None && memory.kind != Kind::Hierarchical) {
        figures.add(Quantity{static_cast<double>(memory.bytesPerNs), "GB/s", Measure::Bandwidth}, Meaning::Rate, "platform.remote_memory.bandwidth");
        figures.add(Quantity{static_cast<double>(memory.latencyNs), "ns", Measure::Time}, Meaning::Latency, "platform.remote_memory.latency");
    }
    return figures.take();
}

} // namespace fabricscope
