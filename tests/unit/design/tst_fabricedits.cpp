// Levels of a generated fabric changed in the text of a design: in its line, or in its list of levels.
#include "core/design/edits/fabricedits.h"
#include "core/design/edits/graphedits.h"
#include "core/design/fabricdesign.h"
#include "core/design/file/readdesign.h"
#include "core/platform/fabric/platformof.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <map>

using namespace fabricscope;

namespace {

YamlDocument levelText(const std::string& text)
{
    auto document = YamlDocument::parse(text, "design.yaml");
    if (!document)
        qFatal("%s", document.error().text().c_str());
    return std::move(document).value();
}

YamlDocument lineText(const std::string& line)
{
    return levelText("fabricscope: 1\nplatform:\n  topology: \"" + line + "\"   # one line\nworkload: {collective: all_reduce, size: 1 MiB}\n");
}

const std::string kListedLevels = "fabricscope: 1\nplatform:\n  fabric:\n    of: npu   # parts\n    levels:\n"
                            "      - {join: switch, name: leaf, count: 16, radix: 24, bandwidth: 400 Gbit/s, latency: 1 us}   # first\n"
                            "      - {join: clos, count: 8, oversubscription: \"2:1\"}   # second\n"
                            "workload: {collective: all_reduce, size: 1 MiB}\n";

const std::string kLevelsTail = "workload: {collective: all_reduce, size: 1 MiB}   # one\n";

std::string problemIn(const YamlDocument& yaml)
{
    for (const Diagnostic& found : inspectDesign(yaml).diagnostics) {
        if (found.severity == Severity::Error)
            return found.message;
    }
    return {};
}

std::string levelError(const Status& status) { return status ? std::string() : status.error().text(); }

} // namespace

