#pragma once

#include "core/base/jsontext.h"

#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace fabricscope {

/// Typed access to the outermost object of one of ASTRA-sim's JSON files. Every problem names file, line and key. The first one
/// is kept: read all fields, then ask `status`.
class JsonFields {
public:
    JsonFields(const JsonDocument& document, Diagnostics& diagnostics);

    bool has(const std::string& key);
    /// Whole number; a fraction is dropped with a warning, as ASTRA-sim does. `fallback` when the key is absent or bad.
    std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least, std::int64_t most = std::numeric_limits<std::int32_t>::max());
    /// Finite number.
    double number(const std::string& key, double fallback, double least);
    /// A number that is on when it is not 0.
    bool flag(const std::string& key);
    /// One of `allowed`; empty when absent or bad.
    std::string word(const std::string& key, std::span<const std::string_view> allowed);
    /// Any text.
    std::string text(const std::string& key);
    /// The value as it stands, or null; marks the key as known.
    const nlohmann::json* value(const std::string& key);

    void refuse(const std::string& key, std::string message, std::string expected, ErrorCode code = ErrorCode::InvalidInput);
    void warn(const std::string& key, const char* rule, std::string message);
    /// A note for each of `keys` that is there: it has no effect.
    void ignore(std::span<const std::string_view> keys, const char* why);
    /// A warning for each key nobody asked for, with the nearest of `known`.
    void warnUnknown(std::span<const std::string_view> known);

    Status status() const { return m_status; }

private:
    const JsonDocument& m_document;
    Diagnostics& m_diagnostics;
    std::set<std::string> m_asked;
    Status m_status;
};

} // namespace fabricscope
