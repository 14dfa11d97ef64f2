// Steps of a partitioned program in which arrays are cut, masked or exchanged.
#include "core/sharding/execute/exchanges.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

Exact filling(Fill fill)
{
    return fill == Fill::Zero ? Exact() : fill == Fill::One ? Exact(1) : fill == Fill::Lowest ? Exact::least() : Exact::greatest();
}

/// Calls make(position, index of the element in the result, the element), for all devices.
template <typename Make>
DeviceArrays madeEach(const ExchangeCall& call, Make&& make)
{
    DeviceArrays result;
    for (std::int64_t position = 0; position < call.grid.devices(); ++position) {
        DenseTensor array(call.to.local);
        std::size_t i = 0;
        for (Odometer at(array.shape, {}); !at.done(); at.next(), ++i)
            array.values[i] = make(position, at.index());
        result.push_back(std::move(array));
    }
    return result;
}

/// The element of an array; poison where the array has none.
Exact elementAt(const DenseTensor& array, const std::vector<std::int64_t>& index)
{
    std::int64_t place = 0;
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
        if (index[d] < 0 || index[d] >= array.shape[d])
            return Exact::poison();
        place = place * array.shape[d] + index[d];
    }
    return array.values[static_cast<std::size_t>(place)];
}

const DenseTensor& arrayAt(const ExchangeCall& call, std::int64_t position)
{
    return call.arrays[static_cast<std::size_t>(position)];
}

std::size_t cutDim(const ExchangeCall& call)
{
    return static_cast<std::size_t>(call.step.dim);
}

DeviceArrays masked(const ExchangeCall& call)
{
    const std::size_t dim = cutDim(call);
    return madeEach(call, [&](std::int64_t position, const std::vector<std::int64_t>& index) {
        const std::int64_t whole = startOf(call.grid, call.from, dim, position) + index[dim];
        return whole < 0 || whole >= call.from.shape[dim] ? filling(call.step.fill) : elementAt(arrayAt(call, position), index);
    });
}

DeviceArrays firstKept(const ExchangeCall& call)
{
    return madeEach(call, [&](std::int64_t position, const std::vector<std::int64_t>& index) {
        return call.grid.index(call.step.axes, position) == 0 ? elementAt(arrayAt(call, position), index) : Exact();
    });
}

/// The combination of all arrays of a group, at the position with index 0 along `axes`; other positions are empty.
DeviceArrays combinedArrays(const ExchangeCall& call)
{
    DeviceArrays sums(call.arrays.size());
    const auto steps = call.grid.steps(call.step.axes);
    for (std::int64_t position = 0; position < call.grid.devices(); ++position) {
        if (call.grid.first(call.step.axes, position) != position)
            continue;
        DenseTensor sum = arrayAt(call, position);
        for (std::size_t m = 1; m < steps.size(); ++m) {
            const DenseTensor& other = arrayAt(call, position + steps[m]);
            for (std::size_t i = 0; i < sum.values.size(); ++i)
                sum.values[i] = combined(call.from.layout.reduce, sum.values[i], other.values[i]);
        }
        sums[static_cast<std::size_t>(position)] = std::move(sum);
    }
    return sums;
}

DeviceArrays allReduced(const ExchangeCall& call)
{
    const DeviceArrays sums = combinedArrays(call);
    DeviceArrays result;
    for (std::int64_t position = 0; position < call.grid.devices(); ++position)
        result.push_back(sums[static_cast<std::size_t>(call.grid.first(call.step.axes, position))]);
    return result;
}

/// The part of the array a device keeps when its list of `dim` gets `axes` at its end.
Exact keptElement(const ExchangeCall& call, const DenseTensor& array, std::int64_t position, std::vector<std::int64_t> index)
{
    index[cutDim(call)] += call.grid.index(call.step.axes, position) * call.to.local[cutDim(call)];
    return elementAt(array, index);
}

DeviceArrays reduceScattered(const ExchangeCall& call)
{
    const DeviceArrays sums = combinedArrays(call);
    return madeEach(call, [&](std::int64_t position, const std::vector<std::int64_t>& index) {
        return keptElement(call, sums[static_cast<std::size_t>(call.grid.first(call.step.axes, position))], position, index);
    });
}

DeviceArrays sliced(const ExchangeCall& call)
{
    return madeEach(call, [&](std::int64_t position, const std::vector<std::int64_t>& index) { return keptElement(call, arrayAt(call, position), position, index); });
}

