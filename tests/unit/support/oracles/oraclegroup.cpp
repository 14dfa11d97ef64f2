#include "tests/unit/support/oracles/oraclegroup.h"

#include <algorithm>
#include <utility>

namespace fabricscope::test {

void OracleGroup::overtake(const std::vector<CollectiveInstance>& instances, TaskOrder taskOrder)
{
    auto issuedByAll = std::exchange(complete, {});
    if (taskOrder != TaskOrder::Lifo && taskOrder != TaskOrder::Explicit)
        return;
    const auto instance = [&](int index) -> const CollectiveInstance& { return instances[static_cast<std::size_t>(index)]; };
    std::sort(issuedByAll.begin(), issuedByAll.end(), [&](int a, int b) { return instance(a).sequence > instance(b).sequence; });
    std::size_t begun = 0;
    for (const auto& [rank, count] : entered)
        begun = std::max(begun, count);
    for (const int index : issuedByAll) {
        const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), index) - order.begin());
        if (at < begun)
            continue;
        std::size_t to = at;
        while (to > begun && (taskOrder == TaskOrder::Lifo || instance(order[to - 1]).priority > instance(index).priority))
            --to;
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), index);
    }
}

} // namespace fabricscope::test
