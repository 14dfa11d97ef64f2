#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

// In generators.cpp, but for expandTemplate(), which is in expand.cpp.

/// What is asked of a generator.
struct GenerateRequest {
    std::string algorithm;           ///< GeneratorInfo::key.
    CollectiveOp op = CollectiveOp::AllReduce;
    std::vector<std::int32_t> axes;  ///< Extents of the group, axis 0 fastest; one entry: a flat group. All >= 1, product >= 2.
    std::int32_t chunks = 1;         ///< The vector is cut in so many pieces that follow each other (pipelining).
    std::int32_t root = 0;
    std::int32_t radix = 2;          ///< k-nomial, Bruck.
    std::int32_t rings = 0;          ///< Several rings: how many; 0: as many as there are.
    /// One phase per axis: the algorithm of every axis (ring, direct, halving-doubling). Empty: what is usual.
    std::vector<Algorithm> axisAlgorithms;
    std::stop_token stop{};          ///< Then the error is Cancelled.
};

/// An algorithm as lists, menus and refusals name it.
struct GeneratorInfo {
    std::string_view key;      ///< "recursive_doubling".
    std::string_view title;    ///< "Recursive doubling".
    std::string_view source;   ///< Paper or section of a formula.
    std::string_view sizes;    ///< Which groups it takes, for people: "2^k ranks", "any", "two axes of even size".
    std::span<const CollectiveOp> ops;
    bool hasRadix = false;     ///< Reads GenerateRequest::radix.
};

/// Every generator, in the order menus show.
std::span<const GeneratorInfo> generators();
const GeneratorInfo* findGenerator(std::string_view key);

/// Why this generator does not take the request, or nothing: error with field "algorithm", "op", "axes", "chunks", ... and what is taken.
Status checkGenerate(const GenerateRequest& request);

/// Largest number of transfers a generated explicit program may have.
constexpr std::int64_t kMaxGeneratedTransfers = 8'000'000;

/// The program. It is in place in the normal form of MSCCLang (all-reduce uses Input, all-gather Output, reduce-scatter Input) unless the
/// algorithm needs scratch or two buffers, which the flags of the program say. Every program passes verify().
/// Errors: those of checkGenerate(); more than kMaxGeneratedTransfers transfers; Cancelled. O(transfers).
Result<ProgramPtr> generateProgram(const GenerateRequest& request);

/// How many transfers the generator would write for a request that passes checkGenerate(), at most; 0: its program is a template.
std::int64_t generatedTransfers(const GenerateRequest& request);

/// A message between positions, or all of them together: `part` of the bytes of the collective.
struct TrafficHop {
    std::int32_t from = 0;
    std::int32_t to = 0;
    double part = 0;
};

/// Takes what generatedTraffic() says.
struct TrafficSink {
    std::function<bool(const TrafficHop&)> flow; ///< All messages of one way of the algorithm; several of one pair add up. False: enough is known.
    std::function<void(std::span<const TrafficHop>)> chain; ///< Messages each of which needs the one before.
};

/// Who sends how much to whom in the program the generator would write, and the messages of one chunk that follow each other. Parts are
/// those of equal blocks: blocks of the program differ by a byte. False: this generator does not say. O(flows), less than its transfers.
/// \pre the request passes checkGenerate().
bool generatedTraffic(const GenerateRequest& request, const TrafficSink& sink);

/// The same operations in explicit form: what the template means, message by message, with the same phases, steps and slots
/// (phaserules.h); tags name phase, axis, tree and, as instance, the chunk. The chunks of the result are those of the program times the
/// parts each is cut in: the extent of every axis that is scattered or gathered over, 2 for a double binary tree, 1 for a broadcast and for an all-reduce in a switch
/// (unequal chunk weights are kept; blocks that are no neighbours in the vector are then sent one by one). Windows of direct phases become dependencies. A phase in switches becomes switch operations of the
/// rank that owns the block (of rank 0, in an all-reduce and a broadcast), where it is the only one. Lanes are not given. An explicit program comes back as it is.
/// Errors (Unsupported): a window of chunks, which only a run can decide; a phase in switches among others; more than
/// kMaxGeneratedTransfers transfers. Told to stop: Cancelled.
Result<ProgramPtr> expandTemplate(const ProgramPtr& program, const std::stop_token& stop = {});

} // namespace fabricscope
