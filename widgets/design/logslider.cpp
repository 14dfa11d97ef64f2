#include "widgets/design/logslider.h"

#include "widgets/base/apptheme.h"
#include "widgets/design/quantityinput.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kHandle = 14;
constexpr double kDetentReach = 4;

/// Steps of 0.05, 0.1 and 0.2 within a decade.
double rounded(double value)
{
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    const double mantissa = value / power;
    const int perUnit = mantissa < 2 ? 20 : mantissa < 5 ? 10 : 5;
    // Counted in whole steps, so that the decimal text of the result is short.
    const double steps = std::round(mantissa * perUnit);
    return power >= 1 ? steps * power / perUnit : steps / (perUnit * std::round(1 / power));
}

} // namespace

LogSlider::LogSlider(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::ArrowCursor);
    followTheme(this, &LogSlider::setTheme);
}

void LogSlider::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void LogSlider::setUnit(const QString& unit)
{
    m_unit = unit;
}

double LogSlider::margin() const
{
    return m_theme.scaled(kHandle) / 2.0 + 1;
}

double LogSlider::decade() const
{
    return m_theme.scaled(kDecade);
}

QSize LogSlider::sizeHint() const
{
    return {m_theme.scaled(140), m_theme.scaled(24)};
}

QSize LogSlider::minimumSizeHint() const
{
    return {m_theme.scaled(64), m_theme.scaled(24)};
}

double LogSlider::position(double value) const
{
    const double left = margin();
    const double right = std::max(left, width() - margin());
    return value > 0 ? std::clamp(left + (std::log10(value) - m_left) * decade(), left, right) : left;
}

double LogSlider::valueAt(double x) const
{
    x = std::clamp(x, margin(), std::max(margin(), width() - margin()));
    for (const double detent : m_detents) {
        if (detent > 0 && std::abs(margin() + (std::log10(detent) - m_left) * decade() - x) <= kDetentReach)
            return detent;
    }
    return rounded(std::pow(10.0, m_left + (x - margin()) / decade()));
}

void LogSlider::keepInside()
{
    if (!(m_value > 0) || width() <= 2 * margin())
        return;
    const double track = width() - 2 * margin();
    const double share = (std::log10(m_value) - m_left) * decade() / track;
    if (!m_placed || share < 0.08 || share > 0.92)
        m_left = std::log10(m_value) - track / decade() * 0.46;
    m_placed = true;
}

void LogSlider::setValue(double value)
{
    m_value = value;
    if (!m_dragging)
        keepInside();
    setAccessibleDescription(quantitytext::number(value) + (m_unit.isEmpty() ? QString() : QChar(0x202F) + m_unit));
    update();
}

void LogSlider::setGhost(std::optional<double> value)
{
    m_ghost = value;
    update();
}

void LogSlider::moveTo(double value)
{
    if (value == m_value)
        return;
    setValue(value);
    m_changing = true;
    emit moved(value);
}

void LogSlider::finish()
{
    keepInside();
    update();
    if (!m_changing)
        return;
    m_changing = false;
    emit finished();
}

void LogSlider::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = height() / 2.0;
    const double handle = m_theme.scaled(kHandle);
    const double track = m_theme.scaled(4);
    const double at = position(m_value);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Role::Line2));
    painter.drawRoundedRect(QRectF(margin(), middle - track / 2, width() - 2 * margin(), track), track / 2, track / 2);
    painter.setBrush(m_theme.color(isEnabled() ? Role::Accent : Role::Disabled));
    painter.drawRoundedRect(QRectF(margin(), middle - track / 2, at - margin(), track), track / 2, track / 2);
    if (m_ghost && *m_ghost > 0) {
        const double tick = m_theme.scaled(12);
        painter.setBrush(m_theme.color(Role::Ghost));
        painter.drawRect(QRectF(std::round(position(*m_ghost)) - 1, middle - tick / 2, 2, tick));
    }
    painter.setBrush(m_theme.color(Role::View));
    painter.setPen(QPen(m_theme.color(isEnabled() ? Role::Accent : Role::Disabled), 2));
    painter.drawEllipse(QPointF(at, middle), handle / 2 - 1, handle / 2 - 1);
    if (hasFocus()) {
        QColor ring = m_theme.color(Role::Accent);
        ring.setAlphaF(0.5F);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ring, 2));
        painter.drawEllipse(QPointF(at, middle), handle / 2 + 2, handle / 2 + 2);
    }
}

void LogSlider::resizeEvent(QResizeEvent*)
{
    if (!m_dragging)
        m_placed = false; // other ends
    keepInside();
}

void LogSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_dragging = true;
    m_start = m_value;
    const double at = position(m_value);
    const double x = event->position().x();
    m_grab = std::abs(x - at) <= m_theme.scaled(kHandle) / 2.0 ? x - at : 0;
    if (m_grab == 0 && x != at)
        moveTo(valueAt(x));
}

void LogSlider::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging)
        moveTo(valueAt(event->position().x() - m_grab));
}

void LogSlider::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_dragging)
        return;
    m_dragging = false;
    finish();
}

void LogSlider::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_dragging) {
        m_dragging = false;
        moveTo(m_start);
        finish();
        return;
    }
    int steps = 0;
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up: steps = 1; break;
    case Qt::Key_Left:
    case Qt::Key_Down: steps = -1; break;
    case Qt::Key_PageUp: steps = 10; break;
    case Qt::Key_PageDown: steps = -10; break;
    default: QWidget::keyPressEvent(event); return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        steps *= 10;
    double value = m_value > 0 ? m_value : std::pow(10.0, m_left);
    for (int i = std::abs(steps); i > 0; --i) {
        const double next = rounded(value * (steps > 0 ? 1.025 : 0.975));
        const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
        const double mantissa = value / power;
        const double unit = power * (mantissa < 2 ? 0.05 : mantissa < 5 ? 0.1 : 0.2);
        value = (steps > 0 ? next > value : next < value) ? next : rounded(value + (steps > 0 ? unit : -unit));
    }
    moveTo(value);
    keepInside();
}

void LogSlider::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void LogSlider::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    finish();
    update();
}

} // namespace fabricscope
