// What a program loses on its way into graphs.
#include "core/base/index.h"
#include "core/programio/programtraces.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::int64_t kPsPerMicro = 1'000'000;

/// "1 sum", "3 sums".
std::string counted(std::int64_t count, const std::string& what)
{
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// Does a phase add several messages to the same data, in one pass of the memory or as they come?
bool sumsJointly(const TemplateBody& body)
{
    const auto joint = [&](const PhaseTemplate& phase) {
        const std::int32_t extent = body.axes[at(phase.axis)];
        const bool folded = phase.algorithm == Algorithm::HalvingDoubling && (extent & (extent - 1)) != 0;
        return (phase.kind == PhaseKind::ReduceScatter && extent > 2 && (folded || phase.algorithm == Algorithm::Direct))
            || (phase.kind == PhaseKind::AllReduce && phase.algorithm == Algorithm::DoubleBinaryTree && extent > 2);
    };
    return std::any_of(body.phases.begin(), body.phases.end(), joint);
}

void noteOperations(const Program& program, std::int64_t bytes, Diagnostics& notes)
{
    const ExplicitBody& body = program.asExplicit();
    std::int64_t sums = 0;
    std::int64_t copies = 0;
    std::int64_t rounded = 0;
    std::int64_t routed = 0;
    bool open = false;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        const OpKind kind = body.kind[op];
        sums += kind == OpKind::ReceiveReduce || kind == OpKind::Reduce ? 1 : 0;
        copies += kind == OpKind::Copy ? 1 : 0;
        rounded += kind == OpKind::Compute && (body.durationOf(op) == 0 || body.durationOf(op) % kPsPerMicro != 0) ? 1 : 0;
        routed += kind == OpKind::Send && body.routeOf(op) >= 0 ? 1 : 0;
        open = open || (kind == OpKind::Send && body.bytesOf(op) < 0 && bytes < 0);
    }
    if (sums + copies > 0) {
        notes.push_back(note("graph-sums", (sums > 0 ? counted(sums, "sum") : std::string()) + (sums > 0 && copies > 0 ? " and " : "") + (copies == 0 ? "" : copies == 1 ? "1 copy" : std::to_string(copies) + " copies")
                                               + (sums + copies == 1 ? " becomes a computation" : " become computations") + ", which take 1 ns each where only the nodes of the graph are read"));
    }
    if (body.receiveSlots > 0 || program.protocol != WireProtocol::Any) {
        const std::string which = body.receiveSlots > 0 ? counted(body.receiveSlots, "receive slot") + " per connection" : "the receive slots of protocol " + std::string(wireProtocolKey(program.protocol));
        notes.push_back(note("graph-slots", which + ": nodes of a graph have no such limit, so sends never wait for the receiver"));
    }
    if (rounded > 0) {
        notes.push_back(note("graph-durations", counted(rounded, "computation") + (rounded == 1 ? " lasts" : " last") + " no whole number of microseconds above 0: rounded, and 1 ns where that gives 0"));
    }
    if (routed > 0)
        notes.push_back(note("graph-routes", counted(routed, "send") + (routed == 1 ? " has a way of its own" : " have ways of their own") + ", which the nodes of a graph do not name"));
    if (open) {
        notes.push_back(note("graph-sizes", std::string("messages have chunks but no bytes, which ASTRA-sim refuses") + (body.chunkWeights.empty() ? "" : "; that the chunks are unequal is not in the nodes")
                                                + ": give the size of the collective"));
    }
}

} // namespace

Diagnostics programTraceNotes(const Program& program, std::int64_t bytes)
{
    Diagnostics notes;
    if (!program.isTemplate()) {
        noteOperations(program, bytes, notes);
    } else if (sumsJointly(program.asTemplate())) {
        notes.push_back(note("graph-joint-sums", "the algorithm adds several messages to the same data at once; written out they are added one after the other, which takes another time where the memory is slow"));
    }
    return notes;
}

} // namespace fabricscope
