#include "core/sharding/stablehlo/mlirscan.h"

#include "core/base/showntext.h"
#include <algorithm>
#include <charconv>

namespace fabricscope::mlir {

namespace {

bool isBlankChar(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

bool isWordChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

constexpr std::string_view kOpeners = "([{<";
constexpr std::string_view kClosers = ")]}>";

std::optional<ElementType> elementTypeOf(std::string_view word)
{
    static constexpr std::pair<std::string_view, ElementType> kTypes[] = {{"f64", ElementType::Fp64}, {"f32", ElementType::Fp32}, {"tf32", ElementType::Fp32}, {"bf16", ElementType::Bf16},
        {"f16", ElementType::Fp16}, {"i64", ElementType::Int64}, {"ui64", ElementType::Int64}, {"index", ElementType::Int64}, {"i32", ElementType::Int32}, {"ui32", ElementType::Int32},
        {"i16", ElementType::Int16}, {"ui16", ElementType::Int16}, {"i8", ElementType::Int8}, {"ui8", ElementType::Int8}, {"i4", ElementType::Int8}, {"ui4", ElementType::Int8},
        {"i2", ElementType::Int8}, {"ui2", ElementType::Int8}, {"i1", ElementType::Bool}, {"complex<f32>", ElementType::Complex64}, {"complex<f64>", ElementType::Complex128}};
    for (const auto& [name, type] : kTypes) {
        if (name == word)
            return type;
    }
    return word.starts_with("f8") || word.starts_with("f6") || word.starts_with("f4") ? std::optional(ElementType::Fp8) : std::nullopt;
}

/// "64x32xf32" inside tensor<...>; none: read.
std::optional<Error> readTensorType(std::string_view inner, Type& type)
{
    const std::size_t comma = inner.find(','); // An encoding follows.
    std::string_view rest = trimmed(inner.substr(0, comma));
    std::int64_t elements = 1;
    while (!rest.empty() && ((rest.front() >= '0' && rest.front() <= '9') || rest.front() == '?')) {
        if (rest.front() == '?')
            return Error{ErrorCode::Unsupported, "type " + std::string(type.text.text) + " has a dim of unknown size", {}, "sizes that are known"};
        std::int64_t size = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
        if (problem != std::errc{} || end == rest.data() + rest.size() || *end != 'x')
            return Error{ErrorCode::InvalidInput, "type " + std::string(type.text.text) + " cannot be read", {}, "such as tensor<8x16xf32>"};
        if (size < 1 || size > OpGraph::kMaxElements / elements)
            return Error{ErrorCode::InvalidInput, "type " + fabricscope::shownText(type.text.text, 80) + (size < 1 ? " has no elements" : " is too large"), {}, "sizes from 1, at most 2^48 elements"};
        elements *= size;
        type.shape.push_back(size);
        if (type.shape.size() > OpGraph::kMaxDims)
            return Error{ErrorCode::InvalidInput, "type " + std::string(type.text.text) + " has too many dims", {}, "at most " + std::to_string(OpGraph::kMaxDims)};
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
    }
    const auto element = elementTypeOf(rest);
    if (!element)
        return Error{ErrorCode::Unsupported, "elements of type " + fabricscope::shownText(rest, 60) + " are not known", {}, "f64, f32, bf16, f16, f8..., integers, i1 or complex<f32>"};
    type.element = *element;
    type.tensor = true;
    return std::nullopt;
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlankChar(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlankChar(text.back()))
        text.remove_suffix(1);
    return text;
}

Scanner::Scanner(std::string_view text, int line, int column) : m_text(text), m_firstLine(line), m_firstColumn(column)
{
    m_lines.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n')
            m_lines.push_back(i + 1);
    }
}

void Scanner::blanks()
{
    for (;;) {
        while (m_at < m_text.size() && isBlankChar(m_text[m_at]))
            ++m_at;
        if (at(m_at) != '/' || at(m_at + 1) != '/')
            return;
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
    }
}

bool Scanner::atEnd()
{
    blanks();
    return m_at >= m_text.size();
}

char Scanner::peek()
{
    blanks();
    return at(m_at);
}

bool Scanner::peekWord(std::string_view what)
{
    blanks();
    return m_text.substr(m_at).starts_with(what) && (!isWordChar(what.back()) || !isWordChar(at(m_at + what.size())));
}

bool Scanner::accept(std::string_view what)
{
    if (!peekWord(what))
        return false;
    m_at += what.size();
    return true;
}

std::string_view Scanner::word()
{
    blanks();
    const std::size_t begin = m_at;
    while (isWordChar(at(m_at)))
        ++m_at;
    return textFrom(begin);
}

std::string_view Scanner::symbol()
{
    blanks();
    const std::size_t begin = m_at;
    const char sign = at(m_at);
    if (sign != '%' && sign != '@' && sign != '#' && sign != '^')
        return {};
    ++m_at;
    if (sign == '@' && at(m_at) == '"') {
        if (!skipBalanced())
            m_at = begin;
        return textFrom(begin);
    }
    while (isWordChar(at(m_at)) || (at(m_at) == '-' && at(m_at + 1) != '>') || (sign == '%' && at(m_at) == '#'))
        ++m_at;
    return textFrom(begin);
}

bool Scanner::skipBalanced()
{
    const std::size_t begin = m_at;
    std::string wanted;
    do {
        const char c = at(m_at);
        if (m_at >= m_text.size()) {
            m_at = begin;
            return false;
        }
        if (c == '"') {
            for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at)
                m_at += m_text[m_at] == '\\' ? 1 : 0;
        } else if (c == '-' && at(m_at + 1) == '>') {
            ++m_at;
        } else if (const std::size_t opener = kOpeners.find(c); opener != std::string_view::npos) {
            wanted += kClosers[opener];
        } else if (kClosers.find(c) != std::string_view::npos) {
            if (wanted.empty() || wanted.back() != c) {
                m_at = begin;
                return false;
            }
            wanted.pop_back();
        }
        ++m_at;
    } while (!wanted.empty());
    m_at = std::min(m_at, m_text.size());
    return true;
}

Span Scanner::value(bool inOp)
{
    blanks();
    const std::size_t begin = m_at;
    std::size_t end = m_at;
    while (!atEnd()) {
        const char c = m_text[m_at];
        if (c == ',' || (inOp && (c == ':' || (c == '{' && end > begin))))
            break;
        if (c == '-' && at(m_at + 1) == '>') {
            m_at += 2;
        } else if (c == '"' || kOpeners.find(c) != std::string_view::npos) {
            if (!skipBalanced())
                break;
            end = m_at;
            if (inOp && c == '{')
                break;
            continue;
        } else if (kClosers.find(c) != std::string_view::npos) {
            break;
        } else {
            ++m_at;
        }
        end = m_at;
    }
    m_at = end;
    return spanFrom(begin);
}

bool Scanner::skipPast(std::string_view what)
{
    const std::size_t found = m_text.find(what, m_at);
    if (found == std::string_view::npos)
        return false;
    m_at = found + what.size();
    return true;
}

Span Scanner::balanced()
{
    blanks();
    const std::size_t begin = m_at;
    return skipBalanced() ? spanFrom(begin) : Span{};
}

Span Scanner::spanFrom(std::size_t begin) const
{
    const auto [line, column] = lineAndColumn(begin);
    return {m_text.substr(begin, m_at - begin), line, column};
}

std::pair<int, int> Scanner::lineAndColumn(std::size_t position) const
{
    const auto next = std::upper_bound(m_lines.begin(), m_lines.end(), position);
    const auto line = static_cast<int>(next - m_lines.begin()) - 1;
    const auto column = static_cast<int>(position - m_lines[static_cast<std::size_t>(line)]);
    return {m_firstLine + line, line == 0 ? m_firstColumn + column : column + 1};
}

Result<Type> readType(Scanner& scanner)
{
    Type type;
    scanner.peek();
    const std::size_t begin = scanner.position();
    if (scanner.peek() == '!')
        scanner.moveTo(begin + 1);
    const std::string_view word = scanner.word();
    if (word.empty())
        return Error{ErrorCode::InvalidInput, "a type is needed here", {}, "such as tensor<8x16xf32>"};
    const std::size_t open = scanner.position();
    if (scanner.peek() == '<' && scanner.balanced().text.empty())
        return Error{ErrorCode::InvalidInput, "a type has no end", {}, ">"};
    type.text = scanner.spanFrom(begin);
    if (word == "tensor" && type.text.text.back() == '>') {
        const std::string_view inner = type.text.text.substr(open - begin + 1);
        if (auto error = readTensorType(inner.substr(0, inner.size() - 1), type))
            return *std::move(error);
    }
    return type;
}

std::vector<Span> itemsOf(const Span& text)
{
    std::vector<Span> items;
    const std::string_view whole = trimmed(text.text);
    if (whole.size() < 2 || kOpeners.find(whole.front()) == std::string_view::npos)
        return items;
    Scanner scanner(whole.substr(1, whole.size() - 2), text.line, text.column);
    while (!scanner.atEnd()) {
        const std::size_t before = scanner.position();
        items.push_back(scanner.value(false));
        if (!scanner.accept(",") && scanner.position() == before)
            break; // A bracket without partner.
    }
    return items;
}

Attributes fieldsOf(const Span& text)
{
    Attributes fields;
    const std::size_t open = text.text.find_first_of("<{");
    if (open == std::string_view::npos)
        return fields;
    for (const Span& item : itemsOf({text.text.substr(open), text.line, text.column})) {
        const std::size_t equals = item.text.find('=');
        if (equals != std::string_view::npos)
            fields.emplace(std::string(trimmed(item.text.substr(0, equals))), Span{trimmed(item.text.substr(equals + 1)), item.line, item.column});
    }
    return fields;
}

std::optional<std::string> stringOf(std::string_view text)
{
    text = trimmed(text);
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        return std::nullopt;
    std::string plain;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size())
            ++i;
        plain += text[i];
    }
    return plain;
}

