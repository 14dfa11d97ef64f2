#include "app/python/commandcall.h"

#include "app/cli/shared/commandset.h"
#include "app/cli/session.h"
#include "app/python/heardcall.h"

#include <pybind11/stl.h>

#include <mutex>
#include <string>
#include <vector>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

/// What a command printed, and how it ended.
struct CommandAnswer {
    int exit = 0;
    std::string printed;
    std::string messages;
};

CommandAnswer answerOf(const std::vector<std::string>& arguments, const std::stop_token& stop)
{
    CommandAnswer answer;
    cli::SessionStreams streams;
    streams.print = [&answer](std::string_view text) {
        answer.printed += text;
        return 0;
    };
    std::mutex saying; // Some is said by threads of the work.
    streams.say = [&answer, &saying](std::string_view text) {
        const std::lock_guard lock(saying);
        answer.messages += text;
    };
    cli::Session session(stop, std::make_shared<OutputFiles>(), std::move(streams));
    cli::runArguments(arguments, session);
    answer.exit = session.exit();
    return answer;
}

py::tuple command(const std::vector<std::string>& arguments)
{
    CommandAnswer answer;
    CallProgress progress;
    callHeard([&](const std::stop_token& stop) { answer = answerOf(arguments, stop); }, py::none(), progress);
    return py::make_tuple(answer.exit, answer.printed, answer.messages);
}

} // namespace

void bindCommands(py::module_& module)
{
    module.def("command", &command, py::arg("arguments"));
}

} // namespace fabricscope::python
