#include "core/sim/sweep/track.h"

#include "core/base/index.h"

#include <algorithm>

namespace fabricscope::sweep {

Track::Changing* Track::changingFrom(std::size_t cell)
{
    const auto found = std::lower_bound(changing.begin(), changing.end(), cell, [](const Changing& entry, std::size_t from) { return entry.cell < from; });
    return found == changing.end() ? nullptr : &*found;
}

Track::Changing* Track::changingAt(std::size_t cell)
{
    Changing* const found = changingFrom(cell);
    return found && found->cell == cell ? found : nullptr;
}

void Track::addFirst(std::int64_t line, std::int32_t place, std::int32_t flow, std::int64_t time)
{
    const auto l = static_cast<std::size_t>(line);
    const std::size_t cell = l * static_cast<std::size_t>(flows) + static_cast<std::size_t>(flow);
    const std::int32_t plane = planeOf(line);
    const std::size_t f = planeCell(plane, flow);
    parked[l].push_back(Parked::of(Parked::First, place, time, metaOf(flow, extent - 1)));
    next[l] = std::min(next[l], time);
    nextOf[at(plane)] = std::min(nextOf[at(plane)], time);
    // Where all that is missing is the own part, the phase is complete with it.
    const std::int64_t hops = ownless[cell] > 0 ? 0 : (lagging[cell] > 0 || waiting[cell] > 0 ? 1 : extent - 1);
    const std::int64_t bound = time + hops * hop;
    ahead[cell] = std::min(ahead[cell], bound);
    aheadOf[f] = std::min(aheadOf[f], bound);
    --unknown[f];
}

void Track::collectBounds(std::int32_t plane)
{
    const auto count = static_cast<std::size_t>(flows);
    std::int64_t* const aheads = aheadOf.data() + planeCell(plane, 0);
    std::int64_t* const ownlesses = ownlessOf.data() + planeCell(plane, 0);
    std::int64_t* const closes = closeOf.data() + planeCell(plane, 0);
    std::fill_n(aheads, count, kNever);
    std::fill_n(ownlesses, count, 0);
    std::fill_n(closes, count, 0);
    std::int64_t earliest = kNever;
    for (auto line = static_cast<std::size_t>(plane); line < static_cast<std::size_t>(lines); line += static_cast<std::size_t>(planes)) {
        earliest = std::min(earliest, next[line]);
        for (std::size_t flow = 0; flow < count; ++flow) {
            const std::size_t cell = line * count + flow;
            aheads[flow] = std::min(aheads[flow], ahead[cell]);
            ownlesses[flow] += ownless[cell];
            closes[flow] += lagging[cell] + waiting[cell];
        }
    }
    nextOf[at(plane)] = earliest;
}

std::int64_t Track::memoryBytes() const
{
    const auto words = link.size() + downLink.size() + cost.size() + latency.size() + downCost.size() + downBump.size() + downLatency.size() + free.size()
                       + downFree.size() + served.size() + ahead.size() + next.size() + latest.size() + drawnBusy.size();
    const auto halves = resource.size() + downResource.size() + servedKey.size() + missing.size() + arrived.size() + lagging.size() + ownless.size() + waiting.size();
    std::size_t sum = words * sizeof(std::int64_t) + halves * sizeof(std::int32_t) + parked.size() * sizeof(parked[0]);
    for (const auto& list : parked)
        sum += list.capacity() * sizeof(Parked);
    return static_cast<std::int64_t>(sum);
}

std::int64_t trainBump(const CostTable& costs, ResourceClass first, ResourceClass second, std::int64_t bytes, std::int64_t pieceBytes)
{
    const std::int64_t all = costs.occupancy(second, bytes);
    std::int64_t bump = all;
    for (std::int64_t done = pieceBytes; done < bytes; done += pieceBytes)
        bump = std::max(bump, costs.occupancy(first, done) + all - costs.occupancy(second, done));
    return bump;
}

} // namespace fabricscope::sweep
