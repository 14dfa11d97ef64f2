#pragma once

#include "core/design/design.h"
#include "core/yaml/tree.h"

namespace fabricscope {

/// What a tree of a design is for.
enum class DesignForm : std::uint8_t {
    File,     ///< To be read back: defaults left out, files named relative to the design's folder.
    Canonical ///< To be compared: every value that decides a result written out, names of files and remarks left out.
};

/// The design as the tree of its file. Told to stop: throws StopRequested (stop.h).
YamlNode designTree(const Design& design, DesignForm form, const std::stop_token& stop = {});
/// Of one section; each in the file that reads it: workloadreader.cpp, modelsection.cpp, collectivesection.cpp, networksection.cpp, computesection.cpp, schedulingsection.cpp, accuracysection.cpp.
YamlNode workloadTree(const Design& design, DesignForm form, const std::stop_token& stop);
YamlNode modelTree(const Design& design, DesignForm form);
/// Empty where the section says nothing.
YamlNode collectivesTree(const Design& design, DesignForm form);
YamlNode networkTree(const Design& design, DesignForm form);
YamlNode computeTree(const Design& design, DesignForm form);
YamlNode schedulingTree(const Design& design, DesignForm form);
YamlNode accuracyTree(const Design& design, DesignForm form);

/// Builds mappings in order.
class MapBuilder {
public:
    MapBuilder& add(std::string key, YamlNode value);
    MapBuilder& add(std::string key, std::string value) { return add(std::move(key), YamlNode::scalar(std::move(value))); }
    MapBuilder& add(std::string key, const char* value) { return add(std::move(key), std::string(value)); }
    MapBuilder& add(std::string key, const Quantity& value) { return add(std::move(key), value.text()); }
    MapBuilder& add(std::string key, std::int64_t value) { return add(std::move(key), std::to_string(value)); }
    MapBuilder& add(std::string key, const std::optional<Quantity>& value) { return value ? add(std::move(key), *value) : *this; }
    /// Only where something is in it.
    MapBuilder& addFilled(std::string key, YamlNode value);
    YamlNode take() { return std::move(m_node); }

private:
    YamlNode m_node = YamlNode::map();
};

/// A file named in a design, relative to its folder where that is known.
std::string pathInDesign(const Design& design, const std::string& path);

} // namespace fabricscope
