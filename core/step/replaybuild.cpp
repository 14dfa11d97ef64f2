// How a CollectiveReplay is put together from the messages of a run.
#include "core/step/collectivereplay.h"
#include "core/base/axes.h"
#include "core/base/stoppablesort.h"
#include "core/program/nativerule.h"
#include "core/step/explicitparts.h"
#include "core/step/placeparts.h"
#include "core/verify/carriedbytes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace fabricscope {

namespace {

Error cancelled()
{
    return {ErrorCode::Cancelled, "the replay was stopped", {}, {}};
}

/// Time to look at the stop token: a few hundred times in the longest list there is.
bool looksNow(const ReplayMove& move, const std::vector<ReplayMove>& moves)
{
    return (&move - moves.data()) % (1 << 14) == 0;
}

} // namespace

/// Parts and effects of the moves of a template program; carried() asks for nothing but the move itself.
Status CollectiveReplay::addTemplateParts(const std::stop_token& stop)
{
    const auto parts = std::make_shared<const TemplateParts>(*definition().program);
    m_parts = parts;
    const TemplateBody& body = definition().program->asTemplate();
    for (ReplayMove& move : m_moves) {
        const PhaseTemplate& phase = body.phasesOf(move.chunk)[static_cast<std::size_t>(move.phase)];
        const std::int32_t extent = body.axes[static_cast<std::size_t>(phase.axis)];
        if (phase.kind == PhaseKind::ReduceScatter || phase.kind == PhaseKind::AllReduce)
            move.reduces = nativeRule(phase.algorithm).reduces(phase, extent, move.step);
        move.effect = parts->effectOf(move.phase, move.reduces);
        const PartRange range = parts->carried(move.phase, phase.minus, move.source, move.step, move.slot);
        move.firstPart = range.first;
        move.partCount = range.count;
        if (looksNow(move, m_moves) && stop.stop_requested())
            return cancelled();
    }
    return {};
}

/// Which send operation every message of an explicit program comes from, and its step.
Status CollectiveReplay::assignOperations(const std::stop_token& stop)
{
    ExplicitSends sends(*definition().program, bytes(), stop);
    sortUntilStopped(m_moves, [](const ReplayMove& a, const ReplayMove& b) {
        return std::tie(a.readyPs, a.leftPs, a.donePs, a.source, a.target) < std::tie(b.readyPs, b.leftPs, b.donePs, b.source, b.target);
    }, stop);
    for (ReplayMove& move : m_moves) {
        checkStop(stop);
        const std::int32_t operation = sends.take({move.source, move.target, move.chunk, move.step, move.slot, move.bytes});
        if (operation < 0)
            return Error{ErrorCode::Unsupported, "this program has messages that come from no send: stepping cannot tell what they carry", {}, {}};
        move.firstPart = static_cast<std::uint32_t>(operation); // Until addExplicitParts().
        move.chunk = 0;
        move.step = sends.stepOf(operation);
        move.reduces = sends.reduces(operation);
        move.effect = MoveEffect::Joins;
    }
    return {};
}

void CollectiveReplay::addExplicitParts(const std::stop_token& stop)
{
    const std::int64_t overhead = m_scenario->params->endpointDelay.ps;
    std::vector<ExplicitMove> moves;
    for (const std::uint32_t number : m_completion) {
        checkStop(stop);
        const ReplayMove& move = m_moves[number];
        moves.push_back({move.source, move.target, static_cast<std::int32_t>(move.firstPart), move.readyPs - overhead, move.donePs});
    }
    const auto parts = std::make_shared<const ExplicitParts>(*definition().program, op(), moves, stop);
    m_parts = parts;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const PartRange range = parts->carried(i);
        m_moves[m_completion[i]].firstPart = range.first;
        m_moves[m_completion[i]].partCount = range.count;
    }
}

