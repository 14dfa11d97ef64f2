#pragma once

#include "core/platform/platform.h"
#include "core/yaml/tree.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Where a node is drawn: its middle, in whole pixels at a zoom of 100 %, y downwards.
struct DrawnAt {
    static constexpr std::int32_t kFarthest = 1'000'000;
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend bool operator==(const DrawnAt&, const DrawnAt&) = default;
};

/// What the text of a design says its fabric is.
enum class FabricText : std::uint8_t {
    None,  ///< Nothing yet, or an empty list of nodes.
    Graph, ///< Nodes and links.
    Other  ///< Dimensions, a line, levels, a preset, a file.
};
FabricText fabricText(const YamlDocument& yaml);

/// Nodes and links as the text has them, also where it has errors: numbers are those of the items of `platform.nodes` and `platform.links`.
struct GraphText {
    struct Node {
        std::string name;               ///< Empty: the item has none.
        NodeKind kind = NodeKind::Npu;
        std::optional<DrawnAt> at{};
        std::string crossbar{};         ///< As written; empty: none.
    };
    struct Link {
        std::string from;
        std::string to;
        bool eachWay = true;
        std::string bandwidth;          ///< As written; empty: none.
        std::string latency;
    };
    std::vector<Node> nodes;
    std::vector<Link> links;
};
/// Where an item of platform.nodes says it is drawn; absent: it does not, or not as a design may (two whole numbers up to DrawnAt::kFarthest).
std::optional<DrawnAt> drawnPlace(const YamlNode& item);
/// Empty where there are none. O(nodes + links).
GraphText graphText(const YamlDocument& yaml);

/// Number of the item of `platform.nodes`, and where it is drawn from now on.
using NodePlaces = std::vector<std::pair<std::size_t, DrawnAt>>;

/// What is to stand in lists of nodes and links: items as the file writes them.
struct GraphItems {
    std::vector<YamlNode> nodes;
    std::vector<YamlNode> links;
};
YamlNode nodeItem(const GraphText::Node& node);
YamlNode linkItem(const GraphText::Link& link);

/// `base` with the least number from 0 that makes it a name nobody has: "npu3". A number at the end of `base` is left out. O(names).
std::string freeNodeName(const std::string& base, std::span<const std::string> taken);

/// Copies of nodes (by number), with the links among them and, where `outside`, those to other nodes; names are new, places are moved by `shift`.
/// `drawn`: where nodes without a place are drawn, by number; may be empty.
GraphItems copiesOf(const YamlDocument& yaml, std::span<const std::size_t> nodes, bool outside, DrawnAt shift, const std::vector<DrawnAt>& drawn = {});
/// Nodes and the links among them as YAML that stands alone: nodes: [...] with links: [...].
std::string graphFragment(const YamlDocument& yaml, std::span<const std::size_t> nodes, const std::vector<DrawnAt>& drawn = {});
/// Such a text as items for this design: with names that are free, moved by `shift`. Error: no YAML, or no list of nodes in it.
Result<GraphItems> readFragment(const YamlDocument& yaml, const std::string& text, DrawnAt shift);

namespace edits {

// All of these are one splice of the document: whole or not at all. Errors: Unsupported, where the text is written in a way that cannot be spliced.

/// Adds nodes and links, and says where others are drawn, as far as their text lets it. NPUs come behind the last NPU, as the file wants them first. A design without a fabric gets one.
/// \pre fabricText() is not Other.
Status addToGraph(YamlDocument& yaml, const GraphItems& items, const NodePlaces& places = {});
/// Takes nodes out with their links, and links; says where others are drawn, as far as their text lets it. What is said of parts that are gone goes, but jobs and
/// ways of others; all else means the same parts as before (partnames.h). Error: Unsupported, too, with the place where that is impossible.
Status removeFromGraph(YamlDocument& yaml, std::span<const std::size_t> nodes, std::span<const std::size_t> links, const NodePlaces& places = {});
/// `others`: as far as their text lets it.
Status placeNodes(YamlDocument& yaml, const NodePlaces& places, const NodePlaces& others = {});
/// Figures of one item of `platform.links`, by its number; what is absent stays.
struct LinkFigures {
    std::size_t link = 0;
    std::optional<Quantity> bandwidth{};
    std::optional<Quantity> latency{};
};
/// \pre each item once
Status setLinkFigures(YamlDocument& yaml, std::span<const LinkFigures> figures);
/// The same figures for several. \pre numbers of items of `platform.links`
Status setLinkFigures(YamlDocument& yaml, std::span<const std::size_t> links, const std::optional<Quantity>& bandwidth, const std::optional<Quantity>& latency);
/// What nodes, by their numbers, pass on per second; absent: any number, so the key goes.
Status setCrossbars(YamlDocument& yaml, std::span<const std::size_t> nodes, const std::optional<Quantity>& crossbar);
/// Also wherever else the design names it. Error: the name is empty, another node has it, or it would read as names of links; Unsupported as above.
Status renameNode(YamlDocument& yaml, std::size_t node, const std::string& name);
/// Several at once, which may take names from one another. Errors: as renameNode(). O(text + names of parts in all of the design).
Status renameNodes(YamlDocument& yaml, std::span<const std::pair<std::size_t, std::string>> names);

// In replacefabric.cpp; what else the platform says stays.

/// Replaces the fabric, whatever it is, by nodes and links of the same machine: with what its NPUs have and its switches reduce, without overrides of links, which
/// have other names. Error: Unsupported, where nodes and links do not say it.
Status writeOutGraph(YamlDocument& yaml, const PlatformSpec& spec);
/// Replaces the fabric, whatever it is, by one in a line, without overrides, which name parts of the old one. Error: Usage, as fabricOfLine().
Status setFabricLine(YamlDocument& yaml, const std::string& line);
/// The same by a preset, with its own name and source. Error: there is none of this name.
Status setFabricPreset(YamlDocument& yaml, const std::string& name);

} // namespace edits

} // namespace fabricscope
