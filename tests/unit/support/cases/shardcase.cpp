// Random problems of `shard`.
#include "tests/unit/support/cases/shardcase.h"

#include "tests/unit/support/draw.h"

#include <algorithm>

namespace fabricscope::test {

namespace {

constexpr std::int64_t kMostDrawn = 2000;
constexpr std::int64_t kDrawnSizes[] = {1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 8, 9, 10, 12, 16};

class GraphDraw {
public:
    GraphDraw(Draw& draw, OpGraph& graph) : m_draw(draw), m_graph(graph) {}

    bool add(GraphOpKind kind)
    {
        GraphOp op;
        op.kind = kind;
        op.name = "t" + std::to_string(m_graph.ops.size());
        fill(op);
        if (op.inputs.empty())
            return false;
        GraphOp probe = op;
        const auto shape = inferShape(m_graph, probe);
        return shape && shape.value().size() <= 6 && elementsOf(shape.value()) <= kMostDrawn && m_graph.addOp(op);
    }

private:
    int below(std::size_t count) { return m_draw.below(static_cast<int>(count)); }
    std::int64_t size() { return kDrawnSizes[static_cast<std::size_t>(m_draw.below(static_cast<int>(std::size(kDrawnSizes))))]; }
    const TensorShape& shapeOf(TensorId id) const { return m_graph.tensor(id).shape; }

    TensorShape shape(int rank)
    {
        for (;;) {
            TensorShape sizes;
            for (int d = 0; d < rank; ++d)
                sizes.push_back(size());
            if (elementsOf(sizes) <= kMostDrawn / 2)
                return sizes;
        }
    }

    TensorId input(TensorShape sizes, ElementType type = ElementType::Fp32)
    {
        return m_graph.addInput({"i" + std::to_string(m_graph.tensors.size()), std::move(sizes), type, -1, {}}).value();
    }

    template <typename Fits>
    std::optional<TensorId> known(Fits&& fits)
    {
        std::vector<TensorId> list;
        for (std::size_t t = 0; t < m_graph.tensors.size(); ++t) {
            if (fits(m_graph.tensors[t]))
                list.push_back(static_cast<TensorId>(t));
        }
        if (list.empty())
            return std::nullopt;
        return m_draw.oneIn(2) ? list.back() : list[static_cast<std::size_t>(below(list.size()))];
    }

    /// A tensor of that many dims, mostly one that is there.
    TensorId some(int least, int most = 4)
    {
        const auto found = m_draw.oneIn(6) ? std::nullopt : known([&](const GraphTensor& t) { return static_cast<int>(t.shape.size()) >= least && static_cast<int>(t.shape.size()) <= most; });
        return found ? *found : input(shape(static_cast<int>(m_draw.from(least, std::min(most, 3)))));
    }

    TensorId same(const TensorShape& sizes)
    {
        const auto found = m_draw.oneIn(3) ? std::nullopt : known([&](const GraphTensor& t) { return t.shape == sizes; });
        return found ? *found : input(sizes);
    }

    /// Like `sizes`, but maybe repeated along some dims, or with fewer.
    TensorId alike(TensorShape sizes, ElementType type = ElementType::Fp32)
    {
        if (m_draw.oneIn(2) && type == ElementType::Fp32)
            return same(sizes);
        while (!sizes.empty() && m_draw.oneIn(4))
            sizes.erase(sizes.begin());
        for (std::int64_t& s : sizes) {
            if (m_draw.oneIn(4))
                s = 1;
        }
        return input(sizes, type);
    }

    std::int64_t dimOf(TensorId id) { return below(shapeOf(id).size()); }

