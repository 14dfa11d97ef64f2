#pragma once

#include "core/run/rundesign.h"
#include "core/step/collectivelist.h"
#include "core/step/collectivereplay.h"
#include "widgets/step/preparedsteps.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Whether the end state of every chunk is what the operation promises. Absent where parts are not known, or too many cells to go over.
std::optional<bool> verifySteps(const CollectiveReplayPtr& replay, const std::stop_token& stop = {});

/// Finds the collectives of a run and replays one of them on a worker thread, if it was not prepared before. Answers come on the thread of the
/// loader, after the question; those to questions that a newer one has replaced are dropped.
class StepLoader : public QObject
{
    Q_OBJECT
public:
    explicit StepLoader(QObject* parent = nullptr);
    ~StepLoader() override;

    void list(RunResultPtr run);
    void load(RunResultPtr run, std::int32_t instance);
    /// Stops what is under way; canceled() follows at once if something was.
    void cancel();
    /// Gives up what was prepared, with the runs it keeps.
    void forget() { m_prepared.clear(); }
    bool isLoading() const { return m_loading; }

    static constexpr int kSlowMs = 500;

signals:
    void listed(const std::vector<fabricscope::InstanceRun>& collectives);
    void loaded(const fabricscope::LoadedSteps& steps);
    void failed(const QString& reason);
    void canceled();
    /// Preparing takes longer than kSlowMs.
    void slow();

private:
    void answer(const LoadedSteps& steps);

    PreparedSteps m_prepared;
    std::stop_source m_stop;
    std::int64_t m_listNumber = 0;
    std::int64_t m_loadNumber = 0;
    bool m_loading = false;
};

} // namespace fabricscope
