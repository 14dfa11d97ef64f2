#include "core/choose/choose.h"

#include "core/base/outofmemory.h"
#include "core/base/workers.h"
#include "core/program/innetwork.h"
#include "core/scenario/networkparams.h"
#include "core/scenario/offloadrates.h"
#include "core/sim/simulate.h"
#include "core/sim/events/expectedmessages.h"

#include <algorithm>
#include <optional>
#include <set>

namespace fabricscope {

namespace {

/// The group alone on the platform: rank i is its member i.
struct Alone {
    std::shared_ptr<Structure> structure;
    std::shared_ptr<const Params> params;
    std::shared_ptr<const CostTable> costs;
};

WorkloadPtr oneCollective(CollectiveOp op, std::int64_t bytes, std::int32_t ranks)
{
    auto graph = std::make_shared<RankGraph>();
    graph->kind = {TaskKind::Collective};
    graph->flags = {0};
    graph->sourceId = {0};
    graph->nameEnd = {0};
    graph->durationUs = {0};
    graph->durationPs = {0}; // As in a design's own steps: broadcasts are simulated.
    graph->operations = {0};
    graph->bytes = {bytes};
    graph->op = {op};
    graph->family = {0};
    graph->peer = {-1};
    graph->tag = {0};
    graph->involved = {0};
    graph->dependBegin = {0, 0};
    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks;
    workload->families.push_back(GroupFamily::world(ranks));
    workload->graphs.push_back(std::move(graph));
    return workload;
}

Result<Alone> aloneOnPlatform(const ChooseQuestion& question)
{
    const Structure& whole = question.structure;
    const GroupFamily& family = whole.workload->families[static_cast<std::size_t>(question.family)];
    Placement::Job job;
    for (std::int64_t position = 0; position < family.groupSize(question.group); ++position)
        job.nodes.push_back(whole.placement.nodeOf(static_cast<std::int32_t>(family.member(question.group, position))));
    job.ranks = static_cast<std::int32_t>(job.nodes.size());
    Alone alone;
    alone.structure = std::make_shared<Structure>();
    Structure& structure = *alone.structure;
    structure.platform = whole.platform;
    structure.classedLinks = whole.classedLinks;
    bool identity = job.ranks == whole.platform.npuCount();
    for (std::int32_t rank = 0; identity && rank < job.ranks; ++rank)
        identity = job.nodes[static_cast<std::size_t>(rank)] == rank;
    const std::int32_t ranks = job.ranks;
    if (identity) {
        structure.placement = Placement::identity(ranks);
    } else {
        auto placement = Placement::create({std::move(job)}, whole.platform);
        if (!placement)
            return std::move(placement).error();
        structure.placement = std::move(placement).value();
    }
    structure.workload = oneCollective(question.op, question.bytes, ranks);
    structure.instanceBase = {{0}};
    structure.ordinalsOfRank = {std::make_shared<const std::vector<std::int32_t>>(1, 0)};
    structure.streamCount = 1;
    // Nothing of the rest of the workload: only what messages cost.
    auto params = std::make_shared<Params>(question.params);
    params->compute = nullptr;
    params->replayOnly = false;
    params->remoteMemory = {};
    alone.costs = std::make_shared<const CostTable>(*params);
    alone.params = std::move(params);
    return alone;
}

/// The group with this program, ready to run.
Scenario scenarioOf(const ChooseQuestion& question, const Alone& alone, PlannedCollective planned)
{
    auto structure = std::make_shared<Structure>(*alone.structure);
    CollectiveInstance instance;
    instance.op = question.op;
    instance.bytes = question.bytes;
    instance.program = std::move(planned.program);
    structure->layouts.push_back(std::move(planned.layout));
    Scenario scenario;
    scenario.model = question.model;
    scenario.costs = alone.costs;
    if (alone.params->offload && !usesSwitches(*instance.program)) { // As lowering does: every engine may run it then.
        auto params = std::make_shared<Params>(*alone.params);
        params->offload.reset();
        scenario.params = std::move(params);
    } else {
        scenario.params = alone.params;
    }
    structure->instances.push_back(std::move(instance));
    scenario.structure = std::move(structure);
    return scenario;
}

/// A candidate to be simulated, and what came of it; nothing: it was stopped before.
struct Trial {
    std::size_t candidate;
    Scenario scenario;
    std::optional<Result<RunRecord>> record;
};

/// Every run is a pure function of its scenario, so threads change nothing but the wall time.
void simulateAll(std::vector<Trial>& trials, int threads, const std::stop_token& stop)
{
    forEachItem(trials.size(), threads, [&](std::size_t i) {
        if (stop.stop_requested())
            return false;
        RunOptions options;
        options.taskTimes = false;
        options.busyOverTime = false;
        trials[i].record = simulate(trials[i].scenario, options, stop);
        return true;
    });
}

} // namespace

SimulatingChooser::SimulatingChooser(int threads, std::stop_token stop, ChooseLimits limits, GeneratedProgramsPtr generated)
    : m_threads(threads)
    , m_stop(std::move(stop))
    , m_limits(limits)
    , m_generated(std::move(generated))
{
}

SimulatingChooser::~SimulatingChooser() = default;

/// Groups with the same key run alike: the same NPUs, or, where all NPUs of a platform of dimensions are alike, the same way apart.
std::string SimulatingChooser::keyOf(const ChooseQuestion& question) const
{
    const Structure& structure = question.structure;
    const Platform& platform = structure.platform;
    const GroupFamily& family = structure.workload->families[static_cast<std::size_t>(question.family)];
    std::string key = std::string(collectiveKey(question.op)) + ' ' + std::to_string(question.bytes) + ' ' + std::to_string(question.setting.chunks) + ' '
        + std::to_string(question.setting.window) + ' ' + std::to_string(question.setting.program.receiveSlots);
    for (const ProgramSource& source : question.setting.program.candidates)
        key += '\n' + source.text + ' ' + programSourceText(source);
    key += "\nat";
    const bool alike = !platform.isExplicit() && platform.spec().linkOverrides.empty() && platform.spec().npuOverrides.empty() && !question.params.network;
    const auto nodeAt = [&](std::int64_t position) { return structure.placement.nodeOf(static_cast<std::int32_t>(family.member(question.group, position))); };
    const NodeId first = nodeAt(0);
    for (std::int64_t position = 0; position < family.groupSize(question.group); ++position) {
        const NodeId node = nodeAt(position);
        if (!alike) {
            key += ' ' + std::to_string(node);
            continue;
        }
        key += ' ';
        for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
            const std::int32_t size = platform.dimensions()[d].size;
            key += std::to_string((platform.coordinate(node, d) - platform.coordinate(first, d) + size) % size) + '.';
        }
    }
    return key;
}

