#include "app/cli/output/billoutput.h"

#include "app/cli/values.h"
#include "core/base/decimal.h"

#include <cmath>

namespace fabricscope::cli {

namespace {

void writeFigure(JsonWriter& json, std::string_view key, const std::optional<double>& value)
{
    json.key(key);
    value ? json.number(decimal(*value)) : json.null();
}

std::string billColumn(std::string text, std::size_t width)
{
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

} // namespace

std::string grouped(double value)
{
    std::string digits = withDecimals(std::abs(value), 0);
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, " ");
    return (value < 0 ? "-" : "") + digits;
}

std::string billText(const HardwareBill& bill, const std::optional<Checkpointing>& kept)
{
    constexpr std::size_t kName = 18;
    constexpr std::size_t kCount = 44;
    std::string out = "\n";
    const auto row = [&out](const std::string& name, const std::string& value) { out += billColumn(name, kName) + value + '\n'; };
    for (const BillRow& part : bill.rows) {
        if (part.price && *part.price == 0 && part.watts && *part.watts == 0)
            continue;
        std::string line = billColumn(std::to_string(part.count) + (part.part.empty() ? "" : " x " + part.part), kCount);
        line += part.price ? "US$ " + grouped(*part.price) + " each" : "no price";
        if (part.watts && *part.watts > 0)
            line += ", " + decimal(std::round(*part.watts * 10) / 10) + " W";
        line += " (" + (part.source.empty() ? std::string("-") : part.source) + (part.date.empty() ? "" : ", " + part.date) + (part.estimated ? ", est." : "") + ")";
        row(part.name, line);
    }
    if (bill.capital)
        row("capital", "US$ " + grouped(*bill.capital));
    if (bill.watts)
        row("power", withDecimals(*bill.siteWatts() / 1000, 2) + " kW with the site (" + withDecimals(*bill.watts / 1000, 2) + " kW of machines x " + decimal(bill.pue) + ")");
    if (const auto energy = bill.energyPerYear())
        row("energy", "US$ " + grouped(*energy) + " a year at " + decimal(bill.electricity) + " US$/kWh");
    if (const auto year = bill.perYear())
        row("in all", "US$ " + grouped(*year) + " a year over " + decimal(bill.life) + " years");
    for (const std::string& what : bill.missing)
        row("not known", what);
    row("failures", "one that stops a job on all NPUs every " + withDecimals(bill.mtbfHours(), 2) + " h");
    if (kept)
        row("goodput", withDecimals(100 * kept->share, 2) + " % with a checkpoint of " + withDecimals(kept->times.checkpoint, 1) + " s every " + withDecimals(kept->interval, 1) + " s");
    return out;
}

void writeBill(JsonWriter& json, const HardwareBill& bill, const std::optional<Checkpointing>& kept)
{
    json.beginObject();
    writeFigure(json, "capital", bill.capital);
    writeFigure(json, "machine_power", bill.watts);
    writeFigure(json, "site_power", bill.siteWatts());
    writeFigure(json, "energy_per_year", bill.energyPerYear());
    writeFigure(json, "per_year", bill.perYear());
    writeFigure(json, "mtbf_hours", bill.mtbfHours());
    if (kept) {
        writeFigure(json, "checkpoint_s", kept->times.checkpoint);
        writeFigure(json, "interval_s", kept->interval);
        writeFigure(json, "goodput", kept->share);
    }
    json.key("parts");
    json.beginArray();
    for (const BillRow& part : bill.rows) {
        json.beginCompactObject();
        json.member("name", part.name);
        json.member("part", part.part);
        json.member("count", part.count);
        writeFigure(json, "price", part.price);
        writeFigure(json, "power", part.watts);
        writeFigure(json, "mtbf_hours", part.mtbf);
        json.member("source", part.source);
        json.member("date", part.date);
        json.member("confidence", confidenceWord(part.confidence));
        json.member("estimated", part.estimated);
        json.endObject();
    }
    json.endArray();
    json.key("missing");
    json.beginArray();
    for (const std::string& what : bill.missing)
        json.string(what);
    json.endArray();
    json.endObject();
}

} // namespace fabricscope::cli
