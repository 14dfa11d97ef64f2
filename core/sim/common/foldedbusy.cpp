#include "core/sim/common/foldedbusy.h"

#include <algorithm>
#include <cassert>

namespace fabricscope::events {

void addRepeated(BusyPyramid& busy, std::int64_t begin, std::int64_t length, std::int64_t period, std::int64_t count)
{
    assert(count > 0 && begin >= 0 && length > 0 && length <= period);
    const std::int64_t others = count - 1;
    const std::int64_t last = begin + others * period;
    busy.add(last, last + length); // Now the buckets reach far enough.
    if (others == 0)
        return;
    const auto before = [&](std::int64_t time) {
        const std::int64_t whole = time <= begin ? 0 : std::min((time - begin) / period, others);
        return whole * length + (time <= begin || whole == others ? 0 : std::min(time - begin - whole * period, length));
    };
    std::vector<std::int64_t> buckets = busy.busyPs();
    const std::int64_t width = busy.bucketPs();
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        const std::int64_t from = static_cast<std::int64_t>(bucket) * width;
        buckets[bucket] += before(from + width) - before(from);
    }
    busy = BusyPyramid::restored(width, std::move(buckets));
}

} // namespace fabricscope::events
