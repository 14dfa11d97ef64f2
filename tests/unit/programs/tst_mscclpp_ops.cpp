// Every operation of an execution plan of MSCCL++, in plans written by hand: what is where in the end is worked out beside them, or is the contract of the
// collective they name, and the programs are executed by support/programrun, which knows no reader and no verifier.
#include "tests/unit/programs/mscclppplans.h"
#include "core/base/index.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class TestMscclppOps : public QObject {
    Q_OBJECT

private slots:
    void getBringsWhatAnotherRankHas();
    void readsAskAndAreAnswered();
    void readReduceSumsWhatOthersHave();
    void readReduceSendHandsTheSumOn();
    void packetsAreWaitedForWhereTheyAreRead();
    void packetsAreReducedKeptAndSent();
    void packetsOfTheRankItselfAreWaitedForToo();
    void packetsMayBePassedOn();
    void switchesLoadStoreAndDoBoth();
    void switchesStorePackets();
    void switchChannelsSignalAllMembers();
    void sendReceiveIsAnExchange();
    void notesSayWhatIsAssumed();
    void brokenPlansAreNamed_data();
    void brokenPlansAreNamed();
    void plansBrokenAtRandomAreRefusedOrRead();
    void plansOfTheFuzzerDoWhatTheirCollectiveAsks();
};

void TestMscclppOps::getBringsWhatAnotherRankHas()
{
    PlanText plan = mesh(3, "allgather", 1, 3, 0, {"i"});
    for (int rank = 0; rank < 3; ++rank) {
        const std::vector<int>& others = plan.ranks[at(rank)].memory;
        plan.ranks[at(rank)].blocks
            = {{data("copy", {here("i", 0)}, {here("o", rank)}), data("get", {there(0, 0), there(1, 0)}, {here("o", others[0]), here("o", others[1])}, "memory")}};
    }
    QCOMPARE(objection(plan), QString());
}

void TestMscclppOps::readsAskAndAreAnswered()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 0, {"i"});
    plan.ranks[0].blocks = {{data("get", {there(0, 0)}, {here("o", 1)}, "memory")}};
    const ExplicitBody body = read(plan)->asExplicit();
    // Rank 0: request and what comes; rank 1: on a lane of its own, the request and the answer, of its input.
    QCOMPARE(body.kind, (std::vector<OpKind>{OpKind::Signal, OpKind::Receive, OpKind::Wait, OpKind::Send}));
    QCOMPARE(body.peer, (std::vector<std::int32_t>{1, 1, 0, 0}));
    QCOMPARE(body.lane, (std::vector<std::int32_t>{0, 0, 0, 0}));
    QCOMPARE(body.targetBuffer[1], BufferKind::Output);
    QCOMPARE(body.targetOffset[1], 1);
    QCOMPARE(body.sourceBuffer[3], BufferKind::Input);
    QCOMPARE(body.sourceOffset[3], 0);
    QCOMPARE(body.rankBegin, (std::vector<std::uint32_t>{0, 2, 4}));
}

void TestMscclppOps::readReduceSumsWhatOthersHave()
{
    for (const bool inPlace : {false, true}) {
        PlanText plan = mesh(3, "reducescatter", 3, 1, 0, {"i"});
        plan.inPlace = inPlace;
        for (int rank = 0; rank < 3; ++rank) {
            // In place the sum must not be made before all have read what stands there: each reads its own chunk alone.
            const Spot target = inPlace ? here("i", rank) : here("o", 0);
            plan.ranks[at(rank)].blocks = {{data("rre", {here("i", rank), there(0, rank), there(1, rank)}, {target}, "memory")}};
        }
        QCOMPARE(objection(plan), QString());
        QCOMPARE(countOf(*read(plan), OpKind::ReceiveReduce), 6);
        QCOMPARE(countOf(*read(plan), OpKind::Copy), 0);
    }
}

void TestMscclppOps::readReduceSendHandsTheSumOn()
{
    PlanText plan = mesh(2, "allreduce", 2, 2, 0, {"i", "o"});
    for (int rank = 0; rank < 2; ++rank) // Remote buffers: 0 the input, 1 the output of the other.
        plan.ranks[at(rank)].blocks = {{data("rres", {here("i", rank), there(0, rank)}, {here("o", rank), there(1, rank)}, "memory"), message("signal", {0}), message("wait", {0})}};
    QCOMPARE(objection(plan), QString());
}

