#include "tests/unit/support/oracles/programrun.h"

#include "core/program/programbuilder.h"

#include <algorithm>
#include <deque>
#include <random>
#include <set>

namespace fabricscope::test {

namespace {

class Machine {
public:
    Machine(const Program& program, std::uint32_t seed, bool aliased, int slots)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_random(seed)
        , m_aliased(aliased)
        , m_slots(slots)
    {
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const std::int32_t size = m_body.buffers[static_cast<std::size_t>(rank)].input;
            for (std::int32_t i = 0; i < size; ++i) {
                if (program.op == CollectiveOp::Custom || definedAtStart(program.op, program.ranks, program.chunks, rank, i, program.root))
                    m_run.memory[cell(rank, BufferKind::Input, i)] = {{rank, i}};
            }
        }
    }

    ProgramRun run();

private:
    using Values = std::vector<std::vector<Contribution>>;
    struct Message {
        Values values;
        std::int32_t count = 0;
    };
    using Connection = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

    MemoryCell cell(std::int32_t rank, BufferKind buffer, std::int32_t index) const
    {
        if (m_aliased && buffer == BufferKind::Input) {
            const std::int32_t output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, rank, index, m_program.root);
            if (output >= 0)
                return {rank, BufferKind::Output, output};
        }
        return {rank, buffer, index};
    }
    Values read(std::int32_t rank, BufferKind buffer, std::int32_t offset, std::int32_t count)
    {
        Values out;
        for (std::int32_t i = 0; i < count; ++i) {
            const auto found = m_run.memory.find(cell(rank, buffer, offset + i));
            if (found == m_run.memory.end()) {
                m_run.fault = "undefined read on rank " + std::to_string(rank) + " at " + std::to_string(offset + i);
                out.emplace_back();
            } else {
                out.push_back(found->second);
            }
        }
        return out;
    }
    void write(std::int32_t rank, BufferKind buffer, std::int32_t offset, const Values& values)
    {
        if (buffer == BufferKind::None)
            return;
        for (std::size_t i = 0; i < values.size(); ++i)
            m_run.memory[cell(rank, buffer, offset + static_cast<std::int32_t>(i))] = values[i];
    }
    static Values sum(Values a, const Values& b)
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i].insert(a[i].end(), b[i].begin(), b[i].end());
            std::sort(a[i].begin(), a[i].end());
        }
        return a;
    }
    bool ready(const std::vector<std::uint32_t>& step) const;
    void execute(std::uint32_t op);

    const Program& m_program;
    const ExplicitBody& m_body;
    std::mt19937 m_random;
    bool m_aliased;
    int m_slots;
    ProgramRun m_run;
    std::vector<std::int32_t> m_rank;
    std::vector<std::uint8_t> m_done;
    std::map<Connection, std::deque<Message>> m_messages;
    std::map<Connection, std::deque<std::uint32_t>> m_sendOrder; ///< Operations that still have to send, receive: in column order.
    std::map<Connection, std::deque<std::uint32_t>> m_receiveOrder;
    std::map<Connection, int> m_signals;
    Values m_made; ///< By the operation before, in a fused group.
};

/// A step is an operation, or a fused group: all of it can go at once.
bool Machine::ready(const std::vector<std::uint32_t>& step) const
{
    for (const std::uint32_t op : step) {
        for (std::uint32_t at = m_body.dependBegin[op]; at < m_body.dependBegin[op + 1]; ++at) {
            const std::uint32_t other = m_body.depends[at];
            if (!m_done[other] && std::find(step.begin(), step.end(), other) == step.end())
                return false;
        }
        const Connection out{m_rank[op], m_body.peer[op], m_body.connection[op]};
        const Connection in{m_body.peer[op], m_rank[op], m_body.connection[op]};
        if (m_body.kind[op] == OpKind::Send) {
            const auto found = m_messages.find(out);
            if (m_sendOrder.at(out).front() != op || (m_slots > 0 && found != m_messages.end() && static_cast<int>(found->second.size()) >= m_slots))
                return false;
        } else if (receives(m_body.kind[op])) {
            const auto found = m_messages.find(in);
            if (m_receiveOrder.at(in).front() != op || found == m_messages.end() || found->second.empty())
                return false;
        } else if (m_body.kind[op] == OpKind::Wait) {
            const auto found = m_signals.find(in);
            if (found == m_signals.end() || found->second == 0)
                return false;
        }
    }
    return true;
}

