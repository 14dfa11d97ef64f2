#include "core/base/decimal.h"
#include "core/design/file/sectionfields.h"

namespace fabricscope {

namespace {

constexpr auto kMostNpus = static_cast<std::int32_t>(kMaxNpus);
constexpr std::int64_t kFarthestDrawn = 1'000'000; ///< Pixels, as DrawnAt::kFarthest.
constexpr KeyTable<NodeKind, 3> kNodeKinds{{{"npu", NodeKind::Npu}, {"switch", NodeKind::Switch}, {"memory", NodeKind::Memory}}};
constexpr KeyTable<Shape, 3> kShapes{{{"ring", Shape::Ring}, {"fully_connected", Shape::FullyConnected}, {"switch", Shape::Switch}}};

/// What the switches of a dimension, or one switch of a graph, do in the network.
template <class Config>
SectionField<Config> offloadField(bool (*isSwitch)(const Config&))
{
    return {"in_network", "",
            [isSwitch](const MapReader& map, Config& config) {
                const YamlNode* node = map.node("in_network");
                if (!node)
                    return;
                if (!isSwitch(config))
                    map.error("in_network", "only switches reduce and copy in the network", "a switch, or no in_network");
                readFields(map.context(), *node, map.field("in_network"), offloadFields(), config.offload.emplace());
            },
            [](MapBuilder& map, const Config& config, const Writing& how) {
                if (config.offload)
                    map.add("in_network", fieldsTree(offloadFields(), *config.offload, how));
            },
            [](const Config&, const auto&) {}, {}};
}

/// What may pass through the switches of a dimension, or through one switch of a graph. How much it may be is checked with the platform.
template <class Config>
SectionField<Config> crossbarField(bool (*isSwitch)(const Config&))
{
    SectionField<Config> field = givenQuantity("crossbar", &Config::crossbar, Measure::Bandwidth, "of switches: bytes passed on per second over all ports, usually any number");
    field.read = [isSwitch, read = std::move(field.read)](const MapReader& map, Config& config) {
        read(map, config);
        if (!isSwitch(config) && map.has("crossbar"))
            map.error("crossbar", "only switches have a crossbar", "a switch, or no crossbar; budgets limit NPUs");
    };
    return field;
}

/// Of one link, or of all links of an NPU together: exactly one of the two.
SectionField<Dimension> dimensionRate(const char* key, bool perNpu, const char* text)
{
    return {key, text,
            [key, perNpu](const MapReader& map, Dimension& dimension) {
                const bool both = map.has("bandwidth") && map.has("npu_bandwidth");
                if (!perNpu && map.map().isMap() && map.has("bandwidth") == map.has("npu_bandwidth"))
                    map.context().error(map.map(), map.path(), both ? "both \"bandwidth\" and \"npu_bandwidth\" are given" : "no bandwidth is given",
                                        "bandwidth (of one link) or npu_bandwidth (of all links of one NPU)");
                if (map.has("npu_bandwidth") != perNpu)
                    return;
                dimension.bandwidthIsPerNpu = perNpu;
                dimension.bandwidth = map.quantity(key, Measure::Bandwidth).value_or(dimension.bandwidth);
            },
            [key, perNpu](MapBuilder& map, const Dimension& dimension, const Writing&) {
                if (dimension.bandwidthIsPerNpu == perNpu)
                    map.add(key, dimension.bandwidth);
            },
            [](const Dimension&, const auto&) {}, {}};
}

/// Written where no nodes are listed.
SectionField<Placement::Job> byFormula(SectionField<Placement::Job> field)
{
    field.write = [write = std::move(field.write)](MapBuilder& map, const Placement::Job& job, const Writing& how) {
        if (job.nodes.empty())
            write(map, job, how);
    };
    return field;
}

} // namespace

const SectionFields<SwitchOffload>& offloadFields()
{
    using Config = SwitchOffload;
    static const SectionFields<Config> fields{
        givenQuantity("reduction", &Config::reduction, Measure::Bandwidth, ""),
        givenQuantity("multicast", &Config::multicast, Measure::Bandwidth, ""),
        givenQuantity("buffer", &Config::buffer, Measure::Size, ""),
        quantityField("latency", &Config::latency, Measure::Time, ""),
        flagField("shares", &Config::shares, "every member fetches the sum of its share and hands it back: of n members links carry 1/n more"),
        givenFraction("efficiency", &Config::efficiency, "payload and bytes on the links of collectives done by the switch"),
    };
    return fields;
}

const SectionFields<Dimension>& dimensionFields(bool sized)
{
    using Config = Dimension;
    const auto made = [](bool sizesSay) {
        SectionField<Config> size = saidWhole("size", &Config::size, 1, kMostNpus, "NPUs along it");
        return SectionFields<Config>{
            required(saidWord("shape", &Config::shape, kShapes, "ring, fully_connected, switch")),
            sizesSay ? size : required(size),
            {"sizes", "in the first dimension", // read with the second (fabricfiles.h)
             [](const MapReader& map, Config&) {
                 if (map.has("size") && map.has("sizes"))
                     map.error("sizes", "both \"size\" and \"sizes\" are given", "size, or sizes for groups of unequal size");
             },
             [](MapBuilder&, const Config&, const Writing&) {}, [](const Config&, const auto&) {}, {}},
            dimensionRate("bandwidth", false, "of one link"),
            dimensionRate("npu_bandwidth", true, "of all links of one NPU together"),
            required(quantityField("latency", &Config::latency, Measure::Time, "of one link")),
            offloadField<Config>([](const Config& dimension) { return dimension.shape == Shape::Switch; }),
            crossbarField<Config>([](const Config& dimension) { return dimension.shape == Shape::Switch; }),
        };
    };
    static const SectionFields<Config> alone = made(false);
    static const SectionFields<Config> ofUnequal = made(true);
    return sized ? ofUnequal : alone;
}

const SectionFields<ExplicitNode>& nodeFields()
{
    using Config = ExplicitNode;
    static const SectionFields<Config> fields{
        required(saidText("name", &Config::name, "")),
        wordField("kind", &Config::kind, kNodeKinds, "npu (usual), switch, memory"),
        offloadField<Config>([](const Config& node) { return node.kind == NodeKind::Switch; }),
        crossbarField<Config>([](const Config& node) { return node.kind == NodeKind::Switch; }),
        {"forwards", "of NPUs: false where they never pass on what is not for them",
         [](const MapReader& map, Config& node) {
             node.forwards = map.boolean("forwards").value_or(true);
             if (node.kind != NodeKind::Npu && map.has("forwards"))
                 map.error("forwards", "only of NPUs it is said whether they pass on what is not for them", "no forwards: switches do, memories do not");
         },
         [](MapBuilder& map, const Config& node, const Writing&) {
             if (!node.forwards)
                 map.add("forwards", "false");
         },
         [](const Config&, const auto&) {}, {}},
        // Of the text alone: the window draws from it (edits/graphedits.h), and it decides no result.
        {"at", "where it is drawn",
         [](const MapReader& map, Config&) {
             const auto ends = map.list("at");
             if (map.has("at") && ends.size() != 2)
                 return map.error("at", "a place has two numbers", "[x, y] in pixels, y downwards");
             for (const auto& [end, field] : ends)
                 static_cast<void>(readInteger(map.context(), *end, field, -kFarthestDrawn, kFarthestDrawn));
         },
         [](MapBuilder&, const Config&, const Writing&) {}, [](const Config&, const auto&) {}, {}},
    };
    return fields;
}

const SectionFields<NpuSpec>& npuFields()
{
    using Config = NpuSpec;
    static const SectionFields<Config> fields{
        givenQuantity("peak", &Config::peak, Measure::ComputeRate, "for compute steps given in operations"),
        givenQuantity("memory_bandwidth", &Config::memoryBandwidth, Measure::Bandwidth, "for compute steps with bytes, and for reductions"),
        givenQuantity("memory", &Config::memory, Measure::Size, "more live bytes than this are reported"),
    };
    return fields;
}

const SectionFields<NpuSpec>& budgetFields()
{
    using Config = NpuSpec;
    static const SectionFields<Config> fields{
        givenQuantity("injection", &Config::injection, Measure::Bandwidth, ""),
        givenQuantity("ejection", &Config::ejection, Measure::Bandwidth, ""),
    };
    return fields;
}

const SectionFields<NpuOverride>& npuOverrideFields()
{
    using Config = NpuOverride;
    static const SectionFields<Config> fields{
        required(saidWhole("npu", &Config::node, 0, kMostNpus - 1, "")),
        givenField("speed", &Config::speed, "factor on all compute", [](const MapReader& map, const char* key) { return map.number(key, 0); }, [](double value) { return decimal(value); }),
        givenQuantity("peak", &Config::peak, Measure::ComputeRate, ""),
        givenQuantity("memory_bandwidth", &Config::memoryBandwidth, Measure::Bandwidth, ""),
        givenQuantity("memory", &Config::memory, Measure::Size, ""),
        flagField("removed", &Config::removed, "with all its links"),
    };
    return fields;
}

const SectionFields<Placement::Job>& placedJobFields()
{
    using Config = Placement::Job;
    static const SectionFields<Config> fields{
        textField("name", &Config::name, ""),
        byFormula(saidWhole("ranks", &Config::ranks, 1, kMostNpus, "")),
        byFormula(wholeField("first_node", &Config::firstNode, 0, kMostNpus - 1, "")),
        byFormula(wholeField("stride", &Config::stride, 1, kMostNpus, "")),
        {"nodes", "one per rank",
         [read = wholesField("nodes", &Config::nodes, 0, kMostNpus - 1, "").read](const MapReader& map, Config& job) {
             read(map, job);
             if (!map.has("nodes")) {
                 map.required("ranks");
                 return;
             }
             if (map.has("first_node") || map.has("stride"))
                 map.error("nodes", "listed nodes need neither first_node nor stride");
             const auto count = static_cast<std::int32_t>(job.nodes.size());
             if (map.has("ranks") && job.ranks != count)
                 map.error("ranks", std::to_string(job.ranks) + " ranks on " + std::to_string(count) + " listed nodes", "one node per rank");
             job.ranks = count;
         },
         [](MapBuilder& map, const Config& job, const Writing&) { map.addFilled("nodes", wholesTree(job.nodes)); },
         [](const Config&, const auto&) {}, {}},
    };
    return fields;
}

const SectionFields<Design>& placementFields()
{
    static const SectionFields<Design> fields{required(listField("jobs", &Design::jobs, placedJobFields, ""))};
    return fields;
}

} // namespace fabricscope
