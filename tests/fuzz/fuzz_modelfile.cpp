#include "core/model/loadmodel.h"
#include "core/model/parametertensors.h"
#include "core/model/passcost.h"

#include <cstdint>

using namespace fabricscope;

/// A model file or a config.json, counted and passed through in every way.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    const auto read = loadModelText(std::string(reinterpret_cast<const char*>(data), std::min(size, kMost)), "fuzzed", true);
    if (!read) {
        static_cast<void>(read.error().text());
        return 0;
    }
    const ModelSpec& model = read.value().model;
    static_cast<void>(countCheckpoint(model));
    static_cast<void>(trainingCost(model, 3, 40, LayerRecompute::Selective));
    static_cast<void>(inferenceCost(model, PassShape::prefill(2, 30, 10)));
    static_cast<void>(inferenceCost(model, PassShape::decode(2, 40)));
    static_cast<void>(kvCacheBytes(model, 100));
    return 0;
}
