// fabricscope-cli serve: requests and answers as lines of JSON, for other languages and editors.
#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/clients/requestserver.h"
#include "core/run/memorylimit.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

struct ServeFlags {
    std::int32_t atOnce = 0; ///< 0: one for each core.
    std::string memoryLimit;
};

constexpr std::int32_t kMostAtOnce = 64;

void run(const ServeFlags& flags, const Command& program, Session& session)
{
    if (!session.ownsProcess())
        return session.fail(Error{ErrorCode::Usage, "serve answers requests in a process of its own", {}, "fabricscope-cli serve"});
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    RequestLimits limits;
    limits.atOnce = flags.atOnce > 0 ? flags.atOnce : std::min<int>(cores, kMostAtOnce);
    // Of the processes, not of this one: it holds no more than the lines that wait and the answers.
    const Result<std::int64_t> all = applyMemoryLimit(flags.memoryLimit, session);
    if (!all)
        return session.fail(all.error());
    constexpr std::int64_t kLeastEach = std::int64_t{1} << 20;
    limits.memoryEach = all.value() > 0 ? std::max(kLeastEach, all.value() / limits.atOnce) : 0;
    // Those that run are given a moment to say that they were stopped.
    session.allowBestSoFar();
    RequestServer server(program.rows(), limits, STDIN_FILENO, STDOUT_FILENO);
    session.fail(server.run(session.stopToken()));
}

} // namespace

void addServe(Command& program, Session& session)
{
    auto flags = std::make_shared<ServeFlags>();
    Command& command = *program.add_subcommand("serve", "Answer requests: lines of JSON on standard input, any command by its name; lines of JSON on standard output");
    command.add_option("--jobs", flags->atOnce, "Requests at once; the others wait (default: one for each core)")->range(1, kMostAtOnce);
    command.add_option("--memory-limit", flags->memoryLimit, "Of all requests together, each has its part, e.g. \"8 GiB\" (default: 60 % of the RAM)")->group("Run");
    command.callback([flags, &program, &session] { run(*flags, program, session); });
}

} // namespace fabricscope::cli
