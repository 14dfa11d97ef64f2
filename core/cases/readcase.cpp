#include "core/cases/readcase.h"

#include "core/base/nearestword.h"
#include "core/yaml/fieldreader.h"

#include <algorithm>
#include <set>
#include <span>

namespace fabricscope {

namespace {

constexpr std::size_t kMostRuns = 64;
constexpr std::size_t kMostNumbers = 512;
constexpr std::size_t kMostFiles = 32;

constexpr std::string_view kSimulateOptions[] = {"model", "engine", "seed"};
constexpr std::string_view kCollectiveOptions[] = {"topology", "bandwidth", "npu-bandwidth", "latency", "collective", "size", "algorithm", "chunks", "window",
                                                   "active-chunks", "queues", "scheduler", "optimization", "endpoint-delay", "local-mem-bw", "model", "engine", "seed"};
constexpr std::string_view kSearchOptions[] = {"top", "objective", "estimate", "first-token", "per-token"};
constexpr std::string_view kPlaceOptions[] = {"heuristic", "exhaustive"};

/// A command that a case may run: none that is told where to write, so that a case of somebody else changes no files.
struct CaseCommand {
    std::string_view words;
    std::size_t leastFiles;
    std::size_t mostFiles;
    bool sets;
    std::span<const std::string_view> options;
};

constexpr CaseCommand kCommands[] = {
    {"simulate", 1, 1, true, kSimulateOptions}, {"collective", 0, 0, false, kCollectiveOptions}, {"fabric", 1, 1, true, {}},
    {"plan", 1, 1, true, {}},                   {"plan search", 1, 1, true, kSearchOptions},     {"place", 1, 1, true, kPlaceOptions},
    {"study run", 1, 1, true, {}},              {"compare", 2, 4, false, kSimulateOptions},
};

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == ' ')
            words.emplace_back();
        else
            words.back() += c;
    }
    return words;
}

/// As options and `--set` take it.
std::string valueText(const YamlNode& node)
{
    return node.isScalar() ? node.text : renderYaml(node, true);
}

/// Names are words of formulas, and of files that are written.
bool isName(std::string_view text)
{
    constexpr std::string_view kRest = "abcdefghijklmnopqrstuvwxyz0123456789_";
    constexpr std::size_t kLongest = 64;
    return !text.empty() && text.size() <= kLongest && text[0] >= 'a' && text[0] <= 'z' && text.find_first_not_of(kRest) == std::string_view::npos;
}

template <typename Row>
std::optional<std::size_t> rowNamed(const std::vector<Row>& rows, std::string_view name)
{
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    return found == rows.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - rows.begin()));
}

class CaseReader {
public:
    CaseReader(const YamlDocument& document, const std::stop_token& stop) : m_document(document), m_context(document, stop) {}

    Result<StudiedCase> read()
    {
        const MapReader top(m_context, m_document.root(), "", {"fabricscope", "name", "case"});
        if (top.required("fabricscope"))
            static_cast<void>(top.integer("fabricscope", 1, 1));
        m_case.file = m_document.file();
        m_case.text = m_document.text();
        m_case.title = top.required("name") ? top.text("name").value_or("") : "";
        if (const YamlNode* node = top.required("case"))
            readWhole(*node);
        if (m_context.hasErrors())
            return *m_context.firstError();
        return std::move(m_case);
    }

private:
    void readWhole(const YamlNode& node)
    {
        const MapReader whole(m_context, node, "case", {"question", "files", "runs", "numbers", "answer", "found", "tables", "published", "notes"});
        if (!node.isMap())
            return;
        if (whole.required("question"))
            m_case.question = whole.text("question").value_or("");
        for (const auto& [file, field] : whole.list("files"))
            readFile(*file, field);
        for (const auto& [run, field] : whole.required("runs") ? whole.list("runs") : List{})
            readRun(*run, field);
        for (const auto& [number, field] : whole.required("numbers") ? whole.list("numbers") : List{})
            readNumber(*number, field);
        checkCount(whole, "files", m_case.files.size(), 0, kMostFiles);
        checkCount(whole, "runs", m_case.runs.size(), 1, kMostRuns);
        checkCount(whole, "numbers", m_case.numbers.size(), 1, kMostNumbers);
        if (const YamlNode* answer = whole.required("answer"))
            m_case.answer = readSentence(*answer, whole.field("answer"));
        m_case.found = whole.text("found").value_or("");
        for (const auto& [table, field] : whole.list("tables"))
            readTable(*table, field);
        for (const auto& [row, field] : whole.list("published"))
            readPublished(*row, field);
        for (const auto& [note, field] : whole.list("notes"))
            m_case.notes.push_back(readText(m_context, *note, field).value_or(""));
    }

