#include "core/platform/fabric/linetokens.h"

#include "core/base/showntext.h"
#include "core/platform/fabric/platformof.h"
#include "core/platform/valueranges.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace fabricscope {

namespace {

constexpr std::size_t kMostLine = 4096;
constexpr std::int64_t kMostNumber = 1'000'000'000;

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// "/s" of a rate.
bool isPerSecond(std::string_view line, std::size_t at)
{
    const bool after = at > 0 && isLetter(line[at - 1]) && at + 1 < line.size() && line[at + 1] == 's';
    return after && (at + 2 >= line.size() || !(isLetter(line[at + 2]) || isDigit(line[at + 2]) || line[at + 2] == '_'));
}

std::vector<std::string_view> splitAtSlashes(std::string_view line)
{
    std::vector<std::string_view> parts;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i == line.size() || (line[i] == '/' && !isPerSecond(line, i))) {
            parts.push_back(line.substr(first, i - first));
            first = i + 1;
        }
    }
    return parts;
}

/// At blanks outside of brackets.
std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    int open = 0;
    for (const char c : text) {
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (isBlank(c) && open <= 0) {
            if (!word.empty())
                words.push_back(std::move(word));
            word.clear();
        } else {
            word += c;
        }
    }
    if (!word.empty())
        words.push_back(std::move(word));
    return words;
}

/// Of counts and ports `most` is the number of NPUs there may be: products of several are checked, but each alone must fit too.
std::optional<std::int64_t> wholeOf(std::string_view text, std::int64_t most = kMostNumber)
{
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size() || text.empty() || number < 0 || number > most)
        return std::nullopt;
    return number;
}

/// "16", "4,8,4", "4x4x8".
std::optional<std::vector<std::int64_t>> numbersOf(std::string_view text)
{
    std::vector<std::int64_t> out;
    while (true) {
        const std::size_t end = std::min(text.find_first_of(",x"), text.size());
        const auto number = wholeOf(text.substr(0, end));
        if (!number)
            return std::nullopt;
        out.push_back(*number);
        if (end == text.size())
            return out;
        text.remove_prefix(end + 1);
    }
}

/// "400G": bits per second, as ports are named.
Result<Quantity> rateOf(std::string_view text)
{
    if (text.size() > 1 && isDigit(text[text.size() - 2]) && (text.back() == 'G' || text.back() == 'T'))
        return parseQuantity(std::string(text.substr(0, text.size() - 1)) + (text.back() == 'G' ? " Gbit/s" : " Tbit/s"), Measure::Bandwidth);
    return parseQuantity(text, Measure::Bandwidth);
}

/// A figure for the join: true when `text` is one.
Result<bool> takeFigure(std::string_view text, FabricJoin& join)
{
    const auto refuse = [](Error error) {
        error.code = ErrorCode::Usage;
        error.place.field = "--line";
        return error;
    };
    if (auto rate = rateOf(text)) {
        if (join.bandwidth)
            return lineError("two rates: " + join.bandwidth->text() + " and " + rate.value().text(), "one for each join");
        if (Status status = checkValue(rate.value(), Meaning::Rate, "--line"); !status)
            return refuse(std::move(status).error());
        join.bandwidth = std::move(rate).value();
        return true;
    }
    if (auto time = parseQuantity(text, Measure::Time)) {
        if (join.latency)
            return lineError("two latencies: " + join.latency->text() + " and " + time.value().text(), "one for each join");
        if (Status status = checkValue(time.value(), Meaning::Latency, "--line"); !status)
            return refuse(std::move(status).error());
        join.latency = std::move(time).value();
        return true;
    }
    return false;
}

/// The rate behind "crossbar", of one word or two; says how many.
Result<std::size_t> takeCrossbar(std::span<const std::string> words, FabricJoin& join)
{
    if (join.crossbar)
        return lineError("two crossbars in a join", "one for each join");
    std::string text;
    for (std::size_t used = 1; used <= std::min<std::size_t>(words.size(), 2); ++used) {
        text += (used > 1 ? " " : "") + words[used - 1];
        auto rate = rateOf(text);
        if (!rate)
            continue;
        if (Status status = checkValue(rate.value(), Meaning::Rate, "--line"); !status)
            return lineError(status.error().message, status.error().expected);
        join.crossbar = std::move(rate).value();
        return used;
    }
    return lineError("no rate follows \"crossbar\"", "what a switch passes on per second, such as crossbar 51.2T");
}

/// \pre "64p": digits and a letter.
Status takePorts(const std::string& word, FabricJoin& join)
{
    if (join.radix > 0)
        return lineError("two numbers of ports: " + std::to_string(join.radix) + "p and " + word, "one for each join");
    const auto radix = wholeOf(std::string_view(word).substr(0, word.size() - 1), kMaxNpus);
    if (radix.value_or(0) < 1)
        return lineError("switches of " + quotedText(word), "1p to " + std::to_string(kMaxNpus) + "p, such as 64p");
    join.radix = *radix;
    return {};
}

