#pragma once

#include "core/step/programreplay.h"

#include <QObject>

#include <optional>
#include <vector>

namespace fabricscope {

/// Which step of a program is on show, and what every place holds when it is over. Step -1 is the start. Of the GUI thread.
class ProgramPlayer : public QObject
{
    Q_OBJECT
public:
    explicit ProgramPlayer(QObject* parent = nullptr) : QObject(parent) {}

    /// Null: nothing. The step stays where it was as far as there are as many.
    void setReplay(ProgramReplayPtr replay);
    const ProgramReplayPtr& replay() const { return m_replay; }
    /// Null without replay.
    const ProgramCursor* cursor() const { return m_cursor ? &*m_cursor : nullptr; }
    int steps() const { return m_replay ? m_replay->steps() : 0; }
    int step() const { return m_step; }
    void setStep(int step);
    /// Places that the step on show has written, ascending.
    const std::vector<PlaceIndex>& changed() const { return m_changed; }

    /// Operations that are pointed at: those of a line of the text, of a finding, or under the pointer. Ascending.
    const std::vector<std::uint32_t>& marked() const { return m_marked; }
    void mark(std::vector<std::uint32_t> operations);
    bool isMarked(std::uint32_t operation) const;

public slots:
    void first() { setStep(-1); }
    void back() { setStep(m_step - 1); }
    void forward() { setStep(m_step + 1); }
    void last() { setStep(steps() - 1); }

signals:
    void replayChanged();
    void stepChanged();
    void marksChanged();

private:
    void follow();

    ProgramReplayPtr m_replay;
    std::optional<ProgramCursor> m_cursor;
    int m_step = -1;
    std::vector<PlaceIndex> m_changed;
    std::vector<std::uint32_t> m_marked;
};

} // namespace fabricscope
