#include "core/transform/rewrites.h"

#include "core/base/index.h"
#include "core/transform/rewritetools.h"

#include <algorithm>
#include <map>

namespace fabricscope::transform {

namespace {

using Dims = std::set<std::int32_t>;

Dims allDims(const Value& value)
{
    Dims dims;
    for (std::size_t d = 0; d < value.shape.size(); ++d)
        dims.insert(static_cast<std::int32_t>(d));
    return dims;
}

/// Kernels that shall run chunk by chunk beside each other.
class Chaining {
public:
    Chaining(const TensorProgram& program, const LeftOut& leftOut) : m_program(program), m_leftOut(leftOut) {}

    Rewritten run(const std::vector<std::string>& names)
    {
        if (names.size() < 2)
            return Refusal{Condition::Chain, names.front(), {}, names.front() + " alone is no producer and consumer"};
        if (names.size() > kMostInChain)
            return Refusal{Condition::Chain, names[kMostInChain], {}, "with " + names[kMostInChain] + " the chain has more than " + std::to_string(kMostInChain) + " kernels"};
        std::optional<Refusal> refusal = take(names);
        for (std::size_t i = 1; !refusal && i < names.size(); ++i)
            refusal = checkLink(i, names);
        if (!refusal)
            refusal = checkOutside(names);
        for (std::size_t i = 0; !refusal && i < names.size(); ++i)
            refusal = flow(i, names);
        if (refusal)
            return *std::move(refusal);
        TensorProgram made = m_program;
        made.overlaps.push_back(names);
        if (waitsInRing(made))
            return Refusal{Condition::Convex, names.front(), {}, "this chain and another one would wait for each other"};
        return made;
    }

private:
    bool holds(Condition condition) const { return counts(condition, m_leftOut); }

    std::optional<Refusal> take(const std::vector<std::string>& names)
    {
        m_all.assign(m_program.stages.size(), false);
        for (const std::string& name : names) {
            if (auto unknown = refuseUnknown(m_program, name))
                return unknown;
            if (auto taken = refuseTaken(m_program, name, false); taken && holds(Condition::Free))
                return taken;
            m_kernels.push_back(kernelFlags(m_program, name));
            for (std::size_t i = 0; i < m_all.size(); ++i) {
                if (m_kernels.back()[i] && m_all[i])
                    return Refusal{Condition::Chain, name, {}, name + " is in the same kernel as another stage of the chain"};
                m_all[i] = m_all[i] || m_kernels.back()[i];
            }
        }
        return std::nullopt;
    }

    /// Whether operand `name` is made in kernel `k`.
    bool isMadeIn(const std::string& name, std::size_t k) const
    {
        const std::int32_t index = m_program.indexOf(name);
        return index >= 0 && m_kernels[k][at(index)];
    }

    std::optional<Refusal> checkLink(std::size_t k, const std::vector<std::string>& names) const
    {
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            if (!m_kernels[k][i])
                continue;
            for (const Operand& operand : m_program.stages[i].in) {
                if (isMadeIn(operand.name, k - 1))
                    return std::nullopt;
            }
        }
        if (!holds(Condition::Chain))
            return std::nullopt;
        return Refusal{Condition::Chain, names[k], names[k - 1], names[k] + " reads nothing that the kernel of " + names[k - 1] + " makes: no producer and consumer"};
    }

    std::optional<Refusal> checkOutside(const std::vector<std::string>& names) const
    {
        const std::int32_t outside = StageGraph(m_program).outsideBetween(m_all);
        if (outside < 0 || !holds(Condition::Convex))
            return std::nullopt;
        const std::string& name = m_program.stages[at(outside)].name;
        return Refusal{Condition::Convex, name, {}, name + " is outside of the chain from " + names.front() + " and lies on a path between its kernels"};
    }

    /// Follows the dimensions along which kernel `k` can work chunk by chunk.
    std::optional<Refusal> flow(std::size_t k, const std::vector<std::string>& names)
    {
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            if (!m_kernels[k][i])
                continue;
            const Stage& stage = m_program.stages[i];
            std::optional<Dims> made;
            for (std::size_t number = 0; number < stage.in.size(); ++number) {
                const auto known = m_dims.find(stage.in[number].name);
                if (known == m_dims.end())
                    continue;
                const Dims dims = through(stage, number, known->second);
                const bool fromBefore = k > 0 && !isMadeIn(stage.in[number].name, k);
                const bool reduces = stage.op == Op::Norm || stage.op == Op::ReduceTensor;
                if (fromBefore && (reduces ? known->second.empty() : dims.empty()) && holds(Condition::ChunkWise))
                    return Refusal{Condition::ChunkWise, stage.name, stage.in[number].name, stage.name + " cannot work chunk by chunk along the dimension in which " + stage.in[number].name + " comes"};
                if (!made)
                    made = dims;
                else
                    std::erase_if(*made, [&](std::int32_t dim) { return !dims.contains(dim); });
            }
            m_dims[stage.name] = made ? *made : fresh(stage);
        }
        return k + 1 < names.size() ? checkPassed(k) : std::nullopt;
    }

