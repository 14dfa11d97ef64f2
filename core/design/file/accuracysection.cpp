#include "core/design/accuracyconfig.h"
#include "core/design/file/reader.h"
#include "core/design/file/sectionfields.h"
#include "core/design/sectionchecks.h"

namespace fabricscope {

namespace {

constexpr double kMostError = 1e6;    ///< Per cent.
constexpr double kAnyNumber = -1e300; ///< The check says which.

} // namespace

const SectionFields<AccuracyConfig>& accuracyFields()
{
    using Config = AccuracyConfig;
    static const SectionFields<Config> fields{
        {"error", "per cent: geometric mean of the larger over the smaller of measured and simulated, less 1",
         [](const MapReader& map, Config& config) {
             map.required("error");
             config.errorPct = map.number("error", kAnyNumber).value_or(0);
         },
         [](MapBuilder& map, const Config& config, const Writing&) { map.add("error", decimal(config.errorPct)); },
         [](const Config& config, const auto& tell) {
             if (!(config.errorPct >= 0) || config.errorPct > kMostError)
                 tell("error", "not an error", "0 to 1000000 per cent");
         },
         {}},
        givenQuantity("min_size", &Config::minSize, Measure::Size, "of collectives that were measured"),
        givenQuantity("max_size", &Config::maxSize, Measure::Size, ""),
        givenWhole("min_ranks", &Config::minRanks, 1, static_cast<std::int32_t>(kMaxNpus), "of their groups"),
        givenWhole("max_ranks", &Config::maxRanks, 1, static_cast<std::int32_t>(kMaxNpus), ""),
        textField("source", &Config::source, "who measured"),
    };
    return fields;
}

void readAccuracySection(DesignReading& reading, const YamlNode& node)
{
    AccuracyConfig config;
    readFields(reading.fields, node, "accuracy", accuracyFields(), config);
    reading.design.accuracy = std::make_shared<const AccuracyConfig>(std::move(config));
}

YamlNode accuracyTree(const Design& design, DesignForm form)
{
    // It decides no time.
    return design.accuracy && form != DesignForm::Canonical ? fieldsTree(accuracyFields(), *design.accuracy) : YamlNode::map();
}

Diagnostics validateAccuracy(const Design& design, const std::stop_token&)
{
    Diagnostics problems;
    if (!design.accuracy)
        return problems;
    const AccuracyConfig& config = *design.accuracy;
    const auto add = [&](const std::string& key, std::string message, std::string expected) {
        problems.push_back(finding("accuracy", invalidInput(std::move(message), design.place("accuracy." + key), std::move(expected))));
    };
    checkFields<AccuracyConfig>(accuracyFields(), config, add);
    if (config.minSize && config.maxSize && toBytes(*config.minSize).value > toBytes(*config.maxSize).value)
        add("max_size", "no size is in this range", "at least min_size");
    if (config.minRanks && config.maxRanks && *config.minRanks > *config.maxRanks)
        add("max_ranks", "no group is in this range", "at least min_ranks");
    return problems;
}

} // namespace fabricscope
