#pragma once

#include "core/platform/fabric/fabric.h"
#include "core/platform/fabric/fabricform.h"

#include <optional>
#include <stop_token>
#include <string_view>

namespace fabricscope {

/// How the platform of a fabric is written out.
enum class FabricWriting : std::uint8_t {
    Shortest, ///< Rings, tori, hypercubes, full meshes and one switch as dimensions; all else as nodes and links.
    Nodes     ///< Always nodes and links.
};

/// Most cables that a platform is written out with.
constexpr std::int64_t kMaxPlatformCables = std::int64_t{1} << 22;

/// The platform that the engines simulate. Nodes have the names of the fabric; the links of every node are listed in the order of its ports; NPUs pass nothing
/// on but where the fabric says so. What an NPU is comes from the host. `source` says which figures are assumed. Errors: too many cables; Cancelled.
Result<PlatformSpec> platformOfFabric(const Fabric& fabric, FabricWriting writing = FabricWriting::Shortest, const std::stop_token& stop = {});

/// Figures that cables which are given none have.
struct AssumedFigures {
    std::optional<Quantity> bandwidth{}; ///< Absent: all cables are given one.
    std::optional<Quantity> latency{};
};

/// Those of the network of a fabric that nobody gave. O(kinds of cables).
AssumedFigures assumedFigures(const Fabric& fabric);

/// The fabric of a form, written out, with the form as its origin.
Result<PlatformSpec> platformOfForm(const FabricForm& form, const std::stop_token& stop = {});

/// Is the text a fabric in one line, and no list of dimensions? It has a "/" outside of brackets and rates. In linetokens.cpp.
bool isFabricLine(std::string_view text);

} // namespace fabricscope
