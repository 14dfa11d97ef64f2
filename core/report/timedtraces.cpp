#include "core/report/timedtraces.h"

#include "core/base/files/outputfiles.h"
#include "core/base/index.h"
#include "core/report/outputfile.h"

#include <vector>

namespace fabricscope {

ExportedTraces timedTraces(const RunRecord& record, const Workload& workload)
{
    std::vector<TaskMoments> moments(at(workload.rankCount));
    for (const RankClass& ranks : record.classes) {
        if (!ranks.tasks)
            continue;
        for (const RankSet::Interval& interval : ranks.ranks.intervals()) {
            for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                moments[at(rank)] = {ranks.tasks->issuePs, ranks.tasks->endPs};
        }
    }
    return ExportedTraces(workload, std::move(moments));
}

Result<Diagnostics> writeTimedTraces(const std::string& prefix, const RunRecord& record, const Workload& workload, OutputFiles* files, const std::stop_token& stop)
{
    OutputFiles own;
    OutputFiles& all = files ? *files : own;
    const ExportedTraces traces = timedTraces(record, workload);
    if (Status status = traces.write(prefix, &all, stop); !status)
        return std::move(status).error();
    if (const std::string groups = traces.groupsText(); !groups.empty()) {
        if (Status status = writeOutputFile(prefix + ".json", groups, &all); !status)
            return std::move(status).error();
    }
    if (Status status = files ? Status() : own.commit(); !status)
        return std::move(status).error();
    return traces.notes();
}

} // namespace fabricscope
