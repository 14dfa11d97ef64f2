#include "core/sim/astra/phaseplan.h"

#include "core/base/index.h"
#include "core/base/integers.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace fabricscope {

namespace {

constexpr const char* kKeys[] = {"all-reduce-implementation", "all-gather-implementation", "reduce-scatter-implementation",
                                 "all-to-all-implementation"};

/// A logical dimension: what an entry of the implementation list stands for.
struct Axis {
    AstraAlgorithm use;
    std::int32_t physical = -1;
    std::int32_t logical = 0;
    std::int32_t size = 1;
    std::int32_t stride = 1;
};

Error refuse(std::string message, std::string field, std::string expected = {})
{
    Place place;
    place.field = std::move(field);
    return invalidInput(std::move(message), std::move(place), std::move(expected));
}

Result<std::vector<Axis>> axesOf(const AstraPlanRequest& request, const std::vector<AstraAlgorithm>& list, const std::string& key,
                                 const std::vector<AstraDimension>& dimensions, std::int64_t npus, Diagnostics& diagnostics)
{
    std::vector<Axis> axes;
    if (!request.whole) {
        AstraAlgorithm use = list.front();
        if (list.size() > 1)
            use = {};
        if (list.size() > 1 && list.front().algorithm != Algorithm::Ring)
            diagnostics.push_back(warning("small-group-ring",
                "a group smaller than the machine always runs ring when several dimensions are configured, as the reference does"));
        if (use.algorithm == Algorithm::DoubleBinaryTree)
            return refuse("doubleBinaryTree cannot run in a group smaller than the machine (the reference crashes)", key);
        axes.push_back({use, -1, 0, request.members, 1});
        return axes;
    }
    if (list.size() > dimensions.size())
        return refuse(std::to_string(list.size()) + " algorithms for " + std::to_string(dimensions.size()) + " dimensions", key,
                      "one per dimension");
    std::size_t covered = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        Axis axis{list[k], static_cast<std::int32_t>(k), static_cast<std::int32_t>(k), dimensions[k].size, dimensions[k].stride};
        const bool involved = request.involvedGiven ? (k < 32 && ((request.involved >> k) & 1U) != 0) : k < 4;
        if (list[k].one) {
            axis = {list[k], -1, axis.logical, static_cast<std::int32_t>(npus), 1};
            covered = dimensions.size();
        } else {
            ++covered;
        }
        if (!involved && !request.involvedGiven && axis.size > 1)
            diagnostics.push_back(warning("fifth-dimension", "dimension " + std::to_string(k)
                + " takes no part: the reference involves only the first four dimensions unless involved_dim says otherwise"));
        if (involved && axis.size > 1)
            axes.push_back(axis);
        if (list[k].one)
            break;
    }
    if (covered < dimensions.size())
        diagnostics.push_back(warning("short-algorithm-list", key + " lists " + std::to_string(list.size()) + " of "
            + std::to_string(dimensions.size()) + " dimensions: the others take no part, as in the reference"));
    return axes;
}

/// Every member's partner must have it as partner, else a message waits for ever.
bool pairsUp(std::int32_t size, std::int32_t offset)
{
    for (std::int32_t i = 0; i < size; ++i) {
        const std::int32_t partner = astraPartner(i, offset, size);
        if (partner == i || astraPartner(partner, offset, size) != i)
            return false;
    }
    return true;
}

Status fillHalvingDoubling(AstraPhase& phase, std::int64_t bytes, const std::string& key, Diagnostics& diagnostics)
{
    if (phase.kind == PhaseKind::AllToAll)
        return refuse("halvingDoubling cannot run an all-to-all", key, "ring or direct");
    const auto levels = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(phase.size))) - 1;
    for (std::int32_t k = 0; k < levels; ++k) {
        if (phase.kind == PhaseKind::AllGather) {
            phase.bytes.push_back(bytes << k);
            phase.offset.push_back(phase.size >> (k + 1));
        } else {
            phase.bytes.push_back(bytes >> (k + 1));
            phase.offset.push_back(1 << k);
        }
        if (!pairsUp(phase.size, phase.offset.back()))
            return Error{ErrorCode::Unsupported,
                         "halvingDoubling over " + std::to_string(phase.size) + " members, not a power of two, never ends in the reference",
                         refuse({}, key).place, "a power of two, or another algorithm"};
    }
    if (!isPowerOfTwo(phase.size))
        diagnostics.push_back(warning("halving-doubling-members", "halvingDoubling over " + std::to_string(phase.size)
            + " members, not a power of two: the time is the reference's, but not every member receives everything"));
    if (phase.kind == PhaseKind::AllReduce) {
        // The way back doubles what is left after one more halving: of a size that does not halve evenly it is not the first half mirrored.
        const std::int64_t left = phase.bytes.back() >> 1;
        if (left == 0)
            diagnostics.push_back(warning("empty-messages", "halvingDoubling sends messages of 0 bytes on its way back: the reference stops there"));
        for (std::int32_t k = levels; k-- > 0;) {
            phase.bytes.push_back(left << (levels - k));
            phase.offset.push_back(phase.offset[at(k)]);
        }
    }
    phase.sends = static_cast<std::int32_t>(phase.bytes.size());
    phase.sizeIndices = phase.sends;
    phase.charged = levels - 1;
    return {};
}

