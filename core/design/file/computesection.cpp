#include "core/design/computeconfig.h"
#include "core/base/decimal.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/modelversions.h"
#include "core/design/plankernels.h"
#include "core/design/sectionchecks.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kMostPoints = 4096;

/// A table that `of` finds in a Config. What is wrong in it depends on its other entries: the checks of the section.
template <class Config, class Of>
SectionField<Config> pointsField(const char* key, Of of, Measure measure, const char* text)
{
    return {key, text,
            [key, of, measure](const MapReader& map, Config& config) { of(config) = readList(map, key, pointFields(measure)); },
            [key, of, measure](MapBuilder& map, const Config& config, const Writing& how) { map.addFilled(key, listTree(pointFields(measure), of(config), how)); },
            [](const Config&, const auto&) {}, {}};
}

/// A share that may be absent: above 0, at most 1.
template <class Config>
SectionField<Config> givenShare(const char* key, std::optional<double> Config::* member, const char* text)
{
    return checked(givenField(key, member, text, [](const MapReader& map, const char* of) { return readShare(map, of); }, [](double value) { return decimal(value); }),
                   [key, member](const Config& config, const auto& tell) {
                       if (const auto& share = config.*member; share && (!(*share >= kLeastShare) || *share > 1))
                           tell(key, "not a share", "above 0, at most 1");
                   });
}

/// A time of at most a second; what times can be at all is checked with all values (valuechecks.cpp).
template <class Config>
SectionField<Config> givenShortTime(const char* key, std::optional<Quantity> Config::* member, const char* text)
{
    return checked(givenQuantity(key, member, Measure::Time, text), [key, member](const Config& config, const auto& tell) {
        if (const std::optional<Quantity>& value = config.*member; value && value->base() > 1)
            tell(key, "not possible here", "a time of at most 1 s");
    });
}

/// `kernels: {...}`, or `kernels: MACHINE`.
SectionField<ComputeConfig> kernelsField()
{
    constexpr const char* kKey = "kernels";
    SectionField<ComputeConfig> field = givenPart(kKey, &ComputeConfig::kernels, kernelFields, "of ops of a plan, instead of the tables; what is left out is off; or a machine");
    field.read = [whole = std::move(field.read)](const MapReader& map, ComputeConfig& config) {
        const YamlNode* const node = map.node(kKey);
        if (node && !node->isScalar())
            return whole(map, config);
        if (const auto machine = node ? map.choice<FittedMachine>(kKey, {kFittedMachines.begin(), kFittedMachines.end()}) : std::nullopt)
            config.kernels.emplace().machine = machine;
    };
    return field;
}

/// Collects what is wrong.
class Checker {
public:
    explicit Checker(const Design& design) : m_design(design) {}

    Diagnostics run()
    {
        const ComputeConfig& config = *m_design.compute;
        checkTable(config.efficiency, "compute.efficiency");
        for (std::size_t i = 0; i < config.kinds.size(); ++i) {
            const std::string field = "compute.efficiency.kinds[" + std::to_string(i) + "]";
            if (config.kinds[i].name.empty())
                add(field + ".name", "no name", "a pattern such as \"*gemm*\"");
            if (config.kinds[i].table == EfficiencyTable{})
                add(field, "nothing says how efficient these tasks are", "operations, bytes");
            checkTable(config.kinds[i].table, field);
        }
        checkFields<ComputeConfig>(computeFields(), config, teller("compute."));
        checkKernels();
        if (m_found.empty())
            findUnused(config);
        return std::move(m_found);
    }

private:
    void add(const std::string& field, std::string message, std::string expected)
    {
        m_found.push_back(finding("compute", invalidInput(std::move(message), m_design.place(field), std::move(expected))));
    }
    /// Adds what fields say of themselves, below `path`.
    std::function<void(const std::string&, std::string, std::string)> teller(std::string path)
    {
        return [this, path = std::move(path)](const std::string& key, std::string message, std::string expected) {
            add(path + key, std::move(message), std::move(expected));
        };
    }
    void unused(const std::string& field, std::string message) { m_found.push_back(warning("unused-setting", std::move(message), m_design.place(field))); }

