// A study file read and tried: what is misspelt is told with its line before anything runs.
#include "core/base/files/textfile.h"
#include "core/base/index.h"
#include "core/base/seededhash.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/design/file/costsection.h"
#include "core/study/designspace.h"
#include "core/study/readsampling.h"
#include "core/yaml/fieldreader.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostChoices = 1'000'000;
constexpr std::size_t kMostParameters = 64;

constexpr std::string_view kBound = "bound";
constexpr std::string_view kBasePrefix = "study.base.";

/// A number with or without a unit, or a word.
NamedValue namedOf(const std::string& text)
{
    for (const Measure measure : {Measure::Count, Measure::Time, Measure::Size, Measure::Bandwidth, Measure::Operations, Measure::ComputeRate}) {
        const Result<Quantity> quantity = parseQuantity(text, measure);
        if (quantity)
            return {false, measure, measure == Measure::Time ? static_cast<double>(toSimTime(quantity.value()).ps) : quantity.value().base(), text};
    }
    return {true, Measure::Count, {}, text};
}

/// As `--set` takes it.
std::string valueText(const YamlNode& node)
{
    return node.isScalar() ? node.text : renderYaml(node, true);
}

/// In constraints all choices are numbers of one measure, or all are words.
void alignKinds(std::vector<ParameterChoice>& choices)
{
    const auto differs = [&](const ParameterChoice& choice) { return choice.named.isWord || choice.named.measure != choices.front().named.measure; };
    if (!std::any_of(choices.begin(), choices.end(), differs))
        return;
    for (ParameterChoice& choice : choices)
        choice.named = {true, Measure::Count, {}, choice.label};
}

class StudyReader {
public:
    StudyReader(const YamlDocument& document, const std::vector<FieldOverride>& sets, const std::stop_token& stop) : m_document(document), m_sets(sets), m_context(document, stop) {}

    Result<StudySpec> read()
    {
        const MapReader top(m_context, m_document.root(), "", {"fabricscope", "name", "notes", "study"});
        if (top.required("fabricscope"))
            static_cast<void>(top.integer("fabricscope", 1, 1));
        m_spec.name = top.text("name").value_or("");
        m_spec.file = m_document.file();
        if (const YamlNode* node = top.required("study"))
            readWhole(*node);
        if (m_context.hasErrors())
            return *m_context.firstError();
        if (Status status = tryValues(); !status)
            return std::move(status).error();
        makeStrata();
        return std::move(m_spec);
    }

private:
    void readWhole(const YamlNode& node)
    {
        const MapReader study(m_context, node, "study", {"base", "parameters", "constraints", "objectives", "sampling"});
        if (!node.isMap())
            return;
        readBase(study);
        readSampling(study, m_spec.sampling);
        if (study.required("parameters")) {
            const auto items = study.list("parameters");
            if (items.empty() && !m_context.hasErrors())
                study.error("parameters", "nothing is varied", "at least one parameter");
            if (items.size() > kMostParameters)
                return study.error("parameters", std::to_string(items.size()) + " parameters", "at most " + std::to_string(kMostParameters));
            for (const auto& [item, field] : items)
                readParameter(*item, field);
        }
        orderFields(study);
        readConstraints(study);
        readObjectives(study);
        if (!m_context.hasErrors())
            checkCount(study);
    }

    /// A file named in the study, whose paths start at its folder.
    Result<YamlDocument> openNamed(const std::string& path) const
    {
        const std::filesystem::path folder = std::filesystem::path(m_document.file()).parent_path();
        const std::string opened = std::filesystem::path(path).is_absolute() ? path : (folder / path).string();
        Result<std::string> text = readTextFile(opened, YamlDocument::kMaxBytes);
        if (!text)
            return std::move(text).error();
        return YamlDocument::parse(std::move(text).value(), opened, m_context.stop);
    }

    void report(const YamlNode& node, const std::string& field, const Error& error)
    {
        if (error.place.line > 0)
            m_context.error(error, "study-file");
        else
            m_context.error(node, field, (error.place.file.empty() ? std::string() : error.place.file + ": ") + error.message, error.expected, error.code);
    }

