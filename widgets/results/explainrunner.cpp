#include "widgets/results/explainrunner.h"

#include "core/design/file/readdesign.h"
#include "core/insight/effectrange.h"
#include "core/run/memorylimit.h"
#include "widgets/base/background.h"

#include <atomic>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kPollMs = 100;

ExplainOptions optionsFor(const RunResult& run)
{
    ExplainOptions options;
    options.seed = run.summary.seed;
    options.memoryLimit = defaultMemoryLimit();
    return options;
}

Result<ExplainedRunPtr> explainedOf(const RunResultPtr& run, const ExplainOptions& options, const std::stop_token& stop)
{
    Result<Explanation> explanation = explainDesign(run->design, {}, {}, options, stop);
    if (!explanation)
        return std::move(explanation).error();
    if (explanation.value().run->record().finish != run->record().finish)
        return invalidInput("the design now takes another time: files it names have changed since the run", {}, "a run of the files as they are");
    auto explained = std::make_shared<ExplainedRun>();
    explained->of = run;
    explained->explanation = std::move(explanation).value();
    explained->steps = std::make_shared<const std::vector<PathStep>>(run->timeline ? stepsOfPath(*run->timeline, explained->explanation.path) : std::vector<PathStep>());
    return ExplainedRunPtr(explained);
}

} // namespace

/// Written by the worker, read by poll().
struct ExplainRunner::Shares {
    std::atomic<double> share = 0;
    std::atomic<bool> ranging = false;
};

ExplainRunner::ExplainRunner(QObject* parent) : QObject(parent)
{
    m_poll.setInterval(kPollMs);
    connect(&m_poll, &QTimer::timeout, this, &ExplainRunner::poll);
}

ExplainRunner::~ExplainRunner()
{
    m_stop.request_stop();
}

void ExplainRunner::poll()
{
    if (m_shares)
        emit progressed(m_shares->share, m_shares->ranging);
}

void ExplainRunner::explain(const RunResultPtr& run, std::string text, std::string file)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_run = run;
    m_shares = std::make_shared<Shares>();
    const int number = ++m_number;
    m_busy = true;
    m_poll.start();
    emit busyChanged(true);
    inBackground(
        this,
        [run, text = std::move(text), file = std::move(file), shares = m_shares, stop = m_stop.get_token()]() -> Result<ExplainedRunPtr> {
            ExplainOptions options = optionsFor(*run);
            options.accepts = [&](const std::string& path, const std::string& value) { return static_cast<bool>(readDesignText(text, file, {{path, value}}, stop)); };
            options.progress = [&](const RunProgress& progress) { shares->share = progress.share; };
            options.prepared = preparedOf(run->summary, run->scenario);
            return explainedOf(run, options, stop);
        },
        [this, number](const Result<ExplainedRunPtr>& found) {
            if (number != m_number)
                return;
            if (!found) {
                end();
                if (found.error().code != ErrorCode::Cancelled)
                    emit failed(found.error());
                return;
            }
            findRanges(found.value());
            emit explained(found.value());
        },
        m_threads);
}

/// What is explained is told already: ranges take up to fifty runs more.
void ExplainRunner::findRanges(const ExplainedRunPtr& run)
{
    m_shares = std::make_shared<Shares>();
    m_shares->ranging = true;
    inBackground(
        this,
        [run, shares = m_shares, stop = m_stop.get_token()]() -> Result<ExplainedRunPtr> {
            auto ranged = std::make_shared<ExplainedRun>(*run);
            ranged->ranged = true;
            const auto found = [&](std::size_t done, std::size_t of) { shares->share = static_cast<double>(done) / static_cast<double>(of); };
            if (Status status = fabricscope::findRanges(ranged->explanation, optionsFor(*run->of), found, stop); !status)
                return std::move(status).error();
            return ExplainedRunPtr(ranged);
        },
        [this, number = m_number](const Result<ExplainedRunPtr>& found) {
            if (number != m_number)
                return;
            end();
            if (found)
                emit explained(found.value());
            else if (found.error().code != ErrorCode::Cancelled)
                emit failed(found.error());
        },
        m_threads);
}

void ExplainRunner::end()
{
    m_busy = false;
    m_poll.stop();
    emit busyChanged(false);
}

void ExplainRunner::cancel()
{
    if (!m_busy)
        return;
    m_stop.request_stop();
    ++m_number;
    end();
}

} // namespace fabricscope
