#pragma once

#include "core/cases/casefindings.h"
#include "core/report/reportcontent.h"

#include <string>
#include <vector>

namespace fabricscope {

/// A run of a case as it is kept.
struct StoredRun {
    std::string file;                  ///< "rail_4.json".
    std::string text;                  ///< What the command printed.
    std::vector<std::string> warnings; ///< Of the result.
};

struct CaseFile {
    std::string name;
    std::string text;
};

/// The case as a report: behind every number stands which one it is, and a section says of each which run or formula gives it, and of each run the command
/// that repeats it and the file it is kept in. `program`: "Fabricscope 1.0". \pre a stored run for each run
ReportContent caseReport(const StudiedCase& studied, const CaseFindings& findings, const std::vector<StoredRun>& runs, const std::vector<CaseFile>& files,
                         const std::string& program);

} // namespace fabricscope
