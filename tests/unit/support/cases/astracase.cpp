#include "tests/unit/support/cases/astracase.h"

#include "core/base/index.h"
#include "core/sim/astra/systemrun.h"
#include "tests/unit/support/corpus.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fabricscope::test {

TaskIndex RankTasks::add(TaskKind kind, const After& after)
{
    const TaskIndex task = m_graph.size();
    m_graph.kind.push_back(kind);
    m_graph.flags.push_back(0);
    m_graph.sourceId.push_back(static_cast<std::uint64_t>(task) + 1);
    m_graph.nameEnd.push_back(0);
    m_graph.durationUs.push_back(0);
    m_graph.operations.push_back(0);
    m_graph.bytes.push_back(0);
    m_graph.op.push_back(CollectiveOp::AllReduce);
    m_graph.family.push_back(0);
    m_graph.peer.push_back(0);
    m_graph.tag.push_back(0);
    m_graph.involved.push_back(0);
    if (m_graph.dependBegin.empty())
        m_graph.dependBegin.push_back(0);
    m_graph.depends.insert(m_graph.depends.end(), after.begin(), after.end());
    m_graph.dependBegin.push_back(static_cast<std::uint32_t>(m_graph.depends.size()));
    return task;
}

TaskIndex RankTasks::compute(std::int64_t micros, After after)
{
    const TaskIndex task = add(TaskKind::Compute, after);
    m_graph.durationUs.back() = micros;
    return task;
}

TaskIndex RankTasks::operations(std::int64_t operations, std::int64_t bytes, After after, std::int64_t micros)
{
    const TaskIndex task = compute(micros, std::move(after));
    m_graph.flags.back() = TaskFlag::kHasOperations | TaskFlag::kHasBytes;
    m_graph.operations.back() = operations;
    m_graph.bytes.back() = bytes;
    return task;
}

TaskIndex RankTasks::host(std::int64_t micros, After after)
{
    const TaskIndex task = compute(micros, std::move(after));
    m_graph.flags.back() = TaskFlag::kHost;
    return task;
}

TaskIndex RankTasks::collective(CollectiveOp op, std::int64_t commSize, std::int32_t members, After after, FamilyId family)
{
    const TaskIndex task = add(TaskKind::Collective, after);
    m_graph.op.back() = op;
    m_graph.bytes.back() = op == CollectiveOp::AllGather ? commSize * members : commSize;
    m_graph.family.back() = family;
    return task;
}

TaskIndex RankTasks::broadcast(std::int64_t bytes, std::int64_t micros, After after)
{
    const TaskIndex task = collective(CollectiveOp::Broadcast, bytes, 1, std::move(after));
    m_graph.durationUs.back() = micros;
    return task;
}

TaskIndex RankTasks::send(std::int32_t to, std::int64_t bytes, std::uint32_t tag, After after)
{
    const TaskIndex task = add(TaskKind::Send, after);
    m_graph.peer.back() = to;
    m_graph.bytes.back() = bytes;
    m_graph.tag.back() = tag;
    return task;
}

TaskIndex RankTasks::receive(std::int32_t from, std::int64_t bytes, std::uint32_t tag, After after)
{
    const TaskIndex task = send(from, bytes, tag, std::move(after));
    m_graph.kind.back() = TaskKind::Receive;
    return task;
}

TaskIndex RankTasks::memory(TaskKind kind, std::int64_t bytes, After after)
{
    const TaskIndex task = add(kind, after);
    m_graph.bytes.back() = bytes;
    return task;
}

TaskIndex RankTasks::nothing(TaskKind kind, After after)
{
    return add(kind, after);
}

void RankTasks::setInvolved(TaskIndex task, std::uint32_t mask)
{
    m_graph.flags[at(task)] |= TaskFlag::kInvolvedGiven;
    m_graph.involved[at(task)] = mask;
}

void RankTasks::setHost(TaskIndex task)
{
    m_graph.flags[at(task)] |= TaskFlag::kHost;
}

std::vector<std::string> splitText(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

CollectiveOp collectiveNamed(const std::string& name)
{
    std::string key = name;
    std::transform(key.begin(), key.end(), key.begin(), [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; });
    for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::AllToAll, CollectiveOp::ReduceScatter}) {
        if (collectiveKey(op) == key)
            return op;
    }
    std::abort();
}

