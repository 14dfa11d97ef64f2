#pragma once

#include "core/study/maineffects.h"
#include "widgets/base/theme.h"
#include "widgets/study/variantaxes.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace fabricscope {

/// The mean of a figure for each value of each parameter: a line of circles for each, those first that are furthest apart.
class EffectsChart : public QWidget
{
    Q_OBJECT
public:
    explicit EffectsChart(QWidget* parent = nullptr);

    /// None where the axis is no figure.
    void setMeans(const StudySpec& space, const StudyTable& table, const VariantAxis& axis);
    const std::vector<MainEffect>& effects() const { return m_effects; }
    /// Of a value of an effect.
    QPointF positionOf(std::size_t effect, std::size_t value) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void describe();
    QString spanText(const MainEffect& effect) const;
    double nameWidth() const;
    double rowHeight() const;
    double placeOf(double mean) const;
    void paintRow(QPainter& painter, std::size_t effect) const;

    std::vector<MainEffect> m_effects;
    std::vector<QString> m_names;
    VariantAxis m_axis;
    double m_least = 0;
    double m_most = 1;
    Theme m_theme;
};

} // namespace fabricscope
