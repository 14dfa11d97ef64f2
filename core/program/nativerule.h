#pragma once

#include "core/program/phaserules.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Neighbouring blocks of an axis: `first`, `first + 1`, ..., modulo its extent.
struct BlockRange {
    std::int32_t first = 0;
    std::int32_t count = 0;
    friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

/// A native algorithm as one row: its word, what it can do, and what its messages carry and reduce. Planning, replay, ownership, expansion and
/// engines read it; the verifier does not, on purpose. Each is a file in this folder with its row: ringrule.cpp, directrule.cpp, halvingrule.cpp,
/// treerule.cpp, switchrule.cpp, bruckgather.cpp.
struct NativeRule {
    Algorithm algorithm;
    std::string_view key; ///< In files, options and results.

    // Which phases there are.
    bool reduceScatter = false;
    bool allGather = false;
    bool allReduce = false; ///< In one phase, on the last axis; then there is no reduce-scatter of it in an all-reduce.
    bool allToAll = false;
    bool broadcast = false;

    bool inReference = false; ///< ASTRA-sim has it.
    bool tried = false;       ///< `algorithm: auto` tries it along every axis.
    bool fansIn = false;      ///< All messages of a reduce-scatter are reduced at once.
    bool manyBlocks = false;  ///< A message may carry several blocks, so that they are worked on in scratch where they do not lie in one row.

    /// Messages of all positions of a line in one phase, at most.
    std::int64_t (*messages)(std::int32_t extent) = nullptr;
    /// The blocks that the message of position `sender` carries, none twice. Of reduce-scatter and all-gather; one range where the algorithm is new
    /// (only halving-doubling has an order of blocks of its own to make runs of them).
    void (*blocks)(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t slot, std::vector<BlockRange>& out) = nullptr;
    /// Is a message of this step reduced by its receiver?
    bool (*reduces)(const PhaseTemplate& phase, std::int32_t extent, std::int32_t step) = nullptr;

    // The functions of PhaseRules.
    std::int32_t (*sendCount)(const PhaseRules& rules, std::int32_t r) = nullptr;
    PhaseRules::Message (*send)(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held) = nullptr;
    std::int32_t (*receiveCount)(const PhaseRules& rules, std::int32_t r) = nullptr;
    PhaseRules::Message (*receive)(const PhaseRules& rules, std::int32_t r, std::int32_t index, std::int64_t held) = nullptr;
    std::int32_t (*receiveIndex)(const PhaseRules& rules, std::int32_t r, std::int32_t step, std::int32_t slot) = nullptr;
    PhaseRules::Needs (*needs)(const PhaseRules& rules, std::int32_t r, std::int32_t index) = nullptr;

    bool does(PhaseKind kind) const;
    /// Can an axis run it in this collective? `last`: it is the last axis of the group.
    bool does(CollectiveOp op, bool last) const;
};

/// All of them, in the order of lists.
std::span<const NativeRule* const> nativeRules();
const NativeRule& nativeRule(Algorithm algorithm);

/// Letter by letter as algorithmKey() has it.
std::optional<Algorithm> parseAlgorithm(std::string_view key);
/// The same of what people type: "HalvingDoubling" too.
std::optional<Algorithm> algorithmMeant(std::string_view word);
std::string algorithmList(std::string_view conjunction = {});

/// Buffers that a receiver of the phase reduces into one: k (manual: models 2); 0: nothing is reduced.
std::int32_t reduceBuffers(const PhaseTemplate& phase, std::int32_t extent);

} // namespace fabricscope
