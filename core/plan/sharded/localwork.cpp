#include "core/plan/sharded/localwork.h"

#include <algorithm>
#include <bit>
#include <map>

namespace fabricscope {

namespace {

constexpr std::int64_t kMostLocalWork = std::int64_t{1} << 62;

std::int64_t workProduct(std::int64_t a, std::int64_t b)
{
    return b > 0 && a > kMostLocalWork / b ? kMostLocalWork : a * b;
}

std::int64_t workSum(std::int64_t a, std::int64_t b)
{
    return a > kMostLocalWork - b ? kMostLocalWork : a + b;
}

std::int64_t countOfElements(const TensorShape& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count = workProduct(count, size);
    return count;
}

std::int64_t einsumFlops(const GraphOp& op, const std::vector<const ProgramValue*>& in)
{
    std::map<char, std::int64_t> sizes;
    for (std::size_t t = 0; t < in.size(); ++t) {
        for (std::size_t d = 0; d < in[t]->local.size(); ++d)
            sizes[op.letters[t][d]] = in[t]->local[d];
    }
    std::int64_t count = in.size() > 1 ? 2 * static_cast<std::int64_t>(in.size() - 1) : 1;
    for (const auto& [letter, size] : sizes)
        count = workProduct(count, size);
    return count;
}

/// `y`: the side with one element per window; `kernel`: [its sizes, channels of a group, results].
std::int64_t convolutionFlops(const TensorShape& y, const TensorShape& kernel)
{
    return workProduct(2 * countOfElements(y), countOfElements(kernel) / kernel.back());
}

/// Of matrices [.., n, n] n^3 / 3, of systems n^2 per right side, of transforms 5 n log2 n; 0 of what is not known.
std::int64_t opaqueFlops(const GraphOp& op, const std::vector<const ProgramValue*>& in, const TensorShape& out)
{
    const std::int64_t count = countOfElements(out);
    const auto lastOf = [](const TensorShape& shape) { return shape.empty() ? 1 : shape.back(); };
    if (op.function == "cholesky")
        return workProduct(count, lastOf(out)) / 3;
    if (op.function.starts_with("triangular_solve"))
        return workProduct(count, lastOf(in[0]->local));
    std::int64_t points = 1;
    for (std::size_t d = static_cast<std::size_t>(op.batch); d < out.size(); ++d)
        points = workProduct(points, out[d]);
    return op.function.starts_with("fft ") ? workProduct(workProduct(5, count), static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(points))) - 1) : 0;
}

std::int64_t flopsOf(const GraphOp& op, const std::vector<const ProgramValue*>& in, const TensorShape& out)
{
    const std::int64_t count = countOfElements(out);
    switch (op.kind) {
    case GraphOpKind::Einsum:
        return einsumFlops(op, in);
    case GraphOpKind::Conv:
        return convolutionFlops(out, in[1]->local);
    case GraphOpKind::ConvInputGrad:
        return convolutionFlops(in[0]->local, in[1]->local);
    case GraphOpKind::ConvKernelGrad:
        return convolutionFlops(in[1]->local, out);
    case GraphOpKind::Pool:
    case GraphOpKind::PoolGrad:
        return workProduct(countOfElements(in.back()->local), workProduct(op.windows[0].size, op.windows[1].size));
    case GraphOpKind::Reduce:
    case GraphOpKind::ScatterAdd:
    case GraphOpKind::CumSum:
        return countOfElements(in[0]->local);
    case GraphOpKind::Softmax:
    case GraphOpKind::SoftmaxGrad:
    case GraphOpKind::LayerNorm:
    case GraphOpKind::LayerNormGrad:
        return workProduct(5, count);
    case GraphOpKind::Sort:
    case GraphOpKind::SortGrad:
    case GraphOpKind::TopK:
    case GraphOpKind::TopKGrad:
        return workProduct(20, countOfElements(in[0]->local));
    case GraphOpKind::Opaque:
        return opaqueFlops(op, in, out);
    default:
        return isElementwise(op.kind) && op.kind != GraphOpKind::Copy && op.kind != GraphOpKind::Cast ? count : 0;
    }
}

} // namespace

LocalWork localWork(const PartitionedProgram& program, const ProgramStep& step)
{
    std::vector<const ProgramValue*> in;
    for (const ValueId id : step.in)
        in.push_back(&program.value(id));
    const ProgramValue& out = program.value(step.out);
    LocalWork work;
    if (step.kind == StepKind::Input || (step.kind == StepKind::Local && step.local.kind == GraphOpKind::Reshape)) {
        work.free = true;
        return work;
    }
    const std::int64_t written = workProduct(countOfElements(out.local), bytesOf(out.type));
    work.bytes = written;
    if (step.kind == StepKind::Slice || step.kind == StepKind::Window || (step.kind == StepKind::Local && step.local.kind == GraphOpKind::Gather))
        work.bytes = workSum(written, written); // What is left out is not read.
    else
        for (const ProgramValue* value : in)
            work.bytes = workSum(work.bytes, workProduct(countOfElements(value->local), bytesOf(value->type)));
    if (step.kind == StepKind::Local)
        work.flops = flopsOf(step.local, in, out.local);
    return work;
}

} // namespace fabricscope
