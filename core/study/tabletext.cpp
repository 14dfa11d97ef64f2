#include "core/study/tabletext.h"

#include "core/base/csvtext.h"
#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/report/jsonwriter.h"
#include "core/study/parametershares.h"
#include "core/study/seedquantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

using State = StudyTableRow::State;

std::vector<bool> inFront(const StudyTable& table)
{
    std::vector<bool> out(table.rows.size(), false);
    for (const std::size_t row : table.front)
        out[row] = true;
    return out;
}

/// Figures that some row has, in their order.
std::vector<PointFigure> figuresOf(const StudyTable& table)
{
    std::vector<PointFigure> out;
    for (std::size_t i = 0; i < kPointFigures; ++i) {
        const auto figure = static_cast<PointFigure>(i);
        if (std::any_of(table.rows.begin(), table.rows.end(), [&](const StudyTableRow& row) { return row.figures[figure].has_value(); }))
            out.push_back(figure);
    }
    return out;
}

void writeValue(JsonWriter& json, PointFigure figure, const std::optional<double>& value)
{
    json.key(rowOf(figure).key);
    value ? json.number(figureText(figure, *value)) : json.null();
}

void writeHead(JsonWriter& json, const StudySpec& space, const StudyTableRow& row)
{
    json.member("point", row.number);
    json.member("state", keyOf(kTableStates, row.state));
    json.key("parameters");
    json.beginCompactObject();
    for (std::size_t i = 0; i < row.labels.size(); ++i)
        json.member(space.parameters[i].name, row.labels[i]);
    json.endObject();
}

void writeSearch(JsonWriter& json, const StudySampling& sampling, const SearchTally& tally)
{
    json.key("search");
    json.beginObject();
    json.member("kind", keyOf(kStudySearches, *sampling.search));
    json.member("budget", sampling.budget);
    json.member("simulated", tally.simulated);
    json.member("pruned_by_bounds", tally.byBounds);
    json.member("pruned_by_constraints", tally.byConstraints);
    json.member("whole", tally.whole);
    json.key("rungs");
    json.beginArray();
    for (const SearchTally::Rung& rung : tally.rungs) {
        json.beginCompactObject();
        json.member("fidelity", rung.fidelity);
        json.member("designs", rung.designs);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

/// Names of the parameters beside the seed, in order.
std::vector<std::string> besideSeed(const StudySpec& space)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < space.parameters.size(); ++i) {
        if (i != seedParameter(space))
            names.push_back(space.parameters[i].name);
    }
    return names;
}

void writeSeeds(JsonWriter& json, const StudySpec& space, const StudyTable& table)
{
    const std::vector<std::string> names = besideSeed(space);
    json.key("quantiles");
    json.beginArray();
    for (const SeedSpread& spread : seedSpreads(space, table)) {
        json.beginCompactObject();
        json.member("figure", rowOf(spread.figure).key);
        json.member("point", spread.number);
        json.key("parameters");
        json.beginCompactObject();
        for (std::size_t i = 0; i < names.size(); ++i)
            json.member(names[i], spread.labels[i]);
        json.endObject();
        json.member("seeds", spread.seeds);
        for (std::size_t i = 0; i < spread.quantiles.size(); ++i) {
            json.key(SeedSpread::kParts[i].first);
            json.beginCompactObject();
            for (const auto& [key, value] : {std::pair{"value", std::optional(spread.quantiles[i].value)}, {"low", spread.quantiles[i].low}, {"high", spread.quantiles[i].high}}) {
                json.key(key);
                value ? json.number(figureText(spread.figure, *value)) : json.null();
            }
            json.endObject();
        }
        json.endObject();
    }
    json.endArray();
}

void writeSensitivity(JsonWriter& json, const StudySpec& space, const StudyTable& table)
{
    constexpr double kMillionth = 1e6;
    const auto share = [&json](std::string_view key, double value) {
        json.key(key);
        json.number(decimal(std::round(value * kMillionth) / kMillionth));
    };
    json.key("sensitivity");
    json.beginArray();
    for (const ParameterShares& shares : parameterShares(space, table)) {
        json.beginCompactObject();
        json.member("figure", rowOf(shares.figure).key);
        json.key("shares");
        json.beginCompactObject();
        for (std::size_t i = 0; i < shares.alone.size(); ++i)
            share(space.parameters[i].name, shares.alone[i]);
        json.endObject();
        share("together", shares.together);
        json.endObject();
    }
    for (const SampledShares& sampled : sampledShares(space, table)) {
        json.beginCompactObject();
        json.member("figure", rowOf(sampled.figure).key);
        json.member("rows", sampled.rows);
        for (const auto& [key, all] : {std::pair{"first", &sampled.shares.first}, {"total", &sampled.shares.total}}) {
            json.key(key);
            json.beginCompactObject();
            for (std::size_t i = 0; i < all->size(); ++i) {
                json.key(space.parameters[i].name);
                json.beginCompactObject();
                share("share", (*all)[i].value);
                share("low", (*all)[i].low);
                share("high", (*all)[i].high);
                json.endObject();
            }
            json.endObject();
        }
        json.endObject();
    }
    json.endArray();
}

