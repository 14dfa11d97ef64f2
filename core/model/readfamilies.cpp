#include "core/model/readmodel.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kWidest = std::int64_t{1} << 24;
constexpr std::int64_t kMostLookups = std::int64_t{1} << 32;
constexpr std::size_t kMostTables = 100'000;
constexpr std::size_t kMostConvLayers = 100'000;

std::vector<std::int64_t> readWidths(const MapReader& map, std::string_view key)
{
    std::vector<std::int64_t> widths;
    map.required(key);
    for (const auto& [node, field] : map.list(key)) {
        if (const auto width = readInteger(map.context(), *node, field, 1, kWidest))
            widths.push_back(*width);
    }
    if (widths.empty() && map.has(key) && !map.context().hasErrors())
        map.error(key, "a layer at least is needed");
    return widths;
}

void readTables(const MapReader& map, DlrmSpec& spec)
{
    map.required("tables");
    for (const auto& [node, field] : map.list("tables")) {
        const MapReader table(map.context(), *node, field, {"rows", "dim", "pooling", "count"});
        DlrmSpec::Table read;
        if (const auto rows = table.integer("rows", 1, kMostLookups))
            read.rows = *rows;
        else if (node->isMap())
            table.required("rows");
        if (const auto dim = table.integer("dim", 1, kWidest))
            read.dim = *dim;
        else if (node->isMap())
            table.required("dim");
        if (const auto pooling = table.integer("pooling", 1, kWidest))
            read.pooling = *pooling;
        const auto count = static_cast<std::size_t>(table.integer("count", 1, kMostTables).value_or(1));
        if (spec.tables.size() + count > kMostTables) {
            map.error("tables", "more than " + std::to_string(kMostTables) + " tables");
            return;
        }
        spec.tables.insert(spec.tables.end(), count, read);
    }
}

void checkDlrm(const MapReader& map, const DlrmSpec& spec)
{
    for (const DlrmSpec::Table& table : spec.tables) {
        if (table.dim != spec.bottom.back()) {
            map.error("tables", "a table has rows of " + std::to_string(table.dim) + ", the bottom part ends with " + std::to_string(spec.bottom.back()),
                      "the same, as all meet in dot products");
            return;
        }
    }
}

std::size_t layersWithin(const std::vector<ConvLayer>& layers)
{
    std::size_t count = layers.size();
    for (const ConvLayer& layer : layers)
        count += layersWithin(layer.body) + layersWithin(layer.shortcut);
    return count;
}

/// Sizes of one layer.
class ConvReader {
public:
    explicit ConvReader(FieldContext& context) : m_context(context) {}

    std::vector<ConvLayer> list(const YamlNode& node, const std::string& field)
    {
        std::vector<ConvLayer> layers;
        if (!node.isSequence()) {
            m_context.error(node, field, "a list of layers is needed here");
            return layers;
        }
        for (std::size_t i = 0; i < node.items.size() && !m_context.hasErrors(); ++i)
            layers.push_back(layer(node.items[i], field + "[" + std::to_string(i) + "]"));
        return layers;
    }

private:
    ConvLayer layer(const YamlNode& node, const std::string& field)
    {
        ConvLayer read;
        // "- relu" and "- {relu}" are the same.
        const std::string kind = node.isScalar() ? node.text : node.isMap() && node.entries.size() == 1 ? node.entries.front().key : std::string();
        const YamlNode nothing;
        const YamlNode& value = node.isMap() && node.entries.size() == 1 ? node.entries.front().value : nothing;
        const std::string inside = field + "." + kind;
        if (kind == "conv")
            conv(value, inside, read);
        else if (kind == "pool")
            pool(value, inside, read);
        else if (kind == "fc")
            fc(value, inside, read);
        else if (kind == "residual")
            residual(value, inside, read);
        else if (kind == "bn")
            read.kind = ConvLayer::Kind::BatchNorm;
        else if (kind == "relu")
            read.kind = ConvLayer::Kind::Relu;
        else
            m_context.error(node, field, "this is no layer", "one of conv, bn, relu, pool, residual, fc");
        return read;
    }

    void sizes(const MapReader& map, ConvLayer& read)
    {
        constexpr std::int32_t kMost = 1 << 16;
        read.size = map.integer32("k", 1, kMost).value_or(read.size);
        read.stride = map.integer32("stride", 1, kMost).value_or(read.stride);
        read.pad = map.integer32("pad", 0, kMost).value_or(read.pad);
    }

    void conv(const YamlNode& node, const std::string& field, ConvLayer& read)
    {
        read.kind = ConvLayer::Kind::Conv;
        const MapReader map(m_context, node, field, {"out", "k", "stride", "pad", "dilation", "groups", "bias"});
        sizes(map, read);
        read.out = map.integer("out", 1, kWidest).value_or(0);
        if (node.isMap())
            map.required("out");
        read.dilation = map.integer32("dilation", 1, 1 << 16).value_or(1);
        read.groups = map.integer32("groups", 1, 1 << 24).value_or(1);
        read.bias = map.boolean("bias").value_or(true);
    }

