#include "app/cli/output/plansearchoutput.h"

#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/report/accuracyfigures.h"
#include "core/report/jsonwriter.h"
#include "core/run/planssection.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricscope::cli {

namespace {

struct PartRow {
    std::string_view cause;
    std::int64_t PlanParts::* part;
};
constexpr std::array<PartRow, 5> kPlanParts{{{"computing", &PlanParts::computing},
                                             {"communication of layers", &PlanParts::communication},
                                             {"bubble", &PlanParts::waiting},
                                             {"gradients and parameters", &PlanParts::gradients},
                                             {"optimizer", &PlanParts::optimizer}}};

std::string millisecondsText(std::int64_t ps)
{
    return withDecimals(static_cast<double>(ps) * 1e-9, 3);
}

std::string sixDigits(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(value)));
    return decimal(std::round(value * scale) / scale);
}

/// Tokens per second and NPU at the step on show.
double rateOf(const SearchedPlan& plan)
{
    return plan.tokensPerSecondOfStep() / static_cast<double>(plan.choice.block.ranks());
}

/// Of a million tokens.
double dollarsOf(const SearchedPlan& plan)
{
    return plan.dollarsPerToken().value_or(0) * 1e6;
}

/// What is shown only where it was asked for.
struct AskedColumns {
    bool npus = false;
    bool cost = false;
    bool energy = false;
};

AskedColumns askedColumns(const PlanSearchSpec& search)
{
    const auto wants = [&](PlanObjective objective) { return std::find(search.objectives.begin(), search.objectives.end(), objective) != search.objectives.end(); };
    return {search.varies(PlanVariable::Npus) || search.fixed.npus || wants(PlanObjective::Npus), wants(PlanObjective::Cost), wants(PlanObjective::Energy)};
}

std::string orderText(const PlanChoice& choice)
{
    std::string text;
    for (const std::string& axis : choice.meshOrder)
        text += (text.empty() ? "" : ",") + axis;
    return text.empty() ? "-" : text;
}

std::string scheduleText(const PlanChoice& choice)
{
    if (choice.block.pipeline == 1)
        return "-";
    return std::string(keyOf(kPipelineSchedules, choice.schedule)) + (choice.chunks > 1 ? " x" + std::to_string(choice.chunks) : std::string());
}

std::string alignedText(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i > 0 ? "  " : "") + std::string(widths[i] - row[i].size(), ' ') + row[i];
        text += line + '\n';
    }
    return text;
}

constexpr std::ptrdiff_t kAskedColumn = 5; ///< Before the degrees.

std::vector<std::string> planRow(const std::string& name, const SearchedPlan& plan, const AskedColumns& asked)
{
    const PlanBlock& block = plan.choice.block;
    std::vector<std::string> row{name, plan.simulated ? millisecondsText(plan.simulated->ps) : "-", millisecondsText(plan.parts.step()), sixDigits(rateOf(plan)), withDecimals(static_cast<double>(plan.memory) / 1e9, 1),
            std::to_string(block.tensor), std::to_string(block.pipeline), std::to_string(block.data), std::to_string(block.expert), std::to_string(block.context), std::to_string(block.microBatch), std::to_string(plan.microBatches),
            std::to_string(plan.choice.zero), std::string(keyOf(kRecomputes, block.recompute)), scheduleText(plan.choice), orderText(plan.choice)};
    std::vector<std::string> more;
    if (asked.npus)
        more.push_back(std::to_string(block.ranks()));
    if (asked.cost)
        more.push_back(sixDigits(dollarsOf(plan)));
    if (asked.energy)
        more.push_back(sixDigits(plan.joulesPerToken().value_or(0)));
    row.insert(row.begin() + kAskedColumn, more.begin(), more.end());
    return row;
}

