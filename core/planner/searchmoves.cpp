#include "core/planner/searchmoves.h"

#include "core/base/index.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::int64_t kNoMove = -1;

/// First dimension of more than one element, to store a parameter in parts; -1: none.
int firstLongDim(const PlacedTensor& tensor)
{
    for (std::size_t dim = 0; dim < tensor.shape.size(); ++dim) {
        if (tensor.shape[dim] > 1)
            return static_cast<int>(dim);
    }
    return -1;
}

std::uint32_t bitOf(Property property)
{
    return std::uint32_t{1} << property.code();
}

} // namespace

SearchMoves::SearchMoves(const SearchProblem& problem)
    : m_problem(problem)
    , m_theory(backgroundTheory(*problem.graph, *problem.options))
    , m_uses(problem.graph->tensors.size(), 0)
    , m_home(problem.graph->tensors.size(), 0)
    , m_movable(problem.graph->tensors.size(), true)
    , m_now(problem.graph->tensors.size())
{
    dropResplits();
    findLives();
    findNeeds();
    setUnits();
    setBounds();
}

const PlacedTensor& SearchMoves::tensor(int id) const
{
    return m_problem.graph->tensors[at(id)];
}

/// Are the parts of the op's operand those of other ratios?
bool SearchMoves::movesParts(std::size_t op) const
{
    const int from = m_problem.graph->ops[op].resplitFrom;
    return from >= 0 && (*m_problem.ratios)[at(from)].ratios() != (*m_problem.ratios)[at((*m_problem.segmentOf)[op])].ratios();
}

/// The collective of a rule that moves parts to other ratios.
std::optional<ChargedMove> SearchMoves::resplit(std::size_t op) const
{
    const int id = m_problem.graph->ops[op].output;
    auto move = costsOf(op).move(Property::gather(0), Property::gather(1), tensor(id).bytes, m_problem.options->backward && tensor(id).gradient);
    if (!move)
        return move;
    for (RatioTerm& term : move->terms)
        term.resplitFrom = m_problem.graph->ops[op].resplitFrom;
    return move;
}

double SearchMoves::resplitSeconds(std::size_t op, const PlacementRule& rule) const
{
    return rule.resplit && movesParts(op) ? resplit(op)->seconds : 0;
}

void SearchMoves::dropResplits()
{
    for (std::size_t k = 0; k < m_theory.size(); ++k) {
        if (movesParts(k) && !resplit(k))
            std::erase_if(m_theory[k], [](const PlacementRule& rule) { return rule.resplit; });
    }
}

/// Has moving the tensor a mirror in the backward pass?
bool SearchMoves::mirrored(int id) const
{
    return m_problem.options->backward && tensor(id).gradient && tensor(id).role != TensorRole::Input;
}

MoveCosts SearchMoves::costsOf(std::size_t op) const
{
    const int segment = (*m_problem.segmentOf)[op];
    return {*m_problem.cluster, (*m_problem.ratios)[at(segment)], segment};
}

void SearchMoves::findLives()
{
    const PlacedGraph& graph = *m_problem.graph;
    constexpr std::size_t kNever = SIZE_MAX;
    std::vector<std::size_t> begin(graph.tensors.size(), kNever);
    std::vector<std::size_t> end(graph.tensors.size(), 0);
    for (std::size_t k = 0; k < graph.ops.size(); ++k) {
        for (const int id : graph.ops[k].inputs) {
            ++m_uses[at(id)];
            if (begin[at(id)] == kNever) {
                begin[at(id)] = k + 1;
                m_home[at(id)] = k;
            }
            end[at(id)] = k + 1;
        }
        begin[at(graph.ops[k].output)] = k + 1;
        m_home[at(graph.ops[k].output)] = k;
        m_movable[at(graph.ops[k].output)] = graph.ops[k].movable;
    }
    m_lives.resize(graph.ops.size() + 1);
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        if (graph.tensors[id].role == TensorRole::Input && !m_problem.options->fixed.contains(static_cast<int>(id)))
            continue;
        // Between the op that makes it (or uses it first) and the last that uses it.
        for (std::size_t k = begin[id]; k != kNever && k < end[id]; ++k)
            m_lives[k].push_back(static_cast<int>(id));
    }
}

