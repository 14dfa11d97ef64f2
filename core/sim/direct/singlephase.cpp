#include "core/sim/direct/singlephase.h"

#include "core/base/index.h"
#include "core/program/phaserules.h"
#include "core/scenario/networkparams.h"
#include "core/sim/common/runpace.h"
#include "core/sim/direct/phasetraffic.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/outcome/runresult.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fabricscope {

namespace {

using namespace events;

constexpr std::int64_t kMostMessages = INT32_MAX; ///< Over one link at most; counted in so many bits.
constexpr std::int64_t kLeastMessages = 4096; ///< Below, the event engine takes no time anybody would notice.

bool moves(const CollectiveInstance& instance)
{
    return instance.program && instance.replayPs < 0;
}

/// The only collective that moves data; null: there are none, or several.
const CollectiveInstance* onlyOne(const Structure& structure)
{
    const CollectiveInstance* found = nullptr;
    for (const CollectiveInstance& instance : structure.instances) {
        if (moves(instance) && found)
            return nullptr;
        found = moves(instance) ? &instance : found;
    }
    return found;
}

Status followsParams(const Params& params, const CostTable& costs)
{
    if (params.scheduling || params.offload || !params.crossbars.empty() || costs.hasInjection() || costs.hasEjection())
        return onlyEvents("scheduling, offload, crossbars and budgets are followed by the event engine");
    const NetworkParams* const network = params.network.get();
    if (!network)
        return {};
    if (!network->protocols.empty() || !network->changes.empty() || network->failures || !network->latency.empty() || !network->occupancy.empty() || network->launches())
        return onlyEvents("launches of collectives, protocols, faults and jitter are followed by the event engine");
    if (!network->routing)
        return {};
    const RoutePolicyRow& row = rowOf(network->routing->policy);
    if (row.queues || network->routing->perMessage || (row.numbers && row.overtakes))
        return onlyEvents("every message has a way of its own");
    return {};
}

/// One phase that is direct, sends everything at once and reduces nothing.
Status followsProgram(const Program& program)
{
    if (!program.isTemplate() || program.window > 0)
        return onlyEvents("the collective is not a direct phase");
    const TemplateBody& body = program.asTemplate();
    if (body.axes.size() != 1 || body.phases.size() != 1 || !body.orders.empty())
        return onlyEvents("the collective has several phases");
    const PhaseTemplate& phase = body.phases.front();
    const bool plain = phase.algorithm == Algorithm::Direct && phase.window == 0 && (phase.kind == PhaseKind::AllToAll || phase.kind == PhaseKind::AllGather);
    return plain ? Status() : onlyEvents("the phase is not direct, or has a window");
}

/// The answer to the one collective of a run.
class OnePhase final : public Boxes {
public:
    OnePhase(EngineState& state, std::stop_token stop) : m_state(state), m_stop(std::move(stop)), m_pace(state.options) {}

    bool takes(const Run&) override { return true; }
    Status answer(Run& run) override;
    Status begin(const Message&) override { return onlyEvents("something else sends a message"); }
    void end(const Message&) override {}

    std::int64_t messages() const { return m_messages; }
    std::int64_t steps() const { return m_steps; }

private:
    Result<PhaseSizes> sizesOf(const Run& run) const;
    void tellOf(const Run& run, const PhaseTraffic::Told& told);
    bool goesOn(const PhaseTraffic& traffic, std::int64_t now);

