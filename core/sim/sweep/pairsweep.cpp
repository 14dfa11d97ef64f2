#include "core/sim/sweep/pairsweep.h"

#include "core/base/stop.h"
#include "core/program/phaserules.h"
#include "core/sim/common/eventsonly.h"
#include "core/sim/common/runpace.h"
#include "core/sim/sweep/followable.h"
#include "core/sim/sweep/linktotals.h"

#include <algorithm>

namespace fabricscope::sweep {

PairSweep::PairSweep(const Scenario& scenario, std::int32_t instance)
    : m_scenario(&scenario)
    , m_instance(&scenario.structure->instances[at(instance)])
    , m_number(instance)
{
}

Result<PairSweep> PairSweep::plan(const Scenario& scenario, std::int32_t instance, const std::stop_token& stop)
{
    PairSweep sweep(scenario, instance);
    const Status laid = untilStopped([&] { return sweep.lay(stop); });
    if (!laid)
        return laid.error();
    return sweep;
}

std::int64_t PairSweep::bytesOf(std::int32_t chunk, std::int32_t block) const
{
    return blockBytes(blockBytes(m_instance->bytes, m_chunks, chunk), m_size, block);
}

Status PairSweep::lay(const std::stop_token& stop)
{
    const Structure& structure = *m_scenario->structure;
    if (needsEvents(*m_scenario->params) || structure.platform.isExplicit())
        return noSweep("the platform is a graph, or the design says more of the network");
    if (Status status = checkSweepable(*m_scenario, *m_instance); !status)
        return status;
    const TemplateBody& body = m_instance->program->asTemplate();
    if (!body.orders.empty())
        return noSweep("chunks take different ways");
    if (body.axes.size() != 1 || body.phases.size() > 2 || body.phases.front().kind != PhaseKind::ReduceScatter)
        return noSweep("it is no reduce-scatter, or goes by several axes");
    for (const PhaseTemplate& phase : body.phases) {
        const bool known = phase.kind == PhaseKind::ReduceScatter || phase.kind == PhaseKind::AllGather;
        if (phase.algorithm != Algorithm::Direct || phase.window > 0 || !known)
            return noSweep("a phase is not direct, or limits what is under way");
    }
    if (reducesInTime(*m_scenario, body))
        return noSweep("reductions take time");
    m_gathers = body.phases.size() == 2;
    m_chunks = m_instance->program->chunks;
    const GroupLayout& group = structure.layouts[at(m_instance->layout)];
    m_size = group.size();
    for (std::int32_t chunk = 0; chunk < m_chunks; ++chunk) {
        if (bytesOf(chunk, 0) == 0) // The smallest block.
            return noSweep("some messages have no bytes");
    }
    for (std::int32_t position = 0; position < m_size; ++position)
        m_ranks.push_back(group.rankAt(position));
    const auto members = static_cast<std::size_t>(m_size);
    m_links.reserve(members * members);
    std::vector<LinkId> way;
    for (std::int32_t source = 0; source < m_size; ++source) {
        checkStop(stop);
        for (std::int32_t target = 0; target < m_size; ++target) {
            way.clear();
            if (source != target)
                structure.platform.route(structure.placement.nodeOf(rankOf(source)), structure.placement.nodeOf(rankOf(target)), way);
            const auto shapeOf = [&](LinkId link) { return structure.platform.dimensions()[at(structure.platform.linkInfo(link).dimension)].shape; };
            if (source != target && (way.size() != 1 || shapeOf(way.front()) != Shape::FullyConnected))
                return noSweep("members have no links of their own to each other");
            m_links.push_back(source == target ? 0 : way.front());
        }
    }
    return {};
}

/// Goes over the links one by one. Scratch of one run.
class PairSweep::Pass {
public:
    Pass(const PairSweep& sweep, std::span<const std::int64_t> entries, const SweepOptions& options)
        : m_sweep(sweep)
        , m_scenario(*sweep.m_scenario)
        , m_costs(*sweep.m_scenario->costs)
        , m_entries(entries)
        , m_options(options)
        , m_ideal(sweep.m_scenario->model == Model::Ideal)
        , m_delay(sweep.m_scenario->params->endpointDelay.ps)
        , m_parts(static_cast<std::size_t>(sweep.m_size) * static_cast<std::size_t>(sweep.m_chunks))
        , m_totals(sweep.m_scenario->structure->platform, options)
        , m_busy(sweep.m_scenario->structure->platform.dimensions().size())
    {
        for (std::int32_t position = 0; position < sweep.m_size; ++position) {
            for (std::int32_t chunk = 0; chunk < sweep.m_chunks; ++chunk)
                part(position, chunk) = entries[at(position)];
        }
    }

