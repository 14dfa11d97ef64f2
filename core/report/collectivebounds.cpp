#include "core/report/collectivebounds.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/bounds/bounds.h"
#include "core/hierarchy/boundlevels.h"
#include "core/scenario/networkparams.h"
#include "core/step/collectivelist.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kMostInstances = 20'000;
constexpr std::int32_t kMostRanks = 1 << 16;
constexpr std::size_t kMostShapes = 200;
/// Links times members of all searches together: about a tenth of a second.
constexpr std::int64_t kWork = 400'000;
/// Links of larger graphs are not looked at for bounds, nor for levels.
constexpr std::int64_t kMostLevelLinks = 1 << 21;
/// Links times groups whose levels are looked for: about a second.
constexpr std::int64_t kLevelWork = 10'000'000;

/// Does a run go faster anywhere than its platform says? Then nothing is proven.
bool isFaster(const Scenario& scenario)
{
    const Platform& platform = scenario.structure->platform;
    const Params& params = *scenario.params;
    const auto dimensions = platform.dimensions().size();
    const std::size_t shared = dimensions + static_cast<std::size_t>(scenario.structure->figureClasses);
    for (std::size_t i = 0; i < params.linkRate.size() && i < shared + scenario.structure->classedLinks.size(); ++i) {
        const bool own = i >= shared;
        const LinkId link = own ? scenario.structure->classedLinks[i - shared] : 0;
        const Bandwidth rate = own ? platform.bandwidth(link) : i >= dimensions ? platform.rateOf(i - dimensions) : platform.dimensions()[i].linkBandwidth();
        const SimTime latency = own ? platform.latency(link) : i >= dimensions ? platform.latencyOf(i - dimensions) : platform.dimensions()[i].linkLatency();
        if (params.linkRate[i] > rate || (i < params.linkLatency.size() && params.linkLatency[i] < latency))
            return true;
    }
    const NpuSpec& npu = platform.spec().npu;
    const auto lifted = [](const std::optional<Quantity>& budget, const std::optional<Bandwidth>& used) { return budget && (!used || *used > toBandwidth(*budget)); };
    if (lifted(npu.injection, params.injection) || lifted(npu.ejection, params.ejection))
        return true;
    std::map<std::int32_t, Bandwidth> limits; // As Params::crossbars has them.
    for (const auto& [node, rate] : platform.spec().nodes.crossbars())
        limits.emplace(static_cast<std::int32_t>(node), toBandwidth(rate));
    for (std::size_t d = 0; d < dimensions; ++d) {
        if (const Dimension& dimension = platform.dimensions()[d]; dimension.crossbar && dimension.size > 1)
            limits.emplace(static_cast<std::int32_t>(d), toBandwidth(*dimension.crossbar));
    }
    const auto isAbove = [&](const auto& used) { return used.second > limits.at(used.first); };
    if (limits.size() != params.crossbars.size() || std::ranges::any_of(params.crossbars, isAbove))
        return true;
    if (!params.network)
        return false;
    for (const LinkChange& change : params.network->changes) {
        if (change.rate > platform.bandwidth(change.link).bytesPerSecond)
            return true;
    }
    return !params.network->latency.empty() || !params.network->occupancy.empty();
}

BoundScope scopeOf(const Scenario& scenario, const Program& program)
{
    const auto& network = scenario.params->network;
    const bool fixed = !scenario.structure->platform.hasRemovals()
        && (!network || (!network->failures && (!network->routing || rowOf(network->routing->policy).fewest)));
    const bool ownRoutes = !program.isTemplate() && !program.asExplicit().routes.empty();
    return fixed && !ownRoutes ? BoundScope::Routes : BoundScope::Platform;
}

/// Bytes of which every member has an equal whole share: rounding of blocks may give a rank a byte or two less per chunk than its part, and
/// programs of operations whose contents cannot be followed (carriedbytes.h) size what they gather by its number of chunks, so that of few bytes
/// none may be sent.
std::int64_t sharedBytes(const CollectiveInstance& instance, std::int64_t members)
{
    switch (instance.op) {
    case CollectiveOp::AllReduce:
    case CollectiveOp::Broadcast:
    case CollectiveOp::Reduce:
        if (instance.program->isTemplate())
            return instance.bytes;
        break;
    default:
        break;
    }
    const bool weighted = instance.program->isTemplate() ? !instance.program->asTemplate().chunkWeights.empty() : !instance.program->asExplicit().chunkWeights.empty();
    const std::int64_t parts = members * std::max(instance.program->chunks, 1);
    if (!weighted && instance.bytes % parts == 0)
        return instance.bytes;
    return std::max<std::int64_t>(instance.bytes - 2 * parts, 0);
}

