#include "core/sim/sweep/linememo.h"

#include "core/base/index.h"
#include "core/base/seededhash.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace fabricscope::sweep {

namespace {

constexpr std::int32_t kAlone = -1;
constexpr std::int64_t kLeastBytes = std::int64_t{2} << 20; ///< Of all entries, ...
constexpr std::int64_t kBytesPerLink = 16;                  ///< ... or so many where there are many links, of which each needs some 100 itself.
constexpr std::size_t kBuckets = 1024;
constexpr int kLooks = 256;       ///< After so many looks it is asked whether they were worth it.
constexpr int kLongestPause = 1 << 16;

/// Orders lines by what their links cost.
struct CostOrder {
    const Track* track = nullptr;

    bool operator()(std::int64_t a, std::int64_t b) const
    {
        for (const auto* figures : {&track->cost, &track->latency, &track->downCost, &track->downBump, &track->downLatency}) {
            if (figures->empty())
                continue;
            const auto first = figures->begin() + static_cast<std::ptrdiff_t>(track->cellOf(a, 0));
            const auto second = figures->begin() + static_cast<std::ptrdiff_t>(track->cellOf(b, 0));
            const auto [one, other] = std::mismatch(first, first + track->extent, second);
            if (one != first + track->extent)
                return *one < *other;
        }
        return false;
    }
};

/// Counts of the flows, place by place, without those that are as at the place before.
std::size_t rowsOf(const std::uint32_t* counts, std::size_t places, std::size_t flows, std::uint32_t* out)
{
    std::uint32_t* word = out;
    for (std::size_t i = 0; i < places; ++i, counts += flows) {
        if (i > 0 && std::equal(counts, counts + flows, counts - flows))
            continue;
        *word++ = static_cast<std::uint32_t>(i);
        word = std::copy(counts, counts + flows, word);
    }
    return static_cast<std::size_t>(word - out);
}

/// For finding an entry: four chains of multiplications that do not wait for each other.
std::uint64_t hashOf(const std::vector<std::int64_t>& words)
{
    std::uint64_t lanes[4] = {1, 2, 3, 4};
    for (std::size_t i = 0; i < words.size(); ++i)
        lanes[i % 4] = ((lanes[i % 4] ^ static_cast<std::uint64_t>(words[i])) * 0x9e3779b97f4a7c15u) ^ (lanes[i % 4] >> 29);
    std::uint64_t hash = 0;
    for (const std::uint64_t lane : lanes)
        hash = (hash ^ lane ^ lane >> 32) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 31;
}

} // namespace

LineMemo::LineMemo(const Track& track, std::int64_t delay)
    : m_delay(delay)
{
    findClasses(track);
    m_mostBytes = std::max(kLeastBytes, kBytesPerLink * static_cast<std::int64_t>(track.link.size()));
}

void LineMemo::findClasses(const Track& track)
{
    std::set<std::int64_t, CostOrder> firsts(CostOrder{&track}); // Of every class.
    m_classOf.assign(static_cast<std::size_t>(track.lines), kAlone);
    for (std::int64_t line = 0; line < track.lines; ++line) {
        if (const auto [first, isNew] = firsts.insert(line); !isNew)
            m_classOf[at(line)] = m_classOf[at(*first)] = static_cast<std::int32_t>(*first);
    }
    for (const Track::Changing& link : track.changing)
        m_classOf[link.cell / static_cast<std::size_t>(track.extent)] = kAlone;
}

bool LineMemo::looksFor(std::int64_t line)
{
    if (m_classOf.empty() || m_classOf[at(line)] == kAlone)
        return false;
    if (m_rest == 0)
        return true;
    --m_rest;
    return false;
}

void LineMemo::count(bool found)
{
    m_found += found ? 1 : 0;
    if (++m_looked < kLooks)
        return;
    m_pause = 4 * m_found >= kLooks ? 0 : std::clamp(2 * m_pause, kLooks, kLongestPause);
    m_rest = m_pause;
    m_looked = m_found = 0;
}

