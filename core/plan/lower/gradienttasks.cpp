#include "core/plan/lower/gradienttasks.h"

#include <algorithm>

namespace fabricscope {

void GradientTasks::made(const WorkPiece& piece, std::int32_t microBatch, TaskIndex task)
{
    if (piece.denseGradients == 0 && piece.expertGradients == 0)
        return;
    if (m_step.zero == 3) { // Units are whole: after every micro-batch, without buckets.
        if (piece.denseGradients > 0)
            sum(m_step.dense, piece.denseGradients, task);
        if (piece.copyGradients > 0)
            sum(m_step.dense, piece.copyGradients, task);
        if (piece.expertGradients > 0)
            sum(m_step.experts, piece.expertGradients, task);
        return;
    }
    if (!sumsAt(microBatch))
        return;
    Sums& sums = m_sums[microBatch];
    fill(sums.dense, m_step.dense, piece.denseGradients, task);
    fill(sums.experts, m_step.experts, piece.expertGradients, task);
}

void GradientTasks::stageDone(std::int32_t microBatch, TaskIndex task)
{
    if (m_step.zero == 3 || !sumsAt(microBatch))
        return;
    Sums& sums = m_sums[microBatch];
    if (++sums.parts < m_parts)
        return;
    flush(sums.dense, m_step.dense, task);
    flush(sums.experts, m_step.experts, task);
    m_sums.erase(microBatch);
}

void GradientTasks::fill(Bucket& bucket, const StateWork& states, std::int64_t bytes, TaskIndex task)
{
    bucket.waiting += bytes;
    bucket.made += bytes;
    for (; bucket.waiting >= m_step.bucket; bucket.waiting -= m_step.bucket)
        sum(states, m_step.bucket, task);
}

/// With what no layer of the rank makes: a copy of a tied table.
void GradientTasks::flush(Bucket& bucket, const StateWork& states, TaskIndex task)
{
    fill(bucket, states, std::max<std::int64_t>(0, states.gradientBytes - bucket.made), task);
    if (bucket.waiting > 0)
        sum(states, bucket.waiting, task);
    bucket.waiting = 0;
}

void GradientTasks::sum(const StateWork& states, std::int64_t bytes, TaskIndex task)
{
    const bool whole = m_step.zero == 0;
    const Held one{whole ? CollectiveOp::AllReduce : CollectiveOp::ReduceScatter, bytes, whole ? states.group : states.shard};
    if (one.family < 0)
        return;
    if (m_step.overlap)
        m_made.push_back(m_writer.collective("gradients", one.op, one.bytes, one.family, {task}));
    else
        m_held.push_back(one);
}

void GradientTasks::inBuckets(const char* name, CollectiveOp op, std::int64_t bytes, FamilyId family, const std::vector<TaskIndex>& after, std::vector<TaskIndex>& made)
{
    if (family < 0)
        return;
    for (std::int64_t left = bytes; left > 0; left -= std::min(left, m_step.bucket))
        made.push_back(m_writer.collective(name, op, std::min(left, m_step.bucket), family, after));
}

void GradientTasks::finish(const std::vector<TaskIndex>& last)
{
    for (const Held& one : m_held)
        m_made.push_back(m_writer.collective("gradients", one.op, one.bytes, one.family, last));
    for (const WorkPiece& piece : m_step.sums)
        m_made.push_back(m_writer.collective(piece.name, piece.op, piece.bytes, piece.family, last));
    if (m_step.zero > 0) {
        std::vector<TaskIndex> copies;
        std::vector<TaskIndex> after = m_made;
        after.insert(after.end(), last.begin(), last.end());
        inBuckets("gradients of copies", CollectiveOp::AllReduce, m_step.dense.copiedBytes, m_step.dense.copies, after, copies);
        inBuckets("gradients of copies", CollectiveOp::AllReduce, m_step.experts.copiedBytes, m_step.experts.copies, after, copies);
        m_made.insert(m_made.end(), copies.begin(), copies.end());
    }
    if (!m_step.optimizer)
        return;
    std::vector<TaskIndex> after = m_made;
    after.insert(after.end(), last.begin(), last.end());
    const TaskIndex optimizer = m_writer.compute("optimizer", *m_step.optimizer, after);
    if (m_step.zero != 1 && m_step.zero != 2)
        return;
    std::vector<TaskIndex> parameters;
    inBuckets("updated parameters", CollectiveOp::AllGather, m_step.dense.parameterBytes, m_step.dense.shard, {optimizer}, parameters);
    inBuckets("updated parameters", CollectiveOp::AllGather, m_step.experts.parameterBytes, m_step.experts.shard, {optimizer}, parameters);
}

} // namespace fabricscope
