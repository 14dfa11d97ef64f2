#pragma once

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/design/edits/graphedits.h"
#include "core/yaml/tree.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricscope {

/// Figures that links or nodes of one kind lack: the design is refused without them, or something is assumed.
struct MissingFigures {
    enum class Of : std::uint8_t {
        Links, ///< Of `platform.links`, by the names of their ends, digits aside.
        File,  ///< Of a platform file, by the names it gives kinds of links: keys of `platform.link_figures`.
        Npus   ///< `platform.npu`.
    };
    Of of = Of::Links;
    std::string kind;               ///< "gpu* to leaf*", "nvlink", "NPUs".
    std::vector<std::size_t> links; ///< Of Links: numbers of the items that lack one; else empty.
    std::vector<std::string> keys;  ///< "bandwidth", "latency", "peak", "memory_bandwidth".
    std::string taken;              ///< What is assumed meanwhile; may be empty.
    friend bool operator==(const MissingFigures&, const MissingFigures&) = default;
};

/// By kind: links in the order of the text, kinds of the file in that of `found`; then the NPUs, where there is any other and their own lack something.
/// \param graph of `yaml`
/// \param found what reading the design reported
/// O(links + found). More kinds of links than kMostMissingKinds: the last one is of all further links.
std::vector<MissingFigures> missingFigures(const YamlDocument& yaml, const GraphText& graph, const Diagnostics& found);
constexpr std::size_t kMostMissingKinds = 40;

/// What a key of MissingFigures measures.
Measure measureOfFigure(const std::string& key);

/// A kind and what is given for some of its keys.
using GivenFigures = std::pair<MissingFigures, std::map<std::string, Quantity>>;

namespace edits {

/// Writes them: to links that lack them, as `platform.link_figures`, as `platform.npu`. What is there stays. Errors: Unsupported, where the text is written in
/// a way that cannot be spliced.
Status completeFigures(YamlDocument& yaml, std::span<const GivenFigures> given);

} // namespace edits

} // namespace fabricscope
