#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <vector>

namespace fabricscope {

/// Cell of memory of the whole group: a chunk of a buffer of a rank.
using CellIndex = std::uint32_t;

/// Where the chunks of all buffers are, with input and output as one memory or not.
class MemoryLayout {
public:
    /// Most cells that are followed.
    static constexpr std::int64_t kMostCells = std::int64_t{1} << 26;

    /// Chunks of the buffers of a rank: those of the contract and the scratch of the body; of a custom collective all as the body says.
    /// \pre the body has places; see conditions.h for the rest.
    static BufferSizes sizesOf(const Program& program, std::int32_t rank);
    /// Cells a layout takes.
    static std::int64_t cellsOf(const Program& program);

    /// \pre cellsOf() <= kMostCells. O(cells).
    MemoryLayout(const Program& program, bool inPlace);

    std::size_t cells() const { return m_cells; }

    /// \pre the place is inside the buffer (sizesOf()).
    CellIndex at(std::int32_t rank, BufferKind buffer, std::int32_t offset) const
    {
        const Rank& memory = m_ranks[static_cast<std::size_t>(rank)];
        const auto index = static_cast<std::uint32_t>(offset);
        if (buffer == BufferKind::Input)
            return (index - memory.aliasFirst < memory.aliasCount ? memory.aliasBase : memory.input) + index;
        return (buffer == BufferKind::Output ? memory.output : memory.scratch) + index;
    }

    struct Place {
        std::int32_t rank = 0;
        BufferKind buffer = BufferKind::None;
        std::int32_t offset = 0;
    };
    /// The other way; output where input and output are one. O(log ranks).
    Place placeOf(CellIndex cell) const;

private:
    struct Rank {
        CellIndex input = 0;
        CellIndex output = 0;
        CellIndex scratch = 0;
        CellIndex end = 0;
        std::uint32_t aliasFirst = 0; ///< Input chunks [aliasFirst, aliasFirst + aliasCount) are cells aliasBase + chunk (modulo 2^32).
        std::uint32_t aliasCount = 0;
        std::uint32_t aliasBase = 0;
    };
    std::vector<Rank> m_ranks;
    std::size_t m_cells = 0;
};

} // namespace fabricscope
