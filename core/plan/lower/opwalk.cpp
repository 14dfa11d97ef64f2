#include "core/plan/lower/opwalk.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

OpCost& OpCost::operator+=(const OpCost& other)
{
    operations += other.operations;
    bytes += other.bytes;
    seconds += other.seconds;
    return *this;
}

OpCosts::OpCosts(const SpreadModel& spread, const NpuKernels* kernels)
    : m_shares(*spread.shares)
{
    if (kernels)
        m_timer.emplace(spread, *kernels);
}

PassCosts OpCosts::of(const LayerOp& op) const
{
    PassCosts costs;
    costs.forward = {m_shares.rankFlops(op, op.flops), m_shares.rankBytes(op, op.read, op.weightBytes) + m_shares.rankBytes(op, op.written, {})};
    costs.full = {m_shares.rankFlops(op, op.backwardFlops), m_shares.rankBytes(op, op.backwardRead, op.weightBytes) + m_shares.rankBytes(op, op.backwardWritten, op.weightBytes)};
    const bool product = op.matrix && op.weightBytes.total() > 0;
    const double part = op.kind == LayerOpKind::Embedding ? 1 : product ? 0.5 : 0;
    costs.weight = {costs.full.operations * part, costs.full.bytes * part};
    costs.input = {costs.full.operations - costs.weight.operations, costs.full.bytes - costs.weight.bytes};
    if (m_timer) {
        const PlanKernelTimer::OpSeconds seconds = m_timer->of(op, {costs.forward.operations, costs.forward.bytes}, {costs.full.operations, costs.full.bytes});
        costs.forward.seconds = seconds.forward;
        costs.input.seconds = seconds.input;
        costs.weight.seconds = seconds.weight;
        costs.full.seconds = seconds.input + seconds.weight;
    }
    return costs;
}

TaskWriter::Cost OpCosts::rounded(const OpCost& cost)
{
    static constexpr double kMost = 9e18;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(std::ceil(value - 1e-6), 0.0, kMost)); };
    return {cost.seconds > 0 ? wholePs(cost.seconds) : -1, whole(cost.operations), whole(cost.bytes), true};
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
        piece.seconds = cost.seconds;
        m_pieces.push_back(std::move(piece));
        m_hasRing = true;
    }
    /// `join`: what is open at the end joins the last computation before it.
    std::vector<WorkPiece> take(bool join)
    {
        const auto last = std::find_if(m_pieces.rbegin(), m_pieces.rend(), [](const WorkPiece& piece) { return piece.kind == WorkPiece::Kind::Compute; });
        if (join && m_isOpen && last != m_pieces.rend() && !m_hasRing) {
            last->seconds += m_open.seconds;
            addCost(last->cost, OpCosts::rounded(m_open));
            m_isOpen = false;
        }
        close();
        return std::move(m_pieces);
    }

private:
    static void addCost(TaskWriter::Cost& to, const TaskWriter::Cost& more)
    {
        const auto sum = [](std::int64_t a, std::int64_t b) { return a + std::min(b, INT64_MAX - a); };
        to.operations = sum(to.operations, more.operations);
        to.bytes = sum(to.bytes, more.bytes);
        if (more.durationPs >= 0)
            to.durationPs = sum(std::max<std::int64_t>(to.durationPs, 0), more.durationPs);
    }

    void close()
    {
        if (!m_isOpen)
            return;
        WorkPiece piece;
        piece.name = m_name;
        piece.cost = OpCosts::rounded(m_open);
        piece.seconds = m_open.seconds;
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
        , m_recompute(recompute)
        , m_name(name)
    {
        for (const LayerOp& op : ops)
            m_costs.push_back(costs.of(op));
    }

    std::vector<WorkPiece> forward() const
    {
        PieceList list(m_name);
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            list.add(m_between.before[i]);
            if (i == m_between.ringFirst && hasRing())
                list.ring(m_between.ring, coreCost([this](std::size_t op) { return m_costs[op].forward; }));
            if (!isInRing(i))
                list.compute(m_costs[i].forward);
            list.add(m_between.behind[i]);
        }
        return list.take(true);
    }

    /// `part`: which gradients.
    std::vector<WorkPiece> backward(OpCost PassCosts::* part) const
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
                addRing(list, part);
            if (!isInRing(i)) {
                if (m_recompute == Recompute::Selective && isCoreAgain(m_ops[i]))
                    list.compute(m_costs[i].forward);
                list.compute(m_costs[i].*part);
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
        for (const PassCosts& costs : m_costs)
            cost += costs.weight;
        WorkPiece piece;
        piece.name = m_name;
        piece.cost = OpCosts::rounded(cost);
        piece.seconds = cost.seconds;
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
            cost += costOf(i);
        return cost;
    }

    void addRing(PieceList& list, OpCost PassCosts::* part) const
    {
        if (m_recompute == Recompute::Selective) {
            WorkPiece again = m_between.ring;
            again.name += " again";
            list.ring(std::move(again), coreCost([this](std::size_t op) { return isCoreAgain(m_ops[op]) ? m_costs[op].forward : OpCost(); }));
        }
        WorkPiece ring = m_between.ring;
        ring.ringBackward = true;
        list.ring(std::move(ring), coreCost([&](std::size_t op) { return m_costs[op].*part; }));
    }

    const std::vector<LayerOp>& m_ops;
    const BetweenOps& m_between;
    std::vector<PassCosts> m_costs; ///< By op.
    Recompute m_recompute;
    const std::string& m_name;
};

} // namespace

LayerPieces walkOps(const std::vector<LayerOp>& ops, const BetweenOps& between, const OpCosts& costs, Recompute recompute, const std::string& name)
{
    const OpWalk walk(ops, between, costs, recompute, name);
    LayerPieces pieces;
    pieces.forward = walk.forward();
    pieces.full = walk.backward(&PassCosts::full);
    pieces.backward = walk.backward(&PassCosts::input);
    pieces.weight = walk.weight();
    return pieces;
}

} // namespace fabricscope
