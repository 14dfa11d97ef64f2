#include "core/base/index.h"
#include "core/synthesis/forest.h"

#include "core/base/quantity.h"
#include "core/bounds/maxflow.h"
#include "core/program/programbuilder.h"
#include "core/synthesis/forestorder.h"
#include "core/verify/verify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostOperations = std::int64_t{1} << 24;
constexpr std::int64_t kMostUnits = std::int64_t{1} << 36; ///< Of a shard: sums over shards and chunks stay inside 64 bits.

/// Trees up (a forest of the reversed graph) and trees down, cut so that both use the same chunks.
class ForestProgram {
public:
    ForestProgram(const SynthesisGraph& graph, const SynthesisOptions& options, const Forest* up, const Forest* down)
        : m_graph(graph), m_options(options), m_up(up), m_down(down), m_rooted(options.op == CollectiveOp::Broadcast || options.op == CollectiveOp::Reduce)
    {
    }

    /// False when the program would have too many operations, or shares too fine to count.
    bool layOut();
    ProgramPtr build();
    std::int64_t latencyPs() const;

private:
    std::vector<const Forest::Tree*> treesOf(const Forest& forest, std::int32_t root) const;
    std::vector<std::int64_t> ends(const Forest* forest, std::int32_t root) const;
    std::vector<ForestPiece> pieces(const Forest* forest) const;
    void move(ProgramBuilder& builder);
    std::int32_t route(ProgramBuilder& builder, const std::vector<std::int32_t>& links, bool up);
    std::int64_t treeLatency(const Forest::Tree& tree) const;

    const SynthesisGraph& m_graph;
    const SynthesisOptions& m_options;
    const Forest* m_up;
    const Forest* m_down;
    bool m_rooted;
    std::int64_t m_unitsOfShard = 0;              ///< What weights are counted in, of one root.
    std::vector<std::vector<std::int64_t>> m_ends; ///< By root: ends of its chunks in these units.
    std::int32_t m_chunksOfRoot = 0;
    std::int32_t m_upSteps = 0;                   ///< Steps of the deepest tree upwards.
    std::map<std::vector<std::int64_t>, std::int32_t> m_routes;
};

std::vector<const Forest::Tree*> ForestProgram::treesOf(const Forest& forest, std::int32_t root) const
{
    std::vector<const Forest::Tree*> trees;
    for (const Forest::Tree& tree : forest.trees) {
        if (tree.root == root)
            trees.push_back(&tree);
    }
    return trees;
}

/// Ends of the pieces of a root's trees.
std::vector<std::int64_t> ForestProgram::ends(const Forest* forest, std::int32_t root) const
{
    std::vector<std::int64_t> result;
    if (forest == nullptr)
        return result;
    const std::int64_t unit = m_unitsOfShard / forest->treesPerRoot;
    std::int64_t begin = 0;
    for (const Forest::Tree* tree : treesOf(*forest, root)) {
        for (std::int64_t piece = 1; piece <= m_options.chunks; ++piece)
            result.push_back(begin + tree->weight * unit * piece / m_options.chunks);
        begin += tree->weight * unit;
    }
    return result;
}

