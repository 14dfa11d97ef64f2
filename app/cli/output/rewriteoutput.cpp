#include "app/cli/output/rewriteoutput.h"

#include "core/base/index.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace fabricscope::cli {

namespace {

using transform::Stage;
using transform::TensorProgram;
using transform::TimedKernel;

std::string kernelOp(const TensorProgram& program, const TimedKernel& kernel)
{
    return kernel.kernel.stages.size() > 1 ? "fused" : transform::opText(program.stages[at(kernel.kernel.stages.front())].op);
}

/// Of its last stage.
std::string kernelLayout(const TensorProgram& program, const TimedKernel& kernel)
{
    return program.stages[at(kernel.kernel.stages.back())].value.layout.text();
}

std::string operandsText(const Stage& stage)
{
    const auto text = [](const transform::Operand& operand) { return operand.slice ? "slice(" + operand.name + ')' : operand.name; };
    if (!stage.expr.empty())
        return stage.expr.text([&](std::int32_t leaf) { return text(stage.in[at(leaf)]); });
    std::string list;
    for (const transform::Operand& operand : stage.in)
        list += (list.empty() ? "" : ", ") + text(operand);
    return list;
}

std::string padded(std::string text, std::size_t width)
{
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

std::string kernelsText(const TensorProgram& program, const transform::ProgramTimes& times)
{
    std::string out;
    for (const TimedKernel& kernel : times.kernels) {
        const bool fused = kernel.kernel.stages.size() > 1;
        const std::string algorithm = kernel.time.algorithm.empty() ? "" : "  " + kernel.time.algorithm;
        if (fused)
            out += padded("  fused", 54) + padded(kernelLayout(program, kernel), 12) + showTime(kernel.time.alone()) + algorithm + '\n';
        for (const std::int32_t number : kernel.kernel.stages) {
            const Stage& stage = program.stages[at(number)];
            std::string row = padded((fused ? "    " : "  ") + stage.name, 14) + padded(transform::opText(stage.op), 16) + operandsText(stage);
            row = padded(row, 54) + padded(stage.value.layout.text(), 12);
            out += row + (fused ? "" : showTime(kernel.time.alone()) + algorithm) + '\n';
        }
    }
    for (const transform::OverlapTimes& chain : times.overlaps) {
        std::string names;
        for (const std::string& name : chain.stages)
            names += (names.empty() ? "" : ", ") + name;
        out += "  overlapped: " + names + " in " + std::to_string(chain.chunks) + " chunks, " + std::to_string(std::lround(chain.hiddenShare * 100)) + " % of " + chain.stages.front() + " hidden, "
            + showTime(chain.end - chain.begin) + '\n';
    }
    return out + padded("  total", 66) + showTime(times.total) + '\n';
}

std::int64_t memoryOf(const TensorProgram& program)
{
    std::int64_t bytes = 0;
    for (const transform::Tensor& tensor : program.tensors)
        bytes += bytesPerRank(tensor.value, program.ranks);
    return bytes;
}

void writeKernels(JsonWriter& out, const TensorProgram& program, const transform::ProgramTimes& times)
{
    out.beginArray();
    for (const TimedKernel& kernel : times.kernels) {
        out.beginCompactObject();
        out.member("name", kernel.kernel.name);
        out.member("op", kernelOp(program, kernel));
        out.key("members");
        out.beginCompactArray();
        for (const std::int32_t number : kernel.kernel.stages)
            out.string(program.stages[at(number)].name);
        out.endArray();
        out.member("layout", kernelLayout(program, kernel));
        out.member("bytes", kernel.time.bytes);
        out.key("ns");
        out.nanoseconds(kernel.time.alone());
        if (!kernel.time.algorithm.empty())
            out.member("algorithm", kernel.time.algorithm);
        out.endObject();
    }
    out.endArray();
}

void writeTensors(JsonWriter& out, const TensorProgram& program)
{
    out.beginObject();
    for (const transform::Tensor& tensor : program.tensors) {
        out.key(tensor.name);
        out.beginCompactObject();
        out.member("layout", tensor.value.layout.text());
        out.member("bytes_per_rank", bytesPerRank(tensor.value, program.ranks));
        out.endObject();
    }
    out.endObject();
}

void writeOverlaps(JsonWriter& out, const transform::ProgramTimes& times)
{
    constexpr std::int64_t kParts = 1'000'000'000;
    out.beginArray();
    for (const transform::OverlapTimes& chain : times.overlaps) {
        out.beginCompactObject();
        out.key("stages");
        out.beginCompactArray();
        for (const std::string& name : chain.stages)
            out.string(name);
        out.endArray();
        out.member("chunks", std::int64_t{chain.chunks});
        out.key("hidden_share");
        out.number(shareText(std::llround(chain.hiddenShare * static_cast<double>(kParts)), kParts));
        out.endObject();
    }
    out.endArray();
}

void writeTimeline(JsonWriter& out, const transform::ProgramTimes& times)
{
    out.beginArray();
    for (const transform::TimelineRow& row : times.timeline) {
        out.beginCompactObject();
        out.member("stage", row.stage);
        out.member("kernel", row.kernel);
        out.member("part", keyOf(transform::kPartKinds, row.kind));
        out.key("start_ns");
        out.nanoseconds(row.begin);
        out.key("end_ns");
        out.nanoseconds(row.end);
        out.endObject();
    }
    out.endArray();
}

/// Which programs lie on the way to the best one.
std::vector<bool> bestWay(const transform::StepSearch& search)
{
    std::vector<bool> way(search.programs.size(), false);
    for (auto number = static_cast<std::int64_t>(search.best); number >= 0; number = search.programs[at(number)].parent)
        way[at(number)] = true;
    return way;
}

/// How collectives run in a setting that was tried.
std::string settingText(const transform::TunedSetting& setting)
{
    std::string text = setting.algorithm;
    if (!setting.protocol.empty())
        text += (text.empty() ? "" : ", ") + setting.protocol;
    if (setting.channels)
        text += (text.empty() ? "" : ", ") + std::to_string(*setting.channels) + " channels";
    return text;
}

/// The tree of programs; of large ones the best way and what lies beside it.
std::string treeText(const transform::StepSearch& search)
{
    constexpr std::size_t kMostShown = 60;
    const std::vector<bool> way = bestWay(search);
    std::vector<std::vector<std::size_t>> children(search.programs.size());
    for (std::size_t i = 1; i < search.programs.size(); ++i)
        children[at(search.programs[i].parent)].push_back(i);
    std::string out = "programs searched: " + std::to_string(search.programs.size()) + (search.complete ? "" : " (the limit; there are more)") + '\n';
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};
    while (!open.empty()) {
        const auto [number, depth] = open.back();
        open.pop_back();
        const transform::SearchedProgram& program = search.programs[number];
        std::string row = std::string(2 + 2 * depth, ' ') + (way[number] ? "* " : "  ") + (number == 0 ? "as written" : program.step.text());
        out += padded(row, 66) + padded(showTime(program.time), 12) + showBytes({program.memory}) + '\n';
        if (search.programs.size() > kMostShown && !way[number]) {
            if (!children[number].empty())
                out += std::string(6 + 2 * depth, ' ') + std::to_string(children[number].size()) + " more from here\n";
            continue;
        }
        for (std::size_t i = children[number].size(); i-- > 0;)
            open.emplace_back(children[number][i], depth + 1);
    }
    for (std::size_t i = 0; i < search.settings.size(); ++i)
        out += padded(std::string("  ") + (i == search.bestSetting ? "* " : "  ") + settingText(search.settings[i]), 66) + showTime(search.settings[i].time) + '\n';
    return out + '\n';
}

void writeTree(JsonWriter& out, const transform::StepSearch& search)
{
    const std::vector<bool> way = bestWay(search);
    out.member("complete", search.complete);
    out.key("tree");
    out.beginArray();
    for (std::size_t i = 0; i < search.programs.size(); ++i) {
        const transform::SearchedProgram& program = search.programs[i];
        out.beginCompactObject();
        out.member("program", static_cast<std::int64_t>(i));
        if (program.parent >= 0) {
            out.member("parent", program.parent);
            out.member("line", program.step.text());
        }
        out.key("ns");
        out.nanoseconds(program.time);
        out.member("bytes_per_rank", program.memory);
        out.member("best", bool(way[i]));
        out.endObject();
    }
    out.endArray();
}

void writeSettings(JsonWriter& out, const transform::StepSearch& search)
{
    out.key("settings");
    out.beginArray();
    for (std::size_t i = 0; i < search.settings.size(); ++i) {
        const transform::TunedSetting& setting = search.settings[i];
        out.beginCompactObject();
        if (!setting.algorithm.empty())
            out.member("algorithm", setting.algorithm);
        if (!setting.protocol.empty())
            out.member("protocol", setting.protocol);
        if (setting.channels)
            out.member("channels", std::int64_t{*setting.channels});
        out.member("program", static_cast<std::int64_t>(setting.program));
        out.key("ns");
        out.nanoseconds(setting.time);
        out.member("best", i == search.bestSetting);
        out.endObject();
    }
    out.endArray();
}

void writeRefused(JsonWriter& out, const transform::RefusedStep& refused)
{
    out.key("refused");
    out.beginObject();
    out.member("step", static_cast<std::int64_t>(refused.step));
    out.member("line", refused.words.text());
    out.member("condition", keyOf(transform::kConditions, refused.refusal.condition));
    out.member("stage", refused.refusal.stage);
    if (!refused.refusal.tensor.empty())
        out.member("tensor", refused.refusal.tensor);
    out.member("reason", refused.refusal.reason);
    out.endObject();
}

/// What a simulated step does not follow from the design alone.
std::vector<std::string> assumedOf(transform::ModelPart kind)
{
    std::vector<std::string> list;
    if (kind == transform::ModelPart::PipelineBoundary) {
        list.emplace_back("the sum at the end of a stage and the message behind it are replaced in forward passes; passes back, and the messages of their gradients, are those of the plan");
        list.emplace_back("kernels of an overlap are simulated whole: each begins when the first chunk of the one before is there, and ends a chunk behind its end");
    } else if (kind == transform::ModelPart::Optimizer) {
        list.emplace_back("partial sums go in the buckets of the plan, beside its backward pass; a kernel without barriers updates each bucket as it is summed, the others run behind the last one");
    } else {
        list.emplace_back("the part is replaced in forward passes; passes back, and what they compute again, are those of the plan");
    }
    list.emplace_back("what a kernel hides behind its communication, and launches, are those of the program alone; collectives run by the algorithms of the design");
    return list;
}

std::string shareOfStep(SimTime gain, SimTime step)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", step.ps > 0 ? 100.0 * static_cast<double>(gain.ps) / static_cast<double>(step.ps) : 0.0);
    return text;
}

