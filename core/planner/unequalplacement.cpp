#include "core/planner/unequalplacement.h"

#include "core/base/index.h"
#include "core/base/outofmemory.h"
#include "core/planner/shareparts.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope {

namespace {

/// A program with ratios that fit.
struct PlacedPair {
    FoundProgram found;
    std::vector<DeviceRatios> ratios;
    HeldBytes held;
};

std::vector<DeviceRatios> everywhere(const DeviceRatios& ratios, int segments)
{
    return std::vector<DeviceRatios>(at(segments), ratios);
}

DeviceRatios startOf(const PlacementProblem& problem)
{
    switch (problem.choice) {
    case RatioChoice::Even:
        return DeviceRatios::even(problem.cluster);
    case RatioChoice::Listed:
        return {problem.cluster, problem.listed};
    default:
        return DeviceRatios::proportional(problem.cluster);
    }
}

/// What every program holds at least: each tensor once, in parts.
HeldBytes leastHeld(const PlacementProblem& problem)
{
    HeldBytes held{{0}, 0};
    std::vector<bool> counted(problem.graph.tensors.size(), false);
    for (const PlacedOp& op : problem.graph.ops) {
        if (op.resplitFrom >= 0)
            continue; // A copy that may be none.
        std::vector<int> tensors = op.inputs;
        tensors.push_back(op.output);
        for (const int id : tensors) {
            if (id == op.output || problem.graph.tensors[at(id)].role != TensorRole::Result)
                held.shared.front() += counted[at(id)] ? 0 : problem.theory.heldBytes(problem.graph.tensors[at(id)]);
            counted[at(id)] = true;
        }
    }
    return held;
}

bool limitsMemory(const UnequalCluster& cluster)
{
    return std::any_of(cluster.types.begin(), cluster.types.end(), [](const DeviceType& type) { return type.memory > 0; });
}

/// Search and linear program by turns.
class PlacementLoop {
public:
    PlacementLoop(const PlacementProblem& problem, RatioChoice choice, SearchMethod method, std::stop_token stop, PlacementWatch* watch)
        : m_problem(problem), m_choice(choice), m_method(method), m_stop(std::move(stop)), m_watch(watch)
    {
    }

    /// From these ratios on, until the cost does not fall.
    Status run(std::vector<DeviceRatios> ratios)
    {
        double before = -1;
        for (int round = 0; round < kMostRounds; ++round) {
            Result<PlacedPair> pair = search(ratios);
            if (!pair)
                return pair.error();
            PlacedPair own = std::move(pair).value();
            if (round == 0)
                first = own;
            if (m_choice == RatioChoice::Optimised) {
                if (checkMemory(m_problem.cluster, own.held, own.ratios))
                    note(own);
                // The better ratios for this program; they are worth a round even before a search with them.
                if (const Status status = improve(own); !status)
                    return status;
            }
            if (checkMemory(m_problem.cluster, own.held, own.ratios))
                note(own);
            if (m_choice != RatioChoice::Optimised || (before >= 0 && own.found.cost >= before * (1 - 1e-9)))
                return {};
            before = own.found.cost;
            ratios = own.ratios;
        }
        return {};
    }

    std::optional<PlacedPair> best;
    std::optional<PlacedPair> first; ///< Of the last run: as found for the ratios it began with; they may be too much for some memory.
    std::vector<PlacementRound> rounds;
    std::int64_t expanded = 0;
    bool proved = true;

private:
    /// The best ratios for the pair's program: one for each segment, or the same for all, where no parts move between segments.
    Status improve(PlacedPair& pair) const
    {
        const std::vector<RatioTerm> terms = pair.found.program.terms();
        auto each = bestRatios(m_problem.cluster, terms, pair.held, pair.ratios, m_stop);
        if (!each)
            return each.error();
        std::vector<DeviceRatios> better = std::move(each).value();
        if (m_problem.segments > 1) {
            std::vector<RatioTerm> merged = terms;
            std::erase_if(merged, [](const RatioTerm& term) { return term.resplitFrom >= 0; });
            for (RatioTerm& term : merged)
                term.segment = 0;
            HeldBytes held{{0}, pair.held.whole};
            for (const double bytes : pair.held.shared)
                held.shared[0] += bytes;
            const auto alike = bestRatios(m_problem.cluster, merged, held, {pair.ratios.front()}, m_stop);
            if (!alike)
                return alike.error();
            const std::vector<DeviceRatios> all = everywhere(alike.value().front(), m_problem.segments);
            if (secondsOf(m_problem.cluster, terms, all) < secondsOf(m_problem.cluster, terms, better))
                better = all;
        }
        pair.ratios = std::move(better);
        pair.found.cost = secondsOf(m_problem.cluster, terms, pair.ratios);
        return {};
    }

