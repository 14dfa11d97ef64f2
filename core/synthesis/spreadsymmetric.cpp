#include "core/synthesis/spreadsymmetric.h"

#include "core/base/index.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fabricscope {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// What makes an (element, chunk) preferred after it is rare among the ranks that faster links join.
enum class Preference : std::uint8_t { FewestWays, Nearest, Rarest, Random };
constexpr std::uint32_t kPreferences = 4;

/// Parts of the graph that links faster than a limit join.
struct Parts {
    std::vector<std::int32_t> of;     ///< By rank; empty: every rank is a part of its own.
    std::vector<std::int32_t> copies; ///< By part * chunks + chunk: ranks of the part that have it.
};

class SymmetricSearch {
public:
    SymmetricSearch(const Translations& group, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed, std::uint32_t attempt)
        : m_ranks(group.size())
        , m_chunks(chunks)
        , m_machines(group.generators.size())
        , m_random(seed)
        , m_preference(static_cast<Preference>(attempt % kPreferences))
        , m_arrival(at(m_ranks) * at(chunks), kNever)
        , m_frontier(m_machines)
        , m_free(m_machines, 0)
        , m_key(m_machines, kNever)
        , m_owner(m_arrival.size(), -1)
    {
        for (const Translations::Generator& generator : group.generators) {
            m_time.push_back(timePs[at(generator.linkFrom[0])]);
            std::vector<std::int32_t> from(at(m_ranks));
            std::vector<std::int32_t> to(at(m_ranks));
            for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
                to[at(rank)] = group.add(rank, generator.difference);
                from[at(to[at(rank)])] = rank;
            }
            m_from.push_back(std::move(from));
            m_to.push_back(std::move(to));
        }
        makeParts();
        findHops();
        for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
            arrive(chunk, 0);
    }

    std::optional<SymmetricPlan> run(const std::atomic<std::int64_t>& cutoffPs, const Halt& halt)
    {
        std::size_t missing = m_arrival.size() - at(m_chunks);
        SymmetricPlan plan;
        plan.transfers.reserve(missing);
        for (std::uint32_t round = 0; missing > 0; ++round) {
            const std::int64_t now = *std::min_element(m_key.begin(), m_key.end());
            if (now == kNever || now > cutoffPs.load(std::memory_order_relaxed) || (round % 64 == 0 && halt.now()))
                return std::nullopt;
            match(now);
            for (const std::size_t machine : m_batch) {
                const std::int32_t piece = m_choice[machine];
                if (piece >= 0) {
                    plan.transfers.push_back({static_cast<std::int32_t>(machine), piece / m_chunks, piece % m_chunks, now - m_time[machine], now});
                    m_free[machine] = now;
                    m_owner[at(piece)] = -1;
                    arrive(piece, now);
                    --missing;
                }
            }
            for (const std::size_t machine : m_batch)
                setKey(machine);
        }
        plan.finishPs = plan.transfers.empty() ? 0 : plan.transfers.back().endPs;
        return plan;
    }

