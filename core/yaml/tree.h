#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

struct YamlEntry;

/// One value of a YAML document with its place in the text. A plain value: the tree of a document may be copied.
struct YamlNode {
    enum class Kind : std::uint8_t { Null, Scalar, Sequence, Map };

    // In the source file, where YamlEntry is complete.
    YamlNode();
    YamlNode(const YamlNode& other);
    YamlNode(YamlNode&& other) noexcept;
    YamlNode& operator=(const YamlNode& other);
    YamlNode& operator=(YamlNode&& other) noexcept;
    ~YamlNode();

    Kind kind = Kind::Null;
    bool quoted = false; ///< Scalar in quotes or in block form: never a null, a number only for those who insist.
    bool flow = false;   ///< Collection in [] or {}; else in block form.
    bool shared = false; ///< Reached through an alias, or an anchor some alias names.
    int line = 0;        ///< 1-based; 0: not from the text.
    int column = 0;      ///< 1-based, in bytes.
    std::string text;    ///< Scalar only.
    std::string origin;  ///< Where it came from instead of the text ("--set PATH"); empty: the text.
    std::vector<YamlNode> items;    ///< Sequence only.
    std::vector<YamlEntry> entries; ///< Map only, in the order written.

    // Byte offsets into the text; meaningful while the document can be edited.
    std::size_t begin = 0;      ///< With anchor and tag.
    std::size_t valueBegin = 0; ///< Without them.
    std::size_t end = 0;        ///< Behind the last byte; comments are not part of a value.
    std::size_t marker = 0;     ///< Item of a block sequence: its dash.
    std::size_t anchor = 0;     ///< Number of its anchor; 0: none.

    bool isNull() const { return kind == Kind::Null; }
    bool isScalar() const { return kind == Kind::Scalar; }
    bool isSequence() const { return kind == Kind::Sequence; }
    bool isMap() const { return kind == Kind::Map; }
    const YamlEntry* find(std::string_view key) const;
    YamlEntry* find(std::string_view key);
    /// Adds an entry at the end. \pre a map without this key
    void add(std::string key, YamlNode value);
    /// Exchanges the value of a key, or adds it at the end. \pre a map
    void set(std::string key, YamlNode value);

    static YamlNode scalar(std::string text);
    static YamlNode sequence(std::vector<YamlNode> items = {});
    static YamlNode map();
};

struct YamlEntry {
    std::string key;
    int line = 0;
    int column = 0;
    std::size_t keyBegin = 0;
    std::size_t keyEnd = 0;
    std::size_t colon = 0; ///< Offset of ':'; the key's end where a flow map names only a key.
    YamlNode value;
};

/// Where a node of the text of `file` stands: what came from elsewhere has its origin and no line.
Place placeOfNode(const YamlNode& node, const std::string& file, std::string field = {});

/// Same kinds, texts, keys and order; places and style do not count.
bool sameContent(const YamlNode& a, const YamlNode& b);

/// Steps from the root: keys and item numbers.
using YamlPath = std::vector<std::string>;

/// "platform.dimensions.0.bandwidth" or "platform.dimensions[0].bandwidth".
Result<YamlPath> parseYamlPath(std::string_view path);
/// "platform.dimensions[0].bandwidth", the form of Place::field.
std::string yamlPathText(const YamlPath& path);

/// The value as one line of YAML, quoted where needed; `inFlow`: it stands inside [] or {}. Told to stop: throws StopRequested (stop.h).
std::string renderYaml(const YamlNode& node, bool inFlow, const std::stop_token& stop = {});

/// A YAML text together with its tree. Edits are splices: every byte outside the edited value stays, with comments, order,
/// unknown keys and line ends. An edit either does exactly what it says (checked by reading the result back) or changes nothing.
/// Copies share the tree; an overlay makes its own of one that is shared.
class YamlDocument {
public:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    static constexpr int kMaxDepth = 64;
    static constexpr std::size_t kMaxAliasNodes = 100'000; ///< Nodes made by expanding aliases.

    /// Refuses broken YAML, duplicate keys, keys that are not plain text, several documents, control characters,
    /// nesting beyond kMaxDepth, and aliases that expand to more than kMaxAliasNodes. O(bytes) plus aliases. Told to stop: Cancelled.
    static Result<YamlDocument> parse(std::string text, std::string file = {}, const std::stop_token& stop = {});

    const YamlNode& root() const { return *m_root; }
    /// The tree, for those who need it longer than the document.
    std::shared_ptr<const YamlNode> sharedRoot() const { return m_root; }
    const std::string& text() const { return m_text; }
    const std::string& file() const { return m_file; }
    /// The node at `path`; null when there is none.
    const YamlNode* find(std::string_view path) const;
    const YamlNode* find(const YamlPath& path) const;
    Place place(const YamlNode& node, std::string field = {}) const { return placeOfNode(node, m_file, std::move(field)); }

    /// Sets the value at `path`: replaces it in place, or creates missing keys at the end of the nearest mapping in its style;
    /// an item number equal to the length appends. Refuses edits through aliases. O(document). Edits: splice.cpp; reading: parse.cpp.
    Status set(std::string_view path, const std::string& scalar);
    Status set(std::string_view path, const YamlNode& value);
    /// Inserts before item N of a sequence; the last step of `path` is N. N = length appends.
    Status insert(std::string_view path, const YamlNode& value);
    /// Removes a key or an item, with its line in block style.
    Status remove(std::string_view path);

    /// Like `set`, but changes the tree only: text and places of everything else stay, and the new nodes carry `origin`.
    /// Values in [] or {} are read as YAML. For command-line overrides.
    Status overlay(std::string_view path, const std::string& value, const std::string& origin);
    /// The same with a tree, whose nodes keep their places.
    Status overlay(std::string_view path, const YamlNode& value);

private:
    struct Slot;
    Status replaceNode(const YamlNode& node, const Slot& slot, const YamlNode& value, const YamlNode& expected);
    Status createEntry(const YamlNode& map, const std::string& key, const YamlNode& value, bool inFlow, const YamlNode& expected);
    Status createItem(const YamlNode& sequence, std::size_t index, const YamlNode& value, bool inFlow, const YamlNode& expected);
    Status removeChild(const YamlNode& parent, std::size_t index, const Slot& slot, const YamlNode& expected);
    Status splice(std::size_t begin, std::size_t end, const std::string& replacement, const YamlNode& expected);
    Error refusal(const YamlNode& node, std::string message) const;
    std::size_t lineStart(std::size_t offset) const;
    std::size_t lineEnd(std::size_t offset) const;
    std::string newline() const;
    YamlNode& ownRoot();

    std::string m_text;
    std::string m_file;
    std::shared_ptr<YamlNode> m_root = std::make_shared<YamlNode>(); ///< Never changed while it is shared.
    bool m_editable = true;
};

} // namespace fabricscope
