#include "core/transform/rewrites.h"

#include "core/base/index.h"
#include "core/transform/rewritetools.h"

#include <algorithm>

namespace fabricscope::transform {

namespace {

bool readsName(const Stage& stage, const std::string& name)
{
    return std::any_of(stage.in.begin(), stage.in.end(), [&](const Operand& operand) { return operand.name == name; });
}

/// Moving computations across an all-gather or a send.
class Reordering {
public:
    Reordering(const TensorProgram& program, std::string collective, const LeftOut& leftOut)
        : m_before(program)
        , m_program(program)
        , m_name(std::move(collective))
        , m_leftOut(leftOut)
        , m_members(program.stages.size(), false)
    {
    }

    Rewritten run(const std::vector<std::string>& computations)
    {
        std::optional<Refusal> refusal = checkCollective();
        if (!refusal)
            refusal = takeMembers(computations);
        if (!refusal)
            refusal = checkMembers();
        if (!refusal)
            refusal = checkWay();
        if (refusal)
            return *std::move(refusal);
        return m_isSend ? acrossSend() : acrossGather();
    }

private:
    bool holds(Condition condition) const { return counts(condition, m_leftOut); }

    std::optional<Refusal> checkCollective()
    {
        const Stage* const stage = m_before.stage(m_name);
        m_isSend = stage->op == Op::Send;
        if (stage->op != Op::AllGather && !m_isSend)
            return Refusal{Condition::Kind, m_name, {}, m_name + " is " + opText(stage->op) + ", not an all_gather or send" + (stage->op == Op::AllReduce ? "; split it first" : "")};
        if (auto taken = refuseTaken(m_before, m_name, true); taken && holds(Condition::Free))
            return taken;
        const Value& moved = *m_before.find(stage->in[0].name);
        if (m_isSend && moved.layout.isLocal() && holds(Condition::NoLocal))
            return Refusal{Condition::NoLocal, m_name, stage->in[0].name, m_name + " sends " + stage->in[0].name + ", which is local"};
        m_input = stage->in[0].name;
        // Where the dimension is, counted from the last one: what is broadcast lines up there.
        m_fromEnd = m_isSend ? 0 : static_cast<std::int64_t>(moved.shape.size()) - moved.layout.dim;
        m_extent = m_isSend ? 0 : moved.shape[at(moved.layout.dim)];
        return std::nullopt;
    }

    std::optional<Refusal> takeMembers(const std::vector<std::string>& computations)
    {
        for (const std::string& name : computations) {
            if (auto unknown = refuseUnknown(m_before, name))
                return unknown;
            const std::vector<bool> kernel = kernelFlags(m_before, name);
            for (std::size_t i = 0; i < kernel.size(); ++i)
                m_members[i] = m_members[i] || kernel[i];
            if (auto taken = refuseTaken(m_before, name, false); taken && holds(Condition::Free))
                return taken;
        }
        // The scalar all-reduce belongs to its norm.
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            const Stage& stage = m_before.stages[i];
            if (stage.isScalarAllReduce() && isMember(stage.in[0].name))
                m_members[i] = true;
        }
        return std::nullopt;
    }

    bool isMember(const std::string& name) const
    {
        const std::int32_t index = m_before.indexOf(name);
        return index >= 0 && m_members[at(index)];
    }

