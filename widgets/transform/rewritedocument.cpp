#include "widgets/transform/rewritedocument.h"

#include "core/report/outputfile.h"
#include "core/base/files/textfile.h"
#include "core/language/tensorscript.h"
#include "widgets/base/background.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/base/showntexts.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fabricscope {

namespace {

constexpr int kSearchPollMs = 50;
constexpr std::string_view kKeptStep = "-- step of Fabricscope: ";

/// Steps behind a script in a copy; they are taken off it.
std::string takeKeptSteps(std::string& text)
{
    std::string steps;
    std::size_t first = std::string::npos;
    for (std::size_t at = text.find(kKeptStep); at != std::string::npos; at = text.find(kKeptStep, at)) {
        first = std::min(first, at);
        const std::size_t begin = at + kKeptStep.size();
        at = std::min(text.find('\n', begin), text.size());
        steps += text.substr(begin, at - begin) + '\n';
    }
    if (first != std::string::npos)
        text.resize(first);
    return steps;
}

} // namespace

bool isTransformFile(const QString& path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    const bool script = ending == QStringLiteral("lua");
    if (!script && ending != QStringLiteral("yaml") && ending != QStringLiteral("yml"))
        return false;
    constexpr std::size_t kHead = std::size_t{1} << 20;
    const auto head = readFileHead(QFile::encodeName(path).toStdString(), kHead);
    if (script)
        return head && isTensorScript(head.value());
    constexpr std::string_view kKey = "transform:";
    return head && (head.value().starts_with(kKey) || head.value().find('\n' + std::string(kKey)) != std::string::npos);
}

RewriteDocument::RewriteDocument(QObject* parent) : QObject(parent)
{
    m_poll.setInterval(kSearchPollMs);
    connect(&m_poll, &QTimer::timeout, this, &RewriteDocument::lookAtSearch);
}

RewriteDocument::~RewriteDocument()
{
    m_stop.request_stop();
    m_stopSearch.request_stop();
}

void RewriteDocument::open(const QString& path)
{
    const auto source = [name = QFile::encodeName(path).toStdString()]() -> Result<Source> {
        auto text = readTextFile(name, kMostBytes);
        return text ? Result<Source>(Source{std::move(text).value()}) : Result<Source>(text.error());
    };
    read(source, QFileInfo(path).absoluteFilePath(), QFileInfo(path).fileName());
}

void RewriteDocument::openText(const std::string& text, const QString& name)
{
    read([text]() -> Result<Source> { return Source{text}; }, {}, name);
}

void RewriteDocument::openCopy(const std::string& text, const QString& path, const QString& name)
{
    const auto source = [text, file = QFile::encodeName(path).toStdString(), shown = name.toStdString(), script = name.endsWith(QStringLiteral(".lua"))]() -> Result<Source> {
        std::string kept = text;
        const std::string remarks = script ? takeKeptSteps(kept) : std::string();
        const auto copy = transform::readTransformText(kept, shown);
        if (!copy)
            return copy.error();
        Result<Schedule> steps = script ? transform::parseSchedule(remarks, shown) : Result<Schedule>(copy.value().schedule);
        if (!steps)
            return steps.error();
        // Of the file as it is now, the copy is an edit; of a file that is gone or no program any more, the copy is all there is.
        auto onDisk = file.empty() ? Result<std::string>(Error{ErrorCode::NotReadable, {}, {}, {}}) : readTextFile(file, kMostBytes);
        const bool usable = onDisk && transform::readTransformText(onDisk.value(), shown);
        return Source{usable ? std::move(onDisk).value() : std::move(kept), std::move(steps).value(), !usable};
    };
    read(source, path, name);
}

void RewriteDocument::openPart(std::shared_ptr<const Design> design, transform::ModelPart kind)
{
    const auto source = [design = std::move(design), kind]() -> Result<Source> {
        auto part = transform::partOfStep(*design, kind);
        if (!part)
            return part.error();
        std::string text = part.value().text;
        return Source{std::move(text), {}, false, std::make_shared<const WholeStep>(WholeStep{design, kind, std::move(part).value()})};
    };
    read(source, {}, QString::fromLatin1(keyOf(transform::kModelParts, kind)) + QStringLiteral(".yaml"));
}

