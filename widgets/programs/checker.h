#pragma once

#include "core/step/replaychecks.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <memory>
#include <stop_token>

namespace fabricscope {

using CheckedProgramPtr = std::shared_ptr<const CheckedProgram>;

/// Checks the text of a program on a worker thread, a moment after the last change; a newer text stops the check of an older one, whose
/// answer is dropped.
class ProgramChecker : public QObject
{
    Q_OBJECT
public:
    static constexpr int kPauseMs = 200;
    static constexpr int kSlowMs = 500;
    static constexpr int kPollMs = 100;

    explicit ProgramChecker(QObject* parent = nullptr);
    ~ProgramChecker() override;

    /// Checks this text after the pause.
    void setText(const QString& text, const QString& name);
    /// Checks now what was set last.
    void checkNow();
    /// Gives up what goes on; stopped() follows.
    void cancel();
    bool isBusy() const { return m_pause.isActive() || m_running; }

signals:
    void started();
    /// It has been going on for half a second.
    void slow();
    /// How far a slow check is, 0..1; ten times a second.
    void progressed(double share);
    void checked(const fabricscope::CheckedProgramPtr& program);
    void stopped();

private:
    QString m_text;
    QString m_name;
    QTimer m_pause;
    QTimer m_slow;
    QTimer m_poll;
    std::shared_ptr<std::atomic<double>> m_share;
    std::stop_source m_stop;
    qint64 m_number = 0;
    bool m_running = false;
};

} // namespace fabricscope
