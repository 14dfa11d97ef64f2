#include "widgets/study/variantrunner.h"

#include "core/base/files/textfile.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/design/accuracyconfig.h"
#include "core/design/file/readdesign.h"
#include "core/run/inputkind.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

namespace fabricscope {

namespace {

constexpr qint64 kBetweenTablesMs = 400;
constexpr std::size_t kRowsPerMs = 40; ///< A table is shown less often the longer it is.

/// Beside the study: pod.sqlite.
QString storeBeside(const QString& file)
{
    const QFileInfo info(file);
    const std::string stem = std::filesystem::path(info.fileName().toStdString()).stem().string();
    return info.absolutePath() + QLatin1Char('/') + QString::fromStdString(stem) + QStringLiteral(".sqlite");
}

/// Nothing is known of them yet. What a search will ask for is not known either.
StudyTable tableOfOpen(const StudySpec& space, const std::stop_token& stop)
{
    StudyTable table;
    if (space.sampling.search) {
        table.search.emplace().whole = false;
        return table;
    }
    table.rows.resize(at(space.designCount()));
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        checkStop(stop);
        table.rows[i].number = static_cast<std::int64_t>(i);
        for (const ParameterChoice& choice : space.choicesOf(table.rows[i].number))
            table.rows[i].labels.push_back(choice.label);
    }
    return table;
}

Result<std::shared_ptr<const VariedStudy>> readVaried(const QString& file, const std::stop_token& stop)
{
    Result<StudySpec> space = readStudy(QFile::encodeName(file).toStdString(), {}, stop);
    if (!space)
        return std::move(space).error();
    const StudySampling& sampling = space.value().sampling;
    if (const std::int64_t count = sampling.search ? sampling.budget : space.value().designCount(); count > VariantRunner::kMostShown)
        return Error{ErrorCode::Unsupported, std::to_string(count) + " designs are more than the window shows", Place{file.toStdString(), 0, 0, -1, "study.sampling", -1, -1, false},
                     "at most " + std::to_string(VariantRunner::kMostShown) + ": sampling: {kind: sobol, points: N}, or fabricscope-cli study run"};
    const std::shared_ptr<const AccuracyConfig> accuracy = inspectDesign(space.value().base, stop).design.accuracy;
    return std::make_shared<const VariedStudy>(VariedStudy{std::move(space).value(), file, storeBeside(file), accuracy ? std::optional(accuracy->errorPct) : std::nullopt});
}

/// Where its number belongs; a search adds rows as it goes.
void putRow(StudyTable& table, const StudyTableRow& row)
{
    const auto place = std::lower_bound(table.rows.begin(), table.rows.end(), row.number, [](const StudyTableRow& other, std::int64_t number) { return other.number < number; });
    if (place != table.rows.end() && place->number == row.number)
        *place = row;
    else
        table.rows.insert(place, row);
}

/// What is kept of it.
Result<StudyTable> keptOfStudy(const VariedStudy& study, const std::string& version, const std::stop_token& stop)
{
    if (!QFileInfo::exists(study.store))
        return tableOfOpen(study.space, stop);
    const Result<RunStore> store = RunStore::open(QFile::encodeName(study.store).toStdString(), RunStore::Access::Read);
    if (!store)
        return store.error();
    PointRunner runner(study.space, version);
    return tableOf(study.space, runner, store.value(), 1, stop);
}

/// Runs one that is open, only to see how long it takes.
Result<double> timeOfOne(const VariedStudy& study, const StudyTable& table, const std::string& version, const std::stop_token& stop)
{
    PointRunner runner(study.space, version);
    for (const StudyTableRow& row : table.rows) {
        if (row.state != StudyTableRow::State::Open)
            continue;
        const auto begin = std::chrono::steady_clock::now();
        const Result<StudyPoint> point = runner.read(row.number, stop);
        if (!point)
            return point.error();
        const Result<PointRow> ran = runner.run(point.value(), stop);
        if (!ran)
            return ran.error();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return 0.0;
}

} // namespace

double VariantMoment::secondsLeft() const
{
    return rate() > 0 ? static_cast<double>(of - looked) / rate() : 0;
}

bool isStudyFile(const QString& path)
{
    constexpr std::size_t kStudyHead = std::size_t{1} << 16;
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending != QStringLiteral("yaml") && ending != QStringLiteral("yml"))
        return false;
    const auto head = readFileHead(QFile::encodeName(path).toStdString(), kStudyHead);
    return head && inputKindOf(QFileInfo(path).fileName().toStdString(), head.value()) == InputKind::StudyFile;
}

/// Between the threads of a run and the one of the window.
struct VariantRunner::Between {
    std::mutex mutex;
    VariedStudyPtr study;
    StudyTable table;
    VariantMoment moment;
    QElapsedTimer clock;
    bool isNew = false; ///< The study was read.
    bool isMore = false; ///< The table has more than was shown.
};

VariantRunner::VariantRunner(std::string version, QObject* parent) : SearchRunner(parent), m_version(std::move(version))
{
    // Only what was told to stop ends like this while something else waits.
    connect(this, &SearchRunner::failed, this, [this] {
        take(true);
        if (std::exchange(m_running, false))
            emit ended(true);
        goOn();
    });
}

