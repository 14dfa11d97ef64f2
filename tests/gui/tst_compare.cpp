// The workspace Compare by itself: what is pinned, added and open, its figures, axis, waterfall and keys.
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/nothreads.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/partsbar.h"
#include "widgets/compare/card.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/compare/timelines.h"
#include "widgets/compare/waterfallview.h"
#include "widgets/results/table.h"

#include <QAccessible>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using fabricscope::test::kLongMs;

/// 1 MB all-gather over a pair: one step of latency + 500 kB / rate, after 100 us of compute.
std::string pairText(const char* rate, const char* latency, const char* more = "")
{
    return std::string("fabricscope: 1\nname: pair\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: ") + rate + ", latency: " + latency
        + "}\nworkload:\n  steps:\n    - {compute: 100 us}\n    - {collective: all_gather, size: 1 MB}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n" + more;
}

/// The exact number of a cell.
qint64 exact(const CompareWorkspace& compare, const QString& row, int column)
{
    const QAbstractItemModel& model = *compare.figures()->view()->model();
    for (int r = 0; r < model.rowCount(); ++r) {
        if (model.index(r, 0).data().toString() == row)
            return model.index(r, column).data(TableModel::SortRole).toLongLong();
    }
    return -1;
}

void write(const QString& path, const std::string& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
}

} // namespace

class CompareTest : public QObject
{
    Q_OBJECT
    std::unique_ptr<CompareWorkspace> m_compare;
    RunResultPtr m_slow;
    RunResultPtr m_fast;

    /// The slow design pinned, the fast one open.
    void showPair()
    {
        m_compare->setCurrent(m_slow, QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
    }

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        m_slow = runText(pairText("5 GB/s", "1 us"));  // 100 + 1 + 100 us
        m_fast = runText(pairText("10 GB/s", "2 us")); // 100 + 2 + 50 us
    }