bool ForestProgram::layOut()
{
    m_unitsOfShard = m_options.chunks;
    std::int64_t operations = 0;
    for (const Forest* forest : {m_up, m_down}) {
        if (forest == nullptr)
            continue;
        const WideFlow units = WideFlow{forest->treesPerRoot} * m_options.chunks;
        const auto common = static_cast<std::int64_t>(std::gcd(m_unitsOfShard, static_cast<std::int64_t>(units % m_unitsOfShard)));
        const WideFlow all = units / common * m_unitsOfShard;
        operations += 2 * static_cast<std::int64_t>(forest->trees.size()) * m_options.chunks * (m_graph.ranks - 1);
        if (all > kMostUnits || operations > kMostOperations)
            return false;
        m_unitsOfShard = static_cast<std::int64_t>(all);
    }
    std::size_t most = 0;
    for (std::int32_t root = 0; root < (m_rooted ? 1 : m_graph.ranks); ++root) {
        std::vector<std::int64_t>& all = m_ends.emplace_back();
        for (const Forest* forest : {m_up, m_down}) {
            const std::vector<std::int64_t> own = ends(forest, m_rooted ? m_options.root : root);
            all.insert(all.end(), own.begin(), own.end());
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        most = std::max(most, all.size());
    }
    // Every root has as many chunks: those with fewer cut their last one, in units fine enough for it.
    for (std::vector<std::int64_t>& all : m_ends) {
        for (std::int64_t& end : all)
            end *= static_cast<std::int64_t>(most) + 1;
        const std::size_t missing = most - all.size();
        const std::int64_t end = all.back();
        const std::int64_t before = all.size() < 2 ? 0 : all[all.size() - 2];
        all.pop_back();
        for (std::size_t i = 1; i <= missing; ++i)
            all.push_back(before + static_cast<std::int64_t>(i) * (end - before) / static_cast<std::int64_t>(missing + 1));
        all.push_back(end);
    }
    m_unitsOfShard *= static_cast<std::int64_t>(most) + 1;
    m_chunksOfRoot = static_cast<std::int32_t>(most);
    for (std::size_t i = 0; m_up != nullptr && i < m_up->trees.size(); ++i)
        m_upSteps = std::max(m_upSteps, m_up->trees[i].depth());
    return true;
}

/// Piece by piece, all trees in turn.
std::vector<ForestPiece> ForestProgram::pieces(const Forest* forest) const
{
    std::vector<ForestPiece> result;
    if (forest == nullptr)
        return result;
    std::map<std::int32_t, std::int64_t> begins; // by root: units so far
    std::vector<std::vector<ForestPiece>> byPiece(static_cast<std::size_t>(m_options.chunks));
    std::int32_t number = 0;
    for (const Forest::Tree& tree : forest->trees) {
        const std::int64_t units = m_unitsOfShard / forest->treesPerRoot * tree.weight;
        const std::int64_t shard = m_rooted ? m_options.bytes : m_options.bytes / m_graph.ranks;
        const auto bytes = static_cast<std::int64_t>(WideFlow{shard} * tree.weight / forest->treesPerRoot / m_options.chunks);
        std::int64_t& begin = begins[tree.root];
        const std::vector<std::int64_t>& all = m_ends[m_rooted ? 0 : static_cast<std::size_t>(tree.root)];
        const std::int32_t base = m_rooted ? 0 : tree.root * m_chunksOfRoot;
        for (std::int64_t i = 0; i < m_options.chunks; ++i) {
            const auto chunkAt = [&](std::int64_t units_) {
                return units_ == 0 ? 0 : static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), units_) - all.begin()) + 1;
            };
            const std::int32_t first = chunkAt(begin + units * i / m_options.chunks);
            const std::int32_t end = chunkAt(begin + units * (i + 1) / m_options.chunks);
            byPiece[at(i)].push_back({&tree, number, static_cast<std::int32_t>(i), base + first, end - first, bytes});
        }
        begin += units;
        ++number;
    }
    for (const auto& part : byPiece)
        result.insert(result.end(), part.begin(), part.end());
    return result;
}

std::int32_t ForestProgram::route(ProgramBuilder& builder, const std::vector<std::int32_t>& links, bool up)
{
    std::vector<std::int64_t> way;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const std::int32_t link = links[up ? links.size() - 1 - i : i];
        const std::vector<std::int64_t>& part = m_graph.links[at(link)].route;
        way.insert(way.end(), part.begin(), part.end());
    }
    if (way.empty())
        return -1;
    auto& routes = builder.extras().routes;
    const auto [entry, isNew] = m_routes.try_emplace(std::move(way), static_cast<std::int32_t>(routes.size()));
    if (isNew)
        routes.push_back(entry->first);
    return entry->second;
}