void RewriteDocument::forgetFile()
{
    if (!isOpen() || std::exchange(m_fileGone, true))
        return;
    emit undoChanged();
}

void RewriteDocument::read(std::function<Result<Source>()> source, const QString& path, const QString& name)
{
    struct Opened {
        Source source;
        std::shared_ptr<Timing> timing;
    };
    const int number = ++m_reads;
    m_reading = true;
    const std::string shown = path.isEmpty() ? name.toStdString() : QFile::encodeName(path).toStdString();
    inBackground(
        this,
        [source = std::move(source), shown]() -> Result<Opened> {
            auto found = source();
            if (!found)
                return found.error();
            auto file = transform::readTransformText(found.value().text, shown);
            if (!file)
                return file.error();
            return Opened{std::move(found).value(), std::make_shared<Timing>(std::move(file).value())};
        },
        [this, number, path, name](Result<Opened> answer) {
            if (number != m_reads)
                return;
            m_reading = false;
            if (!answer) {
                emit failed(answer.error());
                return tellSettled();
            }
            stopSearch();
            ++m_searches;
            m_searching = false;
            m_poll.stop();
            m_search = nullptr;
            m_edits.clear();
            m_changed = false;
            m_text = std::move(answer.value().source.text);
            m_fileGone = answer.value().source.fileGone;
            m_part = answer.value().source.whole;
            m_step.reset();
            m_stepReason.clear();
            m_timer = std::move(answer.value().timing);
            m_path = path;
            m_name = name;
            const Schedule& schedule = m_timer->timer.file().schedule;
            m_saved = transform::scheduleText(schedule);
            m_history.start({schedule});
            if (answer.value().source.steps)
                m_history.visit({*answer.value().source.steps});
            m_traced = nullptr;
            m_offers = nullptr;
            emit opened();
            emit undoChanged();
            emit searched();
            work();
        });
}

void RewriteDocument::tellSettled()
{
    if (isSettled())
        emit settled();
}

void RewriteDocument::apply(const transform::ScheduleStep& step)
{
    edit({[step](const transform::TensorProgram& program, const Schedule& now) { return transform::withStep(program, now, step); }});
}

void RewriteDocument::applyText(const QString& words)
{
    auto step = transform::parseStep(words.toStdString());
    if (step)
        edit({[step = std::move(step).value()](const transform::TensorProgram& program, const Schedule& now) { return transform::withStep(program, now, step); }, words});
    else
        emit refused(texts::shown(step.error().message) + (step.error().expected.empty() ? QString() : tr(" (expected %1)").arg(texts::shown(step.error().expected))));
}

void RewriteDocument::removeStep(std::size_t step)
{
    edit({[step](const transform::TensorProgram& program, const Schedule& now) -> transform::EditedSchedule {
        return step < now.size() ? transform::withoutStep(program, now, step) : now;
    }});
}

void RewriteDocument::moveStep(std::size_t from, std::size_t to)
{
    edit({[from, to](const transform::TensorProgram& program, const Schedule& now) -> transform::EditedSchedule {
        return std::max(from, to) < now.size() ? transform::withMovedStep(program, now, from, to) : now;
    }});
}

void RewriteDocument::setSchedule(const Schedule& schedule)
{
    edit({[schedule](const transform::TensorProgram&, const Schedule&) -> transform::EditedSchedule { return schedule; }});
}

void RewriteDocument::undo()
{
    edit({{}, {}, true});
}

void RewriteDocument::redo()
{
    edit({{}, {}, false});
}

void RewriteDocument::edit(Edit next)
{
    if (!isOpen())
        return;
    m_edits.push_back(std::move(next));
    if (m_edits.size() == 1)
        nextEdit();
}

/// The first edit of those that wait; it stays in the queue until it is done.
void RewriteDocument::nextEdit()
{
    while (!m_edits.empty() && !m_edits.front().change) {
        const bool back = m_edits.front().back;
        m_edits.pop_front();
        stepThroughHistory(back);
    }
    if (m_edits.empty()) {
        // What was refused changes nothing, and its reason stays on show.
        if (std::exchange(m_changed, false))
            work();
        else
            tellSettled();
        return;
    }
    inBackground(
        this,
        [timing = m_timer, now = m_history.current().schedule, change = m_edits.front().change]() -> Result<transform::EditedSchedule> { return change(timing->timer.file().program, now); },
        [this, timing = m_timer](Result<transform::EditedSchedule> answer) {
            if (timing != m_timer || m_edits.empty())
                return; // Another file is open.
            const QString words = m_edits.front().words;
            m_edits.pop_front();
            takeEdit(words, std::move(answer));
            nextEdit();
        });
}

