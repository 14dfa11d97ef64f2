#include "core/base/index.h"
#include "core/transform/rewritetools.h"
#include "core/transform/stepsearch.h"

#include <algorithm>
#include <set>

namespace fabricscope::transform {

namespace {

using Flags = std::vector<bool>;

/// Steps of one program. Sets are grown along the graph and cut back where a step is refused.
class Candidates {
public:
    explicit Candidates(const TensorProgram& program) : m_program(program), m_graph(program) {}

    void addAll(const std::vector<std::string>& maySlice)
    {
        for (std::size_t i = 0; i < m_program.stages.size(); ++i) {
            const Stage& stage = m_program.stages[i];
            const auto number = static_cast<std::int32_t>(i);
            if (stage.op == Op::AllReduce && !stage.value.shape.empty())
                add({StepKind::Split, {stage.name}, {}});
            if (stage.op == Op::AllGather || stage.op == Op::Send)
                addReorders(number);
            if (stage.op == Op::AllGather)
                add({StepKind::Dead, {stage.name}, {}});
            if (stage.op == Op::ReduceScatter)
                addCollective(number);
            if (stage.op == Op::Send)
                addSend(number);
        }
        for (const std::string& tensor : maySlice)
            add({StepKind::AsSlice, {tensor}, {}});
        addOverlaps();
    }

    std::vector<ScheduleStep> take() { return std::move(m_steps); }

    /// Sets of connected pointwise stages, each as large as is legal.
    void addPointwise()
    {
        TensorProgram now = m_program;
        std::set<std::string> done;
        for (const Stage& first : m_program.stages) {
            if (!isPointwise(first.op) || done.contains(first.name))
                continue;
            ScheduleStep step{StepKind::Fuse, {first.name}, {}};
            for (bool grew = true; grew;) {
                grew = false;
                for (const std::string& name : neighbours(step.names)) {
                    if (done.contains(name) || std::find(step.names.begin(), step.names.end(), name) != step.names.end())
                        continue;
                    ScheduleStep larger = step;
                    larger.names.push_back(name);
                    if (!std::holds_alternative<TensorProgram>(applyStep(now, larger)))
                        continue;
                    step = std::move(larger);
                    grew = true;
                }
            }
            done.insert(step.names.begin(), step.names.end());
            if (step.names.size() < 2)
                continue;
            sortByProgram(step.names);
            now = std::get<TensorProgram>(applyStep(now, step));
            m_steps.push_back(std::move(step));
        }
    }

private:
    const Stage& stageAt(std::int32_t number) const { return m_program.stages[at(number)]; }

    /// Where it is refused, once more without the stage that breaks it and what depends on that.
    void add(ScheduleStep step)
    {
        const bool grown = step.kind == StepKind::Reorder || step.kind == StepKind::Fuse;
        for (std::size_t tries = 0; tries < 8; ++tries) {
            const Rewritten made = applyStep(m_program, step);
            if (std::holds_alternative<TensorProgram>(made)) {
                const std::string text = step.text();
                if (m_texts.insert(text).second)
                    m_steps.push_back(std::move(step));
                return;
            }
            const Refusal& refusal = std::get<Refusal>(made);
            const std::int32_t broken = m_program.indexOf(refusal.stage);
            if (!grown || broken < 0 || !cutBack(step, broken))
                return;
        }
    }

    /// Removes a stage and all behind it from the set; false: nothing is left, or nothing changed.
    bool cutBack(ScheduleStep& step, std::int32_t broken) const
    {
        const std::size_t first = step.kind == StepKind::Reorder ? 1 : 0;
        const Flags behind = reached({broken}, [](const Stage&) { return true; });
        std::vector<std::string> kept(step.names.begin(), step.names.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::size_t i = first; i < step.names.size(); ++i) {
            if (!behind[at(m_program.indexOf(step.names[i]))])
                kept.push_back(step.names[i]);
        }
        const bool changed = kept.size() < step.names.size() && kept.size() > first;
        step.names = std::move(kept);
        return changed;
    }

    void sortByProgram(std::vector<std::string>& names) const
    {
        std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) { return m_program.indexOf(a) < m_program.indexOf(b); });
    }

    std::vector<std::string> neighbours(const std::vector<std::string>& names) const
    {
        std::set<std::int32_t> found;
        for (const std::string& name : names) {
            const std::int32_t number = m_program.indexOf(name);
            for (const auto& list : {m_graph.readers(number), m_graph.before(number)})
                found.insert(list.begin(), list.end());
        }
        std::vector<std::string> out;
        for (const std::int32_t number : found) {
            if (isPointwise(stageAt(number).op))
                out.push_back(stageAt(number).name);
        }
        return out;
    }

    /// What reads from a stage on, through stages that are taken.
    template <typename Take>
    Flags reached(std::vector<std::int32_t> from, Take take) const
    {
        Flags flags(m_program.stages.size(), false);
        for (const std::int32_t number : from)
            flags[at(number)] = true;
        while (!from.empty()) {
            const std::int32_t number = from.back();
            from.pop_back();
            for (const std::int32_t next : m_graph.readers(number)) {
                if (!flags[at(next)] && take(stageAt(next))) {
                    flags[at(next)] = true;
                    from.push_back(next);
                }
            }
        }
        return flags;
    }

    static bool moves(const Stage& stage)
    {
        return isPointwise(stage.op) || stage.op == Op::Norm || stage.op == Op::ReduceTensor || stage.op == Op::LayerNorm || stage.isScalarAllReduce();
    }

