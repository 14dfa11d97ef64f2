#include "widgets/transform/gainchart.h"

#include "core/base/index.h"
#include "core/draw/nicestep.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/transform/rewritetexts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kGainAxis = 22;
constexpr double kGainRow = 20;
constexpr double kGainBar = 14;

} // namespace

GainChart::GainChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Gain, step by step"));
    followTheme(this, &GainChart::setTheme);
    describe();
}

void GainChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void GainChart::setSteps(SimTime before, std::vector<Row> rows)
{
    m_before = before;
    m_rows = std::move(rows);
    m_current = std::min(m_current, static_cast<int>(m_rows.size()) - 1);
    describe();
    updateGeometry();
    update();
}

void GainChart::setCurrent(int step)
{
    m_current = std::clamp(step, -1, static_cast<int>(m_rows.size()) - 1);
    describe();
    update();
}

SimTime GainChart::timeBefore(int row) const
{
    return row <= 1 ? m_before : m_rows[at(row - 2)].time;
}

SimTime GainChart::timeAfter(int row) const
{
    return row == 0 ? m_before : m_rows[std::min(at(row - 1), m_rows.size() - 1)].time;
}

SimTime GainChart::sum() const
{
    return m_rows.empty() ? SimTime{} : m_rows.back().time - m_before;
}

/// A tenth below the shortest, where all that differs would be a small part of the bars.
SimTime GainChart::axisBegin() const
{
    SimTime least = m_before;
    SimTime most = m_before;
    for (const Row& row : m_rows) {
        least = std::min(least, row.time);
        most = std::max(most, row.time);
    }
    constexpr double kWorthBreaking = 0.55;
    if (static_cast<double>(least.ps) < kWorthBreaking * static_cast<double>(most.ps))
        return {};
    const std::int64_t span = std::max<std::int64_t>(most.ps - least.ps, most.ps / 100 + 1);
    const std::int64_t step = niceStep(span, 5);
    return {std::max<std::int64_t>(0, (least.ps - span / 4) / step * step)};
}

/// Where there is little room the bars need it more.
double GainChart::figureWidth() const
{
    const double usual = m_theme.scaled(84);
    if (width() >= m_theme.scaled(560))
        return usual;
    const QFontMetricsF metrics(m_theme.font(TextStyle::Body));
    return std::min(usual, metrics.horizontalAdvance(QStringLiteral("▼ ") + texts::timeIn(m_before, m_before, 3)));
}

QRectF GainChart::plot() const
{
    const double left = std::min(m_theme.scaled(200) * 1.0, width() * 0.34);
    const double right = 2 * figureWidth() + m_theme.scaled(22);
    return {left, static_cast<double>(m_theme.scaled(kGainAxis)), std::max(10.0, width() - left - right), rowCount() * static_cast<double>(m_theme.scaled(kGainRow))};
}

QRectF GainChart::rowRect(int row) const
{
    const double height = m_theme.scaled(kGainRow);
    return {0, m_theme.scaled(kGainAxis) + row * height, static_cast<double>(width()), height};
}

double GainChart::xOf(SimTime time) const
{
    SimTime most = m_before;
    for (const Row& row : m_rows)
        most = std::max(most, row.time);
    const double begin = static_cast<double>(axisBegin().ps);
    return plot().left() + plot().width() * (static_cast<double>(time.ps) - begin) / std::max(1.0, static_cast<double>(most.ps) - begin);
}

QRectF GainChart::barRect(int row) const
{
    const double tall = m_theme.scaled(kGainBar);
    const bool whole = row == 0 || row + 1 == rowCount();
    const double a = whole ? plot().left() : xOf(timeBefore(row));
    const double b = xOf(timeAfter(row));
    return {std::min(a, b), rowRect(row).center().y() - tall / 2, std::max(1.0, std::abs(b - a)), tall};
}

int GainChart::heightForAll() const
{
    return m_theme.scaled(kGainAxis + std::max(rowCount(), 4) * kGainRow + 8);
}

QSize GainChart::sizeHint() const
{
    return {m_theme.scaled(560), heightForAll()};
}

QSize GainChart::minimumSizeHint() const
{
    return {m_theme.scaled(320), heightForAll()};
}

void GainChart::choose(int step)
{
    setCurrent(step);
    emit stepChosen(m_current);
}

void GainChart::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_rows.size()) - 1;
    if (last < 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Up: return choose(std::max(0, m_current - 1));
    case Qt::Key_Down: return choose(std::min(last, m_current + 1));
    case Qt::Key_Home: return choose(0);
    case Qt::Key_End: return choose(last);
    default: QWidget::keyPressEvent(event);
    }
}

void GainChart::mousePressEvent(QMouseEvent* event)
{
    for (int row = 1; row + 1 < rowCount(); ++row) {
        if (rowRect(row).contains(event->position()))
            return choose(row - 1);
    }
}

void GainChart::describe()
{
    if (m_current >= 0)
        setAccessibleDescription(tr("%1: %2, then %3").arg(m_rows[at(m_current)].step, texts::time(timeAfter(m_current + 1) - timeBefore(m_current + 1)), texts::time(m_rows[at(m_current)].time)));
    else
        setAccessibleDescription(m_rows.empty() ? tr("No step has been taken.") : tr("%1 in all").arg(texts::time(sum())));
}

