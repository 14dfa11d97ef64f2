// fabricscope-cli compare: two to four designs, or one design under two models with the difference taken apart.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/design/file/readdesign.h"
#include "core/design/modelversions.h"
#include "core/insight/comparetext.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct CompareFlags {
    std::vector<std::string> designs;
    std::string models;
    std::int64_t baseline = 1;
    RunFlags run;
};

/// One or two models, separated by a comma.
Result<std::vector<Model>> modelsOf(const std::string& text)
{
    std::vector<Model> models;
    if (text.empty())
        return models;
    for (const std::string& name : commaSeparated(text)) {
        const std::optional<Model> model = parseModel(name);
        if (!model)
            return usageError("there is no model \"" + name + '"', "--models", "two of " + modelList("and") + ", e.g. astra-unaware,links");
        models.push_back(*model);
    }
    return models;
}

std::string nameOf(const RunSummary& summary, const std::string& file)
{
    return summary.name.empty() ? file : summary.name + " (" + file + ')';
}

void reconcileModels(const CompareFlags& flags, const RunRequest& request, std::vector<Model> models, Session& session)
{
    if (models.size() > 2)
        return session.fail(usageError(std::to_string(models.size()) + " models", "--models", "two, e.g. astra-unaware,links"));
    Result<LoadedDesign> loaded = readDesignOnly(flags.designs[0], {}, session.stopToken());
    if (!loaded)
        return session.fail(loaded.error());
    if (session.failOn(loaded.value().diagnostics) || session.failOn(validate(loaded.value().design, session.stopToken())))
        return;
    if (models.size() == 1)
        models.insert(models.begin(), loaded.value().design.model.model);
    ReconcileOptions options;
    options.engine = request.engine;
    options.seed = request.seed;
    options.threads = request.threads;
    options.memoryLimit = request.memoryLimit;
    const Result<Reconciliation> result = reconcile(std::make_shared<const Design>(loaded.value().design), loaded.value().diagnostics, models[0], models[1], options, session.stopToken());
    if (!result)
        return session.fail(withEngineNamed(result.error(), request.engine));
    noteUnusedSeed(session, request, *result.value().a->scenario);
    for (const RunResultPtr& run : {result.value().a, result.value().b}) {
        for (const std::string& text : warningsOf(run->summary)) {
            session.say("warning: " + std::string(modelName(run->record().model)) + ": " + text);
            if (flags.run.strict)
                session.setExit(1);
        }
    }
    if (flags.run.json)
        session.print(reconciliationJson(result.value(), request.rows));
    else
        session.print(reconciliationText(result.value()));
}

/// Reads and runs every design; nothing where one fails: then the message is out.
std::vector<ComparedDesign> runAll(const CompareFlags& flags, RunRequest request, Session& session)
{
    request.taskTimes = true; // Parts of the step are made of them.
    std::vector<ComparedDesign> designs;
    for (const std::string& file : flags.designs) {
        Result<LoadedDesign> loaded = readDesignOnly(file, {}, session.stopToken());
        if (!loaded) {
            session.fail(loaded.error());
            return {};
        }
        ModelConfig& model = loaded.value().design.model;
        if (request.model && *request.model != model.model) {
            model.model = *request.model;
            model.version = versionFor(model.model, model.version);
        }
        auto design = std::make_shared<const Design>(loaded.value().design);
        std::optional<FinishedRun> run = computeRun(session, std::move(loaded).value(), request);
        if (!run)
            return {};
        designs.push_back({nameOf(run->summary, file), std::move(design), run->scenario, std::move(run->summary), std::move(run->cost)});
    }
    return designs;
}

