#pragma once

#include "core/step/collectivereplay.h"
#include "widgets/base/theme.h"

#include <QAbstractTableModel>

namespace fabricscope {

class StepPlayer;

/// Steps of the player's chunk: number, phase, dimension, moves, bytes of each, duration.
class StepTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Number, Phase, Dimension, Moves, Each, Duration, ColumnCount };
    /// Dimension of a step as a number, for the chip.
    static constexpr int kDimensionRole = Qt::UserRole;

    explicit StepTableModel(StepPlayer* player, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void setTheme(const Theme& theme);

    StepPlayer* m_player;
    Theme m_theme;
    int m_rows = 0;
    std::int64_t m_longest = 0;
};

/// Moves of the player's step with their state at its time.
class MoveTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { FromTo, Part, State, ColumnCount };

    explicit MoveTableModel(StepPlayer* player, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// Index into CollectiveReplay::moves.
    std::uint32_t moveAt(int row) const { return m_first + static_cast<std::uint32_t>(row); }
    int rowOf(qint64 move) const; ///< -1: not of this step.
    int doneCount() const;        ///< O(rows).

private:
    void reset();

    StepPlayer* m_player;
    std::uint32_t m_first = 0;
    int m_rows = 0;
};

} // namespace fabricscope
