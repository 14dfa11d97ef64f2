#pragma once

#include "core/base/error.h"
#include "core/yaml/tree.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fabricscope {

/// Where the fields of a design stand, by their path ("platform.dimensions[0].size"): looked up in the tree that was read, which it shares. Nothing is noted
/// while reading: of ten thousands of fields a handful is ever asked for.
class FieldPlaces {
public:
    explicit FieldPlaces(const YamlDocument& document) : m_root(document.sharedRoot()), m_file(document.file()) {}

    /// Does the document have this very field? O(path times entries of the mappings on the way).
    bool contains(std::string_view field) const { return find(field).has_value(); }
    /// Place of this very field, without the name of the field.
    std::optional<Place> find(std::string_view field) const;
    /// A section as it was read; null: there is none.
    const YamlNode* section(std::string_view key) const;
    /// Place of the field, or of the nearest part around it that is there (none: without file and line); always with `field` set.
    Place nearest(const std::string& field) const;

private:
    std::shared_ptr<const YamlNode> m_root;
    std::string m_file;
};

} // namespace fabricscope
