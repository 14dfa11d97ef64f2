#include "widgets/step/movepainter.h"

#include "widgets/step/chunkpaint.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricscope {

QPointF pointAlong(const QPolygonF& line, double share)
{
    double length = 0;
    for (qsizetype i = 1; i < line.size(); ++i)
        length += QLineF(line[i - 1], line[i]).length();
    double rest = length * share;
    for (qsizetype i = 1; i < line.size(); ++i) {
        const QLineF piece(line[i - 1], line[i]);
        if (rest <= piece.length() && piece.length() > 0)
            return piece.pointAt(rest / piece.length());
        rest -= piece.length();
    }
    return line.isEmpty() ? QPointF() : line.back();
}

StepCanvasPainter::StepCanvasPainter(QPainter& painter, const StepLayout& layout, const Theme& theme)
    : m_painter(painter), m_layout(layout), m_theme(theme)
{
    m_painter.setRenderHint(QPainter::Antialiasing);
}

void StepCanvasPainter::captions(const Platform&)
{
    if (m_layout.kind() != StepLayout::Kind::Grid || m_layout.columnDimensions().size() != 1 || m_layout.rowDimensions().empty())
        return;
    m_painter.setFont(m_theme.font(TextStyle::Label));
    m_painter.setPen(m_theme.color(Role::Text2));
    const double width = m_layout.columns() > 1 ? m_layout.columnX(1) - m_layout.columnX(0) : 100;
    for (int column = 0; column < m_layout.columns(); ++column) {
        const QString text = tr("D%1 place %2").arg(m_layout.columnDimensions().front()).arg(column);
        const QString shown = m_painter.fontMetrics().horizontalAdvance(text) < width - 6 ? text : QString::number(column);
        m_painter.drawText(QRectF(m_layout.columnX(column) - width / 2, m_theme.scaled(6), width, m_theme.scaled(18)), Qt::AlignCenter, shown);
    }
}

void StepCanvasPainter::bars(const std::vector<int>& activeDimensions, int highlighted)
{
    const QSizeF chip = steppaint::dimensionChipSize(m_theme);
    const std::vector<StepLayout::Bar>& bars = m_layout.bars();
    // Rows of one wrapped switch hang together.
    for (std::size_t i = 1; i < bars.size(); ++i)
        if (!bars[i].joint.isNull() && bars[i].dimension >= 0 && bars[i].dimension == bars[i - 1].dimension && bars[i].number == bars[i - 1].number) {
            m_painter.setPen(QPen(m_theme.dimension(bars[i].dimension), 1.5));
            m_painter.drawLine(bars[i - 1].joint, bars[i].joint);
        }
    double lastBottom = -1e9;
    double leftmost = 1e9;
    for (const StepLayout::Bar& bar : bars)
        leftmost = std::min(leftmost, bar.rect.left());
    bool captioned = false;
    for (const StepLayout::Bar& bar : bars) {
        const bool active = std::find(activeDimensions.begin(), activeDimensions.end(), bar.dimension) != activeDimensions.end();
        const QColor color = bar.dimension < 0 ? m_theme.color(Role::Outline) : m_theme.dimension(bar.dimension);
        m_painter.setPen(QPen(color, active || bar.dimension == highlighted ? 1.5 : 1));
        m_painter.setBrush(Theme::mix(m_theme.color(Role::View), color, active ? 0.14 : 0.0));
        m_painter.drawRoundedRect(bar.rect, 3, 3);
        if (bar.vertical && !captioned) {
            captioned = true;
            steppaint::dimensionChip(m_painter, QRectF(QPointF(bar.rect.center().x() - chip.width() / 2, bar.rect.bottom() + 3), chip), bar.dimension, m_theme);
        }
        if (bar.dimension < 0 || bar.vertical || bar.rect.top() < lastBottom + chip.height() - bar.rect.height())
            continue;
        // Bars of a thin stack share one caption.
        lastBottom = bar.rect.bottom();
        const QString text = tr("switch %1").arg(bar.number);
        const double y = bar.rect.center().y();
        const double textWidth = QFontMetricsF(m_theme.font(TextStyle::Label)).horizontalAdvance(text);
        const double left = leftmost - m_theme.scaled(10) - textWidth;
        if (left - chip.width() - 6 < 0)
            continue;
        m_painter.setFont(m_theme.font(TextStyle::Label));
        m_painter.setPen(m_theme.color(Role::Text2));
        m_painter.drawText(QRectF(left, y - chip.height(), textWidth + 2, 2 * chip.height()), Qt::AlignVCenter | Qt::AlignLeft, text);
        steppaint::dimensionChip(m_painter, QRectF(QPointF(left - chip.width() - 6, y - chip.height() / 2), chip), bar.dimension, m_theme);
    }
}

