// Ops of programs written for one device, done for all devices at once: every dim of theirs stands behind the leading ones.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace fabricscope::mlir {

namespace {

/// 0, 1, ..., then the dims behind so many others.
std::vector<std::int64_t> behind(std::size_t lead, const std::vector<std::int64_t>& dims)
{
    std::vector<std::int64_t> all(lead);
    std::iota(all.begin(), all.end(), 0);
    for (const std::int64_t dim : dims)
        all.push_back(dim + static_cast<std::int64_t>(lead));
    return all;
}

template <typename List>
void prepend(List& list, const List& front)
{
    list.insert(list.begin(), front.begin(), front.end());
}

} // namespace

std::vector<std::int32_t> united(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b)
{
    std::vector<std::int32_t> all;
    std::ranges::set_union(a, b, std::back_inserter(all));
    return all;
}

const PerDevice* HloBuilder::perDevice(TensorId tensor) const
{
    const auto found = m_perDevice.find(tensor);
    return found == m_perDevice.end() ? nullptr : &found->second;
}

TensorShape HloBuilder::leadOf(const PerDevice& of) const
{
    TensorShape lead;
    for (const std::int32_t axis : of.axes)
        lead.push_back(m_mesh.axes[static_cast<std::size_t>(axis)].size);
    return lead;
}

std::optional<PerDevice> HloBuilder::joinOfOperands(const std::vector<TensorId>& operands) const
{
    std::optional<PerDevice> of;
    for (const TensorId operand : operands) {
        if (const PerDevice* const own = perDevice(operand))
            of = of ? PerDevice{united(of->axes, own->axes), united(of->manual, own->manual)} : *own;
    }
    return of;
}

TensorId HloBuilder::spread(TensorId tensor, const PerDevice& to, const std::string& suffix)
{
    if (failed())
        return -1;
    const PerDevice* const own = perDevice(tensor);
    const std::vector<std::int32_t> none;
    const std::vector<std::int32_t>& axes = own ? own->axes : none;
    if (own && axes == to.axes)
        return tensor;
    TensorShape shape = shapeOf(tensor);
    std::vector<std::int64_t> dims;
    for (const std::int32_t axis : axes)
        dims.push_back(std::ranges::find(to.axes, axis) - to.axes.begin());
    for (std::size_t d = 0; d < shape.size(); ++d)
        dims.push_back(static_cast<std::int64_t>(to.axes.size() + d));
    prepend(shape, leadOf(to));
    return addWhole(GraphOpKind::Broadcast, {tensor}, suffix, to, [&](GraphOp& op) {
        op.shape = shape;
        op.dims = dims;
    });
}

void HloBuilder::lift(GraphOp& op, const PerDevice& of)
{
    const std::size_t lead = of.axes.size();
    if (lead == 0 || failed())
        return;
    if (isElementwise(op.kind))
        return liftElementwise(op, of);
    if (op.kind == GraphOpKind::Einsum)
        return liftEinsum(op, of);
    if (op.kind == GraphOpKind::Conv || op.kind == GraphOpKind::Pool)
        return liftWindows(op, of);
    const auto differs = [&](std::size_t i) { return perDevice(op.inputs[i]) && !perDevice(op.inputs[i])->axes.empty(); };
    if (op.kind == GraphOpKind::Gather && op.batch == 0 && (!differs(1) || (!differs(0) && op.dim == 0))) {
        op.dim += differs(1) ? 0 : static_cast<std::int64_t>(lead); // Of one table, or with one list of ids.
        return;
    }
    for (TensorId& input : op.inputs)
        input = spread(input, of, "." + std::to_string(&input - op.inputs.data()) + ".each");
    switch (op.kind) {
    case GraphOpKind::Reshape:
        return prepend(op.shape, leadOf(of));
    case GraphOpKind::Broadcast:
        prepend(op.shape, leadOf(of));
        op.dims = behind(lead, op.dims);
        return;
    case GraphOpKind::Transpose:
        op.dims = behind(lead, op.dims);
        return;
    case GraphOpKind::Slice:
        op.strides.resize(op.starts.size(), 1);
        prepend(op.starts, std::vector<std::int64_t>(lead, 0));
        prepend(op.limits, leadOf(of));
        return prepend(op.strides, std::vector<std::int64_t>(lead, 1));
    case GraphOpKind::Pad:
        prepend(op.low, std::vector<std::int64_t>(lead, 0));
        return prepend(op.high, std::vector<std::int64_t>(lead, 0));
    case GraphOpKind::Reduce:
    case GraphOpKind::Reverse:
        for (std::int64_t& dim : op.dims)
            dim += static_cast<std::int64_t>(lead);
        return;
    case GraphOpKind::Opaque:
        op.batch += static_cast<std::int64_t>(lead);
        return prepend(op.shape, leadOf(of));
    case GraphOpKind::Gather:
    case GraphOpKind::ScatterAdd:
        op.batch += static_cast<std::int64_t>(lead);
        op.dim += static_cast<std::int64_t>(lead);
        return;
    case GraphOpKind::Concat:
    case GraphOpKind::Sort:
    case GraphOpKind::TopK:
    case GraphOpKind::CumSum:
        op.dim += static_cast<std::int64_t>(lead);
        return;
    default:
        refuse("is not read in a program per device where its operands differ from device to device", "operands that are the same on all devices");
    }
}

