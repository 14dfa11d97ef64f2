#include "tests/unit/support/cases/sweepcase.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <random>

namespace fabricscope::test {

CaseSpec sweepCase(std::uint64_t seed, const SweepLimits& limits)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
    const std::int64_t dimensions = limits.alike ? 3 : 1 + below(4);
    std::vector<CaseSpec::Dim> dims;
    std::int64_t npus = 1;
    for (std::int64_t d = 0; d < dimensions; ++d) {
        CaseSpec::Dim dim;
        dim.shape = std::array{Shape::Ring, Shape::FullyConnected, Shape::Switch}[at(below(3))];
        dim.size = static_cast<std::int32_t>(2 + below(dimensions == 1 ? 14 : (limits.alike ? 3 : 5)));
        if (npus * dim.size > 64)
            dim.size = npus * 2 > 64 ? 1 : 2;
        npus *= dim.size;
        dim.rate = limits.equal ? 1'000'000'000 : 1'000'000'000 + below(8'000'000'000);
        dim.latencyPs = limits.equal ? 1000 * below(3) : below(300'000);
        dims.push_back(dim);
    }
    std::vector<std::int32_t> extents;
    for (const CaseSpec::Dim& dim : dims) {
        if (dim.size > 1)
            extents.push_back(dim.size);
    }
    const CollectiveOp op = std::array{CollectiveOp::AllReduce, CollectiveOp::AllReduce, CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather,
                                       CollectiveOp::AllToAll}[at(below(6))];
    const auto chunks = static_cast<std::int32_t>(1 + below(6));
    std::int64_t bytes = npus * chunks * (limits.equal ? 1000 : 1 + below(4000));
    if (limits.uneven)
        bytes += below(bytes);
    TemplateBody body = standardBody(op, extents, std::vector<Algorithm>(extents.size(), Algorithm::Ring));
    for (PhaseTemplate& phase : body.phases)
        phase.minus = below(8) == 0;
    const auto along = std::find_if(dims.begin(), dims.end(), [](const CaseSpec::Dim& dim) { return dim.size > 2; });
    if (extents.size() == 1 && along != dims.end() && along->shape != Shape::Switch && below(2) == 0) { // Some chunks go the other way round.
        body.orders.push_back(body.phases);
        for (std::size_t number = 0; number < body.phases.size(); ++number) {
            body.phases[number].minus = false;
            body.orders.front()[number].minus = true;
        }
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
            body.orderOfChunk.push_back(static_cast<std::uint16_t>(below(2)));
    }
    CaseSpec spec = worldCollective(dims, op, bytes, chunks, body);
    spec.model = below(5) == 0 && !limits.uneven ? Model::Ideal : Model::Links;
    spec.pieceBytes = std::array<std::int64_t, 3>{256 * 1024, 700, 1000}[at(below(3))];
    spec.endpointDelayPs = below(3) == 0 ? (limits.equal ? 1000 : below(50'000)) : 0;
    if (!limits.overrides)
        return spec;
    const std::int64_t links = build(spec).value().structure->platform.linkCount();
    std::vector<LinkId> chosen;
    for (std::int64_t left = limits.alike ? 1 + below(4) : (below(2) == 0 ? 1 : 1 + below(links)); left > 0; --left)
        chosen.push_back(below(links));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const LinkId link : chosen) {
        CaseSpec::Override entry;
        entry.link = link;
        entry.rate = limits.equal || limits.alike ? 500'000'000 : 200'000'000 + below(5'000'000'000);
        entry.latencyPs = limits.equal || limits.alike ? 1000 * below(3) : below(400'000);
        spec.overrides.push_back(entry);
    }
    return spec;
}

} // namespace fabricscope::test
