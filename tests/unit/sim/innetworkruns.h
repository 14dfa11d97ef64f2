#pragma once

#include "core/base/index.h"
#include "core/design/edits/edits.h"
#include "core/generate/generate.h"
#include "core/program/innetwork.h"
#include "core/program/programbuilder.h"
#include "core/scenario/lowering.h"
#include "core/scenario/programruns.h"
#include "core/sim/simulate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/oracles/switchmodel.h"

#include <QtTest/QtTest>

#include <random>
#include <set>

namespace fabricscope::test {

/// Designs with switches that reduce, and their times.
using fabricscope::test::exampleScript;
using fabricscope::test::SwitchModel;

inline constexpr std::int64_t kPiece = 256 * 1024;

inline std::string rate(std::int64_t bytesPerSecond) { return std::to_string(bytesPerSecond) + " B/s"; }
inline std::string ps(std::int64_t value) { return std::to_string(value) + " ps"; }

inline ScenarioPtr prepared(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        qFatal("%s\n%s", loaded.error().text().c_str(), text.c_str());
    auto scenario = prepare(loaded.value().design);
    if (!scenario)
        qFatal("%s\n%s", scenario.error().text().c_str(), text.c_str());
    return scenario.value();
}

inline RunRecord runOf(const std::string& text, const RunOptions& options = {})
{
    auto record = simulate(*prepared(text), options);
    if (!record)
        qFatal("%s\n%s", record.error().text().c_str(), text.c_str());
    return std::move(record).value();
}

inline std::int64_t finishOf(const std::string& text)
{
    const RunRecord record = runOf(text);
    return record.complete ? record.finish.ps : -1;
}

inline std::string errorOf(const std::string& text)
{
    auto loaded = readDesignText(text, "test.yaml");
    if (!loaded)
        return loaded.error().text();
    auto scenario = prepare(loaded.value().design);
    return scenario ? std::string() : scenario.error().text();
}

/// One Switch(n) and one collective of all ranks.
struct One {
    int n = 4;
    std::int64_t bandwidth = 100'000'000'000;
    std::int64_t latency = 500'000;
    std::string offload = "reduction: 400 GB/s, latency: 200 ns";
    std::string op = "all_reduce";
    std::int64_t bytes = 1 << 20;
    std::string algorithm = "in_network";
    int chunks = 1;
    std::int64_t delay = 0;
    std::string model = "links";

    std::string text() const
    {
        return "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: " + std::to_string(n) + ", bandwidth: " + rate(bandwidth) + ", latency: " + ps(latency)
            + ", in_network: {" + offload + "}}\nworkload: {collective: " + op + ", size: " + std::to_string(bytes) + " B}\ncollectives: {default: {algorithm: " + algorithm
            + ", chunks: " + std::to_string(chunks) + "}}\nmodel: {name: " + model + ", endpoint_delay: " + ps(delay) + "}\n";
    }
    std::int64_t finish() const { return finishOf(text()); }
};

/// ceil(bytes 10^12 / rate)
inline std::int64_t duration(std::int64_t bytes, std::int64_t perSecond)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>((Wide{bytes} * 1000000000000 + perSecond - 1) / perSecond);
}

/// Many groups on one switch, as a design and as the straight-line model.
struct Shared {
    SwitchModel model;
    std::string text;
};