    void checkKernels()
    {
        const Model model = m_design.model.model;
        const std::string version = versionUsed(model, m_design.model.version);
        if (m_design.compute->kernels && traitsOf(model).npuDetails && rulesNumber(version) < kLibraryRules)
            m_found.push_back(finding("compute", Error{ErrorCode::Unsupported, "the rules of " + version + " know no kernels", m_design.place("compute.kernels"), std::string(currentVersion(model)) + ", or no version"}));
    }

    void findUnusedKernels(const ComputeConfig& config)
    {
        if (!config.kernels)
            return;
        if (const std::string why = whyNoKernels(m_design); !why.empty()) {
            unused("compute.kernels", why + ": these are not used");
            return;
        }
        if (config.hasEfficiency())
            unused("compute.efficiency", "ops of the plan are kernels: the tables are not used");
        const auto& npus = m_design.platform->npuOverrides;
        const auto other = std::find_if(npus.begin(), npus.end(), [](const NpuOverride& npu) { return npu.peak || npu.memoryBandwidth; });
        if (other != npus.end())
            unused("compute.kernels", "kernels take as long on every NPU as on that of the platform, but for its speed: peak and memory_bandwidth of NPU " + std::to_string(other->node) + " are not used");
    }

    void checkTable(const EfficiencyTable& table, const std::string& field)
    {
        checkPoints(table.operations, Measure::Operations, field + ".operations");
        checkPoints(table.bytes, Measure::Size, field + ".bytes");
    }

    void checkPoints(const std::vector<EfficiencyPoint>& points, Measure measure, const std::string& field)
    {
        if (points.size() > kMostPoints)
            add(field, std::to_string(points.size()) + " entries", "at most " + std::to_string(kMostPoints));
        std::int64_t before = -1;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const EfficiencyPoint& point = points[i];
            const std::string entry = field + "[" + std::to_string(i) + "]";
            checkFields<EfficiencyPoint>(pointFields(measure), point, teller(entry + '.'));
            if (!point.upTo) {
                if (i + 1 < points.size())
                    add(entry, "only the last entry may leave out up_to", "up_to");
                else if (m_design.compute->linear && points.size() > 1)
                    add(entry, "straight lines need an end", "up_to; larger ones take the share of the last entry");
                continue;
            }
            if (point.upTo->measure != measure || !(point.upTo->value >= 0)) {
                add(entry + ".up_to", "not possible here", measure == Measure::Size ? "a size such as 1 MiB" : "operations such as 1 GFLOP");
                continue;
            }
            if (point.upTo->value == 0 && i + 1 < points.size())
                add(entry + ".up_to", "nothing is that small", "more than 0, or no such entry");
            const std::int64_t amount = measure == Measure::Size ? toBytes(*point.upTo).value : toOperations(*point.upTo);
            if (amount <= before)
                add(entry + ".up_to", "not larger than the entry before", "ascending entries");
            before = amount;
        }
    }

    void findUnused(const ComputeConfig& config)
    {
        findUnusedKernels(config);
        if (!traitsOf(m_design.model.model).npuDetails) {
            if (config.hasEfficiency())
                unused("compute.efficiency", "astra-* models have no efficiency tables: these are not used");
            if (config.slowdown)
                unused("compute.slowdown", "under astra-* models collectives do not slow down computation: this is not used");
            return;
        }
        const bool roofline = m_design.astra ? m_design.astra->roofline && !m_design.astra->replayOnly : m_design.model.roofline;
        if (config.hasEfficiency() && !roofline)
            unused("compute.efficiency", "without roofline no time follows from operations and bytes: the tables are not used");
        if (config.slowdown && config.slowdown->smShare == 0 && config.slowdown->bandwidthShare == 0 && config.slowdown->reducerLoss == 0)
            unused("compute.slowdown", "no share is taken: the slow-down is not used");
        if (config.memory && !config.memory->follow && !config.memory->resident.empty())
            unused("compute.memory.resident", "live bytes are not followed: resident memory is not used");
    }

    const Design& m_design;
    Diagnostics m_found;
};

} // namespace

