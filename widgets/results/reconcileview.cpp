#include "widgets/results/reconcileview.h"

#include "core/base/index.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace fabricscope {

namespace {

constexpr double kMargin = 12;
constexpr double kGap = 10;
constexpr double kShortestBars = 90;
constexpr double kBarHeight = 12;

QString modelText(Model model)
{
    return QString::fromUtf8(modelName(model).data(), static_cast<qsizetype>(modelName(model).size()));
}

QString exactText(SimTime time)
{
    return QString::fromStdString(nsText(time)) + QChar(0x202F) + QStringLiteral("ns");
}

} // namespace

ReconcileView::ReconcileView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Why the models differ"));
    describe();
    followTheme(this, &ReconcileView::setTheme);
}

void ReconcileView::setReconciliation(std::shared_ptr<const Reconciliation> result)
{
    m_result = std::move(result);
    if (m_result) {
        m_low = std::min(m_result->a->record().finish, m_result->b->record().finish);
        m_high = std::max(m_result->a->record().finish, m_result->b->record().finish);
        for (const ReconcileItem& item : m_result->items) {
            m_low = std::min(m_low, item.to);
            m_high = std::max(m_high, item.to);
        }
    }
    const int before = m_current;
    m_current = -1;
    // The rule worth most is what one looks for first.
    std::int64_t most = 0;
    for (int row = 0; row < rowCount(); ++row) {
        const std::int64_t worth = std::abs(m_result->items[at(row)].delta().ps);
        if (m_current < 0 || worth > most) {
            m_current = row;
            most = worth;
        }
    }
    describe();
    updateGeometry();
    update();
    if (m_current != before)
        Q_EMIT currentRowChanged(m_current);
}

void ReconcileView::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

int ReconcileView::rowCount() const
{
    return m_result ? static_cast<int>(m_result->items.size()) : 0;
}

void ReconcileView::setCurrentRow(int row)
{
    row = std::clamp(row, -1, rowCount() - 1);
    if (row == m_current)
        return;
    m_current = row;
    describe();
    updateGeometry();
    update();
    Q_EMIT currentRowChanged(row);
}

/// Everything that is drawn, in words; the current rule first.
void ReconcileView::describe()
{
    if (!m_result) {
        setAccessibleDescription(tr("No second model has been run yet"));
        return;
    }
    QStringList rows;
    if (m_current >= 0)
        rows.append(tr("Current rule: %1, %2").arg(nameText(m_current), explanationText(m_current)));
    rows.append(tr("%1 takes %2").arg(modelText(m_result->modelA), texts::time(m_result->a->record().finish)));
    for (int row = 0; row < rowCount(); ++row)
        rows.append(nameText(row) + QStringLiteral(": ") + valueText(row));
    rows.append(tr("%1 takes %2").arg(modelText(m_result->modelB), texts::time(m_result->b->record().finish)));
    rows.append(nameText(rowCount()) + QStringLiteral(": ") + valueText(rowCount()));
    setAccessibleDescription(rows.join(QStringLiteral("; ")));
}

