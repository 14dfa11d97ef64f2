#include "app/desktop/displayguard.h"

#include <QString>
#include <QStringList>

#include <cstdio>
#include <unistd.h>

namespace fabricscope {

namespace {

constexpr int kUsage = 2;
constexpr const char* kInstead = "fabricscope-cli does the same without a window; fabricscope --export-report OUT.pdf DESIGN writes a report.";
constexpr const char* kNames[] = {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"};

QStringList warnings; ///< Of the guard that lives; a message handler is a plain function.

/// "DISPLAY is :99", of what decides which display is used.
QString environmentText()
{
    QStringList said;
    for (const char* name : kNames) {
        if (qEnvironmentVariableIsSet(name))
            said.append(QStringLiteral("%1 is \"%2\"").arg(QLatin1String(name), qEnvironmentVariable(name).left(200)));
    }
    return said.join(QStringLiteral(", "));
}

} // namespace

DisplayGuard::DisplayGuard() : m_before(qInstallMessageHandler(hear)) {}

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(m_before);
    warnings.clear();
}

std::string DisplayGuard::missing()
{
    for (const char* name : kNames)
        if (!qEnvironmentVariableIsEmpty(name))
            return {};
    return std::string("error: there is no display. ") + kInstead;
}

void DisplayGuard::hear(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type != QtFatalMsg) {
        // Warnings matter only as the reason of an end: a missing runtime folder or font is Qt's to work around.
        if (type == QtWarningMsg || type == QtCriticalMsg)
            warnings.append(text.simplified());
        return;
    }
    QString reason;
    for (const QString& warning : std::as_const(warnings))
        if (warning.contains(QStringLiteral("display"), Qt::CaseInsensitive) || warning.contains(QStringLiteral("platform plugin"), Qt::CaseInsensitive)) {
            reason = warning;
            break;
        }
    if (reason.isEmpty())
        reason = text.section(QLatin1Char('\n'), 0, 0).simplified();
    while (reason.endsWith(QLatin1Char('.')) || reason.endsWith(QLatin1Char(' ')))
        reason.chop(1);
    std::fprintf(stderr, "error: the display cannot be used: %s (%s). %s\n", qPrintable(reason), qPrintable(environmentText()), kInstead);
    // Not exit(): Qt is in the middle of its start.
    std::fflush(stderr);
    ::_exit(kUsage);
}

} // namespace fabricscope
