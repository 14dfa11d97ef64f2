#include "widgets/results/planrows.h"

#include "core/base/index.h"
#include "core/report/planfigures.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope {

namespace {

struct PlanRowTexts {
    Q_DECLARE_TR_FUNCTIONS(PlanRowTexts)
};

QString trafficName(PlanTraffic kind)
{
    switch (kind) {
    case PlanTraffic::Tensor: return PlanRowTexts::tr("Tensor, exposed");
    case PlanTraffic::Context: return PlanRowTexts::tr("Context, exposed");
    case PlanTraffic::Expert: return PlanRowTexts::tr("Experts, exposed");
    case PlanTraffic::Pipeline: return PlanRowTexts::tr("Pipeline, exposed");
    case PlanTraffic::Data: return PlanRowTexts::tr("Data, exposed");
    case PlanTraffic::Transfer: return PlanRowTexts::tr("Transfer of the cache, exposed");
    case PlanTraffic::Bubble: break;
    }
    return PlanRowTexts::tr("Bubble, exposed");
}

void addServed(std::vector<ValueRow>& rows, const ServedFigures& served)
{
    rows.push_back({PlanRowTexts::tr("Time to first token"), texts::time({served.firstToken})});
    if (!served.perToken || *served.perToken <= 0)
        return;
    rows.push_back({PlanRowTexts::tr("Time per output token"), texts::time({*served.perToken})});
    if (served.steps < served.allSteps)
        rows.push_back({PlanRowTexts::tr("Of it, simulated"), PlanRowTexts::tr("%1 of %2 steps").arg(texts::count(served.steps), texts::count(served.allSteps))});
    rows.push_back({PlanRowTexts::tr("Tokens/s per user"), texts::number(1e12 / static_cast<double>(*served.perToken), 1)});
}

} // namespace

std::vector<ValueRow> simulatedPlanRows(const PlanFigures& figures, std::int64_t finishPs)
{
    std::vector<ValueRow> rows;
    if (figures.served)
        addServed(rows, *figures.served);
    if (figures.tokensPerSecond) {
        rows.push_back({PlanRowTexts::tr("Tokens/s"), texts::number(*figures.tokensPerSecond, 0)});
        rows.push_back({PlanRowTexts::tr("Tokens/s per NPU"), texts::number(*figures.tokensPerSecond / static_cast<double>(std::max<std::int64_t>(1, figures.ranks)), 1)});
    }
    if (figures.mfu)
        rows.push_back({PlanRowTexts::tr("MFU, of model FLOPs"), texts::percent(*figures.mfu)});
    if (figures.hfu)
        rows.push_back({PlanRowTexts::tr("HFU, of all FLOPs"), texts::percent(*figures.hfu)});
    if (figures.bubbleShare)
        rows.push_back({PlanRowTexts::tr("Bubble, mean"), texts::percent(*figures.bubbleShare)});
    if (figures.exposed) {
        for (const auto& [word, kind] : kPlanTraffic) {
            const std::int64_t ps = (*figures.exposed)[at(kind)];
            if (ps > 0)
                rows.push_back({trafficName(kind), texts::time({ps}), finishPs > 0 ? texts::percent(static_cast<double>(ps) / static_cast<double>(finishPs)) : QString()});
        }
    }
    std::int64_t peak = 0;
    for (const PlanMemory& row : figures.memory)
        peak = std::max(peak, row.peak());
    if (peak > 0)
        rows.push_back({PlanRowTexts::tr("Fullest rank"), texts::bytes(peak), figures.npuMemory && *figures.npuMemory > 0 ? texts::percent(static_cast<double>(peak) / static_cast<double>(*figures.npuMemory)) : QString()});
    return rows;
}

} // namespace fabricscope
