#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/transform/stagegraph.h"
#include "core/transform/executeprogram.h"
#include "core/transform/layoutrules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fabricscope::transform {

namespace {

constexpr std::int64_t kMostExecuted = std::int64_t{1} << 21; ///< Elements of one tensor over all ranks.

/// Few ranks that still have neighbours on both sides.
std::int32_t fewRanks(const TensorProgram& program)
{
    std::size_t dims = 0;
    for (const Tensor& tensor : program.tensors)
        dims = std::max(dims, tensor.value.shape.size());
    return std::min(program.ranks, dims <= 2 ? 8 : dims <= 4 ? 4 : 3);
}

/// Of equal extents equal ones; multiples of the ranks stay multiples, others stay uneven, and those below the ranks stay below.
std::map<std::int64_t, std::int64_t> smallExtents(const TensorProgram& program, std::int32_t ranks)
{
    std::set<std::int64_t> extents;
    for (const Tensor& tensor : program.tensors)
        extents.insert(tensor.value.shape.begin(), tensor.value.shape.end());
    std::map<std::int64_t, std::int64_t> small;
    std::int64_t number = 0;
    for (const std::int64_t extent : extents) {
        std::int64_t value = extent;
        if (extent > ranks + 1 && extent % program.ranks == 0)
            value = std::min(extent, std::int64_t{ranks} * (2 + number++ % 2));
        else if (extent < program.ranks)
            value = std::clamp<std::int64_t>(extent, 1, std::max(ranks - 1, 1));
        else if (extent > ranks + 1)
            value = std::min(extent, std::int64_t{ranks} * (1 + number++ % 2) + 1);
        small[extent] = value;
    }
    return small;
}

bool isNear(double a, double b)
{
    constexpr double kTolerance = 1e-9; // Sums in another order, far above rounding of small sums.
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= kTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

/// Empty: the same.
std::string differenceOf(const std::string& name, const std::vector<double>& before, const std::vector<double>& after)
{
    if (before.size() != after.size())
        return name + " has " + std::to_string(after.size()) + " elements instead of " + std::to_string(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!isNear(before[i], after[i]))
            return name + ": element " + std::to_string(i) + " is " + std::to_string(after[i]) + " instead of " + std::to_string(before[i]);
    }
    return {};
}

/// The first thing in which the runs differ.
std::string differenceBetween(const TensorProgram& before, const Execution& first, const TensorProgram& after, const Execution& second)
{
    if (second.readOutside())
        return "a rank reads what it does not hold";
    if (before.outputs.size() != after.outputs.size())
        return "the number of outputs";
    for (std::size_t i = 0; i < before.outputs.size(); ++i) {
        if (!second.isSameEverywhere(after.outputs[i]))
            return after.outputs[i] + " differs between the ranks";
        if (std::string text = differenceOf(after.outputs[i], first.whole(before.outputs[i]), second.whole(after.outputs[i])); !text.empty())
            return text;
    }
    if (first.updated() != second.updated())
        return "the tensors that are updated";
    for (const std::string& name : first.updated()) {
        if (!second.isSameEverywhere(name))
            return name + " differs between the ranks in the end";
        if (std::string text = differenceOf(name, first.whole(name), second.whole(name)); !text.empty())
            return text;
    }
    return {};
}

} // namespace

Result<TensorProgram> withSmallSizes(const TensorProgram& program)
{
    TensorProgram small = program;
    small.ranks = fewRanks(program);
    const std::map<std::int64_t, std::int64_t> extents = smallExtents(program, small.ranks);
    for (Tensor& tensor : small.tensors) {
        for (std::int64_t& extent : tensor.value.shape)
            extent = extents.at(extent);
    }
    for (Stage& stage : small.stages)
        stage.root %= small.ranks;
    if (Status status = inferLayouts(small); !status) {
        // Extents of a convolution follow from each other: as they are, then.
        small = program;
        if (Status whole = inferLayouts(small); !whole)
            return whole.error();
    }
    const auto tooLarge = [&](const Value& value) { return elementsOf(value.shape) > kMostExecuted / small.ranks; };
    for (const Tensor& tensor : small.tensors) {
        if (tooLarge(tensor.value))
            return Error{ErrorCode::Unsupported, "tensor " + tensor.name + " is too large to be executed, and smaller ones do not fit together", tensor.place, "smaller sizes"};
    }
    for (const Stage& stage : small.stages) {
        if (tooLarge(stage.value))
            return Error{ErrorCode::Unsupported, "stage " + stage.name + " is too large to be executed, and smaller ones do not fit together", stage.place, "smaller sizes"};
    }
    return small;
}

Result<Comparison> compareRuns(const TensorProgram& before, const TensorProgram& after, const std::stop_token& stop)
{
    return untilStopped([&]() -> Result<Comparison> {
        const auto first = withSmallSizes(before);
        if (!first)
            return first.error();
        const auto second = withSmallSizes(after);
        if (!second)
            return second.error();
        for (const TensorProgram* const program : {&first.value(), &second.value()}) {
            if (!program->stages.empty() && kernelsOf(*program).empty())
                return Error{ErrorCode::Stuck, "the stages wait for each other in a ring", {}, {}};
        }
        Execution one(first.value());
        one.run(stop);
        Execution other(second.value());
        other.run(stop);
        Comparison result;
        result.difference = differenceBetween(first.value(), one, second.value(), other);
        result.equal = result.difference.empty();
        return result;
    });
}

} // namespace fabricscope::transform
