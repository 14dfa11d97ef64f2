// Why a collective does not go on, once nothing happens any more.
#include "core/sim/astra/collectivequeue.h"

#include <algorithm>

namespace fabricscope {

AstraCollectives::Standstill AstraCollectives::explain(std::int32_t rank, TaskIndex task) const
{
    const Instance* found = nullptr;
    std::int32_t position = -1;
    for (const auto& [key, number] : m_live) {
        const Instance& instance = *m_instances[number];
        for (std::int32_t p = 0; p < instance.members && !found; ++p) {
            if (instance.rankOf(p) == rank && instance.tasks[static_cast<std::size_t>(p)] == task) {
                found = &instance;
                position = p;
            }
        }
        if (found)
            break;
    }
    Standstill result;
    if (!found)
        return result;
    const Instance& instance = *found;
    for (std::int32_t p = 0; p < instance.members; ++p) {
        if (instance.chunksLeft[static_cast<std::size_t>(p)] < 0)
            result.onRanks.push_back(instance.rankOf(p));
    }
    if (!result.onRanks.empty()) {
        result.tellWhere = true;
        result.reason = std::to_string(result.onRanks.size()) + " of " + std::to_string(instance.members) + " members have not entered";
        return result;
    }
    if (!instance.mismatches.empty()) {
        result.tellWhere = true;
        const auto& [other, text] = instance.mismatches.front();
        const auto odd = std::find_if(instance.mismatches.begin(), instance.mismatches.end(), [&](const auto& item) { return item.first == position; });
        const std::string common = instance.plan ? std::string(collectiveKey(instance.plan->op)) + " of " + std::to_string(instance.bytes) + " bytes"
                                                 : std::string("a custom collective");
        if (odd != instance.mismatches.end()) {
            for (std::int32_t p = 0; p < instance.members; ++p) {
                const bool alsoOdd = std::any_of(instance.mismatches.begin(), instance.mismatches.end(), [&](const auto& item) { return item.first == p; });
                if (!alsoOdd) {
                    result.onRanks = {instance.rankOf(p)};
                    break;
                }
            }
            result.reason = "the rank calls " + odd->second + ", other members call " + common;
        } else {
            result.onRanks = {instance.rankOf(other)};
            result.reason = "the members disagree: rank " + std::to_string(instance.rankOf(other)) + " calls " + text + ", this one " + common;
        }
        return result;
    }
    if (!instance.plan)
        return result;
    // All have entered and agree: chunks wait for each other in the queues.
    for (std::size_t at = static_cast<std::size_t>(position); at < instance.records.size(); at += static_cast<std::size_t>(instance.members)) {
        const Record& record = instance.records[at];
        if (!record.running)
            continue;
        const AstraPhase& phase = instance.plan->phases[static_cast<std::size_t>(record.phase)];
        for (std::int32_t other = 0; other < phase.size; ++other) {
            const std::int32_t distance = (other - record.index) * phase.stride;
            const Record& peer = instance.records[static_cast<std::size_t>(static_cast<std::int64_t>(at) + distance)];
            if (peer.phase < record.phase || (peer.phase == record.phase && !peer.running))
                result.onRanks.push_back(instance.rankOf(peer.position));
        }
        if (!result.onRanks.empty()) {
            result.reason = "chunk " + std::to_string(at / static_cast<std::size_t>(instance.members)) + " is in phase " + std::to_string(record.phase)
                + " here but still queued on rank " + std::to_string(result.onRanks.front())
                + "; active-chunks-per-dimension of at least the number of chunks avoids this";
            return result;
        }
    }
    return result;
}

} // namespace fabricscope
