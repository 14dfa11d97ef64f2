#include "core/trace/lint.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/trace/dependencies.h"
#include "core/trace/lintcross.h"
#include "core/trace/nodecheck.h"

#include <algorithm>
#include <unordered_map>

namespace fabricscope {

namespace {

void checkRankCount(const TraceSet& traces, std::int64_t ranks, Findings& findings)
{
    const std::int64_t there = traces.rankCount() + traces.surplusFiles();
    if (there == ranks)
        return;
    Place place;
    place.file = traces.prefix();
    const std::string message = "the machine has " + std::to_string(ranks) + " NPUs, the workload has traces of " + std::to_string(there) + " ranks";
    findings.add(finding("rank-count", invalidInput(message, place, "one trace per NPU")));
}

/// Things about sizes and times of the workload as a whole.
class WorkSummary {
public:
    void look(const TraceSet& traces, std::int64_t rank, Findings& findings, const std::stop_token& stop)
    {
        const RankTrace& trace = traces.rank(rank);
        for (std::uint32_t node = 0; node < trace.size(); ++node) {
            checkStop(stop);
            if (trace.has(node, EtField::Duration))
                ++m_durations;
            if (trace.type(node) != static_cast<std::int32_t>(EtNodeType::Comp))
                continue;
            ++m_computations;
            if (trace.has(node, EtField::NumOps))
                ++m_operations;
            else if (!trace.has(node, EtField::Duration) && !trace.onHost(node))
                findings.add(Severity::Note, "comp-without-work", [] { return std::string("a computation has neither duration_micros nor num_ops; it takes next to no time"); },
                    [&] { return traces.place(rank, node); });
        }
    }

    void conclude(const TraceSet& traces, const LintOptions& options, Findings& findings) const
    {
        Place place;
        place.file = traces.prefix();
        if (m_computations > 0 && m_operations == 0 && m_durations == 0)
            findings.add(warning("no-durations", "no node has a duration or a number of operations: computation takes no time in a run", place));
        const bool elements = traces.rankCount() > 0 && traces.rank(0).metadata().textOf("schema") == "symbolic_tensor_network";
        if (elements && options.bytesPerElement == 1)
            findings.add(warning("element-counts-not-bytes", "the traces come from the symbolic tensor graph generator, whose comm_size and tensor_size are numbers of elements, not bytes; "
                "give --bytes-per-element (2 for 16-bit numbers)", place));
    }

private:
    std::int64_t m_computations = 0;
    std::int64_t m_operations = 0;
    std::int64_t m_durations = 0;
};

bool isNumber(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Groups that collectives of the rank use: names that ASTRA-sim cannot read, groups of one.
void checkGroupsUsed(const TraceSet& traces, std::int64_t rank, const GroupResolver& groups, Findings& findings, const std::stop_token& stop)
{
    const RankTrace& trace = traces.rank(rank);
    std::vector<std::int64_t> first(trace.groupNames().size(), -1);
    for (std::uint32_t node = 0; node < trace.size(); ++node) {
        checkStop(stop);
        if (trace.type(node) != static_cast<std::int32_t>(EtNodeType::Collective) || !trace.has(node, EtField::PgName) || trace.onHost(node))
            continue;
        std::int64_t& seen = first[at(trace.value(node, EtField::PgName))];
        if (seen < 0)
            seen = node;
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] < 0)
            continue;
        const std::string& name = trace.groupNames()[i];
        const auto place = [&] { return traces.place(rank, static_cast<std::uint32_t>(first[i])); };
        if (!name.empty() && !isNumber(name))
            findings.add(Severity::Warning, "group-name-not-number", [&] { return "the group name \"" + name + "\" is not a number; ASTRA-sim aborts on it"; }, place);
        const int group = groups.resolve(trace, name);
        if (group > GroupResolver::kWorld && groups.size(group) == 1)
            findings.add(Severity::Note, "group-of-one", [&] { return "collectives in group \"" + name + "\" have one member and are done at once; ASTRA-sim waits for ever"; }, place);
    }
}

} // namespace

Diagnostics lintTraces(const TraceSet& traces, const CommGroups& groups, const LintOptions& options)
{
    Findings findings;
    const std::int64_t ranks = options.rankCount > 0 ? options.rankCount : traces.rankCount();
    checkRankCount(traces, ranks, findings);
    for (Diagnostic& diagnostic : checkCommGroups(groups, ranks))
        findings.add(std::move(diagnostic));
    const GroupResolver resolver(traces, groups, options.stop);
    for (const Diagnostic& diagnostic : resolver.diagnostics())
        findings.add(diagnostic);

    WorkSummary summary;
    bool sound = true;
    std::vector<std::shared_ptr<const ResolvedDependencies>> resolved;
    std::unordered_map<const RankTrace*, std::shared_ptr<const ResolvedDependencies>> known;
    for (std::int64_t rank = 0; rank < traces.rankCount(); ++rank) {
        const RankTrace& trace = traces.rank(rank);
        auto& entry = known[&trace];
        if (!entry)
            entry = std::make_shared<const ResolvedDependencies>(resolveDependencies(trace, options.ctrlDeps, options.stop));
        resolved.push_back(entry);
        checkDialect(traces, rank, findings);
        checkDependencies(traces, rank, *entry, options.ctrlDeps, findings, options.stop);
        checkNodes(traces, rank, ranks, resolver, findings, options.stop);
        checkGroupsUsed(traces, rank, resolver, findings, options.stop);
        summary.look(traces, rank, findings, options.stop);
        sound = sound && entry->cycle.empty() && entry->fault(DependencyFault::DuplicateId).count == 0;
    }
    summary.conclude(traces, options, findings);
    if (sound)
        lintAcrossRanks(traces, resolver, resolved, findings, options.stop);
    return findings.take();
}

} // namespace fabricscope
