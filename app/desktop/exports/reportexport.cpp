#include "app/desktop/exports/reportexport.h"

#include "core/base/files/textfile.h"
#include "core/design/referencedfiles.h"
#include "core/insight/comparisonsection.h"
#include "core/report/contentfile.h"
#include "core/report/html.h"
#include "core/report/runfile.h"
#include "core/report/runtext.h"
#include "core/run/memorylimit.h"
#include "core/run/openinput.h"
#include "core/run/rundesign.h"
#include "core/yaml/tree.h"
#include "widgets/report/pages.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

namespace fabricscope {

namespace {

int fail(const Error& error)
{
    std::fprintf(stderr, "error: %s\n", error.text().c_str());
    return exitCode(error.code);
}

/// Refuses a report on top of what it is made from: what was given, and what that refers to.
Status checkTarget(const QString& output, const std::vector<std::string>& given, const Result<LoadedDesign>& design)
{
    std::vector<NamedFile> inputs;
    for (const std::string& path : given) {
        inputs.push_back({"FILE", path});
        inputs.push_back({"FILE", path, true}); // A prefix of traces.
    }
    if (design) {
        for (NamedFile& file : referencedFiles(design.value().design))
            inputs.push_back(std::move(file));
    }
    return checkOutputs({{"--export-report", output.toStdString()}}, inputs);
}

int allThreads()
{
    return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Result<ReportContent> contentOfRun(const QString& output, const std::vector<std::string>& given, const std::string& path, const std::vector<std::string>& others)
{
    const Result<SavedRun> saved = readRun(path);
    if (!saved)
        return saved.error();
    if (Status target = checkTarget(output, given, readDesignText(saved.value().summary.designText, saved.value().summary.designFile)); !target)
        return std::move(target).error();
    std::vector<SavedRun> runs;
    for (const std::string& other : others) {
        Result<SavedRun> read = readRun(other);
        if (!read)
            return std::move(read).error();
        runs.push_back(std::move(read).value());
    }
    WaterfallOptions options;
    options.threads = allThreads();
    options.memoryLimit = defaultMemoryLimit();
    return comparedReport(saved.value(), runs, options);
}

Result<ReportContent> contentOfDesign(const QString& output, const std::vector<std::string>& given, const OpenedInput& input)
{
    Result<LoadedDesign> loaded = input.kind == OpenedInput::Kind::DesignFile ? readDesign(input.path) : readDesignText(input.text, input.folder.empty() ? input.suggestedName : input.folder + '/' + input.suggestedName);
    if (Status target = checkTarget(output, given, loaded); !target)
        return std::move(target).error();
    if (!loaded)
        return std::move(loaded).error();
    RunDesignOptions options;
    options.threads = allThreads();
    options.memoryLimit = defaultMemoryLimit();
    const Result<RunResultPtr> result = runDesign(std::make_shared<const Design>(std::move(loaded.value().design)), loaded.value().diagnostics, options);
    if (!result)
        return result.error();
    if (!result.value()->record().complete)
        return Error{ErrorCode::Stuck, "the simulation cannot finish; these ranks wait for ever:\n" + waitsText(result.value()->record()), {}, {}};
    ReportSource source;
    source.summary = &result.value()->summary;
    source.scenario = result.value()->scenario;
    source.timeline = result.value()->timeline;
    source.designText = input.text;
    if (input.kind == OpenedInput::Kind::DesignFile) {
        Result<std::string> text = readTextFile(input.path, YamlDocument::kMaxBytes);
        if (!text)
            return std::move(text).error();
        source.designText = std::move(text).value();
    }
    return reportContent(source);
}

/// A report that fabricscope-cli hands over: nothing of it is left to choose. Nothing: it is something else.
std::optional<Status> printHandedOver(const QString& output, const std::vector<std::string>& paths)
{
    const Result<std::string> text = paths.size() == 1 ? readTextFile(paths.front(), kMaxRunBytes) : Result<std::string>(Error{});
    if (!text || !looksLikeContentFile(text.value()))
        return std::nullopt;
    if (Status target = checkOutputs({{"--export-report", output.toStdString()}}, {{"FILE", paths.front()}}); !target)
        return target;
    const Result<ReportContent> content = readContentFile(text.value());
    return content ? writeReportFile(output, content.value()) : Status(content.error());
}

} // namespace

Status writeReportFile(const QString& path, const ReportContent& content)
{
    if (path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive))
        return writePdf(path, content);
    return writeReport(path.toStdString(), content);
}

int exportReportHeadless(const QString& output, const QStringList& inputs, const ReportChoice& choice, const QStringList& others)
{
    if (const Status name = checkReportName(output.toStdString(), true); !name)
        return fail(name.error());
    std::vector<std::string> paths;
    for (const QString& input : inputs)
        paths.push_back(input.toStdString());
    std::vector<std::string> otherRuns;
    for (const QString& other : others)
        otherRuns.push_back(other.toStdString());
    if (const std::optional<Status> printed = printHandedOver(output, paths))
        return *printed ? 0 : fail(printed->error());
    const Result<OpenedInput> input = openInputs(paths);
    if (!input)
        return fail(input.error());
    const bool isRun = input.value().kind == OpenedInput::Kind::SavedRun;
    if (!isRun && !otherRuns.empty())
        return fail({ErrorCode::Usage, "--compare is not used with what is no saved run", {}, "fabricscope-cli report --compare, which simulates first"});
    std::vector<std::string> given = paths; // None of them may be written.
    given.insert(given.end(), otherRuns.begin(), otherRuns.end());
    Result<ReportContent> content = isRun ? contentOfRun(output, given, input.value().path, otherRuns) : contentOfDesign(output, given, input.value());
    if (!content)
        return fail(content.error());
    choose(choice, content.value());
    if (const Status status = writeReportFile(output, content.value()); !status)
        return fail(status.error());
    return 0;
}

} // namespace fabricscope
