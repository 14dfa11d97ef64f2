#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fabricscope::test {

/// A scenario of model links or ideal as plain lists, small enough to print, shrink and relabel; `build` makes the Scenario.
struct CaseSpec {
    struct Dim {
        Shape shape = Shape::Ring;
        std::int32_t size = 1;
        std::int64_t rate = 1;      ///< B/s per link.
        std::int64_t latencyPs = 1; ///< 0 is read as 1.
    };
    struct Link {
        NodeId from = 0;
        NodeId to = 0;
        std::int64_t rate = 1;
        std::int64_t latencyPs = 1;
    };
    struct Override {
        LinkId link = 0;
        std::int64_t rate = 1;
        std::int64_t latencyPs = 1;
    };
    /// An operation of an explicit program, in an order in which each comes after all it depends on.
    struct Op {
        std::int32_t position = 0;
        OpKind kind = OpKind::Compute;
        std::int32_t peer = -1;
        std::int32_t connection = 0;
        std::int32_t lane = -1;
        std::int32_t chunk = -1;
        std::int32_t count = 0;
        std::int64_t bytes = 0;
        std::int64_t duration = 0;
        std::int32_t step = 0;
        std::int32_t slot = 0;
        std::int32_t transfer = -1;       ///< The same number at send and receive.
        bool fused = false;               ///< One step with the operation before it on the same position.
        std::int32_t via = -1;            ///< Send: goes by way of the NPU of this position; -1, or one of its ends: as the platform routes.
        std::vector<std::size_t> depends; ///< Earlier operations of the same position.
    };
    /// One collective every group of a family runs.
    struct Call {
        CollectiveOp op = CollectiveOp::AllReduce;
        std::int64_t bytes = 0;
        std::int32_t priority = 0;
        std::int64_t replayPs = -1;
        std::int32_t chunks = 1;
        std::int32_t window = 0;
        std::map<std::int32_t, TemplateBody> body;  ///< By group size; neither body nor ops: the instance has no program.
        std::map<std::int32_t, std::vector<Op>> ops; ///< By group size: an explicit program instead.
        std::vector<std::int64_t> weights;           ///< Of the chunks of explicit programs.
        std::int32_t slotCount = 0;                  ///< Per connection of explicit programs; 0: unlimited.
    };
    struct Family {
        std::vector<std::vector<std::int32_t>> groups; ///< Members in position order.
        std::vector<Call> calls;
    };
    struct Task {
        TaskKind kind = TaskKind::Compute;
        std::uint8_t flags = 0;
        std::int64_t durationPs = -1;
        std::int64_t durationUs = 0;
        std::int64_t operations = 0;
        std::int64_t bytes = 0;
        std::int32_t family = 0;
        std::int32_t call = 0;
        std::int32_t peer = 0;
        std::uint32_t tag = 0;
        std::vector<TaskIndex> depends;
    };

    Model model = Model::Links;
    std::vector<Dim> dims;
    std::vector<NodeKind> nodes; ///< Explicit graph when not empty.
    std::vector<Link> links;
    std::vector<Override> overrides;
    std::vector<double> speeds;                ///< By node; empty: 1.
    std::map<NodeId, std::int64_t> crossbars;  ///< Switches of the graph that limit what passes through, B/s.
    std::map<NodeId, std::int64_t> reducers;   ///< Nodes whose reducer has its own rate, B/s.
    std::vector<std::vector<NodeId>> jobs;     ///< Node of every rank, job by job.
    std::vector<Family> families;              ///< [0] is the world.
    std::vector<std::vector<Task>> tasks;      ///< [rank][task].
    std::optional<std::int64_t> reducerRate;   ///< B/s.
    std::optional<std::int64_t> injection;
    std::optional<std::int64_t> ejection;
    std::optional<std::int64_t> peak;
    std::optional<std::int64_t> memoryRate;
    std::optional<std::int64_t> remoteBytesPerNs; ///< Remote memory of its own for every NPU.
    std::int64_t remoteLatencyNs = 0;
    bool roofline = false;
    bool replayOnly = false;
    std::int64_t endpointDelayPs = 0;
    std::int64_t pieceBytes = 256 * 1024;

    std::int32_t rankCount() const { return static_cast<std::int32_t>(tasks.size()); }
    /// Several lines that say everything needed to build it again by hand.
    std::string text() const;
};

/// The scenario. Errors: what Platform, Placement and GroupFamily refuse.
Result<Scenario> build(const CaseSpec& spec);

/// One collective of all ranks, rank r on node r. `body` over axes that multiply to the number of NPUs.
CaseSpec worldCollective(std::vector<CaseSpec::Dim> dims, CollectiveOp op, std::int64_t bytes, std::int32_t chunks, TemplateBody body);

/// Reduce-scatter up the axes, all-gather down, or one half, or all-to-all up, `algorithms` by axis. Axes of size 1 are left out.
TemplateBody standardBody(CollectiveOp op, const std::vector<std::int32_t>& extents, const std::vector<Algorithm>& algorithms);

/// What a random case may contain.
struct RandomLimits {
    std::int32_t maxNpus = 24;
    std::int32_t maxTasks = 12;     ///< Per rank, about.
    bool ties = false;              ///< Equal links, round sizes, no skew: every instant has ties.
    bool explicitGraph = false;
    bool crossbars = false;         ///< With explicitGraph: most switches limit what passes through.
    bool grid = false;              ///< With `ties`: every latency, piece and compute lasts 500 ns, so that different ways end together.
    bool odd = false;               ///< Also what is rare: rates above 1 B/ps, remote memory, sends of one tag in any order.
    bool explicitPrograms = false;
    bool programParts = false;      ///< With explicitPrograms: fused groups, routes of their own, weighted chunks, slots.
    bool plain = false;             ///< Nothing that relabel() refuses: no overrides, no speeds, no reducers of their own, one job.
};

/// A random case; the same seed gives the same case everywhere.
CaseSpec randomCase(std::uint64_t seed, const RandomLimits& limits);

/// The same machine and work with ranks and nodes renamed: rank r becomes ranks[r], node n becomes nodes[n].
/// \pre no explicit graph, no overrides, no speeds, no `reducers`; `nodes` is a cyclic shift in every dimension; one job.
CaseSpec relabel(const CaseSpec& spec, const std::vector<std::int32_t>& ranks, const std::vector<NodeId>& nodes);

} // namespace fabricscope::test
