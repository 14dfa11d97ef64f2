// The page of a plan: fields that edit the text, a pipeline and tables that follow.
#include "core/base/index.h"
#include "core/design/computeconfig.h"
#include "core/report/planfigures.h"
#include "core/run/rundesign.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/planpagestage.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/texts.h"
#include "widgets/base/valuerows.h"
#include "widgets/design/document.h"
#include "widgets/results/section.h"
#include "widgets/results/table.h"
#include "widgets/workload/pipelinechart.h"
#include "widgets/workload/planform.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

constexpr const char* kDesign = R"(fabricscope: 1
name: Eight stages  # kept
platform:
  dimensions:
    - {shape: switch, size: 4, bandwidth: 300 GB/s, latency: 1 us}
    - {shape: switch, size: 8, bandwidth: 50 GB/s, latency: 5 us}
  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}
workload:
  model:
    family: transformer
    dtype: {param: fp16, act: fp16, grad: fp16, master: fp32}
    optimizer: adam
    transformer: {layers: 16, hidden: 2048, heads: 16, kv_heads: 16, ff: 8192, ff_kind: mlp, bias: true, norm: layernorm, positions: learned, vocab: 50257, seq: 1024, tied_embedding: true}
    train: {global_batch: 32, micro_batch: 1}
  plan:
    mesh: {axes: [pp, tp], shape: [8, 4]}
    pipeline: {schedule: 1f1b}
)";

constexpr const char* kCollective = R"(fabricscope: 1
platform:
  dimensions: [{shape: switch, size: 8, bandwidth: 300 GB/s, latency: 1 us}]
  npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s, memory: 80 GiB}
workload: {collective: all_reduce, size: 64 MiB}
)";

class PlanPageTest : public QObject, private test::PlanPageStage
{
    Q_OBJECT
private slots:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    void P1_aPlanIsSeenAsAPipelineWithMemory()
    {
        open(kDesign);
        QCOMPARE(m_page->chart()->rowCount(), 8);
        QCOMPARE(m_page->problemText(), QString());
        QVERIFY2(m_page->chart()->footText().startsWith(QStringLiteral("32 micro-batches through 8 stages: ")), qPrintable(m_page->chart()->footText()));
        // 1F1B: the first stage keeps eight micro-batches, the last one one; both have the same number of layers.
        QVERIFY(m_page->chart()->memoryRect(0).width() > m_page->chart()->memoryRect(6).width());
        QVERIFY(m_page->communications()->view()->model()->rowCount() > 0);
        QVERIFY(m_page->memory()->view()->model()->rowCount() > 1);
        QVERIFY(!m_page->figures()->rows().empty());
        // (p - 1) / (m + p - 1) of the pipeline: seven of 39 slots, if all stages were alike; first and last have more to do.
        QVERIFY(m_page->chart()->bubbleShare() > 0.1);
        QVERIFY(m_page->chart()->bubbleShare() < 0.5);
    }

    void P3_allIsWholeAtLargeLetters_data()
    {
        QTest::addColumn<int>("letters");
        for (const int letters : {13, 20, 26})
            QTest::addRow("%d px", letters) << letters;
    }

    /// In a window of 1280 pixels the fields, and the figures at the right, are as wide as they need; the middle scrolls.
    void P3_allIsWholeAtLargeLetters()
    {
        QFETCH(int, letters);
        AppTheme::global().set(Theme(Theme::Mode::Light, letters));
        open(kDesign);
        m_page->resize(1280, 600);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QTRY_VERIFY(m_page->isSettled());
        QCoreApplication::processEvents();
        QVERIFY2(m_page->minimumSizeHint().width() <= 1280, qPrintable(QString::number(m_page->minimumSizeHint().width())));
        QCOMPARE(m_page->width(), 1280);
        for (const char* const name : {"Model and plan", "What the plan comes to"}) {
            const auto& area = test::named<QScrollArea>(*m_page, name);
            QVERIFY2(area.viewport()->width() >= area.widget()->minimumSizeHint().width(), name);
            QCOMPARE(area.horizontalScrollBar()->maximum(), 0);
        }
        for (const QLabel* const label : m_page->form()->findChildren<QLabel*>()) {
            for (const QString& word : label->text().split(QLatin1Char(' ')))
                QVERIFY2(label->width() >= label->fontMetrics().horizontalAdvance(word), qPrintable(label->text()));
        }
        for (const QLabel* const label : m_page->figures()->findChildren<QLabel*>()) {
            if (!label->wordWrap() && label->isVisible())
                QVERIFY2(label->width() >= label->fontMetrics().horizontalAdvance(label->text()), qPrintable(label->text()));
        }
    }

