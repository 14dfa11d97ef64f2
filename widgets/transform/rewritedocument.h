#pragma once

#include "core/base/result.h"
#include "core/transform/partinstep.h"
#include "core/transform/scheduleedits.h"
#include "core/transform/stepsearch.h"
#include "core/transform/timedschedule.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/base/history.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Does the file have a section `transform`, or is it a script of such a program, so that it is no design? Reads its beginning.
bool isTransformFile(const QString& path);

/// A file of `transform` and the schedule that somebody makes for it. Everything slow is done on other threads, edits one after the other; what is shown is always the last
/// that was worked out.
class RewriteDocument : public QObject
{
    Q_OBJECT
public:
    using Schedule = transform::Schedule;
    using Traced = std::shared_ptr<const transform::TracedSchedule>;
    using Search = std::shared_ptr<const transform::StepSearch>;
    using Offers = std::shared_ptr<const std::vector<transform::StepOffer>>;

    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

    explicit RewriteDocument(QObject* parent = nullptr);
    ~RewriteDocument() override;

    /// Reads a file, or a text with the name it would have. opened() or failed() follow, then shown().
    void open(const QString& path);
    void openText(const std::string& text, const QString& name);
    /// A text of copyText(), of the file `path` (empty: none). Where that can still be read, the kept steps are an edit of what it says.
    void openCopy(const std::string& text, const QString& path, const QString& name);
    /// A part of the step of a design (manual: transform 2.2): a program without a file, whose step is simulated after each change.
    void openPart(std::shared_ptr<const Design> design, transform::ModelPart kind);
    bool isOpen() const { return m_timer != nullptr; }
    const QString& path() const { return m_path; }
    /// The bytes its file had when it was read or written here; null: it has no file.
    const std::string* knownBytes() const { return isOpen() && !m_path.isEmpty() ? &m_text : nullptr; }
    QString displayName() const { return m_name; }
    /// The schedule of a script is in its own words: it can be exported only.
    bool canTakeSchedule() const { return isOpen() && !m_name.endsWith(QStringLiteral(".lua")); }
    bool isModified() const { return isOpen() && (m_fileGone || transform::scheduleText(m_history.current().schedule) != m_saved); }
    /// The file is no more: what is here is in no file, whatever the schedule is.
    void forgetFile();

    /// One undo step each: refused() says why it is not, and nothing changes. taken() tells that words were.
    void apply(const transform::ScheduleStep& step);
    void applyText(const QString& words);
    void removeStep(std::size_t step);
    void moveStep(std::size_t from, std::size_t to);
    void setSchedule(const Schedule& schedule);
    bool canUndo() const { return m_history.canBack(); }
    bool canRedo() const { return m_history.canForward(); }
    /// Behind the edits that wait.
    void undo();
    void redo();

    /// Null: nothing was worked out yet.
    const Traced& traced() const { return m_traced; }
    const Offers& offers() const { return m_offers; }
    const transform::TransformFile* file() const { return m_timer ? &m_timer->timer.file() : nullptr; }
    /// Of a part of a step: the step with it; absent: not known yet, or stepReason() says why it is not simulated.
    bool isPart() const { return m_part != nullptr; }
    const std::optional<transform::StepTimes>& stepTimes() const { return m_step; }
    const QString& stepReason() const { return m_stepReason; }
    /// Nothing is worked on but a search.
    bool isSettled() const { return m_edits.empty() && m_working == 0 && !m_reading; }

    /// Looks for the fastest schedule; searched() follows again and again, finished when isSearching() is false.
    void startSearch();
    /// Keeps what was found.
    void stopSearch();
    bool isSearching() const { return m_searching; }
    const Search& search() const { return m_search; }
    double searchSeconds() const { return m_seconds; }

    /// The text of the file with the schedule. Empty: nothing is open.
    std::string textWithSchedule() const;
    /// The same for a copy that is read again by openCopy(): a script has the steps behind it, as remarks.
    std::string copyText() const;
    Status save(const QString& path);
    /// The schedule alone, for `--apply`.
    Status exportSchedule(const QString& path) const;

signals:
    void opened();
    void shown();          ///< traced() is new.
    void offersChanged();
    void stepChanged();    ///< stepTimes() or stepReason().
    void searched();
    void undoChanged();    ///< And whether it is modified, and its name.
    void refused(const QString& why);
    void taken(const QString& words); ///< Of applyText().
    void failed(const fabricscope::Error& error);
    void settled();

private:
    /// Of one file; used by one job at a time.
    struct Timing {
        explicit Timing(transform::TransformFile file) : timer(std::move(file)) {}
        std::mutex busy;
        transform::ScheduleTimer timer;
    };
    /// Schedules are the same where their words are.
    struct Version {
        Schedule schedule;
        friend bool operator==(const Version& a, const Version& b) { return transform::scheduleText(a.schedule) == transform::scheduleText(b.schedule); }
    };
    using Change = std::function<transform::EditedSchedule(const transform::TensorProgram&, const Schedule&)>;
    /// What waits for its turn; without a change: a step through the history, back or forward.
    struct Edit {
        Change change;
        QString words = {}; ///< That it was typed as.
        bool back = false;
    };
    /// What a search has found so far, handed from its thread.
    struct Progress {
        std::mutex guard;
        std::shared_ptr<const transform::StepSearch> newest;
        std::chrono::steady_clock::time_point told;
    };

    /// The step that the program is a part of.
    struct WholeStep {
        std::shared_ptr<const Design> design;
        transform::ModelPart kind = transform::ModelPart::Optimizer;
        transform::PartOfStep part;
    };
    /// What was read, and steps that were taken of it.
    struct Source {
        std::string text;
        std::optional<Schedule> steps = {};
        bool fileGone = false;
        std::shared_ptr<const WholeStep> whole = {};
    };
    void read(std::function<Result<Source>()> source, const QString& path, const QString& name);
    void edit(Edit next);
    void nextEdit();
    void takeEdit(const QString& words, Result<transform::EditedSchedule> answer);
    void stepThroughHistory(bool back);
    void work();
    void leaveOutRefused();
    void workOnOffers();
    void workOnStep();
    void tellSettled();
    void takeSearch(int number, Result<transform::StepSearch> found);
    void lookAtSearch();

    std::shared_ptr<Timing> m_timer;
    std::string m_text;
    QString m_path;
    QString m_name;
    std::string m_saved; ///< The schedule in the file.
    bool m_fileGone = false;
    std::shared_ptr<const WholeStep> m_part;
    std::optional<transform::StepTimes> m_step;
    QString m_stepReason;
    History<Version> m_history;
    std::deque<Edit> m_edits;
    bool m_changed = false; ///< By the edits so far: to be worked out behind the last one.
    Traced m_traced;
    Offers m_offers;
    Search m_search;
    double m_seconds = 0;
    bool m_searching = false;
    bool m_reading = false;
    int m_working = 0;
    int m_reads = 0;
    int m_works = 0;    ///< Number of the newest question; older answers are not taken.
    int m_searches = 0;
    std::stop_source m_stop;
    std::stop_source m_stopSearch;
    QTimer m_poll;
    std::shared_ptr<Progress> m_progress;
    QElapsedTimer m_clock;
    BackgroundThreads m_searchThread{1}; ///< Last: it ends first, and waits.
};

} // namespace fabricscope
