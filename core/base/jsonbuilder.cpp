#include "core/base/jsonbuilder.h"

#include "core/base/stop.h"

namespace fabricscope {

JsonBuilder::Json* JsonBuilder::put(Json value)
{
    checkStop(m_stop);
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
    m_open.push_back(put(std::move(value)));
    return true;
}

bool JsonBuilder::key(string_t& name)
{
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
