#include "core/plan/sharded/devicetasks.h"

#include "core/base/stop.h"
#include "core/plan/lower/taskwriter.h"
#include "core/plan/sharded/localwork.h"
#include "core/plan/sharded/stepmessages.h"
#include "core/workload/rankclasses.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

/// Groups of devices along lists of axes as families; 0 is all ranks.
class AxisFamilies {
public:
    explicit AxisFamilies(const Mesh& mesh) : m_mesh(mesh) { m_families.push_back(GroupFamily::world(mesh.devices())); }

    Result<FamilyId> of(const AxisList& axes)
    {
        const std::string name = axesText(m_mesh, axes);
        if (const auto known = m_known.find(name); known != m_known.end())
            return known->second;
        auto family = m_mesh.deviceOrder.empty() ? strided(name, axes) : listed(name, axes);
        if (!family)
            return family.error();
        m_families.push_back(std::move(family).value());
        return m_known[name] = static_cast<FamilyId>(m_families.size()) - 1;
    }
    std::vector<GroupFamily> take() { return std::move(m_families); }

private:
    Result<GroupFamily> strided(const std::string& name, const AxisList& axes) const
    {
        std::vector<GroupFamily::Axis> spans;
        for (std::size_t i = axes.size(); i-- > 0;) {
            std::int64_t stride = m_mesh.axes[static_cast<std::size_t>(axes[i].axis)].size / (axes[i].pre * axes[i].size);
            for (std::size_t a = static_cast<std::size_t>(axes[i].axis) + 1; a < m_mesh.axes.size(); ++a)
                stride *= m_mesh.axes[a].size;
            spans.push_back({axes[i].size, stride});
        }
        return GroupFamily::strided(name, std::move(spans), m_mesh.devices());
    }

    Result<GroupFamily> listed(const std::string& name, const AxisList& axes) const
    {
        // Positions of one group differ along `axes` only: all their other coordinates are a key.
        std::map<std::vector<std::int64_t>, std::vector<std::pair<std::int64_t, std::int64_t>>> groups;
        AxisList others;
        for (std::size_t a = 0; a < m_mesh.axes.size(); ++a) {
            for (const AxisPart& rest : without({wholeAxis(m_mesh, static_cast<std::int32_t>(a))}, axes))
                others.push_back(rest);
        }
        for (std::int64_t position = 0; position < m_mesh.devices(); ++position)
            groups[{shardIndex(m_mesh, others, position)}].emplace_back(shardIndex(m_mesh, axes, position), m_mesh.deviceAt(position));
        std::vector<std::vector<std::int64_t>> lists;
        for (auto& [key, members] : groups) {
            std::ranges::sort(members);
            lists.emplace_back();
            for (const auto& [index, device] : members)
                lists.back().push_back(device);
        }
        return GroupFamily::listed(name, std::move(lists), m_mesh.devices());
    }

    const Mesh& m_mesh;
    std::map<std::string, FamilyId> m_known;
    std::vector<GroupFamily> m_families;
};

/// A step as every device does it; messages by device.
struct StepPlan {
    FamilyId family = -1;                 ///< Of a collective.
    std::vector<DeviceMessages> messages; ///< Of a permute, a halo exchange, or one turn of a loop.
    std::size_t mostSends = 0;
    std::size_t mostReceives = 0;
    std::int64_t turns = 0;               ///< Of a product in parts; 0: whole.
    bool gathers = true;                  ///< The loop brings shards of an operand; else it takes partial results on.
    std::int32_t loop = -1;               ///< Of a product: step whose loop it is. Of a looped step: the product.
};

CollectiveOp opOf(StepKind kind)
{
    switch (kind) {
    case StepKind::AllGather:
        return CollectiveOp::AllGather;
    case StepKind::ReduceScatter:
        return CollectiveOp::ReduceScatter;
    case StepKind::AllToAll:
        return CollectiveOp::AllToAll;
    default:
        return CollectiveOp::AllReduce;
    }
}

bool isMessages(StepKind kind)
{
    return kind == StepKind::Permute || kind == StepKind::HaloExchange;
}

class ShardedTasks {
public:
    ShardedTasks(const PartitionedProgram& program, const ShardLowering& how, const std::stop_token& stop) : m_program(program), m_how(how), m_stop(stop), m_plans(program.steps.size()) {}

