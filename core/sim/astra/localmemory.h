#pragma once

#include "core/platform/platform.h"
#include "core/sim/astra/eventlist.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace fabricscope {

/// Remote memory (manual: formats 2.4): latency + floor(bytes / rate), one access at a time per server, first come first
/// served. Every NPU has its own server, or the NPUs of a node share one, or all do.
class AstraMemory {
public:
    /// See AstraVariant.
    struct Pace {
        std::int64_t slower = 1;
        bool roundUp = false;
    };
    AstraMemory(const RemoteMemory& memory, const Pace& pace, std::int32_t npus, AstraQueue& queue) : m_memory(memory), m_pace(pace), m_queue(queue)
    {
        if (memory.kind == RemoteMemory::Kind::Pool)
            m_servers.resize(1);
        else if (memory.kind == RemoteMemory::Kind::PerNode && memory.npusPerNode > 0)
            m_servers.resize(static_cast<std::size_t>((npus - 1) / memory.npusPerNode + 1));
    }

    RemoteMemory::Kind kind() const { return m_memory.kind; }
    const RemoteMemory& settings() const { return m_memory; }
    std::int64_t duration(std::int64_t bytes) const
    {
        __extension__ using Wide = __int128;
        const Wide move = (Wide{bytes} * m_pace.slower + (m_pace.roundUp ? m_memory.bytesPerNs - 1 : 0)) / m_memory.bytesPerNs;
        return m_memory.latencyNs * m_pace.slower + static_cast<std::int64_t>(std::min(move, Wide{INT64_MAX / 2}));
    }

    /// Begins an access or queues it; event MemoryEnd of the NPU follows.
    /// \pre kind() is not None, rate > 0, the NPU belongs to a node.
    void access(std::int32_t npu, std::uint32_t task, std::int64_t bytes)
    {
        if (m_servers.empty()) {
            m_queue.scheduleOn(npu, duration(bytes), AstraEvent::MemoryEnd, task, kOwn);
            return;
        }
        const std::uint32_t server = m_memory.kind == RemoteMemory::Kind::Pool ? 0 : static_cast<std::uint32_t>(npu / m_memory.npusPerNode);
        Server& at = m_servers[server];
        at.waiting.push_back({npu, task, duration(bytes)});
        if (!at.busy)
            serve(server);
    }

    /// The access of a server has ended: the next one begins.
    void ended(std::uint32_t server)
    {
        if (server == kOwn)
            return;
        m_servers[server].busy = false;
        if (!m_servers[server].waiting.empty())
            serve(server);
    }

private:
    static constexpr std::uint32_t kOwn = UINT32_MAX;
    struct Access {
        std::int32_t npu;
        std::uint32_t task;
        std::int64_t ns;
    };
    struct Server {
        bool busy = false;
        std::deque<Access> waiting;
    };

    void serve(std::uint32_t server)
    {
        Server& at = m_servers[server];
        const Access next = at.waiting.front();
        at.waiting.pop_front();
        at.busy = true;
        m_queue.scheduleOn(next.npu, next.ns, AstraEvent::MemoryEnd, next.task, server);
    }

    RemoteMemory m_memory;
    Pace m_pace;
    AstraQueue& m_queue;
    std::vector<Server> m_servers;
};

} // namespace fabricscope
