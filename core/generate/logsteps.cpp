// Recursive doubling (manual: collectives 4.1) and Bruck (manual: collectives 4.3).
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

#include <algorithm>

namespace fabricscope::generate {

/// What is sent in a step must stay as it is, so sums go to and fro between two scratch vectors; the input is only read, and the last sum is
/// the result.
ProgramPtr exchangeVectors(const GenerateRequest& request, std::int32_t steps, const std::function<std::int32_t(std::int32_t, std::int32_t)>& peer,
                           const std::function<std::int32_t(std::int32_t)>& dimension)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, 1);
    writer.heed(request.stop);
    const auto sumBefore = [&](std::int32_t step, std::int32_t piece) {
        return step == 0 ? writer.input(piece, 0) : Writer::scratch(piece, std::min(steps, 2), (step - 1) % 2);
    };
    for (std::int32_t step = 0; step < steps; ++step) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                // The input of the only step is also the output in place: one more copy.
                const bool toOutput = step + 1 == steps && steps > 1;
                const Writer::Spot sum = sumBefore(step, piece);
                const Writer::Spot next = toOutput ? writer.output(piece, 0) : sumBefore(step + 1, piece);
                writer.sendAndReduce(rank, sum, peer(rank, step), sum, next, 1, writer.chunk(piece, 0), {.piece = piece, .step = step, .dimension = dimension(step)});
            }
        }
    }
    for (std::int32_t rank = 0; rank < ranks && steps == 1; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
            writer.copy(rank, sumBefore(1, piece), writer.output(piece, 0), 1, writer.chunk(piece, 0), {.piece = piece, .step = 1});
    }
    return writer.finish(request, true, true);
}

std::int64_t exchangeTransfers(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    return std::int64_t{ranks} * ceilLog(ranks) * request.chunks;
}

void vectorTraffic(const GenerateRequest& request, std::int32_t steps, const std::function<std::int32_t(std::int32_t, std::int32_t)>& peer, const TrafficSink& sink)
{
    std::vector<TrafficHop> chain;
    for (std::int32_t step = 0; step < steps; ++step) {
        const std::int32_t from = chain.empty() ? 0 : chain.back().to;
        chain.push_back({from, peer(from, step), 1.0 / request.chunks});
    }
    sink.chain(chain);
    for (std::int32_t rank = 0; rank < ranksOf(request); ++rank) {
        for (std::int32_t step = 0; step < steps; ++step) {
            if (!sink.flow({rank, peer(rank, step), 1}))
                return;
        }
    }
}

namespace {

using Where = Writer::Where;

Status checkPowerOfTwo(const GenerateRequest& request)
{
    if (!isPowerOfTwo(ranksOf(request)))
        return refusal("axes", std::to_string(ranksOf(request)) + " ranks", "2^k ranks");
    return {};
}

ProgramPtr doublingAllGather(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    std::vector<Writer::Part> parts;
    for (std::int32_t step = 0; (1 << step) < ranks; ++step) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const std::int32_t first = rank >> step << step;
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                parts.clear();
                for (std::int32_t block = first; block < first + (1 << step); ++block)
                    parts.push_back({writer.output(piece, block), writer.output(piece, block), writer.chunk(piece, block)});
                writer.send(rank, rank ^ (1 << step), parts, false, {.piece = piece, .step = step});
            }
        }
    }
    return writer.finish(request, true, false);
}

std::int64_t doublingTransfersOf(const GenerateRequest& request)
{
    // With several pieces the blocks of a message do not lie beside each other.
    const std::int32_t ranks = ranksOf(request);
    if (request.op == CollectiveOp::AllGather && request.chunks > 1)
        return std::int64_t{ranks} * (ranks - 1) * request.chunks;
    return exchangeTransfers(request);
}

ProgramPtr makeDoubling(const GenerateRequest& request)
{
    if (request.op == CollectiveOp::AllGather)
        return doublingAllGather(request);
    return exchangeVectors(request, ceilLog(ranksOf(request)), [](std::int32_t rank, std::int32_t step) { return rank ^ (1 << step); },
                           [](std::int32_t) { return -1; });
}

void doublingTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    const auto peer = [](std::int32_t rank, std::int32_t step) { return rank ^ (1 << step); };
    const std::int32_t ranks = ranksOf(request);
    if (request.op != CollectiveOp::AllGather)
        return vectorTraffic(request, ceilLog(ranks), peer, sink);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t step = 0; (1 << step) < ranks; ++step) {
            if (!sink.flow({rank, peer(rank, step), static_cast<double>(1 << step) / ranks}))
                return;
        }
    }
}

std::int64_t bruckTransfers(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    const std::int32_t rounds = ceilLog(ranks, request.radix);
    // Local copies count too where there are more of them.
    const std::int64_t copied = request.op == CollectiveOp::AllToAll ? std::int64_t{ranks} * rounds : 0;
    return ranks * (std::max<std::int64_t>(std::int64_t{request.radix - 1} * rounds, copied)) * request.chunks;
}

