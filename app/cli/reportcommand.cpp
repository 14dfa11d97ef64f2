// fabricscope-cli report: a page about a saved run, or about a design, which is simulated first.
#include "app/cli/commandline.h"
#include "app/cli/filekinds.h"
#include "app/cli/outputs.h"
#include "app/cli/output/pdfreport.h"
#include "app/cli/runflags.h"
#include "core/base/files/textfile.h"
#include "core/design/file/readdesign.h"
#include "core/design/referencedfiles.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/base/stop.h"
#include "core/report/reportchoice.h"
#include "core/report/runtext.h"

#include <memory>

namespace fabricscope::cli {

namespace {

struct ReportFlags {
    std::string input;
    std::string out;
    std::string sections = reportPartKeys();
    std::string question;
    std::string paper = "a4";
    RunFlags run;
};

Result<ReportChoice> choiceOf(const ReportFlags& flags, const Command& command)
{
    Result<std::vector<ReportPart>> sections = reportPartsOf(flags.sections);
    if (!sections)
        return std::move(sections).error();
    const Result<ReportPaper> paper = reportPaperOf(flags.paper);
    if (!paper)
        return paper.error();
    ReportChoice choice;
    choice.sections = std::move(sections).value();
    choice.paper = paper.value();
    if (command.isGiven("--question"))
        choice.question = flags.question;
    return choice;
}

/// The page, in the form its ending names.
Status writePage(const std::string& path, const SavedRun& saved, const ReportChoice& choice, Session& session)
{
    if (isPdfName(path))
        return writePdfReport(path, saved.summary, saved.cost, session, choice);
    const std::stop_token stop = session.stopToken();
    return untilStopped([&]() -> Status {
        ReportContent content = reportContent(saved.summary, stop);
        choose(choice, content);
        return writeReport(path, content, session.outputs(), stop);
    });
}

/// The run or design, and what it was made of.
std::vector<NamedFile> inputsOf(const std::string& input, const Result<LoadedDesign>& design)
{
    std::vector<NamedFile> files{{"INPUT", input}};
    if (design) {
        for (NamedFile& file : referencedFiles(design.value().design))
            files.push_back(std::move(file));
    }
    return files;
}

void run(const ReportFlags& flags, const Command& command, Session& session)
{
    const OptionsRead page{"with --out", {"--out", "--sections", "--question", "--paper"}, "one of the two: what is printed, or the page"};
    const OptionsRead printed{"without --out", {"--ranks", "--json"}, "--out FILE.html or FILE.pdf"};
    if (const Status status = command.checkRead(flags.out.empty() ? printed : page); !status)
        return session.fail(status);
    const Result<ReportChoice> choice = choiceOf(flags, command);
    if (!choice)
        return session.fail(choice.error());
    if (!flags.out.empty()) {
        if (Status name = checkReportName(flags.out, true); !name) {
            Error error = std::move(name).error();
            error.place.field = "--out";
            return session.fail(error);
        }
    }
    Result<RunRequest> request = understand(flags.run);
    if (!request)
        return session.fail(request.error());
    request.value().flags.report = flags.out; // Asks the run for what a report shows.
    const Result<std::string> text = readTextFile(flags.input, kMaxRunBytes);
    static constexpr std::string_view kReported[] = {"a saved run", "a design"};
    if (!text)
        return session.fail(withKindNamed(text.error(), flags.input, {"a run (simulate --save) or a design", kReported}));

    SavedRun saved;
    if (looksLikeRunFile(text.value())) {
        Result<SavedRun> read = readRunText(text.value(), flags.input, session.stopToken());
        if (!read)
            return session.fail(read.error());
        saved = std::move(read).value();
        const auto inputs = inputsOf(flags.input, readDesignText(saved.summary.designText, saved.summary.designFile, {}, session.stopToken()));
        if (Status status = claimOutputs(session, {{"--out", flags.out}}, inputs, flags.run.json); !status)
            return session.fail(status);
    } else {
        Result<LoadedDesign> loaded = readDesign(flags.input, {}, session.stopToken());
        if (!loaded)
            return session.fail(withKindNamed(loaded.error(), flags.input, {"a run (simulate --save) or a design", kReported}));
        if (Status status = claimOutputs(session, {{"--out", flags.out}}, inputsOf(flags.input, loaded), flags.run.json); !status)
            return session.fail(status);
        std::optional<FinishedRun> computed = computeRun(session, std::move(loaded).value(), request.value());
        if (!computed)
            return;
        saved = {std::move(computed->summary), computed->cost};
    }
    if (flags.out.empty())
        session.print(flags.run.json ? runJson(saved.summary, saved.cost, request.value().rows) : runText(saved.summary, saved.cost, request.value().rows));
    else
        session.fail(writePage(flags.out, saved, choice.value(), session));
}

} // namespace

void addReport(Command& program, Session& session)
{
    auto flags = std::make_shared<ReportFlags>();
    Command& command = *program.add_subcommand("report", "Report on a saved run, or on a design");
    command.add_option("INPUT", flags->input, "A run (simulate --save), or a design file")->required();
    command.add_option("--out", flags->out, "Write FILE.html or FILE.pdf; without it the result is printed");
    command.add_option("--sections", flags->sections, "Sections of the page between commas, or none: " + reportPartKeys());
    command.add_option("--question", flags->question, "The question the report answers; without it the notes of the design");
    command.add_option("--paper", flags->paper, "Paper of the page: a4 or letter");
    command.add_option("--ranks", flags->run.ranks, "Rows of ranks in a printed result: all, classes or none");
    command.add_flag("--json", flags->run.json, "Print JSON");
    command.callback([flags, &command, &session] { run(*flags, command, session); });
}

} // namespace fabricscope::cli
