#include "core/report/runjson.h"

#include "core/report/memoryreport.h"
#include "core/report/planfigures.h"

namespace fabricscope {

namespace {

void writeTexts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts)
{
    json.key(name);
    json.beginArray();
    for (const std::string& text : texts)
        json.string(text);
    json.endArray();
}

void writeTimes(JsonWriter& json, const RankClass& row)
{
    json.member("job", row.job);
    json.key("finish_ns");
    if (row.times.finished)
        json.nanoseconds(row.times.finish);
    else
        json.null();
    json.key("exposed_comm_ns");
    json.nanoseconds(row.times.exposedComm);
    json.key("compute_ns");
    json.nanoseconds(row.times.compute);
    json.key("comm_ns");
    json.nanoseconds(row.times.comm);
    if (row.times.memory.ps != 0) {
        json.key("memory_ns");
        json.nanoseconds(row.times.memory);
    }
    if (row.times.host.ps != 0) {
        json.key("host_ns");
        json.nanoseconds(row.times.host);
    }
}

void writeRanks(JsonWriter& json, const RunRecord& record, RankRows rows)
{
    if (rows == RankRows::None)
        return;
    json.key("ranks");
    json.beginArray();
    if (rows == RankRows::Classes) {
        for (const RankClass& row : resultRows(record)) {
            json.beginCompactObject();
            json.member("ranks", row.ranks.text());
            writeTimes(json, row);
            json.endObject();
        }
    } else {
        std::vector<const RankClass*> classOfRank(static_cast<std::size_t>(record.rankCount), nullptr);
        for (const RankClass& row : record.classes) {
            for (const RankSet::Interval& interval : row.ranks.intervals()) {
                for (std::int64_t rank = interval.first; rank <= interval.last; ++rank)
                    classOfRank.at(static_cast<std::size_t>(rank)) = &row;
            }
        }
        for (std::size_t rank = 0; rank < classOfRank.size(); ++rank) {
            if (!classOfRank[rank])
                continue;
            json.beginCompactObject();
            json.member("rank", static_cast<std::int64_t>(rank));
            writeTimes(json, *classOfRank[rank]);
            json.endObject();
        }
    }
    json.endArray();
}

void writeDimensions(JsonWriter& json, const RunSummary& summary)
{
    json.key("dimensions");
    json.beginArray();
    const RunRecord& record = *summary.record;
    for (std::size_t i = 0; i < record.dimensions.size(); ++i) {
        const DimensionUse& use = record.dimensions[i];
        json.beginCompactObject();
        json.member("name", use.name);
        if (i < summary.dimensions.size()) {
            const DimensionFigures& figures = summary.dimensions[i];
            json.member("link_bandwidth", figures.linkBandwidth);
            json.member("npu_bandwidth", figures.npuBandwidth);
            json.member("latency", figures.latency);
        }
        json.member("links", use.links);
        json.member("messages", use.messages);
        json.member("bytes", use.bytes);
        json.key("busy_share");
        json.number(shareText(use.busyPs, use.links, record.finish.ps));
        json.key("peak_link_share");
        json.number(shareText(use.peakLinkPs, record.finish.ps));
        json.endObject();
    }
    json.endArray();
}

void writeWaits(JsonWriter& json, const RunRecord& record)
{
    json.key("waits");
    json.beginArray();
    for (const Wait& wait : record.waits) {
        json.beginCompactObject();
        json.member("rank", wait.rank);
        json.key("node");
        json.number(std::to_string(wait.node));
        json.member("task", wait.task);
        json.member("reason", wait.reason);
        json.key("on_ranks");
        json.beginCompactArray();
        for (const std::int32_t rank : wait.onRanks)
            json.integer(rank);
        json.endArray();
        json.endObject();
    }
    json.endArray();
}

void writeBounds(JsonWriter& json, const RunSummary& summary)
{
    if (!summary.boundsNote.empty()) {
        json.member("collective_bounds_note", summary.boundsNote);
    }
    if (summary.collectiveBounds.empty())
        return;
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
        for (const auto& [name, time] : {std::pair{"bound_ns", row.bound}, {"latency_ns", row.latency}, {"bandwidth_ns", row.bandwidth},
                                         {"best_ns", row.best}, {"worst_ns", row.worst}}) {
            json.key(name);
            json.nanoseconds(time);
        }
        json.key("share");
        json.number(shareText(row.bound.ps, row.best.ps));
        json.member("exact", row.exact);
        json.member("cut", row.cut);
        json.endObject();
    }
    json.endArray();
}

} // namespace

