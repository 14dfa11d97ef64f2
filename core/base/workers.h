#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fabricscope {

/// Threads that are worth starting for `items` pieces of work when `wanted` are allowed: at least 1, at most the number of pieces and of
/// the cores of this machine, whatever the user asks for.
int workerCount(std::size_t items, std::int64_t wanted);

/// Calls `work(i)` for every i below `items`, on workerCount(items, threads) threads, the caller's among them; returns when all are done.
/// Items are handed out in ascending order, so when an item ends, all below it have begun; `work` returns false when no further items shall
/// be handed out. Threads that cannot be started (no memory, no more processes) are done without. The first exception of `work` is thrown
/// here, after the other threads have ended; no items are handed out after it. `work` must be safe to call from several threads.
void forEachItem(std::size_t items, std::int64_t threads, const std::function<bool(std::size_t)>& work);

} // namespace fabricscope
