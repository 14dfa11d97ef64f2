#include "core/step/explicitparts.h"

#include "core/base/stoppablesort.h"
#include "core/step/programorder.h"
#include "core/verify/carriedbytes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

/// Sets of ranks by number, equal sets once.
class RankSets {
public:
    explicit RankSets(std::int32_t ranks)
        : m_words((static_cast<std::size_t>(ranks) + 63) / 64)
    {
        number(Bits(m_words, 0));
    }

    static constexpr std::int32_t kEmpty = 0;
    std::int32_t single(std::int32_t rank)
    {
        Bits bits(m_words, 0);
        bits[static_cast<std::size_t>(rank) / 64] |= std::uint64_t{1} << (rank % 64);
        return number(std::move(bits));
    }
    std::int32_t joined(std::int32_t a, std::int32_t b)
    {
        if (a == b || b == kEmpty)
            return a;
        if (a == kEmpty)
            return b;
        const auto [known, isNew] = m_joined.try_emplace({std::min(a, b), std::max(a, b)}, 0);
        if (isNew) {
            Bits bits = *m_bits[static_cast<std::size_t>(a)];
            const Bits& other = *m_bits[static_cast<std::size_t>(b)];
            for (std::size_t word = 0; word < m_words; ++word)
                bits[word] |= other[word];
            known->second = number(std::move(bits));
        }
        return known->second;
    }
    std::int32_t count(std::int32_t set) const { return m_count[static_cast<std::size_t>(set)]; }

private:
    using Bits = std::vector<std::uint64_t>;

    std::int32_t number(Bits bits)
    {
        const auto [known, isNew] = m_numbers.try_emplace(std::move(bits), static_cast<std::int32_t>(m_bits.size()));
        if (isNew) {
            m_bits.push_back(&known->first);
            std::int32_t count = 0;
            for (const std::uint64_t word : known->first)
                count += std::popcount(word);
            m_count.push_back(count);
        }
        return known->second;
    }

    std::size_t m_words;
    std::map<Bits, std::int32_t> m_numbers;
    std::vector<const Bits*> m_bits;
    std::vector<std::int32_t> m_count;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> m_joined;
};

std::int64_t bytesOfChunks(std::int64_t bytes, std::int32_t chunks, std::int32_t first, std::int32_t count)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{bytes} * (first + count) / chunks - Wide{bytes} * first / chunks);
}

} // namespace

bool isReducingCollective(CollectiveOp op)
{
    return op != CollectiveOp::AllGather && op != CollectiveOp::AllToAll && op != CollectiveOp::Broadcast && op != CollectiveOp::Gather
        && op != CollectiveOp::Scatter;
}

ExplicitSends::ExplicitSends(const Program& program, std::int64_t bytes, const std::stop_token& stop)
{
    const ExplicitBody& body = program.asExplicit();
    const std::vector<std::uint32_t> partner = messagePartners(body);
    const OperationBytes sizes = carriedBytes(program, bytes, stop);
    checkStop(stop);
    m_step.assign(body.step.begin(), body.step.end());
    m_reduces.assign(body.size(), false);
    for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
        for (std::uint32_t op = body.rankBegin[rank]; op < body.rankBegin[rank + 1]; ++op) {
            checkStop(stop);
            if (body.kind[op] != OpKind::Send)
                continue;
            const std::int64_t size = sizes.of(op);
            if (size == 0)
                continue;
            ++m_count;
            m_reduces[op] = partner[op] != kNoOperation && body.kind[partner[op]] == OpKind::ReceiveReduce;
            const Key key{static_cast<std::int32_t>(rank), body.peer[op], std::max(body.chunk[op], 0), body.step[op], body.slotOf(op), size};
            m_sends.push_back({key, static_cast<std::int32_t>(op), 0});
        }
    }
    sortUntilStopped(m_sends, [](const Sent& a, const Sent& b) { return std::tie(a.key, a.operation) < std::tie(b.key, b.operation); }, stop);
    if (std::all_of(body.step.begin(), body.step.end(), [&](std::int32_t step) { return step == body.step.front(); }))
        findDepths(body, partner, stop);
}

std::int32_t ExplicitSends::take(const Key& key)
{
    const auto first = std::partition_point(m_sends.begin(), m_sends.end(), [&](const Sent& sent) { return sent.key < key; });
    if (first == m_sends.end() || first->key != key)
        return -1;
    const auto next = first + static_cast<std::ptrdiff_t>(first->taken);
    if (next + 1 != m_sends.end() && (next + 1)->key == key)
        ++first->taken; // Of more messages than sends, the last one takes the rest.
    return next->operation;
}

/// Messages before every send on the longest chain of operations, over lanes and through receives.
void ExplicitSends::findDepths(const ExplicitBody& body, const std::vector<std::uint32_t>& partner, const std::stop_token& stop)
{
    std::vector<std::vector<std::uint32_t>> next(body.size());
    std::vector<std::int32_t> waitsFor(body.size(), 0);
    const auto link = [&](std::uint32_t first, std::uint32_t second) {
        next[first].push_back(second);
        ++waitsFor[second];
    };
    for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
        std::map<std::int32_t, std::uint32_t> lastOfLane;
        for (std::uint32_t op = body.rankBegin[rank]; op < body.rankBegin[rank + 1]; ++op) {
            checkStop(stop);
            for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
                link(body.depends[i], op);
            if (body.lane[op] >= 0) {
                const auto [last, isFirst] = lastOfLane.try_emplace(body.lane[op], op);
                if (!isFirst)
                    link(std::exchange(last->second, op), op);
            }
            if (body.kind[op] == OpKind::Send && partner[op] != kNoOperation)
                link(op, partner[op]);
        }
    }
    std::vector<std::int32_t> depth(body.size(), 0);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (waitsFor[op] == 0)
            ready.push_back(op);
    }
    while (!ready.empty()) {
        checkStop(stop);
        const std::uint32_t op = ready.back();
        ready.pop_back();
        for (const std::uint32_t follower : next[op]) {
            const bool message = body.kind[op] == OpKind::Send && partner[op] == follower;
            depth[follower] = std::max(depth[follower], depth[op] + (message ? 1 : 0));
            if (--waitsFor[follower] == 0)
                ready.push_back(follower);
        }
    }
    m_step = std::move(depth);
}

