#pragma once

#include "core/base/keytable.h"

#include <cstdint>

namespace fabricscope {

/// In which order the chunks of a collective go through the dimensions (chunkorders.h).
enum class DimensionScheduler : std::uint8_t {
    Baseline,       ///< Reduce-scatter up the dimensions, all-gather down.
    LocalBandwidth, ///< The same with the dimensions sorted, fastest first.
    Themis,         ///< Every chunk takes the order that levels the loads so far.
    Exact           ///< Orders and sizes of chunks such that the busiest dimension has the least to do.
};

/// Which message of a stream goes first at the own link of an NPU (network.h).
enum class InsideScheduler : std::uint8_t {
    Fifo,         ///< The one that was ready first.
    SmallestFirst ///< The one of fewest bytes; of equal ones the one that was ready first.
};

/// Which ready task a free unit takes, and which collective of a group is next (taskscheduling.h).
enum class TaskOrder : std::uint8_t {
    Standard, ///< Tasks by id, collectives in issue order.
    Fifo,     ///< Tasks that became ready first, collectives in issue order.
    Lifo,     ///< The latest first.
    Explicit  ///< Higher priority first.
};

/// Section `scheduling`: who goes first. Plain value, shared and immutable once read.
struct SchedulingConfig {
    DimensionScheduler dimensions = DimensionScheduler::Baseline;
    InsideScheduler inside = InsideScheduler::Fifo;
    TaskOrder order = TaskOrder::Standard;
    std::int32_t computeUnits = 1;       ///< Computations of an NPU at once, each at full rate.
    std::int32_t communicationUnits = 0; ///< Collectives and sends of an NPU at once; 0: any number.
    std::int32_t streams = 1;            ///< Collectives of one group at once.
    friend bool operator==(const SchedulingConfig&, const SchedulingConfig&) = default;
};

inline constexpr KeyTable<DimensionScheduler, 4> kDimensionSchedulers{
    {{"baseline", DimensionScheduler::Baseline}, {"local_bw", DimensionScheduler::LocalBandwidth}, {"themis", DimensionScheduler::Themis}, {"exact", DimensionScheduler::Exact}}};
inline constexpr KeyTable<InsideScheduler, 2> kInsideSchedulers{
    {{"fifo", InsideScheduler::Fifo}, {"smallest_first", InsideScheduler::SmallestFirst}}};
inline constexpr KeyTable<TaskOrder, 4> kTaskOrders{
    {{"standard", TaskOrder::Standard}, {"fifo", TaskOrder::Fifo}, {"lifo", TaskOrder::Lifo}, {"explicit", TaskOrder::Explicit}}};

} // namespace fabricscope
