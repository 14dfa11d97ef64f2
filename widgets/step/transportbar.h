#pragma once

#include "widgets/base/theme.h"
#include "widgets/step/chunkpaint.h"

#include <QWidget>

#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QSlider;
class QToolButton;

namespace fabricscope {

/// A bar that moves through steps: buttons with drawn icons, where it stands, a slider.
class TransportBar : public QWidget
{
    Q_OBJECT
public:
    QString stepText() const; ///< "Step 4 of 8".

protected:
    /// Names and keys of first, back, forward and last, for tools that read aloud and for tips.
    struct Move {
        QString name;
        QString keys;
    };
    /// `height`: of the bar, at the base size of the text.
    TransportBar(const QString& name, int height, QWidget* parent);
    /// At the end of the row so far.
    void addFirst(const Move& move) { m_first = addMove(steppaint::Icon::First, move); }
    void addBack(const Move& move) { m_back = addMove(steppaint::Icon::Back, move); }
    void addForward(const Move& move) { m_forward = addMove(steppaint::Icon::Forward, move); }
    void addLast(const Move& move) { m_last = addMove(steppaint::Icon::Last, move); }
    QLabel* addStep();
    QLabel* addSecondary();
    void addSlider(const QString& name);
    QHBoxLayout* row() const { return m_row; }
    QLabel* step() const { return m_step; }
    QToolButton* firstButton() const { return m_first; }
    QToolButton* backButton() const { return m_back; }
    QToolButton* forwardButton() const { return m_forward; }
    QToolButton* lastButton() const { return m_last; }
    QSlider* slider() const { return m_slider; }
    /// Of the whole bar with its buttons: a kind of bar follows the theme when it has all of them.
    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }

private:
    QToolButton* addMove(steppaint::Icon icon, const Move& move);

    Theme m_theme;
    int m_height;
    QHBoxLayout* m_row;
    std::vector<std::pair<QToolButton*, steppaint::Icon>> m_moves;
    QToolButton* m_first = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_forward = nullptr;
    QToolButton* m_last = nullptr;
    QLabel* m_step = nullptr;
    QSlider* m_slider = nullptr;
};

} // namespace fabricscope
