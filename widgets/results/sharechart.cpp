#include "widgets/results/sharechart.h"

#include "core/draw/nicestep.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr int kTimeSteps = 6;

/// The next of 1, 2 and 5 times a power of ten per cent, so that thin use of the links is seen too.
double topFor(const TimeShares& shares)
{
    double highest = 0;
    for (std::size_t column = 0; column < shares.columns; ++column) {
        double sum = 0;
        for (const TimeShares::Part& part : shares.parts)
            sum += part.shares[column];
        highest = std::max(highest, sum);
    }
    constexpr double kSlack = 1.000001; // Sums of shares that are 1 but for rounding.
    for (const double top : {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5})
        if (highest <= top * kSlack)
            return top;
    return 1;
}

QString partName(const TimeShares::Part& part)
{
    return part.dimension >= 0 ? QStringLiteral("D%1").arg(part.dimension) : texts::shown(part.name);
}

} // namespace

ShareChart::ShareChart(const QString& title, QWidget* parent) : QWidget(parent), m_title(title)
{
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
    followTheme(this, &ShareChart::setTheme);
}

void ShareChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void ShareChart::setShares(TimeShares shares, const QString& empty)
{
    m_shares = std::move(shares);
    m_empty = empty;
    m_top = topFor(m_shares);
    if (m_mark && (m_shares.parts.empty() || *m_mark >= m_shares.columns))
        m_mark.reset();
    QStringList names;
    for (const TimeShares::Part& part : m_shares.parts)
        names.append(partName(part));
    m_said = names.isEmpty() ? empty : tr("From the ground up: %1").arg(names.join(QStringLiteral(", ")));
    say();
}

QRectF ShareChart::plot() const
{
    const double head = m_theme.scaled(40);
    const double left = m_theme.scaled(48);
    return {left, head, std::max(1.0, width() - left - m_theme.scaled(12)), std::max(1.0, height() - head - m_theme.scaled(20))};
}

QColor ShareChart::colorOf(std::size_t part) const
{
    const TimeShares::Part& one = m_shares.parts[part];
    if (!one.activity)
        return m_theme.dimension(one.dimension >= 0 ? one.dimension : static_cast<int>(part));
    if (*one.activity == Activity::Waiting)
        return m_theme.color(Role::Exposed);
    // Work of the host is computing of another kind.
    const QColor color = m_theme.activity(*one.activity);
    const bool second = part > 0 && m_shares.parts[part - 1].activity == one.activity;
    return second ? color.lighter(140) : color;
}

QString ShareChart::reading() const
{
    if (!m_mark)
        return {};
    QStringList parts;
    double rest = 1;
    for (const TimeShares::Part& part : m_shares.parts) {
        rest -= part.shares[*m_mark];
        if (part.shares[*m_mark] > 0)
            parts.append(partName(part) + QLatin1Char(' ') + texts::percent(part.shares[*m_mark]));
    }
    parts.append(tr("idle %1").arg(texts::percent(std::max(0.0, rest))));
    return tr("%1: %2").arg(texts::timeIn({m_shares.timeOf(*m_mark)}, {m_shares.endPs}, 2), parts.join(QStringLiteral(", ")));
}

std::optional<std::size_t> ShareChart::columnAt(const QPointF& position) const
{
    const QRectF place = plot();
    if (m_shares.parts.empty() || position.x() < place.left() || position.x() >= place.right() || position.y() < place.top() - m_theme.scaled(4))
        return std::nullopt;
    const double share = (position.x() - place.left()) / place.width();
    return std::min(static_cast<std::size_t>(share * static_cast<double>(m_shares.columns)), m_shares.columns - 1);
}

/// What the head may have no room for is in the tool tip.
void ShareChart::say()
{
    const QString said = m_mark ? reading() : m_said;
    setAccessibleDescription(said);
    setToolTip(said);
    update();
}

void ShareChart::setMark(std::optional<std::size_t> column)
{
    if (m_mark == column)
        return;
    m_mark = column;
    say();
}

void ShareChart::mouseMoveEvent(QMouseEvent* event)
{
    setMark(columnAt(event->position()));
}

void ShareChart::mousePressEvent(QMouseEvent* event)
{
    const auto column = columnAt(event->position());
    if (event->button() != Qt::LeftButton || !column)
        return QWidget::mousePressEvent(event);
    setMark(column);
    emit timeActivated(m_shares.timeOf(*column));
}

void ShareChart::leaveEvent(QEvent*)
{
    if (!hasFocus())
        setMark(std::nullopt);
}

