#include "core/transform/modelparts.h"

#include "core/model/modelspec.h"
#include "core/plan/layout.h"
#include "core/platform/platform.h"
#include "core/scenario/designplan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricscope::transform {

namespace {

/// A number that reads back as itself.
std::string exactText(double value)
{
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

/// A dimension of the platform and how many of its NPUs a group takes of it.
struct GroupSpan {
    std::size_t dimension = 0;
    std::int64_t size = 1;
};

/// The dimensions that the axes of a group go along, the lowest first; ranks stand on NPUs of the same number. Nothing: an axis goes across a dimension in uneven parts.
std::optional<std::vector<GroupSpan>> groupSpans(const PlanGroup& group, const std::vector<Dimension>& dimensions)
{
    std::vector<GroupSpan> spans;
    std::int64_t stride = 1;
    std::int64_t covered = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::int64_t size = dimensions[i].size;
        std::int64_t inside = 1;
        for (const GroupFamily::Axis& axis : group.axes) {
            // Both are runs of numbers: [stride, stride x size).
            const std::int64_t low = std::max(stride, axis.stride);
            const std::int64_t high = std::min(stride * size, axis.stride * axis.size);
            if (high > low && high % low != 0)
                return std::nullopt;
            if (high > low)
                inside *= high / low;
        }
        if (inside > 1)
            spans.push_back({i, inside});
        covered *= inside;
        stride *= size;
    }
    return covered == group.size() ? std::optional(spans) : std::nullopt;
}

std::string dimensionText(const Dimension& dimension, std::int64_t size)
{
    // A part of a ring is no ring; what leaves an NPU stays the same.
    const bool whole = size == dimension.size;
    const std::string bandwidth = (whole ? std::to_string(dimension.linkBandwidth().bytesPerSecond) : std::to_string(dimension.npuBandwidth().bytesPerSecond)) + " B/s";
    return "      - {shape: " + std::string(whole ? shapeKey(dimension.shape) : shapeKey(Shape::Switch)) + ", size: " + std::to_string(size) + ", bandwidth: " + bandwidth + ", latency: " + std::to_string(dimension.linkLatency().ps) + " ps}\n";
}

std::optional<std::string> elementText(NumberType type)
{
    switch (type) {
    case NumberType::Fp32: return "fp32";
    case NumberType::Fp16: return "fp16";
    case NumberType::Bf16: return "bf16";
    default: return std::nullopt;
    }
}

/// One cutting.
class PartCutter {
public:
    PartCutter(const Design& design, const PlannedWorkload& planned, const PlanLayout& layout, const PlanAnalysis& analysis) : m_design(design), m_model(*planned.model), m_layout(layout), m_analysis(analysis) {}

    Result<PartOfStep> cut(ModelPart part)
    {
        PartOfStep made;
        const Status status = part == ModelPart::Optimizer ? optimizer(made) : part == ModelPart::PipelineBoundary ? boundary(made) : product(made, part == ModelPart::Attention);
        if (!status)
            return status.error();
        if (m_analysis.times)
            made.step = seconds(m_analysis.times->step);
        return made;
    }

private:
    Error refused(const std::string& key, std::string message, std::string expected) const { return invalidInput(std::move(message), m_design.place("workload.plan" + key), std::move(expected)); }
    static SimTime seconds(double value) { return {static_cast<std::int64_t>(std::clamp(value, 0.0, 1e5) * 1e12)}; }

    Result<std::string> typeOf(NumberType type, const char* what) const
    {
        const auto text = elementText(type);
        return text ? Result<std::string>(*text) : Result<std::string>(invalidInput(std::string(what) + " of " + std::string(keyOf(kNumberTypes, type)) + " are not known to transform", m_design.place("workload.model"), "fp32, fp16 or bf16"));
    }

