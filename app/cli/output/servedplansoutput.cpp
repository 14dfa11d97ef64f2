#include "app/cli/output/servedplansoutput.h"

#include "app/cli/output/plansearchoutput.h"
#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/report/jsonwriter.h"

#include <numeric>

namespace fabricscope::cli {

namespace {

std::string milliseconds(const std::optional<double>& seconds)
{
    return seconds ? withDecimals(*seconds * 1e3, 3) : "-";
}

std::string axesText(const PlanChoice& choice)
{
    std::string text;
    for (const std::string& axis : choice.meshOrder)
        text += (text.empty() ? "" : ",") + axis;
    return text.empty() ? "-" : text;
}

void writeSeconds(JsonWriter& json, std::string_view key, const std::optional<double>& seconds)
{
    json.key(key);
    seconds ? json.number(withDecimals(*seconds, 9)) : json.null();
}

void writeServed(JsonWriter& json, const ServedPlan& plan)
{
    const PlanBlock& block = plan.choice.block;
    json.beginCompactObject();
    json.member("tensor", block.tensor);
    json.member("pipeline", block.pipeline);
    json.member("data", block.data);
    json.member("expert", block.expert);
    json.member("context", block.context);
    json.key("mesh_order");
    json.beginCompactArray();
    for (const std::string& axis : plan.choice.meshOrder)
        json.string(axis);
    json.endArray();
    json.member("batch", plan.figures.batch);
    json.key("tokens_per_s");
    json.number(withDecimals(plan.figures.tokensPerSecond.value_or(0), 3));
    writeSeconds(json, "first_token_s", plan.figures.firstToken);
    writeSeconds(json, "per_token_s", plan.figures.perToken);
    json.member("memory", plan.figures.peak);
    json.endObject();
}

} // namespace

std::string servedPlansText(const ServedPlans& found)
{
    const std::int64_t refused = std::accumulate(found.refused.begin(), found.refused.end(), std::int64_t{0}, [](std::int64_t sum, const auto& entry) { return sum + entry.second; });
    std::string text = std::to_string(found.considered) + " plans: " + std::to_string(refused) + " cannot be, " + std::to_string(found.overMemory) + " do not fit the memory with any batch, " + std::to_string(found.tooSlow) + " are too slow with any\n";
    if (found.plans.empty())
        return text + "no plan serves a batch within the bounds\n";
    text += "\nplan  tokens/s  batch  first token, ms  per token, ms  GB  tensor  pipeline  data  expert  context  order\n";
    for (std::size_t i = 0; i < found.plans.size(); ++i) {
        const ServedPlan& plan = found.plans[i];
        const PlanBlock& block = plan.choice.block;
        text += std::to_string(i + 1) + "  " + withDecimals(plan.figures.tokensPerSecond.value_or(0), 1) + "  " + std::to_string(plan.figures.batch) + "  " + milliseconds(plan.figures.firstToken) + "  " + milliseconds(plan.figures.perToken) + "  "
            + withDecimals(static_cast<double>(plan.figures.peak) * 1e-9, 1);
        for (const std::int64_t degree : {block.tensor, block.pipeline, block.data, block.expert, block.context})
            text += "  " + std::to_string(degree);
        text += "  " + axesText(plan.choice) + '\n';
    }
    return text + "(estimated, nothing is simulated; the batch is that of a replica)\n";
}

std::string servedPlansJson(const ServedPlans& found, const ServedBounds& bounds, const std::string& designHash)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", 1);
    json.key("result");
    json.beginObject();
    json.member("considered", found.considered);
    json.member("over_memory", found.overMemory);
    json.member("too_slow", found.tooSlow);
    writeRefusedPlans(json, found.refused);
    writeSeconds(json, "first_token_bound_s", bounds.firstToken);
    writeSeconds(json, "per_token_bound_s", bounds.perToken);
    json.key("plans");
    json.beginArray();
    for (const ServedPlan& plan : found.plans)
        writeServed(json, plan);
    json.endArray();
    json.member("design_hash", designHash);
    json.endObject();
    json.endObject();
    return json.text() + '\n';
}

} // namespace fabricscope::cli
