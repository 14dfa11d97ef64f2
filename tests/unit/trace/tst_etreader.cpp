#include "core/base/index.h"
#include "core/trace/etfile.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/tracefiles.h"

#include "chakra_et.pb.h"
#include "tests/unit/support/testprogram.h"
#include <google/protobuf/stubs/logging.h>

#include <QtTest/QtTest>

#include <random>
#include <zlib.h>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

const char* const kOneNode = "{\"nodes\": [{\"id\": 1, \"node_type\": \"comp_node\"}]}";

const char* const kFeederJson =
    "{\"workload_graph\": [ "
    "{\"Id\": 4, \"Name\": \"a\", \"NodeType\": 4, \"is_cpu_op\": true, \"runtime\": 12, \"data_deps\": [], \"ctrlDeps\": [3]}, "
    "{\"Id\": 5, \"Name\": \"b\", \"NodeType\": 7, \"is_cpu_op\": false, \"runtime\": 0, \"data_deps\": [4], \"comm_type\": 6, \"comm_size\": 65536, \"comm_priority\": 0}]} ";

const char* const kGeneratorJson =
    "{\"nodes\": [{\"id\": 2, \"name\": \"x\", \"node_type\": \"coll_comm_node\", \"y_tensor_size\": 1.5, \"data_deps\": [1], \"ctrl_deps\": [], "
    "\"num_ops\": null, \"comm_size\": 20971520.0, \"comm_type\": \"ALL_GATHER\", \"comm_group\": 3, \"inputs\": [\"a\"]}, {\"id\": 1, \"name\": \"y\", \"node_type\": \"comp_node\", \"num_ops\": 7}]} ";

const char* const kJsonizerJson =
    "{\"version\": \"0.0.4\", \"attr\": [{\"name\": \"schema\", \"stringVal\": \"s{}\"}]} "
    "{\"id\": \"9007199254740993\", \"name\": \"n}\", \"type\": \"COMM_COLL_NODE\", \"ctrlDeps\": [\"1\"], \"dataDeps\": [\"0\", \"2\"], \"durationMicros\": \"8\", "
    "\"attr\": [{\"name\": \"comm_size\", \"int64Val\": \"1048576\"}, {\"name\": \"is_cpu_op\", \"boolVal\": false}, {\"name\": \"comm_type\", \"doubleVal\": 2.0}, "
    "{\"name\": \"involved_dim\", \"boolList\": {\"values\": [true, false]}}]} "
    "{\"name\": \"zero\", \"type\": \"COMP_NODE\"} ";

std::string oldAttribute(const std::string& name, std::uint64_t type, const std::string& value)
{
    return bytesField(11, bytesField(1, name) + varintField(2, type) + value);
}

} // namespace

class EtReaderTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }

