#include "core/insight/explain.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/insight/collectivealone.h"
#include "core/insight/effectrange.h"
#include "core/insight/limits/slowcollectives.h"
#include "core/insight/pathtasks.h"
#include "core/report/runtext.h"
#include "core/scenario/networkparams.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// More messages are not followed: collectives on the path are then simulated one by one.
constexpr std::int64_t kMostMessages = std::int64_t{2} << 20;
constexpr std::int64_t kBytesPerMessage = sizeof(MessageRecord) + 4 * sizeof(std::uint32_t);

Error noSuch(std::string message, const char* option, std::string expected)
{
    Error error{ErrorCode::Usage, std::move(message), {}, std::move(expected)};
    error.place.field = option;
    return error;
}

/// What is explained: the end to go back from, and how far.
struct Span {
    PathEnd end;
    std::int64_t fromPs = 0;
    std::int64_t toPs = 0;
    std::string name;
};

Result<Span> spanOfNode(const Scenario& scenario, const RunRecord& record, std::uint64_t node, std::optional<std::int32_t> wanted)
{
    std::optional<Span> found;
    const Workload& workload = *scenario.structure->workload;
    for (const RankClass& row : record.classes) {
        if (row.ranks.empty() || !row.tasks || (wanted && !row.ranks.contains(*wanted)))
            continue;
        const auto rank = wanted ? *wanted : static_cast<std::int32_t>(row.ranks.intervals().front().first);
        const RankGraph& graph = workload.graph(rank);
        const auto place = std::lower_bound(graph.sourceId.begin(), graph.sourceId.end(), node);
        if (place == graph.sourceId.end() || *place != node)
            continue;
        const auto task = static_cast<TaskIndex>(place - graph.sourceId.begin());
        const std::int64_t end = row.tasks->endPs[at(task)];
        if (end < 0 || (found && found->end.ps >= end))
            continue;
        found = Span{{rank, task, end}, row.tasks->issuePs[at(task)], end,
                     "node " + std::to_string(node) + " (" + taskTitle(graph, task) + ") of rank " + std::to_string(rank)};
    }
    if (!found)
        return noSuch("there is no node " + std::to_string(node) + (wanted ? " on rank " + std::to_string(*wanted) : std::string()), "--node", "the number of a node as results name it");
    return std::move(*found);
}

/// From the first issue to the last end.
Result<Span> spanOfCollective(const Scenario& scenario, const RunRecord& record, std::int32_t number)
{
    const Structure& structure = *scenario.structure;
    const auto count = static_cast<std::int64_t>(structure.instances.size());
    if (number < 0 || number >= count)
        return noSuch("there is no collective " + std::to_string(number), "--collective", count > 0 ? "0 to " + std::to_string(count - 1) : "a design with collectives, under links, ideal or flow");
    PathTasks tasks(scenario, record);
    const CollectiveInstance& instance = structure.instances[at(number)];
    const GroupFamily& groups = structure.workload->families[at(instance.family)];
    std::optional<Span> span;
    for (std::int64_t position = 0; position < groups.groupSize(instance.group); ++position) {
        const auto rank = static_cast<std::int32_t>(groups.member(instance.group, position));
        const TaskIndex task = tasks.taskOf(rank, number);
        if (task < 0 || !tasks.hasTimes(rank) || tasks.end(rank, task) < 0)
            continue;
        const std::int64_t begin = tasks.issue(rank, task);
        const std::int64_t end = tasks.end(rank, task);
        if (!span)
            span = Span{{rank, task, end}, begin, end, "collective " + std::to_string(number) + " (" + taskTitle(tasks.graph(rank), task) + ')'};
        span->fromPs = std::min(span->fromPs, begin);
        if (end > span->toPs) {
            span->toPs = end;
            span->end = {rank, task, end};
        }
    }
    if (!span)
        return noSuch("collective " + std::to_string(number) + " was never run", "--collective", "one that runs");
    return std::move(*span);
}