/// Where the estimates of two plans differ: adds up to the difference of their steps.
std::string differenceText(const std::string& lead, const SearchedPlan& plan, const SearchedPlan& other)
{
    std::string text = lead + withDecimals(static_cast<double>(other.parts.step() - plan.parts.step()) * 1e-9, 3) + " ms (estimated):";
    for (const PartRow& row : kPlanParts) {
        const std::int64_t difference = other.parts.*row.part - plan.parts.*row.part;
        if (std::abs(difference) >= 1'000'000) // A microsecond; --json has all of them.
            text += std::string("\n  ") + (difference > 0 ? "+" : "") + millisecondsText(difference) + " ms  " + std::string(row.cause);
    }
    return text + '\n';
}

std::string countsText(const PlanSearchResult& result, const PlanSearchSpec& search, const PlanSearchNotes& notes)
{
    const PlanSearchCounts& counts = result.counts;
    std::string text = planCountsText(counts, search, [](std::int64_t count) { return std::to_string(count); }) + '\n';
    for (const auto& [field, count] : counts.refused) {
        if (result.plans.empty())
            text += "  " + std::to_string(count) + " cannot be because of " + field + '\n';
    }
    const double seconds = static_cast<double>(notes.elapsedMicroseconds) * 1e-6;
    if (seconds > 0)
        text += sixDigits(seconds) + " s, " + sixDigits(static_cast<double>(counts.considered) / seconds) + " plans/s\n";
    return text;
}

void writePlanRow(JsonWriter& json, const SearchedPlan& plan)
{
    const PlanBlock& block = plan.choice.block;
    json.beginCompactObject();
    json.member("npus", block.ranks());
    json.member("tensor", block.tensor);
    json.member("pipeline", block.pipeline);
    json.member("data", block.data);
    json.member("expert", block.expert);
    json.member("context", block.context);
    json.member("micro_batch", block.microBatch);
    json.member("micro_batches", plan.microBatches);
    json.member("recompute", keyOf(kRecomputes, block.recompute));
    json.member("zero", std::int64_t{plan.choice.zero});
    if (plan.plan.data) {
        json.key("bucket_mb");
        json.number(decimal(plan.plan.data->bucketMb));
    }
    json.member("schedule", keyOf(kPipelineSchedules, plan.choice.schedule));
    json.member("virtual", std::int64_t{plan.choice.chunks});
    json.key("mesh_order");
    json.beginCompactArray();
    for (const std::string& axis : plan.choice.meshOrder)
        json.string(axis);
    json.endArray();
    json.key("step_time");
    json.nanoseconds(SimTime{plan.step()});
    json.key("estimated_ns");
    json.nanoseconds(SimTime{plan.parts.step()});
    json.key("simulated_ns");
    plan.simulated ? json.nanoseconds(*plan.simulated) : json.null();
    json.key("tokens_per_npu");
    json.number(sixDigits(rateOf(plan)));
    json.member("memory", plan.memory);
    if (plan.rates.dollars) {
        json.key("usd_per_million_tokens");
        json.number(sixDigits(dollarsOf(plan)));
    }
    if (const std::optional<double> joules = plan.joulesPerToken()) {
        json.key("joules_per_token");
        json.number(sixDigits(*joules));
    }
    if (!plan.problem.empty())
        json.member("problem", plan.problem);
    json.endObject();
}