    /// The button goes with what it offered, and so does the field of a form that is made anew: the next key is for the form, not for the toolbar.
    void P1_keysStayInTheFormWhenItIsMadeAnew()
    {
        m_page->show();
        m_page->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        open(kCollective);
        auto& use = test::named<QPushButton>(*m_page, "Use this model");
        use.setFocus();
        QVERIFY(use.hasFocus());
        QTest::keyClick(&use, Qt::Key_Space);
        const auto inForm = [&] { return m_page->focusWidget() && m_page->form()->isAncestorOf(m_page->focusWidget()) && m_page->focusWidget()->isVisible(); };
        QTRY_VERIFY(inForm());
        QVERIFY(qobject_cast<QPushButton*>(m_page->focusWidget()) == nullptr);
        QWidget* const batch = m_page->form()->editorOf(QStringLiteral("workload.model.train.global_batch"));
        QVERIFY(batch);
        batch->setFocus();
        AppTheme::global().set(Theme(Theme::Mode::Dark, 15));
        QTRY_COMPARE(m_page->focusWidget(), m_page->form()->editorOf(QStringLiteral("workload.model.train.global_batch")));
    }

    void P1_anEditOfAFieldIsOneStepThatKeepsTheRest()
    {
        open(kDesign);
        const std::string before = m_document->text();
        auto* const schedule = qobject_cast<QComboBox*>(m_page->form()->editorOf(QStringLiteral("workload.plan.pipeline.schedule")));
        QVERIFY(schedule);
        QCOMPARE(schedule->currentText(), QStringLiteral("1f1b"));
        const double width = m_page->chart()->memoryRect(6).width();
        schedule->setCurrentIndex(schedule->findText(QStringLiteral("gpipe")));
        emit schedule->activated(schedule->currentIndex());
        QVERIFY(QString::fromStdString(m_document->text()).contains(QStringLiteral("schedule: gpipe")));
        QVERIFY(QString::fromStdString(m_document->text()).contains(QStringLiteral("# kept")));
        QTRY_VERIFY(m_page->isSettled());
        // GPipe keeps all 32 on every stage.
        QVERIFY(m_page->chart()->memoryRect(6).width() > width);
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QCOMPARE(m_document->text(), before);
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(schedule->currentText(), QStringLiteral("1f1b"));
    }