const SectionFields<SlowdownConfig>& slowdownFields()
{
    using Config = SlowdownConfig;
    static const SectionFields<Config> fields{
        lossField("sm_share", &Config::smShare, "of the peak"),
        lossField("bandwidth_share", &Config::bandwidthShare, "of the memory bandwidth"),
        lossField("most_share", &Config::mostShare, "all collectives together take no more"),
        lossField("reducer_loss", &Config::reducerLoss, "share of its rate that a reducer loses while its NPU computes"),
    };
    return fields;
}

const SectionFields<EfficiencyPoint>& pointFields(Measure measure)
{
    using Config = EfficiencyPoint;
    const auto made = [](Measure of) {
        return SectionFields<Config>{
            givenQuantity("up_to", &Config::upTo, of, ""),
            {"share", of == Measure::Operations ? "of the peak" : "of the memory bandwidth",
             [](const MapReader& map, Config& config) {
                 map.required("share");
                 config.share = readShare(map, "share").value_or(1);
             },
             [](MapBuilder& map, const Config& config, const Writing&) { map.add("share", decimal(config.share)); },
             [](const Config& config, const auto& tell) {
                 if (!(config.share >= kLeastShare) || config.share > 1)
                     tell("share", "not a share", "above 0, at most 1");
             },
             {}},
        };
    };
    static const SectionFields<Config> operations = made(Measure::Operations);
    static const SectionFields<Config> bytes = made(Measure::Size);
    return measure == Measure::Operations ? operations : bytes;
}

const SectionFields<EfficiencyKind>& kindFields()
{
    using Config = EfficiencyKind;
    static const SectionFields<Config> fields{
        required(saidText("name", &Config::name, "")),
        pointsField<Config>("operations", [](auto& config) -> auto& { return config.table.operations; }, Measure::Operations, ""),
        pointsField<Config>("bytes", [](auto& config) -> auto& { return config.table.bytes; }, Measure::Size, ""),
    };
    return fields;
}

const SectionFields<KernelConfig>& kernelFields()
{
    using Config = KernelConfig;
    constexpr double kLeastTraffic = 0.001;
    constexpr double kMostTraffic = 1000;
    static const SectionFields<Config> fields{
        givenWord("machine", &Config::machine, kFittedMachines, "terms fitted to measured steps (manual: accuracy 4)"),
        givenShortTime("start", &Config::start, "of every kernel"),
        givenShare("share", &Config::share, "of the peak, products while all units work"),
        givenShare("attention_share", &Config::attention, "the same of attention"),
        givenShare("memory_share", &Config::memory, "of the memory bandwidth"),
        checked(givenField("traffic", &Config::traffic, "other kernels move so many times the bytes of their tensors", [](const MapReader& map, const char* of) { return map.number(of, 0); }, [](double value) { return decimal(value); }),
                [](const Config& config, const auto& tell) {
                    if (config.traffic && (!(*config.traffic >= kLeastTraffic) || *config.traffic > kMostTraffic))
                        tell("traffic", "not possible here", "0.001 to 1000");
                }),
        givenWhole("units", &Config::units, 0, 1'000'000, "among which tiles of 128 x 128 of a product are dealt out; 0: no tiles"),
        givenQuantity("fp8_peak", &Config::fp8Peak, Measure::ComputeRate, "of FP8 products; absent: the peak"),
        givenQuantity("fp32_peak", &Config::fp32Peak, Measure::ComputeRate, "of models that compute in FP32"),
        givenShortTime("layer", &Config::layer, "in which the host launches a layer, forward and backward, of a micro-batch in training"),
    };
    return fields;
}

