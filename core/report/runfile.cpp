#include "core/report/runfile.h"

#include "core/base/stop.h"
#include "core/report/memoryreport.h"
#include "core/report/outputfile.h"

namespace fabricscope {

namespace {

void writeNumber(JsonWriter& json, std::string_view name, std::int64_t value)
{
    json.key(name);
    json.integer(value);
}

void writeText(JsonWriter& json, std::string_view name, std::string_view text)
{
    json.key(name);
    json.string(text);
}

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
    json.key(name);
    json.string(Quantity{value, "", Measure::Count}.text());
}

void writeDesign(JsonWriter& json, const RunSummary& summary)
{
    json.beginObject();
    writeText(json, "name", summary.name);
    writeText(json, "notes", summary.notes);
    writeText(json, "workload", summary.workload);
    writeText(json, "hash", summary.designHash);
    writeText(json, "file", summary.designFile);
    writeText(json, "text", summary.designText);
    json.key("dimensions");
    json.beginArray();
    for (const DimensionFigures& figures : summary.dimensions) {
        json.beginCompactObject();
        writeText(json, "link_bandwidth", figures.linkBandwidth);
        writeText(json, "npu_bandwidth", figures.npuBandwidth);
        writeText(json, "latency", figures.latency);
        json.endObject();
    }
    json.endArray();
    json.key("parameters");
    json.beginArray();
    for (const Parameter& parameter : summary.parameters) {
        json.beginCompactObject();
        writeText(json, "name", parameter.name);
        writeText(json, "value", parameter.value);
        writeText(json, "source", parameter.source);
        json.key("assumed");
        json.boolean(parameter.assumed);
        json.endObject();
    }
    json.endArray();
    if (!summary.jobs.empty()) {
        json.key("jobs");
        json.beginArray();
        for (const JobFigures& job : summary.jobs) {
            json.beginCompactObject();
            writeText(json, "name", job.name);
            writeNumber(json, "ranks", job.ranks);
            writeNumber(json, "finish_ps", job.finish.ps);
            json.key("finished");
            json.boolean(job.finished);
            json.endObject();
        }
        json.endArray();
    }
    writeText(json, "bounds_note", summary.boundsNote);
    json.key("collective_bounds");
    json.beginArray();
    for (const CollectiveBoundRow& row : summary.collectiveBounds) {
        json.beginCompactObject();
        writeText(json, "op", row.op);
        writeText(json, "group", row.group);
        writeNumber(json, "ranks", row.ranks);
        writeNumber(json, "size_bytes", row.bytes);
        writeText(json, "algorithm", row.algorithm);
        writeNumber(json, "count", row.count);
        writeNumber(json, "bound_ps", row.bound.ps);
        writeNumber(json, "latency_ps", row.latency.ps);
        writeNumber(json, "bandwidth_ps", row.bandwidth.ps);
        json.key("exact");
        json.boolean(row.exact);
        writeText(json, "cut", row.cut);
        writeNumber(json, "best_ps", row.best.ps);
        writeNumber(json, "worst_ps", row.worst.ps);
        json.endObject();
    }
    json.endArray();
    if (summary.collective) {
        json.key("collective");
        json.beginCompactObject();
        writeText(json, "op", summary.collective->op);
        writeNumber(json, "ranks", summary.collective->ranks);
        writeNumber(json, "size_bytes", summary.collective->bytes);
        json.endObject();
    }
    if (!summary.choices.empty()) {
        json.key("choices");
        json.beginArray();
        for (const CollectiveChoice& choice : summary.choices) {
            json.beginObject();
            writeText(json, "op", collectiveKey(choice.op));
            writeText(json, "group", choice.group);
            writeNumber(json, "ranks", choice.ranks);
            writeNumber(json, "size_bytes", choice.bytes);
            writeText(json, "chosen", choice.chosen);
            json.key("candidates");
            json.beginArray();
            for (const CandidateTime& candidate : choice.candidates) {
                json.beginCompactObject();
                writeText(json, "name", candidate.name);
                writeNumber(json, "time_ps", candidate.timePs);
                writeText(json, "reason", candidate.reason);
                json.endObject();
            }
            json.endArray();
            json.endObject();
        }
        json.endArray();
    }
    json.endObject();
}

void writeDiagnostics(JsonWriter& json, const Diagnostics& diagnostics)
{
    static constexpr std::string_view kSeverities[] = {"note", "warning", "error"};
    json.beginArray();
    for (const Diagnostic& entry : diagnostics) {
        json.beginCompactObject();
        writeText(json, "severity", kSeverities[static_cast<std::size_t>(entry.severity)]);
        writeText(json, "rule", entry.rule);
        writeText(json, "message", entry.message);
        writeText(json, "expected", entry.expected);
        if (!entry.place.empty()) {
            json.key("place");
            json.beginCompactObject();
            writeText(json, "file", entry.place.file);
            writeNumber(json, "line", entry.place.line);
            writeNumber(json, "column", entry.place.column);
            writeNumber(json, "offset", entry.place.offset);
            writeText(json, "field", entry.place.field);
            writeNumber(json, "rank", entry.place.rank);
            if (entry.place.hasNode)
                writeNumber(json, "node", entry.place.node);
            json.endObject();
        }
        json.endObject();
    }
    json.endArray();
}

void writeClass(JsonWriter& json, const RankClass& row)
{
    json.beginObject();
    writeText(json, "ranks", row.ranks.text());
    writeNumber(json, "job", row.job);
    json.key("finished");
    json.boolean(row.times.finished);
    writeNumber(json, "finish_ps", row.times.finish.ps);
    writeNumber(json, "exposed_comm_ps", row.times.exposedComm.ps);
    writeNumber(json, "compute_ps", row.times.compute.ps);
    writeNumber(json, "comm_ps", row.times.comm.ps);
    writeNumber(json, "host_ps", row.times.host.ps);
    writeNumber(json, "memory_ps", row.times.memory.ps);
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
        writeNumber(json, "rank", wait.rank);
        writeNumber(json, "node", static_cast<std::int64_t>(wait.node));
        writeText(json, "task", wait.task);
        writeText(json, "reason", wait.reason);
        writeNumbers(json, "on_ranks", {wait.onRanks.begin(), wait.onRanks.end()});
        json.endObject();
    }
    json.endArray();
}

