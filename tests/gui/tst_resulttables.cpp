#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "core/base/index.h"
#include "tests/gui/support/tablecells.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class ResultTablesTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_two = runText(kTwoRanks);

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void ranksAreShownByClassWithExactValuesBehindTheText()
    {
        RanksModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setResult(m_two);

        // Rank 0 computes 100 us and is done at 291 us, rank 1 250 us and 292 us.
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(cell(model, 0, 0), QStringLiteral("0"));
        QCOMPARE(model.headerData(2, Qt::Horizontal).toString(), QString::fromUtf8("Finish, µs"));
        QCOMPARE(cell(model, 0, 2), QStringLiteral("291.000"));
        QCOMPARE(model.index(1, 2).data(TableModel::SortRole).toLongLong(), 292'000'000);
        const int compute = columnNamed(model, QStringLiteral("Compute"));
        QCOMPARE(cell(model, 0, compute), QStringLiteral("100.000"));
        QCOMPARE(cell(model, 1, compute), QStringLiteral("250.000"));
        const int exposed = columnNamed(model, QStringLiteral("Exposed communication"));
        QCOMPARE(model.index(0, exposed).data(TableModel::SortRole).toLongLong(), 191'000'000);
        QCOMPARE(model.index(1, exposed).data(TableModel::SortRole).toLongLong(), 42'000'000);
        const int share = columnNamed(model, QStringLiteral("Exposed share"));
        QCOMPARE(model.index(0, share).data(TableModel::ShareRole).toDouble(), 191.0 / 291.0);
        QCOMPARE(cell(model, 1, share), QStringLiteral("14.4")); // 42 / 292
        QCOMPARE(model.index(1, 0).data(TableModel::IdRole).toLongLong(), 1);
    }

    void ranksOneByOneNeedNoStoragePerRank()
    {
        RanksModel model;
        model.setResult(manyRanks());
        QCOMPARE(model.rowCount(), 3);
        model.setPerRank(true);

        QCOMPARE(model.rowCount(), 150'000);
        QCOMPARE(cell(model, 77'777, 0), QStringLiteral("77777"));
        QCOMPARE(cell(model, 77'777, 2), QStringLiteral("3.000"));
        QCOMPARE(cell(model, 99'999, 2), QStringLiteral("2.000"));
        QCOMPARE(cell(model, 100'000, 2), QStringLiteral("1.000"));
        QCOMPARE(model.index(149'999, 0).data(TableModel::IdRole).toLongLong(), 149'999);
    }

    void perRankModelKeepsTheRulesOfModels()
    {
        RanksModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setPerRank(true);
        model.setResult(m_two);
        QCOMPARE(model.rowCount(), 2);
        model.setResult({});
        QCOMPARE(model.rowCount(), 0);
    }

    void alikeLinksFoldIntoOneRow()
    {
        LinksModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        PlatformSpec ring;
        ring.dimensions = {testDimension(Shape::Ring, 4, 50)};
        const RunResultPtr result = runText(R"(fabricscope: 1
platform: {dimensions: [{shape: fully_connected, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}
workload: {collective: all_reduce, size: 4 MB}
collectives: {default: {algorithm: direct, chunks: 1}}
)");
        model.setResult(result);

        // Direct on 4: every one of the 4 * 3 links carries one shard of 1 MB twice: 20 us each.
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(cell(model, 0, 0), QString::fromUtf8("NPU ↔ peers, all 12"));
        QCOMPARE(cell(model, 0, 1), QStringLiteral("D0"));
        QCOMPARE(model.index(0, 4).data(TableModel::SortRole).toLongLong(), 40'000'000);
        QCOMPARE(model.index(0, 6).data(TableModel::SortRole).toLongLong(), 2'000'000);
        QCOMPARE(model.index(0, 7).data(TableModel::SortRole).toLongLong(), 2);

        model.setFolded(false);
        QCOMPARE(model.rowCount(), 12);
    }

    void anOddLinkStandsAlone()
    {
        LinksModel model;
        const RunResultPtr result = runText(kOddLink);
        model.setResult(result);
        const LinkId odd = result->record().links.front().link;
        QCOMPARE(result->scenario->structure->platform.linkName(odd), std::string("d0 2>3"));

        // A ring of 4: six messages of 1 MB over each + link, 80 us each over the odd one and 20 us over the rest; - links idle.
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(cell(model, 0, 0), QString::fromUtf8("2 → 3"));
        QCOMPARE(model.index(0, 4).data(TableModel::SortRole).toLongLong(), 480'000'000);
        QCOMPARE(cell(model, 0, 2), QStringLiteral("12.5"));
        QCOMPARE(cell(model, 1, 0), QString::fromUtf8("NPU ↔ neighbours, 3 alike"));
        QCOMPARE(model.index(1, 4).data(TableModel::SortRole).toLongLong(), 120'000'000);
        QCOMPARE(cell(model, 1, 2), QStringLiteral("50.0"));
        QCOMPARE(cell(model, 2, 0), QString::fromUtf8("NPU ↔ neighbours, 4 unused"));
        QCOMPARE(model.index(0, 0).data(TableModel::IdRole).toLongLong(), odd);
    }

    void collectivesTellWhenTheyBeganAndEnded()
    {
        CollectivesModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setResult(m_two);

        // First issue by rank 0 at 100 us, end at 292 us.
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(cell(model, 0, 0), QStringLiteral("sum"));
        QCOMPARE(cell(model, 0, 1), QStringLiteral("All-reduce"));
        QCOMPARE(cell(model, 0, 2), QStringLiteral("All ranks"));
        QCOMPARE(cell(model, 0, 4), QStringLiteral("ring on D0"));
        QCOMPARE(cell(model, 0, 5), QStringLiteral("1"));
        QCOMPARE(model.index(0, 3).data(TableModel::SortRole).toLongLong(), 2'000'000);
        QCOMPARE(model.index(0, 6).data(TableModel::SortRole).toLongLong(), 100'000'000);
        QCOMPARE(model.index(0, 7).data(TableModel::SortRole).toLongLong(), 292'000'000);
        QCOMPARE(model.index(0, 8).data(TableModel::SortRole).toLongLong(), 192'000'000);
    }

    void boundsTellTheShareThatWasReached()
    {
        RunSummary summary;
        CollectiveBoundRow tensor;
        tensor.op = "all_reduce";
        tensor.group = "tensor";
        tensor.ranks = 8;
        tensor.bytes = 4'000'000;
        tensor.algorithm = "ring";
        tensor.count = 12;
        tensor.bound = {80'000'000}; // 80 us: 5 of latency and 75 of bandwidth.
        tensor.latency = {5'000'000};
        tensor.bandwidth = {75'000'000};
        tensor.cut = "links into NPU 0";
        tensor.best = {100'000'000};
        tensor.worst = {160'000'000};
        CollectiveBoundRow world = tensor;
        world.op = "all_gather";
        world.group.clear();
        world.exact = true;
        world.best = {80'000'000};
        summary.collectiveBounds = {tensor, world};
        summary.boundsNote = "some are missing";
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setContent(boundsContent(summary));

        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(cell(model, 0, 0), QStringLiteral("All-reduce, tensor"));
        QCOMPARE(cell(model, 1, 0), QStringLiteral("All-gather"));
        QCOMPARE(cell(model, 1, 12), QStringLiteral("All ranks"));
        QCOMPARE(cell(model, 0, 1), QString::fromUtf8("4 MB").replace(QLatin1Char(' '), QChar(0x202F)));
        QCOMPARE(cell(model, 0, 2), texts::time(SimTime{100'000'000}));
        QVERIFY(cell(model, 0, 2).startsWith(QStringLiteral("100.000")) && cell(model, 0, 2).endsWith(QString::fromUtf8("µs")));
        QVERIFY(cell(model, 0, 3).startsWith(QStringLiteral("80.000")));
        QCOMPARE(cell(model, 0, 4), QStringLiteral("80.0")); // 80 of 100 us
        QCOMPARE(model.index(0, 4).data(TableModel::ShareRole).toDouble(), 0.8);
        QCOMPARE(cell(model, 1, 4), QStringLiteral("100.0"));
        QCOMPARE(model.index(0, 5).data(TableModel::SortRole).toLongLong(), 5'000'000);
        QCOMPARE(model.index(0, 6).data(TableModel::SortRole).toLongLong(), 75'000'000);
        QCOMPARE(model.headerData(6, Qt::Horizontal, TableModel::ExportRole).toString(), QStringLiteral("Bandwidth bound [ps]"));
        QVERIFY(cell(model, 0, 9).startsWith(QStringLiteral("160.000")));
        QCOMPARE(cell(model, 0, 10), QStringLiteral("12"));
        QVERIFY(cell(model, 0, 11).contains(QStringLiteral("of the cuts looked at")));
        QCOMPARE(cell(model, 1, 11), QStringLiteral("links into NPU 0"));
        QCOMPARE(model.content()->note(), QStringLiteral("some are missing"));
    }

    void candidatesTellTheirTimesAndWhichRuns()
    {
        CollectiveChoice choice;
        choice.op = CollectiveOp::AllReduce;
        choice.group = "pod";
        choice.ranks = 8;
        choice.bytes = 64'000;
        choice.candidates = {{"direct", 10'000'000, ""}, {"ring", 25'000'000, ""}, {"swing", -1, "takes powers of two"}};
        choice.chosen = "direct";
        RunSummary summary;
        summary.choices = {choice};
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setContent(candidatesContent(summary));

        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(cell(model, 0, 0), QStringLiteral("direct"));
        QCOMPARE(cell(model, 0, 1), QStringLiteral("All-reduce, pod"));
        QVERIFY(cell(model, 0, 3).startsWith(QStringLiteral("10.000")));
        QCOMPARE(cell(model, 0, 4), QStringLiteral("runs"));
        QCOMPARE(cell(model, 1, 4), QString());
        QCOMPARE(cell(model, 1, 5), QStringLiteral("2.50")); // 25 us against 10 us
        QCOMPARE(cell(model, 2, 3), QString());
        QCOMPARE(cell(model, 2, 4), QStringLiteral("left out"));
        QCOMPARE(cell(model, 2, 7), QStringLiteral("takes powers of two"));

        // Copied with header and exact values, in the order on show: slowest first, those without a time last.
        ResultTable table;
        table.setModel(&model, QStringLiteral("Candidates"));
        table.resize(1400, 200);
        table.show(); // Copied is what there is room for.
        table.sortBy(3, Qt::DescendingOrder);
        table.copySelection();
        const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 4);
        QVERIFY(lines[0].contains(QStringLiteral("Time alone [ps]")));
        QVERIFY(lines[1].contains(QStringLiteral("ring\tAll-reduce, pod\t64000\t25000000")));
        QVERIFY(lines[2].contains(QStringLiteral("direct\tAll-reduce, pod\t64000\t10000000\truns")));
    }

    void aSelectedCollectiveTellsItsBound()
    {
        // The bound of the run and the row of the inspector are the same number.
        QCOMPARE(m_two->summary.collectiveBounds.size(), std::size_t{1});
        const CollectiveBoundRow& row = m_two->summary.collectiveBounds.front();
        TimelineEvent event;
        event.op = CollectiveOp::AllReduce;
        event.begin = {100'000'000};
        event.end = {291'000'000};
        const RankGraph& graph = m_two->scenario->structure->workload->graph(0);
        TaskIndex task = -1;
        for (TaskIndex i = 0; i < graph.size(); ++i)
            if (graph.kind[at(i)] == TaskKind::Collective)
                task = i;
        std::int32_t rankClass = -1;
        for (std::size_t c = 0; c < m_two->record().classes.size(); ++c)
            if (m_two->record().classes[c].ranks.contains(0))
                rankClass = static_cast<std::int32_t>(c);
        const SelectionDetails details = eventDetailsOf(*m_two, event, rankClass, task);
        const auto bound = std::find_if(details.rows.begin(), details.rows.end(), [](const ValueRow& one) { return one.label == QStringLiteral("Lower bound"); });
        QVERIFY(bound != details.rows.end());
        QCOMPARE(bound->value, texts::time(row.bound));
        QCOMPARE(bound->extra, texts::percent(static_cast<double>(row.bound.ps) / static_cast<double>(row.best.ps)));
    }

    void collectivesOfAFamilyFold()
    {
        const RunResultPtr result = runExample("pipeline.yaml");
        CollectivesModel model;
        model.setResult(result);
        // Eight sums and eight backward sums, in each of four stages.
        QCOMPARE(model.rowCount(), 16);
        QVERIFY(cell(model, 0, 2).contains(QStringLiteral("4 groups")));
        model.setFolded(false);
        QCOMPARE(model.rowCount(), 64);
        QSet<qlonglong> instances;
        for (int row = 0; row < model.rowCount(); ++row)
            instances.insert(model.index(row, 0).data(TableModel::IdRole).toLongLong());
        QCOMPARE(instances.size(), 64);
    }

    void whyOfACollectiveAddsUp()
    {
        const RunRecord& record = m_two->record();
        for (std::size_t c = 0; c < record.classes.size(); ++c) {
            const RankGraph& graph = m_two->scenario->structure->workload->graph(static_cast<std::int32_t>(record.classes[c].ranks.intervals().front().first));
            const auto task = static_cast<TaskIndex>(std::find(graph.kind.begin(), graph.kind.end(), TaskKind::Collective) - graph.kind.begin());
            const std::int64_t issue = record.classes[c].tasks->issuePs[at(task)];
            const CollectiveWhy why = collectiveWhy(*m_two, static_cast<std::int32_t>(c), task, issue);
            const bool first = record.classes[c].ranks.contains(0);
            QCOMPARE(why.entering, first ? 150'000'000 : 0);
            QCOMPARE(why.lastRank, first ? 1 : -1);
            QCOMPARE(why.queued, 0);
            QCOMPARE(why.transfer, first ? 41'000'000 : 42'000'000);
        }
    }

    void A11_logTakesLinesFromAnyThread()
    {
        LogModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&model, t] {
                for (int i = 0; i < 50; ++i)
                    model.append(t == 0 ? Severity::Warning : Severity::Note, QStringLiteral("thread"), QString::number(t * 100 + i));
            });
        for (std::thread& thread : threads)
            thread.join();

        QTRY_COMPARE(model.rowCount(), 200);
        model.setLevel(Severity::Warning);
        QCOMPARE(model.rowCount(), 50);
        QCOMPARE(cell(model, 0, 0), QStringLiteral("Warning"));
        QCOMPARE(cell(model, 49, 2), QStringLiteral("49"));
    }

    void logKeepsTheLastLines()
    {
        LogModel model;
        for (std::size_t i = 0; i < LogModel::kMostLines + 10; ++i)
            model.append(Severity::Note, QStringLiteral("c"), QString::number(i));
        QTRY_COMPARE(model.rowCount(), static_cast<int>(LogModel::kMostLines));
        QCOMPARE(cell(model, 0, 2), QStringLiteral("10"));
    }

    void R4_clickingTheHeaderSorts()
    {
        LinksModel model;
        model.setFolded(false);
        model.setResult(runText(kOddLink));
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(900, 260);
        table.show();
        QAbstractItemModelTester tester(table.view()->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModel& shown = *table.view()->model();
        QHeaderView* header = table.view()->horizontalHeader();
        const auto click = [&](int column) {
            QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, QPoint(header->sectionViewportPosition(column) + 10, 8));
        };

        click(4); // busy, largest first
        QCOMPARE(shown.index(0, 4).data(TableModel::SortRole).toLongLong(), 480'000'000);
        QCOMPARE(table.sortColumn(), 4);
        QCOMPARE(table.sortOrder(), Qt::DescendingOrder);
        click(4);
        QCOMPARE(shown.index(shown.rowCount() - 1, 4).data(TableModel::SortRole).toLongLong(), 480'000'000);
        click(4); // as they come
        QCOMPARE(table.sortColumn(), -1);
        click(0); // names, A first
        QStringList names;
        for (int row = 0; row < shown.rowCount(); ++row)
            names.append(cell(shown, row, 0, TableModel::ExportRole));
        QStringList sorted = names;
        std::sort(sorted.begin(), sorted.end());
        QCOMPARE(names, sorted);
    }

    void R4_typingFiltersOverAllColumns()
    {
        LinksModel model;
        model.setFolded(false);
        model.setResult(runText(kOddLink));
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(900, 260);
        table.show();
        QCOMPARE(table.view()->model()->rowCount(), 4);

        QTest::keyClicks(table.filterField(), QStringLiteral("12.5"));
        QCOMPARE(table.view()->model()->rowCount(), 1);
        QCOMPARE(cell(*table.view()->model(), 0, 0), QString::fromUtf8("2 → 3"));
        table.filterField()->clear();
        QTest::keyClicks(table.filterField(), QStringLiteral("d0 50.0"));
        QCOMPARE(table.view()->model()->rowCount(), 3);
        table.filterField()->clear();
        QTest::keyClicks(table.filterField(), QStringLiteral("nothing like it"));
        QCOMPARE(table.view()->model()->rowCount(), 0);
    }

    void aTableThatGoesAwayWhileSortingLeavesNothingBehind()
    {
        RanksModel model;
        model.setPerRank(true);
        model.setResult(manyRanks());
        auto table = std::make_unique<ResultTable>();
        table->setModel(&model, QStringLiteral("Ranks"));
        table->sortBy(0, Qt::DescendingOrder);
        QVERIFY(table->isBusy());
        table.reset();
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
    }

    void R4_narrowTablesHideTheLastColumnsAndNeverScrollSideways()
    {
        LinksModel model;
        model.setResult(runText(kOddLink));
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(1000, 260);
        table.show();
        const auto hidden = [&] {
            int count = 0;
            for (int column = 0; column < 8; ++column)
                count += table.view()->isColumnHidden(column) ? 1 : 0;
            return count;
        };
        QCOMPARE(hidden(), 0);
        table.resize(400, 260);
        QVERIFY(hidden() > 0);
        for (int column = 0; column < ResultTable::kAlwaysShown; ++column)
            QVERIFY(!table.view()->isColumnHidden(column));
        int sum = 0;
        for (int column = 0; column < 8; ++column)
            sum += table.view()->isColumnHidden(column) ? 0 : table.view()->columnWidth(column);
        QCOMPARE(sum, table.view()->viewport()->width());
        table.resize(900, 260);
        QCOMPARE(hidden(), 0);
    }

    void rowsTellTheirIdWhenSelectedAndActivated()
    {
        const RunResultPtr result = runText(kOddLink);
        LinksModel model;
        model.setFolded(false);
        model.setResult(result);
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(900, 260);
        table.show();
        QSignalSpy selected(&table, &ResultTable::rowSelected);
        QSignalSpy activated(&table, &ResultTable::rowActivated);
        table.view()->setFocus();

        QTest::mouseClick(table.view()->viewport(), Qt::LeftButton, Qt::NoModifier, table.view()->visualRect(table.view()->model()->index(1, 0)).center());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected.at(0).at(0).toLongLong(), result->record().links[1].link);
        QTest::keyClick(table.view(), Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.at(0).at(0).toLongLong(), result->record().links[1].link);

        table.selectId(result->record().links[3].link);
        QCOMPARE(table.selectedId(), result->record().links[3].link);
        QCOMPARE(selected.count(), 1); // chosen elsewhere: nobody has to be told
    }

    void aNewResultKeepsSelectionFilterAndOrder()
    {
        LinksModel model;
        model.setFolded(false);
        model.setResult(runText(kOddLink));
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(900, 260);
        table.show();
        table.sortBy(0, Qt::DescendingOrder);
        table.setFilter(QStringLiteral("50"));
        table.view()->selectRow(1);
        const qint64 id = table.selectedId();
        QSignalSpy selected(&table, &ResultTable::rowSelected);

        model.setResult(runText(kOddLink));

        QCOMPARE(table.selectedId(), id);
        QCOMPARE(selected.count(), 0);
        QCOMPARE(table.view()->model()->rowCount(), 3);
        QVERIFY(cell(*table.view()->model(), 0, 0) > cell(*table.view()->model(), 1, 0));
    }

    void A5_everyPartHasANameAndTheKeyboardReachesIt()
    {
        LinksModel model;
        model.setResult(runText(kOddLink));
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(900, 260);
        table.show();
        for (QWidget* widget : {static_cast<QWidget*>(table.view()), static_cast<QWidget*>(table.filterField())}) {
            QVERIFY(!widget->accessibleName().isEmpty());
            QVERIFY(widget->focusPolicy() & Qt::TabFocus);
        }
        QVERIFY(table.view()->model()->index(0, 4).data(Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("Busy")));
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        QDir().mkpath(folder);
        const RunResultPtr result = runExample("two-level-hgx.yaml");
        const RunResultPtr pipeline = runExample("pipeline.yaml");
        for (const double base : {13.0, 19.5})
            for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
                const Theme theme(mode, base);
                const test::WithTheme themed(theme);
                LinksModel links;
                links.setFolded(false);
                links.setResult(runExample("slow-link.yaml"));
                LinksModel foldedLinks;
                foldedLinks.setResult(runText(kOddLink));
                RanksModel ranks;
                ranks.setResult(pipeline);
                CollectivesModel collectives;
                collectives.setResult(pipeline);
                const std::pair<const char*, TableModel*> tables[] = {{"links", &links}, {"folded", &foldedLinks}, {"ranks", &ranks}, {"collectives", &collectives}};
                for (const auto& [name, model] : tables)
                    for (const QSize size : {QSize(680, 188), QSize(1760, 260), QSize(500, 188)}) {
                        ResultTable table;
                        table.setModel(model, QString::fromLatin1(name));
                        table.resize(size);
                        table.sortBy(4, Qt::DescendingOrder);
                        table.show();
                        table.view()->selectRow(1);
                        table.grab().save(QStringLiteral("%1/table_%2_%3_%4_%5.png").arg(folder, QString::fromLatin1(name), theme.isDark() ? QStringLiteral("dark") : QStringLiteral("light")).arg(base).arg(size.width()));
                    }
            }
    }
};

FABRICSCOPE_GUI_TEST(ResultTablesTest)
#include "tst_resulttables.moc"
