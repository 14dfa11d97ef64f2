#include "app/cli/output/placeoutput.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/planner/placementrows.h"
#include "core/report/jsonwriter.h"
#include "core/report/textcolumns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace fabricscope::cli {

namespace {

/// "12.346 us": four digits, for people.
std::string shownSeconds(double seconds)
{
    static constexpr std::array<std::pair<double, const char*>, 4> kUnits{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
    std::array<char, 48> text{};
    for (const auto& [scale, unit] : kUnits) {
        if (seconds >= scale || scale == 1e-9) {
            std::snprintf(text.data(), text.size(), "%.4g %s", seconds / scale, unit);
            break;
        }
    }
    return seconds == 0 ? "0" : text.data();
}

std::string shownRatio(double ratio)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4f", ratio);
    return text.data();
}

double secondsOf(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacedStep& step)
{
    return fabricscope::secondsOf(problem.cluster, step.terms, placement.ratios);
}

void ratioArray(JsonWriter& out, const std::vector<DeviceRatios>& ratios)
{
    out.beginCompactArray();
    for (const double ratio : ratios.front().ratios())
        out.number(decimal(ratio));
    out.endArray();
}

void allSegments(JsonWriter& out, const std::vector<DeviceRatios>& ratios)
{
    if (ratios.size() < 2)
        return;
    out.key("segment_ratios");
    out.beginArray();
    for (const DeviceRatios& each : ratios)
        ratioArray(out, {each});
    out.endArray();
}

void simulatedTime(JsonWriter& out, const std::optional<SimulatedProgram>& simulated)
{
    out.key("simulated_ns");
    simulated ? out.integer(simulated->ns) : out.null();
    if (!simulated)
        return;
    out.member("cost_ns", simulated->costNs);
    out.key("difference");
    out.beginArray();
    for (const TimeDifference& row : simulated->difference) {
        out.beginCompactObject();
        out.member("cause", keyOf(kDifferenceCauses, row.cause));
        out.member("ns", row.ns);
        out.endObject();
    }
    out.endArray();
}

std::string signedTime(std::int64_t ns)
{
    return (ns < 0 ? "-" : "+") + showTime({std::abs(ns) * 1000});
}

/// From the estimate to the simulated time.
void differenceTable(std::string& out, const SimulatedProgram& simulated)
{
    TextColumns table({"from estimate to simulation", "time"}, 1);
    table.add({"estimate", showTime({simulated.costNs * 1000})});
    for (const TimeDifference& row : simulated.difference)
        table.add({std::string(causeText(row.cause)), signedTime(row.ns)});
    table.add({"simulated", showTime({simulated.ns * 1000})});
    out += table.text() + '\n';
}

/// The form, and what each takes alone.
void formMembers(JsonWriter& out, const ChosenForm& form)
{
    out.member("form", keyOf(kShareForms, form.form));
    out.key("forms_ns");
    out.beginCompactObject();
    for (const auto& [each, time] : form.alone)
        out.member(keyOf(kShareForms, each), (time.ps + 500) / 1000);
    out.endObject();
}

void programRows(JsonWriter& out, const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times)
{
    out.key("program");
    out.beginArray();
    for (const PlacedStep& step : placement.program.steps) {
        if (!isShownStep(step, placement))
            continue;
        const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
        out.beginCompactObject();
        const ChosenForm* const form = simulatedFormOf(problem, placement, times, step);
        out.member("kind", shownKindOf(step, form));
        out.member("makes", madeBy(problem.graph, step));
        if (step.kind == PlacedStep::Kind::Compute)
            out.member("rule", wordOf(step.word));
        out.member("tensor", tensor.name);
        out.member("property", step.makes.text());
        out.member("bytes", static_cast<std::int64_t>(tensor.bytes));
        out.member("owners", ownersOfStep(problem, step, placement));
        out.key("seconds");
        out.number(decimal(secondsOf(problem, placement, step)));
        if (form)
            formMembers(out, *form);
        if (problem.segments > 1)
            out.member("segment", std::int64_t{segmentOfStep(problem, step)});
        out.endObject();
    }
    out.endArray();
}

void lengthRows(JsonWriter& out, const PlacementProblem& problem, const UnequalPlacement& placement)
{
    out.key("lengths");
    out.beginArray();
    for (const PlacedLengths& each : placement.lengths) {
        out.beginCompactObject();
        out.member("tensor", problem.graph.tensors[at(each.tensor)].name);
        out.member("dim", std::int64_t{each.dim});
        out.key("parts");
        out.beginCompactArray();
        for (const std::int64_t part : each.parts)
            out.integer(part);
        out.endArray();
        out.endObject();
    }
    out.endArray();
}

void baselineRow(JsonWriter& out, std::string_view key, const std::optional<double>& cost, const std::optional<SimulatedProgram>& simulated)
{
    out.key(key);
    if (!cost)
        return out.null();
    out.beginObject();
    out.key("cost");
    out.number(decimal(*cost));
    simulatedTime(out, simulated);
    out.endObject();
}

std::int64_t wholeBytesOf(double bytes)
{
    return static_cast<std::int64_t>(std::min(std::ceil(bytes - 1e-6), 9e18));
}

void memoryMembers(JsonWriter& out, const PlacementProblem& problem, const UnequalPlacement& placement)
{
    out.key("memory");
    out.beginArray();
    for (const PlacedMemoryRow& row : problem.graph.ops.empty() ? std::vector<PlacedMemoryRow>() : placedMemoryRows(problem, placement)) {
        out.beginCompactObject();
        out.member("devices", row.devices);
        out.member("type", row.name);
        for (const auto& [word, kind] : kHeldKinds)
            out.member(word, wholeBytesOf(row.bytes.at(static_cast<std::size_t>(kind))));
        out.member("peak", wholeBytesOf(row.peak));
        out.key("capacity");
        row.capacity > 0 ? out.integer(wholeBytesOf(row.capacity)) : out.null();
        out.endObject();
    }
    out.endArray();
}

void memoryTable(std::string& out, const PlacementProblem& problem, const UnequalPlacement& placement)
{
    std::vector<std::string> heads{"memory of a device"};
    for (const auto& [word, kind] : kHeldKinds)
        heads.emplace_back(word);
    heads.insert(heads.end(), {"all", "there is"});
    TextColumns table(heads, 1);
    for (const PlacedMemoryRow& row : placedMemoryRows(problem, placement)) {
        std::vector<std::string> cells{row.name};
        for (const double bytes : row.bytes)
            cells.push_back(bytes > 0 ? showBytes({wholeBytesOf(bytes)}) : "0");
        cells.push_back(showBytes({wholeBytesOf(row.peak)}));
        cells.push_back(row.capacity > 0 ? showBytes({wholeBytesOf(row.capacity)}) : "-");
        table.add(cells);
    }
    out += table.text() + '\n';
}

void stepTable(std::string& out, const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times)
{
    TextColumns table({"instruction", "makes", "rule or form", "as", "bytes", "owners", "time"}, 4);
    for (const PlacedStep& step : placement.program.steps) {
        if (!isShownStep(step, placement))
            continue;
        const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
        const ChosenForm* const form = simulatedFormOf(problem, placement, times, step);
        const std::string_view how = step.kind == PlacedStep::Kind::Compute ? wordOf(step.word) : form ? keyOf(kShareForms, form->form) : std::string_view();
        table.add({std::string(shownKindOf(step, form)), madeBy(problem.graph, step), std::string(how), step.makes.text(),
            showBytes({static_cast<std::int64_t>(tensor.bytes)}), ownersOfStep(problem, step, placement), shownSeconds(secondsOf(problem, placement, step))});
    }
    out += "Program\n" + table.text() + '\n';
}

void ratioTable(std::string& out, const PlacementProblem& problem, const UnequalPlacement& placement)
{
    TextColumns table({"device", "speed", "ratio"}, 1);
    for (std::size_t s = 0; s < placement.ratios.size(); ++s) {
        std::size_t device = 0;
        const std::vector<double>& ratios = placement.ratios[s].ratios();
        for (const DeviceType& type : problem.cluster.types) {
            // One row for devices that are alike and have the same ratio.
            for (std::int64_t i = 0; i < type.count;) {
                const std::int64_t begin = i;
                const double ratio = ratios[device];
                while (i < type.count && ratios[device] == ratio) {
                    ++i;
                    ++device;
                }
                const std::string count = i - begin > 1 ? " x" + std::to_string(i - begin) : "";
                table.add({type.name + count + (placement.ratios.size() > 1 ? ", segment " + std::to_string(s) : std::string()), decimal(type.speed / 1e12) + " TFLOP/s", shownRatio(ratio)});
            }
        }
    }
    out += "Ratios\n" + table.text() + '\n';
}

} // namespace

