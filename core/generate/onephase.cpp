// Direct all-reduce in one phase (manual: collectives 3.4).
#include "core/base/integers.h"
#include "core/generate/families.h"
#include "core/generate/writer.h"

namespace fabricscope::generate {

namespace {

std::int64_t transfersOf(const GenerateRequest& request)
{
    const std::int64_t ranks = ranksOf(request);
    return ranks * (ranks - 1) * request.chunks;
}

/// Everybody sends the whole input to everybody. What comes in is added to a running sum in scratch, which is copied to the output in the
/// end: in place that is the input, which must stay until it is sent.
ProgramPtr make(const GenerateRequest& request)
{
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, 1);
    writer.heed(request.stop);
    const auto sum = [&](std::int32_t piece) { return Writer::scratch(piece, 1, 0); };
    for (std::int32_t slot = 1; slot < ranks; ++slot) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                writer.sendAndReduce(rank, writer.input(piece, 0), modulo(rank + slot, ranks), slot == 1 ? writer.input(piece, 0) : sum(piece), sum(piece), 1,
                                     writer.chunk(piece, 0), {.piece = piece, .slot = slot});
            }
        }
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
            writer.copy(rank, sum(piece), writer.output(piece, 0), 1, writer.chunk(piece, 0), {.piece = piece, .step = 1});
    }
    return writer.finish(request, true, true);
}

void trafficOf(const GenerateRequest& request, const TrafficSink& sink)
{
    const std::int32_t ranks = ranksOf(request);
    const TrafficHop first{0, 1, 1.0 / request.chunks};
    sink.chain({&first, 1});
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (std::int32_t slot = 1; slot < ranks; ++slot) {
            if (!sink.flow({rank, modulo(rank + slot, ranks), 1}))
                return;
        }
    }
}

} // namespace

const Maker kDirectOnePhase{nullptr, transfersOf, make, trafficOf};

} // namespace fabricscope::generate
