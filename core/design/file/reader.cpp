#include "core/design/file/reader.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"
#include "core/design/file/costsection.h"
#include "core/design/file/designdocument.h"
#include "core/design/file/fabricoverlay.h"
#include "core/design/file/searchsection.h"
#include "core/design/file/platformsection.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/sectionfields.h"
#include "core/program/nativerule.h"

#include <charconv>
#include <filesystem>

namespace fabricscope {

namespace {

constexpr int kFormatVersion = 1;

using DesignRow = SectionField<DesignReading, Design>;

/// A section with a mapping of its own; written where something is in it.
DesignRow sectionField(const char* key, const char* text, void (*read)(DesignReading&, const YamlNode&), YamlNode (*tree)(const Design&, const Writing&))
{
    return {key, text,
            [key, read](const MapReader& map, DesignReading& reading) {
                if (const YamlNode* const node = map.node(key))
                    read(reading, *node);
            },
            [key, tree](MapBuilder& map, const Design& design, const Writing& how) { map.addFilled(key, tree(design, how)); }, [](const Design&, const auto&) {}, {}};
}

/// A section that decides no result and that a Design does not hold: written as it was read.
YamlNode asRead(const Design& design, const char* key, const Writing& how)
{
    const YamlNode* const section = how.form == DesignForm::File && design.places ? design.places->section(key) : nullptr;
    return section ? *section : YamlNode::map();
}

/// A design has one.
DesignRow platformField(const char* key)
{
    return {key, "",
            [key](const MapReader& map, DesignReading& reading) {
                if (const YamlNode* const node = map.required(key))
                    readPlatformSection(reading, *node);
            },
            [key](MapBuilder& map, const Design& design, const Writing& how) {
                if (design.platform)
                    map.add(key, platformTree(design, how.form, how.stop));
            },
            [](const Design&, const auto&) {}, {}};
}

/// Says nothing of a result.
DesignRow remarkField(const char* key, const char* text, std::string Design::* member)
{
    return {key, text, [key, member](const MapReader& map, DesignReading& reading) { reading.design.*member = map.text(key).value_or(""); },
            [key, member](MapBuilder& map, const Design& design, const Writing& how) {
                if (how.form == DesignForm::File && !(design.*member).empty())
                    map.add(key, design.*member);
            },
            [](const Design&, const auto&) {}, {}};
}

/// Whether the keys mean here what they mean in a file of this version.
bool readVersion(const MapReader& map)
{
    map.required("fabricscope");
    const auto version = map.integer("fabricscope", 1, INT32_MAX);
    if (!version || *version == kFormatVersion)
        return true;
    map.error("fabricscope", "this design is of format version " + std::to_string(*version), "version " + std::to_string(kFormatVersion), ErrorCode::Unsupported);
    return false;
}

/// `text`: of the whole document.
void readRoot(DesignReading& reading, const YamlNode& root, const std::string& text)
{
    FieldContext& context = reading.fields;
    if (root.isNull()) {
        const bool nothing = text.find_first_not_of(" \t\r\n") == std::string::npos;
        context.error(root, "", nothing && !reading.design.file.empty() ? "the file is empty" : "the design is empty", "fabricscope: 1, platform, workload");
        return;
    }
    const MapReader map(context, root, "", keysOf(designFields()));
    if (root.isMap() && readVersion(map))
        readFields(map, designFields(), reading);
}

/// What a parsed text says, together with what was written out of its fabric for an option.
LoadedDesign inspect(const YamlDocument& document, const std::string& file, bool readFiles, const WrittenFabric& written, std::optional<Error>& first, const std::stop_token& stop)
{
    LoadedDesign loaded;
    DesignReading reading{FieldContext(document, stop), {}, readFiles, stop};
    reading.design.file = file;
    reading.design.folder = std::filesystem::path(file).parent_path().string();
    const Status whole = untilStopped([&]() -> Status {
        readRoot(reading, document.root(), document.text());
        checkStop(stop);
        return {};
    });
    if (!whole) {
        first = whole.error();
        loaded.diagnostics.push_back(finding("stopped", whole.error()));
        return loaded;
    }
    if (!written.origin.empty()) {
        Design& design = reading.design;
        design.platformOrigin = written.origin;
        design.astraUnits = written.astraUnits;
        design.files.insert(design.files.begin(), written.files.begin(), written.files.end());
        reading.fields.diagnostics.insert(reading.fields.diagnostics.begin(), written.diagnostics.begin(), written.diagnostics.end());
    }
    reading.design.places = std::make_shared<const FieldPlaces>(document);
    first = reading.fields.firstError();
    loaded.design = std::move(reading.design);
    loaded.diagnostics = std::move(reading.fields.diagnostics);
    return loaded;
}

/// What no file could say, no option says: a design written with it could not be read.
bool isUtf8(std::string_view value)
{
    for (std::size_t length = 0; !value.empty(); value.remove_prefix(length)) {
        length = utf8Length(value);
        if (length == 0)
            return false;
    }
    return true;
}

Status setField(YamlDocument& document, const FieldOverride& change, const std::string& origin, const std::string& file, bool readFiles, WrittenFabric& written)
{
    writeOutFabric(document, change.path, file, readFiles, written);
    Status status = isUtf8(change.value) ? document.overlay(change.path, change.value, origin) : Status(invalidInput("the value is not UTF-8", {}, "text in UTF-8, as in a file"));
    if (status)
        return status;
    Error error = std::move(status).error();
    error.place.file = origin;
    return error;
}

LoadedDesign inspect(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, bool readFiles, std::optional<Error>& first,
                     const std::stop_token& stop = {})
{
    LoadedDesign loaded;
    auto document = YamlDocument::parse(text, file, stop);
    if (!document) {
        first = document.error();
        loaded.diagnostics.push_back(finding("yaml", document.error()));
        return loaded;
    }
    WrittenFabric written;
    for (const FieldOverride& change : overrides) {
        if (const Status status = setField(document.value(), change, "--set " + change.path, file, readFiles, written); !status) {
            first = status.error();
            loaded.diagnostics.push_back(finding("design-field", status.error()));
            return loaded;
        }
    }
    return inspect(document.value(), file, readFiles, written, first, stop);
}

} // namespace

const SectionFields<DesignReading, Design>& designFields()
{
    static const SectionFields<DesignReading, Design> fields = [] {
        DesignRow version = besideField<DesignReading, Design>("fabricscope", "version of the format"); // Read before all others.
        version.write = [](MapBuilder& map, const Design&, const Writing&) { map.add("fabricscope", std::int64_t{kFormatVersion}); };
        return SectionFields<DesignReading, Design>{
            version,
            remarkField("name", "for people", &Design::name),
            remarkField("notes", "", &Design::notes),
            platformField("platform"),
            sectionField("workload", "", readWorkloadSection, [](const Design& design, const Writing& how) { return workloadTree(design, how.form, how.stop); }),
            sectionField("search", "what plan search tries (manual: search 1); nothing else uses it", readSearchSection, [](const Design& design, const Writing& how) { return asRead(design, "search", how); }),
            sectionField("collectives", "", readCollectivesSection, [](const Design& design, const Writing& how) { return collectivesTree(design, how.form); }),
            sectionField("model", "", readModelSection, [](const Design& design, const Writing& how) { return modelTree(design, how.form); }),
            sectionField("network", "", readNetworkSection, [](const Design& design, const Writing& how) { return networkTree(design, how.form); }),
            sectionField("compute", "", readComputeSection, [](const Design& design, const Writing& how) { return computeTree(design, how.form); }),
            sectionField("scheduling", "", readSchedulingSection, [](const Design& design, const Writing& how) { return schedulingTree(design, how.form); }),
            sectionField("accuracy", "how far times on this fabric are from measured ones; decides no time", readAccuracySection, [](const Design& design, const Writing& how) { return accuracyTree(design, how.form); }),
            sectionField("costs", "prices, power and failures of the parts, where they are not those of the table (manual: costs); decides no time", readCostSection, [](const Design& design, const Writing& how) { return asRead(design, "costs", how); }),
        };
    }();
    return fields;
}

std::optional<AlgorithmChoice> parseAlgorithmChoice(std::string_view text)
{
    if (text == "auto" || text == "standard")
        return AlgorithmChoice{};
    if (const std::optional<Algorithm> algorithm = parseAlgorithm(text))
        return AlgorithmChoice{false, *algorithm, 0};
    const std::string_view direct = algorithmKey(Algorithm::Direct);
    if (text.size() <= direct.size() || !text.starts_with(direct))
        return std::nullopt;
    std::int32_t window = 0;
    const auto [end, error] = std::from_chars(text.data() + direct.size(), text.data() + text.size(), window);
    if (error != std::errc{} || end != text.data() + text.size() || window < 1)
        return std::nullopt;
    return AlgorithmChoice{false, Algorithm::Direct, window};
}

std::string algorithmChoiceText(const AlgorithmChoice& choice)
{
    if (choice.automatic)
        return "auto";
    return std::string(algorithmKey(choice.algorithm)) + (choice.window > 0 ? std::to_string(choice.window) : "");
}

std::optional<std::string> DesignReading::openable(const MapReader& map, std::string_view key)
{
    const auto path = map.text(key);
    if (!path)
        return std::nullopt;
    if (!readFiles) {
        map.error(key, "the file \"" + *path + "\" is not read here", {}, ErrorCode::Unsupported);
        return std::nullopt;
    }
    design.files.push_back(design.resolve(*path));
    return design.files.back();
}

void DesignReading::report(const YamlNode& node, const std::string& field, const Error& error)
{
    if (error.place.file.empty())
        fields.error(node, error.place.field.empty() ? field : error.place.field, error.message, error.expected, error.code);
    else
        fields.error(error, "design-file");
}

LoadedDesign inspectDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, bool readFiles, const std::stop_token& stop)
{
    std::optional<Error> first;
    return inspect(text, file, overrides, readFiles, first, stop);
}

