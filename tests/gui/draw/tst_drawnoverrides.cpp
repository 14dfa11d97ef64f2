// Overrides on the page of a graph: what is changed is marked, said and reset.
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/draw/selectionpanel.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include <cstdlib>

using namespace fabricscope;
using test::Stage;

namespace {

const std::string kSlow = "fabricscope: 1\n"
                          "platform:\n"
                          "  nodes:\n"
                          "    - {name: gpu0, at: [0, 0]}\n"
                          "    - {name: gpu1, at: [400, 0]}\n"
                          "    - {name: leaf0, kind: switch, at: [200, -300]}\n"
                          "  links:\n"
                          "    - {between: [gpu0, leaf0], bandwidth: 400 Gbit/s, latency: 600 ns}\n"
                          "    - {between: [gpu1, leaf0], bandwidth: 400 Gbit/s, latency: 600 ns}\n"
                          "  overrides:\n"
                          "    links:\n"
                          "      - {link: gpu1>leaf0, bandwidth: 40 Gbit/s} # worn\n"
                          "    npus:\n"
                          "      - {npu: 0, speed: 0.5}\n"
                          "workload: {collective: all_reduce, size: 1 MiB}\n";

/// As shown, with usual spaces.
QString plainly(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

QString overriddenText(Stage& stage)
{
    return plainly(stage.draw.findChild<QLabel*>(QStringLiteral("overridden"))->text());
}

/// But for what smooth edges take of it.
bool isAlike(const QColor& a, const QColor& b)
{
    constexpr int kMost = 24;
    return std::abs(a.red() - b.red()) <= kMost && std::abs(a.green() - b.green()) <= kMost && std::abs(a.blue() - b.blue()) <= kMost;
}

bool hasColour(const QImage& image, QPoint around, const QColor& colour)
{
    for (int y = around.y() - 8; y <= around.y() + 8; ++y) {
        for (int x = around.x() - 8; x <= around.x() + 8; ++x) {
            if (image.rect().contains(x, y) && isAlike(image.pixelColor(x, y), colour))
                return true;
        }
    }
    return false;
}

} // namespace

class tst_drawnoverrides : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void E6_aLinkSaysWhatItsOverrideMakesOfIt()
    {
        Stage stage(kSlow);
        stage.editor().select({}, {1});
        QCOMPARE(overriddenText(stage), QStringLiteral("400 Gbit/s, overridden to 40 Gbit/s from gpu1 to leaf0"));
        QVERIFY(stage.draw.findChild<QPushButton*>(QStringLiteral("resetOverrides"))->isVisible());
        stage.editor().select({}, {0});
        QVERIFY(!stage.draw.findChild<QPushButton*>(QStringLiteral("resetOverrides"))->isVisible());
        stage.move(stage.pixel(300, -150), Qt::NoModifier, Qt::NoButton);
        QCOMPARE(plainly(stage.canvas().hoverText()), QStringLiteral("gpu1 ↔ leaf0\n400 Gbit/s, overridden to 40 Gbit/s from gpu1 to leaf0\n600 ns"));
        stage.move(stage.pixel(100, -150), Qt::NoModifier, Qt::NoButton);
        QCOMPARE(plainly(stage.canvas().hoverText()), QStringLiteral("gpu0 ↔ leaf0\n400 Gbit/s, 600 ns"));
    }

    void E6_whatIsOverriddenBearsADiamond()
    {
        Stage stage(kSlow);
        const QColor warn = AppTheme::global().theme().color(Role::Warn);
        const QImage image = stage.canvas().grab().toImage();
        const auto third = [&](std::size_t from) { return (stage.canvas().pixelOf(from) * 2 + stage.canvas().pixelOf(2)) / 3; };
        QVERIFY(hasColour(image, third(1).toPoint(), warn));
        QVERIFY(!hasColour(image, third(0).toPoint(), warn));
        QVERIFY(hasColour(image, stage.pixel(-24, -24), warn)); // The upper left corner of gpu0, which is 48 wide.
        QVERIFY(!hasColour(image, stage.pixel(376, -24), warn));
    }

