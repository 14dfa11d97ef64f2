// Every workload of the corpus against numbers that an independent decoder got (invariants.csv, invariants_per_rank.csv).
#include "core/trace/dependencies.h"
#include "core/trace/lint.h"
#include "core/workload/traceworkload.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Row = std::map<QString, QString>;

std::vector<Row> readCsv(const std::string& path)
{
    std::vector<Row> rows;
    QStringList header;
    for (const QByteArray& line : QByteArray::fromStdString(readBytes(path)).split('\n')) {
        const QStringList cells = QString::fromUtf8(line.trimmed()).split(QLatin1Char(','));
        if (header.isEmpty()) {
            header = cells;
        } else if (cells.size() == header.size()) {
            Row row;
            for (int i = 0; i < cells.size(); ++i)
                row[header[i]] = cells[i];
            rows.push_back(row);
        }
    }
    return rows;
}

const std::pair<const char*, EtCommType> kCollectives[] = {{"ALL_REDUCE", EtCommType::AllReduce}, {"ALL_GATHER", EtCommType::AllGather},
    {"REDUCE_SCATTER", EtCommType::ReduceScatter}, {"ALL_TO_ALL", EtCommType::AllToAll}, {"BROADCAST", EtCommType::Broadcast}};

/// Nodes that never get to run when data and control dependencies both hold as they are; absent nodes hold nothing up.
std::int64_t blockedNodes(const RankTrace& trace)
{
    std::map<std::uint64_t, std::uint32_t> index;
    for (std::uint32_t node = 0; node < trace.size(); ++node)
        index[trace.id(node)] = node;
    std::vector<bool> done(trace.size());
    std::int64_t left = trace.size();
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t node = 0; node < trace.size(); ++node) {
            const auto waits = [&](std::uint64_t id) { return index.contains(id) && !done[index[id]]; };
            if (done[node] || std::ranges::any_of(trace.dataDependencies(node), waits) || std::ranges::any_of(trace.ctrlDependencies(node), waits))
                continue;
            done[node] = true;
            moved = true;
            --left;
        }
    }
    return left;
}

