// Pipes and devices in the place of files: nothing the window opens, watches or saves waits for one.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/design/document.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/base/files/savetarget.h"
#include "widgets/step/storyboard.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/results/table.h"
#include "widgets/timeline/view.h"
#include "widgets/report/viewexport.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QSignalSpy>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace fabricscope;

namespace {
using fabricscope::test::kLongMs;
}

class WindowPipesTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QString path(const QString& name) const { return m_home.filePath(name); }
    void makePipe(const QString& name) { QCOMPARE(::mkfifo(QFile::encodeName(path(name)).constData(), 0600), 0); }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
        for (const char* suffix : {"", ".yaml", ".yml", ".json", ".lua", ".xml", ".run", ".et", ".0.et", ".pdf", ".html", ".svg", ".png", ".csv"})
            makePipe(QStringLiteral("pipe") + QLatin1String(suffix));
    }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void aPipeOrDeviceIsNotOpened_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* suffix : {"", ".yaml", ".yml", ".json", ".lua", ".xml", ".run", ".et"})
            QTest::newRow(suffix) << path(QStringLiteral("pipe") + QLatin1String(suffix));
        QTest::newRow("device") << QStringLiteral("/dev/zero");
        QTest::newRow("terminal") << QStringLiteral("/dev/tty");
    }

    void aPipeOrDeviceIsNotOpened()
    {
        QFETCH(QString, name);
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        QSignalSpy programFailed(test::part<ProgramWorkspace>(*m_window).files(), &ProgramFiles::failed);
        m_window->files().openPaths({name});
        QTRY_VERIFY_WITH_TIMEOUT(!failed.isEmpty() || !programFailed.isEmpty(), kLongMs);
        test::part<ProgramWorkspace>(*m_window).files()->open(name);
        QVERIFY(!programFailed.isEmpty());
    }

    void aDesignThatNamesAPipeSaysSo_data()
    {
        QTest::addColumn<QByteArray>("design");
        const QByteArray ring = "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n";
        const QByteArray work = "workload: {collective: all_reduce, size: 1 MiB}\n";
        QTest::newRow("platform.file") << QByteArray("fabricscope: 1\nplatform: {file: pipe}\n" + work);
        QTest::newRow("platform.file with a kind") << QByteArray("fabricscope: 1\nplatform: {file: pipe, kind: astra-sim}\n" + work);
        QTest::newRow("platform.file of a device") << QByteArray("fabricscope: 1\nplatform: {file: /dev/zero}\n" + work);
        QTest::newRow("remote_memory.file") << QByteArray("fabricscope: 1\n" + ring + "remote_memory: {file: pipe.json}\n" + work);
        QTest::newRow("workload.trace") << QByteArray("fabricscope: 1\n" + ring + "workload: {trace: pipe}\n");
        QTest::newRow("workload.comm_groups") << QByteArray("fabricscope: 1\n" + ring + "workload: {trace: pipe, comm_groups: pipe.json}\n");
        QTest::newRow("a program") << QByteArray("fabricscope: 1\n" + ring + work + "collectives: {default: {algorithm: pipe.lua}}\n");
        QTest::newRow("a program in XML") << QByteArray("fabricscope: 1\n" + ring + work + "collectives: {default: {algorithm: {file: pipe.xml}}}\n");
    }

    void aDesignThatNamesAPipeSaysSo()
    {
        QFETCH(QByteArray, design);
        const QString name = path(QStringLiteral("design.yaml"));
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(design) == design.size());
        file.close();
        QSignalSpy opened(&m_window->files(), &FileCommands::opened);
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        QSignalSpy ran(&m_window->runs(), &RunController::failed);
        m_window->files().openPaths({name});
        QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty() || !failed.isEmpty(), kLongMs);
        // Refused when it is read, or by the run; never a result, and never waited for.
        QTRY_VERIFY_WITH_TIMEOUT(!failed.isEmpty() || m_window->document().hasErrors() || !ran.isEmpty(), kLongMs);
        QVERIFY(!m_window->history().current());
        // Typing goes on, and a mended design runs.
        const Status mended = m_window->document().editText(QStringLiteral("mend"), "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QVERIFY(mended);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
    }

    void nothingIsSavedIntoAPipeOrOverADevice()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        m_window->setWorkspace(QStringLiteral("report"));
        const auto refused = [](const Status& status) { return !status && status.error().code == ErrorCode::NotWritable; };
        for (const QString& yaml : {path(QStringLiteral("pipe.yaml")), QStringLiteral("/dev/null")})
            QVERIFY(refused(m_window->document().saveAs(yaml)));
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).files()->write(path(QStringLiteral("pipe.lua"))));
        QVERIFY(refused(exportView(test::part<ExploreView>(*m_window).canvas(), path(QStringLiteral("pipe.png")))));
        QVERIFY(refused(exportView(test::part<ExploreView>(*m_window).timeline(), path(QStringLiteral("pipe.svg")))));
        ResultTable& table = test::part<TablesPanel>(*m_window).table(TablesPanel::Ranks);
        QSignalSpy exported(&table, &ResultTable::exportDone);
        table.exportCsv(path(QStringLiteral("pipe.csv")));
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, kLongMs);
        QVERIFY(!exported[0][1].toString().isEmpty());
        QString reason;
        QVERIFY(!test::part<Storyboard>(*m_window).exportSvg(path(QStringLiteral("pipe.svg")), &reason));
        QVERIFY(!reason.isEmpty());
        for (const char* suffix : {".yaml", ".lua", ".png", ".svg", ".csv"}) {
            struct stat info {};
            QCOMPARE(::stat(QFile::encodeName(path(QStringLiteral("pipe") + QLatin1String(suffix))).constData(), &info), 0);
            QVERIFY2(S_ISFIFO(info.st_mode), suffix);
        }
        struct stat device {};
        QCOMPARE(::stat("/dev/null", &device), 0);
        QVERIFY(S_ISCHR(device.st_mode));
    }

    void pipesAmongTheRecentFilesAndUnderThePointerAreNotRead()
    {
        const auto settings = QStringLiteral("[recent]\n1\\path=%1\n2\\path=%2\nsize=2\n").arg(path(QStringLiteral("pipe.yaml")), path(QStringLiteral("pipe")));
        QFile file(path(QStringLiteral("fabricscope.ini")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(settings.toUtf8()) > 0);
        file.close();
        MainWindow window;
        window.show();
        window.setWorkspace(QStringLiteral("start"));
        QVERIFY(!window.grab().isNull());
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path(QStringLiteral("pipe.json")))});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QDragMoveEvent move(QPoint(6, 6), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &move);
        QVERIFY(!window.grab().isNull());
    }
};

FABRICSCOPE_GUI_TEST(WindowPipesTest)
#include "tst_window_pipes.moc"
