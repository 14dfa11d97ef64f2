#pragma once

#include <QFrame>

class QLabel;

namespace fabricscope {

/// One line under the toolbar that can be dismissed.
class HintLine : public QFrame
{
    Q_OBJECT
public:
    explicit HintLine(QWidget* parent = nullptr);

    /// Rich text; links are told by linkActivated(). An empty text hides the line.
    void setText(const QString& text);
    /// There is something to say that was not dismissed.
    bool hasText() const { return m_said; }

signals:
    void linkActivated(const QString& link);

private:
    QLabel* m_text;
    bool m_said = false;
};

} // namespace fabricscope
