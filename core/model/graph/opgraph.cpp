#include "core/model/graph/opgraph.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr KeyTable<GraphOpKind, 48> kOpWords = {{{"einsum", GraphOpKind::Einsum}, {"add", GraphOpKind::Add}, {"sub", GraphOpKind::Sub}, {"mul", GraphOpKind::Mul}, {"div", GraphOpKind::Div}, {"max", GraphOpKind::Max},
    {"min", GraphOpKind::Min}, {"relu", GraphOpKind::Relu}, {"gelu", GraphOpKind::Gelu}, {"silu", GraphOpKind::Silu}, {"tanh", GraphOpKind::Tanh}, {"sigmoid", GraphOpKind::Sigmoid}, {"exp", GraphOpKind::Exp},
    {"log", GraphOpKind::Log}, {"sqrt", GraphOpKind::Sqrt}, {"neg", GraphOpKind::Neg}, {"copy", GraphOpKind::Copy}, {"cast", GraphOpKind::Cast}, {"dropout", GraphOpKind::Dropout}, {"select", GraphOpKind::Select}, {"map", GraphOpKind::Map},
    {"reshape", GraphOpKind::Reshape}, {"transpose", GraphOpKind::Transpose}, {"broadcast", GraphOpKind::Broadcast}, {"slice", GraphOpKind::Slice}, {"pad", GraphOpKind::Pad}, {"concat", GraphOpKind::Concat},
    {"reverse", GraphOpKind::Reverse}, {"reduce", GraphOpKind::Reduce}, {"softmax", GraphOpKind::Softmax}, {"layer_norm", GraphOpKind::LayerNorm}, {"conv", GraphOpKind::Conv}, {"gather", GraphOpKind::Gather},
    {"scatter_add", GraphOpKind::ScatterAdd}, {"sort", GraphOpKind::Sort}, {"top_k", GraphOpKind::TopK}, {"cumsum", GraphOpKind::CumSum}, {"pool", GraphOpKind::Pool}, {"opaque", GraphOpKind::Opaque}, {"unary_grad", GraphOpKind::UnaryGrad},
    {"choice_grad", GraphOpKind::ChoiceGrad}, {"softmax_grad", GraphOpKind::SoftmaxGrad}, {"layer_norm_grad", GraphOpKind::LayerNormGrad}, {"sort_grad", GraphOpKind::SortGrad}, {"top_k_grad", GraphOpKind::TopKGrad},
    {"pool_grad", GraphOpKind::PoolGrad}, {"conv_input_grad", GraphOpKind::ConvInputGrad}, {"conv_kernel_grad", GraphOpKind::ConvKernelGrad}}};

Status checkTensor(const GraphTensor& tensor)
{
    if (tensor.shape.size() > OpGraph::kMaxDims)
        return invalidInput("tensor " + tensor.name + " has " + std::to_string(tensor.shape.size()) + " dims", tensor.place, "at most " + std::to_string(OpGraph::kMaxDims));
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.shape) {
        if (size < 1)
            return invalidInput("tensor " + tensor.name + " has a dim of size " + std::to_string(size), tensor.place, "at least 1");
        if (size > OpGraph::kMaxElements / elements)
            return invalidInput("tensor " + tensor.name + " " + shapeText(tensor.shape) + " is too large", tensor.place, "at most 2^48 elements");
        elements *= size;
    }
    return {};
}

} // namespace

Result<TensorId> OpGraph::addInput(GraphTensor tensor)
{
    if (m_names.contains(tensor.name))
        return invalidInput("two tensors are named " + tensor.name, tensor.place, "a name of its own");
    if (tensors.size() >= 2 * kMaxOps)
        return invalidInput("too many tensors", tensor.place, "at most " + std::to_string(2 * kMaxOps));
    if (Status status = checkTensor(tensor); !status)
        return status.error();
    const auto id = static_cast<TensorId>(tensors.size());
    m_names.emplace(tensor.name, id);
    tensors.push_back(std::move(tensor));
    return id;
}

Result<TensorId> OpGraph::addOp(GraphOp op)
{
    if (ops.size() >= kMaxOps)
        return invalidInput("too many ops", op.place, "at most " + std::to_string(kMaxOps));
    Result<TensorShape> shape = inferShape(*this, op);
    if (!shape)
        return shape.error();
    GraphTensor result{op.name, std::move(shape).value(), ElementType::Fp32, static_cast<OpId>(ops.size()), op.place};
    if (op.type)
        result.type = *op.type;
    else {
        result.type = tensor(op.inputs.front()).type;
        for (const TensorId input : op.inputs) {
            if (isFloating(tensor(input).type)) {
                result.type = tensor(input).type;
                break;
            }
        }
    }
    const Result<TensorId> id = addInput(std::move(result));
    if (!id)
        return id.error();
    op.output = id.value();
    ops.push_back(std::move(op));
    return id.value();
}

std::optional<TensorId> OpGraph::find(std::string_view name) const
{
    const auto found = m_names.find(name);
    return found == m_names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::vector<OpId>> OpGraph::users() const
{
    std::vector<std::vector<OpId>> users(tensors.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId input : ops[i].inputs) {
            auto& list = users[static_cast<std::size_t>(input)];
            if (list.empty() || list.back() != static_cast<OpId>(i))
                list.push_back(static_cast<OpId>(i));
        }
    }
    return users;
}

std::vector<TensorId> OpGraph::results() const
{
    std::vector<char> used(tensors.size(), 0);
    for (const GraphOp& op : ops) {
        for (const TensorId input : op.inputs)
            used[static_cast<std::size_t>(input)] = 1;
    }
    std::vector<TensorId> list;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!used[i] && tensors[i].producer >= 0)
            list.push_back(static_cast<TensorId>(i));
    }
    return list;
}

bool isElementwise(GraphOpKind kind)
{
    return (kind >= GraphOpKind::Add && kind <= GraphOpKind::Map) || kind == GraphOpKind::UnaryGrad || kind == GraphOpKind::ChoiceGrad;
}

std::string_view wordOf(GraphOpKind kind)
{
    return keyOf(kOpWords, kind);
}

std::optional<GraphOpKind> opKindOf(std::string_view word)
{
    const auto kind = valueOf(kOpWords, word);
    return kind && *kind >= GraphOpKind::UnaryGrad ? std::nullopt : kind;
}

std::vector<std::string_view> opWords()
{
    std::vector<std::string_view> words;
    for (const auto& [word, kind] : kOpWords) {
        if (kind < GraphOpKind::UnaryGrad)
            words.push_back(word);
    }
    return words;
}

std::int64_t elementsOf(const TensorShape& shape)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : shape)
        elements *= size;
    return elements;
}

std::int64_t bytesOf(const GraphTensor& tensor)
{
    return elementsOf(tensor.shape) * bytesOf(tensor.type);
}

std::string shapeText(const TensorShape& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

} // namespace fabricscope