    void init()
    {
        m_compare = std::make_unique<CompareWorkspace>();
        m_compare->resize(1200, 800);
        m_compare->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_compare.get()));
    }

    void cleanup() { m_compare.reset(); }

    void R5_figuresAreThoseOfSeparateRuns()
    {
        showPair();
        QCOMPARE(m_slow->record().finish.ps, 201'000'000);
        QCOMPARE(m_fast->record().finish.ps, 152'000'000);
        QCOMPARE(exact(*m_compare, QStringLiteral("Step time, sum"), 1), 201'000'000);
        QCOMPARE(exact(*m_compare, QStringLiteral("Step time, sum"), 2), 152'000'000);
        QCOMPARE(exact(*m_compare, QStringLiteral("Step time, sum"), 3), -49'000'000);
        QCOMPARE(exact(*m_compare, QStringLiteral("Compute"), 3), 0);
        QCOMPARE(exact(*m_compare, QStringLiteral("All-gather, exposed"), 3), -49'000'000);
        QCOMPARE(m_compare->cards().size(), std::size_t{2});
        QVERIFY(m_compare->cards()[1]->changeText().contains(QStringLiteral("24.4")));
    }

    /// 201 and 152 us are 32.2 % apart.
    void R5_timesWithinTheErrorOfTheFabricAreNotDistinguishable()
    {
        m_compare->setCurrent(runText(pairText("5 GB/s", "1 us") + "accuracy: {error: 50}\n"), QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(runText(pairText("10 GB/s", "2 us") + "accuracy: {error: 40}\n"), QStringLiteral("fast"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(m_compare->cards()[1]->changeText(), QStringLiteral("not distinguishable (32.2 % apart, error 50 %)"));
    }

    void R5_allRunsAreOnOneAxis()
    {
        showPair();
        const ComparedTimelines& axis = *m_compare->timelines();
        const double start = axis.xOf({});
        const double slow = axis.xOf(m_slow->record().finish) - start;
        const double fast = axis.xOf(m_fast->record().finish) - start;
        QVERIFY(slow > 100);
        QVERIFY2(qAbs(fast / slow - 152.0 / 201.0) < 1e-3, qPrintable(QString::number(fast / slow)));
        QVERIFY(axis.runRect(1).top() > axis.runRect(0).top() && axis.runRect(1).height() > axis.fontMetrics().height());
    }

    void R5_theWaterfallAddsUp()
    {
        showPair();
        const WaterfallView& view = *m_compare->waterfall();
        QCOMPARE(view.rowCount(), 4);
        QCOMPARE(view.nameText(1), QStringLiteral("platform.dimensions[0].bandwidth"));
        QCOMPARE(view.nameText(2), QStringLiteral("platform.dimensions[0].latency"));
        const std::vector<FieldColumns>& fields = m_compare->set()->fields;
        QCOMPARE(fields.size(), std::size_t{2});
        QCOMPARE(fields[0].field, std::string("platform.dimensions[0].bandwidth"));
        QVERIFY((fields[0].values == std::vector<std::string>{"5 GB/s", "10 GB/s"}));
        QVERIFY((fields[1].values == std::vector<std::string>{"1 us", "2 us"}));
        const Waterfall& made = *m_compare->set()->paths[0].waterfall;
        QCOMPARE(made.items[0].delta().ps, -50'000'000);
        QCOMPARE(made.items[1].delta().ps, 1'000'000);
        // Bars float: what one leaves is where the next begins.
        QVERIFY(qAbs(view.barRect(0).right() - view.barRect(1).right()) < 0.01);
        QVERIFY(qAbs(view.barRect(1).left() - view.barRect(2).left()) < 0.01);
        QVERIFY(qAbs(view.barRect(2).right() - view.barRect(3).right()) < 0.01);
        QVERIFY(view.barRect(1).width() > 40 * view.barRect(2).width());
    }

    void R5_swappingTurnsTheDifferenceRound()
    {
        showPair();
        m_compare->setFocus();
        QTest::keyClick(m_compare.get(), Qt::Key_S);
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(m_compare->runs()[0].name, QStringLiteral("fast"));
        QCOMPARE(exact(*m_compare, QStringLiteral("Step time, sum"), 3), 49'000'000);
        QCOMPARE(m_compare->waterfall()->nameText(0), QStringLiteral("A fast"));
        m_compare->setBaseline(1);
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(exact(*m_compare, QStringLiteral("Step time, sum"), 3), -49'000'000);
    }

    void R5_whatIsPinnedSurvivesAnotherDesign()
    {
        showPair();
        const RunResultPtr other = runText(kTwoRanks);
        m_compare->setCurrent(other, QStringLiteral("Two ranks"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(m_compare->runs()[0].run, m_slow);
        QCOMPARE(m_compare->runs()[1].run, other);
        QVERIFY(m_compare->set()->paths[0].changes.hasOtherWorkload());
        bool said = false;
        for (const QLabel* label : m_compare->findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text() == QStringLiteral("A and B run different workloads."));
        QVERIFY(said);
        m_compare->setCurrent(nullptr, {});
        QCOMPARE(m_compare->runs().size(), std::size_t{1});
        QVERIFY(!m_compare->set());
    }

    void R5_filesAreRunAndWhatFailsKeepsItsMessage()
    {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("a.yaml")), pairText("5 GB/s", "1 us"));
        write(folder.filePath(QStringLiteral("broken.yaml")), "fabricscope: 1\nplatform: {dimensions: [{shape: cube}]}\n");
        write(folder.filePath(QStringLiteral("c.yaml")), pairText("10 GB/s", "2 us"));
        m_compare->addFiles({folder.filePath(QStringLiteral("a.yaml")), folder.filePath(QStringLiteral("broken.yaml")), folder.filePath(QStringLiteral("c.yaml"))});
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->cards().size() == 3 && m_compare->set() && !m_compare->runner()->isBusy(), kLongMs);
        QCOMPARE(m_compare->runs()[0].name, QStringLiteral("a.yaml"));
        QCOMPARE(m_compare->runs()[1].run->record().fingerprint.hex(), m_fast->record().fingerprint.hex());
        bool said = false;
        for (const QLabel* label : m_compare->cards()[2]->findChildren<QLabel*>())
            said = said || label->text().contains(QStringLiteral("cube"));
        QVERIFY(said);
        m_compare->remove(2);
        QCOMPARE(m_compare->cards().size(), std::size_t{2});
    }

    void R5_atMostFourAreCompared()
    {
        QSignalSpy refused(m_compare.get(), &CompareWorkspace::refused);
        for (const char* rate : {"1 GB/s", "2 GB/s", "3 GB/s", "4 GB/s"}) {
            m_compare->setCurrent(runText(pairText(rate, "1 us")), QString::fromLatin1(rate));
            QVERIFY(m_compare->pinCurrent());
        }
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QCOMPARE(m_compare->runs().size(), std::size_t{4});
        QVERIFY(!m_compare->pinCurrent());
        QCOMPARE(refused.count(), 1);
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(m_compare->set()->paths.size(), std::size_t{3});
        // From the first to each of the others.
        auto& paths = named<QComboBox>(*m_compare, "Design that the waterfall leads to");
        QCOMPARE(paths.count(), 3);
        paths.setCurrentIndex(2);
        QCOMPARE(m_compare->waterfall()->nameText(m_compare->waterfall()->rowCount() - 1), QStringLiteral("D 4 GB/s"));
    }

    void R5_aBaselineThatHasNoPlaceTakesNoOtherAway()
    {
        for (const char* rate : {"1 GB/s", "2 GB/s", "3 GB/s", "4 GB/s"}) {
            m_compare->setCurrent(runText(pairText(rate, "1 us")), QString::fromLatin1(rate));
            QVERIFY(m_compare->pinBaseline());
        }
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QVERIFY(!m_compare->pinBaseline());
        m_compare->unpinBaseline();
        QCOMPARE(m_compare->runs().size(), std::size_t{4});
        QCOMPARE(m_compare->runs()[3].name, QStringLiteral("4 GB/s"));
    }

    void R5_filesThatStillRunHaveTheirPlaces()
    {
        const QTemporaryDir folder;
        QStringList paths;
        for (const char* rate : {"1 GB/s", "2 GB/s", "3 GB/s", "4 GB/s", "5 GB/s"}) {
            paths.append(folder.filePath(QString::fromLatin1(rate).left(1) + QStringLiteral(".yaml")));
            write(paths.back(), pairText(rate, "1 us"));
        }
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QSignalSpy refused(m_compare.get(), &CompareWorkspace::refused);
        // Nothing is answered before this returns to the event loop.
        m_compare->addFiles(paths.mid(0, 2));
        m_compare->addFiles(paths.mid(2));
        QCOMPARE(refused.count(), 1);
        QVERIFY(!m_compare->pinCurrent());
        QCOMPARE(refused.count(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->runs().size() == 4 && m_compare->set() && !m_compare->runner()->isBusy(), kLongMs);
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(m_compare->runs()[i].name, QStringLiteral("%1.yaml").arg(i + 1));
        QCOMPARE(refused.count(), 2);
        // Those that were stopped have none.
        m_compare->remove(3);
        m_compare->addFiles({paths.back()});
        QVERIFY(!m_compare->pinCurrent());
        named<QPushButton>(*m_compare, "Stop").click();
        QVERIFY(m_compare->pinCurrent());
    }

    void R5_theBaselineStaysTheSameRun()
    {
        showPair();
        m_compare->swapFirst(); // What is open stands first; files are put before it.
        m_compare->setBaseline(1);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("first.yaml"));
        write(path, pairText("7 GB/s", "1 us"));
        m_compare->addFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->runs().size() == 3 && m_compare->set(), kLongMs);
        QCOMPARE(m_compare->runs()[0].name, QStringLiteral("first.yaml"));
        QCOMPARE(m_compare->runs()[m_compare->baseline()].run, m_slow);
        QCOMPARE(m_compare->set()->baseline, std::size_t{2});
        // The design that is open is closed, and another is opened.
        m_compare->setCurrent(nullptr, {});
        QCOMPARE(m_compare->runs()[m_compare->baseline()].run, m_slow);
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QCOMPARE(m_compare->runs()[m_compare->baseline()].run, m_slow);
        // What is open stays the baseline through its edits.
        m_compare->setBaseline(2);
        const RunResultPtr edited = runText(pairText("20 GB/s", "2 us"));
        m_compare->setCurrent(edited, QStringLiteral("edited"));
        QCOMPARE(m_compare->runs()[m_compare->baseline()].run, edited);
    }

    void R5_pinningNamesWhatIsPinned()
    {
        showPair();
        m_compare->swapFirst();
        QSignalSpy said(m_compare.get(), &CompareWorkspace::statusText);
        QVERIFY(m_compare->pinCurrent());
        QCOMPARE(said.count(), 1);
        QCOMPARE(said.at(0).at(0).toString(), QStringLiteral("Pinned for comparing: fast"));
        QCOMPARE(m_compare->runs().back().name, QStringLiteral("slow"));
    }

    void R5_whatWasStoppedIsNotAnswered()
    {
        m_compare->setCurrent(m_slow, QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QSignalSpy compared(m_compare->runner(), &ComparisonRunner::compared);
        QVERIFY(m_compare->runner()->isBusy());
        m_compare->runner()->waitForThreads(); // The answer is there and not delivered.
        named<QPushButton>(*m_compare, "Stop").click();
        QVERIFY(!m_compare->runner()->isBusy());
        // A later comparison is answered; the one that was stopped, which began before, is not.
        m_compare->swapFirst();
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(compared.count(), 1);
        QCOMPARE(m_compare->set()->designs[0].name, std::string("fast"));
    }

    void R5_whatIsTakenAwayWhileItIsComparedIsForgotten()
    {
        m_compare->setCurrent(m_slow, QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        QVERIFY(m_compare->runner()->isBusy());
        QSignalSpy compared(m_compare->runner(), &ComparisonRunner::compared);
        m_compare->runner()->waitForThreads(); // The answer is there and not delivered.
        m_compare->setCurrent(nullptr, {});
        QVERIFY(!m_compare->runner()->isBusy());
        // One that begins later and is answered: what began before would have been, too.
        m_compare->setCurrent(runText(kTwoRanks), QStringLiteral("Two ranks"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(compared.count(), 1);
        QCOMPARE(m_compare->set()->designs[1].name, std::string("Two ranks"));
        QSignalSpy refused(m_compare.get(), &CompareWorkspace::refused);
        m_compare->setCurrent(nullptr, {});
        QVERIFY(!m_compare->pinCurrent());
        QCOMPARE(refused.count(), 1);
    }

    void R5_whatCouldNotBeComparedSaysWhy()
    {
        const auto& tabs = named<QTabWidget>(*m_compare, "Tables");
        const auto& empty = tagged<QLabel>(named<ResultTable>(*m_compare, "Fields"), "empty");
        m_compare->setCurrent(m_slow, QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        QCOMPARE(tabs.tabText(1), QStringLiteral("Fields that differ"));
        QCOMPARE(empty.text(), QStringLiteral("Nothing is compared yet."));
        QSignalSpy refused(m_compare.get(), &CompareWorkspace::refused);
        {
            const NoThreads none;
            m_compare->setCurrent(m_fast, QStringLiteral("fast"));
        }
        QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, kLongMs);
        QVERIFY(!m_compare->set() && !m_compare->runner()->isBusy());
        QCOMPARE(m_compare->waterfall()->accessibleDescription(), QStringLiteral("The designs could not be compared: ") + refused[0][0].toString());
        QCOMPARE(empty.text(), QStringLiteral("Nothing is compared yet."));
        // The next comparison is another one.
        m_compare->swapFirst();
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(m_compare->waterfall()->rowCount(), 4);
        QCOMPARE(tabs.tabText(1), QStringLiteral("Fields that differ: 2"));
        m_compare->setCurrent(nullptr, {});
        QCOMPARE(tabs.tabText(1), QStringLiteral("Fields that differ"));
        QCOMPARE(empty.text(), QStringLiteral("Nothing is compared yet."));
        // Designs that are the same do not differ.
        m_compare->setCurrent(runText(pairText("5 GB/s", "1 us")), QStringLiteral("same"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QCOMPARE(tabs.tabText(1), QStringLiteral("Fields that differ: 0"));
        QCOMPARE(empty.text(), QStringLiteral("The designs do not differ in any field."));
    }

    void R5_fieldsOnACardAreToldApart()
    {
        const auto designText = [](const char* inner, const char* outer, const char* rate) {
            return std::string("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: 5 GB/s, latency: ") + inner
                + "}\n    - {shape: ring, size: 2, bandwidth: " + rate + ", latency: " + outer + "}\nworkload: {collective: all_gather, size: 1 MB}\n";
        };
        m_compare->setCurrent(runText(designText("1 us", "2 us", "5 GB/s")), QStringLiteral("first"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(runText(designText("3 us", "4 us", "6 GB/s")), QStringLiteral("second"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        QStringList said;
        for (const QLabel* label : m_compare->findChildren<QLabel*>())
            said += label->text().split(QLatin1Char('\n'));
        for (const char* line : {"dimensions[0].latency 3 us", "dimensions[1].latency 4 us", "bandwidth 6 GB/s"})
            QVERIFY2(said.contains(QLatin1String(line)), qPrintable(said.join(QLatin1Char('|'))));
    }

    /// With little room fewer fields are named; the bar never stands on their words.
    void R5_fieldsOnACardAreAsManyAsThereIsRoomFor()
    {
        showPair();
        const test::WithTheme large(Theme(Theme::Mode::Light, 26));
        const std::vector<CompareCard*> cards = m_compare->cards();
        QCOMPARE(cards.size(), std::size_t{2});
        for (const int height : {560, 1100}) {
            m_compare->resize(1280, height);
            m_compare->show();
            QVERIFY(QTest::qWaitForWindowExposed(m_compare.get()));
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            const auto& bar = test::part<PartsBar>(*cards[1]);
            int named = 0;
            for (const QLabel* label : cards[1]->findChildren<QLabel*>()) {
                QVERIFY2(!label->isVisible() || !label->geometry().intersects(bar.geometry()), qPrintable(label->text()));
                if (!label->wordWrap())
                    continue;
                ++named;
                QVERIFY(label->fontMetrics().lineSpacing() * label->text().split(QLatin1Char('\n')).size() <= label->height());
            }
            QCOMPARE(named, 1);
        }
    }

    void R5_whatHasNoTimeBetweenSaysWhy()
    {
        // Without the one field or with both the dimension cannot be read.
        std::string other = pairText("10 GB/s", "1 us");
        other.replace(other.find("bandwidth"), 9, "npu_bandwidth");
        m_compare->setCurrent(m_slow, QStringLiteral("slow"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(runText(other), QStringLiteral("other"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kLongMs);
        WaterfallView& view = *m_compare->waterfall();
        QCOMPARE(view.rowCount(), 4);
        QCOMPARE(view.changeText(1), QStringLiteral("with the next"));
        view.setCurrentRow(1);
        const QString why = QString::fromStdString(m_compare->set()->paths[0].waterfall->items[0].why);
        QVERIFY(!why.isEmpty());
        QVERIFY2(view.accessibleDescription().contains(QStringLiteral("A design with this and without the next has no time: ")), qPrintable(view.accessibleDescription()));
        QVERIFY2(view.accessibleDescription().contains(why.left(20)), qPrintable(view.accessibleDescription()));
    }

    void K1_theWaterfallAndTheAxisAreWalkedByKeys()
    {
        showPair();
        WaterfallView& view = *m_compare->waterfall();
        QTest::keyClick(&view, Qt::Key_Down);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.currentRow(), 1);
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("5 GB/s")) && view.accessibleDescription().contains(QStringLiteral("10 GB/s")));
        QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(view.currentRow(), 0);
        ComparedTimelines& axis = *m_compare->timelines();
        const TimeRange all = axis.visibleRange();
        QTest::keyClick(&axis, Qt::Key_W);
        QVERIFY(axis.visibleRange().spanPs() < all.spanPs());
        QTest::keyClick(&axis, Qt::Key_0, Qt::ControlModifier);
        QVERIFY(axis.visibleRange() == all);
    }

    void A5_everythingThatTakesTheFocusHasAName()
    {
        showPair();
        for (const QWidget* widget : m_compare->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            QAccessibleInterface* const read = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
            QVERIFY2(read && !read->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
        }
    }
};

FABRICSCOPE_GUI_TEST(CompareTest)
#include "tst_compare.moc"
