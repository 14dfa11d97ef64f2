#include "tests/unit/support/cases/symmetriccase.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <random>

namespace fabricscope::test {

namespace {

class SymmetricGenerator {
public:
    SymmetricGenerator(std::uint64_t seed, const SymmetricLimits& limits) : m_random(seed), m_limits(limits) {}

    CaseSpec run()
    {
        addMachine();
        addFamily((1U << m_spec.dims.size()) - 1);
        if (m_limits.families) {
            for (std::int64_t i = pick(0, 2); i > 0; --i)
                addFamily(static_cast<std::uint32_t>(pick(0, (1 << m_spec.dims.size()) - 1)));
        }
        addTasks();
        return std::move(m_spec);
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(std::int64_t percent) { return pick(1, 100) <= percent; }

    void addMachine()
    {
        m_spec.model = chance(15) ? Model::Ideal : Model::Links;
        const std::int64_t dimensions = pick(1, 3);
        for (std::int64_t d = 0; d < dimensions; ++d) {
            CaseSpec::Dim dim;
            dim.shape = static_cast<Shape>(pick(0, 2));
            dim.size = chance(5) ? 1 : static_cast<std::int32_t>(pick(2, 8));
            if (m_npus * dim.size > m_limits.maxNpus)
                dim.size = m_npus * 2 > m_limits.maxNpus ? 1 : 2;
            m_npus *= dim.size;
            dim.rate = m_limits.equal ? 50'000'000'000 : pick(1, 60) * 1'000'000'000 + pick(0, 999);
            dim.latencyPs = m_limits.equal ? 20'000 : pick(0, 400) * 500;
            m_spec.dims.push_back(dim);
        }
        m_spec.jobs.emplace_back();
        for (NodeId node = 0; node < m_npus; ++node)
            m_spec.jobs[0].push_back(node);
        if (chance(60))
            m_spec.reducerRate = m_limits.equal ? 150'000'000'000 : pick(1, 300) * 1'000'000'000;
        if (chance(25))
            m_spec.injection = pick(10, 150) * 1'000'000'000;
        if (chance(25))
            m_spec.ejection = pick(10, 150) * 1'000'000'000;
        if (chance(40))
            m_spec.endpointDelayPs = pick(1, 40) * 5'000;
        m_spec.pieceBytes = chance(50) ? 1000 : pick(1, 4) * 512;
        if (chance(20)) {
            m_spec.remoteBytesPerNs = pick(1, 100);
            m_spec.remoteLatencyNs = pick(0, 200);
        }
    }

    /// Groups over the dimensions of the mask; one mask is one family.
    void addFamily(std::uint32_t mask)
    {
        CaseSpec::Family family;
        std::map<std::int32_t, std::size_t> groupOf; // by lowest member
        std::vector<std::int32_t> extents;
        std::vector<Shape> shapes;
        for (std::size_t d = 0; d < m_spec.dims.size(); ++d) {
            if ((mask >> d & 1U) != 0 && m_spec.dims[d].size > 1) {
                extents.push_back(m_spec.dims[d].size);
                shapes.push_back(m_spec.dims[d].shape);
            }
        }
        for (std::int32_t rank = 0; rank < m_npus; ++rank) {
            std::int32_t lowest = rank;
            std::int32_t stride = 1;
            for (std::size_t d = 0; d < m_spec.dims.size(); ++d) {
                if ((mask >> d & 1U) != 0)
                    lowest -= rank / stride % m_spec.dims[d].size * stride;
                stride *= m_spec.dims[d].size;
            }
            const auto [at, added] = groupOf.emplace(lowest, family.groups.size());
            if (added)
                family.groups.emplace_back();
            family.groups[at->second].push_back(rank); // Ranks rise with the coordinates, so these are the positions.
        }
        const auto size = static_cast<std::int32_t>(family.groups.front().size());
        for (std::int64_t i = m_spec.families.empty() ? pick(1, 2) : pick(1, 3); i > 0; --i)
            family.calls.push_back(call(size, extents, shapes));
        m_spec.families.push_back(std::move(family));
    }

    CaseSpec::Call call(std::int32_t size, const std::vector<std::int32_t>& extents, const std::vector<Shape>& shapes)
    {
        static constexpr CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather, CollectiveOp::AllToAll};
        CaseSpec::Call call;
        call.op = kOps[pick(0, 3)];
        call.chunks = static_cast<std::int32_t>(pick(1, 5));
        call.window = chance(30) ? static_cast<std::int32_t>(pick(1, 3)) : 0;
        call.priority = chance(20) ? 1 : 0;
        call.bytes = chance(4) ? 0 : std::int64_t{size} * call.chunks * (chance(50) ? pick(1, 300) : pick(1, 3) * 1000);
        if (chance(5))
            call.replayPs = pick(0, 3) * 100'000;
        if (extents.empty())
            return call;
        std::vector<Algorithm> algorithms;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            const bool halves = call.op != CollectiveOp::AllToAll
                && (m_limits.anyHalving || (std::has_single_bit(static_cast<std::uint32_t>(extents[axis])) && shapes[axis] != Shape::Ring));
            const std::int64_t choice = pick(0, halves ? 2 : 1);
            algorithms.push_back(choice == 0 ? Algorithm::Ring : choice == 1 ? Algorithm::Direct : Algorithm::HalvingDoubling);
        }
        TemplateBody body = standardBody(call.op, extents, algorithms);
        for (PhaseTemplate& phase : body.phases) {
            if (phase.algorithm == Algorithm::Direct && chance(30))
                phase.window = static_cast<std::int32_t>(pick(1, 3));
            if (phase.algorithm == Algorithm::Ring)
                phase.minus = chance(30);
        }
        call.body[size] = std::move(body);
        return call;
    }

