#pragma once

#include "core/base/index.h"
#include "core/step/partmap.h"

#include <compare>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace fabricscope {

/// Do values of the collective sum what several ranks put in?
bool isReducingCollective(CollectiveOp op);

/// Sends of an explicit program by what a delivered message says of itself, and their order. About 80 bytes per send.
class ExplicitSends {
public:
    /// Told to stop: throws StopRequested (stop.h).
    ExplicitSends(const Program& program, std::int64_t bytes, const std::stop_token& stop);

    struct Key {
        std::int32_t source = 0;
        std::int32_t target = 0;
        std::int32_t chunk = 0;
        std::int32_t step = 0;
        std::int32_t slot = 0;
        std::int64_t bytes = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    /// The operation that sent a message; of equal ones the next in order. -1: none.
    std::int32_t take(const Key& key);
    /// Step to show: the program's, or where it gives none the number of messages before it on the longest chain.
    std::int32_t stepOf(std::int32_t operation) const { return m_step[at(operation)]; }
    bool reduces(std::int32_t operation) const { return m_reduces[at(operation)]; }
    /// Sends of more than zero bytes.
    std::int64_t count() const { return m_count; }

private:
    void findDepths(const ExplicitBody& body, const std::vector<std::uint32_t>& partner, const std::stop_token& stop);

    struct Sent {
        Key key;
        std::int32_t operation = 0;
        std::uint32_t taken = 0; ///< Of the first with this key: how many of them were asked for.
    };
    std::vector<Sent> m_sends; ///< By (key, operation).
    std::vector<std::int32_t> m_step;
    std::vector<bool> m_reduces;
    std::int64_t m_count = 0;
};

/// A delivered message of an explicit program.
struct ExplicitMove {
    std::int32_t source = 0;    ///< Position.
    std::int32_t target = 0;    ///< Position.
    std::int32_t operation = 0; ///< Index into ExplicitBody.
    std::int64_t sentPs = 0;    ///< When the sender began: it sends what it held then.
    std::int64_t donePs = 0;
};

/// Parts of an explicit program. Where its messages name chunks of the large side (Chakra's msg_chunk_cnt), a part is such a chunk; a
/// received chunk joins what the rank has of it, or replaces it when the program has receives that reduce and this is none. Part p of n
/// chunks belongs to position floor(p * size / n) in reduce-scatter and all-gather. Where messages have absolute bytes, and in
/// all-to-all, there is one part, whose contributions are the ranks whose data have reached a rank, by whatever way.
/// Contributions are sets of ranks, so nothing counts twice.
class ExplicitParts : public PartMap {
public:
    /// `moves`: every delivered message. O(moves * parts of a message * ranks / 64). Told to stop: throws StopRequested (stop.h).
    ExplicitParts(const Program& program, CollectiveOp op, std::span<const ExplicitMove> moves, const std::stop_token& stop);

    /// Parts of the n-th move given to the constructor.
    PartRange carried(std::size_t move) const { return m_ranges.empty() ? PartRange{} : m_ranges[move]; }

    std::int32_t ownerOf(PartIndex part) const override;
    std::int64_t bytesOf(std::int64_t chunk, PartIndex part) const override;
    std::int32_t heldAtStart(std::int32_t position, PartIndex part) const override;
    std::int32_t heldAfter(std::uint32_t place) const override { return m_after[place]; }

private:
    void follow(std::span<const ExplicitMove> moves, const std::vector<bool>& replaces, const std::stop_token& stop);

    CollectiveOp m_op;
    std::int32_t m_size = 0;
    bool m_chunked = false;
    std::vector<PartRange> m_ranges;
    std::vector<std::int32_t> m_after;
};

} // namespace fabricscope
