#include "app/cli/memorynet.h"

#include "core/base/error.h"
#include "core/base/outofmemory.h"
#include "core/run/memorylimit.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <unistd.h>

namespace fabricscope::cli {

namespace {

/// Freed when memory runs out for the first time, so that what was held can be released and the reason be told.
constexpr std::size_t kReserveBytes = std::size_t{256} << 10;
/// More than the deepest calls need: readers limit how deep texts nest, and Lua how deep scripts call.
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

std::atomic<void*> reserve{nullptr};
std::atomic<bool> ranOut{false};
std::terminate_handler otherwise = nullptr;

void write(std::string_view text) noexcept
{
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

void releaseReserve()
{
    ranOut = true;
    std::free(reserve.exchange(nullptr));
    throw std::bad_alloc();
}

[[noreturn]] void endForMemory() noexcept
{
    sayOutOfMemory();
    ::_exit(exitCode(ErrorCode::MemoryLimit));
}

[[noreturn]] void terminated()
{
    try {
        if (std::current_exception())
            throw;
    } catch (const std::bad_alloc&) {
        endForMemory();
    } catch (const std::length_error&) {
        endForMemory();
    } catch (const std::system_error& error) {
        if (isOutOfMemory(error))
            endForMemory();
    } catch (...) { // Said by the next one.
    }
    // A library function that must not throw (std::filesystem's directory_iterator, say) does not tell what was thrown in it.
    if (!std::current_exception() && ranOut)
        endForMemory();
    if (otherwise)
        otherwise();
    std::abort();
}

[[gnu::noinline]] void touchStack()
{
    volatile char deep[kStackBytes];
    deep[0] = 1;
    deep[kStackBytes - 1] = deep[0];
}

} // namespace

void spreadMemoryNet()
{
    touchStack();
    reserve = std::malloc(kReserveBytes);
    std::set_new_handler(releaseReserve);
    otherwise = std::set_terminate(terminated);
}

bool memoryRanOut() noexcept
{
    return ranOut;
}

void sayMemoryBound() noexcept
{
    const MemoryBound bound = memoryBound();
    constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
    const bool small = bound.bytes < kMebibyte;
    const auto amount = static_cast<long long>(small ? bound.bytes : bound.bytes / kMebibyte);
    const char* const unit = small ? "B" : "MiB";
    char line[160];
    int length = 0;
    switch (bound.kind) {
    case MemoryBound::Kind::Data:
        length = std::snprintf(line, sizeof line, "The memory limit is %lld %s; --memory-limit sets it (default: 60 %% of the RAM).\n", amount, unit);
        break;
    case MemoryBound::Kind::AddressSpace:
        length = std::snprintf(line, sizeof line, "This program was given %lld %s of address space (ulimit -v).\n", amount, unit);
        break;
    case MemoryBound::Kind::None:
        break;
    }
    if (length > 0)
        write({line, static_cast<std::size_t>(length)});
}

void sayOutOfMemory() noexcept
{
    write("error: there is not enough memory for this\n");
    sayMemoryBound();
}

} // namespace fabricscope::cli
