// The critical path on the timeline: its steps, their sum, walking them, what is framed and what fades.
#include "core/insight/explain.h"
#include "tests/gui/support/runresults.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/timeline/criticalsteps.h"
#include "widgets/timeline/view.h"

#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr std::int64_t kMicro = 1'000'000;

std::shared_ptr<const std::vector<PathStep>> stepsOf(const RunResult& run)
{
    const auto explanation = explainDesign(run.design, {}, {}, {});
    if (!explanation)
        qFatal("%s", explanation.error().text().c_str());
    return std::make_shared<const std::vector<PathStep>>(stepsOfPath(*run.timeline, explanation.value().path));
}

} // namespace

class CriticalStepsTest : public QObject
{
    Q_OBJECT

    RunResultPtr m_run;
    std::shared_ptr<const std::vector<PathStep>> m_steps;
    std::unique_ptr<TimelineView> m_view;

    std::string nameOf(const TimelineSelection& at) const { return m_run->timeline->event(at.track, at.index).name; }
    std::int64_t firstRankOf(const TimelineSelection& at) const
    {
        return m_run->timeline->classes()[static_cast<std::size_t>(m_run->timeline->tracks()[at.track].rankClass)].ranks.intervals().front().first;
    }
    QColor pixelAt(std::size_t track, std::int64_t ps)
    {
        const QImage image = m_view->viewport()->grab().toImage();
        return image.pixelColor(static_cast<int>(m_view->timeGeometry().xOf(ps)), static_cast<int>(m_view->trackRect(track).top()) + 3);
    }

private slots:
    void initTestCase()
    {
        m_run = runText(kTwoRanks);
        m_steps = stepsOf(*m_run);
    }
    void init()
    {
        m_view = std::make_unique<TimelineView>();
        m_view->resize(900, 400);
        m_view->setSource(m_run->timeline, m_run->scenario->structure->workload);
        for (int group = 0; group < 2; ++group)
            m_view->setGroupOpen(group, true);
    }

    /// Rank 1 computes for 250 us, sends its half, and rank 0 answers with the sum: 21 us each (runresults.h).
    void T11_theStepsAddUpToTheRunTime()
    {
        QCOMPARE(m_steps->size(), std::size_t{3});
        std::int64_t at = 0;
        for (const PathStep& step : *m_steps) {
            QCOMPARE(step.beginPs, at);
            QVERIFY(step.place);
            at = step.endPs;
        }
        QCOMPARE(at, m_run->record().finish.ps);
        const std::vector<std::pair<std::int64_t, std::int64_t>> expected{{1, 250 * kMicro}, {1, 21 * kMicro}, {0, 21 * kMicro}};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(std::int64_t{(*m_steps)[i].rank}, expected[i].first);
            QCOMPARE((*m_steps)[i].ps(), expected[i].second);
        }
        const auto sums = activitiesOf(*m_steps);
        QCOMPARE(sums[static_cast<std::size_t>(Activity::Compute)], 250 * kMicro);
        QCOMPARE(sums[static_cast<std::size_t>(Activity::AllReduce)], 42 * kMicro);
        QCOMPARE(sums[static_cast<std::size_t>(Activity::Waiting)], std::int64_t{0});
    }
    void T11_walksFromStepToStepAndStaysAtTheEnds()
    {
        m_view->setCriticalPath(m_steps);
        m_view->nextPathStep();
        QCOMPARE(m_view->pathStep(), std::optional<std::size_t>(0));
        QCOMPARE(nameOf(*m_view->selection()), std::string("slow"));
        m_view->nextPathStep();
        QCOMPARE(nameOf(*m_view->selection()), std::string("sum"));
        QCOMPARE(firstRankOf(*m_view->selection()), std::int64_t{1});
        for (int i = 0; i < 3; ++i)
            m_view->nextPathStep();
        QCOMPARE(m_view->pathStep(), std::optional<std::size_t>(2));
        QCOMPARE(firstRankOf(*m_view->selection()), std::int64_t{0});
        m_view->previousPathStep();
        QCOMPARE(m_view->pathStep(), std::optional<std::size_t>(1));
        QCOMPARE(firstRankOf(*m_view->selection()), std::int64_t{1});
        for (int i = 0; i < 3; ++i)
            m_view->previousPathStep();
        QCOMPARE(m_view->pathStep(), std::optional<std::size_t>(0));
    }
    /// Begins at what is on show, and brings on show what is not.
    void T11_goesToAStepThatIsNotOnShow()
    {
        m_view->setCriticalPath(m_steps);
        m_view->setVisibleRange({260 * kMicro, 290 * kMicro});
        m_view->nextPathStep();
        QCOMPARE(m_view->pathStep(), std::optional<std::size_t>(2));
        m_view->goToPathStep(0);
        QVERIFY(m_view->visibleRange().beginPs < 250 * kMicro);
    }
    void T11_fadesWhatIsNotOnThePath()
    {
        const auto at = [this](std::size_t step) { return (*m_steps)[step].place->track; };
        // Rank 0 computes for 100 us, and that decides nothing.
        const std::size_t quick = [this] {
            for (std::size_t track = 0; track < m_run->timeline->tracks().size(); ++track)
                if (m_run->timeline->tracks()[track].kind == TimelineTrack::Kind::Compute && m_run->timeline->event(track, 0).name == "quick")
                    return track;
            return std::size_t{0};
        }();
        const QColor compute = m_view->palette().color(QPalette::Window).isValid() ? pixelAt(quick, 90 * kMicro) : QColor();
        QCOMPARE(pixelAt(at(0), 200 * kMicro), compute);
        m_view->setCriticalPath(m_steps);
        QCOMPARE(pixelAt(at(0), 200 * kMicro), compute);
        const QColor faded = pixelAt(quick, 90 * kMicro);
        const QColor view = Theme().color(Role::View);
        for (const auto& [got, of, ground] : {std::tuple{faded.red(), compute.red(), view.red()}, {faded.green(), compute.green(), view.green()}, {faded.blue(), compute.blue(), view.blue()}})
            QVERIFY2(std::abs(got - (0.45 * of + 0.55 * ground)) <= 3, qPrintable(faded.name()));
        m_view->setCriticalPath(nullptr);
        QCOMPARE(pixelAt(quick, 90 * kMicro), compute);
    }
    void T11_anotherRunTakesThePathAway()
    {
        m_view->setCriticalPath(m_steps);
        m_view->nextPathStep();
        const RunResultPtr other = runText(kOddLink);
        m_view->setSource(other->timeline, other->scenario->structure->workload);
        QVERIFY(!m_view->criticalPath());
        m_view->nextPathStep();
        QVERIFY(!m_view->pathStep());
    }
};

FABRICSCOPE_GUI_TEST(CriticalStepsTest)
#include "tst_criticalsteps.moc"