    /// What the next kernel reads comes in chunks.
    std::optional<Refusal> checkPassed(std::size_t k) const
    {
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            if (!m_kernels[k + 1][i])
                continue;
            for (const Operand& operand : m_program.stages[i].in) {
                if (isMadeIn(operand.name, k) && m_dims.at(operand.name).empty() && holds(Condition::ChunkWise))
                    return Refusal{Condition::ChunkWise, operand.name, operand.name, operand.name + " is not made chunk by chunk, and " + m_program.stages[i].name + " needs it"};
            }
        }
        return std::nullopt;
    }

    /// Dimensions of the result along which a stage makes chunks when all it reads is there.
    Dims fresh(const Stage& stage) const
    {
        switch (stage.op) {
        case Op::ReduceScatter: return {stage.dim};
        case Op::AllGather: return {m_program.find(stage.in[0].name)->layout.dim};
        case Op::Norm:
        case Op::ReduceTensor: return {};
        case Op::LayerNorm: {
            Dims dims = allDims(stage.value);
            dims.erase(stage.dim);
            return dims;
        }
        default: return stage.isScalarAllReduce() ? Dims{} : allDims(stage.value);
        }
    }

    /// Dimensions of the result along which chunks come when operand `number` comes in chunks along `dims`.
    Dims through(const Stage& stage, std::size_t number, const Dims& dims) const
    {
        const Extents& shape = m_program.find(stage.in[number].name)->shape;
        const auto kept = [&](auto keep) {
            Dims made;
            for (const std::int32_t dim : dims) {
                if (keep(dim))
                    made.insert(dim);
            }
            return made;
        };
        const auto last = static_cast<std::int32_t>(shape.size()) - 1;
        switch (stage.op) {
        case Op::MatMul:
            if (number == 0)
                return kept([&](std::int32_t dim) { return dim != last; });
            return dims.contains(1) ? Dims{static_cast<std::int32_t>(stage.value.shape.size()) - 1} : Dims{};
        case Op::Conv: return number == 0 ? kept([](std::int32_t dim) { return dim == 0; }) : kept([](std::int32_t dim) { return dim == 3; });
        case Op::ReduceScatter:
        case Op::Slice: return kept([&](std::int32_t dim) { return dim == stage.dim; });
        case Op::AllGather: return kept([&](std::int32_t dim) { return dim == m_program.find(stage.in[0].name)->layout.dim; });
        case Op::LayerNorm: return kept([&](std::int32_t dim) { return dim != stage.dim; });
        case Op::Norm:
        case Op::ReduceTensor: return {};
        case Op::Expr:
        case Op::Update: {
            Dims made;
            for (const std::int32_t dim : dims)
                made.insert(dim + static_cast<std::int32_t>(stage.value.shape.size() - shape.size()));
            return made;
        }
        default: return dims;
        }
    }

    /// Chains as single nodes.
    static bool waitsInRing(const TensorProgram& program)
    {
        TensorProgram joined = program;
        for (const auto& chain : program.overlaps) {
            ++joined.lastFused;
            for (const std::string& name : chain) {
                const std::vector<bool> kernel = kernelFlags(program, name);
                for (std::size_t i = 0; i < kernel.size(); ++i)
                    joined.stages[i].fused = kernel[i] ? joined.lastFused : joined.stages[i].fused;
            }
        }
        return kernelsOf(joined).empty();
    }

    const TensorProgram& m_program;
    const LeftOut& m_leftOut;
    std::vector<std::vector<bool>> m_kernels;
    std::vector<bool> m_all;
    std::map<std::string, Dims> m_dims;
};

} // namespace

Rewritten overlapKernels(const TensorProgram& program, const std::vector<std::string>& names, const LeftOut& leftOut)
{
    return Chaining(program, leftOut).run(names);
}

} // namespace fabricscope::transform
