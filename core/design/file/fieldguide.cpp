#include "core/design/file/fieldguide.h"

#include "core/design/file/readdesign.h"
#include "core/yaml/fieldreader.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace fabricscope {

namespace {

/// Stands for the word at the cursor: no key and no word of the format is like it.
constexpr std::string_view kMark = "fabricscope_cursor";

bool isWordByte(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
}

/// Brackets that are open and quotes, up to a byte of a text.
struct Scan {
    std::string open;       ///< '[' and '{', the innermost last.
    char quote = 0;         ///< Inside a text in these.
    bool isComment = false;
};

Scan scanned(std::string_view text, std::size_t until)
{
    Scan scan;
    for (std::size_t i = 0; i < until && i < text.size(); ++i) {
        const char c = text[i];
        const char before = i == 0 ? '\n' : text[i - 1];
        if (c == '\n')
            scan.isComment = false;
        if (scan.isComment)
            continue;
        if (scan.quote != 0)
            scan.quote = c == scan.quote ? 0 : scan.quote;
        else if ((c == '"' || c == '\'') && (before == ' ' || before == '[' || before == '{' || before == ',' || before == ':' || before == '\n'))
            scan.quote = c;
        else if (c == '#' && (before == ' ' || before == '\t' || before == '\n'))
            scan.isComment = true;
        else if (c == '[' || c == '{')
            scan.open += c;
        else if ((c == ']' || c == '}') && !scan.open.empty())
            scan.open.pop_back();
    }
    return scan;
}

std::string closersOf(const std::string& open)
{
    std::string closers;
    for (auto bracket = open.rbegin(); bracket != open.rend(); ++bracket)
        closers += *bracket == '[' ? ']' : '}';
    return closers;
}

/// As it stands, else with the brackets of the line at `offset` closed.
std::optional<YamlDocument> parsedWithin(const std::string& text, std::size_t offset)
{
    Result<YamlDocument> document = YamlDocument::parse(text);
    if (!document) {
        const std::size_t lineEnd = std::min(text.find('\n', offset), text.size());
        std::string closed = text;
        closed.insert(lineEnd, closersOf(scanned(text, lineEnd).open));
        document = YamlDocument::parse(std::move(closed));
    }
    return document ? std::optional(std::move(document).value()) : std::nullopt;
}

/// What is told of the place where kMark stands.
class MarkWatch : public FieldWatch {
public:
    void keys(const YamlNode& map, const std::string& path, const std::vector<std::string_view>& known) override
    {
        if (!map.find(kMark))
            return;
        for (const std::string_view key : known) {
            const bool isThere = map.find(key) || std::any_of(m_words.begin(), m_words.end(), [key](const FieldChoice& choice) { return choice.word == key; });
            if (!isThere)
                m_words.push_back({std::string(key), {}, true});
        }
        m_path = path;
    }

    void words(const YamlNode& value, const std::string&, const std::vector<std::string_view>& known) override
    {
        if (!value.isScalar() || value.text != kMark)
            return;
        for (const std::string_view word : known)
            m_words.push_back({std::string(word), {}, false});
    }

    void quantity(const YamlNode& value, const std::string&, Measure measure) override
    {
        // Behind a number; alone it is no unit.
        if (!value.isScalar() || value.text.size() <= kMark.size() || !value.text.ends_with(kMark))
            return;
        for (const std::string_view unit : unitWords(measure))
            m_words.push_back({std::string(unit), {}, false});
    }

    void meaning(const std::string& path, std::string_view text) override { m_meanings[path] = text; }

    std::vector<FieldChoice> choices() const
    {
        std::vector<FieldChoice> found = m_words;
        for (FieldChoice& choice : found) {
            const auto meaning = choice.isKey ? m_meanings.find(m_path.empty() ? choice.word : m_path + '.' + choice.word) : m_meanings.end();
            if (meaning != m_meanings.end())
                choice.text = meaning->second;
        }
        return found;
    }

private:
    std::vector<FieldChoice> m_words;
    std::string m_path; ///< Of the mapping.
    std::map<std::string, std::string> m_meanings;
};

std::vector<FieldChoice> choicesWith(const std::string& text, std::size_t begin, std::size_t end, std::string_view behind)
{
    std::string marked = text;
    marked.replace(begin, end - begin, std::string(kMark) + std::string(behind));
    const std::optional<YamlDocument> document = parsedWithin(marked, begin);
    if (!document)
        return {};
    MarkWatch watch;
    watchDesign(*document, watch);
    return watch.choices();
}

/// Of every path what is told.
class MeaningWatch : public FieldWatch {
public:
    void keys(const YamlNode&, const std::string&, const std::vector<std::string_view>&) override {}
    void words(const YamlNode&, const std::string& path, const std::vector<std::string_view>& known) override
    {
        std::string list;
        for (const std::string_view word : known)
            list += (list.empty() ? "one of " : ", ") + std::string(word);
        expected[path] = list;
    }
    void quantity(const YamlNode&, const std::string& path, Measure measure) override { expected[path] = parseQuantity("", measure).error().expected; }
    void meaning(const std::string& path, std::string_view text) override { meanings[path] = text; }

