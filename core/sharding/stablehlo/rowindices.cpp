#include "core/sharding/stablehlo/rowindices.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace fabricscope::mlir {

namespace {

/// The number of a constant whose elements are all one.
std::optional<std::int64_t> knownNumber(const HloValue& value)
{
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(value.literal.data(), value.literal.data() + value.literal.size(), number);
    const bool known = value.splat && !value.literal.empty() && problem == std::errc{} && end == value.literal.data() + value.literal.size();
    return known ? std::optional(number) : std::nullopt;
}

/// The value without a dim of size 1.
HloValue withoutDim(HloBuilder& builder, const HloValue& value, std::int64_t dim, const std::string& suffix)
{
    HloValue made = value;
    made.parts.clear();
    if (dim >= std::ssize(value.shape))
        return made;
    made.shape.erase(made.shape.begin() + dim);
    made.counts = value.counts == dim ? -1 : value.counts - (value.counts > dim ? 1 : 0);
    if (!value.splat)
        made.tensor = builder.reshaped(value.tensor, made.shape, suffix);
    return made;
}

/// The ids of one dim of the table: entry `at` of the vectors along `dim`.
HloValue idColumn(HloBuilder& builder, const HloValue& ids, std::int64_t dim, std::int64_t at)
{
    const std::string suffix = at == 0 ? ".ids" : ".ids" + std::to_string(at);
    if (dim >= std::ssize(ids.shape) || ids.splat || ids.shape[static_cast<std::size_t>(dim)] == 1)
        return withoutDim(builder, ids.splat ? ids : HloValue{builder.whole(ids, ".ids.whole"), false, ids.shape, {}, ids.counts}, dim, suffix);
    for (std::int64_t begin = 0; const HloValue& part : ids.parts) {
        const std::int64_t size = part.shape[static_cast<std::size_t>(ids.joined)];
        if (ids.joined == dim && begin == at && size == 1) {
            builder.bypass(ids.tensor);
            return withoutDim(builder, part, dim, suffix);
        }
        begin += size;
    }
    if (const auto list = integersOf(ids.literal); list && ids.shape.size() == 1 && at < std::ssize(*list)) {
        builder.bypass(ids.tensor);
        return builder.constant(builder.graph().tensor(ids.tensor).type, std::to_string((*list)[static_cast<std::size_t>(at)]));
    }
    TensorShape shape = ids.shape;
    const TensorId column = builder.add(GraphOpKind::Slice, {ids.tensor}, suffix + ".column", [&](GraphOp& op) {
        op.starts.assign(shape.size(), 0);
        op.limits = shape;
        op.starts[static_cast<std::size_t>(dim)] = at;
        op.limits[static_cast<std::size_t>(dim)] = at + 1;
    });
    shape[static_cast<std::size_t>(dim)] = 1;
    return withoutDim(builder, {column, false, shape, {}}, dim, suffix);
}

/// Are they some of 0 to `count` - 1, each once?
bool areDims(const std::vector<std::int64_t>& dims, std::int64_t count)
{
    std::vector<std::int64_t> sorted = dims;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) == sorted.end() && (sorted.empty() || (sorted.front() >= 0 && sorted.back() < count));
}

std::vector<std::int64_t> inverseOf(const std::vector<std::int64_t>& perm)
{
    std::vector<std::int64_t> back(perm.size());
    for (std::size_t d = 0; d < perm.size(); ++d)
        back[static_cast<std::size_t>(perm[d])] = static_cast<std::int64_t>(d);
    return back;
}

TensorShape permuted(const TensorShape& shape, const std::vector<std::int64_t>& perm)
{
    TensorShape made;
    for (const std::int64_t dim : perm)
        made.push_back(shape[static_cast<std::size_t>(dim)]);
    return made;
}

/// Fields of the attribute and what hangs on them.
class RowReader {
public:
    RowReader(HloBuilder& builder, const RowWords& words, const TensorShape& table, const HloValue& ids) : m_builder(builder), m_words(words), m_ids(ids) { m_rows.table = table; }

