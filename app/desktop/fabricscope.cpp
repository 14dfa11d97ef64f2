#include "app/desktop/application.h"
#include "app/desktop/arguments.h"
#include "app/desktop/displayguard.h"
#include "app/desktop/endrequests.h"
#include "app/desktop/exploreview.h"
#include "app/desktop/exports/reportexport.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/macro/logplayer.h"
#include "app/desktop/macro/recordcommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/version.h"
#include "core/run/memorylimit.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/base/icons.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/base/windowlanguage.h"
#include "widgets/compare/runner.h"
#include "widgets/design/document.h"

#include <QApplication>
#include <QFileInfo>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace fabricscope;

constexpr int kUsage = 2;
constexpr int kNotWritable = 5;
constexpr QLatin1StringView kCompare("compare");

bool wantsNoWindow(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        if (QByteArrayView(argv[i]).startsWith("--export-report") || qstrcmp(argv[i], "--help") == 0 || qstrcmp(argv[i], "-h") == 0 || qstrcmp(argv[i], "--version") == 0)
            return true;
    return false;
}

/// Without a window nobody wants to read about runtime folders and fonts: only what ends the program is said.
void quietMessages(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type == QtCriticalMsg || type == QtFatalMsg)
        std::fprintf(stderr, "%s\n", qPrintable(text));
}

Theme themeFor(const Arguments& arguments)
{
    const auto settings = openSettings();
    const bool dark = settings->value(QStringLiteral("window/dark"), false).toBool();
    Theme theme(arguments.theme.value_or(dark ? Theme::Mode::Dark : Theme::Mode::Light), arguments.fontPixels.value_or(UserSettings::value(UserSettings::kTextPixels)));
    theme.setPatterns(settings->value(QStringLiteral("window/patterns"), false).toBool());
    return theme;
}

/// The example on the first start, the start page later.
void openFirst(MainWindow& window, const Arguments& arguments)
{
    if (!arguments.files.isEmpty()) {
        window.files().openPaths(arguments.files);
        return;
    }
    const auto settings = openSettings();
    const bool first = !settings->value(QStringLiteral("started"), false).toBool();
    settings->setValue(QStringLiteral("started"), true);
    if (!arguments.example && !first)
        return;
    window.files().openExample(QStringLiteral("two-level-hgx"));
    window.showHint(QCoreApplication::translate("fabricscope::MainWindow", "This is an example. Change the D1 bandwidth and watch the result. <a href=\"start\">Start page</a>, <a href=\"shortcuts\">Shortcuts</a>"));
}

/// Recovered changes are not put aside for a file that was asked for; their own file need not be opened again.
QStringList otherThan(const QString& shown, const QStringList& files)
{
    QStringList others;
    for (const QString& file : files)
        if (shown.isEmpty() || QFileInfo(file).absoluteFilePath() != QFileInfo(shown).absoluteFilePath())
            others.append(QFileInfo(file).fileName());
    return others;
}

/// The first end counts: after an error nothing is a success. The loop of events need not have begun.
void endWith(int code)
{
    static bool ended = false;
    if (!std::exchange(ended, true))
        QMetaObject::invokeMethod(QCoreApplication::instance(), [code] { QCoreApplication::exit(code); }, Qt::QueuedConnection);
}

/// Is there more to come of what is compared?
bool isComparing(MainWindow& window, const Arguments& arguments)
{
    const auto runners = window.findChildren<ComparisonRunner*>();
    if (std::any_of(runners.begin(), runners.end(), [](const ComparisonRunner* runner) { return runner->isBusy(); }))
        return true;
    return arguments.workspace == kCompare && (window.files().isReading() || window.runs().isBusy());
}

/// Has the workspace on show all that it is going to show, and is the macro done?
bool isSettled(MainWindow& window)
{
    const Workspace* const shown = window.workspaceOf(window.workspace());
    return (!shown || shown->isSettled()) && !window.macros().player().isPlaying();
}

/// Takes the picture and ends, once nothing is compared any more and the workspace has all it shows.
void finish(MainWindow& window, const Arguments& arguments)
{
    if (isComparing(window, arguments) || !isSettled(window)) {
        constexpr int kPollMs = 20;
        QTimer::singleShot(kPollMs, &window, [&window, arguments] { finish(window, arguments); });
        return;
    }
    // Views that work on threads of their own (steps, tables) get a moment to show what they have.
    constexpr int kSettleMs = 700;
    QTimer::singleShot(arguments.screenshot.isEmpty() ? 0 : kSettleMs, &window, [&window, arguments] {
        int code = 0;
        // What still works beside the window is waited for; its answers may ask for more.
        constexpr int kRounds = 3;
        for (int round = 0; round < kRounds; ++round) {
            BackgroundThreads::global().waitForDone();
            QCoreApplication::processEvents();
        }
        if (!isSettled(window)) // The design came meanwhile.
            return finish(window, arguments);
        window.repaint();
        if (!arguments.screenshot.isEmpty() && !window.grab().save(arguments.screenshot)) {
            std::fprintf(stderr, "error: %s cannot be written\n", qPrintable(arguments.screenshot));
            code = kNotWritable;
        }
        endWith(code);
    });
}

/// Once the result is on show: switches to the workspace asked for, takes the picture, ends.
void followUp(MainWindow& window, const Arguments& arguments)
{
    if (!arguments.workspace.isEmpty())
        window.setWorkspace(arguments.workspace);
    if (!arguments.screenshot.isEmpty() || arguments.quitAfterRun)
        finish(window, arguments);
}