/// `even`: all sizes divide by chunks and members.
inline Shared randomShared(std::mt19937_64& random, bool ideal, bool even = false)
{
    const auto pick = [&](auto... values) {
        const std::vector<std::int64_t> list{static_cast<std::int64_t>(values)...};
        return list[random() % list.size()];
    };
    Shared made;
    SwitchModel& model = made.model;
    const int n = static_cast<int>(2 + random() % 9);
    const std::int64_t bandwidth = pick(10'000'000'000, 25'000'000'000, 33'333'333'333, 100'000'000'000);
    const std::int64_t latency = pick(1, 1'000, 77'777, 500'000, 2'000'000);
    model.reduction = pick(5'000'000'000, 30'000'000'000, 100'000'000'000, 777'777'777'777);
    model.multicast = pick(0, 0, 20'000'000'000, 150'000'000'000);
    model.latency = pick(1, 200'000, 1'234'567);
    model.endpointDelay = pick(0, 0, 10'000);
    model.ideal = ideal;
    model.upRate.assign(static_cast<std::size_t>(n), bandwidth);
    model.downRate = model.upRate;
    model.upLatency.assign(static_cast<std::size_t>(n), latency);
    model.downLatency = model.upLatency;
    model.entry.assign(static_cast<std::size_t>(n), 0);

    std::string& text = made.text;
    text = "fabricscope: 1\nplatform:\n  dimensions:\n    - {shape: switch, size: " + std::to_string(n) + ", bandwidth: " + rate(bandwidth) + ", latency: " + ps(latency)
        + ", in_network: {reduction: " + rate(model.reduction) + (model.multicast > 0 ? ", multicast: " + rate(model.multicast) : "") + ", latency: " + ps(model.latency) + "}}\n";
    std::string overrides;
    for (int port = 0; port < n; ++port) {
        for (const bool up : {true, false}) {
            if (random() % 5 != 0)
                continue;
            const std::int64_t own = pick(7'000'000'000, 50'000'000'000, 200'000'000'000);
            const std::int64_t ownLatency = pick(1'000, 300'000);
            (up ? model.upRate : model.downRate)[at(port)] = own;
            (up ? model.upLatency : model.downLatency)[at(port)] = ownLatency;
            overrides += "      - {link: \"d0 " + (up ? std::to_string(port) + ">switch" : "switch>" + std::to_string(port)) + "\", bandwidth: " + rate(own) + ", latency: " + ps(ownLatency) + "}\n";
        }
    }
    if (!overrides.empty())
        text += "  overrides:\n    links:\n" + overrides;

    std::vector<int> ports;
    for (int port = 0; port < n; ++port)
        ports.push_back(port);
    std::shuffle(ports.begin(), ports.end(), random);
    std::string groups;
    std::string steps;
    std::string rules;
    for (std::size_t begin = 0; begin + 1 < ports.size() && model.groups.size() < 3;) {
        SwitchModel::Group group;
        const std::size_t size = 2 + random() % (ports.size() - begin - 1);
        group.members.assign(ports.begin() + static_cast<std::ptrdiff_t>(begin), ports.begin() + static_cast<std::ptrdiff_t>(begin + size));
        begin += size;
        std::sort(group.members.begin(), group.members.end());
        group.op = static_cast<SwitchModel::Op>(random() % 4);
        group.bytes = pick(1, 3, 17, 1000, 65'536, 262'144, 262'145, 1'000'003, 3 << 20);
        group.chunks = static_cast<int>(pick(1, 1, 2, 5));
        if (even)
            group.bytes = pick(1, 3, 1000, 40'000, 65'536, 300'001) * group.chunks * static_cast<std::int64_t>(group.members.size());
        const std::string name = "g" + std::to_string(model.groups.size());
        groups += "    - {name: " + name + ", lists: [[";
        for (std::size_t i = 0; i < group.members.size(); ++i)
            groups += (i > 0 ? ", " : "") + std::to_string(group.members[i]);
        groups += "]]}\n";
        for (const int port : group.members) {
            if (random() % 2 == 0)
                continue;
            model.entry[at(port)] = pick(1, 100'000, 123'456, 5'000'000);
            steps += "    - {compute: " + ps(model.entry[at(port)]) + ", ranks: \"" + std::to_string(port) + "\"}\n";
        }
        constexpr const char* kOps[] = {"all_reduce", "reduce_scatter", "all_gather", "broadcast"};
        steps += "    - {collective: " + std::string(kOps[at(group.op)]) + ", size: " + std::to_string(group.bytes) + " B, group: " + name + "}\n";
        rules += "    - {group: " + name + ", chunks: " + std::to_string(group.chunks) + "}\n";
        model.groups.push_back(std::move(group));
    }
    text += "workload:\n  groups:\n" + groups + "  steps:\n" + steps + "collectives:\n  default: {algorithm: in_network}\n  rules:\n" + rules + "model: {name: "
        + (ideal ? "ideal" : "links") + ", endpoint_delay: " + ps(model.endpointDelay) + "}\n";
    return made;
}

inline std::vector<std::int64_t> finishByRank(const RunRecord& record)
{
    std::vector<std::int64_t> finish(static_cast<std::size_t>(record.rankCount), 0);
    for (const RankClass& each : record.classes) {
        for (const RankSet::Interval& interval : each.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                finish[at(rank)] = each.times.finish.ps;
        }
    }
    return finish;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    text.replace(text.find(from), from.size(), to);
    return text;
}

/// The same run with other programs.
inline Scenario withPrograms(const Scenario& scenario, const std::function<ProgramPtr(const ProgramPtr&)>& change)
{
    auto structure = std::make_shared<Structure>(*scenario.structure);
    for (CollectiveInstance& instance : structure->instances) {
        if (instance.program)
            instance.program = change(instance.program);
    }
    Scenario out = scenario;
    out.structure = std::move(structure);
    return out;
}

/// What a program of its own does in the run of `one`.
inline std::vector<std::int64_t> finishOf(const One& one, const ProgramPtr& program, const std::string& steps = {})
{
    std::string text = one.text();
    if (!steps.empty()) {
        const std::size_t begin = text.find("workload:");
        text.replace(begin, text.find('\n', begin) - begin, "workload:\n  steps:\n" + steps + "    - {collective: " + one.op + ", size: " + std::to_string(one.bytes) + " B}");
    }
    const auto record = simulate(withPrograms(*prepared(text), [&](const ProgramPtr&) { return program; }));
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return record.value().complete ? finishByRank(record.value()) : std::vector<std::int64_t>{};
}

inline ProgramBuilder::Row inSwitch(OpKind kind, std::int32_t rank, std::int32_t chunk)
{
    ProgramBuilder::Row row;
    row.rank = rank;
    row.kind = kind;
    row.peer = 0;
    row.chunk = chunk;
    row.sourceBuffer = row.targetBuffer = BufferKind::Input;
    row.sourceOffset = row.targetOffset = chunk;
    return row;
}

} // namespace fabricscope::test