namespace {

/// Numbers and truth values between brackets and commas; false at anything else.
bool appendIntegers(std::string_view text, std::vector<std::int64_t>& list)
{
    constexpr std::size_t kMost = std::size_t{1} << 20;
    for (std::size_t i = 0; i < text.size();) {
        if (isBlankChar(text[i]) || text[i] == ',' || text[i] == '[' || text[i] == ']') {
            ++i;
            continue;
        }
        std::int64_t value = 0;
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("true") || rest.starts_with("false")) {
            value = rest.front() == 't' ? 1 : 0;
            i += value ? 4 : 5;
        } else {
            const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
            if (problem != std::errc{})
                return false;
            i += static_cast<std::size_t>(end - rest.data());
            if (i < text.size() && isWordChar(text[i]))
                return false;
        }
        if (list.size() >= kMost)
            return false;
        list.push_back(value);
    }
    return true;
}

} // namespace

std::optional<std::vector<std::int64_t>> integersOf(std::string_view text)
{
    std::vector<std::int64_t> list;
    text = trimmed(text);
    if (text.starts_with("array<") && text.back() == '>') {
        const std::string_view inner = text.substr(6, text.size() - 7);
        const std::size_t colon = inner.find(':');
        return colon == std::string_view::npos || appendIntegers(inner.substr(colon + 1), list) ? std::optional(list) : std::nullopt;
    }
    if (!text.starts_with("dense<")) {
        const std::size_t colon = text.find(" :");
        return !text.empty() && appendIntegers(text.substr(0, colon), list) ? std::optional(list) : std::nullopt;
    }
    const std::size_t close = text.find('>');
    if (close == std::string_view::npos || !appendIntegers(text.substr(6, close - 6), list))
        return std::nullopt;
    const std::size_t colon = text.find(':', close);
    if (colon != std::string_view::npos && list.size() == 1 && text[6] != '[') {
        Scanner scanner(text.substr(colon + 1));
        const Result<Type> type = readType(scanner);
        if (!type || !type.value().tensor)
            return std::nullopt;
        std::int64_t count = 1;
        for (const std::int64_t size : type.value().shape) {
            if (size < 0 || size > 4096 || count > 4096)
                return std::nullopt;
            count *= size;
        }
        list.assign(static_cast<std::size_t>(count), list.front());
    }
    return list;
}

} // namespace fabricscope::mlir
