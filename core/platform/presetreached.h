#pragma once

#include "core/platform/platform.h"

#include <string_view>

namespace fabricscope {

/// What collectives of a library reach on a preset, beside the rate of its wire: one sourced pair.
struct PresetReached {
    std::string_view preset;
    double gigabytesPerSecond = 0; ///< Of an NPU and direction in the first dimension; of a ring.
    double latencyNs = 0;          ///< Of one link there.
    double networkShare = 1;       ///< Of the wire, in the other dimensions.
    double launchUs = 0;           ///< Start of a collective (network.launch).
    double errorPct = 0;           ///< Of times with these, on sites they were not fitted to: 2 to 8 NPUs, 1 KiB to 8 GiB ...
    double wireErrorPct = 0;       ///< ... and with the rates of the wire.
    std::string_view source;       ///< Also how far off they are.
};
/// Null: nothing was measured on it, or there is no such preset.
const PresetReached* presetReached(std::string_view name);
/// Puts these rates and latencies in the place of those of the wire, and their source behind that of the figures. \pre the preset's own platform
void applyReached(const PresetReached& reached, PlatformSpec& spec);

} // namespace fabricscope