Result<SimulatingChooser::Answer> SimulatingChooser::compute(const ChooseQuestion& question) const
{
    auto alone = aloneOnPlatform(question);
    if (!alone)
        return std::move(alone).error();
    const Structure& structure = *alone.value().structure;
    const GroupFamily& group = structure.workload->families[0];
    const std::vector<Candidate> candidates = candidatesOf(question, m_limits);
    const bool whole = question.model != Model::Links; // no pieces
    std::int64_t left = m_limits.piecesPerQuestion;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen; // programs, by digest
    struct Timed {
        std::int64_t timePs;
        std::size_t candidate;
    };
    std::vector<Timed> timed;
    std::vector<CandidateTime> leftOut;
    std::vector<Trial> trials;
    for (std::size_t number = 0; number < candidates.size(); ++number) {
        if (m_stop.stop_requested())
            return Error{ErrorCode::Cancelled, "choosing the algorithm was stopped", {}, {}};
        const Candidate& candidate = candidates[number];
        const auto leaveOut = [&](std::string reason) { leftOut.push_back({candidate.name, -1, std::move(reason)}); };
        // What a generator writes out may have a transfer per pair of ranks and round.
        const std::int64_t ranks = group.groupSize(0);
        const bool generated = !candidate.own && !candidate.setting.program.program.empty();
        if (generated && 2 * ranks * ranks * candidate.setting.chunks > m_limits.piecesPerCandidate) {
            leaveOut("too large to try: " + std::to_string(ranks) + " ranks and " + std::to_string(candidate.setting.chunks) + " chunks, written out");
            continue;
        }
        auto planned = planWithPrograms(structure.platform, structure.placement, group, 0, question.op, question.bytes, candidate.setting, false, question.scheduler, question.library);
        if (!planned) {
            if (candidate.own || endsTheJob(planned.error()))
                return std::move(planned).error();
            leaveOut(planned.error().message);
            continue;
        }
        if (!planned.value().program)
            continue;
        const Digest digest = question.library.programs().digest(planned.value().program);
        if (!seen.emplace(digest.low, digest.high).second && !candidate.own)
            continue; // A generator of an algorithm that is there as a template.
        const std::int64_t pieces = events::expectedPieces(*planned.value().program, question.bytes, whole ? INT64_MAX : question.params.pieceBytes, m_stop);
        if (pieces > m_limits.piecesPerCandidate || pieces > left) {
            leaveOut("too large to try: " + std::to_string(pieces) + (whole ? " messages" : " pieces of messages") + (pieces > m_limits.piecesPerCandidate ? "" : ", after those before it"));
            continue;
        }
        left -= pieces;
        const ModelTraits& model = traitsOf(question.model);
        if ((usesSwitches(*planned.value().program) && !model.switchesReduce) || (isBroadcast(*planned.value().program) && !model.broadcasts)) {
            leaveOut("the " + std::string(model.name) + " model does not run it");
            continue;
        }
        trials.push_back({number, scenarioOf(question, alone.value(), std::move(planned).value()), std::nullopt});
    }
    simulateAll(trials, m_threads, m_stop);
    for (Trial& trial : trials) {
        const std::string& name = candidates[trial.candidate].name;
        if (!trial.record || (!*trial.record && trial.record->error().code == ErrorCode::Cancelled))
            return Error{ErrorCode::Cancelled, "choosing the algorithm was stopped", {}, {}};
        if (!*trial.record && endsTheJob(trial.record->error())) // Else another choice would follow from less memory.
            return std::move(*trial.record).error();
        if (!*trial.record)
            leftOut.push_back({name, -1, trial.record->error().message});
        else if (!trial.record->value().complete)
            leftOut.push_back({name, -1, "it never finishes"});
        else
            timed.push_back({trial.record->value().finish.ps, trial.candidate});
    }
    std::stable_sort(timed.begin(), timed.end(), [](const Timed& a, const Timed& b) { return a.timePs < b.timePs; });
    Answer answer;
    answer.choice.op = question.op;
    const GroupFamily& family = question.structure.workload->families[static_cast<std::size_t>(question.family)];
    answer.choice.group = family.isWorld() ? std::string() : family.name();
    answer.choice.ranks = static_cast<std::int32_t>(group.groupSize(0));
    answer.choice.bytes = question.bytes;
    for (const Timed& each : timed)
        answer.choice.candidates.push_back({candidates[each.candidate].name, each.timePs, {}});
    answer.choice.candidates.insert(answer.choice.candidates.end(), leftOut.begin(), leftOut.end());
    answer.setting = candidates[timed.empty() ? 0 : timed.front().candidate].setting;
    answer.choice.chosen = candidates[timed.empty() ? 0 : timed.front().candidate].name;
    return answer;
}

Result<CollectiveSetting> SimulatingChooser::choose(const ChooseQuestion& question)
{
    const GroupFamily& family = question.structure.workload->families[static_cast<std::size_t>(question.family)];
    if (family.groupSize(question.group) < 2 || question.bytes == 0) {
        CollectiveSetting nothing = question.setting;
        nothing.program = {};
        return nothing;
    }
    const std::string key = keyOf(question);
    auto known = m_answers.find(key);
    if (known == m_answers.end()) {
        auto answer = compute(question);
        if (!answer)
            return std::move(answer).error();
        known = m_answers.emplace(key, std::move(answer).value()).first;
    }
    if (!known->second.said) {
        known->second.said = true;
        m_order.push_back(known->second.choice);
    }
    return known->second.setting;
}

std::vector<CollectiveChoice> SimulatingChooser::takeChoices()
{
    for (auto& [key, answer] : m_answers)
        answer.said = false;
    return std::exchange(m_order, {});
}

Result<ScenarioPtr> prepareChosen(const Design& design, int threads, const std::stop_token& stop, GeneratedProgramsPtr generated)
{
    SimulatingChooser chooser(threads, stop, {}, std::move(generated));
    return prepare(design, threads, stop, &chooser);
}

} // namespace fabricscope
