#include "core/measure/fabricfit.h"

#include "core/base/decimal.h"
#include "core/design/file/readdesign.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// Picoseconds are as fine as times are simulated.
std::string timeText(double seconds)
{
    return decimal(std::round(seconds * 1e12) / 1e6) + " us";
}

/// Of a byte that takes no time the fastest a design may say.
std::string rateText(double perByte)
{
    constexpr double kMost = 1e15;
    const double rate = perByte > 1 / kMost ? 1 / perByte : kMost;
    return decimal(std::round(rate / 1e3) / 1e6) + " GB/s";
}

std::string switchText(std::int32_t size, double perMessage, double perByte)
{
    // A message goes up to the switch and down from it.
    return "    - {shape: switch, size: " + std::to_string(size) + ", bandwidth: " + rateText(perByte) + ", latency: " + timeText(perMessage / 2) + "}\n";
}

} // namespace

std::string fabricSections(const FittedFigures& figures, std::int32_t gpus, std::int32_t nodes)
{
    double perMessage = figures.parts.front().perMessage;
    double perByte = figures.parts.front().perByte;
    for (const FittedFigures::Part& part : figures.parts) {
        perMessage = std::min(perMessage, part.perMessage);
        perByte = std::min(perByte, part.perByte);
    }
    std::string text = "platform:\n  dimensions:\n" + switchText(gpus / nodes, perMessage, perByte);
    if (nodes > 1)
        text += switchText(nodes, figures.networkPerMessage, figures.networkPerByte);
    if (figures.launch > 0 || figures.parts.size() > 1)
        text += "network:\n";
    if (figures.launch > 0)
        text += "  launch: " + timeText(figures.launch) + "\n";
    if (figures.parts.size() > 1) {
        text += "  protocols:\n";
        for (const FittedFigures::Part& part : figures.parts) {
            constexpr double kWhole = 1e6;
            text += "    - {";
            if (part.upTo != INT64_MAX)
                text += "max_size: " + std::to_string(part.upTo) + " B, ";
            text += "latency: " + timeText(part.perMessage - perMessage) + ", efficiency: " + std::to_string(std::max<std::int64_t>(1, std::llround(perByte / part.perByte * kWhole))) + "/" + std::to_string(std::llround(kWhole)) + "}\n";
        }
    }
    return text + "collectives:\n  default: {algorithm: ring, chunks: 1}\n  rules:\n    - {op: all_to_all, algorithm: direct}\n";
}

Result<Design> fabricDesign(const FittedFigures& figures, std::int32_t gpus, std::int32_t nodes)
{
    Result<LoadedDesign> loaded = readDesignText("fabricscope: 1\n" + fabricSections(figures, gpus, nodes), "fabric");
    if (!loaded)
        return loaded.error();
    return std::move(loaded.value().design);
}

} // namespace fabricscope
