#include "core/sim/symmetry/foldedboxes.h"

#include "core/base/index.h"
#include "core/sim/common/runpace.h"

#include <algorithm>

namespace fabricscope::events {

bool FoldedBoxes::takes(const Run& run)
{
    constexpr int kFollowed = 4;
    int& seen = m_seen[{run.plan, run.def->bytes}];
    if (seen < kFollowed) {
        ++seen;
        return false;
    }
    return !m_apart.contains(run.instance);
}

std::int64_t FoldedBoxes::startOf(const Run& run) const
{
    std::int64_t start = INT64_MAX;
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (isSimulated(*run.plan, position))
            start = std::min(start, run.members[at(position)].lastLeft);
    }
    return start;
}

Result<FoldedBoxes::Known*> FoldedBoxes::knownOf(const Run& run, std::int64_t start)
{
    m_entries.clear();
    for (std::int32_t position = 0; position < run.kept; ++position)
        m_entries.push_back(isSimulated(*run.plan, position) ? run.members[at(position)].lastLeft - start : 0);
    Kind& kind = m_kinds[{run.plan, run.def->bytes}];
    if (const auto found = kind.find(m_entries); found != kind.end())
        return &found->second;
    Result<FoldedAnswer> answer = foldedAnswer(m_state, run, m_entries, m_endpoints, m_stop);
    if (!answer)
        return std::move(answer).error();
    return &kind.emplace(m_entries, Known{std::move(answer).value(), {}}).first->second;
}

FoldedBoxes::Use& FoldedBoxes::linkUse(std::int32_t link)
{
    if (static_cast<std::size_t>(link) >= m_links.size())
        m_links.resize(m_state.network.links().size());
    return m_links[at(link)];
}

FoldedBoxes::Use& FoldedBoxes::nodeUse(std::vector<Use>& uses, NodeId node)
{
    if (uses.empty())
        uses.resize(m_state.network.endpoints().size());
    return uses[at(node)];
}

bool FoldedBoxes::isFree(const FoldedAnswer& answer, std::int64_t start)
{
    if (m_state.ideal)
        return true;
    const auto isOpen = [](const Use& use, std::int64_t committed, std::int64_t first) { return use.outside == 0 && committed <= first && use.until <= first; };
    for (const FoldedAnswer::LinkWork& work : answer.links) {
        if (!isOpen(linkUse(work.link), m_state.network.links()[at(work.link)].committed, start + work.first))
            return false;
    }
    for (const FoldedAnswer::EndpointWork& work : answer.endpoints) {
        const Endpoint& endpoint = m_state.network.endpoints()[at(work.node)];
        if (work.endIn >= work.firstIn && !isOpen(nodeUse(m_in, work.node), std::max(endpoint.reducerFree, endpoint.ejection), start + work.firstIn))
            return false;
        if (work.endOut >= work.firstOut && !isOpen(nodeUse(m_out, work.node), endpoint.injection, start + work.firstOut))
            return false;
    }
    return true;
}

void FoldedBoxes::claim(const FoldedAnswer& answer, std::int64_t start, std::int32_t instance)
{
    if (m_state.ideal)
        return;
    const auto take = [&](Use& use, std::int64_t end) {
        use.until = start + end;
        use.instance = instance;
    };
    for (const FoldedAnswer::LinkWork& work : answer.links)
        take(linkUse(work.link), work.end);
    for (const FoldedAnswer::EndpointWork& work : answer.endpoints) {
        if (work.endIn >= work.firstIn)
            take(nodeUse(m_in, work.node), work.endIn);
        if (work.endOut >= work.firstOut)
            take(nodeUse(m_out, work.node), work.endOut);
    }
}

void FoldedBoxes::note(std::int32_t instance)
{
    m_apart.insert(instance);
    m_met = true;
}

