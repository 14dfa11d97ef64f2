// The gallery of fabrics and hosts: what its rows put into a design, each as one edit.
#include "core/platform/fabric/samples.h"
#include "tests/gui/support/drawingstage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/draw/gallery.h"
#include "widgets/draw/levelsview.h"

#include <QDropEvent>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

using namespace fabricscope;
using test::kSquare;
using test::Stage;

namespace {

QListWidget& rows(Stage& stage)
{
    return *test::part<GalleryView>(stage.draw).list();
}

/// Makes the row of a sample current; that of a host where it is one.
QListWidgetItem& row(Stage& stage, const char* title, bool host)
{
    test::part<GalleryView>(stage.draw).setShowsHosts(host);
    const auto found = rows(stage).findItems(QString::fromLatin1(title), Qt::MatchExactly);
    if (found.size() != 1)
        qFatal("%d rows are called %s", static_cast<int>(found.size()), title);
    rows(stage).setCurrentItem(found.front());
    return *found.front();
}

void drop(Stage& stage, const char* name, QPoint at)
{
    QMimeData data;
    data.setData(QString::fromLatin1(kSampleMime), name);
    const QPoint inside = stage.canvas().mapTo(&stage.draw, at);
    QDragEnterEvent enters(inside, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&stage.draw, &enters);
    QVERIFY(enters.isAccepted());
    QDropEvent event(inside, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&stage.draw, &event);
    QVERIFY(event.isAccepted());
}

std::string topology(Stage& stage)
{
    const YamlNode* line = stage.document.yaml()->find("platform.topology");
    return line ? line->text : std::string();
}

} // namespace

