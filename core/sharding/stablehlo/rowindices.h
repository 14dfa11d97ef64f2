#pragma once

#include "core/sharding/stablehlo/hlobuilder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::mlir {

/// What gather or scatter takes of one dim of a table.
struct RowDim {
    enum class Role : std::uint8_t {
        Fixed,  ///< `window` elements from `start` on, the same for all ids.
        Batch,  ///< One element: the index along dim `idsDim` of the ids.
        Indexed ///< `window` elements from `id` on.
    };
    Role role = Role::Fixed;
    std::int64_t window = 1;
    bool dropped = false;   ///< Not a dim of what is taken; its window is 1.
    std::int64_t start = 0; ///< As the program says: maybe outside of the table.
    std::int64_t idsDim = -1;
    HloValue id; ///< Of the dims of the ids.
};

/// What gather and scatter share. The dims of what is taken (or the updates) are those of the ids and, at `windowDims`, those of the table that are not dropped.
struct RowIndices {
    std::vector<RowDim> dims; ///< Of the table.
    TensorShape table;
    TensorShape ids; ///< Without the dim of index vectors.
    std::vector<std::int64_t> windowDims;

    std::vector<std::size_t> all(RowDim::Role role) const;
};

/// Names of the structured attribute and its fields.
struct RowWords {
    std::string_view key, window, collapsed, indexed, tableBatch, idsBatch;
};
inline constexpr RowWords kGatherWords = {"dimension_numbers", "offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims"};
inline constexpr RowWords kScatterWords = {"scatter_dimension_numbers", "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims"};

/// Reads them; `sizes`: windows per dim of the table, or of scatter the updates' shape (`updates`). Ids that only count are a batch. None after an error: dims that do not fit.
std::optional<RowIndices> readRowIndices(HloBuilder& builder, const RowWords& words, const TensorShape& table, const HloValue& ids, const std::vector<std::int64_t>& sizes, bool updates);

/// The graph's form of the same: dims of the table as [batch, ..., the indexed ones as one, ...], of ids as [batch, others, elements of windows].
class RowForm {
public:
    explicit RowForm(const RowIndices& rows);

    std::int64_t batch() const { return static_cast<std::int64_t>(m_batch.size()); }
    std::int64_t dim() const { return m_dim; } ///< Of the indexed ones.
    bool indexed() const { return !m_indexed.empty(); }
    /// The part of the table that is fixed, as it stands there; of `table`, which may be one already.
    TensorId part(HloBuilder& builder, TensorId table, const std::string& suffix) const;
    bool isPart() const;
    /// Is it the form of the program itself?
    bool isPlain() const { return m_form == m_rows.table && std::ranges::is_sorted(m_order); }
    std::vector<std::int64_t> starts() const { return m_starts; }
    /// That in the graph's form, and back.
    TensorId rows(HloBuilder& builder, TensorId part, const std::string& suffix) const;
    TensorId back(HloBuilder& builder, TensorId rows, const std::string& suffix) const;
    /// One number per place.
    TensorId ids(HloBuilder& builder) const;
    /// Updates in the graph's form.
    TensorId updates(HloBuilder& builder, TensorId updates) const;
    /// The result of a gather (or, where nothing is indexed, rows()) as the program has it.
    HloValue taken(HloBuilder& builder, GraphOpKind kind, std::vector<TensorId> operands, const std::function<void(GraphOp&)>& set) const;

private:
    /// A dim of what is taken: of the ids (`ids`), or of the table.
    struct TakenDim {
        bool ids = false;
        std::int64_t dim = 0;
        std::int64_t size = 1;
        bool same(const TakenDim& other) const { return ids == other.ids && dim == other.dim; }
    };
    std::vector<TakenDim> declared() const;
    std::vector<TakenDim> made() const;

    const RowIndices& m_rows;
    std::vector<std::size_t> m_batch;   ///< Dims of the table, by those of the ids.
    std::vector<std::size_t> m_indexed; ///< Rising.
    std::vector<std::int64_t> m_order;  ///< Of the dims of the table.
    std::vector<std::int64_t> m_starts;
    TensorShape m_part;    ///< Of part().
    TensorShape m_ordered; ///< In the order.
    TensorShape m_form;    ///< Of rows().
    std::vector<TakenDim> m_before, m_behind; ///< Dims of m_form before and behind the indexed one.
    std::vector<std::int64_t> m_idsOrder;
    std::int64_t m_dim = 0;
};

} // namespace fabricscope::mlir
