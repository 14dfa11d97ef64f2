#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/tablemodel.h"

namespace fabricscope {

/// Collectives of a run in the order in which they begin. Folded: the n-th collective of all groups of a family is one row, from the
/// first issue to the last end. Ids are instances. Empty without task times.
TableContentPtr collectivesContent(const RunResult& result, bool folded);

/// Made on a worker when the run is large; then it stays as it was until modelReset.
class CollectivesModel : public TableModel
{
    Q_OBJECT
public:
    using TableModel::TableModel;
    void setResult(RunResultPtr result); ///< Null: empty.
    /// A run too large to list group by group stays folded.
    void setFolded(bool on);

    static constexpr std::int64_t kMostSteps = 50'000'000; ///< Beyond (about half a second of a worker), groups stay folded.

    void tryAgain() override { refresh(); }

private:
    void refresh();

    RunResultPtr m_result;
    bool m_folded = true;
    int m_wanted = 0;
};

} // namespace fabricscope
