#include "core/base/jsonbuilder.h"

#include "core/base/stop.h"

namespace fabricscope {

namespace {

/// What an allocation takes besides its bytes.
constexpr std::size_t kAllocation = 16;
/// A list grows by doubling.
constexpr std::size_t kInList = 2 * sizeof(nlohmann::json);
/// Of a tree of keys: three links and a colour, key and value.
constexpr std::size_t kEntry = kAllocation + 4 * sizeof(void*) + sizeof(std::string) + sizeof(nlohmann::json);

std::size_t bytesOf(const std::string& text)
{
    return text.size() < sizeof(std::string) / 2 ? 0 : kAllocation + text.size(); // Short ones lie in the string itself.
}

std::size_t bytesOf(const nlohmann::json& value)
{
    if (value.is_string())
        return kAllocation + sizeof(std::string) + bytesOf(value.get_ref<const std::string&>());
    return value.is_object() ? kAllocation + sizeof(nlohmann::json::object_t) : value.is_array() ? kAllocation + sizeof(nlohmann::json::array_t) : 0;
}

} // namespace

bool JsonBuilder::charge(std::size_t bytes)
{
    m_tooLarge = m_tooLarge || bytes > m_left;
    m_left -= m_tooLarge ? 0 : bytes;
    return !m_tooLarge;
}

JsonBuilder::Json* JsonBuilder::put(Json value)
{
    checkStop(m_stop);
    if (!charge(bytesOf(value) + (!m_open.empty() && m_open.back()->is_array() ? kInList : 0)))
        return nullptr;
    if (m_open.empty()) {
        m_root = std::move(value);
        return &m_root;
    }
    Json& parent = *m_open.back();
    if (parent.is_array()) {
        parent.push_back(std::move(value));
        return &parent.back();
    }
    *m_slot = std::move(value);
    return m_slot;
}

bool JsonBuilder::open(Json value)
{
    if (value.is_array())
        listBegins(m_open.size());
    Json* const made = put(std::move(value));
    if (made != nullptr)
        m_open.push_back(made);
    return made != nullptr;
}

bool JsonBuilder::key(string_t& name)
{
    if (!charge(kEntry + bytesOf(name)))
        return false;
    auto& object = m_open.back()->get_ref<Json::object_t&>();
    const auto [entry, added] = object.try_emplace(std::move(name));
    m_slot = &entry->second;
    return keyRead(entry->first, m_open.size(), !added);
}

bool JsonBuilder::end_object()
{
    const Json* const value = m_open.back();
    m_open.pop_back();
    if (!keeps(*value, m_open.size()) && !m_open.empty() && m_open.back()->is_array())
        m_open.back()->get_ref<Json::array_t&>().pop_back();
    return true;
}

bool JsonBuilder::end_array()
{
    m_open.pop_back();
    return true;
}

bool JsonBuilder::parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error)
{
    m_errorByte = position;
    m_errorText = error.what();
    return false;
}

} // namespace fabricscope
