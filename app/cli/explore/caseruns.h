#pragma once

#include "core/base/result.h"
#include "core/cases/casereport.h"
#include "core/cases/studiedcase.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace fabricscope::cli {

class Session;

/// A case, the files beside it, and how it is called in messages.
struct OpenedCase {
    StudiedCase studied;
    std::vector<CaseFile> files; ///< The case itself first.
};

/// A case that comes with the program by its name ("rail-clos"), else one of the user's by its file. Errors: also those of the file.
Result<OpenedCase> openCase(const std::string& name, const Session& session);

/// What all runs of a case printed.
struct CaseAnswers {
    std::vector<StoredRun> stored;
    std::vector<nlohmann::json> answers; ///< The same as JSON.
};

/// Runs them one after the other, each as its command line would be run in a folder of the files. Errors: that of the first run that fails, with its exit code and
/// the line of the run.
Result<CaseAnswers> runCase(const OpenedCase& opened, Session& session);

} // namespace fabricscope::cli
