#include "app/cli/output/validateoutput.h"

#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <cmath>

namespace fabricscope::cli {

namespace {

/// Six significant digits.
std::string shortNumber(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(value)));
    return decimal(std::round(value * scale) / scale);
}

std::string percentText(const std::optional<double>& value)
{
    return value ? withDecimals(*value, 1) : "-";
}

std::string right(const std::string& text, std::size_t width)
{
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string left(std::string text, std::size_t width)
{
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "nothing" : text;
}

std::string scoreHead(std::size_t width)
{
    return left("set", width) + "  rows  fitted to  error %  < 1 MiB  1-64 MiB   above  >= 64 KiB   MAPE    tau  in sample  fitted numbers\n";
}

std::string scoreLine(const SetScore& score, const std::string& name, std::size_t width)
{
    const bool any = score.figures.rows > 0;
    return left(name, width) + right(std::to_string(score.figures.rows), 6) + right(std::to_string(score.fittedRows), 11) + right(any ? withDecimals(score.figures.errorPct, 1) : "-", 9) + right(percentText(score.below1MiBPct), 9)
        + right(percentText(score.to64MiBPct), 10) + right(percentText(score.abovePct), 8) + right(percentText(score.from64KiBPct), 11) + right(any ? withDecimals(score.figures.mapePct, 1) : "-", 7)
        + right(any ? withDecimals(score.figures.kendallTau, 2) : "-", 7) + right(percentText(score.bestInSamplePct), 11) + "  " + joined(score.fitted) + '\n';
}

void writeScore(JsonWriter& out, const SetScore& score)
{
    const auto percent = [&out](std::string_view key, const std::optional<double>& value) {
        out.key(key);
        value ? out.number(withDecimals(*value, 4)) : out.null();
    };
    const bool any = score.figures.rows > 0;
    const auto whenAny = [any](double value) { return any ? std::optional(value) : std::nullopt; };
    out.beginCompactObject();
    out.member("set", std::string_view(score.name));
    out.member("rows", score.figures.rows);
    percent("error_pct", whenAny(score.figures.errorPct));
    percent("below_1MiB_pct", score.below1MiBPct);
    percent("to_64MiB_pct", score.to64MiBPct);
    percent("above_pct", score.abovePct);
    percent("mape_pct", whenAny(score.figures.mapePct));
    percent("kendall_tau", whenAny(score.figures.kendallTau));
    out.member("fitted", static_cast<std::int64_t>(score.fitted.size()));
    if (score.fittedRows > 0) {
        percent("from_64KiB_pct", score.from64KiBPct);
        percent("in_sample_pct", score.bestInSamplePct);
        out.member("fitted_rows", static_cast<std::int64_t>(score.fittedRows));
        out.key("parameters");
        out.beginArray();
        for (const std::string& name : score.fitted)
            out.string(name);
        out.endArray();
    }
    if (!score.fabric.empty())
        out.member("fabric", std::string_view(score.fabric));
    out.endObject();
}

void writeChoices(JsonWriter& out, const std::vector<RankedModel>& models)
{
    out.key("choices");
    out.beginArray();
    for (const RankedModel& model : models) {
        out.beginCompactObject();
        out.member("params_b", std::string_view(model.model));
        out.member("rows", model.rows);
        out.key("over_best_pct");
        out.number(withDecimals(model.overBestPct, 4));
        out.key("kendall_tau");
        out.number(withDecimals(model.kendallTau, 4));
        out.endObject();
    }
    out.endArray();
}

} // namespace

