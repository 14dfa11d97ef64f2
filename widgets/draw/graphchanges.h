#pragma once

#include "core/platform/platform.h"
#include "widgets/draw/graphpicture.h"

#include <QStringList>

#include <map>
#include <set>
#include <vector>

namespace fabricscope {

/// What the overrides of a design change of the parts of its graph, by the numbers the text gives nodes and links.
class GraphChanges {
public:
    GraphChanges() = default;
    /// Empty where the platform was not read from this text. O(nodes + links).
    GraphChanges(const GraphText& graph, const Platform& platform);

    bool isEmpty() const { return m_links.empty() && m_npus.empty(); }
    bool hasLink(std::size_t link) const { return m_links.contains(link); }
    bool hasNpu(std::size_t node) const { return m_npus.contains(node); }
    bool hasBundle(const DrawnBundle& bundle) const;
    /// Ids in the platform of a link of the text: one, or one each way.
    std::vector<LinkId> idsOf(std::size_t link) const;

    /// "400 Gbit/s", or "400 Gbit/s, overridden to 40 Gbit/s", and from where to where unless both ways are alike. `measure`: rate or latency.
    QString figure(const GraphText& graph, std::size_t link, Measure measure) const;
    /// What else is said of a link: that it is removed.
    QString removal(const GraphText& graph, std::size_t link) const;
    /// "Speed overridden to 0.5", ...
    QStringList npuTexts(std::size_t node) const;

private:
    const LinkOverride* changeOf(std::size_t link, bool back) const;

    std::vector<LinkId> m_first;                        ///< By link of the text, and the number of all.
    std::map<std::size_t, std::vector<LinkOverride>> m_links;
    std::map<std::size_t, NpuOverride> m_npus;
};

namespace edits {

/// Takes the overrides out that are of these links and NPUs, whatever they name them by. Error: one is of others too (Unsupported).
/// O(overrides * (nodes + links)), as reading them.
Status resetParts(YamlDocument& yaml, const Platform& platform, const std::set<LinkId>& links, const std::set<NodeId>& npus);

} // namespace edits

/// A figure of a link as people read it; as it is written where it is none.
QString writtenFigure(const std::string& written, Measure measure);

} // namespace fabricscope
