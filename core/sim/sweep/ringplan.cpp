#include "core/sim/sweep/ringplan.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/scenario/networkparams.h"
#include "core/sim/common/dimensionuses.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/common/linkdraws.h"
#include "core/sim/sweep/followable.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fabricscope::sweep {

namespace {

/// Two orders along one axis: the phases of the first one way round, the same the other way.
bool goOppositeWays(const TemplateBody& body)
{
    if (body.orders.size() != 1)
        return false;
    std::vector<PhaseTemplate> turned = body.phases;
    for (PhaseTemplate& phase : turned)
        phase.minus = !phase.minus;
    const auto likeFirst = [&](const PhaseTemplate& phase) { return phase.minus == body.phases.front().minus; };
    return turned == body.orders.front() && std::all_of(body.phases.begin(), body.phases.end(), likeFirst);
}

class Planner {
public:
    Planner(const Scenario& scenario, std::int32_t instance, const std::stop_token& stop)
        : m_scenario(scenario)
        , m_stop(stop)
        , m_structure(*scenario.structure)
        , m_platform(m_structure.platform)
        , m_costs(*scenario.costs)
    {
        m_plan.number = instance;
        m_plan.instance = &m_structure.instances[at(instance)];
    }

    /// Throws StopRequested, as all below.
    Result<SweepPlan> run(bool onlyCheck);

private:
    Status checkModel() const;
    Status checkBlocks();
    void addTracks();
    void addPhases(const std::vector<PhaseTemplate>& phases, const std::vector<std::int32_t>& chunks);
    std::optional<std::size_t> wholeDimension(const Track& track) const;
    Status linksOfDimension(Track& track, std::size_t dimension);
    Status linksOfRoutes(Track& track);
    Status use(LinkId link);
    void readChanges();
    Status findChanging(Track& track) const;
    void priceDraws(Track& track) const;
    void price(Track& track);
    NodeId nodeOf(std::int32_t position) const { return m_structure.placement.nodeOf(m_plan.rankOf(position)); }
    const GroupLayout& layout() const { return m_structure.layouts[at(m_plan.instance->layout)]; }