VariantRunner::~VariantRunner() = default;

bool VariantRunner::isBegun() const
{
    if (!m_table || m_table->search)
        return m_table && !m_table->search->whole && !m_table->rows.empty();
    const std::int64_t open = m_table->count(StudyTableRow::State::Open);
    return open > 0 && open < static_cast<std::int64_t>(m_table->rows.size());
}

void VariantRunner::open(const QString& file)
{
    m_next = [this, file] { startOpening(file); };
    goOn();
}

void VariantRunner::run(int threads)
{
    m_next = [this, threads] { startRun(threads); };
    goOn();
}

void VariantRunner::goOn()
{
    if (isBusy()) {
        stop();
    } else if (const auto next = std::exchange(m_next, nullptr)) {
        next();
    }
    emit stateChanged();
}

void VariantRunner::startOpening(const QString& file)
{
    m_between = std::make_shared<Between>();
    m_between->clock.start();
    begin(
        [file, version = m_version, between = m_between](const std::stop_token& stop) {
            return untilStopped([&]() -> Result<double> {
                Result<VariedStudyPtr> study = readVaried(QFileInfo(file).absoluteFilePath(), stop);
                if (!study)
                    return std::move(study).error();
                Result<StudyTable> table = keptOfStudy(*study.value(), version, stop);
                if (!table)
                    return std::move(table).error();
                {
                    const std::lock_guard lock(between->mutex);
                    between->study = study.value();
                    between->table = table.value();
                    between->isNew = true;
                }
                return timeOfOne(*study.value(), table.value(), version, stop);
            });
        },
        [this](double seconds) {
            m_secondsEach = seconds;
            emit estimated();
            goOn();
        });
}

void VariantRunner::startRun(int threads)
{
    if (!m_study)
        return;
    m_between = std::make_shared<Between>();
    m_between->study = m_study;
    m_between->table = *m_table;
    const StudySampling& sampling = m_study->space.sampling;
    m_between->moment.of = sampling.search ? std::min(sampling.budget, m_study->space.designCount()) : static_cast<std::int64_t>(m_table->rows.size());
    m_between->clock.start();
    m_shownAt = 0;
    m_running = true;
    begin(
        [study = m_study, threads, version = m_version, between = m_between](const std::stop_token& stop) {
            return untilStopped([&]() -> Result<StudyTablePtr> {
                Result<RunStore> store = RunStore::open(QFile::encodeName(study->store).toStdString(), RunStore::Access::Write);
                if (!store)
                    return std::move(store).error();
                PointRunner runner(study->space, version);
                SpaceRunOptions options;
                options.threads = threads;
                options.looked = [&between](const StudyTableRow& row, bool ran) {
                    const std::lock_guard lock(between->mutex);
                    const bool simulated = row.state == StudyTableRow::State::Done || row.state == StudyTableRow::State::Failed; // That is what a search has a budget for.
                    between->moment.looked += simulated || !between->table.search ? 1 : 0;
                    between->moment.ran += ran ? 1 : 0;
                    if (between->table.search)
                        between->table.search->simulated = between->moment.looked;
                    putRow(between->table, row);
                    between->isMore = true;
                };
                StudyProgress progress;
                Result<StudyTable> table = runSpace(study->space, runner, store.value(), options, progress, stop);
                if (!table)
                    return std::move(table).error();
                return std::make_shared<const StudyTable>(std::move(table).value());
            });
        },
        [this](const StudyTablePtr& table) {
            m_table = table;
            m_running = false;
            emit tableChanged();
            emit ended(false);
            goOn();
        });
}

/// The table as far as it came. `last`: also where it was shown a moment ago.
void VariantRunner::take(bool last)
{
    VariedStudyPtr study;
    StudyTable table;
    VariantMoment moment;
    {
        const std::lock_guard lock(m_between->mutex);
        moment = m_between->moment;
        moment.seconds = m_running ? static_cast<double>(m_between->clock.elapsed()) / 1000 : 0;
        const qint64 wait = kBetweenTablesMs + static_cast<qint64>(m_between->table.rows.size() / kRowsPerMs);
        const bool due = m_between->isMore && (last || m_between->clock.elapsed() - m_shownAt > wait);
        if (std::exchange(m_between->isNew, false))
            study = m_between->study;
        if (study || due)
            table = m_between->table;
        if (due)
            m_shownAt = m_between->clock.elapsed();
        m_between->isMore = m_between->isMore && !due;
    }
    if (study) {
        m_study = study;
        m_secondsEach = 0;
        m_table = std::make_shared<const StudyTable>(std::move(table));
        emit opened();
    } else if (!table.rows.empty()) {
        table.front = frontOf(m_study->space, table.rows);
        m_table = std::make_shared<const StudyTable>(std::move(table));
        emit tableChanged();
    }
    if (m_running)
        emit progressed(moment);
}

void VariantRunner::poll()
{
    take(false);
}

} // namespace fabricscope