void TestMscclppOps::packetsAreWaitedForWhereTheyAreRead()
{
    QCOMPARE(objection(packetExchange("memory")), QString());
    QCOMPARE(objection(packetExchange("port")), QString());
    const ProgramPtr program = read(packetExchange("memory"));
    QVERIFY(program->protocol == WireProtocol::LL);
    const ExplicitBody& body = program->asExplicit();
    // Of each rank: what the packets are received by, on lane 1; copy, send, and the copy from the packets, which waits for the first.
    QCOMPARE(body.kind, (std::vector<OpKind>{OpKind::Receive, OpKind::Copy, OpKind::Send, OpKind::Copy, OpKind::Receive, OpKind::Copy, OpKind::Send, OpKind::Copy}));
    QCOMPARE(body.lane, (std::vector<std::int32_t>{1, 0, 0, 0, 1, 0, 0, 0}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{0, 4}));
    QCOMPARE(body.targetOffset[0], 1); // Rank 1 writes chunk 1 of the scratch memory of rank 0.
}

void TestMscclppOps::packetsAreReducedKeptAndSent()
{
    // All-reduce of two chunks: each rank sends the other's chunk as packets, sums its own, and hands the sum on as packets.
    for (const char* name : {"respkt", "recspkt"}) {
        const bool keeps = std::string(name) == "recspkt";
        PlanText plan = mesh(2, "allreduce", 2, 2, 6, {"s"});
        plan.protocol = "LL";
        for (int rank = 0; rank < 2; ++rank) {
            const int other = 1 - rank;
            std::vector<Spot> targets{here("o", rank)};
            if (keeps)
                targets.push_back(here("s", 4 + rank));
            targets.push_back(there(0, 2 + rank));
            plan.ranks[at(rank)].blocks = {{data("ppkt", {here("i", other)}, {there(0, rank)}, "memory"),
                data(name, {here("i", rank), here("s", other)}, targets, "memory"), data("upkt", {here("s", 2 + other)}, {here("o", other)})}};
        }
        QCOMPARE(objection(plan), QString());
        for (std::int32_t rank = 0; rank < 2; ++rank)
            QCOMPARE(cell(runProgram(*read(plan), 1, false), rank, BufferKind::Scratch, 4 + rank), keeps ? of({{0, rank}, {1, rank}}) : kNothing);
    }
    // The same without sending on: the sums stay where they are made.
    for (const char* name : {"repkt", "recpkt"}) {
        PlanText plan = mesh(2, "reducescatter", 2, 1, 4, {"s"});
        plan.protocol = "LL";
        for (int rank = 0; rank < 2; ++rank) {
            std::vector<Spot> targets{here("o", 0)};
            if (std::string(name) == "recpkt")
                targets.push_back(here("s", 3));
            plan.ranks[at(rank)].blocks = {{data("ppkt", {here("i", 1 - rank)}, {there(0, rank)}, "memory"), data(name, {here("i", rank), here("s", 1 - rank)}, targets)}};
        }
        QCOMPARE(objection(plan), QString());
    }
}

void TestMscclppOps::packetsOfTheRankItselfAreWaitedForToo()
{
    PlanText plan = mesh(2, "allgather", 1, 2, 1, {});
    plan.protocol = "LL";
    // Thread block 0 reads what thread block 1 packs behind another copy.
    plan.ranks[0].blocks = {{data("upkt", {here("s", 0)}, {here("o", 0)})}, {data("copy", {here("i", 0)}, {here("o", 1)}), data("cpkt", {here("i", 0)}, {here("s", 0)})}};
    const ProgramPtr program = read(plan);
    const ExplicitBody& body = program->asExplicit();
    QCOMPARE(body.lane, (std::vector<std::int32_t>{1, 1, 0}));
    QCOMPARE(body.depends, (std::vector<std::uint32_t>{1}));
    for (std::uint32_t seed = 0; seed < 8; ++seed)
        QCOMPARE(cell(runProgram(*program, seed, false), 0, BufferKind::Output, 0), of({{0, 0}}));
    // What plans of early 2025 called the way out of the packets.
    plan.ranks[0].blocks[0][0].value["name"] = "cpkt";
    plan.ranks[0].blocks[1][1].value["name"] = "tpkt";
    QVERIFY(read(plan)->asExplicit() == body);
}

