#include "widgets/programs/contentmatrix.h"

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

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr double kLargest = 22;
constexpr double kSmallest = 4;
constexpr double kGap = 8;

QString bufferName(BufferKind buffer)
{
    switch (buffer) {
    case BufferKind::Input: return ProgramMatrix::tr("input");
    case BufferKind::Output: return ProgramMatrix::tr("output");
    case BufferKind::Scratch: return ProgramMatrix::tr("scratch");
    case BufferKind::None:
    case BufferKind::Fused: break;
    }
    return {};
}

} // namespace

ProgramMatrix::ProgramMatrix(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Who holds which chunk"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    followTheme(this, &ProgramMatrix::setTheme);
}

void ProgramMatrix::setPlayer(ProgramPlayer* player)
{
    m_player = player;
    connect(player, &ProgramPlayer::replayChanged, this, &ProgramMatrix::refresh);
    connect(player, &ProgramPlayer::stepChanged, this, &ProgramMatrix::refresh);
    refresh();
}

void ProgramMatrix::setTheme(const Theme& theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void ProgramMatrix::refresh()
{
    m_ranksPerRow = m_chunksPerColumn = 1;
    if (const ProgramReplayPtr& replay = m_player->replay(); replay && replay->hasPlaces()) {
        m_ranksPerRow = std::max(1, (replay->places().ranks() + kMostCells - 1) / kMostCells);
        m_chunksPerColumn = std::max(1, (replay->places().columns() + kMostCells - 1) / kMostCells);
    }
    m_focus = {std::clamp(m_focus.x(), 0, std::max(0, columns() - 1)), std::clamp(m_focus.y(), 0, std::max(0, rows() - 1))};
    setAccessibleDescription(rows() > 0 ? cellText(m_focus.y(), m_focus.x()) : QString());
    updateGeometry();
    update();
}

bool ProgramMatrix::isShown() const
{
    return m_player && m_player->replay() && m_player->replay()->hasPlaces() && m_player->replay()->places().count() <= kMostPlaces;
}

int ProgramMatrix::rows() const
{
    if (!isShown())
        return 0;
    return (m_player->replay()->places().ranks() + m_ranksPerRow - 1) / m_ranksPerRow;
}

int ProgramMatrix::columns() const
{
    if (!isShown())
        return 0;
    return (m_player->replay()->places().columns() + m_chunksPerColumn - 1) / m_chunksPerColumn;
}

int ProgramMatrix::wanted() const
{
    const Program& program = m_player->replay()->program();
    switch (program.op) {
    case CollectiveOp::AllReduce:
    case CollectiveOp::Reduce:
    case CollectiveOp::ReduceScatter: return program.ranks;
    default: return 1;
    }
}

ProgramMatrix::Cell ProgramMatrix::cell(int row, int column) const
{
    const ProgramPlaces& places = m_player->replay()->places();
    const ProgramCursor& cursor = *m_player->cursor();
    const std::vector<PlaceIndex>& changed = m_player->changed();
    const int lastRank = std::min(places.ranks(), (row + 1) * m_ranksPerRow);
    const int lastChunk = std::min(places.columns(), (column + 1) * m_chunksPerColumn);
    Cell out;
    int cells = 0;
    int complete = 0;
    double sum = 0;
    for (int rank = row * m_ranksPerRow; rank < lastRank; ++rank) {
        for (int chunk = column * m_chunksPerColumn; chunk < lastChunk; ++chunk) {
            const PlaceIndex place = static_cast<PlaceIndex>(rank) * static_cast<PlaceIndex>(places.columns()) + static_cast<PlaceIndex>(chunk);
            if (!places.exists(place))
                continue;
            ++cells;
            out.contributions = cursor.contributions(place);
            const bool done = cursor.isAsAsked(place);
            complete += done;
            sum += done ? 1.0 : std::min(1.0, static_cast<double>(out.contributions) / wanted());
            out.changed = out.changed || std::binary_search(changed.begin(), changed.end(), place);
        }
    }
    out.exists = cells > 0;
    out.complete = cells > 0 && complete == cells;
    out.share = cells > 0 ? sum / cells : 0;
    if (cells != 1)
        out.contributions = -1;
    return out;
}

QString ProgramMatrix::cellText(int row, int column) const
{
    const ProgramPlaces& places = m_player->replay()->places();
    const Cell shown = cell(row, column);
    if (m_ranksPerRow > 1 || m_chunksPerColumn > 1) {
        return tr("Ranks %1–%2, chunks %3–%4: %5 there").arg(row * m_ranksPerRow).arg(std::min(places.ranks(), (row + 1) * m_ranksPerRow) - 1)
            .arg(texts::shown(places.columnName(column * m_chunksPerColumn)),
                 texts::shown(places.columnName(std::min(places.columns(), (column + 1) * m_chunksPerColumn) - 1)), texts::percent(shown.share, 0));
    }
    const QString place = tr("Rank %1, chunk %2").arg(row).arg(texts::shown(places.columnName(column)));
    if (!shown.exists)
        return tr("%1: no such chunk").arg(place);
    if (shown.complete)
        return tr("%1: complete").arg(place);
    if (shown.contributions <= 0)
        return tr("%1: undefined").arg(place);
    if (wanted() == 1)
        return tr("%1: holds a chunk").arg(place);
    return tr("%1: %2 of %3 contributions").arg(place).arg(shown.contributions).arg(wanted());
}

double ProgramMatrix::bufferGap(int column) const
{
    if (m_chunksPerColumn > 1)
        return 0;
    const ProgramPlaces& places = m_player->replay()->places();
    double gap = 0;
    for (int i = 1; i <= column; ++i)
        gap += places.column(i).buffer != places.column(i - 1).buffer ? kGap : 0;
    return gap;
}

QPointF ProgramMatrix::origin() const
{
    const double label = QFontMetricsF(m_theme.font(TextStyle::Label)).horizontalAdvance(QString::number(std::max(0, rows() * m_ranksPerRow - 1)));
    return {m_theme.scaled(16) + label + 6, static_cast<double>(m_theme.scaled(38))};
}

double ProgramMatrix::side() const
{
    const QPointF at = origin();
    const double across = (width() - at.x() - m_theme.scaled(12) - bufferGap(columns() - 1)) / columns();
    const double down = (height() - at.y() - m_theme.scaled(10)) / rows();
    return std::clamp(std::floor(std::min(across, down) * 2) / 2, kSmallest, kLargest * std::max(1.0, m_theme.basePixels() / 13.0));
}

QRectF ProgramMatrix::cellRect(int row, int column) const
{
    const double cells = side();
    return QRectF(origin().x() + column * cells + bufferGap(column), origin().y() + row * cells, cells, cells);
}

QSize ProgramMatrix::sizeHint() const
{
    const int most = std::max({1, rows(), columns()});
    const double cells = std::clamp(420.0 / most, kSmallest, kLargest);
    return {452, static_cast<int>(std::max(1, rows()) * cells) + m_theme.scaled(52)};
}

void ProgramMatrix::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Role::Panel));
    if (rows() == 0) {
        painter.setPen(m_theme.color(Role::Text2));
        painter.setFont(m_theme.font(TextStyle::Body));
        if (m_player && m_player->replay())
            painter.drawText(rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap, m_player->replay()->hasPlaces() ? tr("This program has too many places to show them all.") : tr("This program says nothing about places."));
        return;
    }
    const ProgramPlaces& places = m_player->replay()->places();
    const double cells = side();
    const QColor view = m_theme.color(Role::View);
    const QColor ok = m_theme.color(Role::Ok);
    const QColor partial = steptexts::phaseColor(m_theme, wanted() > 1 ? PhaseKind::ReduceScatter : PhaseKind::AllGather);
    const double inset = cells >= 12 ? 1.5 : 0.5;
    painter.setRenderHint(QPainter::Antialiasing, cells >= 12);
    for (int row = 0; row < rows(); ++row) {
        for (int column = 0; column < columns(); ++column) {
            const Cell shown = cell(row, column);
            if (!shown.exists)
                continue;
            const QRectF box = cellRect(row, column).adjusted(inset, inset, -inset, -inset);
            painter.setPen(Qt::NoPen);
            painter.setBrush(shown.complete ? ok : view);
            painter.drawRoundedRect(box, cells >= 12 ? 2 : 0, cells >= 12 ? 2 : 0);
            if (!shown.complete && shown.share > 0) {
                QRectF fill = box;
                fill.setTop(fill.bottom() - fill.height() * shown.share);
                painter.fillRect(fill, partial);
            }
            if (cells >= 9) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(m_theme.color(shown.changed ? Role::Text : Role::Line2), shown.changed ? 1.5 : 1));
                painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
            }
            if (shown.complete && cells >= 12)
                steppaint::paintIcon(painter, steppaint::Icon::Tick, QRectF(box.center() - QPointF(cells * 0.32, cells * 0.32), QSizeF(cells * 0.64, cells * 0.64)), m_theme.ink(ok));
        }
    }
    painter.setFont(m_theme.font(TextStyle::Label));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(m_theme.color(Role::Text2));
    double last = -1e9;
    for (int row = 0; row < rows(); ++row) {
        const QRectF box = cellRect(row, 0);
        if (box.center().y() - last < metrics.height() * 0.9)
            continue;
        last = box.center().y();
        painter.drawText(QRectF(0, box.center().y() - 10, origin().x() - 6, 20), Qt::AlignRight | Qt::AlignVCenter, QString::number(row * m_ranksPerRow));
    }
    last = -1e9;
    for (int column = 0; column < columns(); ++column) {
        const QRectF box = cellRect(0, column);
        const ProgramPlaces::Column at = places.column(column * m_chunksPerColumn);
        const bool begins = column == 0 || at.buffer != places.column((column - 1) * m_chunksPerColumn).buffer;
        if (begins) {
            const QString name = places.inPlace() && at.buffer != BufferKind::Scratch ? tr("input = output") : bufferName(at.buffer);
            painter.setFont(m_theme.font(TextStyle::LabelStrong));
            painter.drawText(QPointF(box.left(), m_theme.scaled(14)), name);
            painter.setFont(m_theme.font(TextStyle::Label));
        }
        const QString number = QString::number(at.index);
        const double half = metrics.horizontalAdvance(number) / 2;
        if (!begins && box.center().x() - half < last)
            continue;
        last = box.center().x() + half + 5;
        painter.drawText(QRectF(box.center().x() - 20, m_theme.scaled(18), 40, m_theme.scaled(18)), Qt::AlignCenter, number);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Role::Accent), 2));
        painter.drawRect(cellRect(m_focus.y(), m_focus.x()));
    }
}

