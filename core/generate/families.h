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
    kTorusBucketOneWay;                                                   // templatebodies.cpp
extern const Maker kRecursiveDoubling, kBruck;                            // logsteps.cpp
extern const Maker kDirectOnePhase;                                       // onephase.cpp
extern const Maker kKNomial, kChain, kBinaryTree;                         // treephases.cpp
extern const Maker kScatterAllGather;                                     // scatterallgather.cpp
extern const Maker kBidirectionalRingWhole, kMultiRing, kHamiltonianRings; // rings.cpp
extern const Maker kSwing, kSwingLatency, kSwingMirrored;                 // swing.cpp
extern const Maker kTwoStep, kThreeStep, kAllToNext;                      // alltoall.cpp

// In generators.cpp, but for the exchange of vectors, which is in logsteps.cpp.

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

/// Transfers of exchangeVectors() in which each rank meets as many partners as 2^k ranks have.
std::int64_t exchangeTransfers(const GenerateRequest& request);
/// Traffic of exchangeVectors().
void vectorTraffic(const GenerateRequest& request, std::int32_t steps, const std::function<std::int32_t(std::int32_t, std::int32_t)>& peer, const TrafficSink& sink);
/// Does the collective reduce to blocks; does it spread them?
constexpr bool hasScatter(CollectiveOp op) { return op != CollectiveOp::AllGather; }
constexpr bool hasGather(CollectiveOp op) { return op != CollectiveOp::ReduceScatter; }

/// The request is not taken: `field` of it has `given`, `taken` would be.
Error refusal(const char* field, std::string given, std::string taken);
/// No radix above the number of ranks.
Status checkRadix(const GenerateRequest& request);

} // namespace fabricscope::generate
