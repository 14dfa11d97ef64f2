#include "tests/unit/support/oracles/wayoracle.h"

#include "tests/unit/support/oracles/waysearch.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace fabricscope::test {

namespace {

using wayoracle::Way;
using wayoracle::Ways;

class Run {
public:
    explicit Run(const WayCase& given) : m_given(given), m_ways(given)
    {
        m_result.done.assign(given.sends.size(), -1);
        m_result.left.assign(given.sends.size(), -1);
        m_result.bytes.assign(given.links.size(), 0);
        m_busy.assign(given.links.size(), 0);
        m_downs.assign(given.links.size(), 0);
        m_queues.resize(given.links.size());
        m_partsLeft.assign(given.sends.size(), 0);
        std::set<std::pair<int, int>> pairs;
        for (const auto& send : given.sends)
            pairs.insert({send.from, send.to});
        for (const auto& send : given.sends)
            m_stream.push_back(given.firstStream + std::distance(pairs.begin(), pairs.find({send.from, send.to})));
    }

    WayResult run()
    {
        std::optional<std::int64_t> now = nextTime(-1);
        for (; now; now = nextTime(m_now)) {
            m_now = *now;
            change();
            becomeReady();
            serveHeads();
            join();
            pick();
        }
        return std::move(m_result);
    }

private:
    /// A piece of a message, which finds its own way.
    struct Piece {
        int send = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        int from = 0;         ///< Where its way begins.
        Way way{};
        int hop = 0;          ///< Links of it behind.
        std::int64_t head = 0;
        std::int64_t tail = 0;
        std::int64_t order = 0;
        bool open = false;    ///< Its way ends at the next node where it chooses.
        std::int64_t waits = 0; ///< By queues: how long it will take on the link it waits for.
        enum class State { Waiting, Queued, Travels, Held, There } state = State::Waiting;
    };
    struct Queue {
        std::map<std::int64_t, std::deque<int>> ofStream;
        std::deque<std::int64_t> round;
        std::optional<std::int64_t> last; ///< Served last and has more.
    };

    const WayCase::Send& sendOf(const Piece& piece) const { return m_given.sends[static_cast<std::size_t>(piece.send)]; }
    std::int64_t streamOf(const Piece& piece) const { return m_stream[static_cast<std::size_t>(piece.send)]; }
    Piece& piece(int id) { return m_pieces[static_cast<std::size_t>(id)]; }
    std::int64_t& busy(int link) { return m_busy[static_cast<std::size_t>(link)]; }
    Queue& queue(int link) { return m_queues[static_cast<std::size_t>(link)]; }
    bool isDown(int link) const { return m_ways.down[static_cast<std::size_t>(link)]; }
    static std::int64_t lasts(std::int64_t bytes, std::int64_t rate)
    {
        __extension__ using Product = __int128;
        return static_cast<std::int64_t>((Product{bytes} * 1'000'000'000'000 + rate - 1) / rate);
    }

    Ways::Numbers numbersOf(const Piece& piece) const
    {
        return {static_cast<std::uint64_t>(streamOf(piece)), m_number.at(piece.send)};
    }

    std::optional<std::int64_t> nextTime(std::int64_t after) const
    {
        std::optional<std::int64_t> next;
        const auto consider = [&](std::int64_t time) {
            if (time > after)
                next = next ? std::min(*next, time) : time;
        };
        for (const auto& send : m_given.sends)
            consider(send.ready);
        for (const auto& failure : m_given.failures) {
            consider(failure.at);
            consider(failure.until);
        }
        for (const Piece& piece : m_pieces) {
            if (piece.state == Piece::State::Travels)
                consider(piece.head);
        }
        for (std::size_t link = 0; link < m_queues.size(); ++link) {
            if (!m_queues[link].round.empty() || m_queues[link].last)
                consider(std::max(after + 1, m_busy[link]));
        }
        return next;
    }

