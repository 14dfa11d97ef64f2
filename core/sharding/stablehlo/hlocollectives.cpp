// Collectives of programs written for one device, as what they do to the values of all of them.
#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace fabricscope::mlir {

namespace {

using AxisIds = std::vector<std::int32_t>;

AxisIds less(const AxisIds& a, const AxisIds& b)
{
    AxisIds rest;
    std::ranges::set_difference(a, b, std::back_inserter(rest));
    return rest;
}

bool has(const AxisIds& list, std::int32_t axis)
{
    return std::ranges::binary_search(list, axis);
}

/// Rows and columns of "dense<...> : tensor<2x4xi64>".
std::optional<std::pair<std::int64_t, std::int64_t>> tableSize(std::string_view text)
{
    const std::size_t type = text.rfind("tensor<");
    std::int64_t sizes[2] = {0, 0};
    std::string_view rest = type == std::string_view::npos ? std::string_view() : text.substr(type + 7);
    for (std::int64_t& size : sizes) {
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
        if (problem != std::errc{} || size < 1 || end == rest.data() + rest.size() || *end != 'x')
            return std::nullopt;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
    }
    return std::pair(sizes[0], sizes[1]);
}

/// The integers of an attribute that is a table with such rows; ids of devices as positions on the mesh.
struct DeviceTable {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<std::int64_t> positions;
};

std::optional<DeviceTable> deviceTable(HloBuilder& builder, std::string_view key)
{
    const auto found = builder.operation().attributes.find(key);
    const auto size = found == builder.operation().attributes.end() ? std::nullopt : tableSize(found->second.text);
    const std::vector<std::int64_t> ids = builder.needed(key);
    if (builder.failed())
        return std::nullopt;
    DeviceTable table{size ? size->first : 0, size ? size->second : 0, ids};
    const std::int64_t devices = builder.mesh().devices();
    const auto count = static_cast<std::int64_t>(ids.size());
    if (!size || count != table.rows * table.columns || std::ranges::any_of(ids, [&](std::int64_t id) { return id < 0 || id >= devices; })) {
        builder.refuse(std::string(key) + " is not read", "a table of ids of the " + std::to_string(devices) + " devices of the mesh");
        return std::nullopt;
    }
    if (const std::vector<std::int32_t>& order = builder.mesh().deviceOrder; !order.empty()) {
        std::vector<std::int64_t> positions(order.size(), 0);
        for (std::size_t position = 0; position < order.size(); ++position)
            positions[static_cast<std::size_t>(order[position])] = static_cast<std::int64_t>(position);
        for (std::int64_t& id : table.positions)
            id = positions[static_cast<std::size_t>(id)];
    }
    return table;
}

/// Places between neighbours along an axis.
std::int64_t strideOf(const Mesh& mesh, std::int32_t axis)
{
    std::int64_t stride = 1;
    for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < mesh.axes.size(); ++a)
        stride *= mesh.axes[a].size;
    return stride;
}

/// Does every row have one combination of these axes after the other, the first axis most significant?
bool rowsGoAlong(const Mesh& mesh, const AxisIds& axes, const DeviceTable& table)
{
    for (std::int64_t row = 0; row < table.rows; ++row) {
        const std::int64_t base = table.positions[static_cast<std::size_t>(row * table.columns)];
        for (std::int64_t column = 0; column < table.columns; ++column) {
            std::int64_t wanted = base;
            std::int64_t rest = column;
            for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
                const std::int64_t size = mesh.axes[static_cast<std::size_t>(*axis)].size;
                if (column == 0 && mesh.coordinate(base, *axis) != 0)
                    return false;
                wanted += rest % size * strideOf(mesh, *axis);
                rest /= size;
            }
            if (table.positions[static_cast<std::size_t>(row * table.columns + column)] != wanted)
                return false;
        }
    }
    return true;
}

/// The axes whose combinations the groups are; an error where they are none.
std::optional<AxisIds> groupAxes(HloBuilder& builder, const AxisIds& manual)
{
    const auto table = deviceTable(builder, "replica_groups");
    if (!table)
        return std::nullopt;
    AxisIds longer;
    for (const std::int32_t axis : manual) {
        if (builder.mesh().axes[static_cast<std::size_t>(axis)].size > 1)
            longer.push_back(axis);
    }
    constexpr std::size_t kMostAxes = 12;
    for (std::uint32_t mask = 0; longer.size() <= kMostAxes && mask < 1U << longer.size(); ++mask) {
        AxisIds axes;
        std::int64_t size = 1;
        for (std::size_t i = 0; i < longer.size(); ++i) {
            if ((mask >> i & 1U) != 0) {
                axes.push_back(longer[i]);
                size *= builder.mesh().axes[static_cast<std::size_t>(longer[i])].size;
            }
        }
        if (size == table->columns && table->rows * size == builder.mesh().devices() && rowsGoAlong(builder.mesh(), axes, *table))
            return axes;
    }
    builder.refuse("its groups are no lines along axes of the mesh", "groups of all devices that differ along some axes, in the order of the mesh");
    return std::nullopt;
}

