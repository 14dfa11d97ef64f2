#pragma once

#include "core/base/result.h"
#include "core/model/graph/elementtype.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Sizes of the dims of a tensor, dim 0 first; empty: a scalar.
using TensorShape = std::vector<std::int64_t>;

/// Index of a tensor in OpGraph::tensors, of an op in OpGraph::ops.
using TensorId = std::int32_t;
using OpId = std::int32_t;

/// What an op computes. Operands are those of GraphOp::inputs in order. Elementwise ops (isElementwise()) broadcast as numpy does: shapes are aligned at their last
/// dims, a dim of size 1 or a missing one is repeated.
enum class GraphOpKind : std::uint8_t {
    Einsum,    ///< 1 to 8 operands, GraphOp::letters; a letter absent from the result is summed over. No letter twice in one operand.
    Add, Sub, Mul, Div, Max, Min,                                    ///< Elementwise, two operands.
    Relu, Gelu, Silu, Tanh, Sigmoid, Exp, Log, Sqrt, Neg, Copy, Cast, ///< Elementwise, one operand. Cast: to GraphOp::type.
    Dropout,   ///< Elementwise, one operand: an element is zeroed where a hash of (seed, its row-major index in the whole tensor) says so, with share `rate`.
    Select,    ///< Elementwise (p, a, b): a where p is not 0, else b.
    Map,       ///< Elementwise, one to three operands: the function of elements that GraphOp::function names ("rsqrt", "compare LT"). Nothing is known of it; it has no gradient.
    Reshape,   ///< To `shape`, row-major order kept.
    Transpose, ///< Dim i of the result is dim perm[i] of the operand.
    Broadcast, ///< To `shape`; dim i of the operand becomes dim dims[i] of the result (rising order); a dim of size 1 may grow. With `k` (gradients of means) divided by it.
    Slice,     ///< [starts, limits) with steps `strides`, one of each per dim.
    Pad,       ///< `low` and `high` zeros before and behind every dim.
    Concat,    ///< Operands one behind the other along `dim`.
    Reverse,   ///< Along every dim of `dims`.
    Reduce,    ///< Over `dims`, which vanish, by `reduce`.
    Softmax,   ///< Along `dim`.
    LayerNorm, ///< Along `dim`: (x - mean) / standard deviation, no parameters.
    Conv,      ///< (x [N,H,W,Ci], kernel [kh,kw,Ci/groups,Co]) -> [N,oh,ow,Co]; `windows` has one row for H and one for W. Over one dim or three alike.
    Gather,    ///< (table, ids) -> table dims before `dim`, dims of ids, table dims behind `dim`. Ids count from 0; interpreters take them modulo the size. The first `batch` dims
               ///< of both are the same ones (each batch has a table and ids of its own) and stand in the result once.
    ScatterAdd, ///< (base, ids, updates), or (ids, updates) with a base of zeros and `size` rows along `dim`: result[.., ids[i], ..] += updates[.., i, ..]; `batch` as of Gather.
                ///< With a base updates may also be joined to it by another `reduce`; by Last they replace it, the last one where ids are equal.
    Sort,      ///< Rising along `dim`.
    TopK,      ///< The `k` largest values along `dim`, falling.
    CumSum,    ///< All elements up to each along `dim`, joined by `reduce`: sums, products, maxima or minima.
    Pool,      ///< x [N,H,W,C], `windows` for H and W, by `reduce` (Max, Sum, Mean of the whole window with padding counted as zeros).
    Opaque,    ///< One to 64 operands with the same first `batch` dims -> `shape`, which begins with them: what `function` names of each element of the batch by itself (a
               ///< factorisation of a matrix, a transform). Nothing else is known of it; it has no gradient.
    // Made by gradients alone. dy has the shape of the result of the op that is derived.
    UnaryGrad,      ///< Elementwise (x, dy): dy times the derivative of op `of` at x.
    ChoiceGrad,     ///< Elementwise: of Max or Min (a, b, dy): dy where a (side 0; on a tie too) or b (side 1) was taken, else 0; of Select (p, dy): dy where p is not 0
                    ///< (side 0) or is 0 (side 1); of Reduce or its like (x, y, dy): dy where x == y.
    SoftmaxGrad,    ///< (y, dy): y * (dy - sum along dim of y * dy).
    LayerNormGrad,  ///< (x, dy), along `dim`.
    SortGrad,       ///< (x, dy) along `dim`: dy at the places the sorted values came from (equal values keep their order).
    TopKGrad,       ///< (x, dy) along `dim`: the same for the `k` largest, zero elsewhere.
    PoolGrad,       ///< (x, dy) -> shape of x, `windows`, `reduce`; of a maximum that stands several times in a window the first.
    ConvInputGrad,  ///< (dy, kernel) -> `shape` of x.
    ConvKernelGrad, ///< (x, dy) -> `shape` of the kernel.
};

/// Which way axes may spread over a Copy.
enum class AxisFlow : std::uint8_t { Both, Forward, Backward, None };

enum class ReduceKind : std::uint8_t {
    Sum, Max, Min, Mean, Product,
    Last ///< The later one replaces the earlier; of ScatterAdd alone.
};

