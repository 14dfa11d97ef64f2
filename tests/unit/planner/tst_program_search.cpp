// The search for programs against a formulation of its own: choose a rule for every op, then pay for every tensor what its uses need.
#include "core/planner/placedops.h"
#include "core/planner/unequalplacement.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <cmath>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

struct Case {
    PlacementProblem problem;
    std::vector<DeviceRatios> ratios;
};

/// Seconds of a collective for all of a tensor, by the definition (manual: placement 3); below 0: there is none.
double collectiveSeconds(const Case& each, ShareCollective kind, double bytes)
{
    const CollectiveTime& time = each.problem.cluster.time(kind);
    if (!time.available)
        return -1;
    const std::vector<double>& ratios = each.ratios.front().ratios();
    const auto m = static_cast<double>(ratios.size());
    const double largest = *std::max_element(ratios.begin(), ratios.end());
    const auto owners = static_cast<double>(std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio > 0; }));
    switch (kind) {
    case ShareCollective::AllGather:
    case ShareCollective::ReduceScatter:
    case ShareCollective::AllToAll:
        return time.latency + m * largest * bytes * time.perByte;
    case ShareCollective::GroupedAllGather:
    case ShareCollective::GroupedReduceScatter:
        return owners * time.latency + bytes * time.perByte;
    case ShareCollective::AllReduce:
        break;
    }
    return time.latency + bytes * time.perByte;
}

double smaller(double a, double b)
{
    return a < 0 ? b : b < 0 ? a : std::min(a, b);
}

double moveSeconds(const Case& each, const PlacedTensor& tensor, Property from, Property to)
{
    const auto one = [&](ShareCollective kind) { return collectiveSeconds(each, kind, tensor.bytes); };
    const double gather = smaller(one(ShareCollective::AllGather), one(ShareCollective::GroupedAllGather));
    const double scatter = smaller(one(ShareCollective::ReduceScatter), one(ShareCollective::GroupedReduceScatter));
    double there = -1;
    double back = -1;
    if (from.isGather() && to.isIdentity()) {
        there = gather;
        back = scatter;
    } else if (tensor.role == TensorRole::Parameter) {
        return -1;
    } else if (from.isReduce() && to.isGather()) {
        there = scatter;
        back = gather;
    } else if (from.isReduce() && to.isIdentity()) {
        there = one(ShareCollective::AllReduce);
    } else if (from.isGather() && to.isGather() && from != to) {
        there = one(ShareCollective::AllToAll);
    }
    if (there < 0 || !each.problem.theory.backward)
        return there;
    return there + (back < 0 ? there : back);
}

bool served(Property have, Property need)
{
    return have == need || (have.isIdentity() && need.isGather());
}

/// Least cost of a tensor that was made as `made` and is needed as `needs`; infinite: impossible.
double costFrom(const Case& each, const PlacedTensor& tensor, bool movable, Property made, const std::set<std::uint8_t>& needs)
{
    bool free = true;
    for (const std::uint8_t need : needs)
        free = free && served(made, Property::ofCode(need));
    if (free)
        return 0;
    double best = INFINITY;
    for (std::uint8_t code = 1; movable && code < 8; ++code) {
        const Property moved = Property::ofCode(code);
        const double cost = moveSeconds(each, tensor, made, moved);
        bool all = cost >= 0;
        for (const std::uint8_t need : needs)
            all = all && (served(made, Property::ofCode(need)) || served(moved, Property::ofCode(need)));
        if (all)
            best = std::min(best, cost);
    }
    return best;
}