    void change()
    {
        bool failed = false;
        bool repaired = false;
        for (const auto& failure : m_given.failures) {
            int& downs = m_downs[static_cast<std::size_t>(failure.link)];
            failed = failed || failure.at == m_now;
            repaired = repaired || failure.until == m_now;
            downs += (failure.at == m_now ? 1 : 0) - (failure.until == m_now ? 1 : 0);
        }
        if (!failed && !repaired)
            return;
        for (std::size_t link = 0; link < m_downs.size(); ++link)
            m_ways.down[link] = m_downs[link] > 0;
        m_ways.forget();
        // A way that is open is the one link that has been chosen.
        const auto broken = [&](int id) { return std::any_of(piece(id).way.begin(), piece(id).way.end(), [&](int link) { return isDown(link); }); };
        std::vector<int> again;
        for (Queue& queue : m_queues) {
            for (auto& [stream, ids] : queue.ofStream) {
                for (const int id : ids) {
                    if (broken(id))
                        again.push_back(id);
                }
                std::erase_if(ids, broken);
                if (ids.empty()) {
                    std::erase(queue.round, stream);
                    if (queue.last == stream)
                        queue.last.reset();
                }
            }
        }
        for (const int id : again)
            launch(id);
        if (!repaired)
            return;
        for (int id = 0; id < static_cast<int>(m_pieces.size()); ++id) {
            if (piece(id).state == Piece::State::Waiting && std::find(m_joining.begin(), m_joining.end(), id) == m_joining.end())
                launch(id);
            if (piece(id).state == Piece::State::Held) {
                piece(id).head = m_now;
                piece(id).tail = std::max(piece(id).tail, m_now);
                if (piece(id).open)
                    piece(id).state = Piece::State::Travels; // It chooses with the heads of this instant.
                else
                    turn(id, piece(id).from);
            }
        }
    }

    void becomeReady()
    {
        for (int send = 0; send < static_cast<int>(m_given.sends.size()); ++send) {
            const WayCase::Send& now = m_given.sends[static_cast<std::size_t>(send)];
            if (now.ready != m_now)
                continue;
            m_number[send] = m_counted[m_stream[static_cast<std::size_t>(send)]]++;
            for (std::int64_t begin = 0; begin < now.bytes; begin += m_given.pieceBytes) {
                Piece made;
                made.send = send;
                made.begin = begin;
                made.end = std::min(begin + m_given.pieceBytes, now.bytes);
                m_pieces.push_back(made);
                ++m_partsLeft[static_cast<std::size_t>(send)];
                launch(static_cast<int>(m_pieces.size()) - 1);
            }
        }
    }

    void join()
    {
        // Those of one link in tie order; then streams that had nothing join the round.
        std::sort(m_joining.begin(), m_joining.end(), [&](int a, int b) {
            const auto key = [&](int id) { return std::tuple(sendOf(piece(id)).tag, sendOf(piece(id)).task, piece(id).begin); };
            return key(a) < key(b);
        });
        if (m_ways.byQueues())
            std::erase_if(m_joining, [&](int id) { return !choose(id, sendOf(piece(id)).from); });
        for (const int id : m_joining) {
            Queue& own = queue(piece(id).way.front());
            std::deque<int>& waiting = own.ofStream[streamOf(piece(id))];
            if (waiting.empty())
                own.round.push_back(streamOf(piece(id)));
            waiting.push_back(id);
        }
        m_joining.clear();
    }

    void launch(int id)
    {
        Piece& now = piece(id);
        now.from = sendOf(now).from;
        now.hop = 0;
        now.way.clear();
        now.waits = 0;
        now.state = Piece::State::Waiting;
        if (m_ways.byQueues()) { // Where those of one instant are in order.
            now.open = true;
            m_joining.push_back(id);
            return;
        }
        if (!m_ways.find(now.from, sendOf(now).to, numbersOf(now), now.way))
            return;
        now.state = Piece::State::Queued;
        m_joining.push_back(id);
    }

