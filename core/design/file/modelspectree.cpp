#include "core/design/file/modelspectree.h"

#include "core/design/file/sectionfields.h"
#include "core/model/writemodel.h"

#include <cassert>

namespace fabricscope {

namespace {

YamlNode wordsTree(const std::vector<std::string>& words)
{
    YamlNode list = YamlNode::sequence();
    for (const std::string& word : words)
        list.items.push_back(YamlNode::scalar(word));
    return list;
}

YamlNode dlrmTree(const DlrmSpec& spec)
{
    MapBuilder map;
    map.add("dense_in", spec.denseIn).add("bottom", wholesTree(spec.bottom)).add("top", wholesTree(spec.top));
    YamlNode tables = YamlNode::sequence();
    for (std::size_t first = 0; first < spec.tables.size();) {
        std::size_t end = first;
        while (end < spec.tables.size() && spec.tables[end] == spec.tables[first])
            ++end;
        const DlrmSpec::Table& table = spec.tables[first];
        tables.items.push_back(MapBuilder().add("rows", table.rows).add("dim", table.dim).add("pooling", table.pooling).add("count", static_cast<std::int64_t>(end - first)).take());
        first = end;
    }
    return map.add("tables", std::move(tables)).take();
}

YamlNode convLayersTree(const std::vector<ConvLayer>& layers);

YamlNode convLayerTree(const ConvLayer& layer)
{
    MapBuilder sizes;
    const auto addSizes = [&]() -> MapBuilder& { return sizes.add("k", std::int64_t{layer.size}).add("stride", std::int64_t{layer.stride}).add("pad", std::int64_t{layer.pad}); };
    switch (layer.kind) {
    case ConvLayer::Kind::Conv:
        addSizes().add("out", layer.out).add("dilation", std::int64_t{layer.dilation}).add("groups", std::int64_t{layer.groups}).add("bias", layer.bias ? "true" : "false");
        return MapBuilder().add("conv", sizes.take()).take();
    case ConvLayer::Kind::BatchNorm: return YamlNode::scalar("bn");
    case ConvLayer::Kind::Relu: return YamlNode::scalar("relu");
    case ConvLayer::Kind::Pool:
    case ConvLayer::Kind::GlobalPool:
        addSizes().add("kind", layer.kind == ConvLayer::Kind::GlobalPool ? "global" : layer.maxPool ? "max" : "avg");
        return MapBuilder().add("pool", sizes.take()).take();
    case ConvLayer::Kind::Fc: return MapBuilder().add("fc", sizes.add("out", layer.out).add("bias", layer.bias ? "true" : "false").take()).take();
    case ConvLayer::Kind::Residual:
        sizes.add("body", convLayersTree(layer.body));
        if (!layer.shortcut.empty())
            sizes.add("shortcut", convLayersTree(layer.shortcut));
        return MapBuilder().add("residual", sizes.take()).take();
    }
    return YamlNode::map();
}

YamlNode convLayersTree(const std::vector<ConvLayer>& layers)
{
    YamlNode list = YamlNode::sequence();
    for (const ConvLayer& layer : layers)
        list.items.push_back(convLayerTree(layer));
    return list;
}

YamlNode convnetTree(const ConvnetSpec& spec)
{
    return MapBuilder().add("input", wholesTree(std::vector<std::int64_t>{spec.channels, spec.height, spec.width})).add("layers", convLayersTree(spec.layers)).take();
}

YamlNode graphTree(const GraphSpec& spec)
{
    MapBuilder sizes;
    for (const auto& [letter, size] : spec.sizes)
        sizes.add(std::string(1, letter), size);
    YamlNode ops = YamlNode::sequence();
    for (const GraphSpec::Op& op : spec.ops)
        ops.items.push_back(MapBuilder().add("name", op.name).add("eq", op.equation).add("in", wordsTree(op.inputs)).add("out", op.output).take());
    return MapBuilder().add("sizes", sizes.take()).add("params", wordsTree(spec.parameters)).add("ops", std::move(ops)).take();
}

} // namespace

YamlNode modelSpecTree(const ModelSpec& model, DesignForm form)
{
    // What all families have is written as that of a transformer.
    ModelSpec common = model;
    common.family = ComputeFamily::Transformer;
    const Result<std::string> text = writeModelFile(common);
    assert(text);
    const auto document = YamlDocument::parse(text.value(), "model");
    assert(document);
    YamlNode tree = document.value().root().find("model")->value;
    std::erase_if(tree.entries, [&](const YamlEntry& entry) {
        return (entry.key == "name" && (form == DesignForm::Canonical || model.name.empty())) || (entry.key == "transformer" && model.family != ComputeFamily::Transformer);
    });
    if (model.family == ComputeFamily::Transformer)
        return tree;
    for (YamlEntry& entry : tree.entries) {
        if (entry.key == "family")
            entry.value = YamlNode::scalar(std::string(keyOf(kComputeFamilies, model.family)));
    }
    YamlEntry part;
    part.key = keyOf(kComputeFamilies, model.family);
    part.value = model.family == ComputeFamily::Dlrm ? dlrmTree(model.dlrm) : model.family == ComputeFamily::Convnet ? convnetTree(model.convnet) : graphTree(model.graph);
    tree.entries.push_back(std::move(part));
    return tree;
}

} // namespace fabricscope
