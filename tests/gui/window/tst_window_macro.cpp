// Macros: what is done in the window is written down, read back, and done again.
#include "app/desktop/macro/logplayer.h"
#include "app/desktop/macro/logrecorder.h"
#include "app/desktop/macro/recordcommands.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kMacroMs = 60'000;

YamlDocument yamlOf(const std::string& text)
{
    auto read = YamlDocument::parse(text);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    return std::move(read).value();
}

} // namespace

class WindowMacroTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    /// What was asked for is read, has run, and is laid out.
    bool rests()
    {
        return QTest::qWaitFor([this] { return m_window->isAtRest(); }, kMacroMs) && settles(*m_window, kMacroMs);
    }

    /// The example as it comes, in Explore.
    void begin()
    {
        m_window->setWorkspace(QStringLiteral("explore"));
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QVERIFY(rests());
    }

    /// Does a command as a click does: what follows happens in a later turn of the events.
    void command(const char* id)
    {
        m_window->commands().action(QString::fromLatin1(id))->trigger();
        QCoreApplication::processEvents();
    }

    void setField(const char* field, const char* value)
    {
        QVERIFY(m_window->document().edit(QString::fromLatin1(field), [&](YamlDocument& yaml) { return yaml.set(field, std::string(value)); }));
    }

    /// Empty: it was done to its end.
    QString replay(const std::string& text)
    {
        const Result<ActionLog> log = readActionLog(text, m_home.filePath(QStringLiteral("macro.yaml")).toStdString());
        if (!log)
            return QString::fromStdString(log.error().text());
        LogPlayer& player = m_window->macros().player();
        const QSignalSpy ended(&player, &LogPlayer::ended);
        QString problem = QStringLiteral("it never ended");
        const auto heard = connect(&player, &LogPlayer::failed, this, [&problem](const Error& error) { problem = QString::fromStdString(error.text()); });
        player.start(log.value());
        if (QTest::qWaitFor([&] { return !player.isPlaying(); }, kMacroMs) && ended.size() == 1)
            problem.clear();
        disconnect(heard);
        return problem;
    }

