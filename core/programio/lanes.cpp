#include "core/programio/lanes.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/reachability.h"
#include "core/programio/messagepairs.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

/// One (rank, lane) as a thread block.
struct Block {
    std::int32_t send = -1;
    std::int32_t receive = -1;
    std::int32_t channel = -1;
};

std::optional<Error> addToBlock(Block& block, const ExplicitBody& body, std::uint32_t op, std::int32_t rank)
{
    const auto fault = [&](const char* what) {
        return invalidInput("lane " + std::to_string(body.lane[op]) + " of rank " + std::to_string(rank) + ' ' + what);
    };
    std::int32_t& peer = body.kind[op] == OpKind::Send ? block.send : block.receive;
    if (peer >= 0 && peer != body.peer[op])
        return fault(body.kind[op] == OpKind::Send ? "sends to two ranks" : "receives from two ranks");
    if (block.channel >= 0 && block.channel != body.connection[op])
        return fault("has two channels");
    peer = body.peer[op];
    block.channel = body.connection[op];
    return {};
}

std::optional<Error> checkOperation(const ExplicitBody& body, std::uint32_t op, std::int32_t rank)
{
    const auto fault = [&](const std::string& what) {
        return invalidInput("operation " + std::to_string(op - body.rankBegin[at(rank)]) + " of rank " + std::to_string(rank) + ' ' + what);
    };
    const bool apart = body.isFused(op) && (op == body.rankBegin[at(rank)] || body.lane[op - 1] != body.lane[op]);
    if (body.lane[op] < 0)
        return fault("has no lane");
    if (apart)
        return fault("is fused with nothing before it in its lane");
    if (body.kind[op] >= OpKind::Put)
        return fault("is one-sided or done by a switch");
    if ((body.kind[op] == OpKind::Send || receives(body.kind[op])) && (body.peer[op] < 0 || body.peer[op] >= body.rankCount() || body.peer[op] == rank || body.connection[op] < 0))
        return fault("has no peer or channel");
    return {};
}

/// The steps of all ranks with one number each.
struct Steps {
    std::vector<std::uint32_t> begin;                ///< First operation of each, and behind the last.
    std::vector<std::int64_t> previous;              ///< -1: none.
    std::vector<std::vector<std::uint32_t>> waits;
    std::vector<std::uint32_t> ofOperation;
    std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size()) - 1; }
};

Steps allSteps(const ExplicitBody& body, const std::stop_token& stop)
{
    Steps out;
    out.ofOperation.resize(body.size());
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        checkStop(stop);
        RankSteps own = rankSteps(body, rank);
        const auto base = static_cast<std::uint32_t>(out.previous.size());
        for (std::uint32_t step = 0; step < own.size(); ++step) {
            for (std::uint32_t op = own.begin[step]; op < own.begin[step + 1]; ++op)
                out.ofOperation[op] = base + step;
            out.begin.push_back(own.begin[step]);
            out.previous.push_back(own.previous[step] < 0 ? -1 : std::int64_t{base} + own.previous[step]);
            for (std::uint32_t& other : own.waits[step])
                other += base;
            out.waits.push_back(std::move(own.waits[step]));
        }
    }
    out.begin.push_back(body.size());
    return out;
}

/// Runs the lanes; a step is looked at again when something it may wait for has happened.
class LaneMachine {
public:
    LaneMachine(const ExplicitBody& body, std::int32_t slots, const std::stop_token& stop)
        : m_stop(stop)
        , m_body(body)
        , m_slots(slots)
        , m_steps(allSteps(body, stop))
    {
        const std::uint32_t count = m_steps.size();
        m_next.resize(count);
        m_done.assign(count, 0);
        for (std::uint32_t step = 0; step < count; ++step) {
            checkStop(m_stop);
            if (m_steps.previous[step] >= 0)
                m_next[at(m_steps.previous[step])].push_back(step);
            for (const std::uint32_t other : m_steps.waits[step])
                m_next[other].push_back(step);
        }
        m_pipeOf.assign(body.size(), 0);
        for (const auto& [connection, ends] : connectionEnds(body, m_stop)) {
            checkStop(m_stop);
            Pipe pipe;
            for (const std::uint32_t op : ends.sends) {
                pipe.sends.push_back(m_steps.ofOperation[op]);
                m_pipeOf[op] = static_cast<std::uint32_t>(m_pipes.size());
            }
            for (const std::uint32_t op : ends.receives) {
                pipe.receives.push_back(m_steps.ofOperation[op]);
                m_pipeOf[op] = static_cast<std::uint32_t>(m_pipes.size());
            }
            m_pipes.push_back(std::move(pipe));
        }
    }

