#include "core/sim/events/runplan.h"
#include "core/base/axes.h"
#include "core/program/nativerule.h"

#include "core/verify/carriedbytes.h"

#include <algorithm>

namespace fabricscope::events {

namespace {

/// More routes than this are looked up by their ends instead of being kept per message of the template.
constexpr std::int64_t kMaxKeptRoutes = std::int64_t{1} << 25;

std::int32_t routesPerPositionOf(const NativeRule& rule, std::int32_t extent)
{
    switch (rule.sequence) {
    case Sequence::PassedOn:
        return 1;
    case Sequence::AtOnce:
        return extent - 1;
    case Sequence::InSwitch:
        return 0; // SwitchLine keeps them.
    case Sequence::ByNeeds:
        break;
    }
    return rule.mostSends(extent);
}

} // namespace

PhasePlan::PhasePlan(const std::vector<std::int32_t>& axes, const PhaseTemplate& phase)
    : rules(phase, axes[static_cast<std::size_t>(phase.axis)])
    , kind(phase.kind)
    , sequence(rules.rule().sequence)
    , extent(rules.extent())
    , stride(strideOf(axes, phase.axis))
    , forward(phase.minus ? -1 : 1)
    , window(windowOf(phase))
    , windowPlace(fabricscope::windowPlace(phase))
    , reduceBuffers(fabricscope::reduceBuffers(phase, extent))
    , routesPerPosition(routesPerPositionOf(rules.rule(), extent))
{
}

const PhasePlan::Tree& PhasePlan::tree(std::int32_t r) const
{
    if (m_trees.empty())
        m_trees.resize(static_cast<std::size_t>(extent));
    Tree& known = m_trees[static_cast<std::size_t>(r)];
    if (known.begin < 0) {
        known.begin = static_cast<std::int32_t>(m_messages.size());
        known.sendCount = rules.sendCount(r);
        known.receiveCount = rules.receiveCount(r);
        for (std::int32_t index = 0; index < known.sendCount; ++index) {
            m_messages.push_back(rules.send(r, index, 0));
            m_needs.push_back(rules.needs(r, index));
        }
        for (std::int32_t index = 0; index < known.receiveCount; ++index) {
            m_messages.push_back(rules.receive(r, index, 0));
            m_needs.emplace_back();
        }
    }
    return known;
}

PhaseRules::Message PhasePlan::treeMessage(std::int32_t number, std::int64_t held) const
{
    PhaseRules::Message message = m_messages[static_cast<std::size_t>(number)];
    message.bytes = message.slot % 2 == 0 ? held / 2 : held - held / 2; // The even slots are those of the first tree.
    return message;
}

std::int32_t PhasePlan::receiveIndex(std::int32_t r, std::int32_t step, std::int32_t slot) const
{
    if (!trees())
        return rules.receiveIndex(r, step, slot);
    const Tree& known = tree(r);
    for (std::int32_t index = 0; index < known.receiveCount; ++index) {
        const PhaseRules::Message& message = m_messages[static_cast<std::size_t>(known.begin + known.sendCount + index)];
        if (message.step == step && message.slot == slot)
            return index;
    }
    return -1;
}

std::int32_t Plan::positionOf(std::int32_t rank) const
{
    const auto found = std::lower_bound(byRank.begin(), byRank.end(), std::make_pair(rank, std::int32_t{0}));
    return found != byRank.end() && found->first == rank ? found->second : -1;
}

void Plans::standIn(Plan& plan, const Folding& folding)
{
    plan.active = 0;
    plan.kept = 0;
    plan.standIn.reserve(plan.ranks.size());
    for (const std::int32_t rank : plan.ranks) {
        const std::int32_t other = folding.rankFor[static_cast<std::size_t>(rank)];
        plan.standIn.push_back(plan.positionOf(other));
        if (other != rank)
            continue;
        ++plan.active;
        plan.kept = static_cast<std::int32_t>(plan.standIn.size());
    }
}

Plan& Plans::of(const CollectiveInstance& instance)
{
    auto& plan = m_plans[{instance.program.get(), instance.layout}];
    if (plan)
        return *plan;
    plan = std::make_unique<Plan>();
    plan->program = instance.program.get();
    const GroupLayout& layout = m_structure.layouts[static_cast<std::size_t>(instance.layout)];
    const std::int32_t size = m_folded ? 1 : layout.size();
    plan->folded = m_folded ? &layout : nullptr;
    plan->ranks.reserve(static_cast<std::size_t>(size));
    plan->nodes.reserve(static_cast<std::size_t>(size));
    for (std::int32_t position = 0; position < size; ++position) {
        plan->ranks.push_back(layout.rankAt(position));
        plan->nodes.push_back(m_structure.placement.nodeOf(plan->ranks.back()));
        plan->byRank.emplace_back(plan->ranks.back(), position);
    }
    std::sort(plan->byRank.begin(), plan->byRank.end());
    plan->active = size;
    plan->kept = size;
    if (m_folding)
        standIn(*plan, *m_folding);
    if (instance.program->isTemplate()) {
        const TemplateBody& body = instance.program->asTemplate();
        for (const std::int32_t extent : body.axes)
            plan->cells *= extent;
        std::vector<PhaseTemplate> known;
        const auto add = [&](const PhaseTemplate& phase) {
            const auto found = std::find(known.begin(), known.end(), phase);
            const auto index = static_cast<std::int32_t>(found - known.begin());
            if (found != known.end())
                return index;
            known.push_back(phase);
            plan->phases.emplace_back(body.axes, phase);
            const std::int64_t routes = std::int64_t{plan->kept} * plan->phases.back().routesPerPosition;
            if (routes <= kMaxKeptRoutes)
                plan->phases.back().routes.assign(static_cast<std::size_t>(routes), -1);
            return index;
        };
        plan->phaseCount = static_cast<std::int32_t>(body.phases.size());
        for (std::int32_t chunk = 0; !body.orderOfChunk.empty() && chunk < instance.program->chunks; ++chunk) {
            for (const PhaseTemplate& phase : body.phasesOf(chunk))
                plan->phaseOf.push_back(add(phase));
        }
        bool plain = true;
        for (std::int32_t phase = 0; body.orderOfChunk.empty() && phase < plan->phaseCount; ++phase) {
            plan->phaseOf.push_back(add(body.phases[static_cast<std::size_t>(phase)]));
            plain = plain && plan->phaseOf.back() == phase;
        }
        if (body.orderOfChunk.empty() && plain)
            plan->phaseOf.clear();
        plan->turns = windowTurns(*instance.program);
    } else {
        auto& operations = m_operations[instance.program.get()];
        if (!operations)
            operations = std::make_shared<const ExplicitPlan>(instance.program->asExplicit());
        plan->operations = operations;
        plan->routeOfWay.assign(static_cast<std::size_t>(operations->wayCount), -1);
    }
    return *plan;
}

std::shared_ptr<const OperationBytes> Plans::sizesOf(const CollectiveInstance& instance, const std::stop_token& stop)
{
    auto& sizes = m_sizes[{instance.program.get(), instance.bytes}];
    if (!sizes)
        sizes = std::make_shared<const OperationBytes>(carriedBytes(*instance.program, instance.bytes, stop));
    return sizes;
}

} // namespace fabricscope::events
