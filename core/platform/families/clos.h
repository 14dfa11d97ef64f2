#pragma once

#include "core/platform/fabric/family.h"

#include <vector>

namespace fabricscope {

/// Parallel ports generalized fat tree (PGFT): at level l (1, 2, ..) a switch has m children, a lower node w parents, with p parallel cables to each.
struct Clos {
    std::vector<std::int64_t> m{};
    std::vector<std::int64_t> w{};
    std::vector<std::int64_t> p{};

    std::size_t height() const { return m.size(); }
    /// Nodes of a level; 0: NPUs.
    std::int64_t count(std::size_t level) const;
};

/// `tiers`: names of the switches from below; fewer: made up.
FabricPlan planOf(const Clos& clos, std::vector<std::string> tiers = {});
void wire(const Clos& clos, const CableSink& sink);
std::string nameOf(const Clos& clos, std::int64_t node, const std::vector<std::string>& tiers = {});

/// Numbers of NPUs, switches and cables that can be counted: at most kMaxNpus NPUs, 2^31 nodes and cables.
Status checkSize(const FabricFamily& family, const Clos& clos);

/// Lower switches with `up` cables each to `spines`: where spines divides up, spine [j/p] takes cable j of lower switch l at port lp + j mod p; else cables go round
/// the spines, c = l up + j to spine c mod spines at port [c / spines].
struct SpineJoin {
    std::int64_t lower = 1;
    std::int64_t up = 1;
    std::int64_t spines = 1;

    bool even() const { return up % spines == 0; }
    std::int64_t ports() const { return (lower * up + spines - 1) / spines; } ///< Of the busiest spine.
    std::pair<std::int64_t, std::int64_t> spineAndPort(std::int64_t l, std::int64_t j) const;
    bool connected() const;
    /// spines outside of 1..lower * up, or ways that do not join all lower switches; `key` is that of the spines of all sets such as this.
    Status check(const FabricFamily& family, std::string_view key, std::int64_t sets = 1) const;
    /// What is lost where it is not even.
    Diagnostic unevenWarning(const FabricFamily& family) const;
};

} // namespace fabricscope
