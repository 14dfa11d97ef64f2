#include "core/report/runfile.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/report/memoryreport.h"
#include "core/report/outputfile.h"
#include "core/report/planrecord.h"
#include "core/report/runjson.h"

namespace fabricscope {

namespace {

void writeNumbers(JsonWriter& json, std::string_view name, const std::vector<std::int64_t>& values)
{
    json.key(name);
    json.beginCompactArray();
    for (const std::int64_t value : values)
        json.integer(value);
    json.endArray();
}

void writeDouble(JsonWriter& json, std::string_view name, double value)
{
    json.member(name, Quantity{value, "", Measure::Count}.text());
}

void writeDesign(JsonWriter& json, const RunSummary& summary)
{
    json.beginObject();
    json.member("name", summary.name);
    json.member("notes", summary.notes);
    json.member("workload", summary.workload);
    json.member("hash", summary.designHash);
    json.member("file", summary.designFile);
    json.member("text", summary.designText);
    json.key("dimensions");
    json.beginArray();
    for (const DimensionFigures& figures : summary.dimensions) {
        json.beginCompactObject();
        json.member("link_bandwidth", figures.linkBandwidth);
        json.member("npu_bandwidth", figures.npuBandwidth);
        json.member("latency", figures.latency);
        json.endObject();
    }
    json.endArray();
    json.key("parameters");
    json.beginArray();
    for (const Parameter& parameter : summary.parameters) {
        json.beginCompactObject();
        json.member("name", parameter.name);
        json.member("value", parameter.value);
        json.member("source", parameter.source);
        json.member("assumed", parameter.assumed);
        json.endObject();
    }
    json.endArray();
    if (!summary.jobs.empty()) {
        json.key("jobs");
        json.beginArray();
        for (const JobFigures& job : summary.jobs) {
            json.beginCompactObject();
            json.member("name", job.name);
            json.member("ranks", job.ranks);
            json.member("finish_ps", job.finish.ps);
            json.member("finished", job.finished);
            json.endObject();
        }
        json.endArray();
    }
    json.member("bounds_note", summary.boundsNote);
    json.key("collective_bounds");
    json.beginArray();
    for (const CollectiveBoundRow& row : summary.collectiveBounds) {
        json.beginCompactObject();
        json.member("op", row.op);
        json.member("group", row.group);
        json.member("ranks", row.ranks);
        json.member("size_bytes", row.bytes);
        json.member("algorithm", row.algorithm);
        if (!row.levels.empty())
            writeLevels(json, row.levels);
        json.member("count", row.count);
        json.member("bound_ps", row.bound.ps);
        json.member("latency_ps", row.latency.ps);
        json.member("bandwidth_ps", row.bandwidth.ps);
        json.member("exact", row.exact);
        json.member("cut", row.cut);
        json.member("best_ps", row.best.ps);
        json.member("worst_ps", row.worst.ps);
        json.endObject();
    }
    json.endArray();
    if (summary.collective) {
        json.key("collective");
        json.beginCompactObject();
        json.member("op", summary.collective->op);
        json.member("ranks", summary.collective->ranks);
        json.member("size_bytes", summary.collective->bytes);
        json.endObject();
    }
    if (!summary.choices.empty()) {
        json.key("choices");
        json.beginArray();
        for (const CollectiveChoice& choice : summary.choices) {
            json.beginObject();
            json.member("op", collectiveKey(choice.op));
            json.member("group", choice.group);
            json.member("ranks", choice.ranks);
            json.member("size_bytes", choice.bytes);
            json.member("chosen", choice.chosen);
            json.key("candidates");
            json.beginArray();
            for (const CandidateTime& candidate : choice.candidates) {
                json.beginCompactObject();
                json.member("name", candidate.name);
                json.member("time_ps", candidate.timePs);
                json.member("reason", candidate.reason);
                json.endObject();
            }
            json.endArray();
            json.endObject();
        }
        json.endArray();
    }
    if (summary.seed != 0)
        json.member("seed", std::to_string(summary.seed)); // A text: it may be more than readers of JSON hold exactly.
    json.endObject();
}

void writeDiagnostics(JsonWriter& json, const Diagnostics& diagnostics)
{
    static constexpr std::string_view kSeverities[] = {"note", "warning", "error"};
    json.beginArray();
    for (const Diagnostic& entry : diagnostics) {
        json.beginCompactObject();
        json.member("severity", kSeverities[at(entry.severity)]);
        json.member("rule", entry.rule);
        json.member("message", entry.message);
        json.member("expected", entry.expected);
        if (!entry.place.empty()) {
            json.key("place");
            json.beginCompactObject();
            json.member("file", entry.place.file);
            json.member("line", entry.place.line);
            json.member("column", entry.place.column);
            json.member("offset", entry.place.offset);
            json.member("field", entry.place.field);
            json.member("rank", entry.place.rank);
            if (entry.place.hasNode)
                json.member("node", entry.place.node);
            json.endObject();
        }
        json.endObject();
    }
    json.endArray();
}

void writeClass(JsonWriter& json, const RankClass& row)
{
    json.beginObject();
    json.member("ranks", row.ranks.text());
    json.member("job", row.job);
    json.member("finished", row.times.finished);
    json.member("finish_ps", row.times.finish.ps);
    json.member("exposed_comm_ps", row.times.exposedComm.ps);
    json.member("compute_ps", row.times.compute.ps);
    json.member("comm_ps", row.times.comm.ps);
    json.member("host_ps", row.times.host.ps);
    json.member("memory_ps", row.times.memory.ps);
    writeDouble(json, "compute_bound_share", row.times.computeBoundShare);
    writeDouble(json, "compute_utilisation", row.times.computeUtilisation);
    writeDouble(json, "memory_utilisation", row.times.memoryUtilisation);
    writeDouble(json, "operation_intensity", row.times.operationIntensity);
    if (row.tasks) {
        writeNumbers(json, "issue_ps", row.tasks->issuePs);
        writeNumbers(json, "end_ps", row.tasks->endPs);
    }
    json.endObject();
}

void writeWaits(JsonWriter& json, const std::vector<Wait>& waits)
{
    json.beginArray();
    for (const Wait& wait : waits) {
        json.beginCompactObject();
        json.member("rank", wait.rank);
        json.member("node", static_cast<std::int64_t>(wait.node));
        json.member("task", wait.task);
        json.member("reason", wait.reason);
        writeNumbers(json, "on_ranks", {wait.onRanks.begin(), wait.onRanks.end()});
        json.endObject();
    }
    json.endArray();
}

void writeRecord(JsonWriter& json, const RunRecord& record)
{
    json.beginObject();
    json.member("model", modelName(record.model));
    json.member("version", record.version);
    json.member("complete", record.complete);
    json.member("finish_ps", record.finish.ps);
    if (record.lowerBound)
        json.member("lower_bound_ps", record.lowerBound->ps);
    json.member("ranks", record.rankCount);
    json.member("fingerprint", record.fingerprint.hex());
    json.member("events", record.events);
    json.key("engines");
    json.beginArray();
    for (const EngineShare& engine : record.engines) {
        json.beginCompactObject();
        json.member("engine", engine.engine);
        json.member("messages", engine.messages);
        writeDouble(json, "share", engine.share);
        json.endObject();
    }
    json.endArray();
    json.key("classes");
    json.beginArray();
    for (const RankClass& row : record.classes)
        writeClass(json, row);
    json.endArray();
    writeNumbers(json, "finish_order", {record.finishOrder.begin(), record.finishOrder.end()});
    json.key("dimensions");
    json.beginArray();
    for (const DimensionUse& use : record.dimensions) {
        json.beginObject();
        json.member("name", use.name);
        json.member("links", use.links);
        json.member("messages", use.messages);
        json.member("bytes", use.bytes);
        json.member("busy_ps", use.busyPs);
        json.member("peak_link_ps", use.peakLinkPs);
        json.member("bucket_ps", use.busy.bucketPs());
        writeNumbers(json, "buckets_ps", use.busy.busyPs());
        json.endObject();
    }
    json.endArray();
    json.member("all_links", record.allLinks);
    json.key("links"); // rows: link, messages, bytes, busy ps
    json.beginArray();
    for (const LinkUse& use : record.links) {
        json.beginCompactArray();
        for (const std::int64_t value : {use.link, use.messages, use.bytes, use.busyPs})
            json.integer(value);
        json.endArray();
    }
    json.endArray();
    json.key("waits");
    writeWaits(json, record.waits);
    if (record.memory) {
        json.key("memory");
        writeMemoryRecord(json, *record.memory);
    }
    json.endObject();
}

} // namespace

std::string runFileText(const RunSummary& summary, const RunCost& cost, const std::stop_token& stop)
{
    JsonWriter json(stop);
    json.beginObject();
    json.member("fabricscope_run", kRunFileSchema);
    json.key("design");
    writeDesign(json, summary);
    json.key("result");
    writeResult(json, summary, RankRows::Classes);
    json.key("run");
    writeRunCost(json, *summary.record, cost);
    json.key("diagnostics");
    writeDiagnostics(json, summary.diagnostics);
    if (summary.accuracy) {
        json.key("accuracy");
        writeAccuracy(json, *summary.accuracy);
    }
    if (summary.plan && !summary.plan->placement) { // A placement is found again from the design.
        json.key("plan");
        writeKeptPlan(json, *summary.plan);
    }
    json.key("record");
    writeRecord(json, *summary.record);
    json.endObject();
    return json.text();
}

Status saveRun(const std::string& path, const RunSummary& summary, const RunCost& cost, OutputFiles* files, const std::stop_token& stop)
{
    return untilStopped([&] { return writeOutputFile(path, runFileText(summary, cost, stop), files); });
}

bool looksLikeRunFile(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{' && text.substr(begin, 256).find("\"fabricscope_run\"") != std::string_view::npos;
}

} // namespace fabricscope