/// From the end: what the ops that follow may need of each tensor.
void SearchMoves::findNeeds()
{
    std::vector<std::uint32_t> needed(m_problem.graph->tensors.size(), 0);
    m_needs.resize(m_lives.size());
    for (std::size_t k = m_theory.size(); k-- > 0;) {
        const PlacedOp& op = m_problem.graph->ops[k];
        for (const PlacementRule& rule : m_theory[k]) {
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                std::uint32_t& mask = needed[at(op.inputs[i])];
                mask |= bitOf(rule.needs[i]);
                if (rule.needs[i].isGather())
                    mask |= bitOf(Property::identity());
            }
        }
        for (const int id : m_lives[k])
            m_needs[k].push_back(needed[at(id)]);
    }
}

std::int64_t SearchMoves::units(double seconds) const
{
    return std::llround(seconds / m_unit);
}

/// A unit so small that rounding is far below what a cost is known to, and so large that no sum overflows.
void SearchMoves::setUnits()
{
    const PlacedGraph& graph = *m_problem.graph;
    constexpr double kUnits = 1125899906842624.0; // 2^50
    double most = 0;
    std::vector<std::vector<double>> seconds(m_theory.size());
    for (std::size_t k = 0; k < m_theory.size(); ++k) {
        const DeviceRatios& ratios = (*m_problem.ratios)[at((*m_problem.segmentOf)[k])];
        double largest = 0;
        for (const PlacementRule& rule : m_theory[k]) {
            seconds[k].push_back(ratios.computeSeconds(rule.shared, rule.whole, rule.units) + resplitSeconds(k, rule));
            largest = std::max(largest, seconds[k].back());
        }
        most += largest;
    }
    const auto eachMove = [&](int id, const auto& take) {
        const MoveCosts costs = costsOf(m_home[at(id)]);
        const double bytes = tensor(id).bytes;
        const auto move = [&](Property from, Property to) { return costs.move(from, to, bytes, mirrored(id)); };
        TensorCosts& own = m_costs[at(id)];
        take(own.gatherToIdentity, move(Property::gather(0), Property::identity()));
        take(own.reduceToIdentity, move(Property::reduce(), Property::identity()));
        take(own.reduceToGather, move(Property::reduce(), Property::gather(0)));
        take(own.gatherToGather, move(Property::gather(0), Property::gather(1)));
        if (m_problem.options->backward && tensor(id).gradient)
            take(own.gradientReduce, costs.allReduce(bytes));
        else
            own.gradientReduce = 0;
    };
    m_costs.resize(graph.tensors.size());
    for (std::size_t id = 0; id < graph.tensors.size(); ++id)
        eachMove(static_cast<int>(id), [&most](std::int64_t&, const std::optional<ChargedMove>& move) { most += move ? 2 * move->seconds : 0; });
    for (const PlacedTensor& each : graph.tensors)
        most += 4 * m_problem.memoryPrice * m_problem.options->heldBytes(each);
    m_unit = most > 0 ? most / kUnits : 1;
    for (std::size_t k = 0; k < m_theory.size(); ++k) {
        m_ruleUnits.emplace_back();
        for (const double each : seconds[k])
            m_ruleUnits.back().push_back(units(each));
        m_sufficientUnits.push_back(sufficientUnits(k));
    }
    const auto devices = static_cast<double>(m_problem.cluster->devices());
    for (std::size_t id = 0; id < graph.tensors.size(); ++id) {
        eachMove(static_cast<int>(id), [this](std::int64_t& own, const std::optional<ChargedMove>& move) { own = move ? units(move->seconds) : kNoMove; });
        const double held = m_problem.memoryPrice * m_problem.options->heldBytes(graph.tensors[id]);
        m_costs[id].holdWhole = units(held);
        m_costs[id].holdPart = units(held / devices);
    }
}

