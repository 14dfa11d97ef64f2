#include "core/scenario/programruns.h"

#include "core/platform/offload.h"
#include "core/program/innetwork.h"
#include "core/program/phaserules.h"

#include <algorithm>
#include <functional>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostOperations = std::int64_t{1} << 28;
constexpr std::int64_t kMostChunks = std::int64_t{1} << 30;

/// Copies a column slice by slice, rank by rank; `change(value, operation, slice)` gives the value in a slice.
template <typename T, typename Change>
std::vector<T> repeated(const ExplicitBody& body, const std::vector<T>& column, std::int32_t slices, Change change)
{
    std::vector<T> result;
    if (column.empty())
        return result;
    result.reserve(column.size() * static_cast<std::size_t>(slices));
    for (std::size_t r = 0; r + 1 < body.rankBegin.size(); ++r) {
        for (std::int32_t slice = 0; slice < slices; ++slice) {
            for (std::uint32_t op = body.rankBegin[r]; op < body.rankBegin[r + 1]; ++op)
                result.push_back(change(column[op], op, slice));
        }
    }
    return result;
}

/// Does every rank hold the whole data before or after, so that it does not matter which chunks make a part?
bool holdsEverything(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Custom;
}

std::string describe(const Program& program, std::uint32_t operation)
{
    const ExplicitBody& body = program.asExplicit();
    const auto after = std::upper_bound(body.rankBegin.begin(), body.rankBegin.end(), operation);
    const auto rank = static_cast<std::size_t>(after - body.rankBegin.begin()) - 1;
    return "operation " + std::to_string(operation - body.rankBegin[rank]) + " of rank " + std::to_string(rank) + " of the program "
        + (program.provenance.empty() ? program.name : program.provenance);
}

Status checkRoute(const Program& program, std::uint32_t operation, const Platform& platform, NodeId source, NodeId target)
{
    const ExplicitBody& body = program.asExplicit();
    const auto number = static_cast<std::size_t>(body.routeOf(operation));
    const auto refuse = [&](const std::string& what) {
        return Error{ErrorCode::InvalidInput, describe(program, operation) + ": " + what, {}, "links of this platform from NPU " + std::to_string(source) + " to NPU " + std::to_string(target)};
    };
    if (number >= body.routes.size())
        return refuse("there is no route " + std::to_string(number));
    const std::vector<std::int64_t>& way = body.routes[number];
    if (way.empty())
        return refuse("its route has no links");
    std::vector<std::int64_t> sorted = way;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() < 0 || sorted.back() >= platform.linkCount())
        return refuse("its route names a link the platform does not have");
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return refuse("its route crosses a link twice");
    NodeId at = source;
    std::int32_t throughSwitch = -1; // dimension whose switch the message is in
    LinkInfo up;
    for (const LinkId link : way) {
        const LinkInfo info = platform.linkInfo(link);
        if (platform.hasRemovals() && platform.isRemoved(link))
            return refuse("its route uses " + platform.linkName(link) + ", which is removed");
        const bool fromSwitch = info.from < 0;
        if (fromSwitch != (throughSwitch >= 0) || (!fromSwitch && info.from != at)
            || (fromSwitch && (info.dimension != throughSwitch || platform.withCoordinate(info.to, static_cast<std::size_t>(info.dimension), 0)
                                   != platform.withCoordinate(up.from, static_cast<std::size_t>(info.dimension), 0)))) {
            return refuse("its route is broken at " + platform.linkName(link));
        }
        throughSwitch = info.to < 0 ? info.dimension : -1;
        up = info;
        at = info.to;
    }
    return at == target ? Status{} : refuse("its route ends elsewhere, at " + platform.linkName(way.back()));
}

/// What is known of the switch of a team.
struct TeamSwitch {
    bool known = false;
    bool reduces = false;
};

