#include "app/cli/output/planoutput.h"

#include "app/cli/values.h"
#include "core/base/decimal.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <cmath>

namespace fabricscope::cli {

namespace {

/// Digits of a number beyond 63 bits.
std::string wideText(WideCount value)
{
    if (value == 0)
        return "0";
    std::string digits;
    for (; value > 0; value /= 10)
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    return digits;
}

/// Six significant digits.
std::string roundedText(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(value)));
    return decimal(std::round(value * scale) / scale);
}

std::string percentText(double share)
{
    return withDecimals(share * 100, 1) + " %";
}

std::string paddedText(std::string text, std::size_t width, bool right = true)
{
    if (text.size() < width)
        text.insert(right ? 0 : text.size(), width - text.size(), ' ');
    return text;
}

/// Rows under each other; the first column and the last stand left.
std::string tableText(const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i > 0 ? "  " : "") + paddedText(row[i], widths[i], i > 0 && i + 1 < row.size());
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

/// A list of ranks that fits a table.
std::string ranksShort(const RankSet& ranks)
{
    const std::string text = ranks.text();
    constexpr std::size_t kMost = 24;
    return text.size() <= kMost ? text : std::to_string(ranks.count()) + " ranks from " + std::to_string(ranks.intervals().front().first);
}

std::string gigabytes(std::int64_t bytes)
{
    return withDecimals(static_cast<double>(bytes) / 1e9, 3);
}

std::string headText(const PlanAnalysis& analysis, const std::string& estimate)
{
    std::vector<std::vector<std::string>> rows;
    if (analysis.stepFlops > 0) {
        rows.push_back({"step", wideText(analysis.stepFlops) + " FLOP executed, " + wideText(analysis.modelFlops) + " of the model"});
    }
    if (analysis.times) {
        const PlanTimes& times = *analysis.times;
        rows.push_back({"time", roundedText(times.step * 1000) + " ms, bubble " + percentText(times.bubbleShare)});
        if (analysis.tokensPerSecond)
            rows.push_back({"rate", roundedText(*analysis.tokensPerSecond) + " tokens/s" + (analysis.mfu ? ", MFU " + percentText(*analysis.mfu) + ", HFU " + percentText(*analysis.hfu) : std::string())});
        rows.push_back({"", "(" + estimate + ")"});
    } else if (!analysis.batches.empty()) {
        rows.push_back({"", "(" + estimate + ")"});
    } else {
        rows.push_back({"time", "- (the NPU has no peak)"});
    }
    return tableText(rows);
}

std::string memoryText(const PlanAnalysis& analysis)
{
    std::vector<std::vector<std::string>> rows{{"memory, GB", "parameters", "gradients", "optimizer", "activations", "buffers", "KV cache", "peak", ""}};
    for (const PlanMemory& row : analysis.memory)
        rows.push_back({"  " + ranksShort(row.ranks), gigabytes(row.parameters), gigabytes(row.gradients), gigabytes(row.optimizer), gigabytes(row.activations), gigabytes(row.buffers), gigabytes(row.kvCache), gigabytes(row.peak()), ""});
    return rows.size() > 1 ? '\n' + tableText(rows) : std::string();
}

std::string timeOf(const std::optional<double>& seconds)
{
    return seconds ? roundedText(*seconds * 1000) : "-";
}

/// Inference: latency and throughput of one batch after another.
std::string batchText(const PlanAnalysis& analysis)
{
    if (analysis.batches.empty())
        return {};
    std::vector<std::vector<std::string>> rows{{"batch", "first token, ms", "per token, ms", "tokens/s of a user", "tokens/s", "peak, GB", ""}};
    for (std::size_t i = 0; i < analysis.batches.size(); ++i) {
        const ServedBatch& row = analysis.batches[i];
        rows.push_back({"  " + std::to_string(row.batch), timeOf(row.firstToken), timeOf(row.perToken), row.perUser() ? roundedText(*row.perUser()) : "-", row.tokensPerSecond ? roundedText(*row.tokensPerSecond) : "-", gigabytes(row.peak), i == 0 ? "(of the plan)" : ""});
    }
    return '\n' + tableText(rows);
}

std::string communicationText(const PlanAnalysis& analysis)
{
    std::vector<std::vector<std::string>> rows{{"communication", "group", "of", "count", "bytes each", "GB sent per rank", "phase", "cause", "ranks"}};
    for (const PlanCommunication& row : analysis.communications)
        rows.push_back({"  " + std::string(keyOf(kPlanCommunications, row.kind)), row.group.name, std::to_string(row.groupSize), wideText(row.count), std::to_string(row.bytes), withDecimals(static_cast<double>(row.sentPerRank()) / 1e9, 3),
                        std::string(keyOf(kPlanPhases, row.phase)), row.cause, ranksShort(row.ranks)});
    return rows.size() > 1 ? '\n' + tableText(rows) : std::string();
}