    Result<ShardedWorkload> run()
    {
        const std::int64_t devices = m_program.mesh.devices();
        const auto sends = [](const ProgramStep& step) { return isMessages(step.kind) || step.looped; };
        if (std::ranges::any_of(m_program.steps, sends) && static_cast<std::int64_t>(m_program.steps.size()) > kMaxShardedTasks / devices)
            return tooMany(static_cast<std::int64_t>(m_program.steps.size()));
        AxisFamilies families(m_program.mesh);
        pairLoops();
        for (std::size_t s = 0; s < m_plans.size(); ++s) {
            if (Status status = planStep(s, families); !status)
                return status.error();
        }
        auto workload = std::make_shared<Workload>();
        workload->rankCount = static_cast<std::int32_t>(devices);
        workload->families = families.take();
        workload->source = "sharded graph (" + std::to_string(devices) + " ranks)";
        RankGraph first = tasksOf(0);
        const bool alike = std::ranges::all_of(m_plans, [](const StepPlan& plan) { return plan.messages.empty(); });
        if (first.size() > kMaxShardedTasks / (alike ? 1 : devices))
            return tooMany(first.size());
        if (alike) {
            workload->graphs.push_back(std::make_shared<const RankGraph>(std::move(first)));
        } else {
            RankClasses classes(devices);
            for (std::int64_t rank = 0; rank < devices; ++rank) {
                checkStop(m_stop);
                classes.add(rank, tasksOf(rank));
            }
            classes.finish(*workload);
        }
        return ShardedWorkload{std::move(workload), std::move(m_steps)};
    }

private:
    Error tooMany(std::int64_t tasks) const
    {
        return Error{ErrorCode::Unsupported, "the program makes " + std::to_string(tasks) + " tasks or more on each of " + std::to_string(m_program.mesh.devices()) + " devices", {},
            "at most " + std::to_string(kMaxShardedTasks) + " together where devices send each other messages"};
    }

