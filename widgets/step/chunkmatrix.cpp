#include "widgets/step/chunkmatrix.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/step/chunkpaint.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <functional>
#include <numeric>

namespace fabricscope {

namespace {
constexpr double kGap = 4;
constexpr double kLargest = 22;
constexpr double kSmallest = 6;
constexpr double kLeastBetween = 4; ///< Entries of the legend,
constexpr int kSmallestLegend = 11; ///< whose letters give way first.
} // namespace

OwnershipMatrix::OwnershipMatrix(QWidget* parent) : PlayerView(tr("Ownership of chunk parts"), parent)
{
}

void OwnershipMatrix::follow(StepPlayer& player)
{
    connect(&player, &StepPlayer::replayChanged, this, &OwnershipMatrix::reset);
    const auto refresh = [this] {
        setAccessibleDescription(rows() > 0 ? cellText(m_focus.y(), m_focus.x()) : QString());
        update();
    };
    connect(&player, &StepPlayer::stepChanged, this, refresh);
    connect(&player, &StepPlayer::timeChanged, this, refresh);
    connect(&player, &StepPlayer::selectionChanged, this, refresh);
    reset();
}

void OwnershipMatrix::themeChanged()
{
    takeTogether();
    m_layoutValid = false;
}

/// Where the first cell would be if the matrix were as wide as its place.
QPointF OwnershipMatrix::cellsFrom() const
{
    double label = 0;
    const QFontMetricsF metrics(theme().font(TextStyle::Label));
    for (int row = 0; row < rows(); ++row)
        label = std::max(label, metrics.horizontalAdvance(rowName(row)));
    return {theme().scaled(12) + label + 6, theme().scaled(26) * 1.0};
}

/// As many rows and columns as there is room for cells of the least size.
void OwnershipMatrix::takeTogether()
{
    m_ranksPerRow = m_partsPerColumn = 1;
    m_pod = 0;
    if (const CollectiveReplayPtr& replay = player() ? player()->replay() : nullptr) {
        const auto most = [](double room) { return std::clamp(static_cast<int>(room / kSmallest), 1, kMaxCells); };
        const Structure& structure = *replay->scenario().structure;
        const GroupLayout& layout = structure.layouts[static_cast<std::size_t>(structure.instances[static_cast<std::size_t>(replay->instance())].layout)];
        const int pod = layout.extents.size() > 1 && layout.extents.front() > 1 ? static_cast<int>(layout.extents.front()) : 0;
        const double high = height() - theme().scaled(26) - theme().scaled(30);
        const double gaps = pod > 0 ? (replay->size() - 1) / pod * kGap : 0;
        const int rowsOfOne = most(high - gaps);
        m_ranksPerRow = replay->size() <= rowsOfOne ? 1 : (replay->size() + most(high) - 1) / most(high);
        m_pod = replay->size() <= rowsOfOne ? pod : 0; // Where all rows fit only side by side, the gaps between pods go.
        const int columnsAtMost = most(width() - cellsFrom().x() - theme().scaled(12)); // Names of rows are known now.
        m_partsPerColumn = std::max(1, (replay->parts() + columnsAtMost - 1) / columnsAtMost); // Some collectives have no parts to show.
    }
    // However many are taken together, the cell of the same rank and part.
    const auto within = [](int value, int count) { return std::clamp(value, 0, std::max(0, count - 1)); };
    const CollectiveReplay* const replay = player() ? player()->replay().get() : nullptr;
    m_focused = {within(m_focused.x(), replay ? replay->parts() : 0), within(m_focused.y(), replay ? replay->size() : 0)};
    m_focus = {m_focused.x() / m_partsPerColumn, m_focused.y() / m_ranksPerRow};
}

void OwnershipMatrix::reset()
{
    takeTogether();
    m_layoutValid = false;
    setAccessibleDescription(rows() > 0 ? cellText(m_focus.y(), m_focus.x()) : QString());
    updateGeometry();
    update();
}

int OwnershipMatrix::rows() const
{
    if (columns() == 0)
        return 0;
    return player() && player()->replay() ? (player()->replay()->size() + m_ranksPerRow - 1) / m_ranksPerRow : 0;
}

int OwnershipMatrix::columns() const
{
    return player() && player()->replay() ? (player()->replay()->parts() + m_partsPerColumn - 1) / m_partsPerColumn : 0;
}

OwnershipMatrix::Cell OwnershipMatrix::cell(int row, int column) const
{
    const CollectiveReplay& replay = *player()->replay();
    const ReplayCursor& cursor = *player()->cursor();
    const std::int32_t all = replay.complete();
    const auto lookOf = [&](const PartState& state) {
        return state.contributions >= all ? Look::Complete : state.passedOn ? Look::PassedOn : state.contributions > 0 ? Look::Partial : Look::Empty;
    };
    if (m_ranksPerRow == 1 && m_partsPerColumn == 1) {
        const PartState& state = cursor.part(row, column);
        const Look look = lookOf(state);
        const bool isOwn = replay.ownerOf(column) == row;
        return {look, static_cast<double>(state.contributions) / all, look == Look::Partial && isOwn ? state.contributions : -1};
    }
    double sum = 0;
    int cells = 0;
    int complete = 0;
    int passedOn = 0;
    const int lastRow = std::min(replay.size(), (row + 1) * m_ranksPerRow);
    const auto parts = static_cast<std::size_t>(replay.parts());
    const auto firstPart = static_cast<std::size_t>(column) * static_cast<std::size_t>(m_partsPerColumn);
    const std::size_t partCount = std::min(parts, firstPart + static_cast<std::size_t>(m_partsPerColumn)) - firstPart;
    for (int rank = row * m_ranksPerRow; rank < lastRow; ++rank)
        for (const PartState& state : cursor.state().subspan(static_cast<std::size_t>(rank) * parts + firstPart, partCount)) {
            const Look look = lookOf(state);
            ++cells;
            complete += look == Look::Complete;
            passedOn += look == Look::PassedOn;
            sum += look == Look::PassedOn ? 0 : std::min(1.0, static_cast<double>(state.contributions) / all);
        }
    const Look look = complete == cells ? Look::Complete : passedOn == cells ? Look::PassedOn : sum > 0 ? Look::Partial : Look::Empty;
    return {look, cells > 0 ? sum / cells : 0, -1};
}

QString OwnershipMatrix::rowName(int row) const
{
    const CollectiveReplay& replay = *player()->replay();
    const int first = row * m_ranksPerRow;
    const int last = std::min(replay.size(), first + m_ranksPerRow) - 1;
    return first == last ? QString::number(replay.nodeAt(first)) : QStringLiteral("%1–%2").arg(replay.nodeAt(first)).arg(replay.nodeAt(last));
}

QString OwnershipMatrix::cellText(int row, int column) const
{
    const CollectiveReplay& replay = *player()->replay();
    const Cell shown = cell(row, column);
    if (m_ranksPerRow > 1 || m_partsPerColumn > 1) {
        const int first = column * m_partsPerColumn;
        const int last = std::min(replay.parts(), first + m_partsPerColumn) - 1;
        return tr("NPUs %1, parts %2–%3: %4 there").arg(rowName(row)).arg(first).arg(last).arg(texts::percent(shown.share, 0));
    }
    const QString place = tr("NPU %1, part %2").arg(rowName(row), texts::shown(replay.partName(column)));
    switch (shown.look) {
    case Look::Empty: return tr("%1: nothing").arg(place);
    case Look::PassedOn: return tr("%1: passed on").arg(place);
    case Look::Complete: return tr("%1: complete").arg(place);
    case Look::Partial: break;
    }
    return tr("%1: %2 of %3 contributions").arg(place).arg(player()->cursor()->part(row, column).contributions).arg(replay.complete());
}

double OwnershipMatrix::rowGap(int row) const
{
    return m_pod > 0 ? row / m_pod * kGap : 0;
}

void OwnershipMatrix::layoutCells()
{
    if (m_layoutValid)
        return;
    m_layoutValid = true;
    if (rows() == 0 || columns() == 0)
        return;
    const double legend = theme().scaled(30);
    m_origin = cellsFrom();
    const double gaps = rowGap(rows() - 1);
    const double side = std::min((width() - m_origin.x() - theme().scaled(12)) / columns(), (height() - m_origin.y() - legend - gaps) / rows());
    m_side = std::clamp(std::floor(side), kSmallest, kLargest * std::max(1.0, theme().basePixels() / 13.0));
    // In the middle of what is left over, as far as the captions let it.
    const double free = width() - theme().scaled(12) - m_origin.x() - m_side * columns();
    m_origin.rx() += std::max(0.0, free / 2);
}

QSize OwnershipMatrix::sizeHint() const
{
    // Of all rows there could be: with fewer, for want of room, it would ask for less and less.
    const CollectiveReplayPtr replay = player() ? player()->replay() : nullptr;
    const int cells = replay && columns() > 0 ? std::clamp(replay->size(), 1, kMaxCells) : 1;
    const double side = std::clamp(360.0 / std::max(cells, replay ? std::clamp(replay->parts(), 1, kMaxCells) : 1), kSmallest, kLargest * std::max(1.0, theme().basePixels() / 13.0));
    return QSize(452, static_cast<int>(cells * side + rowGap(std::max(0, rows() - 1)) + theme().scaled(60)));
}

QRectF OwnershipMatrix::cellRect(int row, int column) const
{
    const_cast<OwnershipMatrix*>(this)->layoutCells();
    return QRectF(m_origin.x() + column * m_side, m_origin.y() + row * m_side + rowGap(row), m_side, m_side);
}

QPoint OwnershipMatrix::cellAt(const QPointF& position) const
{
    for (int row = 0; row < rows(); ++row) {
        const QRectF first = cellRect(row, 0);
        if (position.y() < first.top() || position.y() >= first.bottom())
            continue;
        const int column = static_cast<int>(std::floor((position.x() - first.left()) / m_side));
        return column >= 0 && column < columns() ? QPoint(column, row) : QPoint(-1, -1);
    }
    return {-1, -1};
}

void OwnershipMatrix::setFocusedCell(QPoint cell)
{
    if (rows() == 0)
        return;
    m_focus = {std::clamp(cell.x(), 0, columns() - 1), std::clamp(cell.y(), 0, rows() - 1)};
    m_focused = {m_focus.x() * m_partsPerColumn, m_focus.y() * m_ranksPerRow};
    setAccessibleDescription(cellText(m_focus.y(), m_focus.x()));
    update();
}

void OwnershipMatrix::selectMoveOf(QPoint cell)
{
    const ReplayStep* step = player()->currentStep();
    if (!step || cell.x() < 0)
        return;
    const CollectiveReplay& replay = *player()->replay();
    const auto inside = [](int value, int first, int count) { return value >= first && value < first + count; };
    for (const bool asTarget : {true, false})
        for (std::uint32_t i = step->firstMove; i < step->firstMove + step->moveCount; ++i) {
            const ReplayMove& move = replay.moves()[i];
            if (!inside(asTarget ? move.target : move.source, cell.y() * m_ranksPerRow, m_ranksPerRow))
                continue;
            for (const PartIndex part : replay.partsOf(move))
                if (inside(part, cell.x() * m_partsPerColumn, m_partsPerColumn)) {
                    player()->selectMove(i);
                    return;
                }
        }
}

void OwnershipMatrix::paintCells(QPainter& painter)
{
    const QColor view = theme().color(Role::View);
    const QColor line = theme().color(Role::Line);
    const QColor outline = theme().color(Role::Outline);
    const QColor ok = theme().color(Role::Ok);
    const bool reduces = player()->replay()->complete() > 1;
    const QColor partial = steptexts::phaseColor(theme(), reduces ? PhaseKind::ReduceScatter : PhaseKind::AllGather);
    const double inset = m_side >= 12 ? 1.5 : 0.5;
    QFont font = theme().font(TextStyle::Smallest);
    font.setBold(true);
    font.setPixelSize(std::max(8, std::min(font.pixelSize(), static_cast<int>(m_side) - 8)));
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    painter.setRenderHint(QPainter::Antialiasing, m_side >= 12);
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column) {
            const QRectF rect = cellRect(row, column).adjusted(inset, inset, -inset, -inset);
            const Cell shown = cell(row, column);
            const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
            const double radius = m_side >= 12 ? 2 : 0;
            painter.setPen(m_side >= 9 ? QPen(shown.look == Look::Partial ? outline : line, 1) : QPen(Qt::NoPen));
            painter.setBrush(shown.look == Look::Complete ? ok : view);
            if (m_side >= 9)
                painter.drawRoundedRect(inner, radius, radius);
            else
                painter.fillRect(rect, shown.look == Look::Complete ? ok : theme().color(Role::Stripe));
            switch (shown.look) {
            case Look::Empty: break;
            case Look::PassedOn:
                painter.setPen(Qt::NoPen);
                painter.setBrush(theme().color(Role::Text3));
                painter.drawEllipse(inner.center(), m_side >= 12 ? 1.2 : 0.8, m_side >= 12 ? 1.2 : 0.8);
                break;
            case Look::Partial: {
                QRectF fill = m_side >= 9 ? rect.adjusted(1, 1, -1, -1) : rect;
                fill.setTop(fill.bottom() - fill.height() * shown.share);
                painter.fillRect(fill, shown.number >= 0 ? partial : Theme::mix(view, partial, 0.62));
                const QString number = QString::number(shown.number);
                if (shown.number >= 0 && m_side >= 15 && metrics.horizontalAdvance(number) <= rect.width()) {
                    // The ink that reads on what lies behind the middle of the number.
                    const bool onFill = shown.share > 0.62;
                    painter.setPen(onFill ? theme().ink(partial) : theme().color(Role::Text));
                    painter.drawText(onFill ? fill : QRectF(rect.left(), rect.top(), rect.width(), rect.height() * (1 - shown.share) + 2 * (shown.share < 0.4)), Qt::AlignCenter, number);
                }
                break;
            }
            case Look::Complete:
                if (m_side >= 12)
                    steppaint::paintIcon(painter, steppaint::Icon::Tick, QRectF(rect.center() - QPointF(m_side * 0.32, m_side * 0.32), QSizeF(m_side * 0.64, m_side * 0.64)),
                                         theme().ink(ok));
                break;
            }
        }
    painter.setRenderHint(QPainter::Antialiasing);
}

