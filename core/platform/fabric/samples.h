#pragma once

#include "core/platform/platform.h"

#include <span>
#include <string>
#include <string_view>

namespace fabricscope {

/// A fabric or a machine that is known well enough to start a design from.
struct FabricSample {
    std::string_view name;   ///< Lower case, as a file is called; of a preset its own.
    std::string_view title;  ///< Empty: that of the preset.
    std::string_view line;   ///< The fabric in one line (parseline.h); empty: the preset called `name`.
    std::string_view small;  ///< A fabric alike of few NPUs, to be drawn small; empty: itself.
    std::string_view origin; ///< Where the shape is from, in a few words: "Al-Fares 2008".
    std::string_view source; ///< In full; empty: that of the preset.
    bool host = false;       ///< A machine that can stand at the places of a fabric.
};

/// All of them, in the order to show them: fabrics, then hosts.
std::span<const FabricSample> fabricSamples();
/// Null: there is none of this name. O(samples).
const FabricSample* fabricSample(std::string_view name);

/// Title and source in full, those of the preset where the sample has none. O(presets).
std::string_view titleOf(const FabricSample& sample);
std::string_view sourceOf(const FabricSample& sample);

/// The platform of a sample, or the small one alike it, with at most some hundred NPUs. Errors: none of fabricSamples().
Result<PlatformSpec> samplePlatform(const FabricSample& sample, bool small);

} // namespace fabricscope
