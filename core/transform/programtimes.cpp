#include "core/transform/programtimes.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fabricscope::transform {

namespace {

constexpr std::int64_t kChunkBuffer = std::int64_t{4} << 20; ///< Bytes of a chunk per channel.

/// `part` of so many of a time, exact in sum.
SimTime shareOf(SimTime whole, std::int64_t part, std::int64_t parts)
{
    __extension__ using Wide = __int128;
    return {static_cast<std::int64_t>(Wide{whole.ps} * (part + 1) / parts - Wide{whole.ps} * part / parts)};
}

SimTime later(SimTime a, SimTime b)
{
    return a < b ? b : a;
}

std::int32_t channelsOf(const TimingSetup& setup)
{
    // As NCCL: 12 inside a node, 32 across.
    return setup.channels.value_or(setup.design.platform->dimensions.size() > 1 ? 32 : 12);
}

/// One chunk is a buffer of every channel; a round of a ring has as many as ranks.
std::int32_t chunksOf(const TensorProgram& program, const std::vector<const TimedKernel*>& chain, const TimingSetup& setup)
{
    if (setup.chunks)
        return *setup.chunks;
    std::int64_t bytes = 0;
    for (const TimedKernel* const kernel : chain)
        bytes = std::max(bytes, kernel->time.communicates ? kernel->time.bytes : 0);
    const std::int64_t buffer = kChunkBuffer * std::max(channelsOf(setup), 1);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>((bytes + buffer - 1) / buffer, std::min(program.ranks, kMostOverlapChunks), kMostOverlapChunks));
}

/// Chains as single steps, in an order in which they can run. Each: numbers of kernels.
std::vector<std::vector<std::size_t>> stepsOf(const TensorProgram& program, const std::vector<Kernel>& kernels)
{
    TensorProgram joined = program;
    std::vector<std::size_t> kernelOf(program.stages.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        for (const std::int32_t stage : kernels[k].stages)
            kernelOf[at(stage)] = k;
    }
    for (const auto& chain : program.overlaps) {
        ++joined.lastFused;
        for (const std::string& name : chain) {
            const std::int32_t index = program.indexOf(name);
            for (const std::int32_t stage : index < 0 ? std::vector<std::int32_t>() : kernels[kernelOf[at(index)]].stages)
                joined.stages[at(stage)].fused = joined.lastFused;
        }
    }
    std::vector<std::vector<std::size_t>> steps;
    for (const Kernel& step : kernelsOf(joined)) {
        std::vector<std::size_t> members;
        for (const std::int32_t stage : step.stages) {
            if (std::find(members.begin(), members.end(), kernelOf[at(stage)]) == members.end())
                members.push_back(kernelOf[at(stage)]);
        }
        steps.push_back(std::move(members));
    }
    return steps;
}

/// Laying kernels out in time.
class TimeLayout {
public:
    TimeLayout(const TensorProgram& program, const TimingSetup& setup, ProgramTimes& times) : m_program(program), m_setup(setup), m_times(times) {}

    void addAlone(const TimedKernel& kernel)
    {
        for (const KernelPart& part : kernel.time.parts)
            m_times.timeline.push_back({kernel.kernel.name, part.stage, part.kind, m_times.total + part.begin, m_times.total + part.end});
        m_times.total += kernel.time.alone();
    }

    void addChain(const std::vector<std::string>& names, const std::vector<const TimedKernel*>& chain)
    {
        std::vector<KernelTime> kernels;
        for (const TimedKernel* const kernel : chain)
            kernels.push_back(kernel->time);
        const std::int32_t chunks = chunksOf(m_program, chain, m_setup);
        const std::int64_t under = std::max(1, m_setup.sms - channelsOf(m_setup));
        const std::int64_t over = channelsOf(m_setup) == 0 ? under : m_setup.sms;
        const ChainTimes made = scheduleChain(kernels, chunks, over, under);
        OverlapTimes row{names, chunks, 0, m_times.total, m_times.total + made.finish, {}};
        addSpans(row, made);
        // What the others take without the first one: what is beyond is not hidden.
        const std::vector<KernelTime> others(kernels.begin() + 1, kernels.end());
        const SimTime rest = scheduleChain(others, chunks, over, under).finish;
        if (kernels.front().stream.ps > 0)
            row.hiddenShare = std::clamp(1 - static_cast<double>((made.finish - kernels.front().launch - rest).ps) / static_cast<double>(kernels.front().stream.ps), 0.0, 1.0);
        for (std::size_t k = 0; k < chain.size(); ++k)
            addParts(*chain[k], made.begin[k], made.end[k]);
        m_times.total += made.finish;
        m_times.overlaps.push_back(std::move(row));
    }

private:
    static void addSpans(OverlapTimes& row, const ChainTimes& made)
    {
        if (row.chunks > kMostChunkSpans)
            return;
        row.spans = made.spans;
        for (std::vector<ChunkSpan>& kernel : row.spans) {
            for (ChunkSpan& span : kernel)
                span = {row.begin + span.begin, row.begin + span.end};
        }
    }

