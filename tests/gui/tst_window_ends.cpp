// Ends from outside: signals, the end of the session, a display that is not there. What was edited is kept, and what is wrong is said.
#include "app/desktop/endrequests.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "sourcedir.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/autosave.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>
#include <cstdio>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

const QString kEditedName = QStringLiteral("Edited a moment ago");
const QString kEditedProgram = QStringLiteral("-- edited a moment ago\n");

/// Many seconds for the event engine: computations last differently on every rank.
QByteArray longDesign()
{
    return "fabricscope: 1\nname: Long\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "    - {shape: ring, size: 16, bandwidth: 25 GB/s, latency: 1 us}\n"
           "workload:\n  steps:\n    - repeat: 400\n      steps:\n        - {compute: 10 us}\n        - {collective: all_reduce, size: 16 MiB}\n"
           "network: {jitter: {compute: {distribution: uniform, deviation: 0.01}}}\nmodel: {name: links}\n";
}

bool edit(MainWindow& window)
{
    const Status edited = window.document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", kEditedName.toStdString()); });
    test::part<ProgramWorkspace>(window).editor()->insertPlainText(kEditedProgram);
    return static_cast<bool>(edited);
}

/// The program as it is started, with an edit made and `situation` around it; says so on standard output.
int runChild(int argc, char** argv, const QByteArray& situation)
{
    QApplication application(argc, argv);
    MainWindow window;
    const EndRequests ends([&window] { window.keepForRecovery(); });
    window.show();
    if (situation == "run") {
        window.files().openText(longDesign(), QStringLiteral("long.yaml"));
    } else {
        window.files().openExample(QStringLiteral("two-level-hgx"));
    }
    window.setWorkspace(QStringLiteral("programs"));
    QTimer::singleShot(0, &window, [&] {
        if (!edit(window))
            QCoreApplication::exit(99);
        if (situation == "dialog")
            QTimer::singleShot(0, &window, [&window] { window.commands().action(QStringLiteral("help.about"))->trigger(); });
    });
    QTimer ready;
    QObject::connect(&ready, &QTimer::timeout, &window, [&] {
        const bool there = situation == "dialog" ? QApplication::activeModalWidget() != nullptr : situation == "run" ? window.runs().isBusy() : true;
        if (!window.document().isModified() || !there)
            return;
        ready.stop();
        std::puts("ready");
        std::fflush(stdout);
    });
    ready.start(5);
    return QApplication::exec();
}

} // namespace

class WindowEndsTest : public QObject
{
    Q_OBJECT

