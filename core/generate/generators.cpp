#include "core/base/stop.h"
#include "core/generate/families.h"

#include <algorithm>
#include <array>

namespace fabricscope {

namespace {

using enum CollectiveOp;
using namespace generate;

constexpr std::array kVector{AllReduce, ReduceScatter, AllGather};
constexpr std::array kVectorAndAllToAll{AllReduce, ReduceScatter, AllGather, AllToAll};
constexpr std::array kEverywhere{AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast};
constexpr std::array kInSwitches{AllReduce, ReduceScatter, AllGather, Broadcast};
constexpr std::array kAllReduceOnly{AllReduce};
constexpr std::array kDoubling{AllReduce, AllGather};
constexpr std::array kBruckOps{AllGather, AllToAll};
constexpr std::array kRooted{Broadcast, Reduce, Gather, Scatter};
constexpr std::array kDownAndUp{Broadcast, Reduce};
constexpr std::array kBroadcastOnly{Broadcast};
constexpr std::array kAllToAllOnly{AllToAll};
constexpr std::array kCustomOnly{Custom};

struct Entry {
    GeneratorInfo info;
    const Maker* maker;
};

constexpr std::array kEntries{
    Entry{{"ring", "Ring", "manual: collectives 2.1; several axes 5.1", "any; several axes: one phase per axis", kVectorAndAllToAll}, &kRing},
    Entry{{"bidirectional_ring", "Bidirectional ring, halves", "manual: collectives 2.2", "any; several axes: one phase per axis", kVector}, &kBidirectionalRing},
    Entry{{"bidirectional_ring_whole", "Bidirectional ring, whole blocks", "manual: collectives 2.2", "any", kVector}, &kBidirectionalRingWhole},
    Entry{{"multi_ring", "Several rings", "manual: collectives 2.3", "any; as many rings as numbers up to the size are coprime to it", kVector}, &kMultiRing},
    Entry{{"hamiltonian_rings", "Hamiltonian rings", "manual: collectives 2.3 (Kotzig, Foregger)", "a torus: two or more axes of at least 3 ranks", kVector}, &kHamiltonianRings},
    Entry{{"direct", "Direct, two phases", "manual: collectives 3.4", "any; several axes: one phase per axis; broadcast: root 0", kEverywhere}, &kDirect},
    Entry{{"direct_one_phase", "Direct, one phase", "manual: collectives 3.4", "any", kAllReduceOnly}, &kDirectOnePhase},
    Entry{{"halving_doubling", "Halving-doubling (Rabenseifner)", "manual: collectives 4.2", "any; other sizes than 2^k fold the ranks beyond", kVector}, &kHalvingDoubling},
    Entry{{"recursive_doubling", "Recursive doubling", "manual: collectives 4.1", "2^k ranks", kDoubling}, &kRecursiveDoubling},
    Entry{{"bruck", "Bruck", "manual: collectives 4.3", "any, radix from 2 to the number of ranks", kBruckOps, true}, &kBruck},
    Entry{{"double_binary_tree", "Double binary tree", "manual: collectives 3.3", "any", kAllReduceOnly}, &kDoubleBinaryTree},
    Entry{{"k_nomial", "k-nomial tree", "manual: collectives 3.1", "any, radix from 2 to the number of ranks", kRooted, true}, &kKNomial},
    Entry{{"chain", "Chain", "manual: collectives 3.2", "any", kDownAndUp}, &kChain},
    Entry{{"binary_tree", "Binary tree, pipelined", "manual: collectives 3.2", "any", kDownAndUp}, &kBinaryTree},
    Entry{{"scatter_allgather", "Scatter and all-gather (van de Geijn)", "manual: collectives 3.2", "any", kBroadcastOnly}, &kScatterAllGather},
    Entry{{"in_network", "In the network", "manual: collectives 3.5", "any; several axes: one phase per axis; broadcast: root 0", kInSwitches}, &kInNetwork},
    Entry{{"hierarchical", "Hierarchical", "manual: collectives 3.6", "two axes: ranks of a node, nodes", kVector}, &kHierarchical},
    Entry{{"blueconnect", "BlueConnect", "manual: collectives 5.2", "two or more axes, or one whose size is a product", kVector}, &kBlueConnect},
    Entry{{"torus_bucket", "Torus bucket, both directions", "manual: collectives 5.4", "two or more axes", kVector}, &kTorusBucket},
    Entry{{"torus_bucket_one_way", "Torus bucket, one direction", "manual: collectives 5.4", "two or more axes", kVector}, &kTorusBucketOneWay},
    Entry{{"swing", "Swing", "manual: collectives 4.4", "axes of 2^k ranks", kVector}, &kSwing},
    Entry{{"swing_mirrored", "Swing, mirrored copies on all ports", "manual: collectives 4.4", "axes of 2^k ranks", kVector}, &kSwingMirrored},
    Entry{{"swing_latency", "Swing, whole vectors", "manual: collectives 4.4", "axes of 2^k ranks", kAllReduceOnly}, &kSwingLatency},
    Entry{{"two_step", "Two steps", "manual: collectives 6", "two axes: ranks of a node, nodes", kAllToAllOnly}, &kTwoStep},
    Entry{{"three_step", "Three steps", "manual: collectives 6", "two axes: ranks of a node, nodes", kAllToAllOnly}, &kThreeStep},
    Entry{{"alltonext", "All to next", "manual: collectives 6", "any in one node; two axes: ranks of a node, nodes", kCustomOnly}, &kAllToNext},
};

constexpr auto kInfos = [] {
    std::array<GeneratorInfo, kEntries.size()> infos{};
    for (std::size_t i = 0; i < kEntries.size(); ++i)
        infos[i] = kEntries[i].info;
    return infos;
}();

const Entry* findEntry(std::string_view key)
{
    const auto found = std::find_if(kEntries.begin(), kEntries.end(), [key](const Entry& entry) { return entry.info.key == key; });
    return found == kEntries.end() ? nullptr : &*found;
}

bool isRooted(CollectiveOp op)
{
    return op == Broadcast || op == Reduce || op == Gather || op == Scatter;
}

std::string listOf(std::span<const CollectiveOp> ops)
{
    std::string text;
    for (const CollectiveOp op : ops)
        text += (text.empty() ? "" : ", ") + std::string(collectiveKey(op));
    return text;
}

constexpr std::int64_t kMaxRanks = 1 << 20;
constexpr std::int32_t kMaxPieces = 16384;

/// What every generator asks for.
Status checkRanges(const GenerateRequest& request, const GeneratorInfo& info)
{
    if (std::find(info.ops.begin(), info.ops.end(), request.op) == info.ops.end())
        return refusal("op", std::string(info.title) + " does not do " + std::string(collectiveKey(request.op)), listOf(info.ops));
    if (request.axes.empty() || request.axes.size() > 16)
        return refusal("axes", std::to_string(request.axes.size()) + " axes", "1 to 16 axes");
    std::int64_t ranks = 1;
    for (const std::int32_t extent : request.axes) {
        if (extent < 1 || extent > kMaxRanks)
            return refusal("axes", "an axis of " + std::to_string(extent), "extents from 1");
        ranks *= extent;
        if (ranks > kMaxRanks)
            return refusal("axes", "more than 2^20 ranks", "2 to 2^20 ranks");
    }
    if (ranks < 2)
        return refusal("axes", "a group of one rank", "2 to 2^20 ranks");
    if (request.chunks < 1 || request.chunks > kMaxPieces)
        return refusal("chunks", std::to_string(request.chunks) + " chunks", "1 to " + std::to_string(kMaxPieces));
    if (request.root < 0 || request.root >= (isRooted(request.op) ? ranks : 1))
        return refusal("root", "root " + std::to_string(request.root), isRooted(request.op) ? "0 to " + std::to_string(ranks - 1) : "0, this collective has no root");
    if (request.radix < 2)
        return refusal("radix", "radix " + std::to_string(request.radix), "2 to the number of ranks");
    if (request.rings < 0)
        return refusal("rings", std::to_string(request.rings) + " rings", "0 (as many as there are) or more");
    if (!request.axisAlgorithms.empty() && request.axisAlgorithms.size() != request.axes.size())
        return refusal("axisAlgorithms", std::to_string(request.axisAlgorithms.size()) + " algorithms", "one for each of the " + std::to_string(request.axes.size()) + " axes");
    return {};
}

} // namespace

namespace generate {

std::int32_t ranksOf(const GenerateRequest& request)
{
    std::int32_t ranks = 1;
    for (const std::int32_t extent : request.axes)
        ranks *= extent;
    return ranks;
}

std::vector<std::int32_t> axesOf(const GenerateRequest& request)
{
    std::vector<std::int32_t> axes;
    for (const std::int32_t extent : request.axes) {
        if (extent > 1)
            axes.push_back(extent);
    }
    return axes;
}

std::string nameOf(const GenerateRequest& request)
{
    std::string sizes;
    for (const std::int32_t extent : axesOf(request))
        sizes += (sizes.empty() ? "" : " x ") + std::to_string(extent);
    const GeneratorInfo* const info = findGenerator(request.algorithm);
    return (info ? std::string(info->title) : request.algorithm) + ", " + sizes + " ranks";
}

std::string provenanceOf(const GenerateRequest& request)
{
    return "generator " + request.algorithm;
}

Error refusal(const char* field, std::string given, std::string taken)
{
    Error error;
    error.code = ErrorCode::InvalidInput;
    error.message = std::move(given);
    error.place.field = field;
    error.expected = std::move(taken);
    return error;
}

Status checkRadix(const GenerateRequest& request)
{
    if (request.radix > ranksOf(request))
        return refusal("radix", "radix " + std::to_string(request.radix), "2 to the number of ranks, " + std::to_string(ranksOf(request)));
    return {};
}

} // namespace generate

std::span<const GeneratorInfo> generators()
{
    return kInfos;
}

const GeneratorInfo* findGenerator(std::string_view key)
{
    const Entry* const entry = findEntry(key);
    return entry ? &entry->info : nullptr;
}

Status checkGenerate(const GenerateRequest& request)
{
    const Entry* const entry = findEntry(request.algorithm);
    if (!entry) {
        std::string keys;
        for (const Entry& each : kEntries)
            keys += (keys.empty() ? "" : ", ") + std::string(each.info.key);
        return refusal("algorithm", "no generator is called \"" + request.algorithm + "\"", keys);
    }
    if (auto status = checkRanges(request, entry->info); !status)
        return status;
    if (entry->maker->check)
        return entry->maker->check(request);
    return {};
}

std::int64_t generatedTransfers(const GenerateRequest& request)
{
    const Entry* const entry = findEntry(request.algorithm);
    return entry && entry->maker->transfers ? entry->maker->transfers(request) : 0;
}

bool generatedTraffic(const GenerateRequest& request, const TrafficSink& sink)
{
    const Entry* const entry = findEntry(request.algorithm);
    if (!entry || !entry->maker->traffic)
        return false;
    entry->maker->traffic(request, sink);
    return true;
}

Result<ProgramPtr> generateProgram(const GenerateRequest& request)
{
    if (auto status = checkGenerate(request); !status)
        return std::move(status).error();
    const Entry* const entry = findEntry(request.algorithm);
    const std::int64_t transfers = entry->maker->transfers ? entry->maker->transfers(request) : 0;
    if (transfers > kMaxGeneratedTransfers) {
        Error error = refusal("axes", std::to_string(transfers) + " transfers", "at most " + std::to_string(kMaxGeneratedTransfers) + ": fewer ranks or chunks");
        error.code = ErrorCode::Unsupported;
        return error;
    }
    return untilStopped([&]() -> Result<ProgramPtr> {
        ProgramPtr program = entry->maker->make(request);
        if (!program)
            return Error{ErrorCode::Unsupported, "no such program was found within the limit of the search", {}, "other extents"};
        return program;
    });
}

} // namespace fabricscope
