#include "core/planner/modelgraphs.h"

#include "core/base/index.h"
#include "core/planner/graphmaker.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

enum class PresetGraph : std::uint8_t { Vgg16, Vgg19, Vit, Bert, Moe };

/// Sizes of a transformer.
struct EncoderSizes {
    std::int64_t layers = 12;
    std::int64_t hidden = 768;
    std::int64_t heads = 12;
    std::int64_t ff = 3072;
    std::int64_t seq = 128;
    std::int64_t vocab = 0;
    std::int64_t experts = 0; ///< In every second layer; 0: none.
    std::int64_t topK = 2;
    double capacity = 1.25;
};

Result<ModelGraph> vggOf(GraphMaker make, bool deep, const TensorShape& image, std::int64_t classes)
{
    TensorId x = make.input("image", {image[1], image[2], image[0]});
    constexpr std::array<std::int64_t, 5> kWidths{64, 128, 256, 512, 512};
    int number = 0;
    for (std::size_t block = 0; block < kWidths.size(); ++block) {
        for (int i = 0, n = block < 2 ? 2 : deep ? 4 : 3; i < n; ++i)
            x = make.convolution("conv" + std::to_string(++number), x, kWidths[block]);
        x = make.halfPool("pool" + std::to_string(block + 1), x);
    }
    // The classifier takes 7 x 7 places of 512 channels; a single place is repeated.
    if (image[1] < 64)
        x = make.repeated("grown", x, {make.batch(), 7, 7, 512});
    x = make.unary("fc1_relu", GraphOpKind::Relu, make.bias("fc1_bias", make.einsum("fc1", {"bhwc", "hwcn", "bn"}, x, make.parameter("fc1_w", {7, 7, 512, 4096})), {4096}));
    x = make.unary("fc2_relu", GraphOpKind::Relu, make.bias("fc2_bias", make.einsum("fc2", {"bk", "kn", "bn"}, x, make.parameter("fc2_w", {4096, 4096})), {4096}));
    x = make.bias("fc3_bias", make.einsum("fc3", {"bk", "kn", "bn"}, x, make.parameter("fc3_w", {4096, classes})), {classes});
    make.reduce("loss", ReduceKind::Sum, x, {0, 1});
    return make.finish();
}

TensorId attentionOf(GraphMaker& make, const std::string& p, const EncoderSizes& sizes, TensorId x)
{
    const std::int64_t head = sizes.hidden / sizes.heads;
    const auto project = [&](const std::string& name) {
        const TensorId product = make.einsum(p + name + "_product", {"bsm", "mnd", "bsnd"}, x, make.parameter(p + name + "_w", {sizes.hidden, sizes.heads, head}));
        return make.bias(p + name, product, {sizes.heads, head});
    };
    const TensorId q = project("q");
    const TensorId k = project("k");
    const TensorId v = project("v");
    const TensorId weights = make.softmax(p + "weights", make.einsum(p + "scores", {"bqnd", "bknd", "bnqk"}, q, k));
    const TensorId context = make.einsum(p + "context", {"bnqk", "bknd", "bqnd"}, weights, v);
    return make.bias(p + "attention", make.einsum(p + "out", {"bqnd", "ndm", "bqm"}, context, make.parameter(p + "out_w", {sizes.heads, head, sizes.hidden})), {sizes.hidden});
}

TensorId feedForwardOf(GraphMaker& make, const std::string& p, const EncoderSizes& sizes, TensorId x)
{
    const TensorId up = make.bias(p + "up_bias", make.einsum(p + "up", {"bsm", "mh", "bsh"}, x, make.parameter(p + "up_w", {sizes.hidden, sizes.ff})), {sizes.ff});
    const TensorId down = make.einsum(p + "down", {"bsh", "hm", "bsm"}, make.unary(p + "gelu", GraphOpKind::Gelu, up), make.parameter(p + "down_w", {sizes.ff, sizes.hidden}));
    return make.bias(p + "feed", down, {sizes.hidden});
}