    /// Parts before a barrier are stretched over the time from the first to the last chunk.
    void addParts(const TimedKernel& kernel, SimTime begin, SimTime end)
    {
        const SimTime head = kernel.time.launch + kernel.time.stream;
        const auto moved = [&](SimTime time) -> SimTime {
            if (time >= head || head.ps == 0)
                return m_times.total + end + (time - head);
            __extension__ using Wide = __int128;
            return {m_times.total.ps + begin.ps + static_cast<std::int64_t>(Wide{time.ps} * (end - begin).ps / head.ps)};
        };
        for (const KernelPart& part : kernel.time.parts)
            m_times.timeline.push_back({kernel.kernel.name, part.stage, part.kind, moved(part.begin), moved(part.end)});
    }

    const TensorProgram& m_program;
    const TimingSetup& m_setup;
    ProgramTimes& m_times;
};

/// Chunks of a chain, placed one after the other.
class ChunkSchedule {
public:
    ChunkSchedule(const std::vector<KernelTime>& kernels, std::int32_t chunks, std::int64_t slowedOver, std::int64_t slowedUnder)
        : m_kernels(kernels)
        , m_chunks(chunks)
        , m_over(slowedOver)
        , m_under(slowedUnder)
        , m_times{std::vector<SimTime>(kernels.size()), std::vector<SimTime>(kernels.size()), {}, std::vector<std::vector<ChunkSpan>>(kernels.size())}
        , m_next(kernels.size(), 0)
    {
        for (std::size_t k = 0; k < kernels.size(); ++k)
            m_times.end[k] = kernels[k].launch;
    }

    ChainTimes run()
    {
        for (std::int64_t left = std::int64_t{m_chunks} * static_cast<std::int64_t>(m_kernels.size()); left > 0; --left)
            place();
        for (std::size_t k = 0; k < m_kernels.size(); ++k)
            m_times.finish = later(m_times.finish, m_times.end[k] + m_kernels[k].tail);
        return std::move(m_times);
    }

private:
    /// The chunk that can start first, of equals that of the later kernel.
    void place()
    {
        std::optional<std::size_t> chosen;
        SimTime start;
        for (std::size_t k = m_kernels.size(); k-- > 0;) {
            if (m_next[k] == m_chunks || (k > 0 && m_next[k - 1] <= m_next[k]))
                continue;
            const SimTime arrived = k > 0 ? m_times.spans[k - 1][at(m_next[k])].end : SimTime{};
            const SimTime able = later(later(m_times.end[k], arrived), m_free[m_kernels[k].resource]);
            if (!chosen || able < start) {
                chosen = k;
                start = able;
            }
        }
        const std::size_t k = *chosen;
        SimTime length = shareOf(m_kernels[k].stream, m_next[k], m_chunks);
        if (!m_kernels[k].communicates && isBesideCommunication(k, start))
            length = {mulDivCeil(length.ps, m_over, m_under)};
        if (m_next[k]++ == 0)
            m_times.begin[k] = start;
        m_times.end[k] = start + length;
        m_free[m_kernels[k].resource] = start + length;
        m_times.spans[k].push_back({start, start + length});
    }

    /// Communication of the chain runs from its first chunk to its last one; behind a kernel that has more to make it cannot have ended.
    bool isBesideCommunication(std::size_t k, SimTime start) const
    {
        for (std::size_t other = 0; other < m_kernels.size(); ++other) {
            if (other == k || !m_kernels[other].communicates || m_next[other] == 0 || m_times.begin[other] > start)
                continue;
            if (other > k || m_next[other] < m_chunks || m_times.end[other] > start)
                return true;
        }
        return false;
    }

    const std::vector<KernelTime>& m_kernels;
    std::int32_t m_chunks;
    std::int64_t m_over;
    std::int64_t m_under;
    ChainTimes m_times;
    std::vector<std::int32_t> m_next;
    std::map<std::int32_t, SimTime> m_free;
};

} // namespace

ChainTimes scheduleChain(const std::vector<KernelTime>& kernels, std::int32_t chunks, std::int64_t slowedOver, std::int64_t slowedUnder)
{
    return ChunkSchedule(kernels, chunks, slowedOver, slowedUnder).run();
}

Result<ProgramTimes> timesOf(const TensorProgram& program, KernelTimer& timer, const TimingSetup& setup)
{
    ProgramTimes times;
    const std::vector<Kernel> kernels = kernelsOf(program);
    std::vector<TimedKernel> timed;
    for (const Kernel& kernel : kernels) {
        auto time = timer.time(program, kernel);
        if (!time)
            return time.error();
        timed.push_back({kernel, std::move(time).value()});
    }
    TimeLayout layout(program, setup, times);
    for (const std::vector<std::size_t>& step : stepsOf(program, kernels)) {
        if (step.size() == 1) {
            layout.addAlone(timed[step.front()]);
        } else {
            // In the order of the chain.
            for (const auto& chain : program.overlaps) {
                std::vector<const TimedKernel*> members;
                bool found = false;
                for (const std::string& name : chain) {
                    for (const std::size_t k : step) {
                        const bool holds = std::any_of(kernels[k].stages.begin(), kernels[k].stages.end(), [&](std::int32_t stage) { return program.stages[at(stage)].name == name; });
                        if (holds)
                            members.push_back(&timed[k]);
                        found = found || (holds && k == step.front());
                    }
                }
                if (found)
                    layout.addChain(chain, members);
            }
        }
        for (const std::size_t k : step)
            times.kernels.push_back(timed[k]);
    }
    return times;
}

} // namespace fabricscope::transform