    /// How long the link has work; where a piece begins also what those that wait there will take.
    std::int64_t queueOf(int link, bool begins) const
    {
        std::int64_t time = std::max<std::int64_t>(0, m_busy[static_cast<std::size_t>(link)] - m_now);
        for (const Piece& other : m_pieces) {
            if (begins && other.state == Piece::State::Queued && other.way.front() == link)
                time += other.waits;
        }
        return time;
    }

    /// By the queues as they are now. False: there is no way.
    bool choose(int id, int node)
    {
        Piece& now = piece(id);
        const bool begins = now.hop == 0;
        const int to = sendOf(now).to;
        const std::vector<int> closer = m_ways.closer(node, to, !begins);
        if (closer.empty())
            return false;
        const int best = *std::min_element(closer.begin(), closer.end(), [&](int a, int b) { return queueOf(a, begins) < queueOf(b, begins); });
        Way on{best};
        const bool decides = m_given.policy == RoutePolicy::Adaptive && (m_ways.isSwitch(node) || !m_ways.hasSwitches());
        if (decides && m_ways.link(best).to != to && !m_ways.straight(m_ways.link(best).to, to, numbersOf(now), on))
            return false;
        if (decides && !m_ways.leavesHost(on)) {
            now.open = false;
            Way drawn;
            const int source = sendOf(now).from;
            if (m_ways.drawn(node, source, to, numbersOf(now), drawn)
                && queueOf(on.front(), begins) * m_ways.weight(on) > queueOf(drawn.front(), begins) * m_ways.weight(drawn)) {
                on = drawn;
                ++m_result.drawn;
            }
        }
        m_result.passedHosts += decides && now.open ? 1 : 0;
        now.way.resize(static_cast<std::size_t>(now.hop));
        now.way.insert(now.way.end(), on.begin(), now.open ? on.begin() + 1 : on.end());
        if (begins) {
            const WayCase::Link& over = m_ways.link(now.way.front());
            now.waits = lasts(now.end, over.rate) - lasts(now.begin, over.rate);
            now.state = Piece::State::Queued;
        }
        return true;
    }

    /// The piece at `node` finds another way on from there, or is held.
    bool turn(int id, int node)
    {
        Piece& now = piece(id);
        ++m_result.turnedAway;
        if (node == sendOf(now).to) { // On its way to a middle it has come by where it is for.
            arrive(now);
            now.state = Piece::State::There;
            return false;
        }
        Way found;
        const bool any = m_ways.find(node, sendOf(now).to, numbersOf(now), found);
        now.from = node;
        now.state = any ? Piece::State::Travels : Piece::State::Held;
        if (any) {
            now.way.resize(static_cast<std::size_t>(now.hop)); // Come over these links it has still.
            now.way.insert(now.way.end(), found.begin(), found.end());
        }
        return any;
    }

    int nodeOf(const Piece& now) const { return m_ways.link(now.way[static_cast<std::size_t>(now.hop)]).from; }

    std::tuple<int, std::int64_t, int, std::int64_t, std::int64_t> keyOf(int id) const
    {
        const Piece& now = m_pieces[static_cast<std::size_t>(id)];
        std::int64_t port = INT64_MAX; // Position of the link it came by among those that arrive there.
        if (now.hop > 0) {
            const int came = now.way[static_cast<std::size_t>(now.hop) - 1];
            port = std::count_if(m_given.links.begin(), m_given.links.begin() + came, [&](const auto& l) { return l.to == m_given.links[static_cast<std::size_t>(came)].to; });
        }
        return {sendOf(now).tag, now.begin, -now.hop, port, now.order};
    }

