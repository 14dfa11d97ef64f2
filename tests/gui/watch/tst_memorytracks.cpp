// Live bytes over time as rows of the timeline.
#include "core/record/memorytrack.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/syntheticrun.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/timeline/rows.h"
#include "widgets/timeline/view.h"

#include <QImage>
#include <QtTest>

#include <algorithm>
#include <memory>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Two halves of the run: 10 GB, then 90 GB of 80; others hold 8 GB all the time, and nothing is known of how much they have.
TimelineSourcePtr sourceWithMemory()
{
    static const SyntheticRun run = trainingStep();
    auto record = std::make_shared<RunRecord>(*run.record);
    auto memory = std::make_shared<MemoryUse>();
    const std::int64_t half = TimelineSource::create(run.record, run.workload)->finish().ps / 2;
    MemoryUse::Class over;
    over.ranks = RankSet::single(5);
    over.peakBytes = 90'000'000'000;
    over.capacity = 80'000'000'000;
    over.overPs = half;
    over.timeline = {{0, 10'000'000'000}, {half, 90'000'000'000}};
    MemoryUse::Class other;
    other.ranks = RankSet::single(6);
    other.peakBytes = 8'000'000'000;
    other.timeline = {{0, 8'000'000'000}};
    memory->classes = {over, other};
    record->memory = memory;
    return TimelineSource::create(record, run.workload);
}

} // namespace

class MemoryTracksTest : public QObject
{
    Q_OBJECT
private slots:
    void init() { QLocale::setDefault(QLocale::c()); }

    void T16_liveMemoryIsAGroupOfRowsWithPeakAndCapacity()
    {
        TimelineRows rows;
        rows.setSource(sourceWithMemory());
        QVERIFY(rows.rowOfKey(QStringLiteral("live")) < 0); // Only where it is asked for.
        rows = TimelineRows();
        rows.showMemory();
        rows.setSource(sourceWithMemory());
        const int header = rows.rowOfKey(QStringLiteral("live"));
        QVERIFY(header > 0 && rows.rows()[static_cast<std::size_t>(header)].isHeader());
        const TimelineRow over = rows.rows()[static_cast<std::size_t>(header) + 1];
        QVERIFY(over.kind == TimelineRow::Kind::Live && over.memoryClass == 0);
        QCOMPARE(over.label, QStringLiteral("Rank 5"));
        QVERIFY2(over.detail.contains(QStringLiteral("over")), qPrintable(over.detail));
        QVERIFY(!rows.rows()[static_cast<std::size_t>(header) + 2].detail.contains(QStringLiteral("of")));
        // Folded, found, pinned as any other.
        rows.setOpen(TimelineRows::kLiveGroup, false);
        QVERIFY(rows.rowOfKey(over.key) < 0 && rows.rowOfKey(QStringLiteral("live")) >= 0);
        rows.setFilter(QStringLiteral("live rank 6"));
        QVERIFY(std::ranges::any_of(rows.rows(), [](const TimelineRow& row) { return row.memoryClass == 1; }));
        QVERIFY(std::ranges::none_of(rows.rows(), [](const TimelineRow& row) { return row.memoryClass == 0; }));
        // Sums beside such a row are those of the slowest class.
        rows.setFilter({});
        QCOMPARE(rows.groupTracks(rows.rowOfKey(QStringLiteral("live"))), rows.groupTracks(-1));
    }

    void T16_ranksWhoseBytesAreNotFollowedHaveNoRow()
    {
        const TimelineSourcePtr followed = sourceWithMemory();
        auto memory = std::make_shared<MemoryUse>(*followed->record().memory);
        MemoryUse::Class unknown;
        unknown.ranks = RankSet::single(7);
        unknown.capacity = 85'900'000'000;
        unknown.timeline = {{0, 0}};
        memory->classes.insert(memory->classes.begin() + 1, unknown);
        const auto classesOnShow = [](std::shared_ptr<MemoryUse> use) {
            static const SyntheticRun run = trainingStep();
            auto record = std::make_shared<RunRecord>(*run.record);
            record->memory = std::move(use);
            TimelineRows rows;
            rows.showMemory();
            rows.setSource(TimelineSource::create(record, run.workload));
            std::vector<int> classes;
            for (const TimelineRow& row : rows.rows()) {
                if (row.kind == TimelineRow::Kind::Live)
                    classes.push_back(row.memoryClass);
            }
            return std::pair(rows.rowOfKey(QStringLiteral("live")) >= 0, classes);
        };
        QVERIFY(classesOnShow(memory) == std::pair(true, std::vector<int>{0, 2}));
        memory->classes = {unknown};
        QVERIFY(classesOnShow(memory) == std::pair(false, std::vector<int>())); // Nor a heading of nothing.
    }

    /// The height is that of the bytes, and what is above the capacity has another colour.
    void T16_bytesAreDrawnOverTimeWithTheirCapacity()
    {
        AppTheme::global().set(Theme(Theme::Mode::Light, 13));
        const TimelineSourcePtr source = sourceWithMemory();
        TimelineRows rows;
        rows.showMemory();
        rows.setSource(source);
        TimelineScene scene;
        scene.source = source;
        scene.theme = AppTheme::global().theme();
        scene.rows = &rows;
        scene.size = {1000, scene.ruler + rows.totalHeight()};
        scene.geometry.left = scene.label;
        scene.geometry.width = 800;
        scene.geometry.run = scene.geometry.visible = {0, source->finish().ps};
        QImage image(scene.size, QImage::Format_RGB32);
        TimelinePainter timeline;
        {
            QPainter painter(&image);
            timeline.paint(painter, scene, 1);
        }
        const auto countAt = [&](const TimelineRow& row, double share, const QColor& color) {
            const QRectF bar = TimelinePainter::barRect(scene, row);
            int found = 0;
            for (int y = static_cast<int>(bar.top()); y < static_cast<int>(bar.bottom()); ++y)
                found += image.pixelColor(static_cast<int>(bar.left() + share * bar.width()), y) == color ? 1 : 0;
            return found;
        };
        const TimelineRow& over = rows.rows()[static_cast<std::size_t>(rows.rowOfKey(QStringLiteral("live"))) + 1];
        const QColor memory = scene.theme.activity(Activity::Memory);
        const QColor err = scene.theme.color(Role::Err);
        QVERIFY(std::abs(countAt(over, 0.25, memory) - over.bar * 10 / 90) <= 1);
        QCOMPARE(countAt(over, 0.25, err), 0);
        QVERIFY(std::abs(countAt(over, 0.75, err) - over.bar * 10 / 90) <= 2);
        QVERIFY(countAt(over, 0.75, memory) > over.bar / 2);
    }

    void T16_theMostThatIsLiveIsThatOfAllPoints()
    {
        for (const std::uint64_t seed : Seeds(77, 300)) {
            std::mt19937_64 random(seed);
            MemoryUse::Class use;
            std::int64_t ps = 0;
            for (auto points = random() % 12; points > 0; --points) {
                use.timeline.push_back({ps, static_cast<std::int64_t>(random() % 50)});
                ps += static_cast<std::int64_t>(1 + random() % 9);
            }
            const auto from = static_cast<std::int64_t>(random() % 80);
            const auto to = from + 1 + static_cast<std::int64_t>(random() % 30);
            std::int64_t most = 0;
            for (std::int64_t at = from; at < to; ++at) {
                std::int64_t live = 0;
                for (const MemoryUse::Point& point : use.timeline)
                    live = point.ps <= at ? point.bytes : live;
                most = std::max(most, live);
            }
            QCOMPARE(mostLiveBytes(use, from, to), most);
        }
    }
};

FABRICSCOPE_GUI_TEST(MemoryTracksTest)
#include "tst_memorytracks.moc"
