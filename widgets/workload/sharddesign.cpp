#include "widgets/workload/sharddesign.h"

#include "core/base/stop.h"
#include "core/plan/plangraph.h"
#include "core/plan/planspec.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

struct ShardTexts {
    Q_DECLARE_TR_FUNCTIONS(ShardTexts)
};

/// Letters of einsums by tensor; the first op that uses or makes a tensor decides.
std::map<TensorId, std::string> lettersOf(const OpGraph& graph)
{
    std::map<TensorId, std::string> letters;
    for (const GraphOp& op : graph.ops) {
        if (op.kind != GraphOpKind::Einsum)
            continue;
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            letters.try_emplace(op.inputs[i], op.letters[i]);
        letters.try_emplace(op.output, op.letters.back());
    }
    return letters;
}

/// Words of the partitioner as people write them.
QString dashed(const std::string& text)
{
    return texts::shown(text).replace(QLatin1Char('_'), QLatin1Char('-'));
}

/// By name of a tensor what its conflict costs: the reshard, with its time where that is known, else its bytes.
std::map<std::string, QString> conflictsOf(const ShardDesign& shard)
{
    const PartitionedProgram& program = shard.plan.program;
    std::map<std::string, QString> conflicts;
    for (const LayoutConflict& conflict : program.conflicts) {
        QString text = texts::shown(conflict.reshard);
        for (std::size_t s = 0; s < program.steps.size(); ++s) {
            const ProgramStep& step = program.steps[s];
            const std::string& name = program.value(step.out).name;
            if (!isCollective(step.kind) || conflict.reshard != std::string(wordOf(step.kind)) + " of " + name + " over " + axesText(program.mesh, step.axes))
                continue;
            const std::int64_t ps = shard.times ? shard.times->stepPs[s] : -1;
            text = ShardTexts::tr("%1 of %2 over %3, %4").arg(sharded::kindName(step.kind), texts::shown(name), texts::shown(axesText(program.mesh, step.axes)), ps < 0 ? texts::bytes(step.sent) : texts::time({ps}));
            break;
        }
        for (const std::string& side : {conflict.from, conflict.to})
            conflicts.try_emplace(side.substr(0, side.rfind(" [")), text);
    }
    return conflicts;
}

/// The cause without its first word where that is the kind, which has a column.
QString causeText(const ProgramStep& step)
{
    const std::string word(wordOf(step.kind));
    const std::string& text = step.cause.text;
    return texts::shown(text.starts_with(word) ? sharded::kindName(step.kind).toStdString() + text.substr(word.size()) : text);
}

StoredTable::Cell textCell(const QString& text)
{
    return {text, text, 0};
}

StoredTable::Cell bytesCell(std::int64_t bytes)
{
    return {bytes == 0 ? QStringLiteral("0") : texts::bytes(bytes), bytes, 0};
}

} // namespace

const ShardProblem* shardProblemOf(const Design& design)
{
    const auto* const planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    return planned && planned->plan && planned->plan->graph ? &planned->plan->graph->problem : nullptr;
}

Result<ShardDesignPtr> analyseShard(std::shared_ptr<const Design> design, const std::stop_token& stop)
{
    auto shard = std::make_shared<ShardDesign>();
    shard->problem = shardProblemOf(*design);
    shard->design = std::move(design);
    Result<ShardPlan> plan = partition(*shard->problem, stop);
    if (!plan)
        return plan.error();
    shard->plan = std::move(plan).value();
    Result<ShardTimes> times = simulateSharding(*shard->design, shard->plan.program, {}, stop);
    if (!times && times.error().code == ErrorCode::Cancelled)
        return times.error();
    if (!times) {
        shard->whyNotTimed = times.error().message;
        return ShardDesignPtr(std::move(shard));
    }
    shard->times = std::move(times).value();
    Result<std::vector<ShardRemoval>> removals = shardRemovals(*shard->design, *shard->problem, shard->plan, *shard->times, {}, 5, stop);
    if (!removals)
        return removals.error();
    shard->removals = std::move(removals).value();
    return ShardDesignPtr(std::move(shard));
}

