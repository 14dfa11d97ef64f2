#pragma once

#include "core/base/result.h"
#include "core/program/program.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

/// Number of a place: a chunk of a buffer of a rank. place = rank * columns() + column.
using PlaceIndex = std::uint32_t;
constexpr PlaceIndex kNoPlace = UINT32_MAX;

/// Numbers for the memory of an explicit program, as a table with a row per rank and a column per chunk of every buffer. Where the program
/// runs in place, input and output are one memory (conditions.h) and the smaller of the two has no columns of its own.
class ProgramPlaces {
public:
    /// More places than this are not followed: a state takes 4 bytes for each.
    static constexpr std::int64_t kMostPlaces = std::int64_t{256} << 20;

    /// \pre an explicit program with places. Errors: Unsupported (more than kMostPlaces). O(places of the smaller buffer).
    static Result<ProgramPlaces> create(const Program& program);

    std::int32_t ranks() const { return m_ranks; }
    std::int32_t columns() const { return m_columns; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_ranks) * static_cast<std::uint32_t>(m_columns); }
    bool inPlace() const { return m_inPlace; }
    /// kNoPlace: no such chunk, or None / Fused. O(1).
    PlaceIndex at(std::int32_t rank, BufferKind buffer, std::int32_t index) const;
    std::int32_t rankOf(PlaceIndex place) const { return static_cast<std::int32_t>(place / static_cast<std::uint32_t>(m_columns)); }
    std::int32_t columnOf(PlaceIndex place) const { return static_cast<std::int32_t>(place % static_cast<std::uint32_t>(m_columns)); }

    /// Index of the output a place is, or is one memory with; -1: none. O(1).
    std::int32_t outputOf(PlaceIndex place) const;

    struct Column {
        BufferKind buffer = BufferKind::Input;
        std::int32_t index = 0;
    };
    Column column(std::int32_t number) const;
    /// "i3", "o0", "s12"; where there is one buffer only: "3".
    std::string columnName(std::int32_t number) const;
    /// Does the rank have a chunk there? Buffers of ranks may differ.
    bool exists(PlaceIndex place) const;

private:
    const Program* m_program = nullptr; // Of the owner, who outlives it.
    std::int32_t m_ranks = 0;
    std::int32_t m_columns = 0;
    bool m_inPlace = false;
    BufferKind m_main = BufferKind::Input;     // In place: the one that has the columns.
    std::array<std::int32_t, 4> m_begin{};     // Columns of input, output, scratch.
    std::vector<std::vector<std::int32_t>> m_inputOfOutput; // In place with the input as the main one: by rank and output.
};

} // namespace fabricscope
