#pragma once

#include <QString>
#include <QWidget>

namespace fabricscope::test {

/// The one part of this class inside.
template <class Part>
Part& part(const QObject& in)
{
    const auto found = in.findChildren<Part*>();
    if (found.size() != 1)
        qFatal("%d parts are a %s", static_cast<int>(found.size()), Part::staticMetaObject.className());
    return *found.front();
}

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

template <class Part>
Part& named(const QWidget& in, const char* name)
{
    return named<Part>(in, QString::fromUtf8(name));
}

/// The one part of this class inside whose words change: by its object name.
template <class Part>
Part& tagged(const QObject& in, const char* name)
{
    const auto found = in.findChildren<Part*>(QString::fromUtf8(name));
    if (found.size() != 1)
        qFatal("%d parts are tagged %s", static_cast<int>(found.size()), name);
    return *found.front();
}

} // namespace fabricscope::test
