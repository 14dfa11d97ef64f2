#include "tests/unit/support/oracles/tinychecker.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

namespace fabricscope::test {

namespace {

using Value = std::multiset<std::pair<int, int>>;
using Slot = std::tuple<int, BufferKind, int>; // (rank, buffer, index)

struct Machine {
    const Program& program;
    const ExplicitBody& body;
    bool inPlace;
    std::map<Slot, Value> memory{};
    std::map<std::uint32_t, std::uint32_t> receiver{}; ///< By send: the k-th of a connection goes to its k-th receive, in the order of the columns.
    std::map<std::uint32_t, std::vector<Value>> arrived{}; ///< By receive.
    std::vector<bool> done{};
    bool undefined = false;

    Machine(const Program& p, bool aliased) : program(p), body(p.asExplicit()), inPlace(aliased), done(body.size(), false)
    {
        for (int rank = 0; rank < p.ranks; ++rank) {
            for (int i = 0; i < body.buffers[static_cast<std::size_t>(rank)].input; ++i) {
                if (definedAtStart(p.op, p.ranks, p.chunks, rank, i, p.root))
                    memory[at(rank, BufferKind::Input, i)] = {{rank, i}};
            }
        }
        std::map<std::tuple<int, int, int>, std::deque<std::uint32_t>> sends;
        for (std::uint32_t op = 0; op < body.size(); ++op) {
            if (body.kind[op] == OpKind::Send)
                sends[{rankOf(op), body.peer[op], body.connection[op]}].push_back(op);
        }
        for (std::uint32_t op = 0; op < body.size(); ++op) {
            if (!receives(body.kind[op]))
                continue;
            auto& queue = sends[{body.peer[op], rankOf(op), body.connection[op]}];
            if (queue.empty())
                continue;
            receiver[queue.front()] = op;
            queue.pop_front();
        }
    }

    Slot at(int rank, BufferKind buffer, int index) const
    {
        if (inPlace && buffer == BufferKind::Input) {
            const int output = outputOfInput(program.op, program.ranks, program.chunks, rank, index, program.root);
            if (output >= 0)
                return {rank, BufferKind::Output, output};
        }
        return {rank, buffer, index};
    }

    int rankOf(std::uint32_t op) const
    {
        return static_cast<int>(std::upper_bound(body.rankBegin.begin(), body.rankBegin.end(), op) - body.rankBegin.begin()) - 1;
    }

    std::uint32_t groupEnd(std::uint32_t op) const
    {
        do
            ++op;
        while (op < body.size() && body.isFused(op));
        return op;
    }

    Value use(int rank, BufferKind buffer, int index, bool mayBeUndefined)
    {
        const auto found = memory.find(at(rank, buffer, index));
        const Value value = found == memory.end() ? Value{} : found->second;
        undefined = undefined || (value.empty() && !mayBeUndefined);
        return value;
    }

    /// Once its lane has come to it.
    bool ready(std::uint32_t group) const
    {
        for (std::uint32_t op = group; op < groupEnd(group); ++op) {
            for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i) {
                const std::uint32_t earlier = body.depends[i];
                if (!done[earlier] && (earlier < group || earlier >= groupEnd(group)))
                    return false;
            }
            if (receives(body.kind[op]) && !arrived.contains(op))
                return false;
        }
        return true;
    }

    void run(std::uint32_t group)
    {
        const int rank = rankOf(group);
        std::vector<Value> made;
        for (std::uint32_t op = group; op < groupEnd(group); ++op) {
            done[op] = true;
            const OpKind kind = body.kind[op];
            const auto source = [&] {
                std::vector<Value> values;
                for (int i = 0; i < body.count[op]; ++i)
                    values.push_back(use(rank, body.sourceBuffer[op], body.sourceOffset[op] + i, kind == OpKind::Copy));
                return values;
            };
            if (kind == OpKind::Send) {
                const auto message = body.sourceBuffer[op] == BufferKind::Fused ? made : source();
                if (const auto target = receiver.find(op); target != receiver.end())
                    arrived[target->second] = message;
                continue;
            }
            if (receives(kind)) {
                made = arrived[op];
                if (kind == OpKind::ReceiveReduce) {
                    const auto own = source();
                    for (std::size_t i = 0; i < made.size(); ++i)
                        made[i].insert(own[i].begin(), own[i].end());
                }
            } else if (kind == OpKind::Copy) {
                made = source();
            } else if (kind == OpKind::Reduce) {
                made = source();
                for (int i = 0; i < body.count[op]; ++i) {
                    const Value target = use(rank, body.targetBuffer[op], body.targetOffset[op] + i, false);
                    made[static_cast<std::size_t>(i)].insert(target.begin(), target.end());
                }
            }
            if (body.targetBuffer[op] == BufferKind::None)
                continue;
            for (int i = 0; i < body.count[op]; ++i)
                memory[at(rank, body.targetBuffer[op], body.targetOffset[op] + i)] = made[static_cast<std::size_t>(i)];
        }
    }

