// Execution plans of MSCCL++, written by hand in the form its documents describe, as programs that are then executed.
#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

using namespace fabricscope;
using namespace fabricscope::test;
using nlohmann::json;

namespace {

json plan(const std::string& collective, const std::vector<json>& gpus, bool inPlace = false)
{
    return {{"name", "hand"}, {"collective", collective}, {"protocol", "Simple"}, {"inplace", inPlace}, {"gpus", gpus}, {"num_threads_per_block", 1024}, {"reuse_resources", false},
        {"use_double_scratch_buffer", false}, {"buffer_alignment", 16}, {"min_message_size", 0}, {"max_message_size", 18446744073709551615U}};
}

json local(const char* buffer, int index)
{
    return {{"type", buffer}, {"index", index}, {"size", 1}};
}

json remote(int id, int index)
{
    return {{"buffer_id", id}, {"index", index}, {"size", 1}};
}

json message(const char* name, const std::vector<int>& channels)
{
    return {{"name", name}, {"channel_ids", channels}, {"channel_type", "memory"}};
}

/// Every rank puts its chunk to all others, signals them and waits for them.
json allGather(int ranks, const char* put)
{
    std::vector<json> gpus;
    for (int rank = 0; rank < ranks; ++rank) {
        json targets = json::array();
        json buffers = json::array();
        std::vector<int> peers;
        std::vector<int> ids;
        for (int other = 0; other < ranks; ++other) {
            if (other == rank)
                continue;
            ids.push_back(static_cast<int>(peers.size()));
            targets.push_back(remote(ids.back(), rank));
            buffers.push_back({{"rank", other}, {"type", "o"}, {"access_channel_types", {"memory"}}});
            peers.push_back(other);
        }
        json send = message(put, ids);
        send["src_buff"] = json::array({local("i", 0)}); // Braces alone mean different things to compilers.
        send["dst_buff"] = targets;
        json ops = {{{"name", "copy"}, {"src_buff", {local("i", 0)}}, {"dst_buff", {local("o", rank)}}}, {{"name", "nop"}}, send};
        if (std::string(put) == "put")
            ops.push_back(message("signal", ids));
        ops.push_back(message("wait", ids));
        const json block = {{"id", 0}, {"ops", ops}, {"channels", {{{"channel_type", "memory"}, {"channel_ids", ids}}}}, {"remote_buffer_refs", {{{"access_channel_type", "memory"}, {"remote_buffer_ids", ids}}}}};
        gpus.push_back({{"id", rank}, {"input_chunks", 1}, {"output_chunks", ranks}, {"scratch_chunks", 0}, {"threadblocks", {block}},
            {"channels", {{{"channel_type", "memory"}, {"connected_to", peers}}}}, {"remote_buffers", buffers}, {"semaphores", json::array()}});
    }
    return plan("allgather", gpus);
}

/// All-reduce in a switch: rank r sums chunk r and hands it to all, between two handshakes.
json switched(int ranks)
{
    std::vector<json> gpus;
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank)
        all.push_back(rank);
    for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int> peers;
        std::vector<int> ids;
        for (int other = 0; other < ranks; ++other) {
            if (other != rank) {
                ids.push_back(static_cast<int>(peers.size()));
                peers.push_back(other);
            }
        }
        const json chunk = {{{"switch_channel_id", 0}, {"index", rank}, {"size", 1}}};
        const json ops = {message("rlxsignal", ids), message("rlxwait", ids), {{"name", "glres"}, {"src_buff", chunk}, {"dst_buff", chunk}, {"channel_type", "switch"}, {"reduce_op", "sum"}},
            message("rlxsignal", ids), message("rlxwait", ids)};
        const json block = {{"id", 0}, {"ops", ops}, {"channels", {{{"channel_type", "memory"}, {"channel_ids", ids}}, {{"channel_type", "switch"}, {"channel_ids", {0}}}}}, {"remote_buffer_refs", json::array()}};
        gpus.push_back({{"id", rank}, {"input_chunks", ranks}, {"output_chunks", ranks}, {"scratch_chunks", 0}, {"threadblocks", {block}},
            {"channels", {{{"channel_type", "memory"}, {"connected_to", peers}}, {{"channel_type", "switch"}, {"buffer_type", "i"}, {"rank_groups", {{{"size", ranks}, {"ranks", all}}}}}}},
            {"remote_buffers", json::array()}});
    }
    return plan("allreduce", gpus, true);
}

ProgramPtr read(const json& value)
{
    auto program = parseMscclppPlan(value.dump(), "plan.json");
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return std::move(program).value();
}

} // namespace

class TestMscclpp : public QObject {
    Q_OBJECT

private slots:
    void putsGatherWhatTheyShould();
    void switchesReduceAndMulticast();
    void sumsTakeEverySource();
    void barriersJoinThreadBlocks();
    void brokenPlansAreRefused_data();
    void brokenPlansAreRefused();
};

void TestMscclpp::putsGatherWhatTheyShould()
{
    for (const char* put : {"put", "pws"}) {
        for (int ranks = 2; ranks < 6; ++ranks) {
            const ProgramPtr program = read(allGather(ranks, put));
            QCOMPARE(program->op, CollectiveOp::AllGather);
            QCOMPARE(program->chunks, ranks);
            QCOMPARE(program->outOfPlace, true);
            QCOMPARE(program->maxBytes, std::int64_t{0});
            QVERIFY(isOneSided(*program));
            for (std::uint32_t seed = 0; seed < 5; ++seed) {
                const ProgramRun run = runProgram(*program, seed, false);
                QVERIFY(run.finished && run.fault.empty() && meetsContract(*program, run.memory, false));
                const auto twoSided = toTwoSided(program);
                QVERIFY(twoSided);
                const ProgramRun again = runProgram(*twoSided.value(), seed, false);
                QVERIFY(again.finished && again.fault.empty() && meetsContract(*program, again.memory, false));
            }
        }
    }
}

