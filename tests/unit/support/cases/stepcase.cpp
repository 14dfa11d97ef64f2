#include "tests/unit/support/cases/stepcase.h"

#include "core/base/index.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace fabricscope::test {

namespace {

constexpr CollectiveOp kOps[] = {CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll};

class Picker {
public:
    explicit Picker(std::uint64_t seed) : m_random(seed) {}
    std::int64_t operator()(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool once(std::int64_t in) { return (*this)(1, in) == 1; }
    std::mt19937_64& generator() { return m_random; }

private:
    std::mt19937_64 m_random;
};

AxisRule randomRule(Picker& pick, CollectiveOp op, bool last)
{
    AxisRule rule;
    const std::int64_t choice = pick(0, op == CollectiveOp::AllToAll ? 1 : op == CollectiveOp::AllReduce && last ? 3 : 2);
    rule.algorithm = static_cast<Algorithm>(choice);
    rule.minus = rule.algorithm == Algorithm::Ring && pick.once(3);
    rule.window = rule.algorithm == Algorithm::Direct && pick.once(2) ? static_cast<std::int32_t>(pick(1, 3)) : 0;
    return rule;
}

/// Columns of an operation without anything to say.
void addOperation(ExplicitBody& body, OpKind kind, std::int32_t peer, std::int32_t chunk, std::int64_t bytes)
{
    body.kind.push_back(kind);
    body.peer.push_back(peer);
    body.connection.push_back(0);
    body.lane.push_back(-1);
    body.chunk.push_back(chunk);
    body.count.push_back(chunk >= 0 ? 1 : 0);
    body.bytes.push_back(bytes);
    body.duration.push_back(0);
    body.sourceBuffer.push_back(BufferKind::Input);
    body.targetBuffer.push_back(BufferKind::Input);
    body.sourceOffset.push_back(std::max(chunk, 0));
    body.targetOffset.push_back(std::max(chunk, 0));
    body.step.push_back(0);
    body.slot.push_back(0);
    body.sourceId.push_back(body.sourceId.size());
    body.dependBegin.push_back(static_cast<std::uint32_t>(body.depends.size()));
}

} // namespace

ProgramPtr mixedProgram(CollectiveOp op, const std::vector<std::int32_t>& axes, const std::vector<AxisRule>& rules, std::int32_t chunks, std::int32_t window)
{
    auto program = std::make_shared<Program>();
    program->op = op;
    program->chunks = chunks;
    program->window = window;
    program->ranks = 1;
    for (const std::int32_t extent : axes)
        program->ranks *= extent;
    TemplateBody body;
    body.axes = axes;
    const auto count = static_cast<std::int32_t>(axes.size());
    const auto add = [&](PhaseKind kind, std::int32_t axis) {
        const AxisRule& rule = rules[at(axis)];
        body.phases.push_back({kind, rule.algorithm, axis, rule.window, rule.minus});
    };
    const bool tree = op == CollectiveOp::AllReduce && rules.back().algorithm == Algorithm::DoubleBinaryTree;
    const std::int32_t cut = tree ? count - 1 : count;
    for (std::int32_t axis = 0; axis < cut && op != CollectiveOp::AllGather; ++axis)
        add(op == CollectiveOp::AllToAll ? PhaseKind::AllToAll : PhaseKind::ReduceScatter, axis);
    if (tree)
        add(PhaseKind::AllReduce, count - 1);
    for (std::int32_t axis = cut; axis-- > 0 && (op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather);)
        add(PhaseKind::AllGather, axis);
    program->body = std::move(body);
    return program;
}

std::shared_ptr<const Scenario> randomStepScenario(std::uint64_t seed)
{
    Picker pick(seed);
    static const std::vector<std::pair<std::string, std::vector<std::int32_t>>> kFabrics = {
        {"Ring(7)", {7}}, {"Switch(6)", {6}}, {"FullyConnected(5)", {5}}, {"Ring(4)_Switch(3)", {4, 3}}, {"FullyConnected(3)_Ring(5)", {3, 5}},
        {"Ring(3)_FullyConnected(2)_Switch(4)", {3, 2, 4}}, {"Switch(16)", {16}}, {"Switch(4)_Switch(3)", {4, 3}}};
    const auto& [topology, extents] = kFabrics[at(pick(0, 7))];
    const auto rate = [&] { return static_cast<double>(pick(5, 90)); };
    const auto latency = [&] { return static_cast<double>(pick(0, 900)); };
    PlatformSpec spec = astraPlatform(topology, {rate(), rate(), rate()}, {latency(), latency(), latency()});
    LinksScenario builder(spec);
    const std::int32_t npus = builder.platform().npuCount();
    if (pick.once(5))
        builder.model = Model::Ideal;
    if (pick.once(2))
        builder.reducerRate = pick(20, 2000) * 1'000'000'000;
    if (pick.once(4))
        builder.injection = pick(20, 100) * 1'000'000'000;
    if (pick.once(4))
        builder.ejection = pick(20, 100) * 1'000'000'000;
    if (pick.once(3))
        builder.endpointDelayPs = pick(1, 100'000);

    for (std::int64_t i = pick(0, 5); i > 0; --i) {
        const auto from = static_cast<std::int32_t>(pick(0, npus - 1));
        const auto to = static_cast<std::int32_t>(pick(0, npus - 1));
        if (from == to)
            continue;
        const std::int64_t bytes = pick(1, 3 << 20);
        builder.send(from, to, bytes, static_cast<std::uint32_t>(i));
        builder.receive(to, from, bytes, static_cast<std::uint32_t>(i));
    }
    for (std::int64_t i = pick(1, 3); i > 0; --i) {
        std::vector<std::int64_t> ranks(static_cast<std::size_t>(npus));
        std::iota(ranks.begin(), ranks.end(), 0);
        std::vector<std::int32_t> axes = extents;
        if (pick.once(2)) { // Some ranks in any order, on one axis.
            std::shuffle(ranks.begin(), ranks.end(), pick.generator());
            ranks.resize(static_cast<std::size_t>(pick(2, npus)));
            axes = {static_cast<std::int32_t>(ranks.size())};
        }
        const CollectiveOp op = kOps[pick(0, 3)];
        std::vector<AxisRule> rules;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            rules.push_back(randomRule(pick, op, axis + 1 == axes.size()));
        const auto chunks = static_cast<std::int32_t>(pick(1, 4));
        const ProgramPtr program = mixedProgram(op, axes, rules, chunks, static_cast<std::int32_t>(pick(0, 2)));
        const std::int64_t bytes = pick.once(4) ? pick(1, 60) : pick(1, 6 << 20);
        const FamilyId family = builder.addFamily({ranks});
        for (const std::int64_t rank : ranks) {
            const auto number = static_cast<std::int32_t>(rank);
            const TaskIndex before = builder.compute(number, pick(0, 3) * 1'000'000);
            builder.collective(number, family, bytes, program, axes, {before});
        }
    }
    return std::make_shared<const Scenario>(builder.build());
}

ProgramPtr customRing(std::int32_t ranks, bool named, std::int64_t bytes)
{
    ExplicitBody body;
    body.rankBegin.push_back(0);
    body.dependBegin.push_back(0);
    const auto chunkOf = [&](std::int32_t rank, std::int32_t step) { return named ? ((rank - step - 1) % ranks + ranks) % ranks : -1; };
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const std::int32_t next = (rank + 1) % ranks;
        const std::int32_t previous = (rank + ranks - 1) % ranks;
        for (std::int32_t step = 0; step < 2 * (ranks - 1); ++step) {
            if (step > 0)
                body.depends.push_back(body.size() - 1); // The receive before; send and receive take turns in the columns.
            addOperation(body, OpKind::Send, next, chunkOf(rank, step), named ? -1 : bytes);
            if (step > 0)
                body.depends.push_back(body.size() - 2);
            addOperation(body, OpKind::Receive, previous, chunkOf(previous, step), named ? -1 : bytes);
        }
        body.rankBegin.push_back(body.size());
    }
    auto program = std::make_shared<Program>();
    program->op = CollectiveOp::Custom;
    program->ranks = ranks;
    program->chunks = named ? ranks : 1;
    program->body = std::move(body);
    return program;
}

ProgramPtr oneMessage(std::int64_t bytes, bool reduces)
{
    ExplicitBody body;
    body.rankBegin = {0};
    body.dependBegin.push_back(0);
    addOperation(body, OpKind::Send, 1, -1, bytes);
    body.rankBegin.push_back(1);
    addOperation(body, reduces ? OpKind::ReceiveReduce : OpKind::Receive, 0, -1, bytes);
    body.rankBegin.push_back(2);
    auto program = std::make_shared<Program>();
    program->op = CollectiveOp::Custom;
    program->ranks = 2;
    program->body = std::move(body);
    return program;
}

} // namespace fabricscope::test
