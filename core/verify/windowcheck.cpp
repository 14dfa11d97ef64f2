#include "core/verify/windowcheck.h"

#include "core/base/axes.h"
#include "core/base/index.h"
#include "core/program/windowturns.h"

#include <algorithm>
#include <string>

namespace fabricscope {

namespace {

const std::vector<PhaseTemplate>& orderAt(const TemplateBody& body, std::size_t order)
{
    return order == 0 ? body.phases : body.orders[order - 1];
}

/// Which orders some chunk runs.
std::vector<bool> ordersInUse(const TemplateBody& body)
{
    std::vector<bool> used(body.orders.size() + 1, false);
    used[0] = body.orderOfChunk.empty();
    for (const std::uint16_t order : body.orderOfChunk)
        used[order] = true;
    return used;
}

} // namespace

void checkWindow(const Program& program, VerifyFindings& findings)
{
    const TemplateBody& body = program.asTemplate();
    if (program.window < 2 || program.chunks <= program.window || !body.orderOfChunk.empty() || !body.chunkWeights.empty())
        return;
    for (std::size_t i = 1; i < body.phases.size(); ++i) {
        const PhaseTemplate& phase = body.phases[i];
        const std::int64_t extent = body.axes[at(phase.axis)];
        if ((i == 1 && extent == 2) || (extent - 1) * (program.chunks - program.window) < program.window)
            continue;
        findings.add("V13", Severity::Warning, "With at most " + std::to_string(program.window) + " chunks in a phase at once, ranks may let " + std::to_string(program.chunks)
                         + " chunks into the " + (windowPlace(phase) % 2 == 0 ? "reduce or exchange" : "gather or broadcast") + " phases on axis " + std::to_string(phase.axis)
                         + " in different orders, where chunks overtake each other on the way, and then wait for each other for ever");
        return; // One finding says enough.
    }
}

void checkPlacement(const Program& program, VerifyFindings& findings)
{
    const bool scatters = program.op == CollectiveOp::ReduceScatter;
    if (!scatters && program.op != CollectiveOp::AllGather)
        return;
    const TemplateBody& body = program.asTemplate();
    const std::vector<bool> used = ordersInUse(body);
    for (std::size_t order = 0; order < used.size(); ++order) {
        if (!used[order])
            continue;
        std::vector<PhaseTemplate> cuts = orderAt(body, order);
        if (!scatters)
            std::reverse(cuts.begin(), cuts.end()); // What is gathered last was cut first.
        // A step along an axis passes `stride` ranks and `weight` blocks. Lower ranks than the first stride that differs do not move along that axis.
        std::vector<std::int64_t> weight(body.axes.size(), 1);
        std::int64_t size = 1;
        for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
            weight[at(cut->axis)] = size;
            size *= body.axes[at(cut->axis)];
        }
        std::int32_t first = -1; // Rank with another block than its own.
        std::int64_t firstBlock = 0;
        const std::vector<std::int64_t> strides = stridesOf<std::int64_t>(body.axes);
        for (std::size_t axis = 0; axis < weight.size() && first < 0; ++axis) {
            if (weight[axis] != strides[axis]) {
                first = static_cast<std::int32_t>(strides[axis]);
                firstBlock = weight[axis];
            }
        }
        if (first >= 0)
            findings.add("V16", Severity::Note, "Rank " + std::to_string(first) + (scatters ? " ends with" : " begins with") + " block " + std::to_string(firstBlock)
                             + " of the vector, as it is cut along axis " + std::to_string(cuts.front().axis) + " first; the vector must be laid out in this order to have block "
                             + std::to_string(first) + " there" + (body.orders.empty() ? std::string() : " (order " + std::to_string(order) + " of the phases)"), {}, first);
    }
}

} // namespace fabricscope