AstraCase::AstraCase(const std::string& topology, const std::string& bandwidth, const std::string& latency)
{
    const std::vector<std::string> rates = splitText(bandwidth, '|');
    const std::vector<std::string> latencies = splitText(latency, '|');
    std::string dense = topology;
    dense.erase(std::remove(dense.begin(), dense.end(), ' '), dense.end());
    for (const std::string& part : splitText(dense, 'x')) {
        const std::size_t open = part.find('(');
        Dimension dimension;
        const std::string shape = part.substr(0, open);
        dimension.shape = shape == "Ring" ? Shape::Ring : shape == "Switch" ? Shape::Switch : Shape::FullyConnected;
        dimension.size = std::stoi(part.substr(open + 1));
        dimension.bandwidth = astraBandwidth(std::stod(rates.at(platform.dimensions.size())));
        dimension.latency = astraLatency(std::stod(latencies.at(platform.dimensions.size())));
        platform.dimensions.push_back(dimension);
    }
    system.splits = 1;
    system.localMemoryGBps = 50;
}

std::int32_t AstraCase::npus() const
{
    std::int32_t product = 1;
    for (const Dimension& dimension : platform.dimensions)
        product *= dimension.size;
    return product;
}

void AstraCase::use(CollectiveOp op, const std::string& algorithms)
{
    std::vector<AstraAlgorithm> list;
    for (std::string name : splitText(algorithms, '|')) {
        AstraAlgorithm entry;
        if (name.starts_with("one")) {
            entry.one = true;
            name = name.substr(3);
            name[0] = static_cast<char>(name[0] - 'A' + 'a');
        }
        if (name.starts_with("direct")) {
            entry.algorithm = Algorithm::Direct;
            if (name.size() > 6)
                entry.window = std::stoi(name.substr(6));
        } else {
            entry.algorithm = name == "ring" ? Algorithm::Ring : name == "halvingDoubling" ? Algorithm::HalvingDoubling : Algorithm::DoubleBinaryTree;
        }
        list.push_back(entry);
    }
    const AstraCollective kind = op == CollectiveOp::AllReduce ? AstraCollective::AllReduce
        : op == CollectiveOp::AllGather                        ? AstraCollective::AllGather
        : op == CollectiveOp::ReduceScatter                    ? AstraCollective::ReduceScatter
                                                               : AstraCollective::AllToAll;
    system.implementations[at(kind)] = list;
}

void AstraCase::useForAll(const std::string& algorithms)
{
    for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::AllToAll, CollectiveOp::ReduceScatter})
        use(op, algorithms);
}

void AstraCase::runCollective(CollectiveOp op, std::int64_t commSize)
{
    RankTasks tasks;
    tasks.collective(op, commSize, npus());
    ranks = {tasks};
}

Scenario AstraCase::scenario() const
{
    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks.size() == 1 ? npus() : static_cast<std::int32_t>(ranks.size());
    for (const RankTasks& tasks : ranks) {
        if (ranks.size() > 1)
            workload->graphOfRank.push_back(static_cast<std::int32_t>(workload->graphs.size()));
        workload->graphs.push_back(tasks.graph());
    }
    workload->families.push_back(GroupFamily::world(npus()));
    for (std::size_t k = 0; k < groups.size(); ++k)
        workload->families.push_back(GroupFamily::listed(std::to_string(k + 1), {groups[k]}, npus()).value());
    auto structure = std::make_shared<Structure>();
    structure->platform = Platform::create(platform).value();
    structure->placement = Placement::identity(npus());
    structure->workload = workload;
    auto params = std::make_shared<Params>();
    params->remoteMemory = memory;
    Scenario scenario;
    scenario.model = model;
    scenario.structure = structure;
    scenario.params = params;
    scenario.astra = std::make_shared<const AstraSystem>(system);
    scenario.customPrograms = customPrograms;
    return scenario;
}

Result<RunRecord> AstraCase::run(const RunOptions& options, std::stop_token stop) const
{
    return simulateAstra(scenario(), options, std::move(stop));
}

std::vector<std::vector<std::string>> csvRows(const std::string& name)
{
    std::ifstream file(goldenFile(name));
    std::vector<std::vector<std::string>> rows;
    bool header = true;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#'))
            continue;
        if (!header)
            rows.push_back(splitText(line, ','));
        header = false;
    }
    return rows;
}

std::vector<std::int64_t> finishPerRank(const RunRecord& record)
{
    std::vector<std::int64_t> finish(static_cast<std::size_t>(record.rankCount), -1);
    for (const RankClass& alike : record.classes) {
        for (const RankSet::Interval& interval : alike.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                finish[at(rank)] = alike.times.finished ? alike.times.finish.ps / kPsPerNs : -1;
        }
    }
    return finish;
}

RankTimes timesOf(const RunRecord& record, std::int32_t rank)
{
    for (const RankClass& alike : record.classes) {
        if (alike.ranks.contains(rank))
            return alike.times;
    }
    std::abort();
}

bool hasWarning(const RunRecord& record, const std::string& rule)
{
    return std::any_of(record.diagnostics.begin(), record.diagnostics.end(),
                       [&](const Diagnostic& found) { return found.rule == rule && found.severity == Severity::Warning; });
}

} // namespace fabricscope::test
