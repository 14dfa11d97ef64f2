#include "core/platform/valueranges.h"

#include <array>
#include <cassert>
#include <cmath>
#include <optional>

namespace fabricscope {

const ValueRange& valueRange(Measure measure)
{
    static constexpr std::array<ValueRange, 4> kRanges{{
        {Measure::Bandwidth, 1e3, 1e18, "1 kB/s to 1 EB/s"},          // A modem; a wafer's memory a thousand times over.
        {Measure::Time, 0, 100, "0 s to 100 s"},                      // Latencies.
        {Measure::Size, 1e3, 1e18, "1 kB to 1 EB"},                   // Memories.
        {Measure::ComputeRate, 1e6, 1e21, "1 MFLOP/s to 1000 EFLOP/s"}, // Of one NPU.
    }};
    for (const ValueRange& range : kRanges) {
        if (range.measure == measure)
            return range;
    }
    assert(false);
    return kRanges[0];
}

Status checkValue(const Quantity& value, const std::string& field)
{
    const ValueRange& range = valueRange(value.measure);
    const double base = value.base();
    if (base >= range.least && base <= range.most)
        return {};
    Place place;
    place.field = field;
    return invalidInput(value.text() + " cannot be meant", std::move(place), range.text);
}

namespace {

/// Goes through the figures; keeps the first that is out of its range.
class Figures {
public:
    void add(const std::optional<Quantity>& value, const std::string& list, std::size_t index, const char* key)
    {
        if (!value || !m_status)
            return;
        if (const Status found = checkValue(*value, {}); !found)
            m_status = checkValue(*value, list + '[' + std::to_string(index) + "]." + key);
    }
    void add(const std::optional<Quantity>& value, const char* field)
    {
        if (value && m_status)
            m_status = checkValue(*value, field);
    }
    Status take() { return std::move(m_status); }

private:
    Status m_status;
};

} // namespace

Status checkValues(const PlatformSpec& spec)
{
    Figures figures;
    for (std::size_t i = 0; i < spec.dimensions.size(); ++i) {
        const Dimension& dimension = spec.dimensions[i];
        if (dimension.size < 2)
            continue; // Without links.
        figures.add(dimension.bandwidth, "platform.dimensions", i, dimension.bandwidthIsPerNpu ? "npu_bandwidth" : "bandwidth");
        figures.add(dimension.latency, "platform.dimensions", i, "latency");
    }
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        figures.add(spec.links[i].bandwidth, "platform.links", i, "bandwidth");
        figures.add(spec.links[i].latency, "platform.links", i, "latency");
    }
    figures.add(spec.npu.peak, "platform.npu.peak");
    figures.add(spec.npu.memoryBandwidth, "platform.npu.memory_bandwidth");
    figures.add(spec.npu.memory, "platform.npu.memory");
    figures.add(spec.npu.injection, "platform.budgets.injection");
    figures.add(spec.npu.ejection, "platform.budgets.ejection");
    for (std::size_t i = 0; i < spec.linkOverrides.size(); ++i) {
        figures.add(spec.linkOverrides[i].bandwidth, "platform.overrides.links", i, "bandwidth");
        figures.add(spec.linkOverrides[i].latency, "platform.overrides.links", i, "latency");
    }
    for (std::size_t i = 0; i < spec.npuOverrides.size(); ++i) {
        figures.add(spec.npuOverrides[i].peak, "platform.overrides.npus", i, "peak");
        figures.add(spec.npuOverrides[i].memoryBandwidth, "platform.overrides.npus", i, "memory_bandwidth");
        figures.add(spec.npuOverrides[i].memory, "platform.overrides.npus", i, "memory");
    }
    return figures.take();
}

} // namespace fabricscope
