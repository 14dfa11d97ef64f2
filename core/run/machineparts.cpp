#include "core/run/machineparts.h"

#include "core/cost/checkpointing.h"
#include "core/planner/best/plancut.h"

#include <algorithm>

namespace fabricscope {

namespace {

bool wants(const PlanSearchSpec& search, PlanObjective objective)
{
    return std::find(search.objectives.begin(), search.objectives.end(), objective) != search.objectives.end();
}

Error missingFigure(const Design& design, const char* objective, const HardwareBill& bill)
{
    std::string missing;
    for (const std::string& what : bill.missing)
        missing += (missing.empty() ? "" : ", ") + what;
    return invalidInput(std::string(objective) + " needs what nobody says of this machine: " + missing, design.place("search.objective"), "a section costs with it, or another objective");
}

/// Of the whole machine; nothing asked for: empty.
Result<std::optional<HardwareBill>> billFor(const Design& design, const CostConfig* costs, const PlanSearchSpec& search)
{
    const bool cost = wants(search, PlanObjective::Cost);
    if (!cost && !wants(search, PlanObjective::Energy))
        return std::optional<HardwareBill>();
    Result<HardwareBill> bill = hardwareBill(*design.platform, costs);
    if (!bill)
        return std::move(bill).error();
    if (cost && !bill.value().perYear())
        return missingFigure(design, "cost", bill.value());
    if (wants(search, PlanObjective::Energy) && !bill.value().siteWatts())
        return missingFigure(design, "energy", bill.value());
    return std::optional(std::move(bill).value());
}

/// Of the NPUs a plan has: their share of what all cost, and of the failures.
PlanRates ratesOf(HardwareBill bill, const CostConfig* costs, std::int64_t used)
{
    const double share = static_cast<double>(used) / static_cast<double>(std::max<std::int64_t>(1, bill.npus));
    bill.failuresPerHour *= share;
    const std::optional<Checkpointing> kept = checkpointing(bill, costs);
    const double useful = kept ? kept->share : 1;
    PlanRates rates;
    if (const std::optional<double> year = bill.perYear(); year && useful > 0)
        rates.dollars = costPerToken(*year * share, useful);
    if (const std::optional<double> watts = bill.siteWatts())
        rates.watts = *watts * share;
    return rates;
}

Result<std::vector<std::int64_t>> countsOf(const Design& design, const Platform& platform, std::int64_t ranks, const PlanSearchSpec& search)
{
    const std::optional<std::int64_t>& given = search.fixed.npus;
    if (!given && !search.varies(PlanVariable::Npus))
        return std::vector<std::int64_t>{ranks};
    const char* const field = given ? "search.fixed.npus" : "search.vary";
    if (!design.jobs.empty())
        return invalidInput("the design says on which NPUs the plan runs", design.place(field), "no npus in the search, or no platform.placement");
    std::vector<std::int64_t> parts = machineParts(platform, ranks);
    if (!given)
        return parts;
    if (std::find(parts.begin(), parts.end(), *given) == parts.end()) {
        std::string list;
        for (const std::int64_t part : parts)
            list += (list.empty() ? "" : ", ") + std::to_string(part);
        return invalidInput(std::to_string(*given) + " NPUs do not fill dimensions of the machine", design.place(field), "one of " + list);
    }
    return std::vector<std::int64_t>{*given};
}

/// As one of the parts is searched: how many NPUs there are is the same for all its plans.
PlanSearchSpec ofOnePart(PlanSearchSpec search)
{
    std::erase(search.objectives, PlanObjective::Npus);
    if (search.objectives.empty())
        search.objectives.push_back(PlanObjective::StepTime);
    return search;
}

} // namespace

std::vector<std::int64_t> machineParts(const Platform& platform, std::int64_t ranks)
{
    std::vector<std::int64_t> parts;
    const auto addDivisors = [&](std::int64_t below, std::int64_t of) {
        for (std::int64_t divisor = 1; divisor <= of; ++divisor) {
            if (of % divisor == 0 && ranks % (below * divisor) == 0)
                parts.push_back(below * divisor);
        }
    };
    std::int64_t below = 1;
    for (const Dimension& dimension : platform.isExplicit() ? std::span<const Dimension>() : std::span<const Dimension>(platform.dimensions())) {
        addDivisors(below, dimension.size);
        below *= dimension.size;
    }
    if (platform.isExplicit())
        addDivisors(1, ranks);
    parts.push_back(ranks); // Also where NPUs are removed.
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    std::erase_if(parts, [ranks](std::int64_t part) { return part > ranks; });
    return parts;
}

Result<PlanSearchResult> searchMachine(const Design& design, const Platform& platform, const CostConfig* costs, const PlanNpu& npu, std::int64_t ranks, const PlanSearchSpec& search, const PlanSearchOptions& options)
{
    const auto& planned = std::get<PlannedWorkload>(*design.workload);
    const Result<std::optional<HardwareBill>> bill = billFor(design, costs, search);
    if (!bill)
        return bill.error();
    const Result<std::vector<std::int64_t>> counts = countsOf(design, platform, ranks, search);
    if (!counts)
        return counts.error();
    const PlanSearchSpec within = ofOnePart(search);
    PlanSearchResult all;
    std::vector<RankedPlan> best;
    std::optional<Error> refused;
    std::size_t searched = 0;
    for (std::size_t part = 0; part < counts.value().size(); ++part) {
        PlanSearchOptions of = options;
        of.used = counts.value()[part];
        if (options.progress)
            of.progress = [&](const PlanSearchProgress& progress) { options.progress({progress.done + part * progress.of, progress.of * counts.value().size(), progress.best}); };
        Result<PlanSearchResult> found = searchPlans(*planned.model, *planned.plan, ranks, npu, within, of);
        if (!found && found.error().code == ErrorCode::Cancelled)
            return found;
        if (!found) { // On so few no plan is as it has to be.
            refused = std::move(found).error();
            continue;
        }
        ++searched;
        PlanSearchResult& result = found.value();
        const PlanRates rates = bill.value() ? ratesOf(*bill.value(), costs, *of.used) : PlanRates{};
        for (std::size_t i = 0; i < result.plans.size(); ++i) {
            result.plans[i].rates = rates;
            best.push_back({std::move(result.plans[i]), part, i});
        }
        all.counts.add(result.counts);
        all.space += result.space;
        if (result.own) {
            result.own->rates = rates;
            all.own = std::move(result.own);
        }
    }
    if (searched == 0)
        return *refused;
    keepBest(best, search);
    for (RankedPlan& ranked : best)
        all.plans.push_back(std::move(ranked.plan));
    all.front = frontOf(all.plans, search.objectives);
    return all;
}

} // namespace fabricscope
