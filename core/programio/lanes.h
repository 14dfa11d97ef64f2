#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace fabricscope {

/// Messages a connection holds: 2 with Simple (and where nothing is said), 8 with LL and LL128 (manual: formats 4.4).
std::int32_t protocolSlots(WireProtocol protocol);

/// Why the lanes of an explicit program are not those of thread blocks; nothing where they are: every operation has a lane; a lane has at most
/// one peer it sends to and one it receives from, on one channel; of each connection one lane sends and one receives, as many and as large
/// messages; fused groups stand together. Told to stop, as all here: throws StopRequested (stop.h); assignLanes() returns Cancelled. O(operations log
/// operations).
std::optional<Error> laneFault(const Program& program, const std::stop_token& stop = {});

/// Do all lanes come to their end when a connection holds `slots` messages (0: any number)? A lane does one step after another; a send
/// waits for a free slot, a receive for a message, a fused step for both at once. \pre no laneFault. O(operations + dependencies).
bool lanesFinish(const Program& program, std::int32_t slots, const std::stop_token& stop = {});

/// The program with lanes and channels as thread blocks have them. One whose lanes are legal keeps them (they may still need more slots than
/// the protocol has: see lanesFinish). Otherwise every connection gets a lane at its sender and one at its receiver, local operations go behind the receive they wait for or
/// into a lane of their own, and channels are numbered 0, 1, 2 ... without gaps. What lanes ordered before becomes dependencies.
///
/// Order: all lanes follow one order of the whole program in which the two ends of a message are one event, so that one slot is enough. Where
/// there is no such order (two ranks that exchange before they may receive), sends follow an order of execution and receives that of
/// their sends, or the other way round; the result is run with the slots of the protocol before it is given out.
/// Errors: templates, one-sided and switch operations, messages that do not pair up, rings of waits, fused sends whose value is stored nowhere
/// in lanes that cannot be kept, and programs for which no order that was tried fits the slots. O(operations log operations + dependencies). In assignlanes.cpp.
Result<ProgramPtr> assignLanes(const ProgramPtr& program, const std::stop_token& stop = {});

/// Joins a receive or receive-reduce and the send of the same chunks right behind it in its lane, where nothing else holds the send back, into
/// one fused step (rcs, rrcs; rrs where nobody sees the sum at home: whatever reads its place is before it in the order of the rank or behind
/// somebody who overwrites it, in each mode the program claims, and so is the end where the place is part of the result). Given back unchanged
/// where the lanes would then need more slots than the protocol has. \pre no laneFault. O(operations + steps of a rank squared / 64). In fusesteps.cpp.
ProgramPtr fuseSteps(const ProgramPtr& program, const std::stop_token& stop = {});

} // namespace fabricscope
