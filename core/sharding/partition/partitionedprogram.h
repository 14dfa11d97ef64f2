#pragma once

#include "core/sharding/devicelayout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

using ValueId = std::int32_t;

/// A dim that is no longer cut into parts but into windows, which may overlap: the device with index j along the axes of the dim (Layout::dims) holds
/// elements [j * step + offset, j * step + offset + length) of the whole dim; positions outside of [0, N) hold ProgramStep::fill. step may be negative.
struct DimWindow {
    std::int64_t step = 0;
    std::int64_t offset = 0;
    std::int64_t length = 0;
    friend bool operator==(const DimWindow&, const DimWindow&) = default;
};

/// What every device holds of one tensor at one moment: an array of shape `local`, the same on all devices, row-major. Along a dim without a window, elements behind
/// the device's part (Layout) are padding and may be anything: no step may let them reach a valid element, and masks are explicit steps.
struct ProgramValue {
    std::string name;     ///< Of the tensor; versions have the same.
    TensorId tensor = -1; ///< In the graph.
    ElementType type = ElementType::Fp32;
    TensorShape shape; ///< Of the whole tensor.
    Layout layout;
    std::vector<std::optional<DimWindow>> windows; ///< Per dim; empty: none has one.
    TensorShape local;
};

enum class StepKind : std::uint8_t {
    Input, ///< out: an input of the graph, cut as out's layout says. With unreduced axes: arrays whose sum (layout.reduce) over the devices that differ only there is the part.
    /// out = `local` (an op with attributes fit for the local shapes) of the arrays `in`, result shape out.local. As in the graph, but:
    /// Gather: `in[0]` may be cut along local.dim: an id counts from the start of the whole dim; where it is not in the device's valid part the result is 0.
    /// ScatterAdd: the result may be cut along local.dim: ids outside of the device's valid part are left out (`size` is local then). Both: `batch` dims lie alike.
    /// Dropout: indices are those in the whole tensor (out's shape and layout). Reduce, Mean: the sum divided by `wholeCount`.
    /// Concat of windows: Adds, one after the other, all values of the op's tensor but only the last complete.
    /// Windowed dims: Conv, Pool and ConvKernelGrad have no padding left there, ConvInputGrad that of the whole reach of its window on both sides, Slice starts at 0.
    /// A cut dim of Reshape, Broadcast, ... is cut alike in operand and result, so that shapes out.local are right.
    Local,
    Mask,      ///< out = in[0], but elements of padding along `dim` are `fill`.
    KeepFirst, ///< out = in[0] where the index along `axes` is 0, else zeros: a whole value as partial sums (out is unreduced there).
    /// Over groups of devices that differ along `axes` only; group members in rising order of shardIndex(axes).
    AllReduce,     ///< out: element by element, in[0].layout.reduce over the group. `axes` leave unreduced.
    ReduceScatter, ///< AllReduce, then each device keeps its part: `axes` leave unreduced and end the list of `dim`.
    AllGather,     ///< `axes` leave the end of the list of `dim`: parts one behind the other, cut to out.local. The valid elements line up (partsAlign).
    AllToAll,      ///< `axes` leave the end of the list of `dim` and end that of `toDim`.
    Permute,       ///< Each device gets the array of a device whose parts in in[0]'s layout are those it has in out's layout (itself if it can, else the lowest position).
    HaloExchange,  ///< Along `dim`, cut by `axes`, in[0] holds parts and out windows: elements come from the devices that hold them.
    Slice,         ///< `axes`, along which in[0] is the same everywhere, end the list of `dim`; local: each device keeps its part.
    Window,        ///< As HaloExchange, but in[0] is not cut along `dim` (list empty): local.
};

/// What fills places without an element.
enum class Fill : std::uint8_t { Zero, Lowest, Highest, One };

/// Why a collective is there.
struct StepCause {
    std::string op;         ///< That needs or leaves it; empty: wanted of a result.
    std::string annotation; ///< Tensor whose annotation, wanted layout or propagated sharding it serves, such as "annotation of w1".
    std::string text;       ///< One sentence of both and the axes.
};

/// Another way that was not taken.
struct RunnerUp {
    std::string kind;   ///< Word of a StepKind.
    std::string tensor;
    std::int64_t sent = 0; ///< Bytes per device.
};

/// Rows a device needs beyond its part along the cut dim, by index along the axes; padding included, negative: surplus it does not need.
struct Halo {
    std::int64_t left = 0;
    std::int64_t right = 0;
};

struct ProgramStep {
    StepKind kind = StepKind::Local;
    std::vector<ValueId> in;
    ValueId out = -1;
    OpId op = -1; ///< Op of the graph this serves; -1: an input or a final layout.
    bool backward = false;
    GraphOp local;               ///< StepKind::Local.
    std::int64_t wholeCount = 1; ///< Mean: elements that are joined in the whole tensor.
    std::int32_t dim = 0;
    std::int32_t toDim = 0;
    AxisList axes;
    Fill fill = Fill::Zero;
    // Of collectives; bytes as the ring (or pairs) moves them.
    std::int64_t bytes = 0; ///< Local buffer: of an all-gather after it, of the others before it.
    std::int64_t sent = 0;  ///< Per device; the largest.
    std::vector<std::int64_t> sentByIndex; ///< HaloExchange: by index along `axes`.
    std::vector<Halo> halo;                ///< The same; also of an AllGather instead of a halo exchange.
    bool looped = false;                   ///< All-gather or reduce-scatter run as steps of a looped (windowed) einsum: the next shard moves while a partial product runs.
    StepCause cause;
    std::optional<RunnerUp> runnerUp;
};

/// A layout two annotations disagree about.
struct LayoutConflict {
    std::string from; ///< "a [x, -]".
    std::string to;   ///< "c [-, x]".
    std::string reshard; ///< "all_to_all of a over x".
};

/// The program every device runs: values are assigned once and stand before their use. A plain value; nothing in it has the size of the mesh but rows of halos,
/// which have that of one list of axes. Executable from this header, mesh.h and opgraph.h alone.
struct PartitionedProgram {
    Mesh mesh;
    OpGraph graph; ///< Forward and, where asked for, backward ops; runs whole for comparison.
    std::vector<ProgramValue> values;
    std::vector<ProgramStep> steps;
    /// Per tensor of the graph the value in which it ends: of results (and gradients) the one with the layout asked for; else the version its op left, reduced if it ever was.
    /// -1: an input that nothing used. Interpreters compare all of them with the whole run.
    std::vector<ValueId> finals;
    std::vector<AxisList> unreducedByOp; ///< Per tensor: axes along which its op leaves partial results (Layout::unreduced before any reduction).
    std::vector<LayoutConflict> conflicts;
    std::vector<TensorId> gradients; ///< Per tensor of the graph its gradient; -1: none. Empty without backward.

    const ProgramValue& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
};

/// Word of JSON: "all_reduce", "halo_exchange", "slice"; "local", "mask", ... of the others. In stepwords.cpp.
std::string_view wordOf(StepKind kind);
bool isCollective(StepKind kind);

} // namespace fabricscope
