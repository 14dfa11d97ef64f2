#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace fabricscope {

/// The 32 px strip above a view: its title at the left, controls at the right.
class ViewHeader : public QWidget
{
    Q_OBJECT
public:
    explicit ViewHeader(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// A state behind the title ("warn", "info", ...); empty text: none.
    void setChip(const char* kind, const QString& text, const QString& explanation = {});
    QString chip() const;
    /// Behind the title, from the left.
    void addBeside(QWidget* widget);
    /// At the right end, in the order of the calls.
    void addControl(QWidget* widget);

private:
    void setTheme(const Theme& theme);

    QHBoxLayout* m_beside;
    QHBoxLayout* m_controls;
    QLabel* m_title;
    QLabel* m_chip;
};

} // namespace fabricscope