double parameterCost(const Case& each, const PlacedTensor& tensor, const std::set<std::uint8_t>& needs)
{
    const double reduce = each.problem.theory.backward ? collectiveSeconds(each, ShareCollective::AllReduce, tensor.bytes) : 0;
    double best = costFrom(each, tensor, true, Property::reduce(), needs);
    if (reduce >= 0)
        best = std::min(best, reduce + costFrom(each, tensor, true, Property::identity(), needs));
    for (int dim = 0; dim < static_cast<int>(tensor.shape.size()); ++dim) {
        if (tensor.shape[static_cast<std::size_t>(dim)] > 1)
            best = std::min(best, costFrom(each, tensor, true, Property::gather(dim), needs));
    }
    return best;
}

/// The cost of one choice of rules.
double costOf(const Case& each, const std::vector<std::vector<PlacementRule>>& theory, const std::vector<std::size_t>& choice)
{
    const PlacedGraph& graph = each.problem.graph;
    std::vector<std::set<std::uint8_t>> needs(graph.tensors.size());
    std::vector<Property> made(graph.tensors.size());
    std::vector<bool> movable(graph.tensors.size(), true);
    double cost = 0;
    for (std::size_t k = 0; k < graph.ops.size(); ++k) {
        const PlacedOp& op = graph.ops[k];
        const PlacementRule& rule = theory[k][choice[k]];
        double slowest = 0;
        const std::vector<double>& ratios = each.ratios.front().ratios();
        std::size_t j = 0;
        for (const DeviceType& type : each.problem.cluster.types) {
            for (std::int64_t i = 0; i < type.count; ++i, ++j)
                slowest = std::max(slowest, (rule.shared * ratios[j] + rule.whole) / type.speed);
        }
        cost += slowest;
        made[static_cast<std::size_t>(op.output)] = rule.makes;
        movable[static_cast<std::size_t>(op.output)] = op.movable;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const auto id = static_cast<std::size_t>(op.inputs[i]);
            if (static_cast<int>(i) == rule.sufficient) {
                // Factors instead of the whole weight's all-reduce; only for a weight used once.
                int uses = 0;
                for (const PlacedOp& other : graph.ops)
                    uses += static_cast<int>(std::count(other.inputs.begin(), other.inputs.end(), op.inputs[i]));
                const auto gather = [&](double bytes) { return smaller(collectiveSeconds(each, ShareCollective::AllGather, bytes), collectiveSeconds(each, ShareCollective::GroupedAllGather, bytes)); };
                const double x = gather(graph.tensors[static_cast<std::size_t>(op.inputs[1 - i])].bytes);
                const double dy = gather(graph.tensors[static_cast<std::size_t>(op.output)].bytes);
                cost += uses > 1 || x < 0 ? INFINITY : x + dy;
            } else {
                needs[id].insert(rule.needs[i].code());
            }
        }
    }
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        const PlacedTensor& tensor = graph.tensors[id];
        if (needs[id].empty())
            continue;
        if (tensor.role == TensorRole::Input)
            cost += needs[id].contains(Property::reduce().code()) ? INFINITY : 0;
        else
            cost += tensor.role == TensorRole::Parameter ? parameterCost(each, tensor, needs[id]) : costFrom(each, tensor, movable[id], made[id], needs[id]);
    }
    return cost;
}

