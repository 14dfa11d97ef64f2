#include "app/cli/interrupt.h"

#include "core/base/error.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

std::atomic<int> stoppable{0};

void endAtOnce()
{
    constexpr std::string_view kMessage = "cancelled\n";
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(exitCode(ErrorCode::Cancelled));
}

} // namespace

Interrupt::Interrupt()
{
    sigset_t signals;
    sigemptyset(&signals);
    bool any = false;
    for (const int number : {SIGINT, SIGTERM}) {
        struct sigaction current {};
        // A program started in the background ignores Ctrl-C and must go on ignoring it.
        if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
            sigaddset(&signals, number);
            any = true;
        }
    }
    if (!any)
        return;
    // Blocked here, and so in every thread started later; only the thread below takes them.
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([signals, source = m_source]() mutable {
        for (int number = 0;;) {
            if (::sigwait(&signals, &number) != 0)
                return;
            if (stoppable.load() == 0 || !source.request_stop())
                endAtOnce();
        }
    }).detach();
}

Interrupt::Stoppable::Stoppable()
{
    ++stoppable;
}

Interrupt::Stoppable::~Stoppable()
{
    --stoppable;
}

} // namespace fabricscope::cli
