#include "core/generate/expandlayout.h"

#include "core/base/index.h"
#include "core/base/integers.h"
#include "core/base/stop.h"

#include "core/generate/families.h"

#include <algorithm>
#include <set>
#include <utility>

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

std::vector<std::int32_t> blockOrder(std::int32_t extent, const NativeRule* rule)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(extent));
    for (std::int32_t block = 0; block < extent; ++block)
        order[at(block)] = rule ? rule->placeOf(extent, block) : block;
    return order;
}

AxisMessages axisMessages(const PhaseTemplate& phase, std::int32_t extent, const std::vector<std::int32_t>& order, const std::stop_token& stop)
{
    const PhaseRules rules(phase, extent);
    const NativeRule& rule = rules.rule();
    AxisMessages out;
    std::vector<std::int32_t> placeOfRule(static_cast<std::size_t>(extent)); // From the rule's order of blocks to `order`.
    for (std::int32_t block = 0; block < static_cast<std::int32_t>(order.size()); ++block)
        placeOfRule[at(rule.placeOf(extent, block))] = order[at(block)];
    std::vector<std::int32_t> places;
    std::set<std::pair<std::int32_t, std::int32_t>> awaited; // Sender, step.
    for (std::int32_t sender = 0; sender < extent; ++sender) {
        const std::int32_t count = rules.sendCount(sender);
        for (std::int32_t index = 0; index < count; ++index) {
            checkStop(stop);
            const PhaseRules::Message message = rules.send(sender, index, 0);
            AxisMessage entry{.from = sender, .to = message.peer, .step = message.step, .slot = message.slot, .reduces = message.reduces,
                              .runBegin = static_cast<std::uint32_t>(out.runs.size())};
            if (phase.kind == PhaseKind::ReduceScatter || phase.kind == PhaseKind::AllGather) {
                const BlockRange blocks = rule.blocks(rules, sender, message.step, message.slot);
                places.clear();
                for (std::int32_t i = 0; i < blocks.count; ++i)
                    places.push_back(placeOfRule[at((blocks.first + i) % extent)]);
                addRuns(out.runs, places);
            } else if (phase.kind == PhaseKind::AllReduce) {
                out.runs.push_back({message.slot % 2, 1});
            }
            if (const std::int32_t receive = rule.awaits ? rule.awaits(rules, sender, index) : -1; receive >= 0) {
                const PhaseRules::Message other = rules.receive(sender, receive, 0);
                entry.awaits = other.peer;
                awaited.insert({other.peer, other.step});
            }
            entry.runEnd = static_cast<std::uint32_t>(out.runs.size());
            out.list.push_back(entry);
            out.steps = std::max(out.steps, message.step + 1);
        }
    }
    for (AxisMessage& message : out.list)
        message.awaited = awaited.contains({message.from, message.step});
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
    if (phase.kind == PhaseKind::Broadcast && nativeRule(phase.algorithm).sequence != Sequence::InSwitch)
        return extent - 1;
    return nativeRule(phase.algorithm).messages(extent);
}

} // namespace fabricscope::generate
