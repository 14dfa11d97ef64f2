#include "core/sim/symmetry/grouptraffic.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/program/phaserules.h"
#include "core/sim/events/tasks.h"
#include "core/sim/symmetry/alike.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fabricscope {

namespace {

/// A program on all groups of a family, and how many bytes a phase of it holds.
struct Placed {
    std::size_t family = 0;
    const Program* program = nullptr;
    std::vector<std::int32_t> layouts; ///< By group.
    friend auto operator<=>(const Placed&, const Placed&) = default;
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
        m_breaks = {1, m_workload.rankCount};
    }

    Result<GroupTraffic> run();

private:
    Status readFamily(std::size_t family);
    Status readCollective(std::size_t family, std::size_t ordinal, TaskIndex task);
    Status checkSizes(const CollectiveInstance& instance, TaskIndex task);
    Status addPhases(const Placed& placed, const CollectiveInstance& instance);
    Status addPhase(const Placed& placed, const PhaseTemplate& phase, std::int64_t held);
    void addRoles(const Placed& placed, const PhaseTemplate& phase, std::int64_t held);
    void addBreaks(const GroupLayout& layout);
    void setAxes();
    Error refused(std::string why, TaskIndex task) const { return noSymmetry(std::move(why), events::placeOfTask(0, m_workload.graph(0), task)); }

    const Scenario& m_scenario;
    const std::stop_token& m_stop;
    const Structure& m_structure;
    const Workload& m_workload;
    GroupTraffic m_traffic;
    std::set<Placed> m_known;
    std::set<std::pair<const Program*, std::int64_t>> m_checked; ///< Sizes.
    std::set<std::int64_t> m_breaks; ///< Products of the lower radices.
};

Status TrafficReader::checkSizes(const CollectiveInstance& instance, TaskIndex task)
{
    const Program& program = *instance.program;
    if (!m_checked.insert({&program, instance.bytes}).second)
        return {};
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
                return refused("switches do a part of a collective", task);
            if (phase.kind == PhaseKind::Broadcast)
                return refused("a broadcast begins at one of them", task);
            if (heldBytes(body.axes, phases, number, sizes[at(chunk)], origin) % body.axes[at(phase.axis)] != 0)
                return refused(showBytes({instance.bytes}) + " do not cut into equal blocks", task);
        }
    }
    return {};
}

/// Positions of other phases than rings and direct ones send by what they are.
void TrafficReader::addRoles(const Placed& placed, const PhaseTemplate& phase, std::int64_t held)
{
    const TemplateBody& body = placed.program->asTemplate();
    const std::int32_t extent = body.axes[at(phase.axis)];
    const PhaseRules rules(phase, extent);
    std::map<std::vector<std::int64_t>, std::int32_t> known;
    std::vector<std::int32_t> roleOf;
    for (std::int32_t r = 0; r < extent; ++r) {
        checkStop(m_stop);
        std::vector<std::int64_t> words;
        const auto add = [&](const PhaseRules::Message& message) {
            words.insert(words.end(), {message.step, message.slot, message.bytes, message.reduces, message.k, message.needsOwn, message.forwardOnly});
        };
        for (std::int32_t send = 0; send < rules.sendCount(r); ++send) {
            add(rules.send(r, send, held));
            const PhaseRules::Needs needs = rules.needs(r, send);
            words.insert(words.end(), {needs.first, needs.count, needs.stride});
        }
        words.push_back(-1);
        for (std::int32_t receive = 0; receive < rules.receiveCount(r); ++receive)
            add(rules.receive(r, receive, held));
        roleOf.push_back(known.try_emplace(std::move(words), static_cast<std::int32_t>(known.size())).first->second);
    }
    const std::int32_t stride = strideOf(body.axes, phase.axis);
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> joined;
    for (const std::int32_t number : placed.layouts) {
        const GroupLayout& layout = m_structure.layouts[at(number)];
        for (std::int32_t position = 0; position < layout.size(); ++position) {
            checkStop(m_stop);
            std::int32_t& role = m_traffic.roles[at(layout.rankAt(position))];
            role = joined.try_emplace({role, roleOf[at(position / stride % extent)]}, static_cast<std::int32_t>(joined.size())).first->second;
        }
    }
}

