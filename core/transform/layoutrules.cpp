#include "core/transform/layoutrules.h"

#include "core/base/index.h"

#include <algorithm>
#include <set>

namespace fabricscope::transform {

namespace {

/// What one stage makes of its operands.
class StageRules {
public:
    StageRules(const TensorProgram& program, const Stage& stage) : m_program(program), m_stage(stage)
    {
        for (const Operand& operand : stage.in)
            m_values.push_back(operandValue(program, operand));
    }

    Result<Value> infer()
    {
        if (Status status = checkSlices(); !status)
            return status.error();
        auto group = commonGroup();
        if (!group)
            return group.error();
        Result<Value> value = byOp();
        if (!value)
            return value;
        value.value().group = m_stage.op == Op::Send ? group.value() + 1 : group.value();
        if (m_stage.op == Op::Send && value.value().group >= m_program.groups)
            return wrong("send goes beyond the last group", "at least " + std::to_string(value.value().group + 1) + " groups");
        return value;
    }

private:
    Error wrong(const std::string& message, std::string expected = {}) const
    {
        Place place = m_stage.place;
        return Error{ErrorCode::InvalidInput, "stage " + m_stage.name + " (" + opText(m_stage.op) + "): " + message, std::move(place), std::move(expected)};
    }

    /// "operand g is local".
    Error wrongLayout(std::size_t operand, const std::string& expected) const
    {
        return wrong("operand " + m_stage.in[operand].name + " is " + m_values[operand].layout.text(), "layout " + expected);
    }

    Error wrongShape(std::size_t operand, const std::string& expected) const
    {
        return wrong("operand " + m_stage.in[operand].name + " has shape " + shapeText(m_values[operand].shape), expected);
    }

    Status checkSlices() const
    {
        for (const Operand& operand : m_stage.in) {
            if (!operand.slice)
                continue;
            const Value& whole = *m_program.find(operand.name);
            if (!whole.layout.isReplicated())
                return wrong("the slice of " + operand.name + " is taken of a " + whole.layout.text() + " tensor", "layout replicated");
            if (at(*operand.slice) >= whole.shape.size())
                return wrong("the slice of " + operand.name + " is along a dimension that is not there", "a dimension of " + shapeText(whole.shape));
        }
        return {};
    }

    Result<std::int32_t> commonGroup() const
    {
        std::int32_t group = -1;
        std::size_t first = 0;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            if (m_values[i].group < 0)
                continue;
            if (group >= 0 && m_values[i].group != group)
                return wrong("operand " + m_stage.in[i].name + " is in group " + std::to_string(m_values[i].group) + ", operand " + m_stage.in[first].name + " in group " + std::to_string(group), "operands of one group; send brings them to the next");
            first = group < 0 ? i : first;
            group = m_values[i].group;
        }
        return std::max(group, 0);
    }

    Result<Value> byOp()
    {
        switch (m_stage.op) {
        case Op::Expr: return pointwise();
        case Op::Update: return update();
        case Op::AllReduce: return ofLocal(Layout::replicated());
        case Op::ReduceScatter: return reduceScatter();
        case Op::AllGather: return allGather();
        case Op::Reduce: return ofLocal(Layout::local());
        case Op::Broadcast: return broadcast();
        case Op::Slice: return slice();
        case Op::MatMul: return matmul();
        case Op::Conv: return conv();
        case Op::Norm:
        case Op::ReduceTensor: return scalar();
        case Op::LayerNorm: return layerNorm();
        case Op::Send:
        case Op::Dropout: return m_values[0];
        }
        return m_values[0];
    }

    Result<Value> ofLocal(Layout made) const
    {
        if (!m_values[0].layout.isLocal())
            return wrongLayout(0, "local");
        Value value = m_values[0];
        value.layout = made;
        return value;
    }

    Result<Value> reduceScatter() const
    {
        if (!m_values[0].layout.isLocal())
            return wrongLayout(0, "local");
        if (at(m_stage.dim) >= m_values[0].shape.size())
            return wrong("dimension " + std::to_string(m_stage.dim) + " is not there", "a dimension of " + shapeText(m_values[0].shape));
        return ofLocal(Layout::sliced(m_stage.dim));
    }

    Result<Value> allGather() const
    {
        if (!m_values[0].layout.isSliced())
            return wrongLayout(0, "sliced");
        Value value = m_values[0];
        value.layout = Layout::replicated();
        return value;
    }

