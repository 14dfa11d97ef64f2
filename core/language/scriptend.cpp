// What a script must have reached at its end.
#include "core/language/scriptnames.h"
#include "core/language/scripttrace.h"

#include <algorithm>

namespace fabricscope {

namespace {

using Run = ContributionPool::Run;

std::string_view bufferWord(BufferKind buffer)
{
    return buffer == BufferKind::Input ? "input" : buffer == BufferKind::Output ? "output" : "scratch";
}

/// Is the value as the contract says? \pre values without repeated contributions.
bool fulfils(std::span<const Run> runs, const Required& must, std::int32_t ranks)
{
    switch (must.kind) {
    case Required::Kind::Anything:
        return true;
    case Required::Kind::One:
        return runs.size() == 1 && runs[0] == Run{must.one.index, must.one.rank, must.one.rank + 1};
    case Required::Kind::AllRanks:
        return runs.size() == 1 && runs[0] == Run{must.one.index, 0, ranks};
    }
    return false;
}

std::string requiredText(const Required& must, std::int32_t ranks)
{
    const std::string chunk = "chunk " + std::to_string(must.one.index);
    return must.kind == Required::Kind::One ? chunk + " of rank " + std::to_string(must.one.rank)
                                            : chunk + " of ranks 0 to " + std::to_string(ranks - 1);
}

std::vector<Contribution> expanded(std::span<const Run> runs)
{
    std::vector<Contribution> out;
    for (const Run& run : runs) {
        for (std::int32_t rank = run.first; rank < run.end; ++rank)
            out.push_back({rank, run.index});
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::string listText(const std::vector<Contribution>& value)
{
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 6); ++i)
        out += (i == 0 ? "{" : ", {") + std::to_string(value[i].rank) + ", " + std::to_string(value[i].index) + '}';
    return out + (value.size() > 6 ? ", ..." : "");
}

/// Findings of one kind are alike: the first few tell it.
constexpr std::size_t kMostFindings = 5;

} // namespace

std::string placeText(std::int32_t rank, BufferKind buffer, std::int32_t index)
{
    return std::string(bufferWord(buffer)) + " chunk " + std::to_string(index) + " of rank " + std::to_string(rank);
}

Result<std::optional<Conditions>> ScriptTrace::conditions()
{
    if (!isCustom() || (m_expected.empty() && !m_inputsNamed))
        return std::optional<Conditions>();
    const std::int32_t pieces = m_multiplicity;
    const bool batched = m_layout == Layout::Batched;
    const std::int32_t chunks = m_start->collective.chunks;
    const auto piece = [&](std::int32_t index, std::int32_t i) { return batched ? index + i * chunks : index * pieces + i; };
    const std::int64_t inputs = m_inputsNamed ? static_cast<std::int64_t>(m_inputs.size()) : std::int64_t{m_start->collective.ranks} * chunks;
    const std::int64_t places = (inputs + static_cast<std::int64_t>(m_expected.size())) * pieces;
    if (!m_budget.work(places) || !m_budget.take(places * static_cast<std::int64_t>(sizeof(ChunkValue) + sizeof(Contribution))))
        return exhausted();
    Conditions out;
    const auto addInput = [&](std::int32_t rank, std::int32_t index) {
        for (std::int32_t i = 0; i < pieces; ++i)
            out.before.push_back({rank, BufferKind::Input, piece(index, i), {{rank, piece(index, i)}}});
    };
    if (m_inputsNamed) {
        for (const Contribution& input : m_inputs)
            addInput(input.rank, input.index);
    } else {
        for (std::int32_t rank = 0; rank < m_start->collective.ranks; ++rank) {
            for (std::int32_t index = 0; index < chunks; ++index)
                addInput(rank, index);
        }
    }
    for (const Expectation& expectation : m_expected) {
        for (std::int32_t i = 0; i < pieces; ++i) {
            ChunkValue value = expectation.must;
            value.index = piece(value.index, i);
            for (Contribution& one : value.value)
                one.index = piece(one.index, i);
            std::sort(value.value.begin(), value.value.end());
            out.after.push_back(std::move(value));
        }
    }
    const auto byPlace = [](const ChunkValue& a, const ChunkValue& b) {
        return std::tie(a.rank, a.buffer, a.index) < std::tie(b.rank, b.buffer, b.index);
    };
    std::sort(out.before.begin(), out.before.end(), byPlace);
    std::sort(out.after.begin(), out.after.end(), byPlace);
    return std::optional(std::move(out));
}

Result<Diagnostics> ScriptTrace::checkEnd()
{
    Diagnostics out;
    if (Status status = ready(); !status)
        return std::move(status).error();
    const auto& [op, ranks, chunks, root] = m_start->collective;
    const auto add = [&](const ScriptMemory& memory, std::int32_t rank, BufferKind buffer, std::int32_t index, const ScriptMemory::Cell& cell,
                         const std::string& must, int otherLine) {
        const std::string mode = m_memories.size() == 1 ? "" : memory.aliased() ? ", in place," : ", out of place,";
        Place place;
        place.line = cell.line > 0 ? cell.line : otherLine;
        place.rank = rank;
        out.push_back(warning("postcondition", placeText(rank, buffer, index) + mode + " holds " + m_pool.text(cell.value) + " at the end, not " + must, place));
    };
    for (ScriptMemory& memory : m_memories) {
        if (isCustom()) {
            for (const Expectation& expectation : m_expected) {
                const ChunkValue& must = expectation.must;
                if (!m_budget.work(static_cast<std::int64_t>(must.value.size())))
                    return exhausted();
                const ScriptMemory::Cell* cell = memory.at(must.rank, must.buffer, must.index);
                if (!cell)
                    return exhausted();
                if (m_pool.count(cell->value) == static_cast<std::int64_t>(must.value.size()) && expanded(m_pool.runs(cell->value)) == must.value)
                    continue;
                add(memory, must.rank, must.buffer, must.index, *cell, listText(must.value), expectation.line);
                if (out.size() >= kMostFindings)
                    return out;
            }
            continue;
        }
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const std::int32_t size = contractSizes(op, ranks, chunks, rank, root).output;
            for (std::int32_t index = 0; index < size; ++index) {
                const Required must = requiredAt(op, ranks, chunks, rank, index, root);
                if (must.kind == Required::Kind::Anything)
                    break; // All places of a rank are alike.
                if (!m_budget.work(1))
                    return exhausted();
                const ScriptMemory::Cell* cell = memory.at(rank, BufferKind::Output, index);
                if (!cell)
                    return exhausted();
                if (fulfils(m_pool.runs(cell->value), must, ranks))
                    continue;
                add(memory, rank, BufferKind::Output, index, *cell, requiredText(must, ranks), m_start->line);
                if (out.size() >= kMostFindings)
                    return out;
            }
        }
    }
    if (Status status = settleMemory(); !status)
        return std::move(status).error();
    return out;
}

} // namespace fabricscope
