#pragma once

#include "core/plan/lower/stagework.h"

#include <map>

namespace fabricscope {

/// Sums gradients of parameters that ranks have in common while backward passes run, and ends the step: what is left, the optimizer, updated parameters.
class GradientTasks {
public:
    /// `parts`: stages of the rank, all directions; the micro-batch is complete when each has made its gradients. `last`: the last micro-batch of each.
    GradientTasks(const StepWork& step, TaskWriter& writer, std::int32_t parts, std::int32_t last)
        : m_step(step)
        , m_writer(writer)
        , m_parts(parts)
        , m_last(last)
    {
    }

    /// Gradients of a piece are there when `task` has ended.
    void made(const WorkPiece& piece, std::int32_t microBatch, TaskIndex task);
    /// The last piece of a stage's backward pass has been added.
    void stageDone(std::int32_t microBatch, TaskIndex task);
    /// Behind the last operation of the rank.
    void finish(const std::vector<TaskIndex>& last);

private:
    /// Bytes that wait for their bucket.
    struct Bucket {
        std::int64_t waiting = 0;
        std::int64_t made = 0;
    };
    struct Sums {
        Bucket dense, experts;
        std::int32_t parts = 0;
    };
    struct Held {
        CollectiveOp op = CollectiveOp::AllReduce;
        std::int64_t bytes = 0;
        FamilyId family = 0;
    };

    bool sumsAt(std::int32_t microBatch) const { return m_step.zero == 2 || microBatch == m_last; }
    void fill(Bucket& bucket, const StateWork& states, std::int64_t bytes, TaskIndex task);
    void flush(Bucket& bucket, const StateWork& states, TaskIndex task);
    void sum(const StateWork& states, std::int64_t bytes, TaskIndex task);
    void inBuckets(const char* name, CollectiveOp op, std::int64_t bytes, FamilyId family, const std::vector<TaskIndex>& after, std::vector<TaskIndex>& made);

    const StepWork& m_step;
    TaskWriter& m_writer;
    std::int32_t m_parts;
    std::int32_t m_last;
    std::map<std::int32_t, Sums> m_sums; ///< By micro-batch.
    std::vector<TaskIndex> m_made;       ///< Collectives of gradients.
    std::vector<Held> m_held;            ///< Without overlap: until the end.
};

} // namespace fabricscope