/// From when its first message could leave to when its last was delivered. `whole`: of its collective.
Result<Span> spanOfChunk(Span whole, const Scenario& scenario, const RunRecord& record, const MessageLog& log, std::int32_t collective, std::int32_t chunk)
{
    std::optional<std::uint32_t> last;
    std::int64_t first = 0;
    std::int32_t most = -1;
    for (std::uint32_t number = 0; number < log.size(); ++number) {
        const MessageRecord& message = log[number];
        if (message.instance != collective)
            continue;
        most = std::max(most, message.chunk);
        if (message.chunk != chunk)
            continue;
        first = last ? std::min(first, message.readyPs) : message.readyPs;
        if (!last || message.donePs > log[*last].donePs)
            last = number;
    }
    const std::string name = "collective " + std::to_string(collective);
    if (most < 0)
        return noSuch("no messages of " + name + " are followed", "--chunk", "--collective " + std::to_string(collective) + " alone");
    if (!last)
        return noSuch(name + " has no chunk " + std::to_string(chunk), "--chunk", "0 to " + std::to_string(most));
    const std::int32_t rank = std::clamp(log[*last].target, 0, scenario.structure->workload->rankCount - 1);
    whole.end = {rank, PathTasks(scenario, record).taskOf(rank, collective), log[*last].donePs, last};
    whole.fromPs = first;
    whole.toPs = whole.end.ps;
    whole.name = "chunk " + std::to_string(chunk) + " of " + whole.name;
    return whole;
}

Result<Span> spanOf(const Scenario& scenario, const RunRecord& record, const MessageLog& log, const ExplainSubject& subject)
{
    const std::int32_t ranks = scenario.structure->workload->rankCount;
    if (subject.rank && (*subject.rank < 0 || *subject.rank >= ranks))
        return noSuch("there is no rank " + std::to_string(*subject.rank), "--rank", "0 to " + std::to_string(ranks - 1));
    if (subject.node)
        return spanOfNode(scenario, record, *subject.node, subject.rank);
    if (subject.collective) {
        Result<Span> whole = spanOfCollective(scenario, record, *subject.collective);
        return whole && subject.chunk ? spanOfChunk(std::move(whole).value(), scenario, record, log, *subject.collective, *subject.chunk) : whole;
    }
    const std::optional<PathEnd> end = subject.rank ? lastTaskOf(scenario, record, *subject.rank) : lastTask(scenario, record);
    const std::string name = subject.rank ? "rank " + std::to_string(*subject.rank) : "the run";
    if (!end)
        return Span{{subject.rank.value_or(0), -1, 0}, 0, record.finish.ps, name};
    return Span{*end, 0, record.finish.ps, name};
}

/// What comes after its last task: the rank is done, the run is not.
void addIdleEnd(const Span& span, CriticalPath& path)
{
    if (span.end.ps < span.toPs)
        path.pieces.push_back({.beginPs = span.end.ps, .endPs = span.toPs, .cause = PathCause::Idle, .rank = span.end.rank});
    path.toPs = span.toPs;
}

std::vector<std::string> notesOf(const Explanation& explanation, std::int64_t alone)
{
    std::vector<std::string> notes;
    const Scenario& scenario = *explanation.run->scenario;
    if (!traitsOf(scenario.model).ownCollectives)
        notes.push_back(std::string(modelName(scenario.model)) + " tells of no single messages: each collective and each message counts as a whole, from the last member that began it to its end");
    else if (alone > 0)
        notes.push_back("the run has too many messages to follow each: the collectives on the path are simulated alone, and what they took longer they waited for links that others had");
    else if (!explanation.path.messages && std::any_of(explanation.path.pieces.begin(), explanation.path.pieces.end(), [](const PathPiece& piece) { return piece.cause == PathCause::Transfer; }))
        notes.emplace_back("messages are not followed: each collective counts as a whole, from the last member that began it to its end");
    if (explanation.path.folded)
        notes.emplace_back("all ranks do the same at the same time: rank 0 stands for all");
    const NetworkParams* const network = scenario.params->network.get();
    if (network && network->routing && traitsOf(scenario.model).networkRules)
        notes.emplace_back("links are those of the shortest ways: ways that the design's routing chooses otherwise are not told apart");
    return notes;
}

