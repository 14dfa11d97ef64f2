#include "widgets/base/cellcopies.h"

#include "core/base/csvtext.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QTableView>
#include <QTreeView>

#include <vector>

namespace fabricscope {

namespace {

/// Numbers as they are: a minus sign of theirs is no formula.
QString copied(const QString& text)
{
    bool number = false;
    QLocale().toDouble(text, &number);
    return number ? text : QString::fromStdString(tabCell(text.toStdString()));
}

const QHeaderView* headerOf(const QAbstractItemView& view)
{
    if (const auto* const table = qobject_cast<const QTableView*>(&view))
        return table->horizontalHeader();
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    return tree ? tree->header() : nullptr;
}

/// As they are seen, from above; of a tree what is unfolded.
std::vector<QModelIndex> rowsOf(const QAbstractItemView& view)
{
    std::vector<QModelIndex> rows;
    const bool all = view.selectionMode() == QAbstractItemView::SingleSelection || !view.selectionModel()->hasSelection();
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    for (QModelIndex row = view.model()->index(0, 0, view.rootIndex()); row.isValid(); row = tree ? tree->indexBelow(row) : row.siblingAtRow(row.row() + 1)) {
        if (all || view.selectionModel()->rowIntersectsSelection(row.row(), row.parent()))
            rows.push_back(row);
    }
    return rows;
}

/// Header and rows, a line each; columns as they are seen. One column needs no header: what is current of it.
QString copiedRows(const QAbstractItemView& view)
{
    const QHeaderView* const header = headerOf(view);
    std::vector<int> columns;
    for (int place = 0; header && place < header->count(); ++place) {
        if (!header->isSectionHidden(header->logicalIndex(place)))
            columns.push_back(header->logicalIndex(place));
    }
    if (columns.size() < 2)
        return copied(view.currentIndex().data().toString());
    QString lines;
    const auto addLine = [&](const auto& textOf) {
        QStringList cells;
        for (const int column : columns)
            cells.append(copied(textOf(column)));
        lines += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    addLine([&](int column) { return view.model()->headerData(column, Qt::Horizontal).toString(); });
    for (const QModelIndex& row : rowsOf(view))
        addLine([&](int column) { return row.siblingAtColumn(column).data().toString(); });
    return lines;
}

} // namespace

void CellCopies::install()
{
    if (!qApp->findChild<CellCopies*>(QString(), Qt::FindDirectChildrenOnly))
        qApp->installEventFilter(new CellCopies(qApp));
}

bool CellCopies::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        auto* view = qobject_cast<QAbstractItemView*>(watched);
        if (view && !view->property(kCopiesItself).toBool()) {
            if (view->currentIndex().isValid())
                QApplication::clipboard()->setText(copiedRows(*view));
            event->accept();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace fabricscope
