// Collectives and placed programs on the platform of a cluster, against times by hand.
#include "core/planner/clustersimulation.h"
#include "core/planner/placefile.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>

using namespace fabricscope;

namespace {

YamlDocument documentOf(const std::string& text)
{
    auto document = YamlDocument::parse(text, "place.yaml");
    if (!document)
        qFatal("%s", document.error().text().c_str());
    return std::move(document).value();
}

/// Four devices below a switch, no latency, 1 GB/s each: reductions are free.
std::string fileText(const std::string& more = {})
{
    return "fabricscope: 1\nplace:\n  batch: 1000\n  inputs: {x: [batch, 100]}\n  parameters: {w: [100, 100]}\n  ops:\n"
           "    - {name: y, op: einsum, eq: \"bk,kn->bn\", in: [x, w], flops: 3000000000}\n"
           "    - {name: loss, op: reduce, in: [y], dims: [0, 1], kind: sum, flops: 0}\n"
           "  cluster:\n    devices: [{name: fast, speed: 2 TFLOP/s, count: 2}, {name: slow, speed: 1 TFLOP/s, count: 2}]\n"
           "    platform: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 0 ns}]}\n"
        + more;
}

struct Read {
    YamlDocument document;
    PlaceFile file;
    ClusterSimulation simulation;
};

Read readOf(const std::string& text)
{
    YamlDocument document = documentOf(text);
    auto file = readPlaceFile(document);
    if (!file)
        qFatal("%s", file.error().text().c_str());
    PlaceFile read = std::move(file).value();
    auto simulation = ClusterSimulation::create(*read.platform, "place.yaml", read.problem.cluster, {});
    if (!simulation)
        qFatal("%s", simulation.error().text().c_str());
    return {std::move(document), std::move(read), std::move(simulation).value()};
}

} // namespace

class TstClusterSimulation : public QObject {
    Q_OBJECT

private slots:
    void collectivesTakeTheTimeOfTheirPorts()
    {
        Read read = readOf(fileText());
        UnequalCluster& cluster = read.file.problem.cluster;
        const Status status = read.simulation.timeCollectives(cluster, 1e9, {});
        QVERIFY2(bool(status), status ? "" : status.error().text().c_str());
        // n = 4 MB: each of 4 devices sends 3 parts of 1 MB through a port of 1 GB/s: 3 ms. An all-reduce does that twice.
        const double n = 4e6;
        const auto near = [&](ShareCollective kind, double seconds) { return std::abs(cluster.time(kind).seconds(n) - seconds) < 0.01 * seconds; };
        QVERIFY2(near(ShareCollective::AllGather, 3e-3), qPrintable(QString::number(cluster.time(ShareCollective::AllGather).seconds(n))));
        QVERIFY2(near(ShareCollective::ReduceScatter, 3e-3), qPrintable(QString::number(cluster.time(ShareCollective::ReduceScatter).seconds(n))));
        QVERIFY2(near(ShareCollective::AllReduce, 6e-3), qPrintable(QString::number(cluster.time(ShareCollective::AllReduce).seconds(n))));
        // Of the 1 MB that a device has of the whole it sends three quarters.
        QVERIFY2(near(ShareCollective::AllToAll, 0.75e-3), qPrintable(QString::number(cluster.time(ShareCollective::AllToAll).seconds(n))));
        QVERIFY(cluster.time(ShareCollective::GroupedAllGather).perByte > 0);
    }