/// The numbers of one rank, named as in invariants_per_rank.csv.
std::map<QString, std::int64_t> rankNumbers(const RankTrace& trace)
{
    std::map<QString, std::int64_t> n;
    for (const auto& [name, type] : kCollectives) {
        n[QString::fromLatin1(name) + QLatin1String("_count")] = 0;
        n[QString::fromLatin1(name) + QLatin1String("_bytes")] = 0;
    }
    const ResolvedDependencies resolved = resolveDependencies(trace, CtrlDeps::Ignore);
    std::map<std::uint64_t, std::uint32_t> fileIndex;
    for (std::uint32_t node = 0; node < trace.size(); ++node)
        fileIndex[trace.id(node)] = node;
    for (std::uint32_t node = 0; node < trace.size(); ++node) {
        const std::int64_t size = trace.value(node, EtField::CommSize);
        n[QStringLiteral("nodes")] += 1;
        n[QStringLiteral("roots")] += trace.dataDependencies(node).empty();
        n[QStringLiteral("comp_nodes")] += trace.is(node, EtNodeType::Comp);
        n[QStringLiteral("coll_nodes")] += trace.is(node, EtNodeType::Collective);
        n[QStringLiteral("send_nodes")] += trace.is(node, EtNodeType::Send);
        n[QStringLiteral("recv_nodes")] += trace.is(node, EtNodeType::Receive);
        n[QStringLiteral("data_deps")] += static_cast<std::int64_t>(trace.dataDependencies(node).size());
        n[QStringLiteral("ctrl_deps")] += static_cast<std::int64_t>(trace.ctrlDependencies(node).size());
        for (const std::uint64_t id : trace.ctrlDependencies(node))
            n[QStringLiteral("dangling_ctrl_deps")] += !fileIndex.contains(id);
        for (const std::uint64_t id : trace.dataDependencies(node))
            n[QStringLiteral("forward_refs")] += fileIndex.contains(id) && fileIndex[id] > node;
        n[QStringLiteral("num_ops")] += trace.is(node, EtNodeType::Comp) ? trace.value(node, EtField::NumOps) : 0;
        if (trace.is(node, EtNodeType::Comp)) {
            n[QStringLiteral("comp_duration_us")] += trace.value(node, EtField::Duration);
            n[QStringLiteral("comp_duration_us_gpu")] += trace.onHost(node) ? 0 : trace.value(node, EtField::Duration);
        } else if (trace.is(node, EtNodeType::Send)) {
            n[QStringLiteral("SEND_count")] += 1;
            n[QStringLiteral("SEND_bytes")] += size;
        } else if (trace.is(node, EtNodeType::Receive)) {
            n[QStringLiteral("RECV_count")] += 1;
            n[QStringLiteral("RECV_bytes")] += size;
        } else if (trace.is(node, EtNodeType::Collective) && trace.has(node, EtField::CommType)) {
            for (const auto& [name, type] : kCollectives) {
                if (trace.value(node, EtField::CommType) != static_cast<std::int64_t>(type))
                    continue;
                n[QString::fromLatin1(name) + QLatin1String("_count")] += 1;
                n[QString::fromLatin1(name) + QLatin1String("_bytes")] += size;
            }
        }
    }
    n[QStringLiteral("cycles")] = blockedNodes(trace);
    // Longest paths over data dependencies.
    std::vector<std::int64_t> operations(trace.size());
    std::vector<std::int64_t> durations(trace.size());
    std::vector<std::int64_t> chain(trace.size());
    for (const std::uint32_t position : executionOrder(resolved)) {
        const std::uint32_t node = resolved.node(position);
        for (const std::uint32_t parent : resolved.of(position)) {
            operations[position] = std::max(operations[position], operations[parent]);
            durations[position] = std::max(durations[position], durations[parent]);
            chain[position] = std::max(chain[position], chain[parent]);
        }
        chain[position] += 1;
        if (trace.is(node, EtNodeType::Comp)) {
            operations[position] += trace.value(node, EtField::NumOps);
            durations[position] += trace.value(node, EtField::Duration);
        }
        n[QStringLiteral("cp_num_ops")] = std::max(n[QStringLiteral("cp_num_ops")], operations[position]);
        n[QStringLiteral("cp_duration_us")] = std::max(n[QStringLiteral("cp_duration_us")], durations[position]);
        n[QStringLiteral("longest_chain_nodes")] = std::max(n[QStringLiteral("longest_chain_nodes")], chain[position]);
    }
    return n;
}

} // namespace

class CorpusTracesTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_unpacked;

    /// Folder of an item; the packed one is unpacked first.
    std::string folderOf(const std::string& shared, const std::string& item)
    {
        const std::string folder = shared + "/corpus/chakra/" + item;
        if (std::filesystem::is_directory(folder))
            return folder;
        if (!m_unpacked) {
            m_unpacked = std::make_unique<QTemporaryDir>();
            QProcess tar;
            tar.start(QStringLiteral("tar"), {QStringLiteral("-C"), m_unpacked->path(), QStringLiteral("-xf"), QString::fromStdString(folder + ".tar.xz")});
            tar.waitForFinished(60000);
        }
        return m_unpacked->filePath(QString::fromStdString(item)).toStdString();
    }

    /// The prefix of the .et files in a folder.
    static std::string prefixIn(const std::string& folder)
    {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            if (name.ends_with(".0.et"))
                return folder + '/' + name.substr(0, name.size() - 5);
        }
        return folder;
    }

    static void addItems()
    {
        QTest::addColumn<QString>("item");
        if (const auto shared = sharedFolder()) {
            for (const Row& row : readCsv(*shared + "/corpus/chakra/invariants.csv"))
                QTest::newRow(qPrintable(row.at(QStringLiteral("workload")))) << row.at(QStringLiteral("workload"));
        } else {
            QTest::newRow("none") << QString();
        }
    }

