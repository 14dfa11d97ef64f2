#include "core/model/graph/readgraph.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostSize = OpGraph::kMaxElements;
constexpr KeyTable<AxisFlow, 4> kFlowWords = {{{"both", AxisFlow::Both}, {"forward", AxisFlow::Forward}, {"backward", AxisFlow::Backward}, {"none", AxisFlow::None}}};
constexpr KeyTable<ReduceKind, 6> kReduceWords = {{{"sum", ReduceKind::Sum}, {"max", ReduceKind::Max}, {"min", ReduceKind::Min}, {"mean", ReduceKind::Mean}, {"product", ReduceKind::Product}, {"last", ReduceKind::Last}}};

template <typename Value, std::size_t count>
std::vector<std::pair<std::string_view, Value>> choicesOf(const KeyTable<Value, count>& table)
{
    return {table.begin(), table.end()};
}

/// Keys an op of this kind has beside name, op and in.
std::vector<std::string_view> attributesOf(GraphOpKind kind)
{
    switch (kind) {
    case GraphOpKind::Einsum:
        return {"eq"};
    case GraphOpKind::Copy:
        return {"flow"};
    case GraphOpKind::Cast:
        return {"dtype"};
    case GraphOpKind::Dropout:
        return {"seed", "rate"};
    case GraphOpKind::Map:
        return {"function"};
    case GraphOpKind::Opaque:
        return {"function", "shape", "batch", "dtype"};
    case GraphOpKind::Reshape:
        return {"shape"};
    case GraphOpKind::Transpose:
        return {"perm"};
    case GraphOpKind::Broadcast:
        return {"shape", "dims"};
    case GraphOpKind::Slice:
        return {"starts", "limits", "strides", "start", "limit", "stride", "sizes", "dim"};
    case GraphOpKind::Pad:
        return {"low", "high", "pad"};
    case GraphOpKind::Reverse:
        return {"dims"};
    case GraphOpKind::Reduce:
        return {"dims", "kind"};
    case GraphOpKind::Conv:
        return {"window", "stride", "pad", "dilation", "groups"};
    case GraphOpKind::Pool:
        return {"window", "stride", "pad", "dilation", "kind"};
    case GraphOpKind::ScatterAdd:
        return {"dim", "size", "kind", "batch"};
    case GraphOpKind::Gather:
        return {"dim", "batch"};
    case GraphOpKind::CumSum:
        return {"dim", "kind"};
    case GraphOpKind::TopK:
        return {"dim", "k"};
    case GraphOpKind::Concat:
    case GraphOpKind::Softmax:
    case GraphOpKind::LayerNorm:
    case GraphOpKind::Sort:
        return {"dim"};
    default:
        return {};
    }
}

/// Reads one op: what its mapping says, with all errors at their keys.
class OpReader {
public:
    OpReader(const MapReader& map, const OpGraph& graph, const GraphReadOptions& options) : m_map(map), m_graph(graph), m_options(options) {}

    std::optional<GraphOp> read(GraphOpKind kind, std::string name)
    {
        m_op.kind = kind;
        m_op.name = std::move(name);
        m_op.place = m_map.context().document.place(m_map.map(), m_map.path());
        operands();
        if (m_options.flops && m_map.has("flops"))
            flops();
        attributes();
        return m_failed ? std::nullopt : std::optional(std::move(m_op));
    }

private:
    void fail(std::string_view key, std::string message, std::string expected = {})
    {
        m_failed = true;
        m_map.error(key, std::move(message), std::move(expected));
    }

    void operands()
    {
        const YamlNode* node = m_map.required("in");
        m_failed |= !node;
        for (const auto& [item, field] : m_map.list("in")) {
            const auto name = readText(m_map.context(), *item, field);
            const auto id = name ? m_graph.find(*name) : std::nullopt;
            m_failed |= !id;
            if (id)
                m_op.inputs.push_back(*id);
            else if (name)
                m_map.context().error(*item, field, "no tensor is named " + *name, "an input, or an op further up");
        }
        m_failed |= node && !node->isSequence();
    }

    void flops()
    {
        m_op.flops = m_map.number("flops", -1);
        if (!m_op.flops || *m_op.flops < 0)
            m_failed = true;
    }