Status TrafficReader::addPhase(const Placed& placed, const PhaseTemplate& phase, std::int64_t held)
{
    const TemplateBody& body = placed.program->asTemplate();
    const std::int32_t extent = body.axes[at(phase.axis)];
    const PhaseRules rules(phase, extent);
    const bool ring = phase.algorithm == Algorithm::Ring; // All steps go to the same neighbour.
    if (!ring && phase.algorithm != Algorithm::Direct)
        addRoles(placed, phase, held);
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
        if (std::find(m_traffic.targets.begin(), m_traffic.targets.end(), targets) == m_traffic.targets.end())
            m_traffic.targets.push_back(std::move(targets));
    }
    return {};
}

Status TrafficReader::addPhases(const Placed& placed, const CollectiveInstance& instance)
{
    const Program& program = *instance.program;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    const std::vector<std::int64_t> sizes = chunkSizes(program, instance.bytes);
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
void TrafficReader::addBreaks(const GroupLayout& layout)
{
    std::int64_t step = 1;
    for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
        std::int64_t stride = layout.list.empty() ? layout.strides[axis] : 0;
        if (!layout.list.empty() && layout.extents[axis] > 1)
            stride = layout.list[at(step)] - layout.list.front();
        step *= layout.extents[axis];
        if (stride > 0) {
            m_breaks.insert(stride);
            m_breaks.insert(stride * layout.extents[axis]);
        }
    }
}

void TrafficReader::setAxes()
{
    const std::int64_t ranks = m_workload.rankCount;
    std::int64_t before = 1;
    for (const std::int64_t next : m_breaks) {
        if (next % before != 0 || ranks % next != 0) { // They do not nest: all ranks in one row.
            m_traffic.axes = {m_workload.rankCount};
            return;
        }
        if (next > before)
            m_traffic.axes.push_back(static_cast<std::int32_t>(next / before));
        before = next;
    }
}

Status TrafficReader::readCollective(std::size_t family, std::size_t ordinal, TaskIndex task)
{
    const GroupFamily& groups = m_workload.families[family];
    const auto& base = m_structure.instanceBase[family];
    const auto instanceOf = [&](std::int64_t group) -> const CollectiveInstance& { return m_structure.instances[at(base[at(group)]) + ordinal]; };
    const CollectiveInstance& first = instanceOf(groups.membership(0).group);
    Placed placed{family, first.program.get(), {}};
    for (std::int64_t group = 0; group < groups.groupCount(); ++group) {
        checkStop(m_stop);
        const CollectiveInstance& instance = instanceOf(group);
        if (!doTheSame(first, instance))
            return noSymmetry("group " + std::to_string(group) + " of " + groups.name() + " runs something else than the group of rank 0");
        placed.layouts.push_back(instance.layout);
    }
    if (!first.program || first.replayPs >= 0)
        return {};
    if (!first.program->isTemplate())
        return refused("a collective runs operation by operation (" + first.program->provenance + ')', task);
    if (Status status = checkSizes(first, task); !status)
        return status;
    if (!m_known.insert(placed).second)
        return {};
    addBreaks(m_structure.layouts[at(first.layout)]);
    return addPhases(placed, first);
}

Status TrafficReader::readFamily(std::size_t family)
{
    const Result<std::vector<TaskIndex>> tasks = collectivesOf(m_scenario, family, m_stop);
    if (!tasks)
        return tasks.error();
    if (tasks.value().empty())
        return {};
    std::vector<std::int32_t>& groups = m_traffic.groups.emplace_back();
    for (std::int32_t rank = 0; rank < m_workload.rankCount; ++rank)
        groups.push_back(static_cast<std::int32_t>(m_workload.families[family].membership(rank).group));
    for (std::size_t ordinal = 0; ordinal < tasks.value().size(); ++ordinal) {
        checkStop(m_stop);
        if (Status status = readCollective(family, ordinal, tasks.value()[ordinal]); !status)
            return status;
    }
    return {};
}

Result<GroupTraffic> TrafficReader::run()
{
    for (std::size_t family = 0; family < m_structure.instanceBase.size(); ++family) {
        if (Status status = readFamily(family); !status)
            return std::move(status).error();
    }
    setAxes();
    return std::move(m_traffic);
}

} // namespace

Result<GroupTraffic> groupTraffic(const Scenario& scenario, const std::stop_token& stop)
{
    return TrafficReader(scenario, stop).run();
}

} // namespace fabricscope