    bool right()
    {
        for (int rank = 0; rank < program.ranks; ++rank) {
            for (int i = 0; i < contractSizes(program.op, program.ranks, program.chunks, rank, program.root).output; ++i) {
                const Required required = requiredAt(program.op, program.ranks, program.chunks, rank, i, program.root);
                Value wanted;
                if (required.kind == Required::Kind::One)
                    wanted = {{required.one.rank, required.one.index}};
                for (int q = 0; required.kind == Required::Kind::AllRanks && q < program.ranks; ++q)
                    wanted.insert({q, required.one.index});
                if (!wanted.empty() && use(rank, BufferKind::Output, i, true) != wanted)
                    return false;
            }
        }
        return true;
    }
};

} // namespace

TinyVerdict runInManyOrders(const Program& program, bool inPlace, int orders, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    TinyVerdict verdict;
    std::optional<std::map<Slot, Value>> first;
    for (int k = 0; k < orders; ++k) {
        Machine machine(program, inPlace);
        // Some orders prefer a few ranks or operations strongly: those find races that evenly random orders miss.
        std::vector<std::uint64_t> priority(machine.body.size());
        for (std::uint64_t& one : priority)
            one = random();
        std::map<std::pair<int, int>, std::deque<std::uint32_t>> lanes; // Operations outside lanes are lanes of their own.
        for (std::uint32_t op = 0; op < machine.body.size(); ++op) {
            if (!machine.body.isFused(op))
                lanes[{machine.rankOf(op), machine.body.lane[op] >= 0 ? machine.body.lane[op] : -1 - static_cast<int>(op)}].push_back(op);
        }
        std::vector<std::deque<std::uint32_t>*> open;
        for (auto& [key, lane] : lanes)
            open.push_back(&lane);
        while (!open.empty()) {
            std::size_t pick = open.size();
            const std::size_t start = k == 0 || k % 2 == 1 ? 0 : static_cast<std::size_t>(random() % open.size());
            for (std::size_t i = 0; i < open.size() && (pick == open.size() || k % 2 == 1); ++i) {
                const std::size_t at = (start + i) % open.size();
                if (machine.ready(open[at]->front()) && (pick == open.size() || priority[open[at]->front()] > priority[open[pick]->front()]))
                    pick = at;
            }
            if (pick == open.size())
                break;
            machine.run(open[pick]->front());
            open[pick]->pop_front();
            if (open[pick]->empty()) {
                open[pick] = open.back();
                open.pop_back();
            }
        }
        ++verdict.orders;
        verdict.undefined = verdict.undefined || machine.undefined;
        if (!open.empty()) {
            verdict.stuck = true;
            return verdict;
        }
        verdict.wrong = verdict.wrong || !machine.right();
        if (!first)
            first = machine.memory;
        else
            verdict.differs = verdict.differs || *first != machine.memory;
    }
    return verdict;
}

bool finishesTwice(const Program& program, int slotCount)
{
    const ExplicitBody& body = program.asExplicit();
    struct Lane {
        std::vector<std::uint32_t> groups;
        std::size_t next = 0; ///< Over both iterations.
    };
    std::map<std::pair<int, int>, Lane> lanes;
    const Machine machine(program, false);
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (!body.isFused(op))
            lanes[{machine.rankOf(op), body.lane[op]}].groups.push_back(op);
    }
    std::map<std::tuple<int, int, int>, int> fill;
    std::vector<int> runs(body.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (auto& [key, lane] : lanes) {
            while (lane.next < 2 * lane.groups.size()) {
                const std::uint32_t group = lane.groups[lane.next % lane.groups.size()];
                const int iteration = static_cast<int>(lane.next / lane.groups.size());
                bool ready = true;
                for (std::uint32_t op = group; op < machine.groupEnd(group); ++op) {
                    for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i) {
                        const std::uint32_t earlier = body.depends[i];
                        ready = ready && (runs[earlier] > iteration || (earlier >= group && earlier < machine.groupEnd(group)));
                    }
                    if (receives(body.kind[op]))
                        ready = ready && fill[{body.peer[op], key.first, body.connection[op]}] > 0;
                    if (body.kind[op] == OpKind::Send)
                        ready = ready && fill[{key.first, body.peer[op], body.connection[op]}] < slotCount;
                }
                if (!ready)
                    break;
                for (std::uint32_t op = group; op < machine.groupEnd(group); ++op) {
                    ++runs[op];
                    if (receives(body.kind[op]))
                        --fill[{body.peer[op], key.first, body.connection[op]}];
                    if (body.kind[op] == OpKind::Send)
                        ++fill[{key.first, body.peer[op], body.connection[op]}];
                }
                ++lane.next;
                moved = true;
            }
        }
    }
    return std::all_of(lanes.begin(), lanes.end(), [](const auto& entry) { return entry.second.next == 2 * entry.second.groups.size(); });
}

} // namespace fabricscope::test
