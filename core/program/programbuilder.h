#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

namespace fabricscope {

/// Makes explicit programs. Operations of a rank are kept in the order they are added; ranks may be added to in any order.
///
///     ProgramBuilder b(CollectiveOp::AllGather, 2, 2);
///     b.transfer({0, BufferKind::Output, 0}, {1, BufferKind::Output, 0}, 1, {});
///     b.transfer({1, BufferKind::Output, 1}, {0, BufferKind::Output, 1}, 1, {});
///     b.inferDependencies();
///     ProgramPtr program = b.finish("exchange", "example");
class ProgramBuilder {
public:
    /// Number of an operation, in the order of adding.
    using Op = std::uint32_t;
    static constexpr Op kNone = UINT32_MAX;

    struct Place {
        std::int32_t rank = 0;
        BufferKind buffer = BufferKind::Input;
        std::int32_t offset = 0;
    };

    /// One row of ExplicitBody.
    struct Row {
        std::int32_t rank = 0;
        OpKind kind = OpKind::Send;
        std::int32_t peer = -1;
        std::int32_t connection = 0;
        std::int32_t lane = -1;
        std::int32_t chunk = 0;
        std::int32_t count = 1;
        std::int64_t bytes = -1;
        std::int64_t duration = 0;
        BufferKind sourceBuffer = BufferKind::None;
        BufferKind targetBuffer = BufferKind::None;
        std::int32_t sourceOffset = 0;
        std::int32_t targetOffset = 0;
        std::int32_t step = 0;
        std::int32_t slot = 0;
        std::uint64_t sourceId = 0;
        bool fused = false;
        OpTags tags;
        std::int64_t startPs = -1;
        std::int32_t route = -1;
    };

    /// What a transfer is besides its places.
    struct How {
        bool reduce = false;         ///< The receiver adds to what it has.
        std::int32_t chunk = -1;     ///< First chunk of the large side, for the size; -1: the source offset.
        std::int32_t connection = 0;
        std::int32_t sendLane = -1;
        std::int32_t receiveLane = -1;
        std::int32_t step = 0;
        std::int32_t slot = 0;
        OpTags tags;
        std::int64_t startPs = -1;
        std::int32_t route = -1;
        std::uint64_t sourceId = 0;
    };

    struct Transfer {
        Op send = kNone;
        Op receive = kNone;
    };

    /// \pre ranks >= 1, chunks >= 1. Buffers have the sizes of the contract (conditions.h), in a custom collective `chunks` each; scratch
    /// grows with use.
    ProgramBuilder(CollectiveOp op, std::int32_t ranks, std::int32_t chunks, std::int32_t root = 0);

    /// From here on add(), depend(), inferDependencies() and finish() look at `stop` and throw StopRequested (stop.h).
    void heed(std::stop_token stop) { m_stop = std::move(stop); }

    Op add(const Row& row);
    /// A send of `count` chunks at `from` and the receive at `to`. \pre different ranks.
    Transfer transfer(const Place& from, const Place& to, std::int32_t count, const How& how);
    /// Local copy, or with how.reduce local sum. \pre one rank.
    Op local(const Place& from, const Place& to, std::int32_t count, const How& how);
    /// `later` waits for `earlier`. \pre of one rank, earlier added before.
    void depend(Op later, Op earlier);
    std::size_t size() const { return m_rows.size(); }
    /// What is known besides rows; ops, ranks and body are filled in by finish().
    Program& header() { return m_header; }
    /// Columns besides rows: receiveSlots, routes, chunkWeights, teams, buffers.
    ExplicitBody& extras() { return m_extras; }

    /// Makes every operation wait for the earlier ones of its rank (order of adding) that it must follow: what writes what it reads, and
    /// what reads or writes what it writes. Input and output count as one memory (conditions.h) where the header says inPlace.
    void inferDependencies();

    /// The program; the builder is empty afterwards. Columns that are their default in every row are left empty. O(rows).
    ProgramPtr finish(std::string name, std::string provenance);

private:
    std::stop_token m_stop;
    Program m_header;
    ExplicitBody m_extras;
    std::vector<Row> m_rows;
    std::vector<std::pair<Op, Op>> m_depends; ///< (later, earlier)
};

} // namespace fabricscope
