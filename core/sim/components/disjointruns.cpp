#include "core/sim/components/disjointruns.h"

#include "core/base/index.h"
#include "core/sim/common/runpace.h"
#include "core/sim/components/sweptcomponent.h"

#include <algorithm>

namespace fabricscope::events {

namespace {

Error refused(std::string why)
{
    return Error{ErrorCode::Unsupported, "the run cannot be cut into collectives: " + std::move(why), {}, "the engine auto or events"};
}

} // namespace

ComponentBoxes::ComponentBoxes(EngineState& state, const ComponentOptions& options, const std::set<CollectiveKind>& apart, std::stop_token stop)
    : m_state(state)
    , m_options(options)
    , m_apart(apart)
    , m_stop(std::move(stop))
    , m_records(state.options.messageDigest || state.options.message)
    , m_places(state)
    , m_runner(state)
    , m_memo(options.memoBytes)
    , m_busy(state.network.busy().size())
{
    if (state.costs.hasReducer() || state.costs.hasEjection())
        m_in.resize(state.network.endpoints().size());
    if (state.costs.hasInjection())
        m_out.resize(state.network.endpoints().size());
}

ComponentBoxes::Kind& ComponentBoxes::kindOf(const Run& run)
{
    const auto [entry, added] = m_kinds.try_emplace({run.plan, run.def->bytes});
    if (added) {
        const GroupPlaces& places = m_places.of(*run.plan);
        const std::int64_t words[] = {static_cast<std::int64_t>(places.digest.low), static_cast<std::int64_t>(places.digest.high), run.def->bytes};
        entry->second = {&places, fabricscope::digestOf(words), {}};
    }
    return entry->second;
}

CollectiveKind ComponentBoxes::nameOf(std::int32_t run)
{
    const CollectiveInstance& def = *m_state.collectives.runs()[at(run)].def;
    return {def.family, m_places.digestOf(*def.program), def.bytes};
}

bool ComponentBoxes::takes(const Run& run)
{
    if (!m_apart.empty() && m_apart.contains({run.def->family, m_places.digestOf(*run.def->program), run.def->bytes}))
        return false;
    const std::vector<std::int32_t>& ranks = run.plan->ranks;
    const Placement& placement = m_state.structure.placement;
    // The job of the sender is part of the tie rule.
    const bool oneJob = !m_state.severalJobs
        || std::all_of(ranks.begin(), ranks.end(), [&](std::int32_t rank) { return placement.jobOf(rank) == placement.jobOf(ranks.front()); });
    return oneJob && kindOf(run).places->usable;
}

Error ComponentBoxes::meet(std::int32_t first, std::int32_t second, const std::string& where)
{
    const auto name = [this](std::int32_t run) -> std::string {
        if (run == kNone)
            return "a message between two ranks";
        const CollectiveInstance& def = *m_state.collectives.runs()[at(run)].def;
        const std::string& family = m_state.workload.families[at(def.family)].name();
        return std::string(collectiveKey(def.op)) + ' ' + std::to_string(def.sequence) + " of group " + std::to_string(def.group)
            + (family.empty() ? "" : " of " + family);
    };
    m_met.clear();
    for (const std::int32_t run : {first, second}) {
        if (run != kNone)
            m_met.push_back(nameOf(run));
    }
    return refused(name(first) + " and " + name(second) + " are at " + where + " at the same time");
}

/// The sweep where it follows the collective, else the event engine.
Result<CollectiveAnswerPtr> ComponentBoxes::ask(const Run& run, Kind& kind)
{
    if (!kind.sweeps)
        kind.sweeps = m_options.sweep && sweepsAlone(m_state, run);
    Result<CollectiveAnswerPtr> answer = CollectiveAnswerPtr();
    if (*kind.sweeps)
        answer = sweepAnswer(m_state, run, *kind.places, m_words, m_records, m_state.options.busyOverTime, m_stop);
    if (answer && !answer.value())
        answer = m_runner.answer(run, *kind.places, m_words, m_records, m_stop);
    if (answer)
        m_events += answer.value()->events;
    return answer;
}

Status ComponentBoxes::answer(Run& run)
{
    Kind& kind = kindOf(run);
    std::int64_t start = INT64_MAX;
    for (const Member& member : run.members)
        start = std::min(start, member.lastLeft);
    m_words.clear();
    for (const Member& member : run.members)
        m_words.push_back(member.lastLeft - start);

    if (!m_options.memo) {
        const Result<CollectiveAnswerPtr> answer = ask(run, kind);
        if (!answer)
            return answer.error();
        if (Status status = claim(run, *answer.value(), *kind.places, start); !status)
            return status;
        apply(run, *answer.value(), *kind.places, start, answer.value()->by);
        for (std::size_t d = 0; d < m_busy.size(); ++d)
            m_busy[d].add(answer.value()->busy[d], start, 1);
        return {};
    }
    m_words.push_back(static_cast<std::int64_t>(kind.seed.low));
    m_words.push_back(static_cast<std::int64_t>(kind.seed.high));
    const Digest key = fabricscope::digestOf(m_words);
    Memo::Kept* kept = m_memo.find(key);
    const bool known = kept != nullptr;
    if (!known) {
        m_words.resize(run.members.size());
        Result<CollectiveAnswerPtr> answer = ask(run, kind);
        if (!answer)
            return answer.error();
        kept = &m_memo.keep(key, std::move(answer).value(), [this](const Memo::Kept& old) {
            for (const auto& [time, times] : old.uses) {
                for (std::size_t d = 0; d < m_busy.size(); ++d)
                    m_busy[d].add(old.answer->busy[d], time, times);
            }
        });
    }
    if (Status status = claim(run, *kept->answer, *kind.places, start); !status)
        return status;
    kept->use(start);
    apply(run, *kept->answer, *kind.places, start, known ? AnsweredBy::Memo : kept->answer->by);
    return {};
}

ComponentBoxes::Use& ComponentBoxes::linkUse(std::int32_t link)
{
    if (static_cast<std::size_t>(link) >= m_links.size())
        m_links.resize(m_state.network.links().size());
    return m_links[at(link)];
}

/// Refuses an answer that meets something else, and takes the resources up to its last work. `ideal`: nothing is ever busy.
Status ComponentBoxes::claim(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start)
{
    const auto number = static_cast<std::int32_t>(&run - m_state.collectives.runs().data());
    if (!answer.refusal.empty()) {
        m_met = {nameOf(number)};
        return refused(answer.refusal);
    }
    if (m_state.ideal)
        return {};
    const auto take = [&](Use& use, std::int64_t committed, std::int64_t first, std::int64_t end) {
        if (use.outside > 0 || committed > first || use.until > first)
            return false;
        use.until = end;
        use.user = number;
        return true;
    };
    const auto other = [](const Use& use, std::int64_t first) { return use.until > first ? use.user : use.outsider; };
    for (const CollectiveAnswer::LinkWork& work : answer.links) {
        const std::int32_t link = places.links[at(work.place)];
        Use& use = linkUse(link);
        if (!take(use, m_state.network.links()[at(link)].committed, start + work.first, start + work.end))
            return meet(other(use, start + work.first), number, m_state.structure.platform.linkName(m_state.routes.linkIds()[at(link)]));
    }
    for (const CollectiveAnswer::EndpointWork& work : answer.endpoints) {
        const auto node = static_cast<std::size_t>(run.plan->nodes[at(work.position)]);
        const Endpoint& endpoint = m_state.network.endpoints()[node];
        const std::int64_t committed = std::max(endpoint.reducerFree, endpoint.ejection);
        if (!m_in.empty() && work.endIn >= work.firstIn && !take(m_in[node], committed, start + work.firstIn, start + work.endIn))
            return meet(other(m_in[node], start + work.firstIn), number, "NPU " + std::to_string(node));
        if (!m_out.empty() && work.endOut >= work.firstOut && !take(m_out[node], endpoint.injection, start + work.firstOut, start + work.endOut))
            return meet(other(m_out[node], start + work.firstOut), number, "NPU " + std::to_string(node));
    }
    return {};
}

void ComponentBoxes::apply(Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, AnsweredBy by)
{
    for (std::size_t position = 0; position < run.members.size(); ++position)
        run.members[position].lastLeft = start + answer.exits[position];
    for (const CollectiveAnswer::LinkWork& work : answer.links)
        m_state.network.addWork(places.links[at(work.place)], work.messages, work.bytes, work.busy);
    m_answered[at(by)] += answer.messages;
    m_state.network.addPieces(answer.pieces);
    for (MessageRecord record : answer.records) {
        record.instance = run.instance;
        record.source = run.plan->ranks[at(record.source)];
        record.target = run.plan->ranks[at(record.target)];
        record.readyPs += start;
        record.leftPs += start;
        record.donePs += start;
        if (m_state.options.messageDigest)
            m_state.network.addRecord(record);
        if (m_state.options.message)
            m_state.options.message(record);
    }
}

Status ComponentBoxes::begin(const Message& message)
{
    const Route& route = m_state.routes[message.route];
    const auto pass = [&](Use& use) {
        ++use.outside;
        use.outsider = message.run();
        return use.until <= m_state.agenda.now();
    };
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        const std::int32_t link = m_state.routes.link(route, hop);
        if (Use& use = linkUse(link); !pass(use))
            return meet(use.user, message.run(), m_state.structure.platform.linkName(m_state.routes.linkIds()[at(link)]));
    }
    if (const auto node = static_cast<std::size_t>(route.target); !m_in.empty() && !pass(m_in[node]))
        return meet(m_in[node].user, message.run(), "NPU " + std::to_string(node));
    if (const auto node = static_cast<std::size_t>(route.source); !m_out.empty() && !pass(m_out[node]))
        return meet(m_out[node].user, message.run(), "NPU " + std::to_string(node));
    return {};
}

