#pragma once

#include <cstdlib>

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
/// times as long; ten times as many with FABRICSCOPE_LONG in the environment (packaging/test --long). Counts of what they must have met go
/// through it too.
inline int cases(int count)
{
#ifdef FABRICSCOPE_SLOW_BUILD
    count = count < 10 ? 1 : count / 10;
#endif
    return std::getenv("FABRICSCOPE_LONG") ? count * 10 : count;
}

} // namespace fabricscope::test

#undef FABRICSCOPE_SLOW_BUILD
