#pragma once

#include "widgets/step/movemodels.h"

#include <QWidget>

class QTableView;

namespace fabricscope {

class StepHeader;

/// The steps of the chunk over the moves of the step that is shown. Both selections follow the player and lead it.
class StepLists : public QWidget
{
    Q_OBJECT
public:
    explicit StepLists(StepPlayer* player, QWidget* parent = nullptr);

    MoveTableModel* moveModel() const { return m_moveModel; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void fitColumns();
    void followStep();
    void followMove();
    void updateHeads();

    StepPlayer* m_player;
    Theme m_theme;
    StepTableModel* m_stepModel;
    MoveTableModel* m_moveModel;
    StepHeader* m_stepHead;
    StepHeader* m_moveHead;
    QTableView* m_steps;
    QTableView* m_moves;
    bool m_following = false;
};

} // namespace fabricscope
