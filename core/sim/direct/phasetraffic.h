#pragma once

#include "core/base/index.h"
#include "core/sim/direct/pairways.h"
#include "core/sim/direct/timewindows.h"

#include <span>
#include <vector>

namespace fabricscope::events {

/// What every message of a direct phase carries. A block is that of the receiver, or of the sender.
struct PhaseSizes {
    std::vector<std::int32_t> shapeOfChunk; ///< Chunks of one size share a shape.
    std::vector<std::int64_t> bytes;        ///< [shape * positions + block], all > 0.
    bool bySender = false;
};

/// The messages of one direct phase on links that nobody else uses, as the rules of `links` have it (manual: models 3): every rank
/// sends every other one message a chunk, all of them ready at once, and what a rank does after that is to wait.
///
/// So all that happens is known but for what links do. The first link of a way serves its messages one after the other, which says when
/// each begins; heads never wait, which says when each reaches any of its links; a link serves heads as they come, and only the tails know how long that took.
/// Time goes by in windows shorter than any latency: what reaches a link in a window was sent off before it, so that links need not look at each other inside of one.
/// There is neither a queue of events nor an object per message, only the heads that are between two links now.
class PhaseTraffic {
public:
    /// \param ready by position, ps: when its messages are ready.
    PhaseTraffic(EngineState& state, const PairWays& ways, const PhaseSizes& sizes, std::span<const std::int64_t> ready);

    /// Something that is told of every message when it is delivered.
    struct Told {
        std::int32_t source = 0; ///< Positions.
        std::int32_t target = 0;
        std::int32_t chunk = 0;
        std::int32_t slot = 0;
        std::int64_t bytes = 0;
        std::int64_t ready = 0; ///< Times in ps.
        std::int64_t left = 0;
        std::int64_t done = 0;
    };
    void tell(std::function<void(const Told&)> each) { m_tell = std::move(each); }

    /// Sends them all. `pause` is called every few ten thousand steps with the present instant, and says whether to go on.
    /// Errors: Cancelled when it says no; Unsupported where something takes no time, or latencies differ by more than 65,000 times.
    /// O(links of all ways * pieces of a message).
    Status run(const std::function<bool(std::int64_t nowPs)>& pause);

    // After run().
    /// By position: when its last message has left its own link and all that it gets are there, ps.
    const std::vector<std::int64_t>& exits() const { return m_exits; }
    std::int64_t messages() const { return m_messages; }
    std::int64_t pieces() const { return m_pieces; }
    std::int64_t steps() const { return m_steps; } ///< Pieces served by links, and deliveries.
    /// What all this keeps. O(windows ahead).
    std::int64_t bytes() const;
    /// Puts the work of the links into Network.
    void handOver() const;

private:
    /// A piece whose head is on its way to a link.
    struct Head {
        std::int64_t time = 0;  ///< When it is there, ps,
        std::int64_t tail = 0;  ///< and the tail, if the link is idle.
        std::uint32_t order = 0; ///< Of service at the link before.
        std::int32_t port = 0;   ///< Where that ends, on a graph.
        std::int32_t position = 0;
        std::int32_t slot = 0;
        std::int32_t chunk = 0;
        std::int32_t index = 0;
        std::uint32_t place = 0; ///< Of the link in PairWays.
        std::uint16_t hop = 0;   ///< Links crossed.
        std::uint16_t hops = 0;  ///< Of the whole way.
    };
    /// A link; 64 bytes.
    struct Server {
        std::int64_t committed = 0; ///< End of the work so far.
        std::int64_t busyFrom = 0;
        std::int64_t latency = 0;
        std::int64_t busy = 0;
        std::int64_t bytes = 0;
        std::int32_t messages = 0;
        std::uint32_t pieces = 0;   ///< Served so far; may wrap around.
        std::int32_t heads = kNone; ///< In m_items: the first that comes in this window.
        std::int32_t port = 0;      ///< Where it ends, on a graph.
        std::int32_t dimension = 0;
        ResourceClass resource = 0;
    };
    /// What a class of links takes for a message of one piece, as it was asked for last.
    struct Known {
        std::int64_t bytes = -1;
        std::int64_t time = 0;
    };
    /// Messages of one sender over one link, in order: by chunk and slot.
    struct Sender {
        std::int32_t position = 0;
        std::int32_t link = 0;
        std::int32_t chunk = 0;
        std::int32_t next = 0;   ///< Place among its slots.
        std::int32_t index = 0;  ///< Piece.
        std::int32_t count = 0;  ///< Slots.
        std::size_t slots = 0;   ///< Where they begin in m_slots; if it has all, nowhere.
    };

