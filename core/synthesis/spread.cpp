#include "core/synthesis/spread.h"

#include "core/base/index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <queue>
#include <span>

namespace fabricscope {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostLooks = 96;  ///< Candidates of a link looked at for the rarest.
constexpr std::size_t kMostLevels = 6;  ///< Classes of speed that are told apart.

/// When a slow link lets its turn pass and brings something later: never, when a faster one can bring the same soon, or now and then.
enum class Patience : std::uint8_t { None, ForFasterLinks, AtRandom };
/// What a link brings of all it could: what fewest ranks have, what fewest neighbours of the receiver have (those with a faster link
/// count twice), anything.
enum class Choice : std::uint8_t { Rarest, FewestWays, Any };

struct Style {
    Choice choice = Choice::Rarest;
    Patience patience = Patience::None;
};

/// Attempts go through these in turn.
constexpr std::array<Style, 6> kStyles{{{Choice::Rarest, Patience::None},
                                        {Choice::Any, Patience::None},
                                        {Choice::FewestWays, Patience::None},
                                        {Choice::FewestWays, Patience::ForFasterLinks},
                                        {Choice::FewestWays, Patience::AtRandom},
                                        {Choice::Rarest, Patience::AtRandom}}};

class SpreadSearch {
public:
    SpreadSearch(const SpreadTask& task, std::uint64_t seed, std::uint32_t attempt)
        : m_task(task)
        , m_ranks(task.graph->ranks)
        , m_items(task.home.size())
        , m_words((m_items + 63) / 64)
        , m_random(seed)
        , m_style(kStyles[attempt % kStyles.size()])
        , m_has(at(m_ranks) * m_words, 0)
        , m_arrival(at(m_ranks) * m_items, kNever)
        , m_copies(m_items, 0)
        , m_free(task.timePs.size(), 0)
        , m_key(task.timePs.size(), kNever)
        , m_out(at(m_ranks))
        , m_in(at(m_ranks))
        , m_waitQuarters(4 - attempt / kStyles.size() % 4)
        , m_waited(task.timePs.size(), 0)
        , m_waits(task.timePs.size(), 0)
        , m_shortest(task.timePs.empty() ? 1 : *std::min_element(task.timePs.begin(), task.timePs.end()))
        , m_owner(m_items, -1)
        , m_choice(task.timePs.size(), -1)
        , m_visited(task.timePs.size(), 0)
    {
        for (std::size_t link = 0; link < task.timePs.size(); ++link)
            m_out[at(from(link))].push_back(link);
        for (std::size_t link = 0; link < task.timePs.size(); ++link)
            m_in[at(to(link))].push_back(link);
        makeParts();
        for (std::size_t item = 0; item < m_items; ++item)
            arrive(task.home[item], item, 0);
    }

    std::optional<TransferPlan> run(const std::atomic<std::int64_t>& cutoffPs, const Halt& halt)
    {
        std::size_t missing = (at(m_ranks) - 1) * m_items;
        TransferPlan plan;
        plan.transfers.reserve(missing);
        std::vector<std::size_t> batch;
        std::uint32_t looks = 0;
        while (missing > 0) {
            const std::int64_t now = nextBatch(batch);
            if (now == kNever || now > cutoffPs.load(std::memory_order_relaxed))
                return std::nullopt;
            for (std::size_t begin = 0; begin < batch.size();) {
                std::size_t end = begin;
                while (end < batch.size() && to(batch[end]) == to(batch[begin]))
                    ++end;
                if (++looks % 256 == 0 && halt.now())
                    return std::nullopt;
                match(std::span(batch).subspan(begin, end - begin), now);
                for (std::size_t i = begin; i < end; ++i) {
                    const std::size_t link = batch[i];
                    if (m_choice[link] < 0)
                        continue;
                    const auto item = at(m_choice[link]);
                    m_owner[item] = -1;
                    m_free[link] = now;
                    plan.transfers.push_back({static_cast<std::int32_t>(link), m_choice[link], now - m_task.timePs[link], now});
                    arrive(to(link), item, now);
                    --missing;
                }
                begin = end;
            }
            for (const std::size_t link : batch)
                setKey(link, now);
        }
        plan.finishPs = plan.transfers.empty() ? 0 : plan.transfers.back().endPs;
        std::sort(plan.transfers.begin(), plan.transfers.end(), [](const PlannedTransfer& a, const PlannedTransfer& b) {
            return a.startPs != b.startPs ? a.startPs < b.startPs : a.link < b.link;
        });
        return plan;
    }

private:
    using Entry = std::pair<std::int64_t, std::size_t>; ///< (time, link)