/// The program with its places, at the times of the messages.
Status CollectiveReplay::addPlaces(const std::stop_token& stop)
{
    const ProgramPtr& program = definition().program;
    const ExplicitBody& body = program->asExplicit();
    const OperationBytes sizes = carriedBytes(*program, bytes(), stop);
    checkStop(stop);
    std::vector<SendTimes> times(body.size());
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] == OpKind::Send && sizes.of(op) > 0)
            times[op] = {SendTimes::kNever, SendTimes::kNever}; // Until a message says when.
    }
    const std::int64_t overhead = m_scenario->params->endpointDelay.ps;
    for (const ReplayMove& move : m_moves) {
        m_operations.push_back(move.firstPart);
        times[move.firstPart] = {move.readyPs - overhead, move.donePs};
    }
    ProgramReplayOptions options;
    options.times = times;
    options.stop = stop;
    auto replay = ProgramReplay::create(program, options);
    if (!replay)
        return std::move(replay).error();
    m_program = std::move(replay).value();
    const auto parts = std::make_shared<const PlaceParts>(m_program, bytes(), m_operations, stop);
    m_parts = parts;
    for (std::size_t i = 0; i < m_moves.size(); ++i) {
        m_moves[i].firstPart = parts->carried(i).first;
        m_moves[i].partCount = parts->carried(i).count;
    }
    return {};
}

Status CollectiveReplay::sortMoves(const std::stop_token& stop)
{
    // Numbers are sorted and moves then put in place once: a move is many words.
    std::vector<std::uint32_t> order(m_moves.size());
    std::iota(order.begin(), order.end(), 0u);
    const bool sorted = stoppableSort<std::uint32_t>(order.begin(), order.end(), [this](std::uint32_t first, std::uint32_t second) {
        const ReplayMove& a = m_moves[first];
        const ReplayMove& b = m_moves[second];
        return std::tie(a.chunk, a.phase, a.step, a.readyPs, a.source, a.slot, a.target, a.leftPs, a.donePs)
             < std::tie(b.chunk, b.phase, b.step, b.readyPs, b.source, b.slot, b.target, b.leftPs, b.donePs);
    }, stop);
    if (!sorted)
        return cancelled();
    std::vector<ReplayMove> moves;
    moves.reserve(m_moves.size());
    for (const std::uint32_t number : order) {
        moves.push_back(m_moves[number]);
        if (looksNow(moves.back(), moves) && stop.stop_requested())
            return cancelled();
    }
    m_moves = std::move(moves);

    m_moveBegin.assign(static_cast<std::size_t>(chunks()) + 1, 0);
    for (const ReplayMove& move : m_moves)
        ++m_moveBegin[static_cast<std::size_t>(move.chunk) + 1];
    std::partial_sum(m_moveBegin.begin(), m_moveBegin.end(), m_moveBegin.begin());
    return {};
}

/// Moves of every chunk by their ends, and of every source by when they left.
Status CollectiveReplay::orderCompletions(const std::stop_token& stop)
{
    m_completion.resize(m_moves.size());
    std::iota(m_completion.begin(), m_completion.end(), 0u);
    m_longest.assign(static_cast<std::size_t>(chunks()), 0);
    const auto at = [](std::vector<std::uint32_t>& list, std::size_t index) { return list.begin() + static_cast<std::ptrdiff_t>(index); };
    for (std::size_t chunk = 0; chunk + 1 < m_moveBegin.size(); ++chunk) {
        const bool sorted = stoppableSort<std::uint32_t>(at(m_completion, m_moveBegin[chunk]), at(m_completion, m_moveBegin[chunk + 1]),
                                                         [this](std::uint32_t first, std::uint32_t second) {
            const ReplayMove& a = m_moves[first];
            const ReplayMove& b = m_moves[second];
            return std::tie(a.donePs, a.readyPs, a.source, a.slot, a.target) < std::tie(b.donePs, b.readyPs, b.source, b.slot, b.target);
        }, stop);
        if (!sorted)
            return cancelled();
    }

    m_sourceBegin.assign(static_cast<std::size_t>(size()) + 1, 0);
    m_begin = std::numeric_limits<std::int64_t>::max();
    for (const ReplayMove& move : m_moves) {
        ++m_sourceBegin[static_cast<std::size_t>(move.source) + 1];
        m_begin = std::min(m_begin, move.readyPs);
        m_end = std::max(m_end, move.donePs);
        std::int64_t& longest = m_longest[static_cast<std::size_t>(move.chunk)];
        longest = std::max(longest, move.donePs - move.readyPs);
    }
    std::partial_sum(m_sourceBegin.begin(), m_sourceBegin.end(), m_sourceBegin.begin());
    std::vector<std::size_t> place(m_sourceBegin.begin(), m_sourceBegin.end() - 1);
    m_bySource.resize(m_moves.size());
    for (std::uint32_t number = 0; number < m_moves.size(); ++number)
        m_bySource[place[static_cast<std::size_t>(m_moves[number].source)]++] = number;
    for (std::size_t source = 0; source + 1 < m_sourceBegin.size(); ++source) {
        const bool sorted = stoppableSort<std::uint32_t>(at(m_bySource, m_sourceBegin[source]), at(m_bySource, m_sourceBegin[source + 1]),
                                                         [this](std::uint32_t a, std::uint32_t b) { return m_moves[a].leftPs < m_moves[b].leftPs; }, stop);
        if (!sorted)
            return cancelled();
    }
    return {};
}

