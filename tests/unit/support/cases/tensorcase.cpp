#include "tests/unit/support/cases/tensorcase.h"

#include "core/base/index.h"
#include "core/transform/layoutrules.h"
#include "core/transform/stagegraph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fabricscope::test {

using namespace transform;

namespace {

[[noreturn]] void giveUp(const std::string& why)
{
    std::fprintf(stderr, "%s\n", why.c_str());
    std::abort();
}

std::size_t below(std::mt19937_64& random, std::size_t count)
{
    return count == 0 ? 0 : static_cast<std::size_t>(random() % count);
}

bool chance(std::mt19937_64& random, int percent)
{
    return static_cast<int>(random() % 100) < percent;
}

/// Random stages, each kept when the rules of layouts allow it.
class RandomStages {
public:
    explicit RandomStages(std::mt19937_64& random) : m_random(random) {}

    TensorProgram make()
    {
        constexpr std::int32_t kRanks[] = {2, 3, 4, 5};
        m_program.ranks = kRanks[below(m_random, 4)];
        m_program.groups = chance(m_random, 30) ? 2 : 1;
        const std::int64_t rows = chance(m_random, 60) ? m_program.ranks * 2 : m_program.ranks + 1;
        const std::int64_t columns = chance(m_random, 60) ? m_program.ranks * 3 : 4;
        addTensors(rows, columns);
        const std::size_t wanted = 3 + below(m_random, 8);
        addAllReduce("g");
        if (chance(m_random, 30))
            addAllReduce("h");
        for (int tries = 0; tries < 400 && m_program.stages.size() < wanted; ++tries)
            tryStage();
        for (const Stage& stage : m_program.stages) {
            if (chance(m_random, 30))
                m_program.outputs.push_back(stage.name);
        }
        if (m_program.outputs.empty())
            m_program.outputs.push_back(m_program.stages.back().name);
        return m_program;
    }

private:
    void addTensors(std::int64_t rows, std::int64_t columns)
    {
        const auto add = [&](const char* name, Extents shape, Layout layout) {
            m_program.tensors.push_back({name, {std::move(shape), ElementType::Fp32, layout, -1}, {}});
            m_names.emplace_back(name);
        };
        add("g", {rows, columns}, Layout::local());
        add("h", {columns}, Layout::local());
        add("w", {rows, columns}, Layout::replicated());
        add("m", {rows, columns}, Layout::replicated());
        add("b", {columns}, Layout::replicated());
        add("v", {columns}, Layout::replicated());
        add("x", {rows, columns}, Layout::sliced(1));
        add("k", {columns, rows}, Layout::sliced(0));
        add("q", {rows, columns}, Layout::sliced(0));
    }

    void addAllReduce(const char* of)
    {
        Stage stage;
        stage.name = "s" + std::to_string(m_program.stages.size());
        stage.op = Op::AllReduce;
        stage.in = {{of, {}}};
        m_names.push_back(stage.name);
        m_program.stages.push_back(std::move(stage));
    }

    std::string any() { return m_names[chance(m_random, 60) && m_names.size() > 9 ? 9 + below(m_random, m_names.size() - 9) : below(m_random, m_names.size())]; }

    /// The stage that made the content of a tensor last.
    std::string latest(std::string name) const
    {
        for (const Stage& stage : m_program.stages)
            name = stage.op == Op::Update && stage.target == name ? stage.name : name;
        return name;
    }

    ExprTree expression(std::size_t operands)
    {
        static const char* const kOne[] = {"a*0.5 + 1", "sqrt(abs(a))", "max(a, 0.25)", "a*a"};
        static const char* const kTwo[] = {"a + b", "0.9*a + 0.1*b", "a - 0.5*b", "a*b", "a/(1 + abs(b))"};
        static const char* const kThree[] = {"a + b*c", "a - 0.1*b/(abs(c) + 1)"};
        const char* const text = operands == 1 ? kOne[below(m_random, 4)] : operands == 2 ? kTwo[below(m_random, 5)] : kThree[below(m_random, 2)];
        ExprNames names;
        names.scalar = [](std::string_view) { return std::optional<double>(); };
        names.operand = [](std::string_view word) { return std::optional(static_cast<std::int32_t>(word.front() - 'a')); };
        return parseExpr(text, names).value();
    }

