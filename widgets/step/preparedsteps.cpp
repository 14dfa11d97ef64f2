#include "widgets/step/preparedsteps.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fabricscope {

namespace {

/// A saved run says itself of what design it is and how it went; one that was made here was seen to.
std::string designOf(const RunResult& run)
{
    return run.number > 0 ? run.summary.designHash : std::string();
}

/// Programs that a search found within a limit of time can differ between two runs of one design.
bool isSameCollective(const Scenario& a, const Scenario& b, std::int32_t instance)
{
    const auto at = static_cast<std::size_t>(instance);
    if (a.structure->instances.size() != b.structure->instances.size() || at >= a.structure->instances.size())
        return false;
    const CollectiveInstance& first = a.structure->instances[at];
    const CollectiveInstance& second = b.structure->instances[at];
    const auto layoutOf = [](const Scenario& scenario, const CollectiveInstance& of) -> const GroupLayout& { return scenario.structure->layouts[static_cast<std::size_t>(of.layout)]; };
    const GroupLayout& here = layoutOf(a, first);
    const GroupLayout& there = layoutOf(b, second);
    return first.op == second.op && first.bytes == second.bytes && first.program && second.program && first.program->digest() == second.program->digest()
        && first.program->name == second.program->name && here.base == there.base && here.extents == there.extents && here.strides == there.strides
        && here.list == there.list;
}

} // namespace

bool PreparedSteps::isOf(const Entry& entry, const RunResult& run, std::int32_t instance)
{
    if (entry.instance != instance)
        return false;
    if (entry.scenario == run.scenario)
        return true;
    return !entry.design.empty() && entry.design == designOf(run) && entry.fingerprint == run.record().fingerprint
        && isSameCollective(*entry.scenario, *run.scenario, instance);
}

std::optional<LoadedSteps> PreparedSteps::find(const RunResult& run, std::int32_t instance)
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return isOf(entry, run, instance); });
    if (found == m_entries.end())
        return std::nullopt;
    std::rotate(m_entries.begin(), found, found + 1);
    return m_entries.front().steps;
}

void PreparedSteps::keep(const RunResult& run, std::int32_t instance, const LoadedSteps& steps)
{
    std::erase_if(m_entries, [&](const Entry& entry) { return isOf(entry, run, instance); });
    Entry entry{run.scenario, designOf(run), {}, instance, steps, steps.replay->memory()};
    if (!entry.design.empty())
        entry.fingerprint = run.record().fingerprint;
    if (entry.bytes > m_mostBytes)
        return;
    m_entries.insert(m_entries.begin(), std::move(entry));
    while (bytes() > m_mostBytes || runs() > kMostRuns)
        m_entries.pop_back();
}

std::int64_t PreparedSteps::bytes() const
{
    return std::accumulate(m_entries.begin(), m_entries.end(), std::int64_t{0}, [](std::int64_t sum, const Entry& entry) { return sum + entry.bytes; });
}

std::size_t PreparedSteps::runs() const
{
    std::set<const Scenario*> scenarios;
    for (const Entry& entry : m_entries)
        scenarios.insert(entry.scenario.get());
    return scenarios.size();
}

} // namespace fabricscope
