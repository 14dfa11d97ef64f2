// Parts of the window that a worker fills say so when there is no memory or no thread for it, and can be asked once more.
#include "tests/gui/support/named.h"
#include "tests/gui/support/nothreads.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/base/partsbar.h"
#include "widgets/results/collectivetable.h"
#include "widgets/results/ranktable.h"
#include "widgets/results/section.h"
#include "widgets/results/table.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QAbstractItemModel>
#include <QLabel>
#include <QTableView>

using namespace fabricscope;
using fabricscope::test::NoThreads;
using fabricscope::test::part;
using fabricscope::test::tagged;

namespace {

using fabricscope::test::kLongMs;

/// So many tasks and so many ranks that neither is looked at on the spot.
RunResultPtr largeRun()
{
    test::RunBuilder builder;
    constexpr int kTasks = 120'000;
    for (std::int64_t i = 0; i < kTasks; ++i)
        builder.compute("work", i * 1000, i * 1000 + 900);
    return test::resultOf(test::oneClass(builder, 128), test::podPlatform());
}

void tryAgain(QLabel* label)
{
    QVERIFY(label->text().contains(QStringLiteral("Not shown: not enough memory or threads.")));
    emit label->linkActivated(QStringLiteral("again"));
}

} // namespace

class NotShownTest : public QObject
{
    Q_OBJECT

private slots:
    /// One function for all: threads stay once there are any.
    void whatThereIsNoThreadForSaysSoAndCanBeAskedAgain()
    {
        const RunResultPtr run = largeRun();
        CollectivesModel collectives;
        ResultTable ofCollectives;
        ofCollectives.setEmptyText(QStringLiteral("Nothing has run yet."));
        ofCollectives.setModel(&collectives, QStringLiteral("Collectives"));
        ResultSection section;
        auto many = std::make_shared<StoredTable>(std::vector<TableColumn>{{QStringLiteral("N"), QStringLiteral("N"), TableColumn::Look::Number}}, QString());
        for (int i = 0; i <= ResultTable::kRowsAtOnce; ++i) {
            StoredTable::Row row;
            row.id = i;
            row.cells.push_back({QString::number(i), std::int64_t{i}});
            many->add(std::move(row));
        }
        TableModel numbers;
        numbers.setContent(many);
        ResultTable ofNumbers;
        ofNumbers.setEmptyText(QStringLiteral("Nothing."));
        ofNumbers.setModel(&numbers, QStringLiteral("Numbers"));
        for (QWidget* widget : std::initializer_list<QWidget*>{&ofCollectives, &section, &ofNumbers}) {
            widget->resize(600, 300);
            widget->show();
        }
        {
            const NoThreads none;
            collectives.setResult(run);
            section.setResult(run, nullptr, {});
            ofNumbers.sortBy(0, Qt::DescendingOrder);
            QTRY_VERIFY_WITH_TIMEOUT(collectives.isMissing() && tagged<QLabel>(section, "missing").isVisible() && !ofNumbers.isBusy(), kLongMs);
            QCOMPARE(ofCollectives.view()->model()->rowCount(), 0);
            QVERIFY(tagged<QLabel>(ofCollectives, "empty").isVisible());
            QVERIFY(part<PartsBar>(section).parts().empty());
            QCOMPARE(ofNumbers.view()->model()->rowCount(), 0);
            QVERIFY(tagged<QLabel>(ofNumbers, "empty").isVisible());
            // Still none: it stays said.
            tryAgain(&tagged<QLabel>(ofNumbers, "empty"));
            QTRY_VERIFY_WITH_TIMEOUT(!ofNumbers.isBusy(), kLongMs);
        }
        tryAgain(&tagged<QLabel>(ofCollectives, "empty"));
        tryAgain(&tagged<QLabel>(section, "missing"));
        tryAgain(&tagged<QLabel>(ofNumbers, "empty"));
        QTRY_VERIFY_WITH_TIMEOUT(collectives.content() && !collectives.isMissing(), kLongMs);
        QTRY_VERIFY_WITH_TIMEOUT(!part<PartsBar>(section).parts().empty(), kLongMs);
        QVERIFY(!tagged<QLabel>(section, "missing").isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(ofNumbers.view()->model()->rowCount(), ResultTable::kRowsAtOnce + 1, kLongMs);
        QCOMPARE(ofNumbers.view()->model()->index(0, 0).data().toString(), QString::number(ResultTable::kRowsAtOnce));
        QVERIFY(!tagged<QLabel>(ofNumbers, "empty").isVisible());
        QCOMPARE(tagged<QLabel>(ofCollectives, "empty").text(), QStringLiteral("Nothing has run yet."));
    }
};

FABRICSCOPE_GUI_TEST(NotShownTest)
#include "tst_notshown.moc"
