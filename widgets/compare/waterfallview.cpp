#include "widgets/compare/waterfallview.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/compare/fieldnames.h"
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
    const WaterfallItem* const before = itemOf(m_current);
    const std::string field = before ? path()->changes.rows()[before->change].field : std::string();
    m_set = std::move(set);
    m_path = number;
    m_why = why;
    m_current = m_drop = -1;
    m_pressed = false;
    for (int row = 1; !field.empty() && row + 1 < rowCount(); ++row) {
        if (path()->changes.rows()[itemOf(row)->change].field == field)
            m_current = row;
    }
    if (const DesignPath* const shown = path()) {
        const WaterfallSpan span = spanOf(*shown->waterfall);
        m_low = span.low;
        m_high = span.high;
    }
    describe();
    updateGeometry();
    update();
    emit currentRowChanged();
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
    return item ? item->from : SimTime{std::max<std::int64_t>(m_low.ps, 0)}; // Sums of means may lie below zero, designs do not.
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

QFont WaterfallView::nameFont(int row) const
{
    return m_theme.font(itemOf(row) ? TextStyle::Body : TextStyle::BodyStrong);
}

QString WaterfallView::shownName(int row) const
{
    const QFontMetrics metrics(nameFont(row));
    const int room = static_cast<int>(width() * kNameShare - m_theme.scaled(kMargin));
    const WaterfallItem* const item = itemOf(row);
    if (!item)
        return metrics.elidedText(nameText(row), Qt::ElideMiddle, room);
    const std::vector<DesignChange>& changes = path()->changes.rows();
    return comparing::elidedField(metrics, nameText(row), texts::shown(comparing::endThatTellsApart(changes, changes[item->change].field)), room);
}

QString WaterfallView::timeText(int row) const
{
    if (itemOf(row) && path()->waterfall->mean)
        return {}; // A sum of means is no time of a design.
    return texts::time(to(row));
}

QString WaterfallView::fieldsText() const
{
    const int fields = rowCount() - 2;
    if (fields <= 1)
        return fields == 0 ? tr("The designs do not differ in any field.") : tr("One field differs.");
    const WaterfallMean& mean = path()->waterfall->mean;
    if (!mean)
        return tr("%1 fields differ. Each bar is one more changed, simulated; the bars add up exactly.").arg(fields);
    QString text = mean.all ? tr("%1 fields differ. Each bar is what its field changes, as the mean over all %2 orders; the bars add up exactly.")
                            : tr("%1 fields differ. Each bar is what its field changes, as the mean over %2 orders, in which it stands at each place equally often; the bars add up exactly.");
    text = text.arg(fields).arg(mean.orders);
    if (mean.withoutTime > 0)
        text += QLatin1Char(' ') + tr("Designs between that have no time: %1. What they change counts with the next field.").arg(mean.withoutTime);
    return text;
}

QString WaterfallView::explanation() const
{
    const WaterfallItem* const item = itemOf(m_current);
    if (!item) {
        return fieldsText();
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
    for (int row = 0; row < rowCount(); ++row) {
        QStringList figures{changeText(row), timeText(row)};
        figures.removeAll(QString());
        rows.append(tr("%1: %2").arg(nameText(row), figures.join(QStringLiteral(", "))));
    }
    setAccessibleDescription(rows.join(QStringLiteral("; ")));
}

void WaterfallView::setCurrentRow(int row)
{
    m_current = std::clamp(row, -1, rowCount() - 1);
    describe();
    update();
    emit currentRowChanged();
}

bool WaterfallView::canMove(int by) const
{
    const int to = m_current + by;
    return itemOf(m_current) && by != 0 && to > 0 && to + 1 < rowCount();
}

void WaterfallView::askToMove(int by)
{
    if (canMove(by))
        emit moveWanted(itemOf(m_current)->change, by);
}

int WaterfallView::dropBefore(const QPointF& position) const
{
    if (!itemOf(m_current))
        return -1;
    const double row = (position.y() - rowRect(0).top()) / rowRect(0).height();
    const int before = std::clamp(static_cast<int>(std::lround(row)), 1, rowCount() - 1);
    return before == m_current || before == m_current + 1 ? -1 : before;
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
    painter.setFont(nameFont(row));
    painter.setPen(m_theme.color(Role::Text));
    const QRectF name(margin, line.top(), width() * kNameShare - margin, line.height());
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter, shownName(row));
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

void WaterfallView::paintDrop(QPainter& painter) const
{
    if (m_drop < 0)
        return;
    painter.setPen(QPen(m_theme.color(Role::Accent), 2));
    const double y = rowRect(m_drop).top();
    painter.drawLine(QPointF(0, y), QPointF(width(), y));
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
        paintDrop(painter);
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

bool WaterfallView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) { // A field is moved, whatever these keys mean elsewhere.
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::AltModifier && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void WaterfallView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = false;
    for (int row = 0; row < rowCount(); ++row) {
        if (rowRect(row).contains(event->position())) {
            setCurrentRow(row);
            m_pressed = event->button() == Qt::LeftButton;
        }
    }
}

void WaterfallView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_pressed)
        return;
    m_drop = dropBefore(event->position());
    update();
}

void WaterfallView::mouseReleaseEvent(QMouseEvent*)
{
    const int before = m_pressed ? m_drop : -1;
    m_pressed = false;
    m_drop = -1;
    update();
    if (before >= 0)
        askToMove(before > m_current ? before - 1 - m_current : before - m_current);
}

void WaterfallView::keyPressEvent(QKeyEvent* event)
{
    const bool vertical = event->key() == Qt::Key_Down || event->key() == Qt::Key_Up;
    const int by = event->key() == Qt::Key_Down ? 1 : -1;
    if (event->key() == Qt::Key_Escape && m_pressed) {
        m_pressed = false;
        m_drop = -1;
        update();
    } else if (vertical && event->modifiers() == Qt::AltModifier) {
        askToMove(by);
    } else if (vertical && rowCount() > 0) {
        setCurrentRow(std::clamp(m_current + by, 0, rowCount() - 1));
    } else {
        QWidget::keyPressEvent(event);
    }
}

} // namespace fabricscope
