// Numbers that a fabric lacks are listed by kind and given together.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/draw/missingview.h"

#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QtTest>

using namespace fabricscope;

namespace {

/// Two GPUs on a leaf, joined without figures; the leaf to a spine with both.
const std::string kWithoutFigures = "fabricscope: 1\nplatform:\n  nodes: [{name: gpu0}, {name: gpu1}, {name: leaf0, kind: switch}, {name: spine0, kind: switch}]\n  links:\n"
                                    "    - {between: [gpu0, leaf0]}   # near\n"
                                    "    - {between: [gpu1, leaf0]}\n"
                                    "    - {between: [leaf0, spine0], bandwidth: 10 GB/s, latency: 3 us}\n"
                                    "workload: {collective: all_reduce, size: 1 MiB}\n";

void giveFigure(QWidget& in, const char* name, const char* text)
{
    auto& field = test::named<QLineEdit>(in, name);
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, QString::fromLatin1(text));
    QTest::keyClick(&field, Qt::Key_Return);
}

} // namespace

class MissingViewTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void D11_missingNumbersAreGivenByKindAsOneEdit()
    {
        test::Stage stage(kWithoutFigures);
        auto& view = test::part<MissingView>(stage.draw);
        QVERIFY(!view.isHidden());
        QCOMPARE(view.missing().size(), std::size_t{2}); // Links of GPUs, and the NPUs.
        QCOMPARE(test::tagged<QLabel>(view, "missingTitle").text(), QStringLiteral("Numbers are missing for 2 kinds"));
        auto& complete = test::named<QPushButton>(view, "Complete");
        QVERIFY(!complete.isEnabled());
        const int before = stage.edits();
        giveFigure(view, "Rate of gpu* to leaf*", "50");
        QVERIFY(complete.isEnabled());
        giveFigure(view, "Latency of gpu* to leaf*", "500 ns");
        QCOMPARE(stage.edits(), before); // Not before all is given.
        complete.click();
        QCOMPARE(stage.edits(), before + 1);
        for (std::size_t link = 0; link < 2; ++link) {
            QCOMPARE(stage.graph().links[link].bandwidth, std::string("50 GB/s"));
            QCOMPARE(stage.graph().links[link].latency, std::string("500 ns"));
        }
        QCOMPARE(stage.graph().links[2].bandwidth, std::string("10 GB/s"));
        QVERIFY(view.isHidden());
        QVERIFY(stage.document.text().find("# near\n") != std::string::npos);
        stage.checkUndo(kWithoutFigures);
    }

    void D11_anotherEditLeavesWhatWasTyped()
    {
        test::Stage stage(kWithoutFigures);
        auto& view = test::part<MissingView>(stage.draw);
        giveFigure(view, "Rate of gpu* to leaf*", "50");
        QVERIFY(stage.document.edit(QStringLiteral("size"), [](YamlDocument& yaml) { return yaml.set("workload.size", std::string("2 MiB")); }));
        QVERIFY(test::named<QLineEdit>(view, "Rate of gpu* to leaf*").text().startsWith(QStringLiteral("50")));
        QVERIFY(test::named<QPushButton>(view, "Complete").isEnabled());
    }

    void D11_whereNothingIsMissingThereIsNoList()
    {
        test::Stage stage;
        QVERIFY(test::part<MissingView>(stage.draw).isHidden());
    }
};

FABRICSCOPE_GUI_TEST(MissingViewTest)
#include "tst_missingview.moc"
