#include "core/base/jsontext.h"

#include "core/base/textfile.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

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

/// Thrown through the parser by its callback and caught in parseJson.
struct Refused {
    std::string message;
    std::string field;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without what we say ourselves.
std::string reason(const std::string& what)
{
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

Result<JsonDocument> parseJson(std::string text, const std::string& file)
{
    using Event = nlohmann::json::parse_event_t;
    JsonDocument document;
    document.file = file;
    const char* const begin = text.data();
    const char* latest = begin;
    std::vector<std::set<std::string>> keys;
    if (text.size() > kMaxDocumentBytes)
        return invalidInput("the JSON text is larger than 64 MiB", document.placeOf({}));
    if (Status levels = checkJsonLevels(text, document.placeOf({})); !levels)
        return std::move(levels).error();
    const auto watch = [&](int depth, Event event, nlohmann::json& value) {
        switch (event) {
        case Event::object_start:
            keys.emplace_back();
            break;
        case Event::object_end:
            keys.pop_back();
            break;
        case Event::key: {
            const auto& key = value.get_ref<const std::string&>();
            if (!keys.back().insert(key).second)
                throw Refused{"the key stands twice in one object", key};
            if (depth == 1)
                document.keyOffsets[key] = latest - begin;
            break;
        }
        default:
            break;
        }
        return true;
    };
    try {
        document.root = nlohmann::json::parse(TrackedIterator(begin, &latest), TrackedIterator(begin + text.size(), &latest), watch);
    } catch (const Refused& refused) {
        const auto keyLength = refused.field.empty() ? 0 : static_cast<std::int64_t>(refused.field.size()) + 2;
        Place place = placeAt(text, latest - begin - keyLength, file);
        place.field = refused.field;
        return invalidInput(refused.message, std::move(place));
    } catch (const nlohmann::json::parse_error& error) {
        // `byte` counts from 1 and points at the last character read.
        const auto at = error.byte > 0 ? error.byte - 1 : 0;
        const bool comma = commaBeforeBracket(text, at);
        return invalidInput(comma ? "a comma before the closing bracket" : "not valid JSON: " + reason(error.what()),
                            placeAt(text, static_cast<std::int64_t>(at), file), comma ? "no comma after the last entry" : "");
    } catch (const std::exception& error) {
        return invalidInput("not valid JSON: " + reason(error.what()), placeAt(text, latest - begin, file));
    }
    document.text = std::move(text);
    return document;
}

} // namespace fabricscope