    const Scenario& m_scenario;
    const std::stop_token& m_stop;
    const Structure& m_structure;
    const Platform& m_platform;
    const CostTable& m_costs;
    SweepPlan m_plan;
    bool m_divides = false;
    std::vector<std::int64_t> m_smallest; ///< By phase: bytes of the smallest block.
    std::vector<bool> m_used;             ///< By link; only with routes.
    std::map<LinkId, RateSteps> m_changing;
    std::optional<LinkDraws> m_draws;
};

Status Planner::checkModel() const
{
    const Params& params = *m_scenario.params;
    const CollectiveInstance& instance = *m_plan.instance;
    if (needsEvents(params) && !changesOnlyLinks(params))
        return noSweep("crossbars of switches, network, compute or scheduling settings of the design");
    if (changesOnlyLinks(params) && (m_platform.isExplicit() || m_scenario.model == Model::Ideal))
        return noSweep("rates or delays of links change on a graph, or where no link is ever busy");
    if (params.network && !params.network->occupancy.empty() && !params.network->changes.empty())
        return noSweep("links change their rates, and their rates are drawn");
    if (Status status = checkSweepable(m_scenario, instance); !status)
        return status;
    const TemplateBody& body = instance.program->asTemplate();
    for (const PhaseTemplate& phase : body.phases) {
        if (phase.algorithm != Algorithm::Ring)
            return noSweep(std::string(algorithmKey(phase.algorithm)) + " runs along an axis");
        if (phase.kind == PhaseKind::Broadcast)
            return noSweep("a broadcast begins at one NPU");
    }
    if (!body.orders.empty() && !goOppositeWays(body))
        return noSweep("chunks take different ways");
    if (reducesInTime(m_scenario, body))
        return noSweep("reductions take time");
    if (std::int64_t{instance.program->chunks} * static_cast<std::int64_t>(body.phases.size()) >= kMaxFlows)
        return noSweep(std::to_string(instance.program->chunks) + " chunks are too many");
    return {};
}

/// Sizes: whether all members hold the same, and that every message exists.
Status Planner::checkBlocks()
{
    const TemplateBody& body = *m_plan.body;
    std::int64_t cells = 1;
    for (const std::int32_t extent : body.axes)
        cells *= extent;
    const std::int64_t bytes = m_plan.instance->bytes;
    m_divides = bytes % (cells * m_plan.chunks()) == 0;
    // Who is at position 0 of every axis holds the fewest bytes: block 0 of a cut is the smallest.
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    for (std::size_t phase = 0; phase < body.phases.size(); ++phase) {
        const std::int64_t held = heldBytes(body, phase, bytes / m_plan.chunks(), origin);
        const std::int64_t block = held / body.axes[at(body.phases[phase].axis)];
        if (block == 0)
            return noSweep("some messages have no bytes");
        m_smallest.push_back(block);
    }
    const bool shrinks = body.phases.front().kind == PhaseKind::AllToAll;
    if ((!m_divides || shrinks) && m_scenario.model == Model::Ideal)
        return noSweep("blocks of different sizes overtake each other where no link is ever busy");
    return {};
}

void Planner::addTracks()
{
    const TemplateBody& body = *m_plan.body;
    std::vector<std::vector<std::int32_t>> ofOrder(body.orders.size() + 1);
    for (std::int32_t chunk = 0; chunk < m_plan.chunks(); ++chunk) {
        const std::size_t order = body.orderOfChunk.empty() ? 0 : body.orderOfChunk[at(chunk)];
        m_plan.placeOfChunk.push_back(static_cast<std::int32_t>(ofOrder[order].size()));
        ofOrder[order].push_back(chunk);
    }
    if (body.orders.empty())
        return addPhases(body.phases, ofOrder.front());
    m_plan.trackOfChunk.resize(at(m_plan.chunks()));
    for (const std::vector<std::int32_t>& chunks : ofOrder) {
        for (const std::int32_t chunk : chunks)
            m_plan.trackOfChunk[at(chunk)] = static_cast<std::int32_t>(m_plan.tracks.size());
        if (!chunks.empty())
            addPhases(body.phasesOf(chunks.front()), chunks);
    }
}

/// Of the chunks that go through these phases.
void Planner::addPhases(const std::vector<PhaseTemplate>& phases, const std::vector<std::int32_t>& chunks)
{
    const TemplateBody& body = *m_plan.body;
    for (std::size_t number = 0; number < phases.size(); ++number) {
        const PhaseTemplate& phase = phases[number];
        const auto found = std::find_if(m_plan.tracks.begin(), m_plan.tracks.end(),
                                        [&](const Track& track) { return track.axis == phase.axis && track.minus == phase.minus; });
        const auto index = static_cast<std::int32_t>(found - m_plan.tracks.begin());
        if (found == m_plan.tracks.end()) {
            Track track;
            track.axis = phase.axis;
            track.minus = phase.minus;
            track.extent = body.axes[at(phase.axis)];
            track.stride = strideOf(body.axes, phase.axis);
            track.lines = m_plan.size / track.extent;
            track.uniform = m_divides;
            track.bytes = m_smallest[number];
            track.chunks = chunks;
            m_plan.tracks.push_back(std::move(track));
        }
        Track& track = m_plan.tracks[at(index)];
        m_plan.trackOfPhase.push_back(index);
        m_plan.indexOfPhase.push_back(track.phasesPerChunk());
        track.phases.push_back(static_cast<std::int32_t>(number));
        track.rules.emplace_back(phase, track.extent);
        track.waits.push_back(phase.kind != PhaseKind::AllGather);
        track.reduces.push_back(phase.kind == PhaseKind::ReduceScatter);
        track.uniform = track.uniform && track.bytes == m_smallest[number] && phase.kind != PhaseKind::AllToAll;
        track.bytes = std::min(track.bytes, m_smallest[number]);
        track.gated = phases.front().kind == PhaseKind::AllGather;
        track.flows = static_cast<std::int32_t>(chunks.size()) * track.phasesPerChunk();
    }
}

/// The dimension the axis of the track is, when it is a whole one of a machine with rank r on node r.
std::optional<std::size_t> Planner::wholeDimension(const Track& track) const
{
    const GroupLayout& group = layout();
    if (m_platform.isExplicit() || !m_structure.placement.isIdentity() || !group.list.empty())
        return std::nullopt;
    const auto axis = static_cast<std::size_t>(track.axis);
    for (std::size_t d = 0; d < m_platform.dimensions().size(); ++d) {
        if (m_platform.dimensions()[d].size == group.extents[axis] && m_platform.stride(d) == group.strides[axis] && group.extents[axis] > 1)
            return d;
    }
    return std::nullopt;
}

Status Planner::use(LinkId link)
{
    if (m_used[at(link)])
        return noSweep("link " + m_platform.linkName(link) + " carries messages of several senders or directions");
    m_used[at(link)] = true;
    return {};
}

/// Links of one kind are numbered NPU by NPU, so the way of node 0 tells all.
Status Planner::linksOfDimension(Track& track, std::size_t dimension)
{
    const Dimension& shape = m_platform.dimensions()[dimension];
    const bool shared = shape.shape == Shape::Switch || shape.size == 2;
    for (const Track& other : m_plan.tracks) {
        if (shared && &other != &track && other.axis == track.axis)
            return noSweep("both directions of dimension " + std::to_string(dimension) + " share links");
    }
    std::vector<LinkId> way;
    const std::int32_t step = track.minus ? track.extent - 1 : 1;
    m_platform.route(0, m_platform.withCoordinate(0, dimension, step), way);
    const std::int64_t ports = portsPerNpu(shape);
    const LinkId down = way.size() == 2 ? way[1] - std::int64_t{m_platform.linkInfo(way[1]).owner} * ports : 0;
    track.switched = way.size() == 2;
    const std::int64_t stride = track.minus ? -m_platform.stride(dimension) : m_platform.stride(dimension);
    for (std::int64_t line = 0; line < track.lines; ++line) {
        // The nodes of a line are evenly spaced, whatever the other axes are.
        const std::int64_t first = m_plan.rankOf(track.positionOf(line, 0));
        for (std::int32_t place = 0; place < track.extent; ++place) {
            checkStop(m_stop);
            track.link.push_back(way[0] + (first + place * stride) * ports);
            if (track.switched)
                track.downLink.push_back(down + (first + (place + 1 == track.extent ? 0 : place + 1) * stride) * ports);
        }
    }
    return {};
}

Status Planner::linksOfRoutes(Track& track)
{
    std::vector<LinkId> way;
    for (std::int64_t line = 0; line < track.lines; ++line) {
        for (std::int32_t place = 0; place < track.extent; ++place) {
            checkStop(m_stop);
            const NodeId from = nodeOf(track.positionOf(line, place));
            const NodeId to = nodeOf(track.positionOf(line, place + 1 == track.extent ? 0 : place + 1));
            way.clear();
            if (const auto& network = m_scenario.params->network)
                network->ways->route(from, to, way);
            else
                m_platform.route(from, to, way);
            if (way.empty() || way.size() > 2 || (!track.link.empty() && (way.size() == 2) != track.switched))
                return noSweep("neighbours of a ring are " + std::to_string(way.size()) + " links apart");
            track.switched = way.size() == 2;
            for (const LinkId link : way) {
                if (Status status = use(link); !status)
                    return status;
            }
            track.link.push_back(way[0]);
            if (track.switched)
                track.downLink.push_back(way[1]);
        }
    }
    return {};
}

void Planner::readChanges()
{
    const auto& network = m_scenario.params->network;
    if (!network)
        return;
    if (const LinkDraws draws(*network, network->seed); draws.any())
        m_draws = draws;
    for (const LinkChange& change : network->changes)
        m_changing.try_emplace(change.link, m_structure.classOf(change.link)).first->second.add(change.at.ps, change.resource);
}

Status Planner::findChanging(Track& track) const
{
    if (m_draws && track.switched)
        return noSweep("delays on the links of a switch are drawn");
    if (m_changing.empty())
        return {};
    for (std::size_t cell = 0; cell < track.link.size(); ++cell) {
        checkStop(m_stop);
        if (track.switched && (m_changing.contains(track.link[cell]) || m_changing.contains(track.downLink[cell])))
            return noSweep("the rate of a link of a switch changes");
        if (const auto found = m_changing.find(track.link[cell]); found != m_changing.end())
            track.changing.push_back({cell, found->second, 0});
    }
    return {};
}

/// The least that may be drawn.
void Planner::priceDraws(Track& track) const
{
    const std::int64_t pieces = (track.bytes + m_scenario.params->pieceBytes - 1) / m_scenario.params->pieceBytes; // Each is rounded.
    track.hop = kNever;
    for (std::size_t cell = 0; cell < track.link.size(); ++cell) {
        if (m_draws->drawsOccupancy())
            track.cost[cell] = std::max<std::int64_t>(1, m_draws->leastOccupancy(track.cost[cell]) - pieces);
        track.hop = std::min(track.hop, track.cost[cell] + m_draws->leastLatency(track.latency[cell]));
    }
    const std::size_t flows = static_cast<std::size_t>(track.flows);
    track.latest.assign(track.link.size() * flows, 0);
    if (m_draws->drawsOccupancy())
        track.drawnBusy.assign(track.link.size(), 0);
}

/// Costs of the links, and room for the state of a run.
void Planner::price(Track& track)
{
    const std::size_t cells = track.link.size();
    const std::int64_t piece = m_scenario.model == Model::Ideal ? kNever : m_scenario.params->pieceBytes;
    track.cost.reserve(cells);
    track.latency.reserve(cells);
    track.hop = kNever;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        checkStop(m_stop);
        const ResourceClass up = m_structure.classOf(track.link[cell]);
        std::int64_t least = m_costs.occupancy(up, track.bytes) + m_costs.latency(up);
        track.cost.push_back(m_costs.occupancy(up, track.bytes));
        track.latency.push_back(m_costs.latency(up));
        if (!track.uniform || (m_draws && m_draws->drawsOccupancy()))
            track.resource.push_back(up);
        if (track.switched) {
            const ResourceClass down = m_structure.classOf(track.downLink[cell]);
            track.downLatency.push_back(m_costs.latency(down));
            least += m_costs.latency(down);
            if (track.uniform) {
                track.downCost.push_back(m_costs.occupancy(down, track.bytes));
                track.downBump.push_back(trainBump(m_costs, up, down, track.bytes, piece));
            } else {
                track.downResource.push_back(down);
            }
        }
        track.hop = std::min(track.hop, least);
    }
    if (m_draws)
        priceDraws(track);
    for (const Track::Changing& link : track.changing) {
        track.cost[link.cell] = link.rates.least(m_costs, track.bytes);
        track.hop = std::min(track.hop, track.cost[link.cell] + (m_draws ? m_draws->leastLatency(track.latency[link.cell]) : track.latency[link.cell]));
    }
    track.hop += m_scenario.params->endpointDelay.ps;