    Result<Value> broadcast() const
    {
        if (m_values[0].layout.isSliced())
            return wrongLayout(0, "local or replicated");
        Value value = m_values[0];
        value.layout = Layout::replicated();
        return value;
    }

    Result<Value> slice() const
    {
        if (!m_values[0].layout.isReplicated())
            return wrongLayout(0, "replicated");
        if (at(m_stage.dim) >= m_values[0].shape.size())
            return wrong("dimension " + std::to_string(m_stage.dim) + " is not there", "a dimension of " + shapeText(m_values[0].shape));
        Value value = m_values[0];
        value.layout = Layout::sliced(m_stage.dim);
        return value;
    }

    Result<Value> scalar() const
    {
        Value value = m_values[0];
        value.shape.clear();
        if (value.layout.isSliced() || m_stage.partial)
            value.layout = Layout::local();
        return value;
    }

    Result<Value> layerNorm() const
    {
        if (at(m_stage.dim) >= m_values[0].shape.size())
            return wrong("dimension " + std::to_string(m_stage.dim) + " is not there", "a dimension of " + shapeText(m_values[0].shape));
        if (m_values[0].layout == Layout::sliced(m_stage.dim))
            return wrongLayout(0, "replicated, local or sliced along another dimension: it is normalised over dimension " + std::to_string(m_stage.dim));
        return m_values[0];
    }

    /// Rows of the left one times columns of the right one. The left one may have more than two dimensions.
    Result<Value> matmul() const
    {
        const Value& a = m_values[0];
        const Value& b = m_values[1];
        if (a.shape.empty())
            return wrongShape(0, "at least one dimension");
        if (b.shape.size() != 2)
            return wrongShape(1, "two dimensions");
        if (a.shape.back() != b.shape.front())
            return wrongShape(1, std::to_string(a.shape.back()) + " rows, as many as " + m_stage.in[0].name + " has columns");
        if (Status status = sameType(); !status)
            return status.error();
        Value value = a;
        value.shape.back() = b.shape.back();
        const auto inner = static_cast<std::int32_t>(a.shape.size()) - 1;
        auto layout = product(inner, 0, inner, 1);
        if (!layout)
            return layout.error();
        value.layout = layout.value();
        return value;
    }

    /// The rules of products. `innerA`, `innerB`: the dimension summed over; `lastOut`: of the result the one that dimension `freeB` of b becomes.
    /// What a has before `innerA` keeps its place.
    Result<Layout> product(std::int32_t innerA, std::int32_t innerB, std::int32_t lastOut, std::int32_t freeB) const
    {
        const Layout a = m_values[0].layout;
        const Layout b = m_values[1].layout;
        if (a.isLocal() || b.isLocal()) {
            if (a.isSliced() || b.isSliced())
                return wrongLayout(a.isSliced() ? 0 : 1, "local or replicated beside the local " + m_stage.in[a.isSliced() ? 1 : 0].name);
            return Layout::local();
        }
        if (a.isReplicated() && b.isReplicated())
            return Layout::replicated();
        const bool innerSlicedA = a == Layout::sliced(innerA);
        const bool innerSlicedB = b == Layout::sliced(innerB);
        if (innerSlicedA && innerSlicedB)
            return Layout::local();
        if (innerSlicedA)
            return wrongLayout(1, "sliced(" + std::to_string(innerB) + "), as " + m_stage.in[0].name + " is sliced along the dimension summed over");
        if (innerSlicedB)
            return wrongLayout(0, "sliced(" + std::to_string(innerA) + "), as " + m_stage.in[1].name + " is sliced along the dimension summed over");
        if (a.isSliced() && b.isReplicated())
            return a;
        if (a.isReplicated() && b == Layout::sliced(freeB))
            return Layout::sliced(lastOut);
        return a.isSliced() ? wrongLayout(1, "replicated beside the " + a.text() + ' ' + m_stage.in[0].name) : wrongLayout(1, "replicated or sliced(" + std::to_string(freeB) + ')');
    }