    void einsum(GraphOp& op)
    {
        const TensorId a = some(1, 4);
        std::string result;
        std::string letters;
        char next = 'a';
        for (std::size_t d = 0; d < shapeOf(a).size(); ++d)
            letters += next++;
        op.inputs = {a};
        op.letters = {letters};
        const std::string own = letters;
        std::map<char, std::int64_t> sizes;
        for (std::size_t d = 0; d < own.size(); ++d)
            sizes[own[d]] = shapeOf(a)[d];
        for (int more = m_draw.oneIn(6) ? 0 : m_draw.oneIn(5) ? 2 : 1; more > 0; --more) {
            std::string term;
            TensorShape dims;
            for (const char c : letters) {
                if (m_draw.oneIn(2))
                    term += c;
            }
            if (m_draw.oneIn(2) || term.empty()) {
                sizes[next] = size();
                letters += next;
                term += next++;
            }
            for (std::size_t i = term.size(); i > 1; --i)
                std::swap(term[i - 1], term[static_cast<std::size_t>(below(i))]);
            for (const char c : term)
                dims.push_back(sizes[c]);
            op.inputs.push_back(elementsOf(dims) <= kMostDrawn ? same(dims) : -1);
            op.letters.push_back(term);
        }
        for (const char c : letters) {
            const auto uses = std::ranges::count_if(op.letters, [&](const std::string& term) { return term.find(c) != std::string::npos; });
            if (!m_draw.oneIn(uses > 1 ? 2 : 6))
                result += c;
        }
        for (std::size_t i = result.size(); i > 1; --i)
            std::swap(result[i - 1], result[static_cast<std::size_t>(below(i))]);
        op.letters.push_back(result);
    }

    void reshape(GraphOp& op)
    {
        const TensorId a = some(1, 4);
        op.inputs = {a};
        TensorShape sizes = shapeOf(a);
        for (int i = 0; i < 2; ++i) {
            const auto d = static_cast<std::size_t>(below(sizes.size()));
            if (m_draw.oneIn(2) && d + 1 < sizes.size()) {
                sizes[d] *= sizes[d + 1];
                sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(d) + 1);
            } else {
                for (const std::int64_t factor : {m_draw.from(2, 4), std::int64_t{2}, std::int64_t{3}}) {
                    if (sizes[d] % factor != 0 || sizes.size() > 4)
                        continue;
                    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(d), m_draw.oneIn(2) ? factor : sizes[d] / factor);
                    sizes[d + 1] = sizes[d + 1] / sizes[d];
                    break;
                }
            }
        }
        if (m_draw.oneIn(4))
            std::ranges::reverse(sizes);
        op.shape = sizes;
    }

    void broadcast(GraphOp& op)
    {
        const TensorId a = some(0, 3);
        op.inputs = {a};
        for (std::size_t d = 0; d <= shapeOf(a).size(); ++d) {
            while (m_draw.oneIn(3) && op.shape.size() < 5)
                op.shape.push_back(size());
            if (d == shapeOf(a).size())
                break;
            op.dims.push_back(static_cast<std::int64_t>(op.shape.size()));
            op.shape.push_back(shapeOf(a)[d] == 1 ? size() : shapeOf(a)[d]);
        }
    }

    void slice(GraphOp& op)
    {
        const TensorId a = some(1, 4);
        op.inputs = {a};
        for (const std::int64_t n : shapeOf(a)) {
            const bool cut = m_draw.oneIn(2);
            op.starts.push_back(cut ? m_draw.from(0, n - 1) : 0);
            op.limits.push_back(cut ? m_draw.from(op.starts.back() + 1, n) : n);
            op.strides.push_back(cut && m_draw.oneIn(2) ? m_draw.from(1, 3) : 1);
        }
    }

    void pad(GraphOp& op)
    {
        const TensorId a = some(1, 4);
        op.inputs = {a};
        for (std::size_t d = 0; d < shapeOf(a).size(); ++d) {
            op.low.push_back(m_draw.oneIn(2) ? m_draw.from(0, 4) : 0);
            op.high.push_back(m_draw.oneIn(2) ? m_draw.from(0, 4) : 0);
        }
    }

    void concat(GraphOp& op)
    {
        const TensorId a = some(1, 4);
        op.inputs = {a};
        op.dim = dimOf(a);
        for (int more = static_cast<int>(m_draw.from(1, 2)); more > 0; --more) {
            TensorShape sizes = shapeOf(a);
            if (m_draw.oneIn(2))
                sizes[static_cast<std::size_t>(op.dim)] = size();
            op.inputs.push_back(elementsOf(sizes) <= kMostDrawn ? same(sizes) : a);
        }
    }

