#pragma once

#include "core/run/rundesign.h"
#include "core/step/collectivereplay.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// A collective that can be stepped through.
struct LoadedSteps {
    CollectiveReplayPtr replay;
    /// Every rank ends with what the collective promises; absent: not checked.
    std::optional<bool> verified;
    /// Of its program: takes time to find out, so the thread that prepares the steps does.
    Digest program = {};
};

/// Of the program of this collective; of none where it has none. O(program).
Digest programDigest(const Scenario& scenario, std::int32_t instance);

/// Collectives that were prepared before, so that going back to one, running a design again and taking an edit back do not simulate it again.
/// Holds the last used: at most kMostBytes of moves, of at most kMostRuns runs, whose scenarios they keep. For one thread; what it holds never changes.
class PreparedSteps {
public:
    static constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
    static constexpr std::size_t kMostRuns = 3; ///< As many as ResultHistory compares: the current one, a baseline, the one before a gesture.

    explicit PreparedSteps(std::int64_t mostBytes = kMostBytes) : m_mostBytes(mostBytes) {}

    /// The steps of the collective in this run, or in one that went the same and shares its program.
    std::optional<LoadedSteps> find(const RunResult& run, std::int32_t instance);
    /// Those of a run that went the same; they are of this run too if its program has the digest they have. O(layout of the group).
    std::optional<LoadedSteps> findLike(const RunResult& run, std::int32_t instance);
    void keep(const RunResult& run, std::int32_t instance, const LoadedSteps& steps);
    void clear() { m_entries.clear(); }
    std::int64_t bytes() const;

private:
    struct Entry {
        ScenarioPtr scenario;
        std::string design;  ///< Its hash. Empty: it matches in its own run only.
        Digest fingerprint;
        std::int32_t instance = 0;
        LoadedSteps steps;
        std::int64_t bytes = 0;
    };
    template <class Fits>
    std::optional<LoadedSteps> firstThat(const Fits& fits);
    static bool isLike(const Entry& entry, const RunResult& run, std::int32_t instance);
    static bool isOf(const Entry& entry, const RunResult& run, std::int32_t instance);
    std::size_t runs() const;

    std::int64_t m_mostBytes;
    std::vector<Entry> m_entries; // Last used first.
};

} // namespace fabricscope
