#include "widgets/step/movemodels.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/step/moveroutes.h"
#include "widgets/step/movetexts.h"
#include "widgets/step/player.h"

#include <algorithm>

namespace fabricscope {

namespace {
QVariant rightAligned(bool right)
{
    return static_cast<int>((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}
} // namespace

StepTableModel::StepTableModel(StepPlayer* player, QObject* parent) : QAbstractTableModel(parent), m_player(player)
{
    const auto load = [this] {
        beginResetModel();
        m_rows = m_player->stepCount();
        m_longest = 0;
        for (const ReplayStep& step : m_player->steps())
            m_longest = std::max(m_longest, step.endPs - step.beginPs);
        endResetModel();
    };
    connect(player, &StepPlayer::replayChanged, this, load);
    load();
    followTheme(this, &StepTableModel::setTheme);
}

void StepTableModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (m_rows > 0)
        emit dataChanged(index(0, 0), index(m_rows - 1, ColumnCount - 1));
}

int StepTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int StepTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StepTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_player->stepCount())
        return {};
    const ReplayStep& step = m_player->steps()[static_cast<std::size_t>(index.row())];
    if (role == kDimensionRole)
        return step.dimension >= 0 ? step.dimension : step.level;
    if (role == Qt::DecorationRole && index.column() == Phase)
        return steptexts::phaseColor(m_theme, step.kind);
    if (role == Qt::TextAlignmentRole)
        return rightAligned(index.column() >= Moves);
    if (role == Qt::ToolTipRole)
        return tr("%1 to %2").arg(texts::time(SimTime{step.beginPs - m_player->originPs()}), texts::time(SimTime{step.endPs - m_player->originPs()}));
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    switch (index.column()) {
    case Number: return index.row() + 1;
    case Phase: return steptexts::phase(step.kind);
    case Dimension: {
        const QString line = QString::fromStdString(m_player->replay()->lineName(step));
        return line.isEmpty() ? tr("all") : line;
    }
    case Moves: return texts::count(step.moveCount);
    case Each: return steptexts::buffer(step.bytesEach, m_player->replay()->bytes());
    case Duration: return texts::timeIn(SimTime{step.endPs - step.beginPs}, SimTime{m_longest}, 3).section(QChar(0x202F), 0, -2);
    default: return {};
    }
}

QVariant StepTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return rightAligned(section >= Moves);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number: return QStringLiteral("#");
    case Phase: return tr("Phase");
    case Dimension: return tr("Dim");
    case Moves: return tr("Moves");
    case Each: return tr("Each");
    case Duration: return texts::timeUnit(SimTime{m_longest});
    default: return {};
    }
}

MoveTableModel::MoveTableModel(StepPlayer* player, QObject* parent) : QAbstractTableModel(parent), m_player(player)
{
    connect(player, &StepPlayer::replayChanged, this, &MoveTableModel::reset);
    connect(player, &StepPlayer::stepChanged, this, &MoveTableModel::reset);
    connect(player, &StepPlayer::timeChanged, this, [this] {
        if (m_rows > 0)
            emit dataChanged(index(0, State), index(m_rows - 1, State));
        emit headerDataChanged(Qt::Horizontal, State, State);
    });
    reset();
}

void MoveTableModel::reset()
{
    beginResetModel();
    const ReplayStep* step = m_player->currentStep();
    m_first = step ? step->firstMove : 0;
    m_rows = step ? static_cast<int>(step->moveCount) : 0;
    endResetModel();
}

int MoveTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int MoveTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MoveTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_player->replay() || index.row() >= m_rows)
        return {};
    const CollectiveReplay& replay = *m_player->replay();
    const std::uint32_t at = moveAt(index.row());
    if (at >= replay.moves().size())
        return {};
    const ReplayMove& move = replay.moves()[at];
    if (role == Qt::TextAlignmentRole)
        return rightAligned(index.column() != FromTo);
    if (role == Qt::ToolTipRole)
        return tr("%1, %2 to %3").arg(steptexts::buffer(move.bytes, m_player->replay()->bytes()), texts::time(SimTime{move.readyPs - m_player->originPs()}), texts::time(SimTime{move.donePs - m_player->originPs()}));
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    switch (index.column()) {
    case FromTo: return steptexts::move(replay, move);
    case Part: return steptexts::parts(replay, move);
    case State: return steptexts::state(m_player->routes()->progress(at, m_player->timePs()));
    default: return {};
    }
}

QVariant MoveTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return rightAligned(section != FromTo);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case FromTo: return tr("From → to");
    case Part: return tr("Chunk part");
    case State: return tr("State at %1").arg(steptexts::moment(m_player->timePs() - m_player->originPs(), m_player->endPs() - m_player->originPs()));
    default: return {};
    }
}

int MoveTableModel::rowOf(qint64 move) const
{
    const qint64 row = move - m_first;
    return move >= 0 && row >= 0 && row < m_rows ? static_cast<int>(row) : -1;
}

int MoveTableModel::doneCount() const
{
    if (!m_player->replay())
        return 0;
    int done = 0;
    for (int row = 0; row < m_rows; ++row)
        done += m_player->replay()->moves()[moveAt(row)].donePs <= m_player->timePs();
    return done;
}

} // namespace fabricscope