    void tryStage()
    {
        static constexpr Op kChoices[] = {Op::Expr, Op::Expr, Op::Expr, Op::Update, Op::Update, Op::AllReduce, Op::AllReduce, Op::ReduceScatter, Op::AllGather, Op::Norm,
                                          Op::ReduceTensor, Op::LayerNorm, Op::Dropout, Op::MatMul, Op::Slice, Op::Send, Op::Reduce, Op::Broadcast};
        Stage stage;
        stage.name = "s" + std::to_string(m_program.stages.size());
        stage.op = kChoices[below(m_random, std::size(kChoices))];
        std::size_t operands = stage.op == Op::MatMul ? 2 : 1;
        if (stage.op == Op::Expr || stage.op == Op::Update)
            operands = 1 + below(m_random, 3);
        if (stage.op == Op::Update) {
            static const char* const kTargets[] = {"w", "m", "b", "v", "q"};
            stage.target = kTargets[below(m_random, 5)];
        }
        for (std::size_t i = 0; i < operands; ++i) {
            const std::string name = latest(i == 0 && stage.op == Op::Update && chance(m_random, 70) ? stage.target : any());
            const bool twice = std::any_of(stage.in.begin(), stage.in.end(), [&](const Operand& operand) { return operand.name == name; });
            if (twice)
                return;
            stage.in.push_back({name, {}});
        }
        if (stage.op == Op::Expr || stage.op == Op::Update)
            stage.expr = expression(operands);
        stage.dim = static_cast<std::int32_t>(below(m_random, 2));
        stage.rate = 0.4;
        stage.seed = below(m_random, 100);
        stage.join = stage.op == Op::ReduceTensor || stage.op == Op::AllReduce ? static_cast<Join>(below(m_random, 3)) : Join::Sum;
        TensorProgram tried = m_program;
        tried.stages.push_back(stage);
        if (!inferLayouts(tried))
            return;
        m_program = std::move(tried);
        m_names.push_back(m_program.stages.back().name);
    }

    std::mt19937_64& m_random;
    TensorProgram m_program;
    std::vector<std::string> m_names;
};

/// Stages reached from one by reading, each with a chance.
void grow(const TensorProgram& program, std::mt19937_64& random, const std::string& from, std::vector<std::string>& names, int percent, bool alsoBack)
{
    const StageGraph graph(program);
    std::vector<std::int32_t> waiting{program.indexOf(from)};
    std::vector<bool> seen(program.stages.size(), false);
    seen[at(waiting.front())] = true;
    while (!waiting.empty()) {
        const std::int32_t stage = waiting.back();
        waiting.pop_back();
        std::vector<std::int32_t> next = graph.readers(stage);
        if (alsoBack)
            next.insert(next.end(), graph.before(stage).begin(), graph.before(stage).end());
        for (const std::int32_t each : next) {
            if (seen[at(each)] || !chance(random, percent))
                continue;
            seen[at(each)] = true;
            waiting.push_back(each);
            names.push_back(program.stages[at(each)].name);
        }
    }
}

std::string anyStage(const TensorProgram& program, std::mt19937_64& random, std::initializer_list<Op> ops)
{
    std::vector<std::string> names;
    for (const Stage& stage : program.stages) {
        if (ops.size() == 0 || std::find(ops.begin(), ops.end(), stage.op) != ops.end())
            names.push_back(stage.name);
    }
    return names.empty() ? program.stages[below(random, program.stages.size())].name : names[below(random, names.size())];
}

} // namespace