void OwnershipMatrix::paintCaptions(QPainter& painter)
{
    const qint64 selected = player()->selectedMove();
    const CollectiveReplay& replay = *player()->replay();
    std::vector<int> strongRows;
    std::vector<int> strongColumns;
    if (selected >= 0) {
        const ReplayMove& move = replay.moves()[static_cast<std::size_t>(selected)];
        strongRows = {move.source / m_ranksPerRow, move.target / m_ranksPerRow};
        for (const PartIndex part : replay.partsOf(move))
            strongColumns.push_back(part / m_partsPerColumn);
    }
    const auto isIn = [](const std::vector<int>& list, int value) { return std::find(list.begin(), list.end(), value) != list.end(); };
    const QFontMetricsF metrics(theme().font(TextStyle::Label));
    // Captions keep a distance; the rows and columns of the selected move come before the others.
    double lastBottom = -1e9;
    for (int row = 0; row < rows(); ++row) {
        const QRectF rect = cellRect(row, 0);
        const bool strong = isIn(strongRows, row);
        if (rect.center().y() < lastBottom)
            continue;
        const bool nextIsStrong = !strong && [&] {
            for (int next = row + 1; next < rows() && cellRect(next, 0).center().y() < rect.center().y() + metrics.height() * 0.9; ++next)
                if (isIn(strongRows, next))
                    return true;
            return false;
        }();
        if (nextIsStrong)
            continue;
        lastBottom = rect.center().y() + metrics.height() * 0.9;
        painter.setFont(theme().font(strong ? TextStyle::LabelStrong : TextStyle::Label));
        painter.setPen(theme().color(strong ? Role::Text : Role::Text2));
        painter.drawText(QRectF(0, rect.center().y() - 10, m_origin.x() - 6, 20), Qt::AlignRight | Qt::AlignVCenter, rowName(row));
    }
    double lastRight = -1e9;
    for (int column = 0; column < columns(); ++column) {
        const QRectF rect = cellRect(0, column);
        const bool strong = isIn(strongColumns, column);
        const QString text = texts::shown(replay.partName(column * m_partsPerColumn));
        const double half = QFontMetricsF(theme().font(strong ? TextStyle::LabelStrong : TextStyle::Label)).horizontalAdvance(text) / 2;
        if (rect.center().x() - half < lastRight)
            continue;
        lastRight = rect.center().x() + half + 5;
        painter.setFont(theme().font(strong ? TextStyle::LabelStrong : TextStyle::Label));
        painter.setPen(theme().color(strong ? Role::Text : Role::Text2));
        painter.drawText(QRectF(rect.center().x() - 30, m_origin.y() - theme().scaled(18), 60, theme().scaled(16)), Qt::AlignCenter, text);
    }
}

