// Edits of a design: reading the edited text gives the design that the edit means, and everything else stays as it is written.
#include "core/design/edits/edits.h"

#include "core/design/linknames.h"
#include "core/platform/presets.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

using namespace fabricscope;

namespace {

Quantity gbps(double value)
{
    return {value, "GB/s", Measure::Bandwidth};
}
Quantity ns(double value)
{
    return {value, "ns", Measure::Time};
}

using Coordinates = std::vector<std::int32_t>;

Coordinates coordinatesOf(std::int64_t npu, const std::vector<Dimension>& dimensions)
{
    Coordinates result;
    for (const Dimension& dimension : dimensions) {
        result.push_back(static_cast<std::int32_t>(npu % dimension.size));
        npu /= dimension.size;
    }
    return result;
}

/// Absent: a coordinate does not exist.
std::optional<std::int64_t> npuAt(const Coordinates& coordinates, const std::vector<Dimension>& dimensions)
{
    std::int64_t npu = 0;
    for (std::size_t d = dimensions.size(); d-- > 0;) {
        if (coordinates[d] >= dimensions[d].size)
            return std::nullopt;
        npu = npu * dimensions[d].size + coordinates[d];
    }
    return npu;
}

class Random {
public:
    explicit Random(unsigned seed) : m_engine(seed) {}
    int below(int count) { return static_cast<int>(m_engine() % static_cast<unsigned>(count)); }

private:
    std::mt19937 m_engine;
};

Dimension randomDimension(Random& random)
{
    Dimension dimension;
    dimension.shape = static_cast<Shape>(random.below(3));
    dimension.size = 1 + random.below(5);
    dimension.bandwidth = gbps(1 + random.below(400));
    dimension.bandwidthIsPerNpu = random.below(2) == 0;
    dimension.latency = ns(random.below(5000));
    return dimension;
}

Design randomDesign(Random& random)
{
    PlatformSpec spec;
    const int count = 1 + random.below(4);
    for (int d = 0; d < count; ++d)
        spec.dimensions.push_back(randomDimension(random));
    const Platform platform = Platform::create(spec).value();
    std::set<LinkId> used;
    for (int i = random.below(5); i > 0 && platform.linkCount() > 0; --i) {
        const LinkId link = random.below(static_cast<int>(platform.linkCount()));
        if (used.insert(link).second)
            spec.linkOverrides.push_back({link, gbps(1 + random.below(90)), std::nullopt});
    }
    std::set<NodeId> npus;
    for (int i = random.below(4); i > 0; --i) {
        const NodeId npu = random.below(platform.npuCount());
        if (npus.insert(npu).second)
            spec.npuOverrides.push_back({npu, 0.25 * (1 + random.below(7)), std::nullopt, std::nullopt});
    }
    Design design;
    design.name = "Random " + std::to_string(random.below(100));
    design.platform = std::make_shared<const PlatformSpec>(spec);
    StepsWorkload steps;
    GroupSpec group;
    group.name = "g";
    for (int d = 0; d < count; ++d)
        group.dimensions.push_back(d);
    steps.groups.push_back(group);
    Step step;
    step.kind = Step::Kind::Collective;
    step.bytes = Quantity{1, "MiB", Measure::Size};
    step.group = "g";
    steps.steps.push_back(step);
    design.workload = std::make_shared<const WorkloadSpec>(std::move(steps));
    if (random.below(2) == 0 && count > 1) {
        for (int d = 0; d < count; ++d)
            design.collectives.defaults.algorithms.push_back({false, random.below(2) == 0 ? Algorithm::Ring : Algorithm::Direct, 0});
    }
    return design;
}

YamlDocument documentOf(const std::string& text)
{
    return YamlDocument::parse(text, "design.yaml").value();
}

std::string readBack(const std::string& text)
{
    return writeDesign(inspectDesignText(text, "").design);
}

/// What the design has to be when `order` of the old dimensions (-1: `added`) become the new ones.
Design expectedAfter(const Design& design, const std::vector<int>& order, const Dimension& added, std::size_t& lost)
{
    const PlatformSpec& old = *design.platform;
    PlatformSpec spec = old;
    spec.dimensions.clear();
    for (const int from : order)
        spec.dimensions.push_back(from < 0 ? added : old.dimensions[static_cast<std::size_t>(from)]);
    spec.linkOverrides.clear();
    spec.npuOverrides.clear();
    const auto moved = [&](NodeId npu) -> std::optional<std::int64_t> {
        const Coordinates before = coordinatesOf(npu, old.dimensions);
        std::vector<bool> kept(before.size(), false);
        Coordinates after;
        for (const int from : order) {
            after.push_back(from < 0 ? 0 : before[static_cast<std::size_t>(from)]);
            if (from >= 0)
                kept[static_cast<std::size_t>(from)] = true;
        }
        for (std::size_t d = 0; d < before.size(); ++d) {
            if (!kept[d] && before[d] != 0)
                return std::nullopt;
        }
        return npuAt(after, spec.dimensions);
    };
    const Platform before = Platform::create([&] {
        PlatformSpec plain = old;
        plain.linkOverrides.clear();
        plain.npuOverrides.clear();
        return plain;
    }()).value();
    const Platform after = Platform::create(spec).value();
    lost = 0;
    for (LinkOverride change : old.linkOverrides) {
        const LinkInfo info = before.linkInfo(change.link);
        const auto place = std::find(order.begin(), order.end(), info.dimension);
        const auto from = info.from < 0 ? std::optional<std::int64_t>(-1) : moved(info.from);
        const auto to = info.to < 0 ? std::optional<std::int64_t>(-1) : moved(info.to);
        bool found = false;
        if (place != order.end() && from && to) {
            for (LinkId link = 0; link < after.linkCount() && !found; ++link) {
                const LinkInfo other = after.linkInfo(link);
                if (other.dimension == static_cast<int>(place - order.begin()) && other.from == *from && other.to == *to) {
                    change.link = link;
                    found = true;
                }
            }
        }
        if (found)
            spec.linkOverrides.push_back(change);
        else
            ++lost;
    }
    for (NpuOverride change : old.npuOverrides) {
        if (const auto npu = moved(change.node)) {
            change.node = static_cast<NodeId>(*npu);
            spec.npuOverrides.push_back(change);
        } else {
            ++lost;
        }
    }
    Design expected = design;
    expected.platform = std::make_shared<const PlatformSpec>(spec);
    const auto newNumber = [&](int dimension) { return static_cast<int>(std::find(order.begin(), order.end(), dimension) - order.begin()); };
    StepsWorkload steps = std::get<StepsWorkload>(*design.workload);
    std::vector<std::int32_t> dimensions;
    for (const std::int32_t dimension : steps.groups.front().dimensions) {
        if (newNumber(dimension) < static_cast<int>(order.size()))
            dimensions.push_back(newNumber(dimension));
    }
    steps.groups.front().dimensions = dimensions;
    expected.workload = std::make_shared<const WorkloadSpec>(std::move(steps));
    if (!design.collectives.defaults.algorithms.empty()) {
        expected.collectives.defaults.algorithms.clear();
        for (const int from : order)
            expected.collectives.defaults.algorithms.push_back(from < 0 ? AlgorithmChoice{} : design.collectives.defaults.algorithms[static_cast<std::size_t>(from)]);
    }
    return expected;
}

const std::string kPod = "# Pod\r\n"
                         "fabricscope: 1\r\n"
                         "platform:   # the machine\r\n"
                         "  dimensions:\r\n"
                         "    # inside\r\n"
                         "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # D0\r\n"
                         "    - {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2.5 us}   # D1\r\n"
                         "    - shape: fully_connected   # D2\r\n"
                         "      size: 3\r\n"
                         "      npu_bandwidth: 90 GB/s\r\n"
                         "      latency: 700 ns\r\n"
                         "  name: A pod   # kept\r\n"
                         "workload: {collective: all_reduce, size: 1 MiB}   # end\r\n";

} // namespace

