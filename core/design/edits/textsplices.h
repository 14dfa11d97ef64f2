#pragma once

#include "core/yaml/tree.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricscope {

// Looking into lists and mappings of a document. Nothing, where there is no such thing.
std::span<const YamlNode> itemsAt(const YamlDocument& yaml, const YamlPath& list);
YamlPath itemOf(const YamlPath& list, std::size_t number);
std::string textOf(const YamlNode& map, std::string_view key);
/// Names of the ends of a link of a graph, by "between" or by "from" and "to"; empty where it says none.
std::pair<std::string, std::string> linkEnds(const YamlNode& link);

/// Several edits of one YAML text that are read back once: each is a splice of the text and the same change of a tree. What the new text says must be
/// that tree, else nothing happens. For edits of many items, each of which alone would read the whole text again. Keeps comments and line ends.
class TextSplices {
public:
    /// Offsets are those of `yaml`, which stays as it is until commit().
    explicit TextSplices(const YamlDocument& yaml) : m_yaml(yaml), m_expected(yaml.root()) {}

    /// Sets the value of a key of a mapping, an item of a list below `path`. \pre it is a mapping
    void setKey(const YamlPath& path, const std::string& key, const YamlNode& value);
    /// Is the text written in a way that setKey() suits?
    bool canSetKey(const YamlPath& path, const std::string& key) const;
    /// Exchanges a value that is there, by key or as an item of a list.
    void setScalar(const YamlPath& path, const std::string& value);
    /// Adds items behind item `index` - 1 of the list at `path`; a list that is missing, or [], becomes one with a line for each, or one in [] inside of {}.
    void addItems(const YamlPath& path, std::size_t index, std::span<const YamlNode> items);
    /// Takes items out; `numbers` ascending. The last leaves [].
    void removeItems(const YamlPath& path, std::span<const std::size_t> numbers);

    /// \pre at most one setKey() or setScalar() of a place, one addItems() or removeItems() of a list, and neither of the two in what is taken out.
    /// Error: Unsupported, where the text is written in a way that the splices do not suit, or is shared through an anchor.
    Status commit(YamlDocument& yaml);

private:
    void splice(std::size_t begin, std::size_t end, std::string text) { m_splices.push_back({begin, end, std::move(text)}); }
    YamlNode* expected(const YamlPath& path);
    std::size_t lineStart(std::size_t offset) const;
    std::size_t lineEnd(std::size_t offset) const; ///< Its line break.
    std::string newline() const;
    std::string indentOf(std::size_t offset) const;

    struct Splice {
        std::size_t begin;
        std::size_t end;
        std::string text;
    };
    struct Removal {
        YamlPath path;
        std::vector<std::size_t> numbers;
    };
    const YamlDocument& m_yaml;
    YamlNode m_expected;
    std::vector<Splice> m_splices;
    std::vector<Removal> m_removals; ///< From the tree only at the end: numbers of items are those of the text.
    bool m_possible = true;
};

} // namespace fabricscope
