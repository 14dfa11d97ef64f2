#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>
#include <string>

namespace fabricscope {

struct MscclWriteOptions {
    bool fuse = false; ///< Join receives with the sends behind them (fuseSteps): rcs, rrcs, rrs.
    std::stop_token stop = {}; ///< Looked at for every operation; then the error is Cancelled.
};

struct MscclText {
    std::string text;
    /// What the reader of the file does not learn or must know: lanes that need more slots than the protocol has (V13), routes, planned
    /// starts and tags, which the format has no words for.
    Diagnostics notes;
};

/// The program as MSCCL XML (manual: formats 4), with lanes and channels by assignLanes(). Dependencies that follow from others are left out, further ones of a step
/// become `nop`s before it; i_chunks, o_chunks and s_chunks are the highest chunk touched + 1. The operand of the other side is written as
/// information, as the generators do. parseMsccl() of the text gives a program that does the same where lanes were legal.
/// Errors (Unsupported) for what the format cannot say: templates, programs without places, one-sided and switch operations, computations,
/// sizes in bytes, unequal chunks, messages without chunks, receive slots, roots other than 0, barriers; a rank that waits for itself.
Result<MscclText> writeMsccl(const ProgramPtr& program, const MscclWriteOptions& options = {});

} // namespace fabricscope