void OwnershipMatrix::paintFrames(QPainter& painter)
{
    const qint64 selected = player()->selectedMove();
    if (selected >= 0) {
        const CollectiveReplay& replay = *player()->replay();
        const ReplayMove& move = replay.moves()[static_cast<std::size_t>(selected)];
        painter.setBrush(Qt::NoBrush);
        const double width = m_side < 9 ? 1 : 2; // Two frames of small cells would run into one.
        QPen dashed(theme().color(Role::Critical), width);
        dashed.setDashPattern({2, 1});
        dashed.setCapStyle(Qt::FlatCap);
        const QPen solid(theme().color(Role::Critical), width);
        int last = -1;
        for (const PartIndex part : steptexts::sortedParts(replay, move)) {
            const int column = part / m_partsPerColumn;
            if (column == last)
                continue;
            last = column;
            painter.setPen(dashed);
            painter.drawRect(cellRect(move.source / m_ranksPerRow, column).adjusted(1, 1, -1, -1));
            painter.setPen(solid);
            painter.drawRect(cellRect(move.target / m_ranksPerRow, column).adjusted(1, 1, -1, -1));
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme().color(Role::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cellRect(m_focus.y(), m_focus.x()).adjusted(-1, -1, 1, 1));
    }
}

void OwnershipMatrix::paintLegend(QPainter& painter)
{
    const bool reduces = player()->replay()->complete() > 1;
    const QColor view = theme().color(Role::View);
    const QColor partial = steptexts::phaseColor(theme(), PhaseKind::ReduceScatter);
    const double size = theme().scaled(13);
    const double top = cellRect(rows() - 1, 0).bottom() + theme().scaled(8);
    const double middle = top + size / 2;
    struct Entry {
        QString text;
        int kind;
    };
    auto entries = reduces ? std::vector<Entry>{{tr("passed on"), 0}, {tr("some"), 1}, {tr("complete"), 2}} : std::vector<Entry>{{tr("not there"), 5}, {tr("there"), 2}};
    entries.push_back({tr("from"), 3});
    entries.push_back({tr("to"), 4});
    if (m_ranksPerRow > 1 || m_partsPerColumn > 1)
        entries.push_back({tr("%1 × %2 cells each").arg(m_ranksPerRow).arg(m_partsPerColumn), -1});
    QFont font = theme().font(TextStyle::Label);
    const auto widthOf = [&](const Entry& entry) { return QFontMetricsF(font).horizontalAdvance(entry.text) + size + 5; };
    const auto wholeWidth = [&] { return std::transform_reduce(entries.begin(), entries.end(), 0.0, std::plus<>(), widthOf); };
    const double room = width() - theme().scaled(24) - kLeastBetween * static_cast<double>(entries.size() - 1);
    if (wholeWidth() > room && entries.back().kind < 0)
        entries.pop_back(); // The captions say which ones a cell stands for.
    while (wholeWidth() > room && font.pixelSize() > kSmallestLegend)
        font.setPixelSize(font.pixelSize() - 1);
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double total = wholeWidth();
    const double between = std::clamp((width() - theme().scaled(24) - total) / static_cast<double>(entries.size()), kLeastBetween, theme().scaled(16) * 1.0);
    double x = std::max<double>(theme().scaled(12), (width() - total - between * static_cast<double>(entries.size() - 1)) / 2);
    for (const Entry& entry : entries) {
        const QRectF box(x + 0.5, top + 0.5, size - 1, size - 1);
        painter.setPen(QPen(theme().color(entry.kind == 1 ? Role::Outline : Role::Line2), 1));
        painter.setBrush(entry.kind == 2 ? theme().color(Role::Ok) : view);
        if (entry.kind >= 0 && entry.kind != 3 && entry.kind != 4)
            painter.drawRoundedRect(box, 2, 2);
        if (entry.kind == 0) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme().color(Role::Text3));
            painter.drawEllipse(box.center(), 1.2, 1.2);
        } else if (entry.kind == 1) {
            painter.fillRect(QRectF(box.left() + 1, box.center().y() + 1, box.width() - 2, box.height() / 2 - 2), partial);
        } else if (entry.kind == 2) {
            steppaint::paintIcon(painter, steppaint::Icon::Tick, box.adjusted(2, 2, -2, -2), theme().ink(theme().color(Role::Ok)));
        } else if (entry.kind == 3 || entry.kind == 4) {
            QPen pen(theme().color(Role::Critical), 2);
            pen.setCapStyle(Qt::FlatCap);
            if (entry.kind == 3)
                pen.setDashPattern({1.5, 1});
            painter.setPen(pen);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        painter.setPen(theme().color(Role::Text2));
        const double textX = entry.kind < 0 ? x : x + size + 5;
        painter.drawText(QRectF(textX, middle - 10, metrics.horizontalAdvance(entry.text) + 2, 20), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        x = textX + metrics.horizontalAdvance(entry.text) + between;
    }
}

void OwnershipMatrix::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::Panel));
    if (rows() == 0 || columns() == 0)
        return;
    layoutCells();
    paintCells(painter);
    paintCaptions(painter);
    paintFrames(painter);
    paintLegend(painter);
}

