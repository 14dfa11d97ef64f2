#pragma once

#include "core/record/activity.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QApplication;

namespace fabricscope {

/// Colour tokens of the interface. Kinds, dimensions and scales have their own functions.
enum class Role {
    Window, Panel, View, Raised, Hover, Pressed, Stripe, Sel,
    Text, Text2, Text3, Disabled, Line, Line2, Outline, Accent, OnAccent,
    Ok, Warn, Err, OkBg, WarnBg, ErrBg, InfoBg, Wait, Exposed, Critical, Ghost, Grid
};
constexpr int kRoleCount = static_cast<int>(Role::Grid) + 1;

/// Type scale, all derived from the base size.
enum class TextStyle { Headline, Title, Body, BodyStrong, Table, Section, Hint, Label, LabelStrong, Smallest, Mono };

/// The one source of colours, fonts and metrics. A small value: copy it; widgets take that of the application by followTheme().
class Theme {
public:
    enum class Mode { Light, Dark };
    static constexpr int kHeatBuckets = 8;
    static constexpr int kDivergingBuckets = 7;
    static constexpr int kDimensionColors = 6;

    explicit Theme(Mode mode = Mode::Light, double basePixels = 13.0);

    Mode mode() const { return m_mode; }
    bool isDark() const { return m_mode == Mode::Dark; }
    double basePixels() const { return m_base; }
    /// Hatch patterns on intervals: on for high contrast and greyscale print.
    bool patterns() const { return m_patterns; }
    void setPatterns(bool on) { m_patterns = on; }

    QColor color(Role role) const;
    QColor activity(Activity activity) const;
    Qt::BrushStyle pattern(Activity activity) const;
    /// Repeats from the seventh dimension on (the chip then has a dashed border).
    QColor dimension(int dimension) const;
    /// White or near-black, whichever contrasts more with the fill.
    QColor ink(const QColor& fill) const;

    /// Bucket 0..7 of a share of the range; outside 0..1 (or NaN) it is clamped.
    static int heatBucket(double share);
    QColor heat(int bucket) const;
    /// Heat also widens a link: 1.2 up to 50 %, 2 up to 75 %, 3 above (logical px).
    static double heatWidth(int bucket);
    /// 0 (faster) .. 6 (slower).
    QColor diverging(int bucket) const;

    QFont font(TextStyle style) const;
    /// A length given for the 13 px base, scaled with it; for rows that hold text.
    int scaled(double length) const;

    /// These three are in themestyle.cpp.
    QPalette palette() const;
    QString styleSheet() const;
    /// Fusion, palette, font and style sheet; may be called again to switch at run time.
    void apply(QApplication& application) const;

    /// WCAG 2 contrast ratio, 1..21.
    static double contrast(const QColor& a, const QColor& b);
    /// `over` at `share` (0..1) mixed into `under`; opaque.
    static QColor mix(const QColor& under, const QColor& over, double share);

private:
    Mode m_mode;
    double m_base;
    bool m_patterns = false;
};

} // namespace fabricscope
