#include "core/sim/symmetry/grouptraffic.h"

#include "core/base/axes.h"
#include "core/base/digest.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/phaserules.h"
#include "core/sim/symmetry/alike.h"
#include "core/sim/symmetry/tasktraffic.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <set>
#include <span>
#include <utility>

namespace fabricscope {

namespace {

/// A program on the groups of a family that run it.
struct Placed {
    const Program* program = nullptr;
    std::int64_t bytes = 0;            ///< Of the first of its collectives.
    std::vector<std::int32_t> layouts; ///< By group.
    std::set<std::int64_t> uneven{};   ///< Sizes that do not cut into equal blocks: what a rank sends depends on where in its group it is.
};

/// What groups that do the same run, and where each of them finds it.
struct GroupKind {
    std::int32_t number = 0;
    /// Each (program, layout) once: place among the collectives of the group, and which of the family's programs it is.
    std::vector<std::pair<std::size_t, std::size_t>> placed;
};

class TrafficReader {
public:
    TrafficReader(const Scenario& scenario, const std::stop_token& stop)
        : m_scenario(scenario)
        , m_stop(stop)
        , m_structure(*scenario.structure)
        , m_workload(*m_structure.workload)
    {
        m_traffic.roles.assign(at(m_workload.rankCount), 0);
    }

    Result<GroupTraffic> run();

private:
    Status readFamily(std::size_t family);
    std::size_t countOf(std::size_t family, std::int64_t group);
    std::int32_t numberOf(const CollectiveInstance& instance);
    Status addGroup(std::size_t family, std::int64_t group, std::size_t count);
    Status addCollectives(std::size_t family, std::size_t first, std::size_t count, GroupKind& kind);
    Result<bool> cutsEqually(const CollectiveInstance& instance);
    void splitByBlocks(const Placed& placed, std::int64_t bytes);
    void splitByPosition(const Placed& placed);
    Status addPhases(const Placed& placed);
    Status addPhase(const Placed& placed, const PhaseTemplate& phase, std::int64_t held);
    void addRoles(const Placed& placed, const PhaseTemplate& phase, const std::vector<std::int64_t>& held);
    void addBreaks(const Placed& placed);
    void setAxes();

