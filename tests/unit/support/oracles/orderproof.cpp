#include "tests/unit/support/oracles/orderproof.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace fabricscope::test {

namespace {

using Value = std::vector<Contribution>; // Ascending; empty: undefined.
using Place = std::tuple<int, BufferKind, int>; // (rank, buffer, index)

Value sum(const Value& a, const Value& b)
{
    Value out;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
}

class Prover {
public:
    Prover(const Program& program, bool inPlace)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_inPlace(inPlace)
        , m_group(m_body.size())
        , m_rank(m_body.size())
        , m_partner(m_body.size(), UINT32_MAX)
    {
    }

    OrderProof run()
    {
        findGroups();
        findEdges();
        sortGroups();
        m_proof.stuck = m_order.size() != m_first.size();
        if (m_proof.stuck)
            return m_proof;
        close();
        execute();
        compare();
        return m_proof;
    }

private:
    struct Access {
        std::uint32_t group = 0;
        bool writes = false;
    };

    void findGroups()
    {
        for (std::uint32_t op = 0; op < m_body.size(); ++op) {
            if (!m_body.isFused(op))
                m_first.push_back(op);
            m_group[op] = static_cast<std::uint32_t>(m_first.size() - 1);
        }
        for (std::size_t rank = 0; rank + 1 < m_body.rankBegin.size(); ++rank) {
            for (std::uint32_t op = m_body.rankBegin[rank]; op < m_body.rankBegin[rank + 1]; ++op)
                m_rank[op] = static_cast<int>(rank);
        }
    }

    std::uint32_t endOf(std::uint32_t group) const { return group + 1 < m_first.size() ? m_first[group + 1] : m_body.size(); }

    void edge(std::uint32_t before, std::uint32_t after)
    {
        if (before != after)
            m_before[after].push_back(before);
    }

    void findEdges()
    {
        m_before.resize(m_first.size());
        std::map<std::pair<int, int>, std::uint32_t> lastOfLane;
        std::map<std::tuple<int, int, int>, std::vector<std::uint32_t>> sends;
        for (std::uint32_t op = 0; op < m_body.size(); ++op) {
            const std::uint32_t group = m_group[op];
            if (m_body.lane[op] >= 0) {
                const auto [last, fresh] = lastOfLane.try_emplace({m_rank[op], m_body.lane[op]}, group);
                if (!fresh)
                    edge(last->second, group);
                last->second = group;
            }
            for (std::uint32_t i = m_body.dependBegin[op]; i < m_body.dependBegin[op + 1]; ++i)
                edge(m_group[m_body.depends[i]], group);
            if (m_body.kind[op] == OpKind::Send)
                sends[{m_rank[op], m_body.peer[op], m_body.connection[op]}].push_back(op);
        }
        std::map<std::tuple<int, int, int>, std::size_t> taken;
        for (std::uint32_t op = 0; op < m_body.size(); ++op) {
            if (!receives(m_body.kind[op]))
                continue;
            const std::tuple key{m_body.peer[op], m_rank[op], m_body.connection[op]};
            const std::vector<std::uint32_t>& all = sends[key];
            std::size_t& next = taken[key];
            if (next >= all.size())
                continue;
            m_partner[op] = all[next++];
            if (m_group[m_partner[op]] == m_group[op])
                m_selfWait = true;
            edge(m_group[m_partner[op]], m_group[op]);
        }
    }

    void sortGroups()
    {
        std::vector<std::vector<std::uint32_t>> after(m_first.size());
        std::vector<std::size_t> open(m_first.size());
        for (std::uint32_t group = 0; group < m_first.size(); ++group) {
            open[group] = m_before[group].size();
            for (const std::uint32_t earlier : m_before[group])
                after[earlier].push_back(group);
            if (open[group] == 0 && !m_selfWait)
                m_order.push_back(group);
        }
        for (std::size_t i = 0; i < m_order.size(); ++i) {
            for (const std::uint32_t later : after[m_order[i]]) {
                if (--open[later] == 0)
                    m_order.push_back(later);
            }
        }
    }

    /// Row g of the matrix: all groups before g.
    void close()
    {
        m_words = (m_first.size() + 63) / 64;
        m_matrix.assign(m_first.size() * m_words, 0);
        for (const std::uint32_t group : m_order) {
            std::uint64_t* const row = m_matrix.data() + group * m_words;
            for (const std::uint32_t earlier : m_before[group]) {
                const std::uint64_t* const other = m_matrix.data() + earlier * m_words;
                for (std::size_t word = 0; word < m_words; ++word)
                    row[word] |= other[word];
                row[earlier / 64] |= std::uint64_t{1} << earlier % 64;
            }
        }
    }

    bool isBefore(std::uint32_t a, std::uint32_t b) const { return (m_matrix[b * m_words + a / 64] >> a % 64 & 1) != 0; }

    Place at(int rank, BufferKind buffer, int index) const
    {
        if (m_inPlace && buffer == BufferKind::Input) {
            const int output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, rank, index, m_program.root);
            if (output >= 0)
                return {rank, BufferKind::Output, output};
        }
        return {rank, buffer, index};
    }

    std::vector<Value> read(std::uint32_t op, BufferKind buffer, int offset)
    {
        std::vector<Value> values;
        for (int i = 0; i < m_body.count[op]; ++i) {
            const Place place = at(m_rank[op], buffer, offset + i);
            values.push_back(m_memory[place]);
            m_accesses[place].push_back({m_group[op], false});
            m_proof.undefined = m_proof.undefined || (values.back().empty() && m_body.kind[op] != OpKind::Copy);
        }
        return values;
    }

