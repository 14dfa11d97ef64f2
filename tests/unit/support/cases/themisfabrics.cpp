#include "tests/unit/support/cases/themisfabrics.h"

#include "core/platform/presets.h"
#include "core/scenario/lowering.h"

#include <cstdio>
#include <cstdlib>

namespace fabricscope::test {

namespace {

[[noreturn]] void fail(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.text().c_str());
    std::abort();
}

PlatformSpec switches(const std::vector<std::pair<std::int32_t, double>>& sizesAndGBps, const Quantity& latency)
{
    PlatformSpec platform;
    for (const auto& [size, rate] : sizesAndGBps)
        platform.dimensions.push_back({Shape::Switch, size, {rate, "GB/s", Measure::Bandwidth}, true, latency});
    return platform;
}

} // namespace

std::vector<ThemisFabric> themisFabrics()
{
    std::vector<ThemisFabric> fabrics;
    for (const char* name : {"conv-3d", "conv-4d"}) {
        auto platform = presetPlatform(name);
        if (!platform)
            fail(platform.error());
        fabrics.push_back({name, std::move(platform).value()});
    }
    const Quantity latency = fabrics[0].platform.dimensions[0].latency;
    fabrics.push_back({"2-D 16 x 64", switches({{16, 300}, {64, 100}}, latency)});
    fabrics.push_back({"3-D 16 x 8 x 8", switches({{16, 800}, {8, 200}, {8, 100}}, latency)});
    return fabrics;
}

Design themisDesign(const PlatformSpec& platform, DimensionScheduler scheduler, InsideScheduler inside)
{
    Design design;
    design.platform = std::make_shared<const PlatformSpec>(platform);
    design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, {1, "GiB", Measure::Size}});
    design.collectives.defaults.chunks = 64;
    SchedulingConfig config;
    config.dimensions = scheduler;
    config.inside = inside;
    design.scheduling = std::make_shared<const SchedulingConfig>(config);
    return design;
}

RunRecord runDesign(const Design& design, EngineChoice engine)
{
    auto scenario = prepare(design);
    if (!scenario)
        fail(scenario.error());
    RunOptions options;
    options.engine = engine;
    auto record = simulate(*scenario.value(), options);
    if (!record)
        fail(record.error());
    return std::move(record).value();
}

double utilisation(const PlatformSpec& platform, const RunRecord& record)
{
    double sent = 0;
    double bandwidth = 0;
    double npus = 1;
    for (const Dimension& dimension : platform.dimensions)
        npus *= dimension.size;
    for (std::size_t d = 0; d < platform.dimensions.size(); ++d) {
        const bool twice = platform.dimensions[d].shape == Shape::Switch; // up and down
        sent += static_cast<double>(record.dimensions[d].bytes) / npus / (twice ? 2 : 1);
        bandwidth += static_cast<double>(platform.dimensions[d].npuBandwidth().bytesPerSecond);
    }
    return sent / bandwidth / (static_cast<double>(record.finish.ps) * 1e-12);
}

} // namespace fabricscope::test
