#include "core/trace/lint.h"
#include "core/workload/traceworkload.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// What loading, converting and linting a case says.
struct Outcome {
    QString reject; ///< Error of the load.
    QString refuse; ///< Error of the conversion.
    Diagnostics run;
    Diagnostics lint;
};

Outcome outcomeOf(const std::string& folder)
{
    Outcome out;
    auto traces = TraceSet::load(folder + "/t");
    if (!traces) {
        out.reject = QString::fromStdString(traces.error().text());
        return out;
    }
    CommGroups groups;
    if (std::filesystem::exists(folder + "/comm_group.json")) {
        auto read = readCommGroups(folder + "/comm_group.json");
        if (!read) {
            out.reject = QString::fromStdString(read.error().text());
            return out;
        }
        groups = std::move(read).value();
    }
    out.lint = lintTraces(traces.value(), groups);
    const auto workload = workloadFromTraces(traces.value(), groups);
    if (workload)
        out.run = workload.value().diagnostics;
    else
        out.refuse = QString::fromStdString(workload.error().text());
    return out;
}

struct Expected {
    const char* name;
    const char* level;
    const char* words; ///< All must be in the message; separated by |.
    const char* rule;  ///< The linter's finding; empty: none is looked for.
};

// Levels are those of expected.csv, or better ones that its README allows (schema 0.0.1 is read right); words are what it says must be said.
const Expected kCases[] = {
    {"control_good", "OK", "", ""},
    {"empty_file", "REJECT", "t.2.et|rank 2|empty (0 bytes)", ""},
    {"truncated_in_length", "REJECT", "t.0.et|rank 0|byte 270|inside the length", ""},
    {"truncated_in_metadata", "REJECT", "t.1.et|rank 1|byte 3|metadata", ""},
    {"length_plus_one", "REJECT", "t.0.et|rank 0|byte 269|69 bytes|68 are there", ""},
    {"length_2_31", "REJECT", "t.0.et|rank 0|byte 137|2147483648", ""},
    {"varint_too_long", "REJECT", "t.0.et|rank 0|byte 137|more than five bytes", ""},
    {"zeros_64k", "REJECT", "t.0.et|rank 0|byte 1|empty message", ""},
    {"random_bytes", "REJECT", "t.0.et|rank 0|byte ", ""},
    {"json_named_et", "REJECT", "t.0.et|rank 0|JSON", ""},
    {"field_zero", "REJECT", "t.0.et|rank 0|byte 143|number 0", ""},
    {"unknown_fields", "OK", "", ""},
    {"schema_0_0_1", "WARN", "0.0.1", "old-schema"},
    {"duplicate_ids", "ERROR", "rank 1|node 3|two nodes", "duplicate-id"},
    {"cycle_two", "ERROR", "rank 0|3 waits for 5 waits for 3", "cycle"},
    {"dangling_data_dep", "ERROR", "rank 0|node 5|9999", "dangling-data-dep"},
    {"unknown_node_type", "ERROR", "rank 0|node 3|type 42", "unknown-node-type"},
    {"unknown_comm_type", "ERROR", "rank 0|node 2|comm_type 77", "unknown-comm-type"},
    {"missing_comm_type", "ERROR", "rank 0|node 2|no comm_type", "missing-comm-type"},
    {"comm_size_negative", "ERROR", "rank 0|node 2|comm_size|-1", "negative-size"},
    {"comm_size_string", "ERROR", "rank 0|node 2|comm_size is a string", "comm-size-odd"},
    {"attribute_twice", "WARN", "comm_size|more than once|last", "attribute-twice"},
    {"attribute_other_types", "OK", "", ""},
    {"ids_huge", "OK", "", ""},
    {"missing_rank_file", "REJECT", "t.2.et|rank 2|missing", ""},
    {"collective_order", "DEADLOCK", "ALL_REDUCE|ALL_GATHER|rank 0 node 2|rank 2 node 2|ring", "collective-order"},
    {"send_without_recv", "WARN", "rank 0 sends to rank 1|never receives", "unpaired-send"},
    {"send_to_absent_rank", "ERROR", "rank 0|node 1|rank 17", "send-to-absent-rank"},
    {"tag_mismatch", "DEADLOCK", "rank 1|rank 0|tag 6", "unpaired-recv"},
    {"group_absent_rank", "ERROR", "comm_group.json:1|\"g\"|rank 9", "group-absent-rank"},
    {"group_not_a_member", "ERROR", "rank 3|node 1|\"g\"|no member", "group-not-a-member"},
    {"group_file_cut", "REJECT", "comm_group.json:1|cut off", ""},
};

} // namespace

class BadTracesTest : public QObject {
    Q_OBJECT

private slots:
    void everyRowOfTheTableHasATest()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QStringList names;
        for (const QByteArray& line : QByteArray::fromStdString(readBytes(shared + "/corpus/bad_traces/expected.csv")).split('\n').mid(1)) {
            if (!line.trimmed().isEmpty())
                names << QString::fromLatin1(line.split(',').first());
        }
        QStringList tested;
        for (const Expected& expected : kCases)
            tested << QString::fromLatin1(expected.name);
        QCOMPARE(tested, names);
    }

    void saysWhatItMust_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kCases); ++i)
            QTest::newRow(kCases[i].name) << static_cast<int>(i);
    }
    void saysWhatItMust()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        QFETCH(int, index);
        const Expected& expected = kCases[index];
        const QString level = QString::fromLatin1(expected.level);

        const Outcome outcome = outcomeOf(shared + "/corpus/bad_traces/" + expected.name);

        QCOMPARE(!outcome.reject.isEmpty(), level == QLatin1String("REJECT"));
        QCOMPARE(!outcome.refuse.isEmpty(), level == QLatin1String("ERROR"));
        const Diagnostic* found = findRule(outcome.lint, expected.rule);
        QString said = outcome.reject + outcome.refuse;
        if (expected.rule[0] != '\0') {
            QVERIFY2(found, "the linter says nothing");
            QCOMPARE(found->severity == Severity::Error, level != QLatin1String("WARN"));
            if (said.isEmpty())
                said = QString::fromStdString(found->text());
        }
        if (level == QLatin1String("OK")) {
            QVERIFY(outcome.run.empty());
            QVERIFY2(outcome.lint.empty(), outcome.lint.empty() ? "" : outcome.lint.front().text().c_str());
        }
        const QStringList words = QString::fromLatin1(expected.words).split(QLatin1Char('|'), Qt::SkipEmptyParts);
        for (const QString& word : words)
            QVERIFY2(said.contains(word), qPrintable(word + QLatin1String(" not in: ") + said));
    }

    void oddIntegersHaveTheirValues()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const auto traces = TraceSet::load(shared + "/corpus/bad_traces/attribute_other_types/t");
        QVERIFY(traces);
        const auto workload = workloadFromTraces(traces.value(), {});
        QVERIFY(workload);
        const RankGraph& graph = workload.value().workload->graph(0);
        // 1 MiB as uint32 and as sint64 (zigzag); the all-gather's large side is 4 ranks x 1 MiB.
        QCOMPARE(graph.bytes[1], std::int64_t{1} << 20);
        QCOMPARE(graph.bytes[2], std::int64_t{4} << 20);
        QVERIFY(graph.op[2] == CollectiveOp::AllGather);
    }
};

FABRICSCOPE_TEST(BadTracesTest)
#include "tst_badtraces.moc"