    std::int32_t from(std::size_t link) const { return m_task.graph->links[link].from; }
    std::int32_t to(std::size_t link) const { return m_task.graph->links[link].to; }
    const std::uint64_t* has(std::int32_t rank) const { return m_has.data() + at(rank) * m_words; }
    std::int64_t arrival(std::int32_t rank, std::size_t item) const { return m_arrival[at(rank) * m_items + item]; }

    /// Classes of speed: a link is slow where links of at most half its time lead on; the ranks those join are a part, and what is rare
    /// in the part is worth the slow link.
    void makeParts()
    {
        std::vector<std::int64_t> limits = m_task.timePs;
        std::sort(limits.begin(), limits.end());
        std::vector<std::int64_t> levels;
        for (const std::int64_t time : limits) {
            if (levels.empty() || time >= levels.back() * 3 / 2)
                levels.push_back(time);
        }
        if (levels.size() > kMostLevels)
            levels.resize(kMostLevels);
        m_partOf.resize(levels.size());
        m_partCopies.resize(levels.size());
        for (std::size_t level = 1; level < levels.size(); ++level) {
            auto& part = m_partOf[level];
            part.resize(at(m_ranks));
            for (std::int32_t rank = 0; rank < m_ranks; ++rank)
                part[at(rank)] = rank;
            const auto root = [&](std::int32_t rank) {
                while (part[at(rank)] != rank)
                    rank = part[at(rank)] = part[at(part[at(rank)])];
                return rank;
            };
            for (std::size_t link = 0; link < m_task.timePs.size(); ++link) {
                if (m_task.timePs[link] < levels[level])
                    part[at(root(from(link)))] = root(to(link));
            }
            std::vector<std::int32_t> number(at(m_ranks), -1);
            std::int32_t count = 0;
            for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
                std::int32_t& name = number[at(root(rank))];
                if (name < 0)
                    name = count++;
            }
            std::vector<std::int32_t> named(at(m_ranks));
            for (std::int32_t rank = 0; rank < m_ranks; ++rank)
                named[at(rank)] = number[at(root(rank))];
            part = std::move(named);
            if (count > 1)
                m_partCopies[level].assign(at(count) * m_items, 0);
        }
        for (const std::int64_t time : m_task.timePs)
            m_level.push_back(at(std::upper_bound(levels.begin(), levels.end(), time) - levels.begin() - 1));
    }

    void arrive(std::int32_t rank, std::size_t item, std::int64_t now)
    {
        m_has[at(rank) * m_words + item / 64] |= std::uint64_t{1} << (item % 64);
        m_arrival[at(rank) * m_items + item] = now;
        ++m_copies[item];
        for (std::size_t level = 1; level < m_partOf.size(); ++level) {
            if (!m_partCopies[level].empty())
                ++m_partCopies[level][at(m_partOf[level][at(rank)]) * m_items + item];
        }
        for (const std::size_t link : m_out[at(rank)]) {
            if ((has(to(link))[item / 64] >> (item % 64) & 1) == 0)
                announce(link, std::max(m_free[link], now) + m_task.timePs[link]);
        }
    }

    void announce(std::size_t link, std::int64_t time)
    {
        if (time < m_key[link]) {
            m_key[link] = time;
            m_queue.push({time, link});
        }
    }

