#include "core/report/placementfigures.h"

#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/report/jsonwriter.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace fabricscope {

namespace {

constexpr double kPartsOfRatio = 1e6; ///< Ratios are shown and written with six digits.

std::string sixDigitsOf(double share)
{
    const auto parts = static_cast<std::int64_t>(std::llround(share * kPartsOfRatio));
    return shareText(parts, static_cast<std::int64_t>(kPartsOfRatio));
}

std::string signedTimeText(SimTime time)
{
    return (time.ps < 0 ? "-" : "+") + showTime({std::abs(time.ps)});
}

} // namespace

std::int64_t PlacementFigures::deviceCount() const
{
    std::int64_t count = 0;
    for (const PlacedDevices& row : devices)
        count += row.count;
    return count;
}

double PlacementFigures::speedOfAll() const
{
    double speed = 0;
    for (const PlacedDevices& row : devices)
        speed += row.speed * static_cast<double>(row.count);
    return speed;
}

std::string placedSpeedText(double flopsPerSecond)
{
    static constexpr std::array<std::pair<double, const char*>, 4> kUnits{{{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}}};
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && flopsPerSecond < kUnits[unit].first)
        ++unit;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", flopsPerSecond / kUnits[unit].first, kUnits[unit].second);
    return text.data();
}

std::vector<PlacedStage> stagesOf(const PlacementFigures& figures)
{
    std::vector<PlacedStage> stages;
    for (std::size_t i = 0; i < figures.program.size(); ++i) {
        const PlacedInstruction& row = figures.program[i];
        if (stages.empty() || stages.back().number != row.stage)
            stages.push_back({row.stage, {}, {}, {}, {}});
        PlacedStage& stage = stages.back();
        SimTime& part = row.part == PlacedInstruction::Part::Entering ? stage.entering : row.part == PlacedInstruction::Part::Computing ? stage.computing : stage.gradients;
        part.ps += row.time.ps;
        stage.instructions.push_back(i);
    }
    return stages;
}

std::string enteringText(const PlacementFigures& figures, const PlacedStage& stage)
{
    constexpr std::size_t kMostNamed = 4;
    std::string out;
    std::size_t named = 0;
    std::size_t all = 0;
    for (const std::size_t i : stage.instructions) {
        const PlacedInstruction& row = figures.program[i];
        if (row.part != PlacedInstruction::Part::Entering || row.activity == Activity::Memory)
            continue;
        if (++all > kMostNamed)
            continue;
        out += (named++ == 0 ? "" : ", ") + row.kind + ' ' + row.makes;
    }
    if (all > kMostNamed)
        out += " and " + std::to_string(all - kMostNamed) + " more";
    return all == 0 ? "nothing" : out;
}

std::string computingText(const PlacementFigures& figures, const PlacedStage& stage)
{
    const PlacedInstruction* first = nullptr;
    const PlacedInstruction* last = nullptr;
    std::size_t count = 0;
    for (const std::size_t i : stage.instructions) {
        if (figures.program[i].part != PlacedInstruction::Part::Computing)
            continue;
        first = first ? first : &figures.program[i];
        last = &figures.program[i];
        ++count;
    }
    if (count == 0)
        return "nothing";
    return count == 1 ? first->makes : first->makes + " to " + last->makes + ", " + std::to_string(count) + " ops";
}

void writePlacementFigures(JsonWriter& json, const PlacementFigures& figures)
{
    json.beginObject();
    json.key("devices");
    json.beginArray();
    for (const PlacedDevices& row : figures.devices) {
        json.beginCompactObject();
        json.member("devices", row.name);
        json.member("count", row.count);
        json.key("ratio");
        json.number(sixDigitsOf(row.ratio));
        json.member("held_bytes", row.held);
        json.key("capacity_bytes");
        row.memory > 0 ? json.integer(row.memory) : json.null();
        json.endObject();
    }
    json.endArray();
    json.key("stages");
    json.beginArray();
    for (const PlacedStage& stage : stagesOf(figures)) {
        json.beginCompactObject();
        json.member("stage", std::int64_t{stage.number});
        json.member("waits_for", enteringText(figures, stage));
        json.member("computes", computingText(figures, stage));
        for (const auto& [key, time] : {std::pair{"collectives_ns", stage.entering}, {"compute_ns", stage.computing}, {"gradients_ns", stage.gradients}}) {
            json.key(key);
            json.nanoseconds(time);
        }
        json.endObject();
    }
    json.endArray();
    json.key("programs");
    json.beginArray();
    for (const PlacedTimes& row : figures.times) {
        json.beginCompactObject();
        json.member("program", row.name);
        json.key("cost_ns");
        json.nanoseconds(row.estimate);
        json.key("simulated_ns");
        row.simulated ? json.nanoseconds(*row.simulated) : json.null();
        json.endObject();
    }
    json.endArray();
    json.member("states_expanded", figures.states);
    json.member("searched_all", figures.proved);
    json.endObject();
}

std::string placementFiguresText(const PlacementFigures& figures)
{
    TextColumns devices({"Placement", "number", "speed", "ratio of each", "holds", "there is"}, 1);
    for (const PlacedDevices& row : figures.devices) {
        devices.add({row.name, std::to_string(row.count), placedSpeedText(row.speed), sixDigitsOf(row.ratio), showBytes({row.held}), row.memory > 0 ? showBytes({row.memory}) : std::string("-")});
    }
    TextColumns times({"Program", "estimated", "simulated"}, 1);
    for (const PlacedTimes& row : figures.times) {
        times.add({row.name, showTime(row.estimate), row.simulated ? showTime(*row.simulated) : std::string("-")});
        for (const auto& [cause, time] : &row == &figures.times.front() ? figures.way : decltype(figures.way)())
            times.add({"  " + cause, signedTimeText(time), ""});
    }
    TextColumns stages({"Stage", "waits for", "computes", "collectives", "computation", "gradients"}, 3);
    constexpr std::size_t kMostStages = 100;
    const std::vector<PlacedStage> all = stagesOf(figures);
    for (std::size_t i = 0; i < std::min(all.size(), kMostStages); ++i)
        stages.add({std::to_string(all[i].number), enteringText(figures, all[i]), computingText(figures, all[i]), showTime(all[i].entering), showTime(all[i].computing), showTime(all[i].gradients)});
    std::string out = devices.text() + '\n' + times.text() + '\n' + stages.text();
    if (all.size() > kMostStages)
        out += "The first " + std::to_string(kMostStages) + " of " + std::to_string(all.size()) + " stages.\n";
    if (!figures.note.empty())
        out += figures.note + ".\n";
    if (!figures.proved)
        out += "Too many states to look at all: the program need not be the best.\n";
    return out;
}

} // namespace fabricscope