    const Scenario& m_scenario;
    const std::stop_token& m_stop;
    const Structure& m_structure;
    const Workload& m_workload;
    GroupTraffic m_traffic;
    std::vector<const Program*> m_programs;                   ///< Those that differ.
    std::map<const Program*, std::int32_t> m_numbers;         ///< Of all: which of these it is.
    std::map<std::pair<const Program*, std::int64_t>, bool> m_cuts; ///< By program and size: does it cut equally?
    std::map<const std::vector<std::int32_t>*, std::vector<std::size_t>> m_counts; ///< By ordinals: collectives of each family.
    std::set<std::pair<std::int64_t, std::int64_t>> m_breaks; ///< Ranks concerned, negated, and a product of the lower radices.
    // Of the family being read.
    std::map<Digest, GroupKind> m_kinds;
    std::map<std::pair<std::int32_t, std::size_t>, std::size_t> m_placedOf; ///< By program and how many others the group had before: index into m_placed.
    std::vector<Placed> m_placed;
    std::vector<std::int32_t> m_kindOfRank; ///< GroupKind::number; -1: it has no collectives.
};

/// Does every member hold as much as every other in all phases? Unsupported: switches do a part.
Result<bool> TrafficReader::cutsEqually(const CollectiveInstance& instance)
{
    const Program& program = *instance.program;
    const auto [known, added] = m_cuts.try_emplace({&program, instance.bytes}, true);
    if (!added)
        return known->second;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    const std::vector<std::int64_t> sizes = chunkSizes(program, instance.bytes);
    std::set<std::pair<std::int64_t, std::int32_t>> seen; // Chunks of one size and order are alike.
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        checkStop(m_stop);
        if (!seen.insert({sizes[at(chunk)], body.orderOfChunk.empty() ? 0 : body.orderOfChunk[at(chunk)]}).second)
            continue;
        const std::vector<PhaseTemplate>& phases = body.phasesOf(chunk);
        for (std::size_t number = 0; number < phases.size(); ++number) {
            const PhaseTemplate& phase = phases[number];
            if (phase.algorithm == Algorithm::InNetwork)
                return noSymmetry("switches do a part of a collective");
            if (phase.kind == PhaseKind::Broadcast || heldBytes(body.axes, phases, number, sizes[at(chunk)], origin) % body.axes[at(phase.axis)] != 0)
                known->second = false;
        }
    }
    return known->second;
}

/// Places along the axis of a phase differ where they send or receive something else. \param held by place
void TrafficReader::addRoles(const Placed& placed, const PhaseTemplate& phase, const std::vector<std::int64_t>& held)
{
    const TemplateBody& body = placed.program->asTemplate();
    const std::int32_t extent = body.axes[at(phase.axis)];
    const PhaseRules rules(phase, extent);
    std::map<Digest, std::int32_t> known;
    std::vector<std::int32_t> roleOf;
    for (std::int32_t r = 0; r < extent; ++r) {
        checkStop(m_stop);
        std::vector<std::int64_t> words{held[at(r)]};
        const auto add = [&](const PhaseRules::Message& message) {
            words.insert(words.end(), {message.step, message.slot, message.bytes, message.reduces, message.k, message.needsOwn, message.forwardOnly});
        };
        for (std::int32_t send = 0; send < rules.sendCount(r); ++send) {
            add(rules.send(r, send, held[at(r)]));
            const PhaseRules::Needs needs = rules.needs(r, send);
            words.insert(words.end(), {needs.first, needs.count, needs.stride});
        }
        words.push_back(-1);
        for (std::int32_t receive = 0; receive < rules.receiveCount(r); ++receive)
            add(rules.receive(r, receive, held[at(r)]));
        roleOf.push_back(known.try_emplace(digestOf(std::span<const std::int64_t>(words)), static_cast<std::int32_t>(known.size())).first->second);
    }
    const std::int32_t stride = strideOf(body.axes, phase.axis);
    std::vector<std::int32_t> entries(at(m_workload.rankCount), -1);
    for (const std::int32_t number : placed.layouts) {
        const GroupLayout& layout = m_structure.layouts[at(number)];
        for (std::int32_t position = 0; position < layout.size(); ++position) {
            checkStop(m_stop);
            entries[at(layout.rankAt(position))] = roleOf[at(position / stride % extent)];
        }
    }
    m_traffic.splitRoles(entries);
}

/// Blocks that differ in size: ranks that see the same of them, from where they are, are alike; where that takes long to say, none is.
void TrafficReader::splitByBlocks(const Placed& placed, std::int64_t bytes)
{
    constexpr std::int64_t kMostBlocks = std::int64_t{1} << 17;
    const Program& program = *placed.program;
    const TemplateBody& body = program.asTemplate();
    const std::int32_t extent = body.axes.front();
    const bool takesLong = std::any_of(body.phases.begin(), body.phases.end(), [&](const PhaseTemplate& phase) {
        return phase.kind == PhaseKind::Broadcast || std::int64_t{extent} * PhaseRules(phase, extent).sendCount(0) > kMostBlocks;
    });
    if (body.axes.size() > 1 || takesLong || !body.orderOfChunk.empty()) {
        splitByPosition(placed);
        return;
    }
    const std::vector<std::int64_t> sizes = chunkSizes(program, bytes);
    for (const std::int64_t size : std::set<std::int64_t>(sizes.begin(), sizes.end())) {
        for (std::size_t number = 0; number < body.phases.size(); ++number) {
            std::vector<std::int64_t> held;
            for (std::int32_t r = 0; r < extent; ++r)
                held.push_back(heldBytes(body, number, size, std::span(&r, 1)));
            addRoles(placed, body.phases[number], held);
        }
    }
}

void TrafficReader::splitByPosition(const Placed& placed)
{
    std::vector<std::int32_t> entries(at(m_workload.rankCount), -1);
    for (const std::int32_t number : placed.layouts) {
        const GroupLayout& layout = m_structure.layouts[at(number)];
        for (std::int32_t position = 0; position < layout.size(); ++position) {
            checkStop(m_stop);
            entries[at(layout.rankAt(position))] = position;
        }
    }
    m_traffic.splitRoles(entries);
}

Status TrafficReader::addPhase(const Placed& placed, const PhaseTemplate& phase, std::int64_t held)
{
    const TemplateBody& body = placed.program->asTemplate();
    const std::int32_t extent = body.axes[at(phase.axis)];
    const PhaseRules rules(phase, extent);
    const bool ring = phase.algorithm == Algorithm::Ring; // All steps go to the same neighbour.
    if (!ring && phase.algorithm != Algorithm::Direct)
        addRoles(placed, phase, std::vector<std::int64_t>(at(extent), held));
    std::int32_t most = 1;
    for (std::int32_t r = 0; !ring && r < extent; ++r)
        most = std::max(most, rules.sendCount(r));
    if (std::int64_t{most} + static_cast<std::int64_t>(m_traffic.targets.size()) > GroupTraffic::kMostSends / m_workload.rankCount)
        return noSymmetry("they send more kinds of messages than are looked at");
    const std::int32_t stride = strideOf(body.axes, phase.axis);
    for (std::int32_t send = 0; send < most; ++send) {
        std::vector<std::int32_t> targets(at(m_workload.rankCount), -1);
        std::vector<std::int32_t> peerOf;
        for (std::int32_t r = 0; r < extent; ++r)
            peerOf.push_back(send < rules.sendCount(r) ? rules.send(r, send, held).peer : -1);
        for (const std::int32_t number : placed.layouts) {
            const GroupLayout& layout = m_structure.layouts[at(number)];
            for (std::int32_t position = 0; position < layout.size(); ++position) {
                checkStop(m_stop);
                const std::int32_t r = position / stride % extent;
                if (const std::int32_t peer = peerOf[at(r)]; peer >= 0)
                    targets[at(layout.rankAt(position))] = layout.rankAt(position + (peer - r) * stride);
            }
        }
        m_traffic.addKind(std::move(targets));
    }
    return {};
}

Status TrafficReader::addPhases(const Placed& placed)
{
    const Program& program = *placed.program;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    const std::vector<std::int64_t> sizes = chunkSizes(program, placed.bytes);
    std::vector<PhaseTemplate> known;
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        checkStop(m_stop);
        const std::vector<PhaseTemplate>& phases = body.phasesOf(chunk);
        for (std::size_t number = 0; number < phases.size(); ++number) {
            if (std::find(known.begin(), known.end(), phases[number]) != known.end())
                continue;
            known.push_back(phases[number]);
            if (Status status = addPhase(placed, phases[number], heldBytes(body.axes, phases, number, sizes[at(chunk)], origin)); !status)
                return status;
        }
        if (body.orderOfChunk.empty())
            break;
    }
    return {};
}

