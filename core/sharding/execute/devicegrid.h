#pragma once

#include "core/sharding/devicelayout.h"

namespace fabricscope {

/// Positions of a mesh by lists of axes, worked out from the definitions in mesh.h anew, as interpreters must not share a mistake with the partitioner.
class DeviceGrid {
public:
    explicit DeviceGrid(const Mesh& mesh);

    std::int64_t devices() const { return m_devices; }
    /// Are all parts of lists sub-axes of the mesh, and do none overlap?
    bool isValid(const std::vector<const AxisList*>& lists) const;
    /// Number of combinations. \pre isValid()
    std::int64_t count(const AxisList& list) const;
    /// Index of a position along a list, first part most significant. \pre isValid()
    std::int64_t index(const AxisList& list, std::int64_t position) const;
    /// The position in the same group along a list (positions that differ there only) with index 0.
    std::int64_t first(const AxisList& list, std::int64_t position) const;
    /// What to add to first() for every index.
    std::vector<std::int64_t> steps(const AxisList& list) const;

private:
    struct Digit {
        std::int64_t weight = 1; ///< Positions between neighbours.
        std::int64_t size = 1;
    };
    Digit digitOf(const AxisPart& part) const;

    std::vector<std::int64_t> m_sizes;
    std::vector<std::int64_t> m_weights;
    std::int64_t m_devices = 1;
};

} // namespace fabricscope
