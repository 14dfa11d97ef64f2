#pragma once

#include "core/base/index.h"
#include "core/program/treerule.h"
#include "core/record/runrecord.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/linkbusy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope {

/// What one class of ranks has done of a double binary tree. All ranks of it have the same history: the same messages at the same instants.
struct TreeOutcome {
    bool finished = false;
    std::int64_t finishPs = 0; ///< Of a class that has not finished: now.
    LinkUse up;   ///< Of the link of each of them to the switch; `link` is not set.
    LinkUse down; ///< Of the link back.
};

struct TreeOutcomes {
    std::vector<TreeOutcome> classes;
    BusyPyramid busy; ///< Of all links.
};

/// An all-reduce by a double binary tree on a switch all of whose NPUs and links are alike, all of which begin at 0 and do nothing else: one rank of each
/// class of ranks with the same history so far is followed, by the rules of the event engine.
///
/// The members of a class are those that no event so far has told apart. A rank sees of the others only when messages reach its link down, from which of
/// its at most six neighbours. So all ranks with the same neighbours around them begin as one class (do they have a parent, are they its first or second
/// child, how many children have they, in each tree, and in which of them are they deeper: this decides the order of equals). Where some members are sent
/// a message and the others are not, the class is cut in two, and the new one takes a copy of the state. Members of one class stay in one state: they were in
/// one, got the same, and what a rank does is a function of its state. Messages that meet at one link differ in chunk, step or slot, which is as far as the
/// tie rule (manual: models 3.6) has to look, so no port and no rank number decides. The number of classes grows with the square of the depth as long
/// as few chunks go up and down at once; at worst every rank becomes one.
class TreeClasses {
public:
    /// `sizes`: bytes of every chunk. \pre model links or ideal; ideal: chunks of equal size; one link class; n > 1
    TreeClasses(const Scenario& scenario, std::int32_t n, ResourceClass resource, const std::vector<std::int64_t>& sizes, bool busyOverTime);

    /// Follows all messages, and calls `look()` between any two instants, so never at the end of the run. False: more than `memoryLimit` bytes (0: none) would be needed. Throws StopRequested.
    template <typename Look>
    bool run(std::int64_t memoryLimit, const std::stop_token& stop, Look&& look)
    {
        begin();
        for (std::int64_t nextCheck = 0; findNext();) {
            if (m_now > 0)
                look();
            step(stop);
            if (memoryLimit <= 0 || m_events < nextCheck)
                continue;
            if (bytes() > memoryLimit)
                return false;
            nextCheck = m_events + kEventsBetweenChecks + static_cast<std::int64_t>(m_classes.size()); // bytes() looks at all classes.
        }
        return true;
    }
    /// What all classes have done by now(), while the run goes on, when it was left by StopRequested, or at the end. O(classes).
    TreeOutcomes outcomes();

    std::size_t count() const { return m_classes.size(); }
    std::int64_t now() const { return m_now; }
    double share() const { return static_cast<double>(m_received) / static_cast<double>(std::max<std::int64_t>(m_all, 1)); } ///< Of the messages, received by now.
    std::int32_t classOf(std::int32_t position) const { return m_classOf[at(position)]; }
    std::int32_t members(std::size_t number) const { return m_members[number].size; }
    std::int64_t messages() const { return m_all; }      ///< Of all ranks.
    std::int64_t received() const { return m_received; } ///< Messages, by now.
    std::int64_t events() const { return m_events; }
    std::int64_t bytes() const;                          ///< Of memory, about. O(classes).

private:
    static constexpr std::int64_t kEventsBetweenChecks = 4096;
    static constexpr std::size_t kKinds = 6; ///< Of what a rank sends or receives: tree * 3 + neighbour: 0 the parent, 1 and 2 the children.

    /// First in, first out. A copy holds what is left.
    template <typename T>
    class Row {
    public:
        Row() = default;
        Row(const Row& other) : m_list(other.m_list.begin() + static_cast<std::ptrdiff_t>(other.m_first), other.m_list.end()) {}
        Row(Row&&) = default;
        Row& operator=(const Row&) = delete;
        Row& operator=(Row&&) = default;
        bool empty() const { return m_first == m_list.size(); }
        T& front() { return m_list[m_first]; }
        const T& front() const { return m_list[m_first]; }
        void push(const T& value) { m_list.push_back(value); }
        std::size_t bytes() const { return m_list.capacity() * sizeof(T); }
        void pop()
        {
            if (++m_first == m_list.size()) {
                m_list.clear();
                m_first = 0;
            }
        }

