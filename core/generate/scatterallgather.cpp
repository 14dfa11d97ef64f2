// Broadcast by scatter and all-gather (manual: collectives 3.2, van de Geijn).
#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

#include <algorithm>

namespace fabricscope::generate {

namespace {

std::int64_t transfersOf(const GenerateRequest& request)
{
    const std::int64_t ranks = ranksOf(request);
    return (ranks - 1) * ranks * request.chunks;
}

/// A binomial tree hands out the blocks, halving what goes on; then they go round a ring, but not to ranks that have them already. Blocks and
/// ranks are counted from the root.
ProgramPtr make(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks, request.root);
    writer.heed(request.stop);
    const auto rankOf = [&](std::int32_t role) { return modulo(role + request.root, ranks); };
    std::vector<std::int32_t> held(static_cast<std::size_t>(ranks), 1); // Blocks [role, role + held) come with the tree.
    held[0] = ranks;
    const std::int32_t rounds = ceilLog(ranks);
    for (std::int32_t round = 0; round < rounds; ++round) {
        const std::int32_t width = 1 << (rounds - 1 - round);
        for (std::int32_t from = 0; from + width < ranks; from += 2 * width) {
            const std::int32_t to = from + width;
            const std::int32_t count = std::min(width, ranks - to);
            held[at(to)] = count;
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
                writer.send(rankOf(from), writer.output(piece, to), rankOf(to), writer.output(piece, to), count, writer.chunk(piece, to), {.piece = piece, .step = round});
        }
    }
    for (std::int32_t step = 0; step + 1 < ranks; ++step) {
        for (std::int32_t role = 0; role + 1 < ranks; ++role) {
            const std::int32_t block = modulo(role - step, ranks);
            if (block >= role + 1 && block < role + 1 + held[static_cast<std::size_t>(role) + 1])
                continue;
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
                writer.send(rankOf(role), writer.output(piece, block), rankOf(role + 1), writer.output(piece, block), 1, writer.chunk(piece, block),
                            {.piece = piece, .phase = 1, .step = step, .connection = 1});
        }
    }
    return writer.finish(request, true, false);
}

} // namespace

const Maker kScatterAllGather{nullptr, transfersOf, make};

} // namespace fabricscope::generate
