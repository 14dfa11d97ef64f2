#pragma once

#include "core/base/result.h"
#include "core/model/parametertensors.h"
#include "core/model/passcost.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope::cli {

/// A model worked out for one pass.
struct ShownModel {
    ModelSpec model;
    PassShape pass;
    LayerRecompute recompute = LayerRecompute::None;
    Diagnostics notes;
    ParameterCount parameters;
    ModelLayers layers;
    std::optional<TrainingCost> training;   ///< Train.
    std::optional<InferenceCost> inference; ///< Prefill, decode.
    std::int64_t kvPerToken = 0;
    std::int64_t kvCache = 0;               ///< Of all sequences at the end of the pass.
    std::int64_t activationBytes = 0;       ///< Train: kept by the layers. Else the largest input and output of one op.
};

Result<ShownModel> workOut(const ModelSpec& model, const PassShape& pass, LayerRecompute recompute);

std::string modelTable(const ShownModel& shown, const std::stop_token& stop);
std::string modelJson(const ShownModel& shown, const std::stop_token& stop); // modeljson.cpp

/// All presets with their parameters.
std::string modelListTable(const std::stop_token& stop);
std::string modelListJson(const std::stop_token& stop); // modeljson.cpp

/// "0-2,5"
std::string layersText(const std::vector<std::int32_t>& layers);

} // namespace fabricscope::cli