/// Units of the gathers in place of an all-reduce of the op's weight; below 0: it has no such rule.
std::int64_t SearchMoves::sufficientUnits(std::size_t op) const
{
    const PlacedOp& placed = m_problem.graph->ops[op];
    const auto rule = std::find_if(m_theory[op].begin(), m_theory[op].end(), [](const PlacementRule& each) { return each.sufficient >= 0; });
    if (rule == m_theory[op].end())
        return kNoMove;
    double gathers = 0;
    for (const int id : {placed.inputs[at(1 - rule->sufficient)], placed.output}) {
        const auto gather = costsOf(op).gather(tensor(id).bytes);
        if (!gather)
            return kNoMove;
        gathers += gather->seconds;
    }
    return units(gathers);
}

std::int64_t SearchMoves::price(int id, Property held) const
{
    return held.isGather() ? m_costs[at(id)].holdPart : m_costs[at(id)].holdWhole;
}

/// Units a rule costs at least for the parameters that no other op uses.
std::int64_t SearchMoves::leastLoad(std::size_t op, const PlacementRule& rule) const
{
    std::int64_t sum = 0;
    const std::vector<int>& inputs = m_problem.graph->ops[op].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const int id = inputs[i];
        if (tensor(id).role != TensorRole::Parameter || m_uses[at(id)] != 1 || !rule.needs[i].isIdentity() || m_problem.options->fixed.contains(id))
            continue;
        const TensorCosts& own = m_costs[at(id)];
        std::int64_t least = INT64_MAX;
        for (const std::int64_t way : {own.gradientReduce, own.gatherToIdentity, static_cast<int>(i) == rule.sufficient ? m_sufficientUnits[op] : kNoMove}) {
            if (way >= 0)
                least = std::min(least, way);
        }
        sum += least == INT64_MAX ? 0 : least;
    }
    return sum;
}

/// Price of memory that a rule pays at least: for what the op makes, and for parts of inputs and parameters that no other op uses.
std::int64_t SearchMoves::leastPrice(std::size_t op, const PlacementRule& rule) const
{
    const PlacedOp& placed = m_problem.graph->ops[op];
    std::int64_t sum = price(placed.output, rule.makes);
    for (const int id : placed.inputs)
        sum += tensor(id).role != TensorRole::Result && m_uses[at(id)] == 1 ? m_costs[at(id)].holdPart : 0;
    return sum;
}

void SearchMoves::setBounds()
{
    m_bounds.assign(m_theory.size() + 1, 0);
    for (std::size_t k = m_theory.size(); k-- > 0;) {
        std::int64_t least = m_theory[k].empty() ? 0 : INT64_MAX;
        for (std::size_t r = 0; r < m_theory[k].size(); ++r)
            least = std::min(least, m_ruleUnits[k][r] + leastLoad(k, m_theory[k][r]) + leastPrice(k, m_theory[k][r]));
        m_bounds[k] = m_bounds[k + 1] + least;
    }
}

/// Of the tensors as they are now.
SearchMoves::State SearchMoves::stateBefore(std::size_t op) const
{
    State state;
    state.reserve(m_lives[op].size() * 2);
    for (std::size_t i = 0; i < m_lives[op].size(); ++i) {
        const Pair pair = reduced(op, m_lives[op][i], m_now[at(m_lives[op][i])]);
        state.push_back(static_cast<char>(pair.made.code()));
        state.push_back(static_cast<char>(pair.moved.code()));
    }
    return state;
}