/// The least cost of all choices; below 0: there are too many.
double bestOfAll(const Case& each)
{
    const std::vector<std::vector<PlacementRule>> theory = backgroundTheory(each.problem.graph, each.problem.theory);
    double choices = 1;
    for (const auto& rules : theory)
        choices *= static_cast<double>(rules.size());
    if (choices > 30'000)
        return -1;
    std::vector<std::size_t> choice(theory.size(), 0);
    double best = INFINITY;
    while (true) {
        best = std::min(best, costOf(each, theory, choice));
        std::size_t k = 0;
        while (k < choice.size() && ++choice[k] == theory[k].size())
            choice[k++] = 0;
        if (k == choice.size())
            return best;
    }
}

/// A chain with branches over square tensors, so that every operand fits every op.
PlacedGraph randomGraph(Draw& draw)
{
    OpGraph graph;
    PlacedGraphNotes notes;
    const auto input = [&](const std::string& name) { return graph.addInput({name, {draw.oneIn(2) ? 64 : 4096, 64}, ElementType::Fp32, -1, {}}).value(); };
    const TensorId x = input("x");
    notes.batchDims[x] = 0;
    std::vector<TensorId> made{x};
    std::vector<TensorId> weights;
    const int ops = draw.from(1, 6) == 1 ? 8 : static_cast<int>(draw.from(2, 5));
    for (int k = 0; k < ops; ++k) {
        GraphOp op;
        op.name = "t" + std::to_string(k);
        const TensorId from = made[made.size() - 1 - static_cast<std::size_t>(draw.below(std::min<int>(2, static_cast<int>(made.size()))))];
        op.inputs = {from};
        const int kind = draw.below(8);
        if (kind < 4) {
            op.kind = GraphOpKind::Einsum;
            op.letters = {"bk", "kn", "bn"};
            if (weights.empty() || !draw.oneIn(4)) {
                weights.push_back(graph.addInput({"w" + std::to_string(k), {64, 64}, ElementType::Fp32, -1, {}}).value());
                notes.parameters.insert(weights.back());
            }
            op.inputs.push_back(weights.back());
        } else if (kind < 6) {
            op.kind = draw.oneIn(2) ? GraphOpKind::Add : GraphOpKind::Mul;
            op.inputs.push_back(made.back());
        } else {
            op.kind = draw.oneIn(2) ? GraphOpKind::Relu : GraphOpKind::Gelu;
        }
        if (draw.oneIn(2))
            op.flops = static_cast<double>(draw.from(0, 40'000'000));
        made.push_back(graph.addOp(std::move(op)).value());
    }
    GraphOp loss;
    loss.name = "loss";
    loss.kind = GraphOpKind::Reduce;
    loss.dims = {0, 1};
    loss.inputs = {made.back()};
    static_cast<void>(graph.addOp(std::move(loss)).value());
    return placedGraphOf(graph, notes).value();
}

Case randomCase(std::uint64_t seed)
{
    Draw draw(seed);
    Case each;
    each.problem.graph = randomGraph(draw);
    each.problem.segmentOf.assign(each.problem.graph.ops.size(), 0);
    for (int i = 0, n = static_cast<int>(draw.from(1, 3)); i < n; ++i)
        each.problem.cluster.types.push_back({"d", static_cast<double>(draw.from(1, 4)) * 1e12, 1, 0});
    for (CollectiveTime& time : each.problem.cluster.times)
        time = {!draw.oneIn(6), static_cast<double>(draw.from(0, 2)) * 1e-7, 1 / (static_cast<double>(draw.from(1, 40)) * 1e9), {}};
    each.problem.theory.rowParallel = draw.oneIn(2);
    each.problem.theory.sufficientFactor = draw.oneIn(2);
    each.problem.theory.backward = !draw.oneIn(4);
    each.problem.choice = draw.oneIn(2) ? RatioChoice::Even : RatioChoice::Proportional;
    each.ratios = {each.problem.choice == RatioChoice::Even ? DeviceRatios::even(each.problem.cluster) : DeviceRatios::proportional(each.problem.cluster)};
    return each;
}

/// Two linear ops and a sum, as in the worked cases.
Case twoProducts(std::int64_t batch)
{
    OpGraph graph;
    PlacedGraphNotes notes;
    const TensorId x = graph.addInput({"x", {batch, 64}, ElementType::Fp32, -1, {}}).value();
    notes.batchDims[x] = 0;
    TensorId last = x;
    for (const std::string name : {"1", "2"}) {
        const TensorId w = graph.addInput({"w" + name, {64, 64}, ElementType::Fp32, -1, {}}).value();
        notes.parameters.insert(w);
        GraphOp op;
        op.name = "y" + name;
        op.kind = GraphOpKind::Einsum;
        op.letters = {"bk", "kn", "bn"};
        op.inputs = {last, w};
        op.flops = 3.0 * static_cast<double>(batch) * 64 * 64;
        last = graph.addOp(std::move(op)).value();
    }
    GraphOp loss;
    loss.name = "loss";
    loss.kind = GraphOpKind::Reduce;
    loss.dims = {0, 1};
    loss.inputs = {last};
    loss.flops = 0;
    static_cast<void>(graph.addOp(std::move(loss)).value());
    Case each;
    each.problem.graph = placedGraphOf(graph, notes).value();
    each.problem.segmentOf.assign(3, 0);
    each.problem.cluster.types = {{"a", 1e12, 2, 0}};
    for (const ShareCollective kind : {ShareCollective::AllGather, ShareCollective::ReduceScatter, ShareCollective::AllReduce, ShareCollective::AllToAll})
        each.problem.cluster.time(kind) = {true, 0, 1 / 4e9, {}};
    each.problem.theory.sufficientFactor = false;
    each.problem.choice = RatioChoice::Even;
    each.ratios = {DeviceRatios::even(each.problem.cluster)};
    return each;
}

std::vector<std::string> rulesOf(const UnequalPlacement& placement)
{
    std::vector<std::string> words;
    for (const PlacedStep& step : placement.program.steps) {
        if (step.kind == PlacedStep::Kind::Compute && step.op >= 0)
            words.emplace_back(wordOf(step.word));
        if (step.kind == PlacedStep::Kind::Collective)
            words.emplace_back(wordOf(step));
    }
    return words;
}

UnequalPlacement placed(const PlacementProblem& problem, SearchMethod method = SearchMethod::Bound)
{
    const auto placement = place(problem, method);
    if (!placement)
        qFatal("%s", placement.error().text().c_str());
    return placement.value();
}

} // namespace