DeviceArrays gathered(const ExchangeCall& call)
{
    const std::size_t dim = cutDim(call);
    const std::int64_t part = call.from.local[dim];
    const auto steps = call.grid.steps(call.step.axes);
    return madeEach(call, [&](std::int64_t position, std::vector<std::int64_t> index) {
        const auto member = static_cast<std::size_t>(index[dim] / part);
        if (member >= steps.size())
            return Exact::poison();
        index[dim] %= part;
        return elementAt(arrayAt(call, call.grid.first(call.step.axes, position) + steps[member]), index);
    });
}

DeviceArrays transposedParts(const ExchangeCall& call)
{
    const std::size_t dim = cutDim(call);
    const auto toDim = static_cast<std::size_t>(call.step.toDim);
    const std::int64_t part = call.from.local[dim];
    const auto steps = call.grid.steps(call.step.axes);
    return madeEach(call, [&](std::int64_t position, std::vector<std::int64_t> index) {
        const auto member = static_cast<std::size_t>(index[dim] / part);
        if (member >= steps.size())
            return Exact::poison();
        index[dim] %= part;
        index[toDim] += call.grid.index(call.step.axes, position) * call.to.local[toDim];
        return elementAt(arrayAt(call, call.grid.first(call.step.axes, position) + steps[member]), index);
    });
}

/// Indices along the lists of all dims, and along the unreduced axes.
std::vector<std::int64_t> partKey(const DeviceGrid& grid, const Layout& layout, std::int64_t position)
{
    std::vector<std::int64_t> key;
    for (const AxisList& list : layout.dims)
        key.push_back(grid.index(list, position));
    key.push_back(grid.index(layout.unreduced, position));
    return key;
}

Result<DeviceArrays> permuted(const ExchangeCall& call)
{
    std::map<std::vector<std::int64_t>, std::int64_t> lowest;
    for (std::int64_t position = 0; position < call.grid.devices(); ++position)
        lowest.emplace(partKey(call.grid, call.from.layout, position), position);
    DeviceArrays result;
    for (std::int64_t position = 0; position < call.grid.devices(); ++position) {
        const auto key = partKey(call.grid, call.to.layout, position);
        const auto holder = lowest.find(key);
        if (holder == lowest.end())
            return Error{ErrorCode::Internal, "permute of " + call.from.name + ": no device has the part of position " + std::to_string(position), {}, {}};
        result.push_back(arrayAt(call, partKey(call.grid, call.from.layout, position) == key ? position : holder->second));
    }
    return result;
}

/// Windows from arrays that are cut along `axes` (empty: not cut).
Result<DeviceArrays> windowed(const ExchangeCall& call, const AxisList& axes)
{
    const std::size_t dim = cutDim(call);
    const std::int64_t part = call.from.local[dim];
    const auto steps = call.grid.steps(axes);
    const bool cut = !axes.empty();
    return madeEach(call, [&](std::int64_t position, std::vector<std::int64_t> index) {
        const std::int64_t whole = startOf(call.grid, call.to, dim, position) + index[dim];
        if (whole < 0 || whole >= call.from.shape[dim])
            return filling(call.step.fill);
        const std::int64_t holder = cut ? whole / part : 0;
        if (holder >= static_cast<std::int64_t>(steps.size()))
            return Exact::poison();
        index[dim] = whole - holder * part;
        return elementAt(arrayAt(call, call.grid.first(axes, position) + steps[static_cast<std::size_t>(holder)]), index);
    });
}

} // namespace

std::int64_t startOf(const DeviceGrid& grid, const ProgramValue& value, std::size_t dim, std::int64_t position)
{
    const std::int64_t index = grid.index(value.layout.dims[dim], position);
    const DimWindow* window = value.windows.empty() || !value.windows[dim] ? nullptr : &*value.windows[dim];
    return window ? index * window->step + window->offset : index * value.local[dim];
}

Result<DeviceArrays> runExchange(const ExchangeCall& call)
{
    switch (call.step.kind) {
    case StepKind::Mask:
        return masked(call);
    case StepKind::KeepFirst:
        return firstKept(call);
    case StepKind::AllReduce:
        return allReduced(call);
    case StepKind::ReduceScatter:
        return reduceScattered(call);
    case StepKind::AllGather:
        return gathered(call);
    case StepKind::AllToAll:
        return transposedParts(call);
    case StepKind::Permute:
        return permuted(call);
    case StepKind::HaloExchange:
        return windowed(call, call.step.axes);
    case StepKind::Window:
        return windowed(call, {});
    case StepKind::Slice:
        return sliced(call);
    default:
        return Error{ErrorCode::Internal, "a step of " + call.to.name + " is no exchange", {}, {}};
    }
}

} // namespace fabricscope