    /// `platform` and what goes with it, of a group and, where it sends to the next one, of two.
    Result<std::string> platformText(const PlanGroup& group, const PlanGroup* next) const
    {
        const PlatformSpec& platform = *m_design.platform;
        auto spans = groupSpans(group, platform.dimensions);
        if (!spans)
            return refused(".mesh", "the ranks of " + group.name + " do not lie evenly in the dimensions of the platform", "axes whose sizes divide the dimensions");
        if (next) {
            const auto far = groupSpans(*next, platform.dimensions);
            if (!far || far->empty())
                return refused(".mesh", "the ranks of " + next->name + " do not lie evenly in the dimensions of the platform", "axes whose sizes divide the dimensions");
            // Neighbours along the pipeline lie in the lowest dimension that it goes along.
            const auto same = std::find_if(spans->begin(), spans->end(), [&](const GroupSpan& span) { return span.dimension == far->front().dimension; });
            if (same != spans->end())
                same->size *= 2;
            else
                spans->push_back({far->front().dimension, 2});
        }
        std::string text = "  platform:\n    dimensions:\n";
        for (const GroupSpan& span : *spans)
            text += dimensionText(platform.dimensions[span.dimension], span.size);
        const NpuSpec& npu = platform.npu;
        if (!npu.memoryBandwidth || !npu.peak)
            return invalidInput("the peak rate and the memory bandwidth of the NPU are needed for computations", m_design.place("platform.npu"), "npu: {peak: 312 TFLOP/s, memory_bandwidth: 2039 GB/s}");
        return text + "    npu: {memory_bandwidth: " + exactText(npu.memoryBandwidth->base()) + " B/s, peak: " + exactText(npu.peak->base()) + " FLOP/s}\n";
    }

    Status finish(PartOfStep& made, std::string text) const
    {
        made.text = std::move(text);
        auto file = readTransformText(made.text, "part of " + (m_design.file.empty() ? std::string("the design") : m_design.file));
        if (!file)
            return file.error();
        made.file = std::move(file).value();
        return {};
    }

    static std::string head(const std::string& what, std::int64_t ranks, bool twice) { return "# " + what + "\nfabricscope: 1\ntransform:\n  ranks: " + std::to_string(ranks) + (twice ? "\n  groups: 2\n" : "\n"); }

    /// Elements of the parameters that a rank has, of the rank with the most.
    std::int64_t elements() const
    {
        std::int64_t bytes = 0;
        for (const PlanMemory& row : m_analysis.memory)
            bytes = std::max(bytes, row.parameters);
        return bytes / fabricscope::bytesOf(m_model.types.param);
    }

    /// Types of an optimizer; what is computed is of the master's type.
    struct OptimizerTypes {
        std::string grad, master, param, moments;
        /// A value of type `from`, cast to `to` where they differ.
        static std::string cast(const std::string& to, const std::string& from, const std::string& what) { return to == from ? what : to + '(' + what + ')'; }
        std::string read(const std::string& type, const std::string& what) const { return cast(master, type, what); }
    };

    Result<OptimizerTypes> optimizerTypes() const
    {
        OptimizerTypes types;
        for (const auto& [type, what, text] : {std::tuple{m_model.types.grad, "gradients", &types.grad}, {m_model.types.master, "master weights", &types.master}, {m_model.types.param, "parameters", &types.param}, {m_model.types.moments, "moments", &types.moments}}) {
            auto found = typeOf(type, what);
            if (!found)
                return found.error();
            *text = std::move(found).value();
        }
        return types;
    }

    Status checkOptimizer() const
    {
        if (m_layout.denseGroup.size() < 2)
            return refused("", "no ranks share parameters, so that nothing is all-reduced before the optimizer", "an axis of data of 2 or more");
        if (m_layout.data.zero > 0)
            return refused(".data.zero", "with ZeRO " + std::to_string(m_layout.data.zero) + " the optimizer is sliced already", "zero: 0");
        if (m_model.family == ComputeFamily::Transformer && m_model.transformer.moe.experts > 0 && m_layout.expertSize > 1)
            return refused(".expert", "experts have groups of their own", "a model without experts, or all of them on every rank");
        if (m_model.optimizer == OptimizerKind::Adafactor)
            return invalidInput("adafactor keeps rows and columns, which transform has no words for", m_design.place("workload.model"), "adam, adamw, lamb, momentum or sgd");
        return {};
    }

