#include "app/cli/interrupt.h"

#include "core/base/error.h"
#include "core/base/files/outputfiles.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace fabricscope::cli {

namespace {

/// To stderr, unless nobody takes it: a full pipe must not keep the program from ending.
void tell(std::string_view message, int file = STDERR_FILENO)
{
    pollfd stream{file, POLLOUT, 0};
    if (::poll(&stream, 1, 0) == 1)
        [[maybe_unused]] const ssize_t ignored = ::write(file, message.data(), message.size());
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
    enum class Answer { None, OfProgram, OfEnd };
    std::atomic<Answer> answer{Answer::None}; ///< Whose stands on standard output.
    std::string farewell;                     ///< Of the end; read only once `hasFarewell`.
    std::atomic<bool> hasFarewell{false};
    std::atomic<bool> complete{false}; ///< The files have their names: the program is about to end by itself.

    /// Waits for signals for as long as the program runs. Touches no disk: one that does not answer keeps whoever asks it.
    static void wait(const std::shared_ptr<State>& state)
    {
        int number = 0;
        while (::sigwait(&state->signals, &number) != 0) {}
        tell("stopping; a second Ctrl+C ends at once\n");
        state->source.request_stop();
        const bool second = state->signalWithin(state->bestSoFar.load() ? kTicksForBest : kTicks);
        if (!startThread(state, removeFiles))
            removeFiles(state);
        if (!second) {
            while (::sigwait(&state->signals, &number) != 0) {}
        }
        // Nothing but a disk keeps the other threads from ending the program now; it is given a moment to remove the temporary files.
        pause(kTicks);
        if (state->complete.load()) {
            tell("the output files are complete; whether they have reached the disk is not known\n");
            ::_exit(exitCode(ErrorCode::NotWritable));
        }
        state->sayFarewell();
        tell("cancelled; temporary files may be left\n");
        ::_exit(exitCode(ErrorCode::Cancelled));
    }

    static void removeFiles(const std::shared_ptr<State>& state)
    {
        if (state->outputs->abandon()) {
            state->sayFarewell();
            tell("cancelled\n");
            ::_exit(exitCode(ErrorCode::Cancelled));
        }
        state->complete = true;
    }

    /// A thread with a small stack: it also starts where little memory is allowed. False: not even there.
    static bool startThread(const std::shared_ptr<State>& state, void (*work)(const std::shared_ptr<State>&))
    {
        struct Job {
            std::shared_ptr<State> state;
            void (*work)(const std::shared_ptr<State>&);
        };
        constexpr std::size_t kStack = std::size_t{256} << 10;
        std::unique_ptr<Job> job(new (std::nothrow) Job{state, work});
        if (!job)
            return false;
        pthread_attr_t attributes;
        ::pthread_attr_init(&attributes);
        ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        ::pthread_attr_setstacksize(&attributes, kStack);
        pthread_t thread{};
        const auto begin = [](void* argument) -> void* {
            const std::unique_ptr<Job> own(static_cast<Job*>(argument));
            own->work(own->state);
            return nullptr;
        };
        const bool started = ::pthread_create(&thread, &attributes, begin, job.get()) == 0;
        ::pthread_attr_destroy(&attributes);
        if (started)
            [[maybe_unused]] auto* const taken = job.release(); // By the thread.
        return started;
    }

private:
    static constexpr long kTick = 20'000'000; // ns
    static constexpr int kTicks = 10;
    static constexpr int kTicksForBest = 250;

    void sayFarewell()
    {
        Answer none = Answer::None;
        if (hasFarewell && answer.compare_exchange_strong(none, Answer::OfEnd))
            tell(farewell, STDOUT_FILENO);
    }

    /// False: the time is over in which the program should have ended.
    bool signalWithin(int ticks) const
    {
        const timespec tick{0, kTick};
        for (int i = 0; i < ticks; ++i) {
            while (true) {
                const int number = ::sigtimedwait(&signals, nullptr, &tick);
                if (number > 0)
                    return true;
                if (errno != EINTR)
                    break;
            }
        }
        return false;
    }

    static void pause(int ticks)
    {
        const timespec tick{0, kTick};
        for (int i = 0; i < ticks; ++i)
            ::nanosleep(&tick, nullptr);
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
    if (State::startThread(m_state, State::wait))
        return;
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

void Interrupt::answerWith(std::string text)
{
    if (m_state->hasFarewell)
        return; // Somebody may be reading it.
    m_state->farewell = std::move(text);
    m_state->hasFarewell = true;
}

bool Interrupt::takeAnswer()
{
    State::Answer none = State::Answer::None;
    return m_state->answer.compare_exchange_strong(none, State::Answer::OfProgram) || none == State::Answer::OfProgram;
}

} // namespace fabricscope::cli
