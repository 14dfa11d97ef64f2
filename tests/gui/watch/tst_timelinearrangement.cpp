#include "tests/unit/support/cases.h"
#include "core/base/index.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/timeline/rows.h"
#include "widgets/timeline/view.h"

#include <QtTest>

#include <QJsonArray>
#include <QScrollBar>
#include <QSignalSpy>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Keys of rows in the order they are shown, each once.
QStringList keys(const TimelineRows& rows)
{
    QStringList found;
    for (const TimelineRow& row : rows.rows())
        if (!found.contains(row.key))
            found.append(row.key);
    return found;
}

QStringList letters(int count)
{
    QStringList found;
    for (int i = 0; i < count; ++i)
        found.append(QString(QChar(u'a' + i)));
    return found;
}

QStringList sorted(QStringList list)
{
    list.sort();
    return list;
}

/// Rows lie one under the other without a gap.
bool areStacked(const TimelineRows& rows)
{
    int top = 0;
    return std::all_of(rows.rows().begin(), rows.rows().end(), [&top](const TimelineRow& row) {
        const bool fits = row.top == top;
        top += row.height;
        return fits;
    });
}

} // namespace

class TimelineArrangementTest : public QObject
{
    Q_OBJECT

    SyntheticRun m_run = trainingStep(); // 4 slow ranks (5 first), 12 in their rings (13 first), 112 others (0 first); three dimensions and an odd link
    TimelineSourcePtr m_source = TimelineSource::create(m_run.record, m_run.workload);
    TimelineRows m_rows;
    const QString m_slow = QStringLiteral("ranks 5 x4");

