// What lint refuses a run refuses or cannot finish, in the same words; what lint warns of a run warns of too. Through the program, on traces with one
// thing wrong and on random ones.
#include "tests/unit/support/cases.h"
#include "core/base/index.h"
#include "tests/unit/support/cases/tracefiles.h"
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Ranks = std::vector<std::vector<EtNode>>;
constexpr std::int64_t kMiB = 1 << 20;

class Folder {
public:
    QString path() const { return m_folder.path(); }
    /// t.0.et ... of one trial; earlier ones go.
    void write(const Ranks& ranks) const
    {
        for (const QString& old : QDir(path()).entryList({"t.*.et"}))
            QFile::remove(m_folder.filePath(old));
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            auto writer = EtWriter::create(m_folder.filePath(QStringLiteral("t.%1.et").arg(rank)).toStdString(), {"0.0.4", {}});
            QVERIFY(bool(writer));
            for (const EtNode& node : ranks[rank])
                QVERIFY(bool(writer.value().add(node)));
            QVERIFY(bool(writer.value().finish()));
        }
        QFile design(m_folder.filePath("d.yaml"));
        QVERIFY(design.open(QIODevice::WriteOnly));
        design.write(QStringLiteral("fabricscope: 1\nplatform: {topology: Ring(%1), bandwidth: 50 GB/s, latency: 1 us}\nworkload: {trace: t}\nmodel: {name: links}\n").arg(ranks.size()).toUtf8());
    }
    CliResult lint() const { return runCli(QStringList{"lint", "t"}, path()); }
    CliResult simulate(const QStringList& more = {}) const { return runCli(QStringList{"simulate", "d.yaml"} + more, path()); }

private:
    QTemporaryDir m_folder;
};

/// The messages of lines that begin with `severity`, without count and rule at their end.
QStringList messages(const QByteArray& text, const QString& severity)
{
    static const QRegularExpression tail("(; \\d+ of this kind.*)?( \\[[a-z0-9-]+\\])?$");
    QStringList out;
    for (QString line : QString::fromUtf8(text).split('\n')) {
        if (line.startsWith(severity + ": "))
            out.push_back(line.mid(severity.size() + 2).remove(tail));
    }
    return out;
}

} // namespace

class CliLintTest : public QObject {
    Q_OBJECT

private slots:
    void aRunRefusesWhatLintRefusesInTheSameWords_data()
    {
        QTest::addColumn<int>("trial");
        QTest::addColumn<QString>("words");
        QTest::newRow("sizes of members") << 0 << "do not agree on comm_size: 1048576 on rank 0 (t.0.et, node 1), 2097152 here";
        QTest::newRow("number of collectives") << 1 << "rank 0 issues 2 ALL_REDUCE in all ranks, but rank 1 (t.1.et) issues 1";
        QTest::newRow("kinds of collectives") << 2 << "but rank 1 (t.1.et) issues 0";
        QTest::newRow("sizes of a message") << 3 << "rank 1 receives 2000 bytes where rank 0 (t.0.et, node 1) sends 1000";
        QTest::newRow("no rank") << 4 << "comm_dst is -1, which is no rank";
    }
    void aRunRefusesWhatLintRefusesInTheSameWords()
    {
        QFETCH(int, trial);
        QFETCH(QString, words);
        const auto coll = [](std::uint64_t id, EtCommType type, std::int64_t bytes) { return collNode(id, type, bytes); };
        const std::vector<Ranks> trials{
            {{coll(1, EtCommType::AllReduce, kMiB)}, {coll(1, EtCommType::AllReduce, 2 * kMiB)}},
            {{coll(1, EtCommType::AllReduce, kMiB), coll(2, EtCommType::AllReduce, kMiB)}, {coll(1, EtCommType::AllReduce, kMiB)}},
            {{coll(1, EtCommType::AllReduce, kMiB)}, {coll(1, EtCommType::AllGather, kMiB)}},
            {{sendNode(1, 1, 7, 1000)}, {recvNode(1, 0, 7, 2000)}},
            {{sendNode(1, -1, 7, 1000)}, {compNode(1, 3)}},
        };
        const Folder folder;
        folder.write(trials[at(trial)]);

        const CliResult lint = folder.lint();
        const CliResult run = folder.simulate();

        QCOMPARE(lint.exit, 1);
        QCOMPARE(run.exit, 2);
        QVERIFY2(lint.out.contains(words.toUtf8()), lint.out.constData());
        QCOMPARE(messages(run.err, "error"), messages(lint.out, "error"));
        QVERIFY(!run.err.contains("rank -1") && !lint.out.contains("rank -1"));
    }

