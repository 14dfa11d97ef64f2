#pragma once

#include "core/formats/infragraph/infragraph.h"
#include "core/platform/platform.h"

namespace fabricscope {

/// A platform as an InfraGraph document (manual: formats 6.4): boxes of one NPU, one switch or one memory with a port per
/// link, rules in slices where numbers run evenly, one link type per pair of bandwidth and latency. Dimensions are written out link by link.
/// Names and (where they differ from the order) ranks are annotations, so that reading it back gives the same nodes and links; several links
/// between two nodes stay apart. Warnings: links that differ by direction or run one way only (the document knows one speed for both ways),
/// and figures of NPUs, which it cannot hold. Errors: removed NPUs, more links than kMaxInfraElements. O(links log links). Told to stop:
/// Cancelled.
Result<InfraDocument> infraGraphOf(const PlatformSpec& spec, Diagnostics& diagnostics, const std::stop_token& stop = {});

} // namespace fabricscope
