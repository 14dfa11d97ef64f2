#pragma once

#include "core/base/digest.h"
#include "core/program/program.h"

namespace fabricscope {

/// Digest of what a program means: equal for programs that differ only in how they are written down. Kept: collective, ranks, chunks, root,
/// protocol, in-place flags, size range, conditions; every operation with its kind, peer, connection, operands, count, size and duration; the
/// order inside lanes and of each connection; dependencies, without those that follow from others; fused groups; routes and weights.
///
/// Left out: name, provenance, source ids, tags, planned starts, steps and slots; the numbers of lanes (a lane is what its operations are),
/// the order of the columns across lanes, empty lanes; how much scratch is declared (as much as is touched counts); which chunk a size is
/// taken from, where all are equal; columns of defaults. A dependency on a part of a fused group counts as one on the group, and a
/// protocol that is not said as Simple, because MSCCL XML cannot leave it open.
/// Templates: Program::digest. O(operations * lanes of a rank + dependencies).
Digest canonicalDigest(const Program& program);

} // namespace fabricscope
