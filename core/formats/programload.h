#pragma once

#include "core/base/result.h"
#include "core/formats/programform.h"
#include "core/language/script.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

struct ProgramReadOptions {
    std::map<std::string, double> parameters = {}; ///< For a script.
    std::stop_token stop = {};
};

/// A program of a collective as read, in whatever form.
struct LoadedProgram {
    ProgramPtr program; ///< Null: the findings have errors that leave none (MSCCL XML).
    ProgramForm form = ProgramForm::Xml;
    std::vector<ScriptParameter> parameters = {}; ///< Of a script, as its phases: Script.
    std::vector<std::string> phases = {};

    /// Is ExplicitBody::sourceId a line of the text?
    bool hasLines() const { return form == ProgramForm::Xml || form == ProgramForm::Script; }
};

/// Reads a text of the form (no graphs). `name` is for messages; what its reader noticed is added to `findings`, also before an error. Errors: those of
/// the form's reader (mscclxml.h, programjson.h, mscclpp.h, script.h); Cancelled.
Result<LoadedProgram> parseProgram(ProgramForm form, std::string text, const std::string& name, Diagnostics& findings, const ProgramReadOptions& options = {});

/// Reads a file that is meant to be a program, or the graphs with this prefix: a script by its ending, JSON by its beginning, else MSCCL XML, so that the
/// reader can say what is missing. Graphs that we wrote become the programs they were. Errors too: NotReadable.
Result<LoadedProgram> loadProgram(const std::string& path, Diagnostics& findings, const ProgramReadOptions& options = {});

/// The first error among findings, for who needs a program without any.
Status firstError(const Diagnostics& findings);

} // namespace fabricscope
