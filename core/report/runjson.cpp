#include "core/report/runjson.h"

#include "core/report/memoryreport.h"

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
    json.key("job");
    json.integer(row.job);
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
            json.key("ranks");
            json.string(row.ranks.text());
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
            json.key("rank");
            json.integer(static_cast<std::int64_t>(rank));
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
        json.key("name");
        json.string(use.name);
        if (i < summary.dimensions.size()) {
            const DimensionFigures& figures = summary.dimensions[i];
            json.key("link_bandwidth");
            json.string(figures.linkBandwidth);
            json.key("npu_bandwidth");
            json.string(figures.npuBandwidth);
            json.key("latency");
            json.string(figures.latency);
        }
        json.key("links");
        json.integer(use.links);
        json.key("messages");
        json.integer(use.messages);
        json.key("bytes");
        json.integer(use.bytes);
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
        json.key("rank");
        json.integer(wait.rank);
        json.key("node");
        json.number(std::to_string(wait.node));
        json.key("task");
        json.string(wait.task);
        json.key("reason");
        json.string(wait.reason);
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
        json.key("collective_bounds_note");
        json.string(summary.boundsNote);
    }
    if (summary.collectiveBounds.empty())
        return;
    json.key("collective_bounds");
    json.beginArray();
    for (const CollectiveBoundRow& row : summary.collectiveBounds) {
        json.beginCompactObject();
        json.key("op");
        json.string(row.op);
        json.key("group");
        json.string(row.group);
        json.key("ranks");
        json.integer(row.ranks);
        json.key("size_bytes");
        json.integer(row.bytes);
        json.key("algorithm");
        json.string(row.algorithm);
        json.key("count");
        json.integer(row.count);
        for (const auto& [name, time] : {std::pair{"bound_ns", row.bound}, {"latency_ns", row.latency}, {"bandwidth_ns", row.bandwidth},
                                         {"best_ns", row.best}, {"worst_ns", row.worst}}) {
            json.key(name);
            json.nanoseconds(time);
        }
        json.key("share");
        json.number(shareText(row.bound.ps, row.best.ps));
        json.key("exact");
        json.boolean(row.exact);
        json.key("cut");
        json.string(row.cut);
        json.endObject();
    }
    json.endArray();
}

} // namespace

void writeChoices(JsonWriter& json, const std::vector<CollectiveChoice>& choices)
{
    json.beginArray();
    for (const CollectiveChoice& choice : choices) {
        json.beginObject();
        json.key("op");
        json.string(collectiveKey(choice.op));
        json.key("group");
        json.string(choice.group);
        json.key("ranks");
        json.integer(choice.ranks);
        json.key("size_bytes");
        json.integer(choice.bytes);
        json.key("chosen");
        json.string(choice.chosen);
        json.key("candidates");
        json.beginArray();
        for (const CandidateTime& candidate : choice.candidates) {
            json.beginCompactObject();
            json.key("name");
            json.string(candidate.name);
            json.key("time_ns");
            if (candidate.timePs >= 0)
                json.nanoseconds({candidate.timePs});
            else
                json.null();
            if (!candidate.reason.empty()) {
                json.key("reason");
                json.string(candidate.reason);
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
    json.key("model");
    json.string(modelName(record.model));
    json.key("version");
    json.string(record.version);
    if (record.lowerBound) {
        json.key("lower_bound_ns");
        json.nanoseconds(*record.lowerBound);
    }
    if (!record.complete) {
        json.key("complete");
        json.boolean(false);
        writeWaits(json, record);
    }
    if (summary.collective) {
        json.key("collective");
        json.beginCompactObject();
        json.key("op");
        json.string(summary.collective->op);
        json.key("ranks");
        json.integer(summary.collective->ranks);
        json.key("size_bytes");
        json.integer(summary.collective->bytes);
        json.key("shard_bytes");
        json.integer(summary.collective->shard());
        json.endObject();
    }
    if (!summary.jobs.empty()) {
        json.key("jobs");
        json.beginArray();
        for (std::size_t j = 0; j < summary.jobs.size(); ++j) {
            const JobFigures& job = summary.jobs[j];
            json.beginCompactObject();
            json.key("job");
            json.integer(static_cast<std::int64_t>(j));
            json.key("name");
            json.string(job.name);
            json.key("ranks");
            json.integer(job.ranks);
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
    json.key("design_hash");
    json.string(summary.designHash);
    json.key("fingerprint");
    json.string(record.fingerprint.hex());
    writeDimensions(json, summary);
    writeBounds(json, summary);
    writeRanks(json, record, rows);
    if (record.memory) {
        json.key("memory");
        writeMemoryResult(json, *record.memory);
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
        json.key("engine");
        json.string(engine.engine);
        json.key("messages");
        json.integer(engine.messages);
        json.key("share");
        json.number(shareText(static_cast<std::int64_t>(engine.share * 1e6 + 0.5), 1'000'000));
        json.endObject();
    }
    json.endArray();
    json.key("events");
    json.integer(record.events);
    json.key("wall_s");
    json.number(shareText(cost.wallMicroseconds, 1'000'000));
    json.key("peak_rss_bytes");
    json.integer(cost.peakRssBytes);
    json.key("host");
    json.string(cost.host);
    json.key("threads");
    json.integer(cost.threads);
    json.endObject();
}

std::string runJson(const RunSummary& summary, const RunCost& cost, RankRows rows, const SeedSummary* seeds, const std::stop_token& stop)
{
    JsonWriter json(stop);
    json.beginObject();
    json.key("schema");
    json.integer(kRunJsonSchema);
    json.key("result");
    writeResult(json, summary, rows);
    if (seeds) {
        json.key("seeds");
        json.beginObject();
        json.key("first");
        json.integer(static_cast<std::int64_t>(seeds->first));
        json.key("count");
        json.integer(seeds->count);
        for (const auto& [name, time] : {std::pair{"median_ns", seeds->median}, {"p99_ns", seeds->p99}, {"min_ns", seeds->least}, {"max_ns", seeds->most}}) {
            json.key(name);
            json.number(nsText(time));
        }
        json.endObject();
    }
    json.key("run");
    writeRunCost(json, *summary.record, cost);
    json.endObject();
    return json.text();
}

} // namespace fabricscope
