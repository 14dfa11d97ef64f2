#include "core/transform/tensorprogram.h"

#include "core/base/decimal.h"
#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope::transform {

namespace {

template <typename Row>
auto findNamed(Row& rows, std::string_view name) -> decltype(rows.data())
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

std::string operandText(const Operand& operand)
{
    return operand.slice ? "slice" + std::to_string(*operand.slice) + '(' + operand.name + ')' : operand.name;
}

void addStageText(std::string& out, const Stage& stage)
{
    out += stage.name + '=' + opText(stage.op) + '[';
    for (const Operand& operand : stage.in)
        out += operandText(operand) + ' ';
    out += ']' + stage.expr.text([&](std::int32_t leaf) { return operandText(stage.in[at(leaf)]); }) + '>' + stage.target + ' ';
    for (const std::int64_t number : {static_cast<std::int64_t>(stage.join), std::int64_t{stage.dim}, std::int64_t{stage.root}, static_cast<std::int64_t>(stage.seed), std::int64_t{stage.stride},
                                      std::int64_t{stage.pad}, std::int64_t{stage.partial}, std::int64_t{stage.ofNorm}})
        out += std::to_string(number) + ',';
    out += decimal(stage.rate) + ';';
}

/// Kernels by their members, whatever their numbers are.
void addFusedText(std::string& out, const TensorProgram& program)
{
    std::map<std::int32_t, std::set<std::string>> members;
    for (const Stage& stage : program.stages) {
        if (stage.fused != 0)
            members[stage.fused].insert(stage.name);
    }
    std::set<std::string> texts;
    for (const auto& [number, names] : members) {
        std::string text = "{";
        for (const std::string& name : names)
            text += name + ' ';
        texts.insert(text + '}');
    }
    for (const std::string& text : texts)
        out += text;
}

} // namespace

std::string Layout::text() const
{
    switch (kind) {
    case Kind::Replicated: return "replicated";
    case Kind::Sliced: return "sliced(" + std::to_string(dim) + ")";
    case Kind::Local: return "local";
    }
    return {};
}

std::string opText(Op op)
{
    return std::string(keyOf(kOps, op));
}

const Tensor* TensorProgram::tensor(std::string_view name) const { return findNamed(tensors, name); }
Tensor* TensorProgram::tensor(std::string_view name) { return findNamed(tensors, name); }
const Stage* TensorProgram::stage(std::string_view name) const { return findNamed(stages, name); }
Stage* TensorProgram::stage(std::string_view name) { return findNamed(stages, name); }

std::int32_t TensorProgram::indexOf(std::string_view name) const
{
    const Stage* const found = stage(name);
    return found ? static_cast<std::int32_t>(found - stages.data()) : -1;
}

const Value* TensorProgram::find(std::string_view name) const
{
    if (const Stage* const made = stage(name))
        return &made->value;
    const Tensor* const given = tensor(name);
    return given ? &given->value : nullptr;
}

bool TensorProgram::isOutput(std::string_view name) const
{
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

bool isCollective(Op op)
{
    return op == Op::AllReduce || op == Op::ReduceScatter || op == Op::AllGather || op == Op::Reduce || op == Op::Broadcast;
}

bool isCommunication(Op op)
{
    return isCollective(op) || op == Op::Send;
}

bool isPointwise(Op op)
{
    return op == Op::Expr || op == Op::Update || op == Op::Dropout;
}

std::int64_t elementsOf(const Extents& shape)
{
    std::int64_t product = 1;
    for (const std::int64_t extent : shape)
        product *= extent;
    return product;
}

Extents localShape(const Value& value, std::int32_t ranks, std::int32_t rank)
{
    Extents shape = value.shape;
    if (value.layout.isSliced()) {
        std::int64_t& extent = shape[at(value.layout.dim)];
        const std::int64_t part = (extent + ranks - 1) / ranks;
        extent = std::clamp<std::int64_t>(extent - part * rank, 0, part);
    }
    return shape;
}

std::int64_t elementsPerRank(const Value& value, std::int32_t ranks)
{
    return elementsOf(localShape(value, ranks, 0));
}

std::int64_t bytesPerRank(const Value& value, std::int32_t ranks)
{
    return elementsPerRank(value, ranks) * bytesOf(value.type);
}

std::string shapeText(const Extents& shape)
{
    std::string text = "[";
    for (const std::int64_t extent : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + ']';
}

Value operandValue(const TensorProgram& program, const Operand& operand)
{
    Value value = *program.find(operand.name);
    if (operand.slice)
        value.layout = Layout::sliced(*operand.slice);
    return value;
}

const Stage* overtakingUpdate(const TensorProgram& program, const Stage& stage)
{
    if (stage.op != Op::Update)
        return nullptr;
    const auto next = std::find_if(program.stages.begin() + program.indexOf(stage.name) + 1, program.stages.end(), [&](const Stage& other) { return other.op == Op::Update && other.target == stage.target; });
    return next != program.stages.end() && (next->value.layout.isReplicated() || next->value.layout == stage.value.layout) ? &*next : nullptr;
}

std::string canonicalText(const TensorProgram& program)
{
    std::string out;
    for (const Tensor& tensor : program.tensors)
        out += tensor.name + ':' + tensor.value.layout.text() + ' ';
    // Their order does not matter: what they read and overwrite decides.
    std::vector<std::string> texts;
    for (const Stage& stage : program.stages)
        addStageText(texts.emplace_back(), stage);
    std::sort(texts.begin(), texts.end());
    for (const std::string& text : texts)
        out += text;
    addFusedText(out, program);
    std::set<std::string> chains;
    for (const auto& chain : program.overlaps) {
        std::string text = "<";
        for (const std::string& name : chain)
            text += name + ' ';
        chains.insert(text + '>');
    }
    for (const std::string& text : chains)
        out += text;
    for (const std::string& name : program.outputs)
        out += name + ' ';
    return out;
}

} // namespace fabricscope::transform
