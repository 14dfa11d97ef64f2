#pragma once

#include "core/platform/platform.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// a:b, cables down to cables up.
struct Ratio {
    std::int64_t down = 1;
    std::int64_t up = 1;
    friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// Cables of one kind where they are not as the others of a join: those inside of groups, and between them.
struct CableFigures {
    std::optional<Quantity> bandwidth{};
    std::optional<Quantity> latency{};
    friend bool operator==(const CableFigures&, const CableFigures&) = default;
};

/// One join of a fabric, as a line or a design file says it.
struct FabricJoin {
    std::string word;                                                      ///< A family, or a level: "rails", "leaf", "spine".
    std::vector<std::vector<std::int64_t>> numbers{};                      ///< Without a key, in order.
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> keyed{};
    std::int64_t radix = 0;
    std::optional<Ratio> ratio{};
    std::optional<Quantity> bandwidth{};
    std::optional<Quantity> latency{};
    std::int64_t times = 0;                                                ///< xN: how many of it the next joins; 0: not given.
    std::string name{};                                                    ///< Of its switches; empty: made up.
    std::optional<Quantity> crossbar{};                                    ///< What a switch passes on per second; absent: as below.
    std::string cable{};                                                   ///< Length, "5 m"; for people.
    std::optional<CableFigures> local{};
    std::optional<CableFigures> global{};
    friend bool operator==(const FabricJoin&, const FabricJoin&) = default;
};

/// A fabric as it is written: a part and what joins it, from below.
struct FabricForm {
    std::string part;       ///< "npu", a preset, a topology in one line, or the name of the blueprint.
    std::int64_t times = 0; ///< xN of the part; 0: not given.
    std::vector<FabricJoin> joins{};
    std::shared_ptr<const PlatformSpec> blueprint{}; ///< What `part` is, where the design says it.
    friend bool operator==(const FabricForm& a, const FabricForm& b);
};

} // namespace fabricscope