    /// Keeps what is better than all before.
    void note(const PlacedPair& pair)
    {
        if (best && pair.found.cost >= best->found.cost * (1 - 1e-12))
            return;
        best = pair;
        rounds.push_back({pair.found.cost, pair.ratios});
    }

    Result<PlacedPair> searchAt(const std::vector<DeviceRatios>& ratios, double price)
    {
        const SearchProblem question{&m_problem.graph, &m_problem.cluster, &m_problem.theory, &ratios, &m_problem.segmentOf, price, kMostSearchStates};
        if (m_watch)
            ++m_watch->searches;
        Result<FoundProgram> found = findProgram(question, m_method, m_stop);
        if (!found)
            return found.error();
        expanded += found.value().expanded;
        if (m_watch)
            m_watch->states += found.value().expanded;
        proved = proved && found.value().proved;
        PlacedPair pair{std::move(found).value(), ratios, {}};
        pair.held = pair.found.program.held(m_problem.graph, m_problem.theory, m_problem.segments);
        return pair;
    }

    /// Does the program fit at these ratios, or, where they may change, at any?
    Status fits(const PlacedPair& pair) const
    {
        return m_choice == RatioChoice::Optimised ? checkMemoryAtBest(m_problem.cluster, pair.held) : checkMemory(m_problem.cluster, pair.held, pair.ratios);
    }

    /// The best program that fits: with a price of memory where the best of all does not.
    Result<PlacedPair> search(const std::vector<DeviceRatios>& ratios)
    {
        double bytes = 1;
        for (const PlacedTensor& tensor : m_problem.graph.tensors)
            bytes += tensor.bytes;
        const auto priced = [&](double share, double cost) { return searchAt(ratios, share * std::max(cost, 1e-12) / bytes); };
        // Beside the dearest nothing but memory matters: what does not fit there by what all devices hold in parts and whole together fits nowhere.
        constexpr double kFirstPrice = 1.0 / 64;
        constexpr double kDearest = 1 << 20;
        if (!checkMemoryAtBest(m_problem.cluster, leastHeld(m_problem))) {
            Result<PlacedPair> least = priced(kDearest, slowestSeconds());
            if (!least)
                return least;
            const Status status = fits(least.value()); // By a hair it may: rounding counts there.
            return status ? std::move(least) : Result<PlacedPair>(status.error());
        }
        Result<PlacedPair> free = searchAt(ratios, 0);
        if (!free || !limitsMemory(m_problem.cluster) || fits(free.value()))
            return free;
        const double cost = free.value().found.cost;
        Result<PlacedPair> smallest = priced(kDearest, cost);
        if (!smallest)
            return smallest;
        const Status last = fits(smallest.value());
        if (!last && fitsNowhere(smallest.value()))
            return last.error();
        // The dearer memory, the slower the program: the first that fits is the best of them.
        for (double share = kFirstPrice; share < kDearest; share *= 4) {
            Result<PlacedPair> each = priced(share, cost);
            if (!each || fits(each.value()))
                return each;
        }
        if (!last)
            return last.error();
        return smallest;
    }

    /// More than any program of use takes: all ops on one of the slowest devices.
    double slowestSeconds() const
    {
        double flops = 0;
        for (const PlacedOp& op : m_problem.graph.ops)
            flops += op.flops;
        double speed = m_problem.cluster.types.front().speed;
        for (const DeviceType& type : m_problem.cluster.types)
            speed = std::min(speed, type.speed);
        return 3 * flops / speed;
    }