    void chosenDims(GraphOp& op)
    {
        op.inputs = {some(1, 4)};
        for (std::size_t d = 0; d < shapeOf(op.inputs[0]).size(); ++d) {
            if (m_draw.oneIn(2))
                op.dims.push_back(static_cast<std::int64_t>(d));
        }
        if (op.dims.empty())
            op.dims.push_back(dimOf(op.inputs[0]));
        op.reduce = static_cast<ReduceKind>(m_draw.below(op.kind == GraphOpKind::Reduce ? 5 : 4));
    }

    void windowed(GraphOp& op)
    {
        if (op.kind == GraphOpKind::Conv && m_draw.oneIn(4))
            return deepConvolution(op);
        auto x = m_draw.oneIn(3) ? std::nullopt : known([](const GraphTensor& t) { return t.shape.size() == 4 && t.shape[3] <= 12; });
        if (!x)
            x = input({m_draw.from(1, 3), m_draw.from(3, 16), m_draw.from(1, 6), m_draw.from(1, 4)});
        const TensorShape sizes = shapeOf(*x);
        for (std::size_t d = 0; d < 2; ++d) {
            WindowDim w;
            w.size = m_draw.from(1, std::min<std::int64_t>(4, sizes[d + 1] + 1));
            w.stride = m_draw.from(1, 2) + (m_draw.oneIn(6) ? 1 : 0);
            w.padLow = m_draw.from(0, w.size - 1);
            w.padHigh = m_draw.from(0, w.size - 1);
            w.dilation = m_draw.oneIn(4) ? 2 : 1;
            op.windows.push_back(w);
        }
        op.inputs = {*x};
        op.reduce = static_cast<ReduceKind>(m_draw.below(4));
        if (op.kind == GraphOpKind::Pool)
            return;
        op.groups = sizes[3] % 2 == 0 && m_draw.oneIn(3) ? 2 : 1;
        op.inputs.push_back(input({op.windows[0].size, op.windows[1].size, sizes[3] / op.groups, op.groups * m_draw.from(1, 4)}));
    }

    /// Over one dim or three.
    void deepConvolution(GraphOp& op)
    {
        TensorShape sizes = {m_draw.from(1, 3)};
        TensorShape kernel;
        for (auto dims = m_draw.oneIn(2) ? 1 : 3; dims > 0; --dims) {
            sizes.push_back(m_draw.from(3, dims == 1 ? 16 : 5));
            kernel.push_back(m_draw.from(1, 3));
            op.windows.push_back({kernel.back(), m_draw.from(1, 2), m_draw.from(0, kernel.back() - 1), m_draw.from(0, kernel.back() - 1), 1});
        }
        op.groups = m_draw.from(1, 2);
        kernel.push_back(m_draw.from(1, 2));
        sizes.push_back(op.groups * kernel.back());
        kernel.push_back(op.groups * m_draw.from(1, 2));
        op.inputs = {input(sizes), input(kernel)};
    }

    TensorId ids()
    {
        if (const auto there = m_draw.oneIn(2) ? known([](const GraphTensor& t) { return t.type == ElementType::Int32 && t.shape.size() <= 2; }) : std::nullopt)
            return *there;
        return input(shape(static_cast<int>(m_draw.from(0, 2))), ElementType::Int32);
    }

    void gather(GraphOp& op)
    {
        op.inputs = {some(1, 3), ids()};
        op.dim = dimOf(op.inputs[0]);
        if (m_draw.oneIn(3))
            op.inputs[1] = batchedIds(op, shapeOf(op.inputs[0]));
    }

    /// Ids of every row along the first dim, where that is not the one looked up.
    TensorId batchedIds(GraphOp& op, const TensorShape& rows)
    {
        TensorShape own = shape(static_cast<int>(m_draw.from(0, 1)));
        if (op.dim > 0) {
            op.batch = 1;
            own.insert(own.begin(), rows[0]);
        }
        return input(own, ElementType::Int32);
    }