class TstProgramSearch : public QObject {
    Q_OBJECT

private slots:
    void allMethodsFindTheLeastOfAllPrograms()
    {
        int compared = 0;
        int impossible = 0;
        for (int n = 0; n < cases(1000); ++n) {
            const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(n);
            const Case each = randomCase(seed);
            const double expected = bestOfAll(each);
            const auto bound = place(each.problem, SearchMethod::Bound);
            if (std::isinf(expected)) {
                QVERIFY2(!bound, qPrintable(QString("seed %1").arg(seed)));
                ++impossible;
                continue;
            }
            if (expected < 0 && !bound) { // Too many choices to know: then neither search may find any.
                QVERIFY2(!place(each.problem, SearchMethod::NoBound), qPrintable(QString("seed %1").arg(seed)));
                ++impossible;
                continue;
            }
            QVERIFY2(bool(bound), qPrintable(QString("seed %1: %2").arg(seed).arg(QString::fromStdString(bound ? "" : bound.error().text()))));
            const UnequalPlacement none = placed(each.problem, SearchMethod::NoBound);
            QVERIFY2(std::abs(none.cost - bound.value().cost) <= 1e-12 * none.cost, qPrintable(QString("seed %1").arg(seed)));
            QVERIFY2(bound.value().expanded <= none.expanded, qPrintable(QString("seed %1").arg(seed)));
            if (expected < 0)
                continue;
            ++compared;
            QVERIFY2(std::abs(expected - bound.value().cost) <= 1e-9 * expected, qPrintable(QString("seed %1: %2, not %3").arg(seed).arg(bound.value().cost).arg(expected)));
        }
        QVERIFY(compared > cases(700));
    }

    void everyProgramOneByOneGivesTheSameCost()
    {
        int walked = 0;
        for (int n = 0; n < cases(150); ++n) {
            const Case each = randomCase(5000 + static_cast<std::uint64_t>(n));
            if (each.problem.graph.ops.size() > 5)
                continue;
            const auto all = place(each.problem, SearchMethod::Exhaustive);
            const auto bound = place(each.problem, SearchMethod::Bound);
            QCOMPARE(bool(all), bool(bound));
            if (!all)
                continue;
            ++walked;
            QVERIFY(std::abs(all.value().cost - bound.value().cost) <= 1e-12 * all.value().cost);
            QVERIFY(all.value().expanded >= bound.value().expanded);
        }
        QVERIFY(walked > 0);
    }

