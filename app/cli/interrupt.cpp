#include "app/cli/interrupt.h"

#include "core/base/error.h"
#include "core/base/outputfiles.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <pthread.h>
#include <string_view>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

/// To stderr, unless nobody takes it: a full pipe must not keep the program from ending.
void tell(std::string_view message)
{
    pollfd stream{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&stream, 1, 0) == 1)
        [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, message.data(), message.size());
}

/// Without a thread of its own (no memory for one): the first signal ends the program.
void endFromHandler(int)
{
    ::_exit(exitCode(ErrorCode::Cancelled));
}

} // namespace

struct Interrupt::State {
    sigset_t signals{};
    std::stop_source source;
    std::shared_ptr<OutputFiles> outputs;
    std::atomic<bool> bestSoFar{false};

    /// Waits for signals for as long as the program runs.
    void run()
    {
        int number = 0;
        while (::sigwait(&signals, &number) != 0) {}
        tell("stopping; a second Ctrl+C ends at once\n");
        source.request_stop();
        waitForSecond();
        if (!outputs->abandon()) // The output is complete: the program is about to end by itself.
            return;
        tell("cancelled\n");
        ::_exit(exitCode(ErrorCode::Cancelled));
    }

    /// Until a second signal comes, or the time is over in which the program should have ended.
    void waitForSecond() const
    {
        constexpr long kTick = 20'000'000; // ns
        constexpr int kTicks = 10;
        constexpr int kTicksForBest = 250;
        const timespec tick{0, kTick};
        for (int i = 0; i < (bestSoFar.load() ? kTicksForBest : kTicks); ++i) {
            while (true) {
                const int number = ::sigtimedwait(&signals, nullptr, &tick);
                if (number > 0)
                    return;
                if (errno != EINTR)
                    break;
            }
        }
    }
};

Interrupt::Interrupt(std::shared_ptr<OutputFiles> outputs)
    : m_state(std::make_shared<State>())
{
    m_state->source = m_source;
    m_state->outputs = std::move(outputs);
    sigset_t& signals = m_state->signals;
    sigemptyset(&signals);
    bool any = false;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current {};
        // A program started in the background ignores Ctrl-C and must go on ignoring it.
        if (::sigaction(number, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) {
            sigaddset(&signals, number);
            any = true;
        }
    }
    // A pipe that nobody reads any more is an output that cannot be written, not the end without a word.
    ::signal(SIGPIPE, SIG_IGN);
    if (!any)
        return;
    // Blocked here, and so in every thread started later; only the thread below takes them.
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    // A small stack: this thread also starts where little memory is allowed.
    constexpr std::size_t kStack = std::size_t{256} << 10;
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    ::pthread_attr_setstacksize(&attributes, kStack);
    auto own = std::make_unique<std::shared_ptr<State>>(m_state);
    pthread_t thread{};
    const auto begin = [](void* argument) -> void* {
        const std::unique_ptr<std::shared_ptr<State>> state(static_cast<std::shared_ptr<State>*>(argument));
        (*state)->run();
        return nullptr;
    };
    const bool started = ::pthread_create(&thread, &attributes, begin, own.get()) == 0;
    ::pthread_attr_destroy(&attributes);
    if (started) {
        [[maybe_unused]] auto* const taken = own.release(); // By the thread.
        return;
    }
    struct sigaction action {};
    action.sa_handler = endFromHandler;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        if (sigismember(&signals, number) == 1)
            ::sigaction(number, &action, nullptr);
    }
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void Interrupt::allowBestSoFar()
{
    m_state->bestSoFar = true;
}

} // namespace fabricscope::cli
