#include "core/step/placeparts.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/step/explicitparts.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Contributions of the largest value the collective asks for.
std::int32_t mostAsked(const Program& program)
{
    if (program.op != CollectiveOp::Custom)
        return isReducingCollective(program.op) ? program.ranks : 1;
    std::size_t most = 1;
    for (std::size_t i = 0; program.conditions && i < program.conditions->after.size(); ++i)
        most = std::max(most, program.conditions->after[i].value.size());
    return static_cast<std::int32_t>(most);
}

} // namespace

PlaceParts::PlaceParts(ProgramReplayPtr replay, std::int64_t bytes, std::span<const std::uint32_t> sends, const std::stop_token& stop)
    : m_replay(std::move(replay))
{
    const ProgramPlaces& places = m_replay->places();
    const ExplicitBody& body = m_replay->body();
    m_complete = mostAsked(m_replay->program());
    if (std::int64_t{places.count()} > kMaxCells) {
        m_note = "The program is too large to show who holds which chunk: " + std::to_string(places.columns()) + " chunks at "
            + std::to_string(places.ranks()) + " ranks.";
        m_ranges.resize(sends.size());
        return;
    }
    m_parts = places.columns();
    const OperationBytes sizes(m_replay->program(), bytes);
    for (std::int32_t column = 0; column < m_parts; ++column)
        m_bytes.push_back(sizes.ofChunks(places.column(column).index, 1));
    for (const std::uint32_t send : sends) {
        checkStop(stop);
        PartRange& range = m_ranges.emplace_back();
        range.first = static_cast<std::uint32_t>(m_table.size());
        const std::uint32_t receive = m_replay->order().partner(send);
        const auto add = [&](const std::vector<PlaceIndex>& at, const std::vector<ValueIndex>& values) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                if (at[i] == kNoPlace)
                    continue;
                m_table.push_back(places.columnOf(at[i]));
                m_after.push_back(m_replay->values().contributions(values[i]));
            }
        };
        if (receive != kNoOperation)
            add(m_replay->placesOf(receive), m_replay->valuesOf(receive));
        if (m_table.size() == range.first && body.sourceBuffer[send] != BufferKind::Fused) {
            std::vector<PlaceIndex> source;
            for (std::int32_t i = 0; i < body.count[send]; ++i)
                source.push_back(places.at(m_replay->order().rankOf(send), body.sourceBuffer[send], body.sourceOffset[send] + i));
            std::vector<ValueIndex> values = m_replay->valuesOf(send);
            values.resize(source.size(), ChunkValues::kUndefined);
            add(source, values);
        }
        range.count = static_cast<std::uint32_t>(m_table.size()) - range.first;
    }
}

std::int32_t PlaceParts::ownerOf(PartIndex part) const
{
    const Program& program = m_replay->program();
    const ProgramPlaces::Column column = m_replay->places().column(part);
    const std::int32_t share = std::max(1, program.chunks / program.ranks);
    // Where a chunk of the large side belongs to one rank: the input before a reduce-scatter, the output after an all-gather.
    const bool large = (program.op == CollectiveOp::ReduceScatter && column.buffer == BufferKind::Input)
        || (program.op == CollectiveOp::AllGather && column.buffer == BufferKind::Output);
    return large ? std::min(column.index / share, program.ranks - 1) : -1;
}

std::int64_t PlaceParts::bytesOf(std::int64_t, PartIndex part) const
{
    return m_bytes[at(part)];
}

std::int32_t PlaceParts::heldAtStart(std::int32_t position, PartIndex part) const
{
    const auto place = static_cast<PlaceIndex>(position) * static_cast<PlaceIndex>(m_parts) + static_cast<PlaceIndex>(part);
    return m_replay->values().contributions(m_replay->initial(place));
}

} // namespace fabricscope
