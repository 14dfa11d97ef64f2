#pragma once

#include <QMessageBox>
#include <QString>

#include <vector>

class QWidget;

namespace fabricscope {

/// An answer that a question offers.
struct AnswerChoice {
    QMessageBox::StandardButton button;
    QString text; ///< Empty: the usual one.
};

/// Asks in a message box over `window`; returns the standard button that was chosen.
int askInBox(QWidget* window, const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual);

} // namespace fabricscope