void StepCanvasPainter::links(const std::vector<LinkId>& links, const QColor& color, double width)
{
    // Round joins and antialiasing only as long as the lines can be told apart.
    m_painter.setRenderHint(QPainter::Antialiasing, links.size() <= 2000);
    m_painter.setPen(QPen(color, links.size() > 500 ? 1 : width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    m_painter.setBrush(Qt::NoBrush);
    for (const LinkId link : links)
        m_painter.drawPolyline(m_layout.linkPath(link));
    m_painter.setRenderHint(QPainter::Antialiasing);
}

void StepCanvasPainter::boxes(const CollectiveReplay& replay, const std::vector<StepCanvas::Holding>& holdings, const QColor& color, int source, int target,
                              int selected)
{
    const QColor view = m_theme.color(Role::View);
    const QColor partial = Theme::mix(view, color, 0.24);
    const QColor complete = Theme::mix(view, m_theme.color(Role::Ok), 0.30);
    const double scale = m_theme.basePixels() / 13.0;
    const double side = m_layout.boxSide();
    const bool withState = side >= 40 * scale;
    const bool withNumber = side >= 19 * scale && m_layout.kind() != StepLayout::Kind::Squares;
    QFont number = m_theme.font(withState ? TextStyle::BodyStrong : TextStyle::Smallest);
    QFont small = m_theme.font(TextStyle::Smallest);
    for (int i = 0; i < m_layout.size(); ++i) {
        const QRectF& box = m_layout.box(i);
        const StepCanvas::Holding& holding = holdings[static_cast<std::size_t>(i)];
        const bool marked = i == source || i == target || i == selected;
        const double radius = side >= 20 ? 6 : side >= 8 ? 2 : 0;
        QPainterPath outline;
        outline.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        m_painter.fillPath(outline, view);
        if (holding.share > 0) {
            m_painter.save();
            m_painter.setClipRect(QRectF(box.left(), box.bottom() - box.height() * holding.share, box.width(), box.height() * holding.share), Qt::IntersectClip);
            m_painter.fillPath(outline, m_layout.kind() == StepLayout::Kind::Squares ? (holding.complete ? m_theme.color(Role::Ok) : color)
                                        : holding.complete                           ? complete
                                                                                     : partial);
            m_painter.restore();
        }
        if (side >= 6 || marked) {
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(m_theme.color(marked ? Role::Text : Role::Outline), marked ? 2 : 1, i == source && i != target && side < 12 ? Qt::DotLine : Qt::SolidLine));
            m_painter.drawPath(outline);
        }
        if (!withNumber)
            continue;
        m_painter.setFont(number);
        m_painter.setPen(m_theme.color(Role::Text));
        const QString text = QString::number(replay.nodeAt(i));
        if (withState) {
            m_painter.drawText(QRectF(box.left(), box.top(), box.width(), box.height() * 0.58), Qt::AlignHCenter | Qt::AlignBottom, text);
            m_painter.setFont(small);
            m_painter.setPen(m_theme.color(Role::Text2));
            if (QFontMetricsF(small).horizontalAdvance(holding.text) <= box.width() - 1)
                m_painter.drawText(QRectF(box.left(), box.top() + box.height() * 0.56, box.width(), box.height() * 0.4), Qt::AlignHCenter | Qt::AlignVCenter, holding.text);
        } else if (QFontMetricsF(number).horizontalAdvance(text) <= box.width()) {
            m_painter.drawText(box, Qt::AlignCenter, text);
        }
    }
}

void StepCanvasPainter::token(const QPointF& at, const QString& text, const QColor& color, bool hollow, bool small, bool selected)
{
    const QColor view = m_theme.color(Role::View);
    if (small) {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(color);
        m_painter.drawEllipse(at, 3, 3);
        return;
    }
    const double scale = m_theme.basePixels() / 13.0;
    m_painter.setFont(m_theme.font(TextStyle::LabelStrong));
    const double width = std::max(20 * scale, QFontMetricsF(m_painter.font()).horizontalAdvance(text) + 8 * scale);
    const QRectF rect(at.x() - width / 2, at.y() - 8 * scale, width, 16 * scale);
    // A rim of the background keeps neighbouring tokens apart.
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(view);
    m_painter.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), 4, 4);
    m_painter.setPen(selected ? QPen(m_theme.color(Role::Text), 2) : hollow ? QPen(color, 1.5) : QPen(Qt::NoPen));
    m_painter.setBrush(hollow ? view : color);
    m_painter.drawRoundedRect(rect, 3, 3);
    m_painter.setPen(hollow ? m_theme.color(Role::Text) : m_theme.ink(color));
    m_painter.drawText(rect, Qt::AlignCenter, text);
}