/// A gain or, below 0, a loss.
std::string gainText(SimTime before, SimTime after)
{
    const SimTime gain = before - after;
    return (gain.ps < 0 ? "a loss of " + showTime({-gain.ps}) : "a gain of " + showTime(gain)) + " (" + shareOfStep({std::abs(gain.ps)}, before) + ')';
}

/// The whole step that the program is a part of.
std::string stepText(const StepOfPart& step, const transform::Transformed& made)
{
    const transform::PartOfStep& part = step.part;
    std::string out = "\nin the step " + std::to_string(part.count) + (part.count == 1 ? " time" : " times");
    if (part.instead)
        out += ", instead of " + showTime(*part.instead) + " of exposed gradients and optimizer";
    if (!step.times) { // The estimate takes away kernels and launches that the simulated step never had.
        const auto estimated = stepWith(part, made.beforeTimes.total, made.afterTimes.total);
        out += estimated ? "; the step is estimated as " + showTime(*part.step) + " before, " + showTime(*estimated) + " after\n" : "; the step is not known: the NPU has no peak rate\n";
        return out + "the step is not simulated: " + step.reason + '\n';
    }
    out += '\n';
    const transform::StepTimes& times = *step.times;
    out += "the step, simulated\n" + padded("  as the plan has it", 66) + showTime(times.plan) + '\n';
    out += padded("  with the program as written", 66) + showTime(times.written) + '\n' + padded("  with the schedule", 66) + showTime(times.scheduled) + '\n';
    out += "  " + gainText(times.plan, times.scheduled) + " on the plan, " + gainText(times.written, times.scheduled) + " on the program as written\n";
    for (const std::string& line : assumedOf(step.kind))
        out += "  assumed: " + line + '\n';
    return out;
}