/// The product of the radices below an axis, and with it.
void TrafficReader::addBreaks(const Placed& placed)
{
    const GroupLayout& layout = m_structure.layouts[at(placed.layouts.front())];
    const std::int64_t members = static_cast<std::int64_t>(placed.layouts.size()) * layout.size();
    std::int64_t step = 1;
    for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
        std::int64_t stride = layout.list.empty() ? layout.strides[axis] : 0;
        if (!layout.list.empty() && layout.extents[axis] > 1)
            stride = layout.list[at(step)] - layout.list.front();
        step *= layout.extents[axis];
        if (stride > 0) {
            m_breaks.emplace(-members, stride);
            m_breaks.emplace(-members, stride * layout.extents[axis]);
        }
    }
}

/// Breaks as long as they nest: those of families and collectives that most ranks are in first, then those of sends of tasks. Where the others lie between them,
/// fewer ranks than could be are found to stand for all.
void TrafficReader::setAxes()
{
    const std::int64_t ranks = m_workload.rankCount;
    std::set<std::int64_t> breaks{1, ranks};
    const auto addIfItNests = [&](std::int64_t step) {
        if (step > 0 && ranks % step == 0 && std::all_of(breaks.begin(), breaks.end(), [&](std::int64_t other) { return step % other == 0 || other % step == 0; }))
            breaks.insert(step);
    };
    for (const GroupFamily& family : m_workload.families) {
        for (const GroupFamily::Axis& axis : family.isStrided() ? family.axes() : std::vector<GroupFamily::Axis>()) {
            m_breaks.emplace(-ranks, axis.stride);
            m_breaks.emplace(-ranks, axis.stride * axis.size);
        }
    }
    for (const auto& [members, step] : m_breaks)
        addIfItNests(step);
    for (const std::size_t kind : m_traffic.taskKinds) {
        std::int64_t least = ranks;
        for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank) {
            if (const std::int32_t target = m_traffic.targets[kind][at(rank)]; target >= 0 && target != rank)
                least = std::min<std::int64_t>(least, std::abs(target - rank));
        }
        addIfItNests(least);
    }
    std::int64_t before = 1;
    for (const std::int64_t next : breaks) {
        if (next > before)
            m_traffic.axes.push_back(static_cast<std::int32_t>(next / before));
        before = next;
    }
}

