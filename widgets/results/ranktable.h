#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/tablemodel.h"

namespace fabricscope {

/// Ranks of a run: one row per class of ranks with the same times, or one per rank (computed, nothing is stored per rank).
/// Ids are ranks (of a class: its first).
TableContentPtr ranksContent(const RunResult& result, bool perRank);

class RanksModel : public TableModel
{
    Q_OBJECT
public:
    using TableModel::TableModel;
    void setResult(RunResultPtr result); ///< Null: empty.
    void setPerRank(bool on);

private:
    void refresh();

    RunResultPtr m_result;
    bool m_perRank = false;
};

} // namespace fabricscope
