#include "widgets/study/effectschart.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <vector>

namespace fabricscope {

namespace {

constexpr double kEffectDot = 4;
constexpr double kEffectEdge = 14;

} // namespace

EffectsChart::EffectsChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Main effects"));
    followTheme(this, &EffectsChart::setTheme);
    describe();
}

void EffectsChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void EffectsChart::setMeans(const StudySpec& space, const StudyTable& table, const VariantAxis& axis)
{
    m_effects = axis.figure ? mainEffects(space, table, *axis.figure) : std::vector<MainEffect>();
    m_names.clear();
    for (const MainEffect& effect : m_effects)
        m_names.push_back(texts::shown(space.parameters[effect.parameter].name));
    m_axis = axis;
    if (!m_effects.empty()) {
        m_least = std::min_element(m_effects.begin(), m_effects.end(), [](const auto& a, const auto& b) { return a.least() < b.least(); })->least();
        m_most = std::max_element(m_effects.begin(), m_effects.end(), [](const auto& a, const auto& b) { return a.most() < b.most(); })->most();
    }
    describe();
    updateGeometry();
    update();
}

/// All that is drawn, in words.
void EffectsChart::describe()
{
    QStringList lines;
    for (std::size_t i = 0; i < m_effects.size(); ++i) {
        QStringList values;
        for (const MainEffect::Value& value : m_effects[i].values)
            values.append(tr("%1 of %2").arg(m_axis.text(value.mean), texts::shown(value.label)));
        lines.append(m_names[i] + QStringLiteral(": ") + values.join(QStringLiteral(", ")));
    }
    setAccessibleDescription(lines.isEmpty() ? tr("Designs have not run yet, or no parameter has two values.") : lines.join(QStringLiteral("; ")));
}

QString EffectsChart::spanText(const MainEffect& effect) const
{
    return tr("spans %1").arg(m_axis.text(effect.most() - effect.least()));
}

double EffectsChart::nameWidth() const
{
    const QFontMetricsF body(m_theme.font(TextStyle::Body));
    const QFontMetricsF label(m_theme.font(TextStyle::Label));
    double widest = 0;
    for (std::size_t i = 0; i < m_names.size(); ++i)
        widest = std::max({widest, body.horizontalAdvance(m_names[i]), label.horizontalAdvance(spanText(m_effects[i]))});
    return std::min(widest + m_theme.scaled(26), width() * 0.45);
}

double EffectsChart::rowHeight() const
{
    const double tall = QFontMetricsF(m_theme.font(TextStyle::Label)).height();
    const double top = tall + m_theme.scaled(10);
    return std::min(m_theme.scaled(56) * 1.0, (height() - top - m_theme.scaled(6)) / static_cast<double>(std::max<std::size_t>(m_effects.size(), 1)));
}

double EffectsChart::placeOf(double mean) const
{
    const double left = nameWidth() + m_theme.scaled(kEffectEdge);
    const double wide = std::max(20.0, width() - left - m_theme.scaled(kEffectEdge + 6));
    return left + (m_most > m_least ? (mean - m_least) / (m_most - m_least) : 0.5) * wide;
}

QPointF EffectsChart::positionOf(std::size_t effect, std::size_t value) const
{
    const double top = QFontMetricsF(m_theme.font(TextStyle::Label)).height() + m_theme.scaled(10);
    return {placeOf(m_effects[effect].values[value].mean), top + (static_cast<double>(effect) + 0.35) * rowHeight()};
}

QSize EffectsChart::sizeHint() const
{
    return {m_theme.scaled(300), m_theme.scaled(300)};
}

QSize EffectsChart::minimumSizeHint() const
{
    return {m_theme.scaled(180), m_theme.scaled(120)};
}

void EffectsChart::paintRow(QPainter& painter, std::size_t effect) const
{
    const MainEffect& of = m_effects[effect];
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    const double tall = metrics.height();
    const double y = positionOf(effect, 0).y();
    const double room = nameWidth() - m_theme.scaled(12);
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text));
    const QString name = QFontMetricsF(painter.font()).elidedText(m_names[effect], Qt::ElideRight, room);
    const bool both = rowHeight() > 2.2 * tall; // Beside each other they are too much.
    painter.drawText(QRectF(m_theme.scaled(12), y - (both ? 1.1 : 0.75) * tall, room, 1.5 * tall), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(m_theme.font(TextStyle::Label));
    if (both) {
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(QRectF(m_theme.scaled(12), y + 0.3 * tall, room, tall), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(spanText(of), Qt::ElideRight, room));
    }
    painter.setPen(QPen(m_theme.color(Role::Outline), 1.5));
    painter.drawLine(QPointF(placeOf(of.least()), y), QPointF(placeOf(of.most()), y));
    // Labels that have room: both ends, then those between.
    std::vector<std::size_t> order(of.values.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto isEnd = [&](std::size_t i) { return of.values[i].mean == of.least() || of.values[i].mean == of.most(); };
        return isEnd(a) > isEnd(b);
    });
    std::vector<QRectF> taken;
    for (const std::size_t i : order) {
        const QPointF here = positionOf(effect, i);
        painter.setPen(QPen(m_theme.color(Role::Text), 1.5));
        painter.setBrush(m_theme.color(Role::View));
        painter.drawEllipse(here, kEffectDot, kEffectDot);
        const QString label = texts::shown(of.values[i].label);
        const double wide = metrics.horizontalAdvance(label) + m_theme.scaled(6);
        QRectF box(here.x() - wide / 2, y + kEffectDot + 2, wide, tall);
        box.moveLeft(std::clamp(box.left(), nameWidth(), std::max(nameWidth(), width() - wide)));
        if (rowHeight() < 1.9 * tall || std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(box); }))
            continue;
        taken.push_back(box);
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

void EffectsChart::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void EffectsChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void EffectsChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_effects.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, tr("The means of each value stand here once designs have run."));
        return;
    }
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Grid));
    const double bottom = positionOf(m_effects.size() - 1, 0).y() + 0.6 * rowHeight();
    for (const double mean : {m_least, m_most}) {
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(placeOf(mean), metrics.height() + m_theme.scaled(4)), QPointF(placeOf(mean), bottom));
        painter.setPen(m_theme.color(Role::Text3));
        const QString text = m_axis.text(mean);
        const double wide = metrics.horizontalAdvance(text) + 2;
        painter.drawText(QRectF(std::clamp(placeOf(mean) - wide / 2, 0.0, std::max(0.0, width() - wide - 2)), m_theme.scaled(2), wide, metrics.height()), Qt::AlignCenter, text);
        if (!(m_most > m_least))
            break;
    }
    for (std::size_t effect = 0; effect < m_effects.size(); ++effect)
        paintRow(painter, effect);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