    /// The links that may deliver next, by destination.
    std::int64_t nextBatch(std::vector<std::size_t>& batch)
    {
        batch.clear();
        while (!m_queue.empty() && m_key[m_queue.top().second] != m_queue.top().first)
            m_queue.pop();
        if (m_queue.empty())
            return kNever;
        const std::int64_t now = m_queue.top().first;
        while (!m_queue.empty() && m_queue.top().first == now) {
            const std::size_t link = m_queue.top().second;
            m_queue.pop();
            if (m_key[link] == now) {
                batch.push_back(link);
                m_key[link] = kNever;
            }
        }
        std::sort(batch.begin(), batch.end(), [&](std::size_t a, std::size_t b) { return to(a) != to(b) ? to(a) < to(b) : a < b; });
        return now;
    }

    /// Calls visit(item) for what the start of the link had when it left and its end lacks, from a random place on, until it says stop.
    template <typename Visit>
    void candidates(std::size_t link, std::int64_t start, Visit&& visit)
    {
        const std::uint64_t* source = has(from(link));
        const std::uint64_t* target = has(to(link));
        const std::int64_t* arrivals = m_arrival.data() + at(from(link)) * m_items;
        const std::size_t first = m_words > 1 ? m_random.below(m_words) : 0;
        const auto turn = static_cast<int>(m_random.below(64));
        for (std::size_t i = 0; i < m_words; ++i) {
            const std::size_t word = first + i < m_words ? first + i : first + i - m_words;
            std::uint64_t bits = std::rotr(source[word] & ~target[word], turn);
            while (bits != 0) {
                const std::size_t item = word * 64 + at((std::countr_zero(bits) + turn) & 63);
                bits &= bits - 1;
                if (arrivals[item] <= start && !visit(item))
                    return;
            }
        }
    }

    std::uint64_t dislike(std::size_t link, std::size_t item) const
    {
        switch (m_style.choice) {
        case Choice::Rarest:
            return static_cast<std::uint64_t>(m_copies[item]);
        case Choice::FewestWays: {
            std::uint64_t ways = 0;
            for (const std::size_t other : m_in[at(to(link))]) {
                if (arrival(from(other), item) != kNever)
                    ways += m_level[other] < m_level[link] ? 2 : 1;
            }
            return ways;
        }
        case Choice::Any:
            break;
        }
        return 0;
    }

    void match(std::span<const std::size_t> links, std::int64_t now)
    {
        for (const std::size_t link : links)
            m_choice[link] = -1;
        for (const std::size_t link : links) {
            std::uint64_t bestRank = UINT64_MAX;
            std::int32_t best = -1;
            std::size_t looks = 0;
            const std::size_t level = m_level[link];
            if (level > 0 && m_style.patience == Patience::AtRandom && !m_waited[link]) {
                m_waited[link] = 1;
                if (m_random.below(4) < m_waitQuarters) {
                    m_waits[link] = 1;
                    continue;
                }
            }
            const std::int32_t* part = !m_partCopies[level].empty() ? m_partCopies[level].data() + at(m_partOf[level][at(to(link))]) * m_items : nullptr;
            candidates(link, now - m_task.timePs[link], [&](std::size_t item) {
                if (m_owner[item] >= 0)
                    return true;
                if (level > 0 && m_style.patience == Patience::ForFasterLinks && comesFaster(link, item, now)) {
                    m_waits[link] = 1;
                    return ++looks < kMostLooks;
                }
                const std::uint64_t rank = ((part ? static_cast<std::uint64_t>(part[item]) : 0) << 32) | dislike(link, item);
                if (rank < bestRank) {
                    bestRank = rank;
                    best = static_cast<std::int32_t>(item);
                }
                return (m_style.choice != Choice::Any || part) && ++looks < kMostLooks;
            });
            if (best >= 0) {
                m_waits[link] = 0;
                m_choice[link] = best;
                m_owner[at(best)] = static_cast<std::int32_t>(link);
            } else if (links.size() > 1 && !m_waits[link]) {
                for (const std::size_t other : links)
                    m_visited[other] = 0;
                augment(link, now);
            }
        }
    }

