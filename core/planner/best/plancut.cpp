#include "core/planner/best/plancut.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fabricscope {

double valueOfPlan(const SearchedPlan& plan, PlanObjective objective)
{
    switch (objective) {
    case PlanObjective::StepTime:
        return static_cast<double>(plan.step());
    case PlanObjective::TokensPerNpu:
        return -plan.tokensPerSecondOfStep() / static_cast<double>(plan.choice.block.ranks());
    case PlanObjective::Memory:
        return static_cast<double>(plan.memory);
    case PlanObjective::Npus:
        return static_cast<double>(plan.choice.block.ranks());
    case PlanObjective::Cost:
        return plan.dollarsPerToken().value_or(static_cast<double>(plan.step()));
    case PlanObjective::Energy:
        return plan.joulesPerToken().value_or(static_cast<double>(plan.step()));
    }
    return 0;
}

namespace {

/// Those that nothing beats, ascending. What beats another one comes before it where all values are compared one after the other.
template <class ValueAt>
std::vector<std::size_t> unbeaten(std::size_t count, std::size_t objectives, ValueAt valueAt)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        for (std::size_t k = 0; k < objectives; ++k) {
            if (valueAt(a, k) != valueAt(b, k))
                return valueAt(a, k) < valueAt(b, k);
        }
        return false;
    });
    const auto beats = [&](std::size_t a, std::size_t b) {
        bool better = false;
        for (std::size_t k = 0; k < objectives; ++k) {
            if (valueAt(a, k) > valueAt(b, k))
                return false;
            better = better || valueAt(a, k) < valueAt(b, k);
        }
        return better;
    };
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        // The last ones are the nearest.
        if (std::none_of(front.rbegin(), front.rend(), [&](std::size_t other) { return beats(other, i); }))
            front.push_back(i);
    }
    std::sort(front.begin(), front.end());
    return front;
}

} // namespace

std::vector<std::size_t> frontOf(const std::vector<SearchedPlan>& plans, const std::vector<PlanObjective>& objectives)
{
    return unbeaten(plans.size(), objectives.size(), [&](std::size_t i, std::size_t k) { return valueOfPlan(plans[i], objectives[k]); });
}

bool isBetterPlan(const SearchedPlan& a, const SearchedPlan& b, const PlanSearchSpec& search)
{
    const PlanObjective first = search.objectives.front();
    const double one = valueOfPlan(a, first);
    const double other = valueOfPlan(b, first);
    return one < other || (one == other && first == PlanObjective::Npus && a.step() < b.step());
}

void keepBest(std::vector<RankedPlan>& plans, const PlanSearchSpec& search)
{
    std::sort(plans.begin(), plans.end(), [&](const RankedPlan& a, const RankedPlan& b) {
        return std::tuple(valueOfPlan(a.plan, search.objectives.front()), a.block, a.choice) < std::tuple(valueOfPlan(b.plan, search.objectives.front()), b.block, b.choice);
    });
    const auto top = static_cast<std::size_t>(search.top);
    if (plans.size() <= top)
        return;
    if (search.objectives.size() == 1) {
        plans.erase(plans.begin() + search.top, plans.end());
        return;
    }
    // The front may lie behind the best of the first objective.
    const std::vector<std::size_t> front = unbeaten(plans.size(), search.objectives.size(), [&](std::size_t i, std::size_t k) { return valueOfPlan(plans[i].plan, search.objectives[k]); });
    std::vector<RankedPlan> kept;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (i < top || std::binary_search(front.begin(), front.end(), i))
            kept.push_back(std::move(plans[i]));
    }
    plans = std::move(kept);
}

PlanCut::PlanCut(const std::vector<RankedPlan>& plans, const PlanSearchSpec& search, const std::optional<std::int64_t>& shorterThan)
    : m_byStep(search.objectives.front() != PlanObjective::Memory)
    , m_several(search.objectives.size() > 1)
    , m_hasMemory(std::find(search.objectives.begin(), search.objectives.end(), PlanObjective::Memory) != search.objectives.end())
{
    if (shorterThan)
        m_end = static_cast<double>(*shorterThan);
    const auto top = static_cast<std::size_t>(search.top);
    if (plans.size() < top)
        return;
    const SearchedPlan& last = plans[top - 1].plan;
    m_worst = static_cast<double>(m_byStep ? last.parts.step() : last.memory);
    for (const RankedPlan& ranked : plans)
        m_front.push_back({static_cast<double>(ranked.plan.parts.step()), m_hasMemory ? static_cast<double>(ranked.plan.memory) : 0.0});
    std::sort(m_front.begin(), m_front.end(), [](const Corner& a, const Corner& b) { return std::pair(a.step, a.memory) < std::pair(b.step, b.memory); });
    std::vector<Corner> corners;
    for (const Corner& corner : m_front) {
        if (corners.empty() || corner.memory < corners.back().memory)
            corners.push_back(corner);
    }
    m_front = std::move(corners);
}

bool PlanCut::isOut(double step, double memory) const
{
    if (step >= m_end)
        return true;
    if (!((m_byStep ? step : memory) > m_worst))
        return false;
    if (!m_several)
        return true;
    const double own = m_hasMemory ? memory : 0;
    // The slowest of those that are no slower has the least memory of them.
    const auto after = std::upper_bound(m_front.begin(), m_front.end(), step, [](double value, const Corner& corner) { return value < corner.step; });
    if (after == m_front.begin())
        return false;
    const Corner& corner = *std::prev(after);
    return corner.memory <= own && (corner.step < step || corner.memory < own);
}

} // namespace fabricscope
