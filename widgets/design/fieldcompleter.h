#pragma once

#include "widgets/base/plaintextedit.h"
#include "widgets/base/theme.h"

#include <QCompleter>
#include <QStandardItemModel>
#include <QTimer>

namespace fabricscope {

/// Offers keys, words and units of the format while the text of a design is typed, and on Ctrl+Space. Up and Down choose, Return and Tab insert, Esc closes.
class FieldCompleter : public QCompleter
{
    Q_OBJECT
public:
    /// Of `view`, which owns it and asks it of every key before it takes it.
    explicit FieldCompleter(PlainTextEdit* view);

    /// Looks whether a key is for the list: Ctrl+Space, or one that chooses while it is open. True: the view is not to take it.
    bool takes(const QKeyEvent& key);
    /// A key was typed into the view.
    void typed(const QString& text);
    /// Nothing is about to be offered.
    bool isSettled() const { return !m_rest.isActive(); }

private:
    void setTheme(const Theme& theme);
    /// `asked`: also where nothing is written yet.
    void offer(bool asked);
    void insert(const QModelIndex& chosen);

    PlainTextEdit* m_view;
    QStandardItemModel m_choices;
    QTimer m_rest;      ///< Typing pauses for so long before anything is offered.
    int m_begin = 0;    ///< Characters that a choice replaces.
    int m_end = 0;
};

} // namespace fabricscope
