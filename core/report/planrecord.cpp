#include "core/report/planrecord.h"

#include "core/base/index.h"
#include "core/draw/numbertext.h"
#include "core/model/count.h"

#include <algorithm>
#include <cmath>

namespace fabricscope {

namespace {

constexpr std::size_t kMostMemoryRows = 40;

void realMember(JsonWriter& json, std::string_view name, const std::optional<double>& value)
{
    if (value)
        json.member(name, Quantity{*value, "", Measure::Count}.text());
}

std::string utilisationText(double share)
{
    constexpr std::int64_t kWhole = 1'000'000;
    return numbertext::percent(std::llround(share * static_cast<double>(kWhole)), 1, kWhole);
}

std::string wholeText(double value)
{
    return numbertext::count(std::llround(std::min(value, 9e18)));
}

void addServedRows(ReportTable& table, const ServedFigures& served)
{
    table.rows.push_back({"Time to first token", numbertext::time({served.firstToken})});
    if (!served.perToken || *served.perToken <= 0)
        return;
    table.rows.push_back({"Time per output token", numbertext::time({*served.perToken})});
    table.rows.push_back({"Tokens per second and user", wholeText(1e12 / static_cast<double>(*served.perToken))});
    if (served.steps < served.allSteps)
        table.note = numbertext::count(served.steps) + " of " + numbertext::count(served.allSteps) + " steps after the first token were simulated.";
}

ReportTable quotedTable(const PlanFigures& figures)
{
    ReportTable table;
    table.columns = {{"Of the plan", false, 2}, {"", true, 1}};
    if (figures.served)
        addServedRows(table, *figures.served);
    if (figures.tokensPerSecond) {
        table.rows.push_back({"Tokens per second", wholeText(*figures.tokensPerSecond)});
        table.rows.push_back({"Tokens per second and NPU", wholeText(*figures.tokensPerSecond / static_cast<double>(std::max<std::int64_t>(1, figures.ranks)))});
    }
    if (figures.mfu)
        table.rows.push_back({"Model FLOPs utilisation (MFU)", utilisationText(*figures.mfu)});
    if (figures.hfu)
        table.rows.push_back({"Hardware FLOPs utilisation (HFU)", utilisationText(*figures.hfu)});
    if (figures.bubbleShare)
        table.rows.push_back({"Bubble, share of the step", utilisationText(*figures.bubbleShare)});
    return table;
}

ReportTable exposedTable(const PlanFigures& figures, SimTime finish)
{
    ReportTable table;
    table.columns = {{"Exposed, by what it is for", false, 2}, {"Time", true, 1}, {"Of the run", true, 1}};
    for (const auto& [word, kind] : kPlanTraffic) {
        const std::int64_t ps = (*figures.exposed)[at(kind)];
        if (ps > 0)
            table.rows.push_back({std::string(word), numbertext::time({ps}), numbertext::percent(ps, 1, std::max<std::int64_t>(1, finish.ps))});
    }
    table.note = table.rows.empty() ? "Nothing is exposed: all communication is hidden behind compute." : "Of the ranks that end last, without computation.";
    return table;
}

ReportTable memoryOfPlan(const PlanFigures& figures)
{
    ReportTable table;
    table.columns = {{"Memory of the plan", false, 2}, {"Parameters", true, 1}, {"Gradients", true, 1}, {"Optimizer", true, 1}, {"Activations", true, 1}, {"Buffers", true, 1}, {"KV cache", true, 1}, {"Peak", true, 1}, {"Of the NPU", true, 1}};
    for (std::size_t i = 0; i < std::min(figures.memory.size(), kMostMemoryRows); ++i) {
        const PlanMemory& row = figures.memory[i];
        const std::string ranks = row.ranks.text();
        constexpr std::size_t kWidest = 24;
        std::vector<ReportCell> cells{ranks.size() <= kWidest ? "ranks " + ranks : numbertext::count(row.ranks.count()) + " ranks from " + std::to_string(row.ranks.intervals().front().first)};
        for (const std::int64_t bytes : {row.parameters, row.gradients, row.optimizer, row.activations, row.buffers, row.kvCache})
            cells.emplace_back(bytes == 0 ? std::string("0") : numbertext::bytes(bytes));
        const bool over = figures.npuMemory && row.peak() > *figures.npuMemory;
        cells.emplace_back(numbertext::bytes(row.peak()), over ? ReportCell::Look::Warning : ReportCell::Look::Strong);
        cells.emplace_back(figures.npuMemory && *figures.npuMemory > 0 ? numbertext::percent(row.peak(), 1, *figures.npuMemory) : std::string("not known"));
        table.rows.push_back(std::move(cells));
    }
    if (figures.memory.size() > kMostMemoryRows)
        table.note = "The first " + numbertext::count(static_cast<std::int64_t>(kMostMemoryRows)) + " of " + numbertext::count(static_cast<std::int64_t>(figures.memory.size())) + " kinds of ranks.";
    return table;
}

} // namespace

void writeKeptPlan(JsonWriter& json, const PlanFigures& figures)
{
    json.beginObject();
    json.member("ranks", figures.ranks);
    if (figures.hasModel) {
        json.member("step_flops", wideText(figures.stepFlops)); // Texts: they may be more than 64 bits.
        json.member("model_flops", wideText(figures.modelFlops));
    }
    realMember(json, "mfu", figures.mfu);
    realMember(json, "hfu", figures.hfu);
    realMember(json, "tokens_per_s", figures.tokensPerSecond);
    realMember(json, "bubble_share", figures.bubbleShare);
    if (figures.exposed) {
        json.key("exposed_ps");
        json.beginCompactObject();
        for (const auto& [word, kind] : kPlanTraffic)
            json.member(word, (*figures.exposed)[at(kind)]);
        json.endObject();
        json.member("exposed_ranks", figures.exposedRanks.text());
    }
    if (figures.served) {
        json.key("served");
        json.beginCompactObject();
        json.member("first_token_ps", figures.served->firstToken);
        if (figures.served->perToken)
            json.member("per_token_ps", *figures.served->perToken);
        json.member("steps", figures.served->steps);
        json.member("all_steps", figures.served->allSteps);
        json.endObject();
    }
    json.key("memory");
    json.beginArray();
    for (const PlanMemory& row : figures.memory) {
        json.beginCompactObject();
        json.member("ranks", row.ranks.text());
        for (const auto& [name, bytes] : {std::pair{"parameters", row.parameters}, {"gradients", row.gradients}, {"optimizer", row.optimizer}, {"activations", row.activations}, {"buffers", row.buffers}, {"kv_cache", row.kvCache}})
            json.member(name, bytes);
        json.endObject();
    }
    json.endArray();
    if (figures.npuMemory)
        json.member("npu_memory", *figures.npuMemory);
    json.endObject();
}

std::vector<ReportBlock> planTables(const PlanFigures& figures, SimTime finish)
{
    std::vector<ReportBlock> blocks;
    if (ReportTable quoted = quotedTable(figures); !quoted.rows.empty())
        blocks.emplace_back(std::move(quoted));
    if (figures.exposed)
        blocks.emplace_back(exposedTable(figures, finish));
    if (!figures.memory.empty())
        blocks.emplace_back(memoryOfPlan(figures));
    return blocks;
}

std::optional<ReportKeyFigure> planKeyFigure(const PlanFigures& figures)
{
    if (figures.served)
        return ReportKeyFigure{"First token", numbertext::time({figures.served->firstToken}), figures.served->perToken ? "then one every " + numbertext::time({*figures.served->perToken}) : std::string()};
    if (!figures.tokensPerSecond)
        return std::nullopt;
    return ReportKeyFigure{"Tokens per second", wholeText(*figures.tokensPerSecond), figures.mfu && figures.hfu ? "MFU " + utilisationText(*figures.mfu) + ", HFU " + utilisationText(*figures.hfu) : std::string()};
}

} // namespace fabricscope
