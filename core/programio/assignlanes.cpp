#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/program/reachability.h"
#include "core/programio/lanes.h"
#include "core/programio/messagepairs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace fabricscope {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

/// What the order of the lanes is taken from.
enum class Follow : std::uint8_t {
    Events,   ///< An order in which a message is one event: its send and its receive at once.
    Sends,    ///< An order of execution; receives in the order of their sends.
    Receives  ///< The same; sends in the order of their receives.
};

template <typename Column>
void permute(Column& column, const std::vector<std::uint32_t>& order)
{
    if (column.empty())
        return;
    Column out;
    out.reserve(order.size());
    for (const std::uint32_t op : order)
        out.push_back(column[op]);
    column = std::move(out);
}

class Assigner {
public:
    Assigner(const Program& program, const std::stop_token& stop)
        : m_stop(stop)
        , m_program(program)
        , m_body(program.asExplicit())
    {
    }

    /// Throws StopRequested.
    Result<ProgramPtr> run();

private:
    Status check() const;
    Status unfuse();
    void findEdges();
    std::vector<std::uint32_t> positions(bool events) const;
    std::vector<std::uint32_t> keys(Follow follow) const;
    std::vector<std::int32_t> lanesBy(const std::vector<std::uint32_t>& key, bool joinLocal) const;
    ProgramPtr build(const std::vector<std::uint32_t>& key, const std::vector<std::int32_t>& lanes) const;
    Error refuse(std::uint32_t op, const std::string& what) const
    {
        const auto rank = std::upper_bound(m_body.rankBegin.begin(), m_body.rankBegin.end(), op) - m_body.rankBegin.begin() - 1;
        return Error{ErrorCode::Unsupported, "operation " + std::to_string(op - m_body.rankBegin[at(rank)]) + " of rank " + std::to_string(rank) + ' ' + what, {}, {}};
    }
    bool sends(std::uint32_t op) const { return m_body.kind[op] == OpKind::Send; }

    const std::stop_token& m_stop;
    const Program& m_program;
    ExplicitBody m_body; ///< Without fused groups.
    std::vector<std::int32_t> m_rank;
    std::vector<std::uint32_t> m_partner;              ///< kNone: local.
    std::vector<std::vector<std::uint32_t>> m_waits;   ///< By operation: what it must follow on its rank, lanes included.
};

Status Assigner::check() const
{
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        checkStop(m_stop);
        if (m_body.kind[op] >= OpKind::Put)
            return refuse(op, "is one-sided or done by a switch: it has no place in a lane");
        const bool message = sends(op) || receives(m_body.kind[op]);
        if (message && (m_body.peer[op] < 0 || m_body.peer[op] >= m_body.rankCount() || m_body.peer[op] == m_rank[op]))
            return refuse(op, "has no peer");
    }
    return {};
}

Status Assigner::unfuse()
{
    std::vector<std::uint32_t> depends;
    std::vector<std::uint32_t> begin{0};
    std::uint32_t head = 0;
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        checkStop(m_stop);
        depends.insert(depends.end(), m_body.depends.begin() + m_body.dependBegin[op], m_body.depends.begin() + m_body.dependBegin[op + 1]);
        if (!m_body.isFused(op)) {
            head = op;
        } else {
            if (m_body.sourceBuffer[op] == BufferKind::Fused) {
                if (m_body.targetBuffer[head] == BufferKind::None)
                    return refuse(op, "sends a sum that is stored nowhere: its lane must be kept, but cannot");
                m_body.sourceBuffer[op] = m_body.targetBuffer[head];
                m_body.sourceOffset[op] = m_body.targetOffset[head];
            }
            depends.push_back(op - 1);
        }
        begin.push_back(static_cast<std::uint32_t>(depends.size()));
    }
    m_body.depends = std::move(depends);
    m_body.dependBegin = std::move(begin);
    m_body.fused.clear();
    return {};
}

void Assigner::findEdges()
{
    m_waits.resize(m_body.size());
    for (std::int32_t rank = 0; rank < m_body.rankCount(); ++rank) {
        const RankSteps steps = rankSteps(m_body, rank); // Each operation is a step.
        const std::uint32_t base = m_body.rankBegin[at(rank)];
        for (std::uint32_t step = 0; step < steps.size(); ++step) {
            checkStop(m_stop);
            std::vector<std::uint32_t>& waits = m_waits[base + step];
            for (const std::uint32_t other : steps.waits[step])
                waits.push_back(base + other);
            if (steps.previous[step] >= 0)
                waits.push_back(base + static_cast<std::uint32_t>(steps.previous[step]));
        }
    }
}