void Machine::execute(std::uint32_t op)
{
    const std::int32_t rank = m_rank[op];
    const std::int32_t count = m_body.count[op];
    const Connection out{rank, m_body.peer[op], m_body.connection[op]};
    const Connection in{m_body.peer[op], rank, m_body.connection[op]};
    const auto source = [&] {
        if (m_body.sourceBuffer[op] == BufferKind::Fused)
            return m_made;
        return m_body.sourceBuffer[op] == BufferKind::None ? Values{} : read(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op], count);
    };
    switch (m_body.kind[op]) {
    case OpKind::Send:
        m_messages[out].push_back({source(), count});
        m_sendOrder[out].pop_front();
        break;
    case OpKind::Receive:
    case OpKind::ReceiveReduce: {
        const Message message = m_messages[in].front();
        m_messages[in].pop_front();
        m_receiveOrder[in].pop_front();
        if (message.count != count)
            m_run.fault = "a message of another count";
        m_made = m_body.kind[op] == OpKind::Receive ? message.values : sum(message.values, source());
        write(rank, m_body.targetBuffer[op], m_body.targetOffset[op], m_made);
        break;
    }
    case OpKind::Copy:
        m_made = source();
        write(rank, m_body.targetBuffer[op], m_body.targetOffset[op], m_made);
        break;
    case OpKind::Reduce:
        m_made = sum(read(rank, m_body.targetBuffer[op], m_body.targetOffset[op], count), source());
        write(rank, m_body.targetBuffer[op], m_body.targetOffset[op], m_made);
        break;
    case OpKind::Put:
        write(m_body.peer[op], m_body.targetBuffer[op], m_body.targetOffset[op], source());
        break;
    case OpKind::Signal:
        ++m_signals[out];
        break;
    case OpKind::Wait:
        --m_signals[in];
        break;
    case OpKind::SwitchReduce: {
        Values total;
        for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])]) {
            const Values part = read(member, m_body.sourceBuffer[op], m_body.sourceOffset[op], count);
            total = total.empty() ? part : sum(total, part);
        }
        m_made = total;
        write(rank, m_body.targetBuffer[op], m_body.targetOffset[op], total);
        break;
    }
    case OpKind::SwitchMulticast: {
        const Values values = source();
        for (const std::int32_t member : m_body.teams[static_cast<std::size_t>(m_body.peer[op])])
            write(member, m_body.targetBuffer[op], m_body.targetOffset[op], values);
        break;
    }
    case OpKind::Compute:
        break;
    }
    m_done[op] = 1;
}

ProgramRun Machine::run()
{
    const std::uint32_t count = m_body.size();
    m_rank.resize(count);
    m_done.assign(count, 0);
    std::map<std::pair<std::int32_t, std::int32_t>, std::deque<std::vector<std::uint32_t>>> lanes;
    std::int32_t free = -1;
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        for (std::uint32_t op = m_body.rankBegin[static_cast<std::size_t>(rank)]; op < m_body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            m_rank[op] = rank;
            if (m_body.kind[op] == OpKind::Send)
                m_sendOrder[{rank, m_body.peer[op], m_body.connection[op]}].push_back(op);
            else if (receives(m_body.kind[op]))
                m_receiveOrder[{m_body.peer[op], rank, m_body.connection[op]}].push_back(op);
            auto& lane = lanes[{rank, m_body.lane[op] >= 0 ? m_body.lane[op] : m_body.isFused(op) ? free : --free}];
            if (m_body.isFused(op))
                lane.back().push_back(op);
            else
                lane.push_back({op});
        }
    }
    std::vector<std::deque<std::vector<std::uint32_t>>> open;
    for (auto& [key, lane] : lanes)
        open.push_back(std::move(lane));
    while (!open.empty()) {
        const std::size_t start = m_random() % open.size();
        std::size_t taken = open.size();
        for (std::size_t i = 0; i < open.size() && taken == open.size(); ++i) {
            const std::size_t at = (start + i) % open.size();
            if (ready(open[at].front()))
                taken = at;
        }
        if (taken == open.size())
            return m_run;
        for (const std::uint32_t op : open[taken].front())
            execute(op);
        open[taken].pop_front();
        if (open[taken].empty())
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    m_run.finished = true;
    return m_run;
}

} // namespace

ProgramRun runProgram(const Program& program, std::uint32_t seed, bool aliased, int slots)
{
    return Machine(program, seed, aliased, slots).run();
}

