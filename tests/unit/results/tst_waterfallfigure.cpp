// The picture of a waterfall: exact numbers, and bars that begin where the one before ends.
#include "core/design/file/readdesign.h"
#include "core/insight/designsfigure.h"
#include "core/insight/waterfallfigure.h"
#include "core/report/reportcontent.h"
#include "core/scenario/lowering.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace fabricscope;

namespace {

Design designOf(const std::string& bandwidth, const std::string& latency)
{
    auto loaded = readDesignText("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: " + bandwidth + ", latency: " + latency
                                     + "}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "d.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return loaded.value().design;
}

/// Two designs that differ in two fields, which take these times.
DesignSet setOf(SimTime a, SimTime between, SimTime b, bool apart = true)
{
    DesignSet set;
    for (const auto& [name, bandwidth, latency] : {std::tuple{"first", "50 GB/s", "1 us"}, {"second", "100 GB/s", "2 us"}}) {
        ComparedDesign one;
        one.name = name;
        one.design = std::make_shared<const Design>(designOf(bandwidth, latency));
        set.designs.push_back(std::move(one));
    }
    DesignPath path;
    path.to = 1;
    path.changes = DesignChanges::between(*set.designs[0].design, *set.designs[1].design);
    path.waterfall = Waterfall{a, b, {{0, a, between, apart, apart ? "" : "it never ends"}, {1, between, b, true, {}}}};
    set.paths.push_back(std::move(path));
    return set;
}

std::vector<RectF> barsOf(const Drawing& drawing)
{
    std::vector<RectF> bars;
    for (const DrawShape& shape : drawing.shapes) {
        if (const auto* box = std::get_if<BoxShape>(&shape))
            bars.push_back(box->rect);
    }
    return bars;
}

std::vector<std::string> textsOf(const Drawing& drawing)
{
    std::vector<std::string> texts;
    for (const DrawShape& shape : drawing.shapes) {
        if (const auto* text = std::get_if<TextShape>(&shape))
            texts.push_back(text->text);
    }
    return texts;
}

bool holds(const std::vector<std::string>& texts, const std::string& text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

} // namespace

class WaterfallFigureTest : public QObject
{
    Q_OBJECT

private slots:
    /// Two platforms of one dimension: an NPU is as large in both, though one has four times as many; both are within the picture, beside one another.
    void designsAreDrawnToOneScale()
    {
        DesignSet set;
        for (const char* size : {"4", "16"}) {
            ComparedDesign one;
            one.name = std::string("ring of ") + size;
            auto loaded = readDesignText("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: " + std::string(size) + ", bandwidth: 50 GB/s, latency: 1 us}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n", "d.yaml");
            QVERIFY(loaded);
            one.design = std::make_shared<const Design>(std::move(loaded.value().design));
            one.scenario = prepare(*one.design).value();
            set.designs.push_back(one);
        }
        const Drawing drawing = designsFigure(set);
        QVERIFY(!drawing.isEmpty());
        // NPUs are the boxes of the most common size: 4 and 16 of them.
        std::vector<RectF> npus;
        bool left = false;
        for (const DrawShape& shape : drawing.shapes) {
            const auto* group = std::get_if<GroupMark>(&shape);
            left = group && group->name == "npus" ? true : group ? false : left;
            if (const auto* box = std::get_if<BoxShape>(&shape); box && left)
                npus.push_back(box->rect);
            if (const auto* boxes = std::get_if<BoxesShape>(&shape); boxes && left)
                npus.insert(npus.end(), boxes->rects.begin(), boxes->rects.end());
        }
        QCOMPARE(npus.size(), std::size_t{20});
        for (const RectF& npu : npus) {
            QVERIFY(std::abs(npu.width() - npus.front().width()) < 1e-9 && npu.right() <= drawing.size.width() && npu.bottom() <= drawing.size.height());
            QCOMPARE(npu.right() < drawing.size.width() / 2, &npu - npus.data() < 4);
        }
        // Of one platform there is nothing to see twice.
        set.designs[1] = set.designs[0];
        QVERIFY(designsFigure(set).isEmpty());
        set.designs.pop_back();
        QVERIFY(designsFigure(set).isEmpty());
    }

    void numbersAreInTheLargestUnitThatIsExact_data()
    {
        QTest::addColumn<qint64>("a");
        QTest::addColumn<qint64>("b");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("unit");
        QTest::newRow("whole microseconds") << qint64{332'000'000} << qint64{292'000'000} << "332" << QString::fromUtf8("\xC2\xB5s");
        QTest::newRow("a second in whole microseconds") << qint64{6'230'443'000'000} << qint64{4'944'187'000'000} << QString::fromUtf8("6\xE2\x80\xAF""230.443") << "ms";
        QTest::newRow("a second in whole milliseconds") << qint64{6'230'000'000'000} << qint64{4'944'000'000'000} << "6.230" << "s";
        QTest::newRow("picoseconds") << qint64{41'319'698} << qint64{26'329'856} << QString::fromUtf8("41\xE2\x80\xAF""319.698") << "ns";
        QTest::newRow("one of them in picoseconds") << qint64{6'230'443'000'000} << qint64{4'944'187'000'001} << QString::fromUtf8("6\xE2\x80\xAF""230\xE2\x80\xAF""443\xE2\x80\xAF""000.000") << "ns";
        QTest::newRow("less than a nanosecond") << qint64{900} << qint64{800} << "900" << "ps";
        QTest::newRow("nothing") << qint64{0} << qint64{0} << "0" << "ps";
    }
    void numbersAreInTheLargestUnitThatIsExact()
    {
        QFETCH(qint64, a);
        QFETCH(qint64, b);
        QFETCH(QString, text);
        QFETCH(QString, unit);
        const WaterfallUnit found = unitOf(Waterfall{{a}, {b}, {{0, {a}, {b}, true, {}}}});
        QCOMPARE(QString::fromStdString(found.text({a})), text);
        QCOMPARE(QString::fromStdString(found.name()), unit);
    }

    void everyNumberIsReadBackExactly()
    {
        for (const std::uint64_t seed : test::Seeds(72000, 300)) {
            std::mt19937_64 random(seed);
            std::int64_t grain = 1;
            for (std::uint64_t i = random() % 10; i > 0; --i)
                grain *= 10;
            const auto time = [&] { return SimTime{static_cast<std::int64_t>(random() % 1'000'000) * grain}; };
            Waterfall made{time(), time(), {}};
            SimTime at = made.a;
            for (std::size_t i = 0; i < 4; ++i) {
                const SimTime to = i == 3 ? made.b : time();
                made.items.push_back({i, at, to, true, {}});
                at = to;
            }
            const WaterfallUnit unit = unitOf(made);
            QVERIFY(unit.decimals == 0 || unit.decimals == 3);
            std::int64_t sum = 0;
            for (const WaterfallItem& item : made.items) {
                QString text = QString::fromStdString(unit.signedText(item.delta()));
                text.remove(QChar(0x202F)).replace(QChar(0x2212), QLatin1Char('-')).remove(QLatin1Char('+'));
                const std::int64_t last = unit.decimals == 3 && text.contains(QLatin1Char('.')) ? unit.ps / 1000 : unit.ps;
                sum += text.remove(QLatin1Char('.')).toLongLong() * last;
            }
            QCOMPARE(sum, (made.b - made.a).ps);
        }
    }

    void barsBeginWhereTheOneBeforeEnds()
    {
        const DesignSet set = setOf({400'000'000}, {150'000'000}, {200'000'000});
        const Drawing drawing = waterfallFigure(set, set.paths[0]);
        const std::vector<RectF> bars = barsOf(drawing);
        QCOMPARE(bars.size(), std::size_t{4});
        const double pixel = bars[0].width() / 400; // The axis begins at 0: of a microsecond.
        QVERIFY(std::abs(bars[1].right() - bars[0].right()) < 0.01 && std::abs(bars[1].width() - 250 * pixel) < 0.01);
        QVERIFY(std::abs(bars[2].left() - bars[1].left()) < 0.01 && std::abs(bars[2].width() - 50 * pixel) < 0.01);
        QVERIFY(std::abs(bars[3].right() - bars[2].right()) < 0.01 && std::abs(bars[3].left() - bars[0].left()) < 0.01);
        for (const RectF& bar : bars)
            QVERIFY(bar.left() >= 0 && bar.right() <= drawing.size.width() && bar.bottom() <= drawing.size.height());
        const std::vector<std::string> texts = textsOf(drawing);
        for (const char* const text : {"A first", "1  platform.dimensions[0].bandwidth", "50 GB/s \xE2\x86\x92 100 GB/s", "\xE2\x88\x92""250", "+50", "B second", "\xE2\x88\x92""200",
                                       "change, \xC2\xB5s", "time, \xC2\xB5s"})
            QVERIFY2(holds(texts, text), text);
        QCOMPARE(drawing.title, std::string("Why B is faster than A"));
    }

    void smallChangesAreSeenOnABrokenAxis()
    {
        const DesignSet set = setOf({400'000'000}, {404'000'000}, {403'000'000});
        const Drawing drawing = waterfallFigure(set, set.paths[0]);
        const std::vector<RectF> bars = barsOf(drawing);
        QCOMPARE(bars.size(), std::size_t{4});
        QVERIFY(bars[1].width() > 100);
        // A mark on the bars of both designs.
        QCOMPARE(std::count_if(drawing.shapes.begin(), drawing.shapes.end(), [](const DrawShape& shape) { return std::holds_alternative<PathShape>(shape); }), 2);
        QCOMPARE(drawing.title, std::string("Why B is slower than A"));
    }

    void whatIsNotApartSaysSoAndHasNoBar()
    {
        const DesignSet set = setOf({400'000'000}, {400'000'000}, {200'000'000}, false);
        const Drawing drawing = waterfallFigure(set, set.paths[0]);
        QCOMPARE(barsOf(drawing).size(), std::size_t{3});
        QVERIFY(holds(textsOf(drawing), "with the next"));
        QVERIFY2(drawing.description.find("bandwidth: with the next, 400") != std::string::npos, drawing.description.c_str());
    }

    void longNamesAreCutBetweenCharacters()
    {
        DesignSet set = setOf({400'000'000}, {150'000'000}, {200'000'000});
        for (int i = 0; i < 100; ++i)
            set.designs[0].name += "\xC3\xA4";
        const Drawing drawing = waterfallFigure(set, set.paths[0]);
        const std::vector<std::string> texts = textsOf(drawing);
        const auto cut = std::find_if(texts.begin(), texts.end(), [](const std::string& text) { return text.starts_with("A first"); });
        QVERIFY(cut != texts.end() && cut->ends_with("\xC3\xA4\xE2\x80\xA6"));
        QVERIFY(textWidth(*cut, 10.5, true) < drawing.size.width() / 2);
        QVERIFY(!QString::fromStdString(*cut).contains(QChar(QChar::ReplacementCharacter)));
    }

    void theLeadSaysTheComparisonOnlyWhileItsSectionIsShown()
    {
        ReportContent content;
        content.answerLead = "One step takes 2 us, bound by compute (51.4 %).";
        content.answerTime = std::string("One step takes 2 us").size();
        content.comparison = "20.6 % faster than pod";
        QCOMPARE(content.lead(), content.answerLead);
        content.sections.push_back({ReportPart::Comparison, "Comparison", false, true, {}});
        QCOMPARE(content.lead(), std::string("One step takes 2 us, 20.6 % faster than pod, bound by compute (51.4 %)."));
        content.show(ReportPart::Comparison, false);
        QCOMPARE(content.lead(), content.answerLead);
    }
};

FABRICSCOPE_TEST(WaterfallFigureTest)
#include "tst_waterfallfigure.moc"