void ShareChart::keyPressEvent(QKeyEvent* event)
{
    const std::size_t last = m_shares.columns - std::min<std::size_t>(m_shares.columns, 1);
    if (m_shares.parts.empty())
        QWidget::keyPressEvent(event);
    else if (event->key() == Qt::Key_Left)
        setMark(m_mark ? *m_mark - std::min<std::size_t>(*m_mark, 1) : last);
    else if (event->key() == Qt::Key_Right)
        setMark(m_mark ? std::min(*m_mark + 1, last) : 0);
    else if (event->key() == Qt::Key_Home)
        setMark(0);
    else if (event->key() == Qt::Key_End)
        setMark(last);
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && m_mark)
        emit timeActivated(m_shares.timeOf(*m_mark));
    else
        QWidget::keyPressEvent(event);
}

void ShareChart::focusInEvent(QFocusEvent*)
{
    update();
}

void ShareChart::focusOutEvent(QFocusEvent*)
{
    if (!underMouse())
        setMark(std::nullopt);
    update();
}

void ShareChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    paintHead(painter);
    if (m_shares.parts.empty()) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(plot(), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    } else {
        paintAxes(painter);
        paintColumns(painter);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

/// Title, or what stands at the mark; below it the legend, as much as there is room for.
void ShareChart::paintHead(QPainter& painter) const
{
    const int left = m_theme.scaled(12);
    const QRect upper(left, m_theme.scaled(4), width() - 2 * left, m_theme.scaled(17));
    const QFont font = m_theme.font(m_mark ? TextStyle::LabelStrong : TextStyle::Section);
    painter.setFont(font);
    painter.setPen(m_theme.color(m_mark ? Role::Text : Role::Text2));
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(font).elidedText(m_mark ? reading() : m_title, Qt::ElideRight, upper.width()));
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetrics metrics(m_theme.font(TextStyle::Label));
    const int side = m_theme.scaled(10);
    int x = left;
    for (std::size_t part = 0; part < m_shares.parts.size(); ++part) {
        const QString name = partName(m_shares.parts[part]);
        const int wide = side + m_theme.scaled(4) + metrics.horizontalAdvance(name);
        if (x + wide > width() - left)
            break;
        const QRect square(x, upper.bottom() + m_theme.scaled(4), side, side);
        painter.fillRect(square, colorOf(part));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(QRect(square.right() + m_theme.scaled(4), square.top() - 4, wide, side + 8), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += wide + left;
    }
}

void ShareChart::paintAxes(QPainter& painter) const
{
    const QRectF place = plot();
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(m_theme.font(TextStyle::Label));
    for (const double part : {0.0, 0.5, 1.0}) {
        const double y = place.bottom() - heightOf(m_top * part);
        painter.fillRect(QRectF(place.left(), std::round(y), place.width(), 1), m_theme.color(Role::Grid));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(QRectF(0, y - metrics.height() / 2, place.left() - m_theme.scaled(6), metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
                         texts::percent(m_top * part, m_top < 0.02 ? 2 : m_top < 0.1 ? 1 : 0));
    }
    const std::int64_t step = niceStep(m_shares.endPs, kTimeSteps);
    double free = 0;
    for (std::int64_t i = 0; i <= m_shares.endPs / step; ++i) { // A step beyond the end may be beyond the clock.
        const std::int64_t ps = i * step;
        const double x = place.left() + static_cast<double>(ps) / static_cast<double>(m_shares.endPs) * place.width();
        const QString text = ps == 0 ? QStringLiteral("0") : texts::time({ps}, 1);
        const double wide = metrics.horizontalAdvance(text);
        const double from = std::clamp(x - wide / 2, place.left(), place.right() - wide);
        if (from < free)
            continue;
        free = from + wide + m_theme.scaled(8);
        painter.drawText(QRectF(from, place.bottom() + 2, wide + 2, m_theme.scaled(16)), Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

/// Each column whole pixels wide, so that neighbours meet.
void ShareChart::paintColumns(QPainter& painter) const
{
    const QRectF place = plot();
    const auto xOf = [&](std::size_t column) { return std::round(place.left() + place.width() * static_cast<double>(column) / static_cast<double>(m_shares.columns)); };
    for (std::size_t column = 0; column < m_shares.columns; ++column) {
        const double left = xOf(column);
        const double wide = std::max(xOf(column + 1) - left, 1.0);
        double sum = 0;
        for (std::size_t part = 0; part < m_shares.parts.size(); ++part) {
            const double share = m_shares.parts[part].shares[column];
            if (share <= 0)
                continue;
            const double bottom = place.bottom() - heightOf(sum);
            sum += share;
            const double top = place.bottom() - heightOf(std::min(sum, m_top));
            painter.fillRect(QRectF(left, top, wide, bottom - top), colorOf(part));
        }
        if (m_mark == column)
            painter.fillRect(QRectF(left + wide / 2, place.top(), 1, place.height()), m_theme.color(Role::Text));
    }
}

QSize ShareChart::sizeHint() const
{
    return {m_theme.scaled(340), m_theme.scaled(188)};
}

QSize ShareChart::minimumSizeHint() const
{
    return {m_theme.scaled(160), m_theme.scaled(110)};
}

} // namespace fabricscope
