#pragma once

#include "core/model/graph/opgraph.h"
#include "core/sharding/mesh.h"
#include "core/sharding/stablehlo/mlirtext.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope::mlir {

/// What a name of a program stands for.
struct HloValue {
    TensorId tensor = -1; ///< -1: nothing a graph has (indices of top_k).
    /// The tensor is a scalar, repeated over all of `shape`: no op and no memory stand for that.
    bool splat = false;
    TensorShape shape;
    std::string literal; ///< Of a constant: its text.
    std::int64_t counts = -1;         ///< Its elements are their index along this dim (iota); -1: they are not.
    std::vector<HloValue> parts = {}; ///< What was joined along dim `joined`, of integers; of a tuple (without a tensor) its elements.
    std::int64_t joined = -1;

    bool isTuple() const { return tensor < 0 && !parts.empty(); }
};

/// Whose value a tensor of the graph holds that a program computes on every device by itself: of all of them, one behind the other along a leading dim for each of
/// `axes`. Along the others all devices have the same, or should.
struct PerDevice {
    std::vector<std::int32_t> axes;   ///< Of the mesh, rising.
    std::vector<std::int32_t> manual; ///< Those the program was written for, rising; the partitioner has the others.
};

/// Axes of both, rising. In hlolift.cpp.
std::vector<std::int32_t> united(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b);

/// The graph while a program is read into it. After an error, which is kept, nothing is added.
class HloBuilder {
public:
    /// `placed` is told of every tensor per device, on which its layout hangs.
    HloBuilder(OpGraph& graph, const Mesh& mesh, std::function<void(TensorId, const PerDevice&)> placed) : m_graph(graph), m_mesh(mesh), m_placed(std::move(placed)) {}

    /// Begins an op of the program: its names come from its first result, its place is that of all ops made for it.
    void begin(const Operation& op, const std::string& prefix);
    const Operation& operation() const { return *m_op; }
    /// Name of the result in the graph: "%0", in a function that was called "relu.1:%0".
    const std::string& name() const { return m_name; }

    void fail(ErrorCode code, std::string message, std::string expected = {});
    void refuse(std::string message, std::string expected = {}) { fail(ErrorCode::Unsupported, std::move(message), std::move(expected)); }
    bool failed() const { return m_error.has_value(); }
    void setError(Error error);
    Error takeError() { return *std::move(m_error); }

    /// An input of the graph for a value that is no op of it: a constant (integers are run as the number they are), positions.
    TensorId input(const TensorShape& shape, ElementType type, const std::string& suffix = {}, const std::string& literal = {});
    /// An input whose elements are their index along `dim`.
    TensorId counting(const TensorShape& shape, ElementType type, std::int64_t dim, const std::string& suffix = {});
    /// What is known of the tensor stands for it somewhere: where nothing else uses it, it is not needed.
    void bypass(TensorId tensor) { m_bypassed.insert(tensor); }
    const std::set<TensorId>& bypassed() const { return m_bypassed; }
    /// A scalar constant of that text; one input for all that are equal.
    HloValue constant(ElementType type, const std::string& literal);
    /// An input: a scalar that differs from device to device.
    TensorId inputPerDevice(ElementType type, const PerDevice& of);
    /// One op; `suffix` goes behind the name, empty for the last one. -1 after an error. `set` sets its attributes.
    TensorId add(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix = {}, const std::function<void(GraphOp&)>& set = {});
    /// The last op of a result with its declared type, which its shape is compared with.
    HloValue finish(GraphOpKind kind, std::vector<TensorId> operands, const std::function<void(GraphOp&)>& set = {});
    TensorId transposed(TensorId tensor, const std::vector<std::int64_t>& perm, const std::string& suffix);
    TensorId reshaped(TensorId tensor, TensorShape shape, const std::string& suffix);
    /// The value as a tensor of its shape: a broadcast for a splat.
    TensorId whole(const HloValue& value, const std::string& suffix);

