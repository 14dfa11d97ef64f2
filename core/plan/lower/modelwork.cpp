#include "core/plan/lower/modelwork.h"

#include "core/base/index.h"
#include "core/model/count.h"
#include "core/plan/kernelseconds.h"
#include "core/plan/lower/layerpieces.h"
#include "core/plan/lower/planworkload.h"
#include "core/plan/sends.h"
#include "core/plan/statebytes.h"

#include <algorithm>
#include <map>

namespace fabricscope {

namespace {

std::int64_t gradientBytesOf(const SpreadModel& spread)
{
    return bytesOf(spread.model->types.grad);
}

/// Puts the pieces of the layers of a stage one behind the other, and notes which units of ZeRO-3 they need.
class StageBuilder {
public:
    StageBuilder(const SpreadModel& spread, const std::vector<LayerPieces>& parts, const NpuKernels* kernels)
        : m_spread(spread)
        , m_parts(parts)
        , m_kernels(kernels)
        , m_gradient(gradientBytesOf(spread))
        , m_zero3(spread.layout->data.zero == 3)
    {
    }

    StageWork run(std::int64_t stage)
    {
        const StageShare& share = m_spread.stages[at(stage)];
        listLayers(stage, share);
        StageWork work;
        if (m_zero3)
            addUnits(share, work);
        for (const Layer& layer : m_layers)
            append(work.forward, m_parts[layer.part].forward, layer, true);
        for (auto layer = m_layers.rbegin(); layer != m_layers.rend(); ++layer) {
            const std::size_t before = work.full.size();
            append(work.full, m_parts[layer->part].full, *layer, false);
            addGradients(work.full, before, *layer);
            append(work.backward, m_parts[layer->part].backward, *layer, false);
            work.weight.push_back(m_parts[layer->part].weight);
            work.weight.back().name = nameOf(*layer, work.weight.back());
            addGradients(work.weight, work.weight.size() - 1, *layer);
        }
        if (m_kernels)
            work.launches = launchesOf(share, work);
        if (!m_spread.layers.kinds.empty())
            work.sendBytes = m_spread.shares->ofTokens(m_spread.layers.kinds.front().boundaryBytes);
        return work;
    }

private:
    struct Layer {
        std::size_t part = 0;      ///< Of the model: kinds, before, after.
        std::int64_t number = -1;  ///< Of the model; -1: no layer.
        std::int32_t unitCount = 0; ///< Units that begin with it, going forward ...
        std::int32_t unit = -1;
        std::int32_t backUnitCount = 0; ///< ... and backward.
        std::int32_t backUnit = -1;
        std::int64_t dense = 0;    ///< Elements whose gradients are there behind its backward pass.
        std::int64_t experts = 0;
        std::int64_t copy = 0;
    };

    /// A backward pass that is split takes as much of the host in each part as of the NPU.
    StageLaunches launchesOf(const StageShare& share, const StageWork& work) const
    {
        const auto layers = static_cast<double>(share.layers());
        const Recompute recompute = m_spread.layout->recompute;
        StageLaunches launches;
        launches.forward = wholePs(launchSeconds(m_kernels->terms, layers, recompute, false));
        launches.full = wholePs(launchSeconds(m_kernels->terms, layers, recompute, true));
        const double input = computing(work.backward);
        const double all = input + computing(work.weight);
        launches.backward = all > 0 ? wholePs(static_cast<double>(launches.full) * 1e-12 * input / all) : 0;
        launches.weight = std::max<std::int64_t>(0, launches.full - launches.backward);
        return launches;
    }

    static double computing(const std::vector<WorkPiece>& pieces)
    {
        double sum = 0;
        for (const WorkPiece& piece : pieces)
            sum += static_cast<double>(std::max<std::int64_t>(0, piece.cost.durationPs));
        return sum;
    }