    void aRunWarnsOfWhatLintWarnsOf_data()
    {
        QTest::addColumn<int>("trial");
        QTest::addColumn<QString>("words");
        QTest::newRow("a send nobody receives") << 0 << "t.0.et, rank 0, node 1: rank 0 sends to rank 1 with tag 7, but rank 1 never receives it";
        QTest::newRow("zero bytes") << 1 << "a collective of 0 bytes moves nothing";
        QTest::newRow("a dependency many times") << 2 << "t.0.et, rank 0, node 2: the node lists node 1 among its dependencies more than once; once counts";
        QTest::newRow("a name that is no UTF-8") << 3 << "t.1.et, rank 1, node 1, name: the name is not UTF-8";
    }
    void aRunWarnsOfWhatLintWarnsOf()
    {
        QFETCH(int, trial);
        QFETCH(QString, words);
        EtNode odd = compNode(1, 3);
        odd.name = "a\xff";
        const std::vector<Ranks> trials{
            {{sendNode(1, 1, 7, 1000)}, {compNode(1, 3)}},
            {{collNode(1, EtCommType::AllReduce, 0)}, {collNode(1, EtCommType::AllReduce, 0)}},
            {{compNode(1, 3), compNode(2, 3, std::vector<std::uint64_t>(100'000, 1))}, {compNode(1, 3)}},
            {{compNode(1, 3)}, {odd}},
        };
        const Folder folder;
        folder.write(trials[at(trial)]);

        const CliResult lint = folder.lint();

        QCOMPARE(lint.exit, 0);
        QVERIFY2(lint.out.contains(words.toUtf8()), lint.out.constData());
        for (const QStringList& form : {QStringList{}, QStringList{"--json"}}) {
            const CliResult run = folder.simulate(form);
            QCOMPARE(run.exit, 0);
            QVERIFY2(run.err.contains("warning: ") && run.err.contains(words.toUtf8()), run.err.constData());
        }
    }

    void equalSizesInAnotherOrderAreNoError()
    {
        const Folder folder;
        folder.write({{collNode(1, EtCommType::AllReduce, kMiB), collNode(2, EtCommType::AllReduce, 2 * kMiB)}, {collNode(1, EtCommType::AllReduce, 2 * kMiB), collNode(2, EtCommType::AllReduce, kMiB)}});

        QCOMPARE(folder.lint().exit, 0);
        QCOMPARE(folder.simulate().exit, 0);
    }

    void rankFilesThatAreNotUsedAreSaid()
    {
        const Folder folder;
        folder.write({{compNode(1, 3)}, {compNode(1, 3)}});
        QVERIFY(QFile::rename(folder.path() + "/t.1.et", folder.path() + "/t.5.et"));
        QVERIFY(QFile::copy(folder.path() + "/t.0.et", folder.path() + "/t.1.et"));

        const CliResult run = folder.simulate();
        const CliResult astra = folder.simulate({"--model", "astra-unaware"});

        // The reference takes the ranks it needs; a physical model would answer another question.
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains("the machine has 2 NPUs, the workload has traces of 3 ranks"), run.err.constData());
        QCOMPARE(astra.exit, 0);
        QVERIFY2(astra.err.contains("warning: t: the machine has 2 NPUs, the workload has traces of 3 ranks; those beyond rank 1 are ignored"), astra.err.constData());
    }

    void onRandomTracesBothAgree()
    {
        std::mt19937_64 random(20261122);
        const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
        const Folder folder;
        int refused = 0;
        int passed = 0;
        for (int round = 0; round < cases(60); ++round) {
            const std::size_t count = 2 + static_cast<std::size_t>(below(2));
            Ranks ranks(count);
            // Fitting traces, then up to two changes somewhere.
            for (std::uint64_t id = 1; id <= 4; ++id) {
                const auto type = below(2) == 0 ? EtCommType::AllReduce : EtCommType::AllGather;
                const std::int64_t bytes = (1 + below(3)) * 4096;
                for (auto& own : ranks)
                    own.push_back(collNode(id, type, bytes, id > 1 && below(2) == 0 ? std::vector<std::uint64_t>{id - 1} : std::vector<std::uint64_t>{}));
            }
            const std::int64_t tag = below(3);
            ranks[0].push_back(sendNode(10, 1, tag, 5000));
            ranks[1].push_back(recvNode(10, 0, tag, 5000));
            for (std::int64_t changes = below(3); changes > 0; --changes) {
                auto& own = ranks[at(below(count))];
                const auto which = static_cast<std::size_t>(below(own.size()));
                switch (below(3)) {
                case 0: own.erase(own.begin() + static_cast<std::ptrdiff_t>(which)); break;
                case 1: own[which] = collNode(own[which].id, EtCommType::AllReduce, (1 + below(3)) * 4096); break;
                default: own.push_back(collNode(100 + own.size(), EtCommType::AllReduce, 4096)); break;
                }
            }
            folder.write(ranks);
            const CliResult lint = folder.lint();
            const CliResult run = folder.simulate();
            const QByteArray both = "seed round " + QByteArray::number(round) + "\nlint: " + lint.out + "\nrun: " + run.err;
            QVERIFY2(lint.exit == 0 || lint.exit == 1, both.constData());
            // Removed nodes may leave dependencies on nothing; both refuse those.
            // Members that are free to issue collectives in different orders may block each other, which only a run can tell.
            const bool order = run.exit == 3 && run.err.contains("the group runs another collective first");
            QVERIFY2((lint.exit == 1) == (run.exit == 2 || run.exit == 3) || order, both.constData());
            if (run.exit == 2)
                QVERIFY2(messages(lint.out, "error").contains(messages(run.err, "error").value(0)), both.constData());
            (lint.exit == 1 ? refused : passed) += 1;
        }
        QVERIFY(refused > cases(60) / 10);
        QVERIFY(passed > cases(60) / 10 || cases(60) < 20);
    }
};

FABRICSCOPE_TEST(CliLintTest)
#include "tst_cli_lint.moc"
