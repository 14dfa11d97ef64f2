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
        panel.sizeField()->setText(QStringLiteral("4 MiB"));
        panel.methodBox()->setCurrentIndex(panel.methodBox()->findData(QStringLiteral("greedy")));
        QVERIFY(!panel.openButton()->isEnabled());
        QTest::mouseClick(panel.startButton(), Qt::LeftButton);
        QVERIFY(panel.runner()->isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !panel.runner()->isBusy(), kLongMs);

        // Every rank gets 3 shards of 1 MiB over 2 links: two steps of 0.5 us + 1 MiB / 50 GB/s.
        const SynthesisAnswer& answer = *panel.answer();
        QCOMPARE(answer.rows.size(), std::size_t{1});
        QCOMPARE(answer.rows[0].synthesis.plannedPs, 2 * (500'000 + 20'971'520));
        QCOMPARE(answer.job.members, (std::vector<NodeId>{0, 1, 2, 3}));
        QVERIFY2(answer.simulated, answer.simulateNote.c_str());
        QVERIFY(panel.stateText().contains(QStringLiteral("verified")));
        QCOMPARE(panel.table()->view()->model()->rowCount(), 1);
        QCOMPARE(panel.table()->view()->model()->index(0, 4).data().toString(), QStringLiteral("best"));

        std::vector<SynthesisedProgram> opened;
        connect(&panel, &SynthesisPanel::openRequested, this, [&opened](const SynthesisedProgram& made) { opened.push_back(made); });
        QTest::mouseClick(panel.openButton(), Qt::LeftButton);
        QCOMPARE(opened.size(), std::size_t{1});
        QCOMPARE(opened[0].program->ranks, 4);
        QCOMPARE(opened[0].bytes, std::int64_t{4} << 20);
        QCOMPARE(opened[0].name, QStringLiteral("greedy_all_gather_4"));
        QVERIFY(std::any_of(opened[0].facts.begin(), opened[0].facts.end(), [](const ValueRow& row) { return row.label == QStringLiteral("Reached"); }));
    }

    void aPartOfThePlatformTakesPart()
    {
        SynthesisPanel& panel = *openSynthesis(ring(6));
        panel.npusField()->setText(QStringLiteral("1-2, 4"));
        panel.collectiveBox()->setCurrentIndex(panel.collectiveBox()->findData(static_cast<int>(CollectiveOp::Broadcast)));
        panel.rootBox()->setValue(2);
        panel.methodBox()->setCurrentIndex(panel.methodBox()->findData(QStringLiteral("greedy")));
        QVERIFY(panel.startButton()->isEnabled());
        QTest::keyClick(panel.sizeField(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !panel.runner()->isBusy(), kLongMs);
        const SynthesisAnswer& answer = *panel.answer();
        QCOMPARE(answer.job.members, (std::vector<NodeId>{1, 2, 4}));
        QCOMPARE(answer.rows[0].synthesis.program->ranks, 3);
        QCOMPARE(answer.rows[0].synthesis.program->root, 2);
        QVERIFY2(answer.simulated, answer.simulateNote.c_str());
    }

    void automaticTriesMethodsAndTakesTheShortest()
    {
        SynthesisPanel& panel = *openSynthesis(ring(4));
        panel.chunksBox()->setValue(0); // 1 to 16
        QTest::mouseClick(panel.startButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !panel.runner()->isBusy(), kLongMs);
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
        QCOMPARE(panel.table()->selectedId(), static_cast<qint64>(answer.best));
    }

    void aSearchThatCannotBeIsNotStarted()
    {
        SynthesisPanel& panel = *openSynthesis(ring(4));
        const auto refused = [&panel](const char* word) { return !panel.startButton()->isEnabled() && panel.noteText().contains(QString::fromLatin1(word)); };
        panel.npusField()->setText(QStringLiteral("2-7"));
        QVERIFY(refused("NPUs"));
        panel.npusField()->setText(QStringLiteral("3"));
        QVERIFY(refused("NPUs"));
        panel.npusField()->clear();
        QVERIFY(panel.startButton()->isEnabled());
        panel.sizeField()->setText(QStringLiteral("much"));
        QVERIFY(refused("size"));
        panel.sizeField()->setText(QStringLiteral("0 B"));
        QVERIFY(refused("nothing"));
        panel.sizeField()->setText(QStringLiteral("4096"));
        QVERIFY(panel.startButton()->isEnabled());
        panel.collectiveBox()->setCurrentIndex(panel.collectiveBox()->findData(static_cast<int>(CollectiveOp::Reduce)));
        panel.rootBox()->setValue(4);
        QVERIFY(refused("root"));
        panel.rootBox()->setValue(3);
        QVERIFY(panel.startButton()->isEnabled());
        panel.setPlatform(nullptr, 0, {});
        QVERIFY(refused("platform"));
    }

    void aSearchIsStoppedAndGivesTheBestSoFar()
    {
        PlatformSpec torus = test::podPlatform();
        torus.dimensions = {testDimension(Shape::Ring, 5, 50), test::testDimension(Shape::Ring, 4, 30), test::testDimension(Shape::FullyConnected, 3, 20)};
        torus.linkOverrides = {};
        SynthesisPanel& panel = *openSynthesis(torus);
        panel.collectiveBox()->setCurrentIndex(panel.collectiveBox()->findData(static_cast<int>(CollectiveOp::AllToAll)));
        panel.methodBox()->setCurrentIndex(panel.methodBox()->findData(QStringLiteral("greedy")));
        panel.chunksBox()->setValue(4);
        panel.triesBox()->setValue(4096);
        QSignalSpy progressed(panel.runner(), &SynthesisRunner::progressed);
        QSignalSpy failed(panel.runner(), &SynthesisRunner::failed);
        QTest::mouseClick(panel.startButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!progressed.isEmpty(), kLongMs);
        QVERIFY(panel.runner()->isBusy());
        QTest::mouseClick(panel.startButton(), Qt::LeftButton); // "Stop" now
        QTRY_VERIFY_WITH_TIMEOUT(!panel.runner()->isBusy(), kLongMs);
        QVERIFY(panel.stateText().startsWith(QStringLiteral("Stopped")));
        QVERIFY(panel.startButton()->isEnabled());
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
        QCOMPARE(dialog.groupBox()->currentData().toString(), QStringLiteral("tensor"));
        QVERIFY(dialog.noteText().contains(QStringLiteral("over 8")) && !dialog.noteText().contains(QStringLiteral("Does not fit")));
        QCOMPARE(dialog.fileField()->text(), QStringLiteral("own.lua"));
        QCOMPARE(dialog.fileToWrite(), folder.filePath(QStringLiteral("own.lua")));
        edits::ProgramRule rule = dialog.rule();
        QVERIFY(rule.op == CollectiveOp::AllReduce);
        QCOMPARE(rule.group, std::string("tensor"));
        QVERIFY(rule.source.kind == ProgramSource::Kind::Script);
        QCOMPARE(rule.source.text, std::string("own.lua"));
        QCOMPARE(rule.chunks, 1);

        dialog.groupBox()->setCurrentIndex(0);
        QVERIFY(dialog.noteText().contains(QStringLiteral("Does not fit")) && dialog.noteText().contains(QStringLiteral("over 16")));
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes to")).setText(QStringLiteral("100 kB"));
        QVERIFY(!dialog.noteText().contains(QStringLiteral("Does not fit")));
        QCOMPARE(dialog.rule().maxSize->text(), std::string("100 kB"));
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).setText(QStringLiteral("1 MB"));
        QVERIFY(!dialog.isAcceptable());
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).setText(QStringLiteral("many"));
        QVERIFY(!dialog.isAcceptable());
        test::named<QLineEdit>(dialog, QStringLiteral("Sizes from")).clear();
        dialog.fileField()->setText(QStringLiteral("own.xml")); // It is no XML.
        QVERIFY(!dialog.isAcceptable());
        dialog.fileField()->setText(QStringLiteral("no such/own.lua"));
        QVERIFY(!dialog.isAcceptable());
        dialog.fileField()->setText(QStringLiteral("other.lua"));
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
