#pragma once

#include "core/plan/opshare.h"

#include <optional>
#include <vector>

namespace fabricscope {

/// Sums over the ops of one layer, of what stands before the layers or of what stands behind them: of one rank that has it, for one micro-batch.
struct PartShare {
    std::int64_t denseParameters = 0;  ///< Elements.
    std::int64_t expertParameters = 0; ///< Of routed experts.
    std::int64_t denseBytes = 0;       ///< As stored for computing.
    std::int64_t expertBytes = 0;
    std::int64_t repeated = 0;         ///< Elements that every rank of the tensor group holds.
    std::int64_t factored = 0;         ///< Elements of rows and columns of a factored second moment (Adafactor).
    std::int64_t saved = 0;            ///< Bytes kept for backward, all of them.
    std::int64_t kept = 0;             ///< As the plan recomputes.
    MatrixFlops flops;                 ///< Of a tensor x context group.
};

/// A stage as counts of its layers.
struct StageShare {
    std::vector<std::int64_t> layersOfKind;
    bool first = false; ///< Has what stands before the layers.
    bool last = false;  ///< And behind.
    std::int64_t layers() const;
};

/// A model seen through a plan: what every part of it is on one rank. Work per kind of layer, never per layer or rank (manual: plans 4).
struct SpreadModel {
    const ModelSpec* model = nullptr; ///< Outlives it.
    const PlanLayout* layout = nullptr;
    PassShape pass;                     ///< Of one micro-batch.
    ModelLayers layers;
    std::optional<OpShares> shares;
    PartShare before;
    std::vector<PartShare> kinds;
    PartShare after;
    std::int64_t tableParameters = 0; ///< Of the table of the embedding, on one rank.
    std::int64_t tableBytes = 0;
    std::vector<StageShare> stages;   ///< By stage.

    /// Does the rank at a place of the pipeline hold a copy of a tied table beside the stage that owns it?
    bool hasTableCopy(std::int64_t place) const;
    /// The part at an index: kinds, then before, then after. What a stage has of it is countOf().
    std::size_t parts() const { return kinds.size() + 2; }
    const PartShare& part(std::size_t index) const;
    std::int64_t countOf(const StageShare& stage, std::size_t part) const;
    std::int64_t seq() const;           ///< Tokens of one sequence that go through in a pass.
};

/// Refuses what modelLayers() refuses, as an error about the workload's model. Dropless dispatch of the plan takes the place of the model's capacity. O(layers + kinds x ops).
Result<SpreadModel> spreadModel(const ModelSpec& model, const PlanLayout& layout);
/// The same for another pass than one of training.
Result<SpreadModel> spreadModel(const ModelSpec& model, const PlanLayout& layout, const PassShape& pass);

} // namespace fabricscope
