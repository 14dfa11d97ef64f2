#include "core/generate/expandlayout.h"

#include "core/base/integers.h"
#include "core/base/stop.h"

#include "core/generate/families.h"
#include "core/program/nativerule.h"

#include <algorithm>

namespace fabricscope::generate {

namespace {

/// Adds the places of the blocks as runs.
void addRuns(std::vector<BlockRun>& runs, std::vector<std::int32_t>& places)
{
    std::sort(places.begin(), places.end());
    const std::size_t begin = runs.size();
    for (const std::int32_t place : places) {
        if (runs.size() > begin && runs.back().first + runs.back().count == place)
            ++runs.back().count;
        else
            runs.push_back({place, 1});
    }
}

} // namespace

std::vector<std::int32_t> blockOrder(std::int32_t extent, bool halving)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(extent));
    const std::int32_t log = floorLog(extent);
    const std::int32_t core = 1 << log;
    std::int32_t place = 0;
    for (std::int32_t i = 0; i < core; ++i) {
        std::int32_t block = i;
        if (halving) {
            block = 0;
            for (std::int32_t bit = 0; bit < log; ++bit)
                block |= (i >> bit & 1) << (log - 1 - bit);
        }
        order[static_cast<std::size_t>(block)] = place++;
        if (halving && core + block < extent)
            order[static_cast<std::size_t>(core + block)] = place++;
    }
    for (std::int32_t block = core; block < extent && !halving; ++block)
        order[static_cast<std::size_t>(block)] = place++;
    return order;
}

AxisMessages axisMessages(const PhaseTemplate& phase, std::int32_t extent, const std::vector<std::int32_t>& order, const std::stop_token& stop)
{
    const PhaseRules rules(phase, extent);
    AxisMessages out;
    std::vector<std::int32_t> places;
    std::vector<BlockRange> ranges;
    for (std::int32_t sender = 0; sender < extent; ++sender) {
        const std::int32_t count = rules.sendCount(sender);
        for (std::int32_t index = 0; index < count; ++index) {
            checkStop(stop);
            const PhaseRules::Message message = rules.send(sender, index, 0);
            AxisMessage entry{sender, message.peer, message.step, message.slot, message.reduces, static_cast<std::uint32_t>(out.runs.size()), 0};
            if (phase.kind == PhaseKind::ReduceScatter || phase.kind == PhaseKind::AllGather) {
                places.clear();
                ranges.clear();
                rules.rule().blocks(rules, sender, message.step, message.slot, ranges);
                for (const BlockRange& range : ranges) {
                    for (std::int32_t i = 0; i < range.count; ++i)
                        places.push_back(order[static_cast<std::size_t>(modulo(range.first + i, extent))]);
                }
                addRuns(out.runs, places);
            } else if (phase.kind == PhaseKind::AllReduce) {
                out.runs.push_back({message.slot % 2, 1});
            }
            entry.runEnd = static_cast<std::uint32_t>(out.runs.size());
            out.list.push_back(entry);
            out.steps = std::max(out.steps, message.step + 1);
        }
    }
    std::stable_sort(out.list.begin(), out.list.end(), [](const AxisMessage& a, const AxisMessage& b) { return a.step < b.step; });
    out.stepBegin.assign(static_cast<std::size_t>(out.steps) + 1, 0);
    for (const AxisMessage& message : out.list)
        ++out.stepBegin[static_cast<std::size_t>(message.step) + 1];
    for (std::size_t step = 1; step < out.stepBegin.size(); ++step)
        out.stepBegin[step] += out.stepBegin[step - 1];
    return out;
}

std::int64_t messageCount(const PhaseTemplate& phase, std::int32_t extent)
{
    if (phase.kind == PhaseKind::Broadcast && phase.algorithm != Algorithm::InNetwork)
        return extent - 1;
    return nativeRule(phase.algorithm).messages(extent);
}

} // namespace fabricscope::generate
