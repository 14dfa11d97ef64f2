// Editing on the drawn platform: menu and keys, all through the document.
#include "core/design/linknames.h"
#include "widgets/canvas/editing.h"
#include "widgets/design/editactions.h"
#include "widgets/design/quantityfield.h"
#include "tests/unit/support/testprogram.h"

#include <QContextMenuEvent>
#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest>

using namespace fabricscope;
using namespace Qt::Literals::StringLiterals;

namespace {

const std::string kPod = "fabricscope: 1\n"
                         "platform:\n"
                         "  dimensions:\n"
                         "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # inner\n"
                         "    - {shape: switch, size: 2, bandwidth: 20 GB/s, latency: 2.5 us}\n"
                         "workload: {collective: all_reduce, size: 1 MiB}\n";

struct Stage {
    DesignDocument document;
    PlatformCanvas canvas;
    CanvasEditing editing{&canvas};

    Stage()
    {
        const Status status = document.setText(kPod, u"pod.yaml"_s);
        Q_ASSERT(status);
        editing.setDocument(&document);
        QObject::connect(&document, &DesignDocument::changed, &canvas, [this] { canvas.setPlatform(document.platform()); });
        canvas.setPlatform(document.platform());
        canvas.resize(700, 500);
        canvas.show();
        canvas.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&canvas));
        canvas.setFocus();
    }
    CanvasElement npu(NodeId node) const
    {
        CanvasElement element;
        element.kind = CanvasElement::Kind::Node;
        element.node = node;
        element.nodes = 1;
        return element;
    }
    CanvasElement link(const char* name) const
    {
        CanvasElement element;
        element.kind = CanvasElement::Kind::Link;
        element.link = findLink(*document.platform(), name).value();
        return element;
    }
    /// The command of the menu; null: it is not there or cannot be chosen.
    QAction* command(const CanvasElement& element, int dimension, const QString& text)
    {
        menu.reset(editing.menuFor(element, dimension));
        for (QAction* action : menu->actions()) {
            if (action->text() == text && action->isEnabled())
                return action;
        }
        return nullptr;
    }
    QuantityField* popupField() const
    {
        QWidget* popup = QApplication::activePopupWidget();
        return popup ? popup->findChild<QuantityField*>() : nullptr;
    }
    std::unique_ptr<QMenu> menu;
};

void enter(QuantityField* field, const char* text)
{
    field->lineEdit()->selectAll();
    QTest::keyClicks(field->lineEdit(), QString::fromLatin1(text));
    QTest::keyClick(field->lineEdit(), Qt::Key_Return);
}

} // namespace

