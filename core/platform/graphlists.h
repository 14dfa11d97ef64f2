#pragma once

#include "core/base/quantity.h"
#include "core/platform/dimension.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricscope {

/// NPU index 0..npuCount-1, then switches of explicit graphs. Not a rank: see Placement.
using NodeId = std::int32_t;

/// Dense number of a directed link, 0..linkCount-1. Computed, never stored:
/// dimension by dimension, node-major, port-minor; then the explicit links in the order listed.
using LinkId = std::int64_t;

enum class NodeKind : std::uint8_t { Npu, Switch, Memory };

/// A node of an explicit graph.
struct ExplicitNode {
    std::string name;
    NodeKind kind = NodeKind::Npu;
    std::optional<SwitchOffload> offload{}; ///< Switches only.
    bool forwards = true; ///< NPUs: whether they may pass on what is not for them; false: never.
    std::optional<Quantity> crossbar{}; ///< Switches only: bytes that may pass through per second, all ports together (manual: models 3.4); absent: any number.
    friend bool operator==(const ExplicitNode&, const ExplicitNode&) = default;
};

/// A directed link of an explicit graph. A bidirectional one in a file is two of these.
struct ExplicitLink {
    NodeId from = 0;
    NodeId to = 0;
    Quantity bandwidth{0, "B/s", Measure::Bandwidth};
    Quantity latency{0, "ns", Measure::Time};
    friend bool operator==(const ExplicitLink&, const ExplicitLink&) = default;
};

/// Goes through a list that makes its entries when they are looked at: `*` gives a value.
template <typename List>
class ListIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = typename List::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    ListIterator() = default;
    ListIterator(const List& list, std::size_t index) : m_list(&list), m_index(index) {}
    value_type operator*() const { return (*m_list)[m_index]; }
    ListIterator& operator++()
    {
        ++m_index;
        return *this;
    }
    ListIterator operator++(int)
    {
        ListIterator before = *this;
        ++m_index;
        return before;
    }
    friend bool operator==(const ListIterator& a, const ListIterator& b) { return a.m_index == b.m_index; }

private:
    const List* m_list = nullptr;
    std::size_t m_index = 0;
};

/// The nodes of a graph in order, counted by what they are: a generated fabric is one run of NPUs and one of switches, whose names are made when somebody asks.
/// A plain value; copies share what they hold until one of them changes.
class NodeList {
public:
    using value_type = ExplicitNode;
    using const_iterator = ListIterator<NodeList>;
    /// The name of a node by its number, always the same. Called from several threads.
    using Namer = std::function<std::string(NodeId)>;

    NodeList() = default;
    NodeList(std::initializer_list<ExplicitNode> nodes) : NodeList(std::span(nodes.begin(), nodes.size())) {}
    explicit NodeList(std::span<const ExplicitNode> nodes);
    /// NPUs, then switches. O(1).
    static NodeList generated(std::int64_t npus, std::int64_t switches, bool npusForward, Namer namer);

    std::size_t size() const { return m_shared ? m_shared->size : 0; }
    bool empty() const { return size() == 0; }
    /// O(length of the name, log runs). Who needs one member of many nodes asks for that alone.
    const ExplicitNode operator[](std::size_t node) const;
    std::string name(std::size_t node) const;
    NodeKind kind(std::size_t node) const { return runOf(node).kind; } ///< O(log runs), as forwards().
    bool forwards(std::size_t node) const { return runOf(node).forwards; }
    const SwitchOffload* offload(std::size_t node) const; ///< Null: it has none. O(log of those that have).
    /// Nodes that reduce or copy, by number.
    const std::map<std::size_t, SwitchOffload>& offloads() const;
    /// What nodes with a crossbar limit pass on per second, by number.
    const std::map<std::size_t, Quantity>& crossbars() const;
    std::int64_t count(NodeKind kind) const; ///< O(runs).
    bool allForward() const;                 ///< O(runs).
    /// Their names are those that a generator makes: there, and all different.
    bool hasGeneratedNames() const { return m_shared && m_shared->namer; }
    const_iterator begin() const { return {*this, 0}; }
    const_iterator end() const { return {*this, size()}; }

    void push_back(ExplicitNode node);
    void reserve(std::size_t nodes);
    void clear() { m_shared.reset(); }
    friend bool operator==(const NodeList& a, const NodeList& b);

private:
    /// Nodes that follow one another and are alike.
    struct Run {
        std::size_t end = 0; ///< The node behind the last.
        NodeKind kind = NodeKind::Npu;
        bool forwards = true;
        friend bool operator==(const Run&, const Run&) = default;
    };
    struct Shared {
        std::size_t size = 0;
        std::vector<Run> runs;
        std::map<std::size_t, SwitchOffload> offloads;
        std::map<std::size_t, Quantity> crossbars;
        std::vector<std::string> names; ///< Of all; empty: the namer makes them.
        Namer namer;
    };
    const Run& runOf(std::size_t node) const;
    /// To be changed: its own, with all names.
    Shared& own();

    std::shared_ptr<Shared> m_shared; ///< Null: no nodes.
};

/// The links of a graph in order. What they are like is counted: links with the same figures share them, so that one takes 12 bytes.
/// A plain value; copies share what they hold until one of them changes.
class LinkList {
public:
    using value_type = ExplicitLink;
    using const_iterator = ListIterator<LinkList>;
    struct Figures {
        Quantity bandwidth{0, "B/s", Measure::Bandwidth};
        Quantity latency{0, "ns", Measure::Time};
        friend bool operator==(const Figures&, const Figures&) = default;
    };

    LinkList() = default;
    LinkList(std::initializer_list<ExplicitLink> links) : LinkList(std::span(links.begin(), links.size())) {}
    explicit LinkList(std::span<const ExplicitLink> links);

    std::size_t size() const { return m_shared ? m_shared->from.size() : 0; }
    bool empty() const { return size() == 0; }
    const ExplicitLink operator[](std::size_t link) const;
    NodeId from(std::size_t link) const { return m_shared->from[link]; }
    NodeId to(std::size_t link) const { return m_shared->to[link]; }
    /// Which of figures() a link has. Those of far fewer than kMostSought kinds are listed once; else equal ones may be listed again.
    std::uint32_t figuresOf(std::size_t link) const { return m_shared->kind[link]; }
    std::span<const Figures> figures() const;
    /// By link. They hold as long as this, or a copy, is there and unchanged.
    std::span<const NodeId> from() const;
    std::span<const NodeId> to() const;
    const_iterator begin() const { return {*this, 0}; }
    const_iterator end() const { return {*this, size()}; }

    /// Number of figures for add(). O(kinds of figures), at most kMostSought.
    std::uint32_t kindOf(const Figures& figures);
    void add(NodeId from, NodeId to, std::uint32_t kind);
    void push_back(const ExplicitLink& link);
    void reserve(std::size_t links);
    void clear() { m_shared.reset(); }
    friend bool operator==(const LinkList& a, const LinkList& b);

    static constexpr std::size_t kMostSought = 64;

private:
    struct Shared {
        std::vector<NodeId> from;
        std::vector<NodeId> to;
        std::vector<std::uint32_t> kind;
        std::vector<Figures> figures;
    };
    Shared& own();

    std::shared_ptr<Shared> m_shared; ///< Null: no links.
};

} // namespace fabricscope
