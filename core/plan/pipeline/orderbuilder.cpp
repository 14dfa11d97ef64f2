#include "core/plan/pipeline/orderbuilder.h"

#include "core/base/index.h"

namespace fabricscope {

OrderBuilder::OrderBuilder(const PipelineShape& shape, std::int32_t rank)
    : m_shape(shape)
{
    const std::int32_t p = shape.ranks;
    switch (shape.schedule) {
    case PipelineSchedule::DualPipe: {
        // The first "chunk" is the direction whose start is nearer.
        const std::int32_t near = rank < p / 2 ? 0 : 1;
        m_direction = {near, 1 - near};
        m_stage = {near == 0 ? rank : p - 1 - rank, near == 0 ? p - 1 - rank : rank};
        break;
    }
    case PipelineSchedule::ZeroBubbleV:
    case PipelineSchedule::DualPipeV: m_stage = {rank, 2 * p - 1 - rank}; break;
    default: m_stage = {rank, p + rank};
    }
}

PipelinePass OrderBuilder::pass(std::int32_t chunk, std::int64_t microBatch) const
{
    return {m_stage[at(chunk)], static_cast<std::int32_t>(microBatch), m_direction[at(chunk)]};
}

void OrderBuilder::addCounted(PipelineOperation::Kind kind, std::int32_t chunk, std::int64_t microBatch)
{
    if (microBatch < m_shape.perDirection())
        m_operations.push_back({kind, pass(chunk, microBatch), {}});
}

void OrderBuilder::forward(std::int32_t chunk)
{
    addCounted(PipelineOperation::Kind::Forward, chunk, m_forward[at(chunk)]++);
}

void OrderBuilder::backward(std::int32_t chunk)
{
    m_left.emplace_back(chunk, m_backward[at(chunk)]);
    addCounted(PipelineOperation::Kind::Backward, chunk, m_backward[at(chunk)]++);
}

void OrderBuilder::full(std::int32_t chunk)
{
    addCounted(PipelineOperation::Kind::FullBackward, chunk, m_backward[at(chunk)]++);
}

void OrderBuilder::weight(std::int32_t chunk)
{
    addCounted(PipelineOperation::Kind::Weight, chunk, m_weight[at(chunk)]++);
}

void OrderBuilder::oldestWeight()
{
    const auto [chunk, microBatch] = m_left.front();
    m_left.pop_front();
    addCounted(PipelineOperation::Kind::Weight, chunk, microBatch);
}

void OrderBuilder::pair(std::int32_t forwardChunk, std::int32_t backwardChunk)
{
    m_operations.push_back({PipelineOperation::Kind::Pair, pass(forwardChunk, m_forward[at(forwardChunk)]++), pass(backwardChunk, m_backward[at(backwardChunk)]++)});
}

void OrderBuilder::add(PipelineOperation::Kind kind, std::int32_t stage, std::int64_t microBatch)
{
    m_operations.push_back({kind, {stage, static_cast<std::int32_t>(microBatch), 0}, {}});
}

} // namespace fabricscope
