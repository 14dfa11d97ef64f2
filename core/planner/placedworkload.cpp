#include "core/planner/placedworkload.h"

#include "core/base/index.h"
#include "core/planner/shareparts.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fabricscope {

namespace {

std::int64_t wholeCount(double value, std::int64_t least, double most)
{
    return std::max(least, static_cast<std::int64_t>(std::clamp(std::ceil(value - 1e-6), 0.0, most)));
}

constexpr double kMostBytes = 9e15;
constexpr double kMostFlops = 9e18;

/// Collects the tasks that all devices have, with the FLOP of each.
class TaskChain {
public:
    explicit TaskChain(std::int64_t devices) : m_devices(devices) { m_graph.dependBegin.push_back(0); }

    using After = std::vector<TaskIndex>;

    TaskIndex compute(const std::string& name, const std::vector<double>& flops, const After& after)
    {
        m_flops.resize(flops.size());
        const TaskIndex task = add(TaskKind::Compute, name, TaskFlag::kHasOperations, after);
        for (std::size_t j = 0; j < flops.size(); ++j)
            m_flops[j].emplace_back(task, wholeCount(flops[j], 0, kMostFlops));
        return task;
    }

    /// The last task of the collective.
    TaskIndex collective(const SharedCollective& what, ShareForm form, const std::string& name, After after)
    {
        const auto devices = static_cast<double>(m_devices);
        const bool parts = form == ShareForm::Exact;
        switch (what.kind) {
        case ShareCollective::AllToAll: // The size is what one device has, on average.
            return one(CollectiveOp::AllToAll, parts ? what.bytes / devices : what.largestPart(), 0, name, after, parts ? what.parts : std::vector<std::int64_t>());
        case ShareCollective::AllReduce:
            return one(CollectiveOp::AllReduce, what.bytes, 0, name, after, {});
        default:
            break;
        }
        const bool gathers = what.kind == ShareCollective::AllGather;
        if (form != ShareForm::Grouped)
            return one(gathers ? CollectiveOp::AllGather : CollectiveOp::ReduceScatter, parts ? what.bytes : devices * what.largestPart(), 0, name, after, parts ? what.parts : std::vector<std::int64_t>());
        for (std::size_t owner = 0; owner < what.parts.size(); ++owner) {
            if (what.parts[owner] > 0)
                after = {one(CollectiveOp::Broadcast, what.partBytes(owner), familyFrom(owner), name + " " + std::to_string(owner), after, {})};
        }
        return after.front();
    }

    std::size_t size() const { return m_graph.kind.size(); }

    WorkloadPtr finish(std::string source)
    {
        auto workload = std::make_shared<Workload>();
        workload->rankCount = static_cast<std::int32_t>(m_devices);
        workload->families.push_back(GroupFamily::world(m_devices));
        for (const std::int64_t root : m_roots) {
            std::vector<std::int64_t> members{root};
            for (std::int64_t j = 0; j < m_devices; ++j) {
                if (j != root)
                    members.push_back(j);
            }
            workload->families.push_back(GroupFamily::listed("from" + std::to_string(root), {std::move(members)}, m_devices).value());
        }
        workload->source = std::move(source);
        if (m_flops.empty()) {
            workload->graphs.push_back(std::make_shared<const RankGraph>(std::move(m_graph)));
            return workload;
        }
        std::map<std::vector<std::pair<TaskIndex, std::int64_t>>, std::int32_t> known;
        for (const auto& own : m_flops) {
            const auto [entry, fresh] = known.try_emplace(own, static_cast<std::int32_t>(workload->graphs.size()));
            workload->graphOfRank.push_back(entry->second);
            if (!fresh)
                continue;
            auto graph = std::make_shared<RankGraph>(m_graph);
            for (const auto& [task, flops] : own)
                graph->operations[at(task)] = flops;
            workload->graphs.push_back(std::move(graph));
        }
        if (workload->graphs.size() == 1)
            workload->graphOfRank.clear();
        return workload;
    }

private:
    FamilyId familyFrom(std::size_t owner)
    {
        const auto [entry, fresh] = m_familyFrom.try_emplace(owner, static_cast<FamilyId>(m_roots.size() + 1));
        if (fresh)
            m_roots.push_back(static_cast<std::int64_t>(owner));
        return entry->second;
    }

    TaskIndex one(CollectiveOp op, double bytes, FamilyId family, const std::string& name, const After& after, const std::vector<std::int64_t>& shares)
    {
        const TaskIndex task = add(TaskKind::Collective, name, TaskFlag::kHasBytes, after);
        m_graph.op[at(task)] = op;
        m_graph.bytes[at(task)] = wholeCount(bytes, 1, kMostBytes);
        m_graph.family[at(task)] = family;
        if (!shares.empty())
            m_graph.shares.push_back({task, shares});
        return task;
    }

    TaskIndex add(TaskKind kind, const std::string& name, std::uint8_t flags, const After& after)
    {
        const TaskIndex task = m_graph.size();
        m_graph.kind.push_back(kind);
        m_graph.flags.push_back(flags);
        m_graph.sourceId.push_back(static_cast<std::uint64_t>(task));
        m_graph.names += name;
        m_graph.nameEnd.push_back(static_cast<std::uint32_t>(m_graph.names.size()));
        m_graph.durationUs.push_back(0);
        m_graph.durationPs.push_back(-1); // Computations by their FLOP; broadcasts are simulated as those of a design.
        m_graph.operations.push_back(0);
        m_graph.bytes.push_back(0);
        m_graph.op.push_back(CollectiveOp::AllReduce);
        m_graph.family.push_back(0);
        m_graph.peer.push_back(0);
        m_graph.tag.push_back(0);
        m_graph.involved.push_back(0);
        m_graph.depends.insert(m_graph.depends.end(), after.begin(), after.end());
        m_graph.dependBegin.push_back(static_cast<std::uint32_t>(m_graph.depends.size()));
        return task;
    }

