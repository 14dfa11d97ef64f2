#pragma once

#include "core/base/error.h"

#include <map>
#include <string>

namespace fabricscope {

/// Findings of one file, at most `kMost` of each rule, so that a broken file of a million steps gives no million messages.
class FindingsList {
public:
    static constexpr int kMost = 100;

    void add(Severity severity, const std::string& rule, std::string message, Place place, std::string expected = {})
    {
        m_errors = m_errors || severity == Severity::Error;
        if (++m_count[rule] <= kMost)
            m_found.push_back({severity, rule, std::move(message), std::move(place), std::move(expected)});
    }
    bool hasErrors() const { return m_errors; }

    /// The findings, with a note for each rule that has more. The list is empty afterwards.
    Diagnostics take()
    {
        for (const auto& [rule, count] : m_count) {
            if (count > kMost)
                m_found.push_back(note(rule, "and " + std::to_string(count - kMost) + " more of this kind"));
        }
        m_count.clear();
        return std::move(m_found);
    }

private:
    Diagnostics m_found;
    std::map<std::string, std::int64_t> m_count;
    bool m_errors = false;
};

} // namespace fabricscope