void StepCanvasPainter::arrow(const QPolygonF& path)
{
    if (path.size() < 2)
        return;
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(m_theme.color(Role::View), 4));
    m_painter.drawPolyline(path);
    m_painter.setPen(QPen(m_theme.color(Role::Critical), 1.75, Qt::CustomDashLine));
    QPen dashed(m_theme.color(Role::Critical), 1.75);
    dashed.setDashPattern({3, 2});
    m_painter.setPen(dashed);
    m_painter.drawPolyline(path);
    // The head points along the last piece that has a length.
    for (qsizetype i = path.size() - 1; i > 0; --i) {
        const QLineF last(path[i - 1], path[i]);
        if (last.length() < 2)
            continue;
        const QPointF unit = (last.p2() - last.p1()) / last.length();
        const QPointF side(-unit.y(), unit.x());
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.color(Role::Critical));
        m_painter.drawPolygon(QPolygonF({path.back(), path.back() - unit * 8 + side * 4, path.back() - unit * 8 - side * 4}));
        return;
    }
}

void StepCanvasPainter::callout(const QPointF& near, const QRectF& area, const QString& title, const QString& text)
{
    const QFont strong = m_theme.font(TextStyle::BodyStrong);
    const QFont plain = m_theme.font(TextStyle::Hint);
    const double width = std::max(QFontMetricsF(strong).horizontalAdvance(title), QFontMetricsF(plain).horizontalAdvance(text)) + m_theme.scaled(18);
    const double height = m_theme.scaled(44);
    const double away = m_theme.scaled(14);
    std::vector<QPointF> places;
    for (const QPointF& offset : {QPointF(away * 2, away), QPointF(away * 2, -height - away), QPointF(-width - away * 2, away), QPointF(-width - away * 2, -height - away),
                                  QPointF(-width / 2, away * 4), QPointF(-width / 2, -height - away * 4), QPointF(away * 4, -height / 2), QPointF(-width - away * 4, -height / 2)})
        places.push_back(near + offset);
    // Where all is full near the move, a corner hides least.
    for (const double x : {area.left(), area.right() - width})
        for (const double y : {area.top(), area.bottom() - height})
            places.emplace_back(x, y);
    QRectF best;
    double bestCost = 1e18;
    for (const QPointF& place : places) {
        const QPointF inside(std::clamp(place.x(), area.left(), std::max(area.left(), area.right() - width)),
                             std::clamp(place.y(), area.top(), std::max(area.top(), area.bottom() - height)));
        const QRectF rect(inside, QSizeF(width, height));
        // Far from the move is worse than near, but hiding a quarter of a box is worse than that.
        double cost = QLineF(rect.center(), near).length() + (rect.contains(near) ? width * height : 0);
        const auto hides = [&](const QRectF& other) {
            const QRectF hidden = rect & other;
            cost += hidden.width() * hidden.height();
        };
        for (int i = 0; i < std::min(m_layout.size(), 1024); ++i)
            hides(m_layout.box(i));
        for (const StepLayout::Bar& bar : m_layout.bars()) {
            hides(bar.rect);
            if (bar.dimension >= 0 && !bar.vertical) // Its caption.
                hides(QRectF(bar.rect.left() - m_theme.scaled(92), bar.rect.center().y() - m_theme.scaled(9), m_theme.scaled(92), m_theme.scaled(18)));
        }
        if (cost < bestCost) {
            bestCost = cost;
            best = rect;
        }
    }
    m_painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    m_painter.setBrush(m_theme.color(Role::Raised));
    m_painter.drawRoundedRect(best.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    m_painter.setPen(m_theme.color(Role::Text));
    m_painter.setFont(strong);
    const QRectF inner = best.adjusted(m_theme.scaled(9), m_theme.scaled(4), 0, -m_theme.scaled(4));
    m_painter.drawText(QRectF(inner.topLeft(), QSizeF(inner.width(), inner.height() / 2)), Qt::AlignLeft | Qt::AlignVCenter, title);
    m_painter.setPen(m_theme.color(Role::Text2));
    m_painter.setFont(plain);
    m_painter.drawText(QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2), Qt::AlignLeft | Qt::AlignVCenter, text);
}

} // namespace fabricscope
