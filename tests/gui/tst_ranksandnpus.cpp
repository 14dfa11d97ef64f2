// A rank is no NPU: with removed or idle NPUs their numbers differ, and every view says which of the two it means.
#include "tests/gui/support/runresults.h"
#include "widgets/design/dimensiontable.h"
#include "widgets/design/document.h"
#include "widgets/design/factsheet.h"
#include "widgets/results/diagnosis.h"
#include "widgets/results/linktable.h"
#include "widgets/results/ranktable.h"
#include "widgets/results/selectiondetails.h"
#include "widgets/results/words.h"
#include "widgets/timeline/rows.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// NPU 2 of 8 is removed: rank 2 runs on NPU 3.
const char* const kSeven = R"(fabricscope: 1
platform:
  dimensions:
    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}
  overrides:
    npus:
      - {npu: 2, removed: true}
workload: {collective: all_reduce, size: 7 MB}
collectives: {default: {algorithm: direct, chunks: 1}}
)";

QString cellOf(const TableContent& table, int row, const char* column)
{
    for (std::size_t i = 0; i < table.columns().size(); ++i)
        if (table.columns()[i].title == QString::fromLatin1(column))
            return table.text(row, static_cast<int>(i));
    return QStringLiteral("no such column");
}

} // namespace

class RanksAndNpusTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_seven = runText(kSeven);

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void theRankTableNamesTheNpusOfItsRanks()
    {
        const TableContentPtr each = ranksContent(*m_seven, true);
        QCOMPARE(each->rows(), 7);
        QCOMPARE(cellOf(*each, 1, "Rank"), QStringLiteral("1"));
        QCOMPARE(cellOf(*each, 1, "NPU"), QStringLiteral("1"));
        QCOMPARE(cellOf(*each, 2, "Rank"), QStringLiteral("2"));
        QCOMPARE(cellOf(*each, 2, "NPU"), QStringLiteral("3"));
        QCOMPARE(cellOf(*each, 6, "NPU"), QStringLiteral("7"));
        const TableContentPtr folded = ranksContent(*m_seven, false);
        QString npus;
        for (int row = 0; row < folded->rows(); ++row)
            npus += cellOf(*folded, row, "NPUs") + QLatin1Char(';');
        QVERIFY2(!npus.contains(QLatin1Char('2')), qPrintable(npus));
        // Where both have the same numbers, one is enough.
        QCOMPARE(cellOf(*ranksContent(*runText(kTwoRanks), true), 0, "NPU"), QStringLiteral("no such column"));
    }

    void theInspectorSaysWhatBecameOfAnNpu()
    {
        const SelectionDetails removed = npuDetails(*m_seven, 2);
        QVERIFY(removed.subtitle.startsWith(QStringLiteral("Removed")));
        QVERIFY(removed.rows.empty());
        QCOMPARE(removed.rank, -1);
        QCOMPARE(npuDetails(*m_seven, 3).subtitle, QStringLiteral("Runs rank 2"));
        QCOMPARE(npuDetails(*m_seven, 3).rank, 2);
        const Platform& platform = m_seven->scenario->structure->platform;
        for (LinkId link = 0; link < platform.linkCount(); ++link)
            QCOMPARE(linkDetails(*m_seven, link).subtitle.startsWith(QStringLiteral("Removed")), platform.isRemoved(link));
    }

    void theTimelineShowsRanks()
    {
        QCOMPARE(rankClassName(*m_seven->timeline, 0), QStringLiteral("All 7 ranks"));
        RankSet some;
        for (const int rank : {0, 1, 2, 5})
            some.add(rank);
        QCOMPARE(texts::ranks(some), QString::fromUtf8("Ranks 0–2, 5"));
    }

    void whatWasRemovedIsNotCounted()
    {
        // A port up and a port down for each of the 7 that are left.
        QCOMPARE(DimensionTable::summary(m_seven->scenario->structure->platform), QString::fromUtf8("7 NPUs · 14 links · 1 switch · 1 NPU removed"));
        const TableContentPtr links = linksContent(*m_seven, true);
        for (int row = 0; row < links->rows(); ++row)
            QVERIFY2(!links->text(row, 0).contains(QStringLiteral("unused")), qPrintable(links->text(row, 0)));
        const auto facts = WorkloadFacts::factsOf(*m_seven->design);
        QCOMPARE(facts.back().second, QStringLiteral("7 ranks on 7 NPUs"));
    }
};

FABRICSCOPE_GUI_TEST(RanksAndNpusTest)
#include "tst_ranksandnpus.moc"