/// Unsupported where something has met and another try is not worth it.
Status FoldedBoxes::judge()
{
    constexpr std::int64_t kEnough = 200'000; // Events by which it is known what answers save.
    const std::int64_t handled = m_state.agenda.handled();
    if (!m_met || handled < kEnough || m_saved > 2 * handled)
        return {};
    m_givenUp = true;
    return Error{ErrorCode::Unsupported, "collectives meet other messages", {}, "the engine auto or events"};
}

bool FoldedBoxes::leaves(const Run& run)
{
    const std::int64_t now = m_state.agenda.now();
    if (m_state.agenda.isRepeated())
        return run.active == 1;
    if (startOf(run) < now)
        return false; // Some have entered before; too late.
    const Result<Known*> known = knownOf(run, now);
    return !known || !known.value()->answer.usable || !isFree(known.value()->answer, now);
}

Status FoldedBoxes::answer(Run& run)
{
    const std::int64_t start = startOf(run);
    const Result<Known*> found = knownOf(run, start);
    if (!found)
        return found.error();
    Known& known = *found.value();
    if (!known.answer.usable || !isFree(known.answer, start))
        note(run.instance);
    if (Status status = judge(); !status)
        return status;
    if (!known.answer.usable) // There is nothing to go on with.
        return Error{ErrorCode::Unsupported, "a collective cannot be answered as a whole", {}, "the engine auto or events"};
    claim(known.answer, start, run.instance);
    known.starts.push_back(start);
    for (std::int32_t position = 0; position < run.kept; ++position) {
        if (isSimulated(*run.plan, position))
            run.members[at(position)].lastLeft = start + known.answer.exits[at(position)];
    }
    for (const FoldedAnswer::LinkWork& work : known.answer.links)
        m_state.network.addWork(work.link, work.messages, work.bytes, work.busy);
    m_state.network.addPieces(known.answer.pieces);
    m_messages += known.answer.messages;
    m_saved += known.answer.events;
    return {};
}

Status FoldedBoxes::begin(const Message& message)
{
    const Route& route = m_state.routes[message.route];
    const auto pass = [&](Use& use) {
        ++use.outside;
        if (use.until > m_state.agenda.now())
            note(use.instance);
    };
    for (std::int32_t hop = 0; hop < route.hops; ++hop)
        pass(linkUse(m_state.routes.link(route, hop)));
    pass(nodeUse(m_in, route.target));
    pass(nodeUse(m_out, route.source));
    return judge();
}

void FoldedBoxes::end(const Message& message)
{
    if (m_state.ideal || (message.isOfPair() && message.source == message.target))
        return; // Was never on its way.
    const Route& route = m_state.routes[message.route];
    for (std::int32_t hop = 0; hop < route.hops; ++hop)
        --linkUse(m_state.routes.link(route, hop)).outside;
    --nodeUse(m_in, route.target).outside;
    --nodeUse(m_out, route.source).outside;
}

void FoldedBoxes::addUses(std::vector<BusySum>& sums, std::int64_t copies) const
{
    for (const auto& [place, kind] : m_kinds) {
        for (const auto& [entries, known] : kind) {
            for (std::size_t d = 0; d < known.answer.busy.size(); ++d) {
                for (const std::int64_t start : known.starts)
                    sums[d].add(known.answer.busy[d], start, copies);
            }
        }
    }
}

void FoldedBoxes::finish()
{
    std::vector<BusySum> sums(m_state.network.busy().size());
    addUses(sums, 1);
    for (std::size_t d = 0; d < sums.size(); ++d)
        m_state.network.setBusy(d, sums[d].with(m_state.network.busy()[d]));
}

void FoldedBoxes::addBusyTo(RunRecord& record) const
{
    std::vector<BusySum> sums(record.dimensions.size());
    addUses(sums, m_state.copies());
    for (std::size_t d = 0; d < sums.size(); ++d) {
        record.dimensions[d].busy = sums[d].with(record.dimensions[d].busy);
        cutBusy(record.dimensions[d], *record.cutAt);
    }
}

} // namespace fabricscope::events
