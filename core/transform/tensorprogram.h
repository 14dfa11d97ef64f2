#pragma once

#include "core/base/error.h"
#include "core/base/keytable.h"
#include "core/base/result.h"
#include "core/transform/stageexpr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Programs of computations and collectives, and what may be done with them (manual: transform).
namespace fabricscope::transform {

/// Elements per dimension; empty: one number.
using Extents = std::vector<std::int64_t>;

inline constexpr std::int64_t kMostElements = std::int64_t{1} << 44; ///< Of one tensor.
inline constexpr std::size_t kMostStages = 2000;                     ///< Of a program, with those that steps add.
inline constexpr std::size_t kMostTensors = 2000;
inline constexpr std::size_t kMostDims = 6;
inline constexpr std::int32_t kMostRanks = 1 << 20;
inline constexpr std::int32_t kMostGroups = 1024;

/// How the ranks of a group hold a tensor (manual: transform 1).
struct Layout {
    enum class Kind : std::uint8_t {
        Replicated, ///< The same whole value everywhere.
        Sliced,     ///< Rank r holds slice r of dimension `dim`.
        Local,      ///< Whole values that differ from rank to rank: partial sums.
    };
    Kind kind = Kind::Replicated;
    std::int32_t dim = 0; ///< Sliced only.

    static Layout replicated() { return {}; }
    static Layout sliced(std::int32_t along) { return {Kind::Sliced, along}; }
    static Layout local() { return {Kind::Local, 0}; }
    bool isSliced() const { return kind == Kind::Sliced; }
    bool isLocal() const { return kind == Kind::Local; }
    bool isReplicated() const { return kind == Kind::Replicated; }
    /// "local", "replicated" or "sliced(0)".
    std::string text() const;
    friend bool operator==(const Layout&, const Layout&) = default;
};

/// What a name stands for.
struct Value {
    Extents shape;
    ElementType type = ElementType::Fp32;
    Layout layout;
    std::int32_t group = -1; ///< Pipeline group that holds it; -1: every one, as what is declared.
    friend bool operator==(const Value&, const Value&) = default;
};

/// A declared input or parameter.
struct Tensor {
    std::string name;
    Value value;
    Place place; ///< Not compared.
};

enum class Op : std::uint8_t {
    AllReduce,
    ReduceScatter,
    AllGather,
    Reduce,
    Broadcast,
    Send,
    Slice,
    MatMul,
    Conv,
    Dropout,
    Norm,
    ReduceTensor,
    LayerNorm,
    Update,
    Expr,
};

/// Words of files and results. Reduce and ReduceTensor share one: with `root` it is the collective.
inline constexpr KeyTable<Op, 15> kOps{{{"all_reduce", Op::AllReduce}, {"reduce_scatter", Op::ReduceScatter}, {"all_gather", Op::AllGather}, {"reduce", Op::ReduceTensor}, {"broadcast", Op::Broadcast}, {"send", Op::Send}, {"slice", Op::Slice}, {"matmul", Op::MatMul}, {"conv", Op::Conv}, {"dropout", Op::Dropout}, {"norm", Op::Norm}, {"reduce", Op::Reduce}, {"layer_norm", Op::LayerNorm}, {"update", Op::Update}, {"expr", Op::Expr}}};
std::string opText(Op op);

/// Of all-reduce, reduce-scatter, reduce: how values are joined.
enum class Join : std::uint8_t { Sum, Max, Min };
inline constexpr KeyTable<Join, 3> kJoins{{{"sum", Join::Sum}, {"max", Join::Max}, {"min", Join::Min}}};

/// A value read by a stage; `slice`: of a replicated one this rank's part along that dimension.
struct Operand {
    std::string name;
    std::optional<std::int32_t> slice{};
    friend bool operator==(const Operand&, const Operand&) = default;
};

/// One operation. Its value has the stage's name. Names of values are those of their makers: what is read after an update is the name of the update.
struct Stage {
    std::string name;
    Op op = Op::Expr;
    std::vector<Operand> in; ///< Of expr and update: what the leaves of `expr` number.
    ExprTree expr{};         ///< Expr, Update.
    std::string target{};    ///< Update: the tensor it overwrites.
    Join join = Join::Sum;
    std::int32_t dim = 0;    ///< ReduceScatter, Slice: along which; LayerNorm: over which.
    std::int32_t root = 0;   ///< Reduce, Broadcast.
    double rate = 0;         ///< Dropout: share that becomes 0.
    std::uint64_t seed = 0;  ///< Dropout.
    std::int32_t stride = 1; ///< Conv, both directions.
    std::int32_t pad = 0;    ///< Conv, all four sides.
    bool partial = false;    ///< Norm, ReduceTensor: over the own slice; a scalar all-reduce makes it whole.
    bool ofNorm = false;     ///< AllReduce: makes a partial norm whole, so it takes the root.
    Value value{};           ///< Inferred.
    std::int32_t fused = 0;  ///< Stages of the same number are one kernel; 0: a kernel of its own.
    Place place{};           ///< Not compared.

    bool isScalarAllReduce() const { return op == Op::AllReduce && value.shape.empty(); }
};

/// A program as a value. Stages stand in an order in which they can run.
struct TensorProgram {
    std::int32_t ranks = 1;  ///< Of a group.
    std::int32_t groups = 1; ///< Consecutive groups of a pipeline.
    std::vector<Tensor> tensors;
    std::vector<Stage> stages;
    std::vector<std::string> outputs;
    std::vector<std::vector<std::string>> overlaps; ///< Chains of kernels that run chunk by chunk, each by the name of one member.
    std::int32_t lastFused = 0;

    const Tensor* tensor(std::string_view name) const;
    Tensor* tensor(std::string_view name);
    const Stage* stage(std::string_view name) const;
    Stage* stage(std::string_view name);
    /// Number of a stage; -1: there is none.
    std::int32_t indexOf(std::string_view name) const;
    /// Value of a tensor or a stage; null: there is none.
    const Value* find(std::string_view name) const;
    bool isOutput(std::string_view name) const;
};

/// Whether ranks talk to each other in it.
bool isCommunication(Op op);
/// Collectives of a group: communication but send.
bool isCollective(Op op);
/// Element by element: expr, update, dropout.
bool isPointwise(Op op);

/// Product of the dimensions. \pre within kMostElements.
std::int64_t elementsOf(const Extents& shape);
/// Elements that one rank holds, of the rank with the most: slices are of ceil(n / ranks) rows, the last ones shorter or empty.
std::int64_t elementsPerRank(const Value& value, std::int32_t ranks);
std::int64_t bytesPerRank(const Value& value, std::int32_t ranks);
/// Extents of the slice of `rank`.
Extents localShape(const Value& value, std::int32_t ranks, std::int32_t rank);
/// "[8, N]"-like text of numbers.
std::string shapeText(const Extents& shape);
/// Value of an operand as the stage sees it: of a sliced replicated one the slice. Null name: nothing. \pre the name is known.
Value operandValue(const TensorProgram& program, const Operand& operand);

/// The next update of the tensor that a stage updates, where it writes all that the stage wrote: no other rank needs that. Null: there is none, or the stage is no update.
const Stage* overtakingUpdate(const TensorProgram& program, const Stage& stage);

/// Everything that decides what a program does, as text: equal texts, equal programs. O(size).
std::string canonicalText(const TensorProgram& program);

} // namespace fabricscope::transform
