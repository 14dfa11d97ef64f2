#pragma once

#include "core/sim/sweep/track.h"

#include <cstdint>
#include <vector>

namespace fabricscope::sweep {

/// What lines of one track did lately, for others that stand as those stood.
///
/// What a line does from an instant on depends on where its messages are, how much longer its links are taken, what these cost, and up to
/// where it is served. Times are maxima and sums of these, so of two lines that stand alike but for a span that all times of one are later, one does what
/// the other does, later by that span. Nearly all lines of a torus with one slow link stand so. Two lines are alike when all of that is equal, word by word.
class LineMemo {
public:
    /// A position has all messages of a flow and its own part.
    struct Completion {
        std::int64_t time = 0;
        std::int32_t place = 0;
        std::int32_t flow = 0;
    };

    /// Never finds anything.
    LineMemo() = default;
    /// \pre all messages of the track are of one size, and their delays are not drawn. \param delay of endpoints
    LineMemo(const Track& track, std::int64_t delay);

    /// Is there another line whose links are like those of this one, and has looking been worth it?
    bool looksFor(std::int64_t line);
    /// Serves the line up to the horizon as another one that stood alike was; what was completed meanwhile, or null: nothing was done, and the line is to be
    /// served, with a call of add() for each completion and of learn() at the end. \pre looksFor(), and something is ready before the horizon
    const std::vector<Completion>* repeat(Track& track, std::int64_t line, std::int64_t horizon);
    void add(const Completion& completion);
    /// \param waited latest readiness of a message that began to wait for an own part; -1: none.
    void learn(const Track& track, std::int64_t line, std::int64_t waited);

    std::int64_t repeats() const { return m_repeats; }
    std::int64_t memoryBytes() const;

private:
    /// A link that was used.
    struct Served {
        std::int64_t free = 0;
        std::int64_t downFree = 0;
        std::int64_t ready = 0;
        Meta key = 0;
        std::int32_t place = 0;
        std::int32_t missing = 0;
    };
    struct Flow {
        std::int64_t ahead = 0;
        std::int32_t lagging = 0;
        std::int32_t ownless = 0;
        std::int32_t waiting = 0;
    };
    /// How a line stood, and what it did. Times count from the first thing it had to serve.
    struct Entry {
        std::uint64_t hash = 0;  ///< Of `stood`.
        std::int32_t other = -1; ///< Another one in its bucket; -1: none.
        std::vector<std::int64_t> stood;
        std::int64_t latest = 0; ///< Up to here it was served, ...
        std::int64_t next = 0;   ///< ... and from here on it was not.
        std::vector<Served> served;
        std::vector<std::uint32_t> arrived; ///< As rows (rowsOf() in linememo.cpp).
        std::vector<Flow> flows;
        std::vector<Parked> parked;
        std::vector<Completion> completions;

        std::int64_t bytes() const;
    };

    void findClasses(const Track& track);
    void describe(const Track& track, std::int64_t line);
    const Entry* find(std::int64_t until) const;
    std::int32_t& linkTo(std::int32_t entry);
    void forgetOne();
    void keep(Entry entry);
    void apply(const Entry& entry, Track& track, std::int64_t line);
    void count(bool found);

    std::int64_t m_delay = 0;
    std::vector<std::int32_t> m_classOf; ///< By line, of what its links cost; kAlone: no other line is in it.
    std::vector<Entry> m_entries;
    std::uint64_t m_forgotten = 0;       ///< How many there were besides.
    std::int64_t m_bytes = 0;            ///< Of m_entries.
    std::int64_t m_mostBytes = 0;
    std::vector<std::int32_t> m_buckets; ///< By hash: the first entry in it; -1: none.
    std::vector<std::int64_t> m_stood;   ///< The line looked for.
    std::uint64_t m_hash = 0;            ///< Of m_stood.
    std::vector<std::uint32_t> m_rows;   ///< Room for rowsOf().
    std::int64_t m_base = 0;             ///< Its first thing to serve.
    std::vector<std::int64_t> m_servedBefore;
    std::vector<Meta> m_keyBefore;
    std::vector<Completion> m_completions;
    std::int64_t m_repeats = 0;
    int m_looked = 0;
    int m_found = 0;
    int m_rest = 0;   ///< Lines that are not looked for.
    int m_pause = 0;  ///< How many the next time.
};

} // namespace fabricscope::sweep