void TestMscclppOps::packetsMayBePassedOn()
{
    // A ring of three: each passes on what came, as packets.
    PlanText plan = mesh(3, "allgather", 1, 3, 3, {"s"});
    plan.protocol = "LL";
    for (int rank = 0; rank < 3; ++rank) {
        const int next = (rank + 1) % 3;
        const int before = (rank + 2) % 3;
        const int buffer = next > rank ? next - 1 : next; // Of the next rank.
        plan.ranks[at(rank)].blocks = {{data("copy", {here("i", 0)}, {here("o", rank)}), data("cpkt", {here("i", 0)}, {here("s", rank)}),
                                                                 data("rppkt", {here("s", rank)}, {there(buffer, rank)}, "memory"), data("rppkt", {here("s", before)}, {there(buffer, before)}, "memory")},
            {data("upkt", {here("s", before)}, {here("o", before)}), data("upkt", {here("s", next)}, {here("o", next)})}};
    }
    QCOMPARE(objection(plan), QString());
}

void TestMscclppOps::switchesLoadStoreAndDoBoth()
{
    const std::vector<int> all = upTo(3);
    // glres: each sums its chunk and stores it to all. glre and gstore: the same in two.
    for (const bool both : {true, false}) {
        PlanText plan = mesh(3, "allreduce", 3, 3, 1, {});
        for (int rank = 0; rank < 3; ++rank) {
            PlanText::Rank& own = plan.ranks[at(rank)];
            own.switches = {{"i", all}, {"o", all}};
            std::vector<Op> ops;
            if (both)
                ops = {data("glres", {team(0, rank)}, {team(1, rank)}, "switch")};
            else
                ops = {data("glre", {team(0, rank)}, {here("s", 0)}, "switch"), data("gstore", {here("s", 0)}, {team(1, rank)}, "switch")};
            ops.push_back(message("signal", upTo(2)));
            ops.push_back(message("wait", upTo(2)));
            own.blocks = {ops};
        }
        QCOMPARE(objection(plan), QString());
        // The way the language wrote the two in 2025.
        if (both)
            continue;
        const ProgramPtr known = read(plan);
        for (int rank = 0; rank < 3; ++rank) {
            std::vector<Op>& ops = plan.ranks[at(rank)].blocks[0];
            const json chunk = {{"rank", rank}, {"type", "s"}, {"index", 0}, {"size", 1}};
            ops[0].value = {{"name", "glre"}, {"buffer_type", "i"}, {"buffer_offset", rank}, {"size", 1}, {"dst_chunk", chunk}, {"channel_ids", {0}}, {"channel_type", "switch"}, {"reduce_op", "sum"}};
            ops[1].value = {{"name", "gstore"}, {"src_chunk", chunk}, {"buffer_type", "o"}, {"buffer_offset", rank}, {"size", 1}, {"channel_ids", {1}}, {"channel_type", "switch"}};
        }
        QVERIFY(read(plan)->asExplicit() == known->asExplicit());
        // And the keys of its channels in early 2025.
        json early = plan.document();
        for (json& gpu : early["gpus"]) {
            for (json& channel : gpu["channels"]) {
                channel["type"] = channel["channel_type"];
                channel.erase("channel_type");
                if (channel.contains("buffer_type"))
                    channel["buff"] = channel["buffer_type"];
                channel.erase("buffer_type");
            }
        }
        const auto again = parseMscclppPlan(early.dump(), "early.json");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QVERIFY(again.value()->asExplicit() == known->asExplicit());
    }
}

void TestMscclppOps::switchesStorePackets()
{
    PlanText plan = mesh(3, "allgather", 1, 3, 3, {});
    plan.protocol = "LL";
    for (int rank = 0; rank < 3; ++rank) {
        PlanText::Rank& own = plan.ranks[at(rank)];
        own.switches = {{"s", upTo(3)}};
        own.blocks = {{data("cpkt", {here("i", 0)}, {here("s", rank)}), data("gstorepkt", {here("s", rank)}, {team(0, rank)}, "switch")}, {}};
        for (int from = 0; from < 3; ++from)
            own.blocks[1].push_back(data("upkt", {here("s", from)}, {here("o", from)}));
    }
    QCOMPARE(objection(plan), QString());
}

