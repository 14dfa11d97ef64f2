#pragma once

#include "core/synthesis/planbound.h"
#include "core/synthesis/transferplan.h"

#include <atomic>
#include <optional>
#include <string>

namespace fabricscope {

/// The best plan of a search and what is known of it.
struct FoundPlan {
    TransferPlan plan;
    std::int64_t boundPs = 0;
    std::uint64_t seed = 0;
    bool cutShort = false;
};

/// Runs the tries of a request on its threads, several attempts each, and keeps the shortest plan: that of the lowest seed and attempt among
/// equals. It ends early where a plan meets the bound. Deadline, stop token and progress are shared by all phases of the request.
class PlanSearch {
public:
    explicit PlanSearch(const SynthesisOptions& options);
    /// How many of the following calls make up the request; for the progress.
    void setPhases(int phases) { m_phases = phases; }

    Result<FoundPlan> spread(const SpreadTask& task);
    Result<FoundPlan> allToAll(const SynthesisGraph& graph, const std::vector<std::int64_t>& timePs);
    /// For people: how it was found.
    std::string note() const { return m_note; }

private:
    template <typename Plan>
    struct Best {
        Plan plan;
        std::uint64_t seed = 0;
        bool cutShort = false;
    };
    /// attempt(seed, number, cutoff) makes a plan; absent when halted or longer than the cutoff.
    template <typename Plan, typename Attempt>
    Result<Best<Plan>> best(std::int64_t boundPs, std::int32_t attempts, const Attempt& attempt);
    void report(double share, std::int64_t finishPs);

    const SynthesisOptions& m_options;
    Halt m_halt;
    int m_phases = 1;
    int m_phase = 0;
    std::string m_note;
};

} // namespace fabricscope
