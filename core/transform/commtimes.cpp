#include "core/transform/commtimes.h"

#include "core/base/index.h"
#include "core/choose/choose.h"
#include "core/design/file/reader.h"
#include "core/design/networkconfig.h"
#include "core/generate/generate.h"
#include "core/sim/simulate.h"

#include <algorithm>

namespace fabricscope::transform {

namespace {

CollectiveOp simulatedOp(Op op)
{
    switch (op) {
    case Op::ReduceScatter: return CollectiveOp::ReduceScatter;
    case Op::AllGather: return CollectiveOp::AllGather;
    case Op::Broadcast:
    case Op::Reduce: return CollectiveOp::Broadcast; // A reduction to one rank is the broadcast from it, run backwards.
    default: return CollectiveOp::AllReduce;
    }
}

Quantity bytesQuantity(std::int64_t bytes)
{
    return {static_cast<double>(bytes), "B", Measure::Size};
}

/// A design whose collectives all run this algorithm.
Design withAlgorithm(Design design, const std::string& word)
{
    CollectiveSetting& setting = design.collectives.defaults;
    design.collectives.rules.clear();
    setting.algorithms.clear();
    setting.program = {false, {}, {}, setting.program.receiveSlots};
    if (const auto choice = parseAlgorithmChoice(word)) {
        setting.algorithms = {*choice};
    } else {
        ProgramSource source;
        source.kind = ProgramSource::Kind::Generator;
        source.text = word;
        setting.program.program = {source};
    }
    return design;
}

Design withChoice(Design design)
{
    CollectiveSetting& setting = design.collectives.defaults;
    setting.algorithms.clear();
    setting.program.choose = true;
    setting.program.program.clear();
    return design;
}

/// What the file says of the algorithm, as one text; empty: nothing.
std::string settingText(const CollectiveSetting& setting)
{
    if (!setting.program.program.empty())
        return programSourceText(setting.program.program.front());
    std::string text;
    for (const AlgorithmChoice& choice : setting.algorithms)
        text += (text.empty() ? "" : " x ") + (choice.automatic ? std::string("standard") : algorithmChoiceText(choice));
    return text;
}

} // namespace

TimingSetup withSettings(TimingSetup setup, const std::string& algorithm, const std::string& protocol, std::optional<std::int32_t> channels)
{
    if (!algorithm.empty())
        setup.design = withAlgorithm(std::move(setup.design), algorithmWord(algorithm));
    if (!protocol.empty()) {
        NetworkConfig network = setup.design.network ? *setup.design.network : NetworkConfig{};
        network.protocols.assign(1, {});
        network.protocols.front().preset = protocol;
        setup.design.network = std::make_shared<const NetworkConfig>(std::move(network));
    }
    if (channels)
        setup.channels = channels;
    return setup;
}

std::string algorithmWord(const std::string& name)
{
    if (name == "tree")
        return "double_binary_tree";
    if (parseAlgorithmChoice(name))
        return name;
    const auto found = std::find_if(generators().begin(), generators().end(), [&](const GeneratorInfo& info) { return info.key == name; });
    return found == generators().end() ? std::string() : name;
}

std::optional<double> CommTimes::efficiencyOf(const std::string& algorithm) const
{
    for (const auto& [name, share] : m_setup.efficiency) {
        const std::string word = algorithmWord(name);
        // "ring x ring" is a ring.
        bool all = !algorithm.empty();
        for (std::size_t begin = 0; begin < algorithm.size() && all;) {
            const std::size_t end = std::min(algorithm.find(" x ", begin), algorithm.size());
            all = algorithm.substr(begin, end - begin) == word;
            begin = end + 3;
        }
        if (all)
            return share;
    }
    return std::nullopt;
}

Design CommTimes::designOf(CollectiveOp op, std::int64_t bytes) const
{
    Design design = m_setup.design;
    if (m_groups == 1) {
        design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{op, bytesQuantity(bytes)});
        return design;
    }
    StepsWorkload steps;
    GroupSpec group;
    group.name = "group";
    group.axes = {{m_ranks, 1}};
    steps.groups.push_back(std::move(group));
    Step step;
    step.kind = Step::Kind::Collective;
    step.op = op;
    step.group = "group";
    step.bytes = bytesQuantity(bytes);
    steps.steps.push_back(std::move(step));
    design.workload = std::make_shared<const WorkloadSpec>(std::move(steps));
    return design;
}

Result<SimTime> CommTimes::finishOf(const Design& design)
{
    auto scenario = prepareChosen(design, 1, m_stop);
    if (!scenario)
        return scenario.error();
    RunOptions options;
    options.taskTimes = false;
    options.busyOverTime = false;
    ++m_simulated;
    auto record = simulate(*scenario.value(), options, m_stop);
    if (!record)
        return record.error();
    if (!record.value().complete)
        return Error{ErrorCode::Stuck, "a collective of the program never finishes", {}, {}};
    return record.value().finish;
}