std::string stageText(const PlanAnalysis& analysis)
{
    std::vector<std::vector<std::string>> rows{{"stage", "layers", "in flight", "ranks"}};
    for (const PlanStage& row : analysis.stages)
        rows.push_back({"  " + std::to_string(row.stage), std::to_string(row.layers), std::to_string(row.inFlight), ranksShort(row.ranks)});
    return rows.size() > 2 ? '\n' + tableText(rows) : std::string();
}

void numberOrNull(JsonWriter& out, std::string_view key, const std::optional<double>& value)
{
    out.key(key);
    value ? out.number(roundedText(*value)) : out.null();
}

void writeMemory(JsonWriter& out, const PlanAnalysis& analysis)
{
    out.key("memory");
    out.beginArray();
    for (const PlanMemory& row : analysis.memory) {
        out.beginCompactObject();
        out.member("ranks", row.ranks.text());
        out.member("parameters", row.parameters);
        out.member("gradients", row.gradients);
        out.member("optimizer", row.optimizer);
        out.member("activations", row.activations);
        out.member("buffers", row.buffers);
        out.member("kv_cache", row.kvCache);
        out.member("peak", row.peak());
        out.endObject();
    }
    out.endArray();
}

void writeCommunications(JsonWriter& out, const PlanAnalysis& analysis)
{
    out.key("communications");
    out.beginArray();
    for (const PlanCommunication& row : analysis.communications) {
        out.beginCompactObject();
        out.member("kind", keyOf(kPlanCommunications, row.kind));
        out.member("group", row.group.name);
        out.member("group_size", row.groupSize);
        out.key("count");
        out.number(wideText(row.count));
        out.member("bytes", row.bytes);
        out.key("sent_per_rank");
        out.number(wideText(row.sentPerRank()));
        out.member("phase", keyOf(kPlanPhases, row.phase));
        out.member("cause", row.cause);
        out.member("ranks", row.ranks.text());
        out.endObject();
    }
    out.endArray();
}

/// Absent where there is no inference.
void writeBatches(JsonWriter& out, const PlanAnalysis& analysis, std::int64_t npus)
{
    if (analysis.batches.empty())
        return;
    const auto times = [](const std::optional<double>& value, double factor) { return value ? std::optional(*value * factor) : std::nullopt; };
    out.key("batches");
    out.beginArray();
    for (const ServedBatch& row : analysis.batches) {
        out.beginCompactObject();
        out.member("batch", row.batch);
        numberOrNull(out, "ttft_ns", times(row.firstToken, 1e9));
        numberOrNull(out, "tpot_ns", times(row.perToken, 1e9));
        numberOrNull(out, "tokens_per_s_per_user", row.perUser());
        numberOrNull(out, "tokens_per_s", row.tokensPerSecond);
        numberOrNull(out, "tokens_per_s_per_npu", times(row.tokensPerSecond, 1 / static_cast<double>(npus)));
        out.member("peak", row.peak);
        out.endObject();
    }
    out.endArray();
}

void writeStages(JsonWriter& out, const PlanAnalysis& analysis)
{
    out.key("stages");
    out.beginArray();
    for (const PlanStage& row : analysis.stages) {
        out.beginCompactObject();
        out.member("stage", row.stage);
        out.member("ranks", row.ranks.text());
        out.member("layers", row.layers);
        out.member("in_flight", row.inFlight);
        out.endObject();
    }
    out.endArray();
}

} // namespace

std::string planText(const PlanAnalysis& analysis, const std::string& estimate)
{
    return headText(analysis, estimate) + batchText(analysis) + memoryText(analysis) + communicationText(analysis) + stageText(analysis);
}

std::string planJson(const PlanAnalysis& analysis, const std::string& estimate, const std::string& designHash)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.key("step_flops");
    out.number(wideText(analysis.stepFlops));
    out.key("model_flops");
    out.number(wideText(analysis.modelFlops));
    numberOrNull(out, "mfu", analysis.mfu);
    numberOrNull(out, "hfu", analysis.hfu);
    numberOrNull(out, "tokens_per_s", analysis.tokensPerSecond);
    std::int64_t npus = 0;
    for (const PlanStage& stage : analysis.stages)
        npus += stage.ranks.count();
    numberOrNull(out, "tokens_per_s_per_npu", analysis.tokensPerSecond && npus > 0 ? std::optional(*analysis.tokensPerSecond / static_cast<double>(npus)) : std::nullopt);
    numberOrNull(out, "step_s", analysis.times ? std::optional(analysis.times->step) : std::nullopt);
    numberOrNull(out, "bubble_share", analysis.times ? std::optional(analysis.times->bubbleShare) : std::nullopt);
    out.member("estimate", estimate);
    writeBatches(out, analysis, std::max<std::int64_t>(npus, 1));
    writeMemory(out, analysis);
    writeCommunications(out, analysis);
    writeStages(out, analysis);
    out.key("warnings");
    out.beginArray();
    for (const Diagnostic& entry : analysis.findings)
        out.string(entry.text());
    out.endArray();
    out.member("design_hash", designHash);
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

} // namespace fabricscope::cli