    bool finishes()
    {
        std::deque<std::uint32_t> look;
        for (std::uint32_t step = 0; step < m_steps.size(); ++step)
            look.push_back(step);
        std::uint32_t left = m_steps.size();
        while (!look.empty()) {
            checkStop(m_stop);
            const std::uint32_t step = look.front();
            look.pop_front();
            if (m_done[step] || !ready(step))
                continue;
            m_done[step] = 1;
            --left;
            finish(step, look);
            look.insert(look.end(), m_next[step].begin(), m_next[step].end());
        }
        return left == 0;
    }

private:
    struct Pipe {
        std::vector<std::uint32_t> sends;
        std::vector<std::uint32_t> receives;
        std::size_t sent = 0;
        std::size_t received = 0;
    };

    bool ready(std::uint32_t step) const
    {
        if (m_steps.previous[step] >= 0 && !m_done[at(m_steps.previous[step])])
            return false;
        for (const std::uint32_t other : m_steps.waits[step]) {
            if (!m_done[other])
                return false;
        }
        for (std::uint32_t op = m_steps.begin[step]; op < m_steps.begin[step + 1]; ++op) {
            const bool sends = m_body.kind[op] == OpKind::Send;
            if (!sends && !receives(m_body.kind[op]))
                continue;
            const Pipe& pipe = m_pipes[m_pipeOf[op]];
            if (sends && m_slots > 0 && pipe.sent - pipe.received >= static_cast<std::size_t>(m_slots))
                return false;
            if (!sends && pipe.sent == pipe.received)
                return false;
        }
        return true;
    }

    void finish(std::uint32_t step, std::deque<std::uint32_t>& look)
    {
        for (std::uint32_t op = m_steps.begin[step]; op < m_steps.begin[step + 1]; ++op) {
            if (m_body.kind[op] == OpKind::Send) {
                Pipe& pipe = m_pipes[m_pipeOf[op]];
                ++pipe.sent;
                if (pipe.received < pipe.receives.size())
                    look.push_back(pipe.receives[pipe.received]);
            } else if (receives(m_body.kind[op])) {
                Pipe& pipe = m_pipes[m_pipeOf[op]];
                ++pipe.received;
                if (pipe.sent < pipe.sends.size())
                    look.push_back(pipe.sends[pipe.sent]);
            }
        }
    }

    const std::stop_token& m_stop;
    const ExplicitBody& m_body;
    std::int32_t m_slots;
    Steps m_steps;
    std::vector<std::vector<std::uint32_t>> m_next;
    std::vector<std::uint8_t> m_done;
    std::vector<Pipe> m_pipes;
    std::vector<std::uint32_t> m_pipeOf;
};

} // namespace

std::int32_t protocolSlots(WireProtocol protocol)
{
    return protocol == WireProtocol::LL || protocol == WireProtocol::LL128 ? 8 : 2;
}

std::optional<Error> laneFault(const Program& program, const std::stop_token& stop)
{
    if (program.isTemplate())
        return Error{ErrorCode::Unsupported, "a template has no lanes", {}, "an explicit program"};
    const ExplicitBody& body = program.asExplicit();
    std::map<Connection, std::pair<std::int32_t, std::int32_t>> lanes; // Of each connection: who sends, who receives.
    for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
        std::map<std::int32_t, Block> blocks;
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            checkStop(stop);
            if (auto fault = checkOperation(body, op, rank))
                return fault;
            const bool sends = body.kind[op] == OpKind::Send;
            if (!sends && !receives(body.kind[op]))
                continue;
            if (auto fault = addToBlock(blocks[body.lane[op]], body, op, rank))
                return fault;
            const Connection connection = sends ? Connection{rank, body.peer[op], body.connection[op]} : Connection{body.peer[op], rank, body.connection[op]};
            auto& [sender, receiver] = lanes.try_emplace(connection, -1, -1).first->second;
            std::int32_t& lane = sends ? sender : receiver;
            if (lane >= 0 && lane != body.lane[op])
                return invalidInput(std::string("two lanes ") + (sends ? "send " : "receive ") + connectionText(connection));
            lane = body.lane[op];
        }
    }
    if (Status status = checkPairs(body, connectionEnds(body, stop)); !status)
        return std::move(status).error();
    return {};
}

bool lanesFinish(const Program& program, std::int32_t slots, const std::stop_token& stop)
{
    return LaneMachine(program.asExplicit(), slots, stop).finishes();
}

} // namespace fabricscope
