#pragma once

#include "core/design/edits/graphedits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What copies are is in partcopies.cpp, edits of them in copyedits.cpp.

namespace fabricscope {

/// A blueprint of a graph drawn by hand: an item of `platform.copies`. `{of: host, count: 4}` says that the nodes host0.X, host1.X, host2.X and host3.X are the part X
/// of four copies of one thing, so that an edit of one is made in all. All of them stand among the nodes; it decides no result.
struct PartCopies {
    static constexpr std::int32_t kMost = 4096;
    std::string of;
    std::int32_t count = 1;
    friend bool operator==(const PartCopies&, const PartCopies&) = default;
};
/// Why a blueprint cannot be called that; empty: it can. A name begins with a letter, ends with no digit, and has no . > < # * or blank in it.
std::string wrongBlueprintName(const std::string& name);
/// Blueprints that the text has without errors, in its order; of two with one name the first. Numbers below are those of this list.
std::vector<PartCopies> partCopies(const YamlDocument& yaml);

/// Blueprints that the names of a graph speak of: NAME0.X, NAME1.X, ... from 0 on without a gap, two or more, all with the same parts and as many links. By name. A fabric
/// that was generated names its units and hosts like that. O((nodes + links) log of them).
std::vector<PartCopies> copiesByName(const GraphText& graph);

/// Which nodes and links of a graph are one part of different copies.
class CopiedParts {
public:
    struct Place {
        std::size_t blueprint = 0;
        std::int32_t copy = 0;
        std::string part; ///< What its name says behind the dot.
    };

    CopiedParts() = default;
    /// O((nodes + links) log of them).
    CopiedParts(const GraphText& graph, std::vector<PartCopies> blueprints);

    bool isEmpty() const { return m_blueprints.empty(); }
    const std::vector<PartCopies>& blueprints() const { return m_blueprints; }
    /// Absent: it is part of no copy.
    const std::optional<Place>& placeOf(std::size_t node) const { return m_places[node]; }
    /// Of a link inside of one copy, or from one to what is in none; of any other it is absent.
    std::optional<Place> placeOfLink(std::size_t link) const;
    /// Where a name would stand; absent: in no copy.
    std::optional<Place> placeOfName(const std::string& name) const;
    std::string nameOf(std::size_t blueprint, std::int32_t copy, const std::string& part) const;
    /// The node of this name in a copy; absent: this copy has none.
    std::optional<std::size_t> node(std::size_t blueprint, std::int32_t copy, const std::string& part) const;
    /// Nodes of one copy, ascending. O(parts of the blueprint).
    std::vector<std::size_t> nodesOf(std::size_t blueprint, std::int32_t copy) const;
    /// The same part in every copy that has it, itself too.
    std::vector<std::size_t> alike(std::size_t node) const;
    std::vector<std::size_t> alikeLinks(std::size_t link) const;
    /// All that are alike to one of these, but those of copies that are among them as a whole: these mean themselves.
    std::set<std::size_t> alikeAll(const std::set<std::size_t>& nodes) const;
    /// Copies all of whose nodes are among these.
    std::set<std::pair<std::size_t, std::int32_t>> wholeCopies(const std::set<std::size_t>& nodes) const;
    /// Links as they would be in every copy: those inside of one copy, or from one to what is in none, once for each copy that has their ends; others as they are.
    std::vector<GraphText::Link> inEveryCopy(const GraphText& graph, const std::vector<GraphText::Link>& links) const;

private:
    /// Blueprint, ends with those of the copy by their part, and which of those side by side.
    using LinkKey = std::tuple<std::size_t, std::string, std::string, std::int32_t>;
    struct Ends {
        std::size_t blueprint = 0;
        std::int32_t copy = 0;
        std::string from;
        std::string to;
    };
    std::optional<Ends> endsOf(const GraphText::Link& link) const;

    std::vector<PartCopies> m_blueprints;
    std::vector<std::optional<Place>> m_places;                                                ///< By node,
    std::vector<std::optional<std::pair<LinkKey, std::int32_t>>> m_links;                      ///< and by link, with the copy.
    std::vector<std::map<std::string, std::map<std::int32_t, std::size_t>>> m_parts;           ///< By blueprint and part: its nodes by copy.
    std::map<LinkKey, std::map<std::int32_t, std::size_t>> m_alike;
};

namespace edits {

// Each is one change of the document: whole or not at all. Errors: Unsupported, where the text is written in a way that cannot be spliced.

/// Makes nodes the only copy of a blueprint, by their names. What names them elsewhere follows. Error: they are in a copy already; the name will not do, or is taken.
Status groupParts(YamlDocument& yaml, std::span<const std::size_t> nodes, const std::string& of, const NodePlaces& places = {});
/// Says of a graph that copies which its names speak of are such (copiesByName()). \pre it has no `copies` yet
Status noteCopies(YamlDocument& yaml);
/// Copies are just nodes from now on.
Status ungroupParts(YamlDocument& yaml, std::size_t blueprint);
/// How many copies there are. New ones are as the first, joined as it is, moved from it by `shifts`, one for each new copy; the last go. Error: not 1 to PartCopies::kMost.
Status setCopies(YamlDocument& yaml, std::size_t blueprint, std::int32_t count, std::span<const DrawnAt> shifts, const std::vector<DrawnAt>& drawn = {});
/// Error: as groupParts().
Status renameBlueprint(YamlDocument& yaml, std::size_t blueprint, const std::string& of);
/// Takes parts out of every copy; of a copy all of whose parts are named the copy goes, and those behind it have a lower number.
Status removeParts(YamlDocument& yaml, std::span<const std::size_t> nodes, std::span<const std::size_t> links, const NodePlaces& places = {});
/// Names parts, in every copy; a name is what stands behind the dot, or the whole.
Status renameParts(YamlDocument& yaml, std::span<const std::pair<std::size_t, std::string>> names);
/// Adds nodes and links to every copy; places are those of copy `copy`. What cannot be joined in a copy is left out there. `drawn`: where nodes without a place are.
Status addToCopies(YamlDocument& yaml, std::size_t blueprint, std::int32_t copy, const GraphItems& items, const NodePlaces& places, const std::vector<DrawnAt>& drawn);

} // namespace edits

} // namespace fabricscope
