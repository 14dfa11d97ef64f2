#pragma once

#include "core/platform/platform.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace fabricscope {

/// Which links of a platform are equals (linkoutliers.h), and what is usual among them.
class LinkEquals {
public:
    /// O(links) for an explicit graph, else O(overrides).
    explicit LinkEquals(const Platform& platform);

    /// Links of one class carry alike where a program treats NPUs alike. Explicit graphs: those of another usual rate are another class.
    using Class = std::array<std::int64_t, 3>;
    Class classOf(LinkId link) const;

    struct Usual {
        std::int64_t figure = 0; ///< bytes/s or ps, of most.
        std::int64_t links = 0;  ///< Compared, with the link itself.
        std::int64_t worse = 0;  ///< Of these, as bad as the link or worse than usual.
    };
    /// Set when the link is more than 5 % slower than most of its equals.
    std::optional<Usual> slowerThan(LinkId link) const;
    /// Set when its latency is more than half above that of most of its equals.
    std::optional<Usual> laterThan(LinkId link) const;

    const Platform& platform() const { return m_platform; }

private:
    /// How often each figure occurs.
    using Counts = std::map<std::int64_t, std::int64_t>;
    enum Figure : std::size_t { Rate, Latency };
    using Both = std::array<Counts, 2>;

    void countDimensions();
    void countGraph();
    std::int64_t figureOf(LinkId link, Figure figure) const;
    static bool isWorse(std::int64_t figure, std::int64_t than, Figure kind);
    static std::optional<Usual> against(const Counts& counts, std::int64_t own, Figure kind);
    std::optional<Usual> usual(LinkId link, Figure figure) const;
    bool isRole(std::int64_t key, std::int64_t figure, Figure kind) const;

    Platform m_platform;
    std::map<Class, Both> m_classes;                  ///< Dimensions with overrides; graphs: by key.
    // Explicit graphs.
    std::vector<std::int32_t> m_key;                  ///< Of every link.
    std::map<std::pair<std::int64_t, NodeId>, Both> m_into; ///< By key and receiving node.
    std::map<std::pair<std::int64_t, NodeId>, Both> m_outOf;
    std::array<std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>, 2> m_senders; ///< By key and figure: nodes with such a link.
    std::map<std::int64_t, std::int64_t> m_sendersOfKey;
};

} // namespace fabricscope
