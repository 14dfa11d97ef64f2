#include "core/sim/symmetry/treeclasses.h"

#include "core/base/index.h"
#include "core/base/stop.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

} // namespace

TreeClasses::TreeClasses(const Scenario& scenario, std::int32_t n, ResourceClass resource, const std::vector<std::int64_t>& sizes, bool busyOverTime)
    : m_n(n)
    , m_ideal(scenario.model == Model::Ideal)
    , m_busyOverTime(busyOverTime)
    , m_reduces(scenario.costs->hasReducer())
    , m_latency(scenario.costs->latency(resource))
    , m_delay(scenario.params->endpointDelay.ps)
{
    for (std::size_t tree = 0; tree < 2; ++tree)
        addTree(tree, sizes, scenario, resource);
    m_interval.steps.resize(1);
    m_fixedBytes = std::int64_t{m_n} * static_cast<std::int64_t>((kKinds + 3) * sizeof(std::int32_t)); // m_peers, m_order, m_where, m_classOf.
    for (const Cost& cost : m_costs)
        m_fixedBytes += static_cast<std::int64_t>((cost.upTo.capacity() + cost.reduce.capacity()) * sizeof(std::int64_t));
    for (std::size_t tree = 0; tree < 2; ++tree)
        m_fixedBytes += static_cast<std::int64_t>(m_costOf[tree].capacity() * sizeof(std::size_t) + m_chunkOf[tree].capacity() * sizeof(std::int32_t));
}

/// The messages of a tree, and what they cost. Empty ones do not exist.
void TreeClasses::addTree(std::size_t tree, const std::vector<std::int64_t>& sizes, const Scenario& scenario, ResourceClass resource)
{
    m_places[tree] = treePlaces(static_cast<std::int32_t>(tree), m_n);
    for (std::size_t kind = tree * 3; kind < tree * 3 + 3; ++kind) {
        m_peers[kind].reserve(at(m_n));
        for (const TreePlace& place : m_places[tree])
            m_peers[kind].push_back(kind % 3 == 0 ? place.parent : place.children[kind % 3 - 1]);
    }
    const CostTable& costs = *scenario.costs;
    for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk) {
        const std::int64_t bytes = tree == 0 ? sizes[chunk] / 2 : sizes[chunk] - sizes[chunk] / 2;
        if (bytes == 0)
            continue;
        std::size_t number = 0;
        while (number < m_costs.size() && m_costs[number].bytes != bytes)
            ++number;
        if (number == m_costs.size()) {
            Cost& fresh = m_costs.emplace_back();
            fresh.bytes = bytes;
            const std::int64_t piece = m_ideal ? bytes : scenario.params->pieceBytes;
            for (std::int64_t begin = 0; begin < bytes;) {
                const std::int64_t end = std::min(bytes, begin + piece);
                fresh.upTo.push_back(costs.occupancy(resource, begin));
                fresh.reduce.push_back(costs.reduction(end, 1) - costs.reduction(begin, 1));
                begin = end;
            }
            fresh.upTo.push_back(costs.occupancy(resource, bytes));
        }
        m_costOf[tree].push_back(number);
        m_chunkOf[tree].push_back(static_cast<std::int32_t>(chunk));
    }
    m_all += 2 * std::int64_t{m_n - 1} * static_cast<std::int64_t>(m_costOf[tree].size());
}