    std::optional<Refusal> checkMembers() const
    {
        bool consumes = false;
        for (std::size_t i = 0; i < m_members.size(); ++i)
            consumes = consumes || (m_members[i] && readsName(m_before.stages[i], m_name));
        if (!consumes && holds(Condition::Consumes))
            return Refusal{Condition::Consumes, m_name, {}, "none of " + namesOf(m_before, m_members) + " reads " + m_name};
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i])
                continue;
            if (auto refusal = checkMember(m_before.stages[i]))
                return refusal;
        }
        return std::nullopt;
    }

    std::optional<Refusal> checkMember(const Stage& stage) const
    {
        const bool moves = isPointwise(stage.op) || stage.op == Op::Norm || stage.op == Op::ReduceTensor || stage.op == Op::LayerNorm || (stage.isScalarAllReduce() && isMember(stage.in[0].name))
            || (stage.op == Op::Send && !m_isSend);
        if (!moves && holds(Condition::IndexWise))
            return Refusal{Condition::IndexWise, stage.name, {}, stage.name + " is " + opText(stage.op) + ", which does not work element by element along the gathered dimension"};
        if (stage.op == Op::LayerNorm && !m_isSend && stage.dim == dimOf(stage.value.shape) && holds(Condition::IndexWise))
            return Refusal{Condition::IndexWise, stage.name, stage.in[0].name, stage.name + " normalises " + stage.in[0].name + " over dimension " + std::to_string(stage.dim) + ", the gathered one"};
        if (m_isSend && stage.op == Op::Update && holds(Condition::Group))
            return Refusal{Condition::Group, stage.name, stage.target, stage.name + " updates " + stage.target + ", which is in the group behind the send"};
        for (const Operand& operand : stage.in) {
            const Value& value = *m_before.find(operand.name);
            if (value.layout.isLocal() && !(stage.isScalarAllReduce() && isMember(operand.name)) && holds(Condition::NoLocal))
                return Refusal{Condition::NoLocal, stage.name, operand.name, stage.name + " reads " + operand.name + ", which is local"};
            if (m_isSend && value.group >= 0 && operand.name != m_name && !isMember(operand.name) && holds(Condition::Group))
                return Refusal{Condition::Group, stage.name, operand.name, stage.name + " reads " + operand.name + ", which is only in the group behind the send"};
        }
        return std::nullopt;
    }

    std::optional<Refusal> checkWay() const
    {
        std::vector<bool> whole = m_members;
        whole[at(m_before.indexOf(m_name))] = true;
        const std::int32_t outside = StageGraph(m_before).outsideBetween(whole);
        if (outside < 0 || !holds(Condition::Convex))
            return std::nullopt;
        const std::string& name = m_before.stages[at(outside)].name;
        return Refusal{Condition::Convex, name, {}, "a path from " + m_name + " and " + namesOf(m_before, m_members) + " leaves the set through " + name + " outside and comes back"};
    }

    /// The gathered dimension of a tensor that is read beside what was gathered; -1: it has none.
    std::int32_t dimOf(const Extents& shape) const
    {
        const std::int64_t dim = static_cast<std::int64_t>(shape.size()) - m_fromEnd;
        return dim >= 0 && dim < static_cast<std::int64_t>(shape.size()) && shape[at(dim)] == m_extent ? static_cast<std::int32_t>(dim) : -1;
    }

    Rewritten acrossGather()
    {
        std::vector<std::string> gathered;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i])
                continue;
            Stage& stage = m_program.stages[i];
            for (Operand& operand : stage.in) {
                if (operand.name == m_name)
                    operand = {m_input, {}};
                else if (!isMember(operand.name) && m_before.find(operand.name)->layout.isReplicated() && !operand.slice && dimOf(m_before.find(operand.name)->shape) >= 0)
                    operand.slice = dimOf(m_before.find(operand.name)->shape);
                else if (isMember(operand.name) && operand.slice)
                    operand.slice.reset();
            }
            if (stage.value.layout.isReplicated() && dimOf(stage.value.shape) >= 0 && livesOn(m_before.stages[i]))
                gathered.push_back(stage.name);
        }
        std::reverse(gathered.begin(), gathered.end()); // The last one added stands first.
        for (const std::string& name : gathered)
            addBehind(name, ".ag", Op::AllGather);
        dropCollective();
        return finished(std::move(m_program), m_name);
    }

    Rewritten acrossSend()
    {
        std::vector<std::string> sent;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i])
                continue;
            for (Operand& operand : m_program.stages[i].in)
                operand.name = operand.name == m_name ? m_input : operand.name;
            if (livesOn(m_before.stages[i]))
                sent.push_back(m_before.stages[i].name);
        }
        std::reverse(sent.begin(), sent.end());
        for (const std::string& name : sent)
            addBehind(name, ".send", Op::Send);
        dropCollective();
        return finished(std::move(m_program), m_name);
    }

    /// Output, read by others, or the new content of a whole tensor that no other member overwrites.
    bool livesOn(const Stage& stage) const
    {
        const Stage* const next = overtakingUpdate(m_before, stage);
        const bool overtaken = next && isMember(next->name);
        if (m_before.isOutput(stage.name) || (stage.op == Op::Update && m_before.tensor(stage.target)->value.layout.isReplicated() && !overtaken))
            return true;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            if (!m_members[i] && readsName(m_before.stages[i], stage.name))
                return true;
        }
        return false;
    }

    /// A collective behind a computation; what is outside reads its result.
    void addBehind(const std::string& name, const std::string& suffix, Op op)
    {
        Stage added;
        added.name = name + suffix;
        added.op = op;
        added.in = {{name, {}}};
        added.place = m_program.stage(name)->place;
        for (Stage& stage : m_program.stages) {
            if (isMember(stage.name))
                continue;
            for (Operand& operand : stage.in)
                operand.name = operand.name == name ? added.name : operand.name;
        }
        std::replace(m_program.outputs.begin(), m_program.outputs.end(), name, added.name);
        // Behind all members: a reader of it may stand between them, and is sorted behind it.
        std::size_t last = 0;
        for (std::size_t i = 0; i < m_program.stages.size(); ++i)
            last = isMember(m_program.stages[i].name) ? i : last;
        m_program.stages.insert(m_program.stages.begin() + static_cast<std::ptrdiff_t>(std::max(last, at(m_program.indexOf(name)))) + 1, std::move(added));
    }

    void dropCollective()
    {
        // First in a new order: inference reads from top to bottom.
        sortStages(m_program);
        if (!isNeeded(m_program, *m_program.stage(m_name)))
            removeStage(m_program, m_name);
    }

    const TensorProgram& m_before;
    TensorProgram m_program;
    std::string m_name;
    std::string m_input;
    const LeftOut& m_leftOut;
    bool m_isSend = false;
    std::int64_t m_fromEnd = 0;
    std::int64_t m_extent = 0;
    std::vector<bool> m_members;
};

} // namespace

