// Collective programs between their files on the command line, and a converted algorithm under ASTRA-sim's semantics.
#include "tests/unit/support/canonical.h"
#include "core/programio/mscclxml.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const char* const kPlan = R"({"name": "p", "collective": "broadcast", "protocol": "Simple", "inplace": false, "gpus": [
 {"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "threadblocks": [{"id": 0, "ops": [
  {"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}], "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_ids": [0], "channel_type": "memory"},
  {"name": "signal", "channel_ids": [0], "channel_type": "memory"}],
  "channels": [{"channel_type": "memory", "channel_ids": [0]}], "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
  "channels": [{"channel_type": "memory", "connected_to": [1]}], "remote_buffers": [{"rank": 1, "type": "o", "access_channel_types": ["memory"]}]},
 {"id": 1, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "threadblocks": [{"id": 0, "ops": [{"name": "wait", "channel_ids": [0], "channel_type": "memory"}],
  "channels": [{"channel_type": "memory", "channel_ids": [0]}]}], "channels": [{"channel_type": "memory", "connected_to": [0]}], "remote_buffers": []}]})";

Digest digestOfXml(const QString& path)
{
    const auto file = readMsccl(path.toStdString());
    return file && file.value().program ? canonicalDigest(*file.value().program) : Digest{};
}

void write(const QString& path, const char* text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        qFatal("not writable");
    file.write(text);
}

} // namespace

class TestCliConvertPrograms : public QObject {
    Q_OBJECT

private slots:
    void everyFormLeadsBack();
    void plansBecomeXml();
    void aConvertedRingRunsAsACustomCollective();
    void instancesHaveChannelsOfTheirOwn();
    void badRequestsSayWhatIsExpected();
};

void TestCliConvertPrograms::everyFormLeadsBack()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    QTemporaryDir folder;
    const QString xml = QString::fromStdString(shared) + QStringLiteral("/corpus/msccl_xml/alltoall_two_step_2x4.xml");
    const auto convert = [&](const QStringList& arguments) { return runCli(QStringList{QStringLiteral("convert")} + arguments, folder.path()); };

    QCOMPARE(convert({xml, QStringLiteral("a.json")}).exit, 0);
    QCOMPARE(convert({QStringLiteral("a.json"), QStringLiteral("graph"), QStringLiteral("--to"), QStringLiteral("et"), QStringLiteral("--size"), QStringLiteral("64MiB")}).exit, 0);
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("graph.7.et"))));
    const CliResult last = convert({QStringLiteral("graph"), QStringLiteral("b.xml")});
    QCOMPARE(last.exit, 0);
    QVERIFY(last.out.isEmpty());
    QVERIFY(digestOfXml(xml) == digestOfXml(folder.filePath(QStringLiteral("b.xml"))));
}

void TestCliConvertPrograms::plansBecomeXml()
{
    QTemporaryDir folder;
    write(folder.filePath(QStringLiteral("plan.json")), kPlan);
    const CliResult result = runCli({QStringLiteral("convert"), QStringLiteral("plan.json"), QStringLiteral("a.xml")}, folder.path());
    QCOMPARE(result.exit, 0);
    const auto file = readMsccl(folder.filePath(QStringLiteral("a.xml")).toStdString());
    QVERIFY(file && file.value().valid());
    QCOMPARE(file.value().program->asExplicit().kind, (std::vector<OpKind>{OpKind::Send, OpKind::Receive}));
}

