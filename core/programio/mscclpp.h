#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <string>

namespace fabricscope {

/// An execution plan of MSCCL++ (JSON, "gpus" with "threadblocks" of "ops"; the form its language writes since 2025) as a program.
///
/// | in the plan | operations |
/// |---|---|
/// | put, pws, pwsf | Put per target; with signal: and a Signal |
/// | signal, rlxsignal; wait, rlxwait | Signal; Wait, one per channel |
/// | copy | Copy |
/// | re | Reduce of every source into the target (a Copy of the first where the target is none of them) |
/// | res | the same, and a Put of the sum per remote target |
/// | glres | SwitchReduce into the target chunk, SwitchMulticast of it to the team |
/// | barrier | dependencies between the thread blocks that meet there |
/// | nop, flush | nothing: a thread block is sequential |
/// | pipeline | its operations, once: slices of a chunk change no value |
///
/// The k-th channel of a kind between two ranks is one connection at both (memory: 2 k, port: 2 k + 1). A thread block is a lane.
/// Errors name the file and the path of the key. Unsupported, in words: reads of remote memory (get, rre, rres), packets (ppkt, upkt, ...), semaphores,
/// and thread blocks that share an operation (tbg_size over 1). Limits as for MSCCL XML. O(text).
Result<ProgramPtr> parseMscclppPlan(std::string text, const std::string& file);

} // namespace fabricscope
