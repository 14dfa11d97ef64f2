#include "core/verify/windowcheck.h"

#include <algorithm>
#include <string>

namespace fabricscope {

namespace {

const std::vector<PhaseTemplate>& orderAt(const TemplateBody& body, std::size_t order)
{
    return order == 0 ? body.phases : body.orders[order - 1];
}

/// Chunks that run each order.
std::vector<std::int64_t> chunksByOrder(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    std::vector<std::int64_t> chunks(body.orders.size() + 1, 0);
    if (body.orderOfChunk.empty())
        chunks[0] = program.chunks;
    for (const std::uint16_t order : body.orderOfChunk)
        ++chunks[order];
    return chunks;
}

/// Places of a window: those of an axis in one direction.
std::size_t gateOf(const PhaseTemplate& phase)
{
    const bool down = phase.kind == PhaseKind::AllGather || phase.kind == PhaseKind::Broadcast;
    return 2 * static_cast<std::size_t>(phase.axis) + (down ? 1 : 0);
}

constexpr std::size_t kStart = SIZE_MAX;

struct Gate {
    std::int64_t chunks = 0;           ///< That pass it.
    std::vector<std::size_t> sources;  ///< Gates they come from, ascending; kStart: ready at the start.

    bool onlyFromStart() const { return sources == std::vector<std::size_t>{kStart}; }
    /// Besides the start.
    std::size_t gatesBefore() const { return sources.size() - (std::find(sources.begin(), sources.end(), kStart) != sources.end() ? 1 : 0); }
};

std::vector<Gate> gatesOf(const Program& program)
{
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int64_t> chunks = chunksByOrder(program);
    std::vector<Gate> gates(2 * body.axes.size());
    for (std::size_t order = 0; order < chunks.size(); ++order) {
        std::size_t source = kStart;
        for (const PhaseTemplate& phase : orderAt(body, order)) {
            if (chunks[order] == 0)
                continue;
            Gate& gate = gates[gateOf(phase)];
            gate.chunks += chunks[order];
            const auto at = std::lower_bound(gate.sources.begin(), gate.sources.end(), source);
            if (at == gate.sources.end() || *at != source)
                gate.sources.insert(at, source);
            source = gateOf(phase);
        }
    }
    return gates;
}

/// See the header; \pre the gate has more chunks than the window.
bool isSafe(const Program& program, const std::vector<Gate>& gates, std::size_t number)
{
    const Gate& gate = gates[number];
    if (gate.onlyFromStart())
        return true;
    if (program.window == 1)
        return gate.gatesBefore() <= 1;
    const bool two = program.asTemplate().axes[number / 2] == 2;
    return two && gate.sources.size() == 1 && gates[gate.sources.front()].onlyFromStart();
}

} // namespace

void checkWindow(const Program& program, VerifyFindings& findings)
{
    if (program.window == 0)
        return;
    const std::vector<Gate> gates = gatesOf(program);
    // With a window of 1 one order of entry rests on another: where a gate is not safe, neither are those behind it. One finding says enough.
    for (std::size_t number = 0; number < gates.size(); ++number) {
        if (gates[number].chunks <= program.window || isSafe(program, gates, number))
            continue;
        findings.add("V13", Severity::Warning, "With at most " + std::to_string(program.window) + (program.window == 1 ? " chunk" : " chunks") + " in a phase at once, ranks may let "
                         + std::to_string(gates[number].chunks) + " chunks into the " + (number % 2 == 0 ? "reduce or exchange" : "gather or broadcast") + " phases on axis "
                         + std::to_string(number / 2) + " in different orders, where chunks overtake each other on the way, and then wait for each other for ever");
        return;
    }
}

void checkPlacement(const Program& program, VerifyFindings& findings)
{
    const bool scatters = program.op == CollectiveOp::ReduceScatter;
    if (!scatters && program.op != CollectiveOp::AllGather)
        return;
    const TemplateBody& body = program.asTemplate();
    const std::vector<std::int64_t> chunks = chunksByOrder(program);
    for (std::size_t order = 0; order < chunks.size(); ++order) {
        if (chunks[order] == 0)
            continue;
        std::vector<PhaseTemplate> cuts = orderAt(body, order);
        if (!scatters)
            std::reverse(cuts.begin(), cuts.end()); // What is gathered last was cut first.
        std::vector<bool> taken(static_cast<std::size_t>(program.ranks), false);
        std::int32_t first = -1; // Rank with another block than its own.
        std::int64_t firstBlock = 0;
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            std::int64_t block = 0;
            for (const PhaseTemplate& cut : cuts) {
                std::int32_t stride = 1;
                for (std::int32_t axis = 0; axis < cut.axis; ++axis)
                    stride *= body.axes[static_cast<std::size_t>(axis)];
                const std::int32_t extent = body.axes[static_cast<std::size_t>(cut.axis)];
                block = block * extent + rank / stride % extent;
            }
            if (block >= program.ranks || taken[static_cast<std::size_t>(block)]) {
                findings.add("V16", Severity::Error, "Rank " + std::to_string(rank) + " has block " + std::to_string(block) + " of the vector, which is another's or does not exist", {}, rank);
                return;
            }
            taken[static_cast<std::size_t>(block)] = true;
            if (block != rank && first < 0) {
                first = rank;
                firstBlock = block;
            }
        }
        if (first >= 0)
            findings.add("V16", Severity::Note, "Rank " + std::to_string(first) + (scatters ? " ends with" : " begins with") + " block " + std::to_string(firstBlock)
                             + " of the vector, as it is cut along axis " + std::to_string(cuts.front().axis) + " first; the vector must be laid out in this order to have block "
                             + std::to_string(first) + " there" + (body.orders.empty() ? std::string() : " (order " + std::to_string(order) + " of the phases)"), {}, first);
    }
}

} // namespace fabricscope
