#include "widgets/workload/plantables.h"

#include "core/plan/analysis.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/results/words.h"

#include <QCoreApplication>

#include <array>
#include <cmath>
#include <utility>

namespace fabricscope::planned {

namespace {

struct PlanTexts {
    Q_DECLARE_TR_FUNCTIONS(PlanTexts)
};

QString kindName(PlanCommunication::Kind kind)
{
    switch (kind) {
    case PlanCommunication::Kind::AllReduce: return PlanTexts::tr("all-reduce");
    case PlanCommunication::Kind::AllGather: return PlanTexts::tr("all-gather");
    case PlanCommunication::Kind::ReduceScatter: return PlanTexts::tr("reduce-scatter");
    case PlanCommunication::Kind::AllToAll: return PlanTexts::tr("all-to-all");
    case PlanCommunication::Kind::Send: break;
    }
    return PlanTexts::tr("send");
}

QString phaseName(PlanPhase phase)
{
    switch (phase) {
    case PlanPhase::Forward: return PlanTexts::tr("forward");
    case PlanPhase::Backward: return PlanTexts::tr("backward");
    case PlanPhase::Optimizer: break;
    }
    return PlanTexts::tr("optimizer");
}

StoredTable::Cell textCell(const QString& text)
{
    return {text, text, 0};
}

/// Beyond 64 bits: shown, and sorted as a real number.
StoredTable::Cell wideBytes(WideCount bytes)
{
    if (bytes <= INT64_MAX)
        return {texts::bytes(static_cast<std::int64_t>(bytes)), static_cast<std::int64_t>(bytes), 0};
    constexpr double kExabyte = 1e18;
    return {texts::number(static_cast<double>(bytes) / kExabyte, 1) + QStringLiteral(" EB"), static_cast<double>(bytes), 0};
}

StoredTable::Cell byteCell(std::int64_t bytes)
{
    return {bytes == 0 ? QStringLiteral("0") : texts::bytes(bytes), bytes, 0};
}

QString secondsText(double seconds)
{
    constexpr double kPicoseconds = 1e12;
    const double ps = seconds * kPicoseconds;
    return ps < 9e18 ? texts::time({static_cast<std::int64_t>(std::llround(ps))}) : texts::number(seconds, 0) + QStringLiteral(" s");
}

} // namespace

std::shared_ptr<StoredTable> communicationTable(const PlanAnalysis& analysis)
{
    using Look = TableColumn::Look;
    auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{PlanTexts::tr("Communication"), PlanTexts::tr("Communication"), Look::Text},
                                                                          {PlanTexts::tr("Group"), PlanTexts::tr("Group"), Look::Text},
                                                                          {PlanTexts::tr("Count"), PlanTexts::tr("Count per rank and step"), Look::Number},
                                                                          {PlanTexts::tr("Each"), PlanTexts::tr("Each [B]"), Look::Number},
                                                                          {PlanTexts::tr("Sent by a rank"), PlanTexts::tr("Sent by a rank [B]"), Look::Number},
                                                                          {PlanTexts::tr("Phase"), PlanTexts::tr("Phase"), Look::Text},
                                                                          {PlanTexts::tr("Cause"), PlanTexts::tr("Where it comes from"), Look::Text},
                                                                          {PlanTexts::tr("Ranks"), PlanTexts::tr("Ranks"), Look::Text}});
    for (const PlanCommunication& row : analysis.communications) {
        StoredTable::Row line;
        line.cells.push_back(textCell(kindName(row.kind)));
        line.cells.push_back(textCell(QStringLiteral("%1 %2").arg(texts::shown(row.group.name)).arg(row.groupSize)));
        line.cells.push_back({texts::count(static_cast<std::int64_t>(row.count)), static_cast<std::int64_t>(row.count), 0});
        line.cells.push_back(byteCell(row.bytes));
        line.cells.push_back(wideBytes(row.sentPerRank()));
        line.cells.push_back(textCell(phaseName(row.phase)));
        line.cells.push_back(textCell(texts::shown(row.cause)));
        line.cells.push_back(textCell(texts::rankNumbers(row.ranks)));
        line.id = content->rows();
        content->add(std::move(line));
    }
    return content;
}

