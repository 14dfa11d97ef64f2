#pragma once

#include "core/base/jsontext.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// The fields of a config.json being read. Absent and null differ: absent gives the default of the class, null only what the caller says it means.
/// The first field that is wrong is kept; reads after that give defaults. Which fields were read is remembered, so that the rest can be named.
class CheckpointFields {
public:
    explicit CheckpointFields(const JsonDocument& document) : m_document(document) {}

    bool has(const std::string& key) const { return m_document.root.contains(key); }
    bool isNull(const std::string& key) const;
    /// A whole number in a range; the first of two names that is there.
    std::int64_t integer(const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most);
    std::int64_t integer(const std::string& key, const std::string& otherName, std::int64_t absent, std::int64_t least, std::int64_t most);
    std::int32_t integer32(const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most);
    /// The same where null is meant and gives `null`.
    std::int64_t nullable(const std::string& key, std::int64_t absent, std::int64_t null, std::int64_t least, std::int64_t most);
    bool flag(const std::string& key, bool absent);
    std::string text(const std::string& key, const std::string& absent);
    double number(const std::string& key, double absent);
    std::vector<std::int32_t> layers(const std::string& key, std::int32_t count);
    std::vector<std::string> words(const std::string& key);
    const nlohmann::json* value(const std::string& key); ///< Null: absent or null.

    void refuse(const std::string& key, std::string message, std::string expected = {});
    const std::optional<Error>& error() const { return m_error; }
    /// Fields nobody read.
    std::vector<std::string> unread() const;
    Place placeOf(const std::string& key) const { return m_document.placeOf(key); }

private:
    const nlohmann::json* find(const std::string& key);
    std::int64_t checked(const nlohmann::json& value, const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most);

    const JsonDocument& m_document;
    std::set<std::string> m_read;
    std::optional<Error> m_error;
};

} // namespace fabricscope