/// One spatial dim of a convolution or pooling. Result position o covers operand positions o * stride - padLow + t * dilation, 0 <= t < size.
struct WindowDim {
    std::int64_t size = 1;
    std::int64_t stride = 1;
    std::int64_t padLow = 0;
    std::int64_t padHigh = 0;
    std::int64_t dilation = 1;
    friend bool operator==(const WindowDim&, const WindowDim&) = default;
};

struct GraphTensor {
    std::string name;
    TensorShape shape;
    ElementType type = ElementType::Fp32;
    OpId producer = -1; ///< -1: an input or a parameter.
    Place place;        ///< Where the file says so.
    std::int64_t counts = -1; ///< An input whose elements are their index along this dim; -1: anything.
    std::optional<std::int64_t> number = {}; ///< An input whose elements all are this.
};

/// One op; which members count depends on its kind.
struct GraphOp {
    std::string name; ///< Also of its result.
    GraphOpKind kind = GraphOpKind::Copy;
    std::vector<TensorId> inputs;
    TensorId output = -1;
    std::string function;             ///< Map, Opaque: its name, not empty.
    std::vector<std::string> letters; ///< Einsum: one text per operand, then that of the result.
    TensorShape shape;                ///< Reshape, Broadcast, Opaque, grads of shapes.
    std::vector<std::int64_t> dims;   ///< Reduce, Broadcast, Reverse; perm of Transpose.
    std::vector<std::int64_t> starts, limits, strides; ///< Slice.
    std::vector<std::int64_t> low, high;               ///< Pad.
    std::vector<WindowDim> windows;
    std::int64_t dim = 0;
    std::int64_t batch = 0;  ///< Gather, ScatterAdd: at most `dim`; Opaque.
    std::int64_t k = 0;      ///< TopK; Broadcast of a gradient: divisor, 0: none.
    std::int64_t size = 0;   ///< ScatterAdd without base.
    std::int64_t groups = 1; ///< Conv and its gradients.
    ReduceKind reduce = ReduceKind::Sum;
    GraphOpKind of = GraphOpKind::Copy; ///< UnaryGrad, ChoiceGrad.
    int side = 0;             ///< ChoiceGrad.
    AxisFlow flow = AxisFlow::Both; ///< Copy.
    std::uint64_t seed = 0;   ///< Dropout.
    double rate = 0;
    std::optional<ElementType> type;  ///< Cast; else that of the first floating operand.
    std::optional<double> flops;      ///< Forward FLOPs as a file gives them, instead of counted ones.
    Place place;
};

/// A model as a directed acyclic graph of ops over named tensors; ops stand in an order in which operands come before what uses them. A plain value.
class OpGraph {
public:
    static constexpr std::size_t kMaxOps = 200'000;
    static constexpr std::size_t kMaxDims = 12;
    static constexpr std::int64_t kMaxElements = std::int64_t{1} << 48; ///< Of one tensor.

    std::vector<GraphTensor> tensors;
    std::vector<GraphOp> ops;

    /// Adds an input or parameter. Errors: a name that exists, too many dims or elements, a dim below 1 (place of the tensor).
    Result<TensorId> addInput(GraphTensor tensor);
    /// Infers the shape of the result, adds op and result (named as the op). Errors name op and operand, at the op's place; the graph stays as it was.
    Result<TensorId> addOp(GraphOp op);

    std::optional<TensorId> find(std::string_view name) const; ///< O(log tensors).
    /// Per tensor the ops that use it, each once, rising. O(graph).
    std::vector<std::vector<OpId>> users() const;
    const GraphTensor& tensor(TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
    const GraphOp& op(OpId id) const { return ops[static_cast<std::size_t>(id)]; }
    /// Tensors no op uses that ops made, in order.
    std::vector<TensorId> results() const;

private:
    std::map<std::string, TensorId, std::less<>> m_names;
};

bool isElementwise(GraphOpKind kind);
/// From the operand to the result, and back.
constexpr bool goesForward(AxisFlow flow) { return flow == AxisFlow::Both || flow == AxisFlow::Forward; }
constexpr bool goesBackward(AxisFlow flow) { return flow == AxisFlow::Both || flow == AxisFlow::Backward; }

/// Word of files; gradient ops have words of their own ("softmax_grad"), which files may not use.
std::string_view wordOf(GraphOpKind kind);
/// The kind a file means, none for gradient ops and unknown words.
std::optional<GraphOpKind> opKindOf(std::string_view word);
/// All words a file may use.
std::vector<std::string_view> opWords();

/// Number of elements. \pre a shape of a graph.
std::int64_t elementsOf(const TensorShape& shape);
/// Bytes of the whole tensor.
std::int64_t bytesOf(const GraphTensor& tensor);
/// "[64, 32]".
std::string shapeText(const TensorShape& shape);

/// Shape of the result of an op whose operands are in the graph; fills what may be left out (strides of Slice, windows' sizes). Errors as addOp(). In infershape.cpp.
Result<TensorShape> inferShape(const OpGraph& graph, GraphOp& op);

} // namespace fabricscope
