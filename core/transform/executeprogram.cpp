#include "core/transform/executeprogram.h"

#include "core/base/index.h"
#include "core/base/stop.h"
#include "core/transform/fusedexecution.h"
#include "core/transform/stagegraph.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricscope::transform {

namespace {

std::uint64_t mixed(std::uint64_t value)
{
    // splitmix64.
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
}

/// From 0 to below 1.
double unitOf(std::uint64_t value)
{
    return static_cast<double>(mixed(value) >> 11U) * 0x1p-53;
}

std::uint64_t nameNumber(const std::string& name)
{
    std::uint64_t number = 0xcbf29ce484222325U;
    for (const char c : name)
        number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return number;
}

std::int64_t flatOf(const Extents& shape, const std::vector<std::int64_t>& index)
{
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        flat = flat * shape[d] + index[d];
    return flat;
}

/// Numbers of a declared tensor: the same in every layout, from 0.5 to 1.5, of a local one different on every rank.
double givenNumber(const Tensor& tensor, std::int32_t rank, std::int64_t flat)
{
    const std::uint64_t own = tensor.value.layout.isLocal() ? static_cast<std::uint64_t>(rank) + 1 : 0;
    return 0.5 + unitOf(nameNumber(tensor.name) ^ mixed(static_cast<std::uint64_t>(flat) * 1'000'003U + own));
}

double joined(Join kind, double a, double b)
{
    return kind == Join::Sum ? a + b : kind == Join::Max ? std::max(a, b) : std::min(a, b);
}

double neutral(Join kind)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return kind == Join::Sum ? 0 : kind == Join::Max ? -kInfinity : kInfinity;
}

} // namespace

Execution::Execution(const TensorProgram& program) : m_program(program)
{
    for (const Tensor& tensor : program.tensors)
        m_known.emplace(tensor.name, &tensor.value);
    for (const Stage& stage : program.stages)
        m_known.emplace(stage.name, &stage.value);
    for (const Tensor& tensor : program.tensors) {
        std::vector<RankData>& memory = m_memory[tensor.name];
        for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
            RankData held{localShape(tensor.value, program.ranks, rank), {}};
            const std::int64_t count = elementsOf(held.shape);
            for (std::int64_t i = 0; i < count; ++i)
                held.data.push_back(givenNumber(tensor, rank, flatOf(tensor.value.shape, globalIndex(tensor.value, rank, i))));
            memory.push_back(std::move(held));
        }
    }
}

const std::vector<RankData>& Execution::held(const std::string& name) const
{
    const auto made = m_values.find(name);
    return made == m_values.end() ? m_memory.find(name)->second : made->second;
}

const Layout& Execution::layoutOf(const std::string& name) const
{
    return m_program.find(name)->layout;
}

Execution::Index Execution::globalIndex(const Value& value, std::int32_t rank, std::int64_t flat) const
{
    const Extents shape = localShape(value, m_program.ranks, rank);
    Index at(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        at[d] = flat % shape[d];
        flat /= shape[d];
    }
    if (value.layout.isSliced()) {
        const std::size_t dim = fabricscope::at(value.layout.dim);
        at[dim] += (value.shape[dim] + m_program.ranks - 1) / m_program.ranks * rank;
    }
    return at;
}

std::int64_t Execution::localFlat(const Extents& whole, const Layout& layout, std::int32_t rank, const Index& at) const
{
    const Extents shape = localShape({whole, {}, layout, -1}, m_program.ranks, rank);
    Index own = at;
    if (layout.isSliced()) {
        const std::size_t dim = fabricscope::at(layout.dim);
        own[dim] -= (whole[dim] + m_program.ranks - 1) / m_program.ranks * rank;
        if (own[dim] < 0 || own[dim] >= shape[dim])
            return -1;
    }
    return flatOf(shape, own);
}

double Execution::read(const Operand& operand, std::int32_t rank, const Index& at)
{
    const Value& value = *m_known.find(operand.name)->second;
    // What has fewer dimensions is repeated over the first ones.
    const Index own(at.end() - static_cast<std::ptrdiff_t>(value.shape.size()), at.end());
    const std::int64_t flat = localFlat(value.shape, value.layout, rank, own);
    const std::vector<double>& data = held(operand.name)[fabricscope::at(rank)].data;
    if (flat < 0 || flat >= static_cast<std::int64_t>(data.size())) {
        m_readOutside = true;
        return 0;
    }
    return data[fabricscope::at(flat)];
}