    /// Stages of the optimizer; `set`: their names.
    std::string optimizerStages(const OptimizerTypes& types, bool first, bool second, std::string& set) const
    {
        const std::string s = types.read(types.grad, "s");
        const std::string m1 = types.read(types.moments, "m1");
        const std::string v1 = types.read(types.moments, "v1");
        std::string text = "    - {name: s, op: all_reduce, in: [g]}\n";
        const auto add = [&](const std::string& name, const std::string& rest) {
            text += "    - {name: " + name + ", " + rest + "}\n";
            set += (set.empty() ? "" : ", ") + name;
        };
        const auto update = [&](const std::string& tensor, const std::string& expr) { add(tensor + "1", "op: update, target: " + tensor + ", expr: \"" + expr + '"'); };
        const auto moment = [&](const std::string& tensor, const std::string& expr) { update(tensor, OptimizerTypes::cast(types.moments, types.master, expr)); };
        if (first)
            moment("m", "b1*" + types.read(types.moments, "m") + " + (1 - b1)*" + s);
        if (second)
            moment("v", "b2*" + types.read(types.moments, "v") + " + (1 - b2)*" + s + "*" + s);
        const std::string direction = second ? m1 + "/(sqrt(" + v1 + ") + eps)" : first ? m1 : s;
        if (m_model.optimizer == OptimizerKind::Lamb) {
            add("u", "op: expr, expr: \"" + direction + " + decay*w\"");
            add("nw", "op: norm, in: [w]");
            add("nu", "op: norm, in: [u]");
            update("w", "w - lr*nw/nu*u");
        } else {
            update("w", m_model.optimizer == OptimizerKind::AdamW ? "w - lr*(" + direction + " + decay*w)" : "w - lr*" + direction);
        }
        // Parameters of another type than the master copy are cast, and only they are gathered.
        if (types.param != types.master)
            add("p", "op: expr, expr: \"" + types.param + "(w1)\"");
        return text;
    }

    Status optimizer(PartOfStep& made) const
    {
        if (Status status = checkOptimizer(); !status)
            return status;
        const auto types = optimizerTypes();
        if (!types)
            return types.error();
        const auto platform = platformText(m_layout.denseGroup, nullptr);
        if (!platform)
            return platform.error();
        const OptimizerKind kind = m_model.optimizer;
        const bool second = kind == OptimizerKind::Adam || kind == OptimizerKind::AdamW || kind == OptimizerKind::Lamb;
        const bool first = second || kind == OptimizerKind::Momentum;
        const bool mixed = types.value().param != types.value().master;
        std::string text = head("All-reduce of the gradients and " + std::string(keyOf(kOptimizers, kind)), m_layout.denseGroup.size(), false);
        text += "  sizes: {N: " + std::to_string(elements()) + "}\n  scalars: {lr: 0.01, b1: 0.9, b2: 0.999, eps: 0.000001, decay: 0.01}\n  tensors:\n";
        text += "    g: {shape: [N], dtype: " + types.value().grad + ", layout: local}\n    w: {shape: [N], dtype: " + types.value().master + "}\n";
        std::vector<std::string> states;
        for (const auto& [used, tensor] : {std::pair{first, "m"}, {second, "v"}}) {
            if (used) {
                text += std::string("    ") + tensor + ": {shape: [N], dtype: " + types.value().moments + "}\n";
                states.emplace_back(tensor);
            }
        }
        if (mixed)
            states.emplace_back("w");
        std::string set;
        text += "  stages:\n" + optimizerStages(types.value(), first, second, set);
        const std::string output = mixed ? "p" : "w1";
        std::string sliced;
        std::string steps;
        for (const std::string& state : states) {
            sliced += (sliced.empty() ? "" : ", ") + state;
            steps += "    - as_slice " + state + '\n';
        }
        text += "  outputs: [" + output + "]\n  may_slice: [" + sliced + "]\n  schedule:\n    - split s\n    - \"reorder s.ag {" + set + "}\"\n" + steps + "    - \"fuse {s.rs, " + set + ", " + output + ".ag}\"\n" + platform.value();
        if (m_analysis.times)
            made.instead = seconds(m_analysis.times->exposedData + m_analysis.times->optimizer);
        return finish(made, std::move(text));
    }

