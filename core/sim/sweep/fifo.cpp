#include "core/sim/sweep/fifo.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fabricscope::sweep {

namespace {

std::int64_t serveOneByOne(const std::int64_t* times, std::size_t count, std::int64_t free, std::int64_t cost, std::int64_t offset, std::int64_t* out, bool& falls)
{
    bool fell = false;
    std::int64_t before = count > 0 ? times[0] : 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t time = times[k];
        fell |= time < before;
        before = time;
        free = std::max(time, free) + cost;
        out[k] = free + offset;
    }
    falls = falls || fell;
    return free;
}

#if defined(__x86_64__)

__attribute__((target("avx512f"))) std::int64_t serveEight(const std::int64_t* times, std::size_t count, std::int64_t free, std::int64_t cost,
                                                           std::int64_t offset, std::int64_t* out, bool& falls)
{
    if (count < 16)
        return serveOneByOne(times, count, free, cost, offset, out, falls);
    const __m512i lowest = _mm512_set1_epi64(INT64_MIN / 2);
    const __m512i before = _mm512_set_epi64(7 * cost, 6 * cost, 5 * cost, 4 * cost, 3 * cost, 2 * cost, cost, 0);
    const __m512i after = _mm512_add_epi64(before, _mm512_set1_epi64(cost + offset));
    const __m512i block = _mm512_set1_epi64(8 * cost);
    const __m512i seventh = _mm512_set1_epi64(7);
    __m512i carry = _mm512_set1_epi64(free);
    __mmask8 fell = 0;
    std::size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        const __m512i time = _mm512_loadu_si512(times + k);
        if (k > 0)
            fell = static_cast<__mmask8>(fell | _mm512_cmplt_epi64_mask(time, _mm512_loadu_si512(times + k - 1)));
        __m512i most = _mm512_sub_epi64(time, before);
        most = _mm512_max_epi64(most, _mm512_alignr_epi64(most, lowest, 7));
        most = _mm512_max_epi64(most, _mm512_alignr_epi64(most, lowest, 6));
        most = _mm512_max_epi64(most, _mm512_alignr_epi64(most, lowest, 4));
        const __m512i last = _mm512_permutexvar_epi64(seventh, most);
        _mm512_storeu_si512(out + k, _mm512_add_epi64(_mm512_max_epi64(most, carry), after));
        carry = _mm512_add_epi64(_mm512_max_epi64(last, carry), block);
    }
    for (std::size_t i = 1; i < 8; ++i)
        falls = falls || times[i] < times[i - 1];
    falls = falls || fell != 0 || (k < count && times[k] < times[k - 1]);
    return serveOneByOne(times + k, count - k, _mm_cvtsi128_si64(_mm512_castsi512_si128(carry)), cost, offset, out + k, falls);
}

__attribute__((target("avx2"))) std::int64_t serveFour(const std::int64_t* times, std::size_t count, std::int64_t free, std::int64_t cost,
                                                       std::int64_t offset, std::int64_t* out, bool& falls)
{
    if (count < 8)
        return serveOneByOne(times, count, free, cost, offset, out, falls);
    const __m256i lowest = _mm256_set1_epi64x(INT64_MIN / 2);
    const __m256i before = _mm256_set_epi64x(3 * cost, 2 * cost, cost, 0);
    const __m256i after = _mm256_add_epi64(before, _mm256_set1_epi64x(cost + offset));
    const __m256i block = _mm256_set1_epi64x(4 * cost);
    __m256i carry = _mm256_set1_epi64x(free);
    __m256i fell = _mm256_setzero_si256();
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const __m256i time = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(times + k));
        if (k > 0)
            fell = _mm256_or_si256(fell, _mm256_cmpgt_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(times + k - 1)), time));
        __m256i most = _mm256_sub_epi64(time, before);
        __m256i moved = _mm256_blend_epi32(_mm256_permute4x64_epi64(most, 0x90), lowest, 0x03); // One up.
        most = _mm256_blendv_epi8(most, moved, _mm256_cmpgt_epi64(moved, most));
        moved = _mm256_blend_epi32(_mm256_permute4x64_epi64(most, 0x40), lowest, 0x0f); // Two up.
        most = _mm256_blendv_epi8(most, moved, _mm256_cmpgt_epi64(moved, most));
        const __m256i last = _mm256_permute4x64_epi64(most, 0xff);
        const __m256i with = _mm256_blendv_epi8(most, carry, _mm256_cmpgt_epi64(carry, most));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k), _mm256_add_epi64(with, after));
        carry = _mm256_add_epi64(_mm256_blendv_epi8(last, carry, _mm256_cmpgt_epi64(carry, last)), block);
    }
    for (std::size_t i = 1; i < 4; ++i)
        falls = falls || times[i] < times[i - 1];
    falls = falls || _mm256_movemask_epi8(fell) != 0 || (k < count && times[k] < times[k - 1]);
    return serveOneByOne(times + k, count - k, _mm_cvtsi128_si64(_mm256_castsi256_si128(carry)), cost, offset, out + k, falls);
}

#endif

using Serve = std::int64_t (*)(const std::int64_t*, std::size_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t*, bool&);

Serve choose()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return serveEight;
    if (__builtin_cpu_supports("avx2"))
        return serveFour;
#endif
    return serveOneByOne;
}

} // namespace

std::int64_t serveFifo(const std::int64_t* times, std::size_t count, std::int64_t free, std::int64_t cost, std::int64_t offset, std::int64_t* out, bool& falls)
{
    static const Serve serve = choose();
    return serve(times, count, free, cost, offset, out, falls);
}

} // namespace fabricscope::sweep
