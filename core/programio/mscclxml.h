#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// An MSCCL XML file as read (msccl_xml.md).
struct MscclFile {
    ProgramPtr program;     ///< Null when the findings have errors that leave no program.
    /// Rules V1 to V5, V10, V11, V17, V18 and, as notes, what is read but not used; Diagnostic::rule is "V3", place names line, rank and lane.
    Diagnostics findings;
    bool valid() const;     ///< No error among the findings.
};

/// Step i of thread block t of rank r becomes the operations with lane t and sourceId = line of the step; fused types become fused groups,
/// `nop`s dependencies of the step behind them. A thread block's channel is the connection of its operations.
/// Errors: only what is no MSCCL XML at all (not XML, another root element). O(file).
Result<MscclFile> parseMsccl(std::string_view text, const std::string& file);
Result<MscclFile> readMsccl(const std::string& path);

} // namespace fabricscope
