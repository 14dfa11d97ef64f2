// Dimensions whose text is wrong: the table shows what is written, not what a run would take in its place, and edits replace it.
#include "tests/gui/support/designdock.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace Qt::Literals::StringLiterals;

namespace {

std::string podWith(const char* part, const char* other)
{
    std::string text = kPod;
    text.replace(text.find(part), std::string_view(part).size(), other);
    return text;
}

QString problemOf(Dock& dock, int row, int column)
{
    return dock.cell(row, column).data(DimensionModel::ProblemRole).toString();
}

} // namespace

class tst_wrongdimensions : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void E1_aSizeThatIsNoneIsShownAsWrittenAndReplaced()
    {
        Dock dock(podWith("shape: ring, size: 4", "shape: ring, size: -4"));
        QCOMPARE(dock.shown(1, DimensionModel::Size), u"-4"_s);
        QVERIFY(!problemOf(dock, 1, DimensionModel::Size).isEmpty());
        QCOMPARE(dock.shown(1, DimensionModel::PerNpu), u"–"_s); // Follows from the size.
        QCOMPARE(dock.shown(1, DimensionModel::PerLink), u"50"_s);
        QVERIFY(dock.view().dimensions()->setData(dock.cell(1, DimensionModel::Size), u"4"_s));
        QCOMPARE(dock.document.text(), kPod);
        QCOMPARE(dock.document.undoStack().count(), 1);
        QCOMPARE(dock.shown(1, DimensionModel::PerNpu), u"100"_s);
    }

    void E1_aShapeThatIsNoneIsShownAsWrittenAndReplaced()
    {
        Dock dock(podWith("shape: ring", "shape: rang"));
        QCOMPARE(dock.shown(1, DimensionModel::ShapeColumn), u"rang"_s);
        QVERIFY(!problemOf(dock, 1, DimensionModel::ShapeColumn).isEmpty());
        QVERIFY(dock.view().dimensions()->setData(dock.cell(1, DimensionModel::ShapeColumn), static_cast<int>(Shape::Ring)));
        QCOMPARE(dock.document.text(), kPod);
    }

    void E1_aMisspeltKeyLeavesItsValueOutAndIsMendedByAnEdit()
    {
        Dock dock(podWith("size: 4, bandwidth: 50", "size: 4, bandwith: 50"));
        QCOMPARE(dock.shown(1, DimensionModel::PerLink), u"–"_s);
        QCOMPARE(dock.shown(1, DimensionModel::PerNpu), u"–"_s);
        QVERIFY2(problemOf(dock, 1, DimensionModel::PerLink).contains(u"bandwith"_s), qPrintable(problemOf(dock, 1, DimensionModel::PerLink)));
        QVERIFY(problemOf(dock, 1, DimensionModel::Size).isEmpty());
        QVERIFY(dock.view().dimensions()->setData(dock.cell(1, DimensionModel::PerLink), u"50 GB/s"_s));
        QCOMPARE(dock.document.text(), kPod);
    }

    void E1_whatIsRightIsShownAsEver()
    {
        Dock dock;
        for (int column = DimensionModel::ShapeColumn; column < DimensionModel::ColumnCount; ++column)
            QVERIFY(problemOf(dock, 1, column).isEmpty());
        QCOMPARE(dock.shown(1, DimensionModel::Size), u"4"_s);
    }
};

FABRICSCOPE_GUI_TEST(tst_wrongdimensions)
#include "tst_wrongdimensions.moc"
