#include "core/planner/placedgraph.h"

#include "core/base/index.h"

#include <numeric>

namespace fabricscope {

namespace {

/// Dimensions of all tensors as sets that are joined (union-find with path halving).
class DimensionSets {
public:
    explicit DimensionSets(const std::vector<PlacedTensor>& tensors)
    {
        for (const PlacedTensor& tensor : tensors) {
            m_first.push_back(m_parent.size());
            for (const std::int64_t length : tensor.shape) {
                m_parent.push_back(m_parent.size());
                m_units.push_back(length);
            }
        }
    }
    std::size_t number(int tensor, std::size_t dim) const { return m_first[at(tensor)] + dim; }
    std::size_t root(std::size_t x)
    {
        while (m_parent[x] != x)
            x = m_parent[x] = m_parent[m_parent[x]];
        return x;
    }
    void join(std::size_t a, std::size_t b)
    {
        a = root(a);
        b = root(b);
        if (a == b)
            return;
        m_parent[b] = a;
        m_units[a] = std::gcd(m_units[a], m_units[b]);
    }
    std::int64_t units(std::size_t x) { return m_units[root(x)]; }

private:
    std::vector<std::size_t> m_first;
    std::vector<std::size_t> m_parent;
    std::vector<std::int64_t> m_units;
};

} // namespace

void PlacedGraph::linkUnits()
{
    DimensionSets sets(tensors);
    for (const PlacedOp& op : ops) {
        std::vector<std::size_t> first(op.factors.size(), SIZE_MAX);
        const auto join = [&](int tensor, const std::vector<int>& factors) {
            for (std::size_t dim = 0; dim < factors.size(); ++dim) {
                const int factor = factors[dim];
                // A dimension of 1 is repeated, not split.
                if (factor < 0 || op.factors[at(factor)] == PlacedFactor::Blocked || tensors[at(tensor)].shape[dim] == 1)
                    continue;
                const std::size_t number = sets.number(tensor, dim);
                if (first[at(factor)] == SIZE_MAX)
                    first[at(factor)] = number;
                else
                    sets.join(first[at(factor)], number);
            }
        };
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            join(op.inputs[i], op.inputFactors[i]);
        join(op.output, op.outputFactors);
    }
    for (std::size_t t = 0; t < tensors.size(); ++t) {
        tensors[t].units.clear();
        for (std::size_t dim = 0; dim < tensors[t].shape.size(); ++dim)
            tensors[t].units.push_back(sets.units(sets.number(static_cast<int>(t), dim)));
    }
}

} // namespace fabricscope