    void E6_resetTakesTheOverrideOutOfTheTextInOneStep()
    {
        Stage stage(kSlow);
        stage.editor().select({}, {1});
        QTest::mouseClick(stage.draw.findChild<QPushButton*>(QStringLiteral("resetOverrides")), Qt::LeftButton);
        QCOMPARE(stage.edits(), 1);
        QVERIFY(!QString::fromStdString(stage.document.text()).contains(QStringLiteral("gpu1>leaf0")));
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("speed: 0.5")));
        QCOMPARE(overriddenText(stage), QString());
        stage.checkUndo(kSlow);
        stage.editor().select({0});
        QCOMPARE(overriddenText(stage), QStringLiteral("Speed overridden to 0.5"));
        stage.editor().resetSelected();
        QVERIFY(!QString::fromStdString(stage.document.text()).contains(QStringLiteral("overrides")));
        stage.checkUndo(kSlow);
    }

    void E6_resetTakesOutManyOverridesHoweverTheyNameTheirParts()
    {
        const std::string link = "    - {between: [gpu1, leaf0], bandwidth: 400 Gbit/s, latency: 600 ns}\n";
        std::string text = kSlow;
        text.insert(text.find("  overrides:"), link); // A second one beside the first.
        const std::string kept = "      - {link: gpu0>leaf0, latency: 1 us} # of another\n";
        const std::string entry = "      - {link: gpu1>leaf0, bandwidth: 40 Gbit/s} # worn\n";
        std::string with = text;
        with.replace(with.find(entry), entry.size(), entry + kept + "      - {link: leaf0>gpu1#1, latency: 1 us}\n      - {link: leaf0<>gpu1#2, bandwidth: 50 Gbit/s}\n");
        Stage stage(with);
        QVERIFY(!stage.editor().changes().isEmpty());
        stage.editor().select({}, {1});
        stage.editor().resetSelected();
        QCOMPARE(stage.edits(), 1);
        text.replace(text.find(entry), entry.size(), kept);
        QCOMPARE(stage.document.text(), text);
        stage.editor().select({0}, {0});
        stage.editor().resetSelected();
        QCOMPARE(stage.document.text().find("overrides"), std::string::npos);
        stage.checkUndo(with);
    }

    void E6_anOverrideOfOtherLinksTooIsNotTakenOut()
    {
        std::string text = kSlow;
        text.replace(text.find("gpu1>leaf0"), 10, "gpu*>leaf0");
        Stage stage(text);
        QSignalSpy refused(&stage.editor(), &GraphEditor::refused);
        stage.editor().select({}, {1});
        stage.editor().resetSelected();
        QCOMPARE(refused.size(), 1);
        QVERIFY(refused[0][0].toString().contains(QStringLiteral("gpu*>leaf0")));
        QCOMPARE(stage.edits(), 0);
        stage.editor().select({}, {0, 1});
        QCOMPARE(overriddenText(stage), QStringLiteral("2 of 2 links overridden"));
        stage.editor().resetSelected();
        QCOMPARE(stage.edits(), 1);
    }

    /// The platform is the last one without errors; as many nodes and links do not make it that of the text.
    void E6_overridesOfAnEarlierTextAreNotShownOnOtherParts_data()
    {
        QTest::addColumn<QString>("was");
        QTest::addColumn<QString>("is");
        QTest::newRow("other ends") << "{between: [gpu0, leaf0]" << "{between: [gpu1, gpu0]";
        QTest::newRow("turned") << "{between: [gpu1, leaf0]" << "{between: [leaf0, gpu1]";
        QTest::newRow("another name") << "{name: leaf0" << "{name: leaf1";
        QTest::newRow("another kind") << "{name: gpu0, at: [0, 0]}" << "{name: gpu0, kind: switch, at: [0, 0]}";
    }

    void E6_overridesOfAnEarlierTextAreNotShownOnOtherParts()
    {
        QFETCH(QString, was);
        QFETCH(QString, is);
        Stage stage(kSlow);
        QVERIFY(!stage.editor().changes().isEmpty());
        std::string text = kSlow;
        text.replace(text.find(was.toStdString()), was.toStdString().size(), is.toStdString());
        text.replace(text.find("speed: 0.5"), 10, "speed: abc"); // An error of the platform.
        QVERIFY(stage.document.editText(QStringLiteral("type"), text));
        QVERIFY(stage.document.platform());
        QVERIFY(stage.editor().changes().isEmpty());
    }
};

FABRICSCOPE_GUI_TEST(tst_drawnoverrides)
#include "tst_drawnoverrides.moc"
