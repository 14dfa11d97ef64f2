#pragma once

#include "core/record/activity.h"

#include <cstdint>

namespace fabricscope {

/// Colour tokens. Kinds of activity, dimensions and the scale of heat have their own.
enum class Tone : std::uint8_t {
    Window, Panel, View, Raised, Hover, Pressed, Stripe, Sel,
    Text, Text2, Text3, Disabled, Line, Line2, Outline, Accent, OnAccent,
    Ok, Warn, Err, OkBg, WarnBg, ErrBg, InfoBg, Wait, Exposed, Critical, Ghost, Grid
};
constexpr int kToneCount = static_cast<int>(Tone::Grid) + 1;
constexpr int kHeatBucketCount = 8;
constexpr int kDimensionColorCount = 6;

/// A colour by what it means; what it looks like is decided by light or dark.
class DrawColor {
public:
    constexpr DrawColor(Tone tone) : m_kind(Kind::Tone), m_index(static_cast<std::uint8_t>(tone)) {}
    constexpr DrawColor() : DrawColor(Tone::Text) {}
    static constexpr DrawColor activity(Activity activity) { return {Kind::Activity, static_cast<std::uint8_t>(activity)}; }
    /// Repeats from the seventh dimension on.
    static constexpr DrawColor dimension(int dimension) { return {Kind::Dimension, static_cast<std::uint8_t>((dimension < 0 ? 0 : dimension) % kDimensionColorCount)}; }
    static DrawColor heat(double share); ///< 0..1; outside (or NaN) it is clamped.
    static constexpr DrawColor heatOf(int bucket) { return {Kind::Heat, static_cast<std::uint8_t>(bucket)}; }
    /// White or near-black, whichever contrasts more with this as a fill.
    constexpr DrawColor ink() const
    {
        DrawColor color = *this;
        color.m_ink = true;
        return color;
    }

    std::uint32_t rgb(bool dark) const; ///< 0xRRGGBB.
    friend constexpr bool operator==(const DrawColor&, const DrawColor&) = default;

private:
    enum class Kind : std::uint8_t { Tone, Activity, Dimension, Heat };
    constexpr DrawColor(Kind kind, std::uint8_t index) : m_kind(kind), m_index(index) {}

    Kind m_kind;
    std::uint8_t m_index;
    bool m_ink = false;
};

/// Bucket 0..7 of a share of the range; outside 0..1 (or NaN) it is clamped.
int heatBucketOf(double share);
/// Heat also widens a link: 1.2 up to 50 %, 2 up to 75 %, 3 above.
double heatLineWidth(int bucket);

} // namespace fabricscope
