#include "core/design/edits/edits.h"
#include "core/generate/generate.h"
#include "core/program/innetwork.h"
#include "core/program/programbuilder.h"
#include "core/scenario/lowering.h"
#include "core/scenario/programruns.h"
#include "core/sim/common/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/oracles/switchmodel.h"

#include <QtTest/QtTest>

#include <random>
#include <set>

using namespace fabricscope;
using fabricscope::test::exampleScript;
using fabricscope::test::SwitchModel;

namespace {

constexpr std::int64_t kPiece = 256 * 1024;

std::string rate(std::int64_t bytesPerSecond) { return std::to_string(bytesPerSecond) + " B/s"; }
std::string ps(std::int64_t value) { return std::to_string(value) + " ps"; }

ScenarioPtr prepared(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    auto scenario = prepare(loaded.value().design);
    if (!scenario)
        qFatal("%s\n%s", scenario.error().text().c_str(), text.c_str());
    return scenario.value();
}

RunRecord runOf(const std::string& text, const RunOptions& options = {})
{
    auto record = simulate(*prepared(text), options);
    if (!record)
        qFatal("%s\n%s", record.error().text().c_str(), text.c_str());
    return std::move(record).value();
}

std::int64_t finishOf(const std::string& text)
{
    const RunRecord record = runOf(text);
    return record.complete ? record.finish.ps : -1;
}

std::string errorOf(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        return loaded.error().text();
    auto scenario = prepare(loaded.value().design);
    return scenario ? std::string() : scenario.error().text();
}

/// One Switch(n) and one collective of all ranks.
struct One {
    int n = 4;
    std::int64_t bandwidth = 100'000'000'000;
    std::int64_t latency = 500'000;
    std::string offload = "reduction: 400 GB/s, latency: 200 ns";
    std::string op = "all_reduce";
    std::int64_t bytes = 1 << 20;
    std::string algorithm = "in_network";
    int chunks = 1;
    std::int64_t delay = 0;
    std::string model = "links";

    std::string text() const
    {
        return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: " + std::to_string(n) + ", bandwidth: " + rate(bandwidth) + ", latency: " + ps(latency)
            + ", in_network: {" + offload + "}}\nworkload: {collective: " + op + ", size: " + std::to_string(bytes) + " B}\ncollectives: {default: {algorithm: " + algorithm
            + ", chunks: " + std::to_string(chunks) + "}}\nmodel: {name: " + model + ", endpoint_delay: " + ps(delay) + "}\n";
    }
    std::int64_t finish() const { return finishOf(text()); }
};

/// ceil(bytes 10^12 / rate)
std::int64_t duration(std::int64_t bytes, std::int64_t perSecond)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((Wide{bytes} * 1000000000000 + perSecond - 1) / perSecond);
}

/// Many groups on one switch, as a design and as the straight-line model.
struct Shared {
    SwitchModel model;
    std::string text;
};

