#include "core/plan/lower/passtasks.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope {

void PassTasks::begin(const Pass& pass)
{
    m_unitOrder.clear();
    m_issued = m_reached = 0;
    m_gathered.clear();
    if (!pass.gathers)
        return;
    m_gathered.resize(pass.stage->units.size());
    for (const WorkPiece& piece : *pass.pieces) {
        for (std::int32_t i = 0; i < piece.unitCount; ++i)
            m_unitOrder.push_back(piece.unit + i);
    }
    for (; m_issued < std::min(m_unitOrder.size(), at(pass.step->prefetch)); ++m_issued)
        gather(pass, m_unitOrder[m_issued], pass.gatherAfter);
}

/// When a unit is reached, the one `prefetch` further on is gathered while it computes.
void PassTasks::addGathers(const Pass& pass, const WorkPiece& piece, std::vector<TaskIndex>& after)
{
    if (!pass.gathers || piece.unitCount == 0)
        return;
    const std::vector<TaskIndex> before = after;
    for (std::int32_t i = 0; i < piece.unitCount; ++i) {
        ++m_reached;
        for (; m_issued < std::min(m_unitOrder.size(), m_reached + at(pass.step->prefetch)); ++m_issued)
            gather(pass, m_unitOrder[m_issued], before);
        const std::vector<TaskIndex>& gathered = m_gathered[at(piece.unit + i)];
        after.insert(after.end(), gathered.begin(), gathered.end());
    }
}

void PassTasks::gather(const Pass& pass, std::int32_t unit, const std::vector<TaskIndex>& after)
{
    const ParameterUnit& bytes = pass.stage->units[at(unit)];
    std::vector<TaskIndex>& made = m_gathered[at(unit)];
    if (bytes.dense > 0 && pass.step->dense.shard >= 0)
        made.push_back(m_writer.collective("parameters", CollectiveOp::AllGather, bytes.dense, pass.step->dense.shard, after));
    if (bytes.experts > 0 && pass.step->experts.shard >= 0)
        made.push_back(m_writer.collective("parameters of experts", CollectiveOp::AllGather, bytes.experts, pass.step->experts.shard, after));
}

std::vector<TaskIndex> PassTasks::addPiece(const WorkPiece& piece, const std::string& name, const std::vector<TaskIndex>& after)
{
    switch (piece.kind) {
    case WorkPiece::Kind::Compute: return {m_writer.compute(name, piece.cost, after)};
    case WorkPiece::Kind::Collective: return {m_writer.collective(name, piece.op, piece.bytes, piece.family, after)};
    case WorkPiece::Kind::Ring: return addRing(piece, name, after);
    }
    return after;
}

/// Block k needs keys and values of the k-th rank before; they go on while they are used. Gradients of keys and values follow them, each block adding its own.
std::vector<TaskIndex> PassTasks::addRing(const WorkPiece& piece, const std::string& name, const std::vector<TaskIndex>& after)
{
    const std::int64_t blocks = piece.ringSteps + 1;
    const auto share = [&](std::int64_t whole, std::int64_t block) { return whole / blocks + (block < whole % blocks ? 1 : 0); };
    const auto costOf = [&](std::int64_t block) {
        return TaskWriter::Cost{piece.cost.durationPs < 0 ? -1 : share(piece.cost.durationPs, block), share(piece.cost.operations, block), share(piece.cost.bytes, block), true};
    };
    TaskIndex block = m_writer.compute(name, costOf(0), after);
    std::vector<TaskIndex> has = after; // Keys and values to hand on.
    TaskIndex gradient = -1;
    for (std::int64_t step = 1; step < blocks; ++step) {
        m_writer.message(TaskKind::Send, "send keys and values", piece.bytes, m_place.ringNext, m_ringTag, has);
        has = {m_writer.message(TaskKind::Receive, "receive keys and values", piece.bytes, m_place.ringPrevious, m_ringTag++, {})};
        if (piece.ringBackward) {
            m_writer.message(TaskKind::Send, "send their gradients", piece.bytes, m_place.ringNext, m_ringTag, {block, gradient});
            gradient = m_writer.message(TaskKind::Receive, "receive their gradients", piece.bytes, m_place.ringPrevious, m_ringTag++, {});
        }
        block = m_writer.compute(name, costOf(step), {block, has.front()});
    }
    return gradient >= 0 ? std::vector{block, gradient} : std::vector{block};
}

} // namespace fabricscope