/// A tensor per device while dims move between devices and itself: which axis or dim each dim of the graph is.
class Moved {
public:
    Moved(HloBuilder& builder, TensorId tensor, PerDevice of) : m_builder(builder), m_tensor(builder.spread(tensor, of, ".each")), m_of(std::move(of)), m_local(builder.shapeOf(m_tensor)) {}

    const PerDevice& of() const { return m_of; }
    const AxisIds& axes() const { return m_of.axes; }
    TensorShape& local() { return m_local; }
    std::int64_t leading(std::int32_t axis) const { return std::ranges::lower_bound(m_of.axes, axis) - m_of.axes.begin(); }
    std::int64_t dim(std::size_t local) const { return static_cast<std::int64_t>(m_of.axes.size() + local); }
    TensorShape lead(const AxisIds& axes) const { return m_builder.leadOf({axes, m_of.manual}); }

    void reshape(TensorShape shape, const std::string& suffix)
    {
        m_tensor = m_builder.addWhole(GraphOpKind::Reshape, {m_tensor}, suffix, std::nullopt, [&](GraphOp& op) { op.shape = std::move(shape); });
    }
    void transpose(std::vector<std::int64_t> perm, const std::string& suffix)
    {
        m_tensor = m_builder.addWhole(GraphOpKind::Transpose, {m_tensor}, suffix, std::nullopt, [&](GraphOp& op) { op.dims = std::move(perm); });
    }
    void reduce(ReduceKind kind, const AxisIds& group, const std::string& suffix, bool last)
    {
        const AxisIds rest = less(m_of.axes, group);
        m_tensor = m_builder.addWhole(group.empty() ? GraphOpKind::Copy : GraphOpKind::Reduce, {m_tensor}, suffix, last ? std::optional(PerDevice{rest, m_of.manual}) : std::nullopt, [&](GraphOp& op) {
            op.reduce = kind;
            for (const std::int32_t axis : group)
                op.dims.push_back(leading(axis));
        });
        m_of.axes = rest;
    }
    /// The last op: [leading dims of `axes`, local].
    TensorId ended(const AxisIds& axes)
    {
        TensorShape shape = lead(axes);
        shape.insert(shape.end(), m_local.begin(), m_local.end());
        return m_builder.addWhole(GraphOpKind::Reshape, {m_tensor}, {}, PerDevice{axes, m_of.manual}, [&](GraphOp& op) { op.shape = std::move(shape); });
    }
    TensorId tensor() const { return m_tensor; }

private:
    HloBuilder& m_builder;
    TensorId m_tensor;
    PerDevice m_of;
    TensorShape m_local;
};

Moved movedFor(HloBuilder& builder, const HloValue& value, const AxisIds& group, const AxisIds& manual)
{
    const TensorId tensor = builder.whole(value, ".operand");
    const PerDevice* const own = builder.perDevice(tensor);
    return {builder, tensor, {own ? united(own->axes, group) : group, own ? united(own->manual, manual) : manual}};
}

/// A dim of the local shape from an attribute.
std::optional<std::size_t> dimOf(HloBuilder& builder, std::string_view key, const TensorShape& shape)
{
    const std::vector<std::int64_t> dim = builder.needed(key);
    if (!builder.failed() && dim.size() == 1 && dim[0] >= 0 && dim[0] < static_cast<std::int64_t>(shape.size()))
        return static_cast<std::size_t>(dim[0]);
    builder.fail(ErrorCode::InvalidInput, std::string(key) + " is no dim of " + shapeText(shape));
    return std::nullopt;
}

std::int64_t groupSize(const HloBuilder& builder, const AxisIds& group)
{
    return elementsOf(builder.leadOf({group, {}}));
}

/// Cuts a dim into parts for the members of a group, which stand before it. False: they do not divide it.
bool cut(HloBuilder& builder, Moved& moved, std::size_t dim, const AxisIds& group)
{
    const std::int64_t parts = groupSize(builder, group);
    if (moved.local()[dim] % parts != 0) {
        builder.fail(ErrorCode::InvalidInput, "dim " + std::to_string(dim) + " of " + shapeText(moved.local()) + " is no multiple of the " + std::to_string(parts) + " of a group");
        return false;
    }
    TensorShape shape = moved.lead(moved.axes());
    moved.local()[dim] /= parts;
    for (std::size_t d = 0; d < moved.local().size(); ++d) {
        if (d == dim) {
            const TensorShape members = moved.lead(group);
            shape.insert(shape.end(), members.begin(), members.end());
        }
        shape.push_back(moved.local()[d]);
    }
    moved.reshape(std::move(shape), ".cut");
    return true;
}