void writeRecord(JsonWriter& json, const RunRecord& record)
{
    json.beginObject();
    writeText(json, "model", modelName(record.model));
    writeText(json, "version", record.version);
    json.key("complete");
    json.boolean(record.complete);
    writeNumber(json, "finish_ps", record.finish.ps);
    if (record.lowerBound)
        writeNumber(json, "lower_bound_ps", record.lowerBound->ps);
    writeNumber(json, "ranks", record.rankCount);
    writeText(json, "fingerprint", record.fingerprint.hex());
    writeNumber(json, "events", record.events);
    json.key("engines");
    json.beginArray();
    for (const EngineShare& engine : record.engines) {
        json.beginCompactObject();
        writeText(json, "engine", engine.engine);
        writeNumber(json, "messages", engine.messages);
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
        writeText(json, "name", use.name);
        writeNumber(json, "links", use.links);
        writeNumber(json, "messages", use.messages);
        writeNumber(json, "bytes", use.bytes);
        writeNumber(json, "busy_ps", use.busyPs);
        writeNumber(json, "peak_link_ps", use.peakLinkPs);
        writeNumber(json, "bucket_ps", use.busy.bucketPs());
        writeNumbers(json, "buckets_ps", use.busy.busyPs());
        json.endObject();
    }
    json.endArray();
    json.key("all_links");
    json.boolean(record.allLinks);
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
    json.key("fabricscope_run");
    json.integer(kRunFileSchema);
    json.key("design");
    writeDesign(json, summary);
    json.key("result");
    writeResult(json, summary, RankRows::Classes);
    json.key("run");
    writeRunCost(json, *summary.record, cost);
    json.key("diagnostics");
    writeDiagnostics(json, summary.diagnostics);
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
