#include "widgets/programs/synthesisrunner.h"

#include "widgets/base/showntexts.h"

#include <QThread>

#include <mutex>

namespace fabricscope {

/// Between the searching threads and the one of the window.
struct SynthesisRunner::Shared {
    std::mutex mutex;
    SynthesisProgress progress;
    bool moved = false;
    std::vector<SynthesisRow> rows;

    void add(const SynthesisTrial& trial)
    {
        const std::lock_guard lock(mutex);
        rows.push_back({trial.method, trial.chunks, trial.synthesis});
        if (trial.synthesis.program->asExplicit().size() > kKeptOperations)
            rows.back().synthesis.program.reset();
        moved = true;
    }
};

namespace {

Result<SynthesisAnswerPtr> answerOf(SynthesisJob job, const std::vector<SynthesisRow>& rows)
{
    const Result<Platform> platform = Platform::create(*job.platform);
    if (!platform)
        return platform.error();
    if (job.members.empty()) {
        for (NodeId npu = 0; npu < platform.value().npuCount(); ++npu) {
            if (!platform.value().isNpuRemoved(npu))
                job.members.push_back(npu);
        }
    }
    const Result<SynthesisGraph> graph = synthesisGraph(platform.value(), job.members);
    if (!graph)
        return graph.error();
    const Result<SynthesisTrial> found = searchProgram(graph.value(), job.search);
    if (!found)
        return found.error();
    const SynthesisTrial& best = found.value();
    auto answer = std::make_shared<SynthesisAnswer>();
    answer->links = graph.value().links.size();
    answer->rows = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].method == best.method && rows[i].chunks == best.chunks)
            answer->best = i;
    }
    answer->rows[answer->best].synthesis = best.synthesis;
    const std::stop_token& stop = job.search.options.stop;
    answer->stopped = stop.stop_requested();
    if (answer->stopped) {
        answer->simulateNote = "the search was stopped";
    } else if (best.synthesis.program->asExplicit().size() > kMostSimulatedOperations) {
        answer->simulateNote = "the program is too large";
    } else {
        const Result<SimTime> time = simulatedTime(*job.platform, best.synthesis.program, job.search.options.bytes, job.search.options.threads, stop, job.members);
        if (time)
            answer->simulated = time.value();
        else
            answer->simulateNote = time.error().text();
    }
    answer->job = std::move(job);
    answer->job.search.options.progress = nullptr;
    answer->job.search.tried = nullptr;
    return SynthesisAnswerPtr(answer);
}

} // namespace

SynthesisRunner::SynthesisRunner(QObject* parent) : SearchRunner(parent) {}

SynthesisRunner::~SynthesisRunner() = default;

void SynthesisRunner::start(SynthesisJob job)
{
    Q_ASSERT(!isBusy());
    m_shared = std::make_shared<Shared>();
    m_seen = 0;
    job.search.options.threads = std::max(1, QThread::idealThreadCount());
    job.search.options.progress = [shared = m_shared](const SynthesisProgress& progress) {
        const std::lock_guard lock(shared->mutex);
        shared->progress = progress;
        shared->moved = true;
    };
    job.search.tried = [shared = m_shared](const SynthesisTrial& trial) { shared->add(trial); };
    begin(
        [job = std::move(job), shared = m_shared](const std::stop_token& stop) mutable {
            job.search.options.stop = stop;
            return answerOf(std::move(job), shared->rows);
        },
        [this](const SynthesisAnswerPtr& answer) { emit finished(answer); });
}

void SynthesisRunner::poll()
{
    SynthesisProgress progress;
    std::vector<SynthesisRow> rows;
    {
        const std::lock_guard lock(m_shared->mutex);
        if (!m_shared->moved)
            return;
        m_shared->moved = false;
        progress = m_shared->progress;
        if (m_shared->rows.size() > m_seen)
            rows = m_shared->rows;
    }
    if (!rows.empty()) {
        m_seen = rows.size();
        emit tried(rows);
    }
    emit progressed(progress.share, texts::shown(progress.best));
}

} // namespace fabricscope
