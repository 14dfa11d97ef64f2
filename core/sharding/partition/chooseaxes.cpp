#include "core/sharding/partition/chooseaxes.h"

#include "core/base/stop.h"
#include "core/sharding/factorshardings.h"
#include "core/sharding/partition/halos.h"
#include "core/sharding/partition/reshard.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

constexpr int kMostAssignments = 4'000;

bool heldBy(const OpFactors& rule, std::size_t tensor, std::size_t factor)
{
    return std::ranges::any_of(rule.dims[tensor], [&](const std::vector<int>& dim) { return std::ranges::count(dim, static_cast<int>(factor)) > 0; });
}

/// Searches all assignments.
class AxisSearch {
public:
    AxisSearch(const ChoiceInput& input, const std::stop_token& stop) : m_input(input), m_rule(*input.rule), m_stop(stop)
    {
        m_result = m_rule.resultIndex();
        for (std::size_t t = 0; t < m_result; ++t)
            m_propagated.push_back(toFactors(m_rule, t, input.propagated[t].dims));
        m_propagated.push_back(toFactors(m_rule, m_result, input.target.dims));
    }

    /// The assignment on which the operands agree, when there is one.
    std::optional<std::vector<AxisList>> agreed() const
    {
        std::vector<AxisList> lists(m_rule.factors.size());
        AxisList used;
        for (std::size_t f = 0; f < lists.size(); ++f) {
            std::optional<AxisList> list;
            for (std::size_t t = 0; t < m_result; ++t) {
                if (!heldBy(m_rule, t, f))
                    continue;
                if (list && *list != m_propagated[t].byFactor[f])
                    return std::nullopt;
                list = m_propagated[t].byFactor[f];
            }
            if (!list) // In the result alone.
                list = m_propagated[m_result].byFactor[f];
            if (overlap(used, *list) || (m_rule.factors[f].type == FactorType::NeedReplication && !list->empty()))
                return std::nullopt;
            used.insert(used.end(), list->begin(), list->end());
            lists[f] = std::move(*list);
        }
        for (std::size_t t = 0; t < m_result; ++t) {
            if (std::ranges::any_of(m_propagated[t].rest, [](const AxisList& rest) { return !rest.empty(); }))
                return std::nullopt;
        }
        return resultAgrees(lists) && possible(lists) ? std::optional(std::move(lists)) : std::nullopt;
    }

    /// Can every tensor be cut so? Not where a factor of a dim of several would have axes although one before it is not full.
    bool possible(const std::vector<AxisList>& lists) const
    {
        for (std::size_t t = 0; t <= m_result; ++t) {
            const FactorShardings back = toFactors(m_rule, t, toDims(m_rule, t, lists));
            for (std::size_t f = 0; f < lists.size(); ++f) {
                if (heldBy(m_rule, t, f) && joined(back.byFactor[f]) != joined(lists[f]))
                    return false;
            }
        }
        return true;
    }

    void search(std::optional<AxisChoice>& best, std::optional<AxisChoice>& second)
    {
        for (std::size_t f = 0; f < m_rule.factors.size(); ++f)
            m_candidates.push_back(candidates(f));
        std::vector<AxisList> lists(m_rule.factors.size());
        m_best = &best;
        m_second = &second;
        descend(0, lists, {});
    }

    AxisChoice priced(const std::vector<AxisList>& lists) const;

private:
    bool resultAgrees(const std::vector<AxisList>& lists) const
    {
        AxisList freed;
        for (std::size_t f = 0; f < lists.size(); ++f) {
            if (m_rule.factors[f].type == FactorType::Reduction)
                freed.insert(freed.end(), lists[f].begin(), lists[f].end());
        }
        for (std::size_t f = 0; f < lists.size(); ++f) {
            if (!heldBy(m_rule, m_result, f))
                continue;
            const AxisList& wanted = m_propagated[m_result].byFactor[f];
            if (wanted == lists[f])
                continue;
            if (!isPrefix(lists[f], wanted) || !without(withoutPrefix(wanted, lists[f]), freed).empty())
                return false;
        }
        return true;
    }