    std::optional<RowIndices> read(const std::vector<std::int64_t>& sizes, bool updates)
    {
        const auto found = m_builder.operation().attributes.find(m_words.key);
        if (found == m_builder.operation().attributes.end()) {
            m_builder.fail(ErrorCode::InvalidInput, "has no " + std::string(m_words.key));
            return std::nullopt;
        }
        const Attributes fields = fieldsOf(found->second);
        m_rows.windowDims = m_builder.fieldIntegers(fields, m_words.window);
        m_collapsed = m_builder.fieldIntegers(fields, m_words.collapsed);
        m_indexed = m_builder.fieldIntegers(fields, m_words.indexed);
        m_tableBatch = m_builder.fieldIntegers(fields, m_words.tableBatch);
        m_idsBatch = m_builder.fieldIntegers(fields, m_words.idsBatch);
        const std::vector<std::int64_t> vector = m_builder.fieldIntegers(fields, "index_vector_dim", {0});
        m_vectorDim = vector.size() == 1 ? vector[0] : -1;
        if (m_builder.failed() || !checkDims() || !windows(sizes, updates))
            return std::nullopt;
        batches();
        columns();
        if (updates)
            nameKnown();
        return m_builder.failed() ? std::nullopt : std::optional(std::move(m_rows));
    }

private:
    bool misfit(const std::string& what)
    {
        m_builder.fail(ErrorCode::InvalidInput, what + " does not fit " + shapeText(m_rows.table) + " and ids " + shapeText(m_ids.shape), "dims of both, each once");
        return false;
    }

    bool checkDims()
    {
        const auto rank = std::ssize(m_rows.table);
        const auto idsRank = std::ssize(m_ids.shape);
        if (m_vectorDim < 0 || m_vectorDim > idsRank)
            return misfit("index_vector_dim " + std::to_string(m_vectorDim));
        m_rows.ids = m_ids.shape;
        const std::int64_t entries = m_vectorDim < idsRank ? m_ids.shape[static_cast<std::size_t>(m_vectorDim)] : 1;
        if (m_vectorDim < idsRank)
            m_rows.ids.erase(m_rows.ids.begin() + m_vectorDim);
        if (!areDims(m_indexed, rank) || std::ssize(m_indexed) != entries)
            return misfit(std::string(m_words.indexed));
        std::vector<std::int64_t> dropped = m_collapsed;
        dropped.insert(dropped.end(), m_tableBatch.begin(), m_tableBatch.end());
        if (!areDims(dropped, rank))
            return misfit(std::string(m_words.collapsed));
        for (std::int64_t& dim : m_idsBatch)
            dim = dim == m_vectorDim ? -1 : dim - (dim > m_vectorDim ? 1 : 0);
        if (!areDims(m_idsBatch, std::ssize(m_rows.ids)) || m_idsBatch.size() != m_tableBatch.size())
            return misfit(std::string(m_words.idsBatch));
        const auto kept = rank - std::ssize(dropped);
        if (!areDims(m_rows.windowDims, std::ssize(m_rows.ids) + kept) || std::ssize(m_rows.windowDims) != kept || !std::ranges::is_sorted(m_rows.windowDims))
            return misfit(std::string(m_words.window));
        m_rows.dims.resize(m_rows.table.size());
        for (const std::int64_t dim : dropped)
            m_rows.dims[static_cast<std::size_t>(dim)].dropped = true;
        return true;
    }

    bool windows(const std::vector<std::int64_t>& sizes, bool updates)
    {
        if (updates ? sizes.size() != m_rows.ids.size() + m_rows.windowDims.size() : sizes.size() != m_rows.table.size())
            return misfit(updates ? "the updates' " + shapeText(sizes) : "slice_sizes " + shapeText(sizes));
        for (std::size_t d = 0, window = 0; d < m_rows.dims.size(); ++d) {
            RowDim& dim = m_rows.dims[d];
            dim.window = updates ? (dim.dropped ? 1 : sizes[static_cast<std::size_t>(m_rows.windowDims[window++])]) : sizes[d];
            if (dim.window < 1 || dim.window > m_rows.table[d] || (dim.dropped && dim.window != 1))
                return misfit("a window of " + std::to_string(dim.window) + " in dim " + std::to_string(d));
        }
        return true;
    }

