// All-to-all in two and three steps, and the shift by one rank over nodes (manual: collectives 6). Axis 0: the GPUs of a node, axis 1: nodes.
#include "core/generate/families.h"
#include "core/generate/writer.h"

namespace fabricscope::generate {

namespace {

using Where = Writer::Where;

struct Nodes {
    std::int32_t gpus = 1;
    std::int32_t nodes = 1;

    std::int32_t rank(std::int32_t node, std::int32_t gpu) const { return node * gpus + gpu; }
};

Nodes nodesOf(const GenerateRequest& request)
{
    const auto axes = axesOf(request);
    return {axes[0], axes.size() > 1 ? axes[1] : 1};
}

Status checkTwoAxes(const GenerateRequest& request)
{
    if (axesOf(request).size() != 2)
        return refusal("axes", std::to_string(axesOf(request).size()) + " axes of more than one rank", "two: the ranks of a node, and the nodes");
    return {};
}

/// Blocks that stay in a node: from every GPU to every GPU, at once.
void insideNodes(Writer& writer, const Nodes& nodes, std::int32_t slot)
{
    for (std::int32_t node = 0; node < nodes.nodes; ++node) {
        for (std::int32_t from = 0; from < nodes.gpus; ++from) {
            for (std::int32_t offset = 0; offset < nodes.gpus; ++offset) {
                const std::int32_t source = nodes.rank(node, from);
                const std::int32_t target = nodes.rank(node, (from + offset) % nodes.gpus);
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                    const Where where{.piece = piece, .slot = slot + offset, .dimension = 0};
                    if (offset == 0)
                        writer.copy(source, writer.input(piece, target), writer.output(piece, source), 1, writer.chunk(piece, target), where);
                    else
                        writer.send(source, writer.input(piece, target), target, writer.output(piece, source), 1, writer.chunk(piece, target), where);
                }
            }
        }
    }
}

/// The blocks of a node for (m, g) meet at GPU g of it, which sends them to (m, g) as one message.
ProgramPtr makeTwoStep(const GenerateRequest& request)
{
    const Nodes nodes = nodesOf(request);
    const std::int32_t gpus = nodes.gpus;
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    const std::int32_t scratch = (nodes.nodes - 1) * gpus;
    for (std::int32_t away = 1; away < nodes.nodes; ++away) {
        for (std::int32_t node = 0; node < nodes.nodes; ++node) {
            const std::int32_t target = (node + away) % nodes.nodes;
            for (std::int32_t from = 0; from < gpus; ++from) {
                for (std::int32_t offset = 0; offset < gpus; ++offset) {
                    const std::int32_t source = nodes.rank(node, from);
                    const std::int32_t gpu = (from + offset) % gpus;
                    const std::int32_t block = nodes.rank(target, gpu);
                    for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                        const Where where{.piece = piece, .slot = away * gpus + offset, .dimension = 0};
                        const Writer::Spot spot = Writer::scratch(piece, scratch, (away - 1) * gpus + from);
                        if (offset == 0)
                            writer.copy(source, writer.input(piece, block), spot, 1, writer.chunk(piece, block), where);
                        else
                            writer.send(source, writer.input(piece, block), nodes.rank(node, gpu), spot, 1, writer.chunk(piece, block), where);
                    }
                }
            }
        }
    }
    insideNodes(writer, nodes, nodes.nodes * gpus);
    std::vector<Writer::Part> parts;
    for (std::int32_t away = 1; away < nodes.nodes; ++away) {
        for (std::int32_t node = 0; node < nodes.nodes; ++node) {
            for (std::int32_t gpu = 0; gpu < gpus; ++gpu) {
                const std::int32_t target = nodes.rank((node + away) % nodes.nodes, gpu);
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                    parts.clear();
                    for (std::int32_t from = 0; from < gpus; ++from)
                        parts.push_back({Writer::scratch(piece, scratch, (away - 1) * gpus + from), writer.output(piece, nodes.rank(node, from)), writer.chunk(piece, target)});
                    writer.send(nodes.rank(node, gpu), target, parts, false, {.piece = piece, .phase = 1, .slot = away, .dimension = 1});
                }
            }
        }
    }
    return writer.finish(request, false, true);
}