private:
    void makeParts()
    {
        std::vector<std::int64_t> distinct = m_time;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        m_parts.resize(distinct.size());
        for (std::size_t level = 1; level < distinct.size(); ++level) {
            Parts& parts = m_parts[level];
            parts.of.assign(at(m_ranks), -1);
            std::int32_t count = 0;
            std::vector<std::int32_t> queue;
            for (std::int32_t start = 0; start < m_ranks; ++start) {
                if (parts.of[at(start)] >= 0)
                    continue;
                parts.of[at(start)] = count;
                queue.assign(1, start);
                // Translations have finite order, so what is reached along the arcs is all that they join.
                for (std::size_t head = 0; head < queue.size(); ++head) {
                    for (std::size_t machine = 0; machine < m_machines; ++machine) {
                        const std::int32_t next = m_to[machine][at(queue[head])];
                        if (m_time[machine] < distinct[level] && parts.of[at(next)] < 0) {
                            parts.of[at(next)] = count;
                            queue.push_back(next);
                        }
                    }
                }
                ++count;
            }
            parts.copies.assign(at(count) * at(m_chunks), 0);
        }
        for (const std::int64_t time : m_time)
            m_level.push_back(at(std::lower_bound(distinct.begin(), distinct.end(), time) - distinct.begin()));
    }

    void findHops()
    {
        m_hops.assign(at(m_ranks), -1);
        m_hops[0] = 0;
        std::vector<std::int32_t> queue{0};
        for (std::size_t head = 0; head < queue.size(); ++head) {
            for (std::size_t machine = 0; machine < m_machines; ++machine) {
                const std::int32_t next = m_to[machine][at(queue[head])];
                if (m_hops[at(next)] < 0) {
                    m_hops[at(next)] = m_hops[at(queue[head])] + 1;
                    queue.push_back(next);
                }
            }
        }
    }

    std::int32_t pieceFrom(std::size_t machine, std::int32_t piece) const { return m_from[machine][at(piece / m_chunks)] * m_chunks + piece % m_chunks; }

    void arrive(std::int32_t piece, std::int64_t now)
    {
        m_arrival[at(piece)] = now;
        const std::int32_t element = piece / m_chunks;
        const std::int32_t chunk = piece % m_chunks;
        for (Parts& parts : m_parts) {
            if (!parts.of.empty())
                ++parts.copies[at(parts.of[at(element)]) * at(m_chunks) + at(chunk)];
        }
        for (std::size_t machine = 0; machine < m_machines; ++machine) {
            const std::int32_t next = m_to[machine][at(element)] * m_chunks + chunk;
            if (m_arrival[at(next)] == kNever) {
                m_frontier[machine].push_back(next);
                m_key[machine] = std::min(m_key[machine], std::max(m_free[machine], now) + m_time[machine]);
            }
        }
    }

    /// When the machine can bring something next.
    void setKey(std::size_t machine)
    {
        std::int64_t earliest = kNever;
        for (const std::int32_t piece : m_frontier[machine]) {
            if (m_arrival[at(piece)] != kNever)
                continue;
            earliest = std::min(earliest, m_arrival[at(pieceFrom(machine, piece))]);
            if (earliest <= m_free[machine])
                break;
        }
        m_key[machine] = earliest == kNever ? kNever : std::max(m_free[machine], earliest) + m_time[machine];
    }

    std::uint64_t rank(std::size_t machine, std::int32_t piece)
    {
        const std::int32_t element = piece / m_chunks;
        const std::int32_t chunk = piece % m_chunks;
        const auto copies = [&](const Parts& parts) {
            return parts.of.empty() ? 0 : static_cast<std::uint64_t>(parts.copies[at(parts.of[at(element)]) * at(m_chunks) + at(chunk)]);
        };
        std::uint64_t second = 0;
        switch (m_preference) {
        case Preference::FewestWays:
            for (std::size_t other = 0; other < m_machines; ++other)
                second += m_arrival[at(pieceFrom(other, piece))] != kNever ? 1 : 0;
            break;
        case Preference::Nearest:
            second = static_cast<std::uint64_t>(m_hops[at(element)]);
            break;
        case Preference::Rarest:
            second = copies(m_parts.back());
            break;
        case Preference::Random:
            break;
        }
        constexpr std::uint64_t kCap = (1U << 20) - 1;
        return (std::min(copies(m_parts[m_level[machine]]), kCap) << 44) | (std::min(second, kCap) << 24) | (m_random.next() >> 40);
    }

    /// Gives the machines that can be there at `now` distinct pieces, to as many of them as possible.
    void match(std::int64_t now)
    {
        m_batch.clear();
        m_choice.assign(m_machines, -1);
        m_candidates.resize(m_machines);
        for (std::size_t machine = 0; machine < m_machines; ++machine) {
            if (m_key[machine] != now)
                continue;
            m_batch.push_back(machine);
            auto& frontier = m_frontier[machine];
            frontier.erase(std::remove_if(frontier.begin(), frontier.end(), [&](std::int32_t piece) { return m_arrival[at(piece)] != kNever; }), frontier.end());
            auto& candidates = m_candidates[machine];
            candidates.clear();
            for (const std::int32_t piece : frontier) {
                if (m_arrival[at(pieceFrom(machine, piece))] <= now - m_time[machine])
                    candidates.push_back({rank(machine, piece), piece});
            }
        }
        std::vector<std::size_t> order = m_batch;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return m_candidates[a].size() < m_candidates[b].size(); });
        for (const std::size_t machine : order) {
            const Candidate* best = nullptr;
            for (const Candidate& candidate : m_candidates[machine]) {
                if (m_owner[at(candidate.piece)] < 0 && (!best || candidate.rank < best->rank))
                    best = &candidate;
            }
            if (best) {
                m_choice[machine] = best->piece;
                m_owner[at(best->piece)] = static_cast<std::int32_t>(machine);
            } else {
                m_visited.assign(m_machines, 0);
                augment(machine);
            }
        }
    }

    /// Makes room by giving others something else.
    bool augment(std::size_t machine)
    {
        m_visited[machine] = 1;
        for (const Candidate& candidate : m_candidates[machine]) {
            const std::int32_t owner = m_owner[at(candidate.piece)];
            if (owner < 0 || (!m_visited[at(owner)] && augment(at(owner)))) {
                m_choice[machine] = candidate.piece;
                m_owner[at(candidate.piece)] = static_cast<std::int32_t>(machine);
                return true;
            }
        }
        return false;
    }

    struct Candidate {
        std::uint64_t rank = 0; ///< Lowest first.
        std::int32_t piece = 0;
    };

    std::int32_t m_ranks;
    std::int32_t m_chunks;
    std::size_t m_machines;
    PlanRandom m_random;
    Preference m_preference;
    // A piece is element * chunks + chunk.
    std::vector<std::int64_t> m_arrival;
    std::vector<std::vector<std::int32_t>> m_frontier; ///< By machine: pieces whose predecessor is there; some may have arrived since.
    std::vector<std::int64_t> m_free;                  ///< When its last transfer ended.
    std::vector<std::int64_t> m_key;                   ///< When it can bring something next.
    std::vector<std::int32_t> m_owner;                 ///< By piece: machine it is matched to in this round; -1: none.
    std::vector<std::int64_t> m_time;
    std::vector<std::size_t> m_level;                  ///< By machine: its place among the distinct times.
    std::vector<std::vector<std::int32_t>> m_from;
    std::vector<std::vector<std::int32_t>> m_to;
    std::vector<Parts> m_parts;                        ///< By level.
    std::vector<std::int32_t> m_hops;
    std::vector<std::size_t> m_batch;
    std::vector<std::int32_t> m_choice;
    std::vector<std::vector<Candidate>> m_candidates;
    std::vector<std::uint8_t> m_visited;
};

} // namespace