Rewritten splitAllReduce(const TensorProgram& program, const std::string& name, const LeftOut& leftOut)
{
    if (auto unknown = refuseUnknown(program, name))
        return *unknown;
    const Stage whole = *program.stage(name);
    if (whole.op != Op::AllReduce)
        return Refusal{Condition::Kind, name, {}, name + " is " + opText(whole.op) + ", not an all_reduce"};
    if (whole.value.shape.empty())
        return Refusal{Condition::Kind, name, whole.in[0].name, name + " joins " + whole.in[0].name + ", a single number, which has no slices"};
    if (auto taken = refuseTaken(program, name, true); taken && counts(Condition::Free, leftOut))
        return *taken;
    TensorProgram made = program;
    Stage scatter = whole;
    scatter.name = name + ".rs";
    scatter.op = Op::ReduceScatter;
    scatter.dim = 0;
    Stage gather;
    gather.name = name + ".ag";
    gather.op = Op::AllGather;
    gather.in = {{scatter.name, {}}};
    gather.place = whole.place;
    const std::int32_t index = made.indexOf(name);
    made.stages[at(index)] = std::move(scatter);
    made.stages.insert(made.stages.begin() + index + 1, gather);
    replaceReads(made, name, gather.name);
    return finished(std::move(made), name);
}

Rewritten reorderStages(const TensorProgram& program, const std::string& collective, const std::vector<std::string>& computations, const LeftOut& leftOut)
{
    if (auto unknown = refuseUnknown(program, collective))
        return *unknown;
    return Reordering(program, collective, leftOut).run(computations);
}

} // namespace fabricscope::transform
