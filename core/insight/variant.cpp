#include "core/insight/variant.h"

#include "core/scenario/networkparams.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kSlower = 1000;

/// Changes the parameters of a scenario, and the costs that follow from them.
bool setParams(Variant& variant, const std::function<bool(Params&)>& change)
{
    Params params = *variant.scenario.params;
    if (!change(params))
        return true;
    variant.scenario.costs = std::make_shared<const CostTable>(params);
    variant.scenario.params = std::make_shared<const Params>(std::move(params));
    return true;
}

bool setSystem(Variant& variant, const std::function<void(AstraSystem&)>& change)
{
    AstraSystem system = *variant.scenario.astra;
    change(system);
    if (!(system == *variant.scenario.astra))
        variant.scenario.astra = std::make_shared<const AstraSystem>(std::move(system));
    return true;
}

/// Collectives that begin when they are issued.
bool dropLaunch(Params& params)
{
    if (!params.network || !params.network->launches())
        return false;
    NetworkParams network = *params.network;
    network.launch = {};
    for (RuleParams& rule : network.ofRules)
        rule.launch = rule.ramp = {};
    params.network = network.onlyBegins() ? nullptr : std::make_shared<const NetworkParams>(std::move(network));
    return true;
}

/// NPUs without properties of their own, which astra-* does not know.
bool dropOverrides(Scenario& scenario)
{
    PlatformSpec spec = scenario.structure->platform.spec();
    if (spec.npuOverrides.empty())
        return true;
    spec.npuOverrides.clear();
    auto platform = Platform::create(std::move(spec));
    if (!platform)
        return false;
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->platform = std::move(platform).value();
    scenario.structure = std::move(structure);
    return true;
}

RuleSwitch ruleOf(std::string rule, std::string name, std::string explanation, std::function<bool(Variant&)> apply)
{
    return {std::move(rule), std::move(name), std::move(explanation), std::move(apply)};
}

RuleSwitch sharing(Model to)
{
    if (to == Model::Ideal)
        return ruleOf("sharing", "sharing of links (phantom bandwidth)",
                      "links: messages share links and reducers; the other model gives each one, also of parallel chunks, the full rate",
                      [](Variant& variant) {
                          variant.scenario.model = Model::Ideal;
                          return true;
                      });
    return ruleOf("sharing", "sharing of links (phantom bandwidth)", "ideal: every message has the links to itself; the other model lets messages share them",
                  [](Variant& variant) {
                      variant.scenario.model = Model::Links;
                      return true;
                  });
}

RuleSwitch fairSharing()
{
    return ruleOf("fair-sharing", "sharing at fair rates",
                  "flow: messages on a link share it at max-min fair rates; links: it serves their pieces one after the other", [](Variant& variant) {
                      variant.scenario.model = Model::Links;
                      return true;
                  });
}

RuleSwitch kernels(Model a, Model b, const Scenario& plain)
{
    return ruleOf("kernels", "kernels of a plan", std::string(modelName(a)) + ": ops of a plan take their time as compute.kernels says; " + std::string(modelName(b)) + ": from operations and bytes", [&plain](Variant& variant) {
        variant.scenario = plain;
        return true;
    });
}