void ForestProgram::move(ProgramBuilder& builder)
{
    std::vector<ForestPiece> all = pieces(m_up);
    for (ForestPiece& piece : all)
        piece.up = true;
    const std::vector<ForestPiece> down = pieces(m_down);
    all.insert(all.end(), down.begin(), down.end());
    const std::vector<ForestSend> order = orderSends(m_graph, all, m_options.stop);

    const bool gathers = m_options.op == CollectiveOp::AllGather;
    const bool casts = m_options.op == CollectiveOp::Broadcast;
    std::vector<ProgramBuilder::Op> sends;
    for (const ForestSend& next : order) {
        const ForestPiece& piece = all[next.piece];
        const Forest::Edge& edge = piece.tree->edges[next.edge];
        const bool up = piece.up;
        const std::int32_t root = piece.tree->root;
        // In place: inputs hold the whole vector, but of an all-gather the own shard and of a broadcast the root's.
        const auto place = [&](std::int32_t rank) {
            ProgramBuilder::Place found{rank, BufferKind::Input, piece.first};
            if (gathers && rank == root)
                found.offset = piece.first - rank * m_chunksOfRoot;
            else if (gathers || (casts && rank != root))
                found.buffer = BufferKind::Output;
            return found;
        };
        ProgramBuilder::How how;
        how.reduce = up;
        how.chunk = piece.first;
        how.connection = 2 * piece.number + (up ? 1 : 0);
        how.slot = piece.number;
        how.tags.tree = static_cast<std::int16_t>(std::min(piece.number, 32767));
        how.tags.instance = static_cast<std::int16_t>(piece.turn);
        how.tags.phase = static_cast<std::int16_t>(!up && m_up != nullptr ? 1 : 0);
        how.step = next.step + (up ? 0 : m_upSteps);
        how.route = route(builder, edge.links, up);
        sends.push_back(builder.transfer(place(up ? edge.to : edge.from), place(up ? edge.from : edge.to), piece.count, how).send);
        if (next.behind != ForestSend::kNone)
            builder.depend(sends.back(), sends[next.behind]);
    }
}

ProgramPtr ForestProgram::build()
{
    const std::int32_t shards = m_rooted ? 1 : m_graph.ranks;
    ProgramBuilder builder(m_options.op, m_graph.ranks, shards * m_chunksOfRoot, m_options.root);
    builder.header().outOfPlace = false;
    std::vector<std::int64_t>& weights = builder.extras().chunkWeights;
    for (const std::vector<std::int64_t>& all : m_ends) {
        std::int64_t before = 0;
        for (const std::int64_t end : all)
            weights.push_back(end - std::exchange(before, end));
    }
    const std::int64_t common = std::accumulate(weights.begin(), weights.end(), std::int64_t{0}, [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); });
    for (std::int64_t& weight : weights)
        weight /= common;
    if (std::all_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight == 1; }))
        weights.clear();
    move(builder);
    builder.inferDependencies();
    const std::size_t trees = (m_up != nullptr ? m_up->trees.size() : 0) + (m_down != nullptr ? m_down->trees.size() : 0);
    return builder.finish("forest of " + std::to_string(trees) + " trees", "ForestColl, " + std::to_string(m_options.chunks) + " pieces");
}

std::int64_t ForestProgram::treeLatency(const Forest::Tree& tree) const
{
    std::map<std::int32_t, std::int64_t> latency{{tree.root, 0}};
    std::int64_t most = 0;
    for (const Forest::Edge& edge : tree.edges) {
        std::int64_t sum = latency[edge.from];
        for (const std::int32_t link : edge.links)
            sum += m_graph.links[at(link)].latencyPs;
        most = std::max(most, latency[edge.to] = sum);
    }
    return most;
}

std::int64_t ForestProgram::latencyPs() const
{
    std::int64_t sum = 0;
    for (const Forest* forest : {m_up, m_down}) {
        std::int64_t most = 0;
        for (std::size_t i = 0; forest != nullptr && i < forest->trees.size(); ++i)
            most = std::max(most, treeLatency(forest->trees[i]));
        sum += most;
    }
    return sum;
}

/// bytes * denominator / numerator seconds in ps; 0 for no rate.
std::int64_t timePs(std::int64_t bytes, std::int64_t numerator, std::int64_t denominator)
{
    const long double ps = static_cast<long double>(bytes) * static_cast<long double>(denominator) / static_cast<long double>(numerator) * 1e12L;
    return static_cast<std::int64_t>(std::min(ps, 4e18L));
}

std::string rateText(std::int64_t numerator, std::int64_t denominator)
{
    return showBandwidth({static_cast<std::int64_t>(static_cast<long double>(numerator) / static_cast<long double>(denominator))});
}