private slots:
    void readsEveryColumn()
    {
        EtNode node = collNode(7, EtCommType::AllGather, 4096, {3, 5}, "12");
        node.ctrlDeps = {3};
        node.startMicros = 11;
        node.durationMicros = 22;
        node.attributes.push_back(EtAttribute{"involved_dim", EtKind::BoolList, {1, 0, 1}, {}, {}, {}});
        node.attributes.push_back(EtAttribute::integer("comm_priority", 4, EtKind::Uint32));
        node.attributes.push_back(EtAttribute::integer("stream", -3));

        const auto trace = readTraceBytes(etBytes({"0.0.4", {EtAttribute::text("schema", "x")}}, {node}));

        QVERIFY(trace);
        const RankTrace& t = trace.value();
        QCOMPARE(t.size(), 1U);
        QCOMPARE(t.id(0), std::uint64_t{7});
        QCOMPARE(t.type(0), 7);
        QCOMPARE(t.name(0), std::string_view("node7"));
        QCOMPARE(t.dataDependencies(0).size(), std::size_t{2});
        QCOMPARE(t.dataDependencies(0)[1], std::uint64_t{5});
        QCOMPARE(t.ctrlDependencies(0)[0], std::uint64_t{3});
        QCOMPARE(t.value(0, EtField::Start), 11);
        QCOMPARE(t.value(0, EtField::Duration), 22);
        QCOMPARE(t.value(0, EtField::CommType), 2);
        QCOMPARE(t.value(0, EtField::CommSize), 4096);
        QCOMPARE(t.groupName(0), std::string_view("12"));
        QCOMPARE(t.value(0, EtField::InvolvedDim), (std::int64_t{3} << 32) | 0b101);
        QCOMPARE(t.value(0, EtField::CommPriority), 4);
        QCOMPARE(t.value(0, EtField::Stream), -3);
        QVERIFY(!t.has(0, EtField::NumOps) && !t.onHost(0) && t.has(0, EtField::IsCpuOp));
        QCOMPARE(t.metadata().version, std::string("0.0.4"));
        QCOMPARE(t.metadata().textOf("schema"), std::string("x"));
    }

    void takesEveryIntegerKind_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<qint64>("value");
        for (const EtKind kind : {EtKind::Int32, EtKind::Int64, EtKind::Sint32, EtKind::Sint64, EtKind::Sfixed32, EtKind::Sfixed64})
            QTest::addRow("signed kind %d", static_cast<int>(kind)) << static_cast<int>(kind) << qint64{-5};
        for (const EtKind kind : {EtKind::Uint32, EtKind::Uint64, EtKind::Fixed32, EtKind::Fixed64})
            QTest::addRow("unsigned kind %d", static_cast<int>(kind)) << static_cast<int>(kind) << qint64{4000000000};
        QTest::addRow("bool") << static_cast<int>(EtKind::Bool) << qint64{1};
        QTest::addRow("64 bits") << static_cast<int>(EtKind::Sint64) << std::numeric_limits<qint64>::min();
    }
    void takesEveryIntegerKind()
    {
        QFETCH(int, kind);
        QFETCH(qint64, value);
        EtNode node;
        node.type = 7;
        node.attributes.push_back(EtAttribute::integer("comm_size", value, static_cast<EtKind>(kind)));

        const auto trace = readTraceBytes(etBytes({"0.0.4", {}}, {node}));

        QVERIFY(trace);
        QCOMPARE(trace.value().value(0, EtField::CommSize), std::int64_t{value});
        QVERIFY(!trace.value().hasOddities());
    }

    void marksValuesThatAreNoNumbers_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("oddity");
        QTest::newRow("string") << static_cast<int>(EtKind::String) << static_cast<int>(EtOddity::Text);
        QTest::newRow("bytes") << static_cast<int>(EtKind::Bytes) << static_cast<int>(EtOddity::Text);
        QTest::newRow("double") << static_cast<int>(EtKind::Double) << static_cast<int>(EtOddity::Real);
        QTest::newRow("float") << static_cast<int>(EtKind::Float) << static_cast<int>(EtOddity::Real);
        QTest::newRow("list") << static_cast<int>(EtKind::Int64List) << static_cast<int>(EtOddity::List);
        QTest::newRow("no value") << static_cast<int>(EtKind::None) << static_cast<int>(EtOddity::Empty);
    }
    void marksValuesThatAreNoNumbers()
    {
        QFETCH(int, kind);
        QFETCH(int, oddity);
        EtNode node;
        node.type = 7;
        node.attributes.push_back(EtAttribute{"comm_size", static_cast<EtKind>(kind), {1}, {1.0}, {"1"}, {}});

        const auto trace = readTraceBytes(etBytes({"0.0.4", {}}, {node}));

        QVERIFY(trace);
        QVERIFY(!trace.value().has(0, EtField::CommSize));
        QCOMPARE(trace.value().oddities(0).size(), std::size_t{1});
        QCOMPARE(static_cast<int>(trace.value().oddities(0)[0].what), oddity);
    }

    void theLastOfTwoValuesHoldsAndIsMarked()
    {
        EtNode node;
        node.type = 7;
        node.attributes = {EtAttribute::integer("comm_size", 1), EtAttribute::integer("comm_size", 2)};

        const auto trace = readTraceBytes(etBytes({"0.0.4", {}}, {node}));

        QVERIFY(trace);
        QCOMPARE(trace.value().value(0, EtField::CommSize), 2);
        QCOMPARE(trace.value().oddities(0).size(), std::size_t{1});
        QVERIFY(trace.value().oddities(0)[0].what == EtOddity::Twice);
    }

    void olderNamesCountOnlyWithoutTheRealOne()
    {
        EtNode alone;
        alone.id = 1;
        alone.type = 7;
        alone.attributes = {EtAttribute::integer("comm_group", 3, EtKind::Int32), EtAttribute{"involve_dims", EtKind::BoolList, {1, 1}, {}, {}, {}}};
        EtNode both = alone;
        both.id = 2;
        both.attributes.push_back(EtAttribute::text("pg_name", "8"));

        const auto trace = readTraceBytes(etBytes({"0.0.4", {}}, {alone, both}));

        QVERIFY(trace);
        QCOMPARE(trace.value().groupName(0), std::string_view("3"));
        QCOMPARE(trace.value().value(0, EtField::InvolvedDim), (std::int64_t{2} << 32) | 3);
        QCOMPARE(trace.value().groupName(1), std::string_view("8"));
        QVERIFY(!trace.value().hasOddities());
    }

    void readsUnpackedListsAndTheNameBehindTheValue()
    {
        const std::string attribute = varintField(9, 77) + bytesField(1, "comm_size");
        const std::string node = bytesField(10, attribute) + varintField(5, 3) + varintField(4, 9) + varintField(5, 300) + varintField(3, 7) + varintField(1, 6);
        const auto trace = readTraceBytes(framed(bytesField(1, "0.0.4")) + framed(node));

        QVERIFY(trace);
        QCOMPARE(trace.value().id(0), std::uint64_t{6});
        QCOMPARE(trace.value().value(0, EtField::CommSize), 77);
        QCOMPARE(trace.value().dataDependencies(0)[1], std::uint64_t{300});
        QCOMPARE(trace.value().ctrlDependencies(0)[0], std::uint64_t{9});
    }

    void readsMetadataOfTheWeeksBeforeItHadAVersion()
    {
        const std::string attribute = bytesField(1, "schema") + bytesField(29, "1.0.1");
        const auto trace = readTraceBytes(framed(bytesField(1, attribute)) + framed(varintField(1, 4) + varintField(3, 4) + varintField(7, 5)));

        QVERIFY(trace);
        QCOMPARE(trace.value().metadata().textOf("schema"), std::string("1.0.1"));
        QCOMPARE(trace.value().value(0, EtField::Duration), 5);
        QVERIFY(trace.value().dialect() == EtDialect::Current);
    }

    void readsSchema001()
    {
        // manual: formats 3.2: COMP 3, COLL 6, parent 4, num_ops 12, comm_type 13 (ALL_GATHER 3), involved_dim 14, comm_size 18, runtime 7.
        const std::string comp = varintField(1, 8) + bytesField(2, "comp") + varintField(3, 3) + varintField(7, 40) + varintField(12, 1000);
        const std::string coll = varintField(1, 9) + varintField(3, 6) + varintField(4, 8) + varintField(13, 3) + varintField(14, 1) + varintField(14, 0) + varintField(18, 512);
        const auto trace = readTraceBytes(framed(comp) + framed(coll));

        QVERIFY(trace);
        const RankTrace& t = trace.value();
        QVERIFY(t.dialect() == EtDialect::V001);
        QVERIFY(t.is(0, EtNodeType::Comp) && t.is(1, EtNodeType::Collective));
        QCOMPARE(t.value(0, EtField::Duration), 40);
        QCOMPARE(t.value(0, EtField::NumOps), 1000);
        QCOMPARE(t.dataDependencies(1)[0], std::uint64_t{8});
        QCOMPARE(t.value(1, EtField::CommType), static_cast<std::int64_t>(EtCommType::AllGather));
        QCOMPARE(t.value(1, EtField::InvolvedDim), (std::int64_t{2} << 32) | 1);
        QCOMPARE(t.value(1, EtField::CommSize), 512);
    }

    void readsSchema002()
    {
        // Types without METADATA (SEND 4, COLL 6); attribute: type INT 1 in field 5, STRING 2 in field 6, INTS 4 in field 8.
        const std::string send = varintField(1, 1) + varintField(3, 4) + bytesField(5, "['x']") + oldAttribute("comm_dst", 1, varintField(5, 3)) + oldAttribute("comm_size", 1, varintField(5, 64));
        const std::string coll = varintField(1, 2) + varintField(3, 6) + varintField(4, 1) + bytesField(10, "['Tensor']") + oldAttribute("comm_type", 1, varintField(5, 3))
            + oldAttribute("pg_name", 2, bytesField(6, "4")) + oldAttribute("involved_dim", 4, varintField(8, 1) + varintField(8, 1));
        const auto trace = readTraceBytes(framed(send) + framed(coll));

        QVERIFY(trace);
        const RankTrace& t = trace.value();
        QVERIFY(t.dialect() == EtDialect::V002);
        QVERIFY(t.is(0, EtNodeType::Send) && t.is(1, EtNodeType::Collective));
        QCOMPARE(t.value(0, EtField::CommDst), 3);
        QCOMPARE(t.value(0, EtField::CommSize), 64);
        QCOMPARE(t.value(1, EtField::CommType), static_cast<std::int64_t>(EtCommType::ReduceScatter));
        QCOMPARE(t.groupName(1), std::string_view("4"));
        QCOMPARE(t.value(1, EtField::InvolvedDim), (std::int64_t{2} << 32) | 3);
    }

    void readsSchema003()
    {
        // Today's node types; attribute: BOOL 0 in field 4, INT 2 in field 6, STRING 3 in field 7. ALL_TO_ALL is 1.
        const std::string coll = varintField(1, 2) + varintField(3, 7) + varintField(4, 1) + oldAttribute("comm_type", 2, varintField(6, 1)) + oldAttribute("comm_size", 2, varintField(6, 99))
            + oldAttribute("is_cpu_op", 0, varintField(4, 0)) + oldAttribute("runtime", 2, varintField(6, 31));
        const std::string comp = varintField(1, 1) + varintField(3, 4);
        const auto trace = readTraceBytes(framed(comp) + framed(coll));

        QVERIFY(trace);
        const RankTrace& t = trace.value();
        QVERIFY(t.dialect() == EtDialect::V003);
        QVERIFY(t.is(0, EtNodeType::Comp) && t.is(1, EtNodeType::Collective));
        QCOMPARE(t.value(1, EtField::CommType), static_cast<std::int64_t>(EtCommType::AllToAll));
        QCOMPARE(t.value(1, EtField::CommSize), 99);
        QCOMPARE(t.value(1, EtField::Duration), 31);
    }

    void readsGzipAlsoInSeveralMembers()
    {
        const std::string bytes = etBytes({"0.0.4", {}}, {compNode(1, 5), compNode(2, 6, {1})});
        const std::string name = path("packed.0.et");
        for (const char* mode : {"wb", "ab"}) {
            gzFile file = gzopen(name.c_str(), mode);
            const std::string part = mode[0] == 'w' ? bytes.substr(0, 20) : bytes.substr(20);
            QCOMPARE(gzwrite(file, part.data(), static_cast<unsigned>(part.size())), static_cast<int>(part.size()));
            gzclose(file);
        }

        const auto trace = readTraceFile(name, 0);

        QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
        QCOMPARE(trace.value().size(), 2U);
        const auto node = readNode(trace.value(), name, 1);
        QVERIFY(node);
        QCOMPARE(node.value().dataDeps, std::vector<std::uint64_t>{1});
    }

    void refusesCutAndExplodingGzip()
    {
        const std::string name = path("bomb.0.et.gz");
        gzFile file = gzopen(name.c_str(), "wb9");
        // A metadata message of 100 MB of one letter packs a thousandfold.
        const std::string body = bytesField(1, std::string(100'000'000, 'v'));
        const std::string bytes = framed(body);
        QCOMPARE(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
        gzclose(file);

        const auto bomb = readTraceFile(name, 3);
        QVERIFY(!bomb);
        QVERIFY(QString::fromStdString(bomb.error().text()).contains(QLatin1String("rank 3")));
        QVERIFY(QString::fromStdString(bomb.error().text()).contains(QLatin1String("times its size")));

        QVERIFY(writeBytes(name, readBytes(name).substr(0, 60)));
        const auto cut = readTraceFile(name, 3);
        QVERIFY(!cut);
        QVERIFY(QString::fromStdString(cut.error().text()).contains(QLatin1String("cut off")));
    }

    void readsTheJsonOfTheOldFeeder()
    {
        const auto trace = readTraceBytes(kFeederJson);

        QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
        const RankTrace& t = trace.value();
        QCOMPARE(t.size(), 2U);
        QCOMPARE(t.name(0), std::string_view("a"));
        QVERIFY(t.onHost(0));
        QCOMPARE(t.ctrlDependencies(0)[0], std::uint64_t{3});
        QCOMPARE(t.value(0, EtField::Duration), 12);
        QCOMPARE(t.value(1, EtField::CommType), 6);
        QCOMPARE(t.value(1, EtField::CommSize), 65536);
    }

    void readsTheJsonOfTheSymbolicGenerator()
    {
        const auto trace = readTraceBytes(kGeneratorJson);

        QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
        const RankTrace& t = trace.value();
        QVERIFY(t.is(0, EtNodeType::Collective) && t.is(1, EtNodeType::Comp));
        QCOMPARE(t.value(0, EtField::CommSize), 20971520);
        QCOMPARE(t.value(0, EtField::CommType), 2);
        QCOMPARE(t.groupName(0), std::string_view("3"));
        QCOMPARE(t.value(1, EtField::NumOps), 7);
        QVERIFY(!t.has(0, EtField::NumOps));
    }

    void readsTheJsonizersSequence()
    {
        const auto trace = readTraceBytes(kJsonizerJson);

        QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
        const RankTrace& t = trace.value();
        QCOMPARE(t.size(), 2U);
        QCOMPARE(t.metadata().textOf("schema"), std::string("s{}"));
        QCOMPARE(t.id(0), std::uint64_t{9007199254740993});
        QCOMPARE(t.dataDependencies(0).size(), std::size_t{2});
        QCOMPARE(t.value(0, EtField::Duration), 8);
        QCOMPARE(t.value(0, EtField::CommSize), 1048576);
        QCOMPARE(t.value(0, EtField::InvolvedDim), (std::int64_t{2} << 32) | 1);
        QVERIFY(!t.has(0, EtField::CommType));
        QCOMPARE(t.id(1), std::uint64_t{0});
    }

    void jsonErrorsNameTheLine()
    {
        const auto trace = readTraceBytes("{\"workload_graph\": [\n  {\"Id\": 1, \"NodeType\": 4,\n   oops}]}");

        QVERIFY(!trace);
        QCOMPARE(trace.error().place.line, 3);
    }

    void namesAreAlwaysValidUtf8()
    {
        const std::string node = varintField(1, 1) + bytesField(2, std::string("gr\xc3\xbc\xc3\x9f \xff\xc3 name longer than sixteen")) + varintField(3, 4) + varintField(7, 1);
        const auto trace = readTraceBytes(framed(bytesField(1, "0.0.4")) + framed(node));

        QVERIFY(trace);
        QCOMPARE(trace.value().name(0), std::string_view("gr\xc3\xbc\xc3\x9f ?? name longer than sixteen"));
    }

    void filesLargerThanABlockReadTheSameAtAnyAlignment()
    {
        // Message ends fall on every position relative to the blocks of the reader.
        std::vector<EtNode> nodes;
        std::mt19937 random(seeded(7));
        for (std::uint64_t i = 0; i < 30000; ++i) {
            nodes.push_back(compNode(i, i + 1, i == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{i - 1}));
            nodes.back().name.append(random() % 97, 'x');
        }
        const std::string bytes = etBytes({"0.0.4", {}}, nodes);
        QVERIFY(bytes.size() > 1'500'000);
        QVERIFY(writeBytes(path("long.0.et"), bytes));

        const auto trace = readTraceFile(path("long.0.et"));

        QVERIFY(trace);
        QCOMPARE(trace.value().size(), 30000U);
        for (std::uint32_t i = 0; i < trace.value().size(); ++i) {
            QCOMPARE(trace.value().id(i), std::uint64_t{i});
            QCOMPARE(trace.value().name(i), std::string_view(nodes[i].name));
            QCOMPARE(trace.value().value(i, EtField::Duration), std::int64_t{i} + 1);
        }
        const auto last = readNode(trace.value(), path("long.0.et"), 29999);
        QVERIFY(last);
        QCOMPARE(last.value(), nodes[29999]);
    }

    void equalRankFilesShareOneTraceWithAnyThreads()
    {
        const std::string same = etBytes({"0.0.4", {}}, {compNode(1, 5)});
        const std::string other = etBytes({"0.0.4", {}}, {compNode(1, 6)});
        for (int rank = 0; rank < 16; ++rank)
            QVERIFY(writeBytes(path("many.") + std::to_string(rank) + ".et", rank == 9 ? other : same));

        for (const int threads : {1, 4}) {
            const auto set = TraceSet::load(path("many"), {0, threads});
            QVERIFY(set);
            QCOMPARE(set.value().rankCount(), std::int64_t{16});
            for (int rank = 1; rank < 16; ++rank)
                QCOMPARE(set.value().shared(rank) == set.value().shared(0), rank != 9);
            QCOMPARE(set.value().rank(9).value(0, EtField::Duration), 6);
        }
    }

    void theFirstErrorIsTheLowestRanksWithAnyThreads()
    {
        for (int rank = 0; rank < 12; ++rank)
            QVERIFY(writeBytes(path("bad.") + std::to_string(rank) + ".et", rank >= 5 ? std::string() : etBytes({"0.0.4", {}}, {compNode(1, 5)})));

        for (const int threads : {1, 3, 8}) {
            const auto set = TraceSet::load(path("bad"), {0, threads});
            QVERIFY(!set);
            QCOMPARE(set.error().place.rank, std::int64_t{5});
        }
    }

    void missingRanksAreNamedWithBothCounts()
    {
        for (int rank = 0; rank < 4; ++rank)
            QVERIFY(writeBytes(path("four.") + std::to_string(rank) + ".et", etBytes({"0.0.4", {}}, {compNode(1, 5)})));

        const auto eight = TraceSet::load(path("four"), {8, 1});
        QVERIFY(!eight);
        const QString text = QString::fromStdString(eight.error().text());
        QVERIFY2(text.contains(QLatin1String("four.4.et")) && text.contains(QLatin1String("8 ranks")) && text.contains(QLatin1String("of 4 are there")), qPrintable(text));

        const auto two = TraceSet::load(path("four"), {2, 1});
        QVERIFY(two);
        QCOMPARE(two.value().surplusFiles(), std::int64_t{2});

        const auto slip = TraceSet::load(path("four.0.et"));
        QVERIFY(!slip);
        QVERIFY(QString::fromStdString(slip.error().text()).contains(QLatin1String("the prefix")));
    }

    void otherFormsServeWhereNoEtFileIs()
    {
        QVERIFY(writeBytes(path("mixed.0.json"), kOneNode));
        QVERIFY(writeBytes(path("mixed.0.et"), etBytes({"0.0.4", {}}, {compNode(1, 5), compNode(2, 5)})));
        QVERIFY(writeBytes(path("mixed.1.json"), kOneNode));

        const auto set = TraceSet::load(path("mixed"));

        QVERIFY(set);
        QCOMPARE(set.value().rank(0).size(), 2U);
        QCOMPARE(set.value().rank(1).size(), 1U);
    }

    void everyTruncationIsRefusedOrReadsWholeNodes()
    {
        EtNode second = collNode(2, EtCommType::AllReduce, 1 << 20, {1}, "1");
        const std::string bytes = etBytes({"0.0.4", {}}, {compNode(1, 5), second});
        const std::size_t firstEnd = etBytes({"0.0.4", {}}, {compNode(1, 5)}).size();
        const std::size_t metadataEnd = etBytes({"0.0.4", {}}, {}).size();

        for (std::size_t length = 0; length < bytes.size(); ++length) {
            const auto trace = readTraceBytes(bytes.substr(0, length));
            const bool whole = length == firstEnd || length == metadataEnd;
            QVERIFY2(static_cast<bool>(trace) == whole, qPrintable(QString::number(length)));
            if (!trace && length > 0)
                QCOMPARE(trace.error().place.offset, static_cast<std::int64_t>(length));
        }
    }

    void agreesWithProtobufOnMutatedBytes()
    {
        // The oracle says whether a message is well formed and what its fields are; strings must be valid UTF-8 for it, so only accepted ones are compared.
        const google::protobuf::LogSilencer quiet;
        std::mt19937 random(seeded(11));
        const std::string good = [] {
            EtNode node = collNode(300, EtCommType::AllReduce, 70000, {1, 2, 300000}, "1");
            node.ctrlDeps = {4};
            node.durationMicros = 5;
            const std::string bytes = etBytes({"", {}}, {node});
            return bytes.substr(bytes.find('\x08', 1) == std::string::npos ? 0 : 2); // behind the empty metadata and the length
        }();
        int accepted = 0;
        for (int round = 0; round < cases(20000); ++round) {
            std::string message = good;
            const int changes = 1 + static_cast<int>(random() % 2);
            for (int c = 0; c < changes; ++c)
                message[random() % message.size()] = static_cast<char>(random());
            ChakraProtoMsg::Node oracle;
            if (!oracle.ParseFromString(message))
                continue;
            const auto trace = readTraceBytes(std::string(1, '\0') + framed(message));
            if (!trace) {
                // What we refuse beyond protobuf: times above 2^63.
                QVERIFY2(oracle.duration_micros() >> 63 || oracle.start_time_micros() >> 63, trace.error().text().c_str());
                continue;
            }
            if (trace.value().dialect() != EtDialect::Current)
                continue;
            ++accepted;
            QCOMPARE(trace.value().id(0), std::uint64_t{oracle.id()});
            QCOMPARE(trace.value().type(0), static_cast<std::int32_t>(oracle.type()));
            QCOMPARE(trace.value().value(0, EtField::Duration), static_cast<std::int64_t>(oracle.duration_micros()));
            QCOMPARE(trace.value().dataDependencies(0).size(), static_cast<std::size_t>(oracle.data_deps_size()));
            for (int i = 0; i < oracle.data_deps_size(); ++i)
                QCOMPARE(trace.value().dataDependencies(0)[at(i)], std::uint64_t{oracle.data_deps(i)});
        }
        QVERIFY(accepted > cases(1000));
    }
};

FABRICSCOPE_TEST(EtReaderTest)
#include "tst_etreader.moc"
