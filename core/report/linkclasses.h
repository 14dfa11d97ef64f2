#pragma once

#include "core/record/runrecord.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope {

/// Links of a run whose figures are all equal, as one row of a table.
struct LinkClass {
    std::string name;             ///< Of one link as it is, "37 → D2 switch"; of several with the numbers that occur: "0–15 → D0 switch".
    std::vector<LinkUse> links;   ///< In the order of the record; never empty. All have the messages, bytes and busy time of the first.
};

/// What else must be equal: rate, latency and place, as one text.
struct LinkFacts {
    std::string name;             ///< "unit0.host3.gpu2 → unit0.leaf2".
    std::string alike;            ///< Equal for links that may share a row.
};

/// Folds rows of links into classes, in the order of the first link of each. Links share a class when their figures and `alike` are equal and
/// their names differ in numbers only. `factsOf` is called once for each link. O(links log links + bytes of the names).
std::vector<LinkClass> linkClasses(const std::vector<LinkUse>& links, const std::function<LinkFacts(const LinkUse&)>& factsOf);

/// A set of numbers for people: "3", "0–15", "0, 4, 8", "0, 8 … 120 (16)". \pre ascending, each once, not empty
std::string numbersText(const std::vector<std::int64_t>& values);

} // namespace fabricscope