TensorId gathered(HloBuilder& builder, Moved moved, std::size_t dim, const AxisIds& group)
{
    const AxisIds rest = less(moved.axes(), group);
    std::vector<std::int64_t> perm;
    for (const std::int32_t axis : rest)
        perm.push_back(moved.leading(axis));
    for (std::size_t d = 0; d < moved.local().size(); ++d) {
        for (std::size_t g = 0; d == dim && g < group.size(); ++g)
            perm.push_back(moved.leading(group[g]));
        perm.push_back(moved.dim(d));
    }
    moved.transpose(std::move(perm), ".beside");
    moved.local()[dim] *= groupSize(builder, group);
    return moved.ended(rest);
}

TensorId scattered(HloBuilder& builder, Moved moved, ReduceKind kind, std::size_t dim, const AxisIds& group)
{
    const AxisIds all = moved.axes();
    moved.reduce(kind, group, ".reduced", false);
    const AxisIds rest = moved.axes();
    if (!cut(builder, moved, dim, group))
        return -1;
    // [rest, local dims up to it, group, it, ...]
    std::vector<std::int64_t> perm;
    for (const std::int32_t axis : all) {
        const auto member = std::ranges::lower_bound(group, axis) - group.begin();
        perm.push_back(has(group, axis) ? static_cast<std::int64_t>(rest.size() + dim) + member : moved.leading(axis));
    }
    for (std::size_t d = 0; d < moved.local().size(); ++d)
        perm.push_back(static_cast<std::int64_t>(rest.size() + d + (d >= dim ? group.size() : 0)));
    moved.transpose(std::move(perm), ".parts");
    return moved.ended(all);
}

TensorId exchanged(HloBuilder& builder, Moved moved, std::size_t split, std::size_t concat, const AxisIds& group)
{
    if (!cut(builder, moved, split, group))
        return -1;
    const auto local = [&](std::size_t d) { return moved.dim(d) + (d >= split ? static_cast<std::int64_t>(group.size()) : 0); };
    std::vector<std::int64_t> perm;
    for (const std::int32_t axis : moved.axes()) {
        const auto member = std::ranges::lower_bound(group, axis) - group.begin();
        perm.push_back(has(group, axis) ? moved.dim(split) + member : moved.leading(axis));
    }
    for (std::size_t d = 0; d < moved.local().size(); ++d) {
        for (std::size_t g = 0; d == concat && g < group.size(); ++g)
            perm.push_back(moved.leading(group[g]));
        perm.push_back(local(d));
    }
    moved.transpose(std::move(perm), ".exchanged");
    moved.local()[concat] *= groupSize(builder, group);
    return moved.ended(moved.axes());
}

/// The axis along which all pairs go as far, how far, and whether they go round.
struct Shift {
    std::int32_t axis = -1;
    std::int64_t by = 0;
    bool round = false;
};

std::optional<Shift> shiftOf(HloBuilder& builder, const AxisIds& manual)
{
    const auto table = deviceTable(builder, "source_target_pairs");
    if (!table)
        return std::nullopt;
    const Mesh& mesh = builder.mesh();
    for (const std::int32_t axis : manual) {
        const std::int64_t size = mesh.axes[static_cast<std::size_t>(axis)].size;
        const std::int64_t stride = strideOf(mesh, axis);
        const auto along = [&](std::int64_t row) {
            const std::int64_t from = table->positions[static_cast<std::size_t>(2 * row)];
            const std::int64_t to = table->positions[static_cast<std::size_t>(2 * row + 1)];
            const std::int64_t by = mesh.coordinate(to, axis) - mesh.coordinate(from, axis);
            return from + by * stride == to ? std::optional(by) : std::nullopt;
        };
        const auto first = table->columns == 2 ? along(0) : std::nullopt;
        if (!first || *first == 0)
            continue;
        bool same = true;
        bool sameRound = true;
        for (std::int64_t row = 0; row < table->rows && sameRound; ++row) {
            const auto by = along(row);
            same = same && by == first;
            sameRound = by && (*by - *first) % size == 0;
        }
        const std::int64_t others = mesh.devices() / size;
        if (sameRound && table->rows == mesh.devices())
            return Shift{axis, *first, true};
        if (same && table->rows == (size - std::abs(*first)) * others)
            return Shift{axis, *first, false};
    }
    builder.refuse("its pairs are no shift along one axis of the mesh", "every device to the one as far along an axis, with or without the ends joined");
    return std::nullopt;
}

