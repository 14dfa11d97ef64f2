#pragma once

#include "core/base/keytable.h"
#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <string>
#include <variant>

namespace fabricscope::transform {

/// What makes a step legal (manual: transform 3). Each can be left out by tests to show that it is needed.
enum class Condition : std::uint8_t {
    Exists,        ///< The stage or tensor is there.
    Kind,          ///< It is of the operation the step is for.
    Free,          ///< Not fused or overlapped yet.
    Consumes,      ///< One of the computations reads the collective.
    IndexWise,     ///< Computations work element by element along the gathered dimension.
    NoLocal,       ///< Nothing that is read is local.
    Convex,        ///< No way leaves the set and comes back.
    Layouts,       ///< The program that results keeps the rules of layouts.
    UsedSliced,    ///< as_slice: read only in slices, or overwritten.
    Unused,        ///< dead: nothing needs the result.
    SameSpace,     ///< fuse: same iteration space.
    SameLayout,    ///< fuse: same layout.
    OneReduce,     ///< fuse with collectives: exactly one reduce-scatter.
    AllGathers,    ///< fuse with collectives: the all-gathers of everything that lives on.
    Sliced,        ///< fuse with collectives: computations are sliced.
    OneSend,       ///< fuse into a send: a single send.
    Chain,         ///< overlap: each reads what the one before makes.
    ChunkWise,     ///< overlap: each works chunk by chunk along the same dimension; fuse with collectives: no reduction of what the set overwrites.
    Group,         ///< reorder of a send: what is read is there before it.
};
inline constexpr KeyTable<Condition, 19> kConditions{{{"exists", Condition::Exists}, {"kind", Condition::Kind}, {"free", Condition::Free}, {"consumes", Condition::Consumes}, {"index_wise", Condition::IndexWise}, {"no_local", Condition::NoLocal}, {"convex", Condition::Convex}, {"layouts", Condition::Layouts}, {"used_sliced", Condition::UsedSliced}, {"unused", Condition::Unused}, {"same_space", Condition::SameSpace}, {"same_layout", Condition::SameLayout}, {"one_reduce_scatter", Condition::OneReduce}, {"all_gathers", Condition::AllGathers}, {"sliced", Condition::Sliced}, {"one_send", Condition::OneSend}, {"chain", Condition::Chain}, {"chunk_wise", Condition::ChunkWise}, {"group", Condition::Group}}};

/// Why a step is not legal.
struct Refusal {
    Condition condition = Condition::Exists;
    std::string stage;  ///< That breaks it.
    std::string tensor; ///< That breaks it; may be empty.
    std::string reason; ///< In words.
};

/// The program that a step makes, or why it is not legal.
using Rewritten = std::variant<TensorProgram, Refusal>;

} // namespace fabricscope::transform