/// The same pair for all that make no difference from op `op` on.
SearchMoves::Pair SearchMoves::reduced(std::size_t op, int id, Pair pair) const
{
    if (pair.moved.none() || op >= m_needs.size())
        return pair;
    const auto place = std::lower_bound(m_lives[op].begin(), m_lives[op].end(), id) - m_lives[op].begin();
    const std::uint32_t mask = m_needs[op].empty() ? 0 : m_needs[op][at(place)];
    if (!(mask & bitOf(pair.made)))
        pair.made = pair.moved;
    else if (!(mask & bitOf(pair.moved)))
        pair.moved = pair.made;
    if (pair.moved.code() < pair.made.code())
        std::swap(pair.made, pair.moved);
    return pair;
}

void SearchMoves::load(std::size_t op, const State& state)
{
    for (const int id : m_problem.graph->ops[op].inputs)
        m_now[at(id)] = {};
    for (std::size_t i = 0; i < m_lives[op].size(); ++i) {
        m_now[at(m_lives[op][i])] = {Property::ofCode(static_cast<std::uint8_t>(state[2 * i])), Property::ofCode(static_cast<std::uint8_t>(state[2 * i + 1]))};
    }
}

void SearchMoves::successors(std::size_t op, const State& state, const Visit& visit)
{
    load(op, state);
    m_op = op;
    m_visit = &visit;
    m_path.clear();
    for (std::size_t r = 0; r < m_theory[op].size(); ++r) {
        m_rule = static_cast<int>(r);
        bring(0, 0);
    }
}

void SearchMoves::finish(std::int64_t cost)
{
    const PlacementRule& rule = m_theory[m_op][at(m_rule)];
    const int made = m_problem.graph->ops[m_op].output;
    m_path.push_back({SearchDecision::Kind::Compute, made, {}, rule.makes, m_rule});
    m_now[at(made)] = {rule.makes, {}};
    (*m_visit)(cost + m_ruleUnits[m_op][at(m_rule)] + price(made, rule.makes), stateBefore(m_op + 1), m_path);
    m_path.pop_back();
}

void SearchMoves::bring(std::size_t operand, std::int64_t cost)
{
    const PlacedOp& op = m_problem.graph->ops[m_op];
    if (operand == op.inputs.size())
        return finish(cost);
    const int id = op.inputs[operand];
    const Property need = m_theory[m_op][at(m_rule)].needs[operand];
    if (tensor(id).role == TensorRole::Result)
        return bringMade(operand, cost, id, need);
    if (tensor(id).role == TensorRole::Input)
        return bringInput(operand, cost, id, need);
    if (m_now[at(id)].made.none())
        return bringParameter(operand, cost, id, need);
    return bringMade(operand, cost, id, need);
}

void SearchMoves::bringInput(std::size_t operand, std::int64_t cost, int id, Property need)
{
    const auto fixed = m_problem.options->fixed.find(id);
    if (fixed != m_problem.options->fixed.end()) {
        const Pair before = m_now[at(id)];
        const bool first = before.made.none();
        if (first) {
            m_now[at(id)] = {fixed->second, {}};
            m_path.push_back({SearchDecision::Kind::Hold, id, {}, fixed->second, -1});
        }
        bringMade(operand, cost + (first ? price(id, fixed->second) : 0), id, need);
        if (first)
            m_path.pop_back();
        m_now[at(id)] = before;
        return;
    }
    if (need.isReduce())
        return;
    if (m_problem.options->dataParallelOnly) {
        const PlacedTensor& input = tensor(id);
        const bool split = input.batchDim >= 0 && input.shape[at(input.batchDim)] > 1;
        if (need != (split ? Property::gather(input.batchDim) : Property::identity()))
            return;
    }
    m_path.push_back({SearchDecision::Kind::Hold, id, {}, need, -1});
    bring(operand + 1, cost + price(id, need));
    m_path.pop_back();
}