/// Is there a switch that does what the operation asks, between the members of its team?
Status checkTeam(const Program& program, std::uint32_t operation, std::int32_t rank, const Platform& platform, std::span<const NodeId> members, std::vector<TeamSwitch>& switches)
{
    const ExplicitBody& body = program.asExplicit();
    const auto number = static_cast<std::size_t>(body.peer[operation]);
    if (body.peer[operation] < 0 || number >= body.teams.size())
        return invalidInput(describe(program, operation) + ": there is no team " + std::to_string(body.peer[operation]));
    const std::vector<std::int32_t>& team = body.teams[number];
    TeamSwitch& place = switches[number];
    if (!place.known) {
        const bool ranks = team.size() >= 2 && team.front() >= 0 && static_cast<std::size_t>(team.back()) < members.size()
            && std::adjacent_find(team.begin(), team.end(), std::greater_equal<>()) == team.end();
        if (!ranks)
            return invalidInput(describe(program, operation) + ": its team is not two or more ranks of the group", {}, "ranks in ascending order, 0 to " + std::to_string(members.size() - 1));
        std::vector<NodeId> nodes;
        for (const std::int32_t member : team)
            nodes.push_back(members[static_cast<std::size_t>(member)]);
        const auto found = offloadSwitchOf(platform, nodes);
        if (!found)
            return Error{found.error().code, describe(program, operation) + " is done by a switch: " + found.error().message, {}, found.error().expected};
        place = {true, offloadOf(platform, found.value()).reduction.has_value()};
    }
    if (!std::binary_search(team.begin(), team.end(), rank))
        return invalidInput(describe(program, operation) + " is not by a rank of its team");
    if (body.kind[operation] == OpKind::SwitchReduce && !place.reduces)
        return Error{ErrorCode::Unsupported, describe(program, operation) + ": the switch has no rate of reduction", {}, "in_network: {reduction: 400 GB/s} at the switch"};
    return {};
}

} // namespace