    void theWorkedCasesHaveTheirProgramsAndCosts()
    {
        // Forward and backward 9 B 64 64 FLOP for each product, shared by two devices of 1e12: 36,864 B ps each.
        struct Worked {
            std::int64_t batch;
            bool rows;
            double seconds;
            std::vector<std::string> words;
        };
        const std::vector<Worked> all{
            {1024, false, 2 * 1024 * 18.432e-9 + 2 * 4096e-9, {"batch", "all_reduce", "batch", "all_reduce", "batch"}},
            {8, false, 2 * 8 * 18.432e-9 + 2 * 512e-9, {"column", "all_gather", "column", "row"}},
            {1024, true, 2 * 1024 * 18.432e-9, {"column", "row", "row"}},
            {8, true, 2 * 8 * 18.432e-9, {"column", "row", "row"}},
        };
        for (const Worked& worked : all) {
            Case each = twoProducts(worked.batch);
            each.problem.theory.rowParallel = worked.rows;
            const UnequalPlacement placement = placed(each.problem);
            QVERIFY2(std::abs(placement.cost - worked.seconds) < 1e-9 * worked.seconds, qPrintable(QString("%1, not %2").arg(placement.cost).arg(worked.seconds)));
            QCOMPARE(rulesOf(placement), worked.words);
        }
    }

    void sufficientFactorsReplaceAnAllReduceOfSmallBatches()
    {
        // Two gathers of 48 x 64 against the all-reduce of 64 x 64, but three thirds more of one product's gradient.
        Case each = twoProducts(16);
        each.problem.theory.rowParallel = false;
        each.problem.theory.sufficientFactor = true;
        each.problem.cluster.types[0].speed = 1e15;
        // Without splitting columns there is nothing else.
        each.problem.theory.fixed = {{2, Property::gather(0)}, {4, Property::gather(0)}};
        const auto words = rulesOf(placed(each.problem));
        QVERIFY(std::find(words.begin(), words.end(), "sufficient_factor") != words.end());
        each.problem.theory.sufficientFactor = false;
        const auto without = rulesOf(placed(each.problem));
        QVERIFY(std::find(without.begin(), without.end(), "all_reduce") != without.end());
    }

    void skewedRatiosTakeGroupedGathers()
    {
        Case each = twoProducts(8);
        each.problem.theory.rowParallel = false;
        each.problem.cluster.time(ShareCollective::GroupedAllGather) = {true, 0, 1 / 3.9e9, {}};
        each.problem.cluster.time(ShareCollective::GroupedReduceScatter) = {true, 0, 1 / 3.9e9, {}};
        // Even ratios: the padded form is not larger and its rate better; 0.7: 1.4 times as large.
        each.problem.choice = RatioChoice::Listed;
        each.problem.listed = {0.5, 0.5};
        const auto even = rulesOf(placed(each.problem));
        QVERIFY(std::find(even.begin(), even.end(), "all_gather") != even.end());
        each.problem.listed = {0.7, 0.3};
        const auto skewed = rulesOf(placed(each.problem));
        QVERIFY(std::find(skewed.begin(), skewed.end(), "grouped_all_gather") != skewed.end());
    }

    void aFixedPropertyIsKept()
    {
        Case each = twoProducts(8);
        const int y1 = each.problem.graph.ops[0].output;
        each.problem.theory.fixed[y1] = Property::gather(0);
        const UnequalPlacement placement = placed(each.problem);
        for (const PlacedStep& step : placement.program.steps) {
            if (step.kind == PlacedStep::Kind::Compute && step.tensor == y1)
                QCOMPARE(step.makes, Property::gather(0));
        }
    }

