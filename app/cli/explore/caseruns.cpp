#include "app/cli/explore/caseruns.h"

#include "app/cli/embeddedtexts.h"
#include "app/cli/filekinds.h"
#include "app/cli/runflags.h"
#include "app/cli/session.h"
#include "app/cli/shared/commandset.h"
#include "core/base/files/textfile.h"
#include "core/base/nearestword.h"
#include "core/cases/readcase.h"
#include "core/run/inputkind.h"
#include "core/yaml/tree.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace fabricscope::cli {

namespace {

constexpr std::string_view kEnding = ".yaml";
constexpr std::string_view kCaseFile = "/case";

/// The files of a shipped case by their names in its folder; empty: there is no such case.
std::vector<CaseFile> shippedFiles(const std::string& name)
{
    std::vector<CaseFile> files;
    for (const EmbeddedText& text : caseTexts()) {
        if (text.name.starts_with(name + '/'))
            files.push_back({std::string(text.name.substr(name.size() + 1)) + std::string(kEnding), std::string(text.text)});
    }
    return files;
}

Result<StudiedCase> studiedOf(const CaseFile& file, const std::string& path, const Session& session)
{
    Result<YamlDocument> document = YamlDocument::parse(file.text, path, session.stopToken());
    if (!document)
        return document.error();
    return readCase(document.value(), session.stopToken());
}

/// What a nested command printed and said.
struct NestedOutput {
    std::string out;
    std::string messages;
    int exit = 0;
};

NestedOutput printedBy(const std::vector<std::string>& arguments, const Session& session)
{
    NestedOutput printed;
    std::mutex saying; // Some is said by threads of the work.
    SessionStreams streams;
    streams.print = [&printed](std::string_view text) {
        printed.out += text;
        return 0;
    };
    streams.say = [&](std::string_view text) {
        const std::lock_guard lock(saying);
        printed.messages += text;
    };
    Session nested(session.stopToken(), std::make_shared<OutputFiles>(), std::move(streams));
    runArguments(arguments, nested);
    printed.exit = nested.exit();
    return printed;
}

void eraseAll(std::string& text, const std::string& part)
{
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
        text.erase(at, part.size());
}

ErrorCode codeOf(int exit)
{
    for (const ErrorCode code : {ErrorCode::Stuck, ErrorCode::Cancelled, ErrorCode::NotWritable, ErrorCode::MemoryLimit, ErrorCode::Internal}) {
        if (exitCode(code) == exit)
            return code;
    }
    return ErrorCode::InvalidInput;
}

Error failedRun(const StudiedCase& studied, std::size_t index, const NestedOutput& printed)
{
    std::string said = printed.messages.substr(0, printed.messages.find('\n'));
    constexpr std::string_view kError = "error: ";
    if (said.starts_with(kError))
        said.erase(0, kError.size());
    Error error{codeOf(printed.exit), studied.runs[index].commandLine() + " failed: " + said, {}, {}};
    error.place.file = studied.file;
    error.place.line = studied.runs[index].line;
    error.place.field = "case.runs[" + std::to_string(index) + "]";
    return error;
}

/// A folder for the runs with these files, its name with a slash behind it; it goes when the session does.
Result<std::string> folderOf(const std::vector<CaseFile>& files, Session& session)
{
    Result<std::string> folder = session.outputs()->scratchFolder();
    if (!folder)
        return folder;
    const std::string prefix = folder.value() + '/';
    for (const CaseFile& file : files) {
        std::ofstream out(prefix + file.name, std::ios::binary);
        if (!out.write(file.text.data(), static_cast<std::streamsize>(file.text.size())).flush()) {
            Error error{ErrorCode::NotWritable, "cannot be written for the runs", {}, {}};
            error.place.file = prefix + file.name;
            return error;
        }
    }
    return prefix;
}

std::vector<std::string> warningsOf(const nlohmann::json& answer)
{
    std::vector<std::string> out;
    const auto result = answer.find("result");
    if (result == answer.end() || !result->is_object() || !result->contains("warnings"))
        return out;
    for (const nlohmann::json& warning : result->at("warnings")) {
        if (warning.is_string())
            out.push_back(warning.get<std::string>());
    }
    return out;
}

} // namespace

Result<OpenedCase> openCase(const std::string& name, const Session& session)
{
    OpenedCase opened;
    std::vector<CaseFile> shipped = shippedFiles(name);
    const auto own = std::find_if(shipped.begin(), shipped.end(), [](const CaseFile& file) { return file.name == "case.yaml"; });
    const bool isFile = own == shipped.end();
    const bool isInput = name == "-";
    if (isFile && !isInput && name.find('/') == std::string::npos && !name.ends_with(kEnding)) {
        std::vector<std::string_view> known;
        for (const EmbeddedText& text : caseTexts()) {
            if (text.name.ends_with(kCaseFile))
                known.push_back(text.name.substr(0, text.name.size() - kCaseFile.size()));
        }
        return usageError("there is no case \"" + name + '"' + didYouMean(name, known), "NAME", listedWords(known, "or") + ", or a file NAME.yaml");
    }
    const std::filesystem::path path(name);
    Result<std::string> text = isFile ? readTextFile(name) : Result<std::string>(own->text);
    if (!text)
        return text.error();
    opened.files.push_back({isInput ? "case.yaml" : isFile ? path.filename().string() : own->name, std::move(text).value()});
    Result<StudiedCase> studied = studiedOf(opened.files.front(), isFile ? name : name + kCaseFile.data() + std::string(kEnding), session);
    if (!studied) {
        const std::string_view kinds[] = {inputKindText(InputKind::CaseFile)};
        return isFile ? withKindNamed(studied.error(), name, {"a file with a section case", kinds}) : studied.error();
    }
    opened.studied = std::move(studied).value();
    for (const std::string& file : opened.studied.files) {
        const auto found = std::find_if(shipped.begin(), shipped.end(), [&](const CaseFile& other) { return other.name == file; });
        Result<std::string> content = found == shipped.end() ? readTextFile((path.parent_path() / file).string()) : Result<std::string>(found->text);
        if (!content)
            return content.error();
        opened.files.push_back({file, std::move(content).value()});
    }
    return opened;
}

Result<CaseAnswers> runCase(const OpenedCase& opened, Session& session)
{
    const Result<std::string> prefix = folderOf(opened.files, session);
    if (!prefix)
        return prefix.error();
    const StudiedCase& studied = opened.studied;
    CaseAnswers out;
    for (std::size_t i = 0; i < studied.runs.size(); ++i) {
        session.progress().tell({"running " + studied.runs[i].name, static_cast<double>(i) / static_cast<double>(studied.runs.size())});
        std::vector<std::string> arguments{"fabricscope-cli"};
        for (std::string& word : studied.runs[i].arguments(prefix.value()))
            arguments.push_back(std::move(word));
        NestedOutput printed = printedBy(arguments, session);
        eraseAll(printed.out, prefix.value());
        eraseAll(printed.messages, prefix.value());
        if (printed.exit != 0)
            return failedRun(studied, i, printed);
        nlohmann::json answer = nlohmann::json::parse(printed.out, nullptr, false);
        if (answer.is_discarded())
            return Error{ErrorCode::Internal, studied.runs[i].commandLine() + " printed no JSON", {}, {}};
        out.stored.push_back({studied.runs[i].name + ".json", std::move(printed.out), warningsOf(answer)});
        out.answers.push_back(std::move(answer));
    }
    return out;
}

} // namespace fabricscope::cli