    std::vector<std::int64_t> integers(std::string_view key, std::int64_t least, bool required)
    {
        std::vector<std::int64_t> list;
        const YamlNode* node = required ? m_map.required(key) : m_map.node(key);
        m_failed |= required && !node;
        if (!node)
            return list;
        m_failed |= !node->isSequence() || node->items.size() > OpGraph::kMaxDims;
        if (node->isSequence() && node->items.size() > OpGraph::kMaxDims)
            fail(key, "has " + std::to_string(node->items.size()) + " entries", "at most " + std::to_string(OpGraph::kMaxDims));
        if (m_failed && node->isSequence())
            return list;
        for (const auto& [item, field] : m_map.list(key)) {
            const auto value = readInteger(m_map.context(), *item, field, least, kMostSize);
            m_failed |= !value;
            list.push_back(value.value_or(least));
        }
        return list;
    }

    void integer(std::string_view key, std::int64_t& value, std::int64_t least, bool required)
    {
        m_failed |= required && !m_map.required(key);
        if (!m_map.has(key))
            return;
        const auto given = m_map.integer(key, least, kMostSize);
        m_failed |= !given;
        value = given.value_or(least);
    }

    void shape()
    {
        const YamlNode* node = m_map.required("shape");
        const auto given = node ? readShape(m_map.context(), *node, m_map.field("shape"), m_options) : std::nullopt;
        m_failed |= !given;
        m_op.shape = given.value_or(TensorShape{});
    }

    void equation()
    {
        m_failed |= !m_map.required("eq");
        const auto text = m_map.text("eq");
        if (!text)
            return;
        std::string word;
        std::string plain = *text;
        std::erase(plain, ' ');
        const std::size_t arrow = plain.find("->");
        if (arrow == std::string::npos)
            return fail("eq", "\"" + *text + "\" has no result", "such as \"mk,kn->mn\"");
        plain.replace(arrow, 2, 1, ',');
        if (!std::ranges::all_of(plain, [](char c) { return c == ',' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }))
            return fail("eq", "\"" + *text + "\" is no equation", "letters, commas and one ->");
        for (const char c : plain + ',') {
            if (c != ',')
                word += c;
            else
                m_op.letters.push_back(std::exchange(word, {}));
        }
        if (m_op.letters.size() != m_op.inputs.size() + 1 && !m_failed)
            fail("eq", "\"" + *text + "\" has " + std::to_string(m_op.letters.size() - 1) + " operands", std::to_string(m_op.inputs.size()) + ", as `in`");
    }

    /// [[low, high], ...]
    void pairs(std::string_view key, std::vector<std::int64_t>& low, std::vector<std::int64_t>& high)
    {
        for (const auto& [item, field] : m_map.list(key)) {
            if (!item->isSequence() || item->items.size() != 2) {
                m_failed = true;
                m_map.context().error(*item, field, "two numbers are needed here", "[low, high]");
                continue;
            }
            const auto first = readInteger(m_map.context(), item->items[0], field + "[0]", 0, kMostSize);
            const auto second = readInteger(m_map.context(), item->items[1], field + "[1]", 0, kMostSize);
            m_failed |= !first || !second;
            low.push_back(first.value_or(0));
            high.push_back(second.value_or(0));
        }
        m_failed |= m_map.has(key) && m_map.list(key).empty();
    }

    void windows()
    {
        const auto sizes = integers("window", 1, true);
        auto strides = integers("stride", 1, false);
        auto dilations = integers("dilation", 1, false);
        std::vector<std::int64_t> low;
        std::vector<std::int64_t> high;
        pairs("pad", low, high);
        if (m_failed)
            return;
        const bool deep = m_op.kind == GraphOpKind::Conv && (sizes.size() == 1 || sizes.size() == 3);
        const std::size_t dims = deep ? sizes.size() : 2;
        const std::pair<std::string_view, std::size_t> given[] = {{"window", sizes.size()}, {"stride", strides.empty() ? dims : strides.size()},
            {"dilation", dilations.empty() ? dims : dilations.size()}, {"pad", low.empty() ? dims : low.size()}};
        for (const auto& [key, count] : given) {
            if (count != dims)
                return fail(key, "has " + std::to_string(count) + " entries", deep ? std::to_string(dims) + ", as window has" : "2, of height and width");
        }
        for (std::size_t d = 0; d < dims; ++d) {
            m_op.windows.push_back({sizes[d], strides.empty() ? (m_op.kind == GraphOpKind::Pool ? sizes[d] : 1) : strides[d], low.empty() ? 0 : low[d], high.empty() ? 0 : high[d],
                dilations.empty() ? 1 : dilations[d]});
        }
    }

    void reduction()
    {
        if (!m_map.has("kind"))
            return;
        const auto kind = m_map.choice<ReduceKind>("kind", choicesOf(kReduceWords));
        m_failed |= !kind;
        m_op.reduce = kind.value_or(ReduceKind::Sum);
    }