    void pool(const YamlNode& node, const std::string& field, ConvLayer& read)
    {
        read.kind = ConvLayer::Kind::Pool;
        const MapReader map(m_context, node, field, {"k", "stride", "pad", "kind"});
        sizes(map, read);
        if (!map.has("stride"))
            read.stride = read.size;
        const auto kind = map.choice<int>("kind", {{"max", 0}, {"avg", 1}, {"global", 2}});
        read.maxPool = kind.value_or(0) == 0;
        if (kind.value_or(0) == 2)
            read.kind = ConvLayer::Kind::GlobalPool;
    }

    void fc(const YamlNode& node, const std::string& field, ConvLayer& read)
    {
        read.kind = ConvLayer::Kind::Fc;
        if (node.isMap()) {
            const MapReader map(m_context, node, field, {"out", "bias"});
            map.required("out");
            read.out = map.integer("out", 1, kWidest).value_or(0);
            read.bias = map.boolean("bias").value_or(true);
        } else {
            read.out = readInteger(m_context, node, field, 1, kWidest).value_or(0);
        }
    }

    void residual(const YamlNode& node, const std::string& field, ConvLayer& read)
    {
        read.kind = ConvLayer::Kind::Residual;
        if (node.isSequence()) {
            read.body = list(node, field);
            return;
        }
        const MapReader map(m_context, node, field, {"body", "shortcut"});
        if (const YamlNode* body = node.isMap() ? map.required("body") : nullptr)
            read.body = list(*body, map.field("body"));
        if (const YamlNode* shortcut = map.node("shortcut"))
            read.shortcut = list(*shortcut, map.field("shortcut"));
    }

    FieldContext& m_context;
};

} // namespace

void readDlrm(FieldContext& context, const YamlNode& node, const std::string& field, DlrmSpec& spec)
{
    const MapReader map(context, node, field, {"dense_in", "bottom", "top", "tables", "interaction"});
    if (!node.isMap())
        return;
    spec = {};
    map.required("dense_in");
    spec.denseIn = map.integer("dense_in", 1, kWidest).value_or(0);
    spec.bottom = readWidths(map, "bottom");
    spec.top = readWidths(map, "top");
    readTables(map, spec);
    map.choice<int>("interaction", {{"dot", 0}});
    if (!context.hasErrors())
        checkDlrm(map, spec);
}

void readConvnet(FieldContext& context, const YamlNode& node, const std::string& field, ConvnetSpec& spec)
{
    const MapReader map(context, node, field, {"input", "layers"});
    if (!node.isMap())
        return;
    std::vector<std::int64_t> input;
    for (const auto& [item, name] : map.list("input")) {
        if (const auto size = readInteger(context, *item, name, 1, kWidest))
            input.push_back(*size);
    }
    if (map.has("input") && input.size() != 3 && !context.hasErrors())
        map.error("input", "the input has " + std::to_string(input.size()) + " sizes", "[channels, height, width]");
    if (input.size() == 3) {
        spec.channels = input[0];
        spec.height = input[1];
        spec.width = input[2];
    }
    const YamlNode* layers = spec.layers.empty() ? map.required("layers") : map.node("layers");
    if (!layers)
        return;
    spec.layers = ConvReader(context).list(*layers, map.field("layers"));
    if (spec.layers.empty() && !context.hasErrors())
        map.error("layers", "a layer at least is needed");
    if (layersWithin(spec.layers) > kMostConvLayers)
        map.error("layers", "more than " + std::to_string(kMostConvLayers) + " layers");
}

void readGraph(FieldContext& context, const YamlNode& node, const std::string& field, GraphSpec& spec)
{
    const MapReader map(context, node, field, {"sizes", "params", "ops"});
    if (!node.isMap())
        return;
    spec = {};
    if (const YamlNode* sizes = map.required("sizes"); sizes && sizes->isMap()) {
        for (const YamlEntry& entry : sizes->entries) {
            const std::string name = map.field("sizes") + "." + entry.key;
            if (entry.key.size() != 1 || !((entry.key[0] | 32) >= 'a' && (entry.key[0] | 32) <= 'z'))
                context.error(entry.value, name, "\"" + entry.key + "\" is no letter", "one letter");
            else if (const auto size = readInteger(context, entry.value, name, 1, std::int64_t{1} << 40))
                spec.sizes.emplace_back(entry.key[0], *size);
        }
    } else if (sizes) {
        map.error("sizes", "a mapping is needed here", "{b: 8, s: 128}");
    }
    for (const auto& [item, name] : map.list("params")) {
        if (const auto text = readText(context, *item, name))
            spec.parameters.push_back(*text);
    }
    map.required("ops");
    for (const auto& [item, name] : map.list("ops")) {
        const MapReader op(context, *item, name, {"name", "type", "eq", "in", "out"});
        op.choice<int>("type", {{"einsum", 0}});
        GraphSpec::Op read{op.text("name").value_or(""), op.text("eq").value_or(""), {}, op.text("out").value_or("")};
        if (item->isMap()) {
            op.required("eq");
            op.required("in");
            op.required("out");
        }
        for (const auto& [tensor, at] : op.list("in")) {
            if (const auto text = readText(context, *tensor, at))
                read.inputs.push_back(*text);
        }
        spec.ops.push_back(std::move(read));
    }
}

} // namespace fabricscope
