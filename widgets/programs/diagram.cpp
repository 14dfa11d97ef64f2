#include "widgets/programs/diagram.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/programs/operationplayer.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/movetexts.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kLeastColumn = 30;
constexpr double kMostColumn = 220;
constexpr double kMostRow = 64;
constexpr double kReach = 6;
constexpr std::size_t kMostLocals = 200'000; ///< Operations looked at for the dots of local work.

bool reducesAtTarget(const ProgramReplay& replay, std::uint32_t operation)
{
    const ExplicitBody& body = replay.body();
    if (body.kind[operation] == OpKind::SwitchReduce)
        return true;
    const std::uint32_t receive = replay.order().partner(operation);
    return body.kind[operation] == OpKind::Send && receive != kNoOperation && body.kind[receive] == OpKind::ReceiveReduce;
}

} // namespace

ProgramDiagram::ProgramDiagram(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Drawing of the program"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    followTheme(this, &ProgramDiagram::setTheme);
}

void ProgramDiagram::setPlayer(ProgramPlayer* player)
{
    m_player = player;
    connect(player, &ProgramPlayer::replayChanged, this, &ProgramDiagram::reset);
    connect(player, &ProgramPlayer::stepChanged, this, &ProgramDiagram::showStep);
    connect(player, &ProgramPlayer::marksChanged, this, [this] { update(); });
    reset();
}

void ProgramDiagram::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

void ProgramDiagram::reset()
{
    m_localRanks.clear();
    if (const ProgramReplayPtr& replay = m_player->replay(); replay && replay->sequence().size() <= kMostLocals) {
        m_localRanks.resize(static_cast<std::size_t>(replay->steps()));
        for (const std::uint32_t op : replay->sequence()) {
            const OpKind kind = replay->body().kind[op];
            if (kind == OpKind::Copy || kind == OpKind::Reduce || kind == OpKind::Compute)
                m_localRanks[static_cast<std::size_t>(replay->stepOf(op))].push_back(replay->order().rankOf(op));
        }
    }
    showStep();
}

/// Scrolls so far that the step is in view.
void ProgramDiagram::showStep()
{
    const int in = stepsInView();
    const int step = std::max(0, m_player->step());
    m_first = std::clamp(m_first, std::max(0, step - in + 1), step);
    m_first = std::clamp(m_first, 0, std::max(0, m_player->steps() - in));
    describe();
    update();
}

void ProgramDiagram::describe()
{
    const ProgramReplayPtr& replay = m_player->replay();
    if (!replay) {
        setAccessibleDescription({});
        return;
    }
    const int step = m_player->step();
    setAccessibleDescription(step < 0 ? tr("Before the first of %1 steps").arg(m_player->steps())
                                      : tr("Step %1 of %2, %3 transfers").arg(step + 1).arg(m_player->steps()).arg(replay->transfersOf(step).size()));
}

double ProgramDiagram::labelWidth() const
{
    const int ranks = m_player && m_player->replay() ? m_player->replay()->program().ranks : 1;
    return QFontMetricsF(m_theme.font(TextStyle::Label)).horizontalAdvance(tr("rank %1").arg(ranks - 1)) + m_theme.scaled(20);
}

double ProgramDiagram::headHeight() const
{
    return m_theme.scaled(26);
}

double ProgramDiagram::columnWidth() const
{
    const int steps = std::max(1, m_player ? m_player->steps() : 1);
    return std::clamp((width() - labelWidth() - m_theme.scaled(12)) / steps, static_cast<double>(m_theme.scaled(kLeastColumn)), static_cast<double>(m_theme.scaled(kMostColumn)));
}

double ProgramDiagram::rowHeight() const
{
    const int ranks = std::max(1, m_player && m_player->replay() ? m_player->replay()->program().ranks : 1);
    return std::min((height() - headHeight() - m_theme.scaled(12)) / ranks, static_cast<double>(m_theme.scaled(kMostRow)));
}

int ProgramDiagram::stepsInView() const
{
    return std::max(1, static_cast<int>((width() - labelWidth() - m_theme.scaled(12)) / columnWidth() + 0.001));
}

QRectF ProgramDiagram::columnRect(int step) const
{
    const double ranks = m_player->replay() ? m_player->replay()->program().ranks : 0;
    return QRectF(labelWidth() + (step - m_first) * columnWidth(), headHeight(), columnWidth(), ranks * rowHeight());
}

