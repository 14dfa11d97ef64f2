#include "app/cli/output/programsteps.h"

#include "core/report/runjson.h"

#include <algorithm>

namespace fabricscope::cli {

namespace {

constexpr std::size_t kShownTransfers = 16;
constexpr std::int32_t kShownColumns = 32;
constexpr std::size_t kShownWaits = 16;

std::string endsText(const ProgramReplay& replay, std::uint32_t op)
{
    const ExplicitBody& body = replay.body();
    const std::string from = std::to_string(replay.order().rankOf(op));
    if (body.kind[op] == OpKind::SwitchReduce || body.kind[op] == OpKind::SwitchMulticast)
        return from + (body.kind[op] == OpKind::SwitchReduce ? "<switch" : ">switch");
    return from + '>' + std::to_string(body.peer[op]);
}

/// Where the transfer ends: "i3", "i3,i4"; of one that is only passed on "-".
std::string targetText(const ProgramReplay& replay, std::uint32_t op)
{
    if (!replay.hasPlaces())
        return std::to_string(replay.body().chunk[op]);
    const std::uint32_t receive = replay.order().partner(op);
    std::string text;
    for (const PlaceIndex place : replay.placesOf(receive == kNoOperation ? op : receive)) {
        if (place != kNoPlace)
            text += (text.empty() ? "" : ",") + replay.places().columnName(replay.places().columnOf(place));
    }
    return text.empty() ? "-" : text;
}

bool reduces(const ProgramReplay& replay, std::uint32_t op)
{
    const std::uint32_t receive = replay.order().partner(op);
    return replay.body().kind[op] == OpKind::SwitchReduce || (receive != kNoOperation && replay.body().kind[receive] == OpKind::ReceiveReduce);
}

std::string stateText(const ProgramReplay& replay, const ProgramCursor& cursor)
{
    if (!replay.hasPlaces())
        return "This program says nothing about places.\n";
    const ProgramPlaces& places = replay.places();
    const std::int32_t shown = std::min(places.columns(), kShownColumns);
    std::string out = "  rank";
    const auto padded = [](const std::string& text) { return std::string(text.size() < 6 ? 6 - text.size() : 1, ' ') + text; };
    for (std::int32_t column = 0; column < shown; ++column)
        out += padded(places.columnName(column));
    out += '\n';
    for (std::int32_t rank = 0; rank < places.ranks(); ++rank) {
        out += padded(std::to_string(rank));
        for (std::int32_t column = 0; column < shown; ++column) {
            const auto place = static_cast<PlaceIndex>(rank) * static_cast<PlaceIndex>(places.columns()) + static_cast<PlaceIndex>(column);
            const std::int32_t held = cursor.contributions(place);
            out += padded(!places.exists(place) ? "" : held == 0 ? "." : std::to_string(held) + (cursor.isAsAsked(place) ? "*" : ""));
        }
        out += '\n';
    }
    if (shown < places.columns())
        out += "  and " + std::to_string(places.columns() - shown) + " more chunks of each rank (--json lists all)\n";
    return out + "  contributions of every chunk; . undefined, * as the collective asks\n";
}

std::string waitsText(const ProgramReplay& replay, const ProgramCursor& cursor)
{
    std::string out;
    std::size_t shown = 0;
    for (std::int32_t rank = 0; rank < replay.program().ranks && shown < kShownWaits; ++rank) {
        for (const std::uint32_t op : cursor.next(rank)) {
            for (const WaitReason& reason : cursor.waitsFor(op)) {
                out += "  rank " + std::to_string(rank) + ", operation " + std::to_string(op) + " waits for "
                    + (reason.operation == kNoOperation ? "a send that is not there"
                                                        : "operation " + std::to_string(reason.operation) + " of rank " + std::to_string(replay.order().rankOf(reason.operation)))
                    + " (" + std::string(waitKindKey(reason.kind)) + ")\n";
                ++shown;
            }
        }
    }
    return out;
}

void addTransfer(JsonWriter& json, const ProgramReplay& replay, std::uint32_t op)
{
    json.beginCompactObject();
    json.member("operation", op);
    json.member("from", replay.order().rankOf(op));
    json.member("to", replay.body().peer[op]);
    json.member("target", targetText(replay, op));
    json.member("reduces", reduces(replay, op));
    json.key("contributions");
    json.beginCompactArray();
    for (const ValueIndex value : replay.valuesOf(op))
        json.integer(replay.values().contributions(value));
    json.endArray();
    json.member("source_line", static_cast<std::int64_t>(replay.body().sourceIdOf(op)));
    json.endObject();
}

void addState(JsonWriter& json, const ProgramReplay& replay, const ProgramCursor& cursor)
{
    json.key("state");
    json.beginArray();
    for (PlaceIndex place = 0; replay.hasPlaces() && place < replay.places().count(); ++place) {
        if (!replay.places().exists(place) || cursor.contributions(place) == 0)
            continue;
        json.beginCompactObject();
        json.member("rank", replay.places().rankOf(place));
        json.member("place", replay.places().columnName(replay.places().columnOf(place)));
        json.member("complete", cursor.isAsAsked(place));
        json.key("contributions");
        json.beginCompactArray();
        for (const auto& [contribution, times] : replay.values().exact(cursor.value(place))) {
            for (std::int64_t i = 0; i < std::min<std::int64_t>(times, 2); ++i) // Twice is enough to see that it is too often.
                json.string(std::to_string(contribution.rank) + ':' + std::to_string(contribution.index));
        }
        json.endArray();
        json.endObject();
    }
    json.endArray();
}

} // namespace

std::string programStepsText(const ProgramReplayPtr& replay, std::int32_t at)
{
    const Program& program = replay->program();
    std::string out = std::string(collectiveKey(program.op)) + " over " + std::to_string(program.ranks) + " ranks" + (program.name.empty() ? "" : ", " + program.name) + ": "
        + std::to_string(replay->transfers()) + " transfers in " + std::to_string(replay->steps()) + " steps\n";
    ProgramCursor cursor(replay);
    if (at >= 0) {
        cursor.seek(at == 0 ? 0 : replay->endOf(at - 1));
        out += (at == 0 ? std::string("At the start") : "After step " + std::to_string(at)) + '\n' + stateText(*replay, cursor);
        const std::string waits = waitsText(*replay, cursor);
        return waits.empty() ? out : out + "Waiting\n" + waits;
    }
    for (std::int32_t step = 0; step < replay->steps(); ++step) {
        const std::span<const std::uint32_t> transfers = replay->transfersOf(step);
        out += "Step " + std::to_string(step + 1) + " of " + std::to_string(replay->steps()) + ": " + std::to_string(transfers.size()) + " transfers\n";
        for (std::size_t i = 0; i < std::min(transfers.size(), kShownTransfers); ++i) {
            const std::uint32_t op = transfers[i];
            const std::vector<ValueIndex> values = replay->valuesOf(op);
            out += "  " + endsText(*replay, op) + "  " + targetText(*replay, op);
            if (!values.empty())
                out += "  " + std::to_string(replay->values().contributions(values.front())) + " contributions";
            out += reduces(*replay, op) ? "  reduced" : "";
            if (const std::uint64_t line = replay->body().sourceIdOf(op); line > 0)
                out += "  line " + std::to_string(line);
            out += '\n';
        }
        if (transfers.size() > kShownTransfers)
            out += "  and " + std::to_string(transfers.size() - kShownTransfers) + " more transfers (--json lists all)\n";
    }
    if (!replay->finishes()) {
        cursor.seek(SIZE_MAX);
        out += std::to_string(replay->body().size() - replay->sequence().size()) + " operations are never done\n" + waitsText(*replay, cursor);
    }
    return out;
}

std::string programStepsJson(const ProgramReplayPtr& replay, std::int32_t at)
{
    const Program& program = replay->program();
    JsonWriter json;
    json.beginObject();
    json.member("schema", kRunJsonSchema);
    json.member("collective", collectiveKey(program.op));
    json.member("algorithm", program.name);
    json.member("ranks", program.ranks);
    json.member("chunks", program.chunks);
    json.member("transfers", static_cast<std::int64_t>(replay->transfers()));
    json.member("finishes", replay->finishes());
    json.key("steps");
    json.beginArray();
    for (std::int32_t step = 0; step < replay->steps(); ++step) {
        json.beginObject();
        json.member("step", step + 1);
        json.key("transfers");
        json.beginArray();
        for (const std::uint32_t op : replay->transfersOf(step))
            addTransfer(json, *replay, op);
        json.endArray();
        json.endObject();
    }
    json.endArray();
    if (at >= 0) {
        ProgramCursor cursor(replay);
        cursor.seek(at == 0 ? 0 : replay->endOf(at - 1));
        json.member("at", at);
        addState(json, *replay, cursor);
    }
    json.endObject();
    return json.text();
}

} // namespace fabricscope::cli