    TimelineArrangement arrangement() const { return m_rows.arrangement(); }

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_rows = TimelineRows();
        m_rows.setSource(m_source);
    }

    void T9_everyOrderIsAPermutationOfTheRows()
    {
        for (const std::uint64_t seed : Seeds(2000, 200)) {
            std::mt19937_64 random(seed);
            const QStringList all = letters(12);
            TimelineArrangement arrangement;
            QStringList wanted = all;
            for (int i = 0; i < 8; ++i) {
                const QStringList before = arrangement.ordered(all);
                const QString key = before[static_cast<qsizetype>(random() % 12)];
                const int by = random() % 2 ? 1 : -1;
                const qsizetype at = wanted.indexOf(key);
                const bool possible = at + by >= 0 && at + by < 12;
                if (possible)
                    wanted.swapItemsAt(at, at + by);
                QCOMPARE(arrangement.move(all, before, key, by), possible);
                QCOMPARE(arrangement.ordered(all), wanted);
            }
            // Of another run, with some of the rows and some more: none is lost, and those it knows keep their order.
            QStringList others;
            for (const QString& key : letters(16))
                if (random() % 3)
                    others.append(key);
            const QStringList result = arrangement.ordered(others);
            QCOMPARE(sorted(result), sorted(others));
            QStringList known;
            QStringList wantedKnown;
            for (const QString& key : result)
                if (arrangement.order.contains(key))
                    known.append(key);
            for (const QString& key : wanted)
                if (others.contains(key) && arrangement.order.contains(key))
                    wantedKnown.append(key);
            QCOMPARE(known, wantedKnown);
            QVERIFY(TimelineArrangement::fromJson(arrangement.toJson()) == arrangement);
        }
    }

    void T9_aRowThatIsNewComesBehindTheOneItUsuallyFollows()
    {
        TimelineArrangement arrangement;
        arrangement.order = {QStringLiteral("c"), QStringLiteral("a")};

        // Usually a, b, c, d: b follows a, d follows c.
        QCOMPARE(arrangement.ordered(letters(4)).join(QString()), QStringLiteral("cdab"));
    }

    void T9_whatIsNoListOfTextsIsNoArrangement()
    {
        const QJsonObject json{{QStringLiteral("pinned"), 3}, {QStringLiteral("hidden"), QJsonArray{QStringLiteral("x"), 4, QStringLiteral("x")}}};

        QCOMPARE(TimelineArrangement::fromJson(json).pinned, QStringList());
        QCOMPARE(TimelineArrangement::fromJson(json).hidden, QStringList{QStringLiteral("x")});
    }

    void T9_aPinnedRowIsAboveAllOthersAndOnlyThere()
    {
        TimelineArrangement wanted = arrangement();
        const QStringList before = keys(m_rows);
        wanted.setPinned(before.last(), true);
        wanted.setPinned(m_slow + QStringLiteral("/compute"), true);
        m_rows.setArrangement(wanted);

        QCOMPARE(keys(m_rows).first(2), (QStringList{before.last(), m_slow + QStringLiteral("/compute")}));
        QCOMPARE(keys(m_rows).size(), before.size());
        QVERIFY(m_rows.rows()[0].pinned && m_rows.rows()[1].pinned && !m_rows.rows()[2].pinned);
        QCOMPARE(m_rows.pinnedHeight(), m_rows.rows()[0].height + m_rows.rows()[1].height);
        QCOMPARE(m_rows.rows()[1].detail, QStringLiteral("Ranks 5, 37, 69, 101")); // Away from its group it says whose it is.
        QVERIFY(areStacked(m_rows));
    }

    void T9_aPinnedRowStaysWhileItsGroupIsCollapsed()
    {
        TimelineArrangement wanted;
        wanted.setPinned(m_slow + QStringLiteral("/compute"), true);
        m_rows.setArrangement(wanted);
        m_rows.setOpen(m_source->classOf(5), false);

        QCOMPARE(keys(m_rows).first(), m_slow + QStringLiteral("/compute"));
    }

    void T9_hiddenRowsAndGroupsAreGoneAndCounted()
    {
        TimelineArrangement wanted;
        wanted.setHidden(m_slow + QStringLiteral("/compute"), true);
        wanted.setHidden(QStringLiteral("busy"), true);
        wanted.setHidden(QStringLiteral("of another run"), true);
        m_rows.setArrangement(wanted);

        QCOMPARE(m_rows.rowOfKey(m_slow + QStringLiteral("/compute")), -1);
        QVERIFY(m_rows.rowOfKey(m_slow) >= 0);
        QVERIFY(std::none_of(m_rows.rows().begin(), m_rows.rows().end(), [](const TimelineRow& row) { return row.kind == TimelineRow::Kind::Busy || row.kind == TimelineRow::Kind::BusyHeader; }));
        QCOMPARE(m_rows.hiddenCount(), 2);
        QVERIFY(areStacked(m_rows));
    }

    void T9_groupsAndRowsMoveAmongTheirOwnKindOnly()
    {
        const QStringList before = keys(m_rows);
        const QString first = before[1]; // First row of the open group.
        QVERIFY(!m_rows.move(first, -1));
        QVERIFY(m_rows.move(first, 1));
        QCOMPARE(keys(m_rows).indexOf(first), 2);
        QCOMPARE(keys(m_rows).first(), m_slow);

        QVERIFY(m_rows.move(m_slow, 1)); // Its rows come along.
        const qsizetype group = keys(m_rows).indexOf(m_slow);
        QCOMPARE(group, 1); // Behind the next class, which is one collapsed row.
        QCOMPARE(keys(m_rows).indexOf(first), group + 2);
        QVERIFY(m_rows.move(m_slow, -1));
        QVERIFY(m_rows.move(first, -1));
        QCOMPARE(keys(m_rows), before);
    }

    void T9_aRowMovesPastThoseThatAreHidden()
    {
        const QStringList before = keys(m_rows);
        TimelineArrangement wanted;
        wanted.setHidden(before[2], true);
        m_rows.setArrangement(wanted);

        QVERIFY(m_rows.move(before[1], 1));

        QCOMPARE(keys(m_rows)[1], before[3]);
        QCOMPARE(keys(m_rows)[2], before[1]);
    }

    void T9_theFilterKeepsWhatAnswersItInEveryGroup()
    {
        m_rows.setFilter(QStringLiteral("compute"));
        int found = 0;
        for (const TimelineRow& row : m_rows.rows()) {
            QVERIFY2(row.isHeader() || row.label == QStringLiteral("Compute") || row.label.isEmpty(), qPrintable(row.label));
            found += row.label == QStringLiteral("Compute") ? 1 : 0;
        }
        QCOMPARE(found, 3); // Collapsed groups show theirs too.

        m_rows.setFilter(QStringLiteral("busy"));
        QCOMPARE(m_rows.rows().size(), 5U); // A header, three dimensions and an odd link: by the name of their group.
        m_rows.setFilter(QStringLiteral("zzz"));
        QVERIFY(m_rows.rows().empty());
        QCOMPARE(m_rows.totalHeight(), 0);
        m_rows.setFilter(QStringLiteral("  "));
        QCOMPARE(keys(m_rows).first(), m_slow);
    }

    void T9_anotherRunOfTheDesignTakesTheArrangementOver()
    {
        TimelineArrangement wanted;
        wanted.setPinned(m_slow + QStringLiteral("/compute"), true);
        m_rows.setArrangement(wanted);
        const SyntheticRun even = trainingStep(false); // One class: no rank is slower.
        m_rows.setSource(TimelineSource::create(even.record, even.workload));
        QCOMPARE(m_rows.pinnedHeight(), 0);
        m_rows.setSource(m_source);
        QVERIFY(m_rows.pinnedHeight() > 0);
    }

    void T9_theViewActsOnTheCurrentRowAndPinnedRowsDoNotScroll()
    {
        TimelineView view;
        view.resize(1200, 160);
        view.setSource(m_source, m_run.workload);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy changed(&view, &TimelineView::arrangementChanged);
        std::size_t busy = 0;
        while (m_source->tracks()[busy].kind != TimelineTrack::Kind::Busy)
            ++busy;
        view.setCurrentRow(view.rows().keyOfTrack(busy));

        view.togglePin();
        QCOMPARE(changed.count(), 1);
        const double y = view.trackRect(busy).top();
        QVERIFY(view.verticalScrollBar()->maximum() > 0);
        view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
        QCOMPARE(view.trackRect(busy).top(), y);

        // Ctrl+Down goes on to the row below, which a command then hides; another goes on from there.
        QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(view.currentRow(), m_slow);
        view.hideRow();
        QCOMPARE(view.rows().rowOfKey(m_slow), -1);
        QCOMPARE(view.rows().hiddenCount(), 1);
        QVERIFY(view.rows().rowOfKey(view.currentRow()) >= 0);
        view.showAllRows();
        QCOMPARE(view.rows().hiddenCount(), 0);
        QCOMPARE(changed.count(), 3);
    }

    void T9_aClickOnALabelMakesItsRowTheCurrentOne()
    {
        TimelineView view;
        view.resize(1200, 300);
        view.setSource(m_source);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const TimelineRow row = view.rows().rows()[1];

        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(60, 22 + row.top + row.height / 2));

        QCOMPARE(view.currentRow(), row.key);
    }

    void T9_whatIsGoneToIsShownWhereverItWas()
    {
        TimelineView view;
        view.resize(1200, 300);
        view.setSource(m_source, m_run.workload);
        const int others = m_source->classOf(0);
        const auto track = static_cast<std::size_t>(m_source->classes()[at(others)].firstTrack);
        TimelineArrangement wanted;
        wanted.setHidden(view.rows().keyOfTrack(track), true);
        view.setArrangement(wanted);
        view.setFilter(QStringLiteral("d2"));
        QCOMPARE(view.rows().rowOfTrack(track), -1);
        QSignalSpy givenUp(&view, &TimelineView::filterGivenUp);

        view.reveal({track, 0});

        QVERIFY(view.rows().rowOfTrack(track) >= 0);
        QCOMPARE(givenUp.count(), 1);
        QVERIFY(view.selection() == (TimelineSelection{track, 0}));
        QCOMPARE(view.currentRow(), view.rows().keyOfTrack(track));
    }
};

FABRICSCOPE_GUI_TEST(TimelineArrangementTest)
#include "tst_timelinearrangement.moc"