    void optimisedRatiosAreNeverWorseThanTheFirstRoundNorTheBaselines()
    {
        for (int n = 0; n < cases(200); ++n) {
            Case each = randomCase(9000 + static_cast<std::uint64_t>(n));
            each.problem.choice = RatioChoice::Proportional;
            const auto first = place(each.problem, SearchMethod::Bound);
            each.problem.choice = RatioChoice::Even;
            const auto even = place(each.problem, SearchMethod::Bound);
            each.problem.choice = RatioChoice::Optimised;
            const auto best = place(each.problem, SearchMethod::Bound);
            QCOMPARE(bool(first), bool(best));
            if (!best)
                continue;
            QVERIFY(best.value().cost <= first.value().cost * (1 + 1e-9));
            QVERIFY(best.value().cost <= even.value().cost * (1 + 1e-9));
            for (std::size_t i = 1; i < best.value().rounds.size(); ++i)
                QVERIFY(best.value().rounds[i].cost < best.value().rounds[i - 1].cost);
            for (const auto& baseline : {best.value().dataParallelEven, best.value().dataParallelProportional})
                QVERIFY(!baseline || best.value().cost <= *baseline * (1 + 1e-9));
        }
    }

    void costsFallWithFasterDevicesAndNetworks()
    {
        for (int n = 0; n < cases(200); ++n) {
            Case each = randomCase(12000 + static_cast<std::uint64_t>(n));
            each.problem.choice = RatioChoice::Even;
            const auto before = place(each.problem, SearchMethod::Bound);
            if (n % 2) {
                each.problem.cluster.types.front().speed *= 2;
            } else {
                for (CollectiveTime& time : each.problem.cluster.times)
                    time.perByte /= 2;
            }
            const auto after = place(each.problem, SearchMethod::Bound);
            QCOMPARE(bool(before), bool(after));
            QVERIFY(!before || after.value().cost <= before.value().cost * (1 + 1e-9));
        }
    }

    void memoryMakesWeightsSplit()
    {
        // Data parallel is best and holds both weights and their gradients whole: 4 x 16 KiB beside its parts of x, y1 and y2.
        Case each = twoProducts(1024);
        each.problem.theory.rowParallel = false;
        each.problem.choice = RatioChoice::Even;
        const UnequalPlacement free = placed(each.problem);
        QCOMPARE(free.held.whole, 4 * 16384.0 + 4);
        QCOMPARE(free.held.shared.front(), 3 * 262144.0);
        each.problem.cluster.types[0].memory = 450'000; // Of each of two, which need 458,756.
        const UnequalPlacement tight = placed(each.problem);
        QVERIFY(tight.cost > free.cost);
        QVERIFY(tight.held.whole + tight.held.shared.front() / 2 <= 450'000);
        each.problem.cluster.types[0].memory = 1000;
        const auto refused = place(each.problem, SearchMethod::Bound);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("short by") != std::string::npos, refused.error().message.c_str());
    }

