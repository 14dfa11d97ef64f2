#pragma once

#include "core/platform/explicitgraph.h"
#include "core/platform/platform.h"

#include <memory>
#include <optional>
#include <vector>

namespace fabricscope {

/// What a Platform computes once from its spec. Private to core/platform; its functions are in platform.cpp.
struct Platform::Derived {
    struct Axis {
        Shape shape = Shape::Ring;
        std::int32_t size = 1;
        std::int32_t ports = 0;      ///< Links numbered per NPU: those it sends on, and for a Switch also its down-link.
        LinkId firstLink = 0;
        std::int32_t firstInput = 0; ///< Input ports of this dimension are numbered from here.
        Bandwidth rate;
        SimTime latency;
    };
    struct LinkChange {
        LinkId link = 0;
        std::optional<Bandwidth> rate;
        std::optional<SimTime> latency;
    };
    struct NpuChange {
        NodeId node = 0;
        std::optional<double> speed;
        std::optional<ComputeRate> peak;
        std::optional<Bandwidth> memory;
    };

    std::vector<Axis> axes;
    std::shared_ptr<ExplicitGraph> graph; // may outlive the platform
    std::vector<Bandwidth> rates;         // explicit graphs: by LinkList::figuresOf()
    std::vector<SimTime> latencies;
    std::vector<LinkChange> linkChanges;  // sorted
    std::vector<NpuChange> npuChanges;    // sorted
    std::vector<LinkId> removedLinks;     // sorted; without those that go with an NPU
    std::vector<NodeId> removedNpus;      // sorted
    std::optional<Bandwidth> memory;
    std::optional<ComputeRate> peak;

    const LinkChange* change(LinkId link) const;
    const NpuChange* npuChange(NodeId npu) const;
    /// The dimension that holds a link. \pre no explicit graph.
    std::size_t axisOf(LinkId link) const;
};

} // namespace fabricscope
