#include "core/synthesis/plansearch.h"

#include "core/base/decimal.h"
#include "core/base/workers.h"
#include "core/synthesis/relay.h"
#include "core/synthesis/spread.h"
#include "core/synthesis/spreadsymmetric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace fabricscope {

namespace {

/// Work (transfers) that the attempts of one try may do together; each try makes at least one attempt.
constexpr std::int64_t kWorkPerTry = 2'000'000;
constexpr std::int64_t kMostAttempts = 48;

std::int32_t attemptsFor(std::int64_t transfers)
{
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(kWorkPerTry / std::max<std::int64_t>(1, transfers), 1, kMostAttempts));
}

std::optional<Halt::Clock::time_point> deadlineOf(double seconds)
{
    if (!(seconds > 0))
        return std::nullopt;
    return Halt::Clock::now() + std::chrono::microseconds(std::llround(std::min(seconds, 1e9) * 1e6));
}

std::string textOf(std::int64_t ps)
{
    return fixedDecimal((ps + 5'000) / 10'000, 2) + " us";
}

using Cutoff = std::atomic<std::int64_t>;
/// Between the seeds of the attempts of a try.
constexpr std::uint64_t kAttemptStride = 0x51ED2701;

/// A plan of all ranks with what is known of it.
template <typename Best>
Result<FoundPlan> finished(Result<Best> found, std::int64_t boundPs)
{
    if (!found)
        return std::move(found).error();
    return FoundPlan{std::move(found.value().plan), boundPs, found.value().seed, found.value().cutShort};
}

} // namespace

PlanSearch::PlanSearch(const SynthesisOptions& options)
    : m_options(options)
    , m_halt(options.stop, deadlineOf(options.timeLimitSeconds))
{
}

void PlanSearch::report(double share, std::int64_t finishPs)
{
    if (!m_options.progress)
        return;
    SynthesisProgress progress;
    progress.share = std::min(1.0, (m_phase + share) / m_phases);
    if (finishPs != std::numeric_limits<std::int64_t>::max())
        progress.best = textOf(finishPs);
    m_options.progress(progress);
}

template <typename Plan, typename Attempt>
Result<PlanSearch::Best<Plan>> PlanSearch::best(std::int64_t boundPs, std::int32_t attempts, const Attempt& attempt)
{
    const std::int64_t jobs = std::int64_t{std::max(1, m_options.tries)} * attempts;
    std::atomic<std::int64_t> cutoffPs{std::numeric_limits<std::int64_t>::max()};
    std::atomic<bool> halted{false};
    std::mutex mutex;
    std::int64_t done = 0;
    std::int64_t bestJob = -1;
    Best<Plan> found;
    forEachItem(static_cast<std::size_t>(jobs), m_options.threads, [&](std::size_t item) {
        if (m_halt.now()) {
            halted = true;
            return false;
        }
        const auto job = static_cast<std::int64_t>(item);
        const std::uint64_t seed = m_options.seed + static_cast<std::uint64_t>(job / attempts);
        const auto number = static_cast<std::uint32_t>(job % attempts);
        std::optional<Plan> plan = attempt(seed, number, cutoffPs);
        const std::lock_guard lock(mutex);
        ++done;
        if (plan) {
            const bool better = bestJob < 0 || plan->finishPs < found.plan.finishPs || (plan->finishPs == found.plan.finishPs && job < bestJob);
            if (better) {
                found.plan = std::move(*plan);
                found.seed = seed;
                bestJob = job;
                cutoffPs = found.plan.finishPs;
            }
        } else if (m_halt.now()) {
            halted = true;
        }
        report(static_cast<double>(done) / static_cast<double>(jobs), cutoffPs.load());
        // Later jobs than one that met the bound cannot win: those of lower number have begun, and are let finish.
        return cutoffPs.load() > boundPs;
    });
    if (bestJob < 0)
        return Error{ErrorCode::Cancelled, "stopped before any schedule was found", {}, {}};
    found.cutShort = halted;
    ++m_phase;
    report(0, found.plan.finishPs);
    return found;
}

Result<FoundPlan> PlanSearch::spread(const SpreadTask& task)
{
    const std::int32_t ranks = task.graph->ranks;
    const bool everywhere = task.home.front() != task.home.back();
    const std::optional<Translations> translations = everywhere ? findTranslations(*task.graph) : std::nullopt;
    const std::int64_t bound = spreadBound(task, translations ? &*translations : nullptr);
    const auto items = static_cast<std::int64_t>(task.home.size());
    if (!translations) {
        m_note = "matched link by link";
        return finished(best<TransferPlan>(bound, attemptsFor(items * ranks), [&](std::uint64_t seed, std::uint32_t attempt, const Cutoff& cutoffPs) {
            return planSpread(task, seed + kAttemptStride * attempt, attempt, cutoffPs, m_halt);
        }), bound);
    }
    m_note = "one schedule for all ranks, moved along the coordinates";
    const auto chunks = static_cast<std::int32_t>(items / ranks);
    auto found = best<SymmetricPlan>(bound, attemptsFor(items), [&](std::uint64_t seed, std::uint32_t attempt, const Cutoff& cutoffPs) {
        return planSymmetric(*translations, task.timePs, chunks, seed + kAttemptStride * attempt, attempt, cutoffPs, m_halt);
    });
    if (!found)
        return std::move(found).error();
    return FoundPlan{expand(found.value().plan, *translations, chunks), bound, found.value().seed, found.value().cutShort};
}

Result<FoundPlan> PlanSearch::allToAll(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs)
{
    m_note = "ways balanced over the links, farthest first";
    const std::int64_t bound = allToAllBound(graph, timePs, m_options.chunks);
    const std::int64_t items = std::int64_t{graph.ranks} * graph.ranks * m_options.chunks;
    const std::int32_t attempts = std::min(8, attemptsFor(16 * items));
    return finished(best<TransferPlan>(bound, attempts, [&](std::uint64_t seed, std::uint32_t attempt, const Cutoff& cutoffPs) {
        return planAllToAll(graph, timePs, m_options.chunks, seed + kAttemptStride * attempt, cutoffPs, m_halt);
    }), bound);
}

} // namespace fabricscope