Result<ProgramPtr> slicedProgram(const ProgramPtr& program, std::int32_t slices)
{
    if (slices == 1)
        return program;
    const ExplicitBody& body = program->asExplicit();
    if (std::int64_t{body.size()} * slices > kMostOperations || std::int64_t{program->chunks} * slices > kMostChunks) {
        return Error{ErrorCode::Unsupported, std::to_string(slices) + " parts of the program " + program->name + " have more than " + std::to_string(kMostOperations) + " operations", {},
                     "fewer chunks"};
    }
    const std::int32_t chunks = program->chunks;
    const bool single = std::all_of(body.count.begin(), body.count.end(), [](std::int32_t count) { return count <= 1; });
    // Where chunk `chunk` of a buffer of `size` chunks (0: not known) goes in a part.
    const auto placed = [&](std::int32_t chunk, std::int32_t size, std::int32_t slice) {
        return chunk < 0 ? chunk : single ? chunk * slices + slice : slice * size + chunk;
    };
    const auto same = [](auto value, std::uint32_t, std::int32_t) { return value; };
    std::vector<std::int32_t> rankOf(body.size());
    for (std::size_t r = 0; r + 1 < body.rankBegin.size(); ++r)
        std::fill(rankOf.begin() + body.rankBegin[r], rankOf.begin() + body.rankBegin[r + 1], static_cast<std::int32_t>(r));
    const auto sizeAt = [&](std::uint32_t op, std::int32_t rank, BufferKind buffer) {
        if (!body.hasPlaces())
            return chunks;
        const BufferSizes& sizes = body.buffers[static_cast<std::size_t>(rank < 0 ? rankOf[op] : rank)];
        return buffer == BufferKind::Input ? sizes.input : buffer == BufferKind::Output ? sizes.output : sizes.scratch;
    };

    auto made = std::make_shared<Program>(*program);
    ExplicitBody& out = std::get<1>(made->body);
    made->chunks = chunks * slices;
    if (!single && !holdsEverything(program->op))
        made->op = CollectiveOp::Custom;
    made->provenance += (made->provenance.empty() ? "" : ", ") + std::to_string(slices) + " parts";
    for (std::uint32_t& begin : out.rankBegin)
        begin *= static_cast<std::uint32_t>(slices);
    out.kind = repeated(body, body.kind, slices, same);
    out.peer = repeated(body, body.peer, slices, same);
    out.connection = repeated(body, body.connection, slices, same);
    out.lane = repeated(body, body.lane, slices, same);
    out.count = repeated(body, body.count, slices, same);
    out.duration = repeated(body, body.duration, slices, same);
    out.sourceBuffer = repeated(body, body.sourceBuffer, slices, same);
    out.targetBuffer = repeated(body, body.targetBuffer, slices, same);
    out.step = repeated(body, body.step, slices, same);
    out.slot = repeated(body, body.slot, slices, same);
    out.sourceId = repeated(body, body.sourceId, slices, same);
    out.fused = repeated(body, body.fused, slices, same);
    out.tags = repeated(body, body.tags, slices, same);
    out.startPs = repeated(body, body.startPs, slices, same);
    out.route = repeated(body, body.route, slices, same);
    out.chunk = repeated(body, body.chunk, slices, [&](std::int32_t chunk, std::uint32_t, std::int32_t slice) { return placed(chunk, chunks, slice); });
    out.bytes = repeated(body, body.bytes, slices, [&](std::int64_t bytes, std::uint32_t, std::int32_t slice) { return bytes < 0 ? bytes : blockBytes(bytes, slices, slice); });
    const auto isMemory = [](BufferKind buffer) { return buffer <= BufferKind::Scratch; }; // Elsewhere offsets mean nothing and stay.
    out.sourceOffset = repeated(body, body.sourceOffset, slices, [&](std::int32_t offset, std::uint32_t op, std::int32_t slice) {
        return !isMemory(body.sourceBuffer[op]) ? offset : placed(offset, sizeAt(op, -1, body.sourceBuffer[op]), slice);
    });
    out.targetOffset = repeated(body, body.targetOffset, slices, [&](std::int32_t offset, std::uint32_t op, std::int32_t slice) {
        return !isMemory(body.targetBuffer[op]) ? offset : placed(offset, sizeAt(op, body.kind[op] == OpKind::Put ? body.peer[op] : -1, body.targetBuffer[op]), slice);
    });
    out.dependBegin.assign(1, 0);
    out.depends.clear();
    for (std::size_t r = 0; r + 1 < body.rankBegin.size(); ++r) {
        const std::uint32_t size = body.rankBegin[r + 1] - body.rankBegin[r];
        for (std::int32_t slice = 0; slice < slices; ++slice) {
            const std::uint32_t shift = out.rankBegin[r] + static_cast<std::uint32_t>(slice) * size - body.rankBegin[r];
            for (std::uint32_t op = body.rankBegin[r]; op < body.rankBegin[r + 1]; ++op) {
                for (std::uint32_t k = body.dependBegin[op]; k < body.dependBegin[op + 1]; ++k)
                    out.depends.push_back(body.depends[k] + shift);
                out.dependBegin.push_back(static_cast<std::uint32_t>(out.depends.size()));
            }
        }
    }
    for (BufferSizes& sizes : out.buffers)
        sizes = {sizes.input * slices, sizes.output * slices, sizes.scratch * slices};
    out.chunkWeights.clear();
    for (std::size_t k = 0; !body.chunkWeights.empty() && k < static_cast<std::size_t>(made->chunks); ++k)
        out.chunkWeights.push_back(body.chunkWeights[single ? k / static_cast<std::size_t>(slices) : k % body.chunkWeights.size()]);
    if (made->op == CollectiveOp::Custom)
        made->conditions = nullptr; // They name the chunks of the program as it was.
    return ProgramPtr(std::move(made));
}

