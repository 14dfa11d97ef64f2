#include "core/report/planfigures.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/design/model.h"
#include "core/plan/inference/analyseinference.h"
#include "core/plan/layout.h"
#include "core/record/resultparts.h"
#include "core/report/planexposure.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace fabricscope {

namespace {

const PlannedWorkload* plannedOf(const Design& design)
{
    return design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
}

/// Exposed communication and bubbles, where the times of all tasks are there.
void addExposure(const PlanLayout& layout, const Workload& workload, const RunRecord& record, const std::stop_token& stop, PlanFigures& out)
{
    constexpr std::int64_t kMostTimes = std::int64_t{1} << 26;
    std::int64_t times = 0;
    for (const RankClass& row : record.classes) {
        if (row.ranks.empty())
            continue;
        if (!row.tasks)
            return;
        times += static_cast<std::int64_t>(row.tasks->issuePs.size());
    }
    const std::int32_t slowest = slowestClass(record);
    if (times > kMostTimes || slowest < 0 || traitsOf(record.model).referenceTraces)
        return;
    PlanExposure exposure(layout, workload, record, stop);
    double bubble = 0;
    for (std::size_t c = 0; c < record.classes.size(); ++c) {
        if (record.classes[c].ranks.empty())
            continue;
        const PlanExposure::Times of = exposure.of(record.classes[c]);
        bubble += static_cast<double>(of.bubble()) * static_cast<double>(record.classes[c].ranks.count());
        if (static_cast<std::int32_t>(c) == slowest) {
            out.exposed = of.exposed;
            out.exposedRanks = record.classes[c].ranks;
        }
    }
    if (record.finish.ps > 0)
        out.bubbleShare = bubble / static_cast<double>(record.finish.ps) / static_cast<double>(out.ranks);
}

void addModelFigures(const PlannedWorkload& planned, const PlanLayout& layout, const NpuSpec& npu, double seconds, PlanFigures& out)
{
    PlanNpu known; // Times are the run's.
    if (npu.memory)
        known.memory = out.npuMemory = toBytes(*npu.memory).value;
    auto analysis = analysePlan(planned.model.get(), *planned.plan, out.ranks, known);
    if (!analysis)
        return;
    out.hasModel = true;
    out.stepFlops = analysis.value().stepFlops;
    out.modelFlops = analysis.value().modelFlops;
    out.memory = std::move(analysis.value().memory);
    for (Diagnostic finding : analysis.value().findings) {
        finding.severity = Severity::Warning;
        out.findings.push_back(std::move(finding));
    }
    if (!(seconds > 0))
        return;
    if (npu.peak && npu.peak->base() > 0) {
        const double whole = npu.peak->base() * static_cast<double>(out.ranks) * seconds;
        out.mfu = static_cast<double>(out.modelFlops) / whole;
        out.hfu = static_cast<double>(out.stepFlops) / whole;
    }
    if (layout.inference)
        return; // Tokens that come out: addServed().
    const std::int64_t seq = planned.model->family == ComputeFamily::Transformer ? planned.model->transformer.seq : 1;
    out.tokensPerSecond = static_cast<double>(layout.microBatch) * static_cast<double>(layout.microBatches) * static_cast<double>(layout.replicas) * static_cast<double>(seq) / seconds;
}

/// When tokens were there, from the tasks that say so; throughput with it.
void addServed(const PlanLayout& layout, const Workload& workload, const RunRecord& record, PlanFigures& out)
{
    std::map<std::int64_t, std::int64_t> ends; // By token: of the last micro-batch of all replicas.
    constexpr std::string_view kWord = "token ";
    for (const RankClass& row : record.classes) {
        if (row.ranks.empty() || !row.tasks)
            continue;
        const RankGraph& graph = workload.graph(static_cast<std::int32_t>(row.ranks.intervals().front().first));
        for (TaskIndex task = 0; task < graph.size(); ++task) {
            const std::string_view name = graph.name(task);
            std::int64_t token = 0;
            if (graph.kind[at(task)] != TaskKind::Compute || !name.starts_with(kWord) || std::from_chars(name.data() + kWord.size(), name.data() + name.size(), token).ec != std::errc())
                continue;
            std::int64_t& end = ends[token];
            end = std::max(end, row.tasks->endPs[at(task)]);
        }
    }
    if (ends.empty())
        return;
    ServedFigures& served = out.served.emplace();
    served.firstToken = ends.begin()->second;
    served.steps = static_cast<std::int64_t>(ends.size()) - 1;
    served.allSteps = layout.inference->output - 1;
    if (served.steps > 0)
        served.perToken = (ends.rbegin()->second - served.firstToken) / served.steps;
    const double seconds = (static_cast<double>(served.firstToken) + static_cast<double>(served.perToken.value_or(0)) * static_cast<double>(served.allSteps)) * 1e-12;
    if (seconds > 0)
        out.tokensPerSecond = static_cast<double>(servingReplicas(layout)) * static_cast<double>(layout.inference->batch) * static_cast<double>(layout.inference->output) / seconds;
}

/// Digits of a number beyond 63 bits.
std::string digitsOf(WideCount value)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
        value /= 10;
    } while (value > 0);
    return digits;
}

