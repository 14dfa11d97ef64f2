#include "core/transform/tensorfile.h"

#include "core/base/files/textfile.h"
#include "core/base/stop.h"
#include "core/design/file/reader.h"
#include "core/language/tensorscript.h"
#include "core/transform/commtimes.h"
#include "core/transform/layoutrules.h"
#include "core/transform/stagereader.h"

#include <charconv>
#include <filesystem>

namespace fabricscope::transform {

namespace {

constexpr std::size_t kMostFileBytes = std::size_t{4} << 20;

/// An error of a section of designs, which is a part of `transform` here.
Error insideTransform(const YamlDocument& document, Error error)
{
    if (!error.place.field.empty())
        error.place.field = "transform." + error.place.field;
    if (error.place.line == 0 && error.place.file.empty()) {
        if (const YamlNode* const node = document.find(error.place.field))
            error.place = document.place(*node, error.place.field);
        else
            error.place.file = document.file();
    }
    return error;
}

/// One reading of the section.
class SectionReading {
public:
    SectionReading(const YamlDocument& document, const std::stop_token& stop) : m_context(document, stop), m_document(document) {}

    Result<TransformFile> read()
    {
        const MapReader root(m_context, m_document.root(), "", {"fabricscope", "name", "notes", "transform"});
        if (m_document.root().isMap()) {
            root.required("fabricscope");
            if (const auto version = root.integer("fabricscope", 1, INT32_MAX); version && *version != 1)
                root.error("fabricscope", "this file is of format version " + std::to_string(*version), "version 1", ErrorCode::Unsupported);
            if (const YamlNode* const node = root.required("transform"); node && !m_context.hasErrors())
                readSection(*node);
        }
        if (m_context.hasErrors())
            return *m_context.firstError();
        if (Status status = inferLayouts(m_file.program); !status)
            return status.error();
        if (Status status = checkPlatform(); !status)
            return status.error();
        return std::move(m_file);
    }

private:
    void readSection(const YamlNode& node)
    {
        const MapReader map(m_context, node, "transform", {"ranks", "groups", "sizes", "tensors", "stages", "scalars", "outputs", "may_slice", "schedule", "platform", "collectives", "options", "tune"});
        if (!node.isMap())
            return;
        TensorProgram& program = m_file.program;
        map.required("ranks");
        program.ranks = map.integer32("ranks", 1, kMostRanks).value_or(1);
        program.groups = map.integer32("groups", 1, kMostGroups).value_or(1);
        StageReader reader(m_context, program);
        reader.readSizes(map);
        reader.readScalars(map);
        reader.readTensors(map);
        if (!m_context.hasErrors())
            reader.readStages(map);
        if (!m_context.hasErrors())
            reader.readOutputs(map);
        readMaySlice(map);
        readSchedule(map);
        readOptions(map);
        readTune(map);
        readPlatform(map);
    }

    void readMaySlice(const MapReader& map)
    {
        for (const auto& [node, field] : map.list("may_slice")) {
            const auto name = readText(m_context, *node, field);
            if (name && !m_file.program.tensor(*name))
                m_context.error(*node, field, "\"" + *name + "\" is no tensor", "a declared tensor");
            else if (name)
                m_file.maySlice.push_back(*name);
        }
    }

    void readSchedule(const MapReader& map)
    {
        for (const auto& [node, field] : map.list("schedule")) {
            const auto text = readText(m_context, *node, field);
            if (!text || m_file.schedule.size() >= kMostSteps)
                continue;
            auto step = parseStep(*text);
            if (step) {
                step.value().place = m_document.place(*node, field);
                m_file.schedule.push_back(std::move(step).value());
                continue;
            }
            YamlNode where = *node;
            if (where.column > 0)
                where.column += step.error().place.column - 1 + (node->quoted ? 1 : 0);
            m_context.error(where, field, step.error().message, step.error().expected);
        }
    }

    void readOptions(const MapReader& map)
    {
        const YamlNode* const node = map.node("options");
        if (!node)
            return;
        const MapReader options(m_context, *node, "transform.options", {"chunks", "channels", "sms", "launch"});
        TimingSetup& timing = m_file.timing;
        timing.chunks = options.integer32("chunks", 1, kMostOverlapChunks);
        timing.channels = options.integer32("channels", 0, 1 << 16);
        timing.sms = options.integer32("sms", 1, 1 << 16).value_or(timing.sms);
        timing.launch = options.quantity("launch", Measure::Time).value_or(timing.launch);
        if (timing.launch.base() > 1)
            options.error("launch", "a launch of " + timing.launch.text() + " is too long", "at most 1 s");
        if (timing.channels.value_or(0) >= timing.sms)
            options.error("channels", "the collective would take all " + std::to_string(timing.sms) + " SMs", "fewer channels than sms");
    }

    /// Texts of a list of settings, each of `known`.
    template <typename Known>
    void readSettings(const MapReader& tune, const char* key, const char* expected, std::vector<std::string>& out, Known known)
    {
        constexpr std::size_t kMost = 16;
        for (const auto& [node, field] : tune.list(key)) {
            const auto word = readText(m_context, *node, field);
            if (word && (!known(*word) || out.size() == kMost))
                m_context.error(*node, field, out.size() == kMost ? "too many" : "there is no \"" + *word + '"', out.size() == kMost ? "at most 16" : expected);
            else if (word)
                out.push_back(*word);
        }
    }

