#pragma once

#include "core/study/pointrun.h"
#include "core/study/runstore.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Every N-th design, beginning with number - 1.
struct StudyShard {
    std::int64_t number = 1;
    std::int64_t of = 1;
};

/// How far a study is. Designs that are the same count each.
struct StudyProgress {
    std::int64_t designs = 0; ///< Of the shard; of a search what it may simulate.
    std::int64_t found = 0;   ///< In the store when it began.
    std::int64_t ran = 0;     ///< Now, and kept.
    double secondsEach = 0;   ///< Of the first one that ran, on one thread; 0: none has.
};

/// One design of a table.
struct StudyTableRow {
    enum class State : std::uint8_t {
        Done,
        Infeasible,
        Failed,
        Open,
        Pruned ///< Of a search: what it can reach at best is beaten already.
    };
    std::int64_t number = 0;
    State state = State::Open;
    std::vector<std::string> labels; ///< Of the parameters.
    PointFigures figures{};
    std::string message{};           ///< The constraint that does not hold, why it failed, or what beats it.
    friend bool operator==(const StudyTableRow&, const StudyTableRow&) = default;
};
inline constexpr KeyTable<StudyTableRow::State, 5> kTableStates{{{"done", StudyTableRow::State::Done},
                                                                 {"infeasible", StudyTableRow::State::Infeasible},
                                                                 {"failed", StudyTableRow::State::Failed},
                                                                 {"open", StudyTableRow::State::Open},
                                                                 {"pruned", StudyTableRow::State::Pruned}}};

/// What a search did. Designs that were found in the store count like those that were simulated.
struct SearchTally {
    struct Rung {
        std::string_view fidelity; ///< "bound", "ideal", or the name of the model.
        std::int64_t designs = 0;
        friend bool operator==(const Rung&, const Rung&) = default;
    };
    std::int64_t simulated = 0;     ///< With their own model.
    std::int64_t byBounds = 0;      ///< Not simulated: what they can reach at best is beaten.
    std::int64_t byConstraints = 0; ///< Not simulated: a constraint rules them out.
    std::vector<Rung> rungs;        ///< Of successive halving, in order.
    bool whole = true;              ///< Else what it asks for next is not kept.
};

struct StudyTable {
    std::vector<StudyTableRow> rows;  ///< By number. Of a search those it decided on.
    std::vector<std::size_t> front;   ///< Rows that no other beats in all objectives; of those that are done.
    std::optional<SearchTally> search{};
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

/// What is kept of a design as a row of the table; null: it is open.
StudyTableRow tableRowOf(const PointRunner& runner, std::int64_t number, const std::vector<ParameterChoice>& choices, const PointRow* kept);

/// What is minimised, and what is maximised below zero; nothing where a figure is not known.
std::optional<std::vector<double>> soughtOf(const StudySpec& space, const PointFigures& figures);

/// Rows that no other beats in all objectives, of those that are done. Ascending.
std::vector<std::size_t> frontOf(const StudySpec& space, const std::vector<StudyTableRow>& rows, const std::stop_token& stop = {});

/// Runs the designs of a study that the store does not have; of a search those it asks for (searchrun.h), which has no shards. What is done is kept also where it ends early; nothing that is kept runs again. The answer does not depend
/// on threads, shards or interruptions. `progress`: how far it came, also after an error. Errors: Cancelled, MemoryLimit, those of the store.
Result<StudyTable> runSpace(const StudySpec& space, PointRunner& runner, RunStore& store, const SpaceRunOptions& options, StudyProgress& progress, const std::stop_token& stop);

/// The table of what a store has, all designs of the study; those that it has not are open.
Result<StudyTable> tableOf(const StudySpec& space, PointRunner& runner, const RunStore& store, int threads, const std::stop_token& stop);

} // namespace fabricscope
