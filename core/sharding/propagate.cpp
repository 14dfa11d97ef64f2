#include "core/sharding/propagate.h"

#include "core/base/stop.h"
#include "core/sharding/factorshardings.h"

#include <algorithm>
#include <set>

namespace fabricscope {

namespace {

constexpr int kLevels = 5;

bool passesThrough(GraphOpKind kind)
{
    return isElementwise(kind) || kind == GraphOpKind::Reshape || kind == GraphOpKind::Transpose;
}

struct Directions {
    bool forward = false;
    bool backward = false;
};

/// Which way axes of a factor may go at a level (1 to 5), barriers left out.
Directions levelWays(const GraphOp& op, FactorType type, int level, bool singleUse)
{
    if (type == FactorType::NeedReplication)
        return {};
    if (level <= 2) {
        if (passesThrough(op.kind))
            return level == 2 || singleUse ? Directions{true, true} : Directions{};
        return level == 2 && op.kind == GraphOpKind::Slice ? Directions{true, false} : Directions{};
    }
    if (level == 3 && type != FactorType::PassThrough)
        return {};
    return {op.kind != GraphOpKind::Broadcast || level == kLevels, true};
}

Directions allowedWays(const GraphOp& op, FactorType type, int level, bool singleUse)
{
    const Directions ways = levelWays(op, type, level, singleUse);
    return {ways.forward && goesForward(op.flow), ways.backward && goesBackward(op.flow)};
}

/// The longest list on which all agree that say anything; only `sources` may make it longer. O(axes * lists).
AxisList mergedList(std::vector<AxisList> lists, const std::vector<char>& sources)
{
    AxisList merged;
    for (;;) {
        std::optional<AxisPart> first;
        bool mayExtend = false;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (lists[i].empty())
                continue;
            const AxisPart& part = lists[i].front();
            mayExtend |= sources[i] != 0;
            if (!first) {
                first = part;
                continue;
            }
            const std::int64_t less = std::min(first->size, part.size);
            if (first->axis != part.axis || first->pre != part.pre || std::max(first->size, part.size) % less != 0)
                return joined(merged);
            first->size = less;
        }
        if (!first || !mayExtend)
            return joined(merged);
        merged.push_back(*first);
        for (AxisList& list : lists) {
            if (!list.empty())
                list = withoutPrefix(list, {*first});
        }
    }
}

/// Axes of all tensors while they spread.
class Propagation {
public:
    Propagation(const OpGraph& graph, const std::vector<PropagationStart>& start, const PropagationOptions& options, const std::stop_token& stop)
        : m_graph(graph), m_start(start), m_options(options), m_stop(stop), m_users(graph.users())
    {
        for (const PropagationStart& tensor : start)
            m_dims.push_back(tensor.dims);
        m_group.assign(graph.tensors.size(), nullptr);
        for (const std::vector<TensorId>& group : options.groups) {
            for (const TensorId tensor : group)
                m_group[static_cast<std::size_t>(tensor)] = &group;
        }
        for (const GraphOp& op : graph.ops) {
            m_rules.push_back(factorsOf(graph, op));
            m_singleUse.push_back(std::ranges::all_of(op.inputs, [&](TensorId input) { return m_users[static_cast<std::size_t>(input)].size() == 1; }) ? 1 : 0);
        }
    }

    std::vector<std::vector<AxisList>> run()
    {
        std::set<int> priorities;
        for (const PropagationStart& tensor : m_start) {
            for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
                if (!tensor.dims[d].empty())
                    priorities.insert(tensor.priority[d]);
            }
        }
        for (const int priority : priorities) {
            m_priority = priority;
            for (auto& queue : m_queues) {
                for (std::size_t op = 0; op < m_graph.ops.size(); ++op)
                    queue.insert(static_cast<OpId>(op));
            }
            toFixedPoint();
        }
        return std::move(m_dims);
    }

private:
    struct OpState {
        std::vector<TensorId> tensors;
        std::vector<FactorShardings> now;     ///< With all axes, for conflicts.
        std::vector<FactorShardings> visible; ///< Without those of a later priority.
        std::vector<std::vector<char>> fixed; ///< [tensor][factor]: may get nothing.
        std::vector<AxisList> merged;         ///< By factor; of those allowed here.
    };

