#include "core/generate/hamiltonian.h"

#include "core/base/integers.h"
#include "core/generate/families.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace fabricscope::generate {

namespace {

/// Sets of cycles ("colours") that share the edges of a torus among them; two edges of every colour at every node.
class Search {
public:
    explicit Search(std::vector<std::int32_t> axes)
        : m_axes(std::move(axes))
        , m_colours(static_cast<std::int32_t>(m_axes.size()))
    {
        for (const std::int32_t extent : m_axes) {
            m_strides.push_back(m_nodes);
            m_nodes *= extent;
        }
        for (std::int32_t colour = 0; colour < m_colours; ++colour) {
            auto& neighbours = m_neighbours.emplace_back();
            for (std::int32_t node = 0; node < m_nodes; ++node)
                neighbours.push_back({along(node, colour, 1), along(node, colour, -1)});
            m_label.emplace_back(static_cast<std::size_t>(m_nodes), -1);
            m_count.push_back(0);
            relabel(colour);
        }
    }

    /// Exchanges edges until every colour is one cycle. False: not within the limit.
    bool run()
    {
        constexpr int kMostSweeps = 400;
        std::vector<std::uint32_t> squares(static_cast<std::size_t>(m_nodes) * static_cast<std::size_t>(m_colours * m_colours));
        std::iota(squares.begin(), squares.end(), 0U);
        for (int sweep = 0; sweep < kMostSweeps && total() > m_colours; ++sweep) {
            shuffle(squares);
            // Only what joins cycles, as long as that leads on; else one exchange that keeps their number.
            bool joined = false;
            for (const std::uint32_t square : squares)
                joined = tryExchange(square, -1) || joined;
            for (std::size_t i = 0; i < squares.size() && !joined; ++i) {
                if (tryExchange(squares[i], 0))
                    break;
            }
        }
        return total() == m_colours;
    }

    std::vector<std::int32_t> cycle(std::int32_t colour) const
    {
        std::vector<std::int32_t> nodes{0};
        std::int32_t before = m_neighbours[static_cast<std::size_t>(colour)][0][1];
        for (std::int32_t node = 0;;) {
            const std::int32_t next = other(colour, node, before);
            if (next == 0)
                return nodes;
            nodes.push_back(next);
            before = std::exchange(node, next);
        }
    }

private:
    using Pair = std::array<std::int32_t, 2>;

    std::int32_t along(std::int32_t node, std::int32_t axis, std::int32_t step) const
    {
        const auto a = static_cast<std::size_t>(axis);
        const std::int32_t at = node / m_strides[a] % m_axes[a];
        return node + (modulo(at + step, m_axes[a]) - at) * m_strides[a];
    }
    const Pair& at(std::int32_t colour, std::int32_t node) const { return m_neighbours[static_cast<std::size_t>(colour)][static_cast<std::size_t>(node)]; }
    std::int32_t other(std::int32_t colour, std::int32_t node, std::int32_t than) const { return at(colour, node)[0] == than ? at(colour, node)[1] : at(colour, node)[0]; }
    bool joins(std::int32_t colour, std::int32_t a, std::int32_t b) const { return at(colour, a)[0] == b || at(colour, a)[1] == b; }
    std::int32_t& label(std::int32_t colour, std::int32_t node) { return m_label[static_cast<std::size_t>(colour)][static_cast<std::size_t>(node)]; }
    std::int32_t total() const { return std::accumulate(m_count.begin(), m_count.end(), 0); }

    void relabel(std::int32_t colour)
    {
        auto& labels = m_label[static_cast<std::size_t>(colour)];
        std::fill(labels.begin(), labels.end(), -1);
        std::int32_t count = 0;
        for (std::int32_t start = 0; start < m_nodes; ++start) {
            if (label(colour, start) >= 0)
                continue;
            std::int32_t before = at(colour, start)[1];
            for (std::int32_t node = start; label(colour, node) < 0;) {
                label(colour, node) = count;
                before = std::exchange(node, other(colour, node, before));
            }
            ++count;
        }
        m_count[static_cast<std::size_t>(colour)] = count;
    }