double ProgramDiagram::rowY(int rank) const
{
    return headHeight() + (rank + 0.5) * rowHeight();
}

QLineF ProgramDiagram::lineOf(std::uint32_t operation, int step) const
{
    const ProgramReplay& replay = *m_player->replay();
    const QRectF column = columnRect(step);
    const double inset = std::min(8.0, column.width() * 0.14);
    const OpKind kind = replay.body().kind[operation];
    const std::int32_t from = replay.order().rankOf(operation);
    std::int32_t to = replay.body().peer[operation];
    if (kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast) {
        // Towards the farthest of its team: the switch itself has no row.
        const std::vector<std::int32_t>& team = replay.body().teams[static_cast<std::size_t>(to)];
        to = team.empty() ? from : std::abs(team.front() - from) > std::abs(team.back() - from) ? team.front() : team.back();
    }
    return {QPointF(column.left() + inset, rowY(from)), QPointF(column.right() - inset, rowY(to))};
}

void ProgramDiagram::paintGrid(QPainter& painter)
{
    const ProgramReplay& replay = *m_player->replay();
    const int ranks = replay.program().ranks;
    const double row = rowHeight();
    const int last = std::min(m_player->steps(), m_first + stepsInView());
    const double right = columnRect(last - 1).right();
    if (const int step = m_player->step(); step >= m_first && step < last) {
        const QRectF column = columnRect(step);
        painter.fillRect(QRectF(column.left(), 0, column.width(), column.bottom()), m_theme.color(Role::Sel));
    }
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(QPen(m_theme.color(Role::Line2), 0));
    if (row >= 3) {
        for (int rank = 0; rank < ranks; ++rank)
            painter.drawLine(QPointF(labelWidth(), rowY(rank)), QPointF(right, rowY(rank)));
    }
    painter.setPen(m_theme.color(Role::Text2));
    double lastLabel = -1e9;
    for (int rank = 0; rank < ranks; ++rank) {
        if (rowY(rank) - lastLabel < metrics.height())
            continue;
        lastLabel = rowY(rank);
        painter.drawText(QRectF(0, std::max(rowY(rank) - metrics.height() / 2, headHeight()), labelWidth() - m_theme.scaled(8), metrics.height()), Qt::AlignRight | Qt::AlignVCenter, tr("rank %1").arg(rank));
    }
    for (int step = m_first; step < last; ++step) {
        const QRectF column = columnRect(step);
        const bool shown = step == m_player->step();
        painter.setFont(m_theme.font(shown ? TextStyle::LabelStrong : TextStyle::Label));
        painter.setPen(m_theme.color(shown ? Role::Text : Role::Text3));
        painter.drawText(QRectF(column.left(), 0, column.width(), headHeight()), Qt::AlignCenter, QString::number(step + 1));
        painter.setPen(QPen(m_theme.color(Role::Grid), 0));
        painter.drawLine(column.topRight(), column.bottomRight());
    }
    painter.setPen(QPen(m_theme.color(Role::Line), 0));
    painter.drawLine(QPointF(0, headHeight()), QPointF(width(), headHeight()));
}

void ProgramDiagram::paintLocals(QPainter& painter, int step)
{
    if (static_cast<std::size_t>(step) >= m_localRanks.size())
        return;
    const double radius = std::clamp(rowHeight() / 6, 1.0, 3.5);
    painter.setPen(QPen(m_theme.color(Role::Outline), 1));
    painter.setBrush(m_theme.color(Role::View));
    for (const std::int32_t rank : m_localRanks[static_cast<std::size_t>(step)])
        painter.drawRect(QRectF(columnRect(step).left() + 3 - radius / 2, rowY(rank) - radius, 2 * radius, 2 * radius));
}

