#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/platform/dimension.h"
#include "core/platform/graphlists.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricscope {

/// Largest platform: 2^20 NPUs.
constexpr std::int64_t kMaxNpus = std::int64_t{1} << 20;

/// What an NPU can do besides communicating. Absent values are unknown, not zero.
struct NpuSpec {
    std::optional<Quantity> peak;            ///< FLOP/s.
    std::optional<Quantity> memoryBandwidth; ///< Local memory; also the reducer's rate M.
    std::optional<Quantity> memory;          ///< Capacity.
    std::optional<Quantity> injection;       ///< Budget C (manual: models 3.4) over all dimensions; absent: none.
    std::optional<Quantity> ejection;
    friend bool operator==(const NpuSpec&, const NpuSpec&) = default;
};

/// Replaces properties of one directed link, or takes it away; sparse.
struct LinkOverride {
    LinkId link = 0;
    std::optional<Quantity> bandwidth;
    std::optional<Quantity> latency;
    bool removed = false;
    friend bool operator==(const LinkOverride&, const LinkOverride&) = default;
};

/// Replaces properties of one NPU, or takes it away with all its links; sparse.
struct NpuOverride {
    NodeId node = 0;
    std::optional<double> speed; ///< Compute times are divided by it; 0.5 is half as fast.
    std::optional<Quantity> peak;
    std::optional<Quantity> memoryBandwidth;
    bool removed = false;
    std::optional<Quantity> memory{};
    friend bool operator==(const NpuOverride&, const NpuOverride&) = default;
};

class ExplicitGraph; // explicitgraph.h
struct FabricForm;   // fabric/fabricform.h

/// A coordinate that a generator or blueprint declares for its NPUs: the NPU number is a number of mixed radix, the first axis fastest.
struct NpuAxis {
    std::string name{};   ///< Of what NPUs share that agree in all later axes: "host", "unit", "leaf".
    std::int64_t size = 1;
    friend bool operator==(const NpuAxis&, const NpuAxis&) = default;
};

/// The generator that a platform was written out by, if one was. Compared by its form, which all else follows from.
struct GeneratedBy {
    std::shared_ptr<const FabricForm> form{};
    std::vector<NpuAxis> axes{}; ///< Coordinates of its NPUs; empty: none are declared.
    friend bool operator==(const GeneratedBy& a, const GeneratedBy& b);
};

/// All that describes a machine; a plain value. `Platform::create` validates it.
struct PlatformSpec {
    std::string name;
    std::vector<Dimension> dimensions;   ///< Dimension 0 is the fastest-varying part of the NPU number.
    NodeList nodes;                      ///< Explicit graph; empty when `dimensions` is used.
    LinkList links;
    NpuSpec npu;
    std::vector<LinkOverride> linkOverrides;
    std::vector<NpuOverride> npuOverrides;
    std::string source;                  ///< Where the figures are from; empty: the user.
    GeneratedBy generated{};             ///< Dimensions or nodes and links are those that it writes out.
    friend bool operator==(const PlatformSpec&, const PlatformSpec&) = default;
};

/// A hierarchical pool: groups of remote memory behind out-of-node switches, behind the in-node switches of every node. Its rules: remotememory.h.
struct MemoryPool {
    /// Devices of one kind, all alike.
    struct Stage {
        std::int32_t count = 1; ///< Groups or out-of-node switches of the machine; in-node switches of one node.
        Quantity bandwidth{0, "B/s", Measure::Bandwidth}; ///< Of a group, for loads and stores together; of the port of one switch to one node or one NPU, each way.
        Quantity latency{0, "ns", Measure::Time};
        friend bool operator==(const Stage&, const Stage&) = default;
    };
    /// Where the data of an NPU is: parts in all groups, or all in group (NPU mod groups).
    enum class Spread : std::uint8_t { Striped, Home };
    Spread spread = Spread::Striped;
    Stage inNode;
    Stage outNode;
    Stage groups;
    std::optional<Quantity> piece; ///< Accesses are cut into pieces of this size; absent: that of messages.
    friend bool operator==(const MemoryPool&, const MemoryPool&) = default;
};

/// Remote memory of ASTRA-sim (manual: formats 2.4), in its units, or a hierarchical pool.
struct RemoteMemory {
    enum class Kind : std::uint8_t { None, PerNpu, PerNode, Pool, Hierarchical };
    Kind kind = Kind::None;
    std::int64_t latencyNs = 0;
    std::int64_t bytesPerNs = 0;
    std::int32_t nodes = 0;
    std::int32_t npusPerNode = 0;
    std::optional<MemoryPool> pool{};  ///< Hierarchical only; latencyNs, bytesPerNs and nodes are not used then.
    friend bool operator==(const RemoteMemory&, const RemoteMemory&) = default;
};

/// Where one directed link runs.
struct LinkInfo {
    std::int32_t dimension = -1; ///< -1: explicit link.
    NodeId owner = 0;            ///< Sending NPU; for the down-link of a Switch dimension the receiving NPU.
    std::int32_t port = 0;       ///< Ring: 0 = towards +1, 1 = towards -1. FullyConnected: relative position of the peer - 1. Switch: 0 = up, 1 = down.
    NodeId from = -1;            ///< -1 where the end is the switch of a Switch dimension.
    NodeId to = -1;
};

/// Which way round a ring a route goes; Shorter resolves antipodal pairs to +.
enum class RingDirection : std::uint8_t { Shorter, Plus, Minus };

