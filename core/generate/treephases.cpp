// k-nomial trees and chains (manual: collectives 3.1 and 3.2).
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

#include <algorithm>

namespace fabricscope::generate {

namespace {

using Where = Writer::Where;

std::int64_t knomialTransfers(const GenerateRequest& request)
{
    const std::int64_t ranks = ranksOf(request);
    const std::int64_t each = (ranks - 1) * request.chunks;
    const bool blocks = request.op == CollectiveOp::Gather || request.op == CollectiveOp::Scatter;
    // Blocks that do not lie beside each other at the root are sent one by one.
    return blocks ? 2 * each + ranks * request.chunks : each;
}

/// Transfers of a broadcast in the order they are started; ranks counted from the root.
struct Arc {
    std::int32_t from;
    std::int32_t to;
    std::int32_t step;
    std::int32_t slot;
};

/// Round j: the first radix^j ranks send to the ranks d * radix^j beyond, d = 1..radix-1.
std::vector<Arc> knomialArcs(std::int32_t ranks, std::int32_t radix)
{
    std::vector<Arc> arcs;
    std::int32_t round = 0;
    for (std::int64_t holders = 1; holders < ranks; holders *= radix, ++round) {
        for (std::int32_t digit = 1; digit < radix; ++digit) {
            for (std::int64_t from = 0; from < holders && from + digit * holders < ranks; ++from)
                arcs.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(from + digit * holders), round, digit});
        }
    }
    return arcs;
}

/// A broadcast along arcs, or the reduction against them. Chunks follow each other; lanes and steps keep the order of the arcs.
ProgramPtr alongArcs(const GenerateRequest& request, const std::vector<Arc>& arcs, std::int32_t steps)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, 1, request.root);
    writer.heed(request.stop);
    const auto rankOf = [&](std::int32_t role) { return modulo(role + request.root, ranks); };
    for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
        if (request.op == CollectiveOp::Broadcast) {
            for (const Arc& arc : arcs)
                writer.send(rankOf(arc.from), writer.output(piece, 0), rankOf(arc.to), writer.output(piece, 0), 1, writer.chunk(piece, 0),
                            {.piece = piece, .step = arc.step, .slot = arc.slot});
        } else {
            for (std::size_t i = arcs.size(); i-- > 0;)
                writer.sendAndReduce(rankOf(arcs[i].to), writer.input(piece, 0), rankOf(arcs[i].from), writer.input(piece, 0), writer.input(piece, 0), 1,
                                     writer.chunk(piece, 0), {.piece = piece, .step = steps - 1 - arcs[i].step, .slot = arcs[i].slot});
        }
    }
    return writer.finish(request, true, false);
}