class tst_designedits : public QObject
{
    Q_OBJECT
private slots:
    void aProgramBecomesTheFirstRule()
    {
        const std::string text = "fabricscope: 1\n"
                                 "platform: {dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, latency: 1 us}]} # one ring\n"
                                 "workload: {collective: all_reduce, size: 4 MB}\n"
                                 "collectives:\n"
                                 "  rules:\n"
                                 "    - {op: all_reduce, algorithm: direct} # as it was\n";
        auto yaml = YamlDocument::parse(text);
        QVERIFY(yaml);
        edits::ProgramRule rule;
        rule.op = CollectiveOp::AllReduce;
        rule.group = "all: of them";
        rule.minSize = Quantity{1, "MiB", Measure::Size};
        rule.source.kind = ProgramSource::Kind::Script;
        rule.source.text = "own ring.lua";
        QVERIFY(edits::setProgramRule(yaml.value(), rule));
        // Other conditions: a rule of its own, before what was there.
        auto read = readDesignText(yaml.value().text(), "x.yaml");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        const std::vector<CollectiveRule>& rules = read.value().design.collectives.rules;
        QCOMPARE(rules.size(), std::size_t{2});
        QCOMPARE(rules[0].group, std::string("all: of them"));
        QVERIFY(rules[0].op == CollectiveOp::AllReduce);
        QVERIFY(rules[0].minSize == rule.minSize);
        QVERIFY(!rules[0].maxSize);
        QCOMPARE(rules[0].program.program, std::vector<ProgramSource>{rule.source});
        QVERIFY(rules[0].chunks == 1);
        QVERIFY(rules[1].algorithms.has_value());
        QVERIFY(yaml.value().text().find("# as it was") != std::string::npos);
        QVERIFY(yaml.value().text().find("# one ring") != std::string::npos);

        // The same conditions: the new program takes the place.
        rule.source = {ProgramSource::Kind::Generator, "bruck", {}, 4, 1, 8, 1};
        rule.chunks = 2;
        QVERIFY(edits::setProgramRule(yaml.value(), rule));
        read = readDesignText(yaml.value().text(), "x.yaml");
        QVERIFY(read);
        QCOMPARE(read.value().design.collectives.rules.size(), std::size_t{2});
        QCOMPARE(read.value().design.collectives.rules[0].program.program, std::vector<ProgramSource>{rule.source});
        QVERIFY(read.value().design.collectives.rules[0].chunks == 2);

        // For every group: only the operation counts, and the rule that said so gives way.
        rule = {};
        rule.op = CollectiveOp::AllReduce;
        rule.source.text = "ring.xml";
        QVERIFY(edits::setProgramRule(yaml.value(), rule));
        QVERIFY(edits::setProgramRule(yaml.value(), rule));
        read = readDesignText(yaml.value().text(), "x.yaml");
        QVERIFY(read);
        QCOMPARE(read.value().design.collectives.rules.size(), std::size_t{3});
        QCOMPARE(read.value().design.collectives.rules[0].group, std::string("*"));
    }