    EngineState& m_state;
    std::stop_token m_stop;
    RunPace m_pace;
    std::optional<PairWays> m_ways; ///< The record looks at them.
    std::int64_t m_expected = 0;    ///< Messages.
    bool m_isOverMemory = false;
    std::int64_t m_messages = 0;
    std::int64_t m_steps = 0;
};

Result<PhaseSizes> OnePhase::sizesOf(const Run& run) const
{
    const Program& program = *run.plan->program;
    const TemplateBody& body = program.asTemplate();
    PhaseSizes sizes;
    sizes.bySender = body.phases.front().kind == PhaseKind::AllGather;
    std::map<std::int64_t, std::int32_t> shapes;
    for (const std::int64_t bytes : chunkSizes(program, run.def->bytes)) {
        const auto [shape, added] = shapes.emplace(bytes, static_cast<std::int32_t>(shapes.size()));
        sizes.shapeOfChunk.push_back(shape->second);
        if (!added)
            continue;
        const std::int32_t first = 0;
        const std::int64_t held = heldBytes(body, 0, bytes, {&first, 1});
        for (std::int32_t position = 0; position < run.size; ++position) {
            if (heldBytes(body, 0, bytes, {&position, 1}) != held)
                return onlyEvents("members hold different amounts");
            sizes.bytes.push_back(blockBytes(held, run.size, position));
            if (sizes.bytes.back() == 0)
                return onlyEvents("some messages are empty");
        }
    }
    return sizes;
}

Status OnePhase::answer(Run& run)
{
    const Result<PhaseSizes> sizes = sizesOf(run);
    if (!sizes)
        return sizes.error();
    m_expected = std::int64_t{run.size} * (run.size - 1) * static_cast<std::int64_t>(sizes.value().shapeOfChunk.size());
    if (m_expected > kMostMessages)
        return onlyEvents("there are more than 2^31 messages");
    const auto members = static_cast<std::size_t>(run.size);
    std::vector<std::int32_t> asks(members);
    std::iota(asks.begin(), asks.end(), 0);
    std::stable_sort(asks.begin(), asks.end(), [&](std::int32_t a, std::int32_t b) {
        return run.members[at(a)].lastLeft < run.members[at(b)].lastLeft;
    });
    m_ways.emplace(m_state, run.plan->nodes);
    if (Status status = m_ways->find(asks, run.def->stream, m_stop); !status)
        return status;
    m_state.routes.showToo(*m_ways);

    std::vector<std::int64_t> ready;
    for (const Member& member : run.members)
        ready.push_back(member.lastLeft + m_state.endpointDelay);
    PhaseTraffic traffic(m_state, *m_ways, sizes.value(), ready);
    if (m_state.options.messageDigest || m_state.options.message)
        traffic.tell([&](const PhaseTraffic::Told& told) { tellOf(run, told); });
    if (Status status = traffic.run([&](std::int64_t now) { return goesOn(traffic, now); }); !status)
        return m_isOverMemory ? overMemory(m_state.options.memoryLimit) : status.error();
    for (std::size_t position = 0; position < members; ++position) {
        if (traffic.exits()[position] <= m_state.agenda.now())
            return onlyEvents("a rank is done with a collective before all others have entered it");
        run.members[position].lastLeft = traffic.exits()[position];
    }
    traffic.handOver();
    m_messages = traffic.messages();
    m_steps = traffic.steps();
    return {};
}

void OnePhase::tellOf(const Run& run, const PhaseTraffic::Told& told)
{
    MessageRecord record;
    record.instance = run.instance;
    record.source = run.plan->ranks[at(told.source)];
    record.target = run.plan->ranks[at(told.target)];
    record.chunk = told.chunk;
    record.slot = told.slot;
    record.bytes = told.bytes;
    record.readyPs = told.ready;
    record.leftPs = told.left;
    record.donePs = told.done;
    if (m_state.options.messageDigest)
        m_state.network.addRecord(record);
    if (m_state.options.message)
        m_state.options.message(record);
}

bool OnePhase::goesOn(const PhaseTraffic& traffic, std::int64_t now)
{
    const std::int64_t messages = traffic.messages();
    m_pace.progress([&] { return Progress{static_cast<double>(messages) / static_cast<double>(m_expected), messages, SimTime{now}}; });
    const std::int64_t limit = m_state.options.memoryLimit;
    m_isOverMemory = limit > 0 && traffic.bytes() + m_ways->bytes() + m_state.memoryBytes() > limit;
    return !m_isOverMemory && !m_stop.stop_requested();
}

} // namespace

Status followsOnePhase(const Scenario& scenario)
{
    const Structure& structure = *scenario.structure;
    if (scenario.model != Model::Links || structure.placement.jobs().size() > 1)
        return onlyEvents("only one job under links is followed");
    if (!structure.platform.isExplicit() && (structure.platform.dimensions().size() != 1 || structure.platform.dimensions().front().shape == Shape::Ring))
        return onlyEvents("only graphs and single dimensions without rings are followed");
    if (Status status = followsParams(*scenario.params, *scenario.costs); !status)
        return status;
    const CollectiveInstance* const instance = onlyOne(structure);
    return instance ? followsProgram(*instance->program) : onlyEvents("no collective moves data, or several do");
}

Result<RunRecord> simulateOnePhase(const Scenario& scenario, const RunOptions& options, std::stop_token stop)
{
    Engine engine(scenario, options);
    if (Status status = engine.build(stop); !status)
        return std::move(status).error();
    OnePhase box(engine, stop);
    engine.answerBy(box);
    if (Status status = engine.run(stop); !status)
        return std::move(status).error();
    if (engine.tasks.left() > 0)
        return onlyEvents("the ranks cannot finish, and only the event engine looks for the reason");
    Result<RunRecord> record = recordOf(engine, false, stop);
    if (!record)
        return record;
    record.value().engines = {{"direct", box.messages(), 1.0}};
    record.value().events += box.steps();
    return record;
}

std::optional<Result<RunRecord>> tryOnePhase(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    if (options.engine != EngineChoice::Auto || options.message) // What is told of a run that is refused in the middle would be told again.
        return std::nullopt;
    const Program& program = *onlyOne(*scenario.structure)->program;
    if (std::int64_t{program.ranks} * (program.ranks - 1) * program.chunks < kLeastMessages)
        return std::nullopt;
    Result<RunRecord> record = simulateOnePhase(scenario, options, stop);
    if (!record && record.error().code != ErrorCode::Cancelled && record.error().code != ErrorCode::MemoryLimit)
        return std::nullopt; // Errors of the input come from the event engine, which sees all of it.
    return record;
}

} // namespace fabricscope