    void readBase(const MapReader& study)
    {
        const YamlNode* node = study.required("base");
        if (!node)
            return;
        if (node->isMap())
            return readInlineBase(*node);
        const auto path = study.text("base");
        if (!path)
            return;
        Result<YamlDocument> document = openNamed(*path);
        if (document)
            m_spec.base = std::move(document).value();
        else
            report(*node, study.field("base"), document.error());
    }

    /// The text of the study with all but the design blanked: places stay.
    void readInlineBase(const YamlNode& node)
    {
        std::string text = m_document.text();
        for (std::size_t i = 0; i < text.size(); ++i) {
            if ((i < node.begin || i >= node.end) && text[i] != '\n' && text[i] != '\r')
                text[i] = ' ';
        }
        // What --set gave, or what has anchors elsewhere, stands in no text of its own.
        Result<YamlDocument> document = node.origin.empty() ? YamlDocument::parse(std::move(text), m_document.file(), m_context.stop) : stoppedError();
        if (!document)
            document = YamlDocument::parse(renderYaml(node, true, m_context.stop), m_document.file() + " (study.base)", m_context.stop);
        if (!document)
            return report(node, "study.base", document.error());
        m_spec.base = std::move(document).value();
        if (!m_spec.base.root().isMap())
            return m_context.error(node, "study.base", "this is no design", "a mapping, or the name of a file");
        if (!m_spec.base.root().find("fabricscope"))
            static_cast<void>(m_spec.base.overlay("fabricscope", "1", m_document.file()));
        for (const FieldOverride& change : m_sets) {
            if (!change.path.starts_with(kBasePrefix))
                continue;
            if (const Status status = m_spec.base.overlay(change.path.substr(kBasePrefix.size()), change.value, "--set " + change.path); !status)
                m_context.error(node, change.path, status.error().message, status.error().expected);
        }
    }