    void readTune(const MapReader& map)
    {
        const YamlNode* const node = map.node("tune");
        if (!node)
            return;
        const MapReader tune(m_context, *node, "transform.tune", {"algorithms", "protocols", "channels"});
        readSettings(tune, "algorithms", "an algorithm of designs, or tree", m_file.tune.algorithms, [](const std::string& word) { return !algorithmWord(word).empty(); });
        readSettings(tune, "protocols", "Simple, LL or LL128", m_file.tune.protocols, [](const std::string& word) { return word == "Simple" || word == "LL" || word == "LL128"; });
        std::vector<std::string> numbers;
        readSettings(tune, "channels", "a whole number of 0 or more, below sms", numbers, [&](const std::string& word) {
            std::int32_t channels = -1;
            const auto read = std::from_chars(word.data(), word.data() + word.size(), channels);
            const bool fits = read.ec == std::errc() && read.ptr == word.data() + word.size() && channels >= 0 && channels < m_file.timing.sms;
            if (fits)
                m_file.tune.channels.push_back(channels);
            return fits;
        });
    }

    void readPlatform(const MapReader& map)
    {
        const YamlNode* const platform = map.required("platform");
        if (!platform)
            return;
        DesignReading reading{FieldContext(m_document, m_context.stop), {}, true, m_context.stop};
        reading.design.file = m_document.file();
        reading.design.folder = std::filesystem::path(m_document.file()).parent_path().string();
        readPlatformSection(reading, *platform);
        if (const YamlNode* const node = map.node("collectives")) {
            // `efficiency` is ours, the rest as in designs.
            YamlNode collectives = *node;
            std::erase_if(collectives.entries, [](const YamlEntry& entry) { return entry.key == "efficiency"; });
            YamlEntry* const usual = collectives.find("default") && collectives.find("default")->value.isMap() ? collectives.find("default") : nullptr;
            YamlEntry* const algorithm = usual ? usual->value.find("algorithm") : nullptr;
            if (algorithm && algorithm->value.isScalar() && algorithm->value.text == "tree")
                algorithm->value.text = algorithmWord("tree");
            readCollectivesSection(reading, collectives);
            if (node->isMap())
                readEfficiency(*node);
        }
        if (const auto& first = reading.fields.firstError())
            m_context.error(insideTransform(m_document, *first), "design-field");
        for (Diagnostic& entry : reading.fields.diagnostics) {
            if (entry.severity != Severity::Error)
                m_file.diagnostics.push_back(std::move(entry));
        }
        m_file.timing.design = std::move(reading.design);
    }

    void readEfficiency(const YamlNode& collectives)
    {
        const YamlEntry* const entry = collectives.find("efficiency");
        if (!entry)
            return;
        const std::string field = "transform.collectives.efficiency";
        if (!entry->value.isMap())
            return m_context.error(entry->value, field, "a mapping is needed here", "{tree: 0.61}");
        for (const YamlEntry& row : entry->value.entries) {
            std::vector<std::string_view> known;
            for (const YamlEntry& each : entry->value.entries)
                known.push_back(each.key);
            const MapReader map(m_context, entry->value, field, known);
            const auto share = map.number(row.key, 0);
            if (algorithmWord(row.key).empty())
                map.error(row.key, "there is no algorithm \"" + row.key + '"', "an algorithm of designs, or tree");
            else if (share && *share > 1)
                map.error(row.key, "the share is out of range", "above 0, at most 1");
            else if (share)
                m_file.timing.efficiency.emplace_back(row.key, *share);
        }
    }

    Status checkPlatform()
    {
        Design& design = m_file.timing.design;
        design.workload = std::make_shared<const WorkloadSpec>(SingleCollective{CollectiveOp::AllReduce, Quantity{1024, "B", Measure::Size}});
        for (const Diagnostic& found : validate(design, m_context.stop)) {
            if (found.severity == Severity::Error)
                return insideTransform(m_document, toError(found));
        }
        auto platform = Platform::create(*design.platform, m_context.stop);
        if (!platform)
            return insideTransform(m_document, platform.error());
        const std::int64_t wanted = std::int64_t{m_file.program.ranks} * m_file.program.groups;
        if (platform.value().npuCount() == wanted)
            return {};
        const YamlNode* const node = m_document.find("transform.platform");
        return invalidInput("the platform has " + std::to_string(platform.value().npuCount()) + " NPUs", m_document.place(node ? *node : m_document.root(), "transform.platform"),
                            std::to_string(wanted) + ", one for every rank" + (m_file.program.groups > 1 ? " of every group" : ""));
    }

    FieldContext m_context;
    const YamlDocument& m_document;
    TransformFile m_file;
};

/// What a script says, as a document whose places are its lines.
Result<YamlDocument> scriptDocument(const std::string& text, const std::string& file, const std::stop_token& stop)
{
    ScriptRequest request;
    request.text = text;
    request.name = file;
    request.stop = stop;
    const auto section = tensorScriptTree(request);
    if (!section)
        return section.error();
    auto document = YamlDocument::parse("fabricscope: 1\ntransform: {}\n", file, stop);
    if (document) {
        if (Status status = document.value().overlay("transform", section.value()); !status)
            return status.error();
    }
    return document;
}

} // namespace

Result<TransformFile> readTransformText(const std::string& text, const std::string& file, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    auto document = file.ends_with(".lua") ? scriptDocument(text, file, stop) : YamlDocument::parse(text, file, stop);
    if (!document)
        return document.error();
    for (const FieldOverride& change : overrides) {
        const std::string origin = "--set " + change.path;
        if (Status status = document.value().overlay(change.path, change.value, origin); !status) {
            Error error = std::move(status).error();
            error.place.file = origin;
            return error;
        }
    }
    return untilStopped([&] { return SectionReading(document.value(), stop).read(); });
}

Result<TransformFile> readTransformFile(const std::string& path, const std::vector<FieldOverride>& overrides, const std::stop_token& stop)
{
    auto text = readTextFile(path, kMostFileBytes);
    if (!text)
        return text.error();
    return readTransformText(text.value(), path, overrides, stop);
}

} // namespace fabricscope::transform
