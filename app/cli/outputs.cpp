#include "app/cli/outputs.h"

#include "app/cli/runflags.h"
#include "core/base/files/outputtarget.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace fabricscope::cli {

Status claimOutputs(Session& session, std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs, bool json)
{
    const auto printed = [](const NamedFile& file) { return !file.path.empty() && streamOf(outputTarget(file.path)) == STDOUT_FILENO; };
    const auto found = std::find_if(outputs.begin(), outputs.end(), printed);
    const bool toOutput = found != outputs.end();
    if (!toOutput) {
        outputs.push_back({"standard output", "/dev/stdout"});
    } else if (json) {
        Error error{ErrorCode::Usage, "standard output takes this or the JSON of --json, not both", {}, "the name of a file"};
        error.place.field = found->name;
        return error;
    }
    for (const NamedFile& output : outputs) {
        if (const Status status = output.isPrefix ? checkPrefix(output.name, output.path) : Status(); !status)
            return status;
    }
    if (Status status = checkOutputs(outputs, inputs); !status)
        return status;
    if (toOutput)
        session.leaveOutput();
    return {};
}

Status checkPrefix(const std::string& option, const std::string& prefix)
{
    if (streamOf(prefix) < 0)
        return {};
    return usageError("these are several files, and " + prefix + " is one stream", option, "what their names begin with");
}

void guardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        // The wrong way round, so that using a stream that was closed fails as it would have.
        if (::fcntl(stream, F_GETFD) < 0)
            ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
    // Also in programs that are started from here; SIGPIPE is Interrupt's.
    std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace fabricscope::cli
