#include "tests/unit/support/oracles/planexecutor.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace fabricscope::test {

namespace {

using Value = std::vector<Contribution>;

Value sum(Value a, const Value& b)
{
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    return a;
}

class Execution {
public:
    Execution(const Program& program, bool inPlace)
        : m_program(program)
        , m_body(program.asExplicit())
        , m_inPlace(inPlace)
    {
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            const std::int32_t inputs = contractSizes(program.op, program.ranks, program.chunks, rank, program.root).input;
            for (std::int32_t i = 0; i < inputs; ++i) {
                if (definedAtStart(program.op, program.ranks, program.chunks, rank, i, program.root))
                    cell(rank, BufferKind::Input, i) = {{rank, i}};
            }
        }
    }

    std::string run(std::uint32_t seed)
    {
        std::mt19937 random(seed);
        const std::uint32_t size = m_body.size();
        std::vector<std::vector<std::uint32_t>> after(size);
        std::vector<std::uint32_t> open(size, 0);
        std::map<std::tuple<int, int, int>, std::vector<std::uint32_t>> sends;
        std::map<std::tuple<int, int, int>, std::vector<std::uint32_t>> takes;
        std::vector<std::int32_t> rankOf(size);
        const auto order = [&](std::uint32_t earlier, std::uint32_t later) {
            after[earlier].push_back(later);
            ++open[later];
        };
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            std::map<std::int32_t, std::uint32_t> lastOfLane;
            for (std::uint32_t op = m_body.rankBegin[at(rank)]; op < m_body.rankBegin[at(rank) + 1]; ++op) {
                rankOf[op] = rank;
                for (std::uint32_t i = m_body.dependBegin[op]; i < m_body.dependBegin[op + 1]; ++i) {
                    if (m_body.depends[i] >= op || m_body.depends[i] < m_body.rankBegin[at(rank)])
                        return "operation " + std::to_string(op) + " depends on a later one or on another rank";
                    order(m_body.depends[i], op);
                }
                const auto last = lastOfLane.find(m_body.lane[op]);
                if (last != lastOfLane.end())
                    order(last->second, op);
                lastOfLane[m_body.lane[op]] = op;
                if (m_body.kind[op] == OpKind::Send)
                    sends[{rank, m_body.peer[op], m_body.connection[op]}].push_back(op);
                else if (receives(m_body.kind[op]))
                    takes[{m_body.peer[op], rank, m_body.connection[op]}].push_back(op);
            }
        }
        std::vector<std::uint32_t> sendOf(size, UINT32_MAX);
        for (const auto& [key, list] : sends) {
            const auto& matched = takes[key];
            if (matched.size() != list.size())
                return "unmatched messages";
            for (std::size_t i = 0; i < list.size(); ++i) {
                order(list[i], matched[i]);
                sendOf[matched[i]] = list[i];
            }
        }
        if (takes.size() != sends.size())
            return "receives without sends";

        std::vector<std::uint32_t> ready;
        for (std::uint32_t op = 0; op < size; ++op) {
            if (open[op] == 0)
                ready.push_back(op);
        }
        std::vector<Value> message(size);
        std::uint32_t done = 0;
        while (!ready.empty()) {
            std::swap(ready[random() % ready.size()], ready.back());
            const std::uint32_t op = ready.back();
            ready.pop_back();
            ++done;
            for (std::int32_t i = 0; i < m_body.count[op]; ++i) {
                if (std::string problem = execute(op, rankOf[op], i, message, sendOf); !problem.empty())
                    return problem + " in operation " + std::to_string(op) + " of rank " + std::to_string(rankOf[op]);
            }
            for (const std::uint32_t next : after[op]) {
                if (--open[next] == 0)
                    ready.push_back(next);
            }
        }
        return done == size ? check() : "deadlock";
    }