    private:
        std::vector<T> m_list;
        std::size_t m_first = 0;
    };

    /// What a message of some size costs, piece by piece.
    struct Cost {
        std::int64_t bytes = 0;
        std::vector<std::int64_t> upTo;   ///< Work of a link on the pieces before piece i; one more: on all.
        std::vector<std::int64_t> reduce; ///< Work of the reducer.
        std::size_t pieces() const { return reduce.size(); }
    };
    /// A message on its way, sent from `start` on.
    struct Train {
        std::int64_t start = 0;
        std::int32_t number = 0; ///< Among those of its tree.
        std::int32_t piece = 0;  ///< The next one at the link down.
    };
    struct Done {
        std::int64_t time = 0;
        std::int32_t kind = 0;
        std::int32_t number = 0;
        std::uint32_t order = 0; ///< In which they were served. It only decides inside of one instant, so that it may start again at 0.
        /// For a heap with the earliest in front.
        friend bool operator<(const Done& a, const Done& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
    };
    struct Ready {
        std::int64_t time = 0;
        std::int32_t kind = 0;
        std::int32_t number = 0;
    };
    /// Whom the members of a class send to: classes, and how many members of each. Good while no class in it, nor that of the senders, has been cut.
    struct Receivers {
        struct Part {
            std::int32_t number = 0;
            std::int32_t count = 0;
            std::int32_t stamp = 0;
        };
        std::vector<Part> parts;
        std::int32_t stamp = -1;
    };
    /// The members of a class, and when it is looked at: what others ask for of it, apart from its state.
    struct Members {
        std::int64_t next = -1;   ///< When it is looked at again.
        std::int32_t begin = 0;   ///< In m_order.
        std::int32_t size = 0;
        std::int32_t stamp = 0;   ///< Another one whenever its members are others.
        std::int32_t counted = 0; ///< So many members are sent what is being dealt out.
        std::int32_t marked = 0;  ///< Of these the first members, when not all are.
        bool touched = false;     ///< It may have something new to wait for.
    };
    struct Class {
        std::int32_t number = 0;
        std::array<bool, kKinds> has{};          ///< Is there such a neighbour?
        std::array<std::uint8_t, 2> ordinal{};   ///< Among its siblings, by tree.
        std::array<std::int32_t, kKinds> sendOrder{};    ///< Step and slot of what it sends to a neighbour, to be compared with one another.
        std::array<std::int32_t, kKinds> receiveOrder{}; ///< ... of what it receives.
        std::array<std::int32_t, kKinds> dealt{};        ///< Messages that have been sent to it.
        std::array<std::int32_t, kKinds> received{};
        std::int64_t upFree = 0;
        std::int64_t upFrom = 0;   ///< Begin of the work that ends at upFree.
        std::int64_t downFree = 0;
        std::int64_t downFrom = 0; ///< ... at downFree.
        std::int64_t reducerFree = 0;
        std::int64_t finish = 0;
        LinkUse up;
        LinkUse down;
        std::array<std::int64_t, kKinds> heads{}; ///< When the next piece of the first of `trains` comes; INT64_MAX: none does.
        std::array<std::int64_t, kKinds> dues{};  ///< When the first of `trains` would be delivered if nothing else came.
        std::array<Row<Train>, kKinds> trains;
        std::vector<Done> done;    ///< Messages of which all pieces have been served, and when they are delivered: a heap, the next one in front.
        std::uint32_t served = 0;  ///< Of Done::order.
        Row<Ready> delayed;        ///< What may be sent after the endpoint delay.
        Row<Ready> queue;          ///< What waits for the link up.
        std::array<Receivers, kKinds> receivers;
    };
    /// Classes and when they are to be looked at, earliest first. What is added is never earlier than what was taken last: entries lie by the highest bit in which
    /// they differ from that, and move down a row at a time.
    class Agenda {
    public:
        void add(std::int64_t time, std::int32_t number)
        {
            m_rows[at(std::bit_width(static_cast<std::uint64_t>(time ^ m_last)))].emplace_back(time, number);
        }
        /// All of the earliest instant for which `isGood(time, number)`, in no particular order; empty: there are none.
        template <typename IsGood>
        const std::vector<std::pair<std::int64_t, std::int32_t>>& take(IsGood&& isGood);
        std::int64_t taken() const { return m_last; } ///< The instant of take().
        std::size_t bytes() const;