    /// Lists as StableHLO has them, or `dim` with one number each; `sizes` instead of limits.
    void slice()
    {
        if (m_map.has("dim")) {
            std::int64_t dim = 0, start = 0, limit = 0, stride = 1;
            integer("dim", dim, 0, true);
            integer("start", start, 0, false);
            integer("limit", limit, 1, true);
            integer("stride", stride, 1, false);
            if (m_failed || m_op.inputs.empty())
                return;
            const TensorShape& shape = m_graph.tensor(m_op.inputs[0]).shape;
            if (dim >= static_cast<std::int64_t>(shape.size()))
                return fail("dim", "dim " + std::to_string(dim) + " is none of " + shapeText(shape));
            m_op.starts.assign(shape.size(), 0);
            m_op.strides.assign(shape.size(), 1);
            m_op.limits = shape;
            m_op.starts[static_cast<std::size_t>(dim)] = start;
            m_op.limits[static_cast<std::size_t>(dim)] = limit;
            m_op.strides[static_cast<std::size_t>(dim)] = stride;
            return;
        }
        m_op.starts = integers(m_map.has("start") ? "start" : "starts", 0, true);
        m_op.strides = integers(m_map.has("stride") ? "stride" : "strides", 1, false);
        if (!m_map.has("sizes")) {
            m_op.limits = integers(m_map.has("limit") ? "limit" : "limits", 1, true);
            return;
        }
        m_op.limits = integers("sizes", 1, true);
        for (std::size_t d = 0; d < m_op.limits.size() && d < m_op.starts.size(); ++d)
            m_op.limits[d] = m_op.starts[d] + (m_op.limits[d] - 1) * (d < m_op.strides.size() ? m_op.strides[d] : 1) + 1;
    }

    void function()
    {
        m_op.function = m_map.required("function") ? m_map.text("function").value_or("") : "";
        m_failed |= m_op.function.empty();
    }

    void dropout()
    {
        std::int64_t seed = 0;
        integer("seed", seed, 0, false);
        m_op.seed = static_cast<std::uint64_t>(seed);
        const auto rate = m_map.number("rate", -1);
        m_failed |= m_map.has("rate") && !rate;
        m_op.rate = rate.value_or(0.5);
    }

    void attributes()
    {
        switch (m_op.kind) {
        case GraphOpKind::Einsum:
            return equation();
        case GraphOpKind::Cast:
            m_op.type = m_map.required("dtype") ? m_map.choice<ElementType>("dtype", choicesOf(kElementTypes)) : std::nullopt;
            m_failed |= !m_op.type;
            return;
        case GraphOpKind::Copy:
            if (m_map.has("flow")) {
                const auto flow = m_map.choice<AxisFlow>("flow", choicesOf(kFlowWords));
                m_failed |= !flow;
                m_op.flow = flow.value_or(AxisFlow::Both);
            }
            return;
        case GraphOpKind::Map:
            return function();
        case GraphOpKind::Opaque:
            if (m_map.has("dtype")) {
                m_op.type = m_map.choice<ElementType>("dtype", choicesOf(kElementTypes));
                m_failed |= !m_op.type;
            }
            integer("batch", m_op.batch, 0, false);
            function();
            return shape();
        case GraphOpKind::Dropout:
            return dropout();
        case GraphOpKind::Broadcast:
            m_op.dims = integers("dims", 0, true);
            return shape();
        case GraphOpKind::Reshape:
            return shape();
        case GraphOpKind::Transpose:
            m_op.dims = integers("perm", 0, true);
            return;
        case GraphOpKind::Slice:
            return slice();
        case GraphOpKind::Pad:
            if (m_map.has("pad"))
                return pairs("pad", m_op.low, m_op.high);
            m_op.low = integers("low", 0, true);
            m_op.high = integers("high", 0, true);
            return;
        case GraphOpKind::Reverse:
            m_op.dims = integers("dims", 0, true);
            return;
        case GraphOpKind::Reduce:
            m_op.dims = integers("dims", 0, true);
            return reduction();
        case GraphOpKind::Conv:
            integer("groups", m_op.groups, 1, false);
            return windows();
        case GraphOpKind::Pool:
            m_op.reduce = ReduceKind::Max;
            reduction();
            return windows();
        default:
            return alongDim();
        }
    }

