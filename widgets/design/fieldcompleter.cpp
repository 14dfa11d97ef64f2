#include "widgets/design/fieldcompleter.h"

#include "core/design/file/fieldguide.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QTreeView>

#include <algorithm>

namespace fabricscope {

namespace {

constexpr int kRestMs = 120;
constexpr int kMostOffered = 200'000; ///< Characters of a text that is read again for every word that is typed.
constexpr int kIsKeyRole = Qt::UserRole + 1;

} // namespace

FieldCompleter::FieldCompleter(PlainTextEdit* view) : QCompleter(view), m_view(view)
{
    auto* const list = new QTreeView;
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->header()->hide();
    list->header()->setStretchLastSection(false);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setAccessibleName(tr("What may stand here"));
    m_choices.setColumnCount(2);
    setModel(&m_choices);
    setPopup(list);
    setWidget(view);
    setCompletionMode(QCompleter::PopupCompletion);
    setCaseSensitivity(Qt::CaseInsensitive);
    setMaxVisibleItems(12);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, [this] { offer(false); });
    connect(this, qOverload<const QModelIndex&>(&QCompleter::activated), this, &FieldCompleter::insert);
    followTheme(this, &FieldCompleter::setTheme);
}

void FieldCompleter::setTheme(const Theme& theme)
{
    popup()->setStyleSheet(QStringLiteral("QTreeView { border: 1px solid %1; background: %2; }").arg(theme.color(Role::Outline).name(), theme.color(Role::Raised).name()));
}

bool FieldCompleter::takes(const QKeyEvent& key)
{
    if (key.key() == Qt::Key_Space && key.modifiers() == Qt::ControlModifier) {
        offer(true);
        return true;
    }
    if (!popup()->isVisible())
        return false;
    switch (key.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab:
        if (!popup()->currentIndex().isValid())
            return false;
        insert(popup()->currentIndex());
        popup()->hide();
        return true;
    case Qt::Key_Escape: popup()->hide(); return true;
    default: return false;
    }
}

void FieldCompleter::typed(const QString& text)
{
    const bool goesOn = popup()->isVisible() || (!text.isEmpty() && (text.back().isLetter() || text.back() == QLatin1Char('_')));
    if (goesOn && !m_view->isReadOnly() && m_view->document()->characterCount() <= kMostOffered)
        m_rest.start();
}

void FieldCompleter::offer(bool asked)
{
    m_rest.stop();
    const QString text = m_view->typedText();
    const int cursor = m_view->textCursor().position();
    const std::string bytes = text.toStdString();
    const FieldChoices found = m_view->isReadOnly() ? FieldChoices{} : choicesAt(bytes, static_cast<std::size_t>(text.left(cursor).toUtf8().size()));
    m_begin = static_cast<int>(QString::fromUtf8(bytes.data(), static_cast<qsizetype>(found.begin)).size());
    m_end = static_cast<int>(QString::fromUtf8(bytes.data(), static_cast<qsizetype>(found.end)).size());
    const QString prefix = text.mid(m_begin, std::max(0, cursor - m_begin));
    m_choices.removeRows(0, m_choices.rowCount());
    for (const FieldChoice& choice : found.choices) {
        auto* const word = new QStandardItem(QString::fromStdString(choice.word));
        word->setData(choice.isKey, kIsKeyRole);
        m_choices.appendRow({word, new QStandardItem(texts::shown(choice.text))});
    }
    setCompletionPrefix(prefix);
    // A word that is whole needs no list.
    const bool isWhole = completionCount() == 1 && currentCompletion() == text.mid(m_begin, m_end - m_begin);
    if (completionCount() == 0 || (!asked && (prefix.isEmpty() || isWhole))) {
        popup()->hide();
        return;
    }
    auto* const list = static_cast<QTreeView*>(popup());
    list->resizeColumnToContents(0);
    list->resizeColumnToContents(1);
    QRect where = m_view->cursorRect();
    where.translate(m_view->viewport()->x(), m_view->viewport()->y());
    const int wanted = list->columnWidth(0) + list->columnWidth(1) + list->verticalScrollBar()->sizeHint().width() + 2 * list->frameWidth();
    where.setWidth(std::min(wanted, m_view->window()->width() / 2));
    complete(where);
    list->setCurrentIndex(completionModel()->index(0, 0));
}

void FieldCompleter::insert(const QModelIndex& chosen)
{
    const QModelIndex word = chosen.siblingAtColumn(0);
    QTextCursor cursor = m_view->textCursor();
    cursor.setPosition(m_begin);
    cursor.setPosition(std::min(m_end, m_view->document()->characterCount() - 1), QTextCursor::KeepAnchor);
    cursor.insertText(word.data().toString() + (word.data(kIsKeyRole).toBool() ? QStringLiteral(": ") : QString()));
    m_view->setTextCursor(cursor);
}

} // namespace fabricscope