    /// Of a program that holds as little as any, what all devices hold together is more than they have.
    bool fitsNowhere(const PlacedPair& smallest) const
    {
        if (m_problem.segments > 1 || !smallest.found.proved)
            return false; // Parts that move between segments are counted in the search, held or not.
        HeldBytes held = smallest.held;
        for (const auto& [kind, bytes] : smallest.found.program.heldByKind(m_problem.graph, m_problem.theory, m_problem.segments))
            held.whole -= kind == HeldKind::Gathered ? bytes.whole : 0; // Which has no price.
        return !checkMemoryAtBest(m_problem.cluster, {{held.shared.front() + held.whole * static_cast<double>(m_problem.cluster.devices())}, 0});
    }

    const PlacementProblem& m_problem;
    RatioChoice m_choice;
    SearchMethod m_method;
    std::stop_token m_stop;
    PlacementWatch* m_watch;
};

std::vector<PlacedLengths> lengthsOf(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios)
{
    std::vector<PlacedLengths> lengths;
    std::set<std::pair<int, int>> known;
    for (const PlacedStep& step : program.steps) {
        if (step.ofGradient || isIdle(step, ratios) || !step.makes.isGather() || !known.emplace(step.tensor, step.makes.dim()).second)
            continue;
        const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
        const std::size_t dim = at(step.makes.dim());
        lengths.push_back({step.tensor, step.makes.dim(), partsByRatios(tensor.shape[dim], tensor.units[dim], ratios[at(segmentOfStep(problem, step))].ratios())});
    }
    return lengths;
}

std::optional<FoundProgram> baselineOf(const PlacementProblem& problem, const DeviceRatios& ratios, const std::stop_token& stop)
{
    TheoryOptions options = problem.theory;
    options.dataParallelOnly = true;
    options.sufficientFactor = false;
    options.fixed.clear();
    const std::vector<DeviceRatios> all = everywhere(ratios, problem.segments);
    Result<FoundProgram> found = findProgram({&problem.graph, &problem.cluster, &options, &all, &problem.segmentOf, 0, kMostSearchStates}, SearchMethod::Bound, stop);
    return found ? std::optional(std::move(found).value()) : std::nullopt;
}

/// The linear program alone.
Result<UnequalPlacement> placePhases(const PlacementProblem& problem, const std::stop_token& stop)
{
    UnequalPlacement placement;
    placement.held = {{problem.bytesHeld}, 0};
    std::vector<DeviceRatios> ratios{startOf(problem)};
    const bool startFits = static_cast<bool>(checkMemory(problem.cluster, placement.held, ratios));
    placement.rounds.push_back({secondsOf(problem.cluster, problem.phases, ratios), ratios});
    if (problem.choice == RatioChoice::Optimised) {
        auto best = bestRatios(problem.cluster, problem.phases, placement.held, ratios, stop);
        if (!best)
            return best.error();
        const double cost = secondsOf(problem.cluster, problem.phases, best.value());
        if (!startFits)
            placement.rounds.clear();
        if (!startFits || cost < placement.rounds.back().cost)
            placement.rounds.push_back({cost, best.value()});
        ratios = placement.rounds.back().ratios;
    }
    if (const Status status = checkMemory(problem.cluster, placement.held, ratios); !status)
        return status.error();
    placement.ratios = ratios;
    placement.cost = placement.rounds.back().cost;
    return placement;
}

} // namespace

int segmentOfStep(const PlacementProblem& problem, const PlacedStep& step)
{
    return !step.terms.empty() ? step.terms.front().segment : step.op >= 0 ? problem.segmentOf[at(step.op)] : 0;
}

bool isIdle(const PlacedStep& step, const std::vector<DeviceRatios>& ratios)
{
    if (step.terms.empty() || step.terms.front().resplitFrom < 0)
        return false;
    return ratios[at(step.terms.front().resplitFrom)].ratios() == ratios[at(step.terms.front().segment)].ratios();
}

