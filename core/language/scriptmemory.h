#pragma once

#include "core/language/contributionpool.h"
#include "core/language/scriptbudget.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricscope {

/// What a script's collective is about, before instances.
struct ScriptCollective {
    CollectiveOp op = CollectiveOp::AllReduce;
    std::int32_t ranks = 0;
    std::int32_t chunks = 0;
    std::int32_t root = 0;
};

/// Memory of all ranks while a script is traced, with input and output as one memory (conditions.h) or apart. Buffers come into being when
/// they are first touched, so that many ranks with many chunks cost nothing by themselves.
class ScriptMemory {
public:
    /// One chunk of memory.
    struct Cell {
        ContributionPool::Id value = ContributionPool::kUndefined;
        std::uint32_t serial = 0; ///< Of the write that made the value; 0: from the start.
        std::int32_t line = 0;    ///< That wrote it.
        std::int32_t ready = 0;   ///< First step in which the value can be used.
        std::int32_t unused = 0;  ///< First step in which nobody reads it any more.
        std::int32_t stored = 0;  ///< Line of a put or a copy by a switch that the rank has not waited for; 0: none.
        std::int32_t chunk = 0;   ///< Chunk of the large side that gives its size.
    };

    /// `inputs`: of a custom collective, which inputs are defined, by (rank, index); null: all of them.
    ScriptMemory(const ScriptCollective& collective, bool aliased, const std::vector<Contribution>* inputs, ContributionPool& pool,
                 ScriptBudget& budget);

    /// The cell of a place; null when the budget has no room for its buffer. \pre the place is inside its buffer.
    Cell* at(std::int32_t rank, BufferKind buffer, std::int32_t index);
    bool aliased() const { return m_aliased; }
    /// Cells there are by now.
    std::int64_t cells() const { return m_cells; }

private:
    using Buffers = std::array<std::vector<Cell>, 3>;

    bool open(std::int32_t rank, BufferKind buffer, std::vector<Cell>& cells, std::int32_t size);
    bool startsDefined(std::int32_t rank, std::int32_t index) const;
    std::int32_t largeSide(std::int32_t rank, std::int32_t index) const;

    ScriptCollective m_collective;
    bool m_aliased;
    const std::vector<Contribution>* m_inputs;
    ContributionPool& m_pool;
    ScriptBudget& m_budget;
    std::vector<Buffers> m_ranks;
    std::int64_t m_cells = 0;
};

} // namespace fabricscope
