#include "core/measure/accuracysets.h"

#include "core/base/stop.h"
#include "core/design/networkconfig.h"
#include "core/measure/optimizerfit.h"
#include "core/platform/presetreached.h"
#include "core/platform/presets.h"

#include <algorithm>
#include <array>
#include <map>

namespace fabricscope {

namespace {

using How = AccuracySet::How;

constexpr std::array<AccuracySet, 18> kSets{{
    {"in-node", "collectives in one node, a fabric for each set", MeasuredKind::Collectives, How::EachSystem, "collectives"},
    {"in-node-rings", "rings in one node of A100 or V100, a fabric for each number of GPUs", MeasuredKind::Collectives, How::EachSystem, "in-node-rings"},
    {"one-site", "2, 4 and 8 GPUs of one site, one fabric", MeasuredKind::Collectives, How::OneSite, "collectives"},
    {"one-site-rings", "rings of 2 to 8 A100 of one site, one fabric (eight V100 are no switch: each number of them has a rate of its own)", MeasuredKind::Collectives, How::OneSite, "in-node-rings"},
    {"two-nodes", "collectives on two nodes, a fabric for each set", MeasuredKind::Collectives, How::EachSystem, "collectives"},
    {"point-to-point", "messages between two GPUs, a fabric for each set", MeasuredKind::Collectives, How::EachSystem, "collectives"},
    {"other-sites", "collectives in one node of A100, H100, H200, a fabric fitted to the other sites alone", MeasuredKind::Collectives, How::OtherSites, "collectives", "in-node-rings"},
    {"presets", "collectives in one node on the presets as they are", MeasuredKind::Collectives, How::Presets, "collectives"},
    {"presets-reached", "the same at the rates that collectives reach (platform.rates: reached), which were fitted to these and other rows", MeasuredKind::Collectives, How::Presets, "collectives"},
    {"gemm", "matrix products on A100, H100, H200", MeasuredKind::Gemm, How::Steps, "compute"},
    {"gpt-multi-node", "steps of GPT models on 64 to 512 A100", MeasuredKind::Gpt, How::Steps, "gpt-multi-node"},
    {"gpt-single-node", "steps of GPT models on 2 to 8 A100", MeasuredKind::Gpt, How::Steps, "gpt-single-node"},
    {"megatron-2022", "steps of GPT models, full and selective recomputation", MeasuredKind::Megatron, How::Steps, "megatron-2022"},
    {"megatron-bridge", "named models on H100 to GB300", MeasuredKind::Megatron, How::Steps, "megatron-bridge"},
    {"fsdp", "MPT models with FSDP on A100 and H100", MeasuredKind::Fsdp, How::Steps, "fsdp"},
    {"tpu-v3", "sharded language models on TPU v3", MeasuredKind::Tpu, How::Steps, "tpu-v3"},
    {"optimizer", "all-reduce and optimiser on 128 V100, 2^26 elements and more, a ring for each implementation", MeasuredKind::Optimizer, How::EachSystem, "optimizer"},
    {"optimizer-small", "the same below 2^26 elements", MeasuredKind::Optimizer, How::EachSystem, "optimizer"},
}};

constexpr std::size_t kLeastRows = 4;
constexpr std::int64_t kLeastBytes = 64 * 1024;

bool enoughRows(const TransferSet& set)
{
    return std::count_if(set.rows.begin(), set.rows.end(), [](const MeasuredTransfer& row) { return row.bytes >= kLeastBytes; }) >= static_cast<std::ptrdiff_t>(kLeastRows);
}

bool belongs(const AccuracySet& set, const TransferSet& rows)
{
    const MeasuredTransfer& first = rows.rows.front();
    if (set.name == "two-nodes")
        return first.nodes > 1 && !first.message;
    if (set.name == "point-to-point")
        return first.message;
    // A hybrid cube mesh is not one fabric of a switch.
    const bool mesh = set.how == How::OneSite && rows.name.starts_with("v100");
    return first.nodes == 1 && !first.message && !mesh;
}

/// The machine that a name of a set says, without how many of its GPUs took part.
std::string siteOf(const std::string& name)
{
    if (name.starts_with("T5 ") || name.find("100, ") != std::string::npos)
        return name.substr(0, name.find(','));
    return name;
}

/// GPUs that are joined alike; empty: none of those.
std::string familyOf(const std::string& name)
{
    if (name.find("A100") != std::string::npos || name.starts_with("a100"))
        return "A100";
    return name.find("H100") != std::string::npos || name.find("H200") != std::string::npos ? "H100, H200" : "";
}

/// Who measured: the table, or the rings of vTrain.
std::string placeOfSet(const std::string& name)
{
    return name.starts_with('T') ? name.substr(0, name.find(' ')) : "rings";
}

/// The preset of a system; empty: none.
std::string_view presetOf(const std::string& name)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPresets{{{"A100", "dgx-a100-8"}, {"H100", "hgx-h100-8"}, {"H200", "hgx-h200-8"}}};
    for (const auto& [gpu, preset] : kPresets) {
        if (name.find(gpu) != std::string::npos)
            return preset;
    }
    return {};
}

/// Numbers of the machine (measuredmachines.h) that were fitted to every second row of the set.
std::vector<std::string> fittedOfSteps(std::string_view name)
{
    if (name == "gemm")
        return {"share of the peak", "start"};
    if (name == "gpt-multi-node")
        return {"share of the peak", "traffic", "rate between nodes"};
    if (name == "gpt-single-node")
        return {"share of the peak", "traffic", "launch of a layer"};
    if (name == "fsdp")
        return {"share of the peak", "share of attention", "traffic"};
    return {};
}

/// Predicted and measured.
using StepPairs = std::vector<std::pair<double, double>>;

SetScore scoreOfSteps(const std::string& name, const StepPairs& pairs, const std::vector<std::string>& fitted)
{
    SetScore score;
    score.name = name;
    score.figures = errorFigures(pairs);
    score.fitted = fitted;
    if (!fitted.empty())
        score.fittedRows = (pairs.size() + 1) / 2;
    return score;
}

/// All rows, then those of each GPU where there are several.
AccuracyResult accuracyOfSteps(const AccuracySet& set, const MeasuredTable& table, const std::vector<PredictedRow>& rows)
{
    StepPairs all;
    std::vector<std::pair<std::string, StepPairs>> gpus; // In the order of the table.
    for (const PredictedRow& row : rows) {
        if (!row.predicted)
            continue;
        all.emplace_back(*row.predicted, row.measured);
        const std::string gpu = table.column("gpu") < 0 ? std::string() : table.cell(table.rows[row.row], "gpu");
        auto of = std::find_if(gpus.begin(), gpus.end(), [&gpu](const auto& known) { return known.first == gpu; });
        if (of == gpus.end())
            of = gpus.insert(of, {gpu, {}});
        of->second.push_back(all.back());
    }
    const std::vector<std::string> fitted = fittedOfSteps(set.name);
    AccuracyResult out;
    out.scores.push_back(scoreOfSteps(std::string(set.name), all, fitted));
    for (const auto& [gpu, pairs] : gpus) {
        if (gpus.size() > 1)
            out.scores.push_back(scoreOfSteps(gpu, pairs, fitted));
    }
    return out;
}

AccuracyResult resultOf(const AccuracySet& set, const std::vector<ScoredSet>& sets)
{
    AccuracyResult out;
    out.scores.push_back(scoreTogether(std::string(set.name), sets));
    for (const ScoredSet& one : sets)
        out.scores.push_back(one.score);
    return out;
}

class TransferAccuracy {
public:
    TransferAccuracy(const AccuracySet& set, const std::stop_token& stop) : m_set(set), m_stop(stop), m_fitter(stop) {}

