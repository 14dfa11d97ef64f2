// Handles of levels: counts and ports.
#include "widgets/draw/levelsview.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fabricscope {

namespace {

constexpr double kStepPixels = 24;
constexpr double kMostPixels = 384;
constexpr double kPortPitch = 6;
constexpr double kPortMargin = 8;
constexpr double kDetentReach = 6;
constexpr std::int64_t kMostCount = 65536;

/// The next power of two above or below a count.
std::int64_t powerBeside(std::int64_t count, bool above)
{
    std::int64_t power = 1;
    while (power * 2 <= count)
        power *= 2;
    return above ? std::min(power * 2, kMostCount) : power < count ? power : std::max<std::int64_t>(power / 2, 1);
}

} // namespace

LevelHandle::LevelHandle(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
}

void LevelHandle::setValue(std::int64_t value)
{
    m_value = value;
    if (!m_dragging)
        m_wanted = value;
    update();
}

void LevelHandle::end(bool keep)
{
    if (!m_dragging)
        return;
    m_dragging = false;
    const std::int64_t wanted = m_wanted;
    m_wanted = m_value;
    update();
    emit previewed(m_value);
    if (keep && wanted != m_value)
        emit chosen(wanted);
}

void LevelHandle::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = event->position();
    m_wanted = m_value;
    m_dragging = true;
}

void LevelHandle::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragging)
        return;
    const std::int64_t wanted = dragged(event->position() - m_pressed, event->modifiers() & Qt::ShiftModifier);
    if (wanted == m_wanted)
        return;
    m_wanted = wanted;
    update();
    emit previewed(wanted);
}

void LevelHandle::mouseReleaseEvent(QMouseEvent*)
{
    end(true);
}

bool LevelHandle::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && m_dragging) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void LevelHandle::keyPressEvent(QKeyEvent* event)
{
    const bool every = event->modifiers() & Qt::ShiftModifier;
    int by = 0;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (!m_dragging)
            break;
        end(false);
        return;
    case Qt::Key_Up:
    case Qt::Key_Right: by = 1; break;
    case Qt::Key_Down:
    case Qt::Key_Left: by = -1; break;
    default: break;
    }
    if (by == 0 || m_dragging) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (const std::int64_t wanted = stepped(by, every); wanted != m_value)
        emit chosen(wanted);
}

void LevelHandle::focusInEvent(QFocusEvent* event)
{
    m_keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void LevelHandle::focusOutEvent(QFocusEvent*)
{
    m_keyboardFocus = false;
    update();
}

CountHandle::CountHandle(QWidget* parent) : LevelHandle(parent)
{
    setCursor(Qt::SizeHorCursor);
    followTheme(this, &CountHandle::setTheme);
}

void CountHandle::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

QSize CountHandle::sizeHint() const
{
    const QFontMetrics metrics(m_theme.font(TextStyle::BodyStrong));
    return {std::max(m_theme.scaled(46), metrics.horizontalAdvance(QStringLiteral("× ") + texts::count(value())) + m_theme.scaled(24)), m_theme.scaled(24)};
}

std::int64_t CountHandle::dragged(QPointF by, bool every) const
{
    const std::int64_t steps = std::llround((by.x() + by.y()) / kStepPixels);
    if (every)
        return std::clamp<std::int64_t>(m_value + steps, 1, kMostCount);
    std::int64_t wanted = m_value;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(std::abs(steps), 32); ++i) // More than there are powers.
        wanted = powerBeside(wanted, steps > 0);
    return wanted;
}

std::int64_t CountHandle::stepped(int by, bool every) const
{
    if (every)
        return std::clamp<std::int64_t>(m_value + by, 1, kMostCount);
    return powerBeside(m_value, by > 0);
}

void CountHandle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(m_dragging || m_keyboardFocus ? Role::Accent : Role::Outline), m_keyboardFocus ? 2 : 1));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Role::Text3));
    for (const int x : {0, 1}) {
        for (const int y : {-1, 0, 1})
            painter.drawEllipse(QPointF(8 + x * 4, height() / 2.0 + y * 4), 1, 1);
    }
    painter.setFont(m_theme.font(TextStyle::BodyStrong));
    painter.setPen(m_theme.color(m_dragging ? Role::Accent : Role::Text));
    painter.drawText(QRectF(rect()).adjusted(16, 0, -4, 0), Qt::AlignCenter, QStringLiteral("× ") + texts::count(value()));
}