std::string placementText(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times)
{
    std::string out = "Estimated time " + shownSeconds(placement.cost) + '\n';
    if (times.program)
        out += "Simulated time " + showTime({times.program->ns * 1000}) + '\n';
    if (!times.reason.empty())
        out += times.reason + '\n';
    out += '\n';
    if (times.program)
        differenceTable(out, *times.program);
    ratioTable(out, problem, placement);
    if (!problem.graph.ops.empty()) {
        memoryTable(out, problem, placement);
        stepTable(out, problem, placement, times);
    }
    if (!placement.lengths.empty()) {
        TextColumns table({"tensor", "dim", "parts"}, 3);
        for (const PlacedLengths& each : placement.lengths) {
            std::string parts;
            for (const std::int64_t part : each.parts)
                parts += (parts.empty() ? "" : " ") + std::to_string(part);
            table.add({problem.graph.tensors[at(each.tensor)].name, std::to_string(each.dim), parts});
        }
        out += "Parts\n" + table.text() + '\n';
    }
    out += "Rounds";
    for (const PlacementRound& round : placement.rounds)
        out += "  " + shownSeconds(round.cost);
    out += '\n';
    if (placement.dataParallelEven)
        out += "Data parallel, even ratios " + shownSeconds(*placement.dataParallelEven) + '\n';
    if (placement.dataParallelProportional)
        out += "Data parallel, ratios proportional to speed " + shownSeconds(*placement.dataParallelProportional) + '\n';
    if (placement.even)
        out += "Best program at even ratios " + shownSeconds(*placement.even) + '\n';
    if (!problem.graph.ops.empty())
        out += "States expanded " + std::to_string(placement.expanded) + (placement.proved ? "" : "; too many to look at all: the program need not be the best") + '\n';
    return out;
}

