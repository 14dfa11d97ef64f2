#pragma once

#include "widgets/base/theme.h"

#include <QFrame>
#include <QString>

#include <functional>
#include <vector>

class QLabel;
class QPushButton;

namespace fabricscope {

/// One place of a tour: what is there, and what to try.
struct TourStop {
    QString title;
    QString text;
    std::function<void()> show; ///< Goes there.
};

/// A card in the corner of a window that leads through it, stop by stop, while all of the window can be used. Right and Left, or the buttons, go on and back; Esc ends.
/// What a stop shows may ask for the focus later, when it has loaded: the card keeps it until the user clicks or types elsewhere.
class TourCard : public QFrame
{
    Q_OBJECT
public:
    /// `hint`: stands beside how far it is. \pre there are stops
    TourCard(std::vector<TourStop> stops, const QString& hint, QWidget* window);

    int stopCount() const { return static_cast<int>(m_stops.size()); }
    int stop() const { return m_stop; }
    /// Beyond the last one it ends.
    void goTo(int stop);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void place();
    void keepFocus(const QWidget* now);

    Theme m_theme;
    std::vector<TourStop> m_stops;
    QString m_hint;
    int m_stop = 0;
    bool m_untouched = true; ///< Nobody has clicked or typed since the stop was shown.
    QLabel* m_count;
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_back;
    QPushButton* m_next;
};

} // namespace fabricscope
