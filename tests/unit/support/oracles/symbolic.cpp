#include "tests/unit/support/oracles/symbolic.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace fabricscope::test {

namespace {

using Value = std::vector<Contribution>; // Ascending; empty: undefined.

Value joined(const Value& a, const Value& b)
{
    Value sum;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(sum));
    return sum;
}

class Machine {
public:
    Machine(const Program& program, bool inPlace)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_inPlace(inPlace)
    {
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const BufferSizes& sizes = m_body.buffers[static_cast<std::size_t>(rank)];
            m_memory.push_back({std::vector<Value>(static_cast<std::size_t>(sizes.input)), std::vector<Value>(static_cast<std::size_t>(sizes.output)),
                                std::vector<Value>(static_cast<std::size_t>(sizes.scratch))});
            for (std::int32_t index = 0; index < sizes.input; ++index) {
                if (definedAtStart(program.op, program.ranks, program.chunks, rank, index, program.root))
                    at(rank, BufferKind::Input, index) = {{rank, index}};
            }
        }
        if (program.conditions) {
            for (const ChunkValue& chunk : program.conditions->before)
                at(chunk.rank, chunk.buffer, chunk.index) = chunk.value;
        }
    }

    std::string run(std::uint64_t seed)
    {
        prepare();
        std::mt19937_64 random(seed);
        std::vector<std::uint32_t> ready;
        for (std::uint32_t op = 0; op < m_body.size(); ++op) {
            if (m_waits[op] == 0)
                ready.push_back(op);
        }
        std::uint32_t done = 0;
        while (!ready.empty() && m_error.empty()) {
            const std::size_t pick = random() % ready.size();
            const std::uint32_t op = ready[pick];
            ready[pick] = ready.back();
            ready.pop_back();
            execute(op);
            ++done;
            for (const std::uint32_t next : m_next[op]) {
                if (--m_waits[next] == 0)
                    ready.push_back(next);
            }
        }
        if (m_error.empty() && done != m_body.size())
            m_error = std::to_string(m_body.size() - done) + " operations never start";
        if (m_error.empty())
            checkEnd();
        return m_error;
    }

