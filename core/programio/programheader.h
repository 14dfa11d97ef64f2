#pragma once

#include "core/program/program.h"
#include "core/programio/jsonreading.h"

#include <set>
#include <string>

namespace fabricscope {

// The part of a program's file that is neither template nor operations.

/// Keys of programHeader().
std::set<std::string> programHeaderKeys();
/// "name", "op", ..., "conditions"; without provenance.
nlohmann::json programHeader(const Program& program);
/// Fills everything but body and provenance.
void readProgramHeader(JsonReading& reading, const nlohmann::json& object, Program& program);

/// The enumerator of a word; the first one and an error where there is none.
template <typename Enum, std::size_t size>
Enum wordOf(JsonReading& reading, const nlohmann::json& value, const std::string& path, const std::array<std::string_view, size>& words)
{
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        for (std::size_t i = 0; i < size; ++i) {
            if (words[i] == text)
                return static_cast<Enum>(i);
        }
    }
    std::string expected;
    for (const std::string_view word : words)
        expected += (expected.empty() ? "" : ", ") + std::string(word);
    reading.fail(path, "not one of the words for it", expected);
    return static_cast<Enum>(0);
}

/// The same with a table of words and values.
template <typename Enum, std::size_t size>
Enum wordOf(JsonReading& reading, const nlohmann::json& value, const std::string& path, const KeyTable<Enum, size>& table)
{
    if (const auto found = value.is_string() ? valueOf(table, value.get_ref<const std::string&>()) : std::nullopt)
        return *found;
    reading.fail(path, "not one of the words for it", keyList(table, {}));
    return static_cast<Enum>(0);
}

} // namespace fabricscope