/// By the algorithm `word`; empty: as the file says. Where the share of the bandwidth is given that it reaches, its latency is that of its smallest messages,
/// and the rest that of a ring, which reaches all of it, over the share.
Result<CommTime> CommTimes::forced(CollectiveOp op, std::int64_t bytes, const std::string& word, const std::string& name)
{
    const auto timeBy = [&](std::int64_t size, const std::string& by) { return finishOf(by.empty() ? designOf(op, size) : withAlgorithm(designOf(op, size), by)); };
    const std::optional<double> share = efficiencyOf(name);
    if (!share) {
        auto time = timeBy(bytes, word);
        return time ? Result<CommTime>(CommTime{time.value(), name}) : Result<CommTime>(time.error());
    }
    const std::int64_t least = std::min<std::int64_t>(bytes, m_ranks);
    const auto latency = timeBy(least, word);
    if (!latency)
        return latency.error();
    const auto whole = timeBy(bytes, "ring");
    if (!whole)
        return whole.error();
    const auto start = timeBy(least, "ring");
    if (!start)
        return start.error();
    const double rest = static_cast<double>((whole.value() - start.value()).ps) / *share;
    constexpr double kMost = 1e17; // More than a day.
    return CommTime{latency.value() + SimTime{static_cast<std::int64_t>(std::min(rest, kMost))}, name};
}

/// The fastest of all that `auto` knows.
Result<CommTime> CommTimes::chosen(CollectiveOp op, std::int64_t bytes, bool anyRules)
{
    Design design = designOf(op, bytes);
    if (anyRules)
        design.collectives.rules.clear();
    auto scenario = prepareChosen(withChoice(std::move(design)), 1, m_stop);
    if (!scenario)
        return scenario.error();
    ++m_simulated;
    std::optional<CommTime> best;
    const std::vector<CollectiveChoice>& choices = scenario.value()->choices;
    for (const CandidateTime& candidate : choices.empty() ? std::vector<CandidateTime>() : choices.front().candidates) {
        CommTime time{{candidate.timePs}, candidate.name};
        if (efficiencyOf(candidate.name)) {
            const auto slowed = forced(op, bytes, candidate.name.substr(0, candidate.name.find(" x ")), candidate.name);
            if (!slowed)
                continue;
            time = slowed.value();
        }
        if (time.time.ps >= 0 && (!best || time.time < best->time))
            best = time;
    }
    return best ? Result<CommTime>(*best) : forced(op, bytes, "standard", "standard");
}

Result<CommTime> CommTimes::compute(CollectiveOp op, std::int64_t bytes, bool choose)
{
    const CollectiveSetting& setting = m_setup.design.collectives.defaults;
    const std::string said = settingText(setting);
    if (choose || setting.program.choose || said.empty())
        return chosen(op, bytes, choose);
    auto time = forced(op, bytes, {}, said);
    // A tree has no half of its own: its reduce-scatter and all-gather are those of a ring.
    if (!time && op != CollectiveOp::AllReduce && time.error().code != ErrorCode::Cancelled && time.error().code != ErrorCode::MemoryLimit)
        return forced(op, bytes, "ring", "ring");
    return time;
}

Result<CommTime> CommTimes::collective(Op op, std::int64_t bytes, bool scalar)
{
    if (m_ranks == 1 || bytes == 0)
        return CommTime{{}, "none"};
    const auto key = std::tuple{simulatedOp(op), bytes, scalar};
    if (const auto known = m_known.find(key); known != m_known.end())
        return known->second;
    auto time = compute(simulatedOp(op), bytes, scalar);
    if (time)
        m_known.emplace(key, time.value());
    return time;
}

Result<SimTime> CommTimes::send(std::int64_t bytes)
{
    if (bytes == 0)
        return SimTime{};
    if (const auto known = m_sends.find(bytes); known != m_sends.end())
        return known->second;
    Design design = m_setup.design;
    StepsWorkload steps;
    for (const bool sends : {true, false}) {
        Step step;
        step.kind = sends ? Step::Kind::Send : Step::Kind::Receive;
        const std::string ranks = (sends ? "0-" + std::to_string(m_ranks - 1) : std::to_string(m_ranks) + '-' + std::to_string(std::int64_t{2} * m_ranks - 1));
        auto set = RankSet::parse(ranks);
        if (!set)
            return set.error();
        step.ranks = std::move(set).value();
        step.bytes = bytesQuantity(bytes);
        step.peer = (sends ? '+' : '-') + std::to_string(m_ranks);
        steps.steps.push_back(std::move(step));
    }
    design.workload = std::make_shared<const WorkloadSpec>(std::move(steps));
    auto time = finishOf(design);
    if (time)
        m_sends.emplace(bytes, time.value());
    return time;
}

} // namespace fabricscope::transform
