#include "core/design/file/reader.h"

#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/textfile.h"
#include "core/design/file/fabricoverlay.h"
#include "core/design/file/readdesign.h"
#include "core/design/file/sectionfields.h"
#include "core/program/nativerule.h"

#include <charconv>
#include <filesystem>

namespace fabricscope {

namespace {

constexpr int kFormatVersion = 1;

void readRoot(DesignReading& reading, const YamlNode& root)
{
    FieldContext& context = reading.fields;
    if (root.isNull()) {
        context.error(root, "", "the design is empty", "fabricscope: 1, platform, workload");
        return;
    }
    MapReader map(context, root, "", {"fabricscope", "name", "notes", "platform", "workload", "collectives", "model", "network", "compute", "scheduling"});
    if (!root.isMap())
        return;
    map.required("fabricscope");
    const auto version = map.integer("fabricscope", 1, INT32_MAX);
    if (version && *version != kFormatVersion) {
        map.error("fabricscope", "this design is of format version " + std::to_string(*version), "version " + std::to_string(kFormatVersion), ErrorCode::Unsupported);
        return; // other keys may mean something else there
    }
    reading.design.name = map.text("name").value_or("");
    reading.design.notes = map.text("notes").value_or("");
    if (const YamlNode* node = map.required("platform"))
        readPlatformSection(reading, *node);
    if (const YamlNode* node = map.node("workload"))
        readWorkloadSection(reading, *node);
    if (const YamlNode* node = map.node("collectives"))
        readCollectivesSection(reading, *node);
    if (const YamlNode* node = map.node("model"))
        readModelSection(reading, *node);
    if (const YamlNode* node = map.node("network"))
        readNetworkSection(reading, *node);
    if (const YamlNode* node = map.node("compute"))
        readComputeSection(reading, *node);
    if (const YamlNode* node = map.node("scheduling"))
        readSchedulingSection(reading, *node);
}

/// What a parsed text says, together with what was written out of its fabric for an option.
LoadedDesign inspect(const YamlDocument& document, const std::string& file, bool readFiles, const WrittenFabric& written, std::optional<Error>& first, const std::stop_token& stop)
{
    LoadedDesign loaded;
    DesignReading reading{FieldContext(document, stop), {}, readFiles, stop};
    reading.design.file = file;
    reading.design.folder = std::filesystem::path(file).parent_path().string();
    const Status whole = untilStopped([&]() -> Status {
        readRoot(reading, document.root());
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
    reading.design.places = std::make_shared<const FieldPlaces>(std::move(reading.fields.places));
    first = reading.fields.firstError();
    loaded.design = std::move(reading.design);
    loaded.diagnostics = std::move(reading.fields.diagnostics);
    return loaded;
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
    // What no file could say, no option says: a design written with it could not be read.
    const auto isUtf8 = [](std::string_view value) {
        for (std::size_t length = 0; !value.empty(); value.remove_prefix(length)) {
            length = utf8Length(value);
            if (length == 0)
                return false;
        }
        return true;
    };
    WrittenFabric written;
    for (const FieldOverride& change : overrides) {
        const std::string origin = "--set " + change.path;
        writeOutFabric(document.value(), change.path, file, readFiles, written);
        Status status = isUtf8(change.value) ? document.value().overlay(change.path, change.value, origin)
                                             : Status(invalidInput("the value is not UTF-8", {}, "text in UTF-8, as in a file"));
        if (!status) {
            Error error = std::move(status).error();
            error.place.file = origin;
            first = error;
            loaded.diagnostics.push_back(finding("design-field", std::move(error)));
            return loaded;
        }
    }
    return inspect(document.value(), file, readFiles, written, first, stop);
}

} // namespace

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

bool isDesignCollective(CollectiveOp op)
{
    return std::find(kDesignCollectives.begin(), kDesignCollectives.end(), op) != kDesignCollectives.end();
}

Place Design::place(const std::string& field) const
{
    Place found = places ? placeOf(*places, field) : Place{};
    found.field = field;
    if (found.file.empty())
        found.file = file;
    return found;
}

std::string Design::resolve(const std::string& path) const
{
    const std::filesystem::path given(path);
    return given.is_absolute() || folder.empty() ? path : (std::filesystem::path(folder) / given).string();
}

LoadedDesign inspectDesignText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, bool readFiles, const std::stop_token& stop)
{
    std::optional<Error> first;
    return inspect(text, file, overrides, readFiles, first, stop);
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

Result<LoadedDesign> readDesign(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    auto text = readTextFile(path, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    return readDesignText(text.value(), path, overrides, stop);
}

} // namespace fabricscope
