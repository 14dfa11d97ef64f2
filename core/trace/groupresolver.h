#pragma once

#include "core/base/index.h"
#include "core/trace/commgroups.h"
#include "core/trace/traceset.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fabricscope {

/// Which group a name means on which rank: the process-group tables in METADATA nodes go before the file, both before
/// the rule that "" and "0" are all ranks.
class GroupResolver {
public:
    static constexpr int kWorld = 0;
    static constexpr int kUnknown = -1;

    /// Reads the tables of every rank; tables that cannot be read become one warning. Told to stop: throws StopRequested (stop.h).
    GroupResolver(const TraceSet& traces, const CommGroups& groups, const std::stop_token& stop = {});

    /// Index into groups(), kWorld or kUnknown.
    int resolve(const RankTrace& trace, std::string_view name) const;
    /// Distinct groups by name and members; [0] stands for all ranks and lists none.
    const std::vector<CommGroup>& groups() const { return m_groups; }
    /// Members of a group: `rankCount` for the world.
    std::int64_t size(int group) const { return group == kWorld ? m_rankCount : static_cast<std::int64_t>(m_groups[at(group)].ranks.size()); }
    bool isMember(int group, std::int64_t rank) const;
    const Diagnostics& diagnostics() const { return m_diagnostics; }

private:
    int add(CommGroup group);

    std::int64_t m_rankCount = 0;
    std::vector<CommGroup> m_groups;
    std::vector<std::vector<std::int64_t>> m_sorted; // members for isMember
    std::map<std::pair<std::string, std::vector<std::int64_t>>, int> m_index;
    std::map<std::string, int, std::less<>> m_file;
    std::unordered_map<const RankTrace*, std::map<std::string, int, std::less<>>> m_tables;
    Diagnostics m_diagnostics;
};

} // namespace fabricscope
