#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/choose/choose.h"
#include "core/design/loadworkload.h"
#include "core/design/plankernels.h"
#include "core/plan/lower/opwalk.h"
#include "core/sim/simulate.h"
#include "core/transform/partinstep.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace fabricscope::transform {

namespace {

/// Simulates workloads on the platform of a design.
class StepSimulator {
public:
    StepSimulator(const Design& design, const Platform& platform, const std::stop_token& stop) : m_design(design), m_platform(platform), m_stop(stop), m_chooser(1, stop) {}

    Result<SimTime> finishOf(const WorkloadPtr& workload)
    {
        const auto scenario = lower(m_design, m_platform, workload, m_stop, &m_chooser, 1);
        if (!scenario)
            return scenario.error();
        RunOptions options;
        options.taskTimes = false;
        options.busyOverTime = false;
        const auto record = simulate(*scenario.value(), options, m_stop);
        if (!record)
            return record.error();
        if (!record.value().complete)
            return Error{ErrorCode::Stuck, "the step never ends", {}, {}};
        return record.value().finish;
    }

private:
    const Design& m_design;
    const Platform& m_platform;
    const std::stop_token& m_stop;
    SimulatingChooser m_chooser;
};

/// Puts a program in the place of its part.
class PartReplacer {
public:
    PartReplacer(const Design& design, ModelPart kind, const PartOfStep& part, const TimingSetup& timing, const std::stop_token& stop)
        : m_planned(std::get<PlannedWorkload>(*design.workload)), m_kind(kind), m_part(part), m_timing(timing), m_stop(stop)
    {
    }

    Result<ReplacedPart> replaced(const Workload& workload, const Transformed& made, bool after)
    {
        if (m_kind == ModelPart::Optimizer) {
            return withOptimizer(workload, fabricscope::bytesOf(m_planned.model->types.grad), [&](std::int64_t elements) { return optimizerTasks(elements, made.applied, after); });
        }
        CommTimes comm(m_timing, made.before.ranks, made.before.groups, m_stop);
        const TensorProgram& program = after ? made.after : made.before;
        const ProgramTimes& times = after ? made.afterTimes : made.beforeTimes;
        if (m_kind == ModelPart::PipelineBoundary) {
            const auto tasks = boundaryTasks(program, times, comm);
            return tasks ? inLayers(workload.rankCount, [&](const WorkOfLayer& workOf) { return withBoundary(workload, workOf, tasks.value()); }) : Result<ReplacedPart>(tasks.error());
        }
        const auto tasks = partTasks(program, times, comm);
        return tasks ? inLayers(workload.rankCount, [&](const WorkOfLayer& workOf) { return withBlock(workload, m_kind == ModelPart::Attention ? 0 : 1, workOf, tasks.value()); }) : Result<ReplacedPart>(tasks.error());
    }

private:
    /// The program of so many elements, the same steps taken.
    Result<std::vector<PartTask>> optimizerTasks(std::int64_t elements, const Schedule& schedule, bool after) const
    {
        auto file = readTransformText(m_part.text, "part of the step", {{"transform.sizes.N", std::to_string(elements)}}, m_stop);
        if (!file)
            return file.error();
        file.value().timing = m_timing;
        const auto made = transformed(file.value(), after ? schedule : Schedule(), m_stop);
        if (!made)
            return made.error();
        if (made.value().refused)
            return refusalError(*made.value().refused);
        CommTimes comm(m_timing, file.value().program.ranks, file.value().program.groups, m_stop);
        return partTasks(made.value().after, made.value().afterTimes, comm);
    }

    static BlockWork workOf(const std::vector<LayerOp>& ops, const OpCosts& costs, bool attention)
    {
        BlockWork work;
        for (const LayerOp& op : ops) {
            const TaskWriter::Cost cost = OpCosts::rounded(costs.forward(op));
            if (op.name == (attention ? "attention_out" : "ff_down")) {
                work.productOperations = cost.operations;
                work.productBytes = cost.bytes;
            } else if (op.name == (attention ? "attention_residual" : "ff_residual")) {
                work.behindOperations = cost.operations;
                work.behindBytes = cost.bytes;
            }
        }
        return work;
    }

    Result<ReplacedPart> inLayers(std::int32_t ranks, const std::function<ReplacedPart(const WorkOfLayer&)>& replace) const
    {
        const auto layout = layoutOf(m_planned.model.get(), *m_planned.plan, ranks);
        if (!layout)
            return layout.error();
        const auto spread = spreadModel(*m_planned.model, layout.value());
        if (!spread)
            return spread.error();
        const OpCosts costs(spread.value());
        std::vector<std::optional<BlockWork>> kinds;
        for (const LayerKind& kind : spread.value().layers.kinds)
            kinds.push_back(m_kind != ModelPart::Mlp || !kind.experts ? std::optional(workOf(kind.ops, costs, m_kind == ModelPart::Attention)) : std::nullopt);
        const std::vector<std::int32_t>& kindOf = spread.value().layers.kindOf;
        return replace([&](std::int64_t layer) -> const BlockWork* {
            if (layer < 0 || layer >= static_cast<std::int64_t>(kindOf.size()))
                return nullptr;
            const auto& work = kinds[at(kindOf[at(layer)])];
            return work ? &*work : nullptr;
        });
    }

    const PlannedWorkload& m_planned;
    ModelPart m_kind;
    const PartOfStep& m_part;
    const TimingSetup& m_timing;
    const std::stop_token& m_stop;
};

Result<StepTimes> simulated(const Design& design, PartReplacer& replacer, const Transformed& made, const std::stop_token& stop)
{
    const auto platform = Platform::create(*design.platform, stop);
    if (!platform)
        return platform.error();
    const auto loaded = loadWorkload(design, platform.value(), 1, stop);
    if (!loaded)
        return loaded.error();
    StepTimes times;
    StepSimulator simulator(design, platform.value(), stop);
    auto finish = simulator.finishOf(loaded.value().workload);
    if (!finish)
        return finish.error();
    times.plan = finish.value();
    for (const bool after : {false, true}) {
        const auto replaced = replacer.replaced(*loaded.value().workload, made, after);
        if (!replaced)
            return replaced.error();
        if (replaced.value().places == 0)
            return Error{ErrorCode::Unsupported, "the step has no place for the part", {}, {}};
        finish = simulator.finishOf(replaced.value().workload);
        if (!finish)
            return finish.error();
        (after ? times.scheduled : times.written) = finish.value();
        times.places = replaced.value().places;
    }
    return times;
}

} // namespace

Result<StepTimes> simulateStep(const Design& design, ModelPart kind, const PartOfStep& part, const TimingSetup& timing, const Transformed& made, const std::stop_token& stop)
{
    if (!traitsOf(design.model.model).ownCollectives)
        return Error{ErrorCode::Unsupported, "models astra-* compute by operations, not by the times of kernels", {}, {}};
    if (planKernels(design))
        return Error{ErrorCode::Unsupported, "kernels are not cut into parts: a part of the step is timed by operations and bytes", design.place("compute.kernels"), "a design without compute.kernels"};
    return untilStopped([&]() -> Result<StepTimes> {
        PartReplacer replacer(design, kind, part, timing, stop);
        return simulated(design, replacer, made, stop);
    });
}

} // namespace fabricscope::transform