void writeSimulated(JsonWriter& out, const StepOfPart& step)
{
    if (!step.times) {
        out.member("not_simulated", step.reason);
        return;
    }
    const transform::StepTimes& times = *step.times;
    out.key("simulated");
    out.beginObject();
    for (const auto& [key, time] : {std::pair{"plan_ns", times.plan}, {"written_ns", times.written}, {"scheduled_ns", times.scheduled}, {"gain_ns", times.plan - times.scheduled}}) {
        out.key(key);
        out.nanoseconds(time);
    }
    out.member("places", times.places);
    out.key("assumed");
    out.beginArray();
    for (const std::string& line : assumedOf(step.kind))
        out.string(line);
    out.endArray();
    out.endObject();
}

void writeStep(JsonWriter& out, const StepOfPart& step, const transform::Transformed& made)
{
    const transform::PartOfStep& part = step.part;
    out.key("step");
    out.beginObject();
    out.member("count", part.count);
    if (part.instead) {
        out.key("instead_ns");
        out.nanoseconds(*part.instead);
    }
    if (const auto estimated = step.times ? std::nullopt : stepWith(part, made.beforeTimes.total, made.afterTimes.total)) {
        out.key("before_ns");
        out.nanoseconds(*part.step);
        out.key("after_ns");
        out.nanoseconds(*estimated);
    }
    if (!made.refused)
        writeSimulated(out, step);
    out.endObject();
}

} // namespace

