#pragma once

#include "core/base/result.h"
#include "core/model/modelspec.h"
#include "core/plan/plansearchspec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// What decides how long the passes of a plan compute.
struct PlanBlock {
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t data = 1;
    std::int64_t expert = 1; ///< Ranks next to each other along data.
    std::int64_t context = 1;
    std::int64_t microBatch = 1;
    Recompute recompute = Recompute::None;
    std::int64_t ranks() const { return tensor * pipeline * data * context; }
    friend bool operator==(const PlanBlock&, const PlanBlock&) = default;
};

/// A plan of a search.
struct PlanChoice {
    PlanBlock block;
    std::int32_t zero = 0;
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    std::int32_t chunks = 1;            ///< Of interleaved.
    std::vector<std::string> meshOrder; ///< Axes of more than one rank, the slowest first.
    friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

/// Refuses what a search of plans cannot vary, or compare: a placement without a mesh, inference, an order of devices, a batch that is not known.
Status isSearchedPlan(const ModelSpec& model, const PlanSpec& own);

/// All plans a search may choose (manual: search 2), in blocks; whether one of them can be is layoutOf()'s to say. What is neither varied nor given is as in the plan of
/// the design.
class PlanSpace {
public:
    /// `model` outlives it; `ranks`: of the plan of the design; `used`: of those that are tried. Refuses a plan of the design that cannot be where something of it has to be kept, and more than kMostBlocks. O(blocks).
    static Result<PlanSpace> create(const ModelSpec& model, const PlanSpec& own, std::int64_t ranks, const PlanSearchSpec& search, std::int64_t used);

    static constexpr std::size_t kMostBlocks = std::size_t{1} << 20;

    const std::vector<PlanBlock>& blocks() const { return m_blocks; } ///< In ascending order of their fields.
    /// Of a block: every stage of ZeRO with every schedule and number of chunks with every order of the axes is a plan. They depend on the degrees alone.
    std::vector<std::int32_t> zeros(const PlanBlock& block) const;
    std::vector<std::pair<PipelineSchedule, std::int32_t>> schedules(const PlanBlock& block) const;
    std::vector<std::vector<std::string>> orders(const PlanBlock& block) const;
    /// The plan of the design with what the choice says; of many ranks with buckets of whole blocks (manual: search 3).
    PlanSpec planOf(const PlanChoice& choice) const;
    /// The plan of the design itself as a choice; of degrees 1 where it cannot be.
    const PlanChoice& own() const { return m_own; }
    bool hasOwn() const { return m_hasOwn; }

private:
    void addDegrees(std::int64_t tensor, std::int64_t pipeline, std::int64_t context);
    void addBatches(PlanBlock block);
    bool allows(PlanVariable variable, const std::optional<std::int64_t>& given, std::int64_t own, std::int64_t value) const;

    const ModelSpec* m_model = nullptr;
    PlanSpec m_plan; ///< Of the design, every section that names an axis there.
    PlanSearchSpec m_search;
    std::int64_t m_ranks = 1;
    bool m_hasOwn = false;
    PlanChoice m_own;
    std::vector<PlanBlock> m_blocks;
};

} // namespace fabricscope
