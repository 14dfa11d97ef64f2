#include "widgets/base/showntexts.h"

#include "core/base/shownlines.h"
#include "core/base/showntext.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QStringList>
#include <QTextDocument>

#include <string>

namespace fabricscope {

namespace texts {

QString shown(std::string_view utf8)
{
    return QString::fromStdString(shownText(utf8));
}

QString shown(const QString& text)
{
    return shown(std::string_view(text.toStdString()));
}

QString shownMessage(std::string_view utf8)
{
    return QString::fromStdString(fabricscope::shownMessage(std::string(utf8)));
}

QString shownLines(std::string_view utf8)
{
    return QString::fromStdString(fabricscope::shownLines(utf8));
}

QString toolTip(const QString& plain)
{
    const QString text = shownLines(plain.toStdString());
    return Qt::mightBeRichText(text) ? QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped()) : text;
}

} // namespace texts

void PlainLabels::install()
{
    if (!qApp->findChild<PlainLabels*>(QString(), Qt::FindDirectChildrenOnly))
        qApp->installEventFilter(new PlainLabels(qApp));
}

bool PlainLabels::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Polish) {
        auto* label = qobject_cast<QLabel*>(watched);
        if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
            label->setTextFormat(Qt::PlainText);
    }
    return QObject::eventFilter(watched, event);
}

} // namespace fabricscope
