#include "core/scenario/unequalshares.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/generate/unevenblocks.h"
#include "core/program/programbuilder.h"
#include "core/scenario/groupshape.h"
#include "core/scenario/standardrules.h"

#include <algorithm>
#include <numeric>

namespace fabricscope {

namespace {

/// floor(whole * part / all).
std::int64_t shareOf(std::int64_t whole, std::int64_t part, std::int64_t all)
{
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{whole} * part / all);
}

/// Parts of `whole` by weights: part i ends at floor(whole * sum(w_0..w_i) / sum(w)).
std::vector<std::int64_t> weightedParts(std::int64_t whole, std::span<const std::int64_t> weights)
{
    const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::vector<std::int64_t> parts;
    std::int64_t sum = 0;
    std::int64_t begin = 0;
    for (const std::int64_t weight : weights) {
        sum += weight;
        const std::int64_t end = shareOf(whole, sum, all);
        parts.push_back(end - begin);
        begin = end;
    }
    return parts;
}

/// Every member sends every other its part at once.
ProgramPtr unequalAllToAll(std::int64_t bytesOfAll, std::span<const std::int64_t> shares, const std::stop_token& stop)
{
    const auto ranks = static_cast<std::int32_t>(shares.size());
    ProgramBuilder builder(CollectiveOp::AllToAll, ranks, ranks);
    builder.heed(stop);
    const std::vector<std::int64_t> parts = weightedParts(bytesOfAll, shares);
    for (std::int32_t from = 0; from < ranks; ++from) {
        const std::vector<std::int64_t> messages = weightedParts(parts[at(from)], shares);
        ProgramBuilder::Row kept; // Stays where it is.
        kept.kind = OpKind::Copy;
        kept.rank = from;
        kept.chunk = -1;
        kept.bytes = 0;
        kept.sourceBuffer = BufferKind::Input;
        kept.targetBuffer = BufferKind::Output;
        kept.sourceOffset = kept.targetOffset = from;
        builder.add(kept);
        for (std::int32_t slot = 1; slot < ranks; ++slot) {
            const std::int32_t to = (from + slot) % ranks;
            ProgramBuilder::Row row;
            row.chunk = -1;
            row.bytes = messages[at(to)];
            row.slot = slot;
            row.rank = from;
            row.peer = to;
            row.sourceBuffer = BufferKind::Input;
            row.sourceOffset = to;
            builder.add(row);
            row.kind = OpKind::Receive;
            row.rank = to;
            row.peer = from;
            row.sourceBuffer = BufferKind::None;
            row.sourceOffset = 0;
            row.targetBuffer = BufferKind::Output;
            row.targetOffset = from;
            builder.add(row);
        }
    }
    builder.header().inPlace = false;
    return builder.finish("direct, unequal parts", "native");
}

/// By axis; what is chosen for levels of different size is right for parts of different size, too: halving-doubling is not folded there.
Result<std::vector<Algorithm>> algorithmsAlong(const Platform& platform, const GroupShape& shape, CollectiveOp op, const CollectiveSetting& setting)
{
    std::vector<Algorithm> out;
    for (std::size_t axis = 0; axis < shape.layout.extents.size(); ++axis) {
        const std::int32_t dimension = shape.levels ? static_cast<std::int32_t>(axis) : shape.dimensionOfAxis[axis];
        AlgorithmChoice choice;
        if (setting.algorithms.size() == 1)
            choice = setting.algorithms.front();
        else if (dimension >= 0 && at(dimension) < setting.algorithms.size())
            choice = setting.algorithms[at(dimension)];
        if (choice.automatic)
            choice.algorithm = usualAlgorithm(platform, shape, axis, op);
        const bool can = choice.algorithm == Algorithm::Ring || choice.algorithm == Algorithm::Direct || choice.algorithm == Algorithm::HalvingDoubling;
        if (!can || choice.window > 0 || setting.window > 0) {
            return Error{ErrorCode::Unsupported, std::string(algorithmKey(choice.algorithm)) + (can ? " with a window" : "") + " cannot carry unequal parts", {},
                         "ring, direct or halving_doubling"};
        }
        out.push_back(choice.algorithm);
    }
    return out;
}

/// Ranks by place: the digit along the last axis changes fastest, so that what a member has gathered along an axis is one run of parts.
std::vector<std::int32_t> lastAxisFastest(const GroupLayout& layout)
{
    std::vector<std::int32_t> ranks;
    const std::size_t axes = layout.extents.size();
    for (std::int32_t place = 0; place < layout.size(); ++place) {
        std::vector<std::int32_t> digits(axes);
        std::int32_t rest = place;
        for (std::size_t axis = axes; axis-- > 0;) {
            digits[axis] = rest % layout.extents[axis];
            rest /= layout.extents[axis];
        }
        std::int32_t position = 0;
        for (std::size_t axis = axes; axis-- > 0;)
            position = position * layout.extents[axis] + digits[axis];
        ranks.push_back(layout.rankAt(position));
    }
    return ranks;
}

} // namespace