    void listLayers(std::int64_t stage, const StageShare& share)
    {
        m_layers.clear();
        const std::size_t kinds = m_spread.kinds.size();
        if (share.first)
            m_layers.push_back({kinds, -1, 0, -1, 0, -1, 0, 0, 0});
        const std::int64_t first = m_spread.layout->firstLayer(stage);
        for (std::int64_t i = 0; i < share.layers(); ++i)
            m_layers.push_back({at(m_spread.layers.kindOf[at(first + i)]), first + i, 0, -1, 0, -1, 0, 0, 0});
        if (share.last)
            m_layers.push_back({kinds + 1, -1, 0, -1, 0, -1, 0, 0, 0});
        for (Layer& layer : m_layers) {
            layer.dense = m_spread.part(layer.part).denseParameters;
            layer.experts = m_spread.part(layer.part).expertParameters;
        }
    }

    /// Units are layers of one kind in their order, so many together. Their gradients are there when the first of them is done going back.
    void addUnits(const StageShare& share, StageWork& work)
    {
        struct Open {
            std::size_t first = 0, last = 0;
            std::int64_t layers = 0;
        };
        std::map<std::size_t, Open> open;
        std::vector<Open> units;
        const auto close = [&](std::size_t part) {
            units.push_back(open[part]);
            open.erase(part);
        };
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            const std::size_t part = m_layers[i].part;
            const std::int64_t together = part < m_spread.kinds.size() ? std::max<std::int64_t>(1, m_spread.layout->data.unit) : 1;
            Open& unit = open.try_emplace(part, Open{i, i, 0}).first->second;
            unit.last = i;
            if (++unit.layers == together)
                close(part);
        }
        while (!open.empty())
            close(open.begin()->first);
        std::sort(units.begin(), units.end(), [](const Open& a, const Open& b) { return a.first < b.first; });
        for (const Open& unit : units) {
            const PartShare& part = m_spread.part(m_layers[unit.first].part);
            const auto number = static_cast<std::int32_t>(work.units.size());
            work.units.push_back({part.denseBytes * unit.layers, part.expertBytes * unit.layers});
            addUnit(m_layers[unit.first], m_layers[unit.last], number);
            m_layers[unit.first].dense = part.denseParameters * unit.layers;
            m_layers[unit.first].experts = part.expertParameters * unit.layers;
            for (std::size_t i = unit.first + 1; i <= unit.last; ++i) {
                if (m_layers[i].part == m_layers[unit.first].part)
                    m_layers[i].dense = m_layers[i].experts = 0;
            }
        }
        const std::int64_t last = m_spread.layout->stages() - 1;
        if (share.last && m_spread.hasTableCopy(m_spread.layout->rankOfStage(last))) {
            addUnit(m_layers.back(), m_layers.back(), static_cast<std::int32_t>(work.units.size()));
            work.units.push_back({m_spread.tableBytes, 0});
            m_layers.back().copy = m_spread.tableParameters;
        }
    }

    static void addUnit(Layer& first, Layer& last, std::int32_t number)
    {
        first.unit = first.unit < 0 ? number : first.unit;
        ++first.unitCount;
        last.backUnit = last.backUnit < 0 ? number : last.backUnit;
        ++last.backUnitCount;
    }

    static std::string nameOf(const Layer& layer, const WorkPiece& piece)
    {
        return layer.number < 0 ? piece.name : "layer " + std::to_string(layer.number) + (piece.name == "layer" ? std::string() : ' ' + piece.name);
    }

    static void append(std::vector<WorkPiece>& to, const std::vector<WorkPiece>& pieces, const Layer& layer, bool forward)
    {
        const std::size_t first = to.size();
        for (const WorkPiece& piece : pieces) {
            to.push_back(piece);
            to.back().name = nameOf(layer, piece);
        }
        if (to.size() > first) {
            to[first].unit = forward ? layer.unit : layer.backUnit;
            to[first].unitCount = forward ? layer.unitCount : layer.backUnitCount;
        }
    }

