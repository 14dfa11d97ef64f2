#include "widgets/step/loader.h"

#include "widgets/base/background.h"
#include "widgets/base/showntexts.h"

namespace fabricscope {

namespace {
constexpr std::int64_t kMaxVerifiedCells = 64'000'000;
}

std::optional<bool> verifySteps(const CollectiveReplayPtr& replay, const std::stop_token& stop)
{
    if (replay->program())
        return endsAsAsked(replay->program(), stop);
    const std::int64_t cells = std::int64_t{replay->size()} * replay->parts();
    if (cells == 0 || cells * replay->chunks() > kMaxVerifiedCells || replay->op() == CollectiveOp::Custom)
        return std::nullopt;
    const bool everywhere = replay->op() == CollectiveOp::AllReduce || replay->op() == CollectiveOp::AllGather;
    for (int chunk = 0; chunk < replay->chunks(); ++chunk) {
        if (stop.stop_requested())
            return std::nullopt;
        ReplayCursor cursor(replay, chunk);
        cursor.setTime(replay->endPs());
        for (PartIndex part = 0; part < replay->parts(); ++part) {
            if (replay->partBytes(chunk, part) == 0)
                continue;
            const std::int32_t owner = replay->ownerOf(part);
            if (!everywhere && owner < 0)
                return std::nullopt;
            for (std::int32_t position = 0; position < replay->size(); ++position)
                if ((everywhere || position == owner) && cursor.part(position, part).contributions != replay->complete())
                    return false;
        }
    }
    return true;
}

StepLoader::StepLoader(QObject* parent) : QObject(parent) {}

StepLoader::~StepLoader()
{
    m_stop.request_stop();
}

void StepLoader::list(RunResultPtr run)
{
    const std::int64_t number = ++m_listNumber;
    inBackground(this, [run] { return collectivesOf(*run->scenario, run->record()); },
                 [this, number](const Result<std::vector<InstanceRun>>& collectives) {
                     if (number != m_listNumber)
                         return;
                     if (collectives)
                         return emit listed(collectives.value());
                     if (collectives.error().code == ErrorCode::MemoryLimit)
                         forget(); // For another try.
                     emit failed(texts::shown(collectives.error().message));
                 });
}

void StepLoader::load(RunResultPtr run, std::int32_t instance)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const std::int64_t number = ++m_loadNumber;
    m_loading = true;
    if (const std::optional<LoadedSteps> known = m_prepared.find(*run, instance)) {
        QMetaObject::invokeMethod(this, [this, number, steps = *known] {
            if (number == m_loadNumber && m_loading)
                answer(steps);
        }, Qt::QueuedConnection);
        return;
    }
    QTimer::singleShot(kSlowMs, this, [this, number] {
        if (m_loading && number == m_loadNumber)
            emit slow();
    });
    using Loaded = Result<LoadedSteps>;
    inBackground(
        this, [scenario = run->scenario, instance, like = m_prepared.findLike(*run, instance), stop = m_stop.get_token()]() -> Loaded {
            const Digest program = programDigest(*scenario, instance);
            if (like && like->program == program)
                return *like;
            Result<CollectiveReplayPtr> replay = CollectiveReplay::create(scenario, instance, 0, stop);
            if (!replay)
                return replay.error();
            return LoadedSteps{replay.value(), verifySteps(replay.value(), stop), program};
        },
        [this, run, instance, number](const Loaded& steps) {
            if (number != m_loadNumber || !m_loading)
                return; // Stopped, perhaps while its end was looked at.
            if (steps) {
                if (&steps.value().replay->scenario() == run->scenario.get()) // Else it was kept already.
                    m_prepared.keep(*run, instance, steps.value());
                return answer(steps.value());
            }
            if (steps.error().code == ErrorCode::MemoryLimit)
                forget(); // For another try.
            m_loading = false;
            if (steps.error().code == ErrorCode::Cancelled)
                emit canceled();
            else
                emit failed(texts::shown(steps.error().message));
        });
}

void StepLoader::answer(const LoadedSteps& steps)
{
    m_loading = false;
    emit loaded(steps);
}

void StepLoader::cancel()
{
    m_stop.request_stop();
    if (!m_loading)
        return;
    m_loading = false;
    ++m_loadNumber;
    emit canceled();
}

} // namespace fabricscope