/// Places in an order of execution: of what can run, the lowest (step, operation) first. Empty where something waits for itself.
std::vector<std::uint32_t> Assigner::positions(bool events) const
{
    const std::uint32_t count = m_body.size();
    // A node is an operation, or with `events` a message, named by its send.
    const auto nodeOf = [&](std::uint32_t op) { return events && receives(m_body.kind[op]) ? m_partner[op] : op; };
    std::vector<std::vector<std::uint32_t>> next(count);
    std::vector<std::uint32_t> missing(count, 0);
    const auto edge = [&](std::uint32_t from, std::uint32_t to) {
        next[from].push_back(to);
        ++missing[to];
    };
    std::uint32_t nodes = 0;
    for (std::uint32_t op = 0; op < count; ++op) {
        checkStop(m_stop);
        nodes += nodeOf(op) == op ? 1 : 0;
        for (const std::uint32_t other : m_waits[op])
            edge(nodeOf(other), nodeOf(op));
        if (!events && receives(m_body.kind[op]))
            edge(m_partner[op], op);
    }
    using Entry = std::pair<std::int32_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::uint32_t op = 0; op < count; ++op) {
        if (nodeOf(op) == op && missing[op] == 0)
            ready.emplace(m_body.step[op], op);
    }
    std::vector<std::uint32_t> out(count, 0);
    std::uint32_t done = 0;
    while (!ready.empty()) {
        checkStop(m_stop);
        const std::uint32_t node = ready.top().second;
        ready.pop();
        out[node] = done++;
        for (const std::uint32_t later : next[node]) {
            if (--missing[later] == 0)
                ready.emplace(m_body.step[later], later);
        }
    }
    if (done < nodes)
        return {};
    for (std::uint32_t op = 0; op < count; ++op)
        out[op] = out[nodeOf(op)];
    return out;
}

/// Sort keys of the operations in lanes; twice the place, so that a message whose end follows its other end has a place of its own.
std::vector<std::uint32_t> Assigner::keys(Follow follow) const
{
    std::vector<std::uint32_t> key = positions(follow == Follow::Events);
    if (follow == Follow::Events || key.empty())
        return key;
    std::vector<std::uint32_t> out = key;
    for (std::uint32_t op = 0; op < key.size(); ++op) {
        const bool follows = follow == Follow::Sends ? receives(m_body.kind[op]) : sends(op);
        if (follows)
            out[op] = key[m_partner[op]];
    }
    return out;
}

/// Lane of every operation: one per end of a connection, then of local work, numbered by first use on each rank.
std::vector<std::int32_t> Assigner::lanesBy(const std::vector<std::uint32_t>& key, bool joinLocal) const
{
    std::vector<std::int32_t> lanes(m_body.size(), -1);
    for (std::int32_t rank = 0; rank < m_body.rankCount(); ++rank) {
        std::vector<std::uint32_t> operations(m_body.rankBegin[static_cast<std::size_t>(rank) + 1] - m_body.rankBegin[at(rank)]);
        std::iota(operations.begin(), operations.end(), m_body.rankBegin[at(rank)]);
        sortUntilStopped(operations, [&](std::uint32_t a, std::uint32_t b) { return std::tie(key[a], a) < std::tie(key[b], b); }, m_stop);
        std::map<std::tuple<int, std::int32_t, std::int32_t>, std::int32_t> laneOf; // By (kind of end, peer, connection).
        for (const std::uint32_t op : operations) {
            checkStop(m_stop);
            std::tuple<int, std::int32_t, std::int32_t> end{sends(op) ? 0 : 1, m_body.peer[op], m_body.connection[op]};
            if (m_partner[op] == kNone) {
                end = {2, -1, -1};
                std::uint32_t latest = kNone;
                for (const std::uint32_t other : m_waits[op]) {
                    if (latest == kNone || key[other] > key[latest])
                        latest = other;
                }
                if (joinLocal && latest != kNone && !sends(latest)) {
                    lanes[op] = lanes[latest];
                    continue;
                }
            }
            lanes[op] = laneOf.try_emplace(end, static_cast<std::int32_t>(laneOf.size())).first->second;
        }
    }
    return lanes;
}

