#include "widgets/compare/waterfallview.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/compare/letters.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kMargin = 12;
constexpr double kRow = 22;
constexpr double kBar = 14;
constexpr double kNameShare = 0.36;

} // namespace

WaterfallView::WaterfallView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Why the designs differ"));
    describe();
    followTheme(this, &WaterfallView::setTheme);
}

void WaterfallView::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

const DesignPath* WaterfallView::path() const
{
    return m_set && m_path < m_set->paths.size() && m_set->paths[m_path].waterfall ? &m_set->paths[m_path] : nullptr;
}

void WaterfallView::setPath(std::shared_ptr<const DesignSet> set, std::size_t number, const QString& why)
{
    m_set = std::move(set);
    m_path = number;
    m_why = why;
    m_current = -1;
    if (const DesignPath* const shown = path()) {
        const WaterfallSpan span = spanOf(*shown->waterfall);
        m_low = span.low;
        m_high = span.high;
    }
    describe();
    updateGeometry();
    update();
}

int WaterfallView::rowCount() const
{
    return path() ? static_cast<int>(path()->waterfall->items.size()) + 2 : 0;
}

const WaterfallItem* WaterfallView::itemOf(int row) const
{
    return row > 0 && row + 1 < rowCount() ? &path()->waterfall->items[at(row - 1)] : nullptr;
}

SimTime WaterfallView::from(int row) const
{
    const WaterfallItem* const item = itemOf(row);
    return item ? item->from : m_low;
}

SimTime WaterfallView::to(int row) const
{
    if (const WaterfallItem* const item = itemOf(row))
        return item->to;
    return row == 0 ? path()->waterfall->a : path()->waterfall->b;
}

QString WaterfallView::nameText(int row) const
{
    if (const WaterfallItem* const item = itemOf(row))
        return texts::shown(path()->changes.rows()[item->change].field);
    const std::size_t design = row == 0 ? m_set->baseline : path()->to;
    return comparing::letter(design) + QLatin1Char(' ') + texts::shown(m_set->designs[design].name);
}

QString WaterfallView::changeText(int row) const
{
    if (row == 0)
        return {};
    const WaterfallItem* const item = itemOf(row);
    if (!item)
        return comparing::difference(path()->waterfall->b - path()->waterfall->a);
    return item->apart ? comparing::difference(item->delta()) : tr("with the next");
}

QString WaterfallView::timeText(int row) const
{
    return texts::time(to(row));
}

QString WaterfallView::explanation() const
{
    const WaterfallItem* const item = itemOf(m_current);
    if (!item) {
        const int fields = rowCount() - 2;
        if (fields <= 1)
            return fields == 0 ? tr("The designs do not differ in any field.") : tr("One field differs.");
        return tr("%1 fields differ. Each bar is one more changed, simulated; the bars add up exactly.").arg(fields);
    }
    const DesignChange& change = path()->changes.rows()[item->change];
    const auto value = [&](const std::string& text) { return text.empty() ? tr("(not there)") : texts::shown(text); };
    const QString what = change.whole ? tr("All of %1 that differs.").arg(texts::shown(change.section)) : tr("%1 \u2192 %2").arg(value(change.a), value(change.b));
    return item->apart ? what : tr("%1 A design with this and without the next has no time: %2.").arg(what, texts::shown(item->why));
}

void WaterfallView::describe()
{
    if (!path()) {
        setAccessibleDescription(m_why);
        return;
    }
    QStringList rows;
    if (m_current >= 0)
        rows.append(tr("Current: %1, %2").arg(nameText(m_current), explanation()));
    for (int row = 0; row < rowCount(); ++row)
        rows.append(changeText(row).isEmpty() ? tr("%1: %2").arg(nameText(row), timeText(row)) : tr("%1: %2, %3").arg(nameText(row), changeText(row), timeText(row)));
    setAccessibleDescription(rows.join(QStringLiteral("; ")));
}

void WaterfallView::setCurrentRow(int row)
{
    m_current = std::clamp(row, -1, rowCount() - 1);
    describe();
    update();
}

QSize WaterfallView::sizeHint() const
{
    const QFontMetrics metrics(m_theme.font(TextStyle::Body));
    return {m_theme.scaled(480), m_theme.scaled(kMargin + std::max(rowCount(), 4) * kRow) + 3 * metrics.height()};
}

QSize WaterfallView::minimumSizeHint() const
{
    return {m_theme.scaled(300), sizeHint().height()};
}

