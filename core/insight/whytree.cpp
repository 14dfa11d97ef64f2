#include "core/insight/whytree.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/insight/explain.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace fabricscope {

namespace {

using Level = WhyNode::Level;
/// Tells nodes of a level apart that hang on the same.
using Key = std::tuple<Level, std::int64_t, std::int64_t, std::int64_t, std::string>;

/// A node that still grows.
struct GrowingNode {
    WhyNode node;
    std::map<Key, std::size_t> index;
    std::vector<GrowingNode> children;

    template <class Name>
    GrowingNode& child(const Key& key, std::int64_t ps, const Name& name)
    {
        const auto [entry, fresh] = index.try_emplace(key, children.size());
        if (fresh) {
            children.emplace_back();
            children.back().node.level = std::get<0>(key);
            children.back().node.name = name();
        }
        GrowingNode& found = children[entry->second];
        found.node.ps += ps;
        return found;
    }
};

WhyNode grown(GrowingNode&& growing, const std::stop_token& stop)
{
    checkStop(stop);
    for (GrowingNode& child : growing.children)
        growing.node.children.push_back(grown(std::move(child), stop));
    std::stable_sort(growing.node.children.begin(), growing.node.children.end(), [](const WhyNode& a, const WhyNode& b) { return a.ps > b.ps; });
    return std::move(growing.node);
}

/// "phase 1 (all_gather, ring)"; of a program without phases "phase 1".
std::string phaseName(const Structure& structure, std::int32_t instance, const PathMessage& message)
{
    std::string name = "phase " + std::to_string(message.phase);
    const ProgramPtr& program = structure.instances[at(instance)].program;
    if (!program || !program->isTemplate())
        return name;
    const std::vector<PhaseTemplate>& phases = program->asTemplate().phasesOf(message.chunk);
    if (message.phase < 0 || at(message.phase) >= phases.size())
        return name;
    const PhaseTemplate& phase = phases[at(message.phase)];
    return name + " (" + std::string(phaseKey(phase.kind)) + ", " + std::string(algorithmKey(phase.algorithm)) + ')';
}

std::string messageName(const PathMessage& message)
{
    return "message " + std::to_string(message.source) + '>' + std::to_string(message.target) + (message.step >= 0 ? ", step " + std::to_string(message.step) : std::string());
}

} // namespace

std::string_view whyLevelKey(WhyNode::Level level)
{
    static constexpr std::array<std::string_view, 7> kKeys{"subject", "task", "collective", "phase", "chunk", "message", "kind"};
    return kKeys[at(level)];
}

WhyNode whyTree(const Scenario& scenario, const CriticalPath& path, std::string subject, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    GrowingNode root;
    root.node.name = std::move(subject);
    root.node.ps = path.toPs - path.fromPs;
    for (const PathPiece& piece : path.pieces) {
        checkStop(stop);
        const std::int64_t ps = piece.ps();
        GrowingNode* node = &root;
        const std::int32_t instance = piece.task >= 0 ? structure.instanceOf(piece.rank, piece.task) : -1;
        const auto title = [&] { return taskTitle(structure.workload->graph(piece.rank), piece.task); };
        if (instance >= 0)
            node = &node->child({Level::Collective, instance, 0, 0, {}}, ps, [&] { return "collective " + std::to_string(instance) + " (" + title() + ')'; });
        else if (piece.task >= 0)
            node = &node->child({Level::Task, piece.rank, piece.task, 0, {}}, ps, [&] { return title() + " of rank " + std::to_string(piece.rank); });
        const PathMessage& message = piece.message;
        if (instance >= 0 && message.source >= 0) {
            node = &node->child({Level::Phase, message.phase, 0, 0, phaseName(structure, instance, message)}, ps, [&] { return phaseName(structure, instance, message); });
            node = &node->child({Level::Chunk, message.chunk, 0, 0, {}}, ps, [&] { return "chunk " + std::to_string(message.chunk); });
        }
        if (message.source >= 0)
            node = &node->child({Level::Message, message.source, message.target, message.step, {}}, ps, [&] { return messageName(message); });
        const std::string kind = std::string(pathCauseKey(piece.cause)) + " of " + pathResource(scenario, piece);
        node->child({Level::Kind, 0, 0, 0, kind}, ps, [&] { return kind; });
    }
    return grown(std::move(root), stop);
}

} // namespace fabricscope