    void addServers();
    void addSenders(std::span<const std::int64_t> ready);
    Status setWindows();
    std::int32_t slotOf(const Sender& sender) const
    {
        return sender.count == m_ways.positions() - 1 ? sender.next + 1 : m_slots[sender.slots + static_cast<std::size_t>(sender.next)];
    }
    std::int64_t windowOf(std::int64_t time) const { return time >> m_shift; }
    std::int64_t bytesOf(std::int32_t position, std::int32_t slot, std::int32_t chunk) const
    {
        if (m_allBytes > 0)
            return m_allBytes;
        const std::int32_t block = m_sizes.bySender ? position : m_ways.target(position, slot);
        return m_sizes.bytes[static_cast<std::size_t>(m_sizes.shapeOfChunk[at(chunk)]) * static_cast<std::size_t>(m_ways.positions()) + static_cast<std::size_t>(block)];
    }
    std::int64_t timeOf(ResourceClass resource, std::int64_t bytes, std::int32_t index);
    std::int64_t serve(Server& server, std::int64_t start, std::int64_t bytes, std::int32_t index);
    void flush(const Server& server);
    void sendFrom(std::int32_t sender, std::int64_t window);
    void sendDue(std::int64_t window);
    void serveHeads();
    /// Whether to go on; asks from time to time.
    bool goesOn();
    void serveHead(Head& head, Server& server);
    void deliver(const Head& head, std::int64_t bytes);
    bool before(const Head& a, const Head& b) const;
    std::int32_t portOf(const Head& head) const;

    EngineState& m_state;
    const PairWays& m_ways;
    const PhaseSizes& m_sizes;
    const std::vector<std::int64_t> m_ready;
    std::int64_t m_pieceBytes;
    bool m_isGraph;
    std::int64_t m_allBytes = 0;            ///< Of every message; 0: they differ.
    std::function<void(const Told&)> m_tell;
    std::vector<Server> m_servers;          ///< By link, as Routes numbers them.
    std::vector<Known> m_known;             ///< By ResourceClass.
    std::vector<Sender> m_senders;
    std::vector<std::int32_t> m_slots;
    std::vector<std::int64_t> m_exits;
    std::vector<BusyPyramid> m_busy;        ///< By dimension.
    int m_shift = 0;                        ///< A window is so many bits of time.
    bool m_takesNoTime = false;
    bool m_isStopped = false;
    std::int64_t m_nextPause = 0;           ///< As m_steps.
    std::int64_t m_now = 0;                 ///< Where the present window begins, ps.
    std::function<bool(std::int64_t)> m_pause;
    TimeWindows<Head> m_heads{64};
    TimeWindows<std::int32_t> m_picks{64};  ///< Senders.
    std::int64_t m_messages = 0;
    std::int64_t m_pieces = 0;
    std::int64_t m_steps = 0;
    // Of the present window.
    std::vector<Head> m_items;
    std::vector<std::int32_t> m_nextItem;   ///< As m_items: the next at the same link.
    std::vector<std::int32_t> m_touched;    ///< Links.
    std::vector<std::int32_t> m_sort;
    std::vector<std::int32_t> m_due;        ///< Senders.
};

} // namespace fabricscope::events
