#include "widgets/theme.h"

#include <QFontDatabase>
#include <QFontMetricsF>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope {

namespace {

struct Pair {
    QRgb light;
    QRgb dark;
};

// In the order of Role.
constexpr std::array<Pair, kRoleCount> kRoles{{
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

struct Kind {
    Pair color;
    Qt::BrushStyle pattern;
};

// In the order of Activity; barrier and waiting are drawn as tick and hatch in the colours of outline and wait.
constexpr std::array<Kind, kActivityCount> kKinds{{
    {{0x3458B2, 0x739AF4}, Qt::SolidPattern},
    {{0x50979F, 0x61D4C9}, Qt::VerPattern},
    {{0xA63F17, 0xE68100}, Qt::BDiagPattern},
    {{0xB88300, 0xF5E069}, Qt::CrossPattern},
    {{0x870B60, 0xC4447D}, Qt::FDiagPattern},
    {{0x9375F1, 0x7A56D8}, Qt::DiagCrossPattern},
    {{0x203501, 0x90BA83}, Qt::Dense6Pattern},
    {{0x67534C, 0x84653F}, Qt::HorPattern},
    {{0x7D8896, 0x707B89}, Qt::SolidPattern},
    {{0x6B7683, 0x8A95A3}, Qt::BDiagPattern},
}};

constexpr std::array<Pair, Theme::kDimensionColors> kDimensions{{
    {0x304BB5, 0x5C7DE8}, {0xC47D1B, 0xCC8730}, {0x139E8C, 0x91E4C9}, {0x761145, 0xC82C6D}, {0x595000, 0xF0E353}, {0x8F79FB, 0xBBB4FB},
}};

constexpr std::array<Pair, Theme::kHeatBuckets> kHeat{{
    {0x8995A5, 0x5A6674}, {0x84867C, 0x6B6690}, {0x8D7752, 0x8E689C}, {0x97632B, 0xB66C93},
    {0x9C4A12, 0xDB7878}, {0x93321A, 0xF19355}, {0x7A1C28, 0xF9B855}, {0x52102E, 0xFCE596},
}};

constexpr std::array<Pair, Theme::kDivergingBuckets> kDiverging{{
    {0x14489A, 0x7DB2FF}, {0x3F74C4, 0x5584CC}, {0x8FB0DE, 0x3C5884}, {0xC9CED5, 0x3A414A}, {0xE0A27C, 0x86523A}, {0xC7622E, 0xD07B42},
    {0x8F3108, 0xFFB072},
}};

QColor pick(const Pair& pair, Theme::Mode mode)
{
    return QColor::fromRgb(mode == Theme::Mode::Dark ? pair.dark : pair.light);
}

double luminance(const QColor& color)
{
    const auto linear = [](double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

bool hasTabularFigures(const QFont& font)
{
    const QFontMetricsF metrics(font);
    const double zero = metrics.horizontalAdvance(QLatin1Char('0'));
    for (char digit = '1'; digit <= '9'; ++digit)
        if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - zero) > 0.01)
            return false;
    return true;
}

/// The system's font, or the first with figures of one width: numbers stand in columns everywhere.
QString familyWithTabularFigures()
{
    const QFont system = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    const QStringList installed = QFontDatabase::families();
    QStringList candidates{QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")};
    // Platforms without settings (offscreen) answer with a family that need not exist.
    if (installed.contains(system.family()))
        candidates.prepend(system.family());
    for (const QString& family : std::as_const(candidates))
        if (installed.contains(family) && hasTabularFigures(QFont(family, 13)))
            return family;
    return system.family();
}

} // namespace

Theme::Theme(Mode mode, double basePixels) : m_mode(mode), m_base(basePixels) {}

QColor Theme::color(Role role) const
{
    return pick(kRoles[static_cast<std::size_t>(role)], m_mode);
}

QColor Theme::activity(Activity activity) const
{
    return pick(kKinds[static_cast<std::size_t>(activity)].color, m_mode);
}

Qt::BrushStyle Theme::pattern(Activity activity) const
{
    return kKinds[static_cast<std::size_t>(activity)].pattern;
}

QColor Theme::dimension(int dimension) const
{
    return pick(kDimensions[static_cast<std::size_t>(std::max(dimension, 0) % kDimensionColors)], m_mode);
}

QColor Theme::ink(const QColor& fill) const
{
    const QColor white(Qt::white);
    const QColor black = QColor::fromRgb(0x10151B);
    return contrast(fill, white) >= contrast(fill, black) ? white : black;
}

int Theme::heatBucket(double share)
{
    if (!(share > 0))
        return 0;
    return static_cast<int>(std::min(share * kHeatBuckets, kHeatBuckets - 1.0));
}

QColor Theme::heat(int bucket) const
{
    return pick(kHeat[static_cast<std::size_t>(std::clamp(bucket, 0, kHeatBuckets - 1))], m_mode);
}

double Theme::heatWidth(int bucket)
{
    return bucket < 4 ? 1.2 : bucket < 6 ? 2.0 : 3.0;
}

QColor Theme::diverging(int bucket) const
{
    return pick(kDiverging[static_cast<std::size_t>(std::clamp(bucket, 0, kDivergingBuckets - 1))], m_mode);
}

QFont Theme::font(TextStyle style) const
{
    static const QString family = familyWithTabularFigures();
    struct Entry {
        double size;
        bool strong;
    };
    const Entry entry = [style]() -> Entry {
        switch (style) {
        case TextStyle::Headline: return {28, true};
        case TextStyle::Title: return {20, true};
        case TextStyle::Body: return {13, false};
        case TextStyle::BodyStrong: return {13, true};
        case TextStyle::Table: return {12.5, false};
        case TextStyle::Section: return {11.5, true};
        case TextStyle::Hint: return {11.5, false};
        case TextStyle::Label: return {11, false};
        case TextStyle::LabelStrong: return {11, true};
        case TextStyle::Smallest: return {10.5, false};
        case TextStyle::Mono: return {12, false};
        }
        return {13, false};
    }();
    QFont font = style == TextStyle::Mono ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : QFont(family);

    font.setPixelSize(std::max(1, static_cast<int>(std::lround(entry.size * m_base / 13.0))));
    font.setWeight(entry.strong ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferVerticalHinting);
    return font;
}

int Theme::scaled(double length) const
{
    return static_cast<int>(std::lround(length * std::max(1.0, m_base / 13.0)));
}

double Theme::contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor Theme::mix(const QColor& under, const QColor& over, double share)
{
    const auto channel = [share](int u, int o) { return static_cast<int>(std::lround(u + (o - u) * share)); };
    return {channel(under.red(), over.red()), channel(under.green(), over.green()), channel(under.blue(), over.blue())};
}

} // namespace fabricscope