void ProgramDiagram::paintTransfers(QPainter& painter, int step, bool faint)
{
    const ProgramReplay& replay = *m_player->replay();
    const std::span<const std::uint32_t> transfers = replay.transfersOf(step);
    const std::size_t shown = std::min(transfers.size(), kMostArrows);
    const bool heads = rowHeight() >= 12 && shown <= 400;
    QColor add = steptexts::phaseColor(m_theme, PhaseKind::ReduceScatter);
    QColor copy = steptexts::phaseColor(m_theme, PhaseKind::AllGather);
    if (faint) {
        add = Theme::mix(m_theme.color(Role::View), add, 0.4);
        copy = Theme::mix(m_theme.color(Role::View), copy, 0.4);
    }
    const QColor mark = m_theme.color(Role::Critical);
    painter.setRenderHint(QPainter::Antialiasing, shown <= 2000);
    for (const bool marked : {false, true}) { // Those that are pointed at lie on top.
        for (std::size_t i = 0; i < shown; ++i) {
            const std::uint32_t op = transfers[i];
            const std::uint32_t receive = replay.order().partner(op);
            const bool is = m_player->isMarked(op) || (receive != kNoOperation && m_player->isMarked(receive));
            if (is != marked)
                continue;
            const QColor color = is ? mark : reducesAtTarget(replay, op) ? add : copy;
            const QLineF line = lineOf(op, step);
            painter.setPen(QPen(color, is ? 2 : shown <= 400 ? 1.3 : 0));
            painter.drawLine(line);
            if (!heads)
                continue;
            QLineF unit = line.unitVector();
            const QPointF along = (unit.p2() - unit.p1()) * 6;
            const QPointF across(-along.y() * 0.45, along.x() * 0.45);
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawPolygon(QPolygonF{line.p2(), line.p2() - along + across, line.p2() - along - across});
        }
    }
    // Chunks on the arrows, where there is room for every one of them.
    const bool tokens = step == m_player->step() && columnWidth() >= m_theme.scaled(52) && rowHeight() >= m_theme.scaled(17)
        && transfers.size() <= static_cast<std::size_t>(2 * replay.program().ranks);
    if (!tokens)
        return;
    painter.setFont(m_theme.font(TextStyle::Smallest));
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> taken;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::uint32_t op = transfers[i];
        const std::uint32_t receive = replay.order().partner(op);
        const std::uint32_t writer = receive == kNoOperation ? op : receive;
        QString name = QString::number(replay.body().chunk[op]);
        if (replay.hasPlaces()) {
            const std::vector<PlaceIndex> places = replay.placesOf(writer);
            if (!places.empty() && places.front() != kNoPlace)
                name = texts::shown(replay.places().columnName(replay.places().columnOf(places.front())));
        }
        if (replay.body().count[op] > 1)
            name += QStringLiteral("+%1").arg(replay.body().count[op] - 1);
        // Near the source: there lines of different senders are apart.
        const QPointF at = lineOf(op, step).pointAt(0.22);
        const QRectF rect(at.x() - metrics.horizontalAdvance(name) / 2 - 4, at.y() - m_theme.scaled(7), metrics.horizontalAdvance(name) + 8, m_theme.scaled(14));
        // One that would hide another is left to the tooltip.
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(rect); }))
            continue;
        taken.push_back(rect);
        const QColor fill = reducesAtTarget(replay, op) ? add : copy;
        painter.setPen(QPen(m_theme.color(Role::View), 1));
        painter.setBrush(fill);
        painter.drawRoundedRect(rect, 3, 3);
        painter.setPen(m_theme.ink(fill));
        painter.drawText(rect, Qt::AlignCenter, name);
    }
}

void ProgramDiagram::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::View));
    if (!m_player || !m_player->replay() || m_player->steps() == 0) {
        painter.setPen(m_theme.color(Role::Text2));
        painter.setFont(m_theme.font(TextStyle::Body));
        painter.drawText(rect(), Qt::AlignCenter, m_player && m_player->replay() ? tr("This program does nothing.") : tr("Nothing to draw yet."));
        if (hasFocus())
            steppaint::focusRing(painter, rect(), m_theme);
        return;
    }
    paintGrid(painter);
    const int last = std::min(m_player->steps(), m_first + stepsInView());
    std::size_t arrows = 0;
    for (int step = m_first; step < last; ++step)
        arrows += m_player->replay()->transfersOf(step).size();
    for (int step = m_first; step < last; ++step) {
        if (arrows > kMostArrows && step != m_player->step())
            continue;
        paintTransfers(painter, step, step > m_player->step());
        paintLocals(painter, step);
    }
    if (hasFocus())
        steppaint::focusRing(painter, rect(), m_theme);
}

