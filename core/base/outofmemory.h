#pragma once

#include "core/base/result.h"

#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fabricscope {

/// The error of a job for which there was not enough memory; its code is ErrorCode::MemoryLimit. Makes do without memory.
Error outOfMemory() noexcept;

/// A thread or a mapping was refused for want of memory (POSIX says EAGAIN or ENOMEM).
bool isOutOfMemory(const std::system_error& error) noexcept;

/// True of an error that says nothing of the input: cancelled, out of memory, a bug. No other candidate, method or default may be tried
/// instead, or the answer would depend on the memory of the machine.
inline bool endsTheJob(const Error& error)
{
    return error.code == ErrorCode::Cancelled || error.code == ErrorCode::MemoryLimit || error.code == ErrorCode::Internal;
}

/// What `work` returns (a Result or a Status); outOfMemory() when it throws because memory ran out: std::bad_alloc, std::length_error (a
/// list longer than any memory) and refused threads. Other exceptions pass. Put it around a whole job, so that everything the job held is
/// released before anybody speaks of it; whatever the job was writing to is then in no state to be used.
template <typename Work>
auto catchOutOfMemory(Work&& work) -> decltype(std::forward<Work>(work)())
{
    try {
        return std::forward<Work>(work)();
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    } catch (const std::length_error&) {
        return outOfMemory();
    } catch (const std::system_error& error) {
        if (!isOutOfMemory(error))
            throw;
        return outOfMemory();
    }
}

} // namespace fabricscope
