#pragma once

#include "core/base/digest.h"
#include "core/cost/checkpointing.h"
#include "core/study/designspace.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// What came out of one design. A plain value.
struct PointRow {
    enum class State : std::uint8_t {
        Done,    ///< Simulated.
        Skipped, ///< A constraint rules it out before it is simulated.
        Failed   ///< It cannot be run; `message` says why.
    };
    State state = State::Done;
    std::string message{};
    PointFigures figures{};
    friend bool operator==(const PointRow&, const PointRow&) = default;
};
inline constexpr KeyTable<PointRow::State, 3> kPointStates{{{"done", PointRow::State::Done}, {"skipped", PointRow::State::Skipped}, {"failed", PointRow::State::Failed}}};

/// A design of a study that was read, and what its run is known by.
struct StudyPoint {
    std::vector<ParameterChoice> choices;
    std::optional<LoadedDesign> design{}; ///< Absent: `row` says why.
    std::optional<CostConfig> costs{};
    Digest hash;                          ///< Of all that decides the figures: the fields, the content of files, the version of the program.
    PointRow row{};
};

/// With which rules a design is run.
enum class PointFidelity : std::uint8_t {
    Own,  ///< Of its own model.
    Ideal ///< Of model `ideal`, where nothing waits for links: another design, kept by itself.
};

/// What is known of a design before it runs.
struct PointOutlook {
    bool runs = false;                 ///< Else it cannot be run, and nothing is known but perhaps that it need not.
    PointFigures figures{};            ///< As they will be.
    std::optional<double> leastTime{}; ///< No step_time is below, ps.
    std::optional<bool> feasible{};    ///< Absent: a constraint asks for what only a run tells.
};

/// Reads and runs designs of a study. Safe to call from several threads; the answer does not depend on them.
class PointRunner {
public:
    /// `version`: of the program, part of every hash. \pre `space` outlives it.
    PointRunner(const StudySpec& space, std::string version);

    /// Error: Cancelled.
    Result<StudyPoint> read(std::int64_t number, const std::stop_token& stop, PointFidelity fidelity = PointFidelity::Own);
    /// Nothing of a design that cannot be run. Errors: Cancelled, MemoryLimit.
    Result<PointOutlook> outlook(const StudyPoint& point, const std::stop_token& stop) const;
    /// Error: Cancelled, MemoryLimit.
    Result<PointRow> run(const StudyPoint& point, const std::stop_token& stop) const;
    /// Whether constraints hold; nothing of a design whose figures they need are not known. `unmet`: takes the text of the first that does not hold.
    std::optional<bool> isFeasible(const std::vector<ParameterChoice>& choices, const PointFigures& figures, std::string* unmet = nullptr) const;

    /// A constraint on parameters alone rules a design out, whether it could be run or not.
    bool isRuledOutByNames(const std::vector<ParameterChoice>& choices, std::string* unmet = nullptr) const;

    /// Those of a run that are known without it.
    static PointFigures knownBefore(const PointFigures& figures);

private:
    Result<Digest> digestOfFileOnce(const std::string& path, const std::stop_token& stop);
    /// PREFIX.RANK.et, .json or .et.gz of all ranks.
    Result<Digest> digestOfTracesOnce(const std::string& prefix, const std::stop_token& stop);
    Result<PointRow> runDesign(const StudyPoint& point, const std::stop_token& stop) const;
    Status addPlatformFigures(const StudyPoint& point, PointFigures& figures, const std::stop_token& stop) const;
    void addBill(const StudyPoint& point, PointFigures& figures) const;

    const StudySpec& m_space;
    std::string m_version;
    bool m_wantsParts;
    bool m_prunes; ///< A constraint can rule out a design before it is simulated.
    bool m_bounds; ///< The least time of a design says something: it is minimised.
    std::mutex m_lock;
    std::map<std::string, Digest> m_files;
};

} // namespace fabricscope
