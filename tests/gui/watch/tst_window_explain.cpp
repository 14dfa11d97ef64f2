// The critical path of the run on show in the whole window, by keys.
#include "app/desktop/exploreview.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/partsbar.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/results/explanationview.h"
#include "widgets/results/inspector.h"
#include "widgets/timeline/view.h"

#include <QtTest>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QUndoStack>

using namespace fabricscope;
using namespace fabricscope::test;

class WindowExplainTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    ExploreView& explore() { return part<ExploreView>(*m_window); }
    TimelineView& timeline() { return explore().timeline(); }
    ExplanationView& view() { return part<Inspector>(*m_window).explanationView(); }
    const PathStep& step() { return (*timeline().criticalPath())[*timeline().pathStep()]; }

private slots:
    void initTestCase() { useOwnHome(m_home); }
    void init()
    {
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
        const QString path = m_home.filePath(QStringLiteral("two.yaml"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kTwoRanks) > 0);
        file.close();
        m_window->files().openPaths({path});
        QTRY_VERIFY(m_window->history().current() && !m_window->runs().isBusy() && m_window->document().file() == path);
    }
    void cleanup() { m_window.reset(); }

    void T11_cShowsThePathAndShiftCWalksIt()
    {
        timeline().setFocus();
        QTest::keyClick(&timeline(), Qt::Key_C);
        QTRY_VERIFY(timeline().criticalPath());
        QCOMPARE(timeline().criticalPath()->size(), std::size_t{3});
        auto& bar = tagged<PartsBar>(*m_window, "pathbar");
        QVERIFY(bar.isVisible());
        std::int64_t sum = 0;
        for (const PartsBar::Part& part : bar.parts())
            sum += part.amount;
        QCOMPARE(sum, m_window->history().current()->record().finish.ps);
        QTest::keyClick(&timeline(), Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(step().ps(), std::int64_t{250'000'000});
        QTest::keyClick(&timeline(), Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(step().beginPs, std::int64_t{250'000'000});
        QTest::keyClick(&timeline(), Qt::Key_X, Qt::ShiftModifier);
        QCOMPARE(step().beginPs, std::int64_t{0});
        QTest::keyClick(&timeline(), Qt::Key_C);
        QVERIFY(!timeline().criticalPath());
        QVERIFY(!bar.isVisible());
    }
    /// The edit is one step that can be undone, and the path of the next run is another.
    void tryingAnEditChangesTheDesignOnce()
    {
        timeline().setFocus();
        QTest::keyClick(&timeline(), Qt::Key_C);
        QTRY_VERIFY(view().explanation() && view().explanation()->ranged);
        const std::string before = m_window->document().text();
        const int index = m_window->document().undoStack().index();
        QPushButton* tried = nullptr;
        for (QPushButton* button : view().findChildren<QPushButton*>(QStringLiteral("try"))) {
            if (!tried && !button->isHidden())
                tried = button;
        }
        QVERIFY(tried);
        QTest::keyClick(tried, Qt::Key_Space);
        QCOMPARE(m_window->document().undoStack().index(), index + 1);
        QVERIFY(m_window->document().text() != before);
        QTRY_VERIFY(!m_window->runs().isBusy());
        QTRY_VERIFY(view().explanation() && view().explanation()->of == m_window->history().shown());
        QTRY_VERIFY(timeline().criticalPath() && timeline().criticalPath()->back().endPs == m_window->history().shown()->record().finish.ps);
        m_window->commands().action(QStringLiteral("edit.undo"))->trigger();
        QCOMPARE(m_window->document().text(), before);
    }
    /// Nobody has asked for an explanation before: the lens does.
    void E10_gainIfFasterColoursLinksAfterTheRunIsExplained()
    {
        auto& lens = tagged<QComboBox>(*m_window, "lens");
        QVERIFY(!view().explanation());
        lens.setCurrentIndex(2);
        QTRY_VERIFY(view().explanation());
        // 40 us of bytes on the path: a tenth more saves 40 / 11.
        QCOMPARE(explore().canvas().heatScale().most.ps, std::int64_t{40'000'000} / 11);
        const Platform& platform = m_window->history().current()->scenario->structure->platform;
        for (LinkId link = 0; link < platform.linkCount(); ++link)
            QCOMPARE(explore().canvas().heat().link(link, 0), 1.0);
        lens.setCurrentIndex(0);
        QVERIFY(explore().canvas().heatScale().what.isEmpty());
    }
};

FABRICSCOPE_GUI_TEST(WindowExplainTest)
#include "tst_window_explain.moc"
