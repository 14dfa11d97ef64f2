#pragma once

#include "core/plan/pipeline/orders.h"

#include <array>
#include <deque>

namespace fabricscope {

/// Notes down the operations of one rank, counting the micro-batches of each of its stages.
class OrderBuilder {
public:
    OrderBuilder(const PipelineShape& shape, std::int32_t rank);

    /// The next micro-batch of the chunk; those that do not exist are counted and left out.
    void forward(std::int32_t chunk);
    void backward(std::int32_t chunk);
    void full(std::int32_t chunk);
    /// Its weight gradients come in the order of its micro-batches.
    void weight(std::int32_t chunk);
    /// The oldest weight gradient of any chunk that backward() left.
    void oldestWeight();
    /// An overlapped pair.
    void pair(std::int32_t forwardChunk, std::int32_t backwardChunk);

    std::int64_t forwards(std::int32_t chunk) const { return m_forward[static_cast<std::size_t>(chunk)]; }
    std::int64_t weights(std::int32_t chunk) const { return m_weight[static_cast<std::size_t>(chunk)]; }
    /// The next operation needs no counting: stage and micro-batch as given.
    void add(PipelineOperation::Kind kind, std::int32_t stage, std::int64_t microBatch);
    std::vector<PipelineOperation> take() { return std::move(m_operations); }

private:
    PipelinePass pass(std::int32_t chunk, std::int64_t microBatch) const;
    void addCounted(PipelineOperation::Kind kind, std::int32_t chunk, std::int64_t microBatch);

    const PipelineShape& m_shape;
    std::array<std::int32_t, 2> m_stage{};     ///< Of the first two chunks.
    std::array<std::int32_t, 2> m_direction{};
    std::array<std::int64_t, 2> m_forward{};
    std::array<std::int64_t, 2> m_backward{};
    std::array<std::int64_t, 2> m_weight{};
    std::deque<std::pair<std::int32_t, std::int64_t>> m_left; ///< Chunk, micro-batch.
    std::vector<PipelineOperation> m_operations;
};

// One function for each family of schedules, in straightorders.cpp and bentorders.cpp; \pre checkPipeline().
std::vector<PipelineOperation> singleStageOrder(const PipelineShape& shape, std::int32_t rank); ///< gpipe, 1f1b, zb_h1, zb_h2.
std::vector<PipelineOperation> interleavedOrder(const PipelineShape& shape, std::int32_t rank);
std::vector<PipelineOperation> veeOrder(const PipelineShape& shape, std::int32_t rank);         ///< zb_v.
std::vector<PipelineOperation> dualOrder(const PipelineShape& shape, std::int32_t rank);        ///< dualpipe, dualpipe_v.

} // namespace fabricscope