bool meetsContract(const Program& program, const ProgramMemory& memory, bool aliased)
{
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::int32_t i = 0; i < contractSizes(program.op, program.ranks, program.chunks, rank, program.root).output; ++i) {
            const Required required = requiredAt(program.op, program.ranks, program.chunks, rank, i, program.root);
            if (required.kind == Required::Kind::Anything)
                continue;
            std::vector<Contribution> wanted{required.one};
            if (required.kind == Required::Kind::AllRanks) {
                wanted.clear();
                for (std::int32_t other = 0; other < program.ranks; ++other)
                    wanted.push_back({other, required.one.index});
            }
            auto found = memory.find({rank, BufferKind::Output, i});
            if (found == memory.end() && aliased) {
                for (std::int32_t k = 0; k < program.chunks && found == memory.end(); ++k) {
                    if (outputOfInput(program.op, program.ranks, program.chunks, rank, k, program.root) == i)
                        found = memory.find({rank, BufferKind::Input, k});
                }
            }
            if (found == memory.end() || found->second != wanted)
                return false;
        }
    }
    return true;
}

Program randomProgram(std::uint32_t seed, int ranks, int chunks, int operations, bool lanes)
{
    std::mt19937 random(seed);
    const auto below = [&](int most) { return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(most)); };
    ProgramBuilder builder(CollectiveOp::AllReduce, ranks, chunks);
    builder.header().inPlace = false;
    builder.header().protocol = WireProtocol::Simple;
    // Input is read only; output and scratch are read where something was written.
    std::vector<std::set<std::pair<int, std::int32_t>>> defined(static_cast<std::size_t>(ranks));
    const auto source = [&](std::int32_t rank, std::int32_t count) {
        std::vector<std::pair<int, std::int32_t>> choices;
        for (const auto& [buffer, offset] : defined[static_cast<std::size_t>(rank)]) {
            bool whole = true;
            for (std::int32_t i = 0; i < count; ++i)
                whole = whole && defined[static_cast<std::size_t>(rank)].contains({buffer, offset + i});
            if (whole)
                choices.emplace_back(buffer, offset);
        }
        if (choices.empty() || below(2) == 0)
            return ProgramBuilder::Place{rank, BufferKind::Input, below(chunks - count + 1)};
        const auto& [buffer, offset] = choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
        return ProgramBuilder::Place{rank, static_cast<BufferKind>(buffer), offset};
    };
    const auto define = [&](const ProgramBuilder::Place& place, std::int32_t count) {
        for (std::int32_t i = 0; i < count; ++i)
            defined[static_cast<std::size_t>(place.rank)].insert({static_cast<int>(place.buffer), place.offset + i});
    };
    for (int i = 0; i < operations; ++i) {
        const std::int32_t count = 1 + below(std::min(chunks, 2));
        const std::int32_t rank = below(ranks);
        const bool remote = ranks > 1 && below(3) > 0;
        const std::int32_t to = remote ? (rank + 1 + below(ranks - 1)) % ranks : rank;
        const ProgramBuilder::Place from = source(rank, count);
        ProgramBuilder::Place target{to, below(2) == 0 ? BufferKind::Output : BufferKind::Scratch, below(chunks - count + 1)};
        bool whole = true;
        for (std::int32_t k = 0; k < count; ++k)
            whole = whole && defined[static_cast<std::size_t>(to)].contains({static_cast<int>(target.buffer), target.offset + k});
        ProgramBuilder::How how;
        how.reduce = whole && below(2) == 0;
        how.connection = below(2);
        how.step = i;
        how.chunk = from.offset;
        how.tags.phase = static_cast<std::int16_t>(below(3));
        // A lane per connection and side, and one for local work: always legal.
        if (lanes) {
            how.sendLane = remote ? 1 + (to * 2 + how.connection) * 2 : 0;
            how.receiveLane = 2 + (rank * 2 + how.connection) * 2;
        }
        if (!remote) {
            how.sendLane = lanes ? 0 : -1;
            const bool overlap = from.buffer == target.buffer && from.offset < target.offset + count && target.offset < from.offset + count;
            if (overlap)
                continue;
            builder.local(from, target, count, how);
        } else {
            builder.transfer(from, target, count, how);
        }
        define(target, count);
    }
    builder.inferDependencies();
    return *builder.finish("random", "test");
}

} // namespace fabricscope::test