    using List = std::vector<std::pair<const YamlNode*, std::string>>;

    void checkCount(const MapReader& map, std::string_view key, std::size_t count, std::size_t least, std::size_t most)
    {
        if (!m_context.hasErrors() && (count < least || count > most))
            map.error(key, std::to_string(count) + " " + std::string(key), std::to_string(least) + " to " + std::to_string(most));
    }

    void readFile(const YamlNode& node, const std::string& field)
    {
        const std::string name = readText(m_context, node, field).value_or("");
        const bool stays = !name.empty() && name.find('/') == std::string::npos && name[0] != '.' && name[0] != '-';
        if (!m_context.hasErrors() && !stays)
            m_context.error(node, field, "\"" + name + "\" is no file beside the case", "a name without folders");
        else if (name.ends_with(".json") || name.ends_with(".html"))
            m_context.error(node, field, "\"" + name + "\" may be a file that the case writes", "another ending than .json and .html");
        else if (std::find(m_case.files.begin(), m_case.files.end(), name) != m_case.files.end())
            m_context.error(node, field, "\"" + name + "\" stands there twice");
        m_case.files.push_back(name);
    }

    template <typename Row>
    std::string readName(const MapReader& map, const std::vector<Row>& rows)
    {
        std::string name = map.required("name") ? map.text("name").value_or("") : "";
        if (map.has("name") && !name.empty() && !isName(name))
            map.error("name", "\"" + name + "\" is no name", "small letters, digits and _, a letter first, 64 at most");
        else if (rowNamed(rows, name))
            map.error("name", "the name \"" + name + "\" stands there twice");
        return name;
    }

