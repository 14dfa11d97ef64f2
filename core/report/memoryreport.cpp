#include "core/report/memoryreport.h"

#include "core/base/quantity.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr std::size_t kNamedTensors = 3;

void writeTensors(JsonWriter& json, const MemoryUse::Class& row)
{
    json.key("tensors");
    json.beginArray();
    for (const MemoryUse::Tensor& tensor : row.tensors) {
        json.beginCompactObject();
        json.member("name", tensor.name);
        json.member("bytes", tensor.bytes);
        json.member("count", tensor.count);
        json.endObject();
    }
    json.endArray();
    json.member("other_tensors", row.otherTensors);
    json.member("other_bytes", row.otherBytes);
}

/// What both forms of a class begin with; `peakTime` writes when its peak is.
template <typename PeakTime>
void beginClass(JsonWriter& json, const MemoryUse::Class& row, PeakTime peakTime)
{
    json.beginObject();
    json.member("ranks", row.ranks.text());
    json.member("resident_bytes", row.residentBytes);
    json.member("peak_bytes", row.peakBytes);
    peakTime();
    if (row.capacity)
        json.member("capacity_bytes", *row.capacity);
}

} // namespace

void writeMemoryResult(JsonWriter& json, const MemoryUse& memory)
{
    json.beginArray();
    for (const MemoryUse::Class& row : memory.classes) {
        beginClass(json, row, [&] {
            json.key("at_ns");
            json.nanoseconds({row.peakPs});
        });
        if (row.overPs >= 0) {
            json.key("out_of_memory_ns");
            json.nanoseconds({row.overPs});
            json.member("out_of_memory_bytes", row.overBytes);
        }
        writeTensors(json, row);
        json.endObject();
    }
    json.endArray();
}

void writeMemoryRecord(JsonWriter& json, const MemoryUse& memory)
{
    json.beginArray();
    for (const MemoryUse::Class& row : memory.classes) {
        beginClass(json, row, [&] { json.member("peak_ps", row.peakPs); });
        json.member("over_ps", row.overPs);
        json.member("over_bytes", row.overBytes);
        writeTensors(json, row);
        json.key("timeline"); // rows: ps, bytes
        json.beginArray();
        for (const MemoryUse::Point& point : row.timeline) {
            json.beginCompactArray();
            json.integer(point.ps);
            json.integer(point.bytes);
            json.endArray();
        }
        json.endArray();
        json.endObject();
    }
    json.endArray();
}

MemoryRow memoryRow(const MemoryUse::Class& use)
{
    MemoryRow row;
    row.peak = showBytes({use.peakBytes}) + (use.capacity ? " of " + showBytes({*use.capacity}) : std::string());
    row.at = showTime({use.peakPs});
    row.over = use.overPs >= 0;
    for (std::size_t i = 0; i < std::min(use.tensors.size(), kNamedTensors); ++i) {
        const MemoryUse::Tensor& tensor = use.tensors[i];
        row.largest += (i > 0 ? ", " : "") + (tensor.name.empty() ? std::string("unnamed") : tensor.name) + ' ' + showBytes({tensor.bytes});
    }
    return row;
}

std::vector<const MemoryUse::Class*> memoryRows(const MemoryUse& memory)
{
    std::vector<const MemoryUse::Class*> rows;
    for (const MemoryUse::Class& row : memory.classes)
        rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const MemoryUse::Class* a, const MemoryUse::Class* b) {
        if ((a->overPs >= 0) != (b->overPs >= 0))
            return a->overPs >= 0;
        if (a->capacity && b->capacity) {
            __extension__ using Wide = __int128;
            const Wide first = Wide{a->peakBytes} * *b->capacity;
            const Wide second = Wide{b->peakBytes} * *a->capacity;
            if (first != second)
                return first > second;
        }
        return a->peakBytes > b->peakBytes;
    });
    return rows;
}

} // namespace fabricscope
