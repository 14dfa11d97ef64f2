// Reading: yaml-cpp says what the text means, or where the text is plain a scan of our own (plainscan.h) that takes a fraction of the time;
// a second walk over the text, led by that tree, finds where every value begins and ends. Where the two disagree the document can be read
// but not edited.

#include "core/base/placeof.h"
#include "core/base/stop.h"
#include "core/yaml/brackets.h"
#include "core/yaml/builder.h"
#include "core/yaml/markplace.h"
#include "core/yaml/plainscan.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <new>
#include <optional>
#include <set>

namespace fabricscope {

namespace {

/// Finds begin and end of every value; false where the text is not as the tree says.
class Locator {
public:
    /// The tree's offsets count from `first`, the text's first byte behind a byte-order mark.
    Locator(const std::string& text, std::size_t first, const std::set<std::size_t>& aliased, const std::stop_token& stop)
        : m_text(text), m_aliased(aliased), m_stop(stop), m_first(first), m_at(first)
    {
    }

    /// Throws StopRequested.
    bool run(YamlNode& root)
    {
        skipHead();
        return locate(root, -1, false) && (skipBlank(), m_at == m_text.size() || atLineStart("---") || atLineStart("..."));
    }

private:
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    bool atLineStart(std::string_view word) const
    {
        return m_text.compare(m_at, word.size(), word) == 0 && (m_at == m_first || m_text[m_at - 1] == '\n');
    }

    void skipBlank()
    {
        while (m_at < m_text.size()) {
            if (blank(m_text[m_at]))
                ++m_at;
            else if (m_text[m_at] == '#')
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            else
                break;
        }
    }

    void skipHead()
    {
        for (skipBlank(); atLineStart("%"); skipBlank())
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        if (atLineStart("---"))
            m_at += 3;
    }

    int column(std::size_t offset) const
    {
        const std::size_t before = offset == 0 ? std::string::npos : m_text.rfind('\n', offset - 1);
        return static_cast<int>(offset - (before == std::string::npos ? m_first : before + 1));
    }

    /// `holder` = end of the colon or dash before it: where a value that is not written would stand.
    bool locate(YamlNode& node, int indent, bool inFlow)
    {
        checkStop(m_stop);
        const std::size_t holder = m_at;
        const std::size_t said = node.begin + m_first;
        skipBlank();
        if (node.shared) { // written as *name
            node.begin = node.valueBegin = m_at;
            if (peek() != '*' || said != m_at)
                return false;
            while (m_at < m_text.size() && !blank(peek()) && !(inFlow && std::string_view(",[]{}").find(peek()) != std::string_view::npos))
                ++m_at;
            node.end = m_at;
            return true;
        }
        node.shared = node.anchor != 0 && m_aliased.count(node.anchor) != 0;
        node.begin = m_at;
        bool properties = false;
        while (peek() == '&' || peek() == '!') {
            properties = true;
            while (m_at < m_text.size() && !blank(peek()) && peek() != ',')
                ++m_at;
            skipBlank();
        }
        node.valueBegin = m_at;
        if (node.isNull())
            return locateNull(node, holder, said, properties);
        if (said != node.begin)
            return false;
        const bool found = node.isScalar() ? locateScalar(node, indent) : node.isSequence() ? locateSequence(node, inFlow) : locateMap(node, inFlow);
        node.end = m_at;
        return found;
    }

    bool locateNull(YamlNode& node, std::size_t holder, std::size_t said, bool properties)
    {
        if (properties)
            return false; // "key: &a" without a value: rare, and not worth a rule
        if (said == m_at) {
            for (const std::string_view word : {"null", "Null", "NULL", "~"}) {
                if (m_text.compare(m_at, word.size(), word) != 0)
                    continue;
                const char after = peek(word.size());
                if (after == '\0' || blank(after) || std::string_view(",]}").find(after) != std::string_view::npos) {
                    m_at += word.size();
                    node.end = m_at;
                    return true;
                }
            }
        }
        m_at = holder;
        node.begin = node.valueBegin = node.end = holder;
        return true;
    }

    bool locateScalar(const YamlNode& node, int indent)
    {
        if (peek() == '\'' || peek() == '"')
            return skipQuoted();
        if ((peek() == '|' || peek() == '>') && node.quoted)
            return skipBlock(indent);
        return skipPlain(node.text);
    }

    bool skipQuoted()
    {
        const char quote = m_text[m_at++];
        while (m_at < m_text.size()) {
            const char c = m_text[m_at++];
            if (c == '\\' && quote == '"') {
                ++m_at;
            } else if (c == quote) {
                if (quote == '"' || peek() != '\'')
                    return true;
                ++m_at;
            }
        }
        return false;
    }

    /// Folding changes only white space, so the other bytes of the value lead through the source.
    bool skipPlain(const std::string& value)
    {
        std::size_t end = m_at;
        for (const char c : value) {
            if (blank(c))
                continue;
            while (end < m_text.size() && blank(m_text[end]))
                ++end;
            if (end >= m_text.size() || m_text[end] != c)
                return false;
            ++end;
        }
        m_at = end;
        return true;
    }

