#include "tests/unit/support/contractrun.h"

#include "core/base/index.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace fabricscope::test {

namespace {

using Value = std::vector<Contribution>;

class Runner {
public:
    explicit Runner(const Program& program) : m_program(program), m_body(program.asExplicit()) {}

    std::string run();

private:
    Value& cell(std::int32_t rank, BufferKind buffer, std::int32_t index);
    bool execute(std::uint32_t op);
    std::string compare();

    const Program& m_program;
    const ExplicitBody& m_body;
    std::map<std::tuple<std::int32_t, BufferKind, std::int32_t>, Value> m_memory;
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::deque<std::vector<Value>>> m_wires;
    std::vector<std::int32_t> m_rankOf;
};

/// Input and output are one memory: an input that is also an output is kept as that.
Value& Runner::cell(std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    if (buffer == BufferKind::Input) {
        const std::int32_t output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, rank, index, m_program.root);
        if (output >= 0)
            return m_memory[{rank, BufferKind::Output, output}];
    }
    return m_memory[{rank, buffer, index}];
}

bool Runner::execute(std::uint32_t op)
{
    const std::int32_t rank = m_rankOf[op];
    const std::int32_t peer = m_body.peer[op];
    const std::int32_t connection = m_body.connection[op];
    if (m_body.kind[op] == OpKind::Send) {
        std::vector<Value> message;
        for (std::int32_t i = 0; i < m_body.count[op]; ++i)
            message.push_back(cell(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i));
        m_wires[{rank, peer, connection}].push_back(std::move(message));
        return true;
    }
    auto& wire = m_wires[{peer, rank, connection}];
    if (wire.empty())
        return false;
    const std::vector<Value> message = wire.front();
    wire.pop_front();
    for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
        Value& target = cell(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i);
        const Value& got = message[at(i)];
        if (m_body.kind[op] == OpKind::Receive) {
            target = got;
        } else {
            target.insert(target.end(), got.begin(), got.end());
            std::sort(target.begin(), target.end());
        }
    }
    return true;
}

std::string Runner::compare()
{
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        const BufferSizes sizes = contractSizes(m_program.op, m_program.ranks, m_program.chunks, rank, m_program.root);
        for (std::int32_t i = 0; i < sizes.output; ++i) {
            const Required required = requiredAt(m_program.op, m_program.ranks, m_program.chunks, rank, i, m_program.root);
            Value expected;
            if (required.kind == Required::Kind::One)
                expected.push_back(required.one);
            for (std::int32_t other = 0; required.kind == Required::Kind::AllRanks && other < m_program.ranks; ++other)
                expected.push_back({other, required.one.index});
            if (required.kind != Required::Kind::Anything && m_memory[{rank, BufferKind::Output, i}] != expected)
                return "output " + std::to_string(i) + " of rank " + std::to_string(rank) + " is wrong";
        }
    }
    return {};
}

std::string Runner::run()
{
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        m_rankOf.insert(m_rankOf.end(), m_body.rankBegin[static_cast<std::size_t>(rank) + 1] - m_body.rankBegin[at(rank)], rank);
        const BufferSizes sizes = contractSizes(m_program.op, m_program.ranks, m_program.chunks, rank, m_program.root);
        for (std::int32_t i = 0; i < sizes.input; ++i) {
            if (definedAtStart(m_program.op, m_program.ranks, m_program.chunks, rank, i, m_program.root))
                cell(rank, BufferKind::Input, i) = {{rank, i}};
        }
    }
    std::vector<bool> done(m_body.size(), false);
    // Connections are used in the order of the columns: a rank's operation waits for the earlier ones of its connection and direction.
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, bool>, std::deque<std::uint32_t>> order;
    const auto key = [&](std::uint32_t op) { return std::tuple(m_rankOf[op], m_body.peer[op], m_body.connection[op], m_body.kind[op] == OpKind::Send); };
    for (std::uint32_t op = 0; op < m_body.size(); ++op)
        order[key(op)].push_back(op);
    std::uint32_t left = m_body.size();
    for (bool moved = true; moved && left > 0;) {
        moved = false;
        for (auto& entry : order) {
            while (!entry.second.empty()) {
                const std::uint32_t op = entry.second.front();
                const auto begin = m_body.depends.begin() + m_body.dependBegin[op];
                const auto end = m_body.depends.begin() + m_body.dependBegin[op + 1];
                if (!std::all_of(begin, end, [&](std::uint32_t earlier) { return static_cast<bool>(done[earlier]); }) || !execute(op))
                    break;
                done[op] = true;
                entry.second.pop_front();
                --left;
                moved = true;
            }
        }
    }
    if (left > 0)
        return std::to_string(left) + " operations never run";
    for (const auto& wire : m_wires) {
        if (!wire.second.empty())
            return "messages are left over";
    }
    return compare();
}

} // namespace

std::string problemOfRun(const Program& program)
{
    return Runner(program).run();
}

} // namespace fabricscope::test
