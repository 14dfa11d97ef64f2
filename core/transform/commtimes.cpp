#include "core/transform/commtimes.h"

#include "core/base/index.h"
#include "core/choose/choose.h"
#include "core/design/file/reader.h"
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

/// The same platform with links that reach a share of their bandwidth.
std::shared_ptr<const PlatformSpec> slowedDown(const PlatformSpec& platform, double share)
{
    auto slowed = std::make_shared<PlatformSpec>(platform);
    for (Dimension& dimension : slowed->dimensions)
        dimension.bandwidth.value *= share;
    return slowed;
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

std::string algorithmWord(const std::string& name)
{
    if (name == "tree")
        return "double_binary_tree";
    if (parseAlgorithmChoice(name))
        return name;
    const auto found = std::find_if(generators().begin(), generators().end(), [&](const GeneratorInfo& info) { return info.key == name; });
    return found == generators().end() ? std::string() : name;
}

double CommTimes::efficiencyOf(const std::string& algorithm) const
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
    return 1;
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

Result<CommTime> CommTimes::forced(Design design, const std::string& algorithm)
{
    if (const double share = efficiencyOf(algorithm); share < 1)
        design.platform = slowedDown(*design.platform, share);
    auto time = finishOf(design);
    if (!time)
        return time.error();
    return CommTime{time.value(), algorithm};
}

/// The fastest of all; those that reach a share of the bandwidth only are simulated again with it.
Result<CommTime> CommTimes::chosen(Design design)
{
    design = withChoice(std::move(design));
    auto scenario = prepareChosen(design, 1, m_stop);
    if (!scenario)
        return scenario.error();
    ++m_simulated;
    const std::vector<CollectiveChoice>& choices = scenario.value()->choices;
    if (choices.empty() || choices.front().candidates.empty() || choices.front().candidates.front().timePs < 0)
        return forced(withAlgorithm(std::move(design), "standard"), "standard");
    std::optional<CommTime> best;
    for (const CandidateTime& candidate : choices.front().candidates) {
        if (candidate.timePs < 0)
            continue;
        CommTime time{{candidate.timePs}, candidate.name};
        if (efficiencyOf(candidate.name) < 1) {
            const std::string word = candidate.name.substr(0, candidate.name.find(" x "));
            auto slowed = forced(withAlgorithm(design, word), word);
            if (!slowed)
                continue;
            time.time = slowed.value().time;
        }
        if (!best || time.time < best->time)
            best = time;
    }
    return best ? Result<CommTime>(*best) : forced(withAlgorithm(std::move(design), "standard"), "standard");
}

Result<CommTime> CommTimes::compute(CollectiveOp op, std::int64_t bytes, bool choose)
{
    Design design = designOf(op, bytes);
    const CollectiveSetting& setting = design.collectives.defaults;
    const std::string said = settingText(setting);
    if (choose || setting.program.choose || said.empty()) {
        if (choose)
            design.collectives.rules.clear();
        return chosen(std::move(design));
    }
    auto time = forced(design, said);
    // A tree has no half of its own: its reduce-scatter and all-gather are those of a ring.
    if (!time && op != CollectiveOp::AllReduce && time.error().code != ErrorCode::Cancelled && time.error().code != ErrorCode::MemoryLimit)
        return forced(withAlgorithm(std::move(design), "ring"), "ring");
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