QString ReconcileView::nameText(int row) const
{
    if (row == rowCount())
        return tr("Sum, exactly %1").arg(exactText(m_result->difference()));
    QString name = texts::shown(m_result->items[at(row)].name);
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

QString ReconcileView::explanationText(int row) const
{
    return texts::shown(m_result->items[at(row)].explanation);
}

QString ReconcileView::deltaText(SimTime delta) const
{
    if (delta.ps == 0)
        return QStringLiteral("0");
    const SimTime size{std::abs(delta.ps)};
    return delta.ps > 0 ? QStringLiteral("\u25b2 +") + texts::time(size) : QStringLiteral("\u25bc \u2212") + texts::time(size);
}

QString ReconcileView::valueText(int row) const
{
    if (row == rowCount())
        return deltaText(m_result->difference());
    const ReconcileItem& item = m_result->items[at(row)];
    return item.apart ? deltaText(item.delta()) : tr("not apart");
}

SimTime ReconcileView::from(int row) const
{
    return row == rowCount() ? m_result->a->record().finish : m_result->items[at(row)].from;
}

SimTime ReconcileView::to(int row) const
{
    return row == rowCount() ? m_result->b->record().finish : m_result->items[at(row)].to;
}

int ReconcileView::rowHeight() const
{
    return m_theme.scaled(22);
}

int ReconcileView::headHeight() const
{
    const QFontMetrics title(m_theme.font(TextStyle::Section));
    const QFontMetrics figure(m_theme.font(TextStyle::Headline));
    return m_theme.scaled(2 * kMargin) + title.height() + figure.height() + m_theme.scaled(kGap);
}

int ReconcileView::nameWidth() const
{
    const QFontMetrics plain(m_theme.font(TextStyle::Body));
    const QFontMetrics strong(m_theme.font(TextStyle::BodyStrong));
    int width = 0;
    for (int row = 0; row < rowCount(); ++row)
        width = std::max(width, plain.horizontalAdvance(nameText(row)));
    return m_result ? std::max(width, strong.horizontalAdvance(nameText(rowCount()))) + 1 : 0;
}

int ReconcileView::valueWidth() const
{
    const QFontMetrics metrics(m_theme.font(TextStyle::BodyStrong));
    int width = 0;
    for (int row = 0; m_result && row <= rowCount(); ++row)
        width = std::max(width, metrics.horizontalAdvance(valueText(row)));
    return width + 1;
}

QSize ReconcileView::minimumSizeHint() const
{
    const int width = m_theme.scaled(2 * kMargin + 2 * kGap + kShortestBars) + std::max(nameWidth() + valueWidth(), m_theme.scaled(240));
    return {width, heightForWidth(width)};
}

QSize ReconcileView::sizeHint() const
{
    const int width = minimumSizeHint().width() + m_theme.scaled(220);
    return {width, heightForWidth(width)};
}

int ReconcileView::heightForWidth(int width) const
{
    if (!m_result)
        return m_theme.scaled(80);
    // Room for the longest explanation, so that walking through the rules moves nothing.
    const QFontMetrics metrics(m_theme.font(TextStyle::Body));
    const int inner = std::max(width - m_theme.scaled(2 * kMargin), m_theme.scaled(100));
    int explanation = 0;
    for (int row = 0; row < rowCount(); ++row)
        explanation = std::max(explanation, metrics.boundingRect(QRect(0, 0, inner, 10000), Qt::TextWordWrap, explanationText(row)).height());
    return headHeight() + (rowCount() + 1) * rowHeight() + m_theme.scaled(2 * kGap) + explanation + m_theme.scaled(kMargin);
}

QRectF ReconcileView::rowRect(int row) const
{
    const double top = headHeight() + row * rowHeight() + (row == rowCount() ? m_theme.scaled(kGap) / 2.0 : 0);
    return {0, top, static_cast<double>(width()), static_cast<double>(rowHeight())};
}

QRectF ReconcileView::explanationRect() const
{
    const double margin = m_theme.scaled(kMargin);
    const double top = rowRect(rowCount()).bottom() + m_theme.scaled(kGap);
    return {margin, top, width() - 2 * margin, std::max(0.0, height() - top - margin / 2)};
}

double ReconcileView::xOf(SimTime time) const
{
    const double left = m_theme.scaled(kMargin) + nameWidth() + m_theme.scaled(kGap);
    const double right = width() - m_theme.scaled(kMargin) - valueWidth() - m_theme.scaled(kGap);
    const double span = static_cast<double>(std::max<std::int64_t>(m_high.ps - m_low.ps, 1));
    return left + std::max(right - left, 1.0) * static_cast<double>(time.ps - m_low.ps) / span;
}

QRectF ReconcileView::barRect(int row) const
{
    const QRectF line = rowRect(row);
    const double height = m_theme.scaled(kBarHeight);
    const double left = xOf(std::min(from(row), to(row)));
    double length = xOf(std::max(from(row), to(row))) - left;
    if (from(row) != to(row))
        length = std::max(length, 1.5);
    return {left, line.center().y() - height / 2, length, height};
}

int ReconcileView::rowAt(QPointF position) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (rowRect(row).contains(position))
            return row;
    return -1;
}

void ReconcileView::paintHead(QPainter& painter) const
{
    const double margin = m_theme.scaled(kMargin);
    const QFontMetrics title(m_theme.font(TextStyle::Section));
    const QFontMetrics figure(m_theme.font(TextStyle::Headline));
    const SimTime a = m_result->a->record().finish;
    const double column = (width() - 2 * margin) / 3;
    const double share = a.ps > 0 ? static_cast<double>(m_result->difference().ps) / static_cast<double>(a.ps) : 0;
    const QString sign = share > 0 ? QStringLiteral("+") : share < 0 ? QString(QChar(0x2212)) : QString();
    const struct {
        QString name;
        QString value;
    } columns[] = {{modelText(m_result->modelA), texts::time(a)},
                   {modelText(m_result->modelB), texts::time(m_result->b->record().finish)},
                   {tr("Difference %1").arg(sign + texts::percent(std::abs(share))), deltaText(m_result->difference())}};
    const double room = column - m_theme.scaled(kGap);
    // All three figures in one size, the largest in which none is cut.
    QFont font = m_theme.font(TextStyle::Headline);
    for (const TextStyle smaller : {TextStyle::Title, TextStyle::BodyStrong, TextStyle::LabelStrong}) {
        const QFontMetrics metrics(font);
        if (std::all_of(std::begin(columns), std::end(columns), [&](const auto& entry) { return metrics.horizontalAdvance(entry.value) <= room; }))
            break;
        font = m_theme.font(smaller);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const double x = margin + static_cast<double>(i) * column;
        painter.setFont(m_theme.font(TextStyle::Section));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(QRectF(x, margin, room, title.height()), Qt::AlignLeft | Qt::AlignVCenter, title.elidedText(columns[i].name, Qt::ElideRight, static_cast<int>(room)));
        painter.setFont(font);
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(QRectF(x, margin + title.height(), room, figure.height()), Qt::AlignLeft | Qt::AlignVCenter, columns[i].value);
    }
}