/// Fills m_stood.
void LineMemo::describe(const Track& track, std::int64_t line)
{
    const std::size_t first = track.cellOf(line, 0);
    const auto extent = static_cast<std::size_t>(track.extent);
    const auto flows = static_cast<std::size_t>(track.flows);
    const std::vector<Parked>& parked = track.parked[at(line)];
    const std::uint32_t* const arrived = track.arrived.data() + first * flows;
    m_rows.resize(extent * (flows + 1));
    const std::size_t rows = rowsOf(arrived, extent, flows, m_rows.data());
    const std::size_t counts = rows + flows; // Of 32 bits.
    m_stood.resize(4 + 5 * extent + counts / 2 + 1 + 2 * parked.size());
    std::int64_t* word = m_stood.data();
    *word++ = m_classOf[at(line)];
    *word++ = static_cast<std::int64_t>(parked.size());
    // Before the first thing to serve it makes no difference how long a link has been idle.
    const std::int64_t ready = m_base + m_delay;
    for (std::size_t i = 0; i < extent; ++i) {
        const std::size_t cell = first + i;
        const std::int64_t busy = track.free[cell] - ready;
        const std::int64_t downBusy = track.switched ? track.downFree[cell] - ready : 0;
        if (track.served[cell] < m_base && busy <= 0 && downBusy <= 0)
            continue;
        *word++ = static_cast<std::int64_t>(i);
        *word++ = std::max<std::int64_t>(busy, 0);
        *word++ = std::max<std::int64_t>(downBusy, 0);
        *word++ = std::max<std::int64_t>(track.served[cell] - m_base, -1);
        *word++ = track.served[cell] < m_base ? 0 : track.servedKey[cell];
    }
    *word++ = -1;
    *word++ = static_cast<std::int64_t>(rows);
    *(word + counts / 2) = 0; // Half of it may stay unused.
    std::memcpy(word, m_rows.data(), rows * sizeof(std::uint32_t));
    std::memcpy(reinterpret_cast<char*>(word) + rows * sizeof(std::uint32_t), track.lagging.data() + at(line) * flows, flows * sizeof(std::int32_t));
    word += counts / 2 + 1;
    for (const Parked& item : parked) {
        // What was complete but for the own part is so when the own part is there.
        *word++ = item.kind() == Parked::Waiting ? 0 : std::max<std::int64_t>(item.time - m_base, 0);
        *word++ = static_cast<std::int64_t>(std::uint64_t{item.meta} << 32 | item.placeAndKind);
    }
    m_stood.resize(static_cast<std::size_t>(word - m_stood.data()));
}

/// \param until where the line is served to, from its first thing to serve on.
const LineMemo::Entry* LineMemo::find(std::int64_t until) const
{
    if (m_buckets.empty())
        return nullptr;
    for (std::int32_t number = m_buckets[m_hash % kBuckets]; number >= 0; number = m_entries[at(number)].other) {
        const Entry& entry = m_entries[at(number)];
        if (entry.hash == m_hash && entry.latest < until && until <= entry.next && entry.stood == m_stood)
            return &entry;
    }
    return nullptr;
}

/// What leads to the entry: its bucket, or the one before it there.
std::int32_t& LineMemo::linkTo(std::int32_t entry)
{
    std::int32_t* link = &m_buckets[m_entries[at(entry)].hash % kBuckets];
    while (*link != entry)
        link = &m_entries[at(*link)].other;
    return *link;
}

/// Any one, as lines that stand alike come in turns: the oldest would be the next to be looked for.
void LineMemo::forgetOne()
{
    const auto number = static_cast<std::int32_t>(mixedBits(m_forgotten++) % m_entries.size());
    const auto last = static_cast<std::int32_t>(m_entries.size()) - 1;
    m_bytes -= m_entries[at(number)].bytes();
    linkTo(number) = m_entries[at(number)].other;
    if (number != last) {
        linkTo(last) = number;
        m_entries[at(number)] = std::move(m_entries.back());
    }
    m_entries.pop_back();
}

void LineMemo::keep(Entry entry)
{
    if (m_buckets.empty())
        m_buckets.assign(kBuckets, -1);
    const std::int64_t bytes = entry.bytes();
    while (m_bytes + bytes > m_mostBytes && !m_entries.empty())
        forgetOne();
    m_bytes += bytes;
    entry.other = std::exchange(m_buckets[entry.hash % kBuckets], static_cast<std::int32_t>(m_entries.size()));
    m_entries.push_back(std::move(entry));
}

const std::vector<LineMemo::Completion>* LineMemo::repeat(Track& track, std::int64_t line, std::int64_t horizon)
{
    m_base = track.next[at(line)];
    describe(track, line);
    m_hash = hashOf(m_stood);
    const Entry* const found = find(horizon - m_base);
    count(found != nullptr);
    if (found) {
        ++m_repeats;
        apply(*found, track, line);
        m_completions = found->completions;
        for (Completion& completion : m_completions)
            completion.time += m_base;
        return &m_completions;
    }
    const auto first = static_cast<std::ptrdiff_t>(track.cellOf(line, 0));
    m_servedBefore.assign(track.served.begin() + first, track.served.begin() + first + track.extent);
    m_keyBefore.assign(track.servedKey.begin() + first, track.servedKey.begin() + first + track.extent);
    m_completions.clear();
    return nullptr;
}