/// Shows the workspace asked for as soon as there is something to see in it. `arguments` outlive the window.
void showAsked(MainWindow& window, const Arguments& arguments)
{
    const auto follow = [&window, &arguments] { followUp(window, arguments); };
    QObject::connect(&window, &MainWindow::resultShown, &window, follow, Qt::SingleShotConnection);
    const Workspace* const asked = window.workspaceOf(arguments.workspace);
    if (!asked || asked->needsRun())
        return;
    QObject::connect(asked, &Workspace::ready, &window, follow, Qt::SingleShotConnection);
    window.setWorkspace(arguments.workspace);
    // A design that is opened comes on show in Explore; its result may take long.
    if (arguments.workspace != kCompare)
        QObject::connect(&window.files(), &FileCommands::opened, &window, [&window, &arguments] { window.setWorkspace(arguments.workspace); }, Qt::SingleShotConnection);
}

/// Ends the program, as a command would end, where no result can come: nobody looks at the notice.
void endWithoutResult(MainWindow& window, const Arguments& arguments)
{
    const auto end = [](const Error& error) {
        std::fprintf(stderr, "error: %s\n", error.text().c_str());
        endWith(exitCode(error.code));
    };
    for (DocumentFiles* files : window.findChildren<DocumentFiles*>()) {
        files->askNobody(); // A question would be waited for for ever.
        QObject::connect(files, &DocumentFiles::failed, &window, end);
    }
    QObject::connect(&window.runs(), &RunController::failed, &window, end);
    QObject::connect(&window.macros().player(), &LogPlayer::failed, &window, end);
    for (const ComparisonRunner* runner : window.findChildren<ComparisonRunner*>())
        QObject::connect(runner, &ComparisonRunner::failed, &window, [end](const QString&, const Error& error) { end(error); });
    if (const Workspace* asked = window.workspaceOf(arguments.workspace); asked && !asked->needsRun() && arguments.workspace != kCompare)
        return;
    QObject::connect(&window.files(), &FileCommands::opened, &window, [&window, end] {
        const Diagnostics& issues = window.document().issues();
        const auto error = std::find_if(issues.begin(), issues.end(), [](const Diagnostic& issue) { return issue.severity == Severity::Error; });
        if (error != issues.end())
            end(toError(*error));
    });
}

/// Begins the macro that was asked for: it waits for the files.
void replayAsked(MainWindow& window, const Arguments& arguments)
{
    if (arguments.replay.isEmpty())
        return;
    const Status read = window.macros().replay(arguments.replay);
    if (read)
        return;
    window.showFailure(read.error());
    if (!arguments.screenshot.isEmpty() || arguments.quitAfterRun) {
        std::fprintf(stderr, "error: %s\n", read.error().text().c_str());
        endWith(exitCode(read.error().code));
    }
}

/// What workspaces had the last time; a window that is there for one picture shows only what it was asked for.
void takeUpWork(MainWindow& window, const Arguments& arguments)
{
    window.offerRecovery();
    if (arguments.screenshot.isEmpty() && !arguments.quitAfterRun)
        window.restoreSession();
}

} // namespace

int main(int argc, char** argv)
{
    // The rule of the command: without it a design that is too large takes the whole machine.
    enforceDefaultMemoryLimit();
    const bool noWindow = wantsNoWindow(argc, argv);
    if (noWindow) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(quietMessages);
    } else if (const std::string missing = DisplayGuard::missing(); !missing.empty()) {
        std::fprintf(stderr, "%s\n", missing.c_str());
        return kUsage;
    }
    std::optional<DisplayGuard> guard(std::in_place);
    Application application(argc, argv);
    guard.reset();
    QApplication::setApplicationName(QStringLiteral("fabricscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Fabricscope"));
    QApplication::setOrganizationName(QStringLiteral("fabricscope"));
    QApplication::setApplicationVersion(QString::fromUtf8(kVersion));
    QApplication::setDesktopFileName(QStringLiteral("fabricscope"));
    QApplication::setWindowIcon(applicationIcon());

    const Arguments arguments = parseArguments(QApplication::arguments());
    if (!arguments.message.isEmpty()) {
        std::fputs(qPrintable(arguments.message), arguments.exitCode == 0 ? stdout : stderr);
        return arguments.exitCode;
    }
    if (!arguments.exportReport.isEmpty())
        return exportReportHeadless(arguments.exportReport, arguments.files, arguments.reportChoice, arguments.compare);

    const SpokenLanguage language(arguments.language.value_or(chosenLanguage()));
    MainWindow window(themeFor(arguments));
    QObject::connect(&application, &Application::failed, &window, &MainWindow::showFailure);
    const EndRequests endRequests([&window] { window.keepForRecovery(); });
    if (arguments.size.isValid())
        window.resize(arguments.size);
    else if (!window.restoreGeometry(openSettings()->value(QStringLiteral("window/geometry")).toByteArray()))
        window.resize(1600, 1000);
    if (!arguments.screenshot.isEmpty() || arguments.quitAfterRun || !arguments.workspace.isEmpty())
        showAsked(window, arguments);
    if (!arguments.screenshot.isEmpty() || arguments.quitAfterRun)
        endWithoutResult(window, arguments);
    window.show();
    removeHalfWrittenFiles();
    const bool recovered = window.files().offerRecovery();
    takeUpWork(window, arguments);
    const auto tellOthers = [&window, &arguments] {
        if (const QStringList others = otherThan(window.document().file(), arguments.files); !others.isEmpty())
            window.showNotice(QCoreApplication::translate("fabricscope::MainWindow", "%1 was not opened: the recovered changes are on show. Save them, then open it.").arg(others.join(QStringLiteral(", "))));
    };
    replayAsked(window, arguments);
    if (!recovered)
        openFirst(window, arguments);
    else if (window.files().isReading())
        QObject::connect(&window.files(), &FileCommands::opened, &window, tellOthers, Qt::SingleShotConnection);
    else
        tellOthers();
    return QApplication::exec();
}