    void batches()
    {
        for (std::size_t i = 0; i < m_tableBatch.size(); ++i) {
            const auto d = static_cast<std::size_t>(m_tableBatch[i]);
            m_rows.dims[d].role = RowDim::Role::Batch;
            m_rows.dims[d].idsDim = m_idsBatch[i];
            if (m_rows.table[d] != m_rows.ids[static_cast<std::size_t>(m_idsBatch[i])])
                misfit(std::string(m_words.tableBatch));
        }
    }

    void columns()
    {
        std::vector<std::int64_t> taken = m_idsBatch;
        for (std::size_t i = 0; i < m_indexed.size() && !m_builder.failed(); ++i) {
            const auto d = static_cast<std::size_t>(m_indexed[i]);
            RowDim& dim = m_rows.dims[d];
            if (dim.role == RowDim::Role::Batch) {
                misfit(std::string(m_words.indexed));
                return;
            }
            if (dim.window == m_rows.table[d])
                continue; // Wherever it begins, it is moved until it fits.
            const HloValue id = idColumn(m_builder, m_ids, m_vectorDim, static_cast<std::int64_t>(i));
            const auto known = knownNumber(id);
            const auto counted = static_cast<std::size_t>(std::max(id.counts, std::int64_t{0}));
            if (known) {
                dim.start = *known;
            } else if (id.counts >= 0 && dim.window == 1 && id.shape[counted] == m_rows.table[d] && std::ranges::count(taken, id.counts) == 0) {
                dim.role = RowDim::Role::Batch;
                dim.idsDim = id.counts;
                taken.push_back(id.counts);
                m_builder.bypass(id.tensor);
            } else {
                dim.role = RowDim::Role::Indexed;
                dim.id = id;
            }
        }
    }

    /// A part that is known along one dim alone is named by an id, too: then a table that is cut there stays where it is.
    void nameKnown()
    {
        RowDim* only = nullptr;
        for (std::size_t d = 0; d < m_rows.dims.size(); ++d) {
            RowDim& dim = m_rows.dims[d];
            if (dim.role == RowDim::Role::Batch || dim.window == m_rows.table[d])
                continue;
            if (only || dim.role == RowDim::Role::Indexed || dim.start < 0 || dim.start > m_rows.table[d] - dim.window)
                return;
            only = &dim;
        }
        if (!only || m_builder.failed())
            return;
        only->role = RowDim::Role::Indexed;
        only->id = m_builder.constant(m_builder.graph().tensor(m_ids.tensor).type, std::to_string(only->start));
        only->id.shape = m_rows.ids;
    }

    HloBuilder& m_builder;
    const RowWords& m_words;
    const HloValue& m_ids;
    RowIndices m_rows;
    std::vector<std::int64_t> m_collapsed, m_indexed, m_tableBatch, m_idsBatch;
    std::int64_t m_vectorDim = -1;
};

} // namespace

std::vector<std::size_t> RowIndices::all(RowDim::Role role) const
{
    std::vector<std::size_t> found;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (dims[d].role == role)
            found.push_back(d);
    }
    return found;
}

std::optional<RowIndices> readRowIndices(HloBuilder& builder, const RowWords& words, const TensorShape& table, const HloValue& ids, const std::vector<std::int64_t>& sizes, bool updates)
{
    return RowReader(builder, words, table, ids).read(sizes, updates);
}

