#pragma once

#include "widgets/step/transportbar.h"

namespace fabricscope {

class ProgramPlayer;

/// First, back, forward, last and a slider over the steps of a program.
class ProgramTransport : public TransportBar
{
    Q_OBJECT
public:
    explicit ProgramTransport(ProgramPlayer* player, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();

    ProgramPlayer* m_player;
    QLabel* m_transfers;
};

} // namespace fabricscope