void RewriteDocument::takeEdit(const QString& words, Result<transform::EditedSchedule> answer)
{
    if (!answer) {
        emit failed(answer.error());
        return;
    }
    if (const auto* const refusal = std::get_if<transform::RefusedStep>(&answer.value())) {
        emit refused(texts::shown(transform::refusalError(*refusal).message));
        return;
    }
    if (m_history.visit({std::get<Schedule>(std::move(answer.value()))})) {
        m_changed = true;
        emit undoChanged();
    }
    if (!words.isEmpty())
        emit taken(words);
}

void RewriteDocument::stepThroughHistory(bool back)
{
    if (back ? !canUndo() : !canRedo())
        return;
    if (back)
        m_history.back();
    else
        m_history.forward();
    m_changed = true;
    emit undoChanged();
}

void RewriteDocument::work()
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const int number = ++m_works;
    ++m_working;
    inBackground(
        this,
        [timing = m_timer, schedule = m_history.current().schedule, stop = m_stop.get_token()]() -> Result<Traced> {
            const std::scoped_lock lock(timing->busy);
            auto traced = timing->timer.trace(schedule, stop);
            if (!traced)
                return traced.error();
            return std::make_shared<const transform::TracedSchedule>(std::move(traced).value());
        },
        [this, number](Result<Traced> answer) {
            --m_working;
            if (number != m_works)
                return tellSettled();
            if (answer) {
                m_traced = std::move(answer).value();
                emit shown();
                if (m_traced->refused)
                    leaveOutRefused();
                workOnOffers();
                if (m_part)
                    workOnStep();
            } else {
                emit failed(answer.error());
            }
            tellSettled();
        });
}

/// The schedule of a file may not be legal: what is edited is the part that is.
void RewriteDocument::leaveOutRefused()
{
    m_history.replace({m_traced->schedule});
    if (!canUndo())
        m_saved = transform::scheduleText(m_traced->schedule);
    emit undoChanged();
    emit refused(texts::shown(transform::refusalError(*m_traced->refused).message));
}

void RewriteDocument::workOnOffers()
{
    ++m_working;
    inBackground(
        this,
        [timing = m_timer, traced = m_traced, stop = m_stop.get_token()]() -> Result<Offers> {
            const std::scoped_lock lock(timing->busy);
            auto offers = timing->timer.offers(traced->programs.back().program, stop);
            if (!offers)
                return offers.error();
            return std::make_shared<const std::vector<transform::StepOffer>>(std::move(offers).value());
        },
        [this, number = m_works](Result<Offers> answer) {
            --m_working;
            if (number == m_works) {
                m_offers = answer ? std::move(answer).value() : nullptr;
                emit offersChanged();
            }
            tellSettled();
        });
}

/// The figures of the step before stay until the new ones are there.
void RewriteDocument::workOnStep()
{
    ++m_working;
    inBackground(
        this,
        [timing = m_timer, traced = m_traced, whole = m_part, stop = m_stop.get_token()]() -> Result<transform::StepTimes> {
            transform::Transformed made;
            made.before = traced->programs.front().program;
            made.beforeTimes = traced->programs.front().times;
            made.after = traced->programs.back().program;
            made.afterTimes = traced->programs.back().times;
            made.applied = traced->schedule;
            return transform::simulateStep(*whole->design, whole->kind, whole->part, timing->timer.file().timing, made, stop);
        },
        [this, number = m_works](Result<transform::StepTimes> answer) {
            --m_working;
            if (number == m_works) {
                m_step = answer ? std::optional(answer.value()) : std::nullopt;
                m_stepReason = answer ? QString() : texts::shown(answer.error().message);
                emit stepChanged();
            }
            tellSettled();
        });
}

