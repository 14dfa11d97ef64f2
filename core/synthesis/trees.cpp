#include "core/base/units.h"
#include "core/synthesis/treepacking.h"
#include "core/synthesis/treeprogram.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace fabricscope {

namespace {

constexpr std::int32_t kMostPieces = 256;
/// Shares of trees are whole numbers over about this sum.
constexpr double kShareScale = 1'000'000;

/// Trees over one class of links, and the best rate any trees of that class could have.
struct Class {
    std::vector<ProgramTree> trees;
    double bytesPerSecond = 0;
    double bestBytesPerSecond = 0; ///< 0: not known.
    std::int32_t candidates = 0;
};

TreeGraph reversed(TreeGraph graph)
{
    for (TreeGraph::Arc& arc : graph.arcs)
        std::swap(arc.from, arc.to);
    return graph;
}

/// Packed trees with the links they use.
Class classOf(const TreeGraph& arcs, CollectiveOp op, std::int32_t root, const std::stop_token& stop)
{
    PackingOptions packing;
    packing.stop = stop;
    const bool bothWays = op == CollectiveOp::AllReduce;
    const TreePacking packed = bothWays ? packSpanningTrees(arcs, root, packing)
                                        : packArborescences(op == CollectiveOp::Reduce ? reversed(arcs) : arcs, root, packing);
    Class out;
    out.candidates = packed.candidates;
    const double unit = static_cast<double>(arcs.unit);
    out.bestBytesPerSecond = packed.optimum.value() * unit;
    const auto linkBetween = [&](std::int32_t from, std::int32_t to) {
        for (const TreeGraph::Arc& arc : arcs.arcs) {
            if (arc.from == from && arc.to == to)
                return arc.link;
        }
        return -1;
    };
    for (const PackedTree& tree : packed.trees) {
        ProgramTree made;
        made.root = root;
        made.parent.assign(static_cast<std::size_t>(arcs.ranks), -1);
        made.downLink.assign(static_cast<std::size_t>(arcs.ranks), -1);
        made.upLink.assign(static_cast<std::size_t>(arcs.ranks), -1);
        for (std::int32_t rank = 0; rank < arcs.ranks; ++rank) {
            const std::int32_t number = tree.parent[static_cast<std::size_t>(rank)];
            if (number < 0)
                continue;
            const TreeGraph::Arc& arc = arcs.arcs[static_cast<std::size_t>(number)];
            const std::int32_t parent = op == CollectiveOp::Reduce ? arc.to : arc.from;
            made.parent[static_cast<std::size_t>(rank)] = parent;
            made.downLink[static_cast<std::size_t>(rank)] = linkBetween(parent, rank);
            made.upLink[static_cast<std::size_t>(rank)] = linkBetween(rank, parent);
        }
        const double rate = static_cast<double>(tree.weight) * unit / static_cast<double>(packed.denominator);
        made.bytesPerSecond = static_cast<std::int64_t>(rate);
        made.share = tree.weight;
        out.bytesPerSecond += rate;
        out.trees.push_back(std::move(made));
    }
    return out;
}

/// Every pair joined with the same rate: one-hop trees (manual: synthesis 3, NVSwitch). All-reduce: every rank the root of a star;
/// broadcast and reduce: from the root over each other rank to the rest.
Class oneHopTrees(const TreeGraph& pairs, CollectiveOp op, std::int32_t root)
{
    std::vector<std::int32_t> link(static_cast<std::size_t>(pairs.ranks) * static_cast<std::size_t>(pairs.ranks), -1);
    const auto at = [&](std::int32_t from, std::int32_t to) -> std::int32_t& {
        return link[static_cast<std::size_t>(from) * static_cast<std::size_t>(pairs.ranks) + static_cast<std::size_t>(to)];
    };
    for (const TreeGraph::Arc& arc : pairs.arcs)
        at(arc.from, arc.to) = arc.link;
    const double pairRate = static_cast<double>(pairs.arcs.front().capacity) * static_cast<double>(pairs.unit);
    const bool all = op == CollectiveOp::AllReduce;
    Class out;
    for (std::int32_t middle = 0; middle < pairs.ranks; ++middle) {
        if (!all && middle == root)
            continue;
        ProgramTree tree;
        tree.root = all ? middle : root;
        for (std::int32_t rank = 0; rank < pairs.ranks; ++rank) {
            const std::int32_t parent = rank == tree.root ? -1 : rank == middle ? root : middle;
            tree.parent.push_back(parent);
            tree.downLink.push_back(parent < 0 ? -1 : at(parent, rank));
            tree.upLink.push_back(parent < 0 ? -1 : at(rank, parent));
        }
        // An edge between two ranks is in the stars of both.
        const double rate = all ? pairRate / 2 : pairRate;
        tree.bytesPerSecond = static_cast<std::int64_t>(rate);
        out.bytesPerSecond += rate;
        out.trees.push_back(std::move(tree));
    }
    out.bestBytesPerSecond = out.bytesPerSecond;
    out.candidates = static_cast<std::int32_t>(out.trees.size());
    return out;
}

bool uniformClique(const TreeGraph& graph)
{
    const auto ranks = static_cast<std::size_t>(graph.ranks);
    return graph.arcs.size() == ranks * (ranks - 1)
        && std::all_of(graph.arcs.begin(), graph.arcs.end(), [&](const TreeGraph::Arc& arc) { return arc.capacity == graph.arcs.front().capacity; });
}

/// The links of `graph` between ranks that lead over switches.
SynthesisGraph onlySwitched(const SynthesisGraph& graph)
{
    SynthesisGraph out = graph;
    std::erase_if(out.links, [&](const SynthesisGraph::Link& link) { return link.from < graph.ranks && link.to < graph.ranks; });
    return unwound(out);
}

/// Splits the data so that both classes finish together: the switches get D B_s / (B_s + B_d) - T B_s B_d / (B_s + B_d), not less than 0.
double switchShare(double bytes, double direct, double switched, double delaySeconds)
{
    const double part = bytes * switched / (switched + direct) - delaySeconds * switched * direct / (switched + direct);
    return std::clamp(part / bytes, 0.0, 1.0);
}

/// Shares of one class that together are `part` of the data.
void share(Class& trees, double part)
{
    for (ProgramTree& tree : trees.trees)
        tree.share = std::max<std::int64_t>(std::llround(kShareScale * part * static_cast<double>(tree.bytesPerSecond) / trees.bytesPerSecond), 1);
}

std::string rateText(double bytesPerSecond)
{
    std::ostringstream out;
    out.precision(5);
    out << bytesPerSecond / 1e9 << " GB/s";
    return out.str();
}

} // namespace

