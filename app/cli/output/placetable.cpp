#include "app/cli/output/placeoutput.h"

#include "core/base/decimal.h"
#include "core/report/jsonwriter.h"

#include <array>
#include <cstdio>

namespace fabricscope::cli {

namespace {

std::string fourDigits(double seconds)
{
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.4g", seconds);
    return text.data();
}

/// "0.4735 / 0.4241".
std::string bothTimes(const std::optional<double>& cost, const std::optional<std::int64_t>& ns)
{
    if (!cost)
        return "-";
    return fourDigits(*cost) + (ns ? " / " + fourDigits(static_cast<double>(*ns) * 1e-9) : "");
}

std::optional<std::int64_t> nsOf(const std::optional<SimulatedProgram>& simulated)
{
    return simulated ? std::optional(simulated->ns) : std::nullopt;
}

/// "vit" of "resources/examples/place/vit.yaml".
std::string stemOf(const std::string& path)
{
    const std::size_t slash = path.find_last_of('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.substr(0, name.find_last_of('.'));
}

void tableCell(JsonWriter& out, std::string_view key, const std::optional<double>& cost, const std::optional<std::int64_t>& ns)
{
    out.key(key);
    if (!cost)
        return out.null();
    out.beginCompactObject();
    out.key("cost");
    out.number(decimal(*cost));
    out.key("simulated_ns");
    ns ? out.integer(*ns) : out.null();
    out.endObject();
}

} // namespace

std::string placementTableText(const std::vector<PlacementTableRow>& rows)
{
    std::string out = "| model | devices | found | even | DP-EV | DP-CP | states |\n|---|---|---|---|---|---|---|\n";
    for (const PlacementTableRow& row : rows) {
        out += "| " + stemOf(row.file) + " | " + std::to_string(row.devices) + " | " + bothTimes(row.best.cost, nsOf(row.times.program)) + " | " + bothTimes(row.even, row.evenNs) + " | "
            + bothTimes(row.best.dataParallelEven, nsOf(row.times.dataParallelEven)) + " | " + bothTimes(row.best.dataParallelProportional, nsOf(row.times.dataParallelProportional)) + " | "
            + std::to_string(row.best.expanded) + (row.best.proved ? "" : "+") + " |\n";
    }
    return out;
}

std::string placementTableJson(const std::vector<PlacementTableRow>& rows)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", std::int64_t{1});
    out.key("result");
    out.beginObject();
    out.key("rows");
    out.beginArray();
    for (const PlacementTableRow& row : rows) {
        out.beginObject();
        out.member("file", row.file);
        out.member("devices", row.devices);
        tableCell(out, "found", row.best.cost, nsOf(row.times.program));
        tableCell(out, "even", row.even, row.evenNs);
        tableCell(out, "dp_ev", row.best.dataParallelEven, nsOf(row.times.dataParallelEven));
        tableCell(out, "dp_cp", row.best.dataParallelProportional, nsOf(row.times.dataParallelProportional));
        out.member("states_expanded", row.best.expanded);
        out.member("searched_all", row.best.proved);
        out.endObject();
    }
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

} // namespace fabricscope::cli