private slots:
    void columnsAgreeWithTheInvariants_data() { addItems(); }
    void columnsAgreeWithTheInvariants()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, item);
        const auto traces = TraceSet::load(prefixIn(folderOf(shared, item.toStdString())), {0, 2});
        QVERIFY2(traces, traces ? "" : traces.error().text().c_str());

        Row total;
        for (const Row& row : readCsv(shared + "/corpus/chakra/invariants.csv")) {
            if (row.at(QStringLiteral("workload")) == item)
                total = row;
        }
        QCOMPARE(QString::number(traces.value().rankCount()), total[QStringLiteral("ranks")]);
        QCOMPARE(QString::number(traces.value().nodeCount()), total[QStringLiteral("nodes_total")]);

        std::map<QString, std::int64_t> sums;
        std::map<QString, std::int64_t> most;
        int rows = 0;
        for (const Row& row : readCsv(shared + "/corpus/chakra/invariants_per_rank.csv")) {
            if (row.at(QStringLiteral("workload")) != item)
                continue;
            ++rows;
            const auto numbers = rankNumbers(traces.value().rank(row.at(QStringLiteral("rank")).toInt()));
            for (const auto& [name, value] : numbers) {
                sums[name] += value;
                most[name] = std::max(most[name], value);
                const auto expected = row.find(name);
                if (expected != row.end())
                    QVERIFY2(QString::number(value) == expected->second, qPrintable(QStringLiteral("rank %1 %2: %3, not %4").arg(row.at(QStringLiteral("rank")), name).arg(value).arg(expected->second)));
            }
        }
        QCOMPARE(rows, static_cast<int>(traces.value().rankCount()));
        const std::pair<const char*, std::int64_t> totals[] = {{"data_deps", sums[QStringLiteral("data_deps")]}, {"ctrl_deps", sums[QStringLiteral("ctrl_deps")]},
            {"dangling_ctrl_deps", sums[QStringLiteral("dangling_ctrl_deps")]}, {"num_ops_total", sums[QStringLiteral("num_ops")]}, {"num_ops_max_rank", most[QStringLiteral("num_ops")]},
            {"duration_us_total", sums[QStringLiteral("comp_duration_us")]}, {"duration_us_max_rank", most[QStringLiteral("comp_duration_us")]},
            {"longest_chain_nodes", most[QStringLiteral("longest_chain_nodes")]}, {"SEND_bytes_total", sums[QStringLiteral("SEND_bytes")]},
            {"RECV_count_total", sums[QStringLiteral("RECV_count")]}, {"SEND_count_total", sums[QStringLiteral("SEND_count")]}, {"RECV_bytes_total", sums[QStringLiteral("RECV_bytes")]},
            {"comp_nodes", sums[QStringLiteral("comp_nodes")]}, {"coll_nodes", sums[QStringLiteral("coll_nodes")]}, {"send_nodes", sums[QStringLiteral("send_nodes")]},
            {"recv_nodes", sums[QStringLiteral("recv_nodes")]}, {"nodes_per_rank_max", most[QStringLiteral("nodes")]}, {"cycles", sums[QStringLiteral("cycles")]}};
        for (const auto& [name, value] : totals)
            QVERIFY2(QString::number(value) == total[QString::fromLatin1(name)], qPrintable(QStringLiteral("%1: %2, not %3").arg(QLatin1String(name)).arg(value).arg(total[QString::fromLatin1(name)])));
        for (const auto& [name, type] : kCollectives) {
            Q_UNUSED(type);
            const QString key = QString::fromLatin1(name);
            QCOMPARE(QString::number(sums[key + QLatin1String("_bytes")]), total[key + QLatin1String("_bytes_total")]);
            QCOMPARE(QString::number(sums[key + QLatin1String("_count")]), total[key + QLatin1String("_count_total")]);
        }
    }

    void everyWorkloadLoadsAndLintsWithoutErrors_data() { addItems(); }
    void everyWorkloadLoadsAndLintsWithoutErrors()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(QString, item);
        const std::string folder = folderOf(shared, item.toStdString());
        const auto traces = TraceSet::load(prefixIn(folder));
        QVERIFY(traces);
        CommGroups groups;
        if (std::filesystem::exists(folder + "/comm_group.json")) {
            auto read = readCommGroups(folder + "/comm_group.json");
            QVERIFY(read);
            groups = std::move(read).value();
        }

        const auto loaded = workloadFromTraces(traces.value(), groups);
        const Diagnostics found = lintTraces(traces.value(), groups);

        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        QCOMPARE(loaded.value().workload->taskCount(), traces.value().nodeCount());
        for (const Diagnostic& diagnostic : found)
            QVERIFY2(diagnostic.severity != Severity::Error, diagnostic.text().c_str());
        for (const char* rule : {"unpaired-send", "collective-size"}) // no unpaired message, no mismatch in any item
            QVERIFY2(!findRule(found, rule), rule);
        for (const Row& row : readCsv(shared + "/corpus/chakra/invariants.csv")) {
            if (row.at(QStringLiteral("workload")) != item || row.at(QStringLiteral("groups")).isEmpty())
                continue;
            QCOMPARE(QString::number(groups.groups.size()), row.at(QStringLiteral("groups")));
            const auto alone = std::ranges::count_if(groups.groups, [](const CommGroup& group) { return group.ranks.size() == 1; });
            QCOMPARE(QString::number(alone), row.at(QStringLiteral("groups_of_one")));
        }
        const bool real = item.startsWith(QLatin1String("real_"));
        QVERIFY(!real || !loaded.value().diagnostics.empty() || item == QLatin1String("real_host_only_1"));
    }

    void theValidatedAllReducesLoad()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        int seen = 0;
        for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus/chakra/hgx_h100_validated")) {
            // Folders are named allreduce_RANKSgpu_BYTES.
            const QStringList parts = QString::fromStdString(entry.path().filename().string()).split(QLatin1Char('_'));
            if (!entry.is_directory() || parts.size() != 3)
                continue;
            ++seen;
            const auto traces = TraceSet::load(prefixIn(entry.path().string()));
            QVERIFY(traces);
            QCOMPARE(QString::number(traces.value().rankCount()) + QLatin1String("gpu"), parts[1]);
            const auto loaded = workloadFromTraces(traces.value(), {});
            QVERIFY(loaded);
            QCOMPARE(QString::number(loaded.value().workload->graph(0).bytes[0]), parts[2]);
            QVERIFY(loaded.value().workload->graph(0).op[0] == CollectiveOp::AllReduce);
        }
        QCOMPARE(seen, 28);
    }

    void whatTheReadmeSaysOfTheRealTracesIsReported()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const auto feeder = TraceSet::load(shared + "/corpus/chakra/real_feeder_1/chakra");
        QVERIFY(feeder);
        const ResolvedDependencies resolved = resolveDependencies(feeder.value().rank(0), CtrlDeps::Auto);
        QCOMPARE(resolved.fault(DependencyFault::SelfCtrl).count, std::int64_t{383});
        QCOMPARE(resolved.fault(DependencyFault::DanglingCtrl).count, std::int64_t{1277});
        const auto loaded = workloadFromTraces(feeder.value(), {});
        QVERIFY(loaded);
        const Diagnostic* host = findRule(loaded.value().diagnostics, "host-communication");
        QVERIFY(host && host->message.find("14 of this kind") != std::string::npos);

        const auto hostOnly = TraceSet::load(shared + "/corpus/chakra/real_host_only_1/host");
        QVERIFY(hostOnly);
        const auto silent = workloadFromTraces(hostOnly.value(), {});
        QVERIFY(silent);
        QVERIFY(findRule(silent.value().diagnostics, "no-durations"));
    }

    void theJsonFormOfARealTraceIsTheSameNodes()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const std::string folder = shared + "/corpus/chakra/real_feeder_1/";
        const auto json = readTraceFile(folder + "small_chakra.0.json");
        const auto binary = readTraceFile(folder + "chakra.0.et");
        QVERIFY2(json, json ? "" : json.error().text().c_str());
        QVERIFY(binary);
        QCOMPARE(json.value().size(), 7U);
        // Its seven nodes are the first of the trace: ids, types, durations and both kinds of dependencies.
        for (std::uint32_t i = 0; i < 7; ++i) {
            QCOMPARE(json.value().id(i), binary.value().id(i));
            QCOMPARE(json.value().type(i), binary.value().type(i));
            QCOMPARE(json.value().onHost(i), binary.value().onHost(i));
            QCOMPARE(json.value().value(i, EtField::Duration), binary.value().value(i, EtField::Duration));
            QVERIFY(std::ranges::equal(json.value().ctrlDependencies(i), binary.value().ctrlDependencies(i)));
        }
    }
};

FABRICSCOPE_TEST(CorpusTracesTest)
#include "tst_corpus_traces.moc"