void TestMscclppOps::switchChannelsSignalAllMembers()
{
    PlanText plan = mesh(3, "allgather", 1, 3, 0, {});
    for (int rank = 0; rank < 3; ++rank) {
        PlanText::Rank& own = plan.ranks[at(rank)];
        own.switches = {{"o", upTo(3)}};
        own.blocks = {{data("gstore", {here("i", 0)}, {team(0, rank)}, "switch"), message("signal", {0}, "switch"), message("rlxwait", {0}, "switch")}};
    }
    QCOMPARE(objection(plan), QString());
    const ProgramPtr program = read(plan);
    QCOMPARE(countOf(*program, OpKind::Signal), 6);
    QCOMPARE(countOf(*program, OpKind::Wait), 6);
}

void TestMscclppOps::sendReceiveIsAnExchange()
{
    PlanText plan = mesh(2, "sendrecv", 1, 1, 0, {"o"});
    for (int rank = 0; rank < 2; ++rank) {
        const Op put = on({0}, data("pws", {here("i", 0)}, {there(0, 0)}, "port"));
        plan.ranks[at(rank)].blocks = {{put, message("wait", {0}, "port")}};
    }
    const ProgramPtr program = read(plan);
    for (std::int32_t rank = 0; rank < 2; ++rank)
        QCOMPARE(cell(runProgram(*program, 3, false), rank, BufferKind::Output, 0), of({{1 - rank, 0}}));
    const Verification verified = verify(*program);
    QVERIFY(verified.valid && verified.postcondition == Postcondition::Holds);
    // One that writes nothing does not.
    plan.ranks[1].blocks[0][0] = message("signal", {0}, "port");
    QVERIFY(verify(*read(plan)).postcondition == Postcondition::Fails);
}

void TestMscclppOps::notesSayWhatIsAssumed()
{
    const auto rules = [](const PlanText& plan) {
        Diagnostics notes;
        if (!parsed(plan, &notes))
            return std::string("refused");
        std::string out;
        for (const Diagnostic& note : notes)
            out += note.rule + ' ';
        return out;
    };
    QCOMPARE(rules(packetExchange("memory")), std::string("mscclpp-packets "));
    PlanText reads = mesh(2, "allgather", 1, 2, 0, {"i"});
    reads.ranks[0].blocks = {{data("get", {there(0, 0)}, {here("o", 1)}, "memory")}};
    QCOMPARE(rules(reads), std::string("mscclpp-reads "));
    reads.ranks[0].blocks = {{PlanText::pipeline({}, 4096)}};
    QCOMPARE(rules(reads), std::string("mscclpp-pipeline "));
    json odd = mesh(2, "allgather", 1, 2, 0, {}).document();
    odd["colour"] = "blue";
    Diagnostics notes;
    QVERIFY(parseMscclppPlan(odd.dump(), "plan.json", &notes));
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY(notes[0].message.find("colour") != std::string::npos);
}

