#include "core/sim/common/livememory.h"

#include "core/base/stop.h"
#include "core/base/stoppablesort.h"
#include "core/scenario/computeparams.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kMostWarnings = 8;
constexpr std::size_t kNamedTensors = 4;
constexpr std::int64_t kToTheEnd = INT64_MAX;

/// What tells ranks of one class of times apart.
struct Holding {
    std::int32_t graph = 0;
    std::vector<bool> resident;             ///< By ComputeParams::resident.
    std::optional<std::int64_t> capacity;
    friend bool operator<(const Holding& a, const Holding& b) { return std::tie(a.graph, a.resident, a.capacity) < std::tie(b.graph, b.resident, b.capacity); }
};

struct Life {
    std::int64_t begin = 0;
    std::int64_t end = kToTheEnd;
    std::size_t tensor = 0;
};

class Follower {
public:
    Follower(const Scenario& scenario, const RunRecord& record, const std::stop_token& stop)
        : m_structure(*scenario.structure)
        , m_workload(*scenario.structure->workload)
        , m_record(record)
        , m_stop(stop)
    {
        if (const auto& compute = scenario.params->compute)
            m_resident = compute->resident;
        const PlatformSpec& spec = m_structure.platform.spec();
        if (spec.npu.memory)
            m_capacity = toBytes(*spec.npu.memory).value;
        for (const NpuOverride& entry : spec.npuOverrides) {
            if (entry.memory)
                m_ownCapacity[entry.node] = toBytes(*entry.memory).value;
        }
        m_alike = m_workload.graphOfRank.empty() && m_ownCapacity.empty()
                  && std::all_of(m_resident.begin(), m_resident.end(), [](const ComputeParams::Resident& entry) { return entry.ranks.empty(); });
    }

    /// Throws StopRequested.
    MemoryUse run() const
    {
        MemoryUse use;
        for (const RankClass& row : m_record.classes) {
            if (!row.tasks || row.ranks.empty())
                continue;
            for (const auto& [holding, ranks] : parts(row.ranks)) {
                use.classes.push_back(follow(holding, *row.tasks));
                use.classes.back().ranks = ranks;
            }
        }
        std::sort(use.classes.begin(), use.classes.end(), [](const MemoryUse::Class& a, const MemoryUse::Class& b) {
            return a.ranks.intervals().front().first < b.ranks.intervals().front().first;
        });
        return use;
    }

private:
    Holding holdingOf(std::int32_t rank) const
    {
        Holding holding;
        holding.graph = m_workload.graphOfRank.empty() ? 0 : m_workload.graphOfRank[static_cast<std::size_t>(rank)];
        for (const ComputeParams::Resident& entry : m_resident)
            holding.resident.push_back(entry.ranks.empty() || entry.ranks.contains(rank));
        const auto own = m_ownCapacity.empty() ? m_ownCapacity.end() : m_ownCapacity.find(m_structure.placement.nodeOf(rank));
        holding.capacity = own == m_ownCapacity.end() ? m_capacity : std::optional(own->second);
        return holding;
    }