    Result<AccuracyResult> run(const std::vector<TransferSet>& all)
    {
        if (m_set.how == How::OtherSites)
            return runOtherSites(all);
        std::vector<std::string> order;
        std::map<std::string, std::vector<TransferSet>> sites;
        for (const TransferSet& rows : all) {
            if (!belongs(m_set, rows) || !enoughRows(rows))
                continue;
            const std::string site = m_set.how == How::OneSite ? siteOf(rows.name) : rows.name;
            if (sites[site].empty())
                order.push_back(site);
            sites[site].push_back(rows);
        }
        for (const std::string& site : order) {
            if (m_set.how == How::OneSite && sites[site].size() < 2)
                continue;
            if (Status status = add(site, sites[site]); !status)
                return std::move(status).error();
        }
        return resultOf(m_set, m_scored);
    }

private:
    Result<AccuracyResult> runOtherSites(const std::vector<TransferSet>& all)
    {
        std::vector<std::pair<std::string, std::string>> order;
        std::map<std::pair<std::string, std::string>, std::vector<MeasuredTransfer>> sites;
        for (const TransferSet& rows : all) {
            const std::pair<std::string, std::string> key{familyOf(rows.name), placeOfSet(rows.name)};
            if (key.first.empty() || rows.rows.front().nodes > 1 || rows.rows.front().message)
                continue;
            if (sites[key].empty())
                order.push_back(key);
            sites[key].insert(sites[key].end(), rows.rows.begin(), rows.rows.end());
        }
        for (const auto& key : order) {
            std::vector<MeasuredTransfer> others;
            for (const auto& [other, rows] : sites) {
                if (other.first == key.first && other.second != key.second)
                    std::copy_if(rows.begin(), rows.end(), std::back_inserter(others), [](const MeasuredTransfer& row) { return row.bytes >= kLeastBytes; });
            }
            if (others.empty())
                continue;
            Result<ScoredSet> scored = scoreFitted(others, sites[key], key.first + " at " + key.second, m_fitter);
            if (!scored)
                return scored.error();
            m_scored.push_back(std::move(scored).value());
        }
        return resultOf(m_set, m_scored);
    }

