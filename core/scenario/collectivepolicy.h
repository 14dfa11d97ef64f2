#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/schedulingconfig.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Is the rule for this collective of a group of so many ranks? `nodeId`: of a trace.
bool ruleMatches(const CollectiveRule& rule, CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId);

/// What decides the program of a collective besides its group: the design's rules, or an ASTRA-sim system file.
class CollectivePolicy {
public:
    /// `customs`: explicit programs by path prefix, as in Scenario::customPrograms.
    CollectivePolicy(const Design& design, const std::vector<std::pair<std::string, ProgramPtr>>& customs);

    struct Choice {
        CollectiveSetting setting; ///< Algorithms, or the program to run.
        bool flat = false;      ///< One axis over all ranks (oneRing and its like).
        ProgramPtr custom;      ///< Replaces the setting.
        std::string field = "collectives.default"; ///< What decided, in the design.
        std::int32_t rule = -1; ///< The same as a number of collectives.rules where it has terms, else -1.
        DimensionScheduler scheduler = DimensionScheduler::Baseline;
    };
    /// May the number of the node of a collective decide, or do operation, family and size alone?
    bool asksForNodes() const;
    /// Do priorities count, higher first?
    bool byPriority() const;
    /// `ranks`: of its group. `covers`: is a program meant for this size? A rule whose program is not does not match.
    using Covers = std::function<bool(const ProgramSource& source)>;
    Result<Choice> choose(CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId, const Covers& covers = {}) const;

private:
    Result<Choice> choosePrograms(CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId, const Covers& covers) const;
    Result<Choice> fromAstra(CollectiveOp op, std::uint64_t nodeId) const;

    const Design& m_design;
    std::map<std::string, ProgramPtr> m_customs;
};

} // namespace fabricscope