    /// Stages that only feed the set, as the norm of a weight.
    void addFeeders(Flags& flags) const
    {
        for (std::size_t i = flags.size(); i-- > 0;) {
            const std::vector<std::int32_t>& readers = m_graph.readers(static_cast<std::int32_t>(i));
            const bool feeds = !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](std::int32_t reader) { return flags[at(reader)]; });
            const Stage& stage = m_program.stages[i];
            if (feeds && moves(stage) && !m_program.isOutput(stage.name) && stage.op != Op::Update)
                flags[i] = true;
        }
    }

    ScheduleStep stepOf(StepKind kind, const Flags& flags, std::int32_t first) const
    {
        ScheduleStep step{kind, {}, {}};
        if (kind == StepKind::Reorder)
            step.names.push_back(stageAt(first).name);
        // Kernels go as a whole: the words name all of it.
        Flags whole(flags.size(), false);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            const Flags kernel = flags[i] ? kernelFlags(m_program, m_program.stages[i].name) : Flags();
            for (std::size_t k = 0; k < kernel.size(); ++k)
                whole[k] = whole[k] || kernel[k];
        }
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (whole[i] && (kind != StepKind::Reorder || static_cast<std::int32_t>(i) != first))
                step.names.push_back(m_program.stages[i].name);
        }
        return step;
    }

    void addReorders(std::int32_t collective)
    {
        const bool send = stageAt(collective).op == Op::Send;
        const auto take = [&](const Stage& stage) { return moves(stage) || (stage.op == Op::Send && !send); };
        Flags all = reached({collective}, take);
        Flags direct(all.size(), false);
        for (const std::int32_t reader : m_graph.readers(collective))
            direct[at(reader)] = all[at(reader)];
        for (const Flags* const flags : {&direct, &all}) {
            Flags more = *flags;
            addFeeders(more);
            more[at(collective)] = false;
            for (const Flags& each : {*flags, more}) {
                if (const ScheduleStep step = stepOf(StepKind::Reorder, each, collective); step.names.size() > 1)
                    add(step);
            }
        }
    }

    /// A reduce-scatter with what is computed on its slices and the all-gathers of that.
    void addCollective(std::int32_t scatter)
    {
        Flags flags = reached({scatter}, [&](const Stage& stage) { return (moves(stage) && (stage.value.layout.isSliced() || stage.value.shape.empty())) || stage.op == Op::AllGather; });
        Flags more = flags;
        addFeeders(more);
        for (const Flags& each : {more, flags})
            add(stepOf(StepKind::Fuse, each, -1));
    }

    /// A send with the kernel that makes what it sends.
    void addSend(std::int32_t send)
    {
        const std::int32_t maker = m_program.indexOf(stageAt(send).in[0].name);
        if (maker < 0)
            return;
        Flags flags = kernelFlags(m_program, stageAt(maker).name);
        flags[at(send)] = true;
        add(stepOf(StepKind::Fuse, flags, -1));
    }

    bool communicates(const std::string& name) const
    {
        const Flags flags = kernelFlags(m_program, name);
        for (std::size_t i = 0; i < flags.size(); ++i) {
            if (flags[i] && isCommunication(m_program.stages[i].op) && !m_program.stages[i].isScalarAllReduce())
                return true;
        }
        return false;
    }

    /// Kernels that read what each kernel makes.
    std::vector<std::set<std::size_t>> readingKernels(const std::vector<Kernel>& kernels) const
    {
        std::vector<std::size_t> kernelOf(m_program.stages.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            for (const std::int32_t stage : kernels[k].stages)
                kernelOf[at(stage)] = k;
        }
        std::vector<std::set<std::size_t>> readers(kernels.size());
        for (std::size_t i = 0; i < kernelOf.size(); ++i) {
            for (const std::int32_t reader : m_graph.readers(static_cast<std::int32_t>(i))) {
                if (kernelOf[at(reader)] != kernelOf[i])
                    readers[kernelOf[i]].insert(kernelOf[at(reader)]);
            }
        }
        return readers;
    }

    /// Chains as long as they are legal, with communication in them.
    void addOverlaps()
    {
        const std::vector<Kernel> kernels = kernelsOf(m_program);
        const std::vector<std::set<std::size_t>> readers = readingKernels(kernels);
        for (std::size_t first = 0; first < kernels.size(); ++first) {
            ScheduleStep step{StepKind::Overlap, {kernels[first].name}, {}};
            std::size_t last = first;
            bool speaks = communicates(kernels[first].name);
            for (bool grew = true; grew;) {
                grew = false;
                for (const std::size_t next : readers[last]) {
                    ScheduleStep longer = step;
                    longer.names.push_back(kernels[next].name);
                    if (!std::holds_alternative<TensorProgram>(applyStep(m_program, longer)))
                        continue;
                    step = std::move(longer);
                    last = next;
                    speaks = speaks || communicates(kernels[next].name);
                    if (speaks)
                        add(step);
                    grew = true;
                    break;
                }
            }
        }
    }

    const TensorProgram& m_program;
    StageGraph m_graph;
    std::vector<ScheduleStep> m_steps;
    std::set<std::string> m_texts;
};

} // namespace

std::vector<ScheduleStep> candidateSteps(const TensorProgram& program, const std::vector<std::string>& maySlice)
{
    Candidates candidates(program);
    candidates.addAll(maySlice);
    return candidates.take();
}

std::vector<ScheduleStep> pointwiseFusions(const TensorProgram& program)
{
    Candidates candidates(program);
    candidates.addPointwise();
    return candidates.take();
}

} // namespace fabricscope::transform
