// Pictures of any view, and rows copied from any table.
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/cellcopies.h"
#include "widgets/report/viewexport.h"
#include "widgets/study/effectschart.h"
#include "widgets/study/tradeoffchart.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <QVBoxLayout>
#include <QXmlStreamReader>
#include <QtTest>

using namespace fabricscope;

namespace {

/// Two rows, one below the first, and three columns.
void fill(QStandardItemModel& model)
{
    model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("=Time"), QStringLiteral("Bytes")});
    model.appendRow({new QStandardItem(QStringLiteral("first")), new QStandardItem(QStringLiteral("-1.5")), new QStandardItem(QStringLiteral("8"))});
    model.item(0)->appendRow({new QStandardItem(QStringLiteral("inner")), new QStandardItem(QStringLiteral("2")), new QStandardItem(QStringLiteral("9"))});
    model.appendRow({new QStandardItem(QStringLiteral("second\tof two")), new QStandardItem(QStringLiteral("3")), new QStandardItem(QStringLiteral("10"))});
}

} // namespace

class ViewPicturesTest : public QObject
{
    Q_OBJECT

    static QString copy(QAbstractItemView& view)
    {
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        return QApplication::clipboard()->text();
    }

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        CellCopies::install();
    }

    void R10_rowsOfAnyTableAreCopiedWithTheirHeader()
    {
        QStandardItemModel model;
        fill(model);
        QTableView table;
        table.setModel(&model);
        table.setSelectionBehavior(QAbstractItemView::SelectRows);
        table.selectRow(1);
        QCOMPARE(copy(table), QStringLiteral("Name\t'=Time\tBytes\nsecond\\tof two\t3\t10\n"));
        // As they are seen: one column hidden, one moved.
        table.setColumnHidden(1, true);
        table.horizontalHeader()->moveSection(2, 0);
        QCOMPARE(copy(table), QStringLiteral("Bytes\tName\n10\tsecond\\tof two\n"));
        // Where only one row can be selected, all are copied.
        table.setSelectionMode(QAbstractItemView::SingleSelection);
        QCOMPARE(copy(table), QStringLiteral("Bytes\tName\n8\tfirst\n10\tsecond\\tof two\n"));
        QTreeView tree;
        tree.setModel(&model);
        tree.setSelectionMode(QAbstractItemView::SingleSelection);
        tree.setCurrentIndex(model.index(0, 0));
        tree.show();
        QCOMPARE(copy(tree), QStringLiteral("Name\t'=Time\tBytes\nfirst\t-1.5\t8\nsecond\\tof two\t3\t10\n"));
        tree.expandAll();
        QCOMPARE(copy(tree), QStringLiteral("Name\t'=Time\tBytes\nfirst\t-1.5\t8\ninner\t2\t9\nsecond\\tof two\t3\t10\n"));
        QListView list;
        list.setModel(&model);
        list.setCurrentIndex(model.index(0, 0));
        QCOMPARE(copy(list), QStringLiteral("first"));
    }

    void R10_aViewIsWhatPaintsItselfAndTakesTheFocus()
    {
        QWidget window;
        auto* const column = new QVBoxLayout(&window);
        auto* const field = new QLineEdit;
        auto* const button = new QPushButton(QStringLiteral("b"));
        auto* const table = new QTableView;
        auto* const chart = new EffectsChart;
        for (QWidget* widget : std::initializer_list<QWidget*>{field, button, table, chart}) {
            widget->setAccessibleName(QStringLiteral("name"));
            column->addWidget(widget);
        }
        QCOMPARE(viewAround(chart), chart);
        for (QWidget* widget : std::initializer_list<QWidget*>{field, button, table, &window})
            QVERIFY(!viewAround(widget));
        QVERIFY(!viewAround(nullptr));
    }

    void R10_anyViewIsAPictureAndAnSvg()
    {
        TradeoffChart chart;
        chart.resize(300, 200);
        chart.setEmptyText(QStringLiteral("nothing yet"));
        const QImage image = imageOfView(chart, 2);
        QCOMPARE(image.size(), QSize(600, 400));
        QCOMPARE(image.pixel(2, 2), AppTheme::global().theme().color(Role::View).rgb());
        QVERIFY(image != imageOfView(chart, 2).mirrored()); // There is a text in it.
        const QByteArray svg = svgOfView(chart);
        QXmlStreamReader reader(svg);
        bool hasText = false;
        while (!reader.atEnd()) {
            reader.readNext();
            hasText = hasText || (reader.isStartElement() && reader.name() == QStringLiteral("text"));
        }
        QVERIFY(!reader.hasError() && hasText);
        QTemporaryDir folder;
        QVERIFY(exportAnyView(chart, folder.filePath(QStringLiteral("a.png")), 2));
        QImage written = QImage(folder.filePath(QStringLiteral("a.png"))).convertToFormat(QImage::Format_RGB32);
        written.setDevicePixelRatio(2);
        QCOMPARE(written, image);
        QVERIFY(!exportAnyView(chart, folder.filePath(QStringLiteral("a.gif"))));
    }
};

FABRICSCOPE_GUI_TEST(ViewPicturesTest)
#include "tst_viewpictures.moc"
