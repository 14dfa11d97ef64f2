#include "core/sharding/execute/sizeclasses.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

bool isConvolution(const GraphOp& op)
{
    return op.kind == GraphOpKind::Conv || op.kind == GraphOpKind::ConvInputGrad || op.kind == GraphOpKind::ConvKernelGrad;
}

/// Do sizes of dims this op changes hang on its attributes?
bool keepsSizes(const GraphOp& op)
{
    return op.kind == GraphOpKind::TopK || op.kind == GraphOpKind::TopKGrad || (isConvolution(op) && op.groups > 1);
}

/// Dims that nothing cuts, as the op means their very sizes: those of a kernel are those of its window, those of an opaque op its function's.
bool keepsWhole(const GraphOp& op)
{
    return op.kind == GraphOpKind::Reshape || op.kind == GraphOpKind::Opaque || isConvolution(op);
}

std::int64_t emptyParts(std::int64_t size, std::int64_t parts)
{
    const std::int64_t part = partSize(size, parts);
    return parts - (size + part - 1) / part;
}

/// The least size from `least` on that is cut by every count as `size` is; `size` where there is none below.
std::int64_t sizeLike(std::int64_t size, std::int64_t least, const std::vector<std::int64_t>& parts)
{
    std::int64_t unit = 1;
    for (const std::int64_t count : parts)
        unit = std::lcm(unit, std::gcd(size, count)); // A divisor of size.
    least = std::max(least, std::min(2 * *std::max_element(parts.begin(), parts.end()), size));
    constexpr int kMostTries = 1 << 20; // Common multiples of counts that do not divide lie far apart.
    std::int64_t value = (least + unit - 1) / unit * unit;
    for (int tries = 0; value < size && tries < kMostTries; value += unit, ++tries) {
        if (std::ranges::all_of(parts, [&](std::int64_t count) { return std::gcd(value, count) == std::gcd(size, count) && emptyParts(value, count) == emptyParts(size, count); }))
            return value;
    }
    return size;
}

} // namespace

SizeClasses::SizeClasses(const PartitionedProgram& program)
{
    for (const GraphTensor& tensor : program.graph.tensors) {
        m_first.push_back(m_nodes.size());
        m_shapes.push_back(tensor.shape);
        for (const std::int64_t size : tensor.shape) {
            m_nodes.emplace_back();
            m_nodes.back().size = size;
        }
    }
    m_first.push_back(m_nodes.size());
    m_parent.resize(m_nodes.size());
    std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
    for (const GraphOp& op : program.graph.ops)
        addOp(program.graph, op);
    for (const ProgramValue& value : program.values) {
        for (std::size_t d = 0; d < value.layout.dims.size(); ++d)
            m_nodes[m_first[static_cast<std::size_t>(value.tensor)] + d].parts.push_back(shardsOf(value.layout.dims[d]));
    }
    joinClasses();
    spreadParts();
}

std::size_t SizeClasses::root(std::size_t node) const
{
    while (m_parent[node] != node)
        node = m_parent[node] = m_parent[m_parent[node]];
    return node;
}

void SizeClasses::unite(std::size_t a, std::size_t b)
{
    m_parent[root(a)] = root(b);
}

void SizeClasses::addOp(const OpGraph& graph, const GraphOp& op)
{
    const OpFactors rule = factorsOf(graph, op);
    const std::size_t firstFactor = m_nodes.size();
    for (const OpFactor& factor : rule.factors) {
        m_parent.push_back(m_nodes.size());
        m_nodes.emplace_back();
        m_nodes.back().size = factor.size;
        m_nodes.back().frozen = factor.type == FactorType::Permutation || keepsSizes(op) || (keepsWhole(op) && factor.type == FactorType::NeedReplication);
    }
    for (std::size_t t = 0; t < rule.dims.size(); ++t) {
        const auto id = static_cast<std::size_t>(t < op.inputs.size() ? op.inputs[t] : op.output);
        for (std::size_t d = 0; d < rule.dims[t].size(); ++d)
            addProduct(rule, rule.dims[t][d], m_first[id] + d, m_shapes[id][d], firstFactor);
    }
}

