// fabricscope-cli plan search: the best plans of a model on a machine.
#include "app/cli/commandline.h"
#include "app/cli/fieldsets.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/plansearchoutput.h"
#include "app/cli/output/servedplansoutput.h"
#include "app/cli/outputs.h"
#include "app/cli/plansearchcommand.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "core/base/files/textfile.h"
#include "core/design/accuracyconfig.h"
#include "core/design/file/costsection.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/searchsection.h"
#include "core/run/machineparts.h"
#include "core/run/planedit.h"
#include "core/run/plansimulation.h"
#include "core/scenario/designplan.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

namespace fabricscope::cli {

namespace {

struct PlanSearchFlags {
    std::string design;
    std::vector<std::string> sets;
    std::int64_t top = 0;
    std::vector<std::string> objectives;
    bool estimate = false;
    std::int64_t threads = 0; ///< 0: one per core.
    std::string out;
    std::string firstToken; ///< Latencies of inference at most.
    std::string perToken;
    bool json = false;
};

int threadsOf(const PlanSearchFlags& flags)
{
    return flags.threads > 0 ? static_cast<int>(flags.threads) : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::function<void(const PlanSearchProgress&)> tellerOf(std::string_view phase, Session& session)
{
    return [phase, &session](const PlanSearchProgress& progress) { session.progress().tell({phase, progress.of > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.of) : -1}); };
}

std::function<void(std::size_t, std::size_t)> simulatingTo(Session& session)
{
    return [&session](std::size_t done, std::size_t of) { session.progress().tell({"simulating plans", of > 0 ? static_cast<double>(done) / static_cast<double>(of) : -1}); };
}

/// `search` of the file, with what the command line says of it.
Result<PlanSearchSpec> searchOf(const YamlDocument& document, const PlanSearchFlags& flags)
{
    Result<PlanSearchSpec> read = readPlanSearch(document);
    if (!read)
        return read;
    PlanSearchSpec spec = std::move(read).value();
    if (flags.top > 0)
        spec.top = flags.top;
    if (!flags.objectives.empty())
        spec.objectives.clear();
    for (const std::string& word : flags.objectives) {
        const std::optional<PlanObjective> objective = valueOf(kPlanObjectives, word);
        if (!objective)
            return usageError("unknown objective \"" + word + "\"", "--objective", "step_time, tokens_per_npu, memory, npus, cost or energy");
        if (std::find(spec.objectives.begin(), spec.objectives.end(), *objective) == spec.objectives.end())
            spec.objectives.push_back(*objective);
    }
    return spec;
}

/// The file as it is read: with the changes of the command line.
Result<YamlDocument> documentWith(const std::string& path, const std::vector<FieldOverride>& changes)
{
    Result<std::string> text = readTextFile(path);
    if (!text)
        return text.error();
    Result<YamlDocument> document = YamlDocument::parse(std::move(text).value(), path);
    for (const FieldOverride& change : changes) {
        if (!document)
            return document;
        if (Status status = document.value().overlay(change.path, change.value, "--set"); !status)
            return std::move(status).error();
    }
    return document;
}

/// The text of the design with the changes of the command line and a plan of the search; `design`: as both read.
Result<std::string> textWithPlan(const PlanSearchFlags& flags, const std::vector<FieldOverride>& changes, const Design& design, const SearchedPlan& plan)
{
    Result<std::string> text = readTextFile(flags.design);
    if (!text)
        return text.error();
    Result<YamlDocument> document = YamlDocument::parse(std::move(text).value(), flags.design);
    if (!document)
        return document.error();
    YamlDocument& yaml = document.value();
    for (const FieldOverride& change : changes) {
        // As overlay() takes it.
        const bool isFlow = change.value.starts_with('[') || change.value.starts_with('{');
        const Result<YamlDocument> value = isFlow ? YamlDocument::parse(change.value, "--set") : Result<YamlDocument>(YamlDocument());
        if (!value)
            return value.error();
        if (Status status = yaml.set(change.path, isFlow ? value.value().root() : YamlNode::scalar(change.value)); !status)
            return std::move(status).error();
    }
    if (Status status = usePlan(yaml, design, plan); !status)
        return std::move(status).error();
    return yaml.text();
}

Result<ServedBounds> boundsOf(const PlanSearchFlags& flags)
{
    ServedBounds bounds;
    for (const auto& [text, option, bound] : {std::tuple{&flags.firstToken, "--first-token", &bounds.firstToken}, {&flags.perToken, "--per-token", &bounds.perToken}}) {
        if (text->empty())
            continue;
        const Result<Quantity> time = parseQuantity(*text, Measure::Time);
        if (!time)
            return usageError(time.error().message, option, "a time, as 50 ms");
        *bound = time.value().base();
    }
    return bounds;
}

/// A plan of inference: the most tokens per second within latencies.
void runServedSearch(const PlanSearchFlags& flags, const std::vector<FieldOverride>& changes, const Design& design, const PlannedWorkload& planned, std::int64_t ranks, const PlanNpu& npu, const PlanSearchSpec& search, Session& session)
{
    const Result<ServedBounds> bounds = boundsOf(flags);
    if (!bounds)
        return session.fail(bounds.error());
    const Result<ServedPlans> found = searchServedPlans(*planned.model, *planned.plan, ranks, npu, search, bounds.value(), {threadsOf(flags), session.stopToken(), tellerOf("estimating plans", session), {}});
    if (!found) {
        Error error = found.error();
        if (error.place.file.empty() && !error.place.field.empty())
            error.place = design.place(error.place.field);
        return session.fail(error);
    }
    session.print(flags.json ? servedPlansJson(found.value(), bounds.value(), designHash(design, session.stopToken()).hex()) : servedPlansText(found.value()));
    if (found.value().plans.empty())
        return session.setExit(1);
    if (flags.out.empty())
        return;
    SearchedPlan best;
    best.choice = found.value().plans.front().choice;
    best.choice.block.microBatch = std::max<std::int64_t>(1, planned.model->train.micro);
    best.plan = found.value().plans.front().plan;
    const Result<std::string> text = textWithPlan(flags, changes, design, best);
    if (!text)
        return session.fail(text.error());
    session.fail(session.outputs()->write(flags.out, text.value()));
}

/// The plan with the shortest step is the first, so that what would make another one shorter changes the winner.
bool stepsRank(const PlanSearchSpec& search)
{
    const PlanObjective first = search.objectives.front();
    return first != PlanObjective::Memory && first != PlanObjective::Npus && !search.varies(PlanVariable::Npus) && !search.fixed.npus;
}

void runPlanSearch(const PlanSearchFlags& flags, Session& session)
{
    if (Status status = claimOutputs(session, {{"--out", flags.out}}, {{"DESIGN", flags.design}}, flags.json); !status)
        return session.fail(status);
    const Result<std::vector<FieldOverride>> changes = overridesOf(flags.sets, "search.top=5");
    if (!changes)
        return session.fail(changes.error());
    const Result<LoadedDesign> loaded = readDesignOnly(flags.design, changes.value(), session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    if (session.failOn(loaded.value().diagnostics))
        return;
    const Design& design = loaded.value().design;
    const Result<YamlDocument> document = documentWith(flags.design, changes.value());
    if (!document)
        return session.fail(document.error());
    const Result<PlanSearchSpec> search = searchOf(document.value(), flags);
    if (!search)
        return session.fail(search.error());
    const auto* planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (!planned || !planned->model)
        return session.fail(invalidInput("the workload of this design is no model with a plan", design.place("workload"), "workload: {model: ..., plan: ...}"));
    const auto platform = Platform::create(*design.platform, session.stopToken());
    if (!platform)
        return session.fail(platform.error());
    const Result<std::int64_t> counted = planRanks(design, platform.value());
    if (!counted)
        return session.fail(counted.error());
    const std::int64_t ranks = counted.value();
    const PlanNpu npu = planNpuOf(design, platform.value());
    if (planned->plan->inference)
        return runServedSearch(flags, changes.value(), design, *planned, ranks, npu, search.value(), session);
    if (!flags.firstToken.empty() || !flags.perToken.empty())
        return session.fail(usageError("a step of training has no tokens to wait for", flags.firstToken.empty() ? "--per-token" : "--first-token", "workload.plan.inference"));
    const PlanSearchOptions options{threadsOf(flags), session.stopToken(), tellerOf("estimating plans", session), {}};
    const std::int64_t begin = session.elapsedMicroseconds();
    const Result<std::optional<CostConfig>> costs = readCosts(document.value());
    if (!costs)
        return session.fail(costs.error());
    Result<PlanSearchResult> found = searchMachine(design, platform.value(), costs.value() ? &*costs.value() : nullptr, npu, ranks, search.value(), options);
    if (!found) {
        Error error = std::move(found).error();
        if (error.place.file.empty() && !error.place.field.empty())
            error.place = design.place(error.place.field);
        return session.fail(error);
    }
    PlanSearchResult& result = found.value();
    PlanSearchNotes notes{designHash(design, session.stopToken()).hex(), planEstimateText(design, platform.value(), *planned), session.elapsedMicroseconds() - begin, 0, {}, {}, design.accuracy ? std::optional(design.accuracy->errorPct) : std::nullopt};
    if (!result.plans.empty() && stepsRank(search.value())) {
        notes.estimatedBest = result.plans.front();
        const PlanSearchOptions turning{options.threads, options.stop, tellerOf("looking for what would change the winner", session), {}};
        Result<std::vector<PlanTurn>> turns = planTurns(design, *planned->model, *planned->plan, ranks, search.value(), result.plans, turning);
        if (!turns)
            return session.fail(turns.error());
        notes.turns = std::move(turns).value();
    }
    if (!flags.estimate) {
        notes.simulated = std::min(result.plans.size(), static_cast<std::size_t>(search.value().top));
        if (Status status = simulatePlans(design, *planned->model, search.value(), notes.simulated, options, result, simulatingTo(session)); !status)
            return session.fail(status.error());
    }
    session.print(flags.json ? plansJson(result, search.value(), notes) : plansText(result, search.value(), notes));
    // Nothing fits, or none of those that should fit runs.
    const bool none = result.plans.empty() || (!flags.estimate && !result.plans.front().simulated);
    if (none)
        session.setExit(1);
    if (flags.out.empty() || none)
        return;
    const Result<std::string> text = textWithPlan(flags, changes.value(), design, result.plans.front());
    if (!text)
        return session.fail(text.error());
    session.fail(session.outputs()->write(flags.out, text.value()));
}

} // namespace

void addPlanSearch(Command& plan, Session& session)
{
    constexpr std::int64_t kMostThreads = 1024;
    auto flags = std::make_shared<PlanSearchFlags>();
    Command& command = *plan.add_subcommand("search", "The best plans of the model on the machine: all are ranked by an estimate, the best are simulated");
    command.add_option("DESIGN", flags->design, "Design file (YAML) whose workload is a model with a plan; `search` says what is tried")->required();
    command.add_option("--top", flags->top, "Plans to list and simulate (default: search.top, usually 20)")->range(1, kMostTopPlans);
    command.add_option("--objective", flags->objectives, "What is wanted, the first ranks: step_time, tokens_per_npu, memory, npus, cost, energy (default: search.objective, usually step_time)")->take_all()->expected(1)->allow_extra_args(false);
    command.add_flag("--estimate", flags->estimate, "Simulate nothing: the estimate alone ranks");
    command.add_option("--threads", flags->threads, "Threads; 0: one per core (default). The answer does not depend on them")->range(0, kMostThreads);
    command.add_option("--set", flags->sets, "Replace a field of the design, e.g. search.top=5")->take_all()->expected(1)->allow_extra_args(false);
    command.add_option("--first-token", flags->firstToken, "Inference: longest time to the first token, as 1 s; with --per-token the batch is the largest within both");
    command.add_option("--per-token", flags->perToken, "Inference: longest time from one token to the next, as 50 ms");
    command.add_option("--out", flags->out, "Write the design with the best plan to this file");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { runPlanSearch(*flags, session); });
}

} // namespace fabricscope::cli
