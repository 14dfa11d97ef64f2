#include "core/run/planssection.h"

#include "core/base/decimal.h"
#include "core/design/file/costsection.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/searchsection.h"
#include "core/draw/numbertext.h"
#include "core/report/accuracyfigures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace fabricscope {

namespace {

using Look = ReportCell::Look;

struct StepPart {
    const char* name;
    std::int64_t PlanParts::* part;
};
constexpr std::array<StepPart, 5> kStepParts{{{"Computing", &PlanParts::computing},
                                              {"Communication of layers", &PlanParts::communication},
                                              {"Bubble", &PlanParts::waiting},
                                              {"Gradients and parameters", &PlanParts::gradients},
                                              {"Optimizer", &PlanParts::optimizer}}};

std::string meshText(const SearchedPlan& plan)
{
    std::string text;
    for (std::size_t i = 0; i < plan.plan.mesh.axes.size() && i < plan.plan.mesh.shape.size(); ++i) {
        if (plan.plan.mesh.shape[i] > 1)
            text += (text.empty() ? "" : ", ") + plan.plan.mesh.axes[i] + ' ' + std::to_string(plan.plan.mesh.shape[i]);
    }
    if (plan.choice.block.expert > 1)
        text += ", experts " + std::to_string(plan.choice.block.expert);
    return text.empty() ? "one rank" : text;
}

std::string scheduleText(const PlanChoice& choice)
{
    if (choice.block.pipeline == 1)
        return "none";
    return std::string(keyOf(kPipelineSchedules, choice.schedule)) + (choice.chunks > 1 ? " x" + std::to_string(choice.chunks) : std::string());
}

/// Columns that stand only where they tell plans apart.
struct PlanColumns {
    bool npus = false;
    bool cost = false;
    bool energy = false;
};

PlanColumns columnsOf(const PlanSearchResult& result)
{
    PlanColumns columns;
    for (const SearchedPlan& plan : result.plans) {
        columns.npus = columns.npus || plan.isPart;
        columns.cost = columns.cost || plan.dollarsPerToken();
        columns.energy = columns.energy || plan.joulesPerToken();
    }
    return columns;
}

std::vector<ReportCell> planCells(const std::string& name, const SearchedPlan& plan, const PlanColumns& columns, bool onFront, bool best)
{
    const Look look = best ? Look::Strong : Look::Plain;
    std::string tokens = "not known";
    if (const double rate = plan.tokensPerSecondOfStep(); rate > 0)
        tokens = numbertext::count(std::llround(std::min(9e18, rate)));
    std::vector<ReportCell> cells{
            {name, look},
            {plan.simulated ? numbertext::time(*plan.simulated) : plan.problem.empty() ? std::string() : std::string("not simulated"), look},
            {numbertext::time({plan.parts.step()}), look},
            {tokens, look},
            {numbertext::bytes(plan.memory), look},
            {onFront ? "front" : "", look},
            {meshText(plan), look},
            {std::to_string(plan.choice.block.microBatch), look},
            {scheduleText(plan.choice), look},
            {std::to_string(plan.choice.zero), look},
            {std::string(keyOf(kRecomputes, plan.choice.block.recompute)), look}};
    if (columns.npus)
        cells.emplace_back(numbertext::count(plan.choice.block.ranks()), look);
    if (columns.cost)
        cells.emplace_back(plan.dollarsPerToken() ? decimal(std::round(*plan.dollarsPerToken() * 1e10) / 1e4) : std::string("not known"), look);
    if (columns.energy)
        cells.emplace_back(plan.joulesPerToken() ? decimal(std::round(*plan.joulesPerToken() * 1e4) / 1e4) : std::string("not known"), look);
    return cells;
}

ReportTable plansTable(const DesignPlans& plans)
{
    ReportTable table;
    table.columns = {{"Plan", false, 0.6}, {"Simulated", true, 1}, {"Estimated", true, 1}, {"Tokens/s", true, 1}, {"Memory", true, 0.9}, {"", false, 0.6}, {"Mesh, the slowest axis first", false, 2.2}, {"Micro-batch", true, 0.9},
                     {"Schedule", false, 1}, {"ZeRO", true, 0.6}, {"Recompute", false, 1}};
    const PlanColumns columns = columnsOf(plans.result);
    for (const auto& [isShown, title] : {std::pair(columns.npus, "NPUs"), std::pair(columns.cost, "US$ per million tokens"), std::pair(columns.energy, "J per token")}) {
        if (isShown)
            table.columns.push_back({title, true, 0.9});
    }
    for (std::size_t i = 0; i < plans.result.plans.size(); ++i)
        table.rows.push_back(planCells(std::to_string(i + 1), plans.result.plans[i], columns, std::binary_search(plans.front.begin(), plans.front.end(), i), i == 0));
    if (plans.result.own)
        table.rows.push_back(planCells("own", *plans.result.own, columns, false, false));
    table.note = "front: no other plan that is listed is both faster and smaller. Memory: of the fullest rank. " + plans.estimate + '.';
    return table;
}

std::string changeText(std::int64_t ps, SimTime scale)
{
    return (ps > 0 ? "+" : ps < 0 ? "\xE2\x88\x92" : "") + numbertext::timeIn({std::abs(ps)}, scale);
}

/// Columns add up: the last row is their sum.
ReportTable whyTable(const DesignPlans& plans)
{
    const SearchedPlan& best = plans.result.plans.front();
    std::vector<std::pair<std::string, const SearchedPlan*>> others;
    if (plans.result.plans.size() > 1)
        others.emplace_back("Plan 2", &plans.result.plans[1]);
    if (plans.result.own)
        others.emplace_back("Own plan", &*plans.result.own);
    ReportTable table;
    SimTime longest{best.parts.step()};
    for (const auto& [name, plan] : others)
        longest = std::max(longest, SimTime{plan->parts.step()});
    table.columns = {{"Part of the step, estimated, " + numbertext::timeUnit(longest), false, 2}, {"Plan 1", true, 1}};
    for (const auto& [name, plan] : others) {
        table.columns.push_back({name, true, 1});
        table.columns.push_back({"more", true, 1});
    }
    const auto add = [&](const char* name, Look look, const auto& valueOf) {
        std::vector<ReportCell> cells{{name, look}, {numbertext::timeIn({valueOf(best)}, longest), look}};
        for (const auto& entry : others) {
            cells.emplace_back(numbertext::timeIn({valueOf(*entry.second)}, longest), look);
            cells.emplace_back(changeText(valueOf(*entry.second) - valueOf(best), longest), look);
        }
        table.rows.push_back(std::move(cells));
    };
    for (const StepPart& part : kStepParts)
        add(part.name, Look::Plain, [&part](const SearchedPlan& plan) { return plan.parts.*part.part; });
    add("Step", Look::Strong, [](const SearchedPlan& plan) { return plan.parts.step(); });
    return table;
}

} // namespace

