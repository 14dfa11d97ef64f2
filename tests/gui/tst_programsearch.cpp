// Programs searched for the platform, and used in the design, from the Programs workspace.
#include "tests/gui/support/programsalone.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/runresults.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/synthesispanel.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/results/table.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>

#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

class ProgramSearchTest : public QObject
{
    Q_OBJECT

    ProgramsAlone m_alone;
    const std::unique_ptr<ProgramWorkspace>& m_view = m_alone.view;

    void type(const QString& text) { m_alone.type(text); }

    static PlatformSpec ring(std::int32_t npus)
    {
        PlatformSpec spec;
        spec.dimensions = {testDimension(Shape::Ring, npus, 50, 0.5)};
        return spec;
    }
    SynthesisPanel* openSynthesis(const PlatformSpec& spec)
    {
        SynthesisPanel* panel = m_view->synthesis();
        panel->setPlatform(std::make_shared<const PlatformSpec>(spec), Platform::create(spec).value().npuCount(), QStringLiteral("test.yaml"));
        m_view->showSynthesis(true);
        return panel;
    }

private slots:
    void initTestCase() { m_alone.useHome(); }
    void init() { m_alone.open(); }
    void cleanup() { m_alone.view.reset(); }

    void aProgramIsSearchedForThePlatform()
    {
        SynthesisPanel& panel = *openSynthesis(ring(4));
        named<QLineEdit>(panel, "Size").setText(QStringLiteral("4 MiB"));
        named<QComboBox>(panel, "Method").setCurrentIndex(named<QComboBox>(panel, "Method").findData(QStringLiteral("greedy")));
        QVERIFY(!named<QPushButton>(panel, "Open as text").isEnabled());
        QTest::mouseClick(&tagged<QPushButton>(panel, "start"), Qt::LeftButton);
        QVERIFY(part<SynthesisRunner>(panel).isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !part<SynthesisRunner>(panel).isBusy(), kLongMs);

        // Every rank gets 3 shards of 1 MiB over 2 links: two steps of 0.5 us + 1 MiB / 50 GB/s.
        const SynthesisAnswer& answer = *panel.answer();
        QCOMPARE(answer.rows.size(), std::size_t{1});
        QCOMPARE(answer.rows[0].synthesis.plannedPs, 2 * (500'000 + 20'971'520));
        QCOMPARE(answer.job.members, (std::vector<NodeId>{0, 1, 2, 3}));
        QVERIFY2(answer.simulated, answer.simulateNote.c_str());
        QVERIFY(tagged<QLabel>(panel, "state").text().contains(QStringLiteral("verified")));
        QCOMPARE(part<ResultTable>(panel).view()->model()->rowCount(), 1);
        QCOMPARE(part<ResultTable>(panel).view()->model()->index(0, 4).data().toString(), QStringLiteral("best"));

        std::vector<SynthesisedProgram> opened;
        connect(&panel, &SynthesisPanel::openRequested, this, [&opened](const SynthesisedProgram& made) { opened.push_back(made); });
        QTest::mouseClick(&named<QPushButton>(panel, "Open as text"), Qt::LeftButton);
        QCOMPARE(opened.size(), std::size_t{1});
        QCOMPARE(opened[0].program->ranks, 4);
        QCOMPARE(opened[0].bytes, std::int64_t{4} << 20);
        QCOMPARE(opened[0].name, QStringLiteral("greedy_all_gather_4"));
        QVERIFY(std::any_of(opened[0].facts.begin(), opened[0].facts.end(), [](const ValueRow& row) { return row.label == QStringLiteral("Reached"); }));
    }

    void aPartOfThePlatformTakesPart()
    {
        SynthesisPanel& panel = *openSynthesis(ring(6));
        named<QLineEdit>(panel, "NPUs").setText(QStringLiteral("1-2, 4"));
        named<QComboBox>(panel, "Collective").setCurrentIndex(named<QComboBox>(panel, "Collective").findData(static_cast<int>(CollectiveOp::Broadcast)));
        named<QSpinBox>(panel, "Root").setValue(2);
        named<QComboBox>(panel, "Method").setCurrentIndex(named<QComboBox>(panel, "Method").findData(QStringLiteral("greedy")));
        QVERIFY(tagged<QPushButton>(panel, "start").isEnabled());
        QTest::keyClick(&named<QLineEdit>(panel, "Size"), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !part<SynthesisRunner>(panel).isBusy(), kLongMs);
        const SynthesisAnswer& answer = *panel.answer();
        QCOMPARE(answer.job.members, (std::vector<NodeId>{1, 2, 4}));
        QCOMPARE(answer.rows[0].synthesis.program->ranks, 3);
        QCOMPARE(answer.rows[0].synthesis.program->root, 2);
        QVERIFY2(answer.simulated, answer.simulateNote.c_str());
    }

    void automaticTriesMethodsAndTakesTheShortest()
    {
        SynthesisPanel& panel = *openSynthesis(ring(4));
        named<QSpinBox>(panel, "Chunks").setValue(0); // 1 to 16
        QTest::mouseClick(&tagged<QPushButton>(panel, "start"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !part<SynthesisRunner>(panel).isBusy(), kLongMs);
        const SynthesisAnswer& answer = *panel.answer();
        QVERIFY(answer.rows.size() > 5);
        std::set<std::string> methods;
        std::set<std::int32_t> chunks;
        for (const SynthesisRow& row : answer.rows) {
            methods.insert(row.method);
            chunks.insert(row.chunks);
            QVERIFY(row.synthesis.plannedPs >= answer.rows[answer.best].synthesis.plannedPs);
        }
        QCOMPARE(chunks, (std::set<std::int32_t>{1, 2, 4, 8, 16}));
        QVERIFY(methods.contains("greedy") && methods.contains("forest"));
        QCOMPARE(part<ResultTable>(panel).selectedId(), static_cast<qint64>(answer.best));
    }

    void aSearchThatCannotBeIsNotStarted()
    {
        SynthesisPanel& panel = *openSynthesis(ring(4));
        const auto refused = [&panel](const char* word) { return !tagged<QPushButton>(panel, "start").isEnabled() && tagged<QLabel>(panel, "note").text().contains(QString::fromLatin1(word)); };
        named<QLineEdit>(panel, "NPUs").setText(QStringLiteral("2-7"));
        QVERIFY(refused("NPUs"));
        named<QLineEdit>(panel, "NPUs").setText(QStringLiteral("3"));
        QVERIFY(refused("NPUs"));
        named<QLineEdit>(panel, "NPUs").clear();
        QVERIFY(tagged<QPushButton>(panel, "start").isEnabled());
        named<QLineEdit>(panel, "Size").setText(QStringLiteral("much"));
        QVERIFY(refused("size"));
        named<QLineEdit>(panel, "Size").setText(QStringLiteral("0 B"));
        QVERIFY(refused("nothing"));
        named<QLineEdit>(panel, "Size").setText(QStringLiteral("4096"));
        QVERIFY(tagged<QPushButton>(panel, "start").isEnabled());
        named<QComboBox>(panel, "Collective").setCurrentIndex(named<QComboBox>(panel, "Collective").findData(static_cast<int>(CollectiveOp::Reduce)));
        named<QSpinBox>(panel, "Root").setValue(4);
        QVERIFY(refused("root"));
        named<QSpinBox>(panel, "Root").setValue(3);
        QVERIFY(tagged<QPushButton>(panel, "start").isEnabled());
        panel.setPlatform(nullptr, 0, {});
        QVERIFY(refused("platform"));
    }

    void aSearchIsStoppedAndGivesTheBestSoFar()
    {
        PlatformSpec torus = test::podPlatform();
        torus.dimensions = {testDimension(Shape::Ring, 5, 50), test::testDimension(Shape::Ring, 4, 30), test::testDimension(Shape::FullyConnected, 3, 20)};
        torus.linkOverrides = {};
        SynthesisPanel& panel = *openSynthesis(torus);
        named<QComboBox>(panel, "Collective").setCurrentIndex(named<QComboBox>(panel, "Collective").findData(static_cast<int>(CollectiveOp::AllToAll)));
        named<QComboBox>(panel, "Method").setCurrentIndex(named<QComboBox>(panel, "Method").findData(QStringLiteral("greedy")));
        named<QSpinBox>(panel, "Chunks").setValue(4);
        named<QSpinBox>(panel, "Seeds").setValue(4096);
        QSignalSpy progressed(&part<SynthesisRunner>(panel), &SynthesisRunner::progressed);
        QSignalSpy failed(&part<SynthesisRunner>(panel), &SynthesisRunner::failed);
        QTest::mouseClick(&tagged<QPushButton>(panel, "start"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!progressed.isEmpty(), kLongMs);
        QVERIFY(part<SynthesisRunner>(panel).isBusy());
        QTest::mouseClick(&tagged<QPushButton>(panel, "start"), Qt::LeftButton); // "Stop" now
        QTRY_VERIFY_WITH_TIMEOUT(!part<SynthesisRunner>(panel).isBusy(), kLongMs);
        QVERIFY(tagged<QLabel>(panel, "state").text().startsWith(QStringLiteral("Stopped")));
        QVERIFY(tagged<QPushButton>(panel, "start").isEnabled());
        QVERIFY(failed.count() + (panel.answer() ? 1 : 0) == 1);
        if (panel.answer())
            QVERIFY(panel.answer()->stopped);
    }

    void useSaysWhatTheProgramWillRun()
    {
        QTemporaryDir folder;
        ProgramToUse program;
        program.name = QStringLiteral("own");
        program.op = CollectiveOp::AllReduce;
        program.ranks = 8;
        program.file = folder.filePath(QStringLiteral("own.lua"));
        ProgramTarget target;
        target.folder = folder.path();
        target.groups = {{QStringLiteral("Tensor"), "tensor"}, {QStringLiteral("Data"), "data"}};
        target.kinds = {{CollectiveOp::AllReduce, "data", 16, 1'000'000}, {CollectiveOp::AllReduce, "tensor", 8, 64'000}, {CollectiveOp::AllGather, "tensor", 8, 64'000}};
        UseProgramDialog dialog(program, target);
        // It fits the first group only, which is proposed.
        QCOMPARE(named<QComboBox>(dialog, "Group").currentData().toString(), QStringLiteral("tensor"));
        QVERIFY(tagged<QLabel>(dialog, "note").text().contains(QStringLiteral("over 8")) && !tagged<QLabel>(dialog, "note").text().contains(QStringLiteral("Does not fit")));
        QCOMPARE(named<QLineEdit>(dialog, "File").text(), QStringLiteral("own.lua"));
        QCOMPARE(dialog.fileToWrite(), folder.filePath(QStringLiteral("own.lua")));
        edits::ProgramRule rule = dialog.rule();
        QVERIFY(rule.op == CollectiveOp::AllReduce);
        QCOMPARE(rule.group, std::string("tensor"));
        QVERIFY(rule.source.kind == ProgramSource::Kind::Script);
        QCOMPARE(rule.source.text, std::string("own.lua"));
        QCOMPARE(rule.chunks, 1);

        named<QComboBox>(dialog, "Group").setCurrentIndex(0);
        QVERIFY(tagged<QLabel>(dialog, "note").text().contains(QStringLiteral("Does not fit")) && tagged<QLabel>(dialog, "note").text().contains(QStringLiteral("over 16")));
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes to")).setText(QStringLiteral("100 kB"));
        QVERIFY(!tagged<QLabel>(dialog, "note").text().contains(QStringLiteral("Does not fit")));
        QCOMPARE(dialog.rule().maxSize->text(), std::string("100 kB"));
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).setText(QStringLiteral("1 MB"));
        QVERIFY(!dialog.isAcceptable());
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).setText(QStringLiteral("many"));
        QVERIFY(!dialog.isAcceptable());
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).clear();
        named<QLineEdit>(dialog, "File").setText(QStringLiteral("own.xml")); // It is no XML.
        QVERIFY(!dialog.isAcceptable());
        named<QLineEdit>(dialog, "File").setText(QStringLiteral("no such/own.lua"));
        QVERIFY(!dialog.isAcceptable());
        named<QLineEdit>(dialog, "File").setText(QStringLiteral("other.lua"));
        QVERIFY(dialog.isAcceptable());
    }

    void useNamesAnAlgorithmOrAFileThatIsThere()
    {
        QTemporaryDir folder;
        ProgramToUse program;
        program.op = CollectiveOp::AllGather;
        program.ranks = 4;
        program.algorithm = ProgramSource{ProgramSource::Kind::Generator, "bruck", {}, 3, 1, 8, 1};
        program.chunks = 2;
        program.file = folder.filePath(QStringLiteral("bruck.xml"));
        UseProgramDialog named(program, {});
        QCOMPARE(named.fileToWrite(), QString());
        QVERIFY(named.rule().source == *program.algorithm);
        QCOMPARE(named.rule().chunks, 2);
        test::named<QComboBox>(named, QStringLiteral("Kept as")).setCurrentIndex(1);
        QCOMPARE(named.fileToWrite(), program.file);
        QVERIFY(named.rule().source.kind == ProgramSource::Kind::File);
        QCOMPARE(named.rule().source.text, program.file.toStdString()); // The design has no folder.

        program.algorithm.reset();
        program.written = true;
        ProgramTarget target;
        target.folder = folder.filePath(QStringLiteral("designs"));
        UseProgramDialog saved(program, target);
        QCOMPARE(saved.fileToWrite(), QString());
        QCOMPARE(saved.rule().source.text, program.file.toStdString()); // Outside of the folder of the design.
    }
};

FABRICSCOPE_GUI_TEST(ProgramSearchTest)
#include "tst_programsearch.moc"