void watchDesign(const YamlDocument& document, FieldWatch& watch)
{
    DesignReading reading{FieldContext(document, {}, &watch), {}, false};
    reading.design.file = document.file();
    readRoot(reading, document.root(), document.text());
}

LoadedDesign inspectDesign(const YamlDocument& document, const std::stop_token& stop)
{
    std::optional<Error> first;
    return inspect(document, document.file(), true, {}, first, stop);
}

Result<LoadedDesign> readDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides)
{
    return readDesignText(text, file, overrides, {});
}

Result<LoadedDesign> readDesign(const std::string& path, const std::vector<FieldOverride>& overrides)
{
    return readDesign(path, overrides, {});
}

Result<LoadedDesign> readDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    std::optional<Error> first;
    LoadedDesign loaded = inspect(text, file, overrides, true, first, stop);
    if (first)
        return *std::move(first);
    return loaded;
}

Result<LoadedDesign> readDesignDocument(YamlDocument& changed, const std::vector<PlacedField>& fields, const std::stop_token& stop)
{
    WrittenFabric written;
    for (const auto& [change, origin] : fields) {
        if (Status status = setField(changed, change, origin, changed.file(), true, written); !status)
            return std::move(status).error();
    }
    std::optional<Error> first;
    LoadedDesign loaded = inspect(changed, changed.file(), true, written, first, stop);
    if (first)
        return *std::move(first);
    return loaded;
}

Result<LoadedDesign> readDesign(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    auto text = readTextFile(path, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    return readDesignText(text.value(), path, overrides, stop);
}

} // namespace fabricscope