    bool skipBlock(int indent)
    {
        int content = -1;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
            if (m_text[m_at] >= '1' && m_text[m_at] <= '9' && content < 0)
                content = std::max(indent, 0) + (m_text[m_at] - '0');
            if (m_text[m_at] == '#')
                break;
        }
        std::size_t end = m_at;
        std::size_t line = std::min(m_text.find('\n', m_at), m_text.size());
        if (m_at < m_text.size() && m_text[m_at] != '#')
            end = m_at > 0 && m_text[m_at - 1] == '\r' ? m_at - 1 : m_at;
        while (line < m_text.size()) {
            const std::size_t start = line + 1;
            const std::size_t next = std::min(m_text.find('\n', start), m_text.size());
            std::size_t first = start;
            while (first < next && m_text[first] == ' ')
                ++first;
            const bool empty = first == next || (m_text[first] == '\r' && first + 1 == next);
            const int depth = static_cast<int>(first - start);
            if (!empty) {
                if (content < 0 ? depth <= indent : depth < content)
                    break;
                if (content < 0)
                    content = depth;
                end = next > start && m_text[next - 1] == '\r' ? next - 1 : next;
            }
            line = next;
        }
        m_at = end;
        return true;
    }

    bool locateSequence(YamlNode& node, bool inFlow)
    {
        if (node.flow) {
            if (peek() != '[')
                return false;
            ++m_at;
            for (YamlNode& item : node.items) {
                if (!locate(item, -1, true))
                    return false;
                if (!skipComma(']'))
                    return false;
            }
            skipBlank();
            return peek() == ']' && ++m_at != 0;
        }
        if (inFlow)
            return false;
        const int indent = column(m_at);
        for (YamlNode& item : node.items) {
            skipBlank();
            if (peek() != '-' || column(m_at) != indent)
                return false;
            item.marker = m_at++;
            const std::size_t marker = item.marker;
            if (!locate(item, indent, false))
                return false;
            item.marker = marker;
        }
        return true;
    }

    bool locateMap(YamlNode& node, bool inFlow)
    {
        if (node.flow) {
            if (peek() != '{')
                return false; // the pair of "[a: b]"
            ++m_at;
        } else if (inFlow) {
            return false;
        }
        const int indent = node.flow ? -1 : column(m_at);
        for (YamlEntry& entry : node.entries) {
            skipBlank();
            entry.keyBegin += m_first;
            if (entry.keyBegin != m_at || (!node.flow && column(m_at) != indent) || peek() == '&' || peek() == '!' || peek() == '*')
                return false;
            if (peek() == '\'' || peek() == '"' ? !skipQuoted() : !skipPlain(entry.key))
                return false;
            entry.keyEnd = entry.colon = m_at;
            skipBlank();
            if (peek() == ':') {
                entry.colon = m_at++;
                if (!locate(entry.value, indent, inFlow || node.flow))
                    return false;
            } else {
                if (!node.flow || !entry.value.isNull())
                    return false;
                m_at = entry.keyEnd;
                entry.value.begin = entry.value.valueBegin = entry.value.end = m_at;
            }
            if (node.flow && !skipComma('}'))
                return false;
        }
        if (!node.flow)
            return true;
        skipBlank();
        return peek() == '}' && ++m_at != 0;
    }

    /// Moves behind a comma; leaves `m_at` where it is before `close`.
    bool skipComma(char close)
    {
        skipBlank();
        if (peek() == ',')
            ++m_at;
        else if (peek() != close)
            return false;
        return true;
    }

    const std::string& m_text;
    const std::set<std::size_t>& m_aliased;
    const std::stop_token& m_stop;
    std::size_t m_first;
    std::size_t m_at;
};

/// yaml-cpp takes 0x04 for the end of the text and guesses UTF-16 and UTF-32 from leading zeros.
Status checkBytes(const std::string& text, const std::string& file, const std::stop_token& stop)
{
    if (text.size() > YamlDocument::kMaxBytes)
        return invalidInput("the file is larger than " + std::to_string(YamlDocument::kMaxBytes >> 20) + " MiB", placeOfFile(file));
    int line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const int column = static_cast<int>(i - start) + 1;
        if (byte == '\n') {
            checkStop(stop);
            ++line;
            start = i + 1;
        } else if ((byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f || byte == 0xfe || byte == 0xff) {
            return invalidInput("a byte that is no text", placeOfLine(file, line, column), "UTF-8 text");
        }
    }
    return {};
}

/// The tree of a text that is plain throughout; nothing: yaml-cpp is to say what it means or what is wrong with it. Throws StopRequested.
std::optional<YamlNode> plainTree(std::string_view text, const std::stop_token& stop)
{
    // More than waits in yaml-cpp between two values of such a text: some parts of it, and tokens of a few lines.
    constexpr std::size_t kWaiting = std::size_t{8} << 20;
    YamlCost cost(text.size(), kWaiting);
    YamlBuilder builder(cost, stop);
    try {
        if (scanPlainYaml(text, builder))
            return std::move(builder.root);
    } catch (const YamlRefusal&) {
    }
    return std::nullopt;
}

/// Does nothing follow but blanks and remarks?
bool isEndOfText(std::string_view rest)
{
    while (true) {
        const std::size_t first = rest.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos)
            return true;
        if (rest[first] != '#')
            return false;
        rest.remove_prefix(std::min(rest.find('\n', first), rest.size()));
    }
}

