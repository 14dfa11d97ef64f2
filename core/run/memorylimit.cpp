#include "core/run/memorylimit.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace fabricscope {

namespace {

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

/// A number of bytes in a file of one line; 0 when there is none ("max", or no file).
std::int64_t bytesIn(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    std::int64_t bytes = 0;
    if (!std::getline(file, line) || std::from_chars(line.data(), line.data() + line.size(), bytes).ec != std::errc())
        return 0;
    return bytes;
}

/// Least memory limit of this process's control groups, version 2 or 1; 0: none.
std::int64_t groupLimit()
{
    std::int64_t least = 0;
    const auto consider = [&least](const std::string& path) {
        if (const std::int64_t bytes = bytesIn(path); bytes > 0 && (least == 0 || bytes < least))
            least = bytes;
    };
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t second = line.find(':', line.find(':') + 1);
        if (second == std::string::npos)
            continue;
        const bool version1 = line.find(":memory:") != std::string::npos;
        if (!version1 && !line.starts_with("0::"))
            continue;
        const std::string root = version1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
        const std::string name = version1 ? "/memory.limit_in_bytes" : "/memory.max";
        // A limit may be set at any level above the process.
        for (std::string path = line.substr(second + 1);; path.erase(std::max<std::size_t>(path.rfind('/'), 0))) {
            consider(root + (path == "/" ? "" : path) + name);
            if (path.empty() || path == "/" || path.rfind('/') == std::string::npos)
                break;
        }
    }
    return least;
}

} // namespace

std::int64_t defaultMemoryLimit()
{
    const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES);
    const std::int64_t page = ::sysconf(_SC_PAGE_SIZE);
    std::int64_t memory = pages > 0 && page > 0 ? pages * page : 0;
    if (const std::int64_t group = groupLimit(); group > 0 && (memory == 0 || group < memory))
        memory = group;
    return memory / 10 * 6;
}

std::int64_t enforceDefaultMemoryLimit()
{
    const std::int64_t bytes = defaultMemoryLimit();
    struct rlimit limit {};
    const bool known = ::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (known && (bytes <= 0 || limit.rlim_cur <= static_cast<rlim_t>(bytes)))
        return static_cast<std::int64_t>(limit.rlim_cur);
    enforceMemoryLimit(bytes);
    return bytes;
}

void enforceMemoryLimit(std::int64_t bytes)
{
    // The sanitizers reserve terabytes of address space and would not start.
    if (bytes <= 0 || kSanitized)
        return;
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    const auto wanted = static_cast<rlim_t>(bytes);
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limit);
}

MemoryBound memoryBound() noexcept
{
    MemoryBound bound;
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bound = {MemoryBound::Kind::Data, static_cast<std::int64_t>(limit.rlim_cur)};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
        && (bound.kind == MemoryBound::Kind::None || static_cast<std::int64_t>(limit.rlim_cur) < bound.bytes))
        bound = {MemoryBound::Kind::AddressSpace, static_cast<std::int64_t>(limit.rlim_cur)};
    return bound;
}

std::int64_t peakRssBytes()
{
    struct rusage usage {};
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? std::int64_t{usage.ru_maxrss} * 1024 : 0;
}

std::string hostName()
{
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

} // namespace fabricscope
