#include "app/cli/output/shardoutput.h"

#include "core/base/quantity.h"
#include "core/report/jsonwriter.h"

#include <algorithm>
#include <map>

namespace fabricscope::cli {

namespace {

/// "0-2,5" of devices in any order.
std::string deviceText(std::vector<std::int64_t> devices)
{
    std::ranges::sort(devices);
    std::string text;
    for (std::size_t i = 0; i < devices.size();) {
        std::size_t j = i;
        while (j + 1 < devices.size() && devices[j + 1] == devices[j] + 1)
            ++j;
        text += (text.empty() ? "" : ",") + std::to_string(devices[i]) + (j > i ? "-" + std::to_string(devices[j]) : "");
        i = j + 1;
    }
    return text;
}

/// Devices by what `keyOf(position)` says of them.
template <typename Key, typename KeyOf>
std::map<Key, std::vector<std::int64_t>> groupedDevices(const Mesh& mesh, KeyOf&& key)
{
    std::map<Key, std::vector<std::int64_t>> groups;
    for (std::int64_t position = 0; position < mesh.devices(); ++position)
        groups[key(position)].push_back(mesh.deviceAt(position));
    return groups;
}

std::string allDevices(const Mesh& mesh)
{
    return mesh.devices() == 1 ? "0" : "0-" + std::to_string(mesh.devices() - 1);
}

/// Without padding, from the first device on. Looks at single devices only where a dim does not divide.
std::vector<std::pair<std::string, TensorShape>> localShapes(const Mesh& mesh, const TensorShape& shape, const std::vector<AxisList>& dims)
{
    bool even = true;
    for (std::size_t d = 0; d < shape.size(); ++d)
        even &= shape[d] % shardsOf(dims[d]) == 0;
    if (even)
        return {{allDevices(mesh), localShape(shape, {dims, {}, ReduceKind::Sum})}};
    const auto groups = groupedDevices<TensorShape>(mesh, [&](std::int64_t position) {
        TensorShape local;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t part = partSize(shape[d], shardsOf(dims[d]));
            local.push_back(std::clamp<std::int64_t>(shape[d] - shardIndex(mesh, dims[d], position) * part, 0, part));
        }
        return local;
    });
    std::vector<std::pair<std::string, TensorShape>> rows;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group)
        rows.emplace_back(deviceText(group->second), group->first);
    return rows;
}

std::string_view collectiveWord(const PartitionedProgram& program, const ProgramStep& step)
{
    if (step.looped)
        return "permute";
    if (step.kind == StepKind::HaloExchange) {
        const auto& window = program.value(step.out).windows[static_cast<std::size_t>(step.dim)];
        if (window && window->step < 0)
            return "permute";
    }
    return wordOf(step.kind);
}

void writeAxes(JsonWriter& out, const Mesh& mesh, std::string_view key, const AxisList& axes)
{
    out.key(key);
    out.beginCompactArray();
    for (const AxisPart& part : axes)
        out.string(axisText(mesh, part));
    out.endArray();
}

/// Rows of local shapes by shape and layout: looking at every device is for once, not for every layer.
using LocalRows = std::map<std::pair<TensorShape, std::string>, std::vector<std::pair<std::string, TensorShape>>>;

void writeTensor(JsonWriter& out, const ShardPlan& plan, std::size_t t, LocalRows& known)
{
    const PartitionedProgram& program = plan.program;
    const GraphTensor& tensor = program.graph.tensors[t];
    out.key(tensor.name);
    out.beginObject();
    out.key("shape");
    out.beginCompactArray();
    for (const std::int64_t size : tensor.shape)
        out.integer(size);
    out.endArray();
    out.key("dims");
    out.beginCompactArray();
    for (const AxisList& axes : plan.propagated[t]) {
        out.beginCompactArray();
        for (const AxisPart& part : axes)
            out.string(axisText(program.mesh, part));
        out.endArray();
    }
    out.endArray();
    writeAxes(out, program.mesh, "unreduced", program.unreducedByOp[t]);
    out.key("local");
    out.beginArray();
    const auto [rows, added] = known.try_emplace({tensor.shape, layoutText(program.mesh, {plan.propagated[t], {}, ReduceKind::Sum})});
    if (added)
        rows->second = localShapes(program.mesh, tensor.shape, plan.propagated[t]);
    for (const auto& [devices, shape] : rows->second) {
        out.beginCompactObject();
        out.member("devices", devices);
        out.key("shape");
        out.beginCompactArray();
        for (const std::int64_t size : shape)
            out.integer(size);
        out.endArray();
        out.endObject();
    }
    out.endArray();
    out.endObject();
}

/// Whole nanoseconds, or with up to three decimals.
void writeNanoseconds(JsonWriter& out, std::string_view key, std::int64_t ps)
{
    out.key(key);
    out.nanoseconds({ps});
}

