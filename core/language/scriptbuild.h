#pragma once

#include "core/base/result.h"
#include "core/language/scripttrace.h"
#include "core/program/program.h"

#include <string>

namespace fabricscope {

/// The program of a trace: operations with their instances, on lanes, with the dependencies their order in the script implies.
///
/// Instances (manual: formats 4.3): instance i of p uses channel c + i * (channels of one instance) and lane t * p + i. Interleaved, it
/// works on chunks k * p + i * count and following, batched on k + i * (chunks of the buffer). Scratch is batched wherever that says the same:
/// where its chunks are used one by one. A part of a script with fewer instances than the program has pieces moves larger groups.
///
/// Lanes: what is received from one peer over one channel is a lane, what is sent to one peer over one channel another, and local work of a
/// channel a third, each of the rank's own, so that a lane is a legal thread block and each connection has one at either end. Lanes the
/// script chose are kept and checked: one peer in each direction and one channel (else an error whose place is the line).
/// \pre checkEnd() was called.
Result<ProgramPtr> buildProgram(ScriptTrace& trace, std::string provenance);

} // namespace fabricscope
