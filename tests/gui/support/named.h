#pragma once

#include <QString>
#include <QWidget>

namespace fabricscope::test {

/// The one part of this class inside that a user knows by this name: it is read aloud, or stands on it.
template <class Part>
Part& named(const QWidget& in, const QString& name)
{
    Part* found = nullptr;
    for (Part* part : in.findChildren<Part*>()) {
        QString written;
        if constexpr (requires { part->text(); })
            written = QString(part->text()).remove(QLatin1Char('&'));
        if (part->accessibleName() != name && written != name)
            continue;
        if (found)
            qFatal("several are called %s", qPrintable(name));
        found = part;
    }
    if (!found)
        qFatal("nothing is called %s", qPrintable(name));
    return *found;
}

} // namespace fabricscope::test