/// Immutable, validated platform. Cheap to copy, safe to share between threads. 2^20 NPUs take no memory per NPU. In platform.cpp, routes.cpp (ways of
/// messages) and removals.cpp (what is left without links and NPUs, and the ways there).
class Platform {
public:
    /// Validates the spec: sizes 1..2^20, product at most 2^20, positive rates, overrides inside the platform,
    /// explicit graphs connected between all NPUs, not both dimensions and explicit nodes, and after removals still a way between
    /// all NPUs that are left (inside every line of a dimension; removed NPUs' overrides name the field `removed`). First problem
    /// found. Removals cost O(NPUs of the lines they touch), and O(NPUs) when they are as many as the neighbours of one NPU.
    /// Told to stop: Cancelled.
    static Result<Platform> create(PlatformSpec spec, const std::stop_token& stop = {});

    const PlatformSpec& spec() const { return *m_spec; }
    std::span<const Dimension> dimensions() const { return m_spec->dimensions; }
    bool isExplicit() const { return !m_spec->nodes.empty(); }
    /// Nodes and links, without what is removed; null: the platform is made of dimensions.
    std::shared_ptr<const ExplicitGraph> graph() const;
    std::int32_t npuCount() const { return m_npuCount; }
    LinkId linkCount() const { return m_linkCount; }

    /// Coordinate of an NPU in a dimension, and the NPU that differs from it only there. \pre dimension-based platform.
    std::int32_t coordinate(NodeId npu, std::size_t dimension) const;
    NodeId withCoordinate(NodeId npu, std::size_t dimension, std::int32_t coordinate) const;
    /// Product of the sizes of the lower dimensions.
    std::int64_t stride(std::size_t dimension) const { return m_strides[dimension]; }

    LinkInfo linkInfo(LinkId link) const;
    Bandwidth bandwidth(LinkId link) const; ///< With overrides.
    SimTime latency(LinkId link) const;     ///< With overrides; at least 1 ps.
    /// The same of the links of an explicit graph by LinkList::figuresOf(), without overrides.
    Bandwidth rateOf(std::size_t figures) const;
    SimTime latencyOf(std::size_t figures) const;
    /// "d1 3>4", "d0 5>switch", "gpu0>nvswitch": stable text for tables and messages.
    std::string linkName(LinkId link) const;
    /// The link of a dimension from one NPU to a neighbour (Ring: the + link when both exist), or the up/down link.
    std::optional<LinkId> ringLink(std::size_t dimension, NodeId npu, RingDirection direction) const;

    /// Appends the links a message crosses from `src` to `dst`, in order (manual: models 2):
    /// dimension order, lowest first; `rings` fixes the way round in Ring dimensions. Explicit graphs: fewest links,
    /// then the first listed at every node. src == dst appends nothing. O(links of the route).
    /// With removals: a Ring goes the other way round where its way is cut, FullyConnected goes over the first neighbour (by relative
    /// position) with both links, and dimensions are crossed in the first order that turns at no removed NPU; where there is none,
    /// over further NPUs, as few lines as possible. \pre neither end is removed.
    void route(NodeId src, NodeId dst, std::vector<LinkId>& links, RingDirection rings = RingDirection::Shorter) const;

    /// Order of the input port by which a piece that came over `previous` reaches `next` (tie rule, manual: models 3.6):
    /// by dimension, then by relative position of the neighbour behind the port; own injection is last (kOwnInjection).
    /// `next` = -1 asks for the port at the NPU where the route ends.
    std::int32_t inputPort(LinkId previous, LinkId next) const;
    static constexpr std::int32_t kOwnInjection = INT32_MAX;

    /// Rate of the reducer of an NPU; absent when the memory bandwidth is unknown (reductions then cost nothing, with a warning).
    std::optional<Bandwidth> memoryBandwidth(NodeId npu) const;
    std::optional<ComputeRate> peak(NodeId npu) const;
    double speed(NodeId npu) const;
    bool hasLinkOverrides() const { return !m_spec->linkOverrides.empty(); }

    /// Is any link or NPU removed?
    bool hasRemovals() const { return m_hasRemovals; }
    /// Removed itself, or with the NPU at one of its ends. O(log removals).
    bool isRemoved(LinkId link) const;
    bool isNpuRemoved(NodeId npu) const;
    /// NPUs that are left; they keep their numbers.
    std::int32_t remainingNpus() const { return m_remainingNpus; }

private:
    struct Derived;
    static Result<Platform> createOrStop(PlatformSpec spec, const std::stop_token& stop);
    Status checkRemovals(const std::stop_token& stop) const;
    Status checkLine(std::size_t dimension, NodeId start) const;
    Error noWay(NodeId from, NodeId to, std::size_t dimension, LinkId missing) const;
    /// Appends the way inside one line of a dimension; false, and nothing appended, when there is none.
    bool lineWay(std::size_t dimension, NodeId from, NodeId to, RingDirection rings, std::vector<LinkId>& links) const;
    void routeAround(NodeId src, NodeId dst, std::vector<LinkId>& links, RingDirection rings) const;
    std::shared_ptr<const PlatformSpec> m_spec;
    std::shared_ptr<const Derived> m_derived;
    std::vector<std::int64_t> m_strides;
    std::int32_t m_npuCount = 0;
    std::int32_t m_remainingNpus = 0;
    bool m_hasRemovals = false;
    LinkId m_linkCount = 0;
};

} // namespace fabricscope