QPoint ProgramMatrix::cellAt(const QPointF& point) const
{
    for (int row = 0; row < rows(); ++row) {
        if (const QRectF first = cellRect(row, 0); point.y() < first.top() || point.y() >= first.bottom())
            continue;
        for (int column = 0; column < columns(); ++column)
            if (cellRect(row, column).contains(point))
                return {column, row};
    }
    return {-1, -1};
}

void ProgramMatrix::setFocusedCell(QPoint cell)
{
    if (rows() == 0)
        return;
    m_focus = {std::clamp(cell.x(), 0, columns() - 1), std::clamp(cell.y(), 0, rows() - 1)};
    setAccessibleDescription(cellText(m_focus.y(), m_focus.x()));
    update();
}

void ProgramMatrix::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (const QPoint cell = cellAt(event->position()); cell.x() >= 0)
        setFocusedCell(cell);
}

void ProgramMatrix::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left: return setFocusedCell(m_focus - QPoint(1, 0));
    case Qt::Key_Right: return setFocusedCell(m_focus + QPoint(1, 0));
    case Qt::Key_Up: return setFocusedCell(m_focus - QPoint(0, 1));
    case Qt::Key_Down: return setFocusedCell(m_focus + QPoint(0, 1));
    default: QWidget::keyPressEvent(event);
    }
}

bool ProgramMatrix::event(QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const QPoint cell = cellAt(help->pos()); cell.x() >= 0)
        QToolTip::showText(help->globalPos(), texts::toolTip(cellText(cell.y(), cell.x())), this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace fabricscope