namespace sharded {

QString kindName(StepKind kind)
{
    switch (kind) {
    case StepKind::AllReduce: return ShardTexts::tr("all-reduce");
    case StepKind::ReduceScatter: return ShardTexts::tr("reduce-scatter");
    case StepKind::AllGather: return ShardTexts::tr("all-gather");
    case StepKind::AllToAll: return ShardTexts::tr("all-to-all");
    case StepKind::Permute: return ShardTexts::tr("permute");
    case StepKind::HaloExchange: return ShardTexts::tr("halo exchange");
    default: return ShardTexts::tr("slice");
    }
}

std::vector<ShardRow> rowsOf(const ShardDesign& shard)
{
    const ShardProblem& problem = *shard.problem;
    const PartitionedProgram& program = shard.plan.program;
    const auto letters = lettersOf(problem.graph);
    const auto conflicts = conflictsOf(shard);
    std::vector<ShardRow> rows;
    for (std::size_t t = 0; t < problem.graph.tensors.size(); ++t) {
        const GraphTensor& tensor = problem.graph.tensors[t];
        const auto own = program.graph.find(tensor.name);
        if (!own)
            continue;
        ShardRow row;
        row.tensor = static_cast<TensorId>(t);
        row.inProgram = *own;
        row.name = texts::shown(tensor.name);
        const TensorAnnotation* const note = problem.annotationOf(row.tensor);
        const WantedLayout* const wanted = problem.wantedOf(row.tensor);
        row.annotated = (note && note->dims) || wanted;
        const auto known = letters.find(row.tensor);
        const std::vector<AxisList>& dims = shard.plan.propagated[static_cast<std::size_t>(*own)];
        for (std::size_t d = 0; d < dims.size(); ++d) {
            const QString letter = known == letters.end() ? QString() : QString(QLatin1Char(known->second[d])) + QLatin1Char(' ');
            const AxisList* const said = note && note->dims ? &(*note->dims)[d] : wanted ? &wanted->dims[d] : nullptr;
            row.cells.push_back({letter + texts::count(tensor.shape[d]), texts::shown(axesText(problem.mesh, dims[d])), said && (*said == dims[d] || (note && note->closed[d]))});
        }
        row.partial = texts::shown(axesText(problem.mesh, program.unreducedByOp[static_cast<std::size_t>(*own)]));
        const auto conflict = conflicts.find(tensor.name);
        row.conflict = conflict != conflicts.end();
        row.note = row.conflict ? ShardTexts::tr("conflict: %1").arg(conflict->second) : !row.partial.isEmpty() ? ShardTexts::tr("sum %1").arg(row.partial) : row.annotated ? ShardTexts::tr("given") : ShardTexts::tr("derived");
        rows.push_back(std::move(row));
    }
    return rows;
}

std::shared_ptr<StoredTable> collectiveTable(const ShardDesign& shard)
{
    using Look = TableColumn::Look;
    auto content = std::make_shared<StoredTable>(std::vector<TableColumn>{{ShardTexts::tr("Communication"), ShardTexts::tr("Communication"), Look::Text}, {ShardTexts::tr("Tensor"), ShardTexts::tr("Tensor"), Look::Text},
        {ShardTexts::tr("Over"), ShardTexts::tr("Over"), Look::Text}, {ShardTexts::tr("Simulated"), ShardTexts::tr("Simulated [ps]"), Look::Number}, {ShardTexts::tr("Sent by a device"), ShardTexts::tr("Sent by a device [B]"), Look::Number},
        {ShardTexts::tr("Phase"), ShardTexts::tr("Phase"), Look::Text}, {ShardTexts::tr("Instead of"), ShardTexts::tr("Instead of"), Look::Text}, {ShardTexts::tr("Cause"), ShardTexts::tr("Where it comes from"), Look::Text}});
    const PartitionedProgram& program = shard.plan.program;
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const ProgramStep& step = program.steps[s];
        if (!isCollective(step.kind) || step.kind == StepKind::Slice)
            continue;
        StoredTable::Row row;
        const std::int64_t ps = shard.times ? shard.times->stepPs[s] : -1;
        row.cells = {textCell(kindName(step.kind)), textCell(texts::shown(program.value(step.out).name)), textCell(texts::shown(axesText(program.mesh, step.axes))),
            ps < 0 ? StoredTable::Cell{} : StoredTable::Cell{texts::time({ps}), ps, 0}, bytesCell(step.sent), textCell(step.backward ? ShardTexts::tr("backward") : ShardTexts::tr("forward")),
            textCell(step.runnerUp ? ShardTexts::tr("%1 of %2, %3").arg(dashed(step.runnerUp->kind), texts::shown(step.runnerUp->tensor), texts::bytes(step.runnerUp->sent)) : QString()),
            textCell(causeText(step))};
        row.id = static_cast<std::int64_t>(s);
        content->add(std::move(row));
    }
    return content;
}

} // namespace sharded

} // namespace fabricscope
