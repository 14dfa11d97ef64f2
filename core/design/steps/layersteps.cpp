#include "core/design/steps/layersteps.h"

#include "core/design/steps/steps.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

constexpr std::array<std::string_view, 5> kGroupNames = {"", "tensor", "data", "expert", "data_expert"};

Quantity nanoseconds(std::int64_t ns)
{
    return {static_cast<double>(ns), "ns", Measure::Time};
}

CollectiveOp opOf(LayerCollective collective)
{
    switch (collective) {
    case LayerCollective::AllGather:
        return CollectiveOp::AllGather;
    case LayerCollective::ReduceScatter:
        return CollectiveOp::ReduceScatter;
    case LayerCollective::AllToAll:
        return CollectiveOp::AllToAll;
    default:
        return CollectiveOp::AllReduce;
    }
}

/// Appends the steps of a round.
class RoundMaker {
public:
    RoundMaker(const LayerTable& table, const std::array<std::int64_t, 5>& sizes) : m_table(table), m_sizes(sizes) {}

    std::vector<Step> make()
    {
        for (std::size_t i = 0; i < m_table.rows.size(); ++i)
            blocking(m_table.rows[i], i, 0);
        for (std::size_t i = m_table.rows.size(); i-- > 0;) {
            weightGradient(m_table.rows[i], i);
            blocking(m_table.rows[i], i, 1);
        }
        return std::move(m_steps);
    }

    std::array<bool, 5> used() const { return m_used; }

private:
    /// A step behind those named; `chain`: what comes next waits for it.
    void add(Step step, const std::string& name, const std::string& behind, bool chain)
    {
        step.name = name;
        step.afterGiven = !behind.empty();
        if (!behind.empty())
            step.after = {behind};
        if (chain)
            m_last = name;
        m_steps.push_back(std::move(step));
    }

    std::string labelOf(const LayerRow& row, std::size_t index, std::string_view what) const { return row.name + "." + std::to_string(index + 1) + " " + std::string(what); }

    bool moves(const LayerPass& pass) const
    {
        return pass.collective != LayerCollective::None && pass.bytes > 0 && m_sizes[static_cast<std::size_t>(pass.group)] > 1;
    }

    Step collective(const LayerPass& pass)
    {
        Step step;
        step.kind = Step::Kind::Collective;
        step.op = opOf(pass.collective);
        step.bytes = Quantity{static_cast<double>(pass.bytes), "B", Measure::Size};
        step.group = kGroupNames[static_cast<std::size_t>(pass.group)];
        m_used[static_cast<std::size_t>(pass.group)] = true;
        return step;
    }

    static Step compute(std::int64_t ns)
    {
        Step step;
        step.duration = nanoseconds(ns);
        return step;
    }

    /// Time, then its collective, which the next row waits for.
    void blocking(const LayerRow& row, std::size_t index, std::size_t which)
    {
        const LayerPass& pass = row.passes[which];
        const std::string_view word = which == 0 ? "forward" : "input gradient";
        if (pass.ns > 0)
            add(compute(pass.ns), labelOf(row, index, word), m_last, true);
        if (moves(pass))
            add(collective(pass), labelOf(row, index, which == 0 ? "forward collective" : "input gradient collective"), m_last, true);
    }

    /// Its collective and the update run beside what follows.
    void weightGradient(const LayerRow& row, std::size_t index)
    {
        const LayerPass& pass = row.passes[2];
        if (pass.ns > 0)
            add(compute(pass.ns), labelOf(row, index, "weight gradient"), m_last, true);
        std::string behind = m_last;
        if (moves(pass)) {
            const std::string name = labelOf(row, index, "weight gradient collective");
            add(collective(pass), name, behind, false);
            behind = name;
        }
        if (row.updateNs > 0)
            add(compute(row.updateNs), labelOf(row, index, "update"), behind, false);
    }

    const LayerTable& m_table;
    const std::array<std::int64_t, 5>& m_sizes;
    std::vector<Step> m_steps;
    std::string m_last;
    std::array<bool, 5> m_used{};
};

} // namespace

Result<StepsWorkload> stepsOfLayers(const LayerTable& table, std::int64_t ranks, const std::string& file, Diagnostics& diagnostics)
{
    Place place;
    place.file = file;
    place.line = 1;
    const std::int64_t tensor = std::max<std::int64_t>(table.tensor, 1);
    const std::int64_t expert = std::max<std::int64_t>(table.expert, 1);
    const std::int64_t pipeline = std::max<std::int64_t>(table.pipeline, 1);
    if (ranks < 1 || ranks % tensor != 0 || ranks / tensor % pipeline != 0)
        return invalidInput(std::to_string(ranks) + " ranks are no multiple of " + std::to_string(tensor) + " (model_parallel_NPU_group) x " + std::to_string(pipeline) + " (pp)", place, "all_gpus that they divide");
    const std::int64_t data = ranks / tensor / pipeline;
    if (data % expert != 0)
        return invalidInput("ep " + std::to_string(expert) + " does not divide the " + std::to_string(data) + " ranks of data parallelism", place, "a divisor");
    if (table.tensor == 0 && table.policy.starts_with("HYBRID"))
        return invalidInput("policy " + table.policy + " needs the number of ranks that share a layer", place, "model_parallel_NPU_group: N behind it");
    constexpr std::int64_t kTasksOfRow = 8;
    if (static_cast<std::int64_t>(table.rows.size()) * kTasksOfRow > kMaxStepTasks / table.rounds)
        return invalidInput(std::to_string(table.rounds) + " rounds of " + std::to_string(table.rows.size()) + " rows are too many tasks", place, "at most " + std::to_string(kMaxStepTasks / kTasksOfRow) + " rows in all rounds");
    const std::array<std::int64_t, 5> sizes = {ranks, tensor, data, expert, data / expert};
    const std::array<std::int64_t, 5> strides = {1, 1, tensor, tensor, tensor * expert};
    StepsWorkload made;
    RoundMaker maker(table, sizes);
    std::vector<Step> round = maker.make();
    for (std::size_t g = 1; g < sizes.size(); ++g) {
        GroupSpec group;
        group.name = kGroupNames[g];
        group.axes = {{sizes[g], strides[g]}};
        if (maker.used()[g])
            made.groups.push_back(std::move(group));
    }
    if (table.rounds > 1) {
        Step repeat;
        repeat.kind = Step::Kind::Repeat;
        repeat.times = static_cast<std::int32_t>(table.rounds);
        repeat.steps = std::move(round);
        made.steps.push_back(std::move(repeat));
    } else {
        made.steps = std::move(round);
    }
    if (made.steps.empty() || (made.steps.size() == 1 && made.steps[0].kind == Step::Kind::Repeat && made.steps[0].steps.empty()))
        return invalidInput("no row takes any time", place, "a time or a collective");
    if (pipeline > 1)
        diagnostics.push_back(warning("layer-pipeline", "all ranks run the rows; sends between the " + std::to_string(pipeline) + " stages" + (table.sendBytes > 0 ? " (pp_comm " + std::to_string(table.sendBytes) + " B)" : std::string()) + " and their waits are not in the table", place));
    return made;
}

} // namespace fabricscope
