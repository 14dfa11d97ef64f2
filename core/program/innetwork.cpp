#include "core/program/innetwork.h"

#include <algorithm>

namespace fabricscope {

namespace {

bool anyPhase(const Program& program, auto&& holds)
{
    if (!program.isTemplate())
        return false;
    const TemplateBody& body = program.asTemplate();
    return std::any_of(body.phases.begin(), body.phases.end(), holds)
        || std::any_of(body.orders.begin(), body.orders.end(), [&](const auto& order) { return std::any_of(order.begin(), order.end(), holds); });
}

} // namespace

bool usesSwitches(const Program& program)
{
    if (program.isTemplate())
        return anyPhase(program, [](const PhaseTemplate& phase) { return phase.algorithm == Algorithm::InNetwork; });
    const ExplicitBody& body = program.asExplicit();
    return !body.teams.empty() && std::any_of(body.kind.begin(), body.kind.end(), [](OpKind kind) { return kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast; });
}

bool isBroadcast(const Program& program)
{
    return anyPhase(program, [](const PhaseTemplate& phase) { return phase.kind == PhaseKind::Broadcast; });
}

} // namespace fabricscope
