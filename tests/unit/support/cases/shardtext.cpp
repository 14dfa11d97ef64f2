// Problems of `shard` as files, and smaller ones of them.
#include "tests/unit/support/cases/shardcase.h"

#include <algorithm>

namespace fabricscope::test {

namespace {

template <typename List, typename Show>
std::string listed(const List& list, Show&& show)
{
    std::string text = "[";
    for (std::size_t i = 0; i < list.size(); ++i)
        text += (i ? ", " : "") + show(list[i]);
    return text + "]";
}

std::string numbers(const std::vector<std::int64_t>& list)
{
    return listed(list, [](std::int64_t n) { return std::to_string(n); });
}

std::string axesOfFile(const Mesh& mesh, const AxisList& list)
{
    return listed(list, [&](const AxisPart& part) { return axisText(mesh, part); });
}

std::string dimsOfFile(const Mesh& mesh, const std::vector<AxisList>& dims)
{
    return listed(dims, [&](const AxisList& list) { return axesOfFile(mesh, list); });
}

std::string_view kindWord(ReduceKind kind)
{
    constexpr std::string_view kWords[] = {"sum", "max", "min", "mean", "product", "last"};
    return kWords[static_cast<std::size_t>(kind)];
}

std::string windowsOfFile(const GraphOp& op)
{
    const auto both = [&](std::int64_t WindowDim::*member) { return listed(op.windows, [&](const WindowDim& w) { return std::to_string(w.*member); }); };
    return ", window: " + both(&WindowDim::size) + ", stride: " + both(&WindowDim::stride) + ", dilation: " + both(&WindowDim::dilation)
        + ", pad: " + listed(op.windows, [](const WindowDim& w) { return "[" + std::to_string(w.padLow) + ", " + std::to_string(w.padHigh) + "]"; });
}

std::string batchOfFile(const GraphOp& op)
{
    return op.batch > 0 ? ", batch: " + std::to_string(op.batch) : std::string();
}

std::string attributesOfFile(const GraphOp& op)
{
    switch (op.kind) {
    case GraphOpKind::Einsum: {
        std::string text;
        for (std::size_t i = 0; i < op.letters.size(); ++i)
            text += (i == 0 ? "" : i + 1 == op.letters.size() ? "->" : ",") + op.letters[i];
        return ", eq: \"" + text + "\"";
    }
    case GraphOpKind::Cast:
        return ", dtype: " + std::string(keyOf(kElementTypes, *op.type));
    case GraphOpKind::Dropout:
        return ", seed: " + std::to_string(op.seed) + ", rate: " + std::to_string(op.rate);
    case GraphOpKind::Broadcast:
        return ", shape: " + numbers(op.shape) + ", dims: " + numbers(op.dims);
    case GraphOpKind::Opaque:
        return ", function: " + op.function + batchOfFile(op) + ", shape: " + numbers(op.shape);
    case GraphOpKind::Reshape:
        return ", shape: " + numbers(op.shape);
    case GraphOpKind::Transpose:
        return ", perm: " + numbers(op.dims);
    case GraphOpKind::Slice:
        return ", starts: " + numbers(op.starts) + ", limits: " + numbers(op.limits) + ", strides: " + numbers(op.strides);
    case GraphOpKind::Pad:
        return ", low: " + numbers(op.low) + ", high: " + numbers(op.high);
    case GraphOpKind::Reverse:
        return ", dims: " + numbers(op.dims);
    case GraphOpKind::Reduce:
        return ", dims: " + numbers(op.dims) + ", kind: " + std::string(kindWord(op.reduce));
    case GraphOpKind::Conv:
        return windowsOfFile(op) + ", groups: " + std::to_string(op.groups);
    case GraphOpKind::Pool:
        return windowsOfFile(op) + ", kind: " + std::string(kindWord(op.reduce));
    case GraphOpKind::ScatterAdd:
        return ", dim: " + std::to_string(op.dim) + batchOfFile(op) + (op.inputs.size() == 2 ? ", size: " + std::to_string(op.size) : ", kind: " + std::string(kindWord(op.reduce)));
    case GraphOpKind::Gather:
        return ", dim: " + std::to_string(op.dim) + batchOfFile(op);
    case GraphOpKind::CumSum:
        return ", dim: " + std::to_string(op.dim) + ", kind: " + std::string(kindWord(op.reduce));
    case GraphOpKind::TopK:
        return ", dim: " + std::to_string(op.dim) + ", k: " + std::to_string(op.k);
    case GraphOpKind::Concat:
    case GraphOpKind::Softmax:
    case GraphOpKind::LayerNorm:
    case GraphOpKind::Sort:
        return ", dim: " + std::to_string(op.dim);
    default:
        return {};
    }
}

std::string annotationOfFile(const ShardProblem& problem, const TensorAnnotation& note)
{
    std::string text = "    - {tensor: " + problem.graph.tensor(note.tensor).name;
    if (note.dims)
        text += ", dims: " + dimsOfFile(problem.mesh, *note.dims);
    std::vector<std::int64_t> closed;
    for (std::size_t d = 0; d < note.closed.size(); ++d) {
        if (note.closed[d])
            closed.push_back(static_cast<std::int64_t>(d));
    }
    if (!closed.empty())
        text += ", closed: " + numbers(closed);
    if (std::ranges::any_of(note.priority, [](int p) { return p != 0; }))
        text += ", priority: " + listed(note.priority, [](int p) { return std::to_string(p); });
    if (!note.replicated.empty())
        text += ", replicated: " + axesOfFile(problem.mesh, note.replicated);
    if (!note.unreduced.empty())
        text += ", unreduced: " + axesOfFile(problem.mesh, note.unreduced);
    return text + "}\n";
}

} // namespace

std::string shardText(const ShardProblem& problem)
{
    std::string text = "fabricscope: 1\nshard:\n  mesh: {";
    for (std::size_t a = 0; a < problem.mesh.axes.size(); ++a)
        text += (a ? ", " : "") + problem.mesh.axes[a].name + ": " + std::to_string(problem.mesh.axes[a].size);
    if (!problem.mesh.deviceOrder.empty())
        text += ", device_order: " + listed(problem.mesh.deviceOrder, [](std::int32_t id) { return std::to_string(id); });
    text += "}\n  tensors:\n";
    for (const GraphTensor& tensor : problem.graph.tensors) {
        if (tensor.producer < 0)
            text += "    " + tensor.name + ": {shape: " + numbers(tensor.shape) + ", dtype: " + std::string(keyOf(kElementTypes, tensor.type)) + "}\n";
    }
    text += problem.graph.ops.empty() ? "  ops: []\n" : "  ops:\n";
    for (const GraphOp& op : problem.graph.ops)
        text += "    - {name: " + op.name + ", op: " + std::string(wordOf(op.kind))
            + ", in: " + listed(op.inputs, [&](TensorId id) { return problem.graph.tensor(id).name; }) + attributesOfFile(op) + "}\n";
    if (!problem.annotations.empty())
        text += "  annotations:\n";
    for (const TensorAnnotation& note : problem.annotations)
        text += annotationOfFile(problem, note);
    if (!problem.wanted.empty())
        text += "  wanted:\n";
    for (const WantedLayout& wanted : problem.wanted)
        text += "    " + problem.graph.tensor(wanted.tensor).name + ": " + dimsOfFile(problem.mesh, wanted.dims) + "\n";
    const ShardOptions& o = problem.options;
    constexpr std::string_view kRegather[] = {"none", "parameters", "all"};
    const auto yes = [](bool b) { return std::string(b ? "true" : "false"); };
    return text + "  options: {windowed_einsum: " + yes(o.windowedEinsum) + ", nested: " + yes(o.nested) + ", backward: " + yes(o.backward)
        + ", regather: " + std::string(kRegather[static_cast<std::size_t>(o.regather)]) + ", strategy: " + (o.aggressive ? "aggressive" : "basic") + "}\n";
}

ShardProblem withOps(const ShardProblem& problem, const std::vector<char>& kept)
{
    ShardProblem less = problem;
    less.graph = {};
    less.annotations.clear();
    less.wanted.clear();
    std::vector<char> used(problem.graph.tensors.size(), 0);
    for (std::size_t i = 0; i < problem.graph.ops.size(); ++i) {
        for (const TensorId input : problem.graph.ops[i].inputs)
            used[static_cast<std::size_t>(input)] |= kept[i];
    }
    // Operands of what is kept whose op is not become inputs.
    std::vector<TensorId> renamed(problem.graph.tensors.size(), -1);
    for (std::size_t t = 0; t < used.size(); ++t) {
        GraphTensor tensor = problem.graph.tensors[t];
        const bool made = tensor.producer >= 0 && kept[static_cast<std::size_t>(tensor.producer)];
        if (made || (!used[t] && !(problem.graph.ops.empty() || problem.wantedOf(static_cast<TensorId>(t)))))
            continue;
        tensor.producer = -1;
        if (const auto id = less.graph.addInput(tensor))
            renamed[t] = id.value();
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i])
            continue;
        GraphOp op = problem.graph.ops[i];
        for (TensorId& input : op.inputs)
            input = renamed[static_cast<std::size_t>(input)];
        if (const auto id = less.graph.addOp(op))
            renamed[static_cast<std::size_t>(problem.graph.ops[i].output)] = id.value();
    }
    for (TensorAnnotation note : problem.annotations) {
        note.tensor = renamed[static_cast<std::size_t>(note.tensor)];
        if (note.tensor >= 0)
            less.annotations.push_back(note);
    }
    for (WantedLayout wanted : problem.wanted) {
        wanted.tensor = renamed[static_cast<std::size_t>(wanted.tensor)];
        if (wanted.tensor >= 0)
            less.wanted.push_back(wanted);
    }
    return less;
}