/// Of a ring all-to-all: in step k the blocks of all n - k members that are still further.
void bundle(AstraPhase& phase)
{
    const std::int64_t block = phase.bytes.front();
    phase.sends = phase.sizeIndices = phase.size - 1;
    phase.bytes.clear();
    for (std::int64_t blocks = phase.sends; blocks > 0; --blocks)
        phase.bytes.push_back(blocks * block);
}

/// Fills the numbers (manual: astra 6.1) for a phase which `bytes` enter.
Status fill(AstraPhase& phase, const Axis& axis, std::int64_t bytes, const AstraPlanRequest& request, const std::string& key, Diagnostics& diagnostics)
{
    const std::int32_t n = phase.size;
    const bool gathers = phase.kind == PhaseKind::AllGather;
    const bool twice = phase.kind == PhaseKind::AllReduce;
    switch (phase.algorithm) {
    case Algorithm::Ring:
        phase.bytes = {gathers ? bytes : bytes / n};
        phase.charged = n - 1;
        if (phase.kind == PhaseKind::AllToAll && n > 65536)
            return Error{ErrorCode::Unsupported, "ring all-to-all over " + std::to_string(n) + " members", refuse({}, key).place,
                         "at most 65536 members, or direct"};
        phase.sends = phase.kind == PhaseKind::AllToAll ? static_cast<std::int32_t>(std::int64_t{n} * (n - 1) / 2) : (twice ? 2 : 1) * (n - 1);
        if (phase.kind == PhaseKind::AllToAll && request.bundledRings)
            bundle(phase);
        return {};
    case Algorithm::Direct:
        if (axis.use.window == 0)
            return refuse("direct with a window of 0 messages never starts", key, "a window of at least 1");
        phase.window = axis.use.window > 0 ? std::min(axis.use.window, n - 1) : n - 1;
        phase.bytes = {gathers ? bytes : bytes / n};
        phase.charged = request.whole ? phase.window : static_cast<std::int32_t>(std::min<std::int64_t>(std::int64_t{n - 1} * phase.window, INT32_MAX));
        phase.sends = (twice ? 2 : 1) * (n - 1);
        phase.manyBoxes = true;
        return {};
    case Algorithm::HalvingDoubling:
        return fillHalvingDoubling(phase, bytes, key, diagnostics);
    case Algorithm::InNetwork:
        return refuse("ASTRA-sim knows no switches that reduce or copy", key, "ring, direct, halvingDoubling or doubleBinaryTree");
    case Algorithm::DoubleBinaryTree:
        break;
    default:
        return refuse("ASTRA-sim has no " + std::string(algorithmKey(phase.algorithm)), key, "ring, direct, halvingDoubling or doubleBinaryTree");
    }
    if (!isPowerOfTwo(n))
        return Error{ErrorCode::Unsupported, "doubleBinaryTree over " + std::to_string(n) + " members (the reference crashes)",
                     refuse({}, key).place, "a power of two"};
    if (phase.kind != PhaseKind::AllReduce)
        diagnostics.push_back(warning("tree-is-all-reduce", "doubleBinaryTree runs an all-reduce whatever collective it is configured for"));
    phase.bytes = {bytes};
    return {};
}

struct Planner {
    const AstraPlanRequest& request;
    const AstraSystem& system;
    const std::vector<AstraDimension>& dimensions;
    const std::string key;
    AstraPlan plan;

