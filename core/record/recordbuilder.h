#pragma once

#include "core/record/runrecord.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// What a record holds beside what the engine saw.
struct RecordOptions {
    /// The least time the run can take, asked when all else of the record is there. Empty: not looked for, as it takes max-flow and searches run thousands of
    /// times. May throw StopRequested.
    std::function<std::optional<SimTime>(const RunRecord&)> lowerBound;
};

/// Makes the record of a run: what every engine says of a run in the same way is said here once. An engine adds its classes with their ranks, its
/// dimensions and links, who answered it, and then takes the record of a run that has ended, or of one that is cut.
class RecordBuilder {
public:
    /// `version`: of the rules that were followed. `noticed`: what preparing the scenario reported. `options` outlives it.
    RecordBuilder(Model model, std::string version, std::int32_t rankCount, Diagnostics noticed, const RecordOptions& options);
    /// A record of all ranks, made of one that stands for them, as one that was built: what that one was not asked for is added.
    static RunRecord completed(RunRecord record, const RecordOptions& options);

    void addDiagnostic(Diagnostic diagnostic) { m_record.diagnostics.push_back(std::move(diagnostic)); }
    /// Number of a new class without ranks. `tasks` may be null.
    std::size_t addClass(std::int32_t job, const RankTimes& times, std::shared_ptr<const TaskTimes> tasks);
    const RankTimes& timesOf(std::size_t rankClass) const { return m_record.classes[rankClass].times; }
    /// The rank has the times of the class: the run ends no earlier than it, and is complete only if it has finished.
    /// Ranks come in ascending order.
    void addRank(std::size_t rankClass, std::int32_t rank);
    /// Ranks that have finished, by when.
    void setFinishOrder(std::vector<std::int32_t> ranks) { m_record.finishOrder = std::move(ranks); }

    void setDimensions(std::vector<DimensionUse> uses) { m_record.dimensions = std::move(uses); }
    /// \pre setDimensions()
    DimensionUse& dimension(std::size_t number) { return m_record.dimensions[number]; }
    /// Adds what a link has carried to its dimension, busy intervals apart.
    void addToDimension(std::size_t number, const LinkUse& link);
    /// Links that carried something, in any order; the record keeps the busiest. `all`: none is missing. O(links + kMaxLinks log kMaxLinks).
    void setLinks(std::vector<LinkUse> used, bool all);
    /// The same one by one, so that a million links need not be there at once. Then setLinksAdded().
    void addLink(const LinkUse& used);
    void setLinksAdded();

    /// Who answered the run and how many messages there were; `events`: what it took.
    void setEngine(std::string name, std::int64_t messages, std::int64_t events);

    bool isComplete() const { return m_record.complete; }
    /// Of a run that goes on, as it is at `now`: not complete, no waits, no digests.
    RunRecord cut(SimTime now) &&;
    /// Of a run that has ended, or stands still: `waits` says why.
    RunRecord finished(Digest fingerprint, const CommutativeDigest& messages, std::vector<Wait> waits) &&;

private:
    void cutLinks();

    const RecordOptions& m_options;
    std::size_t m_links = 0; ///< Added one by one.
    RunRecord m_record;
};

} // namespace fabricscope