    void segmentsHaveRatiosOfTheirOwnWhereMovingPartsPays()
    {
        // 9e8 FLOP by speed (4 to 1) take 180 us, by halves 450. y1 is gathered there and back: 131.072 us by halves, 1.6 times that by speed; to move its
        // parts from one to the other takes a tenth. The gradient of w1 takes 4.1. Alone: 180 + 4.1 + 209.7; apart: 180 + 4.1 + 13.1 + 131.1.
        const auto problemOf = [](double product) {
            Case each = twoProducts(1024);
            each.problem.theory.rowParallel = false;
            each.problem.cluster.types = {{"fast", 4e12, 1, 0}, {"slow", 1e12, 1, 0}};
            each.problem.graph.ops[0].flops = product;
            each.problem.graph.ops[1].flops = 0;
            each.problem.cluster.time(ShareCollective::AllToAll).perByte = 1 / 40e9;
            each.problem.theory.fixed = {{each.problem.graph.ops[0].output, Property::gather(0)}, {each.problem.graph.ops[1].output, Property::gather(1)}};
            each.problem.choice = RatioChoice::Optimised;
            return each.problem;
        };
        PlacementProblem one = problemOf(3e8);
        const UnequalPlacement alike = placed(one);
        PlacementProblem two = problemOf(3e8);
        two.segmentOf = {0, 1, 1};
        two.segments = 2;
        two.copyBetweenSegments();
        const UnequalPlacement apart = placed(two);
        QVERIFY2(std::abs(alike.cost - 393.8112e-6) < 1e-10, qPrintable(QString::number(alike.cost)));
        QVERIFY2(std::abs(apart.cost - 328.2752e-6) < 1e-10, qPrintable(QString::number(apart.cost)));
        QCOMPARE(apart.ratios.size(), std::size_t{2});
        const auto words = rulesOf(apart);
        QVERIFY(std::find(words.begin(), words.end(), "all_to_all") != words.end());
    }

    void equalRatiosOfSegmentsCostNothingMore()
    {
        for (int n = 0; n < cases(400); ++n) {
            Case each = randomCase(15000 + static_cast<std::uint64_t>(n));
            // A result with several uses may be wanted in two forms by a segment, and its copy moved again.
            std::map<int, int> uses;
            int most = 0;
            for (const PlacedOp& op : each.problem.graph.ops) {
                for (const int id : op.inputs)
                    most = std::max(most, ++uses[id]);
            }
            if (most > 1)
                continue;
            const auto whole = place(each.problem, SearchMethod::Bound);
            PlacementProblem cut = each.problem;
            for (std::size_t k = 0; k < cut.segmentOf.size(); ++k)
                cut.segmentOf[k] = k * 2 >= cut.segmentOf.size() ? 1 : 0;
            cut.segments = 2;
            cut.copyBetweenSegments();
            const auto segments = place(cut, SearchMethod::Bound);
            // A copy may be communicated once more than the tensor itself, so there are never fewer programs.
            QVERIFY(bool(segments) || !whole);
            if (whole)
                QVERIFY2(segments.value().cost <= whole.value().cost * (1 + 1e-9), qPrintable(QString("seed %1: %2 above %3").arg(15000 + n).arg(segments.value().cost).arg(whole.value().cost)));
        }
    }

    void aSearchOfTooManyStatesSaysThatItNeedNotBeTheBest()
    {
        for (int n = 0; n < cases(100); ++n) {
            const Case each = randomCase(20000 + static_cast<std::uint64_t>(n));
            SearchProblem question{&each.problem.graph, &each.problem.cluster, &each.problem.theory, &each.ratios, &each.problem.segmentOf, 0, kMostSearchStates};
            const auto all = findProgram(question, SearchMethod::Bound);
            question.mostStates = 1;
            const auto few = findProgram(question, SearchMethod::Bound);
            QCOMPARE(bool(few), bool(all));
            if (!few)
                continue;
            QVERIFY(all.value().proved && !few.value().proved);
            // These graphs have fewer states than are kept, so nothing is lost.
            QVERIFY(std::abs(few.value().cost - all.value().cost) <= 1e-12 * all.value().cost);
        }
    }

    void noCollectivesAndNoRuleIsSaid()
    {
        Case each = twoProducts(8);
        for (CollectiveTime& time : each.problem.cluster.times)
            time.available = false;
        each.problem.theory.fixed[each.problem.graph.ops[0].output] = Property::gather(0);
        each.problem.theory.fixed[each.problem.graph.ops[1].output] = Property::gather(1);
        const auto refused = place(each.problem, SearchMethod::Bound);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("no rule for op y1") != std::string::npos, refused.error().message.c_str());
    }
};

FABRICSCOPE_TEST(TstProgramSearch)
#include "tst_program_search.moc"
