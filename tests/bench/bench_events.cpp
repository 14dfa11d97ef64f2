#include "core/sim/events/engine.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/heapqueue.h"

#include <benchmark/benchmark.h>

#include <queue>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// The baseline: std::priority_queue with the interface of eventqueue.h.
class StandardQueue {
public:
    bool empty() const { return m_queue.empty(); }
    std::size_t size() const { return m_queue.size(); }
    void push(const Event& event) { m_queue.push(event); }
    std::int64_t takeInstant(std::vector<Event>& batch)
    {
        const std::int64_t time = m_queue.top().time;
        while (!m_queue.empty() && m_queue.top().time == time) {
            batch.push_back(m_queue.top());
            m_queue.pop();
        }
        return time;
    }
    void copy(std::vector<Event>& events) const
    {
        for (auto rest = m_queue; !rest.empty(); rest.pop())
            events.push_back(rest.top());
    }
    void restart(std::int64_t) { m_queue = {}; }

private:
    struct Later {
        bool operator()(const Event& a, const Event& b) const { return a.time > b.time; }
    };
    std::priority_queue<Event, std::vector<Event>, Later> m_queue;
};

/// Ring all-reduce over `ranks` with `chunks` chunks; every link has its own rate.
Scenario unequalRing(int ranks, int chunks, bool reduces)
{
    PlatformSpec spec = astraPlatform("Ring(" + std::to_string(ranks) + ")", {50}, {500});
    for (std::int64_t link = 0; link < 2LL * ranks; ++link) {
        LinkOverride entry;
        entry.link = link;
        entry.bandwidth = astraBandwidth(50.0 * (1.0 - 0.3 * static_cast<double>(link * 7919 % 64) / 64));
        spec.linkOverrides.push_back(entry);
    }
    LinksScenario scenario(spec);
    if (reduces)
        scenario.reducerRate = 1'600'000'000'000;
    scenario.collectiveByAll(CollectiveOp::AllReduce, std::int64_t{ranks} * chunks * 16384, {Algorithm::Ring}, chunks);
    return scenario.build();
}

void ringAllReduce(benchmark::State& state)
{
    const Scenario scenario = unequalRing(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), state.range(2) != 0);
    const RunOptions options;
    std::int64_t messages = 0;
    std::int64_t events = 0;
    for (auto _ : state) {
        events::Engine engine(scenario, options);
        if (!engine.build() || !engine.run({}))
            state.SkipWithError("the run failed");
        messages += engine.network.messages();
        events += engine.agenda.handled();
    }
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
    state.counters["events/message"] = static_cast<double>(events) / static_cast<double>(messages);
}

/// All-reduce over three dimensions of 1024 NPUs: rings, direct, and halving-doubling through switches.
void threeDimensions(benchmark::State& state)
{
    LinksScenario builder(astraPlatform("Ring(4)_FullyConnected(8)_Switch(32)", {200, 100, 50}, {50, 500, 2000}));
    builder.reducerRate = 1'600'000'000'000;
    builder.collectiveByAll(CollectiveOp::AllReduce, state.range(0) << 20, {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling}, 16);
    const Scenario scenario = builder.build();
    const RunOptions options;
    std::int64_t messages = 0;
    for (auto _ : state) {
        events::Engine engine(scenario, options);
        if (!engine.build() || !engine.run({}))
            state.SkipWithError("the run failed");
        messages += engine.network.messages();
    }
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

/// Double binary trees over 16384 NPUs behind one switch.
void trees(benchmark::State& state)
{
    LinksScenario builder(astraPlatform("Switch(16384)", {50}, {500}));
    builder.reducerRate = 1'600'000'000'000;
    builder.collectiveByAll(CollectiveOp::AllReduce, 16 << 20, {Algorithm::DoubleBinaryTree}, 8);
    const Scenario scenario = builder.build();
    const RunOptions options;
    std::int64_t messages = 0;
    for (auto _ : state) {
        events::Engine engine(scenario, options);
        if (!engine.build() || !engine.run({}))
            state.SkipWithError("the run failed");
        messages += engine.network.messages();
    }
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

/// Hold model: `pending` events, each taken one is pushed again after a random delay of up to 2 us in ps.
template <typename Queue>
void hold(benchmark::State& state)
{
    Queue queue;
    std::uint64_t random = 88172645463325252ULL;
    const auto delay = [&random] {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return 1 + static_cast<std::int64_t>(random % 2'000'000);
    };
    Event event;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        event.time = delay();
        queue.push(event);
    }
    std::vector<Event> batch;
    std::int64_t taken = 0;
    for (auto _ : state) {
        batch.clear();
        const std::int64_t now = queue.takeInstant(batch);
        taken += static_cast<std::int64_t>(batch.size());
        for (Event& next : batch) {
            next.time = now + delay();
            queue.push(next);
        }
    }
    state.counters["events/s"] = benchmark::Counter(static_cast<double>(taken), benchmark::Counter::kIsRate);
}

} // namespace

// Ranks, chunks, with a reducer.
BENCHMARK(ringAllReduce)->Args({1024, 16, 0})->Args({1024, 16, 1})->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(trees)->Unit(benchmark::kMillisecond);
BENCHMARK(threeDimensions)->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);

#define HOLD(QUEUE) BENCHMARK(hold<QUEUE>)->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 20)
HOLD(StandardQueue);
HOLD(HeapQueue);
HOLD(WheelQueue<6>);
HOLD(WheelQueue<8>);
#undef HOLD