std::string placementJson(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", std::int64_t{1});
    out.key("result");
    out.beginObject();
    out.key("cost");
    out.number(decimal(placement.cost));
    out.key("ratios");
    ratioArray(out, placement.ratios);
    allSegments(out, placement.ratios);
    lengthRows(out, problem, placement);
    programRows(out, problem, placement, times);
    out.key("rounds");
    out.beginArray();
    for (const PlacementRound& round : placement.rounds) {
        out.beginCompactObject();
        out.key("cost");
        out.number(decimal(round.cost));
        out.key("ratios");
        ratioArray(out, round.ratios);
        out.endObject();
    }
    out.endArray();
    out.key("baselines");
    out.beginObject();
    baselineRow(out, "dp_ev", placement.dataParallelEven, times.dataParallelEven);
    baselineRow(out, "dp_cp", placement.dataParallelProportional, times.dataParallelProportional);
    baselineRow(out, "even", placement.even, times.even);
    out.endObject();
    out.member("states_expanded", placement.expanded);
    out.member("searched_all", placement.proved);
    simulatedTime(out, times.program);
    if (!times.reason.empty())
        out.member("simulated_note", times.reason);
    memoryMembers(out, problem, placement);
    out.key("held_bytes");
    out.beginCompactObject();
    double shared = 0;
    for (const double bytes : placement.held.shared)
        shared += bytes;
    out.member("by_ratio", static_cast<std::int64_t>(std::min(shared, 9e18)));
    out.member("on_every_device", static_cast<std::int64_t>(std::min(placement.held.whole, 9e18)));
    out.endObject();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

} // namespace fabricscope::cli