void compareFiles(const CompareFlags& flags, const RunRequest& request, Session& session)
{
    if (flags.baseline < 1 || flags.baseline > static_cast<std::int64_t>(flags.designs.size()))
        return session.fail(usageError("there is no design " + std::to_string(flags.baseline), "--baseline", "1 to " + std::to_string(flags.designs.size())));
    std::vector<ComparedDesign> designs = runAll(flags, request, session);
    if (designs.empty())
        return;
    WaterfallOptions options;
    options.engine = request.engine;
    options.seed = request.seed;
    options.threads = request.threads;
    options.memoryLimit = request.memoryLimit;
    options.progress = [&session](int done, int of) { session.progress().tell({"comparing", of > 0 ? static_cast<double>(done) / of : -1}); };
    const Result<DesignSet> set = compareDesigns(std::move(designs), static_cast<std::size_t>(flags.baseline - 1), options, session.stopToken());
    if (!set)
        return session.fail(set.error());
    if (set.value().designs.size() > 2 || set.value().baseline > 0)
        return session.print(flags.run.json ? designSetJson(set.value(), request.rows) : designSetText(set.value()));
    const ComparedDesign& a = set.value().designs[0];
    const ComparedDesign& b = set.value().designs[1];
    const DesignComparison comparison{a.name, b.name, a.summary, b.summary, a.cost, b.cost, differenceOf(*a.summary.record, *b.summary.record),
                                      differingFields(*a.design, *b.design), &set.value()};
    session.print(flags.run.json ? comparisonJson(comparison, request.rows) : comparisonText(comparison));
}

void run(const CompareFlags& flags, const Command& command, Session& session)
{
    const OptionsRead text{"without --json", {"--models", "--baseline", "--engine", "--seed", "--threads", "--strict", "--json"}, "--json with it"};
    if (const Status status = command.checkRead(text); !flags.run.json && !status)
        return session.fail(status);
    Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    const Result<std::vector<Model>> models = modelsOf(flags.models);
    if (!models)
        return session.fail(models.error());
    if (flags.designs.size() == 1) {
        if (models.value().empty())
            return session.fail(usageError("one design and no model to compare it under", "compare", "a second design, or --models astra-unaware,links"));
        const OptionsRead one{"with one design", {"--models", "--engine", "--seed", "--threads", "--strict", "--ranks", "--json"}, "a second design"};
        if (const Status status = command.checkRead(one); !status)
            return session.fail(status);
        return reconcileModels(flags, request.value(), models.value(), session);
    }
    if (models.value().size() > 1)
        return session.fail(usageError("several designs are compared under one model", "--models", "one model, or none: each design under its own"));
    if (!models.value().empty())
        request.value().model = models.value()[0];
    compareFiles(flags, request.value(), session);
}

} // namespace

void addCompare(Command& program, Session& session)
{
    auto flags = std::make_shared<CompareFlags>();
    Command& command = *program.add_subcommand("compare", "Compare two to four designs, or two models of one, and take the differences apart");
    command.add_option("DESIGN", flags->designs, "Design files (YAML), at most four")->required()->expected(1, DesignSet::kMost);
    command.add_option("--models,--model", flags->models, "One design: the two models, e.g. astra-unaware,links (one: from the design's own to it). "
                                                          "Several designs: the model of all (default: each its own)");
    command.add_option("--baseline", flags->baseline, "Several designs: number of the one that the others are compared with (default 1)");
    const std::string group = "Run";
    command.add_option("--engine", flags->run.engine, "How it is computed, the answer is the same: auto, memo, symmetry, sweep or events")->group(group);
    addSeed(command, flags->run.seed, "Seed of whatever is drawn at random")->group(group);
    command.add_option("--threads", flags->run.threads, "Threads; 0: one per core")->group(group);
    command.add_option("--memory-limit", flags->run.memoryLimit, "Stop beyond this, e.g. \"8 GiB\" (default: 60 % of the RAM)")->group(group);
    command.add_flag("--strict", flags->run.strict, "Exit code 1 when there are warnings")->group(group);
    command.add_option("--ranks", flags->run.ranks, "Rows of ranks in the JSON result: all, classes or none")->group("Output");
    command.add_flag("--json", flags->run.json, "The result as one JSON object")->group("Output");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