/// Dense masks send each sequence's tokens to slots of experts, as in GShard.
TensorId expertsOf(GraphMaker& make, const std::string& p, const EncoderSizes& sizes, TensorId x, TensorId slots)
{
    const TensorId route = make.softmax(p + "route", make.einsum(p + "router", {"bsm", "me", "bse"}, x, make.parameter(p + "router_w", {sizes.hidden, sizes.experts})));
    const TensorId mask = make.einsum(p + "mask", {"bse", "bsc", "bsec"}, route, slots);
    const TensorId in = make.einsum(p + "dispatch", {"bsm", "bsec", "becm"}, x, mask);
    const TensorId up = make.einsum(p + "up", {"becm", "emh", "bech"}, in, make.parameter(p + "up_w", {sizes.experts, sizes.hidden, sizes.ff}));
    const TensorId gelu = make.unary(p + "gelu", GraphOpKind::Gelu, up);
    const TensorId down = make.einsum(p + "down", {"bech", "ehm", "becm"}, gelu, make.parameter(p + "down_w", {sizes.experts, sizes.ff, sizes.hidden}));
    return make.einsum(p + "feed", {"becm", "bsec", "bsm"}, down, mask);
}

TensorId layersOf(GraphMaker& make, const EncoderSizes& sizes, TensorId x)
{
    TensorId slots = -1;
    if (sizes.experts > 0) {
        const double wanted = std::ceil(sizes.capacity * static_cast<double>(sizes.topK * sizes.seq) / static_cast<double>(sizes.experts) - 1e-9);
        slots = make.input("slots", {sizes.seq, std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted))});
    }
    for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
        const std::string p = "l" + std::to_string(layer) + "_";
        x = make.binary(p + "sum1", GraphOpKind::Add, x, attentionOf(make, p, sizes, make.layerNorm(p + "norm1", x)));
        const TensorId normal = make.layerNorm(p + "norm2", x);
        const TensorId fed = slots >= 0 && layer % 2 == 1 ? expertsOf(make, p, sizes, normal, slots) : feedForwardOf(make, p, sizes, normal);
        x = make.binary(p + "sum2", GraphOpKind::Add, x, fed);
    }
    return make.layerNorm("final", x);
}

Result<ModelGraph> languageModelOf(GraphMaker make, const EncoderSizes& sizes)
{
    const TensorId ids = make.input("ids", {sizes.seq}, true);
    const TensorId words = make.add("words", GraphOpKind::Gather, {make.parameter("embedding", {sizes.vocab, sizes.hidden}), ids});
    const TensorId x = layersOf(make, sizes, make.binary("placed", GraphOpKind::Add, words, make.parameter("positions", {sizes.seq, sizes.hidden})));
    make.reduce("loss", ReduceKind::Sum, make.einsum("logits", {"bsm", "mv", "bsv"}, x, make.parameter("head_w", {sizes.hidden, sizes.vocab})), {0, 1, 2});
    return make.finish();
}

Result<ModelGraph> vitOf(GraphMaker make, EncoderSizes sizes, const TensorShape& image, std::int64_t classes)
{
    constexpr std::int64_t kPatch = 4;
    const std::int64_t patch = image[0] * kPatch * kPatch;
    sizes.seq = (image[1] / kPatch) * (image[2] / kPatch) + 1; // With the class token.
    const TensorId patches = make.input("patches", {sizes.seq, patch});
    const TensorId words = make.bias("words", make.einsum("cut", {"bsp", "pm", "bsm"}, patches, make.parameter("patch_w", {patch, sizes.hidden})), {sizes.hidden});
    const TensorId x = layersOf(make, sizes, make.binary("placed", GraphOpKind::Add, words, make.parameter("positions", {sizes.seq, sizes.hidden})));
    const TensorId pooled = make.reduce("pooled", ReduceKind::Mean, x, {1});
    const TensorId logits = make.bias("logits_bias", make.einsum("logits", {"bm", "mc", "bc"}, pooled, make.parameter("head_w", {sizes.hidden, classes})), {classes});
    make.reduce("loss", ReduceKind::Sum, logits, {0, 1});
    return make.finish();
}

/// Reads the section.
class PresetSection {
public:
    PresetSection(FieldContext& context, const YamlNode& node, const std::string& field)
        : m_map(context, node, field, {"preset", "input", "classes", "layers", "hidden", "heads", "ff", "seq", "vocab", "experts", "top_k", "capacity_factor"})
    {
    }

