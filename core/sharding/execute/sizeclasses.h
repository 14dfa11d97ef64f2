#pragma once

#include "core/model/graph/opfactors.h"
#include "core/sharding/partition/partition.h"

namespace fabricscope {

/// Which dims of a graph have one size because ops join them, and which sizes they may take instead so that the partitioner has the same to do.
class SizeClasses {
public:
    /// Dims are of one class where a factor of an op joins them. A reshaped dim of several factors is the product of their classes. Classes keep their size where windows, slices,
    /// counts (`k`), groups or reshapes without a common prefix hang on it. O(dims of all tensors and ops * values' dims).
    explicit SizeClasses(const PartitionedProgram& program);

    /// Sizes about `scale` times smaller, of tensors of the program's graph by id: every class keeps its gcd with each count of parts that any of its dims is ever cut into, whether its
    /// parts divide it, and how many of them are empty; it keeps two elements per part where it has them. O(dims * counts of parts).
    std::vector<TensorShape> shapes(std::int64_t scale) const;

    /// The largest size of a class that may become smaller; 1: none may.
    std::int64_t largest() const;

private:
    struct Class {
        std::int64_t size = 1;
        bool frozen = false;
        std::vector<std::int64_t> parts;       ///< Counts above 1 into which a dim of it, or of a product with it, is cut.
        std::vector<std::size_t> product;      ///< Of which classes; empty: of none.
    };

    std::size_t root(std::size_t node) const;
    void unite(std::size_t a, std::size_t b);
    void addOp(const OpGraph& graph, const GraphOp& op);
    void addProduct(const OpFactors& rule, const std::vector<int>& factors, std::size_t dim, std::int64_t size, std::size_t firstFactor);
    void joinClasses();
    void spreadParts();

    std::vector<std::size_t> m_first; ///< Per tensor the node of its dim 0; one more entry.
    std::vector<TensorShape> m_shapes;
    mutable std::vector<std::size_t> m_parent;
    std::vector<Class> m_nodes; ///< By node; of a class its root's counts.
};

} // namespace fabricscope