Result<ProgramPtr> withInstances(const ProgramPtr& program, std::int32_t instances)
{
    auto sliced = slicedProgram(program, instances);
    if (!sliced || instances == 1)
        return sliced;
    if (sliced.value()->op != program->op)
        return Error{ErrorCode::Unsupported, "operations move several chunks at once, and the ranks of " + std::string(collectiveKey(program->op)) + " own neighbouring chunks", {}, "1 instance"};
    auto made = std::make_shared<Program>(*sliced.value());
    made->provenance = program->provenance + (program->provenance.empty() ? "" : ", ") + std::to_string(instances) + " instances";
    const ExplicitBody& body = program->asExplicit();
    ExplicitBody& out = std::get<1>(made->body);
    std::int64_t channels = 1;
    std::int64_t lanes = 1;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        channels = std::max<std::int64_t>(channels, std::int64_t{body.connection[op]} + 1);
        lanes = std::max<std::int64_t>(lanes, std::int64_t{body.lane[op]} + 1);
    }
    if (channels * instances > INT32_MAX || lanes * instances > INT32_MAX)
        return Error{ErrorCode::Unsupported, std::to_string(instances) + " instances have more than 2^31 channels or lanes", {}, "fewer instances"};
    for (std::size_t rank = 0; rank + 1 < body.rankBegin.size(); ++rank) {
        const std::uint32_t size = body.rankBegin[rank + 1] - body.rankBegin[rank];
        for (std::uint32_t op = out.rankBegin[rank]; op < out.rankBegin[rank + 1]; ++op) {
            const auto instance = static_cast<std::int32_t>((op - out.rankBegin[rank]) / size);
            const bool message = out.kind[op] == OpKind::Send || receives(out.kind[op]) || out.kind[op] == OpKind::Put || out.kind[op] == OpKind::Signal || out.kind[op] == OpKind::Wait;
            out.connection[op] += message ? instance * static_cast<std::int32_t>(channels) : 0;
            out.lane[op] += out.lane[op] < 0 ? 0 : instance * static_cast<std::int32_t>(lanes);
        }
    }
    return ProgramPtr(std::move(made));
}

std::int32_t slotsOf(WireProtocol protocol)
{
    switch (protocol) {
    case WireProtocol::Simple:
        return 2;
    case WireProtocol::LL:
    case WireProtocol::LL128:
        return 8;
    case WireProtocol::Any:
        break;
    }
    return 0;
}

ProgramPtr withSlots(const ProgramPtr& program, std::int32_t receiveSlots)
{
    if (program->isTemplate() || program->asExplicit().receiveSlots == receiveSlots)
        return program;
    auto made = std::make_shared<Program>(*program);
    std::get<1>(made->body).receiveSlots = receiveSlots;
    return made;
}

Status checkRunnable(const Program& program, const Platform& platform, std::span<const NodeId> members)
{
    if (program.isTemplate()) {
        if (usesSwitches(program))
            return Error{ErrorCode::Unsupported, "in_network is an algorithm along the dimensions: only there it is known which switch works", {}, "algorithm: in_network"};
        return {};
    }
    const ExplicitBody& body = program.asExplicit();
    std::vector<TeamSwitch> switches(body.teams.size());
    for (std::size_t r = 0; r + 1 < body.rankBegin.size(); ++r) {
        for (std::uint32_t op = body.rankBegin[r]; op < body.rankBegin[r + 1]; ++op) {
            const OpKind kind = body.kind[op];
            if (kind == OpKind::SwitchReduce || kind == OpKind::SwitchMulticast) {
                if (Status status = checkTeam(program, op, static_cast<std::int32_t>(r), platform, members, switches); !status)
                    return status;
                continue;
            }
            if (kind == OpKind::Put || kind == OpKind::Signal || kind == OpKind::Wait)
                return Error{ErrorCode::Unsupported, describe(program, op) + " is one-sided", {}, "sends and receives"};
            if ((kind == OpKind::Send || receives(kind)) && (body.peer[op] < 0 || static_cast<std::size_t>(body.peer[op]) >= members.size()))
                return invalidInput(describe(program, op) + ": rank " + std::to_string(body.peer[op]) + " does not exist", {}, "0 to " + std::to_string(members.size() - 1));
            if (kind != OpKind::Send || body.routeOf(op) < 0)
                continue;
            if (Status status = checkRoute(program, op, platform, members[r], members[static_cast<std::size_t>(body.peer[op])]); !status)
                return status;
        }
    }
    return {};
}

} // namespace fabricscope
