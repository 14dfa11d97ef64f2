#pragma once

#include "core/generate/generate.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fabricscope::generate {

/// How one generator works. Requests that reach `check` are in range (axes, chunks, root, radix, collective); those that reach the others
/// have passed it.
struct Maker {
    Status (*check)(const GenerateRequest&); ///< What is special to it; may be null.
    /// Upper bound of the transfers of the explicit program; 0: a template.
    std::int64_t (*transfers)(const GenerateRequest&);
    /// Null: none was found (a search with a limit).
    ProgramPtr (*make)(const GenerateRequest&);
    /// generatedTraffic(); null: it does not say.
    void (*traffic)(const GenerateRequest&, const TrafficSink&) = nullptr;
};

extern const Maker kRing, kDirect, kHalvingDoubling, kDoubleBinaryTree, kInNetwork, kHierarchical, kBlueConnect, kBidirectionalRing, kTorusBucket,
    kTorusBucketOneWay;
extern const Maker kRecursiveDoubling, kBruck;
extern const Maker kDirectOnePhase;
extern const Maker kKNomial, kChain, kBinaryTree, kScatterAllGather;
extern const Maker kBidirectionalRingWhole, kMultiRing, kHamiltonianRings;
extern const Maker kSwing, kSwingLatency, kSwingMirrored;
extern const Maker kTwoStep, kThreeStep, kAllToNext;

/// Product of the axes.
std::int32_t ranksOf(const GenerateRequest& request);
/// The axes without those of extent 1.
std::vector<std::int32_t> axesOf(const GenerateRequest& request);
/// For people: "Ring, 4 x 8 ranks".
std::string nameOf(const GenerateRequest& request);
std::string provenanceOf(const GenerateRequest& request);

/// All-reduce in which partners exchange whole vectors in every step (manual: collectives 4.1). \param peer of (rank, step), \param dimension of a step.
ProgramPtr exchangeVectors(const GenerateRequest& request, std::int32_t steps, const std::function<std::int32_t(std::int32_t, std::int32_t)>& peer,
                           const std::function<std::int32_t(std::int32_t)>& dimension);

/// Traffic of exchangeVectors().
void vectorTraffic(const GenerateRequest& request, std::int32_t steps, const std::function<std::int32_t(std::int32_t, std::int32_t)>& peer, const TrafficSink& sink);
/// Does the collective reduce to blocks; does it spread them?
constexpr bool hasScatter(CollectiveOp op) { return op != CollectiveOp::AllGather; }
constexpr bool hasGather(CollectiveOp op) { return op != CollectiveOp::ReduceScatter; }

/// The request is not taken: `field` of it has `given`, `taken` would be.
Error refusal(const char* field, std::string given, std::string taken);
bool isPowerOfTwo(std::int32_t value);
/// The smallest e with base^e >= value. \pre base >= 2.
std::int32_t ceilLog(std::int32_t value, std::int32_t base);
constexpr std::int32_t modulo(std::int32_t value, std::int32_t n)
{
    return ((value % n) + n) % n;
}

} // namespace fabricscope::generate
