#include "tests/unit/support/oracles/wayoracle.h"

#include "core/base/seededhash.h"

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

constexpr int kFar = 1 << 20;
using Way = std::vector<int>;

/// Graph and policy.
class Ways {
public:
    explicit Ways(const WayCase& given) : m_given(given), down(given.links.size(), false) {}

    const WayCase& m_given;
    std::vector<bool> down;

    bool isSwitch(int node) const { return m_given.isSwitch[static_cast<std::size_t>(node)]; }
    const WayCase::Link& link(int number) const { return m_given.links[static_cast<std::size_t>(number)]; }
    bool anyDown() const { return std::find(down.begin(), down.end(), true) != down.end(); }
    bool usable(int number, bool up) const { return !up || !down[static_cast<std::size_t>(number)]; }

    /// Links left by (node, passing on); `direct`: an NPU passes on what comes from an NPU to an NPU.
    struct Left {
        bool direct = true;
        std::map<std::pair<int, bool>, int> of{};
        int at(int node, bool passing) const
        {
            const auto found = of.find({node, passing});
            return found == of.end() ? kFar : found->second;
        }
    };

    /// May what is at `node`, passing or not, take the link on its way to `to`?
    bool allowed(int number, bool passing, int to, bool direct) const
    {
        const int here = link(number).from;
        const int next = link(number).to;
        if (!direct || next == to)
            return !direct || !passing || isSwitch(here) || !isSwitch(next);
        return isSwitch(next) || (!isSwitch(here) && !isSwitch(next)) ? !(passing && !isSwitch(here) && isSwitch(next)) : false;
    }

    const Left& leftTo(int to, bool up, bool direct) const
    {
        const auto key = std::tuple(to, up, direct);
        if (const auto known = m_left.find(key); known != m_left.end())
            return known->second;
        Left left{direct, {}};
        left.of[{to, false}] = left.of[{to, true}] = 0;
        for (bool shorter = true; shorter;) {
            shorter = false;
            for (int number = 0; number < static_cast<int>(m_given.links.size()); ++number) {
                for (const bool passing : {false, true}) {
                    if (link(number).from == to || !usable(number, up) || !allowed(number, passing, to, direct))
                        continue;
                    const int length = left.at(link(number).to, true) + 1;
                    int& known = left.of.try_emplace({link(number).from, passing}, kFar).first->second;
                    if (length < known) {
                        known = length;
                        shorter = true;
                    }
                }
            }
        }
        return m_left.emplace(key, std::move(left)).first->second;
    }
    const Left& leftFrom(int from, int to, bool up, bool passing = false) const
    {
        const Left& direct = leftTo(to, up, true);
        return direct.at(from, passing) < kFar ? direct : leftTo(to, up, false);
    }
    void forget() { m_left.clear(); }

    std::vector<int> choices(const Left& left, int node, int to, bool passing, bool up) const
    {
        std::vector<int> out;
        for (int number = 0; number < static_cast<int>(m_given.links.size()); ++number) {
            if (link(number).from == node && usable(number, up) && allowed(number, passing, to, left.direct) && left.at(node, passing) < kFar && left.at(link(number).to, true) + 1 == left.at(node, passing))
                out.push_back(number);
        }
        return out;
    }

    /// Place of an NPU in the order of leaves.
    std::uint64_t placeOf(int npu, int from) const
    {
        const auto has = [&](int a, int b) { return std::any_of(m_given.links.begin(), m_given.links.end(), [&](const auto& l) { return l.from == a && l.to == b; }); };
        const auto leadsOn = [&](int node) { return std::any_of(m_given.links.begin(), m_given.links.end(), [&](const auto& l) { return l.from == node && isSwitch(l.to); }); };
        std::optional<std::pair<int, int>> leaf; // How good, which.
        for (const auto& l : m_given.links) {
            if (l.to == npu && isSwitch(l.from)) {
                const std::pair<int, int> now{has(from, l.from) ? 0 : leadsOn(l.from) ? 1 : 2, l.from};
                leaf = leaf ? std::min(*leaf, now) : now;
            }
        }
        if (!leaf)
            return static_cast<std::uint64_t>(npu);
        const auto npusBelow = [&](int node) {
            std::vector<int> out;
            for (const auto& l : m_given.links) {
                if (l.from == node && !isSwitch(l.to) && std::find(out.begin(), out.end(), l.to) == out.end())
                    out.push_back(l.to);
            }
            return out;
        };
        std::uint64_t place = 0;
        for (int node = 0; node < leaf->second; ++node) {
            if (isSwitch(node) && leadsOn(node) == leadsOn(leaf->second))
                place += npusBelow(node).size();
        }
        const std::vector<int> mates = npusBelow(leaf->second);
        return place + static_cast<std::uint64_t>(std::find(mates.begin(), mates.end(), npu) - mates.begin());
    }

    /// What one way is chosen by.
    struct Numbers {
        std::uint64_t stream = 0;
        std::uint64_t number = 0;
    };