std::string planCountsText(const PlanSearchCounts& counts, const PlanSearchSpec& search, std::string (*number)(std::int64_t))
{
    // What bounds leave out: plancut.h.
    const bool byMemory = std::find(search.objectives.begin(), search.objectives.end(), PlanObjective::Memory) != search.objectives.end();
    return number(counts.considered) + " plans: " + number(counts.refusedPlans()) + " cannot be, " + number(counts.pruned)
        + (byMemory ? " left out as others surely are better in every objective, " : " left out as they surely take longer, ") + number(counts.overMemory) + " do not fit the memory, " + number(counts.estimated) + " estimated";
}

std::string planAgreementText(const std::vector<SearchedPlan>& plans)
{
    const std::optional<double> tau = rankAgreement(plans);
    if (!tau)
        return {};
    const auto simulated = std::count_if(plans.begin(), plans.end(), [](const SearchedPlan& plan) { return plan.simulated.has_value(); });
    return "estimate and simulation of " + std::to_string(simulated) + " plans: Kendall tau " + fixedDecimal(std::llround(*tau * 1000), 3) + ", first by the estimate "
        + fixedDecimal(std::llround(rankRegret(plans).value_or(0) * 10'000), 2) + " % longer than the best";
}

std::vector<std::size_t> plansLikeFirst(const std::vector<SearchedPlan>& plans, std::optional<double> errorPct)
{
    std::vector<std::size_t> alike;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        const bool comparable = plans[i].simulated.has_value() == plans.front().simulated.has_value();
        if (comparable && !notDistinguishable({plans.front().step()}, {plans[i].step()}, errorPct).empty())
            alike.push_back(i);
    }
    return alike;
}

std::string plansLikeFirstText(const std::vector<SearchedPlan>& plans, std::optional<double> errorPct)
{
    const std::vector<std::size_t> alike = plansLikeFirst(plans, errorPct);
    if (alike.empty())
        return {};
    std::string text = "the steps of plans 1";
    std::size_t furthest = alike.front();
    const auto apart = [&](std::size_t plan) { return std::abs(plans[plan].step() - plans.front().step()); };
    for (const std::size_t plan : alike) {
        text += (plan == alike.back() ? " and " : ", ") + std::to_string(plan + 1);
        furthest = apart(plan) > apart(furthest) ? plan : furthest;
    }
    std::string same = notDistinguishable({plans.front().step()}, {plans[furthest].step()}, errorPct);
    if (alike.size() > 1)
        same.insert(same.find('(') + 1, "at most ");
    return text + " are " + same;
}

ReportSection plansSection(const DesignPlans& plans, const PlanSearchSpec& search)
{
    ReportSection section{ReportPart::Results, "Best plans", false, true, {}};
    std::string objectives;
    for (const PlanObjective objective : search.objectives)
        objectives += (objectives.empty() ? "" : ", ") + std::string(keyOf(kPlanObjectives, objective));
    section.blocks.emplace_back(ReportText{planCountsText(plans.result.counts, search, numbertext::count) + ", ranked by " + objectives + '.'});
    if (plans.result.plans.empty()) {
        section.blocks.emplace_back(ReportText{"No plan fits."});
        return section;
    }
    section.blocks.emplace_back(plansTable(plans));
    if (plans.result.plans.size() > 1 || plans.result.own)
        section.blocks.emplace_back(whyTable(plans));
    if (std::string agreement = planAgreementText(plans.result.plans); !agreement.empty()) {
        agreement.front() = 'E';
        section.blocks.emplace_back(ReportText{std::move(agreement) + '.'});
    }
    std::string accuracy = "Accuracy of the fabric: " + errorText(plans.errorPct);
    if (const std::string alike = plansLikeFirstText(plans.result.plans, plans.errorPct); !alike.empty())
        accuracy += "; " + alike;
    section.blocks.emplace_back(ReportText{std::move(accuracy) + '.'});
    return section;
}

Status addPlans(ReportContent& content, const RunSummary& summary, int threads, const std::stop_token& stop)
{
    if (summary.designText.empty())
        return invalidInput("this run holds no design whose plans could be searched", {}, "a run saved with its design");
    const Result<YamlDocument> document = YamlDocument::parse(summary.designText, summary.designFile, stop);
    if (!document)
        return document.error();
    const Result<PlanSearchSpec> search = readPlanSearch(document.value());
    if (!search)
        return search.error();
    const Result<LoadedDesign> loaded = readDesignText(summary.designText, summary.designFile, {}, stop);
    if (!loaded)
        return loaded.error();
    PlanSearchOptions options;
    options.threads = threads;
    options.stop = stop;
    const Result<std::optional<CostConfig>> costs = readCosts(document.value());
    if (!costs)
        return costs.error();
    Result<DesignPlans> plans = plansOfDesign(loaded.value().design, search.value(), costs.value() ? &*costs.value() : nullptr, options);
    if (!plans)
        return plans.error();
    if (Status status = simulateListed(loaded.value().design, search.value(), options, plans.value()); !status)
        return status;
    const auto after = std::find_if(content.sections.begin(), content.sections.end(), [](const ReportSection& other) { return other.part > ReportPart::Results; });
    content.sections.insert(after, plansSection(plans.value(), search.value()));
    return {};
}

} // namespace fabricscope
