#include "app/cli/filekinds.h"

#include "app/cli/embeddedtexts.h"
#include "core/base/files/openfile.h"
#include "core/base/files/textfile.h"
#include "core/formats/programform.h"
#include "core/platform/presets.h"
#include "core/run/inputkind.h"

#include <algorithm>
#include <filesystem>

namespace fabricscope::cli {

namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

bool isPicture(std::string_view head)
{
    return head.starts_with("\x89PNG") || head.starts_with("\xff\xd8\xff") || head.starts_with("GIF8") || head.find("<svg") != std::string_view::npos;
}

/// {"12": [ ...: inputKindOf() takes any object of lists for groups, also what is left of a broken one.
bool isGroups(std::string_view text)
{
    const std::size_t key = std::min(text.find_first_of("\"["), text.size());
    const std::size_t end = std::min(text.find_first_not_of("0123456789", key + 1), text.size());
    const std::size_t value = text.find_first_not_of(" \t\r\n:", end + 1);
    return key < text.size() && end > key + 1 && end < text.size() && text[end] == '"' && value != std::string_view::npos && text[value] == '[';
}

} // namespace

std::string_view fileKindText(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return "a folder";
    if (!isInputFile(path))
        return {};
    const auto head = readFileHead(path, kHeadBytes);
    if (!head)
        return {};
    const std::string_view text = head.value();
    if (text.empty())
        return "an empty file";
    if (isPicture(text))
        return "a picture";
    if (text.starts_with("%PDF"))
        return "a PDF file";
    const auto program = programFormOf(path, text);
    if (program && *program != ProgramForm::Json)
        return programFormRow(*program).text;
    const InputKind kind = inputKindOf(std::filesystem::path(path).filename().string(), text);
    // Their names are free: a program may be called like a trace.
    if ((kind == InputKind::Unknown || kind == InputKind::Trace) && program)
        return programFormRow(*program).text;
    // Of a broken object only "steps" or the like may be left.
    const bool guessed = (kind == InputKind::CommGroups && !isGroups(text)) || (kind == InputKind::Design && programFormOfText(text) == ProgramForm::Json && text.find("fabricscope\"") == std::string_view::npos);
    const bool known = kind != InputKind::Unknown && !guessed;
    return known ? inputKindText(kind) : std::string_view();
}

Error withKindNamed(Error error, const std::string& path, const FileWanted& wanted)
{
    if (error.code != ErrorCode::InvalidInput && error.code != ErrorCode::NotReadable && error.code != ErrorCode::Unsupported)
        return error;
    if (!error.place.file.empty() && error.place.file != path && std::filesystem::path(error.place.file).filename() != std::filesystem::path(path).filename())
        return error; // Of a file that this one names.
    const std::string_view kind = fileKindText(path);
    if (kind.empty() || std::find(wanted.kinds.begin(), wanted.kinds.end(), kind) != wanted.kinds.end())
        return error;
    Error other{ErrorCode::InvalidInput, "this is " + std::string(kind), {}, std::string(wanted.words)};
    other.place.file = path;
    return other;
}

Status checkFileKind(const std::string& path, const FileWanted& wanted)
{
    std::error_code ignored;
    for (const char* const ending : {".0.et", ".0.et.gz", ".0.json"}) {
        if (std::filesystem::exists(path + ending, ignored))
            return {}; // A folder may have the name of traces beside it.
    }
    Error error = withKindNamed(Error{ErrorCode::InvalidInput, {}, {}, {}}, path, wanted);
    return error.message.empty() ? Status() : Status(std::move(error));
}

Result<LoadedDesign> readDesignOnly(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    static constexpr std::string_view kKinds[] = {"a design"};
    Result<LoadedDesign> loaded = readDesign(path, overrides, stop);
    if (!loaded)
        return withKindNamed(std::move(loaded).error(), path, {"a design (fabricscope: 1, platform, workload)", kKinds});
    return loaded;
}

Result<Design> platformNamed(const std::string& name, const std::stop_token& stop)
{
    if (const auto preset = presetPlatform(name)) {
        Design design;
        design.platform = std::make_shared<const PlatformSpec>(preset.value());
        design.platformOrigin = "preset " + name;
        return design;
    }
    const auto examples = exampleTexts();
    const auto example = std::find_if(examples.begin(), examples.end(), [&name](const EmbeddedText& text) { return text.name == name && name.starts_with("fabrics/"); });
    Result<LoadedDesign> loaded = example != examples.end() ? readDesignText(std::string(example->text), name, {}, stop) : readDesignOnly(name, {}, stop);
    if (!loaded)
        return loaded.error();
    for (const Diagnostic& found : loaded.value().diagnostics) {
        if (found.severity == Severity::Error)
            return toError(found);
    }
    return std::move(loaded).value().design;
}

Result<LoadedDesign> readAstraInputs(const AstraInputs& inputs)
{
    static constexpr std::string_view kNetworks[] = {"an ASTRA-sim network file", "an InfraGraph document", "a topology dump of NCCL", "a topology file of ns-3", "a topology file of HTSim"};
    static constexpr std::string_view kSystem[] = {"an ASTRA-sim system file"};
    static constexpr std::string_view kMemory[] = {"an ASTRA-sim remote memory file"};
    static constexpr std::string_view kGroups[] = {"a file of communicator groups"};
    struct Row {
        const std::string& path;
        FileWanted wanted;
    };
    // Their readers take any object, and miss only what they look for in it.
    for (const Row& row : {Row{inputs.network, {"an ASTRA-sim network file", kNetworks}}, Row{inputs.system, {"an ASTRA-sim system file", kSystem}},
                           Row{inputs.memory, {"an ASTRA-sim remote memory file", kMemory}}, Row{inputs.commGroups, {"a file of communicator groups", kGroups}},
                           Row{inputs.workload, {"the PREFIX of Chakra traces PREFIX.RANK.et", {}}}}) {
        if (Status status = checkFileKind(row.path, row.wanted); !status)
            return std::move(status).error();
    }
    return designFromAstra(inputs);
}

FileWanted wantedProgram()
{
    static constexpr std::string_view kKinds[] = {programFormRow(ProgramForm::Xml).text, programFormRow(ProgramForm::Json).text, programFormRow(ProgramForm::Script).text};
    return {"MSCCL XML, a script (.lua), a program in JSON, an MSCCL++ plan, or the prefix of Chakra graphs", kKinds};
}

} // namespace fabricscope::cli
