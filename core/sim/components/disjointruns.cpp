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

ComponentBoxes::ComponentBoxes(EngineState& state, const ComponentOptions& options, Apart& apart, std::stop_token stop)
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
    if (!m_apart.kinds.empty() && m_apart.kinds.contains({run.def->family, m_places.digestOf(*run.def->program), run.def->bytes}))
        return false;
    if (m_apart.instances.contains(run.instance))
        return false;
    const std::vector<std::int32_t>& ranks = run.plan->ranks;
    const Placement& placement = m_state.structure.placement;
    // The job of the sender is part of the tie rule.
    const bool oneJob = !m_state.severalJobs
        || std::all_of(ranks.begin(), ranks.end(), [&](std::int32_t rank) { return placement.jobOf(rank) == placement.jobOf(ranks.front()); });
    return oneJob && kindOf(run).places->usable;
}

/// First entry. \pre all have entered
std::int64_t ComponentBoxes::startOf(const Run& run)
{
    std::int64_t start = INT64_MAX;
    for (const Member& member : run.members)
        start = std::min(start, member.lastLeft);
    return start;
}

/// A run that is answered as a whole and may not be.
void ComponentBoxes::note(std::int32_t run)
{
    m_met = true;
    if (run == kNone)
        return;
    if (m_apart.single)
        m_apart.instances.insert(m_state.collectives.runs()[at(run)].instance);
    else
        m_apart.kinds.insert(nameOf(run));
}

/// Two runs want the same at a time. One by one there is nothing to refuse: more of them are looked for, as long as that pays.
Status ComponentBoxes::meet(std::int32_t first, std::int32_t second, const std::function<std::string()>& where)
{
    note(first);
    note(second);
    if (m_apart.single)
        return judge();
    const auto name = [this](std::int32_t run) -> std::string {
        if (run == kNone)
            return "a message between two ranks";
        const CollectiveInstance& def = *m_state.collectives.runs()[at(run)].def;
        const std::string& family = m_state.workload.families[at(def.family)].name();
        return std::string(collectiveKey(def.op)) + ' ' + std::to_string(def.sequence) + " of group " + std::to_string(def.group)
            + (family.empty() ? "" : " of " + family);
    };
    return refused(name(first) + " and " + name(second) + " are at " + where() + " at the same time");
}

