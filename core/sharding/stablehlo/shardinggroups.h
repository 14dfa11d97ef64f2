#pragma once

#include "core/sharding/shardproblem.h"

#include <map>
#include <string>
#include <vector>

namespace fabricscope::mlir {

/// Tensors that have to lie alike, as they are found while a program is read. Groups that share a tensor are one.
class ShardingGroups {
public:
    /// Puts a tensor into a group. `note`: what is said of it, or null. False, and nothing is done: the group has tensors of another shape, or what is said of them contradicts `note`.
    bool join(const std::string& group, TensorId tensor, const TensorShape& shape, const TensorAnnotation* note);
    bool contains(TensorId tensor) const { return m_groupOf.contains(tensor); }
    /// Groups of two or more, in the order in which they began; members rising.
    std::vector<std::vector<TensorId>> all() const;

private:
    struct Group {
        std::vector<TensorId> tensors;
        TensorShape shape;
        std::optional<TensorAnnotation> note; ///< What says anything.
    };
    bool merge(std::size_t from, std::size_t into);

    std::vector<Group> m_groups; ///< Those that were merged into others are empty.
    std::map<std::string, std::size_t> m_byName;
    std::map<TensorId, std::size_t> m_groupOf;
};

} // namespace fabricscope::mlir
