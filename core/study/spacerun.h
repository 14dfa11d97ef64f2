#pragma once

#include "core/study/pointrun.h"
#include "core/study/runstore.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Every N-th design, beginning with number - 1.
struct StudyShard {
    std::int64_t number = 1;
    std::int64_t of = 1;
};

/// How far a study is. Designs that are the same count each.
struct StudyProgress {
    std::int64_t designs = 0; ///< Of the shard.
    std::int64_t found = 0;   ///< In the store when it began.
    std::int64_t ran = 0;     ///< Now, and kept.
    double secondsEach = 0;   ///< Of the first one that ran, on one thread; 0: none has.
};

/// One design of a table.
struct StudyTableRow {
    enum class State : std::uint8_t { Done, Infeasible, Failed, Open };
    std::int64_t number = 0;
    State state = State::Open;
    std::vector<std::string> labels; ///< Of the parameters.
    PointFigures figures{};
    std::string message{};           ///< The constraint that does not hold, or why it failed.
};
inline constexpr KeyTable<StudyTableRow::State, 4> kTableStates{
    {{"done", StudyTableRow::State::Done}, {"infeasible", StudyTableRow::State::Infeasible}, {"failed", StudyTableRow::State::Failed}, {"open", StudyTableRow::State::Open}}};

struct StudyTable {
    std::vector<StudyTableRow> rows;  ///< By number.
    std::vector<std::size_t> front;   ///< Rows that no other beats in all objectives; of those that are done.
    std::int64_t count(StudyTableRow::State state) const;
};

struct SpaceRunOptions {
    int threads = 1;
    StudyShard shard{};
    /// After the first design that was run: how far it is and how long it took. On the caller's thread. May be empty.
    std::function<void(const StudyProgress&)> begun;
    /// Of each design that was found or has run, in any order, from any thread, one at a time; `ran`: now. What it says of a design that is the same as one that still
    /// runs is that it is open. May be empty.
    std::function<void(const StudyTableRow&, bool ran)> looked;
};

/// Rows that no other beats in all objectives, of those that are done. Ascending.
std::vector<std::size_t> frontOf(const StudySpec& space, const std::vector<StudyTableRow>& rows, const std::stop_token& stop = {});

/// Runs the designs of a study that the store does not have. What is done is kept also where it ends early; nothing that is kept runs again. The answer does not depend
/// on threads, shards or interruptions. `progress`: how far it came, also after an error. Errors: Cancelled, MemoryLimit, those of the store.
Result<StudyTable> runSpace(const StudySpec& space, PointRunner& runner, RunStore& store, const SpaceRunOptions& options, StudyProgress& progress, const std::stop_token& stop);

/// The table of what a store has, all designs of the study; those that it has not are open.
Result<StudyTable> tableOf(const StudySpec& space, PointRunner& runner, const RunStore& store, int threads, const std::stop_token& stop);

} // namespace fabricscope