    /// Can a link of a faster class bring the item by its next transfer?
    bool comesFaster(std::size_t link, std::size_t item, std::int64_t now) const
    {
        return std::any_of(m_in[at(to(link))].begin(), m_in[at(to(link))].end(), [&](std::size_t other) {
            const std::int64_t there = arrival(from(other), item);
            return m_level[other] < m_level[link] && there != kNever
                && std::max(m_free[other], there) + m_task.timePs[other] <= now + m_task.timePs[other];
        });
    }

    /// Makes room by giving another link something else.
    bool augment(std::size_t link, std::int64_t now)
    {
        m_visited[link] = 1;
        std::vector<std::size_t> mine;
        candidates(link, now - m_task.timePs[link], [&](std::size_t item) {
            mine.push_back(item);
            return m_owner[item] >= 0 && mine.size() < kMostLooks;
        });
        for (auto item = mine.rbegin(); item != mine.rend(); ++item) {
            const std::int32_t owner = m_owner[*item];
            if (owner < 0 || (!m_visited[at(owner)] && augment(at(owner), now))) {
                m_choice[link] = static_cast<std::int32_t>(*item);
                m_owner[*item] = static_cast<std::int32_t>(link);
                return true;
            }
        }
        return false;
    }

    /// When the link can bring something next.
    void setKey(std::size_t link, std::int64_t now)
    {
        if (m_waits[link]) {
            m_waits[link] = 0;
            announce(link, now + m_shortest);
            return;
        }
        std::int64_t earliest = kNever;
        const std::int64_t* arrivals = m_arrival.data() + at(from(link)) * m_items;
        candidates(link, kNever, [&](std::size_t item) {
            earliest = std::min(earliest, arrivals[item]);
            return earliest > m_free[link];
        });
        if (earliest != kNever)
            announce(link, std::max(m_free[link], earliest) + m_task.timePs[link]);
    }

    const SpreadTask& m_task;
    std::int32_t m_ranks;
    std::size_t m_items;
    std::size_t m_words;
    PlanRandom m_random;
    Style m_style;
    std::vector<std::uint64_t> m_has;      ///< By rank: one bit per item.
    std::vector<std::int64_t> m_arrival;   ///< By rank and item.
    std::vector<std::int32_t> m_copies;    ///< By item: ranks that have it.
    std::vector<std::int64_t> m_free;      ///< By link: when its last transfer ended.
    std::vector<std::int64_t> m_key;       ///< By link: when it may bring something next.
    std::vector<std::vector<std::size_t>> m_out;
    std::vector<std::vector<std::size_t>> m_in;
    std::uint64_t m_waitQuarters;          ///< AtRandom: so many quarters of the slow links let their first turn pass.
    std::vector<std::uint8_t> m_waited;
    std::vector<std::uint8_t> m_waits;     ///< By link: it lets this moment pass.
    std::int64_t m_shortest;               ///< Time of the fastest link.
    std::vector<std::int32_t> m_owner;     ///< By item: link it is matched to in this round; -1: none.
    std::vector<std::int32_t> m_choice;    ///< By link.
    std::vector<std::uint8_t> m_visited;
    std::vector<std::size_t> m_level;      ///< By link: class of speed.
    std::vector<std::vector<std::int32_t>> m_partOf;     ///< By level: part of every rank.
    std::vector<std::vector<std::int32_t>> m_partCopies; ///< By level: ranks of a part that have an item.
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

} // namespace

std::optional<TransferPlan> planSpread(const SpreadTask& task, std::uint64_t seed, std::uint32_t attempt, const std::atomic<std::int64_t>& cutoffPs,
                                       const Halt& halt)
{
    return SpreadSearch(task, seed, attempt).run(cutoffPs, halt);
}

} // namespace fabricscope
