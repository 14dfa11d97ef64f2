#include "core/report/resultrows.h"

#include "core/base/stop.h"
#include "core/base/stoppablesort.h"

#include <algorithm>
#include <tuple>

namespace fabricscope {

namespace {

/// A finding without its severity and rule: "net.yml:3: ...".
std::string plainText(const Diagnostic& entry)
{
    return toError(entry).text();
}

} // namespace

std::vector<std::string> warningsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Warning)
            out.push_back(plainText(entry));
    }
    return out;
}

std::vector<std::string> assumptionsOf(const RunSummary& summary)
{
    std::vector<std::string> out;
    for (const Parameter& parameter : summary.parameters) {
        if (parameter.assumed)
            out.push_back(parameter.name + " = " + parameter.value + (parameter.source.empty() ? "" : " (" + parameter.source + ")"));
    }
    for (const Diagnostic& entry : summary.diagnostics) {
        if (entry.severity == Severity::Note)
            out.push_back(plainText(entry));
    }
    return out;
}

std::vector<RankClass> resultRows(const RunRecord& record)
{
    return resultRows(record, {});
}

std::vector<RankClass> resultRows(const RunRecord& record, const std::stop_token& stop)
{
    const auto key = [](const RankClass& row) {
        const RankTimes& t = row.times;
        return std::tuple(row.job, t.finished, t.finish, t.exposedComm, t.compute, t.comm, t.host, t.memory);
    };
    std::vector<const RankClass*> sorted;
    for (const RankClass& row : record.classes) {
        if (!row.ranks.empty())
            sorted.push_back(&row);
    }
    sortUntilStopped(sorted, [&](const RankClass* a, const RankClass* b) { return key(*a) < key(*b); }, stop);
    std::vector<RankClass> rows;
    for (std::size_t i = 0; i < sorted.size();) {
        checkStop(stop);
        std::vector<RankSet::Interval> intervals;
        std::size_t end = i;
        for (; end < sorted.size() && key(*sorted[end]) == key(*sorted[i]); ++end)
            intervals.insert(intervals.end(), sorted[end]->ranks.intervals().begin(), sorted[end]->ranks.intervals().end());
        std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        RankClass row;
        row.job = sorted[i]->job;
        row.times = sorted[i]->times;
        if (end - i == 1) { // A million ranks are no reason to count them.
            row.ranks = sorted[i]->ranks;
            intervals.clear();
        }
        for (const RankSet::Interval& interval : intervals) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                row.ranks.add(rank);
        }
        rows.push_back(std::move(row));
        i = end;
    }
    std::sort(rows.begin(), rows.end(), [](const RankClass& a, const RankClass& b) { return a.ranks.intervals().front().first < b.ranks.intervals().front().first; });
    return rows;
}

std::string ranksText(const RankSet& ranks)
{
    return (ranks.count() == 1 ? "rank " : "ranks ") + ranks.text();
}

} // namespace fabricscope
