#pragma once

#include "core/generate/generate.h"
#include "core/program/programbuilder.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace fabricscope::generate {

/// Makes the explicit programs of generators: the vector is cut in `pieces` that run the same algorithm, each piece in `blocks`. Knows where
/// a block lies in the buffers, gives lanes, and joins neighbouring blocks into one transfer.
///
/// Operations are added so that each comes after all it needs; lanes follow that order. Every lane of a rank sends to one peer or receives
/// from one peer on one connection, which MSCCL XML asks for; local operations of a rank share a lane.
class Writer {
public:
    /// \pre pieces * blocks fits in 31 bits; all-gather, reduce-scatter, all-to-all, gather, scatter: ranks divides blocks, block b is that of
    /// rank b / (blocks / ranks).
    Writer(CollectiveOp op, std::int32_t ranks, std::int32_t pieces, std::int32_t blocks, std::int32_t root = 0);

    struct Spot {
        BufferKind buffer = BufferKind::Input;
        std::int32_t offset = 0;
    };
    struct Where {
        std::int32_t piece = 0;
        std::int32_t phase = 0;
        std::int32_t step = 0;
        std::int32_t slot = 0;
        std::int32_t dimension = -1;
        std::int32_t tree = -1;
        std::int32_t connection = 0;
    };

    std::int32_t ranks() const { return m_ranks; }
    std::int32_t pieces() const { return m_pieces; }
    std::int32_t blocks() const { return m_blocks; }

    /// Chunk of a block of a piece in the large side: piece by piece; where ranks own blocks, rank by rank.
    std::int32_t chunk(std::int32_t piece, std::int32_t block) const;
    Spot input(std::int32_t piece, std::int32_t block) const { return {BufferKind::Input, chunk(piece, block)}; }
    Spot output(std::int32_t piece, std::int32_t block) const { return {BufferKind::Output, chunk(piece, block)}; }
    /// Block `index` of a rank's own share, where the input or output is a share.
    Spot share(BufferKind buffer, std::int32_t piece, std::int32_t index) const;
    /// Scratch of `perPiece` blocks for every piece.
    static Spot scratch(std::int32_t piece, std::int32_t perPiece, std::int32_t index) { return {BufferKind::Scratch, piece * perPiece + index}; }

    /// One transfer of `count` neighbouring chunks. `size` is the first chunk of the large side that gives the size.
    void send(std::int32_t from, Spot source, std::int32_t to, Spot target, std::int32_t count, std::int32_t size, const Where& where);
    /// The receiver adds what comes to `own` and keeps the sum at `target`.
    void sendAndReduce(std::int32_t from, Spot source, std::int32_t to, Spot own, Spot target, std::int32_t count, std::int32_t size, const Where& where);
    void copy(std::int32_t rank, Spot source, Spot target, std::int32_t count, std::int32_t size, const Where& where);

    /// Several blocks as one transfer per run of neighbours. `reduce`: the receiver adds to what it has.
    struct Part {
        Spot source;
        Spot target;
        std::int32_t size = 0;
    };
    void send(std::int32_t from, std::int32_t to, const std::vector<Part>& parts, bool reduce, const Where& where);
    void copy(std::int32_t rank, const std::vector<Part>& parts, const Where& where);

    ProgramBuilder& builder() { return m_builder; }
    /// From here on whatever adds operations looks at `stop` and throws StopRequested (ProgramBuilder::heed()).
    void heed(const std::stop_token& stop) { m_builder.heed(stop); }
    /// Infers dependencies. \param inPlace, outOfPlace the modes it works in.
    ProgramPtr finish(std::string name, std::string provenance, bool inPlace, bool outOfPlace);
    ProgramPtr finish(const GenerateRequest& request, bool inPlace, bool outOfPlace);

    /// Without lanes: every operation starts as soon as what it needs is there.
    bool lanes = true;

private:
    std::int32_t lane(std::int32_t rank, std::int32_t peer, std::int32_t connection, std::int32_t way);
    template <typename Emit>
    static void forRuns(const std::vector<Part>& parts, Emit emit);

    ProgramBuilder m_builder;
    std::int32_t m_ranks;
    std::int32_t m_pieces;
    std::int32_t m_blocks;
    bool m_owned;                             ///< Blocks belong to ranks.
    std::vector<std::int32_t> m_laneCount;    ///< By rank.
    std::vector<std::unordered_map<std::uint64_t, std::int32_t>> m_lanes; ///< By rank.
};

} // namespace fabricscope::generate