    /// What stands behind a product or a boundary: bias, dropout, residual.
    std::string residualStages(bool bias, std::string& set) const
    {
        std::string text;
        std::string last = "s";
        const auto add = [&](const char* name, const std::string& stage) {
            text += std::string("    - {name: ") + name + ", " + stage + "}\n";
            set += (set.empty() ? "" : ", ") + std::string(name);
            last = name;
        };
        if (bias)
            add("b", "op: expr, expr: \"s + bias\"");
        if (m_model.transformer.dropout)
            add("d", "op: dropout, in: [" + last + "], rate: 0.1, seed: 1");
        add("o", "op: expr, expr: \"" + last + " + residual\"");
        return text;
    }

    /// Of a micro-batch, on a rank.
    std::int64_t tokens() const { return m_layout.microBatch * m_model.transformer.seq / std::max<std::int64_t>(m_layout.contextSize, 1); }

    Status checkTensor() const
    {
        if (m_layout.tensorSize < 2)
            return refused(".tensor", "no matrices are split over ranks, so that nothing is all-reduced behind them", "an axis of tensor parallelism of 2 or more");
        if (m_layout.tensor.sequenceParallel)
            return refused(".tensor.sequence_parallel", "with sequence parallelism the all-reduce is split already", "sequence_parallel: false");
        return {};
    }

    /// Layers of the rank with the most; `dense`: those without experts.
    std::int64_t layersOfRank(bool dense) const
    {
        std::int64_t most = 0;
        for (std::int64_t place = 0; place < m_layout.pipelineSize; ++place) {
            std::int64_t layers = 0;
            for (const std::int64_t stage : m_layout.stagesOfRank(place)) {
                for (std::int64_t i = 0; i < m_layout.stageLayers[static_cast<std::size_t>(stage)]; ++i)
                    layers += dense && m_model.transformer.hasExperts(static_cast<std::int32_t>(m_layout.firstLayer(stage) + i)) ? 0 : 1;
            }
            most = std::max(most, layers);
        }
        return most;
    }

    Status product(PartOfStep& made, bool attention) const
    {
        if (Status status = checkTensor(); !status)
            return status;
        const TransformerSpec& spec = m_model.transformer;
        if (spec.parallelResidual)
            return invalidInput("attention and feed-forward part share one all-reduce", m_design.place("workload.model"), "parallel_residual: false");
        const std::int64_t inner = attention ? spec.isLatent() ? std::int64_t{spec.heads} * spec.latent.valueDim : spec.queryWidth() : spec.ff;
        if (inner == 0 || (!attention && layersOfRank(true) == 0))
            return invalidInput("every layer has experts: there is no dense feed-forward part", m_design.place("workload.model"), "ff above 0");
        const auto type = typeOf(m_model.types.act, "activations");
        const std::int64_t count = tokens();
        const auto platform = platformText(m_layout.tensorGroup, nullptr);
        for (const Error* const error : {type ? nullptr : &type.error(), platform ? nullptr : &platform.error()}) {
            if (error)
                return *error;
        }
        const bool bias = attention ? spec.outputBias : spec.mlpBias;
        std::string set;
        const std::string behind = residualStages(bias, set);
        std::string text = head(attention ? "Output of attention" : "Output of the feed-forward part", m_layout.tensorSize, false);
        text += "  sizes: {T: " + std::to_string(count) + ", K: " + std::to_string(inner) + ", H: " + std::to_string(spec.hidden) + "}\n  tensors:\n";
        text += "    x: {shape: [T, K], dtype: " + type.value() + ", layout: {sliced: 1}}\n    w: {shape: [K, H], dtype: " + type.value() + ", layout: sliced}\n";
        text += (bias ? "    bias: {shape: [H], dtype: " + type.value() + "}\n" : std::string()) + "    residual: {shape: [T, H], dtype: " + type.value() + "}\n";
        text += "  stages:\n    - {name: y, op: matmul, in: [x, w]}\n    - {name: s, op: all_reduce, in: [y]}\n" + behind + "  outputs: [o]\n";
        text += "  schedule:\n    - split s\n    - \"reorder s.ag {" + set + "}\"\n    - \"fuse {s.rs, " + set + ", o.ag}\"\n    - overlap y s.rs\n" + platform.value();
        // Every layer of a rank in every slot of the pipeline; with two directions each has its own half of the micro-batches.
        made.count = layersOfRank(!attention) * (m_layout.microBatchesOfStage() + m_layout.pipelineSize - 1);
        return finish(made, std::move(text));
    }