/// One class for all positions with the same neighbours around them.
void TreeClasses::makeClasses()
{
    constexpr std::size_t kSurroundings = 1 << 10;
    std::vector<std::int32_t> known(kSurroundings, -1);
    m_classOf.resize(at(m_n));
    for (std::int32_t position = 0; position < m_n; ++position) {
        const TreePlace& first = m_places[0][at(position)];
        const TreePlace& second = m_places[1][at(position)];
        std::size_t key = first.depth < second.depth ? 0 : (first.depth > second.depth ? 1 : 2);
        for (const TreePlace* place : {&first, &second}) {
            for (const bool bit : {place->parent >= 0, place->ordinal == 1, place->children[0] >= 0, place->children[1] >= 0})
                key = key * 2 + (bit ? 1 : 0);
        }
        if (known[key] < 0) {
            known[key] = static_cast<std::int32_t>(m_classes.size());
            Class& fresh = *m_classes.emplace_back(std::make_unique<Class>());
            m_members.emplace_back();
            fresh.number = known[key];
            fresh.heads.fill(kNever);
            fresh.dues.fill(kNever);
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                const TreePlace& place = m_places[kind / 3][at(position)];
                const auto slot = static_cast<std::int32_t>(kind / 3 + 2 * (kind % 3 == 0 ? at(place.ordinal) : kind % 3 - 1));
                fresh.has[kind] = m_peers[kind][at(position)] >= 0;
                fresh.ordinal[kind / 3] = static_cast<std::uint8_t>(place.ordinal);
                // Steps count from the depth of the deepest: what comes up from depth d goes in step -d, what goes down to depth d in d - 1.
                const std::int32_t down = place.depth;
                fresh.sendOrder[kind] = (kind % 3 == 0 ? -place.depth : down) * 4 + slot;
                fresh.receiveOrder[kind] = (kind % 3 == 0 ? down - 1 : -(place.depth + 1)) * 4 + slot;
            }
        }
        m_classOf[at(position)] = known[key];
        ++membersOf(known[key]).size;
    }
    std::int32_t begin = 0;
    for (Members& each : m_members) {
        each.stamp = m_stamp++;
        each.begin = begin;
        begin += each.size;
    }
    std::vector<std::int32_t> filled(m_classes.size(), 0);
    m_order.resize(at(m_n));
    m_where.resize(at(m_n));
    for (std::int32_t position = 0; position < m_n; ++position) {
        const auto own = at(m_classOf[at(position)]);
        m_where[at(position)] = m_members[own].begin + filled[own]++;
        m_order[at(m_where[at(position)])] = position;
    }
    m_places = {};
}

void TreeClasses::begin()
{
    makeClasses();
    for (std::size_t number = 0; number < m_classes.size(); ++number) {
        Class& own = *m_classes[number];
        for (const std::size_t tree : {0u, 1u}) {
            for (std::size_t message = 0; !own.has[tree * 3 + 1] && message < m_costOf[tree].size(); ++message)
                whenReady(own, tree * 3, static_cast<std::int32_t>(message));
        }
        schedule(static_cast<std::int32_t>(number));
    }
}

/// The tree's part may go on once the endpoint delay is paid.
void TreeClasses::whenReady(Class& own, std::size_t kind, std::int32_t number)
{
    if (own.has[kind])
        own.delayed.push({m_now + m_delay, static_cast<std::int32_t>(kind), number});
}

template <typename IsGood>
auto TreeClasses::Agenda::take(IsGood&& isGood) -> const std::vector<std::pair<std::int64_t, std::int32_t>>&
{
    m_rows.front().clear();
    for (std::size_t row = 1; row < m_rows.size() && m_rows.front().empty(); ++row) {
        std::erase_if(m_rows[row], [&](const auto& entry) { return !isGood(entry.first, entry.second); });
        if (m_rows[row].empty())
            continue;
        m_moving.swap(m_rows[row]);
        m_last = std::min_element(m_moving.begin(), m_moving.end())->first;
        for (const auto& [time, number] : m_moving)
            add(time, number);
        m_moving.clear();
    }
    return m_rows.front();
}

/// Finds the classes of the next instant; now() stays before it. Returns false when there is nothing left to come.
bool TreeClasses::findNext()
{
    m_next = &m_agenda.take([this](std::int64_t time, std::int32_t number) { return membersOf(number).next == time; });
    if (m_next->empty()) {
        for (const auto& each : m_classes)
            flush(*each);
    }
    return !m_next->empty();
}

/// The instant found: what is delivered and becomes ready, then what the links up begin to send.
void TreeClasses::step(const std::stop_token& stop)
{
    m_now = m_agenda.taken();
    for (const auto& [time, number] : *m_next) {
        membersOf(number).next = -1;
        touch(number);
    }
    m_events += static_cast<std::int64_t>(m_touched.size());
    for (const std::int32_t number : m_touched) {
        checkStop(stop);
        settle(ofNumber(number));
        send(number);
    }
    dealOut(stop);
    for (const std::int32_t number : m_touched) {
        membersOf(number).touched = false;
        schedule(number);
    }
    m_touched.clear();
}

