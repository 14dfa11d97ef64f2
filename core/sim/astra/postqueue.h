#pragma once

#include "core/sim/astra/backends.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fabricscope {

/// Who is told when a packet has left or arrived.
struct AstraCallback {
    enum class Target : std::uint8_t { Nobody, Task, CustomOperation, Collective, StartPacket };
    Target target = Target::Nobody;
    std::uint32_t a = 0; ///< Task: rank. Others: instance, or packet.
    std::uint32_t b = 0; ///< Task: task. Others: record or member.
    std::uint32_t c = 0;
};

/// Matching of sends and receives by (tag, source, target, size, running number): manual: astra 4. Used for
/// SEND and RECV tasks, custom collectives and, with the rendezvous protocol, for everything.
class AstraPost {
public:
    AstraPost(AstraQueue& queue, AstraNetwork& network, bool rendezvous) : m_queue(queue), m_network(network), m_rendezvous(rendezvous) {}

    struct Key {
        std::uint64_t tag = 0;
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::int64_t bytes = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };
    static constexpr std::uint64_t kControl = std::uint64_t{1} << 63; ///< Added to the tag of rendezvous control messages.
    static constexpr std::int64_t kControlBytes = 8192;

    /// See AstraNetwork.
    std::int64_t leavesAfter(std::int32_t from, std::int32_t to, std::int64_t bytes) const { return m_network.leavesAfter(from, to, bytes); }
    bool rendezvous() const { return m_rendezvous; }
    bool aware() const { return m_network.aware(); }
    /// `sent` is called when the data has arrived at the target.
    void send(const Key& key, AstraCallback sent);
    void receive(const Key& key, AstraCallback received);

    /// Event Packet: returns the sender's callback; the receiver's follows through `receiverOf`.
    AstraCallback senderOf(std::uint32_t packet) const { return m_packets[packet].sent; }
    /// Gives the arrived packet to its receive; Nobody when none is posted yet. Frees the packet.
    AstraCallback receiverOf(std::uint32_t packet);
    /// Event Collected.
    AstraCallback collect(std::uint32_t receive);
    /// Callback StartPacket: the receiver is ready, the data leaves.
    void launch(std::uint32_t packet);

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Packet {
        Key key;
        AstraCallback sent;
        std::uint32_t next = kNone;
    };
    struct Receive {
        AstraCallback received;
        std::uint32_t next = kNone;
    };
    struct Box {
        std::int64_t arrived = 0;
        std::uint32_t head = kNone; ///< Posted receives, oldest first.
        std::uint32_t tail = kNone;
    };

    std::uint32_t takePacket(const Key& key, AstraCallback sent);
    void expect(const Key& key, AstraCallback received);

    AstraQueue& m_queue;
    AstraNetwork& m_network;
    bool m_rendezvous;
    std::unordered_map<Key, Box, Hash> m_boxes;
    std::vector<Packet> m_packets;
    std::vector<Receive> m_receives;
    std::uint32_t m_freePacket = kNone;
    std::uint32_t m_freeReceive = kNone;
};

} // namespace fabricscope
