#pragma once

#include "core/base/keytable.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::transform {

enum class StepKind : std::uint8_t { Split, Reorder, AsSlice, Fuse, Overlap, Dead };
inline constexpr KeyTable<StepKind, 6> kTransformSteps{{{"split", StepKind::Split}, {"reorder", StepKind::Reorder}, {"as_slice", StepKind::AsSlice}, {"fuse", StepKind::Fuse}, {"overlap", StepKind::Overlap}, {"dead", StepKind::Dead}}};

/// One step of a schedule.
struct ScheduleStep {
    StepKind kind = StepKind::Split;
    std::vector<std::string> names; ///< Reorder: the collective, then the computations. The others: all names in their order.
    Place place{};

    /// As a schedule says it: "reorder s.ag {u, w1}".
    std::string text() const;
};

using Schedule = std::vector<ScheduleStep>;

inline constexpr std::size_t kMostSteps = 2000;

/// Reads one line: "split s", "reorder s.ag {u, w1}", "as_slice m", "fuse {a, b}", "overlap y s.rs", "dead s.ag". Error: place.column is the 1-based byte.
Result<ScheduleStep> parseStep(std::string_view line);

/// Reads a schedule file: a line per step, with or without "- " and quotes; blank lines and "# ..." do not count. Errors name `file`, line and column.
Result<Schedule> parseSchedule(std::string_view text, const std::string& file);

} // namespace fabricscope::transform
