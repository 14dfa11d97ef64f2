// What becomes of a design's file while the window has it: changed by others, gone, open in two windows, recovered. Files and processes are real.
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "core/base/files/temporaryname.h"
#include "tests/gui/support/named.h"
#include "widgets/base/files/autosave.h"
#include "widgets/base/files/openfiles.h"
#include "widgets/base/files/sharedfile.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QTemporaryDir>

#include <ctime>
#include <sys/time.h>
#include <unistd.h>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

const char* const kDesign = "fabricscope: 1\nname: Pod\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                            "workload:\n  collective: all_reduce\n  size: 1 MiB\nmodel: {name: links}\n";

void put(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

QByteArray content(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(not there)");
}

QByteArray changedDesign(const char* rate)
{
    return QByteArray(kDesign).replace("50 GB/s", rate);
}

} // namespace

class WindowFilesTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<MainWindow> m_window;
    QString m_file;
    QStringList m_asked;
    QList<int> m_answers; ///< To the questions to come.
    QList<Error> m_errors;

    FileCommands& files() { return m_window->files(); }
    DesignDocument& document() { return m_window->document(); }

    std::unique_ptr<MainWindow> makeWindow()
    {
        auto window = std::make_unique<MainWindow>();
        window->files().setDecide([this](const QString& question) {
            m_asked.append(question);
            return m_answers.isEmpty() ? static_cast<int>(QMessageBox::Cancel) : m_answers.takeFirst();
        });
        test::part<ProgramWorkspace>(*window).files()->setDecide([this](const QString& question) {
            m_asked.append(question);
            // What a test leaves behind may go.
            return m_answers.isEmpty() ? static_cast<int>(QMessageBox::Discard) : m_answers.takeFirst();
        });
        connect(&window->files(), &FileCommands::failed, this, [this](const Error& error) { m_errors.append(error); });
        window->resize(1280, 800);
        window->show();
        return window;
    }
    QString programPath() const { return m_home->filePath(QStringLiteral("ring.lua")); }
    ProgramFiles& openProgram(MainWindow& window)
    {
        put(programPath(), "-- mine\n");
        QTest::qVerify(test::part<ProgramWorkspace>(window).files()->open(programPath()), "the program opens", "", __FILE__, __LINE__);
        return *test::part<ProgramWorkspace>(window).files();
    }
    /// Another process that has the file of this test open.
    bool openElsewhere(QProcess& other) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        other.setProcessEnvironment(environment);
        other.start(QStringLiteral(FABRICSCOPE_WINDOW), {m_file});
        const OpenFiles seen;
        return other.waitForStarted() && QTest::qWaitFor([&] { return seen.others(m_file).size() == 1; }, kLongMs);
    }
    void open(MainWindow& window, const QString& path)
    {
        QSignalSpy opened(&window.files(), &FileCommands::opened);
        window.files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(opened.count() == 1, kLongMs);
    }
    void edit(const char* rate)
    {
        QVERIFY(document().edit(QString::fromLatin1(rate), [&](YamlDocument& yaml) { return yaml.set("platform.dimensions[0].bandwidth", std::string(rate)); }));
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void init()
    {
        m_home = std::make_unique<QTemporaryDir>();
        qputenv("FABRICSCOPE_HOME", m_home->path().toUtf8());
        m_file = m_home->filePath(QStringLiteral("pod.yaml"));
        put(m_file, kDesign);
        m_asked.clear();
        m_answers.clear();
        m_errors.clear();
        m_window = makeWindow();
        open(*m_window, m_file);
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void aFileNobodyTouchedIsSavedWithoutAQuestion()
    {
        edit("60 GB/s");
        // New times say nothing: the bytes are the same.
        put(m_file, kDesign);
        QVERIFY(files().save());
        QCOMPARE(m_asked, QStringList());
        QCOMPARE(content(m_file), changedDesign("60 GB/s"));
        QVERIFY(!document().isModified());
        edit("70 GB/s");
        QVERIFY(files().save());
        QCOMPARE(m_asked, QStringList());
    }

    void aFileChangedOnDiskIsNotOverwrittenUnasked_data()
    {
        QTest::addColumn<int>("answer");
        QTest::addColumn<QByteArray>("onDisk");
        QTest::addColumn<QByteArray>("here");
        QTest::addColumn<bool>("modified");
        const QByteArray mine = changedDesign("60 GB/s");
        const QByteArray theirs = changedDesign("99 GB/s");
        QTest::newRow("cancel") << static_cast<int>(QMessageBox::Cancel) << theirs << mine << true;
        QTest::newRow("overwrite") << static_cast<int>(QMessageBox::Save) << mine << mine << false;
        QTest::newRow("reload") << static_cast<int>(QMessageBox::Reset) << theirs << theirs << false;
        QTest::newRow("elsewhere") << static_cast<int>(QMessageBox::SaveAll) << theirs << mine << false;
    }

    void aFileChangedOnDiskIsNotOverwrittenUnasked()
    {
        QFETCH(int, answer);
        QFETCH(QByteArray, onDisk);
        QFETCH(QByteArray, here);
        QFETCH(bool, modified);
        const QString elsewhere = m_home->filePath(QStringLiteral("mine.yaml"));
        files().setChooseFile([elsewhere] { return elsewhere; });
        edit("60 GB/s");
        put(m_file, changedDesign("99 GB/s")); // As long as before, perhaps within the same tick of the clock.
        m_answers = {answer};
        files().save();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked.front().contains(QStringLiteral("pod.yaml has changed on disk")), qPrintable(m_asked.front()));
        QCOMPARE(content(m_file), onDisk);
        QCOMPARE(QByteArray::fromStdString(document().text()), here);
        QCOMPARE(document().isModified(), modified);
        if (answer == QMessageBox::SaveAll) {
            QCOMPARE(content(elsewhere), here);
            QCOMPARE(document().file(), elsewhere);
        }
        if (answer == QMessageBox::Reset) { // My changes are one undo away.
            document().undoStack().undo();
            QCOMPARE(QByteArray::fromStdString(document().text()), changedDesign("60 GB/s"));
            QVERIFY(document().isModified());
        }
    }

    void aChangeIsNoticedWhenItHappens()
    {
        put(m_file, changedDesign("99 GB/s"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isVisible(), kLongMs);
        QVERIFY2(m_window->line().text().contains(QStringLiteral("pod.yaml</b> has changed on disk")), qPrintable(m_window->line().text()));
        QCOMPARE(m_window->line().severity(), Severity::Warning);
        // Kept: not mentioned again for the same content.
        emit const_cast<HintLine&>(m_window->line()).linkActivated(QStringLiteral("design:keep"));
        QVERIFY(!m_window->line().isVisible());
        QSignalSpy told(&files().shared(), &SharedFile::diskChanged);
        files().shared().check();
        QCOMPARE(told.count(), 0);
        put(m_file, changedDesign("88 GB/s"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isVisible(), kLongMs);
        emit const_cast<HintLine&>(m_window->line()).linkActivated(QStringLiteral("design:reload"));
        QCOMPARE(QByteArray::fromStdString(document().text()), changedDesign("88 GB/s"));
        QVERIFY(!document().isModified());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->line().isVisible(), kLongMs);
        QCOMPARE(m_asked, QStringList());
    }

    void aFileReplacedByARenameIsNoticedTwice()
    {
        for (const char* rate : {"77 GB/s", "66 GB/s"}) {
            const QString temporary = m_home->filePath(QStringLiteral("other"));
            put(temporary, changedDesign(rate));
            QVERIFY(::rename(QFile::encodeName(temporary).constData(), QFile::encodeName(m_file).constData()) == 0);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isVisible(), kLongMs);
            files().shared().keepMine();
            QVERIFY(!m_window->line().isVisible());
        }
    }

    void aDeletedFileMakesTheDocumentTheOnlyCopy()
    {
        QVERIFY(QFile::remove(m_file));
        QTRY_VERIFY_WITH_TIMEOUT(document().isModified(), kLongMs);
        QVERIFY(m_window->line().text().contains(QStringLiteral("was deleted or moved")));
        m_answers = {QMessageBox::Cancel};
        QVERIFY(!files().mayClose());
        QVERIFY(m_asked.front().contains(QStringLiteral("unsaved changes")));
        m_asked.clear();
        m_answers = {QMessageBox::Save};
        QVERIFY(files().save());
        QVERIFY(m_asked.front().contains(QStringLiteral("was deleted or moved")));
        QCOMPARE(content(m_file), QByteArray(kDesign));
        QVERIFY(!document().isModified());
        // There again by another hand: nothing is amiss.
        QVERIFY(QFile::remove(m_file));
        QTRY_VERIFY_WITH_TIMEOUT(document().isModified(), kLongMs);
        put(m_file, kDesign);
        QTRY_VERIFY_WITH_TIMEOUT(!document().isModified(), kLongMs);
    }

    void aPipeInItsPlaceStopsNothing()
    {
        QVERIFY(QFile::remove(m_file));
        QCOMPARE(QProcess::execute(QStringLiteral("mkfifo"), {m_file}), 0);
        files().shared().check(); // Would wait for a writer for ever.
        QCOMPARE(files().shared().diskState(), DiskState::NotAFile);
        QVERIFY(document().isModified());
        edit("60 GB/s");
        m_answers = {QMessageBox::Cancel};
        QVERIFY(!files().save());
        QVERIFY(m_asked.front().contains(QStringLiteral("no ordinary file")));
    }

    void aFailedSaveKeepsTheChangesAndSaysWhy()
    {
        edit("60 GB/s");
        const QString folder = m_home->filePath(QStringLiteral("missing/deeper.yaml"));
        files().setChooseFile([folder] { return folder; });
        QVERIFY(!files().saveAs());
        QCOMPARE(m_errors.size(), 1);
        QVERIFY(QString::fromStdString(m_errors.front().text()).contains(QStringLiteral("Not saved")));
        QVERIFY(document().isModified());
        QCOMPARE(document().file(), m_file);
        QVERIFY(m_window->line().isVisible());
        QCOMPARE(m_window->line().severity(), Severity::Error);
        // Once it is saved there is nothing wrong any more.
        QVERIFY(files().save());
        QVERIFY(!m_window->line().isVisible());
    }

    void twoWindowsOnOneFileKnowOfEachOther_data()
    {
        QTest::addColumn<int>("answer");
        QTest::newRow("cancel") << static_cast<int>(QMessageBox::Cancel);
        QTest::newRow("read-only") << static_cast<int>(QMessageBox::Open);
        QTest::newRow("copy") << static_cast<int>(QMessageBox::Apply);
    }

    void twoWindowsOnOneFileKnowOfEachOther()
    {
        QFETCH(int, answer);
        auto second = makeWindow();
        // By another name of the same file.
        const QString link = m_home->filePath(QStringLiteral("link.yaml"));
        QVERIFY(QFile::link(m_file, link));
        m_answers = {answer};
        QSignalSpy opened(&second->files(), &FileCommands::opened);
        second->files().openPaths({link});
        QTRY_COMPARE_WITH_TIMEOUT(m_asked.size(), 1, kLongMs);
        QVERIFY(m_asked.front().contains(QStringLiteral("open in another window")));
        QCOMPARE(second->files().isReading() || !opened.isEmpty(), answer != QMessageBox::Cancel);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), answer == QMessageBox::Cancel ? 0 : 1, kLongMs);
        m_asked.clear();
        if (answer == QMessageBox::Apply) {
            QVERIFY(!second->document().hasFile());
            QCOMPARE(second->document().displayName(), QStringLiteral("link copy.yaml"));
            QCOMPARE(second->document().text(), std::string(kDesign));
            QVERIFY(!second->files().shared().isReadOnly());
        }
        if (answer != QMessageBox::Open)
            return;
        QVERIFY(second->files().shared().isReadOnly());
        QTRY_COMPARE_WITH_TIMEOUT(files().shared().openElsewhere(), 1, kLongMs);
        // Saving there asks, and goes elsewhere.
        const QString mine = m_home->filePath(QStringLiteral("mine.yaml"));
        second->files().setChooseFile([mine] { return mine; });
        QVERIFY(second->document().edit(QStringLiteral("x"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Second")); }));
        m_answers = {QMessageBox::SaveAll};
        QVERIFY(second->files().save());
        QVERIFY(m_asked.front().contains(QStringLiteral("open in another window")));
        QCOMPARE(content(m_file), QByteArray(kDesign));
        QVERIFY(content(mine).contains("Second"));
        QVERIFY(!second->files().shared().isReadOnly());
        QTRY_COMPARE_WITH_TIMEOUT(files().shared().openElsewhere(), 0, kLongMs);
        // The first window saves its own as ever.
        m_asked.clear();
        edit("60 GB/s");
        QVERIFY(files().save());
        QCOMPARE(m_asked, QStringList());
    }

    void anotherProcessCountsUntilItIsGone()
    {
        m_window.reset();
        QProcess other;
        QVERIFY(openElsewhere(other));
        QCOMPARE(OpenFiles().others(m_file).front().process, other.processId());

        m_window = makeWindow();
        m_answers = {QMessageBox::Open};
        open(*m_window, m_file);
        QCOMPARE(m_asked.size(), 1);
        QVERIFY(m_asked.front().contains(QString::number(other.processId())));
        QVERIFY(files().shared().isReadOnly());
        // Killed: what it left behind counts for nothing.
        other.kill();
        QVERIFY(other.waitForFinished());
        m_asked.clear();
        edit("60 GB/s");
        QVERIFY(files().save());
        QCOMPARE(m_asked, QStringList());
        QVERIFY(!files().shared().isReadOnly());
        QCOMPARE(content(m_file), changedDesign("60 GB/s"));
    }

    void recoveredChangesAreNotAskedAboutAgain_data()
    {
        QTest::addColumn<QByteArray>("comment");
        QTest::newRow("small") << QByteArray();
        QTest::newRow("read on another thread") << QByteArray("# what nobody reads\n").repeated(20'000);
    }

    void recoveredChangesAreNotAskedAboutAgain()
    {
        QFETCH(QByteArray, comment);
        const QByteArray changed = changedDesign("60 GB/s") + comment;
        const QByteArray saved = content(m_file);
        m_window.reset();
        // A program that was killed with unsaved changes.
        QProcess other;
        QVERIFY(openElsewhere(other));
        const qint64 process = other.processId();
        other.kill();
        QVERIFY(other.waitForFinished());
        QVERIFY(QDir().mkpath(stateFolder()));
        put(QDir(stateFolder()).filePath(QStringLiteral("autosave-%1-1.side").arg(process)),
            QByteArray("{\"fabricscope_autosave\":1,\"process\":") + QByteArray::number(process) + ",\"started\":\"1\",\"saved\":\"2026-01-01T00:00:00.000Z\",\"path\":\"" + m_file.toUtf8()
                + "\",\"name\":\"pod.yaml\",\"folder\":\"" + m_home->path().toUtf8() + "\"}\n" + changed);

        m_window = makeWindow();
        m_answers = {QMessageBox::Open};
        QVERIFY(files().offerRecovery());
        QCOMPARE(files().isReading(), !comment.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!files().isReading(), kLongMs);
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(document().file(), m_file);
        QCOMPARE(document().displayName(), QStringLiteral("pod.yaml"));
        QCOMPARE(QByteArray::fromStdString(document().text()), changed);
        QVERIFY(document().isModified());
        QVERIFY(m_window->windowTitle().contains(QStringLiteral("pod.yaml")));
        QVERIFY(m_window->windowTitle().startsWith(QLatin1Char('*')));
        document().undoStack().undo();
        QCOMPARE(QByteArray::fromStdString(document().text()), saved);
        document().undoStack().redo();
        // Saving asks nothing, and then nothing is left to be asked about.
        QVERIFY(files().save());
        QVERIFY(files().mayClose());
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(content(m_file), changed);
        m_window.reset();
        QVERIFY(Autosave::recoverable().empty());
    }

    void aProgramChangedOnDiskIsNotOverwrittenUnasked_data()
    {
        QTest::addColumn<int>("answer");
        QTest::addColumn<QByteArray>("onDisk");
        QTest::addColumn<QByteArray>("here");
        QTest::addColumn<bool>("modified");
        QTest::newRow("cancel") << static_cast<int>(QMessageBox::Cancel) << QByteArray("-- theirs\n") << QByteArray("-- more\n-- mine\n") << true;
        QTest::newRow("overwrite") << static_cast<int>(QMessageBox::Save) << QByteArray("-- more\n-- mine\n") << QByteArray("-- more\n-- mine\n") << false;
        QTest::newRow("reload") << static_cast<int>(QMessageBox::Reset) << QByteArray("-- theirs\n") << QByteArray("-- theirs\n") << false;
        QTest::newRow("elsewhere") << static_cast<int>(QMessageBox::SaveAll) << QByteArray("-- theirs\n") << QByteArray("-- more\n-- mine\n") << false;
    }

    void aProgramChangedOnDiskIsNotOverwrittenUnasked()
    {
        QFETCH(int, answer);
        QFETCH(QByteArray, onDisk);
        QFETCH(QByteArray, here);
        QFETCH(bool, modified);
        ProgramFiles& programs = openProgram(*m_window);
        const QString elsewhere = m_home->filePath(QStringLiteral("mine.lua"));
        programs.setChooseFile([elsewhere] { return elsewhere; });
        // What nobody touched is saved without a question.
        QVERIFY(programs.save());
        QCOMPARE(m_asked, QStringList());
        test::part<ProgramWorkspace>(*m_window).editor()->insertPlainText(QStringLiteral("-- more\n"));
        put(programPath(), "-- theirs\n");
        m_answers = {answer};
        programs.save();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked.front().contains(QStringLiteral("ring.lua has changed on disk")), qPrintable(m_asked.front()));
        QCOMPARE(content(programPath()), onDisk);
        QCOMPARE(test::part<ProgramWorkspace>(*m_window).editor()->toPlainText().toUtf8(), here);
        QCOMPARE(programs.isModified(), modified);
        if (answer == QMessageBox::SaveAll)
            QCOMPARE(content(elsewhere), here);
        if (answer == QMessageBox::Reset) { // My changes are one undo away.
            test::part<ProgramWorkspace>(*m_window).editor()->undo();
            QCOMPARE(test::part<ProgramWorkspace>(*m_window).editor()->toPlainText(), QStringLiteral("-- more\n-- mine\n"));
        }
    }

    void aChangedProgramIsNoticedWhenItHappens()
    {
        ProgramFiles& programs = openProgram(*m_window);
        put(programPath(), "-- theirs\n");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isVisible(), kLongMs);
        QVERIFY2(m_window->line().text().contains(QStringLiteral("ring.lua</b> has changed on disk")), qPrintable(m_window->line().text()));
        emit const_cast<HintLine&>(m_window->line()).linkActivated(QStringLiteral("program:keep"));
        QVERIFY(!m_window->line().isVisible());
        put(programPath(), "-- theirs again\n");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isVisible(), kLongMs);
        emit const_cast<HintLine&>(m_window->line()).linkActivated(QStringLiteral("program:reload"));
        QCOMPARE(test::part<ProgramWorkspace>(*m_window).editor()->toPlainText(), QStringLiteral("-- theirs again\n"));
        QVERIFY(!programs.isModified());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->line().isVisible(), kLongMs);
        QVERIFY(QFile::remove(programPath()));
        QTRY_VERIFY_WITH_TIMEOUT(programs.isModified(), kLongMs);
        QVERIFY(m_window->line().text().contains(QStringLiteral("was deleted or moved")));
        // Another program is another file.
        QVERIFY(programs.showText(QStringLiteral("-- new\n"), QStringLiteral("new.lua")));
        QVERIFY(!m_window->line().isVisible());
        QCOMPARE(m_asked.size(), 1);
        QVERIFY(m_asked.front().contains(QStringLiteral("unsaved changes")));
    }

    void twoWindowsOnOneProgramKnowOfEachOther_data() { twoWindowsOnOneFileKnowOfEachOther_data(); }

    void twoWindowsOnOneProgramKnowOfEachOther()
    {
        QFETCH(int, answer);
        ProgramFiles& first = openProgram(*m_window);
        auto second = makeWindow();
        const QString link = m_home->filePath(QStringLiteral("link.lua"));
        QVERIFY(QFile::link(programPath(), link));
        ProgramFiles& programs = *test::part<ProgramWorkspace>(*second).files();
        m_answers = {answer};
        QCOMPARE(programs.open(link), answer != QMessageBox::Cancel);
        QCOMPARE(m_asked.size(), 1);
        QVERIFY(m_asked.front().contains(QStringLiteral("open in another window")));
        m_asked.clear();
        if (answer == QMessageBox::Apply) {
            QCOMPARE(programs.path(), QString());
            QCOMPARE(programs.displayName(), QStringLiteral("link copy.lua"));
        }
        if (answer != QMessageBox::Open)
            return;
        QVERIFY(programs.shared().isReadOnly());
        QTRY_COMPARE_WITH_TIMEOUT(first.shared().openElsewhere(), 1, kLongMs);
        // Saving there asks, and goes elsewhere.
        const QString mine = m_home->filePath(QStringLiteral("mine.lua"));
        programs.setChooseFile([mine] { return mine; });
        test::part<ProgramWorkspace>(*second).editor()->insertPlainText(QStringLiteral("-- second\n"));
        m_answers = {QMessageBox::SaveAll};
        QVERIFY(programs.save());
        QVERIFY(m_asked.front().contains(QStringLiteral("open in another window")));
        QCOMPARE(content(programPath()), QByteArray("-- mine\n"));
        QCOMPARE(content(mine), QByteArray("-- second\n-- mine\n"));
        QVERIFY(!programs.shared().isReadOnly());
        QTRY_COMPARE_WITH_TIMEOUT(first.shared().openElsewhere(), 0, kLongMs);
    }

    void whatWasLeftHalfWrittenIsRemovedAtTheStart()
    {
        m_window.reset();
        QProcess dead;
        dead.start(QStringLiteral("true"), {});
        QVERIFY(dead.waitForStarted());
        const QByteArray deadId = '-' + QByteArray::number(dead.processId()) + '-';
        QVERIFY(dead.waitForFinished());
        const QByteArray ownId = '-' + QByteArray::number(QCoreApplication::applicationPid()) + '-';
        QStringList stale;
        QStringList kept;
        for (const char* name : {"state/autosave-7-1.side", "state/programs/autosave-7-2.side"}) {
            const QString target = m_home->filePath(QLatin1String(name));
            QVERIFY(QDir().mkpath(QFileInfo(target).path()));
            const QByteArray own = QByteArray::fromStdString(temporaryName(QFile::encodeName(target).toStdString())).replace("XXXXXX", "AbCdEf");
            QVERIFY(own.contains(ownId));
            kept.append(QFile::decodeName(own)); // Its process runs: this one.
            stale.append(QFile::decodeName(QByteArray(own).replace(ownId, deadId)));
        }
        // Of Qt's own only the time tells.
        QVERIFY(QDir().mkpath(m_home->filePath(QStringLiteral("state/open"))));
        const QStringList old{m_home->filePath(QStringLiteral("fabricscope.ini.AbCdEf")), m_home->filePath(QStringLiteral("state/open/7-1.open.AbCdEf"))};
        stale.append(old);
        kept.append(m_home->filePath(QStringLiteral("fabricscope.ini.GhIjKl")));
        kept.append(m_home->filePath(QStringLiteral("fabricscope.ini.backup")));
        for (const QString& path : stale + kept)
            put(path, "half");
        const timeval yesterday{std::time(nullptr) - 25 * 60 * 60, 0};
        const timeval times[2] = {yesterday, yesterday};
        for (const QString& path : old)
            QCOMPARE(::utimes(QFile::encodeName(path).constData(), times), 0);

        QProcess other;
        QVERIFY(openElsewhere(other));
        for (const QString& path : stale)
            QVERIFY2(!QFile::exists(path), qPrintable(path));
        for (const QString& path : kept)
            QVERIFY2(QFile::exists(path), qPrintable(path));
        other.kill();
        QVERIFY(other.waitForFinished());
    }

    void unreadableSideFilesAreMentionedOnceAndKept()
    {
        const QDir state(stateFolder());
        QVERIFY(QDir().mkpath(state.path()));
        put(state.filePath(QStringLiteral("autosave-1-1.side")), "no JSON at all\nx");
        put(state.filePath(QStringLiteral("autosave-2-1.side")), "{\"fabricscope_autosave\":1,\"process\":2,\"started\":\"0\",\"bytes\":100}\ncut off");
        m_answers = {};
        QVERIFY(!files().offerRecovery());
        QCOMPARE(m_asked, QStringList());
        QVERIFY(m_window->line().isVisible());
        QCOMPARE(m_window->line().severity(), Severity::Warning);
        QVERIFY2(m_window->line().text().contains(QStringLiteral("2 automatic copies")), qPrintable(m_window->line().text()));
        QCOMPARE(content(state.filePath(QStringLiteral("unreadable/autosave-1-1.side"))), QByteArray("no JSON at all\nx"));
        m_window->showHint({});
        QVERIFY(!files().offerRecovery());
        QVERIFY(!m_window->line().isVisible());
    }

    /// The file is open in the window of this test; nobody sees the question of the other.
    void whoCannotBeAskedIsNotWaitedFor()
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(FABRICSCOPE_WINDOW), {QStringLiteral("--quit-after-run"), m_file});
        QVERIFY(program.waitForFinished(kLongMs));
        const QByteArray said = program.readAllStandardError();
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QVERIFY2(program.exitCode() == 2 && said.contains("error: ") && said.contains("pod.yaml") && said.contains("open in another window"), said.constData());
    }
};

FABRICSCOPE_GUI_TEST(WindowFilesTest)
#include "tst_window_files.moc"
