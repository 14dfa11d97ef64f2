// Rings that templates cannot say: whole blocks both ways (manual: collectives 2.2), several rings, Hamiltonian rings of tori (manual: collectives 2.3).
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/hamiltonian.h"
#include "core/generate/writer.h"

#include <algorithm>
#include <numeric>

namespace fabricscope::generate {

namespace {

/// Where the vector is worked on: in place.
Writer::Spot spotOf(const Writer& writer, CollectiveOp op, std::int32_t piece, std::int32_t block)
{
    return op == CollectiveOp::AllGather ? writer.output(piece, block) : writer.input(piece, block);
}

/// The ring algorithm (manual: collectives 2.1) over every cycle of ranks, each with its own part of the vector.
ProgramPtr alongRings(const GenerateRequest& request, const std::vector<std::vector<std::int32_t>>& rings)
{
    const std::int32_t ranks = ranksOf(request);
    const auto count = static_cast<std::int32_t>(rings.size());
    Writer writer(request.op, ranks, request.chunks, ranks * count);
    writer.heed(request.stop);
    const auto blockOf = [&](std::int32_t ring, std::int32_t owner) { return request.op == CollectiveOp::AllReduce ? ring * ranks + owner : owner * count + ring; };
    for (const bool reduces : {true, false}) {
        if (reduces ? !hasScatter(request.op) : !hasGather(request.op))
            continue;
        for (std::int32_t step = 0; step + 1 < ranks; ++step) {
            for (std::int32_t ring = 0; ring < count; ++ring) {
                const std::vector<std::int32_t>& order = rings[static_cast<std::size_t>(ring)];
                const auto rankAt = [&](std::int32_t position) { return order[static_cast<std::size_t>(modulo(position, ranks))]; };
                for (std::int32_t position = 0; position < ranks; ++position) {
                    const std::int32_t block = blockOf(ring, rankAt(position - step - (reduces ? 1 : 0)));
                    for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                        const Writer::Spot spot = spotOf(writer, request.op, piece, block);
                        const Writer::Where where{.piece = piece, .phase = reduces || request.op == CollectiveOp::AllGather ? 0 : 1, .step = step, .tree = ring};
                        if (reduces)
                            writer.sendAndReduce(rankAt(position), spot, rankAt(position + 1), spot, spot, 1, writer.chunk(piece, block), where);
                        else
                            writer.send(rankAt(position), spot, rankAt(position + 1), spot, 1, writer.chunk(piece, block), where);
                    }
                }
            }
        }
    }
    return writer.finish(request, true, false);
}

std::int32_t phasesOf(CollectiveOp op)
{
    return (hasScatter(op) ? 1 : 0) + (hasGather(op) ? 1 : 0);
}

/// Traffic of alongRings().
void ringTraffic(const GenerateRequest& request, const std::vector<std::vector<std::int32_t>>& rings, const TrafficSink& sink)
{
    const std::int32_t ranks = ranksOf(request);
    const std::int32_t steps = (ranks - 1) * phasesOf(request.op);
    const double block = 1.0 / ranks / static_cast<double>(rings.size());
    constexpr std::size_t kChains = 4; // Cycles of a torus keep to some axes.
    for (std::size_t ring = 0; ring < std::min(kChains, rings.size()); ++ring) {
        std::vector<TrafficHop> chain;
        const auto at = [&](std::int32_t position) { return rings[ring][static_cast<std::size_t>(position % ranks)]; };
        for (std::int32_t step = 0; step < steps; ++step)
            chain.push_back({at(step), at(step + 1), block / request.chunks});
        sink.chain(chain);
    }
    for (std::int32_t position = 0; position < ranks; ++position) {
        const auto next = static_cast<std::size_t>((position + 1) % ranks);
        for (const std::vector<std::int32_t>& ring : rings) {
            if (!sink.flow({ring[static_cast<std::size_t>(position)], ring[next], block * steps}))
                return;
        }
    }
}

std::int64_t ringTransfers(const GenerateRequest& request, std::int64_t rings)
{
    const std::int64_t ranks = ranksOf(request);
    return ranks * (ranks - 1) * rings * request.chunks * (request.op == CollectiveOp::AllReduce ? 2 : 1);
}

/// Steps between neighbours on the rings: 1, -1, then the others that are coprime to the size.
std::vector<std::int32_t> ringSteps(std::int32_t ranks, std::int32_t wanted)
{
    std::vector<std::int32_t> steps{1};
    if (ranks > 2)
        steps.push_back(ranks - 1);
    for (std::int32_t step = 2; step + 1 < ranks && (wanted == 0 || static_cast<std::int32_t>(steps.size()) < wanted); ++step) {
        if (std::gcd(step, ranks) == 1)
            steps.push_back(step);
    }
    if (wanted > 0 && static_cast<std::int32_t>(steps.size()) > wanted)
        steps.resize(static_cast<std::size_t>(wanted));
    return steps;
}

Status checkMultiRing(const GenerateRequest& request)
{
    const auto there = static_cast<std::int32_t>(ringSteps(ranksOf(request), 0).size());
    if (request.rings > there)
        return refusal("rings", std::to_string(request.rings) + " rings", "0 (all) to " + std::to_string(there) + " for " + std::to_string(ranksOf(request)) + " ranks");
    return {};
}

std::int64_t multiRingTransfers(const GenerateRequest& request)
{
    return ringTransfers(request, static_cast<std::int64_t>(ringSteps(ranksOf(request), request.rings).size()));
}

/// Ring j goes through the group in steps of a number coprime to its size: no two rings share a directed pair of ranks.
std::vector<std::vector<std::int32_t>> multiRings(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    std::vector<std::vector<std::int32_t>> rings;
    for (const std::int32_t step : ringSteps(ranks, request.rings)) {
        auto& ring = rings.emplace_back();
        for (std::int32_t i = 0; i < ranks; ++i)
            ring.push_back(static_cast<std::int32_t>(std::int64_t{i} * step % ranks));
    }
    return rings;
}

ProgramPtr makeMultiRing(const GenerateRequest& request)
{
    return alongRings(request, multiRings(request));
}

void multiRingTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    ringTraffic(request, multiRings(request), sink);
}

