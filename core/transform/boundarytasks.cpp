#include "core/transform/boundarytasks.h"

#include "core/base/index.h"
#include "core/transform/kerneltasks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricscope::transform {

namespace {

using Numbers = std::vector<std::int32_t>;

Numbers joined(Numbers first, const Numbers& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

class BoundaryList {
public:
    BoundaryList(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm) : m_kernels(program, times, comm) {}

    Result<std::vector<BoundaryTask>> run()
    {
        for (const KernelTasks::Step& step : m_kernels.steps()) {
            if (Status status = addStep(step); !status)
                return status.error();
        }
        const bool early = std::any_of(m_tasks.begin(), m_tasks.end(), [](const BoundaryTask& task) { return task.behind && task.after.empty(); });
        if (early)
            return Error{ErrorCode::Unsupported, "something runs behind the boundary before the message is there", {}, {}};
        return std::move(m_tasks);
    }

private:
    /// A kernel in its chain; a kernel alone is a chain of one chunk.
    struct Member {
        const TimedKernel* kernel = nullptr;
        bool behind = false;
        std::int32_t chunks = 1;
        SimTime length;     ///< As long as it takes alone, slowed down by communication beside it.
        SimTime firstChunk; ///< From its begin on.
        SimTime lastChunk;
    };

    /// What the next kernel of a chain waits for: to begin, and to be a chunk from its end.
    struct Handover {
        Numbers begun;
        Numbers ended;
    };

    static Member memberOf(const KernelTasks::Step& step, std::size_t number, bool behind)
    {
        const TimedKernel& kernel = *step.kernels[number];
        Member member{&kernel, behind, step.overlap ? step.overlap->chunks : 1, kernel.time.alone(), {}, {}};
        member.firstChunk = kernel.time.launch + SimTime{kernel.time.stream.ps / member.chunks};
        member.lastChunk = {kernel.time.stream.ps / member.chunks};
        if (!step.overlap || kernel.time.communicates || step.overlap->spans.size() <= number)
            return member;
        const std::vector<ChunkSpan>& spans = step.overlap->spans[number];
        SimTime computing;
        for (const ChunkSpan& span : spans)
            computing += span.end - span.begin;
        member.length = kernel.time.launch + computing;
        member.firstChunk = kernel.time.launch + (spans.front().end - spans.front().begin);
        member.lastChunk = spans.back().end - spans.back().begin;
        return member;
    }

    Status addStep(const KernelTasks::Step& step)
    {
        Handover before;
        for (std::size_t number = 0; number < step.kernels.size(); ++number) {
            const Member member = memberOf(step, number, m_sent);
            const std::vector<PartTask> communication = m_kernels.communicationsOf(*member.kernel);
            const bool message = std::any_of(communication.begin(), communication.end(), [](const PartTask& task) { return task.message; });
            if (number == 0)
                before = {m_ends[member.behind ? 1 : 0], {}};
            auto after = message ? addMessage(member, communication.front(), before) : addKernel(member, communication, before);
            if (!after)
                return after.error();
            before = std::move(after).value();
        }
        return {};
    }

    Result<Handover> addKernel(const Member& member, const std::vector<PartTask>& communication, const Handover& before)
    {
        SimTime left = member.length;
        Numbers last = before.begun;
        for (const PartTask& task : communication) {
            const auto taken = m_kernels.alone(task);
            if (!taken)
                return taken.error();
            left = left - taken.value();
            last = {add(task, member.behind, last)};
        }
        if (left.ps > 0)
            last = compute(*member.kernel, left, member.behind, last);
        if (!before.ended.empty()) // Its last chunk is behind that of the kernel before.
            last = joined(std::move(last), beside(*member.kernel, member.lastChunk, member.behind, before.ended));
        m_ends[member.behind ? 1 : 0] = last;
        return Handover{member.chunks > 1 ? beside(*member.kernel, member.firstChunk, member.behind, before.begun) : last, last};
    }

    /// What is computed while it is copied stands out where it takes longer than sending.
    Result<Handover> addMessage(const Member& member, const PartTask& whole, const Handover& before)
    {
        const auto taken = m_kernels.alone(whole);
        if (!taken)
            return taken.error();
        const std::int64_t chunk = member.chunks > 1 ? whole.bytes / member.chunks : 0;
        const std::array<std::int64_t, 3> pieces{chunk, chunk > 0 ? whole.bytes - 2 * chunk : 0, chunk > 0 ? chunk : whole.bytes};
        Numbers ready = joined(before.begun, before.ended);
        const SimTime sending = {taken.value().ps / member.chunks};
        if (member.length > taken.value()) {
            const Numbers computed = compute(*member.kernel, member.length - sending, false, before.begun);
            ready = joined(std::move(ready), computed);
            m_ends[0] = joined(m_ends[0], computed);
        }
        Numbers sent;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            PartTask piece = whole;
            piece.bytes = pieces[i];
            if (piece.bytes > 0)
                sent.push_back(add(piece, false, i + 1 < pieces.size() ? before.begun : ready));
        }
        m_sent = true;
        m_ends[1] = sent;
        return Handover{{sent.front()}, sent};
    }

    std::int32_t add(const PartTask& part, bool behind, const Numbers& after, bool beside = false)
    {
        m_tasks.push_back({part, beside, behind, after});
        return static_cast<std::int32_t>(m_tasks.size()) - 1;
    }

    Numbers compute(const TimedKernel& kernel, SimTime time, bool behind, const Numbers& after, bool beside = false)
    {
        PartTask part;
        part.name = m_kernels.computationOf(kernel);
        part.time = time;
        return {add(part, behind, after, beside)};
    }

    Numbers beside(const TimedKernel& kernel, SimTime time, bool behind, const Numbers& after) { return time.ps > 0 ? compute(kernel, time, behind, after, true) : after; }

    KernelTasks m_kernels;
    std::vector<BoundaryTask> m_tasks;
    bool m_sent = false;
    std::array<Numbers, 2> m_ends; ///< What the next kernel of a group waits for; from the message on that of the one that receives.
};

} // namespace

Result<std::vector<BoundaryTask>> boundaryTasks(const TensorProgram& program, const ProgramTimes& times, CommTimes& comm)
{
    return BoundaryList(program, times, comm).run();
}

} // namespace fabricscope::transform
