#pragma once

#include "core/program/program.h"

namespace fabricscope::test {

/// What is proved of an explicit program of sends, receives and local operations, for all orders in which it can run: an oracle for the verifier
/// that shares no code with it.
///
/// Every pair of accesses to a chunk of memory is looked up in the closure of happens-before (lanes, dependencies, messages), which is written
/// out as a matrix of bits. Where all conflicting pairs are ordered, every read has the same last write in all orders, and so all orders give the
/// same values; then one execution with exact multisets says what all of them do.
struct OrderProof {
    bool stuck = false;      ///< Happens-before has a cycle; nothing else is known then.
    bool race = false;       ///< Two conflicting accesses are in no order; what follows is of one order only.
    bool undefined = false;  ///< Something undefined is sent or reduced.
    bool wrong = false;      ///< An output does not hold what it must.

    bool right() const { return !stuck && !race && !undefined && !wrong; }
};

/// \pre every operation is inside its buffers, messages have partners of equal count. O(groups^2 / 64 + pairs of accesses to a chunk).
OrderProof proveOrders(const Program& program, bool inPlace);

} // namespace fabricscope::test
