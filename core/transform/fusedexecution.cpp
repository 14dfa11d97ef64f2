#include "core/transform/fusedexecution.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>

namespace fabricscope::transform {

namespace {

constexpr std::int64_t kChunksOfSlice = 2;

} // namespace

FusedExecution::FusedExecution(Execution& execution, const Kernel& kernel) : m_execution(execution)
{
    const TensorProgram& program = execution.m_program;
    std::map<std::string, std::int32_t> levels;
    std::set<std::string> later; ///< Needs all chunks, or something that does.
    std::int32_t last = 0;
    Extents space;
    for (const std::int32_t number : kernel.stages) {
        const Stage& stage = program.stages[at(number)];
        execution.allocate(stage);
        std::int32_t level = 0;
        for (const Operand& operand : stage.in) {
            if (const auto known = levels.find(operand.name); known != levels.end())
                level = std::max(level, known->second);
        }
        level += stage.isScalarAllReduce() ? 1 : 0;
        levels[stage.name] = level;
        last = std::max(last, level);
        if (stage.op == Op::ReduceScatter)
            space = localShape(stage.value, program.ranks, 0);
    }
    m_levels.resize(at(last) + 1);
    for (const std::int32_t number : kernel.stages) {
        const Stage& stage = program.stages[at(number)];
        const bool gather = stage.op == Op::AllGather;
        Level& level = m_levels[at(gather ? last : levels[stage.name])];
        if (stage.isScalarAllReduce()) {
            level.scalars.push_back(&stage);
            continue;
        }
        const Value& through = gather ? *program.find(stage.in[0].name) : stage.value;
        bool whole = !(isPointwise(stage.op) || gather || stage.op == Op::ReduceScatter) || localShape(through, program.ranks, 0) != space;
        for (const Operand& operand : stage.in)
            whole = whole || later.contains(operand.name);
        // What is needed behind a barrier too has been made in a level before.
        if (whole) {
            later.insert(stage.name);
            level.whole.push_back(&stage);
        } else {
            level.chunked.push_back(&stage);
        }
    }
}

void FusedExecution::run()
{
    for (const Level& level : m_levels)
        runLevel(level);
}

void FusedExecution::runLevel(const Level& level)
{
    const std::int32_t ranks = m_execution.m_program.ranks;
    for (const Stage* const scalar : level.scalars)
        m_execution.join(*scalar);
    for (std::int64_t chunk = 0; chunk < kChunksOfSlice; ++chunk) {
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            for (const Stage* const stage : level.chunked) {
                const std::string& sized = stage->op == Op::AllGather ? stage->in[0].name : stage->name;
                const auto count = static_cast<std::int64_t>(m_execution.held(sized)[at(rank)].data.size());
                const std::int64_t begin = count * chunk / kChunksOfSlice;
                const std::int64_t end = count * (chunk + 1) / kChunksOfSlice;
                if (stage->op == Op::ReduceScatter)
                    m_execution.reduceRange(*stage, rank, begin, end);
                else if (stage->op == Op::AllGather)
                    m_execution.gatherRange(*stage, rank, begin, end);
                else
                    m_execution.computeRange(*stage, rank, begin, end);
            }
        }
    }
    for (const Stage* const stage : level.whole) {
        for (std::int32_t rank = 0; rank < ranks; ++rank)
            m_execution.computeOn(*stage, rank);
    }
}

} // namespace fabricscope::transform