    void scatter(GraphOp& op)
    {
        TensorId rows = ids();
        TensorShape base = shape(static_cast<int>(m_draw.from(1, 3)));
        op.dim = below(base.size());
        if (m_draw.oneIn(3))
            rows = batchedIds(op, base);
        TensorShape updates = base;
        updates.erase(updates.begin() + op.dim);
        updates.insert(updates.begin() + op.dim, shapeOf(rows).begin() + op.batch, shapeOf(rows).end());
        if (elementsOf(updates) > kMostDrawn)
            return;
        op.size = base[static_cast<std::size_t>(op.dim)];
        op.inputs = {rows, same(updates)};
        if (!m_draw.oneIn(2))
            return;
        op.inputs.insert(op.inputs.begin(), same(base));
        constexpr ReduceKind kJoins[] = {ReduceKind::Sum, ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Product, ReduceKind::Last};
        op.reduce = kJoins[m_draw.below(6)];
    }

    /// Of one tensor or two with the same first dims.
    void opaque(GraphOp& op)
    {
        op.inputs = {some(1, 3)};
        const TensorShape& first = shapeOf(op.inputs[0]);
        op.batch = m_draw.from(0, static_cast<std::int64_t>(first.size()));
        op.shape.assign(first.begin(), first.begin() + op.batch);
        const TensorShape batch = op.shape;
        const auto longer = [&](TensorShape sizes) {
            const TensorShape own = shape(static_cast<int>(m_draw.from(0, 1)));
            sizes.insert(sizes.end(), own.begin(), own.end());
            return elementsOf(sizes) <= kMostDrawn ? sizes : batch;
        };
        op.shape = longer(batch);
        if (m_draw.oneIn(2))
            op.inputs.push_back(input(longer(batch)));
        op.function = "whole";
    }

    void alongLine(GraphOp& op)
    {
        op.reduce = op.kind == GraphOpKind::CumSum && m_draw.oneIn(3) ? ReduceKind::Max : ReduceKind::Sum;
        op.inputs = {some(1)};
        op.dim = dimOf(op.inputs[0]);
        op.k = m_draw.from(1, shapeOf(op.inputs[0])[static_cast<std::size_t>(op.dim)]);
    }

    void fill(GraphOp& op)
    {
        switch (op.kind) {
        case GraphOpKind::Einsum:
            return einsum(op);
        case GraphOpKind::Add:
        case GraphOpKind::Sub:
        case GraphOpKind::Mul:
        case GraphOpKind::Div:
        case GraphOpKind::Max:
        case GraphOpKind::Min:
            op.inputs = {some(0)};
            op.inputs.push_back(alike(shapeOf(op.inputs[0])));
            if (m_draw.oneIn(2))
                std::swap(op.inputs[0], op.inputs[1]);
            return;
        case GraphOpKind::Select: {
            const TensorId a = some(0);
            op.inputs = {alike(shapeOf(a), ElementType::Bool), a, alike(shapeOf(a))};
            return;
        }
        case GraphOpKind::Reshape:
            return reshape(op);
        case GraphOpKind::Broadcast:
            return broadcast(op);
        case GraphOpKind::Slice:
            return slice(op);
        case GraphOpKind::Pad:
            return pad(op);
        case GraphOpKind::Concat:
            return concat(op);
        case GraphOpKind::Reverse:
        case GraphOpKind::Reduce:
            return chosenDims(op);
        case GraphOpKind::Conv:
        case GraphOpKind::Pool:
            return windowed(op);
        case GraphOpKind::Gather:
            return gather(op);
        case GraphOpKind::ScatterAdd:
            return scatter(op);
        case GraphOpKind::Opaque:
            return opaque(op);
        case GraphOpKind::Transpose: {
            op.inputs = {some(1)};
            for (std::size_t d = 0; d < shapeOf(op.inputs[0]).size(); ++d)
                op.dims.insert(op.dims.begin() + below(d + 1), static_cast<std::int64_t>(d));
            return;
        }
        case GraphOpKind::Softmax:
        case GraphOpKind::LayerNorm:
        case GraphOpKind::Sort:
        case GraphOpKind::CumSum:
        case GraphOpKind::TopK:
            return alongLine(op);
        default:
            op.inputs = {some(0)};
            op.type = op.kind == GraphOpKind::Cast ? std::optional(ElementType::Bf16) : std::nullopt;
            op.rate = 0.25 * static_cast<double>(m_draw.from(0, 3));
            op.seed = static_cast<std::uint64_t>(m_draw.from(0, 99));
        }
    }

