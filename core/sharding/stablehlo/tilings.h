#pragma once

#include "core/sharding/shardproblem.h"
#include "core/sharding/stablehlo/mlirtext.h"

#include <map>
#include <string>
#include <vector>

namespace fabricscope::mlir {

/// Part of a device id: id / stride % size.
struct DeviceDigit {
    std::int64_t stride = 1;
    std::int64_t size = 1;
};

/// What one "mhlo.sharding" says: "{devices=[2,4]<=[8]}", "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{devices=[2,1]1,0}", "{replicated}", "{maximal device=0}", "{manual}".
struct Tiling {
    enum class Kind : std::uint8_t { Replicated, Maximal, Unknown, Manual, Tiled };
    Kind kind = Kind::Replicated;
    std::vector<std::int64_t> sizes;     ///< Tiles per dim, then those of `last`.
    std::vector<bool> last;              ///< Of what is behind the dims: partial sums (true) or copies.
    std::vector<std::int64_t> reshape;   ///< Of "<=[2,4]T(1,0)".
    std::vector<std::int64_t> permuted;
    std::vector<std::int64_t> ids;       ///< Of a list of devices.
    std::vector<std::vector<DeviceDigit>> digits; ///< Per entry of `sizes`, major to minor.

    std::int64_t devices() const;
};

/// Reads one; digits are empty. Errors in words, without a place: other kinds, broken text, lists that do not name every device once, more than 2^24 devices.
Result<Tiling> readTiling(std::string_view text);

/// All tilings of a module and a mesh in whose axes they can be said. Devices are numbered as the tilings do; where an explicit list is no order of digits of the numbers it becomes the
/// device order of the mesh.
class Tilings {
public:
    /// `named`: the mesh of the file, whose axes are used; without axes one is made, of "axis_0", "axis_1", ... major to minor, cut where any tiling cuts. Errors with place: as readTiling(), more
    /// than 4096 different ones, of several numbers of devices, that do not go together. O(texts * devices).
    static Result<Tilings> of(const std::vector<Span>& texts, const Mesh& named, const std::string& file);

    const Mesh& mesh() const { return m_mesh; }
    /// For a tensor of that many dims, in axes of `mesh`; closed in all dims. Errors: other dims, a tiling that cannot be said in the axes.
    Result<TensorAnnotation> read(const Span& text, const Mesh& mesh, std::size_t dims, const std::string& file) const;
    const Tiling* find(std::string_view text) const;

private:
    Status findDigits(const std::string& file);
    void makeMesh();

    std::map<std::string, std::pair<Tiling, Span>, std::less<>> m_known;
    Mesh m_mesh;
};

} // namespace fabricscope::mlir
