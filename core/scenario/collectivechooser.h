#pragma once

#include "core/base/result.h"
#include "core/design/design.h"
#include "core/design/schedulingconfig.h"
#include "core/scenario/programlibrary.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace fabricscope {

/// A collective of which the design says `algorithm: auto`.
struct ChooseQuestion {
    Model model = Model::Links;
    const Structure& structure;            ///< Platform, placement, workload, classes of links; instances may be missing.
    const Params& params;
    FamilyId family = 0;
    std::int64_t group = 0;
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int64_t bytes = 0;
    const CollectiveSetting& setting;      ///< Chunks, window, candidates.
    DimensionScheduler scheduler = DimensionScheduler::Baseline;
    ProgramLibrary& library;
    std::int32_t rule = -1;                ///< As CollectiveInstance::rule: what the collective takes beside its messages.
};

/// Decides what `algorithm: auto` runs (core/choose). One per preparation of a design.
class CollectiveChooser {
public:
    virtual ~CollectiveChooser() = default;

    /// The setting the group runs: standard algorithms where nothing could be compared. Deterministic. Errors: Cancelled, a candidate of
    /// the design's own list that cannot run.
    virtual Result<CollectiveSetting> choose(const ChooseQuestion& question) = 0;
    /// What was decided, each different question once, in the order of asking.
    virtual std::vector<CollectiveChoice> takeChoices() = 0;
    /// What generators wrote before, for the library of the preparation; null: nothing.
    virtual GeneratedProgramsPtr generatedPrograms() const { return nullptr; }
};

} // namespace fabricscope
