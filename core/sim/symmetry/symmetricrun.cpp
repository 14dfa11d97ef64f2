#include "core/sim/symmetry/symmetricrun.h"

#include "core/base/index.h"
#include "core/base/rankdigest.h"
#include "core/base/stop.h"
#include "core/sim/events/engine.h"
#include "core/sim/events/outcome/runresult.h"
#include "core/sim/symmetry/graphclasses.h"
#include "core/sim/symmetry/graphrun.h"
#include "core/sim/symmetry/runfolded.h"
#include "core/sim/symmetry/treerun.h"
#include "core/sim/symmetry/unfold.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Throws StopRequested.
Digest fingerprintOf(const events::Engine& engine, std::int32_t ranks, const std::stop_token& stop)
{
    const RankGraph& graph = engine.workload.graph(0);
    Digest sum;
    for (TaskIndex task = 0; task < graph.size(); ++task) {
        checkStop(stop);
        const auto i = static_cast<std::size_t>(task);
        const std::int64_t rest[] = {static_cast<std::int64_t>(graph.sourceId[i]), engine.tasks.issues(0)[i], engine.tasks.ends(0)[i]};
        sum = sumOf(sum, digestOfNumbered(ranks, rest));
    }
    return sum;
}

/// The message as the original has it: the peer is found again by its place in the phase.
MessageRecord unfolded(const FoldedScenario& folded, MessageRecord message)
{
    const Structure& structure = *folded.scenario.structure;
    const auto number = static_cast<std::size_t>(message.instance);
    const CollectiveInstance& instance = structure.instances[number];
    const TemplateBody& body = instance.program->asTemplate();
    const PhaseTemplate& phase = body.phasesOf(message.chunk)[at(message.phase)];
    const auto axis = static_cast<std::size_t>(phase.axis);
    const std::int32_t extent = body.axes[axis];
    const PhaseRules rules(phase, extent);
    const std::int32_t index = rules.rule().sequence == Sequence::AtOnce ? message.slot - 1 : message.step;
    const std::int32_t peer = rules.send(0, index, extent).peer;
    const GroupLayout& layout = structure.layouts[at(instance.layout)];
    message.target = static_cast<std::int32_t>(peer * layout.strides[axis]);
    message.instance = folded.instances[number];
    return message;
}

/// Unsupported: only the event engine does it.
Status permits(const RunOptions& options, std::int32_t ranks, bool graph)
{
    if (graph && (options.message || options.ways))
        return Error{ErrorCode::Unsupported, "the engine symmetry does not tell of messages on a graph", {}, "the engine auto or events"};
    if (options.messageDigest)
        return Error{ErrorCode::Unsupported, "the engine symmetry does not follow every message, which a digest of the messages needs", {}, "the engine auto or events"};
    if (options.message && options.engine == EngineChoice::Auto && ranks <= kMostRanksForMessages)
        return Error{ErrorCode::Unsupported, "every message is asked for", {}, {}};
    return {};
}

} // namespace

Result<RunRecord> simulateFolded(const FoldedScenario& folded, const RunOptions& options, std::stop_token stop, const events::Shortcuts& shortcuts)
{
    assert(!options.messageDigest);
    if (options.message && !folded.operations.empty())
        return Error{ErrorCode::Unsupported, "the engine symmetry does not tell of messages of programs written out", {}, "the engine auto or events"};
    RunOptions own = options;
    own.ways = {}; // They would be those of NPU 0.
    own.record = {}; // It would be that of NPU 0.
    if (options.message)
        own.message = [&](const MessageRecord& message) { options.message(unfolded(folded, message)); };
    if (options.partial) {
        own.partial = [&](RunRecord record) {
            // Its text counts pieces of one NPU only.
            std::erase_if(record.diagnostics, [](const Diagnostic& entry) { return entry.rule == "order-sensitive"; });
            options.partial(RecordBuilder::completed(unfoldedRecord(folded, std::move(record)), options.record));
        };
    }
    events::Engine engine(folded.scenario, own);
    engine.fastForward.take(folded.scenario.model == Model::Flow ? events::Shortcuts{false, false, false} : shortcuts); // They pass over pieces.
    engine.routes.fold();
    engine.collectives.fold(folded.operations);
    if (Status status = runFolded(engine, "messages, some by halving-doubling or by a program whose ranks send to different distances, meet at one instant and only their relative positions decide which is first", stop); !status)
        return std::move(status).error();
    engine.network.standFor(folded.ranks);
    return untilStopped([&]() -> Result<RunRecord> {
        Result<RunRecord> one = engine.record(false, stop);
        if (!one)
            return one;
        RunRecord record = unfoldedRecord(folded, std::move(one).value());
        record.fingerprint = fingerprintOf(engine, folded.ranks, stop);
        return RecordBuilder::completed(std::move(record), options.record);
    });
}

namespace {

/// Is the first collective a double binary tree? Then simulateTree() knows why it is not followed.
bool hasTree(const Scenario& scenario)
{
    const auto& instances = scenario.structure->instances;
    if (instances.empty() || !instances.front().program || !instances.front().program->isTemplate())
        return false;
    const std::vector<PhaseTemplate>& phases = instances.front().program->asTemplate().phases;
    return phases.size() == 1 && phases.front().algorithm == Algorithm::DoubleBinaryTree;
}

/// Are ranks in groups smaller than all, or do they send to one another from task to task? Else foldScenario() has tried most of what there is, and the sweep may be quicker.
bool hasPlan(const Workload& workload)
{
    return workload.families.size() > 1 || std::any_of(workload.graphs.begin(), workload.graphs.end(), [](const auto& graph) {
        return std::find(graph->kind.begin(), graph->kind.end(), TaskKind::Send) != graph->kind.end();
    });
}

/// foldScenario(), simulateTree() or foldGraph(), whichever follows it first, and the run.
Result<RunRecord> foldAndRun(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    if (scenario.structure->platform.isExplicit()) {
        const Result<Folding> folding = foldGraph(scenario, stop);
        return folding ? simulateFoldedGraph(scenario, folding.value(), options, stop) : Result<RunRecord>(folding.error());
    }
    const Result<FoldedScenario> folded = foldScenario(scenario, stop);
    if (folded)
        return simulateFolded(folded.value(), options, stop);
    if (folded.error().code != ErrorCode::Unsupported)
        return folded.error();
    if (hasTree(scenario))
        return simulateTree(scenario, options, stop);
    if (!hasPlan(*scenario.structure->workload) || options.message || options.ways)
        return folded.error();
    const Result<Folding> folding = foldGraph(scenario, stop);
    if (folding)
        return simulateFoldedGraph(scenario, folding.value(), options, stop);
    return folding.error().code == ErrorCode::Unsupported ? folded.error() : folding.error(); // The former names one thing.
}

} // namespace

std::optional<Result<RunRecord>> trySymmetry(const Scenario& scenario, const RunOptions& options, const std::stop_token& stop)
{
    const bool wanted = options.engine == EngineChoice::Symmetry;
    if (Status status = permits(options, scenario.structure->workload->rankCount, scenario.structure->platform.isExplicit()); !status)
        return wanted ? std::optional<Result<RunRecord>>(std::move(status).error()) : std::nullopt;
    Result<RunRecord> record = foldAndRun(scenario, options, stop);
    if (!record && record.error().code == ErrorCode::Unsupported && !wanted)
        return std::nullopt;
    return record;
}

} // namespace fabricscope
