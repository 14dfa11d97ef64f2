#include "widgets/base/hoverbox.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr double kHoverWide = 320; ///< Where it wraps, at text of 13 px.
constexpr int kHoverFlags = Qt::AlignLeft | Qt::TextWordWrap;

} // namespace

HoverBox::HoverBox(const Theme& theme, const QString& text, QSizeF inside) : m_theme(theme), m_text(text), m_inside(inside), m_margin(theme.scaled(8))
{
    const double wide = std::min<double>(theme.scaled(kHoverWide), inside.width() - 2 * m_margin - 4);
    const QRectF needed = QFontMetricsF(theme.font(TextStyle::Hint)).boundingRect(QRectF(0, 0, wide, 10'000), kHoverFlags, text);
    m_box = QRectF(0, 0, needed.width() + 2 * m_margin + 1, needed.height() + 2 * m_margin);
}

void HoverBox::moveBeside(QPointF point, double gap)
{
    const bool fitsRight = point.x() + gap + m_box.width() <= m_inside.width();
    const bool fitsAbove = point.y() - gap - m_box.height() >= 0;
    m_box.moveTopLeft({fitsRight ? point.x() + gap : point.x() - gap - m_box.width(), fitsAbove ? point.y() - gap - m_box.height() : point.y() + gap});
    m_box.moveLeft(std::clamp(m_box.left(), 1.0, std::max(1.0, m_inside.width() - m_box.width() - 1)));
    m_box.moveTop(std::clamp(m_box.top(), 1.0, std::max(1.0, m_inside.height() - m_box.height() - 1)));
}

void HoverBox::paint(QPainter& painter) const
{
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    painter.setBrush(m_theme.color(Role::Raised));
    painter.drawRoundedRect(m_box, 3, 3);
    painter.setFont(m_theme.font(TextStyle::Hint));
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(m_box.adjusted(m_margin, m_margin, -m_margin + 1, -m_margin), kHoverFlags, m_text);
}

} // namespace fabricscope