void TestMscclpp::switchesReduceAndMulticast()
{
    const ProgramPtr program = read(switched(4));
    const ExplicitBody& body = program->asExplicit();
    QCOMPARE(body.teams, (std::vector<std::vector<std::int32_t>>{{0, 1, 2, 3}}));
    QCOMPARE(std::count(body.kind.begin(), body.kind.end(), OpKind::SwitchReduce), std::ptrdiff_t{4});
    QCOMPARE(std::count(body.kind.begin(), body.kind.end(), OpKind::SwitchMulticast), std::ptrdiff_t{4});
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const ProgramRun run = runProgram(*program, seed, true);
        QVERIFY(run.finished && run.fault.empty() && meetsContract(*program, run.memory, true));
    }
}

void TestMscclpp::sumsTakeEverySource()
{
    const auto kinds = [](const json& sources) {
        json value = allGather(2, "put");
        value["collective"] = "allreduce";
        for (auto& gpu : value["gpus"])
            gpu["input_chunks"] = gpu["output_chunks"] = 4;
        value["gpus"][0]["threadblocks"][0]["ops"] = {{{"name", "re"}, {"src_buff", sources}, {"dst_buff", {local("o", 1)}}}};
        value["gpus"][1]["threadblocks"] = json::array();
        return read(value)->asExplicit().kind;
    };
    QCOMPARE(kinds({local("o", 1), local("i", 2), local("i", 3)}), (std::vector<OpKind>{OpKind::Reduce, OpKind::Reduce}));
    QCOMPARE(kinds({local("i", 1), local("i", 2), local("i", 3)}), (std::vector<OpKind>{OpKind::Copy, OpKind::Reduce, OpKind::Reduce}));
    QCOMPARE(kinds({local("i", 2), local("o", 1)}), (std::vector<OpKind>{OpKind::Reduce}));
}

void TestMscclpp::barriersJoinThreadBlocks()
{
    json value = allGather(2, "put");
    const json barrier = {{"name", "barrier"}, {"barrier_id", 0}, {"num_threadblocks", 2}};
    const auto copy = [](int to) { return json{{"name", "copy"}, {"src_buff", {local("i", 0)}}, {"dst_buff", {local("o", to)}}}; };
    value["gpus"][0]["threadblocks"] = {{{"id", 0}, {"ops", {copy(0), barrier, copy(1)}}}, {{"id", 1}, {"ops", {barrier, copy(1)}}}};
    value["gpus"][1]["threadblocks"] = json::array();
    const ExplicitBody body = read(value)->asExplicit();
    // The copy of block 1 behind the barrier waits for the copy of block 0 before it.
    QCOMPARE(body.lane, (std::vector<std::int32_t>{0, 0, 1}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{0}));
    QCOMPARE(body.dependBegin, (std::vector<std::uint32_t>{0, 0, 0, 1}));
    value["gpus"][0]["threadblocks"][1]["ops"] = json::array();
    QVERIFY(!parseMscclppPlan(value.dump(), "plan.json"));
}

void TestMscclpp::brokenPlansAreRefused_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* pointer, const char* value) { QTest::newRow(pointer) << pointer << value; };
    row("/collective", "\"sort\"");
    row("/protocol", "\"fast\"");
    row("/inplace", "1");
    row("/gpus", "[]");
    row("/gpus/0", "3");
    row("/gpus/1/id", "0");
    row("/gpus/0/output_chunks", "3");
    row("/gpus/0/channels/0/channel_type", "\"wire\"");
    row("/gpus/0/channels/0/connected_to/0", "7");
    row("/gpus/0/remote_buffers/0/rank", "9");
    row("/gpus/0/remote_buffers/0/type", "\"x\"");
    row("/gpus/0/threadblocks/0", "0");
    row("/gpus/0/threadblocks/0/id", "-1");
    row("/gpus/0/threadblocks/0/ops/0", "1");
    row("/gpus/0/threadblocks/0/ops/0/name", "\"dance\"");
    row("/gpus/0/threadblocks/0/ops/0/src_buff/0/type", "\"x\"");
    row("/gpus/0/threadblocks/0/ops/0/src_buff/0/index", "-1");
    row("/gpus/0/threadblocks/0/ops/0/dst_buff", "[]");
    row("/gpus/0/threadblocks/0/ops/2/channel_ids", "[0, 1]");
    row("/gpus/0/threadblocks/0/ops/2/dst_buff/0/buffer_id", "5");
    row("/gpus/0/threadblocks/0/ops/3/channel_ids/0", "4");
    row("/gpus/0/threadblocks/0/channels/0/channel_ids/0", "4");
    row("/gpus/0/threadblocks/0/remote_buffer_refs/0/remote_buffer_ids/0", "4");
}

void TestMscclpp::brokenPlansAreRefused()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    json document = allGather(2, "put");
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const auto program = parseMscclppPlan(document.dump(), "plan.json");
    QVERIFY(!program);
    QCOMPARE(program.error().place.file, std::string("plan.json"));
}

FABRICSCOPE_TEST(TestMscclpp)
#include "tst_mscclpp.moc"