void TestMscclppOps::brokenPlansAreNamed_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* field, const char* word) { QTest::newRow(name) << pointer << value << field << word; };
    const char* const put = "gpus[0].threadblocks[0].ops[1]";
    row("a channel that is not there", "/gpus/0/threadblocks/0/ops/3/channel_ids", "[1]", "gpus[0].threadblocks[0].ops[3].channel_ids", "no memory channel 1");
    row("a buffer that is not there", "/gpus/0/threadblocks/0/ops/1/dst_buff/0/buffer_id", "1", "gpus[0].threadblocks[0].ops[1].dst_buff[0].buffer_id", "no remote buffer 1");
    row("beyond the input", "/gpus/0/threadblocks/0/ops/1/src_buff/0/index", "1", "gpus[0].threadblocks[0].ops[1].src_buff[0]", "that has 1");
    row("beyond the scratch of another", "/gpus/0/threadblocks/0/ops/1/dst_buff/0/index", "2", "gpus[0].threadblocks[0].ops[1].dst_buff[0]", "of rank 1 that has 2");
    row("packets to an output", "/gpus/0/remote_buffers/0/type", "\"o\"", put, "packets outside the scratch memory");
    row("packets nobody writes", "/gpus/1/threadblocks/0/ops/1/dst_buff/0/index", "0", "gpus[0].threadblocks[0].ops[2]", "nobody writes");
    row("unequal sizes", "/gpus/0/threadblocks/0/ops/1/dst_buff/0/size", "2", put, "different sizes");
    row("a key of an operation", "/gpus/0/threadblocks/0/ops/1/repeat", "2", "gpus[0].threadblocks[0].ops[1].repeat", "not known");
    row("a key of a place", "/gpus/0/threadblocks/0/ops/1/src_buff/0/offset", "256", "gpus[0].threadblocks[0].ops[1].src_buff[0].offset", "not known");
    row("a place without its chunk", "/gpus/0/threadblocks/0/ops/1/src_buff/0", "{\"type\": \"i\", \"size\": 1}", "gpus[0].threadblocks[0].ops[1].src_buff[0].index", "missing");
    row("a barrier for nobody knows how many", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"barrier\", \"barrier_id\": 0}", "gpus[0].threadblocks[0].ops[3].num_threadblocks", "missing");
    row("a share of nobody knows what", "/gpus/0/threadblocks/0/ops/1/tbg_info", "{\"id\": 0, \"size\": 2}", "gpus[0].threadblocks[0].ops[1].tbg_info.tbg_size", "missing");
    row("a template", "/gpus/0/input_chunks", "\"${IN}\"", "gpus[0].input_chunks", "template");
    row("a dynamic plan", "/dynamic", "true", "dynamic", "template");
    row("an old plan", "/gpus/1/inputChunks", "1", "gpus[1].inputChunks", "before 2025");
    row("chunks that do not fit", "/gpus/1/output_chunks", "1", "gpus[1].output_chunks", "do not fit");
    row("its own memory", "/gpus/0/remote_buffers/0/rank", "0", "gpus[0].remote_buffers[0].rank", "another rank");
    row("a share of nothing", "/gpus/0/threadblocks/0/ops/1/tbg_info", "{\"tb_id\": 2, \"tbg_size\": 2}", "gpus[0].threadblocks[0].ops[1].tbg_info.tb_id", "out of range");
    row("no such semaphore", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"sem_acquire\", \"semaphore_ids\": [1]}", "gpus[0].threadblocks[0].ops[3].semaphore_ids[0]", "out of range");
    row("a semaphore nobody releases", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"sem_acquire\", \"semaphore_ids\": [0]}", "gpus[0].threadblocks[0].ops[3]", "waits for ever");
    row("a barrier nobody comes to", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"barrier\", \"barrier_id\": 0, \"num_threadblocks\": 2}", "gpus[0].threadblocks[0].ops[3]", "1 stands there");
    row("packets behind their reader", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"upkt\", \"src_buff\": [{\"type\": \"s\", \"index\": 0, \"size\": 1}], \"dst_buff\": [{\"type\": \"o\", \"index\": 0, \"size\": 1}]}",
        "gpus[0].threadblocks[0].ops[3]", "nobody writes");
    row("a pipeline in a pipeline", "/gpus/0/threadblocks/0/ops/3",
        "{\"name\": \"pipeline\", \"iter_context\": {\"unit_size\": 1, \"num_chunks\": 1}, \"ops\": [{\"name\": \"pipeline\", \"ops\": []}]}", "gpus[0].threadblocks[0].ops[3].ops[0]", "inside a pipeline");
    row("no channel to signal on", "/gpus/0/threadblocks/0/ops/3", "{\"name\": \"signal\", \"channel_type\": \"memory\"}", "gpus[0].threadblocks[0].ops[3].channel_ids", "no channel");
    row("a reduction of its own", "/gpus/0/threadblocks/0/ops/3",
        "{\"name\": \"re\", \"reduce_op\": \"mean\", \"src_buff\": [{\"type\": \"i\", \"index\": 0, \"size\": 1}], \"dst_buff\": [{\"type\": \"o\", \"index\": 0, \"size\": 1}]}", "gpus[0].threadblocks[0].ops[3].reduce_op", "no reduction");
}

void TestMscclppOps::brokenPlansAreNamed()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    PlanText plan = packetExchange("memory");
    plan.ranks[0].semaphores = {0};
    for (int rank = 0; rank < 2; ++rank)
        plan.ranks[at(rank)].blocks[0].push_back(message("signal", {0}));
    json document = plan.document();
    QVERIFY(parseMscclppPlan(document.dump(), "plan.json"));
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const auto program = parseMscclppPlan(document.dump(), "plan.json");
    QVERIFY(!program);
    QCOMPARE(program.error().place.file, std::string("plan.json"));
    QTEST(QString::fromStdString(program.error().place.field), "field");
    QFETCH(QString, word);
    QVERIFY2(program.error().message.find(word.toStdString()) != std::string::npos, program.error().text().c_str());
}

