#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// An MSCCL XML file as read (manual: formats 4).
struct MscclFile {
    ProgramPtr program;     ///< Null when the findings have errors that leave no program.
    /// Rules V1 to V5, V9 to V11, V17, V18 and, as notes, what is read but not used; Diagnostic::rule is "V3", place names line, rank and,
    /// in its field, lane and step ("tb 3, step 5, cnt"). At most 100 of each rule; a note counts the rest.
    Diagnostics findings;
    bool valid() const;     ///< No error among the findings.
};

/// Step i of thread block t of rank r becomes the operations with lane t and sourceId = line of the step; fused types become fused groups,
/// `nop`s dependencies of the step behind them. A thread block's channel is the connection of its operations.
///
/// * The operations of a rank stand thread block by thread block (by id), so a dependency may point at a later column.
/// * A dependency on a fused step is one on its memory operation (receive, receive-reduce): the send reads no memory. A dependency on a step
///   without `hasdep` is one on the next step that has it, because that is what the executor waits for.
/// * `chunk` is the local operand's place in the large side; scratch counts modulo the number of chunks.
/// * No program comes of: a broken root (V1), ranks or thread blocks that are not there exactly once (V2, V3), peers, step types or operands
///   that mean nothing (V1, V4, V8), V18, and sizes over these limits: 2^20 chunks of a buffer, channels and thread blocks, 2^28 chunks of
///   memory over all ranks (what a verifier can hold; the largest known file has 12,288).
/// Errors: only what is no MSCCL XML at all (not XML, another root element). Told to stop, which the XML parser itself does not hear (64 MiB: a
/// quarter of a second): Cancelled. O(file).
Result<MscclFile> parseMsccl(std::string_view text, const std::string& file, const std::stop_token& stop = {});
/// As parseMsccl; refuses files over 256 MiB (a tree of such a file takes about 1.5 GB; the largest known file has 1.4 MB).
Result<MscclFile> readMsccl(const std::string& path, const std::stop_token& stop = {});

} // namespace fabricscope
