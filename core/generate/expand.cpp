// Templates, transfer by transfer: what is refused, and the kinds of programs.
#include "core/generate/expand.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/generate/expandlayout.h"
#include "core/generate/families.h"
#include "core/program/innetwork.h"
#include "core/program/nativerule.h"

#include <algorithm>

namespace fabricscope {

namespace {

using namespace generate;

Error unsupported(std::string message, std::string expected = {})
{
    return Error{ErrorCode::Unsupported, std::move(message), {}, std::move(expected)};
}

bool isVector(CollectiveOp op)
{
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllGather;
}

/// What the phases of a chunk are for this collective; others mean nothing that could be written out.
bool fits(CollectiveOp op, const std::vector<PhaseTemplate>& phases, const std::vector<std::int32_t>& axes)
{
    std::int32_t up = 0;
    std::int32_t down = 0;
    std::int32_t whole = 0;
    std::vector<std::int32_t> times(axes.size(), 0);
    std::vector<std::int32_t> open;
    for (const PhaseTemplate& phase : phases) {
        if (phase.axis < 0 || static_cast<std::size_t>(phase.axis) >= axes.size())
            return false;
        ++times[at(phase.axis)];
        switch (phase.kind) {
        case PhaseKind::ReduceScatter:
            if (down + whole > 0)
                return false;
            ++up;
            open.push_back(phase.axis);
            break;
        case PhaseKind::AllGather:
            ++down;
            if (op == CollectiveOp::AllReduce) {
                if (open.empty() || open.back() != phase.axis)
                    return false;
                open.pop_back();
            }
            break;
        case PhaseKind::AllReduce:
            if (down > 0)
                return false;
            ++whole;
            break;
        case PhaseKind::AllToAll:
            if (op != CollectiveOp::AllToAll)
                return false;
            break;
        case PhaseKind::Broadcast:
            if (op != CollectiveOp::Broadcast)
                return false;
            break;
        }
    }
    const auto each = [&](std::int32_t count) { return std::all_of(times.begin(), times.end(), [count](std::int32_t n) { return n == count; }); };
    switch (op) {
    case CollectiveOp::AllReduce:
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const bool once = std::any_of(phases.begin(), phases.end(), [axis](const PhaseTemplate& phase) {
                return phase.kind == PhaseKind::AllReduce && static_cast<std::size_t>(phase.axis) == axis;
            });
            if (times[axis] != (once ? 1 : 2))
                return false;
        }
        return open.empty() && whole <= 1 && up == down;
    case CollectiveOp::ReduceScatter:
        return down + whole == 0 && each(1);
    case CollectiveOp::AllGather:
        return up + whole == 0 && each(1);
    case CollectiveOp::AllToAll:
    case CollectiveOp::Broadcast:
        return up + down + whole == 0 && each(1);
    default:
        return false;
    }
}

/// Parts a chunk is cut in.
std::int64_t blocksOf(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    if (program.op == CollectiveOp::Broadcast)
        return 1;
    std::int64_t blocks = 1;
    for (const std::int32_t extent : body.axes)
        blocks *= extent;
    for (const PhaseTemplate& phase : body.phases) {
        if (phase.kind == PhaseKind::AllReduce)
            blocks = blocks / body.axes[at(phase.axis)] * (nativeRule(phase.algorithm).halves ? 2 : 1);
    }
    return blocks;
}

/// An upper bound.
std::int64_t transfersOf(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    // Split messages: of one block of several chunks, or what goes back to an extra of halving-doubling.
    const bool split = !body.chunkWeights.empty();
    std::int64_t each = 0;
    for (const PhaseTemplate& phase : body.phases) {
        const std::int32_t extent = body.axes[at(phase.axis)];
        each += messageCount(phase, extent) * (program.ranks / extent) * (split ? program.ranks / extent : 1);
    }
    return each * program.chunks;
}

Status check(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    if (program.window > 0)
        return unsupported("a window of chunks cannot be written out: which chunks wait is decided in the run", "no window");
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        if (!fits(program.op, body.phasesOf(chunk), body.axes))
            return unsupported("the phases of chunk " + std::to_string(chunk) + " are not those of " + std::string(collectiveKey(program.op)),
                               "all_reduce, reduce_scatter, all_gather, all_to_all or broadcast with every axis once each way");
        if (body.orderOfChunk.empty())
            break;
    }
    if (usesSwitches(program)) {
        const bool only = body.phases.size() == 1 && body.orders.empty();
        if (!only)
            return unsupported("a phase in switches beside others cannot be written out", "one phase in_network, or none");
    }
    const auto tree = [](const std::vector<PhaseTemplate>& phases) {
        return std::any_of(phases.begin(), phases.end(), [](const PhaseTemplate& phase) { return phase.kind == PhaseKind::AllReduce; });
    };
    for (const std::vector<PhaseTemplate>& order : body.orders) {
        if (tree(order) || tree(body.phases))
            return unsupported("an all-reduce phase in chunks of several orders cannot be written out", "one order");
    }
    const std::int64_t transfers = transfersOf(program);
    if (transfers > kMaxGeneratedTransfers)
        return unsupported(std::to_string(transfers) + " transfers", "at most " + std::to_string(kMaxGeneratedTransfers));
    if (blocksOf(program) * program.chunks * (program.op == CollectiveOp::AllToAll ? program.ranks : 1) > INT32_MAX)
        return unsupported("more than 2^31 chunks", "fewer ranks or chunks");
    return {};
}

