#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>

namespace fabricscope {

/// Has the program Put, Signal or Wait?
bool isOneSided(const Program& program);

/// What becomes of signals that bring no data.
enum class BareSignals : std::uint8_t {
    /// They stay, as messages of 0 chunks and 8 bytes, a semaphore: they take a latency, as signals do. For simulations.
    Keep,
    /// They go. So that what they ordered stays ordered, whatever stands behind a wait or a receive waits for all that its rank did before
    /// it (in one order of the whole program). For files without such messages; needs a lane for every operation.
    Fold
};

/// The same program with sends and receives: every Put becomes a Send where it stands, and a Receive where the peer waits for the signal behind it.
/// The k-th Signal of (source, target, connection) is the one of the k-th Wait there, in the order of the columns; the Puts of a connection
/// before its k-th and after its (k-1)-th Signal arrive with it, in their order.
///
/// All accesses to the memory of a rank are then done by that rank, and those that were ordered stay ordered. A Signal tells of more than
/// its Puts when anything but signals stands between the last of them and it, or when it has dependencies of its own: then it counts as bare.
/// Switch operations stay. A program without one-sided operations is returned as it is. O(operations log operations).
/// Errors: a Put that no Signal tells of, Signals and Waits of a connection that do not pair up, rings of waits; Cancelled.
Result<ProgramPtr> toTwoSided(const ProgramPtr& program, BareSignals bare = BareSignals::Keep, const std::stop_token& stop = {});

} // namespace fabricscope