    /// Adds a phase which `bytes` enter; afterwards they are what it hands on.
    Status add(PhaseKind kind, const Axis& axis, std::int64_t& bytes, AstraPhase::Queues queues = AstraPhase::Queues::All)
    {
        AstraPhase phase;
        phase.kind = kind;
        phase.algorithm = axis.use.algorithm;
        phase.queues = queues;
        phase.dimension = axis.physical;
        phase.queueDimension = axis.logical;
        phase.size = axis.size;
        phase.stride = axis.stride;
        if (auto status = fill(phase, axis, bytes, request, key, plan.diagnostics); !status)
            return status;
        if (axis.use.algorithm != Algorithm::DoubleBinaryTree && kind != PhaseKind::AllGather && bytes % axis.size != 0)
            plan.diagnostics.push_back(warning("remainder-dropped", std::to_string(bytes) + " bytes of a chunk are no multiple of the "
                + std::to_string(axis.size) + " members: the remainder is not sent, as in the reference"));
        for (const std::int64_t size : phase.bytes) {
            phase.reduce.push_back(astraReduction(system, size));
            if (phase.dimension >= 0)
                phase.wire.push_back(static_cast<double>(size) / dimensions[at(phase.dimension)].bytesPerNs);
        }
        plan.usesTree = plan.usesTree || phase.algorithm == Algorithm::DoubleBinaryTree;
        if (phase.manyBoxes) {
            phase.firstBox = plan.manyBoxes;
            plan.manyBoxes += static_cast<std::uint32_t>(phase.size);
        } else {
            phase.firstBox = plan.boxes;
            // Ring: one per way round. Halving-doubling: one per distance. Tree: left, right, parent.
            plan.boxes += phase.algorithm == Algorithm::Ring ? 2U
                : phase.algorithm == Algorithm::HalvingDoubling ? static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(phase.size)))
                                                                : 3U;
        }
        const std::int64_t sends = phase.algorithm == Algorithm::DoubleBinaryTree ? 2 : phase.sends;
        plan.messages += sends * request.members;
        plan.phases.push_back(std::move(phase));
        if (axis.use.algorithm == Algorithm::DoubleBinaryTree)
            return {}; // an all-reduce whatever the phase is
        if (kind == PhaseKind::ReduceScatter)
            bytes /= axis.size;
        else if (kind == PhaseKind::AllGather)
            bytes *= axis.size;
        return {};
    }

    Status phases(const std::vector<Axis>& axes)
    {
        using Queues = AstraPhase::Queues;
        std::int64_t bytes = plan.chunkBytes;
        if (request.wholeShares && request.op != CollectiveOp::AllGather)
            bytes -= bytes % request.members;
        switch (request.op) {
        case CollectiveOp::ReduceScatter:
            for (const Axis& axis : axes) {
                if (auto status = add(PhaseKind::ReduceScatter, axis, bytes); !status)
                    return status;
            }
            return {};
        case CollectiveOp::AllGather:
            for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
                if (auto status = add(PhaseKind::AllGather, *axis, bytes); !status)
                    return status;
            }
            return {};
        case CollectiveOp::AllToAll:
            for (const Axis& axis : axes) {
                if (auto status = add(PhaseKind::AllToAll, axis, bytes); !status)
                    return status;
            }
            return {};
        default:
            break;
        }
        if (request.splitAllReduce && std::none_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.use.algorithm == Algorithm::DoubleBinaryTree; })) {
            for (const Axis& axis : axes) {
                if (auto status = add(PhaseKind::ReduceScatter, axis, bytes, Queues::FirstHalf); !status)
                    return status;
            }
            for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
                if (auto status = add(PhaseKind::AllGather, *axis, bytes, Queues::SecondHalf); !status)
                    return status;
            }
            return {};
        }
        if (!system.localBandwidthAware) {
            for (const Axis& axis : axes) {
                if (auto status = add(PhaseKind::AllReduce, axis, bytes); !status)
                    return status;
            }
            return {};
        }
        for (std::size_t k = 0; k + 1 < axes.size(); ++k) {
            if (auto status = add(PhaseKind::ReduceScatter, axes[k], bytes, Queues::FirstHalf); !status)
                return status;
        }
        if (auto status = add(PhaseKind::AllReduce, axes.back(), bytes, Queues::FirstHalf); !status)
            return status;
        for (std::size_t k = axes.size() - 1; k-- > 0;) {
            if (auto status = add(PhaseKind::AllGather, axes[k], bytes, Queues::SecondHalf); !status)
                return status;
        }
        return {};
    }
};

} // namespace

std::int64_t astraReduction(const AstraSystem& system, std::int64_t bytes)
{
    if (system.localMemoryGBps <= 0)
        return 0;
    return 3 * astraTruncate(1e9 * static_cast<double>(bytes) / (system.localMemoryGBps * 1e9));
}

AstraTreeNode astraTreeNode(std::int32_t member, std::int32_t size, bool second)
{
    // Numbers 1..size-1 are the perfect tree in order; the extra root is `size` in the first tree and 0 in the second.
    const std::int32_t number = second ? member : member + 1;
    const std::int32_t shift = second ? 0 : 1;
    const std::int32_t root = second ? 0 : size;
    const std::int32_t top = size / 2;
    AstraTreeNode node;
    if (number == root) {
        node.left = top - shift;
        return node;
    }
    const std::int32_t low = number & -number;
    node.parent = (number == top ? root : ((number - low) | (2 * low))) - shift;
    if (low > 1) {
        node.left = number - low / 2 - shift;
        node.right = number + low / 2 - shift;
    }
    return node;
}

