#include "app/cli/output/placeoutput.h"

#include "core/base/decimal.h"
#include "core/base/index.h"
#include "core/base/quantity.h"
#include "core/base/rankset.h"
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

/// Devices that own a part of what a step makes: all of them where everyone has all.
std::string ownersOf(const PlacementProblem& problem, const PlacedStep& step, const UnequalPlacement& placement)
{
    const DeviceRatios& ratios = placement.ratios[at(segmentOfStep(problem, step))];
    RankSet owners;
    for (std::int64_t j = 0; j < ratios.devices(); ++j) {
        if (!(step.makes.isGather() || step.from.isGather()) || ratios.ratios()[at(j)] > 0)
            owners.add(j);
    }
    return owners.text();
}

bool isShown(const PlacedStep& step, const UnequalPlacement& placement)
{
    return !isIdle(step, placement.ratios) && (step.kind != PlacedStep::Kind::Compute || step.op >= 0);
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

std::string_view textOf(DifferenceCause cause)
{
    switch (cause) {
    case DifferenceCause::WholeElements:
        return "whole elements instead of ratios";
    case DifferenceCause::Collectives:
        return "collectives with their true sizes";
    case DifferenceCause::Entry:
        return "devices reach collectives at different times";
    case DifferenceCause::Overlap:
        return "gradients beside the backward pass";
    }
    return {};
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
        table.add({std::string(textOf(row.cause)), signedTime(row.ns)});
    table.add({"simulated", showTime({simulated.ns * 1000})});
    out += table.text() + '\n';
}

/// How the step's first collective was simulated; null: it is none that has forms, or nothing was simulated.
const ChosenForm* formOf(const PlacementProblem& problem, const UnequalPlacement& placement, const PlacementTimes& times, const PlacedStep& step)
{
    if (!times.program || step.kind != PlacedStep::Kind::Collective || step.terms.empty() || step.terms.front().collective == ShareCollective::AllReduce)
        return nullptr;
    const auto form = times.program->forms.find(collectiveOf(problem, step, step.terms.front(), placement.ratios));
    return form == times.program->forms.end() ? nullptr : &form->second;
}

/// What a step is called: of a collective in the form in which it is the fastest by simulation, where there is one.
std::string_view kindOf(const PlacedStep& step, const ChosenForm* form)
{
    if (!form || step.collective == ShareCollective::AllToAll)
        return wordOf(step);
    const bool gathers = step.collective == ShareCollective::AllGather || step.collective == ShareCollective::GroupedAllGather;
    const bool grouped = form->form == ShareForm::Grouped;
    return keyOf(kShareCollectiveWords, gathers ? grouped ? ShareCollective::GroupedAllGather : ShareCollective::AllGather
                                                : grouped ? ShareCollective::GroupedReduceScatter : ShareCollective::ReduceScatter);
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
        if (!isShown(step, placement))
            continue;
        const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
        out.beginCompactObject();
        const ChosenForm* const form = formOf(problem, placement, times, step);
        out.member("kind", kindOf(step, form));
        out.member("makes", madeBy(problem.graph, step));
        if (step.kind == PlacedStep::Kind::Compute)
            out.member("rule", wordOf(step.word));
        out.member("tensor", tensor.name);
        out.member("property", step.makes.text());
        out.member("bytes", static_cast<std::int64_t>(tensor.bytes));
        out.member("owners", ownersOf(problem, step, placement));
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

/// What a device of a type holds at most, by kind.
struct MemoryRow {
    std::string devices; ///< "0-7".
    std::string name;
    std::array<double, kHeldKinds.size()> bytes{};
    double peak = 0;
    double capacity = 0; ///< 0: as much as needed.
};

std::vector<MemoryRow> memoryRows(const PlacementProblem& problem, const UnequalPlacement& placement)
{
    std::vector<MemoryRow> rows;
    const auto kinds = placement.program.heldByKind(problem.graph, problem.theory, problem.segments);
    std::int64_t first = 0;
    for (const DeviceType& type : problem.cluster.types) {
        MemoryRow row{RankSet::range(first, first + type.count).text(), type.name, {}, 0, type.memory};
        for (std::int64_t device = first; device < first + type.count; ++device) {
            std::array<double, kHeldKinds.size()> own{};
            double sum = 0;
            for (const auto& [kind, held] : kinds) {
                double& bytes = own.at(static_cast<std::size_t>(kind));
                bytes = held.whole;
                for (std::size_t s = 0; s < held.shared.size(); ++s)
                    bytes += held.shared[s] * placement.ratios[s].ratios()[at(device)];
                sum += bytes;
            }
            if (sum >= row.peak) {
                row.peak = sum;
                row.bytes = own;
            }
        }
        first += type.count;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::int64_t wholeBytesOf(double bytes)
{
    return static_cast<std::int64_t>(std::min(std::ceil(bytes - 1e-6), 9e18));
}

void memoryMembers(JsonWriter& out, const PlacementProblem& problem, const UnequalPlacement& placement)
{
    out.key("memory");
    out.beginArray();
    for (const MemoryRow& row : problem.graph.ops.empty() ? std::vector<MemoryRow>() : memoryRows(problem, placement)) {
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
    for (const MemoryRow& row : memoryRows(problem, placement)) {
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
        if (!isShown(step, placement))
            continue;
        const PlacedTensor& tensor = problem.graph.tensors[at(step.tensor)];
        const ChosenForm* const form = formOf(problem, placement, times, step);
        const std::string_view how = step.kind == PlacedStep::Kind::Compute ? wordOf(step.word) : form ? keyOf(kShareForms, form->form) : std::string_view();
        table.add({std::string(kindOf(step, form)), madeBy(problem.graph, step), std::string(how), step.makes.text(),
            showBytes({static_cast<std::int64_t>(tensor.bytes)}), ownersOf(problem, step, placement), shownSeconds(secondsOf(problem, placement, step))});
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