std::string transformedText(const transform::Transformed& made, const transform::StepSearch* search, const StepOfPart* step)
{
    std::string out = (search ? treeText(*search) : std::string()) + "before\n" + kernelsText(made.before, made.beforeTimes);
    if (!made.applied.empty()) {
        out += "\nschedule\n";
        for (const transform::ScheduleStep& line : made.applied)
            out += "  " + line.text() + '\n';
        out += "\nafter\n" + kernelsText(made.after, made.afterTimes);
        const auto before = static_cast<double>(made.beforeTimes.total.ps);
        const auto after = static_cast<double>(made.afterTimes.total.ps);
        char speedup[32];
        std::snprintf(speedup, sizeof speedup, "%.3f", after > 0 ? before / after : 1.0);
        out += "\nspeedup " + std::string(speedup) + "; tensors take " + showBytes({memoryOf(made.before)}) + " per rank before, " + showBytes({memoryOf(made.after)}) + " after\n";
    }
    if (step)
        out += stepText(*step, made);
    if (made.equal)
        out += *made.equal ? "executed: both give the same result\n" : "executed: the results differ: " + made.difference + '\n';
    return out;
}

std::string transformedJson(const transform::Transformed& made, const Diagnostics& warnings, const transform::StepSearch* search, const StepOfPart* step)
{
    JsonWriter out;
    out.beginObject();
    out.member("schema", std::int64_t{1});
    out.key("result");
    out.beginObject();
    out.key("before_ns");
    out.nanoseconds(made.beforeTimes.total);
    out.key("after_ns");
    out.nanoseconds(made.afterTimes.total);
    out.key("applied");
    out.beginArray();
    for (const transform::ScheduleStep& line : made.applied)
        out.string(line.text());
    out.endArray();
    if (made.refused)
        writeRefused(out, *made.refused);
    out.key("stages");
    writeKernels(out, made.after, made.afterTimes);
    out.key("stages_before");
    writeKernels(out, made.before, made.beforeTimes);
    out.key("tensors");
    writeTensors(out, made.after);
    out.key("tensors_before");
    writeTensors(out, made.before);
    out.key("overlaps");
    writeOverlaps(out, made.afterTimes);
    out.key("timeline");
    writeTimeline(out, made.afterTimes);
    if (made.equal) {
        out.member("equal", *made.equal);
        if (!*made.equal)
            out.member("difference", made.difference);
    }
    if (search)
        writeTree(out, *search);
    if (search && !search->settings.empty())
        writeSettings(out, *search);
    if (step)
        writeStep(out, *step, made);
    out.key("warnings");
    out.beginArray();
    for (const Diagnostic& entry : warnings)
        out.string(entry.text());
    out.endArray();
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

} // namespace fabricscope::cli