void Execution::store(const std::string& tensor, std::int32_t rank, const Index& at, double value)
{
    const Tensor& target = *m_program.tensor(tensor);
    const std::int64_t flat = localFlat(target.value.shape, target.value.layout, rank, at);
    if (flat >= 0)
        m_memory[tensor][fabricscope::at(rank)].data[fabricscope::at(flat)] = value;
    else
        m_readOutside = true;
}

std::string Execution::writtenBack(const Stage& gather) const
{
    const Stage* const update = m_program.stage(gather.in[0].name);
    const bool back = update && update->op == Op::Update && m_program.tensor(update->target)->value.layout.isReplicated();
    return back ? update->target : std::string();
}

void Execution::allocate(const Stage& stage)
{
    std::vector<RankData>& made = m_values[stage.name];
    made.clear();
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        RankData data{localShape(stage.value, m_program.ranks, rank), {}};
        data.data.resize(fabricscope::at(elementsOf(data.shape)));
        made.push_back(std::move(data));
    }
}

void Execution::computeRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end)
{
    std::vector<double>& made = m_values[stage.name][fabricscope::at(rank)].data;
    for (std::int64_t i = begin; i < end; ++i) {
        const Index at = globalIndex(stage.value, rank, i);
        double value = 0;
        if (stage.op == Op::Dropout) {
            const double mask = unitOf(mixed(stage.seed) ^ static_cast<std::uint64_t>(flatOf(stage.value.shape, at)));
            value = mask < stage.rate ? 0 : read(stage.in[0], rank, at) / (1 - stage.rate);
        } else {
            value = stage.expr.evaluate([&](std::int32_t leaf) { return read(stage.in[fabricscope::at(leaf)], rank, at); });
        }
        made[fabricscope::at(i)] = value;
        if (stage.op == Op::Update)
            store(stage.target, rank, at, value);
    }
}

void Execution::reduceRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end)
{
    std::vector<double>& made = m_values[stage.name][fabricscope::at(rank)].data;
    for (std::int64_t i = begin; i < end; ++i) {
        const Index at = globalIndex(stage.value, rank, i);
        // A slice leaves the rank behind its owner and comes to the owner last.
        double value = neutral(stage.join);
        for (std::int32_t step = 1; step <= m_program.ranks; ++step)
            value = joined(stage.join, value, read(stage.in[0], (rank + step) % m_program.ranks, at));
        made[fabricscope::at(i)] = value;
    }
}

void Execution::gatherRange(const Stage& stage, std::int32_t rank, std::int64_t begin, std::int64_t end)
{
    const Value& slices = *m_program.find(stage.in[0].name);
    const std::vector<double>& from = held(stage.in[0].name)[fabricscope::at(rank)].data;
    const std::string target = writtenBack(stage);
    for (std::int64_t i = begin; i < end; ++i) {
        const Index at = globalIndex(slices, rank, i);
        const std::int64_t flat = flatOf(stage.value.shape, at);
        for (std::int32_t other = 0; other < m_program.ranks; ++other) {
            m_values[stage.name][fabricscope::at(other)].data[fabricscope::at(flat)] = from[fabricscope::at(i)];
            if (!target.empty())
                store(target, other, at, from[fabricscope::at(i)]);
        }
    }
}

void Execution::join(const Stage& stage)
{
    const std::vector<RankData> from = held(stage.in[0].name);
    std::vector<RankData>& made = m_values[stage.name];
    for (std::size_t i = 0; i < made.front().data.size(); ++i) {
        double value = neutral(stage.join);
        for (const RankData& each : from)
            value = joined(stage.join, value, each.data[i]);
        value = stage.ofNorm ? std::sqrt(value) : value;
        for (std::int32_t rank = 0; rank < m_program.ranks; ++rank)
            made[fabricscope::at(rank)].data[i] = stage.op == Op::Reduce && rank != stage.root ? 0 : value;
    }
}

void Execution::compute(const Stage& stage)
{
    allocate(stage);
    if (stage.op == Op::AllReduce || stage.op == Op::Reduce)
        return join(stage);
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank)
        computeOn(stage, rank);
}

