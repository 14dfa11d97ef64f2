#include "core/transform/rewrites.h"

#include "core/base/index.h"
#include "core/transform/rewritetools.h"

#include <algorithm>
#include <set>

namespace fabricscope::transform {

namespace {

/// Stages that shall become one kernel.
class Fusing {
public:
    Fusing(const TensorProgram& program, const LeftOut& leftOut) : m_program(program), m_leftOut(leftOut), m_members(program.stages.size(), false) {}

    Rewritten run(const std::vector<std::string>& names)
    {
        std::optional<Refusal> refusal = take(names);
        if (!refusal)
            refusal = checkKinds();
        if (!refusal)
            refusal = m_scatters > 0 || m_gathers > 0 ? checkCollectives() : m_sends > 0 ? checkSend() : checkComputation();
        if (!refusal)
            refusal = checkRing();
        if (refusal)
            return *std::move(refusal);
        TensorProgram made = m_program;
        ++made.lastFused;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (m_members[i])
                made.stages[i].fused = made.lastFused;
        }
        return finished(std::move(made), names.front());
    }

private:
    bool holds(Condition condition) const { return counts(condition, m_leftOut); }
    const Stage& stageAt(std::size_t i) const { return m_program.stages[i]; }
    bool isMember(const std::string& name) const
    {
        const std::int32_t index = m_program.indexOf(name);
        return index >= 0 && m_members[at(index)];
    }

    std::optional<Refusal> take(const std::vector<std::string>& names)
    {
        for (const std::string& name : names) {
            if (auto unknown = refuseUnknown(m_program, name))
                return unknown;
            if (auto taken = refuseTaken(m_program, name, false); taken && holds(Condition::Free))
                return taken;
            const std::vector<bool> kernel = kernelFlags(m_program, name);
            for (std::size_t i = 0; i < kernel.size(); ++i)
                m_members[i] = m_members[i] || kernel[i];
        }
        const bool scatters = std::any_of(m_program.stages.begin(), m_program.stages.end(), [&](const Stage& stage) { return stage.op == Op::ReduceScatter && isMember(stage.name); });
        // The scalar all-reduce belongs to its norm: such a kernel has a barrier there.
        for (std::size_t i = 0; scatters && i < m_members.size(); ++i)
            m_members[i] = m_members[i] || (stageAt(i).isScalarAllReduce() && isMember(stageAt(i).in[0].name));
        if (std::count(m_members.begin(), m_members.end(), true) < 2 || kernelFlags(m_program, names.front()) == m_members)
            return Refusal{Condition::Kind, names.front(), {}, namesOf(m_program, m_members) + " is one kernel already"};
        return std::nullopt;
    }