class tst_gallery : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { AppTheme::global().set(Theme(Theme::Mode::Light, 13)); }

    void D8_fabricsAndHostsAreListedWithTheirSources()
    {
        Stage stage;
        int listed = 0;
        for (const char* kind : {"Fabrics", "Hosts"}) {
            QTest::mouseClick(&test::named<QToolButton>(stage.draw, kind), Qt::LeftButton);
            for (int i = 0; i < rows(stage).count(); ++i) {
                const QListWidgetItem& item = *rows(stage).item(i);
                QVERIFY(!item.text().isEmpty() && item.toolTip().size() > 40);
                QVERIFY(!item.data(Qt::AccessibleDescriptionRole).toString().isEmpty());
                ++listed;
            }
        }
        QCOMPARE(listed, static_cast<int>(fabricSamples().size()));
        QCOMPARE(GalleryView::figuresOf(*fabricSample("fat-tree-1024")), QStringLiteral("%1 NPUs, %2 switches").arg(texts::count(1024), texts::count(320)));
        QCOMPARE(GalleryView::figuresOf(*fabricSample("hypercube-256")), QStringLiteral("256 NPUs"));
        // Each is drawn: the picture at the left of a row has something on its page.
        const QRect place = rows(stage).visualItemRect(rows(stage).item(0));
        const QImage grabbed = rows(stage).viewport()->grab(QRect(place.left() + 10, place.top() + 6, 32, 32)).toImage();
        std::set<QRgb> colors;
        for (int y = 0; y < grabbed.height(); ++y) {
            for (int x = 0; x < grabbed.width(); ++x)
                colors.insert(grabbed.pixel(x, y));
        }
        QVERIFY2(colors.size() > 3, qPrintable(QString::number(colors.size())));
    }

    /// By a double click, Return and the button alike.
    void D8_aFabricTakesThePlaceOfTheOneThere_data()
    {
        QTest::addColumn<int>("way");
        QTest::newRow("double click") << 0;
        QTest::newRow("Return") << 1;
        QTest::newRow("button") << 2;
    }

    void D8_aFabricTakesThePlaceOfTheOneThere()
    {
        QFETCH(int, way);
        Stage stage;
        QListWidgetItem& item = row(stage, "Fat tree, k = 16", false);
        if (way == 0) {
            rows(stage).scrollToItem(&item);
            const QPoint at = rows(stage).visualItemRect(&item).center();
            QTest::mouseClick(rows(stage).viewport(), Qt::LeftButton, Qt::NoModifier, at);
            QTest::mouseDClick(rows(stage).viewport(), Qt::LeftButton, Qt::NoModifier, at);
        } else if (way == 1) {
            QTest::keyClick(&rows(stage), Qt::Key_Return);
        } else {
            QTest::mouseClick(&test::named<QPushButton>(stage.draw, "Put into design"), Qt::LeftButton);
        }
        QCOMPARE(topology(stage), std::string("npu / fat_tree 16 400G"));
        QCOMPARE(stage.document.platform()->npuCount(), 1024);
        QCOMPARE(stage.edits(), 1);
        stage.checkUndo(kSquare);
    }

    void D8_aDoubleClickAddsOneHost()
    {
        Stage stage;
        QListWidgetItem& item = row(stage, "NVIDIA HGX H100, 8 GPUs", true);
        rows(stage).scrollToItem(&item);
        const QPoint at = rows(stage).visualItemRect(&item).center();
        QTest::mouseClick(rows(stage).viewport(), Qt::LeftButton, Qt::NoModifier, at);
        QCOMPARE(stage.edits(), 0);
        QTest::mouseDClick(rows(stage).viewport(), Qt::LeftButton, Qt::NoModifier, at);
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5 + 9});
        QCOMPARE(stage.edits(), 1);
        stage.checkUndo(kSquare);
    }

    void D8_aPresetTakesThePlaceOfTheFabricWithItsOwnName()
    {
        const std::string named = "fabricscope: 1   # ours\nplatform:\n  name: Mine\n  topology: \"npu / torus 4x4\"   # small\n  npu: {peak: 1 TFLOP/s}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        Stage stage(named);
        row(stage, "Google TPU v4 cube, 64 chips", false);
        QTest::keyClick(&rows(stage), Qt::Key_Return);
        QCOMPARE(stage.document.yaml()->find("platform.preset")->text, std::string("tpu-v4-64"));
        QVERIFY(!stage.document.yaml()->find("platform.topology") && !stage.document.yaml()->find("platform.name") && !stage.document.yaml()->find("platform.npu"));
        QCOMPARE(stage.document.platform()->npuCount(), 64);
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# ours")));
        stage.checkUndo(named);
    }

    void D8_aHostBeginsAPodInAnEmptyDesignAndACountMakesItOneOf1024()
    {
        Stage stage(DrawWorkspace::emptyDesign().toStdString());
        drop(stage, "hgx-h100-8", stage.canvas().rect().center());
        QCOMPARE(topology(stage), std::string("hgx-h100-8 x1 / rails"));
        QVERIFY(test::part<LevelsView>(stage.draw).isVisible());
        QCOMPARE(stage.document.platform()->npuCount(), 8);
        CountHandle& hosts = test::named<CountHandle>(stage.draw, "hgx-h100-8 below each unit of leaf");
        hosts.setFocus();
        for (int i = 0; i < 7; ++i) // 2, 4, ..., 128 hosts.
            QTest::keyClick(&hosts, Qt::Key_Right);
        QVERIFY(!stage.document.hasErrors());
        QCOMPARE(stage.document.platform()->npuCount(), 1024);
    }

    void D8_aHostTakesThePlaceOfTheHostsOfLevels()
    {
        const std::string rails = "fabricscope: 1\nplatform:\n  topology: \"hgx-h100-8 x4 / rails 64p 400G x2 / spine 2:1\"   # ours\nworkload: {collective: all_reduce, size: 1 MiB}\n";
        Stage stage(rails);
        drop(stage, "dgx-2", {200, 200});
        QCOMPARE(topology(stage), std::string("dgx-2 x4 / rails 64p 400G x2 / spine 2:1"));
        QCOMPARE(stage.document.platform()->npuCount(), 2 * 4 * 16);
        QVERIFY(QString::fromStdString(stage.document.text()).contains(QStringLiteral("# ours")));
        stage.checkUndo(rails);
    }

    /// Nothing else of the drawing changes: the host comes with parts and links of its own.
    void D8_aHostIsDroppedAmongPartsDrawnOneByOne()
    {
        Stage stage;
        const std::vector<DrawnAt> before = stage.editor().picture().places();
        drop(stage, "hgx-h100-8", stage.pixel(300, 96));
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5 + 9});
        QCOMPARE(stage.graph().links.size(), std::size_t{2 + 2 * 8}); // One each way between each GPU and its switch.
        QCOMPARE(stage.selected().size(), std::size_t{9});
        const auto npus = std::ranges::count_if(stage.graph().nodes, [](const GraphText::Node& node) { return node.kind == NodeKind::Npu; });
        QCOMPARE(npus, std::ptrdiff_t{12});
        // Around the place: to the grid of 8.
        RectF around;
        bool first = true;
        for (const std::size_t node : stage.selected()) {
            around = std::exchange(first, false) ? stage.editor().picture().rectOf(node) : around.united(stage.editor().picture().rectOf(node));
            QVERIFY(stage.graph().nodes[node].at);
        }
        QVERIFY(std::abs(around.center().x() - 300) <= 8 && std::abs(around.center().y() - 96) <= 8);
        std::size_t same = 0;
        for (const DrawnAt& at : before)
            same += std::ranges::count(stage.editor().picture().places(), at) > 0 ? 1 : 0;
        QCOMPARE(same, before.size());
        QCOMPARE(stage.edits(), 1);
        QCOMPARE(stage.document.yaml()->find("platform.npu.peak")->text, std::string("989 TFLOP/s"));
        // Another one, whose names are free.
        drop(stage, "hgx-h100-8", stage.pixel(250, 180));
        QCOMPARE(stage.graph().nodes.size(), std::size_t{5 + 18});
        std::set<std::string> names;
        for (const GraphText::Node& node : stage.graph().nodes)
            QVERIFY2(names.insert(node.name).second, node.name.c_str());
        stage.checkUndo(kSquare);
    }

    void D8_aRowStartsANewDesign()
    {
        Stage stage;
        QSignalSpy wanted(&stage.draw, &DrawWorkspace::designRequested);
        row(stage, "NVIDIA DGX-2, 16 GPUs", true);
        QTest::mouseClick(&test::named<QPushButton>(stage.draw, "New design"), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().at(1).toString(), QStringLiteral("dgx-2.yaml"));
        QCOMPARE(stage.edits(), 0);
        for (const FabricSample& sample : fabricSamples()) {
            DesignDocument document;
            const QByteArray text = DrawWorkspace::designOf(QString::fromLatin1(sample.name.data(), static_cast<qsizetype>(sample.name.size())));
            QVERIFY(document.setText(text.toStdString(), QStringLiteral("new.yaml")));
            QVERIFY2(!document.hasErrors(), sample.name.data());
        }
    }

    /// What is let go over the gallery itself stays there.
    void D8_aRowThatIsDroppedBackDoesNothing()
    {
        Stage stage;
        QMimeData data;
        data.setData(QString::fromLatin1(kSampleMime), "dgx-2");
        const QPoint back = rows(stage).mapTo(&stage.draw, rows(stage).rect().center());
        QDropEvent event(back, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&stage.draw, &event);
        QCOMPARE(stage.edits(), 0);
    }
};

FABRICSCOPE_GUI_TEST(tst_gallery)
#include "tst_gallery.moc"