void SearchMoves::bringParameter(std::size_t operand, std::int64_t cost, int id, Property need)
{
    const TensorCosts& own = m_costs[at(id)];
    const PlacementRule& rule = m_theory[m_op][at(m_rule)];
    const auto fixed = m_problem.options->fixed.find(id);
    const auto hold = [&](Property held, std::int64_t more, SearchDecision::Kind with, const auto& then) {
        if (fixed != m_problem.options->fixed.end() && fixed->second != held)
            return;
        m_now[at(id)] = {held, {}};
        m_path.push_back({SearchDecision::Kind::Hold, id, {}, held, -1});
        if (with != SearchDecision::Kind::Hold)
            m_path.push_back({with, id, {}, held, -1});
        then(cost + more + price(id, held));
        if (with != SearchDecision::Kind::Hold)
            m_path.pop_back();
        m_path.pop_back();
        m_now[at(id)] = {};
    };
    const auto next = [&](std::int64_t sum) { bring(operand + 1, sum); };
    const auto make = [&](std::int64_t sum) { bringMade(operand, sum, id, need); };
    // Only a parameter used once: another use as a whole would want its gradient reduced after all.
    if (static_cast<int>(operand) == rule.sufficient) {
        if (m_uses[at(id)] == 1 && m_sufficientUnits[m_op] >= 0 && !m_problem.options->dataParallelOnly)
            hold(Property::identity(), m_sufficientUnits[m_op], SearchDecision::Kind::Sufficient, next);
        return;
    }
    // Whole also for a part, where another op may need it whole.
    const bool whole = need.isIdentity() || (need.isGather() && m_uses[at(id)] > 1 && !m_problem.options->dataParallelOnly);
    if (own.gradientReduce >= 0 && (whole || (fixed != m_problem.options->fixed.end() && fixed->second.isIdentity())))
        hold(Property::identity(), own.gradientReduce, SearchDecision::Kind::Reduced, make);
    if (m_problem.options->dataParallelOnly)
        return;
    if (need.isReduce())
        return hold(need, 0, SearchDecision::Kind::Hold, next);
    const int fixedDim = fixed != m_problem.options->fixed.end() && fixed->second.isGather() ? fixed->second.dim() : -1;
    const int dim = fixedDim >= 0 ? fixedDim : need.isGather() ? need.dim() : firstLongDim(tensor(id));
    if (dim >= 0)
        hold(Property::gather(dim), 0, SearchDecision::Kind::Hold, make);
}

std::int64_t SearchMoves::moveUnits(int id, Property from, Property to) const
{
    const TensorCosts& own = m_costs[at(id)];
    const bool parameter = tensor(id).role == TensorRole::Parameter;
    if (from.isGather() && to.isIdentity())
        return own.gatherToIdentity;
    if (parameter || from == to)
        return kNoMove;
    if (from.isReduce())
        return to.isIdentity() ? own.reduceToIdentity : to.isGather() ? own.reduceToGather : kNoMove;
    return from.isGather() && to.isGather() ? own.gatherToGather : kNoMove;
}

void SearchMoves::bringMade(std::size_t operand, std::int64_t cost, int id, Property need)
{
    const Pair now = m_now[at(id)];
    if (now.made == need || now.moved == need)
        return bring(operand + 1, cost);
    if (need.isGather() && (now.made.isIdentity() || now.moved.isIdentity())) {
        m_path.push_back({SearchDecision::Kind::Slice, id, Property::identity(), need, -1});
        bring(operand + 1, cost);
        m_path.pop_back();
        return;
    }
    if (!now.moved.none())
        return;
    if (!m_movable[at(id)])
        return;
    withMove(operand, cost, id, need, need);
    if (need.isGather() && !now.made.isIdentity())
        withMove(operand, cost, id, Property::identity(), need);
}

void SearchMoves::withMove(std::size_t operand, std::int64_t cost, int id, Property to, Property need)
{
    const Pair now = m_now[at(id)];
    const std::int64_t move = moveUnits(id, now.made, to);
    if (move < 0)
        return;
    m_now[at(id)].moved = to;
    m_path.push_back({SearchDecision::Kind::Move, id, now.made, to, -1});
    if (to != need)
        m_path.push_back({SearchDecision::Kind::Slice, id, to, need, -1});
    // Gathered parameters are held one at a time.
    bring(operand + 1, cost + move + (tensor(id).role == TensorRole::Parameter ? 0 : price(id, to)));
    if (to != need)
        m_path.pop_back();
    m_path.pop_back();
    m_now[at(id)] = now;
}