    std::optional<ModelGraph> read(std::int64_t batch, ElementType type, std::int64_t devices)
    {
        constexpr std::int64_t kMost = 1'000'000'000;
        static_cast<void>(m_map.required("preset"));
        const auto preset = m_map.choice<PresetGraph>("preset", {{"vgg16", PresetGraph::Vgg16}, {"vgg19", PresetGraph::Vgg19}, {"vit", PresetGraph::Vit}, {"bert", PresetGraph::Bert}, {"moe", PresetGraph::Moe}});
        const std::int64_t classes = integer("classes", 10, kMost);
        readImage();
        EncoderSizes sizes;
        sizes.layers = integer("layers", 12, 200);
        sizes.hidden = integer("hidden", 768, kMost);
        sizes.heads = integer("heads", 12, 100'000);
        sizes.ff = integer("ff", 4 * sizes.hidden, 4 * kMost);
        sizes.seq = integer("seq", 128, kMost);
        // Words of WikiText-2, rounded up to a multiple of the devices.
        sizes.vocab = integer("vocab", (33278 + devices - 1) / devices * devices, kMost);
        sizes.topK = integer("top_k", 2, 1000);
        sizes.capacity = m_map.number("capacity_factor", 0).value_or(1.25);
        if (preset == PresetGraph::Moe)
            sizes.experts = integer("experts", 2 * devices, 100'000);
        if (sizes.hidden % sizes.heads != 0)
            m_map.error("heads", std::to_string(sizes.hidden) + " hidden elements for " + std::to_string(sizes.heads) + " heads", "a divisor");
        if (!preset || m_map.context().hasErrors())
            return std::nullopt;
        checkUsed(*preset);
        const GraphMaker make(batch, type);
        Result<ModelGraph> made = *preset == PresetGraph::Vit ? vitOf(make, sizes, m_image, classes)
            : *preset <= PresetGraph::Vgg19                   ? vggOf(make, *preset == PresetGraph::Vgg19, m_image, classes)
                                                              : languageModelOf(make, sizes);
        if (!made)
            m_map.error("preset", made.error().message, made.error().expected, made.error().code);
        return made && !m_map.context().hasErrors() ? std::optional(std::move(made).value()) : std::nullopt;
    }

private:
    std::int64_t integer(std::string_view key, std::int64_t usual, std::int64_t most) { return m_map.integer(key, 1, most).value_or(usual); }

    void readImage()
    {
        const auto items = m_map.list("input");
        if (!m_map.has("input"))
            return;
        if (items.size() != 3)
            return m_map.error("input", std::to_string(items.size()) + " sizes", "channels, height and width");
        m_image.clear();
        for (const auto& [item, field] : items)
            m_image.push_back(readInteger(m_map.context(), *item, field, 1, 1'000'000).value_or(1));
    }

    /// What a preset does not look at is an error, as everywhere.
    void checkUsed(PresetGraph preset)
    {
        const bool image = preset <= PresetGraph::Vit;
        const bool vgg = preset <= PresetGraph::Vgg19;
        const auto refuse = [this](std::string_view key, bool unused) {
            if (unused && m_map.has(key))
                m_map.error(key, "\"" + std::string(key) + "\" is not used by this preset");
        };
        for (const std::string_view key : {"input", "classes"})
            refuse(key, !image);
        for (const std::string_view key : {"layers", "hidden", "heads", "ff"})
            refuse(key, vgg);
        for (const std::string_view key : {"seq", "vocab"})
            refuse(key, image);
        for (const std::string_view key : {"experts", "top_k", "capacity_factor"})
            refuse(key, preset != PresetGraph::Moe);
        const auto places = [](std::int64_t side) { return side / 32; };
        const bool square = m_image[1] == m_image[2] && (places(m_image[1]) == 1 || places(m_image[1]) == 7);
        if (vgg && !square)
            m_map.error("input", "the classifier takes 7 x 7 places of an image of " + std::to_string(m_image[1]) + " x " + std::to_string(m_image[2]), "a side from 32 to 63 or from 224 to 255");
        if (preset == PresetGraph::Vit && (m_image[1] < 4 || m_image[2] < 4))
            m_map.error("input", "an image of " + std::to_string(m_image[1]) + " x " + std::to_string(m_image[2]) + " has no patches of 4 x 4");
    }

    MapReader m_map;
    TensorShape m_image{3, 32, 32};
};

} // namespace

std::int64_t ModelGraph::parameters() const
{
    std::int64_t sum = 0;
    for (const TensorId id : notes.parameters)
        sum += elementsOf(graph.tensor(id).shape);
    return sum;
}

std::optional<ModelGraph> readModelGraph(FieldContext& context, const YamlNode& node, const std::string& field, std::int64_t batch, ElementType type, std::int64_t devices)
{
    return PresetSection(context, node, field).read(batch, type, devices);
}

} // namespace fabricscope