    void P1_kernelsAreFieldsOfTheForm()
    {
        open(kDesign);
        const std::string before = m_document->text();
        const auto fieldOf = [&](const char* key) { return qobject_cast<QLineEdit*>(m_page->form()->editorOf(QStringLiteral("compute.kernels.") + QLatin1StringView(key))); };
        const auto machine = [&] { return qobject_cast<QComboBox*>(m_page->form()->editorOf(QStringLiteral("compute.kernels"))); };
        QVERIFY(machine());
        QCOMPARE(machine()->currentText(), QStringLiteral("off"));
        QVERIFY(!fieldOf("start"));
        const auto choose = [&](const QString& word) {
            machine()->setCurrentIndex(machine()->findText(word));
            emit machine()->activated(machine()->currentIndex());
        };
        choose(QStringLiteral("h200"));
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_document->design()->compute->kernels->machine, std::optional(FittedMachine::H200));
        QCOMPARE(machine()->currentText(), QStringLiteral("h200"));
        // What the machine has stands grey in the fields.
        QVERIFY(fieldOf("share") && fieldOf("share")->text().isEmpty());
        QCOMPARE(fieldOf("share")->placeholderText(), QStringLiteral("0.702"));
        QVERIFY(!fieldOf("start")->toolTip().isEmpty());
        // A number alone has the unit of the field; the rest of the text stays.
        QTest::keyClicks(fieldOf("start"), QStringLiteral("5"));
        QTest::keyClick(fieldOf("start"), Qt::Key_Return);
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY2(QString::fromStdString(m_document->text()).contains(QStringLiteral("{machine: h200, start: 5 us}")), m_document->text().c_str());
        QVERIFY(m_document->text().starts_with(before.substr(0, before.find("workload:"))));
        QCOMPARE(fieldOf("start")->text(), QStringLiteral("5 us"));
        QCOMPARE(m_document->undoStack().count(), 2);
        // What cannot be is said, and is not in the text.
        QSignalSpy refused(m_page.get(), &PlanPage::refused);
        QTest::keyClicks(fieldOf("share"), QStringLiteral("1.5"));
        QTest::keyClick(fieldOf("share"), Qt::Key_Return);
        QCOMPARE(refused.count(), 1);
        QVERIFY2(refused[0][0].toString().contains(QStringLiteral("at most 1")), qPrintable(refused[0][0].toString()));
        QCOMPARE(m_document->undoStack().count(), 2);
        choose(QStringLiteral("off"));
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY(!m_document->design()->compute);
        for (int i = 0; i < 3; ++i)
            m_document->undoStack().undo();
        QCOMPARE(m_document->text(), before);
    }

    void P1_aMeshThatIsNotTheNpusIsSaidAndTheChartStays()
    {
        open(kDesign);
        auto* const stages = qobject_cast<QLineEdit*>(m_page->form()->editorOf(QStringLiteral("workload.plan.mesh.shape.0")));
        QVERIFY(stages);
        QCOMPARE(stages->text(), QStringLiteral("8"));
        stages->setFocus();
        stages->selectAll();
        QTest::keyClicks(stages, QStringLiteral("4"));
        QTest::keyClick(stages, Qt::Key_Return);
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY2(m_page->problemText().contains(QStringLiteral("16")), qPrintable(m_page->problemText()));
        QCOMPARE(m_page->chart()->rowCount(), 8);
        m_document->undoStack().undo();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->problemText(), QString());
    }

    /// A step takes 32 sequences of 1,024 tokens on 32 NPUs.
    void whatPeopleQuoteOfARunIsSaidHereAndInExplore()
    {
        open(kDesign);
        QVERIFY(m_page->simulated()->isHidden());
        const auto ran = runDesign(m_document->design(), {}, {});
        QVERIFY2(ran, ran ? "" : ran.error().text().c_str());
        const RunResultPtr run = ran.value();
        m_page->setRun(run);
        QVERIFY(!m_page->simulated()->isHidden());
        const double seconds = static_cast<double>(run->record().finish.ps) * 1e-12;
        ResultSection explore;
        explore.setResult(run, {}, {});
        const auto valueOf = [](const ValueRows& rows, const char* label) {
            for (const ValueRow& row : rows.rows()) {
                if (row.label == QLatin1String(label))
                    return row.value;
            }
            return QStringLiteral("absent");
        };
        QCOMPARE(valueOf(*m_page->simulated(), "Step"), texts::time(run->record().finish));
        for (const ValueRows* rows : {m_page->simulated(), explore.findChild<ValueRows*>(QStringLiteral("plan"))}) {
            QVERIFY(rows);
            QCOMPARE(valueOf(*rows, "Tokens/s"), texts::number(32 * 1024 / seconds, 0));
            QCOMPARE(valueOf(*rows, "Tokens/s per NPU"), texts::number(1024 / seconds, 1));
            // Parameters of 16 layers: 2 FLOPs each and token forward, 4 backward, at least.
            const double least = 6.0 * 16 * 12 * 2048 * 2048 * 32 * 1024 / (312e12 * 32 * seconds);
            const double shown = valueOf(*rows, "MFU, of model FLOPs").remove(QRegularExpression(QStringLiteral("[^0-9.]"))).toDouble() / 100;
            QVERIFY2(shown > least - 0.001 && shown < 1.5 * least, qPrintable(QString::number(shown)));
            QVERIFY(valueOf(*rows, "Tensor, exposed") != QStringLiteral("absent"));
        }
        m_page->setRun(nullptr);
        QVERIFY(m_page->simulated()->isHidden());
    }

    void aDesignWithoutAPlanIsOfferedOne()
    {
        open(kCollective);
        QCOMPARE(m_page->chart()->rowCount(), 0);
        auto* const use = m_page->form()->findChild<QPushButton*>();
        QVERIFY(use);
        use->click();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->chart()->rowCount(), 1);
        QVERIFY(m_page->form()->editorOf(QStringLiteral("workload.plan.mesh.shape.0")));
        m_document->undoStack().undo();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->chart()->rowCount(), 0);
    }

    /// The file has a peak: it is the stages of inference that are not drawn.
    void aPlanOfInferenceShowsItsFieldsAndLatencies()
    {
        QByteArray text(kDesign);
        text = text.left(text.indexOf("  model:")) + "  model: llama-3-70b\n  plan:\n    mesh: {axes: [tp], shape: [32]}\n    inference: {batch: 16, prompt: 2048, output: 128}\n";
        text.replace("tp], shape: [32]", "dp, tp], shape: [4, 8]");
        open(text.constData());
        QCOMPARE(m_page->problemText(), QString());
        QCOMPARE(m_page->chart()->rowCount(), 0);
        QVERIFY2(m_page->chart()->whyText().contains(QStringLiteral("inference")), qPrintable(m_page->chart()->whyText()));
        const auto textOf = [&](const char* path) {
            auto* const field = qobject_cast<QLineEdit*>(m_page->form()->editorOf(QString::fromLatin1(path)));
            return field ? field->text() : QStringLiteral("absent");
        };
        QCOMPARE(textOf("workload.plan.inference.batch"), QStringLiteral("16"));
        QCOMPARE(textOf("workload.plan.inference.output"), QStringLiteral("128"));
        QCOMPARE(textOf("workload.model.train.global_batch"), QStringLiteral("absent"));
        QVERIFY(!m_page->form()->editorOf(QStringLiteral("workload.plan.recompute")));
        auto* const preset = qobject_cast<QComboBox*>(m_page->form()->editorOf(QStringLiteral("workload.model")));
        QVERIFY(preset);
        QCOMPARE(preset->currentText(), QStringLiteral("llama-3-70b"));
        const auto& rows = m_page->figures()->rows();
        QVERIFY(std::any_of(rows.begin(), rows.end(), [](const ValueRow& row) { return row.label == QStringLiteral("First token, estimated"); }));
    }

    void aPlanPlacedBySpeedSaysSo()
    {
        QByteArray text(kDesign);
        text = text.left(text.indexOf("  plan:")) + "  plan: {placement: hap}\n";
        QVERIFY(m_document->setText(text.constData(), QStringLiteral("plan.yaml")));
        QVERIFY2(!m_document->hasErrors(), m_document->issues().empty() ? "" : m_document->issues().front().message.c_str());
        m_page->setDocument(m_document.get());
        m_page->show();
        QTRY_VERIFY(m_page->showsPlacement()); // What it says: tst_placementview.
        QCOMPARE(m_page->problemText(), QString());
        QCOMPARE(m_page->chart()->rowCount(), 0);
        QVERIFY(!m_page->form()->findChild<QPushButton*>());
        const auto labels = m_page->form()->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains(QStringLiteral("HAP")); }));
        QVERIFY(!m_page->form()->editorOf(QStringLiteral("workload.plan.recompute")));
    }

    /// `model: NAME` has no room for a batch; an edit makes some.
    void aBatchCanBeGivenToAModelThatIsOnlyNamed()
    {
        QByteArray text(kDesign);
        text = text.left(text.indexOf("  model:")) + "  model: llama-3-70b  # which\n" + text.mid(text.indexOf("  plan:"));
        open(text.constData());
        auto* const batch = qobject_cast<QLineEdit*>(m_page->form()->editorOf(QStringLiteral("workload.model.train.global_batch")));
        QVERIFY(batch);
        batch->setFocus();
        batch->selectAll();
        QTest::keyClicks(batch, QStringLiteral("64"));
        QTest::keyClick(batch, Qt::Key_Return);
        QTRY_VERIFY(m_page->isSettled());
        const auto* const planned = std::get_if<PlannedWorkload>(m_document->design()->workload.get());
        QVERIFY2(planned && planned->model, m_document->text().c_str());
        QVERIFY2(QString::fromStdString(m_document->text()).contains(QStringLiteral("preset: llama-3-70b")), m_document->text().c_str());
        QVERIFY2(QString::fromStdString(m_document->text()).contains(QStringLiteral("global_batch: 64")), m_document->text().c_str());
        QCOMPARE(m_document->undoStack().count(), 1);
        QVERIFY(m_page->form()->editorOf(QStringLiteral("workload.model.preset")));
    }

    void aPlanWithAnErrorSaysItAndIsNotReplaced()
    {
        QByteArray text(kDesign);
        text.replace("schedule: 1f1b", "schedule: sideways");
        open(text.constData());
        QVERIFY2(m_page->problemText().contains(QStringLiteral("sideways")), qPrintable(m_page->problemText()));
        QVERIFY(!m_page->form()->findChild<QPushButton*>());
    }

    void fieldsAreNotCutWithLargeLetters()
    {
        AppTheme::global().set(Theme(Theme::Mode::Dark, 20));
        open(kDesign);
        m_page->resize(1280, 700);
        for (const char* const path : {"workload.plan.pipeline.schedule", "workload.plan.tensor.sequence_parallel", "workload.model.train.global_batch"}) {
            QWidget* const field = m_page->form()->editorOf(QString::fromLatin1(path));
            QVERIFY2(field, path);
            QTRY_VERIFY2(field->width() >= field->minimumWidth() && field->minimumWidth() > 80, path);
            QCOMPARE(field->visibleRegion().boundingRect().width(), field->width());
        }
    }

    void aHiddenPageWaitsUntilItIsSeen()
    {
        QVERIFY(m_document->setText(kDesign, QStringLiteral("eight.yaml")));
        m_page->setDocument(m_document.get());
        QVERIFY(!m_page->isSettled());
        QCOMPARE(m_page->chart()->rowCount(), 0);
        m_page->show();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->chart()->rowCount(), 8);
    }
};

} // namespace

FABRICSCOPE_GUI_TEST(PlanPageTest)
#include "tst_planpage.moc"
