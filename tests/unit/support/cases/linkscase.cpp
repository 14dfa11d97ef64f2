#include "tests/unit/support/cases/linkscase.h"

#include "core/sim/events/events.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fabricscope::test {

namespace {

template <typename T>
T expect(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().text().c_str());
        std::abort();
    }
    return std::move(result).value();
}

} // namespace

PlatformSpec astraPlatform(const std::string& topology, const std::vector<double>& bandwidths, const std::vector<double>& latencies)
{
    PlatformSpec spec;
    std::size_t at = 0;
    while (at < topology.size()) {
        const std::size_t open = topology.find('(', at);
        const std::size_t close = topology.find(')', open);
        const std::string name = topology.substr(at, open - at);
        Dimension dimension;
        dimension.shape = name == "Ring" ? Shape::Ring : (name == "Switch" ? Shape::Switch : Shape::FullyConnected);
        dimension.size = std::atoi(topology.substr(open + 1, close - open - 1).c_str());
        dimension.bandwidth = astraBandwidth(bandwidths[spec.dimensions.size()]);
        dimension.latency = astraLatency(latencies[spec.dimensions.size()]);
        spec.dimensions.push_back(dimension);
        at = close + 2;
    }
    return spec;
}

ProgramPtr templateProgram(CollectiveOp op, const std::vector<std::int32_t>& axes, const std::vector<Algorithm>& algorithms, std::int32_t chunks,
                           std::int32_t window, std::int32_t directWindow)
{
    auto program = std::make_shared<Program>();
    program->op = op;
    program->chunks = chunks;
    program->window = window;
    TemplateBody body;
    body.axes = axes;
    program->ranks = 1;
    for (const std::int32_t extent : axes)
        program->ranks *= extent;
    const auto count = static_cast<std::int32_t>(axes.size());
    const auto add = [&](PhaseKind kind, std::int32_t axis) {
        const Algorithm algorithm = algorithms[algorithms.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
        body.phases.push_back({kind, algorithm, axis, algorithm == Algorithm::Direct ? directWindow : 0, false});
    };
    if (op == CollectiveOp::AllReduce && algorithms.front() == Algorithm::DoubleBinaryTree) {
        add(PhaseKind::AllReduce, 0);
    } else {
        const PhaseKind up = op == CollectiveOp::AllToAll ? PhaseKind::AllToAll : PhaseKind::ReduceScatter;
        for (std::int32_t axis = 0; axis < count && op != CollectiveOp::AllGather; ++axis)
            add(up, axis);
        for (std::int32_t axis = count; axis-- > 0 && (op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather);)
            add(PhaseKind::AllGather, axis);
    }
    program->body = std::move(body);
    return program;
}

LinksScenario::LinksScenario(PlatformSpec platform)
    : m_platform(expect(Platform::create(std::move(platform))))
    , m_families{GroupFamily::world(m_platform.npuCount())}
    , m_tasks(static_cast<std::size_t>(m_platform.npuCount()))
{
}

FamilyId LinksScenario::addFamily(std::vector<std::vector<std::int64_t>> groups)
{
    const std::string name = "family " + std::to_string(m_families.size());
    m_families.push_back(expect(GroupFamily::listed(name, std::move(groups), m_platform.npuCount())));
    return static_cast<FamilyId>(m_families.size() - 1);
}

TaskIndex LinksScenario::add(std::int32_t rank, Task task)
{
    auto& tasks = m_tasks[static_cast<std::size_t>(rank)];
    tasks.push_back(std::move(task));
    return static_cast<TaskIndex>(tasks.size() - 1);
}

TaskIndex LinksScenario::compute(std::int32_t rank, std::int64_t ps, const Tasks& after, bool host)
{
    Task task;
    task.ps = ps;
    task.flags = host ? TaskFlag::kHost : std::uint8_t{0};
    task.after = after;
    return add(rank, task);
}

TaskIndex LinksScenario::load(std::int32_t rank, std::int64_t bytes, const Tasks& after)
{
    Task task;
    task.kind = TaskKind::MemoryLoad;
    task.bytes = bytes;
    task.after = after;
    return add(rank, task);
}

TaskIndex LinksScenario::send(std::int32_t rank, std::int32_t peer, std::int64_t bytes, std::uint32_t tag, const Tasks& after)
{
    Task task;
    task.kind = TaskKind::Send;
    task.peer = peer;
    task.bytes = bytes;
    task.tag = tag;
    task.after = after;
    return add(rank, task);
}

TaskIndex LinksScenario::receive(std::int32_t rank, std::int32_t peer, std::int64_t bytes, std::uint32_t tag, const Tasks& after)
{
    const TaskIndex index = send(rank, peer, bytes, tag, after);
    m_tasks[static_cast<std::size_t>(rank)].back().kind = TaskKind::Receive;
    return index;
}

TaskIndex LinksScenario::collective(std::int32_t rank, FamilyId family, std::int64_t bytes, ProgramPtr program, const std::vector<std::int32_t>& axes,
                                    const Tasks& after)
{
    const std::int64_t group = m_families[static_cast<std::size_t>(family)].membership(rank).group;
    Task task;
    task.kind = TaskKind::Collective;
    task.bytes = bytes;
    task.family = family;
    task.ordinal = m_issued[{rank, family}]++;
    task.op = program ? program->op : CollectiveOp::AllReduce;
    task.after = after;
    auto& planned = m_collectives[{family, group}];
    if (planned.size() <= static_cast<std::size_t>(task.ordinal))
        planned.push_back({std::move(program), bytes, axes});
    return add(rank, task);
}

void LinksScenario::collectiveByAll(CollectiveOp op, std::int64_t bytes, const std::vector<Algorithm>& algorithms, std::int32_t chunks, std::int32_t window)
{
    std::vector<std::int32_t> axes;
    std::vector<Algorithm> chosen;
    for (std::size_t d = 0; d < m_platform.dimensions().size(); ++d) {
        if (m_platform.dimensions()[d].size == 1)
            continue;
        axes.push_back(m_platform.dimensions()[d].size);
        chosen.push_back(algorithms[algorithms.size() == 1 ? 0 : d]);
    }
    const ProgramPtr program = templateProgram(op, axes, chosen, chunks, window);
    for (std::int32_t rank = 0; rank < m_platform.npuCount(); ++rank)
        collective(rank, 0, bytes, program, axes);
}

Scenario LinksScenario::build() const
{
    auto workload = std::make_shared<Workload>();
    workload->rankCount = m_platform.npuCount();
    workload->families = m_families;
    auto structure = std::make_shared<Structure>(Structure{m_platform, Placement::identity(m_platform.npuCount()), nullptr, {}, {}, 0, {}, {}, {}});
    if (!jobs.empty())
        structure->placement = expect(Placement::create(jobs, m_platform.npuCount()));
    for (const auto& tasks : m_tasks) {
        auto graph = std::make_shared<RankGraph>();
        std::vector<std::int32_t> ordinals;
        graph->dependBegin.push_back(0);
        for (const Task& task : tasks) {
            graph->kind.push_back(task.kind);
            graph->flags.push_back(task.flags);
            graph->sourceId.push_back(graph->sourceId.size() + 1);
            graph->nameEnd.push_back(0);
            graph->durationUs.push_back(0);
            graph->durationPs.push_back(task.ps);
            graph->operations.push_back(0);
            graph->bytes.push_back(task.bytes);
            graph->op.push_back(task.op);
            graph->family.push_back(task.family);
            graph->peer.push_back(task.peer);
            graph->tag.push_back(task.tag);
            graph->involved.push_back(0);
            graph->depends.insert(graph->depends.end(), task.after.begin(), task.after.end());
            graph->dependBegin.push_back(static_cast<std::uint32_t>(graph->depends.size()));
            ordinals.push_back(task.ordinal);
        }
        workload->graphOfRank.push_back(static_cast<std::int32_t>(workload->graphs.size()));
        workload->graphs.push_back(graph);
        structure->ordinalsOfRank.push_back(std::make_shared<const std::vector<std::int32_t>>(std::move(ordinals)));
    }
    structure->workload = workload;

    for (std::size_t family = 0; family < m_families.size(); ++family) {
        std::vector<std::int32_t>& base = structure->instanceBase.emplace_back();
        for (std::int64_t group = 0; group < m_families[family].groupCount(); ++group) {
            base.push_back(static_cast<std::int32_t>(structure->instances.size()));
            const std::int32_t stream = structure->streamCount++;
            const auto found = m_collectives.find({static_cast<FamilyId>(family), group});
            if (found == m_collectives.end())
                continue;
            std::int32_t sequence = 0;
            for (const Planned& planned : found->second) {
                GroupLayout layout;
                layout.extents = planned.axes;
                for (std::int64_t i = 0; i < m_families[family].groupSize(group); ++i)
                    layout.list.push_back(static_cast<std::int32_t>(m_families[family].member(group, i)));
                CollectiveInstance instance;
                instance.family = static_cast<FamilyId>(family);
                instance.group = group;
                instance.sequence = sequence++;
                instance.op = planned.program ? planned.program->op : CollectiveOp::AllReduce;
                instance.bytes = planned.bytes;
                instance.stream = stream;
                instance.layout = static_cast<std::int32_t>(structure->layouts.size());
                instance.program = planned.program;
                structure->layouts.push_back(std::move(layout));
                structure->instances.push_back(std::move(instance));
            }
        }
    }

    auto params = std::make_shared<Params>();
    if (m_platform.isExplicit()) {
        for (LinkId link = 0; link < m_platform.linkCount(); ++link)
            structure->classedLinks.push_back(link);
    }
    for (const Dimension& dimension : m_platform.dimensions()) {
        params->linkRate.push_back(dimension.linkBandwidth());
        params->linkLatency.push_back(dimension.linkLatency());
    }
    for (const LinkOverride& entry : m_platform.spec().linkOverrides)
        structure->classedLinks.push_back(entry.link);
    std::sort(structure->classedLinks.begin(), structure->classedLinks.end());
    for (const LinkId link : structure->classedLinks) {
        params->linkRate.push_back(m_platform.bandwidth(link));
        params->linkLatency.push_back(m_platform.latency(link));
    }
    const auto rate = [](const std::optional<std::int64_t>& value) { return value ? std::optional<Bandwidth>(Bandwidth{*value}) : std::nullopt; };
    params->reducerRate = rate(reducerRate);
    params->injection = rate(injection);
    params->ejection = rate(ejection);
    for (const auto& [node, limit] : m_platform.spec().nodes.crossbars())
        params->crossbars.emplace_back(static_cast<NodeId>(node), toBandwidth(limit));
    for (std::size_t d = 0; d < m_platform.dimensions().size(); ++d) {
        if (const auto& limit = m_platform.dimensions()[d].crossbar)
            params->crossbars.emplace_back(static_cast<std::int32_t>(d), toBandwidth(*limit));
    }
    params->endpointDelay = SimTime{endpointDelayPs};
    params->pieceBytes = pieceBytes;
    params->rendezvous = rendezvous;
    params->remoteMemory = remoteMemory;

    Scenario scenario;
    scenario.model = model;
    scenario.version = model == Model::Flow ? "flow/1" : "physical/1"; // Ways of graphs are those of the platform.
    scenario.structure = structure;
    scenario.params = params;
    scenario.costs = std::make_shared<const CostTable>(*params);
    return scenario;
}

LinksRun runLinks(const Scenario& scenario)
{
    LinksRun run;
    RunOptions options;
    options.messageDigest = true;
    options.message = [&run](const MessageRecord& message) { run.messages.push_back(message); };
    run.record = expect(simulateEvents(scenario, options, {}));
    return run;
}

} // namespace fabricscope::test