void OwnershipMatrix::resizeEvent(QResizeEvent*)
{
    takeTogether();
    setAccessibleDescription(rows() > 0 ? cellText(m_focus.y(), m_focus.x()) : QString());
    m_layoutValid = false;
}

void OwnershipMatrix::mousePressEvent(QMouseEvent* event)
{
    const QPoint at = cellAt(event->position());
    if (at.x() < 0 || event->button() != Qt::LeftButton)
        return;
    setFocusedCell(at);
    selectMoveOf(at);
}

void OwnershipMatrix::keyPressEvent(QKeyEvent* event)
{
    if (rows() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Left: setFocusedCell(m_focus - QPoint(1, 0)); break;
    case Qt::Key_Right: setFocusedCell(m_focus + QPoint(1, 0)); break;
    case Qt::Key_Up: setFocusedCell(m_focus - QPoint(0, 1)); break;
    case Qt::Key_Down: setFocusedCell(m_focus + QPoint(0, 1)); break;
    case Qt::Key_Return:
    case Qt::Key_Enter: selectMoveOf(m_focus); break;
    default: QWidget::keyPressEvent(event); return;
    }
    event->accept();
}

QString OwnershipMatrix::tipAt(const QPoint& position)
{
    const QPoint at = cellAt(position);
    return at.x() < 0 ? QString() : texts::toolTip(cellText(at.y(), at.x()));
}

bool OwnershipMatrix::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // Left and Right step through the collective everywhere else; here they move the focused cell.
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            event->accept();
            return true;
        }
    }
    return PlayerView::event(event);
}

} // namespace fabricscope