    void toFixedPoint()
    {
        for (std::size_t step = 0; step < m_queues.size();) {
            auto& queue = m_queues[step];
            if (queue.empty()) {
                ++step;
                continue;
            }
            checkStop(m_stop);
            const OpId op = *queue.begin();
            queue.erase(queue.begin());
            const bool aggressive = step % 2 == 1;
            if (aggressive && !m_options.aggressive)
                continue;
            if (update(op, static_cast<int>(step / 2) + 1, aggressive))
                step = 0;
        }
    }

    bool later(TensorId tensor, std::size_t dim) const
    {
        const PropagationStart& start = m_start[static_cast<std::size_t>(tensor)];
        return !start.dims[dim].empty() && start.priority[dim] > m_priority;
    }

    OpState stateOf(OpId id) const
    {
        const GraphOp& op = m_graph.op(id);
        const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
        OpState state;
        state.tensors = op.inputs;
        state.tensors.push_back(op.output);
        for (std::size_t t = 0; t < state.tensors.size(); ++t) {
            const TensorId tensor = state.tensors[t];
            std::vector<AxisList> dims = m_dims[static_cast<std::size_t>(tensor)];
            state.now.push_back(toFactors(rule, t, dims));
            state.fixed.emplace_back(rule.factors.size(), 0);
            for (std::size_t d = 0; d < dims.size(); ++d) {
                const bool hidden = later(tensor, d);
                const bool fixed = hidden || m_start[static_cast<std::size_t>(tensor)].closed[d] || !state.now[t].rest[d].empty();
                if (hidden)
                    dims[d].clear();
                for (const int factor : rule.dims[t][d])
                    state.fixed[t][static_cast<std::size_t>(factor)] = fixed ? 1 : 0;
            }
            state.visible.push_back(toFactors(rule, t, dims));
        }
        return state;
    }

    static bool holds(const OpFactors& rule, std::size_t tensor, int factor)
    {
        return std::ranges::any_of(rule.dims[tensor], [&](const std::vector<int>& dim) { return std::ranges::count(dim, factor) > 0; });
    }

    void merge(const GraphOp& op, const OpFactors& rule, int level, bool singleUse, OpState& state) const
    {
        state.merged.assign(rule.factors.size(), {});
        for (std::size_t f = 0; f < rule.factors.size(); ++f) {
            const Directions ways = allowedWays(op, rule.factors[f].type, level, singleUse);
            if (!ways.forward && !ways.backward)
                continue;
            std::vector<AxisList> lists;
            std::vector<char> sources;
            for (std::size_t t = 0; t < state.tensors.size(); ++t) {
                lists.push_back(state.visible[t].byFactor[f]);
                sources.push_back((t + 1 == state.tensors.size() ? ways.backward : ways.forward) ? 1 : 0);
            }
            state.merged[f] = mergedList(std::move(lists), sources);
        }
    }

    /// What an axis that another factor of a tensor has does to a factor: it ends it for all tensors (basic), nothing yet, or ends it for this tensor alone (aggressive).
    enum class Conflicts : std::uint8_t { Block, Ignore, Resolve };