/// Have the members parts of different size? The bounds are of equal ones.
bool hasUnequalParts(const Program& program)
{
    if (program.isTemplate())
        return false;
    const ExplicitBody& body = program.asExplicit();
    const std::vector<std::int64_t>& weights = body.chunkWeights;
    return (program.op == CollectiveOp::AllToAll && !body.bytes.empty()) || std::any_of(weights.begin(), weights.end(), [&](std::int64_t weight) { return weight != weights.front(); });
}

class BoundRows {
public:
    BoundRows(const Scenario& scenario, std::string& note, const std::stop_token& stop) : m_stop(stop), m_scenario(scenario), m_structure(*scenario.structure), m_note(note) {}

    void add(const InstanceRun& run);
    /// From the first issue to the last end; 0: nothing is known.
    std::int64_t leastOf(const CollectiveInstance& instance);
    std::vector<CollectiveBoundRow> take() { return std::move(m_rows); }

private:
    /// Null: there is none for such a collective.
    const CollectiveBound* boundOf(const CollectiveInstance& instance);
    /// Blocks of a group on a graph: those its program goes by, else those that are found.
    std::vector<BoundLevel> levelsOf(const GroupLayout& layout, const std::vector<NodeId>& members);

    const std::stop_token& m_stop;
    const Scenario& m_scenario;
    const Structure& m_structure;
    std::string& m_note;
    std::int64_t m_work = kWork;
    std::int64_t m_levelWork = kLevelWork;
    std::unique_ptr<const LevelFinder> m_finder;
    using Key = std::tuple<CollectiveOp, std::int64_t, std::int32_t, BoundScope, std::string>;
    std::map<Key, CollectiveBound> m_bounds;
    std::map<std::tuple<std::int32_t, BoundScope>, std::string> m_shapes; ///< By layout.
    using RowKey = std::tuple<CollectiveOp, FamilyId, std::int32_t, std::int64_t, std::string, std::int64_t>;
    std::map<RowKey, std::size_t> m_rowOf;
    std::vector<CollectiveBoundRow> m_rows;
};

std::vector<BoundLevel> BoundRows::levelsOf(const GroupLayout& layout, const std::vector<NodeId>& members)
{
    const Platform& platform = m_structure.platform;
    if (!platform.isExplicit() || platform.linkCount() > kMostLevelLinks)
        return {};
    if (!layout.levels.empty() && layout.levels.size() == layout.extents.size()) {
        std::vector<GroupLevels::Used> used;
        for (std::size_t axis = 0; axis < layout.levels.size(); ++axis)
            used.push_back({layout.levels[axis], layout.extents[axis], {}});
        std::vector<std::int32_t> order(members.size()); // Members are listed by position.
        std::iota(order.begin(), order.end(), 0);
        return boundLevels(used, order);
    }
    if (platform.linkCount() > m_levelWork)
        return {};
    m_levelWork -= platform.linkCount();
    if (!m_finder)
        m_finder = std::make_unique<const LevelFinder>(platform, m_stop);
    const std::shared_ptr<const GroupLevels> found = m_finder->find(members);
    return found->uneven ? boundLevels(*found->uneven) : boundLevels(found->used, found->order);
}

std::int64_t BoundRows::leastOf(const CollectiveInstance& instance)
{
    checkStop(m_stop);
    const CollectiveBound* const bound = boundOf(instance);
    return bound ? bound->timePs : 0;
}

