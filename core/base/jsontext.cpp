#include "core/base/jsontext.h"

#include "core/base/jsonbuilder.h"
#include "core/base/stop.h"
#include "core/base/files/textfile.h"

#include <algorithm>
#include <iterator>

namespace fabricscope {

namespace {

/// Walks over the text and notes how far the parser has read.
class TrackedIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    TrackedIterator(const char* at, const char** latest)
        : m_at(at)
        , m_latest(latest)
    {
    }
    reference operator*() const { return *m_at; }
    TrackedIterator& operator++()
    {
        *m_latest = ++m_at;
        return *this;
    }
    TrackedIterator operator++(int)
    {
        const TrackedIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const TrackedIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const TrackedIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at;
    const char** m_latest;
};

/// Notes where the outermost keys stand and stops at one that stands twice in its object.
class DocumentBuilder : public JsonBuilder {
public:
    DocumentBuilder(JsonDocument& document, const char* begin, const char* const& latest, const std::stop_token& stop)
        : JsonBuilder(stop)
        , m_document(document)
        , m_begin(begin)
        , m_latest(latest)
    {
    }
    bool stopped() const { return m_stopped; }
    const std::string& repeated() const { return m_repeated; } ///< The key, when stopped.

protected:
    bool keyRead(const std::string& name, std::size_t levels, bool again) override
    {
        if (again)
            m_repeated = name;
        m_stopped = again;
        if (levels == 1)
            m_document.keyOffsets[name] = m_latest - m_begin;
        return !again;
    }

private:
    JsonDocument& m_document;
    const char* m_begin;
    const char* const& m_latest;
    std::string m_repeated;
    bool m_stopped = false;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without what we say ourselves.
std::string reason(const std::string& what)
{
    if (what.find("json.exception.out_of_range") != std::string::npos)
        return "a number here is too large";
    const auto column = what.find(", column ");
    const auto colon = column == std::string::npos ? column : what.find(": ", column);
    return colon == std::string::npos ? what : what.substr(colon + 2);
}

/// True when the last thing before `end` is a comma and what stands there is a closing bracket.
bool commaBeforeBracket(std::string_view text, std::size_t bracket)
{
    if (bracket >= text.size() || (text[bracket] != '}' && text[bracket] != ']'))
        return false;
    const auto last = text.substr(0, bracket).find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && text[last] == ',';
}

} // namespace

Place placeAt(std::string_view text, std::int64_t offset, const std::string& file)
{
    Place place;
    place.file = file;
    place.line = 1;
    place.column = 1;
    const auto end = std::min(text.size(), static_cast<std::size_t>(std::max<std::int64_t>(offset, 0)));
    for (const char c : text.substr(0, end)) {
        ++place.column;
        if (c == '\n') {
            ++place.line;
            place.column = 1;
        }
    }
    return place;
}

Place JsonDocument::placeOf(const std::string& key) const
{
    Place place;
    place.file = file;
    if (const auto found = keyOffsets.find(key); found != keyOffsets.end())
        place = placeAt(text, std::max<std::int64_t>(found->second - static_cast<std::int64_t>(key.size()) - 2, 0), file);
    place.field = key;
    return place;
}

Status checkJsonLevels(std::string_view text, Place place)
{
    std::size_t levels = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '"':
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\' ? 1 : 0;
            break;
        case '{':
        case '[':
            if (++levels > kMaxJsonLevels) {
                const Place here = placeAt(text, static_cast<std::int64_t>(i), {});
                place.line = here.line;
                place.column = here.column;
                return invalidInput("more than " + std::to_string(kMaxJsonLevels) + " levels of brackets", std::move(place), "at most " + std::to_string(kMaxJsonLevels) + " levels");
            }
            break;
        case '}':
        case ']':
            levels -= levels > 0 ? 1 : 0; // One too many is the parser's to say.
            break;
        default:
            break;
        }
    }
    return {};
}

namespace {

Result<JsonDocument> parse(std::string text, const std::string& file, const std::stop_token& stop)
{
    JsonDocument document;
    document.file = file;
    if (text.size() > kMaxDocumentBytes)
        return invalidInput("the JSON text is larger than 64 MiB", document.placeOf({}));
    if (Status levels = checkJsonLevels(text, document.placeOf({})); !levels)
        return std::move(levels).error();
    const char* const begin = text.data();
    const char* latest = begin;
    DocumentBuilder builder(document, begin, latest, stop);
    if (!nlohmann::json::sax_parse(TrackedIterator(begin, &latest), TrackedIterator(begin + text.size(), &latest), &builder)) {
        if (builder.stopped()) {
            Place place = placeAt(text, latest - begin - static_cast<std::int64_t>(builder.repeated().size()) - 2, file);
            place.field = builder.repeated();
            return invalidInput("the key stands twice in one object", std::move(place));
        }
        // The byte counts from 1 and points at the last character read.
        const auto at = builder.errorByte() > 0 ? builder.errorByte() - 1 : 0;
        const bool comma = commaBeforeBracket(text, at);
        return invalidInput(comma ? "a comma before the closing bracket" : "not valid JSON: " + reason(builder.errorText()),
                            placeAt(text, static_cast<std::int64_t>(at), file), comma ? "no comma after the last entry" : "");
    }
    document.root = builder.take();
    document.text = std::move(text);
    return document;
}

} // namespace

void appendJson(std::string& text, const nlohmann::json& value, const std::stop_token& stop)
{
    checkStop(stop);
    const auto appendLeaf = [&text](const nlohmann::json& leaf) { text += leaf.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); };
    const char* between = "";
    if (value.is_array()) {
        text += '[';
        for (const nlohmann::json& entry : value) {
            text += between;
            appendJson(text, entry, stop);
            between = ",";
        }
        text += ']';
    } else if (value.is_object()) {
        text += '{';
        for (const auto& [key, entry] : value.items()) {
            text += between;
            appendLeaf(key);
            text += ':';
            appendJson(text, entry, stop);
            between = ",";
        }
        text += '}';
    } else {
        appendLeaf(value);
    }
}

Result<JsonDocument> parseJson(std::string text, const std::string& file, const std::stop_token& stop)
{
    return untilStopped([&] { return parse(std::move(text), file, stop); });
}

} // namespace fabricscope