    void aProgramStartsTheListOfRules()
    {
        for (const std::string section : {"", "collectives: {default: {algorithm: ring}}\n", "collectives:\n  rules: []\n"}) {
            auto yaml = YamlDocument::parse("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}]}\n"
                                            "workload: {collective: all_gather, size: 4 MB}\n" + section);
            QVERIFY(yaml);
            edits::ProgramRule rule;
            rule.op = CollectiveOp::AllGather;
            rule.source.text = "sub/own.xml";
            const Status status = edits::setProgramRule(yaml.value(), rule);
            QVERIFY2(status, status ? "" : status.error().text().c_str());
            const auto read = readDesignText(yaml.value().text(), "x.yaml");
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            QCOMPARE(read.value().design.collectives.rules.size(), std::size_t{1});
            QCOMPARE(read.value().design.collectives.rules[0].program.program.front().text, std::string("sub/own.xml"));
        }
        auto astra = YamlDocument::parse("fabricscope: 1\ncollectives: {system: sys.json}\n");
        const std::string before = astra.value().text();
        QVERIFY(!edits::setProgramRule(astra.value(), {}));
        QCOMPARE(astra.value().text(), before);
    }

    void E1_addRemoveAndMoveGiveTheDesignTheyMean()
    {
        Random random(7);
        for (int run = 0; run < test::cases(400); ++run) {
            const Design design = randomDesign(random);
            const std::string text = writeDesign(design);
            const int count = static_cast<int>(design.platform->dimensions.size());
            YamlDocument yaml = documentOf(text);
            std::vector<int> order;
            for (int d = 0; d < count; ++d)
                order.push_back(d);
            const Dimension added = randomDimension(random);
            edits::Dropped dropped;
            Status status;
            const int at = random.below(count);
            switch (random.below(3)) {
            case 0:
                order.insert(order.begin() + at, -1);
                status = edits::addDimension(yaml, static_cast<std::size_t>(at), added, &dropped);
                break;
            case 1:
                if (count == 1)
                    continue;
                order.erase(order.begin() + at);
                status = edits::removeDimension(yaml, static_cast<std::size_t>(at), &dropped);
                break;
            default:
                const int to = random.below(count);
                order.erase(order.begin() + at);
                order.insert(order.begin() + to, at);
                status = edits::moveDimension(yaml, static_cast<std::size_t>(at), static_cast<std::size_t>(to), &dropped);
            }
            QVERIFY2(status, status ? "" : status.error().text().c_str());
            std::size_t lost = 0;
            const Design expected = expectedAfter(design, order, added, lost);
            QCOMPARE(readBack(yaml.text()), writeDesign(expected));
            QCOMPARE(dropped.size(), lost + (std::get<StepsWorkload>(*expected.workload).groups.front().dimensions.empty() ? 1 : 0));
        }
    }