/// Simulates the largest effects with the parameter changed.
Status confirm(Explanation& explanation, const ExplainOptions& options, const std::stop_token& stop)
{
    const RunOptions run = finishOnly(options);
    std::size_t done = 0;
    for (ParameterEffect& effect : explanation.parameters) {
        if (done == options.mostConfirmed)
            break;
        const std::optional<Scenario> changed = withParameter(*explanation.run->scenario, effect.parameter, effect.resourceClass, 2);
        if (!changed)
            continue;
        const Result<RunRecord> record = simulate(*changed, run, stop);
        ++done;
        if (record && record.value().complete)
            effect.confirmedPs = explanation.run->record().finish.ps - record.value().finish.ps;
        else if (!record && record.error().code != ErrorCode::Unsupported)
            return record.error();
    }
    return {};
}

/// The field of an override that gives a link of its own class this figure; empty: none does.
std::string overrideField(const Structure& structure, const ParameterEffect& effect)
{
    const auto first = static_cast<ResourceClass>(structure.platform.dimensions().size()) + structure.figureClasses;
    if (effect.resourceClass < first || at(effect.resourceClass - first) >= structure.classedLinks.size())
        return {};
    const LinkId link = structure.classedLinks[at(effect.resourceClass - first)];
    const std::vector<LinkOverride>& overrides = structure.platform.spec().linkOverrides;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        if (overrides[i].link == link && (effect.isRate ? overrides[i].bandwidth.has_value() : overrides[i].latency.has_value()))
            return "platform.overrides.links." + std::to_string(i) + (effect.isRate ? ".bandwidth" : ".latency");
    }
    return {};
}

/// The field of a launch or a ramp.
std::string startField(const ParameterEffect& effect)
{
    const std::string rule = "collectives.rules." + std::to_string(effect.resourceClass);
    if (effect.parameter == PathParameter::Ramp)
        return rule + ".ramp";
    return effect.resourceClass >= 0 ? rule + ".launch" : "network.launch";
}

/// The field that --set changes it by, where the design can take it.
void addFields(Explanation& explanation, const ExplainOptions& options)
{
    if (!options.accepts)
        return;
    for (ParameterEffect& effect : explanation.parameters) {
        std::vector<std::string> fields;
        const auto dimensions = static_cast<ResourceClass>(explanation.run->scenario->structure->platform.dimensions().size());
        const std::string dimension = "platform.dimensions." + std::to_string(effect.resourceClass) + '.';
        if (effect.parameter == PathParameter::LinkRate && effect.resourceClass < dimensions)
            fields = {dimension + "bandwidth", "platform.bandwidth"};
        else if (effect.parameter == PathParameter::LinkLatency && effect.resourceClass < dimensions)
            fields = {dimension + "latency", "platform.latency"};
        else if (effect.parameter == PathParameter::LinkRate || effect.parameter == PathParameter::LinkLatency)
            fields = {overrideField(*explanation.run->scenario->structure, effect)};
        else if (effect.parameter == PathParameter::ReducerRate || effect.parameter == PathParameter::MemoryRate)
            fields = {"platform.npu.memory_bandwidth"};
        else if (effect.parameter == PathParameter::Peak)
            fields = {"platform.npu.peak"};
        else if (effect.parameter == PathParameter::Injection)
            fields = {"platform.budgets.injection"};
        else if (effect.parameter == PathParameter::Ejection)
            fields = {"platform.budgets.ejection"};
        else if (effect.parameter == PathParameter::Launch || effect.parameter == PathParameter::Ramp)
            fields = {startField(effect)};
        for (const std::string& field : fields) {
            if (effect.field.empty() && !field.empty() && !effect.value.empty() && options.accepts(field, effect.value))
                effect.field = field;
        }
    }
}

