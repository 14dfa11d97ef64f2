#include "core/sim/symmetry/fold.h"

#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/base/stop.h"
#include "core/program/nativerule.h"
#include "core/program/operationbytes.h"
#include "core/sim/events/tasks.h"
#include "core/sim/symmetry/alike.h"
#include "core/sim/symmetry/foldprogram.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace fabricscope {

namespace {

/// What the collectives do to one dimension.
struct DimensionTraffic {
    bool exclusiveOr = false; ///< Some exchange with r xor m.
    bool shifted = false;     ///< Some send to r + m.
};

class Folder {
public:
    Folder(const Scenario& scenario, const std::stop_token& stop, FoldedPrograms& programs)
        : m_scenario(scenario)
        , m_stop(stop)
        , m_known(programs)
        , m_structure(*scenario.structure)
        , m_platform(m_structure.platform)
        , m_workload(*m_structure.workload)
        , m_traffic(m_platform.dimensions().size())
    {
    }

    /// Throws StopRequested, as all below.
    Result<FoldedScenario> run();

private:
    Status checkFamily(std::size_t family);
    Status checkGroup(std::size_t family, std::int64_t group, std::size_t first, std::size_t reference, const std::vector<GroupLayout>& layouts) const;
    bool isMoved(const GroupLayout& layout, const GroupLayout& wanted) const;
    Result<GroupLayout> wholeLayout(const GroupLayout& layout) const;
    Result<GroupLayout> flatLayout(const GroupLayout& layout) const;
    Status foldInstance(std::size_t number, TaskIndex task, const GroupLayout& layout);
    std::int32_t foldedLayout(std::int32_t original, const GroupLayout& layout);
    Result<std::vector<std::size_t>> dimensionsOf(const GroupLayout& layout) const;
    Status checkProgram(const CollectiveInstance& instance, const std::vector<std::size_t>& dimensions, TaskIndex task);
    Status checkPhases(const CollectiveInstance& instance, const std::vector<PhaseTemplate>& phases, std::int64_t chunk,
                       const std::vector<std::size_t>& dimensions, TaskIndex task);
    Status checkOperations(const CollectiveInstance& instance, std::size_t dimension, TaskIndex task);
    Status checkTraffic() const;
    ProgramPtr ofOneRank(const ProgramPtr& program);
    const RankGraph& graph() const { return m_workload.graph(0); }
    std::string groupName(std::size_t family, std::int64_t group) const
    {
        return "group " + std::to_string(group) + " of " + m_workload.families[family].name();
    }

    const Scenario& m_scenario;
    const std::stop_token& m_stop;
    FoldedPrograms& m_known;
    const Structure& m_structure;
    const Platform& m_platform;
    const Workload& m_workload;
    std::vector<DimensionTraffic> m_traffic;
    std::map<const Program*, ProgramPtr> m_programs;
    std::map<const Program*, std::shared_ptr<const events::ExplicitPlan>> m_operations; ///< By folded program.
    std::shared_ptr<Structure> m_folded = std::make_shared<Structure>();
    std::map<std::int32_t, std::int32_t> m_layouts; ///< Original layout: that of m_folded; of those without a program: -1.
    std::vector<std::int32_t> m_instances;
};

/// The platform dimension of each axis of a group, when the axes are whole dimensions. The base is checked by checkGroup().
Result<std::vector<std::size_t>> Folder::dimensionsOf(const GroupLayout& layout) const
{
    std::vector<std::int64_t> strides = layout.strides;
    if (!layout.list.empty()) {
        strides.clear();
        std::size_t step = 1;
        for (const std::int32_t extent : layout.extents) {
            strides.push_back(extent > 1 ? layout.list[step] - layout.list[0] : 0);
            step *= static_cast<std::size_t>(extent);
        }
    }
    std::vector<std::size_t> found;
    for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
        std::size_t d = 0;
        while (d < m_platform.dimensions().size()
               && (m_platform.dimensions()[d].size != layout.extents[axis] || m_platform.stride(d) != strides[axis] || layout.extents[axis] < 2)) {
            ++d;
        }
        if (d == m_platform.dimensions().size() || std::find(found.begin(), found.end(), d) != found.end())
            return noSymmetry("a group is no product of whole dimensions");
        found.push_back(d);
    }
    return found;
}

