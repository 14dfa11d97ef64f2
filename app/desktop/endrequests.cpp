#include "app/desktop/endrequests.h"

#include <QGuiApplication>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace fabricscope {

namespace {

constexpr std::array kSignals{SIGTERM, SIGHUP, SIGINT};

// A handler of a signal, and one of exit(), reach nothing but what is global.
int requestPipe[2] = {-1, -1};
const std::function<void()>* keepAtExit = nullptr;

/// Only what is allowed in a handler: the thread of the window does the rest.
void requestEnd(int)
{
    const int error = errno;
    const char byte = 1;
    static_cast<void>(!::write(requestPipe[1], &byte, 1));
    errno = error;
}

/// Qt calls exit() when the display goes away.
void keepWhatIsThere()
{
    if (const auto* keep = keepAtExit) {
        keepAtExit = nullptr;
        (*keep)();
    }
}

} // namespace

EndRequests::EndRequests(std::function<void()> keep, QObject* parent) : QObject(parent), m_keep(std::move(keep))
{
    Q_ASSERT(!keepAtExit);
    keepAtExit = &m_keep;
    static const bool registered = std::atexit(keepWhatIsThere) == 0;
    Q_UNUSED(registered);
    connect(qGuiApp, &QGuiApplication::commitDataRequest, this, [this] { m_keep(); });
    connect(qGuiApp, &QGuiApplication::saveStateRequest, this, [this] { m_keep(); });
    if (::pipe2(requestPipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_notifier = new QSocketNotifier(requestPipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        m_notifier->setEnabled(false);
        m_keep();
        QCoreApplication::exit(kExitCode);
    });
    for (const int signal : kSignals) {
        struct sigaction old {};
        if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN)
            continue;
        struct sigaction action {};
        action.sa_handler = requestEnd;
        action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND); // The second sets the sign.
        ::sigaction(signal, &action, nullptr);
    }
}

EndRequests::~EndRequests()
{
    keepAtExit = nullptr;
    if (!m_notifier)
        return;
    for (const int signal : kSignals) {
        struct sigaction old {};
        if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == requestEnd)
            std::signal(signal, SIG_DFL);
    }
    delete m_notifier;
    for (int& end : requestPipe) {
        ::close(end);
        end = -1;
    }
}

} // namespace fabricscope
