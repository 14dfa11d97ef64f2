#include "core/insight/collectivealone.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/insight/pathtasks.h"
#include "core/scenario/networkparams.h"
#include "core/sim/events/expectedmessages.h"
#include "core/sim/simulate.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Messages of all that are simulated alone.
constexpr std::int64_t kMostInAll = std::int64_t{4} << 20;
constexpr FamilyId kMembers = 1;

/// One task, or none.
std::shared_ptr<const RankGraph> graphWith(const CollectiveInstance* instance)
{
    auto graph = std::make_shared<RankGraph>();
    graph->dependBegin = {0};
    if (!instance)
        return graph;
    graph->kind = {TaskKind::Collective};
    graph->flags = {TaskFlag::kHasBytes};
    graph->sourceId = {0};
    graph->nameEnd = {0};
    graph->durationUs = {0};
    graph->operations = {0};
    graph->bytes = {instance->bytes};
    graph->op = {instance->op};
    graph->family = {kMembers};
    graph->peer = {-1};
    graph->tag = {0};
    graph->involved = {0};
    graph->dependBegin = {0, 0};
    return graph;
}

} // namespace

Scenario collectiveAlone(const Scenario& scenario, std::int32_t instance)
{
    const Structure& from = *scenario.structure;
    CollectiveInstance own = from.instances[at(instance)];
    const GroupLayout& layout = from.layouts[at(own.layout)];
    const std::int32_t ranks = from.workload->rankCount;

    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks;
    workload->graphs = {graphWith(nullptr), graphWith(&own)};
    workload->graphOfRank.assign(at(ranks), 0);
    auto structure = std::make_shared<Structure>(Structure{from.platform, from.placement, {}, {layout}, {}, 1, {{}, {0}}, {}, from.classedLinks, from.figureClasses});
    const Ordinals none = std::make_shared<const std::vector<std::int32_t>>();
    const Ordinals one = std::make_shared<const std::vector<std::int32_t>>(1, 0);
    structure->ordinalsOfRank.assign(at(ranks), none);
    std::vector<std::int64_t> members;
    for (std::int32_t position = 0; position < layout.size(); ++position) {
        const std::int32_t rank = layout.rankAt(position);
        members.push_back(rank);
        workload->graphOfRank[at(rank)] = 1;
        structure->ordinalsOfRank[at(rank)] = one;
    }
    workload->families = {GroupFamily::world(ranks), GroupFamily::listed("members", {members}, ranks).value()};
    structure->workload = std::move(workload);
    own.family = kMembers;
    own.group = 0;
    own.sequence = 0;
    own.stream = 0;
    own.layout = 0;
    structure->instances = {own};

    Scenario alone = scenario;
    alone.structure = std::move(structure);
    alone.choices.clear();
    alone.diagnostics.clear();
    return alone;
}

const AlonePaths::Alone* AlonePaths::aloneOf(std::int32_t instance)
{
    const CollectiveInstance& which = m_scenario.structure->instances[at(instance)];
    if (!which.program || which.replayPs >= 0)
        return nullptr;
    auto& alone = m_alone[{which.program.get(), which.bytes, which.layout, which.rule}];
    if (alone)
        return alone->known ? alone.get() : nullptr;
    alone = std::make_unique<Alone>();
    const std::int64_t messages = events::expectedPieces(*which.program, which.bytes, INT64_MAX, m_stop);
    if (messages > kMostAlone || messages > kMostInAll - m_messages)
        return nullptr;
    m_messages += messages;
    alone->scenario = collectiveAlone(m_scenario, instance);
    alone->log = MessageLog(static_cast<std::size_t>(2 * kMostAlone));
    RunOptions options;
    options.engine = EngineChoice::Events;
    options.busyOverTime = false;
    options.message = [&](const MessageRecord& message) { alone->log.add(message); };
    Result<RunRecord> record = simulate(alone->scenario, options, m_stop);
    checkStop(m_stop);
    if (!record || !record.value().complete || alone->log.isOver())
        return nullptr;
    alone->record = std::move(record).value();
    alone->log.sort(m_scenario.structure->workload->rankCount, false);
    alone->known = true;
    return alone.get();
}

/// The pieces of a collective that counts as a whole; false: it cannot be told.
bool AlonePaths::addAlone(const PathPiece& whole, std::vector<PathPiece>& pieces)
{
    if (whole.cause != PathCause::Transfer || whole.task < 0 || m_scenario.structure->workload->graph(whole.rank).kind[at(whole.task)] != TaskKind::Collective)
        return false;
    const std::int32_t instance = m_scenario.structure->instanceOf(whole.rank, whole.task);
    const Alone* const alone = instance >= 0 ? aloneOf(instance) : nullptr;
    if (!alone)
        return false;
    const std::optional<PathEnd> end = lastTaskOf(alone->scenario, alone->record, whole.rank);
    if (!end)
        return false;
    CriticalPath path = criticalPath(alone->scenario, alone->record, alone->log, *end, m_stop);
    // Its launch is a piece beside the whole.
    std::int64_t from = std::max<std::int64_t>(0, end->ps - whole.ps());
    if (const NetworkParams* const network = m_scenario.params->network.get()) {
        const CollectiveInstance& collective = m_scenario.structure->instances[at(instance)];
        from = std::max(from, std::min(end->ps, network->launchOf(collective).ps + network->rampOf(collective).ps));
    }
    if (from > 0)
        path = cutPath(std::move(path), from, end->ps);
    const std::int64_t shift = whole.endPs - end->ps;
    PathTasks tasks(m_scenario, alone->record); // Times of no task are asked for.
    PathPiece waiting = whole;
    waiting.cause = PathCause::Waiting;
    waiting.endPs = shift + from;
    std::int64_t longest = -1;
    for (const PathPiece& piece : path.pieces) {
        if (piece.cause == PathCause::Serialisation && piece.ps() > longest) {
            longest = piece.ps();
            waiting.link = piece.link;
        }
    }
    if (waiting.beginPs < waiting.endPs)
        pieces.push_back(waiting);
    for (PathPiece piece : path.pieces) {
        piece.beginPs += shift;
        piece.endPs += shift;
        piece.task = tasks.taskOf(piece.rank, instance);
        if (piece.holderTask >= 0)
            piece.holderTask = tasks.taskOf(piece.holderRank, instance);
        pieces.push_back(piece);
    }
    return true;
}

CriticalPath AlonePaths::refined(CriticalPath path)
{
    std::vector<PathPiece> pieces;
    for (const PathPiece& piece : path.pieces) {
        checkStop(m_stop);
        if (addAlone(piece, pieces))
            ++m_count;
        else
            pieces.push_back(piece);
    }
    path.pieces = std::move(pieces);
    return path;
}

} // namespace fabricscope