void TestMscclppOps::plansBrokenAtRandomAreRefusedOrRead()
{
    // Plans with a bit of everything, in which numbers are changed, entries left out and parts swapped.
    PlanText plan = packetExchange("memory");
    plan.ranks[0].semaphores = {0, 1};
    plan.ranks[0].switches = {{"s", {0, 1}}};
    plan.ranks[1].switches = {{"s", {0, 1}}};
    plan.ranks[0].blocks.push_back({PlanText::semaphore("sem_acquire", {1, 0}), PlanText::shared(data("rre", {here("i", 0), there(0, 1)}, {here("o", 1)}, "memory"), 1, 2), PlanText::barrier(0, 2),
        PlanText::pipeline({message("signal", {0}), message("wait", {0}, "switch")}, 64)});
    plan.ranks[0].blocks.push_back({PlanText::semaphore("sem_release", {0}), PlanText::barrier(0, 2), data("glres", {team(0, 0)}, {team(0, 0)}, "switch")});
    plan.ranks[1].blocks.push_back({message("wait", {0}), message("rlxsignal", {0}, "switch"), data("get", {there(0, 1)}, {here("s", 0)}, "memory")});
    const json document = plan.document();
    QVERIFY(parseMscclppPlan(document.dump(), "plan.json"));
    std::vector<json::json_pointer> places;
    const std::function<void(const json&, const json::json_pointer&)> gather = [&](const json& value, const json::json_pointer& at) {
        places.push_back(at);
        if (value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i)
                gather(value[i], at / i);
        } else if (value.is_object()) {
            for (const auto& item : value.items())
                gather(item.value(), at / item.key());
        }
    };
    gather(document, json::json_pointer());
    std::mt19937 random(seeded(11));
    int readable = 0;
    for (int round = 0; round < cases(1000); ++round) {
        json broken = document;
        for (unsigned change = 0; change <= random() % 2; ++change) {
            const json::json_pointer at = places[1 + random() % (places.size() - 1)];
            if (!broken.contains(at))
                continue;
            json& value = broken[at];
            switch (random() % 4) {
            case 0:
                if (value.is_number())
                    value = static_cast<int>(random() % 5) - 1;
                else
                    value = static_cast<int>(random() % 3);
                break;
            case 1:
                broken.at(at.parent_pointer()).is_array() ? broken[at.parent_pointer()].erase(static_cast<std::size_t>(std::stoul(at.back())))
                                                           : static_cast<void>(broken[at.parent_pointer()].erase(at.back()));
                break;
            case 2:
                if (const json::json_pointer other = places[random() % places.size()]; broken.contains(other))
                    value = json(broken[other]);
                break;
            default:
                if (value.is_array() && !value.empty())
                    value.push_back(json(value.front()));
            }
        }
        const auto program = parseMscclppPlan(broken.dump(), "plan.json");
        if (!program) {
            QVERIFY(!program.error().message.empty());
            continue;
        }
        ++readable;
        static_cast<void>(verify(*program.value()));
        static_cast<void>(toTwoSided(program.value()));
    }
    QVERIFY2(readable > cases(50), qPrintable(QString::number(readable)));
}

void TestMscclppOps::plansOfTheFuzzerDoWhatTheirCollectiveAsks()
{
    // All-to-all over scratch memory with semaphores in pipelines, by reads; all-reduce over two levels in packets by shared thread blocks, by reads
    // and puts; all-gathers by a switch, in packets and between signals of the switch; an exchange over ports.
    int plans = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(FABRICSCOPE_SOURCE_DIR) + "/tests/fuzz/corpus/programjson")) {
        if (!entry.path().filename().string().starts_with("plan-"))
            continue;
        const auto text = readTextFile(entry.path().string());
        QVERIFY(text);
        const auto program = parseMscclppPlan(text.value(), entry.path().filename().string());
        QVERIFY2(program, program ? "" : program.error().text().c_str());
        const Verification verified = verify(*program.value());
        QVERIFY2(verified.valid && verified.postcondition == Postcondition::Holds, entry.path().filename().c_str());
        const bool inPlace = program.value()->inPlace;
        const ProgramRun run = runProgram(*program.value(), 5, inPlace);
        QVERIFY2(run.finished && run.fault.empty(), run.fault.c_str());
        QVERIFY(program.value()->op == CollectiveOp::Custom || meetsContract(*program.value(), run.memory, inPlace));
        ++plans;
    }
    QVERIFY(plans >= 7);
}

FABRICSCOPE_TEST(TestMscclppOps)
#include "tst_mscclpp_ops.moc"