void TreeClasses::touch(std::int32_t number)
{
    Members& own = membersOf(number);
    if (own.touched)
        return;
    own.touched = true;
    m_touched.push_back(number);
}

/// When a class can be told more next. Of a message on its way that is when it would be delivered if nothing else came: all that comes before is known by then.
void TreeClasses::schedule(std::int32_t number)
{
    Class& own = ofNumber(number);
    std::int64_t next = kNever;
    for (const std::int64_t due : own.dues)
        next = std::min(next, due);
    if (!own.done.empty())
        next = std::min(next, own.done.front().time);
    if (!own.delayed.empty())
        next = std::min(next, own.delayed.front().time);
    if (!own.queue.empty())
        next = std::min(next, own.upFree);
    if (next == membersOf(number).next || next == kNever)
        return;
    membersOf(number).next = next;
    m_agenda.add(next, number);
}

/// What has come by now.
void TreeClasses::settle(Class& own)
{
    advance(own, m_now);
    while (!own.done.empty() && own.done.front().time <= m_now) {
        std::pop_heap(own.done.begin(), own.done.end());
        const Done next = own.done.back();
        own.done.pop_back();
        received(own, next);
    }
    join(own);
}

/// Serves what reaches the link down until then, in order of time, chunk, step and slot.
void TreeClasses::advance(Class& own, std::int64_t until)
{
    for (;;) {
        std::size_t best = 0;
        std::int64_t other = kNever; // When the next one of another neighbour comes.
        const auto order = [&](std::size_t kind) { return std::pair(m_chunkOf[kind / 3][at(own.trains[kind].front().number)], own.receiveOrder[kind]); };
        for (std::size_t kind = 1; kind < kKinds; ++kind) {
            if (own.heads[kind] > own.heads[best] || own.heads[kind] == kNever || (own.heads[kind] == own.heads[best] && order(best) < order(kind))) {
                other = std::min(other, own.heads[kind]);
            } else {
                other = own.heads[best];
                best = kind;
            }
        }
        if (own.heads[best] > until)
            return;
        serve(own, best, until, other);
    }
}

/// The end of the pieces from this one on whose heads come by `time` after the first.
std::size_t TreeClasses::together(const Cost& cost, std::size_t piece, std::int64_t time) const
{
    const std::size_t pieces = cost.pieces();
    if (cost.upTo[pieces - 1] <= time)
        return pieces;
    return at(std::upper_bound(cost.upTo.begin() + static_cast<std::ptrdiff_t>(piece), cost.upTo.begin() + static_cast<std::ptrdiff_t>(pieces), time) - cost.upTo.begin());
}

/// Serves the next piece of a message, and with it those that come before anything else does: the link down is as fast as the link up, so they follow without a
/// gap there too.
void TreeClasses::serve(Class& own, std::size_t kind, std::int64_t until, std::int64_t other)
{
    Train& train = own.trains[kind].front();
    const Cost& cost = costOf(kind, train.number);
    const std::int64_t begin = train.start + m_latency; // When the first piece comes.
    const auto piece = at(train.piece);
    const std::size_t end = std::max(piece + 1, together(cost, piece, std::min(until, other - 1) - begin));
    const std::int64_t head = own.heads[kind];
    const std::int64_t work = cost.upTo[end] - cost.upTo[piece];
    if (m_ideal) {
        addBusy(head, head + work, membersOf(own.number).size);
        own.downFree = head;
    } else if (head > own.downFree) {
        flush(own);
        own.downFrom = own.downFree = head;
    }
    own.downFree += work;
    own.down.busyPs += work;
    std::int64_t tail = own.downFree + m_latency;
    if (m_reduces && kind % 3 != 0) {
        for (std::size_t i = piece; i < end; ++i) {
            const std::int64_t arrival = begin + cost.upTo[i] + m_latency;
            own.reducerFree = (m_ideal ? arrival : std::max(own.reducerFree, arrival)) + cost.reduce[i];
        }
        tail = std::max(tail, own.reducerFree);
    }
    if (end < cost.pieces()) {
        train.piece = static_cast<std::int32_t>(end);
        own.heads[kind] = begin + cost.upTo[end];
        return;
    }
    ++own.down.messages;
    own.down.bytes += cost.bytes;
    own.done.push_back({tail, static_cast<std::int32_t>(kind), train.number, own.served++});
    std::push_heap(own.done.begin(), own.done.end());
    own.trains[kind].pop();
    setFirst(own, kind);
}