RowForm::RowForm(const RowIndices& rows) : m_rows(rows), m_batch(rows.all(RowDim::Role::Batch)), m_indexed(rows.all(RowDim::Role::Indexed))
{
    std::ranges::sort(m_batch, {}, [&](std::size_t d) { return rows.dims[d].idsDim; });
    for (const std::size_t d : m_batch) {
        m_order.push_back(static_cast<std::int64_t>(d));
        m_idsOrder.push_back(rows.dims[d].idsDim);
        m_form.push_back(rows.table[d]);
        m_before.push_back({true, rows.dims[d].idsDim, rows.table[d]});
    }
    std::int64_t places = 1;
    for (std::size_t d = 0; d < rows.dims.size(); ++d) {
        const RowDim& dim = rows.dims[d];
        const bool fixed = dim.role == RowDim::Role::Fixed;
        m_part.push_back(fixed ? dim.window : rows.table[d]);
        m_starts.push_back(fixed ? std::clamp<std::int64_t>(dim.start, 0, rows.table[d] - dim.window) : 0);
        if (!m_indexed.empty() && d == m_indexed.front()) {
            m_dim = std::ssize(m_form);
            for (const std::size_t indexed : m_indexed) {
                m_order.push_back(static_cast<std::int64_t>(indexed));
                places *= rows.table[indexed];
            }
            m_form.push_back(places);
        }
        if (!fixed)
            continue;
        m_order.push_back(static_cast<std::int64_t>(d));
        if (dim.dropped)
            continue;
        m_form.push_back(dim.window);
        (m_indexed.empty() || d < m_indexed.front() ? m_before : m_behind).push_back({false, static_cast<std::int64_t>(d), dim.window});
    }
    for (std::int64_t g = 0; g < std::ssize(rows.ids); ++g) {
        if (std::ranges::count(m_idsOrder, g) == 0)
            m_idsOrder.push_back(g);
    }
    m_ordered = permuted(m_part, m_order);
}

bool RowForm::isPart() const
{
    return m_part != m_rows.table;
}

TensorId RowForm::part(HloBuilder& builder, TensorId table, const std::string& suffix) const
{
    if (!isPart() || builder.failed())
        return table;
    return builder.add(GraphOpKind::Slice, {table}, suffix, [&](GraphOp& op) {
        op.starts = m_starts;
        for (std::size_t d = 0; d < m_part.size(); ++d)
            op.limits.push_back(m_starts[d] + m_part[d]);
    });
}

TensorId RowForm::rows(HloBuilder& builder, TensorId part, const std::string& suffix) const
{
    return builder.reshaped(builder.transposed(part, m_order, suffix + ".turned"), m_form, suffix);
}

TensorId RowForm::back(HloBuilder& builder, TensorId rows, const std::string& suffix) const
{
    return builder.transposed(builder.reshaped(rows, m_ordered, suffix + ".wide"), inverseOf(m_order), suffix);
}

TensorId RowForm::ids(HloBuilder& builder) const
{
    const bool alone = m_indexed.size() == 1 && m_rows.dims[m_indexed[0]].window == 1;
    std::size_t steps = 0; // Dims of windows.
    for (const std::size_t d : m_indexed)
        steps += m_rows.dims[d].window > 1 ? 1 : 0;
    TensorId sum = -1;
    for (std::size_t i = 0, step = 0; i < m_indexed.size() && !builder.failed(); ++i) {
        const std::size_t d = m_indexed[i];
        const RowDim& dim = m_rows.dims[d];
        const std::string suffix = ".id" + std::to_string(i);
        TensorId id = builder.transposed(builder.whole(dim.id, suffix + ".whole"), m_idsOrder, suffix + ".ordered");
        if (alone || builder.failed())
            return id;
        const ElementType type = builder.graph().tensor(id).type;
        const auto number = [&](std::int64_t value) { return builder.constant(type, std::to_string(value)).tensor; };
        if (steps > 0) {
            TensorShape shape = builder.shapeOf(id);
            shape.resize(shape.size() + steps, 1);
            id = builder.reshaped(id, shape, suffix + ".wide");
        }
        if (dim.window > 1) {
            id = builder.add(GraphOpKind::Max, {id, number(0)}, suffix + ".low");
            id = builder.add(GraphOpKind::Min, {id, number(m_rows.table[d] - dim.window)}, suffix + ".first");
            TensorShape along(steps - step, 1);
            along[0] = dim.window;
            ++step;
            id = builder.add(GraphOpKind::Add, {id, builder.counting(along, type, 0, suffix + ".steps")}, suffix + ".each");
        }
        std::int64_t stride = 1;
        for (std::size_t later = i + 1; later < m_indexed.size(); ++later)
            stride *= m_rows.table[m_indexed[later]];
        if (stride > 1)
            id = builder.add(GraphOpKind::Mul, {id, number(stride)}, suffix + ".scaled");
        sum = sum < 0 ? id : builder.add(GraphOpKind::Add, {sum, id}, suffix + ".sum");
    }
    return sum;
}

