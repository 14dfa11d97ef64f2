#include "app/cli/output/tunedoutputs.h"

#include "core/base/decimal.h"
#include "core/choose/tuner.h"
#include "core/design/accuracyconfig.h"
#include "core/report/outputfile.h"
#include "core/step/replaychecks.h"

namespace fabricscope::cli {

namespace {

/// What a choice by simulated times is worth on this fabric.
std::string worthOf(const Design& design)
{
    if (!design.accuracy)
        return "nobody measured this fabric: on a real machine the table may choose what is slower (calibrate makes a fabric of logs)";
    return "times on this fabric are " + decimal(design.accuracy->errorPct) + " % off: choices that are closer are none";
}

Status writeTable(const Design& design, const std::vector<CollectiveChoice>& choices, const std::string& path, Session& session)
{
    std::vector<std::int64_t> skipped;
    std::vector<TunerRow> rows;
    for (std::size_t begin = 0; begin < choices.size();) {
        std::size_t end = begin;
        while (end < choices.size() && choices[end].op == choices[begin].op)
            ++end;
        const std::vector<TunerRow> more = tunerRows({choices.begin() + static_cast<std::ptrdiff_t>(begin), choices.begin() + static_cast<std::ptrdiff_t>(end)}, skipped);
        rows.insert(rows.end(), more.begin(), more.end());
        begin = end;
    }
    const auto table = writeTunerTable(rows);
    if (!table)
        return table.error();
    if (!skipped.empty())
        session.say("note: NCCL has none of the algorithms that could be simulated at " + showBytes({skipped.front()}) + (skipped.size() > 1 ? " and " + std::to_string(skipped.size() - 1) + " more sizes" : "") + ": no line for them");
    session.say("note: " + worthOf(design));
    return writeOutputFile(path, "# " + worthOf(design) + '\n' + table.value(), session.outputs());
}

/// A program for each run of sizes with the same fastest one, written at its first size.
Status writePrograms(const Design& design, const std::vector<CollectiveChoice>& choices, const std::string& prefix, Session& session)
{
    const CollectiveChoice* before = nullptr;
    for (const CollectiveChoice& choice : choices) {
        const bool same = before && before->op == choice.op && before->chosen == choice.chosen;
        before = &choice;
        if (same)
            continue;
        const Result<ProgramPtr> program = tunedProgram(design, choice.op, choice.bytes, session.stopToken());
        if (!program)
            return program.error();
        const Result<std::string> text = programXml(program.value(), session.stopToken());
        if (!text && text.error().code != ErrorCode::Unsupported)
            return text.error();
        const std::string path = prefix + '.' + std::string(collectiveKey(choice.op)) + '.' + std::to_string(choice.bytes) + ".xml";
        if (!text)
            session.say("note: " + choice.chosen + " from " + showBytes({choice.bytes}) + " on is not written: " + text.error().message);
        else if (Status status = writeOutputFile(path, text.value(), session.outputs()); !status)
            return status;
    }
    return {};
}

} // namespace

Status writeTuned(const Design& design, const std::vector<CollectiveChoice>& choices, const TunedFiles& files, Session& session)
{
    if (!files.table.empty()) {
        if (Status status = writeTable(design, choices, files.table, session); !status)
            return status;
    }
    return files.programs.empty() ? Status() : writePrograms(design, choices, files.programs, session);
}

} // namespace fabricscope::cli