std::int64_t twoStepTransfers(const GenerateRequest& request)
{
    const Nodes nodes = nodesOf(request);
    const std::int64_t ranks = ranksOf(request);
    return (ranks * ranks + ranks * (nodes.nodes - 1) * (request.chunks > 1 ? nodes.gpus : 1)) * request.chunks;
}

/// All blocks of node n for node m meet at GPU m mod G of n, cross as one message to GPU n mod G of m, and are handed out there.
ProgramPtr makeThreeStep(const GenerateRequest& request)
{
    const Nodes nodes = nodesOf(request);
    const std::int32_t gpus = nodes.gpus;
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, ranks);
    writer.heed(request.stop);
    // Scratch of a GPU: what it gathers for nodes, what comes from nodes, and that sorted by receiver; of G x G blocks each.
    const std::int32_t square = gpus * gpus;
    const std::int32_t squares = (nodes.nodes + gpus - 1) / gpus;
    const std::int32_t scratch = 3 * squares * square;
    const auto gathered = [&](std::int32_t piece, std::int32_t node, std::int32_t index) { return Writer::scratch(piece, scratch, node / gpus * square + index); };
    const auto arrived = [&](std::int32_t piece, std::int32_t node, std::int32_t index) { return Writer::scratch(piece, scratch, (squares + node / gpus) * square + index); };
    const auto sorted = [&](std::int32_t piece, std::int32_t node, std::int32_t index) { return Writer::scratch(piece, scratch, (2 * squares + node / gpus) * square + index); };
    const auto forPairs = [&](const auto& action) {
        for (std::int32_t away = 1; away < nodes.nodes; ++away) {
            for (std::int32_t node = 0; node < nodes.nodes; ++node) {
                for (std::int32_t piece = 0; piece < writer.pieces(); ++piece)
                    action(node, (node + away) % nodes.nodes, away, piece);
            }
        }
    };
    std::vector<Writer::Part> parts;
    forPairs([&](std::int32_t node, std::int32_t target, std::int32_t away, std::int32_t piece) {
        const std::int32_t out = nodes.rank(node, target % gpus);
        for (std::int32_t from = 0; from < gpus; ++from) {
            const std::int32_t source = nodes.rank(node, from);
            parts.clear();
            for (std::int32_t gpu = 0; gpu < gpus; ++gpu) {
                const std::int32_t block = nodes.rank(target, gpu);
                parts.push_back({writer.input(piece, block), gathered(piece, target, from * gpus + gpu), writer.chunk(piece, block)});
            }
            const Where where{.piece = piece, .slot = away, .dimension = 0};
            if (source == out)
                writer.copy(source, parts, where);
            else
                writer.send(source, out, parts, false, where);
        }
    });
    insideNodes(writer, nodes, nodes.nodes);
    forPairs([&](std::int32_t node, std::int32_t target, std::int32_t away, std::int32_t piece) {
        writer.send(nodes.rank(node, target % gpus), gathered(piece, target, 0), nodes.rank(target, node % gpus), arrived(piece, node, 0), square, writer.chunk(piece, 0),
                    {.piece = piece, .phase = 1, .slot = away, .dimension = 1});
    });
    forPairs([&](std::int32_t node, std::int32_t target, std::int32_t away, std::int32_t piece) {
        const std::int32_t in = nodes.rank(target, node % gpus);
        for (std::int32_t gpu = 0; gpu < gpus; ++gpu) {
            const Where where{.piece = piece, .phase = 2, .slot = away * gpus + gpu, .dimension = 0};
            const std::int32_t receiver = nodes.rank(target, gpu);
            parts.clear();
            for (std::int32_t from = 0; from < gpus; ++from) {
                const Writer::Spot to = receiver == in ? writer.output(piece, nodes.rank(node, from)) : sorted(piece, node, gpu * gpus + from);
                parts.push_back({arrived(piece, node, from * gpus + gpu), to, writer.chunk(piece, receiver)});
            }
            writer.copy(in, parts, where);
            if (receiver == in)
                continue;
            parts.clear();
            for (std::int32_t from = 0; from < gpus; ++from)
                parts.push_back({sorted(piece, node, gpu * gpus + from), writer.output(piece, nodes.rank(node, from)), writer.chunk(piece, receiver)});
            writer.send(in, receiver, parts, false, where);
        }
    });
    return writer.finish(request, false, true);
}

