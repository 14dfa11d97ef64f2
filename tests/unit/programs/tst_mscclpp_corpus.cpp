// The execution plans of the shared folder: read, verified against the collective they name, executed without the verifier, and simulated.
#include "core/base/files/textfile.h"
#include "core/design/design.h"
#include "core/program/innetwork.h"
#include "core/program/onesided.h"
#include "core/programio/mscclpp.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"
#include "core/step/replaychecks.h"
#include "core/verify/verify.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <filesystem>

using namespace fabricscope;
using namespace fabricscope::test;

class TestMscclppCorpus : public QObject {
    Q_OBJECT

private slots:
    void plansDoWhatTheirCollectiveAsks_data();
    void plansDoWhatTheirCollectiveAsks();
    void plansRunUnderLinks_data() { plansDoWhatTheirCollectiveAsks_data(); }
    void plansRunUnderLinks();
    void plansAreSteppedAndConverted_data() { plansDoWhatTheirCollectiveAsks_data(); }
    void plansAreSteppedAndConverted();
};

void TestMscclppCorpus::plansDoWhatTheirCollectiveAsks_data()
{
    QTest::addColumn<QString>("path");
    FABRICSCOPE_NEEDS_SHARED(shared);
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus/mscclpp")) {
        if (entry.path().extension() == ".json")
            files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    QVERIFY(files.size() >= 10);
    for (const std::string& file : files)
        QTest::newRow(std::filesystem::path(file).stem().c_str()) << QString::fromStdString(file);
}

void TestMscclppCorpus::plansDoWhatTheirCollectiveAsks()
{
    QFETCH(QString, path);
    auto text = readTextFile(path.toStdString());
    QVERIFY(text);
    const auto read = parseMscclppPlan(text.value(), path.toStdString());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const ProgramPtr program = read.value();
    VerifyOptions options;
    options.hints = false;
    const Verification verified = verify(*program, options);
    for (const VerifyFinding& finding : verified.findings)
        QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());
    QVERIFY(verified.valid && verified.postcondition == Postcondition::Holds);
    const auto sided = toTwoSided(program);
    QVERIFY2(sided, sided ? "" : sided.error().text().c_str());
    if (program->asExplicit().size() > 5000) // The run by hand is slow.
        return;
    for (const ProgramPtr& form : {program, sided.value()}) {
        const ProgramRun run = runProgram(*form, 7, program->inPlace);
        QVERIFY(run.finished);
        QVERIFY2(run.fault.empty(), run.fault.c_str());
        QVERIFY(meetsContract(*program, run.memory, program->inPlace));
    }
}

void TestMscclppCorpus::plansRunUnderLinks()
{
    QFETCH(QString, path);
    auto plan = readTextFile(path.toStdString());
    QVERIFY(plan);
    const auto read = parseMscclppPlan(plan.value(), path.toStdString());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const auto designOf = [&](const std::string& offload) {
        return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: " + std::to_string(read.value()->ranks) + ", bandwidth: 100 GB/s, latency: 500 ns" + offload
            + "}\nworkload: {collective: " + std::string(collectiveKey(read.value()->op)) + ", size: 1 MiB}\ncollectives: {default: {program: " + path.toStdString() + "}}\nmodel: {name: links}\n";
    };
    const auto runOf = [](const std::string& text) -> Result<RunRecord> {
        auto loaded = readDesignText(text, "test.yaml");
        if (!loaded)
            return std::move(loaded).error();
        auto scenario = prepare(loaded.value().design);
        if (!scenario)
            return std::move(scenario).error();
        return simulate(*scenario.value());
    };
    const auto record = runOf(designOf(", in_network: {reduction: 400 GB/s, latency: 200 ns}"));
    QVERIFY2(record, record ? "" : record.error().text().c_str());
    QVERIFY(record.value().complete);
    // Every rank of the collective gives, or takes, no less than what it lacks: a lower bound from the bytes over its one link.
    const std::int64_t ranks = read.value()->ranks;
    const std::int64_t bytes = 1 << 20;
    const bool reduces = read.value()->op == CollectiveOp::AllReduce;
    const std::int64_t least = (reduces ? bytes : bytes * (ranks - 1) / ranks) * 10; // ps, at 100 GB/s: 10 ps a byte.
    QVERIFY2(record.value().finish.ps >= least, qPrintable(QString::number(record.value().finish.ps)));
    if (!usesSwitches(*read.value()))
        return;
    const auto plain = runOf(designOf({}));
    QVERIFY(!plain);
    QVERIFY2(plain.error().message.find("switch") != std::string::npos, plain.error().text().c_str());
}

void TestMscclppCorpus::plansAreSteppedAndConverted()
{
    QFETCH(QString, path);
    const auto text = readTextFile(path.toStdString());
    QVERIFY(text);
    const CheckedProgram checked = checkProgramText(text.value(), path.toStdString(), {}, false);
    QVERIFY2(checked.replay, checked.replayNote.c_str());
    QVERIFY(checked.replay->steps() > 0);
    const auto json = parseProgramJson(writeProgramJson(*checked.program), "written.json");
    QVERIFY(json);
    QVERIFY(json.value()->digest() == checked.program->digest());
    const auto sided = toTwoSided(checked.program, BareSignals::Fold);
    QVERIFY2(sided, sided ? "" : sided.error().text().c_str());
    const auto xml = programXml(sided.value());
    if (usesSwitches(*checked.program)) {
        QVERIFY(!xml);
        QVERIFY2(xml.error().message.find("switches") != std::string::npos, xml.error().text().c_str());
        return;
    }
    QVERIFY2(xml, xml ? "" : xml.error().text().c_str());
    const auto back = parseMsccl(xml.value(), "written.xml");
    QVERIFY(back && back.value().valid());
    VerifyOptions options;
    options.hints = false;
    const Verification verified = verify(*back.value().program, options);
    QVERIFY2(verified.valid && verified.postcondition == Postcondition::Holds, verified.findings.empty() ? "" : verified.findings.front().message.c_str());
}

FABRICSCOPE_TEST(TestMscclppCorpus)
#include "tst_mscclpp_corpus.moc"
