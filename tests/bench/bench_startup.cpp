/// Start-up: the smallest run as a whole process, from spawn to exit, beside a process that does nothing.

#include <benchmark/benchmark.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <string>
#include <vector>

extern char** environ;

namespace {

bool runQuietly(const std::vector<std::string>& command)
{
    std::vector<char*> arguments;
    for (const std::string& word : command)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const bool started = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void spawn(benchmark::State& state, const std::vector<std::string>& command)
{
    for (auto _ : state) {
        if (!runQuietly(command)) {
            state.SkipWithError("the program did not end well");
            break;
        }
    }
}

void processThatDoesNothing(benchmark::State& state)
{
    spawn(state, {"true"});
}

void smallestRun(benchmark::State& state)
{
    spawn(state, {FABRICSCOPE_CLI, "collective", "--topology", "Ring(2)", "--bandwidth", "50", "--latency", "500", "--collective", "all_reduce", "--size",
                  "1MiB", "--algorithm", "ring"});
}

void smallestRunOfTheReferenceModel(benchmark::State& state)
{
    spawn(state, {FABRICSCOPE_CLI, "collective", "--topology", "Ring(4)", "--bandwidth", "50", "--latency", "500", "--collective", "all_reduce", "--size",
                  "1MiB", "--algorithm", "ring", "--model", "astra-unaware"});
}

} // namespace

BENCHMARK(processThatDoesNothing)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(smallestRun)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(smallestRunOfTheReferenceModel)->UseRealTime()->Unit(benchmark::kMillisecond);
