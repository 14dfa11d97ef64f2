// fabricscope-cli case: a question answered by runs, with a report in which every number says where it is from.
#include "app/cli/commandline.h"
#include "app/cli/explore/caseruns.h"
#include "app/cli/outputs.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/version.h"
#include "core/base/decimal.h"
#include "core/report/html.h"
#include "core/report/jsonwriter.h"
#include "core/report/outputfile.h"
#include "core/report/textcolumns.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace fabricscope::cli {

namespace {

constexpr std::string_view kReport = "report.html";

struct CaseFlags {
    std::string name;
    std::string out;
    bool json = false;
};

/// A case with all that it gave.
struct AnsweredCase {
    OpenedCase opened;
    CaseAnswers runs;
    CaseFindings findings;
};

void optionalMember(JsonWriter& json, std::string_view key, const std::string& text)
{
    json.key(key);
    text.empty() ? json.null() : json.string(text);
}

void numberRow(JsonWriter& json, const AnsweredCase& answered, std::size_t index)
{
    const StudiedCase& studied = answered.opened.studied;
    const CaseNumber& number = studied.numbers[index];
    const CaseValue& value = answered.findings.values[index];
    json.beginCompactObject();
    json.member("name", number.name);
    json.member("about", number.about);
    json.member("unit", keyOf(kCaseUnitKeys, number.unit));
    json.key("value");
    number.unit == CaseUnit::Word ? json.string(value.text) : json.number(decimal(value.number));
    json.member("text", value.text);
    optionalMember(json, "run", number.run ? studied.runs[*number.run].name : "");
    optionalMember(json, "path", number.run ? "result." + number.value : "");
    optionalMember(json, "command", number.run ? studied.runs[*number.run].commandLine() : "");
    optionalMember(json, "formula", number.formula ? number.formula->text() : "");
    json.key("uses");
    json.beginCompactArray();
    for (const std::size_t used : number.formula ? number.formula->uses() : number.least)
        json.string(studied.numbers[used].name);
    json.endArray();
    json.endObject();
}

void runRow(JsonWriter& json, const CaseRun& run, const StoredRun& stored)
{
    json.beginObject();
    json.member("name", run.name);
    json.member("about", run.about);
    json.member("command", run.commandLine());
    json.key("arguments");
    json.beginCompactArray();
    for (const std::string& word : run.arguments())
        json.string(word);
    json.endArray();
    json.member("file", stored.file);
    json.key("warnings");
    json.beginArray();
    for (const std::string& warning : stored.warnings)
        json.string(warning);
    json.endArray();
    json.endObject();
}

void publishedRow(JsonWriter& json, const AnsweredCase& answered, const PublishedNumber& row)
{
    json.beginCompactObject();
    json.member("what", row.what);
    json.key("least");
    json.number(decimal(row.least));
    json.key("most");
    json.number(decimal(row.most));
    json.member("ours", answered.opened.studied.numbers[row.ours].name);
    json.member("difference", shownDifference(answered.findings.values[row.ours].number, row));
    json.member("source", row.source);
    optionalMember(json, "remark", row.remark);
    json.endObject();
}

template <typename Rows, typename Write>
void rows(JsonWriter& json, std::string_view key, const Rows& all, const Write& write)
{
    json.key(key);
    json.beginArray();
    for (const auto& row : all)
        write(row);
    json.endArray();
}

std::string caseJson(const AnsweredCase& answered, const Session& session)
{
    const StudiedCase& studied = answered.opened.studied;
    JsonWriter json(session.stopToken());
    json.beginObject();
    json.member("schema", 1);
    json.key("result");
    json.beginObject();
    json.member("title", studied.title);
    json.member("question", studied.question);
    json.member("answer", answered.findings.answer);
    optionalMember(json, "found", studied.found);
    json.key("numbers");
    json.beginArray();
    for (std::size_t i = 0; i < studied.numbers.size(); ++i)
        numberRow(json, answered, i);
    json.endArray();
    rows(json, "published", studied.published, [&](const PublishedNumber& row) { publishedRow(json, answered, row); });
    rows(json, "notes", studied.notes, [&](const std::string& note) { json.string(note); });
    json.key("runs");
    json.beginArray();
    for (std::size_t i = 0; i < studied.runs.size(); ++i)
        runRow(json, studied.runs[i], answered.runs.stored[i]);
    json.endArray();
    json.endObject();
    json.key("run");
    json.beginObject();
    json.key("wall_s");
    json.number(fixedDecimal(session.elapsedMicroseconds(), 6));
    json.endObject();
    json.endObject();
    return json.text() + '\n';
}

std::string caseText(const AnsweredCase& answered, const std::string& out, const Session& session)
{
    const StudiedCase& studied = answered.opened.studied;
    TextColumns numbers({"number", "from", "value"}, 2, session.stopToken());
    for (std::size_t i = 0; i < studied.numbers.size(); ++i) {
        const CaseNumber& number = studied.numbers[i];
        numbers.add({number.about, number.run ? studied.runs[*number.run].name : number.formula ? number.formula->text() : "the least", answered.findings.values[i].text});
    }
    std::string text = studied.title + "\n\nQuestion: " + studied.question + "\nAnswer:   " + answered.findings.answer + "\n\n" + numbers.text() + (studied.published.empty() ? "" : "\n");
    for (const PublishedNumber& row : studied.published)
        text += "Published: " + row.what + ", here " + answered.findings.values[row.ours].text + " (" + shownDifference(answered.findings.values[row.ours].number, row) + "); " + row.source + '\n';
    text += "\nRuns:\n";
    for (const CaseRun& run : studied.runs)
        text += "  " + run.commandLine() + '\n';
    return text + (out.empty() ? "The files of the runs and a report: --out FOLDER\n" : "Written to " + out + ": " + std::string(kReport) + ", the files of the case, and what each run printed\n");
}

/// Files that are written, by their names in the folder.
std::vector<CaseFile> outputsOf(const AnsweredCase& answered, const Session& session)
{
    std::vector<CaseFile> out = answered.opened.files;
    for (const StoredRun& run : answered.runs.stored)
        out.push_back({run.file, run.text});
    const ReportContent report = caseReport(answered.opened.studied, answered.findings, answered.runs.stored, answered.opened.files, std::string("Fabricscope ") + kVersion);
    out.push_back({std::string(kReport), reportHtml(report, session.stopToken())});
    return out;
}

/// Refused before anything runs: a file of the case that would be written over, or a folder that is a file.
Status checkFolder(const CaseFlags& flags, const OpenedCase& opened)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::exists(flags.out, ignored) && !fs::is_directory(flags.out, ignored)) {
        Error error{ErrorCode::NotWritable, flags.out + " is no folder", {}, "a folder, or the name of a new one"};
        error.place.field = "--out";
        return error;
    }
    std::vector<NamedFile> inputs;
    std::vector<NamedFile> outputs;
    for (const CaseFile& file : opened.files) {
        inputs.push_back({"the case", (fs::path(opened.studied.file).parent_path() / file.name).string()});
        outputs.push_back({"--out", (fs::path(flags.out) / file.name).string()});
    }
    return checkOutputs(outputs, inputs);
}

