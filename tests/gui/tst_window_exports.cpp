// What the window writes never replaces a file that the open design reads, and keeps links as the command does.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/viewdrags.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/report/viewexport.h"
#include "widgets/results/table.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/storyboard.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QClipboard>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace fabricscope;

namespace {
using fabricscope::test::kLongMs;
const QByteArray kNetwork = "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
} // namespace

class WindowExportsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QString path(const QString& name) const { return m_home.filePath(name); }
    void write(const QString& name, const QByteArray& text) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    QByteArray read(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QString exportTable(const QString& to)
    {
        ResultTable& table = test::part<TablesPanel>(*m_window).table(TablesPanel::Ranks);
        QSignalSpy exported(&table, &ResultTable::exportDone);
        table.exportCsv(to);
        return QTest::qWaitFor([&] { return exported.count() == 1; }, kLongMs) ? exported[0][1].toString() : QStringLiteral("no answer");
    }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
        // The design reads files under names that exports may have, so that nothing but the check stands between.
        for (const char* ending : {"svg", "png", "csv", "html", "pdf", "yaml"})
            write(QStringLiteral("network.") + QLatin1String(ending), kNetwork);
    }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    /// As a picture and as SVG; dragged out with a file of its name.
    void R10_theViewInFocusIsCopied()
    {
        m_window->files().openText("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n", QStringLiteral("ring.yaml"));
        m_window->setWorkspace(QStringLiteral("explore"));
        QWidget& canvas = test::part<PlatformCanvas>(test::part<ExploreView>(*m_window));
        canvas.setFocus();
        QCOMPARE(QApplication::focusWidget(), &canvas);
        m_window->commands().action(QStringLiteral("edit.copyPicture"))->trigger();
        const QMimeData* const copied = QGuiApplication::clipboard()->mimeData();
        QCOMPARE(copied->imageData().value<QImage>().size(), canvas.size() * 2);
        QVERIFY(copied->data(QStringLiteral("image/svg+xml")).contains("<svg"));
        const std::unique_ptr<QMimeData> dragged(test::part<ViewDrags>(*m_window).mimeOf(canvas, true));
        QCOMPARE(dragged->urls().size(), 1);
        QVERIFY(QFile(dragged->urls().front().toLocalFile()).exists());
    }

    void noExportReplacesAFileOfTheDesign_data()
    {
        QTest::addColumn<QString>("ending");
        for (const char* ending : {"svg", "png", "csv", "html", "pdf", "yaml"})
            QTest::newRow(ending) << QString::fromLatin1(ending);
    }

    void noExportReplacesAFileOfTheDesign()
    {
        QFETCH(QString, ending);
        const QString network = QStringLiteral("network.") + ending;
        const QString link = QStringLiteral("link.") + ending;
        write(QStringLiteral("design.yaml"), "fabricscope: 1\nplatform: {file: " + network.toUtf8() + ", kind: astra-sim}\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        QVERIFY(QFile::link(path(network), path(link)));
        m_window->files().openPaths({path(QStringLiteral("design.yaml"))});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        m_window->setWorkspace(QStringLiteral("report"));
        for (const QString& name : {network, link, QStringLiteral("./") + network}) {
            const QString target = path(name);
            const auto refused = [](const Status& status) { return !status && status.error().code == ErrorCode::NotWritable && status.error().message.find("an open design reads") != std::string::npos; };
            if (ending == QLatin1String("yaml"))
                QVERIFY(refused(m_window->document().saveAs(target)));
            if (ending == QLatin1String("csv"))
                QVERIFY(exportTable(target).contains(QStringLiteral("an open design reads")));
            if (ending == QLatin1String("svg")) {
                QString reason;
                QVERIFY(!test::part<Storyboard>(*m_window).exportSvg(target, &reason));
                QVERIFY(reason.contains(QStringLiteral("an open design reads")));
            }
            if (ending == QLatin1String("svg") || ending == QLatin1String("png")) {
                QVERIFY(refused(exportView(test::part<ExploreView>(*m_window).canvas(), target)));
                QVERIFY(refused(exportView(test::part<ExploreView>(*m_window).timeline(), target)));
            }
            if (ending == QLatin1String("html") || ending == QLatin1String("pdf"))
                QVERIFY(refused(test::part<ReportWorkspace>(*m_window).exportTo(target)));
            QSignalSpy failed(test::part<ProgramWorkspace>(*m_window).files(), &ProgramFiles::failed);
            QVERIFY(!test::part<ProgramWorkspace>(*m_window).files()->write(target));
            QCOMPARE(failed.count(), 1);
            QCOMPARE(read(network), kNetwork);
        }
        // The design itself may be saved, and other names are free.
        QVERIFY(m_window->document().saveAs(path(QStringLiteral("design.yaml"))));
        QVERIFY(exportTable(path(QStringLiteral("free.csv"))).isEmpty());
        QVERIFY(read(QStringLiteral("free.csv")).startsWith("Ranks,"));
        // Nobody reads it any more.
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        if (ending == QLatin1String("csv"))
            QVERIFY(exportTable(path(network)).isEmpty());
    }

    void aProgramThatTheDesignUsesMayBeReplaced()
    {
        const QByteArray program = "algorithm \"old\" { }\n";
        write(QStringLiteral("used.lua"), program);
        write(QStringLiteral("uses.yaml"), "fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {script: used.lua}}\n");
        QSignalSpy opened(&m_window->files(), &FileCommands::opened);
        m_window->files().openPaths({path(QStringLiteral("uses.yaml"))});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kLongMs);
        const Status design = m_window->document().saveAs(path(QStringLiteral("used.lua")));
        QVERIFY(!design && design.error().message.find("an open design reads") != std::string::npos); // It is in use.
        test::part<ProgramWorkspace>(*m_window).editor()->setPlainText(QStringLiteral("-- new\n"));
        QVERIFY(test::part<ProgramWorkspace>(*m_window).files()->write(path(QStringLiteral("used.lua"))));
        QCOMPARE(read(QStringLiteral("used.lua")), QByteArray("-- new\n"));
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).files()->write(path(QStringLiteral("uses.yaml"))));
    }

    void aLinkStaysALinkAndModesAreKept()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        for (const char* name : {"t.csv", "s.svg", "p.lua"}) {
            const QString target = QStringLiteral("target-") + QLatin1String(name);
            write(target, "old");
            QVERIFY(QFile::setPermissions(path(target), QFile::ReadOwner | QFile::WriteOwner));
            QVERIFY(QFile::link(path(target), path(QLatin1String(name))));
        }
        QVERIFY(exportTable(path(QStringLiteral("t.csv"))).isEmpty());
        QVERIFY(test::part<Storyboard>(*m_window).exportSvg(path(QStringLiteral("s.svg"))));
        test::part<ProgramWorkspace>(*m_window).editor()->setPlainText(QStringLiteral("-- text\n"));
        QVERIFY(test::part<ProgramWorkspace>(*m_window).files()->write(path(QStringLiteral("p.lua"))));
        for (const char* name : {"t.csv", "s.svg", "p.lua"}) {
            const QString target = QStringLiteral("target-") + QLatin1String(name);
            QVERIFY2(QFileInfo(path(QLatin1String(name))).isSymLink(), name);
            QVERIFY2(read(target) != QByteArray("old"), name);
            QCOMPARE(QFileInfo(path(target)).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        }
        QVERIFY(QDir(m_home.path()).entryList({QStringLiteral("*.tmp*"), QStringLiteral(".*tmp*")}, QDir::Files | QDir::Hidden).isEmpty());
    }
};

FABRICSCOPE_GUI_TEST(WindowExportsTest)
#include "tst_window_exports.moc"
