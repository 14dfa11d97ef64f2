// Swing (manual: collectives 4.4).
#include "core/generate/swing.h"

#include "core/base/axes.h"
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

#include <algorithm>
#include <utility>

namespace fabricscope::generate {

SwingPeers::SwingPeers(std::vector<std::int32_t> axes, std::int32_t firstAxis, bool mirrored)
    : m_axes(std::move(axes))
    , m_strides(stridesOf(m_axes))
    , m_mirrored(mirrored)
{
    std::int32_t total = 0;
    for (const std::int32_t extent : m_axes)
        total += ceilLog(extent);
    std::vector<std::int32_t> taken(m_axes.size(), 0);
    const auto count = static_cast<std::int32_t>(m_axes.size());
    for (std::int32_t turn = firstAxis; static_cast<std::int32_t>(m_steps.size()) < total; ++turn) {
        const auto axis = static_cast<std::size_t>(turn % count);
        if (taken[axis] >= ceilLog(m_axes[axis]))
            continue;
        const std::int64_t power = std::int64_t{1} << (taken[axis] + 1);
        const std::int64_t signedPower = taken[axis] % 2 == 0 ? -power : power; // (-2)^(t+1)
        m_steps.push_back({static_cast<std::int32_t>(axis), static_cast<std::int32_t>((1 - signedPower) / 3)});
        ++taken[axis];
    }
}

std::int32_t SwingPeers::peer(std::int32_t rank, std::int32_t step) const
{
    const Step& at = m_steps[static_cast<std::size_t>(step)];
    const auto axis = static_cast<std::size_t>(at.axis);
    const std::int32_t position = rank / m_strides[axis] % m_axes[axis];
    const bool back = (position % 2 == 1) != m_mirrored;
    return rank + (modulo(position + (back ? -at.distance : at.distance), m_axes[axis]) - position) * m_strides[axis];
}

namespace {

Status checkAxes(const GenerateRequest& request)
{
    for (const std::int32_t extent : request.axes) {
        if (!isPowerOfTwo(extent))
            return refusal("axes", "an axis of " + std::to_string(extent), "axes of 2^k ranks");
    }
    return {};
}

ProgramPtr makeLatency(const GenerateRequest& request)
{
    const SwingPeers peers(axesOf(request));
    return exchangeVectors(request, peers.steps(), [&](std::int32_t rank, std::int32_t step) { return peers.peer(rank, step); },
                           [&](std::int32_t step) { return peers.axis(step); });
}

void latencyTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    const SwingPeers peers(axesOf(request));
    vectorTraffic(request, peers.steps(), [&](std::int32_t rank, std::int32_t step) { return peers.peer(rank, step); }, sink);
}

/// One copy of the algorithm, for its part of the vector.
struct Copy {
    SwingPeers peers;
    /// By rank: blocks in the order in which it keeps them. Its own first, then those it sends last, ...: what it sends in step s stands at
    /// [p / 2^(s+1), p / 2^s), in the order of the first p / 2^(s+1) of the receiver.
    std::vector<std::vector<std::int32_t>> order;
};

Copy copyOf(const GenerateRequest& request, std::int32_t firstAxis, bool mirrored)
{
    const std::int32_t ranks = ranksOf(request);
    Copy copy{SwingPeers(axesOf(request), firstAxis, mirrored), {}};
    for (std::int32_t rank = 0; rank < ranks; ++rank)
        copy.order.push_back({rank});
    for (std::int32_t step = copy.peers.steps(); step-- > 0;) {
        std::vector<std::vector<std::int32_t>> wider;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            std::vector<std::int32_t>& list = wider.emplace_back(copy.order[static_cast<std::size_t>(rank)]);
            const std::vector<std::int32_t>& more = copy.order[static_cast<std::size_t>(copy.peers.peer(rank, step))];
            list.insert(list.end(), more.begin(), more.end());
        }
        copy.order = std::move(wider);
    }
    return copy;
}

