#pragma once

#include "core/yaml/cost.h"
#include "core/yaml/tree.h"

#include <yaml-cpp/eventhandler.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string_view>
#include <vector>

namespace fabricscope {

/// What is said of a key that is a collection or an alias.
inline constexpr const char* kKeyNotPlain = "a key must be plain text";

/// Makes the tree of one document from the events of yaml-cpp. Throws YamlRefusal for what a YamlDocument does not take: a second document,
/// keys that are no plain text or stand twice, deep nesting, aliases that expand too far, and a tree that costs too much.
class YamlBuilder : public YAML::EventHandler {
public:
    /// Looks at `stop` for every value and throws StopRequested.
    explicit YamlBuilder(YamlCost& cost, std::stop_token stop = {}) : m_cost(cost), m_stop(std::move(stop)) {}

    /// The collection that is not complete and holds no other such one; null: there is none.
    const YamlNode* innermostOpen() const { return m_open.empty() ? nullptr : &m_open.back().node; }

    YamlNode root;
    std::set<std::size_t> aliased; ///< Anchors that an alias names.

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value style) override;
    void OnMapEnd() override { close(); }

private:
    /// A collection that is not complete. Its children wait in m_items or m_entries, from firstItem or firstEntry on.
    struct Frame {
        YamlNode node;
        bool haveKey = false;
        YamlEntry entry;
        std::set<std::string_view> keys; ///< Of the entries that wait.
        std::size_t firstItem = 0;
        std::size_t firstEntry = 0;
        std::uint32_t children = 0;
        std::size_t firstNode = 0; ///< Running numbers, to know the size of an anchored part.
        std::size_t firstText = 0;
    };
    /// A copy of every anchored collection would cost depth times size: only where it stands is kept.
    struct Anchor {
        std::unique_ptr<YamlNode> value; ///< Of a scalar or null, which may be a key.
        std::vector<std::uint32_t> path; ///< Of a collection: which child, from the root on.
        std::size_t nodes = 1;
        std::size_t text = 0;
    };

    YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, std::size_t anchor);
    void open(YamlNode node, const YAML::Mark& mark, YAML::EmitterStyle::value style);
    void close();
    void add(YamlNode node);
    void addKey(Frame& frame, YamlNode node);
    void remember(const YamlNode& node);
    const YamlNode& at(const std::vector<std::uint32_t>& path) const;

    YamlCost& m_cost;
    std::stop_token m_stop;
    std::vector<Frame> m_open;
    std::deque<YamlNode> m_items;
    std::deque<YamlEntry> m_entries;
    std::map<std::size_t, Anchor> m_anchors;
    std::size_t m_nodes = 0;
    std::size_t m_text = 0; ///< Bytes of texts on the heap.
    std::size_t m_expanded = 0;
    int m_documents = 0;
};

} // namespace fabricscope
