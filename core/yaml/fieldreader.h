#pragma once

#include "core/base/quantity.h"
#include "core/base/rankset.h"
#include "core/yaml/tree.h"

#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

/// Who wants to know what may stand where, beside what is wrong: an editor. Told while a document is read; paths as in errors, "platform.dimensions[0].shape".
class FieldWatch {
public:
    virtual ~FieldWatch() = default;
    /// A mapping, and the keys it may have.
    virtual void keys(const YamlNode& map, const std::string& path, const std::vector<std::string_view>& known) = 0;
    /// A value that is one of some words.
    virtual void words(const YamlNode& value, const std::string& path, const std::vector<std::string_view>& known) = 0;
    virtual void quantity(const YamlNode& value, const std::string& path, Measure measure) = 0;
    /// What a field means that may stand there.
    virtual void meaning(const std::string& path, std::string_view text) = 0;
};

/// What reading a document collects.
class FieldContext {
public:
    explicit FieldContext(const YamlDocument& read, std::stop_token told = {}, FieldWatch* watches = nullptr) : document(read), stop(std::move(told)), watch(watches) {}

    const YamlDocument& document;
    std::stop_token stop; ///< Every MapReader looks at it and throws StopRequested (stop.h).
    FieldWatch* watch = nullptr; ///< Null: nobody.
    Diagnostics diagnostics;

    void error(const YamlNode& node, const std::string& field, std::string message, std::string expected = {}, ErrorCode code = ErrorCode::InvalidInput);
    void error(Error problem, std::string rule); ///< With its own place.
    bool hasErrors() const { return m_firstError.has_value(); }
    const std::optional<Error>& firstError() const { return m_firstError; } ///< In the order of reading.

private:
    std::optional<Error> m_firstError;
};

/// "a, b, c" and, where one is close to `given`, which.
std::string nearestOf(std::string_view given, const std::vector<std::string_view>& known);

/// Readers of one value; on failure they report and return nothing.
std::optional<std::string> readText(FieldContext& context, const YamlNode& node, const std::string& field);
std::optional<Quantity> readQuantity(FieldContext& context, const YamlNode& node, const std::string& field, Measure measure);
std::optional<std::int64_t> readInteger(FieldContext& context, const YamlNode& node, const std::string& field, std::int64_t least, std::int64_t most);

/// A mapping being read: every key must be known, every value of its kind. Absent keys give nothing and no error.
class MapReader {
public:
    /// Reports what is not a mapping and every unknown key with the nearest known one.
    MapReader(FieldContext& context, const YamlNode& node, std::string field, std::vector<std::string_view> known);

    FieldContext& context() const { return m_context; }
    const YamlNode& map() const { return m_node; }
    const std::string& path() const { return m_field; } ///< Of the mapping.
    std::string field(std::string_view key) const;
    bool has(std::string_view key) const { return m_node.isMap() && m_node.find(key); }
    /// The value of a key; a key without a value is reported.
    const YamlNode* node(std::string_view key) const;
    /// Like `node`, but reports an absent key.
    const YamlNode* required(std::string_view key) const;

    std::optional<std::string> text(std::string_view key) const;
    std::optional<Quantity> quantity(std::string_view key, Measure measure) const;
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
    std::optional<std::int32_t> integer32(std::string_view key, std::int32_t least, std::int32_t most) const;
    std::optional<double> number(std::string_view key, double least) const;
    std::optional<bool> boolean(std::string_view key) const;
    /// Items of a list with the field of each; empty when absent or no list.
    std::vector<std::pair<const YamlNode*, std::string>> list(std::string_view key) const;

    template <typename T>
    std::optional<T> choice(std::string_view key, const std::vector<std::pair<std::string_view, T>>& choices) const
    {
        const auto given = text(key);
        if (!given)
            return std::nullopt;
        std::vector<std::string_view> names;
        for (const auto& [name, value] : choices)
            names.push_back(name);
        watchWords(key, names);
        for (const auto& [name, value] : choices) {
            if (name == *given)
                return value;
        }
        error(key, "unknown value \"" + *given + "\"", "one of " + nearestOf(*given, names));
        return std::nullopt;
    }

    void error(std::string_view key, std::string message, std::string expected = {}, ErrorCode code = ErrorCode::InvalidInput) const;

private:
    void watchWords(std::string_view key, const std::vector<std::string_view>& known) const;

    FieldContext& m_context;
    const YamlNode& m_node;
    std::string m_field;
};

} // namespace fabricscope