/// `even`: all sizes divide by chunks and members.
Shared randomShared(std::mt19937_64& random, bool ideal, bool even = false)
{
    const auto pick = [&](auto... values) {
        const std::vector<std::int64_t> list{static_cast<std::int64_t>(values)...};
        return list[random() % list.size()];
    };
    Shared made;
    SwitchModel& model = made.model;
    const int n = static_cast<int>(2 + random() % 9);
    const std::int64_t bandwidth = pick(10'000'000'000, 25'000'000'000, 33'333'333'333, 100'000'000'000);
    const std::int64_t latency = pick(1, 1'000, 77'777, 500'000, 2'000'000);
    model.reduction = pick(5'000'000'000, 30'000'000'000, 100'000'000'000, 777'777'777'777);
    model.multicast = pick(0, 0, 20'000'000'000, 150'000'000'000);
    model.latency = pick(1, 200'000, 1'234'567);
    model.endpointDelay = pick(0, 0, 10'000);
    model.ideal = ideal;
    model.upRate.assign(static_cast<std::size_t>(n), bandwidth);
    model.downRate = model.upRate;
    model.upLatency.assign(static_cast<std::size_t>(n), latency);
    model.downLatency = model.upLatency;
    model.entry.assign(static_cast<std::size_t>(n), 0);

    std::string& text = made.text;
    text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: " + std::to_string(n) + ", bandwidth: " + rate(bandwidth) + ", latency: " + ps(latency)
        + ", in_network: {reduction: " + rate(model.reduction) + (model.multicast > 0 ? ", multicast: " + rate(model.multicast) : "") + ", latency: " + ps(model.latency) + "}}\n";
    std::string overrides;
    for (int port = 0; port < n; ++port) {
        for (const bool up : {true, false}) {
            if (random() % 5 != 0)
                continue;
            const std::int64_t own = pick(7'000'000'000, 50'000'000'000, 200'000'000'000);
            const std::int64_t ownLatency = pick(1'000, 300'000);
            (up ? model.upRate : model.downRate)[static_cast<std::size_t>(port)] = own;
            (up ? model.upLatency : model.downLatency)[static_cast<std::size_t>(port)] = ownLatency;
            overrides += "      - {link: \"d0 " + (up ? std::to_string(port) + ">switch" : "switch>" + std::to_string(port)) + "\", bandwidth: " + rate(own) + ", latency: " + ps(ownLatency) + "}\n";
        }
    }
    if (!overrides.empty())
        text += "  overrides:\n    links:\n" + overrides;

    std::vector<int> ports;
    for (int port = 0; port < n; ++port)
        ports.push_back(port);
    std::shuffle(ports.begin(), ports.end(), random);
    std::string groups;
    std::string steps;
    std::string rules;
    for (std::size_t begin = 0; begin + 1 < ports.size() && model.groups.size() < 3;) {
        SwitchModel::Group group;
        const std::size_t size = 2 + random() % (ports.size() - begin - 1);
        group.members.assign(ports.begin() + static_cast<std::ptrdiff_t>(begin), ports.begin() + static_cast<std::ptrdiff_t>(begin + size));
        begin += size;
        std::sort(group.members.begin(), group.members.end());
        group.op = static_cast<SwitchModel::Op>(random() % 4);
        group.bytes = pick(1, 3, 17, 1000, 65'536, 262'144, 262'145, 1'000'003, 3 << 20);
        group.chunks = static_cast<int>(pick(1, 1, 2, 5));
        if (even)
            group.bytes = pick(1, 3, 1000, 40'000, 65'536, 300'001) * group.chunks * static_cast<std::int64_t>(group.members.size());
        const std::string name = "g" + std::to_string(model.groups.size());
        groups += "    - {name: " + name + ", lists: [[";
        for (std::size_t i = 0; i < group.members.size(); ++i)
            groups += (i > 0 ? ", " : "") + std::to_string(group.members[i]);
        groups += "]]}\n";
        for (const int port : group.members) {
            if (random() % 2 == 0)
                continue;
            model.entry[static_cast<std::size_t>(port)] = pick(1, 100'000, 123'456, 5'000'000);
            steps += "    - {compute: " + ps(model.entry[static_cast<std::size_t>(port)]) + ", ranks: \"" + std::to_string(port) + "\"}\n";
        }
        constexpr const char* kOps[] = {"all_reduce", "reduce_scatter", "all_gather", "broadcast"};
        steps += "    - {collective: " + std::string(kOps[static_cast<std::size_t>(group.op)]) + ", size: " + std::to_string(group.bytes) + " B, group: " + name + "}\n";
        rules += "    - {group: " + name + ", chunks: " + std::to_string(group.chunks) + "}\n";
        model.groups.push_back(std::move(group));
    }
    text += "workload:\n  groups:\n" + groups + "  steps:\n" + steps + "collectives:\n  default: {algorithm: in_network}\n  rules:\n" + rules + "model: {name: "
        + (ideal ? "ideal" : "links") + ", endpoint_delay: " + ps(model.endpointDelay) + "}\n";
    return made;
}

std::vector<std::int64_t> finishByRank(const RunRecord& record)
{
    std::vector<std::int64_t> finish(static_cast<std::size_t>(record.rankCount), 0);
    for (const RankClass& each : record.classes) {
        for (const RankSet::Interval& interval : each.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                finish[static_cast<std::size_t>(rank)] = each.times.finish.ps;
        }
    }
    return finish;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    text.replace(text.find(from), from.size(), to);
    return text;
}

/// The same run with other programs.
Scenario withPrograms(const Scenario& scenario, const std::function<ProgramPtr(const ProgramPtr&)>& change)
{
    auto structure = std::make_shared<Structure>(*scenario.structure);
    for (CollectiveInstance& instance : structure->instances) {
        if (instance.program)
            instance.program = change(instance.program);
    }
    Scenario out = scenario;
    out.structure = std::move(structure);
    return out;
}

/// What a program of its own does in the run of `one`.
std::vector<std::int64_t> finishOf(const One& one, const ProgramPtr& program, const std::string& steps = {})
{
    std::string text = one.text();
    if (!steps.empty()) {
        const std::size_t begin = text.find("workload:");
        text.replace(begin, text.find('\n', begin) - begin, "workload:\n  steps:\n" + steps + "    - {collective: " + one.op + ", size: " + std::to_string(one.bytes) + " B}");
    }
    const auto record = simulate(withPrograms(*prepared(text), [&](const ProgramPtr&) { return program; }));
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return record.value().complete ? finishByRank(record.value()) : std::vector<std::int64_t>{};
}

ProgramBuilder::Row inSwitch(OpKind kind, std::int32_t rank, std::int32_t chunk)
{
    ProgramBuilder::Row row;
    row.rank = rank;
    row.kind = kind;
    row.peer = 0;
    row.chunk = chunk;
    row.sourceBuffer = row.targetBuffer = BufferKind::Input;
    row.sourceOffset = row.targetOffset = chunk;
    return row;
}

} // namespace

class TestInNetwork : public QObject {
    Q_OBJECT

private slots:
    void aloneItTakesTwoLinksTheSwitchAndTheSlowestRate();
    void everyLinkCarriesAnAllReduceOnce();
    void aBufferLetsSoManyPiecesThroughPerRoundTrip();
    void aLargerBufferIsNeverSlowerAndInTheEndAsFastAsNone();
    void groupsOnOneSwitchAgreeWithTheStraightLineModel_data();
    void groupsOnOneSwitchAgreeWithTheStraightLineModel();
    void overARingAndASwitchTheSwitchDoesTheTop();
    void aSwitchOfAGraphReducesToo();
    void itBeatsDirectWhereTheReducerIsFast();
    void messagesNameTheSwitch();
    void writtenOutItIsTheSame_data();
    void writtenOutItIsTheSame();
    void operationsOfTeamsHaveTheirClosedForms();
    void teamsWithoutTheirSwitchAreRefused();
    void aScriptRunsInTheSwitchOfADesign();
    void broadcastsHaveTheirClosedForms();
    void whatCannotBeDoneIsRefusedInWords_data();
    void whatCannotBeDoneIsRefusedInWords();
    void theKeysAreReadWrittenHashedAndKept();
    void aSwitchThatHasNothingToDoIsReported();
};

void TestInNetwork::aloneItTakesTwoLinksTheSwitchAndTheSlowestRate()
{
    // 2 L + Z + H / min(B, R, M) + o; H / B of 1 MiB at 100 GB/s is 10.48576 us, at 50 GB/s 20.97152 us.
    One one;
    QCOMPARE(one.finish(), 2 * 500'000 + 200'000 + 10'485'760);
    one.delay = 30'000;
    QCOMPARE(one.finish(), 30'000 + 2 * 500'000 + 200'000 + 10'485'760);
    one.delay = 0;
    one.offload = "reduction: 50 GB/s, latency: 200 ns";
    QCOMPARE(one.finish(), 2 * 500'000 + 200'000 + 20'971'520);
    one.offload = "reduction: 400 GB/s, multicast: 50 GB/s";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520); // A latency of 0 counts as 1 ps.
    one.op = "reduce_scatter"; // Copies nothing.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.op = "all_gather"; // What comes down decides: all of it; M takes in 1 MiB too.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520);
    one.op = "broadcast";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 20'971'520);
    one.offload = "multicast: 400 GB/s";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.op = "all_gather";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
    one.model = "ideal"; // One block of 256 KiB, no link ever busy.
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 2'621'440);
    one.op = "broadcast";
    QCOMPARE(one.finish(), 2 * 500'000 + 1 + 10'485'760);
}

void TestInNetwork::everyLinkCarriesAnAllReduceOnce()
{
    One one;
    one.n = 8;
    const auto check = [&](const std::string& op, std::int64_t up, std::int64_t down) {
        one.op = op;
        const RunRecord record = runOf(one.text());
        QCOMPARE(record.links.size(), std::size_t{16});
        for (const LinkUse& use : record.links)
            QCOMPARE(use.bytes, use.link % 2 == 0 ? up : down);
    };
    check("all_reduce", 1 << 20, 1 << 20);
    check("reduce_scatter", 1 << 20, 1 << 17);
    check("all_gather", 1 << 17, 1 << 20);
    one.op = "broadcast";
    const RunRecord record = runOf(one.text());
    QCOMPARE(record.links.size(), std::size_t{9}); // One up-link, eight down-links.
    for (const LinkUse& use : record.links)
        QCOMPARE(use.bytes, std::int64_t{1} << 20);
}

void TestInNetwork::aBufferLetsSoManyPiecesThroughPerRoundTrip()
{
    // k places of 256 KiB, 2.62144 us each at 100 GB/s; a place is taken for a round trip of 2 * 5 + 1 us + 2.62144 us = 13.62144 us.
    // k pieces start one behind the other, the next k when those have arrived: r rounds take r round trips and the k - 1 pieces of the last.
    One one;
    one.latency = 5'000'000;
    const std::int64_t piece = 2'621'440;
    const std::int64_t roundTrip = 11'000'000 + piece;
    for (const int k : {1, 2, 4}) {
        for (const int rounds : {1, 3, 8}) {
            one.offload = "reduction: 400 GB/s, latency: 1 us, buffer: " + std::to_string(k * kPiece) + " B";
            one.bytes = k * rounds * kPiece;
            QCOMPARE(one.finish(), rounds * roundTrip + (k - 1) * piece);
            one.delay = 700'000; // Paid by every piece.
            QCOMPARE(one.finish(), rounds * (roundTrip + 700'000) + (k - 1) * piece);
            one.delay = 0;
        }
    }
    // A buffer smaller than a piece: pieces of 64 KiB, 0.65536 us.
    one.offload = "reduction: 400 GB/s, latency: 1 us, buffer: 64 KiB";
    one.bytes = 10 * 65'536;
    QCOMPARE(one.finish(), 10 * (11'000'000 + 655'360));
    // A slow reducer: the place is taken for the time of the reducer, not of the link.
    one.offload = "reduction: 50 GB/s, latency: 1 us, buffer: 64 KiB";
    QCOMPARE(one.finish(), 10 * (11'000'000 + 2 * 655'360));
}

void TestInNetwork::aLargerBufferIsNeverSlowerAndInTheEndAsFastAsNone()
{
    std::mt19937_64 random(test::seeded(20251121));
    for (int round = 0; round < test::cases(150); ++round) {
        One one;
        one.n = static_cast<int>(2 + random() % 6);
        one.bandwidth = 262'144'000'000; // 4 KiB take a whole number of picoseconds: nothing rounds.
        one.latency = static_cast<std::int64_t>(random() % 3'000'000 + 1);
        one.bytes = 4096 * static_cast<std::int64_t>(1 + random() % 1200);
        one.op = std::vector<std::string>{"all_reduce", "broadcast"}[random() % 2];
        const std::string rates = "reduction: " + rate(262'144'000'000 >> random() % 3) + ", latency: 100 ns";
        one.offload = rates;
        const std::int64_t unlimited = one.finish();
        std::int64_t before = INT64_MAX;
        for (const std::int64_t buffer : {64 << 10, 256 << 10, 512 << 10, 2 << 20, 64 << 20}) {
            one.offload = rates + ", buffer: " + std::to_string(buffer) + " B";
            const std::int64_t finish = one.finish();
            QVERIFY2(finish <= before && finish >= unlimited, one.text().c_str());
            before = finish;
        }
        QCOMPARE(before, unlimited);
    }
}

void TestInNetwork::groupsOnOneSwitchAgreeWithTheStraightLineModel_data()
{
    QTest::addColumn<bool>("ideal");
    QTest::newRow("links") << false;
    QTest::newRow("ideal") << true;
}

void TestInNetwork::groupsOnOneSwitchAgreeWithTheStraightLineModel()
{
    QFETCH(const bool, ideal);
    std::mt19937_64 random(ideal ? 7 : 4);
    for (int round = 0; round < test::cases(2000); ++round) {
        const Shared shared = randomShared(random, ideal);
        const RunRecord record = runOf(shared.text);
        QVERIFY2(record.complete, shared.text.c_str());
        const SwitchModel::Answer expected = shared.model.answer();
        const std::vector<std::int64_t> finish = finishByRank(record);
        for (std::size_t rank = 0; rank < finish.size(); ++rank) {
            if (finish[rank] != expected.done[rank])
                QFAIL((shared.text + "rank " + std::to_string(rank) + ": " + std::to_string(finish[rank]) + ", expected " + std::to_string(expected.done[rank])).c_str());
        }
        std::vector<std::int64_t> bytes(2 * finish.size(), 0);
        for (const LinkUse& use : record.links)
            bytes[static_cast<std::size_t>(use.link)] = use.bytes;
        for (std::size_t rank = 0; rank < finish.size(); ++rank) {
            QCOMPARE(bytes[2 * rank], expected.upBytes[rank]);
            QCOMPARE(bytes[2 * rank + 1], expected.downBytes[rank]);
        }
    }
}

void TestInNetwork::overARingAndASwitchTheSwitchDoesTheTop()
{
    // Ring(4) at 200 GB/s, 100 ns; Switch(4) at 50 GB/s, 500 ns; 4 MiB: three steps of 1 MiB each way on the ring, 1 MiB through the switch.
    const std::string text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 200 GB/s, latency: 100 ns}\n"
                             "    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns, in_network: {reduction: 100 GB/s, latency: 50 ns}}\n"
                             "workload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: [ring, in_network], chunks: 1}}\n";
    const std::int64_t ring = 100'000 + duration(1 << 20, 200'000'000'000);
    QCOMPARE(finishOf(text), 6 * ring + 2 * 500'000 + 50'000 + duration(1 << 20, 50'000'000'000));
    const RunRecord record = runOf(text);
    QCOMPARE(record.dimensions[1].bytes, 16 * 2 * (std::int64_t{1} << 20));

    // Below the top: reduce-scatter of 4 MiB on the switch, ring over four NPUs with 1 MiB blocks, all-gather.
    const std::string below = "fabricscope: 1\nplatform:\n  dimensions:\n"
                              "    - {shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns, in_network: {reduction: 100 GB/s, latency: 50 ns}}\n"
                              "    - {shape: ring, size: 4, bandwidth: 200 GB/s, latency: 100 ns}\n"
                              "workload: {collective: all_reduce, size: 4 MiB}\ncollectives: {default: {algorithm: [in_network, ring], chunks: 1}}\n";
    // 4 MiB go up for the sums; the blocks of the positions 0 to 2 are through their rings by then and go up at once, that of position 3 comes
    // 1.05 us and six short steps of a ring later (9 us, less than 1 MiB takes): all four come down one behind the other.
    const std::int64_t mib = duration(1 << 20, 50'000'000'000);
    QCOMPARE(finishOf(below), 4 * mib + 2 * 500'000 + 50'000 + 4 * mib);
}

void TestInNetwork::aSwitchOfAGraphReducesToo()
{
    std::string text = "fabricscope: 1\nplatform:\n  nodes:\n";
    for (int i = 0; i < 4; ++i)
        text += "    - {name: n" + std::to_string(i) + "}\n";
    text += "    - {name: plain, kind: switch}\n    - {name: clever, kind: switch, in_network: {reduction: 400 GB/s, latency: 200 ns}}\n  links:\n";
    for (const char* hub : {"plain", "clever"}) {
        for (int i = 0; i < 4; ++i)
            text += "    - {between: [n" + std::to_string(i) + ", " + hub + "], bandwidth: 100 GB/s, latency: 500 ns}\n";
    }
    const std::string rest = "workload: {collective: all_reduce, size: 1 MiB}\ncollectives: {default: {algorithm: in_network, chunks: 1}}\n";
    QCOMPARE(finishOf(text + rest), 2 * 500'000 + 200'000 + 10'485'760);
    const std::string cut = text + "  overrides:\n    links:\n      - {link: n2>clever, removed: true}\n";
    QVERIFY(errorOf(cut + rest).find("no switch that reduces or copies has links from and to all members") != std::string::npos);
    const std::string some = "workload:\n  groups:\n    - {name: some, lists: [[0, 1, 3]]}\n  steps:\n    - {collective: all_gather, size: 3 MiB, group: some}\n"
                             "collectives: {default: {algorithm: in_network, chunks: 1}}\n";
    QCOMPARE(finishOf(cut + some), 2 * 500'000 + 200'000 + 3 * 10'485'760);
}

void TestInNetwork::itBeatsDirectWhereTheReducerIsFast()
{
    std::mt19937_64 random(test::seeded(99));
    for (int round = 0; round < test::cases(200); ++round) {
        One one;
        one.n = static_cast<int>(2 + random() % 15);
        one.latency = static_cast<std::int64_t>(1000 + random() % 2'000'000);
        one.bytes = static_cast<std::int64_t>(one.n) * static_cast<std::int64_t>(1 + random() % 300'000);
        one.offload = "reduction: 900 GB/s, latency: 1 ns";
        const std::int64_t inside = one.finish();
        one.algorithm = "direct";
        // Direct: two rounds of 2 L and (n-1)/n of the data each.
        const std::int64_t block = one.bytes / one.n;
        QVERIFY(one.finish() >= 2 * (2 * one.latency + duration((one.n - 1) * block, one.bandwidth)));
        QVERIFY(inside < one.finish());
        one.algorithm = "ring";
        QVERIFY(inside < one.finish());
    }
}

void TestInNetwork::messagesNameTheSwitch()
{
    One one;
    one.n = 3;
    std::multiset<std::tuple<std::string, int, int, std::int64_t>> seen;
    RunOptions options;
    options.message = [&](const MessageRecord& message) {
        seen.insert({one.op, message.source, message.target, message.bytes});
        QVERIFY(message.readyPs <= message.leftPs && message.leftPs < message.donePs);
    };
    for (const char* op : {"all_reduce", "reduce_scatter", "all_gather", "broadcast"}) {
        one.op = op;
        one.bytes = 300;
        runOf(one.text(), options);
    }
    std::multiset<std::tuple<std::string, int, int, std::int64_t>> expected;
    for (int r = 0; r < 3; ++r) {
        expected.insert({"all_reduce", r, -1, 300});
        expected.insert({"all_reduce", -1, r, 300});
        expected.insert({"reduce_scatter", -1, r, 100});
        expected.insert({"all_gather", r, -1, 100});
        expected.insert({"broadcast", 0, r, 300});
        for (int other = 0; other < 3; ++other) {
            expected.insert({"reduce_scatter", r, -1, 100});
            expected.insert({"all_gather", r, other, 100});
        }
    }
    expected.insert({"broadcast", 0, -1, 300});
    QVERIFY(seen == expected);
    // The digest follows them: another size of one collective changes it, another run of the same does not.
    RunOptions digest;
    digest.messageDigest = true;
    const auto of = [&] { return runOf(one.text(), digest).messages.value(); };
    const auto first = of();
    QVERIFY(first == of());
    one.bytes = 301;
    QVERIFY(!(first == of()));
}

void TestInNetwork::writtenOutItIsTheSame_data()
{
    QTest::addColumn<bool>("ideal");
    QTest::newRow("links") << false;
    QTest::newRow("ideal") << true;
}

/// The template and its operations one by one: every message at the same picosecond, every rank done at the same, with and without a buffer limit.
void TestInNetwork::writtenOutItIsTheSame()
{
    QFETCH(const bool, ideal);
    std::mt19937_64 random(ideal ? 12 : 11);
    RunOptions options;
    options.messageDigest = true;
    for (int round = 0; round < test::cases(1500); ++round) {
        std::string text = randomShared(random, ideal, true).text;
        if (const std::uint64_t drawn = random(); drawn % 3 == 0)
            text = replaced(text, "in_network: {", drawn % 2 == 0 ? "in_network: {buffer: 100 KB, " : "in_network: {buffer: 600 KiB, ");
        const ScenarioPtr scenario = prepared(text);
        std::size_t expanded = 0;
        const Scenario written = withPrograms(*scenario, [&](const ProgramPtr& program) {
            const auto out = expandTemplate(program);
            if (!out || out.value()->isTemplate() || !usesSwitches(*out.value()))
                qFatal("not written out");
            ++expanded;
            return out.value();
        });
        QVERIFY(expanded > 0);
        const auto first = simulate(*scenario, options);
        const auto second = simulate(written, options);
        QVERIFY(first && second);
        QVERIFY2(first.value().complete && second.value().complete, text.c_str());
        if (finishByRank(first.value()) != finishByRank(second.value()))
            QFAIL((text + std::to_string(first.value().finish.ps) + ", written out " + std::to_string(second.value().finish.ps)).c_str());
        QVERIFY2(first.value().messages.value() == second.value().messages.value() && first.value().messages.count() == second.value().messages.count(), text.c_str());
        for (std::size_t link = 0; link < first.value().links.size(); ++link)
            QCOMPARE(second.value().links[link].busyPs, first.value().links[link].busyPs);
    }
}

/// Bandwidth B 100 GB/s, latency L 500 ns, sums R 400 GB/s, switch Z 200 ns, n = 4, H = 1 MiB in two chunks of x.
void TestInNetwork::operationsOfTeamsHaveTheirClosedForms()
{
    One one;
    const std::int64_t x = duration(one.bytes / 2, one.bandwidth);
    const std::int64_t trip = 2 * one.latency + 200'000;
    const auto make = [](auto add) {
        ProgramBuilder builder(CollectiveOp::AllReduce, 4, 2);
        builder.extras().teams = {{0, 1, 2, 3}, {1, 2}};
        add(builder);
        return builder.finish("teams", "test");
    };
    using Finish = std::vector<std::int64_t>;
    // A sum for rank 2, and behind it a copy of it to all: through the switch twice. The others are done when the copy has come.
    const ProgramPtr twice = make([](ProgramBuilder& b) {
        const auto sum = b.add(inSwitch(OpKind::SwitchReduce, 2, 0));
        b.depend(b.add(inSwitch(OpKind::SwitchMulticast, 2, 0)), sum);
    });
    QCOMPARE(finishOf(one, twice), (Finish{2 * trip + 2 * x, 2 * trip + 2 * x, 2 * trip + 2 * x, 2 * trip + 2 * x}));
    // In one: once.
    const ProgramPtr once = make([](ProgramBuilder& b) {
        ProgramBuilder::Row sum = inSwitch(OpKind::SwitchReduce, 2, 0);
        sum.targetBuffer = BufferKind::None;
        b.add(sum);
        ProgramBuilder::Row copy = inSwitch(OpKind::SwitchMulticast, 2, 0);
        copy.sourceBuffer = BufferKind::Fused;
        copy.fused = true;
        b.add(copy);
    });
    QCOMPARE(finishOf(one, once), (Finish{trip + x, trip + x, trip + x, trip + x}));
    // A sum alone: who only gives is done when its data have left its link.
    const ProgramPtr sum = make([](ProgramBuilder& b) { b.add(inSwitch(OpKind::SwitchReduce, 2, 0)); });
    QCOMPARE(finishOf(one, sum), (Finish{x, x, trip + x, x}));
    // It starts when the last has entered.
    QCOMPARE(finishOf(one, sum, "    - {compute: 7 us, ranks: \"3\"}\n"), (Finish{7'000'000 + x, 7'000'000 + x, 7'000'000 + trip + x, 7'000'000 + x}));
    // A copy does not wait: rank 3 finds it when it enters. Two copies of one rank share its link up.
    const ProgramPtr copies = make([](ProgramBuilder& b) {
        b.add(inSwitch(OpKind::SwitchMulticast, 1, 0));
        b.add(inSwitch(OpKind::SwitchMulticast, 1, 1));
    });
    QCOMPARE(finishOf(one, copies, "    - {compute: 60 us, ranks: \"3\"}\n"), (Finish{trip + 2 * x, trip + 2 * x, trip + 2 * x, 60'000'000}));
    // A team of two: the others have nothing to do.
    const ProgramPtr few = make([](ProgramBuilder& b) {
        ProgramBuilder::Row row = inSwitch(OpKind::SwitchReduce, 1, 0);
        row.peer = 1;
        b.add(row);
    });
    QCOMPARE(finishOf(one, few), (Finish{0, trip + x, x, 0}));
    // A slow reducer, and a slow copier.
    one.offload = "reduction: 10 GB/s, multicast: 20 GB/s, latency: 200 ns";
    QCOMPARE(finishOf(one, twice)[0], 2 * trip + duration(one.bytes / 2, 10'000'000'000) + duration(one.bytes / 2, 20'000'000'000));
    QCOMPARE(finishOf(one, once)[0], trip + duration(one.bytes / 2, 10'000'000'000));
}

void TestInNetwork::teamsWithoutTheirSwitchAreRefused()
{
    const auto spec = [](const std::string& text) { return prepared(text)->structure->platform; };
    const One one;
    const std::string plain = replaced(replaced(one.text(), ", in_network: {" + one.offload + "}", ""), "algorithm: in_network", "algorithm: ring");
    const std::string copiesOnly = replaced(replaced(one.text(), one.offload, "latency: 1 ns"), "algorithm: in_network", "algorithm: ring");
    const std::vector<NodeId> members{0, 1, 2, 3};
    const auto refusal = [&](const std::string& text, OpKind kind, const std::vector<std::int32_t>& team) {
        ProgramBuilder builder(CollectiveOp::AllReduce, 4, 2);
        builder.extras().teams = {team};
        builder.add(inSwitch(kind, 1, 0));
        const Status status = checkRunnable(*builder.finish("team", "test"), spec(text), members);
        return status ? std::string() : status.error().message;
    };
    const auto contains = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
    QCOMPARE(refusal(one.text(), OpKind::SwitchReduce, {0, 1, 2, 3}), std::string());
    QVERIFY(contains(refusal(plain, OpKind::SwitchMulticast, {0, 1}), "neither reduce nor copy"));
    QVERIFY(contains(refusal(copiesOnly, OpKind::SwitchReduce, {0, 1}), "no rate of reduction"));
    QCOMPARE(refusal(copiesOnly, OpKind::SwitchMulticast, {0, 1}), std::string());
    QVERIFY(contains(refusal(one.text(), OpKind::SwitchReduce, {1}), "two or more ranks"));
    QVERIFY(contains(refusal(one.text(), OpKind::SwitchReduce, {1, 4}), "two or more ranks"));
    QVERIFY(contains(refusal(one.text(), OpKind::SwitchReduce, {2, 3}), "not by a rank of its team"));
}

/// The script that comes with the program: n sums of H/n handed to all in the switch load every link as one of H does, and take as long.
void TestInNetwork::aScriptRunsInTheSwitchOfADesign()
{
    One one; // 1 MiB over 4 at 10 ps a byte: nothing is rounded.
    std::string quoted;
    for (const char c : exampleScript("allreduce_switch"))
        quoted += c == '\n' ? "\\n" : c == '"' ? "\\\"" : std::string(1, c);
    const std::string script = replaced(one.text(), "algorithm: in_network", "script: \"" + quoted + "\"");
    QCOMPARE(finishOf(script), one.finish());
    // Where nothing is shared every sum takes its own time alone.
    QCOMPARE(finishOf(replaced(script, "name: links", "name: ideal")), 2 * one.latency + 200'000 + duration(one.bytes / 4, one.bandwidth));
    QVERIFY(errorOf(replaced(script, "name: links", "name: flow")).find("done by switches") != std::string::npos);
    QVERIFY(errorOf(replaced(script, ", in_network: {" + one.offload + "}", "")).find("neither reduce nor copy") != std::string::npos);
}

void TestInNetwork::broadcastsHaveTheirClosedForms()
{
    const auto text = [](const std::string& dimensions, const std::string& algorithm, std::int64_t bytes, int chunks) {
        return "fabricscope: 1\nplatform:\n  dimensions:\n" + dimensions + "workload: {collective: broadcast, size: " + std::to_string(bytes)
            + " B}\ncollectives: {default: {algorithm: " + algorithm + ", chunks: " + std::to_string(chunks) + "}}\n";
    };
    const std::int64_t mib = duration(1 << 20, 100'000'000'000);
    const auto dimension = [](const char* shape, int size) {
        return "    - {shape: " + std::string(shape) + ", size: " + std::to_string(size) + ", bandwidth: 100 GB/s, latency: 500 ns}\n";
    };
    for (const int n : {2, 3, 5, 8}) {
        for (const int chunks : {1, 4, 7}) {
            // A chain: the last position is n - 1 hops away, chunks follow one another.
            QCOMPARE(finishOf(text(dimension("ring", n), "ring", chunks << 20, chunks)), (n - 1) * (500'000 + mib) + (chunks - 1) * mib);
            QCOMPARE(finishOf(text(dimension("switch", n), "auto", chunks << 20, chunks)), (n - 1) * (1'000'000 + mib) + (chunks - 1) * mib);
            QCOMPARE(finishOf(text(dimension("fully_connected", n), "auto", chunks << 20, chunks)), 500'000 + chunks * mib);
            QCOMPARE(finishOf(text(dimension("switch", n), "direct", chunks << 20, chunks)), 1'000'000 + (n - 1) * chunks * mib);
        }
    }
    // Highest dimension first: a chain of three hops over switches, then two hops on every ring.
    QCOMPARE(finishOf(text(dimension("ring", 3) + dimension("switch", 4), "ring", 1 << 20, 1)), 3 * (1'000'000 + mib) + 2 * (500'000 + mib));
    // Every rank but the first receives everything once.
    const RunRecord record = runOf(text(dimension("ring", 3) + dimension("fully_connected", 4), "auto", 12'345, 4));
    QCOMPARE(record.dimensions[0].bytes + record.dimensions[1].bytes, std::int64_t{11} * 12'345);
}

void TestInNetwork::whatCannotBeDoneIsRefusedInWords_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    One one;
    const auto row = [](const char* name, const std::string& text, const char* words) { QTest::newRow(name) << QString::fromStdString(text) << QString(words); };
    row("ring with in_network", replaced(one.text(), "shape: switch", "shape: ring"), "only switches reduce and copy in the network");
    row("its line", replaced(one.text(), "shape: switch", "shape: ring"), "test.yaml:4");
    const std::string plain = replaced(one.text(), ", in_network: {" + one.offload + "}", "");
    row("switch without", plain, "the switches of dimension 0 neither reduce nor copy");
    row("ring without", replaced(plain, "shape: switch", "shape: ring"), "dimension 0 is a Ring, not a switch");
    row("all-to-all", replaced(one.text(), "all_reduce", "all_to_all"), "in_network cannot do an all-to-all");
    row("no reduction", replaced(one.text(), "reduction: 400 GB/s, ", ""), "the switch has no rate of reduction");
    row("small buffer", replaced(one.text(), "latency: 200 ns", "buffer: 4095 B"), "too small a buffer");
    row("rate of 0", replaced(one.text(), "reduction: 400 GB/s", "reduction: 0 GB/s"), "in_network.reduction");
    row("unknown key", replaced(one.text(), "reduction", "reductions"), "unknown key \"reductions\"");
    row("astra", replaced(one.text(), "name: links", "name: astra-aware"), "astra-* models know no switches that reduce or copy");
    row("broadcast under astra", replaced(replaced(replaced(plain, "all_reduce", "broadcast"), "algorithm: in_network", "algorithm: ring"), "name: links", "name: astra-unaware"),
        "astra-* models run no broadcasts");
    row("halving-doubling broadcast", replaced(replaced(plain, "all_reduce", "broadcast"), "algorithm: in_network", "algorithm: halving_doubling"), "halving_doubling cannot do a broadcast");
    const std::string grid = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns, in_network: {reduction: 1 GB/s}}\n"
                             "    - {shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 ns, in_network: {reduction: 1 GB/s}}\n"
                             "workload:\n  groups:\n    - {name: g, lists: [[0, 4, 8]]}\n  steps:\n    - {collective: all_reduce, size: 1 KiB, group: g}\n"
                             "collectives: {default: {algorithm: in_network}}\n";
    row("group over no switch", grid, "share no switch");
}

void TestInNetwork::whatCannotBeDoneIsRefusedInWords()
{
    QFETCH(const QString, text);
    QFETCH(const QString, words);
    const std::string error = errorOf(text.toStdString());
    QVERIFY2(!error.empty(), qPrintable(text));
    QVERIFY2(QString::fromStdString(error).contains(words), error.c_str());
}

void TestInNetwork::theKeysAreReadWrittenHashedAndKept()
{
    One one;
    one.offload = "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 32 MiB, latency: 200 ns";
    const Design design = readDesignText(one.text(), "test.yaml").value().design;
    const auto again = readDesignText(writeDesign(design), "again.yaml");
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(*again.value().design.platform == *design.platform);
    QVERIFY(designHash(again.value().design) == designHash(design));
    std::set<std::string> hashes{designHash(design).hex()};
    for (const char* other : {"reduction: 401 GB/s, multicast: 900 GB/s, buffer: 32 MiB, latency: 200 ns", "reduction: 400 GB/s, buffer: 32 MiB, latency: 200 ns",
                              "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 16 MiB, latency: 200 ns", "reduction: 400 GB/s, multicast: 900 GB/s, buffer: 32 MiB"}) {
        one.offload = other;
        QVERIFY(hashes.insert(designHash(readDesignText(one.text(), "test.yaml").value().design).hex()).second);
    }

    const std::string graph = "fabricscope: 1\nplatform:\n  nodes: [{name: a}, {name: b}, {name: s, kind: switch, in_network: {multicast: 1 GB/s, buffer: 1 MiB}}]\n"
                              "  links:\n    - {between: [a, s], bandwidth: 1 GB/s, latency: 1 ns}\n    - {between: [b, s], bandwidth: 1 GB/s, latency: 1 ns}\n"
                              "workload: {collective: all_gather, size: 1 KiB}\n";
    const Design nodes = readDesignText(graph, "test.yaml").value().design;
    QVERIFY(*readDesignText(writeDesign(nodes), "again.yaml").value().design.platform == *nodes.platform);

    one.offload = "reduction: 400 GB/s";
    YamlDocument yaml = YamlDocument::parse(one.text(), "test.yaml").value();
    QVERIFY(edits::setSize(yaml, 0, 8));
    QVERIFY(edits::setLatency(yaml, 0, {7, "ns", Measure::Time}));
    QVERIFY(yaml.text().find("in_network: {reduction: 400 GB/s}") != std::string::npos);
    edits::Dropped dropped;
    QVERIFY(edits::setShape(yaml, 0, Shape::Ring, &dropped));
    QVERIFY(yaml.text().find("in_network: {") == std::string::npos);
    QCOMPARE(dropped, edits::Dropped{"in_network of dimension 0"});
}

void TestInNetwork::aSwitchThatHasNothingToDoIsReported()
{
    One one;
    const auto notes = [&] {
        std::string all;
        const ScenarioPtr scenario = prepared(one.text());
        for (const Diagnostic& each : scenario->diagnostics)
            all += each.message + "\n";
        return all;
    };
    QVERIFY(notes().find("in_network of the platform is not used") == std::string::npos);
    one.algorithm = "ring";
    QVERIFY(notes().find("in_network of the platform is not used: no collective runs by the algorithm in_network") != std::string::npos);
    one.model = "astra-aware";
    QVERIFY(notes().find("in_network of the platform is not used: astra-*") != std::string::npos);
    // Then every engine may run it.
    one.model = "links";
    RunOptions symmetry;
    symmetry.engine = EngineChoice::Symmetry;
    QVERIFY(simulate(*prepared(one.text()), symmetry));
    one.algorithm = "in_network";
    QVERIFY(!simulate(*prepared(one.text()), symmetry));
}

QTEST_GUILESS_MAIN(TestInNetwork)
#include "tst_innetwork.moc"
