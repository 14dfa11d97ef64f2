// The panel that searches plans: fields, a search beside the window, what was found and what can be done with it.
#include "core/base/index.h"
#include "sourcedir.h"
#include "core/run/planssection.h"
#include "core/run/rundesign.h"
#include "tests/gui/support/heldthreads.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/design/document.h"
#include "widgets/results/table.h"
#include "widgets/workload/planscatter.h"
#include "widgets/workload/plansearchfields.h"
#include "widgets/workload/plansearchpanel.h"
#include "widgets/workload/plansearchtables.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <memory>

using namespace fabricscope;

namespace {

/// Two nodes of four NPUs that hold about half of the plans.
constexpr const char* kSearchedDesign = R"(fabricscope: 1
name: Two nodes  # of four
platform:
  npu: {peak: 10 TFLOP/s, memory_bandwidth: 500 GB/s, memory: 2 GiB}
  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 5 GB/s, latency: 5 us}]
workload:
  model:
    transformer: {layers: 4, hidden: 512, heads: 8, vocab: 1024, seq: 256}
    train: {global_batch: 16, micro_batch: 1}  # small
  plan:  # to begin with
    mesh: {axes: [tp], shape: [8]}  # all in one
    framework: 0 B  # nothing else is there
search: {vary: [tensor, pipeline, data, micro_batch], objective: [step_time, memory], top: 5}  # a few
)";

constexpr const char* kWithoutPlan = R"(fabricscope: 1
platform:
  dimensions: [{shape: switch, size: 8, bandwidth: 300 GB/s, latency: 1 us}]
workload: {collective: all_reduce, size: 64 MiB}
)";