    /// One graph for all ranks. Collectives of one group may be issued in another order than they are numbered.
    void addTasks()
    {
        std::vector<CaseSpec::Task> tasks;
        const auto add = [&](CaseSpec::Task task) {
            for (TaskIndex earlier = 0; earlier < static_cast<TaskIndex>(tasks.size()); ++earlier) {
                if (chance(25))
                    task.depends.push_back(earlier);
            }
            tasks.push_back(std::move(task));
        };
        std::vector<std::pair<std::int32_t, std::int32_t>> calls;
        for (std::size_t f = 0; f < m_spec.families.size(); ++f) {
            for (std::size_t c = 0; c < m_spec.families[f].calls.size(); ++c)
                calls.emplace_back(f, c);
        }
        std::shuffle(calls.begin(), calls.end(), m_random);
        for (const auto& [family, call] : calls) {
            while (chance(40)) {
                CaseSpec::Task task;
                const std::int64_t kind = pick(0, 9);
                task.kind = kind == 9 ? TaskKind::Metadata : kind == 8 && m_spec.remoteBytesPerNs ? TaskKind::MemoryLoad : TaskKind::Compute;
                task.flags = kind == 7 ? TaskFlag::kHost : std::uint8_t{0};
                task.durationPs = m_limits.equal ? pick(0, 5) * 20'000 : pick(0, 100) * 3'000;
                task.bytes = pick(1, 5000);
                add(std::move(task));
            }
            CaseSpec::Task task;
            task.kind = TaskKind::Collective;
            task.family = family;
            task.call = call;
            add(std::move(task));
        }
        m_spec.tasks.assign(static_cast<std::size_t>(m_npus), tasks);
    }

    std::mt19937_64 m_random;
    SymmetricLimits m_limits;
    CaseSpec m_spec;
    std::int32_t m_npus = 1;
};

} // namespace

CaseSpec symmetricCase(std::uint64_t seed, const SymmetricLimits& limits)
{
    return SymmetricGenerator(seed, limits).run();
}

Scenario sharedBuild(const CaseSpec& spec)
{
    Result<Scenario> built = build(spec);
    if (!built)
        std::abort();
    Scenario scenario = std::move(built).value();
    auto structure = std::make_shared<Structure>(*scenario.structure);
    auto workload = std::make_shared<Workload>(*structure->workload);
    // Ranks whose tasks are written alike share the first one's graph and ordinals.
    const auto same = [](const CaseSpec::Task& a, const CaseSpec::Task& b) {
        return a.kind == b.kind && a.flags == b.flags && a.durationPs == b.durationPs && a.bytes == b.bytes && a.family == b.family && a.call == b.call
            && a.peer == b.peer && a.tag == b.tag && a.depends == b.depends && a.durationUs == b.durationUs && a.operations == b.operations;
    };
    for (std::size_t rank = 0; rank < spec.tasks.size(); ++rank) {
        std::size_t first = 0;
        while (!std::equal(spec.tasks[first].begin(), spec.tasks[first].end(), spec.tasks[rank].begin(), spec.tasks[rank].end(), same))
            ++first;
        if (!workload->graphOfRank.empty())
            workload->graphOfRank[rank] = workload->graphOfRank[first];
        if (structure->ordinalsOfRank.size() > 1)
            structure->ordinalsOfRank[rank] = structure->ordinalsOfRank[first];
    }
    structure->workload = std::move(workload);
    scenario.structure = std::move(structure);
    return scenario;
}

} // namespace fabricscope::test
