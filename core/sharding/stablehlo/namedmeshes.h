#pragma once

#include "core/sharding/shardproblem.h"
#include "core/sharding/stablehlo/mlirtext.h"

#include <map>
#include <string>
#include <vector>

namespace fabricscope::mlir {

/// Meshes a module names and the one its shardings are read for.
class NamedMeshes {
public:
    /// Reads "<["x"=4, "y"=2]>" and "<["x"=4], device_ids=[3, 1, 2, 0]>" of each. The first that has axes is the one. Errors: broken text, an axis twice, too many devices.
    static Result<NamedMeshes> of(const Module& module, const std::string& file);

    const Mesh& mesh() const { return m_mesh; }
    bool empty() const { return m_mesh.axes.empty(); }
    /// Is "@name" or "mesh<[...]>" the mesh of this, so that axes go by their names? Or one without axes: `none` is set. Errors: another mesh, an unknown name.
    Status check(const Span& named, const std::string& file, bool& none) const;

private:
    std::map<std::string, Mesh, std::less<>> m_known;
    Mesh m_mesh;
};

/// Reads "<@mesh, [{"x", ?}, {"y":(1)2}p1], replicated={"z"}, unreduced={"w"}>", with or without "#sdy.sharding" before it, for a tensor of that many dims. A dim without "?" is closed.
/// `mesh` has the sizes that count (they may be others than the text says). Errors with the place of the text: axes that are not there, used twice, wrong number of dims.
Result<TensorAnnotation> readSharding(const Span& text, const NamedMeshes& meshes, const Mesh& mesh, std::size_t dims, const std::string& file);

/// The shardings of the results of an op: "#sdy.sharding_per_value<[<...>, <...>]>", or one "#sdy.sharding<...>".
std::vector<Span> shardingsOf(const Span& text);

} // namespace fabricscope::mlir
