#include "core/sharding/factorshardings.h"

#include <algorithm>

namespace fabricscope {

namespace {

/// Moves axes from the front of `rest` to `taken` until their sizes multiply to `size` or do not divide it; true when `size` is reached.
bool takeAxes(AxisList& rest, std::int64_t size, AxisList& taken)
{
    while (size > 1 && !rest.empty()) {
        AxisPart& first = rest.front();
        if (size % first.size == 0) {
            size /= first.size;
            taken.push_back(first);
            rest.erase(rest.begin());
        } else if (first.size % size == 0) {
            taken.push_back({first.axis, first.pre, size});
            first = {first.axis, first.pre * size, first.size / size};
            size = 1;
        } else {
            break;
        }
    }
    return size == 1;
}

} // namespace

FactorShardings toFactors(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& dims)
{
    FactorShardings out;
    out.byFactor.resize(rule.factors.size());
    out.rest.resize(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        const std::vector<int>& factors = rule.dims[tensor][d];
        AxisList rest = dims[d];
        if (factors.size() == 1) {
            out.byFactor[static_cast<std::size_t>(factors[0])] = std::exchange(rest, {});
        } else {
            for (const int factor : factors) {
                if (!takeAxes(rest, rule.factors[static_cast<std::size_t>(factor)].size, out.byFactor[static_cast<std::size_t>(factor)]))
                    break;
            }
        }
        out.rest[d] = std::move(rest);
    }
    return out;
}

std::vector<AxisList> toDims(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& byFactor)
{
    std::vector<AxisList> dims;
    for (const std::vector<int>& factors : rule.dims[tensor]) {
        AxisList list;
        for (const int factor : factors) {
            AxisList own = byFactor[static_cast<std::size_t>(factor)];
            if (factors.size() == 1) {
                list = std::move(own);
                break;
            }
            AxisList taken;
            const bool full = takeAxes(own, rule.factors[static_cast<std::size_t>(factor)].size, taken);
            list.insert(list.end(), taken.begin(), taken.end());
            if (!full)
                break;
        }
        dims.push_back(joined(list));
    }
    return dims;
}

} // namespace fabricscope