namespace {

/// All problems that are one step smaller.
std::vector<ShardProblem> smallerShards(const ShardProblem& problem)
{
    std::vector<ShardProblem> list;
    for (std::size_t i = 0; i < problem.graph.ops.size(); ++i) {
        std::vector<char> kept(problem.graph.ops.size(), 1);
        kept[i] = 0;
        list.push_back(withOps(problem, kept));
    }
    const auto add = [&](auto&& change) {
        ShardProblem less = problem;
        change(less);
        list.push_back(std::move(less));
    };
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(problem.annotations.size()); ++i) {
        add([&](ShardProblem& p) { p.annotations.erase(p.annotations.begin() + i); });
        const auto at = static_cast<std::size_t>(i);
        const TensorAnnotation& note = problem.annotations[at];
        if (!note.unreduced.empty())
            add([&](ShardProblem& p) { p.annotations[at].unreduced.clear(); });
        if (!note.replicated.empty())
            add([&](ShardProblem& p) { p.annotations[at].replicated.clear(); });
        if (std::ranges::any_of(note.closed, [](char c) { return c != 0; }))
            add([&](ShardProblem& p) { p.annotations[at].closed.assign(note.closed.size(), 0); });
        if (std::ranges::any_of(note.priority, [](int c) { return c != 0; }))
            add([&](ShardProblem& p) { p.annotations[at].priority.assign(note.priority.size(), 0); });
        for (std::size_t d = 0; note.dims && d < note.dims->size(); ++d) {
            if (!(*note.dims)[d].empty())
                add([&](ShardProblem& p) { (*p.annotations[at].dims)[d].pop_back(); });
        }
    }
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(problem.wanted.size()); ++i) {
        add([&](ShardProblem& p) { p.wanted.erase(p.wanted.begin() + i); });
        const auto at = static_cast<std::size_t>(i);
        for (std::size_t d = 0; d < problem.wanted[at].dims.size(); ++d) {
            if (!problem.wanted[at].dims[d].empty())
                add([&](ShardProblem& p) { p.wanted[at].dims[d].pop_back(); });
        }
    }
    if (!problem.mesh.deviceOrder.empty())
        add([](ShardProblem& p) { p.mesh.deviceOrder.clear(); });
    if (problem.options.backward)
        add([](ShardProblem& p) { p.options.backward = false; });
    if (problem.options.windowedEinsum)
        add([](ShardProblem& p) { p.options.windowedEinsum = false; });
    if (problem.options.regather != Regather::Parameters)
        add([](ShardProblem& p) { p.options.regather = Regather::Parameters; });
    return list;
}

} // namespace

ShardProblem shrunkShard(ShardProblem problem, const std::function<bool(const ShardProblem&)>& fails)
{
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (ShardProblem& less : smallerShards(problem)) {
            if (!fails(less))
                continue;
            problem = std::move(less);
            smaller = true;
            break;
        }
    }
    ShardProblem used = withOps(problem, std::vector<char>(problem.graph.ops.size(), 1));
    return fails(used) ? used : problem;
}

} // namespace fabricscope::test
