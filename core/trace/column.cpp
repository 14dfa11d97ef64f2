#include "core/trace/column.h"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace fabricscope::detail {

namespace {

constexpr std::size_t kMapped = std::size_t{1} << 20;
constexpr std::size_t kHuge = std::size_t{4} << 20;

bool isMapped(std::size_t bytes)
{
    return bytes >= kMapped;
}

void* map(std::size_t bytes)
{
    void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        throw std::bad_alloc();
    return block;
}

void advise(void* block, std::size_t bytes)
{
    if (bytes >= kHuge)
        ::madvise(block, bytes, MADV_HUGEPAGE); // only advice: ordinary pages do as well
}

} // namespace

void* resizeBlock(void* block, std::size_t oldBytes, std::size_t newBytes)
{
    if (newBytes > (~std::size_t{0} >> 1))
        throw std::bad_alloc();
    if (newBytes == 0) {
        if (block && isMapped(oldBytes))
            ::munmap(block, oldBytes);
        else
            std::free(block);
        return nullptr;
    }
    if (!isMapped(newBytes) && !isMapped(oldBytes)) {
        void* const moved = std::realloc(block, newBytes);
        if (!moved)
            throw std::bad_alloc();
        return moved;
    }
    if (block && isMapped(oldBytes) && isMapped(newBytes)) {
        void* const moved = ::mremap(block, oldBytes, newBytes, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED)
            throw std::bad_alloc();
        advise(moved, newBytes);
        return moved;
    }
    void* const fresh = isMapped(newBytes) ? map(newBytes) : std::malloc(newBytes);
    if (!fresh)
        throw std::bad_alloc();
    if (isMapped(newBytes))
        advise(fresh, newBytes);
    if (block)
        std::memcpy(fresh, block, std::min(oldBytes, newBytes));
    resizeBlock(block, oldBytes, 0);
    return fresh;
}

std::size_t grownBytes(std::size_t oldBytes, std::size_t wanted)
{
    return std::max({wanted, oldBytes + oldBytes / 2, std::size_t{256}});
}

} // namespace fabricscope::detail
