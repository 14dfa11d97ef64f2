#include "core/base/index.h"
#include "core/trace/dependencies.h"
#include "core/trace/lint.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

CommGroups groupsOf(const std::string& text)
{
    return parseCommGroups(text).value();
}

EtNode onHost(EtNode node)
{
    node.attributes.front() = EtAttribute::boolean("is_cpu_op", true);
    return node;
}

} // namespace

class LintTest : public QObject {
    Q_OBJECT

private slots:
    void aSoundWorkloadHasNoFindings()
    {
        const auto traces = traceSet({{compNode(1, 5), sendNode(2, 1, 0, 64, {1}), collNode(3, EtCommType::AllReduce, 64, {2}, "1")},
            {compNode(1, 5), recvNode(2, 0, 0, 64), collNode(3, EtCommType::AllReduce, 64, {2}, "1")}});

        const Diagnostics found = lintTraces(traces, groupsOf("{\"1\": [0, 1]}"));

        QVERIFY2(found.empty(), found.empty() ? "" : found.front().text().c_str());
    }

    void aKindIsReportedOnceWithItsCount()
    {
        std::vector<EtNode> nodes;
        for (std::uint64_t id = 1; id <= 1000; ++id)
            nodes.push_back(compNode(id, 5, {id + 10000}));
        const auto traces = traceSet({nodes, nodes});

        const Diagnostics found = lintTraces(traces, {});

        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("dangling-data-dep"));
        QVERIFY(found[0].message.find("2000 of this kind") != std::string::npos);
        QCOMPARE(found[0].place.rank, std::int64_t{0});
        QCOMPARE(found[0].place.node, std::int64_t{1});
    }

    void namesOneRingOfManyNodes()
    {
        // 1 <- 2 <- 3 <- 4 <- 2: the ring is 2, 4, 3; node 9 only hangs on it.
        const auto traces = traceSet({{compNode(1, 5), compNode(2, 5, {1, 4}), compNode(3, 5, {2}), compNode(4, 5, {3}), compNode(9, 5, {4})}});

        const Diagnostics found = lintTraces(traces, {});

        const Diagnostic* cycle = findRule(found, "cycle");
        QVERIFY(cycle);
        QVERIFY(cycle->severity == Severity::Error);
        QVERIFY2(cycle->message.find("2 waits for 4 waits for 3 waits for 2") != std::string::npos, cycle->message.c_str());
    }

    void controlDependenciesAreWarningsUnlessUsed()
    {
        EtNode self = compNode(1, 5);
        self.ctrlDeps = {1};
        EtNode dangling = compNode(2, 5, {1});
        dangling.ctrlDeps = {77};
        EtNode first = compNode(3, 5, {2});
        first.ctrlDeps = {4}; // 4 needs 3's data, so this closes a ring
        const auto traces = traceSet({{self, dangling, first, compNode(4, 5, {3})}});

        const Diagnostics automatic = lintTraces(traces, {});
        const Diagnostics used = lintTraces(traces, {}, {CtrlDeps::Use, 0, 1});
        const Diagnostics ignored = lintTraces(traces, {}, {CtrlDeps::Ignore, 0, 1});

        for (const char* rule : {"self-ctrl-dep", "dangling-ctrl-dep", "ctrl-dep-cycle"}) {
            const Diagnostic* found = findRule(automatic, rule);
            QVERIFY2(found && found->severity == Severity::Warning, rule);
        }
        QVERIFY(findRule(used, "self-ctrl-dep")->severity == Severity::Error);
        QVERIFY(findRule(used, "cycle")->severity == Severity::Error);
        QVERIFY(ignored.empty());
    }

    void onlyControlDependenciesThatCloseARingAreLeftOut()
    {
        // Data: 1 <- 2. Control: 2 <- 1 closes a ring, 3 <- 2 and 1 <- 3 together with 3 <- 2 would as well.
        EtNode one = compNode(1, 5);
        one.ctrlDeps = {2, 3};
        EtNode three = compNode(3, 5);
        three.ctrlDeps = {2};
        const auto trace = readTraceBytes(etBytes({"0.0.4", {}}, {one, compNode(2, 5, {1}), three}));
        QVERIFY(trace);

        const ResolvedDependencies resolved = resolveDependencies(trace.value(), CtrlDeps::Auto);

        QCOMPARE(resolved.fault(DependencyFault::CtrlCycle).count, std::int64_t{2}); // both of node 1
        QVERIFY(resolved.of(0).empty());
        QCOMPARE(resolved.of(1).size(), std::size_t{1});
        QCOMPARE(resolved.of(2).size(), std::size_t{1});
        QVERIFY(resolved.cycle.empty());
    }

    void reportsNodesThatARunCannotUse_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<int>("which");
        const char* const rules[] = {"missing-comm-type", "missing-comm-size", "unknown-group", "send-to-self", "missing-comm-dst", "missing-comm-tag", "send-not-own",
            "receive-from-absent-rank", "missing-tensor-size", "comm-size-odd", "negative-number", "duration-too-long", "involved-dim-odd"};
        for (int i = 0; i < static_cast<int>(std::size(rules)); ++i)
            QTest::newRow(rules[i]) << QString::fromLatin1(rules[i]) << i;
    }
    void reportsNodesThatARunCannotUse()
    {
        QFETCH(QString, rule);
        QFETCH(int, which);
        EtNode node = collNode(5, EtCommType::AllReduce, 64);
        auto& attributes = node.attributes; // is_cpu_op, comm_type, comm_size
        switch (which) {
        case 0: attributes.erase(attributes.begin() + 1); break;
        case 1: attributes.pop_back(); break;
        case 2: attributes.push_back(EtAttribute::text("pg_name", "3")); break;
        case 3: node = sendNode(5, 0, 0, 64); break;
        case 4: node = sendNode(5, 1, 0, 64); attributes.erase(attributes.begin() + 1); break;
        case 5: node = sendNode(5, 1, 0, 64); attributes.erase(attributes.begin() + 2); break;
        case 6: node = sendNode(5, 1, 0, 64); attributes.push_back(EtAttribute::integer("comm_src", 1)); break;
        case 7: node = recvNode(5, 2, 0, 64); break;
        case 8: node = compNode(5, 1); node.type = static_cast<std::int32_t>(EtNodeType::MemLoad); break;
        case 9: attributes.back() = EtAttribute{"comm_size", EtKind::Double, {}, {64.0}, {}, {}}; break;
        case 10: node = compNode(5, 1); attributes.push_back(EtAttribute::integer("num_ops", -1)); break;
        case 11: node = compNode(5, 1'000'000'000'001); break;
        default: attributes.push_back(EtAttribute::boolean("involved_dim", true)); break;
        }
        const auto traces = traceSet({{node}, {compNode(1, 5)}});

        const Diagnostics found = lintTraces(traces, {});

        const Diagnostic* hit = findRule(found, rule.toStdString());
        QVERIFY2(hit, found.empty() ? "nothing found" : found.front().text().c_str());
        QVERIFY(hit->severity == Severity::Error);
        QCOMPARE(hit->place.rank, std::int64_t{0});
        QCOMPARE(hit->place.node, std::int64_t{5});
    }

    void hostCommunicationIsOneWarning()
    {
        EtNode bare = compNode(2, 9);
        bare.type = static_cast<std::int32_t>(EtNodeType::Collective); // no type, no size: as real traces have them
        const auto traces = traceSet({{compNode(1, 5), onHost(bare), onHost(collNode(3, EtCommType::AllReduce, 64))}});

        const Diagnostics found = lintTraces(traces, {});

        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("host-communication"));
        QVERIFY(found[0].severity == Severity::Warning);
    }

    void messagesPairUpInOrderByTag()
    {
        // Two tags interleaved differently on both sides: sound. A third message has another size.
        const auto traces = traceSet({{sendNode(1, 1, 7, 10), sendNode(2, 1, 8, 20, {1}), sendNode(3, 1, 7, 30, {2})},
            {recvNode(1, 0, 8, 20), recvNode(2, 0, 7, 10), recvNode(3, 0, 7, 31, {2})}});

        const Diagnostics found = lintTraces(traces, {});

        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("message-size"));
        QCOMPARE(found[0].place.rank, std::int64_t{1});
        QCOMPARE(found[0].place.node, std::int64_t{3});
    }

    void membersMustIssueAsMany()
    {
        const auto traces = traceSet({{collNode(1, EtCommType::AllReduce, 64), collNode(2, EtCommType::AllReduce, 64, {1})}, {collNode(1, EtCommType::AllReduce, 64)}});

        const Diagnostic* found = nullptr;
        const Diagnostics all = lintTraces(traces, {});
        found = findRule(all, "collective-count");

        QVERIFY(found);
        QVERIFY2(found->message.find("rank 0 issues 2 ALL_REDUCE in all ranks, but rank 1 issues 1") != std::string::npos, found->message.c_str());
        QCOMPARE(found->place.node, std::int64_t{2});
    }

    void independentCollectivesInAnyOrderAreSound()
    {
        const auto traces = traceSet({{collNode(1, EtCommType::AllReduce, 64), collNode(2, EtCommType::AllGather, 64)}, {collNode(1, EtCommType::AllGather, 64), collNode(2, EtCommType::AllReduce, 64)}});

        QVERIFY(lintTraces(traces, {}).empty());
    }

    void membersFreeToChooseAnotherOrderAreNamed_data()
    {
        QTest::addColumn<int>("trial");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("words");
        // Rank 1 reduces (node 8 or 9) only after it has gathered (node 7); rank 0 is free, or not.
        QTest::newRow("the free one puts it first") << 0 << "collective-order-free"
                                                    << "rank 0 node 4 (ALL_REDUCE) may be issued before rank 0 node 5 (ALL_GATHER), but on rank 1 it waits for it (rank 1 node 8 (ALL_REDUCE))";
        QTest::newRow("the free one puts it second, but need not") << 1 << "collective-order-open"
                                                                   << "rank 0 node 5 (ALL_REDUCE) may be issued before rank 0 node 4 (ALL_GATHER), but on rank 1 it waits for it (rank 1 node 8 (ALL_REDUCE))";
        QTest::newRow("through a computation") << 2 << "collective-order-free"
                                               << "rank 0 node 4 (ALL_REDUCE) may be issued before rank 0 node 5 (ALL_GATHER), but on rank 1 it waits for it (rank 1 node 9 (ALL_REDUCE))";
        QTest::newRow("free on all") << 3 << "" << "";
        QTest::newRow("bound on all") << 4 << "" << "";
        QTest::newRow("bound on all, through a computation on one") << 5 << "" << "";
    }
    void membersFreeToChooseAnotherOrderAreNamed()
    {
        QFETCH(int, trial);
        QFETCH(QString, rule);
        QFETCH(QString, words);
        const auto reduce = [](std::uint64_t id, std::vector<std::uint64_t> after = {}) { return collNode(id, EtCommType::AllReduce, 1 << 20, std::move(after)); };
        const auto gather = [](std::uint64_t id, std::vector<std::uint64_t> after = {}) { return collNode(id, EtCommType::AllGather, 1 << 20, std::move(after)); };
        const std::vector<std::vector<std::vector<EtNode>>> trials{
            {{reduce(4), gather(5)}, {gather(7), reduce(8, {7})}},
            {{gather(4), reduce(5)}, {gather(7), reduce(8, {7})}},
            {{reduce(4), gather(5)}, {gather(7), compNode(8, 3, {7}), reduce(9, {8})}},
            {{reduce(4), gather(5)}, {gather(7), reduce(8)}},
            {{gather(4), reduce(5, {4})}, {gather(7), reduce(8, {7})}},
            {{gather(4), compNode(5, 3, {4}), reduce(6, {5})}, {gather(7), reduce(8, {7})}},
        };
        const TraceSet traces = traceSet(trials[at(trial)]);

        const Diagnostics found = lintTraces(traces, {});

        QCOMPARE(std::count_if(found.begin(), found.end(), [](const Diagnostic& entry) { return entry.rule.starts_with("collective-order"); }), rule.isEmpty() ? 0 : 1);
        if (rule.isEmpty())
            return;
        const Diagnostic* const entry = findRule(found, rule.toStdString());
        QVERIFY(entry);
        QCOMPARE(entry->severity, rule == QLatin1String("collective-order-free") ? Severity::Warning : Severity::Note);
        QVERIFY2(QString::fromStdString(entry->message).startsWith(words) && entry->message.ends_with("which only a run tells"), entry->message.c_str());
    }

    void aRingOverTwoGroupsNamesBothCollectives()
    {
        // Group 1 = {0, 1}, group 2 = {0, 1} too: rank 0 does 1 then 2, rank 1 does 2 then 1, with computations in between.
        const CommGroups groups = groupsOf("{\"1\": [0, 1], \"2\": [1, 0]}");
        const auto traces = traceSet({{collNode(1, EtCommType::AllReduce, 64, {}, "1"), compNode(2, 5, {1}), collNode(3, EtCommType::AllReduce, 64, {2}, "2")},
            {collNode(1, EtCommType::AllReduce, 64, {}, "2"), compNode(2, 5, {1}), collNode(3, EtCommType::AllReduce, 64, {2}, "1")}});

        const Diagnostics all = lintTraces(traces, groups);

        const Diagnostic* found = findRule(all, "collective-order");
        QVERIFY(found);
        for (const char* words : {"rank 0 node 3", "rank 1 node 3", "group \"1\"", "group \"2\""})
            QVERIFY2(found->message.find(words) != std::string::npos, found->message.c_str());
    }

    void aRingOfReceivesBeforeSendsIsFound()
    {
        const auto traces = traceSet({{recvNode(1, 1, 0, 8), sendNode(2, 1, 0, 8, {1})}, {recvNode(1, 0, 0, 8), sendNode(2, 0, 0, 8, {1})}});

        const Diagnostics all = lintTraces(traces, {});

        const Diagnostic* found = findRule(all, "message-order");
        QVERIFY(found);
        QVERIFY2(found->message.find("rank 0 node 2 (send to rank 1)") != std::string::npos, found->message.c_str());
    }

    void givesAdviceAboutTheWorkloadAsAWhole()
    {
        EtNode idle = compNode(1, 0);
        const auto silent = traceSet({{idle}});
        QVERIFY(findRule(lintTraces(silent, {}), "no-durations"));

        const EtMetadata generator{{}, {EtAttribute::text("schema", "symbolic_tensor_network")}};
        const auto elements = traceSet({{compNode(1, 5)}}, generator);
        QVERIFY(findRule(lintTraces(elements, {}), "element-counts-not-bytes"));
        QVERIFY(!findRule(lintTraces(elements, {}, {CtrlDeps::Auto, 0, 2}), "element-counts-not-bytes"));

        const auto alone = traceSet({{collNode(1, EtCommType::AllReduce, 8, {}, "a")}, {compNode(1, 5)}});
        const Diagnostics found = lintTraces(alone, groupsOf("{\"a\": [0]}"));
        QVERIFY(findRule(found, "group-of-one"));
        QVERIFY(findRule(found, "group-name-not-number"));

        const Diagnostics counts = lintTraces(alone, groupsOf("{\"a\": [0]}"), {CtrlDeps::Auto, 8, 1});
        QVERIFY(findRule(counts, "rank-count"));
        QVERIFY(findRule(counts, "rank-count")->message.find("8 NPUs") != std::string::npos);
    }

    void groupFilesAreCheckedWithTheirLines_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::newRow("no object") << "[1]" << 1;
        QTest::newRow("cut") << "{\n\"1\": [0,\n 1" << 3;
        QTest::newRow("no list") << "{\"1\": [0],\n\"2\": 5}" << 2;
        QTest::newRow("fraction") << "{\"1\": [0,\n1.5]}" << 2;
        QTest::newRow("text member") << "{\"1\": [\"a\"]}" << 1;
        QTest::newRow("name twice") << "{\"1\": [0],\n\n\"1\": [1]}" << 3;
        QTest::newRow("tail") << "{\"1\": [0]}\n}" << 2;
        QTest::newRow("trailing comma") << "{\"1\": [0],\n}" << 2;
        QTest::newRow("empty") << "" << 1;
    }
    void groupFilesAreCheckedWithTheirLines()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        const auto groups = parseCommGroups(text.toStdString(), "g.json");
        QVERIFY(!groups);
        QCOMPARE(groups.error().place.line, line);
        QCOMPARE(groups.error().place.file, std::string("g.json"));
    }

    void groupsOfNonsenseAreErrors()
    {
        const Diagnostics found = checkCommGroups(groupsOf("{\"1\": [], \"2\": [0, 1, 0],\n\"3\": [-1], \"0\": [0, 1]}"), 4);
        QVERIFY(findRule(found, "group-empty") && findRule(found, "group-member-twice"));
        QCOMPARE(findRule(found, "group-absent-rank")->place.line, 2);
        QVERIFY(findRule(found, "group-zero")->severity == Severity::Warning);
    }

    void manyRanksAndLongTracesAreQuick_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("nodes");
        QTest::newRow("256 ranks x 100 nodes") << 256 << 100;
        QTest::newRow("8 ranks, long traces") << 8 << (fabricscope::test::kSanitized ? 10000 : 100000); // Squares show in either.
    }
    void manyRanksAndLongTracesAreQuick()
    {
        QFETCH(int, ranks);
        QFETCH(int, nodes);
        std::vector<std::shared_ptr<const RankTrace>> traces;
        for (int rank = 0; rank < ranks; ++rank) {
            std::vector<EtNode> list;
            for (int i = 0; i < nodes; ++i) {
                const auto id = static_cast<std::uint64_t>(i);
                const std::vector<std::uint64_t> deps = i == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{id - 1};
                if (i % 3 == 0)
                    list.push_back(collNode(id, EtCommType::AllReduce, 64, deps));
                else if (i % 3 == 1)
                    list.push_back(sendNode(id, (rank + 1) % ranks, i, 64, deps));
                else
                    list.push_back(recvNode(id, (rank + ranks - 1) % ranks, i - 1, 64, deps));
            }
            auto trace = readTraceBytes(etBytes({"0.0.4", {}}, list));
            QVERIFY(trace);
            traces.push_back(std::make_shared<const RankTrace>(std::move(trace).value()));
        }
        const TraceSet set = TraceSet::fromRanks(std::move(traces), "memory");

        QElapsedTimer timer;
        timer.start();
        const Diagnostics found = lintTraces(set, {});

        QVERIFY2(found.empty(), found.empty() ? "" : found.front().text().c_str());
        QVERIFY2(timer.elapsed() < 20000, "linting takes time out of proportion"); // some 0.5 s; the bound only catches squares
    }
};

FABRICSCOPE_TEST(LintTest)
#include "tst_lint.moc"
