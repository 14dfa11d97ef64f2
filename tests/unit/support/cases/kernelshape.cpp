#include "tests/unit/support/cases/kernelshape.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace fabricscope::test {

using namespace transform;

namespace {

using Members = std::vector<const Stage*>;

bool isNumber(const Value& value) { return value.shape.empty(); }
bool reducesAll(const Stage& stage) { return stage.op == Op::Norm || stage.op == Op::ReduceTensor; }
bool isLoop(const Stage& stage) { return isPointwise(stage.op) || reducesAll(stage) || stage.op == Op::LayerNorm; }

class ShapeCheck {
public:
    explicit ShapeCheck(const TensorProgram& program) : m_program(program)
    {
        int own = -1;
        for (const Stage& stage : program.stages)
            m_kernels[stage.fused != 0 ? stage.fused : own--].push_back(&stage);
    }

    std::string run() const
    {
        for (const auto& [number, members] : m_kernels) {
            if (number > 0 && members.size() < 2)
                return members.front()->name + " is fused with nothing";
            if (number > 0) {
                if (std::string wrong = kernel(members); !wrong.empty())
                    return wrong;
            }
        }
        return chains();
    }

private:
    static bool holds(const Members& members, const std::string& name)
    {
        return std::any_of(members.begin(), members.end(), [&](const Stage* stage) { return stage->name == name; });
    }

    /// What a loop goes through: shape, layout and group of its elements.
    Value loopOf(const Stage& stage) const
    {
        Value value = reducesAll(stage) ? operandValue(m_program, stage.in[0]) : stage.value;
        value.group = stage.value.group;
        value.type = ElementType::Fp32;
        return value;
    }

    std::string kernel(const Members& members) const
    {
        std::map<Op, int> count;
        const Stage* loop = nullptr;
        for (const Stage* const stage : members) {
            ++count[stage->op];
            if (!isLoop(*stage) || isNumber(loopOf(*stage)))
                continue;
            loop = loop ? loop : stage;
            if (!(loopOf(*stage) == loopOf(*loop)))
                return stage->name + " and " + loop->name + " are no one loop";
        }
        const int sums = count[Op::ReduceScatter];
        const int gathers = count[Op::AllGather];
        const int sends = count[Op::Send];
        for (const Stage* const stage : members) {
            const bool scalar = sums == 1 && stage->isScalarAllReduce();
            if (!isLoop(*stage) && !scalar && stage->op != Op::ReduceScatter && stage->op != Op::AllGather && stage->op != Op::Send)
                return stage->name + " is in a kernel that cannot do it";
        }
        if (sums + gathers == 0 && sends == 0)
            return {};
        return sums + gathers > 0 ? collective(members, loop, sums, sends) : message(members, loop, sends);
    }

    /// One ring: partial sums come in, chunks of slices are computed on, whole values go out.
    std::string collective(const Members& members, const Stage* loop, int sums, int sends) const
    {
        if (sums != 1 || sends != 0)
            return members.front()->name + " is in a ring with " + std::to_string(sums) + " reduce_scatters and " + std::to_string(sends) + " sends";
        if (loop && !loopOf(*loop).layout.isSliced())
            return loop->name + " needs more than the chunk at hand";
        for (const Stage& gather : m_program.stages) {
            if (gather.op == Op::AllGather && holds(members, gather.in[0].name) != holds(members, gather.name))
                return gather.name + " is not where " + gather.in[0].name + " is";
        }
        return {};
    }

    std::string message(const Members& members, const Stage* loop, int sends) const
    {
        if (sends != 1)
            return members.front()->name + " is sent twice";
        const Stage& send = **std::find_if(members.begin(), members.end(), [](const Stage* stage) { return stage->op == Op::Send; });
        if (!holds(members, send.in[0].name))
            return send.name + " sends what another kernel makes";
        if (loop && (loopOf(*loop).layout.isLocal() || loop->value.group + 1 != send.value.group))
            return loop->name + " is not what one copies into " + send.name;
        return {};
    }

    int kernelOf(const std::string& name) const
    {
        for (const auto& [number, members] : m_kernels) {
            if (holds(members, name))
                return number;
        }
        return 0;
    }

    /// Whether a chunk of what `maker` makes, along a dimension in which it can, is enough for a chunk of what the reader makes.
    bool takesChunks(const Stage& reader, const Stage& maker) const
    {
        if (isNumber(maker.value) || reducesAll(maker))
            return false;
        if (reader.op != Op::LayerNorm)
            return true;
        switch (maker.op) {
        case Op::AllGather: return operandValue(m_program, maker.in[0]).layout.dim != reader.dim;
        case Op::ReduceScatter: return maker.dim != reader.dim;
        case Op::AllReduce: return maker.value.shape.size() > 1; // Cut along another dimension.
        default: return true;
        }
    }

    std::string chains() const
    {
        std::set<int> taken;
        for (const auto& chain : m_program.overlaps) {
            int before = 0;
            for (const std::string& name : chain) {
                const int number = kernelOf(name);
                if (number == 0)
                    return name + " is in a chain and nowhere else";
                if (!taken.insert(number).second)
                    return name + " is in two places of chains";
                if (before != 0 && !handsOn(m_kernels.at(before), m_kernels.at(number)))
                    return name + " gets nothing chunk by chunk";
                before = number;
            }
        }
        return {};
    }

    bool handsOn(const Members& makers, const Members& readers) const
    {
        bool any = false;
        for (const Stage* const reader : readers) {
            for (const Operand& operand : reader->in) {
                for (const Stage* const maker : makers) {
                    if (maker->name != operand.name)
                        continue;
                    if (!takesChunks(*reader, *maker))
                        return false;
                    any = true;
                }
            }
        }
        return any;
    }

    const TensorProgram& m_program;
    std::map<int, Members> m_kernels; ///< Fused ones by their number, others below 0.
};

} // namespace

std::string wrongKernel(const TensorProgram& program)
{
    return ShapeCheck(program).run();
}

} // namespace fabricscope::test
