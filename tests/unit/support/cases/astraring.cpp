#include "tests/unit/support/cases/astraring.h"

namespace fabricscope::test {

ProgramPtr chainedRing(std::int32_t ranks, std::int64_t messageBytes, std::int64_t computeMicros)
{
    ExplicitBody body;
    body.rankBegin.push_back(0);
    body.dependBegin.push_back(0);
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t first = body.size();
        const auto add = [&](OpKind kind, std::int32_t peer) {
            if (body.size() > first)
                body.depends.push_back(body.size() - 1);
            body.sourceId.push_back(body.size() - first);
            body.kind.push_back(kind);
            body.peer.push_back(peer);
            body.connection.push_back(0);
            body.bytes.push_back(kind == OpKind::Compute ? 0 : messageBytes);
            body.duration.push_back(kind == OpKind::Compute ? computeMicros * 1'000'000 : 0);
            body.dependBegin.push_back(static_cast<std::uint32_t>(body.depends.size()));
        };
        for (std::int32_t step = 0; step < 2 * (ranks - 1); ++step) {
            add(OpKind::Send, (rank + 1) % ranks);
            add(OpKind::Receive, (rank + ranks - 1) % ranks);
            if (step < ranks - 1)
                add(OpKind::Compute, -1);
        }
        body.rankBegin.push_back(body.size());
    }
    auto program = std::make_shared<Program>();
    program->ranks = ranks;
    program->body = std::move(body);
    return program;
}

} // namespace fabricscope::test