    /// How much of `wanted`, the merged list or a beginning of it, tensor t can take for factor f.
    AxisList limit(const OpFactors& rule, const OpState& state, std::size_t t, std::size_t f, const AxisList& wanted, Conflicts conflicts) const
    {
        const AxisList& own = state.now[t].byFactor[f];
        if (own == wanted || !isPrefix(own, wanted))
            return wanted;
        if (state.fixed[t][f])
            return own;
        AxisList taken = own;
        for (const AxisPart& part : withoutPrefix(wanted, own)) {
            if (overlap(m_start[static_cast<std::size_t>(state.tensors[t])].kept, part) || (conflicts != Conflicts::Ignore && usedElsewhere(rule, state, t, f, part, conflicts == Conflicts::Resolve)))
                break;
            taken = appended(std::move(taken), {part});
        }
        std::vector<AxisList> changed = state.now[t].byFactor;
        changed[f] = taken;
        return toFactors(rule, t, toDims(rule, t, changed)).byFactor[f];
    }

    bool usedElsewhere(const OpFactors& rule, const OpState& state, std::size_t t, std::size_t f, const AxisPart& part, bool aggressive) const
    {
        for (const AxisList& rest : state.now[t].rest) {
            if (overlap(rest, part))
                return true;
        }
        for (std::size_t g = 0; g < rule.factors.size(); ++g) {
            if (g != f && (overlap(state.now[t].byFactor[g], part) || (!aggressive && overlap(state.merged[g], part) && holds(rule, t, static_cast<int>(g)))))
                return true;
        }
        return false;
    }

    /// Factors in the order in which they may take axes: aggressive ones by the largest tensor that has the full list.
    std::vector<std::size_t> order(const OpState& state, bool aggressive) const
    {
        std::vector<std::pair<std::int64_t, std::size_t>> list;
        for (std::size_t f = 0; f < state.merged.size(); ++f) {
            std::int64_t largest = 0;
            for (std::size_t t = 0; t < state.tensors.size() && aggressive; ++t) {
                if (!state.merged[f].empty() && isPrefix(state.merged[f], state.now[t].byFactor[f]))
                    largest = std::max(largest, bytesOf(m_graph.tensor(state.tensors[t])));
            }
            list.emplace_back(-largest, f);
        }
        std::ranges::sort(list);
        std::vector<std::size_t> factors;
        for (const auto& [size, f] : list)
            factors.push_back(f);
        return factors;
    }

    bool update(OpId id, int level, bool aggressive)
    {
        const OpFactors& rule = m_rules[static_cast<std::size_t>(id)];
        OpState state = stateOf(id);
        merge(m_graph.op(id), rule, level, m_singleUse[static_cast<std::size_t>(id)] != 0, state);
        std::vector<char> changed(state.tensors.size(), 0);
        for (const std::size_t f : order(state, aggressive)) {
            AxisList common = state.merged[f];
            for (std::size_t t = 0; t < state.tensors.size() && !common.empty(); ++t) {
                if (holds(rule, t, static_cast<int>(f)))
                    common = commonPrefix(common, limit(rule, state, t, f, state.merged[f], aggressive ? Conflicts::Ignore : Conflicts::Block));
            }
            for (std::size_t t = 0; t < state.tensors.size() && !common.empty(); ++t) {
                AxisList& own = state.now[t].byFactor[f];
                if (!holds(rule, t, static_cast<int>(f)) || own == common || !isPrefix(own, common) || state.fixed[t][f])
                    continue;
                AxisList taken = aggressive ? limit(rule, state, t, f, common, Conflicts::Resolve) : common;
                changed[t] = changed[t] || taken != own;
                own = std::move(taken);
            }
        }
        bool any = false;
        for (std::size_t t = 0; t < state.tensors.size(); ++t) {
            if (changed[t])
                any |= store(rule, state, t);
        }
        return any;
    }

