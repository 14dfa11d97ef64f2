#include "app/cli/runflags.h"

#include "app/cli/commandline.h"
#include "app/cli/shared/runwords.h"
#include "core/report/html.h"
#include "core/report/timeline.h"
#include "core/run/memorylimit.h"
#include "core/scenario/networkparams.h"

#include <thread>

namespace fabricscope::cli {

namespace {

constexpr std::string_view kRows = "all, classes or none";

} // namespace

Error usageError(std::string message, std::string option, std::string expected)
{
    Error error{ErrorCode::Usage, std::move(message), {}, std::move(expected)};
    error.place.field = std::move(option);
    return error;
}

Error withEngineNamed(Error error, EngineChoice engine)
{
    if (error.code == ErrorCode::Unsupported && engine != EngineChoice::Auto && engine != EngineChoice::Events && error.place.empty())
        error.place.field = "--engine";
    return error;
}

void noteUnusedSeed(Session& session, const RunRequest& request, const Scenario& scenario)
{
    const NetworkParams* const network = scenario.params->network.get();
    if ((request.seed != 0 || request.flags.seeds > 1) && !(network && network->draws()))
        session.say(std::string("note: ") + (request.seed != 0 ? "--seed" : "--seeds") + " changes nothing here: this run draws nothing at random (network.jitter, network.routing: ecmp)");
}

int indexOf(std::string_view text, std::initializer_list<std::string_view> list)
{
    int index = 0;
    for (const std::string_view entry : list) {
        if (entry == text)
            return index;
        ++index;
    }
    return -1;
}

Status checkOption(const Quantity& value, Meaning meaning, const std::string& option)
{
    const Status status = checkValue(value, meaning, option);
    return status ? Status{} : usageError(status.error().message, option, status.error().expected);
}

Option* addSeed(Command& command, std::uint64_t& seed, const std::string& description)
{
    // Without the check -1 becomes 2^64 - 1.
    return command.add_option("--seed", seed, description)->nonNegative()->type_name("UINT");
}

void addMemoryLimit(Command& command, std::string& text, const std::string& group)
{
    command.add_option("--memory-limit", text, "Stop beyond this, e.g. \"8 GiB\" (default: 60 % of the RAM)")->group(group);
}

Result<std::int64_t> applyMemoryLimit(const std::string& text, const Session& session)
{
    if (text.empty())
        return session.ownsProcess() ? enforceDefaultMemoryLimit() : 0;
    const Result<Quantity> limit = parseQuantity(text, Measure::Size);
    if (!limit)
        return usageError(limit.error().message, "--memory-limit", limit.error().expected);
    const std::int64_t bytes = toBytes(limit.value()).value;
    constexpr std::int64_t kLeast = std::int64_t{1} << 20;
    if (bytes < kLeast)
        return usageError(limit.value().text() + " cannot be meant", "--memory-limit", "at least 1 MiB");
    if (session.ownsProcess())
        enforceMemoryLimit(bytes);
    return bytes;
}

void addRunFlags(Command& command, RunFlags& flags)
{
    const std::string group = "Run";
    command.add_option("--model", flags.model, "What a time means: " + modelList() + " (default: the design's, else links)")->group(group);
    command.add_option("--engine", flags.engine, "How it is computed, the answer is the same: " + std::string(kEngineWords))->group(group);
    addSeed(command, flags.seed, "Seed of whatever is drawn at random; 0: the design's")->group(group);
    command.add_option("--seeds", flags.seeds, "Run so many seeds from --seed on and report median and p99 of the step")->range(1, 1 << 20)->group(group);
    command.add_option("--threads", flags.threads, "Threads; 0: one per core")->group(group);
    addMemoryLimit(command, flags.memoryLimit, group);
    command.add_flag("--strict", flags.strict, "Exit code 1 when there are warnings")->group(group);
    command.add_option("--ranks", flags.ranks, "Rows of ranks in the result: " + std::string(kRows))->group("Output");
    command.add_flag("--json", flags.json, "The result as one JSON object")->group("Output");
    command.add_option("--save", flags.save, "Save the run for later reports")->group("Output");
    command.add_option("--timeline", flags.timeline, "Write the tasks to FILE.json (Perfetto) or FILE.csv")->group("Output");
    command.add_option("--et", flags.traces, "PREFIX: write the tasks with their times as Chakra traces PREFIX.0.et, PREFIX.1.et, ... and, where collectives have groups, PREFIX.json")->group("Output");
    command.add_option("--report", flags.report, "Write a report to FILE.html or FILE.pdf")->group("Output");
}

std::vector<std::string_view> withRunFlags(std::vector<std::string_view> more)
{
    more.insert(more.end(), {"--model", "--engine", "--seed", "--seeds", "--threads", "--strict", "--ranks", "--json", "--save", "--timeline", "--et", "--report"});
    return more;
}

Result<RunRequest> understand(const RunFlags& flags, const Session& session)
{
    RunRequest request;
    request.flags = flags;
    if (!flags.model.empty()) {
        const Result<Model> model = modelNamed(flags.model, "--model");
        if (!model)
            return model.error();
        request.model = model.value();
    }
    const Result<EngineChoice> engine = engineNamed(flags.engine, "--engine");
    if (!engine)
        return engine.error();
    request.engine = engine.value();
    const int rows = indexOf(flags.ranks, {"classes", "all", "none"});
    if (rows < 0)
        return usageError("\"" + flags.ranks + "\" names no rows", "--ranks", std::string(kRows));
    request.rows = static_cast<RankRows>(rows);
    if (flags.threads < 0 || flags.threads > 1024)
        return usageError(std::to_string(flags.threads) + " is no number of threads", "--threads", "0 to 1024");
    request.threads = flags.threads > 0 ? flags.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    request.seed = flags.seed;
    const Result<std::int64_t> limit = applyMemoryLimit(flags.memoryLimit, session);
    if (!limit)
        return limit.error();
    request.memoryLimit = limit.value();
    if (!flags.timeline.empty()) {
        if (Status name = checkTimelineName(flags.timeline); !name)
            return std::move(name).error();
    }
    if (!flags.report.empty()) {
        if (Status name = checkReportName(flags.report, true); !name)
            return std::move(name).error();
    }
    return request;
}

} // namespace fabricscope::cli
