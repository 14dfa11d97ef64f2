#pragma once

#include "core/base/error.h"
#include "widgets/base/theme.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QToolButton;

namespace fabricscope {

/// One line under the toolbar that can be dismissed: a hint, or what went wrong. The icon and the ground say which.
class HintLine : public QFrame
{
    Q_OBJECT
public:
    explicit HintLine(QWidget* parent = nullptr);

    /// A hint as rich text; links are told by linkActivated(). An empty text hides the line.
    void setText(const QString& text);
    /// Plain text. `severity` Error: something was not done; Warning: it was, but not as asked.
    void setProblem(Severity severity, const QString& text);
    /// Rich text with links, for a warning one can act upon.
    void setNotice(const QString& html) { say(Severity::Warning, html, Qt::RichText); }
    /// Says that `what` is being read, in front of everything else, with a link "reading:cancel"; empty: no longer, and the line is what it was.
    void setReading(const QString& what);
    bool isReading() const { return m_isReading; }
    /// Without the button: whoever says it takes it back.
    void setDismissable(bool dismissable);

    /// There is something to say that was not dismissed.
    bool hasText() const { return m_said || m_isReading; }
    QString text() const;
    /// Note: a hint.
    Severity severity() const { return m_severity; }

signals:
    void linkActivated(const QString& link);

private:
    void setTheme(const Theme& theme);
    void say(Severity severity, const QString& text, Qt::TextFormat format);
    void restyle();
    void showParts();

    Theme m_theme;
    QLabel* m_icon;
    QLabel* m_text;
    QToolButton* m_close;
    QLabel* m_reading;
    QProgressBar* m_bar;
    Severity m_severity = Severity::Note;
    bool m_said = false;
    bool m_isReading = false;
    bool m_dismissable = true;
};

} // namespace fabricscope
