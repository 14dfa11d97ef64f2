// What leaves a table: copies and CSV files.
#include "tests/gui/support/tablecells.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class TableExportsTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_two = runText(kTwoRanks);

    /// The file; nothing where it cannot be written.
    static QByteArray csvOf(const StoredTable& content)
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("table.csv")));
        return writeCsv(content, nullptr, file.fileName()) && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void R4_copyGivesTheSelectionTabSeparatedWithHeader()
    {
        const RunResultPtr result = runText(kOddLink);
        LinksModel model;
        model.setFolded(false);
        model.setResult(result);
        ResultTable table;
        table.setModel(&model, QStringLiteral("Links"));
        table.resize(1000, 260);
        table.show();
        table.setFocus();
        table.view()->selectRow(0);
        table.view()->selectionModel()->select(table.view()->model()->index(2, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);

        QTest::keyClick(table.view(), Qt::Key_C, Qt::ControlModifier);

        const RunRecord& record = result->record();
        const Platform& platform = result->scenario->structure->platform;
        QString expected = QStringLiteral("Link\tDimension\tBandwidth [B/s]\tLatency [ps]\tBusy [ps]\tBusy share [1]\tBytes [B]\tMessages\n");
        for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
            const LinkUse& use = record.links[i];
            expected += QStringLiteral("%1\t0\t%2\t1000000\t%3\t%4\t%5\t%6\n")
                            .arg(QString::fromStdString(platform.linkName(use.link)))
                            .arg(i == 0 ? 12'500'000'000 : 50'000'000'000)
                            .arg(use.busyPs)
                            .arg(QString::number(static_cast<double>(use.busyPs) / static_cast<double>(record.finish.ps), 'g', QLocale::FloatingPointShortest))
                            .arg(use.bytes)
                            .arg(use.messages);
        }
        QCOMPARE(QApplication::clipboard()->text(), expected);
    }

    void R4_exportWritesUnitsAndFullPrecision()
    {
        RanksModel model;
        model.setResult(m_two);
        ResultTable table;
        table.setModel(&model, QStringLiteral("Ranks"));
        QSignalSpy done(&table, &ResultTable::exportDone);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ranks.csv"));

        table.exportCsv(path);

        QCOMPARE(done.count(), 1);
        QVERIFY(done.at(0).at(1).toString().isEmpty());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString share0 = QString::number(191.0 / 291.0, 'g', QLocale::FloatingPointShortest);
        const QString share1 = QString::number(42.0 / 292.0, 'g', QLocale::FloatingPointShortest);
        const QString job = cell(model, 0, 1);
        QCOMPARE(QString::fromUtf8(file.readAll()),
                 QStringLiteral("Ranks,Job,Finish [ps],Exposed communication [ps],Compute [ps],Communication [ps],Memory [ps],Exposed share [1]\r\n"
                                "0,%3,291000000,191000000,100000000,191000000,0,%1\r\n"
                                "1,%3,292000000,42000000,250000000,42000000,0,%2\r\n")
                     .arg(share0, share1, job));
    }

    void R4_csvQuotesWhatNeedsIt()
    {
        auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{QStringLiteral("A, b"), QStringLiteral("A, b"), TableColumn::Look::Text}});
        StoredTable::Row row;
        row.cells = {{QString(), QStringLiteral("say \"no\"")}};
        content->add(row);
        QCOMPARE(csvOf(*content), QByteArray("\"A, b\"\r\n\"say \"\"no\"\"\"\r\n"));
    }

    void R4_csvCellsThatASpreadsheetWouldComputeAreText()
    {
        auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{QStringLiteral("Name"), QStringLiteral("Name"), TableColumn::Look::Text}, {QStringLiteral("Change"), QStringLiteral("Change"), TableColumn::Look::Number}});
        for (const QString& name : {QStringLiteral("=1+1"), QStringLiteral("+1"), QStringLiteral("-1"), QStringLiteral("@SUM(A1)"), QStringLiteral("\t=1"), QStringLiteral("\u202Eevil"), QStringLiteral("a\nb"), QStringLiteral("plain")}) {
            StoredTable::Row row;
            row.cells = {{QString(), name}, {QString(), std::int64_t(-5)}};
            content->add(row);
        }
        QCOMPARE(csvOf(*content), QByteArray("Name,Change\r\n'=1+1,-5\r\n'+1,-5\r\n'-1,-5\r\n'@SUM(A1),-5\r\n'\\t=1,-5\r\n\\u202eevil,-5\r\na\\nb,-5\r\nplain,-5\r\n"));
    }

    /// Pasted into a spreadsheet, a name is a text of one cell: it neither computes nor begins another cell or line.
    void R4_copiedCellsThatASpreadsheetWouldComputeAreText()
    {
        StoredTable content({{QStringLiteral("Name"), QStringLiteral("Name"), TableColumn::Look::Text}, {QStringLiteral("Change"), QStringLiteral("Change"), TableColumn::Look::Number}});
        for (const QString& name : {QStringLiteral("=1+1"), QStringLiteral("@SUM(A1)"), QStringLiteral("\t=1"), QStringLiteral("\u202Eevil"), QStringLiteral("a\nb"), QStringLiteral("\"=1+1\""), QStringLiteral("a, \"b\""), QStringLiteral("plain")}) {
            StoredTable::Row row;
            row.cells = {{QString(), name}, {QString(), std::int64_t(-5)}};
            content.add(row);
        }
        QCOMPARE(tabSeparated(content, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1}),
                 QStringLiteral("Name\tChange\n'=1+1\t-5\n'@SUM(A1)\t-5\n'\\t=1\t-5\n\\u202eevil\t-5\na\\nb\t-5\n\"\"\"=1+1\"\"\"\t-5\na, \"b\"\t-5\nplain\t-5\n"));
    }

    void R4_anExportThatFailsSaysSo()
    {
        RanksModel model;
        model.setResult(m_two);
        ResultTable table;
        table.setModel(&model, QStringLiteral("Ranks"));
        QSignalSpy done(&table, &ResultTable::exportDone);
        table.exportCsv(QStringLiteral("/nonexistent-folder/ranks.csv"));
        QCOMPARE(done.count(), 1);
        QVERIFY(done.at(0).at(1).toString().contains(QStringLiteral("/nonexistent-folder/ranks.csv")));
    }

    void R4_manyRowsAreSortedFilteredAndExportedBesideTheWindow()
    {
        RanksModel model;
        model.setPerRank(true);
        model.setResult(manyRanks());
        ResultTable table;
        table.setModel(&model, QStringLiteral("Ranks"));
        table.resize(800, 260);
        table.show();

        table.sortBy(2, Qt::DescendingOrder);
        QVERIFY(table.isBusy());
        QCOMPARE(cell(*table.view()->model(), 0, 0), QStringLiteral("0")); // still the old order
        QTRY_VERIFY_WITH_TIMEOUT(!table.isBusy(), 60'000);
        const QAbstractItemModel& shown = *table.view()->model();
        QCOMPARE(shown.rowCount(), 150'000);
        QCOMPARE(cell(shown, 0, 0), QStringLiteral("77777"));
        QCOMPARE(cell(shown, 1, 0), QStringLiteral("0")); // equal ones as they come
        QCOMPARE(cell(shown, 2, 0), QStringLiteral("3"));
        QCOMPARE(cell(shown, 50'001, 0), QStringLiteral("1")); // after 50,000 multiples of three

        QSignalSpy done(&table, &ResultTable::exportDone);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("all.csv"));
        table.exportCsv(path);
        QCOMPARE(done.count(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 60'000);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().split('\n');
        QCOMPARE(lines.size(), 150'000 + 2);
        QVERIFY(lines[1].startsWith("77777,"));

        table.setFilter(QStringLiteral("777"));
        QTRY_VERIFY_WITH_TIMEOUT(!table.isBusy(), 60'000);
        int expected = 0;
        for (int rank = 0; rank < 150'000; ++rank)
            expected += QString::number(rank).contains(QStringLiteral("777")) ? 1 : 0;
        QCOMPARE(table.view()->model()->rowCount(), expected);
    }
};

FABRICSCOPE_GUI_TEST(TableExportsTest)
#include "tst_tableexports.moc"