    std::vector<AxisList> candidates(std::size_t f) const
    {
        std::vector<AxisList> lists;
        const auto add = [&lists](AxisList list) {
            for (;; list.pop_back()) {
                if (std::ranges::find(lists, list) == lists.end())
                    lists.push_back(list);
                if (list.empty())
                    return;
            }
        };
        if (m_rule.factors[f].type != FactorType::NeedReplication) {
            for (std::size_t t = 0; t < m_result; ++t) {
                add(m_propagated[t].byFactor[f]);
                for (const Layout& version : m_input.versions[t])
                    add(toFactors(m_rule, t, version.dims).byFactor[f]);
            }
            add(m_propagated[m_result].byFactor[f]);
            add(toFactors(m_rule, m_result, m_input.wanted.dims).byFactor[f]);
        }
        add({});
        return lists;
    }

    void descend(std::size_t f, std::vector<AxisList>& lists, const AxisList& used)
    {
        if (m_looked >= kMostAssignments)
            return;
        if (f == lists.size()) {
            if (!possible(lists) || (!m_input.nested && std::ranges::count_if(lists, [](const AxisList& list) { return !list.empty(); }) > 1))
                return;
            if (++m_looked % 64 == 0)
                checkStop(m_stop);
            consider(priced(lists));
            return;
        }
        for (const AxisList& list : m_candidates[f]) {
            if (overlap(used, list))
                continue;
            AxisList more = used;
            more.insert(more.end(), list.begin(), list.end());
            lists[f] = list;
            descend(f + 1, lists, more);
        }
        lists[f].clear();
    }

    void consider(AxisChoice choice)
    {
        const auto rank = [](const AxisChoice& c) { return std::tuple(-c.shards, c.sent, c.largestMoved); };
        if (!*m_best || rank(choice) < rank(**m_best)) {
            *m_second = std::move(*m_best);
            *m_best = std::move(choice);
        } else if (!*m_second || rank(choice) < rank(**m_second)) {
            *m_second = std::move(choice);
        }
    }

    void pay(AxisChoice& choice, TensorId tensor, const std::vector<ReshardMove>& moves) const
    {
        const GraphTensor& moved = m_input.graph->tensor(tensor);
        for (const ReshardMove& move : moves) {
            if (move.sent > 0)
                note(choice, moved, wordOf(move.kind), move.sent);
        }
    }

    static void note(AxisChoice& choice, const GraphTensor& tensor, std::string_view kind, std::int64_t sent)
    {
        choice.sent += sent;
        choice.largestMoved = std::max(choice.largestMoved, bytesOf(tensor));
        if (!choice.dearest || sent > choice.dearest->sent)
            choice.dearest = RunnerUp{std::string(kind), tensor.name, sent};
    }

    const ChoiceInput& m_input;
    const OpFactors& m_rule;
    const std::stop_token& m_stop;
    std::size_t m_result = 0;
    std::vector<FactorShardings> m_propagated;
    std::vector<std::vector<AxisList>> m_candidates;
    std::optional<AxisChoice>* m_best = nullptr;
    std::optional<AxisChoice>* m_second = nullptr;
    int m_looked = 0;
};

AxisChoice AxisSearch::priced(const std::vector<AxisList>& lists) const
{
    AxisChoice choice;
    choice.byFactor = lists;
    for (const AxisList& list : lists)
        choice.shards *= shardsOf(list);
    for (std::size_t t = 0; t < m_result; ++t) {
        const TensorId id = m_input.op->inputs[t];
        const GraphTensor& tensor = m_input.graph->tensor(id);
        Layout need = layoutUnder(m_rule, t, lists);
        const std::vector<WindowSupply> supplies = windowSupplies(m_input, t, lists);
        for (const WindowSupply& supply : supplies) {
            if (supply.whole)
                need.dims[supply.dim].clear();
        }
        const std::vector<Layout>& versions = m_input.versions[t];
        const CheapestWay way = cheapestWay(tensor.shape, bytesOf(tensor.type), versions, need);
        pay(choice, id, reshardMoves(tensor.shape, bytesOf(tensor.type), versions[way.version], need));
        for (const WindowSupply& supply : supplies) {
            const std::int64_t sent = supply.whole ? 0 : mostHaloBytes(m_input, t, supply, need);
            if (sent > 0)
                note(choice, tensor, "halo_exchange", sent);
        }
    }
    const GraphTensor& result = m_input.graph->tensor(m_input.op->output);
    pay(choice, m_input.op->output, reshardMoves(result.shape, bytesOf(result.type), layoutUnder(m_rule, m_result, lists), m_input.wanted));
    return choice;
}

} // namespace

