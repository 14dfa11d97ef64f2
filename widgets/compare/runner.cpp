#include "widgets/compare/runner.h"

#include "core/base/files/textfile.h"
#include "core/design/file/readdesign.h"
#include "core/run/memorylimit.h"
#include "core/run/openinput.h"
#include "widgets/base/background.h"

#include <QFileInfo>

#include <atomic>
#include <filesystem>

namespace fabricscope {

namespace {

constexpr int kPollMs = 33;

Result<LoadedDesign> designOf(const std::string& path, const std::stop_token& stop)
{
    OpenOptions options;
    options.stop = stop;
    const Result<OpenedInput> found = openInputs({path}, options);
    if (!found)
        return found.error();
    const OpenedInput& input = found.value();
    switch (input.kind) {
    case OpenedInput::Kind::DesignFile: return readDesign(input.path, {}, stop);
    case OpenedInput::Kind::DesignText: return readDesignText(input.text, (std::filesystem::path(input.folder) / input.suggestedName).string(), {}, stop);
    case OpenedInput::Kind::SavedRun: break;
    }
    return invalidInput("this is a saved run", Place{path, 0, 0, -1, {}, -1, -1, false}, "a design, or inputs of one");
}

Result<RunResultPtr> runOf(const DesignSource& source, const std::stop_token& stop)
{
    const std::string path = source.file.toStdString();
    Result<LoadedDesign> loaded = source.text.empty() ? designOf(path, stop) : readDesignText(source.text, path, {}, stop);
    if (!loaded)
        return std::move(loaded).error();
    RunDesignOptions options;
    options.memoryLimit = defaultMemoryLimit();
    options.seed = source.seed;
    return runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, options, stop);
}

} // namespace

/// Written by the worker, read by poll().
struct ComparisonRunner::Counts {
    std::atomic<int> done = 0;
    std::atomic<int> of = 0;
};

ComparisonRunner::ComparisonRunner(QObject* parent) : QObject(parent)
{
    m_poll.setInterval(kPollMs);
    connect(&m_poll, &QTimer::timeout, this, &ComparisonRunner::poll);
}

ComparisonRunner::~ComparisonRunner()
{
    m_stopFiles.request_stop();
    m_stopComparison.request_stop();
}

void ComparisonRunner::poll()
{
    if (m_counts)
        emit progressed(m_counts->done, m_counts->of);
}

void ComparisonRunner::runFiles(const QStringList& paths)
{
    std::vector<DesignSource> designs;
    for (const QString& path : paths)
        designs.push_back({QFileInfo(path).fileName(), path});
    runDesigns(designs);
}

void ComparisonRunner::runDesigns(const std::vector<DesignSource>& designs)
{
    m_waiting.insert(m_waiting.end(), designs.begin(), designs.end());
    if (m_waiting.empty() || m_running)
        return;
    m_running = true;
    emit busyChanged(true);
    runNext();
}

void ComparisonRunner::runNext()
{
    if (m_waiting.empty()) {
        m_running = false;
        return emit busyChanged(isBusy());
    }
    const DesignSource source = m_waiting.front();
    inBackground(
        this, [source, stop = m_stopFiles.get_token()]() -> Result<RunResultPtr> { return runOf(source, stop); },
        [this, source, number = m_fileNumber](const Result<RunResultPtr>& run) {
            if (number != m_fileNumber)
                return;
            m_waiting.erase(m_waiting.begin());
            if (run)
                emit ran({source.name, run.value()}, source);
            else
                emit failed(source.name, run.error(), source);
            if (number == m_fileNumber)
                runNext();
        },
        m_threads);
}

void ComparisonRunner::compare(const std::vector<NamedRun>& runs, std::size_t baseline, const WaterfallChoice& choice)
{
    m_stopComparison.request_stop();
    m_stopComparison = std::stop_source();
    m_counts = std::make_shared<Counts>();
    m_comparing = true;
    m_poll.start();
    emit busyChanged(true);
    std::vector<ComparedDesign> designs;
    for (const NamedRun& named : runs)
        designs.push_back({named.name.toStdString(), named.run->design, named.run->scenario, named.run->summary, named.run->cost});
    inBackground(
        this,
        [designs = std::move(designs), baseline, choice, counts = m_counts, stop = m_stopComparison.get_token()]() mutable -> Result<std::shared_ptr<const DesignSet>> {
            WaterfallOptions options;
            options.order = choice.order;
            options.mean = choice.mean;
            options.memoryLimit = defaultMemoryLimit();
            options.progress = [&counts](int done, int of) {
                counts->done = done;
                counts->of = of;
            };
            Result<DesignSet> set = compareDesigns(std::move(designs), baseline, options, stop);
            if (!set)
                return std::move(set).error();
            return std::make_shared<const DesignSet>(std::move(set).value());
        },
        [this, number = ++m_number](const Result<std::shared_ptr<const DesignSet>>& set) {
            if (number != m_number)
                return;
            m_comparing = false;
            m_poll.stop();
            if (set)
                emit compared(set.value());
            else if (set.error().code != ErrorCode::Cancelled)
                emit failed({}, set.error(), {});
            emit busyChanged(isBusy());
        },
        m_threads);
}

void ComparisonRunner::dropComparison()
{
    m_stopComparison.request_stop();
    ++m_number;
    m_comparing = false;
    m_poll.stop();
    emit busyChanged(isBusy());
}

void ComparisonRunner::cancel()
{
    m_stopFiles.request_stop();
    m_stopFiles = std::stop_source(); // For files that are added later.
    ++m_fileNumber;
    m_waiting.clear();
    m_running = false;
    dropComparison();
}

} // namespace fabricscope
