#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/pictures.h"
#include "widgets/base/files/autosave.h"
#include "widgets/base/files/droptarget.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/start/recentfiles.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QDragEnterEvent>
#include <QMainWindow>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>

using namespace fabricscope;

namespace {

const std::string kText = "fabricscope: 1\r\n# kept as it is: \xC3\xA4\nname: half done\n";

AutosaveState unsaved()
{
    return {kText, QStringLiteral("/somewhere/pod.yaml"), QStringLiteral("pod.yaml"), QStringLiteral("/somewhere"), true};
}

QString makeFile(const QTemporaryDir& folder, const QString& name)
{
    const QString path = folder.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write("x");
    return path;
}

QMimeData* filesAsMime(const QStringList& paths)
{
    auto* data = new QMimeData;
    QList<QUrl> urls;
    for (const QString& path : paths)
        urls += QUrl::fromLocalFile(path);
    data->setUrls(urls);
    return data;
}

} // namespace

class UserFilesTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_home;

private slots:
    void init()
    {
        QDir(m_home.path()).removeRecursively();
        QDir().mkpath(m_home.path());
        qputenv("FABRICSCOPE_HOME", m_home.path().toUtf8());
    }

    void theUsersFilesLieUnderTheGivenHome()
    {
        QCOMPARE(stateFolder(), m_home.filePath(QStringLiteral("state")));
        QVERIFY(openSettings()->fileName().startsWith(m_home.path()));
        qunsetenv("FABRICSCOPE_HOME");
        qputenv("XDG_STATE_HOME", "/var/tmp/states");
        QCOMPARE(stateFolder(), QStringLiteral("/var/tmp/states/fabricscope"));
        qputenv("XDG_STATE_HOME", "relative");
        QCOMPARE(stateFolder(), QDir::home().filePath(QStringLiteral(".local/state/fabricscope")));
        qunsetenv("XDG_STATE_HOME");
    }

    void F1_theTenNewestAreKeptNewestFirst()
    {
        const QTemporaryDir folder;
        {
            RecentFiles recent;
            const QAbstractItemModelTester tester(&recent, QAbstractItemModelTester::FailureReportingMode::Fatal);
            for (int i = 0; i < 12; ++i)
                recent.add(makeFile(folder, QStringLiteral("%1.yaml").arg(i)));
            recent.setResult(folder.filePath(QStringLiteral("5.yaml")), QStringLiteral("12.824 ms"));
            recent.add(folder.filePath(QStringLiteral("5.yaml")));
        }
        const RecentFiles again; // from the settings
        QCOMPARE(again.rowCount(), 10);
        QStringList names;
        for (int row = 0; row < 10; ++row)
            names += again.index(row, 0).data().toString();
        QCOMPARE(names, QStringLiteral("5 11 10 9 8 7 6 4 3 2").replace(QLatin1Char(' '), QStringLiteral(".yaml ")).append(QStringLiteral(".yaml")).split(QLatin1Char(' ')));
        QCOMPARE(again.index(0, 0).data(RecentFiles::ResultRole).toString(), QStringLiteral("12.824 ms"));
    }

    void F1_missingFilesAreGreyedInListAndMenu()
    {
        const QTemporaryDir folder;
        RecentFiles recent;
        recent.add(makeFile(folder, QStringLiteral("gone & lost.yaml")));
        recent.add(makeFile(folder, QStringLiteral("here.yaml")));
        QFile::remove(folder.filePath(QStringLiteral("gone & lost.yaml")));
        QVERIFY(recent.flags(recent.index(0, 0)).testFlag(Qt::ItemIsEnabled));
        QVERIFY(!recent.flags(recent.index(1, 0)).testFlag(Qt::ItemIsEnabled));
        QMenu menu;
        QString opened;
        recent.fillMenu(menu, [&](const QString& path) { opened = path; });
        QCOMPARE(menu.actions().size(), 4); // two files, a line, "Clear list"
        QVERIFY(menu.actions()[0]->isEnabled());
        QVERIFY(!menu.actions()[1]->isEnabled());
        QVERIFY(menu.actions()[1]->text().contains(QStringLiteral("gone && lost.yaml")));
        menu.actions()[0]->trigger();
        QCOMPARE(opened, folder.filePath(QStringLiteral("here.yaml")));
        menu.actions()[3]->trigger();
        QCOMPARE(recent.rowCount(), 0);
        QCOMPARE(RecentFiles().rowCount(), 0);
    }

    void F3_onlyChangesThatAreNotSavedMakeASideFile()
    {
        AutosaveState state = unsaved();
        Autosave autosave([&] { return state; });
        QVERIFY(!QFile::exists(autosave.sideFile()));
        QVERIFY(autosave.saveNow());
        QVERIFY(QFile::exists(autosave.sideFile()));
        state.modified = false;
        QVERIFY(autosave.saveNow());
        QVERIFY(!QFile::exists(autosave.sideFile()));
    }

    void F3_theTimerWritesAndACleanEndRemoves()
    {
        QString file;
        {
            Autosave autosave([] { return unsaved(); });
            file = autosave.sideFile();
            autosave.setInterval(20);
            QTRY_VERIFY(QFile::exists(file));
        }
        QVERIFY(!QFile::exists(file));
        QCOMPARE(Autosave::kIntervalMs, 2 * 60 * 1000);
    }

    void F3_theFileOfARunningProgramIsNotOffered()
    {
        Autosave autosave([] { return unsaved(); });
        QVERIFY(autosave.saveNow());
        QVERIFY(Autosave::recoverable().empty());
    }

    void F3_whatAKilledProgramLeftIsRecoveredToTheByte()
    {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("tst_userfiles"), QStringLiteral("--edit-until-killed")});
        QVERIFY(child.waitForReadyRead(30'000));
        QCOMPARE(child.readLine().trimmed(), QByteArray("saved"));
        QVERIFY(Autosave::recoverable().empty()); // it still runs
        child.kill();
        QVERIFY(child.waitForFinished());
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);

        const std::vector<Recoverable> found = Autosave::recoverable();
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].state.text, kText);
        QCOMPARE(found[0].state.path, QStringLiteral("/somewhere/pod.yaml"));
        QCOMPARE(found[0].state.name, QStringLiteral("pod.yaml"));
        QCOMPARE(found[0].state.folder, QStringLiteral("/somewhere"));
        QVERIFY(found[0].saved.secsTo(QDateTime::currentDateTimeUtc()) < 60);
        Autosave::remove(found[0]);
        QVERIFY(Autosave::recoverable().empty());
    }

    void F3_aFolderThatCannotBeWrittenIsSaidOnce()
    {
        makeFile(m_home, QStringLiteral("state")); // a file where the folder should be
        int tries = 0;
        Autosave autosave([&tries] {
            ++tries;
            return unsaved();
        });
        QSignalSpy failed(&autosave, &Autosave::failed);
        autosave.setInterval(5);
        QTRY_VERIFY(tries >= 5); // What came of the first four has been said by then.
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed[0][0].toString().contains(QStringLiteral("state")));
    }

    void F3_strangeSideFilesAreIgnored()
    {
        QDir().mkpath(stateFolder());
        QFile file(stateFolder() + QStringLiteral("/autosave-1-1.side"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("not ours\n");
        file.close();
        QVERIFY(Autosave::recoverable().empty());
    }

    void F1_severalDroppedFilesArriveTogether()
    {
        QMainWindow window;
        auto* editor = new QPlainTextEdit; // takes drops of text itself
        window.setCentralWidget(editor);
        DropTarget target(&window);
        window.resize(640, 480);
        window.show();
        QSignalSpy dropped(&target, &DropTarget::dropped);
        const QStringList paths{QStringLiteral("/data/net.yml"), QStringLiteral("/data/sys.json"), QStringLiteral("/data/w.0.et")};
        const std::unique_ptr<QMimeData> mime(filesAsMime(paths));

        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(editor->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QVERIFY(target.isVisible());
        QCOMPARE(target.geometry(), window.rect());

        // Now the sheet is what lies under the pointer.
        QDragEnterEvent enterSheet(QPoint(60, 60), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &enterSheet);
        QDragMoveEvent move(QPoint(60, 60), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &move);
        QVERIFY(move.isAccepted());
        QDropEvent drop(QPointF(60, 60), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &drop);
        QVERIFY(drop.isAccepted());
        QCOMPARE(dropped.count(), 1);
        QCOMPARE(dropped[0][0].toStringList(), paths);
        QVERIFY(!target.isVisible());
        QVERIFY(editor->toPlainText().isEmpty());
    }

    void F1_leavingOrDraggingTextDropsNothing()
    {
        QMainWindow window;
        DropTarget target(&window);
        window.show();
        QSignalSpy dropped(&target, &DropTarget::dropped);
        QMimeData text;
        text.setText(QStringLiteral("hello"));
        QDragEnterEvent enterText(QPoint(5, 5), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enterText);
        QVERIFY(!target.isVisible());

        const std::unique_ptr<QMimeData> mime(filesAsMime({QStringLiteral("/data/net.yml")}));
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QVERIFY(target.isVisible());
        // Now the sheet is what lies under the pointer.
        QDragEnterEvent enterSheet(QPoint(5, 5), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&target, &enterSheet);
        QVERIFY(enterSheet.isAccepted());
        QDragLeaveEvent leave;
        QCoreApplication::sendEvent(&target, &leave);
        QVERIFY(!target.isVisible());
        QCOMPARE(dropped.count(), 0);
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            QWidget window;
            window.resize(800, 420);
            DropTarget target(&window);
            const test::WithTheme themed{Theme(mode)};
            window.show();
            const std::unique_ptr<QMimeData> mime(filesAsMime({QStringLiteral("/a"), QStringLiteral("/b")}));
            QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, mime.get(), Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&window, &enter);
            window.grab().save(folder + (mode == Theme::Mode::Dark ? QStringLiteral("/drop-dark.png") : QStringLiteral("/drop-light.png")));
        }
    }
};

/// The program that is killed: it autosaves once and then does nothing.
static int editUntilKilled(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    Autosave autosave([] { return unsaved(); });
    std::puts(autosave.saveNow() ? "saved" : "failed");
    std::fflush(stdout);
    return QCoreApplication::exec();
}

static int begin(int argc, char** argv)
{
    if (argc > 1 && qstrcmp(argv[1], "--edit-until-killed") == 0)
        return editUntilKilled(argc, argv);
    return fabricscope::test::runTest<UserFilesTest, QApplication>(argc, argv);
}

FABRICSCOPE_TEST_BEGINS(begin)

#include "tst_userfiles.moc"
