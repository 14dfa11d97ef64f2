#include "core/trace/findings.h"

#include <algorithm>

namespace fabricscope {

Findings::Entry& Findings::slot(const std::string& rule)
{
    const auto [place, added] = m_index.try_emplace(rule, m_entries.size());
    if (added) {
        m_entries.emplace_back();
        m_entries.back().rule = rule;
    }
    return m_entries[place->second];
}

void Findings::add(Diagnostic diagnostic)
{
    const std::string rule = diagnostic.rule;
    Entry& entry = slot(rule);
    if (entry.count++ == 0) {
        entry.severity = diagnostic.severity;
        entry.message = std::move(diagnostic.message);
        entry.expected = std::move(diagnostic.expected);
        entry.place = std::move(diagnostic.place);
    } else {
        entry.severity = std::max(entry.severity, diagnostic.severity);
        if (entry.more.size() < kMore)
            entry.more.push_back(std::move(diagnostic.place));
    }
}

bool Findings::hasErrors() const
{
    return std::any_of(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.severity == Severity::Error; });
}

std::int64_t Findings::count(const std::string& rule) const
{
    const auto found = m_index.find(rule);
    return found == m_index.end() ? 0 : m_entries[found->second].count;
}

Diagnostic Findings::shown(const Entry& entry)
{
    Diagnostic out{entry.severity, entry.rule, entry.message, entry.place, entry.expected};
    if (entry.count < 2)
        return out;
    out.message += "; " + std::to_string(entry.count) + " of this kind";
    std::string places;
    for (const Place& place : entry.more) {
        Place brief = place;
        if (brief.file == entry.place.file || brief.rank >= 0)
            brief.file.clear();
        if (const std::string text = brief.text(); !text.empty())
            places += (places.empty() ? ", also " : "; ") + text;
    }
    out.message += places;
    return out;
}

Diagnostics Findings::take() const
{
    Diagnostics all;
    for (const Entry& entry : m_entries)
        all.push_back(shown(entry));
    return all;
}

Error Findings::firstError() const
{
    for (const Entry& entry : m_entries) {
        if (entry.severity == Severity::Error)
            return toError(shown(entry));
    }
    return {ErrorCode::Internal, "no error found", {}, {}};
}

} // namespace fabricscope