void RewriteDocument::startSearch()
{
    if (!isOpen() || m_searching)
        return;
    m_searching = true;
    m_stopSearch = std::stop_source();
    m_progress = std::make_shared<Progress>();
    m_clock.start();
    m_poll.start();
    const int number = ++m_searches;
    inBackground(
        this,
        [timing = m_timer, progress = m_progress, stop = m_stopSearch.get_token()] {
            transform::SearchLimits limits;
            limits.keepWhenStopped = true;
            // A copy costs as much as what was found: a few times a second is enough.
            const auto watch = [&progress](const transform::StepSearch& soFar) {
                const auto now = std::chrono::steady_clock::now();
                if (now - progress->told < std::chrono::milliseconds(4 * kSearchPollMs))
                    return;
                progress->told = now;
                auto copy = std::make_shared<const transform::StepSearch>(soFar);
                const std::scoped_lock lock(progress->guard);
                progress->newest = std::move(copy);
            };
            return transform::searchSchedules(timing->timer.file(), stop, limits, watch);
        },
        [this, number](Result<transform::StepSearch> found) { takeSearch(number, std::move(found)); }, m_searchThread);
    emit searched();
}

void RewriteDocument::takeSearch(int number, Result<transform::StepSearch> found)
{
    if (number != m_searches)
        return;
    m_searching = false;
    m_poll.stop();
    m_seconds = static_cast<double>(m_clock.elapsed()) / 1000;
    if (found)
        m_search = std::make_shared<const transform::StepSearch>(std::move(found).value());
    else if (found.error().code != ErrorCode::Cancelled)
        emit failed(found.error());
    emit searched();
}

void RewriteDocument::lookAtSearch()
{
    if (!m_searching || !m_progress)
        return;
    Search newest;
    {
        const std::scoped_lock lock(m_progress->guard);
        newest = std::exchange(m_progress->newest, nullptr);
    }
    m_seconds = static_cast<double>(m_clock.elapsed()) / 1000;
    if (!newest)
        return;
    m_search = std::move(newest);
    emit searched();
}

void RewriteDocument::stopSearch()
{
    m_stopSearch.request_stop();
}

std::string RewriteDocument::textWithSchedule() const
{
    if (!isOpen())
        return {};
    if (transform::scheduleText(m_history.current().schedule) == m_saved || !canTakeSchedule())
        return m_text;
    auto text = transform::withScheduleText(m_text, m_name.toStdString(), m_history.current().schedule);
    return text ? std::move(text).value() : m_text;
}

std::string RewriteDocument::copyText() const
{
    if (!isOpen() || canTakeSchedule())
        return textWithSchedule();
    std::string text = m_text.empty() || m_text.back() == '\n' ? m_text : m_text + '\n';
    const std::string steps = transform::scheduleText(m_history.current().schedule);
    for (std::size_t begin = 0; begin < steps.size();) {
        const std::size_t end = std::min(steps.find('\n', begin), steps.size());
        text.append(kKeptStep).append(steps, begin, end - begin).append("\n");
        begin = end + 1;
    }
    return text;
}

Status RewriteDocument::save(const QString& path)
{
    if (transform::scheduleText(m_history.current().schedule) != m_saved && !canTakeSchedule())
        return Error{ErrorCode::Unsupported, "the schedule of a script is in its own words", {}, "Export schedule, or the steps written into the script"};
    auto text = transform::scheduleText(m_history.current().schedule) != m_saved ? transform::withScheduleText(m_text, m_name.toStdString(), m_history.current().schedule) : Result<std::string>(m_text);
    if (!text)
        return text.error();
    if (Status status = checkSaveTarget(path); !status)
        return status;
    if (Status status = writeOutputFile(QFile::encodeName(path).toStdString(), text.value()); !status)
        return status;
    m_text = std::move(text).value();
    m_saved = transform::scheduleText(m_history.current().schedule);
    m_fileGone = false;
    m_path = QFileInfo(path).absoluteFilePath();
    m_name = QFileInfo(path).fileName();
    emit undoChanged();
    return {};
}

Status RewriteDocument::exportSchedule(const QString& path) const
{
    if (Status status = checkSaveTarget(path); !status)
        return status;
    return writeOutputFile(QFile::encodeName(path).toStdString(), transform::scheduleText(m_history.current().schedule));
}

} // namespace fabricscope