    void write(std::uint32_t op, const std::vector<Value>& values)
    {
        if (m_body.targetBuffer[op] == BufferKind::None)
            return;
        for (int i = 0; i < m_body.count[op]; ++i) {
            const Place place = at(m_rank[op], m_body.targetBuffer[op], m_body.targetOffset[op] + i);
            m_memory[place] = values[static_cast<std::size_t>(i)];
            m_accesses[place].push_back({m_group[op], true});
        }
    }

    void start()
    {
        if (m_program.op == CollectiveOp::Custom) {
            for (const ChunkValue& chunk : m_program.conditions->before)
                m_memory[at(chunk.rank, chunk.buffer, chunk.index)] = chunk.value;
            return;
        }
        for (int rank = 0; rank < m_program.ranks; ++rank) {
            const int inputs = contractSizes(m_program.op, m_program.ranks, m_program.chunks, rank, m_program.root).input;
            for (int i = 0; i < inputs; ++i) {
                if (definedAtStart(m_program.op, m_program.ranks, m_program.chunks, rank, i, m_program.root))
                    m_memory[at(rank, BufferKind::Input, i)] = {{rank, i}};
            }
        }
    }

    void execute()
    {
        start();
        std::map<std::uint32_t, std::vector<Value>> messages; // By send.
        for (const std::uint32_t group : m_order) {
            std::vector<Value> made;
            for (std::uint32_t op = m_first[group]; op < endOf(group); ++op) {
                const auto source = [&] { return read(op, m_body.sourceBuffer[op], m_body.sourceOffset[op]); };
                switch (m_body.kind[op]) {
                case OpKind::Send:
                    messages[op] = m_body.sourceBuffer[op] == BufferKind::Fused ? made : source();
                    continue;
                case OpKind::Receive:
                    made = messages[m_partner[op]];
                    break;
                case OpKind::Copy:
                    made = source();
                    m_proof.race = m_proof.race || overlapsItself(op);
                    break;
                case OpKind::ReceiveReduce:
                case OpKind::Reduce: {
                    const std::vector<Value> other = m_body.kind[op] == OpKind::Reduce ? read(op, m_body.targetBuffer[op], m_body.targetOffset[op]) : messages[m_partner[op]];
                    made = source();
                    for (std::size_t i = 0; i < made.size(); ++i)
                        made[i] = sum(made[i], other[i]);
                    break;
                }
                default:
                    continue;
                }
                write(op, made);
            }
        }
        for (const auto& [place, list] : m_accesses) {
            for (std::size_t i = 0; i < list.size() && !m_proof.race; ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    const bool conflict = (list[i].writes || list[j].writes) && list[i].group != list[j].group;
                    m_proof.race = m_proof.race || (conflict && !isBefore(list[j].group, list[i].group) && !isBefore(list[i].group, list[j].group));
                }
            }
        }
    }

    /// A copy onto part of its own source: which chunk comes first is not said.
    bool overlapsItself(std::uint32_t op) const
    {
        const int apart = std::abs(m_body.sourceOffset[op] - m_body.targetOffset[op]);
        return m_body.sourceBuffer[op] == m_body.targetBuffer[op] && apart > 0 && apart < m_body.count[op];
    }

    void expect(const Place& place, const Value& wanted) { m_proof.wrong = m_proof.wrong || (!wanted.empty() && m_memory[place] != wanted); }

    void compare()
    {
        if (m_program.op == CollectiveOp::Custom) {
            for (const ChunkValue& chunk : m_program.conditions->after)
                expect(at(chunk.rank, chunk.buffer, chunk.index), chunk.value);
            return;
        }
        for (int rank = 0; rank < m_program.ranks; ++rank) {
            const int outputs = contractSizes(m_program.op, m_program.ranks, m_program.chunks, rank, m_program.root).output;
            for (int i = 0; i < outputs; ++i) {
                const Required required = requiredAt(m_program.op, m_program.ranks, m_program.chunks, rank, i, m_program.root);
                Value wanted;
                if (required.kind == Required::Kind::One)
                    wanted = {required.one};
                for (int giver = 0; required.kind == Required::Kind::AllRanks && giver < m_program.ranks; ++giver)
                    wanted.push_back({giver, required.one.index});
                expect({rank, BufferKind::Output, i}, wanted);
            }
        }
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    bool m_inPlace;
    OrderProof m_proof;
    std::vector<std::uint32_t> m_group;   ///< By operation.
    std::vector<int> m_rank;              ///< By operation.
    std::vector<std::uint32_t> m_partner; ///< By receive: its send.
    std::vector<std::uint32_t> m_first;   ///< By group: its first operation.
    std::vector<std::vector<std::uint32_t>> m_before; ///< By group: those that must be over, not closed.
    std::vector<std::uint32_t> m_order;
    bool m_selfWait = false;              ///< A group receives what it sends itself.
    std::size_t m_words = 0;
    std::vector<std::uint64_t> m_matrix;
    std::map<Place, Value> m_memory;
    std::map<Place, std::vector<Access>> m_accesses;
};

} // namespace

OrderProof proveOrders(const Program& program, bool inPlace)
{
    return Prover(program, inPlace).run();
}

} // namespace fabricscope::test
