#include "core/transform/stagegraph.h"

#include "core/base/index.h"

#include <algorithm>
#include <map>
#include <set>

namespace fabricscope::transform {

namespace {

/// Names that stand for the content of a tensor before each of its updates: those it has, and its gathered form.
struct Versions {
    std::set<std::string> names;
    std::int32_t update = -1;
};

/// Numbers of kernels per stage, in the order of their first stage.
std::vector<std::int32_t> kernelNumbers(const TensorProgram& program, std::int32_t& count)
{
    std::map<std::int32_t, std::int32_t> ofFused;
    std::vector<std::int32_t> numbers;
    count = 0;
    for (const Stage& stage : program.stages) {
        if (stage.fused == 0) {
            numbers.push_back(count++);
            continue;
        }
        const auto [found, added] = ofFused.emplace(stage.fused, count);
        count += added ? 1 : 0;
        numbers.push_back(found->second);
    }
    return numbers;
}

} // namespace

StageGraph::StageGraph(const TensorProgram& program)
    : m_before(program.stages.size())
    , m_after(program.stages.size())
    , m_readers(program.stages.size())
{
    std::map<std::string, std::int32_t, std::less<>> makers;
    std::map<std::string, std::vector<std::int32_t>, std::less<>> readersOf;
    for (std::size_t i = 0; i < program.stages.size(); ++i)
        makers.emplace(program.stages[i].name, static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        for (const Operand& operand : program.stages[i].in) {
            readersOf[operand.name].push_back(number);
            const auto maker = makers.find(operand.name);
            if (maker == makers.end())
                continue;
            join(maker->second, number);
            if (m_readers[at(maker->second)].empty() || m_readers[at(maker->second)].back() != number)
                m_readers[at(maker->second)].push_back(number);
        }
    }
    // Memory that is overwritten: what reads the content of a tensor comes before its next update.
    std::map<std::string, Versions, std::less<>> versions;
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        const Stage& stage = program.stages[i];
        if (stage.op != Op::Update)
            continue;
        const auto number = static_cast<std::int32_t>(i);
        Versions& now = versions[stage.target];
        if (now.update < 0)
            now.names = {stage.target};
        else
            join(now.update, number);
        for (const std::string& name : now.names) {
            for (const std::int32_t reader : readersOf[name]) {
                if (reader != number)
                    join(reader, number);
            }
        }
        now.update = number;
        now.names = {stage.name};
        for (const std::int32_t reader : m_readers[i]) {
            if (program.stages[at(reader)].op == Op::AllGather)
                now.names.insert(program.stages[at(reader)].name);
        }
    }
}

void StageGraph::join(std::int32_t from, std::int32_t to)
{
    std::vector<std::int32_t>& before = m_before[at(to)];
    if (from == to || std::find(before.begin(), before.end(), from) != before.end())
        return;
    before.push_back(from);
    m_after[at(from)].push_back(to);
}

std::int32_t StageGraph::outsideBetween(const std::vector<bool>& members) const
{
    const std::size_t count = members.size();
    std::vector<bool> reached(count, false); // From a member, through outside stages only.
    std::vector<std::int32_t> waiting;
    for (std::size_t i = 0; i < count; ++i) {
        for (const std::int32_t next : members[i] ? m_after[i] : std::vector<std::int32_t>()) {
            if (!members[at(next)] && !reached[at(next)]) {
                reached[at(next)] = true;
                waiting.push_back(next);
            }
        }
    }
    std::int32_t first = -1;
    while (!waiting.empty()) {
        const std::int32_t stage = waiting.back();
        waiting.pop_back();
        for (const std::int32_t next : m_after[at(stage)]) {
            if (members[at(next)])
                first = first < 0 ? stage : std::min(first, stage);
            else if (!reached[at(next)]) {
                reached[at(next)] = true;
                waiting.push_back(next);
            }
        }
    }
    return first;
}

std::vector<Kernel> kernelsOf(const TensorProgram& program)
{
    const StageGraph graph(program);
    std::int32_t count = 0;
    const std::vector<std::int32_t> numbers = kernelNumbers(program, count);
    std::vector<Kernel> kernels(at(count));
    std::vector<std::set<std::int32_t>> before(at(count));
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        Kernel& kernel = kernels[at(numbers[i])];
        if (kernel.stages.empty())
            kernel.name = program.stages[i].name;
        kernel.stages.push_back(static_cast<std::int32_t>(i));
        for (const std::int32_t earlier : graph.before(static_cast<std::int32_t>(i))) {
            if (numbers[at(earlier)] != numbers[i])
                before[at(numbers[i])].insert(numbers[at(earlier)]);
        }
    }
    std::vector<std::vector<std::int32_t>> after(at(count));
    std::vector<std::size_t> open(at(count));
    std::set<std::int32_t> ready;
    for (std::int32_t k = 0; k < count; ++k) {
        open[at(k)] = before[at(k)].size();
        for (const std::int32_t earlier : before[at(k)])
            after[at(earlier)].push_back(k);
        if (open[at(k)] == 0)
            ready.insert(k);
    }
    std::vector<Kernel> ordered;
    while (!ready.empty()) {
        const std::int32_t k = *ready.begin();
        ready.erase(ready.begin());
        ordered.push_back(std::move(kernels[at(k)]));
        for (const std::int32_t next : after[at(k)]) {
            if (--open[at(next)] == 0)
                ready.insert(next);
        }
    }
    if (ordered.size() != at(count))
        ordered.clear();
    return ordered;
}

bool sortStages(TensorProgram& program)
{
    // Inside a kernel the stages are sorted by what they wait for too: all stages as kernels of their own first.
    TensorProgram alone = program;
    for (Stage& stage : alone.stages)
        stage.fused = 0;
    const std::vector<Kernel> single = kernelsOf(alone);
    if (single.empty() && !program.stages.empty())
        return false;
    TensorProgram sorted = program;
    sorted.stages.clear();
    for (const Kernel& kernel : single)
        sorted.stages.push_back(program.stages[at(kernel.stages.front())]);
    const std::vector<Kernel> kernels = kernelsOf(sorted);
    if (kernels.empty() && !program.stages.empty())
        return false;
    std::vector<Stage> stages;
    for (const Kernel& kernel : kernels) {
        for (const std::int32_t stage : kernel.stages)
            stages.push_back(sorted.stages[at(stage)]);
    }
    program.stages = std::move(stages);
    return true;
}

std::vector<bool> kernelFlags(const TensorProgram& program, std::string_view name)
{
    std::vector<bool> flags(program.stages.size(), false);
    const Stage* const named = program.stage(name);
    for (std::size_t i = 0; named && i < flags.size(); ++i)
        flags[i] = &program.stages[i] == named || (named->fused != 0 && program.stages[i].fused == named->fused);
    return flags;
}

} // namespace fabricscope::transform
