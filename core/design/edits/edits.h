#pragma once

#include "core/design/design.h"
#include "core/yaml/tree.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricscope {

/// Edits of a design as splices of its text. Each does all it says or changes nothing; comments, order and unknown keys outside the
/// edited values stay. Numbers of dimensions count from 0. Errors name the field and, for odd YAML, the line.
namespace edits {

/// What an edit of a dimension could not carry over, for the title of the step and for the user: "d1 3>4", "NPU 7", and "group tensor" when it spanned
/// only removed dimensions.
using Dropped = std::vector<std::string>;

/// Writes a fabric named by `preset` or `file` out as dimensions (or nodes and links), with the same figures, names and source.
/// Nothing to do where it is written out already. Error: the fabric cannot be read.
Status writeOutPlatform(YamlDocument& yaml);

// Dimensions, in dimensionedits.cpp as writeOutPlatform(). A platform that is named is written out first; explicit graphs have none (Unsupported). NPUs are renumbered: an NPU
// keeps its coordinates, has 0 in a new dimension, and is gone where its coordinate no longer exists or was not 0 in a removed
// dimension. Overrides, listed nodes of jobs, groups that name dimensions and algorithms per dimension follow; what cannot is left out
// and told in `dropped`. O(text * changes).
Status addDimension(YamlDocument& yaml, std::size_t at, const Dimension& dimension, Dropped* dropped = nullptr);
Status removeDimension(YamlDocument& yaml, std::size_t dimension, Dropped* dropped = nullptr);
/// The dimension `from` becomes number `to`; a list of one line per dimension moves with its remarks.
Status moveDimension(YamlDocument& yaml, std::size_t from, std::size_t to, Dropped* dropped = nullptr);
Status setShape(YamlDocument& yaml, std::size_t dimension, Shape shape, Dropped* dropped = nullptr);
/// \pre size >= 1
Status setSize(YamlDocument& yaml, std::size_t dimension, std::int32_t size, Dropped* dropped = nullptr);
/// Of one link, or of all links of one NPU (`perNpu`); giving one takes the place of the other.
Status setBandwidth(YamlDocument& yaml, std::size_t dimension, const Quantity& bandwidth, bool perNpu);
Status setLatency(YamlDocument& yaml, std::size_t dimension, const Quantity& latency);

/// `key`: peak, memory_bandwidth, memory, injection, ejection. Absent: the value is taken out (a preset's shows again).
Status setNpuField(YamlDocument& yaml, const std::string& key, const std::optional<Quantity>& value);

/// Overrides of one directed link by its name (Platform::linkName). What is absent stays as it is.
Status setLinkOverride(YamlDocument& yaml, const std::string& link, const std::optional<Quantity>& bandwidth, const std::optional<Quantity>& latency);
/// The same for an NPU; `change.node` says which.
Status setNpuOverride(YamlDocument& yaml, const NpuOverride& change);
/// Takes the override out, `removed` too; nothing happens without one. Lists that become empty go.
Status resetLink(YamlDocument& yaml, const std::string& link);
Status resetNpu(YamlDocument& yaml, NodeId npu);
/// `removed: true` in the override of the link or NPU; false takes the key out, and the override when nothing else is in it.
Status setLinkRemoved(YamlDocument& yaml, const std::string& link, bool removed);
Status setNpuRemoved(YamlDocument& yaml, NodeId npu, bool removed);

/// Also brings a stored version of the rules to the model's.
Status setModel(YamlDocument& yaml, Model model);
/// Empty: automatic; one: for all dimensions; else one per dimension.
Status setDefaultAlgorithms(YamlDocument& yaml, const std::vector<AlgorithmChoice>& algorithms);
Status setDefaultChunks(YamlDocument& yaml, std::int32_t chunks);

/// Collectives that a program is to run: those of an operation, a group and a range of sizes.
struct ProgramRule {
    std::optional<CollectiveOp> op;   ///< Absent: every operation.
    std::string group = "*";          ///< Name of a family of groups; "*": all.
    std::optional<Quantity> minSize;  ///< Of the large side, inclusive; absent: no limit.
    std::optional<Quantity> maxSize;
    ProgramSource source;             ///< Paths as they are to stand in the design.
    std::int32_t chunks = 1;          ///< Parts of the data the program is run on one after another.
};
/// Makes it the first rule of `collectives.rules`; where the first rule already is about the same collectives, it takes its place.
/// Errors: an ASTRA-sim system file decides (Unsupported).
Status setProgramRule(YamlDocument& yaml, const ProgramRule& rule);

/// An empty text takes the key out.
Status setName(YamlDocument& yaml, const std::string& name);
/// What question the design answers.
Status setNotes(YamlDocument& yaml, const std::string& notes);

} // namespace edits

/// "ring", "direct4", "auto", as a design writes it.
std::string algorithmText(const AlgorithmChoice& choice);
std::optional<AlgorithmChoice> algorithmFromText(std::string_view text);

} // namespace fabricscope