void addPhysical(RuleChain& chain, Model a, Model b, const Scenario* astra)
{
    const std::string own(modelName(a));
    const std::string other(modelName(b));
    chain.forward.push_back(ruleOf("endpoint-delay", "endpoint delay per message", own + ": every message waits the endpoint delay before it is sent; switched off",
                                   [](Variant& variant) {
                                       return setParams(variant, [](Params& params) {
                                           const bool differs = params.endpointDelay.ps != 0;
                                           params.endpointDelay = {};
                                           return differs;
                                       });
                                   }));
    chain.forward.push_back(ruleOf("launch", "start of collectives", own + ": a collective begins network.launch, or what its rule says, after its issue; " + other + " begins at once",
                                   [](Variant& variant) { return setParams(variant, dropLaunch); }));
    chain.forward.push_back(ruleOf("network", "section network", own + ": routing, protocols, faults and jitter count; " + other + " has none of them", [](Variant& variant) {
        return setParams(variant, [](Params& params) {
            const bool differs = params.network != nullptr;
            params.network.reset();
            return differs;
        });
    }));
    chain.forward.push_back(ruleOf("npu-overrides", "properties of single NPUs", own + ": speeds and memory of single NPUs count; " + other + " ignores them",
                                   [](Variant& variant) { return dropOverrides(variant.scenario); }));
    chain.forward.push_back(ruleOf("reduction", "reduction at the memory's rate",
                                   own + ": arriving data is reduced at the memory's rate while it arrives; switched off", [](Variant& variant) {
                                       return setParams(variant, [](Params& params) {
                                           const bool differs = params.reducerRate.has_value();
                                           params.reducerRate.reset();
                                           return differs;
                                       });
                                   }));
    chain.forward.push_back(ruleOf("budgets", "budgets of NPUs, crossbars of switches", own + ": all links of an NPU together keep to its budgets, all ports of a switch to its crossbar; " + other + " has neither",
                                   [](Variant& variant) {
                                       return setParams(variant, [](Params& params) {
                                           const bool differs = params.injection || params.ejection || !params.crossbars.empty();
                                           params.injection.reset();
                                           params.ejection.reset();
                                           params.crossbars.clear();
                                           return differs;
                                       });
                                   }));
    chain.forward.push_back(ruleOf("algorithms", "algorithms as ASTRA-sim chooses them",
                                   other + ": one list per collective, no rules; a group smaller than the machine runs one ring in listed order",
                                   [astra](Variant& variant) { return useAstraAlgorithms(variant.scenario, *astra); }));
    chain.forward.push_back(ruleOf("chunk-rounding", "chunk rounding", other + ": chunks of equal whole bytes, the last one counts in full, remainders vanish",
                                   [astra](Variant& variant) { return cutAsAstra(variant.scenario, *astra); }));
    chain.forward.push_back(ruleOf("active-chunks", "active chunks per dimension",
                                   other + ": only so many chunks are under way in a dimension at once; " + own + " releases all",
                                   [astra](Variant& variant) { return limitActiveChunks(variant.scenario, *astra); }));
    if (a == Model::Links)
        chain.forward.push_back(sharing(Model::Ideal));
}

