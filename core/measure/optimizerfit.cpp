#include "core/measure/optimizerfit.h"

#include "core/base/stop.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

constexpr std::int32_t kOptimizerGpus = 128;
constexpr std::int64_t kLargeElements = std::int64_t{1} << 26;
constexpr double kAdamBytes = 28;           ///< Gradient, two states and weight read, states and weight written, FP32.
constexpr double kMemoryRate = 0.88 * 900e9; ///< Of a V100, as apex' fused Adam reaches it.

struct OptimizerRow {
    MeasuredTransfer transfer;
    std::int64_t elements = 0;
    double beside = 0;  ///< Seconds of the optimiser where it is a kernel of its own.
};

Error wrongCell(const MeasuredTable& table, const MeasuredTable::Row& row, const char* column)
{
    Place place;
    place.file = table.file;
    place.line = row.line;
    return invalidInput("\"" + table.cell(row, column) + "\" in column " + column + " is not possible", std::move(place), "a number above 0");
}

bool known(const std::string& implementation, std::int64_t elements)
{
    const bool sgd = implementation.find("sgd") != std::string::npos && elements == std::int64_t{1} << 28;
    const bool half = implementation.find("fp16") != std::string::npos && elements >= std::int64_t{1} << 18 && elements <= std::int64_t{1} << 24;
    return !sgd && !half;
}

Result<OptimizerRow> optimizerRowOf(const MeasuredTable& table, std::size_t number)
{
    const MeasuredTable::Row& row = table.rows[number];
    const auto elements = table.whole(row, "elements");
    if (!elements)
        return elements.error();
    const auto time = table.number(row, "iter_ms");
    if (!time || *time > 1e12)
        return wrongCell(table, row, "iter_ms");
    const std::string& implementation = table.cell(row, "implementation");
    OptimizerRow out;
    out.elements = elements.value();
    out.transfer.row = number;
    out.transfer.gpus = kOptimizerGpus;
    out.transfer.bytes = elements.value() * (implementation.find("fp16") != std::string::npos ? 2 : 4);
    out.beside = implementation.starts_with("allreduce_then") ? static_cast<double>(elements.value()) * kAdamBytes / kMemoryRate : 0;
    out.transfer.seconds = *time * 1e-3;
    return out;
}

Result<ScoredSet> scored(const std::string& name, std::vector<OptimizerRow>& rows, FabricFitter& fitter)
{
    std::stable_sort(rows.begin(), rows.end(), [](const OptimizerRow& a, const OptimizerRow& b) { return a.transfer.bytes < b.transfer.bytes; });
    TransferSet set{name, {}};
    for (const OptimizerRow& row : rows) {
        MeasuredTransfer alone = row.transfer;
        // What is measured below its optimiser is all optimiser: no collective can be fitted to it.
        alone.seconds = std::max(alone.seconds - row.beside, alone.seconds * 1e-3);
        set.rows.push_back(alone);
    }
    Result<ScoredSet> out = fitAndScore({set}, name, fitter);
    if (!out)
        return out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        PredictedTransfer& row = out.value().rows[i];
        row.transfer.seconds = rows[i].transfer.seconds;
        if (row.predicted)
            *row.predicted += rows[i].beside;
    }
    fillScore(out.value().score, out.value().rows);
    return out;
}

} // namespace

Result<std::vector<ScoredSet>> fitOptimizer(const MeasuredTable& table, const std::stop_token& stop)
{
    for (const char* const name : {"implementation", "nccl_algo", "elements", "iter_ms"}) {
        if (table.column(name) >= 0)
            continue;
        Place place;
        place.file = table.file;
        place.line = 1;
        return invalidInput("no column " + std::string(name), std::move(place), "the columns of this --kind");
    }
    std::vector<std::string> order;
    std::map<std::string, std::vector<OptimizerRow>> sets;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const Result<OptimizerRow> row = optimizerRowOf(table, i);
        if (!row)
            return row.error();
        const std::string& implementation = table.cell(table.rows[i], "implementation");
        if (!known(implementation, table.whole(table.rows[i], "elements").value()))
            continue;
        // Below, the library changes algorithm and protocol with the size.
        const bool large = row.value().elements >= kLargeElements;
        const std::string name = implementation + ", " + table.cell(table.rows[i], "nccl_algo") + (large ? std::string(kLargeOptimizers) : std::string(", below 2^26 elements"));
        if (sets[name].empty())
            order.push_back(name);
        sets[name].push_back(row.value());
    }
    return untilStopped([&]() -> Result<std::vector<ScoredSet>> {
        FabricFitter fitter(stop);
        std::vector<ScoredSet> out;
        for (const std::string& name : order) {
            Result<ScoredSet> set = scored(name, sets[name], fitter);
            if (!set)
                return set.error();
            out.push_back(std::move(set).value());
        }
        return out;
    });
}

} // namespace fabricscope
