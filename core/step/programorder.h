#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Why one operation of a program cannot begin before another has ended.
enum class WaitKind : std::uint8_t {
    Data,    ///< ExplicitBody::depends.
    Lane,    ///< The operation before it in its lane.
    Message, ///< Receive, Wait: the send or signal it meets.
    Slot     ///< Send: all receive slots of its connection are taken until that receive.
};

/// "data", "lane", "message", "slot".
std::string_view waitKindKey(WaitKind kind);

struct WaitReason {
    WaitKind kind = WaitKind::Data;
    std::uint32_t operation = 0; ///< That must end first; kNoOperation: a receive no send was written for.
    friend bool operator==(const WaitReason&, const WaitReason&) = default;
};

constexpr std::uint32_t kNoOperation = UINT32_MAX;

/// By operation the other end of its message: sends and receives, and signals and waits, of one (source, target, connection) pair up in the
/// order of the columns. kNoOperation: none. O(operations * log(operations of a rank)).
std::vector<std::uint32_t> messagePartners(const ExplicitBody& body);

/// What must come before what in an explicit program (explicitbody.h): data dependencies, lanes, messages, receive slots. The operations
/// in one order that keeps to it, that of Kahn's algorithm with a queue, and the level of each: levels never fall along an order, sends
/// and local operations have even ones, receives and waits odd ones, so that level / 2 counts messages on the longest chain. It is the step
/// of the operation. Operations in a ring of waits, and all behind it, are in no order.
/// Immutable. About 32 bytes per operation. O(operations * log(operations of a rank) + dependencies).
class ProgramOrder {
public:
    /// `receiveSlots`: slots per connection, 0: unlimited; -1: what the program says.
    /// \pre an explicit program whose indices are inside the columns. Errors: Cancelled.
    static Result<ProgramOrder> create(const Program& program, std::int32_t receiveSlots = -1, const std::stop_token& stop = {});

    std::int32_t rankOf(std::uint32_t operation) const;
    /// See messagePartners().
    std::uint32_t partner(std::uint32_t operation) const { return m_partner[operation]; }
    std::uint32_t beforeInLane(std::uint32_t operation) const { return m_laneBefore[operation]; }
    /// The receive that frees the slot a send needs; kNoOperation: there is one.
    std::uint32_t slotFreedBy(std::uint32_t operation) const { return m_slotAfter.empty() ? kNoOperation : m_slotAfter[operation]; }
    std::int32_t levelOf(std::uint32_t operation) const { return m_level[operation]; }

    /// Every operation that can be done, in order.
    std::span<const std::uint32_t> order() const { return m_order; }
    /// Can every operation be done?
    bool finishes() const { return m_order.size() == m_partner.size(); }
    /// All an operation waits for, done or not: data, lane, message, slot. O(its dependencies).
    std::vector<WaitReason> reasons(const ExplicitBody& body, std::uint32_t operation) const;

private:
    std::vector<std::uint32_t> m_rankBegin;
    std::vector<std::uint32_t> m_partner;
    std::vector<std::uint32_t> m_laneBefore;
    std::vector<std::uint32_t> m_slotAfter;
    std::vector<std::int32_t> m_level;
    std::vector<std::uint32_t> m_order;
};

} // namespace fabricscope