    /// Change of the number of cycles when the edges p-q and s-t become p-s and q-t.
    std::int32_t change(std::int32_t colour, std::int32_t p, std::int32_t q, std::int32_t s, std::int32_t t)
    {
        if (label(colour, p) != label(colour, s))
            return -1;
        std::int32_t before = q;
        for (std::int32_t node = p;;) {
            before = std::exchange(node, other(colour, node, before));
            if (node == s)
                return 1; // p..s would close.
            if (node == t)
                return 0;
        }
    }
    void replace(std::int32_t colour, std::int32_t node, std::int32_t old, std::int32_t next)
    {
        Pair& pair = m_neighbours[static_cast<std::size_t>(colour)][static_cast<std::size_t>(node)];
        pair[pair[0] == old ? 0 : 1] = next;
    }

    /// Square p q / s t with p-q and s-t along axis a, p-s and q-t along axis b: both pairs of one colour each, exchanged where the number of
    /// all cycles changes by `wanted` or less.
    bool tryExchange(std::uint32_t square, std::int32_t wanted)
    {
        const auto axes = static_cast<std::uint32_t>(m_colours);
        const auto a = static_cast<std::int32_t>(square % axes);
        const auto b = static_cast<std::int32_t>(square / axes % axes);
        if (a >= b)
            return false;
        const auto p = static_cast<std::int32_t>(square / axes / axes);
        const std::int32_t q = along(p, a, 1);
        const std::int32_t s = along(p, b, 1);
        const std::int32_t t = along(q, b, 1);
        std::int32_t first = 0;
        while (!joins(first, p, q))
            ++first;
        std::int32_t second = 0;
        while (!joins(second, p, s))
            ++second;
        if (first == second || !joins(first, s, t) || !joins(second, q, t))
            return false;
        if (change(first, p, q, s, t) + change(second, p, s, q, t) > wanted)
            return false;
        for (const auto& [colour, here, there, opposite, opposed] : {std::array{first, p, q, s, t}, std::array{second, p, s, q, t}}) {
            replace(colour, here, there, opposite);
            replace(colour, opposite, opposed, here);
            replace(colour, there, here, opposed);
            replace(colour, opposed, opposite, there);
            relabel(colour);
        }
        return true;
    }

    void shuffle(std::vector<std::uint32_t>& list)
    {
        for (std::size_t i = list.size(); i > 1; --i) {
            m_random = m_random * 6364136223846793005ULL + 1442695040888963407ULL;
            std::swap(list[i - 1], list[(m_random >> 33) % i]);
        }
    }

    std::vector<std::int32_t> m_axes;
    std::int32_t m_colours;
    std::int32_t m_nodes = 1;
    std::vector<std::int32_t> m_strides;
    std::vector<std::vector<Pair>> m_neighbours; ///< By colour and node.
    std::vector<std::vector<std::int32_t>> m_label; ///< By colour and node: number of its cycle.
    std::vector<std::int32_t> m_count; ///< Cycles by colour.
    std::uint64_t m_random = 1;
};

} // namespace

std::vector<std::vector<std::int32_t>> hamiltonianCycles(const std::vector<std::int32_t>& axes)
{
    std::vector<std::vector<std::int32_t>> cycles;
    if (axes.size() == 2 && axes[0] == axes[1]) {
        const std::int32_t k = axes[0];
        cycles.resize(2);
        for (std::int32_t i = 0; i < k * k; ++i) {
            const std::int32_t a = i / k;
            const std::int32_t b = modulo(i % k - a, k);
            cycles[0].push_back(a * k + b);
            cycles[1].push_back(b * k + a);
        }
        return cycles;
    }
    Search search(axes);
    if (!search.run())
        return {};
    for (std::size_t colour = 0; colour < axes.size(); ++colour)
        cycles.push_back(search.cycle(static_cast<std::int32_t>(colour)));
    return cycles;
}

} // namespace fabricscope::generate
