#pragma once

#include "core/base/fraction.h"
#include "core/base/stop.h"
#include "core/platform/platform.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope {

/// One end of a cable. Ports 0, 1, ... of each node, those that lead down before those that lead up; the rest is free.
struct PortRef {
    std::int32_t node = 0;
    std::int32_t port = 0;
    friend auto operator<=>(const PortRef&, const PortRef&) = default;
};

/// A cable is two links, one each way. Parallel cables are cables of their own.
struct FabricCable {
    PortRef lower; ///< The end nearer to the NPUs; among equals the one listed first.
    PortRef upper;
    std::int32_t kind = 0; ///< Of FabricPlan::kinds.
    std::int32_t inHost = -1; ///< Cables inside a host: which of FabricHost::cables it is.
    friend bool operator==(const FabricCable&, const FabricCable&) = default;
};

/// Switches of one height.
struct FabricTier {
    std::string name;       ///< "leaf".
    std::int64_t count = 0;
    std::int64_t ports = 0; ///< The most that one of them uses.
    std::int64_t up = 0;    ///< Of these, towards the tier above.
};

/// Cables of one purpose.
struct CableKind {
    std::string name;        ///< "npu", "local", "global".
    std::int64_t count = 0;
    bool inside = false;     ///< Both ends in one enclosure.
};

/// What arithmetic knows of a fabric without its cables.
struct KnownFigures {
    std::optional<std::int64_t> diameter{};
    std::optional<Fraction> mean{};
    std::optional<std::int64_t> ways{};      ///< Absent also when more than 63 bits.
    std::optional<std::int64_t> bisection{}; ///< In cables of one rate.
    bool bisectionProved = false;            ///< By an argument that holds for all sizes.
    std::int64_t block = 1;                  ///< Runs of so many NPUs are on one side of that cut.
};

/// Which NPUs see the same distances.
enum class Alike : std::uint8_t {
    All,     ///< Every NPU: the wiring carries each to each other.
    Attached ///< Those with the same neighbours.
};

/// Whether NPUs pass on what is not for them. Without `rail_aware` a way between hosts leaves from the NPU that sends and ends at the one that is meant: siblings neither
/// hand data to the network nor take it from there for others.
enum class NpuForwarding : std::uint8_t {
    None,
    InHost, ///< From an NPU to another over the cables between NPUs of a host, never from a switch or to one: hosts that are direct shapes, in a network.
    All     ///< Direct shapes, and rails without a network above.
};

/// What a family says of one set of parameters, by arithmetic alone.
struct FabricPlan {
    std::int64_t npus = 0;
    std::int64_t npusOfLeaf = 1; ///< Runs of so many NPUs hang at the same switches.
    std::vector<FabricTier> tiers{};
    std::vector<CableKind> kinds{};
    std::int64_t wiringWork = 0; ///< What wiring looks at beyond the cables it puts.
    NpuForwarding forwarding = NpuForwarding::None;
    Alike alike = Alike::All;
    std::vector<NpuAxis> axes{}; ///< Coordinates of the NPUs, their product the number of NPUs; empty: none.
    KnownFigures known{};
    Diagnostics warnings{};
    std::string note{};       ///< What else there is: "48 optical switches of 128 ports".
};

/// A parameter of a family: one whole number, or a list of them.
struct FamilyKey {
    std::string_view name;
    std::string_view meaning;
    std::int64_t least = 1;
    std::int64_t most = 1;
    bool list = false;
    std::string_view usual = {}; ///< What an absent one means: a number, or "derived"; empty: it must be given.
};

/// The numbers of a family's keys, by the order of its row; an empty list: not given and derived.
class FamilyValues {
public:
    FamilyValues() = default;
    explicit FamilyValues(std::vector<std::vector<std::int64_t>> lists) : m_lists(std::move(lists)) {}
    bool has(std::size_t key) const { return key < m_lists.size() && !m_lists[key].empty(); }
    /// \pre has(key).
    std::int64_t one(std::size_t key) const { return m_lists[key].front(); }
    std::int64_t one(std::size_t key, std::int64_t otherwise) const { return has(key) ? one(key) : otherwise; }
    std::span<const std::int64_t> list(std::size_t key) const { return key < m_lists.size() ? std::span<const std::int64_t>(m_lists[key]) : std::span<const std::int64_t>{}; }
    void set(std::size_t key, std::vector<std::int64_t> numbers);
    friend bool operator==(const FamilyValues&, const FamilyValues&) = default;

private:
    std::vector<std::vector<std::int64_t>> m_lists;
};

