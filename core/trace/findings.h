#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricscope {

/// Gathers findings, one per kind: a count, the first place in full and a few more in short. A kind is told from another by `rule`.
class Findings {
public:
    /// Counts one finding. `message` and `place` are functions, called only for the few that are shown.
    template <typename Message, typename PlaceOf>
    void add(Severity severity, const std::string& rule, Message&& message, PlaceOf&& place)
    {
        Entry& entry = slot(rule);
        if (entry.count++ == 0) {
            entry.severity = severity;
            entry.message = message();
            entry.place = place();
        } else {
            entry.severity = std::max(entry.severity, severity);
            if (entry.more.size() < kMore)
                entry.more.push_back(place());
        }
    }
    void add(Diagnostic diagnostic);
    bool empty() const { return m_entries.empty(); }
    bool hasErrors() const;
    /// How often a rule was counted.
    std::int64_t count(const std::string& rule) const;
    /// In the order in which the kinds first came up.
    Diagnostics take() const;
    /// The first error. \pre hasErrors()
    Error firstError() const;

private:
    static constexpr std::size_t kMore = 2;
    struct Entry {
        std::string rule;
        Severity severity = Severity::Note;
        std::int64_t count = 0;
        std::string message;
        std::string expected;
        Place place;
        std::vector<Place> more;
    };
    Entry& slot(const std::string& rule);
    static Diagnostic shown(const Entry& entry);

    std::map<std::string, std::size_t, std::less<>> m_index;
    std::vector<Entry> m_entries;
};

} // namespace fabricscope
