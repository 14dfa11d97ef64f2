// The page of a program and its schedule: what is shown, steps taken, taken back and searched for, files written.
#include "core/base/index.h"
#include "core/design/design.h"
#include "core/transform/transformed.h"
#include "sourcedir.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/table.h"
#include "widgets/start/cards.h"
#include "widgets/step/paneheader.h"
#include "widgets/transform/gainchart.h"
#include "widgets/transform/rewritechart.h"
#include "widgets/transform/rewritepage.h"
#include "widgets/transform/rewriterows.h"
#include "widgets/transform/rewritestart.h"
#include "widgets/transform/scheduletree.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

using namespace fabricscope;

namespace {

constexpr const char* kAdam = R"(fabricscope: 1
name: Adam on four ranks  # kept
transform:
  ranks: 4
  sizes: {N: 1048576}
  tensors:
    g: {shape: [N], dtype: fp32, layout: local}
    w: {shape: [N], dtype: fp32, layout: replicated}
    m: {shape: [N], dtype: fp32, layout: replicated}
  stages:
    - {name: s, op: all_reduce, in: [g]}
    - {name: m1, op: update, target: m, expr: "0.9*m + 0.1*s"}
    - {name: w1, op: update, target: w, expr: "w - 0.1*m1"}
  outputs: [w1]
  may_slice: [m]
  platform: {dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 0 ns}], npu: {memory_bandwidth: 1000 GB/s, peak: 10 TFLOP/s}}
  collectives: {default: {algorithm: ring}}
)";

/// Four bytes of each element: an all-reduce sends 2 * 3/4 of them at 100 GB/s; a computation moves three such tensors at 1 TB/s and is launched in 5 us.
constexpr double kWhole = 4.0 * 1048576;
constexpr double kRingUs = 2 * 0.75 * kWhole / 100e9 * 1e6;
constexpr double kUpdateUs = 5 + 3 * kWhole / 1e12 * 1e6;

double us(SimTime time) { return static_cast<double>(time.ps) / 1e6; }

bool isNear(double found, double expected)
{
    if (std::abs(found - expected) < 0.001 * expected)
        return true;
    qWarning("%.9g instead of %.9g", found, expected);
    return false;
}

