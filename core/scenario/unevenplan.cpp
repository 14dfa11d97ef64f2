#include "core/scenario/unevenplan.h"

#include "core/base/integers.h"
#include "core/hierarchy/unevenlevels.h"

namespace fabricscope {

namespace {

bool goesByLevels(Algorithm algorithm)
{
    return algorithm == Algorithm::Ring || algorithm == Algorithm::Direct || algorithm == Algorithm::HalvingDoubling;
}

/// By level, as along the levels of the box without gaps; empty: something runs along one level only.
Result<std::vector<Algorithm>> algorithmsOf(const UnevenLevels& levels, CollectiveOp op, const CollectiveSetting& setting)
{
    std::vector<Algorithm> out;
    const std::vector<AlgorithmChoice>& given = setting.algorithms;
    const bool listed = given.size() > 1;
    if (setting.window > 0 || (listed && given.size() != levels.used.size()))
        return out;
    for (std::size_t level = 0; level < levels.used.size(); ++level) {
        AlgorithmChoice choice = given.empty() ? AlgorithmChoice{} : given[listed ? level : 0];
        if (choice.automatic) {
            const bool doubles = isPowerOfTwo(levels.used[level].extent);
            choice.algorithm = automaticAlgorithm(levels.used[level].shape.value_or(doubles ? Shape::Switch : Shape::Ring), op);
        }
        if (!goesByLevels(choice.algorithm) || choice.window > 0) {
            if (!listed)
                return std::vector<Algorithm>{};
            return Error{ErrorCode::Unsupported, std::string(algorithmKey(choice.algorithm)) + (choice.window > 0 ? " with a window" : "") + " cannot go along levels of different size: " + levels.text(),
                         {}, "ring, direct or halving_doubling"};
        }
        out.push_back(choice.algorithm);
    }
    return out;
}

} // namespace

Result<std::optional<PlannedCollective>> planUneven(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op,
                                                    std::int64_t bytes, const CollectiveSetting& setting, ProgramLibrary& library)
{
    const LevelFinder* const finder = library.levels(platform);
    const bool taken = op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllGather;
    if (!finder || !taken || bytes == 0)
        return std::optional<PlannedCollective>{};
    GroupShape shape = groupShape(platform, placement, family, group, false, finder);
    if (!shape.levels || !shape.levels->uneven)
        return std::optional<PlannedCollective>{};
    const UnevenLevels& levels = *shape.levels->uneven;
    auto algorithms = algorithmsOf(levels, op, setting);
    if (!algorithms)
        return std::move(algorithms).error();
    if (algorithms.value().empty())
        return std::optional<PlannedCollective>{};
    auto program = library.byUnevenLevels(shape.levels->uneven, op, algorithms.value(), setting.chunks);
    if (!program)
        return std::move(program).error();
    if (!program.value())
        return std::optional<PlannedCollective>{};
    PlannedCollective planned{std::move(program).value(), {}, shape.levels};
    planned.layout.extents = shape.layout.extents;
    for (const std::int32_t place : levels.order)
        planned.layout.list.push_back(static_cast<std::int32_t>(family.member(group, place)));
    return std::optional<PlannedCollective>(std::move(planned));
}

} // namespace fabricscope