    /// Finds when the parts are summed up; false: a part is there as its owner enters, which may send of two phases then.
    bool sumUp(const std::stop_token& stop);
    CollectiveOutcome serveAll(const std::stop_token& stop);

private:
    struct Link {
        LinkId id = 0;
        ResourceClass resource = 0;
        std::int64_t latency = 0;
        std::int64_t free = 0;
        std::int64_t bytes = 0;
        std::int64_t busy = 0;
    };
    Link linkOf(std::int32_t source, std::int32_t target) const;
    /// When the part of a position is summed up, and so when it may send it on.
    std::int64_t& part(std::int32_t position, std::int32_t chunk) { return m_parts[at(position) * static_cast<std::size_t>(m_sweep.m_chunks) + at(chunk)]; }
    std::int64_t serve(Link& link, std::int64_t ready, std::int64_t bytes) const;
    static constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
    void tell(std::int32_t source, std::int32_t target, std::int32_t chunk, std::int32_t phase, std::int64_t ready, const Link& link, std::int64_t bytes);

    const PairSweep& m_sweep;
    const Scenario& m_scenario;
    const CostTable& m_costs;
    std::span<const std::int64_t> m_entries;
    const SweepOptions& m_options;
    bool m_ideal;
    std::int64_t m_delay;
    std::vector<std::int64_t> m_parts;
    LinkTotals m_totals;
    std::vector<BusyPyramid> m_busy; ///< By dimension.
    CommutativeDigest m_digest;
};

PairSweep::Pass::Link PairSweep::Pass::linkOf(std::int32_t source, std::int32_t target) const
{
    Link link;
    link.id = m_sweep.m_links[m_sweep.pair(source, target)];
    link.resource = m_scenario.structure->classOf(link.id);
    link.latency = m_costs.latency(link.resource);
    return link;
}

/// Gives the link a message that is ready; returns when it has left.
std::int64_t PairSweep::Pass::serve(Link& link, std::int64_t ready, std::int64_t bytes) const
{
    const std::int64_t cost = m_costs.occupancy(link.resource, bytes);
    link.free = (m_ideal ? ready : std::max(ready, link.free)) + cost;
    link.bytes += bytes;
    link.busy += cost;
    return link.free;
}

bool PairSweep::Pass::sumUp(const std::stop_token& stop)
{
    for (std::int32_t source = 0; source < m_sweep.m_size; ++source) {
        checkStop(stop);
        const std::int64_t ready = m_entries[at(source)] + m_delay;
        for (std::int32_t target = 0; target < m_sweep.m_size; ++target) {
            if (source == target)
                continue;
            Link link = linkOf(source, target);
            for (std::int32_t chunk = 0; chunk < m_sweep.m_chunks; ++chunk) {
                std::int64_t& known = part(target, chunk);
                known = std::max(known, serve(link, ready, m_sweep.bytesOf(chunk, target)) + link.latency);
            }
        }
    }
    for (std::int32_t position = 0; position < m_sweep.m_size; ++position) {
        for (std::int32_t chunk = 0; chunk < m_sweep.m_chunks; ++chunk) {
            const std::int64_t before = chunk == 0 || m_ideal ? m_entries[at(position)] : part(position, chunk - 1);
            if (part(position, chunk) <= before)
                return false;
        }
    }
    return true;
}

CollectiveOutcome PairSweep::Pass::serveAll(const std::stop_token& stop)
{
    CollectiveOutcome outcome;
    outcome.exitPs.assign(m_entries.begin(), m_entries.end());
    const std::int32_t phases = m_sweep.m_gathers ? 2 : 1;
    const std::int64_t messages = std::int64_t{m_sweep.m_chunks} * phases;
    for (std::int32_t source = 0; source < m_sweep.m_size; ++source) {
        checkStop(stop);
        std::int64_t& exit = outcome.exitPs[at(source)];
        for (std::int32_t chunk = 0; chunk < m_sweep.m_chunks; ++chunk)
            exit = std::max(exit, part(source, chunk));
        for (std::int32_t target = 0; target < m_sweep.m_size; ++target) {
            if (source == target)
                continue;
            Link link = linkOf(source, target);
            std::int64_t last = 0;
            for (std::int32_t phase = 0; phase < phases; ++phase) {
                for (std::int32_t chunk = 0; chunk < m_sweep.m_chunks; ++chunk) {
                    const std::int64_t ready = (phase == 0 ? m_entries[at(source)] : part(source, chunk)) + m_delay;
                    const std::int64_t bytes = m_sweep.bytesOf(chunk, phase == 0 ? target : source);
                    last = std::max(last, serve(link, ready, bytes));
                    tell(source, target, chunk, phase, ready, link, bytes);
                    if (phase == 1)
                        outcome.exitPs[at(target)] = std::max(outcome.exitPs[at(target)], link.free + link.latency);
                }
            }
            exit = std::max(exit, last);
            m_totals.add(link.id, messages, link.bytes, link.busy);
            if (m_options.linkEnd)
                m_options.linkEnd(link.id, source, last);
        }
        if (m_options.progress)
            m_options.progress((source + 1.0) / m_sweep.m_size);
    }
    outcome.messages = messages * m_sweep.m_size * (m_sweep.m_size - 1);
    outcome.quietPs = *std::max_element(outcome.exitPs.begin(), outcome.exitPs.end());
    m_totals.moveTo(outcome);
    for (std::size_t d = 0; d < m_busy.size(); ++d)
        outcome.dimensions[d].busy = std::move(m_busy[d]);
    outcome.digest = m_digest;
    return outcome;
}

/// Tells of the message that the link has served last.
void PairSweep::Pass::tell(std::int32_t source, std::int32_t target, std::int32_t chunk, std::int32_t phase, std::int64_t ready, const Link& link, std::int64_t bytes)
{
    if (m_options.busy || m_options.busyOverTime) {
        const std::int64_t start = link.free - m_costs.occupancy(link.resource, bytes);
        if (m_options.busy)
            m_options.busy(link.id, start, link.free);
        if (m_options.busyOverTime)
            m_busy[at(m_scenario.structure->platform.linkInfo(link.id).dimension)].add(start, link.free);
    }
    if (!m_options.messageDigest && !m_options.message)
        return;
    MessageRecord record;
    record.instance = m_sweep.m_number;
    record.source = m_sweep.rankOf(source);
    record.target = m_sweep.rankOf(target);
    record.chunk = chunk;
    record.phase = phase;
    record.slot = (target - source + m_sweep.m_size) % m_sweep.m_size;
    record.bytes = bytes;
    record.readyPs = ready;
    record.leftPs = link.free;
    record.donePs = link.free + link.latency;
    if (phase == 0) // It waits for the receiver's own part.
        record.donePs = std::max(record.donePs, m_entries[at(target)]);
    if (m_options.messageDigest)
        m_digest.add(record.words());
    if (m_options.message)
        m_options.message(record);
}

Result<std::optional<CollectiveOutcome>> PairSweep::run(std::span<const std::int64_t> entriesPs, const SweepOptions& options, const std::stop_token& stop) const
{
    const std::int64_t bytes = static_cast<std::int64_t>(m_links.size() * sizeof(LinkId)) + std::int64_t{m_size} * m_chunks * std::int64_t{sizeof(std::int64_t)};
    if (const Status status = checkMemory(bytes, options.memoryLimit); !status)
        return status.error();
    return untilStopped([&]() -> Result<std::optional<CollectiveOutcome>> {
        Pass pass(*this, entriesPs, options);
        if (!pass.sumUp(stop))
            return std::optional<CollectiveOutcome>();
        return std::optional<CollectiveOutcome>(pass.serveAll(stop));
    });
}

} // namespace fabricscope::sweep