    for (std::int32_t flow = 0; flow < track.flows; ++flow)
        track.flowWaits.push_back(track.waits[at(flow % track.phasesPerChunk())]);

    const auto flows = static_cast<std::size_t>(track.flows);
    const auto lines = static_cast<std::size_t>(track.lines);
    track.free.assign(cells, 0);
    if (track.switched)
        track.downFree.assign(cells, 0);
    track.served.assign(cells, -1);
    track.servedKey.assign(cells, 0);
    track.arrived.assign(cells * flows, 0);
    track.missing.assign(cells, static_cast<std::int32_t>(track.chunks.size()) * static_cast<std::int32_t>(std::count(track.waits.begin(), track.waits.end(), 1)));
    track.parked.resize(lines);
    track.next.assign(lines, kNever);
    track.ahead.assign(lines * flows, kNever);
    track.lagging.assign(lines * flows, 0);
    track.ownless.assign(lines * flows, 0);
    track.waiting.assign(lines * flows, 0);
    track.planes = track.axis == 0 ? 1 : m_plan.body->axes[0];
    const auto planes = static_cast<std::size_t>(track.planes);
    track.horizon.assign(planes, 0);
    track.unknown.assign(planes * flows, m_plan.size / track.planes);
    track.aheadOf.assign(planes * flows, kNever);
    track.ownlessOf.assign(planes * flows, 0);
    track.closeOf.assign(planes * flows, 0);
    track.nextOf.assign(planes, kNever);
}

