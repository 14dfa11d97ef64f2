#pragma once

#include "core/model/count.h"
#include "core/model/layers.h"
#include "core/model/parametertensors.h"

#include <string_view>
#include <vector>

namespace fabricscope {

/// Builds ops of one layer, and notices the first that leaves 63 bits. Amounts of an op are set by the calls after begin(); those that are not called
/// stay 0.
class OpBuilder {
public:
    /// `tensors`: of the layer the ops belong to, for weights(). Both outlive the builder.
    OpBuilder(const ModelSpec& model, const PassShape& pass, const std::vector<ParameterTensor>& tensors);

    OpBuilder& begin(std::string name, LayerOpKind kind, SplitLetter split = SplitLetter::None);
    OpBuilder& matrix(Count flops);                ///< Backward: twice that.
    OpBuilder& vector(Count flops);                ///< Backward: the same.
    OpBuilder& backward(Count flops);              ///< Instead of these.
    OpBuilder& core();                             ///< Of the core of attention: selective recomputation runs it again.
    OpBuilder& within(std::uint16_t modules);      ///< Runs again with any of these modules.
    /// What is saved from here to the end of the op is made again by these modules (bits of RecomputeModule).
    OpBuilder& madeBy(std::uint16_t modules);
    OpBuilder& reads(Count elements, bool divided);  ///< Activations, in `act`.
    OpBuilder& writes(Count elements, bool divided);
    OpBuilder& readBytes(Count bytes, bool divided); ///< Of any type.
    OpBuilder& writeBytes(Count bytes, bool divided);
    /// Weights of the layer by name with their bias, where the layer has them; they are read in this pass. `hit`: of experts how many are (expected, so a
    /// fraction); negative: all.
    OpBuilder& weights(std::string_view name, double hit = -1);
    OpBuilder& table(std::string_view name);         ///< A weight of which only rows are read.
    OpBuilder& borrows(std::string_view name);       ///< A weight that belongs to another op and is read here too.
    OpBuilder& saves(Count elements, bool divided);  ///< In `act`.
    OpBuilder& savesInput(Count rows, std::int64_t width, bool divided); ///< Of a linear layer: FP8 with scales where its products take FP8.
    OpBuilder& savesBytes(Count bytes, bool divided);

    bool training() const { return m_pass.mode == PassMode::Train; }
    const PassShape& pass() const { return m_pass; }
    const ModelSpec& model() const { return m_model; }
    /// New tokens of the micro-batch.
    Count rows() const { return Count(m_pass.batch) * m_pass.tokens; }

    /// The ops so far, with bytes of backward; refuses what does not fit, naming the op.
    Result<std::vector<LayerOp>> take();

private:
    struct Sums {
        Count whole, divided;
        void add(Count amount, bool isDivided) { (isDivided ? divided : whole) += amount; }
    };
    struct Building {
        LayerOp op;
        Count flops, backward;
        Sums readActs, readWeights, written, parameters, weights, saved;
        std::vector<std::pair<Sums, std::uint16_t>> parts; ///< Of `saved`.
        std::uint16_t madeBy = 0;
    };
    Building& now() { return m_ops.back(); }

    void addWeight(std::string_view name, bool own, double hit, bool read);

    const ModelSpec& m_model;
    const PassShape& m_pass;
    const std::vector<ParameterTensor>& m_tensors;
    std::int64_t m_act;
    std::vector<Building> m_ops;
};

} // namespace fabricscope
