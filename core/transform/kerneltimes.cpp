#include "core/transform/kerneltimes.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope::transform {

namespace {

PartKind partOf(const Stage& stage)
{
    switch (stage.op) {
    case Op::ReduceScatter: return PartKind::ReduceScatter;
    case Op::AllGather: return PartKind::AllGather;
    case Op::Send: return PartKind::Send;
    case Op::AllReduce: return stage.isScalarAllReduce() ? PartKind::ScalarAllReduce : PartKind::AllReduce;
    case Op::Reduce: return PartKind::Reduce;
    case Op::Broadcast: return PartKind::Broadcast;
    default: return PartKind::Compute;
    }
}

/// Bytes a rank reads of an operand: of a replicated one beside slices only the part that lines up with the slice of the result.
std::int64_t bytesRead(const TensorProgram& program, const Stage& stage, const Operand& operand)
{
    Value value = operandValue(program, operand);
    const bool elementwise = isPointwise(stage.op);
    if (elementwise && value.layout.isReplicated() && stage.value.layout.isSliced()) {
        const std::int32_t dim = stage.value.layout.dim - static_cast<std::int32_t>(stage.value.shape.size() - value.shape.size());
        if (dim >= 0)
            value.layout = Layout::sliced(dim);
    }
    return bytesPerRank(value, program.ranks);
}

std::int64_t logicalBytes(const TensorProgram& program, const Stage& stage)
{
    const Value& value = *program.find(stage.in[0].name);
    return elementsOf(value.shape) * bytesOf(value.type);
}

SimTime larger(SimTime a, SimTime b)
{
    return a < b ? b : a;
}

/// Stages of a fused all-reduce by how many scalar all-reduces lie before them.
struct BarrierLevels {
    std::map<std::int32_t, std::int32_t> ofStage;
    std::int32_t last = 0;
};

BarrierLevels barrierLevels(const TensorProgram& program, const Kernel& kernel)
{
    BarrierLevels levels;
    for (const std::int32_t number : kernel.stages) {
        const Stage& stage = program.stages[at(number)];
        std::int32_t level = 0;
        for (const Operand& operand : stage.in) {
            if (const auto known = levels.ofStage.find(program.indexOf(operand.name)); known != levels.ofStage.end())
                level = std::max(level, known->second);
        }
        level += stage.isScalarAllReduce() ? 1 : 0;
        levels.ofStage[number] = level;
        levels.last = std::max(levels.last, level);
    }
    return levels;
}

} // namespace

std::int64_t trafficOf(const TensorProgram& program, const Kernel& kernel, const std::vector<std::int32_t>& stages)
{
    const auto inKernel = [&](std::int32_t number) { return std::find(kernel.stages.begin(), kernel.stages.end(), number) != kernel.stages.end(); };
    std::map<std::pair<std::string, std::int32_t>, std::int64_t> reads;
    std::int64_t bytes = 0;
    for (const std::int32_t number : stages) {
        const Stage& stage = program.stages[at(number)];
        for (const Operand& operand : stage.in) {
            if (!inKernel(program.indexOf(operand.name))) {
                std::int64_t& most = reads[{operand.name, operand.slice.value_or(-1)}];
                most = std::max(most, bytesRead(program, stage, operand));
            }
        }
        const Stage* const next = overtakingUpdate(program, stage);
        const bool overtaken = next && inKernel(program.indexOf(next->name)); // It stays in registers.
        bool written = program.isOutput(stage.name) || (stage.op == Op::Update && !overtaken);
        bool read = false;
        for (std::size_t i = 0; i < program.stages.size(); ++i) {
            for (const Operand& operand : program.stages[i].in) {
                read = read || operand.name == stage.name;
                written = written || (operand.name == stage.name && !inKernel(static_cast<std::int32_t>(i)));
            }
        }
        if (written || !read)
            bytes += bytesPerRank(stage.value, program.ranks);
    }
    for (const auto& [name, count] : reads)
        bytes += count;
    return bytes;
}