AxisChoice chooseAxes(const ChoiceInput& input, std::optional<AxisChoice>& second, const std::stop_token& stop)
{
    AxisSearch search(input, stop);
    second.reset();
    if (const auto agreed = search.agreed())
        return search.priced(*agreed);
    std::optional<AxisChoice> best;
    search.search(best, second);
    if (!best)
        best = search.priced(std::vector<AxisList>(input.rule->factors.size()));
    return std::move(*best);
}

Layout layoutUnder(const OpFactors& rule, std::size_t tensor, const std::vector<AxisList>& byFactor)
{
    Layout layout;
    layout.dims = toDims(rule, tensor, byFactor);
    if (tensor != rule.resultIndex())
        return layout;
    for (std::size_t f = 0; f < byFactor.size(); ++f) {
        if (rule.factors[f].type == FactorType::Reduction)
            layout.unreduced = appended(std::move(layout.unreduced), byFactor[f]);
    }
    if (!layout.unreduced.empty() && rule.reduce != ReduceKind::Sum && rule.reduce != ReduceKind::Mean)
        layout.reduce = rule.reduce;
    return layout;
}

CheapestWay cheapestWay(const TensorShape& shape, std::int64_t elementBytes, const std::vector<Layout>& versions, const Layout& to)
{
    // One that is there already is taken, not sliced again.
    if (const auto there = std::ranges::find(versions, to); there != versions.end())
        return {static_cast<std::size_t>(there - versions.begin()), 0};
    CheapestWay best;
    for (std::size_t v = 0; v < versions.size(); ++v) {
        const std::int64_t sent = sentBy(reshardMoves(shape, elementBytes, versions[v], to));
        if (v == 0 || sent < best.sent)
            best = {v, sent};
        if (sent == 0)
            break;
    }
    return best;
}

std::int64_t mostHaloBytes(const ChoiceInput& input, std::size_t operand, const WindowSupply& supply, const Layout& layout)
{
    const GraphTensor& tensor = input.graph->tensor(input.op->inputs[operand]);
    const WindowNeed need = windowNeed(*input.graph, *input.op, operand, supply.dim, shardsOf(supply.axes));
    const TensorShape local = localShape(tensor.shape, layout);
    const std::int64_t row = elementsOf(local) / local[supply.dim] * bytesOf(tensor.type);
    std::int64_t most = 0;
    for (const std::int64_t rows : rowsSent(need))
        most = std::max(most, rows * row);
    return most;
}

std::vector<WindowSupply> windowSupplies(const ChoiceInput& input, std::size_t operand, const std::vector<AxisList>& byFactor)
{
    std::vector<WindowSupply> supplies;
    const OpFactors& rule = *input.rule;
    for (std::size_t d = 0; d < rule.dims[operand].size(); ++d) {
        const std::vector<int>& factors = rule.dims[operand][d];
        if (!readsWindows(*input.op, rule, operand, d) || byFactor[static_cast<std::size_t>(factors[0])].empty())
            continue;
        WindowSupply supply{d, byFactor[static_cast<std::size_t>(factors[0])], false};
        const GraphTensor& tensor = input.graph->tensor(input.op->inputs[operand]);
        Layout cut = layoutUnder(rule, operand, byFactor);
        Layout whole = cut;
        whole.dims[d].clear();
        const std::int64_t gathering = cheapestWay(tensor.shape, bytesOf(tensor.type), input.versions[operand], whole).sent;
        const bool window = !input.op->windows.empty();
        if (gathering == 0 || (window && reachesFar(windowNeed(*input.graph, *input.op, operand, d, shardsOf(supply.axes)))))
            supply.whole = true;
        else
            supply.whole = gathering < cheapestWay(tensor.shape, bytesOf(tensor.type), input.versions[operand], cut).sent + mostHaloBytes(input, operand, supply, cut);
        supplies.push_back(std::move(supply));
    }
    return supplies;
}

} // namespace fabricscope
