#include "core/model/presettable.h"

#include <array>
#include <charconv>

namespace fabricscope {

namespace {

constexpr std::array<PresetRow, 6> kOtherPresets{{
    {"vgg16", "VGG-16 for images of 224 x 224", PresetForm::Vgg, "64 64 M 128 128 M 256 256 256 M 512 512 512 M 512 512 512 M"},
    {"vgg19", "VGG-19 for images of 224 x 224", PresetForm::Vgg, "64 64 M 128 128 M 256 256 256 256 M 512 512 512 512 M 512 512 512 512 M"},
    {"resnet50", "ResNet-50 for images of 224 x 224", PresetForm::Resnet, "3 4 6 3"},
    {"resnet101", "ResNet-101 for images of 224 x 224", PresetForm::Resnet, "3 4 23 3"},
    {"resnet152", "ResNet-152 for images of 224 x 224", PresetForm::Resnet, "3 8 36 3"},
    // Rows of the tables: Criteo terabyte, at most 40 million each.
    {"mlperf-dlrm", "DLRM of MLPerf training", PresetForm::Model,
     "{family: dlrm, dtype: {param: fp32, act: fp32, grad: fp32}, optimizer: sgd, train: {global_batch: 65536, micro_batch: 65536}, dlrm: {dense_in: 13, bottom: [512, 256, 128], "
     "top: [1024, 1024, 512, 256, 1], tables: [{rows: 39884406, dim: 128}, {rows: 39043, dim: 128}, {rows: 17289, dim: 128}, {rows: 7420, dim: 128}, {rows: 20263, dim: 128}, "
     "{rows: 3, dim: 128}, {rows: 7120, dim: 128}, {rows: 1543, dim: 128}, {rows: 63, dim: 128}, {rows: 38532951, dim: 128}, {rows: 2953546, dim: 128}, {rows: 403346, dim: 128}, "
     "{rows: 10, dim: 128}, {rows: 2208, dim: 128}, {rows: 11938, dim: 128}, {rows: 155, dim: 128}, {rows: 4, dim: 128}, {rows: 976, dim: 128}, {rows: 14, dim: 128}, "
     "{rows: 39979771, dim: 128}, {rows: 25641295, dim: 128}, {rows: 39664984, dim: 128}, {rows: 585935, dim: 128}, {rows: 12972, dim: 128}, {rows: 108, dim: 128}, {rows: 36, dim: 128}]}}"},
}};

ConvLayer convOf(std::int64_t out, std::int32_t size, std::int32_t stride, std::int32_t pad, bool bias)
{
    ConvLayer layer;
    layer.out = out;
    layer.size = size;
    layer.stride = stride;
    layer.pad = pad;
    layer.bias = bias;
    return layer;
}

ConvLayer layerOf(ConvLayer::Kind kind)
{
    ConvLayer layer;
    layer.kind = kind;
    return layer;
}

ConvLayer maxPoolOf(std::int32_t size, std::int32_t pad)
{
    ConvLayer layer = convOf(0, size, 2, pad, false);
    layer.kind = ConvLayer::Kind::Pool;
    return layer;
}

ConvLayer fcOf(std::int64_t out)
{
    ConvLayer layer = layerOf(ConvLayer::Kind::Fc);
    layer.out = out;
    return layer;
}

void addConvBnRelu(std::vector<ConvLayer>& layers, const ConvLayer& conv, bool relu)
{
    layers.push_back(conv);
    layers.push_back(layerOf(ConvLayer::Kind::BatchNorm));
    if (relu)
        layers.push_back(layerOf(ConvLayer::Kind::Relu));
}

/// 1x1, 3x3 with the stride, 1x1 to four times the width; the shortcut is a 1x1 product where shapes change.
ConvLayer bottleneck(std::int64_t width, std::int32_t stride, bool first)
{
    constexpr std::int64_t kWider = 4;
    ConvLayer block = layerOf(ConvLayer::Kind::Residual);
    addConvBnRelu(block.body, convOf(width, 1, 1, 0, false), true);
    addConvBnRelu(block.body, convOf(width, 3, stride, 1, false), true);
    addConvBnRelu(block.body, convOf(width * kWider, 1, 1, 0, false), false);
    if (first)
        addConvBnRelu(block.shortcut, convOf(width * kWider, 1, stride, 0, false), false);
    return block;
}

} // namespace

std::span<const PresetRow> otherPresetRows()
{
    return kOtherPresets;
}

ConvnetSpec resnetLayers(std::span<const std::int64_t> blocks)
{
    ConvnetSpec spec;
    addConvBnRelu(spec.layers, convOf(64, 7, 2, 3, false), true);
    spec.layers.push_back(maxPoolOf(3, 1));
    std::int64_t width = 64;
    for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2) {
        for (std::int64_t block = 0; block < blocks[stage]; ++block) {
            spec.layers.push_back(bottleneck(width, block == 0 && stage > 0 ? 2 : 1, block == 0));
            spec.layers.push_back(layerOf(ConvLayer::Kind::Relu));
        }
    }
    spec.layers.push_back(layerOf(ConvLayer::Kind::GlobalPool));
    spec.layers.push_back(fcOf(1000));
    return spec;
}

ConvnetSpec vggLayers(std::string_view channels)
{
    ConvnetSpec spec;
    while (!channels.empty()) {
        const std::string_view word = channels.substr(0, channels.find(' '));
        channels.remove_prefix(std::min(word.size() + 1, channels.size()));
        std::int64_t width = 0;
        if (std::from_chars(word.data(), word.data() + word.size(), width).ec != std::errc{}) {
            spec.layers.push_back(maxPoolOf(2, 0));
            continue;
        }
        spec.layers.push_back(convOf(width, 3, 1, 1, true));
        spec.layers.push_back(layerOf(ConvLayer::Kind::Relu));
    }
    for (const std::int64_t width : {4096, 4096}) {
        spec.layers.push_back(fcOf(width));
        spec.layers.push_back(layerOf(ConvLayer::Kind::Relu));
    }
    spec.layers.push_back(fcOf(1000));
    return spec;
}

} // namespace fabricscope