void PlacementProblem::copyBetweenSegments()
{
    std::vector<PlacedOp> all;
    std::vector<int> segmentsOfAll;
    std::vector<int> home(graph.tensors.size(), -1);
    std::map<std::pair<int, int>, int> copies; // Tensor and segment.
    for (std::size_t k = 0; k < graph.ops.size(); ++k) {
        PlacedOp& op = graph.ops[k];
        for (int& id : op.inputs) {
            if (home[at(id)] < 0 || home[at(id)] == segmentOf[k])
                continue;
            const auto [copy, fresh] = copies.emplace(std::pair{id, segmentOf[k]}, static_cast<int>(graph.tensors.size()));
            if (fresh) {
                PlacedTensor tensor = graph.tensors[at(id)];
                tensor.name += " in segment " + std::to_string(segmentOf[k]);
                PlacedOp move;
                move.name = tensor.name;
                move.inputs = {id};
                move.output = copy->second;
                for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
                    move.factors.push_back(PlacedFactor::PassThrough);
                    move.outputFactors.push_back(static_cast<int>(dim));
                }
                move.inputFactors = {move.outputFactors};
                move.addends = AddendRule::Together;
                move.resplitFrom = home[at(id)];
                graph.tensors.push_back(std::move(tensor));
                home.push_back(segmentOf[k]);
                all.push_back(std::move(move));
                segmentsOfAll.push_back(segmentOf[k]);
            }
            id = copy->second;
        }
        home[at(op.output)] = segmentOf[k];
        all.push_back(std::move(op));
        segmentsOfAll.push_back(segmentOf[k]);
    }
    graph.ops = std::move(all);
    segmentOf = std::move(segmentsOfAll);
    graph.linkUnits();
}

double PlacementProblem::mostBytes() const
{
    double most = 0;
    for (const PlacedTensor& tensor : graph.tensors)
        most = std::max(most, tensor.bytes);
    for (const RatioTerm& phase : phases)
        most = std::max(most, phase.bytes);
    return most;
}

Result<UnequalPlacement> place(const PlacementProblem& problem, SearchMethod method, const std::stop_token& stop, PlacementWatch* watch)
{
    if (problem.graph.ops.empty())
        return placePhases(problem, stop);
    PlacementLoop loop(problem, problem.choice, method, stop, watch);
    if (const Status status = loop.run(everywhere(startOf(problem), problem.segments)); !status)
        return status.error();
    UnequalPlacement placement;
    if (problem.choice == RatioChoice::Optimised) {
        const std::vector<DeviceRatios> even = everywhere(DeviceRatios::even(problem.cluster), problem.segments);
        if (const Status status = loop.run(even); !status)
            return status.error();
        std::optional<PlacedPair> found = std::move(loop.first);
        if (found && !checkMemory(problem.cluster, found->held, even)) {
            PlacementLoop tight(problem, RatioChoice::Even, method, stop, watch);
            if (const Status status = tight.run(even); !status && endsTheJob(status.error()))
                return status.error();
            found = std::move(tight.best);
        }
        if (found) {
            placement.even = found->found.cost;
            placement.evenBest = std::move(found->found.program);
        }
    }
    if (!loop.best)
        return invalidInput("no program was found whose parts fit into memory", {"", 0, 0, -1, "place.cluster.devices", -1, -1, false});
    placement.cost = loop.best->found.cost;
    placement.ratios = loop.best->ratios;
    placement.program = std::move(loop.best->found.program);
    placement.held = loop.best->held;
    placement.rounds = std::move(loop.rounds);
    placement.expanded = loop.expanded;
    placement.proved = loop.proved;
    placement.lengths = lengthsOf(problem, placement.program, placement.ratios);
    if (auto even = baselineOf(problem, DeviceRatios::even(problem.cluster), stop)) {
        placement.dataParallelEven = even->cost;
        placement.evenProgram = std::move(even->program);
    }
    if (auto proportional = baselineOf(problem, DeviceRatios::proportional(problem.cluster), stop)) {
        placement.dataParallelProportional = proportional->cost;
        placement.proportionalProgram = std::move(proportional->program);
    }
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, "stopped", {}, {}};
    return placement;
}

} // namespace fabricscope