    /// A looped gather runs beside the first product that uses it, a looped scatter beside the product it takes on.
    void pairLoops()
    {
        std::vector<std::int32_t> maker(m_program.values.size(), -1);
        for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
            const ProgramStep& step = m_program.steps[s];
            maker[static_cast<std::size_t>(step.out)] = static_cast<std::int32_t>(s);
            const auto join = [&](std::int32_t product, std::int32_t looped) {
                StepPlan& made = m_plans[static_cast<std::size_t>(product)];
                StepPlan& loop = m_plans[static_cast<std::size_t>(looped)];
                if (made.loop >= 0 || loop.loop >= 0)
                    return;
                made.loop = looped;
                loop.loop = product;
                made.turns = shardsOf(m_program.steps[static_cast<std::size_t>(looped)].axes);
                made.gathers = m_program.steps[static_cast<std::size_t>(looped)].kind == StepKind::AllGather;
            };
            if (isProduct(step)) {
                for (const ValueId in : step.in) {
                    const std::int32_t from = maker[static_cast<std::size_t>(in)];
                    if (from >= 0 && m_program.steps[static_cast<std::size_t>(from)].looped && m_program.steps[static_cast<std::size_t>(from)].kind == StepKind::AllGather)
                        join(static_cast<std::int32_t>(s), from);
                }
            } else if (step.looped && step.kind == StepKind::ReduceScatter) {
                const std::int32_t from = maker[static_cast<std::size_t>(step.in[0])];
                if (from >= 0 && isProduct(m_program.steps[static_cast<std::size_t>(from)]))
                    join(from, static_cast<std::int32_t>(s));
            }
        }
    }

    static bool isProduct(const ProgramStep& step) { return step.kind == StepKind::Local && step.local.kind == GraphOpKind::Einsum; }

    Status planStep(std::size_t s, AxisFamilies& families)
    {
        const ProgramStep& step = m_program.steps[s];
        StepPlan& plan = m_plans[s];
        checkStop(m_stop);
        if (isMessages(step.kind)) {
            plan.messages = messagesOf(m_program, step, m_stop);
        } else if (plan.turns > 0) {
            const ProgramStep& loop = m_program.steps[static_cast<std::size_t>(plan.loop)];
            plan.messages = ringMessages(m_program.mesh, loop.axes, loop.bytes / plan.turns);
        } else if (isCollective(step.kind) && step.kind != StepKind::Slice && plan.loop < 0) {
            const auto family = families.of(step.axes);
            if (!family)
                return family.error();
            plan.family = family.value();
        }
        for (const DeviceMessages& device : plan.messages) {
            plan.mostSends = std::max(plan.mostSends, device.sends.size());
            plan.mostReceives = std::max(plan.mostReceives, device.receives.size());
        }
        return {};
    }

    RankGraph tasksOf(std::int64_t rank)
    {
        m_rank = static_cast<std::int32_t>(rank);
        m_writer = TaskWriter();
        m_tag = 0;
        m_last.clear();
        m_ready.assign(m_program.values.size(), {});
        m_steps.assign(m_program.steps.size(), {});
        for (std::size_t s = 0; s < m_program.steps.size(); ++s)
            addStep(s);
        RankGraph graph = m_writer.take();
        graph.peerIsRelative = false;
        return graph;
    }

    std::vector<TaskIndex> afterOf(const ProgramStep& step) const
    {
        if (!m_how.overlap)
            return m_last;
        std::vector<TaskIndex> after;
        for (const ValueId in : step.in)
            after.insert(after.end(), m_ready[static_cast<std::size_t>(in)].begin(), m_ready[static_cast<std::size_t>(in)].end());
        return after;
    }

    std::string nameOf(const ProgramStep& step) const
    {
        const std::string& tensor = m_program.value(step.out).name;
        return step.kind == StepKind::Local ? tensor : std::string(wordOf(step.kind)) + ' ' + tensor;
    }

    void addStep(std::size_t s)
    {
        const ProgramStep& step = m_program.steps[s];
        const StepPlan& plan = m_plans[s];
        std::vector<TaskIndex> after = afterOf(step);
        std::vector<TaskIndex>& ready = m_ready[static_cast<std::size_t>(step.out)];
        m_steps[s].first = m_writer.size();
        if (plan.loop >= 0 && step.kind != StepKind::Local) {
            // Done beside the product: a gather when that runs, a scatter when it has run.
            if (step.kind == StepKind::ReduceScatter)
                m_steps[s] = m_steps[static_cast<std::size_t>(plan.loop)];
            ready = std::move(after);
            return;
        }
        if (plan.turns > 0)
            ready = addLoop(s, std::move(after));
        else if (plan.family >= 0)
            ready = {m_writer.collective(nameOf(step), opOf(step.kind), step.bytes, plan.family, after)};
        else if (isMessages(step.kind))
            ready = addMessages(s, nameOf(step), after);
        else if (const LocalWork work = localWork(m_program, step); !work.free)
            ready = {m_writer.compute(nameOf(step), {-1, work.flops, work.bytes, true}, after)};
        else
            ready = std::move(after);
        m_steps[s].end = m_writer.size();
        if (plan.turns > 0 && plan.gathers) {
            m_steps[static_cast<std::size_t>(plan.loop)] = m_steps[s];
            m_ready[static_cast<std::size_t>(m_program.steps[static_cast<std::size_t>(plan.loop)].out)] = ready;
        }
        m_last = ready;
    }

    /// Every rank has as many tasks, so that a task is the same everywhere: who sends less waits for nothing instead.
    std::vector<TaskIndex> addMessages(std::size_t s, const std::string& name, const std::vector<TaskIndex>& after)
    {
        const std::uint32_t tag = m_tag++; // Ranks call this in the same order.
        const StepPlan& plan = m_plans[s];
        const DeviceMessages& own = plan.messages[static_cast<std::size_t>(m_rank)];
        std::vector<TaskIndex> made;
        const auto add = [&](TaskKind kind, const std::vector<DeviceMessages::Message>& messages, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                made.push_back(i < messages.size() ? m_writer.message(kind, name, std::max<std::int64_t>(messages[i].bytes, 1), messages[i].peer, tag, after)
                                                   : m_writer.compute(name, {0, 0, 0, false}, after));
            }
        };
        add(TaskKind::Send, own.sends, plan.mostSends);
        add(TaskKind::Receive, own.receives, plan.mostReceives);
        return made;
    }

    /// p partial products. Gather: the shard of the next comes while one runs. Scatter: a partial result goes on when it is made and what came before is added.
    std::vector<TaskIndex> addLoop(std::size_t s, std::vector<TaskIndex> after)
    {
        const ProgramStep& step = m_program.steps[s];
        const StepPlan& plan = m_plans[s];
        const LocalWork work = localWork(m_program, step);
        std::vector<TaskIndex> arrived = after; // The shard, or partial result, at hand.
        std::vector<TaskIndex> product = std::move(after);
        for (std::int64_t turn = 0; turn < plan.turns; ++turn) {
            std::vector<TaskIndex> before = product;
            if (plan.gathers)
                before.insert(before.end(), arrived.begin(), arrived.end());
            const bool sends = turn + 1 < plan.turns;
            if (plan.gathers && sends)
                arrived = addMessages(s, "shard of " + nameOf(step), arrived);
            product = {m_writer.compute(nameOf(step), {-1, (work.flops + plan.turns - 1) / plan.turns, (work.bytes + plan.turns - 1) / plan.turns, true}, before)};
            if (!plan.gathers && sends) {
                std::vector<TaskIndex> made = arrived;
                made.insert(made.end(), product.begin(), product.end());
                arrived = addMessages(s, "part of " + nameOf(step), made);
            }
        }
        product.insert(product.end(), arrived.begin(), arrived.end());
        return product;
    }

    const PartitionedProgram& m_program;
    const ShardLowering m_how;
    const std::stop_token& m_stop;
    std::vector<StepPlan> m_plans;
    std::int32_t m_rank = 0;
    std::uint32_t m_tag = 0;
    TaskWriter m_writer;
    std::vector<TaskIndex> m_last;               ///< Of the step before.
    std::vector<std::vector<TaskIndex>> m_ready; ///< Per value: tasks after which it is there.
    std::vector<ShardedWorkload::Tasks> m_steps;
};

} // namespace

Result<ShardedWorkload> lowerSharding(const PartitionedProgram& program, const ShardLowering& how, const std::stop_token& stop)
{
    return untilStopped([&] { return ShardedTasks(program, how, stop).run(); });
}

} // namespace fabricscope
