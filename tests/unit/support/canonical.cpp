#include "tests/unit/support/canonical.h"

#include "core/base/index.h"
#include "core/program/reachability.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

using Words = std::vector<std::int64_t>;

void add(Words& words, const Digest& digest)
{
    words.push_back(static_cast<std::int64_t>(digest.low));
    words.push_back(static_cast<std::int64_t>(digest.high));
}

bool isMessage(OpKind kind)
{
    return kind == OpKind::Send || receives(kind) || kind == OpKind::Put || kind == OpKind::Signal || kind == OpKind::Wait;
}

void addHeader(Words& words, const Program& program)
{
    const WireProtocol protocol = program.protocol == WireProtocol::Any ? WireProtocol::Simple : program.protocol;
    for (const std::int64_t word : {static_cast<std::int64_t>(program.op), std::int64_t{program.ranks}, std::int64_t{program.chunks}, std::int64_t{program.root},
             static_cast<std::int64_t>(protocol), std::int64_t{(program.inPlace ? 1 : 0) + (program.outOfPlace ? 2 : 0)}, program.minBytes, program.maxBytes,
             std::int64_t{program.conditions ? 1 : 0}})
        words.push_back(word);
    if (!program.conditions)
        return;
    for (const auto* values : {&program.conditions->before, &program.conditions->after}) {
        words.push_back(static_cast<std::int64_t>(values->size()));
        for (const ChunkValue& chunk : *values) {
            for (const std::int64_t word : {std::int64_t{chunk.rank}, static_cast<std::int64_t>(chunk.buffer), std::int64_t{chunk.index}, static_cast<std::int64_t>(chunk.value.size())})
                words.push_back(word);
            for (const Contribution& part : chunk.value) {
                words.push_back(part.rank);
                words.push_back(part.index);
            }
        }
    }
}

/// What all ranks share besides the header.
void addExtras(Words& words, const ExplicitBody& body)
{
    words.push_back(body.receiveSlots);
    words.push_back(body.hasPlaces() ? 1 : 0);
    words.push_back(static_cast<std::int64_t>(body.chunkWeights.size()));
    words.insert(words.end(), body.chunkWeights.begin(), body.chunkWeights.end());
}

class RankDigest {
public:
    RankDigest(const ExplicitBody& body, std::int32_t rank)
        : m_body(body)
        , m_rank(rank)
        , m_steps(rankSteps(body, rank))
    {
        reduceWaits(body, m_steps);
    }

    Digest digest();

private:
    void addOperation(Words& words, std::uint32_t op);

    const ExplicitBody& m_body;
    std::int32_t m_rank;
    RankSteps m_steps;
    /// By (sends or not, peer, connection): messages so far.
    std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::int64_t> m_messages;
    std::int64_t m_scratch = 0;
};

void RankDigest::addOperation(Words& words, std::uint32_t op)
{
    const ExplicitBody& b = m_body;
    const OpKind kind = b.kind[op];
    const auto touch = [&](BufferKind buffer, std::int32_t offset) {
        if (buffer == BufferKind::Scratch)
            m_scratch = std::max(m_scratch, std::int64_t{offset} + b.count[op]);
    };
    touch(b.sourceBuffer[op], b.sourceOffset[op]);
    if (kind != OpKind::Put)
        touch(b.targetBuffer[op], b.targetOffset[op]);
    words.push_back(static_cast<std::int64_t>(kind));
    words.push_back(b.count[op]);
    words.push_back(b.bytesOf(op));
    words.push_back(b.durationOf(op));
    const bool sized = b.bytesOf(op) < 0 && (!b.chunkWeights.empty() || !b.hasPlaces());
    words.push_back(sized ? b.chunk[op] : -1);
    words.push_back(static_cast<std::int64_t>(b.sourceBuffer[op]));
    words.push_back(b.sourceOffset[op]);
    words.push_back(static_cast<std::int64_t>(b.targetBuffer[op]));
    words.push_back(b.targetOffset[op]);
    if (isMessage(kind)) {
        const bool gives = kind == OpKind::Send || kind == OpKind::Put || kind == OpKind::Signal;
        words.push_back(b.peer[op]);
        words.push_back(b.connection[op]);
        words.push_back(m_messages[{gives, b.peer[op], b.connection[op]}]++);
    } else if (kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast) {
        const std::vector<std::int32_t>& team = b.teams[at(b.peer[op])];
        words.push_back(static_cast<std::int64_t>(team.size()));
        words.insert(words.end(), team.begin(), team.end());
    }
    const std::int32_t route = b.routeOf(op);
    words.push_back(route < 0 ? 0 : static_cast<std::int64_t>(b.routes[at(route)].size()) + 1);
    if (route >= 0)
        words.insert(words.end(), b.routes[at(route)].begin(), b.routes[at(route)].end());
}

/// A step is what it does, the step before it in its lane and those it waits for; a rank is the set of its steps.
Digest RankDigest::digest()
{
    std::vector<Words> contents(m_steps.size());
    for (std::uint32_t step = 0; step < m_steps.size(); ++step) {
        for (std::uint32_t op = m_steps.begin[step]; op < m_steps.begin[step + 1]; ++op)
            addOperation(contents[step], op);
    }
    std::vector<std::uint32_t> order = m_steps.order;
    if (m_steps.ring()) { // Nothing can run: as written will do.
        order.resize(m_steps.size());
        for (std::uint32_t step = 0; step < m_steps.size(); ++step)
            order[step] = step;
    }
    std::vector<Digest> digests(m_steps.size());
    CommutativeDigest sum;
    Words words;
    std::vector<Digest> waits;
    for (const std::uint32_t step : order) {
        words = std::move(contents[step]);
        words.push_back(m_body.lane[m_steps.begin[step]] >= 0 ? 1 : 0);
        if (m_steps.previous[step] >= 0)
            add(words, digests[at(m_steps.previous[step])]);
        waits.clear();
        for (const std::uint32_t other : m_steps.waits[step])
            waits.push_back(digests[other]);
        std::sort(waits.begin(), waits.end());
        words.push_back(static_cast<std::int64_t>(waits.size()));
        for (const Digest& other : waits)
            add(words, other);
        digests[step] = digestOf(words);
        words.clear();
        add(words, digests[step]);
        sum.add(words);
    }
    words.clear();
    words.push_back(m_rank);
    if (m_body.hasPlaces()) {
        const BufferSizes& sizes = m_body.buffers[at(m_rank)];
        words.push_back(sizes.input);
        words.push_back(sizes.output);
        words.push_back(m_scratch);
    }
    add(words, sum.value());
    return digestOf(words);
}

} // namespace

Digest canonicalDigest(const Program& program)
{
    if (program.isTemplate())
        return program.digest();
    const ExplicitBody& body = program.asExplicit();
    Words words;
    addHeader(words, program);
    addExtras(words, body);
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank)
        add(words, RankDigest(body, rank).digest());
    return digestOf(words);
}

} // namespace fabricscope
