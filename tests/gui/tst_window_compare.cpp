// The workspace Compare in the whole window.
#include "app/desktop/hintline.h"
#include "app/desktop/resulthistory.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/droptarget.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/design/document.h"
#include "widgets/draw/graphcanvas.h"

#include <QFile>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

} // namespace

class WindowCompareTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }
    CompareWorkspace& compare() { return part<CompareWorkspace>(*m_window); }

    void open(const char* text, const QString& name)
    {
        QVERIFY(m_window->files().openText(text, name));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void init()
    {
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void R5_aPinnedResultSurvivesOpeningAnotherDesign()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        const RunResultPtr first = m_window->history().current();
        command("compare.pin").trigger();
        open(kOddLink, QStringLiteral("odd.yaml"));
        command("view.compare").trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("compare"));
        QTRY_VERIFY_WITH_TIMEOUT(compare().set(), kLongMs);
        QCOMPARE(compare().runs().size(), std::size_t{2});
        QCOMPARE(compare().runs()[0].run, first);
        QCOMPARE(compare().runs()[1].run, m_window->history().current());
        command("compare.swap").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set(), kLongMs);
        QCOMPARE(compare().runs()[1].run, first);
    }

    void R5_anEditIsComparedWithWhatWasPinned()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        command("compare.pin").trigger();
        command("view.compare").trigger();
        QCOMPARE(compare().runs().size(), std::size_t{1});
        std::string text = m_window->document().text();
        text.replace(text.find("50 GB/s"), 7, "25 GB/s");
        QVERIFY(m_window->document().editText(QStringLiteral("slower"), text));
        QTRY_VERIFY_WITH_TIMEOUT(compare().set(), kLongMs);
        const DesignPath& path = compare().set()->paths[0];
        QCOMPARE(path.changes.rows().size(), std::size_t{1});
        QCOMPARE(path.changes.rows()[0].field, std::string("platform.dimensions[0].bandwidth"));
        // Rank 1 is done at 250 + 41 + 41 us instead of 250 + 21 + 21 (kTwoRanks).
        QCOMPARE(path.waterfall->items[0].delta().ps, std::int64_t{40'000'000});
    }

    void R5_thePinnedBaselineIsComparedToo()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        const RunResultPtr first = m_window->history().current();
        command("run.pin").trigger();
        QVERIFY(m_window->history().isPinned());
        std::string text = m_window->document().text();
        text.replace(text.find("50 GB/s"), 7, "25 GB/s");
        QVERIFY(m_window->document().editText(QStringLiteral("slower"), text));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() != first && !m_window->runs().isBusy(), kLongMs);
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set(), kLongMs);
        QCOMPARE(compare().runs().size(), std::size_t{2});
        QCOMPARE(compare().runs()[compare().baseline()].run, first);
        command("run.pin").trigger();
        QVERIFY(!m_window->history().isPinned());
        QCOMPARE(compare().runs().size(), std::size_t{1});
        QCOMPARE(compare().runs()[0].run, m_window->history().current());
    }

    void R5_whatWasPinnedByHandStaysWithoutTheBaseline()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        const RunResultPtr first = m_window->history().current();
        command("compare.pin").trigger();
        command("run.pin").trigger();
        command("run.pin").trigger();
        QCOMPARE(compare().runs().size(), std::size_t{1});
        open(kOddLink, QStringLiteral("odd.yaml"));
        command("view.compare").trigger();
        QCOMPARE(compare().runs().size(), std::size_t{2});
        QCOMPARE(compare().runs()[0].run, first);
        // The other way round: first the baseline, then by hand.
        command("run.pin").trigger();
        command("compare.pin").trigger();
        const RunResultPtr second = m_window->history().current();
        command("run.pin").trigger();
        open(kTwoRanks, QStringLiteral("again.yaml"));
        command("view.compare").trigger();
        QCOMPARE(compare().runs().size(), std::size_t{3});
        QCOMPARE(compare().runs()[1].run, second);
    }

    void R5_filesDroppedOnThePageAreComparedAndNotOpened()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        const QTemporaryDir folder;
        for (const char* const name : {"one.yaml", "other.yaml"}) {
            QFile file(folder.filePath(QString::fromLatin1(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(kOddLink);
        }
        command("view.compare").trigger();
        emit part<DropTarget>(*m_window).dropped({folder.filePath(QStringLiteral("one.yaml")), folder.filePath(QStringLiteral("other.yaml"))});
        QTRY_VERIFY_WITH_TIMEOUT(compare().runs().size() == 3 && compare().set() && !compare().runner()->isBusy(), kLongMs);
        QCOMPARE(m_window->document().displayName(), QStringLiteral("two.yaml"));
        QCOMPARE(m_window->workspace(), QStringLiteral("compare"));
        QCOMPARE(compare().runs()[0].name, QStringLiteral("one.yaml"));
    }

    void F1_severalDesignsAreOpenedBesideOneAnother()
    {
        const QTemporaryDir folder;
        QStringList paths;
        for (const auto& [name, text] : {std::pair{"a.yaml", kTwoRanks}, {"b.yaml", kOddLink}, {"c.yaml", kOddLink}}) {
            paths.append(folder.filePath(QString::fromLatin1(name)));
            QFile file(paths.back());
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        }
        m_window->files().openPaths(paths); // As the command line does.
        QTRY_VERIFY_WITH_TIMEOUT(compare().runs().size() == 3 && compare().set() && !compare().runner()->isBusy(), kLongMs);
        QCOMPARE(m_window->workspace(), QStringLiteral("compare"));
        QCOMPARE(m_window->document().displayName(), QStringLiteral("a.yaml"));
        QCOMPARE(compare().baseline(), std::size_t{0});
        QCOMPARE(compare().runs()[0].run, m_window->history().current());
        QCOMPARE(compare().runs()[1].name, QStringLiteral("b.yaml"));
        QCOMPARE(compare().runs()[2].name, QStringLiteral("c.yaml"));
        QVERIFY(!m_window->line().hasText());
    }

    void F1_aFirstDesignThatNeverRanLeavesNothingBehind()
    {
        const QTemporaryDir folder;
        const QStringList paths{folder.filePath(QStringLiteral("broken.yaml")), folder.filePath(QStringLiteral("b.yaml"))};
        for (const auto& [path, text] : {std::pair{paths[0], "fabricscope: 1\nplatform: {dimensions: [{shape: cube}]}\n"}, {paths[1], kOddLink}}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        }
        m_window->files().openPaths(paths);
        QTRY_VERIFY_WITH_TIMEOUT(compare().runs().size() == 1 && !compare().runner()->isBusy(), kLongMs);
        const RunResultPtr other = compare().runs()[0].run;
        open(kTwoRanks, QStringLiteral("two.yaml"));
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare().set() && !compare().runner()->isBusy(), kLongMs);
        QCOMPARE(compare().runs()[compare().baseline()].run, other);
    }

    void F1_anErrorIsNotSaidForEver()
    {
        m_window->files().openPaths({QStringLiteral("/there/is/none.yaml")});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->line().hasText(), kLongMs);
        QCOMPARE(m_window->line().severity(), Severity::Error);
        open(kTwoRanks, QStringLiteral("two.yaml"));
        QVERIFY(!m_window->line().hasText());
        m_window->showFailureText(QStringLiteral("It did not work."));
        m_window->endProblem(); // The rest of the same worked.
        QVERIFY(m_window->line().hasText());
        QCoreApplication::processEvents();
        command("view.draw").trigger();
        auto& canvas = part<GraphCanvas>(*m_window);
        const QSignalSpy moved(&canvas, &GraphCanvas::pointerMoved);
        constexpr QPointF kAt(40, 40);
        QMouseEvent move(QEvent::MouseMove, kAt, canvas.mapToGlobal(kAt), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas, &move);
        QVERIFY(moved.count() > 0);
        QVERIFY(m_window->line().hasText()); // Nothing has worked by that.
        command("compare.pin").trigger();
        QVERIFY(!m_window->line().hasText());
        m_window->showNotice(QStringLiteral("Worth knowing."));
        m_window->endProblem();
        QVERIFY(m_window->line().hasText());
    }
};

FABRICSCOPE_GUI_TEST(WindowCompareTest)
#include "tst_window_compare.moc"
