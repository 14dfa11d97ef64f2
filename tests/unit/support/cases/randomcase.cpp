#include "tests/unit/support/cases/randomcase.h"

#include <algorithm>
#include <array>
#include <random>
#include <tuple>
#include <utility>

namespace fabricscope::test {

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kGrid = 500'000;

/// Random numbers that are the same with every standard library.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_engine(seed * 0x9E3779B97F4A7C15ULL + 1) {}

    std::int64_t between(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(high - low + 1));
    }
    std::int32_t small(std::int32_t low, std::int32_t high) { return static_cast<std::int32_t>(between(low, high)); }
    bool chance(int percent) { return between(0, 99) < percent; }
    template <typename T>
    const T& oneOf(const std::vector<T>& values)
    {
        return values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(values.size()) - 1))];
    }
    template <typename T>
    void shuffle(std::vector<T>& values)
    {
        for (std::size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
    }

private:
    std::mt19937_64 m_engine;
};

class Generator {
public:
    Generator(std::uint64_t seed, const RandomLimits& limits) : m_dice(seed), m_limits(limits) {}

    CaseSpec run()
    {
        m_spec.model = m_dice.chance(20) ? Model::Ideal : Model::Links;
        m_spec.pieceBytes = m_dice.oneOf<std::int64_t>({256 * kKiB, 256 * kKiB, 1000, 4096, 100});
        m_commonRate = rate();
        m_commonLatency = latency();
        if (m_limits.grid) {
            m_limits.ties = true;
            m_spec.pieceBytes = 1000;
            m_commonRate = m_dice.oneOf<std::int64_t>({2'000'000'000, 2'000'000'000, 1'000'000'000});
            m_commonLatency = kGrid;
            m_storm = m_dice.chance(50);
        }
        if (m_limits.explicitGraph)
            graph();
        else
            dimensions();
        parameters();
        reducers();
        place();
        groups();
        const int steps = m_dice.small(1, std::max(1, m_limits.maxTasks));
        for (int i = 0; i < steps; ++i)
            step();
        return std::move(m_spec);
    }

private:
    std::int64_t rate()
    {
        if (m_limits.odd && m_dice.chance(40))
            return m_dice.between(1, 8'000) * 1'000'000'000;
        switch (m_dice.between(0, 3)) {
        case 0:
            return m_dice.oneOf<std::int64_t>({1'000'000'000, 50'000'000'000, 53'687'091'200, 200'000'000'000, 1'000'000'000'000});
        case 1:
            return m_dice.between(1, 100) * 1'000'000'000;
        case 2:
            return m_dice.between(1'000'000'000, 900'000'000'000);
        default:
            return m_dice.between(1, 8) * 8'000'000'000;
        }
    }

    std::int64_t latency()
    {
        switch (m_dice.between(0, 3)) {
        case 0:
            return 0;
        case 1:
            return m_dice.between(1, 20) * 50'000;
        case 2:
            return m_dice.between(1, 3'000'000);
        default:
            return 500'000;
        }
    }

    std::int64_t linkRate() { return m_limits.ties || m_dice.chance(40) ? m_commonRate : rate(); }
    std::int64_t linkLatency() { return m_limits.ties || m_dice.chance(40) ? m_commonLatency : latency(); }

    void dimensions()
    {
        const int count = m_dice.small(1, 3);
        std::int64_t links = 0;
        m_npus = 1;
        for (int d = 0; d < count; ++d) {
            const std::int32_t size = m_dice.oneOf<std::int32_t>({1, 2, 2, 3, 4, 4, 5, 6, 7, 8});
            if (m_npus * size > m_limits.maxNpus)
                continue;
            m_npus *= size;
            const Shape shape = m_storm && m_dice.chance(60) ? Shape::Ring : m_dice.oneOf<Shape>({Shape::Ring, Shape::FullyConnected, Shape::Switch});
            m_spec.dims.push_back({shape, size, linkRate(), linkLatency()});
        }
        for (const CaseSpec::Dim& dim : m_spec.dims) {
            if (dim.size > 1)
                links += m_npus * (dim.shape == Shape::Ring ? std::min(dim.size - 1, 2) : dim.shape == Shape::Switch ? 2 : dim.size - 1);
        }
        if (m_spec.dims.empty())
            m_spec.dims.push_back({Shape::Ring, 1, m_commonRate, m_commonLatency});
        if (m_limits.plain || links == 0)
            return;
        if (m_dice.chance(20)) {
            std::vector<LinkId> changed;
            for (int i = m_dice.small(1, 3); i > 0; --i)
                changed.push_back(m_dice.between(0, links - 1));
            std::sort(changed.begin(), changed.end());
            changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
            for (const LinkId link : changed)
                m_spec.overrides.push_back({link, rate(), latency()});
        }
    }

    void addCable(NodeId a, NodeId b)
    {
        const CaseSpec::Link there{a, b, linkRate(), linkLatency()};
        CaseSpec::Link back{b, a, there.rate, there.latencyPs};
        if (!m_limits.ties && m_dice.chance(20))
            back.rate = rate();
        m_spec.links.push_back(there);
        m_spec.links.push_back(back);
    }

    void graph()
    {
        m_npus = m_dice.small(2, std::min(m_limits.maxNpus, 9));
        if (m_dice.chance(30)) { // a mesh of equal links, one in ten of them missing where that keeps it connected
            const std::int32_t width = m_dice.small(1, 3);
            const std::int32_t height = std::max(2, m_npus / width);
            m_npus = width * height;
            m_spec.nodes.assign(static_cast<std::size_t>(m_npus), NodeKind::Npu);
            m_limits.ties = true;
            for (NodeId node = 0; node < m_npus; ++node) {
                if (node % width + 1 < width && (node < width || !m_dice.chance(10)))
                    addCable(node, node + 1);
                if (node + width < m_npus)
                    addCable(node, node + width);
            }
            return;
        }
        const std::int32_t switches = m_dice.small(0, 4);
        m_spec.nodes.assign(static_cast<std::size_t>(m_npus), NodeKind::Npu);
        m_spec.nodes.insert(m_spec.nodes.end(), static_cast<std::size_t>(switches), NodeKind::Switch);
        const std::int32_t total = m_npus + switches;
        std::vector<NodeId> order;
        for (NodeId node = 0; node < total; ++node)
            order.push_back(node);
        m_dice.shuffle(order);
        for (std::int32_t i = 1; i < total; ++i)
            addCable(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(m_dice.small(0, i - 1))]);
        for (int extra = m_dice.small(0, 4); extra > 0; --extra) {
            const NodeId a = m_dice.small(0, total - 1);
            const NodeId b = m_dice.small(0, total - 1);
            if (a != b)
                addCable(a, b);
        }
        for (NodeId node = m_npus; m_limits.crossbars && node < total; ++node) {
            if (!m_dice.chance(75))
                continue;
            // About as fast as one of its links, a few of them or a part; in ties and grids a multiple that makes instants meet.
            const std::int64_t like = linkRate();
            m_spec.crossbars[node] = m_dice.oneOf<std::int64_t>({like, like * 2, like / 2, like * 3 / 2, like / 7});
        }
    }

    void parameters()
    {
        if (m_dice.chance(75))
            m_spec.reducerRate = m_dice.chance(50) ? std::int64_t{1'000'000'000'000} : rate();
        if (m_dice.chance(20))
            m_spec.injection = rate();
        if (m_dice.chance(20))
            m_spec.ejection = rate();
        if (m_dice.chance(40))
            m_spec.endpointDelayPs = m_dice.oneOf<std::int64_t>({10'000, 10'000, 1, m_dice.between(1, 1'000'000)});
        if (m_limits.grid) {
            m_spec.endpointDelayPs = m_dice.chance(30) ? kGrid : 0;
            if (m_spec.reducerRate)
                m_spec.reducerRate = 6'000'000'000;
        }
        if (m_dice.chance(15)) {
            m_spec.roofline = true;
            m_spec.peak = m_dice.between(1, 1000) * 1'000'000'000'000;
            m_spec.memoryRate = rate();
        }
        m_spec.replayOnly = m_dice.chance(5);
        if (m_limits.odd) {
            m_spec.remoteBytesPerNs = m_dice.between(1, 200);
            m_spec.remoteLatencyNs = m_dice.between(0, 3000);
        }
        if (!m_limits.plain && !m_limits.explicitGraph && m_dice.chance(15)) {
            for (std::int32_t i = 0; i < m_npus; ++i)
                m_spec.speeds.push_back(m_dice.oneOf<double>({1.0, 0.5, 2.0, 0.75}));
        }
    }

    void reducers()
    {
        if (m_limits.plain || !m_spec.reducerRate || !m_dice.chance(15))
            return;
        for (std::int32_t i = 0; i < m_npus; ++i)
            if (m_dice.chance(40))
                m_spec.reducers[i] = rate();
    }

    void place()
    {
        std::vector<NodeId> nodes;
        for (NodeId node = 0; node < m_npus; ++node)
            nodes.push_back(node);
        if (m_dice.chance(50))
            m_dice.shuffle(nodes);
        if (m_dice.chance(25))
            nodes.resize(static_cast<std::size_t>(m_dice.small(1, m_npus)));
        m_spec.tasks.resize(nodes.size());
        m_ranks = static_cast<std::int32_t>(nodes.size());
        if (!m_limits.plain && m_ranks > 1 && m_dice.chance(25)) {
            const auto cut = nodes.begin() + m_dice.small(1, m_ranks - 1);
            m_spec.jobs.emplace_back(nodes.begin(), cut);
            m_spec.jobs.emplace_back(cut, nodes.end());
        } else {
            m_spec.jobs.push_back(nodes);
        }
    }

    void groups()
    {
        std::vector<std::int32_t> all;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank)
            all.push_back(rank);
        m_spec.families.emplace_back();
        m_spec.families[0].groups.push_back(all);
        for (int f = m_dice.small(0, 3); f > 0; --f) {
            CaseSpec::Family family;
            const std::int32_t size = m_dice.small(1, m_ranks);
            if (m_dice.chance(40) && m_ranks % size == 0) { // every so many ranks
                const std::int32_t count = m_ranks / size;
                const bool strided = m_dice.chance(50);
                family.groups.resize(static_cast<std::size_t>(count));
                for (const std::int32_t rank : all)
                    family.groups[static_cast<std::size_t>(strided ? rank % count : rank / size)].push_back(rank);
            } else {
                std::vector<std::int32_t> some = all;
                m_dice.shuffle(some);
                for (std::size_t at = 0; at < some.size() && family.groups.size() < 3;) {
                    const auto taken = std::min(some.size() - at, static_cast<std::size_t>(m_dice.small(1, m_ranks)));
                    family.groups.emplace_back(some.begin() + static_cast<std::ptrdiff_t>(at), some.begin() + static_cast<std::ptrdiff_t>(at + taken));
                    at += taken;
                }
            }
            m_spec.families.push_back(std::move(family));
        }
    }

    std::int64_t size()
    {
        const std::int64_t most = 10 * m_spec.pieceBytes;
        if (m_limits.grid)
            return m_dice.between(1, 4) * 1000 * (m_dice.chance(50) ? 1 : m_ranks);
        if (m_limits.ties)
            return m_dice.oneOf<std::int64_t>({m_spec.pieceBytes, 4 * m_spec.pieceBytes, 840 * (m_spec.pieceBytes / 100), 2 * m_spec.pieceBytes + 1});
        switch (m_dice.between(0, 5)) {
        case 0:
            return m_dice.between(0, 20);
        case 1:
            return m_dice.between(1, 10) * m_spec.pieceBytes;
        case 2:
            return m_dice.between(1, m_spec.pieceBytes);
        default:
            return m_dice.between(1, most);
        }
    }

    // ---- Programs ----

    std::vector<std::int32_t> factors(std::int32_t n)
    {
        std::vector<std::int32_t> axes{n};
        while (m_dice.chance(60)) {
            const std::int32_t whole = axes.back();
            std::vector<std::int32_t> divisors;
            for (std::int32_t d = 2; d < whole; ++d)
                if (whole % d == 0)
                    divisors.push_back(d);
            if (divisors.empty())
                break;
            axes.back() = m_dice.oneOf(divisors);
            axes.push_back(whole / axes.back());
        }
        return axes;
    }

    PhaseTemplate phase(PhaseKind kind, std::size_t axis)
    {
        PhaseTemplate made;
        made.kind = kind;
        made.axis = static_cast<std::int32_t>(axis);
        if (kind == PhaseKind::AllReduce)
            made.algorithm = Algorithm::DoubleBinaryTree;
        else if (kind == PhaseKind::AllToAll)
            made.algorithm = m_dice.oneOf<Algorithm>({Algorithm::Ring, Algorithm::Direct});
        else
            made.algorithm = m_dice.oneOf<Algorithm>({Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling});
        if (made.algorithm == Algorithm::Direct && m_dice.chance(30))
            made.window = m_dice.small(1, 3);
        made.minus = made.algorithm == Algorithm::Ring && m_dice.chance(30);
        return made;
    }

    TemplateBody body(CollectiveOp op, std::int32_t n)
    {
        TemplateBody made;
        made.axes = factors(n);
        const std::size_t axes = made.axes.size();
        if (op == CollectiveOp::AllToAll) {
            for (std::size_t a = 0; a < axes; ++a)
                made.phases.push_back(phase(PhaseKind::AllToAll, a));
            return made;
        }
        // All-reduce: scatter the first `scattered` axes, reduce the others by trees, gather back.
        const std::size_t scattered = op == CollectiveOp::AllReduce && m_dice.chance(30) ? static_cast<std::size_t>(m_dice.between(0, static_cast<std::int64_t>(axes) - 1)) : axes;
        if (op != CollectiveOp::AllGather)
            for (std::size_t a = 0; a < scattered; ++a)
                made.phases.push_back(phase(PhaseKind::ReduceScatter, a));
        for (std::size_t a = scattered; a < axes; ++a)
            made.phases.push_back(phase(PhaseKind::AllReduce, a));
        if (op != CollectiveOp::ReduceScatter)
            for (std::size_t a = scattered; a-- > 0;)
                made.phases.push_back(phase(PhaseKind::AllGather, a));
        return made;
    }

    /// A program of transfers among n positions, each depending on some that came before it there.
    std::vector<CaseSpec::Op> operations(std::int32_t n, std::int32_t chunks)
    {
        std::vector<CaseSpec::Op> ops;
        std::map<std::array<std::int32_t, 4>, std::size_t> last; // what goes over a connection stays in order
        const bool lanes = m_dice.chance(40);
        const auto add = [&](CaseSpec::Op op, bool ordered) {
            for (std::size_t i = 0; i < ops.size(); ++i)
                if (ops[i].position == op.position && m_dice.chance(ops[i].kind == OpKind::Send ? 10 : 30))
                    op.depends.push_back(i);
            if (ordered) {
                const std::array<std::int32_t, 4> line{op.position, op.peer, op.connection, op.kind == OpKind::Send};
                if (const auto before = last.find(line); before != last.end() && std::find(op.depends.begin(), op.depends.end(), before->second) == op.depends.end())
                    op.depends.push_back(before->second);
                last[line] = ops.size();
            }
            op.lane = lanes && m_dice.chance(70) ? m_dice.small(0, 2) : -1;
            ops.push_back(std::move(op));
        };
        for (int transfer = m_dice.small(1, 4 * n); transfer > 0; --transfer) {
            CaseSpec::Op op;
            op.step = m_limits.ties ? 0 : m_dice.small(0, 5);
            op.slot = m_dice.small(0, 2);
            if (m_dice.chance(10)) {
                op.position = m_dice.small(0, n - 1);
                op.kind = m_dice.chance(30) ? OpKind::Copy : OpKind::Compute;
                op.duration = op.kind == OpKind::Compute ? m_dice.between(0, 10) * 300'000 : 0;
                add(op, false);
                continue;
            }
            op.transfer = transfer;
            op.position = m_dice.small(0, n - 1);
            const bool passesOn = m_limits.programParts && !ops.empty() && ops.back().transfer >= 0 && m_dice.chance(40);
            if (passesOn) // Fused with the receive just added.
                op.position = ops.back().position;
            op.peer = (op.position + m_dice.small(1, n - 1)) % n;
            op.connection = m_dice.small(0, 1);
            op.kind = OpKind::Send;
            if (m_dice.chance(50)) {
                op.chunk = m_dice.small(0, chunks - 1);
                op.count = m_dice.small(1, chunks - op.chunk);
                op.bytes = -1;
            } else {
                op.bytes = size();
            }
            if (m_limits.programParts && m_dice.chance(25))
                op.via = m_dice.small(0, n - 1);
            const std::int32_t lane = passesOn ? ops.back().lane : -1;
            add(op, true);
            if (passesOn) {
                ops.back().fused = true;
                ops.back().lane = lane;
            }
            op.via = -1;
            std::swap(op.position, op.peer);
            op.kind = m_dice.chance(40) ? OpKind::ReceiveReduce : OpKind::Receive;
            add(op, true);
        }
        return ops;
    }

    // ---- Work ----

    TaskIndex append(std::int32_t rank, CaseSpec::Task task)
    {
        auto& tasks = m_spec.tasks[static_cast<std::size_t>(rank)];
        const auto index = static_cast<TaskIndex>(tasks.size());
        if (index > 0) {
            if (m_dice.chance(50))
                task.depends.push_back(index - 1);
            if (m_dice.chance(20))
                task.depends.push_back(m_dice.small(0, index - 1));
        }
        std::sort(task.depends.begin(), task.depends.end());
        task.depends.erase(std::unique(task.depends.begin(), task.depends.end()), task.depends.end());
        tasks.push_back(std::move(task));
        return index;
    }

    void step()
    {
        switch (m_dice.between(0, m_storm ? 4 : 9)) {
        case 0:
        case 1:
            compute();
            break;
        case 2:
        case 3:
        case 4:
            for (int i = m_dice.small(1, m_limits.grid ? 3 * m_ranks : 6); i > 0; --i)
                message();
            break;
        default:
            collective();
        }
    }

    void compute()
    {
        CaseSpec::Task common = computeTask();
        const bool alike = (m_limits.ties && !m_limits.grid) || m_dice.chance(40);
        for (std::int32_t rank = 0; rank < m_ranks; ++rank)
            if (m_dice.chance(80))
                append(rank, alike ? common : computeTask());
    }

    CaseSpec::Task computeTask()
    {
        CaseSpec::Task task;
        if (m_limits.grid) {
            task.durationPs = m_dice.between(1, 6) * kGrid;
            return task;
        }
        task.kind = m_dice.chance(5) ? TaskKind::Metadata : TaskKind::Compute;
        if (m_limits.odd && m_dice.chance(30)) {
            task.kind = TaskKind::MemoryLoad;
            task.bytes = m_dice.between(0, 1'000'000);
            return task;
        }
        task.flags = m_dice.chance(20) ? TaskFlag::kHost : 0;
        if (m_dice.chance(70))
            task.durationPs = m_dice.chance(10) ? 0 : m_dice.between(1, 40) * 500'000;
        else
            task.durationUs = m_dice.between(0, 20);
        if (m_dice.chance(30)) {
            task.flags = static_cast<std::uint8_t>(task.flags | TaskFlag::kHasOperations);
            task.operations = m_dice.between(0, 1'000'000'000);
        }
        if (m_dice.chance(30)) {
            task.flags = static_cast<std::uint8_t>(task.flags | TaskFlag::kHasBytes);
            task.bytes = m_dice.between(0, 1'000'000);
        }
        return task;
    }

    void message()
    {
        const std::int32_t source = m_dice.small(0, m_ranks - 1);
        const std::int32_t target = m_dice.chance(3) ? source : m_dice.small(0, m_ranks - 1);
        const auto tag = static_cast<std::uint32_t>(m_limits.grid ? 0 : m_dice.between(0, 2));
        CaseSpec::Task send;
        send.kind = TaskKind::Send;
        send.peer = target;
        send.tag = tag;
        send.bytes = m_limits.odd ? 1000 * (1 + source) : size(); // one size for all that may be paired
        CaseSpec::Task receive = send;
        receive.kind = TaskKind::Receive;
        receive.peer = source;
        // Sends of one (source, target, tag) are issued one after the other, so that their order does not hang on a rule for ties.
        TaskIndex& lastSend = m_lastSend.try_emplace({source, target, tag}, -1).first->second;
        TaskIndex& lastReceive = m_lastReceive.try_emplace({source, target, tag}, -1).first->second;
        const bool anyOrder = m_limits.odd && m_dice.chance(50);
        if (lastSend >= 0 && !anyOrder)
            send.depends.push_back(lastSend);
        if (lastReceive >= 0 && !anyOrder)
            receive.depends.push_back(lastReceive);
        lastSend = append(source, send);
        lastReceive = append(target, receive);
    }

    void collective()
    {
        const std::int32_t f = m_dice.small(0, static_cast<std::int32_t>(m_spec.families.size()) - 1);
        CaseSpec::Family& family = m_spec.families[static_cast<std::size_t>(f)];
        CaseSpec::Call call;
        call.op = m_dice.oneOf<CollectiveOp>({CollectiveOp::AllReduce, CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter, CollectiveOp::AllToAll});
        call.bytes = size();
        call.chunks = m_dice.oneOf<std::int32_t>({1, 1, 2, 3, 4, 6});
        call.window = m_dice.chance(60) ? 0 : m_dice.small(1, 3);
        if (call.window > 0 && m_dice.chance(50))
            call.chunks = m_dice.small(5, 10);
        call.priority = m_limits.ties ? 0 : m_dice.oneOf<std::int32_t>({0, 0, 0, 1, -1, 2});
        if (m_dice.chance(3))
            call.replayPs = m_dice.oneOf<std::int64_t>({0, 1'000'000});
        for (const auto& group : family.groups) {
            const auto n = static_cast<std::int32_t>(group.size());
            if (n > 1 && m_limits.explicitPrograms && m_dice.chance(70) && !call.ops.contains(n))
                call.ops[n] = operations(n, call.chunks);
            else if (n > 1 && !call.body.contains(n))
                call.body[n] = body(call.op, n);
        }
        if (m_limits.programParts && m_dice.chance(40)) {
            for (std::int32_t chunk = 0; chunk < call.chunks; ++chunk)
                call.weights.push_back(m_dice.small(chunk == 0 ? 1 : 0, 5));
        }
        if (m_limits.programParts && m_dice.chance(40))
            call.slotCount = m_dice.small(1, 2);
        CaseSpec::Task task;
        task.kind = TaskKind::Collective;
        task.family = f;
        task.call = static_cast<std::int32_t>(family.calls.size());
        family.calls.push_back(std::move(call));
        for (const auto& group : family.groups)
            for (const std::int32_t rank : group)
                append(rank, task);
    }

    using Pair = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;

    Dice m_dice;
    RandomLimits m_limits;
    CaseSpec m_spec;
    std::int32_t m_npus = 1;
    std::int32_t m_ranks = 1;
    bool m_storm = false; // point-to-point messages only, many at once
    std::int64_t m_commonRate = 1;
    std::int64_t m_commonLatency = 0;
    std::map<Pair, TaskIndex> m_lastSend, m_lastReceive;
};

} // namespace

CaseSpec randomCase(std::uint64_t seed, const RandomLimits& limits)
{
    return Generator(seed, limits).run();
}

} // namespace fabricscope::test
