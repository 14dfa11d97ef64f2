#pragma once

#include "core/base/result.h"
#include "core/platform/platform.h"
#include "core/program/collectiveop.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

namespace fabricscope {

/// Least time a collective can take on a platform, whatever its algorithm (manual: synthesis 1). Rules of the model `links`; they hold
/// under `flow` too, and all but the bandwidth term under `ideal`.
///
/// Cuts: what must leave a set S of vertices (NPUs and switches) takes at least its bytes over the rate of the links that leave S. With p
/// members and shards of M / p bytes, S with s members inside:
///
/// | collective | must leave S |
/// |---|---|
/// | all-gather | s shards where a member is outside |
/// | reduce-scatter, scatter | p - s shards where a member (scatter: the root) is inside |
/// | gather | s shards where the root is outside |
/// | broadcast, reduce | M where the root (reduce: any member) is inside and a member (reduce: the root) is outside |
/// | all-to-all | s (p - s) shards |
/// | all-reduce | M; and by a partition in k parts with members, where no switch can reduce or copy: 2 (k - 1) M leave all parts together |
///
/// (The last: k partial sums can meet on all parts in no fewer than 2 (k - 1) messages, as in one-way gossip, Harary and Schwenk 1974.)
/// Reducers and endpoint delays are left out: the bound holds with them too.
struct CollectiveBound {
    /// Of an empty message from the farthest member that must be heard. (Rounds by ports bind nothing more: a rank may start any number of
    /// empty messages at once.)
    std::int64_t latencyPs = 0;
    std::int64_t bandwidthPs = 0;  ///< Bytes over the narrowest cut, rounded down.
    /// Largest bound that is proven for both together; at least the larger of the two. For a cut with links i of rate r_i: the least T with
    /// sum of r_i max(0, T - l_i) >= bytes that must cross it, where l_i is the least latency from a member that has data inside, over link i,
    /// to one that wants them outside. Where all l_i are alike that is l + bytes / rate.
    ///
    /// Proof: what leaves a member at 0 or later reaches link i no earlier than the latencies before it, so the link (or budget) works on bytes that
    /// cross the cut from then on; its last such byte leaves it when that work is done, and is where it is wanted only after its own latency and
    /// those behind (heads and tails both pay every latency on their way). What is there at T was therefore worked on for T - l_i at most, at r_i.
    /// Bytes that cross too late to be of use by T need not be counted; a relay by a member inside or outside only adds latency.
    std::int64_t timePs = 0;
    bool exact = false;            ///< The bandwidth term is the optimum over all cuts (max-flow), not only of the cuts looked at.
    std::string cut;               ///< Where it binds, for people: "dimension 1 of every NPU", "gpu0, gpu3 | rest".
    /// Rate of the binding cut as a fraction in bytes of one shard per second (numerator / denominator), in lowest terms; 0/1: none.
    /// Broadcast, reduce, all-reduce: of all bytes instead of a shard.
    std::int64_t shardRateNumerator = 0;
    std::int64_t shardRateDenominator = 1;
};

/// Blocks of a group whose cuts to the rest are looked at, as hosts or units (manual: collectives 5.5; core/hierarchy finds them). Whatever the blocks are,
/// the bound holds.
struct BoundLevel {
    std::string name;                  ///< Of one block, for people: "host".
    std::vector<std::int32_t> blockOf; ///< By member its block, 0 to the greatest without gaps.
};

/// Which links the bytes of a group may take.
enum class BoundScope : std::uint8_t {
    Platform, ///< All: holds for every algorithm with any routes.
    /// Those on the routes of Platform::route between members. Tighter for groups inside a larger fabric; holds where messages go by RoutePolicy
    /// other than Table and no link or NPU is down. Explicit graphs: all links.
    Routes
};

/// Links times members up to which cuts are searched by max-flow: about a second. Beyond it closed forms, the links of single NPUs and the blocks of levels remain.
constexpr std::int64_t kBoundWork = 4'000'000;

/// `members`: different NPUs of the group, at least 2, none removed. `bytes`: the large side. `root`: position in `members`.
/// A bound of 0 for barriers, custom collectives and 0 bytes; shards are bytes / members rounded down.
/// Exact for graphs up to a few thousand links; dimension-based platforms by closed form where all links of a dimension are alike (then of
/// any size, O(2^dimensions)). All-to-all is never exact, all-reduce is where reduce-scatter and all-gather reach it.
/// `levels`: blocks of members on an explicit graph (with dimensions they are those along dimensions already). Of each level all blocks are looked at, one by
/// one and, for all-reduce, as a partition; every NPU may pass on. Where the search is exact without them they change nothing. O(links) for each level, and
/// max-flows within what is nearest to each block. Errors: Cancelled.
Result<CollectiveBound> collectiveBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes,
                                        std::int32_t root = 0, const std::stop_token& stop = {});
Result<CollectiveBound> collectiveBound(const Platform& platform, std::span<const NodeId> members, CollectiveOp op, std::int64_t bytes,
                                        std::int32_t root, BoundScope scope, const std::stop_token& stop = {}, std::int64_t maxWork = kBoundWork,
                                        std::span<const BoundLevel> levels = {});

/// Text that is the same for groups with the same bound of a collective without a root: where dimensions are alike, what the group spans; else its members.
std::string boundShape(const Platform& platform, std::span<const NodeId> members, BoundScope scope);

} // namespace fabricscope
