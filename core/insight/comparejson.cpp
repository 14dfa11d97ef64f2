#include "core/insight/comparetext.h"

namespace fabricscope {

namespace {

void writeBoth(JsonWriter& json, const RunSummary& a, const RunSummary& b, RankRows rows)
{
    json.key("a");
    writeResult(json, a, rows);
    json.key("b");
    writeResult(json, b, rows);
    json.key("difference_ns");
    if (a.record->complete && b.record->complete)
        json.nanoseconds(b.record->finish - a.record->finish);
    else
        json.null();
}

void writeRuns(JsonWriter& json, const RunSummary& a, const RunCost& costA, const RunSummary& b, const RunCost& costB)
{
    json.key("run");
    json.beginObject();
    json.key("a");
    writeRunCost(json, *a.record, costA);
    json.key("b");
    writeRunCost(json, *b.record, costB);
    json.endObject();
}

void begin(JsonWriter& json)
{
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("result");
    json.beginObject();
}

void writeShare(JsonWriter& json, const std::optional<double>& share)
{
    if (share)
        json.number(shareText(static_cast<std::int64_t>(*share * 1e6 + 0.5), 1'000'000));
    else
        json.null();
}

void writeFinish(JsonWriter& json, const std::optional<RankTimes>& times)
{
    if (times && times->finished)
        json.nanoseconds(times->finish);
    else
        json.null();
}

} // namespace

std::string reconciliationJson(const Reconciliation& result, RankRows rows)
{
    JsonWriter json;
    begin(json);
    json.member("from_model", modelName(result.modelA));
    json.member("to_model", modelName(result.modelB));
    writeBoth(json, result.a->summary, result.b->summary, rows);
    json.key("items");
    json.beginArray();
    for (const ReconcileItem& item : result.items) {
        json.beginCompactObject();
        json.member("rule", item.rule);
        json.member("name", item.name);
        writeItemTimes(json, item.from, item.to, item.apart);
        json.member("explanation", item.explanation);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    writeRuns(json, result.a->summary, result.a->cost, result.b->summary, result.b->cost);
    json.endObject();
    return json.text();
}

std::string comparisonJson(const DesignComparison& comparison, RankRows rows)
{
    JsonWriter json;
    begin(json);
    writeBoth(json, comparison.a, comparison.b, rows);
    json.key("dimensions");
    json.beginArray();
    for (const DimensionDifference& entry : comparison.difference.dimensions) {
        json.beginCompactObject();
        json.member("name_a", entry.nameA);
        json.member("name_b", entry.nameB);
        json.key("busy_share_a");
        writeShare(json, entry.busyShareA);
        json.key("busy_share_b");
        writeShare(json, entry.busyShareB);
        json.endObject();
    }
    json.endArray();
    json.key("classes");
    json.beginArray();
    for (const ClassDifference& entry : comparison.difference.classes) {
        json.beginCompactObject();
        json.member("ranks", entry.ranks.text());
        json.key("finish_a_ns");
        writeFinish(json, entry.a);
        json.key("finish_b_ns");
        writeFinish(json, entry.b);
        json.endObject();
    }
    json.endArray();
    json.key("fields");
    json.beginArray();
    for (const FieldDifference& field : comparison.fields) {
        json.beginCompactObject();
        json.member("field", field.field);
        json.member("a", field.a);
        json.member("b", field.b);
        json.endObject();
    }
    json.endArray();
    if (comparison.set)
        writeDesignSet(json, *comparison.set);
    json.endObject();
    writeRuns(json, comparison.a, comparison.costA, comparison.b, comparison.costB);
    json.endObject();
    return json.text();
}

} // namespace fabricscope