    bool walk(int from, int to, const Numbers& numbers, Way& way) const
    {
        const Left& up = leftFrom(from, to, true);
        if (up.at(from, false) >= kFar)
            return false;
        const Left& all = leftFrom(from, to, false);
        const int length = up.at(from, false);
        std::uint64_t digits = m_given.policy == RoutePolicy::Spray ? numbers.number : 0;
        if (m_given.policy == RoutePolicy::Balanced)
            digits = (isSwitch(to) ? 0 : placeOf(to, from));
        Way made;
        std::vector<std::uint64_t> digitsAt;
        bool passing = false;
        for (int node = from; node != to; passing = true) {
            const int hop = static_cast<int>(made.size());
            const int other = length - 1 - hop; // The link that went up where this one goes down.
            digitsAt.push_back(digits);
            const auto choose = [&](const std::vector<int>& among, std::uint64_t& left) {
                const std::uint64_t count = among.size();
                if (count == 1)
                    return among[0];
                if (m_given.policy == RoutePolicy::Balanced && isSwitch(node) && other < hop
                    && std::all_of(among.begin(), among.end(), [&](int l) { return link(l).to == link(among[0]).to; })) {
                    const std::size_t back = static_cast<std::size_t>(std::max(other, 0));
                    std::vector<int> beside;
                    for (int l = 0; l < static_cast<int>(m_given.links.size()); ++l) {
                        if (link(l).from == link(made[back]).from && link(l).to == link(made[back]).to)
                            beside.push_back(l);
                    }
                    if (beside.size() == count)
                        return among[static_cast<std::size_t>(std::find(beside.begin(), beside.end(), made[back]) - beside.begin())];
                    return among[digitsAt[back] % count];
                }
                std::uint64_t at = 0;
                const std::uint64_t hash = seededHash(m_given.seed, {from, to, static_cast<std::int64_t>(numbers.stream), node});
                if (m_given.policy == RoutePolicy::Ecmp)
                    at = hash % count;
                else if (m_given.policy == RoutePolicy::Spray)
                    at = (hash % count + left % count) % count;
                else if (m_given.policy == RoutePolicy::Balanced)
                    at = left % count;
                left /= count;
                return among[at];
            };
            const std::vector<int> open = choices(up, node, to, passing, true);
            const std::vector<int> listed = choices(all, node, to, passing, false);
            std::uint64_t before = digits;
            int next = choose(listed.empty() ? open : listed, digits);
            if (std::find(open.begin(), open.end(), next) == open.end())
                next = choose(open, before);
            made.push_back(next);
            node = link(next).to;
        }
        way.insert(way.end(), made.begin(), made.end());
        return true;
    }

    int middleOf(int from, int to, const Numbers& numbers) const
    {
        std::vector<int> middles;
        for (int node = 0; node < static_cast<int>(m_given.isSwitch.size()); ++node) {
            if (isSwitch(node) || !hasSwitches())
                middles.push_back(node);
        }
        const int middle = middles[seededHash(m_given.seed, {from, to, static_cast<std::int64_t>(numbers.stream), static_cast<std::int64_t>(numbers.number), -1}) % middles.size()];
        return middle == from || middle == to || isSwitch(from) ? -1 : middle;
    }

    bool over(int start, int middle, int to, const Numbers& numbers, Way& way) const
    {
        Way found;
        if (middle < 0 || !walk(start, middle, numbers, found) || !walk(middle, to, numbers, found))
            return false;
        way.insert(way.end(), found.begin(), found.end());
        return true;
    }

    /// The way from a node, as far as nothing on the way decides.
    bool find(int from, int to, const Numbers& numbers, Way& way) const
    {
        if (m_given.policy == RoutePolicy::Valiant && over(from, middleOf(from, to, numbers), to, numbers, way))
            return true;
        return walk(from, to, numbers, way);
    }

    bool hasSwitches() const { return std::find(m_given.isSwitch.begin(), m_given.isSwitch.end(), true) != m_given.isSwitch.end(); }
private:
    mutable std::map<std::tuple<int, bool, bool>, Left> m_left;
};

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
            if (piece(id).state == Piece::State::Waiting)
                launch(id);
            if (piece(id).state == Piece::State::Held) {
                piece(id).head = m_now;
                piece(id).tail = std::max(piece(id).tail, m_now);
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
        // Those of one link in tie order; then streams that had nothing join the round.
        std::sort(m_joining.begin(), m_joining.end(), [&](int a, int b) {
            const auto key = [&](int id) { return std::tuple(sendOf(piece(id)).tag, sendOf(piece(id)).task, piece(id).begin); };
            return key(a) < key(b);
        });
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
        now.state = Piece::State::Waiting;
        if (!m_ways.find(now.from, sendOf(now).to, numbersOf(now), now.way))
            return;
        now.state = Piece::State::Queued;
        m_joining.push_back(id);
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
            now.way = found;
            now.hop = 0;
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
            if (now.hop == static_cast<int>(now.way.size()))
                now.state = Piece::State::There;
            else
                here.push_back(id);
        }
        std::erase_if(here, [&](int id) { return isDown(piece(id).way[static_cast<std::size_t>(piece(id).hop)]) && !turn(id, nodeOf(piece(id))); });
        std::sort(here.begin(), here.end(), [&](int a, int b) { return keyOf(a) < keyOf(b); });
        for (const int id : here) {
            const int link = piece(id).way[static_cast<std::size_t>(piece(id).hop)];
            cross(id, link, std::max(busy(link), m_now));
        }
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
        if (now.hop == static_cast<int>(now.way.size()))
            arrive(now);
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
};

} // namespace

WayResult sendOver(const WayCase& given)
{
    return Run(given).run();
}

} // namespace fabricscope::test
