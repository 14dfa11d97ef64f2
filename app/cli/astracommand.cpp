// fabricscope-cli astra: ASTRA-sim's command line and result lines.
#include "app/cli/astraflags.h"
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/cli/values.h"
#include "core/base/index.h"
#include "core/design/referencedfiles.h"
#include "core/report/outputfile.h"
#include "core/report/runtext.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>

namespace fabricscope::cli {

namespace {

std::int64_t cycles(SimTime time)
{
    return time.ps / kPsPerNs;
}

/// Lines with a time stamp, as ASTRA-sim's logger writes them. One stamp for the whole result: they are written at once.
class Log {
public:
    Log()
    {
        std::timespec now{};
        std::timespec_get(&now, TIME_UTC);
        std::tm local{};
        ::localtime_r(&now.tv_sec, &local);
        char text[64];
        const std::size_t length = std::strftime(text, sizeof text, "[%Y-%m-%d %H:%M:%S", &local);
        std::snprintf(text + length, sizeof text - length, ".%03ld]", now.tv_nsec / 1'000'000);
        m_stamp = text;
    }
    void add(std::string_view logger, std::string_view text) { m_text += m_stamp + " [" + std::string(logger) + "] [info] " + std::string(text) + '\n'; }
    const std::string& text() const { return m_text; }

private:
    std::string m_stamp;
    std::string m_text;
};

/// Times of every rank, by rank.
std::vector<const RankTimes*> timesByRank(const RunRecord& record)
{
    std::vector<const RankTimes*> times(static_cast<std::size_t>(record.rankCount), nullptr);
    for (const RankClass& row : record.classes) {
        for (const RankSet::Interval& interval : row.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                times.at(static_cast<std::size_t>(rank)) = &row.times;
        }
    }
    return times;
}

void addStatistics(Log& log, std::int32_t rank, const RankTimes& times, bool roofline)
{
    const std::string sys = "sys[" + std::to_string(rank) + ']';
    const auto line = [&](std::string_view name, std::int64_t value) { log.add("statistics", sys + ", " + std::string(name) + ": " + std::to_string(value)); };
    log.add("statistics", sys + ". Post statistics processing start.");
    log.add("statistics", sys + ". Post statistics processing end.");
    line("Wall time", cycles(times.finish));
    for (const auto& [value, name] : {std::pair{times.host, "CPU time"}, {times.compute, "GPU time"}, {times.comm, "Comm time"}, {times.memory, "Remote mem time"}}) {
        if (value.ps > 0)
            line(name, cycles(value));
    }
    const std::int64_t overlap = cycles(times.compute) + cycles(times.comm) - cycles(times.finish);
    if (times.compute.ps > 0 && times.comm.ps > 0 && overlap > 0)
        line("Total compute-communication overlap", overlap);
    if (roofline) {
        log.add("statistics", sys + ", Compute bound percentage: " + withDecimals(100 * times.computeBoundShare, 3) + '%');
        log.add("statistics", sys + ", Average compute utilization: " + withDecimals(100 * times.computeUtilisation, 3) + '%');
        log.add("statistics", sys + ", Average memory utilization: " + withDecimals(100 * times.memoryUtilisation, 3) + '%');
        log.add("statistics", sys + ", Average operation intensity: " + withDecimals(times.operationIntensity, 3));
    }
}

/// The result lines: ranks in the order they finished, then what each did.
std::string resultLines(const RunRecord& record, bool roofline)
{
    Log log;
    const std::vector<const RankTimes*> times = timesByRank(record);
    std::vector<std::int32_t> finished;
    for (const std::int32_t rank : record.finishOrder) {
        const RankTimes* const own = times.at(static_cast<std::size_t>(rank));
        if (own && own->finished)
            finished.push_back(rank);
    }
    for (const std::int32_t rank : finished) {
        const RankTimes& own = *times[at(rank)];
        log.add("workload", "sys[" + std::to_string(rank) + "] finished, " + std::to_string(cycles(own.finish)) + " cycles, exposed communication "
                    + std::to_string(cycles(own.exposedComm)) + " cycles.");
    }
    for (const std::int32_t rank : finished)
        addStatistics(log, rank, *times[at(rank)], roofline);
    return log.text();
}

std::string logOf(const std::string& folder)
{
    return folder.empty() ? std::string() : (std::filesystem::path(folder) / "log.log").string();
}

Status writeLog(const std::string& folder, const std::string& text, Session& session)
{
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) {
        Error error{ErrorCode::NotWritable, "the folder cannot be made: " + failure.message(), {}, {}};
        error.place.file = folder;
        error.place.field = "--logging-folder";
        return error;
    }
    return writeOutputFile(logOf(folder), text, session.outputs());
}

void warnAbout(Session& session, const Diagnostics& diagnostics)
{
    for (const Diagnostic& entry : diagnostics) {
        if (entry.severity == Severity::Warning)
            session.say(entry.text());
    }
}

} // namespace

