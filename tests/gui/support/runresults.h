#pragma once

#include "core/design/design.h"
#include "core/run/rundesign.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "sourcedir.h"

#include <stdexcept>
#include <string>

namespace fabricscope::test {

/// A design run to its end; throws what it is refused for.
inline RunResultPtr runText(const std::string& text)
{
    auto design = readDesignText(text, "test.yaml");
    if (!design)
        throw std::runtime_error(design.error().text());
    auto result = runDesign(std::make_shared<const Design>(design.value().design), {}, {});
    if (!result)
        throw std::runtime_error(result.error().text());
    return result.value();
}

/// An example of resources/examples, run to its end.
inline RunResultPtr runExample(const std::string& name)
{
    auto design = readDesign(std::string(FABRICSCOPE_SOURCE_DIR) + "/resources/examples/" + name);
    if (!design)
        throw std::runtime_error(design.error().text());
    auto result = runDesign(std::make_shared<const Design>(design.value().design), {}, {});
    if (!result)
        throw std::runtime_error(result.error().text());
    return result.value();
}

/// A made-up record as a result, on a platform of its own.
inline RunResultPtr resultOf(const SyntheticRun& run, PlatformSpec spec)
{
    auto platform = Platform::create(std::move(spec));
    if (!platform)
        throw std::runtime_error(platform.error().text());
    auto structure = std::make_shared<Structure>(Structure{platform.value(), Placement::identity(run.record->rankCount), run.workload, {}, {}, 0, {}, {}, {}});
    auto scenario = std::make_shared<Scenario>();
    scenario->structure = structure;
    auto result = std::make_shared<RunResult>();
    result->design = std::make_shared<const Design>();
    result->scenario = scenario;
    result->summary.record = run.record;
    result->timeline = TimelineSource::create(run.record, run.workload);
    return result;
}

inline Dimension testDimension(Shape shape, std::int32_t size, double gigabytes, double microseconds = 1)
{
    return {shape, size, Quantity{gigabytes, "GB/s", Measure::Bandwidth}, false, Quantity{microseconds, "us", Measure::Time}};
}

/// FullyConnected(8) x Ring(4) x Switch(4), for trainingStep().
inline PlatformSpec podPlatform()
{
    PlatformSpec pod;
    pod.dimensions = {testDimension(Shape::FullyConnected, 8, 64.3, 0.7), testDimension(Shape::Ring, 4, 50), testDimension(Shape::Switch, 4, 25, 2.5)};
    return pod;
}

/// Two ranks on a ring of 50 GB/s and 1 us. Rank 0 computes 100 us, rank 1 250 us, then both all-reduce 2 MB in one chunk:
/// two steps of 1 MB, 20 us + 1 us each. Rank 0 has sent its half at 121 us, so at 250 us rank 1 sends both of its halves one after the
/// other: rank 0 is done at 250 + 20 + 20 + 1 = 291 us. Rank 0 has the first at 271 us and answers: rank 1 is done at 271 + 21 = 292 us.
inline const char* const kTwoRanks = R"(fabricscope: 1
name: Two ranks
platform:
  dimensions:
    - {shape: ring, size: 2, bandwidth: 50 GB/s, latency: 1 us}
workload:
  steps:
    - {compute: 100 us, ranks: 0, name: quick}
    - {compute: 250 us, ranks: 1, name: slow}
    - {collective: all_reduce, size: 2 MB, name: sum, after: [quick, slow]}
collectives:
  default: {algorithm: ring, chunks: 1}
)";

/// One link of a ring has a quarter of the rate of the others.
inline constexpr const char* kOddLink = R"(fabricscope: 1
platform:
  dimensions:
    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}
  overrides:
    links:
      - {link: "d0 2>3", bandwidth: 12.5 GB/s}
workload: {collective: all_reduce, size: 4 MB}
collectives: {default: {algorithm: ring, chunks: 1}}
)";

} // namespace fabricscope::test
