#include "core/synthesis/exact.h"
#include "core/synthesis/exactproblem.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace fabricscope {

namespace {

using Clock = std::chrono::steady_clock;

/// rounds / chunks compared without rounding.
bool better(std::int64_t rounds, std::int64_t chunks, std::int64_t otherRounds, std::int64_t otherChunks)
{
    return rounds * otherChunks < otherRounds * chunks;
}

struct Candidate {
    std::int32_t rounds = 1;
    std::int32_t chunks = 1;
};

/// Questions for one number of steps, most rewarding first: from the fewest rounds single ranks allow to a little more than needed by all.
std::vector<Candidate> candidates(const std::vector<std::int32_t>& fewestRounds, std::int32_t steps, const std::optional<StepsRoundsChunks>& known)
{
    std::vector<Candidate> out;
    for (std::size_t i = 0; i < fewestRounds.size(); ++i) {
        const auto chunks = static_cast<std::int32_t>(i) + 1;
        const std::int32_t least = std::max(steps, fewestRounds[i]);
        for (std::int32_t rounds = least; rounds <= 2 * least + steps; ++rounds) {
            if (!known || better(rounds, chunks, known->rounds, known->chunks))
                out.push_back({rounds, chunks});
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return better(a.rounds, a.chunks, b.rounds, b.chunks); });
    return out;
}

} // namespace

std::vector<ParetoPoint> paretoSchedules(const SynthesisGraph& graph, CollectiveOp op, std::int32_t root, std::int32_t mostSteps, std::int32_t mostChunks,
                                         const ExactLimits& limits)
{
    const auto begin = Clock::now();
    std::vector<std::int32_t> fewestRounds;
    std::int32_t fewestSteps = 1;
    for (std::int32_t chunks = 1; chunks <= mostChunks; ++chunks) {
        const ExactProblem problem(graph, op, root, chunks);
        fewestRounds.push_back(problem.fewestRounds());
        fewestSteps = problem.fewestSteps();
    }
    std::vector<ParetoPoint> out;
    std::optional<StepsRoundsChunks> known;
    for (std::int32_t steps = fewestSteps; steps <= mostSteps; ++steps) {
        bool proven = true;
        bool anything = false;
        for (const Candidate& candidate : candidates(fewestRounds, steps, known)) {
            ExactLimits left = limits;
            if (limits.seconds > 0) {
                left.seconds = limits.seconds - std::chrono::duration<double>(Clock::now() - begin).count();
                if (left.seconds <= 0)
                    return out;
            }
            if (limits.stop.stop_requested())
                return out;
            anything = true;
            const StepsRoundsChunks question{steps, candidate.rounds, candidate.chunks};
            ExactSchedule schedule = exactSchedule(graph, op, root, question, left);
            if (schedule.feasible == Feasible::Yes) {
                out.push_back({question, std::move(schedule), proven});
                known = question;
                break;
            }
            proven = proven && schedule.feasible == Feasible::No;
        }
        if (!anything)
            break; // Nothing with so many chunks could be better.
    }
    return out;
}

} // namespace fabricscope