/// Every message is what the ranks from `to` on (counted from the root) shall get: neighbours in scratch. The farthest go first.
ProgramPtr knomialBlocks(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    const std::int32_t radix = request.radix;
    const bool scatters = request.op == CollectiveOp::Scatter;
    Writer writer(request.op, ranks, request.chunks, ranks, request.root);
    writer.heed(request.stop);
    const auto rankOf = [&](std::int32_t role) { return modulo(role + request.root, ranks); };

    struct Range {
        Arc arc;
        std::int32_t count;
    };
    std::vector<Range> ranges;
    const std::int32_t rounds = ceilLog(ranks, radix);
    std::int64_t width = 1;
    for (std::int32_t i = 1; i < rounds; ++i)
        width *= radix;
    for (std::int32_t round = 0; round < rounds; ++round, width /= radix) {
        for (std::int64_t holder = 0; holder < ranks; holder += width * radix) {
            for (std::int32_t digit = radix - 1; digit >= 1; --digit) {
                const std::int64_t to = holder + digit * width;
                if (to < ranks)
                    ranges.push_back({{static_cast<std::int32_t>(holder), static_cast<std::int32_t>(to), round, radix - digit},
                                      static_cast<std::int32_t>(std::min(width, ranks - to))});
            }
        }
    }

    // Where a rank keeps the block of another while it passes through, or its own: roles[to] has it as entry role - to of its scratch.
    std::vector<std::int32_t> held(static_cast<std::size_t>(ranks), 1);
    for (const Range& range : ranges)
        held[static_cast<std::size_t>(range.arc.to)] = range.count;
    const auto spot = [&](std::int32_t at, std::int32_t piece, std::int32_t role) {
        if (at == 0)
            return scatters ? writer.input(piece, rankOf(role)) : writer.output(piece, rankOf(role));
        const std::int32_t perPiece = held[static_cast<std::size_t>(at)];
        if (perPiece == 1)
            return writer.share(scatters ? BufferKind::Output : BufferKind::Input, piece, 0);
        return Writer::scratch(piece, perPiece, role - at);
    };
    const auto ownCopies = [&](const Where& from) {
        for (std::int32_t role = 1; role < ranks; ++role) {
            for (std::int32_t piece = 0; piece < writer.pieces() && held[static_cast<std::size_t>(role)] > 1; ++piece) {
                const Writer::Spot own = writer.share(scatters ? BufferKind::Output : BufferKind::Input, piece, 0);
                Where where = from;
                where.piece = piece;
                if (scatters)
                    writer.copy(rankOf(role), spot(role, piece, role), own, 1, writer.chunk(piece, rankOf(role)), where);
                else
                    writer.copy(rankOf(role), own, spot(role, piece, role), 1, writer.chunk(piece, rankOf(role)), where);
            }
        }
    };
    if (!scatters)
        ownCopies({});
    std::vector<Writer::Part> parts;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const Range& range = scatters ? ranges[i] : ranges[ranges.size() - 1 - i];
        const std::int32_t from = scatters ? range.arc.from : range.arc.to;
        const std::int32_t to = scatters ? range.arc.to : range.arc.from;
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
            parts.clear();
            for (std::int32_t role = range.arc.to; role < range.arc.to + range.count; ++role)
                parts.push_back({spot(from, piece, role), spot(to, piece, role), writer.chunk(piece, rankOf(role))});
            writer.send(rankOf(from), rankOf(to), parts, false,
                        {.piece = piece, .step = scatters ? range.arc.step : rounds - 1 - range.arc.step, .slot = range.arc.slot});
        }
    }
    if (scatters)
        ownCopies({.step = rounds - 1});
    return writer.finish(request, true, false);
}

ProgramPtr makeKNomial(const GenerateRequest& request)
{
    if (request.op == CollectiveOp::Gather || request.op == CollectiveOp::Scatter)
        return knomialBlocks(request);
    return alongArcs(request, knomialArcs(ranksOf(request), request.radix), ceilLog(ranksOf(request), request.radix));
}

std::int64_t treeTransfers(const GenerateRequest& request)
{
    return std::int64_t{ranksOf(request) - 1} * request.chunks;
}

ProgramPtr makeChain(const GenerateRequest& request)
{
    std::vector<Arc> arcs;
    for (std::int32_t role = 1; role < ranksOf(request); ++role)
        arcs.push_back({role - 1, role, role - 1, 0});
    return alongArcs(request, arcs, ranksOf(request) - 1);
}

/// Complete binary tree: role r has the children 2r + 1 and 2r + 2.
ProgramPtr makeBinaryTree(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    std::vector<Arc> arcs;
    const auto depthOf = [](std::int32_t role) {
        std::int32_t depth = 0;
        for (; role > 0; role = (role - 1) / 2)
            ++depth;
        return depth;
    };
    for (std::int32_t role = 1; role < ranks; ++role)
        arcs.push_back({(role - 1) / 2, role, depthOf(role) - 1, 1 - role % 2});
    return alongArcs(request, arcs, depthOf(ranks - 1));
}

} // namespace

const Maker kKNomial{checkRadix, knomialTransfers, makeKNomial};
const Maker kChain{nullptr, treeTransfers, makeChain};
const Maker kBinaryTree{nullptr, treeTransfers, makeBinaryTree};

} // namespace fabricscope::generate
