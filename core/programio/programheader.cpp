#include "core/programio/programheader.h"

#include "core/base/index.h"
#include "core/programio/programkeys.h"

#include <algorithm>

namespace fabricscope {

namespace {

using nlohmann::json;

json valuesJson(const std::vector<ChunkValue>& values)
{
    json out = json::array();
    for (const ChunkValue& chunk : values) {
        json parts = json::array();
        for (const Contribution& part : chunk.value)
            parts.push_back({part.rank, part.index});
        out.push_back({chunk.rank, kBufferKeys[at(chunk.buffer)], chunk.index, std::move(parts)});
    }
    return out;
}

std::vector<ChunkValue> readValues(JsonReading& reading, const json& array, const std::string& path, const Program& program)
{
    std::vector<ChunkValue> out;
    for (std::size_t i = 0; i < array.size() && reading.good(); ++i) {
        const std::string at = path + '[' + std::to_string(i) + ']';
        const json& entry = array[i];
        if (!entry.is_array() || entry.size() != 4 || !entry[3].is_array()) {
            reading.fail(at, "not a place and its value", "[rank, buffer, index, [[rank, index], ...]]");
            break;
        }
        ChunkValue chunk;
        chunk.rank = static_cast<std::int32_t>(reading.integer(entry[0], at + "[0]", 0, program.ranks - 1));
        chunk.buffer = wordOf<BufferKind>(reading, entry[1], at + "[1]", kBufferKeys);
        chunk.index = static_cast<std::int32_t>(reading.integer(entry[2], at + "[2]", 0, 1 << 30));
        for (const json& part : entry[3]) {
            if (!part.is_array() || part.size() != 2) {
                reading.fail(at + "[3]", "not a list of contributions", "[rank, index]");
                break;
            }
            chunk.value.push_back({static_cast<std::int32_t>(reading.integer(part[0], at + "[3]", 0, program.ranks - 1)), static_cast<std::int32_t>(reading.integer(part[1], at + "[3]", 0, 1 << 30))});
        }
        if (!std::is_sorted(chunk.value.begin(), chunk.value.end()))
            reading.fail(at + "[3]", "the contributions are not in ascending order");
        out.push_back(std::move(chunk));
    }
    return out;
}

} // namespace

std::set<std::string> programHeaderKeys()
{
    return {"name", "op", "ranks", "chunks", "window", "root", "protocol", "in_place", "out_of_place", "min_bytes", "max_bytes", "conditions"};
}

json programHeader(const Program& program)
{
    json out = {{"name", program.name}, {"op", collectiveKey(program.op)}, {"ranks", program.ranks}, {"chunks", program.chunks}, {"window", program.window}, {"root", program.root},
        {"protocol", wireProtocolKey(program.protocol)}, {"in_place", program.inPlace}, {"out_of_place", program.outOfPlace}, {"min_bytes", program.minBytes}, {"max_bytes", program.maxBytes}};
    if (program.conditions)
        out["conditions"] = {{"before", valuesJson(program.conditions->before)}, {"after", valuesJson(program.conditions->after)}};
    return out;
}

void readProgramHeader(JsonReading& reading, const json& object, Program& program)
{
    constexpr std::int64_t kMost = 1 << 30;
    program.name = reading.textOf(object, "name", {}, {});
    if (object.contains("op"))
        program.op = wordOf(reading, object["op"], "op", kCollectiveKeys);
    else
        reading.fail("op", "the key is missing");
    program.ranks = static_cast<std::int32_t>(reading.integerOf(object, "ranks", {}, 1, 1 << 20, 0));
    if (program.ranks == 0)
        reading.fail("ranks", "the key is missing");
    program.chunks = static_cast<std::int32_t>(reading.integerOf(object, "chunks", {}, 1, kMost, 1));
    program.window = static_cast<std::int32_t>(reading.integerOf(object, "window", {}, 0, kMost, 0));
    program.root = static_cast<std::int32_t>(reading.integerOf(object, "root", {}, 0, std::max(program.ranks, 1) - 1, 0));
    if (object.contains("protocol"))
        program.protocol = wordOf(reading, object["protocol"], "protocol", kWireProtocolKeys);
    program.inPlace = reading.truthOf(object, "in_place", {}, true);
    program.outOfPlace = reading.truthOf(object, "out_of_place", {}, true);
    program.minBytes = reading.integerOf(object, "min_bytes", {}, 0, INT64_MAX, 0);
    program.maxBytes = reading.integerOf(object, "max_bytes", {}, 0, INT64_MAX, 0);
    const auto found = object.find("conditions");
    if (found == object.end() || !reading.good())
        return;
    if (!reading.object(*found, "conditions", {"before", "after"}))
        return;
    Conditions conditions;
    conditions.before = readValues(reading, reading.arrayOf(*found, "before", "conditions"), "conditions.before", program);
    conditions.after = readValues(reading, reading.arrayOf(*found, "after", "conditions"), "conditions.after", program);
    program.conditions = std::make_shared<const Conditions>(std::move(conditions));
}

} // namespace fabricscope