void Execution::computeOn(const Stage& stage, std::int32_t rank)
{
    RankData& made = m_values[stage.name][fabricscope::at(rank)];
    const auto count = static_cast<std::int64_t>(made.data.size());
    switch (stage.op) {
    case Op::Expr:
    case Op::Update:
    case Op::Dropout: return computeRange(stage, rank, 0, count);
    case Op::ReduceScatter: return reduceRange(stage, rank, 0, count);
    case Op::AllGather: return gatherRange(stage, rank, 0, static_cast<std::int64_t>(held(stage.in[0].name)[fabricscope::at(rank)].data.size()));
    case Op::Broadcast: made.data = held(stage.in[0].name)[fabricscope::at(stage.root)].data; return;
    case Op::Send: made.data = held(stage.in[0].name)[fabricscope::at(rank)].data; return;
    case Op::Slice:
        for (std::int64_t i = 0; i < count; ++i)
            made.data[fabricscope::at(i)] = read(stage.in[0], rank, globalIndex(stage.value, rank, i));
        return;
    case Op::MatMul: return multiply(stage, rank);
    case Op::Conv: return convolve(stage, rank);
    case Op::LayerNorm: return normalise(stage, rank);
    case Op::Norm:
    case Op::ReduceTensor: made.data = {reduced(stage, rank)}; return;
    case Op::AllReduce:
    case Op::Reduce: return;
    }
}

double Execution::reduced(const Stage& stage, std::int32_t rank) const
{
    const Value& value = *m_program.find(stage.in[0].name);
    const RankData& from = held(stage.in[0].name)[fabricscope::at(rank)];
    const Join kind = stage.op == Op::Norm ? Join::Sum : stage.join;
    double sum = neutral(kind);
    const auto take = [&](double element) { sum = joined(kind, sum, stage.op == Op::Norm ? element * element : element); };
    if (!stage.in[0].slice) {
        for (const double element : from.data)
            take(element);
    } else {
        const Value slice{value.shape, value.type, Layout::sliced(*stage.in[0].slice), -1};
        const std::int64_t count = elementsOf(localShape(slice, m_program.ranks, rank));
        for (std::int64_t i = 0; i < count; ++i)
            take(from.data[fabricscope::at(flatOf(value.shape, globalIndex(slice, rank, i)))]);
    }
    return stage.op == Op::Norm && !stage.partial ? std::sqrt(sum) : sum;
}

void Execution::multiply(const Stage& stage, std::int32_t rank)
{
    const RankData& a = held(stage.in[0].name)[fabricscope::at(rank)];
    const RankData& b = held(stage.in[1].name)[fabricscope::at(rank)];
    RankData& made = m_values[stage.name][fabricscope::at(rank)];
    const std::int64_t inner = std::min(a.shape.back(), b.shape.front());
    m_readOutside = m_readOutside || a.shape.back() != b.shape.front() || made.shape.back() != b.shape.back();
    if (m_readOutside || inner == 0)
        return;
    const std::int64_t columns = b.shape.back();
    for (std::size_t i = 0; i < made.data.size(); ++i) {
        const std::int64_t row = static_cast<std::int64_t>(i) / columns;
        const std::int64_t column = static_cast<std::int64_t>(i) % columns;
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k)
            sum += a.data[fabricscope::at(row * inner + k)] * b.data[fabricscope::at(k * columns + column)];
        made.data[i] = sum;
    }
}

void Execution::convolve(const Stage& stage, std::int32_t rank)
{
    const RankData& x = held(stage.in[0].name)[fabricscope::at(rank)];
    const RankData& k = held(stage.in[1].name)[fabricscope::at(rank)];
    RankData& made = m_values[stage.name][fabricscope::at(rank)];
    m_readOutside = m_readOutside || x.shape[3] != k.shape[2] || made.shape[3] != k.shape[3];
    for (std::size_t i = 0; i < made.data.size() && !m_readOutside; ++i) {
        auto rest = static_cast<std::int64_t>(i);
        const std::int64_t output = rest % made.shape[3];
        const std::int64_t column = (rest /= made.shape[3]) % made.shape[2];
        const std::int64_t row = (rest /= made.shape[2]) % made.shape[1];
        const std::int64_t batch = rest / made.shape[1];
        double sum = 0;
        for (std::int64_t h = 0; h < k.shape[0]; ++h) {
            for (std::int64_t w = 0; w < k.shape[1]; ++w) {
                const std::int64_t fromRow = row * stage.stride + h - stage.pad;
                const std::int64_t fromColumn = column * stage.stride + w - stage.pad;
                if (fromRow < 0 || fromRow >= x.shape[1] || fromColumn < 0 || fromColumn >= x.shape[2])
                    continue;
                for (std::int64_t c = 0; c < x.shape[3]; ++c)
                    sum += x.data[fabricscope::at(flatOf(x.shape, {batch, fromRow, fromColumn, c}))] * k.data[fabricscope::at(flatOf(k.shape, {h, w, c, output}))];
            }
        }
        made.data[i] = sum;
    }
}