const SectionFields<MemoryConfig>& memoryFields()
{
    using Config = MemoryConfig;
    static const SectionFields<Config> fields{
        {"follow", "",
         [](const MapReader& map, Config& config) { config.follow = map.boolean("follow").value_or(true); },
         [](MapBuilder& map, const Config& config, const Writing&) { map.add("follow", config.follow ? "true" : "false"); },
         [](const Config&, const auto&) {}, {}},
        {"resident", "there all the time; or one size",
         [](const MapReader& map, Config& config) {
             const YamlNode* node = map.node("resident");
             if (!node || !node->isScalar())
                 config.resident = readList(map, "resident", residentFields());
             else if (auto bytes = map.quantity("resident", Measure::Size))
                 config.resident.push_back({"resident", std::move(*bytes), {}});
         },
         [](MapBuilder& map, const Config& config, const Writing&) { map.addFilled("resident", listTree(residentFields(), config.resident)); },
         [](const Config& config, const auto& tell) { checkList("resident", residentFields(), config.resident, tell); }, {}},
    };
    return fields;
}

const SectionFields<ResidentMemory>& residentFields()
{
    using Config = ResidentMemory;
    static const SectionFields<Config> fields{
        {"name", "",
         [](const MapReader& map, Config& config) { config.name = map.text("name").value_or("resident"); },
         [](MapBuilder& map, const Config& config, const Writing&) { map.add("name", config.name); },
         [](const Config&, const auto&) {}, {}},
        checked(required(quantityField("bytes", &Config::bytes, Measure::Size, "")),
                [](const Config& config, const auto& tell) {
                    if (config.bytes.measure != Measure::Size || !(config.bytes.value >= 0) || config.bytes.base() > 7e16)
                        tell("bytes", "not a size", "a size of at most 64 PiB");
                }),
        ranksField("ranks", &Config::ranks, ""),
    };
    return fields;
}

const SectionFields<ComputeConfig>& computeFields()
{
    using Config = ComputeConfig;
    static constexpr KeyTable<bool, 2> kInterpolations{{{"steps", false}, {"linear", true}}};
    static const SectionFields<Config> fields{
        {"efficiency", "of compute steps given in operations and bytes", {}, {}, {},
         {written(wordField("interpolation", &Config::linear, kInterpolations, "the first entry whose up_to is not exceeded; linear: straight lines between the entries"),
                  [](MapBuilder& map, const Config& config, const Writing& how) {
                      if (config.hasEfficiency() && (how.form == DesignForm::Canonical || config.linear))
                          map.add("interpolation", std::string(keyOf(kInterpolations, config.linear)));
                  }),
          pointsField<Config>("operations", [](auto& config) -> auto& { return config.efficiency.operations; }, Measure::Operations, "share of the peak"),
          pointsField<Config>("bytes", [](auto& config) -> auto& { return config.efficiency.bytes; }, Measure::Size, "share of the memory bandwidth"),
          listField("kinds", &Config::kinds, kindFields, "tables of steps by name")}},
        kernelsField(),
        givenPart("memory", &Config::memory, memoryFields, "live bytes of every rank"),
        givenPart("slowdown", &Config::slowdown, slowdownFields, "what a collective under way takes from the computation of its NPU"),
    };
    return fields;
}

void readComputeSection(DesignReading& reading, const YamlNode& node)
{
    ComputeConfig config;
    readFields(reading.fields, node, "compute", computeFields(), config);
    if (!(config == ComputeConfig{}))
        reading.design.compute = std::make_shared<const ComputeConfig>(std::move(config));
}

YamlNode computeTree(const Design& design, DesignForm form)
{
    return design.compute ? fieldsTree(computeFields(), *design.compute, {form}) : YamlNode::map();
}

Diagnostics validateCompute(const Design& design, const std::stop_token&)
{
    return design.compute ? Checker(design).run() : Diagnostics{};
}

} // namespace fabricscope
