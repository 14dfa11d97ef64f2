#include "core/scenario/unevenplan.h"

#include "core/base/integers.h"
#include "core/generate/unevenblocks.h"
#include "core/hierarchy/unevenlevels.h"

namespace fabricscope {

namespace {

/// The estimates err by a fifth where messages of several levels meet on the same links; a ring hardly does.
constexpr double kSureBy = 1.25;

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

/// Why nothing goes along levels of different size under this setting.
std::string needsEqualBlocks(const CollectiveSetting& setting)
{
    const std::vector<AlgorithmChoice>& given = setting.algorithms;
    if (given.size() > 1)
        return setting.window > 0 ? "a window needs blocks of one size" : "the list of algorithms has not one for each of them";
    const bool window = setting.window > 0 || (!given.empty() && given.front().window > 0);
    return (window || given.empty() ? "a window" : std::string(algorithmKey(given.front().algorithm))) + " needs blocks of one size";
}

} // namespace

Result<UnevenPlan> planUneven(const Platform& platform, const Placement& placement, const GroupFamily& family, std::int64_t group, CollectiveOp op, std::int64_t bytes,
                              const CollectiveSetting& setting, ProgramLibrary& library)
{
    const LevelFinder* const finder = finderFor(library.levels(platform), op, setting.algorithms.size());
    if (!finder || bytes == 0)
        return UnevenPlan{};
    const GroupShape shape = groupShape(platform, placement, family, group, false, finder);
    if (!shape.levels || !shape.levels->uneven)
        return UnevenPlan{};
    const UnevenLevels& levels = *shape.levels->uneven;
    const auto flat = [&](std::string why) { return UnevenPlan{{}, std::move(why)}; };
    if (op != CollectiveOp::AllReduce && op != CollectiveOp::ReduceScatter && op != CollectiveOp::AllGather)
        return flat("it is no all-reduce, reduce-scatter or all-gather");
    const auto algorithms = algorithmsOf(levels, op, setting);
    if (!algorithms)
        return algorithms.error();
    if (algorithms.value().empty())
        return flat(needsEqualBlocks(setting));
    PlannedCollective planned{nullptr, {}, shape.levels};
    planned.layout.extents = {static_cast<std::int32_t>(levels.order.size())};
    std::vector<NodeId> nodes;
    std::vector<NodeId> listed;
    for (std::int32_t position = 0; position < shape.layout.size(); ++position)
        listed.push_back(placement.nodeOf(shape.layout.rankAt(position)));
    for (const std::int32_t place : levels.order) {
        planned.layout.list.push_back(static_cast<std::int32_t>(family.member(group, place)));
        nodes.push_back(placement.nodeOf(planned.layout.list.back()));
    }
    const auto made = library.byUnevenLevels(shape.levels->uneven, op, algorithms.value(), setting.chunks, platform, nodes, listed);
    if (!made)
        return made.error();
    if (!made.value()->program)
        return flat("its program would have more than " + std::to_string(kMaxUnevenTransfers) + " transfers");
    const bool toldSo = setting.algorithms.size() > 1;
    const bool ring = setting.algorithms.empty() || setting.algorithms.front().automatic || setting.algorithms.front().algorithm == Algorithm::Ring;
    if (!toldSo && ring && made.value()->ring.timePs(bytes, setting.chunks) < kSureBy * made.value()->costs.timePs(bytes, setting.chunks))
        return flat("at this size they would not be faster than a ring over all members by a quarter, as estimated");
    planned.program = made.value()->program;
    return UnevenPlan{std::move(planned), {}};
}

} // namespace fabricscope