/// The layout with base 0 and the strides of its dimensions.
Result<GroupLayout> Folder::wholeLayout(const GroupLayout& layout) const
{
    const auto dimensions = dimensionsOf(layout);
    if (!dimensions)
        return dimensions.error();
    GroupLayout whole;
    whole.extents = layout.extents;
    for (const std::size_t d : dimensions.value())
        whole.strides.push_back(m_platform.stride(d));
    return whole;
}

/// The same of an explicit program, whose positions lie along one dimension, however many axes the layout has.
Result<GroupLayout> Folder::flatLayout(const GroupLayout& layout) const
{
    GroupLayout flat;
    flat.extents = {layout.size()};
    if (layout.size() > 1)
        flat.strides = {layout.rankAt(1) - layout.rankAt(0)};
    const auto dimensions = dimensionsOf(flat);
    if (!dimensions)
        return dimensions.error();
    if (!isMoved(layout, flat))
        return noSymmetry("a group is no whole dimension");
    return flat;
}

/// Is the layout `wanted`, moved along other dimensions?
bool Folder::isMoved(const GroupLayout& layout, const GroupLayout& wanted) const
{
    if (layout.size() != wanted.size())
        return false;
    const std::int64_t base = layout.list.empty() ? layout.base : layout.list.front();
    if (base < 0 || base >= m_platform.npuCount())
        return false;
    for (std::size_t axis = 0; axis < wanted.extents.size(); ++axis) {
        if (base / wanted.strides[axis] % wanted.extents[axis] != 0)
            return false;
    }
    if (layout.list.empty() && layout.extents == wanted.extents)
        return layout.strides == wanted.strides;
    for (std::int32_t position = 0; position < layout.size(); ++position) {
        checkStop(m_stop);
        if (layout.rankAt(position) != base + wanted.rankAt(position))
            return false;
    }
    return true;
}

/// Is the group moved, and otherwise the same as the one of rank 0? `layouts`: of rank 0's collectives, empty where nothing moves.
Status Folder::checkGroup(std::size_t family, std::int64_t group, std::size_t first, std::size_t reference, const std::vector<GroupLayout>& layouts) const
{
    std::int32_t known = -1;
    for (std::size_t k = 0; k < layouts.size(); ++k) {
        checkStop(m_stop);
        const CollectiveInstance& a = m_structure.instances[reference + k];
        const CollectiveInstance& b = m_structure.instances[first + k];
        if (!doTheSame(a, b))
            return noSymmetry(groupName(family, group) + " runs something else than the group of rank 0");
        if (layouts[k].extents.empty() || b.layout == known)
            continue;
        known = b.layout;
        if (!isMoved(m_structure.layouts[at(b.layout)], layouts[k]))
            return noSymmetry(groupName(family, group) + " is no product of whole dimensions");
    }
    return {};
}

Status Folder::checkFamily(std::size_t family)
{
    const GroupFamily& groups = m_workload.families[family];
    const auto& base = m_structure.instanceBase[family];
    const Result<std::vector<TaskIndex>> found = collectivesOf(m_scenario, family, m_stop);
    if (!found)
        return found.error();
    const std::vector<TaskIndex>& tasks = found.value();
    if (tasks.empty())
        return {};
    const std::int64_t count = groups.groupCount();
    const auto reference = static_cast<std::size_t>(base[at(groups.membership(0).group)]);
    std::vector<GroupLayout> layouts(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        checkStop(m_stop);
        const CollectiveInstance& instance = m_structure.instances[reference + k];
        if (!instance.program || instance.replayPs >= 0)
            continue;
        const GroupLayout& original = m_structure.layouts[at(instance.layout)];
        auto layout = instance.program->isTemplate() ? wholeLayout(original) : flatLayout(original);
        if (!layout)
            return noSymmetry("a group of " + groups.name() + " is no product of whole dimensions", events::placeOfTask(0, graph(), tasks[k]));
        layouts[k] = std::move(layout).value();
    }
    for (std::int64_t group = 0; group < count; ++group) {
        checkStop(m_stop);
        if (Status status = checkGroup(family, group, static_cast<std::size_t>(base[at(group)]), reference, layouts); !status)
            return status;
    }
    m_folded->instanceBase[family] = {static_cast<std::int32_t>(m_folded->instances.size())};
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        checkStop(m_stop);
        if (Status status = foldInstance(reference + k, tasks[k], layouts[k]); !status)
            return status;
    }
    return {};
}