    std::optional<Refusal> checkKinds()
    {
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i])
                continue;
            const Stage& stage = stageAt(i);
            switch (stage.op) {
            case Op::ReduceScatter: ++m_scatters; break;
            case Op::AllGather: ++m_gathers; break;
            case Op::Send: ++m_sends; break;
            case Op::AllReduce:
                if (!stage.value.shape.empty() && holds(Condition::Kind))
                    return Refusal{Condition::Kind, stage.name, {}, stage.name + " is a whole all_reduce: split it before it is fused"};
                break;
            case Op::Expr:
            case Op::Update:
            case Op::Dropout:
            case Op::Norm:
            case Op::ReduceTensor:
            case Op::LayerNorm: break;
            default:
                if (holds(Condition::Kind))
                    return Refusal{Condition::Kind, stage.name, {}, stage.name + " is " + opText(stage.op) + ", neither pointwise nor a reduction"};
            }
        }
        return std::nullopt;
    }

    static bool isReduction(Op op) { return op == Op::Norm || op == Op::ReduceTensor; }
    static bool isComputation(Op op) { return isPointwise(op) || isReduction(op) || op == Op::LayerNorm; }
    /// What it goes through element by element: shape and layout.
    Value spaceOf(const Stage& stage) const { return isReduction(stage.op) ? operandValue(m_program, stage.in[0]) : stage.value; }

    /// All members that are not single numbers go through the same elements.
    std::optional<Refusal> checkSpaces() const
    {
        const Stage* first = nullptr;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Stage& stage = stageAt(i);
            if (!m_members[i] || !isComputation(stage.op) || spaceOf(stage).shape.empty())
                continue;
            if (!first) {
                first = &stage;
                continue;
            }
            const Value space = spaceOf(stage);
            const Value other = spaceOf(*first);
            if (space.shape != other.shape && holds(Condition::SameSpace))
                return Refusal{Condition::SameSpace, stage.name, {}, stage.name + " goes through " + shapeText(space.shape) + ", " + first->name + " through " + shapeText(other.shape) + ": not the same iteration space"};
            if (!(space.layout == other.layout) && holds(Condition::SameLayout))
                return Refusal{Condition::SameLayout, stage.name, {}, stage.name + " is " + space.layout.text() + ", " + first->name + " is " + other.layout.text() + ": not the same layout"};
            if (stage.value.group != first->value.group && holds(Condition::Group))
                return Refusal{Condition::Group, stage.name, {}, stage.name + " runs in group " + std::to_string(stage.value.group) + ", " + first->name + " in group " + std::to_string(first->value.group)};
        }
        return std::nullopt;
    }

    std::optional<Refusal> checkComputation() const
    {
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (m_members[i] && stageAt(i).op == Op::AllReduce && holds(Condition::Kind))
                return Refusal{Condition::Kind, stageAt(i).name, {}, stageAt(i).name + " is an all_reduce, and nothing in the set is a reduce_scatter to fuse it with"};
        }
        return checkSpaces();
    }

    /// Whether `later` cannot begin before the value of `earlier` is there.
    static bool needsValue(const StageGraph& graph, std::size_t earlier, std::size_t later)
    {
        std::vector<std::int32_t> open{static_cast<std::int32_t>(earlier)};
        std::set<std::int32_t> seen;
        while (!open.empty()) {
            const std::int32_t stage = open.back();
            open.pop_back();
            if (stage == static_cast<std::int32_t>(later))
                return true;
            if (seen.insert(stage).second)
                open.insert(open.end(), graph.readers(stage).begin(), graph.readers(stage).end());
        }
        return false;
    }

    /// Whether a name is the content of the tensor that stage `update` overwrites.
    bool isContentBefore(const std::string& name, std::size_t update) const
    {
        const Stage* const maker = m_program.stage(name);
        const bool updated = maker && maker->op == Op::Update && maker->target == stageAt(update).target && m_program.indexOf(name) < static_cast<std::int32_t>(update);
        return updated || name == stageAt(update).target;
    }

    /// A reduction is done when all chunks are; an update that does not wait for it has overwritten some by then.
    std::optional<Refusal> checkOverwritten() const
    {
        const StageGraph graph(m_program);
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Stage& reduction = stageAt(i);
            if (!m_members[i] || (reduction.op != Op::Norm && reduction.op != Op::ReduceTensor))
                continue;
            for (std::size_t k = 0; k < m_members.size(); ++k) {
                const Stage& update = stageAt(k);
                const bool reads = std::any_of(reduction.in.begin(), reduction.in.end(), [&](const Operand& operand) { return isContentBefore(operand.name, k); });
                if (m_members[k] && update.op == Op::Update && reads && !needsValue(graph, i, k) && holds(Condition::ChunkWise))
                    return Refusal{Condition::ChunkWise, reduction.name, update.target, reduction.name + " needs all of " + update.target + ", which " + update.name + " overwrites chunk by chunk in the same kernel"};
            }
        }
        return std::nullopt;
    }

    std::optional<Refusal> checkCollectives() const
    {
        const std::string counted = std::to_string(m_scatters) + (m_scatters == 1 ? " reduce_scatter" : " reduce_scatters");
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Stage& stage = stageAt(i);
            if (!m_members[i])
                continue;
            if (stage.op == Op::Send && holds(Condition::OneSend))
                return Refusal{Condition::OneSend, stage.name, {}, stage.name + " is a send, which is not fused with reduce_scatter and all_gather"};
            if (m_scatters != 1 && (stage.op == Op::ReduceScatter || stage.op == Op::AllGather) && holds(Condition::OneReduce))
                return Refusal{Condition::OneReduce, stage.name, {}, "the set has " + counted + " beside " + stage.name + "; exactly one is fused with computations and the all_gathers of what lives on"};
            if (isComputation(stage.op) && !spaceOf(stage).shape.empty() && !spaceOf(stage).layout.isSliced() && holds(Condition::Sliced))
                return Refusal{Condition::Sliced, stage.name, {}, stage.name + " is " + spaceOf(stage).layout.text() + ", not sliced: reorder it before it is fused with the collective"};
            if (stage.op == Op::AllGather && !isMember(stage.in[0].name) && holds(Condition::AllGathers))
                return Refusal{Condition::AllGathers, stage.name, stage.in[0].name, stage.name + " gathers " + stage.in[0].name + ", which is not in the set"};
        }
        if (auto refusal = checkOverwritten())
            return refusal;
        for (const Stage& gather : m_program.stages) {
            if (gather.op == Op::AllGather && isMember(gather.in[0].name) && !isMember(gather.name) && holds(Condition::AllGathers))
                return Refusal{Condition::AllGathers, gather.name, gather.in[0].name, gather.in[0].name + " lives on, and its all_gather " + gather.name + " is not in the set"};
        }
        return checkSpaces();
    }

    std::optional<Refusal> checkSend() const
    {
        const Stage* send = nullptr;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Stage& stage = stageAt(i);
            if (!m_members[i])
                continue;
            if (stage.op == Op::Send) {
                if (send && holds(Condition::OneSend))
                    return Refusal{Condition::OneSend, stage.name, {}, "the set has two sends, " + send->name + " and " + stage.name};
                send = &stage;
            } else if (spaceOf(stage).layout.isLocal() && holds(Condition::NoLocal)) {
                return Refusal{Condition::NoLocal, stage.name, {}, stage.name + " is local, not sliced or replicated"};
            }
            if (stage.op == Op::AllReduce && holds(Condition::Kind))
                return Refusal{Condition::Kind, stage.name, {}, stage.name + " is an all_reduce, which is not fused into a send"};
        }
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (m_members[i] && &stageAt(i) != send && stageAt(i).value.group >= send->value.group && holds(Condition::Group))
                return Refusal{Condition::Group, stageAt(i).name, {}, stageAt(i).name + " runs in the group behind " + send->name};
        }
        if (!isMember(send->in[0].name) && holds(Condition::Consumes))
            return Refusal{Condition::Consumes, send->name, send->in[0].name, send->name + " sends " + send->in[0].name + ", which is not in the set"};
        return checkSpaces();
    }

    std::optional<Refusal> checkRing() const
    {
        const std::int32_t outside = StageGraph(m_program).outsideBetween(m_members);
        if (outside < 0 || !holds(Condition::Convex))
            return std::nullopt;
        const std::string& name = stageAt(at(outside)).name;
        return Refusal{Condition::Convex, name, {}, name + " is outside of " + namesOf(m_program, m_members) + " and lies on a path between its stages: the fused kernel would wait for itself"};
    }

    const TensorProgram& m_program;
    const LeftOut& m_leftOut;
    std::vector<bool> m_members;
    int m_scatters = 0;
    int m_gathers = 0;
    int m_sends = 0;
};

} // namespace

Rewritten fuseStages(const TensorProgram& program, const std::vector<std::string>& names, const LeftOut& leftOut)
{
    return Fusing(program, leftOut).run(names);
}

} // namespace fabricscope::transform
