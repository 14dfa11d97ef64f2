#pragma once

#include "core/run/rundesign.h"

#include <QString>

/// How the inputs of one result differ from those of another, in words that name the old values: they come from the two designs
/// themselves, not from what was typed in between.
namespace fabricscope::changetext {

/// Do two states of a document say something else? Of large graphs every other state counts as another: taking them apart takes too long for the
/// thread of the window.
bool isOther(const Design& before, const Design& now);

/// "since D2 bandwidth was 20 GB/s", with up to three fields. Empty: more differ, or something is there in one of them only.
QString since(const RunResult& before, const RunResult& now);

/// "D2 bandwidth 20 GB/s" where exactly one field differs; else empty.
QString oldValue(const RunResult& before, const RunResult& now);

/// "D2 bandwidth" for "platform.dimensions[2].bandwidth" of this design.
QString fieldTitle(const QString& field, const Design& design);

} // namespace fabricscope::changetext