Status writeFolder(const CaseFlags& flags, const AnsweredCase& answered, Session& session)
{
    namespace fs = std::filesystem;
    const std::vector<CaseFile> files = outputsOf(answered, session);
    std::error_code failure;
    fs::create_directories(flags.out, failure);
    if (failure) {
        Error error{ErrorCode::NotWritable, flags.out + " cannot be made: " + failure.message(), {}, "a folder that can be written"};
        error.place.field = "--out";
        return error;
    }
    for (const CaseFile& file : files) {
        if (const Status status = writeOutputFile((fs::path(flags.out) / file.name).string(), file.text, session.outputs()); !status)
            return status;
    }
    return {};
}

void run(const CaseFlags& flags, Session& session)
{
    Result<OpenedCase> opened = openCase(flags.name, session);
    if (!opened)
        return session.fail(opened.error());
    if (const Status status = flags.out.empty() ? Status() : checkFolder(flags, opened.value()); !status)
        return session.fail(status);
    AnsweredCase answered{std::move(opened).value(), {}, {}};
    Result<CaseAnswers> runs = runCase(answered.opened, session);
    if (!runs)
        return session.fail(runs.error());
    answered.runs = std::move(runs).value();
    Result<CaseFindings> findings = findingsOf(answered.opened.studied, answered.runs.answers);
    if (!findings)
        return session.fail(findings.error());
    answered.findings = std::move(findings).value();
    const StudiedCase& studied = answered.opened.studied;
    if (!studied.found.empty() && studied.found != answered.findings.answer)
        session.say("warning: the case was written with another answer: " + studied.found);
    if (const Status status = flags.out.empty() ? Status() : writeFolder(flags, answered, session); !status)
        return session.fail(status);
    session.print(flags.json ? caseJson(answered, session) : caseText(answered, flags.out, session));
}

} // namespace

void addCase(Command& program, Session& session)
{
    auto flags = std::make_shared<CaseFlags>();
    Command& command = *program.add_subcommand("case", "Answer a question by its runs: a case study that comes with the program, or one of your own");
    command.add_option("NAME", flags->name, "A case study (examples lists them), or a file with a section case (manual cases)")->required();
    command.add_option("--out", flags->out, "Write the designs, what each run printed and report.html to this folder")->type_name("FOLDER");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { run(*flags, session); });
}

} // namespace fabricscope::cli