bool isFigure(const std::string& text)
{
    return rateOf(text) || parseQuantity(text, Measure::Time);
}

/// \pre "x" and digits.
Result<std::int64_t> timesOf(std::string_view word)
{
    const auto times = wholeOf(word.substr(1), kMaxNpus);
    if (times.value_or(0) < 1)
        return lineError("so many: " + quotedText(word), "x1 to x" + std::to_string(kMaxNpus));
    return *times;
}

Result<FabricJoin> readJoin(const std::vector<std::string>& words)
{
    FabricJoin join;
    join.word = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        const auto next = [&]() -> std::string_view { return i + 1 < words.size() ? std::string_view(words[i + 1]) : std::string_view(); };
        const bool number = !word.empty() && (isDigit(word.front()) || word.front() == '.');
        if (word.front() == 'x' && wholeOf(std::string_view(word).substr(1))) {
            if (i + 1 != words.size())
                return lineError(quotedText(word) + " stands before " + quotedText(next()), "xN, from 1, at the end of a join");
            const auto times = timesOf(word);
            if (!times)
                return times.error();
            join.times = times.value();
        } else if (word.find(':') != std::string::npos) {
            const auto ratio = parseRatio(word);
            if (!ratio || join.ratio)
                return lineError(quotedText(word) + (ratio ? " is a second oversubscription" : " is no oversubscription"), "a:b once, such as 2:1");
            join.ratio = ratio;
        } else if (number && word.back() == 'p' && wholeOf(std::string_view(word).substr(0, word.size() - 1))) {
            if (Status status = takePorts(word, join); !status)
                return std::move(status).error();
        } else if (word == "crossbar") {
            const auto used = takeCrossbar(std::span(words).subspan(i + 1), join);
            if (!used)
                return used.error();
            i += used.value();
        } else if (number) {
            if (auto figure = takeFigure(word, join); !figure)
                return std::move(figure).error();
            else if (figure.value())
                continue;
            if (auto figure = takeFigure(word + ' ' + std::string(next()), join); !figure)
                return std::move(figure).error();
            else if (figure.value()) {
                ++i;
                continue;
            }
            auto numbers = numbersOf(word);
            if (!numbers)
                return lineError(quotedText(word) + " is neither numbers nor a figure", "4,8,4 or 4x4x8; 64p; 400G, 50GB/s; 1us; 2:1");
            join.numbers.push_back(std::move(*numbers));
        } else {
            auto numbers = numbersOf(next());
            // "separate" alone means 1; a figure that follows, "50GB/s" or "50 GB/s", is its own token.
            if (numbers && i + 2 < words.size() && isFigure(words[i + 1] + ' ' + words[i + 2]))
                numbers.reset();
            join.keyed.emplace_back(word, numbers ? *numbers : std::vector<std::int64_t>{});
            i += numbers ? 1 : 0;
        }
    }
    return join;
}

} // namespace

Error lineError(std::string message, std::string expected)
{
    Place place;
    place.field = "--line";
    Error error = invalidInput(std::move(message), std::move(place), std::move(expected));
    error.code = ErrorCode::Usage;
    return error;
}

std::optional<Ratio> parseRatio(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const auto down = wholeOf(text.substr(0, colon));
    const auto up = wholeOf(text.substr(colon + 1));
    return down && up && *down > 0 && *up > 0 && *down <= 1024 && *up <= 1024 ? std::optional(Ratio{*down, *up}) : std::nullopt;
}

bool isFabricLine(std::string_view text)
{
    int open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (open <= 0 && text[i] == '/' && !isPerSecond(text, i))
            return true;
    }
    return false;
}

Result<FabricForm> tokenizeFabricLine(std::string_view line)
{
    if (line.size() > kMostLine)
        return lineError("a line of " + std::to_string(line.size()) + " characters", "at most " + std::to_string(kMostLine));
    FabricForm out;
    bool first = true;
    for (const std::string_view part : splitAtSlashes(line)) {
        std::vector<std::string> words = wordsOf(part);
        if (words.empty())
            return lineError("nothing stands " + std::string(first ? "before the first" : "behind a") + " \"/\"", "part [xN] / join ..., such as npu x16 / leaf 24p x8 / spine 2:1");
        if (!first) {
            auto join = readJoin(words);
            if (!join)
                return std::move(join).error();
            out.joins.push_back(std::move(join).value());
            continue;
        }
        first = false;
        if (words.size() > 1 && words.back().front() == 'x' && wholeOf(std::string_view(words.back()).substr(1))) {
            const auto times = timesOf(words.back());
            if (!times)
                return times.error();
            out.times = times.value();
            words.pop_back();
        }
        if (words.size() != 1)
            return lineError(quotedText(words[1]) + " follows the part " + quotedText(words[0]), "xN, then \"/\" and a join");
        out.part = words.front();
    }
    if (out.joins.empty())
        return lineError("no join", "part [xN] / join ..., such as npu / torus 4x4x8");
    return out;
}

} // namespace fabricscope
