#include "core/programio/programcheck.h"

#include "core/base/stop.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostPlace = 1 << 30;

Error wrong(const std::string& column, std::size_t row, std::string message)
{
    Place place;
    place.field = "explicit." + column + '[' + std::to_string(row) + ']';
    return invalidInput(std::move(message), std::move(place));
}

Status checkLengths(const ExplicitBody& b)
{
    const std::size_t size = b.kind.size();
    const auto must = [&](const char* name, std::size_t length) -> Status {
        if (length == size)
            return {};
        Place place;
        place.field = std::string("explicit.") + name;
        return invalidInput("the column has " + std::to_string(length) + " rows", std::move(place), std::to_string(size));
    };
    for (const auto& [name, length] : std::initializer_list<std::pair<const char*, std::size_t>>{{"peer", b.peer.size()}, {"connection", b.connection.size()}, {"lane", b.lane.size()},
             {"chunk", b.chunk.size()}, {"count", b.count.size()}, {"source_buffer", b.sourceBuffer.size()}, {"target_buffer", b.targetBuffer.size()},
             {"source_offset", b.sourceOffset.size()}, {"target_offset", b.targetOffset.size()}, {"step", b.step.size()}}) {
        if (Status status = must(name, length); !status)
            return status;
    }
    for (const auto& [name, length] : std::initializer_list<std::pair<const char*, std::size_t>>{{"bytes", b.bytes.size()}, {"duration", b.duration.size()}, {"slot", b.slot.size()},
             {"source_id", b.sourceId.size()}, {"fused", b.fused.size()}, {"tags", b.tags.size()}, {"start_ps", b.startPs.size()}, {"route", b.route.size()}}) {
        if (length == 0)
            continue;
        if (Status status = must(name, length); !status)
            return status;
    }
    if (b.dependBegin.size() != size + 1 || b.dependBegin.front() != 0 || b.dependBegin.back() != b.depends.size() || !std::is_sorted(b.dependBegin.begin(), b.dependBegin.end()))
        return invalidInput("the dependencies do not begin where they should", {{}, 0, 0, -1, "explicit.depend_begin", -1, -1, false}, "ascending, from 0 to the number of dependencies");
    return {};
}

Status checkRanks(const Program& program, const ExplicitBody& b)
{
    const bool sound = b.rankBegin.size() == static_cast<std::size_t>(program.ranks) + 1 && b.rankBegin.front() == 0 && b.rankBegin.back() == b.kind.size()
        && std::is_sorted(b.rankBegin.begin(), b.rankBegin.end());
    if (!sound)
        return invalidInput("the ranks do not begin where they should", {{}, 0, 0, -1, "explicit.rank_begin", -1, -1, false}, "ascending, from 0 to the number of operations, one more than ranks");
    if (!b.buffers.empty() && b.buffers.size() != static_cast<std::size_t>(program.ranks))
        return invalidInput("not one entry per rank", {{}, 0, 0, -1, "explicit.buffers", -1, -1, false}, std::to_string(program.ranks));
    if (!b.chunkWeights.empty() && b.chunkWeights.size() != static_cast<std::size_t>(program.chunks))
        return invalidInput("not one weight per chunk", {{}, 0, 0, -1, "explicit.chunk_weights", -1, -1, false}, std::to_string(program.chunks));
    std::int64_t sum = 0;
    for (const std::int64_t weight : b.chunkWeights) {
        if (weight < 0 || weight > (std::int64_t{1} << 61) - sum)
            return invalidInput("the weights are negative or their sum is too large", {{}, 0, 0, -1, "explicit.chunk_weights", -1, -1, false}, "a sum from 1 to 2^61");
        sum += weight;
    }
    if (!b.chunkWeights.empty() && sum == 0)
        return invalidInput("the weights are all 0", {{}, 0, 0, -1, "explicit.chunk_weights", -1, -1, false}, "a sum from 1 to 2^61");
    for (std::size_t i = 0; i < b.teams.size(); ++i) {
        const std::vector<std::int32_t>& team = b.teams[i];
        if (team.empty() || team.front() < 0 || team.back() >= program.ranks || std::adjacent_find(team.begin(), team.end(), std::greater_equal<>()) != team.end())
            return wrong("teams", i, "not ranks in ascending order");
    }
    return {};
}

