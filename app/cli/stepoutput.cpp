#include "app/cli/stepoutput.h"

#include "core/base/showntext.h"
#include "core/report/jsonwriter.h"

#include <algorithm>

namespace fabricscope::cli {

namespace {

constexpr std::size_t kShownMoves = 16;
constexpr std::size_t kShownParts = 6;

/// Columns of text, each as wide as its widest cell; the first `left` are set left, numbers right.
class Columns {
public:
    Columns(std::vector<std::string> header, std::size_t left) : m_rows{std::move(header)}, m_left(left) {}
    void add(std::vector<std::string> row)
    {
        for (std::string& cell : row)
            cell = shownText(cell);
        m_rows.push_back(std::move(row));
    }

    std::string text() const
    {
        std::vector<std::size_t> widths(m_rows.front().size(), 0);
        for (const auto& row : m_rows) {
            for (std::size_t i = 0; i < row.size(); ++i)
                widths[i] = std::max(widths[i], row[i].size());
        }
        std::string out;
        for (const auto& row : m_rows) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string pad(widths[i] - row[i].size(), ' ');
                line += "  " + (i < m_left ? row[i] + pad : pad + row[i]);
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n';
        }
        return out;
    }

private:
    std::vector<std::vector<std::string>> m_rows;
    std::size_t m_left;
};

std::string time(std::int64_t ps)
{
    return ps < 0 ? "never" : showTime({ps});
}

/// "reduce scatter on D0"
std::string phaseText(const ReplayStep& step)
{
    std::string text(phaseKey(step.kind));
    std::replace(text.begin(), text.end(), '_', ' ');
    return step.dimension < 0 ? text : text + " on D" + std::to_string(step.dimension);
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
    const ReplayMove& other = replay.moves()[static_cast<std::size_t>(why.waitedFor)];
    return endsText(replay, other) + (other.chunk == move.chunk ? "" : " of chunk " + std::to_string(other.chunk));
}

std::string movesTable(const CollectiveReplay& replay, const ReplayStep& step)
{
    Columns table({"ranks", "parts", "size", "ready", "done", "waiting", "serialisation", "latency", "reduction", "behind"}, 2);
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

void addMember(JsonWriter& json, std::string_view name, std::int64_t value)
{
    json.key(name);
    json.integer(value);
}

void addMember(JsonWriter& json, std::string_view name, std::string_view value)
{
    json.key(name);
    json.string(value);
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
    addMember(json, "move", number);
    addMember(json, "from", replay.rankAt(move.source));
    addMember(json, "to", replay.rankAt(move.target));
    addMember(json, "bytes", move.bytes);
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
        const ReplayMove& other = replay.moves()[static_cast<std::size_t>(why.waitedFor)];
        json.beginCompactObject();
        addMember(json, "move", why.waitedFor);
        addMember(json, "chunk", other.chunk);
        addMember(json, "from", replay.rankAt(other.source));
        addMember(json, "to", replay.rankAt(other.target));
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
    Columns table({"instance", "name", "collective", "group", "ranks", "algorithm", "size", "chunks", "begin", "end"}, 6);
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
    json.key("collectives");
    json.beginArray();
    for (const InstanceRun& run : runs) {
        json.beginCompactObject();
        addMember(json, "instance", run.instance);
        addMember(json, "name", run.name);
        addMember(json, "collective", collectiveKey(run.op));
        addMember(json, "family", run.familyName);
        addMember(json, "group", run.group);
        addMember(json, "call", run.call);
        addMember(json, "ranks", run.ranks);
        addMember(json, "members", run.size);
        addMember(json, "bytes", run.bytes);
        addMember(json, "chunks", run.chunks);
        addMember(json, "algorithm", run.algorithm);
        addTime(json, "begin_ns", run.beginPs);
        addTime(json, "end_ns", run.endPs);
        json.key("steppable");
        json.boolean(run.steppable);
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
        out += "\nStep " + std::to_string(i + 1) + " of " + std::to_string(steps.size()) + ": " + phaseText(step) + ", " + time(step.beginPs) + " to "
            + time(step.endPs) + '\n' + movesTable(replay, step);
    }
    return out;
}

std::string stepsJson(const CollectiveReplay& replay, std::int32_t chunk)
{
    JsonWriter json;
    json.beginObject();
    addMember(json, "instance", replay.instance());
    addMember(json, "collective", collectiveKey(replay.op()));
    addMember(json, "algorithm", replay.algorithmText());
    addMember(json, "bytes", replay.bytes());
    addMember(json, "chunks", replay.chunks());
    addMember(json, "chunk", chunk);
    addMember(json, "chunk_bytes", replay.chunkBytes(chunk));
    addMember(json, "parts", replay.parts());
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
        addMember(json, "phase", step.phase);
        addMember(json, "step", step.step);
        addMember(json, "kind", phaseKey(step.kind));
        json.key("dimension");
        if (step.dimension < 0)
            json.null();
        else
            json.integer(step.dimension);
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