/// Engines ask a program's number of ranks only to tell how much there is to do.
ProgramPtr Folder::ofOneRank(const ProgramPtr& program)
{
    ProgramPtr& known = m_programs[program.get()];
    if (!known) {
        Program copy = *program;
        copy.ranks = 1;
        known = std::make_shared<const Program>(std::move(copy));
    }
    return known;
}

/// Collectives of one layout share one again: engines plan a program once for each of its layouts.
std::int32_t Folder::foldedLayout(std::int32_t original, const GroupLayout& layout)
{
    const auto [known, isNew] = m_layouts.try_emplace(original, static_cast<std::int32_t>(m_folded->layouts.size()));
    if (isNew)
        m_folded->layouts.push_back(layout);
    return known->second;
}

Status Folder::foldInstance(std::size_t number, TaskIndex task, const GroupLayout& layout)
{
    const CollectiveInstance& original = m_structure.instances[number];
    CollectiveInstance instance = original;
    instance.group = 0;
    instance.layout = foldedLayout(layout.extents.empty() ? -1 : original.layout, layout);
    if (original.program && original.replayPs < 0) {
        const auto dimensions = dimensionsOf(layout);
        assert(dimensions);
        if (Status status = original.program->isTemplate() ? checkProgram(original, dimensions.value(), task) : checkOperations(original, dimensions.value().front(), task); !status)
            return status;
        instance.program = ofOneRank(original.program);
    }
    m_folded->instances.push_back(std::move(instance));
    m_instances.push_back(static_cast<std::int32_t>(number));
    return {};
}

Status Folder::checkProgram(const CollectiveInstance& instance, const std::vector<std::size_t>& dimensions, TaskIndex task)
{
    const Program& program = *instance.program;
    const TemplateBody& body = program.asTemplate();
    std::set<std::pair<std::int64_t, std::int32_t>> seen; // chunks of one size and order are alike
    const std::vector<std::int64_t> sizes = chunkSizes(program, instance.bytes);
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        checkStop(m_stop);
        const auto c = static_cast<std::size_t>(chunk);
        if (!seen.insert({sizes[c], body.orderOfChunk.empty() ? 0 : body.orderOfChunk[c]}).second)
            continue;
        if (Status status = checkPhases(instance, body.phasesOf(chunk), sizes[c], dimensions, task); !status)
            return status;
    }
    return {};
}

/// The phases of chunks of one size.
Status Folder::checkPhases(const CollectiveInstance& instance, const std::vector<PhaseTemplate>& phases, std::int64_t chunk,
                           const std::vector<std::size_t>& dimensions, TaskIndex task)
{
    const Program& program = *instance.program;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    for (std::size_t number = 0; number < phases.size(); ++number) {
        const PhaseTemplate& phase = phases[number];
        const std::int32_t extent = body.axes[at(phase.axis)];
        const std::size_t d = dimensions[at(phase.axis)];
        const NativeRule& rule = nativeRule(phase.algorithm);
        if (rule.sequence == Sequence::InSwitch)
            return noSymmetry("the switches of dimension " + std::to_string(d) + " do a part of a collective", events::placeOfTask(0, graph(), task));
        if (phase.kind == PhaseKind::Broadcast)
            return noSymmetry("a broadcast begins at one of them", events::placeOfTask(0, graph(), task));
        // With every held part divisible, all members hold the same.
        if (heldBytes(body.axes, phases, number, chunk, origin) % extent != 0) {
            return noSymmetry(showBytes({instance.bytes}) + " in " + std::to_string(program.chunks) + (program.chunks == 1 ? " chunk" : " chunks")
                                  + " do not cut into equal blocks for dimension " + std::to_string(d),
                              events::placeOfTask(0, graph(), task));
        }
        if (rule.alike == Likeness::None) {
            std::string name(rule.key);
            std::replace(name.begin(), name.end(), '_', ' ');
            return noSymmetry("the members of a " + name + " have different parts", events::placeOfTask(0, graph(), task));
        }
        if (rule.alike == Likeness::Turned || extent == 2) {
            m_traffic[d].shifted = true;
            continue;
        }
        if (!isPowerOfTwo(extent))
            return noSymmetry("halving-doubling over " + std::to_string(extent) + " members folds some onto others", events::placeOfTask(0, graph(), task));
        if (m_platform.dimensions()[d].shape == Shape::Ring)
            return noSymmetry("halving-doubling on Ring dimension " + std::to_string(d) + " uses both directions differently from NPU to NPU", events::placeOfTask(0, graph(), task));
        m_traffic[d].exclusiveOr = true;
    }
    return {};
}