    std::map<Holding, RankSet> parts(const RankSet& ranks) const
    {
        std::map<Holding, RankSet> found;
        if (m_alike) {
            found.emplace(holdingOf(static_cast<std::int32_t>(ranks.intervals().front().first)), ranks);
            return found;
        }
        for (const RankSet::Interval& interval : ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank) {
                checkStop(m_stop);
                found[holdingOf(static_cast<std::int32_t>(rank))].add(rank);
            }
        }
        return found;
    }

    std::vector<Life> livesOf(const RankGraph& graph, const TaskTimes& times) const
    {
        std::vector<Life> lives;
        for (std::size_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
            checkStop(m_stop);
            const TaskIndex producer = graph.tensors[tensor].producer;
            Life life;
            life.begin = producer < 0 ? 0 : times.issuePs[static_cast<std::size_t>(producer)];
            life.tensor = tensor;
            if (life.begin < 0 || graph.tensors[tensor].bytes <= 0)
                continue;
            const auto users = graph.users(tensor);
            if (!users.empty()) {
                life.end = 0;
                for (const TaskIndex user : users) {
                    checkStop(m_stop);
                    const std::int64_t end = times.endPs[static_cast<std::size_t>(user)];
                    life.end = std::max(life.end, end < 0 ? kToTheEnd : end);
                }
            }
            if (life.end > life.begin)
                lives.push_back(life);
        }
        return lives;
    }

    MemoryUse::Class follow(const Holding& holding, const TaskTimes& times) const
    {
        const RankGraph& graph = *m_workload.graphs[static_cast<std::size_t>(holding.graph)];
        MemoryUse::Class use;
        use.capacity = holding.capacity;
        for (std::size_t i = 0; i < m_resident.size(); ++i)
            use.residentBytes += holding.resident[i] ? m_resident[i].bytes : 0;
        const std::vector<Life> lives = livesOf(graph, times);
        std::vector<std::pair<std::int64_t, std::int64_t>> changes;
        for (const Life& life : lives) {
            checkStop(m_stop);
            const std::int64_t bytes = graph.tensors[life.tensor].bytes;
            changes.emplace_back(life.begin, bytes);
            if (life.end != kToTheEnd)
                changes.emplace_back(life.end, -bytes);
        }
        sortUntilStopped(changes, std::less<>(), m_stop);
        std::vector<MemoryUse::Point> points{{0, use.residentBytes}};
        for (const auto& [ps, bytes] : changes) {
            checkStop(m_stop);
            if (points.back().ps != ps)
                points.push_back({ps, points.back().bytes});
            points.back().bytes += bytes;
        }
        use.peakBytes = -1;
        for (const MemoryUse::Point& point : points) {
            checkStop(m_stop);
            if (point.bytes > use.peakBytes) {
                use.peakBytes = point.bytes;
                use.peakPs = point.ps;
            }
            if (use.overPs < 0 && use.capacity && point.bytes > *use.capacity) {
                use.overPs = point.ps;
                use.overBytes = point.bytes;
            }
        }
        nameTensors(graph, holding, lives, use.overPs >= 0 ? use.overPs : use.peakPs, use);
        use.timeline = compact(std::move(points));
        return use;
    }

    void nameTensors(const RankGraph& graph, const Holding& holding, const std::vector<Life>& lives, std::int64_t at, MemoryUse::Class& use) const
    {
        std::map<std::string, std::size_t> places;
        std::vector<MemoryUse::Tensor> found;
        const auto add = [&](std::string name, std::int64_t bytes) {
            const auto [entry, added] = places.try_emplace(std::move(name), found.size());
            if (added)
                found.push_back({entry->first, 0, 0});
            found[entry->second].bytes += bytes;
            ++found[entry->second].count;
        };
        for (std::size_t i = 0; i < m_resident.size(); ++i) {
            if (holding.resident[i] && m_resident[i].bytes > 0)
                add(m_resident[i].name, m_resident[i].bytes);
        }
        for (const Life& life : lives) {
            checkStop(m_stop);
            if (life.begin <= at && at < life.end)
                add(std::string(graph.tensorName(life.tensor)), graph.tensors[life.tensor].bytes);
        }
        std::stable_sort(found.begin(), found.end(), [](const MemoryUse::Tensor& a, const MemoryUse::Tensor& b) { return a.bytes > b.bytes; });
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i < MemoryUse::kMaxTensors) {
                use.tensors.push_back(std::move(found[i]));
            } else {
                use.otherTensors += found[i].count;
                use.otherBytes += found[i].bytes;
            }
        }
    }

    /// Equal stretches, each with the most that is live in it; stretches like the one before are left out.
    static std::vector<MemoryUse::Point> compact(std::vector<MemoryUse::Point> points)
    {
        if (points.size() <= MemoryUse::kMaxPoints)
            return points;
        const std::int64_t width = points.back().ps / static_cast<std::int64_t>(MemoryUse::kMaxPoints) + 1;
        std::vector<MemoryUse::Point> kept;
        std::size_t next = 0;
        std::int64_t level = 0;
        for (std::int64_t begin = 0; begin <= points.back().ps; begin += width) {
            std::int64_t most = next < points.size() && points[next].ps == begin ? points[next].bytes : level;
            for (; next < points.size() && points[next].ps < begin + width; ++next) {
                level = points[next].bytes;
                most = std::max(most, level);
            }
            if (kept.empty() || kept.back().bytes != most)
                kept.push_back({begin, most});
        }
        if (kept.back().bytes != level)
            kept.push_back({points.back().ps + 1, level});
        return kept;
    }

    const Structure& m_structure;
    const Workload& m_workload;
    const RunRecord& m_record;
    const std::stop_token& m_stop;
    std::vector<ComputeParams::Resident> m_resident;
    std::optional<std::int64_t> m_capacity;
    std::map<NodeId, std::int64_t> m_ownCapacity;
    bool m_alike = true;
};

std::string overText(const MemoryUse::Class& use)
{
    std::string text = (use.ranks.count() == 1 ? "rank " : "ranks ") + use.ranks.text() + ": out of memory at " + showTime({use.overPs}) + ", "
                       + showBytes({use.overBytes}) + " of " + showBytes({*use.capacity});
    std::int64_t others = use.otherBytes;
    for (std::size_t i = 0; i < use.tensors.size(); ++i) {
        const MemoryUse::Tensor& tensor = use.tensors[i];
        if (i >= kNamedTensors) {
            others += tensor.bytes;
            continue;
        }
        text += (i == 0 ? ": " : ", ") + (tensor.name.empty() ? std::string("unnamed") : tensor.name) + ' ' + showBytes({tensor.bytes});
        if (tensor.count > 1)
            text += " (" + std::to_string(tensor.count) + ")";
    }
    if (others > 0)
        text += ", others " + showBytes({others});
    return text;
}

} // namespace

bool followsMemory(const Scenario& scenario)
{
    const auto& compute = scenario.params->compute;
    if (compute && !compute->followMemory)
        return false;
    const auto& graphs = scenario.structure->workload->graphs;
    return (compute && !compute->resident.empty()) || std::any_of(graphs.begin(), graphs.end(), [](const auto& graph) { return !graph->tensors.empty(); });
}

void followMemory(const Scenario& scenario, RunRecord& record, const std::stop_token& stop)
{
    auto use = std::make_shared<MemoryUse>(Follower(scenario, record, stop).run());
    std::size_t over = 0;
    for (const MemoryUse::Class& row : use->classes) {
        if (row.overPs < 0)
            continue;
        if (++over <= kMostWarnings)
            record.diagnostics.push_back(warning("out-of-memory", overText(row)));
    }
    if (over > kMostWarnings)
        record.diagnostics.push_back(warning("out-of-memory", std::to_string(over - kMostWarnings) + " more classes of ranks run out of memory"));
    record.memory = std::move(use);
}

} // namespace fabricscope
