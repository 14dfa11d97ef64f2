#pragma once

#include "core/transform/tensorprogram.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::transform {

/// Who must run before whom: makers before readers, readers of a tensor before the update that overwrites it, updates of a tensor in their order.
/// And kernels: fused stages are one, the others each its own. For one state of a program.
class StageGraph {
public:
    explicit StageGraph(const TensorProgram& program);

    const std::vector<std::int32_t>& before(std::int32_t stage) const { return m_before[static_cast<std::size_t>(stage)]; }
    const std::vector<std::int32_t>& after(std::int32_t stage) const { return m_after[static_cast<std::size_t>(stage)]; }
    /// Stages that read the value of `stage`.
    const std::vector<std::int32_t>& readers(std::int32_t stage) const { return m_readers[static_cast<std::size_t>(stage)]; }

    /// A stage outside of `members` on a way from a member to a member; -1: there is none. `members`: one flag per stage. O(edges).
    std::int32_t outsideBetween(const std::vector<bool>& members) const;

private:
    void join(std::int32_t from, std::int32_t to);

    std::vector<std::vector<std::int32_t>> m_before;
    std::vector<std::vector<std::int32_t>> m_after;
    std::vector<std::vector<std::int32_t>> m_readers;
};

/// A kernel: the stages that run as one, in the order of the program.
struct Kernel {
    std::vector<std::int32_t> stages;
    std::string name; ///< Of its first stage.
};

/// The kernels in an order in which they can run, the earliest first where there is a choice. Empty: they wait for each other in a ring.
std::vector<Kernel> kernelsOf(const TensorProgram& program);

/// Sorts the stages so that they can run, kernels staying together and the order as it is where it can be. False: no order exists, nothing is changed.
bool sortStages(TensorProgram& program);

/// One flag per stage: those of the same kernel as `name`.
std::vector<bool> kernelFlags(const TensorProgram& program, std::string_view name);

} // namespace fabricscope::transform