    std::map<std::string, std::string> meanings;
    std::map<std::string, std::string> expected;
};

/// The path of the innermost field at a byte; `path`: of `node`.
bool findField(const YamlNode& node, std::size_t offset, YamlPath& path)
{
    if (node.shared)
        return false; // Stands in several places.
    for (const YamlEntry& entry : node.entries) {
        const bool onKey = offset >= entry.keyBegin && offset < entry.keyEnd;
        if (!onKey && (offset < entry.value.begin || offset >= entry.value.end))
            continue;
        path.push_back(entry.key);
        if (!onKey)
            findField(entry.value, offset, path);
        return true;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (offset < node.items[i].begin || offset >= node.items[i].end)
            continue;
        path.push_back(std::to_string(i));
        // An item that is no mapping belongs to the field of the list.
        if (!findField(node.items[i], offset, path))
            path.pop_back();
        return true;
    }
    return false;
}

} // namespace

FieldChoices choicesAt(const std::string& text, std::size_t offset)
{
    offset = std::min(offset, text.size());
    FieldChoices found{offset, offset, {}};
    const Scan scan = scanned(text, offset);
    if (scan.isComment || scan.quote != 0)
        return found;
    while (found.begin > 0 && isWordByte(text[found.begin - 1]))
        --found.begin;
    while (found.end < text.size() && isWordByte(text[found.end]))
        ++found.end;
    // "50G" is a number with the beginning of a unit.
    std::size_t digits = found.begin;
    while (digits < found.end && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.'))
        ++digits;
    if (digits > found.begin && digits <= offset && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(digits), text.begin() + static_cast<std::ptrdiff_t>(found.end), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '/'; }))
        found.begin = digits;

    std::size_t before = found.begin;
    while (before > 0 && text[before - 1] == ' ')
        --before;
    const std::size_t behind = text.find_first_not_of(' ', found.end);
    const bool isKey = behind != std::string::npos && text[behind] == ':';
    const bool isValue = before > 0 && text[before - 1] == ':' && !isKey;
    if (!isValue)
        found.choices = choicesWith(text, found.begin, found.end, isKey ? "" : ": 0");
    if (!isKey && found.choices.empty())
        found.choices = choicesWith(text, found.begin, found.end, "");
    for (FieldChoice& choice : found.choices)
        choice.isKey = choice.isKey && !isKey; // Its colon stands there already.
    return found;
}

std::optional<FieldMeaning> meaningAt(const std::string& text, std::size_t offset)
{
    const Result<YamlDocument> document = YamlDocument::parse(text);
    YamlPath path;
    if (!document || !findField(document.value().root(), offset, path) || path.empty())
        return std::nullopt;
    MeaningWatch watch;
    watchDesign(document.value(), watch);
    FieldMeaning meaning{yamlPathText(path), {}, {}};
    meaning.text = watch.meanings[meaning.path];
    const auto expected = watch.expected.lower_bound(meaning.path);
    // Of the field, or of the items of its list.
    if (expected != watch.expected.end() && (expected->first == meaning.path || expected->first == meaning.path + "[0]"))
        meaning.expected = expected->second;
    return meaning;
}

std::vector<std::string_view> unitWords(Measure measure)
{
    switch (measure) {
    case Measure::Time: return {"ps", "ns", "us", "ms", "s", "min"};
    case Measure::Size: return {"B", "KiB", "MiB", "GiB", "kB", "MB", "GB", "TB"};
    case Measure::Bandwidth: return {"GB/s", "GiB/s", "Gbit/s", "TB/s"};
    case Measure::Operations: return {"MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    case Measure::ComputeRate: return {"GFLOP/s", "TFLOP/s", "PFLOP/s"};
    case Measure::Count: break;
    }
    return {};
}

} // namespace fabricscope
