#include "widgets/results/sensitivitychart.h"

#include "core/base/index.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kNameShare = 0.44;
constexpr double kBar = 10;
constexpr double kInset = 3;

} // namespace

SensitivityChart::SensitivityChart(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("What 10 % faster saves, and how far that holds"));
    followTheme(this, &SensitivityChart::setTheme);
}

void SensitivityChart::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void SensitivityChart::setEffects(std::vector<ParameterEffect> effects, bool ranged)
{
    m_effects = std::move(effects);
    m_ranged = ranged;
    m_current = std::min(m_current, rowCount() - 1);
    describe();
    updateGeometry();
    update();
}

void SensitivityChart::setCurrentRow(int row)
{
    m_current = std::clamp(row, -1, rowCount() - 1);
    describe();
    update();
}

QString SensitivityChart::nameText(int row) const
{
    // As the chips of dimensions have it.
    static const QRegularExpression dimension(QStringLiteral("^dimension (\\d+) "));
    return texts::atStart(texts::shown(m_effects[at(row)].name).replace(dimension, QStringLiteral("D\\1 ")));
}

QString SensitivityChart::gainText(int row) const
{
    return QStringLiteral("\u25BC ") + texts::timeIn({m_effects[at(row)].tenthPs()}, {m_effects.front().tenthPs()}, 3);
}

QString SensitivityChart::rangeText(int row) const
{
    const std::optional<EffectRange>& range = m_effects[at(row)].range;
    if (!range)
        return m_ranged ? tr("not known") : QStringLiteral("…");
    if (range->less == 0 && range->more == 0)
        return tr("nowhere: a kink");
    if (*range == EffectRange{EffectRange::kMost, EffectRange::kMost})
        return tr("over ± %1").arg(texts::percent(EffectRange::kMost / 100.0, 0));
    return tr("\u2212%1 to +%2").arg(texts::percent(range->less / 100.0, 0), texts::percent(range->more / 100.0, 0));
}

void SensitivityChart::describe()
{
    QStringList rows;
    const auto text = [this](int row) { return tr("%1: %2, %3").arg(nameText(row), gainText(row), rangeText(row)); };
    if (m_current >= 0)
        rows.append(tr("Current: %1").arg(text(m_current)));
    for (int row = 0; row < rowCount(); ++row)
        rows.append(text(row));
    setAccessibleDescription(rows.join(QStringLiteral("; ")));
    setToolTip(m_current >= 0 ? texts::toolTip(text(m_current)) : QString());
}

QSize SensitivityChart::sizeHint() const
{
    return {m_theme.scaled(280), static_cast<int>(std::ceil(rowCount() > 0 ? rowRect(rowCount() - 1).bottom() : 0))};
}

QSize SensitivityChart::minimumSizeHint() const
{
    return {m_theme.scaled(200), sizeHint().height()};
}

QRectF SensitivityChart::rowRect(int row) const
{
    const double height = QFontMetricsF(m_theme.font(TextStyle::Table)).height() + QFontMetricsF(m_theme.font(TextStyle::Hint)).height() + 2 * kInset;
    return {0, row * height, static_cast<double>(width()), height};
}

QRectF SensitivityChart::axisRect(int row) const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::Table));
    double wide = 0;
    for (int i = 0; i < rowCount(); ++i)
        wide = std::max(wide, metrics.horizontalAdvance(gainText(i)));
    const QRectF whole = rowRect(row);
    const double left = std::round(whole.width() * kNameShare);
    return {left, whole.top() + kInset, std::max(whole.width() - left - wide - 8, 8.0), whole.height() - 2 * kInset};
}

QRectF SensitivityChart::barRect(int row) const
{
    const QRectF axis = axisRect(row);
    const double share = static_cast<double>(m_effects[at(row)].tenthPs()) / static_cast<double>(std::max<std::int64_t>(m_effects.front().tenthPs(), 1));
    return {axis.left(), axis.top() + 2, std::max(axis.width() * share, 1.0), static_cast<double>(m_theme.scaled(kBar))};
}

QRectF SensitivityChart::rangeRect(int row) const
{
    const std::optional<EffectRange>& range = m_effects[at(row)].range;
    if (!range)
        return {};
    const QRectF axis = axisRect(row);
    const double percent = axis.width() / (2 * EffectRange::kMost);
    const double middle = axis.left() + axis.width() / 2;
    return {middle - range->less * percent, axis.bottom() - 6, (range->less + range->more) * percent, 3};
}

void SensitivityChart::paintRow(QPainter& painter, int row) const
{
    const QRectF whole = rowRect(row).adjusted(0, kInset, 0, -kInset);
    const QRectF axis = axisRect(row);
    const QFont table = m_theme.font(TextStyle::Table);
    const QFont hint = m_theme.font(TextStyle::Hint);
    const double first = QFontMetricsF(table).height();
    const double room = axis.left() - 8;
    painter.setFont(table);
    painter.setPen(m_theme.color(Role::Text));
    painter.drawText(QRectF(0, whole.top(), room, first), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(table).elidedText(nameText(row), Qt::ElideMiddle, room));
    painter.drawText(QRectF(axis.right(), whole.top(), whole.right() - axis.right(), first), Qt::AlignRight | Qt::AlignVCenter, gainText(row));
    painter.setFont(hint);
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(QRectF(0, whole.top() + first, room, whole.height() - first), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(hint).elidedText(rangeText(row), Qt::ElideRight, room));
    painter.fillRect(barRect(row), m_theme.color(Role::Accent));

    const double line = axis.bottom() - 5;
    painter.fillRect(QRectF(axis.left(), line, axis.width(), 1), m_theme.color(Role::Line2));
    painter.fillRect(QRectF(axis.left() + axis.width() / 2, line - 2, 1, 5), m_theme.color(Role::Line2));
    const QRectF range = rangeRect(row);
    if (range.isNull())
        return;
    const QColor ink = m_theme.color(Role::Text);
    painter.fillRect(QRectF(range.left(), line - 0.5, range.width(), 2), ink);
    for (const double x : {range.left(), range.right() - 1})
        painter.fillRect(QRectF(x, line - 3, 1, 7), ink);
}

void SensitivityChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (int row = 0; row < rowCount(); ++row)
        paintRow(painter, row);
    if (hasFocus() && m_current >= 0) {
        painter.setPen(QPen(m_theme.color(Role::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(rowRect(m_current).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    }
}

void SensitivityChart::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Down: setCurrentRow(m_current + 1); break;
    case Qt::Key_Up: setCurrentRow(std::max(m_current - 1, 0)); break;
    case Qt::Key_Home: setCurrentRow(0); break;
    case Qt::Key_End: setCurrentRow(rowCount() - 1); break;
    default: QWidget::keyPressEvent(event);
    }
}

void SensitivityChart::mousePressEvent(QMouseEvent* event)
{
    for (int row = 0; row < rowCount(); ++row) {
        if (rowRect(row).contains(event->position()))
            setCurrentRow(row);
    }
}

} // namespace fabricscope