std::string SearchMoves::reason(std::size_t op) const
{
    return "no rule for op " + m_problem.graph->ops[op].name + " can be used with the collectives, rules and fixed properties given";
}

void SearchMoves::describe(std::size_t op, const std::vector<SearchDecision>& decisions, PlacedProgram& program) const
{
    const PlacedOp& placed = m_problem.graph->ops[op];
    const MoveCosts costs = costsOf(op);
    const int segment = (*m_problem.segmentOf)[op];
    std::vector<PlacedStep> behind;
    const auto collective = [&](int id, Property from, Property makes, bool ofGradient, std::optional<ChargedMove> move) {
        PlacedStep step{PlacedStep::Kind::Collective, static_cast<int>(op), id, ofGradient, from, makes, RuleWord::Replicated, ShareCollective::AllGather, {}, false};
        if (move && !move->terms.empty()) {
            step.collective = move->terms.front().collective;
            step.terms = std::move(move->terms);
        }
        return step;
    };
    for (const SearchDecision& each : decisions) {
        const double bytes = tensor(each.tensor).bytes;
        switch (each.kind) {
        case SearchDecision::Kind::Hold:
            program.steps.push_back({PlacedStep::Kind::Compute, -1, each.tensor, false, {}, each.to, RuleWord::Replicated, ShareCollective::AllGather, {}, false});
            program.steps.back().terms.push_back({RatioTerm::Kind::Compute, segment, 0, 0, ShareCollective::AllGather, 0, 0, -1});
            break;
        case SearchDecision::Kind::Reduced:
            if (m_problem.options->backward && tensor(each.tensor).gradient)
                behind.push_back(collective(each.tensor, Property::reduce(), Property::identity(), true, costsOf(m_home[at(each.tensor)]).allReduce(bytes)));
            break;
        case SearchDecision::Kind::Move: {
            auto move = costsOf(m_home[at(each.tensor)]).move(each.from, each.to, bytes, mirrored(each.tensor));
            if (tensor(each.tensor).role == TensorRole::Parameter && move && move->terms.size() == 2) {
                ChargedMove back{{move->terms.back()}, 0};
                move->terms.pop_back();
                behind.push_back(collective(each.tensor, Property::reduce(), each.from, true, std::move(back)));
            }
            program.steps.push_back(collective(each.tensor, each.from, each.to, false, std::move(move)));
            break;
        }
        case SearchDecision::Kind::Slice:
            program.steps.push_back({PlacedStep::Kind::Slice, static_cast<int>(op), each.tensor, false, each.from, each.to, RuleWord::Replicated, ShareCollective::AllGather, {}, false});
            break;
        case SearchDecision::Kind::Sufficient:
            for (const int id : {placed.inputs[placed.inputs[0] == each.tensor ? 1 : 0], placed.output})
                behind.push_back(collective(id, Property::gather(0), Property::identity(), id == placed.output, costs.gather(tensor(id).bytes)));
            break;
        case SearchDecision::Kind::Compute: {
            const PlacementRule& rule = m_theory[op][at(each.rule)];
            if (placed.resplitFrom >= 0) {
                if (rule.resplit)
                    program.steps.push_back(collective(each.tensor, rule.makes, rule.makes, false, resplit(op)));
                break;
            }
            program.steps.push_back({PlacedStep::Kind::Compute, static_cast<int>(op), each.tensor, false, {}, rule.makes, rule.word, ShareCollective::AllGather,
                {{RatioTerm::Kind::Compute, segment, rule.shared, rule.whole, ShareCollective::AllGather, 0, rule.units, -1}}, false});
            break;
        }
        }
    }
    for (PlacedStep& step : behind) {
        step.behind = true;
        program.steps.push_back(std::move(step));
    }
}

} // namespace fabricscope
