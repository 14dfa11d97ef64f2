#include "core/measure/transferscores.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::int64_t kLeastFitted = 64 * 1024;
constexpr std::int64_t kMiddle = 1024 * 1024;
constexpr std::int64_t kLarge = 64 * kMiddle;

using Pairs = std::vector<std::pair<double, double>>;

std::optional<double> errorOf(const Pairs& pairs)
{
    if (pairs.empty())
        return std::nullopt;
    return errorFigures(pairs).errorPct;
}

} // namespace

void fillScore(SetScore& score, const std::vector<PredictedTransfer>& rows)
{
    Pairs all, below, middle, above, large;
    for (const PredictedTransfer& row : rows) {
        if (row.fitted || !row.predicted)
            continue;
        const std::pair<double, double> pair{*row.predicted, row.transfer.seconds};
        all.push_back(pair);
        (row.transfer.bytes < kMiddle ? below : row.transfer.bytes <= kLarge ? middle : above).push_back(pair);
        if (row.transfer.bytes >= kLeastFitted)
            large.push_back(pair);
    }
    score.figures = errorFigures(all);
    score.below1MiBPct = errorOf(below);
    score.to64MiBPct = errorOf(middle);
    score.abovePct = errorOf(above);
    score.from64KiBPct = errorOf(large);
}

SetScore scoreTogether(const std::string& name, const std::vector<ScoredSet>& sets)
{
    SetScore score;
    score.name = name;
    std::vector<PredictedTransfer> rows;
    double logs = 0;
    double weights = 0;
    for (const ScoredSet& set : sets) {
        rows.insert(rows.end(), set.rows.begin(), set.rows.end());
        score.fittedRows += set.score.fittedRows;
        if (set.score.fitted.size() > score.fitted.size())
            score.fitted = set.score.fitted;
        if (set.score.bestInSamplePct) {
            const auto weight = static_cast<double>(set.score.figures.rows) + static_cast<double>(set.score.fittedRows);
            logs += weight * std::log1p(*set.score.bestInSamplePct / 100);
            weights += weight;
        }
    }
    if (weights > 0)
        score.bestInSamplePct = std::expm1(logs / weights) * 100;
    fillScore(score, rows);
    return score;
}

Result<ScoredSet> fitAndScore(const std::vector<TransferSet>& site, const std::string& name, FabricFitter& fitter)
{
    ScoredSet out;
    out.score.name = name;
    std::vector<MeasuredTransfer> chosen, all;
    for (const TransferSet& set : site) {
        std::size_t place = 0;
        for (const MeasuredTransfer& transfer : set.rows) {
            PredictedTransfer row;
            row.transfer = transfer;
            if (transfer.bytes >= kLeastFitted) {
                row.fitted = place++ % 2 == 0;
                all.push_back(transfer);
                if (row.fitted)
                    chosen.push_back(transfer);
            }
            out.rows.push_back(std::move(row));
        }
    }
    if (chosen.empty()) {
        for (PredictedTransfer& row : out.rows)
            row.reason = "no row of the set has 64 KiB or more: nothing to fit";
        return out;
    }
    const Result<FabricFit> fit = fitter.fit(chosen);
    if (!fit)
        return fit.error();
    const Result<FabricFit> best = fitter.fit(all);
    if (!best)
        return best.error();
    for (PredictedTransfer& row : out.rows) {
        const Result<double> seconds = fitter.predicted(fit.value().figures, row.transfer);
        if (!seconds)
            return seconds.error();
        row.predicted = seconds.value();
    }
    out.score.fittedRows = chosen.size();
    out.score.fitted = fit.value().fitted;
    out.score.bestInSamplePct = best.value().inSamplePct;
    const MeasuredTransfer& largest = *std::max_element(all.begin(), all.end(), [](const MeasuredTransfer& a, const MeasuredTransfer& b) { return a.gpus < b.gpus; });
    out.score.fabric = fabricSections(fit.value().figures, largest.gpus, fit.value().figures.hasNetwork ? largest.nodes : 1);
    fillScore(out.score, out.rows);
    return out;
}

Result<ScoredSet> scoreFitted(const std::vector<MeasuredTransfer>& others, const std::vector<MeasuredTransfer>& rows, const std::string& name, FabricFitter& fitter)
{
    const Result<FabricFit> fit = fitter.fit(others);
    if (!fit)
        return fit.error();
    ScoredSet out;
    out.score.name = name;
    out.score.fittedRows = others.size();
    out.score.fitted = fit.value().fitted;
    for (const MeasuredTransfer& transfer : rows) {
        const Result<double> seconds = fitter.predicted(fit.value().figures, transfer);
        if (!seconds)
            return seconds.error();
        out.rows.push_back({transfer, seconds.value(), false, {}});
    }
    fillScore(out.score, out.rows);
    return out;
}

Result<ScoredSet> scoreOn(const Design& fabric, const TransferSet& set, const std::stop_token& stop)
{
    ScoredSet out;
    out.score.name = set.name;
    for (const MeasuredTransfer& transfer : set.rows) {
        PredictedTransfer row;
        row.transfer = transfer;
        const Result<double> seconds = simulatedSeconds(fabric, transfer, stop);
        if (seconds)
            row.predicted = seconds.value();
        else if (seconds.error().code == ErrorCode::Unsupported)
            row.reason = seconds.error().message;
        else
            return seconds.error();
        out.rows.push_back(std::move(row));
    }
    fillScore(out.score, out.rows);
    return out;
}

} // namespace fabricscope
