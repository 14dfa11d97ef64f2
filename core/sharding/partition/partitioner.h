#pragma once

#include "core/sharding/partition/chooseaxes.h"
#include "core/sharding/partition/halos.h"
#include "core/sharding/partition/reshard.h"
#include "core/sharding/shardproblem.h"

namespace fabricscope {

/// What the partitioner is told of a graph with its gradients.
struct PartitionInput {
    const ShardProblem* problem = nullptr;
    OpGraph graph;
    std::size_t forwardOps = 0;
    std::vector<TensorId> gradients;
    std::vector<Layout> propagated; ///< Per tensor.
    std::vector<Layout> ends;       ///< Per tensor the layout in which it ends: as propagated, or as wanted.
    std::vector<char> fixed;        ///< Per tensor: annotated or wanted, so that it is made as it says.
    std::vector<const TensorAnnotation*> annotations; ///< Per tensor; null: none.
    std::vector<const WantedLayout*> wanted;         ///< The same.
    std::vector<char> parameters;   ///< Per tensor: an input without the dim of the batch.
};

/// Writes the program op by op. One use: run(). Throws StopRequested.
class Partitioner {
public:
    Partitioner(PartitionInput input, const std::stop_token& stop);

    PartitionedProgram run();

private:
    /// One form in which a tensor is at hand.
    struct Version {
        ValueId value = -1;
        bool gathered = false; ///< Made by an all-gather of the forward pass, or from such a one.
    };
    /// How an op takes partial sums on.
    struct CarryPlan {
        std::vector<AxisList> byFactor;
        AxisList unreduced;
        std::vector<char> partial; ///< Per operand.
    };
    /// Why values of one op are made.
    struct Reason {
        OpId op = -1;
        TensorId serves = -1; ///< Tensor whose layout is asked for.
        std::optional<RunnerUp> runnerUp;
    };

    // opbyop.cpp
    void addInputs();
    void addOp(OpId id);
    void finish();
    void compute(OpId id, const AxisChoice& choice, const std::optional<RunnerUp>& runnerUp, const CarryPlan* carry);
    ChoiceInput choiceInput(OpId id, bool atHand) const;
    void noteConflict(OpId id, std::size_t before);
    // materialize.cpp
    ValueId addValue(TensorId tensor, const Layout& layout);
    bool usable(TensorId tensor, const Version& version) const;
    ValueId materialize(TensorId tensor, const Layout& layout, const Reason& reason);
    ValueId operandFor(const ChoiceInput& input, std::size_t operand, const AxisChoice& choice, const CarryPlan* carry, const Reason& reason);
    ValueId windowed(const ChoiceInput& input, std::size_t operand, const WindowSupply& supply, ValueId from, const Reason& reason);
    ValueId keptFirst(ValueId from, const AxisList& axes, const Reason& reason);
    ValueId masked(const ChoiceInput& input, std::size_t operand, const AxisChoice& choice, ValueId from);
    StepCause causeOf(const ProgramStep& step, TensorId tensor, const Reason& reason) const;
    std::size_t versionOf(ValueId value) const;
    // carry.cpp
    std::optional<Layout> partialLayout(TensorId tensor, int depth = 0) const;
    std::optional<CarryPlan> carryPlan(OpId id, TensorId known, const Layout& layout, int depth = 0) const;
    bool worthCarrying(TensorId tensor, Layout layout) const;

    bool backward(OpId id) const { return id >= 0 && static_cast<std::size_t>(id) >= m_input.forwardOps; }
    const GraphTensor& tensor(TensorId id) const { return m_program.graph.tensor(id); }

    PartitionInput m_input;
    const std::stop_token& m_stop;
    PartitionedProgram m_program;
    std::vector<OpFactors> m_rules;
    std::vector<std::vector<OpId>> m_users;
    std::vector<std::vector<Version>> m_versions;     ///< Per tensor, that of its op first.
    std::vector<std::vector<Version>> m_windowed;     ///< Per tensor.
    std::vector<std::vector<AxisList>> m_predicted;   ///< Per op: axes by factor from the propagated layouts alone.
    std::vector<char> m_carried;                      ///< Per tensor: left unreduced.
    std::vector<char> m_done;                         ///< Per op.
    bool m_inBackward = false;
};

/// The op as it runs on local arrays: attributes that speak of sizes fit the local shapes (StepKind::Local). In localop.cpp.
GraphOp localOp(const OpGraph& graph, const GraphOp& op, const OpFactors& rule, const std::vector<AxisList>& byFactor, const std::vector<const ProgramValue*>& in, const ProgramValue& out);

} // namespace fabricscope