Result<Explanation> explained(const RunResultPtr& run, const ExplainSubject& subject, const ExplainOptions& options, MessageLog& log, const std::stop_token& stop)
{
    Explanation explanation;
    explanation.run = run;
    const RunRecord& record = run->record();
    if (!record.complete)
        return Error{ErrorCode::Stuck, "the simulation cannot finish; these ranks wait for ever:\n" + waitsText(record), {}, {}};
    const Scenario& scenario = *run->scenario;
    const bool folded = !record.engines.empty() && record.engines.front().engine == "symmetry";
    log.sort(scenario.structure->workload->rankCount, folded);
    Result<Span> span = spanOf(scenario, record, log, subject);
    if (!span)
        return std::move(span).error();
    explanation.subject = span.value().name;
    const bool clipped = subject.node || subject.collective;
    if (span.value().end.task >= 0)
        explanation.path = criticalPath(scenario, record, log, span.value().end, stop);
    AlonePaths alone(scenario, stop);
    if (!explanation.path.messages && traitsOf(scenario.model).ownCollectives)
        explanation.path = alone.refined(std::move(explanation.path));
    if (clipped || span.value().end.ps > span.value().toPs)
        explanation.path = cutPath(std::move(explanation.path), span.value().fromPs, span.value().toPs);
    else
        addIdleEnd(span.value(), explanation.path);
    explanation.blame = blameOf(scenario, explanation.path);
    explanation.parameters = parameterEffects(scenario, explanation.path);
    addFields(explanation, options);
    if (options.confirm) {
        if (Status status = confirm(explanation, options, stop); !status)
            return std::move(status).error();
    }
    if (options.ranges && !clipped && !subject.rank) {
        if (Status status = findRanges(explanation, options, {}, stop); !status)
            return std::move(status).error();
    }
    explanation.bound = runBound(*run, stop);
    explanation.roofline = rooflineOf(*run, stop);
    explanation.notes = notesOf(explanation, alone.refinedCount());
    explanation.diagnosis = diagnose(explanation, stop);
    for (DiagnosisItem& item : explanation.diagnosis) {
        if (!item.field.empty() && options.accepts && !options.accepts(item.field, item.value))
            item.field.clear();
    }
    if (options.confirm) {
        if (Status status = confirmSlowCollectives(explanation, options, stop); !status)
            return std::move(status).error();
    }
    return explanation;
}

} // namespace

Result<Explanation> explainDesign(const std::shared_ptr<const Design>& design, const Diagnostics& noticed, const ExplainSubject& subject, const ExplainOptions& options,
                                  const std::stop_token& stop)
{
    const std::int64_t room = options.memoryLimit > 0 ? options.memoryLimit / 4 / kBytesPerMessage : kMostMessages;
    MessageLog log(static_cast<std::size_t>(std::min(room, kMostMessages)));
    RunDesignOptions run;
    run.engine = options.engine;
    run.seed = options.seed;
    run.threads = options.threads;
    run.memoryLimit = options.memoryLimit;
    run.timeline = false;
    run.progress = options.progress;
    run.prepared = options.prepared;
    run.mostMessages = kMostMessages;
    run.message = [&log](const MessageRecord& message) { log.add(message); };
    run.messagesAgain = [&log] { log.clear(); };
    if (!traitsOf(design->model.model).ownCollectives) {
        run.message = {};
        run.messagesAgain = {};
    }
    const Result<RunResultPtr> result = runDesign(design, noticed, run, stop);
    if (!result)
        return result.error();
    return untilStopped([&] { return explained(result.value(), subject, options, log, stop); });
}

} // namespace fabricscope
