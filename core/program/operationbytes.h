#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricscope {

/// Sizes of the operations of an explicit program once the large side S is known, as the columns state them. Construction O(chunks), questions O(1) without division.
class OperationBytes {
public:
    /// \pre an explicit body; 0 <= bytes; weights are not negative, sum below 2^62 and not 0; as many as chunks.
    OperationBytes(const Program& program, std::int64_t bytes);

    /// Bytes of an operation: absolute, or those it carries where that has been found out (setCarried()), or those of its chunks.
    std::int64_t of(std::size_t operation) const;
    /// Bytes of chunks [first, first + count). Beyond the last chunk (scratch) chunks repeat from the first.
    std::int64_t ofChunks(std::int32_t first, std::int32_t count) const;
    /// Are all chunks of the large side equally large? O(chunks) with weights.
    bool chunksAreEqual() const;
    /// By operation, -1: not known; or empty. See carriedBytes(), which makes these.
    void setCarried(std::vector<std::int64_t> bytes) { m_carried = std::move(bytes); }

private:
    std::int64_t end(std::int64_t chunks) const; ///< End of the first `chunks` chunks.

    const ExplicitBody* m_body;
    std::int64_t m_bytes = 0;
    std::int32_t m_chunks = 1;
    std::vector<std::int64_t> m_ends; ///< End of the first k chunks, chunks + 1 entries; empty: too many to keep.
    std::vector<std::int64_t> m_carried;
};

} // namespace fabricscope