    Draw& m_draw;
    OpGraph& m_graph;
};

Mesh drawnMesh(Draw& draw)
{
    constexpr std::int64_t kSizes[] = {2, 2, 2, 3, 4, 4, 5, 6, 8};
    Mesh mesh;
    std::int64_t devices = 1;
    const std::int64_t axes = draw.from(1, 3);
    for (std::int64_t a = 0; a < axes; ++a) {
        std::int64_t size = kSizes[static_cast<std::size_t>(draw.below(static_cast<int>(std::size(kSizes))))];
        if (devices * size > 32)
            size = 2;
        if (devices * size > 32)
            break;
        devices *= size;
        mesh.axes.push_back({std::string(1, "xyz"[a]), size});
    }
    if (draw.oneIn(6)) {
        for (std::int64_t q = 0; q < devices; ++q)
            mesh.deviceOrder.insert(mesh.deviceOrder.begin() + draw.from(0, q), static_cast<std::int32_t>(q));
    }
    return mesh;
}

/// All axes, some cut in two, in random order.
AxisList drawnParts(Draw& draw, const Mesh& mesh)
{
    AxisList parts;
    const auto put = [&](const AxisPart& part) { parts.insert(parts.begin() + draw.from(0, static_cast<std::int64_t>(parts.size())), part); };
    for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
        const std::int64_t n = mesh.axes[a].size;
        const auto axis = static_cast<std::int32_t>(a);
        const std::int64_t first = n == 6 && draw.oneIn(2) ? 3 : 2;
        if (n > 3 && n % first == 0 && draw.oneIn(3)) {
            put({axis, 1, first});
            put({axis, first, n / first});
        } else {
            put({axis, 1, n});
        }
    }
    return parts;
}

/// Axes for the dims of a tensor; what is left over.
std::vector<AxisList> drawnDims(Draw& draw, const Mesh& mesh, const TensorShape& shape, AxisList& rest)
{
    std::vector<AxisList> dims(shape.size());
    for (const AxisPart& part : drawnParts(draw, mesh)) {
        const int dim = draw.below(static_cast<int>(shape.size()) + 1);
        const auto d = static_cast<std::size_t>(dim);
        if (d < shape.size() && (shardsOf(dims[d]) * part.size <= shape[d] || (draw.oneIn(4) && shape[d] > 1)))
            dims[d].push_back(part);
        else
            rest.push_back(part);
    }
    for (AxisList& list : dims)
        list = joined(list);
    return dims;
}

TensorAnnotation drawnAnnotation(Draw& draw, const ShardProblem& problem, TensorId id)
{
    const GraphTensor& tensor = problem.graph.tensor(id);
    TensorAnnotation note;
    note.tensor = id;
    note.closed.assign(tensor.shape.size(), 0);
    note.priority.assign(tensor.shape.size(), 0);
    AxisList rest;
    auto dims = drawnDims(draw, problem.mesh, tensor.shape, rest);
    if (draw.oneIn(10))
        rest.clear();
    else
        note.dims = std::move(dims);
    const bool partial = tensor.producer < 0 && isFloating(tensor.type) && draw.oneIn(5);
    for (const AxisPart& part : rest) {
        if (partial && draw.oneIn(2))
            note.unreduced.push_back(part);
        else if (draw.oneIn(6))
            note.replicated.push_back(part);
    }
    note.unreduced = joined(note.unreduced);
    note.replicated = joined(note.replicated);
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        note.closed[d] = draw.oneIn(6);
        note.priority[d] = draw.oneIn(6) ? draw.below(3) : 0;
    }
    return note;
}

} // namespace