void ReconcileView::paintRow(QPainter& painter, int row) const
{
    const QRectF line = rowRect(row);
    const bool sum = row == rowCount();
    const double margin = m_theme.scaled(kMargin);
    if (row == m_current) {
        painter.fillRect(line, m_theme.color(Role::Sel));
        if (hasFocus()) {
            painter.setPen(QPen(m_theme.color(Role::Accent), 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(line.adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }
    const SimTime delta = to(row) - from(row);
    const QFont font = m_theme.font(sum ? TextStyle::BodyStrong : TextStyle::Body);
    const QFontMetrics metrics(font);
    const double barsBegin = xOf(m_low);
    painter.setFont(font);
    painter.setPen(m_theme.color(delta.ps == 0 && !sum ? Role::Text2 : Role::Text));
    const int room = static_cast<int>(std::min<double>(nameWidth(), barsBegin - margin));
    painter.drawText(QRectF(margin, line.top(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(nameText(row), Qt::ElideRight, room));
    painter.drawText(QRectF(width() - margin - valueWidth(), line.top(), valueWidth(), line.height()), Qt::AlignRight | Qt::AlignVCenter, valueText(row));

    const QRectF bar = barRect(row);
    painter.setPen(QPen(m_theme.color(Role::Line2), 1));
    // What one rule leaves is where the next begins.
    if (!sum && row + 1 < rowCount())
        painter.drawLine(QPointF(xOf(to(row)), line.center().y()), QPointF(xOf(to(row)), rowRect(row + 1).center().y()));
    if (delta.ps == 0)
        return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(sum ? m_theme.color(Role::Text2) : m_theme.diverging(delta.ps > 0 ? Theme::kDivergingBuckets - 1 : 0));
    const double radius = std::min(2.0, bar.width() / 2);
    painter.drawRoundedRect(bar, radius, radius);
}

void ReconcileView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.color(Role::Panel));
    if (!m_result) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(rect().adjusted(m_theme.scaled(kMargin), 0, -m_theme.scaled(kMargin), 0), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Run the design under a second model to see what each rule is worth."));
        return;
    }
    paintHead(painter);
    for (int row = 0; row <= rowCount(); ++row)
        paintRow(painter, row);
    const double y = rowRect(rowCount()).top() - 1.5;
    painter.setPen(QPen(m_theme.color(Role::Line), 1));
    painter.drawLine(QPointF(m_theme.scaled(kMargin), y), QPointF(width() - m_theme.scaled(kMargin), y));
    if (m_current >= 0) {
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.setPen(m_theme.color(Role::Text2));
        painter.drawText(explanationRect(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, explanationText(m_current));
    }
}

void ReconcileView::mousePressEvent(QMouseEvent* event)
{
    const int row = rowAt(event->position());
    if (row >= 0)
        setCurrentRow(row);
}

void ReconcileView::keyPressEvent(QKeyEvent* event)
{
    int row = m_current;
    switch (event->key()) {
    case Qt::Key_Up: row = std::max(row - 1, 0); break;
    case Qt::Key_Down: row = row + 1; break;
    case Qt::Key_Home: row = 0; break;
    case Qt::Key_End: row = rowCount() - 1; break;
    default: QWidget::keyPressEvent(event); return;
    }
    setCurrentRow(std::min(row, rowCount() - 1));
}

void ReconcileView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ReconcileView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

bool ReconcileView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const int row = rowAt(help->pos()); row >= 0) {
        QToolTip::showText(help->globalPos(), tr("%1\n%2\nfrom %3 to %4").arg(nameText(row), explanationText(row), exactText(from(row)), exactText(to(row))), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

} // namespace fabricscope