/// What a bracket lacks. `mark`: where something else stands; yaml-cpp gives the begin of the text where its end is meant.
Error notClosed(const OpenBracket& open, const std::string& file, std::string_view text, const YAML::Mark& mark)
{
    const std::string close = open.bracket == '{' ? "`}`" : "`]`";
    const std::size_t at = mark.is_null() ? text.size() : offsetOfMark(text, mark.line, mark.column);
    const bool atEnd = at <= offsetOfMark(text, open.line - 1, open.column - 1) || isEndOfText(text.substr(at));
    const std::string_view written = text.substr(0, text.find_last_not_of('\n') + 1);
    const std::string end = close + " before the end of the file, line " + std::to_string(std::count(written.begin(), written.end(), '\n') + 1);
    // Where more follows, a comma may be what is missing.
    const std::string expected = atEnd ? end : "`,` or " + close + " before line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1);
    return invalidInput(std::string("`") + open.bracket + "` is not closed", placeOfLine(file, open.line, open.column), expected);
}

/// yaml-cpp says where it gave up; what people look for is the bracket. Nothing: the problem is another one. `text`: without a byte-order mark.
std::optional<Error> bracketProblem(const YAML::Exception& problem, const YamlNode* open, const std::string& file, std::string_view text)
{
    if (problem.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || problem.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
        if (!open || !open->flow)
            return std::nullopt;
        return notClosed({open->isMap() ? '{' : '[', open->line, open->column}, file, text, problem.mark);
    }
    if (problem.msg != YAML::ErrorMsg::FLOW_END || problem.mark.is_null())
        return std::nullopt;
    // One closes what another has opened, maybe before the tree has heard of either.
    const std::size_t at = offsetOfMark(text, problem.mark.line, problem.mark.column);
    const char close = at < text.size() ? text[at] : '\0';
    if (close != '}' && close != ']')
        return std::nullopt;
    const std::optional<OpenBracket> inner = innermostBracket(text, at);
    if (!inner)
        return invalidInput(std::string("`") + close + "` closes nothing", placeOf(file, problem.mark));
    return (inner->bracket == '{') == (close == '}') ? std::nullopt : std::optional(notClosed(*inner, file, text, problem.mark));
}

} // namespace

Result<YamlDocument> YamlDocument::parse(std::string text, std::string file, const std::stop_token& stop)
{
    YamlDocument document;
    document.m_file = std::move(file);
    if (Status status = untilStopped([&] { return checkBytes(text, document.m_file, stop); }); !status)
        return std::move(status).error();

    const auto refuse = [&](const std::string& message, const YAML::Mark& mark) { return invalidInput(message, placeOf(document.m_file, mark)); };
    // A byte-order mark belongs to the text but to no value.
    const std::size_t mark = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
    YamlCost cost(text.size());
    YamlBuilder builder(cost, stop);
    try {
        if (auto root = plainTree(text, stop)) {
            document.m_text = std::move(text);
            *document.m_root = std::move(*root);
            document.m_editable = Locator(document.m_text, mark, builder.aliased, stop).run(*document.m_root);
            return document;
        }
        YamlText source(std::string_view(text).substr(mark), cost, stop);
        std::istream stream(&source);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) { }
        checkStop(stop); // The stream takes what is thrown by the first part for the end of the text.
        document.m_text = std::move(text);
        *document.m_root = std::move(builder.root);
        document.m_editable = Locator(document.m_text, mark, builder.aliased, stop).run(*document.m_root);
        return document;
    } catch (const StopRequested&) {
        return stoppedError();
    } catch (const YamlRefusal& refused) {
        // What follows an open bracket is read as more of it, until a mapping seems to be a key.
        const std::string_view read = std::string_view(text).substr(mark);
        if (const auto open = refused.message == kKeyNotPlain ? innermostBracket(read, read.size()) : std::nullopt) {
            YAML::Mark next;
            next.line = open->line;
            return notClosed(*open, document.m_file, read, next);
        }
        return invalidInput(refused.message, placeOfLine(document.m_file, refused.line, refused.column), refused.expected);
    } catch (const YAML::Exception& problem) {
        if (auto error = bracketProblem(problem, builder.innermostOpen(), document.m_file, std::string_view(text).substr(mark)))
            return std::move(*error);
        return refuse("not valid YAML: " + problem.msg, problem.mark);
    } catch (const std::bad_alloc&) {
        throw; // Not the fault of the text.
    } catch (const std::exception& problem) {
        return refuse(std::string("not valid YAML: ") + problem.what(), YAML::Mark::null_mark());
    }
}

} // namespace fabricscope