void writeDifference(JsonWriter& json, std::string_view against, const SearchedPlan& plan, const SearchedPlan& other)
{
    json.beginObject();
    json.member("against", against);
    json.member("difference_ps", other.parts.step() - plan.parts.step());
    json.key("items");
    json.beginArray();
    for (const PartRow& row : kPlanParts) {
        json.beginCompactObject();
        json.member("cause", row.cause);
        json.member("ps", other.parts.*row.part - plan.parts.*row.part);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

void writeCounts(JsonWriter& json, const PlanSearchCounts& counts)
{
    json.member("considered", counts.considered);
    json.member("pruned", counts.pruned);
    json.member("estimated", counts.estimated);
    json.member("over_memory", counts.overMemory);
    writeRefusedPlans(json, counts.refused);
}

/// How many of the plans were simulated.
std::int64_t simulatedPlans(const PlanSearchResult& result)
{
    return std::count_if(result.plans.begin(), result.plans.end(), [](const SearchedPlan& plan) { return plan.simulated.has_value(); });
}

/// "tensor 8, pipeline 2, data 4, micro-batch 1, zero 1, recompute full, 1f1b, order pp,dp,tp".
std::string choiceText(const PlanChoice& choice)
{
    const PlanBlock& block = choice.block;
    std::string text = "tensor " + std::to_string(block.tensor) + ", pipeline " + std::to_string(block.pipeline) + ", data " + std::to_string(block.data);
    text += block.expert > 1 ? ", expert " + std::to_string(block.expert) : std::string();
    text += block.context > 1 ? ", context " + std::to_string(block.context) : std::string();
    text += ", micro-batch " + std::to_string(block.microBatch) + ", zero " + std::to_string(choice.zero) + ", recompute " + std::string(keyOf(kRecomputes, block.recompute));
    text += block.pipeline > 1 ? ", " + scheduleText(choice) : std::string();
    return text + ", order " + orderText(choice);
}

bool isOfMemory(const PlanTurn& turn)
{
    return turn.field.ends_with("memory");
}

std::string turnsText(const PlanSearchNotes& notes)
{
    if (notes.turns.empty() || !notes.estimatedBest)
        return {};
    std::string text = "\nbest by the estimate: " + choiceText(notes.estimatedBest->choice) + "\nwhat would change that:\n";
    for (const PlanTurn& turn : notes.turns) {
        const std::string unit = isOfMemory(turn) ? " GB" : " GB/s";
        text += "  " + turn.field + ' ' + sixDigits(turn.from * 1e-9) + unit;
        if (turn.plan)
            text += " -> " + sixDigits(turn.to * 1e-9) + unit + ": " + choiceText(turn.plan->choice) + '\n';
        else if (isOfMemory(turn))
            text += turn.more ? ": more makes no plan shorter\n" : " -> " + sixDigits(turn.to * 1e-9) + unit + ": no plan fits\n";
        else
            text += (turn.more ? ": nothing up to " : ": nothing down to ") + sixDigits(turn.to * 1e-9) + unit + '\n';
    }
    return text;
}

void writeTurns(JsonWriter& json, const PlanSearchNotes& notes)
{
    json.key("turns");
    json.beginArray();
    for (const PlanTurn& turn : notes.turns) {
        json.beginObject();
        json.member("field", turn.field);
        json.member("direction", turn.more ? "more" : "less");
        json.member("from", std::llround(turn.from));
        json.member("to", std::llround(turn.to));
        json.key("plan");
        turn.plan ? writePlanRow(json, *turn.plan) : json.null();
        json.endObject();
    }
    json.endArray();
}

} // namespace

void writeRefusedPlans(JsonWriter& json, const std::map<std::string, std::int64_t>& refused)
{
    json.key("refused");
    json.beginArray();
    for (const auto& [field, count] : refused) {
        json.beginCompactObject();
        json.member("field", field);
        json.member("count", count);
        json.endObject();
    }
    json.endArray();
}

std::string plansText(const PlanSearchResult& result, const PlanSearchSpec& search, const PlanSearchNotes& notes)
{
    std::string text = countsText(result, search, notes);
    if (result.plans.empty())
        return text + "no plan fits\n";
    std::vector<std::vector<std::string>> rows{{"", "simulated, ms", "estimated, ms", "tokens/s/NPU", "GB", "tensor", "pipeline", "data", "expert", "context", "micro", "count", "zero", "recompute", "schedule", "order"}};
    const AskedColumns asked = askedColumns(search);
    std::vector<std::string> more;
    for (const auto& [isAsked, title] : {std::pair(asked.npus, "NPUs"), std::pair(asked.cost, "US$/M tokens"), std::pair(asked.energy, "J/token")}) {
        if (isAsked)
            more.emplace_back(title);
    }
    rows.front().insert(rows.front().begin() + kAskedColumn, more.begin(), more.end());
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
        const bool onFront = search.objectives.size() > 1 && std::binary_search(result.front.begin(), result.front.end(), i);
        rows.push_back(planRow((onFront ? "* " : "") + std::to_string(i + 1), result.plans[i], asked));
    }
    if (result.own)
        rows.push_back(planRow("own", *result.own, asked));
    text += '\n' + alignedText(rows);
    if (search.objectives.size() > 1)
        text += "* no other plan is better in every objective\n";
    text += "(" + notes.estimate + ")\n";
    const SearchedPlan& best = result.plans.front();
    if (result.plans.size() > 1)
        text += '\n' + differenceText("plan 2 against plan 1: ", best, result.plans[1]);
    if (result.own)
        text += '\n' + differenceText("own plan against plan 1: ", best, *result.own);
    if (const std::string agreement = planAgreementText(result.plans); !agreement.empty())
        text += '\n' + agreement + '\n';
    text += "\naccuracy of the fabric: " + errorText(notes.errorPct) + '\n';
    if (const std::string alike = plansLikeFirstText(result.plans, notes.errorPct); !alike.empty())
        text += alike + '\n';
    text += turnsText(notes);
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
        if (!result.plans[i].problem.empty())
            text += "plan " + std::to_string(i + 1) + " was not simulated: " + result.plans[i].problem + '\n';
    }
    if (result.own && !result.own->problem.empty())
        text += "own plan was not simulated: " + result.own->problem + '\n';
    return text;
}

