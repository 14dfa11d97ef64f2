#include "core/scenario/collectivepolicy.h"

#include "core/base/index.h"
#include "core/scenario/taskscheduling.h"

#include <algorithm>

namespace fabricscope {

bool ruleMatches(const CollectiveRule& rule, CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId)
{
    const auto isNode = [nodeId](std::int64_t node) { return static_cast<std::uint64_t>(node) == nodeId; };
    if (!rule.nodes.empty() && std::none_of(rule.nodes.begin(), rule.nodes.end(), isNode))
        return false;
    if ((rule.minRanks && ranks < *rule.minRanks) || (rule.maxRanks && ranks > *rule.maxRanks))
        return false;
    return (!rule.op || *rule.op == op) && (rule.group == "*" || rule.group == family) && (!rule.minSize || bytes >= toBytes(*rule.minSize).value)
        && (!rule.maxSize || bytes <= toBytes(*rule.maxSize).value);
}

CollectivePolicy::CollectivePolicy(const Design& design, const std::vector<std::pair<std::string, ProgramPtr>>& customs)
    : m_design(design)
    , m_customs(customs.begin(), customs.end())
{
}

bool CollectivePolicy::byPriority() const
{
    return schedulingOf(m_design).order == TaskOrder::Explicit;
}

bool CollectivePolicy::asksForNodes() const
{
    const std::vector<CollectiveRule>& rules = m_design.collectives.rules;
    return m_design.astra ? !m_design.astra->perNodeCustom.empty() : std::any_of(rules.begin(), rules.end(), [](const CollectiveRule& rule) { return !rule.nodes.empty(); });
}

Result<CollectivePolicy::Choice> CollectivePolicy::choose(CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId, const Covers& covers) const
{
    auto choice = choosePrograms(op, family, bytes, ranks, nodeId, covers);
    if (choice)
        choice.value().scheduler = schedulingOf(m_design).dimensions;
    return choice;
}

Result<CollectivePolicy::Choice> CollectivePolicy::choosePrograms(CollectiveOp op, const std::string& family, std::int64_t bytes, std::int64_t ranks, std::uint64_t nodeId, const Covers& covers) const
{
    if (m_design.astra)
        return fromAstra(op, nodeId);
    Choice choice;
    choice.setting = m_design.collectives.defaults;
    const auto isCovered = [&](const std::vector<ProgramSource>& program) { return program.empty() || !covers || covers(program.front()); };
    if (!isCovered(choice.setting.program.program))
        choice.setting.program.program.clear();
    for (const CollectiveRule& rule : m_design.collectives.rules) {
        if (!ruleMatches(rule, op, family, bytes, ranks, nodeId) || !isCovered(rule.program.program))
            continue;
        const std::int32_t slots = rule.program.receiveSlots != 0 ? rule.program.receiveSlots : choice.setting.program.receiveSlots;
        if (rule.algorithms) {
            choice.setting.algorithms = *rule.algorithms;
            if (!rule.program.program.empty())
                choice.setting.chunks = 1;
            else if (!m_design.collectives.defaults.program.program.empty())
                choice.setting.chunks = CollectiveSetting{}.chunks;
            choice.setting.program = rule.program;
        }
        choice.setting.program.receiveSlots = slots;
        const auto number = static_cast<std::int32_t>(&rule - m_design.collectives.rules.data());
        choice.rule = rule.terms == CollectiveTerms{} ? -1 : number;
        choice.field = "collectives.rules[" + std::to_string(number) + ']';
        if (rule.chunks)
            choice.setting.chunks = *rule.chunks;
        if (rule.window)
            choice.setting.window = *rule.window;
        break;
    }
    return choice;
}

Result<CollectivePolicy::Choice> CollectivePolicy::fromAstra(CollectiveOp op, std::uint64_t nodeId) const
{
    const AstraSystem& system = *m_design.astra;
    Choice choice;
    const auto kind = configuredCollective(op);
    std::string prefix;
    if (const auto own = system.perNodeCustom.find(nodeId); own != system.perNodeCustom.end())
        prefix = own->second;
    else if (kind)
        prefix = system.custom[at(*kind)];
    if (!prefix.empty()) {
        choice.custom = m_customs.at(prefix);
        return choice;
    }
    if (!kind)
        return choice;
    const auto& list = system.implementations[at(*kind)];
    if (list.empty()) {
        return invalidInput("the system file names no implementation for " + std::string(collectiveKey(op)), {system.file, 0, 0, -1, {}, -1, -1, false},
                            "a list such as \"all-reduce-implementation\": [\"ring\"]");
    }
    for (const AstraAlgorithm& entry : list) {
        choice.setting.algorithms.push_back({false, entry.algorithm, entry.window > 0 ? entry.window : 0});
        if (entry.one) {
            choice.flat = true;
            break;
        }
    }
    choice.setting.chunks = static_cast<std::int32_t>(system.splits);
    if (system.splits <= 0)
        return invalidInput("the system file does not say in how many chunks a collective is cut", {system.file, 0, 0, -1, "preferred-dataset-splits", -1, -1, false},
                            "a whole number of at least 1");
    return choice;
}

} // namespace fabricscope