private:
    Value& at(std::int32_t rank, BufferKind buffer, std::int32_t index)
    {
        if (m_inPlace && buffer == BufferKind::Input) {
            const std::int32_t output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, rank, index, m_program.root);
            if (output >= 0)
                return at(rank, BufferKind::Output, output);
        }
        auto& cells = m_memory[static_cast<std::size_t>(rank)][static_cast<std::size_t>(buffer)];
        if (index < 0 || static_cast<std::size_t>(index) >= cells.size()) {
            m_error = "rank " + std::to_string(rank) + " uses place " + std::to_string(index) + " of buffer " + std::to_string(static_cast<int>(buffer));
            m_outside.clear();
            return m_outside;
        }
        return cells[static_cast<std::size_t>(index)];
    }

    void prepare()
    {
        m_waits.assign(m_body.size(), 0);
        m_next.assign(m_body.size(), {});
        m_rank.assign(m_body.size(), 0);
        m_partner.assign(m_body.size(), UINT32_MAX);
        const auto link = [&](std::uint32_t first, std::uint32_t second) {
            m_next[first].push_back(second);
            ++m_waits[second];
        };
        std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> connections;
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            std::map<std::int32_t, std::uint32_t> lastOfLane;
            for (std::uint32_t op = m_body.rankBegin[static_cast<std::size_t>(rank)]; op < m_body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
                m_rank[op] = rank;
                for (std::uint32_t i = m_body.dependBegin[op]; i < m_body.dependBegin[op + 1]; ++i)
                    link(m_body.depends[i], op);
                if (m_body.lane[op] >= 0) {
                    const auto last = lastOfLane.find(m_body.lane[op]);
                    if (last != lastOfLane.end())
                        link(last->second, op);
                    lastOfLane[m_body.lane[op]] = op;
                }
                if (m_body.kind[op] == OpKind::Send)
                    connections[{rank, m_body.peer[op], m_body.connection[op]}].first.push_back(op);
                if (receives(m_body.kind[op]))
                    connections[{m_body.peer[op], rank, m_body.connection[op]}].second.push_back(op);
            }
        }
        for (const auto& [key, ends] : connections) {
            if (ends.first.size() != ends.second.size())
                m_error = "a connection has " + std::to_string(ends.first.size()) + " sends and " + std::to_string(ends.second.size()) + " receives";
            for (std::size_t i = 0; i < std::min(ends.first.size(), ends.second.size()); ++i) {
                if (m_body.count[ends.first[i]] != m_body.count[ends.second[i]])
                    m_error = "a send and its receive differ in count";
                link(ends.first[i], ends.second[i]);
                m_partner[ends.second[i]] = ends.first[i];
            }
        }
    }

    const Value& read(std::int32_t rank, BufferKind buffer, std::int32_t index)
    {
        const Value& value = at(rank, buffer, index);
        if (value.empty() && m_error.empty())
            m_error = "rank " + std::to_string(rank) + " reads place " + std::to_string(index) + " of buffer " + std::to_string(static_cast<int>(buffer)) + " undefined";
        return value;
    }

    void execute(std::uint32_t op)
    {
        const std::int32_t rank = m_rank[op];
        const BufferKind source = m_body.sourceBuffer[op];
        const BufferKind target = m_body.targetBuffer[op];
        for (std::int32_t i = 0; i < m_body.count[op] && m_error.empty(); ++i) {
            const std::int32_t from = m_body.sourceOffset[op] + i;
            const std::int32_t to = m_body.targetOffset[op] + i;
            switch (m_body.kind[op]) {
            case OpKind::Send:
                m_messages[op].push_back(read(rank, source, from));
                break;
            case OpKind::Receive:
                at(rank, target, to) = m_messages[m_partner[op]][static_cast<std::size_t>(i)];
                break;
            case OpKind::ReceiveReduce:
                at(rank, target, to) = joined(m_messages[m_partner[op]][static_cast<std::size_t>(i)], read(rank, source, from));
                break;
            case OpKind::Copy: {
                const Value value = read(rank, source, from);
                at(rank, target, to) = value;
                break;
            }
            case OpKind::Reduce: {
                const Value value = joined(read(rank, source, from), read(rank, target, to));
                at(rank, target, to) = value;
                break;
            }
            case OpKind::SwitchReduce: {
                Value sum;
                for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                    sum = joined(sum, read(member, source, from));
                if (target == BufferKind::None)
                    m_messages[op].push_back(sum); // Only the switch has it.
                else
                    at(rank, target, to) = sum;
                break;
            }
            case OpKind::SwitchMulticast: {
                const Value value = source == BufferKind::Fused ? m_messages[op - 1][static_cast<std::size_t>(i)] : read(rank, source, from);
                for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
                    at(member, target, to) = value;
                break;
            }
            default:
                m_error = "an operation of a kind generators do not use";
            }
        }
    }

    void checkEnd()
    {
        if (m_program.conditions) {
            for (const ChunkValue& chunk : m_program.conditions->after) {
                if (at(chunk.rank, chunk.buffer, chunk.index) != chunk.value)
                    wrong(chunk.rank, chunk.index);
            }
            return;
        }
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            const std::int32_t size = m_body.buffers[static_cast<std::size_t>(rank)].output;
            for (std::int32_t index = 0; index < size && m_error.empty(); ++index) {
                const Required required = requiredAt(m_program.op, m_program.ranks, m_program.chunks, rank, index, m_program.root);
                Value expected;
                if (required.kind == Required::Kind::One)
                    expected = {required.one};
                for (std::int32_t each = 0; each < m_program.ranks && required.kind == Required::Kind::AllRanks; ++each)
                    expected.push_back({each, required.one.index});
                if (required.kind != Required::Kind::Anything && at(rank, BufferKind::Output, index) != expected)
                    wrong(rank, index);
            }
        }
    }
    void wrong(std::int32_t rank, std::int32_t index) { m_error = "rank " + std::to_string(rank) + " ends with a wrong output " + std::to_string(index); }

    const Program& m_program;
    const ExplicitBody& m_body;
    bool m_inPlace;
    std::vector<std::array<std::vector<Value>, 3>> m_memory;
    std::vector<std::int32_t> m_waits;
    std::vector<std::vector<std::uint32_t>> m_next;
    std::vector<std::int32_t> m_rank;
    std::vector<std::uint32_t> m_partner;
    std::map<std::uint32_t, std::vector<Value>> m_messages;
    Value m_outside; ///< Stands for a place that is none.
    std::string m_error;
};

} // namespace

std::string runSymbolically(const Program& program, bool inPlace, std::uint64_t seed)
{
    return Machine(program, inPlace).run(seed);
}

} // namespace fabricscope::test
