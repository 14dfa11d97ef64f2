#include "widgets/workload/plansearchtables.h"

#include "core/planner/best/plancut.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricscope::planned {

namespace {

struct PlanSearchTexts {
    Q_DECLARE_TR_FUNCTIONS(PlanSearchTexts)
};

QString wordOf(std::string_view word)
{
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

StoredTable::Cell words(const QString& text)
{
    return {text, text};
}

StoredTable::Cell whole(std::int64_t value)
{
    return {texts::count(value), value};
}

QString scheduleWords(const PlanChoice& choice)
{
    if (choice.block.pipeline == 1)
        return {};
    const QString word = wordOf(keyOf(kPipelineSchedules, choice.schedule));
    return choice.chunks > 1 ? QStringLiteral("%1 \u00d7%2").arg(word).arg(choice.chunks) : word;
}

struct SearchColumns {
    ColumnUnit time;
    ColumnUnit bytes;
    bool tokens = false;
    bool npus = false;   ///< They differ.
    bool cost = false;
    bool energy = false;
    bool notes = false;
};

SearchColumns columnsOf(const std::vector<const SearchedPlan*>& plans)
{
    SearchColumns columns;
    std::int64_t longest = 0;
    std::int64_t largest = 0;
    for (const SearchedPlan* plan : plans) {
        longest = std::max({longest, plan->step(), plan->parts.step()});
        largest = std::max(largest, plan->memory);
        columns.tokens = columns.tokens || plan->tokensPerSecond;
        columns.npus = columns.npus || plan->isPart;
        columns.cost = columns.cost || plan->dollarsPerToken();
        columns.energy = columns.energy || plan->joulesPerToken();
        columns.notes = columns.notes || !plan->problem.empty();
    }
    columns.time = ColumnUnit::ofTime(longest);
    columns.bytes = ColumnUnit::ofBytes(largest);
    return columns;
}

std::vector<TableColumn> titlesOf(const SearchColumns& columns)
{
    using Look = TableColumn::Look;
    std::vector<TableColumn> titles{{PlanSearchTexts::tr("Rank"), PlanSearchTexts::tr("Rank"), Look::Number},
                                    {PlanSearchTexts::tr("Plan"), PlanSearchTexts::tr("Plan"), Look::Text},
                                    {columns.time.title(PlanSearchTexts::tr("Simulated")), PlanSearchTexts::tr("Simulated [ps]"), Look::Number},
                                    {columns.bytes.title(PlanSearchTexts::tr("Memory")), PlanSearchTexts::tr("Memory of the fullest rank [B]"), Look::Number},
                                    {columns.time.title(PlanSearchTexts::tr("Estimated")), PlanSearchTexts::tr("Estimated [ps]"), Look::Number}};
    if (columns.tokens) {
        titles.push_back({PlanSearchTexts::tr("Tokens/s"), PlanSearchTexts::tr("Tokens per second"), Look::Number});
        titles.push_back({PlanSearchTexts::tr("per NPU"), PlanSearchTexts::tr("Tokens per second and NPU"), Look::Number});
    }
    if (columns.npus)
        titles.push_back({PlanSearchTexts::tr("NPUs"), PlanSearchTexts::tr("NPUs of the plan"), Look::Number});
    if (columns.cost)
        titles.push_back({PlanSearchTexts::tr("US$/M tokens"), PlanSearchTexts::tr("US$ per million tokens"), Look::Number});
    if (columns.energy)
        titles.push_back({PlanSearchTexts::tr("J/token"), PlanSearchTexts::tr("Energy per token [J]"), Look::Number});
    titles.push_back({PlanSearchTexts::tr("Front"), PlanSearchTexts::tr("On the front of step and memory"), Look::Text});
    if (columns.notes)
        titles.push_back({PlanSearchTexts::tr("Note"), PlanSearchTexts::tr("Note"), Look::Text});
    return titles;
}

StoredTable::Row rowOf(const SearchColumns& columns, const SearchedPlan& plan, std::int64_t id, bool onFront)
{
    StoredTable::Row row;
    row.id = id;
    auto& cells = row.cells;
    cells.push_back(id == kOwnPlan ? words(PlanSearchTexts::tr("own")) : whole(id + 1));
    cells.push_back(words(planWords(plan)));
    cells.push_back(plan.simulated ? StoredTable::Cell{columns.time.text(static_cast<double>(plan.simulated->ps)), plan.simulated->ps} : StoredTable::Cell{});
    cells.push_back({columns.bytes.text(static_cast<double>(plan.memory)), plan.memory});
    cells.push_back({columns.time.text(static_cast<double>(plan.parts.step())), plan.parts.step()});
    if (columns.tokens) {
        const std::optional<double> tokens = tokensOf(plan);
        cells.push_back(tokens ? StoredTable::Cell{texts::number(*tokens, 0), *tokens} : StoredTable::Cell{});
        const double perNpu = tokens.value_or(0) / static_cast<double>(plan.choice.block.ranks());
        cells.push_back(tokens ? StoredTable::Cell{texts::number(perNpu, 1), perNpu} : StoredTable::Cell{});
    }
    if (columns.npus)
        cells.push_back(whole(plan.choice.block.ranks()));
    for (const auto& [isShown, figure, scale] : {std::tuple(columns.cost, plan.dollarsPerToken(), 1e6), std::tuple(columns.energy, plan.joulesPerToken(), 1.0)}) {
        if (isShown)
            cells.push_back(figure ? StoredTable::Cell{texts::number(*figure * scale, 4), *figure * scale} : StoredTable::Cell{});
    }
    cells.push_back(words(onFront ? PlanSearchTexts::tr("front") : QString()));
    if (columns.notes)
        cells.push_back(words(plan.problem.empty() ? QString() : PlanSearchTexts::tr("not simulated: %1").arg(texts::shown(plan.problem))));
    return row;
}

/// What ranks, of one plan.
QString figureText(const SearchedPlan& plan, PlanObjective objective)
{
    switch (objective) {
    case PlanObjective::StepTime: break;
    case PlanObjective::TokensPerNpu: return PlanSearchTexts::tr("%1 tokens/s per NPU").arg(texts::number(plan.tokensPerSecondOfStep() / static_cast<double>(plan.choice.block.ranks()), 1));
    case PlanObjective::Memory: return texts::bytes(plan.memory);
    case PlanObjective::Npus: return plan.choice.block.ranks() == 1 ? PlanSearchTexts::tr("one NPU") : PlanSearchTexts::tr("%1 NPUs").arg(texts::count(plan.choice.block.ranks()));
    case PlanObjective::Cost: return PlanSearchTexts::tr("US$ %1 per million tokens").arg(texts::number(plan.dollarsPerToken().value_or(0) * 1e6, 4));
    case PlanObjective::Energy: return PlanSearchTexts::tr("%1 J per token").arg(texts::number(plan.joulesPerToken().value_or(0), 4));
    }
    return texts::time({plan.step()});
}

struct SearchPart {
    const char* name;
    std::int64_t PlanParts::* part;
};
constexpr std::array<SearchPart, 5> kSearchParts{{{QT_TRANSLATE_NOOP("PlanSearchTexts", "Computing"), &PlanParts::computing},
                                                  {QT_TRANSLATE_NOOP("PlanSearchTexts", "Communication of layers"), &PlanParts::communication},
                                                  {QT_TRANSLATE_NOOP("PlanSearchTexts", "Bubble"), &PlanParts::waiting},
                                                  {QT_TRANSLATE_NOOP("PlanSearchTexts", "Gradients and parameters"), &PlanParts::gradients},
                                                  {QT_TRANSLATE_NOOP("PlanSearchTexts", "Optimizer"), &PlanParts::optimizer}}};

StoredTable::Cell differenceCell(const ColumnUnit& unit, std::int64_t difference)
{
    const QString sign = difference > 0 ? QStringLiteral("+") : QString();
    return {sign + unit.text(static_cast<double>(difference)), difference};
}

} // namespace

QString noPlanText(const PlanSearchCounts& counts)
{
    if (counts.overMemory == 0)
        return PlanSearchTexts::tr("No plan can be. Below stands why.");
    if (counts.refusedPlans() == 0)
        return PlanSearchTexts::tr("No plan fits the memory of an NPU.");
    return PlanSearchTexts::tr("No plan fits the memory of an NPU; %1 cannot be for other reasons.").arg(texts::count(counts.refusedPlans()));
}

QString planWords(const SearchedPlan& plan)
{
    const PlanChoice& choice = plan.choice;
    QStringList parts;
    for (std::size_t i = 0; i < plan.plan.mesh.axes.size() && i < plan.plan.mesh.shape.size(); ++i) {
        if (plan.plan.mesh.shape[i] > 1)
            parts << QStringLiteral("%1 %2").arg(texts::shown(plan.plan.mesh.axes[i])).arg(plan.plan.mesh.shape[i]);
    }
    if (parts.isEmpty())
        parts << PlanSearchTexts::tr("one rank");
    if (choice.block.expert > 1)
        parts << PlanSearchTexts::tr("experts %1").arg(choice.block.expert);
    parts << PlanSearchTexts::tr("micro-batch %1").arg(choice.block.microBatch);
    if (const QString schedule = scheduleWords(choice); !schedule.isEmpty())
        parts << schedule;
    if (choice.zero > 0)
        parts << QStringLiteral("ZeRO %1").arg(choice.zero);
    if (choice.block.recompute != Recompute::None)
        parts << PlanSearchTexts::tr("%1 recomputation").arg(wordOf(keyOf(kRecomputes, choice.block.recompute)));
    return parts.join(QStringLiteral(", "));
}

QString planName(std::int64_t id)
{
    return id == kOwnPlan ? PlanSearchTexts::tr("Own plan") : PlanSearchTexts::tr("Plan %1").arg(id + 1);
}

const SearchedPlan* planOf(const PlanAnswer& answer, std::int64_t id)
{
    if (id == kOwnPlan)
        return answer.result.own ? &*answer.result.own : nullptr;
    return id >= 0 && static_cast<std::size_t>(id) < answer.result.plans.size() ? &answer.result.plans[static_cast<std::size_t>(id)] : nullptr;
}

QString bestText(const PlanAnswer& answer)
{
    const PlanObjective first = answer.question.search.objectives.front();
    const SearchedPlan& best = answer.result.plans.front();
    const QString figure = figureText(best, first);
    QString text = answer.simulated ? PlanSearchTexts::tr("Best %1, simulated").arg(figure) : PlanSearchTexts::tr("Best %1, estimated").arg(figure);
    const std::optional<SearchedPlan>& own = answer.result.own;
    const double before = own ? std::abs(valueOfPlan(*own, first)) : 0;
    if (before <= 0 || own->simulated.has_value() != best.simulated.has_value())
        return text;
    const double share = std::abs(valueOfPlan(best, first)) / before - 1;
    const QString percent = texts::percent(std::abs(share));
    if (share == 0)
        return text + (first == PlanObjective::StepTime ? PlanSearchTexts::tr("; your plan is as fast") : PlanSearchTexts::tr("; so is your plan"));
    if (first == PlanObjective::StepTime)
        return text + (share < 0 ? PlanSearchTexts::tr("; %1 shorter than your plan") : PlanSearchTexts::tr("; %1 longer than your plan")).arg(percent);
    return text + (share < 0 ? PlanSearchTexts::tr("; %1 less than your plan") : PlanSearchTexts::tr("; %1 more than your plan")).arg(percent);
}

std::optional<double> tokensOf(const SearchedPlan& plan)
{
    const double tokens = plan.tokensPerSecondOfStep();
    return tokens > 0 ? std::optional(tokens) : std::nullopt;
}

std::shared_ptr<StoredTable> searchedPlans(const PlanAnswer& answer)
{
    std::vector<const SearchedPlan*> plans;
    for (const SearchedPlan& plan : answer.result.plans)
        plans.push_back(&plan);
    if (answer.result.own)
        plans.push_back(&*answer.result.own);
    const SearchColumns columns = columnsOf(plans);
    auto table = std::make_shared<StoredTable>(titlesOf(columns));
    for (std::size_t i = 0; i < answer.result.plans.size(); ++i)
        table->add(rowOf(columns, *plans[i], static_cast<std::int64_t>(i), std::binary_search(answer.front.begin(), answer.front.end(), i)));
    if (answer.result.own)
        table->add(rowOf(columns, *answer.result.own, kOwnPlan, false));
    return table;
}

std::shared_ptr<StoredTable> planParts(const PlanAnswer& answer, std::int64_t shown, std::int64_t runnerUp, std::int64_t own)
{
    using Look = TableColumn::Look;
    const SearchedPlan* const plan = planOf(answer, shown);
    if (!plan)
        return nullptr;
    std::vector<std::pair<QString, const SearchedPlan*>> others;
    for (const std::int64_t id : {runnerUp, own}) {
        if (const SearchedPlan* const other = planOf(answer, id))
            others.emplace_back(planName(id), other);
    }
    std::int64_t longest = plan->parts.step();
    for (const auto& [name, other] : others)
        longest = std::max(longest, other->parts.step());
    const ColumnUnit unit = ColumnUnit::ofTime(longest);
    std::vector<TableColumn> titles{{unit.title(PlanSearchTexts::tr("Part")), PlanSearchTexts::tr("Part of the step"), Look::Text}, {planName(shown), PlanSearchTexts::tr("%1 [ps]").arg(planName(shown)), Look::Number}};
    for (const auto& [name, other] : others) {
        titles.push_back({PlanSearchTexts::tr("%1 \u00b1").arg(name), PlanSearchTexts::tr("%1, more [ps]").arg(name), Look::Number});
    }
    auto table = std::make_shared<StoredTable>(std::move(titles));
    const auto add = [&](const QString& name, const auto& valueOf) {
        StoredTable::Row row;
        row.id = table->rows();
        row.cells.push_back(words(name));
        row.cells.push_back({unit.text(static_cast<double>(valueOf(*plan))), valueOf(*plan)});
        for (const auto& entry : others) {
            row.cells.push_back(differenceCell(unit, valueOf(*entry.second) - valueOf(*plan)));
        }
        table->add(std::move(row));
    };
    for (const SearchPart& part : kSearchParts)
        add(PlanSearchTexts::tr(part.name), [&part](const SearchedPlan& of) { return of.parts.*part.part; });
    add(PlanSearchTexts::tr("Sum, estimated"), [](const SearchedPlan& of) { return of.parts.step(); });
    if (plan->simulated && std::all_of(others.begin(), others.end(), [](const auto& entry) { return entry.second->simulated.has_value(); }))
        add(PlanSearchTexts::tr("Simulated"), [](const SearchedPlan& of) { return of.simulated->ps; });
    return table;
}

} // namespace fabricscope::planned