std::vector<RowForm::TakenDim> RowForm::declared() const
{
    std::vector<TakenDim> labels(m_rows.ids.size() + m_rows.windowDims.size());
    std::vector<char> window(labels.size(), 0);
    for (std::size_t d = 0, at = 0; d < m_rows.dims.size(); ++d) {
        if (m_rows.dims[d].dropped)
            continue;
        const auto place = static_cast<std::size_t>(m_rows.windowDims[at++]);
        labels[place] = {false, static_cast<std::int64_t>(d), m_rows.dims[d].window};
        window[place] = 1;
    }
    for (std::size_t i = 0, g = 0; i < labels.size(); ++i) {
        if (!window[i]) {
            labels[i] = {true, static_cast<std::int64_t>(g), m_rows.ids[g]};
            ++g;
        }
    }
    return labels;
}

std::vector<RowForm::TakenDim> RowForm::made() const
{
    std::vector<TakenDim> labels = m_before;
    for (std::size_t i = m_batch.size(); i < m_idsOrder.size() && indexed(); ++i)
        labels.push_back({true, m_idsOrder[i], m_rows.ids[static_cast<std::size_t>(m_idsOrder[i])]});
    for (const std::size_t d : m_indexed) {
        if (m_rows.dims[d].window > 1)
            labels.push_back({false, static_cast<std::int64_t>(d), m_rows.dims[d].window});
    }
    labels.insert(labels.end(), m_behind.begin(), m_behind.end());
    return labels;
}

TensorId RowForm::updates(HloBuilder& builder, TensorId updates) const
{
    const std::vector<TakenDim> from = declared();
    const std::vector<TakenDim> to = made();
    TensorShape kept;
    std::vector<TakenDim> labels;
    for (const TakenDim& label : from) {
        const bool there = std::ranges::any_of(to, [&](const TakenDim& other) { return other.same(label); });
        if (!there && label.size != 1)
            builder.refuse("has several updates of one place that is known", "one update of it");
        if (there) {
            kept.push_back(label.size);
            labels.push_back(label);
        }
    }
    std::vector<std::int64_t> perm;
    for (const TakenDim& label : to)
        perm.push_back(std::ranges::find_if(labels, [&](const TakenDim& other) { return other.same(label); }) - labels.begin());
    return builder.failed() ? -1 : builder.transposed(builder.reshaped(updates, kept, ".updates.plain"), perm, ".updates");
}

HloValue RowForm::taken(HloBuilder& builder, GraphOpKind kind, std::vector<TensorId> operands, const std::function<void(GraphOp&)>& set) const
{
    const std::vector<TakenDim> from = made();
    std::vector<std::int64_t> perm, places;
    TensorShape shape;
    bool spread = false;
    const std::vector<TakenDim> to = declared();
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto found = std::ranges::find_if(from, [&](const TakenDim& label) { return label.same(to[i]); });
        shape.push_back(to[i].size);
        spread |= found == from.end() && to[i].size != 1;
        if (found == from.end())
            continue;
        perm.push_back(found - from.begin());
        places.push_back(static_cast<std::int64_t>(i));
    }
    const bool turned = !std::ranges::is_sorted(perm);
    const bool widened = perm.size() != to.size();
    if (!turned && !widened)
        return builder.finish(kind, std::move(operands), set);
    TensorId made = builder.add(kind, std::move(operands), ".rows", set);
    if (!widened)
        return builder.finish(GraphOpKind::Transpose, {made}, [&](GraphOp& op) { op.dims = perm; });
    made = builder.transposed(made, perm, ".ordered");
    return builder.finish(spread ? GraphOpKind::Broadcast : GraphOpKind::Reshape, {made}, [&](GraphOp& op) {
        op.shape = shape;
        op.dims = spread ? places : std::vector<std::int64_t>{};
    });
}

} // namespace fabricscope::mlir
