#include "core/sim/events/expectedmessages.h"

#include "core/base/index.h"
#include "core/program/nativerule.h"
#include "core/verify/carriedbytes.h"

#include <map>
#include <utility>

namespace fabricscope::events {

namespace {

std::int64_t piecesOf(std::int64_t bytes, std::int64_t pieceBytes)
{
    return bytes <= 0 ? 0 : bytes / pieceBytes + (bytes % pieceBytes != 0 ? 1 : 0);
}

/// One chunk of this size through all its phases, all members together.
std::int64_t chunkPieces(const Program& program, std::span<const PhaseTemplate> phases, std::int64_t chunk, std::int64_t pieceBytes)
{
    if (chunk <= 0)
        return 0;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> origin(body.axes.size(), 0);
    std::int64_t total = 0;
    for (std::size_t number = 0; number < phases.size(); ++number) {
        const PhaseTemplate& phase = phases[number];
        const std::int32_t extent = body.axes[at(phase.axis)];
        const std::int64_t held = heldBytes(body.axes, phases, number, chunk, origin);
        if (nativeRule(phase.algorithm).halves) {
            const std::int64_t perTree = piecesOf(held / 2, pieceBytes) + piecesOf(held - held / 2, pieceBytes);
            total += program.ranks / extent * 2 * std::int64_t{extent - 1} * perTree;
            continue;
        }
        const PhaseRules rules(phase, extent);
        if (phase.kind == PhaseKind::Broadcast) { // Lines at 0 on all lower axes.
            std::int64_t lines = 1;
            for (std::size_t axis = static_cast<std::size_t>(phase.axis) + 1; axis < body.axes.size(); ++axis)
                lines *= body.axes[axis];
            total += lines * (rules.rule().sequence == Sequence::InSwitch ? 1 : extent - 1) * piecesOf(held, pieceBytes);
            continue;
        }
        std::int64_t ofOne = 0;
        for (std::int32_t send = 0; send < rules.sendCount(0); ++send)
            ofOne += piecesOf(rules.send(0, send, held).bytes, pieceBytes);
        total += ofOne * program.ranks;
    }
    return total;
}

} // namespace

std::int64_t expectedPieces(const Program& program, std::int64_t bytes, std::int64_t pieceBytes, const std::stop_token& stop)
{
    if (program.isTemplate()) {
        const TemplateBody& body = program.asTemplate();
        const std::vector<std::int64_t> sizes = chunkSizes(program, bytes);
        std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> known; // chunks of one size and order are alike
        std::int64_t total = 0;
        for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
            const auto i = static_cast<std::size_t>(chunk);
            const auto [entry, added] = known.try_emplace({sizes[i], body.orderOfChunk.empty() ? 0 : body.orderOfChunk[i]}, 0);
            if (added)
                entry->second = chunkPieces(program, body.phasesOf(chunk), sizes[i], pieceBytes);
            total += entry->second;
        }
        return total;
    }
    const ExplicitBody& body = program.asExplicit();
    const OperationBytes sizes = carriedBytes(program, bytes, stop);
    std::int64_t total = 0;
    for (std::uint32_t operation = 0; operation < body.size(); ++operation) {
        const OpKind kind = body.kind[operation];
        const bool copied = kind == OpKind::SwitchMulticast && body.sourceBuffer[operation] != BufferKind::Fused;
        const std::size_t senders = kind == OpKind::SwitchReduce ? body.teams[at(body.peer[operation])].size() : kind == OpKind::Send || copied ? 1 : 0;
        total += senders == 0 ? 0 : static_cast<std::int64_t>(senders) * piecesOf(sizes.of(operation), pieceBytes);
    }
    return total;
}

std::int64_t expectedPieces(const Scenario& scenario, bool wholeMessages, std::int32_t copies, const std::stop_token& stop)
{
    const Structure& structure = *scenario.structure;
    const std::int64_t pieceBytes = wholeMessages ? INT64_MAX : scenario.params->pieceBytes;
    std::map<std::pair<const Program*, std::int64_t>, std::int64_t> known;
    std::int64_t total = 0;
    for (const CollectiveInstance& instance : structure.instances) {
        if (!instance.program || instance.replayPs >= 0)
            continue;
        if (stop.stop_requested())
            return 0;
        const auto [entry, added] = known.try_emplace({instance.program.get(), instance.bytes}, 0);
        if (added)
            entry->second = expectedPieces(*instance.program, instance.bytes, pieceBytes, stop);
        total += entry->second;
    }
    total /= copies;
    const Workload& workload = *structure.workload;
    std::vector<std::int64_t> ofGraph;
    for (const auto& graph : workload.graphs) {
        std::int64_t sum = 0;
        for (TaskIndex task = 0; task < graph->size(); ++task) {
            if (graph->kind[at(task)] == TaskKind::Send)
                sum += piecesOf(graph->bytes[at(task)], pieceBytes);
        }
        ofGraph.push_back(sum);
    }
    for (std::int32_t rank = 0; rank < workload.rankCount; ++rank)
        total += ofGraph[workload.graphOfRank.empty() ? 0 : static_cast<std::size_t>(workload.graphOfRank[at(rank)])];
    return total;
}

} // namespace fabricscope::events