    bool store(const OpFactors& rule, const OpState& state, std::size_t t)
    {
        const TensorId tensor = state.tensors[t];
        std::vector<AxisList> dims = toDims(rule, t, state.now[t].byFactor);
        for (std::size_t d = 0; d < dims.size(); ++d)
            dims[d] = appended(std::move(dims[d]), state.now[t].rest[d]);
        for (std::size_t d = 0; d < dims.size(); ++d) {
            // A dim without a factor (of size 1, repeated) keeps what it has.
            if (rule.dims[t][d].empty())
                dims[d] = m_dims[static_cast<std::size_t>(tensor)][d];
        }
        // The same tensor twice among the operands: both have to agree.
        if (dims == m_dims[static_cast<std::size_t>(tensor)] || !grows(m_dims[static_cast<std::size_t>(tensor)], dims))
            return false;
        const std::vector<TensorId>* const group = m_group[static_cast<std::size_t>(tensor)];
        for (const TensorId member : group ? *group : std::vector<TensorId>{tensor}) {
            m_dims[static_cast<std::size_t>(member)] = dims;
            wakeNeighbours(member);
        }
        return true;
    }

    void wakeNeighbours(TensorId tensor)
    {
        std::vector<OpId> neighbours = m_users[static_cast<std::size_t>(tensor)];
        if (const OpId producer = m_graph.tensor(tensor).producer; producer >= 0)
            neighbours.push_back(producer);
        for (auto& queue : m_queues)
            queue.insert(neighbours.begin(), neighbours.end());
    }

    static bool grows(const std::vector<AxisList>& before, const std::vector<AxisList>& after)
    {
        AxisList used;
        for (std::size_t d = 0; d < before.size(); ++d) {
            if (!isPrefix(before[d], after[d]))
                return false;
            for (const AxisPart& part : after[d]) {
                if (overlap(used, part))
                    return false;
                used.push_back(part);
            }
        }
        return true;
    }

    const OpGraph& m_graph;
    const std::vector<PropagationStart>& m_start;
    const PropagationOptions& m_options;
    const std::stop_token& m_stop;
    std::vector<std::vector<OpId>> m_users;
    std::vector<OpFactors> m_rules;
    std::vector<char> m_singleUse;
    std::vector<const std::vector<TensorId>*> m_group; ///< Per tensor; null: it lies as it likes.
    std::vector<std::vector<AxisList>> m_dims;
    std::vector<std::set<OpId>> m_queues = std::vector<std::set<OpId>>(2 * kLevels); ///< By level, basic before aggressive.
    int m_priority = 0;
};

} // namespace

std::vector<std::vector<AxisList>> propagate(const OpGraph& graph, const std::vector<PropagationStart>& start, const PropagationOptions& options, const std::stop_token& stop)
{
    return Propagation(graph, start, options, stop).run();
}

bool saysAnything(const PropagationStart& start)
{
    return !start.kept.empty() || std::ranges::count(start.closed, char{0}) != std::ssize(start.closed) || std::ranges::any_of(start.dims, [](const AxisList& axes) { return !axes.empty(); });
}

std::vector<PropagationStart> startOf(const ShardProblem& problem)
{
    std::vector<PropagationStart> start;
    for (const GraphTensor& tensor : problem.graph.tensors) {
        const std::size_t dims = tensor.shape.size();
        start.push_back({std::vector<AxisList>(dims), std::vector<char>(dims, 0), std::vector<int>(dims, 0), {}});
    }
    for (const TensorAnnotation& note : problem.annotations) {
        PropagationStart& tensor = start[static_cast<std::size_t>(note.tensor)];
        if (note.dims)
            tensor.dims = *note.dims;
        tensor.closed = note.closed;
        tensor.priority = note.priority;
        tensor.kept = note.replicated;
        tensor.kept.insert(tensor.kept.end(), note.unreduced.begin(), note.unreduced.end());
    }
    for (const std::vector<TensorId>& group : problem.groups) {
        // They do not contradict each other, so one of them says it all.
        const auto given = std::ranges::find_if(group, [&](TensorId tensor) { return saysAnything(start[static_cast<std::size_t>(tensor)]); });
        for (const TensorId tensor : given == group.end() ? std::vector<TensorId>{} : group)
            start[static_cast<std::size_t>(tensor)] = start[static_cast<std::size_t>(*given)];
    }
    return start;
}

} // namespace fabricscope
