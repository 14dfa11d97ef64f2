// costs: prices, power and failures of the parts, instead of those of the table.
#include "core/design/file/costsection.h"

#include "core/platform/valueranges.h"

namespace fabricscope {

namespace {

/// A number from `least` to `most`, what can be meant; `zero`: or 0.
template <class Config>
SectionField<Config> givenNumber(const char* key, std::optional<double> Config::* member, double least, double most, const char* text, bool zero = false)
{
    return givenField(key, member, text,
                      [least, most, zero](const MapReader& map, const char* of) {
                          std::optional<double> value = map.number(of, 0);
                          const bool meant = value && ((*value >= least && *value <= most) || (zero && *value == 0));
                          if (value && !meant) {
                              map.error(of, decimal(*value) + " cannot be meant", (zero ? "0, or " : "") + decimal(least) + " to " + decimal(most));
                              value.reset();
                          }
                          return value;
                      },
                      [](double value) { return decimal(value); });
}

/// A quantity in the range of its meaning.
template <class Config>
SectionField<Config> meantQuantity(const char* key, std::optional<Quantity> Config::* member, Meaning meaning, const char* text)
{
    return givenField(key, member, text,
                      [meaning](const MapReader& map, const char* of) {
                          std::optional<Quantity> value = map.quantity(of, valueRange(meaning).measure);
                          if (!value)
                              return value;
                          if (const Status status = checkValue(*value, meaning, of); !status) {
                              map.error(of, status.error().message, status.error().expected);
                              value.reset();
                          }
                          return value;
                      },
                      [](const Quantity& value) { return value.text(); });
}

constexpr double kCent = 0.01;

constexpr double kMostDollars = 1e12;
constexpr double kMostWatts = 1e9;
constexpr double kMostHours = 1e12;

SectionField<CostConfig> partField(const char* key, PartFigures CostConfig::* member, const char* text)
{
    SectionField<CostConfig> field{key, text, {}, {}, {}, {}};
    for (const SectionField<PartFigures>& of : partFigureFields())
        field.inner.push_back(ofPart(member, of));
    return field;
}

} // namespace

const SectionFields<PartFigures>& partFigureFields()
{
    using Config = PartFigures;
    static const SectionFields<Config> fields{
        givenNumber("price", &Config::price, kCent, kMostDollars, "US$", true),
        givenNumber("power", &Config::power, 1e-3, kMostWatts, "W", true),
        givenNumber("mtbf", &Config::mtbf, 1e-3, kMostHours, "hours between failures of one"),
        textField("source", &Config::source, "where the figures are from"),
    };
    return fields;
}

const SectionFields<CheckpointConfig>& checkpointFields()
{
    using Config = CheckpointConfig;
    static const SectionFields<Config> fields{
        meantQuantity("time", &Config::time, Meaning::Duration, "that a checkpoint stops the step"),
        meantQuantity("bytes", &Config::bytes, Meaning::Data, "instead of time: what is written"),
        meantQuantity("rate", &Config::rate, Meaning::Rate, "and how fast"),
        meantQuantity("restart", &Config::restart, Meaning::Duration, "to detect, start again and read"),
        meantQuantity("interval", &Config::interval, Meaning::Duration, "useful time between checkpoints; absent: the best"),
    };
    return fields;
}

const SectionFields<CostConfig>& costFields()
{
    using Config = CostConfig;
    static const SectionFields<Config> fields = [] {
        SectionField<Config> checkpoint{"checkpoint", "of the state of a run", {}, {}, {}, {}};
        for (const SectionField<CheckpointConfig>& of : checkpointFields())
            checkpoint.inner.push_back(ofPart(&Config::checkpoint, of));
        return SectionFields<Config>{
            partField("host", &Config::host, "a machine of several NPUs, its NICs included"),
            partField("npu", &Config::npu, "one that is in no host"),
            partField("switch", &Config::networkSwitch, "outside of hosts"),
            partField("cable", &Config::cable, "outside of enclosures, both ends included"),
            wordField("cables", &Config::cables, kCablePricings, "or plain: one price for any length"),
            givenNumber("length", &Config::length, 0.01, 1e5, "metres of every cable outside of enclosures", true),
            givenNumber("facility", &Config::facility, kCent, kMostDollars, "US$ for each host, once", true),
            givenNumber("pue", &Config::pue, 1, 10, "power of the site over that of the machines"),
            givenNumber("electricity", &Config::electricity, 1e-6, 1000, "US$ per kWh", true),
            givenNumber("life", &Config::life, 1e-3, 1000, "years"),
            givenNumber("repair", &Config::repair, 1e-6, 100, "share of the capital a year", true),
            givenNumber("software_mtbf", &Config::softwareMtbf, 1e-3, kMostHours, "hours between failures of the software of the whole job"),
            flagField("reroute", &Config::reroute, "a failed cable or switch does not stop the job"),
            checkpoint,
        };
    }();
    return fields;
}

namespace {

CostConfig costsIn(FieldContext& context, const YamlNode& node)
{
    CostConfig config;
    readFields(context, node, "costs", costFields(), config);
    const CheckpointConfig& kept = config.checkpoint;
    const auto refuse = [&](const char* key, std::string message, std::string expected) {
        const YamlEntry* const checkpoint = node.find("checkpoint");
        const YamlEntry* const entry = checkpoint ? checkpoint->value.find(key) : nullptr;
        context.error(entry ? entry->value : node, "costs.checkpoint." + std::string(key), std::move(message), std::move(expected));
    };
    if (kept.time && kept.bytes)
        refuse("bytes", "time and bytes both say how long a checkpoint takes", "one of them");
    else if (kept.bytes.has_value() != kept.rate.has_value())
        refuse(kept.bytes ? "bytes" : "rate", "bytes and rate stand together", "both, or time");
    else if (kept.interval && !(kept.interval->base() > 0))
        refuse("interval", "no useful time between checkpoints", "more than 0 s");
    return config;
}

} // namespace

void readCostSection(DesignReading& reading, const YamlNode& node)
{
    static_cast<void>(costsIn(reading.fields, node));
}

Result<std::optional<CostConfig>> readCosts(const YamlDocument& document)
{
    const YamlEntry* const entry = document.root().isMap() ? document.root().find("costs") : nullptr;
    if (!entry || entry->value.isNull())
        return std::optional<CostConfig>();
    FieldContext context(document);
    CostConfig config = costsIn(context, entry->value);
    if (context.hasErrors())
        return *context.firstError();
    return std::optional(std::move(config));
}

} // namespace fabricscope
