// How long the command runs on after Ctrl+C, on the largest inputs: from the signal to the end of the process, at moments drawn from the
// whole run. Baseline: a process that only waits. The goal is 0.5 s at most: counter `worst_ms`.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// A folder for inputs and outputs that goes away with the program.
const fs::path& folder()
{
    struct Folder {
        fs::path path = fs::temp_directory_path() / ("bench_stop." + std::to_string(::getpid()));
        Folder() { fs::create_directories(path); }
        ~Folder()
        {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    };
    static const Folder made;
    return made.path;
}

std::string file(const std::string& name, const std::function<void(std::ostream&)>& write)
{
    const fs::path path = folder() / name;
    if (!fs::exists(path)) {
        std::ofstream stream(path);
        write(stream);
    }
    return path.string();
}

std::string graphOf200000Links()
{
    return file("graph.yaml", [](std::ostream& out) {
        constexpr int kNpus = 2000;
        constexpr int kOut = 100;
        std::mt19937 random(1);
        out << "fabricscope: 1\nplatform:\n  nodes:\n";
        for (int i = 0; i < kNpus; ++i)
            out << "    - {name: n" << i << ", kind: npu}\n";
        out << "  links:\n";
        for (int i = 0; i < kNpus; ++i) {
            for (int k = 0; k < kOut; ++k) {
                const int step = k == 0 ? 1 : 1 + static_cast<int>(random() % (kNpus - 1));
                out << "    - {from: n" << i << ", to: n" << (i + step) % kNpus << ", bandwidth: 50 GB/s, latency: 500 ns}\n";
            }
        }
        out << "workload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n";
    });
}

std::string dumpOf20000Gpus()
{
    file("dump.xml", [](std::ostream& out) {
        constexpr int kGpus = 20'000;
        out << "<system version=\"1\">\n";
        for (int gpu = 0; gpu < kGpus; ++gpu) {
            if (gpu % 8 == 0)
                out << "<cpu numaid=\"" << gpu / 8 << "\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\">\n";
            out << "<pci busid=\"" << std::hex << gpu / 8 << ":0" << gpu % 8 << std::dec << ":00.0\" link_speed=\"16 GT/s\" link_width=\"16\"><gpu dev=\"" << gpu
                << "\" sm=\"80\" rank=\"" << gpu << "\"><nvlink target=\"ffff:ff:ff.f\" count=\"12\" tclass=\"0x068000\"/></gpu></pci>\n";
            if (gpu % 8 == 7)
                out << "</cpu>\n";
        }
        out << "</system>\n";
    });
    return file("dump.yaml", [](std::ostream& out) {
        out << "fabricscope: 1\nplatform: {file: dump.xml, kind: nccl}\nworkload:\n  steps:\n    - {collective: all_reduce, size: 1 MiB}\n";
    });
}

/// 64 ranks; each step is two tasks of every rank.
std::string tasks(const std::string& name, int steps)
{
    return file(name, [steps](std::ostream& out) {
        out << "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: ring, size: 64, bandwidth: 50 GB/s, latency: 500 ns}\nworkload:\n  steps:\n    - repeat: " << steps
            << "\n      steps:\n        - {collective: all_reduce, size: 1 MiB}\n        - {compute: 3 us}\n";
    });
}

std::string yamlOf60Mb()
{
    return file("large.yaml", [](std::ostream& out) {
        out << "fabricscope: 1\nplatform:\n  nodes:\n";
        for (int i = 0; i < 1'400'000; ++i)
            out << "    - {name: node" << 1'000'000 + i << ", kind: npu}\n";
    });
}

/// 16 ranks of 20,000 nodes each, as JSON: computations, an all-reduce after each, and messages to the next rank.
std::string traces()
{
    constexpr int kRanks = 16;
    constexpr int kRounds = 5'000;
    for (int rank = 0; rank < kRanks; ++rank) {
        file("traces." + std::to_string(rank) + ".json", [rank](std::ostream& out) {
            const auto attribute = [&](const char* name, std::int64_t value) { out << "{\"name\": \"" << name << "\", \"int64_val\": " << value << "}"; };
            out << "{\"nodes\": [";
            for (int i = 0; i < kRounds; ++i) {
                const int first = 4 * i;
                out << (i > 0 ? ",\n" : "\n") << "{\"id\": " << first << ", \"name\": \"c\", \"type\": 4, \"duration_micros\": 3}";
                out << ",\n{\"id\": " << first + 1 << ", \"name\": \"a\", \"type\": 7, \"data_deps\": [" << first << "], \"attr\": [";
                attribute("comm_type", 0);
                out << ", ";
                attribute("comm_size", 1 << 20);
                out << "]}";
                for (const bool send : {true, false}) {
                    out << ",\n{\"id\": " << first + (send ? 2 : 3) << ", \"name\": \"m\", \"type\": " << (send ? 5 : 6) << ", \"data_deps\": [" << first + 1 << "], \"attr\": [";
                    attribute("comm_size", 4096);
                    out << ", ";
                    attribute("comm_tag", i);
                    out << ", ";
                    attribute(send ? "comm_dst" : "comm_src", send ? (rank + 1) % kRanks : (rank + kRanks - 1) % kRanks);
                    out << "]}";
                }
            }
            out << "\n]}\n";
        });
    }
    return (folder() / "traces").string();
}

/// 20,000 hosts of 8 accelerators, joined to one switch.
std::string infraGraphOf20000Hosts()
{
    return file("infragraph.yaml", [](std::ostream& out) {
        constexpr int kHosts = 20'000;
        out << "devices:\n- name: host\n  components: [{name: xpu, count: 8, choice: xpu}, {name: sw, count: 1, choice: switch}]\n"
               "  links: [{name: nvlink, description: nvlink_4}]\n  edges:\n"
               "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: nvlink}\n"
               "- name: core\n  components: [{name: asic, count: 1, choice: switch}]\n  links: []\n  edges: []\n"
               "links: [{name: eth}]\ninstances: [{name: host, device: host, count: "
            << kHosts << "}, {name: core, device: core, count: 1}]\nedges:\n";
        for (int host = 0; host < kHosts; ++host)
            out << "- {ep1: {instance: 'host[" << host << "]', component: sw}, ep2: {instance: core, component: asic}, scheme: many2many, link: eth}\n";
    });
}

pid_t started(std::vector<std::string> command)
{
    std::vector<char*> arguments;
    for (std::string& word : command)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    if (posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/// Until the process ends, at most so long; false: the system does not tell.
bool waitForEnd(pid_t child, std::chrono::duration<double> most)
{
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (process < 0)
        return false;
    pollfd end{process, POLLIN, 0};
    const bool told = ::poll(&end, 1, static_cast<int>(most.count() * 1e3)) >= 0;
    ::close(process);
    return told;
}

/// The process's exit code; -1: a signal ended it.
int ended(pid_t child)
{
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Stops the command `arguments` at moments of its run, of which `longest` seconds count; `out`: its output file, which must not appear.
void stopped(benchmark::State& state, const std::vector<std::string>& arguments, double longest, const std::string& out)
{
    std::vector<std::string> command{FABRICSCOPE_CLI};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const std::string path = (folder() / out).string();
    if (!out.empty())
        command.push_back(path);
    std::mt19937 random(7);
    double worst = 0;
    std::int64_t early = 0;
    // Once whole: moments after its end would stop nothing.
    if (const pid_t child = started(command); child >= 0) {
        const Clock::time_point begin = Clock::now();
        waitForEnd(child, std::chrono::duration<double>(longest));
        longest = std::min(longest, std::chrono::duration<double>(Clock::now() - begin).count());
        ::kill(child, SIGINT);
        ended(child);
    }
    for (auto _ : state) {
        if (!out.empty())
            fs::remove(path);
        const pid_t child = started(command);
        if (child < 0)
            return state.SkipWithError("the program does not start");
        const bool told = waitForEnd(child, std::chrono::duration<double>(std::uniform_real_distribution<double>(std::min(0.02, longest / 2), longest)(random)));
        const Clock::time_point begin = Clock::now();
        ::kill(child, SIGINT);
        const int exit = ended(child);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        state.SetIterationTime(seconds);
        worst = std::max(worst, seconds);
        early += exit == 4 ? 0 : 1; // It had ended already.
        if (!told)
            return state.SkipWithError("the end of a process cannot be waited for");
        if (exit == 4 && !out.empty() && fs::exists(path))
            return state.SkipWithError("stopped, and yet there is an output file");
    }
    state.counters["worst_ms"] = worst * 1e3;
    state.counters["ended_before"] = static_cast<double>(early);
}

void processThatOnlyWaits(benchmark::State& state)
{
    for (auto _ : state) {
        const pid_t child = started({"sleep", "60"}); // posix_spawnp() comes back when the program has been put in place.
        const Clock::time_point begin = Clock::now();
        ::kill(child, SIGINT);
        ended(child);
        state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begin).count());
    }
}

void synthesisFor4096Npus(benchmark::State& state)
{
    stopped(state, {"synthesize", "--topology", "Ring(64)_Ring(64)", "--bandwidth", "50,50", "--latency", "500,500", "--size", "64MiB", "--out"}, 25, "program.json");
}

void graph(benchmark::State& state)
{
    stopped(state, {"simulate", graphOf200000Links(), "--save"}, 20, "out.run");
}

void ncclDump(benchmark::State& state)
{
    stopped(state, {"simulate", dumpOf20000Gpus(), "--save"}, 18, "out.run");
}

void tenMillionTasks(benchmark::State& state)
{
    stopped(state, {"simulate", tasks("tasks.yaml", 80'000), "--save"}, 8, "out.run");
}

void timelineOfAllRanks(benchmark::State& state)
{
    stopped(state, {"simulate", tasks("timeline.yaml", 10'000), "--ranks", "all", "--timeline"}, 6, "out.json");
}

/// The whole page of a run of many tasks.
void report(benchmark::State& state)
{
    stopped(state, {"simulate", tasks("report.yaml", 10'000), "--ranks", "all", "--report"}, 6, "out.html");
}

void lint(benchmark::State& state)
{
    stopped(state, {"lint", traces()}, 6, {});
}

void infraGraph(benchmark::State& state)
{
    stopped(state, {"convert", infraGraphOf20000Hosts()}, 6, "out.yaml");
}

void yaml(benchmark::State& state)
{
    stopped(state, {"simulate", yamlOf60Mb(), "--save"}, 10, "out.run");
}

/// Written once, by a run that is not stopped: ring all-reduce over `ranks` ranks, nearly twice their square of sends and as many receives.
std::string ringProgram(int ranks)
{
    const std::string program = (folder() / ("ring" + std::to_string(ranks) + ".json")).string();
    if (!fs::exists(program))
        ended(started({FABRICSCOPE_CLI, "program", "--algorithm", "ring", "--op", "all_reduce", "--axes", std::to_string(ranks), "--out", program}));
    return program;
}

/// As large as a program file may be (64 MiB).
void verifyLargestProgram(benchmark::State& state)
{
    stopped(state, {"verify", ringProgram(400)}, 1.5, {});
}

void convertProgram(benchmark::State& state)
{
    stopped(state, {"convert", ringProgram(400)}, 6, "out.xml");
}

void forestOf256Npus(benchmark::State& state)
{
    stopped(state, {"synthesize", "--topology", "Ring(16)_Ring(16)", "--bandwidth", "50,20", "--latency", "500,500", "--size", "64MiB", "--method", "forest", "--out"}, 5,
            "program.json");
}

} // namespace

BENCHMARK(processThatOnlyWaits)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(synthesisFor4096Npus)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(graph)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(ncclDump)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(tenMillionTasks)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(timelineOfAllRanks)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(report)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(lint)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(infraGraph)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(convertProgram)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(yaml)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(verifyLargestProgram)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
BENCHMARK(forestOf256Npus)->UseManualTime()->Iterations(8)->Unit(benchmark::kMillisecond);
