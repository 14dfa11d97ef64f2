#include "core/plan/lower/opwalk.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

OpCost& OpCost::operator+=(const OpCost& other)
{
    operations += other.operations;
    bytes += other.bytes;
    return *this;
}

OpCost OpCosts::forward(const LayerOp& op) const
{
    return {m_shares.rankFlops(op, op.flops), m_shares.rankBytes(op, op.read, op.weightBytes) + m_shares.rankBytes(op, op.written, {})};
}

OpCost OpCosts::backward(const LayerOp& op) const
{
    return {m_shares.rankFlops(op, op.backwardFlops), m_shares.rankBytes(op, op.backwardRead, op.weightBytes) + m_shares.rankBytes(op, op.backwardWritten, op.weightBytes)};
}

OpCost OpCosts::weight(const LayerOp& op) const
{
    OpCost cost = backward(op);
    if (op.kind == LayerOpKind::Embedding)
        return cost;
    const bool product = op.matrix && op.weightBytes.total() > 0;
    cost.operations = product ? cost.operations / 2 : 0;
    cost.bytes = product ? cost.bytes / 2 : 0;
    return cost;
}

TaskWriter::Cost OpCosts::rounded(const OpCost& cost)
{
    static constexpr double kMost = 9e18;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(std::ceil(value - 1e-6), 0.0, kMost)); };
    return {-1, whole(cost.operations), whole(cost.bytes), true};
}

namespace {

/// Gathers the cost of ops into pieces.
class PieceList {
public:
    explicit PieceList(std::string name) : m_name(std::move(name)) {}

    void compute(const OpCost& cost)
    {
        m_open += cost;
        m_isOpen = true;
    }
    void add(const std::vector<WorkPiece>& pieces)
    {
        if (pieces.empty())
            return;
        close();
        m_pieces.insert(m_pieces.end(), pieces.begin(), pieces.end());
    }
    void ring(WorkPiece piece, const OpCost& cost)
    {
        close();
        piece.cost = OpCosts::rounded(cost);
        m_pieces.push_back(std::move(piece));
        m_hasRing = true;
    }
    /// `join`: what is open at the end joins the last computation before it.
    std::vector<WorkPiece> take(bool join)
    {
        const auto last = std::find_if(m_pieces.rbegin(), m_pieces.rend(), [](const WorkPiece& piece) { return piece.kind == WorkPiece::Kind::Compute; });
        if (join && m_isOpen && last != m_pieces.rend() && !m_hasRing) {
            const TaskWriter::Cost more = OpCosts::rounded(m_open);
            last->cost.operations += std::min(more.operations, INT64_MAX - last->cost.operations);
            last->cost.bytes += std::min(more.bytes, INT64_MAX - last->cost.bytes);
            m_isOpen = false;
        }
        close();
        return std::move(m_pieces);
    }

private:
    void close()
    {
        if (!m_isOpen)
            return;
        WorkPiece piece;
        piece.name = m_name;
        piece.cost = OpCosts::rounded(m_open);
        m_pieces.push_back(std::move(piece));
        m_open = {};
        m_isOpen = false;
    }

    std::string m_name;
    OpCost m_open;
    bool m_isOpen = false;
    bool m_hasRing = false;
    std::vector<WorkPiece> m_pieces;
};

bool isCoreAgain(const LayerOp& op)
{
    return op.group == RecomputeGroup::AttentionCore && op.kind != LayerOpKind::FlashAttention;
}

class OpWalk {
public:
    OpWalk(const std::vector<LayerOp>& ops, const BetweenOps& between, const OpCosts& costs, Recompute recompute, const std::string& name)
        : m_ops(ops)
        , m_between(between)
        , m_costs(costs)
        , m_recompute(recompute)
        , m_name(name)
    {
    }

    std::vector<WorkPiece> forward() const
    {
        PieceList list(m_name);
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            list.add(m_between.before[i]);
            if (i == m_between.ringFirst && hasRing())
                list.ring(m_between.ring, coreCost([this](const LayerOp& op) { return m_costs.forward(op); }));
            if (!isInRing(i))
                list.compute(m_costs.forward(m_ops[i]));
            list.add(m_between.behind[i]);
        }
        return list.take(true);
    }

    template <typename CostOf>
    std::vector<WorkPiece> backward(CostOf&& costOf) const
    {
        std::vector<WorkPiece> pieces;
        if (m_recompute == Recompute::Full) {
            pieces = forward();
            for (WorkPiece& piece : pieces)
                piece.name += " again";
        }
        PieceList list(m_name);
        for (std::size_t i = m_ops.size(); i-- > 0;) {
            list.add(m_between.beforeBackward[i]);
            if (i + 1 == m_between.ringEnd && hasRing())
                addRing(list, costOf);
            if (!isInRing(i)) {
                if (m_recompute == Recompute::Selective && isCoreAgain(m_ops[i]))
                    list.compute(m_costs.forward(m_ops[i]));
                list.compute(costOf(m_ops[i]));
            }
            list.add(m_between.behindBackward[i]);
        }
        std::vector<WorkPiece> own = list.take(false);
        pieces.insert(pieces.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
        return pieces;
    }

    WorkPiece weight() const
    {
        OpCost cost;
        for (const LayerOp& op : m_ops)
            cost += m_costs.weight(op);
        WorkPiece piece;
        piece.name = m_name;
        piece.cost = OpCosts::rounded(cost);
        return piece;
    }

private:
    bool hasRing() const { return m_between.ringEnd > m_between.ringFirst; }
    bool isInRing(std::size_t i) const { return i >= m_between.ringFirst && i < m_between.ringEnd; }

    template <typename CostOf>
    OpCost coreCost(CostOf&& costOf) const
    {
        OpCost cost;
        for (std::size_t i = m_between.ringFirst; i < m_between.ringEnd; ++i)
            cost += costOf(m_ops[i]);
        return cost;
    }

    template <typename CostOf>
    void addRing(PieceList& list, CostOf&& costOf) const
    {
        if (m_recompute == Recompute::Selective) {
            WorkPiece again = m_between.ring;
            again.name += " again";
            list.ring(std::move(again), coreCost([this](const LayerOp& op) { return isCoreAgain(op) ? m_costs.forward(op) : OpCost(); }));
        }
        WorkPiece ring = m_between.ring;
        ring.ringBackward = true;
        list.ring(std::move(ring), coreCost(costOf));
    }

    const std::vector<LayerOp>& m_ops;
    const BetweenOps& m_between;
    const OpCosts& m_costs;
    Recompute m_recompute;
    const std::string& m_name;
};

} // namespace

LayerPieces walkOps(const std::vector<LayerOp>& ops, const BetweenOps& between, const OpCosts& costs, Recompute recompute, const std::string& name)
{
    const OpWalk walk(ops, between, costs, recompute, name);
    LayerPieces pieces;
    pieces.forward = walk.forward();
    pieces.full = walk.backward([&](const LayerOp& op) { return costs.backward(op); });
    pieces.backward = walk.backward([&](const LayerOp& op) {
        OpCost input = costs.backward(op);
        const OpCost weight = costs.weight(op);
        return OpCost{input.operations - weight.operations, input.bytes - weight.bytes};
    });
    pieces.weight = walk.weight();
    return pieces;
}

} // namespace fabricscope
