#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricscope {

struct NativeRule;

/// Size of the `count` blocks from `first` on, modulo n, of `held` bytes.
std::int64_t blockRangeBytes(std::int64_t held, std::int32_t n, std::int32_t first, std::int32_t count);

/// What the ranks of one axis do in one phase, as pure functions of the position. This is the meaning of PhaseTemplate.
///
/// n = extent of the axis, r = position on it, H = bytes of the phase: what is held before a reduce-scatter, after an
/// all-gather, and throughout an all-reduce or all-to-all (the same for every member of the axis). Block b of H has
/// floor((b+1)H/n) - floor(bH/n) bytes; a message of several blocks is the sum of them. Messages of zero bytes do not exist:
/// neither sent nor waited for. "own" = the rank's own part: its previous phase is complete and the chunk has entered this one.
/// RS ends with block r complete on r (what the next phase calls H); AG undoes that. A phase is complete on a rank when
/// everything it receives has been delivered (and reduced, where it reduces); sends need not have left.
///
/// | phase | messages of position r; step; slot; what must have happened before it is sent |
/// |---|---|
/// | ring RS | step t = 0..n-2: block r-t-1 to r+1. t = 0: own. t > 0: the message of step t-1 received and reduced. (`minus`: signs swapped: block r+t+1 to r-1.) k = 1 |
/// | ring AG | step t = 0..n-2: block r-t to r+1. t = 0: own. t > 0: the message of step t-1 delivered (own part not needed). (`minus`: block r+t to r-1.) |
/// | ring A2A | step t = 0..n-2: one message of the n-1-t blocks that still travel (the blocks for the positions t+1.. ahead: at r in step t those of the sources r, r-1, .., r-t that go beyond r) to r+1; its size is the size of the blocks for targets r+1..r+n-1-t of H. t = 0: own. t > 0: message of step t-1 delivered, and own |
/// | direct RS, A2A | one step 0; slot s = 1..n-1: block r+s to r+s: own. RS: k = n-1 |
/// | direct AG | step 0; slot s = 1..n-1: block r to r+s: own |
/// | direct, window W > 0 | as above, and slot s > W also waits until the message of slot s-W has left its own link |
/// | halving-doubling RS, n = 2^m | step b = 0..m-1 to r xor 2^b: the blocks that agree with the peer in the low b+1 bits. b = 0: own. b > 0: messages of all earlier steps received and reduced. k = 1 |
/// | halving-doubling AG, n = 2^m | step t = 0..m-1 with b = m-1-t, to r xor 2^b: the blocks that agree with r in the low b+1 bits. Own, and the messages of all earlier steps delivered |
/// | halving-doubling, other n | m = floor(log2 n), q = 2^m; extras are the positions q..n-1, the partner of extra x is x-q. A super block i < q is block i together with block q+i if that exists. RS: step 0: an extra sends all of H to its partner, which reduces it (k = 1); steps 1..m: the rule above among positions < q on super blocks, where the first also waits for step 0 of the extra; step m+1: the partner sends block x to its extra (no reduction), when all its messages of steps 0..m are reduced. An extra's phase is complete when that arrives. AG: step 0: an extra sends its block to its partner (own); steps 1..m: the rule above on super blocks, each also waiting for the extra's block; step m+1: the partner sends all of H but block x to its extra when it has everything |
/// | double binary tree AR | two trees (manual: collectives 3.3): A: parent of r = r without its lowest set bit b, with bit 2b set if that is < n, else r without b; 0 is the root. B: n even: r plays n-1-r of A; n odd: r plays (r+1) mod n. Tree A carries floor(H/2) bytes, B the rest. Up: r sends its tree's part to its parent when own and all its children's messages in that tree are reduced (k = 1 each). Down: the root when its children are reduced, others when the parent's message is delivered, send to every child. step = depth below the root counted so that up messages of the deepest nodes are first: up from depth d: D - d; down to depth d: D + d - 1, with D the depth of the deepest node of that tree; slot = 0 for tree A, 1 for tree B, + 2 * (0 or 1) for the first or second child in ascending order on both up and down messages |
/// | bruck_gather AG | step k = 0..ceil(log2 n)-1: the min(2^k, n-2^k) blocks r, r+1, .. to r-2^k. Own, and those of the blocks that have come in earlier steps |
/// | circulant AG | bruck_gather |
/// | circulant RS, m = ceil(log2 n) | that backwards: step t = 0..m-1 with k = m-1-t: the min(2^k, n-2^k) blocks r+2^k, r+2^k+1, .. to r+2^k. Own, and those of the messages of earlier steps received and reduced that have blocks of them: all, but where n-2^(m-1) <= 2^k for that of step 0. k = 1 |
/// | broadcast: ring, direct; in_network | innetwork.h |
///
/// Window of the program (Program::window = w > 0): a chunk enters a phase on a rank when its previous phase is complete there
/// and fewer than w chunks are in phases of the same (axis, direction) on that rank; waiting chunks enter in order of
/// (instant of readiness, chunk), those with orders or weights of their own when it is their turn (windowTurns()).
/// Direction: up for RS, AR, A2A, down for AG, broadcast. A place frees up when the phase is complete on this rank.
class PhaseRules {
public:
    /// \pre extent > 1; DoubleBinaryTree only with AllReduce, AllReduce only with DoubleBinaryTree or InNetwork; HalvingDoubling not
    /// with AllToAll or Broadcast, InNetwork not with AllToAll. Of a broadcast: a line that takes part.
    PhaseRules(const PhaseTemplate& phase, std::int32_t extent);