    void serveHeads()
    {
        std::vector<int> here;
        for (int id = 0; id < static_cast<int>(m_pieces.size()); ++id) {
            Piece& now = piece(id);
            if (now.state != Piece::State::Travels || now.head != m_now)
                continue;
            if (now.hop == static_cast<int>(now.way.size()) && !now.open)
                now.state = Piece::State::There;
            else
                here.push_back(id);
        }
        std::erase_if(here, [&](int id) { return !piece(id).open && isDown(piece(id).way[static_cast<std::size_t>(piece(id).hop)]) && !turn(id, nodeOf(piece(id))); });
        std::sort(here.begin(), here.end(), [&](int a, int b) { return keyOf(a) < keyOf(b); });
        for (const int id : here) {
            Piece& now = piece(id);
            if (now.open && !choose(id, m_ways.link(now.way.back()).to)) {
                now.state = Piece::State::Held;
                continue;
            }
            const int link = now.way[static_cast<std::size_t>(now.hop)];
            throughCrossbar(now, m_ways.link(link).from);
            cross(id, link, std::max(busy(link), m_now));
        }
    }

    void throughCrossbar(Piece& now, int node)
    {
        const auto limit = m_given.crossbars.find(node);
        if (limit == m_given.crossbars.end())
            return;
        std::int64_t& work = m_crossbars[node];
        work = std::max(work, m_now) + lasts(now.end, limit->second) - lasts(now.begin, limit->second);
        now.tail = std::max(now.tail, work);
    }

    void cross(int id, int link, std::int64_t start)
    {
        Piece& now = piece(id);
        const WayCase::Link& over = m_ways.link(link);
        busy(link) = start + lasts(now.end, over.rate) - lasts(now.begin, over.rate);
        now.head = m_now + over.latency;
        now.tail = std::max(now.tail, busy(link)) + over.latency;
        now.order = ++m_order;
        ++now.hop;
        now.state = Piece::State::Travels;
        m_result.bytes[static_cast<std::size_t>(link)] += now.end - now.begin;
        if (over.to == sendOf(now).to && now.hop == static_cast<int>(now.way.size())) {
            arrive(now);
            now.open = false;
        }
    }

    void arrive(const Piece& now)
    {
        const auto send = static_cast<std::size_t>(now.send);
        m_last[now.send] = std::max(m_last[now.send], now.tail);
        if (--m_partsLeft[send] == 0)
            m_result.done[send] = m_last[now.send];
    }

    void pick()
    {
        for (int link = 0; link < static_cast<int>(m_queues.size()); ++link) {
            Queue& own = queue(link);
            if (busy(link) > m_now)
                continue;
            if (own.last)
                own.round.push_back(*std::exchange(own.last, std::nullopt));
            if (own.round.empty())
                continue;
            const std::int64_t stream = own.round.front();
            own.round.pop_front();
            std::deque<int>& waiting = own.ofStream[stream];
            const int id = waiting.front();
            waiting.pop_front();
            if (!waiting.empty())
                own.last = stream;
            piece(id).tail = 0;
            cross(id, link, m_now);
            std::int64_t& left = m_result.left[static_cast<std::size_t>(piece(id).send)];
            left = std::max(left, busy(link));
        }
    }

    const WayCase& m_given;
    Ways m_ways;
    WayResult m_result;
    std::int64_t m_now = -1;
    std::int64_t m_order = 0;
    std::vector<std::int64_t> m_busy;
    std::vector<int> m_downs;
    std::vector<Queue> m_queues;
    std::vector<Piece> m_pieces;
    std::vector<int> m_joining;
    std::vector<int> m_partsLeft;
    std::vector<std::int64_t> m_stream;
    std::map<int, std::uint64_t> m_number;                  ///< By send: among those of its pair that were ready.
    std::map<std::int64_t, std::uint64_t> m_counted;        ///< By stream.
    std::map<int, std::int64_t> m_last;                     ///< Latest tail by send.
    std::map<int, std::int64_t> m_crossbars;                ///< By switch: end of the work committed to it.
};

} // namespace

WayResult sendOver(const WayCase& given)
{
    return Run(given).run();
}

} // namespace fabricscope::test
