#include "widgets/transform/rewritetexts.h"

#include "core/base/index.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/transform/rewritelanes.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope::rewritten {

namespace {

using transform::Stage;
using transform::StepKind;
using transform::TensorProgram;
using transform::TimedKernel;

struct RewriteTexts {
    Q_DECLARE_TR_FUNCTIONS(RewriteTexts)
};

QString namesText(const std::vector<std::string>& names, std::size_t from = 0)
{
    QStringList list;
    for (std::size_t i = from; i < names.size(); ++i)
        list.append(texts::shown(names[i]));
    return list.join(QStringLiteral(", "));
}

/// What a stage reads: its expression or its operands.
QString readsText(const Stage& stage)
{
    const auto text = [](const transform::Operand& operand) { return operand.slice ? "slice(" + operand.name + ')' : operand.name; };
    if (!stage.expr.empty())
        return texts::shown(stage.expr.text([&](std::int32_t leaf) { return text(stage.in[at(leaf)]); }));
    QStringList list;
    for (const transform::Operand& operand : stage.in)
        list.append(texts::shown(text(operand)));
    return list.join(QStringLiteral(", "));
}

QString stageDetail(const TensorProgram& program, const Stage& stage)
{
    QString name = texts::shown(transform::opText(stage.op));
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    return RewriteTexts::tr("%1 · %2 · %3 of %4").arg(texts::shown(stage.value.layout.text()), texts::size(bytesPerRank(stage.value, program.ranks)), name, readsText(stage));
}

/// Where each kernel stands in its overlap; absent: in none.
std::map<std::string, const transform::OverlapTimes*> chainsOf(const TensorProgram& program, const transform::ProgramTimes& times)
{
    std::map<std::string, const transform::OverlapTimes*> chains;
    for (const TimedKernel& kernel : times.kernels) {
        for (const std::int32_t number : kernel.kernel.stages) {
            for (const transform::OverlapTimes& chain : times.overlaps) {
                if (std::find(chain.stages.begin(), chain.stages.end(), program.stages[at(number)].name) != chain.stages.end())
                    chains[kernel.kernel.name] = &chain;
            }
        }
    }
    return chains;
}

/// What a kernel takes beyond those before it: its end, as the timeline has it, less the latest end so far.
SimTime beyondOthers(const transform::ProgramTimes& times, const TimedKernel& kernel, SimTime& latest)
{
    SimTime end = latest;
    for (const transform::TimelineRow& row : times.timeline) {
        if (row.kernel == kernel.kernel.name)
            end = std::max(end, row.end);
    }
    return end - std::exchange(latest, end);
}

StoredTable::Cell bytesCell(std::int64_t bytes)
{
    return {texts::size(bytes), bytes, 0};
}

} // namespace

int signOfChange(SimTime change)
{
    constexpr std::int64_t kLeast = 1'000;
    return change.ps <= -kLeast ? -1 : change.ps >= kLeast ? 1 : 0;
}

