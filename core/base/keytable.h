#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricscope {

/// The words of our files, options and results for the values of an enumeration: the one place where the two stand together, in the order of lists.
template <typename Value, std::size_t count>
using KeyTable = std::array<std::pair<std::string_view, Value>, count>;

/// Letters in lower case, "_", "-" and blanks left out: "AllReduce" and "all_reduce" are the same.
std::string plainWord(std::string_view word);

/// "a, b or c"; without a conjunction "a, b, c".
std::string listedWords(std::span<const std::string_view> words, std::string_view conjunction = {});

/// The word of a value; empty: it has none.
template <typename Value, std::size_t count>
constexpr std::string_view keyOf(const KeyTable<Value, count>& table, std::type_identity_t<Value> value)
{
    for (const auto& [key, entry] : table) {
        if (entry == value)
            return key;
    }
    return {};
}

/// The value of a word, letter by letter.
template <typename Value, std::size_t count>
constexpr std::optional<Value> valueOf(const KeyTable<Value, count>& table, std::string_view word)
{
    for (const auto& [key, value] : table) {
        if (key == word)
            return value;
    }
    return std::nullopt;
}

/// The same of what people type: plainWord() of both decides.
template <typename Value, std::size_t count>
std::optional<Value> valueMeant(const KeyTable<Value, count>& table, std::string_view word)
{
    for (const auto& [key, value] : table) {
        if (plainWord(key) == plainWord(word))
            return value;
    }
    return std::nullopt;
}

template <typename Value, std::size_t count>
std::vector<std::string_view> keysOf(const KeyTable<Value, count>& table)
{
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : table)
        keys.push_back(key);
    return keys;
}

/// All words as one text for messages and help.
template <typename Value, std::size_t count>
std::string keyList(const KeyTable<Value, count>& table, std::string_view conjunction = "or")
{
    return listedWords(keysOf(table), conjunction);
}

} // namespace fabricscope