Result<std::shared_ptr<const AstraPlan>> planAstra(const AstraPlanRequest& request, const AstraSystem& system,
                                                   const std::vector<AstraDimension>& dimensions, std::int64_t npus)
{
    const std::optional<AstraCollective> collective = configuredCollective(request.op);
    if (!collective)
        return Error{ErrorCode::Unsupported, std::string(collectiveKey(request.op)) + " cannot be simulated by astra-*", {},
                     "all_reduce, all_gather, reduce_scatter, all_to_all or broadcast"};
    const auto kind = static_cast<std::size_t>(*collective);
    const std::string key = kKeys[kind];
    const std::vector<AstraAlgorithm>& list = system.implementations[kind];
    if (list.empty())
        return refuse("the system file gives no algorithm for this collective", key, "a list with one algorithm per dimension");
    if (system.splits <= 0)
        return refuse("the number of chunks is missing", "preferred-dataset-splits", "at least 1");
    constexpr std::int64_t kLargest = std::int64_t{1} << 53;
    if (request.bytes < 0 || request.bytes > kLargest)
        return refuse("a size of " + std::to_string(request.bytes) + " bytes", "comm_size", "at most 2^53 bytes over all members");

    Planner planner{request, system, dimensions, key, {}};
    AstraPlan& plan = planner.plan;
    plan.op = request.op;
    plan.members = request.members;
    plan.handlingNs = system.endpointDelayNs;
    if (system.endpointDelayGiven)
        plan.handlingNs = static_cast<std::int64_t>(static_cast<double>(plan.handlingNs) * system.injectionScale);
    if (!request.whole)
        plan.handlingNs = 10;
    if (request.noHandling)
        plan.handlingNs = 0;
    if (plan.handlingNs < 0)
        return refuse("a negative delay", "endpoint-delay", "0 or more ns");

    auto axes = axesOf(request, list, key, dimensions, npus, plan.diagnostics);
    if (!axes)
        return axes.error();
    if (request.members < 2)
        axes.value().clear();
    const bool gathers = request.op == CollectiveOp::AllGather;
    std::int64_t size = gathers ? request.bytes / request.members : request.bytes;
    if (gathers && request.bytes % request.members != 0)
        plan.diagnostics.push_back(warning("remainder-dropped", std::to_string(request.bytes) + " bytes are no multiple of the "
            + std::to_string(request.members) + " members: the remainder is not gathered, as in the reference"));
    plan.chunkBytes = size / system.splits;
    if (!gathers && plan.chunkBytes < npus) {
        plan.chunkBytes = npus;
        size = system.splits * npus;
        plan.diagnostics.push_back(warning("chunks-raised", std::to_string(request.bytes) + " bytes in " + std::to_string(system.splits)
            + " chunks: each counts as " + std::to_string(npus) + " bytes, one per NPU, as in the reference"));
    }
    if (axes.value().empty() || plan.chunkBytes == 0) {
        plan.diagnostics.push_back(warning("nothing-to-do", std::string(request.members < 2 ? "a group of one member"
            : plan.chunkBytes == 0 ? "an all-gather of fewer bytes than chunks" : "a collective over no dimension")
            + " never ends in the reference; it takes no time here"));
        return std::make_shared<const AstraPlan>(std::move(plan));
    }
    plan.chunks = size / plan.chunkBytes + (size % plan.chunkBytes != 0 ? 1 : 0);
    if (size % plan.chunkBytes != 0)
        plan.diagnostics.push_back(warning("last-chunk-full", "the size is no multiple of the chunk: the last of "
            + std::to_string(plan.chunks) + " chunks counts in full, as in the reference"));
    if (auto status = planner.phases(axes.value()); !status)
        return status.error();
    plan.messages = plan.chunks < (std::int64_t{1} << 30) && plan.messages < (std::int64_t{1} << 32) ? plan.messages * plan.chunks
                                                                                                    : std::int64_t{1} << 62;
    if (system.localMemoryGBps <= 0 && (request.op == CollectiveOp::AllReduce || request.op == CollectiveOp::ReduceScatter))
        plan.diagnostics.push_back(warning("no-local-mem-bw", "local-mem-bw is missing: reductions cost nothing"));
    return std::make_shared<const AstraPlan>(std::move(plan));
}

} // namespace fabricscope
