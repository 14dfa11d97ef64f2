#include "tests/unit/support/cases/scriptcase.h"

#include "core/verify/verify.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

/// The scripts of resources/examples/programs: each makes a right program, for several sizes.
class ScriptExamplesTest : public QObject {
    Q_OBJECT

private slots:
    void areRight_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("parameters");
        const auto rows = [](const char* name, const QStringList& sets) {
            for (const QString& set : sets)
                QTest::addRow("%s %s", name, qPrintable(set)) << QString(name) << set;
        };
        rows("allreduce_ring", {"", "ranks=2", "ranks=3", "ranks=5 channels=2", "ranks=9 channels=3"});
        rows("allreduce_allpairs", {"", "ranks=2", "ranks=5"});
        rows("allreduce_hierarchical", {"", "nodes=3 gpus=2", "nodes=4 gpus=4", "nodes=2 gpus=5"});
        rows("allreduce_switch", {"", "ranks=2", "ranks=5"});
        rows("alltoall_twostep", {"", "nodes=3 gpus=2", "nodes=2 gpus=3", "nodes=4 gpus=2"});
        rows("alltonext", {"", "nodes=3 gpus=2", "nodes=4 gpus=3"});
        rows("broadcast_tree", {"", "ranks=7 root=3", "ranks=2 pieces=1", "ranks=13 root=12 pieces=2"});
        rows("allgather_doubling", {"", "ranks=2", "ranks=16"});
    }
    void areRight()
    {
        QFETCH(QString, name);
        QFETCH(QString, parameters);
        std::map<std::string, double> values;
        for (const QString& one : parameters.split(' ', Qt::SkipEmptyParts))
            values[one.section('=', 0, 0).toStdString()] = one.section('=', 1).toDouble();
        const Result<Script> script = compileText(exampleScript(name.toStdString()), values);
        QVERIFY2(script, script ? "" : script.error().text().c_str());
        for (const Diagnostic& note : script.value().notes)
            QFAIL(note.text().c_str());
        QCOMPARE(wrongResult(*script.value().program), std::string());
        const Verification verification = verify(*script.value().program);
        QVERIFY2(verification.valid, verification.findings.empty() ? "" : verification.findings.front().message.c_str());
        QCOMPARE(verification.postcondition, Postcondition::Holds);
        QCOMPARE(verification.minimumSlots, name == QStringLiteral("allreduce_switch") ? 0 : 1); // It has no connections.
    }

    void everyOneIsTested()
    {
        QDir folder(QString::fromStdString(exampleFolder()));
        QCOMPARE(folder.entryList({"*.lua"}).size(), 8);
    }

    /// Steps as the papers count them: 2 (n - 1) for a ring, 2 for all pairs, log2 n for doubling, 2 for the two-step exchange.
    void takeTheStepsOfTheirAlgorithms()
    {
        const auto steps = [](const char* name) {
            const Result<Script> script = compileText(exampleScript(name));
            const ExplicitBody& body = script.value().program->asExplicit();
            std::int32_t last = -1;
            for (std::uint32_t op = 0; op < body.size(); ++op) {
                if (body.kind[op] == OpKind::Send)
                    last = std::max(last, body.step[op]);
            }
            return last + 1;
        };
        QCOMPARE(steps("allreduce_ring"), 14);
        QCOMPARE(steps("allreduce_allpairs"), 2);
        QCOMPARE(steps("allgather_doubling"), 3);
        QCOMPARE(steps("alltoall_twostep"), 2);
        QCOMPARE(steps("broadcast_tree"), 3);
        QCOMPARE(steps("allreduce_hierarchical"), 3 + 1 + 1 + 3);
    }
};

FABRICSCOPE_TEST(ScriptExamplesTest)
#include "tst_script_examples.moc"
