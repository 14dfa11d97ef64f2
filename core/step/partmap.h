#pragma once

#include "core/program/nativerule.h"
#include "core/program/phaserules.h"
#include "core/program/program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricscope {

/// Number of a part of a chunk, 0..PartMap::parts()-1.
using PartIndex = std::int32_t;

/// What a move does to what sender and receiver hold.
enum class MoveEffect : std::uint8_t {
    Adds,   ///< The receiver adds it to its own; the sender has passed it on.
    Moves,  ///< The receiver has it, the sender no longer.
    Copies, ///< Both have it.
    Joins   ///< Explicit programs: the receiver then holds what PartMap::heldAfter() says.
};

/// A run of parts or of places of PartMap::table(): [first, first + count).
struct PartRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// What the chunks of a program are cut into, who holds which part at the start, and which parts a message carries.
///
/// Template programs: a chunk has one part per member of the group: part p is what position p owns after the reduce-scatter or held before
/// the all-gather. Exceptions: along the axis of a double binary tree there are two parts, one per tree; in an all-to-all part
/// source * size + target is what `source` has for `target`. Lists of parts are shared by the messages of all chunks, so that they take
/// O(parts) per phase, not per message.
/// Explicit programs: see explicitparts.h.
class PartMap {
public:
    virtual ~PartMap() = default;

    /// 0: what is held where cannot be shown, see note().
    std::int32_t parts() const { return m_parts; }
    /// Contributions of a complete part.
    std::int32_t complete() const { return m_complete; }
    /// Why there are no parts, in a sentence; empty: there are.
    const std::string& note() const { return m_note; }
    const std::vector<PartIndex>& table() const { return m_table; }
    /// Position that owns a part after the reducing half, held it at the start (all-gather) or gets it (all-to-all); -1: nobody special.
    virtual std::int32_t ownerOf(PartIndex part) const = 0;
    /// Bytes of a part of a chunk of `chunk` bytes; explicit programs: of the whole large side.
    virtual std::int64_t bytesOf(std::int64_t chunk, PartIndex part) const = 0;
    /// Contributions a position holds of a part at the start.
    virtual std::int32_t heldAtStart(std::int32_t position, PartIndex part) const = 0;
    /// Outside of these parts, one after the other, heldAtStart() is 0.
    virtual PartRange atStart(std::int32_t) const { return {0, static_cast<std::uint32_t>(m_parts)}; }
    /// "3", in an all-to-all "0>3".
    virtual std::string nameOf(PartIndex part) const { return std::to_string(part); }
    /// Contributions the receiver holds after a move that Joins, by the place in table().
    virtual std::int32_t heldAfter(std::uint32_t) const { return 0; }

    /// More cells (parts times members) than this are not kept: parts() is 0 then.
    static constexpr std::int64_t kMaxCells = std::int64_t{64} << 20;

protected:
    std::int32_t m_parts = 0;
    std::int32_t m_complete = 1;
    std::string m_note;
    std::vector<PartIndex> m_table;
};

/// Parts of a template program (see PartMap).
class TemplateParts : public PartMap {
public:
    explicit TemplateParts(const Program& program);

    /// Parts of a message that `position` sends in a phase; `minus`: of the phase of its chunk.
    PartRange carried(std::int32_t phase, bool minus, std::int32_t position, std::int32_t step, std::int32_t slot) const;
    MoveEffect effectOf(std::int32_t phase, bool reduces) const;

    std::int32_t ownerOf(PartIndex part) const override;
    std::int64_t bytesOf(std::int64_t chunk, PartIndex part) const override;
    std::int32_t heldAtStart(std::int32_t position, PartIndex part) const override;
    PartRange atStart(std::int32_t position) const override;
    std::string nameOf(PartIndex part) const override;

private:
    /// Lists of one phase: for every combination of coordinates on the axes already cut (`fixed`) the blocks of the axis in the order of the rule.
    struct Phase {
        PhaseTemplate rule;
        std::int32_t extent = 0;
        std::vector<std::size_t> fixed;
        std::uint32_t begin = 0;
        std::uint32_t perBlock = 1;
        std::uint32_t perFixed = 0;
    };

    bool plan(const std::vector<PhaseTemplate>& phases);
    void addBlocks(Phase& phase);
    void addJourneys(Phase& phase, std::size_t number);
    std::int32_t coordinate(std::int32_t position, std::size_t axis) const { return position / m_stride[axis] % m_axes[axis]; }
    std::int32_t partCoordinate(PartIndex part, std::size_t axis) const { return part / m_partStride[axis] % m_cuts[axis]; }

    bool m_allToAll = false;
    bool m_gathersOnly = false;
    std::int32_t m_size = 0;
    std::vector<std::int32_t> m_axes;
    std::vector<std::int32_t> m_stride;     ///< Of positions.
    std::vector<std::int32_t> m_cuts;       ///< Parts along each axis.
    std::vector<std::int32_t> m_partStride;
    std::vector<std::size_t> m_order;       ///< Axes in the order in which they cut a chunk.
    std::vector<bool> m_tree;               ///< By axis.
    std::vector<Phase> m_phases;
};

} // namespace fabricscope