    void E1_aNewSizeOrShapeKeepsNpusAtTheirCoordinates()
    {
        Random random(11);
        for (int run = 0; run < test::cases(200); ++run) {
            const Design design = randomDesign(random);
            const std::size_t at = static_cast<std::size_t>(random.below(static_cast<int>(design.platform->dimensions.size())));
            YamlDocument yaml = documentOf(writeDesign(design));
            Dimension changed = design.platform->dimensions[at];
            edits::Dropped dropped;
            Status status;
            if (random.below(2) == 0) {
                changed.size = 1 + random.below(6);
                status = edits::setSize(yaml, at, changed.size, &dropped);
            } else {
                changed.shape = static_cast<Shape>(random.below(3));
                status = edits::setShape(yaml, at, changed.shape, &dropped);
            }
            QVERIFY(status);
            // Old coordinates in new dimensions: the same order, with the figures of the changed dimension.
            PlatformSpec spec = *design.platform;
            spec.dimensions[at] = changed;
            const LoadedDesign read = inspectDesignText(yaml.text(), "");
            QVERIFY(read.design.platform->dimensions == spec.dimensions);
            std::size_t kept = 0;
            for (const NpuOverride& change : design.platform->npuOverrides) {
                const auto npu = npuAt(coordinatesOf(change.node, design.platform->dimensions), spec.dimensions);
                if (!npu)
                    continue;
                QCOMPARE(std::int64_t{read.design.platform->npuOverrides[kept].node}, *npu);
                QCOMPARE(*read.design.platform->npuOverrides[kept].speed, *change.speed);
                ++kept;
            }
            QCOMPARE(read.design.platform->npuOverrides.size(), kept);
            QCOMPARE(dropped.size(), design.platform->npuOverrides.size() - kept + design.platform->linkOverrides.size() - read.design.platform->linkOverrides.size());
            QVERIFY(Platform::create(*read.design.platform));
        }
    }

