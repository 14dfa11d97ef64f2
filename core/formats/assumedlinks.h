#pragma once

#include "core/base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

// Figures for links of platform files that give none. Data sheets: NVLink (per link and direction 20, 25, 25, 25, 50 GB/s in generations
// 1 to 5, with 4, 6, 12, 18 and 18 links per GPU), PCI Express (GT/s, lanes, 8b/10b and 128b/130b coding). Latencies are assumed.

/// What kind of connection a link is, by its place and by words in its name and description.
enum class LinkMedium : std::uint8_t { ScaleUp, Pcie, Processor, Network };
std::string_view linkMediumName(LinkMedium medium);

/// Generation behind "nvlink_4", "NVLink 2.0", "PCIE_GEN5", "Gen 4": the digit behind the word; nothing when there is none.
std::optional<int> generationAfter(std::string_view text, std::string_view word);

/// All NVLinks of one accelerator together, per direction, by generation (1..5) or by the model in its name ("A100").
std::optional<Quantity> nvlinkPerAccelerator(int generation);
std::optional<int> nvlinkGenerationOf(std::string_view acceleratorName);

/// A PCI Express link: transfers per second of a lane times lanes times coding, rounded to a whole byte per second.
Quantity pcieBandwidth(double gigatransfers, int lanes);
/// Speed of one lane of generation 1..6 in GT/s.
std::optional<double> pcieTransfers(int generation);

/// One-way latency assumed for a link of that class; `toSwitch`: of a scale-up link that ends at a switch.
Quantity assumedLatency(LinkMedium medium, bool toSwitch);

} // namespace fabricscope