void runAstra(const std::string& program, const std::vector<std::string>& arguments, Session& session)
{
    const Result<AstraFlags> flags = parseAstraFlags(program, arguments);
    if (!flags)
        return session.fail(flags.error());
    for (const std::string& text : flags.value().warnings)
        session.say("warning: " + text);
    const Result<std::int64_t> limit = applyMemoryLimit(flags.value().memoryLimit, session);
    if (!limit)
        return session.fail(limit.error());

    Result<LoadedDesign> loaded = readAstraInputs(flags.value().inputs);
    if (!loaded)
        return session.fail(loaded.error());
    Design& design = loaded.value().design;
    if (const Status status = claimOutputs(session, {{"--logging-folder", logOf(flags.value().loggingFolder)}}, referencedFiles(design), false); !status)
        return session.fail(status);
    design.model.model = flags.value().model;
    if (session.failOn(loaded.value().diagnostics) || session.failOn(validate(design, session.stopToken())))
        return;
    warnAbout(session, loaded.value().diagnostics);
    if (design.model.model == Model::AstraAware && design.platform->dimensions.size() > 1)
        session.say("warning: ASTRA-sim's congestion-aware program refuses more than one dimension; this is the answer of its unmerged multi-dimensional branch");
    const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const Result<ScenarioPtr> scenario = prepare(design, threads, session.stopToken());
    if (!scenario)
        return session.fail(scenario.error());
    warnAbout(session, scenario.value()->diagnostics);

    RunOptions options;
    options.memoryLimit = limit.value();
    options.taskTimes = false;
    const Result<RunRecord> record = simulate(*scenario.value(), options, session.stopToken());
    if (!record)
        return session.fail(record.error());
    warnAbout(session, record.value().diagnostics);

    const std::string lines = resultLines(record.value(), design.astra && design.astra->roofline);
    session.print(lines);
    if (!record.value().complete) {
        session.sayError("error: the simulation cannot finish; these ranks wait for ever:\n" + waitsText(record.value()));
        session.setExit(exitCode(ErrorCode::Stuck));
    }
    if (!flags.value().loggingFolder.empty())
        session.fail(writeLog(flags.value().loggingFolder, lines, session));
}

void addAstra(Command& program, Session& session)
{
    // Only for the help: the options never reach this parser, see main().
    Command& command = *program.add_subcommand("astra", "Simulate ASTRA-sim inputs with its own options; prints its result lines");
    command.footer("Options, --name=value or --name value:\n"
                   "  --workload-configuration     Chakra traces PREFIX.RANK.et (required)\n"
                   "  --system-configuration       JSON (required)\n"
                   "  --network-configuration      YAML (required)\n"
                   "  --remote-memory-configuration JSON (required)\n"
                   "  --comm-group-configuration   JSON; any path with \"empty\" in it: no groups (default)\n"
                   "  --num-queues-per-dim         queues per dimension (default 1)\n"
                   "  --injection-scale            factor on endpoint-delay (default 1)\n"
                   "  --rendezvous-protocol        true or false (default)\n"
                   "  --logging-folder             writes log.log there; nothing is written without it\n"
                   "  --backend                    unaware (default) or aware\n"
                   "  --memory-limit               stop beyond this, e.g. \"8 GiB\" (default: 60 % of the RAM)\n"
                   "Unknown options are ignored with a warning. Started under a name with Congestion_Unaware or Congestion_Aware in it,\n"
                   "the program behaves as this command.");
    command.allow_extras();
    command.callback([&session] { session.fail(Error{ErrorCode::Usage, "astra must be the first argument", {}, {}}); });
}

} // namespace fabricscope::cli
