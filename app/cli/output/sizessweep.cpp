#include "app/cli/output/sizessweep.h"

#include "core/base/decimal.h"
#include "core/base/stop.h"
#include "core/choose/tuner.h"
#include "core/program/busfactor.h"
#include "core/report/jsonwriter.h"
#include "core/report/runtext.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

namespace fabricscope::cli {

namespace {

__extension__ using Wide = __int128;

/// One size. Rates as nccl-tests has them: GB are 10^9 bytes; the rate of a bus is that of the bytes a ring would send over every link.
struct SizeRow {
    CollectiveSize size;
    std::int64_t ps = 0;
    std::optional<SimTime> bound;
};

/// What nccl-tests multiplies the bandwidth of the algorithm with.
BusFactor busFactorOf(const CollectiveSize& size)
{
    return fabricscope::busFactorOf(valueOf(kCollectiveKeys, size.op).value_or(CollectiveOp::Broadcast), std::max(size.ranks, 1));
}

/// What nccl-tests calls the count: elements of 4 bytes, of one rank's part where every rank has a part of its own.
std::int64_t countOf(const CollectiveSize& size)
{
    constexpr std::int64_t kFloat = 4;
    const bool parts = size.op == "all_gather" || size.op == "reduce_scatter" || size.op == "all_to_all";
    return size.bytes / kFloat / (parts ? std::max<std::int64_t>(size.ranks, 1) : 1);
}

/// In kB/s, so that GB/s has six decimals; 0 of no time at all.
std::int64_t rateOf(const SizeRow& row, const BusFactor& factor)
{
    if (row.ps <= 0)
        return 0;
    const Wide rate = Wide{row.size.bytes} * 1'000'000'000 * factor.over / (Wide{row.ps} * factor.under);
    return static_cast<std::int64_t>(std::min<Wide>(rate, INT64_MAX));
}

std::string rightAligned(const std::string& text, int width)
{
    return std::string(static_cast<std::size_t>(std::max<int>(width - static_cast<int>(text.size()), 0)), ' ') + text;
}

std::string timeText(std::int64_t ps)
{
    return fixedDecimal((ps + 5'000) / 10'000, 2);
}

std::string rateText(std::int64_t kilobytes)
{
    return fixedDecimal((kilobytes + 5'000) / 10'000, 2);
}

/// Lines that readers of nccl-tests' logs know. Both halves are the same: where a collective works is nothing a simulation tells apart.
std::string sweepText(const std::vector<SizeRow>& rows, const std::string& algorithm, const std::string& model)
{
    std::string out = "# " + rows.front().size.op + " of " + std::to_string(rows.front().size.ranks) + " ranks by " + algorithm + ", simulated under " + model
        + "; in place as out of place\n"
          "#\n"
          "#                                                              out-of-place                       in-place\n"
          "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
          "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
    std::int64_t sum = 0;
    for (const SizeRow& row : rows) {
        const bool reduces = row.size.op == "all_reduce" || row.size.op == "reduce_scatter";
        const std::int64_t bus = rateOf(row, busFactorOf(row.size));
        sum += bus / static_cast<std::int64_t>(rows.size());
        const std::string measured = rightAligned(timeText(row.ps), 9) + rightAligned(rateText(rateOf(row, {})), 8) + rightAligned(rateText(bus), 8) + "      0";
        out += rightAligned(std::to_string(row.size.bytes), 12) + rightAligned(std::to_string(countOf(row.size)), 14) + rightAligned("float", 10) + rightAligned(reduces ? "sum" : "none", 8)
            + rightAligned(row.size.op == "broadcast" ? "0" : "-1", 8) + measured + measured + '\n';
    }
    return out + "# Avg bus bandwidth    : " + shortDecimal(sum, 6) + '\n';
}

void writeRow(JsonWriter& json, const SizeRow& row)
{
    const auto rate = [&](const char* key, const BusFactor& factor) {
        json.key(key);
        if (row.ps > 0)
            json.number(shortDecimal(rateOf(row, factor), 6));
        else
            json.null();
    };
    json.beginCompactObject();
    json.member("bytes", row.size.bytes);
    json.key("time_ns");
    json.nanoseconds({row.ps});
    rate("algbw_gb_per_s", {});
    rate("busbw_gb_per_s", busFactorOf(row.size));
    json.key("bound_ns");
    if (row.bound)
        json.nanoseconds(*row.bound);
    else
        json.null();
    json.key("bound_share");
    if (row.bound && row.ps > 0)
        json.number(shareText(row.bound->ps, row.ps));
    else
        json.null();
    json.endObject();
}

std::string sweepJson(const std::vector<SizeRow>& rows, const std::string& algorithm, const RunRecord& last, const std::set<std::string>& warnings)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("result");
    json.beginObject();
    json.member("model", modelName(last.model));
    json.member("version", last.version);
    json.member("op", rows.front().size.op);
    json.member("ranks", rows.front().size.ranks);
    json.member("algorithm", algorithm);
    json.key("sizes");
    json.beginArray();
    for (const SizeRow& row : rows)
        writeRow(json, row);
    json.endArray();
    json.key("warnings");
    json.beginArray();
    for (const std::string& text : warnings)
        json.string(text);
    json.endArray();
    json.endObject();
    json.endObject();
    return json.text() + '\n';
}

} // namespace

void runSizes(const CollectiveFlags& flags, const std::string& sizes, const RunRequest& request, Session& session)
{
    const Result<std::vector<std::int64_t>> all = parseSizes(sizes);
    if (!all) {
        Error error = all.error();
        error.place.field = "--sizes";
        return session.fail(error);
    }
    std::vector<SizeRow> rows;
    std::set<std::string> warnings; // Said once, not for each size.
    std::optional<FinishedRun> run;
    for (const std::int64_t bytes : all.value()) {
        CollectiveFlags one = flags;
        one.size = std::to_string(bytes) + 'B';
        Result<LoadedDesign> loaded = designOf(one, request.model.value_or(Model::Links));
        if (!loaded)
            return session.fail(loaded.error());
        run = computeRun(session, std::move(loaded).value(), request);
        if (!run)
            return;
        if (!run->summary.record->complete || !run->summary.collective)
            return session.fail(Error{ErrorCode::Stuck, "the collective cannot finish at " + showBytes({bytes}), {}, {}});
        for (const std::string& text : warningsOf(run->summary)) {
            if (warnings.insert(text).second)
                session.say("warning: " + text);
        }
        rows.push_back({*run->summary.collective, run->summary.record->finish.ps, run->summary.record->lowerBound});
        JsonWriter known;
        writeRow(known, rows.back());
        session.progress().tellPart(known.text());
    }
    const RunRecord& last = *run->summary.record;
    const std::string& algorithm = flags.program.empty() ? flags.algorithm : flags.program; // As asked for.
    session.print(request.flags.json ? sweepJson(rows, algorithm, last, warnings) : sweepText(rows, algorithm, std::string(modelName(last.model)) + " (" + last.version + ')'));
}

} // namespace fabricscope::cli