/// Unsupported where something has met and another try is not worth it.
Status ComponentBoxes::judge()
{
    constexpr std::int64_t kEnough = 200'000; // Events by which it is known what answers save.
    const std::int64_t handled = m_state.agenda.handled();
    if (handled < kEnough || m_saved > 2 * handled)
        return {};
    m_apart.instances.clear(); // Nothing that another try would be for.
    return refused("most of it meets other messages");
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

/// From the memo, or worked out. The pointer is good until the next.
Result<Memo::Kept*> ComponentBoxes::keptOf(const Run& run, Kind& kind, std::int64_t start)
{
    m_words.clear();
    for (const Member& member : run.members)
        m_words.push_back(member.lastLeft - start);
    m_words.push_back(static_cast<std::int64_t>(kind.seed.low));
    m_words.push_back(static_cast<std::int64_t>(kind.seed.high));
    const Digest key = fabricscope::digestOf(m_words);
    if (Memo::Kept* const kept = m_memo.find(key))
        return kept;
    m_words.resize(run.members.size());
    Result<CollectiveAnswerPtr> answer = ask(run, kind);
    if (!answer)
        return std::move(answer).error();
    return &m_memo.keep(key, std::move(answer).value(), [this](const Memo::Kept& old) {
        for (const auto& [time, times] : old.uses) {
            for (std::size_t d = 0; d < m_busy.size(); ++d)
                m_busy[d].add(old.answer->busy[d], time, times);
        }
    });
}

bool ComponentBoxes::leaves(const Run& run)
{
    const std::int64_t now = m_state.agenda.now();
    if (!m_apart.single || m_state.agenda.isRepeated() || startOf(run) < now)
        return false; // Where some have entered before it is too late.
    Kind& kind = kindOf(run);
    const Result<Memo::Kept*> kept = keptOf(run, kind, now);
    return !kept || !kept.value()->answer->refusal.empty() || !isFree(run, *kept.value()->answer, *kind.places, now);
}

Status ComponentBoxes::answer(Run& run)
{
    Kind& kind = kindOf(run);
    const std::int64_t start = startOf(run);
    if (!m_options.memo) {
        m_words.clear();
        for (const Member& member : run.members)
            m_words.push_back(member.lastLeft - start);
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
    const Result<Memo::Kept*> found = keptOf(run, kind, start);
    if (!found)
        return found.error();
    Memo::Kept& kept = *found.value();
    if (Status status = claim(run, *kept.answer, *kind.places, start); !status)
        return status;
    const AnsweredBy by = kept.uses.empty() ? kept.answer->by : AnsweredBy::Memo; // leaves() may have asked for it first.
    kept.use(start);
    apply(run, *kept.answer, *kind.places, start, by);
    return {};
}

ComponentBoxes::Use& ComponentBoxes::linkUse(std::int32_t link)
{
    if (static_cast<std::size_t>(link) >= m_links.size())
        m_links.resize(m_state.network.links().size());
    return m_links[at(link)];
}

std::function<std::string()> ComponentBoxes::linkNamed(std::int32_t link) const
{
    return [this, link] { return m_state.structure.platform.linkName(m_state.routes.linkIds()[at(link)]); };
}

/// Every link, reducer and budget that the answer uses, until `visit` says no: what it is, until when it is committed, from when to when it would be used, and its name.
template <class Visit>
bool ComponentBoxes::everyUse(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, const Visit& visit)
{
    for (const CollectiveAnswer::LinkWork& work : answer.links) {
        const std::int32_t link = places.links[at(work.place)];
        if (!visit(linkUse(link), m_state.network.links()[at(link)].committed, start + work.first, start + work.end, linkNamed(link)))
            return false;
    }
    for (const CollectiveAnswer::EndpointWork& work : answer.endpoints) {
        const auto node = static_cast<std::size_t>(run.plan->nodes[at(work.position)]);
        const Endpoint& endpoint = m_state.network.endpoints()[node];
        const auto name = [node] { return "NPU " + std::to_string(node); };
        if (!m_in.empty() && work.endIn >= work.firstIn
            && !visit(m_in[node], std::max(endpoint.reducerFree, endpoint.ejection), start + work.firstIn, start + work.endIn, name))
            return false;
        if (!m_out.empty() && work.endOut >= work.firstOut && !visit(m_out[node], endpoint.injection, start + work.firstOut, start + work.endOut, name))
            return false;
    }
    return true;
}

bool ComponentBoxes::isFree(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start)
{
    return m_state.ideal || everyUse(run, answer, places, start, [](const Use& use, std::int64_t committed, std::int64_t first, std::int64_t, const auto&) {
        return use.outside == 0 && committed <= first && use.until <= first;
    });
}

/// Refuses an answer that meets something else, and takes the resources up to its last work. `ideal`: nothing is ever busy.
Status ComponentBoxes::claim(const Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start)
{
    const auto number = static_cast<std::int32_t>(&run - m_state.collectives.runs().data());
    if (!answer.refusal.empty()) {
        note(number);
        return refused(answer.refusal);
    }
    Status status;
    if (m_state.ideal)
        return status;
    everyUse(run, answer, places, start, [&](Use& use, std::int64_t committed, std::int64_t first, std::int64_t end, const auto& name) {
        if (use.outside > 0 || committed > first || use.until > first)
            status = meet(use.until > first ? use.user : use.outsider, number, name);
        use.until = end;
        use.user = number;
        return static_cast<bool>(status);
    });
    return status;
}

void ComponentBoxes::apply(Run& run, const CollectiveAnswer& answer, const GroupPlaces& places, std::int64_t start, AnsweredBy by)
{
    for (std::size_t position = 0; position < run.members.size(); ++position)
        run.members[position].lastLeft = start + answer.exits[position];
    for (const CollectiveAnswer::LinkWork& work : answer.links)
        m_state.network.addWork(places.links[at(work.place)], work.messages, work.bytes, work.busy);
    m_answered[at(by)] += answer.messages;
    m_saved += answer.events;
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
    const auto pass = [&](Use& use, const auto& name) {
        ++use.outside;
        use.outsider = message.run();
        return use.until <= m_state.agenda.now() ? Status() : meet(use.user, message.run(), name);
    };
    for (std::int32_t hop = 0; hop < route.hops; ++hop) {
        const std::int32_t link = m_state.routes.link(route, hop);
        if (Status status = pass(linkUse(link), linkNamed(link)); !status)
            return status;
    }
    if (const NodeId node = route.target; !m_in.empty()) {
        if (Status status = pass(m_in[at(node)], [node] { return "NPU " + std::to_string(node); }); !status)
            return status;
    }
    if (const NodeId node = route.source; !m_out.empty())
        return pass(m_out[at(node)], [node] { return "NPU " + std::to_string(node); });
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
