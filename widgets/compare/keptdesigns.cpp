// What the workspace Compare keeps for the next session, and takes back.
#include "widgets/compare/designsworkspace.h"
#include "widgets/compare/whypane.h"

#include <algorithm>

namespace fabricscope {

KeptComparison CompareWorkspace::kept() const
{
    KeptComparison all;
    const RunResultPtr base = baselineRun();
    for (const Entry& entry : m_entries) {
        if (entry.current)
            continue;
        DesignSource source = entry.source;
        if (source.name.isEmpty() && entry.run)
            source = sourceOf(entry.name, *entry.run);
        source.baseline = entry.run ? entry.run == base : source.baseline;
        all.designs.push_back(std::move(source));
    }
    all.designs.insert(all.designs.end(), m_runner->waitingDesigns().begin(), m_runner->waitingDesigns().end());
    all.choice = m_choice;
    return all;
}

void CompareWorkspace::restore(const KeptComparison& kept)
{
    const std::size_t taken = std::min(pinned() + m_runner->waiting(), DesignSet::kMost);
    const std::size_t room = std::min(kept.designs.size(), DesignSet::kMost - taken);
    m_baselineToCome = taken == 0;
    if (m_choice == WaterfallChoice())
        m_choice = kept.choice;
    m_why->setChoice(m_choice);
    m_runner->runDesigns({kept.designs.begin(), kept.designs.begin() + static_cast<std::ptrdiff_t>(room)});
}

} // namespace fabricscope
