#pragma once

#include "app/desktop/macro/actionlog.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace fabricscope {

class Desk;

/// Does again what a log says, step by step, each when the window has come to rest after the one before.
class LogPlayer : public QObject
{
    Q_OBJECT
public:
    /// `isAtRest`: does the window have all that the last step asked for?
    LogPlayer(Desk& desk, std::function<bool()> isAtRest, QObject* parent);

    bool isPlaying() const { return m_isPlaying; }
    /// The answer is ended(), or failed() at the step that cannot be done; neither after cancel(). \pre !isPlaying()
    void start(ActionLog log);
    void cancel();

signals:
    /// Steps that are done.
    void stepped(int done, int all);
    void ended();
    void failed(const fabricscope::Error& error);

private:
    void goOn();
    Status doStep(const ActionStep& step);
    Status doCommand(const ActionStep& step);
    Status replaceText(const ActionStep& step);

    Desk& m_desk;
    std::function<bool()> m_isAtRest;
    ActionLog m_log;
    std::size_t m_next = 0;
    bool m_isPlaying = false;
    QTimer m_wait;
};

} // namespace fabricscope