ExplicitParts::ExplicitParts(const Program& program, CollectiveOp op, std::span<const ExplicitMove> moves, const std::stop_token& stop)
    : m_op(op)
    , m_size(program.ranks)
{
    const ExplicitBody& body = program.asExplicit();
    bool anyReduces = false;
    m_chunked = op != CollectiveOp::AllToAll && !moves.empty();
    for (std::uint32_t i = 0; i < body.size(); ++i) {
        anyReduces = anyReduces || body.kind[i] == OpKind::ReceiveReduce;
        if (body.kind[i] == OpKind::Send && (body.chunk[i] < 0 || body.count[i] < 1 || body.chunk[i] + body.count[i] > program.chunks))
            m_chunked = false;
    }
    m_parts = m_chunked ? program.chunks : 1;
    m_complete = !m_chunked || isReducingCollective(op) ? m_size : 1;
    if (std::int64_t{m_parts} * m_size > kMaxCells) {
        m_note = "The group is too large to show who holds which part: " + std::to_string(m_parts) + " parts at " + std::to_string(m_size) + " ranks.";
        m_parts = 0;
        return;
    }

    const std::vector<std::uint32_t> partner = anyReduces ? messagePartners(body) : std::vector<std::uint32_t>{};
    std::vector<bool> replaces(moves.size(), false);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        checkStop(stop);
        const auto operation = static_cast<std::size_t>(moves[i].operation);
        const auto first = m_chunked ? body.chunk[operation] : 0;
        const auto count = m_chunked ? body.count[operation] : 1;
        m_ranges.push_back({static_cast<std::uint32_t>(m_table.size()), static_cast<std::uint32_t>(count)});
        for (PartIndex part = first; part < first + count; ++part)
            m_table.push_back(part);
        if (anyReduces && m_chunked && partner[operation] != kNoOperation)
            replaces[i] = body.kind[partner[operation]] == OpKind::Receive;
    }
    follow(moves, replaces, stop);
}

/// Goes through sends and deliveries in order of time; at equal times what arrives is there for what leaves.
void ExplicitParts::follow(std::span<const ExplicitMove> moves, const std::vector<bool>& replaces, const std::stop_token& stop)
{
    RankSets sets(m_size);
    std::vector<std::int32_t> held(static_cast<std::size_t>(m_parts) * static_cast<std::size_t>(m_size));
    const auto cell = [&](std::int32_t position, PartIndex part) -> std::int32_t& {
        return held[static_cast<std::size_t>(position) * static_cast<std::size_t>(m_parts) + static_cast<std::size_t>(part)];
    };
    for (std::int32_t position = 0; position < m_size; ++position) {
        const std::int32_t own = sets.single(position);
        for (PartIndex part = 0; part < m_parts; ++part)
            cell(position, part) = heldAtStart(position, part) > 0 ? own : RankSets::kEmpty;
    }

    struct Moment {
        std::int64_t time;
        bool leaves;
        std::size_t move;
    };
    std::vector<Moment> moments;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        moments.push_back({moves[i].sentPs, true, i});
        moments.push_back({moves[i].donePs, false, i});
    }
    sortUntilStopped(moments, [](const Moment& a, const Moment& b) {
        return std::tie(a.time, a.leaves, a.move) < std::tie(b.time, b.leaves, b.move);
    }, stop);
    m_after.assign(m_table.size(), 0);
    std::vector<std::int32_t> payload(m_table.size(), RankSets::kEmpty);
    for (const Moment& moment : moments) {
        checkStop(stop);
        const PartRange range = m_ranges[moment.move];
        for (std::uint32_t at = range.first; at < range.first + range.count; ++at) {
            if (moment.leaves) {
                payload[at] = cell(moves[moment.move].source, m_table[at]);
                continue;
            }
            std::int32_t& target = cell(moves[moment.move].target, m_table[at]);
            target = replaces[moment.move] ? payload[at] : sets.joined(target, payload[at]);
            m_after[at] = sets.count(target);
        }
    }
}

std::int32_t ExplicitParts::ownerOf(PartIndex part) const
{
    if (!m_chunked || (m_op != CollectiveOp::ReduceScatter && m_op != CollectiveOp::AllGather))
        return -1;
    return static_cast<std::int32_t>(std::int64_t{part} * m_size / m_parts);
}

std::int64_t ExplicitParts::bytesOf(std::int64_t chunk, PartIndex part) const
{
    return m_chunked ? bytesOfChunks(chunk, m_parts, part, 1) : chunk;
}

std::int32_t ExplicitParts::heldAtStart(std::int32_t position, PartIndex part) const
{
    return m_chunked && m_op == CollectiveOp::AllGather && ownerOf(part) != position ? 0 : 1;
}

} // namespace fabricscope