/// Every rank keeps a list in scratch: entry j is the block of rank r + j. The messages of one round go to distances d * radix^k.
ProgramPtr bruckAllGather(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    const auto list = [&](std::int32_t piece, std::int32_t entry) { return Writer::scratch(piece, ranks, entry); };
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
            writer.copy(rank, writer.share(BufferKind::Input, piece, 0), list(piece, 0), 1, writer.chunk(piece, rank), {.piece = piece});
    }
    std::int32_t step = 0;
    for (std::int64_t have = 1; have < ranks; have *= request.radix, ++step) {
        const auto width = static_cast<std::int32_t>(have);
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            for (std::int32_t digit = 1; digit < request.radix && std::int64_t{digit} * width < ranks; ++digit) {
                const std::int32_t distance = digit * width;
                const std::int32_t peer = modulo(rank - distance, ranks);
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                    writer.send(rank, list(piece, 0), peer, list(piece, distance), std::min(width, ranks - distance), writer.chunk(piece, rank),
                                {.piece = piece, .step = step, .slot = digit});
                }
            }
        }
    }
    std::vector<Writer::Part> parts;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
            parts.clear();
            for (std::int32_t block = 0; block < ranks; ++block)
                parts.push_back({list(piece, modulo(block - rank, ranks)), writer.output(piece, block), writer.chunk(piece, block)});
            writer.copy(rank, parts, {.piece = piece, .step = step});
        }
    }
    return writer.finish(request, true, true);
}

/// Block j of a rank has j ranks to go. In round k the blocks with digit d of j at place k go d * radix^k ranks on, as one message: they are
/// copied together first, and stay where they come in until they move again.
ProgramPtr bruckAllToAll(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    const std::int32_t radix = request.radix;
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);

    struct Round {
        std::int32_t distance;
        std::int32_t step;
        std::int32_t digit;
        std::vector<std::int32_t> indices;
        std::int32_t packed;   ///< Scratch blocks of the piece where they are put together ...
        std::int32_t arrived;  ///< ... and where they arrive.
    };
    std::vector<Round> rounds;
    std::int32_t scratch = 0;
    std::int32_t step = 0;
    for (std::int64_t power = 1; power < ranks; power *= radix, ++step) {
        for (std::int32_t digit = 1; digit < radix; ++digit) {
            Round round{static_cast<std::int32_t>(digit * power), step, digit, {}, 0, 0};
            for (std::int32_t index = 1; index < ranks; ++index) {
                if (index / power % radix == digit)
                    round.indices.push_back(index);
            }
            if (round.indices.empty())
                continue;
            const auto count = static_cast<std::int32_t>(round.indices.size());
            round.packed = scratch;
            round.arrived = scratch + count;
            scratch += 2 * count;
            rounds.push_back(std::move(round));
        }
    }

    // Where block `index` is before a round: at first in the input, then where it came in last. -1: in the input.
    std::vector<std::int32_t> place(static_cast<std::size_t>(ranks), -1);
    std::vector<Writer::Part> parts;
    const auto blockAt = [&](std::int32_t rank, std::int32_t piece, std::int32_t index) {
        const std::int32_t at = place[static_cast<std::size_t>(index)];
        return at < 0 ? writer.input(piece, modulo(rank + index, ranks)) : Writer::scratch(piece, scratch, at);
    };
    for (std::size_t first = 0; first < rounds.size();) {
        std::size_t end = first;
        while (end < rounds.size() && rounds[end].step == rounds[first].step)
            ++end;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            for (std::size_t i = first; i < end; ++i) {
                const Round& round = rounds[i];
                const auto count = static_cast<std::int32_t>(round.indices.size());
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                    const Where where{.piece = piece, .step = round.step, .slot = round.digit};
                    parts.clear();
                    for (std::int32_t k = 0; k < count; ++k) {
                        const std::int32_t index = round.indices[static_cast<std::size_t>(k)];
                        parts.push_back({blockAt(rank, piece, index), Writer::scratch(piece, scratch, round.packed + k), writer.chunk(piece, modulo(rank + index, ranks))});
                    }
                    writer.copy(rank, parts, where);
                    writer.send(rank, Writer::scratch(piece, scratch, round.packed), modulo(rank + round.distance, ranks),
                                Writer::scratch(piece, scratch, round.arrived), count, writer.chunk(piece, 0), where);
                }
            }
        }
        for (std::size_t i = first; i < end; ++i) {
            for (std::size_t k = 0; k < rounds[i].indices.size(); ++k)
                place[static_cast<std::size_t>(rounds[i].indices[k])] = rounds[i].arrived + static_cast<std::int32_t>(k);
        }
        first = end;
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
            parts.clear();
            for (std::int32_t source = 0; source < ranks; ++source) {
                // What is now `index` blocks from where it started.
                const std::int32_t index = modulo(rank - source, ranks);
                const Writer::Spot from = index == 0 ? writer.input(piece, rank) : Writer::scratch(piece, scratch, place[static_cast<std::size_t>(index)]);
                parts.push_back({from, writer.output(piece, source), writer.chunk(piece, source)});
            }
            writer.copy(rank, parts, {.piece = piece, .step = step});
        }
    }
    return writer.finish(request, false, true);
}

ProgramPtr makeBruck(const GenerateRequest& request)
{
    return request.op == CollectiveOp::AllGather ? bruckAllGather(request) : bruckAllToAll(request);
}

} // namespace

const Maker kRecursiveDoubling{checkPowerOfTwo, doublingTransfersOf, makeDoubling, doublingTraffic};
const Maker kBruck{checkRadix, bruckTransfers, makeBruck};

} // namespace fabricscope::generate
