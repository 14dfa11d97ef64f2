#pragma once

#include <QObject>

#include <functional>

class QSocketNotifier;

namespace fabricscope {

/// The end of the program from outside: SIGTERM, SIGHUP, SIGINT, the end of the desktop session, a display that goes away. What is not saved
/// is kept for the next start at once, and nothing is asked. A second signal ends the program whatever it does; a signal that the parent
/// ignores (nohup) stays ignored. At most one at a time.
class EndRequests : public QObject
{
    Q_OBJECT
public:
    /// Of a program that a signal has ended: cancelled.
    static constexpr int kExitCode = 4;

    /// `keep`: writes what is not saved; called on the thread of the window, possibly more than once.
    explicit EndRequests(std::function<void()> keep, QObject* parent = nullptr);
    ~EndRequests() override;

private:
    std::function<void()> m_keep;
    QSocketNotifier* m_notifier = nullptr;
};

} // namespace fabricscope