const CollectiveBound* BoundRows::boundOf(const CollectiveInstance& instance)
{
    const GroupLayout& layout = m_structure.layouts[at(instance.layout)];
    if (!instance.program || instance.replayPs >= 0 || layout.size() < 2 || instance.program->root < 0 || instance.program->root >= layout.size() || hasUnequalParts(*instance.program))
        return nullptr;
    const BoundScope scope = scopeOf(m_scenario, *instance.program);
    std::vector<NodeId> members;
    std::string& shape = m_shapes[{instance.layout, scope}];
    const auto list = [&] {
        for (std::int32_t position = 0; position < layout.size(); ++position)
            members.push_back(m_structure.placement.nodeOf(layout.rankAt(position)));
    };
    if (shape.empty()) {
        list();
        shape = boundShape(m_structure.platform, members, scope);
    }
    const std::int64_t bytes = sharedBytes(instance, layout.size());
    const Key key{instance.op, bytes, instance.program->root, scope, shape};
    if (const auto known = m_bounds.find(key); known != m_bounds.end())
        return &known->second;
    if (m_bounds.size() == kMostShapes) {
        m_note = "lower bounds of the first " + std::to_string(kMostShapes) + " kinds of collectives only";
        return nullptr;
    }
    if (members.empty())
        list();
    const auto cost = static_cast<std::int64_t>(members.size()) * std::min<std::int64_t>(m_structure.platform.linkCount(), 20'000);
    const std::int64_t allowed = cost <= m_work ? m_work : 0;
    m_work -= allowed > 0 ? cost : 0;
    const std::vector<BoundLevel> levels = levelsOf(layout, members);
    const Result<CollectiveBound> bound = collectiveBound(m_structure.platform, members, instance.op, bytes, instance.program->root, scope, m_stop, allowed, levels);
    checkStop(m_stop);
    return bound ? &m_bounds.emplace(key, bound.value()).first->second : nullptr;
}

void BoundRows::add(const InstanceRun& run)
{
    checkStop(m_stop);
    const CollectiveInstance& instance = m_structure.instances[at(run.instance)];
    if (run.beginPs < 0 || run.endPs < run.beginPs)
        return;
    const CollectiveBound* bound = boundOf(instance);
    if (bound == nullptr || bound->timePs <= 0)
        return;
    const SimTime time{run.endPs - run.beginPs};
    const auto [entry, isNew] = m_rowOf.try_emplace({run.op, run.family, run.size, run.bytes, run.algorithm, bound->timePs}, m_rows.size());
    if (isNew) {
        CollectiveBoundRow row;
        row.op = collectiveKey(run.op);
        row.group = run.familyName;
        row.ranks = run.size;
        row.bytes = run.bytes;
        row.algorithm = run.algorithm;
        const GroupLayout& layout = m_structure.layouts[at(instance.layout)];
        for (std::size_t axis = 0; axis < layout.levels.size(); ++axis)
            row.levels.push_back({layout.levels[axis], layout.extents[axis]});
        row.bound = {bound->timePs};
        row.latency = {bound->latencyPs};
        row.bandwidth = {bound->bandwidthPs};
        row.exact = bound->exact;
        row.cut = bound->cut;
        row.best = row.worst = time;
        m_rows.push_back(std::move(row));
    }
    CollectiveBoundRow& row = m_rows[entry->second];
    ++row.count;
    row.best = std::min(row.best, time);
    row.worst = std::max(row.worst, time);
}

} // namespace

CollectiveBounds collectiveBounds(const Scenario& scenario, const RunRecord& record, const std::stop_token& stop)
{
    CollectiveBounds bounds;
    if (!traitsOf(record.model).keepsRates || !scenario.params || scenario.structure->instances.empty())
        return bounds;
    if (scenario.structure->instances.size() > kMostInstances || record.rankCount > kMostRanks) {
        bounds.note = "no lower bounds of collectives: more than " + std::to_string(kMostInstances) + " collectives or " + std::to_string(kMostRanks) + " ranks";
        return bounds;
    }
    if (isFaster(scenario)) {
        bounds.note = "no lower bounds of collectives: rates or latencies vary in this run";
        return bounds;
    }
    BoundRows rows(scenario, bounds.note, stop);
    for (const InstanceRun& run : collectivesOf(scenario, record, stop))
        rows.add(run);
    bounds.rows = rows.take();
    return bounds;
}

std::optional<SimTime> leastCollectiveTime(const Scenario& scenario, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    if (!traitsOf(scenario.model).keepsRates || !scenario.params || structure.instances.size() > kMostInstances || structure.workload->rankCount > kMostRanks || isFaster(scenario))
        return std::nullopt;
    std::string note;
    BoundRows rows(scenario, note, stop);
    std::int64_t least = 0;
    for (const CollectiveInstance& instance : structure.instances)
        least = std::max(least, rows.leastOf(instance));
    return least > 0 ? std::optional(SimTime{least}) : std::nullopt;
}

bool isFasterThanItsPlatform(const Scenario& scenario)
{
    return isFaster(scenario);
}

std::optional<SimTime> lowerBoundOf(const Design& design, const CollectiveBounds& bounds)
{
    const bool single = design.workload && std::holds_alternative<SingleCollective>(*design.workload);
    return single && bounds.rows.size() == 1 && bounds.rows[0].count == 1 ? std::optional(bounds.rows[0].bound) : std::nullopt;
}

} // namespace fabricscope
