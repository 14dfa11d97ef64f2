#pragma once

#include "core/insight/designset.h"
#include "core/run/rundesign.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/compare/keptset.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// A run with the name it is compared under.
struct NamedRun {
    QString name;
    RunResultPtr run; ///< Never null.
};

/// Reads, runs and compares designs on threads of its own. Files wait for those before them; of comparisons the newest counts, older ones are stopped.
class ComparisonRunner : public QObject
{
    Q_OBJECT
public:
    explicit ComparisonRunner(QObject* parent = nullptr);
    ~ComparisonRunner() override; ///< Stops all of it and waits for its end.

    /// Runs designs of files, each as a file of its own (design, or inputs of other programs); answers by ran() for each that could be run, failed() for
    /// the others, in their order. Files of an earlier call come first.
    void runFiles(const QStringList& paths);
    /// The same for designs of files and texts.
    void runDesigns(const std::vector<DesignSource>& designs);
    /// Those that are not answered yet.
    const std::vector<DesignSource>& waitingDesigns() const { return m_waiting; }
    std::size_t waiting() const { return m_waiting.size(); }
    /// Columns and waterfalls; answers by compared(). \pre 2 to DesignSet::kMost runs
    void compare(const std::vector<NamedRun>& runs, std::size_t baseline, const WaterfallChoice& choice = {});
    /// What is being compared is not wanted any more.
    void dropComparison();
    /// Stops all of it; nothing is answered any more.
    void cancel();
    bool isBusy() const { return !m_waiting.empty() || m_comparing; }
    /// Until all that was begun has ended, stopped or not; its answers are still to be delivered.
    void waitForThreads() { m_threads.waitForDone(); }

signals:
    void ran(const fabricscope::NamedRun& run, const fabricscope::DesignSource& source);
    /// Without a name: the comparison.
    void failed(const QString& name, const fabricscope::Error& error, const fabricscope::DesignSource& source);
    void compared(std::shared_ptr<const fabricscope::DesignSet> set);
    /// Runs of the waterfalls that are done; `of` 0: not known yet.
    void progressed(int done, int of);
    void busyChanged(bool busy);

private:
    struct Counts;

    void runNext();
    void poll();

    std::stop_source m_stopFiles;
    std::stop_source m_stopComparison;
    std::shared_ptr<Counts> m_counts; ///< Of the newest comparison.
    QTimer m_poll;
    int m_fileNumber = 0;
    int m_number = 0;
    std::vector<DesignSource> m_waiting; ///< The first of them runs.
    bool m_running = false;              ///< Somebody goes on with what is waiting.
    bool m_comparing = false;
    BackgroundThreads m_threads{2};   ///< A file runs while those before it are compared.
};

} // namespace fabricscope

Q_DECLARE_METATYPE(fabricscope::NamedRun)
Q_DECLARE_METATYPE(fabricscope::DesignSource)
