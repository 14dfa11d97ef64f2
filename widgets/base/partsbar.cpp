#include "widgets/base/partsbar.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace fabricscope {

PartsBar::PartsBar(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Parts of the time"));
    followTheme(this, &PartsBar::setTheme);
}

void PartsBar::setParts(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    m_total = 0;
    QStringList names;
    for (const Part& part : m_parts) {
        m_total += part.amount;
        names.append(part.name);
    }
    setAccessibleDescription(names.join(QStringLiteral("; ")));
    update();
}

void PartsBar::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

QSize PartsBar::sizeHint() const
{
    return {m_theme.scaled(120), m_theme.scaled(14)};
}

QRectF PartsBar::rectOf(std::size_t part) const
{
    std::int64_t before = 0;
    for (std::size_t i = 0; i < part; ++i)
        before += m_parts[i].amount;
    const double perUnit = m_total > 0 ? static_cast<double>(width()) / static_cast<double>(m_total) : 0;
    const double left = static_cast<double>(before) * perUnit;
    const double right = static_cast<double>(before + m_parts[part].amount) * perUnit;
    const double gap = part + 1 < m_parts.size() && right - left > 2 ? 1 : 0;
    return {left, 0, right - left - gap, static_cast<double>(height())};
}

void PartsBar::paintPart(QPainter& painter, const QRectF& rect, const Theme& theme, Activity activity, bool hatched)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor color = activity == Activity::Waiting ? theme.color(Role::Wait) : theme.activity(activity);
    const double radius = std::min(1.5, rect.width() / 2);
    if (!hatched && activity != Activity::Waiting) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(rect, radius, radius);
        painter.restore();
        return;
    }
    const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(color, 1));
    painter.drawRoundedRect(inner, radius, radius);
    painter.setClipRect(rect);
    painter.setPen(QPen(color, activity == Activity::Waiting ? 1.2 : 2));
    const double pitch = activity == Activity::Waiting ? 6 : 5;
    for (double x = inner.left() - inner.height(); x < inner.right(); x += pitch)
        painter.drawLine(QPointF(x, inner.bottom()), QPointF(x + inner.height(), inner.top()));
    painter.restore();
}

void PartsBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (std::size_t i = 0; i < m_parts.size(); ++i)
        if (const QRectF rect = rectOf(i); rect.width() > 0)
            paintPart(painter, rect, m_theme, m_parts[i].activity, m_parts[i].hatched);
}

bool PartsBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        for (std::size_t i = 0; i < m_parts.size(); ++i)
            if (rectOf(i).contains(help->pos()))
                QToolTip::showText(help->globalPos(), texts::toolTip(m_parts[i].name), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace fabricscope
