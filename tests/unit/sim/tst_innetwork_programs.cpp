// Programs whose operations are done in a switch: written out they equal the template; teams, scripts, closed forms.
#include "tests/unit/sim/innetworkruns.h"
#include "tests/unit/support/testprogram.h"

using namespace fabricscope;
using namespace fabricscope::test;

class TestInNetworkPrograms : public QObject {
    Q_OBJECT

private slots:
    void messagesNameTheSwitch();
    void writtenOutItIsTheSame_data();
    void writtenOutItIsTheSame();
    void operationsOfTeamsHaveTheirClosedForms();
    void teamsWithoutTheirSwitchAreRefused();
    void aScriptRunsInTheSwitchOfADesign();
};

void TestInNetworkPrograms::messagesNameTheSwitch()
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

void TestInNetworkPrograms::writtenOutItIsTheSame_data()
{
    QTest::addColumn<bool>("ideal");
    QTest::newRow("links") << false;
    QTest::newRow("ideal") << true;
}

/// The template and its operations one by one: every message at the same picosecond, every rank done at the same, with and without a buffer limit.
void TestInNetworkPrograms::writtenOutItIsTheSame()
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
void TestInNetworkPrograms::operationsOfTeamsHaveTheirClosedForms()
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

void TestInNetworkPrograms::teamsWithoutTheirSwitchAreRefused()
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
void TestInNetworkPrograms::aScriptRunsInTheSwitchOfADesign()
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

FABRICSCOPE_TEST(TestInNetworkPrograms)
#include "tst_innetwork_programs.moc"
