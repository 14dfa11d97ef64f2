#pragma once

// Every phase hears a stop at every moment: the stop is requested at the k-th allocation of the work, for many k, and what is allocated
// from there on is counted. So the amount of work after a stop is measured without a clock, and without the help of the work itself.
#include "core/base/result.h"
#include "tests/unit/support/allocations.h"
#include "tests/unit/support/sanitized.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <stop_token>
#include <string>

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> stopAt{-1};
std::stop_source* toStop = nullptr;

void onAllocation(std::size_t)
{
    if (!counting.load(std::memory_order_relaxed))
        return;
    if (++allocations == stopAt.load(std::memory_order_relaxed))
        toStop->request_stop(); // Allocates nothing.
}

using namespace fabricscope;

/// True: it ended as stopped. False: it was done.
using Work = std::function<bool(const std::stop_token&)>;

template <typename T>
bool wasStopped(const Result<T>& result)
{
    if (!result && result.error().code != ErrorCode::Cancelled)
        qFatal("%s", result.error().text().c_str());
    return !result;
}

struct Outcome {
    bool stopped = false;
    std::int64_t all = 0;   ///< Allocations of the work.
    std::int64_t after = 0; ///< Of these, from the stop on.
};

/// `at`: the allocation at which the stop is requested; -1: never.
Outcome run(const Work& work, std::int64_t at)
{
    std::stop_source source;
    toStop = &source;
    allocations = 0;
    stopAt = at;
    counting = true;
    const bool stopped = work(source.get_token());
    counting = false;
    toStop = nullptr;
    const std::int64_t all = allocations;
    return {stopped, all, at < 0 ? 0 : all - at};
}

/// An allocation takes about 100 ns with what is done around it: some 15 ms, far below the 0.2 s a program has to end.
constexpr std::int64_t kMostAfter = 150'000;
constexpr int kMoments = 8;

/// Under a sanitizer the first and the middle one: how much is done after a stop is counted in the optimised stage, what is left behind shows at any.
inline int moments()
{
    return test::kSanitized && !std::getenv("FABRICSCOPE_LONG") ? 1 : kMoments;
}

/// After a stop at most `mostAfter` allocations; the work has at least `least`.
[[maybe_unused]] void checkEveryMoment(const Work& work, bool finishesWhatIsFound = false, std::int64_t mostAfter = kMostAfter, std::int64_t least = 0)
{
    const Outcome whole = run(work, -1);
    QVERIFY(!whole.stopped);
    QVERIFY2(whole.all > kMoments, "this work is too little to be stopped");
    QVERIFY2(whole.all >= least, (std::to_string(whole.all) + " allocations are too few to tell").c_str());
    std::int64_t most = 0;
    for (int k = 0, count = moments(); k <= count; ++k) {
        const std::int64_t at = std::max<std::int64_t>(1, whole.all * k / (count + 1));
        const Outcome outcome = run(work, at);
        most = std::max(most, outcome.after);
        const std::string where = "stopped at allocation " + std::to_string(at) + " of " + std::to_string(whole.all) + ": " + std::to_string(outcome.after)
                                  + " more" + (outcome.stopped ? "" : ", and it went on to its end");
        QVERIFY2(outcome.after <= mostAfter, where.c_str());
        // Near its end the work may be done before it looks again.
        QVERIFY2(outcome.stopped || finishesWhatIsFound || whole.all - at <= mostAfter, where.c_str());
    }
    qInfo("%lld allocations, at most %lld after a stop", static_cast<long long>(whole.all), static_cast<long long>(most));
}

/// The same of work that is several times as large, so that not to hear a stop would show.
[[maybe_unused]] void checkHeardWithin(std::int64_t mostAfter, const Work& work)
{
    checkEveryMoment(work, false, mostAfter, 4 * mostAfter);
}

} // namespace
