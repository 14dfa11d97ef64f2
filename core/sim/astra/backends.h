#pragma once

#include "core/platform/platform.h"
#include "core/record/runrecord.h"
#include "core/sim/astra/eventlist.h"
#include "core/sim/common/telllinkbusy.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// A whole number of ns out of a delay computed in doubles: truncated once, as the reference does. Huge values saturate.
inline std::int64_t astraTruncate(double ns)
{
    return ns < 9.0e15 ? static_cast<std::int64_t>(ns) : std::int64_t{9'100'000'000'000'000};
}

/// The same rounded up, but for what computing in doubles adds to a whole number.
inline std::int64_t astraRoundUp(double ns)
{
    return astraTruncate(ns * (1 - 1e-15) + (1 - 1e-6));
}

/// Busy time in buckets as BusyPyramid keeps it, with equal intervals entered together.
class AstraBusy {
public:
    void add(std::int64_t beginNs, std::int64_t lengthNs, std::int64_t weight); ///< O(buckets covered).
    BusyPyramid pyramid() const { return BusyPyramid::restored(m_width, m_busy); }

private:
    std::int64_t m_width = 1 << 10; ///< ps.
    std::vector<std::int64_t> m_busy;
};

/// One dimension as the astra-* models see it.
struct AstraDimension {
    Shape shape = Shape::Ring;
    std::int32_t size = 1;
    std::int32_t stride = 1;
    double latency = 0;       ///< ns per hop.
    double bytesPerNs = 1;    ///< GiB/s * 2^30 / 10^9.

    /// Hops between two positions (manual: astra 2).
    std::int32_t hops(std::int32_t from, std::int32_t to) const
    {
        if (shape != Shape::Ring)
            return shape == Shape::Switch ? 2 : 1;
        const std::int32_t clockwise = to >= from ? to - from : to - from + size;
        return clockwise < size - clockwise ? clockwise : size - clockwise;
    }
};

/// The two networks (manual: astra 2 and 3): without contention (one delay per message), and with
/// FIFO links, store and forward per hop, dimension order with dimension 0 first. NPU numbers are rank numbers.
class AstraNetwork {
public:
    AstraNetwork(AstraQueue& queue, const Platform& platform, bool aware);

    bool aware() const { return m_aware; }
    /// Rules of the network without contention that are switched otherwise, see AstraVariant.
    void setVariant(bool allDimensions, bool storeAndForward, bool roundUp)
    {
        m_roundUp = roundUp;
        m_allDimensions = allDimensions;
        m_storeAndForward = storeAndForward;
    }
    /// Tells of every busy interval of every link (aware only), from now on. It outlives this; null: nobody.
    void tellBusy(const TellLinkBusy* tell) { m_tell = tell; }
    /// One NPU stands for this many: totals and links are those of all.
    void setCopies(std::int32_t copies) { m_copies = copies; }
    const std::vector<AstraDimension>& dimensions() const { return m_dimensions; }
    static std::int64_t linkCount(const Platform& platform);
    static std::int64_t estimate(const Platform& platform, bool aware); ///< Bytes the links will need.

    /// Sends `bytes` from one NPU to another and delivers event `kind` with (a, b, c) on arrival.
    void send(std::int32_t from, std::int32_t to, std::int64_t bytes, AstraEvent kind, std::uint32_t a, std::uint32_t b, std::uint32_t c);
    /// The same inside one dimension when there is no contention: `hops` links, `wire` = bytes / rate in ns.
    void sendAlong(std::size_t dimension, std::int32_t hops, std::int64_t bytes, double wire, AstraEvent kind, std::uint32_t a, std::uint32_t b,
                   std::uint32_t c)
    {
        const AstraDimension& along = m_dimensions[dimension];
        count(dimension, hops, bytes, astraTruncate(wire), 1);
        m_queue.schedule(m_storeAndForward ? hops * wholeNs(along.latency + wire) : wholeNs(hops * along.latency + wire), kind, a, b, c);
    }

    /// How long a message to another NPU is on its first link.
    std::int64_t leavesAfter(std::int32_t from, std::int32_t to, std::int64_t bytes) const;

    /// What a message delivers.
    struct Delivery {
        AstraEvent kind = AstraEvent::Hop; ///< Hop: nothing yet.
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint32_t c = 0;
    };
    /// Event Hop: moves on, or tells what has arrived.
    Delivery hop(std::uint32_t message);
    /// Event LinkFree.
    void linkFree(std::uint32_t link);

    /// Totals of every dimension up to now. O(links).
    std::vector<DimensionUse> use();
    /// Links that carried something; aware only.
    std::vector<LinkUse> links() const;

    /// `count` messages of `hops` links each in a dimension: totals only, used where messages are not simulated one by one.
    void count(std::size_t dimension, std::int32_t hops, std::int64_t bytes, std::int64_t busyNs, std::int64_t messages);

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    std::int64_t wholeNs(double ns) const { return m_roundUp ? astraRoundUp(ns) : astraTruncate(ns); }

    /// A message on its way through the contention-aware network.
    struct Message {
        std::int64_t bytes = 0;
        std::int32_t at = 0;          ///< NPU, or the NPU it came from while inside a switch.
        std::int32_t to = 0;
        std::int32_t position = 0;    ///< Coordinate in the present dimension.
        std::int32_t hopsLeft = 0;    ///< In the present dimension.
        std::uint32_t next = kNone;   ///< In a link's queue.
        std::uint8_t dimension = 0;
        bool backwards = false;       ///< Ring: towards lower positions.
        bool inSwitch = false;
        AstraEvent kind = AstraEvent::Deliver;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint32_t c = 0;
    };
    struct Link {
        std::uint32_t head = kNone;
        std::uint32_t tail = kNone;
        bool busy = false;
        std::uint32_t messages = 0;
        std::int64_t bytes = 0;
        std::int64_t busyNs = 0;
    };
    /// Equal busy intervals that follow one another are entered into the pyramid together.
    struct Totals {
        std::int64_t messages = 0;
        std::int64_t bytes = 0;
        std::int64_t busyNs = 0;
        std::int64_t sinceNs = 0;
        std::int64_t lengthNs = 0;
        std::int64_t weight = 0;
        AstraBusy busy;
    };

    bool enter(Message& message, std::size_t from) const;
    std::uint32_t nextLink(const Message& message) const;
    std::int32_t stepOf(const Message& message) const;
    void start(std::uint32_t link, std::uint32_t message);
    void flush(Totals& totals);
    void sendAcross(std::int32_t from, std::int32_t to, std::int64_t bytes, AstraEvent kind, std::uint32_t a, std::uint32_t b, std::uint32_t c);

    AstraQueue& m_queue;
    bool m_aware;
    bool m_allDimensions = false;
    bool m_roundUp = false;
    bool m_storeAndForward = false;
    std::vector<AstraDimension> m_dimensions;
    std::vector<Totals> m_totals;
    std::vector<Link> m_links;
    std::vector<std::uint32_t> m_firstLink;    ///< By dimension.
    std::vector<std::uint32_t> m_ports;        ///< Links that belong to one NPU, by dimension.
    std::int32_t m_npus = 0;
    std::int32_t m_copies = 1;
    const TellLinkBusy* m_tell = nullptr;
    std::vector<Message> m_messages;
    std::uint32_t m_freeMessage = kNone;
};

} // namespace fabricscope
