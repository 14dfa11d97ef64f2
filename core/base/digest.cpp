#include "core/base/digest.h"

#include <xxhash.h>

namespace fabricscope {

namespace {

Digest hashBytes(const void* data, std::size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return {hash.low64, hash.high64};
}

void addTo(Digest& sum, Digest term)
{
    sum.low += term.low;
    sum.high += term.high + (sum.low < term.low ? 1 : 0);
}

} // namespace

std::string Digest::hex() const
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(32, '0');
    for (unsigned i = 0; i < 16; ++i) {
        out[15 - i] = kDigits[(high >> (4 * i)) & 15];
        out[31 - i] = kDigits[(low >> (4 * i)) & 15];
    }
    return out;
}

Digest digestOf(std::string_view bytes)
{
    return hashBytes(bytes.data(), bytes.size());
}

Digest digestOf(std::span<const std::int64_t> words)
{
    return hashBytes(words.data(), words.size_bytes());
}

void CommutativeDigest::add(std::span<const std::int64_t> words)
{
    addTo(m_sum, digestOf(words));
    ++m_count;
}

void CommutativeDigest::add(const CommutativeDigest& other)
{
    addTo(m_sum, other.m_sum);
    m_count += other.m_count;
}

} // namespace fabricscope
