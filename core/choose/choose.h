#pragma once

#include "core/scenario/collectivechooser.h"
#include "core/scenario/lowering.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

class FoldedPrograms; // core/sim/symmetry/foldprogram.h
using FoldedProgramsPtr = std::shared_ptr<FoldedPrograms>;

/// How much `algorithm: auto` may simulate. The limits are counts, not seconds: the choice is the same on every machine.
struct ChooseLimits {
    /// Pieces of messages a candidate may send, of one NPU where all do the same; under ideal and flow whole messages.
    std::int64_t piecesPerCandidate = 1'000'000;
    std::int64_t piecesPerQuestion = 4'000'000;  ///< All candidates of one collective together, in the order of trying.
    std::int32_t templates = 64;                 ///< Combinations of algorithms per dimension.
    std::int64_t transfersPerCandidate = 1'000'000; ///< A program that a generator writes out may have.
    /// Candidates of more pieces than this, or written out by a generator with more transfers, run only where a bound (LeastTime) leaves open
    /// that they are the fastest, unless one NPU stands for all of them.
    std::int64_t piecesWithoutBound = 20'000;
    std::int64_t transfersWithoutBound = 500;
    /// Templates of more pieces than this whose blocks differ by a byte are timed at the next size at which they do not and one NPU stands for all. What is too large is timed at two
    /// smaller sizes of so many pieces together, from which its time follows along a line.
    std::int64_t piecesExactly = 100'000;
    std::int64_t piecesToSettle = 16'000'000; ///< Of candidates that are too large and by an estimate the fastest, simulated all the same.
    std::size_t places = 1; ///< So many of the fastest are certain to be listed with their times.
};

/// A way to run a collective.
struct Candidate {
    std::string name;
    CollectiveSetting setting;
    bool own = false; ///< The design names it: that it cannot run is an error.
};

/// Everything `algorithm: auto` may pick for a group: the algorithms of the templates along its dimensions in all combinations, the generators
/// that take group and collective, and what the design names. The first is the standard one. `limits.templates` combinations at most. In candidates.cpp.
std::vector<Candidate> candidatesOf(const ChooseQuestion& question, const ChooseLimits& limits = {});

/// Simulates every candidate alone, at time 0, on the design's platform under its model, and takes the fastest; of equals the first
/// of candidatesOf(). Candidates over the limits are timed by smaller sizes, as they say; what is fastest by that is simulated as asked. Left out, with the reason: those that no size brings within the limits, generators that do not take the group, candidates that cannot run,
/// and large ones whose messages alone take longer than the best of the others (of those that NCCL has a name for: the best of these).
/// Where nothing is left the standard algorithms run. Groups that lie alike on the platform share an answer.
class SimulatingChooser : public CollectiveChooser {
public:
    /// `generated`, `folded`: shared with other preparations; null: with none.
    explicit SimulatingChooser(int threads = 1, std::stop_token stop = {}, ChooseLimits limits = {}, GeneratedProgramsPtr generated = nullptr, FoldedProgramsPtr folded = nullptr);
    ~SimulatingChooser() override;

    Result<CollectiveSetting> choose(const ChooseQuestion& question) override;
    std::vector<CollectiveChoice> takeChoices() override;
    GeneratedProgramsPtr generatedPrograms() const override { return m_generated; }

private:
    struct Answer {
        CollectiveSetting setting;
        CollectiveChoice choice;
        bool said = false; ///< In m_order.
    };
    std::string keyOf(const ChooseQuestion& question) const;
    Result<Answer> compute(const ChooseQuestion& question) const;

    int m_threads;
    std::stop_token m_stop;
    ChooseLimits m_limits;
    GeneratedProgramsPtr m_generated;
    FoldedProgramsPtr m_folded;
    std::map<std::string, Answer> m_answers;
    std::vector<CollectiveChoice> m_order;
};

/// prepare() with a SimulatingChooser. `generated`, `folded`: programs shared with other preparations.
Result<ScenarioPtr> prepareChosen(const Design& design, int threads = 1, const std::stop_token& stop = {}, GeneratedProgramsPtr generated = nullptr, ChooseLimits limits = {},
                                  FoldedProgramsPtr folded = nullptr);

} // namespace fabricscope