    Status add(const std::string& site, const std::vector<TransferSet>& sets)
    {
        Result<ScoredSet> scored = [&]() -> Result<ScoredSet> {
            if (m_set.how != How::Presets)
                return fitAndScore(sets, site, m_fitter);
            const Result<PlatformSpec> preset = presetPlatform(presetOf(site));
            if (!preset)
                return ScoredSet{};
            Design fabric;
            PlatformSpec spec = preset.value();
            const PresetReached* const reached = m_set.name == "presets-reached" ? presetReached(presetOf(site)) : nullptr;
            if (reached) {
                applyReached(*reached, spec);
                NetworkConfig network;
                network.launch = Quantity{reached->launchUs, "us", Measure::Time};
                fabric.network = std::make_shared<const NetworkConfig>(std::move(network));
            }
            fabric.platform = std::make_shared<const PlatformSpec>(std::move(spec));
            return scoreOn(fabric, sets.front(), m_stop);
        }();
        if (!scored)
            return scored.error();
        if (!scored.value().rows.empty())
            m_scored.push_back(std::move(scored).value());
        return {};
    }

    const AccuracySet& m_set;
    const std::stop_token& m_stop;
    FabricFitter m_fitter;
    std::vector<ScoredSet> m_scored;
};

} // namespace

std::span<const AccuracySet> accuracySets()
{
    return kSets;
}

Result<AccuracyResult> accuracyOf(const AccuracySet& set, const std::vector<MeasuredTable>& tables, const std::stop_token& stop)
{
    if (set.kind == MeasuredKind::Collectives) {
        std::vector<TransferSet> all;
        for (const MeasuredTable& table : tables) {
            const Result<std::vector<TransferSet>> sets = readTransferSets(table);
            if (!sets)
                return sets.error();
            all.insert(all.end(), sets.value().begin(), sets.value().end());
        }
        return untilStopped([&] { return TransferAccuracy(set, stop).run(all); });
    }
    const MeasuredTable& table = tables.front();
    if (set.kind == MeasuredKind::Optimizer) {
        Result<std::vector<ScoredSet>> sets = fitOptimizer(table, stop);
        if (!sets)
            return sets.error();
        std::erase_if(sets.value(), [small = set.name == "optimizer-small"](const ScoredSet& one) { return small == one.score.name.ends_with(kLargeOptimizers); });
        return resultOf(set, sets.value());
    }
    const Result<std::vector<PredictedRow>> rows = predictRows(set.kind, table, stop);
    if (!rows)
        return rows.error();
    return accuracyOfSteps(set, table, rows.value());
}

} // namespace fabricscope
