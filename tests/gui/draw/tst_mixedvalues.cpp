// Values of several parts at once: mixed, set for all, changed each by itself.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/design/quantitychange.h"
#include "widgets/design/quantityfield.h"
#include "widgets/draw/grapheditor.h"

#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

void typeInto(QLineEdit& field, const char* text)
{
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, QString::fromLatin1(text));
    QTest::keyClick(&field, Qt::Key_Return);
}

} // namespace

class MixedValuesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void D10_aChangeIsReadAsItIsTyped_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("factor"); // Below 0: it is none.
        QTest::newRow("more") << QStringLiteral("+10%") << 1.1;
        QTest::newRow("less") << QStringLiteral(" -2.5 % ") << 0.975;
        QTest::newRow("all away") << QStringLiteral("-100%") << 0.0;
        QTest::newRow("times") << QStringLiteral("*2") << 2.0;
        QTest::newRow("sign") << QString::fromUtf8("\u00d71.5") << 1.5;
        QTest::newRow("divided") << QStringLiteral("/ 4") << 0.25;
        for (const char* none : {"", "10%", "+5 GB/s", "-5 GB/s", "*", "/0", "-101%", "*-2", "+ten%", "50 GB/s"})
            QTest::newRow(none) << QString::fromLatin1(none) << -1.0;
    }
    void D10_aChangeIsReadAsItIsTyped()
    {
        QFETCH(const QString, typed);
        QFETCH(const double, factor);
        const auto change = quantitytext::parseChange(typed);
        QCOMPARE(change.has_value(), factor >= 0);
        if (change)
            QVERIFY(std::abs(change->factor - factor) < 1e-15);
    }

    void D10_whatIsChangedKeepsItsUnitAndFewDigits()
    {
        const Quantity rate{50, "GB/s", Measure::Bandwidth};
        QCOMPARE(quantitytext::changed(rate, {1.1}).value().text(), std::string("55 GB/s"));
        QCOMPARE(quantitytext::changed(rate, {1.0 / 3}).value().text(), std::string("16.6666666667 GB/s"));
        QVERIFY(!quantitytext::changed(rate, {1e300}));
    }

    /// What switches pass on: one value for those selected, "mixed", none. NPUs have no such field. One step of undo each.
    void D3_theCrossbarOfSwitchesIsAField()
    {
        const std::string two = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch}, {name: t, kind: switch, crossbar: 80 GB/s}]   # two planes\n"
                                "  links:\n    - {between: [a, s], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [b, s], bandwidth: 50 GB/s, latency: 1 us}\n"
                                "    - {between: [a, t], bandwidth: 50 GB/s, latency: 1 us}\n    - {between: [b, t], bandwidth: 50 GB/s, latency: 1 us}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        test::Stage stage(two);
        QLineEdit& field = test::named<QLineEdit>(stage.draw, "Crossbar of the selected switches");
        auto& none = test::tagged<QPushButton>(stage.draw, "anyCrossbar");
        auto& beside = test::tagged<QLabel>(stage.draw, "crossbars");
        stage.editor().select({0});
        QVERIFY(!field.isVisibleTo(&stage.draw));
        stage.editor().select({0, 2});
        QVERIFY(field.isVisibleTo(&stage.draw) && field.text().isEmpty() && !none.isEnabled());
        stage.editor().select({2, 3});
        QCOMPARE(beside.text(), QStringLiteral("mixed: none, 80 GB/s"));
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        typeInto(field, "*2");
        QCOMPARE(refused.size(), 1);
        const int before = stage.edits();
        typeInto(field, "60 GB/s");
        QVERIFY(stage.graph().nodes[2].crossbar == "60 GB/s" && stage.graph().nodes[3].crossbar == "60 GB/s" && stage.graph().nodes[0].crossbar.empty());
        QVERIFY(beside.isHidden());
        QCOMPARE(stage.edits(), before + 1);
        none.click();
        QVERIFY(stage.graph().nodes[2].crossbar.empty() && stage.graph().nodes[3].crossbar.empty());
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# two planes\n")) && !QString::fromStdString(stage.document.text()).contains(QStringLiteral("crossbar")));
        stage.checkUndo(two);
    }

    void D10_valuesThatDifferAreMixedAndAreChangedEachByItself()
    {
        test::Stage stage;
        stage.editor().select({}, {0, 1});
        QLineEdit& rate = test::named<QLineEdit>(stage.draw, "Rate of the selected links");
        QVERIFY(rate.text().isEmpty());
        QCOMPARE(rate.placeholderText(), QStringLiteral("mixed"));
        const int before = stage.edits();
        typeInto(rate, "+10%");
        QCOMPARE(stage.graph().links[0].bandwidth, std::string("55 GB/s"));
        QCOMPARE(stage.graph().links[1].bandwidth, std::string("110 GB/s"));
        QCOMPARE(stage.edits(), before + 1);
        typeInto(rate, "*2");
        QCOMPARE(stage.graph().links[0].bandwidth, std::string("110 GB/s"));
        QCOMPARE(stage.graph().links[1].bandwidth, std::string("220 GB/s"));
        QCOMPARE(rate.placeholderText(), QStringLiteral("mixed"));
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# slow\n")));
        // One value is that of all.
        typeInto(rate, "75");
        QCOMPARE(stage.graph().links[0].bandwidth, std::string("75 GB/s"));
        QCOMPARE(stage.graph().links[1].bandwidth, std::string("75 GB/s"));
        QCOMPARE(stage.edits(), before + 3);
        stage.checkUndo(test::kSquare);
    }

    void D10_aValueThatIsTheSameIsChangedToo()
    {
        test::Stage stage;
        stage.editor().select({}, {0, 1});
        typeInto(test::named<QLineEdit>(stage.draw, "Latency of the selected links"), "/4");
        QCOMPARE(stage.graph().links[0].latency, std::string("0.25 us"));
        QCOMPARE(stage.graph().links[1].latency, std::string("0.25 us"));
        stage.checkUndo(test::kSquare);
    }

    void D10_whatCannotBeChangedIsRefused()
    {
        test::Stage stage;
        stage.editor().select({}, {0, 1});
        QLineEdit& rate = test::named<QLineEdit>(stage.draw, "Rate of the selected links");
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        typeInto(rate, "-100%");
        QCOMPARE(refused.count(), 1);
        QVERIFY(stage.document.text() == test::kSquare);
        // Without one value there is none to count from, and Esc brings back that they differ.
        QTest::keyClick(&rate, Qt::Key_Up);
        QVERIFY(stage.document.text() == test::kSquare);
        QTest::keyClicks(&rate, QStringLiteral("7"));
        QTest::keyClick(&rate, Qt::Key_Escape);
        QVERIFY(rate.text().isEmpty());
        QCOMPARE(rate.placeholderText(), QStringLiteral("mixed"));
    }

    void D10_namesOfSeveralPartsAreNumbered()
    {
        test::Stage stage;
        stage.editor().select({0, 1, 2, 3});
        QLineEdit& name = test::named<QLineEdit>(stage.draw, "Name of the part");
        QVERIFY(name.isVisible());
        QCOMPARE(name.placeholderText(), QStringLiteral("mixed"));
        const int before = stage.edits();
        typeInto(name, "gpu{i}");
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(stage.graph().nodes[i].name, "gpu" + std::to_string(i));
        QCOMPARE(stage.graph().links[1].from, std::string("gpu1"));
        QCOMPARE(stage.edits(), before + 1);
        QCOMPARE(stage.selected(), (std::set<std::size_t>{0, 1, 2, 3}));
        // One may get the name that another of them has; that of a third is refused, as is one for all.
        stage.editor().select({1, 2});
        typeInto(name, "gpu{i}");
        QCOMPARE(stage.graph().nodes[1].name, std::string("gpu1"));
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        typeInto(name, "same");
        QCOMPARE(refused.count(), 1);
        QCOMPARE(stage.edits(), before + 1);
        stage.editor().select({0, 3});
        typeInto(name, "x{i}");
        stage.editor().select({0, 1});
        QVERIFY(stage.document.edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("platform.nodes[2].name", std::string("y0")); }));
        QCOMPARE(stage.graph().nodes[0].name, std::string("x0"));
        QCOMPARE(stage.graph().nodes[3].name, std::string("x1"));
        stage.checkUndo(test::kSquare);
    }

    void D10_twoPartsExchangeTheirNames()
    {
        test::Stage stage("fabricscope: 1\nplatform:\n  nodes: [{name: a1, at: [0, 0]}, {name: a0, at: [96, 0]}, {name: s, kind: switch, at: [48, -96]}]\n"
                          "  links: [{between: [a1, s], bandwidth: 1 GB/s, latency: 1 us}, {between: [a0, s], bandwidth: 2 GB/s, latency: 1 us}]\n"
                          "workload: {collective: all_reduce, size: 1 MiB}\n");
        stage.editor().select({0, 1});
        typeInto(test::named<QLineEdit>(stage.draw, "Name of the part"), "a{i}");
        QCOMPARE(stage.graph().nodes[0].name, std::string("a0"));
        QCOMPARE(stage.graph().nodes[1].name, std::string("a1"));
        QCOMPARE(stage.graph().links[0].from, std::string("a0"));
        QCOMPARE(stage.graph().links[1].from, std::string("a1"));
        QCOMPARE(stage.edits(), 1);
    }

    void D10_aFieldOfOneValueTakesAChangeAsAValue()
    {
        QuantityField field(Measure::Bandwidth);
        field.setVisible(true);
        field.setQuantity({25, "GB/s", Measure::Bandwidth});
        QSignalSpy edited(&field, &QuantityField::edited);
        typeInto(*field.lineEdit(), "*3");
        QCOMPARE(edited.count(), 1);
        QCOMPARE(field.quantity().text(), std::string("75 GB/s"));
        field.setAbsent("GB/s");
        typeInto(*field.lineEdit(), "*3");
        QVERIFY(field.hasError());
        QVERIFY2(field.problem().contains(QStringLiteral("no value to change")), qPrintable(field.problem()));
    }
};

FABRICSCOPE_GUI_TEST(MixedValuesTest)
#include "tst_mixedvalues.moc"