/// For people: times and sizes with units.
std::string shownFigure(PointFigure figure, double value)
{
    switch (rowOf(figure).measure) {
    case Measure::Time:
        return showTime(SimTime{std::llround(value)});
    case Measure::Size:
        return showBytes({std::llround(value)});
    default:
        break;
    }
    const double scale = value == 0 ? 1 : std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
    return decimal(std::abs(value) >= 1e6 ? std::round(value) : std::round(value * scale) / scale);
}

} // namespace

std::string tableCsv(const StudySpec& space, const StudyTable& table, const std::stop_token& stop)
{
    const std::vector<PointFigure> figures = figuresOf(table);
    const std::vector<bool> front = inFront(table);
    std::string out = "point";
    for (const StudyParameter& parameter : space.parameters)
        out += ',' + csvCell(parameter.name);
    out += ",state";
    for (const PointFigure figure : figures)
        out += ',' + std::string(rowOf(figure).key) + (rowOf(figure).measure == Measure::Time ? "_ns" : "");
    out += ",front,message\n";
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        checkStop(stop);
        const StudyTableRow& row = table.rows[i];
        out += std::to_string(row.number);
        for (const std::string& label : row.labels)
            out += ',' + csvCell(label);
        out += ',' + std::string(keyOf(kTableStates, row.state));
        for (const PointFigure figure : figures)
            out += ',' + (row.figures[figure] ? figureText(figure, *row.figures[figure]) : std::string());
        out += std::string(",") + (front[i] ? "1" : "0") + ',' + csvCell(row.message) + '\n';
    }
    return out;
}

std::string tableJsonLines(const StudySpec& space, const StudyTable& table, const std::stop_token& stop)
{
    const std::vector<bool> front = inFront(table);
    std::string out;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const StudyTableRow& row = table.rows[i];
        JsonWriter json(stop);
        json.beginCompactObject();
        writeHead(json, space, row);
        for (std::size_t f = 0; f < kPointFigures; ++f) {
            const auto figure = static_cast<PointFigure>(f);
            if (row.figures[figure])
                writeValue(json, figure, row.figures[figure]);
        }
        json.member("front", static_cast<bool>(front[i]));
        json.member("message", row.message);
        json.endObject();
        out += json.text();
    }
    return out;
}

void writeStudyTable(JsonWriter& json, const StudySpec& space, const StudyTable& table)
{
    json.key("parameters");
    json.beginCompactArray();
    for (const StudyParameter& parameter : space.parameters)
        json.string(parameter.name);
    json.endArray();
    json.key("objectives");
    json.beginArray();
    for (const StudyObjective& objective : space.objectives) {
        json.beginCompactObject();
        json.member("figure", rowOf(objective.figure).key);
        json.member("sense", keyOf(kObjectiveSenses, objective.sense));
        json.endObject();
    }
    json.endArray();
    json.key("rows");
    json.beginArray();
    for (const StudyTableRow& row : table.rows) {
        json.beginCompactObject();
        writeHead(json, space, row);
        for (const StudyObjective& objective : space.objectives)
            writeValue(json, objective.figure, row.figures[objective.figure]);
        if (!row.message.empty())
            json.member("message", row.message);
        json.endObject();
    }
    json.endArray();
    json.key("front");
    json.beginCompactArray();
    for (const std::size_t row : table.front)
        json.integer(static_cast<std::int64_t>(row));
    json.endArray();
    writeSensitivity(json, space, table);
    if (table.search)
        writeSearch(json, space.sampling, *table.search);
    if (seedParameter(space))
        writeSeeds(json, space, table);
}

