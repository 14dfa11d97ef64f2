#pragma once

#include "core/program/program.h"

#include <optional>
#include <string>

namespace fabricscope::test {

/// What plain execution in many orders says of a small explicit program without teams: an oracle for the verifier that shares no code with it.
struct TinyVerdict {
    bool stuck = false;        ///< Some order stops before the end (with any number of slots, all do).
    bool undefined = false;    ///< Some order sends or reduces something undefined.
    bool wrong = false;        ///< Some order ends with a wrong output.
    bool differs = false;      ///< Two orders end with different memory.
    int orders = 0;
};

/// Runs the program in so many orders: the first ready lane first, then evenly random ones and ones that strongly prefer some operations. \pre every operation is inside its buffers, messages
/// have partners of equal count.
TinyVerdict runInManyOrders(const Program& program, bool inPlace, int orders, std::uint64_t seed);

/// Does it finish with so many slots per connection, twice in a row (each lane its list twice, in one go)? \pre lanes only, no lane -1.
bool finishesTwice(const Program& program, int slotCount);

} // namespace fabricscope::test