void SizeClasses::addProduct(const OpFactors& rule, const std::vector<int>& factors, std::size_t dim, std::int64_t size, std::size_t firstFactor)
{
    std::vector<std::size_t> product;
    std::int64_t whole = 1;
    for (const int factor : factors) {
        if (const std::int64_t own = rule.factors[static_cast<std::size_t>(factor)].size; own > 1) {
            product.push_back(firstFactor + static_cast<std::size_t>(factor));
            whole *= own;
        }
    }
    if (whole != size) { // A window, or a part that is kept.
        m_nodes[dim].frozen = true;
        for (const std::size_t node : product)
            m_nodes[node].frozen = true;
    } else if (product.size() == 1) {
        unite(dim, product[0]);
    } else if (!product.empty()) {
        // A node of its own, so that a dim may be several products: joinClasses() compares them.
        m_parent.push_back(m_nodes.size());
        m_nodes.emplace_back();
        m_nodes.back().size = size;
        m_nodes.back().product = std::move(product);
        unite(m_nodes.size() - 1, dim);
    }
}

/// Brings what is known of a class to its root; products that differ, or with something frozen, freeze all they are of.
void SizeClasses::joinClasses()
{
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        for (std::size_t& part : m_nodes[n].product)
            part = root(part);
        Class& of = m_nodes[root(n)];
        of.frozen |= m_nodes[n].frozen || m_nodes[n].size == 1;
        if (&of == &m_nodes[n])
            continue;
        of.parts.insert(of.parts.end(), m_nodes[n].parts.begin(), m_nodes[n].parts.end());
    }
    for (bool changed = true; changed;) {
        changed = false;
        const auto freeze = [&](std::size_t node) {
            changed |= !m_nodes[root(node)].frozen;
            m_nodes[root(node)].frozen = true;
        };
        for (std::size_t n = 0; n < m_nodes.size(); ++n) {
            if (m_nodes[n].product.empty())
                continue;
            Class& of = m_nodes[root(n)];
            if (of.product.empty())
                of.product = m_nodes[n].product;
            const bool all = of.frozen || of.product != m_nodes[n].product || std::ranges::any_of(m_nodes[n].product, [&](std::size_t part) { return m_nodes[part].frozen; });
            if (!all)
                continue;
            freeze(n);
            for (const std::size_t part : m_nodes[n].product)
                freeze(part);
        }
    }
}

/// Factors of a product keep what they have in common with its counts, too: a list of axes is split along them.
void SizeClasses::spreadParts()
{
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t n = 0; n < m_nodes.size(); ++n) {
            if (root(n) != n)
                continue;
            std::vector<std::int64_t>& parts = m_nodes[n].parts;
            std::ranges::sort(parts);
            parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
            std::erase(parts, 1);
            for (const std::size_t part : m_nodes[n].product) {
                std::vector<std::int64_t>& below = m_nodes[part].parts;
                for (const std::int64_t count : parts) {
                    if (std::ranges::find(below, count) == below.end()) {
                        below.push_back(count);
                        changed = true;
                    }
                }
            }
        }
    }
}

std::vector<TensorShape> SizeClasses::shapes(std::int64_t scale) const
{
    std::vector<std::int64_t> sizes(m_nodes.size(), 0); // 0: not known yet.
    const auto sizeOf = [&](auto&& self, std::size_t node) -> std::int64_t {
        node = root(node);
        const Class& of = m_nodes[node];
        if (sizes[node] > 0)
            return sizes[node];
        std::int64_t size = of.size;
        if (!of.frozen && !of.product.empty()) {
            size = 1;
            for (const std::size_t part : of.product)
                size *= self(self, part);
        } else if (!of.frozen) {
            std::vector<std::int64_t> parts = of.parts;
            parts.push_back(1);
            size = sizeLike(of.size, partSize(of.size, scale), parts);
        }
        return sizes[node] = size;
    };
    std::vector<TensorShape> result = m_shapes;
    for (std::size_t t = 0; t < result.size(); ++t) {
        for (std::size_t d = 0; d < result[t].size(); ++d)
            result[t][d] = sizeOf(sizeOf, m_first[t] + d);
    }
    return result;
}

std::int64_t SizeClasses::largest() const
{
    std::int64_t most = 1;
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        if (root(n) == n && !m_nodes[n].frozen)
            most = std::max(most, m_nodes[n].size);
    }
    return most;
}

} // namespace fabricscope