Result<SimTime> KernelTimer::memoryTime(std::int64_t bytes) const
{
    const auto& bandwidth = m_setup.design.platform->npu.memoryBandwidth;
    if (!bandwidth)
        return invalidInput("the memory bandwidth of the NPU is needed for computations", m_setup.design.place("platform.npu"), "npu: {memory_bandwidth: 792 GB/s}");
    __extension__ using Wide = __int128;
    const Bandwidth rate = toBandwidth(*bandwidth);
    if (rate.bytesPerSecond < 1 || Wide{bytes} * kPsPerSecond / rate.bytesPerSecond > kPsPerSecond * 100'000)
        return invalidInput("a computation moves " + std::to_string(bytes) + " bytes, which takes more than a day", {}, "smaller tensors");
    return serialisationDelay({bytes}, rate);
}

Result<SimTime> KernelTimer::workTime(const Work& work) const
{
    auto memory = memoryTime(work.bytes);
    if (!memory || work.flops == 0)
        return memory;
    const auto& peak = m_setup.design.platform->npu.peak;
    if (!peak)
        return invalidInput("the peak rate of the NPU is needed for products", m_setup.design.place("platform.npu"), "npu: {peak: 100 TFLOP/s}");
    __extension__ using Wide = __int128;
    const ComputeRate rate = toComputeRate(*peak);
    if (rate.flopsPerSecond < 1 || Wide{work.flops} * kPsPerSecond / rate.flopsPerSecond > kPsPerSecond * 100'000)
        return invalidInput("a product takes more than a day", {}, "smaller tensors");
    return larger(memory.value(), SimTime{mulDivCeil(work.flops, kPsPerSecond, rate.flopsPerSecond)});
}

Result<KernelTime> KernelTimer::time(const TensorProgram& program, const Kernel& kernel)
{
    auto taken = timeOf(program, kernel);
    if (!taken)
        return taken;
    std::int32_t kind = 0;
    for (const std::int32_t number : kernel.stages) {
        const Stage& stage = program.stages[at(number)];
        kind = std::max(kind, stage.op == Op::Send ? 2 : isCollective(stage.op) ? 1 : 0);
    }
    const Stage& first = program.stages[at(kernel.stages.front())];
    const std::int32_t group = first.value.group - (first.op == Op::Send ? 1 : 0);
    taken.value().resource = 3 * group + kind;
    return taken;
}

Result<KernelTime> KernelTimer::timeOf(const TensorProgram& program, const Kernel& kernel)
{
    const Stage& first = program.stages[at(kernel.stages.front())];
    if (kernel.stages.size() == 1 && isCommunication(first.op))
        return communication(program, first);
    for (const std::int32_t number : kernel.stages) {
        if (program.stages[at(number)].op == Op::ReduceScatter)
            return fusedCollective(program, kernel);
        if (program.stages[at(number)].op == Op::Send)
            return fusedSend(program, kernel);
    }
    return computation(program, kernel);
}

Result<KernelTime> KernelTimer::communication(const TensorProgram& program, const Stage& stage)
{
    KernelTime time;
    time.communicates = true;
    if (stage.op == Op::Send) {
        time.bytes = bytesPerRank(stage.value, program.ranks);
        auto sent = m_comm.send(time.bytes);
        if (!sent)
            return sent.error();
        time.stream = sent.value();
    } else {
        time.bytes = logicalBytes(program, stage);
        auto taken = m_comm.collective(stage.op, time.bytes, stage.isScalarAllReduce());
        if (!taken)
            return taken.error();
        time.stream = taken.value().time;
        time.algorithm = taken.value().algorithm;
    }
    time.parts = {{stage.name, partOf(stage), {}, time.stream}};
    return time;
}

Result<KernelTime> KernelTimer::computation(const TensorProgram& program, const Kernel& kernel)
{
    Work work{trafficOf(program, kernel, kernel.stages), 0};
    const Stage& stage = program.stages[at(kernel.stages.front())];
    if (stage.op == Op::MatMul || stage.op == Op::Conv) {
        // A product of [rows, inner] and [inner, columns] takes 2 * rows * inner * columns operations.
        const Value right = operandValue(program, stage.in[1]);
        const Extents part = localShape(right, program.ranks, 0);
        const std::int64_t columns = part.back();
        const std::int64_t inner = elementsOf(part) / std::max<std::int64_t>(columns, 1);
        const std::int64_t outputs = elementsPerRank(stage.value, program.ranks);
        __extension__ using Wide = __int128;
        const Wide flops = Wide{2} * outputs * inner;
        if (flops > INT64_MAX)
            return Error{ErrorCode::InvalidInput, "stage " + stage.name + ": the product is too large", stage.place, "less than 2^63 operations"};
        work.flops = static_cast<std::int64_t>(flops);
    }
    auto taken = workTime(work);
    if (!taken)
        return taken.error();
    KernelTime time;
    time.launch = toSimTime(m_setup.launch);
    time.stream = taken.value();
    time.bytes = work.bytes;
    time.parts = {{stage.name, PartKind::Compute, {}, time.launch + time.stream}};
    return time;
}

Result<KernelTime> KernelTimer::fusedSend(const TensorProgram& program, const Kernel& kernel)
{
    std::vector<std::int32_t> computations;
    const Stage* send = nullptr;
    for (const std::int32_t number : kernel.stages) {
        if (program.stages[at(number)].op == Op::Send)
            send = &program.stages[at(number)];
        else
            computations.push_back(number);
    }
    auto time = communication(program, *send);
    if (!time)
        return time;
    auto copied = memoryTime(trafficOf(program, kernel, computations));
    if (!copied)
        return copied.error();
    time.value().parts.insert(time.value().parts.begin(), {program.stages[at(computations.front())].name, PartKind::Compute, {}, copied.value()});
    time.value().stream = larger(time.value().stream, copied.value());
    time.value().parts.back().end = time.value().stream;
    return time;
}

Result<KernelTime> KernelTimer::fusedCollective(const TensorProgram& program, const Kernel& kernel)
{
    const BarrierLevels levels = barrierLevels(program, kernel);
    FusedWork work;
    work.levels.resize(at(levels.last) + 1);
    std::vector<std::vector<std::int32_t>> computations(work.levels.size());
    std::vector<const Stage*> gathers;
    const Stage* scatter = nullptr;
    for (const std::int32_t number : kernel.stages) {
        const Stage& stage = program.stages[at(number)];
        FusedLevel& level = work.levels[at(levels.ofStage.at(number))];
        if (stage.op == Op::ReduceScatter) {
            scatter = &stage;
        } else if (stage.op == Op::AllGather) {
            gathers.push_back(&stage);
        } else if (stage.isScalarAllReduce()) {
            level.scalarBytes += bytesOf(stage.value.type);
            level.scalar = level.scalar.empty() ? stage.name : level.scalar;
        } else {
            computations[at(levels.ofStage.at(number))].push_back(number);
            level.computation = level.computation.empty() ? stage.name : level.computation;
        }
    }
    work.scatter = scatter->name;
    work.gather = gathers.empty() ? std::string() : gathers.front()->name;
    work.isAllReduce = gathers.size() == 1 && logicalBytes(program, *gathers.front()) == logicalBytes(program, *scatter);
    for (std::size_t level = 0; level < computations.size(); ++level) {
        auto taken = memoryTime(trafficOf(program, kernel, computations[level]));
        if (!taken)
            return taken.error();
        work.levels[level].computing = taken.value();
    }
    KernelTime time;
    time.communicates = true;
    time.bytes = logicalBytes(program, *scatter);
    auto scattered = m_comm.collective(Op::ReduceScatter, time.bytes);
    if (!scattered)
        return scattered.error();
    time.algorithm = scattered.value().algorithm;
    work.scattering = scattered.value().time;
    for (const Stage* const gather : gathers) {
        auto taken = m_comm.collective(Op::AllGather, logicalBytes(program, *gather));
        if (!taken)
            return taken.error();
        work.gathering += taken.value().time;
    }
    return levels.last == 0 ? streamed(std::move(work), std::move(time)) : withBarriers(work, std::move(time));
}

/// What is computed on a chunk is hidden behind the other chunks.
Result<KernelTime> KernelTimer::streamed(FusedWork work, KernelTime time)
{
    if (work.isAllReduce) {
        auto whole = m_comm.collective(Op::AllReduce, time.bytes);
        if (!whole)
            return whole.error();
        time.algorithm = whole.value().algorithm;
        work.scattering = {std::min(work.scattering.ps, whole.value().time.ps)};
        work.gathering = whole.value().time - work.scattering;
    }
    const FusedLevel& level = work.levels.front();
    time.stream = larger(work.scattering + work.gathering, level.computing);
    time.parts.push_back({work.scatter, PartKind::ReduceScatter, {}, work.scattering});
    if (level.computing.ps > 0) {
        const SimTime end = larger(time.stream - work.gathering, level.computing);
        time.parts.push_back({level.computation, PartKind::Compute, end - level.computing, end});
    }
    if (!work.gather.empty())
        time.parts.push_back({work.gather, PartKind::AllGather, time.stream - work.gathering, time.stream});
    return time;
}

/// All chunks are reduced, then the scalars, then what depends on them and the all-gathers.
Result<KernelTime> KernelTimer::withBarriers(const FusedWork& work, KernelTime time)
{
    const FusedLevel& first = work.levels.front();
    time.stream = larger(work.scattering, first.computing);
    time.parts.push_back({work.scatter, PartKind::ReduceScatter, {}, work.scattering});
    if (first.computing.ps > 0)
        time.parts.push_back({first.computation, PartKind::Compute, time.stream - first.computing, time.stream});
    SimTime now = time.stream;
    for (std::size_t number = 1; number < work.levels.size(); ++number) {
        const FusedLevel& level = work.levels[number];
        auto taken = m_comm.collective(Op::AllReduce, level.scalarBytes, true);
        if (!taken)
            return taken.error();
        time.parts.push_back({level.scalar, PartKind::ScalarAllReduce, now, now + taken.value().time});
        now += taken.value().time;
        if (level.computing.ps > 0)
            time.parts.push_back({level.computation, PartKind::Compute, now, now + level.computing});
        const bool last = number + 1 == work.levels.size();
        const SimTime behind = last ? larger(work.gathering, level.computing) : level.computing;
        if (last && !work.gather.empty())
            time.parts.push_back({work.gather, PartKind::AllGather, now, now + behind});
        now += behind;
    }
    time.tail = now - time.stream;
    return time;
}

} // namespace fabricscope::transform
