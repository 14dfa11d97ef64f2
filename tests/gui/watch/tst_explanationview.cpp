// Why a run takes as long as it takes, beside it: parts, bound, diagnosis with one thing to do each, sensitivities with their ranges; made beside the window.
#include "tests/gui/support/named.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/valuerows.h"
#include "widgets/results/explanationview.h"
#include "widgets/results/inspector.h"
#include "widgets/results/pathlens.h"
#include "widgets/results/sensitivitychart.h"

#include <QtTest>

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Three stages, four micro-batches, the second the slowest (tst_explain): no order is faster than the 15.2 us it takes.
const char* const kPipeline = R"(fabricscope: 1
platform: {topology: FullyConnected(3), bandwidth: 10 GB/s, latency: 500 ns}
workload:
  steps:
    - repeat: 4
      steps:
        - {receive: 1000 B, from: -1, ranks: 1-2, name: input, after: input}
        - {compute: 1 us, ranks: "0,2", name: quick, after: [input, quick]}
        - {compute: 3 us, ranks: "1", name: slow, after: [input, slow]}
        - {send: 1000 B, to: +1, ranks: 0-1, name: output, after: [quick, slow]}
)";

/// a sends 1000 B to c while b sends as much to d, over one link between two switches: the second waits 1 us for it.
const char* const kShared = R"(fabricscope: 1
platform:
  nodes: [{name: a}, {name: b}, {name: c}, {name: d}, {name: left, kind: switch}, {name: right, kind: switch}]
  links:
    - {between: [a, left], bandwidth: 1 GB/s, latency: 100 ns}
    - {between: [b, left], bandwidth: 1 GB/s, latency: 100 ns}
    - {between: [c, right], bandwidth: 1 GB/s, latency: 100 ns}
    - {between: [d, right], bandwidth: 1 GB/s, latency: 100 ns}
    - {between: [left, right], bandwidth: 1 GB/s, latency: 100 ns}
workload:
  steps:
    - {send: 1000 B, to: 2, tag: 1, ranks: "0", name: first}
    - {receive: 1000 B, from: 0, tag: 1, ranks: "2"}
    - {send: 1000 B, to: 3, tag: 2, ranks: "1", name: second}
    - {receive: 1000 B, from: 1, tag: 2, ranks: "3"}
)";

QString squeezed(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

} // namespace

class ExplanationViewTest : public QObject
{
    Q_OBJECT

    ExplainRunner m_runner;
    ExplainedRunPtr m_last;

    /// Explained to the end, ranges among it.
    ExplainedRunPtr explained(const char* text)
    {
        const RunResultPtr run = runText(text);
        m_last = nullptr;
        m_runner.explain(run, text, {});
        [&] { QTRY_VERIFY(!m_runner.isBusy()); }();
        return m_last;
    }

private slots:
    void initTestCase()
    {
        connect(&m_runner, &ExplainRunner::explained, this, [this](const ExplainedRunPtr& run) { m_last = run; });
    }

