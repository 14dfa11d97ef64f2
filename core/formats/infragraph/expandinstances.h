#pragma once

#include "core/formats/infragraph/infragraph.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// A link type as some rule uses it.
struct InfraLinkUse {
    std::string name;
    std::int32_t device = -1;        ///< Whose list it is from; -1: the infrastructure's.
    const InfraLink* link = nullptr; ///< Null: no such link is declared.
};

/// An undirected edge, a < b. At most one between two nodes: of rules that meet, the last gives the name, and the last with a number
/// the number.
struct InfraEdge {
    std::int32_t a = 0;
    std::int32_t b = 0;
    std::int32_t link = 0;       ///< Into InfraExpansion::links().
    std::int32_t bandwidth = -1; ///< The use whose bandwidth counts; -1: none has one.
    std::int32_t latency = -1;
    std::int32_t instanceRule = -1; ///< Number of the rule between instances that made it; -1: a rule of a device.
};

/// What a device holds when its nested devices are unfolded.
struct InfraLeaf {
    std::string path;             ///< "card.3.asic.0", relative to the copy.
    std::int32_t device = 0;      ///< That owns the component.
    std::int32_t component = 0;
    std::int32_t nested = -1;     ///< Running number, in the copy, of the outermost nested device around it that holds no accelerator; -1: none.
    std::size_t nestedLength = 0; ///< How much of `path` names that nested device.
};

/// The graph a document stands for. Nodes are numbered instance by instance, copy by copy, in the order of the components; their names
/// are made when asked for. Keeps a pointer to the document.
class InfraExpansion {
public:
    std::int32_t nodeCount() const { return m_nodes; }
    std::span<const InfraEdge> edges() const { return m_edges; } ///< Ascending by (a, b).
    std::span<const InfraLinkUse> links() const { return m_links; }

    /// `<instance>.<i>.<component>.<k>`, with one more pair per nested device.
    std::string name(std::int32_t node) const;
    /// The node of that name; -1: none. O(log instances + parts of the device).
    std::int32_t find(std::string_view name) const;
    std::int32_t instanceOf(std::int32_t node) const;
    std::int32_t copyOf(std::int32_t node) const;
    const InfraLeaf& leaf(std::int32_t node) const;
    const InfraComponent& component(std::int32_t node) const;
    /// First node of a copy of an instance, and nodes of one copy.
    std::int32_t firstNode(std::int32_t instance, std::int32_t copy) const;
    std::int32_t copyLength(std::int32_t instance) const;

private:
    friend class InfraExpander;
    const InfraDocument* m_document = nullptr;
    std::vector<std::vector<InfraLeaf>> m_leaves; // by device
    std::vector<std::int32_t> m_instanceDevice;
    std::vector<std::int32_t> m_instanceFirst; // and one behind the last
    std::vector<InfraLinkUse> m_links;
    std::vector<InfraEdge> m_edges;
    std::int32_t m_nodes = 0;
};

/// Expands a document. Errors are those of the strict checks that keep it from being expanded (first one). `document` must outlive the
/// result. Told to stop: Cancelled. O(nodes + edges log edges).
Result<InfraExpansion> expandInfraGraph(const InfraDocument& document, const std::stop_token& stop = {});
Result<InfraExpansion> expandInfraGraph(InfraDocument&& document, const std::stop_token& stop = {}) = delete;

/// Numbers of nodes and edges (before those between the same nodes are joined), found without expanding; both stop at INT64_MAX.
/// \pre no nested device is unknown or holds itself, and every rule resolves. Told to stop: throws StopRequested (stop.h).
struct InfraSize {
    std::int64_t nodes = 0;
    std::int64_t edges = 0;
};
InfraSize infraSize(const InfraDocument& document, const std::stop_token& stop = {});

} // namespace fabricscope