ProgramPtr Assigner::build(const std::vector<std::uint32_t>& key, const std::vector<std::int32_t>& lanes) const
{
    std::vector<std::uint32_t> order(m_body.size());
    std::iota(order.begin(), order.end(), 0U);
    sortUntilStopped(order, [&](std::uint32_t a, std::uint32_t b) { return std::tie(m_rank[a], lanes[a], key[a], a) < std::tie(m_rank[b], lanes[b], key[b], b); }, m_stop);
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;

    ExplicitBody body = m_body;
    body.lane = lanes;
    std::set<std::int32_t> channels;
    for (std::uint32_t op = 0; op < m_body.size(); ++op) {
        if (m_partner[op] != kNone)
            channels.insert(m_body.connection[op]);
    }
    std::map<std::int32_t, std::int32_t> number;
    for (const std::int32_t channel : channels)
        number.emplace(channel, static_cast<std::int32_t>(number.size()));
    for (std::uint32_t op = 0; op < m_body.size(); ++op)
        body.connection[op] = m_partner[op] == kNone ? 0 : number.at(m_body.connection[op]);

    permute(body.kind, order);
    permute(body.peer, order);
    permute(body.connection, order);
    permute(body.lane, order);
    permute(body.chunk, order);
    permute(body.count, order);
    permute(body.bytes, order);
    permute(body.duration, order);
    permute(body.sourceBuffer, order);
    permute(body.targetBuffer, order);
    permute(body.sourceOffset, order);
    permute(body.targetOffset, order);
    permute(body.step, order);
    permute(body.slot, order);
    permute(body.sourceId, order);
    permute(body.tags, order);
    permute(body.startPs, order);
    permute(body.route, order);
    body.depends.clear();
    body.dependBegin.assign(1, 0);
    for (const std::uint32_t op : order) {
        checkStop(m_stop);
        for (const std::uint32_t other : m_waits[op])
            body.depends.push_back(place[other]);
        std::sort(body.depends.begin() + body.dependBegin.back(), body.depends.end());
        body.dependBegin.push_back(static_cast<std::uint32_t>(body.depends.size()));
    }
    ExplicitBody reduced = body;
    reduced.depends.clear();
    reduced.dependBegin.assign(1, 0);
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        checkStop(m_stop);
        RankSteps steps = rankSteps(body, rank);
        reduceWaits(body, steps);
        for (std::uint32_t step = 0; step < steps.size(); ++step) {
            for (const std::uint32_t other : steps.waits[step])
                reduced.depends.push_back(steps.begin[other]);
            reduced.dependBegin.push_back(static_cast<std::uint32_t>(reduced.depends.size()));
        }
    }
    auto program = std::make_shared<Program>(m_program);
    program->body = std::move(reduced);
    return program;
}

Result<ProgramPtr> Assigner::run()
{
    m_rank.resize(m_body.size());
    for (std::int32_t rank = 0; rank < m_body.rankCount(); ++rank) {
        for (std::uint32_t op = m_body.rankBegin[at(rank)]; op < m_body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op)
            m_rank[op] = rank;
    }
    if (Status status = check(); !status)
        return std::move(status).error();
    const auto ends = connectionEnds(m_body, m_stop);
    if (Status status = checkPairs(m_body, ends); !status)
        return std::move(status).error();
    if (Status status = unfuse(); !status)
        return std::move(status).error();
    m_partner.assign(m_body.size(), kNone);
    for (const auto& [connection, sides] : ends) {
        for (std::size_t k = 0; k < sides.sends.size(); ++k) {
            m_partner[sides.sends[k]] = sides.receives[k];
            m_partner[sides.receives[k]] = sides.sends[k];
        }
    }
    findEdges();
    if (positions(false).empty() && m_body.size() > 0)
        return invalidInput("operations of the program wait for each other in a ring");
    const std::int32_t slots = protocolSlots(m_program.protocol);
    for (const Follow follow : {Follow::Events, Follow::Sends, Follow::Receives}) {
        const std::vector<std::uint32_t> key = keys(follow);
        if (key.empty() && m_body.size() > 0)
            continue;
        for (const bool joinLocal : {true, false}) {
            ProgramPtr program = build(key, lanesBy(key, joinLocal));
            if (lanesFinish(*program, slots, m_stop))
                return program;
        }
    }
    return Error{ErrorCode::Unsupported, "no order of the lanes that was tried ends with " + std::to_string(slots) + " messages per connection, as the protocol has", {}, {}};
}

} // namespace

Result<ProgramPtr> assignLanes(const ProgramPtr& program, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<ProgramPtr> {
        const auto fault = laneFault(*program, stop);
        if (!fault)
            return program;
        if (program->isTemplate())
            return *fault;
        return Assigner(*program, stop).run();
    });
}

} // namespace fabricscope