/// Of all ranks together: shards of every rank at once, or the data of the root.
std::string describe(const Forest& forest, std::int32_t shards)
{
    const std::int64_t found = forest.rateNumerator;
    return std::to_string(forest.trees.size()) + " trees (" + std::to_string(forest.treesPerRoot) + " per root), " + rateText(found, forest.rateDenominator) + " per shard, "
        + std::to_string(shards) + " shards; optimum " + rateText(forest.optimumNumerator, forest.optimumDenominator);
}

} // namespace

Result<Synthesis> synthesizeForest(const SynthesisGraph& graph, const SynthesisOptions& options)
{
    const CollectiveOp op = options.op;
    const bool rooted = op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce;
    const bool goesUp = op == CollectiveOp::ReduceScatter || op == CollectiveOp::AllReduce || op == CollectiveOp::Reduce;
    const bool goesDown = op == CollectiveOp::AllGather || op == CollectiveOp::AllReduce || op == CollectiveOp::Broadcast;
    if (!goesUp && !goesDown)
        return Error{ErrorCode::Unsupported, "ForestColl has no " + std::string(collectiveKey(op)), {}, "all-gather, reduce-scatter, all-reduce, broadcast or reduce"};
    if (options.chunks < 1 || options.chunks > 4096)
        return invalidInput(std::to_string(options.chunks) + " pieces", {}, "1 to 4096");
    if (options.root < 0 || options.root >= graph.ranks)
        return invalidInput("the root is no rank", {}, "0 to " + std::to_string(graph.ranks - 1));

    ForestOptions wanted;
    wanted.root = rooted ? options.root : -1;
    wanted.treesPerRoot = options.treesPerRoot;
    wanted.stop = options.stop;
    std::optional<Forest> up;
    std::optional<Forest> down;
    for (const bool upwards : {true, false}) {
        if (upwards ? !goesUp : !goesDown)
            continue;
        Result<Forest> forest = findForest(upwards ? reversed(graph) : graph, wanted);
        if (!forest)
            return std::move(forest).error();
        (upwards ? up : down) = std::move(forest).value();
        if (options.progress)
            options.progress({upwards && goesDown ? 0.4 : 0.8, describe(*(upwards ? up : down), rooted ? 1 : graph.ranks)});
    }

    ForestProgram program(graph, options, up ? &*up : nullptr, down ? &*down : nullptr);
    if (!program.layOut())
        return Error{ErrorCode::Unsupported, "the trees make a program of more than 2^24 operations", {}, "fewer pieces, or fewer trees per root"};
    Synthesis result;
    result.program = program.build();
    if (options.stop.stop_requested()) // Not all sends may have been ordered.
        return Error{ErrorCode::Cancelled, "cancelled", {}, {}};
    const std::int64_t shard = rooted ? options.bytes : options.bytes / graph.ranks;
    result.optimal = true;
    for (const std::optional<Forest>* forest : {&up, &down}) {
        if (!*forest)
            continue;
        const Forest& trees = **forest;
        result.plannedPs += timePs(shard, trees.rateNumerator, trees.rateDenominator);
        result.boundPs += timePs(shard, trees.optimumNumerator, trees.optimumDenominator);
        result.optimal = result.optimal && WideFlow{trees.rateNumerator} * trees.optimumDenominator == WideFlow{trees.optimumNumerator} * trees.rateDenominator;
        result.note += (result.note.empty() ? "" : "; ") + describe(trees, rooted ? 1 : graph.ranks);
    }
    result.plannedPs += program.latencyPs();
    result.seed = options.seed;

    VerifyOptions check;
    check.hints = false;
    check.stop = options.stop;
    const Verification verified = verify(*result.program, check);
    if (verified.cancelled)
        return Error{ErrorCode::Cancelled, "cancelled", {}, {}};
    if (!verified.valid || verified.postcondition != Postcondition::Holds)
        return Error{ErrorCode::Internal, "the program of the trees does not pass the verifier" + (verified.findings.empty() ? std::string() : ": " + verified.findings.front().message), {}, {}};
    return result;
}

} // namespace fabricscope
