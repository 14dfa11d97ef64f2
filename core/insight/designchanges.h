#pragma once

#include "core/design/design.h"
#include "core/yaml/tree.h"

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// One difference of two designs that can be carried over by itself, from the first to the second.
struct DesignChange {
    std::string section;         ///< "platform", "workload", "collectives", "model", "network", "compute", "scheduling".
    std::string field;           ///< "platform.dimensions[0].bandwidth"; the section where all of it is exchanged.
    std::string a;               ///< As a design file writes it; empty: not there, or `whole`.
    std::string b;
    bool whole = false;          ///< All that differs in the section at once.
    std::vector<YamlPath> paths; ///< What is exchanged in the tree of the file.
};

/// What differs between the inputs of two designs, and the designs between them. Names of designs, remarks and places of files do not count. Plain value.
class DesignChanges {
public:
    /// More differences than this in all are carried over section by section.
    static constexpr std::size_t kMost = 24;

    /// In the order of the file. A list of other length is one difference, as are a workload that differs in more than one value, a platform of another kind, and a model
    /// with its version. Told to stop: throws StopRequested (stop.h). O(sizes of both files).
    static DesignChanges between(const Design& a, const Design& b, const std::stop_token& stop = {});

    const std::vector<DesignChange>& rows() const { return m_rows; }
    bool hasOtherWorkload() const { return has("workload"); }
    bool hasOtherModel() const;

    /// The first design with the named rows of the second; all of them: what the second says. What it reads like as a file is read, so what does not go
    /// together is an error among the diagnostics. Told to stop: as inspectDesign(). \pre numbers of rows, each once
    LoadedDesign applied(std::span<const std::size_t> numbers, const std::stop_token& stop = {}) const;

private:
    bool has(const std::string& section) const;

    YamlNode m_treeA;
    YamlNode m_treeB;   ///< Its files as the folder of the first would name them.
    std::string m_file; ///< Of the first; paths start at its folder.
    std::string m_folder;
    std::vector<DesignChange> m_rows;
};

} // namespace fabricscope
