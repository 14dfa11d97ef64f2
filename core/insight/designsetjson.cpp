#include "core/insight/designset.h"

namespace fabricscope {

namespace {

/// "a" to "d": the keys of the designs.
std::string letterKey(std::size_t number)
{
    return std::string(1, static_cast<char>('a' + number));
}

void writeValue(JsonWriter& json, const std::optional<std::int64_t>& value, ResultUnit unit)
{
    constexpr std::int64_t kMillion = 1'000'000;
    if (!value)
        json.null();
    else if (unit == ResultUnit::Picoseconds)
        json.nanoseconds({*value});
    else if (unit == ResultUnit::Bytes)
        json.integer(*value);
    else
        json.number((*value < 0 ? "-" : "") + shareText(*value < 0 ? -*value : *value, kMillion));
}

const char* unitName(ResultUnit unit)
{
    switch (unit) {
    case ResultUnit::Picoseconds: return "ns";
    case ResultUnit::Bytes: return "bytes";
    case ResultUnit::Millionths: break;
    }
    return "share";
}

void writeColumns(JsonWriter& json, const DesignSet& set)
{
    json.key("columns");
    json.beginArray();
    for (const ResultColumnRow& row : set.columns) {
        json.beginCompactObject();
        json.member("key", row.key);
        json.member("name", rowName(row));
        json.member("unit", unitName(row.unit));
        json.member("part", row.kind == ResultColumnRow::Kind::Part);
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            json.key(letterKey(i));
            writeValue(json, row.values[i], row.unit);
        }
        for (const DesignPath& path : set.paths) {
            json.key("difference_" + letterKey(path.to));
            writeValue(json, row.difference(set.baseline, path.to), row.unit);
        }
        json.endObject();
    }
    json.endArray();
}

void writeWaterfall(JsonWriter& json, const DesignSet& set, const DesignPath& path)
{
    json.beginObject();
    json.member("from", letterKey(set.baseline));
    json.member("to", letterKey(path.to));
    json.member("other_workload", path.changes.hasOtherWorkload());
    json.member("other_model", path.changes.hasOtherModel());
    json.member("not_distinguishable", !notDistinguishable(set.designs[set.baseline].summary, set.designs[path.to].summary).empty());
    json.key("difference_ns");
    if (path.waterfall)
        json.nanoseconds(path.waterfall->b - path.waterfall->a);
    else
        json.null();
    json.key("items");
    json.beginArray();
    for (std::size_t i = 0; path.waterfall && i < path.waterfall->items.size(); ++i) {
        const WaterfallItem& item = path.waterfall->items[i];
        const DesignChange& change = path.changes.rows()[item.change];
        json.beginCompactObject();
        json.member("section", change.section);
        json.member("field", change.field);
        json.member("whole", change.whole);
        json.member("old", change.a);
        json.member("new", change.b);
        writeItemTimes(json, item.from, item.to, item.apart);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

void writeFields(JsonWriter& json, const DesignSet& set)
{
    json.key("fields");
    json.beginArray();
    for (const FieldColumns& row : set.fields) {
        json.beginCompactObject();
        json.member("field", row.field);
        for (std::size_t i = 0; i < row.values.size(); ++i)
            json.member(letterKey(i), row.values[i]);
        json.endObject();
    }
    json.endArray();
}

} // namespace

void writeItemTimes(JsonWriter& json, SimTime from, SimTime to, bool apart)
{
    json.key("from_ns");
    json.nanoseconds(from);
    json.key("to_ns");
    json.nanoseconds(to);
    json.key("delta_ns");
    json.nanoseconds(to - from);
    json.member("apart", apart);
}

void writeDesignSet(JsonWriter& json, const DesignSet& set)
{
    json.member("baseline", letterKey(set.baseline));
    writeColumns(json, set);
    json.key("waterfalls");
    json.beginArray();
    for (const DesignPath& path : set.paths)
        writeWaterfall(json, set, path);
    json.endArray();
}

std::string designSetJson(const DesignSet& set, RankRows rows)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("result");
    json.beginObject();
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        json.key(letterKey(i));
        writeResult(json, set.designs[i].summary, rows);
    }
    writeFields(json, set);
    writeDesignSet(json, set);
    json.endObject();
    json.key("run");
    json.beginObject();
    for (std::size_t i = 0; i < set.designs.size(); ++i) {
        json.key(letterKey(i));
        writeRunCost(json, *set.designs[i].summary.record, set.designs[i].cost);
    }
    json.endObject();
    json.endObject();
    return json.text();
}

} // namespace fabricscope