    void aProgramWithoutCollectivesTakesItsSlowestDevice()
    {
        // Row and column splits of one op alone: w by columns, x whole. 9e9 FLOP by 1/3, 1/3, 1/6, 1/6: 33 or 34 of 100 columns on 2 TFLOP/s, 16 or 17 on 1 TFLOP/s.
        Read read = readOf(fileText("  ratios: proportional\n  fixed: {w: {gather: 1}}\n"));
        QVERIFY(bool(read.simulation.timeCollectives(read.file.problem.cluster, 1e6, {})));
        const auto placement = place(read.file.problem, SearchMethod::Bound);
        QVERIFY(bool(placement));
        QVERIFY(std::abs(placement.value().cost - 1.5e-3) < 1e-12);
        const auto time = read.simulation.run(read.file.problem, placement.value().program, placement.value().ratios, placement.value().cost, {});
        QVERIFY2(bool(time), time ? "" : time.error().text().c_str());
        // The largest part in whole columns: 17 of 100 on a slow device.
        QCOMPARE(time.value().ns, std::int64_t{1'530'000}); // 9e9 FLOP x 17/100 / 1e12
    }

    void aDataParallelStepReducesItsGradientBehindTheBackwardPass()
    {
        // 1000 samples by 1/3, 1/3, 1/6, 1/6: 334 on the first fast device, 167 on a slow one: 9e9 FLOP * 0.167 / 1e12, then the loss alone is left of the
        // backward pass, which runs before y's; the gradient of 40,000 B is last: 2 * 3 / 4 * 40 us.
        Read read = readOf(fileText("  ratios: proportional\n  fixed: {w: identity, x: {gather: 0}, y: {gather: 0}}\n  rules: {sufficient_factor: false}\n"));
        QVERIFY(bool(read.simulation.timeCollectives(read.file.problem.cluster, 1e6, {})));
        const auto placement = place(read.file.problem, SearchMethod::Bound);
        QVERIFY(bool(placement));
        const auto time = read.simulation.run(read.file.problem, placement.value().program, placement.value().ratios, placement.value().cost, {});
        QVERIFY2(bool(time), time ? "" : time.error().text().c_str());
        const double seconds = 9e9 * 0.167 / 1e12 + 60e-6;
        QVERIFY2(std::abs(static_cast<double>(time.value().ns) * 1e-9 - seconds) < 0.01 * seconds, qPrintable(QString::number(time.value().ns)));
        QVERIFY(std::abs(placement.value().cost - (1.5e-3 + 60e-6)) < 0.02 * seconds);
    }

    void aPlatformThatIsRefusedSaysSoAtItsPlace()
    {
        UnequalCluster cluster;
        cluster.types.push_back({"a", 1e12, 4, 0});
        const auto placeOf = [&](const char* platform) {
            const YamlDocument document = documentOf(platform);
            const auto simulation = ClusterSimulation::create(document.root().entries.front().value, "place.yaml", cluster, {});
            return simulation ? std::string() : simulation.error().place.text();
        };
        QCOMPARE(placeOf("platform:\n  dimensions:\n    - {shape: sphere, size: 4}\n"), std::string("place.yaml:3:15, place.cluster.platform.dimensions[0].shape"));
        QCOMPARE(placeOf("platform: {dimensions: [{shape: switch, size: 4, sighs: 1}]}\n"), std::string("place.yaml:1:50, place.cluster.platform.dimensions[0].sighs"));
        QCOMPARE(placeOf("platform: {dimensions: [{shape: switch, size: 5, bandwidth: 1 GB/s, latency: 0 ns}]}\n"), std::string("place.yaml:1:11, place.cluster.platform"));
    }

    void aThousandDevicesAndMoreAreNotTimed()
    {
        UnequalCluster cluster;
        cluster.types.push_back({"a", 1e12, 2000, 0});
        const YamlDocument document = documentOf("platform: {dimensions: [{shape: switch, size: 2000, bandwidth: 1 GB/s, latency: 0 ns}]}\n");
        const auto simulation = ClusterSimulation::create(document.root().entries.front().value, "place.yaml", cluster, {});
        QVERIFY(!simulation);
        QVERIFY(simulation.error().code == ErrorCode::Unsupported);
    }
};

FABRICSCOPE_TEST(TstClusterSimulation)
#include "tst_cluster_simulation.moc"
