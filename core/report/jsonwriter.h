#pragma once

#include "core/base/units.h"

#include <concepts>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// Writes JSON as text, two blanks per level, keys in the order given. Numbers are written from integers, never through a
/// double, so equal results give equal bytes. O(1) per token besides copying.
/// Looks at `stop` for every value and throws StopRequested (stop.h).
class JsonWriter {
public:
    explicit JsonWriter(std::stop_token stop = {}) : m_stop(std::move(stop)) {}

    void beginObject();
    void endObject();
    void beginArray();
    /// `compact`: on one line, for rows of tables and long lists of numbers.
    void beginCompactArray();
    void beginCompactObject();
    void endArray();
    void key(std::string_view name);
    /// A key and its value.
    void member(std::string_view name, std::int64_t value)
    {
        key(name);
        integer(value);
    }
    void member(std::string_view name, std::string_view text)
    {
        key(name);
        string(text);
    }
    template <std::same_as<bool> Flag>
    void member(std::string_view name, Flag value)
    {
        key(name);
        boolean(value);
    }

    void string(std::string_view text); ///< Bytes that are not UTF-8 become U+FFFD.
    void integer(std::int64_t value);
    void boolean(bool value);
    void null();
    void number(std::string_view text); ///< Already a JSON number. \pre it is one.
    void nanoseconds(SimTime time);     ///< Integer or up to three decimals.

    /// The document; \pre every object and array is closed.
    const std::string& text() const { return m_text; }

private:
    struct Level {
        bool compact = false;
        bool empty = true;
        bool array = false;
    };
    void separate();
    void begin(char bracket, bool compact);
    void end(char bracket);
    void raw(std::string_view token);

    std::stop_token m_stop;
    std::string m_text;
    std::vector<Level> m_levels;
    bool m_afterKey = false;
};

/// `text` as a JSON string with its quotes.
std::string jsonString(std::string_view text);

/// part / whole as a decimal with six digits after the point, rounded to nearest, from integers: "0.912346". "0" when whole is 0.
/// \pre part >= 0, whole >= 0.
std::string shareText(std::int64_t part, std::int64_t whole);

/// part / (count * whole), the same way; the product may exceed 63 bits.
std::string shareText(std::int64_t part, std::int64_t count, std::int64_t whole);

} // namespace fabricscope