Status checkRow(const Program& program, const ExplicitBody& b, std::int32_t rank, std::uint32_t op)
{
    const std::uint32_t begin = b.rankBegin[static_cast<std::size_t>(rank)];
    const std::uint32_t end = b.rankBegin[static_cast<std::size_t>(rank) + 1];
    switch (b.kind[op]) {
    case OpKind::Copy:
    case OpKind::Reduce:
    case OpKind::Compute:
        if (b.peer[op] != -1)
            return wrong("peer", op, "a local operation has no peer (-1)");
        break;
    case OpKind::SwitchReduce:
    case OpKind::SwitchMulticast:
        if (b.peer[op] < 0 || static_cast<std::size_t>(b.peer[op]) >= b.teams.size())
            return wrong("peer", op, "there is no such team");
        break;
    default:
        if (b.peer[op] < 0 || b.peer[op] >= program.ranks || b.peer[op] == rank)
            return wrong("peer", op, "there is no such other rank");
    }
    if (b.connection[op] < 0)
        return wrong("connection", op, "a negative number");
    if (b.lane[op] < -1)
        return wrong("lane", op, "a number below -1");
    if (b.count[op] < 0 || b.count[op] > kMostPlace)
        return wrong("count", op, "out of range");
    if (b.bytesOf(op) < -1)
        return wrong("bytes", op, "a number below -1");
    if (b.chunk[op] < -1 || (b.chunk[op] < 0 && b.bytesOf(op) < 0 && b.kind[op] != OpKind::Compute))
        return wrong("chunk", op, "no chunk and no size in bytes");
    if (b.durationOf(op) < 0)
        return wrong("duration", op, "a negative number");
    if (b.sourceOffset[op] < 0 || b.sourceOffset[op] > kMostPlace || b.targetOffset[op] < 0 || b.targetOffset[op] > kMostPlace)
        return wrong(b.sourceOffset[op] < 0 || b.sourceOffset[op] > kMostPlace ? "source_offset" : "target_offset", op, "out of range");
    const bool joined = op > begin && b.lane[op] == b.lane[op - 1];
    if (b.isFused(op) && !joined)
        return wrong("fused", op, "nothing stands before it in its lane");
    const bool ofSum = joined && b.passesSumOn(op - 1) && b.kind[op - 1] == OpKind::SwitchReduce && b.peer[op - 1] == b.peer[op] && b.count[op - 1] == b.count[op];
    const bool takesMade = b.isFused(op) && (b.kind[op] == OpKind::Send || ofSum);
    if (b.targetBuffer[op] == BufferKind::Fused || (b.sourceBuffer[op] == BufferKind::Fused && !takesMade))
        return wrong("source_buffer", op, "only a fused send takes what the operation before it made, and a fused copy by a switch the sum of the same team there");
    if (b.startOf(op) < -1)
        return wrong("start_ps", op, "a number below -1");
    if (b.routeOf(op) < -1 || b.routeOf(op) >= static_cast<std::int32_t>(b.routes.size()))
        return wrong("route", op, "there is no such route");
    for (std::uint32_t at = b.dependBegin[op]; at < b.dependBegin[op + 1]; ++at) {
        if (b.depends[at] < begin || b.depends[at] >= end)
            return wrong("depends", at, "not an operation of the same rank");
    }
    return {};
}

} // namespace

Status checkExplicitBody(const Program& program, const std::stop_token& stop)
{
    const ExplicitBody& b = program.asExplicit();
    if (Status status = checkLengths(b); !status)
        return status;
    if (Status status = checkRanks(program, b); !status)
        return status;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        for (std::uint32_t op = b.rankBegin[static_cast<std::size_t>(rank)]; op < b.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            if (stop.stop_requested())
                return stoppedError();
            if (Status status = checkRow(program, b, rank, op); !status)
                return status;
        }
    }
    return {};
}

} // namespace fabricscope
