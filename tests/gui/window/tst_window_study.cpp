// The Study workspace in the whole window: what opens there, the example, a design of it opened.
#include "core/design/file/readdesign.h"
#include "core/run/rundesign.h"
#include "sourcedir.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/start/cards.h"
#include "widgets/study/tradeoffchart.h"
#include "widgets/study/variantspage.h"
#include "widgets/study/variantsstart.h"

#include <QAction>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <memory>
#include <string>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

class WindowStudyTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { useOwnHome(m_home); }

    void V1_aStudyOpensInItsWorkspace()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("rails.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/study/rail-bandwidth.yaml"), path));
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<VariantsPage>(*window);
        window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        QVERIFY(page.isVisible());
        QCOMPARE(window->workspace(), QStringLiteral("study"));
        QCOMPARE(page.countText(), QStringLiteral("24 designs"));
        const QSignalSpy ended(page.runner(), &VariantRunner::ended);
        window->commands().action(QStringLiteral("study.run"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("rails.sqlite"))));
    }

    void V3_aDesignOfItOpensAndRunsAsTheStudySaid()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("rails.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/study/rail-bandwidth.yaml"), path));
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<VariantsPage>(*window);
        window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        const QSignalSpy ended(page.runner(), &VariantRunner::ended);
        page.toggleRun();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        constexpr qint64 kChosen = 14; // 400 Gbit/s, 4 us, 2:1.
        page.select(kChosen);
        const auto table = page.runner()->table();
        QCOMPARE(table->rows[kChosen].labels, (std::vector<std::string>{"400 Gbit/s", "4000 ns", "2:1"}));
        QTest::keyClick(page.chart(), Qt::Key_Return);
        QCOMPARE(window->workspace(), QStringLiteral("explore"));
        QCOMPARE(window->document().displayName(), QStringLiteral("rails-14.yaml"));
        QVERIFY(!window->document().hasFile());
        const auto loaded = readDesignText(window->document().text(), path.toStdString(), {}, {});
        QVERIFY(loaded);
        const auto run = runDesign(std::make_shared<const Design>(loaded.value().design), {}, {}, {});
        QVERIFY(run);
        QCOMPARE(static_cast<double>(run.value()->record().finish.ps), table->rows[kChosen].figures[PointFigure::StepTime].value_or(0));
    }

    void V3_theTableIsWrittenAsTheCommandWritesIt()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("rails.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/study/rail-bandwidth.yaml"), path));
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<VariantsPage>(*window);
        window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        QVERIFY(page.exportTo(folder.filePath(QStringLiteral("out.csv"))));
        QFile file(folder.filePath(QStringLiteral("out.csv")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 25);
        QCOMPARE(lines[0], QByteArray("point,rail,latency,oversubscription,state,front,message"));
        QCOMPARE(lines[24], QByteArray("23,800 Gbit/s,4000 ns,1:1,open,0,"));
        // A folder is no file.
        QVERIFY(!page.exportTo(folder.path()));
    }

    void V1_theExampleBecomesAFileOfTheUser()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        window->commands().action(QStringLiteral("view.study"))->trigger();
        auto& page = part<VariantsPage>(*window);
        QVERIFY(page.isVisible());
        page.start()->findChild<StartRow*>(QStringLiteral("rail-bandwidth.yaml"))->click();
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        QVERIFY(page.runner()->study()->file.startsWith(m_home.path()));
        QVERIFY(QFile::exists(page.runner()->study()->file));
    }

private:
    QTemporaryDir m_home;
};

} // namespace

FABRICSCOPE_GUI_TEST(WindowStudyTest)
#include "tst_window_study.moc"
