#include "core/report/linkclasses.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fabricscope {

namespace {

constexpr std::size_t kListed = 4;      ///< Numbers of a set that has gaps,
constexpr std::size_t kMostDigits = 15; ///< and of one of them; a longer row of digits is a word.

/// A name cut at its numbers: "0 → D2 switch" is {"", " → D", " switch"} and {0, 2}.
struct NameParts {
    std::vector<std::string> words;
    std::vector<std::int64_t> numbers;
};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

NameParts partsOf(const std::string& name)
{
    NameParts parts;
    parts.words.emplace_back();
    for (std::size_t i = 0; i < name.size();) {
        std::size_t end = i;
        while (end < name.size() && isDigit(name[end]))
            ++end;
        // "007" is not 7: only what can be written again as it was is a number.
        if (end == i || end - i > kMostDigits || (name[i] == '0' && end - i > 1)) {
            const std::size_t stop = std::max(end, i + 1);
            parts.words.back() += name.substr(i, stop - i);
            i = stop;
            continue;
        }
        parts.numbers.push_back(std::stoll(name.substr(i, end - i)));
        parts.words.emplace_back();
        i = end;
    }
    return parts;
}

/// A class while it is gathered: the numbers that occur at each place of its name.
struct Gathered {
    LinkClass row;
    NameParts first;
    std::vector<std::vector<std::int64_t>> numbers;
};

std::string nameOf(Gathered& gathered)
{
    std::string out = gathered.first.words.front();
    for (std::size_t i = 0; i < gathered.numbers.size(); ++i) {
        std::vector<std::int64_t>& values = gathered.numbers[i];
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        out += numbersText(values) + gathered.first.words[i + 1];
    }
    return out;
}

} // namespace

std::string numbersText(const std::vector<std::int64_t>& values)
{
    const std::int64_t first = values.front();
    const std::int64_t last = values.back();
    const auto count = static_cast<std::int64_t>(values.size());
    if (count == 1)
        return std::to_string(first);
    if (last - first == count - 1)
        return std::to_string(first) + "\xE2\x80\x93" + std::to_string(last);
    std::string out = std::to_string(first);
    if (values.size() <= kListed) {
        for (std::size_t i = 1; i < values.size(); ++i)
            out += ", " + std::to_string(values[i]);
        return out;
    }
    return out + ", " + std::to_string(values[1]) + " \xE2\x80\xA6 " + std::to_string(last) + " (" + std::to_string(count) + ")";
}

std::vector<LinkClass> linkClasses(const std::vector<LinkUse>& links, const std::function<LinkFacts(const LinkUse&)>& factsOf)
{
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string, std::vector<std::string>>;
    std::map<Key, std::size_t> known;
    std::vector<Gathered> gathered;
    for (const LinkUse& link : links) {
        LinkFacts facts = factsOf(link);
        NameParts parts = partsOf(facts.name);
        const auto [entry, isNew] = known.try_emplace(Key(link.busyPs, link.bytes, link.messages, std::move(facts.alike), parts.words), gathered.size());
        if (isNew) {
            gathered.push_back({{std::move(facts.name), {}}, parts, {}});
            gathered.back().numbers.resize(parts.numbers.size());
        }
        Gathered& row = gathered[entry->second];
        row.row.links.push_back(link);
        for (std::size_t i = 0; i < parts.numbers.size(); ++i)
            row.numbers[i].push_back(parts.numbers[i]);
    }
    std::vector<LinkClass> out;
    out.reserve(gathered.size());
    for (Gathered& row : gathered) {
        if (row.row.links.size() > 1)
            row.row.name = nameOf(row);
        out.push_back(std::move(row.row));
    }
    return out;
}

} // namespace fabricscope