/// Six significant digits.
std::string sixDigits(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(value)));
    return decimal(std::round(value * scale) / scale);
}

std::string percentOf(double share)
{
    return fixedDecimal(std::llround(share * 1000), 1) + " %";
}

void sixOrNull(JsonWriter& json, std::string_view key, const std::optional<double>& value)
{
    json.key(key);
    value ? json.number(sixDigits(*value)) : json.null();
}

void writeMemoryRows(JsonWriter& json, const PlanFigures& figures)
{
    json.key("memory");
    json.beginArray();
    for (const PlanMemory& row : figures.memory) {
        json.beginCompactObject();
        json.member("ranks", row.ranks.text());
        for (const auto& [key, bytes] : {std::pair{"parameters", row.parameters}, {"gradients", row.gradients}, {"optimizer", row.optimizer}, {"activations", row.activations},
                                         {"buffers", row.buffers}, {"kv_cache", row.kvCache}, {"peak", row.peak()}})
            json.member(key, bytes);
        json.endObject();
    }
    json.endArray();
    json.key("npu_memory");
    figures.npuMemory ? json.integer(*figures.npuMemory) : json.null();
}

} // namespace

bool wantsTaskTimes(const Design& design, const Workload& workload)
{
    constexpr std::int64_t kMostTasks = std::int64_t{1} << 27;
    return plannedOf(design) != nullptr && workload.taskCount() <= kMostTasks;
}

std::optional<PlanFigures> planFigures(const Design& design, const Scenario& scenario, const RunRecord& record, const std::stop_token& stop)
{
    const PlannedWorkload* const planned = plannedOf(design);
    if (!planned || !record.complete || !scenario.structure->workload)
        return std::nullopt;
    const auto layout = layoutOf(planned->model.get(), *planned->plan, record.rankCount);
    if (!layout)
        return std::nullopt;
    PlanFigures out;
    out.ranks = record.rankCount;
    if (planned->model)
        addModelFigures(*planned, layout.value(), scenario.structure->platform.spec().npu, static_cast<double>(record.finish.ps) * 1e-12, out);
    if (layout.value().inference)
        addServed(layout.value(), *scenario.structure->workload, record, out);
    addExposure(layout.value(), *scenario.structure->workload, record, stop, out);
    for (Diagnostic& finding : out.findings)
        finding.place = design.place(finding.place.field);
    return out;
}

