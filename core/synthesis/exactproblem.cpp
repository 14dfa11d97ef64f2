#include "core/synthesis/exactproblem.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

ExactProblem::ExactProblem(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, std::int32_t chunksPerShard)
    : ranks(graph.ranks)
{
    std::int64_t divisor = 0;
    for (const SynthesisGraph::Link& link : graph.links)
        divisor = std::gcd(divisor, link.bytesPerSecond);
    unit = std::max<std::int64_t>(divisor, 1);
    for (std::size_t i = 0; i < graph.links.size(); ++i) {
        const SynthesisGraph::Link& link = graph.links[i];
        links.push_back({link.from, link.to, static_cast<std::int32_t>(i), link.bytesPerSecond / unit});
    }
    m_hops.assign(at(ranks) * at(ranks), kFar);
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        m_hops[at(rank) * at(ranks) + at(rank)] = 0;
    for (const Link& link : links)
        m_hops[at(link.from) * at(ranks) + at(link.to)] = link.from == link.to ? 0 : 1;
    for (std::int32_t via = 0; via < ranks; ++via) {
        for (std::int32_t a = 0; a < ranks; ++a) {
            for (std::int32_t b = 0; b < ranks; ++b) {
                std::int32_t& known = m_hops[at(a) * at(ranks) + at(b)];
                known = std::min(known, hops(a, via) + hops(via, b));
            }
        }
    }
    const auto add = [&](std::int32_t from, std::int32_t to) { // to -1: everybody
        for (std::int32_t i = 0; i < chunksPerShard; ++i) {
            source.push_back(from);
            for (std::int32_t rank = 0; rank < ranks; ++rank)
                m_wanted.push_back(to < 0 || rank == to);
        }
    };
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        switch (op) {
        case CollectiveOp::AllGather:
            add(rank, -1);
            break;
        case CollectiveOp::Gather:
            add(rank, root);
            break;
        case CollectiveOp::Scatter:
            add(root, rank);
            break;
        case CollectiveOp::AllToAll:
            for (std::int32_t to = 0; to < ranks; ++to)
                add(rank, to);
            break;
        default: // Broadcast
            if (rank == root)
                add(root, -1);
            break;
        }
    }
    chunks = static_cast<std::int32_t>(source.size());
}

std::int32_t ExactProblem::hopsToWanted(std::int32_t chunk, std::int32_t rank) const
{
    std::int32_t least = kFar;
    for (std::int32_t to = 0; to < ranks; ++to) {
        if (wanted(chunk, to))
            least = std::min(least, hops(rank, to));
    }
    return least;
}

std::int32_t ExactProblem::fewestSteps() const
{
    std::int32_t most = 0;
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            if (wanted(chunk, rank))
                most = std::max(most, hops(source[at(chunk)], rank));
        }
    }
    return most;
}

bool ExactProblem::fitsIn(std::int32_t rounds) const
{
    return rounds >= fewestRounds();
}

std::int32_t ExactProblem::fewestRounds() const
{
    std::vector<std::int64_t> in(at(ranks), 0);
    std::vector<std::int64_t> out(at(ranks), 0);
    for (const Link& link : links) {
        out[at(link.from)] += link.chunksPerRound;
        in[at(link.to)] += link.chunksPerRound;
    }
    std::int64_t fewest = 1;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        std::int64_t takes = 0;
        std::int64_t gives = 0;
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
            if (source[at(chunk)] != rank) {
                takes += wanted(chunk, rank) ? 1 : 0;
                continue;
            }
            bool elsewhere = false;
            for (std::int32_t to = 0; to < ranks; ++to)
                elsewhere = elsewhere || (to != rank && wanted(chunk, to));
            gives += elsewhere ? 1 : 0;
        }
        if (takes > 0)
            fewest = std::max(fewest, in[at(rank)] > 0 ? (takes + in[at(rank)] - 1) / in[at(rank)] : kFar);
        if (gives > 0)
            fewest = std::max(fewest, out[at(rank)] > 0 ? (gives + out[at(rank)] - 1) / out[at(rank)] : kFar);
    }
    return static_cast<std::int32_t>(std::min<std::int64_t>(fewest, kFar));
}

} // namespace fabricscope