class RewritePageTest : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_page = std::make_unique<RewritePage>();
        m_page->resize(1500, 950);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void cleanup() { m_page.reset(); }

    void X1_aProgramIsShownBeforeAndAfter()
    {
        openText(kAdam);
        const auto& traced = *document().traced();
        QVERIFY(isNear(us(traced.programs.front().times.total), kRingUs + 2 * kUpdateUs));
        QCOMPARE(m_page->stages()->count(), 3);
        QVERIFY(m_page->stages()->rows()[0].detail.contains(QStringLiteral("replicated")));
        QVERIFY(m_page->stages()->rows()[0].detail.contains(QStringLiteral("4 MiB")) || m_page->stages()->rows()[0].detail.contains(QStringLiteral("4\u202fMiB")));
        take({"split s", "reorder s.ag {m1, w1}", "as_slice m", "fuse {s.rs, m1, w1, w1.ag}"});
        QVERIFY(isNear(us(document().traced()->programs.back().times.total), kRingUs));
        // What the steps bring adds up to the difference of both ends.
        QCOMPARE(m_page->gains()->sum().ps, document().traced()->programs.back().times.total.ps - document().traced()->programs.front().times.total.ps);
        QCOMPARE(m_page->gains()->rowCount(), 6);
        for (const RewriteRow& row : m_page->stages()->rows())
            QCOMPARE(row.bracket, RewriteRow::Bracket::Fused);
        m_page->showBefore(true);
        QCOMPARE(m_page->stages()->count(), 3);
        // Both are drawn to one scale.
        const double before = m_page->chart()->barRect(0, 1, 0).width();
        const auto& lanes = m_page->chart();
        QVERIFY(std::abs(before - (lanes->barRect(1, 1, 0).width() + lanes->barRect(1, 1, 1).width())) < 3);
    }

    void X1_whatIsWrongWithAFileIsSaid()
    {
        const QSignalSpy failed(&document(), &RewriteDocument::failed);
        document().openText("fabricscope: 1\ntransform: {ranks: 4, stages: []}\n", QStringLiteral("wrong.yaml"));
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!document().isOpen());
        openText(kAdam);
        document().openText("transform: 1", QStringLiteral("wrong.yaml"));
        QTRY_COMPARE(failed.size(), 2);
        QVERIFY(document().isOpen()); // What was on show stays.
        QVERIFY(m_page->problemText().contains(QStringLiteral("wrong.yaml")));
    }

    void X2_stepsAreTakenByKeysAndTakenBack()
    {
        openText(kAdam);
        QTRY_VERIFY(m_page->offers()->count() > 0);
        const auto rows = m_page->offers()->rows();
        const auto split = std::find_if(rows.begin(), rows.end(), [](const RewriteRow& row) { return row.detail == QStringLiteral("split s"); });
        QVERIFY(split != rows.end());
        m_page->offers()->setFocus();
        m_page->offers()->setCurrentRow(static_cast<int>(split - rows.begin()));
        QTest::keyClick(m_page->offers(), Qt::Key_Return);
        QTRY_COMPARE(m_page->applied()->count(), 1);
        settle();
        QVERIFY(document().canUndo() && document().isModified());
        document().undo();
        settle();
        QCOMPARE(m_page->applied()->count(), 0);
        QVERIFY(!document().isModified());
        document().redo();
        settle();
        QCOMPARE(m_page->applied()->count(), 1);
    }

    void X2_aRefusedStepSaysConditionAndStage()
    {
        openText(kAdam);
        const QSignalSpy refused(&document(), &RewriteDocument::refused);
        m_page->stepField()->setText(QStringLiteral("overlap s w1"));
        QTest::keyClick(m_page->stepField(), Qt::Key_Return);
        QTRY_COMPARE(refused.size(), 1);
        settle();
        // It stays until something else is done, and so do the words.
        QVERIFY(m_page->problemText().contains(QStringLiteral("(condition chain, stage w1")));
        QCOMPARE(m_page->stepField()->text(), QStringLiteral("overlap s w1"));
        QVERIFY(!document().canUndo());
        m_page->stepField()->setText(QStringLiteral("melt s"));
        QTest::keyClick(m_page->stepField(), Qt::Key_Return);
        QTRY_COMPARE(refused.size(), 2);
        QVERIFY(m_page->problemText().contains(QStringLiteral("melt")));
        // In the list, with a padlock and the same reason.
        QTRY_VERIFY(document().offers() != nullptr);
        const auto rows = m_page->offers()->rows();
        const auto locked = std::find_if(rows.begin(), rows.end(), [](const RewriteRow& row) { return row.refused; });
        QVERIFY(locked != rows.end() && !locked->detail.isEmpty());
        m_page->takeOffer(static_cast<int>(locked - rows.begin()));
        QVERIFY(m_page->problemText().contains(QStringLiteral("is refused")));
        settle();
        QVERIFY(!document().canUndo());
    }

    void X2_ofAScheduleThatIsNotLegalTheLegalPartIsTaken()
    {
        QSignalSpy refused(&document(), &RewriteDocument::refused);
        openText((std::string(kAdam) + "  schedule: [split s, as_slice m, \"reorder s.ag {m1, w1}\"]\n").c_str());
        QCOMPARE(refused.size(), 1);
        QVERIFY(m_page->problemText().contains(QStringLiteral("step 2 \"as_slice m\" is refused")));
        QCOMPARE(m_page->applied()->count(), 1);
        QVERIFY(!document().isModified());
        document().applyText(QStringLiteral("reorder s.ag {m1, w1}"));
        settle();
        QCOMPARE(document().traced()->schedule.size(), std::size_t{2});
        QVERIFY(document().isModified());
    }

    void X2_aStepGoesWithWhatDependsOnItAsOneUndo()
    {
        openText(kAdam);
        take({"split s", "reorder s.ag {m1, w1}", "as_slice m", "fuse {s.rs, m1, w1, w1.ag}"});
        m_page->applied()->setFocus();
        m_page->applied()->setCurrentRow(1);
        QTest::keyClick(m_page->applied(), Qt::Key_Delete);
        settle();
        // Without the reorder nothing is read in slices, and there is no w1.ag.
        QCOMPARE(m_page->applied()->count(), 1);
        document().undo();
        settle();
        QCOMPARE(m_page->applied()->count(), 4);
        // as_slice m may not stand before the reorder, which makes slices of m.
        const QSignalSpy refused(&document(), &RewriteDocument::refused);
        m_page->applied()->setCurrentRow(2);
        QTest::keyClick(m_page->applied(), Qt::Key_Up, Qt::AltModifier);
        QTRY_COMPARE(refused.size(), 1);
        QVERIFY(refused.front().front().toString().contains(QStringLiteral("used_sliced")));
        settle();
        QCOMPARE(document().traced()->schedule.size(), std::size_t{4});
    }

    void X3_theSearchEndsInTheFusedAllReduceAndShowsAnyProgram()
    {
        openText(kAdam);
        m_page->searchButton()->click();
        QTRY_VERIFY(!document().isSearching());
        const auto& search = *document().search();
        QVERIFY(search.complete);
        QVERIFY(isNear(us(search.programs[search.best].time), kRingUs));
        // Home goes to the best one, Return shows it.
        m_page->tree()->setFocus();
        QTest::keyClick(m_page->tree(), Qt::Key_Home);
        QTest::keyClick(m_page->tree(), Qt::Key_Return);
        settle();
        QCOMPARE(document().traced()->programs.back().times.total.ps, search.programs[search.best].time.ps);
        QVERIFY(document().canUndo());
        QVERIFY(document().traced()->equal.value_or(false));
    }

    void X3_stopKeepsWhatWasFound()
    {
        openText(kAdam);
        std::stop_source stop;
        transform::SearchLimits limits;
        limits.keepWhenStopped = true;
        std::size_t told = 0;
        const auto found = transform::searchSchedules(*document().file(), stop.get_token(), limits, [&](const transform::StepSearch& soFar) {
            told = soFar.programs.size();
            if (told == 5)
                stop.request_stop();
        });
        QVERIFY(found);
        QCOMPARE(found.value().programs.size(), std::size_t{5});
        QVERIFY(!found.value().complete);
        // Without that it is an error, as for every command.
        const auto refused = transform::searchSchedules(*document().file(), stop.get_token());
        QVERIFY(!refused && refused.error().code == ErrorCode::Cancelled);
        document().startSearch();
        document().stopSearch();
        QTRY_VERIFY(!document().isSearching());
    }

    void X4_theScheduleIsWrittenBackAndReplays()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("adam.yaml"));
        const QString steps = folder.filePath(QStringLiteral("adam.schedule"));
        openText(kAdam);
        take({"split s", "reorder s.ag {m1, w1}"});
        const std::int64_t total = document().traced()->programs.back().times.total.ps;
        const auto marked = [this] {
            const auto headers = m_page->findChildren<StepHeader*>();
            return std::any_of(headers.begin(), headers.end(), [](const StepHeader* header) { return header->hint().contains(QLatin1Char('*')); });
        };
        QVERIFY(marked());
        QVERIFY(document().save(path));
        QVERIFY(!document().isModified() && !marked());
        QVERIFY(document().exportSchedule(steps));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        QVERIFY(text.find("# kept") != std::string::npos);
        const auto read = transform::readTransformText(text, "adam.yaml");
        QVERIFY(read);
        QCOMPARE(transform::scheduleText(read.value().schedule), std::string("split s\nreorder s.ag {m1, w1}\n"));
        QFile lines(steps);
        QVERIFY(lines.open(QIODevice::ReadOnly));
        const auto schedule = transform::parseSchedule(lines.readAll().toStdString(), "adam.schedule");
        QVERIFY(schedule);
        const auto made = transform::transformed(read.value(), schedule.value());
        QVERIFY(made && !made.value().refused);
        QCOMPARE(made.value().afterTimes.total.ps, total);
        // And opened again with its schedule.
        document().open(path);
        QTRY_VERIFY(document().path() == path);
        settle();
        QCOMPARE(m_page->applied()->count(), 2);
        QVERIFY(isTransformFile(path) && !isTransformFile(steps));
    }

    void lettersTypedWhileAStepIsWorkedOutStay()
    {
        openText(kAdam);
        m_page->stepField()->setText(QStringLiteral("split s"));
        QTest::keyClick(m_page->stepField(), Qt::Key_Return);
        m_page->stepField()->setText(QStringLiteral("dead x"));
        QTRY_COMPARE(m_page->applied()->count(), 1);
        settle();
        QCOMPARE(m_page->stepField()->text(), QStringLiteral("dead x"));
        // Nor does the answer to something else take them away.
        document().undo();
        settle();
        QCOMPARE(m_page->stepField()->text(), QStringLiteral("dead x"));
        m_page->stepField()->setText(QStringLiteral("split s "));
        QTest::keyClick(m_page->stepField(), Qt::Key_Return);
        QTRY_COMPARE(m_page->stepField()->text(), QString());
        settle();
    }

    void theSelectedStageIsTheOneThatIsWorkedOn()
    {
        openText(kAdam);
        m_page->stages()->setCurrentRow(1);
        const auto selected = [this] { return m_page->stages()->currentRow() < 0 ? QString() : m_page->stages()->currentItem()->data(Qt::DisplayRole).toString(); };
        const QString m1 = selected();
        QVERIFY(m1.contains(QStringLiteral("m1")));
        take({"split s"}); // s.rs and s.ag stand before it now.
        QCOMPARE(m_page->stages()->currentRow(), 2);
        QCOMPARE(selected(), m1);
        m_page->showBefore(true);
        QCOMPARE(selected(), m1);
        m_page->showBefore(false);
        m_page->stages()->setCurrentRow(0);
        QVERIFY(selected().contains(QStringLiteral("s.rs")));
        document().undo();
        settle();
        QCOMPARE(m_page->stages()->currentRow(), -1);
    }

    void whatIsSaidWhereNothingIsOpenIsWhole()
    {
        for (const int width : {1280, 700}) {
            m_page->resize(width, 800);
            QCoreApplication::processEvents();
            const QLabel* const label = m_page->start()->label();
            QVERIFY(label->width() > 300);
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
        }
    }

    /// The files are those that the manual names; each opens as it is.
    void X5_withoutAProgramThoseThatComeWithTheWindowAreOffered()
    {
        QStringList titles;
        for (const ShippedRewrite& example : shippedRewrites()) {
            QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/") + example.name);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(example.name));
            QCOMPARE(example.text, QString::fromUtf8(file.readAll()));
            QVERIFY2(!example.detail.isEmpty() && !example.detail.contains(QLatin1Char('#')) && !example.detail.contains(QLatin1Char('\n')), qPrintable(example.detail));
            titles.append(example.title);
        }
        QCOMPARE(titles, QStringList({QStringLiteral("Adam in an all-reduce"), QStringLiteral("Attention output, model parallel"), QStringLiteral("LAMB in an all-reduce"), QStringLiteral("MLP output, model parallel"), QStringLiteral("Pipeline and model parallel")}));
        connect(m_page.get(), &RewritePage::exampleChosen, &document(), [this](const QString& text, const QString& name) { document().openText(text.toStdString(), name); });
        auto& row = test::named<StartRow>(*m_page, "LAMB in an all-reduce");
        QVERIFY(row.isVisible());
        row.setFocus();
        QTest::keyClick(&row, Qt::Key_Space);
        QTRY_VERIFY(document().isOpen());
        settle();
        QCOMPARE(document().displayName(), QStringLiteral("lamb.yaml"));
        QVERIFY(!row.isVisible());
        QVERIFY(m_page->stages()->count() > 2);
    }

    void X3_afterASearchABoxIsCurrentAndInView()
    {
        m_page->resize(1000, 420); // Too small for the whole tree.
        openText(kAdam);
        m_page->searchButton()->click();
        QTRY_VERIFY(!document().isSearching());
        const ScheduleTree& tree = *m_page->tree();
        QVERIFY(tree.current() >= 0);
        QCOMPARE(tree.places().boxes()[at(tree.current())].program, std::size_t{0}); // That is on show.
        QTRY_VERIFY(!tree.visibleRegion().isEmpty() && tree.visibleRegion().boundingRect() != tree.rect());
        QTRY_VERIFY(tree.visibleRegion().boundingRect().contains(tree.boxRect(tree.current()).toAlignedRect()));
    }

    void X3_anotherFileEndsTheSearchAndItsTimer()
    {
        openText(kAdam);
        document().startSearch();
        document().openText(kAdam, QStringLiteral("other.yaml"));
        QTRY_COMPARE(document().displayName(), QStringLiteral("other.yaml"));
        settle();
        QVERIFY(!document().isSearching() && !document().search());
        for (const QTimer* const timer : document().findChildren<QTimer*>())
            QVERIFY(!timer->isActive());
        QCOMPARE(m_page->tree()->current(), -1);
    }

    void X2_undoWaitsForTheEditBeforeIt()
    {
        openText(kAdam);
        document().applyText(QStringLiteral("split s"));
        document().undo();
        settle();
        QCOMPARE(m_page->applied()->count(), 0);
        QVERIFY(document().canRedo() && !document().canUndo());
        document().redo();
        document().applyText(QStringLiteral("reorder s.ag {m1, w1}"));
        settle();
        QCOMPARE(m_page->applied()->count(), 2);
    }

    void aScriptTakesNoSchedule()
    {
        QFile script(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/adam.lua"));
        QVERIFY(script.open(QIODevice::ReadOnly));
        document().openText(script.readAll().toStdString(), QStringLiteral("adam.lua"));
        QTRY_VERIFY(document().isOpen() && document().traced() && document().isSettled());
        document().removeStep(0);
        settle();
        QVERIFY(document().isModified());
        QVERIFY(!m_page->saveButton()->isEnabled());
        openText(kAdam);
        take({"split s"});
        QVERIFY(m_page->saveButton()->isEnabled());
    }

    /// Adam on 4 ranks, one bucket: fused, the time that the plan has for its optimizer is gone; taken back, nothing is gained on the program as written.
    void aPartOfAStepShowsTheWholeStep()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}]\n  npu: {peak: 10 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 80 GiB}\n"
                                 "workload:\n  model:\n    family: transformer\n    optimizer: adam\n    transformer: {layers: 2, hidden: 64, heads: 4, ff: 256, vocab: 512, seq: 32}\n"
                                 "    train: {global_batch: 8, micro_batch: 2}\n  plan: {mesh: {axes: [dp], shape: [4]}, data: {bucket_mb: 1000}}\n";
        auto read = readDesignText(text, "step.yaml");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        RewriteDocument& document = *m_page->document();
        document.openPart(std::make_shared<const Design>(std::move(read).value().design), transform::ModelPart::Optimizer);
        settle();
        QVERIFY(document.isOpen() && document.isPart() && document.stepTimes());
        const transform::StepTimes fused = *document.stepTimes();
        QVERIFY(fused.scheduled < fused.plan);
        const auto labels = [&] {
            QStringList list;
            for (const ValueRow& row : m_page->figures()->rows())
                list.append(row.label);
            return list;
        };
        QVERIFY(labels().contains(QStringLiteral("Step, simulated")));
        document.removeStep(0);
        settle();
        QVERIFY(document.traced()->schedule.empty() && document.stepTimes());
        QCOMPARE(document.stepTimes()->scheduled.ps, fused.written.ps);
        // A file is no part of a step.
        openText(kAdam);
        QVERIFY(!document.isPart() && !labels().contains(QStringLiteral("Step, simulated")));
    }

    /// A stage without layers has no sum behind them: where the time of the step would stand it says so, and why.
    void X5_whyAStepIsNotSimulatedIsSaid()
    {
        const std::string text = "fabricscope: 1\nplatform:\n  dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}, {shape: switch, size: 2, bandwidth: 25 GB/s, latency: 2 us}]\n  npu: {peak: 10 TFLOP/s, memory_bandwidth: 1 TB/s, memory: 80 GiB}\n"
                                 "workload:\n  model:\n    family: transformer\n    optimizer: adam\n    transformer: {layers: 2, hidden: 64, heads: 4, ff: 256, vocab: 512, seq: 32}\n"
                                 "    train: {global_batch: 8, micro_batch: 2}\n  plan: {mesh: {axes: [pp, tp], shape: [2, 4]}, pipeline: {layers: [0, 2]}}\n";
        auto read = readDesignText(text, "step.yaml");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        document().openPart(std::make_shared<const Design>(std::move(read).value().design), transform::ModelPart::PipelineBoundary);
        settle();
        QVERIFY2(document().isOpen() && document().isPart(), qPrintable(m_page->problemText()));
        QVERIFY(!document().stepTimes() && !document().stepReason().isEmpty());
        QVERIFY(m_page->stepNote().endsWith(document().stepReason()));
        openText(kAdam);
        QCOMPARE(m_page->stepNote(), QString());
    }

    void tensorsSayWhatSlicesSave()
    {
        openText(kAdam);
        take({"split s", "reorder s.ag {m1, w1}", "as_slice m"});
        // 3/4 of 4 MiB.
        const auto& programs = document().traced()->programs;
        QCOMPARE(programs.front().memory - programs.back().memory, std::int64_t{3} << 20);
        QCOMPARE(m_page->tensors()->view()->model()->rowCount(), 3);
    }

private:
    RewriteDocument& document() { return *m_page->document(); }
    void settle()
    {
        QCoreApplication::processEvents();
        QTRY_VERIFY(document().isSettled());
    }
    void openText(const char* text)
    {
        document().openText(text, QStringLiteral("adam.yaml"));
        QTRY_VERIFY(document().displayName() == QStringLiteral("adam.yaml") && document().traced() && document().isSettled());
    }
    void take(const std::vector<std::string>& steps)
    {
        for (const std::string& step : steps)
            document().applyText(QString::fromStdString(step));
        QTRY_VERIFY(document().isSettled());
        QCOMPARE(document().traced()->schedule.size(), steps.size());
    }

    std::unique_ptr<RewritePage> m_page;
};

} // namespace

FABRICSCOPE_GUI_TEST(RewritePageTest)
#include "tst_rewritepage.moc"
