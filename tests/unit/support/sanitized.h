#pragma once

namespace fabricscope::test {

/// Is this built for the address or the thread sanitizer? Their shadow memory takes terabytes of address space: limits of memory do not hold
/// and sizes mean nothing. clang defines other names than gcc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

} // namespace fabricscope::test