void writeHalos(JsonWriter& out, const Mesh& mesh, const ProgramStep& step)
{
    if (!step.sentByIndex.empty() && std::ranges::adjacent_find(step.sentByIndex, std::not_equal_to<>()) != step.sentByIndex.end()) {
        out.key("sent");
        out.beginArray();
        const auto groups = groupedDevices<std::int64_t>(mesh, [&](std::int64_t position) { return step.sentByIndex[static_cast<std::size_t>(shardIndex(mesh, step.axes, position))]; });
        for (const auto& [bytes, devices] : groups) {
            out.beginCompactObject();
            out.member("devices", deviceText(devices));
            out.member("bytes", bytes);
            out.endObject();
        }
        out.endArray();
    }
    if (step.halo.empty())
        return;
    out.key("halo");
    out.beginArray();
    const auto groups = groupedDevices<std::pair<std::int64_t, std::int64_t>>(mesh, [&](std::int64_t position) {
        const Halo& halo = step.halo[static_cast<std::size_t>(shardIndex(mesh, step.axes, position))];
        return std::pair(halo.left, halo.right);
    });
    for (const auto& [halo, devices] : groups) {
        out.beginCompactObject();
        out.member("devices", deviceText(devices));
        out.member("left", halo.first);
        out.member("right", halo.second);
        out.endObject();
    }
    out.endArray();
}

void writeCollective(JsonWriter& out, const PartitionedProgram& program, const ProgramStep& step, const ShardTimes* times)
{
    out.beginObject();
    out.member("kind", collectiveWord(program, step));
    out.member("tensor", program.value(step.out).name);
    writeAxes(out, program.mesh, "axes", step.axes);
    out.member("phase", step.backward ? "backward" : "forward");
    const std::int64_t shards = shardsOf(step.axes);
    out.member("bytes", step.looped ? step.bytes / shards : step.bytes);
    out.member("sent_per_device", step.sent);
    if (step.looped)
        out.member("looped_steps", shards);
    writeHalos(out, program.mesh, step);
    if (const std::int64_t ps = times ? times->stepPs[static_cast<std::size_t>(&step - program.steps.data())] : -1; ps >= 0)
        writeNanoseconds(out, "simulated_ns", ps);
    out.key("runner_up");
    if (step.runnerUp) {
        out.beginCompactObject();
        out.member("kind", step.runnerUp->kind);
        out.member("tensor", step.runnerUp->tensor);
        out.member("sent_per_device", step.runnerUp->sent);
        out.endObject();
    } else {
        out.null();
    }
    if (!step.cause.op.empty())
        out.member("op", step.cause.op);
    out.member("annotation", step.cause.annotation);
    out.member("cause", step.cause.text);
    out.endObject();
}

std::string paddedCell(std::string text, std::size_t width)
{
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

/// {"x": [8, 2, 16]} of inputs that were made smaller.
void writeProof(JsonWriter& out, const ShardProof& proof)
{
    out.member("equal", proof.equal);
    if (proof.reduced.empty())
        return;
    out.key("reduced");
    out.beginObject();
    for (const ReducedInput& input : proof.reduced) {
        out.key(input.tensor);
        out.beginCompactArray();
        for (const std::int64_t size : input.run)
            out.integer(size);
        out.endArray();
    }
    out.endObject();
}

std::string proofText(const ShardProof& proof)
{
    std::string out = proof.equal ? "run: whole and partitioned are equal\n" : "run: whole and partitioned DIFFER\n";
    for (const ReducedInput& input : proof.reduced)
        out += "    on smaller dims: " + paddedCell(input.tensor, 16) + shapeText(input.before) + " as " + shapeText(input.run) + '\n';
    return out;
}

void writeRemoval(JsonWriter& out, const ShardAnswer& answer, const ShardRemoval& removal)
{
    const PartitionedProgram& program = answer.plan->program;
    const ProgramStep& step = program.steps[removal.step];
    out.beginObject();
    out.member("kind", collectiveWord(program, step));
    out.member("tensor", program.value(step.out).name);
    writeAxes(out, program.mesh, "axes", step.axes);
    out.member("phase", step.backward ? "backward" : "forward");
    out.member("change", removal.text);
    out.member("annotated", answer.problem->graph.tensor(removal.tensor).name);
    out.key("dims");
    if (removal.note) {
        out.beginCompactArray();
        for (const AxisList& axes : *removal.note->dims) {
            out.beginCompactArray();
            for (const AxisPart& part : axes)
                out.string(axisText(program.mesh, part));
            out.endArray();
        }
        out.endArray();
    } else {
        out.null();
    }
    if (removal.finishPs >= 0) {
        writeNanoseconds(out, "finish_ns", removal.finishPs);
        writeNanoseconds(out, "gain_ns", answer.times->finishPs - removal.finishPs);
    } else {
        out.member("problem", removal.problem);
    }
    out.endObject();
}

void writeTimes(JsonWriter& out, const ShardAnswer& answer)
{
    writeNanoseconds(out, "finish_ns", answer.times->finishPs);
    writeNanoseconds(out, "compute_ns", answer.times->computePs);
    writeNanoseconds(out, "exposed_comm_ns", answer.times->exposedPs);
    out.member("model", modelName(answer.times->record.model));
    out.member("version", answer.times->record.version);
    out.member("fingerprint", answer.times->record.fingerprint.hex());
    out.key("removals");
    out.beginArray();
    for (const ShardRemoval& removal : answer.removals)
        writeRemoval(out, answer, removal);
    out.endArray();
}

std::string timesText(const ShardAnswer& answer)
{
    std::string out = "simulated: " + showTime({answer.times->finishPs}) + ", of it computing " + showTime({answer.times->computePs}) + ", waiting for communication "
        + showTime({answer.times->exposedPs}) + '\n';
    std::size_t of = SIZE_MAX;
    for (const ShardRemoval& removal : answer.removals) {
        const PartitionedProgram& program = answer.plan->program;
        const ProgramStep& step = program.steps[removal.step];
        if (of != removal.step)
            out += "what would remove " + std::string(collectiveWord(program, step)) + " of " + program.value(step.out).name + " over " + axesText(program.mesh, step.axes) + (step.backward ? ", backward:\n" : ":\n");
        of = removal.step;
        const std::int64_t gain = answer.times->finishPs - removal.finishPs;
        out += "    " + removal.text + ": " + (removal.finishPs < 0 ? removal.problem : showTime({removal.finishPs}) + (gain == 0 ? ", as now" : gain > 0 ? ", " + showTime({gain}) + " less" : ", " + showTime({-gain}) + " more")) + '\n';
    }
    return out;
}

} // namespace

