#pragma once

#include "core/model/modelspec.h"

#include <span>
#include <string_view>

namespace fabricscope {

/// How a preset is written.
enum class PresetForm : std::uint8_t {
    Checkpoint, ///< As a config.json, types bfloat16 unless it says others.
    Model,      ///< As the value of `model:`.
    Resnet,     ///< Blocks of the four stages: "3 4 6 3".
    Vgg         ///< Channels, M for a pool.
};

struct PresetRow {
    std::string_view name;
    std::string_view about;
    PresetForm form = PresetForm::Checkpoint;
    std::string_view text;
};
std::span<const PresetRow> transformerPresetRows(); // presettransformers.cpp
std::span<const PresetRow> checkpointPresetRows();  // presetcheckpoints.cpp
std::span<const PresetRow> otherPresetRows();       // presetothers.cpp

/// Layers of ResNet-50 and its like from its blocks, and of VGG (presetothers.cpp).
ConvnetSpec resnetLayers(std::span<const std::int64_t> blocks);
ConvnetSpec vggLayers(std::string_view channels);

} // namespace fabricscope
