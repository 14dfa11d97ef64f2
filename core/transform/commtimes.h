#pragma once

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/transform/tensorfile.h"
#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>

namespace fabricscope::transform {

/// How long a collective takes, and by what.
struct CommTime {
    SimTime time;
    std::string algorithm; ///< "ring", "ring x direct", "double_binary_tree".
};

/// Times of communication by simulation on the platform of the file (manual: transform 4). Every different question is simulated once.
class CommTimes {
public:
    /// \param setup outlives this
    CommTimes(const TimingSetup& setup, std::int32_t ranks, std::int32_t groups, std::stop_token stop) : m_setup(setup), m_ranks(ranks), m_groups(groups), m_stop(std::move(stop)) {}

    /// A collective of every group at once. `bytes`: the large side. A scalar takes the fastest way whatever the file says.
    /// Errors: those of preparing and simulating.
    Result<CommTime> collective(Op op, std::int64_t bytes, bool scalar = false);
    /// Every rank of a group sends `bytes` to the rank of its number in the next group.
    Result<SimTime> send(std::int64_t bytes);
    /// From now on this ends simulations that take long.
    void setStop(std::stop_token stop) { m_stop = std::move(stop); }
    /// Simulations so far.
    std::size_t simulated() const { return m_simulated; }

private:
    Result<CommTime> compute(CollectiveOp op, std::int64_t bytes, bool choose);
    Result<CommTime> chosen(CollectiveOp op, std::int64_t bytes, bool anyRules);
    Result<CommTime> forced(CollectiveOp op, std::int64_t bytes, const std::string& word, const std::string& name);
    Result<SimTime> finishOf(const Design& design);
    Design designOf(CollectiveOp op, std::int64_t bytes) const;
    std::optional<double> efficiencyOf(const std::string& algorithm) const;

    const TimingSetup& m_setup;
    std::int32_t m_ranks;
    std::int32_t m_groups;
    std::stop_token m_stop;
    std::map<std::tuple<CollectiveOp, std::int64_t, bool>, CommTime> m_known;
    std::map<std::int64_t, SimTime> m_sends;
    std::size_t m_simulated = 0;
};

/// The same figures with collectives by this algorithm (empty: as they are), sent by this protocol (empty: as they are; "Simple", "LL", "LL128") and on so many channels.
TimingSetup withSettings(TimingSetup setup, const std::string& algorithm, const std::string& protocol, std::optional<std::int32_t> channels);

/// The word of an algorithm in designs; "tree" is short for double_binary_tree. Empty: there is none of this name.
std::string algorithmWord(const std::string& name);

} // namespace fabricscope::transform