Result<SweepPlan> Planner::run(bool onlyCheck)
{
    if (Status status = checkModel(); !status)
        return std::move(status).error();
    m_plan.program = m_plan.instance->program.get();
    m_plan.body = &m_plan.program->asTemplate();
    m_plan.size = layout().size();
    if (Status status = checkBlocks(); !status)
        return std::move(status).error();
    const GroupLayout& group = layout();
    const bool straight = group.list.empty() && group.base == 0 && group.strides == stridesOf<std::int64_t>(group.extents);
    for (std::int32_t position = 0; !straight && position < m_plan.size; ++position) {
        checkStop(m_stop);
        m_plan.ranks.push_back(group.rankAt(position));
    }
    addTracks();
    readChanges();
    bool whole = true;
    for (const Track& track : m_plan.tracks)
        whole = whole && wholeDimension(track);
    if (!whole)
        m_used.resize(static_cast<std::size_t>(m_platform.linkCount()), false);
    for (Track& track : m_plan.tracks) {
        track.link.reserve(static_cast<std::size_t>(track.lines * track.extent));
        if (Status status = whole ? linksOfDimension(track, *wholeDimension(track)) : linksOfRoutes(track); !status)
            return std::move(status).error();
        if (Status status = findChanging(track); !status)
            return std::move(status).error();
        if (!onlyCheck)
            price(track);
    }
    return std::move(m_plan);
}

} // namespace

Result<SweepPlan> planSweep(const Scenario& scenario, std::int32_t instance, bool onlyCheck, const std::stop_token& stop)
{
    return untilStopped([&] { return Planner(scenario, instance, stop).run(onlyCheck); });
}

} // namespace fabricscope::sweep