void LineMemo::add(const Completion& completion)
{
    m_completions.push_back(completion);
}

void LineMemo::learn(const Track& track, std::int64_t line, std::int64_t waited)
{
    Entry entry;
    entry.hash = m_hash;
    entry.stood = m_stood;
    entry.latest = waited - m_base;
    entry.next = track.next[at(line)] == kNever ? kNever : track.next[at(line)] - m_base;
    const std::size_t first = track.cellOf(line, 0);
    const auto extent = static_cast<std::size_t>(track.extent);
    const auto flows = static_cast<std::size_t>(track.flows);
    for (std::size_t i = 0; i < extent; ++i) {
        const std::size_t cell = first + i;
        if (track.served[cell] == m_servedBefore[i] && track.servedKey[cell] == m_keyBefore[i])
            continue;
        entry.served.push_back({track.free[cell] - m_base, track.switched ? track.downFree[cell] - m_base : 0, track.served[cell] - m_base, track.servedKey[cell],
                                static_cast<std::int32_t>(i), track.missing[cell]});
        entry.latest = std::max(entry.latest, track.served[cell] - m_base);
    }
    const std::size_t rows = rowsOf(track.arrived.data() + first * flows, extent, flows, m_rows.data());
    entry.arrived.assign(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(rows));
    entry.flows.resize(flows);
    for (std::size_t flow = 0; flow < flows; ++flow) {
        const std::size_t cell = at(line) * flows + flow;
        entry.flows[flow] = {track.ahead[cell] == kNever ? kNever : track.ahead[cell] - m_base, track.lagging[cell], track.ownless[cell], track.waiting[cell]};
    }
    entry.parked = track.parked[at(line)];
    for (Parked& item : entry.parked)
        item.time = item.kind() == Parked::Waiting ? 0 : std::max<std::int64_t>(item.time - m_base, 0);
    entry.completions = m_completions;
    for (Completion& completion : entry.completions)
        completion.time -= m_base;
    keep(std::move(entry));
}

void LineMemo::apply(const Entry& entry, Track& track, std::int64_t line)
{
    const std::size_t first = track.cellOf(line, 0);
    const auto flows = static_cast<std::size_t>(track.flows);
    for (const Served& link : entry.served) {
        const std::size_t cell = first + at(link.place);
        track.free[cell] = link.free + m_base;
        if (track.switched)
            track.downFree[cell] = link.downFree + m_base;
        track.served[cell] = link.ready + m_base;
        track.servedKey[cell] = link.key;
        track.missing[cell] = link.missing;
    }
    std::uint32_t* arrived = track.arrived.data() + first * flows;
    for (std::size_t row = 0; row < entry.arrived.size(); row += flows + 1) {
        const std::size_t end = row + flows + 1 < entry.arrived.size() ? entry.arrived[row + flows + 1] : static_cast<std::size_t>(track.extent);
        for (std::size_t i = entry.arrived[row]; i < end; ++i)
            arrived = std::copy_n(entry.arrived.begin() + static_cast<std::ptrdiff_t>(row) + 1, flows, arrived);
    }
    for (std::size_t flow = 0; flow < flows; ++flow) {
        const std::size_t cell = at(line) * flows + flow;
        const Flow& after = entry.flows[flow];
        track.ahead[cell] = after.ahead == kNever ? kNever : after.ahead + m_base;
        track.lagging[cell] = after.lagging;
        track.ownless[cell] = after.ownless;
        track.waiting[cell] = after.waiting;
    }
    std::vector<Parked>& parked = track.parked[at(line)];
    if (entry.parked.empty())
        std::vector<Parked>().swap(parked);
    parked = entry.parked;
    for (Parked& item : parked)
        item.time += item.kind() == Parked::Waiting ? 0 : m_base;
    track.next[at(line)] = entry.next == kNever ? kNever : entry.next + m_base;
}

std::int64_t LineMemo::Entry::bytes() const
{
    return static_cast<std::int64_t>(sizeof(*this) + stood.capacity() * sizeof(stood[0]) + served.capacity() * sizeof(Served) + arrived.capacity() * sizeof(arrived[0])
                                     + flows.capacity() * sizeof(Flow) + parked.capacity() * sizeof(Parked) + completions.capacity() * sizeof(Completion));
}

std::int64_t LineMemo::memoryBytes() const
{
    return static_cast<std::int64_t>(m_classOf.size() * sizeof(m_classOf[0]) + m_buckets.size() * sizeof(m_buckets[0])) + m_bytes;
}

} // namespace fabricscope::sweep