    void readRun(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"name", "about", "command", "on", "set", "options"});
        if (!node.isMap())
            return;
        CaseRun run;
        run.line = node.line;
        run.name = readName(map, m_case.runs);
        run.about = map.text("about").value_or("");
        std::vector<std::pair<std::string_view, const CaseCommand*>> known;
        for (const CaseCommand& row : kCommands)
            known.emplace_back(row.words, &row);
        const auto command = map.required("command") ? map.choice("command", known) : std::nullopt;
        if (command) {
            run.command = wordsOf((*command)->words);
            readRunFiles(map, **command, run);
            readSets(map, **command, run);
            readOptions(map, **command, run);
        }
        m_case.runs.push_back(std::move(run));
    }

    void readRunFiles(const MapReader& map, const CaseCommand& command, CaseRun& run)
    {
        const YamlNode* on = map.node("on");
        if (on && on->isScalar()) {
            run.files.push_back(on->text);
        } else {
            for (const auto& [file, field] : map.list("on"))
                run.files.push_back(readText(m_context, *file, field).value_or(""));
        }
        for (const std::string& file : run.files) {
            if (std::find(m_case.files.begin(), m_case.files.end(), file) == m_case.files.end())
                map.error("on", "the case has no file \"" + file + "\"", m_case.files.empty() ? "one of case.files" : nearestOf(file, {m_case.files.begin(), m_case.files.end()}));
        }
        if (run.files.size() < command.leastFiles || run.files.size() > command.mostFiles) {
            const std::string most = command.mostFiles == command.leastFiles ? "" : " to " + std::to_string(command.mostFiles);
            map.error("on", std::string(command.words) + " with " + std::to_string(run.files.size()) + " files", std::to_string(command.leastFiles) + most);
        }
    }

    void readSets(const MapReader& map, const CaseCommand& command, CaseRun& run)
    {
        const YamlNode* sets = map.node("set");
        if (!sets)
            return;
        if (!command.sets)
            return map.error("set", std::string(command.words) + " changes no fields", "the design as it shall be, as a file of its own");
        if (!sets->isMap())
            return map.error("set", "this is no mapping", "fields of the design and their values");
        for (const YamlEntry& entry : sets->entries) {
            if (const auto path = parseYamlPath(entry.key); !path)
                m_context.error(entry.value, map.field("set"), path.error().message, path.error().expected);
            run.sets.emplace_back(entry.key, valueText(entry.value));
        }
    }

    void readOptions(const MapReader& map, const CaseCommand& command, CaseRun& run)
    {
        const YamlNode* options = map.node("options");
        if (!options)
            return;
        if (!options->isMap())
            return map.error("options", "this is no mapping", "names of options without -- and their values");
        for (const YamlEntry& entry : options->entries) {
            const std::string field = map.field("options") + '.' + entry.key;
            if (std::find(command.options.begin(), command.options.end(), entry.key) == command.options.end()) {
                m_context.error(entry.value, field, "a case gives " + std::string(command.words) + " no option \"" + entry.key + "\"",
                                command.options.empty() ? "none" : nearestOf(entry.key, {command.options.begin(), command.options.end()}));
                continue;
            }
            if (!entry.value.isSequence()) {
                run.options.emplace_back("--" + entry.key, entry.value.text == "true" ? "" : valueText(entry.value));
                continue;
            }
            for (const YamlNode& item : entry.value.items)
                run.options.emplace_back("--" + entry.key, valueText(item));
        }
    }

    void readNumber(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"name", "about", "unit", "run", "value", "formula", "least"});
        if (!node.isMap())
            return;
        CaseNumber number;
        number.line = node.line;
        number.name = readName(map, m_case.numbers);
        number.about = map.text("about").value_or("");
        std::vector<std::pair<std::string_view, CaseUnit>> units(kCaseUnitKeys.begin(), kCaseUnitKeys.end());
        const bool isRead = map.has("run") || map.has("value");
        if (static_cast<int>(isRead) + static_cast<int>(map.has("formula")) + static_cast<int>(map.has("least")) != 1)
            m_context.error(node, field, "where the number is from has to be said in one way", "run and value, formula, or least");
        number.unit = map.has("least") ? CaseUnit::Word : map.required("unit") ? map.choice("unit", units).value_or(CaseUnit::Count) : CaseUnit::Count;
        if (isRead)
            readSource(map, number);
        else if (map.has("formula"))
            readFormula(map, number);
        else
            readLeast(map, number);
        if (number.about.empty())
            number.about = number.name;
        m_case.numbers.push_back(std::move(number));
    }

    void readSource(const MapReader& map, CaseNumber& number)
    {
        const std::string run = map.required("run") ? map.text("run").value_or("") : "";
        number.value = map.required("value") ? map.text("value").value_or("") : "";
        number.run = rowNamed(m_case.runs, run);
        if (!number.run && !m_context.hasErrors())
            map.error("run", "there is no run \"" + run + "\"", nearestOf(run, namesOf(m_case.runs)));
        if (const auto path = parseYamlPath(number.value); !number.value.empty() && !path)
            map.error("value", path.error().message, "keys of the result and numbers of rows, as ranks.0.finish_ns");
    }

    void readFormula(const MapReader& map, CaseNumber& number)
    {
        const auto text = map.text("formula");
        if (!text)
            return;
        if (number.unit == CaseUnit::Word)
            return map.error("unit", "a formula gives no word", "the unit of a number");
        Result<CaseFormula> formula = CaseFormula::parse(*text, [this](std::string_view name) -> std::optional<std::size_t> {
            const auto found = rowNamed(m_case.numbers, name);
            return found && m_case.numbers[*found].unit != CaseUnit::Word ? found : std::nullopt;
        });
        if (!formula)
            return map.error("formula", formula.error().message, formula.error().expected);
        number.formula = std::move(formula).value();
    }

    void readLeast(const MapReader& map, CaseNumber& number)
    {
        for (const auto& [item, field] : map.list("least")) {
            if (const auto other = readReference(*item, field))
                number.least.push_back(*other);
        }
        if (number.least.size() < 2)
            map.error("least", "the least of fewer than two", "names of numbers above");
    }

    template <typename Row>
    static std::vector<std::string_view> namesOf(const std::vector<Row>& rows)
    {
        std::vector<std::string_view> names;
        for (const Row& row : rows)
            names.emplace_back(row.name);
        return names;
    }

    /// A number that has a value, by its name.
    std::optional<std::size_t> readReference(const YamlNode& node, const std::string& field)
    {
        const auto name = readText(m_context, node, field);
        const auto found = name ? rowNamed(m_case.numbers, *name) : std::nullopt;
        if (name && !found)
            m_context.error(node, field, "there is no number \"" + *name + "\"", nearestOf(*name, namesOf(m_case.numbers)));
        else if (found && m_case.numbers[*found].unit == CaseUnit::Word)
            m_context.error(node, field, "\"" + *name + "\" is a word", "a number");
        else
            return found;
        return std::nullopt;
    }

    CaseText readSentence(const YamlNode& node, const std::string& field)
    {
        CaseText sentence;
        const std::string text = readText(m_context, node, field).value_or("");
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t open = text.find('{', at);
            CaseText::Piece piece{text.substr(at, open - at)};
            if (open == std::string::npos) {
                sentence.pieces.push_back(std::move(piece));
                break;
            }
            const std::size_t close = text.find('}', open);
            const std::string name = text.substr(open + 1, close - open - 1);
            piece.number = rowNamed(m_case.numbers, name);
            if (close == std::string::npos || !piece.number)
                m_context.error(node, field, close == std::string::npos ? "{ without }" : "there is no number \"" + name + "\"", "names of numbers in { }");
            if (close == std::string::npos)
                break;
            sentence.pieces.push_back(std::move(piece));
            at = close + 1;
        }
        return sentence;
    }

    void readTable(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"title", "columns", "rows", "bars", "note"});
        if (!node.isMap())
            return;
        CaseTable table;
        table.title = map.required("title") ? map.text("title").value_or("") : "";
        table.note = map.text("note").value_or("");
        for (const auto& [column, at] : map.required("columns") ? map.list("columns") : List{})
            table.columns.push_back(readText(m_context, *column, at).value_or(""));
        for (const auto& [row, at] : map.required("rows") ? map.list("rows") : List{}) {
            std::vector<CaseText> cells;
            for (std::size_t i = 0; row->isSequence() && i < row->items.size(); ++i)
                cells.push_back(readSentence(row->items[i], at + '[' + std::to_string(i) + ']'));
            if (cells.size() != table.columns.size())
                m_context.error(*row, at, std::to_string(cells.size()) + " cells", std::to_string(table.columns.size()) + ", as many as columns");
            table.rows.push_back(std::move(cells));
        }
        for (const auto& [bar, at] : map.list("bars")) {
            const auto number = readReference(*bar, at);
            if (number && !table.bars.empty() && m_case.numbers[*number].unit != m_case.numbers[table.bars.front()].unit)
                m_context.error(*bar, at, "bars of two units", std::string(keyOf(kCaseUnitKeys, m_case.numbers[table.bars.front()].unit)));
            else if (number)
                table.bars.push_back(*number);
        }
        m_case.tables.push_back(std::move(table));
    }

    void readPublished(const YamlNode& node, const std::string& field)
    {
        const MapReader map(m_context, node, field, {"what", "value", "to", "ours", "source", "remark"});
        if (!node.isMap())
            return;
        PublishedNumber published;
        for (const auto& [key, target] : {std::pair<std::string_view, std::string*>{"what", &published.what}, {"source", &published.source}})
            *target = map.required(key) ? map.text(key).value_or("") : "";
        published.remark = map.text("remark").value_or("");
        published.least = map.required("value") ? map.number("value", 0).value_or(0) : 0;
        published.most = map.has("to") ? map.number("to", published.least).value_or(published.least) : published.least;
        const YamlNode* ours = map.required("ours");
        if (const auto number = ours ? readReference(*ours, map.field("ours")) : std::nullopt)
            published.ours = *number;
        m_case.published.push_back(std::move(published));
    }

    const YamlDocument& m_document;
    FieldContext m_context;
    StudiedCase m_case;
};

} // namespace

Result<StudiedCase> readCase(const YamlDocument& document, const std::stop_token& stop)
{
    return CaseReader(document, stop).read();
}

} // namespace fabricscope