std::string validatedText(const Validated& validated)
{
    const SetScore& all = validated.sets.front();
    const ErrorFigures& figures = all.figures;
    const auto without = std::count_if(validated.rows.begin(), validated.rows.end(), [](const ValidatedRow& row) { return !row.predicted; });
    std::string out = "rows        " + std::to_string(figures.rows) + " predicted, " + std::to_string(without) + " not" + (all.fittedRows > 0 ? "; " + std::to_string(all.fittedRows) + " more were fitted to" : "") + '\n';
    if (figures.rows == 0) {
        out += "error       not known: no row scores\n";
    } else {
        out += "error       " + withDecimals(figures.errorPct, 2) + " % (geometric mean of the larger over the smaller), MAPE " + withDecimals(figures.mapePct, 2) + " %\n";
        out += "order       Kendall tau " + withDecimals(figures.kendallTau, 3) + '\n';
    }
    if (all.fittedRows == 0)
        out += "fitted      nothing\n";
    for (const RankedModel& model : validated.models)
        out += "choice      " + shownText(model.model) + "B: of " + std::to_string(model.rows) + " plans the one predicted best was measured " + withDecimals(model.overBestPct, 2) + " % over the best, Kendall tau " + withDecimals(model.kendallTau, 3) + '\n';
    if (validated.sets.size() > 1) {
        constexpr std::size_t kMostWidth = 70;
        std::size_t width = 3;
        for (const SetScore& set : validated.sets)
            width = std::max(width, std::min(shownText(set.name).size(), kMostWidth));
        out += '\n' + scoreHead(width);
        for (const SetScore& set : validated.sets)
            out += scoreLine(set, shownText(set.name), width);
    }
    out += "\nline  predicted, s  measured, s  ratio\n";
    for (const ValidatedRow& row : validated.rows) {
        const std::string line = std::to_string(validated.table.rows[row.row].line);
        out += line + std::string(line.size() < 6 ? 6 - line.size() : 1, ' ');
        if (row.predicted)
            out += shortNumber(*row.predicted) + "  " + shortNumber(row.measured) + "  " + withDecimals(*row.predicted / row.measured, 3) + (row.fitted ? "  fitted to" : "") + '\n';
        else
            out += "-  " + shortNumber(row.measured) + "  (" + shownText(row.reason) + ")\n";
    }
    return out;
}

std::string validatedJson(const Validated& validated)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.key("sets");
    out.beginArray();
    for (const SetScore& set : validated.sets)
        writeScore(out, set);
    out.endArray();
    writeChoices(out, validated.models);
    out.key("rows");
    out.beginArray();
    for (const ValidatedRow& row : validated.rows) {
        out.beginCompactObject();
        for (std::size_t i = 0; i < validated.table.header.size(); ++i)
            out.member(validated.table.header[i], std::string_view(validated.table.rows[row.row].cells[i]));
        out.key("predicted");
        row.predicted ? out.number(shortNumber(*row.predicted)) : out.null();
        out.key("measured");
        out.number(shortNumber(row.measured));
        if (row.fitted)
            out.member("fitted", true);
        if (!row.reason.empty())
            out.member("reason", std::string_view(row.reason));
        out.endObject();
    }
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

std::string accuracyText(const std::vector<AccuracyLine>& lines, bool parts)
{
    std::size_t width = 3;
    for (const AccuracyLine& line : lines) {
        for (const SetScore& score : line.result.scores)
            width = std::max(width, (&score == &line.result.scores.front() ? 0 : 2) + (parts || &score == &line.result.scores.front() ? score.name.size() : 0));
    }
    std::string out = scoreHead(width);
    for (const AccuracyLine& line : lines) {
        for (const SetScore& score : line.result.scores) {
            const bool whole = &score == &line.result.scores.front();
            if (whole || parts)
                out += scoreLine(score, (whole ? "" : "  ") + score.name, width);
        }
    }
    out += '\n';
    for (const AccuracyLine& line : lines)
        out += left(std::string(line.set->name), 18) + std::string(line.set->title) + '\n';
    return out;
}

std::string accuracyJson(const std::vector<AccuracyLine>& lines)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.key("sets");
    out.beginArray();
    for (const AccuracyLine& line : lines) {
        for (const SetScore& score : line.result.scores)
            writeScore(out, score);
    }
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

} // namespace fabricscope::cli