std::shared_ptr<StoredTable> memoryTable(const PlanAnalysis& analysis)
{
    using Look = TableColumn::Look;
    auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{PlanTexts::tr("Ranks"), PlanTexts::tr("Ranks"), Look::Text},
                                                                          {PlanTexts::tr("Peak"), PlanTexts::tr("Peak [B]"), Look::Number},
                                                                          {PlanTexts::tr("Parameters"), PlanTexts::tr("Parameters [B]"), Look::Number},
                                                                          {PlanTexts::tr("Gradients"), PlanTexts::tr("Gradients [B]"), Look::Number},
                                                                          {PlanTexts::tr("Optimizer"), PlanTexts::tr("Optimizer [B]"), Look::Number},
                                                                          {PlanTexts::tr("Activations"), PlanTexts::tr("Activations [B]"), Look::Number},
                                                                          {PlanTexts::tr("Buffers"), PlanTexts::tr("Buffers [B]"), Look::Number}});
    for (const PlanMemory& row : analysis.memory) {
        StoredTable::Row line;
        line.cells.push_back(textCell(texts::rankNumbers(row.ranks)));
        for (const std::int64_t bytes : {row.peak(), row.parameters, row.gradients, row.optimizer, row.activations, row.buffers})
            line.cells.push_back(byteCell(bytes));
        line.id = content->rows();
        content->add(std::move(line));
    }
    return content;
}

QString flopText(double flops)
{
    static constexpr std::array<const char*, 8> kUnits{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"};
    std::size_t unit = 0;
    constexpr double kStep = 1000;
    while (flops >= kStep && unit + 1 < kUnits.size()) {
        flops /= kStep;
        ++unit;
    }
    return texts::number(flops, unit == 0 ? 0 : 2) + QChar(0x202F) + QString::fromLatin1(kUnits[unit]);
}

std::vector<ValueRow> figureRows(const PlanAnalysis& analysis)
{
    std::vector<ValueRow> rows;
    if (analysis.times) {
        const PlanTimes& times = *analysis.times;
        const auto share = [&](double part) { return times.step > 0 ? texts::percent(part / times.step) : QString(); };
        rows.push_back({PlanTexts::tr("Pipeline"), secondsText(times.pipeline), share(times.pipeline)});
        rows.push_back({PlanTexts::tr("of it, ranks wait"), secondsText(times.bubbleShare * times.step), texts::percent(times.bubbleShare)});
        rows.push_back({PlanTexts::tr("Gradients, exposed"), secondsText(times.exposedData), share(times.exposedData)});
        rows.push_back({PlanTexts::tr("Optimizer"), secondsText(times.optimizer), share(times.optimizer)});
        ValueRow sum{PlanTexts::tr("Step, estimated"), secondsText(times.step)};
        sum.strong = true;
        rows.push_back(std::move(sum));
    }
    if (!analysis.batches.empty()) {
        const ServedBatch& served = analysis.batches.front();
        if (served.firstToken)
            rows.push_back({PlanTexts::tr("First token, estimated"), secondsText(*served.firstToken)});
        if (served.perToken)
            rows.push_back({PlanTexts::tr("Per token, estimated"), secondsText(*served.perToken)});
    }
    if (analysis.tokensPerSecond)
        rows.push_back({PlanTexts::tr("Tokens per second"), texts::count(static_cast<std::int64_t>(std::llround(std::min(*analysis.tokensPerSecond, 9e18))))});
    if (analysis.modelFlops > 0)
        rows.push_back({PlanTexts::tr("Model FLOPs"), flopText(static_cast<double>(analysis.modelFlops)), analysis.mfu ? texts::percent(*analysis.mfu) : QString()});
    if (analysis.stepFlops > 0)
        rows.push_back({PlanTexts::tr("Executed FLOPs"), flopText(static_cast<double>(analysis.stepFlops)), analysis.hfu ? texts::percent(*analysis.hfu) : QString()});
    return rows;
}

} // namespace fabricscope::planned
