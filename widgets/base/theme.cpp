#include "widgets/base/theme.h"

#include "core/base/index.h"
#include "core/draw/palette.h"

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

// In the order of Activity; barrier and waiting are drawn as tick and hatch.
constexpr std::array<Qt::BrushStyle, kActivityCount> kPatterns{
    Qt::SolidPattern, Qt::VerPattern, Qt::BDiagPattern, Qt::CrossPattern, Qt::FDiagPattern, Qt::DiagCrossPattern, Qt::Dense6Pattern, Qt::HorPattern, Qt::SolidPattern,
    Qt::BDiagPattern};

// Roles are the tones of drawings, so that a report and the window have the same colours.
static_assert(kRoleCount == kToneCount && Theme::kHeatBuckets == kHeatBucketCount && Theme::kDimensionColors == kDimensionColorCount);

constexpr std::array<Pair, Theme::kDivergingBuckets> kDiverging{{
    {0x14489A, 0x7DB2FF}, {0x3F74C4, 0x5584CC}, {0x8FB0DE, 0x3C5884}, {0xC9CED5, 0x3A414A}, {0xE0A27C, 0x86523A}, {0xC7622E, 0xD07B42},
    {0x8F3108, 0xFFB072},
}};

QColor pick(const Pair& pair, Theme::Mode mode)
{
    return QColor::fromRgb(mode == Theme::Mode::Dark ? pair.dark : pair.light);
}

QColor colorOf(DrawColor color, Theme::Mode mode)
{
    return QColor::fromRgb(color.rgb(mode == Theme::Mode::Dark));
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
    return colorOf(static_cast<Tone>(role), m_mode);
}

QColor Theme::activity(Activity activity) const
{
    return colorOf(DrawColor::activity(activity), m_mode);
}

Qt::BrushStyle Theme::pattern(Activity activity) const
{
    return kPatterns[at(activity)];
}

QColor Theme::dimension(int dimension) const
{
    return colorOf(DrawColor::dimension(dimension), m_mode);
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
    return colorOf(DrawColor::heatOf(std::clamp(bucket, 0, kHeatBuckets - 1)), m_mode);
}

double Theme::heatWidth(int bucket)
{
    return bucket < 4 ? 1.2 : bucket < 6 ? 2.0 : 3.0;
}

QColor Theme::diverging(int bucket) const
{
    return pick(kDiverging[at(std::clamp(bucket, 0, kDivergingBuckets - 1))], m_mode);
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
