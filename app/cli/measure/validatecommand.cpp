// fabricscope-cli validate: measured collectives, products and steps against what is predicted for them.
#include "app/cli/measure/validatecommand.h"

#include "app/cli/commandline.h"
#include "app/cli/embeddedtexts.h"
#include "app/cli/filekinds.h"
#include "app/cli/output/validateoutput.h"
#include "app/cli/runflags.h"
#include "app/cli/values.h"
#include "core/base/files/textfile.h"
#include "core/base/stop.h"
#include "core/measure/optimizerfit.h"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace fabricscope::cli {

namespace {

struct ValidateFlags {
    std::vector<std::string> sets;
    std::string kind;
    std::string rows;
    std::string fabric;
    bool json = false;
};

std::string stemOf(const MeasuredTable& table)
{
    return std::filesystem::path(table.file).stem().string();
}

void take(Validated& validated, const std::vector<ScoredSet>& sets)
{
    validated.sets.push_back(scoreTogether(stemOf(validated.table), sets));
    for (const ScoredSet& set : sets) {
        if (sets.size() > 1)
            validated.sets.push_back(set.score);
        else
            validated.sets.front().fabric = set.score.fabric;
        for (const PredictedTransfer& row : set.rows)
            validated.rows.push_back({row.transfer.row, row.predicted, row.transfer.seconds, row.fitted, row.reason});
    }
    std::sort(validated.rows.begin(), validated.rows.end(), [](const ValidatedRow& a, const ValidatedRow& b) { return a.row < b.row; });
}

/// A fabric fitted to each system, or the one that is named.
Status validateTransfers(Validated& validated, const std::string& fabricName, const std::stop_token& stop)
{
    const Result<std::vector<TransferSet>> sets = readTransferSets(validated.table);
    if (!sets)
        return sets.error();
    std::optional<Design> fabric;
    if (!fabricName.empty()) {
        Result<Design> named = platformNamed(fabricName, stop);
        if (!named)
            return named.error();
        fabric = std::move(named).value();
    }
    FabricFitter fitter(stop);
    std::vector<ScoredSet> scored;
    for (const TransferSet& set : sets.value()) {
        Result<ScoredSet> one = fabric ? scoreOn(*fabric, set, stop) : fitAndScore({set}, set.name, fitter);
        if (!one)
            return one.error();
        scored.push_back(std::move(one).value());
    }
    take(validated, scored);
    return {};
}

Status validateOptimizer(Validated& validated, const std::stop_token& stop)
{
    const Result<std::vector<ScoredSet>> sets = fitOptimizer(validated.table, stop);
    if (!sets)
        return sets.error();
    take(validated, sets.value());
    return {};
}

Status validateRows(Validated& validated, MeasuredKind kind, const std::stop_token& stop)
{
    const Result<std::vector<PredictedRow>> rows = predictRows(kind, validated.table, stop);
    if (!rows)
        return rows.error();
    std::vector<std::pair<double, double>> pairs;
    std::vector<std::pair<std::string, std::pair<double, double>>> named;
    for (const PredictedRow& row : rows.value()) {
        validated.rows.push_back({row.row, row.predicted, row.measured, false, row.reason});
        if (!row.predicted)
            continue;
        pairs.emplace_back(*row.predicted, row.measured);
        const std::string& model = validated.table.cell(validated.table.rows[row.row], "params_b");
        if (!model.empty())
            named.emplace_back(model, pairs.back());
    }
    validated.models = rankedModels(named);
    validated.sets.emplace_back();
    validated.sets.front().name = stemOf(validated.table);
    validated.sets.front().figures = errorFigures(pairs);
    return {};
}

void runRows(const ValidateFlags& flags, Session& session)
{
    const auto kind = valueOf(kMeasuredKinds, flags.kind);
    if (!kind)
        return session.fail(usageError("\"" + flags.kind + "\" is no kind of measurements", "--kind", listedWords(keysOf(kMeasuredKinds), "or")));
    if (flags.rows.empty())
        return session.fail(usageError("there are no rows", "--rows", "FILE.csv with the columns of that kind"));
    if (!flags.fabric.empty() && *kind != MeasuredKind::Collectives)
        return session.fail(usageError("--fabric is not used with --kind " + flags.kind, "--fabric", "--kind collectives"));
    const Result<std::string> text = readTextFile(flags.rows);
    if (!text)
        return session.fail(text.error());
    Result<MeasuredTable> table = readMeasuredRows(text.value(), flags.rows);
    if (!table)
        return session.fail(table.error());
    Validated validated;
    validated.table = std::move(table).value();
    const Status status = untilStopped([&]() -> Status {
        switch (*kind) {
        case MeasuredKind::Collectives: return validateTransfers(validated, flags.fabric, session.stopToken());
        case MeasuredKind::Optimizer: return validateOptimizer(validated, session.stopToken());
        default: return validateRows(validated, *kind, session.stopToken());
        }
    });
    if (!status)
        return session.fail(status);
    session.print(flags.json ? validatedJson(validated) : validatedText(validated));
}

std::string_view measuredText(std::string_view name)
{
    const auto texts = measuredTexts();
    const auto found = std::find_if(texts.begin(), texts.end(), [name](const EmbeddedText& text) { return text.name == name; });
    return found == texts.end() ? std::string_view() : found->text;
}

void runSets(const ValidateFlags& flags, Session& session)
{
    std::string known;
    for (const AccuracySet& set : accuracySets())
        known += (known.empty() ? "one of " : ", ") + std::string(set.name);
    for (const std::string& name : flags.sets) {
        if (std::none_of(accuracySets().begin(), accuracySets().end(), [&name](const AccuracySet& set) { return set.name == name; }))
            return session.fail(usageError("there is no set \"" + name + '"', "SET", known + "; or --kind and --rows"));
    }
    if (!flags.fabric.empty() || !flags.rows.empty())
        return session.fail(usageError("a kind of measurements is needed", "--kind", listedWords(keysOf(kMeasuredKinds), "or")));
    std::vector<AccuracyLine> lines;
    for (const AccuracySet& set : accuracySets()) {
        if (!flags.sets.empty() && std::find(flags.sets.begin(), flags.sets.end(), set.name) == flags.sets.end())
            continue;
        std::vector<MeasuredTable> tables;
        for (const std::string_view file : {set.file, set.more}) {
            if (file.empty())
                continue;
            Result<MeasuredTable> table = readMeasuredRows(measuredText(file), std::string(file) + ".csv");
            if (!table)
                return session.fail(table.error());
            tables.push_back(std::move(table).value());
        }
        Result<AccuracyResult> result = accuracyOf(set, tables, session.stopToken());
        if (!result)
            return session.fail(result.error());
        lines.push_back({&set, std::move(result).value()});
    }
    session.print(flags.json ? accuracyJson(lines) : accuracyText(lines, !flags.sets.empty()));
}

} // namespace

void addValidate(Command& program, Session& session)
{
    auto flags = std::make_shared<ValidateFlags>();
    Command& command = *program.add_subcommand("validate", "Predict measured collectives, matrix products and training steps, and how far off that is: the accuracy table, or rows of your own");
    command.add_option("SET", flags->sets, "Sets of the accuracy table (default: all), with the systems they are made of");
    command.add_option("--kind", flags->kind, "What was measured: " + listedWords(keysOf(kMeasuredKinds), "or"));
    command.add_option("--rows", flags->rows, "FILE.csv with the columns of that kind");
    command.add_option("--fabric", flags->fabric, "Of collectives: a preset, an example (fabrics/a100) or a design they are predicted on, instead of a fabric fitted to half of the rows");
    command.add_flag("--json", flags->json, "As JSON");
    command.callback([flags, &session] {
        if (!flags->kind.empty() && !flags->sets.empty())
            return session.fail(usageError("sets and a kind of rows are given", "--kind", "either sets, or --kind and --rows"));
        flags->kind.empty() ? runSets(*flags, session) : runRows(*flags, session);
    });
}

} // namespace fabricscope::cli
