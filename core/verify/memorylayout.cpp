#include "core/verify/memorylayout.h"

#include <algorithm>
#include <cassert>

namespace fabricscope {

BufferSizes MemoryLayout::sizesOf(const Program& program, std::int32_t rank)
{
    BufferSizes sizes = program.asExplicit().buffers[static_cast<std::size_t>(rank)];
    if (program.op != CollectiveOp::Custom && program.op != CollectiveOp::Barrier) {
        const BufferSizes contract = contractSizes(program.op, program.ranks, program.chunks, rank, program.root);
        sizes.input = contract.input;
        sizes.output = contract.output;
    }
    return sizes;
}

std::int64_t MemoryLayout::cellsOf(const Program& program)
{
    std::int64_t cells = 0;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        const BufferSizes sizes = sizesOf(program, rank);
        cells += std::int64_t{sizes.input} + sizes.output + sizes.scratch;
    }
    return cells;
}

MemoryLayout::MemoryLayout(const Program& program, bool inPlace)
{
    assert(cellsOf(program) <= kMostCells);
    CellIndex next = 0;
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        const BufferSizes sizes = sizesOf(program, rank);
        Rank memory;
        memory.input = next;
        memory.output = memory.input + static_cast<CellIndex>(sizes.input);
        memory.scratch = memory.output + static_cast<CellIndex>(sizes.output);
        memory.end = memory.scratch + static_cast<CellIndex>(sizes.scratch);
        next = memory.end;
        for (std::int32_t index = 0; inPlace && index < sizes.input; ++index) {
            const std::int32_t output = outputOfInput(program.op, program.ranks, program.chunks, rank, index, program.root);
            if (output < 0 || output >= sizes.output)
                continue;
            const CellIndex base = memory.output + static_cast<CellIndex>(output) - static_cast<CellIndex>(index);
            if (memory.aliasCount == 0) {
                memory.aliasFirst = static_cast<std::uint32_t>(index);
                memory.aliasBase = base;
            }
            assert(memory.aliasBase == base); // Input and output of a rank are one range of memory.
            ++memory.aliasCount;
        }
        m_ranks.push_back(memory);
    }
    m_cells = next;
}

MemoryLayout::Place MemoryLayout::placeOf(CellIndex cell) const
{
    const auto at = std::upper_bound(m_ranks.begin(), m_ranks.end(), cell, [](CellIndex value, const Rank& rank) { return value < rank.end; });
    const auto rank = static_cast<std::int32_t>(at - m_ranks.begin());
    if (cell >= at->scratch)
        return {rank, BufferKind::Scratch, static_cast<std::int32_t>(cell - at->scratch)};
    if (cell >= at->output)
        return {rank, BufferKind::Output, static_cast<std::int32_t>(cell - at->output)};
    return {rank, BufferKind::Input, static_cast<std::int32_t>(cell - at->input)};
}

} // namespace fabricscope
