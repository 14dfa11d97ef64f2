#pragma once

#include "core/program/operationbytes.h"
#include "core/step/partmap.h"
#include "core/step/programreplay.h"

#include <span>
#include <vector>

namespace fabricscope {

/// Parts of an explicit program with places: the columns of ProgramPlaces, so that a part of a position is a chunk of one of its buffers.
/// Contributions are those of the multiset it holds.
class PlaceParts : public PartMap {
public:
    /// `sends`: the operation of every move. O(chunks of the moves). Told to stop: throws StopRequested (stop.h).
    PlaceParts(ProgramReplayPtr replay, std::int64_t bytes, std::span<const std::uint32_t> sends, const std::stop_token& stop);

    /// Columns a move writes at its receiver; where that only passes it on, those it was read from.
    PartRange carried(std::size_t move) const { return m_ranges[move]; }

    std::int32_t ownerOf(PartIndex part) const override;
    std::int64_t bytesOf(std::int64_t chunk, PartIndex part) const override;
    std::int32_t heldAtStart(std::int32_t position, PartIndex part) const override;
    std::string nameOf(PartIndex part) const override { return m_replay->places().columnName(part); }
    /// Contributions of what arrived.
    std::int32_t heldAfter(std::uint32_t place) const override { return m_after[place]; }

private:
    ProgramReplayPtr m_replay;
    std::vector<PartRange> m_ranges;
    std::vector<std::int32_t> m_after;
    std::vector<std::int64_t> m_bytes; ///< By column.
};

} // namespace fabricscope
