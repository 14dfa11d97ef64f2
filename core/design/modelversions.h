#pragma once

#include "core/design/model.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricscope {

/// The rules that a model follows where a design names none.
std::string_view currentVersion(Model model);
/// May a design for this model name this version?
bool knowsVersion(Model model, std::string_view version);
/// "physical/1, physical/2, physical/3, physical/4", oldest first; those from number `from` on.
std::string versionList(Model model, std::int32_t from = 1);
/// What a design that named `version` for one model names for another: the same rules if that has them ("physical/2" and "flow/2"), else nothing.
std::string versionFor(Model model, std::string_view version);
/// The rules that are followed, `named` being those that a design names, or none, for this model or another.
std::string versionUsed(Model model, std::string_view named);
/// From 2 on platforms of nodes and links are balanced, and NPUs pass on inside of hosts only (RoutingRules::version); from 3 on rules of collectives may say what they take beside their messages (CollectiveTerms); from 4 on `standard` is the algorithm of least time at large sizes (StandardRules). 1 of ASTRA-sim's rules.
std::int32_t rulesNumber(std::string_view version);
inline constexpr std::int32_t kLibraryRules = 3; ///< The first rules that know what libraries take.
inline constexpr std::int32_t kBandwidthRules = 4; ///< The first rules whose `standard` goes by the bytes on the fullest link.

} // namespace fabricscope
