#pragma once

#include "core/step/collectivereplay.h"
#include "widgets/base/theme.h"
#include "widgets/step/moveroutes.h"

#include <QString>

#include <vector>

namespace fabricscope {

/// Words, numbers and colours of a collective's steps, the same in every view.
namespace steptexts {

/// "Reduce-scatter".
QString phase(PhaseKind kind);
QColor phaseColor(const Theme& theme, PhaseKind kind);
/// "All-reduce".
QString operation(CollectiveOp op);
/// A buffer: whole KiB in binary units ("1.5 MiB"), others in decimal ones. A part of `whole` in those of it: "21.33 MiB" is a third of 64 MiB.
QString buffer(std::int64_t bytes, std::int64_t whole = 0);
/// Nanoseconds with three decimals, exact: "62 914.560".
QString exactNs(std::int64_t ps);
/// "180.0 µs", "0.585 ms": time since the start of the collective in the unit of `scale`; four or more digits of `scale`.
QString moment(std::int64_t ps, std::int64_t scale);
/// Parts a move carries, ascending.
std::vector<PartIndex> sortedParts(const CollectiveReplay& replay, const ReplayMove& move);
/// "3", "0–3", "0, 4, 8", "16 parts"; "–": not known.
QString parts(const CollectiveReplay& replay, const ReplayMove& move);
/// "part 3", "parts 0–3", "16 parts".
QString partsPhrase(const CollectiveReplay& replay, const ReplayMove& move);
/// For a token: "3", "×4" for several.
QString tokenText(const CollectiveReplay& replay, const ReplayMove& move);
/// "37 → 101".
QString move(const CollectiveReplay& replay, const ReplayMove& move);
/// "31 % sent", "waits for link", "done".
QString state(const MoveProgress& progress);

} // namespace steptexts

} // namespace fabricscope
