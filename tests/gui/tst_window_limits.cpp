// What large inputs look like, and the program as it is started. How long it takes is measured by tests/bench.
#include "core/draw/platformheat.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QImage>
#include <QPainter>
#include <QProcess>
#include <QTemporaryDir>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

QImage pictureOf(PlatformCanvas& canvas)
{
    QImage image(canvas.size(), QImage::Format_RGB32);
    QPainter painter(&image);
    canvas.paintOn(painter);
    return image;
}

} // namespace

class WindowLimitsTest : public QObject
{
    Q_OBJECT

private slots:
    void T4_aMillionIntervalsAreShownInEveryColumnAtEveryZoom()
    {
        const SyntheticRun run = manyIntervals(1'000'000, 1);
        TimelineView view;
        view.resize(188 + 800, 200);
        view.setSource(TimelineSource::create(run.record, run.workload));
        view.setGroupOpen(0, true);
        view.show();
        const std::int64_t finish = run.record->finish.ps;
        std::size_t track = 0;
        for (std::size_t i = 0; i < view.source()->tracks().size(); ++i)
            if (view.source()->intervalCount(i) > view.source()->intervalCount(track))
                track = i;
        QVERIFY(view.source()->intervalCount(track) >= 100'000);
        for (const std::int64_t share : {1, 100, 10'000}) {
            const std::int64_t middle = finish / 2;
            view.setVisibleRange({middle - finish / share / 2, middle + finish / share / 2});
            QImage image(view.viewport()->size(), QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            view.paintOn(painter, 1);
            painter.end();
            const QRectF bar = view.trackRect(track);
            QVERIFY(!bar.isEmpty());
            const int columns = static_cast<int>(view.timeGeometry().width);
            int shown = 0;
            int busy = 0;
            for (int column = 2; column + 2 < columns; ++column) {
                const auto x = static_cast<int>(view.timeGeometry().left) + column;
                const std::int64_t begin = view.timeGeometry().timeAt(x);
                const std::int64_t end = view.timeGeometry().timeAt(x + 1);
                const std::int32_t first = view.source()->firstIn(track, SimTime{begin}, SimTime{end});
                if (first < 0)
                    continue;
                // Inside a long interval, or over a whole short one, there is colour without exception; an end may be the gap to the next.
                const TimelineInterval interval = view.source()->interval(track, first);
                const bool inside = interval.beginPs <= begin && interval.endPs >= end + (end - begin);
                const bool whole = interval.beginPs >= begin && interval.endPs <= end;
                if (!inside && !whole)
                    continue;
                ++busy;
                bool coloured = false;
                for (int y = static_cast<int>(bar.top()); y < static_cast<int>(bar.bottom()); ++y)
                    coloured = coloured || image.pixelColor(x, y).lightness() < 220;
                shown += coloured ? 1 : 0;
            }
            QVERIFY(busy > 100);
            QVERIFY2(shown == busy, qPrintable(QStringLiteral("%1 of %2 columns at 1/%3").arg(shown).arg(busy).arg(share)));
        }
    }

    void E5_recolouringFourThousandNodesChangesColoursOnly()
    {
        PlatformSpec spec;
        for (int i = 0; i < 2; ++i)
            spec.dimensions.push_back({Shape::Ring, 64, Quantity{50, "GB/s", Measure::Bandwidth}, false, Quantity{1, "us", Measure::Time}});
        const Platform platform = Platform::create(spec).value();
        QCOMPARE(platform.npuCount(), 4096);
        PlatformCanvas canvas;
        canvas.resize(1600, 1200);
        canvas.setPlatform(platform);
        const auto links = static_cast<std::size_t>(platform.linkCount());
        canvas.setHeat(PlatformHeat::ofLinks(std::vector<float>(links, 0.1F)), QStringLiteral("cold"));
        const QImage cold = pictureOf(canvas);
        canvas.setHeat(PlatformHeat::ofLinks(std::vector<float>(links, 0.2F)), QStringLiteral("cold"));
        const QImage warmer = pictureOf(canvas);
        const QRgb background = cold.pixel(2, 600);
        int links1 = 0;
        int changed = 0;
        int appeared = 0;
        for (int y = 100; y < 1200; ++y) {
            for (int x = 0; x < 1600; ++x) {
                const bool was = cold.pixel(x, y) != background;
                const bool is = warmer.pixel(x, y) != background;
                links1 += was ? 1 : 0;
                appeared += was != is ? 1 : 0;
                changed += cold.pixel(x, y) != warmer.pixel(x, y) ? 1 : 0;
            }
        }
        QVERIFY2(links1 > 50'000, "4096 NPUs and their links cover part of the picture");
        QVERIFY2(changed > 1000, "the links change their colour");
        QCOMPARE(appeared, 0);
    }

    void A12_theProgramStartsShowsTheExampleAndEndsClean()
    {
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        QProcess program;
        program.setProcessEnvironment(environment);
        const QString picture = home.filePath(QStringLiteral("window.png"));
        program.start(QStringLiteral(FABRICSCOPE_WINDOW), {QStringLiteral("--screenshot"), picture, QStringLiteral("--size"), QStringLiteral("1280x800"), QStringLiteral("--theme"), QStringLiteral("light")});
        QVERIFY(program.waitForFinished(120'000));
        QVERIFY2(program.exitCode() == 0, program.readAllStandardError());
        const QImage image(picture);
        QCOMPARE(image.size(), QSize(1280, 800));
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 2)
            for (int x = 0; x < image.width(); x += 2)
                colours.insert(image.pixel(x, y));
        QVERIFY2(colours.size() > 500, "text, platform and timeline have many shades");
        // The compute bars of the example are there, in their colour.
        QVERIFY(colours.contains(Theme().activity(Activity::Compute).rgb()));
    }

    void A12_whatCannotBeUnderstoodEndsWithUsage()
    {
        QProcess program;
        program.start(QStringLiteral(FABRICSCOPE_WINDOW), {QStringLiteral("--workspace"), QStringLiteral("kitchen")});
        QVERIFY(program.waitForFinished(60'000));
        QCOMPARE(program.exitCode(), 2);
        QVERIFY(program.readAllStandardError().contains("kitchen"));
    }
};

FABRICSCOPE_GUI_TEST(WindowLimitsTest)
#include "tst_window_limits.moc"