/// Works in scratch, where every rank has the blocks in its own order: so every message is one piece of memory.
ProgramPtr exchangeBlocks(const GenerateRequest& request, const std::vector<Copy>& copies)
{
    const std::int32_t ranks = ranksOf(request);
    const auto count = static_cast<std::int32_t>(copies.size());
    Writer writer(request.op, ranks, request.chunks, ranks * count);
    writer.heed(request.stop);
    const auto blockOf = [&](std::int32_t copy, std::int32_t owner) { return request.op == CollectiveOp::AllReduce ? copy * ranks + owner : owner * count + copy; };
    const auto spot = [&](std::int32_t copy, std::int32_t piece, std::int32_t place) { return Writer::scratch(piece, ranks * count, copy * ranks + place); };
    const auto forAll = [&](const auto& action) {
        for (std::int32_t copy = 0; copy < count; ++copy) {
            for (std::int32_t rank = 0; rank < ranks; ++rank) {
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
                    action(copy, rank, piece);
            }
        }
    };
    std::vector<Writer::Part> parts;
    const auto copyAll = [&](std::int32_t copy, std::int32_t rank, std::int32_t piece, bool in) {
        parts.clear();
        for (std::int32_t place = 0; place < ranks; ++place) {
            const std::int32_t block = blockOf(copy, copies[static_cast<std::size_t>(copy)].order[static_cast<std::size_t>(rank)][static_cast<std::size_t>(place)]);
            const Writer::Spot user = in ? writer.input(piece, block) : writer.output(piece, block);
            const Writer::Spot own = spot(copy, piece, place);
            parts.push_back(in ? Writer::Part{user, own, writer.chunk(piece, block)} : Writer::Part{own, user, writer.chunk(piece, block)});
        }
        writer.copy(rank, parts, {.piece = piece, .phase = in || !hasScatter(request.op) ? 0 : 1, .tree = copy});
    };

    const std::int32_t steps = copies.front().peers.steps();
    if (hasScatter(request.op)) {
        forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) { copyAll(copy, rank, piece, true); });
        for (std::int32_t step = 0; step < steps; ++step) {
            const std::int32_t half = ranks >> (step + 1);
            forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) {
                const SwingPeers& peers = copies[static_cast<std::size_t>(copy)].peers;
                const Writer::Spot target = spot(copy, piece, 0);
                writer.sendAndReduce(rank, spot(copy, piece, half), peers.peer(rank, step), target, target, half, writer.chunk(piece, blockOf(copy, 0)),
                                     {.piece = piece, .step = step, .slot = copy, .dimension = peers.axis(step), .tree = copy, .connection = copy});
            });
        }
    } else {
        forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) {
            writer.copy(rank, writer.share(BufferKind::Input, piece, copy), spot(copy, piece, 0), 1, writer.chunk(piece, blockOf(copy, rank)), {.piece = piece, .tree = copy});
        });
    }
    if (hasGather(request.op)) {
        for (std::int32_t step = steps; step-- > 0;) {
            const std::int32_t half = ranks >> (step + 1);
            forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) {
                const SwingPeers& peers = copies[static_cast<std::size_t>(copy)].peers;
                writer.send(rank, spot(copy, piece, 0), peers.peer(rank, step), spot(copy, piece, half), half, writer.chunk(piece, blockOf(copy, 0)),
                            {.piece = piece,
                             .phase = hasScatter(request.op) ? 1 : 0,
                             .step = steps - 1 - step,
                             .slot = copy,
                             .dimension = peers.axis(step),
                             .tree = copy,
                             .connection = copy});
            });
        }
        forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) { copyAll(copy, rank, piece, false); });
    } else {
        forAll([&](std::int32_t copy, std::int32_t rank, std::int32_t piece) {
            writer.copy(rank, spot(copy, piece, 0), writer.share(BufferKind::Output, piece, copy), 1, writer.chunk(piece, blockOf(copy, rank)), {.piece = piece, .tree = copy});
        });
    }
    return writer.finish(request, true, true);
}

/// Traffic of exchangeBlocks().
void blockTraffic(const GenerateRequest& request, const std::vector<SwingPeers>& copies, const TrafficSink& sink)
{
    const std::int32_t steps = copies.front().steps();
    const auto share = [&](std::int32_t step) { return 1.0 / (2 << step) / static_cast<double>(copies.size()); };
    std::vector<TrafficHop> chain;
    const auto follow = [&](std::int32_t step) {
        const std::int32_t from = chain.empty() ? 0 : chain.back().to;
        chain.push_back({from, copies.front().peer(from, step), share(step) / request.chunks});
    };
    for (std::int32_t step = 0; hasScatter(request.op) && step < steps; ++step)
        follow(step);
    for (std::int32_t step = steps; hasGather(request.op) && step-- > 0;)
        follow(step);
    sink.chain(chain);
    const int phases = (hasScatter(request.op) ? 1 : 0) + (hasGather(request.op) ? 1 : 0);
    for (std::int32_t rank = 0; rank < ranksOf(request); ++rank) {
        for (const SwingPeers& peers : copies) {
            for (std::int32_t step = 0; step < steps; ++step) {
                if (!sink.flow({rank, peers.peer(rank, step), phases * share(step)}))
                    return;
            }
        }
    }
}

void onceTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    blockTraffic(request, {SwingPeers(axesOf(request), 0, false)}, sink);
}

void mirroredTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    std::vector<SwingPeers> copies;
    for (std::int32_t axis = 0; axis < static_cast<std::int32_t>(axesOf(request).size()); ++axis) {
        copies.emplace_back(axesOf(request), axis, false);
        copies.emplace_back(axesOf(request), axis, true);
    }
    blockTraffic(request, copies, sink);
}

ProgramPtr makeOnce(const GenerateRequest& request)
{
    return exchangeBlocks(request, {copyOf(request, 0, false)});
}

/// A copy starting at every axis, in both directions: all ports of a torus work in every step.
ProgramPtr makeMirrored(const GenerateRequest& request)
{
    std::vector<Copy> copies;
    const auto count = static_cast<std::int32_t>(axesOf(request).size());
    for (std::int32_t axis = 0; axis < count; ++axis) {
        copies.push_back(copyOf(request, axis, false));
        copies.push_back(copyOf(request, axis, true));
    }
    return exchangeBlocks(request, copies);
}

/// Local copies count too: there are more of them.
std::int64_t onceTransfers(const GenerateRequest& request)
{
    const std::int64_t ranks = ranksOf(request);
    return ranks * (ranks + 2 * ceilLog(ranksOf(request))) * request.chunks;
}

std::int64_t mirroredTransfers(const GenerateRequest& request)
{
    return onceTransfers(request) * 2 * static_cast<std::int64_t>(axesOf(request).size());
}

} // namespace

const Maker kSwing{checkAxes, onceTransfers, makeOnce, onceTraffic};
const Maker kSwingMirrored{checkAxes, mirroredTransfers, makeMirrored, mirroredTraffic};
const Maker kSwingLatency{checkAxes, exchangeTransfers, makeLatency, latencyTraffic};

} // namespace fabricscope::generate