Result<Synthesis> synthesizeTrees(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    const CollectiveOp op = options.op;
    if (op != CollectiveOp::Broadcast && op != CollectiveOp::Reduce && op != CollectiveOp::AllReduce)
        return Error{ErrorCode::Unsupported, "packed trees do not make a collective of kind " + std::string(collectiveKey(op)), {}, "broadcast, reduce or all_reduce"};
    if (graph.ranks < 2)
        return invalidInput("a collective needs at least two ranks");
    if (options.root < 0 || options.root >= graph.ranks)
        return invalidInput("there is no rank " + std::to_string(options.root) + " to be the root", {}, "0 to " + std::to_string(graph.ranks - 1));

    SynthesisGraph whole = graph; // Direct links, then the pairs over switches.
    Class direct;
    const TreeGraph cables = directGraph(graph);
    if (!cables.arcs.empty())
        direct = classOf(cables, op, options.root, options.stop);
    Class switched;
    const SynthesisGraph pairs = onlySwitched(graph);
    TreeGraph pairArcs = directGraph(pairs);
    if (!pairArcs.arcs.empty()) {
        for (TreeGraph::Arc& arc : pairArcs.arcs)
            arc.link += static_cast<std::int32_t>(graph.links.size());
        whole.links.insert(whole.links.end(), pairs.links.begin(), pairs.links.end());
        switched = uniformClique(pairArcs) ? oneHopTrees(pairArcs, op, options.root) : classOf(pairArcs, op, options.root, options.stop);
    }
    if (options.stop.stop_requested() && direct.trees.empty() && switched.trees.empty())
        return Error{ErrorCode::Cancelled, "stopped before a tree was found", {}, {}};
    if (direct.trees.empty() && switched.trees.empty())
        return Error{ErrorCode::InvalidInput, "the links do not lead from the root to every rank", {}, "a connected group"};

    const double overSwitches = direct.trees.empty() ? 1
        : switched.trees.empty()                     ? 0
                                                     : switchShare(static_cast<double>(options.bytes), direct.bytesPerSecond, switched.bytesPerSecond,
                                                                   static_cast<double>(options.switchDelayPs) / static_cast<double>(kPsPerSecond));
    if (overSwitches > 0 && overSwitches < 1) {
        share(direct, 1 - overSwitches);
        share(switched, overSwitches);
    }
    std::vector<ProgramTree> trees;
    double best = 0;
    if (overSwitches < 1) {
        trees.insert(trees.end(), direct.trees.begin(), direct.trees.end());
        best += direct.bestBytesPerSecond;
    }
    if (overSwitches > 0) {
        trees.insert(trees.end(), switched.trees.begin(), switched.trees.end());
        best += switched.bestBytesPerSecond;
    }
    std::int64_t divisor = 0;
    for (const ProgramTree& tree : trees)
        divisor = std::gcd(divisor, tree.share);
    for (ProgramTree& tree : trees)
        tree.share /= divisor;

    std::int32_t pieces = std::clamp(options.chunks, 1, kMostPieces);
    if (options.chunks <= 1) {
        for (std::int32_t more = 2; more <= kMostPieces; more *= 2) {
            if (treeTimePs(whole, op, options.bytes, trees, more) < treeTimePs(whole, op, options.bytes, trees, pieces))
                pieces = more;
        }
    }
    Synthesis out;
    out.program = treeProgram(whole, op, options.root, trees, pieces, "tree packing");
    const Verification verification = verify(*out.program);
    if (!verification.valid)
        return Error{ErrorCode::Internal, "the packed trees make a faulty program: " + verification.findings.front().message, {}, {}};
    out.plannedPs = treeTimePs(whole, op, options.bytes, trees, pieces);
    if (best > 0)
        out.boundPs = static_cast<std::int64_t>(static_cast<double>(options.bytes) / best * static_cast<double>(kPsPerSecond));
    out.seed = options.seed;
    out.cutShort = options.stop.stop_requested();
    const double rate = (overSwitches < 1 ? direct.bytesPerSecond : 0) + (overSwitches > 0 ? switched.bytesPerSecond : 0);
    out.optimal = best > 0 && rate >= best * (1 - 1e-9);
    out.note = std::to_string(trees.size()) + (trees.size() == 1 ? " tree" : " trees") + " chosen from "
        + std::to_string((overSwitches < 1 ? direct.candidates : 0) + (overSwitches > 0 ? switched.candidates : 0)) + ", together " + rateText(rate)
        + (best > 0 ? " of at most " + rateText(best) : std::string()) + ", " + std::to_string(pieces) + (pieces == 1 ? " piece" : " pieces") + " each";
    if (overSwitches > 0 && overSwitches < 1)
        out.note += ", " + std::to_string(static_cast<int>(std::lround(100 * overSwitches))) + " % of the data over switches";
    return out;
}

} // namespace fabricscope