std::string plansJson(const PlanSearchResult& result, const PlanSearchSpec& search, const PlanSearchNotes& notes)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", 1);
    json.key("result");
    json.beginObject();
    writeCounts(json, result.counts);
    json.key("objectives");
    json.beginCompactArray();
    for (const PlanObjective objective : search.objectives)
        json.string(keyOf(kPlanObjectives, objective));
    json.endArray();
    json.key("plans");
    json.beginArray();
    for (const SearchedPlan& plan : result.plans)
        writePlanRow(json, plan);
    json.endArray();
    json.key("front");
    json.beginCompactArray();
    for (const std::size_t i : result.front)
        json.integer(static_cast<std::int64_t>(i));
    json.endArray();
    json.key("own");
    result.own ? writePlanRow(json, *result.own) : json.null();
    json.key("why");
    json.beginArray();
    if (result.plans.size() > 1)
        writeDifference(json, "runner_up", result.plans.front(), result.plans[1]);
    if (!result.plans.empty() && result.own)
        writeDifference(json, "own", result.plans.front(), *result.own);
    json.endArray();
    json.key("kendall_tau");
    const std::optional<double> tau = rankAgreement(result.plans);
    tau ? json.number(withDecimals(*tau, 6)) : json.null();
    json.member("simulated", simulatedPlans(result));
    json.key("regret_pct");
    const std::optional<double> regret = rankRegret(result.plans);
    regret ? json.number(withDecimals(*regret * 100, 4)) : json.null();
    json.key("error_pct");
    notes.errorPct ? json.number(decimal(*notes.errorPct)) : json.null();
    json.key("not_distinguishable");
    json.beginCompactArray();
    for (const std::size_t i : plansLikeFirst(result.plans, notes.errorPct))
        json.integer(static_cast<std::int64_t>(i));
    json.endArray();
    writeTurns(json, notes);
    json.member("estimate", notes.estimate);
    json.member("design_hash", notes.designHash);
    json.endObject();
    json.key("run");
    json.beginObject();
    json.key("ranking_s");
    json.number(withDecimals(static_cast<double>(notes.elapsedMicroseconds) * 1e-6, 6));
    json.endObject();
    json.endObject();
    return json.text() + '\n';
}

} // namespace fabricscope::cli
