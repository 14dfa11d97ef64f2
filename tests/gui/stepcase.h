#pragma once

#include "core/run/rundesign.h"
#include "core/step/collectivereplay.h"
#include "tests/unit/support/cases/linkscase.h"
#include "widgets/step/loader.h"

#include <QtTest>

#include <string>

namespace fabricscope::test {

/// Bytes of a block and times of the hand-made cases: 1 MiB over 1 GB/s takes 1 048.576 us, a hop 1 us.
constexpr std::int64_t kBlock = std::int64_t{1} << 20;
constexpr std::int64_t kSendPs = kBlock * 1000;
constexpr std::int64_t kHopPs = 1'000'000;

inline PlatformSpec oneDimension(Shape shape, int size)
{
    PlatformSpec spec;
    spec.dimensions = {Dimension{shape, size, Quantity{1, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}}};
    return spec;
}

/// An all-reduce of one block per rank and chunk over one dimension.
inline ScenarioPtr allReduce(Shape shape, int size, Algorithm algorithm, int chunks = 1)
{
    LinksScenario scenario(oneDimension(shape, size));
    scenario.collectiveByAll(CollectiveOp::AllReduce, kBlock * size * chunks, {algorithm}, chunks);
    return std::make_shared<const Scenario>(scenario.build());
}

inline LoadedSteps stepsOf(const ScenarioPtr& scenario, int instance = 0)
{
    auto replay = CollectiveReplay::create(scenario, instance);
    if (!replay)
        qFatal("%s", replay.error().text().c_str());
    return {replay.value(), verifySteps(replay.value())};
}

inline RunResultPtr runOf(const std::string& yaml)
{
    auto design = readDesignText(yaml, "design.yaml");
    if (!design)
        qFatal("%s", design.error().text().c_str());
    auto run = runDesign(std::make_shared<const Design>(design.value().design), design.value().diagnostics, {});
    if (!run)
        qFatal("%s", run.error().text().c_str());
    return run.value();
}

/// 128 NPUs; the gradients of every 16 that differ only in pod and place are summed: ring inside, direct across, 4 chunks.
inline const char* const kPod = R"(fabricscope: 1
name: Two-tier pod
platform:
  dimensions:
    - {shape: fully_connected, size: 8, bandwidth: 100 GB/s, latency: 700 ns}
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
    - {shape: switch, size: 4, bandwidth: 25 GB/s, latency: 2.5 us}
  npu: {memory_bandwidth: 2 TB/s}
workload:
  groups:
    - {name: data, dimensions: [1, 2]}
  steps:
    - {compute: 1 ms, name: backward}
    - {collective: all_reduce, size: 48 MiB, group: data, name: gradient sum}
    - {collective: all_reduce, size: 12 MiB, group: data, name: loss}
collectives:
  default: {algorithm: [direct, ring, direct], chunks: 4}
)";

} // namespace fabricscope::test
