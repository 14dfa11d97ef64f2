#pragma once

#include "core/base/result.h"
#include "core/model/count.h"
#include "core/model/layers.h"

#include <array>

namespace fabricscope {

/// What a parameter is for: decides its stored type and who optimises it.
enum class TensorClass : std::uint8_t {
    Linear,     ///< A matrix of a linear layer within the layers; the only class that FP8 reaches.
    Bias,       ///< Of linear layers; gates of shared experts.
    Norm,
    Router,
    Correction, ///< FP32 whatever the rest is.
    Embedding,  ///< Tables of tokens, positions, segments; projections beside them.
    Head,       ///< Logits or pooler, with bias.
    Convolution
};
inline constexpr KeyTable<TensorClass, 8> kTensorClasses{{{"linear", TensorClass::Linear},
                                                          {"bias", TensorClass::Bias},
                                                          {"norm", TensorClass::Norm},
                                                          {"router", TensorClass::Router},
                                                          {"correction", TensorClass::Correction},
                                                          {"embedding", TensorClass::Embedding},
                                                          {"head", TensorClass::Head},
                                                          {"convolution", TensorClass::Convolution}}};

/// One parameter of a model, or `copies` alike (one per expert).
struct ParameterTensor {
    std::string name;       ///< "q_proj"; unique within its layer.
    TensorClass kind = TensorClass::Linear;
    std::int64_t out = 1;   ///< Rows; of a vector its length.
    std::int64_t in = 1;    ///< Columns; 1: a vector.
    std::int64_t copies = 1;
    SplitLetter split = SplitLetter::None;
    bool routed = false;    ///< Of routed experts: a token uses topK of the copies.
};

/// Parameters of layers that are alike.
struct LayerTensors {
    std::string kind; ///< "dense", "moe", "dense sliding", ...
    std::vector<std::int32_t> layers;
    std::vector<ParameterTensor> tensors;
};

struct ModelTensors {
    std::vector<ParameterTensor> before, after;
    std::vector<LayerTensors> layers;
    std::vector<ParameterTensor> predict; ///< Of one layer that predicts a further token, if the model has them: its own layer is like the last one.
};

/// All parameters of a transformer (manual: workload 2). O(layers).
ModelTensors transformerTensors(const TransformerSpec& spec);
/// The type it is stored in as working weight.
NumberType storedType(TensorClass kind, const ModelTypes& types);
/// Elements, and bytes as stored: FP8 has one FP32 scale for each started block of 128 x 128, which `scales` counts.
Count elementsOf(const ParameterTensor& tensor);
Count scalesOf(const ParameterTensor& tensor, const ModelTypes& types);
Count bytesOf(const ParameterTensor& tensor, const ModelTypes& types);

/// Parameters counted.
struct ParameterCount {
    std::int64_t total = 0;
    std::int64_t active = 0;    ///< What a token uses: without the routed experts that are not selected; with embedding and head.
    std::int64_t embedding = 0; ///< Tables of tokens, positions and segments, and projections beside them.
    std::int64_t head = 0;      ///< Untied logits or pooler.
    std::int64_t layers = 0;    ///< All layers together.
    std::int64_t routed = 0;    ///< Of `layers`: routed experts.
    std::array<std::int64_t, kTensorClasses.size()> byClass{}; ///< In the order of TensorClass.
    std::array<std::int64_t, kNumberTypes.size()> byType{};    ///< Stored numbers in the order of NumberType, scales among the FP32 ones.
    std::int64_t bytes = 0;     ///< Of all of them as stored.
};

/// Counts the parameters of a model of any family. Refuses what is beyond 63 bits. In parametercount.cpp, as the next.
Result<ParameterCount> countParameters(const ModelSpec& model);
/// The same for a checkpoint of a model with layers that predict further tokens, which stores its own copies of embedding and head for each of them.
Result<ParameterCount> countCheckpoint(const ModelSpec& model);

} // namespace fabricscope
