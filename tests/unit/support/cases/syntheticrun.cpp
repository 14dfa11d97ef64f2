#include "tests/unit/support/cases/syntheticrun.h"

#include "core/base/index.h"

#include <algorithm>
#include <string>

namespace fabricscope::test {

namespace {

/// splitmix64: the same numbers everywhere, unlike the standard distributions.
std::uint64_t mixed(std::uint64_t& state)
{
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

std::shared_ptr<Workload> workloadFor(std::int32_t ranks)
{
    auto workload = std::make_shared<Workload>();
    workload->rankCount = ranks;
    workload->families.push_back(GroupFamily::world(ranks));
    return workload;
}

/// "layer 3"; appended, because g++ 12 warns wrongly about operator+ here.
std::string numbered(const char* text, int number)
{
    std::string result(text);
    result += std::to_string(number);
    return result;
}

constexpr std::int64_t us(double value)
{
    return static_cast<std::int64_t>(value * 1e6);
}

} // namespace

TaskIndex RunBuilder::add(TaskKind kind, std::string_view name, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs)
{
    RankGraph& graph = *m_graph;
    graph.kind.push_back(kind);
    graph.flags.push_back(TaskFlag::kHasBytes);
    graph.sourceId.push_back(graph.sourceId.size());
    graph.names += name;
    graph.nameEnd.push_back(static_cast<std::uint32_t>(graph.names.size()));
    graph.durationUs.push_back(0);
    graph.operations.push_back(0);
    graph.bytes.push_back(bytes);
    graph.op.push_back(CollectiveOp::AllReduce);
    graph.family.push_back(0);
    graph.peer.push_back(0);
    graph.tag.push_back(0);
    graph.involved.push_back(0);
    if (graph.dependBegin.empty())
        graph.dependBegin.push_back(0);
    graph.dependBegin.push_back(0);
    m_times->issuePs.push_back(beginPs);
    m_times->endPs.push_back(endPs);
    m_lastEnd = std::max(m_lastEnd, endPs);
    return graph.size() - 1;
}

TaskIndex RunBuilder::compute(std::string_view name, std::int64_t beginPs, std::int64_t endPs, bool host)
{
    const TaskIndex task = add(TaskKind::Compute, name, 0, beginPs, endPs);
    if (host)
        m_graph->flags.back() |= TaskFlag::kHost;
    return task;
}

TaskIndex RunBuilder::memory(std::string_view name, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs)
{
    return add(TaskKind::MemoryLoad, name, bytes, beginPs, endPs);
}

TaskIndex RunBuilder::collective(std::string_view name, CollectiveOp op, FamilyId family, std::int64_t bytes, std::int64_t issuePs, std::int64_t endPs)
{
    const TaskIndex task = add(TaskKind::Collective, name, bytes, issuePs, endPs);
    m_graph->op.back() = op;
    m_graph->family.back() = family;
    return task;
}

TaskIndex RunBuilder::send(std::string_view name, std::int32_t peer, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs)
{
    const TaskIndex task = add(TaskKind::Send, name, bytes, beginPs, endPs);
    m_graph->peer.back() = peer;
    return task;
}

TaskIndex RunBuilder::receive(std::string_view name, std::int32_t peer, std::int64_t bytes, std::int64_t beginPs, std::int64_t endPs)
{
    const TaskIndex task = add(TaskKind::Receive, name, bytes, beginPs, endPs);
    m_graph->peer.back() = peer;
    return task;
}

SyntheticRun oneClass(const RunBuilder& builder, std::int32_t ranks)
{
    auto workload = workloadFor(ranks);
    workload->graphs.push_back(builder.graph());
    auto record = std::make_shared<RunRecord>();
    record->rankCount = ranks;
    record->finish = SimTime{builder.lastEnd()};
    RankClass all;
    all.ranks = RankSet::range(0, ranks);
    all.times.finish = record->finish;
    all.tasks = builder.times();
    record->classes.push_back(std::move(all));
    return {record, workload};
}

SyntheticRun trainingStep(bool slowLink)
{
    auto workload = workloadFor(128);
    workload->families.push_back(GroupFamily::strided("Tensor parallel", {{8, 1}}, 128).value());
    workload->families.push_back(GroupFamily::strided("Data parallel", {{4, 8}, {4, 32}}, 128).value());
    auto record = std::make_shared<RunRecord>();
    record->rankCount = 128;

    struct Shape {
        std::vector<std::int64_t> ranks;
        double gradient; ///< Length of one gradient all-reduce, us.
    };
    std::vector<Shape> shapes;
    std::vector<std::int64_t> slow{5, 37, 69, 101};
    std::vector<std::int64_t> rings;
    std::vector<std::int64_t> others;
    for (std::int64_t rank = 0; rank < 128; ++rank) {
        if (rank % 8 != 5)
            others.push_back(rank);
        else if (rank % 32 != 5)
            rings.push_back(rank);
    }
    if (slowLink)
        shapes = {{others, 1120}, {slow, 1545}, {rings, 1520}};
    else
        shapes = {{others, 1120}};
    std::vector<std::pair<std::int64_t, std::int64_t>> tensorBusy;
    std::vector<std::pair<std::int64_t, std::int64_t>> dataBusy;
    std::vector<std::pair<std::int64_t, std::int64_t>> slowBusy;
    for (const Shape& shape : shapes) {
        RunBuilder builder;
        double t = 0;
        const auto tensor = [&] {
            builder.collective("tensor all-reduce", CollectiveOp::AllReduce, 1, 32 << 20, us(t), us(t + 132));
            if (shape.ranks == others)
                tensorBusy.emplace_back(us(t), us(t + 122));
            t += 132;
        };
        for (int layer = 0; layer < 4; ++layer)
            for (int half = 0; half < 2; ++half) {
                builder.compute(numbered("F", layer), us(t), us(t + 243));
                t += 243;
                tensor();
            }
        std::vector<double> ready;
        for (int layer = 3; layer >= 0; --layer) {
            for (int half = 0; half < 2; ++half) {
                builder.compute(numbered("B", layer), us(t), us(t + 484));
                t += 484;
                tensor();
            }
            ready.push_back(t);
        }
        const double computed = t;
        double free = 0;
        for (std::size_t i = 0; i < ready.size(); ++i) {
            const double begin = std::max(ready[i], free);
            const double length = shape.gradient;
            free = begin + length;
            builder.collective(numbered("layer ", 3 - static_cast<int>(i)), CollectiveOp::AllReduce, 2, 48 << 20, us(ready[i]), us(free));
            if (shape.ranks == slow)
                slowBusy.emplace_back(us(begin + 40), us(free - 36));
            if (shape.ranks == others)
                dataBusy.emplace_back(us(begin), us(begin + 760));
        }
        builder.memory("optimizer", 1 << 30, us(std::max(free, computed)), us(std::max(free, computed) + 841));
        workload->graphs.push_back(builder.graph());
        RankClass rankClass;
        for (const std::int64_t rank : shape.ranks)
            rankClass.ranks.add(rank);
        if (!slowLink)
            rankClass.ranks = RankSet::range(0, 128);
        rankClass.times.finish = SimTime{builder.lastEnd()};
        rankClass.tasks = builder.times();
        record->finish = std::max(record->finish, rankClass.times.finish);
        record->classes.push_back(std::move(rankClass));
    }
    if (slowLink) {
        workload->graphOfRank.assign(128, 0);
        for (const std::int64_t rank : slow)
            workload->graphOfRank[at(rank)] = 1;
        for (const std::int64_t rank : rings)
            workload->graphOfRank[at(rank)] = 2;
    }

    const auto use = [&](std::string name, std::int64_t links, const std::vector<std::pair<std::int64_t, std::int64_t>>& busy, double part) {
        DimensionUse dimension;
        dimension.name = std::move(name);
        dimension.links = links;
        for (const auto& [begin, end] : busy) {
            const std::int64_t each = static_cast<std::int64_t>(static_cast<double>(end - begin) * part);
            // Every link of the dimension is busy `part` of the time; ragged edges as chunks come and go.
            for (std::int64_t link = 0; link < links; ++link) {
                const std::int64_t shift = (end - begin - each) * (link % 7) / 7;
                dimension.busy.add(begin + shift, begin + shift + each);
                dimension.busyPs += each;
            }
        }
        dimension.peakLinkPs = dimension.busyPs / links;
        record->dimensions.push_back(std::move(dimension));
    };
    use("dimension 0, FullyConnected(8)", 896, tensorBusy, 0.9);
    std::vector<std::pair<std::int64_t, std::int64_t>> ring;
    for (const auto& [begin, end] : dataBusy) {
        ring.emplace_back(begin, begin + us(330));
        ring.emplace_back(begin + us(430), begin + us(520));
        ring.emplace_back(begin + us(800), begin + us(890));
    }
    use("dimension 1, Ring(4)", 256, ring, 0.93);
    use("dimension 2, Switch(4)", slowLink ? 255 : 256, dataBusy, 0.97);
    if (slowLink)
        use("37 > D2 switch", 1, slowBusy, 1.0);

    // Links: the slow one and its dimension's, so that colours differ.
    record->allLinks = false;
    if (slowLink)
        record->links.push_back({896 + 256 + 37 * 2, 0, 75'497'472, us(6040)});
    return {record, workload};
}

SyntheticRun manyIntervals(std::int64_t intervals, std::int32_t classes)
{
    auto workload = workloadFor(classes);
    auto record = std::make_shared<RunRecord>();
    record->rankCount = classes;
    std::uint64_t state = 1;
    for (std::int32_t c = 0; c < classes; ++c) {
        RunBuilder builder;
        std::int64_t t = 0;
        for (std::int64_t i = 0; i < intervals / classes; i += 2) {
            const std::uint64_t random = mixed(state);
            const std::int64_t scale = 1000 << (random % 14);
            const std::int64_t length = scale + static_cast<std::int64_t>((random >> 20) % static_cast<std::uint64_t>(scale));
            builder.compute("c", t, t + length);
            t += length;
            const auto op = random % 5 == 0 ? CollectiveOp::AllGather : CollectiveOp::AllReduce;
            builder.collective("a", op, 0, scale, t, t + length / 3);
            t += length / 4;
        }
        workload->graphs.push_back(builder.graph());
        workload->graphOfRank.push_back(c);
        RankClass rankClass;
        rankClass.ranks = RankSet::single(c);
        rankClass.times.finish = SimTime{builder.lastEnd()};
        rankClass.tasks = builder.times();
        record->finish = std::max(record->finish, rankClass.times.finish);
        record->classes.push_back(std::move(rankClass));
    }
    return {record, workload};
}

} // namespace fabricscope::test
