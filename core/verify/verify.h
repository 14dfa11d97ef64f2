#pragma once

#include "core/base/error.h"
#include "core/program/program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

enum class Postcondition : std::uint8_t { Holds, Fails, Unknown };

/// "holds", "fails", "unknown".
std::string_view postconditionKey(Postcondition state);

/// One thing the verifier says. Rules V1 to V20: manual: formats 5.1.
struct VerifyFinding {
    std::string rule;            ///< "V15".
    Severity severity = Severity::Error;
    std::string message;         ///< Names rank, lane, step and chunk, and the pair or cycle in words.
    /// Operations it is about (indices into the columns): the one, the offending pair, or the cycle in order. May be empty.
    std::vector<std::uint32_t> operations;
    std::int32_t rank = -1;
    std::int32_t lane = -1;
    std::int32_t step = -1;      ///< Position in the lane.
    BufferKind buffer = BufferKind::None;
    std::int32_t chunk = -1;     ///< Place in `buffer`.
};

struct VerifyOptions {
    std::vector<std::int32_t> slotCounts; ///< Deadlock is looked for with so many messages per connection, besides unlimited.
    bool asInPlace = true;             ///< Check the modes the flags of the program claim ...
    bool asOutOfPlace = true;          ///< ... of these two.
    bool hints = true;                 ///< Also V19 and V20 (information).
    std::size_t mostFindings = 100;    ///< Of each rule; the rest is counted.
    std::shared_ptr<const Conditions> conditions; ///< For custom collectives; absent: those of the program.
    std::stop_token stop{};
    /// Told how far the check is, as a share from 0 to 1 that never falls, on the calling thread; the last one of a check that is not stopped is
    /// 1. Every 65,536 operations or so, and after each part. May be empty.
    std::function<void(double)> progress{};
};

struct SlotResult {
    std::int32_t count = 0; ///< Slots per connection.
    bool finishes = false;
};

/// What is known of a program. A template is checked symbolically, axis by axis; an explicit program is executed with multisets of
/// contributions, and happens-before is followed between lanes.
struct Verification {
    bool valid = false;                ///< No finding of severity Error.
    bool cancelled = false;
    Postcondition postcondition = Postcondition::Unknown;
    std::vector<VerifyFinding> findings; ///< Errors first, then by (rule, rank, lane, step).
    std::int64_t suppressed = 0;       ///< VerifyFindings over mostFindings.
    std::vector<SlotResult> slotResults; ///< In the order asked.
    std::int32_t minimumSlots = 0;     ///< Fewest slots per connection that finish; 0: not known.
    std::int64_t operations = 0;
    std::int64_t transfers = 0;
    std::int64_t wastedTransfers = 0;  ///< Of data the receiver had already, or that nobody needs.
    bool worksInPlace = false;
    bool worksOutOfPlace = false;
};

/// Never fails: what cannot be checked is a finding. O(operations * count) where dependencies order the lanes well.
Verification verify(const Program& program, const VerifyOptions& options = {});

} // namespace fabricscope