std::optional<std::uint32_t> ProgramDiagram::transferAt(const QPointF& point) const
{
    if (!m_player || !m_player->replay() || point.x() < labelWidth())
        return {};
    const int step = m_first + static_cast<int>((point.x() - labelWidth()) / columnWidth());
    if (step < 0 || step >= m_player->steps())
        return {};
    double nearest = kReach;
    std::optional<std::uint32_t> found;
    const std::span<const std::uint32_t> transfers = m_player->replay()->transfersOf(step);
    for (std::size_t i = 0; i < std::min(transfers.size(), kMostArrows); ++i) {
        const QLineF line = lineOf(transfers[i], step);
        const double share = std::clamp((point.x() - line.x1()) / std::max(1.0, line.dx()), 0.0, 1.0);
        const QLineF across(point, line.pointAt(share));
        const double distance = across.length() * std::abs(line.dx()) / std::max(1.0, line.length()); // At right angles to it.
        if (distance < nearest) {
            nearest = distance;
            found = transfers[i];
        }
    }
    return found;
}

QString ProgramDiagram::transferText(std::uint32_t operation) const
{
    const ProgramReplay& replay = *m_player->replay();
    const ExplicitBody& body = replay.body();
    QString text;
    if (body.kind[operation] == OpKind::SwitchReduce || body.kind[operation] == OpKind::SwitchMulticast)
        text = (body.kind[operation] == OpKind::SwitchReduce ? tr("Rank %1: sum formed in the switch") : tr("Rank %1: copied by the switch")).arg(replay.order().rankOf(operation));
    else
        text = tr("%1 → %2").arg(replay.order().rankOf(operation)).arg(body.peer[operation]);
    if (replay.hasPlaces()) {
        const std::uint32_t receive = replay.order().partner(operation);
        const std::vector<PlaceIndex> places = replay.placesOf(receive == kNoOperation ? operation : receive);
        const std::vector<ValueIndex> values = replay.valuesOf(operation);
        if (!places.empty() && places.front() != kNoPlace)
            text += body.count[operation] > 1 ? tr(", %1 chunks from %2").arg(body.count[operation]).arg(texts::shown(replay.places().columnName(replay.places().columnOf(places.front()))))
                                              : tr(", chunk %1").arg(texts::shown(replay.places().columnName(replay.places().columnOf(places.front()))));
        if (!values.empty())
            text += tr(", %1 contributions").arg(replay.values().contributions(values.front()));
    }
    if (reducesAtTarget(replay, operation))
        text += tr(", reduced");
    if (const std::uint64_t line = body.sourceIdOf(operation); line > 0)
        text += tr(", line %1").arg(line);
    return text;
}

void ProgramDiagram::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (!m_player->replay() || event->button() != Qt::LeftButton || event->position().x() < labelWidth())
        return;
    const int step = m_first + static_cast<int>((event->position().x() - labelWidth()) / columnWidth());
    const std::optional<std::uint32_t> operation = transferAt(event->position());
    if (step < m_player->steps())
        m_player->setStep(step);
    if (operation)
        emit operationActivated(*operation);
}

void ProgramDiagram::wheelEvent(QWheelEvent* event)
{
    const int delta = event->angleDelta().x() != 0 ? event->angleDelta().x() : event->angleDelta().y();
    const int most = std::max(0, m_player->steps() - stepsInView());
    const int first = std::clamp(m_first - (delta > 0 ? 1 : delta < 0 ? -1 : 0), 0, most);
    if (first == m_first)
        return event->ignore();
    m_first = first;
    update();
    event->accept();
}

void ProgramDiagram::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left: return m_player->back();
    case Qt::Key_Right: return m_player->forward();
    case Qt::Key_Home: return m_player->first();
    case Qt::Key_End: return m_player->last();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_player->replay() && m_player->step() >= 0 && !m_player->replay()->transfersOf(m_player->step()).empty())
            emit operationActivated(m_player->replay()->transfersOf(m_player->step()).front());
        return;
    default: QWidget::keyPressEvent(event);
    }
}

bool ProgramDiagram::event(QEvent* event)
{
    if (event->type() == QEvent::Resize && m_player)
        showStep();
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const std::optional<std::uint32_t> operation = transferAt(help->pos()))
        QToolTip::showText(help->globalPos(), texts::toolTip(transferText(*operation)), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace fabricscope