/// Collectives of one group.
std::size_t TrafficReader::countOf(std::size_t family, std::int64_t group)
{
    if (m_workload.families[family].groupSize(group) == 0 || m_structure.ordinalsOfRank.empty())
        return 0;
    const auto rank = static_cast<std::int32_t>(m_workload.families[family].member(group, 0));
    const Ordinals& ordinals = m_structure.ordinalsOfRank[m_structure.ordinalsOfRank.size() == 1 ? 0 : at(rank)];
    if (!ordinals)
        return 0;
    const auto [counts, added] = m_counts.try_emplace(ordinals.get());
    if (added) {
        counts->second.assign(m_workload.families.size(), 0);
        const RankGraph& graph = m_workload.graph(rank);
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            checkStop(m_stop);
            if (graph.kind[at(task)] != TaskKind::Collective || (*ordinals)[at(task)] < 0)
                continue;
            std::size_t& count = counts->second[at(graph.family[at(task)])];
            count = std::max(count, at((*ordinals)[at(task)]) + 1);
        }
    }
    return counts->second[family];
}

/// The same of programs that do the same; -1: it has none.
std::int32_t TrafficReader::numberOf(const CollectiveInstance& instance)
{
    if (!instance.program)
        return -1;
    const auto [known, added] = m_numbers.try_emplace(instance.program.get(), -1);
    if (added) {
        const auto same = std::find_if(m_programs.begin(), m_programs.end(), [&](const Program* other) { return runTheSame(*other, *instance.program); });
        known->second = static_cast<std::int32_t>(same - m_programs.begin());
        if (same == m_programs.end())
            m_programs.push_back(instance.program.get());
    }
    return known->second;
}

/// The collectives of a group of a new kind.
Status TrafficReader::addCollectives(std::size_t family, std::size_t first, std::size_t count, GroupKind& kind)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> seen; // By program and layout: index into m_placed.
    for (std::size_t k = 0; k < count; ++k) {
        checkStop(m_stop);
        const CollectiveInstance& instance = m_structure.instances[first + k];
        if (!instance.program || instance.replayPs >= 0)
            continue;
        if (!instance.program->isTemplate())
            return noSymmetry("a collective of " + m_workload.families[family].name() + " runs operation by operation (" + instance.program->provenance + ')');
        const Result<bool> equal = cutsEqually(instance);
        if (!equal)
            return equal.error();
        const std::int32_t number = numberOf(instance);
        const auto [place, added] = seen.try_emplace({number, instance.layout}, 0);
        if (added) {
            const auto [known, fresh] = m_placedOf.try_emplace({number, seen.size()}, m_placed.size());
            if (fresh)
                m_placed.push_back({m_programs[at(number)], instance.bytes, {}});
            place->second = known->second;
            kind.placed.emplace_back(k, known->second);
        }
        if (!equal.value())
            m_placed[place->second].uneven.insert(instance.bytes);
    }
    return {};
}

