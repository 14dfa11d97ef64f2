#pragma once

#include "core/verify/verifyfindings.h"

namespace fabricscope {

/// Can chunks hold each other up for ever because a window lets only some of them into a phase at once (Program::window, phaserules.h)?
///
/// A chunk that waits holds no place, so no rank stops by itself. But a phase is complete only when all members of its line have entered it, and
/// members that take chunks in different orders may each hold places for what others have not let in yet. That cannot be where
///
/// * no more chunks come to an axis and direction than there are places;
/// * all that come are ready at the start, as then they enter in the order of their numbers everywhere;
/// * the window is 1, and what does not come from the start comes from one axis and direction whose own order is the same everywhere: then chunks
///   leave as they have entered, one by one, and so arrive in one order;
/// * the line has two members and all come from an axis that is entered in one order. The first w to arrive are then among the first
///   2 w - 1 that have entered there, and two sets of w among 2 w - 1 have one in common.
///
/// Else a warning, V13: chunks that overtake each other, on some ranks and not on others, may stop it. Where all chunks take the same way and
/// links hand on messages as they come, none does.
/// \pre the shape of the template has been checked. O(orders * phases + chunks).
void checkWindow(const Program& program, VerifyFindings& findings);

/// Where the vector of a reduce-scatter ends, or that of an all-gather begins. Every phase cuts what is held into blocks that lie one behind another,
/// so with one phase an axis every rank has a block of its own, but block r on rank r only where the axes are cut from the last to the first.
/// V16: an error where blocks are missing or shared, a note where they are in another order: the caller's vector must then be laid out so.
/// \pre as above, and the sequences of phases are right. O(ranks * axes) per order.
void checkPlacement(const Program& program, VerifyFindings& findings);

} // namespace fabricscope