    Status boundary(PartOfStep& made) const
    {
        if (m_layout.pipelineSize < 2)
            return refused(".pipeline", "the model is not split into stages", "an axis of the pipeline of 2 or more");
        if (Status status = checkTensor(); !status)
            return status;
        const TransformerSpec& spec = m_model.transformer;
        const auto type = typeOf(m_model.types.act, "activations");
        const std::int64_t count = tokens();
        const auto platform = platformText(m_layout.tensorGroup, &m_layout.pipelineGroup);
        for (const Error* const error : {type ? nullptr : &type.error(), platform ? nullptr : &platform.error()}) {
            if (error)
                return *error;
        }
        std::string set;
        const std::string behind = residualStages(spec.mlpBias, set);
        std::string text = head("Boundary between two stages of the pipeline", m_layout.tensorSize, true);
        text += "  sizes: {T: " + std::to_string(count) + ", H: " + std::to_string(spec.hidden) + "}\n  tensors:\n    y: {shape: [T, H], dtype: " + type.value() + ", layout: local}\n";
        text += (spec.mlpBias ? "    bias: {shape: [H], dtype: " + type.value() + "}\n" : std::string()) + "    residual: {shape: [T, H], dtype: " + type.value() + "}\n";
        text += "  stages:\n    - {name: s, op: all_reduce, in: [y]}\n" + behind + "    - {name: t, op: send, in: [o]}\n  outputs: [t]\n";
        text += "  schedule:\n    - split s\n    - \"reorder s.ag {" + set + ", t}\"\n    - \"fuse {" + set + ", t}\"\n    - overlap s.rs t t.ag\n" + platform.value();
        // The last micro-batch waits for the others and passes every boundary.
        made.count = m_layout.microBatchesOfStage() + m_layout.pipelineSize - 2;
        return finish(made, std::move(text));
    }

    const Design& m_design;
    const ModelSpec& m_model;
    const PlanLayout& m_layout;
    const PlanAnalysis& m_analysis;
};

} // namespace

Result<PartOfStep> partOfStep(const Design& design, ModelPart part, const std::stop_token& stop)
{
    const auto* const planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    if (!planned || !planned->model)
        return invalidInput("the workload of this design is no plan of a model", design.place("workload"), "workload: {model: ..., plan: ...}");
    if (planned->model->family != ComputeFamily::Transformer && part != ModelPart::Optimizer)
        return invalidInput("the model is no transformer", design.place("workload.model"), "family: transformer");
    if (!design.platform || design.platform->dimensions.empty())
        return invalidInput("a part of a step is cut out of a platform of dimensions", design.place("platform"), "platform: {dimensions: [...]}");
    if (!planned->plan->mesh.deviceOrder.empty() || !design.jobs.empty())
        return invalidInput("a part of a step is cut out where ranks stand on NPUs of their number", design.place("workload.plan.mesh"), "no device_order and no placement");
    const auto analysed = analyseDesign(design, stop);
    if (!analysed)
        return analysed.error();
    std::int64_t ranks = 1;
    for (const std::int64_t size : planned->plan->mesh.shape)
        ranks *= size; // Within bounds: the analysis looked at it.
    const auto layout = layoutOf(planned->model.get(), *planned->plan, ranks);
    if (!layout)
        return layout.error();
    return PartCutter(design, *planned, layout.value(), analysed.value().analysis).cut(part);
}

std::optional<SimTime> stepWith(const PartOfStep& part, SimTime before, SimTime after)
{
    if (!part.step)
        return std::nullopt;
    __extension__ using Wide = __int128;
    const Wide gone = part.instead ? Wide{part.instead->ps} : Wide{before.ps} * part.count;
    const Wide step = Wide{part.step->ps} - gone + Wide{after.ps} * part.count;
    return SimTime{static_cast<std::int64_t>(std::clamp<Wide>(step, 0, INT64_MAX))};
}

} // namespace fabricscope::transform
