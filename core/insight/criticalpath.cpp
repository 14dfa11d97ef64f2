#include "core/insight/criticalpath.h"

#include "core/base/index.h"
#include "core/insight/pathwalk.h"

#include <algorithm>
#include <array>

namespace fabricscope {

std::string_view pathCauseKey(PathCause cause)
{
    static constexpr std::array<std::string_view, kPathCauses> kKeys{"start", "compute", "slowed", "host", "remote_memory", "endpoint", "protocol", "launch", "ramp", "latency",
                                                                     "serialisation", "reduction", "waiting", "turn", "transfer", "idle"};
    return kKeys[at(cause)];
}

namespace {

std::optional<PathEnd> lastOfClass(const RankClass& row, std::int32_t rank)
{
    std::optional<PathEnd> last;
    if (!row.tasks)
        return last;
    const std::vector<std::int64_t>& ends = row.tasks->endPs;
    for (std::size_t task = 0; task < ends.size(); ++task) {
        if (ends[task] >= 0 && (!last || ends[task] > last->ps))
            last = PathEnd{rank, static_cast<TaskIndex>(task), ends[task]};
    }
    return last;
}

} // namespace

std::optional<PathEnd> lastTask(const Scenario&, const RunRecord& record)
{
    std::optional<PathEnd> last;
    for (const RankClass& row : record.classes) {
        if (row.ranks.empty())
            continue;
        const std::optional<PathEnd> own = lastOfClass(row, static_cast<std::int32_t>(row.ranks.intervals().front().first));
        if (own && (!last || own->ps > last->ps))
            last = own;
    }
    return last;
}

std::optional<PathEnd> lastTaskOf(const Scenario&, const RunRecord& record, std::int32_t rank)
{
    for (const RankClass& row : record.classes) {
        if (row.ranks.contains(rank))
            return lastOfClass(row, rank);
    }
    return std::nullopt;
}

CriticalPath criticalPath(const Scenario& scenario, const RunRecord& record, const MessageLog& log, const PathEnd& end, const std::stop_token& stop)
{
    CriticalPath path;
    path.toPs = end.ps;
    path.messages = !log.empty();
    path.folded = log.isFolded() && !log.empty();
    path.pieces = PathWalk(scenario, record, log, stop).walk(end);
    return path;
}

CriticalPath cutPath(CriticalPath path, std::int64_t fromPs, std::int64_t toPs)
{
    std::vector<PathPiece> inside;
    for (PathPiece piece : path.pieces) {
        piece.beginPs = std::max(piece.beginPs, fromPs);
        piece.endPs = std::min(piece.endPs, toPs);
        if (piece.beginPs < piece.endPs)
            inside.push_back(piece);
    }
    path.pieces = std::move(inside);
    path.fromPs = fromPs;
    path.toPs = toPs;
    return path;
}

} // namespace fabricscope
