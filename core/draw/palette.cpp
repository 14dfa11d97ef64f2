#include "core/draw/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

struct Pair {
    std::uint32_t light;
    std::uint32_t dark;
};

// In the order of Tone.
constexpr std::array<Pair, kToneCount> kTones{{
    {0xECEFF2, 0x14171B}, // Window
    {0xF6F7F9, 0x1B1F24}, // Panel
    {0xFFFFFF, 0x101317}, // View
    {0xFFFFFF, 0x262B32}, // Raised
    {0xE4E8ED, 0x2A3038}, // Hover
    {0xD8DEE5, 0x343B45}, // Pressed
    {0xF8F9FB, 0x14181D}, // Stripe
    {0xD7E5F9, 0x1E3350}, // Sel
    {0x1B222B, 0xE6E9ED}, // Text
    {0x47525F, 0xB5BDC7}, // Text2
    {0x586370, 0x8E98A5}, // Text3
    {0x98A2AE, 0x5E6874}, // Disabled
    {0xD9DEE4, 0x2B3138}, // Line
    {0xC4CBD3, 0x3A424C}, // Line2
    {0x7D8896, 0x707B89}, // Outline
    {0x1F5FBF, 0x79A9F5}, // Accent
    {0xFFFFFF, 0x0E1420}, // OnAccent
    {0x186C3B, 0x54BE85}, // Ok
    {0x8A5600, 0xE0AC4E}, // Warn
    {0xBC2430, 0xF27C80}, // Err
    {0xE1F3E7, 0x17301F}, // OkBg
    {0xFBEFD5, 0x33280F}, // WarnBg
    {0xFBE4E5, 0x3A1B1E}, // ErrBg
    {0xE3EEFB, 0x182A44}, // InfoBg
    {0x6B7683, 0x8A95A3}, // Wait
    {0xBC2430, 0xF27C80}, // Exposed
    {0x11161C, 0xF4F6F8}, // Critical
    {0x838D9A, 0x77818D}, // Ghost
    {0xE8EBEF, 0x1F242A}, // Grid
}};

// In the order of Activity.
constexpr std::array<Pair, kActivityCount> kActivities{{
    {0x3458B2, 0x739AF4}, // Compute
    {0x50979F, 0x61D4C9}, // Memory
    {0xA63F17, 0xE68100}, // AllReduce
    {0xB88300, 0xF5E069}, // AllGather
    {0x870B60, 0xC4447D}, // ReduceScatter
    {0x9375F1, 0x7A56D8}, // AllToAll
    {0x203501, 0x90BA83}, // SendReceive
    {0x67534C, 0x84653F}, // Broadcast
    {0x7D8896, 0x707B89}, // Barrier
    {0x6B7683, 0x8A95A3}, // Waiting
}};

constexpr std::array<Pair, kDimensionColorCount> kDimensions{{
    {0x304BB5, 0x5C7DE8}, {0xC47D1B, 0xCC8730}, {0x139E8C, 0x91E4C9}, {0x761145, 0xC82C6D}, {0x595000, 0xF0E353}, {0x8F79FB, 0xBBB4FB},
}};

constexpr std::array<Pair, kHeatBucketCount> kHeat{{
    {0x8995A5, 0x5A6674}, {0x84867C, 0x6B6690}, {0x8D7752, 0x8E689C}, {0x97632B, 0xB66C93},
    {0x9C4A12, 0xDB7878}, {0x93321A, 0xF19355}, {0x7A1C28, 0xF9B855}, {0x52102E, 0xFCE596},
}};

constexpr std::uint32_t kWhite = 0xFFFFFF;
constexpr std::uint32_t kBlack = 0x10151B;

/// WCAG 2.
double luminance(std::uint32_t rgb)
{
    const auto linear = [rgb](int shift) {
        const double channel = static_cast<double>(rgb >> shift & 0xFFU) / 255;
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

double contrast(std::uint32_t a, std::uint32_t b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

int heatBucketOf(double share)
{
    if (!(share > 0))
        return 0;
    return static_cast<int>(std::min(share * kHeatBucketCount, kHeatBucketCount - 1.0));
}

double heatLineWidth(int bucket)
{
    return bucket < 4 ? 1.2 : bucket < 6 ? 2.0 : 3.0;
}

DrawColor DrawColor::heat(double share)
{
    return heatOf(heatBucketOf(share));
}

std::uint32_t DrawColor::rgb(bool dark) const
{
    const Pair pair = [this] {
        switch (m_kind) {
        case Kind::Activity: return kActivities[m_index];
        case Kind::Dimension: return kDimensions[m_index];
        case Kind::Heat: return kHeat[m_index];
        case Kind::Tone: break;
        }
        return kTones[m_index];
    }();
    const std::uint32_t color = dark ? pair.dark : pair.light;
    if (!m_ink)
        return color;
    return contrast(color, kWhite) >= contrast(color, kBlack) ? kWhite : kBlack;
}

} // namespace fabricscope