    /// Behind the last computation of the layer.
    void addGradients(std::vector<WorkPiece>& pieces, std::size_t from, const Layer& layer) const
    {
        for (std::size_t i = pieces.size(); i-- > from;) {
            if (pieces[i].kind == WorkPiece::Kind::Collective && i > from)
                continue;
            pieces[i].denseGradients = layer.dense * m_gradient;
            pieces[i].expertGradients = layer.experts * m_gradient;
            pieces[i].copyGradients = layer.copy * m_gradient;
            return;
        }
    }

    const SpreadModel& m_spread;
    const std::vector<LayerPieces>& m_parts;
    const NpuKernels* m_kernels; ///< May be null.
    std::int64_t m_gradient;
    bool m_zero3;
    std::vector<Layer> m_layers;
};

/// What the rank at a place of the pipeline does beside and behind the passes.
class StepBuilder {
public:
    StepBuilder(const SpreadModel& spread, GroupFamilies& families, const NpuKernels* kernels)
        : m_spread(spread)
        , m_layout(*spread.layout)
        , m_families(families)
        , m_kernels(kernels)
        , m_gradient(gradientBytesOf(spread))
    {
    }

    Status prepare()
    {
        for (const auto& [group, into] : {std::pair{&m_layout.denseGroup, &m_dense.group}, {&m_layout.denseShard, &m_dense.shard}, {&m_layout.denseCopies, &m_dense.copies}, {&m_layout.expertDataGroup, &m_experts.group},
                                          {&m_layout.expertShard, &m_experts.shard}, {&m_layout.expertCopies, &m_experts.copies}, {&m_layout.tensorGroup, &m_tensor}}) {
            auto family = m_families.of(*group);
            if (!family)
                return std::move(family).error();
            *into = family.value();
        }
        return preparePairs();
    }

    Result<StepWork> run(std::int64_t place)
    {
        const HeldParameters held = heldParameters(m_spread, place);
        StepWork step;
        step.zero = m_layout.data.zero;
        step.overlap = m_layout.data.overlap;
        step.gatherAgain = m_layout.data.reshard;
        step.prefetch = m_layout.data.prefetch;
        step.bucket = static_cast<std::int64_t>(std::clamp(m_layout.data.bucketMb * 1e6, 1.0, 4e18));
        step.dense = statesOf(m_dense, held.dense, held.denseBytes, m_layout.denseShard.size());
        step.experts = statesOf(m_experts, held.experts, held.expertBytes, m_layout.expertShard.size());
        const std::int64_t times = step.zero == 2 ? m_layout.microBatches : 1;
        for (const StateWork* states : {&step.dense, &step.experts}) {
            if ((states->gradientBytes / step.bucket + 1) > kMaxPlanTasks / times)
                return planError("data.bucket_mb", "buckets of " + std::to_string(step.bucket) + " B make more than " + std::to_string(kMaxPlanTasks) + " collectives", "larger buckets");
        }
        if (m_spread.shares->sequence())
            addSum(step, "norm gradients", held.repeated * m_gradient, m_tensor);
        if (m_layout.isDual())
            addSum(step, "gradients of the other direction", (held.dense + held.experts) * m_gradient, m_pairs);
        if (m_pairs >= 0 && !m_layout.isDual() && (place == 0 || place == m_last))
            addSum(step, "gradients of the tied embedding", m_spread.tableParameters * m_gradient, m_pairs);
        step.optimizer = optimizerCost(held);
        return step;
    }

private:
    Status preparePairs()
    {
        const std::int64_t p = m_layout.pipelineSize;
        m_last = m_layout.rankOfStage(m_layout.stages() - 1);
        std::vector<std::pair<std::int64_t, std::int64_t>> coordinates;
        if (m_layout.isDual()) {
            for (std::int64_t i = 0; i < p / 2; ++i)
                coordinates.emplace_back(i, p - 1 - i);
        } else if (m_spread.layers.tied && p > 1 && m_last != 0) {
            coordinates.emplace_back(0, m_last);
        }
        if (coordinates.empty())
            return {};
        auto family = m_families.pairsAlong(m_layout.pipelineGroup.name + (m_layout.isDual() ? " pairs" : " ends"), m_layout.pipelineAxis, coordinates);
        if (!family)
            return std::move(family).error();
        m_pairs = family.value();
        return {};
    }