private:
    Value& cell(std::int32_t rank, BufferKind buffer, std::int32_t offset)
    {
        if (m_inPlace && buffer == BufferKind::Input) {
            const std::int32_t output = outputOfInput(m_program.op, m_program.ranks, m_program.chunks, rank, offset, m_program.root);
            if (output >= 0)
                return m_memory[{rank, BufferKind::Output, output}];
        }
        return m_memory[{rank, buffer, offset}];
    }

    std::string execute(std::uint32_t op, std::int32_t rank, std::int32_t i, std::vector<Value>& message, const std::vector<std::uint32_t>& sendOf)
    {
        const auto source = [&]() -> Value& { return cell(rank, m_body.sourceBuffer[op], m_body.sourceOffset[op] + i); };
        const auto target = [&]() -> Value& { return cell(rank, m_body.targetBuffer[op], m_body.targetOffset[op] + i); };
        if (m_body.kind[op] != OpKind::Receive && source().empty())
            return "undefined chunk read";
        switch (m_body.kind[op]) {
        case OpKind::Send:
            message[op] = source();
            return {};
        case OpKind::Receive:
            target() = message[sendOf[op]];
            return {};
        case OpKind::ReceiveReduce:
            target() = sum(source(), message[sendOf[op]]);
            return {};
        case OpKind::Copy:
            target() = Value(source());
            return {};
        default:
            return "a kind that synthesis does not make";
        }
    }

    std::string check()
    {
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
            const std::int32_t outputs = contractSizes(m_program.op, m_program.ranks, m_program.chunks, rank, m_program.root).output;
            for (std::int32_t i = 0; i < outputs; ++i) {
                const Required required = requiredAt(m_program.op, m_program.ranks, m_program.chunks, rank, i, m_program.root);
                Value expected;
                if (required.kind == Required::Kind::Anything)
                    continue;
                if (required.kind == Required::Kind::One)
                    expected = {required.one};
                else {
                    for (std::int32_t other = 0; other < m_program.ranks; ++other)
                        expected.push_back({other, required.one.index});
                }
                if (cell(rank, BufferKind::Output, i) != expected)
                    return "wrong output " + std::to_string(i) + " of rank " + std::to_string(rank);
            }
        }
        return {};
    }

    const Program& m_program;
    const ExplicitBody& m_body;
    bool m_inPlace;
    std::map<std::tuple<std::int32_t, BufferKind, std::int32_t>, Value> m_memory;
};

} // namespace

std::string runProgram(const Program& program, bool inPlace, std::uint32_t seed)
{
    return Execution(program, inPlace).run(seed);
}

std::string checkSchedule(const Program& program, const SynthesisGraph& graph, std::int64_t bytes, std::int64_t plannedPs)
{
    const ExplicitBody& body = program.asExplicit();
    std::map<std::tuple<int, int, int>, const SynthesisGraph::Link*> links;
    std::map<std::pair<int, int>, int> parallel;
    for (const SynthesisGraph::Link& link : graph.links)
        links[{link.from, link.to, parallel[{link.from, link.to}]++}] = &link;
    const std::int64_t size = (bytes + program.chunks - 1) / program.chunks;

    struct Sent {
        std::int64_t start = 0;
        std::int64_t end = 0;
    };
    std::map<std::tuple<int, int, int>, std::vector<Sent>> sent;
    std::int64_t last = 0;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[at(rank) + 1]; ++op) {
            if (body.kind[op] != OpKind::Send)
                continue;
            const std::tuple<int, int, int> key{rank, body.peer[op], body.connection[op]};
            const auto link = links.find(key);
            if (link == links.end())
                return "a send between ranks without a link";
            __extension__ using Wide = __int128;
            const Wide wait = (Wide{size} * 1'000'000'000'000 + link->second->bytesPerSecond - 1) / link->second->bytesPerSecond;
            const std::int64_t end = body.startOf(op) + link->second->latencyPs + static_cast<std::int64_t>(wait);
            auto& list = sent[key];
            if (body.startOf(op) < 0 || (!list.empty() && list.back().end > body.startOf(op)))
                return "two chunks at once on a link, or out of order";
            list.push_back({body.startOf(op), end});
            last = std::max(last, end);
        }
    }
    if (last != plannedPs)
        return "the last chunk arrives at " + std::to_string(last) + ", not " + std::to_string(plannedPs);
    // When each receive is there: by the order on its connection.
    std::map<std::tuple<int, int, int>, std::size_t> taken;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        std::map<std::uint32_t, std::int64_t> there;
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[at(rank) + 1]; ++op) {
            if (receives(body.kind[op])) {
                const std::tuple<int, int, int> key{body.peer[op], rank, body.connection[op]};
                there[op] = sent[key][taken[key]++].end;
            }
            for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i) {
                if (body.kind[op] == OpKind::Send && there.count(body.depends[i]) && there[body.depends[i]] > body.startOf(op))
                    return "a chunk leaves before it has arrived";
            }
        }
    }
    return {};
}

} // namespace fabricscope::test
