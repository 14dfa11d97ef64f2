#include "core/report/accuracyfigures.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/design/accuracyconfig.h"
#include "core/report/runsummary.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

/// Least and most of something that a run has.
struct SeenRange {
    std::int64_t least = INT64_MAX;
    std::int64_t most = 0;

    void add(std::int64_t value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    bool empty() const { return least > most; }
};

std::string percent(double value)
{
    return shortDecimal(std::llround(value * 10), 1) + " %";
}

std::string rangeText(const std::string& least, const std::string& most, const std::string& unit)
{
    if (least.empty() && most.empty())
        return {};
    if (least == most)
        return least + unit;
    return (least.empty() ? "up to " : least) + (least.empty() || most.empty() ? "" : " to ") + (most.empty() ? " and more" : most) + unit;
}

std::string measuredText(const AccuracyConfig& config)
{
    const auto size = [](const std::optional<Quantity>& value) { return value ? showBytes(toBytes(*value)) : std::string(); };
    const auto count = [](const std::optional<std::int32_t>& value) { return value ? std::to_string(*value) : std::string(); };
    const std::string sizes = rangeText(size(config.minSize), size(config.maxSize), "");
    const std::string ranks = rangeText(count(config.minRanks), count(config.maxRanks), " ranks");
    return sizes + (sizes.empty() || ranks.empty() ? "" : ", ") + ranks;
}

} // namespace

AccuracyFigures accuracyFigures(const Scenario& scenario)
{
    AccuracyFigures figures;
    if (!scenario.accuracy)
        return figures;
    const AccuracyConfig& config = *scenario.accuracy;
    figures.errorPct = config.errorPct;
    figures.measured = measuredText(config);
    figures.source = config.source;
    SeenRange bytes, ranks;
    const Structure& structure = *scenario.structure;
    for (const CollectiveInstance& instance : structure.instances) {
        if (!instance.program || instance.replayPs >= 0)
            continue;
        bytes.add(instance.bytes);
        ranks.add(structure.workload->families[static_cast<std::size_t>(instance.family)].groupSize(instance.group));
    }
    if (bytes.empty())
        return figures;
    const auto tell = [&](bool is, std::string what) {
        if (is)
            figures.outside.push_back(std::move(what));
    };
    const auto sizeOf = [](const std::optional<Quantity>& value, std::int64_t usual) { return value ? toBytes(*value).value : usual; };
    tell(bytes.least < sizeOf(config.minSize, 0), "a collective of " + showBytes({bytes.least}) + ", smaller than any that was measured");
    tell(bytes.most > sizeOf(config.maxSize, INT64_MAX), "a collective of " + showBytes({bytes.most}) + ", larger than any that was measured");
    tell(config.minRanks && ranks.least < *config.minRanks, "a group of " + std::to_string(ranks.least) + " ranks, smaller than any that was measured");
    tell(config.maxRanks && ranks.most > *config.maxRanks, "a group of " + std::to_string(ranks.most) + " ranks, larger than any that was measured");
    return figures;
}

std::string errorText(std::optional<double> errorPct)
{
    return errorPct ? percent(*errorPct) + " off" : "not measured";
}

std::string accuracyText(const AccuracyFigures& figures)
{
    if (!figures.errorPct)
        return errorText({});
    return errorText(figures.errorPct) + (figures.measured.empty() ? "" : ", measured for " + figures.measured) + (figures.source.empty() ? "" : " (" + figures.source + ')');
}

void writeAccuracy(JsonWriter& json, const AccuracyFigures& figures)
{
    json.beginObject();
    json.key("error_pct");
    figures.errorPct ? json.number(decimal(*figures.errorPct)) : json.null();
    json.member("measured", figures.measured);
    json.member("source", figures.source);
    json.key("outside");
    json.beginArray();
    for (const std::string& what : figures.outside)
        json.string(what);
    json.endArray();
    json.endObject();
}

std::optional<double> errorOfBoth(const std::optional<AccuracyFigures>& a, const std::optional<AccuracyFigures>& b)
{
    if (!a || !b || !a->errorPct || !b->errorPct)
        return std::nullopt;
    return std::max(*a->errorPct, *b->errorPct);
}

bool isWithinError(double a, double b, double errorPct)
{
    const double least = std::min(a, b);
    return least > 0 && (std::max(a, b) / least - 1) * 100 < errorPct;
}

std::string notDistinguishable(SimTime a, SimTime b, std::optional<double> errorPct)
{
    if (!errorPct || a.ps <= 0 || b.ps <= 0)
        return {};
    const double apart = (static_cast<double>(std::max(a.ps, b.ps)) / static_cast<double>(std::min(a.ps, b.ps)) - 1) * 100;
    if (apart >= *errorPct)
        return {};
    return "not distinguishable (" + percent(apart) + " apart, error " + percent(*errorPct) + ')';
}

std::string notDistinguishable(const RunSummary& a, const RunSummary& b)
{
    return a.record->complete && b.record->complete ? notDistinguishable(a.record->finish, b.record->finish, errorOfBoth(a.accuracy, b.accuracy)) : std::string();
}

} // namespace fabricscope
