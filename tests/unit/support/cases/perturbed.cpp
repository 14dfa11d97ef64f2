#include "tests/unit/support/cases/perturbed.h"

#include "core/base/index.h"

#include <algorithm>
#include <random>

namespace fabricscope::test {

namespace {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_random(seed * 0x9E3779B97F4A7C15ULL + 7) {}
    std::int64_t pick(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(std::int64_t percent) { return pick(1, 100) <= percent; }

private:
    std::mt19937_64 m_random;
};

std::int64_t linkCount(const CaseSpec& spec)
{
    std::int64_t npus = 1;
    for (const CaseSpec::Dim& dim : spec.dims)
        npus *= dim.size;
    std::int64_t links = 0;
    for (const CaseSpec::Dim& dim : spec.dims) {
        if (dim.size > 1)
            links += npus * (dim.shape == Shape::Ring ? std::min(dim.size - 1, 2) : dim.shape == Shape::Switch ? 2 : dim.size - 1);
    }
    return links;
}

/// Number of a link on the platform: dimension by dimension, NPU by NPU, port by port.
void overrideLink(CaseSpec& spec, Dice& dice, bool rate)
{
    const std::int64_t count = linkCount(spec);
    if (count == 0)
        return;
    const LinkId link = dice.pick(0, count - 1);
    std::int64_t npus = 1;
    for (const CaseSpec::Dim& dim : spec.dims)
        npus *= dim.size;
    LinkId first = 0;
    for (const CaseSpec::Dim& dim : spec.dims) {
        const std::int64_t links = dim.size > 1 ? npus * (dim.shape == Shape::Ring ? std::min(dim.size - 1, 2) : dim.shape == Shape::Switch ? 2 : dim.size - 1) : 0;
        if (link < first + links) {
            spec.overrides.push_back({link, rate ? std::max<std::int64_t>(dim.rate / dice.pick(2, 5), 1) : dim.rate,
                                      rate ? dim.latencyPs : dim.latencyPs + dice.pick(1, 300'000)});
            return;
        }
        first += links;
    }
}

/// The groups along one dimension.
CaseSpec::Family familyAlong(const CaseSpec& spec, std::size_t dimension, std::int32_t npus)
{
    CaseSpec::Family family;
    std::int32_t stride = 1;
    for (std::size_t d = 0; d < dimension; ++d)
        stride *= spec.dims[d].size;
    const std::int32_t size = spec.dims[dimension].size;
    for (std::int32_t first = 0; first < npus; ++first) {
        if (first / stride % size != 0)
            continue;
        std::vector<std::int32_t> group;
        for (std::int32_t i = 0; i < size; ++i)
            group.push_back(first + i * stride);
        family.groups.push_back(std::move(group));
    }
    return family;
}

CaseSpec::Call callOf(Dice& dice, CollectiveOp op, std::int32_t size)
{
    CaseSpec::Call call;
    call.op = op;
    call.chunks = static_cast<std::int32_t>(dice.pick(1, 3));
    call.bytes = dice.chance(80) ? std::int64_t{size} * call.chunks * dice.pick(100, 3000) : dice.pick(size, 9000);
    const Algorithm algorithm = dice.chance(60) ? Algorithm::Ring : Algorithm::Direct;
    call.body[size] = standardBody(op, {size}, {algorithm});
    return call;
}

} // namespace

CaseSpec perturbed(CaseSpec spec, std::uint64_t seed, Defect defect, std::string* what)
{
    Dice dice(seed);
    const auto rank = static_cast<std::size_t>(dice.pick(0, spec.rankCount() - 1));
    const auto npus = static_cast<std::size_t>(spec.jobs.front().size());
    switch (defect) {
    case Defect::None:
        break;
    case Defect::SlowLink:
    case Defect::LateLink:
        overrideLink(spec, dice, defect == Defect::SlowLink);
        break;
    case Defect::SlowNpu:
        spec.speeds.assign(npus, 1.0);
        spec.speeds[rank] = dice.chance(50) ? 0.5 : 0.75;
        break;
    case Defect::SlowReducer:
        if (spec.reducerRate)
            spec.reducers[static_cast<NodeId>(rank)] = std::max<std::int64_t>(*spec.reducerRate / dice.pick(2, 20), 1);
        break;
    case Defect::LongerTask:
    case Defect::ExtraTask: {
        std::vector<CaseSpec::Task>& tasks = spec.tasks[rank];
        const auto number = static_cast<std::size_t>(dice.pick(0, static_cast<std::int64_t>(tasks.size()) - 1));
        if (defect == Defect::LongerTask && tasks[number].kind == TaskKind::Compute) {
            tasks[number].durationPs += dice.pick(1, 400'000);
        } else {
            CaseSpec::Task extra;
            extra.durationPs = dice.pick(1, 400'000);
            extra.depends = tasks[number].depends;
            tasks.push_back(extra);
        }
        break;
    }
    }
    if (what)
        *what = "defect " + std::to_string(static_cast<int>(defect)) + " of seed " + std::to_string(seed);
    return spec;
}

CaseSpec layeredCase(std::uint64_t seed, Defect defect)
{
    Dice dice(seed);
    CaseSpec spec;
    spec.model = dice.chance(15) ? Model::Ideal : Model::Links;
    std::int32_t npus = 1;
    for (std::int64_t d = dice.pick(1, 2); d >= 0; --d) {
        const auto size = static_cast<std::int32_t>(dice.pick(2, 6));
        if (npus * size > 36)
            continue;
        npus *= size;
        spec.dims.push_back({static_cast<Shape>(dice.pick(0, 2)), size, dice.pick(5, 90) * 1'000'000'000, dice.pick(1, 100) * 5'000});
    }
    spec.jobs.emplace_back();
    for (NodeId node = 0; node < npus; ++node)
        spec.jobs[0].push_back(node);
    if (dice.chance(70))
        spec.reducerRate = dice.pick(10, 400) * 1'000'000'000;
    if (dice.chance(15))
        spec.injection = dice.pick(10, 200) * 1'000'000'000;
    if (dice.chance(15))
        spec.ejection = dice.pick(10, 200) * 1'000'000'000;
    if (dice.chance(40))
        spec.endpointDelayPs = dice.pick(1, 20) * 5'000;
    spec.pieceBytes = dice.chance(50) ? 1000 : 4096;

    std::vector<std::int32_t> world;
    for (std::int32_t rank = 0; rank < npus; ++rank)
        world.push_back(rank);
    spec.families.emplace_back();
    spec.families[0].groups.push_back(world);
    for (std::size_t d = 0; d < spec.dims.size(); ++d)
        spec.families.push_back(familyAlong(spec, d, npus));

    const std::int64_t layers = dice.pick(2, 5);
    const auto inner = static_cast<std::int32_t>(dice.pick(1, static_cast<std::int64_t>(spec.dims.size())));
    const auto outer = static_cast<std::int32_t>(dice.pick(1, static_cast<std::int64_t>(spec.dims.size())));
    const bool overlap = dice.chance(30); // The outer collective runs beside what follows.
    const CaseSpec::Call first = callOf(dice, CollectiveOp::AllReduce, spec.dims[at(inner - 1)].size);
    const CaseSpec::Call second = callOf(dice, dice.chance(50) ? CollectiveOp::ReduceScatter : CollectiveOp::AllGather, spec.dims[at(outer - 1)].size);
    std::vector<CaseSpec::Task> tasks;
    const std::int64_t duration = dice.pick(0, 3) * dice.pick(1, 2'000'000);
    TaskIndex last = -1;
    const auto add = [&](CaseSpec::Task task) {
        if (last >= 0)
            task.depends.push_back(last);
        tasks.push_back(std::move(task));
        return static_cast<TaskIndex>(tasks.size()) - 1;
    };
    const auto collective = [&](std::int32_t family, const CaseSpec::Call& call) {
        CaseSpec::Task task;
        task.kind = TaskKind::Collective;
        task.family = family;
        task.call = static_cast<std::int32_t>(spec.families[at(family)].calls.size());
        spec.families[at(family)].calls.push_back(call);
        return add(std::move(task));
    };
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        CaseSpec::Task compute;
        compute.durationPs = duration;
        last = add(compute);
        last = collective(inner, first);
        const TaskIndex beside = collective(outer, second);
        if (!overlap)
            last = beside;
    }
    spec.tasks.assign(static_cast<std::size_t>(npus), tasks);
    return perturbed(std::move(spec), seed, defect);
}

} // namespace fabricscope::test