    void tellsTwiceFirstWithoutRanges()
    {
        QSignalSpy told(&m_runner, &ExplainRunner::explained);
        const ExplainedRunPtr run = explained(kTwoRanks);
        QCOMPARE(told.size(), 2);
        QVERIFY(!told[0][0].value<ExplainedRunPtr>()->ranged);
        QVERIFY(run && run->ranged);
        QCOMPARE(run->steps->back().endPs, run->of->record().finish.ps);
    }
    void cancelledItTellsNothing()
    {
        QSignalSpy told(&m_runner, &ExplainRunner::explained);
        QSignalSpy failed(&m_runner, &ExplainRunner::failed);
        m_runner.explain(runText(kTwoRanks), kTwoRanks, {});
        m_runner.cancel();
        QVERIFY(!m_runner.isBusy());
        m_runner.waitForThreads();
        QCoreApplication::processEvents();
        QVERIFY(told.isEmpty());
        QVERIFY(failed.isEmpty());
    }
    void aStopButtonStandsWhereItWasAskedFor()
    {
        ExplanationView view;
        QSignalSpy wanted(&view, &ExplanationView::explainWanted);
        QSignalSpy stopped(&view, &ExplanationView::stopWanted);
        auto& button = tagged<QPushButton>(view, "explain");
        QVERIFY(!button.isEnabled());
        view.setExplainable(true);
        QTest::keyClick(&button, Qt::Key_Space);
        QCOMPARE(wanted.size(), 1);
        view.setBusy(true);
        view.setProgress(0.25, false);
        QCOMPARE(squeezed(tagged<QLabel>(view, "state").text()), QStringLiteral("Going back from the end: 25 %"));
        QTest::keyClick(&button, Qt::Key_Space);
        QCOMPARE(stopped.size(), 1);
        QCOMPARE(wanted.size(), 1);
    }
    void R9_saysHowNearTheRunComesToItsBoundAndWhatSetsIt()
    {
        ExplanationView view;
        view.setExplanation(explained(kPipeline));
        const QString bound = squeezed(tagged<QLabel>(view, "bound").text());
        QVERIFY2(bound == QString::fromUtf8("Lower bound 15.200 µs, 100.0 % reached. It is set by a chain of tasks that ends on rank 2."), qPrintable(bound));
        const std::vector<ValueRow>& rows = tagged<ValueRows>(view, "pathparts").rows();
        QCOMPARE(squeezed(rows.front().label), QStringLiteral("Compute"));
        QCOMPARE(squeezed(rows.front().value), QString::fromUtf8("14.000 µs"));
        QCOMPARE(squeezed(rows.back().value), QString::fromUtf8("15.200 µs"));
    }
    /// 250 us of computing, 40 us of bytes: the first is said first, and has no field; the second is tried.
    void eachThingSaidHasOneThingToDo()
    {
        ExplanationView view;
        QSignalSpy tried(&view, &ExplanationView::tryEdit);
        QSignalSpy shown(&view, &ExplanationView::showPiece);
        const ExplainedRunPtr run = explained(kTwoRanks);
        view.setExplanation(run);
        view.show();
        const auto sentences = view.findChildren<QLabel*>(QStringLiteral("item"));
        QCOMPARE(static_cast<std::size_t>(sentences.size()), run->explanation.diagnosis.size());
        const auto tries = view.findChildren<QPushButton*>(QStringLiteral("try"));
        const auto shows = view.findChildren<QPushButton*>(QStringLiteral("show"));
        qsizetype rate = -1;
        for (qsizetype i = 0; i < sentences.size(); ++i) {
            if (sentences[i]->text().contains(QStringLiteral("dimension 0 bandwidth")))
                rate = i;
        }
        QVERIFY(rate >= 0);
        QVERIFY(tries[rate]->isVisible());
        QTest::keyClick(tries[rate], Qt::Key_Space);
        QCOMPARE(tried.size(), 1);
        QCOMPARE(tried[0][0].toString(), QStringLiteral("platform.dimensions.0.bandwidth"));
        QCOMPARE(tried[0][1].toString(), QStringLiteral("100 GB/s"));
        QTest::keyClick(shows[rate], Qt::Key_Space);
        QCOMPARE(shown.size(), 1);
        const PathPiece& piece = run->explanation.path.pieces[shown[0][0].value<std::size_t>()];
        QCOMPARE(piece.parameter, PathParameter::LinkRate);
    }
    /// A tenth faster: 250 / 11 and 40 / 11 us; nothing else becomes the longest within 50 %.
    void sensitivitiesStandWithTheirRange()
    {
        ExplanationView view;
        view.resize(320, 900);
        view.setExplanation(explained(kTwoRanks));
        auto& chart = part<SensitivityChart>(view);
        QCOMPARE(chart.rowCount(), 3);
        QCOMPARE(squeezed(chart.gainText(0)), QString::fromUtf8("▼ 22.727 µs"));
        QCOMPARE(squeezed(chart.gainText(1)), QString::fromUtf8("▼ 3.636 µs"));
        QVERIFY(std::abs(chart.barRect(1).width() / chart.barRect(0).width() - 40.0 / 250) < 0.01);
        for (int row = 0; row < 3; ++row)
            QCOMPARE(squeezed(chart.rangeText(row)), QString::fromUtf8("over ± 50 %"));
        QTest::keyClick(&chart, Qt::Key_Down);
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chart.currentRow(), 1);
        QVERIFY(squeezed(chart.accessibleDescription()).startsWith(QString::fromUtf8("Current: D0 bandwidth: ▼ 3.636 µs, over ± 50 %")));
    }
    void anEndOfARangeStandsWhereItIs()
    {
        SensitivityChart chart;
        chart.resize(400, 200);
        ParameterEffect effect;
        effect.name = "one";
        effect.ps = 1100;
        effect.range = EffectRange{10, 40};
        chart.setEffects({effect}, true);
        const double percent = chart.rangeRect(0).width() / 50;
        effect.range = EffectRange{50, 50};
        chart.setEffects({effect}, true);
        const QRectF whole = chart.rangeRect(0);
        QVERIFY(std::abs(whole.width() - 100 * percent) < 1e-6);
        effect.range = EffectRange{10, 40};
        chart.setEffects({effect}, true);
        QVERIFY(std::abs(chart.rangeRect(0).left() - (whole.left() + 40 * percent)) < 1e-6);
        QCOMPARE(squeezed(chart.rangeText(0)), QString::fromUtf8("−10 % to +40 %"));
    }
    /// Six messages of 1 MB over 12.5 GB/s, and the others are not on the path at all: 480 / 11 us.
    void E10_gainColoursTheSlowLinkAlone()
    {
        const ExplainedRunPtr run = explained(kOddLink);
        const PathLens lens = gainLens(run->explanation);
        QCOMPARE(lens.most.ps, std::int64_t{480'000'000} / 11);
        const Platform& platform = run->of->scenario->structure->platform;
        for (LinkId link = 0; link < platform.linkCount(); ++link)
            QCOMPARE(lens.shares[static_cast<std::size_t>(link)], platform.linkName(link) == "d0 2>3" ? 1.0F : 0.0F);
        QVERIFY(waitingLens(run->explanation).shares.empty());
    }
    void E10_waitingColoursTheLinkThatWasTaken()
    {
        const ExplainedRunPtr run = explained(kShared);
        const PathLens lens = waitingLens(run->explanation);
        QCOMPARE(lens.most.ps, std::int64_t{1'000'000});
        const Platform& platform = run->of->scenario->structure->platform;
        int hot = 0;
        for (LinkId link = 0; link < platform.linkCount(); ++link) {
            hot += lens.shares[static_cast<std::size_t>(link)] > 0 ? 1 : 0;
            if (lens.shares[static_cast<std::size_t>(link)] > 0)
                QCOMPARE(platform.linkName(link), std::string("left>right"));
        }
        QCOMPARE(hot, 1);
    }
    /// In the inspector the explanation takes the place of the one finding, and goes with the run.
    void theInspectorHasItForItsRunOnly()
    {
        Inspector inspector;
        const ExplainedRunPtr run = explained(kOddLink);
        inspector.setResult(run->of);
        QVERIFY(inspector.finding());
        inspector.setExplanation(run);
        QCOMPARE(inspector.explanationView().explanation(), run);
        inspector.setResult(runText(kTwoRanks));
        QVERIFY(!inspector.explanationView().explanation());
        inspector.setExplanation(run);
        QVERIFY(!inspector.explanationView().explanation());
    }
};

FABRICSCOPE_GUI_TEST(ExplanationViewTest)
#include "tst_explanationview.moc"