void writeLevels(JsonWriter& json, const std::vector<GroupLevelRow>& levels)
{
    json.key("levels");
    json.beginCompactArray();
    for (const GroupLevelRow& level : levels) {
        json.beginCompactObject();
        json.member("name", level.name);
        json.member("extent", level.extent);
        json.endObject();
    }
    json.endArray();
}

void writeChoices(JsonWriter& json, const std::vector<CollectiveChoice>& choices)
{
    json.beginArray();
    for (const CollectiveChoice& choice : choices) {
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
            json.key("time_ns");
            if (candidate.timePs >= 0)
                json.nanoseconds({candidate.timePs});
            else
                json.null();
            if (!candidate.reason.empty()) {
                json.member("reason", candidate.reason);
            }
            json.endObject();
        }
        json.endArray();
        json.endObject();
    }
    json.endArray();
}

void writeResult(JsonWriter& json, const RunSummary& summary, RankRows rows)
{
    const RunRecord& record = *summary.record;
    json.beginObject();
    json.key("finish_ns");
    if (record.complete)
        json.nanoseconds(record.finish);
    else
        json.null();
    json.member("model", modelName(record.model));
    json.member("version", record.version);
    if (record.lowerBound) {
        json.key("lower_bound_ns");
        json.nanoseconds(*record.lowerBound);
    }
    if (!record.complete) {
        json.member("complete", false);
        writeWaits(json, record);
    }
    if (summary.collective) {
        json.key("collective");
        json.beginCompactObject();
        json.member("op", summary.collective->op);
        json.member("ranks", summary.collective->ranks);
        json.member("size_bytes", summary.collective->bytes);
        json.member("shard_bytes", summary.collective->shard());
        json.endObject();
    }
    if (!summary.jobs.empty()) {
        json.key("jobs");
        json.beginArray();
        for (std::size_t j = 0; j < summary.jobs.size(); ++j) {
            const JobFigures& job = summary.jobs[j];
            json.beginCompactObject();
            json.member("job", static_cast<std::int64_t>(j));
            json.member("name", job.name);
            json.member("ranks", job.ranks);
            json.key("finish_ns");
            if (job.finished)
                json.nanoseconds(job.finish);
            else
                json.null();
            json.endObject();
        }
        json.endArray();
    }
    if (!summary.choices.empty()) {
        json.key("choices");
        writeChoices(json, summary.choices);
    }
    writeTexts(json, "warnings", warningsOf(summary));
    writeTexts(json, "assumptions", assumptionsOf(summary));
    json.member("design_hash", summary.designHash);
    json.member("fingerprint", record.fingerprint.hex());
    writeDimensions(json, summary);
    writeBounds(json, summary);
    writeRanks(json, record, rows);
    if (record.memory) {
        json.key("memory");
        writeMemoryResult(json, *record.memory);
    }
    if (summary.plan && summary.plan->placement) {
        json.key("placement");
        writePlacementFigures(json, *summary.plan->placement);
    } else if (summary.plan) {
        json.key("plan");
        writePlanFigures(json, *summary.plan);
    }
    json.endObject();
}

void writeRunCost(JsonWriter& json, const RunRecord& record, const RunCost& cost)
{
    json.beginObject();
    json.key("engines");
    json.beginArray();
    for (const EngineShare& engine : record.engines) {
        json.beginCompactObject();
        json.member("engine", engine.engine);
        json.member("messages", engine.messages);
        json.key("share");
        json.number(shareText(static_cast<std::int64_t>(engine.share * 1e6 + 0.5), 1'000'000));
        json.endObject();
    }
    json.endArray();
    json.member("events", record.events);
    json.key("wall_s");
    json.number(shareText(cost.wallMicroseconds, 1'000'000));
    json.member("peak_rss_bytes", cost.peakRssBytes);
    json.member("host", cost.host);
    json.member("threads", cost.threads);
    json.endObject();
}

std::string runJson(const RunSummary& summary, const RunCost& cost, RankRows rows, const SeedSummary* seeds, const std::stop_token& stop)
{
    JsonWriter json(stop);
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("result");
    writeResult(json, summary, rows);
    if (seeds) {
        json.key("seeds");
        json.beginObject();
        json.member("first", static_cast<std::int64_t>(seeds->first));
        json.member("count", seeds->count);
        for (const auto& [name, time] : {std::pair{"median_ns", seeds->median}, {"p99_ns", seeds->p99}, {"min_ns", seeds->least}, {"max_ns", seeds->most}}) {
            json.key(name);
            json.number(nsText(time));
        }
        json.endObject();
    }
    if (summary.accuracy) {
        json.key("accuracy");
        writeAccuracy(json, *summary.accuracy);
    }
    json.key("run");
    writeRunCost(json, *summary.record, cost);
    json.endObject();
    return json.text();
}

} // namespace fabricscope