/// Another message is the first of its kind on its way.
void TreeClasses::setFirst(Class& own, std::size_t kind)
{
    if (own.trains[kind].empty()) {
        own.heads[kind] = own.dues[kind] = kNever;
        return;
    }
    const Train& train = own.trains[kind].front();
    const Cost& cost = costOf(kind, train.number);
    own.heads[kind] = train.start + m_latency;
    own.dues[kind] = train.start + cost.upTo.back() + 2 * m_latency;
}

/// A message is delivered: the part of its tree goes on, up when it has come from all children, else down.
void TreeClasses::received(Class& own, const Done& done)
{
    const std::size_t kind = at(done.kind);
    const std::size_t tree = kind - kind % 3;
    assert(own.received[kind] == done.number);
    ++own.received[kind];
    own.finish = std::max(own.finish, m_now);
    m_received += membersOf(own.number).size;
    const bool down = kind == tree;
    if (!down && own.has[tree + 2] && std::min(own.received[tree + 1], own.received[tree + 2]) != done.number + 1)
        return;
    if (!down && own.has[tree]) {
        whenReady(own, tree, done.number);
        return;
    }
    whenReady(own, tree + 1, done.number);
    whenReady(own, tree + 2, done.number);
}

/// What has become ready in this instant joins the queue of the link up.
void TreeClasses::join(Class& own)
{
    std::vector<Ready>& arrivals = m_arrivals;
    arrivals.clear();
    while (!own.delayed.empty() && own.delayed.front().time == m_now) {
        arrivals.push_back(own.delayed.front());
        own.delayed.pop();
    }
    const auto key = [&](const Ready& each) { return std::pair(m_chunkOf[at(each.kind) / 3][at(each.number)], own.sendOrder[at(each.kind)]); };
    if (arrivals.size() > 1)
        std::sort(arrivals.begin(), arrivals.end(), [&](const Ready& a, const Ready& b) { return key(a) < key(b); });
    for (const Ready& each : arrivals)
        own.queue.push(each);
}

/// The link up begins with what comes next.
void TreeClasses::send(std::int32_t from)
{
    Class& own = ofNumber(from);
    const Members& members = membersOf(from);
    const std::size_t before = m_sendings.size();
    while (!own.queue.empty() && (m_ideal || own.upFree <= m_now)) {
        const Ready next = own.queue.front();
        own.queue.pop();
        const std::size_t kind = at(next.kind);
        const std::size_t tree = kind - kind % 3;
        const Cost& cost = costOf(kind, next.number);
        const std::int64_t end = m_now + cost.upTo.back();
        if (m_ideal) {
            addBusy(m_now, end, members.size);
        } else if (m_now > own.upFree) {
            flush(own);
            own.upFrom = m_now;
        }
        own.upFree = std::max(own.upFree, end);
        own.finish = std::max(own.finish, end);
        ++own.up.messages;
        own.up.bytes += cost.bytes;
        own.up.busyPs += cost.upTo.back();
        Sending sending{from, members.stamp, members.begin, members.size, kind, kind == tree ? tree + 1 + own.ordinal[tree / 3] : tree, 0};
        for (std::size_t i = before; i < m_sendings.size(); ++i)
            sending.round += m_sendings[i].kind == sending.kind ? 1 : 0;
        m_sendings.push_back(sending);
    }
}

