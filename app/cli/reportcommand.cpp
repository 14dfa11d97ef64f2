// fabricscope-cli report: a page about a saved run, or about a design, which is simulated first.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/output/pdfreport.h"
#include "app/cli/runflags.h"
#include "core/base/files/textfile.h"
#include "core/design/file/readdesign.h"
#include "core/design/referencedfiles.h"
#include "core/insight/comparisonsection.h"
#include "core/insight/explainsection.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/base/stop.h"
#include "core/report/reportchoice.h"
#include "core/report/runtext.h"
#include "core/run/planssection.h"
#include "core/run/savedresult.h"
#include "core/yaml/tree.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace fabricscope::cli {

namespace {

struct ReportFlags {
    std::string input;
    std::string out;
    std::vector<std::string> others;
    std::int64_t baseline = 1;
    std::string sections = reportPartKeys();
    std::string question;
    std::string paper = "a4";
    bool plans = false;
    bool explain = false;
    RunFlags run;
};

Result<ReportChoice> choiceOf(const ReportFlags& flags, const Command& command)
{
    Result<std::vector<ReportPart>> sections = reportPartsOf(flags.sections);
    if (!sections)
        return std::move(sections).error();
    const Result<ReportPaper> paper = reportPaperOf(flags.paper);
    if (!paper)
        return paper.error();
    ReportChoice choice;
    choice.sections = std::move(sections).value();
    choice.paper = paper.value();
    if (command.isGiven("--question"))
        choice.question = flags.question;
    return choice;
}

/// Runs the design of the report once more, message by message, for what the page says of it.
Status addExplained(const SavedRun& saved, const Design& design, const WaterfallOptions& run, const std::stop_token& stop, ReportContent& content)
{
    ExplainOptions options;
    options.engine = run.engine;
    options.seed = saved.summary.seed;
    options.threads = run.threads;
    options.memoryLimit = run.memoryLimit;
    options.prepared = preparedOf(saved.summary, saved.scenario);
    const Result<Explanation> explanation = explainDesign(std::make_shared<const Design>(design), {}, {}, options, stop);
    if (!explanation)
        return explanation.error();
    addExplanation(explanation.value(), content);
    return {};
}

/// What a page gets beside its run.
struct PageExtras {
    bool plans = false;
    const Design* explained = nullptr; ///< Null: not explained.
};

/// The page, in the form its ending names.
Status writePage(const std::string& path, const SavedRun& saved, const std::vector<SavedRun>& others, const ReportChoice& choice, const PageExtras& extras, const RunRequest& request, Session& session)
{
    WaterfallOptions options;
    options.engine = request.engine;
    options.seed = request.seed;
    options.threads = request.threads;
    options.memoryLimit = request.memoryLimit;
    const std::stop_token stop = session.stopToken();
    return untilStopped([&]() -> Status {
        Result<ReportContent> content = comparedReport(saved, others, options, stop);
        if (!content)
            return content.error();
        if (extras.explained && saved.summary.record->complete) {
            if (Status status = addExplained(saved, *extras.explained, options, stop, content.value()); !status)
                return status;
        }
        if (extras.plans) {
            if (Status status = addPlans(content.value(), saved.summary, request.threads, stop); !status)
                return status;
        }
        choose(choice, content.value());
        return isPdfName(path) ? writePdfReport(path, std::move(content).value(), session) : writeReport(path, content.value(), session.outputs(), stop);
    });
}

/// A run or a design as it was read.
struct ReportedInput {
    std::optional<SavedRun> saved;
    std::optional<LoadedDesign> design; ///< To be simulated where there is no run; that of a run, where it can be read.
    std::vector<NamedFile> files;       ///< It, and what it was made of.
};

Result<ReportedInput> readReported(const std::string& path, const char* name, const std::stop_token& stop)
{
    static constexpr std::string_view kKinds[] = {"a saved run", "a design"};
    const FileWanted wanted{"a run (simulate --save) or a design", kKinds};
    const Result<std::string> text = readTextFile(path, kMaxRunBytes);
    if (!text)
        return withKindNamed(text.error(), path, wanted);
    ReportedInput input;
    input.files.push_back({name, path});
    const auto addFiles = [&](const Design& design) {
        for (NamedFile& file : referencedFiles(design))
            input.files.push_back(std::move(file));
    };
    if (looksLikeRunFile(text.value())) {
        Result<SavedRun> read = readRunText(text.value(), path, stop);
        if (!read)
            return std::move(read).error();
        input.saved = std::move(read).value();
        if (auto design = readDesignText(input.saved->summary.designText, input.saved->summary.designFile, {}, stop)) {
            addFiles(design.value().design);
            input.design = std::move(design).value();
        }
        return input;
    }
    Result<LoadedDesign> loaded = readDesign(path, {}, stop);
    if (!loaded)
        return withKindNamed(loaded.error(), path, wanted);
    addFiles(loaded.value().design);
    input.design = std::move(loaded).value();
    return input;
}

/// Runs what is no run yet. Nothing where that fails: then the message is out.
std::optional<SavedRun> runOf(ReportedInput input, const RunRequest& request, Session& session)
{
    if (input.saved)
        return std::move(input.saved);
    std::optional<FinishedRun> computed = computeRun(session, std::move(*input.design), request);
    if (!computed)
        return std::nullopt;
    return SavedRun{std::move(computed->summary), computed->cost, std::move(computed->scenario)};
}

/// The model of the run: the command line may have asked for another one than the design.
void setModelOf(const RunSummary& summary, Design& design)
{
    design.model.model = summary.record->model;
    design.model.version = summary.record->version;
}

/// Is it what was run, with all files it names?
bool isAsRun(Design design, const RunSummary& summary, const std::stop_token& stop)
{
    setModelOf(summary, design);
    return designHash(design, stop).hex() == summary.designHash;
}

/// Does the text of its design say `placement: hap`? It need not be readable any more.
bool saysHap(const RunSummary& summary, const std::stop_token& stop)
{
    const Result<YamlDocument> text = YamlDocument::parse(summary.designText, summary.designFile, stop);
    const YamlNode* const placement = text ? text.value().find("workload.plan.placement") : nullptr;
    return placement && placement->isScalar() && placement->text == keyOf(kPlanPlacements, PlanPlacement::Hap);
}

/// Runs do not keep what placement: hap found: it is found again. Where files of the design have changed since, that would be another one: it is said, and none is shown.
/// Errors: Cancelled, MemoryLimit.
Status addPlacement(const std::optional<LoadedDesign>& read, int threads, Session& session, SavedRun& saved)
{
    const std::stop_token stop = session.stopToken();
    if (saved.summary.plan || !saved.summary.record->complete || !saysHap(saved.summary, stop))
        return {};
    std::string reason = "files that the design names have changed since it was run";
    if (read && isAsRun(read->design, saved.summary, stop)) {
        const Result<RunResultPtr> result = resultOfSavedRun(saved, threads, stop);
        if (result) {
            saved.summary.plan = result.value()->summary.plan;
            saved.scenario = result.value()->scenario;
            return {};
        }
        if (result.error().code == ErrorCode::Cancelled || result.error().code == ErrorCode::MemoryLimit)
            return result.error();
        reason = result.error().text();
    }
    session.say("note: the placement is not shown: " + reason);
    return {};
}

/// --compare, the baseline first.
Result<std::vector<std::string>> othersOf(const ReportFlags& flags, const Command& command)
{
    const auto count = static_cast<std::int64_t>(flags.others.size());
    if (count == 0 && command.isGiven("--baseline"))
        return usageError("--baseline is not used without --compare", "--baseline", "--compare OTHER");
    if (count > 0 && (flags.baseline < 1 || flags.baseline > count))
        return usageError("--compare names no design " + std::to_string(flags.baseline), "--baseline", count == 1 ? "1" : "1 to " + std::to_string(count));
    std::vector<std::string> others = flags.others;
    if (count > 0)
        std::rotate(others.begin(), others.begin() + (flags.baseline - 1), others.begin() + flags.baseline);
    return others;
}

/// What cannot be meant by the choice, before anything is read. Errors: Usage.
Status checkChoice(const ReportFlags& flags, const Command& command, const ReportChoice& choice)
{
    const bool comparison = std::find(choice.sections->begin(), choice.sections->end(), ReportPart::Comparison) != choice.sections->end();
    if (command.isGiven("--sections") && flags.others.empty() && comparison)
        return usageError("the section comparison is not there without --compare", "--sections", "--compare OTHER");
    if (!flags.others.empty() && !comparison)
        return usageError("--compare is not used without the section comparison", "--compare", "comparison among the words of --sections");
    if (flags.out.empty())
        return {};
    if (Status name = checkReportName(flags.out, true); !name) {
        Error error = std::move(name).error();
        error.place.field = "--out";
        return error;
    }
    return {};
}

void run(const ReportFlags& flags, const Command& command, Session& session)
{
    const OptionsRead page{"with --out", {"--out", "--compare", "--baseline", "--sections", "--question", "--paper", "--plans", "--explain"}, "one of the two: what is printed, or the page"};
    const OptionsRead printed{"without --out", {"--ranks", "--json"}, "--out FILE.html or FILE.pdf"};
    if (const Status status = command.checkRead(flags.out.empty() ? printed : page); !status)
        return session.fail(status);
    const Result<ReportChoice> choice = choiceOf(flags, command);
    if (!choice)
        return session.fail(choice.error());
    const Result<std::vector<std::string>> others = othersOf(flags, command);
    if (!others)
        return session.fail(others.error());
    if (const Status status = checkChoice(flags, command, choice.value()); !status)
        return session.fail(status);
    Result<RunRequest> request = understand(flags.run, session);
    if (!request)
        return session.fail(request.error());
    request.value().flags.report = flags.out; // Asks the run for what a report shows.

    std::vector<ReportedInput> inputs; // All are read before the first is simulated.
    std::vector<NamedFile> files;
    for (std::size_t i = 0; i <= others.value().size(); ++i) {
        Result<ReportedInput> input = readReported(i == 0 ? flags.input : others.value()[i - 1], i == 0 ? "INPUT" : "--compare", session.stopToken());
        if (!input)
            return session.fail(input.error());
        files.insert(files.end(), input.value().files.begin(), input.value().files.end());
        inputs.push_back(std::move(input).value());
    }
    if (Status status = claimOutputs(session, {{"--out", flags.out}}, files, flags.run.json); !status)
        return session.fail(status);
    if (flags.plans && inputs.front().design) {
        if (Status status = canSearchPlans(inputs.front().design->design); !status)
            return session.fail(status);
    }
    if ((flags.out.empty() || flags.explain) && inputs.front().saved) {
        if (Status status = addPlacement(inputs.front().design, request.value().threads, session, *inputs.front().saved); !status)
            return session.fail(status);
    }
    if (flags.explain && !inputs.front().design)
        return session.fail(usageError("the design of the run cannot be read, so that it cannot be explained", "--explain", "a run whose files are where they were"));
    std::optional<Design> explained = flags.explain ? std::optional(inputs.front().design->design) : std::nullopt;
    if (explained && inputs.front().saved)
        setModelOf(inputs.front().saved->summary, *explained);
    std::vector<SavedRun> runs;
    for (ReportedInput& input : inputs) {
        std::optional<SavedRun> finished = runOf(std::move(input), request.value(), session);
        if (!finished)
            return;
        runs.push_back(std::move(*finished));
    }
    const SavedRun saved = std::move(runs.front());
    runs.erase(runs.begin());
    if (flags.out.empty())
        session.print(flags.run.json ? runJson(saved.summary, saved.cost, request.value().rows) : runText(saved.summary, saved.cost, request.value().rows));
    else
        session.fail(writePage(flags.out, saved, runs, choice.value(), {flags.plans, explained ? &*explained : nullptr}, request.value(), session));
}

} // namespace