    /// Runs this program as a child that edits, and waits for the edit.
    static void startChild(QProcess& child, const QString& home, const QByteArray& situation)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FABRICSCOPE_HOME"), home);
        environment.insert(QStringLiteral("FABRICSCOPE_TEST_CHILD"), QString::fromLatin1(situation));
        child.setProcessEnvironment(environment);
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("tst_window_ends")});
        while (!child.readAllStandardOutput().contains("ready"))
            QVERIFY(child.waitForReadyRead(kLongMs));
    }

    static QString stateIn(const QString& home) { return QDir(home).filePath(QStringLiteral("state")); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void anEditOfAMomentAgoSurvivesASignal_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QByteArray>("situation");
        QTest::newRow("SIGTERM") << SIGTERM << QByteArray("idle");
        QTest::newRow("SIGHUP") << SIGHUP << QByteArray("idle");
        QTest::newRow("SIGINT") << SIGINT << QByteArray("idle");
        QTest::newRow("SIGTERM under a dialog") << SIGTERM << QByteArray("dialog");
        QTest::newRow("SIGTERM beside a run") << SIGTERM << QByteArray("run");
    }

    void anEditOfAMomentAgoSurvivesASignal()
    {
        QFETCH(int, signal);
        QFETCH(QByteArray, situation);
        const QTemporaryDir home;
        QProcess child;
        startChild(child, home.path(), situation);
        QVERIFY(Autosave::recoverable(stateIn(home.path())).empty());
        QCOMPARE(::kill(static_cast<pid_t>(child.processId()), signal), 0);
        QVERIFY(child.waitForFinished(kLongMs));
        QCOMPARE(child.exitStatus(), QProcess::NormalExit);
        QCOMPARE(child.exitCode(), EndRequests::kExitCode);

        const std::vector<Recoverable> designs = Autosave::recoverable(stateIn(home.path()));
        QCOMPARE(designs.size(), std::size_t{1});
        QVERIFY(designs[0].state.text.find(kEditedName.toStdString()) != std::string::npos);
        const std::vector<Recoverable> programs = Autosave::recoverable(QDir(stateIn(home.path())).filePath(QStringLiteral("programs")));
        QCOMPARE(programs.size(), std::size_t{1});
        QVERIFY(programs[0].state.text.find(kEditedProgram.toStdString()) != std::string::npos);

        // The next start offers both and shows them.
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        MainWindow window;
        QStringList questions;
        const auto open = [&questions](const QString& question) {
            questions.append(question);
            return QMessageBox::Open;
        };
        window.files().setDecide(open);
        test::part<ProgramWorkspace>(window).files()->setDecide(open);
        window.files().offerRecovery();
        test::part<ProgramWorkspace>(window).files()->offerRecovery();
        QCOMPARE(questions.size(), 2);
        QCOMPARE(QString::fromStdString(window.document().design()->name), kEditedName);
        QVERIFY(window.document().isModified());
        QVERIFY(test::part<ProgramWorkspace>(window).editor()->toPlainText().contains(kEditedProgram));
    }

    void anEditIsKeptWhenTheSessionEndsAndThenNothingIsAsked()
    {
        const QTemporaryDir home;
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        int asked = 0;
        const auto decide = [&asked](const QString&) {
            ++asked;
            return QMessageBox::Discard;
        };
        {
            MainWindow window;
            window.files().setDecide(decide);
            test::part<ProgramWorkspace>(window).files()->setDecide(decide);
            const EndRequests ends([&window] { window.keepForRecovery(); });
            QVERIFY(edit(window));
            // Nothing looks into the manager: making a real one takes a session.
            alignas(std::max_align_t) std::byte storage[256] = {};
            emit qGuiApp->commitDataRequest(reinterpret_cast<QSessionManager&>(storage));
            const auto files = QDir(stateIn(home.path())).entryList(QDir::Files);
            QCOMPARE(files.size(), 1);
            QVERIFY(window.close());
            QCOMPARE(asked, 0);
        }
        QCOMPARE(QDir(stateIn(home.path())).entryList(QDir::Files).size(), 1);
        QCOMPARE(QDir(stateIn(home.path()) + QStringLiteral("/programs")).entryList(QDir::Files).size(), 1);
    }

    void aSessionThatGoesOnAsksAgainAfterTheNextEdit()
    {
        const QTemporaryDir home;
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        int asked = 0;
        MainWindow window;
        window.files().setDecide([&asked](const QString&) {
            ++asked;
            return QMessageBox::Discard;
        });
        window.keepForRecovery();
        const Status edited = window.document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Later")); });
        QVERIFY(edited);
        QVERIFY(window.close());
        QCOMPARE(asked, 1);
        QCOMPARE(QDir(stateIn(home.path())).entryList(QDir::Files).size(), 0);
    }

    void openingAnotherDesignStillAsksAboutWhatWasKept()
    {
        const QTemporaryDir home;
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        int asked = 0;
        MainWindow window;
        window.files().setDecide([&asked](const QString&) {
            ++asked;
            return QMessageBox::Cancel;
        });
        QVERIFY(window.document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Mine")); }));
        window.keepForRecovery();
        window.files().openExample(QStringLiteral("two-level-hgx"));
        QCOMPARE(asked, 1);
        QCOMPARE(window.document().design()->name, std::string("Mine"));
    }

    void aDisplayThatCannotBeUsedIsSaid_data()
    {
        QTest::addColumn<QStringList>("environment");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const QStringList none;
        QTest::newRow("no display") << none << none << QStringLiteral("there is no display");
        QTest::newRow("empty") << QStringList{QStringLiteral("DISPLAY=")} << none << QStringLiteral("there is no display");
        QTest::newRow("no such server") << QStringList{QStringLiteral("DISPLAY=:7654")} << none << QStringLiteral(":7654");
        QTest::newRow("nonsense") << QStringList{QStringLiteral("DISPLAY=kitchen table")} << none << QStringLiteral("kitchen table");
        QTest::newRow("no such compositor") << QStringList{QStringLiteral("WAYLAND_DISPLAY=wayland-77")} << none << QStringLiteral("wayland-77");
        QTest::newRow("neither") << QStringList{QStringLiteral("WAYLAND_DISPLAY=wayland-77"), QStringLiteral("DISPLAY=:7654")} << none << QStringLiteral("wayland-77");
        QTest::newRow("asked for Wayland") << QStringList{QStringLiteral("QT_QPA_PLATFORM=wayland"), QStringLiteral("WAYLAND_DISPLAY=wayland-77")} << none << QStringLiteral("wayland");
        QTest::newRow("unknown platform") << QStringList{QStringLiteral("QT_QPA_PLATFORM=nonsense")} << none << QStringLiteral("nonsense");
        QTest::newRow("empty platform") << QStringList{QStringLiteral("QT_QPA_PLATFORM="), QStringLiteral("DISPLAY=:7654")} << none << QStringLiteral(":7654");
        QTest::newRow("unknown platform in the arguments") << QStringList{QStringLiteral("DISPLAY=:7654")} << QStringList{QStringLiteral("-platform"), QStringLiteral("nonsense")} << QStringLiteral("nonsense");
    }

    void aDisplayThatCannotBeUsedIsSaid()
    {
        QFETCH(QStringList, environment);
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const QTemporaryDir home;
        for (const bool runtimeFolder : {true, false}) {
            QProcessEnvironment set = QProcessEnvironment::systemEnvironment();
            for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"})
                set.remove(QString::fromLatin1(name));
            if (runtimeFolder)
                set.insert(QStringLiteral("XDG_RUNTIME_DIR"), home.path());
            for (const QString& each : environment)
                set.insert(each.section(QLatin1Char('='), 0, 0), each.section(QLatin1Char('='), 1));
            set.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
            QProcess program;
            program.setProcessEnvironment(set);
            program.start(QStringLiteral(FABRICSCOPE_WINDOW), arguments);
            QVERIFY(program.waitForFinished(kLongMs));
            const QString error = QString::fromUtf8(program.readAllStandardError());
            QCOMPARE(program.exitStatus(), QProcess::NormalExit);
            QVERIFY2(program.exitCode() == 2, qPrintable(error));
            QVERIFY2(error.startsWith(QStringLiteral("error: ")) && error.count(QLatin1Char('\n')) == 1, qPrintable(error));
            QVERIFY2(error.contains(says), qPrintable(error));
            QVERIFY2(error.contains(QStringLiteral("fabricscope-cli")), qPrintable(error));
        }
    }

    /// As a reader types them, with what they speak of in the folder; those that open the window end once the result is on show.
    void everyExampleOfTheManualPageRuns()
    {
        QFile page(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/packaging/man/fabricscope.1"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QTemporaryDir home;
        const auto write = [&home](const char* name, const QByteArray& text) {
            QFile file(home.filePath(QString::fromUtf8(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        write("network.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
        write("system.json", "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4, \"all-reduce-implementation\": [\"ring\"],"
                             " \"all-gather-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"], \"all-to-all-implementation\": [\"ring\"],"
                             " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600}");
        write("memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
        write("pod.yaml", "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QVERIFY(QDir(home.path()).mkdir(QStringLiteral("traces")));
        for (int rank = 0; rank < 4; ++rank) {
            auto writer = EtWriter::create(home.filePath(QStringLiteral("traces/step.%1.et").arg(rank)).toStdString(), {"0.0.4", {}});
            QVERIFY(writer && writer.value().add(test::compNode(1, 3)) && writer.value().add(test::collNode(2, EtCommType::AllReduce, 1 << 20, {1})) && writer.value().finish());
        }
        QProcessEnvironment set = QProcessEnvironment::systemEnvironment();
        set.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        int ran = 0;
        for (QString line : QString::fromUtf8(page.readAll()).section(QStringLiteral(".SH EXAMPLES"), 1).split(QLatin1Char('\n'))) {
            if (!line.startsWith(QStringLiteral(".B fabricscope ")))
                continue;
            ++ran;
            line.replace(QStringLiteral("\\-"), QStringLiteral("-")).replace(QStringLiteral("/usr/share/fabricscope/"), QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/"));
            QStringList words = line.split(QLatin1Char(' ')).mid(2);
            const bool report = words.front() == QStringLiteral("--export-report");
            if (!report)
                words << QStringLiteral("--quit-after-run") << QStringLiteral("--screenshot") << home.filePath(QStringLiteral("seen.png"));
            QProcess program;
            program.setProcessEnvironment(set);
            program.setWorkingDirectory(home.path());
            program.start(QStringLiteral(FABRICSCOPE_WINDOW), words);
            QVERIFY2(program.waitForFinished(kLongMs), qPrintable(line));
            QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0, qPrintable(line + QLatin1Char('\n') + QString::fromUtf8(program.readAllStandardError())));
            const QString made = home.filePath(report ? words[1] : QStringLiteral("seen.png"));
            QVERIFY2(QFileInfo(made).size() > 1000, qPrintable(line));
            QVERIFY(QFile::remove(made));
        }
        QVERIFY(ran >= 3);
    }

    void aPictureOfWhatCannotRunEndsWithItsName_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("not there") << QByteArray() << QByteArray("design.yaml");
        QTest::newRow("a size below 0") << QByteArray("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: -4, bandwidth: 50 GB/s, latency: 1 us}\n") << QByteArray("design.yaml:4");
        QTest::newRow("no YAML") << QByteArray("fabricscope: [1\n") << QByteArray("design.yaml:");
    }

    void aPictureOfWhatCannotRunEndsWithItsName()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, said);
        const QTemporaryDir home;
        if (QFile design(home.filePath(QStringLiteral("design.yaml"))); !text.isEmpty())
            QVERIFY(design.open(QIODevice::WriteOnly) && design.write(text) == text.size());
        QProcessEnvironment set = QProcessEnvironment::systemEnvironment();
        set.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        for (const QStringList& words : {QStringList{QStringLiteral("--screenshot"), home.filePath(QStringLiteral("seen.png"))}, QStringList{QStringLiteral("--quit-after-run")}}) {
            QProcess program;
            program.setProcessEnvironment(set);
            program.setWorkingDirectory(home.path());
            program.start(QStringLiteral(FABRICSCOPE_WINDOW), words + QStringList{QStringLiteral("design.yaml")});
            QVERIFY(program.waitForFinished(kLongMs));
            const QByteArray error = program.readAllStandardError();
            QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 2 && error.contains(said), error.constData());
        }
        QVERIFY(!QFileInfo::exists(home.filePath(QStringLiteral("seen.png"))));
    }

    void aSecondDesignThatCannotRunEndsWithItsName()
    {
        const QTemporaryDir home;
        const QByteArray good = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        const auto write = [&home](const char* name, const QByteArray& text) {
            QFile file(home.filePath(QString::fromUtf8(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        };
        write("a.yaml", good);
        write("b.yaml", QByteArray(good).replace("50 GB/s", "25 GB/s"));
        write("broken.yaml", QByteArray(good).replace("Ring(4)", "Ring(-4)"));
        QProcessEnvironment set = QProcessEnvironment::systemEnvironment();
        set.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        for (const QString& second : {QStringLiteral("b.yaml"), QStringLiteral("broken.yaml")}) {
            for (const QStringList& words : {QStringList{}, QStringList{QStringLiteral("--workspace"), QStringLiteral("compare")}}) {
                QProcess program;
                program.setProcessEnvironment(set);
                program.setWorkingDirectory(home.path());
                program.start(QStringLiteral(FABRICSCOPE_WINDOW), words + QStringList{QStringLiteral("--quit-after-run"), QStringLiteral("a.yaml"), second});
                QVERIFY(program.waitForFinished(kLongMs));
                const QByteArray error = program.readAllStandardError();
                const bool broken = second == QStringLiteral("broken.yaml");
                QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == (broken ? 2 : 0) && error.contains("broken.yaml") == broken, error.constData());
            }
        }
    }

    void withoutARuntimeFolderTheWindowStillOpens()
    {
        const QTemporaryDir home;
        QProcessEnvironment set = QProcessEnvironment::systemEnvironment();
        set.remove(QStringLiteral("XDG_RUNTIME_DIR"));
        set.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        QProcess program;
        program.setProcessEnvironment(set);
        program.start(QStringLiteral(FABRICSCOPE_WINDOW), {QStringLiteral("--example"), QStringLiteral("--quit-after-run")});
        QVERIFY(program.waitForFinished(kLongMs));
        QVERIFY2(program.exitCode() == 0, program.readAllStandardError());
    }
};

static int begin(int argc, char** argv)
{
    if (const QByteArray situation = qgetenv("FABRICSCOPE_TEST_CHILD"); !situation.isEmpty())
        return runChild(argc, argv, situation);
    return fabricscope::test::runTest<WindowEndsTest, QApplication>(argc, argv);
}

FABRICSCOPE_TEST_BEGINS(begin)

#include "tst_window_ends.moc"