void CollectiveReplay::addSteps(const std::stop_token& stop)
{
    const Program& program = *definition().program;
    m_stepBegin.push_back(0);
    for (std::size_t chunk = 0; chunk + 1 < m_moveBegin.size(); ++chunk) {
        for (std::size_t number = m_moveBegin[chunk]; number < m_moveBegin[chunk + 1];) {
            checkStop(stop);
            const ReplayMove& first = m_moves[number];
            ReplayStep step;
            step.chunk = first.chunk;
            step.phase = first.phase;
            step.step = first.step;
            step.firstMove = static_cast<std::uint32_t>(number);
            step.beginPs = first.readyPs;
            for (; number < m_moveBegin[chunk + 1] && m_moves[number].phase == first.phase && m_moves[number].step == first.step; ++number) {
                step.bytesEach = std::max(step.bytesEach, m_moves[number].bytes);
                step.beginPs = std::min(step.beginPs, m_moves[number].readyPs);
                step.endPs = std::max(step.endPs, m_moves[number].donePs);
            }
            step.moveCount = static_cast<std::uint32_t>(number) - step.firstMove;
            if (program.isTemplate()) {
                const PhaseTemplate& phase = program.asTemplate().phasesOf(first.chunk)[static_cast<std::size_t>(first.phase)];
                step.kind = phase.kind;
                step.dimension = m_dimensionOfAxis[static_cast<std::size_t>(phase.axis)];
                if (!layout().levels.empty())
                    step.level = phase.axis;
            } else {
                step.kind = op() == CollectiveOp::AllGather ? PhaseKind::AllGather
                    : op() == CollectiveOp::AllToAll        ? PhaseKind::AllToAll
                    : op() == CollectiveOp::ReduceScatter   ? PhaseKind::ReduceScatter
                                                            : PhaseKind::AllReduce;
                step.dimension = dimensionOf(std::span<const ReplayMove>(m_moves).subspan(step.firstMove, step.moveCount));
            }
            m_steps.push_back(step);
        }
        m_stepBegin.push_back(m_steps.size());
    }
}

/// The one dimension in which the ends of all moves differ; -1: there is none.
std::int32_t CollectiveReplay::dimensionOf(std::span<const ReplayMove> moves) const
{
    const Platform& platform = m_scenario->structure->platform;
    std::int32_t found = -1;
    for (const ReplayMove& move : moves) {
        for (std::size_t d = 0; d < platform.dimensions().size(); ++d) {
            if (platform.coordinate(nodeAt(move.source), d) == platform.coordinate(nodeAt(move.target), d))
                continue;
            if (found >= 0 && found != static_cast<std::int32_t>(d))
                return -1;
            found = static_cast<std::int32_t>(d);
        }
    }
    return found;
}

/// The platform dimension every axis of a template runs along: neighbours on the axis differ in it alone.
void CollectiveReplay::findDimensions()
{
    const Program& program = *definition().program;
    if (!program.isTemplate())
        return;
    const std::vector<std::int32_t>& extents = program.asTemplate().axes;
    const std::vector<std::int32_t> strides = stridesOf(extents);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int32_t stride = strides[axis];
        std::vector<ReplayMove> neighbours;
        for (std::int32_t position = 0; position < size() && !m_scenario->structure->platform.isExplicit(); ++position) {
            if (position / stride % extents[axis] + 1 == extents[axis])
                continue;
            ReplayMove pair;
            pair.source = position;
            pair.target = position + stride;
            neighbours.push_back(pair);
        }
        m_dimensionOfAxis.push_back(dimensionOf(neighbours));
    }
}

} // namespace fabricscope
