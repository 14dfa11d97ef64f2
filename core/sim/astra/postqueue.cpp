#include "core/sim/astra/postqueue.h"

namespace fabricscope {

std::size_t AstraPost::Hash::operator()(const Key& key) const
{
    std::uint64_t value = key.tag * 0x9E3779B97F4A7C15ULL;
    value ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.source)) << 32) | static_cast<std::uint32_t>(key.target);
    value *= 0xC2B2AE3D27D4EB4FULL;
    value ^= static_cast<std::uint64_t>(key.bytes) + (value >> 29);
    value *= 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(value ^ (value >> 32));
}

std::uint32_t AstraPost::takePacket(const Key& key, AstraCallback sent)
{
    std::uint32_t index = m_freePacket;
    if (index != kNone) {
        m_freePacket = m_packets[index].next;
    } else {
        index = static_cast<std::uint32_t>(m_packets.size());
        m_packets.emplace_back();
    }
    m_packets[index] = {key, sent, kNone};
    return index;
}

void AstraPost::send(const Key& key, AstraCallback sent)
{
    const std::uint32_t packet = takePacket(key, sent);
    if (m_rendezvous)
        expect({key.tag | kControl, key.target, key.source, kControlBytes}, {AstraCallback::Target::StartPacket, packet});
    else
        launch(packet);
}

void AstraPost::receive(const Key& key, AstraCallback received)
{
    expect(key, received);
    if (m_rendezvous)
        launch(takePacket({key.tag | kControl, key.target, key.source, kControlBytes}, {}));
}

void AstraPost::launch(std::uint32_t packet)
{
    const Key& key = m_packets[packet].key;
    m_network.send(key.source, key.target, key.bytes, AstraEvent::Packet, packet, 0, 0);
}

void AstraPost::expect(const Key& key, AstraCallback received)
{
    std::uint32_t index = m_freeReceive;
    if (index != kNone) {
        m_freeReceive = m_receives[index].next;
    } else {
        index = static_cast<std::uint32_t>(m_receives.size());
        m_receives.emplace_back();
    }
    m_receives[index] = {received, kNone};
    const auto at = m_boxes.try_emplace(key).first;
    Box& box = at->second;
    if (box.arrived > 0) {
        if (--box.arrived == 0)
            m_boxes.erase(at);
        m_queue.schedule(0, AstraEvent::Collected, index);
        return;
    }
    if (box.tail == kNone)
        box.head = index;
    else
        m_receives[box.tail].next = index;
    box.tail = index;
}

AstraCallback AstraPost::receiverOf(std::uint32_t packet)
{
    const auto at = m_boxes.try_emplace(m_packets[packet].key).first;
    m_packets[packet].next = m_freePacket;
    m_freePacket = packet;
    Box& box = at->second;
    if (box.head == kNone) {
        ++box.arrived;
        return {};
    }
    const std::uint32_t receive = box.head;
    box.head = m_receives[receive].next;
    if (box.head == kNone)
        m_boxes.erase(at);
    return collect(receive);
}

AstraCallback AstraPost::collect(std::uint32_t receive)
{
    m_receives[receive].next = m_freeReceive;
    m_freeReceive = receive;
    return m_receives[receive].received;
}

} // namespace fabricscope
