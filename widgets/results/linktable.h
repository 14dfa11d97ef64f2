#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/tablemodel.h"

namespace fabricscope {

/// Links of a run, busiest first. Folded: links of one dimension with the same rate, latency, busy time, bytes and messages are
/// one row ("NPU ↔ peers, all 896") whose figures are those of each of them. Ids are links (of a row of several: the first).
TableContentPtr linksContent(const RunResult& result, bool folded);

class LinksModel : public TableModel
{
    Q_OBJECT
public:
    using TableModel::TableModel;
    void setResult(RunResultPtr result); ///< Null: empty.
    void setFolded(bool on);

private:
    void refresh();

    RunResultPtr m_result;
    bool m_folded = true;
};

} // namespace fabricscope