TensorId shifted(HloBuilder& builder, const Moved& moved, const Shift& shift)
{
    if (builder.failed())
        return -1;
    const std::int64_t size = builder.mesh().axes[static_cast<std::size_t>(shift.axis)].size;
    const auto dim = static_cast<std::size_t>(moved.leading(shift.axis));
    TensorShape whole = moved.lead(moved.axes());
    const TensorShape local = builder.shapeOf(moved.tensor());
    whole.insert(whole.end(), local.begin(), local.end());
    const auto part = [&](std::int64_t from, std::int64_t to, const std::string& suffix) {
        return builder.addWhole(GraphOpKind::Slice, {moved.tensor()}, suffix, std::nullopt, [&](GraphOp& op) {
            op.starts.assign(whole.size(), 0);
            op.limits = whole;
            op.strides.assign(whole.size(), 1);
            op.starts[dim] = from;
            op.limits[dim] = to;
        });
    };
    if (shift.round) {
        const std::int64_t by = (shift.by % size + size) % size;
        const TensorId last = part(size - by, size, ".last");
        const TensorId first = part(0, size - by, ".first");
        return builder.addWhole(GraphOpKind::Concat, {last, first}, {}, moved.of(), [&](GraphOp& op) { op.dim = static_cast<std::int64_t>(dim); });
    }
    const TensorId kept = shift.by > 0 ? part(0, size - shift.by, ".kept") : part(-shift.by, size, ".kept");
    return builder.addWhole(GraphOpKind::Pad, {kept}, {}, moved.of(), [&](GraphOp& op) {
        op.low.assign(whole.size(), 0);
        op.high.assign(whole.size(), 0);
        (shift.by > 0 ? op.low : op.high)[dim] = std::abs(shift.by);
    });
}

constexpr std::string_view kWords[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "collective_permute", "partition_id"};

TensorId made(HloBuilder& builder, std::string_view word, const HloValue& value, const AxisIds& manual)
{
    if (word == "collective_permute") {
        const auto shift = shiftOf(builder, manual);
        return shift ? shifted(builder, movedFor(builder, value, {shift->axis}, manual), *shift) : -1;
    }
    const auto group = groupAxes(builder, manual);
    if (!group)
        return -1;
    Moved moved = movedFor(builder, value, *group, manual);
    const TensorShape shape = builder.shapeOf(moved.tensor());
    if (word == "all_gather") {
        const auto dim = dimOf(builder, "all_gather_dim", shape);
        return dim ? gathered(builder, std::move(moved), *dim, *group) : -1;
    }
    if (word == "all_to_all") {
        const auto split = dimOf(builder, "split_dimension", shape);
        const auto concat = dimOf(builder, "concat_dimension", shape);
        return split && concat ? exchanged(builder, std::move(moved), *split, *concat, *group) : -1;
    }
    const auto kind = joinOf(builder.operation());
    if (!kind) {
        builder.refuse("joins elements by a function that is not read", "add, maximum, minimum; of truth values or, and");
        return -1;
    }
    if (word == "reduce_scatter") {
        const auto dim = dimOf(builder, "scatter_dimension", shape);
        return dim ? scattered(builder, std::move(moved), *kind, *dim, *group) : -1;
    }
    moved.reduce(*kind, *group, {}, true);
    return moved.tensor();
}

} // namespace

bool isCollectiveWord(std::string_view word)
{
    return std::ranges::count(kWords, word) != 0;
}

std::vector<HloValue> readCollective(HloBuilder& builder, std::string_view word, const HloOperands& in, const std::vector<std::int32_t>& manual)
{
    if (manual.empty()) {
        builder.refuse("stands outside of a program per device", "sdy.manual_computation, or custom_call @SPMDFullToShardShape before it");
        return {};
    }
    if (word == "partition_id")
        return {{builder.inputPerDevice(builder.resultType().element, {manual, manual}), false, {}, {}}};
    std::vector<HloValue> values;
    const std::vector<Type>& types = builder.operation().resultTypes;
    if (in.empty() || in.size() != types.size()) {
        builder.fail(ErrorCode::InvalidInput, "has " + std::to_string(in.size()) + " operands", std::to_string(types.size()) + ", as results");
        return {};
    }
    for (std::size_t i = 0; i < in.size() && !builder.failed(); ++i) {
        const TensorId id = made(builder, word, in[i], manual);
        if (!builder.failed() && builder.shapeOf(id) != types[i].shape)
            builder.fail(ErrorCode::InvalidInput, "comes out as " + shapeText(builder.shapeOf(id)) + " and is said to be " + std::string(types[i].text.text));
        values.push_back({id, false, types[i].shape, {}});
    }
    return values;
}

} // namespace fabricscope::mlir