class PlanSearchPanelTest : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_document = std::make_unique<DesignDocument>();
        m_panel = std::make_unique<PlanSearchPanel>();
        m_panel->resize(1280, 740);
    }

    void cleanup()
    {
        m_panel.reset();
        m_document.reset();
    }

    void theFieldsStartAsTheDesignSays()
    {
        open(kSearchedDesign);
        const PlanSearchFields& fields = *m_panel->fields();
        QCOMPARE(fields.editorOf(PlanVariable::Tensor)->currentText(), QStringLiteral("tried"));
        QCOMPARE(fields.editorOf(PlanVariable::Zero)->currentText(), QStringLiteral("as in the plan"));
        QCOMPARE(fields.top()->value(), 5);
        QVERIFY(fields.alsoOf(PlanObjective::Memory)->isChecked());
        QString wrong;
        const auto spec = fields.spec(&wrong);
        QVERIFY2(spec, qPrintable(wrong));
        const std::vector<PlanVariable> expected{PlanVariable::Tensor, PlanVariable::Pipeline, PlanVariable::Data, PlanVariable::MicroBatch};
        QCOMPARE(spec->vary, expected);
        const std::vector<PlanObjective> wanted{PlanObjective::StepTime, PlanObjective::Memory};
        QCOMPARE(spec->objectives, wanted);

        // Without a section all is tried.
        QByteArray text(kSearchedDesign);
        text = text.left(text.indexOf("search:"));
        QVERIFY(m_document->setText(text.toStdString(), QStringLiteral("d.yaml")));
        QVERIFY(m_panel->fields()->spec(nullptr)->vary.empty());
        QCOMPARE(m_panel->fields()->top()->value(), 20);
    }

    void aFieldSaysWhatIsTriedAndWhatIsGiven()
    {
        open(kSearchedDesign);
        m_panel->fields()->editorOf(PlanVariable::Tensor)->setEditText(QStringLiteral("4"));
        m_panel->fields()->editorOf(PlanVariable::Zero)->setCurrentText(QStringLiteral("1"));
        m_panel->fields()->editorOf(PlanVariable::Schedule)->setCurrentText(QStringLiteral("gpipe"));
        m_panel->fields()->editorOf(PlanVariable::MeshOrder)->setEditText(QStringLiteral("dp, tp"));
        const auto spec = m_panel->fields()->spec(nullptr);
        QVERIFY(spec);
        QCOMPARE(spec->fixed.tensor, std::optional<std::int64_t>(4));
        QCOMPARE(spec->fixed.zero, std::optional<std::int32_t>(1));
        QCOMPARE(spec->fixed.schedule, std::optional(PipelineSchedule::GPipe));
        const std::vector<std::string> order{"dp", "tp"};
        QCOMPARE(spec->fixed.meshOrder, order);
        // As text and back.
        QVERIFY(planSearchOf(planSearchText(*spec)) == spec);

        m_panel->fields()->editorOf(PlanVariable::Tensor)->setEditText(QStringLiteral("many"));
        QString wrong;
        QVERIFY(!m_panel->fields()->spec(&wrong));
        QVERIFY2(wrong.contains(QStringLiteral("many")), qPrintable(wrong));
        QVERIFY(!m_panel->startButton()->isEnabled());
    }

    /// Each plan that is listed is as fast as its design is when it is run alone; the front is that of comparing all with all.
    void theBestPlansAreListedWithTheirFront()
    {
        search(kSearchedDesign);
        const PlanAnswer& answer = *m_panel->answer();
        // The best five by step, those of the front behind them, and the own plan.
        const std::size_t plans = answer.result.plans.size();
        QVERIFY(plans >= 5);
        QCOMPARE(m_panel->plans()->view()->model()->rowCount(), static_cast<int>(plans) + 1);
        QCOMPARE(m_panel->chosen(), 0);
        std::vector<std::size_t> front;
        for (std::size_t i = 0; i < plans; ++i) {
            const SearchedPlan& plan = answer.result.plans[i];
            QVERIFY(plan.simulated);
            QVERIFY(i == 0 || plan.simulated->ps >= answer.result.plans[i - 1].simulated->ps);
            m_panel->plans()->selectId(static_cast<qint64>(i));
            emit m_panel->plans()->rowSelected(static_cast<qint64>(i));
            QSignalSpy opened(m_panel.get(), &PlanSearchPanel::openRequested);
            m_panel->openButton()->click();
            QCOMPARE(opened.size(), 1);
            QCOMPARE(timeOf(opened[0][0].toByteArray().toStdString()), plan.simulated->ps);
            const bool beaten = std::any_of(answer.result.plans.begin(), answer.result.plans.end(), [&](const SearchedPlan& other) {
                return other.simulated->ps <= plan.simulated->ps && other.memory <= plan.memory && (other.simulated->ps < plan.simulated->ps || other.memory < plan.memory);
            });
            if (!beaten)
                front.push_back(i);
        }
        QCOMPARE(answer.front, front);
        QVERIFY(answer.result.own && answer.result.own->simulated);
        QCOMPARE(timeOf(kSearchedDesign), answer.result.own->simulated->ps);
        // The line has a corner between two neighbours.
        QCOMPARE(m_panel->scatter()->frontLine().size(), static_cast<qsizetype>(2 * front.size() - 1));
        QVERIFY2(m_panel->stateText().contains(QStringLiteral("simulated")), qPrintable(m_panel->stateText()));
    }

    void theCheapestPlanOfAnyPartIsFound()
    {
        QByteArray text = kSearchedDesign;
        text.replace("micro_batch], objective: [step_time, memory]", "micro_batch, npus], objective: [cost, step_time]");
        search((text + "costs: {npu: {price: 30000, power: 1000}}\n").constData());
        const PlanAnswer& answer = *m_panel->answer();
        const auto* const model = m_panel->plans()->view()->model();
        int npus = -1;
        int cost = -1;
        for (int column = 0; column < model->columnCount(); ++column) {
            const QString title = model->headerData(column, Qt::Horizontal).toString();
            npus = title == QStringLiteral("NPUs") ? column : npus;
            cost = title == QStringLiteral("US$/M tokens") ? column : cost;
        }
        QVERIFY(npus >= 0 && cost >= 0);
        QCOMPARE(model->index(0, npus).data(TableModel::SortRole).toLongLong(), answer.result.plans.front().choice.block.ranks());
        double before = 0;
        for (std::size_t i = 0; i < answer.result.plans.size(); ++i) {
            const double own = model->index(static_cast<int>(i), cost).data(TableModel::SortRole).toDouble();
            QVERIFY(own > 0 && own >= before);
            before = own;
        }
        QVERIFY2(m_panel->stateText().startsWith(QStringLiteral("Best US$ ")), qPrintable(m_panel->stateText()));
        // What is used says where it runs, in one step.
        QVERIFY(answer.result.plans.front().isPart);
        m_panel->useButton()->click();
        QCOMPARE(m_document->undoStack().count(), 1);
        QVERIFY(m_document->text().find("placement: {jobs: [{name: training, ranks: ") != std::string::npos);
        QCOMPARE(timeOf(m_document->text()), answer.result.plans.front().simulated->ps);
    }

    void whyAddsUp()
    {
        search(kSearchedDesign);
        const auto* const model = m_panel->parts()->view()->model();
        const auto value = [&](int row, int column) { return model->index(row, column).data(TableModel::SortRole).toLongLong(); };
        QCOMPARE(model->columnCount(), 4); // Part, the best, how much more the runner-up and the own plan have.
        QCOMPARE(model->rowCount(), 7);    // Five parts, their sum, the simulated step.
        for (int column = 1; column < 4; ++column) {
            qint64 sum = 0;
            for (int row = 0; row < 5; ++row)
                sum += value(row, column);
            QCOMPARE(sum, value(5, column));
        }
        const PlanSearchResult& result = m_panel->answer()->result;
        QCOMPARE(value(0, 2), result.plans[1].parts.computing - result.plans[0].parts.computing);
        QCOMPARE(value(2, 3), result.own->parts.waiting - result.plans[0].parts.waiting);
        QCOMPARE(value(6, 1), result.plans[0].simulated->ps);
        QCOMPARE(value(6, 2), result.plans[1].simulated->ps - result.plans[0].simulated->ps);
    }

    void usingAPlanIsOneStepThatKeepsRemarks()
    {
        search(kSearchedDesign);
        const std::string before = m_document->text();
        QVERIFY(m_panel->useButton()->isEnabled());
        m_panel->useButton()->click();
        QCOMPARE(m_document->undoStack().count(), 1);
        const QByteArray after = QByteArray::fromStdString(m_document->text());
        for (const char* remark : {"# of four", "# small", "# to begin with", "# all in one", "# nothing else is there", "# a few"})
            QVERIFY2(after.contains(remark), after.constData());
        QVERIFY(!m_document->hasErrors());
        QCOMPARE(timeOf(m_document->text()), m_panel->answer()->result.plans[0].simulated->ps);
        // It is what was searched but for the plan: others can be used, too.
        QTRY_VERIFY(m_panel->isSettled());
        QVERIFY2(!m_panel->stateText().contains(QStringLiteral("changed")), qPrintable(m_panel->stateText()));
        m_document->undoStack().undo();
        QCOMPARE(m_document->text(), before);
        // With another machine it is not.
        QVERIFY(m_document->edit(QStringLiteral("slower"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions.1.bandwidth", "2 GB/s"); }));
        QTRY_VERIFY(m_panel->stateText().contains(QStringLiteral("changed")));
    }

    void thePlanOfTheDesignCannotBeUsedButPinned()
    {
        search(kSearchedDesign);
        m_panel->plans()->selectId(planned::kOwnPlan);
        emit m_panel->plans()->rowSelected(planned::kOwnPlan);
        QVERIFY(!m_panel->useButton()->isEnabled());
        QSignalSpy pinned(m_panel.get(), &PlanSearchPanel::pinRequested);
        m_panel->pinButton()->click();
        QCOMPARE(pinned.size(), 1);
        QCOMPARE(timeOf(pinned[0][2].toByteArray().toStdString()), m_panel->answer()->result.own->simulated->ps);
    }

    void theKeyboardDoesAll()
    {
        open(kSearchedDesign);
        m_panel->startButton()->setFocus();
        QTest::keyClick(m_panel->startButton(), Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->answer() && m_panel->isSettled(), 60'000);
        m_panel->plans()->view()->setFocus();
        QTest::keyClick(m_panel->plans()->view(), Qt::Key_Down);
        QCOMPARE(m_panel->chosen(), 1);
        QCOMPARE(m_panel->scatter()->current(), 1);
        m_panel->scatter()->setFocus();
        QTest::keyClick(m_panel->scatter(), Qt::Key_Home);
        const auto& points = m_panel->scatter()->points();
        QCOMPARE(m_panel->chosen(), static_cast<qint64>(points.front().id));
        QTest::keyClick(m_panel->scatter(), Qt::Key_End);
        QCOMPARE(m_panel->chosen(), static_cast<qint64>(points.back().id));
        QTest::keyClick(m_panel->scatter(), Qt::Key_Left);
        QCOMPARE(m_panel->chosen(), static_cast<qint64>(points[points.size() - 2].id));
        const qint64 own = planned::kOwnPlan;
        if (m_panel->chosen() == own)
            QTest::keyClick(m_panel->scatter(), Qt::Key_Left);
        QTest::keyClick(m_panel->scatter(), Qt::Key_Return);
        QCOMPARE(m_document->undoStack().count(), 1);
        QSignalSpy back(m_panel.get(), &PlanSearchPanel::backRequested);
        m_panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        QTest::keyClick(m_panel.get(), Qt::Key_Escape);
        QTRY_COMPARE(back.size(), 1); // The button is seen to be pressed.
    }

    void aClickChoosesThePointBelowIt()
    {
        search(kSearchedDesign);
        const QPointF at = m_panel->scatter()->positionOf(2);
        QTest::mouseClick(m_panel->scatter(), Qt::LeftButton, {}, at.toPoint());
        const SearchedPlan* const chosen = planned::planOf(*m_panel->answer(), m_panel->chosen());
        QVERIFY(chosen);
        // Plans at one place are one point to the eye.
        QVERIFY((m_panel->scatter()->positionOf(m_panel->chosen()) - at).manhattanLength() < 2);
    }

    void aSearchIsStopped()
    {
        QFile example(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/plan/gpt3-175b.yaml"));
        QVERIFY(example.open(QIODevice::ReadOnly));
        open(example.readAll().constData());
        m_panel->startButton()->click();
        QVERIFY(m_panel->isBusy());
        QVERIFY(!m_panel->fields()->isEnabled());
        m_panel->startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->isSettled(), 60'000);
        QVERIFY2(m_panel->stateText().contains(QStringLiteral("Stopped")), qPrintable(m_panel->stateText()));
        QVERIFY(!m_panel->answer());
        QVERIFY(m_panel->startButton()->isEnabled());
    }

    void anotherDesignForgetsWhatWasFound()
    {
        search(kSearchedDesign);
        QVERIFY(m_document->setText(kWithoutPlan, QStringLiteral("other.yaml")));
        QVERIFY(!m_panel->answer());
        QCOMPARE(m_panel->plans()->view()->model()->rowCount(), 0);
        QVERIFY(m_panel->scatter()->points().empty());
        QVERIFY(!m_panel->startButton()->isEnabled());
        QVERIFY(!m_panel->useButton()->isEnabled());
    }

    void whatCannotBeIsSaid_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("part");
        QTest::newRow("no such product") << QByteArray("vary: [tensor") << QByteArray("fixed: {tensor: 3}, vary: [tensor") << QStringLiteral("search.fixed");
        QTest::newRow("nothing fits") << QByteArray("memory: 2 GiB") << QByteArray("memory: 1 MiB") << QStringLiteral("No plan fits");
        QTest::newRow("more stages than layers") << QByteArray("vary: [tensor") << QByteArray("fixed: {pipeline: 8}, vary: [tensor") << QStringLiteral("No plan can be");
        QTest::newRow("no peak") << QByteArray("peak: 10 TFLOP/s, ") << QByteArray() << QStringLiteral("peak");
    }
    void whatCannotBeIsSaid()
    {
        QFETCH(const QByteArray, from);
        QFETCH(const QByteArray, to);
        QFETCH(const QString, part);
        open(QByteArray(kSearchedDesign).replace(from, to).constData());
        m_panel->startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->isSettled(), 60'000);
        QVERIFY2(m_panel->stateText().contains(part), qPrintable(m_panel->stateText()));
        QVERIFY(!m_panel->useButton()->isEnabled());
    }

    /// In the words of `plan search` and of reports.
    void whatIsSaidIsWhatWasCounted()
    {
        search(kSearchedDesign); // By step and memory.
        const PlanSearchResult& result = m_panel->answer()->result;
        QStringList texts;
        for (const QLabel* label : m_panel->findChildren<QLabel*>())
            texts << label->text();
        const QString all = texts.join(QLatin1Char('\n'));
        QVERIFY2(all.contains(QStringLiteral(" cannot be, %1 left out as others surely are better in every objective, %2 do not fit the memory, ").arg(result.counts.pruned).arg(result.counts.overMemory)), qPrintable(all));
        // A step that is simulated twice as long where it was estimated shorter.
        std::vector<SearchedPlan> plans(2);
        plans[0].parts.computing = 10;
        plans[0].simulated = SimTime{40};
        plans[1].parts.computing = 20;
        plans[1].simulated = SimTime{20};
        QCOMPARE(planAgreementText(plans), std::string("estimate and simulation of 2 plans: Kendall tau -1.000, first by the estimate 100.00 % longer than the best"));
        const QString state = m_panel->stateText();
        QVERIFY2(!state.contains(QStringLiteral("alike")) && state.contains(QString::fromStdString(planAgreementText(result.plans))), qPrintable(state));
    }

    void whatIsNotSearchedCannotBeStarted_data()
    {
        QTest::addColumn<QByteArray>("plan");
        QTest::addColumn<QString>("reason");
        QTest::newRow("inference") << QByteArray("plan: {mesh: {axes: [tp], shape: [8]}, framework: 0 B, inference: {batch: 1, prompt: 128, output: 16}}") << QStringLiteral("finds the largest batch");
        QTest::newRow("placement") << QByteArray("plan: {placement: hap}") << QStringLiteral("There is no mesh to search");
    }
    void whatIsNotSearchedCannotBeStarted()
    {
        QFETCH(const QByteArray, plan);
        QFETCH(const QString, reason);
        QByteArray text(kSearchedDesign);
        const qsizetype from = text.indexOf("plan:  #");
        text.replace(from, text.indexOf("search: {") - from, plan + '\n');
        open(text.constData());
        QVERIFY(!m_document->hasErrors());
        QVERIFY(!m_panel->startButton()->isEnabled());
        QVERIFY2(m_panel->startButton()->toolTip().contains(reason), qPrintable(m_panel->startButton()->toolTip()));
        open(kSearchedDesign);
        QVERIFY(m_panel->startButton()->isEnabled());
    }

    void theFieldsAreKeptInTheDesign()
    {
        open(kSearchedDesign);
        m_panel->fields()->top()->setValue(7);
        m_panel->keepButton()->click();
        QCOMPARE(m_document->undoStack().count(), 1);
        QVERIFY2(QString::fromStdString(m_document->text()).contains(QStringLiteral("top: 7")), m_document->text().c_str());
        QVERIFY(!m_document->hasErrors());
        m_document->undoStack().undo();
        QCOMPARE(m_panel->fields()->top()->value(), 5);
    }

    void keepingChangesOnlyWhatIsOther()
    {
        QByteArray text(kSearchedDesign);
        text = text.left(text.indexOf("search:")) + "search:  # for the meeting\n  vary: [tensor, data]  # no more\n  top: 5  # a few\n  objective: [step_time, memory]\n";
        open(text.constData());
        m_panel->fields()->top()->setValue(7);
        m_panel->keepButton()->click();
        QCOMPARE(m_document->text(), QByteArray(text).replace("top: 5", "top: 7").toStdString());
        m_panel->fields()->editorOf(PlanVariable::Data)->setEditText(QStringLiteral("2"));
        m_panel->keepButton()->click();
        const QByteArray after = QByteArray::fromStdString(m_document->text());
        for (const char* part : {"# for the meeting", "vary: [tensor]", "top: 7  # a few", "objective: [step_time, memory]"})
            QVERIFY2(after.contains(part), after.constData());
        QVERIFY(!m_document->hasErrors());
        QCOMPARE(m_panel->fields()->spec(nullptr)->fixed.data, std::optional<std::int64_t>(2));
    }

    /// What was being compared belongs to an answer that is gone.
    void aComparisonOfBeforeDoesNotCount()
    {
        search(kSearchedDesign);
        {
            const test::HeldThreads held;
            QVERIFY(held.areHeld());
            QVERIFY(m_document->edit(QStringLiteral("slower"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions.1.bandwidth", "2 GB/s"); }));
            m_panel->fields()->editorOf(PlanVariable::Tensor)->setEditText(QStringLiteral("3")); // There is no such plan.
            m_panel->startButton()->click();
            QVERIFY(m_panel->isBusy());
            QTRY_VERIFY_WITH_TIMEOUT(!m_panel->isBusy(), 60'000);
            QVERIFY(!m_panel->answer());
        }
        BackgroundThreads::global().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY2(m_panel->stateText().contains(QStringLiteral("search.fixed")), qPrintable(m_panel->stateText()));
    }

    void isComparedOnceSomebodyLooks()
    {
        search(kSearchedDesign);
        m_panel->hide();
        QVERIFY(m_document->edit(QStringLiteral("slower"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions.1.bandwidth", "2 GB/s"); }));
        QVERIFY(m_panel->isSettled());
        m_panel->show();
        QTRY_VERIFY(m_panel->isSettled() && m_panel->stateText().contains(QStringLiteral("changed")));
    }

    void anOwnPlanMayBeFaster()
    {
        search(kSearchedDesign);
        m_panel->useButton()->click();
        m_panel->fields()->editorOf(PlanVariable::Tensor)->setEditText(QStringLiteral("8"));
        m_panel->startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->answer() && m_panel->isSettled(), 60'000);
        const PlanSearchResult& result = m_panel->answer()->result;
        QVERIFY(result.own && !result.plans.empty() && result.plans.front().step() > result.own->step());
        QVERIFY2(m_panel->stateText().contains(QStringLiteral("longer than your plan")), qPrintable(m_panel->stateText()));
        QVERIFY(!m_panel->stateText().contains(QStringLiteral("as fast")));
    }

    /// Esc leads out of a field first; wherever nothing is typed it leads back.
    void escapeIsForTheFieldFirst()
    {
        open(kSearchedDesign);
        m_panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        QSignalSpy back(m_panel.get(), &PlanSearchPanel::backRequested);
        auto* const tensor = m_panel->fields()->editorOf(PlanVariable::Tensor);
        for (QWidget* const editor : {static_cast<QWidget*>(tensor), static_cast<QWidget*>(m_panel->fields()->top()), static_cast<QWidget*>(m_panel->plans()->filterField())}) {
            editor->setFocus();
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
            QCoreApplication::processEvents();
            QCOMPARE(back.size(), 0);
            QVERIFY(!editor->hasFocus());
        }
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_COMPARE(back.size(), 1);
    }

    void theThreadsOfARunAreThoseOfTheSettings()
    {
        QTemporaryDir home;
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        UserSettings::global().set(UserSettings::kThreads, 3);
        search(kSearchedDesign);
        QCOMPARE(m_panel->answer()->question.threads, 3);
        UserSettings::global().set(UserSettings::kThreads, UserSettings::kThreads.usual);
        qunsetenv("FABRICSCOPE_HOME");
    }

    void aSessionComesBack()
    {
        search(kSearchedDesign);
        m_panel->fields()->top()->setValue(2);
        m_panel->fields()->alsoOf(PlanObjective::Memory)->setChecked(false);
        const QJsonObject kept = m_panel->kept();
        PlanSearchPanel next;
        next.setDocument(m_document.get());
        next.restore(kept);
        QCOMPARE(next.fields()->top()->value(), 2);
        QVERIFY(!next.isBusy());
        QVERIFY(!next.answer());
        // Not before somebody looks.
        next.show();
        QTRY_VERIFY_WITH_TIMEOUT(next.answer() && next.isSettled(), 60'000);
        QCOMPARE(next.answer()->result.plans.size(), std::size_t{2});
    }

private:
    static std::int64_t timeOf(const std::string& text)
    {
        const auto loaded = readDesignText(text, "d.yaml");
        if (!loaded)
            return -1;
        const auto ran = runDesign(std::make_shared<const Design>(loaded.value().design), {}, {});
        return ran && ran.value()->record().complete ? ran.value()->record().finish.ps : -1;
    }

    void open(const char* text)
    {
        QVERIFY(m_document->setText(text, QStringLiteral("d.yaml")));
        m_panel->setDocument(m_document.get());
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    }

    void search(const char* text)
    {
        open(text);
        QVERIFY(m_panel->startButton()->isEnabled());
        m_panel->startButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->answer() && m_panel->isSettled(), 60'000);
    }

    std::unique_ptr<DesignDocument> m_document;
    std::unique_ptr<PlanSearchPanel> m_panel;
};

} // namespace

FABRICSCOPE_GUI_TEST(PlanSearchPanelTest)
#include "tst_plansearchpanel.moc"
