// How the finish hangs on the numbers of a design.
#include "core/insight/explain.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/scenario/computeparams.h"
#include "core/scenario/networkparams.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fabricscope {

namespace {

bool isRate(PathParameter parameter)
{
    switch (parameter) {
    case PathParameter::LinkLatency:
    case PathParameter::EndpointDelay:
    case PathParameter::ComputeTime:
    case PathParameter::RemoteMemory:
    case PathParameter::Launch:
    case PathParameter::Ramp:
        return false;
    default:
        return true;
    }
}

std::string valueOf(const Scenario& scenario, PathParameter parameter, ResourceClass resource)
{
    const Params& params = *scenario.params;
    const auto rate = [](const std::optional<Bandwidth>& of) { return of ? showBandwidth(*of) : std::string(); };
    switch (parameter) {
    case PathParameter::LinkRate:
        return showBandwidth(params.linkRate[at(resource)]);
    case PathParameter::LinkLatency:
        return showTime(params.linkLatency[at(resource)]);
    case PathParameter::Injection:
        return rate(params.injection);
    case PathParameter::Ejection:
        return rate(params.ejection);
    case PathParameter::ReducerRate:
        return rate(params.reducerRate);
    case PathParameter::MemoryRate:
        return rate(params.memoryRate);
    case PathParameter::Peak:
        return params.peak ? decimal(static_cast<double>(params.peak->flopsPerSecond) * 1e-12) + " TFLOP/s" : std::string();
    case PathParameter::EndpointDelay:
        return showTime(params.endpointDelay);
    case PathParameter::Launch:
        return showTime(resource >= 0 ? params.network->ofRules[at(resource)].launch : params.network->launch);
    case PathParameter::Ramp:
        return showTime(params.network->ofRules[at(resource)].ramp);
    case PathParameter::None:
    case PathParameter::ComputeTime:
    case PathParameter::RemoteMemory:
        break;
    }
    return {};
}

std::int64_t scaled(std::int64_t value, double factor)
{
    return std::max<std::int64_t>(std::llround(static_cast<double>(value) * factor), 1);
}

/// The workload with all its durations divided.
WorkloadPtr quicker(const Workload& workload, bool roofline, double factor)
{
    auto copy = std::make_shared<Workload>(workload);
    for (auto& shared : copy->graphs) {
        auto graph = std::make_shared<RankGraph>(*shared);
        if (graph->durationPs.empty())
            graph->durationPs.assign(graph->kind.size(), -1);
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            const bool counted = roofline && (graph->has(task, TaskFlag::kHasOperations) || graph->has(task, TaskFlag::kHasBytes)) && graph->durationPs[at(task)] < 0;
            const std::int64_t given = recordedDuration(*graph, task);
            if (graph->kind[at(task)] == TaskKind::Compute && !counted && given > 0)
                graph->durationPs[at(task)] = scaled(given, 1 / factor);
        }
        shared = std::move(graph);
    }
    return copy;
}

/// What a library takes to start collectives, divided. `rule`: as in a path.
std::shared_ptr<const NetworkParams> quickerStarts(const NetworkParams& network, PathParameter parameter, ResourceClass rule, double factor)
{
    auto copy = std::make_shared<NetworkParams>(network);
    const auto divide = [factor](SimTime& time) { time.ps = scaled(time.ps, 1 / factor); };
    if (parameter == PathParameter::Ramp) {
        divide(copy->ofRules[at(rule)].ramp);
    } else if (rule >= 0) {
        divide(copy->ofRules[at(rule)].launch);
    } else {
        divide(copy->launch);
        for (RuleParams& of : copy->ofRules)
            of.launch = of.launch == network.launch ? copy->launch : of.launch;
    }
    return copy;
}

} // namespace

std::vector<ParameterEffect> parameterEffects(const Scenario& scenario, const CriticalPath& path)
{
    std::map<std::pair<PathParameter, ResourceClass>, std::int64_t> sums;
    for (const PathPiece& piece : path.pieces) {
        if (piece.parameter != PathParameter::None)
            sums[{piece.parameter, piece.resource}] += piece.ps();
    }
    std::vector<ParameterEffect> effects;
    for (const auto& [key, ps] : sums) {
        ParameterEffect& effect = effects.emplace_back();
        effect.parameter = key.first;
        effect.resourceClass = key.second;
        effect.name = parameterNameOf(scenario, key.first, key.second);
        effect.value = valueOf(scenario, key.first, key.second);
        effect.isRate = isRate(key.first);
        effect.ps = ps;
        effect.gainPs = ps / 2;
    }
    std::stable_sort(effects.begin(), effects.end(), [](const ParameterEffect& a, const ParameterEffect& b) { return a.ps > b.ps; });
    return effects;
}

std::optional<Scenario> withParameter(const Scenario& scenario, PathParameter parameter, ResourceClass resource, double factor)
{
    if (!traitsOf(scenario.model).ownCollectives)
        return std::nullopt;
    auto params = std::make_shared<Params>(*scenario.params);
    const auto speed = [factor](std::optional<Bandwidth>& rate) { rate->bytesPerSecond = scaled(rate->bytesPerSecond, factor); };
    Scenario changed = scenario;
    switch (parameter) {
    case PathParameter::LinkRate:
        params->linkRate[at(resource)].bytesPerSecond = scaled(params->linkRate[at(resource)].bytesPerSecond, factor);
        break;
    case PathParameter::LinkLatency:
        params->linkLatency[at(resource)].ps = scaled(params->linkLatency[at(resource)].ps, 1 / factor);
        break;
    case PathParameter::Injection:
        speed(params->injection);
        break;
    case PathParameter::Ejection:
        speed(params->ejection);
        break;
    case PathParameter::ReducerRate:
        speed(params->reducerRate);
        break;
    case PathParameter::EndpointDelay:
        params->endpointDelay.ps = scaled(params->endpointDelay.ps, 1 / factor);
        break;
    case PathParameter::MemoryRate:
        if (!params->memoryRate)
            return std::nullopt;
        speed(params->memoryRate);
        break;
    case PathParameter::Peak:
        if (!params->peak)
            return std::nullopt;
        params->peak->flopsPerSecond = scaled(params->peak->flopsPerSecond, factor);
        break;
    case PathParameter::ComputeTime: {
        if (params->replayOnly)
            return std::nullopt;
        auto structure = std::make_shared<Structure>(*scenario.structure);
        structure->workload = quicker(*structure->workload, params->roofline, factor);
        changed.structure = std::move(structure);
        break;
    }
    case PathParameter::Launch:
    case PathParameter::Ramp:
        params->network = quickerStarts(*params->network, parameter, resource, factor);
        break;
    case PathParameter::None:
    case PathParameter::RemoteMemory:
        return std::nullopt;
    }
    changed.costs = std::make_shared<const CostTable>(*params);
    changed.params = std::move(params);
    return changed;
}

} // namespace fabricscope