    std::int64_t m_devices;
    RankGraph m_graph;
    std::vector<std::vector<std::pair<TaskIndex, std::int64_t>>> m_flops; ///< By device.
    std::map<std::size_t, FamilyId> m_familyFrom;
    std::vector<std::int64_t> m_roots; ///< Of families 1, 2, ...: the first member.
};

/// The passes of a program, one after the other; each step waits for the one before it in its chain.
class ProgramTasks {
public:
    ProgramTasks(const PlacementProblem& problem, const std::vector<DeviceRatios>& ratios, const ChosenForms& forms, GradientOrder order)
        : m_problem(problem), m_ratios(ratios), m_forms(forms), m_order(order), m_tasks(problem.cluster.devices())
    {
    }

    Result<WorkloadPtr> write(const PlacedProgram& program)
    {
        for (const PlacedStep& step : program.steps) {
            if (!step.behind)
                forward(step);
        }
        if (m_problem.theory.backward)
            backward(program);
        if (m_tasks.size() > kMostPlacedTasks)
            return Error{ErrorCode::Unsupported, "the program becomes more than " + std::to_string(kMostPlacedTasks) + " tasks of a device", {}, {}};
        return m_tasks.finish("placed program (" + std::to_string(m_problem.cluster.devices()) + " devices)");
    }

private:
    bool isFull() const { return m_tasks.size() > kMostPlacedTasks; }

    void compute(const PlacedStep& step, double share, const char* pass)
    {
        const RatioTerm& term = step.terms.front();
        std::vector<double> flops = flopsOfDevices(m_problem.cluster, term, m_ratios[at(term.segment)]);
        for (double& own : flops)
            own *= share;
        m_chain = {m_tasks.compute(madeBy(m_problem.graph, step) + pass, flops, m_chain)};
    }

    TaskIndex collective(const PlacedStep& step, const RatioTerm& term, const char* pass)
    {
        const SharedCollective what = collectiveOf(m_problem, step, term, m_ratios);
        const auto chosen = m_forms.find(what);
        return m_tasks.collective(what, chosen == m_forms.end() ? ShareForm::Padded : chosen->second.form, madeBy(m_problem.graph, step) + pass, m_chain);
    }

    void forward(const PlacedStep& step)
    {
        if (isFull() || step.kind == PlacedStep::Kind::Slice || step.terms.empty() || isIdle(step, m_ratios) || (step.kind == PlacedStep::Kind::Compute && step.op < 0))
            return;
        if (step.kind == PlacedStep::Kind::Collective)
            m_chain = {collective(step, step.terms.front(), "")};
        else
            compute(step, m_problem.theory.backward ? 1.0 / 3 : 1, "");
    }

    void backward(const PlacedProgram& program)
    {
        // By op: what follows its backward computation.
        std::map<int, std::vector<const PlacedStep*>> behind;
        for (const PlacedStep& step : program.steps) {
            if (step.behind)
                behind[step.op].push_back(&step);
        }
        for (std::size_t i = program.steps.size(); i-- > 0 && !isFull();) {
            const PlacedStep& step = program.steps[i];
            if (step.behind || step.kind == PlacedStep::Kind::Slice || isIdle(step, m_ratios) || step.terms.empty() || step.op < 0)
                continue;
            if (step.kind == PlacedStep::Kind::Collective) {
                if (step.terms.size() > 1)
                    m_chain = {collective(step, step.terms.back(), " backward")};
                continue;
            }
            compute(step, 2.0 / 3, " backward");
            for (const PlacedStep* own : behind[step.op]) {
                for (const RatioTerm& term : own->terms) {
                    const TaskIndex last = collective(*own, term, "");
                    if (m_order == GradientOrder::InLine)
                        m_chain = {last};
                }
            }
        }
    }

    const PlacementProblem& m_problem;
    const std::vector<DeviceRatios>& m_ratios;
    const ChosenForms& m_forms;
    GradientOrder m_order;
    TaskChain m_tasks;
    TaskChain::After m_chain;
};

} // namespace

std::vector<double> flopsOfDevices(const UnequalCluster& cluster, const RatioTerm& term, const DeviceRatios& ratios)
{
    const std::vector<double>& own = ratios.ratios();
    const std::vector<std::int64_t> parts = term.units > 0 ? partsByRatios(term.units, own) : std::vector<std::int64_t>();
    std::vector<double> flops(at(cluster.devices()));
    for (std::size_t j = 0; j < flops.size(); ++j)
        flops[j] = term.shared * (parts.empty() ? own[j] : static_cast<double>(parts[j]) / static_cast<double>(term.units)) + term.whole;
    return flops;
}

Result<WorkloadPtr> workloadOf(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, const ChosenForms& forms, GradientOrder order)
{
    return ProgramTasks(problem, ratios, forms, order).write(program);
}

WorkloadPtr workloadOf(const SharedCollective& collective, ShareForm form, std::int64_t devices)
{
    TaskChain tasks(devices);
    static_cast<void>(tasks.collective(collective, form, std::string(keyOf(kShareCollectiveWords, collective.kind)), {}));
    return tasks.finish("one collective");
}

} // namespace fabricscope