/// An explicit program along a dimension.
Status Folder::checkOperations(const CollectiveInstance& instance, std::size_t dimension, TaskIndex task)
{
    const auto unequal = [&] {
        return noSymmetry(showBytes({instance.bytes}) + " do not cut into equal chunks (" + instance.program->provenance + ')', events::placeOfTask(0, graph(), task));
    };
    const bool equal = OperationBytes(*instance.program, instance.bytes).chunksAreEqual();
    if (!equal && instance.program->asExplicit().bytes.empty())
        return unequal();
    const Result<FoldedProgram>& answer = m_known.of(instance.program, m_stop);
    if (!answer)
        return Error{answer.error().code, answer.error().message + " (" + instance.program->provenance + ')', events::placeOfTask(0, graph(), task), answer.error().expected};
    const FoldedProgram& folded = answer.value();
    if (!folded.turned && m_platform.dimensions()[dimension].shape != Shape::Switch)
        return noSymmetry("a program sends to different distances on dimension " + std::to_string(dimension), events::placeOfTask(0, graph(), task));
    if (!equal && !folded.absoluteSizes)
        return unequal();
    m_traffic[dimension].shifted = true;
    m_programs[instance.program.get()] = folded.program;
    m_operations[folded.program.get()] = folded.operations;
    return {};
}

/// Links of a FullyConnected dimension are of one kind each only when all algorithms find their peers in the same way.
Status Folder::checkTraffic() const
{
    for (std::size_t d = 0; d < m_traffic.size(); ++d) {
        if (m_traffic[d].exclusiveOr && m_traffic[d].shifted && m_platform.dimensions()[d].shape == Shape::FullyConnected)
            return noSymmetry("dimension " + std::to_string(d) + " is used by halving-doubling and by another algorithm");
    }
    return {};
}

Result<FoldedScenario> Folder::run()
{
    for (const Status& status : {npusAlike(m_scenario, m_stop), ranksAlike(m_scenario, m_stop), tasksAlike(m_scenario, m_stop)}) {
        if (!status)
            return status.error();
    }
    m_folded->instanceBase.resize(m_structure.instanceBase.size());
    if (!m_structure.ordinalsOfRank.empty()) {
        m_folded->ordinalsOfRank = {m_structure.ordinalsOfRank.front()};
        for (std::size_t family = 0; family < m_structure.instanceBase.size(); ++family) {
            if (Status status = checkFamily(family); !status)
                return std::move(status).error();
        }
    }
    if (Status status = checkTraffic(); !status)
        return std::move(status).error();

    auto workload = std::make_shared<Workload>();
    workload->rankCount = 1;
    workload->graphs = {m_workload.graphs[m_workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(m_workload.graphOfRank.front())]};
    workload->families.assign(m_workload.families.size(), GroupFamily::world(1));
    m_folded->workload = std::move(workload);
    m_folded->platform = m_platform;
    m_folded->placement = Placement::identity(1);
    m_folded->streamCount = m_structure.streamCount;

    FoldedScenario folded;
    folded.scenario = m_scenario;
    folded.scenario.structure = m_folded;
    folded.ranks = m_workload.rankCount;
    for (const DimensionTraffic& traffic : m_traffic)
        folded.exclusiveOr.push_back(traffic.exclusiveOr && !traffic.shifted);
    folded.instances = m_instances;
    folded.operations = std::move(m_operations);
    return folded;
}

} // namespace

Result<FoldedScenario> foldScenario(const Scenario& scenario, const std::stop_token& stop, FoldedPrograms* programs)
{
    FoldedPrograms own;
    return untilStopped([&] { return Folder(scenario, stop, programs ? *programs : own).run(); });
}

} // namespace fabricscope
