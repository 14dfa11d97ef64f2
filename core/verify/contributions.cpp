#include "core/verify/contributions.h"

#include "core/base/stop.h"
#include "core/verify/operationchecks.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fabricscope {

namespace {

constexpr std::size_t kMostNamed = 4;

std::uint64_t plus(std::uint64_t a, std::uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/// How often cells and messages go into the one that is asked for, while the program is gone over from its end to its begin.
class Backwards {
public:
    Backwards(const ValueContext& context, const MemoryLayout& layout)
        : m_context(context)
        , m_body(context.body())
        , m_layout(layout)
        , m_weights(layout.cells(), 0)
    {
    }

    void run(CellIndex cell)
    {
        m_weights[cell] = 1;
        const std::vector<OpIndex>& order = m_context.schedule.order;
        for (auto group = order.rbegin(); group != order.rend(); ++group) {
            m_made.clear();
            for (OpIndex op = groupEnd(m_body, *group); op-- > *group;) {
                checkStop(m_context.stop);
                undo(op);
            }
        }
    }

    const std::vector<std::uint64_t>& weights() const { return m_weights; }

private:
    std::uint64_t& weightAt(std::int32_t rank, BufferKind buffer, std::int32_t offset) { return m_weights[m_layout.at(rank, buffer, offset)]; }

    /// Takes the weights of the target column of `rank` into m_made.
    void takeTarget(OpIndex op, std::int32_t rank, bool keep)
    {
        if (!isMemory(m_body.targetBuffer[op]))
            return;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
            checkStop(m_context.stop);
            std::uint64_t& weight = weightAt(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i);
            m_made[static_cast<std::size_t>(i)] = plus(m_made[static_cast<std::size_t>(i)], weight);
            weight = keep ? weight : 0;
        }
    }

    void giveSource(OpIndex op, std::int32_t rank)
    {
        if (!isMemory(m_body.sourceBuffer[op]))
            return;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
            checkStop(m_context.stop);
            std::uint64_t& weight = weightAt(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i);
            weight = plus(weight, m_made[static_cast<std::size_t>(i)]);
        }
    }

    void undo(OpIndex op)
    {
        if (!m_context.usable[op] || m_body.count[op] == 0)
            return;
        const OpKind kind = m_body.kind[op];
        const std::int32_t rank = m_context.lanes.rankOf(op);
        const auto count = static_cast<std::size_t>(m_body.count[op]);
        if (kind == OpKind::Send) {
            const auto message = m_messages.find(m_context.connections.receiverOf(op));
            if (message == m_messages.end())
                return;
            std::vector<std::uint64_t> weights = std::move(message->second);
            m_messages.erase(message);
            weights.resize(count, 0);
            if (m_body.sourceBuffer[op] == BufferKind::Fused) {
                m_made.resize(count, 0);
                for (std::size_t i = 0; i < count; ++i)
                    m_made[i] = plus(m_made[i], weights[i]);
                return;
            }
            std::swap(weights, m_made);
            giveSource(op, rank);
            std::swap(weights, m_made); // What is fused further back is still to come.
            return;
        }
        if (kind == OpKind::Compute || kind == OpKind::Signal || kind == OpKind::Wait)
            return;
        m_made.resize(count, 0);
        if (kind == OpKind::SwitchMulticast) {
            for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                takeTarget(op, member, false);
            if (m_body.sourceBuffer[op] == BufferKind::Fused)
                return; // They are those of the sum.
        } else {
            takeTarget(op, kind == OpKind::Put ? m_body.peer[op] : rank, kind == OpKind::Reduce);
        }
        const bool any = std::any_of(m_made.begin(), m_made.end(), [](std::uint64_t weight) { return weight != 0; });
        if (any && kind == OpKind::SwitchReduce) {
            for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                giveSource(op, member);
        } else if (any && kind != OpKind::Receive) {
            giveSource(op, rank);
        }
        if (any && receives(kind))
            m_messages[op] = m_made;
        m_made.clear();
    }

    const ValueContext& m_context;
    const ExplicitBody& m_body;
    const MemoryLayout& m_layout;
    std::vector<std::uint64_t> m_weights;    ///< By cell.
    std::unordered_map<OpIndex, std::vector<std::uint64_t>> m_messages; ///< By receive.
    std::vector<std::uint64_t> m_made;       ///< Of what the operation at hand makes, handed back by those fused behind it.
};

std::string nameOf(const Contribution& contribution)
{
    return "input " + std::to_string(contribution.index) + " of rank " + std::to_string(contribution.rank);
}

/// "a, b and 7 more".
std::string listText(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMostNamed)
        text += " and " + std::to_string(names.size() - kMostNamed) + " more";
    return text;
}

} // namespace

std::vector<CountedContribution> contributionsOf(const ValueContext& context, const MemoryLayout& layout, CellIndex cell)
{
    Backwards backwards(context, layout);
    backwards.run(cell);
    std::map<Contribution, std::uint64_t> counts;
    forEachInitial(context, [&](std::int32_t rank, BufferKind buffer, std::int32_t index, const std::vector<Contribution>& value) {
        const std::uint64_t weight = backwards.weights()[layout.at(rank, buffer, index)];
        for (const Contribution& contribution : value) {
            if (weight != 0)
                counts[contribution] = plus(counts[contribution], weight);
        }
    });
    std::vector<CountedContribution> out;
    for (const auto& [contribution, count] : counts)
        out.push_back({contribution, count});
    return out;
}

std::vector<Contribution> requiredContributions(const ValueContext& context, std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    const Program& program = context.program;
    if (program.op == CollectiveOp::Custom) {
        for (const ChunkValue& chunk : context.conditions->after) {
            if (chunk.rank == rank && chunk.buffer == buffer && chunk.index == index)
                return chunk.value;
        }
        return {};
    }
    const Required required = requiredAt(program.op, program.ranks, program.chunks, rank, index, program.root);
    if (required.kind == Required::Kind::One)
        return {required.one};
    std::vector<Contribution> all;
    for (std::int32_t giver = 0; required.kind == Required::Kind::AllRanks && giver < program.ranks; ++giver)
        all.push_back({giver, required.one.index});
    return all;
}

std::string differenceText(const std::vector<Contribution>& required, const std::vector<CountedContribution>& held)
{
    std::map<Contribution, std::uint64_t> wanted;
    for (const Contribution& contribution : required)
        ++wanted[contribution];
    std::vector<std::string> repeated;
    std::vector<std::string> foreign;
    for (const CountedContribution& counted : held) {
        const auto at = wanted.find(counted.contribution);
        if (at == wanted.end()) {
            foreign.push_back(nameOf(counted.contribution));
            continue;
        }
        if (counted.count > at->second)
            repeated.push_back(nameOf(counted.contribution) + ' ' + (counted.count == 2 ? "twice" : std::to_string(counted.count) + " times"));
        if (counted.count >= at->second)
            wanted.erase(at);
    }
    std::vector<std::string> missing;
    for (const auto& [contribution, count] : wanted)
        missing.push_back(nameOf(contribution));
    std::string text;
    const auto part = [&](const char* verb, const std::vector<std::string>& names) {
        if (!names.empty())
            text += (text.empty() ? " " : "; ") + std::string(verb) + ' ' + listText(names);
    };
    part("misses", missing);
    part("has", repeated);
    part("has, but must not,", foreign);
    return text;
}

} // namespace fabricscope
