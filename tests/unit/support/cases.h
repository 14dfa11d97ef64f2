#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FABRICSCOPE_SLOW_BUILD
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define FABRICSCOPE_SLOW_BUILD
#endif

namespace fabricscope::test {

/// How many random cases a test runs that would run `count` in an optimised build: a tenth under a sanitizer, where each takes about ten
/// times as long; twenty times as many with FABRICSCOPE_LONG in the environment (packaging/test --long). FABRICSCOPE_CASES, in per cent,
/// takes the place of both. Never fewer than `least`, for what few cases would not meet. Counts of what they must have met go through it too.
template <std::integral T = int>
T cases(std::type_identity_t<T> count, std::type_identity_t<T> least = 1)
{
#ifdef FABRICSCOPE_SLOW_BUILD
    std::int64_t percent = 10;
#else
    std::int64_t percent = 100;
#endif
    if (std::getenv("FABRICSCOPE_LONG"))
        percent *= 20;
    if (const char* const text = std::getenv("FABRICSCOPE_CASES"))
        percent = std::max(std::atoi(text), 1);
    return std::max(static_cast<T>(static_cast<std::int64_t>(count) * percent / 100), least);
}

/// The same for cases compared with a brute-force oracle that takes nearly all the time: under a sanitizer, which is there for what is compared with it, a third.
inline int oracleCases(int count)
{
#ifdef FABRICSCOPE_SLOW_BUILD
    if (!std::getenv("FABRICSCOPE_LONG"))
        count = std::max(count / 3, 1);
#endif
    return cases(count);
}

/// The seed of a test's random numbers: its own and FABRICSCOPE_SEED (a number; 0) added, printed.
inline std::uint64_t seeded(std::uint64_t own)
{
    const char* const text = std::getenv("FABRICSCOPE_SEED");
    const std::uint64_t seed = own + (text ? std::strtoull(text, nullptr, 10) : 0);
    std::fprintf(stderr, "random numbers from seed %llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

/// The seeds of cases(count, least) random cases, from seeded(first) on. A loop that is left before its end, as a failing check does, says at which
/// seed:
///     for (const std::uint64_t seed : Seeds(5000, 400))
template <std::integral T = std::uint64_t>
class Seeds {
public:
    Seeds(std::type_identity_t<T> first, int count, int least = 1)
        : m_at(static_cast<T>(seeded(static_cast<std::uint64_t>(first)))), m_end(static_cast<T>(m_at + static_cast<T>(cases(count, least))))
    {
    }
    ~Seeds()
    {
        if (m_at != m_end)
            std::fprintf(stderr, "left at seed %llu\n", static_cast<unsigned long long>(m_at));
    }
    Seeds(const Seeds&) = delete;
    Seeds& operator=(const Seeds&) = delete;

    struct End {};

    class Iterator {
    public:
        explicit Iterator(T& at, T end) : m_at(at), m_end(end) {}
        T operator*() const { return m_at; }
        Iterator& operator++()
        {
            ++m_at;
            return *this;
        }
        bool operator!=(End) const { return m_at != m_end; }

    private:
        T& m_at;
        T m_end;
    };

    Iterator begin() { return Iterator(m_at, m_end); }
    End end() const { return {}; }

private:
    T m_at;
    T m_end;
};

} // namespace fabricscope::test

#undef FABRICSCOPE_SLOW_BUILD
