#pragma once

#include "core/program/program.h"

namespace fabricscope {

// Collectives done by switches, and broadcasts: an addition to physical/1 (manual: models 3 and 4).
//
// A switch of a Switch dimension, or a switch node of a graph that has links from and to all members, may *offload*: it has a reducer of
// rate R (bytes of sums a second), a copier of rate M (bytes taken in a second; none given: no limit), a latency Z of its own (0 is read
// as 1 ps) and a buffer of W bytes (none given: no limit). A phase of algorithm `in_network` with n members at positions r, H bytes:
//
// | phase | operations | goes up | comes down |
// |---|---|---|---|
// | AR | one of H bytes | each member: H | each member: H |
// | RS | one per block b of H, in order (slot b) | each member: block b | the member at position b: block b |
// | AG | one per member r (slot r) of its block r | that member: block r | each member, the sender too: block r |
// | broadcast | one of H bytes | the member at position 0: H | each member, that one too: H |
//
// So an all-reduce loads every link with H bytes once, where algorithms among the members need 2 H (n-1)/n. (The sender of a copy gets
// it too, as stores to a multicast address do.) Zero-byte operations do not exist.
// * An operation that sums (AR, RS) starts when its last member is ready for the phase (its own part is there); a copy when its sender is.
//   Then every contributor's message to the switch becomes ready (+ o); it is served by the up-link like any other message (rule 1).
// * At the switch, piece j of the operation has head = the latest of the contributors' heads, tail = the latest of their tails. At the
//   instant of the head (pieces of several operations: tie rule, then the switch's port of the first contributor, then stream)
//   the reducer (AR, RS): w := max(w, head) + D_R; and the copier (AR, AG, broadcast): v := max(v, head) + D_M; tail := the latest of tail, w,
//   v, + Z; head := head + Z. Cut-through as everywhere: a slow reducer delays tails.
// * The piece then reaches the down-link of every receiver as a transit piece (rule 2; input port: that of the position before), and its
//   ejection budget (rule 4). NPUs reduce nothing.
// * With a buffer of W bytes an operation is cut into pieces of min(Q, W) bytes that are messages of their own (step = number of the
//   piece; each rounds up by itself and pays o). A piece may be sent when it has a place: bytes of pieces with a place are at most W, a place
//   is held until every receiver has the piece. Operations wait in a round, one piece a turn; those that start at one instant join it in
//   tie order; who does not fit holds up those behind.
// * `ideal`: reducer, copier and buffer are never busy.
//
// One operation at a time, no buffer limit: o + L_up + Z + L_down + H / min(B, R, M) for an all-reduce and a broadcast; the same without M
// for a reduce-scatter and without R for an all-gather. Bound by the buffer (W = k Q < bandwidth times round trip): k pieces every
// o + L_up + Q / min(B, R, M) + Z + L_down.
//
// In several dimensions: RS and AG phases as with any algorithm; the last dimension of a group does a whole all-reduce in one phase.
// Message records: up: target -1; down: source -1 after a reduction, the sender after a copy; `step` = number of the piece with a buffer, else 0.
//
// Broadcast from position 0, H = the chunk in all phases, highest dimension first: in the phase along axis a the lines take part whose positions
// are 0 on all lower axes. Ring: step t = 0..n-2: all of H from position t to t+1, when it has come (t = 0: own). Direct: step 0, slot
// s = 1..n-1: H from 0 to s: own. Window direction: down.

// Explicit bodies: a SwitchMulticast is the operation of AG, of the member that has it; a SwitchReduce that of RS, which starts when all members have
// entered the collective and the operation may; the two fused (ExplicitBody::passesSumOn) are that of AR. A member whose data they take or bring is
// done when those have left it and come; an operation is done when its result is at the member that has it. Message records as above.

/// Does any phase of any chunk, or any operation, run in the switches?
bool usesSwitches(const Program& program);

/// Is some phase a broadcast? Explicit bodies: no.
bool isBroadcast(const Program& program);

} // namespace fabricscope
