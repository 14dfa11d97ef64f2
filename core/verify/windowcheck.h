#pragma once

#include "core/verify/verifyfindings.h"

namespace fabricscope {

/// Can chunks hold each other up for ever because a window lets only some of them into a phase at once (Program::window, phaserules.h)?
///
/// Chunks with orders or weights of their own cannot: they take turns, in one order on all ranks (windowturns.h). Others enter as they come. One
/// that waits holds no place, so no rank stops by itself. But a phase is complete only when all members of its line have entered it, and
/// members that take chunks in different orders may each hold places for what others have not let in yet. That cannot be where
///
/// * there are no more chunks than places, or few more: with C chunks, w places and lines of n members the others of a line lack at most
///   (n - 1) (C - w) chunks, and where these are fewer than w, one of the w chunks a member has let in is in everywhere;
/// * the phase is the first: all chunks are ready at the start, and enter in the order of their numbers everywhere;
/// * the window is 1: chunks leave a phase as they have entered it, one by one, and so enter the next in the same order;
/// * the phase is the second and its lines have two members. The first w to arrive at each are then among the first 2 w - 1 that have
///   entered the phase before, and two sets of w among 2 w - 1 have one in common.
///
/// Else a warning, V13: chunks that overtake each other, on some ranks and not on others, may stop it. Where links hand on messages as they
/// come, none does.
/// \pre the shape of the template has been checked, and the sequences of phases are right. O(phases).
void checkWindow(const Program& program, VerifyFindings& findings);

/// Where the vector of a reduce-scatter ends, or that of an all-gather begins. Every phase cuts what is held into blocks that lie one behind another,
/// so with one phase an axis every rank has a block of its own, but block r on rank r only where the axes are cut from the last to the first.
/// V16: a note where they are in another order: the caller's vector must then be laid out so.
/// \pre as above. O(orders * axes + chunks).
void checkPlacement(const Program& program, VerifyFindings& findings);

} // namespace fabricscope