    /// Of a tensor per device what one has.
    TensorShape shapeOf(TensorId tensor) const;
    const OpGraph& graph() const { return m_graph; }
    const Mesh& mesh() const { return m_mesh; }

    /// Null: a tensor of the whole program.
    const PerDevice* perDevice(TensorId tensor) const;
    /// Sizes of the leading dims.
    TensorShape leadOf(const PerDevice& of) const;
    /// As add(), but of dims as the graph has them. With `of` the result is per device.
    TensorId addWhole(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix, const std::optional<PerDevice>& of, const std::function<void(GraphOp&)>& set = {});
    /// The tensor with a leading dim for each axis of `to`; copies where it had none. In hlolift.cpp, as the private ones of tensors per device.
    TensorId spread(TensorId tensor, const PerDevice& to, const std::string& suffix);
    /// Type of the first result. \pre known to be a tensor, as every op of the graph has been checked for.
    const Type& resultType() const { return m_op->resultTypes.front(); }

    // Attributes of the op at hand. Errors of what cannot be read; where one is absent the second.
    std::vector<std::int64_t> integers(std::string_view key, std::vector<std::int64_t> otherwise);
    std::vector<std::int64_t> needed(std::string_view key, std::string_view other = {});
    std::int64_t integer(std::string_view key, std::int64_t otherwise);
    /// Integers of a field of a structured attribute.
    std::vector<std::int64_t> fieldIntegers(const Attributes& fields, std::string_view key, std::vector<std::int64_t> otherwise = {});

private:
    std::string freeName(const std::string& wanted);
    GraphOp described(GraphOpKind kind, std::vector<TensorId> operands, const std::string& suffix, const std::function<void(GraphOp&)>& set);
    TensorId insert(GraphOp op, const std::optional<PerDevice>& of);
    void keepPerDevice(TensorId tensor, const PerDevice& of);
    std::optional<PerDevice> joinOfOperands(const std::vector<TensorId>& operands) const;
    void lift(GraphOp& op, const PerDevice& of);
    void liftElementwise(GraphOp& op, const PerDevice& of);
    void liftEinsum(GraphOp& op, const PerDevice& of);
    void liftWindows(GraphOp& op, const PerDevice& of);

    OpGraph& m_graph;
    const Mesh& m_mesh;
    std::function<void(TensorId, const PerDevice&)> m_placed;
    std::map<TensorId, PerDevice> m_perDevice;
    std::set<TensorId> m_bypassed;
    std::map<std::pair<ElementType, std::string>, TensorId> m_constants;
    const Operation* m_op = nullptr;
    std::string m_name;
    std::optional<Error> m_error;
};

/// How the region of a reduction, scatter or the like joins two elements; none for other functions than sum, product, maximum and minimum (of truth values: or, and).
std::optional<ReduceKind> joinOf(const Operation& op);
/// Is the constant what joining by `kind` leaves as it is (0, 1, the least, the greatest)? Of one without literal false.
bool isIdentityOf(ReduceKind kind, const HloValue& value);
bool isZeroLiteral(const std::string& literal);

using HloOperands = std::vector<HloValue>;

/// "LT" of stablehlo.compare in either form; "?" where it has none. In hloelements.cpp.
std::string_view comparisonOf(const Operation& op);

/// Is it one of the table of element functions ("add", "rsqrt"; without dialect)? In hloelements.cpp, as readElementFunction().
bool isElementFunction(std::string_view word);
HloValue readElementFunction(HloBuilder& builder, std::string_view word, const HloOperands& in);

/// So many zeros between neighbours along each dim. In hloshapes.cpp, as trimmedEnds().
TensorId spacedOut(HloBuilder& builder, TensorId tensor, const std::vector<std::int64_t>& between, const std::string& suffix);
/// Without what negative padding takes away, which then is 0.
TensorId trimmedEnds(HloBuilder& builder, TensorId tensor, std::vector<std::int64_t>& low, std::vector<std::int64_t>& high, const std::string& suffix);