void addReport(Command& program, Session& session)
{
    auto flags = std::make_shared<ReportFlags>();
    Command& command = *program.add_subcommand("report", "Report on a saved run, or on a design");
    command.add_option("INPUT", flags->input, "A run (simulate --save), or a design file")->required();
    command.add_option("--out", flags->out, "Write FILE.html or FILE.pdf; without it the result is printed");
    command.add_option("--compare", flags->others, "Compare with one to three others, designs or saved runs: the page gets the section comparison")->expected(1, DesignSet::kMost - 1);
    command.add_option("--baseline", flags->baseline, "Number of the one of --compare that is the baseline (default 1)");
    command.add_option("--sections", flags->sections, "Sections of the page between commas, or none: " + reportPartKeys() + " (comparison: with --compare)");
    command.add_option("--question", flags->question, "The question the report answers; without it the notes of the design");
    command.add_option("--paper", flags->paper, "Paper of the page: a4 or letter");
    command.add_flag("--plans", flags->plans, "Search the best plans as `search` of the design says, and add them to the results");
    command.add_flag("--explain", flags->explain, "Explain the time: adds the critical path, the diagnosis and who is to blame to the findings");
    command.add_option("--ranks", flags->run.ranks, "Rows of ranks in a printed result: all, classes or none");
    command.add_flag("--json", flags->run.json, "Print JSON");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