private slots:
    void initTestCase()
    {
        useOwnHome(m_home);
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanupTestCase() { m_window.reset(); }

    void A13_whatIsDoneIsWrittenDownAndDoneAgain()
    {
        begin();
        QAction* const record = m_window->commands().action(QStringLiteral("macro.record"));
        record->trigger();
        QVERIFY(m_window->macros().recorder().isRecording());
        const QWidget& sign = *m_window->findChild<QLabel*>(QStringLiteral("recording"));
        QVERIFY(sign.isVisible());
        command("view.draw");
        setField("platform.dimensions[1].bandwidth", "30 GB/s");
        setField("platform.dimensions[1].bandwidth", "40 GB/s"); // As a slider does on its way.
        command("design.addDimension");
        command("edit.undo");
        setField("collectives.default.chunks", "16");
        command("view.step");
        const std::string text = m_window->document().text();
        const std::string macro = actionLogText(m_window->macros().recorder().stop(), {});
        QVERIFY2(QByteArray::fromStdString(macro).startsWith("fabricscope: 1\nmacro:\n    - command: view.draw\n      on: true\n    - set: platform.dimensions[1].bandwidth\n      to: 40 GB/s\n"), macro.c_str());
        QVERIFY2(QByteArray::fromStdString(macro).endsWith("    - set: collectives.default.chunks\n      to: 16\n    - command: view.step\n      on: true\n"), macro.c_str());
        QVERIFY2(macro.find("addDimension") == std::string::npos && macro.find("undo") == std::string::npos, macro.c_str()); // What they changed stands there.

        record->setChecked(false);
        QVERIFY(!sign.isVisible());
        begin();
        QVERIFY(m_window->document().text() != text);
        QCOMPARE(replay(macro), QString());
        QCOMPARE(m_window->document().text(), text);
        QCOMPARE(m_window->workspace(), QStringLiteral("step"));
        // Every change is one step of undo, and the same macro once more changes nothing.
        QCOMPARE(replay(macro), QString());
        QCOMPARE(m_window->document().text(), text);
        while (m_window->document().undoStack().canUndo())
            m_window->document().undoStack().undo();
        QVERIFY(!m_window->document().isModified());
    }

    void A13_designsThatAreOpenedArePartOfIt()
    {
        begin();
        const QString path = m_home.filePath(QStringLiteral("ring.yaml"));
        const QByteArray ring = "fabricscope: 1\nplatform: {topology: Ring(4), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(ring) == ring.size());
        file.close();
        LogRecorder& recorder = m_window->macros().recorder();
        recorder.start();
        m_window->files().openPaths({path});
        QVERIFY(rests());
        QVERIFY(m_window->files().openText("fabricscope: 1 # a tab\t\"quoted\"\n", QStringLiteral("new.yaml")));
        QVERIFY(m_window->document().editText(QStringLiteral("typed"), "no: [yaml\n"));
        const std::string macro = actionLogText(recorder.stop(), m_home.path().toStdString());
        QCOMPARE(QByteArray::fromStdString(macro), QByteArray("fabricscope: 1\nmacro:\n    - open: ring.yaml\n    - design: new.yaml\n      text: |\n        no: [yaml\n"));

        begin();
        QCOMPARE(replay("fabricscope: 1\nmacro: [{open: ring.yaml}]"), QString());
        QVERIFY(rests());
        QCOMPARE(QByteArray::fromStdString(m_window->document().text()), ring);
        QCOMPARE(replay(macro), QString());
        QCOMPARE(m_window->document().text(), std::string("no: [yaml\n"));
        QCOMPARE(m_window->document().displayName(), QStringLiteral("new.yaml"));
    }

    void A13_whatCannotBeDoneIsSaidWithItsPlace()
    {
        begin();
        const std::string text = m_window->document().text();
        const std::pair<const char*, const char*> cases[] = {
            {"[{command: view.nowhere}]", "macro.yaml:2:9, macro[0]: there is no command \"view.nowhere\""},
            {"[{command: edit.undo}]", "\"Undo\" cannot be done now"},
            {"[{to: 4}]", "a step does nothing"},
            {"[{comand: view.step}]", "unknown key \"comand\""},
            {"[{set: platform.topology}]", "macro[0]: \"to\" is missing"},
            {"[{set: 'platform..x', to: 1}]", "macro[0].set"},
            {"[{remove: platform.nothing}]", "macro.yaml:2:9, macro[0]"},
            {"4", "macro.yaml:2:"},
        };
        for (const auto& [steps, said] : cases) {
            const QString problem = replay(std::string("fabricscope: 1\nmacro: ") + steps + "\n");
            QVERIFY2(problem.contains(QString::fromUtf8(said)), qPrintable(problem));
            QCOMPARE(m_window->document().text(), text);
        }
    }

    void A13_stepsLeadFromOneTreeToTheOther()
    {
        const YamlDocument before = yamlOf("a: 1\nb: {c: [1, {d: 2}], e: x}\nf: 3\n");
        const auto steps = fieldSteps(before, yamlOf("a: 1\nb: {c: [1, {d: 5}]}\nf: [3, 4]\ng: {h: 1}\n"), 8);
        QVERIFY(steps && steps->size() == 4);
        const auto is = [&](std::size_t i, ActionStep::Kind kind, const char* what) { return (*steps)[i].kind == kind && (*steps)[i].what == what; };
        QVERIFY(is(0, ActionStep::Kind::Set, "b.c[1].d") && is(1, ActionStep::Kind::Remove, "b.e") && is(2, ActionStep::Kind::Set, "f") && is(3, ActionStep::Kind::Set, "g"));
        const auto lists = fieldSteps(yamlOf("a: [1, 2, 3, 4]\nb: [x]\n"), yamlOf("a: [1, 5]\nb: [x, {y: 1}]\n"), 8);
        QVERIFY(lists && lists->size() == 4);
        QVERIFY((*lists)[0].what == "a[1]" && (*lists)[1].what == "a[3]" && (*lists)[2].what == "a[2]" && (*lists)[3].what == "b[1]");
        QVERIFY(!fieldSteps(before, yamlOf("a: 2\nb: {c: [1, {d: 5}]}\nf: 4\ng: 1\n"), 4)); // Five changes.
        QVERIFY(!fieldSteps(before, yamlOf("f: 3\nb: {c: [1, {d: 2}], e: x}\na: 1\n"), 8)); // Another order.
        QVERIFY(!fieldSteps(before, yamlOf("a: 1\nb: {c: [1, {d: 2}], e: x}\nf: 3\nx.y: 1\n"), 8)); // No path names this key.
        QVERIFY(fieldSteps(before, before, 0)->empty());
    }

    void A13_theProgramTakesAMacroWithIt()
    {
        QFile macro(m_home.filePath(QStringLiteral("wrong.yaml")));
        QVERIFY(macro.open(QIODevice::WriteOnly) && macro.write("fabricscope: 1\nmacro:\n  - comand: view.step\n") > 0);
        macro.close();
        QProcess program;
        program.start(QStringLiteral(FABRICSCOPE_WINDOW), {QStringLiteral("--example"), QStringLiteral("--quit-after-run"), QStringLiteral("--replay"), macro.fileName()});
        QVERIFY(program.waitForFinished(kMacroMs));
        const QByteArray error = program.readAllStandardError();
        QVERIFY2(program.exitCode() == 2 && error.contains("wrong.yaml:3:") && error.contains("comand"), error.constData());
    }
};

FABRICSCOPE_GUI_TEST(WindowMacroTest)
#include "tst_window_macro.moc"
