// Work beside the window: large designs are read there and can be cancelled, and where no thread can be started that is said and nothing is lost.
#include "app/desktop/hintline.h"
#include "app/desktop/runcontroller.h"
#include "tests/gui/support/nothreads.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/base/background.h"
#include "widgets/design/document.h"
#include "tests/unit/support/testprogram.h"

#include <QSignalSpy>

#include <atomic>

using namespace fabricscope;
using fabricscope::test::NoThreads;

namespace {

using fabricscope::test::kLongMs;

QByteArray design(const QByteArray& rest = {})
{
    return "fabricscope: 1\nname: Pod\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n" + rest;
}

} // namespace

class WindowBackgroundTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QString path(const QString& name, const QByteArray& content) const
    {
        QFile file(m_home.filePath(name));
        QTest::qVerify(file.open(QIODevice::WriteOnly) && file.write(content) == content.size(), "the file is written", "", __FILE__, __LINE__);
        return file.fileName();
    }
    QByteArray text() const { return QByteArray::fromStdString(m_window->document().text()); }

private slots:
    void initTestCase() { test::useOwnHome(m_home); }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    /// First: the threads of the program stay once they are there.
    void withoutThreadsThatIsSaidAndTheDocumentStays()
    {
        QSignalSpy runFailed(&m_window->runs(), &RunController::failed);
        QSignalSpy fileFailed(&m_window->files(), &FileCommands::failed);
        {
            const NoThreads none;
            m_window->files().openText(design(), QStringLiteral("pod.yaml"));
            QTRY_COMPARE_WITH_TIMEOUT(runFailed.count(), 1, kLongMs);
            QVERIFY(QString::fromStdString(runFailed[0][0].value<Error>().text()).contains(QStringLiteral("no thread can be started")));
            QVERIFY(!m_window->runs().isBusy());
            m_window->files().openPaths({path(QStringLiteral("other.yaml"), design("notes: other\n"))});
            QTRY_COMPARE_WITH_TIMEOUT(fileFailed.count(), 1, kLongMs);
            QVERIFY(!m_window->files().isReading());
            QVERIFY(m_window->line().isVisible());
            QVERIFY2(m_window->line().text().contains(QStringLiteral("no thread can be started")), qPrintable(m_window->line().text()));
            QCOMPARE(text(), design());
        }
        m_window->commands().action(QStringLiteral("run.start"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        QSignalSpy opened(&m_window->files(), &FileCommands::opened);
        m_window->files().openPaths({m_home.filePath(QStringLiteral("other.yaml"))});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kLongMs);
        QCOMPARE(text(), design("notes: other\n"));
    }

    /// The window keeps the text of the design for every job that may still end.
    void runsThatWereOvertakenBeforeTheyBeganAreForgotten()
    {
        const NoThreads none; // So none begins.
        QSignalSpy failed(&m_window->runs(), &RunController::failed);
        m_window->files().openText(design(), QStringLiteral("pod.yaml"));
        for (int i = 0; i < 5; ++i) {
            QVERIFY(m_window->document().editText(QStringLiteral("x"), design("notes: " + QByteArray::number(i) + '\n').toStdString()));
            QCOMPARE(m_window->history().jobs(), std::size_t{1});
        }
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kLongMs);
        QCOMPARE(m_window->history().jobs(), std::size_t{0});
    }

    void workWaitsForTheThreadsThereAre()
    {
        std::atomic<int> done = 0;
        std::atomic<bool> go = false;
        BackgroundThreads threads(2);
        {
            const NoThreads none;
            QVERIFY(!threads.start([&] { ++done; }));
        }
        QVERIFY(threads.start([&] {
            while (!go)
                std::this_thread::yield();
            ++done;
        }));
        {
            const NoThreads none;
            for (int i = 0; i < 3; ++i)
                QVERIFY(threads.start([&] { ++done; }));
        }
        QCOMPARE(done.load(), 0);
        go = true;
        threads.waitForDone();
        QCOMPARE(done.load(), 4);
    }

    void aLargeDesignIsReadBesideTheWindowAndCanBeCancelled()
    {
        m_window->files().openText(design(), QStringLiteral("pod.yaml"));
        QSignalSpy opened(&m_window->files(), &FileCommands::opened);
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        constexpr int kItems = 16 << 20; // Two bytes each; seconds of reading.
        m_window->files().openPaths({path(QStringLiteral("large.yaml"), design("extra: [" + QByteArray("1,").repeated(kItems) + "1]\n"))});
        // The window is told while the file is still being read.
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().isReading(), kLongMs);
        QVERIFY(m_window->line().isVisible());
        auto* said = m_window->line().findChild<QLabel*>(QStringLiteral("reading"));
        QVERIFY(said && said->isVisible());
        QVERIFY2(said->text().contains(QStringLiteral("large.yaml, 32.0 MiB")), qPrintable(said->text()));
        emit const_cast<HintLine&>(m_window->line()).linkActivated(QStringLiteral("reading:cancel"));
        QVERIFY(!m_window->line().isReading());
        QVERIFY(!m_window->line().isVisible());
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
        QCOMPARE(opened.count() + failed.count(), 0);
        QCOMPARE(text(), design());
        QVERIFY(QFile::remove(m_home.filePath(QStringLiteral("large.yaml"))));
    }

    void aLargeSavedRunIsNoLongerReadWhenThatIsCancelled()
    {
        m_window->files().openText(design(), QStringLiteral("pod.yaml"));
        QSignalSpy opened(&m_window->files(), &FileCommands::runOpened);
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        QSignalSpy left(&m_window->files(), &FileCommands::left);
        const QString file = path(QStringLiteral("large.run"), "{\"fabricscope_run\": 1, \"design\": [" + QByteArray("1,").repeated(16 << 20) + "1]}");
        m_window->files().openRun(file);
        QVERIFY(m_window->files().isReading());
        m_window->files().cancelReading();
        QTRY_COMPARE_WITH_TIMEOUT(left.count(), 1, kLongMs);
        QCOMPARE(left[0][0].value<Error>().code, ErrorCode::Cancelled);
        QCOMPARE(opened.count() + failed.count(), 0);
        QCOMPARE(text(), design());
        QVERIFY(QFile::remove(file));
    }

    void aTextThatIsNotSmallIsReadBesideTheWindow()
    {
        const QByteArray comment = QByteArray("# what nobody reads\n").repeated(20'000);
        DesignDocument& document = m_window->document();
        m_window->files().openText(design(comment), QStringLiteral("pod.yaml"));
        QVERIFY(!document.isReading());
        const auto isRead = [&document](const std::string& notes) { return !document.isReading() && document.yaml() && document.issues().empty() && document.design()->notes == notes; };
        const auto isBeingRead = [&document] { return document.isReading() && !document.yaml() && document.hasErrors() && document.issues().size() == 1 && document.platform(); };
        const QByteArray noted = design("notes: mine\n" + comment);
        QVERIFY(document.editText(QStringLiteral("x"), noted.toStdString()));
        QCOMPARE(text(), noted);
        QVERIFY(isBeingRead());
        const Status status = document.edit(QStringLiteral("x"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Other")); });
        QVERIFY(!status && QByteArray::fromStdString(status.error().text()).contains("still being read"));
        QTRY_VERIFY_WITH_TIMEOUT(isRead("mine"), kLongMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy() && m_window->history().isOfNewestInputs(), kLongMs);
        // One after the other: only the last is taken.
        document.undoStack().undo();
        QCOMPARE(text(), design(comment));
        QVERIFY(isBeingRead());
        document.undoStack().redo();
        QCOMPARE(text(), noted);
        document.undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(isRead({}), kLongMs);
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(isRead({}));
        // A value is changed in what was read already.
        QVERIFY(document.edit(QStringLiteral("x"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Other")); }));
        QVERIFY(isRead({}));
        QCOMPARE(document.design()->name, std::string("Other"));
        // Another document takes the place of one that is being read.
        document.undoStack().undo();
        QVERIFY(isBeingRead());
        m_window->files().openText(design("notes: other\n"), QStringLiteral("other.yaml"));
        QVERIFY(isRead("other"));
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(isRead("other"));
    }

    void aFileThatIsNotSmallIsReloadedAsOneEdit()
    {
        const QByteArray comment = QByteArray("# what nobody reads\n").repeated(20'000);
        const QString file = path(QStringLiteral("pod.yaml"), design(comment));
        QSignalSpy opened(&m_window->files(), &FileCommands::opened);
        m_window->files().openPaths({file});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kLongMs);
        const QByteArray theirs = design("notes: theirs\n" + comment);
        path(QStringLiteral("pod.yaml"), theirs);
        m_window->files().reload();
        QTRY_COMPARE_WITH_TIMEOUT(text(), theirs, kLongMs);
        QCOMPARE(m_window->document().design()->notes, std::string("theirs"));
        QVERIFY(!m_window->document().isModified());
        m_window->document().undoStack().undo();
        QCOMPARE(text(), design(comment));
        QVERIFY(m_window->document().isModified());
    }

    void whatChangesWhileAFileIsReadIsNotThrownAway()
    {
        m_window->files().openText(design(), QStringLiteral("pod.yaml"));
        int asked = 0;
        m_window->files().setDecide([&asked](const QString&) {
            ++asked;
            return QMessageBox::Cancel;
        });
        m_window->files().openPaths({path(QStringLiteral("other.yaml"), design("notes: other\n"))});
        QVERIFY(m_window->document().editText(QStringLiteral("x"), design("notes: mine\n").toStdString()));
        QTRY_COMPARE_WITH_TIMEOUT(asked, 1, kLongMs);
        QCOMPARE(text(), design("notes: mine\n"));
        m_window->files().setDecide([](const QString&) { return QMessageBox::Discard; });
    }
};

FABRICSCOPE_GUI_TEST(WindowBackgroundTest)
#include "tst_window_background.moc"
