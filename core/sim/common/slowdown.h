#pragma once

#include "core/base/index.h"
#include "core/scenario/computeparams.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope {

/// Computation while collectives are under way on the same NPU (SlowdownConfig).
///
/// A collective is under way on a rank from the instant it enters it to the one it is done with it; n at once take sm = min(n * sm_share, most_share) of
/// the peak and bw = min(n * bandwidth_share, most_share) of the memory bandwidth. A task of the compute slot has two bounds (ComputeWork), and its work
/// is what is left of each: operationsPs * 10^6 and bytesPs * 10^6 units. In every ps 10^6 (1 - sm) units of the first and 10^6 (1 - bw) of the second are
/// done, in integers; the task ends at the first whole ps at which nothing is left of both. So with a steady n it takes
/// max(ceil(operationsPs / (1 - sm)), ceil(bytesPs / (1 - bw))), and with changes exactly what the pieces add up to. Tasks of the host are not slowed down.
///
/// The way back, reducer_loss: a piece that reaches the reducer of an NPU that computes is reduced at the rate M (1 - reducer_loss), rounded down.
class Slowdown {
public:
    Slowdown(const ComputeParams& params, std::int32_t ranks)
        : m_params(params)
        , m_ranks(static_cast<std::size_t>(ranks))
    {
    }

    /// A task and when it ends as things are now.
    using End = std::pair<TaskIndex, std::int64_t>;

    /// A task starts; returns when it ends if nothing changes. \pre work.duration() > 0
    std::int64_t begin(std::int32_t rank, TaskIndex task, const ComputeWork& work, std::int64_t now);
    /// `by` more collectives are under way on the rank. Appends the tasks that now end at another instant.
    void collectives(std::int32_t rank, std::int32_t by, std::int64_t now, std::vector<End>& moved);
    /// An end told earlier has come. False: it has been moved since, or has been told already.
    bool ends(std::int32_t rank, TaskIndex task, std::int64_t now);
    bool computes(std::int32_t rank) const { return !m_ranks[at(rank)].running.empty(); }
    /// Rate of a reducer beside a computation.
    std::int64_t reducerRate(std::int64_t rate) const;
    bool slowsReducers() const { return m_params.reducerLoss > 0; }

private:
    __extension__ using Wide = __int128;
    struct Running {
        TaskIndex task = 0;
        std::int64_t since = 0;
        std::int64_t end = 0;
        Wide operations = 0; ///< Units left at `since`.
        Wide bytes = 0;
    };
    struct Rank {
        std::int32_t collectives = 0;
        std::vector<Running> running;
    };

    /// Units per ps.
    std::int64_t pace(std::int64_t share, std::int32_t collectives) const { return kMillion - std::min(share * collectives, m_params.mostShare); }
    std::int64_t endOf(const Running& running, std::int32_t collectives) const;

    const ComputeParams& m_params;
    std::vector<Rank> m_ranks;
};

} // namespace fabricscope
