#pragma once

#include "core/study/spacerun.h"
#include "widgets/base/searchrunner.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace fabricscope {

/// A study that is open.
struct VariedStudy {
    StudySpec space;
    QString file;
    QString store; ///< Where `study run` keeps its designs too.
    std::optional<double> errorPct{}; ///< How far off times of the design that is varied are; nothing: nobody measured.
};
using VariedStudyPtr = std::shared_ptr<const VariedStudy>;
using StudyTablePtr = std::shared_ptr<const StudyTable>;

/// How far a run of a study is.
struct VariantMoment {
    std::int64_t looked = 0; ///< Designs that were found or have run.
    std::int64_t ran = 0;
    std::int64_t of = 0;
    double seconds = 0;      ///< Since it began.
    /// That are left, at the rate so far; 0: not known yet.
    double secondsLeft() const;
    double rate() const { return seconds > 0 ? static_cast<double>(ran) / seconds : 0; }
};

/// Is it a study, by its first bytes?
bool isStudyFile(const QString& path);

/// Reads studies and runs their designs beside the window. What is done is kept as by the command, also where it is stopped; a design that is kept does not run again.
class VariantRunner : public SearchRunner
{
    Q_OBJECT
public:
    /// `version`: of the program, part of what a design is known by: as the command has it.
    explicit VariantRunner(std::string version, QObject* parent = nullptr);
    ~VariantRunner() override;

    /// What runs is stopped first. Answers by opened() and estimated(), or failed().
    void open(const QString& file);
    /// Answers by tableChanged() from time to time and at its end, and ended(). \pre study()
    void run(int threads);
    /// Null: none is open.
    const VariedStudyPtr& study() const { return m_study; }
    /// Null: none is open. All designs, as far as they are known.
    const StudyTablePtr& table() const { return m_table; }
    bool isRunning() const { return m_running; }
    /// Some designs are kept, and not all.
    bool isBegun() const;
    /// Of a design on one thread; 0: not known.
    double secondsEach() const { return m_secondsEach; }
    /// Nothing is under way or wanted.
    bool isSettled() const { return !isBusy() && !m_next; }

    /// The most designs that the window shows.
    static constexpr std::int64_t kMostShown = 200'000;

signals:
    void opened();
    void tableChanged();
    void estimated();
    void progressed(const fabricscope::VariantMoment& moment);
    /// A run is over; `stopped`: before all had run.
    void ended(bool stopped);
    /// isRunning() or isSettled() is another.
    void stateChanged();

private:
    struct Between;
    void goOn();
    void startOpening(const QString& file);
    void startRun(int threads);
    void poll() override;
    void take(bool last);

    std::string m_version;
    std::shared_ptr<Between> m_between;
    VariedStudyPtr m_study;
    StudyTablePtr m_table;
    std::function<void()> m_next; ///< What begins once what is under way has ended.
    double m_secondsEach = 0;
    qint64 m_shownAt = 0;
    bool m_running = false;
};

} // namespace fabricscope
