#include "core/sharding/stablehlo/deviceregion.h"

#include <algorithm>

namespace fabricscope::mlir {

namespace {

/// Of every dim the axes of the program, which stand before those of the partitioner; false: an error.
bool axesOfProgram(HloBuilder& builder, const std::vector<AxisList>& dims, const std::vector<std::int32_t>& manual, std::vector<std::vector<std::int32_t>>& own)
{
    for (const AxisList& list : dims) {
        std::vector<std::int32_t>& axes = own.emplace_back();
        bool others = false;
        for (const AxisPart& part : list) {
            const bool is = std::ranges::binary_search(manual, part.axis);
            if (is && (others || part.pre != 1 || part.size != builder.mesh().axes[static_cast<std::size_t>(part.axis)].size)) {
                builder.refuse("its sharding has " + std::string(others ? "axes of the program behind others" : "parts of axes"), "whole axes of the program, before others");
                return false;
            }
            if (is)
                axes.push_back(part.axis);
            others |= !is;
        }
    }
    return true;
}

std::vector<std::int32_t> risingOf(const std::vector<std::vector<std::int32_t>>& lists)
{
    std::vector<std::int32_t> all;
    for (const std::vector<std::int32_t>& list : lists)
        all.insert(all.end(), list.begin(), list.end());
    std::ranges::sort(all);
    return all;
}

/// [for each dim its axes, then what a device has of it], and where the leading dims of `rising` and the local ones stand in that.
struct CutDims {
    TensorShape shape;
    std::vector<std::int64_t> places;
};

CutDims cutDims(const Mesh& mesh, const TensorShape& local, const std::vector<std::vector<std::int32_t>>& own, const std::vector<std::int32_t>& rising)
{
    CutDims cut;
    cut.places.resize(rising.size());
    std::vector<std::int64_t> behind;
    for (std::size_t d = 0; d < local.size(); ++d) {
        for (const std::int32_t axis : own[d]) {
            cut.places[static_cast<std::size_t>(std::ranges::lower_bound(rising, axis) - rising.begin())] = static_cast<std::int64_t>(cut.shape.size());
            cut.shape.push_back(mesh.axes[static_cast<std::size_t>(axis)].size);
        }
        behind.push_back(static_cast<std::int64_t>(cut.shape.size()));
        cut.shape.push_back(local[d]);
    }
    cut.places.insert(cut.places.end(), behind.begin(), behind.end());
    return cut;
}

} // namespace

TensorAnnotation layoutOf(const HloBuilder& builder, TensorId tensor, const PerDevice& of, std::size_t dims)
{
    TensorAnnotation note;
    note.tensor = tensor;
    note.dims.emplace(dims);
    note.priority.assign(dims, 0);
    for (std::size_t i = 0; i < of.axes.size(); ++i)
        (*note.dims)[i] = {wholeAxis(builder.mesh(), of.axes[i])};
    // Without axes of its own the partitioner has no choice.
    note.closed.assign(dims, of.manual.size() == builder.mesh().axes.size() ? 1 : 0);
    std::fill_n(note.closed.begin(), of.axes.size(), char{1});
    for (const std::int32_t axis : of.manual) {
        if (!std::ranges::binary_search(of.axes, axis))
            note.replicated.push_back(wholeAxis(builder.mesh(), axis));
    }
    note.place = builder.operation().place;
    return note;
}

HloValue enterRegion(HloBuilder& builder, const HloValue& value, const std::vector<AxisList>& dims, const std::vector<std::int32_t>& manual, const std::string& suffix,
                     const std::function<void(TensorId)>& layOut)
{
    const TensorId whole = builder.whole(value, suffix + ".whole");
    std::vector<std::vector<std::int32_t>> own;
    if (builder.failed() || !axesOfProgram(builder, dims, manual, own))
        return {};
    if (builder.perDevice(whole)) {
        builder.refuse("a program per device inside another is not read", "an operand of the whole program");
        return {};
    }
    const PerDevice of{risingOf(own), manual};
    TensorShape local = value.shape;
    for (std::size_t d = 0; d < local.size(); ++d) {
        for (const std::int32_t axis : own[d]) {
            const std::int64_t size = builder.mesh().axes[static_cast<std::size_t>(axis)].size;
            if (local[d] % size != 0) {
                builder.refuse("dim " + std::to_string(d) + " of " + shapeText(value.shape) + " is not divided by its axes", "parts of one size for a program per device");
                return {};
            }
            local[d] /= size;
        }
    }
    if (of.axes.empty())
        return {builder.addWhole(GraphOpKind::Copy, {whole}, suffix, of), false, local, {}};
    const TensorId laid = builder.addWhole(GraphOpKind::Copy, {whole}, suffix + ".laid", std::nullopt);
    if (builder.failed())
        return {};
    layOut(laid);
    const CutDims cut = cutDims(builder.mesh(), local, own, of.axes);
    const TensorId parts = builder.addWhole(GraphOpKind::Reshape, {laid}, suffix + ".parts", std::nullopt, [&](GraphOp& op) { op.shape = cut.shape; });
    const TensorId made = builder.addWhole(GraphOpKind::Transpose, {parts}, suffix, of, [&](GraphOp& op) { op.dims = cut.places; });
    return {made, false, local, {}};
}

HloValue leaveRegion(HloBuilder& builder, const HloValue& value, const std::vector<AxisList>& dims, const std::vector<std::int32_t>& manual, const TensorShape& shape, const std::string& suffix,
                     const std::function<void(TensorId)>& layOut, Diagnostics& notes)
{
    TensorId tensor = builder.whole(value, suffix + ".whole");
    std::vector<std::vector<std::int32_t>> own;
    if (builder.failed() || !axesOfProgram(builder, dims, manual, own))
        return {};
    const std::vector<std::int32_t> wanted = risingOf(own);
    PerDevice of{wanted, manual};
    if (const PerDevice* const has = builder.perDevice(tensor))
        of.axes = united(has->axes, wanted);
    const TensorShape local = builder.shapeOf(tensor);
    tensor = builder.spread(tensor, of, suffix + ".each");
    if (of.axes.size() > wanted.size() && !builder.failed()) {
        TensorShape lead = builder.leadOf(of);
        for (std::size_t i = 0; i < lead.size(); ++i)
            lead[i] = std::ranges::binary_search(wanted, of.axes[i]) ? lead[i] : 1;
        lead.insert(lead.end(), local.begin(), local.end());
        tensor = builder.addWhole(GraphOpKind::Slice, {tensor}, suffix + ".first", std::nullopt, [&](GraphOp& op) {
            op.starts.assign(lead.size(), 0);
            op.limits = lead;
            op.strides.assign(lead.size(), 1);
        });
        TensorShape rest = builder.leadOf({wanted, manual});
        rest.insert(rest.end(), local.begin(), local.end());
        tensor = builder.addWhole(GraphOpKind::Reshape, {tensor}, suffix + ".one", std::nullopt, [&](GraphOp& op) { op.shape = rest; });
        notes.push_back(note("taken-from-first-device", "op " + builder.name() + " (" + builder.operation().name + "): its result is said to be the same on all devices of an axis along which it may differ; that of the first is taken", builder.operation().place));
    }
    if (builder.failed())
        return {};
    const CutDims cut = cutDims(builder.mesh(), local, own, wanted);
    std::vector<std::int64_t> back(cut.places.size());
    for (std::size_t i = 0; i < cut.places.size(); ++i)
        back[static_cast<std::size_t>(cut.places[i])] = static_cast<std::int64_t>(i);
    const TensorId parts = builder.addWhole(GraphOpKind::Transpose, {tensor}, suffix + ".parts", std::nullopt, [&](GraphOp& op) { op.dims = back; });
    const TensorId made = builder.addWhole(GraphOpKind::Reshape, {parts}, suffix, std::nullopt, [&](GraphOp& op) { op.shape = shape; });
    if (!builder.failed())
        layOut(made);
    return {made, false, shape, {}};
}

} // namespace fabricscope::mlir