QString changeText(SimTime change)
{
    if (signOfChange(change) == 0)
        return QStringLiteral("0");
    return (change.ps < 0 ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + texts::time({std::abs(change.ps)});
}

QString stepIcon(StepKind kind)
{
    switch (kind) {
    case StepKind::Split: return QStringLiteral("split");
    case StepKind::Reorder: return QStringLiteral("flow-arrows");
    case StepKind::AsSlice: return QStringLiteral("slice");
    case StepKind::Fuse: return QStringLiteral("fuse");
    case StepKind::Overlap: return QStringLiteral("overlap");
    case StepKind::Dead: break;
    }
    return QStringLiteral("delete");
}

QString stepTitle(const transform::ScheduleStep& step)
{
    const QString first = texts::shown(step.names.front());
    switch (step.kind) {
    case StepKind::Split: return RewriteTexts::tr("Split %1").arg(first);
    case StepKind::Reorder: return RewriteTexts::tr("Move %1 behind %2").arg(first, namesText(step.names, 1));
    case StepKind::AsSlice: return RewriteTexts::tr("Store %1 in slices").arg(first);
    case StepKind::Fuse: return RewriteTexts::tr("Fuse %1").arg(namesText(step.names));
    case StepKind::Overlap: return RewriteTexts::tr("Overlap %1").arg(namesText(step.names));
    case StepKind::Dead: break;
    }
    return RewriteTexts::tr("Remove %1").arg(first);
}

std::vector<std::string> stageNames(const TensorProgram& program, const transform::ProgramTimes& times)
{
    std::vector<std::string> names;
    for (const TimedKernel& kernel : times.kernels) {
        for (const std::int32_t number : kernel.kernel.stages)
            names.push_back(program.stages[at(number)].name);
    }
    return names;
}

std::vector<RewriteRow> stageRows(const TensorProgram& program, const transform::ProgramTimes& times)
{
    const auto chains = chainsOf(program, times);
    std::vector<RewriteRow> rows;
    SimTime latest;
    for (std::size_t k = 0; k < times.kernels.size(); ++k) {
        const TimedKernel& kernel = times.kernels[k];
        const auto chain = chains.find(kernel.kernel.name);
        const auto sameChain = [&](std::size_t other) {
            const auto found = other < times.kernels.size() ? chains.find(times.kernels[other].kernel.name) : chains.end();
            return chain != chains.end() && found != chains.end() && found->second == chain->second;
        };
        const std::vector<std::int32_t>& stages = kernel.kernel.stages;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const Stage& stage = program.stages[at(stages[i])];
            RewriteRow row;
            row.number = QString::number(rows.size() + 1);
            row.title = texts::shown(stage.name);
            row.detail = stageDetail(program, stage);
            row.swatch = activityOfKernel(program, {{stages[i]}, stage.name});
            if (i == 0)
                row.value = texts::time(beyondOthers(times, kernel, latest));
            if (chain != chains.end()) {
                row.bracket = RewriteRow::Bracket::Overlapped;
                row.bracketBegins = i == 0 && (k == 0 || !sameChain(k - 1));
                row.bracketEnds = i + 1 == stages.size() && !sameChain(k + 1);
            } else if (stages.size() > 1) {
                row.bracket = RewriteRow::Bracket::Fused;
                row.bracketBegins = i == 0;
                row.bracketEnds = i + 1 == stages.size();
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<RewriteRow> appliedRows(const transform::TracedSchedule& traced)
{
    std::vector<RewriteRow> rows;
    for (std::size_t i = 0; i < traced.schedule.size(); ++i) {
        const transform::TracedProgram& before = traced.programs[i];
        const transform::TracedProgram& after = traced.programs[i + 1];
        const SimTime change = after.times.total - before.times.total;
        RewriteRow row;
        row.title = stepTitle(traced.schedule[i]);
        row.detail = texts::shown(traced.schedule[i].text());
        if (after.memory != before.memory)
            row.detail = RewriteTexts::tr("%1 · %2 per rank saved").arg(row.detail, texts::size(before.memory - after.memory));
        row.value = changeText(change);
        row.gain = signOfChange(change);
        row.grip = true;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<RewriteRow> offerRows(const std::vector<transform::StepOffer>& offers, SimTime now, const std::string& stage, std::vector<std::size_t>& numbers)
{
    std::vector<RewriteRow> rows;
    numbers.clear();
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const transform::StepOffer& offer = offers[i];
        if (!stage.empty() && std::find(offer.step.names.begin(), offer.step.names.end(), stage) == offer.step.names.end())
            continue;
        RewriteRow row;
        row.title = stepTitle(offer.step);
        row.icon = stepIcon(offer.step.kind);
        if (offer.refusal) {
            row.refused = true;
            row.value = RewriteTexts::tr("refused");
            row.detail = texts::shown(offer.refusal->reason) + QStringLiteral(" (") + texts::shown(std::string(keyOf(transform::kConditions, offer.refusal->condition))) + QLatin1Char(')');
        } else {
            const SimTime change = offer.time - now;
            row.detail = texts::shown(offer.step.text());
            row.value = changeText(change);
            row.gain = signOfChange(change);
        }
        rows.push_back(std::move(row));
        numbers.push_back(i);
    }
    return rows;
}

std::shared_ptr<StoredTable> tensorTable(const TensorProgram& before, const TensorProgram& after)
{
    using Look = TableColumn::Look;
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{{RewriteTexts::tr("Tensor"), RewriteTexts::tr("Tensor"), Look::Text},
                                                                        {RewriteTexts::tr("Shape"), RewriteTexts::tr("Shape"), Look::Text},
                                                                        {RewriteTexts::tr("Before"), RewriteTexts::tr("Layout before"), Look::Text},
                                                                        {RewriteTexts::tr("After"), RewriteTexts::tr("Layout after"), Look::Text},
                                                                        {RewriteTexts::tr("Per rank before"), RewriteTexts::tr("Per rank before [B]"), Look::Number},
                                                                        {RewriteTexts::tr("Per rank after"), RewriteTexts::tr("Per rank after [B]"), Look::Number},
                                                                        {RewriteTexts::tr("Saved"), RewriteTexts::tr("Saved [B]"), Look::Number}});
    for (std::size_t i = 0; i < before.tensors.size(); ++i) {
        const transform::Tensor& tensor = before.tensors[i];
        const transform::Tensor* const now = after.tensor(tensor.name);
        const transform::Value& value = now ? now->value : tensor.value;
        const std::int64_t was = bytesPerRank(tensor.value, before.ranks);
        const std::int64_t is = bytesPerRank(value, after.ranks);
        const auto textOf = [](const std::string& text) { return StoredTable::Cell{texts::shown(text), texts::shown(text), 0}; };
        const std::string type(keyOf(transform::kElementTypes, tensor.value.type));
        StoredTable::Row row;
        row.id = static_cast<std::int64_t>(i);
        row.cells = {textOf(tensor.name), textOf(transform::shapeText(tensor.value.shape) + ' ' + type), textOf(tensor.value.layout.text()), textOf(value.layout.text()), bytesCell(was), bytesCell(is), was == is ? StoredTable::Cell{{}, std::int64_t{0}, 0} : bytesCell(was - is)};
        table->add(std::move(row));
    }
    return table;
}

} // namespace fabricscope::rewritten
