#include "widgets/base/question.h"

#include <QPushButton>

namespace fabricscope {

int askInBox(QWidget* window, const QString& title, const QString& question, const std::vector<AnswerChoice>& choices, QMessageBox::StandardButton usual)
{
    QMessageBox box(QMessageBox::NoIcon, title, question, QMessageBox::NoButton, window); // The pictures of Qt belong to no theme.
    box.setTextFormat(Qt::PlainText);
    for (const AnswerChoice& choice : choices) {
        QPushButton* button = box.addButton(choice.button);
        if (!choice.text.isEmpty())
            button->setText(choice.text);
    }
    box.setDefaultButton(usual);
    return box.exec();
}

} // namespace fabricscope