    StateWork statesOf(const StateWork& families, std::int64_t elements, std::int64_t bytes, std::int64_t sharers) const
    {
        StateWork states = families;
        states.gradientBytes = elements * m_gradient;
        states.copiedBytes = OpShares::dividedUp(states.gradientBytes, sharers);
        states.parameterBytes = bytes;
        return states;
    }

    static void addSum(StepWork& step, const char* name, std::int64_t bytes, FamilyId family)
    {
        if (family < 0 || bytes == 0)
            return;
        WorkPiece piece;
        piece.kind = WorkPiece::Kind::Collective;
        piece.name = name;
        piece.bytes = bytes;
        piece.family = family;
        step.sums.push_back(std::move(piece));
    }

    /// Every state is read and written once: gradients read, moments and the master copy both, parameters written (manual: pipelines 4).
    TaskWriter::Cost optimizerCost(const HeldParameters& held) const
    {
        const ModelTypes& types = m_spread.model->types;
        const std::int64_t again = types.master == types.param ? bytesOf(types.param) : 0; // Read as well as written.
        const std::int64_t each = m_gradient + bytesOf(types.param) + again + 2 * optimizerBytes(*m_spread.model);
        const std::int64_t elements = OpShares::dividedUp(held.dense, m_layout.denseShard.size()) + OpShares::dividedUp(held.experts, m_layout.expertShard.size());
        constexpr std::int64_t kOperations = 11; // of Adam
        const Count operations = Count(elements) * kOperations;
        const Count bytes = Count(elements) * each;
        return {m_kernels ? wholePs(movingSeconds(*m_kernels, static_cast<double>(bytes.value()))) : -1, operations.value(), bytes.value(), true};
    }

    const SpreadModel& m_spread;
    const PlanLayout& m_layout;
    GroupFamilies& m_families;
    const NpuKernels* m_kernels; ///< May be null.
    std::int64_t m_gradient;
    StateWork m_dense;
    StateWork m_experts;
    FamilyId m_tensor = -1;
    FamilyId m_pairs = -1; ///< The two ends of a tied embedding, or the two ranks with the same stages.
    std::int64_t m_last = 0;
};

} // namespace

Status addModelWork(const SpreadModel& spread, GroupFamilies& families, const NpuKernels* kernels, PipelineWork& work)
{
    const PlanLayout& layout = *spread.layout;
    LayerFamilies inLayers;
    for (const auto& [group, into] : {std::pair{&layout.tensorGroup, &inLayers.tensor}, {&layout.contextGroup, &inLayers.context}, {&layout.expertGroup, &inLayers.experts}}) {
        auto family = families.of(*group);
        if (!family)
            return std::move(family).error();
        *into = family.value();
    }
    std::vector<LayerPieces> parts;
    for (const LayerKind& kind : spread.layers.kinds)
        parts.push_back(piecesOfLayer(spread, kind, inLayers, kernels));
    parts.push_back(piecesBefore(spread, inLayers, kernels));
    parts.push_back(piecesBehind(spread, inLayers, kernels));
    for (std::int64_t stage = 0; stage < layout.stages(); ++stage) {
        work.kindOf.push_back(static_cast<std::int32_t>(work.kinds.size()));
        work.kinds.push_back(StageBuilder(spread, parts, kernels).run(stage));
    }
    StepBuilder steps(spread, families, kernels);
    if (Status status = steps.prepare(); !status)
        return status;
    for (std::int64_t place = 0; place < layout.pipelineSize; ++place) {
        auto step = steps.run(place);
        if (!step)
            return std::move(step).error();
        work.steps.push_back(std::move(step).value());
    }
    return {};
}

} // namespace fabricscope