std::optional<SymmetricPlan> planSymmetric(const Translations& group, const std::vector<std::int64_t>& timePs, std::int32_t chunks, std::uint64_t seed,
                                           std::uint32_t attempt, const std::atomic<std::int64_t>& cutoffPs, const Halt& halt)
{
    return SymmetricSearch(group, timePs, chunks, seed, attempt).run(cutoffPs, halt);
}

TransferPlan expand(const SymmetricPlan& plan, const Translations& group, std::int32_t chunks)
{
    std::vector<SymmetricTransfer> byStart = plan.transfers;
    std::stable_sort(byStart.begin(), byStart.end(), [](const SymmetricTransfer& a, const SymmetricTransfer& b) { return a.startPs < b.startPs; });
    TransferPlan out;
    out.finishPs = plan.finishPs;
    out.transfers.reserve(byStart.size() * at(group.size()));
    for (const SymmetricTransfer& transfer : byStart) {
        const Translations::Generator& generator = group.generators[at(transfer.generator)];
        const std::int32_t before = group.subtract(transfer.element, generator.difference);
        for (std::int32_t rank = 0; rank < group.size(); ++rank) {
            out.transfers.push_back(
                {generator.linkFrom[at(group.add(before, rank))], rank * chunks + transfer.chunk, transfer.startPs, transfer.endPs});
        }
    }
    return out;
}

} // namespace fabricscope