std::int64_t threeStepTransfers(const GenerateRequest& request)
{
    const std::int64_t ranks = ranksOf(request);
    return 3 * ranks * ranks * request.chunks; // Copies count too.
}

Status checkUpToTwoAxes(const GenerateRequest& request)
{
    if (axesOf(request).size() > 2)
        return refusal("axes", std::to_string(axesOf(request).size()) + " axes of more than one rank", "one: all in one node; two: the ranks of a node, and the nodes");
    return {};
}

/// Inside a node r to r + 1 directly. At the end of a node every GPU of it carries a part to its like in the next node, so all NICs work.
ProgramPtr makeAllToNext(const GenerateRequest& request)
{
    const Nodes nodes = nodesOf(request);
    const std::int32_t gpus = nodes.gpus;
    const std::int32_t ranks = ranksOf(request);
    Writer writer(request.op, ranks, request.chunks, gpus);
    writer.heed(request.stop);
    const auto toCarry = [&](std::int32_t piece) { return Writer::scratch(piece, 2, 0); };
    const auto carried = [&](std::int32_t piece) { return Writer::scratch(piece, 2, 1); };
    for (std::int32_t rank = 0; rank + 1 < ranks; ++rank) {
        for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
            if (rank % gpus + 1 < gpus)
                writer.send(rank, writer.input(piece, 0), rank + 1, writer.output(piece, 0), gpus, writer.chunk(piece, 0), {.piece = piece, .dimension = 0});
        }
    }
    for (std::int32_t node = 0; node + 1 < nodes.nodes; ++node) {
        const std::int32_t last = nodes.rank(node, gpus - 1);
        const std::int32_t first = nodes.rank(node + 1, 0);
        for (std::int32_t gpu = 0; gpu < gpus; ++gpu) {
            for (std::int32_t piece = 0; piece < writer.pieces(); ++piece) {
                const std::int32_t size = writer.chunk(piece, gpu);
                const std::int32_t here = nodes.rank(node, gpu);
                const std::int32_t there = nodes.rank(node + 1, gpu);
                const Where where{.piece = piece, .slot = gpu + 1, .dimension = 0};
                if (here != last)
                    writer.send(last, writer.input(piece, gpu), here, toCarry(piece), 1, size, where);
                Where across = where;
                across.step = 1;
                across.dimension = 1;
                across.connection = 1;
                writer.send(here, here == last ? writer.input(piece, gpu) : toCarry(piece), there, there == first ? writer.output(piece, gpu) : carried(piece), 1, size,
                            across);
                Where home = where;
                home.step = 2;
                if (there != first)
                    writer.send(there, carried(piece), first, writer.output(piece, gpu), 1, size, home);
            }
        }
    }
    writer.builder().header().conditions = std::make_shared<const Conditions>(allToNext(ranks, request.chunks * gpus, true));
    return writer.finish(request, false, true);
}

std::int64_t allToNextTransfers(const GenerateRequest& request)
{
    return 4 * std::int64_t{ranksOf(request)} * request.chunks;
}

} // namespace

const Maker kTwoStep{checkTwoAxes, twoStepTransfers, makeTwoStep};
const Maker kThreeStep{checkTwoAxes, threeStepTransfers, makeThreeStep};
const Maker kAllToNext{checkUpToTwoAxes, allToNextTransfers, makeAllToNext};

} // namespace fabricscope::generate