    void figuresOfADimensionAreSetInPlace()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(edits::setBandwidth(yaml, 0, gbps(75), false));
        QVERIFY(edits::setLatency(yaml, 1, ns(300)));
        QVERIFY(edits::setBandwidth(yaml, 1, gbps(200), true)); // giving one removes the other, in its place
        QVERIFY(edits::setBandwidth(yaml, 2, gbps(45), false));
        std::string expected = kPod;
        const auto replace = [&](const std::string& old, const std::string& by) { expected.replace(expected.find(old), old.size(), by); };
        replace("bandwidth: 50 GB/s", "bandwidth: 75 GB/s");
        replace("bandwidth: 25 GB/s", "npu_bandwidth: 200 GB/s");
        replace("npu_bandwidth: 90 GB/s", "bandwidth: 45 GB/s");
        replace("latency: 2.5 us", "latency: 300 ns");
        QCOMPARE(yaml.text(), expected);
    }

    void aMovedDimensionTakesItsRemarkAlong()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(edits::moveDimension(yaml, 0, 1));
        const std::string d0 = "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}   # D0\r\n";
        const std::string d1 = "    - {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2.5 us}   # D1\r\n";
        std::string expected = kPod;
        expected.replace(expected.find(d0), d0.size() + d1.size(), d1 + d0);
        QCOMPARE(yaml.text(), expected);
        QVERIFY(edits::moveDimension(yaml, 1, 0));
        QCOMPARE(yaml.text(), kPod);
        const std::size_t d2 = kPod.find("    - shape: fully");
        const std::string d2Lines = kPod.substr(d2, kPod.find("  name: A pod") - d2);
        QVERIFY(edits::moveDimension(yaml, 2, 0));
        expected = kPod;
        expected.erase(d2, d2Lines.size());
        expected.insert(expected.find(d0), d2Lines);
        QCOMPARE(yaml.text(), expected);
    }

    void whatIsNotThereIsRefusedAndChangesNothing()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(!edits::removeDimension(yaml, 3));
        QVERIFY(!edits::moveDimension(yaml, 0, 3));
        QVERIFY(!edits::addDimension(yaml, 4, Dimension{}));
        QVERIFY(!edits::setSize(yaml, 9, 2));
        QVERIFY(!edits::setLatency(yaml, 9, ns(2)));
        QCOMPARE(yaml.text(), kPod);
        YamlDocument single = documentOf("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}\n");
        QVERIFY(!edits::removeDimension(single, 0));
        YamlDocument graph = documentOf("fabricscope: 1\nplatform: {nodes: [{name: a}, {name: b}], links: [{between: [a, b], bandwidth: 1 GB/s, latency: 1 us}]}\n");
        QVERIFY(!edits::addDimension(graph, 0, Dimension{}));
        YamlDocument nothing = documentOf("fabricscope: 1\n");
        QVERIFY(!edits::setSize(nothing, 0, 4));
        YamlDocument shared = documentOf("fabricscope: 1\nplatform: {dimensions: [&a {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}, *a]}\n");
        const std::string before = shared.text();
        QVERIFY(!edits::setBandwidth(shared, 0, gbps(3), true));
        QCOMPARE(shared.text(), before);
    }

    void aPresetIsWrittenOutWithTheSameFiguresWhenADimensionIsEdited()
    {
        int dimensional = 0;
        for (const PresetInfo& info : presets()) {
            const std::string text = "fabricscope: 1   # one\nname: X\nplatform:\n  preset: " + std::string(info.name) + "   # which\n  npu: {memory: 1 GiB}\n  # last\nworkload: {collective: all_reduce, size: 1 MiB}\n";
            YamlDocument yaml = documentOf(text);
            const LoadedDesign before = inspectDesignText(text, "");
            QVERIFY(edits::writeOutPlatform(yaml));
            QVERIFY(!yaml.find("platform.preset"));
            const LoadedDesign after = inspectDesignText(yaml.text(), "");
            QVERIFY2(after.diagnostics.empty(), after.diagnostics.empty() ? "" : after.diagnostics.front().text().c_str());
            QVERIFY(*after.design.platform == *before.design.platform);
            QVERIFY(yaml.text().find("fabricscope: 1   # one\nname: X\n") == 0);
            QVERIFY(yaml.text().find("# last") != std::string::npos);
            YamlDocument direct = documentOf(text);
            const Status status = edits::setLatency(direct, 0, ns(123));
            QCOMPARE(static_cast<bool>(status), !before.design.platform->dimensions.empty());
            if (!status) {
                QCOMPARE(direct.text(), text);
                continue;
            }
            ++dimensional;
            PlatformSpec expected = *before.design.platform;
            expected.dimensions[0].latency = ns(123);
            QVERIFY(*inspectDesignText(direct.text(), "").design.platform == expected);
        }
        QVERIFY(dimensional > 0);
    }

    void anAstraSimFileIsWrittenOutToo()
    {
        const auto folder = std::filesystem::temp_directory_path() / "fabricscope-designedits";
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "net.yml") << "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 12.5 ]\nlatency: [ 500.0, 2000.0 ]\n";
        const std::string text = "fabricscope: 1\nplatform: {file: net.yml, kind: astra-sim}\n";
        const std::string file = (folder / "design.yaml").string();
        YamlDocument yaml = YamlDocument::parse(text, file).value();
        const LoadedDesign before = inspectDesignText(text, file);
        QCOMPARE(before.design.platform->dimensions.size(), std::size_t{2});
        QVERIFY(edits::setSize(yaml, 1, 8));
        const LoadedDesign after = inspectDesignText(yaml.text(), file);
        PlatformSpec expected = *before.design.platform;
        expected.dimensions[1].size = 8;
        QVERIFY(*after.design.platform == expected);
        YamlDocument missing = YamlDocument::parse("fabricscope: 1\nplatform: {file: gone.yml, kind: astra-sim}\n", file).value();
        QVERIFY(!edits::setSize(missing, 0, 8));
        std::filesystem::remove_all(folder);
    }

    void overridesAreSetResetAndLeaveNothingBehind()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(edits::setLinkOverride(yaml, "d0 1>2", gbps(12.5), std::nullopt));
        QVERIFY(edits::setLinkOverride(yaml, "d1 5>switch", std::nullopt, ns(9)));
        QVERIFY(edits::setLinkOverride(yaml, "d0 1>2", std::nullopt, ns(40)));
        QVERIFY(edits::setNpuOverride(yaml, {7, 0.5, std::nullopt, std::nullopt}));
        QVERIFY(edits::setNpuOverride(yaml, {7, std::nullopt, Quantity{900, "TFLOP/s", Measure::ComputeRate}, gbps(3000)}));
        const auto spec = inspectDesignText(yaml.text(), "").design.platform;
        QCOMPARE(spec->linkOverrides.size(), std::size_t{2});
        const Platform platform = Platform::create(*spec).value();
        QCOMPARE(platform.linkName(spec->linkOverrides[0].link), std::string("d0 1>2"));
        QCOMPARE(spec->linkOverrides[0].bandwidth->text(), std::string("12.5 GB/s"));
        QCOMPARE(spec->linkOverrides[0].latency->text(), std::string("40 ns"));
        QCOMPARE(platform.linkName(spec->linkOverrides[1].link), std::string("d1 5>switch"));
        QVERIFY(!spec->linkOverrides[1].bandwidth);
        const NpuOverride expected{7, 0.5, Quantity{900, "TFLOP/s", Measure::ComputeRate}, gbps(3000)};
        QVERIFY(spec->npuOverrides == std::vector{expected});
        QVERIFY(edits::resetLink(yaml, "d0 1>2"));
        QVERIFY(edits::resetLink(yaml, "d0 1>2"));
        QVERIFY(edits::resetNpu(yaml, 7));
        QVERIFY(edits::resetLink(yaml, "d1 5>switch"));
        QCOMPARE(yaml.text(), kPod);
    }

    void removedIsAKeyOfTheOverride()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(edits::setLinkRemoved(yaml, "d0 1>2", false));
        QCOMPARE(yaml.text(), kPod);
        QVERIFY(edits::setLinkRemoved(yaml, "d0 1>2", true));
        QVERIFY(edits::setNpuOverride(yaml, {3, 0.5, std::nullopt, std::nullopt}));
        QVERIFY(edits::setNpuRemoved(yaml, 3, true));
        QCOMPARE(yaml.find("platform.overrides.links[0].removed")->text, std::string("true"));
        QCOMPARE(yaml.find("platform.overrides.links[0].link")->text, std::string("d0 1>2"));
        QCOMPARE(yaml.find("platform.overrides.npus[0].removed")->text, std::string("true"));
        QVERIFY(edits::setNpuRemoved(yaml, 3, false));
        QCOMPARE(yaml.find("platform.overrides.npus[0].speed")->text, std::string("0.5"));
        QVERIFY(!yaml.find("platform.overrides.npus[0].removed"));
        QVERIFY(edits::setLinkRemoved(yaml, "d0 1>2", false));
        QVERIFY(!yaml.find("platform.overrides.links"));
        QVERIFY(edits::resetNpu(yaml, 3));
        QCOMPARE(yaml.text(), kPod);
    }

    void npuFiguresModelCollectivesAndTextsRead()
    {
        YamlDocument yaml = documentOf(kPod);
        QVERIFY(edits::setNpuField(yaml, "peak", Quantity{989, "TFLOP/s", Measure::ComputeRate}));
        QVERIFY(edits::setNpuField(yaml, "memory", Quantity{80, "GiB", Measure::Size}));
        QVERIFY(edits::setNpuField(yaml, "injection", gbps(500)));
        QVERIFY(edits::setModel(yaml, Model::AstraUnaware));
        QVERIFY(edits::setDefaultChunks(yaml, 16));
        const std::vector<AlgorithmChoice> algorithms{{false, Algorithm::Ring, 0}, {}, {false, Algorithm::Direct, 2}};
        QVERIFY(edits::setDefaultAlgorithms(yaml, algorithms));
        const std::string question = "Is it \"enough\": 200 Gbit/s?\nAnd: # what then - \xc3\xa4?";
        QVERIFY(edits::setNotes(yaml, question));
        QVERIFY(edits::setName(yaml, "Pod: one"));
        const LoadedDesign read = inspectDesignText(yaml.text(), "");
        QCOMPARE(read.design.platform->npu.peak->text(), std::string("989 TFLOP/s"));
        QCOMPARE(read.design.platform->npu.memory->text(), std::string("80 GiB"));
        QCOMPARE(read.design.platform->npu.injection->text(), std::string("500 GB/s"));
        QCOMPARE(read.design.model.model, Model::AstraUnaware);
        QCOMPARE(read.design.collectives.defaults.chunks, 16);
        QVERIFY(read.design.collectives.defaults.algorithms == algorithms);
        QCOMPARE(read.design.notes, question);
        QCOMPARE(read.design.name, std::string("Pod: one"));
        QVERIFY(edits::setDefaultAlgorithms(yaml, {}));
        QVERIFY(inspectDesignText(yaml.text(), "").design.collectives.defaults.algorithms.empty());
        for (const char* key : {"peak", "memory", "injection", "ejection"})
            QVERIFY(edits::setNpuField(yaml, key, std::nullopt));
        QVERIFY(!yaml.find("platform.npu"));
        QVERIFY(!yaml.find("platform.budgets"));
        QVERIFY(edits::setNotes(yaml, ""));
        QVERIFY(edits::setName(yaml, ""));
        QVERIFY(!yaml.find("notes") && !yaml.find("name"));
    }

    void aStoredVersionFollowsTheModel()
    {
        YamlDocument yaml = documentOf("fabricscope: 1\nmodel: {name: links, version: physical/1}\n");
        QVERIFY(edits::setModel(yaml, Model::AstraAware));
        QCOMPARE(yaml.text(), "fabricscope: 1\nmodel: {name: astra-aware, version: astra/2}\n");
    }

    void jobsWithListedNodesFollowAndLostDimensionsAreTold()
    {
        // 2 x 3: NPU 4 is (0, 2), NPU 1 is (1, 0).
        YamlDocument yaml = documentOf("fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}\n"
                                       "    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}\n  overrides:\n    links:\n      - {link: d0 4>5, bandwidth: 2 GB/s}\n"
                                       "      - {link: d1 4>switch, bandwidth: 3 GB/s}\n    npus: [{npu: 1, speed: 0.5}]\n  placement: {jobs: [{nodes: [0, 4, 2]}]}\n"
                                       "workload:\n  groups: [{name: a, dimensions: [0]}, {name: b, dimensions: [1, 0]}]\n  steps: [{compute: 1 us}]\n"
                                       "collectives: {rules: [{group: a, algorithm: [ring, direct]}, {group: b, algorithm: ring}]}\n");
        edits::Dropped dropped;
        QVERIFY(edits::removeDimension(yaml, 0, &dropped));
        QCOMPARE(dropped, (edits::Dropped{"d0 4>5", "NPU 1", "group a"}));
        QCOMPARE(yaml.find("platform.overrides.links[0].link")->text, std::string("d0 2>switch"));
        QVERIFY(!yaml.find("platform.overrides.npus"));
        QCOMPARE(renderYaml(*yaml.find("platform.placement.jobs[0].nodes"), true), std::string("[0, 2, 1]"));
        QCOMPARE(renderYaml(*yaml.find("workload.groups[1].dimensions"), true), std::string("[0]"));
        QCOMPARE(renderYaml(*yaml.find("collectives.rules[0].algorithm"), true), std::string("[direct]"));
        QCOMPARE(yaml.find("collectives.rules[1].algorithm")->text, std::string("ring"));
        QCOMPARE(renderYaml(*yaml.find("workload.groups[0].dimensions"), true), std::string("[]"));
    }

    void algorithmsHaveATextBothWays()
    {
        for (const char* text : {"auto", "ring", "direct", "direct4", "halving_doubling", "double_binary_tree"})
            QCOMPARE(algorithmText(algorithmFromText(text).value()), std::string(text));
        QVERIFY(!algorithmFromText("rings"));
    }
};

FABRICSCOPE_TEST(tst_designedits)
#include "tst_designedits.moc"
