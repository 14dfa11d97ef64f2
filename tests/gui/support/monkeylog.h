#pragma once

#include "core/base/index.h"

#include <QByteArray>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FABRICSCOPE_MONKEY_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FABRICSCOPE_MONKEY_SANITIZED 1
#endif
#ifdef FABRICSCOPE_MONKEY_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

namespace fabricscope::test {

/// The last things done, told on standard error when the program dies, whatever of: a sanitizer, a signal, an assertion. One per process.
class MonkeyLog {
public:
    static void begin(unsigned long long seed)
    {
        std::snprintf(s_seed.data(), s_seed.size(), "%llu", seed);
        s_count = 0;
#ifdef FABRICSCOPE_MONKEY_SANITIZED
        __sanitizer_set_death_callback(tell);
        std::signal(SIGABRT, die); // Which the sanitizers leave alone.
#else
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
            std::signal(signal, die);
#endif
    }

    static void add(const QByteArray& what)
    {
        auto& line = s_lines[static_cast<std::size_t>(s_count) % s_lines.size()];
        std::snprintf(line.data(), line.size(), "%d %s", s_count, what.constData());
        ++s_count;
        if (static const bool all = qEnvironmentVariableIsSet("FABRICSCOPE_MONKEY_VERBOSE"); all)
            std::fprintf(stderr, "%s\n", line.data());
    }

    /// Only what is allowed in a handler of a signal.
    static void tell()
    {
        say("The monkey of FABRICSCOPE_MONKEY_SEED=");
        say(s_seed.data());
        say(" did last:\n");
        const int kept = static_cast<int>(s_lines.size());
        for (int i = std::max(0, s_count - kept); i < s_count; ++i) {
            say("  ");
            say(s_lines[at(i % kept)].data());
            say("\n");
        }
    }

private:
    static void say(const char* text) { static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text))); }
    static void die(int signal)
    {
        tell();
#ifdef FABRICSCOPE_MONKEY_SANITIZED
        __sanitizer_print_stack_trace(); // Not made for a handler, but better than nothing: the program ends anyway.
#endif
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }

    static inline std::array<char, 24> s_seed{};
    static inline std::array<std::array<char, 160>, 60> s_lines{};
    static inline int s_count = 0;
};

/// Ends the program, with what was done last, when the event loop does not come round for `limit`. The one who watches needs nothing of Qt.
class Watchdog {
public:
    explicit Watchdog(std::chrono::seconds limit)
        : m_watched(::pthread_self()), m_thread([this, limit](const std::stop_token& stop) { watch(limit, stop); })
    {
    }
    /// The event loop has come round.
    void beat() { m_beats.fetch_add(1, std::memory_order_relaxed); }

private:
    void watch(std::chrono::seconds limit, const std::stop_token& stop)
    {
        constexpr std::chrono::milliseconds kLook{200};
        long seen = -1;
        std::chrono::milliseconds still{0};
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            const long now = m_beats.load(std::memory_order_relaxed);
            still = now == seen ? still + kLook : std::chrono::milliseconds{0};
            seen = now;
            if (still >= limit) {
                std::fprintf(stderr, "The event loop has stood still for %lld s.\n", static_cast<long long>(limit.count()));
                if (qEnvironmentVariableIsSet("FABRICSCOPE_MONKEY_WAIT")) // For a debugger to look.
                    ::pause();
                ::pthread_kill(m_watched, SIGABRT); // Where the thread stands, so that a debugger or a sanitizer shows it.
                return;
            }
            wake.wait_for(lock, stop, kLook, [] { return false; }); // Or until it is told to stop.
        }
    }

    pthread_t m_watched;
    std::atomic<long> m_beats{0};
    std::jthread m_thread;
};

} // namespace fabricscope::test
