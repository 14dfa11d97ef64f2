#include "core/design/file/programsection.h"

#include "core/base/decimal.h"
#include "core/generate/generate.h"
#include "core/synthesis/methods.h"

#include <limits>

namespace fabricscope {

namespace {

constexpr std::int32_t kMaxTries = 4096;
constexpr std::int32_t kMaxSlots = 1 << 20;

/// Texts of `algorithm` that are no generator.
std::vector<std::string_view> algorithmNames()
{
    std::vector<std::string_view> names{"auto", "standard", "ring", "direct", "halving_doubling", "double_binary_tree", "in_network"};
    for (const GeneratorInfo& info : generators()) {
        if (std::find(names.begin(), names.end(), info.key) == names.end())
            names.push_back(info.key);
    }
    return names;
}

void readAlgorithms(FieldContext& context, const MapReader& map, ProgramFields& fields)
{
    const YamlNode* node = map.node("algorithm");
    if (!node)
        return;
    if (node->isSequence()) {
        for (const auto& [item, field] : map.list("algorithm")) {
            const auto text = readText(context, *item, field);
            if (!text)
                continue;
            if (const auto choice = parseAlgorithmChoice(*text))
                fields.algorithms.push_back(*choice);
            else if (findGenerator(*text))
                context.error(*item, field, '"' + *text + "\" runs over the whole group", "algorithm: " + *text + ", or in the list an algorithm of one dimension");
            else
                context.error(*item, field, "unknown algorithm \"" + *text + "\"",
                              "one of " + nearestOf(*text, {"standard", "ring", "direct", "halving_doubling", "double_binary_tree", "in_network"})
                                  + "; direct4: four messages at a time");
        }
        if (fields.algorithms.empty())
            map.error("algorithm", "the list of algorithms is empty", "standard, or one algorithm per dimension");
        if (fields.algorithms == std::vector{AlgorithmChoice{}})
            fields.algorithms.clear(); // One entry is for all.
        return;
    }
    const auto text = map.text("algorithm");
    if (!text)
        return;
    if (*text == "auto")
        fields.choice.choose = true;
    else if (const auto choice = parseAlgorithmChoice(*text); choice && !choice->automatic)
        fields.algorithms.push_back(*choice);
    else if (!choice && findGenerator(*text))
        fields.choice.program.push_back({ProgramSource::Kind::Generator, *text, {}, 2, 1, 8, 1});
    else if (!choice)
        map.error("algorithm", "unknown algorithm \"" + *text + "\"", "one of " + nearestOf(*text, algorithmNames()) + "; direct4: four messages at a time");
}

void readParameters(const MapReader& map, ProgramSource& source)
{
    const YamlNode* node = map.node("parameters");
    if (!node)
        return;
    if (!node->isMap()) {
        map.error("parameters", "not a mapping", "names with numbers: {instances: 4}");
        return;
    }
    std::vector<std::string_view> names;
    for (const YamlEntry& entry : node->entries)
        names.push_back(entry.key);
    const MapReader values(map.context(), *node, map.field("parameters"), names);
    for (const YamlEntry& entry : node->entries) {
        if (const auto value = values.number(entry.key, -std::numeric_limits<double>::max()))
            source.parameters[entry.key] = *value;
    }
}

/// What only some methods use. Written for those, and where designs are compared.
SectionField<ProgramSource> seededField(SectionField<ProgramSource> field)
{
    field.read = [key = field.key, read = std::move(field.read)](const MapReader& map, ProgramSource& source) {
        if (map.has(key) && !isSeededSynthesis(source.text))
            map.error(key, key + " is not used by " + source.text, "method: greedy, or another that does");
        read(map, source);
    };
    field.write = [write = std::move(field.write)](MapBuilder& map, const ProgramSource& source, const Writing& how) {
        if (how.form == DesignForm::Canonical || isSeededSynthesis(source.text))
            write(map, source, how);
    };
    return field;
}

using Sources = std::vector<ProgramSource>;
/// A row of a source: added to those that are there; written of the one that is.
using SourceRow = SectionField<Sources, ProgramSource>;
constexpr auto kNoCheck = [](const auto&, const auto&) {};

constexpr const char* kWithRadix = "algorithm: k_nomial or bruck beside it";

const GeneratorInfo* generatorOf(const Sources& sources)
{
    return sources.empty() || sources.front().kind != ProgramSource::Kind::Generator ? nullptr : findGenerator(sources.front().text);
}

bool hasRadix(const Sources& sources)
{
    const GeneratorInfo* const generator = generatorOf(sources);
    return generator && generator->hasRadix;
}

/// The hash of a design has the content of the files, not their names.
SourceRow namedRow(const char* key, ProgramSource::Kind kind)
{
    return {key, "",
            [key, kind](const MapReader& map, Sources& sources) {
                const auto path = map.has(key) ? map.text(key) : std::nullopt;
                if (!path)
                    return;
                if (path->empty())
                    map.error(key, "the path is empty", "a file");
                sources.push_back({kind, *path, {}, 2, 1, 8, 1});
            },
            [key, kind](MapBuilder& map, const ProgramSource& source, const Writing& how) {
                if (source.kind == kind)
                    map.add(key, how.form == DesignForm::Canonical && source.hasFile() ? std::string("file") : source.text);
            },
            kNoCheck, {}};
}

/// Names with numbers, free as those of the script's: they have no rows.
SourceRow parametersRow()
{
    return {"parameters", "",
            [](const MapReader& map, Sources& sources) {
                if (!map.has("parameters"))
                    return;
                if (map.has("script") && !sources.empty())
                    readParameters(map, sources.back());
                else
                    map.error("parameters", "only a script has parameters", "script: FILE.lua beside it");
            },
            [](MapBuilder& map, const ProgramSource& source, const Writing&) {
                if (source.kind != ProgramSource::Kind::Script)
                    return;
                MapBuilder parameters;
                for (const auto& [name, value] : source.parameters)
                    parameters.add(name, decimal(value));
                map.addFilled("parameters", parameters.take());
            },
            kNoCheck, {}};
}

SourceRow synthesisRow()
{
    return {"synthesis", "",
            [](const MapReader& map, Sources& sources) {
                if (const YamlNode* node = map.node("synthesis"))
                    readFields(map.context(), *node, map.field("synthesis"), synthesisFields(), sources.emplace_back(ProgramSource{ProgramSource::Kind::Synthesis, "greedy", {}, 2, 1, 8, 1}));
            },
            [](MapBuilder& map, const ProgramSource& source, const Writing& how) {
                if (source.kind == ProgramSource::Kind::Synthesis)
                    map.add("synthesis", fieldsTree(synthesisFields(), source, how));
            },
            kNoCheck, {}};
}

SourceRow generatorRow()
{
    return {"algorithm", "",
            [](const MapReader& map, Sources& sources) {
                const auto key = map.has("algorithm") ? map.text("algorithm") : std::nullopt;
                if (!key)
                    return;
                if (findGenerator(*key)) {
                    sources.push_back({ProgramSource::Kind::Generator, *key, {}, 2, 1, 8, 1});
                    return;
                }
                std::vector<std::string_view> names;
                for (const GeneratorInfo& info : generators())
                    names.push_back(info.key);
                map.error("algorithm", "unknown algorithm \"" + *key + "\"", "one of " + nearestOf(*key, names));
            },
            [](MapBuilder& map, const ProgramSource& source, const Writing&) {
                if (source.kind == ProgramSource::Kind::Generator)
                    map.add("algorithm", source.text);
            },
            kNoCheck, {}};
}

/// Of the generator that is the first source.
SourceRow radixRow()
{
    return {"radix", "",
            [](const MapReader& map, Sources& sources) {
                const auto radix = map.integer32("radix", 2, 1 << 16);
                if (!map.has("radix"))
                    return;
                if (hasRadix(sources))
                    sources.front().radix = radix.value_or(2);
                else if (const GeneratorInfo* const generator = generatorOf(sources))
                    map.error("radix", "radix is not used by " + std::string(generator->key), kWithRadix);
                else
                    map.error("radix", "only some algorithms over the whole group have a radix", kWithRadix);
            },
            [](MapBuilder& map, const ProgramSource& source, const Writing&) {
                if (source.kind == ProgramSource::Kind::Generator && source.radix != 2)
                    map.add("radix", std::int64_t{source.radix});
            },
            kNoCheck, {}};
}

ProgramSource readCandidate(FieldContext& context, const YamlNode& item, const std::string& field)
{
    Sources sources;
    readFields(context, item, field, candidateFields(), sources);
    if (item.isMap() && sources.size() != 1)
        context.error(item, field, sources.empty() ? "the candidate names no program" : "the candidate names several programs", "one of program, script, algorithm, synthesis");
    return sources.empty() ? ProgramSource{} : sources.front();
}

/// The standard algorithms are "auto" in the canonical form, as ever: hashes of designs stay.
YamlNode algorithmsTree(const std::vector<AlgorithmChoice>& algorithms, bool canonical)
{
    const auto standard = [&] { return YamlNode::scalar(canonical ? "auto" : "standard"); };
    if (algorithms.empty())
        return standard();
    YamlNode list = YamlNode::sequence();
    for (const AlgorithmChoice& choice : algorithms)
        list.items.push_back(choice.automatic ? standard() : YamlNode::scalar(algorithmChoiceText(choice)));
    return list.items.size() == 1 ? std::move(list.items[0]) : list;
}

} // namespace

const SectionFields<ProgramSource>& synthesisFields()
{
    using Config = ProgramSource;
    static const SectionFields<Config> fields = [] {
        SectionField<Config> method = saidText("method", &Config::text, "");
        method.read = [](const MapReader& map, Config& source) {
            std::vector<std::pair<std::string_view, std::string_view>> methods;
            for (const std::string_view name : synthesisNames())
                methods.emplace_back(name, name);
            source.text = map.choice("method", methods).value_or(source.text);
        };
        SectionField<Config> pieces = wholeField("pieces", &Config::pieces, 1, 1 << 16, "");
        pieces.write = [](MapBuilder& map, const Config& source, const Writing& how) {
            if (how.form == DesignForm::Canonical || source.pieces != 1)
                map.add("pieces", std::int64_t{source.pieces});
        };
        return SectionFields<Config>{
            method,
            seededField(seedField("seed", &Config::seed, "")),
            seededField(saidWhole("tries", &Config::tries, 1, kMaxTries, "")),
            pieces,
        };
    }();
    return fields;
}

const SectionFields<std::vector<ProgramSource>, ProgramSource>& candidateFields()
{
    static const SectionFields<Sources, ProgramSource> fields{generatorRow(),   namedRow("program", ProgramSource::Kind::File), namedRow("script", ProgramSource::Kind::Script),
                                                              parametersRow(), synthesisRow(),                                 radixRow()};
    return fields;
}

const SectionFields<ProgramFields>& programFields()
{
    using Config = ProgramFields;
    const auto ofSource = [](SourceRow row) {
        return SectionField<Config>{row.key, row.text, [read = std::move(row.read)](const MapReader& map, Config& config) { read(map, config.sources); },
                                    [write = std::move(row.write)](MapBuilder& map, const Config& config, const Writing& how) {
                                        if (!config.choice.choose && !config.choice.program.empty())
                                            write(map, config.choice.program.front(), how);
                                    },
                                    kNoCheck, {}};
    };
    static const SectionFields<Config> fields = [&] {
        SectionField<Config> algorithm = ofSource(generatorRow());
        algorithm.read = [](const MapReader& map, Config& config) { readAlgorithms(map.context(), map, config); };
        algorithm.write = [ofGenerator = std::move(algorithm.write)](MapBuilder& map, const Config& config, const Writing& how) {
            const bool canonical = how.form == DesignForm::Canonical;
            if (config.given && config.choice.choose)
                map.add("algorithm", canonical ? "simulated" : "auto");
            else if (config.given && config.choice.program.empty())
                map.add("algorithm", algorithmsTree(config.algorithms, canonical));
            else
                ofGenerator(map, config, how);
        };
        SectionField<Config> radix = ofSource(radixRow());
        radix.read = [](const MapReader& map, Config& config) {
            const auto value = map.integer32("radix", 2, 1 << 16);
            if (map.has("radix") && !hasRadix(config.choice.program))
                map.error("radix", "only some algorithms over the whole group have a radix", kWithRadix);
            else if (map.has("radix"))
                config.choice.program.front().radix = value.value_or(2);
        };
        return SectionFields<Config>{
            algorithm,
            radix,
            ofSource(namedRow("program", ProgramSource::Kind::File)),
            ofSource(namedRow("script", ProgramSource::Kind::Script)),
            ofSource(parametersRow()),
            ofSource(synthesisRow()),
            {"candidates", "",
             [](const MapReader& map, Config& config) {
                 for (const auto& [item, field] : map.list("candidates"))
                     config.choice.candidates.push_back(readCandidate(map.context(), *item, field));
                 if (map.has("candidates") && !config.choice.choose)
                     map.error("candidates", "nothing is chosen here", "algorithm: auto beside it");
             },
             [](MapBuilder& map, const Config& config, const Writing& how) {
                 YamlNode candidates = YamlNode::sequence();
                 for (const ProgramSource& candidate : config.choice.candidates)
                     candidates.items.push_back(fieldsTree(candidateFields(), candidate, how));
                 map.addFilled("candidates", std::move(candidates));
             },
             kNoCheck, {}},
            {"slots", "",
             [](const MapReader& map, Config& config) {
                 if (!map.has("slots"))
                     return;
                 if (const YamlNode* node = map.node("slots"); node && node->isScalar() && node->text == "protocol")
                     config.choice.receiveSlots = kProtocolSlots;
                 else
                     config.choice.receiveSlots = map.integer32("slots", 0, kMaxSlots).value_or(0);
             },
             [](MapBuilder& map, const Config& config, const Writing&) {
                 if (config.choice.receiveSlots == kProtocolSlots)
                     map.add("slots", "protocol");
                 else if (config.choice.receiveSlots > 0)
                     map.add("slots", std::int64_t{config.choice.receiveSlots});
             },
             kNoCheck, {}},
        };
    }();
    return fields;
}

ProgramFields readProgramFields(const MapReader& map)
{
    ProgramFields fields;
    readFields(map, programFields(), fields);
    const std::size_t named = fields.sources.size() + (map.has("algorithm") ? 1 : 0);
    if (named > 1)
        map.error(map.has("algorithm") ? "algorithm" : "program", "several ways to pick the program of a collective", "one of algorithm, program, script, synthesis");
    else if (!fields.sources.empty())
        fields.choice.program = std::move(fields.sources);
    fields.given = named > 0;
    return fields;
}

} // namespace fabricscope
