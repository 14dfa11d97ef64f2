#include "core/model/checkpointfields.h"

namespace fabricscope {

bool CheckpointFields::isNull(const std::string& key) const
{
    const auto found = m_document.root.find(key);
    return found != m_document.root.end() && found->is_null();
}

const nlohmann::json* CheckpointFields::find(const std::string& key)
{
    m_read.insert(key);
    const auto found = m_document.root.find(key);
    return found == m_document.root.end() ? nullptr : &*found;
}

const nlohmann::json* CheckpointFields::value(const std::string& key)
{
    const nlohmann::json* found = find(key);
    return found && !found->is_null() ? found : nullptr;
}

void CheckpointFields::refuse(const std::string& key, std::string message, std::string expected)
{
    if (!m_error)
        m_error = invalidInput(std::move(message), m_document.placeOf(key), std::move(expected));
}

std::int64_t CheckpointFields::checked(const nlohmann::json& value, const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most)
{
    const bool whole = value.is_number_unsigned() ? value.get<std::uint64_t>() <= INT64_MAX : value.is_number_integer();
    if (whole && value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most)
        return value.get<std::int64_t>();
    refuse(key, key + (value.is_null() ? " is null, which has no meaning here" : " has a value that is not possible"),
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return absent;
}

std::int64_t CheckpointFields::integer(const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most)
{
    const nlohmann::json* value = find(key);
    return value ? checked(*value, key, absent, least, most) : absent;
}

std::int64_t CheckpointFields::integer(const std::string& key, const std::string& otherName, std::int64_t absent, std::int64_t least, std::int64_t most)
{
    const nlohmann::json* first = find(key);
    const nlohmann::json* second = find(otherName);
    if (first && second && *first != *second)
        refuse(otherName, key + " and " + otherName + " are two names of one size and differ");
    return first ? checked(*first, key, absent, least, most) : second ? checked(*second, otherName, absent, least, most) : absent;
}

std::int32_t CheckpointFields::integer32(const std::string& key, std::int64_t absent, std::int64_t least, std::int64_t most)
{
    return static_cast<std::int32_t>(integer(key, absent, least, most));
}

std::int64_t CheckpointFields::nullable(const std::string& key, std::int64_t absent, std::int64_t null, std::int64_t least, std::int64_t most)
{
    const nlohmann::json* value = find(key);
    return !value ? absent : value->is_null() ? null : checked(*value, key, absent, least, most);
}

bool CheckpointFields::flag(const std::string& key, bool absent)
{
    const nlohmann::json* value = find(key);
    if (!value)
        return absent;
    if (value->is_boolean())
        return value->get<bool>();
    refuse(key, key + " is neither true nor false", "true or false");
    return absent;
}

std::string CheckpointFields::text(const std::string& key, const std::string& absent)
{
    const nlohmann::json* value = find(key);
    if (!value || value->is_null())
        return absent;
    if (value->is_string())
        return value->get<std::string>();
    refuse(key, key + " is not a text");
    return absent;
}

double CheckpointFields::number(const std::string& key, double absent)
{
    const nlohmann::json* found = value(key);
    if (!found)
        return absent;
    if (found->is_number())
        return found->get<double>();
    refuse(key, key + " is not a number");
    return absent;
}

std::vector<std::int32_t> CheckpointFields::layers(const std::string& key, std::int32_t count)
{
    std::vector<std::int32_t> layers;
    const nlohmann::json* found = value(key);
    if (!found)
        return layers;
    if (!found->is_array())
        refuse(key, key + " is not a list of layers");
    for (const nlohmann::json& item : *found)
        layers.push_back(static_cast<std::int32_t>(checked(item, key, 0, 0, count - 1)));
    return layers;
}

std::vector<std::string> CheckpointFields::words(const std::string& key)
{
    std::vector<std::string> words;
    const nlohmann::json* found = value(key);
    if (!found)
        return words;
    if (!found->is_array())
        refuse(key, key + " is not a list of words");
    for (const nlohmann::json& item : *found) {
        if (item.is_string())
            words.push_back(item.get<std::string>());
        else
            refuse(key, key + " has an item that is not a word");
    }
    return words;
}

std::vector<std::string> CheckpointFields::unread() const
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_document.root.items()) {
        if (!m_read.contains(key))
            keys.push_back(key);
    }
    return keys;
}

} // namespace fabricscope