class FabricEditsTest : public QObject
{
    Q_OBJECT
private slots:
    /// 16 NPUs on each of 8 leaves with 8 ports up: 64 cables up, for which three spines of 24 ports are needed.
    void levelsAreReadFromALineOrAList_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("line") << QString::fromStdString(lineText("npu x16 / leaf 24p 400G x8 / spine 2:1").text());
        QTest::newRow("list") << QString::fromStdString(kListedLevels);
    }

    void levelsAreReadFromALineOrAList()
    {
        QFETCH(QString, text);
        const std::optional<FabricLevels> levels = fabricLevels(levelText(text.toStdString()));
        QVERIFY(levels);
        QCOMPARE(levels->npus, std::int64_t{128});
        QCOMPARE(levels->parts, std::int64_t{128});
        QCOMPARE(levels->levels.size(), std::size_t{2});
        const FabricLevels::Level& leaf = levels->levels[0];
        QVERIFY(leaf.switches == 8 && leaf.down == 16 && leaf.up == 8 && leaf.radix == 24 && leaf.count == 16);
        QCOMPARE(leaf.name, std::string("leaf"));
        QCOMPARE(levels->levels[1].count, std::int64_t{8});
        QCOMPARE(levels->levels[1].up, std::int64_t{0});
        QVERIFY(levels->levels[1].switches >= 3);
    }

    void whatHasNoLevelsHasNone()
    {
        QVERIFY(!fabricLevels(lineText("npu / torus 4x4x8")));
        QVERIFY(!fabricLevels(lineText("Ring(4)_Switch(8)")));
        QVERIFY(!fabricLevels(lineText("npu x16 / leaf 24p 400G x8 / spine 0:1")));
        QVERIFY(!fabricLevels(levelText("fabricscope: 1\nplatform: {preset: dgx-h100}\n")));
        YamlDocument none = levelText("fabricscope: 1\nplatform:\n  nodes: []\n");
        QVERIFY(!edits::setLevelCount(none, 0, 2) && !edits::setOversubscription(none, 0, {1, 1}) && !edits::addLevel(none) && !edits::removeLevel(none));
    }

    void aCountIsChangedWhereItIsWritten()
    {
        YamlDocument line = lineText("npu x16 / leaf 24p 400G x8 / spine 2:1");
        QCOMPARE(levelError(edits::setLevelCount(line, 1, 4)), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x16 / leaf 24p 400G x4 / spine 2:1"));
        QCOMPARE(levelError(edits::setLevelCount(line, 0, 8)), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x8 / leaf 24p 400G x4 / spine 2:1"));
        QVERIFY(line.text().find("# one line") != std::string::npos);
        YamlDocument listed = levelText(kListedLevels);
        QCOMPARE(levelError(edits::setLevelCount(listed, 1, 4)), std::string());
        std::string expected = kListedLevels;
        expected.replace(expected.find("count: 8"), 8, "count: 4");
        QCOMPARE(listed.text(), expected);
        QCOMPARE(fabricLevels(listed)->npus, std::int64_t{64});
        // 25 NPUs on a switch of 24 ports are no fabric: refused, and nothing changes.
        QVERIFY(!edits::setLevelCount(listed, 0, 25));
        QCOMPARE(listed.text(), expected);
        const std::string before = line.text();
        QVERIFY(!edits::setLevelCount(line, 0, 25));
        QVERIFY(!edits::setLevelCount(line, 7, 2));
        QCOMPARE(line.text(), before);
    }

    void anOversubscriptionTakesThePlaceOfWhatSaysIt()
    {
        YamlDocument line = lineText("npu x16 / leaf 24p 400G x8 / spine 2:1");
        QCOMPARE(levelError(edits::setOversubscription(line, 0, {4, 1})), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x16 / leaf 24p 400G x8 / spine 4:1"));
        QCOMPARE(fabricLevels(line)->levels[0].up, std::int64_t{4});
        YamlDocument up = lineText("npu x16 / leaf 24p 400G x8 / spine up 8");
        QCOMPARE(levelError(edits::setOversubscription(up, 0, {4, 1})), std::string());
        QCOMPARE(up.find("platform.topology")->text, std::string("npu x16 / leaf 24p 400G x8 / spine 4:1"));
        YamlDocument listed = levelText(kListedLevels);
        QCOMPARE(levelError(edits::setOversubscription(listed, 0, {4, 1})), std::string());
        QCOMPARE(fabricLevels(listed)->levels[0].up, std::int64_t{4});
        QVERIFY(listed.text().find("# second") != std::string::npos);
        QVERIFY(!edits::setOversubscription(listed, 1, {2, 1})); // Nothing is above the highest.
    }

    void thePartAtThePlacesIsExchangedAndItsCountStays()
    {
        YamlDocument line = lineText("npu x1 / leaf 24p 400G x8 / spine 2:1");
        QCOMPARE(levelError(edits::setLevelPart(line, "dgx-2")), std::string()); // 16 NPUs, on a port each.
        QCOMPARE(line.find("platform.topology")->text, std::string("dgx-2 x1 / leaf 24p 400G x8 / spine 2:1"));
        QVERIFY(line.text().find("# one line") != std::string::npos);
        YamlDocument rails = lineText("hgx-h100-8 x4 / rails 64p x4 / spine 2:1");
        QCOMPARE(levelError(edits::setLevelPart(rails, "Switch(4, 450 GB/s, 1 us)")), std::string());
        QCOMPARE(rails.find("platform.topology")->text, std::string("Switch(4, 450 GB/s, 1 us) x4 / rails 64p x4 / spine 2:1"));
        std::string one = kListedLevels;
        YamlDocument listed = levelText(one.replace(one.find("count: 16"), 9, "count: 1"));
        QCOMPARE(levelError(edits::setLevelPart(listed, "dgx-2")), std::string());
        QCOMPARE(listed.find("platform.fabric.of")->text, std::string("dgx-2"));
        QVERIFY(listed.text().find("# second") != std::string::npos);
        const std::string before = listed.text();
        QVERIFY(!edits::setLevelPart(listed, "no-such-machine"));
        QCOMPARE(listed.text(), before);
        YamlDocument graph = levelText("fabricscope: 1\nplatform:\n  nodes: []\n");
        QVERIFY(!edits::setLevelPart(graph, "dgx-2"));
    }

    /// What a list of levels says is shown as a line, which read again is the same fabric.
    void aListOfLevelsIsALineWhereALineSaysIt_data()
    {
        QTest::addColumn<QString>("levels");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* of, const char* levels, const char* line) {
            QTest::newRow(line) << QStringLiteral("fabricscope: 1\nplatform:\n  fabric:\n    of: %1\n    levels:\n%2").arg(QLatin1String(of), QLatin1String(levels)) << QString::fromLatin1(line);
        };
        row("npu", "      - {join: switch, name: leaf, count: 16, radix: 24, bandwidth: 400 Gbit/s, latency: 1 us, cable: 5 m}\n      - {join: clos, name: spine, count: 8, oversubscription: \"2:1\"}\n",
            "npu x16 / leaf 24p 400 Gbit/s 1 us x8 / spine 2:1");
        row("hgx-h100-8", "      - {join: rails, name: leaf, count: 4, radix: 64}\n      - {join: clos, name: spine, count: 2, oversubscription: \"2:1\", switches: 2}\n", "hgx-h100-8 x4 / rails 64p x2 / spine switches 2 2:1");
        row("npu", "      - {join: torus, size: [4, 4, 8]}\n", "npu / torus size 4,4,8");
        row("npu", "      - {join: switch, name: rack, count: 4}\n", ""); // A name that no line gives.
        row("npu", "      - {join: switch, count: 400000000}\n", "");      // No fabric.
    }

    void aListOfLevelsIsALineWhereALineSaysIt()
    {
        QFETCH(QString, levels);
        QFETCH(QString, line);
        const std::optional<std::string> found = fabricLine(levelText(levels.toStdString()));
        QCOMPARE(QString::fromStdString(found.value_or("")), line);
        if (!found)
            return;
        const std::optional<FabricLevels> a = fabricLevels(levelText(levels.toStdString()));
        const std::optional<FabricLevels> b = fabricLevels(lineText(*found));
        QCOMPARE(a.has_value(), b.has_value());
        for (std::size_t i = 0; a && i < a->levels.size(); ++i) {
            QCOMPARE(b->levels[i].name, a->levels[i].name);
            QVERIFY(a->levels[i].switches == b->levels[i].switches && a->levels[i].down == b->levels[i].down && a->levels[i].up == b->levels[i].up && a->levels[i].count == b->levels[i].count);
        }
        QCOMPARE(*fabricLine(lineText(*found)), *found);
    }

    void aLevelIsAddedAndTakenAway()
    {
        for (YamlDocument yaml : {lineText("npu x16 / leaf 24p 400G x8 / spine 2:1"), levelText(kListedLevels)}) {
            const std::int64_t npus = fabricLevels(yaml)->npus;
            QCOMPARE(levelError(edits::addLevel(yaml)), std::string());
            QCOMPARE(fabricLevels(yaml)->levels.size(), std::size_t{3});
            QCOMPARE(fabricLevels(yaml)->npus, 2 * npus);
            QCOMPARE(levelError(edits::removeLevel(yaml)), std::string());
            QCOMPARE(fabricLevels(yaml)->levels.size(), std::size_t{2});
            QCOMPARE(fabricLevels(yaml)->npus, npus);
            QCOMPARE(levelError(edits::removeLevel(yaml)), std::string());
            QCOMPARE(fabricLevels(yaml)->npus, std::int64_t{16});
            QVERIFY(!edits::removeLevel(yaml));
        }
    }

    /// The parser needs no blanks around slashes, and rates have a slash, too.
    void aLineWithoutBlanksIsEdited()
    {
        YamlDocument line = lineText("npu x16/leaf 24p 400Gbit/s x8/spine 2:1");
        QVERIFY(fabricLevels(line));
        QCOMPARE(levelError(edits::setLevelCount(line, 0, 8)), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x8/leaf 24p 400Gbit/s x8/spine 2:1"));
        QCOMPARE(levelError(edits::setOversubscription(line, 0, {1, 1})), std::string());
        QCOMPARE(levelError(edits::addLevel(line)), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x8/leaf 24p 400Gbit/s x8/spine 1:1 x2/core"));
        YamlDocument rate = lineText("npu x16/leaf 48p 50GB/s/spine x2  /  core");
        QCOMPARE(levelError(edits::setLevelCount(rate, 2, 4)), std::string());
        QCOMPARE(rate.find("platform.topology")->text, std::string("npu x16 / leaf 48p 50GB/s / spine x4 / core"));
    }

    /// How many there are of a level stands last.
    void anOversubscriptionStandsBeforeACount()
    {
        YamlDocument line = lineText("npu x16 / leaf 24p 400G x8 / spine x2 / core");
        QCOMPARE(levelError(edits::setOversubscription(line, 0, {2, 1})), std::string());
        QCOMPARE(line.find("platform.topology")->text, std::string("npu x16 / leaf 24p 400G x8 / spine 2:1 x2 / core"));
    }

    /// Only the fabric is read: errors elsewhere are told elsewhere, and a file that is not there is not looked for.
    void levelsAreReadWhateverElseIsWrong()
    {
        const std::string fabric = kListedLevels.substr(0, kListedLevels.find("workload"));
        for (const char* rest : {"  overrides: {links: [{link: nowhere>npu0, bandwidth: 1 GB/s}]}\nworkload: {collective: nothing}\n", "  nodes: [{name: a}]\n", "workload: {trace: none/there}\n"}) {
            YamlDocument yaml = levelText(fabric + rest);
            QVERIFY(fabricLevels(yaml));
            QCOMPARE(levelError(edits::setLevelCount(yaml, 1, 4)), std::string());
            QCOMPARE(fabricLevels(yaml)->npus, std::int64_t{64});
        }
        YamlDocument broken = levelText(fabric);
        const Status status = edits::setLevelCount(broken, 0, 25);
        QVERIFY(!status && status.error().place.field == "platform.fabric.levels[1].oversubscription" && status.error().place.line == 7);
    }

    /// 2^20 NPUs below five levels that take nothing away: 5 x 2^20 cables, more than the 2^22 of a platform. Its levels are seen, as none of them is made.
    void whatIsTooLargeHasLevelsToMakeItSmaller()
    {
        std::string list = "fabricscope: 1\nplatform:\n  fabric:\n    of: npu\n    levels:\n      - {join: switch, count: 32, radix: 64, bandwidth: 50 GB/s, latency: 1 us}\n";
        for (const char* count : {"32", "32", "16", "2"})
            list += std::string("      - {join: clos, count: ") + count + ", oversubscription: \"1:1\"}\n";
        for (YamlDocument yaml : {levelText(list), lineText("npu x32 / leaf 64p 50GB/s x32 / spine 1:1 x32 / core 1:1 x16 / core 1:1 x2 / core 1:1")}) {
            QVERIFY(fabricLevels(yaml));
            QCOMPARE(fabricLevels(yaml)->npus, std::int64_t{1} << 20);
            QCOMPARE(levelError(edits::setLevelCount(yaml, 3, 8)), std::string());
            QCOMPARE(fabricLevels(yaml)->npus, std::int64_t{1} << 19);
            const Status status = edits::setLevelCount(yaml, 3, 16);
            QVERIFY(!status && status.error().message.find("5242880 cables") != std::string::npos);
        }
    }

    /// Hosts of eight NPUs: four on each rail of eight switches, twice.
    void levelsOverABlueprintAreReadAsTheDesignReadsThem()
    {
        YamlDocument yaml = levelText("fabricscope: 1\nplatform:\n  fabric: {of: host, levels: [{join: rails, count: 4, radix: 16, bandwidth: 50 GB/s, latency: 1 us}, {join: clos, count: 2}]}\n"
                                      "  blueprints: [{name: host, dimensions: [{shape: switch, size: 8, bandwidth: 450 GB/s, latency: 1 us}]}]\nworkload: {collective: all_reduce, size: 1 MiB}\n");
        const LoadedDesign read = inspectDesign(yaml);
        QVERIFY(read.diagnostics.empty());
        const auto levels = fabricLevels(yaml);
        QVERIFY(levels);
        QCOMPARE(levels->part, std::string("host"));
        QCOMPARE(levels->parts, std::int64_t{8});
        QCOMPARE(levels->npus, read.design.platform->nodes.count(NodeKind::Npu));
        QCOMPARE(levelError(edits::setLevelCount(yaml, 1, 3)), std::string());
        QCOMPARE(fabricLevels(yaml)->npus, std::int64_t{96});
    }

    /// What is written out is the same machine, and edits of it go on from there.
    void aFabricIsWrittenOutAsNodesAndLinks()
    {
        YamlDocument yaml = levelText("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # gone\n  npu: {memory: 80 GiB}   # stays\n" + kLevelsTail);
        PlatformSpec spec;
        spec.nodes = {{"npu0"}, {"npu1", NodeKind::Npu, {}, false}, {"s", NodeKind::Switch}};
        for (const NodeId npu : {0, 1}) {
            spec.links.push_back({npu, 2, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
            spec.links.push_back({2, npu, {50, "GB/s", Measure::Bandwidth}, {1, "us", Measure::Time}});
        }
        QCOMPARE(levelError(edits::writeOutGraph(yaml, spec)), std::string());
        const LoadedDesign read = inspectDesign(yaml);
        QVERIFY(read.design.platform->nodes == spec.nodes);
        QVERIFY(read.design.platform->links == spec.links);
        QVERIFY(QString::fromStdString(yaml.text()).contains(QStringLiteral("npu: {memory: 80 GiB}   # stays\n")));
        QVERIFY(fabricText(yaml) == FabricText::Graph);
    }

    /// A topology of dimensions has figures beside it, which a fabric in a line refuses.
    void aLineTakesThePlaceOfAnotherWithAllThatBelongsToIt()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  name: Ours\n  topology: Ring(4)_Switch(8)   # the line\n  bandwidth: 50 GB/s\n  latency: 1 us\n  overrides: {npus: [{npu: 3, speed: 0.5}]}\n  npu: {memory: 80 GiB}\n" + kLevelsTail;
        YamlDocument yaml = levelText(text);
        QCOMPARE(problemIn(yaml), std::string());
        QCOMPARE(levelError(edits::setFabricLine(yaml, "npu / torus 4x4")), std::string());
        QCOMPARE(yaml.text(), "fabricscope: 1\nplatform:\n  name: Ours\n  topology: npu / torus 4x4   # the line\n  npu: {memory: 80 GiB}\n" + kLevelsTail);
        QCOMPARE(problemIn(yaml), std::string());
    }

    /// A preset has figures that nodes and links do not say.
    void whatNpusHaveIsWrittenOutWithTheirFabric()
    {
        YamlDocument yaml = levelText("fabricscope: 1\nplatform: {preset: hgx-h100-8, npu: {memory: 40 GiB}, overrides: {npus: [{npu: 3, speed: 0.5}], links: [{link: \"d0 0>switch\", latency: 9 us}]}}\n" + kLevelsTail);
        const PlatformSpec before = *inspectDesign(yaml).design.platform;
        const Result<PlatformSpec> spec = platformOfFabric(fabricOfPlatform(before).value(), FabricWriting::Nodes);
        QCOMPARE(levelError(edits::writeOutGraph(yaml, spec.value())), std::string());
        QCOMPARE(problemIn(yaml), std::string());
        const PlatformSpec after = *inspectDesign(yaml).design.platform;
        QVERIFY(before.npu.peak && before.npu.memoryBandwidth && after.npu == before.npu);
        QVERIFY(after.npuOverrides == before.npuOverrides && after.linkOverrides.empty() && !before.linkOverrides.empty());
        QCOMPARE(after.nodes.count(NodeKind::Npu), std::int64_t{8});
    }

    /// Two dimensions of 2 x 3 NPUs: of the three switches of the first each has the reduction, and none of the two of the second.
    void whatSwitchesReduceIsWrittenOutWithTheirFabric()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 2, bandwidth: 50 GB/s, latency: 1 us, in_network: {reduction: 40 GB/s, latency: 200 ns}}\n"
                                 "    - {shape: switch, size: 3, bandwidth: 5 GB/s, latency: 1 us}\n" + kLevelsTail;
        YamlDocument yaml = levelText(text);
        const PlatformSpec before = *inspectDesign(yaml).design.platform;
        const Result<PlatformSpec> spec = platformOfFabric(fabricOfPlatform(before).value(), FabricWriting::Nodes);
        QCOMPARE(levelError(edits::writeOutGraph(yaml, spec.value())), std::string());
        QCOMPARE(problemIn(yaml), std::string());
        const PlatformSpec after = *inspectDesign(yaml).design.platform;
        QCOMPARE(after.nodes.offloads().size(), std::size_t{3});
        for (const auto& [node, offload] : after.nodes.offloads()) {
            QVERIFY(offload == *before.dimensions[0].offload);
            std::vector<NodeId> npus;
            for (std::size_t link = 0; link < after.links.size(); ++link) {
                if (after.links.to(link) == static_cast<NodeId>(node))
                    npus.push_back(after.links.from(link));
            }
            QVERIFY(npus.size() == 2 && npus[1] == npus[0] + 1 && npus[0] % 2 == 0);
        }
        // Of another graph it is not known which of its switches these are.
        YamlDocument other = levelText(text);
        PlatformSpec wrong;
        wrong.nodes = {{"npu0"}, {"s", NodeKind::Switch}};
        QVERIFY(!edits::writeOutGraph(other, wrong));
        QCOMPARE(other.text(), text);
    }

    /// A graph of the same nodes keeps the crossbar limits of its switches, also where what is written out says none; of another one it is not known whose they are.
    void crossbarsAreWrittenOutWithTheirSwitches()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch, crossbar: 3 TB/s}, {name: t, kind: switch}]\n"
                                 "  links: [{between: [a, s], bandwidth: 1 GB/s, latency: 1 us}, {between: [b, s], bandwidth: 1 GB/s, latency: 1 us}, {between: [s, t], bandwidth: 1 GB/s, latency: 1 us}]\n"
                                 + kLevelsTail;
        YamlDocument yaml = levelText(text);
        const PlatformSpec before = *inspectDesign(yaml).design.platform;
        PlatformSpec plain = before;
        plain.nodes = {{"a"}, {"b"}, {"s", NodeKind::Switch}, {"t", NodeKind::Switch}};
        QCOMPARE(levelError(edits::writeOutGraph(yaml, plain)), std::string());
        QCOMPARE(problemIn(yaml), std::string());
        const std::map<std::size_t, Quantity> kept{{2, Quantity{3, "TB/s", Measure::Bandwidth}}};
        QVERIFY(before.nodes.crossbars() == kept && inspectDesign(yaml).design.platform->nodes.crossbars() == kept);

        YamlDocument other = levelText(text);
        plain.nodes = {{"a"}, {"b"}, {"c"}, {"t", NodeKind::Switch}};
        QVERIFY(!edits::writeOutGraph(other, plain));
        QCOMPARE(other.text(), text);

        // Of a dimension every switch that joins one of its lines, here NPUs 0 and 1.
        YamlDocument dimension = levelText("fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us, crossbar: 3 TB/s}]\n" + kLevelsTail);
        PlatformSpec star;
        star.nodes = {{"a"}, {"b"}, {"s", NodeKind::Switch}};
        for (const auto& [from, to] : {std::pair{0, 2}, {2, 0}, {1, 2}, {2, 1}})
            star.links.push_back({from, to, Quantity{1, "GB/s", Measure::Bandwidth}, Quantity{1, "us", Measure::Time}});
        QCOMPARE(levelError(edits::writeOutGraph(dimension, star)), std::string());
        QVERIFY(inspectDesign(dimension).design.platform->nodes.crossbars() == kept);
    }
};

FABRICSCOPE_TEST(FabricEditsTest)
#include "tst_fabricedits.moc"
