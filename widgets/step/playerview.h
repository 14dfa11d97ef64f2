#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

class QPainter;

namespace fabricscope {

class StepPlayer;

/// A picture of what a player shows: follows the player and the theme, explains what is under the pointer, and has a frame while it has the focus
/// by the keyboard.
class PlayerView : public QWidget
{
    Q_OBJECT
public:
    /// The player outlives the view.
    void setPlayer(StepPlayer* player);

protected:
    PlayerView(const QString& name, QWidget* parent);

    /// Listens to the new player and shows what it has.
    virtual void follow(StepPlayer& player) = 0;
    /// What was laid out for the theme before no longer holds.
    virtual void themeChanged() {}
    /// What is under the pointer, as rich text; empty: nothing.
    virtual QString tipAt(const QPoint& position) = 0;

    bool event(QEvent* event) override;
    /// The frame, over everything else.
    void paintFocus(QPainter& painter) const;
    StepPlayer* player() const { return m_player; }
    const Theme& theme() const { return m_theme; }

private:
    void setTheme(const Theme& theme);

    StepPlayer* m_player = nullptr;
    Theme m_theme;
    bool m_keyboardFocus = false;
};

} // namespace fabricscope