void ComponentBoxes::end(const Message& message)
{
    if (m_state.ideal || message.source == message.target)
        return; // Was never on its way.
    const Route& route = m_state.routes[message.route];
    for (std::int32_t hop = 0; hop < route.hops; ++hop)
        --linkUse(m_state.routes.link(route, hop)).outside;
    if (!m_in.empty())
        --m_in[at(route.target)].outside;
    if (!m_out.empty())
        --m_out[at(route.source)].outside;
}

void ComponentBoxes::finish()
{
    for (std::size_t d = 0; d < m_busy.size(); ++d) {
        BusySum sum = m_busy[d];
        m_memo.forEach([&](const Memo::Kept& kept) {
            for (const auto& [start, times] : kept.uses)
                sum.add(kept.answer->busy[d], start, times);
        });
        m_state.network.setBusy(d, sum.with(m_state.network.busy()[d]));
    }
}

void ComponentBoxes::addBusyTo(RunRecord& record) const
{
    for (std::size_t d = 0; d < m_busy.size(); ++d) {
        BusySum sum = m_busy[d];
        m_memo.forEach([&](const Memo::Kept& kept) {
            for (const auto& [start, times] : kept.uses)
                sum.add(kept.answer->busy[d], start, times);
        });
        record.dimensions[d].busy = sum.with(record.dimensions[d].busy);
        cutBusy(record.dimensions[d], *record.cutAt);
    }
}

std::vector<EngineShare> ComponentBoxes::shares(std::int64_t others) const
{
    static constexpr const char* kNames[kAnswerers] = {"memo", "symmetry", "sweep", "events"};
    std::int64_t total = others;
    for (const std::int64_t messages : m_answered)
        total += messages;
    std::vector<EngineShare> shares;
    for (std::size_t by = 0; by < kAnswerers; ++by) {
        const std::int64_t messages = m_answered[by] + (by == static_cast<std::size_t>(AnsweredBy::Events) ? others : 0);
        if (messages > 0)
            shares.push_back({kNames[by], messages, static_cast<double>(messages) / static_cast<double>(total)});
    }
    if (shares.empty())
        shares.push_back({"events", 0, 1.0});
    return shares;
}

} // namespace fabricscope::events