    /// One message as the sender sees it.
    struct Message {
        std::int32_t peer = 0;  ///< Position of the receiver (or of the sender, from receive()); -1: the switch.
        std::int32_t step = 0;
        std::int32_t slot = 0;
        std::int64_t bytes = 0;
        bool reduces = false;   ///< The receiver reduces it into its own part, `k` buffers into one.
        std::int32_t k = 1;
        bool needsOwn = false;  ///< Must not be sent before the rank's own part is there.
        bool forwardOnly = false; ///< Needs only the message it forwards (ring AG).
    };

    std::int32_t extent() const { return m_extent; }
    const PhaseTemplate& phase() const { return m_phase; }
    const NativeRule& rule() const { return *m_rule; }

    /// Messages position r sends, in (step, slot) order, numbered 0..sendCount-1, including zero-byte ones (bytes = 0).
    std::int32_t sendCount(std::int32_t r) const;
    Message send(std::int32_t r, std::int32_t index, std::int64_t held) const;
    /// Messages position r receives, in (step, slot) order; `peer` is the sender. send and receive describe the same set.
    std::int32_t receiveCount(std::int32_t r) const;
    Message receive(std::int32_t r, std::int32_t index, std::int64_t held) const;
    /// Index of the receive with this (step, slot). O(1) or O(log n).
    std::int32_t receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const;

    /// Receives (by index, ascending) that must be complete before send `index` of r: first, first + stride, ..., `count` of them.
    /// The stride is 2 only for the one rank of an odd double binary tree whose children in both trees are equally deep, else 1.
    /// Zero-byte receives in it are not waited for.
    struct Needs {
        std::int32_t first = 0;
        std::int32_t count = 0;
        std::int32_t stride = 1;
    };
    Needs needs(std::int32_t r, std::int32_t index) const;

private:
    PhaseTemplate m_phase;
    std::int32_t m_extent;
    const NativeRule* m_rule;  // Never null.
};

/// Size of block b of n of `held` bytes.
constexpr std::int64_t blockBytes(std::int64_t held, std::int32_t n, std::int32_t b)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{held} * (b + 1) / n - Wide{held} * b / n);
}

/// Bytes position `coordinates` holds in phase `phase` of a chunk of `chunk` bytes (H above). `coordinates[a]` = position on axis a.
/// The phases are those of the first order of the body.
std::int64_t heldBytes(const TemplateBody& body, std::size_t phase, std::int64_t chunk, std::span<const std::int32_t> coordinates);
/// The same for any order of phases over `axes`.
std::int64_t heldBytes(std::span<const std::int32_t> axes, std::span<const PhaseTemplate> phases, std::size_t phase, std::int64_t chunk,
                       std::span<const std::int32_t> coordinates);

/// Bytes of every chunk of `bytes`: equal parts, or by TemplateBody::chunkWeights. They add up to `bytes`.
/// \pre a template; weights are not negative and below 2^40, not all 0.
std::vector<std::int64_t> chunkSizes(const Program& program, std::int64_t bytes);

} // namespace fabricscope