std::span<const std::int64_t> sharesOf(const RankGraph& tasks, TaskIndex task)
{
    const auto found = std::lower_bound(tasks.shares.begin(), tasks.shares.end(), task, [](const RankGraph::Shares& shares, TaskIndex wanted) { return shares.task < wanted; });
    return found != tasks.shares.end() && found->task == task ? std::span(found->weights) : std::span<const std::int64_t>();
}

Result<PlannedCollective> UnequalPrograms::alongAxes(const Platform& platform, const GroupShape& shape, const GroupFamily& family, CollectiveOp op, const CollectiveSetting& setting,
                                                     std::span<const std::int64_t> shares, const std::stop_token& stop)
{
    auto algorithms = algorithmsAlong(platform, shape, op, setting);
    if (!algorithms)
        return algorithms.error();
    PlannedCollective planned;
    planned.layout.extents = {shape.layout.size()};
    planned.layout.list = lastAxisFastest(shape.layout);
    std::vector<std::int64_t> byPlace;
    for (const std::int32_t rank : planned.layout.list)
        byPlace.push_back(shares[at(family.membership(rank).position)]);
    ProgramPtr& known = m_alongAxes[{op, shape.layout.extents, algorithms.value(), setting.chunks, byPlace}];
    if (!known) {
        UnevenRequest request{op, shape.layout.extents, {}, algorithms.value(), setting.chunks, "unequal parts", stop};
        for (std::int32_t place = 0; place < shape.layout.size(); ++place)
            request.places.push_back(place);
        auto made = unevenProgram(request);
        if (!made)
            return made.error();
        Program program = *made.value();
        auto& body = std::get<ExplicitBody>(program.body);
        for (const std::int64_t share : byPlace)
            body.chunkWeights.insert(body.chunkWeights.end(), at(setting.chunks), share);
        known = std::make_shared<const Program>(std::move(program));
    }
    planned.program = known;
    return planned;
}

Result<PlannedCollective> UnequalPrograms::plan(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op, std::int64_t bytes,
                                                const CollectiveSetting& setting, std::span<const std::int64_t> shares, const LevelFinder* finder, const std::stop_token& stop)
{
    const bool scatters = op == CollectiveOp::AllGather || op == CollectiveOp::ReduceScatter;
    if (!scatters && op != CollectiveOp::AllToAll)
        return Error{ErrorCode::Unsupported, std::string(collectiveKey(op)) + " has no parts of different size", {}, "all_gather, reduce_scatter or all_to_all"};
    const GroupShape shape = groupShape(platform, placement, family, group, op == CollectiveOp::AllToAll, finderFor(finder, op, setting.algorithms.size()));
    if (shape.layout.size() < 2 || bytes == 0)
        return PlannedCollective{nullptr, shape.layout};
    if (std::ssize(shares) != shape.layout.size())
        return invalidInput(std::to_string(shares.size()) + " shares for " + std::to_string(shape.layout.size()) + " members", {}, "one for each member");
    if (scatters)
        return alongAxes(platform, shape, family, op, setting, shares, stop);
    if (std::int64_t{shape.layout.size()} * shape.layout.size() > kMaxUnevenTransfers)
        return Error{ErrorCode::Unsupported, "an all_to_all of unequal parts would have more than " + std::to_string(kMaxUnevenTransfers) + " transfers", {}, "fewer NPUs"};
    constexpr std::int64_t kMostOfAll = std::int64_t{1} << 62;
    if (bytes > kMostOfAll / shape.layout.size())
        return Error{ErrorCode::Unsupported, "an all_to_all of unequal parts of more than 2^62 bytes", {}, "a smaller size"};
    return untilStopped([&]() -> Result<PlannedCollective> {
        ProgramPtr& known = m_allToAll[{bytes, std::vector<std::int64_t>(shares.begin(), shares.end())}];
        if (!known)
            known = unequalAllToAll(bytes * shape.layout.size(), shares, stop);
        return PlannedCollective{known, shape.layout};
    });
}

} // namespace fabricscope
