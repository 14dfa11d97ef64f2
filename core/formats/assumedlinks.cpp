#include "core/formats/assumedlinks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    return out;
}

} // namespace

std::string_view linkMediumName(LinkMedium medium)
{
    constexpr std::array<std::string_view, 4> kNames{"scale-up link", "PCI Express", "link between processors", "network"};
    return kNames[static_cast<std::size_t>(medium)];
}

std::optional<int> generationAfter(std::string_view text, std::string_view word)
{
    const std::string lower = lowered(text);
    for (std::size_t found = lower.find(word); found != std::string::npos; found = lower.find(word, found + 1)) {
        std::size_t at = found + word.size();
        while (at < lower.size() && (lower[at] == ' ' || lower[at] == '_' || lower[at] == '-'))
            ++at;
        if (at < lower.size() && lower[at] >= '1' && lower[at] <= '9')
            return lower[at] - '0';
    }
    return std::nullopt;
}

std::optional<Quantity> nvlinkPerAccelerator(int generation)
{
    constexpr std::array<double, 5> kGigabytes{80, 150, 300, 450, 900};
    if (generation < 1 || generation > 5)
        return std::nullopt;
    return Quantity{kGigabytes[static_cast<std::size_t>(generation - 1)], "GB/s", Measure::Bandwidth};
}

std::optional<int> nvlinkGenerationOf(std::string_view acceleratorName)
{
    const std::string lower = lowered(acceleratorName);
    for (const auto& [model, generation] : {std::pair{"p100", 1}, {"v100", 2}, {"a100", 3}, {"h100", 4}, {"h200", 4}, {"h20", 4}, {"b200", 5}, {"b100", 5}, {"b300", 5}}) {
        if (lower.find(model) != std::string::npos)
            return generation;
    }
    return std::nullopt;
}

Quantity pcieBandwidth(double gigatransfers, int lanes)
{
    const double coding = gigatransfers < 8 ? 0.8 : gigatransfers < 64 ? 128.0 / 130 : 242.0 / 256;
    return {std::round(gigatransfers * 1e9 * lanes * coding / 8) / 1e9, "GB/s", Measure::Bandwidth};
}

std::optional<double> pcieTransfers(int generation)
{
    constexpr std::array<double, 6> kTransfers{2.5, 5, 8, 16, 32, 64};
    if (generation < 1 || generation > 6)
        return std::nullopt;
    return kTransfers[static_cast<std::size_t>(generation - 1)];
}

Quantity assumedLatency(LinkMedium medium, bool toSwitch)
{
    switch (medium) {
    case LinkMedium::ScaleUp:
        return {toSwitch ? 350.0 : 700.0, "ns", Measure::Time};
    case LinkMedium::Pcie:
        return {250, "ns", Measure::Time};
    case LinkMedium::Processor:
        return {100, "ns", Measure::Time};
    case LinkMedium::Network:
        break;
    }
    return {1000, "ns", Measure::Time};
}

} // namespace fabricscope