    private:
        std::array<std::vector<std::pair<std::int64_t, std::int32_t>>, 65> m_rows;
        std::vector<std::pair<std::int64_t, std::int32_t>> m_moving;
        std::int64_t m_last = -1;
    };
    /// What a class sends in this instant.
    struct Sending {
        std::int32_t from = 0;
        std::int32_t stamp = 0;   ///< Of the class when it sent.
        std::int32_t begin = 0;   ///< Its members in m_order, where they stay when it is cut.
        std::int32_t size = 0;
        std::size_t kind = 0;     ///< To which neighbour.
        std::size_t receive = 0;  ///< What it is there.
        std::int32_t round = 0;   ///< So many of the same kind go before it in this instant.
    };

    void begin();
    bool findNext();
    void step(const std::stop_token& stop);
    void makeClasses();
    void settle(Class& own);
    void advance(Class& own, std::int64_t until);
    void setFirst(Class& own, std::size_t kind);
    Members& membersOf(std::int32_t number) { return m_members[at(number)]; }
    Class& ofNumber(std::int32_t number) { return *m_classes[at(number)]; }
    std::size_t together(const Cost& cost, std::size_t piece, std::int64_t time) const;
    void serve(Class& own, std::size_t kind, std::int64_t until, std::int64_t other);
    void received(Class& own, const Done& done);
    void whenReady(Class& own, std::size_t kind, std::int32_t number);
    void join(Class& own);
    void send(std::int32_t from);
    void dealOut(const std::stop_token& stop);
    void dealOut(std::size_t first, std::size_t end);
    const Receivers& receiversOf(const Sending& sending, Receivers& scratch);
    void markReceivers(std::size_t first, std::size_t end);
    void mark(std::int32_t position);
    std::int32_t takeMarked(std::int32_t number);
    void touch(std::int32_t number);
    void schedule(std::int32_t number);
    void addBusy(std::int64_t begin, std::int64_t end, std::int32_t links);
    void flush(Class& own);
    TreeOutcome outcomeOf(const Class& own) const;
    const Cost& costOf(std::size_t kind, std::int32_t number) const { return m_costs[m_costOf[kind / 3][at(number)]]; }
    void addTree(std::size_t tree, const std::vector<std::int64_t>& sizes, const Scenario& scenario, ResourceClass resource);

    const std::int32_t m_n;
    const bool m_ideal;
    const bool m_busyOverTime;
    const bool m_reduces;             ///< Reductions take time.
    const std::int64_t m_latency;
    const std::int64_t m_delay;
    std::array<std::vector<TreePlace>, 2> m_places; ///< Until classes are made.
    std::array<std::vector<std::int32_t>, kKinds> m_peers; ///< By kind, position; -1: none.
    std::vector<Cost> m_costs;
    std::int64_t m_fixedBytes = 0;    ///< What does not grow while the run goes on.
    std::array<std::vector<std::size_t>, 2> m_costOf;     ///< By tree, number of a message.
    std::array<std::vector<std::int32_t>, 2> m_chunkOf;   ///< Likewise.
    std::vector<std::unique_ptr<Class>> m_classes;
    std::vector<Members> m_members;      ///< Of the classes.
    std::vector<std::int32_t> m_order;   ///< Positions, class by class.
    std::vector<std::int32_t> m_where;   ///< By position: where in m_order.
    std::vector<std::int32_t> m_classOf; ///< By position.
    Agenda m_agenda;
    const std::vector<std::pair<std::int64_t, std::int32_t>>* m_next = nullptr; ///< What findNext() found, of m_agenda.
    std::int64_t m_now = 0;
    std::vector<std::int32_t> m_touched;
    std::vector<Sending> m_sendings;
    std::vector<std::int32_t> m_targets; ///< Positions that are sent what is being dealt out, and others of their classes are not.
    std::vector<std::int32_t> m_hit;     ///< Classes that are sent it.
    std::vector<Ready> m_arrivals;       ///< What becomes ready in this instant.
    std::int32_t m_stamp = 0;
    events::BusySum m_busy;
    events::BusySteps m_interval;
    std::int64_t m_all = 0;
    std::int64_t m_received = 0;
    std::int64_t m_events = 0;
};

} // namespace fabricscope
