#include "app/cli/output/stepoutput.h"

#include "core/base/index.h"
#include "core/base/showntext.h"
#include "core/report/runjson.h"
#include "core/report/textcolumns.h"

#include <algorithm>

namespace fabricscope::cli {

namespace {

constexpr std::size_t kShownMoves = 16;
constexpr std::size_t kShownParts = 6;

std::string time(std::int64_t ps)
{
    return ps < 0 ? "never" : showTime({ps});
}

/// "reduce scatter on D0"
std::string phaseText(const CollectiveReplay& replay, const ReplayStep& step)
{
    std::string text(phaseKey(step.kind));
    std::replace(text.begin(), text.end(), '_', ' ');
    const std::string line = replay.lineName(step);
    return line.empty() ? text : text + " on " + line;
}

std::vector<PartIndex> sortedParts(const CollectiveReplay& replay, const ReplayMove& move)
{
    const std::span<const PartIndex> carried = replay.partsOf(move);
    std::vector<PartIndex> parts(carried.begin(), carried.end());
    std::sort(parts.begin(), parts.end());
    return parts;
}

std::string partsText(const CollectiveReplay& replay, const ReplayMove& move)
{
    const std::vector<PartIndex> parts = sortedParts(replay, move);
    std::string text;
    for (std::size_t i = 0; i < std::min(parts.size(), kShownParts); ++i)
        text += (i == 0 ? "" : ",") + replay.partName(parts[i]);
    return parts.size() > kShownParts ? text + ",... (" + std::to_string(parts.size()) + ')' : text;
}

/// "1>2" in ranks.
std::string endsText(const CollectiveReplay& replay, const ReplayMove& move)
{
    return std::to_string(replay.rankAt(move.source)) + '>' + std::to_string(replay.rankAt(move.target));
}

/// The move that held the link, with its chunk where that is another one.
std::string behindText(const CollectiveReplay& replay, const ReplayMove& move, const MoveWhy& why)
{
    if (why.waitedFor < 0)
        return {};
    const ReplayMove& other = replay.moves()[at(why.waitedFor)];
    return endsText(replay, other) + (other.chunk == move.chunk ? "" : " of chunk " + std::to_string(other.chunk));
}

std::string movesTable(const CollectiveReplay& replay, const ReplayStep& step)
{
    TextColumns table({"ranks", "parts", "size", "ready", "done", "waiting", "serialisation", "latency", "reduction", "behind"}, 2);
    const std::size_t shown = std::min<std::size_t>(step.moveCount, kShownMoves);
    for (std::uint32_t i = 0; i < shown; ++i) {
        const ReplayMove& move = replay.moves()[step.firstMove + i];
        const MoveWhy why = replay.why(step.firstMove + i);
        table.add({endsText(replay, move), partsText(replay, move), showBytes({move.bytes}), time(move.readyPs), time(move.donePs), time(why.waiting),
                   time(why.serialisation), time(why.latency), time(why.reduction),
                   behindText(replay, move, why)});
    }
    std::string out = table.text();
    if (step.moveCount > shown)
        out += "  and " + std::to_string(step.moveCount - shown) + " more moves (--json lists all)\n";
    return out;
}

void addTime(JsonWriter& json, std::string_view name, std::int64_t ps)
{
    json.key(name);
    if (ps < 0)
        json.null();
    else
        json.nanoseconds({ps});
}

void addMove(JsonWriter& json, const CollectiveReplay& replay, std::uint32_t number)
{
    const ReplayMove& move = replay.moves()[number];
    const MoveWhy why = replay.why(number);
    json.beginCompactObject();
    json.member("move", number);
    json.member("from", replay.rankAt(move.source));
    json.member("to", replay.rankAt(move.target));
    json.member("bytes", move.bytes);
    json.key("parts");
    json.beginCompactArray();
    for (const PartIndex part : sortedParts(replay, move))
        json.integer(part);
    json.endArray();
    addTime(json, "ready_ns", move.readyPs);
    addTime(json, "left_ns", move.leftPs);
    addTime(json, "done_ns", move.donePs);
    addTime(json, "waiting_ns", why.waiting);
    addTime(json, "serialisation_ns", why.serialisation);
    addTime(json, "latency_ns", why.latency);
    addTime(json, "reduction_ns", why.reduction);
    json.key("waited_for");
    if (why.waitedFor < 0) {
        json.null();
    } else {
        const ReplayMove& other = replay.moves()[at(why.waitedFor)];
        json.beginCompactObject();
        json.member("move", why.waitedFor);
        json.member("chunk", other.chunk);
        json.member("from", replay.rankAt(other.source));
        json.member("to", replay.rankAt(other.target));
        json.endObject();
    }
    json.key("route");
    json.beginCompactArray();
    for (const LinkId link : why.route)
        json.string(replay.scenario().structure->platform.linkName(link));
    json.endArray();
    json.endObject();
}

/// The same call of another group of the family, at the same time.
bool alike(const InstanceRun& a, const InstanceRun& b)
{
    return a.family == b.family && a.call == b.call && a.name == b.name && a.bytes == b.bytes && a.algorithm == b.algorithm && a.beginPs == b.beginPs
        && a.endPs == b.endPs;
}

} // namespace

std::string collectiveListText(const std::vector<InstanceRun>& runs)
{
    if (runs.empty())
        return "This design has no collectives to step through.\n";
    TextColumns table({"instance", "name", "collective", "group", "ranks", "algorithm", "size", "chunks", "begin", "end"}, 6);
    for (std::size_t first = 0; first < runs.size();) {
        const InstanceRun& run = runs[first];
        std::size_t end = first + 1;
        while (end < runs.size() && alike(run, runs[end]))
            ++end;
        const std::size_t others = end - first - 1;
        const std::string more = others == 0 ? "" : others == 1 ? " and 1 group alike" : " and " + std::to_string(others) + " groups alike";
        table.add({std::to_string(run.instance), run.name, std::string(collectiveKey(run.op)), run.familyName.empty() ? "all" : run.familyName,
                   run.ranks + more, run.steppable ? run.algorithm : "no messages", showBytes({run.bytes}), std::to_string(run.chunks),
                   time(run.beginPs), time(run.endPs)});
        first = end;
    }
    return table.text();
}

std::string collectiveListJson(const std::vector<InstanceRun>& runs)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.key("collectives");
    json.beginArray();
    for (const InstanceRun& run : runs) {
        json.beginCompactObject();
        json.member("instance", run.instance);
        json.member("name", run.name);
        json.member("collective", collectiveKey(run.op));
        json.member("family", run.familyName);
        json.member("group", run.group);
        json.member("call", run.call);
        json.member("ranks", run.ranks);
        json.member("members", run.size);
        json.member("bytes", run.bytes);
        json.member("chunks", run.chunks);
        json.member("algorithm", run.algorithm);
        addTime(json, "begin_ns", run.beginPs);
        addTime(json, "end_ns", run.endPs);
        json.member("steppable", run.steppable);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

std::string stepsText(const CollectiveReplay& replay, std::int32_t chunk)
{
    std::string out = std::string(collectiveKey(replay.op())) + " of " + showBytes({replay.bytes()}) + " over " + std::to_string(replay.size()) + " ranks, "
        + replay.algorithmText() + ", " + time(replay.beginPs()) + " to " + time(replay.endPs()) + '\n' + "chunk " + std::to_string(chunk) + " of "
        + std::to_string(replay.chunks()) + ": " + showBytes({replay.chunkBytes(chunk)});
    out += replay.parts() > 0 ? " in " + std::to_string(replay.parts()) + (replay.parts() == 1 ? " part\n" : " parts\n") : "\n" + replay.partsNote() + '\n';
    const std::span<const ReplayStep> steps = replay.steps(chunk);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ReplayStep& step = steps[i];
        out += "\nStep " + std::to_string(i + 1) + " of " + std::to_string(steps.size()) + ": " + phaseText(replay, step) + ", " + time(step.beginPs) + " to "
            + time(step.endPs) + '\n' + movesTable(replay, step);
    }
    return out;
}

std::string stepsJson(const CollectiveReplay& replay, std::int32_t chunk)
{
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.member("instance", replay.instance());
    json.member("collective", collectiveKey(replay.op()));
    json.member("algorithm", replay.algorithmText());
    json.member("bytes", replay.bytes());
    json.member("chunks", replay.chunks());
    json.member("chunk", chunk);
    json.member("chunk_bytes", replay.chunkBytes(chunk));
    json.member("parts", replay.parts());
    addTime(json, "begin_ns", replay.beginPs());
    addTime(json, "end_ns", replay.endPs());
    json.key("ranks");
    json.beginCompactArray();
    for (std::int32_t position = 0; position < replay.size(); ++position)
        json.integer(replay.rankAt(position));
    json.endArray();
    json.key("steps");
    json.beginArray();
    for (const ReplayStep& step : replay.steps(chunk)) {
        json.beginObject();
        json.member("phase", step.phase);
        json.member("step", step.step);
        json.member("kind", phaseKey(step.kind));
        json.key("dimension");
        if (step.dimension < 0)
            json.null();
        else
            json.integer(step.dimension);
        if (step.level >= 0)
            json.member("level", replay.lineName(step));
        addTime(json, "begin_ns", step.beginPs);
        addTime(json, "end_ns", step.endPs);
        json.key("moves");
        json.beginArray();
        for (std::uint32_t number = step.firstMove; number < step.firstMove + step.moveCount; ++number)
            addMove(json, replay, number);
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