std::string seedsText(const StudySpec& space, const StudyTable& table, std::size_t most)
{
    const std::vector<std::string> names = besideSeed(space);
    const std::vector<SeedSpread> spreads = seedSpreads(space, table);
    std::string out;
    for (std::size_t i = 0; i < std::min(most, spreads.size()); ++i) {
        const SeedSpread& spread = spreads[i];
        const auto end = [&](const std::optional<double>& value) { return value ? shownFigure(spread.figure, *value) : std::string("open"); };
        out.append(rowOf(spread.figure).key).append(" over ").append(std::to_string(spread.seeds)).append(spread.seeds == 1 ? " seed" : " seeds");
        for (std::size_t name = 0; name < names.size(); ++name)
            out.append(", ").append(names[name]).append(" ").append(shownText(spread.labels[name]));
        for (std::size_t part = 0; part < spread.quantiles.size(); ++part) {
            const SeedSpread::Quantile& quantile = spread.quantiles[part];
            out.append(part == 0 ? ": " : ", ").append(SeedSpread::kParts[part].first).append(" ").append(end(quantile.value));
            out.append(" (").append(end(quantile.low)).append(" to ").append(end(quantile.high)).append(")");
        }
        out.append("\n");
    }
    if (spreads.size() > most)
        out.append("and ").append(std::to_string(spreads.size() - most)).append(" more over seeds\n");
    return out;
}

std::string searchText(const StudySpec& space, const StudyTable& table)
{
    if (!table.search)
        return {};
    const SearchTally& tally = *table.search;
    std::string out;
    for (const SearchTally::Rung& rung : tally.rungs)
        out.append(out.empty() ? "" : ", ").append(rung.fidelity).append(" ").append(std::to_string(rung.designs));
    out.append(out.empty() ? "" : "; ").append(std::to_string(tally.simulated)).append(" simulated of ").append(std::to_string(space.designCount()));
    if (tally.byBounds > 0 || tally.byConstraints > 0)
        out.append("; pruned ").append(std::to_string(tally.byBounds)).append(" by their bounds, ").append(std::to_string(tally.byConstraints)).append(" by constraints");
    return out + (tally.whole ? "\n" : "; not at its end\n");
}

std::string frontText(const StudySpec& space, const StudyTable& table, std::size_t most)
{
    std::vector<std::size_t> order = table.front;
    const auto keyed = std::find_if(space.objectives.begin(), space.objectives.end(), [](const StudyObjective& objective) { return objective.sense != StudyObjective::Sense::Report; });
    const bool ranked = keyed != space.objectives.end();
    if (ranked) {
        const double sign = keyed->sense == StudyObjective::Sense::Minimise ? 1 : -1;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sign * table.rows[a].figures[keyed->figure].value_or(0) < sign * table.rows[b].figures[keyed->figure].value_or(0); });
    } else {
        for (std::size_t i = 0; i < table.rows.size() && order.size() < most; ++i) {
            if (table.rows[i].state == State::Done)
                order.push_back(i);
        }
    }
    std::vector<std::vector<std::string>> cells{{"point"}};
    for (const StudyParameter& parameter : space.parameters)
        cells.front().push_back(parameter.name);
    for (const StudyObjective& objective : space.objectives)
        cells.front().emplace_back(rowOf(objective.figure).key);
    for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
        const StudyTableRow& row = table.rows[order[i]];
        auto& line = cells.emplace_back();
        line.push_back(std::to_string(row.number));
        for (const std::string& label : row.labels)
            line.push_back(shownText(label));
        for (const StudyObjective& objective : space.objectives)
            line.push_back(row.figures[objective.figure] ? shownFigure(objective.figure, *row.figures[objective.figure]) : "-");
    }
    std::string out;
    for (const auto& line : cells) {
        std::string text;
        for (std::size_t column = 0; column < line.size(); ++column) {
            std::size_t width = 0;
            for (const auto& other : cells)
                width = std::max(width, other[column].size());
            text += (column > 0 ? "  " : "") + line[column];
            if (column + 1 < line.size())
                text.append(width - line[column].size(), ' ');
        }
        out += text + '\n';
    }
    if (order.size() > most)
        out += "and " + std::to_string(order.size() - most) + " more of the front\n";
    return out;
}

std::string durationText(double seconds)
{
    constexpr double kMinute = 60;
    constexpr double kHour = 3600;
    const auto rounded = [](double value) { return decimal(value < 10 ? std::round(value * 10) / 10 : std::round(value)); };
    if (seconds < 1)
        return decimal(std::max(1.0, std::round(seconds * 1000))) + " ms";
    if (seconds < 2 * kMinute)
        return rounded(seconds) + " s";
    if (seconds < 2 * kHour)
        return rounded(seconds / kMinute) + " min";
    return rounded(seconds / kHour) + " h";
}

} // namespace fabricscope
