#include "core/trace/groupresolver.h"

#include "core/base/index.h"
#include "core/base/jsontext.h"
#include "core/base/stop.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace fabricscope {

namespace {

using Json = nlohmann::json;

/// Groups of a table such as ['[{"pg_name": "1", "ranks": [0, 1]}]']: Python text around JSON (manual: formats 3.3).
std::optional<std::vector<CommGroup>> parseTable(std::string_view text)
{
    const auto begin = text.find("[{");
    const auto end = text.rfind("}]");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        return text.find('{') == std::string_view::npos ? std::optional(std::vector<CommGroup>{}) : std::nullopt;
    const std::string_view list = text.substr(begin, end + 2 - begin);
    if (!checkJsonLevels(list, {}))
        return std::nullopt;
    const Json table = Json::parse(list.begin(), list.end(), nullptr, false);
    if (!table.is_array())
        return std::nullopt;
    std::vector<CommGroup> groups;
    for (const Json& entry : table) {
        const auto name = entry.is_object() ? entry.find("pg_name") : entry.end();
        if (!entry.is_object() || name == entry.end() || !entry.contains("ranks") || !entry["ranks"].is_array())
            return std::nullopt;
        CommGroup group;
        if (name->is_string())
            group.id = name->get<std::string>();
        else if (name->is_number_integer())
            group.id = std::to_string(name->get<std::int64_t>());
        else
            return std::nullopt;
        for (const Json& rank : entry["ranks"]) {
            if (!rank.is_number_integer())
                return std::nullopt;
            group.ranks.push_back(rank.get<std::int64_t>());
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace

GroupResolver::GroupResolver(const TraceSet& traces, const CommGroups& groups, const std::stop_token& stop) : m_rankCount(traces.rankCount())
{
    m_groups.emplace_back();
    m_sorted.emplace_back();
    for (const CommGroup& group : groups.groups)
        m_file.emplace(group.id, add(group));

    std::map<std::string, std::optional<std::vector<CommGroup>>, std::less<>> parsed;
    std::int64_t unreadable = 0;
    Place first;
    for (std::int64_t rank = 0; rank < traces.rankCount(); ++rank) {
        checkStop(stop);
        const RankTrace& trace = traces.rank(rank);
        if (trace.groupTables().empty() || m_tables.contains(&trace))
            continue;
        auto& table = m_tables[&trace];
        for (const auto& [node, text] : trace.groupTables()) {
            checkStop(stop);
            auto known = parsed.find(text);
            if (known == parsed.end())
                known = parsed.emplace(text, parseTable(text)).first;
            if (!known->second) {
                if (unreadable++ == 0)
                    first = traces.place(rank, node);
                continue;
            }
            for (const CommGroup& group : *known->second)
                table[group.id] = group.ranks.empty() ? kWorld : add(group);
        }
    }
    // The trace's own table goes before the file.
    const auto usesFile = [&](const RankTrace& trace) {
        const auto table = m_tables.find(&trace);
        return std::any_of(trace.groupNames().begin(), trace.groupNames().end(),
                           [&](const std::string& name) { return m_file.contains(name) && (table == m_tables.end() || !table->second.contains(name)); });
    };
    bool used = groups.groups.empty();
    for (std::int64_t rank = 0; rank < traces.rankCount() && !used; ++rank) {
        checkStop(stop);
        used = usesFile(traces.rank(rank));
    }
    if (!used)
        m_diagnostics.push_back(note("groups-unused", "no collective runs in a group of this file", Place{groups.file, 0, 0, -1, {}, -1, -1, false}));
    if (unreadable > 0)
        m_diagnostics.push_back(warning("group-table", "a METADATA node's inputs are no table of process groups; ignored (" + std::to_string(unreadable) + " nodes)", first));
}

int GroupResolver::add(CommGroup group)
{
    const auto [place, added] = m_index.try_emplace({group.id, group.ranks}, static_cast<int>(m_groups.size()));
    if (added) {
        std::vector<std::int64_t> sorted = group.ranks;
        std::sort(sorted.begin(), sorted.end());
        m_sorted.push_back(std::move(sorted));
        m_groups.push_back(std::move(group));
    }
    return place->second;
}

int GroupResolver::resolve(const RankTrace& trace, std::string_view name) const
{
    if (const auto table = m_tables.find(&trace); table != m_tables.end()) {
        if (const auto found = table->second.find(name); found != table->second.end())
            return found->second;
    }
    if (const auto found = m_file.find(name); found != m_file.end())
        return found->second;
    return name.empty() || name == "0" ? kWorld : kUnknown;
}

bool GroupResolver::isMember(int group, std::int64_t rank) const
{
    if (group == kWorld)
        return true;
    const auto& sorted = m_sorted[at(group)];
    return std::binary_search(sorted.begin(), sorted.end(), rank);
}

} // namespace fabricscope