/// The messages of this instant are on their way, one after the other of the same kind.
void TreeClasses::dealOut(const std::stop_token& stop)
{
    if (m_sendings.size() > 1)
        std::sort(m_sendings.begin(), m_sendings.end(), [](const Sending& a, const Sending& b) { return std::tie(a.receive, a.round, a.begin) < std::tie(b.receive, b.round, b.begin); });
    for (std::size_t first = 0; first < m_sendings.size();) {
        checkStop(stop);
        std::size_t end = first;
        while (end < m_sendings.size() && m_sendings[end].receive == m_sendings[first].receive && m_sendings[end].round == m_sendings[first].round)
            ++end;
        dealOut(first, end);
        first = end;
    }
    m_sendings.clear();
}

/// What comes from the same neighbour to all that it is sent to. A class of which only some members are is cut in two.
void TreeClasses::dealOut(std::size_t first, std::size_t end)
{
    const std::size_t kind = m_sendings[first].receive;
    for (std::size_t i = first; i < end; ++i) {
        Receivers scratch;
        for (const Receivers::Part& part : receiversOf(m_sendings[i], scratch).parts) {
            std::int32_t& counted = membersOf(part.number).counted;
            if (counted == 0)
                m_hit.push_back(part.number);
            counted += part.count;
        }
    }
    const auto isCut = [this](std::int32_t number) { return membersOf(number).counted < membersOf(number).size; };
    if (std::any_of(m_hit.begin(), m_hit.end(), isCut))
        markReceivers(first, end);
    for (const std::int32_t number : m_hit) {
        const std::int32_t to = isCut(number) ? takeMarked(number) : number;
        membersOf(number).counted = membersOf(to).counted = 0;
        Class& own = ofNumber(to);
        const bool isFirst = own.trains[kind].empty();
        own.trains[kind].push({m_now, own.dealt[kind]++, 0}); // In order, over the same two links.
        if (isFirst)
            setFirst(own, kind);
        touch(to);
    }
    m_hit.clear();
}

/// Whom the message goes to. What was found before holds as long as no class has been cut.
auto TreeClasses::receiversOf(const Sending& sending, Receivers& scratch) -> const Receivers&
{
    const bool isWhole = membersOf(sending.from).stamp == sending.stamp;
    Receivers& known = isWhole ? ofNumber(sending.from).receivers[sending.kind] : scratch;
    if (isWhole && known.stamp == sending.stamp
        && std::all_of(known.parts.begin(), known.parts.end(), [this](const Receivers::Part& part) { return membersOf(part.number).stamp == part.stamp; }))
        return known;
    known.stamp = sending.stamp;
    known.parts.clear();
    for (std::int32_t i = sending.begin; i < sending.begin + sending.size; ++i) {
        const std::int32_t number = m_classOf[at(m_peers[sending.kind][at(m_order[at(i)])])];
        Members& other = membersOf(number);
        if (other.marked++ == 0)
            known.parts.push_back({number, 0, other.stamp});
    }
    for (Receivers::Part& part : known.parts)
        part.count = std::exchange(membersOf(part.number).marked, 0);
    return known;
}

/// Brings those to the front of their classes that are sent something, where others of their class are not.
void TreeClasses::markReceivers(std::size_t first, std::size_t end)
{
    for (std::size_t number = first; number < end; ++number) {
        const Sending& sending = m_sendings[number];
        for (std::int32_t i = sending.begin; i < sending.begin + sending.size; ++i) {
            const std::int32_t target = m_peers[sending.kind][at(m_order[at(i)])];
            const Members& other = membersOf(m_classOf[at(target)]);
            if (other.counted < other.size)
                m_targets.push_back(target);
        }
    }
    for (const std::int32_t target : m_targets) // After all are found: a class may send to itself, and marking moves its members about.
        mark(target);
    m_targets.clear();
}

/// The position is sent what is being dealt out.
void TreeClasses::mark(std::int32_t position)
{
    const std::int32_t number = m_classOf[at(position)];
    Members& own = membersOf(number);
    const std::int32_t from = m_where[at(position)];
    const std::int32_t to = own.begin + own.marked++;
    const std::int32_t other = m_order[at(to)];
    m_order[at(to)] = position;
    m_order[at(from)] = other;
    m_where[at(position)] = to;
    m_where[at(other)] = from;
}

