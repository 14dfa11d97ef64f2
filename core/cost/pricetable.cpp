#include "core/cost/pricetable.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

namespace fabricscope {

namespace {

constexpr std::array kParts{
    PricedPart{"h100_sxm", "NVIDIA H100 SXM", 27'500, 25'000, 30'000, 700, "Raymond James via TechSpot", "2023-08", Confidence::Medium, false},
    PricedPart{"h200_sxm", "NVIDIA H200 SXM", 31'000, 28'000, 40'000, 700, "trade surveys", "2026", Confidence::Medium, true},
    PricedPart{"b200", "NVIDIA B200", 40'000, 30'000, 45'000, 1'000, "trade surveys", "2026", Confidence::Medium, true},
    PricedPart{"mi300x", "AMD MI300X", 15'000, 10'000, 20'000, 750, "analysts, recalled", "2024", Confidence::Low, true},
    PricedPart{"host_h100", "host of 8 H100 with 8 NICs of 400 Gbit/s", 310'000, 270'000, 330'000, 10'200, "public quote; power: DGX manual", "2024-08", Confidence::Medium, false},
    PricedPart{"host_h200", "host of 8 H200", 340'000, 272'000, 408'000, 10'200, "estimate; power: DGX manual", "2024", Confidence::Low, true},
    PricedPart{"host_b200", "host of 8 B200", 450'000, 360'000, 540'000, 14'300, "estimate; power: DGX manual", "2024", Confidence::Low, true},
    PricedPart{"gb200_nvl72", "GB200 NVL72 rack", 3'100'000, 2'000'000, 3'900'000, 120'000, "press", "2024-26", Confidence::Medium, false},
    PricedPart{"switch_400g", "switch of 64 ports of 400 Gbit/s (InfiniBand)", 36'000, 30'000, 55'000, 747, "public sheet; power recalled", "2024-08", Confidence::Medium, false},
    PricedPart{"switch_400g_ethernet", "switch of 64 ports of 400 Gbit/s (Ethernet)", 30'000, 20'000, 45'000, 700, "estimate", "2024", Confidence::Low, true},
    PricedPart{"switch_800g", "switch of 64 ports of 800 Gbit/s (Ethernet)", 75'000, 50'000, 250'000, 940, "vendor's page and recalled street price", "2024", Confidence::Low, true},
    PricedPart{"nic_400g", "NIC of 400 Gbit/s", 1'700, 1'200, 3'000, 25, "estimate", "2024", Confidence::Low, true},
    PricedPart{"nic_800g", "NIC of 800 Gbit/s", 2'500, 1'200, 3'000, 40, "estimate", "2024", Confidence::Low, true},
    PricedPart{"cable_400g", "cable of 400 Gbit/s with both ends, any length", 1'280, 1'280, 1'280, 16.5, "public sheet: 2 621 440 / 2 048", "2024-08", Confidence::Medium, false},
};

/// One way to reach a distance.
struct Reach {
    std::string_view title;
    double metres;
    double cable;     ///< US$, sold with its ends.
    double end;       ///< US$, each.
    double npuEnd;    ///< W.
    double switchEnd; ///< W.
};

constexpr std::string_view kPassive = "DAC";
constexpr double kFibre = 50;          ///< US$ ...
constexpr double kFibreOfMetre = 1.5;  ///< ... and so much a metre.
constexpr std::array kReach400{Reach{"DAC", 3, 150, 0, 0.1, 0.1}, Reach{"AEC", 7, 350, 0, 5, 5}, Reach{"SR4", 50, 0, 600, 8, 7.5}, Reach{"DR4", 500, 0, 700, 9, 8.5}, Reach{"FR4", 2000, 0, 900, 12, 12}};
constexpr std::array kReach800{Reach{"DAC", 2, 300, 0, 0.1, 0.1}, Reach{"AEC", 5, 700, 0, 8, 8}, Reach{"LPO", 100, 0, 800, 8, 8}, Reach{"DR8", 500, 0, 1'250, 16.5, 16.5}, Reach{"2xFR4", 2000, 0, 1'700, 17, 17}};

template <std::size_t count>
std::optional<CablePrice> reached(const std::array<Reach, count>& reaches, double metres)
{
    for (const Reach& reach : reaches) {
        if (metres > reach.metres)
            continue;
        const bool whole = reach.cable > 0;
        return CablePrice{reach.title, whole ? reach.cable : 2 * reach.end + kFibre + kFibreOfMetre * metres, reach.npuEnd, reach.switchEnd, reach.title == kPassive, whole};
    }
    return std::nullopt;
}

/// What costs that at 400 and that at 800 Gbit/s.
double atRate(double of400, double of800, double gbit)
{
    if (gbit < 400)
        return of400 * gbit / 400;
    if (gbit > 800)
        return of800 * gbit / 800;
    return of400 + (of800 - of400) * (gbit - 400) / 400;
}

bool isTabled(double gbit)
{
    return gbit == 400 || gbit == 800;
}

/// Letters and digits alone, small: "NVIDIA HGX H100, 8 GPUs" is "nvidiahgxh1008gpus".
std::string plain(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            out += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out += c;
    }
    return out;
}

} // namespace

std::string_view confidenceWord(Confidence confidence)
{
    return confidence == Confidence::High ? "high" : confidence == Confidence::Medium ? "medium" : "low";
}

std::span<const PricedPart> pricedParts() { return kParts; }

const PricedPart& pricedPart(std::string_view key)
{
    const auto found = std::find_if(kParts.begin(), kParts.end(), [&](const PricedPart& part) { return part.key == key; });
    assert(found != kParts.end());
    return *found;
}

std::optional<KnownMachine> knownHost(std::string_view name)
{
    const std::string word = plain(name);
    const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    if (has("gb200nvl72"))
        return KnownMachine{&pricedPart("gb200_nvl72"), 72};
    for (const auto& [part, key] : {std::pair{"hgxh100", "host_h100"}, {"dgxh100", "host_h100"}, {"hgxh200", "host_h200"}, {"dgxh200", "host_h200"}, {"hgxb200", "host_b200"}, {"dgxb200", "host_b200"}}) {
        if (has(part))
            return KnownMachine{&pricedPart(key), 8};
    }
    return std::nullopt;
}

const PricedPart* knownNpu(std::string_view name)
{
    const std::string word = plain(name);
    for (const auto& [part, key] : {std::pair{"h100", "h100_sxm"}, {"h200", "h200_sxm"}, {"b200", "b200"}, {"mi300x", "mi300x"}}) {
        if (word.find(part) != std::string::npos && word.find("gb200") == std::string::npos)
            return &pricedPart(key);
    }
    return nullptr;
}

SwitchPrice switchPrice(std::int64_t radix, double gbit)
{
    const PricedPart& slow = pricedPart("switch_400g");
    const PricedPart& fast = pricedPart("switch_800g");
    const double ports = static_cast<double>(radix) / 64;
    return {ports * atRate(slow.price, fast.price, gbit), ports * atRate(slow.watts, fast.watts, gbit), radix != 64 || gbit != 400};
}

double switchPower(double watts, std::int64_t used, std::int64_t radix)
{
    return 0.6 * watts + 0.4 * watts * static_cast<double>(used) / static_cast<double>(std::max<std::int64_t>(radix, 1));
}

std::optional<CablePrice> cablePrice(double gbit, double metres)
{
    const std::optional<CablePrice> slow = reached(kReach400, metres);
    const std::optional<CablePrice> fast = reached(kReach800, metres);
    if (!slow || !fast)
        return std::nullopt;
    CablePrice out = gbit < 800 ? *slow : *fast;
    out.price = atRate(slow->price, fast->price, gbit);
    out.npuEnd = atRate(slow->npuEnd, fast->npuEnd, gbit);
    out.switchEnd = atRate(slow->switchEnd, fast->switchEnd, gbit);
    out.estimated = out.estimated || !isTabled(gbit);
    return out;
}

CablePrice plainCable(double gbit)
{
    const double share = gbit / 400;
    return {"cable", pricedPart("cable_400g").price * share, 9 * share, 7.5 * share, false, gbit != 400};
}

} // namespace fabricscope