    /// Of ops along one dim, where they have attributes at all.
    void alongDim()
    {
        switch (m_op.kind) {
        case GraphOpKind::ScatterAdd:
            integer("size", m_op.size, 1, false);
            reduction();
            integer("batch", m_op.batch, 0, false);
            return integer("dim", m_op.dim, 0, false);
        case GraphOpKind::TopK:
            integer("k", m_op.k, 1, true);
            return integer("dim", m_op.dim, 0, true);
        case GraphOpKind::Gather:
            integer("batch", m_op.batch, 0, false);
            return integer("dim", m_op.dim, 0, false);
        case GraphOpKind::CumSum:
            reduction();
            return integer("dim", m_op.dim, 0, true);
        case GraphOpKind::Concat:
        case GraphOpKind::Softmax:
        case GraphOpKind::LayerNorm:
        case GraphOpKind::Sort:
            return integer("dim", m_op.dim, 0, true);
        default:
            return;
        }
    }

    const MapReader& m_map;
    const OpGraph& m_graph;
    const GraphReadOptions& m_options;
    GraphOp m_op;
    bool m_failed = false;
};

bool readOneOp(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options, OpGraph& graph)
{
    const YamlEntry* word = node.isMap() ? node.find("op") : nullptr;
    const auto kind = word && word->value.isScalar() ? opKindOf(word->value.text) : std::nullopt;
    std::vector<std::string_view> known = {"name", "op", "in"};
    if (kind) {
        for (const std::string_view key : attributesOf(*kind))
            known.push_back(key);
    }
    if (options.flops)
        known.push_back("flops");
    if (word && word->value.isScalar() && !kind) {
        context.error(word->value, field + ".op", "unknown op \"" + word->value.text + "\"", "one of " + nearestOf(word->value.text, opWords()));
        return false;
    }
    const bool fine = !context.hasErrors();
    const MapReader map(context, node, field, std::move(known));
    const bool named = map.required("name") != nullptr;
    const bool typed = map.required("op") != nullptr;
    const auto name = map.text("name");
    if (!named || !typed || !name || !kind)
        return false;
    auto op = OpReader(map, graph, options).read(*kind, *name);
    if (!op || (fine && context.hasErrors()))
        return false;
    if (const auto added = graph.addOp(std::move(*op)); !added) {
        context.error(added.error(), "op");
        return false;
    }
    return true;
}

} // namespace

std::optional<TensorShape> readShape(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options)
{
    if (!node.isSequence()) {
        context.error(node, field, "a list of sizes is needed here", "such as [64, 32]");
        return std::nullopt;
    }
    TensorShape shape;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const YamlNode& item = node.items[i];
        const auto symbol = item.isScalar() ? options.symbols.find(item.text) : options.symbols.end();
        const auto size = symbol != options.symbols.end() ? std::optional(symbol->second) : readInteger(context, item, field + "[" + std::to_string(i) + "]", 1, kMostSize);
        if (!size)
            return std::nullopt;
        shape.push_back(*size);
    }
    return shape;
}

bool readGraphTensors(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options, OpGraph& graph)
{
    if (!node.isMap()) {
        context.error(node, field, "a mapping of names to shapes is needed here", "such as {a: [64, 32]}");
        return false;
    }
    bool good = true;
    for (const YamlEntry& entry : node.entries) {
        const std::string own = field + "." + entry.key;
        GraphTensor tensor{entry.key, {}, options.type, -1, context.document.place(entry.value, own)};
        std::optional<TensorShape> shape;
        if (entry.value.isMap()) {
            const MapReader map(context, entry.value, own, {"shape", "dtype"});
            if (const YamlNode* sizes = map.required("shape"))
                shape = readShape(context, *sizes, map.field("shape"), options);
            const auto type = map.choice<ElementType>("dtype", choicesOf(kElementTypes));
            good &= type.has_value() || !map.has("dtype");
            tensor.type = type.value_or(options.type);
        } else {
            shape = readShape(context, entry.value, own, options);
        }
        good &= shape.has_value();
        if (!shape)
            continue;
        tensor.shape = *shape;
        if (const auto added = graph.addInput(std::move(tensor)); !added) {
            context.error(added.error(), "tensor");
            good = false;
        }
    }
    return good;
}

bool readGraphOps(FieldContext& context, const YamlNode& node, const std::string& field, const GraphReadOptions& options, OpGraph& graph)
{
    if (!node.isSequence()) {
        context.error(node, field, "a list of ops is needed here");
        return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < node.items.size() && good; ++i)
        good = readOneOp(context, node.items[i], field + "[" + std::to_string(i) + "]", options, graph);
    return good;
}

} // namespace fabricscope