Status checkTorus(const GenerateRequest& request)
{
    const auto axes = axesOf(request);
    if (axes.size() < 2 || *std::min_element(axes.begin(), axes.end()) < 3)
        return refusal("axes", nameOf(request), "two or more axes of at least 3 ranks");
    return {};
}

std::int64_t hamiltonianTransfers(const GenerateRequest& request)
{
    return ringTransfers(request, 2 * static_cast<std::int64_t>(axesOf(request).size()));
}

/// Every cycle in both directions.
std::vector<std::vector<std::int32_t>> hamiltonianRings(const GenerateRequest& request)
{
    std::vector<std::vector<std::int32_t>> rings;
    for (const std::vector<std::int32_t>& cycle : hamiltonianCycles(axesOf(request))) {
        rings.push_back(cycle);
        rings.emplace_back(cycle.rbegin(), cycle.rend());
    }
    return rings;
}

ProgramPtr makeHamiltonian(const GenerateRequest& request)
{
    const auto rings = hamiltonianRings(request);
    return rings.empty() ? nullptr : alongRings(request, rings);
}

void hamiltonianTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    if (const auto rings = hamiltonianRings(request); !rings.empty())
        ringTraffic(request, rings, sink);
}

std::int64_t wholeTransfers(const GenerateRequest& request)
{
    return ringTransfers(request, 1);
}

/// All-gather: whole blocks go half of the way round in each direction; for an even number of ranks the last step has one direction.
/// Reduce-scatter: the same backwards.
ProgramPtr makeWhole(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    const std::int32_t steps = ranks / 2;
    for (const bool reduces : {true, false}) {
        if (reduces ? !hasScatter(request.op) : !hasGather(request.op))
            continue;
        for (std::int32_t step = 0; step < steps; ++step) {
            const std::int32_t hop = reduces ? steps - 1 - step : step;
            for (const std::int32_t sign : {1, -1}) {
                if (sign < 0 && hop >= (ranks - 1) / 2)
                    continue;
                for (std::int32_t rank = 0; rank < ranks; ++rank) {
                    // The all-gather moves the block of rank - sign * hop from `rank` on.
                    const std::int32_t block = modulo(rank - sign * hop, ranks);
                    const std::int32_t next = modulo(rank + sign, ranks);
                    for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                        const Writer::Spot spot = spotOf(writer, request.op, piece, block);
                        const Writer::Where where{.piece = piece,
                                                  .phase = reduces || request.op == CollectiveOp::AllGather ? 0 : 1,
                                                  .step = step,
                                                  .slot = sign > 0 ? 0 : 1,
                                                  .tree = sign > 0 ? 0 : 1,
                                                  .connection = sign > 0 ? 0 : 1};
                        if (reduces)
                            writer.sendAndReduce(next, spot, rank, spot, spot, 1, writer.chunk(piece, block), where);
                        else
                            writer.send(rank, spot, next, spot, 1, writer.chunk(piece, block), where);
                    }
                }
            }
        }
    }
    return writer.finish(request, true, false);
}

void wholeTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    const std::int32_t ranks = ranksOf(request);
    std::vector<TrafficHop> chain;
    for (const std::int32_t way : {-1, 1}) { // the all-gather, backwards, comes first
        for (std::int32_t step = 0; (way < 0 ? hasScatter(request.op) : hasGather(request.op)) && step < ranks / 2; ++step) {
            const std::int32_t from = chain.empty() ? 0 : chain.back().to;
            chain.push_back({from, modulo(from + way, ranks), 1.0 / ranks / request.chunks});
        }
    }
    sink.chain(chain);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (const std::int32_t sign : {1, -1}) {
            // Of an even number of ranks the last step goes one way only.
            const std::int32_t blocks = (hasGather(request.op) ? (sign > 0 ? ranks / 2 : (ranks - 1) / 2) : 0) + (hasScatter(request.op) ? (sign < 0 ? ranks / 2 : (ranks - 1) / 2) : 0);
            if (!sink.flow({rank, modulo(rank + sign, ranks), static_cast<double>(blocks) / ranks}))
                return;
        }
    }
}

} // namespace

const Maker kMultiRing{checkMultiRing, multiRingTransfers, makeMultiRing, multiRingTraffic};
const Maker kHamiltonianRings{checkTorus, hamiltonianTransfers, makeHamiltonian, hamiltonianTraffic};
const Maker kBidirectionalRingWhole{nullptr, wholeTransfers, makeWhole, wholeTraffic};

} // namespace fabricscope::generate
