#pragma once

#include "core/base/rankset.h"
#include "core/record/resultparts.h"
#include "core/run/rundesign.h"
#include "core/scenario/scenario.h"

#include <QString>

namespace fabricscope::texts {

/// "Rank 37", "Ranks 0–7", "Ranks 5, 37, 69, 101", "Ranks 0–3, 8–11 and 24 more": at most four stretches. A rank is no NPU: where it runs
/// is the placement's business.
QString ranks(const RankSet& ranks);
/// The same without the word.
QString rankNumbers(const RankSet& ranks);
/// "37 → D2 switch", "3 → 4", "gpu0 → leaf0".
QString link(const Platform& platform, LinkId link);
/// "ring on D1, direct on D2"; the program's own name where it has no dimensions; empty: done without messages.
QString algorithm(const Structure& structure, const CollectiveInstance& instance);
/// "All-reduce", "Broadcast".
QString operation(CollectiveOp op);
/// Name of a group family; "All ranks" for the world.
QString group(const Workload& workload, FamilyId family);
/// "Compute", "Tensor parallel all-reduce, exposed", "Memory", "Waiting or idle".
QString part(const ResultPart& part, const Workload& workload);
/// "one training step", "one all-reduce".
QString whatWasRun(const RunResult& result);
/// "links physical/1".
QString model(const RunRecord& record);
/// Chip of a result whose inputs have changed since: "Earlier inputs", and what that means.
QString earlierInputs();
QString earlierInputsExplained();
/// In the place of what there was no memory or no thread for; rich text, with the link "again".
QString notShown();
/// First letter small, or large, the rest as it is.
QString inSentence(QString text);
QString atStart(QString text);

} // namespace fabricscope::texts