    /// [batch, height, width, channels] with a kernel [height, width, channels, outputs].
    Result<Value> conv() const
    {
        const Value& x = m_values[0];
        const Value& k = m_values[1];
        if (x.shape.size() != 4)
            return wrongShape(0, "[batch, height, width, channels]");
        if (k.shape.size() != 4)
            return wrongShape(1, "[height, width, channels, outputs]");
        if (x.shape[3] != k.shape[2])
            return wrongShape(1, std::to_string(x.shape[3]) + " channels");
        if (Status status = sameType(); !status)
            return status.error();
        if (x.layout == Layout::sliced(1) || x.layout == Layout::sliced(2))
            return wrongLayout(0, "replicated or sliced along batch or channels");
        Value value = x;
        for (const std::size_t d : {std::size_t{1}, std::size_t{2}}) {
            const std::int64_t room = x.shape[d] + 2 * std::int64_t{m_stage.pad} - k.shape[d - 1];
            if (room < 0)
                return wrongShape(1, "a kernel that fits into the padded input");
            value.shape[d] = room / m_stage.stride + 1;
        }
        value.shape[3] = k.shape[3];
        auto layout = product(3, 2, 3, 3);
        if (!layout)
            return layout.error();
        value.layout = layout.value();
        return value;
    }

    Status sameType() const
    {
        if (m_values[0].type == m_values[1].type)
            return {};
        return wrong("operand " + m_stage.in[1].name + " is " + std::string(keyOf(kElementTypes, m_values[1].type)), std::string(keyOf(kElementTypes, m_values[0].type)) + " as " + m_stage.in[0].name + ", or a cast");
    }

    Result<Value> pointwise() const
    {
        if (m_values.empty())
            return wrong("no tensor in the expression", "at least one tensor or stage");
        Value value;
        std::size_t widest = 0;
        for (std::size_t i = 1; i < m_values.size(); ++i)
            widest = m_values[i].shape.size() > m_values[widest].shape.size() ? i : widest;
        value.shape = m_values[widest].shape;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const Extents& shape = m_values[i].shape;
            if (!std::equal(shape.rbegin(), shape.rend(), value.shape.rbegin()))
                return wrongShape(i, "the last dimensions of " + shapeText(value.shape) + ", the shape of " + m_stage.in[widest].name);
        }
        auto type = typeOf();
        if (!type)
            return type.error();
        value.type = type.value();
        auto layout = joinedLayout(value.shape.size());
        if (!layout)
            return layout.error();
        value.layout = layout.value();
        return value;
    }

    /// Of the expression: numbers take the type of what they meet.
    Result<ElementType> typeOf() const
    {
        std::vector<std::optional<ElementType>> types;
        for (const ExprNode& node : m_stage.expr.nodes) {
            std::optional<ElementType> type;
            if (node.kind == ExprNode::Kind::Leaf)
                type = m_values[at(node.leaf)].type;
            else if (node.kind == ExprNode::Kind::Cast)
                type = node.type;
            else if (node.left >= 0)
                type = types[at(node.left)];
            if (node.right >= 0) {
                const std::optional<ElementType> right = types[at(node.right)];
                if (type && right && *type != *right)
                    return wrong("the expression joins " + std::string(keyOf(kElementTypes, *type)) + " with " + std::string(keyOf(kElementTypes, *right)), "one element type, or a cast such as fp32(...)");
                type = type ? type : right;
            }
            types.push_back(type);
        }
        return types.back().value_or(ElementType::Fp32);
    }

    Result<Layout> joinedLayout(std::size_t dims) const
    {
        Layout made;
        std::size_t by = 0;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            Layout layout = m_values[i].layout;
            if (layout.isReplicated())
                continue;
            if (layout.isSliced())
                layout.dim += static_cast<std::int32_t>(dims - m_values[i].shape.size());
            if (!made.isReplicated() && !(made == layout))
                return wrongLayout(i, (made.isLocal() ? "local" : made.text()) + " or replicated beside the " + m_values[by].layout.text() + ' ' + m_stage.in[by].name);
            by = made.isReplicated() ? i : by;
            made = layout;
        }
        return made;
    }

    Result<Value> update() const
    {
        auto made = pointwise();
        if (!made)
            return made;
        const Value& target = m_program.tensor(m_stage.target)->value;
        const Value& value = made.value();
        if (value.shape != target.shape)
            return wrong("the new value has shape " + shapeText(value.shape), "shape " + shapeText(target.shape) + " of " + m_stage.target);
        if (value.type != target.type)
            return wrong("the new value is " + std::string(keyOf(kElementTypes, value.type)), std::string(keyOf(kElementTypes, target.type)) + " as " + m_stage.target + ", or a cast");
        const bool slicePart = target.layout.isReplicated() && value.layout.isSliced();
        if (!(value.layout == target.layout) && !slicePart)
            return wrong("the new value of " + m_stage.target + " is " + value.layout.text(), "layout " + target.layout.text() + (target.layout.isReplicated() ? " or sliced" : ""));
        return made;
    }

    const TensorProgram& m_program;
    const Stage& m_stage;
    std::vector<Value> m_values;
};