/// Takes the cables of a family one by one.
class CableSink {
public:
    using Put = std::function<void(PortRef lower, PortRef upper, std::int32_t kind)>;

    explicit CableSink(Put put, std::stop_token stop = {}) : m_put(std::move(put)), m_stop(std::move(stop)) {}
    /// Throws StopRequested.
    void operator()(PortRef lower, PortRef upper, std::int32_t kind) const
    {
        if (++m_count % (1U << 16) == 0)
            poll();
        m_put(lower, upper, kind);
    }
    /// For long work between cables. Throws StopRequested.
    void poll() const { checkStop(m_stop); }

private:
    Put m_put;
    std::stop_token m_stop;
    mutable std::uint64_t m_count = 0;
};

/// A way to build fabrics: one row, one file of core/platform/families. Nodes of a family: NPUs, then switches by tier.
struct FabricFamily {
    std::string_view name;  ///< "dragonfly", as files and lines write it.
    std::string_view title; ///< "Dragonfly: groups of routers, all joined".
    std::span<const FamilyKey> keys;
    /// Beyond the ranges of keys: divisibility, counts. The error names the key and the nearest valid value. \pre values inside the ranges.
    Status (*check)(const FamilyValues& values);
    /// \pre check() passed.
    FabricPlan (*plan)(const FamilyValues& values);
    /// Every cable once. Throws StopRequested, as the sink does. \pre check() passed.
    void (*wire)(const FamilyValues& values, const CableSink& sink);
    /// Name of a node; empty: "npu12" or the tier and the number in it.
    std::string (*nodeName)(const FamilyValues& values, std::int64_t node) = nullptr;
};

/// All families, in the order to list them.
std::span<const FabricFamily* const> fabricFamilies();
/// By name ("-" for "_" too); null: none.
const FabricFamily* fabricFamily(std::string_view name);
/// Position of a key in the row; -1: none.
int keyOf(const FabricFamily& family, std::string_view key);

/// Ranges of the keys, then check(). The field of an error is the key.
Status checkFamilyValues(const FabricFamily& family, const FamilyValues& values);

// For the files of families.

/// An error about a key: "fat_tree: k = 7: ..., expected the nearest valid value".
Error familyError(const FabricFamily& family, std::string_view key, std::string message, std::string expected);
/// a * b * ..., at most 2^62.
std::int64_t product(std::initializer_list<std::int64_t> factors);
std::int64_t product(std::span<const std::int64_t> factors);
/// The product when it fits in 63 bits.
std::optional<std::int64_t> exactProduct(std::span<const std::int64_t> factors);
/// (sum of parts)! / product of part!, times `factor`, when it fits in 63 bits.
std::optional<std::int64_t> multinomial(std::span<const std::int64_t> parts, std::int64_t factor);
/// "1 port", "2 switches".
std::string counted(std::int64_t number, std::string_view one);
/// "4 x 4 x 8".
std::string listText(std::span<const std::int64_t> numbers, std::string_view between = "x");

const FabricFamily& ringFamily();             // families/grid.cpp
const FabricFamily& torusFamily();            // families/grid.cpp
const FabricFamily& meshFamily();             // families/grid.cpp
const FabricFamily& hypercubeFamily();        // families/hypercube.cpp
const FabricFamily& fullFamily();             // families/full.cpp
const FabricFamily& switchFamily();           // families/switchplanes.cpp
const FabricFamily& closFamily();             // families/clos.cpp
const FabricFamily& leafSpineFamily();        // families/leafspine.cpp
const FabricFamily& fatTreeFamily();          // families/fattree.cpp
const FabricFamily& railsFamily();            // families/rails.cpp
const FabricFamily& railOnlyFamily();         // families/rails.cpp
const FabricFamily& dragonflyFamily();        // families/dragonfly.cpp
const FabricFamily& dragonflyPlusFamily();    // families/dragonfly.cpp
const FabricFamily& hyperxFamily();           // families/hyperx.cpp
const FabricFamily& expanderFamily();         // families/expander.cpp
const FabricFamily& slimFlyFamily();          // families/slimfly.cpp
const FabricFamily& tpuV4Family();            // families/tpuv4.cpp
const FabricFamily& twistedTorusFamily();     // families/twistedtorus.cpp
const FabricFamily& cubeMeshFamily();         // families/cubemesh.cpp
const FabricFamily& nvl72Family();            // families/switchplanes.cpp
/// One host alone; not in the list, as there is nothing to choose. In families/alone.cpp.
const FabricFamily& aloneFamily();

} // namespace fabricscope
