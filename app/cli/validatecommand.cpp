// fabricscope-cli validate: measured steps and products against what is predicted for them.
#include "app/cli/validatecommand.h"

#include "app/cli/commandline.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/base/files/textfile.h"
#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"
#include "core/measure/rowpredictions.h"

#include <cmath>
#include <filesystem>
#include <memory>

namespace fabricscope::cli {

namespace {

struct ValidateFlags {
    std::string kind;
    std::string rows;
    bool json = false;
};

/// Six significant digits.
std::string shortNumber(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(value)));
    return decimal(std::round(value * scale) / scale);
}

struct Validated {
    MeasuredTable table;
    std::vector<PredictedRow> rows;
    ErrorFigures figures;
    std::vector<RankedModel> models; ///< Where rows name their model by params_b.
};

std::string setName(const Validated& validated)
{
    return std::filesystem::path(validated.table.file).stem().string();
}

std::string validatedText(const Validated& validated)
{
    const ErrorFigures& figures = validated.figures;
    std::string out = "rows        " + std::to_string(figures.rows) + " predicted, " + std::to_string(static_cast<std::int64_t>(validated.rows.size()) - figures.rows) + " not\n";
    out += "error       " + withDecimals(figures.errorPct, 2) + " % (geometric mean of the larger over the smaller), MAPE " + withDecimals(figures.mapePct, 2) + " %\n";
    out += "order       Kendall tau " + withDecimals(figures.kendallTau, 3) + "\nfitted      nothing\n";
    for (const RankedModel& model : validated.models)
        out += "choice      " + shownText(model.model) + "B: of " + std::to_string(model.rows) + " plans the one predicted best was measured " + withDecimals(model.overBestPct, 2) + " % over the best, Kendall tau " + withDecimals(model.kendallTau, 3) + '\n';
    out += "\nline  predicted, s  measured, s  ratio\n";
    for (const PredictedRow& row : validated.rows) {
        const std::string line = std::to_string(validated.table.rows[row.row].line);
        out += line + std::string(line.size() < 6 ? 6 - line.size() : 1, ' ');
        if (row.predicted)
            out += shortNumber(*row.predicted) + "  " + shortNumber(row.measured) + "  " + withDecimals(*row.predicted / row.measured, 3) + '\n';
        else
            out += "-  " + shortNumber(row.measured) + "  (" + shownText(row.reason) + ")\n";
    }
    return out;
}

std::string validatedJson(const Validated& validated)
{
    JsonWriter out;
    const auto percent = [&out](std::string_view key, double value) {
        out.key(key);
        out.number(withDecimals(value, 4));
    };
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.key("sets");
    out.beginArray();
    out.beginCompactObject();
    out.member("set", setName(validated));
    out.member("rows", validated.figures.rows);
    percent("error_pct", validated.figures.errorPct);
    for (const char* const key : {"below_1MiB_pct", "to_64MiB_pct", "above_pct"}) { // Of collectives.
        out.key(key);
        out.null();
    }
    percent("mape_pct", validated.figures.mapePct);
    percent("kendall_tau", validated.figures.kendallTau);
    out.key("fitted");
    out.integer(0);
    out.endObject();
    out.endArray();
    out.key("choices");
    out.beginArray();
    for (const RankedModel& model : validated.models) {
        out.beginCompactObject();
        out.member("params_b", std::string_view(model.model));
        out.member("rows", model.rows);
        percent("over_best_pct", model.overBestPct);
        percent("kendall_tau", model.kendallTau);
        out.endObject();
    }
    out.endArray();
    out.key("rows");
    out.beginArray();
    for (const PredictedRow& row : validated.rows) {
        out.beginCompactObject();
        for (std::size_t i = 0; i < validated.table.header.size(); ++i)
            out.member(validated.table.header[i], std::string_view(validated.table.rows[row.row].cells[i]));
        out.key("predicted");
        row.predicted ? out.number(shortNumber(*row.predicted)) : out.null();
        out.key("measured");
        out.number(shortNumber(row.measured));
        if (!row.reason.empty())
            out.member("reason", std::string_view(row.reason));
        out.endObject();
    }
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

void runValidate(const ValidateFlags& flags, Session& session)
{
    const auto kind = valueOf(kMeasuredKinds, flags.kind);
    if (!kind)
        return session.fail(usageError("\"" + flags.kind + "\" is no kind of measurements", "--kind", listedWords(keysOf(kMeasuredKinds), "or")));
    const Result<std::string> text = readTextFile(flags.rows);
    if (!text)
        return session.fail(text.error());
    Validated validated;
    Result<MeasuredTable> table = readMeasuredRows(text.value(), flags.rows);
    if (!table)
        return session.fail(table.error());
    validated.table = std::move(table).value();
    Result<std::vector<PredictedRow>> rows = predictRows(*kind, validated.table, session.stopToken());
    if (!rows)
        return session.fail(rows.error());
    validated.rows = std::move(rows).value();
    std::vector<std::pair<double, double>> pairs;
    std::vector<std::pair<std::string, std::pair<double, double>>> named;
    for (const PredictedRow& row : validated.rows) {
        if (!row.predicted)
            continue;
        pairs.emplace_back(*row.predicted, row.measured);
        const std::string& model = validated.table.cell(validated.table.rows[row.row], "params_b");
        if (!model.empty())
            named.emplace_back(model, pairs.back());
    }
    validated.models = rankedModels(named);
    validated.figures = errorFigures(pairs);
    session.print(flags.json ? validatedJson(validated) : validatedText(validated));
}

} // namespace

void addValidate(Command& program, Session& session)
{
    auto flags = std::make_shared<ValidateFlags>();
    Command& command = *program.add_subcommand("validate", "Predict measured training steps or matrix products, and how far off that is; nothing is fitted");
    command.add_option("--kind", flags->kind, "What was measured: gpt, megatron, fsdp or gemm")->required();
    command.add_option("--rows", flags->rows, "FILE.csv with the columns of that kind")->required();
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] { runValidate(*flags, session); });
}

} // namespace fabricscope::cli