void GainChart::paintTicks(QPainter& painter) const
{
    const QRectF place = plot();
    const SimTime begin = axisBegin();
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    const double wide = metrics.horizontalAdvance(QStringLiteral("0000.00 ms")) + m_theme.scaled(20);
    const double scale = (xOf({m_before.ps + 1'000'000'000}) - xOf(m_before)) / 1e9; // Pixels of a picosecond.
    const std::int64_t span = std::max<std::int64_t>(1, static_cast<std::int64_t>(place.width() / std::max(scale, 1e-12)));
    const std::int64_t step = niceStep(span, std::max<std::int64_t>(1, static_cast<std::int64_t>(place.width() / wide)));
    int decimals = 0;
    for (std::int64_t unit = m_before.ps >= 1'000'000'000 ? 1'000'000'000 : m_before.ps >= 1'000'000 ? 1'000'000 : 1'000; unit > step && decimals < 6; unit /= 10)
        ++decimals;
    const double margin = m_theme.scaled(12);
    const double figures = figureWidth();
    const double gainRight = width() - margin - figures - m_theme.scaled(6);
    // A label that would touch its neighbour, or the words above the figures, is left out.
    double taken = 0;
    const double most = gainRight - QFontMetricsF(m_theme.font(TextStyle::Hint)).horizontalAdvance(tr("gain, %1").arg(texts::timeUnit(m_before)));
    for (std::int64_t tick = (begin.ps + step - 1) / step * step; xOf({tick}) <= place.right() + 1; tick += step) {
        const double x = xOf({tick});
        painter.setPen(m_theme.color(Role::Grid));
        painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()));
        painter.setPen(m_theme.color(Role::Text3));
        const QString label = texts::timeIn({tick}, m_before, decimals);
        const double half = metrics.horizontalAdvance(label) / 2 + m_theme.scaled(4);
        if (x - half < taken || x + half > most)
            continue;
        taken = x + half;
        painter.drawText(QRectF(x - wide / 2, 0, wide, place.top()), Qt::AlignCenter, label);
    }
    painter.setFont(m_theme.font(TextStyle::Hint));
    painter.setPen(m_theme.color(Role::Text3));
    painter.drawText(QRectF(width() - margin - figures, 0, figures, place.top()), Qt::AlignRight | Qt::AlignVCenter, tr("time, %1").arg(texts::timeUnit(m_before)));
    painter.drawText(QRectF(gainRight - figures, 0, figures, place.top()), Qt::AlignRight | Qt::AlignVCenter, tr("gain, %1").arg(texts::timeUnit(m_before)));
    if (begin.ps > 0)
        painter.drawText(QRectF(margin, 0, place.left() - margin, place.top()), Qt::AlignLeft | Qt::AlignVCenter, tr("axis from %1").arg(texts::timeIn(begin, m_before, decimals)));
}

void GainChart::paintRow(QPainter& painter, int row) const
{
    const QRectF area = rowRect(row);
    const bool whole = row == 0 || row + 1 == rowCount();
    const bool current = !whole && row - 1 == m_current;
    const double margin = m_theme.scaled(12);
    if (current)
        painter.fillRect(area, m_theme.color(hasFocus() ? Role::Sel : Role::Hover));
    painter.setFont(m_theme.font(whole ? TextStyle::LabelStrong : TextStyle::Table));
    painter.setPen(m_theme.color(Role::Text));
    const QString name = row == 0 ? tr("Before") : whole ? tr("After") : m_rows[at(row - 1)].step;
    const double room = plot().left() - margin - 6;
    painter.drawText(QRectF(margin, area.top(), room, area.height()), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(painter.font()).elidedText(name, Qt::ElideRight, room));
    const SimTime change = row == 0 ? SimTime{} : row + 1 == rowCount() ? sum() : timeAfter(row) - timeBefore(row);
    const int sign = rewritten::signOfChange(change);
    const Role role = sign > 0 ? Role::Err : sign < 0 ? Role::Ok : Role::Text2;
    const QRectF bar = barRect(row);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(whole || sign == 0 ? Role::Outline : role));
    painter.drawRect(bar);
    if (whole && axisBegin().ps > 0) {
        // The axis does not begin at 0.
        painter.setPen(QPen(m_theme.color(Role::View), 2));
        const double x = bar.left() + m_theme.scaled(6);
        painter.drawPolyline(QPolygonF({QPointF(x, bar.top()), QPointF(x + 4, bar.center().y()), QPointF(x, bar.bottom())}));
    }
    // Each bar begins where the one before ends.
    if (row > 0) {
        painter.setPen(QPen(m_theme.color(Role::Outline), 1));
        const double x = xOf(timeBefore(row));
        painter.drawLine(QPointF(x, rowRect(row - 1).center().y() + m_theme.scaled(kGainBar) / 2.0), QPointF(x, bar.top()));
    }
    const auto figure = [&](double right, const QString& text, Role color) {
        painter.setPen(m_theme.color(color));
        painter.drawText(QRectF(width() - margin - right - figureWidth(), area.top(), figureWidth(), area.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    const auto bare = [&](SimTime time) {
        QString text = texts::timeIn(time, m_before, 3);
        const QString unit = texts::timeUnit(m_before);
        text.chop(text.endsWith(unit) ? unit.size() + 1 : 0);
        return text;
    };
    figure(0, bare(timeAfter(row)), Role::Text);
    if (row > 0)
        figure(figureWidth() + m_theme.scaled(6), (sign > 0 ? QStringLiteral("▲ ") : sign < 0 ? QStringLiteral("▼ ") : QString()) + bare({std::abs(change.ps)}), role);
}

void GainChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (m_rows.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap, tr("No step has been taken. Take one at the right, or search."));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (int row = 0; row < rowCount(); ++row) {
        if (row == 0)
            paintTicks(painter);
        paintRow(painter, row);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

} // namespace fabricscope