class tst_canvasediting : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void E1_dimensionsAreAddedRemovedAndMovedFromTheMenu()
    {
        Stage stage;
        QSignalSpy chosen(&stage.editing, &CanvasEditing::dimensionChosen);
        QAction* add = stage.command({}, -1, u"Add dimension outside"_s);
        QVERIFY(add);
        add->trigger();
        QCOMPARE(stage.document.platform()->npuCount(), 16);
        QCOMPARE(chosen.last().at(0).toInt(), 2);
        QVERIFY(!stage.command({}, 0, u"Move D0 inward"_s));
        QVERIFY(!stage.command({}, 2, u"Move D2 outward"_s));
        stage.command({}, 0, u"Move D0 outward"_s)->trigger();
        QCOMPARE(stage.document.platform()->dimensions()[1].shape, Shape::Ring);
        stage.command({}, 1, u"Move D1 inward"_s)->trigger();
        QCOMPARE(stage.document.platform()->dimensions()[0].shape, Shape::Ring);
        stage.command({}, 2, u"Remove D2"_s)->trigger();
        QCOMPARE(stage.document.platform()->npuCount(), 8);
        stage.command({}, 1, u"Remove D1"_s)->trigger();
        QVERIFY(!stage.command({}, 0, u"Remove D0"_s)); // the only one
        QCOMPARE(stage.document.undoStack().count(), 5);
        stage.document.undoStack().setIndex(0);
        QCOMPARE(stage.document.text(), kPod);
    }

    void aLinkGetsItsOwnBandwidthAndLatency()
    {
        Stage stage;
        const CanvasElement link = stage.link("d1 5>switch");
        stage.command(link, -1, QString::fromUtf8("Change bandwidth…"))->trigger();
        QVERIFY(stage.popupField());
        QVERIFY(!stage.popupField()->lineEdit()->accessibleName().isEmpty());
        enter(stage.popupField(), "12.5 GB/s");
        QVERIFY(!stage.popupField());
        QCOMPARE(stage.document.platform()->bandwidth(link.link).bytesPerSecond, 12'500'000'000);
        stage.command(link, -1, QString::fromUtf8("Change latency…"))->trigger();
        enter(stage.popupField(), "bad");
        QVERIFY(stage.popupField()); // stays with its reason
        enter(stage.popupField(), "3us");
        QCOMPARE(stage.document.platform()->latency(link.link).ps, 3'000'000);
        QCOMPARE(stage.document.undoStack().count(), 2);
        stage.command(link, -1, u"Reset override"_s)->trigger();
        QCOMPARE(stage.document.text(), kPod);
        QVERIFY(!stage.command(link, -1, u"Reset override"_s));
        QVERIFY(stage.command(link, -1, u"Remove D1"_s)); // its dimension is at hand too
    }

    void aDimensionsValuesChangeFromItsBar()
    {
        Stage stage;
        stage.command({}, 1, QString::fromUtf8("Change D1 bandwidth…"))->trigger();
        enter(stage.popupField(), "25");
        QCOMPARE(stage.document.platform()->dimensions()[1].bandwidth.text(), std::string("25 GB/s"));
        stage.command({}, 0, QString::fromUtf8("Change D0 latency…"))->trigger();
        enter(stage.popupField(), "0");
        QCOMPARE(stage.document.platform()->dimensions()[0].latency.value, 0.0);
        QVERIFY(stage.document.text().find("# inner") != std::string::npos);
        bool bar = false;
        for (int y = 0; y < stage.canvas.height() && !bar; y += 3) {
            for (int x = 0; x < stage.canvas.width() && !bar; x += 6)
                bar = stage.editing.dimensionAt(QPointF(x, y)) == 1;
        }
        QVERIFY(bar); // the switches of D1 can be pointed at
        QCOMPARE(stage.editing.dimensionAt(QPointF(-5, -5)), -1);
    }

    void keysEditTheSelection()
    {
        Stage stage;
        stage.canvas.setSelection(stage.npu(3));
        QTest::keyClick(&stage.canvas, Qt::Key_S);
        QVERIFY(stage.popupField());
        enter(stage.popupField(), "0.5");
        QCOMPARE(stage.document.platform()->speed(3), 0.5);
        stage.canvas.setFocus();
        stage.canvas.setSelection(stage.npu(3));
        QTest::keyClick(&stage.canvas, Qt::Key_R);
        QCOMPARE(stage.document.text(), kPod);
        stage.canvas.setSelection(stage.link("d0 1>2"));
        QTest::keyClick(&stage.canvas, Qt::Key_Delete);
        QVERIFY(DesignActions::isLinkRemoved(stage.document, "d0 1>2"));
        stage.document.undoStack().undo();
        QCOMPARE(stage.document.text(), kPod);
        stage.canvas.setSelection(stage.npu(2));
        QTest::keyClick(&stage.canvas, Qt::Key_Delete);
        QVERIFY(DesignActions::isNpuRemoved(stage.document, 2));
        stage.document.undoStack().undo();
        stage.canvas.setSelection({});
        QTest::keyClick(&stage.canvas, Qt::Key_Delete);
        QTest::keyClick(&stage.canvas, Qt::Key_B);
        QVERIFY(!stage.popupField());
        QCOMPARE(stage.document.text(), kPod);
    }

    void theContextMenuOpensOnTheElementUnderThePointer()
    {
        Stage stage;
        QPoint at;
        for (int y = 0; y < stage.canvas.height() && at.isNull(); y += 2) {
            for (int x = 0; x < stage.canvas.width() && at.isNull(); x += 2) {
                if (stage.canvas.elementAt(QPointF(x, y)).kind == CanvasElement::Kind::Node)
                    at = QPoint(x, y);
            }
        }
        QVERIFY(!at.isNull());
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, stage.canvas.mapToGlobal(at));
        QCoreApplication::sendEvent(&stage.canvas, &event);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QCOMPARE(stage.canvas.selection().kind, CanvasElement::Kind::Node);
        QStringList texts;
        for (QAction* action : menu->actions())
            texts << action->text();
        QVERIFY(texts.contains(QString::fromUtf8("Change speed…")));
        QVERIFY(texts.contains(u"Remove"_s));
        menu->close();
    }
};

FABRICSCOPE_GUI_TEST(tst_canvasediting)
#include "tst_canvasediting.moc"
