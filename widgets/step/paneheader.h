#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace fabricscope {

class ElidedLabel;

/// Head of a panel or view: 32 px, title at the left, a hint or controls at the right, hairline below. Where there is little room the hint gives way, then the title.
class StepHeader : public QWidget
{
    Q_OBJECT
public:
    explicit StepHeader(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setHint(const QString& hint);
    /// "ok", "info", "warn"; empty text: no chip.
    void setChip(const char* kind, const QString& text);
    QString title() const;
    QString hint() const;
    QString chip() const;
    /// Adds a control at the right.
    void addControl(QWidget* widget);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);

    Theme m_theme;
    QHBoxLayout* m_row;
    ElidedLabel* m_title;
    ElidedLabel* m_hint;
    QLabel* m_chip;
};

} // namespace fabricscope