void writePlanFigures(JsonWriter& json, const PlanFigures& figures)
{
    json.beginObject();
    for (const auto& [key, flops] : {std::pair{"step_flops", figures.stepFlops}, {"model_flops", figures.modelFlops}}) {
        json.key(key);
        figures.hasModel ? json.number(digitsOf(flops)) : json.null();
    }
    sixOrNull(json, "mfu", figures.mfu);
    sixOrNull(json, "hfu", figures.hfu);
    sixOrNull(json, "tokens_per_s", figures.tokensPerSecond);
    sixOrNull(json, "tokens_per_s_per_npu", figures.tokensPerSecond ? std::optional(*figures.tokensPerSecond / static_cast<double>(figures.ranks)) : std::nullopt);
    if (figures.served) {
        const ServedFigures& served = *figures.served;
        json.key("ttft_ns");
        json.nanoseconds({served.firstToken});
        json.key("tpot_ns");
        served.perToken ? json.nanoseconds({*served.perToken}) : json.null();
        sixOrNull(json, "tokens_per_s_per_user", served.perToken && *served.perToken > 0 ? std::optional(1e12 / static_cast<double>(*served.perToken)) : std::nullopt);
        json.member("decode_steps", served.allSteps);
        json.member("decode_steps_simulated", served.steps);
    }
    sixOrNull(json, "bubble_share", figures.bubbleShare);
    json.key("exposed");
    if (figures.exposed) {
        json.beginArray();
        for (const auto& [word, kind] : kPlanTraffic) {
            if ((*figures.exposed)[static_cast<std::size_t>(kind)] == 0)
                continue;
            json.beginCompactObject();
            json.member("kind", word);
            json.key("ns");
            json.nanoseconds({(*figures.exposed)[static_cast<std::size_t>(kind)]});
            json.endObject();
        }
        json.endArray();
        json.member("exposed_ranks", figures.exposedRanks.text());
    } else {
        json.null();
    }
    writeMemoryRows(json, figures);
    json.endObject();
}

std::string planFiguresText(const PlanFigures& figures)
{
    const auto line = [](const char* label, const std::string& value) { return std::string(label) + std::string(16 - std::string_view(label).size(), ' ') + value + '\n'; };
    std::string out;
    if (figures.served) {
        const ServedFigures& served = *figures.served;
        out += line("First token", "after " + showTime({served.firstToken}));
        if (served.perToken && *served.perToken > 0)
            out += line("Next tokens", "every " + showTime({*served.perToken}) + ", " + sixDigits(1e12 / static_cast<double>(*served.perToken)) + " per second for each user"
                                           + (served.steps < served.allSteps ? " (" + std::to_string(served.steps) + " of " + std::to_string(served.allSteps) + " steps simulated)" : std::string()));
    }
    if (figures.tokensPerSecond)
        out += line("Tokens", sixDigits(*figures.tokensPerSecond) + " per second, " + sixDigits(*figures.tokensPerSecond / static_cast<double>(figures.ranks)) + " per NPU");
    if (figures.mfu && figures.hfu)
        out += line("Utilisation", "MFU " + percentOf(*figures.mfu) + ", HFU " + percentOf(*figures.hfu));
    if (figures.bubbleShare)
        out += line("Bubble", percentOf(*figures.bubbleShare) + " of the step");
    if (figures.exposed) {
        std::string kinds;
        for (const auto& [word, kind] : kPlanTraffic) {
            if (const std::int64_t ps = (*figures.exposed)[static_cast<std::size_t>(kind)]; ps > 0)
                kinds += (kinds.empty() ? "" : ", ") + std::string(word) + ' ' + showTime({ps});
        }
        out += line("Exposed", kinds.empty() ? "nothing" : kinds + " (ranks that end last)");
    }
    if (figures.memory.empty())
        return out;
    const auto gigabytes = [](std::int64_t bytes) { return decimal(std::round(static_cast<double>(bytes) / 1e6) / 1e3); };
    TextColumns table({"Memory of the plan, GB", "parameters", "gradients", "optimizer", "activations", "buffers", "KV cache", "peak", "of NPU"});
    for (const PlanMemory& row : figures.memory) {
        const std::string ranks = row.ranks.text();
        constexpr std::size_t kWidest = 24;
        table.add({ranks.size() <= kWidest ? ranks : std::to_string(row.ranks.count()) + " ranks from " + std::to_string(row.ranks.intervals().front().first), gigabytes(row.parameters), gigabytes(row.gradients), gigabytes(row.optimizer),
                   gigabytes(row.activations), gigabytes(row.buffers), gigabytes(row.kvCache), gigabytes(row.peak()),
                   figures.npuMemory && *figures.npuMemory > 0 ? percentOf(static_cast<double>(row.peak()) / static_cast<double>(*figures.npuMemory)) : "-"});
    }
    return out + '\n' + table.text();
}

} // namespace fabricscope
