#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>
#include <string>

namespace fabricscope {

/// An execution plan of MSCCL++ (JSON, "gpus" with "threadblocks" of "ops"; the form its language writes since 2025) as a program.
///
/// | in the plan | operations |
/// |---|---|
/// | put, pws, pwsf | Put per target; with signal: and a Signal |
/// | get | a request (Signal) to the owner, whose own lane sends; Receive |
/// | signal, rlxsignal; wait, rlxwait | Signal; Wait, one per channel; on a switch channel one per other member |
/// | copy | Copy |
/// | re, rre | Reduce of every source into the target (a Copy of the first where the target is none of them); of remote ones as get, with ReceiveReduce |
/// | res, rres | the same, and a Put of the sum per remote target |
/// | ppkt, rppkt | packets: Send per target, Receive on a lane of its own over there; who reads the packets waits for it |
/// | cpkt, upkt | Copy to packets, Copy from packets |
/// | repkt, respkt, recpkt, recspkt | as re and res, the sources behind the first and the targets behind the first being packets |
/// | glre, gstore, gstorepkt, glres | SwitchReduce into the target; SwitchMulticast to the team; both, the sum going through the rank |
/// | barrier, sem_acquire, sem_release | dependencies between thread blocks |
/// | nop, flush | nothing: a thread block is sequential |
/// | pipeline | its operations, once: slices of a chunk change no value |
///
/// The k-th channel of a kind between two ranks is one connection at both (memory: 2 k, port: 2 k + 1), where one thread block signals and one
/// waits; further thread blocks have connections of their own. Stores through memory belong to the next signal to their rank. A thread block is a
/// lane. Chunks that thread blocks share (tbg_info) are cut into as many. How: mscclpplowering.h.
///
/// `notes`, where given: what was assumed (packets, pipelines, reads) and keys that are not used. Errors name the file and the path of the key. Refused
/// as not supported: templates and the form of before 2025, several reductions in one plan, semaphores and channels that several thread
/// blocks use in no order, keys of operations that are not known. Limits as for MSCCL XML; 4,096 thread blocks per rank. Told to stop:
/// Cancelled. O(text).
Result<ProgramPtr> parseMscclppPlan(std::string text, const std::string& file, Diagnostics* notes = nullptr, const std::stop_token& stop = {});

} // namespace fabricscope
