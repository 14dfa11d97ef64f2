#pragma once

#include "core/insight/criticalpath.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>

namespace fabricscope {

/// The scenario with one of its collectives and nothing else: its members issue it at 0. \pre the instance has a program
Scenario collectiveAlone(const Scenario& scenario, std::int32_t instance);

/// Puts in place of collectives that count as a whole what they take message by message: each is simulated alone. What it took longer than that,
/// it waited for links that other collectives had. Collectives of more than `kMostAlone` messages, or beyond so many in all, stay whole.
class AlonePaths {
public:
    static constexpr std::int64_t kMostAlone = std::int64_t{1} << 20;

    explicit AlonePaths(const Scenario& scenario, std::stop_token stop) : m_scenario(scenario), m_stop(std::move(stop)) {}

    /// The path with them. Sums stay. Told to stop: throws StopRequested.
    CriticalPath refined(CriticalPath path);
    std::int64_t refinedCount() const { return m_count; }

private:
    struct Alone {
        bool known = false;
        Scenario scenario;
        RunRecord record;
        MessageLog log{0};
    };
    const Alone* aloneOf(std::int32_t instance);
    bool addAlone(const PathPiece& whole, std::vector<PathPiece>& pieces);

    const Scenario& m_scenario;
    std::stop_token m_stop;
    std::int64_t m_messages = 0;
    std::int64_t m_count = 0;
    std::map<std::tuple<const Program*, std::int64_t, std::int32_t, std::int32_t>, std::unique_ptr<Alone>> m_alone; ///< By program, bytes, layout and rule.
};

} // namespace fabricscope
