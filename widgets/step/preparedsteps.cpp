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

/// Null: it has none, or there is no such collective in this run.
ProgramPtr programOf(const Scenario& scenario, std::int32_t instance)
{
    const auto at = static_cast<std::size_t>(instance);
    return at < scenario.structure->instances.size() ? scenario.structure->instances[at].program : nullptr;
}

/// All but the program.
bool isSameCollective(const Scenario& a, const Scenario& b, std::int32_t instance)
{
    if (a.structure->instances.size() != b.structure->instances.size() || !programOf(a, instance) || !programOf(b, instance))
        return false;
    const CollectiveInstance& first = a.structure->instances[static_cast<std::size_t>(instance)];
    const CollectiveInstance& second = b.structure->instances[static_cast<std::size_t>(instance)];
    const GroupLayout& here = a.structure->layouts[static_cast<std::size_t>(first.layout)];
    const GroupLayout& there = b.structure->layouts[static_cast<std::size_t>(second.layout)];
    return first.op == second.op && first.bytes == second.bytes && first.program->name == second.program->name && here.base == there.base
        && here.extents == there.extents && here.strides == there.strides && here.list == there.list;
}

} // namespace

Digest programDigest(const Scenario& scenario, std::int32_t instance)
{
    const ProgramPtr program = programOf(scenario, instance);
    return program ? program->digest() : Digest();
}

bool PreparedSteps::isLike(const Entry& entry, const RunResult& run, std::int32_t instance)
{
    return entry.instance == instance && !entry.design.empty() && entry.design == designOf(run) && entry.fingerprint == run.record().fingerprint
        && isSameCollective(*entry.scenario, *run.scenario, instance);
}

/// Programs that a search found within a limit of time can differ between two runs of one design.
bool PreparedSteps::isOf(const Entry& entry, const RunResult& run, std::int32_t instance)
{
    if (entry.scenario == run.scenario)
        return entry.instance == instance;
    return isLike(entry, run, instance) && programOf(*entry.scenario, instance) == programOf(*run.scenario, instance);
}

/// It has been used last then.
template <class Fits>
std::optional<LoadedSteps> PreparedSteps::firstThat(const Fits& fits)
{
    const auto found = std::find_if(m_entries.begin(), m_entries.end(), fits);
    if (found == m_entries.end())
        return std::nullopt;
    std::rotate(m_entries.begin(), found, found + 1);
    return m_entries.front().steps;
}

std::optional<LoadedSteps> PreparedSteps::find(const RunResult& run, std::int32_t instance)
{
    return firstThat([&](const Entry& entry) { return isOf(entry, run, instance); });
}

std::optional<LoadedSteps> PreparedSteps::findLike(const RunResult& run, std::int32_t instance)
{
    return firstThat([&](const Entry& entry) { return isLike(entry, run, instance); });
}

void PreparedSteps::keep(const RunResult& run, std::int32_t instance, const LoadedSteps& steps)
{
    std::erase_if(m_entries, [&](const Entry& entry) {
        return isOf(entry, run, instance) || (isLike(entry, run, instance) && entry.steps.program == steps.program);
    });
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