std::string shardJson(const ShardAnswer& answer, const std::stop_token& stop)
{
    const ShardPlan& plan = *answer.plan;
    const ShardTimes* const times = answer.times ? &*answer.times : nullptr;
    const PartitionedProgram& program = plan.program;
    JsonWriter out(stop);
    out.beginObject();
    out.member("schema", 1);
    out.key("result");
    out.beginObject();
    out.member("devices", program.mesh.devices());
    out.key("tensors");
    out.beginObject();
    LocalRows known;
    for (std::size_t t = 0; t < program.graph.tensors.size(); ++t)
        writeTensor(out, plan, t, known);
    out.endObject();
    out.key("collectives");
    out.beginArray();
    for (const ProgramStep& step : program.steps) {
        if (isCollective(step.kind))
            writeCollective(out, program, step, times);
    }
    out.endArray();
    out.key("conflicts");
    out.beginArray();
    for (const LayoutConflict& conflict : program.conflicts) {
        out.beginCompactObject();
        out.member("from", conflict.from);
        out.member("to", conflict.to);
        out.member("reshard", conflict.reshard);
        out.endObject();
    }
    out.endArray();
    if (answer.proof)
        writeProof(out, *answer.proof);
    if (times)
        writeTimes(out, answer);
    out.endObject();
    out.endObject();
    return out.text() + '\n';
}

std::string shardText(const ShardAnswer& answer)
{
    const ShardPlan& plan = *answer.plan;
    const PartitionedProgram& program = plan.program;
    std::string out = "mesh ";
    for (const MeshAxis& axis : program.mesh.axes)
        out += axis.name + "=" + std::to_string(axis.size) + " ";
    out += "(" + std::to_string(program.mesh.devices()) + " devices)\n\n";
    for (std::size_t t = 0; t < program.graph.tensors.size(); ++t) {
        const GraphTensor& tensor = program.graph.tensors[t];
        const Layout layout{plan.propagated[t], program.unreducedByOp[t], ReduceKind::Sum};
        out += paddedCell(tensor.name, 20) + paddedCell(shapeText(tensor.shape), 28) + paddedCell(layoutText(program.mesh, layout), 30) + shapeText(localShape(tensor.shape, layout)) + '\n';
    }
    std::int64_t sent = 0;
    std::string rows;
    for (const ProgramStep& step : program.steps) {
        if (!isCollective(step.kind) || step.kind == StepKind::Slice)
            continue;
        sent += step.sent;
        const std::int64_t ps = answer.times ? answer.times->stepPs[static_cast<std::size_t>(&step - program.steps.data())] : -1;
        rows += paddedCell(std::string(collectiveWord(program, step)), 16) + paddedCell(program.value(step.out).name, 20) + paddedCell(axesText(program.mesh, step.axes), 10) + paddedCell(step.backward ? "backward" : "forward", 10)
            + paddedCell(showBytes(Bytes{step.sent}) + " sent", 20) + (ps >= 0 ? paddedCell(showTime({ps}), 14) : "") + (step.runnerUp ? "instead of " + step.runnerUp->kind + " of " + step.runnerUp->tensor + ", " + showBytes(Bytes{step.runnerUp->sent}) : "") + '\n'
            + "    " + step.cause.text + '\n';
    }
    out += rows.empty() ? "\nno communication\n" : "\n" + rows + "sent per device " + showBytes(Bytes{sent}) + '\n';
    for (const LayoutConflict& conflict : program.conflicts)
        out += "conflict: " + conflict.from + " and " + conflict.to + ": " + conflict.reshard + '\n';
    if (answer.proof)
        out += proofText(*answer.proof);
    return answer.times ? out + timesText(answer) : out;
}

} // namespace fabricscope::cli