/// Shapes are aligned at their ends: what all devices have alike may stay as it is where it has all other dims.
void HloBuilder::liftElementwise(GraphOp& op, const PerDevice& of)
{
    TensorShape shape;
    for (const TensorId input : op.inputs) {
        if (const TensorShape own = shapeOf(input); own.size() > shape.size())
            shape = own;
    }
    for (TensorId& input : op.inputs) {
        const PerDevice* const own = perDevice(input);
        const std::string suffix = "." + std::to_string(&input - op.inputs.data()) + ".each";
        if (!own || own->axes.empty())
            continue;
        if (shapeOf(input).empty() && !shape.empty()) {
            const PerDevice axes = *own;
            TensorShape with = leadOf(axes);
            const std::vector<std::int64_t> dims = behind(with.size(), {});
            with.insert(with.end(), shape.begin(), shape.end());
            input = addWhole(GraphOpKind::Broadcast, {input}, suffix + ".dims", axes, [&](GraphOp& made) {
                made.shape = with;
                made.dims = dims;
            });
        }
        input = spread(input, of, suffix);
    }
}

void HloBuilder::liftEinsum(GraphOp& op, const PerDevice& of)
{
    std::string used;
    for (const std::string& letters : op.letters)
        used += letters;
    std::string front;
    for (char letter = 'z'; front.size() < of.axes.size() && letter >= 'a'; --letter) {
        if (used.find(letter) == std::string::npos)
            front += letter;
    }
    if (front.size() < of.axes.size())
        return refuse("has too many dims for a program per device", "at most 26 with those of the mesh");
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (const PerDevice* const own = perDevice(op.inputs[i])) {
            std::string letters;
            for (const std::int32_t axis : own->axes)
                letters += front[static_cast<std::size_t>(std::ranges::find(of.axes, axis) - of.axes.begin())];
            op.letters[i].insert(0, letters);
        }
    }
    op.letters.back().insert(0, front);
}

/// The images of all devices are those of one batch.
void HloBuilder::liftWindows(GraphOp& op, const PerDevice& of)
{
    if (op.inputs.size() > 1 && perDevice(op.inputs[1]) && !perDevice(op.inputs[1])->axes.empty())
        return refuse("is not read in a program per device where the kernel differs from device to device", "a kernel that is the same on all devices");
    const TensorShape lead = leadOf(of);
    const std::int64_t count = elementsOf(lead);
    TensorShape shape = shapeOf(op.inputs[0]);
    shape[0] *= count;
    const std::string name = op.name;
    op.inputs[0] = addWhole(GraphOpKind::Reshape, {op.inputs[0]}, ".batch", std::nullopt, [&](GraphOp& made) { made.shape = shape; });
    op.name = freeName(name + ".all");
    GraphOp back;
    back.kind = GraphOpKind::Reshape;
    back.name = name;
    back.place = op.place;
    back.inputs = {insert(std::move(op), std::nullopt)};
    if (!failed()) {
        back.shape = m_graph.tensor(back.inputs[0]).shape;
        back.shape[0] /= count;
        prepend(back.shape, lead);
    }
    op = std::move(back);
}

} // namespace fabricscope::mlir
