#include "tests/unit/support/oracles/oracleturns.h"

#include "tests/unit/support/oracles/phasemessages.h"

#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

namespace fabricscope::test {

std::map<std::pair<std::int32_t, std::int32_t>, int> oracleTurns(const Program& program)
{
    __extension__ using Wide = __int128;
    const TemplateBody& body = program.asTemplate();
    if (program.window >= program.chunks || (body.orderOfChunk.empty() && body.chunkWeights.empty()))
        return {};
    struct Item {
        std::int32_t chunk;
        std::int32_t phase;
        std::int32_t axis;
        std::int64_t work;
        std::optional<std::int64_t> since; ///< When the phase before it ends.
        bool begun = false;
    };
    std::vector<Item> items;
    std::map<std::int32_t, std::int64_t> workOfAxis;
    const std::vector<std::int64_t> equal(static_cast<std::size_t>(program.chunks), 1);
    const std::vector<std::int64_t>& weights = body.chunkWeights.empty() ? equal : body.chunkWeights;
    const Wide all = std::accumulate(weights.begin(), weights.end(), Wide{0});
    Wide before = 0;
    for (std::int32_t chunk = 0; chunk < program.chunks; ++chunk) {
        const Wide total = Wide{1} << 40;
        const Wide upTo = before + weights[static_cast<std::size_t>(chunk)];
        const auto bytes = static_cast<std::int64_t>(total * upTo / all - total * before / all);
        before = upTo;
        TemplateBody own;
        own.axes = body.axes;
        own.phases = body.orderOfChunk.empty() || body.orderOfChunk[static_cast<std::size_t>(chunk)] == 0
                         ? body.phases
                         : body.orders[static_cast<std::size_t>(body.orderOfChunk[static_cast<std::size_t>(chunk)]) - 1];
        for (std::size_t p = 0; p < own.phases.size(); ++p) {
            const std::int32_t axis = own.phases[p].axis;
            const std::int64_t held = expandHeld(own, p, bytes, std::vector<std::int32_t>(own.axes.size(), 0));
            const std::int64_t n = own.axes[static_cast<std::size_t>(axis)];
            const auto work = static_cast<std::int64_t>(Wide{held} * (n - 1) / n);
            items.push_back({chunk, static_cast<std::int32_t>(p), axis, work, {}, false});
            if (p == 0)
                items.back().since = 0;
            workOfAxis[axis] += work;
        }
    }
    std::map<std::int32_t, std::int64_t> freeAt;
    std::map<std::pair<std::int32_t, std::int32_t>, int> turns;
    for (int turn = 0; turn < static_cast<int>(items.size()); ++turn) {
        const auto key = [&](const Item& item) { return std::tuple(std::max(*item.since, freeAt[item.axis]), item.axis, *item.since, item.chunk, item.phase); };
        Item* next = nullptr;
        for (Item& item : items)
            if (item.since && !item.begun && (!next || key(item) < key(*next)))
                next = &item;
        next->begun = true;
        const std::int64_t sum = workOfAxis[next->axis];
        freeAt[next->axis] = std::get<0>(key(*next)) + 1 + (sum == 0 ? 0 : static_cast<std::int64_t>(Wide{next->work} * (1 << 20) / sum));
        turns[{next->chunk, next->phase}] = turn;
        for (Item& item : items)
            if (item.chunk == next->chunk && item.phase == next->phase + 1)
                item.since = freeAt[next->axis];
    }
    return turns;
}

} // namespace fabricscope::test