std::string transformText(int ranks, const std::string& body, int groups)
{
    const std::string size = std::to_string(ranks);
    const std::string levels = groups == 1 ? "{shape: switch, size: " + size + ", bandwidth: 100 GB/s, latency: 1 us}"
                                           : "{shape: switch, size: " + size + ", bandwidth: 100 GB/s, latency: 1 us}, {shape: switch, size: " + std::to_string(groups) + ", bandwidth: 10 GB/s, latency: 2 us}";
    return "fabricscope: 1\ntransform:\n  ranks: " + size + "\n  groups: " + std::to_string(groups) + "\n" + body
        + "  platform: {dimensions: [" + levels + "], npu: {memory_bandwidth: 1000 GB/s, peak: 100 TFLOP/s}}\n";
}

TransformFile transformCase(int ranks, const std::string& body, int groups)
{
    auto file = readTransformText(transformText(ranks, body, groups), "case.yaml");
    if (!file)
        giveUp(file.error().text());
    return std::move(file).value();
}

TensorProgram afterSteps(const TensorProgram& program, const std::vector<std::string>& steps)
{
    StepHistory history(program);
    for (const std::string& line : steps) {
        const auto step = parseStep(line);
        if (!step)
            giveUp(line + ": " + step.error().text());
        if (const auto refusal = history.apply(step.value()))
            giveUp(line + ": " + refusal->reason);
    }
    return history.program();
}

Refusal refusalOf(const TensorProgram& program, const std::vector<std::string>& steps)
{
    const TensorProgram before = afterSteps(program, {steps.begin(), steps.end() - 1});
    const auto step = parseStep(steps.back());
    if (!step)
        giveUp(steps.back() + ": " + step.error().text());
    const Rewritten made = applyStep(before, step.value());
    if (!std::holds_alternative<Refusal>(made))
        giveUp(steps.back() + " is not refused");
    return std::get<Refusal>(made);
}

TensorProgram randomProgram(std::mt19937_64& random)
{
    // A stage that reads a tensor and what overwrites it could never run; files cannot say such a thing.
    while (true) {
        TensorProgram program = RandomStages(random).make();
        if (!kernelsOf(program).empty())
            return program;
    }
}

ScheduleStep randomStep(const TensorProgram& program, std::mt19937_64& random)
{
    ScheduleStep step;
    switch (below(random, 10)) {
    case 0:
    case 1: return {StepKind::Split, {anyStage(program, random, {Op::AllReduce})}, {}};
    case 2:
    case 3:
    case 4: {
        step = {StepKind::Reorder, {anyStage(program, random, {Op::AllGather, Op::Send})}, {}};
        grow(program, random, step.names.front(), step.names, chance(random, 50) ? 95 : 60, false);
        if (chance(random, 30))
            step.names.push_back(anyStage(program, random, {}));
        break;
    }
    case 5:
    case 6: return {StepKind::AsSlice, {program.tensors[below(random, program.tensors.size())].name}, {}};
    case 7: {
        const std::string first = anyStage(program, random, {Op::ReduceScatter, Op::Send});
        step = {StepKind::Fuse, {first}, {}};
        grow(program, random, first, step.names, 90, program.stage(first)->op == Op::Send);
        break;
    }
    case 8: {
        const std::string first = anyStage(program, random, {});
        step = {StepKind::Fuse, {first}, {}};
        grow(program, random, first, step.names, 40, true);
        break;
    }
    default: {
        if (chance(random, 30))
            return {StepKind::Dead, {anyStage(program, random, {Op::AllGather})}, {}};
        step = {StepKind::Overlap, {anyStage(program, random, {})}, {}};
        grow(program, random, step.names.front(), step.names, 50, false);
        break;
    }
    }
    std::vector<std::string> unique;
    for (const std::string& name : step.names) {
        if (std::find(unique.begin(), unique.end(), name) == unique.end())
            unique.push_back(name);
    }
    step.names = std::move(unique);
    return step;
}

} // namespace fabricscope::test
