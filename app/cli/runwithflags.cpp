#include "app/cli/outputs.h"
#include "app/cli/output/pdfreport.h"
#include "app/cli/runflags.h"
#include "core/base/stop.h"
#include "core/design/modelversions.h"
#include "core/design/referencedfiles.h"
#include "core/report/html.h"
#include "core/report/outputfile.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "core/report/timedtraces.h"
#include "core/report/timeline.h"
#include "core/run/rundesign.h"
#include "core/run/seeds.h"
#include "core/scenario/networkparams.h"

#include <algorithm>

namespace fabricscope::cli {

namespace {

/// Reports, timelines and saved runs; the first that cannot be written ends it.
Status writeOutputs(Session& session, const RunRequest& request, const FinishedRun& run)
{
    if (!request.flags.save.empty()) {
        if (Status status = saveRun(request.flags.save, run.summary, run.cost, session.outputs(), session.stopToken()); !status)
            return status;
    }
    if (!request.flags.timeline.empty()) {
        if (Status status = writeTimeline(request.flags.timeline, *run.summary.record, *run.scenario->structure->workload, request.rows, session.outputs(), session.stopToken()); !status)
            return status;
    }
    if (!request.flags.traces.empty()) {
        const Result<Diagnostics> notes = writeTimedTraces(request.flags.traces, *run.summary.record, *run.scenario->structure->workload, session.outputs(), session.stopToken());
        if (!notes)
            return notes.error();
        for (const Diagnostic& note : notes.value())
            session.say(note.text());
    }
    const ReportSource source{&run.summary, run.scenario, nullptr, nullptr, {}, {}, {}};
    if (isPdfName(request.flags.report))
        return untilStopped([&] { return writePdfReport(request.flags.report, reportContent(source, session.stopToken()), session); });
    if (!request.flags.report.empty())
        return writeReport(request.flags.report, source, session.outputs(), session.stopToken());
    return {};
}

std::vector<NamedFile> outputsOf(const RunFlags& flags)
{
    return {{"--save", flags.save}, {"--timeline", flags.timeline}, {"--et", flags.traces, true}, {"--et", flags.traces.empty() ? std::string() : flags.traces + ".json"}, {"--report", flags.report}};
}

/// Tells of a run; empty: nobody sees it.
std::function<void(const RunProgress&)> runTeller(Session& session)
{
    if (!session.progress().isShown())
        return {};
    return [&session](const RunProgress& progress) {
        const bool simulating = progress.stage == RunProgress::Stage::Simulating;
        session.progress().tell({simulating ? "simulating" : "preparing", progress.share, simulating ? progress.eventsPerSecond : 0, "events", progress.secondsLeft});
    };
}

} // namespace

std::optional<FinishedRun> computeRun(Session& session, LoadedDesign loaded, const RunRequest& request)
{
    Design& design = loaded.design;
    if (request.model && *request.model != design.model.model) {
        design.model.model = *request.model;
        design.model.version = versionFor(design.model.model, design.model.version);
    }
    const RunFlags& flags = request.flags;
    if (const Status status = claimOutputs(session, outputsOf(flags), referencedFiles(design), flags.json); !status) {
        session.fail(status);
        return std::nullopt;
    }
    if (session.failOn(loaded.diagnostics) || session.failOn(validate(design, session.stopToken())))
        return std::nullopt;
    RunDesignOptions options;
    options.engine = request.engine;
    options.seed = request.seed;
    options.threads = request.threads;
    options.memoryLimit = request.memoryLimit;
    options.taskTimes = request.taskTimes || !flags.save.empty() || !flags.timeline.empty() || !flags.traces.empty() || !flags.report.empty();
    options.progress = runTeller(session);
    const Result<RunResultPtr> result = runDesign(std::make_shared<const Design>(design), loaded.diagnostics, options, session.stopToken());
    if (!result) {
        session.fail(withEngineNamed(result.error(), request.engine));
        return std::nullopt;
    }

    noteUnusedSeed(session, request, *result.value()->scenario);

    FinishedRun run{result.value()->scenario, result.value()->summary, result.value()->cost};
    if (!request.flags.save.empty() || !request.flags.report.empty())
        run.summary.designText = designTextOf(design, session.stopToken());
    if (request.flags.seeds > 1 && run.summary.record->complete) {
        const NetworkParams* const network = run.scenario->params->network.get();
        RunOptions each;
        each.engine = request.engine;
        each.memoryLimit = request.memoryLimit;
        const std::uint64_t first = request.seed != 0 ? request.seed : std::max<std::uint64_t>(1, network ? network->seed : 0);
        const Result<SeedTimes> times = simulateSeeds(*run.scenario, each, first, request.flags.seeds, request.threads, session.stopToken());
        if (!times) {
            session.fail(times.error());
            return std::nullopt;
        }
        run.seeds = SeedSummary{first, request.flags.seeds, SimTime{times.value().percentile(50)}, SimTime{times.value().percentile(99)},
                                SimTime{std::ranges::min(times.value().finishPs)}, SimTime{std::ranges::max(times.value().finishPs)}};
    }
    run.cost.wallMicroseconds = session.elapsedMicroseconds();
    if (!run.summary.record->complete) {
        session.sayError("error: the simulation cannot finish; these ranks wait for ever:\n" + waitsText(*run.summary.record));
        session.setExit(exitCode(ErrorCode::Stuck));
    } else if (request.flags.strict && !warningsOf(run.summary).empty()) {
        session.setExit(1);
    }
    return run;
}

void runDesign(Session& session, LoadedDesign loaded, const RunRequest& request)
{
    const std::optional<FinishedRun> run = computeRun(session, std::move(loaded), request);
    if (!run)
        return;
    for (const std::string& text : warningsOf(run->summary))
        session.say("warning: " + text);
    const SeedSummary* const seeds = run->seeds ? &*run->seeds : nullptr;
    const std::stop_token stop = session.stopToken();
    const Result<std::string> text = untilStopped([&]() -> Result<std::string> {
        return request.flags.json ? runJson(run->summary, run->cost, request.rows, seeds, stop) : runText(run->summary, run->cost, request.rows, seeds, stop);
    });
    if (!text)
        return session.fail(text.error());
    session.print(text.value());
    if (const Status status = writeOutputs(session, request, *run); !status)
        session.fail(status);
}

} // namespace fabricscope::cli
