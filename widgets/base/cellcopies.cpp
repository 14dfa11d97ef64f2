#include "widgets/base/cellcopies.h"

#include "core/base/csvtext.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLocale>

namespace fabricscope {

namespace {

/// Numbers as they are: a minus sign of theirs is no formula.
QString copied(const QString& text)
{
    bool number = false;
    QLocale().toDouble(text, &number);
    return number ? text : QString::fromStdString(tabCell(text.toStdString()));
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
                QApplication::clipboard()->setText(copied(view->currentIndex().data().toString()));
            event->accept();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace fabricscope
