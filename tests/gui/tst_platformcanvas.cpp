#include "tests/unit/support/cases/syntheticrun.h"
#include "widgets/canvas/platformcanvas.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QPainter>
#include <QSignalSpy>
#include <QWheelEvent>

#include <cmath>

using namespace fabricscope;

namespace {

Dimension dimension(Shape shape, int size)
{
    return {shape, size, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}};
}

Platform pod()
{
    PlatformSpec spec;
    spec.dimensions = {dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 4), dimension(Shape::Switch, 4)};
    return Platform::create(spec).value();
}

bool contains(const QImage& image, const QRectF& rect, const QColor& color)
{
    for (int y = static_cast<int>(rect.top()); y < static_cast<int>(rect.bottom()); ++y)
        for (int x = static_cast<int>(rect.left()); x < static_cast<int>(rect.right()); ++x)
            if (image.rect().contains(x, y) && image.pixelColor(x, y) == color)
                return true;
    return false;
}

QImage picture(PlatformCanvas& canvas)
{
    QImage image(canvas.size(), QImage::Format_RGB32);
    QPainter painter(&image);
    canvas.paintOn(painter);
    return image;
}

} // namespace

class PlatformCanvasTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<PlatformCanvas> m_canvas;

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_canvas = std::make_unique<PlatformCanvas>();
        m_canvas->resize(926, 400);
        m_canvas->setPlatform(pod());
        m_canvas->show();
        m_canvas->setFocus();
        QVERIFY(QTest::qWaitForWindowExposed(m_canvas.get()));
    }

    /// Another edit of the design brings a copy of the platform there is.
    void aCopyOfThePlatformKeepsTheLayout()
    {
        const Platform shown = m_canvas->layoutOfPlatform()->platform();
        m_canvas->setPlatform(shown);
        QVERIFY(&m_canvas->layoutOfPlatform()->platform().spec() == &shown.spec());
        const Platform other = Platform::create(shown.spec()).value();
        m_canvas->setPlatform(other);
        QVERIFY(&m_canvas->layoutOfPlatform()->platform().spec() == &other.spec());
        m_canvas->setPlatform(std::nullopt);
        QVERIFY(!m_canvas->layoutOfPlatform());
    }

    void theWholePlatformIsShownFirst()
    {
        const QRectF whole = m_canvas->transform().map(QRectF(QPointF(0, 0), m_canvas->layoutOfPlatform()->size()));
        QVERIFY(QRectF(m_canvas->rect()).contains(whole));
    }

    void clickSelectsAnNpu()
    {
        QSignalSpy spy(m_canvas.get(), &PlatformCanvas::selectionChanged);
        const QPointF at = m_canvas->transform().map(m_canvas->layoutOfPlatform()->npuCentre(37));

        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, Qt::NoModifier, at.toPoint());

        QCOMPARE(spy.count(), 1);
        QVERIFY(m_canvas->selection() == (CanvasElement{CanvasElement::Kind::Node, 37, -1, 0}));
        QVERIFY(m_canvas->accessibleDescription().startsWith(QStringLiteral("NPU 37")));
    }

    void hoverTellsTheLinkUnderThePointer()
    {
        QSignalSpy spy(m_canvas.get(), &PlatformCanvas::hoverChanged);
        // Half way along a bundle of the ring between the groups 0-7 and 8-15.
        const auto* layout = m_canvas->layoutOfPlatform();
        const QRectF a = layout->childRect(layout->levels()[1], 0).translated(layout->blockOrigin(1, 0));
        const QRectF b = layout->childRect(layout->levels()[1], 1).translated(layout->blockOrigin(1, 0));
        const QPointF middle = m_canvas->transform().map((a.center() + b.center()) / 2);

        QMouseEvent move(QEvent::MouseMove, middle, m_canvas->mapToGlobal(middle), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_canvas.get(), &move);

        QCOMPARE(spy.count(), 1);
        QVERIFY(m_canvas->hovered().kind == CanvasElement::Kind::Link);
        const LinkInfo info = m_canvas->layoutOfPlatform()->platform().linkInfo(m_canvas->hovered().link);
        QCOMPARE(info.dimension, 1);
        QVERIFY(info.from < 8 && info.to >= 8 && info.to < 16);
    }

    void wheelZoomsAtThePointer()
    {
        const QPointF at(300, 200);
        const QPointF under = m_canvas->transform().inverse(at);

        QWheelEvent event(at, m_canvas->mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_canvas.get(), &event);

        const QPointF now = m_canvas->transform().map(under);
        QVERIFY(std::hypot(now.x() - at.x(), now.y() - at.y()) < 0.01);
        QVERIFY(m_canvas->zoom() > 0);
    }

    void dragPansAndDoesNotSelect()
    {
        const QPointF before = m_canvas->transform().offset;
        QTest::mousePress(m_canvas.get(), Qt::LeftButton, Qt::NoModifier, QPoint(300, 200));
        QMouseEvent move(QEvent::MouseMove, QPointF(340, 230), m_canvas->mapToGlobal(QPointF(340, 230)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_canvas.get(), &move);
        QTest::mouseRelease(m_canvas.get(), Qt::LeftButton, Qt::NoModifier, QPoint(340, 230));

        QCOMPARE(m_canvas->transform().offset, before + QPointF(40, 30));
        QVERIFY(m_canvas->selection().kind == CanvasElement::Kind::None);
    }

    void keysZoomFitAndWalk()
    {
        const double fitted = m_canvas->zoom();
        QTest::keyClick(m_canvas.get(), Qt::Key_Plus);
        QCOMPARE(m_canvas->zoom(), fitted * 1.25);
        QTest::keyClick(m_canvas.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(m_canvas->zoom(), fitted);

        QTest::keyClick(m_canvas.get(), Qt::Key_Right);
        QCOMPARE(m_canvas->selection().node, 0);
        QTest::keyClick(m_canvas.get(), Qt::Key_Right);
        QCOMPARE(m_canvas->selection().node, 1);
        QTest::keyClick(m_canvas.get(), Qt::Key_Down);
        QCOMPARE(m_canvas->selection().node, 9); // the next group of eight
        QTest::keyClick(m_canvas.get(), Qt::Key_Escape);
        QVERIFY(m_canvas->selection().kind == CanvasElement::Kind::None);
    }

    void E10_bucketColoursFollowKnownValues()
    {
        // Every link of dimension 1 at 70 % is in bucket 5; nothing is in bucket 5 when all are idle.
        const Platform platform = pod();
        const Theme theme;
        const auto* layout = m_canvas->layoutOfPlatform();
        const QRectF a = layout->childRect(layout->levels()[1], 0).translated(layout->blockOrigin(1, 0));
        const QRectF b = layout->childRect(layout->levels()[1], 1).translated(layout->blockOrigin(1, 0));
        const QRectF between = m_canvas->transform().map(QRectF(QPointF(a.right() + 4, a.center().y() - 14), QPointF(b.left() - 4, b.center().y() + 14)));
        std::vector<float> shares(static_cast<std::size_t>(platform.linkCount()), 0.0F);
        m_canvas->setHeat(PlatformHeat::ofLinks(shares), QStringLiteral("link busy"));
        QVERIFY(!contains(picture(*m_canvas), between, theme.heat(5)));
        for (std::size_t i = 0; i < shares.size(); ++i)
            if (platform.linkInfo(static_cast<LinkId>(i)).dimension == 1)
                shares[i] = 0.7F;

        m_canvas->setHeat(PlatformHeat::ofLinks(shares), QStringLiteral("link busy"));

        QVERIFY(contains(picture(*m_canvas), between, theme.heat(5)));
    }

    void heatOfARecordTakesListedLinksOutOfTheMean()
    {
        // Dimension 1 has 256 links and 300 ps of busy time, 45 of them on link 900 (run: 100 ps): 0.45 there, 255/255/100 = 0.01 elsewhere.
        const Platform platform = pod();
        RunRecord record;
        record.finish = SimTime{100};
        for (const std::int64_t links : {896, 256, 256}) {
            DimensionUse use;
            use.links = links;
            record.dimensions.push_back(use);
        }
        record.dimensions[1].busyPs = 300;
        record.links.push_back({900, 0, 0, 45});
        QCOMPARE(platform.linkInfo(900).dimension, 1);

        const PlatformHeat heat = PlatformHeat::fromRecord(platform, record);

        QCOMPARE(heat.link(900, 1), 0.45);
        QCOMPARE(heat.link(901, 1), 0.01);
        QCOMPARE(heat.link(0, 0), 0.0);
    }

    void aGroupOpensOnDoubleClick()
    {
        PlatformSpec spec;
        spec.dimensions = {dimension(Shape::FullyConnected, 8), dimension(Shape::Ring, 32), dimension(Shape::Switch, 64)};
        m_canvas->setPlatform(Platform::create(spec).value());
        QVERIFY(m_canvas->items().nodes.empty());
        CanvasElement group;
        QPointF at;
        for (const CanvasLayer& layer : m_canvas->items().layers)
            for (const auto& disc : layer.discs)
                if (disc.closed) {
                    group = m_canvas->elementAt(disc.rect.center());
                    at = disc.rect.center();
                }
        QVERIFY(group.kind == CanvasElement::Kind::Group);

        for (int i = 0; i < 4 && m_canvas->items().nodes.empty(); ++i) {
            QTest::mouseDClick(m_canvas.get(), Qt::LeftButton, Qt::NoModifier, at.toPoint());
            at = QRectF(m_canvas->rect()).center();
            for (const CanvasLayer& layer : m_canvas->items().layers)
                for (const auto& disc : layer.discs)
                    if (disc.closed && std::hypot(disc.rect.center().x() - at.x(), disc.rect.center().y() - at.y()) < 120)
                        at = disc.rect.center();
        }

        QVERIFY(!m_canvas->items().nodes.empty());
    }

    void A5_saysWhatItIs()
    {
        QVERIFY(!m_canvas->accessibleName().isEmpty());
        QCOMPARE(m_canvas->focusPolicy(), Qt::StrongFocus);
    }

    void anEmptyCanvasSaysSo()
    {
        m_canvas->setPlatform(std::nullopt);
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, Qt::NoModifier, QPoint(100, 100));
        QTest::keyClick(m_canvas.get(), Qt::Key_Right);
        QVERIFY(!m_canvas->grab().isNull());
    }
};

FABRICSCOPE_GUI_TEST(PlatformCanvasTest)
#include "tst_platformcanvas.moc"
