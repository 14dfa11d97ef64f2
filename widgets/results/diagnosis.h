#pragma once

#include "core/run/rundesign.h"

#include <QString>

#include <optional>

namespace fabricscope {

/// What stands out in a run, from its own numbers, with at most two things to do about it.
struct Finding {
    enum class Kind : std::uint8_t { CannotFinish, SlowLink, SlowRank, ExposedCommunication };
    Kind kind = Kind::ExposedCommunication;
    QString title;
    QString text;
    std::int64_t rank = -1; ///< To show on the timeline; -1: none.
    LinkId link = -1;       ///< To select; -1: none.
    QString tryField;       ///< Field whose edit is offered ("platform.overrides.links.0.bandwidth"); empty: none.
    QString tryValue;       ///< "25 GB/s".
};

/// The ring of waits of a stuck run: ranks, each waiting for the next and the last for the first. Without a ring the chain from the
/// first wait.
std::vector<std::int32_t> waitRing(const RunRecord& record);

/// The first of these that holds:
/// a run that cannot finish;
/// a link that is slower than its equals, or carries more than they do (core/insight/linkoutliers.h);
/// ranks (at most a quarter) that compute 5 % longer than most ranks with the same tasks;
/// communication exposed for a quarter of the run or more, beside compute that could hide it.
/// Nothing for a part of a run. O(links + classes log classes).
std::optional<Finding> diagnose(const RunResult& result);

} // namespace fabricscope