// One function per kind of op, in hloelements.cpp, hloshapes.cpp, hloproducts.cpp, hloreductions.cpp, hlowindows.cpp, hloindexed.cpp, hlowhole.cpp, hlonorms.cpp and hlodynamic.cpp. \pre number of operands checked.
HloValue readConstant(HloBuilder& builder);
HloValue readIota(HloBuilder& builder);
HloValue readRandom(HloBuilder& builder, const HloOperands& in);
HloValue readBroadcast(HloBuilder& builder, const HloOperands& in);
HloValue readReshape(HloBuilder& builder, const HloOperands& in);
HloValue readTranspose(HloBuilder& builder, const HloOperands& in);
HloValue readReverse(HloBuilder& builder, const HloOperands& in);
HloValue readSlice(HloBuilder& builder, const HloOperands& in);
HloValue readDynamicSlice(HloBuilder& builder, const HloOperands& in);
HloValue readDynamicUpdateSlice(HloBuilder& builder, const HloOperands& in);
/// The operand with the update from `starts` on, where it fits, as the result of the op at hand.
HloValue finishReplaced(HloBuilder& builder, TensorId operand, TensorId update, const std::vector<std::int64_t>& starts);
HloValue readPad(HloBuilder& builder, const HloOperands& in, Diagnostics& notes);
HloValue readConcatenate(HloBuilder& builder, const HloOperands& in);
HloValue readClamp(HloBuilder& builder, const HloOperands& in);
HloValue readDotGeneral(HloBuilder& builder, const HloOperands& in);
HloValue readDot(HloBuilder& builder, const HloOperands& in);
HloValue readConvolution(HloBuilder& builder, const HloOperands& in);
HloValue readReduce(HloBuilder& builder, const HloOperands& in);
HloValue readReduceWindow(HloBuilder& builder, const HloOperands& in);
HloValue readSelectAndScatter(HloBuilder& builder, const HloOperands& in);
HloValue readSort(HloBuilder& builder, const HloOperands& in);
/// `k` of an op of the largest, in all its forms.
std::int64_t largestCount(HloBuilder& builder);
HloValue readTopK(HloBuilder& builder, const HloOperands& in);
HloValue readGather(HloBuilder& builder, const HloOperands& in);
HloValue readCholesky(HloBuilder& builder, const HloOperands& in, Diagnostics& notes);
HloValue readTriangularSolve(HloBuilder& builder, const HloOperands& in, Diagnostics& notes);
HloValue readFft(HloBuilder& builder, const HloOperands& in, Diagnostics& notes);
HloValue readEinsum(HloBuilder& builder, const HloOperands& in);
HloValue readBatchNormInference(HloBuilder& builder, const HloOperands& in);
/// The result, mean and variance.
std::vector<HloValue> readBatchNormTraining(HloBuilder& builder, const HloOperands& in);
/// "Sharding" of a custom_call in either form; empty: not said.
std::string calledName(const Operation& op);
/// A custom_call of something of which nothing is known; its results, each a function of all operands.
bool isForeignCall(const Operation& op);
std::vector<HloValue> readForeignCall(HloBuilder& builder, const HloOperands& in, Diagnostics& notes);
HloValue readScatter(HloBuilder& builder, const HloOperands& in);

/// Next state and bits. In hloelements.cpp.
std::vector<HloValue> readRandomBits(HloBuilder& builder);

// Ops of several results. In hlopairs.cpp.
std::vector<HloValue> readTopKAndIndices(HloBuilder& builder, const HloOperands& in);
std::vector<HloValue> readSortTogether(HloBuilder& builder, const HloOperands& in);
std::vector<HloValue> readReduceTogether(HloBuilder& builder, const HloOperands& in);

/// Is it a collective of programs written for one device, or what asks which it is ("all_reduce", "partition_id"; without dialect)? In hlocollectives.cpp, as readCollective().
bool isCollectiveWord(std::string_view word);
std::vector<HloValue> readCollective(HloBuilder& builder, std::string_view word, const HloOperands& in, const std::vector<std::int32_t>& manual);

} // namespace fabricscope::mlir