    void readParameter(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"name", "field", "fields", "values", "range", "scale", "points", "alternatives"});
        if (!node.isMap())
            return;
        StudyParameter parameter;
        parameter.place = placeOfNode(node, m_document.file(), field);
        parameter.name = map.required("name") ? map.text("name").value_or("") : "";
        checkName(map, parameter.name);
        if (map.has("field") && map.has("fields"))
            map.error("fields", "field and fields both say what is varied", "one of them");
        if (const auto path = map.text("field"))
            addField(map, "field", *path, parameter);
        for (const auto& [item, itemField] : map.list("fields")) {
            if (const auto path = readText(m_context, *item, itemField))
                addField(map, "fields", *path, parameter);
        }
        if (!map.has("field") && !map.has("fields"))
            addField(map, "name", parameter.name, parameter);
        const int said = (map.has("values") ? 1 : 0) + (map.has("range") ? 1 : 0) + (map.has("alternatives") ? 1 : 0);
        if (said != 1)
            return m_context.error(node, field, said == 0 ? "nothing says what this parameter may be" : "more than one thing says what this parameter may be", "one of values, range, alternatives");
        if (!map.has("range")) {
            for (const char* key : {"scale", "points"}) {
                if (map.has(key))
                    map.error(key, std::string(key) + " belongs to a range", "range: [FROM, TO]");
            }
        }
        if (map.has("values"))
            readValues(map, parameter);
        else if (map.has("range"))
            readRange(map, parameter);
        else
            readAlternatives(map, parameter);
        if (m_context.hasErrors())
            return;
        alignKinds(parameter.choices);
        m_spec.parameters.push_back(std::move(parameter));
    }

    void checkName(const MapReader& map, const std::string& name)
    {
        const auto isNameLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
        const bool plain = !name.empty() && isNameLetter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) { return isNameLetter(c) || (c >= '0' && c <= '9'); });
        if (!map.has("name"))
            return;
        if (!plain)
            map.error("name", "\"" + shownText(name) + "\" is no name of a parameter", "letters, digits and _");
        else if (name == "and" || name == "or" || name == "not")
            map.error("name", "\"" + name + "\" joins conditions", "another name");
        else if (pointFigureNamed(name))
            map.error("name", "\"" + name + "\" is the name of a figure", "another name");
        else if (!m_names.insert(name).second)
            map.error("name", "there is a parameter \"" + name + "\" already", "another name");
    }

    void addField(const MapReader& map, const char* key, const std::string& path, StudyParameter& parameter)
    {
        const Result<YamlPath> steps = parseYamlPath(path);
        if (!steps)
            return map.error(key, "\"" + shownText(path) + "\" is no field of a design", "a path, as platform.dimensions.0.bandwidth");
        parameter.fields.push_back(path);
    }

    /// Each field once, and those of a section after the section.
    void orderFields(const MapReader& study)
    {
        std::vector<std::pair<std::size_t, std::pair<std::size_t, std::string>>> byDepth;
        std::map<YamlPath, std::size_t> owners;
        for (std::size_t i = 0; i < m_spec.parameters.size(); ++i) {
            for (const std::string& field : m_spec.parameters[i].fields) {
                const YamlPath steps = parseYamlPath(field).value();
                const auto [owner, isFirst] = owners.emplace(steps, i);
                if (!isFirst)
                    return study.error("parameters", "\"" + shownText(field) + "\" is varied by " + m_spec.parameters[owner->second].name + (owner->second == i ? " twice" : " and by " + m_spec.parameters[i].name), "each field once");
                byDepth.push_back({steps.size(), {i, field}});
            }
        }
        std::stable_sort(byDepth.begin(), byDepth.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto& [depth, field] : byDepth)
            m_spec.fields.push_back(std::move(field));
    }

    void readValues(const MapReader& map, StudyParameter& parameter)
    {
        const auto items = map.list("values");
        if (items.empty() && !m_context.hasErrors())
            return map.error("values", "the list is empty", "at least one value");
        std::set<std::string> seen;
        for (const auto& [item, field] : items) {
            if (item->isNull())
                return m_context.error(*item, field, "there is no value", "what the field is to be");
            ParameterChoice choice{valueText(*item), valueText(*item), placeOfNode(*item, m_document.file(), field), namedOf(valueText(*item))};
            if (!seen.insert(choice.value).second)
                return m_context.error(*item, field, "\"" + shownText(choice.value) + "\" stands here twice", "each once");
            parameter.choices.push_back(std::move(choice));
        }
    }

    void readRange(const MapReader& map, StudyParameter& parameter)
    {
        const auto ends = map.list("range");
        if (ends.size() != 2 || !ends[0].first->isScalar() || !ends[1].first->isScalar()) {
            if (!m_context.hasErrors())
                map.error("range", "a range has two ends", "[FROM, TO], as [500 ns, 5 us]");
            return;
        }
        const NamedValue from = namedOf(ends[0].first->text);
        const NamedValue to = namedOf(ends[1].first->text);
        for (const auto& [value, end] : {std::pair{&from, &ends[0]}, {&to, &ends[1]}}) {
            if (value->isWord)
                return m_context.error(*end->first, end->second, "\"" + shownText(end->first->text) + "\" is no number", "a number, with its unit where the field has one");
        }
        if (from.measure != to.measure)
            return map.error("range", "the ends of the range measure different things", "two numbers of one measure");
        ParameterRange range;
        range.logarithmic = map.choice<bool>("scale", {{"linear", false}, {"log", true}}).value_or(false);
        range.measure = from.measure;
        const Quantity first = parseQuantity(ends[0].first->text, from.measure).value();
        const Quantity last = parseQuantity(ends[1].first->text, from.measure).value();
        range.unit = first.unit.text();
        const Quantity one{1, first.unit, from.measure};
        range.from = first.value;
        range.to = first.unit == last.unit ? last.value : last.base() / one.base();
        if (!(range.from < range.to))
            return map.error("range", "the range does not go up", "the smaller end first");
        if (range.logarithmic && !(range.from > 0))
            return map.error("range", "a logarithmic range begins above 0", "more than 0");
        parameter.range = range;
        if (!map.has("points")) {
            if (m_spec.sampling.kind == StudySampling::Kind::Grid)
                map.required("points");
            return;
        }
        const auto points = map.integer("points", 2, kMostChoices);
        if (points && (m_points += *points) > kMostChoices)
            return map.error("points", "all ranges together have more than " + std::to_string(kMostChoices) + " points", "fewer, or a sampling without points");
        parameter.place = m_document.place(*ends[0].first, map.field("range"));
        for (std::int64_t i = 0; points && i < *points; ++i) {
            checkStop(m_context.stop);
            parameter.choices.push_back(parameter.at(static_cast<double>(i) / static_cast<double>(*points - 1)));
        }
        parameter.range.reset();
        parameter.fromRange = true;
    }

    void readAlternatives(const MapReader& map, StudyParameter& parameter)
    {
        const YamlNode* node = map.node("alternatives");
        if (!node)
            return;
        if (!node->isMap() || node->entries.empty())
            return map.error("alternatives", "these are no alternatives", "a mapping of names to sections, or to {file: DESIGN, section: PATH}");
        for (const YamlEntry& entry : node->entries) {
            const std::string field = map.field("alternatives") + "." + entry.key;
            ParameterChoice choice{entry.key, {}, placeOfNode(entry.value, m_document.file(), field), {true, Measure::Count, {}, entry.key}};
            const YamlEntry* file = entry.value.isMap() ? entry.value.find("file") : nullptr;
            const YamlEntry* section = entry.value.isMap() ? entry.value.find("section") : nullptr;
            if (file && section && entry.value.entries.size() == 2)
                choice.value = sectionOfFile(file->value, section->value, field);
            else if (entry.value.isNull())
                m_context.error(entry.value, field, "there is no value", "what the field is to be");
            else
                choice.value = valueText(entry.value);
            parameter.choices.push_back(std::move(choice));
        }
    }

    std::string sectionOfFile(const YamlNode& file, const YamlNode& section, const std::string& field)
    {
        const auto path = readText(m_context, file, field + ".file");
        const auto part = readText(m_context, section, field + ".section");
        if (!path || !part)
            return {};
        const Result<YamlDocument> document = openNamed(*path);
        if (!document) {
            report(file, field + ".file", document.error());
            return {};
        }
        const YamlNode* found = document.value().find(*part);
        if (!found || found->isNull()) {
            m_context.error(section, field + ".section", "\"" + shownText(*path) + "\" has no section \"" + shownText(*part) + "\"", "a path, as platform");
            return {};
        }
        return valueText(*found);
    }

    std::optional<NamedValue> kindOf(std::string_view name) const
    {
        for (const StudyParameter& parameter : m_spec.parameters) {
            if (parameter.name != name)
                continue;
            return parameter.choices.empty() ? NamedValue{false, parameter.range->measure, {}, {}} : parameter.choices.front().named;
        }
        const auto figure = pointFigureNamed(name);
        return figure ? std::optional(NamedValue{false, rowOf(*figure).measure, {}, {}}) : std::nullopt;
    }

    /// A misspelt word would hold of nothing, or of all.
    bool checkWord(const YamlNode& node, const std::string& field, const std::string& name, const std::string& word)
    {
        const auto parameter = std::find_if(m_spec.parameters.begin(), m_spec.parameters.end(), [&](const StudyParameter& one) { return one.name == name; });
        std::vector<std::string_view> known;
        for (const ParameterChoice& choice : parameter->choices)
            known.push_back(choice.named.word);
        if (std::find(known.begin(), known.end(), word) != known.end())
            return true;
        m_context.error(node, field, "\"" + shownText(word) + "\" is no value of " + name, "one of " + nearestOf(word, known));
        return false;
    }

    /// Null: it is none, which is reported.
    const Constraint* readCondition(const YamlNode& node, const std::string& field)
    {
        const auto text = readText(m_context, node, field);
        if (!text || m_context.hasErrors())
            return nullptr;
        Result<Constraint> condition = Constraint::parse(*text, [this](std::string_view name) { return kindOf(name); });
        if (!condition) {
            m_context.error(node, field, condition.error().message, condition.error().expected);
            return nullptr;
        }
        for (const auto& [name, word] : condition.value().comparedWords()) {
            if (!checkWord(node, field, name, word))
                return nullptr;
        }
        m_spec.constraints.push_back({std::move(condition).value(), placeOfNode(node, m_document.file(), field)});
        return &m_spec.constraints.back().condition;
    }

    void readConstraints(const MapReader& study)
    {
        for (const auto& [item, field] : study.list("constraints"))
            readCondition(*item, field);
    }

    /// A constraint whose figures are reported.
    void readBound(const YamlNode& node, const std::string& field, std::set<PointFigure>& seen)
    {
        const Constraint* const condition = readCondition(node, field);
        if (!condition)
            return;
        for (const std::string& name : condition->names()) {
            const auto figure = pointFigureNamed(name);
            if (figure && seen.insert(*figure).second)
                m_spec.objectives.push_back({StudyObjective::Sense::Report, *figure, placeOfNode(node, m_document.file(), field)});
        }
    }

    void readObjectives(const MapReader& study)
    {
        if (!study.required("objectives"))
            return;
        std::vector<std::string_view> words;
        for (const FigureRow& row : figureRows())
            words.push_back(row.key);
        std::set<PointFigure> seen;
        std::vector<std::string_view> keys = keysOf(kObjectiveSenses);
        keys.push_back(kBound);
        for (const auto& [item, field] : study.list("objectives")) {
            const MapReader map(m_context, *item, field, keys);
            if (!item->isMap())
                continue;
            if (item->entries.size() != 1) {
                m_context.error(*item, field, "an objective is one figure", "minimise, maximise or report: FIGURE, or bound: CONDITION");
                continue;
            }
            if (map.has(kBound)) {
                readBound(item->entries.front().value, field + "." + std::string(kBound), seen);
                continue;
            }
            const std::string key = item->entries.front().key;
            const auto text = map.text(key);
            const auto figure = text ? pointFigureNamed(*text) : std::nullopt;
            const auto sense = valueOf(kObjectiveSenses, key);
            if (!text || !sense)
                continue;
            if (!figure)
                map.error(key, "unknown figure \"" + shownText(*text) + "\"", "one of " + nearestOf(*text, words));
            else if (!seen.insert(*figure).second)
                map.error(key, "\"" + *text + "\" stands here twice", "each once");
            else
                m_spec.objectives.push_back({*sense, *figure, placeOfNode(*item, m_document.file(), field)});
        }
        if (m_spec.objectives.empty() && !m_context.hasErrors())
            study.error("objectives", "nothing is looked for", "at least one of minimise, maximise, report, bound");
    }

    void checkCount(const MapReader& study)
    {
        if (m_spec.sampling.kind == StudySampling::Kind::Sobol && m_spec.parameters.size() > kSobolDimensions)
            return study.error("parameters", std::to_string(m_spec.parameters.size()) + " parameters for a Sobol sequence", "at most " + std::to_string(kSobolDimensions) + ", or latin_hypercube", ErrorCode::Unsupported);
        const StudySampling& sampling = m_spec.sampling;
        if (m_spec.designCount() > m_spec.mostDesigns())
            study.error("parameters", (sampling.kind == StudySampling::Kind::Grid ? "the grid has more than " : "the sampling has more than ") + std::to_string(m_spec.mostDesigns()) + " designs", sampling.kind == StudySampling::Kind::Saltelli ? "fewer points: each is a design more than there are parameters, and one" : sampling.search ? "fewer values" : "fewer values, or sampling: {kind: sobol, points: N} or {search: nsga2, budget: N}", ErrorCode::Unsupported);
        const auto isReport = [](const StudyObjective& objective) { return objective.sense == StudyObjective::Sense::Report; };
        if (sampling.search && std::all_of(m_spec.objectives.begin(), m_spec.objectives.end(), isReport))
            study.error("objectives", "a search looks for the best, and nothing says what that is", "minimise or maximise: FIGURE");
    }

    /// All it may be; of long ranges both ends and some between.
    static std::vector<ParameterChoice> triedOf(const StudyParameter& parameter)
    {
        constexpr std::size_t kTried = 64;
        if (parameter.range) // And one between, which is no whole number where the ends are.
            return {parameter.at(0), parameter.at(0.381966), parameter.at(1)};
        if (!parameter.fromRange || parameter.choices.size() <= kTried)
            return parameter.choices;
        std::vector<ParameterChoice> out;
        for (std::size_t i = 0; i < kTried; ++i)
            out.push_back(parameter.choices[i * (parameter.choices.size() - 1) / (kTried - 1)]);
        return out;
    }

    Status tryOne(const std::vector<ParameterChoice>& choices, std::size_t changed)
    {
        YamlDocument document = m_spec.base;
        const Result<LoadedDesign> design = readDesignDocument(document, m_spec.fieldsOf(choices), m_context.stop);
        if (!design && design.error().code == ErrorCode::Cancelled)
            return design.error();
        Result<std::optional<CostConfig>> costs = design ? readCosts(document) : Result<std::optional<CostConfig>>(design.error());
        if (costs)
            return {};
        Error error = std::move(costs).error();
        std::size_t guilty = changed;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            if (error.place.file == "parameter " + m_spec.parameters[i].name)
                guilty = i;
        }
        YamlDocument alone = m_spec.base;
        const Result<LoadedDesign> base = readDesignDocument(alone, {}, m_context.stop);
        if (!base && base.error().text() == error.text())
            return error;
        const std::string inside = error.place.field;
        error.message = (inside.empty() ? "" : inside + ": ") + error.message;
        error.place = choices[guilty].place;
        return error;
    }

    /// Every value of every parameter, with the first of all others.
    Status tryValues()
    {
        std::vector<ParameterChoice> first;
        for (const StudyParameter& parameter : m_spec.parameters)
            first.push_back(triedOf(parameter).front());
        for (std::size_t i = 0; i < m_spec.parameters.size(); ++i) {
            for (ParameterChoice& choice : triedOf(m_spec.parameters[i])) {
                if (m_context.stop.stop_requested())
                    return stoppedError();
                std::vector<ParameterChoice> choices = first;
                choices[i] = std::move(choice);
                if (Status status = tryOne(choices, i); !status)
                    return status;
            }
        }
        return {};
    }

    /// A permutation for each parameter.
    void makeStrata()
    {
        const StudySampling& sampling = m_spec.sampling;
        if (sampling.kind != StudySampling::Kind::LatinHypercube)
            return;
        for (std::size_t dimension = 0; dimension < m_spec.parameters.size(); ++dimension) {
            std::vector<std::int32_t> rows(at(sampling.points));
            for (std::size_t i = 0; i < rows.size(); ++i)
                rows[i] = static_cast<std::int32_t>(i);
            for (std::size_t i = rows.size(); i > 1; --i) {
                checkStop(m_context.stop);
                std::swap(rows[i - 1], rows[seededHash(sampling.seed, {0, static_cast<std::int64_t>(dimension), static_cast<std::int64_t>(i)}) % i]);
            }
            m_spec.strata.push_back(std::move(rows));
        }
    }

    const YamlDocument& m_document;
    const std::vector<FieldOverride>& m_sets;
    FieldContext m_context;
    StudySpec m_spec;
    std::set<std::string> m_names;
    std::int64_t m_points = 0; ///< Of all ranges.
};

} // namespace

Result<StudySpec> readStudy(const std::string& file, const std::vector<FieldOverride>& sets, const std::stop_token& stop)
{
    Result<std::string> text = readTextFile(file, YamlDocument::kMaxBytes);
    if (!text)
        return std::move(text).error();
    return readStudyText(std::move(text).value(), file, sets, stop);
}

Result<StudySpec> readStudyText(std::string text, const std::string& file, const std::vector<FieldOverride>& sets, const std::stop_token& stop)
{
    Result<YamlDocument> document = YamlDocument::parse(std::move(text), file, stop);
    if (!document)
        return std::move(document).error();
    for (const FieldOverride& change : sets) {
        if (Status status = document.value().overlay(change.path, change.value, "--set " + change.path); !status) {
            Error error = std::move(status).error();
            error.place.file = "--set " + change.path;
            return error;
        }
    }
    return untilStopped([&] { return StudyReader(document.value(), sets, stop).read(); });
}

} // namespace fabricscope
