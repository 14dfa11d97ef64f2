#include "core/language/scriptmemory.h"

#include <algorithm>

namespace fabricscope {

ScriptMemory::ScriptMemory(const ScriptCollective& collective, bool aliased, const std::vector<Contribution>* inputs, ContributionPool& pool,
                           ScriptBudget& budget)
    : m_collective(collective)
    , m_aliased(aliased)
    , m_inputs(inputs)
    , m_pool(pool)
    , m_budget(budget)
    , m_ranks(static_cast<std::size_t>(collective.ranks))
{
}

bool ScriptMemory::startsDefined(std::int32_t rank, std::int32_t index) const
{
    if (m_collective.op != CollectiveOp::Custom)
        return definedAtStart(m_collective.op, m_collective.ranks, m_collective.chunks, rank, index, m_collective.root);
    return !m_inputs || std::binary_search(m_inputs->begin(), m_inputs->end(), Contribution{rank, index});
}

std::int32_t ScriptMemory::largeSide(std::int32_t rank, std::int32_t index) const
{
    const bool gathers = m_collective.op == CollectiveOp::AllGather || m_collective.op == CollectiveOp::Gather;
    return gathers ? rank * (m_collective.chunks / m_collective.ranks) + index : index;
}

bool ScriptMemory::open(std::int32_t rank, BufferKind buffer, std::vector<Cell>& cells, std::int32_t size)
{
    const std::size_t old = cells.size();
    const std::size_t grown = static_cast<std::size_t>(size) - old;
    if (!m_budget.work(static_cast<std::int64_t>(grown / 4)) || !m_budget.take(static_cast<std::int64_t>(grown * sizeof(Cell))))
        return false;
    cells.resize(static_cast<std::size_t>(size));
    m_cells += static_cast<std::int64_t>(grown);
    for (std::size_t i = old; i < cells.size(); ++i)
        cells[i].chunk = static_cast<std::int32_t>(i);
    const bool holdsInput = buffer == BufferKind::Input || (m_aliased && buffer == BufferKind::Output);
    if (holdsInput) {
        const auto& [op, ranks, chunks, root] = m_collective;
        const std::int32_t inputs = contractSizes(op, ranks, chunks, rank, root).input;
        for (std::int32_t index = 0; index < inputs; ++index) {
            if (!startsDefined(rank, index))
                continue;
            const std::int32_t alias = m_aliased ? outputOfInput(op, ranks, chunks, rank, index, root) : -1;
            if ((buffer == BufferKind::Input) != (alias < 0))
                continue;
            Cell& cell = cells[static_cast<std::size_t>(alias < 0 ? index : alias)];
            cell.value = m_pool.single({rank, index});
            cell.chunk = largeSide(rank, index);
        }
    }
    return true;
}

ScriptMemory::Cell* ScriptMemory::at(std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    const auto& [op, ranks, chunks, root] = m_collective;
    if (m_aliased && buffer == BufferKind::Input) {
        const std::int32_t alias = outputOfInput(op, ranks, chunks, rank, index, root);
        if (alias >= 0) {
            buffer = BufferKind::Output;
            index = alias;
        }
    }
    std::vector<Cell>& cells = m_ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(buffer)];
    if (static_cast<std::size_t>(index) >= cells.size()) {
        std::int32_t size = 0;
        if (buffer == BufferKind::Scratch) {
            size = std::max(index + 1, static_cast<std::int32_t>(cells.size() + cells.size() / 2));
        } else {
            const BufferSizes sizes = contractSizes(op, ranks, chunks, rank, root);
            size = buffer == BufferKind::Input ? sizes.input : sizes.output;
        }
        if (!open(rank, buffer, cells, size))
            return nullptr;
    }
    return &cells[static_cast<std::size_t>(index)];
}

} // namespace fabricscope
