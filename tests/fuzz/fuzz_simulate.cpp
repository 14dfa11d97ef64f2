// Any bytes as a design of at most 64 NPUs that names no files: what is sound is made ready and simulated, by the engine of its choice and by
// events, for a second at most. Both must give the same end.
#include "core/design/design.h"
#include "core/scenario/lowering.h"
#include "core/sim/simulate.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace fabricscope;

namespace {

constexpr std::int64_t kMostNpus = 64;
constexpr std::int64_t kMostMemory = std::int64_t{512} << 20;

bool isSmall(const Design& design)
{
    if (!design.platform || !design.workload || std::holds_alternative<TraceWorkload>(*design.workload) || design.platform->links.size() > 500 || design.platform->nodes.size() > 200)
        return false;
    std::int64_t npus = 1;
    for (const Dimension& dimension : design.platform->dimensions)
        npus = std::min<std::int64_t>(npus * std::max(dimension.size, 1), 1 << 21);
    return npus <= kMostNpus;
}

/// Asks for a stop after a second; what does not hear it is a hang and found by the fuzzer's own limit.
class Deadline {
public:
    Deadline() : m_thread([this](std::stop_token ended) {
        std::unique_lock lock(m_mutex);
        if (!m_wake.wait_for(lock, ended, std::chrono::seconds(1), [] { return false; }) && !ended.stop_requested())
            m_source.request_stop();
    })
    {
    }
    std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const LoadedDesign loaded = inspectDesignText({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", {}, false);
    const auto wrong = [](const Diagnostic& entry) { return entry.severity == Severity::Error; };
    if (std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), wrong) || !isSmall(loaded.design))
        return 0;
    const Diagnostics found = validate(loaded.design);
    if (std::any_of(found.begin(), found.end(), wrong))
        return 0;
    const Deadline deadline;
    const auto scenario = prepare(loaded.design, 1, deadline.token());
    if (!scenario)
        return 0;
    RunOptions options;
    options.memoryLimit = kMostMemory;
    options.taskTimes = false;
    options.busyOverTime = false;
    const auto run = simulate(*scenario.value(), options, deadline.token());
    if (!run || run.value().cutAt)
        return 0;
    if (run.value().complete && run.value().finish.ps < 0)
        std::abort();
    options.engine = EngineChoice::Events;
    const auto again = simulate(*scenario.value(), options, deadline.token());
    if (again && !again.value().cutAt && (again.value().complete != run.value().complete || again.value().finish.ps != run.value().finish.ps))
        std::abort();
    return 0;
}