/// A mesh of axes of one size (or 2 and 4), so that one may take the place of another.
Mesh focusedMesh(Draw& draw)
{
    const std::int64_t size = draw.oneIn(4) ? 3 : 2;
    Mesh mesh;
    mesh.axes = {{"x", size}, {"y", size}};
    if (draw.oneIn(3))
        mesh.axes.push_back({"z", size == 2 && draw.oneIn(2) ? 4 : size});
    return mesh;
}

/// One or two axes on one or two dims, which are closed.
TensorAnnotation focusedAnnotation(Draw& draw, const ShardProblem& problem, TensorId id)
{
    const GraphTensor& tensor = problem.graph.tensor(id);
    TensorAnnotation note;
    note.tensor = id;
    note.closed.assign(tensor.shape.size(), draw.oneIn(3) ? 0 : 1);
    note.priority.assign(tensor.shape.size(), 0);
    note.dims.emplace(tensor.shape.size());
    const auto count = static_cast<std::int32_t>(problem.mesh.axes.size());
    const std::int32_t first = draw.below(count);
    for (std::int32_t i = 0; i < (draw.oneIn(3) ? 2 : 1) && !tensor.shape.empty(); ++i) {
        const auto dim = static_cast<std::size_t>(draw.below(static_cast<int>(tensor.shape.size())));
        if (tensor.shape[dim] > 1)
            (*note.dims)[dim].push_back(wholeAxis(problem.mesh, (first + i) % count));
    }
    if (draw.oneIn(8) && tensor.producer < 0 && isFloating(tensor.type))
        note.unreduced = {wholeAxis(problem.mesh, (first + 2) % count)};
    for (const AxisList& list : *note.dims) {
        if (overlap(list, note.unreduced))
            note.unreduced.clear();
    }
    return note;
}

ShardProblem drawnShard(std::uint64_t seed, const ShardCaseOptions& options)
{
    Draw draw(seed);
    ShardProblem problem;
    problem.mesh = options.focused ? focusedMesh(draw) : drawnMesh(draw);
    GraphDraw graph(draw, problem.graph);
    const auto ops = static_cast<std::size_t>(draw.from(1, options.mostOps));
    for (int tries = 0; problem.graph.ops.size() < ops && tries < 30; ++tries) {
        const auto kind = static_cast<GraphOpKind>(draw.below(static_cast<int>(GraphOpKind::Opaque) + 1));
        graph.add(options.kind && problem.graph.ops.empty() ? *options.kind : kind);
    }
    problem = withOps(problem, std::vector<char>(problem.graph.ops.size(), 1)); // Without inputs nothing uses.
    if (options.focused) {
        for (std::size_t t = 0; t < problem.graph.tensors.size(); ++t) {
            if (!draw.oneIn(5))
                problem.annotations.push_back(focusedAnnotation(draw, problem, static_cast<TensorId>(t)));
        }
        return problem;
    }
    const int share = static_cast<int>(draw.from(1, 3));
    for (std::size_t t = 0; t < problem.graph.tensors.size(); ++t) {
        if (draw.oneIn(share))
            problem.annotations.push_back(drawnAnnotation(draw, problem, static_cast<TensorId>(t)));
    }
    for (const TensorId id : problem.graph.results()) {
        AxisList rest;
        if (draw.oneIn(2))
            problem.wanted.push_back({id, drawnDims(draw, problem.mesh, problem.graph.tensor(id).shape, rest), {}});
    }
    problem.options.windowedEinsum = draw.oneIn(4);
    problem.options.aggressive = !draw.oneIn(3);
    problem.options.backward = options.backward && draw.oneIn(4);
    problem.options.regather = static_cast<Regather>(draw.below(3));
    return problem;
}

} // namespace fabricscope::test
