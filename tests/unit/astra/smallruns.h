#pragma once

#include "tests/unit/support/cases/astracase.h"
#include "core/base/index.h"
#include "tests/unit/support/cases/astraring.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace fabricscope::test {

/// Runs of the models of ASTRA-sim small enough for a calculation by hand.
inline constexpr std::int64_t kMiB = 1 << 20;
using Times = std::vector<std::int64_t>;

inline AstraCase ring(std::int32_t size, Model model = Model::AstraUnaware)
{
    AstraCase run("Ring(" + std::to_string(size) + ')', "50", "500");
    run.model = model;
    run.useForAll("ring");
    return run;
}

inline AstraCase shaped(const std::string& topology, Model model = Model::AstraUnaware)
{
    AstraCase run(topology, "50", "500");
    run.model = model;
    run.useForAll("ring");
    return run;
}

inline Times finish(const AstraCase& run)
{
    const auto record = run.run();
    if (!record || !record.value().complete) {
        qWarning("%s", record ? "stands still" : record.error().text().c_str());
        return {};
    }
    return finishPerRank(record.value());
}

/// Finish of all ranks where they agree, else -1.
inline std::int64_t common(const AstraCase& run)
{
    const Times times = finish(run);
    for (const std::int64_t time : times) {
        if (time != times.front())
            return -1;
    }
    return times.empty() ? -1 : times.front();
}

/// One message from 0 to `to`; the other ranks do nothing.
inline AstraCase message(AstraCase run, std::int32_t to, std::int64_t bytes)
{
    run.ranks.assign(static_cast<std::size_t>(run.npus()), {});
    run.ranks[0].send(to, bytes);
    run.ranks[at(to)].receive(0, bytes);
    return run;
}

inline AstraCase sendersTo3(const std::string& topology, Model model)
{
    AstraCase run = shaped(topology, model);
    run.ranks.assign(4, {});
    for (std::int32_t rank = 0; rank < 3; ++rank) {
        run.ranks[at(rank)].send(3, kMiB);
        run.ranks[3].receive(rank, kMiB);
    }
    return run;
}

inline AstraCase collective(const std::string& topology, const std::string& algorithm, CollectiveOp op, std::int64_t size = kMiB)
{
    AstraCase run = shaped(topology);
    run.useForAll(algorithm);
    run.runCollective(op, size);
    return run;
}

inline AstraCase pool(RemoteMemory::Kind kind)
{
    AstraCase run = ring(4);
    run.memory = {kind, 1000, 100, 2, 2};
    RankTasks tasks;
    tasks.memory(TaskKind::MemoryLoad, kMiB);
    run.ranks = {tasks};
    return run;
}

inline AstraCase roofline(std::vector<std::pair<std::int64_t, std::int64_t>> nodes)
{
    AstraCase run = ring(4);
    run.system.roofline = true;
    run.system.peakTflops = 900;
    run.system.localMemoryGBps = 1600;
    RankTasks tasks;
    TaskIndex last = -1;
    for (const auto& [operations, bytes] : nodes)
        last = tasks.operations(operations, bytes, last < 0 ? RankTasks::After{} : RankTasks::After{last});
    run.ranks = {tasks};
    return run;
}

// The closed forms (manual: astra 6.2), written down once more: T and R as in manual: astra 2 and 6.
inline std::int64_t transfer(std::int64_t bytes, int hops)
{
    return static_cast<std::int64_t>(std::floor(hops * 500.0 + static_cast<double>(bytes) * 1e9 / (50.0 * 1073741824.0)));
}

inline std::int64_t reduction(std::int64_t bytes)
{
    return 3 * (bytes / 50);
}

} // namespace fabricscope::test