PortsHandle::PortsHandle(QWidget* parent) : LevelHandle(parent)
{
    setCursor(Qt::SplitHCursor);
    followTheme(this, &PortsHandle::setTheme);
}

void PortsHandle::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void PortsHandle::setPorts(std::int64_t down, std::int64_t up, std::int64_t radix)
{
    m_down = std::max<std::int64_t>(down, 1);
    m_radix = radix;
    setValue(up);
}

void PortsHandle::setRoom(int pixels)
{
    m_room = std::max(pixels, 80);
    update();
}

void PortsHandle::setWordRoom(int pixels)
{
    m_wordRoom = pixels;
    update();
}

std::int64_t PortsHandle::all() const
{
    return std::max(m_radix > 0 ? m_radix : m_down * 2, m_down + m_value);
}

double PortsHandle::cell() const
{
    return std::min(kPortPitch, std::min(kMostPixels, m_room - 2 * kPortMargin) / static_cast<double>(all()));
}

QSize PortsHandle::sizeHint() const
{
    return {static_cast<int>(std::ceil(cell() * static_cast<double>(all()))) + 16, m_theme.scaled(20) + 20};
}

QPointF PortsHandle::gripAt(std::int64_t up) const
{
    return {8 + cell() * static_cast<double>(m_down + up), height() - 12.0};
}

Ratio PortsHandle::ratio(std::int64_t up) const
{
    const std::int64_t common = std::gcd(m_down, std::max<std::int64_t>(up, 1));
    return {m_down / common, std::max<std::int64_t>(up, 1) / common};
}

std::int64_t PortsHandle::dragged(QPointF by, bool every) const
{
    const std::int64_t most = std::max<std::int64_t>(all() - m_down, 1);
    const double at = static_cast<double>(m_value) + by.x() / cell();
    const std::int64_t wanted = std::clamp<std::int64_t>(std::llround(at), 1, most);
    if (every)
        return wanted;
    for (const std::int64_t detent : {1, 2, 4, 8}) {
        if (m_down % detent == 0 && m_down / detent <= most && std::abs(at - static_cast<double>(m_down / detent)) * cell() <= kDetentReach)
            return m_down / detent;
    }
    return wanted;
}

std::int64_t PortsHandle::stepped(int by, bool every) const
{
    const std::int64_t most = std::max<std::int64_t>(all() - m_down, 1);
    if (every)
        return std::clamp<std::int64_t>(m_value + by, 1, most);
    std::int64_t best = m_value;
    for (const std::int64_t detent : {8, 4, 2, 1}) {
        const std::int64_t up = m_down / detent;
        if (m_down % detent != 0 || up > most)
            continue;
        if (by > 0 && up > m_value)
            return up;
        if (by < 0 && up < m_value)
            best = up;
    }
    return best;
}

void PortsHandle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const double pitch = cell();
    const double high = 12;
    const double top = height() - high - 6;
    const auto boxes = [&](std::int64_t from, std::int64_t count, const QColor& color, bool filled) {
        for (std::int64_t i = 0; i < count; ++i) {
            const QRectF box(8 + pitch * static_cast<double>(from + i), top, std::max(pitch - 1, 1.0), high);
            if (filled)
                painter.fillRect(box, color);
            else {
                painter.setPen(QPen(color, 1));
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
            }
        }
    };
    boxes(0, m_down, m_theme.color(Role::Outline), true);
    boxes(m_down, value(), m_theme.color(Role::Accent), true);
    boxes(m_down + value(), std::max<std::int64_t>(all() - m_down - value(), 0), m_theme.color(Role::Outline), false);
    painter.setFont(m_theme.font(TextStyle::Label));
    painter.setPen(m_theme.color(Role::Text2));
    const Ratio now = ratio(value());
    const double room = std::min(m_wordRoom, width()) - 8;
    QString words = tr("%1 down, %2 up, %3 : %4").arg(m_down).arg(value()).arg(now.down).arg(now.up);
    if (painter.fontMetrics().horizontalAdvance(words) > room)
        words = QStringLiteral("%1 : %2").arg(now.down).arg(now.up);
    painter.drawText(QRectF(8, 0, room, top - 1), Qt::AlignLeft | Qt::AlignBottom, words);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(m_dragging || m_keyboardFocus ? Role::Accent : Role::Text), 2));
    painter.setBrush(m_theme.color(Role::View));
    painter.drawEllipse(gripAt(value()), 6, 6);
}

} // namespace fabricscope
