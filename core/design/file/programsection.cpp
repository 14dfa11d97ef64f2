#include "core/design/file/programsection.h"

#include "core/base/decimal.h"
#include "core/design/file/sectiontree.h"
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

ProgramSource readSynthesis(FieldContext& context, const MapReader& map, const YamlNode& node)
{
    ProgramSource source;
    source.kind = ProgramSource::Kind::Synthesis;
    const MapReader inner(context, node, map.field("synthesis"), {"method", "seed", "tries", "pieces"});
    std::vector<std::pair<std::string_view, std::string_view>> methods;
    for (const std::string_view name : synthesisNames())
        methods.emplace_back(name, name);
    source.text = inner.choice("method", methods).value_or("greedy");
    for (const char* key : {"seed", "tries"}) {
        if (inner.has(key) && !isSeededSynthesis(source.text))
            inner.error(key, std::string(key) + " is not used by " + source.text, "method: greedy, or another that does");
    }
    source.seed = static_cast<std::uint64_t>(inner.integer("seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(1));
    source.tries = inner.integer32("tries", 1, kMaxTries).value_or(8);
    source.pieces = inner.integer32("pieces", 1, 1 << 16).value_or(1);
    return source;
}

/// The one of program, script and synthesis that is there.
std::vector<ProgramSource> readSource(FieldContext& context, const MapReader& map)
{
    std::vector<ProgramSource> sources;
    for (const auto& [key, kind] : {std::pair{"program", ProgramSource::Kind::File}, std::pair{"script", ProgramSource::Kind::Script}}) {
        if (const auto path = map.has(key) ? map.text(key) : std::nullopt) {
            ProgramSource source;
            source.kind = kind;
            source.text = *path;
            if (path->empty())
                map.error(key, "the path is empty", "a file");
            sources.push_back(std::move(source));
        }
    }
    if (const YamlNode* node = map.node("synthesis"))
        sources.push_back(readSynthesis(context, map, *node));
    if (map.has("parameters")) {
        if (map.has("script") && !sources.empty())
            readParameters(map, sources.front());
        else
            map.error("parameters", "only a script has parameters", "script: FILE.lua beside it");
    }
    return sources;
}

constexpr const char* kWithRadix = "algorithm: k_nomial or bruck beside it";

bool hasRadix(const ProgramSource& source)
{
    const GeneratorInfo* const generator = source.kind == ProgramSource::Kind::Generator ? findGenerator(source.text) : nullptr;
    return generator && generator->hasRadix;
}

ProgramSource readCandidate(FieldContext& context, const YamlNode& item, const std::string& field)
{
    const MapReader map(context, item, field, {"algorithm", "program", "script", "parameters", "synthesis", "radix"});
    std::vector<ProgramSource> sources = readSource(context, map);
    if (const auto key = map.has("algorithm") ? map.text("algorithm") : std::nullopt) {
        if (findGenerator(*key)) {
            sources.push_back({ProgramSource::Kind::Generator, *key, {}, 2, 1, 8, 1});
            sources.back().radix = map.integer32("radix", 2, 1 << 16).value_or(2);
            if (map.has("radix") && !hasRadix(sources.back()))
                map.error("radix", "radix is not used by " + *key, kWithRadix);
        } else {
            std::vector<std::string_view> names;
            for (const GeneratorInfo& info : generators())
                names.push_back(info.key);
            map.error("algorithm", "unknown algorithm \"" + *key + "\"", "one of " + nearestOf(*key, names));
        }
    }
    if (item.isMap() && sources.size() != 1)
        context.error(item, field, sources.empty() ? "the candidate names no program" : "the candidate names several programs", "one of program, script, algorithm, synthesis");
    return sources.empty() ? ProgramSource{} : sources.front();
}

void writeSource(MapBuilder& map, const ProgramSource& source, bool canonical)
{
    switch (source.kind) {
    case ProgramSource::Kind::File:
        map.add("program", canonical ? std::string("file") : source.text);
        break;
    case ProgramSource::Kind::Script: {
        map.add("script", canonical && source.hasFile() ? std::string("file") : source.text);
        MapBuilder parameters;
        for (const auto& [name, value] : source.parameters)
            parameters.add(name, decimal(value));
        map.addFilled("parameters", parameters.take());
        break;
    }
    case ProgramSource::Kind::Generator:
        map.add("algorithm", source.text);
        if (source.radix != 2)
            map.add("radix", std::int64_t{source.radix});
        break;
    case ProgramSource::Kind::Synthesis: {
        MapBuilder synthesis;
        synthesis.add("method", source.text);
        if (canonical || isSeededSynthesis(source.text))
            synthesis.add("seed", std::to_string(source.seed)).add("tries", std::int64_t{source.tries});
        if (canonical || source.pieces != 1)
            synthesis.add("pieces", std::int64_t{source.pieces});
        map.add("synthesis", synthesis.take());
        break;
    }
    }
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

ProgramFields readProgramFields(FieldContext& context, const MapReader& map)
{
    ProgramFields fields;
    readAlgorithms(context, map, fields);
    std::vector<ProgramSource> sources = readSource(context, map);
    const std::size_t named = sources.size() + (map.has("algorithm") ? 1 : 0);
    if (named > 1) {
        map.error(map.has("algorithm") ? "algorithm" : "program", "several ways to pick the program of a collective", "one of algorithm, program, script, synthesis");
    } else if (!sources.empty()) {
        fields.choice.program = std::move(sources);
    }
    fields.given = named > 0;
    if (map.has("radix")) {
        const auto radix = map.integer32("radix", 2, 1 << 16);
        if (fields.choice.program.empty() || !hasRadix(fields.choice.program.front()))
            map.error("radix", "only some algorithms over the whole group have a radix", kWithRadix);
        else
            fields.choice.program.front().radix = radix.value_or(2);
    }
    for (const auto& [item, field] : map.list("candidates"))
        fields.choice.candidates.push_back(readCandidate(context, *item, field));
    if (map.has("candidates") && !fields.choice.choose)
        map.error("candidates", "nothing is chosen here", "algorithm: auto beside it");
    if (map.has("slots")) {
        fields.slotsGiven = true;
        if (const YamlNode* node = map.node("slots"); node && node->isScalar() && node->text == "protocol")
            fields.choice.receiveSlots = kProtocolSlots;
        else
            fields.choice.receiveSlots = map.integer32("slots", 0, kMaxSlots).value_or(0);
    }
    return fields;
}

void writeProgramFields(MapBuilder& map, const std::vector<AlgorithmChoice>& algorithms, const ProgramChoice& choice, bool canonical)
{
    if (choice.choose)
        map.add("algorithm", canonical ? "simulated" : "auto");
    else if (!choice.program.empty())
        writeSource(map, choice.program.front(), canonical);
    else
        map.add("algorithm", algorithmsTree(algorithms, canonical));
    YamlNode candidates = YamlNode::sequence();
    for (const ProgramSource& candidate : choice.candidates) {
        MapBuilder entry;
        writeSource(entry, candidate, canonical);
        candidates.items.push_back(entry.take());
    }
    map.addFilled("candidates", std::move(candidates));
}

} // namespace fabricscope
