#include "core/measure/calibration.h"

#include "core/base/decimal.h"
#include "core/base/showntext.h"
#include "core/base/stop.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fabricscope {

namespace {

constexpr std::int64_t kCalibratedFrom = 64 * 1024;
constexpr std::size_t kCalibratedRows = 3;

std::string hundredths(double value)
{
    return shortDecimal(std::llround(value * 100), 2);
}

std::string countsText(const std::set<std::int32_t>& counts)
{
    std::string text;
    for (const std::int32_t count : counts)
        text += (text.empty() ? "" : ", ") + std::to_string(count);
    return text;
}

/// Between quotes of YAML.
std::string betweenQuotes(std::string text)
{
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '\\'; }, '_');
    return text;
}

std::string kindOf(const MeasuredTransfer& row)
{
    return row.message ? "send" : std::string(collectiveKey(row.op));
}

} // namespace

Result<Calibration> calibrateFabric(std::vector<MeasuredTransfer> rows, const std::stop_token& stop)
{
    if (rows.empty())
        return invalidInput("no rows", {}, "measured collectives or messages");
    std::stable_sort(rows.begin(), rows.end(), [](const MeasuredTransfer& a, const MeasuredTransfer& b) { return a.bytes < b.bytes; });
    std::vector<MeasuredTransfer> chosen;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen), [](const MeasuredTransfer& row) { return row.bytes >= kCalibratedFrom; });
    if (chosen.size() < kCalibratedRows)
        chosen = rows;
    return untilStopped([&]() -> Result<Calibration> {
        FabricFitter fitter(stop);
        Result<FabricFit> fit = fitter.fit(chosen);
        if (!fit)
            return fit.error();
        Calibration out;
        out.fit = std::move(fit).value();
        std::int32_t inside = 1;
        std::int32_t nodes = 1;
        for (const MeasuredTransfer& row : rows) {
            inside = std::max(inside, out.fit.figures.hasNetwork ? row.gpus / row.nodes : row.gpus);
            nodes = std::max(nodes, out.fit.figures.hasNetwork ? row.nodes : 1);
            const Result<double> seconds = fitter.predicted(out.fit.figures, row);
            if (!seconds)
                return seconds.error();
            out.rows.push_back({row, seconds.value(), false, {}});
        }
        out.gpus = inside * nodes;
        out.nodes = nodes;
        fillScore(out.inSample, out.rows);
        // Split by system, so that every number of GPUs is in both halves.
        std::map<std::tuple<std::int32_t, std::int32_t, std::string>, TransferSet> systems;
        for (const MeasuredTransfer& row : rows)
            systems[{row.gpus, row.nodes, kindOf(row)}].rows.push_back(row);
        std::vector<TransferSet> sets;
        for (auto& [key, set] : systems)
            sets.push_back(std::move(set));
        const Result<ScoredSet> halves = fitAndScore(sets, "", fitter);
        if (!halves)
            return halves.error();
        out.heldOutPct = halves.value().score.from64KiBPct;
        return out;
    });
}

std::vector<std::pair<std::string, std::string>> fittedNumbers(const FittedFigures& figures)
{
    std::vector<std::pair<std::string, std::string>> numbers;
    const auto time = [](double seconds) { return decimal(std::round(seconds * 1e12) / 1e6) + " us"; };
    const auto rate = [](double perByte) { return perByte > 0 ? decimal(std::round(1e-3 / perByte) / 1e6) + " GB/s" : std::string("no limit"); };
    if (figures.launch > 0)
        numbers.emplace_back("launch of a collective", time(figures.launch));
    for (std::size_t i = 0; i < figures.parts.size(); ++i) {
        const FittedFigures::Part& part = figures.parts[i];
        const std::string of = figures.parts.size() == 1 ? "" : i + 1 < figures.parts.size() ? " of messages up to " + showBytes({part.upTo}) : " of larger messages";
        numbers.emplace_back("time of a message" + of, time(part.perMessage));
        numbers.emplace_back("bandwidth" + of, rate(part.perByte));
    }
    if (figures.hasNetwork) {
        numbers.emplace_back("time of a message between nodes", time(figures.networkPerMessage));
        numbers.emplace_back("bandwidth between nodes", rate(figures.networkPerByte));
    }
    return numbers;
}

std::string calibratedDesign(const Calibration& calibration, const std::vector<std::string>& sources)
{
    std::set<std::int32_t> gpus, nodes;
    std::set<std::string> kinds;
    for (const PredictedTransfer& row : calibration.rows) {
        gpus.insert(row.transfer.gpus);
        nodes.insert(row.transfer.nodes);
        kinds.insert(kindOf(row.transfer));
    }
    std::string names, kindNames;
    for (const std::string& source : sources)
        names += (names.empty() ? "" : ", ") + shownText(source);
    for (const std::string& kind : kinds)
        kindNames += (kindNames.empty() ? "" : ", ") + kind;
    const SetScore& all = calibration.inSample;
    const std::string measured = kindNames + " of " + showBytes({calibration.rows.front().transfer.bytes}) + " to " + showBytes({calibration.rows.back().transfer.bytes}) + ", " + countsText(gpus) + " GPUs, "
        + countsText(nodes) + (nodes == std::set<std::int32_t>{1} ? " node" : " nodes");
    std::string text = "# Calibrated from " + names + '\n';
    text += "# Measured: " + measured + ". Outside of that nothing is known.\n";
    text += "# Error of all " + std::to_string(calibration.rows.size()) + " rows: " + hundredths(all.figures.errorPct) + " % (geometric mean of the larger over the smaller)";
    for (const auto& [word, value] : {std::pair{"below 1 MiB", all.below1MiBPct}, {"1 to 64 MiB", all.to64MiBPct}, {"above", all.abovePct}})
        text += value ? ", " + std::string(word) + ' ' + hundredths(*value) + " %" : "";
    text += ".\n";
    if (calibration.heldOutPct)
        text += "# Error of every second row when only the others are fitted: " + hundredths(*calibration.heldOutPct) + " %.\n";
    text += "# Fitted:\n";
    for (const auto& [name, value] : fittedNumbers(calibration.fit.figures))
        text += "#   " + name + ": " + value + '\n';
    text += "# Simulated over measured:\n";
    for (const PredictedTransfer& row : calibration.rows)
        text += "#   " + showBytes({row.transfer.bytes}) + ", " + kindOf(row.transfer) + ", " + std::to_string(row.transfer.gpus) + " GPUs: " + hundredths(*row.predicted / row.transfer.seconds) + '\n';
    text += "fabricscope: 1\nname: calibrated fabric\n";
    text += "notes: \"Measured: " + measured + "; error " + hundredths(all.figures.errorPct) + " %\"\n";
    text += "accuracy: {error: " + hundredths(calibration.heldOutPct.value_or(all.figures.errorPct)) + ", min_size: " + std::to_string(calibration.rows.front().transfer.bytes) + " B, max_size: "
        + std::to_string(calibration.rows.back().transfer.bytes) + " B, min_ranks: " + std::to_string(*gpus.begin()) + ", max_ranks: " + std::to_string(*gpus.rbegin()) + ", source: \"" + betweenQuotes(names) + "\"}\n";
    return text + fabricSections(calibration.fit.figures, calibration.gpus, calibration.nodes) + "workload: {collective: all_reduce, size: 64 MiB}\n";
}

} // namespace fabricscope
