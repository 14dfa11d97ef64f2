#pragma once

#include "core/base/quantity.h"
#include "core/planner/unequalplacement.h"
#include "core/yaml/tree.h"

#include <optional>
#include <stop_token>
#include <string>

namespace fabricscope {

/// A platform on which collectives and programs of a cluster are simulated; device j is NPU j.
class ClusterSimulation {
public:
    /// NPUs whose collectives are timed at most.
    static constexpr std::int64_t kMostNpus = 1024;

    /// `platform`: the section of a design, as read from `file`.
    ClusterSimulation(const YamlNode& platform, std::string file) : m_platform(renderYaml(platform, true)), m_file(std::move(file)) {}

    /// Times of all collectives for tensors of up to `mostBytes`, by simulation at rising sizes: all-to-all moves a tensor's share of each device; grouped forms are a
    /// line through two broadcasts. Errors: those of the platform; InvalidInput (not as many NPUs as devices); Unsupported (kMostNpus); Cancelled.
    Status timeCollectives(UnequalCluster& cluster, double mostBytes, const std::stop_token& stop) const;

    /// Finish of one step of a placed program: the forward pass in its order, the backward one in reverse, gradients of weights reduced beside it. Computation takes
    /// each device's own time for its whole parts; padded collectives carry equal parts of the largest part's size, grouped ones one broadcast for each owner.
    /// Errors as above.
    Result<SimTime> programTime(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, const std::stop_token& stop) const;

private:
    Result<SimTime> finishOf(const std::string& workload, std::int64_t devices, const std::stop_token& stop) const;

    std::string m_platform; ///< On one line.
    std::string m_file;
};

} // namespace fabricscope