/// Every chunk from position 0, highest axis first.
void expandBroadcast(Writer& writer, const Program& program, const std::stop_token& stop)
{
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int32_t> strides = stridesOf(body.axes);
    for (std::size_t number = 0; number < body.phases.size(); ++number) {
        const PhaseTemplate& phase = body.phases[number];
        const auto axis = static_cast<std::size_t>(phase.axis);
        const AxisMessages messages = axisMessages(phase, body.axes[axis], {}, stop);
        for (const AxisMessage& message : messages.list) {
            for (const std::int32_t line : linesOf(body.axes, phase.axis)) {
                if (line % strides[axis] != 0)
                    continue; // Not at position 0 of the lower axes.
                for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
                    writer.send(line + message.from * strides[axis], writer.output(chunk, 0), line + message.to * strides[axis], writer.output(chunk, 0), 1,
                                writer.chunk(chunk, 0),
                                {.piece = chunk, .phase = static_cast<std::int32_t>(number), .step = message.step, .slot = message.slot, .dimension = phase.axis});
                }
            }
        }
    }
}

/// By chunk of the program and block.
void setWeights(Writer& writer, const Program& program, const std::stop_token& stop)
{
    const TemplateBody& body = program.asTemplate();
    if (body.chunkWeights.empty())
        return;
    std::vector<std::int64_t>& weights = writer.builder().extras().chunkWeights;
    weights.assign(static_cast<std::size_t>(writer.pieces()) * static_cast<std::size_t>(writer.blocks()), 0);
    for (std::int32_t chunk = 0; chunk < writer.pieces(); ++chunk) {
        checkStop(stop);
        for (std::int32_t block = 0; block < writer.blocks(); ++block)
            weights[at(writer.chunk(chunk, block))] = body.chunkWeights[at(chunk)];
    }
}

} // namespace

namespace generate {

std::vector<std::int32_t> linesOf(const std::vector<std::int32_t>& axes, std::int32_t axis)
{
    const std::int32_t stride = strideOf(axes, axis);
    const std::int32_t extent = axes[at(axis)];
    const std::int32_t ranks = strideOf(axes, static_cast<std::int64_t>(axes.size()));
    std::vector<std::int32_t> lines;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        if (rank / stride % extent == 0)
            lines.push_back(rank);
    }
    return lines;
}

} // namespace generate

namespace {

Result<ProgramPtr> expand(const ProgramPtr& program, const std::stop_token& stop)
{
    if (auto status = check(*program); !status)
        return std::move(status).error();
    Writer writer(program->op, program->ranks, program->chunks, static_cast<std::int32_t>(blocksOf(*program)), program->root);
    writer.lanes = false;
    writer.heed(stop);
    setWeights(writer, *program, stop);
    bool inPlace = true;
    bool outOfPlace = false;
    if (usesSwitches(*program)) {
        expandInSwitch(writer, *program);
    } else if (isVector(program->op)) {
        expandVector(writer, *program, stop);
        outOfPlace = !expandsInPlace(*program);
    } else if (program->op == CollectiveOp::AllToAll) {
        expandAllToAll(writer, *program);
        inPlace = false;
        outOfPlace = true;
    } else {
        expandBroadcast(writer, *program, stop);
    }
    Program& header = writer.builder().header();
    header.protocol = program->protocol;
    header.minBytes = program->minBytes;
    header.maxBytes = program->maxBytes;
    return writer.finish(program->name, program->provenance, inPlace, outOfPlace);
}

} // namespace

Result<ProgramPtr> expandTemplate(const ProgramPtr& program, const std::stop_token& stop)
{
    if (!program->isTemplate())
        return program;
    return untilStopped([&] { return expand(program, stop); });
}

} // namespace fabricscope