/// The shipped example of ASTRA-sim from its XML. Its own graphs took 14 messages of 2941 ns and 7 sums of 7 us; ours have sums of 1 ns.
void TestCliConvertPrograms::aConvertedRingRunsAsACustomCollective()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    QTemporaryDir folder;
    const QDir source(QString::fromStdString(shared) + QStringLiteral("/corpus/chakra/custom_ring_allreduce_8"));
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("algorithm")));
    QVERIFY(QFile::copy(source.filePath(QStringLiteral("system_custom.json")), folder.filePath(QStringLiteral("system.json"))));
    QCOMPARE(runCli({QStringLiteral("convert"), source.filePath(QStringLiteral("custom_allreduce.xml")), folder.filePath(QStringLiteral("algorithm/custom_allreduce")), QStringLiteral("--to"),
                 QStringLiteral("et"), QStringLiteral("--size"), QStringLiteral("1MiB")}).exit, 0);
    for (const char* model : {"astra-unaware", "astra-aware"}) {
        const CliResult run = runCli({QStringLiteral("simulate"), QStringLiteral("--network"), source.filePath(QStringLiteral("network_astra.yml")), QStringLiteral("--system"),
            folder.filePath(QStringLiteral("system.json")), QStringLiteral("--workload"), source.filePath(QStringLiteral("workload")), QStringLiteral("--model"), QString::fromUtf8(model),
            QStringLiteral("--json")});
        QVERIFY2(run.exit == 0, run.err.constData());
        QCOMPARE(nlohmann::json::parse(run.out.toStdString())["result"]["finish_ns"].get<int>(), 14 * 2941 + 7 * 1);
    }
}

void TestCliConvertPrograms::instancesHaveChannelsOfTheirOwn()
{
    QTemporaryDir folder;
    write(folder.filePath(QStringLiteral("plan.json")), kPlan);
    const auto convert = [&](const QStringList& arguments) { return runCli(QStringList{QStringLiteral("convert"), QStringLiteral("plan.json")} + arguments, folder.path()); };
    QCOMPARE(convert({QStringLiteral("one.xml")}).exit, 0);
    QCOMPARE(convert({QStringLiteral("three.xml"), QStringLiteral("--instances"), QStringLiteral("3"), QStringLiteral("--fuse")}).exit, 0);
    const auto one = readMsccl(folder.filePath(QStringLiteral("one.xml")).toStdString());
    const auto three = readMsccl(folder.filePath(QStringLiteral("three.xml")).toStdString());
    QVERIFY(one && three && three.value().valid());
    QCOMPARE(three.value().program->chunks, 3 * one.value().program->chunks);
    QCOMPARE(three.value().program->asExplicit().size(), 3 * one.value().program->asExplicit().size());
    QCOMPARE(std::set<std::int32_t>(three.value().program->asExplicit().connection.begin(), three.value().program->asExplicit().connection.end()).size(), std::size_t{3});
    for (const char* wrong : {"0", "33"}) {
        const CliResult refused = convert({QStringLiteral("no.xml"), QStringLiteral("--instances"), QString::fromUtf8(wrong)});
        QCOMPARE(refused.exit, 2);
        QVERIFY(refused.err.contains("1 to 32"));
    }
}

void TestCliConvertPrograms::badRequestsSayWhatIsExpected()
{
    QTemporaryDir folder;
    write(folder.filePath(QStringLiteral("plan.json")), kPlan);
    write(folder.filePath(QStringLiteral("bad.xml")), "<algo name=\"a\"/>");
    const auto convert = [&](const QStringList& arguments) { return runCli(QStringList{QStringLiteral("convert")} + arguments, folder.path()); };
    QCOMPARE(convert({QStringLiteral("plan.json"), QStringLiteral("a.txt")}).exit, 2);
    QCOMPARE(convert({QStringLiteral("plan.json"), QStringLiteral("a"), QStringLiteral("--to"), QStringLiteral("et"), QStringLiteral("--size"), QStringLiteral("64")}).exit, 2);
    const CliResult bad = convert({QStringLiteral("bad.xml"), QStringLiteral("a.json")});
    QCOMPARE(bad.exit, 2);
    QVERIFY(bad.err.contains("bad.xml:1"));
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("a.json"))));
    QCOMPARE(convert({QStringLiteral("plan.json"), QStringLiteral("/nonexistent/a.xml")}).exit, 5);
}

FABRICSCOPE_TEST(TestCliConvertPrograms)
#include "tst_cli_convert_programs.moc"