/// Everything that read `from` from stage `begin` on reads `to`.
void readInstead(TensorProgram& program, std::size_t begin, const std::string& from, const std::string& to)
{
    for (std::size_t i = begin; i < program.stages.size(); ++i) {
        for (Operand& operand : program.stages[i].in)
            operand.name = operand.name == from ? to : operand.name;
    }
    std::replace(program.outputs.begin(), program.outputs.end(), from, to);
}

void addScalarAllReduce(TensorProgram& program, std::size_t index)
{
    Stage& partial = program.stages[index];
    partial.partial = true;
    Stage whole;
    whole.name = partial.name + ".ar";
    whole.op = Op::AllReduce;
    whole.in = {{partial.name, {}}};
    whole.join = partial.op == Op::Norm ? Join::Sum : partial.join;
    whole.ofNorm = partial.op == Op::Norm;
    whole.fused = 0;
    whole.place = partial.place;
    readInstead(program, index + 1, partial.name, whole.name);
    program.stages.insert(program.stages.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(whole));
}

/// What is read must have been made above. O(operands), with a set of the names so far.
Status checkMade(const std::set<std::string, std::less<>>& made, const Stage& stage)
{
    for (const Operand& operand : stage.in) {
        if (!made.contains(operand.name))
            return Error{ErrorCode::InvalidInput, "stage " + stage.name + " (" + opText(stage.op) + "): nothing above makes " + operand.name, stage.place, {}};
    }
    return {};
}

/// A replicated tensor of which only slices are updated must be gathered.
Status checkGathered(const TensorProgram& program, std::string& at)
{
    std::set<std::string> gathered;
    for (const Stage& stage : program.stages) {
        if (stage.op == Op::AllGather)
            gathered.insert(stage.in[0].name);
    }
    for (const Stage& stage : program.stages) {
        at = stage.name;
        if (stage.op == Op::Update && stage.value.layout.isSliced() && program.tensor(stage.target)->value.layout.isReplicated() && !gathered.contains(stage.name) && !overtakingUpdate(program, stage))
            return Error{ErrorCode::InvalidInput, "stage " + stage.name + " (update): " + stage.target + " is replicated, the new value " + stage.value.layout.text() + ", and nothing gathers it", stage.place, "an all_gather of " + stage.name};
    }
    return {};
}

} // namespace

Status inferLayouts(TensorProgram& program, std::string* broken)
{
    std::string here;
    std::string& name = broken ? *broken : here; // Where an error is.
    std::set<std::string, std::less<>> made;
    for (const Tensor& tensor : program.tensors)
        made.insert(tensor.name);
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        name = program.stages[i].name;
        if (Status status = checkMade(made, program.stages[i]); !status)
            return status;
        if (!made.insert(program.stages[i].name).second)
            return Error{ErrorCode::InvalidInput, "two values would be called " + program.stages[i].name, program.stages[i].place, "other names"};
        auto value = StageRules(program, program.stages[i]).infer();
        if (!value)
            return value.error();
        Stage& stage = program.stages[i];
        stage.value = std::move(value).value();
        if ((stage.op == Op::Norm || stage.op == Op::ReduceTensor) && !stage.partial && operandValue(program, stage.in[0]).layout.isSliced())
            addScalarAllReduce(program, i);
    }
    for (const std::string& output : program.outputs) {
        name = output;
        if (!program.find(output))
            return Error{ErrorCode::InvalidInput, "nothing makes the output " + output, {}, {}};
    }
    if (program.stages.size() > kMostStages)
        return Error{ErrorCode::InvalidInput, "the program has " + std::to_string(program.stages.size()) + " stages", {}, "at most " + std::to_string(kMostStages)};
    return checkGathered(program, name);
}

} // namespace fabricscope::transform