/// What tells apart the steps of messages and collectives; nearest to the physical models.
void addSteps(RuleChain& chain, Model b)
{
    const std::string own(modelName(b));
    chain.backward.push_back(ruleOf("rounding", "rounding down", own + ": a duration is cut to the unit of time below; the other model counts the one above", [](Variant& variant) {
        variant.astra.roundUp = variant.picoseconds; // Of nanoseconds it would be another rule.
        return variant.picoseconds;
    }));
    chain.backward.push_back(ruleOf("ends", "ends with the last arrival",
                                    own + ": a member of a collective is done with its last arrival, a send with its delivery; with the other model both end when what they sent has left", [](Variant& variant) {
                                        variant.astra.endsWhenLeft = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("remainders", "remainders of each dimension", own + ": each dimension drops what its own division of a chunk leaves; the other model cuts a chunk once, for all members",
                                    [](Variant& variant) {
                                        variant.astra.wholeShares = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("ring-all-to-all", "all-to-all by a ring, block by block",
                                    own + ": every block is passed on as a message of its own, n (n - 1) / 2 steps; the other model sends all blocks that go further at once, n - 1 steps", [](Variant& variant) {
                                        variant.astra.bundledRings = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("shared-places", "places that all groups share", own + ": collectives of different groups take the same places for chunks in a dimension; the other model has them for each collective",
                                    [](Variant& variant) {
                                        variant.astra.ownPlaces = true;
                                        return true;
                                    }));
    if (b == Model::AstraAware) {
        chain.backward.push_back(ruleOf("forwarding", "forwarding of whole messages", "astra-aware: a message is forwarded as a whole at every hop; the other model lets it flow through", [](Variant& variant) {
            variant.astra.storeAndForward = false;
            return true;
        }));
        chain.backward.push_back(ruleOf("queues", "queues of links", "astra-aware: whole messages queue for links, first come first served; switched off, each has the links to itself", [](Variant& variant) {
            variant.scenario.model = Model::AstraUnaware;
            variant.astra.allDimensions = variant.astra.storeAndForward = true;
            return true;
        }));
    }
}

void addAstra(RuleChain& chain, Model b, const Scenario* physical, const Scenario* astra)
{
    const bool perDimension = astra && !astra->astra->localBandwidthAware;
    const std::string own(modelName(b));
    addSteps(chain, b);
    chain.backward.push_back(ruleOf("shared-queues", "scatter and gather share a queue",
                                    own + ": a chunk holds its place in a dimension for scatter and gather; the other model counts the two ways apart",
                                    [](Variant& variant) {
                                        variant.astra.separateQueues = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("one-transfer", "one transfer per NPU at a time", own + ": an NPU runs one collective or send at a time",
                                    [](Variant& variant) {
                                        variant.astra.manyTransfers = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("whole-nanoseconds", "whole nanoseconds", own + ": every delay is cut to whole nanoseconds; the other model counts picoseconds",
                                    [](Variant& variant) {
                                        variant.picoseconds = slowDown(variant.scenario);
                                        variant.astra.slower = variant.picoseconds ? kSlower : 1;
                                        return variant.picoseconds;
                                    }));
    chain.backward.push_back(ruleOf("compute", "compute times",
                                    own + ": under roofline operations without bytes take no time, bytes without operations 1 ns, recorded times do not count; without it a recorded time of 0 is 1 ns",
                                    [physical](Variant& variant) {
                                        computeAs(variant.scenario, *physical);
                                        variant.astra.zeroDurations = true;
                                        return true;
                                    }));
    if (b == Model::AstraUnaware)
        chain.backward.push_back(ruleOf("dimensions", "dimensions not paid", "astra-unaware: a message over several dimensions pays only for the lowest of them",
                                        [](Variant& variant) {
                                            variant.astra.allDimensions = true;
                                            return true;
                                        }));
    chain.backward.push_back(ruleOf("all-reduce-per-dimension", "all-reduce per dimension",
                                    own + ": the baseline is an all-reduce of the whole chunk in every dimension, instead of scatter up and gather down",
                                    [perDimension](Variant& variant) {
                                        return !perDimension || setSystem(variant, [](AstraSystem& system) { system.localBandwidthAware = true; });
                                    }));
    chain.backward.push_back(ruleOf("astra-reduction", "reduction as ASTRA-sim charges it",
                                    own + ": a reduction of a message is charged in full before the next step, on some of the steps", [](Variant& variant) {
                                        variant.astra.freeReductions = true;
                                        return true;
                                    }));
    chain.backward.push_back(ruleOf("astra-endpoint-delay", "endpoint delay as ASTRA-sim charges it",
                                    own + ": every step of a collective pays the endpoint delay (10 ns in small groups)", [](Variant& variant) {
                                        variant.astra.noHandling = true;
                                        return true;
                                    }));
}

} // namespace

RuleChain ruleChain(Model a, Model b, const Scenario* scenarioA, const Scenario* scenarioB, const Scenario* plain)
{
    RuleChain chain;
    if (a == b)
        return chain;
    if (a == Model::Flow) {
        chain.forward.push_back(fairSharing());
        a = Model::Links; // From here on the chain is that of links.
    }
    if (!isAstra(b)) {
        if (b == Model::Ideal)
            chain.forward.push_back(sharing(Model::Ideal));
    } else if (isAstra(a)) {
        chain.forward.push_back(ruleOf("dimensions", "dimensions not paid", "astra-unaware: a message over several dimensions pays only for the lowest of them",
                                       [](Variant& variant) {
                                           variant.astra.allDimensions = true;
                                           return true;
                                       }));
        chain.forward.push_back(ruleOf("forwarding", "forwarding of whole messages",
                                       "astra-aware: a message is forwarded as a whole at every hop; astra-unaware lets it flow through", [](Variant& variant) {
                                           variant.astra.storeAndForward = true;
                                           return true;
                                       }));
        chain.forward.push_back(ruleOf("sharing", "sharing of links (phantom bandwidth)",
                                       "astra-unaware gives every message the full rate of its links; astra-aware queues them", [](Variant& variant) {
                                           variant.scenario.model = Model::AstraAware;
                                           variant.astra = {};
                                           return true;
                                       }));
    } else {
        if (plain)
            chain.forward.push_back(kernels(a, b, *plain));
        addPhysical(chain, a, b, scenarioB);
        addAstra(chain, b, plain ? plain : scenarioA, scenarioB);
        chain.meets = false;
    }
    return chain;
}

RuleSwitch remainder(Model a, Model b)
{
    std::string text = "rules that cannot be switched apart: ";
    text += "the step machine of " + std::string(modelName(b)) + " against the block dependencies of " + std::string(modelName(a));
    return ruleOf(std::string(kRemainderRule), "the rest", std::move(text), {});
}

bool sameVariant(const Variant& a, const Variant& b)
{
    if (a.scenario.model != b.scenario.model || a.scenario.structure != b.scenario.structure || a.scenario.params != b.scenario.params
        || a.scenario.astra != b.scenario.astra || a.picoseconds != b.picoseconds)
        return false;
    return a.astra == b.astra;
}

void computeAs(Scenario& scenario, const Scenario& physical)
{
    // Without roofline both take the recorded times.
    if (!scenario.astra->roofline || scenario.astra->replayOnly)
        return;
    const Params& params = *physical.params;
    const auto time = [](std::int64_t amount, std::int64_t rate) { return static_cast<double>(amount) / static_cast<double>(rate) < 9e5 ? mulDivCeil(amount, kPsPerSecond, rate) : INT64_MAX / 4; };
    auto workload = std::make_shared<Workload>(*scenario.structure->workload);
    for (std::shared_ptr<const RankGraph>& graph : workload->graphs) {
        auto copy = std::make_shared<RankGraph>(*graph);
        copy->durationPs.resize(static_cast<std::size_t>(copy->size()), -1);
        for (TaskIndex task = 0; task < copy->size(); ++task) {
            const auto i = static_cast<std::size_t>(task);
            if (copy->kind[i] != TaskKind::Compute || copy->has(task, TaskFlag::kHost) || copy->durationPs[i] >= 0 || !params.roofline)
                continue;
            std::int64_t bound = -1;
            if (copy->has(task, TaskFlag::kHasOperations) && params.peak)
                bound = time(copy->operations[i], params.peak->flopsPerSecond);
            if (copy->has(task, TaskFlag::kHasBytes) && params.memoryRate)
                bound = std::max(bound, time(copy->bytes[i], params.memoryRate->bytesPerSecond));
            copy->durationPs[i] = bound;
        }
        graph = std::move(copy);
    }
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->workload = std::move(workload);
    scenario.structure = std::move(structure);
    AstraSystem system = *scenario.astra;
    system.roofline = false;
    scenario.astra = std::make_shared<const AstraSystem>(std::move(system));
}

bool slowDown(Scenario& scenario)
{
    const Workload& workload = *scenario.structure->workload;
    PlatformSpec spec = scenario.structure->platform.spec();
    for (Dimension& dimension : spec.dimensions) {
        dimension.bandwidth.value /= kSlower;
        dimension.latency.value *= kSlower;
    }
    auto platform = Platform::create(std::move(spec));
    if (!platform)
        return false;
    auto slow = std::make_shared<Workload>(workload);
    for (std::shared_ptr<const RankGraph>& graph : slow->graphs) {
        auto copy = std::make_shared<RankGraph>(*graph);
        for (const auto& [durations, limit] : {std::pair{&copy->durationUs, INT64_MAX / kSlower / kPsPerUs}, {&copy->durationPs, INT64_MAX / kSlower}}) {
            for (std::int64_t& duration : *durations) {
                if (duration > limit)
                    return false;
                duration = duration > 0 ? duration * kSlower : duration;
            }
        }
        graph = std::move(copy);
    }
    auto structure = std::make_shared<Structure>(*scenario.structure);
    structure->platform = std::move(platform).value();
    structure->workload = std::move(slow);
    AstraSystem system = *scenario.astra;
    system.endpointDelayNs *= kSlower;
    system.localMemoryGBps /= static_cast<double>(kSlower);
    system.peakTflops /= static_cast<double>(kSlower);
    scenario.structure = std::move(structure);
    scenario.astra = std::make_shared<const AstraSystem>(std::move(system));
    return true;
}

} // namespace fabricscope