Status TrafficReader::addGroup(std::size_t family, std::int64_t group, std::size_t count)
{
    const auto first = at(m_structure.instanceBase[family][at(group)]);
    std::vector<std::int64_t> words;
    std::vector<std::int32_t> layouts;
    for (std::size_t k = 0; k < count; ++k) {
        checkStop(m_stop);
        const CollectiveInstance& each = m_structure.instances[first + k];
        std::int64_t layout = -1;
        if (each.program) {
            layout = std::find(layouts.begin(), layouts.end(), each.layout) - layouts.begin();
            if (at(layout) == layouts.size())
                layouts.push_back(each.layout);
        }
        words.insert(words.end(), {static_cast<std::int64_t>(each.op), each.bytes, each.sequence, each.priority, each.replayPs, each.rule, numberOf(each), layout});
    }
    const auto [kind, added] = m_kinds.try_emplace(digestOf(std::span<const std::int64_t>(words)));
    if (added) {
        kind->second.number = static_cast<std::int32_t>(m_kinds.size()) - 1;
        if (Status status = addCollectives(family, first, count, kind->second); !status)
            return status;
    }
    for (const auto& [k, placed] : kind->second.placed)
        m_placed[placed].layouts.push_back(m_structure.instances[first + k].layout);
    std::vector<std::int32_t>& groups = m_traffic.groups.back();
    const GroupFamily& members = m_workload.families[family];
    for (std::int64_t position = 0; position < members.groupSize(group); ++position) {
        checkStop(m_stop);
        const auto rank = at(members.member(group, position));
        groups[rank] = static_cast<std::int32_t>(group);
        m_kindOfRank[rank] = kind->second.number;
    }
    return {};
}

Status TrafficReader::readFamily(std::size_t family)
{
    m_kinds.clear();
    m_placedOf.clear();
    m_placed.clear();
    m_kindOfRank.assign(at(m_workload.rankCount), -1);
    m_traffic.groups.emplace_back(at(m_workload.rankCount), -1);
    const std::int64_t groups = m_structure.instanceBase[family].empty() ? 0 : m_workload.families[family].groupCount();
    for (std::int64_t group = 0; group < groups; ++group) {
        if (const std::size_t count = countOf(family, group); count > 0) {
            if (Status status = addGroup(family, group, count); !status)
                return status;
        }
    }
    if (m_kinds.empty()) {
        m_traffic.groups.pop_back();
        return {};
    }
    m_traffic.splitRoles(m_kindOfRank);
    for (const Placed& placed : m_placed) {
        addBreaks(placed);
        for (const std::int64_t bytes : placed.uneven)
            splitByBlocks(placed, bytes);
        if (Status status = addPhases(placed); !status)
            return status;
    }
    return {};
}

Result<GroupTraffic> TrafficReader::run()
{
    if (Status status = addTasks(m_scenario, m_traffic, m_stop); !status)
        return std::move(status).error();
    for (std::size_t family = 0; family < m_structure.instanceBase.size(); ++family) {
        if (Status status = readFamily(family); !status)
            return std::move(status).error();
    }
    setAxes();
    return std::move(m_traffic);
}

} // namespace

std::size_t GroupTraffic::addKind(std::vector<std::int32_t> kind)
{
    const std::string_view bytes(reinterpret_cast<const char*>(kind.data()), kind.size() * sizeof(std::int32_t));
    std::vector<std::size_t>& alike = kindsByHash[std::hash<std::string_view>()(bytes)];
    for (const std::size_t known : alike) {
        if (targets[known] == kind)
            return known;
    }
    alike.push_back(targets.size());
    targets.push_back(std::move(kind));
    return targets.size() - 1;
}

void GroupTraffic::splitRoles(const std::vector<std::int32_t>& entries)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> joined;
    for (std::size_t rank = 0; rank < roles.size(); ++rank)
        roles[rank] = joined.try_emplace({roles[rank], entries[rank]}, static_cast<std::int32_t>(joined.size())).first->second;
}

Result<GroupTraffic> groupTraffic(const Scenario& scenario, const std::stop_token& stop)
{
    return TrafficReader(scenario, stop).run();
}

} // namespace fabricscope