/// Mean 0 and variance 1 along one dimension.
void Execution::normalise(const Stage& stage, std::int32_t rank)
{
    constexpr double kEpsilon = 1e-5;
    RankData& made = m_values[stage.name][fabricscope::at(rank)];
    const std::int64_t extent = made.shape[fabricscope::at(stage.dim)];
    std::int64_t stride = 1;
    for (std::size_t d = fabricscope::at(stage.dim) + 1; d < made.shape.size(); ++d)
        stride *= made.shape[d];
    for (std::size_t i = 0; i < made.data.size(); ++i)
        made.data[i] = read(stage.in[0], rank, globalIndex(stage.value, rank, static_cast<std::int64_t>(i)));
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(made.data.size()); ++first) {
        if (first / stride % extent != 0)
            continue;
        double mean = 0;
        double square = 0;
        for (std::int64_t k = 0; k < extent; ++k)
            mean += made.data[fabricscope::at(first + k * stride)];
        mean /= static_cast<double>(extent);
        for (std::int64_t k = 0; k < extent; ++k) {
            const double off = made.data[fabricscope::at(first + k * stride)] - mean;
            square += off * off;
        }
        const double scale = 1 / std::sqrt(square / static_cast<double>(extent) + kEpsilon);
        for (std::int64_t k = 0; k < extent; ++k) {
            double& value = made.data[fabricscope::at(first + k * stride)];
            value = (value - mean) * scale;
        }
    }
}

void Execution::run(const std::stop_token& stop)
{
    for (const Kernel& kernel : kernelsOf(m_program)) {
        checkStop(stop);
        const bool scatters = std::any_of(kernel.stages.begin(), kernel.stages.end(), [&](std::int32_t stage) { return m_program.stages[fabricscope::at(stage)].op == Op::ReduceScatter; });
        if (scatters && kernel.stages.size() > 1) {
            FusedExecution(*this, kernel).run();
            continue;
        }
        for (const std::int32_t stage : kernel.stages)
            compute(m_program.stages[fabricscope::at(stage)]);
    }
}

std::vector<double> Execution::whole(const std::string& name) const
{
    // Of a tensor what its memory holds in the end.
    const Value& value = *m_program.find(name);
    const std::vector<RankData>& data = held(name);
    std::vector<double> out;
    if (value.layout.isLocal()) {
        for (const RankData& each : data)
            out.insert(out.end(), each.data.begin(), each.data.end());
        return out;
    }
    if (value.layout.isReplicated())
        return data.front().data;
    out.resize(fabricscope::at(elementsOf(value.shape)));
    for (std::int32_t rank = 0; rank < m_program.ranks; ++rank) {
        const std::vector<double>& slice = data[fabricscope::at(rank)].data;
        for (std::size_t i = 0; i < slice.size(); ++i)
            out[fabricscope::at(flatOf(value.shape, globalIndex(value, rank, static_cast<std::int64_t>(i))))] = slice[i];
    }
    return out;
}

bool Execution::isSameEverywhere(const std::string& name) const
{
    const std::vector<RankData>& data = held(name);
    if (!layoutOf(name).isReplicated())
        return true;
    constexpr double kTolerance = 1e-9;
    for (const RankData& each : data) {
        for (std::size_t i = 0; i < each.data.size(); ++i) {
            const double a = each.data[i];
            const double b = data.front().data[i];
            if (std::abs(a - b) > kTolerance * std::max(1.0, std::abs(a)))
                return false;
        }
    }
    return true;
}

std::vector<std::string> Execution::updated() const
{
    std::vector<std::string> names;
    for (const Stage& stage : m_program.stages) {
        if (stage.op == Op::Update && std::find(names.begin(), names.end(), stage.target) == names.end())
            names.push_back(stage.target);
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace fabricscope::transform
