#pragma once

#include "core/program/phaserules.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Neighbouring blocks, or places of blocks, of an axis: `first`, `first + 1`, ..., modulo its extent.
struct BlockRange {
    std::int32_t first = 0;
    std::int32_t count = 0;
    friend bool operator==(const BlockRange&, const BlockRange&) = default;
};

/// What the messages of a position wait for, which is what an engine has to keep of a phase. A broadcast is that of innetwork.h under each.
enum class Sequence : std::uint8_t {
    ByNeeds,  ///< Each leaves when what needs() names has come: any rule.
    AtOnce,   ///< All leave when the own part is there, or as a window allows; what comes is only counted.
    PassedOn, ///< What comes in step t leaves in step t + 1, to the same neighbour; what comes is only counted.
    InSwitch  ///< The operations of a switch (innetwork.h).
};

/// Which renumbering of the positions leaves a phase as it is.
enum class Likeness : std::uint8_t {
    None,       ///< Positions differ.
    Turned,     ///< Position r does what position 0 does, all positions r further, modulo the extent.
    ExclusiveOr ///< ... all positions exclusive-or r, where the extent is a power of two; an extent of 2 is Turned too.
};

/// A native algorithm as one row: its word, what it can do, and what its messages carry and reduce. Planning, replay, ownership, expansion and
/// engines read it; the verifier does not, on purpose. Each is a file in this folder with its row.
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
    bool windowed = false;    ///< PhaseTemplate::window counts.
    bool halves = false;      ///< All-reduce: two trees carry a half each, by the lowest bit of the slot; else every message is the whole.
    bool searched = false;    ///< The functions of PhaseRules are searches: who asks often keeps the answers.
    Sequence sequence = Sequence::ByNeeds;
    Likeness alike = Likeness::None;
    std::string_view limit = {}; ///< Why it does not do every collective on every axis, behind a colon; empty: it just does not.

    /// Messages of all positions of a line in one phase, at most.
    std::int64_t (*messages)(std::int32_t extent) = nullptr;
    /// Messages of one position in one phase, at most 31. Of Sequence::ByNeeds.
    std::int32_t (*mostSends)(std::int32_t extent) = nullptr;
    /// Where block b of n stands in the order in which every message is one run of neighbours; null: at b.
    std::int32_t (*place)(std::int32_t n, std::int32_t b) = nullptr;
    /// The blocks that the message of position `sender` carries, as places of that order, none twice. Of reduce-scatter and all-gather.
    BlockRange (*blocks)(const PhaseRules& rules, std::int32_t sender, std::int32_t step, std::int32_t slot) = nullptr;
    /// The receive that must have come before send `index` though that has none of its blocks; -1: there is none. Null: never.
    std::int32_t (*awaits)(const PhaseRules& rules, std::int32_t sender, std::int32_t index) = nullptr;
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
    std::int32_t placeOf(std::int32_t n, std::int32_t block) const { return place ? place(n, block) : block; }
};

namespace nativerows {

// Each in a file of its own; circulant gathers as bruck_gather does.
extern const NativeRule kRing;             // ringrule.cpp
extern const NativeRule kDirect;           // directrule.cpp
extern const NativeRule kHalvingDoubling;  // halvingrule.cpp
extern const NativeRule kDoubleBinaryTree; // treerule.cpp
extern const NativeRule kInNetwork;        // switchrule.cpp
extern const NativeRule kBruckGather;      // bruckgather.cpp
extern const NativeRule kCirculant;        // bruckgather.cpp

inline constexpr std::array kRules{&kRing, &kDirect, &kHalvingDoubling, &kDoubleBinaryTree, &kInNetwork, &kBruckGather, &kCirculant};

} // namespace nativerows

/// All of them, in the order of lists.
std::span<const NativeRule* const> nativeRules();
const NativeRule& nativeRule(Algorithm algorithm);

/// Letter by letter as algorithmKey() has it.
std::optional<Algorithm> parseAlgorithm(std::string_view key);
/// The same of what people type: "HalvingDoubling" too.
std::optional<Algorithm> algorithmMeant(std::string_view word);
std::string algorithmList(std::string_view conjunction = {});

/// Messages of a position under way at once; 0: all, or the rule knows no window.
std::int32_t windowOf(const PhaseTemplate& phase);

/// Buffers that a receiver of the phase reduces into one: k (manual: models 2); 0: nothing is reduced.
std::int32_t reduceBuffers(const PhaseTemplate& phase, std::int32_t extent);

} // namespace fabricscope
