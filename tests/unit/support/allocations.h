#pragma once

// Replaces operator new and delete, so that what is allocated tells how much was done without a clock. For one source of a program, which
// defines what is done at an allocation.
#include <cstdlib>
#include <new>

namespace {

/// Called before each allocation; allocates nothing itself.
void onAllocation(std::size_t size);

void* allocate(std::size_t size)
{
    onAllocation(size);
    if (void* const memory = std::malloc(size > 0 ? size : 1))
        return memory;
    throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t size)
{
    return allocate(size);
}
void* operator new[](std::size_t size)
{
    return allocate(size);
}
// Those too, as a sanitizer has its own, whose memory free() must not get.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    onAllocation(size);
    return std::malloc(size > 0 ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    onAllocation(size);
    return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