QRectF WaterfallView::rowRect(int row) const
{
    const double height = m_theme.scaled(kRow);
    return {0, m_theme.scaled(kMargin / 2) + row * height, static_cast<double>(width()), height};
}

double WaterfallView::columnWidth() const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::BodyStrong));
    double wide = 0;
    for (int row = 0; row < rowCount(); ++row)
        wide = std::max({wide, metrics.horizontalAdvance(changeText(row)), metrics.horizontalAdvance(timeText(row))});
    return std::ceil(wide) + 1;
}

double WaterfallView::xOf(SimTime time) const
{
    const double margin = m_theme.scaled(kMargin);
    const double left = margin + width() * kNameShare;
    const double right = std::max(width() - 3 * margin - 2 * columnWidth(), left + 1);
    const double span = static_cast<double>(std::max<std::int64_t>(m_high.ps - m_low.ps, 1));
    return left + (right - left) * static_cast<double>(time.ps - m_low.ps) / span;
}

QRectF WaterfallView::barRect(int row) const
{
    const QRectF line = rowRect(row);
    const double height = m_theme.scaled(kBar);
    const double left = xOf(std::min(from(row), to(row)));
    double length = xOf(std::max(from(row), to(row))) - left;
    if (from(row) != to(row))
        length = std::max(length, 1.5); // Never invisible.
    return {left, line.center().y() - height / 2, length, height};
}

void WaterfallView::paintRow(QPainter& painter, int row) const
{
    const QRectF line = rowRect(row);
    const bool design = !itemOf(row);
    const double margin = m_theme.scaled(kMargin);
    if (row == m_current)
        painter.fillRect(line, m_theme.color(Role::Sel));
    const QFont font = m_theme.font(design ? TextStyle::BodyStrong : TextStyle::Body);
    const QFontMetrics metrics(font);
    painter.setFont(font);
    painter.setPen(m_theme.color(Role::Text));
    const QRectF name(margin, line.top(), width() * kNameShare - margin, line.height());
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(nameText(row), design ? Qt::ElideRight : Qt::ElideLeft, static_cast<int>(name.width())));
    const double column = columnWidth();
    painter.drawText(QRectF(width() - margin - column, line.top(), column, line.height()), Qt::AlignRight | Qt::AlignVCenter, timeText(row));
    const SimTime delta = to(row) - from(row);
    if (!design && delta.ps != 0)
        painter.setPen(m_theme.color(delta.ps < 0 ? Role::Ok : Role::Err));
    painter.drawText(QRectF(width() - 2 * margin - 2 * column, line.top(), column, line.height()), Qt::AlignRight | Qt::AlignVCenter, changeText(row));

    const QRectF bar = barRect(row);
    if (row + 1 < rowCount()) {
        painter.setPen(QPen(m_theme.color(Role::Outline), 1));
        painter.drawLine(QPointF(xOf(to(row)), line.center().y()), QPointF(xOf(to(row)), rowRect(row + 1).center().y()));
    }
    if (delta.ps == 0)
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(design ? Role::Outline : delta.ps < 0 ? Role::Ok : Role::Err));
    painter.drawRect(bar);
    if (design && m_low.ps > 0) { // The axis is broken here.
        painter.setPen(QPen(m_theme.color(Role::View), 2));
        const double x = bar.left() + m_theme.scaled(6);
        painter.drawPolyline(QPolygonF({{x, bar.top()}, {x + 4, bar.center().y()}, {x, bar.bottom()}}));
    }
}

void WaterfallView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.color(Role::View));
    const int margin = m_theme.scaled(kMargin);
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    if (!path()) {
        painter.drawText(rect().adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap, m_why);
    } else {
        for (int row = 0; row < rowCount(); ++row)
            paintRow(painter, row);
        const QRectF below(margin, rowRect(rowCount()).top() + margin / 2.0, width() - 2 * margin, height());
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(below, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, explanation());
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void WaterfallView::mousePressEvent(QMouseEvent* event)
{
    for (int row = 0; row < rowCount(); ++row) {
        if (rowRect(row).contains(event->position()))
            setCurrentRow(row);
    }
}

void WaterfallView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Down)
        setCurrentRow(std::min(m_current + 1, rowCount() - 1));
    else if (event->key() == Qt::Key_Up)
        setCurrentRow(std::max(m_current - 1, 0));
    else
        QWidget::keyPressEvent(event);
}

} // namespace fabricscope
