#pragma once

#include "core/base/result.h"
#include "core/base/stop.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace fabricscope {

/// Reads values of a JSON document and keeps the first thing that is wrong, with its path. After that everything it gives is a default.
/// Looks at `stop` for every value of a list and whenever it is asked whether all is good, and throws StopRequested.
class JsonReading {
public:
    explicit JsonReading(std::string file, std::stop_token stop = {}) : m_file(std::move(file)), m_stop(std::move(stop)) {}

    bool good() const
    {
        checkStop(m_stop);
        return !m_error;
    }
    Status status() const { return m_error ? Status(*m_error) : Status(); }
    void fail(const std::string& path, std::string message, std::string expected = {})
    {
        if (m_error)
            return;
        Place place;
        place.file = m_file;
        place.field = path;
        m_error = invalidInput(std::move(message), std::move(place), std::move(expected));
    }

    /// Refuses what is no object or has other keys.
    bool object(const nlohmann::json& value, const std::string& path, const std::set<std::string>& keys)
    {
        if (!value.is_object()) {
            fail(path, "not an object", "an object");
            return false;
        }
        for (const auto& item : value.items()) {
            if (!keys.contains(item.key()))
                fail(path.empty() ? item.key() : path + '.' + item.key(), "the key is not known");
        }
        return good();
    }

    std::int64_t integer(const nlohmann::json& value, const std::string& path, std::int64_t least, std::int64_t most)
    {
        const bool fits = value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
        if (fits && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most)
            return value.get<std::int64_t>();
        fail(path, value.is_number_integer() ? "out of range" : "not a whole number", std::to_string(least) + " to " + std::to_string(most));
        return least;
    }
    std::int64_t integerOf(const nlohmann::json& object, const char* key, const std::string& path, std::int64_t least, std::int64_t most, std::int64_t usual)
    {
        const auto found = object.find(key);
        return found == object.end() ? usual : integer(*found, join(path, key), least, most);
    }
    bool truthOf(const nlohmann::json& object, const char* key, const std::string& path, bool usual)
    {
        const auto found = object.find(key);
        if (found == object.end())
            return usual;
        if (!found->is_boolean())
            fail(join(path, key), "not true or false", "true or false");
        return found->is_boolean() && found->get<bool>();
    }
    std::string textOf(const nlohmann::json& object, const char* key, const std::string& path, const std::string& usual)
    {
        const auto found = object.find(key);
        if (found == object.end())
            return usual;
        if (!found->is_string())
            fail(join(path, key), "not a text", "a text");
        return found->is_string() ? found->get<std::string>() : usual;
    }
    /// The array under a key; an empty one where there is none.
    const nlohmann::json& arrayOf(const nlohmann::json& object, const char* key, const std::string& path)
    {
        const auto found = object.find(key);
        if (found == object.end())
            return m_empty;
        if (found->is_array())
            return *found;
        fail(join(path, key), "not a list", "a list");
        return m_empty;
    }
    template <typename T>
    std::vector<T> integers(const nlohmann::json& array, const std::string& path, std::int64_t least, std::int64_t most)
    {
        std::vector<T> out;
        if (!array.is_array()) {
            fail(path, "not a list", "a list");
            return out;
        }
        out.reserve(array.size());
        for (std::size_t i = 0; i < array.size(); ++i) {
            checkStop(m_stop);
            const nlohmann::json& value = array[i];
            // The path is only put together where it is needed.
            const bool fits = value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
                && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
            out.push_back(static_cast<T>(fits ? value.get<std::int64_t>() : integer(value, path + '[' + std::to_string(i) + ']', least, most)));
        }
        return out;
    }

    static std::string join(const std::string& path, const char* key) { return path.empty() ? std::string(key) : path + '.' + key; }

private:
    std::string m_file;
    std::stop_token m_stop;
    nlohmann::json m_empty = nlohmann::json::array();
    std::optional<Error> m_error;
};

} // namespace fabricscope
