#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fabricscope {

/// 128-bit digest of bytes (XXH3, from libxxhash). Not for security: for equality of designs, programs and results.
struct Digest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend bool operator==(const Digest&, const Digest&) = default;
    friend auto operator<=>(const Digest&, const Digest&) = default;

    /// 32 lower-case hexadecimal digits, high half first.
    std::string hex() const;
};

Digest digestOf(std::string_view bytes);
Digest digestOf(std::span<const std::int64_t> words);

/// Order-independent digest of a set of records: the sum modulo 2^128 of the digests of its members,
/// so that engines which finish messages in different orders can be compared.
class CommutativeDigest {
public:
    /// Adds one record. O(words).
    void add(std::span<const std::int64_t> words);
    void add(const CommutativeDigest& other);
    Digest value() const { return m_sum; }
    std::uint64_t count() const { return m_count; }

private:
    Digest m_sum;
    std::uint64_t m_count = 0;
};

} // namespace fabricscope
