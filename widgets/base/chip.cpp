#include "widgets/base/chip.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>
#include <QStyle>
#include <QVariant>

namespace fabricscope {

void setChip(QLabel& label, const char* kind, const QString& text)
{
    label.setAccessibleName(text);
    if (label.property("chip").toString() != QLatin1String(kind)) {
        label.setProperty("chip", QString::fromLatin1(kind));
        label.style()->unpolish(&label);
        label.style()->polish(&label);
        // Polishing alone leaves the margins of the frame, which hold the padding, as they were.
        QEvent changed(QEvent::StyleChange);
        QCoreApplication::sendEvent(&label, &changed);
    }
    label.setText(text);
}

} // namespace fabricscope
