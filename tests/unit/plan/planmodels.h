#pragma once

#include "core/plan/analysis.h"

#include <QtTest/QtTest>

namespace fabricscope::test {

/// A GPT: f = 4h, all biases, layer norms, learned positions, tied table; fp16 with master and moments in fp32.
inline ModelSpec gpt(std::int32_t layers, std::int64_t hidden, std::int32_t heads, std::int64_t vocab = 51200, std::int64_t seq = 2048)
{
    ModelSpec model;
    TransformerSpec& of = model.transformer;
    of.layers = layers;
    of.hidden = hidden;
    of.heads = of.kvHeads = heads;
    of.headDim = static_cast<std::int32_t>(hidden / heads);
    of.ff = 4 * hidden;
    of.vocab = vocab;
    of.seq = of.positionRows = seq;
    return model;
}

/// Axes dp, pp, cp, tp (the fastest) of these sizes; those of 1 are left out.
inline PlanSpec planOf(std::int64_t d, std::int64_t p, std::int64_t c, std::int64_t t)
{
    PlanSpec plan;
    for (const auto& [name, size] : {std::pair{"dp", d}, {"pp", p}, {"cp", c}, {"tp", t}}) {
        if (size == 1)
            continue;
        plan.mesh.axes.emplace_back(name);
        plan.mesh.shape.push_back(size);
    }
    if (plan.mesh.axes.empty()) {
        plan.mesh.axes = {"dp"};
        plan.mesh.shape = {1};
    }
    return plan;
}

inline std::int64_t ranksOf(const PlanSpec& plan)
{
    std::int64_t ranks = 1;
    for (const std::int64_t size : plan.mesh.shape)
        ranks *= size;
    return ranks;
}

inline PlanAnalysis analysed(const ModelSpec& model, const PlanSpec& plan, const PlanNpu& npu = {})
{
    auto analysis = analysePlan(&model, plan, ranksOf(plan), npu);
    if (!analysis)
        qFatal("%s", analysis.error().text().c_str());
    return std::move(analysis).value();
}

inline const PlanMemory& memoryOfRank(const PlanAnalysis& analysis, std::int64_t rank)
{
    for (const PlanMemory& row : analysis.memory) {
        if (row.ranks.contains(rank))
            return row;
    }
    qFatal("no row has rank %lld", static_cast<long long>(rank));
}

/// Sum of a column over the rows that fit.
template <class Fits, class Value>
WideCount summed(const PlanAnalysis& analysis, Fits fits, Value value)
{
    WideCount sum = 0;
    for (const PlanCommunication& row : analysis.communications)
        sum += fits(row) ? WideCount{value(row)} : 0;
    return sum;
}

} // namespace fabricscope::test
