#pragma once

#include "core/design/design.h"
#include "core/planner/sharedcollective.h"
#include "core/yaml/tree.h"

#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// Why a simulated time is not the estimate, in the order of TimeDifference rows.
enum class DifferenceCause : std::uint8_t {
    WholeElements, ///< Devices own whole elements, not ratios.
    Collectives,   ///< Each collective with its true sizes, alone on the platform, in the form that is fastest there.
    Entry,         ///< Devices wait for each other at collectives only, and reach them at different times.
    Overlap        ///< Gradients are reduced beside the backward pass.
};
inline constexpr KeyTable<DifferenceCause, 4> kDifferenceCauses{{{"whole_elements", DifferenceCause::WholeElements}, {"collectives", DifferenceCause::Collectives},
    {"entry", DifferenceCause::Entry}, {"overlap", DifferenceCause::Overlap}}};

struct TimeDifference {
    DifferenceCause cause = DifferenceCause::WholeElements;
    std::int64_t ns = 0; ///< Below 0: it makes the simulated time shorter.
};

/// A placed program as simulated.
struct SimulatedProgram {
    std::int64_t costNs = 0; ///< The estimate, rounded.
    std::int64_t ns = 0;     ///< Simulated; exactly costNs and all differences.
    std::vector<TimeDifference> difference;
    ChosenForms forms;       ///< By simulated time, of equals the first of SharedCollective::forms().
};

/// A platform on which collectives and programs of a cluster are simulated; device j is rank j.
class ClusterSimulation {
public:
    /// NPUs whose collectives are timed at most.
    static constexpr std::int64_t kMostNpus = 1024;

    /// `platform`: the section of a design, as read from `file`; its NPUs have the speeds of the cluster's devices as peaks.
    /// Errors: those of the platform; InvalidInput (not as many NPUs as devices); Unsupported (kMostNpus).
    static Result<ClusterSimulation> create(const YamlNode& platform, const std::string& file, const UnequalCluster& cluster, const std::stop_token& stop);
    /// The platform of a design with its own NPUs; model, network and collectives are those of the design. Errors as above.
    static Result<ClusterSimulation> create(const Design& design, const std::stop_token& stop);

    std::int64_t devices() const { return m_devices; }
    const Platform& platform() const { return m_platform; }

    /// Times of all collectives for tensors of up to `mostBytes`, by simulation at rising sizes: all-to-all moves a tensor's share of each device; grouped forms are a
    /// line through two broadcasts, and not there under a model without broadcasts. Errors: Cancelled; InvalidInput where a collective does not finish.
    Status timeCollectives(UnequalCluster& cluster, double mostBytes, const std::stop_token& stop) const;

    /// One step of a placed program whose estimate is `cost` seconds: every collective in the form that is fastest alone, the program as workloadOf() makes it.
    /// Errors as above, and those of workloadOf().
    Result<SimulatedProgram> run(const PlacementProblem& problem, const PlacedProgram& program, const std::vector<DeviceRatios>& ratios, double cost, const std::stop_token& stop) const;

private:
    ClusterSimulation(Design design, Platform platform, Place place);
    static Result<ClusterSimulation> checked(Design design, const Place& place, std::int64_t devices, const std::stop_token& stop);
    Error ofPlatform(Error error) const;
    Status chooseForm(const SharedCollective& what, ChosenForm& chosen, const std::stop_token& stop) const;
    Result<SimTime> finishOf(const WorkloadPtr& workload, const std::stop_token& stop) const;

    Design m_design;
    Platform m_platform;
    Place m_place; ///< Of errors.
    std::int64_t m_devices = 0;
};

} // namespace fabricscope
