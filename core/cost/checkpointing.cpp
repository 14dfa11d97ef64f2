#include "core/cost/checkpointing.h"

#include <cmath>

namespace fabricscope {

std::optional<Checkpointing> checkpointing(const HardwareBill& bill, const CostConfig* costs)
{
    if (!costs || (!costs->checkpoint.time && !(costs->checkpoint.bytes && costs->checkpoint.rate)))
        return std::nullopt;
    const CheckpointConfig& kept = costs->checkpoint;
    constexpr double kSecondsOfHour = 3600;
    Checkpointing out;
    out.times.mtbf = bill.mtbfHours() * kSecondsOfHour;
    out.times.checkpoint = kept.time ? kept.time->base() : kept.bytes->base() / kept.rate->base();
    out.times.restart = kept.restart ? kept.restart->base() : 0;
    const bool free = !(out.times.checkpoint > 0);
    if (free && !kept.interval) { // As often as one likes.
        out.share = std::exp(-out.times.restart / out.times.mtbf);
        return out;
    }
    out.interval = kept.interval ? kept.interval->base() : bestInterval(out.times);
    out.share = goodput(out.times, out.interval);
    if (out.times.checkpoint > out.times.mtbf / 10)
        out.warnings.push_back(warning("checkpoint-long", "a checkpoint takes more than a tenth of the time between failures: little is left"));
    return out;
}

} // namespace fabricscope