/// The class of the marked members of this one.
std::int32_t TreeClasses::takeMarked(std::int32_t number)
{
    Class& own = ofNumber(number);
    flush(own);
    own.receivers = {};
    const auto fresh = static_cast<std::int32_t>(m_classes.size());
    m_classes.emplace_back(std::make_unique<Class>(own))->number = fresh;
    Members& others = m_members.emplace_back(Members{-1, membersOf(number).begin, membersOf(number).marked, m_stamp++});
    Members& members = membersOf(number);
    assert(members.marked == members.counted);
    members.begin += members.marked;
    members.size -= members.marked;
    members.marked = 0;
    members.stamp = m_stamp++;
    for (std::int32_t i = others.begin; i < others.begin + others.size; ++i)
        m_classOf[at(m_order[at(i)])] = fresh;
    return fresh;
}

/// What both links have done since they were idle, up to now, while the class has the members it has.
void TreeClasses::flush(Class& own)
{
    const std::int64_t down = std::max(own.downFrom, std::min(own.downFree, m_now));
    const std::int64_t up = std::max(own.upFrom, std::min(own.upFree, m_now));
    if (!m_ideal) {
        addBusy(own.downFrom, down, membersOf(own.number).size);
        addBusy(own.upFrom, up, membersOf(own.number).size);
    }
    own.downFrom = down;
    own.upFrom = up;
}

TreeOutcomes TreeClasses::outcomes()
{
    TreeOutcomes outcomes;
    events::BusySum busy = m_busy;
    for (const auto& each : m_classes) {
        Class copy = *each; // Looking on changes nothing, not even how often a class is looked at.
        advance(copy, m_now - 1); // What comes now begins now, and a message that is sent now may be missing.
        flush(copy);
        outcomes.classes.push_back(outcomeOf(copy));
    }
    outcomes.busy = m_busy.with({});
    m_busy = std::move(busy);
    return outcomes;
}

TreeOutcome TreeClasses::outcomeOf(const Class& own) const
{
    std::int64_t messages = 0; // To receive; as many to send.
    std::int64_t received = 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        messages += own.has[kind] ? static_cast<std::int64_t>(m_costOf[kind / 3].size()) : 0;
        received += own.received[kind];
    }
    const bool finished = received == messages && own.up.messages == messages && own.finish <= m_now;
    TreeOutcome outcome{finished, finished ? own.finish : m_now, own.up, own.down};
    if (!m_ideal) {
        outcome.up.busyPs -= std::max<std::int64_t>(own.upFree - m_now, 0);
        outcome.down.busyPs -= std::max<std::int64_t>(own.downFree - m_now, 0);
    }
    return outcome;
}

void TreeClasses::addBusy(std::int64_t begin, std::int64_t end, std::int32_t links)
{
    if (!m_busyOverTime || begin >= end)
        return;
    m_interval.steps.front() = {begin, end, links};
    m_busy.add(m_interval, 0, 1);
}

std::size_t TreeClasses::Agenda::bytes() const
{
    std::size_t all = m_moving.capacity();
    for (const auto& row : m_rows)
        all += row.capacity();
    return all * sizeof(m_moving.front());
}

std::int64_t TreeClasses::bytes() const
{
    std::size_t all = m_classes.capacity() * sizeof(m_classes.front()) + m_members.capacity() * sizeof(Members) + m_agenda.bytes();
    all += m_sendings.capacity() * sizeof(Sending) + m_arrivals.capacity() * sizeof(Ready);
    all += (m_touched.capacity() + m_targets.capacity() + m_hit.capacity()) * sizeof(std::int32_t);
    for (const auto& each : m_classes) {
        all += sizeof(Class) + each->done.capacity() * sizeof(Done) + each->delayed.bytes() + each->queue.bytes();
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            all += each->trains[kind].bytes() + each->receivers[kind].parts.capacity() * sizeof(Receivers::Part);
    }
    return m_fixedBytes + static_cast<std::int64_t>(all);
}

} // namespace fabricscope
